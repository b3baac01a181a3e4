package inspect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"moraine/keyspace"
	"moraine/store"
)

// Census is how much a lake holds.
type Census struct {
	Subspaces []Count // those that have keys, ascending
	Keys      int64
	Bytes     int64 // of keys and values, without what an engine needs for them
	// Checksum is the SHA-256, in hexadecimal, of the lines that [DumpHex] writes. So lakes with the same checksum hold the
	// same keys and values, on whichever engine.
	Checksum string
}

// Count is how much lies in one subspace.
type Count struct {
	Subspace keyspace.Subspace
	Keys     int64
	Bytes    int64
}

// Counter makes a census of the pairs that it is given. The zero Counter is not usable; see [NewCounter].
type Counter struct {
	counts [256]Count
	hash   hash.Hash
	lines  []byte
}

// hashedSize is how many bytes of lines are hashed at once.
const hashedSize = 64 << 10

// NewCounter makes a counter that has seen nothing.
func NewCounter() *Counter { return &Counter{hash: sha256.New()} }

// Add counts a pair; pairs come in the order of their keys.
func (c *Counter) Add(key, value []byte) {
	first := byte(0)
	if len(key) > 0 {
		first = key[0]
	}
	c.counts[first].Keys++
	c.counts[first].Bytes += int64(len(key) + len(value))
	c.lines = appendHexLine(c.lines, key, value)
	if len(c.lines) >= hashedSize {
		c.flush()
	}
}

func (c *Counter) flush() {
	c.hash.Write(c.lines) // never fails
	c.lines = c.lines[:0]
}

// Census gives what has been counted.
func (c *Counter) Census() Census {
	c.flush()
	census := Census{Checksum: hex.EncodeToString(c.hash.Sum(nil))}
	for first, count := range c.counts {
		if count.Keys == 0 {
			continue
		}
		count.Subspace = keyspace.Subspace(first)
		census.Subspaces = append(census.Subspaces, count)
		census.Keys += count.Keys
		census.Bytes += count.Bytes
	}
	return census
}

// cancelInterval is the number of records between two looks at the context.
const cancelInterval = 1 << 10

// each calls a function with every pair of a lake, in the order of the keys, until it gives an error.
func each(ctx context.Context, reader store.Reader, visit func(key, value []byte) error) error {
	pairs, err := reader.Scan(ctx, nil, nil)
	if err != nil {
		return err
	}
	defer pairs.Close()
	for count := 1; pairs.Next(); count++ {
		if err := visit(pairs.Key(), pairs.Value()); err != nil {
			return err
		}
		if count%cancelInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return pairs.Err()
}

// Take makes the census of a lake. The error is one of the store or the context's.
func Take(ctx context.Context, reader store.Reader) (Census, error) {
	counter := NewCounter()
	err := each(ctx, reader, func(key, value []byte) error {
		counter.Add(key, value)
		return nil
	})
	return counter.Census(), err
}
