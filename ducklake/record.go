package ducklake

import (
	"moraine/keyspace"
	"moraine/relation"
)

// record is a stored record being read or written: the ids of its entity, in the order of the key, and its message.
type record struct {
	ids     []uint64
	message keyspace.Message
}

// rowCodec turns the rows of one catalog table into parts of messages and back.
type rowCodec interface {
	// columns are those of DuckLake's own definition of the table.
	columns() []relation.Column
	// absent tells whether a message without the field of that place means NULL.
	absent(field int) bool
	// plain gives the number of the message's field for the place of a field, 0 where a scan cannot look at it alone.
	plain(field int) int
	// count gives the number of the table's rows in a message.
	count(message keyspace.Message) int
	// room makes room in a message for another row and gives its index; false when the message has no place for it.
	// valueOf gives the row's value of a column.
	room(message keyspace.Message, valueOf func(column string) relation.Value) (index int, ok bool)
	// write fills the row at the index.
	write(record *record, index int, layout *layout, row relation.Row)
	// reader makes a reader, which one goroutine at a time may use.
	reader() rowReader
}

// rowReader reads rows of one catalog table out of messages.
type rowReader interface {
	// read gives the columns, ordinals of the layout, of the row at the index. The values' strings lie in the message or
	// in strings.
	read(record *record, index int, layout *layout, columns []int, strings *arena, row relation.Row) error
}

// rowsOf is the codec of the rows R.
type rowsOf[R any] struct {
	fields    []field[R]
	countIn   func(keyspace.Message) int
	roomIn    func(message keyspace.Message, valueOf func(string) relation.Value) (int, bool)
	view      func(record *record, index int, scratch *R) *R
	extension func(*R) *keyspace.RowExtension
}

func (c *rowsOf[R]) columns() []relation.Column {
	columns := make([]relation.Column, len(c.fields))
	for i := range c.fields {
		columns[i] = c.fields[i].column
		columns[i].Number = int16(i + 1)
	}
	return columns
}

func (c *rowsOf[R]) absent(field int) bool { return c.fields[field].absent }

func (c *rowsOf[R]) plain(field int) int { return c.fields[field].plain }

func (c *rowsOf[R]) count(message keyspace.Message) int { return c.countIn(message) }

func (c *rowsOf[R]) room(message keyspace.Message, valueOf func(string) relation.Value) (int, bool) {
	return c.roomIn(message, valueOf)
}

func (c *rowsOf[R]) write(record *record, index int, layout *layout, row relation.Row) {
	var scratch R
	view := c.view(record, index, &scratch)
	extension := c.extension(view)
	*extension = keyspace.RowExtension{}
	for ordinal, value := range row {
		name := layout.columns[ordinal].Name
		switch at := layout.fields[ordinal]; {
		case at >= 0:
			if !c.fields[at].set(view, value) {
				extension.NullColumns = append(extension.NullColumns, name)
			}
		case !value.IsNull():
			extension.ExtraColumns = append(extension.ExtraColumns, keyspace.ExtraColumn{
				Name: name, Value: keyspace.Some(encodeValue(value)),
			})
		}
	}
}

func (c *rowsOf[R]) reader() rowReader { return &readerOf[R]{codec: c} }

type readerOf[R any] struct {
	codec   *rowsOf[R]
	scratch R
}

func (r *readerOf[R]) read(record *record, index int, layout *layout, columns []int, strings *arena, row relation.Row) error {
	view := r.codec.view(record, index, &r.scratch)
	for i, ordinal := range columns {
		at := layout.fields[ordinal]
		if at < 0 {
			row[i] = relation.NULL
			continue
		}
		value, err := r.codec.fields[at].get(view, strings)
		if err != nil {
			return err
		}
		row[i] = value
	}
	if extension := r.codec.extension(view); !extension.Empty() {
		return applyExtension(extension, layout, columns, row)
	}
	return nil
}

// applyExtension puts into a row what the fields of its message could not say.
func applyExtension(extension *keyspace.RowExtension, layout *layout, columns []int, row relation.Row) error {
	for i, ordinal := range columns {
		name := layout.columns[ordinal].Name
		for _, null := range extension.NullColumns {
			if null == name {
				row[i] = relation.NULL
			}
		}
		if layout.fields[ordinal] >= 0 {
			continue
		}
		for j := range extension.ExtraColumns {
			extra := &extension.ExtraColumns[j]
			if extra.Name != name || !extra.Value.Set {
				continue
			}
			value, err := decodeValue(extra.Value.Value)
			if err != nil {
				return err
			}
			row[i] = value
		}
	}
	return nil
}

// oneRow and roomForOne are for messages that always hold exactly one row of the table.
func oneRow(keyspace.Message) int { return 1 }

func roomForOne(keyspace.Message, func(string) relation.Value) (int, bool) { return 0, true }

// message is a message type M, by pointer.
type message[M any] interface {
	*M
	keyspace.Message
}

// parentRows is the codec of rows that are a whole message each.
func parentRows[M any, P message[M]](extension func(*M) *keyspace.RowExtension, fields ...field[M]) rowCodec {
	return &rowsOf[M]{
		fields: fields, countIn: oneRow, roomIn: roomForOne, extension: extension,
		view: func(record *record, _ int, _ *M) *M { return (*M)(record.message.(P)) },
	}
}

// embeddedRow is a row that is a message C embedded in a message P.
type embeddedRow[P, C any] struct {
	ids    []uint64
	parent *P
	child  *C
}

// embeddedRows is the codec of rows that are a list of messages in another.
func embeddedRows[P, C any, M message[P]](list func(*P) *[]C, extension func(*C) *keyspace.RowExtension, fields ...field[embeddedRow[P, C]]) rowCodec {
	return &rowsOf[embeddedRow[P, C]]{
		fields:  fields,
		countIn: func(m keyspace.Message) int { return len(*list((*P)(m.(M)))) },
		roomIn: func(m keyspace.Message, _ func(string) relation.Value) (int, bool) {
			children := list((*P)(m.(M)))
			var child C
			*children = append(*children, child)
			return len(*children) - 1, true
		},
		view: func(record *record, index int, scratch *embeddedRow[P, C]) *embeddedRow[P, C] {
			parent := (*P)(record.message.(M))
			*scratch = embeddedRow[P, C]{ids: record.ids, parent: parent, child: &(*list(parent))[index]}
			return scratch
		},
		extension: func(row *embeddedRow[P, C]) *keyspace.RowExtension { return extension(row.child) },
	}
}

// keyedRows is the codec of rows that are a whole message and have columns that only the record's key holds.
func keyedRows[M any, P message[M]](extension func(*M) *keyspace.RowExtension, fields ...field[embeddedRow[M, M]]) rowCodec {
	return &rowsOf[embeddedRow[M, M]]{
		fields: fields, countIn: oneRow, roomIn: roomForOne,
		view: func(record *record, _ int, scratch *embeddedRow[M, M]) *embeddedRow[M, M] {
			m := (*M)(record.message.(P))
			*scratch = embeddedRow[M, M]{ids: record.ids, parent: m, child: m}
			return scratch
		},
		extension: func(row *embeddedRow[M, M]) *keyspace.RowExtension { return extension(row.child) },
	}
}
