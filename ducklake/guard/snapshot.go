package guard

import (
	"strconv"
	"strings"
)

func (c *check) checkSnapshots() error {
	latest := c.head.SnapshotID
	if count := len(c.commit.Snapshots); count != 1 {
		return snapshotFollows.refuse("%d snapshots in one commit", count)
	}
	c.snapshot = c.commit.Snapshots[0]
	c.claims = claimsOf(c.snapshot.ChangesMade)
	c.computedOn = c.origin()
	switch id := c.snapshot.SnapshotID; {
	case id <= latest:
		return snapshotTaken.refuse("snapshot %d, and the latest is %d", int64(id), latest)
	case id != latest+1:
		return snapshotFollows.refuse("snapshot %d, and the latest is %d", int64(id), latest)
	}
	for _, counter := range []struct {
		name          string
		before, after uint64
	}{
		{"next_catalog_id", c.head.NextCatalogID, c.snapshot.NextCatalogID},
		{"next_file_id", c.head.NextFileID, c.snapshot.NextFileID},
		{"schema_version", c.head.SchemaVersion, c.snapshot.SchemaVersion},
	} {
		if int64(counter.after) < int64(counter.before) {
			return snapshotCounters.refuse("snapshot %d has %s %d, and snapshot %d has %d",
				c.snapshot.SnapshotID, counter.name, int64(counter.after), latest, counter.before)
		}
	}
	return nil
}

// claims are the tables that changes_made names, by kind of change.
type claims map[string]map[uint64]bool

// The kinds of changes that rules look at.
const (
	claimsInlinedDelete = "inlined_delete"
	claimsInlineFlush   = "inline_flush"
	claimsMerge         = "merge_adjacent"
	claimsRewrite       = "rewrite_delete"
)

// claimsOf reads changes_made: kind:value, separated by commas. Values of other kinds may be names in quotes, which can
// hold anything, so that what is between quotes is left out first.
func claimsOf(changes string) claims {
	result := claims{}
	for _, part := range strings.Split(withoutQuoted(changes), ",") {
		kind, value, _ := strings.Cut(part, ":")
		id, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
		if err != nil {
			continue
		}
		kind = strings.ToLower(strings.TrimSpace(kind))
		if result[kind] == nil {
			result[kind] = map[uint64]bool{}
		}
		result[kind][id] = true
	}
	return result
}

// withoutQuoted leaves out what stands in double quotes; a quote within is doubled.
func withoutQuoted(text string) string {
	var kept strings.Builder
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 0 {
			kept.WriteString(part)
		}
	}
	return kept.String()
}

// compacts tells whether the commit merges or rewrites files of a table.
func (c claims) compacts(table uint64) bool { return c[claimsMerge][table] || c[claimsRewrite][table] }
