package ducklake

import (
	"context"
	"errors"
	"strings"
	"testing"

	"moraine/keyspace"
	"moraine/pgerror"
	"moraine/store"
)

func TestLakesThatCannotBeServedAreRefused(t *testing.T) {
	stamp := func(format uint64) string {
		return string(keyspace.AppendMessage(nil, &keyspace.FormatValue{FormatVersion: format}))
	}
	mark := func(from, to uint64) string {
		return string(keyspace.AppendMessage(nil, &keyspace.MigrationValue{FromFormat: from, ToFormat: to}))
	}
	for _, test := range []struct {
		title      string
		key        keyspace.Key
		value      string
		code, text string
	}{
		{"older", keyspace.FormatKey(), stamp(8), pgerror.FeatureNotSupported, "has format 8, older than 9"},
		{"newer", keyspace.FormatKey(), stamp(13), pgerror.DataCorrupted, "sys/format has format 13, and formats 9 to 12 are known"},
		{"no format", keyspace.FormatKey(), stamp(0), pgerror.DataCorrupted, "sys/format has format 0"},
		{"a format of another kind", keyspace.FormatKey(), "MRNE\x00\x0a\x01a", pgerror.DataCorrupted, "record sys/format is corrupt"},
		{"migrating", keyspace.MigrationKey(), mark(12, 13), pgerror.ObjectNotInPrerequisiteState,
			"moraine migrate --store STORE --database 'the lakes' --schema 'it'\\''s'"},
		{"migrating from another format", keyspace.MigrationKey(), mark(9, 11), pgerror.DataCorrupted, "record sys/migration is corrupt"},
		{"damaged marker", keyspace.MigrationKey(), "MRNX\x00", pgerror.DataCorrupted, "record sys/migration is corrupt"},
	} {
		t.Run(test.title, func(t *testing.T) {
			l, batch := startedLake(t), &store.Batch{}
			batch.Put(test.key.Bytes(), []byte(test.value))
			if err := l.store.Commit(context.Background(), batch); err != nil {
				t.Fatal(err)
			}
			snapshot := l.snapshot()
			defer snapshot.Close()
			_, err := Open(context.Background(), snapshot, store.Path{Database: "the lakes", Schema: "it's"})
			var known *pgerror.Error
			if !errors.As(err, &known) || known.Code != test.code || known.Retried() || !strings.Contains(known.Message+known.Hint, test.text) ||
				!strings.Contains(known.Message, "lake \"it's\"") {
				t.Errorf("got %v, hint %q", err, known.Hint)
			}
			// A lake that is open says so too.
			if _, err := l.catalog.readFormat(context.Background(), snapshot); err == nil {
				t.Error("the open lake is served on")
			}
		})
	}
}
