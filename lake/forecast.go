package lake

import "time"

// forecast tells, from what a session's transactions on a lake have come to, whether the next one will insert a snapshot
// row. Writers and readers begin alike, and only the client knows which it is; but who has just written mostly writes
// again. Of several lakes, the one that was used last counts.
type forecast struct {
	lake *lake
	// streak counts the snapshots that were committed in a row, needed how many of them make another one expected. It doubles
	// with each expectation that did not come true, so that a session of mixed work is soon taken for a reader.
	streak, needed int
	// losses counts the commits in a row that found their snapshot taken, lostAt is when the last one did.
	losses int
	lostAt time.Time
}

// repeats tells that the next transaction is expected to repeat a commit that was lost.
func (f *forecast) repeats(lake *lake) bool {
	return f.lake == lake && f.losses > 0 && time.Since(f.lostAt) < loserWindow
}

// writes tells that the next transaction is expected to insert a snapshot row.
func (f *forecast) writes(lake *lake) bool {
	return f.lake == lake && f.streak >= f.needed
}

// patience is how long others wait for the next transaction, where a transaction is given the shortest time at first: longer
// after each loss, so that a slow client comes through in the end.
func (f *forecast) patience(shortest time.Duration) time.Duration {
	return shortest << min(f.losses, maximumHoldDoublings)
}

// committed notes that a transaction has committed a snapshot.
func (f *forecast) committed(lake *lake) {
	f.turnTo(lake)
	f.losses = 0
	f.streak++
	if f.needed > 1 && f.streak >= trustedStreaks*f.needed {
		f.needed /= 2
		f.streak = f.needed
	}
}

// lost notes that a transaction has inserted a snapshot row in vain.
func (f *forecast) lost(lake *lake) {
	f.turnTo(lake)
	f.losses++
	f.lostAt = time.Now()
}

// refrained notes that a transaction has ended without a snapshot row. Expected tells that others had to wait for it.
func (f *forecast) refrained(lake *lake, expected bool) {
	f.turnTo(lake)
	f.losses = 0
	if expected {
		f.mistrust(lake)
	}
	f.streak = 0
}

// mistrust notes that others have waited for a transaction in vain or too long.
func (f *forecast) mistrust(lake *lake) {
	f.turnTo(lake)
	f.streak, f.needed = 0, min(2*f.needed, maximumNeededStreak)
}

// turnTo forgets what is known of another lake.
func (f *forecast) turnTo(lake *lake) {
	if f.lake != lake {
		*f = forecast{lake: lake, needed: 1}
	}
}
