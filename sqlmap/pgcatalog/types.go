package pgcatalog

import (
	"context"
	"sync"

	"moraine/relation"
	"moraine/sqlmap/function"
)

var typeBuilders = map[string]builder{
	"pg_type": typeRows,
}

// OIDs in pg_proc of the functions that every row type and its array have.
const (
	recordInput, recordOutput, recordReceive, recordSend = 2290, 2291, 2402, 2403
	arrayInput, arrayOutput, arrayReceive, arraySend     = 750, 751, 2400, 2401
	arraySubscript, arrayAnalyze                         = 6179, 3816
)

// typeRows gives the types of package function, then a row type and its array for each table.
func typeRows(ctx context.Context, s *scan) error {
	if oids, ok := s.keys("oid"); ok {
		return s.emitTypesByOID(ctx, oids)
	}
	fixed := baseTypeRows()
	if names, ok := s.keys("typname"); ok {
		for _, name := range names {
			if kind := function.TypeByName(name.Text()); kind != nil && !s.emit(fixed.byOID[kind.OID]) {
				return nil
			}
		}
	} else {
		for _, row := range fixed.rows {
			if !s.emit(row) {
				return nil
			}
		}
	}
	definitions, err := s.tables(ctx, "typrelid", "")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		if emitted, err := s.emitRowTypes(ctx, definition); err != nil || !emitted {
			return err
		}
	}
	return nil
}

func (s *scan) emitTypesByOID(ctx context.Context, oids []relation.Value) error {
	fixed := baseTypeRows()
	seen := map[uint32]bool{}
	for _, value := range oids {
		oid := uint32(value.Int())
		if row, ok := fixed.byOID[oid]; ok {
			if !s.emit(row) {
				return nil
			}
			continue
		}
		definition, err := s.tableOfType(ctx, oid)
		if err != nil {
			return err
		}
		if definition == nil || seen[definition.OID] {
			continue
		}
		seen[definition.OID] = true
		if emitted, err := s.emitRowTypes(ctx, definition); err != nil || !emitted {
			return err
		}
	}
	return nil
}

// tableOfType finds the relation whose row type, or the array of it, has the OID.
func (s *scan) tableOfType(ctx context.Context, oid uint32) (*relation.Definition, error) {
	if table, _, ok := relation.TableOfRowType(oid); ok {
		return s.catalog.ByOID(ctx, table)
	}
	for _, known := range recorded().list {
		if known.rowType == oid {
			return known.definition, nil
		}
	}
	return nil, nil
}

// emitRowTypes emits the row type of a relation, and its array for those that are no catalogs.
func (s *scan) emitRowTypes(ctx context.Context, definition *relation.Definition) (bool, error) {
	namespace, err := s.catalog.SchemaOID(ctx, definition.Schema)
	if err != nil {
		return false, err
	}
	rowType, arrayType := relation.RowTypeOID(definition.OID), relation.RowArrayOID(definition.OID)
	if known := recorded().byOID[definition.OID]; known != nil {
		rowType, arrayType = known.rowType, 0
	}
	if !s.emit(relation.Row{
		integer(rowType), text(definition.Name), integer(namespace), ownerRef, integer(-1), no, text("c"), text("C"), no, yes, text(","),
		integer(definition.OID), zero, zero, integer(arrayType), integer(recordInput), integer(recordOutput), integer(recordReceive), integer(recordSend),
		zero, zero, zero, text("d"), text("x"), no, zero, integer(-1), zero, zero, null, null, null,
	}) {
		return false, nil
	}
	return arrayType == 0 || s.emit(relation.Row{
		integer(arrayType), text("_" + definition.Name), integer(namespace), ownerRef, integer(-1), no, text("b"), text("A"), no, yes, text(","),
		zero, integer(arraySubscript), integer(rowType), zero, integer(arrayInput), integer(arrayOutput), integer(arrayReceive), integer(arraySend),
		zero, zero, integer(arrayAnalyze), text("d"), text("x"), no, zero, integer(-1), zero, zero, null, null, null,
	}), nil
}

type baseTypes struct {
	rows  []relation.Row
	byOID map[uint32]relation.Row
}

var baseTypeRows = sync.OnceValue(func() *baseTypes {
	all := &baseTypes{byOID: map[uint32]relation.Row{}}
	for _, kind := range function.Types() {
		analyze := zero
		if kind.IsArray() {
			analyze = integer(arrayAnalyze)
		}
		row := relation.Row{
			integer(kind.OID), text(kind.Name), integer(SchemaOID), ownerRef, integer(kind.Length), relation.Bool(kind.ByValue), character(kind.Kind),
			character(kind.Category), relation.Bool(kind.Preferred), yes, character(kind.Delimiter), zero, integer(kind.Subscript),
			integer(kind.Element), integer(kind.Array), integer(kind.Input), integer(kind.Output), integer(kind.Receive), integer(kind.Send),
			integer(kind.ModifierInput), integer(kind.ModifierOutput), analyze, character(kind.Align), character(kind.Storage), no, zero,
			integer(-1), zero, integer(kind.Collation), null, null, null,
		}
		all.rows = append(all.rows, row)
		all.byOID[kind.OID] = row
	}
	return all
})
