package ducklake

import (
	"cmp"
	"context"
	"slices"

	"moraine/keyspace"
	"moraine/overlay"
	"moraine/relation"
	"moraine/rowstore"
	"moraine/store"
)

// staging is one commit on its way into a batch.
type staging struct {
	transaction *transaction
	latest      store.Reader
	batch       *store.Batch
	first       int // operations of the batch that other domains have put there before
	state       *state
	format      uint64
	facts       facts
	// located are the ids that the directories are to learn.
	located []locatedID
	// statistics are the changes that the images are to learn, and batches the count of batches that they come with.
	statistics []statisticsChange
	batches    uint64
	// remade tells that an inlined table is made or dropped.
	remade bool
}

type locatedID struct {
	kind      keyspace.Kind
	id, table uint64
}

// Stage implements overlay.Domain.
func (t *transaction) Stage(ctx context.Context, latest store.Reader, batch *store.Batch) error {
	if !t.Dirty() {
		return nil
	}
	return t.corrupt(t.stage(ctx, latest, batch))
}

func (t *transaction) stage(ctx context.Context, latest store.Reader, batch *store.Batch) error {
	state, err := t.catalog.stateAt(ctx, latest, t.environment)
	if err != nil {
		return err
	}
	staging := &staging{
		transaction: t, latest: latest, batch: batch, first: len(batch.Operations()), state: state, format: state.format,
	}
	if staging.format == 0 {
		staging.format = keyspace.NewestFormat
	}
	if err := staging.checkDefinitions(ctx); err != nil {
		return err
	}
	if err := t.guard(ctx, latest); err != nil {
		return err
	}
	staging.facts = t.gatherFacts()
	for _, family := range families {
		if err := staging.family(ctx, family); err != nil {
			return err
		}
	}
	if err := staging.nameEarlierChanged(ctx); err != nil {
		return err
	}
	if err := staging.inlined(ctx); err != nil {
		return err
	}
	if err := staging.definitions(); err != nil {
		return err
	}
	t.staged = staging
	return staging.system(ctx)
}

// Committed implements overlay.Domain.
func (t *transaction) Committed() {
	if t.staged == nil {
		return
	}
	for _, located := range t.staged.located {
		t.catalog.directory.kinds[located.kind].add(located.id, located.table)
	}
	t.catalog.names.Committed(t.staged.batches, t.staged.batch.Operations()[t.staged.first:])
	if t.staged.remade {
		t.catalog.inlinedList.changed(t.staged.batches)
	}
	t.catalog.statistics.commit(t.staged.batches, t.staged.statistics)
	t.staged = nil
}

// member is one catalog table in a commit.
type member struct {
	table   *catalogTable
	changes *overlay.Table // nil when the transaction has not read or written it
	stored  *layout        // of the rows in the latest state
	wanted  *layout        // of the rows to write
	change  *redefinition  // nil when the definition stays
	rows    *rowstore.Rows // the refuge
	adapt   *conversion    // from stored to wanted; nil when they are the same
	adopts  []relation.Row // made up so far, and to be stored now
	refuge  refugeChanges
}

// member gives what the transaction makes of a table.
func (s *staging) member(table *catalogTable) *member {
	m := &member{table: table, change: s.transaction.redefined[table.name]}
	if opened := s.transaction.tables[table.name]; opened != nil {
		m.changes = opened.Table
	}
	definition := s.state.tables[table.name]
	present := s.transaction.definition(s.state, table.name)
	m.stored = table.standardLayout
	if definition != nil {
		m.stored = definition.layout
	}
	m.wanted = m.stored
	if present != nil {
		m.wanted = present.layout
		m.rows = present.rows()
	}
	if m.change != nil && definition != nil && present != nil {
		m.adapt = newConversion(definition, present)
	}
	return m
}

// touched tells whether the commit changes rows of the table.
func (m *member) touched() bool {
	return len(m.adopts) > 0 || m.changes != nil && m.changes.Dirty() || m.emptied() || m.rewritten()
}

