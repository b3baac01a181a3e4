package lake

import (
	"strings"
	"testing"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/usertable"
)

func temporaryTable(name string, onCommit relation.OnCommit, constraints ...relation.Constraint) *relation.Definition {
	definition := integers(relation.TemporarySchema, name, constraints...)
	definition.OnCommit = onCommit
	return definition
}

func TestTemporaryTables(t *testing.T) {
	f := newFixture(t)
	c, other := f.connect(), f.connect()
	c.begin(relation.RepeatableRead)
	for name, onCommit := range map[string]relation.OnCommit{"kept": relation.PreserveRows, "emptied": relation.DeleteRows, "dropped": relation.Drop} {
		c.ok(c.transaction.CreateTable(background, temporaryTable(name, onCommit)))
		c.ok(c.insertInto(c.tableIn(relation.TemporarySchema, name), 1, "a"))
		c.wantRowsOf(c.tableIn(relation.TemporarySchema, name), "1=a")
	}
	c.wantError(c.transaction.CreateTable(background, temporaryTable("kept", relation.Drop)), pgerror.DuplicateTable, "already exists")
	c.wantSchemas("public", relation.TemporarySchema)
	if definition := c.tableIn(relation.TemporarySchema, "kept").Definition(); definition.Persistence != relation.Temporary {
		t.Errorf("persistence %c", definition.Persistence)
	}
	c.commit()

	c.begin(relation.RepeatableRead)
	c.wantRowsOf(c.tableIn(relation.TemporarySchema, "kept"), "1=a")
	c.wantRowsOf(c.tableIn(relation.TemporarySchema, "emptied"))
	if found, err := c.transaction.Relation(background, relation.TemporarySchema, "dropped"); err != nil || found != nil {
		t.Errorf("a table with ON COMMIT DROP: %v, %v", found, err)
	}
	c.ok(c.insertInto(c.tableIn(relation.TemporarySchema, "emptied"), 2, "b"))
	c.commit()
	c.begin(relation.RepeatableRead)
	c.wantRowsOf(c.tableIn(relation.TemporarySchema, "emptied"))
	c.commit()

	other.begin(relation.RepeatableRead)
	if found, err := other.transaction.Relation(background, relation.TemporarySchema, "kept"); err != nil || found != nil {
		t.Errorf("another session's table: %v, %v", found, err)
	}
	other.wantSchemas("public")
	other.commit()

	c.ok(c.session.DropTemporary(background))
	c.begin(relation.RepeatableRead).wantSchemas("public")
	c.commit()
}

func TestTemporaryTablesAreTransactional(t *testing.T) {
	f := newFixture(t)
	c := f.connect().begin(relation.RepeatableRead)
	c.ok(c.transaction.CreateTable(background, temporaryTable("x", relation.PreserveRows, primaryKey)))
	table := c.tableIn(relation.TemporarySchema, "x")
	c.ok(c.insertInto(table, 1, "a"))
	mark := c.transaction.Savepoint()
	c.ok(c.insertInto(table, 2, "b"))
	c.ok(c.transaction.RollbackTo(background, mark))
	c.wantRowsOf(table, "1=a")
	c.commit()
	c.begin(relation.RepeatableRead)
	table = c.tableIn(relation.TemporarySchema, "x")
	c.wantDuplicate(c.insertInto(table, 1, "again"), "Key (id)=(1) already exists.")
	c.transaction.Rollback()
	c.begin(relation.RepeatableRead)
	c.wantRowsOf(c.tableIn(relation.TemporarySchema, "x"), "1=a")
	c.ok(c.transaction.DropTable(background, relation.TemporarySchema, "x"))
	c.transaction.Rollback()
	c.begin(relation.RepeatableRead)
	c.wantRowsOf(c.tableIn(relation.TemporarySchema, "x"), "1=a")
	c.commit()
}

func TestTemporaryTablesAreBounded(t *testing.T) {
	f := newFixture(t)
	c := f.connect().begin(relation.RepeatableRead)
	c.ok(c.transaction.CreateTable(background, temporaryTable("x", relation.PreserveRows)))
	table := c.tableIn(relation.TemporarySchema, "x")
	large := strings.Repeat("x", usertable.TemporaryMemoryLimit/2)
	c.ok(c.insertInto(table, 1, large))
	c.wantError(c.insertInto(table, 2, large), pgerror.OutOfMemory, "temporary tables")
	c.transaction.Rollback()
}
