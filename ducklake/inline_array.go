package ducklake

import (
	"encoding/binary"
	"math"

	"moraine/relation"
)

// width gives the bytes of a value in a fixed-width array; 0 for bits and texts.
func (f form) width() int {
	switch f {
	case formInt8, formUint8:
		return 1
	case formInt16, formUint16:
		return 2
	case formInt32, formUint32, formFloat32, formDate:
		return 4
	case formInt64, formUint64, formFloat64, formTimestamp:
		return 8
	case formDecimal, formUUID, formInterval:
		return 16
	}
	return 0
}

// isText tells whether the array has offsets into a buffer of bytes.
func (f form) isText() bool { return f == formText || f == formZonedTime }

// inlinedArray is the values of one column in one chunk.
type inlinedArray struct {
	column   *inlinedColumn
	validity []byte // empty when nothing is NULL
	values   []byte // offsets, of texts
	bytes    []byte // of texts
}

// arraysOf tells the arrays of a chunk apart by column; all have the given number of rows.
func (s *inlinedSchema) arraysOf(body *chunkBody, rows int, arrays []inlinedArray) ([]inlinedArray, error) {
	arrays = arrays[:0]
	if body.rows != int64(rows) || len(body.nodes) != len(s.columns) {
		return nil, corruptChunk("rows or columns are not those of the record")
	}
	buffers := body.buffers
	for i := range s.columns {
		array := inlinedArray{column: &s.columns[i]}
		taken := 2
		if array.column.form.isText() {
			taken = 3
		}
		if len(buffers) < taken || body.nodes[i].length != int64(rows) {
			return nil, corruptChunk("too few buffers or values")
		}
		if body.nodes[i].nulls != 0 {
			array.validity = buffers[0]
		}
		array.values = buffers[1]
		if taken == 3 {
			array.bytes = buffers[2]
		}
		if !array.holds(rows) {
			return nil, corruptChunk("a buffer is too short")
		}
		arrays, buffers = append(arrays, array), buffers[taken:]
	}
	return arrays, nil
}

// holds checks the sizes of the buffers, so that reading a value cannot go beyond them. Offsets are checked when they
// are used.
func (a *inlinedArray) holds(rows int) bool {
	bits := (rows + 7) / 8
	if len(a.validity) > 0 && len(a.validity) < bits {
		return false
	}
	switch {
	case rows == 0:
		return true
	case a.column.form == formBit:
		return len(a.values) >= bits
	case a.column.form.isText():
		return len(a.values) >= 4*(rows+1)
	}
	return len(a.values) >= rows*a.column.form.width()
}

func bit(bits []byte, i int) bool { return bits[i/8]>>(i%8)&1 == 1 }

// value reads a value; its text lies in the chunk.
func (a *inlinedArray) value(row int, strings *arena) (relation.Value, error) {
	if len(a.validity) > 0 && !bit(a.validity, row) {
		return relation.NULL, nil
	}
	if width := a.column.form.width(); width > 0 {
		return a.fixed(a.values[row*width:(row+1)*width], strings)
	}
	if a.column.form == formBit {
		return relation.Bool(bit(a.values, row)), nil
	}
	start, end := binary.LittleEndian.Uint32(a.values[4*row:]), binary.LittleEndian.Uint32(a.values[4*row+4:])
	if start > end || uint64(end) > uint64(len(a.bytes)) {
		return relation.NULL, corruptChunk("text beyond the end")
	}
	text := aliased(a.bytes[start:end])
	if a.column.form == formZonedTime {
		return parseZonedTime(text)
	}
	return relation.Text(text), nil
}

// The distance from 1970-01-01, where Arrow counts days from, to 2000-01-01, where PostgreSQL does.
const epochDays = 10_957

