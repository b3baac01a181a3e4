package lake

import (
	"context"
	"slices"
	"strings"
	"time"

	"moraine/relation"
	"moraine/store"
)

// replicationFunction is the name of the function that tells how far the lakes of a read-only server are.
const replicationFunction = "moraine_replication"

// replicationColumns are the columns of a lake. Times of day are those at which a refresh began.
var replicationColumns = []relation.Column{
	{Name: "schema", Type: relation.TextType, NotNull: true, Number: 1},
	{Name: "snapshot_id", Type: relation.Int8Type, NotNull: true, Number: 2},
	{Name: "batches", Type: relation.Int8Type, NotNull: true, Number: 3},
	{Name: "last_refresh", Type: relation.TimestampTZType, NotNull: true, Number: 4},
	{Name: "last_change", Type: relation.TimestampTZType, NotNull: true, Number: 5},
	{Name: "age_ms", Type: relation.Int8Type, NotNull: true, Number: 6},
	{Name: "refresh_us", Type: relation.Int8Type, NotNull: true, Number: 7},
	{Name: "advance", Type: relation.TextType, Number: 8},
	{Name: "advance_us", Type: relation.Int8Type, Number: 9},
	{Name: "advance_keys", Type: relation.Int8Type, Number: 10},
	{Name: "tail_bytes", Type: relation.Int8Type, Number: 11},
	{Name: "log_files", Type: relation.Int8Type, Number: 12},
	{Name: "bases", Type: relation.Int8Type, Number: 13},
	{Name: "error", Type: relation.TextType, Number: 14},
}

// replicationFunction is moraine_replication(): a row for each open lake of the database that follows another server, none
// on a server that writes.
func (t *Transaction) replicationFunction() *relation.TableFunction {
	return &relation.TableFunction{
		Name: replicationFunction, Columns: replicationColumns,
		Call: func(context.Context, []relation.Value) (relation.Cursor, error) {
			var rows []relation.Row
			for _, lake := range t.session.database.followers() {
				rows = append(rows, lake.following.row())
			}
			return relation.NewRowCursor(len(replicationColumns), rows), nil
		},
	}
}

// followers gives the open lakes that follow, by schema.
func (d *database) followers() []*lake {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	var lakes []*lake
	for _, entry := range d.lakes {
		select {
		case <-entry.done:
			if entry.lake != nil && entry.lake.following != nil {
				lakes = append(lakes, entry.lake)
			}
		default:
		}
	}
	slices.SortFunc(lakes, func(a, b *lake) int { return strings.Compare(a.schema, b.schema) })
	return lakes
}

func (f *following) row() relation.Row {
	now := f.now()
	row := relation.Row{
		relation.Text(f.lake.schema), relation.Int(int64(now.position.Snapshot)), relation.Int(int64(now.position.Batches)),
		timestamp(now.looked), timestamp(now.moved), relation.Int(time.Since(now.looked).Milliseconds()),
		relation.Int(now.took.Microseconds()),
		relation.NULL, relation.NULL, relation.NULL, relation.NULL, relation.NULL, relation.NULL, relation.NULL,
	}
	if now.kind != "" {
		row[7], row[8], row[9] = relation.Text(string(now.kind)), relation.Int(now.advanced.Microseconds()), relation.Int(int64(now.keys))
	}
	if costly, ok := f.store.(store.CostlyFollower); ok {
		cost := costly.Cost()
		row[10], row[11], row[12] = relation.Int(cost.TailBytes), relation.Int(cost.LogFiles), relation.Int(cost.Bases)
	}
	if now.failure != nil {
		row[13] = relation.Text(now.failure.Error())
	}
	return row
}

// epoch is what timestamps are counted from, in microseconds.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func timestamp(at time.Time) relation.Value { return relation.Int(at.UnixMicro() - epoch) }
