package execute

import (
	"encoding/binary"

	"moraine/relation"
	"moraine/sqlmap/function"
)

// keyWriter makes strings that are equal for rows whose key values are equal. NULLs are equal to each other.
type keyWriter struct {
	hash []func(dst []byte, v relation.Value) []byte
	raw  []byte
}

func newKeyWriter(types []relation.Type) keyWriter {
	w := keyWriter{hash: make([]func([]byte, relation.Value) []byte, len(types))}
	for i, of := range types {
		w.hash[i] = function.HashKeyer(of.OID)
	}
	return w
}

// write gives the key of values; the bytes are valid until the next call.
func (w *keyWriter) write(values []relation.Value) []byte {
	w.raw = w.raw[:0]
	for i := range w.hash {
		w.add(i, values[i])
	}
	return w.raw
}

func (w *keyWriter) add(i int, value relation.Value) {
	if value.IsNull() {
		w.raw = append(w.raw, 0)
		return
	}
	w.raw = append(w.raw, 1, 0, 0, 0, 0)
	start := len(w.raw)
	w.raw = w.hash[i](w.raw, value)
	binary.BigEndian.PutUint32(w.raw[start-4:], uint32(len(w.raw)-start))
}
