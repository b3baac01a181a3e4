package ducklake

import (
	"context"
	"fmt"
	"strings"

	"moraine/keyspace"
	"moraine/pgerror"
	"moraine/store"
)

// readFormat gives the format of the lake, 0 for one without a catalog. Each format from 9 to 12 is read and written as it
// is, without raising it; only a new catalog is stamped, with the newest.
func (c *Catalog) readFormat(ctx context.Context, reader store.Reader) (uint64, error) {
	var format keyspace.FormatValue
	found, err := readMessage(ctx, reader, keyspace.FormatKey(), &format)
	if err != nil {
		return 0, err
	}
	if err := c.refuseMigrating(ctx, reader, format.FormatVersion); err != nil || !found {
		return 0, err
	}
	switch version := format.FormatVersion; {
	case version == 0 || version > keyspace.NewestFormat:
		return 0, pgerror.New(pgerror.DataCorrupted, "lake %q: record %s has format %d, and formats %d to %d are known", c.path.Schema,
			keyspace.FormatKey(), version, keyspace.OldestFormat, keyspace.NewestFormat).
			WithHint("If a later version of Moraine wrote the lake, upgrade this server.")
	case version < keyspace.OldestFormat:
		return 0, pgerror.New(pgerror.FeatureNotSupported, "lake %q has format %d, older than %d, the oldest that is served",
			c.path.Schema, version, keyspace.OldestFormat).
			WithHint("Raise it to format %d with the program that wrote the lake.", keyspace.OldestFormat)
	}
	return format.FormatVersion, nil
}

// refuseMigrating refuses a lake in the middle of a migration: some of its directories may be incomplete (RFC 0015).
func (c *Catalog) refuseMigrating(ctx context.Context, reader store.Reader, format uint64) error {
	var marker keyspace.MigrationValue
	found, err := readMessage(ctx, reader, keyspace.MigrationKey(), &marker)
	switch {
	case err != nil || !found:
		return err
	case marker.FromFormat != format:
		return recordError(keyspace.MigrationKey().Bytes(), fmt.Errorf("%w: a migration from format %d, and the format is %d",
			keyspace.ErrCorrupt, marker.FromFormat, format))
	}
	return pgerror.New(pgerror.ObjectNotInPrerequisiteState, "lake %q is being migrated from format %d to %d", c.path.Schema,
		marker.FromFormat, marker.ToFormat).
		WithDetail("The migration has to be finished before the lake can be served.").
		WithHint("Stop the servers of the store and run: moraine migrate --store STORE --database %s --schema %s",
			shellWord(c.path.Database), shellWord(c.path.Schema))
}

// shellWord gives a name as a word of a command line.
func shellWord(name string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
