package ducklake

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"moraine/overlay"
	"moraine/relation"
	"moraine/store"
	"moraine/store/memory"
)

// follower is a lake that is opened beside its writer, over the same store: it hears of commits by Follow only.
type follower struct {
	*lake
	last store.Snapshot
}

func follow(t *testing.T, writer *lake) *follower {
	f := &follower{lake: openLake(t, writer.store)}
	f.last = f.snapshot()
	if advance, err := f.catalog.Follow(context.Background(), nil, f.last); err != nil || advance.Kind != overlay.Unchanged {
		t.Fatalf("the first state: %v, %v", advance, err)
	}
	return f
}

// advance follows the writer to its newest state.
func (f *follower) advance() overlay.Advance {
	f.t.Helper()
	next := f.snapshot()
	advance, err := f.catalog.Follow(context.Background(), f.last, next)
	if err != nil {
		f.t.Fatal(err)
	}
	f.last.Close()
	f.last = next
	return advance
}

func (f *follower) want(advance overlay.Advance, kind overlay.AdvanceKind, snapshot uint64) {
	f.t.Helper()
	if advance.Kind != kind || advance.Position.Snapshot != snapshot {
		f.t.Errorf("advanced %+v, want %s to snapshot %d", advance, kind, snapshot)
	}
}

// view is a transaction of a reader that was begun some time ago, with the rows that it must go on to see.
type view struct {
	client *client
	rows   model
}

func (h *history) compareView(v view, when string) {
	h.t.Helper()
	reader := &history{t: h.t, random: h.random, client: v.client, working: v.rows, tables: h.tables}
	reader.compare(when)
	for _, name := range []string{"ducklake_data_file", "ducklake_delete_file", "ducklake_column_mapping"} {
		definition := v.client.relation(name).Definition()
		column := map[string]string{"ducklake_column_mapping": "mapping_id", "ducklake_delete_file": "delete_file_id"}[name]
		if column == "" {
			column = "data_file_id"
		}
		ordinal := definition.Ordinal(column)
		for id := range 4 {
			want := 0
			for _, row := range v.rows[name] {
				if !row[ordinal].IsNull() && row[ordinal].Int() == int64(id) {
					want++
				}
			}
			if got := len(v.client.find(name, where{column, id})); got != want {
				h.t.Fatalf("%s: %d rows of %s with id %d, want %d", when, got, name, id, want)
			}
		}
	}
}

// TestReadersSeeWhatRandomCommitsLeft lets a reader follow random commits of all kinds of rows. Its views are of the state that
// they were begun in, also once it has gone on.
func TestReadersSeeWhatRandomCommitsLeft(t *testing.T) {
	for seed := range int64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			writer := openLake(t, memory.NewStore())
			f := follow(t, writer)
			h := &history{t: t, random: rand.New(rand.NewSource(seed)), lake: writer, working: model{}, tables: slices.Clone(creationOrder)}
			h.client = writer.begin().createAll()
			h.client.commit()
			var views []view
			for step := range 12 {
				h.transaction(1 + h.random.Intn(40))
				f.advance()
				now := view{client: f.begin(), rows: h.working.clone()}
				h.compareView(now, fmt.Sprintf("new view, step %d", step))
				views = append(views, now)
				old := h.random.Intn(len(views))
				h.compareView(views[old], fmt.Sprintf("view %d, step %d", old, step))
			}
			for _, v := range views {
				v.client.rollback()
			}
			f.last.Close()
		})
	}
}

func insertStatistics(l *lake, snapshot, from, to int) {
	c := l.begin().mint(snapshot)
	for id := from; id < to; id++ {
		c.insertFile(id, 7, snapshot)
		for column := 1; column <= 2; column++ {
			c.insert("ducklake_file_column_stats", id, 7, column, 10, snapshot, 0, "1", "2", nil, nil)
		}
	}
	c.commit()
}

// TestReadersAdvanceByTheChangelog holds by which way a reader gets on, and that images stay right on each.
func TestReadersAdvanceByTheChangelog(t *testing.T) {
	l := startedLake(t)
	insertStatistics(l, 1, 0, 2*imageRows)
	f := follow(t, l)
	images := func() int { return len(f.catalog.statistics.images) }
	var views []*client
	var counts []int
	check := func(wanted int) {
		t.Helper()
		views, counts = append(views, f.begin()), append(counts, wanted)
		for i, view := range views {
			if got := len(view.scanStatistics(7, 2)); got != counts[i] {
				t.Errorf("view %d: %d rows, want %d", i, got, counts[i])
			}
		}
	}
	check(2 * imageRows)
	if images() != 1 {
		t.Fatal("no image was made")
	}

	insertStatistics(l, 2, 2*imageRows, 3*imageRows)
	insertStatistics(l, 3, 3*imageRows, 3*imageRows+1)
	f.want(f.advance(), overlay.ByChangelog, 3)
	if images() != 1 {
		t.Error("added files drop an image")
	}
	check(3*imageRows + 1)

	change := l.begin().mint(4)
	change.delete("ducklake_file_column_stats", where{"data_file_id", 5})
	change.commit()
	f.want(f.advance(), overlay.ByChangelog, 4)
	if images() != 0 {
		t.Error("an image outlives the removal of one of its files")
	}
	check(3 * imageRows)

	maintenance := l.begin()
	maintenance.delete("ducklake_file_column_stats", where{"data_file_id", 6})
	maintenance.commit()
	f.want(f.advance(), overlay.ByRescan, 4)
	check(3*imageRows - 1)

	for snapshot := 5; snapshot <= 5+changelogWindow; snapshot++ {
		insertStatistics(l, snapshot, 1000+snapshot, 1001+snapshot)
	}
	f.want(f.advance(), overlay.ByRescan, 5+changelogWindow)
	check(3*imageRows - 1 + changelogWindow + 1)
	f.want(f.advance(), overlay.Unchanged, 5+changelogWindow)
	for _, view := range views {
		view.rollback()
	}
	f.last.Close()
}

