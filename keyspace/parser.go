package keyspace

import (
	"bytes"
	"errors"
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
	err      error
}

// What is wrong with a field.
var (
	errTag      = errors.New("malformed tag")
	errVarint   = errors.New("malformed varint")
	errLength   = errors.New("length beyond the end")
	errUnknown  = errors.New("malformed unknown field")
	errText     = errors.New("not UTF-8")
	errWireType = errors.New("unexpected wire type")
)

// fail keeps the first error, with the field that has it, and stops the parser.
func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = fmt.Errorf("field %d: %w", p.number, err)
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
			p.number = 0
			p.fail(errTag)
			return false
		}
		p.data = p.data[size:]
	}
	p.number, p.wireType = protowire.DecodeTag(tag)
	if !p.number.IsValid() {
		p.number = 0
		p.fail(errTag)
		return false
	}
	return true
}

// skip passes over a field that the message does not know.
func (p *parser) skip() {
	size := protowire.ConsumeFieldValue(p.number, p.wireType, p.data)
	if size < 0 {
		p.fail(errUnknown)
		return
	}
	p.data = p.data[size:]
}

// keep passes over a field that the message does not know, and appends it to those that it keeps.
func (p *parser) keep(kept []byte) []byte {
	before := p.data
	if p.skip(); p.err != nil {
		return kept
	}
	kept = protowire.AppendTag(kept, p.number, p.wireType)
	return append(kept, before[:len(before)-len(p.data)]...)
}

func (p *parser) uint64() uint64 {
	if p.wireType != protowire.VarintType {
		p.fail(errWireType)
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
		p.fail(errVarint)
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
		p.fail(errWireType)
		return nil
	}
	length := p.varint()
	if length > uint64(len(p.data)) {
		p.fail(errLength)
		return nil
	}
	content := p.data[:length:length]
	p.data = p.data[length:]
	return content
}

func (p *parser) string() string {
	content := p.span()
	if !utf8.Valid(content) {
		p.fail(errText)
		return ""
	}
	return p.text(content)
}

// text gives bytes as a string.
func (p *parser) text(content []byte) string {
	if len(content) == 0 {
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

// optionalOpaque reads bytes that need not be text.
func (p *parser) optionalOpaque() Optional[string] { return Some(p.text(p.span())) }

// listUint64 reads one element or a packed run of them.
func (p *parser) listUint64(list []uint64) []uint64 {
	if p.wireType == protowire.VarintType {
		return append(list, p.varint())
	}
	for elements := p.span(); len(elements) > 0; {
		element, size := protowire.ConsumeVarint(elements)
		if size < 0 {
			p.fail(errVarint)
			break
		}
		list, elements = append(list, element), elements[size:]
	}
	return list
}

func (p *parser) listBool(list []bool) []bool {
	if p.wireType == protowire.VarintType {
		return append(list, p.varint() != 0)
	}
	for elements := p.span(); len(elements) > 0; {
		element, size := protowire.ConsumeVarint(elements)
		if size < 0 {
			p.fail(errVarint)
			break
		}
		list, elements = append(list, element != 0), elements[size:]
	}
	return list
}

// parseEmbedded reads a message inside the current one. When the field comes twice, the last one counts.
func parseEmbedded[T any, Pointer embedded[T]](p *parser, m Pointer) {
	if err := m.decode(p.span(), p.aliased); err != nil {
		p.fail(err)
	}
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
