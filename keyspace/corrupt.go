package keyspace

import (
	"errors"
	"fmt"
)

// ErrCorrupt says that a key or a value is not what this package, or the original, could have written. Errors of decoding
// wrap it and say what was expected and found.
var ErrCorrupt = errors.New("keyspace: corrupt")

// maxShownKey bounds the bytes of a refused key that its error shows in hexadecimal.
const maxShownKey = 256

func corruptKey(key []byte, reason string) error {
	if len(key) > maxShownKey {
		return fmt.Errorf("%w: key %x... (%d bytes): %s", ErrCorrupt, key[:maxShownKey], len(key), reason)
	}
	return fmt.Errorf("%w: key %x: %s", ErrCorrupt, key, reason)
}
