package lake

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

func TestSnapshotsIsolateTransactions(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	reader, writer := f.connect(), f.connect()

	reader.begin(relation.RepeatableRead).wantRows("t")
	writer.begin(relation.RepeatableRead).insert("t", 1, "a")
	writer.wantRows("t", "1=a")
	reader.wantRows("t")
	writer.commit()
	reader.wantRows("t")
	reader.commit()

	reader.begin(relation.ReadCommitted).wantRows("t", "1=a")
	writer.begin(relation.RepeatableRead).insert("t", 2, "b")
	writer.commit()
	reader.wantRows("t", "1=a")
	reader.ok(reader.transaction.StartStatement(background))
	reader.wantRows("t", "1=a", "2=b")
	reader.transaction.Rollback()
}

func TestRolledBackWritesAreGone(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().begin(relation.RepeatableRead)
	c.insert("t", 1, "a")
	c.transaction.Rollback()
	c.begin(relation.RepeatableRead).wantRows("t")
	c.insert("t", 2, "b")
	c.session.Close()
	other := f.connect().begin(relation.RepeatableRead)
	other.wantRows("t")
	other.commit()
}

// ticket takes the commit ticket of schema public.
// lose makes the session of loser hold the ticket in vain.
func TestKeysStaySingle(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t", primaryKey))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect()
	one.insert("t", 1, "a")
	one.wantDuplicate(one.insertInto(one.table("t"), 1, "b"), "Key (id)=(1) already exists.")
	one.transaction.Rollback()

	t.Run("among waiting inserts", func(t *testing.T) {
		one.begin(relation.RepeatableRead).insert("t", 1, "one")
		two.begin(relation.RepeatableRead)
		result := two.start(func() error { return two.insertInto(two.table("t"), 1, "two") })
		one.commit()
		two.wantDuplicate(<-result, "Key (id)=(1) already exists.")
		two.transaction.Rollback()
	})
	t.Run("against commits behind the snapshot", func(t *testing.T) {
		two.begin(relation.RepeatableRead).wantRows("t", "1=one")
		one.begin(relation.RepeatableRead).insert("t", 2, "one")
		one.commit()
		two.wantDuplicate(two.insertInto(two.table("t"), 2, "two"), "Key (id)=(2) already exists.")
		two.transaction.Rollback()
	})
	t.Run("when the one who had it lets go", func(t *testing.T) {
		one.begin(relation.RepeatableRead)
		one.ok(one.delete("t", 1))
		two.begin(relation.RepeatableRead)
		result := two.start(func() error { return two.insertInto(two.table("t"), 1, "two") })
		one.commit()
		two.ok(<-result)
		two.commit()
	})
	t.Run("through updates of the same transaction", func(t *testing.T) {
		one.begin(relation.RepeatableRead)
		one.ok(one.table("t").Update(background, one.identity("t", 1), relation.Row{relation.Int(7), relation.Text("moved")}))
		one.insert("t", 1, "again")
		one.wantDuplicate(one.insertInto(one.table("t"), 7, "no"), "Key (id)=(7) already exists.")
		one.transaction.Rollback()
		one.begin(relation.RepeatableRead).wantRows("t", "1=two", "2=one")
		mark := one.transaction.Savepoint()
		one.ok(one.delete("t", 2))
		one.ok(one.transaction.RollbackTo(background, mark))
		one.wantDuplicate(one.insertInto(one.table("t"), 2, "no"), "Key (id)=(2) already exists.")
		one.transaction.Rollback()
	})
}

func (c *client) wantDuplicate(err error, detail string) {
	c.Helper()
	c.wantError(err, pgerror.UniqueViolation, `duplicate key value violates unique constraint "t_pkey"`)
	if got := pgerror.From(err).Detail; got != detail {
		c.Fatalf("detail %q, want %q", got, detail)
	}
}

