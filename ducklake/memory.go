package ducklake

import (
	"moraine/pgerror"
	"moraine/relation"
)

// maximumMemory bounds the rows that a transaction has inserted and changed, in bytes: they stay in memory until COMMIT. It is
// enough for two million data files.
const maximumMemory = 2 << 30

// take counts rows; a rollback to a savepoint gives them back.
func (t *transaction) take(rows ...relation.Row) error {
	size := int64(0)
	for _, row := range rows {
		size += row.Size()
	}
	if t.memory+size > maximumMemory {
		return pgerror.New(pgerror.ProgramLimitExceeded, "the transaction's changes of the catalog take more than %d MiB of memory",
			maximumMemory>>20).WithHint("Commit in smaller parts.")
	}
	t.memory += size
	t.environment.Journal(func() { t.memory -= size })
	return nil
}
