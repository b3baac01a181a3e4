package keyspace

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// The fields of Moraine's extensions, far above those that the original gives out.
const (
	rowExtensionField     protowire.Number = 1000
	changesExtensionField protowire.Number = 1001 // of SnapshotValue, which holds two rows
)

// RowExtension keeps what a row has and the original's message has no place for, so that every row comes back as it was
// written. It is Moraine's extension, and absent from the record when empty.
type RowExtension struct {
	// NullColumns names the columns that are NULL although the message cannot say so.
	NullColumns []string
	// ExtraColumns are the columns that the message does not know, such as those of a later DuckLake.
	ExtraColumns []ExtraColumn
}

// ExtraColumn is a column that the message of its row does not know.
type ExtraColumn struct {
	Name  string
	Value Optional[string] // bytes that need not be UTF-8; absent is NULL
}

// Empty says that there is nothing to keep.
func (v *RowExtension) Empty() bool { return len(v.NullColumns) == 0 && len(v.ExtraColumns) == 0 }

// Null says that a column is NULL although the message cannot say so.
func (v *RowExtension) Null(column string) bool { return slices.Contains(v.NullColumns, column) }

// emptied gives the extension without content, and with the room of its slices.
func (v *RowExtension) emptied() RowExtension {
	return RowExtension{NullColumns: v.NullColumns[:0], ExtraColumns: v.ExtraColumns[:0]}
}

// Append appends the message to dst.
func (v *RowExtension) Append(dst []byte) []byte {
	dst = appendStrings(dst, 1, v.NullColumns)
	return appendEmbeddedList(dst, 2, v.ExtraColumns)
}

func (v *RowExtension) decode(payload []byte, aliased bool) error {
	*v = v.emptied()
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.NullColumns = append(v.NullColumns, p.string())
		case 2:
			v.ExtraColumns = parseElement(&p, v.ExtraColumns)
		default:
			p.skip()
		}
	}
	return p.err
}

// Append appends the message to dst.
func (v *ExtraColumn) Append(dst []byte) []byte {
	dst = appendString(dst, 1, v.Name)
	return appendOptionalString(dst, 2, v.Value)
}

func (v *ExtraColumn) decode(payload []byte, aliased bool) error {
	*v = ExtraColumn{}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.Name = p.string()
		case 2:
			v.Value = p.optionalOpaque()
		default:
			p.skip()
		}
	}
	return p.err
}

// appendExtension writes an extension, or nothing when it is empty.
func appendExtension(dst []byte, field protowire.Number, extension *RowExtension) []byte {
	if extension.Empty() {
		return dst
	}
	return appendEmbedded(dst, field, extension)
}
