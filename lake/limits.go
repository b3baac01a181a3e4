package lake

import "time"

// Limits of the package.
const (
	// DefaultLockTimeout bounds the wait for a row, a schema's name or the commit ticket.
	DefaultLockTimeout = 60 * time.Second
	// loserWindow is how long a session that lost the race for a commit goes before others; DuckLake's longest wait
	// before a retry with its default settings is shorter.
	loserWindow = 5 * time.Second
	// leaseWait bounds how long such a session waits for the commit ticket before it reads the state to commit on, and
	// leaseTime how long it then has until it inserts its snapshot row; DuckLake takes about 10 ms, on a busy machine 200.
	leaseWait = time.Second
	leaseTime = 250 * time.Millisecond
	// maximumLocks is how many locks a transaction may hold; one takes about 200 bytes.
	maximumLocks = 1 << 22
	// maximumBatch is how many bytes of keys and values a transaction may commit.
	maximumBatch = 512 << 20
	// maximumPins is how many snapshots a READ COMMITTED transaction keeps for cursors of its earlier statements.
	maximumPins = 64
	// idleLimit is how long an unused lake stays open.
	idleLimit = 10 * time.Minute
	// idleInterval is the time between two looks for idle lakes.
	idleInterval = time.Minute
)
