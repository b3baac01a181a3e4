//go:build slatedb

package faults

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/pgerror"
	"moraine/store/storetest/bucket"
)

// dropped is something that can be dropped, with its one table.
type dropped struct {
	drop, create string // statements
	database     string // the one that has the table
	table        string // its name, with the schema
	objects      string // where they are
}

var (
	droppedSchema = dropped{
		drop: "DROP SCHEMA other CASCADE", create: "CREATE SCHEMA other",
		database: "moraine", table: "other.notes", objects: "store/moraine/other/",
	}
	droppedDatabase = dropped{
		drop: "DROP DATABASE shop", create: "CREATE DATABASE shop",
		database: "shop", table: "public.notes", objects: "store/shop/",
	}
)

const (
	dropName   = "drop"
	createName = "create"
)

func dieInDropSchema(t *testing.T)   { dieInDrop(t, droppedSchema) }
func dieInDropDatabase(t *testing.T) { dieInDrop(t, droppedDatabase) }

// dieInDrop lets a drop die, also while the objects are removed that it leaves behind.
func dieInDrop(t *testing.T, d dropped) {
	prepared := prepare(t, func(p *process) {
		p.execute(p.connect(), d.create)
		p.executeIn(d.database, "CREATE TABLE "+d.table+" (id bigint)", "INSERT INTO "+d.table+" VALUES (1)")
	})
	eachMoment(t, prepared, func(t *trial) bool {
		p := running(t.T, t.content)
		client := p.connect()
		completed := t.dying(p, func() error {
			if err := t.acknowledge(dropName, execute(client, d.drop)); err != nil {
				return err
			}
			return p.awaitRemoval(t.content, d.objects)
		})
		after := running(t.T, t.content)
		t.proveDrop(after, d)
		after.stop()
		return completed
	})
}

// eachMoment makes trials at both moments.
func eachMoment(t *testing.T, prepared *bucket.Bucket, run func(*trial) (completed bool)) {
	t.Helper()
	for _, moment := range moments {
		trials(t, moment, prepared, run)
	}
}

// awaitRemoval waits until the objects below a prefix are gone, or the process is dead.
func (p *process) awaitRemoval(content *bucket.Bucket, prefix string) error {
	for len(content.List(p.t, prefix)) > 0 {
		select {
		case <-p.dead:
			return errors.New("the process has died")
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// proveDrop finds all of what was dropped or nothing, and makes it anew.
func (t *trial) proveDrop(after *process, d dropped) {
	t.Helper()
	rows, err := after.readTable(d)
	switch {
	case err == nil && t.acknowledged.has(dropName):
		t.Error("the drop was acknowledged and is undone")
	case err == nil && len(rows) != 1:
		t.Errorf("what was not dropped has the rows %v", rows)
	case err == nil:
		after.execute(after.connect(), d.drop)
	default:
		var answer *pgconn.PgError
		if !errors.As(err, &answer) || answer.Code != pgerror.UndefinedTable && answer.Code != pgerror.InvalidCatalogName {
			t.Errorf("what was dropped answers %v", err)
		}
	}
	after.execute(after.connect(), d.create)
	if rows, err := after.readTable(d); err == nil {
		t.Errorf("what was made anew has the old table, with the rows %v", rows)
	}
	after.executeIn(d.database, "CREATE TABLE "+d.table+" (id bigint)", "INSERT INTO "+d.table+" VALUES (2), (3)")
	if rows, err := after.readTable(d); err != nil || len(rows) != 2 {
		t.Errorf("what was made anew has the rows %v, %v", rows, err)
	}
}

func (p *process) readTable(d dropped) ([][]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client, err := p.dialTo(ctx, d.database)
	if err != nil {
		return nil, err
	}
	defer client.Close(ctx)
	r := &reader{ctx: ctx, client: client}
	return r.rows("SELECT id FROM " + d.table), r.err
}

// executeIn sends statements to one of the databases; they must succeed.
func (p *process) executeIn(database string, statements ...string) {
	p.t.Helper()
	client, err := p.dialTo(p.t.Context(), database)
	if err != nil {
		p.t.Fatal(err)
	}
	p.execute(client, statements...)
	_ = client.Close(p.t.Context()) // a database with sessions cannot be dropped
}

func dieInCreateSchema(t *testing.T) {
	prepared := prepare(t, func(*process) {})
	eachMoment(t, prepared, func(t *trial) bool {
		p := running(t.T, t.content)
		client := p.connect()
		completed := t.dying(p, func() error { return t.acknowledge(createName, execute(client, droppedSchema.create)) })
		after := running(t.T, t.content)
		client = after.connect()
		if t.acknowledged.has(createName) {
			after.execute(client, "CREATE TABLE other.notes (id bigint)")
		}
		after.execute(client, "CREATE SCHEMA IF NOT EXISTS other", "CREATE TABLE IF NOT EXISTS other.notes (id bigint)",
			"INSERT INTO other.notes VALUES (1)", droppedSchema.drop)
		after.stop()
		return completed
	})
}
