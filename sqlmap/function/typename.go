package function

import (
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// Limits of type modifiers, from PostgreSQL's chapter "Data Types".
const (
	maximumCharacters = 10485760 // of char(n) and varchar(n)
	maximumBits       = 83886080 // of bit(n) and varbit(n)
	maximumFraction   = 6        // digits of seconds
)

// Bits of interval's fields in its modifier, as the grammar numbers them.
const (
	intervalMonth    = 1 << 1
	intervalYear     = 1 << 2
	intervalDay      = 1 << 3
	intervalHour     = 1 << 10
	intervalMinute   = 1 << 11
	intervalSecond   = 1 << 12
	intervalAll      = 0x7fff
	intervalNoDigits = 0xffff
)

// ResolveTypeName finds the type of a TypeName as libpg_query gives it: the parts of its name, the integers in
// parentheses (for interval the mask of fields, then the precision), and the number of array brackets. An unknown name is
// 42704. Row types of tables are the caller's to find.
func ResolveTypeName(names []string, modifiers []int32, arrayBounds int) (relation.Type, error) {
	name := names[len(names)-1]
	info := TypeByName(name)
	if info == nil || (len(names) > 1 && names[len(names)-2] != "pg_catalog") {
		return relation.Type{}, pgerror.New(pgerror.UndefinedObject, "type \"%s\" does not exist", strings.Join(names, "."))
	}
	t := typeOf(info.OID)
	if len(modifiers) > 0 {
		modifier, err := typeModifier(info, modifiers)
		if err != nil {
			return t, err
		}
		t.Modifier = modifier
	}
	if arrayBounds > 0 && !info.IsArray() {
		return arrayTypeOf(t)
	}
	return t, nil
}

func invalidModifier(format string, arguments ...any) error {
	return pgerror.New(pgerror.InvalidParameterValue, format, arguments...)
}

// typeModifier does what the type's typmodin function does.
func typeModifier(info *TypeInfo, modifiers []int32) (int32, error) {
	oid := info.OID
	if info.IsArray() {
		oid = info.Element
	}
	if oid != relation.NumericOID && oid != relation.IntervalOID && len(modifiers) != 1 {
		return -1, invalidModifier("invalid type modifier")
	}
	switch oid {
	case relation.VarcharOID:
		return lengthModifier("varchar", modifiers[0], maximumCharacters, headerSize)
	case relation.BPCharOID:
		return lengthModifier("char", modifiers[0], maximumCharacters, headerSize)
	case relation.BitOID:
		return lengthModifier("bit", modifiers[0], maximumBits, 0)
	case relation.VarbitOID:
		return lengthModifier("varbit", modifiers[0], maximumBits, 0)
	case relation.NumericOID:
		return numericModifier(modifiers)
	case relation.TimestampOID, relation.TimestampTZOID, relation.TimeOID, relation.TimeTZOID:
		if modifiers[0] < 0 {
			return -1, invalidModifier("%s(%d) precision must not be negative", strings.ToUpper(strings.TrimSuffix(info.Name, "tz")), modifiers[0])
		}
		return min(modifiers[0], maximumFraction), nil
	case relation.IntervalOID:
		return intervalModifier(modifiers)
	}
	return -1, pgerror.New(pgerror.SyntaxError, "type modifier is not allowed for type \"%s\"", info.Name)
}

func lengthModifier(name string, length, limit, raise int32) (int32, error) {
	if length < 1 {
		return -1, invalidModifier("length for type %s must be at least 1", name)
	}
	if length > limit {
		return -1, invalidModifier("length for type %s cannot exceed %d", name, limit)
	}
	return length + raise, nil
}

func numericModifier(modifiers []int32) (int32, error) {
	precision, scale := modifiers[0], int32(0)
	if len(modifiers) > 1 {
		scale = modifiers[1]
	}
	switch {
	case len(modifiers) > 2:
		return -1, invalidModifier("invalid NUMERIC type modifier")
	case precision < 1 || precision > maximumDeclaredDigits:
		return -1, invalidModifier("NUMERIC precision %d must be between 1 and %d", precision, maximumDeclaredDigits)
	case scale < -maximumDeclaredDigits || scale > maximumDeclaredDigits:
		return -1, invalidModifier("NUMERIC scale %d must be between %d and %d", scale, -maximumDeclaredDigits, maximumDeclaredDigits)
	}
	return precision<<16 | scale&0x7ff + headerSize, nil
}

func intervalModifier(modifiers []int32) (int32, error) {
	precision := int32(intervalNoDigits)
	if len(modifiers) > 1 {
		if modifiers[1] < 0 {
			return -1, invalidModifier("INTERVAL(%d) precision must not be negative", modifiers[1])
		}
		precision = min(modifiers[1], maximumFraction)
	} else if modifiers[0] == intervalAll {
		return -1, nil
	}
	return precision | modifiers[0]<<16, nil
}

// sqlNames are the types whose SQL name is not their typname.
var sqlNames = map[uint32]string{
	relation.BoolOID: "boolean", relation.CharOID: `"char"`, relation.Int8OID: "bigint", relation.Int2OID: "smallint",
	relation.Int4OID: "integer", relation.Float4OID: "real", relation.Float8OID: "double precision",
	relation.BPCharOID: "character", relation.VarcharOID: "character varying", relation.TimeOID: "time without time zone",
	relation.TimestampOID: "timestamp without time zone", relation.TimestampTZOID: "timestamp with time zone",
	relation.TimeTZOID: "time with time zone", relation.NumericOID: "numeric", relation.BitOID: "bit",
	relation.IntervalOID: "interval", relation.VarbitOID: "bit varying", AnyOID: `"any"`,
}

// FormatType gives the SQL name of a type as error messages and regtype show it, with its modifier.
func FormatType(t relation.Type) string {
	if t.OID == 0 {
		return "-"
	}
	info := TypeByOID(t.OID)
	if info == nil {
		return "???"
	}
	if info.IsArray() {
		return FormatType(relation.Type{OID: info.Element, Modifier: t.Modifier}) + "[]"
	}
	name, ok := sqlNames[t.OID]
	if !ok {
		name = QuoteIdentifier(info.Name)
	}
	if t.Modifier < 0 {
		return name
	}
	return withModifier(name, t)
}

// withModifier puts the modifier where it belongs in the name.
func withModifier(name string, t relation.Type) string {
	switch t.OID {
	case relation.VarcharOID, relation.BPCharOID:
		if t.Modifier < headerSize {
			return name
		}
		return name + "(" + strconv.Itoa(int(t.Modifier-headerSize)) + ")"
	case relation.NumericOID:
		if t.Modifier < headerSize {
			return name
		}
		scale := int(t.Modifier-headerSize) & 0x7ff
		return name + "(" + strconv.Itoa(int(t.Modifier-headerSize)>>16&0xffff) + "," + strconv.Itoa(scale^0x400-0x400) + ")"
	case relation.TimestampOID, relation.TimestampTZOID, relation.TimeOID, relation.TimeTZOID:
		word, rest, _ := strings.Cut(name, " ")
		return word + "(" + strconv.Itoa(int(t.Modifier)) + ") " + rest
	case relation.BitOID, relation.VarbitOID:
		return name + "(" + strconv.Itoa(int(t.Modifier)) + ")"
	case relation.IntervalOID:
		return name + intervalFields(t.Modifier)
	}
	return name
}

// intervalFields gives the qualifier of an interval's modifier, such as " day to second(3)".
func intervalFields(modifier int32) string {
	fields := ""
	switch modifier >> 16 & intervalAll {
	case intervalYear:
		fields = " year"
	case intervalMonth:
		fields = " month"
	case intervalDay:
		fields = " day"
	case intervalHour:
		fields = " hour"
	case intervalMinute:
		fields = " minute"
	case intervalSecond:
		fields = " second"
	case intervalYear | intervalMonth:
		fields = " year to month"
	case intervalDay | intervalHour:
		fields = " day to hour"
	case intervalDay | intervalHour | intervalMinute:
		fields = " day to minute"
	case intervalDay | intervalHour | intervalMinute | intervalSecond:
		fields = " day to second"
	case intervalHour | intervalMinute:
		fields = " hour to minute"
	case intervalHour | intervalMinute | intervalSecond:
		fields = " hour to second"
	case intervalMinute | intervalSecond:
		fields = " minute to second"
	}
	if precision := modifier & intervalNoDigits; precision != intervalNoDigits {
		fields += "(" + strconv.Itoa(int(precision)) + ")"
	}
	return fields
}

// FormatTypeWithModifier gives the SQL name of a type whose modifier is known: bpchar and "bit" without a length show by those
// names, as character and bit would mean a length of 1.
func FormatTypeWithModifier(t relation.Type) string {
	if t.Modifier < 0 {
		element, suffix := t.OID, ""
		if info := TypeByOID(t.OID); info != nil && info.IsArray() {
			element, suffix = info.Element, "[]"
		}
		switch element {
		case relation.BPCharOID:
			return "bpchar" + suffix
		case relation.BitOID:
			return `"bit"` + suffix
		}
	}
	return FormatType(t)
}
