package function

import (
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// polymorphicFunctions take arguments of any type.
func polymorphicFunctions() specialises {
	return specialises{
		"text_concat": concatAny, "text_concat_ws": concatWithSeparator, "text_format": formatText, "text_format_nv": formatText,
		"textanycat(text,anynonarray)": concatenatePair, "anytextcat(anynonarray,text)": concatenatePair,
		"quote_literal(anyelement)": quoteAny(false), "quote_nullable(anyelement)": quoteAny(true),
		"pg_num_nulls": countNulls(true), "pg_num_nonnulls": countNulls(false),
		"pg_typeof": typeOfArgument, "pg_column_size": sizeOfArgument, "pg_collation_for": collationOfArgument,
	}
}

// textOf gives the text of each argument of a call with arguments of any type, NULL for NULL ones. An array marked
// VARIADIC stands for its elements.
type argumentTexts func(c *Context, a []relation.Value) []relation.Value

// textsFrom makes the texts of the arguments from place on.
func textsFrom(sig *signature, place int) argumentTexts {
	if sig.Spread {
		encode := TextEncoder(ElementType(sig.Arguments[len(sig.Arguments)-1]).OID)
		return func(c *Context, a []relation.Value) []relation.Value {
			elements := OpenArray(a[len(a)-1]).Elements
			texts := make([]relation.Value, len(elements))
			for i, element := range elements {
				if !element.IsNull() {
					texts[i] = relation.Text(string(encode(nil, element, &c.Format)))
				}
			}
			return texts
		}
	}
	var encoders []func([]byte, relation.Value, *Format) []byte
	for _, argument := range sig.Arguments[min(place, len(sig.Arguments)):] {
		encoders = append(encoders, TextEncoder(argument.OID))
	}
	return func(c *Context, a []relation.Value) []relation.Value {
		texts := make([]relation.Value, len(encoders))
		for i, encode := range encoders {
			if v := a[place+i]; !v.IsNull() {
				texts[i] = relation.Text(string(encode(nil, v, &c.Format)))
			}
		}
		return texts
	}
}

// nullSpread tells whether the array marked VARIADIC is NULL.
func nullSpread(sig *signature, a []relation.Value) bool { return sig.Spread && a[len(a)-1].IsNull() }

func concatAny(sig *signature) (Evaluate, error) {
	texts := textsFrom(sig, 0)
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		if nullSpread(sig, a) {
			return relation.NULL, nil
		}
		return relation.Text(joinTexts(texts(c, a), "")), nil
	}, nil
}

// joinTexts leaves NULLs out.
func joinTexts(texts []relation.Value, separator string) string {
	var built strings.Builder
	first := true
	for _, text := range texts {
		if text.IsNull() {
			continue
		}
		if !first {
			built.WriteString(separator)
		}
		first = false
		built.WriteString(text.Text())
	}
	return built.String()
}

func concatWithSeparator(sig *signature) (Evaluate, error) {
	texts := textsFrom(sig, 1)
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		if a[0].IsNull() || nullSpread(sig, a) {
			return relation.NULL, nil
		}
		return relation.Text(joinTexts(texts(c, a), a[0].Text())), nil
	}, nil
}

// concatenatePair is || between text and a value of another type.
func concatenatePair(sig *signature) (Evaluate, error) {
	var casts [2]Evaluate // as ::text writes a value: true for a bool, where its output is t
	for i, argument := range sig.Arguments {
		casts[i], _ = ResolveCast(argument, relation.TextType, CastExplicit)
	}
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		var texts [2]string
		for i, cast := range casts {
			value := a[i]
			if cast != nil {
				var err error
				if value, err = cast(c, a[i:i+1]); err != nil {
					return relation.NULL, err
				}
			}
			texts[i] = value.Text()
		}
		return relation.Text(texts[0] + texts[1]), nil
	}, nil
}

func quoteAny(nullable bool) func(*signature) (Evaluate, error) {
	return func(sig *signature) (Evaluate, error) {
		texts := textsFrom(sig, 0)
		return func(c *Context, a []relation.Value) (relation.Value, error) {
			if a[0].IsNull() {
				if nullable {
					return relation.Text("NULL"), nil
				}
				return relation.NULL, nil
			}
			return relation.Text(QuoteLiteral(texts(c, a)[0].Text())), nil
		}, nil
	}
}

func countNulls(nulls bool) func(*signature) (Evaluate, error) {
	return func(sig *signature) (Evaluate, error) {
		return func(_ *Context, a []relation.Value) (relation.Value, error) {
			if sig.Spread {
				if a[0].IsNull() {
					return relation.NULL, nil
				}
				a = OpenArray(a[0]).Elements
			}
			count := int64(0)
			for _, v := range a {
				if v.IsNull() == nulls {
					count++
				}
			}
			return relation.Int(count), nil
		}, nil
	}
}

func typeOfArgument(sig *signature) (Evaluate, error) {
	return constant(relation.Int(int64(sig.Arguments[0].OID))), nil
}

// sizeOfArgument gives the bytes that PostgreSQL needs to store a value: the fixed length of its type, or one byte more
// than its contents (four for long ones).
func sizeOfArgument(sig *signature) (Evaluate, error) {
	info := TypeByOID(sig.Arguments[0].OID)
	encode := BinaryEncoder(sig.Arguments[0].OID)
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if info != nil && info.Length > 0 {
			return relation.Int(int64(info.Length)), nil
		}
		size := int64(len(encode(nil, a[0])))
		if size < 127 {
			return relation.Int(size + 1), nil
		}
		return relation.Int(size + headerSize), nil
	}, nil
}

func collationOfArgument(sig *signature) (Evaluate, error) {
	info := TypeByOID(sig.Arguments[0].OID)
	if info == nil || info.Collation == 0 {
		if sig.Arguments[0].OID == relation.UnknownOID {
			return constant(relation.NULL), nil
		}
		return nil, pgerror.New(pgerror.DatatypeMismatch, "collations are not supported by type %s", FormatType(sig.Arguments[0]))
	}
	if info.Collation == collations["C"] {
		return constant(relation.Text(`"C"`)), nil
	}
	return constant(relation.Text(`"default"`)), nil
}
