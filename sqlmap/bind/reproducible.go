package bind

import (
	"moraine/relation"
	"moraine/sqlmap/function"
)

// Reproducible tells whether a query's rows follow from the rows of its relations alone: it has no parameters and calls nothing
// that looks at the session, the time or chance. It is careful: of what it does not know, it says that they do not.
func (s *Statement) Reproducible() bool {
	return s.Kind == Select && len(s.Writes) == 0 && len(s.Parameters) == 0 && reproducibleQuery(s.Query)
}

func reproducibleQuery(q *Query) bool {
	if q == nil {
		return true
	}
	reproducible := len(q.SetCalls) == 0 && len(q.WindowCalls) == 0 && len(q.Locks) == 0 && len(q.With) == 0 && reproducibleItem(q.From) &&
		reproducibleQuery(q.Left) && reproducibleQuery(q.Right)
	WalkQuery(q, func(e Expression) bool {
		reproducible = reproducible && reproducibleExpression(e)
		return reproducible
	})
	return reproducible
}

func reproducibleItem(item Item) bool {
	switch item := item.(type) {
	case nil:
		return true
	case *Table:
		return true
	case *Derived:
		return reproducibleQuery(item.Query)
	case *Join:
		return reproducibleItem(item.Left) && reproducibleItem(item.Right)
	}
	return false
}

// reproducibleExpression looks at an expression and not at what is below it.
func reproducibleExpression(e Expression) bool {
	switch e := e.(type) {
	case *Constant, *Column, *Logic, *Not, *NullTest, *TruthTest, *Coalesce, *SubqueryColumn, *Case, *CaseOperand:
		return true
	case *Call:
		return e.Function.Volatility == function.Immutable
	case *In:
		return e.Equal != nil && e.Equal.Volatility == function.Immutable
	case *Cast:
		return plainType(e.Argument.Type().OID) && plainType(e.Of.OID)
	case *AggregateCall:
		return e.Star
	case *Subquery:
		return reproducibleQuery(e.Query)
	}
	return false
}

// plainType tells whether casts between a type and others of the kind look at the value only.
func plainType(oid uint32) bool {
	switch oid {
	case relation.BoolOID, relation.CharOID, relation.NameOID, relation.Int2OID, relation.Int4OID, relation.Int8OID, relation.TextOID,
		relation.VarcharOID, relation.OIDOID, relation.UnknownOID:
		return true
	}
	return false
}