// emptied tells that all stored rows go away.
func (m *member) emptied() bool { return m.change != nil && m.change.stored == nil }

// rewritten tells that all stored rows must be written again.
func (m *member) rewritten() bool { return m.change != nil && m.change.rewritten }

// familyStaging is one family in a commit.
type familyStaging struct {
	*staging
	of       *family
	members  []*member // the parent first
	entities map[string]*entity
	order    []string  // the ids of the entities, ascending
	loaded   []*entity // in that order
}

// family stages the changes of the tables of a family.
func (s *staging) family(ctx context.Context, family *family) error {
	if !s.concerns(family) {
		return nil
	}
	var members []*member
	for _, table := range family.members() {
		member := s.member(table)
		if table.name == metadataTable && s.adopts() {
			if err := s.adopt(ctx, member); err != nil {
				return err
			}
		}
		members = append(members, member)
	}
	return s.stageFamily(ctx, family, members)
}

// concerns tells whether the transaction has opened or redefined a table of the family, or takes over the options.
func (s *staging) concerns(family *family) bool {
	for _, table := range family.members() {
		if s.transaction.tables[table.name] != nil || s.transaction.redefined[table.name] != nil ||
			table.name == metadataTable && s.adopts() {
			return true
		}
	}
	return false
}

func (s *staging) stageFamily(ctx context.Context, family *family, members []*member) error {
	if !slices.ContainsFunc(members, (*member).touched) {
		return nil
	}
	inserted := 0
	for _, member := range members {
		if member.changes != nil {
			inserted += member.changes.InsertedCount()
		}
	}
	stage := &familyStaging{staging: s, of: family, members: members, entities: make(map[string]*entity, inserted)}
	if err := stage.load(ctx); err != nil {
		return err
	}
	arrivals, err := stage.depart(ctx)
	if err != nil {
		return err
	}
	if err := stage.arrive(ctx, arrivals); err != nil {
		return err
	}
	for _, entity := range stage.loaded {
		if err := cmp.Or(stage.finish(entity), s.batch.Err()); err != nil {
			return err
		}
	}
	return stage.finishRefuges(ctx)
}

// load reads all entities that the changes name.
func (f *familyStaging) load(ctx context.Context) error {
	for _, member := range f.members {
		if member.emptied() || member.rewritten() {
			if err := f.touchAll(ctx); err != nil {
				return err
			}
			break
		}
	}
	for _, member := range f.members {
		for _, row := range member.adopts {
			if err := f.touchRow(ctx, member, row); err != nil {
				return err
			}
		}
		if member.changes == nil {
			continue
		}
		for _, change := range member.changes.Changes() {
			f.touchKey(member, change.Key)
			if change.Row != nil {
				if err := f.touchRow(ctx, member, change.Row); err != nil {
					return err
				}
			}
		}
		for _, row := range member.changes.Inserted() {
			if err := f.touchRow(ctx, member, row); err != nil {
				return err
			}
		}
	}
	if len(f.entities) == 0 {
		return nil
	}
	f.order = make([]string, 0, len(f.entities))
	for ids := range f.entities {
		f.order = append(f.order, ids)
	}
	slices.Sort(f.order)
	return f.read(ctx)
}

func (f *familyStaging) read(ctx context.Context) error {
	layouts := func(table *catalogTable) *layout { return f.memberOf(table).stored }
	loader, err := newEntityLoader(ctx, f.latest, f.of, layouts, f.order[0], f.order[len(f.order)-1])
	if err != nil {
		return err
	}
	defer loader.close()
	f.loaded = make([]*entity, 0, len(f.order))
	for _, ids := range f.order {
		entity, err := loader.load(ids)
		if err != nil {
			return err
		}
		f.adapt(entity)
		f.entities[ids] = entity
		f.loaded = append(f.loaded, entity)
	}
	return nil
}

