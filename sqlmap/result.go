package sqlmap

import "context"

// Field describes one column of a result, as in RowDescription.
type Field struct {
	Name         string
	TableOID     uint32
	Number       int16 // attnum in the table; 0 when not a plain column
	TypeOID      uint32
	TypeSize     int16
	TypeModifier int32
	Format       int16 // 0 text, 1 binary
}

// Formats of values on the wire.
const (
	TextFormat   int16 = 0
	BinaryFormat int16 = 1
)

// ResultWriter takes what statements give. It is called from the goroutine that runs the statement only.
type ResultWriter interface {
	// Fields writes a RowDescription.
	Fields(fields []Field) error
	// Row writes a DataRow: encode appends the body, that is the int16 count of values, then each value's int32 length
	// (-1 for NULL) and bytes. On an error of encode nothing is written.
	Row(encode func(buffer []byte) ([]byte, error)) error
	// Complete writes a CommandComplete.
	Complete(tag string) error
	// Empty writes an EmptyQueryResponse.
	Empty() error
	// Notice writes a NoticeResponse.
	Notice(notice error) error

	// CopyOut writes a CopyOutResponse for that many columns, all in format 1 when binary.
	CopyOut(binary bool, columns int) error
	// CopyData writes one CopyData: encode appends its whole content.
	CopyData(encode func(buffer []byte) ([]byte, error)) error
	// CopyOutDone writes a CopyDone.
	CopyOutDone() error
	// CopyIn writes a CopyInResponse, flushes, and gives the data that the client sends.
	CopyIn(binary bool, columns int) (CopyReader, error)
}

// CopyReader gives the contents of the client's CopyData messages.
type CopyReader interface {
	// Next gives the content of the next CopyData, valid until the next call; io.EOF after CopyDone; 57014 after CopyFail
	// with the client's reason.
	Next(ctx context.Context) ([]byte, error)
}
