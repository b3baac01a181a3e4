package ducklake

import (
	"encoding/binary"
	"fmt"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"

	"moraine/keyspace"
)

// A chunk's body is an Arrow record batch without the framing of a stream: the length of the message (4 bytes, little
// endian), the message as a flatbuffer, the buffers. The Arrow library reads and writes whole streams only, at many times
// the cost, so the message's few fields are handled here. Slots are those of Message.fbs of the Arrow format, version 1.

// Slots of the tables Message and RecordBatch.
const (
	messageVersionSlot    = 0
	messageHeaderTypeSlot = 1
	messageHeaderSlot     = 2
	messageLengthSlot     = 3
	messageSlots          = 5

	batchLengthSlot      = 0
	batchNodesSlot       = 1
	batchBuffersSlot     = 2
	batchCompressionSlot = 3
	batchSlots           = 5
)

const (
	metadataVersion5   = 4 // MetadataVersion.V5
	recordBatchHeader  = 3 // MessageHeader.RecordBatch
	structSize         = 16
	bufferAlignment    = 8
	lengthPrefix       = 4
	maxChunkColumns    = 1600 // PostgreSQL's limit of columns
	maxBuffersOfColumn = 3
)

// chunkNode is the length of an array and how many of its values are NULL.
type chunkNode struct {
	length, nulls int64
}

// chunkBody is the arrays of a chunk, not yet told apart by column.
type chunkBody struct {
	rows    int64
	nodes   []chunkNode
	buffers [][]byte
}

// flat reads a flatbuffer. Whatever the bytes are, it gives a result; bad tells that it was no flatbuffer.
type flat struct {
	data []byte
	bad  bool
}

func (f *flat) uint16(at int) int {
	if at < 0 || at+2 > len(f.data) {
		f.bad = true
		return 0
	}
	return int(binary.LittleEndian.Uint16(f.data[at:]))
}

func (f *flat) uint32(at int) int {
	if at < 0 || at+4 > len(f.data) {
		f.bad = true
		return 0
	}
	return int(binary.LittleEndian.Uint32(f.data[at:]))
}

func (f *flat) int64(at int) int64 {
	if at < 0 || at+8 > len(f.data) {
		f.bad = true
		return 0
	}
	return int64(binary.LittleEndian.Uint64(f.data[at:]))
}

// field gives the place of a table's field, 0 when the table does not have it.
func (f *flat) field(table, slot int) int {
	vtable := table - int(int32(f.uint32(table)))
	if offset := 4 + 2*slot; offset+2 <= f.uint16(vtable) {
		if at := f.uint16(vtable + offset); at != 0 {
			return table + at
		}
	}
	return 0
}

// vector gives the place of the first element and the number of elements of a vector of structs.
func (f *flat) vector(field int) (first, length int) {
	if field == 0 {
		return 0, 0
	}
	start := field + f.uint32(field)
	length = f.uint32(start)
	if length > maxChunkColumns*maxBuffersOfColumn || start+lengthPrefix+length*structSize > len(f.data) {
		f.bad = true
		return 0, 0
	}
	return start + lengthPrefix, length
}

// parse reads a body; its buffers lie in it. The slices of the chunkBody are used again.
func (c *chunkBody) parse(body []byte) error {
	c.nodes, c.buffers = c.nodes[:0], c.buffers[:0]
	if len(body) < lengthPrefix {
		return corruptChunk("no message")
	}
	length := uint64(binary.LittleEndian.Uint32(body))
	if length > uint64(len(body)-lengthPrefix) {
		return corruptChunk("message beyond the end")
	}
	message := flat{data: body[lengthPrefix : lengthPrefix+length]}
	data := body[lengthPrefix+length:]
	root := message.uint32(0)
	headerType := message.field(root, messageHeaderTypeSlot)
	if header := message.field(root, messageHeaderSlot); header != 0 && headerType != 0 && !message.bad &&
		message.data[headerType] == recordBatchHeader {
		c.parseBatch(&message, header+message.uint32(header), data)
	} else {
		message.bad = true
	}
	if message.bad {
		return corruptChunk("message is no record batch")
	}
	return nil
}

