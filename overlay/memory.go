package overlay

import "moraine/relation"

// Memory counts what the changes of a transaction take until COMMIT: the rows inserted and changed, and the keys of stored
// rows that are changed, in bytes. The tables that share a limit share it.
type Memory struct {
	used, limit int64
	exceeded    func(limit int64) error
}

// NewMemory makes a counter that stands at used; exceeded makes the error of a change that would take it above the limit.
func NewMemory(used, limit int64, exceeded func(limit int64) error) *Memory {
	return &Memory{used: used, limit: limit, exceeded: exceeded}
}

// take counts a change; release takes it back.
func (m *Memory) take(size int64) error {
	if m.used+size > m.limit {
		return m.exceeded(m.limit)
	}
	m.used += size
	return nil
}

func (m *Memory) release(size int64) { m.used -= size }

func sizeOf(rows ...relation.Row) (size int64) {
	for _, row := range rows {
		size += row.Size()
	}
	return size
}
