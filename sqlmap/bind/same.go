package bind

// SameExpression tells whether two expressions are equal part by part, as GROUP BY, ORDER BY and DISTINCT compare them.
func SameExpression(left, right Expression) bool {
	if left == right {
		return true
	}
	if left == nil || right == nil || left.Type().OID != right.Type().OID || !sameNode(left, right) {
		return false
	}
	return sameParts(left, right)
}

func sameParts(left, right Expression) bool {
	leftParts, rightParts := children(left), children(right)
	if len(leftParts) != len(rightParts) {
		return false
	}
	for i := range leftParts {
		if !SameExpression(leftParts[i], rightParts[i]) {
			return false
		}
	}
	return true
}

// sameNode compares two expressions without what is below them. Subqueries and calls of aggregates, windows and sets are
// the same only when they are identical.
func sameNode(left, right Expression) bool {
	switch left := left.(type) {
	case *Constant:
		other, ok := right.(*Constant)
		return ok && left.Value == other.Value && left.Of == other.Of
	case *Parameter:
		other, ok := right.(*Parameter)
		return ok && left.Number == other.Number
	case *Column:
		other, ok := right.(*Column)
		return ok && left.Source == other.Source && left.Ordinal == other.Ordinal
	case *Call:
		other, ok := right.(*Call)
		return ok && left.Function.Name == other.Function.Name && left.Operator == other.Operator && left.Function.Volatility != 'v'
	case *Cast:
		other, ok := right.(*Cast)
		return ok && left.Of == other.Of && left.Explicit == other.Explicit
	case *Logic:
		other, ok := right.(*Logic)
		return ok && left.Or == other.Or
	case *Not:
		_, ok := right.(*Not)
		return ok
	case *NullTest:
		other, ok := right.(*NullTest)
		return ok && left.Negated == other.Negated
	case *TruthTest:
		other, ok := right.(*TruthTest)
		return ok && left.Is == other.Is && left.Negated == other.Negated
	case *Case:
		_, ok := right.(*Case)
		return ok
	case *CaseOperand:
		_, ok := right.(*CaseOperand)
		return ok
	case *Coalesce:
		_, ok := right.(*Coalesce)
		return ok
	case *Extreme:
		other, ok := right.(*Extreme)
		return ok && left.Greatest == other.Greatest
	case *NullIf:
		_, ok := right.(*NullIf)
		return ok
	case *Distinct:
		other, ok := right.(*Distinct)
		return ok && left.Negated == other.Negated
	case *In:
		other, ok := right.(*In)
		return ok && left.Negated == other.Negated
	case *AnyArray:
		other, ok := right.(*AnyArray)
		return ok && left.Name == other.Name && left.All == other.All
	case *ArrayConstructor:
		other, ok := right.(*ArrayConstructor)
		return ok && left.Nested == other.Nested
	case *Subscript:
		other, ok := right.(*Subscript)
		return ok && left.Slice == other.Slice
	case *Row:
		_, ok := right.(*Row)
		return ok
	case *RowComparison:
		other, ok := right.(*RowComparison)
		return ok && left.Operator == other.Operator
	case *Field:
		other, ok := right.(*Field)
		return ok && left.Index == other.Index
	case *SubqueryColumn:
		other, ok := right.(*SubqueryColumn)
		return ok && left.Index == other.Index
	case *SessionValue:
		other, ok := right.(*SessionValue)
		return ok && left.Name == other.Name
	}
	return false
}

// sameCall compares two calls of aggregates, windows or sets by what they compute, so that a query computes it once.
func sameCall(left, right Expression) bool {
	if left.Type() != right.Type() || !sameParts(left, right) {
		return false
	}
	switch left := left.(type) {
	case *AggregateCall:
		other := right.(*AggregateCall)
		if left.Aggregate.Name != other.Aggregate.Name || left.Distinct != other.Distinct || left.Star != other.Star ||
			len(left.OrderBy) != len(other.OrderBy) || left.Direct != other.Direct {
			return false
		}
		return sameKeys(left.OrderBy, other.OrderBy)
	case *WindowCall:
		other := right.(*WindowCall)
		return left.Over == other.Over && left.Star == other.Star && (left.Window == nil) == (other.Window == nil) &&
			(left.Window == nil || left.Window.Name == other.Window.Name) &&
			(left.Aggregate == nil || left.Aggregate.Name == other.Aggregate.Name)
	case *SetCall:
		return left.Function.Name == right.(*SetCall).Function.Name
	}
	return false
}

func sameKeys(left, right []SortKey) bool {
	if len(left) != len(right) {
		return false
	}
	for i := range left {
		if left[i].Descending != right[i].Descending || left[i].NullsFirst != right[i].NullsFirst ||
			!SameExpression(left[i].Expression, right[i].Expression) {
			return false
		}
	}
	return true
}

func sameWindow(left, right *WindowDefinition) bool {
	if len(left.PartitionBy) != len(right.PartitionBy) || !sameKeys(left.OrderBy, right.OrderBy) {
		return false
	}
	for i := range left.PartitionBy {
		if !SameExpression(left.PartitionBy[i], right.PartitionBy[i]) {
			return false
		}
	}
	l, r := &left.Frame, &right.Frame
	return l.Mode == r.Mode && l.Start == r.Start && l.End == r.End && l.Exclusion == r.Exclusion &&
		SameExpression(l.StartOffset, r.StartOffset) && SameExpression(l.EndOffset, r.EndOffset)
}
