package main

import (
	"fmt"
	"strings"
	"time"

	"moraine/bench/conversation"
)

// growingLake is a lake that grows by commits as DuckLake makes them, and what they have made of it.
type growingLake struct {
	client *client
	now    lakeSize // so far; the first snapshot is that of the first attach
	final  lakeSize
	ids    int // used from the counter of catalog ids
	// schemaVersion grows with each table.
	schemaVersion int
	expired       int // snapshots
	tables        []grownTable

	fileCommits, tableCommits []time.Duration
}

// grownTable is one table, and what its statistics say.
type grownTable struct{ id, files int }

const grownFileRows = 100 // that each data file claims to hold

func newGrowingLake(client *client, final lakeSize) *growingLake {
	return &growingLake{client: client, final: final, ids: 1}
}

// growTo adds tables and files, each in its share of the snapshots.
func (l *growingLake) growTo(size lakeSize) error {
	for l.now.snapshots < size.snapshots {
		if l.now.tables*l.final.snapshots <= l.now.snapshots*l.final.tables && l.now.tables < size.tables {
			took, err := l.send(l.newTable()...)
			if err != nil {
				return err
			}
			l.tableCommits = append(l.tableCommits, took)
			continue
		}
		files := (l.now.snapshots+1)*l.final.files/l.final.snapshots - l.now.files
		took, err := l.send(l.newFiles(max(1, files))...)
		if err != nil {
			return err
		}
		l.fileCommits = append(l.fileCommits, took)
	}
	return nil
}

// send sends statements and gives the time that the server took for them all.
func (l *growingLake) send(statements ...string) (time.Duration, error) {
	var sum time.Duration
	for _, text := range statements {
		got, err := l.client.exchange(conversation.Exchange{Message: conversation.Query, Text: text}, false)
		if err != nil {
			return 0, fmt.Errorf("%w\n%s", err, text)
		}
		sum += got.took
	}
	return sum, nil
}

const (
	beginGrowth    = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ"
	latestSnapshot = `COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM (SELECT snapshot_id, schema_version,` +
		` next_catalog_id, next_file_id FROM "public".ducklake_snapshot WHERE snapshot_id = (SELECT MAX(snapshot_id) FROM` +
		` "public".ducklake_snapshot)) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary");`
	endGrowth = "COMMIT"
)

// commit makes a transaction of the statements that one snapshot brings.
func (l *growingLake) commit(changes, statements string) []string {
	l.now.snapshots++
	snapshot := fmt.Sprintf(`INSERT INTO "public".ducklake_snapshot VALUES (%d, NOW(), %d, %d, %d);`, l.now.snapshots, l.schemaVersion, l.ids, l.now.files)
	change := fmt.Sprintf(`INSERT INTO "public".ducklake_snapshot_changes VALUES (%d, '%s', NULL, NULL, NULL);`, l.now.snapshots, changes)
	return []string{beginGrowth, latestSnapshot, snapshot + statements + change, endGrowth}
}

func (l *growingLake) newTable() []string {
	id, snapshot := l.ids, l.now.snapshots+1
	l.ids++
	l.now.tables++
	l.schemaVersion++
	l.tables = append(l.tables, grownTable{id: id})
	var text strings.Builder
	fmt.Fprintf(&text, `INSERT INTO "public".ducklake_table VALUES (%d, '00000000-0000-7000-8000-%012x', %d, NULL, 0, 'table_%d', 'table_%d/', true);`,
		id, id, snapshot, id, id)
	text.WriteString(`INSERT INTO "public".ducklake_column VALUES `)
	for column := 1; column <= statisticsColumns; column++ {
		if column > 1 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, "(%d, %d, NULL, %d, %d, 'column_%d', 'int64', NULL, 'NULL', true, NULL, NULL, NULL)", column, snapshot, id, column, column)
	}
	fmt.Fprintf(&text, `;INSERT INTO "public".ducklake_schema_versions VALUES (%d, %d, %d);`, snapshot, l.schemaVersion, id)
	return l.commit(fmt.Sprintf(`created_table:"main"."table_%d"`, id), text.String())
}

// newFiles adds files to one table, each time to the next.
func (l *growingLake) newFiles(count int) []string {
	table, snapshot := &l.tables[l.now.snapshots%len(l.tables)], l.now.snapshots+1
	first := l.now.files
	l.now.files += count
	var files, statistics strings.Builder
	for file := first; file < first+count; file++ {
		separator := ","
		if file == first {
			separator = ""
		}
		row := (table.files + file - first) * grownFileRows
		fmt.Fprintf(&files, "%s(%d, %d, %d, NULL, NULL, 'ducklake-%08x-0000-7000-8000-%012x.parquet', true, 'parquet', %d, 4000, 400, %d, NULL, NULL, NULL, NULL)",
			separator, file, table.id, snapshot, file*7919, file, grownFileRows, row)
		for column := 1; column <= statisticsColumns; column++ {
			fmt.Fprintf(&statistics, "%s(%d, %d, %d, 400, %d, 0, '%d', '%d', NULL, NULL)",
				separator, file, table.id, column, grownFileRows, row, row+grownFileRows-1)
			separator = ","
		}
	}
	before := table.files
	table.files += count
	text := l.tableStatistics(table, before == 0) + `INSERT INTO "public".ducklake_data_file VALUES ` + files.String() +
		`;INSERT INTO "public".ducklake_file_column_stats VALUES ` + statistics.String() + ";"
	return l.commit(fmt.Sprintf("inserted_into_table:%d", table.id), text)
}

func (l *growingLake) tableStatistics(table *grownTable, fresh bool) string {
	rows := table.files * grownFileRows
	if fresh {
		return fmt.Sprintf(`INSERT INTO "public".ducklake_table_stats VALUES (%d, %d, %d, %d);`, table.id, rows, rows, table.files*4000)
	}
	return fmt.Sprintf(`UPDATE "public".ducklake_table_stats SET record_count=%d, file_size_bytes=%d, next_row_id=%d WHERE table_id=%d;`,
		rows, table.files*4000, rows, table.id)
}

// prunedQuery is what DuckDB asks for a query of one table with a filter on one column.
func (l *growingLake) prunedQuery() []string {
	table := l.tables[len(l.tables)/2]
	return []string{beginGrowth, latestSnapshot,
		fmt.Sprintf(`COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes",`+
			` "footer_size", "row_id_start", "partial_max", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '%d' AND`+
			` "begin_snapshot" <= '%d') TO STDOUT (FORMAT "binary");`, table.id, l.now.snapshots),
		fmt.Sprintf(`COPY (SELECT "data_file_id", "value_count", "max_value", "min_value" FROM (SELECT data_file_id, value_count, max_value, min_value`+
			` FROM "public".ducklake_file_column_stats WHERE column_id = 5 AND table_id = %d) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary");`, table.id),
		endGrowth}
}

// expiry takes the oldest snapshots away.
func (l *growingLake) expiry() []string {
	ids := make([]string, expiredSnapshots)
	for i := range ids {
		l.expired++
		ids[i] = fmt.Sprint(l.expired)
	}
	list := strings.Join(ids, ",")
	return []string{beginGrowth, `DELETE FROM "public".ducklake_snapshot WHERE snapshot_id IN (` + list + ")",
		`DELETE FROM "public".ducklake_snapshot_changes WHERE snapshot_id IN (` + list + ")", endGrowth}
}
