package lake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
	"moraine/store/memory"
)

// schemaChange is a CREATE SCHEMA or DROP SCHEMA of a transaction.
type schemaChange struct {
	schema  string
	created *part // nil for a drop
}

// part gives the part of a schema as the transaction sees it, nil when there is no such schema.
func (t *Transaction) part(ctx context.Context, schema string) (*part, error) {
	if change := t.lastChange(schema); change != nil {
		return change.created, nil
	}
	if known, found := t.parts[schema]; found {
		return known, nil
	}
	lake, err := t.session.database.acquire(ctx, schema)
	if err != nil || lake == nil {
		return nil, err
	}
	t.parts[schema] = newPart(t, lake, false)
	return t.parts[schema], nil
}

func (t *Transaction) lastChange(schema string) *schemaChange {
	for i := len(t.changes) - 1; i >= 0; i-- {
		if t.changes[i].schema == schema {
			return &t.changes[i]
		}
	}
	return nil
}

// reaches tells whether a part is still the one that its schema's name means, so that it will be committed.
func (t *Transaction) reaches(p *part) bool {
	if change := t.lastChange(p.lake.schema); change != nil {
		return change.created == p
	}
	return !p.created
}

// exists tells whether the transaction sees a schema.
func (t *Transaction) exists(schema string) bool {
	if change := t.lastChange(schema); change != nil {
		return change.created != nil
	}
	return t.session.database.hasSchema(schema)
}

// Schemas lists the schemas by name, the temporary one last if it has tables.
func (t *Transaction) Schemas(ctx context.Context) ([]relation.SchemaInfo, error) {
	if err := t.checkOpen(); err != nil {
		return nil, err
	}
	names := t.session.database.schemaNames()
	for _, change := range t.changes {
		names = append(names, change.schema)
	}
	slices.Sort(names)
	var infos []relation.SchemaInfo
	for _, name := range slices.Compact(names) {
		if t.exists(name) {
			infos = append(infos, relation.SchemaInfo{OID: t.session.database.schemaOID(name), Name: name})
		}
	}
	slices.SortFunc(infos, func(a, b relation.SchemaInfo) int { return cmp.Compare(a.Name, b.Name) })
	if t.temporary == nil && t.session.temporary.store == nil {
		return infos, nil
	}
	temporary, err := t.Definitions(ctx, relation.TemporarySchema)
	if err != nil || len(temporary) == 0 {
		return infos, err
	}
	oid := t.session.database.schemaOID(relation.TemporarySchema)
	return append(infos, relation.SchemaInfo{OID: oid, Name: relation.TemporarySchema, Temporary: true}), nil
}

// CreateSchema makes a lake, at COMMIT.
func (t *Transaction) CreateSchema(ctx context.Context, name string) error {
	if err := t.checkWritable(); err != nil {
		return err
	}
	if name == "" || strings.HasPrefix(name, "pg_") {
		return pgerror.New(pgerror.ReservedName, "unacceptable schema name %q", name).
			WithDetail(`The prefix "pg_" is reserved for system schemas.`)
	}
	if err := t.lockSchema(ctx, name); err != nil {
		return err
	}
	if t.exists(name) {
		return pgerror.New(pgerror.DuplicateSchema, "schema %q already exists", name)
	}
	lake, err := openLake(ctx, t.session.database.path(name), memory.NewStore())
	if err != nil {
		return err
	}
	t.change(schemaChange{schema: name, created: newPart(t, lake, true)})
	return nil
}

// DropSchema drops a lake, at COMMIT.
func (t *Transaction) DropSchema(ctx context.Context, name string, cascade bool) error {
	if err := t.checkWritable(); err != nil {
		return err
	}
	if err := t.lockSchema(ctx, name); err != nil {
		return err
	}
	if !t.exists(name) {
		return unknownSchema(name)
	}
	if !cascade {
		definitions, err := t.definitions(ctx, name)
		if err != nil {
			return err
		}
		if len(definitions) > 0 {
			return pgerror.New(pgerror.DependentObjectsStillExist, "cannot drop schema %s because other objects depend on it", name).
				WithDetail("table %s depends on schema %s", definitions[0].Name, name).
				WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
		}
	}
	t.change(schemaChange{schema: name})
	return nil
}

func (t *Transaction) lockSchema(ctx context.Context, name string) error {
	return t.acquire(ctx, lockName{kind: schemaLock, key: name}, false)
}

func (t *Transaction) change(change schemaChange) {
	before := len(t.changes)
	t.changes = append(t.changes, change)
	t.journal = append(t.journal, func() {
		for _, undone := range t.changes[before:] {
			if undone.created != nil {
				undone.created.close()
			}
		}
		t.changes = t.changes[:before]
	})
}

// closeCreated closes the lakes that the transaction has made in memory.
func (t *Transaction) closeCreated() {
	for _, change := range t.changes {
		if change.created != nil {
			change.created.close()
		}
	}
}

// applySchemas drops and creates the lakes of the transaction in the engine, drops first. The one that it has written is left
// to fill.
func (t *Transaction) applySchemas(ctx context.Context) error {
	database := t.session.database
	applied := map[string]bool{}
	for _, change := range t.changes {
		if applied[change.schema] || !database.hasSchema(change.schema) {
			continue
		}
		applied[change.schema] = true // each change of a schema that was there starts with its drop
		if err := database.instance.engine.Drop(ctx, database.path(change.schema)); err != nil && !errors.Is(err, store.ErrNotFound) {
			return storeError(err)
		}
		database.removeSchema(change.schema)
	}
	written := t.dirtyPart()
	for _, change := range t.changes {
		if change.created == nil || change.created == written || !t.reaches(change.created) {
			continue
		}
		if err := t.createSchema(ctx, change.schema, nil); err != nil {
			return err
		}
	}
	return nil
}

// createSchema makes a lake in the engine, with a content unless that is nil. Others know of it only then: who opened it
// sooner would not see what comes into it by another store.
func (t *Transaction) createSchema(ctx context.Context, schema string, content *store.Batch) error {
	database := t.session.database
	engine, path := database.instance.engine, database.path(schema)
	if err := engine.Create(ctx, path); err != nil && !errors.Is(err, store.ErrExists) {
		return storeError(err)
	}
	defer database.addSchema(schema)
	if content == nil {
		return nil
	}
	opened, err := engine.Open(ctx, path)
	if err != nil {
		return storeError(fmt.Errorf("opening schema %q, just created: %w", schema, err))
	}
	defer opened.Close()
	return storeError(opened.Commit(ctx, content))
}

func unknownSchema(name string) error {
	return pgerror.New(pgerror.InvalidSchemaName, "schema %q does not exist", name)
}
