package ducklake

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"moraine/ducklake/guard"
	"moraine/keyspace"
	"moraine/overlay"
	"moraine/pgerror"
	"moraine/store"
)

// Catalog is the catalog of one lake, for as long as the lake is open. Safe for concurrent use.
type Catalog struct {
	path store.Path
	// indexed tells that the lake has equality indexes of the original's.
	indexed bool
	// refuges tells that some refuge of the lake may have rows. It is raised before a commit that adds the first.
	refuges atomic.Bool

	mutex  sync.Mutex
	states map[stateKey]*state // the latest few, by what the store says identifies them
	// schemas are decoded schemas of inlined data, by their bytes.
	schemas map[string]*inlinedSchema

	directory   directory
	statistics  statisticsImages
	inlinedList inlinedList
	names       guard.Directory
	// unguarded lets commits pass that the guards would refuse. Only tests of what is stored set it, which write rows that
	// no client would.
	unguarded bool
}

// Open reads how the lake at a path is to be served. A lake that this package cannot serve is refused: one of an older
// format (0A000), one in the middle of a migration (55000), one of a format that is not known or cannot be read (XX001).
func Open(ctx context.Context, reader store.Reader, path store.Path) (*Catalog, error) {
	catalog := &Catalog{path: path, states: map[stateKey]*state{}, schemas: map[string]*inlinedSchema{}}
	catalog.directory.init()
	catalog.statistics.init()
	if _, err := catalog.readFormat(ctx, reader); err != nil {
		return nil, clientError(path.Schema, err)
	}
	found, err := anyRefuge(ctx, reader)
	if err != nil {
		return nil, err
	}
	catalog.refuges.Store(found)
	if catalog.indexed, err = anyIndex(ctx, reader); err != nil {
		return nil, err
	}
	return catalog, nil
}

// Begin starts a transaction.
func (c *Catalog) Begin(environment overlay.Environment) overlay.Domain {
	return newTransaction(c, environment)
}

// readMessage reads the record of a key; found is false when there is none.
func readMessage(ctx context.Context, reader store.Reader, key keyspace.Key, message keyspace.Message) (found bool, err error) {
	encoded := key.Bytes()
	value, found, err := reader.Get(ctx, encoded)
	if err != nil || !found {
		return false, err
	}
	if err := keyspace.DecodeRecord(encoded, value, message); err != nil {
		return false, recordError(encoded, err)
	}
	return true, nil
}

// corruptRecord is a record that could not be read.
type corruptRecord struct {
	key   []byte
	cause error
}

func recordError(key []byte, cause error) error { return &corruptRecord{key: key, cause: cause} }

// Error implements error.
func (e *corruptRecord) Error() string {
	if key, err := keyspace.DecodeKey(e.key); err == nil {
		return fmt.Sprintf("record %s is corrupt: %v", key, e.cause)
	}
	return fmt.Sprintf("record %x is corrupt: %v", e.key, e.cause)
}

// Unwrap gives the cause.
func (e *corruptRecord) Unwrap() error { return e.cause }

// clientError makes a corrupt record an error for the client, which names the lake; other errors stay as they are.
func clientError(schema string, err error) error {
	var corrupt *corruptRecord
	if errors.As(err, &corrupt) {
		return pgerror.New(pgerror.DataCorrupted, "lake \"%s\": %s", schema, corrupt.Error()).WithCause(err)
	}
	return err
}
