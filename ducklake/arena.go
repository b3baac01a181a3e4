package ducklake

import "unsafe"

// The sizes of the blocks that an arena allocates: they double, so that a short scan costs little.
const (
	firstArenaBlock = 2 << 10
	largeArenaBlock = 64 << 10
)

// arena keeps the bytes that the strings of a scan lie in. Its strings stay valid as long as they are referred to; one
// keeps its whole block alive.
type arena struct {
	block []byte
}

// copy gives a copy of the bytes that nobody changes any more.
func (a *arena) copy(content []byte) []byte {
	if len(content) > cap(a.block)-len(a.block) {
		size := min(max(firstArenaBlock, 2*cap(a.block)), largeArenaBlock)
		a.block = make([]byte, 0, max(size, len(content)))
	}
	start := len(a.block)
	a.block = append(a.block, content...)
	return a.block[start:len(a.block):len(a.block)]
}

// keep gives a copy of the bytes as a string.
func (a *arena) keep(content []byte) string {
	if len(content) == 0 {
		return ""
	}
	return aliased(a.copy(content))
}

// aliased gives bytes that nobody changes any more as a string.
func aliased(content []byte) string { return unsafe.String(unsafe.SliceData(content), len(content)) }

// bytesOf gives a string as bytes, which must not be changed.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }
