package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"moraine/keyspace"
	"moraine/store"
)

// Layout of the subspace of plain tables, as far as it concerns catalog tables: rows in row stores that have a name, and
// the definitions of the catalog tables.
const (
	namedRowsTag      = 0x10 // name, 0x00 0x01, then 0x01 and the number of a row
	rowTag            = 0x01
	definitionsTag    = 0x11
	generationTag     = 0x00
	definitionTag     = 0x01
	refugeNamePrefix  = "ducklake refuge "
	nameTerminator    = "\x00\x01"
	generationSize    = 8
	maximumShownBytes = 64
)

// supersededKinds are kinds of records that nothing writes from format 9 on.
var supersededKinds = func() (kinds []keyspace.Kind) {
	for _, kind := range keyspace.Kinds() {
		switch kind {
		case keyspace.KindInlineInlineDelete, keyspace.KindInlineArchivedInsert, keyspace.KindInlineArchivedInlineDelete,
			keyspace.KindInlineArchivedFileDelete, keyspace.KindInlineChunkRange:
			kinds = append(kinds, kind)
			continue
		}
		if _, versioned := keyspace.LifetimeOf(keyspace.NewMessage(kind)); !versioned && kind.Subspace() == keyspace.SubspaceHistory {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}()

// foreign looks at what the other passes do not read: keys of no known kind, kinds that nothing writes, entries of
// indexes, the refuges and the definitions.
func (c *checker) foreign(ctx context.Context) error {
	if err := c.unknownKeys(ctx); err != nil {
		return err
	}
	for _, kind := range supersededKinds {
		err := c.all(ctx, kind, func(s *source) {
			c.report(supersededRecord, tableOf(kind), s.ids(), "a record of kind %s", kind)
		})
		if err != nil {
			return err
		}
	}
	for _, kind := range []keyspace.Kind{keyspace.KindIndexUnique, keyspace.KindIndexMulti} {
		if err := c.all(ctx, kind, func(*source) {}); err != nil {
			return err
		}
	}
	if err := c.refuges(ctx); err != nil {
		return err
	}
	return c.definitions(ctx)
}

// unknownKeys reads what lies between the kinds and subspaces that are known.
func (c *checker) unknownKeys(ctx context.Context) error {
	lower := []byte{}
	for _, prefix := range knownPrefixes() {
		if bytes.Compare(lower, prefix) < 0 {
			if err := c.unknownRange(ctx, lower, prefix); err != nil {
				return err
			}
		}
		lower = store.PrefixEnd(prefix)
	}
	return c.unknownRange(ctx, lower, nil)
}

// knownPrefixes gives the prefixes of all known keys, ascending.
func knownPrefixes() (prefixes [][]byte) {
	for _, kind := range keyspace.Kinds() {
		prefixes = append(prefixes, keyspace.Prefix(kind))
	}
	for _, subspace := range []keyspace.Subspace{keyspace.SubspaceWorkspace, keyspace.SubspaceEntity, keyspace.SubspaceUserTable} {
		prefixes = append(prefixes, subspace.Prefix())
	}
	return prefixes
}

func (c *checker) unknownRange(ctx context.Context, lower, upper []byte) error {
	iterator, err := c.reader.Scan(ctx, lower, upper)
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.Next() {
		if err := c.count(ctx); err != nil {
			return err
		}
		key := iterator.Key()
		c.report(unknownKey, "", fmt.Sprintf("key=%x", key[:min(len(key), maximumShownBytes)]), "a key of %d bytes", len(key))
	}
	return iterator.Err()
}

// refuges counts the rows of catalog tables that no record can hold.
func (c *checker) refuges(ctx context.Context) error {
	prefix := append(keyspace.SubspaceUserTable.Prefix(), namedRowsTag)
	prefix = append(prefix, refugeNamePrefix...)
	iterator, err := c.reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	var table string
	rows := 0
	flush := func() {
		if rows > 0 {
			c.report(refugeRows, table, "", "%d rows", rows)
		}
		rows = 0
	}
	for iterator.Next() {
		if err := c.count(ctx); err != nil {
			return err
		}
		name, rest, found := bytes.Cut(iterator.Key()[len(prefix):], []byte(nameTerminator))
		if !found || len(rest) == 0 || rest[0] != rowTag {
			continue
		}
		if string(name) != table {
			flush()
			table = string(name)
		}
		rows++
	}
	flush()
	return iterator.Err()
}

// definitions checks the stored definitions of the catalog tables.
func (c *checker) definitions(ctx context.Context) error {
	prefix := append(keyspace.SubspaceUserTable.Prefix(), definitionsTag)
	generation, found, err := c.reader.Get(ctx, append(bytes.Clone(prefix), generationTag))
	if err != nil {
		return err
	}
	if found && len(generation) != generationSize {
		c.report(tableDefinition, "", "", "the generation has %d bytes", len(generation))
	}
	prefix = append(prefix, definitionTag)
	iterator, err := c.reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	for first := true; iterator.Next(); first = false {
		name := string(iterator.Key()[len(prefix):])
		if first && !found {
			c.report(tableDefinition, name, "", "there is no generation")
		}
		var definition struct {
			Columns []struct {
				Name string `json:"name"`
				Type uint32 `json:"type"`
			} `json:"columns"`
		}
		if err := json.Unmarshal(iterator.Value(), &definition); err != nil {
			c.report(tableDefinition, name, "", "%v", err)
		}
	}
	return iterator.Err()
}
