package usertable

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/rowstore"
	"moraine/store"
)

// Limits of a transaction, in bytes of its uncommitted rows as they lie in memory.
const (
	// DefaultMemoryLimit is for the plain tables of a lake.
	DefaultMemoryLimit = 1 << 30
	// TemporaryMemoryLimit is for all temporary tables of a session.
	TemporaryMemoryLimit = 256 << 20
)

// parsedDefinitions bounds the definitions that are kept parsed.
const parsedDefinitions = 4096

// Catalog is the plain tables of one lake. It is safe for concurrent use.
type Catalog struct {
	mutex  sync.Mutex
	parsed map[string]*storedTable // by name, 0x00 and stored form
}

// Open makes the catalog of the lake that reader shows, of a schema; store.ErrCorrupt when the lake's subspace is not
// readable.
func Open(ctx context.Context, reader store.Reader, schema string) (*Catalog, error) {
	if _, err := readNumber(ctx, reader, tagged(counterTag)); err != nil {
		return nil, rowstore.Corrupt(schema, tagged(counterTag), err)
	}
	return &Catalog{parsed: map[string]*storedTable{}}, nil
}

// Begin gives the domain for one transaction.
func (c *Catalog) Begin(environment overlay.Environment) overlay.Domain {
	return newTransaction(c, environment, overlay.NewMemory(0, DefaultMemoryLimit, changesTooLarge))
}

// BeginTemporary gives the domain of a session's temporary tables for one transaction; used is the number of bytes that
// their committed rows take.
func (c *Catalog) BeginTemporary(environment overlay.Environment, used int64) *Transaction {
	return newTransaction(c, environment, overlay.NewMemory(used, TemporaryMemoryLimit, temporaryTablesTooLarge))
}

func changesTooLarge(limit int64) error {
	return pgerror.New(pgerror.ProgramLimitExceeded, "the transaction's changes take more than %d MiB of memory", limit>>20).
		WithHint("Commit in smaller parts.")
}

func temporaryTablesTooLarge(limit int64) error {
	return pgerror.New(pgerror.OutOfMemory, "the session's temporary tables take more than %d MiB", limit>>20).
		WithHint("Drop temporary tables, or use plain ones.")
}

// parse gives the parsed form of a stored definition.
func (c *Catalog) parse(environment overlay.Environment, name string, encoded []byte) (*storedTable, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	key := name + "\x00" + string(encoded)
	if known, found := c.parsed[key]; found {
		return known, nil
	}
	table, err := decodeTable(environment.Schema(), name, environment.OID(name), encoded)
	if err != nil {
		return nil, rowstore.Corrupt(environment.Schema(), definitionKey(name), err)
	}
	if len(c.parsed) >= parsedDefinitions {
		clear(c.parsed)
	}
	c.parsed[key] = table
	return table, nil
}

// readNumber reads a counter; 0 when there is none.
func readNumber(ctx context.Context, reader store.Reader, key []byte) (uint64, error) {
	value, found, err := reader.Get(ctx, key)
	switch {
	case err != nil || !found:
		return 0, err
	case len(value) != numberSize:
		return 0, fmt.Errorf("%w: a counter of %d bytes", store.ErrCorrupt, len(value))
	}
	return binary.BigEndian.Uint64(value), nil
}
