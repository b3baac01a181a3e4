package ducklake

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"moraine/keyspace"
	"moraine/overlay"
	"moraine/relation"
	"moraine/rowstore"
	"moraine/store"
)

// Which catalog tables exist, and with which columns, is kept beside the records of the specification, in the subspace of
// plain tables: the original has all tables always, DuckLake creates them, and its older and later versions have other
// columns. A store with a catalog and no such record was written by the original, and has the standard tables.
//
//	0xe2 0x11 0x00          the generation of the definitions, 8 bytes big endian
//	0xe2 0x11 0x01 | name   a definition, as JSON
const (
	definitionsTag byte = 0x11
	generationTag  byte = 0x00
	definitionTag  byte = 0x01
)

func definitionsKey(rest ...byte) []byte {
	return append(append(keyspace.SubspaceUserTable.Prefix(), definitionsTag), rest...)
}

func definitionKey(name string) []byte { return append(definitionsKey(definitionTag), name...) }

// tableDefinition is one existing catalog table. It is immutable once it is in use.
type tableDefinition struct {
	table      *catalogTable
	created    int // order of creation
	definition *relation.Definition
	layout     *layout
	// fill has, by column number, what rows in the refuge that are older than a column have in it.
	fill map[int16]relation.Value
	// forgotten names dropped columns that records may still hold.
	forgotten []string

	once   sync.Once
	refuge *rowstore.Rows
}

// rows gives the row store of the table's refuge.
func (d *tableDefinition) rows() *rowstore.Rows {
	d.once.Do(func() { d.refuge = rowstore.NewFilled(refugePrefix(d.table), d.definition, d.fill) })
	return d.refuge
}

// definitionRecord is the JSON of a tableDefinition.
type definitionRecord struct {
	Created     int                `json:"created"`
	Comment     string             `json:"comment,omitempty"`
	Columns     []columnRecord     `json:"columns"`
	Constraints []constraintRecord `json:"constraints,omitempty"`
	Forgotten   []string           `json:"forgotten,omitempty"`
}

type columnRecord struct {
	Name     string `json:"name"`
	Number   int16  `json:"number"`
	Type     uint32 `json:"type"`
	Modifier int32  `json:"modifier"`
	NotNull  bool   `json:"not_null,omitempty"`
	Default  string `json:"default,omitempty"`
	Comment  string `json:"comment,omitempty"`
	Fill     []byte `json:"fill,omitempty"` // see encodeValue
}

type constraintRecord struct {
	Name    string                  `json:"name"`
	Kind    relation.ConstraintKind `json:"kind"`
	Columns []int                   `json:"columns"`
}

// newTableDefinition completes a definition with what the catalog knows of the table.
func newTableDefinition(table *catalogTable, created int, definition relation.Definition, environment overlay.Environment) *tableDefinition {
	definition.OID, definition.Schema = environment.OID(definition.Name), environment.Schema()
	definition.Kind, definition.Persistence = relation.Table, relation.Permanent
	definition.Selective = nil
	for _, name := range table.selective {
		if ordinal := definition.Ordinal(name); ordinal >= 0 {
			definition.Selective = append(definition.Selective, ordinal)
		}
	}
	return &tableDefinition{table: table, created: created, definition: &definition, layout: table.layoutOf(definition.Columns)}
}

// standardDefinition is the table as DuckLake creates it.
func standardDefinition(table *catalogTable, environment overlay.Environment) *tableDefinition {
	definition := relation.Definition{Name: table.name, Columns: slices.Clone(table.standard)}
	if ordinal := ordinalOf(table.standard, table.primaryKey); ordinal >= 0 {
		definition.Constraints = []relation.Constraint{{
			Name: table.name + "_pkey", Kind: relation.PrimaryKey, Columns: []int{ordinal},
		}}
	}
	return newTableDefinition(table, slices.Index(creationOrder, table.name), definition, environment)
}

func (d *tableDefinition) encode() ([]byte, error) {
	record := definitionRecord{Created: d.created, Comment: d.definition.Comment, Forgotten: d.forgotten}
	for _, column := range d.definition.Columns {
		encoded := columnRecord{
			Name: column.Name, Number: column.Number, Type: column.Type.OID, Modifier: column.Type.Modifier,
			NotNull: column.NotNull, Default: column.Default, Comment: column.Comment,
		}
		if fill := d.fill[column.Number]; !fill.IsNull() {
			encoded.Fill = []byte(encodeValue(fill))
		}
		record.Columns = append(record.Columns, encoded)
	}
	for _, constraint := range d.definition.Constraints {
		record.Constraints = append(record.Constraints, constraintRecord(constraint))
	}
	return json.Marshal(record)
}

