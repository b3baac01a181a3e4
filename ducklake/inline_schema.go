package ducklake

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"moraine/keyspace"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// The columns that an inlined table has before the user's.
const (
	rowIDColumn = iota
	beginColumn
	endOfRowColumn
	headColumns
)

var inlinedHead = [headColumns]relation.Column{
	{Name: "row_id", Type: relation.Int8Type, Number: 1},
	{Name: "begin_snapshot", Type: relation.Int8Type, Number: 2},
	{Name: endColumn, Type: relation.Int8Type, Number: 3},
}

// headPrefix starts the names of the head columns since version 1.1 of the catalog.
const headPrefix = "_ducklake_"

// headName tells whether DuckLake gives the head column that name, in any version of the catalog.
func headName(ordinal int, name string) bool {
	return strings.TrimPrefix(name, headPrefix) == inlinedHead[ordinal].Name
}

// inlinedSchema is the columns of an inlined table. It is immutable.
type inlinedSchema struct {
	// encoded is the Arrow IPC stream of the user columns. Its metadata has, by their names up to version 1.0, the
	// names of the head columns, when they have others.
	encoded []byte
	head    [headColumns]string
	columns []inlinedColumn
	// unknown is a column of a type that PostgreSQL does not have; empty when there is none.
	unknown string
}

// newInlinedSchema makes the schema of a new table; false when it is not one that DuckLake would make, or has a type that
// Arrow has no place for: then it is a plain table.
func newInlinedSchema(definition *relation.Definition) (*inlinedSchema, bool, error) {
	if len(definition.Columns) <= headColumns || len(definition.Constraints) > 0 {
		return nil, false, nil
	}
	var fields []arrow.Field
	var head map[string]string
	for i, column := range definition.Columns {
		if column.NotNull || column.Default != "" {
			return nil, false, nil
		}
		if i < headColumns {
			if !headName(i, column.Name) || column.Type != relation.Int8Type {
				return nil, false, nil
			}
			if known := inlinedHead[i].Name; column.Name != known {
				if head == nil {
					head = map[string]string{}
				}
				head[known] = column.Name
			}
			continue
		}
		field, ok := arrowField(column)
		if !ok {
			return nil, false, nil
		}
		fields = append(fields, field)
	}
	var buffer bytes.Buffer
	metadata := arrow.MetadataFrom(head)
	writer := ipc.NewWriter(&buffer, ipc.WithSchema(arrow.NewSchema(fields, &metadata)))
	if err := writer.Close(); err != nil {
		return nil, false, err
	}
	schema, err := decodeInlinedSchema(buffer.Bytes())
	return schema, err == nil, err
}

func decodeInlinedSchema(encoded []byte) (*inlinedSchema, error) {
	reader, err := ipc.NewReader(bytes.NewReader(encoded))
	if err != nil {
		return nil, fmt.Errorf("%w: Arrow schema: %v", keyspace.ErrCorrupt, err)
	}
	defer reader.Release()
	schema := &inlinedSchema{encoded: encoded}
	metadata := reader.Schema().Metadata()
	for i := range inlinedHead {
		schema.head[i] = inlinedHead[i].Name
		if name, renamed := metadata.GetValue(schema.head[i]); renamed && headName(i, name) {
			schema.head[i] = name
		}
	}
	for i, field := range reader.Schema().Fields() {
		column, known := inlinedColumnOf(field)
		if !known && schema.unknown == "" {
			schema.unknown = fmt.Sprintf("column \"%s\" of Arrow type %s", field.Name, field.Type)
		}
		column.column.Number = int16(headColumns + i + 1)
		schema.columns = append(schema.columns, column)
	}
	return schema, nil
}

// definition describes the table of a schema.
func (s *inlinedSchema) definition(name, schema string, oid uint32) *relation.Definition {
	definition := &relation.Definition{
		OID: oid, Schema: schema, Name: name, Kind: relation.Table, Persistence: relation.Permanent,
		Columns: append([]relation.Column(nil), inlinedHead[:]...),
	}
	for i, name := range s.head {
		definition.Columns[i].Name = name
	}
	for i := range s.columns {
		definition.Columns = append(definition.Columns, s.columns[i].column)
	}
	return definition
}

// keptSchemas bounds the decoded schemas that a catalog keeps.
const keptSchemas = 1 << 14

// inlinedState is what a state of the store says about one inlined table.
type inlinedState struct {
	schema     *inlinedSchema // nil when there never was such a table
	registered bool
	exists     bool // false when it was dropped: then it still binds, and is empty (RFC 0005)
}

// inlinedStateAt reads the schema of an inlined table and whether it is there.
func (c *Catalog) inlinedStateAt(ctx context.Context, reader store.Reader, id inlinedID) (inlinedState, error) {
	var stored keyspace.InlineSchemaValue
	found, err := readMessage(ctx, reader, keyspace.InlineSchemaKey(id.table, id.version), &stored)
	if err != nil || !found {
		return inlinedState{}, err
	}
	encoded := stored.ArrowSchema
	if stored.SameAsVersion.Set {
		if encoded, err = referredSchema(ctx, reader, inlinedID{id.table, stored.SameAsVersion.Value}); err != nil {
			return inlinedState{}, err
		}
	}
	state := inlinedState{registered: true, exists: true}
	if state.schema, err = c.decodedSchema(encoded); err != nil {
		return inlinedState{}, recordError(keyspace.InlineSchemaKey(id.table, id.version).Bytes(), err)
	}
	var dropped keyspace.InlineSchemaDroppedValue
	marked, err := readMessage(ctx, reader, keyspace.InlineSchemaDroppedKey(id.table, id.version), &dropped)
	if marked {
		state.registered, state.exists = false, dropped.TableKept
	}
	return state, err
}

// referredSchema gives the Arrow schema that another version's record refers to; references are one hop long.
func referredSchema(ctx context.Context, reader store.Reader, id inlinedID) ([]byte, error) {
	key := keyspace.InlineSchemaKey(id.table, id.version)
	var referred keyspace.InlineSchemaValue
	found, err := readMessage(ctx, reader, key, &referred)
	if err == nil && (!found || referred.SameAsVersion.Set) {
		err = recordError(key.Bytes(), fmt.Errorf("%w: a schema refers to it, and it has none", keyspace.ErrCorrupt))
	}
	return referred.ArrowSchema, err
}

func (c *Catalog) decodedSchema(encoded []byte) (*inlinedSchema, error) {
	c.mutex.Lock()
	known := c.schemas[string(encoded)]
	c.mutex.Unlock()
	if known != nil {
		return known, nil
	}
	schema, err := decodeInlinedSchema(encoded)
	if err != nil {
		return nil, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.schemas) >= keptSchemas {
		clear(c.schemas)
	}
	c.schemas[string(encoded)] = schema
	return schema, nil
}

// usable refuses a schema with a column that PostgreSQL cannot show.
func (s *inlinedSchema) usable() error {
	if s.unknown != "" {
		return pgerror.Unsupported("inlined data with " + s.unknown)
	}
	return nil
}
