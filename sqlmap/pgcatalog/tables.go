package pgcatalog

import (
	"context"

	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/function"
)

// OIDs in pg_am.
const (
	heapMethodOID  = 2
	btreeMethodOID = 403
)

// OIDs of the catalogs that objects are described by.
const (
	classCatalogOID     = 1259
	namespaceCatalogOID = 2615
	databaseCatalogOID  = 1262
)

const indexKind = "i"

var tableBuilders = map[string]builder{
	"pg_class":       classRows,
	"pg_attribute":   attributeRows,
	"pg_attrdef":     defaultRows,
	"pg_constraint":  constraintRows,
	"pg_index":       indexRows,
	"pg_description": descriptionRows,
	"pg_namespace":   namespaceRows,
	"pg_tables":      tablesRows,
	"pg_views":       viewsRows,
	"pg_indexes":     indexesRows,

	"pg_stat_all_tables":    statisticsRows(true, true),
	"pg_stat_user_tables":   statisticsRows(true, false),
	"pg_stat_sys_tables":    statisticsRows(false, true),
	"pg_statio_all_tables":  nil,
	"pg_statio_user_tables": nil,
}

func namespaceRows(ctx context.Context, s *scan) error {
	schemas, err := s.catalog.Schemas(ctx)
	if err != nil {
		return err
	}
	for _, fixed := range []relation.SchemaInfo{
		{OID: SchemaOID, Name: Schema}, {OID: toastSchemaOID, Name: toastSchema}, {OID: InformationSchemaOID, Name: InformationSchema},
	} {
		if !s.emit(relation.Row{integer(fixed.OID), text(fixed.Name), ownerRef, null}) {
			return nil
		}
	}
	for _, schema := range schemas {
		owner, list := ownerRef, null
		if !schema.Temporary {
			e, object := s.catalog.environment, role.SchemaObject(s.catalog.environment.Database.Name, schema.Name)
			owner, list = e.roleOID(e.Roles.CatalogOwner(object)), e.list(e.Roles.List(object))
		}
		if !s.emit(relation.Row{integer(schema.OID), text(shownSchema(schema.Name)), owner, list}) {
			return nil
		}
	}
	return nil
}

// classRows gives a row for each relation and each index. A name that only an index could have needs a look at all tables,
// unless the predicates ask for tables only.
func classRows(ctx context.Context, s *scan) error {
	nameColumn := "relname"
	if !s.excludes("relkind", text(indexKind)) {
		nameColumn = ""
	}
	definitions, err := s.tables(ctx, "oid", nameColumn)
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		namespace, err := s.catalog.SchemaOID(ctx, definition.Schema)
		if err != nil {
			return err
		}
		if !s.emitClass(definition, namespace) {
			return nil
		}
		for i := range definition.Constraints {
			if !s.emitIndexClass(definition, i, namespace) {
				return nil
			}
		}
	}
	return nil
}

// The rows that there may be thousands of are given to emit where they are made, so that they stay on the stack.

func (s *scan) emitClass(definition *relation.Definition, namespace uint32) bool {
	rowType, shared, frozen := relation.RowTypeOID(definition.OID), false, zero
	if known := recorded().byOID[definition.OID]; known != nil {
		rowType, shared = known.rowType, known.shared
	}
	method := zero
	if definition.Kind == relation.Table {
		method, frozen = integer(heapMethodOID), integer(1)
	}
	replica := "d"
	if definition.OID < relation.FirstOID {
		replica = "n"
	}
	owner, list := s.catalog.environment.tableAccess(definition)
	return s.emit(relation.Row{
		integer(definition.OID), text(definition.Name), integer(namespace), integer(rowType), zero, owner, method,
		integer(definition.OID), zero, zero, relation.Float(-1), zero, zero,
		relation.Bool(len(definition.Constraints) > 0), relation.Bool(shared), character(definition.Persistence), character(definition.Kind),
		integer(len(definition.Columns)), zero, no, no, no, no, no, yes, text(replica), no, zero, frozen, frozen, list, null, null,
	})
}

func (s *scan) emitIndexClass(definition *relation.Definition, i int, namespace uint32) bool {
	constraint := &definition.Constraints[i]
	oid := integer(relation.ConstraintOID(definition.OID, i))
	return s.emit(relation.Row{
		oid, text(constraint.Name), integer(namespace), zero, zero, ownerRef, integer(btreeMethodOID),
		oid, zero, zero, zero, zero, zero,
		no, no, character(definition.Persistence), text(indexKind),
		integer(len(constraint.Columns)), zero, no, no, no, no, no, yes, text("n"), no, zero, zero, zero, null, null, null,
	})
}

