package usertable

import (
	"moraine/pgerror"
	"moraine/relation"
)

// rowMemory counts the bytes of uncommitted rows, and of all rows of temporary tables.
type rowMemory struct {
	used, limit int64
	temporary   bool
}

// take counts rows; the transaction's rollback to a savepoint gives them back.
func (t *Transaction) take(rows ...relation.Row) error {
	size := int64(0)
	for _, row := range rows {
		size += row.Size()
	}
	if t.memory.used+size > t.memory.limit {
		return t.memory.exceeded()
	}
	t.memory.used += size
	t.environment.Journal(func() { t.memory.used -= size })
	return nil
}

func (m *rowMemory) exceeded() error {
	if m.temporary {
		return pgerror.New(pgerror.OutOfMemory, "the session's temporary tables take more than %d MiB", m.limit>>20).
			WithHint("Drop temporary tables, or use plain ones.")
	}
	return pgerror.New(pgerror.ProgramLimitExceeded, "the transaction's changes take more than %d MiB of memory", m.limit>>20).
		WithHint("Commit in smaller parts.")
}
