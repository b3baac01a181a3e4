package guard

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"moraine/keyspace"
	"moraine/store"
)

// Directory knows the live schemas, tables, views and macros of a lake by name, whatever the case of ASCII letters. It is
// built by one scan of their records when a commit first needs it, and kept current by the commits that pass through; it
// takes some 150 bytes for a name. Safe for concurrent use.
type Directory struct {
	mutex sync.Mutex
	// batches is how many batches, as head counts them, the newest commit made it that the directory was told of.
	batches uint64
	built   bool
	ids     map[string][]uint64 // by place and name
	names   map[string]string   // the reverse, by key of the record
	members map[uint64]int      // how many tables and views a schema has
}

// namedKinds are the kinds whose names the rules compare.
var namedKinds = []keyspace.Kind{
	keyspace.KindCurrentSchema, keyspace.KindCurrentTable, keyspace.KindCurrentView, keyspace.KindCurrentMacro,
}

// Names share a space when they must differ.
const (
	schemaNames byte = iota
	relationNames
	scalarMacroNames
	tableMacroNames
)

// nameOf gives the space, the schema and the name of an object; false for other kinds.
func nameOf(message keyspace.Message) (space byte, schema uint64, name string, ok bool) {
	switch m := message.(type) {
	case *keyspace.SchemaValue:
		return schemaNames, 0, m.SchemaName, true
	case *keyspace.TableValue:
		return relationNames, m.SchemaID, m.TableName, true
	case *keyspace.ViewValue:
		return relationNames, m.SchemaID, m.ViewName, true
	case *keyspace.MacroValue:
		if len(m.Implementations) > 0 && m.Implementations[0].MacroType == "table" {
			return tableMacroNames, m.SchemaID, m.MacroName, true
		}
		return scalarMacroNames, m.SchemaID, m.MacroName, true
	}
	return 0, 0, "", false
}

// nameKey is the name as the directory has it.
func nameKey(message keyspace.Message) (string, bool) {
	space, schema, name, ok := nameOf(message)
	key := binary.BigEndian.AppendUint64([]byte{space}, schema)
	return string(append(key, folded(name)...)), ok
}

// folded gives a name with its ASCII letters in lower case, as DuckDB compares names.
func folded(name string) string {
	bytes := []byte(name)
	for i, letter := range bytes {
		if 'A' <= letter && letter <= 'Z' {
			bytes[i] = letter + 'a' - 'A'
		}
	}
	return string(bytes)
}

// Committed tells the directory what a commit wrote, before the commit can be seen. batches is the count of batches that
// the commit made it.
func (d *Directory) Committed(batches uint64, operations []store.Operation) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	named := false
	for i := range operations {
		kind, ok := namedKindOf(operations[i].Key)
		if !ok {
			continue
		}
		named = true
		// A record that does not decode says so when the directory is built anew.
		d.built = d.built && d.apply(kind, &operations[i]) == nil
	}
	if named {
		d.batches = max(d.batches, batches)
	}
}

// namedKindOf gives the kind of the record of a live object with a name.
func namedKindOf(key []byte) (keyspace.Kind, bool) {
	if subspace, known := keyspace.SubspaceOf(key); !known || subspace != keyspace.SubspaceCurrent {
		return 0, false
	}
	decoded, err := keyspace.DecodeKey(key)
	return decoded.Kind(), err == nil && slices.Contains(namedKinds, decoded.Kind())
}

func (d *Directory) apply(kind keyspace.Kind, operation *store.Operation) error {
	key := string(operation.Key)
	d.remove(key)
	if operation.Delete {
		return nil
	}
	return d.add(kind, key, operation.Value)
}

func (d *Directory) add(kind keyspace.Kind, key string, value []byte) error {
	message := keyspace.NewMessage(kind)
	if err := decode([]byte(key), value, message); err != nil {
		return err
	}
	name, _ := nameKey(message)
	row, _ := entityOf(kind, message)
	d.ids[name], d.names[key] = append(d.ids[name], row.id()), name
	if name[0] == relationNames {
		d.members[schemaOfName(name)]++
	}
	return nil
}

func (d *Directory) remove(key string) {
	name, known := d.names[key]
	if !known {
		return
	}
	delete(d.names, key)
	id := binary.BigEndian.Uint64([]byte(key[len(key)-8:]))
	ids := slices.DeleteFunc(slices.Clone(d.ids[name]), func(other uint64) bool { return other == id })
	if d.ids[name] = ids; len(ids) == 0 {
		delete(d.ids, name)
	}
	if name[0] == relationNames {
		schema := schemaOfName(name)
		if d.members[schema]--; d.members[schema] == 0 {
			delete(d.members, schema)
		}
	}
}

func schemaOfName(name string) uint64 { return binary.BigEndian.Uint64([]byte(name[1:9])) }

// of gives the ids of the live objects with a name.
func (d *Directory) of(ctx context.Context, reader store.Reader, name string) (ids []uint64, err error) {
	err = d.use(ctx, reader, func(current *Directory) { ids = slices.Clone(current.ids[name]) })
	return ids, err
}

// count gives the number of tables and views in a schema.
func (d *Directory) count(ctx context.Context, reader store.Reader, schema uint64) (count int, err error) {
	err = d.use(ctx, reader, func(current *Directory) { count = current.members[schema] })
	return count, err
}

// use hands out a directory that is as new as the state; one of its own when the state is older than what the directory
// was told of before it was built.
func (d *Directory) use(ctx context.Context, reader store.Reader, with func(*Directory)) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if !d.built {
		built, err := build(ctx, reader)
		if err != nil {
			return err
		}
		if built.batches < d.batches {
			with(built)
			return nil
		}
		d.ids, d.names, d.members, d.built, d.batches = built.ids, built.names, built.members, true, built.batches
	}
	with(d)
	return nil
}

// build reads the names of a state.
func build(ctx context.Context, reader store.Reader) (*Directory, error) {
	built := &Directory{ids: map[string][]uint64{}, names: map[string]string{}, members: map[uint64]int{}}
	value, found, err := reader.Get(ctx, keyspace.HeadKey().Bytes())
	if err != nil {
		return nil, err
	}
	var head keyspace.HeadValue
	if found {
		if err := decode(keyspace.HeadKey().Bytes(), value, &head); err != nil {
			return nil, err
		}
		built.batches = head.BatchSequence + 1
	}
	for _, kind := range namedKinds {
		err := scan(ctx, reader, keyspace.Prefix(kind), func(key keyspace.Key, value []byte) error {
			return built.add(kind, string(key.Bytes()), value)
		})
		if err != nil {
			return nil, err
		}
	}
	return built, nil
}