// parseRecord reads the body of a record, and compares its rows with what the record says of them.
func (c *chunkBody) parseRecord(header *keyspace.InlineChunkValue) error {
	if header.RowCount > math.MaxInt32 || header.RowIDStart > math.MaxInt64-header.RowCount {
		return corruptChunk("row ids beyond the limit")
	}
	if err := c.parse(header.Body); err != nil {
		return err
	}
	if c.rows != int64(header.RowCount) {
		return corruptChunk("rows are not those of the record")
	}
	return nil
}

func (c *chunkBody) parseBatch(message *flat, batch int, data []byte) {
	c.rows = 0
	if at := message.field(batch, batchLengthSlot); at != 0 {
		c.rows = message.int64(at)
	}
	if message.field(batch, batchCompressionSlot) != 0 {
		message.bad = true
	}
	first, length := message.vector(message.field(batch, batchNodesSlot))
	for i := range length {
		c.nodes = append(c.nodes, chunkNode{length: message.int64(first + i*structSize), nulls: message.int64(first + i*structSize + 8)})
	}
	first, length = message.vector(message.field(batch, batchBuffersSlot))
	for i := range length {
		offset, size := message.int64(first+i*structSize), message.int64(first+i*structSize+8)
		if offset < 0 || size < 0 || offset > int64(len(data)) || size > int64(len(data))-offset {
			message.bad = true
			return
		}
		c.buffers = append(c.buffers, data[offset:offset+size:offset+size])
	}
}

func corruptChunk(reason string) error {
	return fmt.Errorf("%w: Arrow chunk: %s", keyspace.ErrCorrupt, reason)
}

// append writes the body.
func (c *chunkBody) append(dst []byte) []byte {
	size := int64(0)
	for _, buffer := range c.buffers {
		size += int64(padded(len(buffer)))
	}
	message := c.message(size)
	length := padded(len(message))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(length))
	dst = append(dst, message...)
	dst = append(dst, make([]byte, length-len(message))...)
	for _, buffer := range c.buffers {
		dst = append(dst, buffer...)
		dst = append(dst, make([]byte, padded(len(buffer))-len(buffer))...)
	}
	return dst
}

func padded(size int) int { return (size + bufferAlignment - 1) &^ (bufferAlignment - 1) }

func (c *chunkBody) message(bodyLength int64) []byte {
	builder := flatbuffers.NewBuilder(256 + structSize*(len(c.nodes)+len(c.buffers)))
	builder.StartVector(structSize, len(c.nodes), 8)
	for i := len(c.nodes) - 1; i >= 0; i-- {
		builder.Prep(8, structSize)
		builder.PrependInt64(c.nodes[i].nulls)
		builder.PrependInt64(c.nodes[i].length)
	}
	nodes := builder.EndVector(len(c.nodes))
	builder.StartVector(structSize, len(c.buffers), 8)
	end := bodyLength
	for i := len(c.buffers) - 1; i >= 0; i-- {
		end -= int64(padded(len(c.buffers[i])))
		builder.Prep(8, structSize)
		builder.PrependInt64(int64(len(c.buffers[i])))
		builder.PrependInt64(end)
	}
	buffers := builder.EndVector(len(c.buffers))
	builder.StartObject(batchSlots)
	builder.PrependInt64Slot(batchLengthSlot, c.rows, 0)
	builder.PrependUOffsetTSlot(batchNodesSlot, nodes, 0)
	builder.PrependUOffsetTSlot(batchBuffersSlot, buffers, 0)
	batch := builder.EndObject()
	builder.StartObject(messageSlots)
	builder.PrependInt64Slot(messageLengthSlot, bodyLength, 0)
	builder.PrependUOffsetTSlot(messageHeaderSlot, batch, 0)
	builder.PrependInt16Slot(messageVersionSlot, metadataVersion5, 0)
	builder.PrependByteSlot(messageHeaderTypeSlot, recordBatchHeader, 0)
	builder.Finish(builder.EndObject())
	return builder.FinishedBytes()
}
