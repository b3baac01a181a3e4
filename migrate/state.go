package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"moraine/keyspace"
	"moraine/store"
)

// Errors of a migration, beside those of the store and keyspace.ErrCorrupt. Errors wrap them.
var (
	// ErrFormat says that the format is older or newer than those that this version migrates.
	ErrFormat = errors.New("migrate: format not supported")
	// ErrUnknown says that a migration is under way that this version does not know.
	ErrUnknown = errors.New("migrate: unknown migration")
)

// state is what a lake says about its format.
type state struct {
	format keyspace.FormatValue
	marker keyspace.MigrationValue
	// known tells that there is a format, and begun that there is a marker.
	known, begun bool
	unit         *unit // that is under way or comes next; nil when there is nothing to do
}

// readState reads the format and the marker, and refuses what this version cannot migrate.
func readState(ctx context.Context, reader store.Reader) (*state, error) {
	s := &state{}
	var err error
	if s.known, err = read(ctx, reader, keyspace.FormatKey(), &s.format); err != nil {
		return nil, err
	}
	if s.begun, err = read(ctx, reader, keyspace.MigrationKey(), &s.marker); err != nil {
		return nil, err
	}
	format := s.format.FormatVersion
	switch {
	case s.begun:
		return s, s.checkMarker()
	case !s.known:
		return s, nil
	case format < keyspace.OldestFormat:
		return nil, fmt.Errorf("%w: format %d is older than %d: raise it to %d with the program that wrote the lake",
			ErrFormat, format, keyspace.OldestFormat, keyspace.OldestFormat)
	case format > keyspace.NewestFormat:
		return nil, fmt.Errorf("%w: format %d is newer than %d: use a newer version of moraine", ErrFormat, format, keyspace.NewestFormat)
	}
	s.unit = unitFrom(format)
	return s, nil
}

// checkMarker finds the unit that is under way. The marker's format must be the stamped one: a unit stamps the new format
// and removes the marker in one batch.
func (s *state) checkMarker() error {
	if !s.known || s.marker.FromFormat != s.format.FormatVersion {
		return corrupt(keyspace.MigrationKey(), "a migration from format %d is under way, and the format is %d",
			s.marker.FromFormat, s.format.FormatVersion)
	}
	s.unit = unitFrom(s.marker.FromFormat)
	if s.unit == nil || s.unit.to != s.marker.ToFormat {
		return fmt.Errorf("%w: a migration from format %d to %d is under way: finish it with the program that began it",
			ErrUnknown, s.marker.FromFormat, s.marker.ToFormat)
	}
	if len(s.marker.Cursor) == 0 {
		return nil
	}
	if key, err := keyspace.DecodeKey(s.marker.Cursor); err != nil || !s.unit.reads(key) {
		return corrupt(keyspace.MigrationKey(), "the cursor is %x, no key that the migration reads", s.marker.Cursor)
	}
	return nil
}

// read reads a record; false when there is none.
func read(ctx context.Context, reader store.Reader, key keyspace.Key, message keyspace.Message) (bool, error) {
	encoded := key.Bytes()
	value, found, err := reader.Get(ctx, encoded)
	if err != nil || !found {
		return false, err
	}
	if err := keyspace.DecodeRecord(encoded, value, message); err != nil {
		return false, fmt.Errorf("record %s is corrupt: %w", key, err)
	}
	return true, nil
}

func corrupt(key keyspace.Key, format string, arguments ...any) error {
	return fmt.Errorf("record %s is corrupt: %w: %s", key, keyspace.ErrCorrupt, fmt.Sprintf(format, arguments...))
}

// walk visits the records that a unit reads, behind the cursor, until visit answers false.
func (u *unit) walk(ctx context.Context, reader store.Reader, cursor []byte, visit func(key []byte, message keyspace.Message) bool) error {
	lower, upper := u.bounds(cursor)
	iterator, err := reader.Scan(ctx, lower, upper)
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.Next() {
		key, err := keyspace.DecodeKey(iterator.Key())
		if err != nil {
			return fmt.Errorf("record %x is corrupt: %w", iterator.Key(), err)
		}
		message := keyspace.NewMessage(key.Kind())
		if err := keyspace.DecodeRecord(iterator.Key(), iterator.Value(), message); err != nil {
			return fmt.Errorf("record %s is corrupt: %w", key, err)
		}
		if !visit(bytes.Clone(iterator.Key()), message) {
			return nil
		}
	}
	return iterator.Err()
}
