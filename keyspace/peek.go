package keyspace

import "google.golang.org/protobuf/encoding/protowire"

// PeekUint64 reads one plain uint64 field of a stored value and passes over all others; a field that is absent is 0. It
// tells a scan in a fraction of the time of decoding whether a record is worth that. ok is false for a value that is not
// well formed, which decoding then explains; what is well formed here may still be refused there.
func PeekUint64(value []byte, field int) (number uint64, ok bool) {
	if len(value) < frameSize || string(value[:len(frameMagic)]) != frameMagic || value[frameSize-1] != frameVersion {
		return 0, false
	}
	p := parser{data: value[frameSize:]}
	for p.next() {
		switch {
		case int(p.number) == field:
			number = p.uint64()
		case p.wireType == protowire.VarintType:
			p.varint()
		case p.wireType == protowire.BytesType:
			p.span()
		default:
			p.skip()
		}
	}
	return number, p.err == nil
}