func (a *inlinedArray) fixed(raw []byte, strings *arena) (relation.Value, error) {
	little := binary.LittleEndian
	switch a.column.form {
	case formInt8:
		return relation.Int(int64(int8(raw[0]))), nil
	case formUint8:
		return relation.Int(int64(raw[0])), nil
	case formInt16:
		return relation.Int(int64(int16(little.Uint16(raw)))), nil
	case formUint16:
		return relation.Int(int64(little.Uint16(raw))), nil
	case formInt32:
		return relation.Int(int64(int32(little.Uint32(raw)))), nil
	case formUint32:
		return relation.Int(int64(little.Uint32(raw))), nil
	case formInt64:
		return relation.Int(int64(little.Uint64(raw))), nil
	case formUint64:
		return relation.Text(strings.keep(formatDecimal(little.Uint64(raw), 0, 0, make([]byte, 0, decimalText)))), nil
	case formFloat32:
		return relation.Float(float64(math.Float32frombits(little.Uint32(raw)))), nil
	case formFloat64:
		return relation.Float(math.Float64frombits(little.Uint64(raw))), nil
	case formDate:
		return relation.Int(int64(int32(little.Uint32(raw))) - epochDays), nil
	case formTimestamp:
		return relation.Int(a.column.micros(int64(little.Uint64(raw)))), nil
	case formDecimal:
		text := formatDecimal(little.Uint64(raw), little.Uint64(raw[8:]), a.column.scale, make([]byte, 0, decimalText))
		return relation.Text(strings.keep(text)), nil
	case formUUID:
		return relation.Text(aliased(raw)), nil
	}
	months, days := int32(little.Uint32(raw)), int32(little.Uint32(raw[4:]))
	return relation.Interval(int64(little.Uint64(raw[8:]))/nanosPerMicro, days, months), nil
}

const nanosPerMicro = 1000

// micros gives PostgreSQL's timestamp of Arrow's.
func (c *inlinedColumn) micros(stamp int64) int64 {
	if c.unit < 0 {
		return stamp*-c.unit - epochMicros
	}
	micros := stamp / c.unit
	if stamp%c.unit < 0 {
		micros--
	}
	return micros - epochMicros
}

// stamp is the inverse of micros, as far as the unit allows.
func (c *inlinedColumn) stamp(micros int64) int64 {
	if c.unit < 0 {
		return (micros + epochMicros) / -c.unit
	}
	return (micros + epochMicros) * c.unit
}

// arrayBuilder collects the values of one column of a new chunk.
type arrayBuilder struct {
	column   *inlinedColumn
	rows     int
	nulls    int64
	validity []byte
	values   []byte
	bytes    []byte
}

// fits tells whether a column's array can hold a value exactly.
func (c *inlinedColumn) fits(value relation.Value) bool {
	if value.IsNull() {
		return true
	}
	switch c.form {
	case formDecimal:
		_, _, ok := parseDecimal(value.Text(), c.scale)
		return ok
	case formDate:
		return value.Int() != math.MaxInt32 && value.Int() != math.MinInt32 && value.Int() <= math.MaxInt32-epochDays
	case formTimestamp:
		return value.Int() != math.MinInt64 && value.Int() <= math.MaxInt64-epochMicros && c.micros(c.stamp(value.Int())) == value.Int()
	case formUint64:
		_, high, ok := parseDecimal(value.Text(), 0)
		return ok && high == 0
	case formInt8:
		return int64(int8(value.Int())) == value.Int()
	case formUint8, formUint16, formUint32:
		return value.Int() >= 0 && value.Int()>>(8*c.form.width()) == 0
	case formInterval:
		micros, _, _ := value.Interval()
		return micros <= math.MaxInt64/nanosPerMicro && micros >= math.MinInt64/nanosPerMicro
	case formZonedTime:
		back, err := parseZonedTime(formatZonedTime(value))
		return err == nil && back == value
	}
	return true
}

// begin makes room for the bits of another value.
func (b *arrayBuilder) begin(null bool) {
	if b.rows%8 == 0 {
		b.validity = append(b.validity, 0)
		if b.column.form == formBit {
			b.values = append(b.values, 0)
		}
	}
	if null {
		b.nulls++
	} else {
		b.validity[b.rows/8] |= 1 << (b.rows % 8)
	}
}

// add appends a value that fits.
func (b *arrayBuilder) add(value relation.Value) {
	b.begin(value.IsNull())
	switch form := b.column.form; {
	case form == formBit:
		b.addBit(value.Bool())
	case form == formZonedTime && !value.IsNull():
		b.addText(formatZonedTime(value))
	case form.isText():
		b.addText(value.Text())
	default:
		b.addFixed(value)
	}
	b.rows++
}

