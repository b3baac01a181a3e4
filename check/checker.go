package check

import (
	"context"
	"fmt"
	"slices"

	"moraine/keyspace"
	"moraine/store"
)

// checker is one check of one lake.
type checker struct {
	reader  store.Reader
	found   collector
	records int
	sources []*source
	damaged map[string]bool // keys whose values were reported as undecodable

	format   uint64
	head     keyspace.HeadValue
	headRead bool
	// counters are those of the head snapshot; nil when it cannot be read.
	counters  *keyspace.SnapshotValue
	snapshots []snapshotFact // ascending
	changes   []tableChange  // by the snapshots' records, ascending
	// changesSeen tells which of the changes have a row of ducklake_schema_versions.
	changesSeen []bool

	schemas, tables, views, macros map[uint64]*object
	objectIDs, fileIDs             []usedID
	scheduled                      []uint64 // ids of files that wait for their deletion, ascending
}

// Run checks the lake that a reader shows. The error is one of the store or the context's; what is wrong with the lake is
// in the findings, ordered by rule.
func Run(ctx context.Context, reader store.Reader) ([]Finding, error) {
	c := &checker{
		reader: reader, found: collector{counts: map[*Rule]int{}}, damaged: map[string]bool{},
		schemas: map[uint64]*object{}, tables: map[uint64]*object{}, views: map[uint64]*object{}, macros: map[uint64]*object{},
	}
	defer c.close()
	for _, pass := range []func(context.Context) error{
		c.foreign, c.system, c.readSnapshots, c.objects, c.directory, c.options, c.tags, c.scheduledFiles, c.eachTable, c.changelog,
	} {
		if err := pass(ctx); err != nil {
			return nil, err
		}
		c.close()
	}
	c.reusedIDs(c.objectIDs)
	c.reusedIDs(c.fileIDs)
	return c.found.ordered(), nil
}

// close closes the sources of a pass.
func (c *checker) close() {
	for _, source := range c.sources {
		_ = source.iterator.Close() // what it could say, Err has said
	}
	c.sources = nil
}

// count counts a record, and looks at the context now and then.
func (c *checker) count(ctx context.Context) error {
	c.records++
	if c.records%cancelInterval == 0 {
		return ctx.Err()
	}
	return nil
}

func (c *checker) report(rule *Rule, table, ids, format string, arguments ...any) {
	c.found.add(Finding{Rule: rule, Table: table, IDs: ids, Found: fmt.Sprintf(format, arguments...)})
}

// ordered gives the findings by rule, and says of which rules there are more.
func (c *collector) ordered() []Finding {
	for rule, count := range c.counts {
		if count > maximumFindings {
			c.findings = append(c.findings, Finding{Rule: rule, Found: fmt.Sprintf("%d more, not listed", count-maximumFindings)})
		}
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return slices.Index(rules, a.Rule) - slices.Index(rules, b.Rule)
	})
	return c.findings
}

// usedID is an id that an entity has.
type usedID struct {
	id    uint64
	owner uint64 // table; 0 for those of the lake as a whole
	kind  keyspace.Kind
}

// reusedIDs reports ids that several entities have, of those that draw theirs from one counter.
func (c *checker) reusedIDs(used []usedID) {
	slices.SortFunc(used, func(a, b usedID) int {
		switch {
		case a.id != b.id:
			return compareIDs(a.id, b.id)
		case a.kind != b.kind:
			return int(a.kind) - int(b.kind)
		}
		return compareIDs(a.owner, b.owner)
	})
	for i := 1; i < len(used); i++ {
		if used[i].id == used[i-1].id {
			c.report(idReused, tableOf(used[i].kind), used[i].describe(), "the id of %s (%s) too", used[i-1].describe(), tableOf(used[i-1].kind))
		}
	}
}

// describe names the ids of the entity.
func (u usedID) describe() string {
	components := u.kind.Components()
	if components[0] != keyspace.TableID || u.kind == keyspace.KindCurrentTable {
		return fmt.Sprintf("%s=%d", components[0], u.id)
	}
	return fmt.Sprintf("%s=%d %s=%d", components[0], u.owner, components[1], u.id)
}

func compareIDs(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
