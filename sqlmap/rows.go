package sqlmap

import (
	"encoding/binary"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/encoding"
	"moraine/sqlmap/function"
)

// describe makes the fields of a result; formats are as in Bind: none, one for all, or one each.
func describe(columns []bind.SourceColumn, formats []int16) ([]Field, error) {
	if len(formats) > 1 && len(formats) != len(columns) {
		return nil, pgerror.New(pgerror.ProtocolViolation, "bind message has %d result formats but query has %d columns", len(formats), len(columns))
	}
	fields := make([]Field, len(columns))
	for i := range columns {
		column := &columns[i]
		size := int16(-1)
		oid, modifier := column.Type.OID, column.Type.Modifier
		if oid == relation.UnknownOID {
			oid, modifier = relation.TextOID, -1
		}
		if info := function.TypeByOID(oid); info != nil {
			size = info.Length
		}
		fields[i] = Field{
			Name: column.Name, TableOID: column.TableOID, Number: column.Number, TypeOID: oid, TypeSize: size, TypeModifier: modifier,
			Format: formatOf(formats, i),
		}
		if fields[i].Format == BinaryFormat && !function.HasBinary(oid) {
			return nil, pgerror.New(pgerror.UndefinedFunction, "no binary output function available for type %s",
				function.FormatType(relation.Type{OID: oid, Modifier: -1}))
		}
	}
	return fields, nil
}

// formatOf gives the format of value i.
func formatOf(formats []int16, i int) int16 {
	switch len(formats) {
	case 0:
		return TextFormat
	case 1:
		return formats[0]
	}
	return formats[i]
}

// valueEncoder appends one value that is not NULL.
type valueEncoder struct {
	text   func(dst []byte, v relation.Value, f *function.Format) []byte
	binary func(dst []byte, v relation.Value) []byte
}

// rowWriter writes rows as DataRow messages. It has one closure for all rows, so a row costs no allocation.
type rowWriter struct {
	out      ResultWriter
	encoders []valueEncoder
	format   *function.Format
	row      relation.Row
	encode   func([]byte) ([]byte, error)
}

func newRowWriter(out ResultWriter, fields []Field, format *function.Format, clientEncoding *encoding.Encoding) *rowWriter {
	w := &rowWriter{out: out, encoders: make([]valueEncoder, len(fields)), format: format}
	for i := range fields {
		if fields[i].Format == BinaryFormat {
			w.encoders[i].binary = function.BinaryEncoder(fields[i].TypeOID)
		} else {
			w.encoders[i].text = function.TextEncoder(fields[i].TypeOID)
		}
	}
	w.encode = w.appendRow
	if clientEncoding != nil {
		w.encode = (&encodedRows{writer: w, encoding: clientEncoding, fields: fields}).appendRow
	}
	return w
}

// nullLength is the length that stands for NULL.
const nullLength = ^uint32(0)

func (w *rowWriter) appendRow(buffer []byte) ([]byte, error) {
	buffer = binary.BigEndian.AppendUint16(buffer, uint16(len(w.encoders)))
	for i := range w.encoders {
		value := w.row[i]
		if value.IsNull() {
			buffer = binary.BigEndian.AppendUint32(buffer, nullLength)
			continue
		}
		start := len(buffer)
		buffer = append(buffer, 0, 0, 0, 0)
		if encoder := &w.encoders[i]; encoder.binary != nil {
			buffer = encoder.binary(buffer, value)
		} else {
			buffer = encoder.text(buffer, value, w.format)
		}
		binary.BigEndian.PutUint32(buffer[start:], uint32(len(buffer)-start-4))
	}
	return buffer, nil
}

func (w *rowWriter) write(row relation.Row) error {
	w.row = row
	return w.out.Row(w.encode)
}
