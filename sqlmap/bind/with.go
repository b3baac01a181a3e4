package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
)

// with binds a WITH clause and makes its common tables visible in the scope.
func (b *binder) with(s *scope, clause *pg_query.WithClause) error {
	if clause == nil {
		return nil
	}
	commons := append([]*Common(nil), s.commons...)
	for _, node := range clause.Ctes {
		tree := node.GetCommonTableExpr()
		for _, known := range s.level.query.With {
			if known.Name == tree.Ctename {
				return b.errorAt(int(tree.Location), pgerror.DuplicateAlias, "WITH query name \"%s\" specified more than once", tree.Ctename)
			}
		}
		if tree.SearchClause != nil || tree.CycleClause != nil {
			return b.unsupportedAt(int(tree.Location), "SEARCH and CYCLE")
		}
		common := &Common{Name: tree.Ctename}
		switch tree.Ctematerialized {
		case pg_query.CTEMaterialize_CTEMaterializeAlways:
			common.Materialization = MaterializeAlways
		case pg_query.CTEMaterialize_CTEMaterializeNever:
			common.Materialization = MaterializeNever
		}
		inner := *s
		inner.names, inner.hidden, inner.commons = nil, nil, commons
		if clause.Recursive {
			inner.commons = append(append([]*Common(nil), commons...), common)
		}
		if err := b.common(&inner, common, tree, clause.Recursive); err != nil {
			return err
		}
		commons = append(commons, common)
		s.level.query.With = append(s.level.query.With, common)
	}
	s.commons = commons
	return nil
}

// common binds one common table expression. Its names are those of an outer query: of the scope around the WITH.
func (b *binder) common(s *scope, common *Common, tree *pg_query.CommonTableExpr, recursive bool) error {
	names := make([]string, len(tree.Aliascolnames))
	for i, name := range tree.Aliascolnames {
		names[i] = name.GetString_().GetSval()
	}
	if tree.Ctequery.GetSelectStmt() == nil {
		if s.parent != nil {
			return b.errorAt(int(tree.Location), pgerror.FeatureNotSupported,
				"WITH clause containing a data-modifying statement must be at the top level")
		}
		change, err := b.change(tree.Ctequery, s)
		if err != nil {
			return err
		}
		common.Change = change
		if change.Change.Returning == nil {
			return nil
		}
		return b.at(b.nameCommon(common, change.Columns, names), int(tree.Location))
	}
	if recursive {
		b.recursion = &recursion{common: common, names: names, depth: b.depth + 1}
	}
	query, err := b.query(tree.Ctequery.GetSelectStmt(), s, resolveUnknowns)
	b.recursion = nil
	if err != nil {
		return err
	}
	common.Query = query
	if recursive && common.References > 0 {
		return b.finishRecursion(common, query, tree)
	}
	return b.at(b.nameCommon(common, query.Columns, names), int(tree.Location))
}

// nameCommon gives a common table its columns.
func (b *binder) nameCommon(common *Common, columns []SourceColumn, names []string) error {
	if len(names) > len(columns) {
		return pgerror.New(pgerror.InvalidColumnReference, "WITH query \"%s\" has %d columns available but %d columns specified",
			common.Name, len(columns), len(names))
	}
	common.Columns = append([]SourceColumn{}, columns...)
	for i, name := range names {
		common.Columns[i].Name = name
	}
	return nil
}

// recursion is what the binding of a WITH RECURSIVE query has to know when it reaches the set operation on top of it.
type recursion struct {
	common *Common
	names  []string
	depth  int // b.depth of the query on top
}

// startRecursion gives the common table the columns of its non-recursive term, before the other term reads them.
func (b *binder) startRecursion(r *recursion, left *Query) error {
	resolved := append([]SourceColumn(nil), left.Columns...)
	for i := range resolved {
		if resolved[i].Type.OID == relation.UnknownOID {
			resolved[i].Type = relation.TextType
		}
	}
	if err := b.convertColumns(left, resolved, "UNION"); err != nil {
		return err
	}
	return b.nameCommon(r.common, left.Columns, r.names)
}

// finishRecursion checks the form of a query that reads itself.
func (b *binder) finishRecursion(common *Common, query *Query, tree *pg_query.CommonTableExpr) error {
	if query.Set != Union {
		return pgerror.New(pgerror.InvalidRecursion,
			"recursive query \"%s\" does not have the form non-recursive-term UNION [ALL] recursive-term", common.Name)
	}
	if query.OrderBy != nil {
		return pgerror.New(pgerror.FeatureNotSupported, "ORDER BY in a recursive query is not implemented")
	}
	if query.Limit != nil {
		return pgerror.New(pgerror.FeatureNotSupported, "LIMIT in a recursive query is not implemented")
	}
	if query.Offset != nil {
		return pgerror.New(pgerror.FeatureNotSupported, "OFFSET in a recursive query is not implemented")
	}
	if len(query.Right.Aggregates) > 0 {
		return pgerror.New(pgerror.InvalidRecursion, "aggregate functions are not allowed in a recursive query's recursive term")
	}
	for i := range query.Columns {
		left, overall := common.Columns[i].Type, query.Columns[i].Type
		if left.OID != overall.OID {
			return b.errorAt(targetLocation(tree.Ctequery.GetSelectStmt().Larg, i), pgerror.DatatypeMismatch,
				"recursive query \"%s\" column %d has type %s in non-recursive term but type %s overall",
				common.Name, i+1, typeName(left), typeName(overall)).
				WithHint("Cast the output of the non-recursive term to the correct type.")
		}
	}
	common.Recursive = true
	return nil
}
