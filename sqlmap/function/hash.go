package function

import (
	"encoding/binary"
	"math/bits"

	"moraine/relation"
)

// hashStart is what the state of a hash begins with, beside the length of the key.
const hashStart = 0x9e3779b9 + 3923095

// lookupHash is Bob Jenkins' lookup3 over bytes, as hashtext and hashtextextended give it: the low word, and both words
// with a seed.
type lookupHash struct{ a, b, c uint32 }

func (h *lookupHash) mix() {
	h.a -= h.c
	h.a ^= bits.RotateLeft32(h.c, 4)
	h.c += h.b
	h.b -= h.a
	h.b ^= bits.RotateLeft32(h.a, 6)
	h.a += h.c
	h.c -= h.b
	h.c ^= bits.RotateLeft32(h.b, 8)
	h.b += h.a
	h.a -= h.c
	h.a ^= bits.RotateLeft32(h.c, 16)
	h.c += h.b
	h.b -= h.a
	h.b ^= bits.RotateLeft32(h.a, 19)
	h.a += h.c
	h.c -= h.b
	h.c ^= bits.RotateLeft32(h.b, 4)
	h.b += h.a
}

func (h *lookupHash) final() {
	h.c ^= h.b
	h.c -= bits.RotateLeft32(h.b, 14)
	h.a ^= h.c
	h.a -= bits.RotateLeft32(h.c, 11)
	h.b ^= h.a
	h.b -= bits.RotateLeft32(h.a, 25)
	h.c ^= h.b
	h.c -= bits.RotateLeft32(h.b, 16)
	h.a ^= h.c
	h.a -= bits.RotateLeft32(h.c, 4)
	h.b ^= h.a
	h.b -= bits.RotateLeft32(h.a, 14)
	h.c ^= h.b
	h.c -= bits.RotateLeft32(h.b, 24)
}

// hashBytes hashes a key; a seed of 0 changes nothing.
func hashBytes(key string, seed uint64) (high, low uint32) {
	start := uint32(len(key)) + hashStart
	h := lookupHash{start, start, start}
	if seed != 0 {
		h.a += uint32(seed >> 32)
		h.b += uint32(seed)
		h.mix()
	}
	for ; len(key) >= 12; key = key[12:] {
		h.a += binary.LittleEndian.Uint32([]byte(key[0:4]))
		h.b += binary.LittleEndian.Uint32([]byte(key[4:8]))
		h.c += binary.LittleEndian.Uint32([]byte(key[8:12]))
		h.mix()
	}
	words := [3]*uint32{&h.a, &h.b, &h.c}
	for i := range len(key) {
		place := i
		if i >= 8 {
			place++ // the lowest byte of the last word is kept for the length
		}
		*words[place/4] += uint32(key[i]) << (8 * (place % 4))
	}
	h.final()
	return h.b, h.c
}

// hashOf is hashtext, and hashtextextended with its seed.
func hashOf(extended bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if !extended {
			_, low := hashBytes(a[0].Text(), 0)
			return relation.Int(int64(int32(low))), nil
		}
		high, low := hashBytes(a[0].Text(), uint64(a[1].Int()))
		return relation.Int(int64(uint64(high)<<32 | uint64(low))), nil
	}
}