// adapt brings the stored rows of an entity into their wanted form, and takes those of dropped tables away.
func (f *familyStaging) adapt(entity *entity) {
	for _, member := range f.members {
		switch {
		case !member.emptied() && member.adapt == nil:
		case member.table.embedded():
			for i := range childrenOf(entity, member.table) {
				child := &entity.children[member.table.place()][i]
				child.row = member.adapted(child.row)
			}
			entity.regrouped = true
		default:
			for i := range entity.versions {
				entity.versions[i].row = member.adapted(entity.versions[i].row)
				entity.versions[i].changed = true
			}
		}
	}
}

func childrenOf(entity *entity, table *catalogTable) []childRow {
	if entity.children == nil {
		return nil
	}
	return entity.children[table.place()]
}

func (m *member) adapted(row relation.Row) relation.Row {
	if m.emptied() || row == nil {
		return nil
	}
	return m.adapt.row(row)
}

func (f *familyStaging) memberOf(table *catalogTable) *member {
	for _, member := range f.members {
		if member.table == table {
			return member
		}
	}
	return nil
}

// touchAll names all entities of the family.
func (f *familyStaging) touchAll(ctx context.Context) error {
	kinds := []keyspace.Kind{f.of.current}
	if f.of.versioned() {
		kinds = append(kinds, f.of.history)
	}
	scope := f.members[0].table.scope
	for _, kind := range kinds {
		prefix := keyspace.Prefix(kind, scope...)
		iterator, err := f.latest.Scan(ctx, prefix, store.PrefixEnd(prefix))
		if err != nil {
			return err
		}
		for iterator.Next() {
			ids, _ := f.members[0].table.entityOfKey(string(iterator.Key()))
			f.entities[ids] = nil
		}
		err = iterator.Err()
		_ = iterator.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *familyStaging) touchKey(member *member, key string) {
	if storeKey, ok := member.table.recordKeyOf(key); ok {
		ids, _ := member.table.entityOfKey(storeKey)
		f.entities[ids] = nil
	} else if name, ok := f.embeddedNameOf(member, key); ok {
		f.entities[name.ids] = nil
	}
}

func (f *familyStaging) touchRow(ctx context.Context, member *member, row relation.Row) error {
	ids, ok, err := f.locate(ctx, member, row)
	if ok {
		f.entities[ids] = nil
	}
	return err
}

// locate gives the encoded ids of the entity that a row belongs to; false when it belongs to none.
func (f *familyStaging) locate(ctx context.Context, member *member, row relation.Row) (string, bool, error) {
	var ids []uint64
	var ok bool
	var err error
	switch {
	case member.table.locate != nil:
		ids, ok = member.table.locate(row, member.wanted)
	case member.table == nameMappings:
		ids, ok, err = f.locateMapping(ctx, member.wanted.value(row, "mapping_id"))
	default:
		ids, ok = member.wanted.ids(row)
	}
	return string(idBytesOf(ids)), ok, err
}

// locateMapping finds the table of a column mapping: the transaction's own, or a stored one.
func (f *familyStaging) locateMapping(ctx context.Context, mapping relation.Value) ([]uint64, bool, error) {
	if mapping.IsNull() || mapping.Int() < 0 {
		return nil, false, nil
	}
	parent := f.members[0]
	if parent.changes != nil {
		for _, row := range parent.changes.Inserted() {
			if parent.wanted.value(row, "mapping_id") == mapping {
				ids, ok := parent.wanted.ids(row)
				return ids, ok, nil
			}
		}
	}
	tables, _, err := f.transaction.catalog.directory.kinds[f.of.current].resolve(ctx, f.latest,
		func() (uint64, error) { return batchCount(ctx, f.latest) }, uint64(mapping.Int()))
	if err != nil || len(tables) == 0 {
		return nil, false, err
	}
	return []uint64{tables[0], uint64(mapping.Int())}, true, nil
}
