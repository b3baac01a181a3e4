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

// writerVersion is what a new store's format record says about who stamped it; informational.
const writerVersion = "moraine"

// Catalog is the catalog of one lake, for as long as the lake is open. Safe for concurrent use.
type Catalog struct {
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

// Open reads how the lake is to be served. A store that this package cannot serve is refused: one of another format
// (0A000) and one in the middle of a migration (55000).
func Open(ctx context.Context, reader store.Reader) (*Catalog, error) {
	catalog := &Catalog{states: map[stateKey]*state{}, schemas: map[string]*inlinedSchema{}}
	catalog.directory.init()
	catalog.statistics.init()
	if _, err := readFormat(ctx, reader); err != nil {
		return nil, err
	}
	found, err := anyRefuge(ctx, reader)
	if err != nil {
		return nil, err
	}
	catalog.refuges.Store(found)
	return catalog, nil
}

// Begin starts a transaction.
func (c *Catalog) Begin(environment overlay.Environment) overlay.Domain {
	return newTransaction(c, environment)
}

// readFormat gives the format of the store, 0 for one without a catalog.
func readFormat(ctx context.Context, reader store.Reader) (uint64, error) {
	_, migrating, err := reader.Get(ctx, keyspace.MigrationKey().Bytes())
	if err != nil {
		return 0, err
	}
	if migrating {
		return 0, pgerror.New(pgerror.ObjectNotInPrerequisiteState, "the store is being migrated to another format").
			WithHint("Finish the migration, then open the lake again.")
	}
	var format keyspace.FormatValue
	found, err := readMessage(ctx, reader, keyspace.FormatKey(), &format)
	switch {
	case err != nil || !found:
		return 0, err
	case format.FormatVersion < keyspace.OldestFormat:
		return 0, pgerror.New(pgerror.FeatureNotSupported, "the store has format %d, older than %d, the oldest that is served",
			format.FormatVersion, keyspace.OldestFormat).WithHint("Migrate the store first.")
	case format.FormatVersion > keyspace.NewestFormat:
		return 0, pgerror.New(pgerror.FeatureNotSupported, "the store has format %d, newer than %d, the newest that is served",
			format.FormatVersion, keyspace.NewestFormat).WithHint("Upgrade the server.")
	}
	return format.FormatVersion, nil
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
