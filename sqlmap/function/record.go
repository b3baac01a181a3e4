package function

import (
	"encoding/binary"
	"strings"
	"sync"

	"moraine/pgerror"
	"moraine/relation"
)

// maximumRecordShapes bounds the named row shapes that are remembered; rows of further shapes have columns f1, f2, ...
const maximumRecordShapes = 1 << 16

// recordShapes remembers the column names of anonymous rows. The modifier of a record type is an index into it, as
// PostgreSQL's is into its cache of record types.
var recordShapes struct {
	sync.RWMutex
	columns [][]relation.Column
	byKey   map[string]int32
}

// RecordType gives the type of rows of these columns: record, with a modifier that remembers names and types for
// row_to_json, to_json and (row).field.
func RecordType(columns []relation.Column) relation.Type {
	var key strings.Builder
	for _, column := range columns {
		key.WriteString(column.Name)
		var raw [9]byte
		binary.BigEndian.PutUint32(raw[1:], column.Type.OID)
		binary.BigEndian.PutUint32(raw[5:], uint32(column.Type.Modifier))
		key.Write(raw[:])
	}
	recordShapes.Lock()
	defer recordShapes.Unlock()
	if modifier, ok := recordShapes.byKey[key.String()]; ok {
		return relation.Type{OID: relation.RecordOID, Modifier: modifier}
	}
	if len(recordShapes.columns) >= maximumRecordShapes {
		return typeOf(relation.RecordOID)
	}
	if recordShapes.byKey == nil {
		recordShapes.byKey = map[string]int32{}
	}
	modifier := int32(len(recordShapes.columns))
	recordShapes.columns = append(recordShapes.columns, append([]relation.Column(nil), columns...))
	recordShapes.byKey[key.String()] = modifier
	return relation.Type{OID: relation.RecordOID, Modifier: modifier}
}

// RecordColumns gives the columns of a record type that RecordType made; ok is false for others.
func RecordColumns(t relation.Type) (columns []relation.Column, ok bool) {
	recordShapes.RLock()
	defer recordShapes.RUnlock()
	if t.OID != relation.RecordOID || t.Modifier < 0 || int(t.Modifier) >= len(recordShapes.columns) {
		return nil, false
	}
	return recordShapes.columns[t.Modifier], true
}

// NewRecord packs a row; types are those of its fields.
func NewRecord(types []relation.Type, fields []relation.Value) relation.Value {
	dst := binary.BigEndian.AppendUint32(make([]byte, 0, 4+16*len(fields)), uint32(len(fields)))
	for i, field := range fields {
		oid := types[i].OID
		dst = binary.BigEndian.AppendUint32(dst, oid)
		dst = appendSized(dst, field, BinaryEncoder(oid))
	}
	return relation.Text(string(dst))
}

// OpenRecord takes a row apart.
func OpenRecord(v relation.Value) (types []relation.Type, fields []relation.Value) {
	data := []byte(v.Text())
	if len(data) < 4 {
		return nil, nil
	}
	count := int(binary.BigEndian.Uint32(data))
	data = data[4:]
	for range count {
		t := typeOf(binary.BigEndian.Uint32(data))
		field, rest, err := parseSized(data[4:], t)
		if err != nil {
			return types, fields
		}
		types, fields, data = append(types, t), append(fields, field), rest
	}
	return types, fields
}

func recordCodecs() map[uint32]*codec {
	return map[uint32]*codec{
		relation.RecordOID: {input: inputRecord, appendText: appendRecordText, parseBinary: parseRecordBinary,
			appendBinary: appendRawText, compare: compareRecords, hashKey: appendRecordKey},
	}
}

func inputRecord(string, *Format) (relation.Value, error) {
	return relation.NULL, pgerror.New(pgerror.FeatureNotSupported, "input of anonymous composite types is not implemented")
}

// parseRecordBinary checks the structure, so that opened records can be trusted.
func parseRecordBinary(data []byte) (relation.Value, error) {
	if len(data) < 4 {
		return relation.NULL, wrongBinaryLength()
	}
	rest := data[4:]
	for range int(int32(binary.BigEndian.Uint32(data))) {
		if len(rest) < 8 {
			return relation.NULL, wrongBinaryLength()
		}
		var err error
		if _, rest, err = parseSized(rest[4:], typeOf(binary.BigEndian.Uint32(rest))); err != nil {
			return relation.NULL, err
		}
	}
	if len(rest) > 0 {
		return relation.NULL, wrongBinaryLength()
	}
	return relation.Text(string(data)), nil
}

func appendRecordText(dst []byte, v relation.Value, f *Format) []byte {
	types, fields := OpenRecord(v)
	dst = append(dst, '(')
	var scratch []byte
	for i, field := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		if field.IsNull() {
			continue
		}
		scratch = AppendText(scratch[:0], types[i], field, f)
		dst = appendRecordField(dst, scratch)
	}
	return append(dst, ')')
}

// appendRecordField quotes a field that could be read as something else.
func appendRecordField(dst, field []byte) []byte {
	quote := len(field) == 0
	for _, c := range field {
		if c == '"' || c == '\\' || c == '(' || c == ')' || c == ',' || isSpace(c) {
			quote = true
		}
	}
	if !quote {
		return append(dst, field...)
	}
	dst = append(dst, '"')
	for _, c := range field {
		if c == '"' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// compareRecords compares field by field; fields of different types by their texts, as the binder refuses such rows.
func compareRecords(a, b relation.Value) int {
	xTypes, x := OpenRecord(a)
	yTypes, y := OpenRecord(b)
	for i := range min(len(x), len(y)) {
		compare := Comparer(xTypes[i])
		if compare == nil || xTypes[i].OID != yTypes[i].OID {
			compare = compareText
		}
		if order := compareNullable(x[i], y[i], compare); order != 0 {
			return order
		}
	}
	return len(x) - len(y)
}

func appendRecordKey(dst []byte, v relation.Value) []byte {
	types, fields := OpenRecord(v)
	for i, field := range fields {
		dst = appendSized(dst, field, HashKeyer(types[i].OID))
	}
	return dst
}