// systemColumn is one of the columns that every table has beside its own.
type systemColumn struct {
	name   string
	kind   uint32
	number int16
}

var systemColumns = []systemColumn{
	{"tableoid", relation.OIDOID, -6}, {"cmax", function.CIDOID, -5}, {"xmax", relation.XIDOID, -4},
	{"cmin", function.CIDOID, -3}, {"xmin", relation.XIDOID, -2}, {"ctid", relation.TIDOID, -1},
}

// attributeRows gives a row for each column of each relation and index, and for the system columns of tables.
func attributeRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "attrelid", "")
	if err != nil {
		return err
	}
	withSystem := !s.excludes("attnum", integer(-1)) || !s.excludes("attnum", integer(-6))
	for _, definition := range definitions {
		if withSystem && definition.Kind == relation.Table {
			for _, column := range systemColumns {
				if !s.emitSystemAttribute(definition.OID, column) {
					return nil
				}
			}
		}
		for i := range definition.Columns {
			column := &definition.Columns[i]
			if !s.emitAttribute(definition.OID, column, column.Number, column.NotNull, column.Default != "") {
				return nil
			}
		}
		if !s.emitIndexAttributes(definition) {
			return nil
		}
	}
	return nil
}

func (s *scan) emitIndexAttributes(definition *relation.Definition) bool {
	for i := range definition.Constraints {
		index := relation.ConstraintOID(definition.OID, i)
		for place, ordinal := range definition.Constraints[i].Columns {
			if !s.emitAttribute(index, &definition.Columns[ordinal], int16(place+1), false, false) {
				return false
			}
		}
	}
	return true
}

func (s *scan) emitSystemAttribute(table uint32, column systemColumn) bool {
	kind := function.TypeByOID(column.kind)
	return s.emit(relation.Row{
		integer(table), text(column.name), integer(column.kind), zero, integer(kind.Length), integer(column.number), zero, integer(-1), integer(-1),
		relation.Bool(kind.ByValue), character(kind.Align), character(kind.Storage), emptyCh, yes, no, no, emptyCh, emptyCh, no, yes, zero, zero,
		null, null, null, null,
	})
}

func (s *scan) emitAttribute(table uint32, column *relation.Column, number int16, notNull, hasDefault bool) bool {
	length, byValue, align, storage, collation, dimensions := int16(-1), false, byte('i'), byte('x'), uint32(0), 0
	if kind := function.TypeByOID(column.Type.OID); kind != nil {
		length, byValue, align, storage, collation = kind.Length, kind.ByValue, kind.Align, kind.Storage, kind.Collation
		if kind.IsArray() {
			dimensions = 1
		}
	}
	return s.emit(relation.Row{
		integer(table), text(column.Name), integer(column.Type.OID), integer(-1), integer(length), integer(number), integer(dimensions), integer(-1),
		integer(column.Type.Modifier), relation.Bool(byValue), character(align), character(storage), emptyCh, relation.Bool(notNull),
		relation.Bool(hasDefault), no, emptyCh, emptyCh, no, yes, zero, integer(collation), null, null, null, null,
	})
}

// defaultRows gives the defaults; adbin holds their SQL text, which pg_get_expr gives back.
func defaultRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "adrelid", "")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		for i := range definition.Columns {
			column := &definition.Columns[i]
			if column.Default == "" {
				continue
			}
			oid := relation.ConstraintOID(definition.OID, int(column.Number)%relation.MaximumConstraints)
			if !s.emit(relation.Row{integer(oid), integer(definition.OID), integer(column.Number), text(column.Default)}) {
				return nil
			}
		}
	}
	return nil
}

func numbers(definition *relation.Definition, ordinals []int) []int16 {
	list := make([]int16, len(ordinals))
	for i, ordinal := range ordinals {
		list[i] = definition.Columns[ordinal].Number
	}
	return list
}

// constraintTables lists the tables whose constraints a scan wants: by the table's OID, or by the constraint's own.
func (s *scan) constraintTables(ctx context.Context, tableColumn string, ownColumns ...string) ([]*relation.Definition, error) {
	for _, own := range ownColumns {
		if _, ok := s.keys(own); ok {
			return s.tables(ctx, own, "")
		}
	}
	return s.tables(ctx, tableColumn, "")
}

