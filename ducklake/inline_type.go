package ducklake

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"moraine/relation"
)

// The metadata of an Arrow field whose type does not say PostgreSQL's exactly.
const (
	typeMetadata     = "moraine.type"   // pg_type.typname
	modifierMetadata = "moraine.typmod" // pg_attribute.atttypmod, when there is one
)

// form is how the values of an inlined column lie in an Arrow array.
type form uint8

const (
	formNone form = iota
	formBit
	formInt8
	formInt16
	formInt32
	formInt64
	formUint8
	formUint16
	formUint32
	formUint64 // as numeric
	formFloat32
	formFloat64
	formText
	formZonedTime // text
	formDecimal
	formUUID
	formInterval
	formDate
	formTimestamp
)

// inlinedColumn is a user column of an inlined table.
type inlinedColumn struct {
	column relation.Column
	form   form
	scale  int   // of formDecimal
	unit   int64 // of formTimestamp: units for each microsecond, or minus the microseconds for each unit
}

// named are the types that Arrow has as text, by pg_type.typname; varchar needs no name.
var named = map[string]uint32{
	"text": relation.TextOID, "bpchar": relation.BPCharOID, "json": relation.JSONOID, "jsonb": relation.JSONBOID,
	"timetz": relation.TimeTZOID, "numeric": relation.NumericOID, "varchar": relation.VarcharOID,
	"name": relation.NameOID,
}

// The numbers of a numeric's modifier, as PostgreSQL packs them, and of Arrow's widest decimal here.
const (
	modifierHeader   = 4
	precisionShift   = 16
	scaleMask        = 0x7ff
	decimalPrecision = 38
)

// arrowField gives the Arrow field of a column; false when there is none for its type.
func arrowField(column relation.Column) (arrow.Field, bool) {
	field := arrow.Field{Name: column.Name, Nullable: true}
	plain := column.Type.Modifier == -1
	switch column.Type.OID {
	case relation.BoolOID:
		field.Type = arrow.FixedWidthTypes.Boolean
	case relation.Int2OID:
		field.Type = arrow.PrimitiveTypes.Int16
	case relation.Int4OID:
		field.Type = arrow.PrimitiveTypes.Int32
	case relation.Int8OID:
		field.Type = arrow.PrimitiveTypes.Int64
	case relation.Float4OID:
		field.Type = arrow.PrimitiveTypes.Float32
	case relation.Float8OID:
		field.Type = arrow.PrimitiveTypes.Float64
	case relation.ByteaOID:
		field.Type = arrow.BinaryTypes.Binary
	case relation.UUIDOID:
		field.Type = &arrow.FixedSizeBinaryType{ByteWidth: uuidBytes}
	case relation.DateOID:
		field.Type = arrow.FixedWidthTypes.Date32
	case relation.TimeOID:
		field.Type = arrow.FixedWidthTypes.Time64us
	case relation.TimestampOID:
		field.Type = &arrow.TimestampType{Unit: arrow.Microsecond}
	case relation.TimestampTZOID:
		field.Type = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	case relation.IntervalOID:
		field.Type = arrow.FixedWidthTypes.MonthDayNanoInterval
	case relation.NumericOID:
		return numericField(field, column.Type.Modifier), true
	default:
		return namedField(field, column.Type)
	}
	if !plain {
		name := map[uint32]string{
			relation.TimeOID: "time", relation.TimestampOID: "timestamp", relation.TimestampTZOID: "timestamptz",
			relation.IntervalOID: "interval",
		}[column.Type.OID]
		field.Metadata = typeMetadataOf(name, column.Type.Modifier)
	}
	return field, true
}

func numericField(field arrow.Field, modifier int32) arrow.Field {
	precision, scale := (modifier-modifierHeader)>>precisionShift, (modifier-modifierHeader)&scaleMask
	if modifier >= modifierHeader && precision <= decimalPrecision && scale <= precision {
		field.Type = &arrow.Decimal128Type{Precision: precision, Scale: scale}
		return field
	}
	field.Type, field.Metadata = arrow.BinaryTypes.String, typeMetadataOf("numeric", modifier)
	return field
}

