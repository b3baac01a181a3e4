package bind

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// nameOfExpression gives the name that PostgreSQL gives to a result column without AS.
func nameOfExpression(node *pg_query.Node) string {
	if name, _ := figureName(node); name != "" {
		return name
	}
	return "?column?"
}

// figureName gives a name and how good it is: 2 for one of the expression's own, 1 for that of a type.
func figureName(node *pg_query.Node) (string, int) {
	switch n := node.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		for i := len(n.ColumnRef.Fields) - 1; i >= 0; i-- {
			if name := n.ColumnRef.Fields[i].GetString_(); name != nil {
				return name.GetSval(), 2
			}
		}
	case *pg_query.Node_AIndirection:
		for i := len(n.AIndirection.Indirection) - 1; i >= 0; i-- {
			if name := n.AIndirection.Indirection[i].GetString_(); name != nil {
				return name.GetSval(), 2
			}
		}
		return figureName(n.AIndirection.Arg)
	case *pg_query.Node_FuncCall:
		return n.FuncCall.Funcname[len(n.FuncCall.Funcname)-1].GetString_().GetSval(), 2
	case *pg_query.Node_AExpr:
		if n.AExpr.Kind == pg_query.A_Expr_Kind_AEXPR_NULLIF {
			return "nullif", 2
		}
	case *pg_query.Node_TypeCast:
		name, strength := figureName(n.TypeCast.Arg)
		if strength <= 1 {
			names := n.TypeCast.TypeName.GetNames()
			if len(names) > 0 {
				return names[len(names)-1].GetString_().GetSval(), 1
			}
		}
		return name, strength
	case *pg_query.Node_CollateClause:
		return figureName(n.CollateClause.Arg)
	case *pg_query.Node_GroupingFunc:
		return "grouping", 2
	case *pg_query.Node_SubLink:
		return figureSubqueryName(n.SubLink)
	case *pg_query.Node_CaseExpr:
		name, strength := figureName(n.CaseExpr.Defresult)
		if strength <= 1 {
			return "case", 1
		}
		return name, strength
	case *pg_query.Node_AArrayExpr:
		return "array", 2
	case *pg_query.Node_RowExpr:
		return "row", 2
	case *pg_query.Node_CoalesceExpr:
		return "coalesce", 2
	case *pg_query.Node_MinMaxExpr:
		if n.MinMaxExpr.Op == pg_query.MinMaxOp_IS_GREATEST {
			return "greatest", 2
		}
		return "least", 2
	case *pg_query.Node_SqlvalueFunction:
		return sessionValueName(n.SqlvalueFunction.Op), 2
	}
	return "", 0
}

func figureSubqueryName(node *pg_query.SubLink) (string, int) {
	switch node.SubLinkType {
	case pg_query.SubLinkType_EXISTS_SUBLINK:
		return "exists", 2
	case pg_query.SubLinkType_ARRAY_SUBLINK:
		return "array", 2
	case pg_query.SubLinkType_EXPR_SUBLINK:
		query := node.Subselect.GetSelectStmt()
		for query.GetLarg() != nil {
			query = query.Larg
		}
		if list := query.GetTargetList(); len(list) > 0 {
			target := list[0].GetResTarget()
			if target.Name != "" {
				return target.Name, 2
			}
			return figureName(target.Val)
		}
	}
	return "", 0
}

// sessionValueName gives the key word of a SQL value function in lower case.
func sessionValueName(op pg_query.SQLValueFunctionOp) string {
	name := strings.ToLower(strings.TrimPrefix(op.String(), "SVFOP_"))
	return strings.TrimSuffix(name, "_n")
}

// locationOf gives the location of an expression in the statement's tree; -1 when it is not known.
func locationOf(node *pg_query.Node) int {
	switch n := node.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		return int(n.ColumnRef.Location)
	case *pg_query.Node_AConst:
		return int(n.AConst.Location)
	case *pg_query.Node_ParamRef:
		return int(n.ParamRef.Location)
	case *pg_query.Node_FuncCall:
		return int(n.FuncCall.Location)
	case *pg_query.Node_AExpr:
		if left := locationOf(n.AExpr.Lexpr); left >= 0 && (n.AExpr.Location < 0 || left < int(n.AExpr.Location)) {
			return left
		}
		return int(n.AExpr.Location)
	case *pg_query.Node_TypeCast:
		inner := locationOf(n.TypeCast.Arg)
		if inner >= 0 && (n.TypeCast.Location < 0 || inner < int(n.TypeCast.Location)) {
			return inner
		}
		return int(n.TypeCast.Location)
	case *pg_query.Node_BoolExpr:
		if len(n.BoolExpr.Args) > 0 {
			if first := locationOf(n.BoolExpr.Args[0]); first >= 0 && first < int(n.BoolExpr.Location) {
				return first
			}
		}
		return int(n.BoolExpr.Location)
	case *pg_query.Node_SubLink:
		return int(n.SubLink.Location)
	case *pg_query.Node_CaseExpr:
		return int(n.CaseExpr.Location)
	case *pg_query.Node_AArrayExpr:
		return int(n.AArrayExpr.Location)
	case *pg_query.Node_RowExpr:
		return int(n.RowExpr.Location)
	case *pg_query.Node_CoalesceExpr:
		return int(n.CoalesceExpr.Location)
	case *pg_query.Node_MinMaxExpr:
		return int(n.MinMaxExpr.Location)
	case *pg_query.Node_SqlvalueFunction:
		return int(n.SqlvalueFunction.Location)
	case *pg_query.Node_CollateClause:
		return locationOf(n.CollateClause.Arg)
	case *pg_query.Node_NullTest:
		return locationOf(n.NullTest.Arg)
	case *pg_query.Node_BooleanTest:
		return locationOf(n.BooleanTest.Arg)
	case *pg_query.Node_AIndirection:
		return locationOf(n.AIndirection.Arg)
	case *pg_query.Node_NamedArgExpr:
		return int(n.NamedArgExpr.Location)
	case *pg_query.Node_ResTarget:
		return int(n.ResTarget.Location)
	case *pg_query.Node_GroupingFunc:
		return int(n.GroupingFunc.Location)
	case *pg_query.Node_SetToDefault:
		return int(n.SetToDefault.Location)
	case *pg_query.Node_List:
		if len(n.List.Items) > 0 {
			return locationOf(n.List.Items[0])
		}
	}
	return -1
}

func locationsOf(nodes []*pg_query.Node) []int {
	locations := make([]int, len(nodes))
	for i, node := range nodes {
		locations[i] = locationOf(node)
	}
	return locations
}