func TestSavepointsUndoEverything(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().begin(relation.RepeatableRead)
	c.insert("t", 1, "a")
	c.commit()
	c.begin(relation.RepeatableRead).insert("t", 2, "b")
	mark := c.transaction.Savepoint()
	c.ok(c.update("t", 1, "c"))
	c.ok(c.delete("t", 2))
	c.ok(c.transaction.CreateTable(background, integers("public", "u")))
	c.insert("u", 1, "u")
	c.ok(c.transaction.CreateSchema(background, "s"))
	altered := *c.table("t").Definition()
	altered.Columns = append(slices.Clone(altered.Columns), relation.Column{Name: "extra", Type: relation.Int8Type, Number: 3})
	c.ok(c.transaction.AlterTable(background, "public", "t", &altered, map[int16]relation.Value{3: relation.Int(5)}))
	c.wantRows("t", "1=c")
	c.ok(c.transaction.DropTable(background, "public", "t"))
	c.ok(c.transaction.RollbackTo(background, mark))
	c.wantRows("t", "1=a", "2=b")
	if columns := len(c.table("t").Definition().Columns); columns != 2 {
		t.Errorf("%d columns after the rollback", columns)
	}
	if found, err := c.transaction.Relation(background, "public", "u"); err != nil || found != nil {
		t.Errorf("table u: %v, %v", found, err)
	}
	c.ok(c.transaction.RollbackTo(background, mark))
	c.commit()
	c.begin(relation.RepeatableRead).wantRows("t", "1=a", "2=b")
	c.commit()
}

func TestReadOnlyTransactionWritesTemporaryTablesOnly(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().beginWith(relation.TransactionOptions{Isolation: relation.RepeatableRead, ReadOnly: true})
	c.wantError(c.insertInto(c.table("t"), 1, "a"), pgerror.ReadOnlySQLTransaction, "cannot write in a read-only transaction")
	c.wantError(c.transaction.CreateSchema(background, "s"), pgerror.ReadOnlySQLTransaction, "read-only")
	c.ok(c.transaction.CreateTable(background, integers(relation.TemporarySchema, "temporary")))
	c.ok(c.insertInto(c.tableIn(relation.TemporarySchema, "temporary"), 1, "a"))
	c.commit()
}

func TestOneTransactionWritesOneLake(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().begin(relation.RepeatableRead)
	c.ok(c.transaction.CreateSchema(background, "s"))
	c.ok(c.transaction.CreateTable(background, integers("s", "t")))
	err := c.insertInto(c.table("t"), 1, "a")
	c.wantError(err, pgerror.FeatureNotSupported, "in one transaction")
	if pgerror.From(err).Retried() {
		t.Errorf("DuckLake would repeat %v", err)
	}
	c.commit()
	c.begin(relation.RepeatableRead)
	mark := c.transaction.Savepoint()
	c.insert("t", 1, "a")
	c.wantRowsOf(c.tableIn("s", "t"))
	c.ok(c.transaction.RollbackTo(background, mark))
	c.ok(c.insertInto(c.tableIn("s", "t"), 2, "b"))
	c.commit()
	c.begin(relation.RepeatableRead).wantRows("t")
	c.wantRowsOf(c.tableIn("s", "t"), "2=b")
	c.commit()
}

