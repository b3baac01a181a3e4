package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
)

var lockNames = map[pg_query.LockClauseStrength]string{
	pg_query.LockClauseStrength_LCS_FORKEYSHARE:    "FOR KEY SHARE",
	pg_query.LockClauseStrength_LCS_FORSHARE:       "FOR SHARE",
	pg_query.LockClauseStrength_LCS_FORNOKEYUPDATE: "FOR NO KEY UPDATE",
	pg_query.LockClauseStrength_LCS_FORUPDATE:      "FOR UPDATE",
}

// locking binds FOR UPDATE and FOR SHARE. There is one kind of row lock, the one that UPDATE takes; it gives all that the
// weaker kinds promise.
func (b *binder) locking(s *scope, query *Query, clauses []*pg_query.Node) error {
	for _, node := range clauses {
		clause := node.GetLockingClause()
		name := lockNames[clause.Strength]
		if err := checkLockable(query, name); err != nil {
			return err
		}
		if clause.WaitPolicy != pg_query.LockWaitPolicy_LockWaitBlock {
			return pgerror.Unsupported(name + " with NOWAIT or SKIP LOCKED")
		}
		if len(clause.LockedRels) == 0 {
			for _, item := range s.names {
				if item.source == nil {
					continue
				}
				if err := b.lockItem(query, item, name); err != nil {
					return err
				}
			}
			continue
		}
		for _, locked := range clause.LockedRels {
			variable := locked.GetRangeVar()
			item, err := b.item(&scope{names: s.names, level: s.level}, "", variable.Relname, int(variable.Location))
			if err != nil {
				return err
			}
			if item == nil {
				return b.errorAt(int(variable.Location), pgerror.UndefinedTable, "relation \"%s\" in %s clause not found in FROM clause",
					variable.Relname, name)
			}
			if err := b.lockItem(query, item, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkLockable refuses queries whose rows are not rows of tables.
func checkLockable(query *Query, name string) error {
	construct := ""
	switch {
	case query.Set != NoSet:
		construct = "is not allowed with UNION/INTERSECT/EXCEPT"
	case query.Values != nil:
		construct = "cannot be applied to VALUES"
	case query.Distinct || query.DistinctOn != nil:
		construct = "is not allowed with DISTINCT clause"
	case len(query.GroupBy) > 0:
		construct = "is not allowed with GROUP BY clause"
	case query.Having != nil:
		construct = "is not allowed with HAVING clause"
	case query.Grouped:
		construct = "is not allowed with aggregate functions"
	case len(query.WindowCalls) > 0:
		construct = "is not allowed with window functions"
	case len(query.SetCalls) > 0:
		construct = "is not allowed with set-returning functions in the target list"
	default:
		return nil
	}
	return pgerror.New(pgerror.FeatureNotSupported, "%s %s", name, construct)
}

// lockItem makes the query give the identity of an item's rows.
func (b *binder) lockItem(query *Query, item *nameItem, name string) error {
	if item.source == nil || item.source.Relation == nil {
		return pgerror.Unsupported(name + " over anything but tables")
	}
	lockable, ok := item.source.Relation.(relation.Lockable)
	if !ok {
		return pgerror.Unsupported(name + " over relation " + item.source.Relation.Definition().Name)
	}
	b.use(lockable, Updates)
	identity := &Column{Source: item.source, Ordinal: IdentityOrdinal, Of: relation.TIDType}
	query.Locks = append(query.Locks, Lock{Target: query.target(identity, -1), Relation: lockable, Clause: name})
	return nil
}