func namedField(field arrow.Field, columnType relation.Type) (arrow.Field, bool) {
	field.Type = arrow.BinaryTypes.String
	for name, oid := range named {
		if oid == columnType.OID {
			if columnType != relation.VarcharType {
				field.Metadata = typeMetadataOf(name, columnType.Modifier)
			}
			return field, true
		}
	}
	return field, false
}

func typeMetadataOf(name string, modifier int32) arrow.Metadata {
	keys, values := []string{typeMetadata}, []string{name}
	if modifier != -1 {
		keys, values = append(keys, modifierMetadata), append(values, strconv.Itoa(int(modifier)))
	}
	return arrow.NewMetadata(keys, values)
}

// inlinedColumnOf gives the column of an Arrow field; false for types that PostgreSQL does not have.
func inlinedColumnOf(field arrow.Field) (inlinedColumn, bool) {
	column := inlinedColumn{column: relation.Column{Name: field.Name}}
	set := func(form form, oid uint32) {
		column.form, column.column.Type = form, relation.Type{OID: oid, Modifier: -1}
	}
	switch arrowType := field.Type.(type) {
	case *arrow.BooleanType:
		set(formBit, relation.BoolOID)
	case *arrow.Int8Type:
		set(formInt8, relation.Int2OID)
	case *arrow.Int16Type:
		set(formInt16, relation.Int2OID)
	case *arrow.Int32Type:
		set(formInt32, relation.Int4OID)
	case *arrow.Int64Type:
		set(formInt64, relation.Int8OID)
	case *arrow.Uint8Type:
		set(formUint8, relation.Int2OID)
	case *arrow.Uint16Type:
		set(formUint16, relation.Int4OID)
	case *arrow.Uint32Type:
		set(formUint32, relation.Int8OID)
	case *arrow.Uint64Type:
		set(formUint64, relation.NumericOID)
	case *arrow.Float32Type:
		set(formFloat32, relation.Float4OID)
	case *arrow.Float64Type:
		set(formFloat64, relation.Float8OID)
	case *arrow.StringType:
		set(formText, relation.VarcharOID)
	case *arrow.BinaryType:
		set(formText, relation.ByteaOID)
	case *arrow.Decimal128Type:
		set(formDecimal, relation.NumericOID)
		column.scale = int(arrowType.Scale)
		column.column.Type.Modifier = arrowType.Precision<<precisionShift | arrowType.Scale&scaleMask + modifierHeader
		if arrowType.Scale < 0 {
			return column, false
		}
	case *arrow.FixedSizeBinaryType:
		set(formUUID, relation.UUIDOID)
		if arrowType.ByteWidth != uuidBytes {
			return column, false
		}
	case *arrow.MonthDayNanoIntervalType:
		set(formInterval, relation.IntervalOID)
	case *arrow.Date32Type:
		set(formDate, relation.DateOID)
	case *arrow.Time64Type:
		set(formInt64, relation.TimeOID)
		if arrowType.Unit != arrow.Microsecond {
			return column, false
		}
	case *arrow.TimestampType:
		set(formTimestamp, relation.TimestampOID)
		if arrowType.TimeZone != "" {
			column.column.Type.OID = relation.TimestampTZOID
		}
		column.unit = timestampUnits[arrowType.Unit]
	default:
		return column, false
	}
	column.refine(field)
	return column, true
}

// timestampUnits gives inlinedColumn.unit.
var timestampUnits = map[arrow.TimeUnit]int64{
	arrow.Second: -1_000_000, arrow.Millisecond: -1_000, arrow.Microsecond: 1, arrow.Nanosecond: 1_000,
}

// refine applies the metadata of a field.
func (c *inlinedColumn) refine(field arrow.Field) {
	if name, found := field.Metadata.GetValue(typeMetadata); found && c.form == formText && c.column.Type.OID == relation.VarcharOID {
		if oid, known := named[name]; known {
			c.column.Type.OID = oid
		}
		if c.column.Type.OID == relation.TimeTZOID {
			c.form = formZonedTime
		}
	}
	if text, found := field.Metadata.GetValue(modifierMetadata); found {
		if modifier, err := strconv.ParseInt(text, 10, 32); err == nil {
			c.column.Type.Modifier = int32(modifier)
		}
	}
}
