package sqlmap

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

// conversion is an ALTER COLUMN ... TYPE: the expression that makes a column's new values, over the table as it was.
type conversion struct {
	number     int16 // of the column in the new definition
	expression *pg_query.Node
	to         relation.Type
}

// changeType gives a column another type. The new column has a number of its own, so that the table takes it for another one;
// its values are put in afterwards.
func (a *alteration) changeType(node *pg_query.AlterTableCmd) error {
	column, _, err := a.column(node.Name)
	if err != nil {
		return err
	}
	definition := node.Def.GetColumnDef()
	to, err := resolveType(a.statement, definition.TypeName)
	if err != nil || to == column.Type {
		return err
	}
	expression := definition.RawDefault
	if expression == nil {
		if !function.CanCast(column.Type, to, function.CastAssignment) {
			return pgerror.New(pgerror.DatatypeMismatch, "column \"%s\" cannot be cast automatically to type %s", column.Name, function.FormatType(to)).
				WithHint("You might need to specify \"USING %s::%s\".", function.QuoteIdentifier(column.Name), function.FormatType(to))
		}
		expression = &pg_query.Node{Node: &pg_query.Node_ColumnRef{ColumnRef: &pg_query.ColumnRef{
			Fields: []*pg_query.Node{pg_query.MakeStrNode(node.Name)}, Location: -1,
		}}}
	}
	number := int16(0)
	for i := range a.definition.Columns {
		number = max(number, a.definition.Columns[i].Number)
	}
	column.Type, column.Number = to, number+1
	a.conversions = append(a.conversions, conversion{number: column.Number, expression: expression, to: to})
	return nil
}

// convert computes the new values, changes the table without its rules for the new columns, and puts values and rules in.
func (a *alteration) convert() error {
	values, err := a.converted()
	if err != nil {
		return err
	}
	loose := copyOf(a.definition)
	loose.Constraints = nil
	for i := range loose.Columns {
		if a.converts(loose.Columns[i].Number) {
			loose.Columns[i].NotNull = false
		}
	}
	if err := a.replace(loose); err != nil {
		return err
	}
	if err := a.store(loose, values); err != nil {
		return err
	}
	a.fill = nil
	return a.replace(a.definition)
}

func (a *alteration) converts(number int16) bool {
	for i := range a.conversions {
		if a.conversions[i].number == number {
			return true
		}
	}
	return false
}

// converted computes the new values of each row, by the query SELECT ctid, CAST(expression AS type), ... FROM table.
func (a *alteration) converted() (map[relation.RowIdentity]relation.Row, error) {
	definition := a.table.Definition()
	targets := []*pg_query.Node{targetOf(&pg_query.Node{Node: &pg_query.Node_ColumnRef{ColumnRef: &pg_query.ColumnRef{
		Fields: []*pg_query.Node{pg_query.MakeStrNode("ctid")}, Location: -1,
	}}})}
	for i := range a.conversions {
		cast := &pg_query.TypeCast{Arg: a.conversions[i].expression, TypeName: typeName(a.conversions[i].to), Location: -1}
		targets = append(targets, targetOf(&pg_query.Node{Node: &pg_query.Node_TypeCast{TypeCast: cast}}))
	}
	tree := selectOf(targets)
	tree.GetSelectStmt().FromClause = []*pg_query.Node{{Node: &pg_query.Node_RangeVar{RangeVar: &pg_query.RangeVar{
		Schemaname: definition.Schema, Relname: definition.Name, Inh: true, Relpersistence: "p", Location: -1,
	}}}}
	made, err := a.session.prepareQuery(a.statement.Inner(tree), nil)
	if err != nil {
		return nil, err
	}
	result, err := made.run(nil)
	if err != nil {
		return nil, err
	}
	defer result.rows.Close()
	values := map[relation.RowIdentity]relation.Row{}
	for {
		batch, err := result.rows.Next(a.session.context)
		if err != nil || batch == nil {
			return values, err
		}
		if len(values)+batch.Length > MaximumKeptRows {
			return nil, pgerror.New(pgerror.ProgramLimitExceeded, "table \"%s\" has too many rows to convert", a.name).
				WithDetail("The limit is %d.", MaximumKeptRows)
		}
		for i := range batch.Length {
			row := batch.Row(i)
			if identity, ok := relation.IdentityOfTID(row[0]); ok {
				values[identity] = append(relation.Row(nil), row[1:]...)
			}
		}
	}
}

// store writes the new values into the rows.
func (a *alteration) store(definition *relation.Definition, values map[relation.RowIdentity]relation.Row) error {
	s := a.session
	table, err := s.writable(definition.Schema, definition.Name)
	if err != nil {
		return err
	}
	places := make([]int, len(a.conversions))
	for i := range a.conversions {
		for ordinal := range definition.Columns {
			if definition.Columns[ordinal].Number == a.conversions[i].number {
				places[i] = ordinal
			}
		}
	}
	all := make([]int, len(definition.Columns))
	for i := range all {
		all[i] = i
	}
	cursor, err := table.Scan(s.context, relation.ScanRequest{Columns: all, WithIdentities: true})
	if err != nil {
		return err
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(s.context)
		if err != nil || batch == nil {
			return err
		}
		for i := range batch.Length {
			identity := batch.Identities[i]
			row := append(relation.Row(nil), batch.Row(i)...)
			for j, value := range values[identity] {
				row[places[j]] = value
				if column := &a.definition.Columns[places[j]]; column.NotNull && value.IsNull() {
					return containsNull(a.name, column.Name)
				}
			}
			if err := table.Update(s.context, identity, row); err != nil {
				return err
			}
		}
	}
}
