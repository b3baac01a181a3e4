package guard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"moraine/keyspace"
	"moraine/pgerror"
	"moraine/store"
)

// Equality indexes (RFC 0016) are the original's own: no table of DuckLake's shows them, and nothing here writes their entries. A
// row that came without an entry would be missing from every look-up, and one that went would still be found.

// CheckIndexes is the part of [Check] that holds for changes without a new snapshot, too.
func CheckIndexes(ctx context.Context, latest store.Reader, commit *Commit) error {
	c := &check{ctx: ctx, latest: latest, commit: commit, stored: map[string]*entity{}}
	return c.checkIndexes()
}

// indexedChange is what a commit does to the rows of a table that its indexes would have to know of.
type indexedChange struct {
	table uint64
	what  string
	// compacting tells that a flush of rows, a merge or a rewrite may do it, and flushing that a flush of inlined deletions
	// may: they keep the rows and their ids, and write no entries.
	compacting, flushing bool
	// column is the column that is dropped or gets another type; set tells that it is that.
	column keyspace.Optional[uint64]
}

// checkIndexes refuses changes of rows and of indexed columns of tables with an index.
func (c *check) checkIndexes() error {
	if !c.commit.Indexed {
		return nil
	}
	changes, err := c.indexedChanges()
	if err != nil {
		return err
	}
	slices.SortStableFunc(changes, func(a, b indexedChange) int { return cmp.Compare(a.table, b.table) })
	for _, change := range changes {
		if change.compacting && c.claims.compactsOnly(change.table) || change.flushing && c.flushesDeletions(change.table) {
			continue
		}
		if err := c.checkIndexed(change); err != nil {
			return err
		}
	}
	return nil
}

// indexedChanges gathers the changes.
func (c *check) indexedChanges() (changes []indexedChange, err error) {
	for i := range c.commit.Changes {
		change := &c.commit.Changes[i]
		switch change.Kind {
		case keyspace.KindCurrentDataFile, keyspace.KindCurrentDeleteFile:
			changes = append(changes, c.fileChanges(change)...)
		case keyspace.KindCurrentColumn:
			if !change.Stored || change.Ended {
				continue
			}
			what, err := c.columnChange(change)
			if err != nil {
				return nil, err
			}
			if what != "" {
				changes = append(changes, indexedChange{table: change.IDs[0], what: what, column: keyspace.Some(change.IDs[1])})
			}
		}
	}
	for _, rows := range c.commit.Inlined {
		switch {
		case rows.Inserted > 0:
			changes = append(changes, indexedChange{table: rows.Table, what: "inlined rows come"})
		case rows.Ended > 0:
			changes = append(changes, indexedChange{table: rows.Table, what: "inlined rows are deleted"})
		case rows.RemovedLive:
			changes = append(changes, indexedChange{table: rows.Table, what: "inlined rows go", compacting: true})
		}
	}
	for _, deletions := range c.commit.Deletions {
		if len(deletions.Inserted) > 0 {
			changes = append(changes, indexedChange{table: deletions.Table, what: "rows of data files are deleted inline"})
			continue
		}
		goes := len(deletions.Removed) > 0
		if deletions.Emptied && !goes {
			if goes, err = c.hasDeletions(deletions.Table); err != nil {
				return nil, err
			}
		}
		if goes {
			changes = append(changes, indexedChange{table: deletions.Table, what: "inlined deletions go", compacting: true, flushing: true})
		}
	}
	return changes, nil
}

// hasDeletions tells whether rows of data files of a table are deleted inline.
func (c *check) hasDeletions(table uint64) (bool, error) {
	prefix := keyspace.Prefix(keyspace.KindInlineFileDelete, table)
	iterator, err := c.latest.Scan(c.ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return false, err
	}
	defer iterator.Close()
	return iterator.Next(), iterator.Err()
}

// fileChanges are those of a data file or delete file: it comes, or is live no more.
func (c *check) fileChanges(change *Change) (changes []indexedChange) {
	noun, deletes := nouns[change.Kind], change.Kind == keyspace.KindCurrentDeleteFile
	var after entity
	live := false
	if change.After != nil {
		after, _ = entityOf(change.Kind, change.After)
		live = after.live()
	}
	stays := live && change.Stored && slices.Equal(change.IDs, after.ids)
	if change.Stored && !change.Ended && !stays {
		what := fmt.Sprintf("%s %d goes", noun, change.IDs[1])
		changes = append(changes, indexedChange{table: change.IDs[0], what: what, compacting: true, flushing: deletes})
	}
	if live && (!change.Stored || change.Ended || !stays) {
		what := fmt.Sprintf("%s %d comes", noun, after.id())
		changes = append(changes, indexedChange{table: after.ids[0], what: what, compacting: !deletes || c.ofNewFile(after.message), flushing: deletes})
	}
	return changes
}

