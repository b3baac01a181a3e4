package function

import (
	"strings"
	"unicode/utf8"

	"moraine/pgerror"
	"moraine/relation"
)

// headerSize is what modifiers of varchar, bpchar and numeric are raised by (VARHDRSZ).
const headerSize = 4

// lengthCoercion gives what a type's modifier does to values that are not NULL; nil when it does nothing. An explicit
// cast truncates where an assignment fails (22001).
func lengthCoercion(t relation.Type, explicit bool) func(relation.Value) (relation.Value, error) {
	if t.Modifier < 0 {
		return nil
	}
	if element := ElementType(t); element.OID != 0 {
		return coerceElements(lengthCoercion(element, explicit))
	}
	switch t.OID {
	case relation.VarcharOID:
		return coerceVarchar(int(t.Modifier)-headerSize, explicit)
	case relation.BPCharOID:
		return coerceBPChar(int(t.Modifier)-headerSize, explicit)
	case relation.NumericOID:
		if t.Modifier < headerSize {
			return nil
		}
		return coerceNumeric(t.Modifier)
	case relation.BitOID:
		return coerceBit(int(t.Modifier), explicit)
	case relation.VarbitOID:
		return coerceVarbit(int(t.Modifier), explicit)
	case relation.TimestampOID, relation.TimestampTZOID, relation.TimeOID, relation.TimeTZOID:
		return coercePrecision(t)
	case relation.IntervalOID:
		return coerceInterval(t.Modifier)
	}
	return nil
}

func coerceElements(coerce func(relation.Value) (relation.Value, error)) func(relation.Value) (relation.Value, error) {
	if coerce == nil {
		return nil
	}
	return func(v relation.Value) (relation.Value, error) {
		a := OpenArray(v)
		for i, element := range a.Elements {
			if element.IsNull() {
				continue
			}
			coerced, err := coerce(element)
			if err != nil {
				return relation.NULL, err
			}
			a.Elements[i] = coerced
		}
		return a.Value(), nil
	}
}

// cutCharacters gives the byte length of the first count characters, and how many characters the text has up to count+1.
func cutCharacters(text string, count int) (end int, longer bool) {
	if len(text) <= count {
		return len(text), false
	}
	for i := range text {
		if count == 0 {
			return i, true
		}
		count--
	}
	return len(text), false
}

func tooLong(typeName string, limit int) error {
	return pgerror.New(pgerror.StringDataRightTruncation, "value too long for type %s(%d)", typeName, limit)
}

func onlyBlanks(text string) bool { return strings.Trim(text, " ") == "" }

func coerceVarchar(limit int, explicit bool) func(relation.Value) (relation.Value, error) {
	return func(v relation.Value) (relation.Value, error) {
		end, longer := cutCharacters(v.Text(), limit)
		if !longer {
			return v, nil
		}
		if !explicit && !onlyBlanks(v.Text()[end:]) {
			return relation.NULL, tooLong("character varying", limit)
		}
		return relation.Text(v.Text()[:end]), nil
	}
}

func coerceBPChar(limit int, explicit bool) func(relation.Value) (relation.Value, error) {
	return func(v relation.Value) (relation.Value, error) {
		text := v.Text()
		end, longer := cutCharacters(text, limit)
		if longer {
			if !explicit && !onlyBlanks(text[end:]) {
				return relation.NULL, tooLong("character", limit)
			}
			return relation.Text(text[:end]), nil
		}
		if missing := limit - utf8.RuneCountInString(text); missing > 0 {
			return relation.Text(text + strings.Repeat(" ", missing)), nil
		}
		return v, nil
	}
}

func coerceBit(length int, explicit bool) func(relation.Value) (relation.Value, error) {
	return func(v relation.Value) (relation.Value, error) {
		bits := v.Text()
		switch {
		case len(bits) == length:
			return v, nil
		case !explicit:
			return relation.NULL, pgerror.New("22026", "bit string length %d does not match type bit(%d)", len(bits), length)
		case len(bits) > length:
			return relation.Text(bits[:length]), nil
		}
		return relation.Text(bits + strings.Repeat("0", length-len(bits))), nil
	}
}

func coerceVarbit(limit int, explicit bool) func(relation.Value) (relation.Value, error) {
	return func(v relation.Value) (relation.Value, error) {
		bits := v.Text()
		switch {
		case len(bits) <= limit:
			return v, nil
		case !explicit:
			return relation.NULL, pgerror.New(pgerror.StringDataRightTruncation, "bit string too long for type bit varying(%d)", limit)
		}
		return relation.Text(bits[:limit]), nil
	}
}
