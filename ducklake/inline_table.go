package ducklake

import (
	"context"

	"moraine/overlay"
	"moraine/relation"
	"moraine/rowstore"
	"moraine/store"
)

// inlinedTable is a table of inlined rows, or of their deletions, in one transaction.
type inlinedTable struct {
	*overlay.Table
	transaction *transaction

	name   string
	id     inlinedID
	schema *inlinedSchema // nil for a table of deletions
	// reader is the state that the table was opened in.
	reader store.Reader
	// rows is the refuge of the rows that chunks cannot hold.
	rows *rowstore.Rows

	stored  bool // the snapshot has it
	present bool // it is there now
	// emptied tells that the stored rows go away: the table was dropped, and perhaps made again.
	emptied bool
	// renamed tells that the table got other names for its head columns.
	renamed bool
	// shadow tells that the table was dropped before the snapshot: it binds, and is empty, and its name is free.
	shadow bool
}

var _ relation.Leftover = (*inlinedTable)(nil)

// Dropped implements relation.Leftover.
func (i *inlinedTable) Dropped() bool { return i.shadow }

// Insert implements relation.Writable.
func (i *inlinedTable) Insert(ctx context.Context, rows []relation.Row) error {
	if i.shadow {
		return undefinedTable(i.name)
	}
	return i.Table.Insert(ctx, rows)
}

func (i *inlinedTable) dirty() bool {
	return i.Table.Dirty() || i.stored != i.present || i.emptied || i.renamed
}

// hasNewSchema tells that the commit writes the table's schema record.
func (i *inlinedTable) hasNewSchema() bool {
	return i.schema != nil && i.present && (!i.stored || i.emptied || i.renamed)
}

// inlinedTable gives a table of inlined rows or deletions; nil when there is none of that name.
func (t *transaction) inlinedTable(ctx context.Context, name string) (*inlinedTable, error) {
	reader, err := t.environment.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	opened := t.inlined[name]
	if opened == nil || opened.reader != reader && !opened.dirty() {
		if opened, err = t.openInlined(ctx, reader, name); err != nil || opened == nil {
			return nil, t.corrupt(err)
		}
		t.inlined[name] = opened
	}
	if !opened.present && !opened.shadow {
		return nil, nil
	}
	return opened, nil
}

func (t *transaction) openInlined(ctx context.Context, reader store.Reader, name string) (*inlinedTable, error) {
	if table, ok := inlinedDeleteIDOf(name); ok {
		return t.openDeletions(ctx, reader, name, table)
	}
	id, ok := inlinedIDOf(name)
	if !ok {
		return nil, nil
	}
	state, err := t.catalog.inlinedStateAt(ctx, reader, id)
	if err != nil || state.schema == nil {
		return nil, err
	}
	if err := state.schema.usable(); err != nil {
		return nil, err
	}
	opened := t.newInlined(name, id, state.schema)
	opened.reader, opened.stored, opened.present, opened.shadow = reader, state.exists, state.exists, !state.exists
	var base overlay.Base = overlay.NoRows{}
	if state.exists {
		base = t.inlinedBase(opened, t.environment.Snapshot)
	}
	opened.Table = overlay.NewTable(opened.describe(t.environment), t.environment, base, t.memory)
	return opened, nil
}

func (t *transaction) newInlined(name string, id inlinedID, schema *inlinedSchema) *inlinedTable {
	table := &inlinedTable{transaction: t, name: name, id: id, schema: schema}
	table.rows = rowstore.New(inlinedRefugePrefix(name), table.describe(t.environment))
	return table
}

func (i *inlinedTable) describe(environment overlay.Environment) *relation.Definition {
	if i.schema == nil {
		return deletionsDefinition(i.name, environment)
	}
	return i.schema.definition(i.name, environment.Schema(), environment.OID(i.name))
}

func inlinedRefugePrefix(name string) []byte { return rowstore.NamedPrefix(refugeName + name) }

// createInlined makes a table of inlined rows or deletions; taken is false when it is not one.
func (t *transaction) createInlined(ctx context.Context, definition *relation.Definition) (taken bool, err error) {
	created := &inlinedTable{name: definition.Name}
	if table, ok := inlinedDeleteIDOf(definition.Name); ok {
		if !isDeletions(definition) {
			return false, nil
		}
		created = t.newInlined(definition.Name, inlinedID{table: table}, nil)
	} else {
		id, ok := inlinedIDOf(definition.Name)
		if !ok {
			return false, nil
		}
		schema, ok, err := newInlinedSchema(definition)
		if err != nil || !ok {
			return false, err
		}
		created = t.newInlined(definition.Name, id, schema)
	}
	if created.reader, err = t.environment.Snapshot(ctx); err != nil {
		return true, err
	}
	if err := t.changeDefinitions(ctx, definition.Name); err != nil {
		return true, err
	}
	before := t.inlined[definition.Name]
	if before == nil {
		if before, err = t.openInlined(ctx, created.reader, definition.Name); err != nil {
			return true, t.corrupt(err)
		}
	}
	created.present = true
	if before != nil {
		created.stored, created.emptied = before.stored, before.stored
	}
	created.Table = overlay.NewTable(created.describe(t.environment), t.environment, overlay.NoRows{}, t.memory)
	t.replaceInlined(definition.Name, created)
	return true, nil
}

// replaceInlined puts a table in the place of another, until a rollback to a savepoint.
func (t *transaction) replaceInlined(name string, table *inlinedTable) {
	before := t.inlined[name]
	t.inlined[name] = table
	t.environment.Journal(func() {
		delete(t.inlined, name)
		if before != nil {
			t.inlined[name] = before
		}
	})
}

// dropInlined removes a table of inlined rows or deletions.
func (t *transaction) dropInlined(ctx context.Context, name string) error {
	table, err := t.inlinedTable(ctx, name)
	if err != nil {
		return err
	}
	if table == nil || table.shadow {
		return undefinedTable(name)
	}
	if err := t.changeDefinitions(ctx, name); err != nil {
		return err
	}
	dropped := t.newInlined(name, table.id, table.schema)
	dropped.reader, dropped.stored, dropped.emptied = table.reader, table.stored, table.stored
	dropped.Table = overlay.NewTable(dropped.describe(t.environment), t.environment, overlay.NoRows{}, t.memory)
	t.replaceInlined(name, dropped)
	return nil
}
