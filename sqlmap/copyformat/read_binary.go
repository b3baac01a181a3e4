package copyformat

import (
	"encoding/binary"
	"io"

	"moraine/relation"
	"moraine/sqlmap/function"
)

// Flags of the header: bits 16 to 31 are critical, and bit 16 tells that the tuples have OIDs.
const (
	criticalFlags = 0xffff0000
	oidFlag       = 1 << 16
)

// binaryReader reads the binary format. Tuples may be cut anywhere between the pieces of the source.
type binaryReader struct {
	input
	layout Layout
	begun  bool
	// finished tells that the trailer has been read.
	finished bool
	line     int
}

// take gives the next bytes; fewer than asked for are an error.
func (r *binaryReader) take(count int, missing string) ([]byte, error) {
	for len(r.data)-r.start < count {
		more, err := r.more()
		if err != nil {
			return nil, err
		}
		if !more {
			return nil, bad("%s", missing)
		}
	}
	r.start += count
	return r.data[r.start-count : r.start], nil
}

func (r *binaryReader) header() error {
	mark, err := r.take(len(signature), "COPY file signature not recognized")
	if err != nil {
		return err
	}
	if string(mark) != signature {
		return bad("COPY file signature not recognized")
	}
	raw, err := r.take(4, "invalid COPY file header (missing flags)")
	if err != nil {
		return err
	}
	switch flags := binary.BigEndian.Uint32(raw); {
	case flags&oidFlag != 0:
		return bad("invalid COPY file header (WITH OIDS)")
	case flags&criticalFlags != 0:
		return bad("unrecognized critical flags in COPY file header")
	}
	raw, err = r.take(4, "invalid COPY file header (missing length)")
	if err != nil {
		return err
	}
	length := int32(binary.BigEndian.Uint32(raw))
	if length < 0 {
		return bad("invalid COPY file header (wrong length)")
	}
	_, err = r.take(int(length), "invalid COPY file header (wrong length)")
	return err
}

// Next reads a tuple.
func (r *binaryReader) Next(row relation.Row) error {
	if r.finished {
		return io.EOF
	}
	if !r.begun {
		r.begun = true
		if err := r.header(); err != nil {
			return err
		}
	}
	r.line++
	if err := r.tuple(row); err != nil && err != io.EOF {
		return where(err, r.layout.place(r.line))
	} else if err == io.EOF {
		return err
	}
	return nil
}

// Line is the number of the row.
func (r *binaryReader) Line() int { return r.line }

// Context names the tuple.
func (r *binaryReader) Context() string { return r.layout.place(r.line) }

func (r *binaryReader) tuple(row relation.Row) error {
	if r.start == len(r.data) {
		// The data may end without a trailer, as after PostgreSQL's protocol 2.
		if more, err := r.more(); err != nil {
			return err
		} else if !more {
			r.finished = true
			return io.EOF
		}
	}
	raw, err := r.take(2, "unexpected EOF in COPY data")
	if err != nil {
		return err
	}
	count := int16(binary.BigEndian.Uint16(raw))
	if count == -1 {
		r.finished = true
		return r.trailer()
	}
	if int(count) != len(row) {
		return bad("row field count is %d, expected %d", count, len(row))
	}
	for i := range row {
		if row[i], err = r.field(i); err != nil {
			return err
		}
	}
	return nil
}

// trailer reads on to the end of the data, where nothing may follow.
func (r *binaryReader) trailer() error {
	for {
		if r.start < len(r.data) {
			return bad("received copy data after EOF marker")
		}
		more, err := r.more()
		if err != nil {
			return err
		}
		if !more {
			return io.EOF
		}
	}
}

func (r *binaryReader) field(i int) (relation.Value, error) {
	raw, err := r.take(4, "unexpected EOF in COPY data")
	if err != nil {
		return relation.NULL, err
	}
	length := int32(binary.BigEndian.Uint32(raw))
	switch {
	case length == -1:
		return relation.NULL, nil
	case length < 0 || length > MaximumRowBytes:
		return relation.NULL, bad("invalid field size")
	}
	if raw, err = r.take(int(length), "unexpected EOF in COPY data"); err != nil {
		return relation.NULL, err
	}
	value, err := function.ParseBinary(r.layout.Types[i], raw)
	if err != nil {
		return value, where(err, r.layout.place(r.line)+", column "+r.layout.Columns[i])
	}
	return value, nil
}
