package plan

import (
	"math"

	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
)

func trueConstant() bind.Expression {
	return &bind.Constant{Value: relation.Bool(true), Of: relation.BoolType}
}

// scan plans the reading of a table: the columns that the statement uses, and the conditions.
func (b *builder) scan(source *bind.Source, conditions []bind.Expression, n *needs) *part {
	definition := source.Relation.Definition()
	node := &Scan{Relation: source.Relation, Alias: source.Alias}
	l := newLayout()
	for i := range source.Columns {
		if b.used[columnKey{source, i}] {
			l.columns[columnKey{source, i}] = len(node.Columns)
			node.Columns = append(node.Columns, i)
		}
	}
	for _, extra := range []struct {
		ordinal int
		extra   Extra
	}{{bind.IdentityOrdinal, Identity}, {bind.TableOrdinal, TableOID}, {bind.PresenceOrdinal, Presence}} {
		if b.used[columnKey{source, extra.ordinal}] {
			l.columns[columnKey{source, extra.ordinal}] = node.Width()
			node.Extras = append(node.Extras, extra.extra)
		}
	}
	rows := definition.RowEstimate
	if rows <= 0 {
		rows = defaultRows
	}
	var filters []bind.Expression
	for _, condition := range conditions {
		predicate, exact, ok := b.predicate(source, condition, n)
		if ok {
			node.Predicates = append(node.Predicates, predicate)
			rows *= selectivity(definition, &predicate, rows)
		} else if b.identities(node, source, condition, n) {
			rows, exact = 1, true
		}
		if !exact {
			filters = append(filters, b.resolve(condition, l, n))
			if !ok {
				rows *= 0.3
			}
		}
	}
	node.Filter = conjunction(filters)
	node.Rows = math.Max(rows, 1)
	return &part{node: node, layout: l, rows: node.Rows}
}

// selectivity estimates the share of a relation's rows that a predicate leaves.
func selectivity(definition *relation.Definition, predicate *Predicate, rows float64) float64 {
	values := math.Max(1, float64(len(predicate.Values)))
	switch predicate.Comparison {
	case relation.Equal, relation.In:
		for _, constraint := range definition.Constraints {
			if len(constraint.Columns) == 1 && constraint.Columns[0] == predicate.Column {
				return math.Min(1, values/rows)
			}
		}
		for _, selective := range definition.Selective {
			if selective == predicate.Column {
				return math.Min(1, values*10/rows)
			}
		}
		return math.Min(1, values*0.1)
	case relation.IsNull:
		return 0.5
	case relation.IsNotNull:
		return 0.9
	}
	return 0.4
}

// column gives the ordinal of the source's column that an expression is, below casts that do not change the value; -1 when
// it is something else.
func (b *builder) column(source *bind.Source, e bind.Expression) int {
	for {
		switch inner := e.(type) {
		case *bind.Cast:
			if inner.Evaluate != nil {
				return -1
			}
			e = inner.Argument
		case *bind.Column:
			if inner.Source == source && inner.Ordinal >= 0 {
				return inner.Ordinal
			}
			targets, ok := b.inlined[inner.Source]
			if !ok || inner.Ordinal < 0 {
				return -1
			}
			e = targets[inner.Ordinal].Expression
		default:
			return -1
		}
	}
}

// fixed tells whether an expression has one value throughout a scan of the source.
func (b *builder) fixed(source *bind.Source, e bind.Expression) bool {
	return !b.reads(e)[source] && !isVolatile(e)
}

var comparisons = map[string]relation.Comparison{"=": relation.Equal, "<": relation.Less, "<=": relation.LessOrEqual,
	">": relation.Greater, ">=": relation.GreaterOrEqual}

var swapped = map[relation.Comparison]relation.Comparison{relation.Equal: relation.Equal, relation.Less: relation.Greater,
	relation.LessOrEqual: relation.GreaterOrEqual, relation.Greater: relation.Less, relation.GreaterOrEqual: relation.LessOrEqual}

