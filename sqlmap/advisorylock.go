package sqlmap

import (
	"moraine/pgerror"
	"moraine/sqlmap/advisory"
	"moraine/sqlmap/function"
)

var _ function.AdvisoryLocks = functionCatalog{}

// advisoryKey names a lock of the session's database.
func (s *Session) advisoryKey(key function.AdvisoryKey) advisory.Key {
	return advisory.Key{Database: s.database.OID, High: key.High, Low: key.Low, Pair: key.Pair}
}

// LockAdvisory takes an advisory lock.
func (c functionCatalog) LockAdvisory(key function.AdvisoryKey, shared, transaction, wait bool) (bool, error) {
	s := c.session
	scope := advisory.Session
	if transaction {
		scope = advisory.Transaction
	}
	if !wait {
		return s.advisoryLocks.TryLock(s.advisoryKey(key), shared, scope)
	}
	return true, s.advisoryLocks.Lock(s.context, s.advisoryKey(key), shared, scope, s.milliseconds("lock_timeout"))
}

// UnlockAdvisory gives one back; that the session does not hold it is a warning, as in PostgreSQL.
func (c functionCatalog) UnlockAdvisory(key function.AdvisoryKey, shared bool) (bool, error) {
	s := c.session
	if s.advisoryLocks.Unlock(s.advisoryKey(key), shared) {
		return true, nil
	}
	mode := "ExclusiveLock"
	if shared {
		mode = "ShareLock"
	}
	return false, s.warn(pgerror.Warning, "you don't own a lock of type %s", mode)
}

// UnlockAllAdvisory gives back those of the session's scope.
func (c functionCatalog) UnlockAllAdvisory() { c.session.advisoryLocks.UnlockAll() }
