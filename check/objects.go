package check

import (
	"context"
	"fmt"

	"moraine/keyspace"
)

// object is a schema, table, view or macro that is live or has ended versions.
type object struct {
	live   bool
	schema uint64 // of the live version; meaningless for a schema
	name   string // of the live version
	// named tells that the live version decodes, so that schema and name are known.
	named bool
	// listed tells that the directory of names has the live version.
	listed bool
}

// objectKind is one kind of object.
type objectKind struct {
	kind    keyspace.Kind
	objects map[uint64]*object
}

// objects reads the schemas, tables, views and macros.
func (c *checker) objects(ctx context.Context) error {
	names := map[qualifiedName]string{}
	for _, of := range []objectKind{
		{keyspace.KindCurrentSchema, c.schemas}, {keyspace.KindCurrentTable, c.tables},
		{keyspace.KindCurrentView, c.views}, {keyspace.KindCurrentMacro, c.macros},
	} {
		versions, err := c.openVersioned(ctx, of.kind)
		if err != nil {
			return err
		}
		for {
			id, more := versions.first()
			if !more {
				break
			}
			found := &object{}
			of.objects[id] = found
			err := versions.each(ctx, id, func(v version) {
				if v.first {
					c.use(of.kind, 0, id, false)
				}
				if v.live {
					found.live = true
					c.liveObject(names, found, v)
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// qualifiedName is what may be there once: a name, folded, of one sort of object in one place.
type qualifiedName struct {
	sort   nameSort
	parent uint64
	name   string
}

// nameSort tells the sorts of objects whose names do not meet.
type nameSort uint8

const (
	schemaName nameSort = iota
	relationName
	scalarMacroName
	tableMacroName
)

// liveObject notes the live version of an object.
func (c *checker) liveObject(names map[qualifiedName]string, found *object, v version) {
	if !v.decoded {
		return
	}
	unique := qualifiedName{sort: relationName}
	rule := duplicateRelationName
	switch m := v.message.(type) {
	case *keyspace.SchemaValue:
		found.name, unique.sort, rule = m.SchemaName, schemaName, duplicateSchemaName
	case *keyspace.TableValue:
		found.name, found.schema = m.TableName, m.SchemaID
	case *keyspace.ViewValue:
		found.name, found.schema = m.ViewName, m.SchemaID
	case *keyspace.MacroValue:
		found.name, found.schema, unique.sort, rule = m.MacroName, m.SchemaID, macroSort(m), duplicateMacroName
	}
	found.name, found.named = cloned(found.name), true
	table, ids := tableOf(v.key.Kind()), describeIDs(v.key)
	unique.parent, unique.name = found.schema, folded(found.name)
	if other, taken := names[unique]; taken {
		c.report(rule, table, ids, "the name %q is that of %s too", found.name, other)
	}
	names[unique] = ids
	if unique.sort == schemaName {
		return
	}
	if schema := c.schemas[found.schema]; schema == nil || !schema.live {
		c.report(liveWithoutSchema, table, ids, "its schema %d is %s", found.schema, schema.state())
	}
}

func macroSort(macro *keyspace.MacroValue) nameSort {
	if len(macro.Implementations) > 0 && macro.Implementations[0].MacroType == "table" {
		return tableMacroName
	}
	return scalarMacroName
}

// state says what has become of an object.
func (o *object) state() string {
	switch {
	case o == nil:
		return "unknown"
	case o.live:
		return "live"
	}
	return "ended"
}

// directory compares the directory of names with the live schemas and tables.
func (c *checker) directory(ctx context.Context) error {
	err := c.all(ctx, keyspace.KindName, func(s *source) {
		id, name := s.key.Component(keyspace.EntityID), s.key.Text()
		objects, parent := c.schemas, uint64(0)
		if s.key.Component(keyspace.NameKind) == keyspace.NameOfTable {
			objects, parent = c.tables, s.key.Component(keyspace.ParentID)
		}
		found := objects[id]
		switch {
		case found == nil || !found.live:
			c.report(nameStale, "", s.ids(), "the object is %s", found.state())
		case !found.named:
			found.listed = true
		case found.name != name || found.schema != parent:
			c.report(nameStale, "", s.ids(), "the object is %q of schema %d", found.name, found.schema)
		default:
			found.listed = true
		}
	})
	if err != nil || c.format < keyspace.FormatWithNames {
		return err
	}
	for _, of := range []objectKind{{keyspace.KindCurrentSchema, c.schemas}, {keyspace.KindCurrentTable, c.tables}} {
		for _, id := range ascending(of.objects) {
			if found := of.objects[id]; found.live && found.named && !found.listed {
				component := of.kind.Components()[0]
				c.report(nameMissing, tableOf(of.kind), fmt.Sprintf("%s=%d", component, id), "the name is %q", found.name)
			}
		}
	}
	return nil
}

// tags checks that live tags are of live objects.
func (c *checker) tags(ctx context.Context) error {
	return c.all(ctx, keyspace.KindCurrentTag, func(s *source) {
		m := s.message.(*keyspace.TagValue)
		for _, objects := range []map[uint64]*object{c.schemas, c.tables, c.views, c.macros} {
			if found := objects[m.ObjectID]; found != nil && found.live {
				return
			}
		}
		for _, entry := range m.Entries {
			if !entry.EndSnapshot.Set {
				c.report(orphanTag, tableOf(s.kind), s.ids(), "the object of the tag %q is not live", entry.Key)
			}
		}
	})
}

// options checks that the record of the global options is there.
func (c *checker) options(ctx context.Context) error {
	if err := c.all(ctx, keyspace.KindCurrentOption, func(*source) {}); err != nil || c.format == 0 {
		return err
	}
	_, found, err := c.reader.Get(ctx, keyspace.OptionEntity(keyspace.ScopeGlobal, 0).Current().Bytes())
	if err == nil && !found {
		c.report(globalOptions, "ducklake_metadata", "scope_kind=0 scope_id=0", "there is no record")
	}
	return err
}

// scheduledFiles notes the files that wait for their deletion.
func (c *checker) scheduledFiles(ctx context.Context) error {
	return c.all(ctx, keyspace.KindGcFile, func(s *source) { c.scheduled = append(c.scheduled, s.first()) })
}
