package ducklake

import (
	"context"
	"math"
	"slices"
	"testing"

	"moraine/keyspace"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// alter gives a table another definition, made from its present one.
func (c *client) alter(name string, change func(*relation.Definition), fill map[int16]relation.Value) error {
	c.t.Helper()
	definition := *c.relation(name).Definition()
	definition.Columns = slices.Clone(definition.Columns)
	change(&definition)
	return c.domain.AlterTable(context.Background(), name, &definition, fill)
}

func addColumn(name string, columnType relation.Type) func(*relation.Definition) {
	return func(definition *relation.Definition) {
		number := definition.Columns[len(definition.Columns)-1].Number + 1
		definition.Columns = append(definition.Columns, relation.Column{Name: name, Type: columnType, Number: number})
	}
}

func dropColumn(name string) func(*relation.Definition) {
	return func(definition *relation.Definition) {
		ordinal := definition.Ordinal(name)
		definition.Columns = slices.Delete(definition.Columns, ordinal, ordinal+1)
	}
}

// inBoth runs a check in the transaction that made a change and in one that starts after its commit.
func (c *client) inBoth(check func(*client)) *client {
	c.t.Helper()
	check(c)
	c.commit()
	next := c.begin()
	check(next)
	return next
}

func TestColumnOfALaterDuckLakeIsKept(t *testing.T) {
	l := startedLake(t)
	first := l.begin().mint(1)
	first.insert("ducklake_table_stats", 1, 10, 10, 100)
	first.commit()
	c := l.begin()
	if err := c.alter("ducklake_table_stats", addColumn("row_group_count", relation.Int8Type), nil); err != nil {
		t.Fatal(err)
	}
	c.insert("ducklake_table_stats", 2, 20, 20, 200, 7)
	c.insert("ducklake_table_stats", 3, 30, 30, 300, math.MaxInt64) // bytes that are no text
	next := c.inBoth(func(c *client) {
		c.want("ducklake_table_stats", []any{1, 10, 10, 100, nil}, []any{2, 20, 20, 200, 7}, []any{3, 30, 30, 300, math.MaxInt64})
	})
	next.update("ducklake_table_stats", "row_group_count", 3, where{"table_id", 1})
	next.commit()
	stats := storedRecord[keyspace.TableStatsValue](t, l.dump(), keyspace.TableStatsEntity(1).Current())
	if len(stats.Extension.ExtraColumns) != 1 || stats.Extension.ExtraColumns[0].Name != "row_group_count" {
		t.Errorf("record %+v", stats)
	}
}

func TestAddedColumnsFillThePresentRows(t *testing.T) {
	l := newLake(t)
	c := l.begin()
	older := standardDefinition(schemas.parent, c).definition
	older.Columns = slices.DeleteFunc(slices.Clone(older.Columns), func(column relation.Column) bool {
		return column.Name == "path" || column.Name == "path_is_relative"
	})
	c.create(older)
	c.insert("ducklake_schema", 0, mainUUID, 0, nil, "main")
	c.commit()
	migrate := l.begin()
	for _, column := range []struct {
		name  string
		of    relation.Type
		value relation.Value
	}{{"path", relation.VarcharType, relation.Text("")}, {"path_is_relative", relation.BoolType, relation.Bool(true)}} {
		number := migrate.relation("ducklake_schema").Definition().Columns
		fill := map[int16]relation.Value{number[len(number)-1].Number + 1: column.value}
		if err := migrate.alter("ducklake_schema", addColumn(column.name, column.of), fill); err != nil {
			t.Fatal(err)
		}
	}
	migrate.insert("ducklake_schema", 1, mainUUID, 1, nil, "other", "other/", false)
	migrate.inBoth(func(c *client) {
		c.want("ducklake_schema", []any{0, mainUUID, 0, nil, "main", "", true}, []any{1, mainUUID, 1, nil, "other", "other/", false})
	}).rollback()
	if schema := storedRecord[keyspace.SchemaValue](t, l.dump(), keyspace.SchemaEntity(0).Current()); !schema.PathIsRelative {
		t.Errorf("record %+v", schema)
	}
}

func TestDroppedColumnDoesNotComeBack(t *testing.T) {
	l := startedLake(t)
	c := l.begin()
	if err := c.alter("ducklake_schema", dropColumn("path"), nil); err != nil {
		t.Fatal(err)
	}
	c.inBoth(func(c *client) { c.want("ducklake_schema", []any{0, mainUUID, 0, nil, "main", true}) }).rollback()
	again := l.begin()
	if err := again.alter("ducklake_schema", addColumn("path", relation.VarcharType), nil); err != nil {
		t.Fatal(err)
	}
	again.inBoth(func(c *client) { c.want("ducklake_schema", []any{0, mainUUID, 0, nil, "main", true, nil}) }).rollback()
}

func TestRenamedColumnKeepsItsValues(t *testing.T) {
	l := startedLake(t)
	c := l.begin()
	err := c.alter("ducklake_schema", func(definition *relation.Definition) {
		definition.Columns[definition.Ordinal("path")].Name = "location"
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.inBoth(func(c *client) { c.want("ducklake_schema", []any{0, mainUUID, 0, nil, "main", "main/", true}) }).rollback()
}

func TestDroppedCatalogTableIsEmptyWhenMadeAgain(t *testing.T) {
	l := startedLake(t)
	first := l.begin().mint(1)
	first.insertFile(1, 7, 1)
	first.insert("ducklake_file_partition_value", 1, 7, 0, "a")
	first.commit()
	c := l.begin()
	if err := c.domain.DropTable(context.Background(), "ducklake_file_partition_value"); err != nil {
		t.Fatal(err)
	}
	if found, err := c.domain.Relation(context.Background(), "ducklake_file_partition_value"); found != nil || err != nil {
		t.Errorf("got %v, %v", found, err)
	}
	mark := len(c.journal)
	c.create(standardDefinition(catalogTables["ducklake_file_partition_value"], c).definition)
	c.rollbackTo(mark)
	if found, _ := c.domain.Relation(context.Background(), "ducklake_file_partition_value"); found != nil {
		t.Error("the rollback left the table")
	}
	c.create(standardDefinition(catalogTables["ducklake_file_partition_value"], c).definition)
	c.inBoth(func(c *client) {
		c.want("ducklake_file_partition_value")
		if len(c.find("ducklake_data_file")) != 1 {
			t.Error("the data file is gone")
		}
	}).rollback()
}

func TestStoreOfTheOriginalIsTakenOver(t *testing.T) {
	l := goldenLake(t)
	c := l.begin()
	if c.delete("ducklake_metadata", where{"key", "version"}) != 1 {
		t.Fatal("no version")
	}
	next := c.inBoth(func(c *client) {
		if len(c.find("ducklake_metadata", where{"key", "version"})) != 0 || len(c.find("ducklake_metadata", where{"key", "created_by"})) != 1 {
			t.Errorf("options %v", c.rows("ducklake_metadata"))
		}
	})
	if definitions, err := next.domain.Definitions(context.Background()); err != nil || len(definitions) < len(creationOrder) {
		t.Errorf("%d tables, %v", len(definitions), err)
	}
	next.rollback()
	update := goldenLake(t)
	writer := update.begin()
	writer.update("ducklake_metadata", "value", "0.9", where{"key", "version"})
	writer.inBoth(func(c *client) {
		if rows := c.find("ducklake_metadata", where{"key", "version"}); len(rows) != 1 || rows[0].row[1] != relation.Text("0.9") {
			t.Errorf("options %v", c.rows("ducklake_metadata"))
		}
	}).rollback()
}

func TestConcurrentDefinitionIsNotOverwritten(t *testing.T) {
	l := startedLake(t)
	one, two := l.begin(), l.begin()
	two.find("ducklake_table_stats")
	if err := one.alter("ducklake_table_stats", addColumn("later", relation.Int8Type), nil); err != nil {
		t.Fatal(err)
	}
	one.commit()
	two.insert("ducklake_table_stats", 1, 1, 1, 1)
	snapshot := l.snapshot()
	defer snapshot.Close()
	err := two.domain.Stage(context.Background(), snapshot, &store.Batch{})
	if !pgerror.HasCode(err, pgerror.SerializationFailure) {
		t.Errorf("got %v", err)
	}
	two.rollback()
}

func TestTablesExistFromTheirCreationOn(t *testing.T) {
	l := newLake(t)
	c := l.begin()
	if definitions, err := c.domain.Definitions(context.Background()); err != nil || len(definitions) != 0 {
		t.Errorf("%d tables, %v", len(definitions), err)
	}
	c.create(standardDefinition(options.children[0], c).definition)
	c.insert("ducklake_metadata", "key", "value", nil, nil)
	c.inBoth(func(c *client) {
		c.want("ducklake_metadata", []any{"key", "value", nil, nil})
		if definitions, err := c.domain.Definitions(context.Background()); err != nil || len(definitions) != 1 {
			t.Errorf("%d tables, %v", len(definitions), err)
		}
	}).rollback()
	if head := storedRecord[keyspace.HeadValue](t, l.dump(), keyspace.HeadKey()); head.BatchSequence != 0 {
		t.Errorf("head %+v", head)
	}
}