// predicate turns a condition into a scan's predicate. exact tells that the predicate says all that the condition says, so
// that it need not be checked in another way.
func (b *builder) predicate(source *bind.Source, condition bind.Expression, n *needs) (predicate Predicate, exact, ok bool) {
	switch e := condition.(type) {
	case *bind.Call:
		comparison, known := comparisons[e.Operator]
		if !known || len(e.Arguments) != 2 {
			return predicate, false, false
		}
		left, right := e.Arguments[0], e.Arguments[1]
		column := b.column(source, left)
		if column < 0 {
			left, right, comparison = right, left, swapped[comparison]
			column = b.column(source, left)
		}
		if column < 0 || !b.fixed(source, right) || !comparesAlike(source.Columns[column].Type, right.Type()) {
			return predicate, false, false
		}
		return Predicate{Column: column, Comparison: comparison,
			Values: []bind.Expression{b.resolve(right, newLayout(), n)}}, true, true
	case *bind.In:
		column := b.column(source, e.Left)
		if column < 0 || e.Negated {
			return predicate, false, false
		}
		predicate = Predicate{Column: column, Comparison: relation.In}
		for _, item := range e.List {
			if !b.fixed(source, item) || !comparesAlike(source.Columns[column].Type, item.Type()) {
				return predicate, false, false
			}
			predicate.Values = append(predicate.Values, b.resolve(item, newLayout(), n))
		}
		return predicate, true, true
	case *bind.AnyArray:
		column := b.column(source, e.Left)
		if column < 0 || e.All || e.Name != "=" || !b.fixed(source, e.Array) || !comparesAlike(source.Columns[column].Type, e.Element) {
			return predicate, false, false
		}
		return Predicate{Column: column, Comparison: relation.In, Array: true,
			Values: []bind.Expression{b.resolve(e.Array, newLayout(), n)}}, true, true
	case *bind.NullTest:
		column := b.column(source, e.Argument)
		if column < 0 || source.Columns[column].Type.OID == relation.RecordOID {
			return predicate, false, false
		}
		comparison := relation.IsNull
		if e.Negated {
			comparison = relation.IsNotNull
		}
		return Predicate{Column: column, Comparison: comparison}, true, true
	}
	return predicate, false, false
}

// comparesAlike tells whether values of a type compare with a column's as the scan compares values of the column's type.
func comparesAlike(column, value relation.Type) bool {
	if !relation.Pushable(column.OID) {
		return false
	}
	return column.OID == value.OID || hashTypesAgree(column, value) && value.OID != relation.UnknownOID
}

// identities turns "ctid = x", "ctid IN (...)" and "ctid = ANY (array)" into the identities of a scan.
func (b *builder) identities(node *Scan, source *bind.Source, condition bind.Expression, n *needs) bool {
	if node.Identities != nil {
		return false
	}
	isIdentity := func(e bind.Expression) bool {
		column, ok := e.(*bind.Column)
		return ok && column.Source == source && column.Ordinal == bind.IdentityOrdinal
	}
	var values []bind.Expression
	switch e := condition.(type) {
	case *bind.Call:
		if e.Operator != "=" || len(e.Arguments) != 2 {
			return false
		}
		if isIdentity(e.Arguments[0]) {
			values = e.Arguments[1:]
		} else if isIdentity(e.Arguments[1]) {
			values = e.Arguments[:1]
		}
	case *bind.In:
		if !e.Negated && isIdentity(e.Left) {
			values = e.List
		}
	case *bind.AnyArray:
		if !e.All && e.Name == "=" && isIdentity(e.Left) && function.ElementType(e.Array.Type()).OID == relation.TIDOID {
			values = []bind.Expression{e.Array}
		}
	}
	if values == nil {
		return false
	}
	for _, value := range values {
		if !b.fixed(source, value) {
			return false
		}
	}
	_, node.IdentityArray = condition.(*bind.AnyArray)
	node.Identities = b.resolveAll(values, newLayout(), n)
	return true
}
