package usertable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"moraine/relation"
	"moraine/rowstore"
	"moraine/store"
)

// definitionVersion is the first byte of a stored definition; JSON follows.
const definitionVersion = 1

// storedTable is a table's definition as it is stored, and what follows from it. It is immutable.
type storedTable struct {
	number      uint64 // 0 for a table that is not yet committed
	definition  *relation.Definition
	fill        map[int16]relation.Value
	constraints []uint64 // the number of each constraint of the definition
	next        uint64   // the next free constraint number
	rows        *rowstore.Rows
	encoded     string // the stored form; empty for a definition that is not stored
}

// tableRecord is the JSON of a definition.
type tableRecord struct {
	Number         uint64             `json:"number"`
	Temporary      bool               `json:"temporary,omitempty"`
	OnCommit       relation.OnCommit  `json:"on_commit,omitempty"`
	Comment        string             `json:"comment,omitempty"`
	Columns        []columnRecord     `json:"columns"`
	Constraints    []constraintRecord `json:"constraints,omitempty"`
	NextConstraint uint64             `json:"next_constraint,omitempty"`
	// Fill is a row of the definition, encoded, that has the fill value of each column or NULL.
	Fill []byte `json:"fill,omitempty"`
}

type columnRecord struct {
	Name     string `json:"name"`
	Number   int16  `json:"number"`
	Type     uint32 `json:"type"`
	Modifier int32  `json:"modifier"`
	NotNull  bool   `json:"not_null,omitempty"`
	Default  string `json:"default,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

type constraintRecord struct {
	Name    string                  `json:"name"`
	Kind    relation.ConstraintKind `json:"kind"`
	Columns []int                   `json:"columns"`
	Number  uint64                  `json:"number"`
}

// newStoredTable derives what a definition needs.
func newStoredTable(number uint64, definition *relation.Definition, fill map[int16]relation.Value, constraints []uint64, next uint64) *storedTable {
	return &storedTable{
		number: number, definition: definition, fill: fill, constraints: constraints, next: next,
		rows: rowstore.NewFilled(numbered(rowsTag, number), definition, fill),
	}
}

// withNumber gives the table under the number that it is committed with.
func (s *storedTable) withNumber(number uint64) *storedTable {
	return newStoredTable(number, s.definition, s.fill, s.constraints, s.next)
}

// encode gives the stored form.
func (s *storedTable) encode() ([]byte, error) {
	record := tableRecord{
		Number: s.number, Temporary: s.definition.Persistence == relation.Temporary, OnCommit: s.definition.OnCommit,
		Comment: s.definition.Comment, NextConstraint: s.next,
	}
	fill := make(relation.Row, len(s.definition.Columns))
	for i, column := range s.definition.Columns {
		record.Columns = append(record.Columns, columnRecord{
			Name: column.Name, Number: column.Number, Type: column.Type.OID, Modifier: column.Type.Modifier,
			NotNull: column.NotNull, Default: column.Default, Comment: column.Comment,
		})
		fill[i] = s.fill[column.Number]
	}
	for i, constraint := range s.definition.Constraints {
		record.Constraints = append(record.Constraints, constraintRecord{
			Name: constraint.Name, Kind: constraint.Kind, Columns: constraint.Columns, Number: s.constraints[i],
		})
	}
	if len(s.fill) > 0 {
		record.Fill = rowstore.NewCodec(s.definition, nil).Append(nil, fill)
	}
	encoded, err := json.Marshal(record)
	return append([]byte{definitionVersion}, encoded...), err
}

// decodeTable reads a stored definition. Bytes that encode does not write are store.ErrCorrupt.
func decodeTable(schema, name string, oid uint32, encoded []byte) (*storedTable, error) {
	if len(encoded) == 0 || encoded[0] != definitionVersion {
		return nil, fmt.Errorf("%w: the definition of table %q does not start with version %d", store.ErrCorrupt, name, definitionVersion)
	}
	var record tableRecord
	decoder := json.NewDecoder(bytes.NewReader(encoded[1:]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&record); err != nil {
		return nil, fmt.Errorf("%w: the definition of table %q: %w", store.ErrCorrupt, name, err)
	}
	if fault := record.fault(); fault != "" {
		return nil, fmt.Errorf("%w: the definition of table %q: %s", store.ErrCorrupt, name, fault)
	}
	table, err := record.table(schema, name, oid)
	if err == nil {
		table.encoded = string(encoded)
	}
	return table, err
}

// fault says what is wrong with a record, or nothing.
func (r *tableRecord) fault() string {
	seen := map[int16]bool{}
	for _, column := range r.Columns {
		if column.Number <= 0 || seen[column.Number] {
			return fmt.Sprintf("column number %d", column.Number)
		}
		seen[column.Number] = true
	}
	for _, constraint := range r.Constraints {
		if constraint.Number >= r.NextConstraint {
			return fmt.Sprintf("constraint number %d of %d", constraint.Number, r.NextConstraint)
		}
		for _, ordinal := range constraint.Columns {
			if ordinal < 0 || ordinal >= len(r.Columns) {
				return fmt.Sprintf("constraint %q on column %d of %d", constraint.Name, ordinal, len(r.Columns))
			}
		}
	}
	return ""
}

func (r *tableRecord) table(schema, name string, oid uint32) (*storedTable, error) {
	definition := &relation.Definition{
		OID: oid, Schema: schema, Name: strings.Clone(name), Kind: relation.Table, Persistence: relation.Permanent,
		OnCommit: r.OnCommit, Comment: r.Comment,
	}
	if r.Temporary {
		definition.Persistence = relation.Temporary
	}
	for _, column := range r.Columns {
		definition.Columns = append(definition.Columns, relation.Column{
			Name: column.Name, Type: relation.Type{OID: column.Type, Modifier: column.Modifier}, NotNull: column.NotNull,
			Number: column.Number, Default: column.Default, Comment: column.Comment,
		})
	}
	var constraints []uint64
	for _, constraint := range r.Constraints {
		definition.Constraints = append(definition.Constraints,
			relation.Constraint{Name: constraint.Name, Kind: constraint.Kind, Columns: constraint.Columns})
		constraints = append(constraints, constraint.Number)
	}
	fill, err := r.decodeFill(definition)
	if err != nil {
		return nil, err
	}
	return newStoredTable(r.Number, definition, fill, constraints, r.NextConstraint), nil
}

func (r *tableRecord) decodeFill(definition *relation.Definition) (map[int16]relation.Value, error) {
	if len(r.Fill) == 0 {
		return nil, nil
	}
	row := make(relation.Row, len(definition.Columns))
	if err := rowstore.NewCodec(definition, nil).Decode(string(r.Fill), row); err != nil {
		return nil, err
	}
	fill := map[int16]relation.Value{}
	for i, value := range row {
		if !value.IsNull() {
			fill[definition.Columns[i].Number] = value
		}
	}
	return fill, nil
}