func TestStoreFailures(t *testing.T) {
	for _, test := range []struct {
		name    string
		failure error
		code    string
		message string
		heals   bool
	}{
		{"disk full", fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrNotApplied, errNoSpace), pgerror.DiskFull, "No space left", true},
		{"disk full, and nobody knows what was written", fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrReopen, errNoSpace),
			pgerror.TransactionResolutionUnknown, "it may be durable or not", true},
		{"input or output error", store.ErrUnavailable, pgerror.IOError, "the store failed", false},
		{"fenced", store.ErrFenced, pgerror.AdminShutdown, "another server has taken over", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable(integers("public", "t"))
			c := f.connect().begin(relation.RepeatableRead)
			c.insert("t", 1, "a")
			f.engine.fail(test.failure)
			err := c.transaction.Commit(background)
			c.wantError(err, test.code, test.message)
			if pgerror.From(err).Retried() {
				t.Errorf("DuckLake would repeat %v", err)
			}
			f.engine.fail(nil)
			c.begin(relation.RepeatableRead).wantRows("t")
			err = c.insertInto(c.table("t"), 2, "b")
			if !test.heals {
				c.wantError(err, test.code, test.message)
				c.transaction.Rollback()
				return
			}
			c.ok(err)
			c.commit()
			c.begin(relation.RepeatableRead).wantRows("t", "2=b")
			c.commit()
		})
	}
}

func TestPanicInADomainLeavesNoLock(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().begin(relation.RepeatableRead)
	c.insert("t", 1, "a")
	f.engine.readPanics.Store(true)
	c.wantPanic(func() { _ = c.transaction.Commit(background) })
	f.engine.readPanics.Store(false)
	other := f.connect().begin(relation.RepeatableRead)
	other.insert("t", 2, "b")
	other.commit()
	c.begin(relation.RepeatableRead).wantRows("t", "2=b")
	c.commit()
}

// TestPanicInTheStoreEndsTheLake: nobody knows whether the batch is there.
func TestPanicInTheStoreEndsTheLake(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().begin(relation.RepeatableRead)
	c.insert("t", 1, "a")
	f.engine.panics.Store(true)
	c.wantPanic(func() { _ = c.transaction.Commit(background) })
	f.engine.panics.Store(false)
	other := f.connect().begin(relation.RepeatableRead)
	other.wantRows("t")
	other.wantError(other.insertInto(other.table("t"), 2, "b"), pgerror.InternalError, "may be durable")
	other.transaction.Rollback()
}

func (c *client) wantPanic(of func()) {
	c.Helper()
	defer func() {
		if recover() == nil {
			c.Error("the panic did not come through")
		}
	}()
	of()
}

func TestOIDsAreStableAndDistinct(t *testing.T) {
	one, two := newIdentities(), newIdentities()
	seen := map[uint32]string{}
	for i := range 20_000 {
		name := fmt.Sprintf("table_%d", i)
		oid := one.oid("public", name)
		if oid < relation.FirstOID || oid >= relation.OIDLimit {
			t.Fatalf("OID %d of %s", oid, name)
		}
		if other, taken := seen[oid]; taken {
			t.Fatalf("%s and %s both have OID %d", name, other, oid)
		}
		seen[oid] = name
		if again := one.oid("public", name); again != oid {
			t.Fatalf("%s has OID %d and then %d", name, oid, again)
		}
	}
	if one.oid("public", "table_0") != two.oid("public", "table_0") {
		t.Error("the OID of a name differs between two starts")
	}
	before := one.oid("pg_temp_1", "x")
	one.release("pg_temp_1")
	if again := one.oid("pg_temp_1", "x"); again != before {
		t.Errorf("a released name has OID %d, then %d", before, again)
	}
}

func TestDefinitionsComeByOID(t *testing.T) {
	f := newFixture(t)
	for i := range 10 {
		f.createTable(integers("public", fmt.Sprintf("t%d", i)))
	}
	c := f.connect().begin(relation.RepeatableRead)
	c.ok(c.transaction.CreateTable(background, integers("public", "own")))
	definitions, err := c.transaction.Definitions(background, "public")
	c.ok(err)
	var oids []uint32
	for _, definition := range definitions {
		oids = append(oids, definition.OID)
		if reflect.DeepEqual(definition, c.table(definition.Name).Definition()) == false {
			t.Errorf("table %s is listed with another definition than it has", definition.Name)
		}
	}
	if len(oids) != 11 || !slices.IsSorted(oids) {
		t.Errorf("OIDs %v", oids)
	}
	c.transaction.Rollback()
}
