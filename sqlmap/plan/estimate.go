package plan

import (
	"moraine/relation"
	"moraine/sqlmap/bind"
)

// estimate gives a rough number of rows of a node.
func estimate(node Node) float64 {
	switch node := node.(type) {
	case *Scan:
		return node.Rows
	case *Values:
		return float64(len(node.Rows))
	case *Filter:
		return max(1, estimate(node.Input)*0.3)
	case *Project:
		return estimate(node.Input)
	case *HashJoin:
		return max(estimate(node.Left), estimate(node.Right))
	case *LoopJoin:
		return max(1, estimate(node.Left)*estimate(node.Right)*0.3)
	case *Aggregate:
		if len(node.Keys) == 0 {
			return 1
		}
		return max(1, estimate(node.Input)*0.1)
	case *Window:
		return estimate(node.Input)
	case *ProjectSet:
		return estimate(node.Input) * 10
	case *Sort:
		return estimate(node.Input)
	case *Distinct:
		return max(1, estimate(node.Input)*0.3)
	case *Limit:
		limit := node.Limit
		if cast, ok := limit.(*bind.Cast); ok {
			limit = cast.Argument
		}
		if constant, ok := limit.(*bind.Constant); ok {
			return min(estimate(node.Input), float64(constant.Value.Int()))
		}
		return estimate(node.Input)
	case *Append:
		var total float64
		for _, input := range node.Inputs {
			total += estimate(input)
		}
		return total
	case *SetOperation:
		return estimate(node.Left)
	case *Functions:
		return 100
	case *With:
		return estimate(node.Input)
	case *CommonScan:
		if node.Common.Plan != nil {
			return estimate(node.Common.Plan)
		}
	}
	return defaultRows
}

// tableOID replaces the system column tableoid of a changed row, which is the same for all rows.
func (b *builder) tableOID(change *bind.Change, e bind.Expression) bind.Expression {
	return bind.Rewrite(e, func(e bind.Expression) bind.Expression {
		column, ok := e.(*bind.Column)
		if !ok || column.Source != change.Row {
			return nil
		}
		switch column.Ordinal {
		case bind.TableOrdinal:
			return &bind.Constant{Value: relation.Int(int64(change.Relation.Definition().OID)), Of: relation.OIDType}
		case bind.PresenceOrdinal:
			return trueConstant()
		}
		return nil
	})
}
