package ducklake

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"moraine/keyspace"
	"moraine/pgerror"
	"moraine/rowstore"
	"moraine/store"
)

// The changelog, as the original keeps it (RFC 0009).
const (
	// changelogKeys is the most keys that a record of the changelog has; a larger commit has none, and readers rescan.
	changelogKeys = 4096
	// changelogWindow is how many snapshots have a record.
	changelogWindow = 64
)

func refugePrefix(table *catalogTable) []byte { return rowstore.NamedPrefix(refugeName + table.name) }

// anyRefuge tells whether any refuge of the lake has ever had a row.
func anyRefuge(ctx context.Context, reader store.Reader) (bool, error) {
	prefix := rowstore.NamedPrefix(refugeName)
	prefix = prefix[:len(prefix)-2] // without the end of the name
	iterator, err := reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return false, err
	}
	defer iterator.Close()
	return iterator.Next(), iterator.Err()
}

func (c *Catalog) noRefuge() bool { return !c.refuges.Load() }

// checkDefinitions makes sure that the tables that the transaction changed are still as it saw them.
func (s *staging) checkDefinitions(ctx context.Context) error {
	seen, err := s.transaction.current(ctx)
	if err != nil {
		return err
	}
	if seen == s.state || seen.generation == s.state.generation && seen.format != 0 {
		return nil
	}
	for name, table := range catalogTables {
		opened := s.transaction.tables[name]
		changed := s.transaction.redefined[name] != nil || opened != nil && opened.Dirty()
		if changed && !sameDefinition(seen.tables[table.name], s.state.tables[table.name]) {
			return pgerror.New(pgerror.SerializationFailure, "could not serialize access due to concurrent update").
				WithDetail("The definition of table \"%s\" was changed.", name)
		}
	}
	return nil
}

func sameDefinition(one, other *tableDefinition) bool {
	if one == nil || other == nil {
		return one == other
	}
	return slices.Equal(one.definition.Columns, other.definition.Columns)
}

// adopts tells that the commit takes over the tables of a store that the original wrote: from then on their definitions
// are stored, and no row is made up.
func (s *staging) adopts() bool {
	if !s.state.original() {
		return false
	}
	if s.redefines() {
		return true
	}
	metadata := s.transaction.tables[metadataTable]
	if metadata == nil {
		return false
	}
	for _, change := range metadata.Changes() {
		if _, synthetic := metadata.definition.table.syntheticNameOf(change.Key); synthetic && change.Row == nil {
			return true
		}
	}
	return false
}

// redefines tells whether the commit changes the definition of a catalog table.
func (s *staging) redefines() bool { return len(s.transaction.redefined) > 0 }

// definitions stages what the transaction made of the tables themselves.
func (s *staging) definitions() error {
	if !s.redefines() && !s.adopts() {
		return nil
	}
	for name := range catalogTables {
		redefined, found := s.transaction.redefined[name]
		var present *tableDefinition
		switch {
		case found:
			present = redefined.present
		case s.adopts():
			present = s.state.tables[name]
		default:
			continue
		}
		if present == nil {
			s.batch.Delete(definitionKey(name))
			continue
		}
		encoded, err := present.encode()
		if err != nil {
			return err
		}
		s.batch.Put(definitionKey(name), encoded)
	}
	s.batch.Put(definitionsKey(generationTag), binary.BigEndian.AppendUint64(nil, s.state.generation+1))
	return nil
}

// system stages the records that every commit to the catalog has: head, and the changelog of a new snapshot; and those of
// the first one, which make the store a catalog.
func (s *staging) system(ctx context.Context) error {
	changed, records := s.changedKeys()
	if len(s.batch.Operations()) == s.first || !records && s.state.format == 0 {
		return nil
	}
	var head keyspace.HeadValue
	found, err := readMessage(ctx, s.latest, keyspace.HeadKey(), &head)
	if err != nil {
		return err
	}
	if s.state.format == 0 {
		s.put(keyspace.FormatKey(), &keyspace.FormatValue{FormatVersion: keyspace.NewestFormat, WriterVersion: keyspace.WriterVersion})
	}
	if found {
		head.BatchSequence++
	}
	if s.facts.minted {
		head.SnapshotID = max(head.SnapshotID, s.facts.snapshot)
	}
	s.put(keyspace.HeadKey(), &head)
	s.batches, s.statistics = head.BatchSequence+1, statisticsChanges(s.batch.Operations()[s.first:])
	if s.facts.minted && s.facts.snapshot > 0 {
		s.changelog(changed)
	}
	return nil
}

func (s *staging) put(key keyspace.Key, message keyspace.Message) {
	s.batch.Put(key.Bytes(), keyspace.AppendMessage(nil, message))
}

// changedKeys gives the keys of current records that the batch changes, sorted, each once; records tells whether it
// changes any record of the specification.
func (s *staging) changedKeys() (changed [][]byte, records bool) {
	for _, operation := range s.batch.Operations()[s.first:] {
		subspace, _ := keyspace.SubspaceOf(operation.Key)
		records = records || subspace.Catalog()
		if subspace == keyspace.SubspaceCurrent {
			changed = append(changed, operation.Key)
		}
	}
	slices.SortFunc(changed, bytes.Compare)
	return slices.CompactFunc(changed, bytes.Equal), records
}

// changelog stages the changelog of the new snapshot, and removes the one that falls out of the window.
func (s *staging) changelog(changed [][]byte) {
	if len(changed) <= changelogKeys {
		s.put(keyspace.ChangelogKey(s.facts.snapshot), &keyspace.ChangelogValue{Keys: changed})
	}
	if s.facts.snapshot > changelogWindow {
		s.batch.Delete(keyspace.ChangelogKey(s.facts.snapshot - changelogWindow).Bytes())
	}
}