// copy appends a value of another array of the column as it is.
func (b *arrayBuilder) copy(from *inlinedArray, row int) error {
	null := len(from.validity) > 0 && !bit(from.validity, row)
	b.begin(null)
	switch form := b.column.form; {
	case form == formBit:
		b.addBit(bit(from.values, row))
	case form.isText():
		start, end := binary.LittleEndian.Uint32(from.values[4*row:]), binary.LittleEndian.Uint32(from.values[4*row+4:])
		if start > end || uint64(end) > uint64(len(from.bytes)) {
			return corruptChunk("text beyond the end")
		}
		b.addText(aliased(from.bytes[start:end]))
	default:
		b.values = append(b.values, from.values[row*form.width():(row+1)*form.width()]...)
	}
	b.rows++
	return nil
}

func (b *arrayBuilder) addBit(set bool) {
	if set {
		b.values[b.rows/8] |= 1 << (b.rows % 8)
	}
}

func (b *arrayBuilder) addText(text string) {
	if len(b.values) == 0 {
		b.values = binary.LittleEndian.AppendUint32(b.values, 0)
	}
	b.bytes = append(b.bytes, text...)
	b.values = binary.LittleEndian.AppendUint32(b.values, uint32(len(b.bytes)))
}

func (b *arrayBuilder) addFixed(value relation.Value) {
	little := binary.LittleEndian
	if value.IsNull() {
		b.values = append(b.values, make([]byte, b.column.form.width())...)
		return
	}
	switch b.column.form {
	case formInt8, formUint8:
		b.values = append(b.values, byte(value.Int()))
	case formInt16, formUint16:
		b.values = little.AppendUint16(b.values, uint16(value.Int()))
	case formInt32, formUint32:
		b.values = little.AppendUint32(b.values, uint32(value.Int()))
	case formInt64:
		b.values = little.AppendUint64(b.values, uint64(value.Int()))
	case formFloat32:
		b.values = little.AppendUint32(b.values, math.Float32bits(float32(value.Float())))
	case formFloat64:
		b.values = little.AppendUint64(b.values, math.Float64bits(value.Float()))
	case formDate:
		b.values = little.AppendUint32(b.values, uint32(value.Int()+epochDays))
	case formTimestamp:
		b.values = little.AppendUint64(b.values, uint64(b.column.stamp(value.Int())))
	case formUint64:
		low, _, _ := parseDecimal(value.Text(), 0)
		b.values = little.AppendUint64(b.values, low)
	case formDecimal:
		low, high, _ := parseDecimal(value.Text(), b.column.scale)
		b.values = little.AppendUint64(little.AppendUint64(b.values, low), high)
	case formUUID:
		b.values = append(b.values, value.Text()...)
	case formInterval:
		micros, days, months := value.Interval()
		b.values = little.AppendUint32(little.AppendUint32(b.values, uint32(months)), uint32(days))
		b.values = little.AppendUint64(b.values, uint64(micros*nanosPerMicro))
	}
}

// chunkBuilder collects the rows of a new chunk.
type chunkBuilder struct {
	arrays []arrayBuilder
	rows   int
}

func (s *inlinedSchema) newChunk() *chunkBuilder {
	builder := &chunkBuilder{arrays: make([]arrayBuilder, len(s.columns))}
	for i := range s.columns {
		builder.arrays[i].column = &s.columns[i]
	}
	return builder
}

// add appends the user columns of a row, which fit.
func (b *chunkBuilder) add(row relation.Row) {
	for i := range b.arrays {
		b.arrays[i].add(row[headColumns+i])
	}
	b.rows++
}

// copy appends a row of another chunk.
func (b *chunkBuilder) copy(from []inlinedArray, row int) error {
	for i := range b.arrays {
		if err := b.arrays[i].copy(&from[i], row); err != nil {
			return err
		}
	}
	b.rows++
	return nil
}

// body makes the body of the chunk.
func (b *chunkBuilder) body() []byte {
	body := chunkBody{rows: int64(b.rows)}
	for i := range b.arrays {
		array := &b.arrays[i]
		if array.nulls == 0 {
			array.validity = nil
		}
		body.nodes = append(body.nodes, chunkNode{length: int64(b.rows), nulls: array.nulls})
		body.buffers = append(body.buffers, array.validity, array.values)
		if array.column.form.isText() {
			body.buffers = append(body.buffers, array.bytes)
		}
	}
	return body.append(nil)
}
