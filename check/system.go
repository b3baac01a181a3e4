package check

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"

	"moraine/keyspace"
)

// changelogLength is how many snapshots have a record of the changelog (RFC 0009).
const changelogLength = 64

// system reads the records that there is one of, and the counters of the head snapshot.
func (c *checker) system(ctx context.Context) error {
	var format keyspace.FormatValue
	found, err := c.single(ctx, keyspace.FormatKey(), &format)
	if err != nil {
		return err
	}
	if found {
		c.format = format.FormatVersion
	}
	if found && (format.FormatVersion < keyspace.OldestFormat || format.FormatVersion > keyspace.NewestFormat) {
		c.report(formatVersion, "", "", "the format is %d", format.FormatVersion)
	}
	if err := c.missingFormat(ctx); err != nil {
		return err
	}
	var migration keyspace.MigrationValue
	if found, err = c.single(ctx, keyspace.MigrationKey(), &migration); err != nil {
		return err
	}
	if found {
		c.report(unfinishedMigration, "", "", "a migration from format %d to %d has begun", migration.FromFormat, migration.ToFormat)
	}
	if c.headRead, err = c.single(ctx, keyspace.HeadKey(), &c.head); err != nil {
		return err
	}
	var snapshot keyspace.SnapshotValue
	if found, err = c.single(ctx, keyspace.SnapshotKey(c.head.SnapshotID), &snapshot); err != nil {
		return err
	}
	if c.headRead && found {
		c.counters = &snapshot
	}
	return c.all(ctx, keyspace.KindMaintenanceStatus, func(*source) {})
}

// missingFormat reports catalog records in a store without a format.
func (c *checker) missingFormat(ctx context.Context) error {
	if _, found, err := c.reader.Get(ctx, keyspace.FormatKey().Bytes()); found || err != nil {
		return err
	}
	iterator, err := c.reader.Scan(ctx, keyspace.HeadKey().Bytes(), []byte{byte(keyspace.SubspaceDeleteTarget) + 1})
	if err != nil {
		return err
	}
	defer iterator.Close()
	if iterator.Next() {
		c.report(formatVersion, "", "", "the lake has catalog records, such as %x, and no format", iterator.Key())
	}
	return iterator.Err()
}

// snapshotFact is what later passes need of a snapshot.
type snapshotFact struct {
	id, schemaVersion uint64
}

// tableChange says that a snapshot has changed the schema of a table.
type tableChange struct {
	snapshot, table uint64
}

func compareChanges(a, b tableChange) int {
	if a.snapshot != b.snapshot {
		return compareIDs(a.snapshot, b.snapshot)
	}
	return compareIDs(a.table, b.table)
}

// readSnapshots reads the records of the snapshots, and compares the head with them.
func (c *checker) readSnapshots(ctx context.Context) error {
	var before keyspace.SnapshotValue
	greatest, found := uint64(0), false
	s, err := c.open(ctx, keyspace.KindSnapshot)
	if err != nil {
		return err
	}
	for !s.done {
		greatest, found = s.first(), true
		if s.read() {
			snapshot := s.message.(*keyspace.SnapshotValue)
			if len(c.snapshots) > 0 {
				c.compareSnapshots(&before, snapshot)
			}
			c.snapshots = append(c.snapshots, snapshotFact{id: snapshot.SnapshotID, schemaVersion: snapshot.SchemaVersion})
			for _, table := range snapshot.SchemaChangedTableIDs {
				c.changes = append(c.changes, tableChange{snapshot: snapshot.SnapshotID, table: table})
			}
			before.SnapshotID, before.SchemaVersion = snapshot.SnapshotID, snapshot.SchemaVersion
			before.NextCatalogID, before.NextFileID = snapshot.NextCatalogID, snapshot.NextFileID
		}
		if err := s.advance(ctx); err != nil {
			return err
		}
	}
	switch {
	case found && !c.headRead && !c.damaged[string(keyspace.HeadKey().Bytes())]:
		c.report(headSnapshot, "ducklake_snapshot", fmt.Sprintf("snapshot_id=%d", greatest), "there is no head")
	case c.headRead && !found:
		c.report(headSnapshot, "ducklake_snapshot", fmt.Sprintf("snapshot_id=%d", c.head.SnapshotID), "the head names it; there is no snapshot")
	case c.headRead && greatest != c.head.SnapshotID:
		c.report(headSnapshot, "ducklake_snapshot", fmt.Sprintf("snapshot_id=%d", c.head.SnapshotID), "the head names it; the greatest snapshot is %d", greatest)
	}
	slices.SortFunc(c.changes, compareChanges)
	return nil
}