func decodeDefinition(name string, encoded []byte, environment overlay.Environment) (*tableDefinition, error) {
	table, known := catalogTables[name]
	if !known {
		return nil, fmt.Errorf("%w: definition of %q, which is no catalog table", keyspace.ErrCorrupt, name)
	}
	var record definitionRecord
	if err := json.Unmarshal(encoded, &record); err != nil {
		return nil, fmt.Errorf("%w: definition of %s: %v", keyspace.ErrCorrupt, name, err)
	}
	definition := relation.Definition{Name: name, Comment: record.Comment}
	fill := map[int16]relation.Value{}
	for _, column := range record.Columns {
		definition.Columns = append(definition.Columns, relation.Column{
			Name: column.Name, Type: relation.Type{OID: column.Type, Modifier: column.Modifier}, NotNull: column.NotNull,
			Number: column.Number, Default: column.Default, Comment: column.Comment,
		})
		if len(column.Fill) > 0 {
			value, err := decodeValue(string(column.Fill))
			if err != nil {
				return nil, err
			}
			fill[column.Number] = value
		}
	}
	for _, constraint := range record.Constraints {
		for _, ordinal := range constraint.Columns {
			if ordinal < 0 || ordinal >= len(definition.Columns) {
				return nil, fmt.Errorf("%w: definition of %s: constraint on column %d", keyspace.ErrCorrupt, name, ordinal)
			}
		}
		definition.Constraints = append(definition.Constraints, relation.Constraint(constraint))
	}
	decoded := newTableDefinition(table, record.Created, definition, environment)
	decoded.fill, decoded.layout.fill, decoded.forgotten = fill, fill, record.Forgotten
	return decoded, nil
}

// state is what one state of the store says about the catalog as a whole. It is immutable.
type state struct {
	format     uint64 // 0: the store has no catalog records
	generation uint64 // of the definitions; 0 when there are none
	tables     map[string]*tableDefinition
}

// original tells that the store was written by the original alone, so that some rows have to be made up.
func (s *state) original() bool { return s.format != 0 && s.generation == 0 }

// stateKey is what identifies a state: nothing else changes without one of them.
type stateKey struct {
	format     uint64
	generation uint64
}

// keptStates bounds the states that a catalog keeps: transactions with older snapshots may need more than the latest.
const keptStates = 8

// stateAt gives the state that a reader shows.
func (c *Catalog) stateAt(ctx context.Context, reader store.Reader, environment overlay.Environment) (*state, error) {
	format, err := c.readFormat(ctx, reader)
	if err != nil {
		return nil, err
	}
	generation, err := readGeneration(ctx, reader)
	if err != nil {
		return nil, err
	}
	key := stateKey{format: format, generation: generation}
	c.mutex.Lock()
	known := c.states[key]
	c.mutex.Unlock()
	if known != nil {
		return known, nil
	}
	state := &state{format: format, generation: generation, tables: map[string]*tableDefinition{}}
	if err := state.load(ctx, reader, environment); err != nil {
		return nil, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.states) >= keptStates {
		clear(c.states)
	}
	c.states[key] = state
	return state, nil
}

func readGeneration(ctx context.Context, reader store.Reader) (uint64, error) {
	key := definitionsKey(generationTag)
	value, found, err := reader.Get(ctx, key)
	switch {
	case err != nil || !found:
		return 0, err
	case len(value) != idSize:
		return 0, recordError(key, fmt.Errorf("%w: generation of %d bytes", keyspace.ErrCorrupt, len(value)))
	}
	return binary.BigEndian.Uint64(value), nil
}

func (s *state) load(ctx context.Context, reader store.Reader, environment overlay.Environment) error {
	if s.original() {
		for _, table := range catalogTables {
			s.tables[table.name] = standardDefinition(table, environment)
		}
		return nil
	}
	prefix := definitionsKey(definitionTag)
	iterator, err := reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.Next() {
		name := string(bytes.TrimPrefix(iterator.Key(), prefix))
		definition, err := decodeDefinition(name, iterator.Value(), environment)
		if err != nil {
			return recordError(iterator.Key(), err)
		}
		s.tables[name] = definition
	}
	return iterator.Err()
}
