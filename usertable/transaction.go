package usertable

import (
	"cmp"
	"context"
	"slices"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// Transaction is the plain tables as one transaction sees them.
type Transaction struct {
	catalog     *Catalog
	environment overlay.Environment
	memory      *overlay.Memory

	entries map[string]*entry // by table name
	order   []string          // the names in entries, by first use
}

var _ overlay.Domain = (*Transaction)(nil)

// entry is what the transaction knows of a name. A lookup fills it; DDL replaces present.
type entry struct {
	reader  store.Reader // the snapshot that stored was read from
	stored  *storedTable // nil when the snapshot has no table of that name
	present *table       // nil when there is no table
}

// changed tells whether DDL was done to the name.
func (e *entry) changed() bool {
	if e.present == nil {
		return e.stored != nil
	}
	return e.present.stored != e.stored
}

func newTransaction(catalog *Catalog, environment overlay.Environment, memory *overlay.Memory) *Transaction {
	return &Transaction{catalog: catalog, environment: environment, memory: memory, entries: map[string]*entry{}}
}

// Relation finds a table.
func (t *Transaction) Relation(ctx context.Context, name string) (relation.Relation, error) {
	entry, err := t.entry(ctx, name)
	if err != nil || entry.present == nil {
		return nil, err
	}
	return entry.present, nil
}

// entry gives the entry of a name, brought up to date with the snapshot of the running statement.
func (t *Transaction) entry(ctx context.Context, name string) (*entry, error) {
	reader, err := t.environment.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	known, found := t.entries[name]
	if found && (known.reader == reader || known.changed() || known.present != nil && known.present.Dirty()) {
		return known, nil
	}
	encoded, stored, err := reader.Get(ctx, definitionKey(name))
	if err != nil {
		return nil, err
	}
	if !found {
		known = &entry{}
		t.entries[name] = known
		t.order = append(t.order, name)
	}
	var parsed *storedTable
	if stored {
		if parsed, err = t.catalog.parse(t.environment, name, encoded); err != nil {
			return nil, err
		}
	}
	known.reader = reader
	if parsed != known.stored {
		known.stored, known.present = parsed, nil
		if parsed != nil {
			known.present = t.open(parsed)
		}
	}
	return known, nil
}

// open makes the relation of a stored table.
func (t *Transaction) open(stored *storedTable) *table {
	return newTable(t, stored, overlay.NewTable(stored.definition, t.environment, stored.rows.Base(t.environment.Snapshot), t.memory))
}

// Definitions lists the tables in order of creation.
func (t *Transaction) Definitions(ctx context.Context) ([]*relation.Definition, error) {
	reader, err := t.environment.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	prefix := tagged(definitionTag)
	iterator, err := reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	defer iterator.Close()
	var tables, created []*storedTable
	for iterator.Next() {
		name := string(iterator.Key()[len(prefix):])
		if entry, known := t.entries[name]; known && entry.changed() {
			continue
		}
		stored, err := t.catalog.parse(t.environment, name, iterator.Value())
		if err != nil {
			return nil, err
		}
		tables = append(tables, stored)
	}
	for _, name := range t.order {
		switch entry := t.entries[name]; {
		case !entry.changed() || entry.present == nil:
		case entry.present.stored.number == 0:
			created = append(created, entry.present.stored)
		default:
			tables = append(tables, entry.present.stored)
		}
	}
	slices.SortFunc(tables, func(a, b *storedTable) int { return cmp.Compare(a.number, b.number) })
	var definitions []*relation.Definition
	for _, table := range append(tables, created...) {
		definitions = append(definitions, table.definition)
	}
	return definitions, iterator.Err()
}

// CreateTable makes a table; each name is this domain's.
func (t *Transaction) CreateTable(ctx context.Context, definition *relation.Definition) (bool, error) {
	entry, err := t.lockName(ctx, definition.Name, overlay.ToUpdate)
	if err != nil {
		return true, err
	}
	if entry.present != nil {
		return true, pgerror.New(pgerror.DuplicateTable, "relation %q already exists", definition.Name)
	}
	owned := *definition
	owned.OID, owned.Schema = t.environment.OID(definition.Name), t.environment.Schema()
	owned.Columns = numberColumns(definition.Columns)
	constraints := make([]uint64, len(owned.Constraints))
	for i := range constraints {
		constraints[i] = uint64(i)
	}
	stored := newStoredTable(0, &owned, nil, constraints, uint64(len(constraints)))
	t.replace(entry, newTable(t, stored, overlay.NewTable(&owned, t.environment, overlay.NoRows{}, t.memory)))
	return true, nil
}

// numberColumns gives columns without a number their place as one.
func numberColumns(columns []relation.Column) []relation.Column {
	result := slices.Clone(columns)
	for i := range result {
		if result[i].Number == 0 {
			result[i].Number = int16(i + 1)
		}
	}
	return result
}

// DropTable removes a table.
func (t *Transaction) DropTable(ctx context.Context, name string) error {
	entry, err := t.lockName(ctx, name, overlay.ToDelete)
	if err != nil {
		return err
	}
	if entry.present == nil {
		return undefined(name)
	}
	t.replace(entry, nil)
	return nil
}

// AlterTable gives a table another definition.
func (t *Transaction) AlterTable(ctx context.Context, name string, definition *relation.Definition, fill map[int16]relation.Value) error {
	entry, err := t.lockName(ctx, name, overlay.ToUpdate)
	if err != nil {
		return err
	}
	if entry.present == nil {
		return undefined(name)
	}
	altered, err := entry.present.alter(ctx, definition, fill)
	if err != nil {
		return err
	}
	if definition.Name == name {
		t.replace(entry, altered)
		return nil
	}
	target, err := t.lockName(ctx, definition.Name, overlay.ToUpdate)
	if err != nil {
		return err
	}
	if target.present != nil {
		return pgerror.New(pgerror.DuplicateTable, "relation %q already exists", definition.Name)
	}
	t.replace(entry, nil)
	t.replace(target, altered)
	return nil
}

// lockName takes the lock of a table's name for DDL and gives its entry.
func (t *Transaction) lockName(ctx context.Context, name string, intent overlay.Intent) (*entry, error) {
	if err := t.environment.BeginWrite(ctx); err != nil {
		return nil, err
	}
	if err := t.environment.Lock(ctx, string(definitionKey(name)), intent); err != nil {
		return nil, err
	}
	return t.entry(ctx, name)
}

// replace puts another table, or none, in the place of an entry's.
func (t *Transaction) replace(entry *entry, table *table) {
	before := entry.present
	entry.present = table
	t.environment.Journal(func() { entry.present = before })
}

func undefined(name string) error {
	return pgerror.New(pgerror.UndefinedTable, "table %q does not exist", name)
}

// EndMessage checks nothing: the constraints of plain tables are checked by each statement.
func (t *Transaction) EndMessage(context.Context) error { return nil }

// Committed does nothing: the catalog keeps no state of the lake.
func (t *Transaction) Committed() {}

// Serial tells that commits may share a flush: Stage keeps nothing of what it reads.
func (t *Transaction) Serial() bool { return false }

// Dirty tells whether there is anything to stage.
func (t *Transaction) Dirty() bool {
	for _, entry := range t.entries {
		if entry.changed() || entry.present != nil && entry.present.Dirty() {
			return true
		}
	}
	return false
}

// ApplyOnCommit does what the temporary tables' ON COMMIT says, before they are staged.
func (t *Transaction) ApplyOnCommit(ctx context.Context) error {
	definitions, err := t.Definitions(ctx)
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		switch definition.OnCommit {
		case relation.Drop:
			err = t.DropTable(ctx, definition.Name)
		case relation.DeleteRows:
			err = t.deleteRows(ctx, definition.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Transaction) deleteRows(ctx context.Context, name string) error {
	entry, err := t.entry(ctx, name)
	if err != nil || entry.present == nil {
		return err
	}
	cursor, err := entry.present.Scan(ctx, relation.ScanRequest{WithIdentities: true})
	if err != nil {
		return err
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(ctx)
		if err != nil || batch == nil {
			return err
		}
		for _, identity := range batch.Identities {
			if _, err := entry.present.Delete(ctx, identity); err != nil {
				return err
			}
		}
	}
}
