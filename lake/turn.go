package lake

import "context"

// turn is what a part knows of the lake's commit ticket.
//
// Two transactions that have pinned the same snapshot insert the same snapshot id, so that one of them loses, and DuckLake
// lets a loser sleep for 50 ms and more: an age, beside the few milliseconds of a transaction. Waiting for the ticket at the
// insertion comes too late. A transaction that is expected to write therefore takes the ticket before it pins, on lease: it
// waits only so long, and loses the ticket to those who wait when it does not insert its row in time.
type turn struct {
	// repeats tells that the transaction is to repeat a commit that was lost.
	repeats bool
	// leased tells that the transaction has had the ticket on lease.
	leased bool
	// kept tells that the transaction has inserted a snapshot row, so that the ticket is its own to the end.
	kept bool
}

// awaitTurn takes the ticket on lease when the transaction is expected to write, before it pins its first snapshot.
func (p *part) awaitTurn(ctx context.Context) {
	t, forecast := p.transaction, &p.transaction.session.forecast
	if p.created || t.options.ReadOnly || p.lake.following != nil {
		return
	}
	p.turn.repeats = forecast.repeats(p.lake)
	if p.turn.repeats || forecast.writes(p.lake) {
		locks := t.session.database.locks
		p.turn.leased = locks.lease(ctx, p.ticket(), &t.owner, p.turn.repeats,
			forecast.patience(locks.leaseTime), forecast.patience(locks.leaseIdle))
	}
}

// Ticket takes the commit ticket of the lake: first come first served, but a session that has just held it in vain goes
// before others.
func (p *part) Ticket(ctx context.Context) error {
	if p.created || p.turn.kept {
		return nil
	}
	if _, err := p.Snapshot(ctx); err != nil {
		return err
	}
	if p.turn.leased && !p.transaction.holds(p.ticket()) {
		p.transaction.session.forecast.mistrust(p.lake) // it was too slow
		p.turn.leased = false
	}
	if err := p.transaction.acquire(ctx, p.ticket(), p.turn.repeats); err != nil {
		return err
	}
	p.turn.kept = true
	p.Journal(func() { p.turn.kept = false })
	return nil
}

func (p *part) ticket() lockName { return lockName{kind: ticketLock, lake: p.lake} }

// learn tells the session what came of the transaction. The part must still be open.
func (p *part) learn(committed bool) {
	forecast := &p.transaction.session.forecast
	switch {
	case p.created || p.pinned == nil || p.transaction.options.ReadOnly:
	case p.turn.kept && committed:
		forecast.committed(p.lake)
	case p.turn.kept && p.lake.movedOn(p.pinned):
		forecast.lost(p.lake)
	case !p.turn.kept:
		forecast.refrained(p.lake, p.turn.leased)
	}
}
