package sqlmap

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
)

// transactionControl runs BEGIN, COMMIT, ROLLBACK, SAVEPOINT and their kin, and gives the command tag.
func (s *Session) transactionControl(node *pg_query.TransactionStmt) (string, error) {
	switch node.Kind {
	case pg_query.TransactionStmtKind_TRANS_STMT_BEGIN:
		return "BEGIN", s.beginBlock(node)
	case pg_query.TransactionStmtKind_TRANS_STMT_START:
		return "START TRANSACTION", s.beginBlock(node)
	case pg_query.TransactionStmtKind_TRANS_STMT_COMMIT:
		return s.commitBlock(node.Chain)
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK:
		return "ROLLBACK", s.rollbackBlock(node.Chain)
	case pg_query.TransactionStmtKind_TRANS_STMT_SAVEPOINT:
		return "SAVEPOINT", s.savepoint(node.SavepointName)
	case pg_query.TransactionStmtKind_TRANS_STMT_RELEASE:
		return "RELEASE", s.release(node.SavepointName)
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		return "ROLLBACK", s.rollbackTo(node.SavepointName)
	}
	return s.twoPhase(node)
}

// twoPhase refuses PREPARE TRANSACTION and its kin. Without a block there is nothing to prepare, as in PostgreSQL.
func (s *Session) twoPhase(node *pg_query.TransactionStmt) (string, error) {
	if node.Kind == pg_query.TransactionStmtKind_TRANS_STMT_PREPARE && (s.transaction == nil || !s.transaction.block) {
		return "ROLLBACK", s.rollbackBlock(false)
	}
	return "", pgerror.Unsupported("two-phase commit")
}

// endsFailedBlock tells whether a statement is one of those that a failed block accepts.
func endsFailedBlock(node *pg_query.TransactionStmt) bool {
	switch node.Kind {
	case pg_query.TransactionStmtKind_TRANS_STMT_COMMIT, pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK,
		pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO, pg_query.TransactionStmtKind_TRANS_STMT_PREPARE:
		return true
	}
	return false
}

// beginBlock starts a block. Statements before it in the same message become part of it.
func (s *Session) beginBlock(node *pg_query.TransactionStmt) error {
	if s.transaction != nil && s.transaction.block {
		if err := s.warn(pgerror.ActiveSQLTransaction, "there is already a transaction in progress"); err != nil {
			return err
		}
		return s.setTransaction(node.Options, false)
	}
	if s.transaction == nil {
		s.begin(true)
	}
	s.transaction.block = true
	if err := s.setTransaction(node.Options, false); err != nil {
		s.transaction.block = false // the failed BEGIN has begun no block
		return err
	}
	return nil
}

func (s *Session) commitBlock(chain bool) (string, error) {
	t := s.transaction
	switch {
	case t != nil && t.block && t.failed:
		return "ROLLBACK", s.rollbackBlock(chain)
	case t == nil || !t.block:
		if chain {
			return "", pgerror.New(pgerror.NoActiveSQLTransaction, "COMMIT AND CHAIN can only be used in transaction blocks")
		}
		if err := s.warn(pgerror.NoActiveSQLTransaction, "there is no transaction in progress"); err != nil || t == nil {
			return "COMMIT", err
		}
	}
	if t.handle != nil {
		if err := t.handle.EndMessage(s.context); err != nil {
			s.rollback()
			return "", err
		}
	}
	if err := s.commit(); err != nil {
		return "", err
	}
	s.chain(t, chain)
	return "COMMIT", nil
}

func (s *Session) rollbackBlock(chain bool) error {
	t := s.transaction
	if t == nil || !t.block {
		if chain {
			return pgerror.New(pgerror.NoActiveSQLTransaction, "ROLLBACK AND CHAIN can only be used in transaction blocks")
		}
		if err := s.warn(pgerror.NoActiveSQLTransaction, "there is no transaction in progress"); err != nil || t == nil {
			return err
		}
	}
	s.rollback()
	s.chain(t, chain)
	return nil
}

// chain starts a block with the characteristics of the one that has just ended.
func (s *Session) chain(ended *transaction, chain bool) {
	if !chain {
		return
	}
	s.begin(true)
	s.transaction.options, s.transaction.isolation, s.transaction.deferrable = ended.options, ended.isolation, ended.deferrable
}

// outsideExplicitBlock is outsideBlock for what several statements in one message do not make possible either.
func (s *Session) outsideExplicitBlock(command string) error {
	if s.transaction == nil || !s.transaction.block {
		return pgerror.New(pgerror.NoActiveSQLTransaction, "%s can only be used in transaction blocks", command)
	}
	return nil
}

func (s *Session) savepoint(name string) error {
	if err := s.outsideExplicitBlock("SAVEPOINT"); err != nil {
		return err
	}
	t := s.transaction
	if len(t.savepoints) >= MaximumSavepoints {
		return pgerror.New(pgerror.ProgramLimitExceeded, "too many savepoints").WithDetail("The limit is %d.", MaximumSavepoints)
	}
	handle, err := s.handle()
	if err != nil {
		return err
	}
	t.savepoints = append(t.savepoints, savepoint{
		name: name, mark: handle.Savepoint(), settings: s.settings.State(), locks: s.advisoryLocks.Mark(), announced: t.announced.mark(),
		roles: len(t.roleChanges),
	})
	return nil
}

// findSavepoint gives the place of the last savepoint of that name.
func (t *transaction) findSavepoint(name string) (int, error) {
	for i := len(t.savepoints) - 1; i >= 0; i-- {
		if t.savepoints[i].name == name {
			return i, nil
		}
	}
	return 0, pgerror.New(pgerror.InvalidSavepointSpecification, "savepoint \"%s\" does not exist", name)
}

func (s *Session) release(name string) error {
	if err := s.outsideExplicitBlock("RELEASE SAVEPOINT"); err != nil {
		return err
	}
	i, err := s.transaction.findSavepoint(name)
	if err != nil {
		return err
	}
	s.transaction.savepoints = s.transaction.savepoints[:i]
	return nil
}

func (s *Session) rollbackTo(name string) error {
	if err := s.outsideExplicitBlock("ROLLBACK TO SAVEPOINT"); err != nil {
		return err
	}
	t := s.transaction
	i, err := t.findSavepoint(name)
	if err != nil {
		return err
	}
	if err := s.undoTo(&t.savepoints[i]); err != nil {
		return err
	}
	t.savepoints = t.savepoints[:i+1]
	t.failed = false
	s.endPortals(i + 1)
	s.settings.Restore(t.savepoints[i].settings)
	s.keepRoleChanges(t.savepoints[i].roles)
	t.announced.backTo(t.savepoints[i].announced)
	return nil
}

// undoTo undoes what was written since a savepoint and gives up the locks that were taken since.
func (s *Session) undoTo(savepoint *savepoint) error {
	if err := s.transaction.handle.RollbackTo(s.context, savepoint.mark); err != nil {
		return err
	}
	s.transaction.handle.Unlock(savepoint.mark)
	s.advisoryLocks.EndTransaction(savepoint.locks)
	return nil
}
