package pebble

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"moraine/store"
)

// layoutVersion is the version of the keys described in the package comment.
const layoutVersion = 1

// numberSize is the length of a lake's number in front of its keys.
const numberSize = 8

const (
	versionTag byte = iota
	nextNumberTag
	lakeTag
)

var (
	versionKey    = ownKey(versionTag)
	nextNumberKey = ownKey(nextNumberTag)
	lakesPrefix   = ownKey(lakeTag)
)

// ownKey gives a key of the engine's own: number 0 and a tag.
func ownKey(tag byte) []byte { return append(make([]byte, numberSize, numberSize+1), tag) }

func numberValue(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

func registryKey(path store.Path) []byte {
	key := appendEscaped(bytes.Clone(lakesPrefix), path.Database)
	key = append(key, 0x00, 0x01)
	return appendEscaped(key, path.Schema)
}

func appendEscaped(key []byte, name string) []byte {
	for i := range len(name) {
		key = append(key, name[i])
		if name[i] == 0x00 {
			key = append(key, 0xff)
		}
	}
	return key
}

func parseRegistryKey(key []byte) (store.Path, error) {
	rest := key[len(lakesPrefix):]
	end := bytes.Index(rest, []byte{0x00, 0x01})
	if end < 0 {
		return store.Path{}, fmt.Errorf("%w: registry key %x", store.ErrCorrupt, key)
	}
	unescape := func(name []byte) string {
		return string(bytes.ReplaceAll(name, []byte{0x00, 0xff}, []byte{0x00}))
	}
	return store.Path{Database: unescape(rest[:end]), Schema: unescape(rest[end+2:])}, nil
}

// loadRegistry reads the registry into memory, where it stays: it holds one entry for each lake. In a new instance it
// writes the version of the layout.
func (e *Engine) loadRegistry() error {
	e.lakes, e.nextNumber = map[store.Path]*lake{}, 1
	own := &snapshot{pebble: e.db.NewSnapshot()}
	defer own.Close()
	version, found, err := own.Get(context.Background(), versionKey[numberSize:])
	switch {
	case err != nil:
		return err
	case !found:
		return e.initialize()
	case len(version) != 1 || version[0] != layoutVersion:
		return fmt.Errorf("%w: layout version %x, this program knows %d", store.ErrCorrupt, version, layoutVersion)
	}
	if number, found, err := own.Get(context.Background(), nextNumberKey[numberSize:]); err != nil {
		return err
	} else if found {
		if e.nextNumber, err = parseNumber(number); err != nil {
			return err
		}
	}
	return e.loadLakes(own)
}

func (e *Engine) initialize() error {
	batch := e.db.NewBatch()
	if err := batch.Set(versionKey, []byte{layoutVersion}, nil); err != nil {
		return translate(err)
	}
	return e.applyRecovered(batch)
}

func (e *Engine) loadLakes(own *snapshot) error {
	iterator, err := own.Scan(context.Background(), lakesPrefix[numberSize:], store.PrefixEnd(lakesPrefix[numberSize:]))
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.Next() {
		path, err := parseRegistryKey(append(make([]byte, numberSize), iterator.Key()...))
		if err != nil {
			return err
		}
		number, err := parseNumber(iterator.Value())
		if err != nil {
			return err
		}
		if number >= e.nextNumber || (number == 0) != (path.Schema == "") {
			return fmt.Errorf("%w: lake %v has number %d, the next one is %d", store.ErrCorrupt, path, number, e.nextNumber)
		}
		e.lakes[path] = &lake{number: number}
	}
	return iterator.Err()
}

func parseNumber(value []byte) (uint64, error) {
	if len(value) != numberSize {
		return 0, fmt.Errorf("%w: lake number of %d bytes", store.ErrCorrupt, len(value))
	}
	return binary.BigEndian.Uint64(value), nil
}
