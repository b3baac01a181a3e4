package ducklake

import (
	"bytes"
	"context"
	"sync"

	"moraine/keyspace"
	"moraine/relation"
	"moraine/store"
)

// inlinedList keeps the definitions of all inlined tables of a lake: introspection asks for them again and again, and there
// are as many as the lake has had schemas of tables. It is derived, and dropped by each commit that makes or drops one.
type inlinedList struct {
	mutex sync.Mutex
	// last is the batch of the newest commit since the lake was opened that made or dropped an inlined table. All states
	// from it on have the same ones.
	last        uint64
	known       bool
	definitions []*relation.Definition
}

// changed forgets the list, before the commit that changed it can be seen.
func (l *inlinedList) changed(batch uint64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.last, l.known, l.definitions = batch, false, nil
}

// get gives the list that a state with that many batches has, if it is known.
func (l *inlinedList) get(batch uint64) ([]*relation.Definition, bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.definitions, l.known && batch >= l.last
}

// put keeps the list of a state, unless later commits have changed it.
func (l *inlinedList) put(batch uint64, definitions []*relation.Definition) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if batch >= l.last {
		l.known, l.definitions = true, definitions
	}
}

// inlinedDefinitions adds the tables of inlined rows and deletions to those that introspection shows. Tables of types
// that PostgreSQL does not have are left out.
func (t *transaction) inlinedDefinitions(ctx context.Context, definitions []*relation.Definition) ([]*relation.Definition, error) {
	reader, err := t.environment.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := t.storedInlined(ctx, reader)
	if err != nil {
		return nil, t.corrupt(err)
	}
	for _, definition := range stored {
		if opened := t.inlined[definition.Name]; opened == nil || opened.reader != reader && !opened.dirty() {
			definitions = append(definitions, definition)
		}
	}
	for _, name := range sortedNames(t.inlined) {
		if opened := t.inlined[name]; opened.present && (opened.reader == reader || opened.dirty()) {
			definitions = append(definitions, opened.Definition())
		}
	}
	return definitions, nil
}

// storedInlined gives the definitions of the inlined tables that a state has.
func (t *transaction) storedInlined(ctx context.Context, reader store.Reader) ([]*relation.Definition, error) {
	batch, err := batchCount(ctx, reader)
	if err != nil {
		return nil, err
	}
	list := &t.catalog.inlinedList
	if known, found := list.get(batch); found {
		return known, nil
	}
	definitions, err := t.readInlined(ctx, reader)
	if err != nil {
		return nil, err
	}
	if definitions, err = t.readDeletions(ctx, reader, definitions); err != nil {
		return nil, err
	}
	list.put(batch, definitions)
	return definitions, nil
}

func (t *transaction) readInlined(ctx context.Context, reader store.Reader) (definitions []*relation.Definition, err error) {
	err = eachID(ctx, reader, keyspace.KindInlineSchema, func(ids []uint64) error {
		id := inlinedID{table: ids[0], version: ids[1]}
		state, err := t.catalog.inlinedStateAt(ctx, reader, id)
		if err == nil && state.exists && state.schema.unknown == "" {
			name := id.name()
			definitions = append(definitions, state.schema.definition(name, t.environment.Schema(), t.environment.OID(name)))
		}
		return err
	})
	return definitions, err
}

func (t *transaction) readDeletions(ctx context.Context, reader store.Reader, definitions []*relation.Definition) ([]*relation.Definition, error) {
	err := eachID(ctx, reader, keyspace.KindInlineFileDeleteTable, func(ids []uint64) error {
		definitions = append(definitions, deletionsDefinition(inlinedDeleteName(ids[0]), t.environment))
		return nil
	})
	return definitions, err
}

// eachID visits the ids of all keys of a kind.
func eachID(ctx context.Context, reader store.Reader, kind keyspace.Kind, visit func(ids []uint64) error) error {
	prefix := keyspace.Prefix(kind)
	iterator, err := reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.Next() {
		ids := iterator.Key()[len(prefix):]
		if len(ids) != len(kind.Components())*idSize {
			return recordError(bytes.Clone(iterator.Key()), keyspace.ErrCorrupt)
		}
		if err := visit(idsOf(ids)); err != nil {
			return err
		}
	}
	return iterator.Err()
}
