package layered

import (
	"bytes"

	"moraine/store"
)

// iterator merges a range of the state with the writes in it. The current pair is the first of the writes that are left, or
// the current one of the state.
type iterator struct {
	base    store.Iterator
	writes  writes // those before the current pair are gone
	started bool
	stored  bool // the state has a current pair
	written bool // the current pair is the first write
}

// Next moves to the next pair.
func (i *iterator) Next() bool {
	switch {
	case !i.started:
		i.started = true
		i.stored = i.base.Next()
	case i.written:
		i.writes = i.writes[1:]
	case i.stored:
		i.stored = i.base.Next()
	}
	return i.settle()
}

// SeekGE moves to the first pair at or after key.
func (i *iterator) SeekGE(key []byte) bool {
	if !i.started || i.stored && bytes.Compare(i.base.Key(), key) < 0 {
		i.started = true
		i.stored = i.base.SeekGE(key)
	}
	at, _ := i.writes.search(key)
	i.writes = i.writes[at:]
	return i.settle()
}

// settle finds the smaller of the two next keys, of which a write hides the stored pair, and passes over deletes.
func (i *iterator) settle() bool {
	for i.written = false; len(i.writes) > 0; i.writes = i.writes[1:] {
		if !i.stored && i.base.Err() != nil {
			return false
		}
		order := -1
		if i.stored {
			order = bytes.Compare(i.writes[0].Key, i.base.Key())
		}
		if order > 0 {
			return true
		}
		if order == 0 {
			i.stored = i.base.Next()
		}
		if !i.writes[0].Delete {
			i.written = true
			return true
		}
	}
	return i.stored
}

// Key gives the current key.
func (i *iterator) Key() []byte {
	if i.written {
		return i.writes[0].Key
	}
	return i.base.Key()
}

// Value gives the current value.
func (i *iterator) Value() []byte {
	if i.written {
		return i.writes[0].Value
	}
	return i.base.Value()
}

// Err gives the error that ended the iteration.
func (i *iterator) Err() error { return i.base.Err() }

// Close ends the iteration.
func (i *iterator) Close() error { return i.base.Close() }
