package sqlmap

import (
	"context"
	"encoding/binary"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/encoding"
	"moraine/sqlmap/function"
)

// EncodeText gives a text of an error, a name or a tag in the client's encoding.
func (s *Session) EncodeText(text string) string {
	if s.derived.encoding == nil {
		return text
	}
	return s.derived.encoding.Encode(text)
}

// decodeText reads a text that came in the client's encoding.
func (s *Session) decodeText(text string) (string, error) {
	if s.derived.encoding == nil {
		return text, nil
	}
	return s.derived.encoding.Decode(text)
}

// binaryText tells what the binary format of a type has in the client's encoding: all of it, or parts among others.
func binaryText(oid uint32) (all, parts bool) {
	switch oid {
	case relation.TextOID, relation.VarcharOID, relation.BPCharOID, relation.NameOID, relation.JSONOID, relation.JSONBOID, relation.UnknownOID:
		return true, false
	case relation.RecordOID:
		return false, true
	}
	element := function.ElementType(relation.Type{OID: oid, Modifier: -1})
	if element.OID == 0 {
		return false, false
	}
	all, parts = binaryText(element.OID)
	return false, all || parts
}

// inEncoding makes a parameter's value one in UTF-8.
func (s *Session) inEncoding(raw []byte, of relation.Type, format int16) ([]byte, error) {
	if s.derived.encoding == nil {
		return raw, nil
	}
	if format == BinaryFormat {
		all, parts := binaryText(of.OID)
		if parts {
			return nil, unencoded(of.OID)
		}
		if !all {
			return raw, nil
		}
	}
	text, err := s.derived.encoding.Decode(string(raw))
	return []byte(text), err
}

func unencoded(oid uint32) error {
	return pgerror.Unsupported("the binary format of " + function.FormatType(relation.Type{OID: oid, Modifier: -1}) + " in this client encoding").
		WithHint("Set client_encoding to UTF8.")
}

// encodedRows writes rows in the client's encoding.
type encodedRows struct {
	writer   *rowWriter
	encoding *encoding.Encoding
	fields   []Field
	scratch  []byte
}

func (r *encodedRows) appendRow(buffer []byte) ([]byte, error) {
	row, err := r.writer.appendRow(r.scratch[:0])
	r.scratch = row
	if err != nil {
		return buffer, err
	}
	buffer, row = append(buffer, row[:2]...), row[2:]
	for i := range r.fields {
		length := binary.BigEndian.Uint32(row)
		buffer, row = append(buffer, row[:4]...), row[4:]
		if length == nullLength {
			continue
		}
		start := len(buffer)
		if buffer, err = r.appendValue(buffer, row[:length], &r.fields[i]); err != nil {
			return buffer, err
		}
		binary.BigEndian.PutUint32(buffer[start-4:], uint32(len(buffer)-start))
		row = row[length:]
	}
	return buffer, nil
}

func (r *encodedRows) appendValue(buffer, value []byte, field *Field) ([]byte, error) {
	if field.Format == BinaryFormat {
		all, parts := binaryText(field.TypeOID)
		if parts {
			return buffer, unencoded(field.TypeOID)
		}
		if !all {
			return append(buffer, value...), nil
		}
	}
	return r.encoding.Append(buffer, value)
}

// encodedCopy shows COPY data in UTF-8 that the client has in its own encoding.
type encodedCopy struct {
	ResultWriter
	encoding *encoding.Encoding
	reader   CopyReader
	scratch  []byte
}

// copyWriter gives the writer for COPY data.
func (s *Session) copyWriter(inBinary bool) (ResultWriter, error) {
	if s.derived.encoding == nil {
		return s.out, nil
	}
	if inBinary {
		return nil, pgerror.Unsupported("binary COPY in this client encoding").WithHint("Set client_encoding to UTF8.")
	}
	return &encodedCopy{ResultWriter: s.out, encoding: s.derived.encoding}, nil
}

// CopyData writes data in the client's encoding.
func (c *encodedCopy) CopyData(encode func([]byte) ([]byte, error)) error {
	return c.ResultWriter.CopyData(func(buffer []byte) ([]byte, error) {
		var err error
		if c.scratch, err = encode(c.scratch[:0]); err != nil {
			return buffer, err
		}
		return c.encoding.Append(buffer, c.scratch)
	})
}

// CopyIn begins a COPY FROM STDIN.
func (c *encodedCopy) CopyIn(inBinary bool, columns int) (CopyReader, error) {
	reader, err := c.ResultWriter.CopyIn(inBinary, columns)
	c.reader = reader
	return c, err
}

// Next gives the next piece of the data in UTF-8.
func (c *encodedCopy) Next(ctx context.Context) ([]byte, error) {
	piece, err := c.reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	text, err := c.encoding.Decode(string(piece))
	return []byte(text), err
}