func (c *checker) compareSnapshots(before, after *keyspace.SnapshotValue) {
	ids := fmt.Sprintf("snapshot_id=%d", after.SnapshotID)
	if after.NextCatalogID < before.NextCatalogID {
		c.report(snapshotCounters, "ducklake_snapshot", ids, "next_catalog_id is %d, that of snapshot %d is %d",
			after.NextCatalogID, before.SnapshotID, before.NextCatalogID)
	}
	if after.NextFileID < before.NextFileID {
		c.report(snapshotCounters, "ducklake_snapshot", ids, "next_file_id is %d, that of snapshot %d is %d",
			after.NextFileID, before.SnapshotID, before.NextFileID)
	}
	if after.SchemaVersion < before.SchemaVersion {
		c.report(snapshotSchemaVersion, "ducklake_snapshot", ids, "schema_version is %d, that of snapshot %d is %d",
			after.SchemaVersion, before.SnapshotID, before.SchemaVersion)
	}
}

// snapshot gives what is known of a snapshot; nil when it is expired or there never was one.
func (c *checker) snapshot(id uint64) *snapshotFact {
	at := sort.Search(len(c.snapshots), func(i int) bool { return c.snapshots[i].id >= id })
	if at == len(c.snapshots) || c.snapshots[at].id != id {
		return nil
	}
	return &c.snapshots[at]
}

// schemaVersions reads the schema versions of a table, and compares them with the records of the snapshots.
func (t *table) schemaVersions(ctx context.Context, s *source) error {
	c := t.checker
	return s.each(ctx, t.id, func(decoded bool) {
		begin := s.key.Component(keyspace.BeginSnapshot)
		if c.headRead && begin > c.head.SnapshotID {
			c.report(schemaVersionRecord, tableOf(s.kind), s.ids(), "begins at %d; the head is %d", begin, c.head.SnapshotID)
			return
		}
		snapshot := c.snapshot(begin)
		if snapshot == nil {
			return
		}
		if found := s.message.(*keyspace.SchemaVersionValue); decoded && found.SchemaVersion != snapshot.schemaVersion {
			c.report(schemaVersionRecord, tableOf(s.kind), s.ids(), "schema_version is %d, that of the snapshot is %d",
				found.SchemaVersion, snapshot.schemaVersion)
		}
		change := tableChange{snapshot: begin, table: t.id}
		at, named := slices.BinarySearchFunc(c.changes, change, compareChanges)
		if !named {
			c.report(schemaChanges, tableOf(s.kind), s.ids(), "the record of snapshot %d does not name the table", begin)
			return
		}
		c.changesSeen[at] = true
	})
}

// unseenChanges reports the tables that a snapshot's record names without a row of ducklake_schema_versions. The rows go
// with the last version of a table, the snapshots may stay.
func (c *checker) unseenChanges() {
	for i, change := range c.changes {
		if !c.changesSeen[i] && (c.tables[change.table] != nil || c.views[change.table] != nil) {
			c.report(schemaChanges, "ducklake_snapshot", fmt.Sprintf("snapshot_id=%d table_id=%d", change.snapshot, change.table),
				"the record of the snapshot names the table, which has no row of ducklake_schema_versions for it")
		}
	}
}

// changelog reads the lists of keys that recent commits have changed.
func (c *checker) changelog(ctx context.Context) error {
	s, err := c.open(ctx, keyspace.KindChangelog)
	if err != nil {
		return err
	}
	for !s.done {
		id := s.first()
		switch {
		case !c.headRead:
		case id > c.head.SnapshotID:
			c.report(changelogWindow, "", s.ids(), "the head is %d", c.head.SnapshotID)
		case c.head.SnapshotID-id >= changelogLength:
			c.report(changelogWindow, "", s.ids(), "the head is %d", c.head.SnapshotID)
		}
		if s.read() {
			c.changedKeys(s, s.message.(*keyspace.ChangelogValue).Keys)
		}
		if err := s.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) changedKeys(s *source, keys [][]byte) {
	for i, key := range keys {
		decoded, err := keyspace.DecodeKey(key)
		switch {
		case err != nil:
			c.report(changelogKeys, "", s.ids(), "%v", err)
		case decoded.Kind().Subspace() != keyspace.SubspaceCurrent:
			c.report(changelogKeys, "", s.ids(), "%s is no current record", decoded)
		case i > 0 && bytes.Compare(keys[i-1], key) >= 0:
			c.report(changelogKeys, "", s.ids(), "%s is out of order", decoded)
		}
	}
}
