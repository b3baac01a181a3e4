package ducklake

import (
	"context"
	"sort"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// transaction is one transaction's view of the catalog. It implements overlay.Domain.
type transaction struct {
	catalog     *Catalog
	environment overlay.Environment

	reader store.Reader // the one that state was read from
	state  *state

	tables map[string]*table
	// redefined are the catalog tables that the transaction created, altered or dropped.
	redefined map[string]*redefinition
	inlined   map[string]*inlinedTable

	memory      *overlay.Memory
	computation computation
	minting     bool    // a row of a snapshot has been inserted
	described   int     // rows of ducklake_snapshot_changes at the end of the last message
	changes     uint64  // made and taken back
	passed      verdict // of the guards

	staged *staging // what Stage has put into the batch, for Committed
}

// maximumMemory bounds what a transaction has inserted and changed, in bytes: it stays in memory until COMMIT. It is enough for
// two million data files.
const maximumMemory = 2 << 30

func changesTooLarge(limit int64) error {
	return pgerror.New(pgerror.ProgramLimitExceeded, "the transaction's changes of the catalog take more than %d MiB of memory",
		limit>>20).WithHint("Commit in smaller parts.")
}

// redefinition is what the transaction made of a catalog table. It is immutable.
type redefinition struct {
	// present is the table as it is now; nil when dropped.
	present *tableDefinition
	// stored is the table as the snapshot has it; nil when its rows, if there were any, are to be removed.
	stored *tableDefinition
	// rewritten tells that the stored rows have to be written again under the new definition.
	rewritten bool
}

func newTransaction(catalog *Catalog, environment overlay.Environment) *transaction {
	t := &transaction{
		catalog: catalog, memory: overlay.NewMemory(0, maximumMemory, changesTooLarge),
		tables: map[string]*table{}, redefined: map[string]*redefinition{}, inlined: map[string]*inlinedTable{},
	}
	t.environment = watched{Environment: environment, changes: &t.changes}
	return t
}

// current gives the state that the running statement sees.
func (t *transaction) current(ctx context.Context) (*state, error) {
	reader, err := t.environment.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if t.state != nil && reader == t.reader {
		return t.state, nil
	}
	state, err := t.catalog.stateAt(ctx, reader, t.environment)
	if err != nil {
		return nil, t.corrupt(err)
	}
	t.reader, t.state = reader, state
	return state, nil
}

func (t *transaction) corrupt(err error) error { return clientError(t.environment.Schema(), err) }

// definition gives the present definition of a catalog table; nil when there is none.
func (t *transaction) definition(state *state, name string) *tableDefinition {
	if redefined, found := t.redefined[name]; found {
		return redefined.present
	}
	return state.tables[name]
}

// Relation implements overlay.Domain.
func (t *transaction) Relation(ctx context.Context, name string) (relation.Relation, error) {
	if _, known := catalogTables[name]; known {
		table, err := t.table(ctx, name)
		if err != nil || table == nil {
			return nil, err
		}
		return table, nil
	}
	inlined, err := t.inlinedTable(ctx, name)
	if err != nil || inlined == nil {
		return nil, err
	}
	return inlined, nil
}

// table gives a catalog table; nil when it does not exist.
func (t *transaction) table(ctx context.Context, name string) (*table, error) {
	state, err := t.current(ctx)
	if err != nil {
		return nil, err
	}
	definition := t.definition(state, name)
	if definition == nil {
		return nil, nil
	}
	if opened := t.tables[name]; opened != nil && (opened.definition == definition || opened.Dirty()) {
		return opened, nil
	}
	opened := t.open(definition)
	t.tables[name] = opened
	return opened, nil
}

// open makes the overlay of a table without changes.
func (t *transaction) open(definition *tableDefinition) *table {
	return &table{
		Table:       overlay.NewTable(definition.definition, t.environment, t.baseOf(definition), t.memory),
		transaction: t, definition: definition,
	}
}

// baseOf gives the stored rows of a table, none when the transaction has made it.
func (t *transaction) baseOf(definition *tableDefinition) overlay.Base {
	redefined, found := t.redefined[definition.table.name]
	switch {
	case !found:
		return t.base(definition, t.environment.Snapshot)
	case redefined.stored == nil:
		return overlay.NoRows{}
	}
	return convertedBase{
		Base:    t.base(redefined.stored, t.environment.Snapshot),
		convert: newConversion(redefined.stored, definition),
	}
}

func (t *transaction) base(definition *tableDefinition, snapshot func(context.Context) (store.Reader, error)) *recordBase {
	return &recordBase{
		transaction: t, table: definition.table, layout: definition.layout, snapshot: snapshot,
		refuge: newRefuge(definition.table, definition.rows(), snapshot, t.catalog.noRefuge),
	}
}

// Definitions implements overlay.Domain.
func (t *transaction) Definitions(ctx context.Context) ([]*relation.Definition, error) {
	state, err := t.current(ctx)
	if err != nil {
		return nil, err
	}
	var present []*tableDefinition
	for name := range catalogTables {
		if definition := t.definition(state, name); definition != nil {
			present = append(present, definition)
		}
	}
	sort.Slice(present, func(i, j int) bool { return present[i].created < present[j].created })
	definitions := make([]*relation.Definition, 0, len(present))
	for _, table := range present {
		definitions = append(definitions, table.definition)
	}
	return t.inlinedDefinitions(ctx, definitions)
}

// Dirty implements overlay.Domain.
func (t *transaction) Dirty() bool {
	if len(t.redefined) > 0 {
		return true
	}
	for _, table := range t.tables {
		if table.Dirty() {
			return true
		}
	}
	for _, inlined := range t.inlined {
		if inlined.dirty() {
			return true
		}
	}
	return false
}

// Serial implements overlay.Domain: directories, images and states are kept by what the store says identifies them, and must
// not know a commit that a crash can undo.
func (t *transaction) Serial() bool { return true }

// undefinedTable is the error for DDL on a table that does not exist.
func undefinedTable(name string) error {
	return pgerror.New(pgerror.UndefinedTable, "relation \"%s\" does not exist", name)
}
