package ducklake

import (
	"context"
	"slices"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
)

// CreateTable implements overlay.Domain. A table with the name of a catalog table is one, unless a column that DuckLake
// knows has another type there: then it is somebody's own, and a plain table.
func (t *transaction) CreateTable(ctx context.Context, definition *relation.Definition) (bool, error) {
	table, known := catalogTables[definition.Name]
	if !known {
		return t.createInlined(ctx, definition)
	}
	if !table.accepts(definition.Columns) {
		return false, nil
	}
	state, err := t.current(ctx)
	if err != nil {
		return true, err
	}
	if err := t.changeDefinitions(ctx, table.name); err != nil {
		return true, err
	}
	created := newTableDefinition(table, t.nextCreated(state), *definition, t.environment)
	numberColumns(created.definition.Columns)
	t.redefine(table.name, &redefinition{present: created})
	return true, nil
}

// accepts tells whether the columns that DuckLake knows have the types that DuckLake gives them.
func (t *catalogTable) accepts(columns []relation.Column) bool {
	known := 0
	for _, column := range columns {
		ordinal := ordinalOf(t.standard, column.Name)
		if ordinal < 0 {
			continue
		}
		if standard := t.standard[ordinal].Type; column.Type != standard &&
			(standard != relation.VarcharType || column.Type != relation.TextType) {
			return false
		}
		known++
	}
	return known > 0
}

// numberColumns gives numbers to the columns of a new table that have none.
func numberColumns(columns []relation.Column) {
	for i := range columns {
		if columns[i].Number == 0 {
			columns[i].Number = int16(i + 1)
		}
	}
}

// nextCreated gives the place of a new table in the order of creation.
func (t *transaction) nextCreated(state *state) int {
	next := 0
	for name := range catalogTables {
		if definition := t.definition(state, name); definition != nil {
			next = max(next, definition.created+1)
		}
	}
	return next
}

// changeDefinitions prepares a change of a table's definition: one transaction at a time may change one.
func (t *transaction) changeDefinitions(ctx context.Context, name string) error {
	if err := t.environment.BeginWrite(ctx); err != nil {
		return err
	}
	return t.environment.Lock(ctx, "definition of "+name, overlay.ToUpdate)
}

// redefine puts another definition in the place of a table's, until a rollback to a savepoint.
func (t *transaction) redefine(name string, redefined *redefinition) {
	before, beforeTable := t.redefined[name], t.tables[name]
	t.redefined[name] = redefined
	delete(t.tables, name)
	t.environment.Journal(func() {
		delete(t.redefined, name)
		if before != nil {
			t.redefined[name] = before
		}
		delete(t.tables, name)
		if beforeTable != nil {
			t.tables[name] = beforeTable
		}
	})
}

// DropTable implements overlay.Domain.
func (t *transaction) DropTable(ctx context.Context, name string) error {
	if _, known := catalogTables[name]; !known {
		return t.dropInlined(ctx, name)
	}
	table, err := t.table(ctx, name)
	if err != nil {
		return err
	}
	if table == nil {
		return undefinedTable(name)
	}
	if err := t.changeDefinitions(ctx, name); err != nil {
		return err
	}
	t.redefine(name, &redefinition{})
	return nil
}

// AlterTable implements overlay.Domain.
func (t *transaction) AlterTable(ctx context.Context, name string, definition *relation.Definition, fill map[int16]relation.Value) error {
	if _, known := catalogTables[name]; !known {
		return t.alterInlined(ctx, name, definition)
	}
	if definition.Name != name {
		return pgerror.Unsupported("renaming a table of DuckLake's catalog")
	}
	before, err := t.table(ctx, name)
	if err != nil {
		return err
	}
	if before == nil {
		return undefinedTable(name)
	}
	if err := t.changeDefinitions(ctx, name); err != nil {
		return err
	}
	altered, rewritten, err := alter(before.definition, definition, fill, t.environment)
	if err != nil {
		return err
	}
	redefined := &redefinition{present: altered, rewritten: rewritten}
	if earlier, found := t.redefined[name]; found {
		redefined.stored, redefined.rewritten = earlier.stored, earlier.rewritten || rewritten
	} else {
		redefined.stored = before.definition
	}
	t.redefine(name, redefined)
	t.tables[name] = &table{
		claimed:     before.claimed,
		Table:       before.Derive(altered.definition, t.baseOf(altered), newConversion(before.definition, altered).row),
		transaction: t, definition: altered,
	}
	return nil
}

// alter gives the altered definition and tells whether stored rows must be written again for it.
func alter(before *tableDefinition, definition *relation.Definition, fill map[int16]relation.Value, environment overlay.Environment) (*tableDefinition, bool, error) {
	table := before.table
	if !table.accepts(definition.Columns) {
		return nil, false, pgerror.Unsupported("another type for a column of DuckLake's catalog")
	}
	altered := newTableDefinition(table, before.created, *definition, environment)
	altered.forgotten, altered.fill = slices.Clone(before.forgotten), map[int16]relation.Value{}
	altered.layout.fill = altered.fill
	rewritten := false
	for i, column := range altered.definition.Columns {
		old := numbered(before.definition.Columns, column.Number)
		switch {
		case old != nil && old.Type != column.Type:
			return nil, false, pgerror.Unsupported("changing the type of a column in place")
		case old != nil:
			altered.fill[column.Number] = before.fill[column.Number]
			rewritten = rewritten || old.Name != column.Name
		default:
			altered.fill[column.Number] = fill[column.Number]
			field := altered.layout.fields[i]
			rewritten = rewritten || !fill[column.Number].IsNull() || slices.Contains(before.forgotten, column.Name) ||
				field >= 0 && !table.codec.absent(field)
		}
	}
	for _, column := range before.definition.Columns {
		if numbered(altered.definition.Columns, column.Number) == nil && !slices.Contains(altered.forgotten, column.Name) {
			altered.forgotten = append(altered.forgotten, column.Name)
		}
	}
	return altered, rewritten, nil
}

func numbered(columns []relation.Column, number int16) *relation.Column {
	for i := range columns {
		if columns[i].Number == number {
			return &columns[i]
		}
	}
	return nil
}
