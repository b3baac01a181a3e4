package sqlmap

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

// maximumNameBytes bounds an identifier, as PostgreSQL's NAMEDATALEN - 1.
const maximumNameBytes = 63

// addConstraint adds a PRIMARY KEY or UNIQUE constraint.
func (d *tableDesign) addConstraint(constraint *pg_query.Constraint) error {
	kind := relation.Unique
	switch constraint.Contype {
	case pg_query.ConstrType_CONSTR_PRIMARY:
		kind = relation.PrimaryKey
	case pg_query.ConstrType_CONSTR_UNIQUE:
	default:
		return unsupportedConstraint(constraint)
	}
	switch {
	case constraint.Deferrable || constraint.Initdeferred:
		return pgerror.Unsupported("a deferrable constraint")
	case constraint.NullsNotDistinct:
		return pgerror.Unsupported("NULLS NOT DISTINCT")
	case constraint.Indexname != "":
		return pgerror.Unsupported("a constraint USING INDEX")
	case len(constraint.Including) > 0:
		return pgerror.Unsupported("INCLUDE")
	}
	columns, err := d.keyColumns(stringsOf(constraint.Keys))
	if pgerror.HasCode(err, pgerror.UndefinedColumn) {
		return positioned(err, d.statement.Position(int(constraint.Location)))
	}
	if err != nil {
		return err
	}
	return d.addKey(kind, constraint.Conname, columns)
}

// keyColumns gives the ordinals of a key's columns.
func (d *tableDesign) keyColumns(columnNames []string) ([]int, error) {
	columns := make([]int, 0, len(columnNames))
	for _, name := range columnNames {
		ordinal := d.definition.Ordinal(name)
		if ordinal < 0 {
			return nil, pgerror.New(pgerror.UndefinedColumn, "column \"%s\" named in key does not exist", name)
		}
		if slices.Contains(columns, ordinal) {
			return nil, pgerror.New(pgerror.DuplicateColumn, "column \"%s\" appears twice in a key", name)
		}
		if column := &d.definition.Columns[ordinal]; function.Comparer(column.Type) == nil {
			return nil, pgerror.New(pgerror.UndefinedObject, "data type %s has no default operator class for access method \"btree\"",
				function.FormatType(relation.Type{OID: column.Type.OID, Modifier: -1})).
				WithHint("You must specify an operator class for the index or define a default operator class for the data type.")
		}
		columns = append(columns, ordinal)
	}
	return columns, nil
}

// addKey adds a key, with the name that PostgreSQL would choose when there is none.
func (d *tableDesign) addKey(kind relation.ConstraintKind, name string, columns []int) error {
	definition := d.definition
	if len(definition.Constraints) >= relation.MaximumConstraints {
		return pgerror.New(pgerror.ProgramLimitExceeded, "tables can have at most %d keys", relation.MaximumConstraints)
	}
	label := "key"
	if kind == relation.PrimaryKey {
		label = "pkey"
		for i := range definition.Constraints {
			if definition.Constraints[i].Kind == relation.PrimaryKey {
				return pgerror.New(pgerror.InvalidTableDefinition, "table \"%s\" has a main key already", definition.Name)
			}
		}
		for _, ordinal := range columns {
			definition.Columns[ordinal].NotNull = true
		}
	}
	taken, err := d.takenNames()
	if err != nil {
		return err
	}
	switch {
	case name == "":
		name = chooseName(definition.Name, keyNamePart(definition, kind, columns), label, taken)
	case taken[name]:
		return pgerror.New(pgerror.DuplicateTable, "relation \"%s\" already exists", name)
	}
	definition.Constraints = append(definition.Constraints, relation.Constraint{Name: name, Kind: kind, Columns: columns})
	return nil
}

// keyNamePart is the middle of a key's name: its columns, for all but primary keys.
func keyNamePart(definition *relation.Definition, kind relation.ConstraintKind, columns []int) string {
	if kind == relation.PrimaryKey {
		return ""
	}
	columnNames := make([]string, len(columns))
	for i, ordinal := range columns {
		columnNames[i] = definition.Columns[ordinal].Name
	}
	return strings.Join(columnNames, "_")
}

// takenNames are the names of relations and indexes in the table's schema, and its own.
func (d *tableDesign) takenNames() (map[string]bool, error) {
	handle, err := d.session.handle()
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{d.definition.Name: true}
	definitions, err := handle.Definitions(d.session.context, d.definition.Schema)
	if err != nil {
		// A schema that is not there yet, or that only CREATE TABLE can refuse, has no names.
		if pgerror.HasCode(err, pgerror.InvalidSchemaName) {
			definitions = nil
		} else {
			return nil, err
		}
	}
	for _, other := range append(definitions[:len(definitions):len(definitions)], d.definition) {
		if other != d.definition {
			taken[other.Name] = true
		}
		for i := range other.Constraints {
			taken[other.Constraints[i].Name] = true
		}
	}
	return taken, nil
}

// chooseName makes table_columns_label, shortened to an identifier's length and numbered until it is free, as PostgreSQL's
// ChooseRelationName does.
func chooseName(table, columns, label string, taken map[string]bool) string {
	for pass := 0; ; pass++ {
		suffix := label
		if pass > 0 {
			suffix += strconv.Itoa(pass)
		}
		if name := objectName(table, columns, suffix); !taken[name] {
			return name
		}
	}
}

// objectName joins the parts with underscores and cuts the longer of the first two until the name fits.
func objectName(first, second, label string) string {
	overhead := 1 + len(label)
	if second != "" {
		overhead++
	}
	firstLength, secondLength := len(first), len(second)
	for firstLength+secondLength > maximumNameBytes-overhead {
		if firstLength > secondLength {
			firstLength--
		} else {
			secondLength--
		}
	}
	name := cut(first, firstLength)
	if second != "" {
		name += "_" + cut(second, secondLength)
	}
	return name + "_" + label
}

// cut shortens a text to a number of bytes without cutting a character.
func cut(text string, length int) string {
	if length >= len(text) {
		return text
	}
	for length > 0 && !utf8.RuneStart(text[length]) {
		length--
	}
	return text[:length]
}