// TestAnImageOfAnEarlierStateIsNotKept lets a scan go on while its reader advances without the changelog.
func TestAnImageOfAnEarlierStateIsNotKept(t *testing.T) {
	l := startedLake(t)
	insertStatistics(l, 1, 0, 2*imageRows)
	f := follow(t, l)
	collector := f.catalog.statistics.collect(statisticsColumn{table: 7, column: 2}, 2)
	for id := range uint64(2 * imageRows) {
		collector.add(id, []byte("x"))
	}
	maintenance := l.begin()
	maintenance.delete("ducklake_file_column_stats", where{"data_file_id", 6})
	maintenance.commit()
	f.want(f.advance(), overlay.ByRescan, 1)
	collector.publish()
	if len(f.catalog.statistics.images) != 0 {
		t.Error("the image is kept")
	}
	if late := f.catalog.statistics.collect(statisticsColumn{table: 7, column: 2}, 2); late != nil {
		t.Error("an image of the earlier state is begun")
	}
	f.last.Close()
}

func TestAnOlderStateIsRefused(t *testing.T) {
	l := startedLake(t)
	older := l.snapshot()
	defer older.Close()
	insertStatistics(l, 1, 0, 1)
	newer := l.snapshot()
	defer newer.Close()
	if _, err := l.catalog.Follow(context.Background(), newer, older); !errors.Is(err, overlay.ErrOlder) {
		t.Errorf("got %v", err)
	}
}

func TestReadersListNewInlinedTables(t *testing.T) {
	l := startedLake(t)
	f := follow(t, l)
	listed := func(c *client) bool {
		t.Helper()
		definitions, err := c.domain.Definitions(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(definitions, func(d *relation.Definition) bool { return d.Name == "ducklake_inlined_data_7_1" })
	}
	older := f.begin()
	if listed(older) {
		t.Error("a table is listed before it is made")
	}
	c := l.begin().mint(1)
	c.create(inlinedDefinition("ducklake_inlined_data_7_1"))
	c.commit()
	f.want(f.advance(), overlay.ByChangelog, 1)
	newer := f.begin()
	if listed(older) || !listed(newer) {
		t.Errorf("listed in the older view: %v, in the newer one: %v", listed(older), listed(newer))
	}
	older.rollback()
	newer.rollback()
	f.last.Close()
}

// TestReadersFindIDsThatTheyHaveNotHeardOf looks for data files by id, of which the changelog has not told the table.
func TestReadersFindIDsThatTheyHaveNotHeardOf(t *testing.T) {
	const files = 10
	l := startedLake(t)
	c := l.begin().mint(1)
	for id := range files {
		c.insertFile(id, 7, 1)
	}
	c.commit()
	f := follow(t, l)
	find := func(c *client, count int) {
		t.Helper()
		for id := range count {
			if got := len(c.find("ducklake_data_file", where{"data_file_id", id})); got != 1 {
				t.Errorf("%d files with id %d", got, id)
			}
		}
	}
	older := f.begin()
	find(older, files)

	maintenance := l.begin()
	maintenance.update("ducklake_data_file", "table_id", 8, where{"data_file_id", 5})
	maintenance.commit()
	f.want(f.advance(), overlay.ByRescan, 1)
	moved := f.begin()
	find(moved, files)

	last := changelogWindow + 2
	for snapshot := 2; snapshot <= last; snapshot++ {
		c := l.begin().mint(snapshot)
		c.insertFile(files+snapshot-2, 8, snapshot)
		c.commit()
	}
	f.want(f.advance(), overlay.ByRescan, uint64(last))
	c = l.begin().mint(last + 1)
	c.insertFile(files+last-1, 7, last+1) // of the same table as those before the ones that were not heard of
	c.commit()
	f.want(f.advance(), overlay.ByChangelog, uint64(last+1))
	newest := f.begin()
	for _, view := range []struct {
		*client
		count int
	}{{older, files}, {newest, files + last}, {moved, files}} {
		find(view.client, view.count)
		view.rollback()
	}
	f.last.Close()
}