// flushesDeletions tells whether all new delete files of a table have deletes that were inline: these began before the
// commit, and the newest of them, which partial_max says when there are several, did so too.
func (c *check) flushesDeletions(table uint64) bool {
	flushes := false
	for i := range c.commit.Changes {
		file, ok := c.commit.Changes[i].After.(*keyspace.DeleteFileValue)
		if !ok || file.TableID != table || file.EndSnapshot.Set {
			continue
		}
		if file.BeginSnapshot > c.computedOn || file.PartialMax.Set && file.PartialMax.Value > c.computedOn {
			return false
		}
		flushes = true
	}
	return flushes
}

// ofNewFile tells whether a delete file is for a data file that the commit writes: a flush writes rows that have ended, too.
func (c *check) ofNewFile(message keyspace.Message) bool {
	deletes := message.(*keyspace.DeleteFileValue)
	return slices.ContainsFunc(c.commit.Changes, func(change Change) bool {
		file, ok := change.After.(*keyspace.DataFileValue)
		return ok && !change.Stored && file.TableID == deletes.TableID && file.DataFileID == deletes.DataFileID
	})
}

// columnChange says what becomes of a live column: that it is dropped, or gets another type; "" for other changes.
func (c *check) columnChange(change *Change) (string, error) {
	table, column := change.IDs[0], change.IDs[1]
	before, err := c.get(keyspace.KindCurrentColumn, table, column)
	if err != nil || before == nil {
		return "", err
	}
	for i := range c.commit.Changes {
		after, ok := c.commit.Changes[i].After.(*keyspace.ColumnValue)
		if !ok || after.TableID != table || after.ColumnID != column || after.EndSnapshot.Set {
			continue
		}
		if after.ColumnType == before.message.(*keyspace.ColumnValue).ColumnType {
			return "", nil
		}
		return fmt.Sprintf("column %d gets another type", column), nil
	}
	return fmt.Sprintf("column %d is dropped", column), nil
}

// checkIndexed refuses a change when the table has an index that it concerns. A table that is dropped takes its indexes
// with it: nobody looks them up any more.
func (c *check) checkIndexed(change indexedChange) error {
	var indexes []string
	err := c.scan(keyspace.KindCurrentIndex, func(key keyspace.Key, value []byte) error {
		var index keyspace.IndexValue
		if err := decode(key.Bytes(), value, &index); err != nil {
			return err
		}
		if !change.column.Set || slices.Contains(index.ColumnIDs, change.column.Value) {
			indexes = append(indexes, named(index.IndexID, index.IndexName))
		}
		return nil
	}, change.table)
	if err != nil || len(indexes) == 0 {
		return err
	}
	table, err := c.liveTable(change.table)
	if err != nil || table == nil {
		return err
	}
	noun := "index"
	if len(indexes) > 1 {
		noun = "indexes"
	}
	return indexedTable.refuse("%s in table %s, which has the equality %s %s", change.what, named(table.TableID, table.TableName),
		noun, strings.Join(indexes, ", "))
}

// liveTable gives a table as the commit leaves it; nil when it is dropped.
func (c *check) liveTable(id uint64) (*keyspace.TableValue, error) {
	gone := false
	for i := range c.commit.Changes {
		change := &c.commit.Changes[i]
		if change.Kind != keyspace.KindCurrentTable {
			continue
		}
		if after, ok := change.After.(*keyspace.TableValue); ok && after.TableID == id && !after.EndSnapshot.Set {
			return after, nil
		}
		gone = gone || change.Stored && !change.Ended && change.IDs[0] == id
	}
	if gone {
		return nil, nil
	}
	stored, err := c.get(keyspace.KindCurrentTable, id)
	if err != nil || stored == nil {
		return nil, err
	}
	return stored.message.(*keyspace.TableValue), nil
}

// named gives an id with a name that a user gave, which is left out when it has a word by which DuckLake repeats a commit.
func named(id uint64, name string) string {
	if pgerror.New("", "%s", name).Retried() {
		return fmt.Sprint(id)
	}
	return fmt.Sprintf("%d %q", id, name)
}

// compactionClaims are the kinds of changes that keep rows and their ids.
var compactionClaims = []string{claimsInlineFlush, claimsMerge, claimsRewrite, "flushed_inlined", "compacted_table"}

// compactsOnly tells whether a commit says that it flushes, merges or rewrites what a table has, and nothing else of it. A
// flush writes the deletes of the rows that were inline.
func (c claims) compactsOnly(table uint64) bool {
	compacts := false
	for kind, tables := range c {
		if !tables[table] {
			continue
		}
		if !slices.Contains(compactionClaims, kind) && (kind != "deleted_from_table" || !c[claimsInlineFlush][table]) {
			return false
		}
		compacts = true
	}
	return compacts
}
