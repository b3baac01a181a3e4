package keyspace

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// parser is the reading half of the protobuf wire format. A message loops over [parser.next] and takes each field by its
// type; the first thing that is wrong stops the parser and is kept.
type parser struct {
	data     []byte
	number   protowire.Number
	wireType protowire.Type
	aliased  bool // strings and byte slices lie in data

	failure     string
	failedField protowire.Number
}

// What is wrong with a field.
const (
	malformedTag     = "malformed tag"
	malformedVarint  = "malformed varint"
	malformedLength  = "length beyond the end"
	malformedUnknown = "malformed unknown field"
	malformedText    = "not UTF-8"
	malformedRowID   = "expected 8 bytes"
	malformedNothing = "expected no bytes"
	unexpectedType   = "unexpected wire type"
)

func (p *parser) fail(failure string) {
	if p.failure == "" {
		p.failure, p.failedField = failure, p.number
	}
	p.data = nil
}

// next moves to the next field; false at the end and after a failure.
func (p *parser) next() bool {
	if len(p.data) == 0 {
		return false
	}
	tag := uint64(p.data[0])
	if tag < 0x80 {
		p.data = p.data[1:]
	} else {
		var size int
		tag, size = protowire.ConsumeVarint(p.data)
		if size < 0 {
			p.fail(malformedTag)
			return false
		}
		p.data = p.data[size:]
	}
	p.number, p.wireType = protowire.DecodeTag(tag)
	if !p.number.IsValid() {
		p.number = 0
		p.fail(malformedTag)
		return false
	}
	return true
}

// skip passes over a field that the message does not know.
func (p *parser) skip() {
	size := protowire.ConsumeFieldValue(p.number, p.wireType, p.data)
	if size < 0 {
		p.fail(malformedUnknown)
		return
	}
	p.data = p.data[size:]
}

func (p *parser) uint64() uint64 {
	if p.wireType != protowire.VarintType {
		p.fail(unexpectedType)
		return 0
	}
	return p.varint()
}

func (p *parser) varint() uint64 {
	if len(p.data) > 0 && p.data[0] < 0x80 {
		value := uint64(p.data[0])
		p.data = p.data[1:]
		return value
	}
	value, size := protowire.ConsumeVarint(p.data)
	if size < 0 {
		p.fail(malformedVarint)
		return 0
	}
	p.data = p.data[size:]
	return value
}

func (p *parser) int64() int64 { return int64(p.uint64()) }

func (p *parser) bool() bool { return p.uint64() != 0 }

// span gives the content of a field with a length, inside data.
func (p *parser) span() []byte {
	if p.wireType != protowire.BytesType {
		p.fail(unexpectedType)
		return nil
	}
	length := p.varint()
	if length > uint64(len(p.data)) {
		p.fail(malformedLength)
		return nil
	}
	content := p.data[:length:length]
	p.data = p.data[length:]
	return content
}

func (p *parser) string() string {
	content := p.span()
	if len(content) == 0 {
		return ""
	}
	if !utf8.Valid(content) {
		p.fail(malformedText)
		return ""
	}
	text := unsafe.String(unsafe.SliceData(content), len(content))
	if p.aliased {
		return text
	}
	return strings.Clone(text)
}

func (p *parser) bytes() []byte {
	content := p.span()
	if len(content) == 0 {
		return nil
	}
	if p.aliased {
		return content
	}
	return bytes.Clone(content)
}

func (p *parser) optionalUint64() Optional[uint64] { return Some(p.uint64()) }

func (p *parser) optionalBool() Optional[bool] { return Some(p.bool()) }

func (p *parser) optionalString() Optional[string] { return Some(p.string()) }

// listUint64 reads one element or a packed run of them.
func (p *parser) listUint64(list []uint64) []uint64 {
	if p.wireType == protowire.VarintType {
		return append(list, p.varint())
	}
	outside := p.enter()
	for len(p.data) > 0 {
		list = append(list, p.varint())
	}
	p.leave(outside)
	return list
}

func (p *parser) listBool(list []bool) []bool {
	if p.wireType == protowire.VarintType {
		return append(list, p.varint() != 0)
	}
	outside := p.enter()
	for len(p.data) > 0 {
		list = append(list, p.varint() != 0)
	}
	p.leave(outside)
	return list
}

// enter limits the parser to the content of the current field and gives what follows it, for leave.
func (p *parser) enter() (outside []byte) {
	content := p.span()
	outside = p.data
	p.data = content
	return outside
}

func (p *parser) leave(outside []byte) {
	if p.failure == "" {
		p.data = outside
	}
}

// parseEmbedded reads a message inside the current one. When the field comes twice, the last one counts.
func parseEmbedded[T any, Pointer embedded[T]](p *parser, m Pointer) {
	field := p.number
	outside := p.enter()
	if p.failure != "" {
		return
	}
	m.decode(p)
	if p.failure != "" {
		p.failure = fmt.Sprintf("field %d inside: %s", p.failedField, p.failure)
		p.failedField = field
	}
	p.leave(outside)
}

// parseElement reads one more message of a list. Room that the list already has is used again, and so are the slices of the
// messages in it.
func parseElement[T any, Pointer embedded[T]](p *parser, list []T) []T {
	if len(list) < cap(list) {
		list = list[:len(list)+1]
	} else {
		var element T
		list = append(list, element)
	}
	parseEmbedded(p, Pointer(&list[len(list)-1]))
	return list
}
