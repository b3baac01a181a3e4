package lake

import "time"

// Limits of the package.
const (
	// DefaultLockTimeout bounds the wait for a row, a schema's name or the commit ticket. It is longer than
	// DefaultMaxIdleHold, so that a client which has left its transaction open fails before those who wait for it.
	DefaultLockTimeout = 5 * time.Minute
	// DefaultMaxIdleHold bounds the time that a transaction may wait for its client while others wait for its locks.
	DefaultMaxIdleHold = 60 * time.Second
	// loserWindow is how long a session that lost the race for a commit goes before others; DuckLake's longest wait
	// before a retry with its default settings is shorter.
	loserWindow = 5 * time.Second
	// leaseWait bounds how long a transaction that is expected to write waits for the commit ticket before it reads,
	// leaseTime how long it may then keep it until it inserts its snapshot row (DuckLake takes about 5 ms, on a busy machine
	// 200), and leaseIdle how long its client may meanwhile be silent (about 1 ms, on a busy machine 20).
	leaseWait = time.Second
	leaseTime = 250 * time.Millisecond
	leaseIdle = 50 * time.Millisecond
	// maximumHoldDoublings is how often the last two are doubled for a session that loses again and again.
	maximumHoldDoublings = 4
	// trustedStreaks is after how many times the commits in a row that make another one expected their number is halved, and
	// maximumNeededStreak is the largest such number.
	trustedStreaks      = 4
	maximumNeededStreak = 64
	// departureWait is how long DROP DATABASE waits for other sessions to leave, as PostgreSQL does: clients that have closed
	// their connection are gone only a moment later. It looks every departureInterval.
	departureWait     = 5 * time.Second
	departureInterval = 10 * time.Millisecond
	// maximumLocks is how many locks a transaction may hold; one takes about 200 bytes.
	maximumLocks = 1 << 22
	// maximumBatch is how many bytes of keys and values a transaction may commit.
	maximumBatch = 512 << 20
	// maximumGroup is how many bytes of keys and values the commits that share a flush have together, unless it is one alone.
	maximumGroup = 8 << 20
	// longFlush is from how long a flush on the commits that took part in it are awaited for the next, for one
	// gatheringPart of its time.
	longFlush     = time.Millisecond
	gatheringPart = 8
	// maximumPins is how many snapshots a READ COMMITTED transaction keeps for cursors of its earlier statements.
	maximumPins = 64
	// idleLimit is how long an unused lake stays open.
	idleLimit = 10 * time.Minute
	// DefaultPollInterval is the time between two looks of a read-only instance for what its lakes' writer has made durable.
	DefaultPollInterval = time.Second
	// discoveryPolls is how many of them pass between two looks for databases and schemas that were made or dropped, while
	// clients connect, and discoveryInterval the time between two looks otherwise.
	discoveryPolls    = 5
	discoveryInterval = 30 * time.Second
	// idleInterval is the time between two looks for idle lakes.
	idleInterval = time.Minute
)
