package pgcatalog

import (
	"strconv"

	"moraine/relation"
	"moraine/sqlmap/function"
)

// measures are the columns of information_schema.columns that depend on the type and its modifier.
type measures struct {
	characters, octets        relation.Value
	precision, radix, scale   relation.Value
	datetime, intervalSubtype relation.Value
}

// maximumOctets is what information_schema tells for texts without a limit.
const maximumOctets = 1 << 30

// Parts of a type's modifier.
const (
	modifierHeader       = 4
	bytesPerCharacter    = 4
	numericScaleBits     = 11
	numericPrecisionBits = 16
	intervalPrecision    = 0xffff
	defaultPrecision     = 6
)

func measure(kind relation.Type) measures {
	m := measures{}
	switch kind.OID {
	case relation.TextOID, relation.NameOID, relation.CharOID, relation.ByteaOID:
		if kind.OID == relation.TextOID {
			m.octets = integer(maximumOctets)
		}
	case relation.VarcharOID, relation.BPCharOID:
		m.octets = integer(maximumOctets)
		if kind.Modifier >= modifierHeader {
			m.characters = integer(kind.Modifier - modifierHeader)
			m.octets = integer(min(int64(kind.Modifier-modifierHeader)*bytesPerCharacter, maximumOctets))
		}
	case relation.BitOID, relation.VarbitOID:
		if kind.Modifier >= 0 {
			m.characters = integer(kind.Modifier)
		}
	case relation.Int2OID, relation.Int4OID, relation.Int8OID, relation.Float4OID, relation.Float8OID:
		m.precision, m.radix = integer(binaryPrecision[kind.OID]), integer(2)
		if kind.OID != relation.Float4OID && kind.OID != relation.Float8OID {
			m.scale = zero
		}
	case relation.NumericOID:
		m.radix = integer(10)
		if kind.Modifier >= modifierHeader {
			packed := kind.Modifier - modifierHeader
			m.precision = integer(packed >> numericPrecisionBits & 0xffff)
			m.scale = integer((packed&(1<<numericScaleBits-1) ^ 1<<(numericScaleBits-1)) - 1<<(numericScaleBits-1))
		}
	case relation.DateOID:
		m.datetime = zero
	case relation.TimeOID, relation.TimeTZOID, relation.TimestampOID, relation.TimestampTZOID:
		m.datetime = integer(defaultPrecision)
		if kind.Modifier >= 0 {
			m.datetime = integer(kind.Modifier)
		}
	case relation.IntervalOID:
		m.datetime = integer(defaultPrecision)
		if precision := kind.Modifier & intervalPrecision; kind.Modifier >= 0 && precision != intervalPrecision {
			m.datetime = integer(precision)
		}
	}
	return m
}

var binaryPrecision = map[uint32]int{
	relation.Int2OID: 16, relation.Int4OID: 32, relation.Int8OID: 64, relation.Float4OID: 24, relation.Float8OID: 53,
}

func (s *scan) informationColumnRow(definition *relation.Definition, column *relation.Column) relation.Row {
	typeName, wordName := "", "USER-DEFINED"
	if kind := function.TypeByOID(column.Type.OID); kind != nil {
		typeName, wordName = kind.Name, function.FormatType(relation.Type{OID: kind.OID, Modifier: -1})
		if kind.IsArray() {
			wordName = "ARRAY"
		}
	}
	m := measure(column.Type)
	return relation.Row{
		s.database(), text(shownSchema(definition.Schema)), text(definition.Name), text(column.Name), integer(column.Number), optional(column.Default),
		yesNo(!column.NotNull), text(wordName), m.characters, m.octets, m.precision, m.radix, m.scale, m.datetime, m.intervalSubtype, null,
		null, null, null, null, null, null, null, null, null, s.database(), text(Schema), text(typeName), null, null, null, null,
		text(strconv.Itoa(int(column.Number))), text("NO"), text("NO"), null, null, null, null, null, text("NO"), text("NEVER"), null,
		yesNo(definition.Kind == relation.Table),
	}
}