func constraintRows(ctx context.Context, s *scan) error {
	definitions, err := s.constraintTables(ctx, "conrelid", "oid", "conindid")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		if len(definition.Constraints) == 0 {
			continue
		}
		namespace, err := s.catalog.SchemaOID(ctx, definition.Schema)
		if err != nil {
			return err
		}
		for i := range definition.Constraints {
			constraint := &definition.Constraints[i]
			oid := integer(relation.ConstraintOID(definition.OID, i))
			if !s.emit(relation.Row{
				oid, text(constraint.Name), integer(namespace), character(constraint.Kind), no, no, yes, integer(definition.OID), zero, oid, zero, zero,
				blankCh, blankCh, blankCh, yes, zero, yes, int2Array(numbers(definition, constraint.Columns)), null, null, null, null, null, null, null,
			}) {
				return nil
			}
		}
	}
	return nil
}

func indexRows(ctx context.Context, s *scan) error {
	definitions, err := s.constraintTables(ctx, "indrelid", "indexrelid")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		for i := range definition.Constraints {
			if !s.emit(indexRow(definition, i)) {
				return nil
			}
		}
	}
	return nil
}

func indexRow(definition *relation.Definition, i int) relation.Row {
	constraint := &definition.Constraints[i]
	width := integer(len(constraint.Columns))
	collations := make([]uint32, len(constraint.Columns))
	classes := make([]uint32, len(constraint.Columns))
	for place, ordinal := range constraint.Columns {
		oid := definition.Columns[ordinal].Type.OID
		classes[place] = operatorClass(oid)
		if kind := function.TypeByOID(oid); kind != nil {
			collations[place] = kind.Collation
		}
	}
	return relation.Row{
		integer(relation.ConstraintOID(definition.OID, i)), integer(definition.OID), width, width, yes, no,
		relation.Bool(constraint.Kind == relation.PrimaryKey), no, yes, no, yes, no, yes, yes, no,
		int2Vector(numbers(definition, constraint.Columns)), oidVector(collations), oidVector(classes),
		int2Vector(make([]int16, len(constraint.Columns))), null, null,
	}
}

// descriptionRows gives the comments on tables and their columns.
func descriptionRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "objoid", "")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		if definition.Comment != "" && !s.emit(relation.Row{integer(definition.OID), integer(classCatalogOID), zero, text(definition.Comment)}) {
			return nil
		}
		for i := range definition.Columns {
			column := &definition.Columns[i]
			if column.Comment != "" && !s.emit(relation.Row{
				integer(definition.OID), integer(classCatalogOID), integer(column.Number), text(column.Comment),
			}) {
				return nil
			}
		}
	}
	return nil
}

func tablesRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "", "tablename")
	if err != nil {
		return err
	}
	e := s.catalog.environment
	for _, definition := range definitions {
		owner := text(e.roleName(e.Roles.Owner(role.TableObject(e.Database.Name, definition.Schema, definition.Name))))
		if definition.Kind == relation.Table && !s.emit(relation.Row{
			text(shownSchema(definition.Schema)), text(definition.Name), owner, null, relation.Bool(len(definition.Constraints) > 0), no, no, no,
		}) {
			return nil
		}
	}
	return nil
}

func viewsRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "", "viewname")
	if err != nil {
		return err
	}
	owner := text(s.catalog.environment.Owner)
	for _, definition := range definitions {
		if definition.Kind == relation.View && !s.emit(relation.Row{text(shownSchema(definition.Schema)), text(definition.Name), owner, null}) {
			return nil
		}
	}
	return nil
}

func indexesRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "", "tablename")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		for i := range definition.Constraints {
			if !s.emit(relation.Row{
				text(shownSchema(definition.Schema)), text(definition.Name), text(definition.Constraints[i].Name), null,
				text(IndexDefinition(definition, i)),
			}) {
				return nil
			}
		}
	}
	return nil
}

// statisticsRows gives a row for each table, without counts: none are kept.
func statisticsRows(user, system bool) builder {
	return func(ctx context.Context, s *scan) error {
		definitions, err := s.tables(ctx, "relid", "relname")
		if err != nil {
			return err
		}
		for _, definition := range definitions {
			own := definition.OID >= relation.FirstOID
			if definition.Kind != relation.Table || own && !user || !own && !system {
				continue
			}
			row := make(relation.Row, len(s.definition.Columns))
			for i := range row {
				if s.definition.Columns[i].Type.OID == relation.Int8OID {
					row[i] = zero
				}
			}
			row[0], row[1], row[2] = integer(definition.OID), text(shownSchema(definition.Schema)), text(definition.Name)
			if !s.emit(row) {
				return nil
			}
		}
		return nil
	}
}
