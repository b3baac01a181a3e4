package lake

import (
	"context"
	"time"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/store"
	"moraine/store/layered"
)

// commitGroup is commits that share a flush: one batch, which is in the store whole or not at all, and so is each of them.
// Only who has the turn uses it, but for done, and failure behind it.
type commitGroup struct {
	lake    *lake
	base    *snapshot       // the newest durable state, pinned with the first read
	latest  *layered.Reader // base with the members' batches over it; nil until there is a second commit to stage
	shown   int             // how many members latest has
	members []stagedCommit  // in the order of their turns
	size    int             // bytes of the members' batches
	done    chan struct{}   // closed when the members' changes are visible, or failure is set
	failure error
}

// stagedCommit is a member of a group.
type stagedCommit struct {
	*commit
	batch *store.Batch
}

func newCommitGroup(lake *lake) *commitGroup {
	return &commitGroup{lake: lake, done: make(chan struct{})}
}

// complete tells that the group admits nobody any more.
func (g *commitGroup) complete() bool {
	return g.size >= maximumGroup || len(g.members) == 1 && g.members[0].schemas != nil
}

// admits tells whether a commit may stage on what the members have staged.
func (g *commitGroup) admits(next *commit) bool {
	if g.complete() || len(g.members) > 0 && next.schemas != nil {
		return false
	}
	for _, member := range g.members {
		if member.serial&next.serial != 0 {
			return false
		}
	}
	return true
}

// join stages a commit in its turn, passes the turn on, and gives the group that the commit is in.
func (g *commitGroup) join(ctx context.Context, joining *commit) (joined *commitGroup, err error) {
	defer func() { g.leave() }() // also when a fault ends the staging
	latest, err := g.reader()
	if err != nil {
		return nil, storeError(err)
	}
	batch, err := joining.part.stage(ctx, latest)
	if err != nil {
		return nil, err
	}
	if joining.schemas != nil {
		if err := joining.schemas(context.WithoutCancel(ctx)); err != nil {
			return nil, err
		}
	}
	if len(g.members) > 0 && g.size+batch.Size() > maximumGroup {
		// Small commits do not wait for a large one. It was staged on what is made durable now.
		full := g
		g = newCommitGroup(g.lake)
		if full.flush(); full.failure != nil {
			return nil, copied(full.failure)
		}
	}
	g.members = append(g.members, stagedCommit{commit: joining, batch: batch})
	g.size += batch.Size()
	return g, nil
}

// reader gives the newest state with what the members make of it.
func (g *commitGroup) reader() (store.Reader, error) {
	if g.base == nil {
		base, err := g.lake.pin()
		if err != nil {
			return nil, err
		}
		g.base = base
	}
	if len(g.members) == 0 {
		return g.base.Snapshot, nil
	}
	if g.latest == nil {
		g.latest = layered.New(g.base.Snapshot)
	}
	for ; g.shown < len(g.members); g.shown++ {
		g.latest.Add(g.members[g.shown].batch)
	}
	return g.latest, nil
}

// leave passes the turn on: to a commit that joins the group, or else behind the flush.
func (g *commitGroup) leave() {
	if g.lake.commits.pass(g) {
		return
	}
	start := time.Now()
	defer func() { g.lake.commits.next(len(g.members), time.Since(start)) }()
	g.flush()
}

// flush makes the members durable, then visible, and tells them.
func (g *commitGroup) flush() {
	defer close(g.done)
	if g.base != nil {
		g.lake.unpin(g.base)
		g.base, g.latest = nil, nil
	}
	if len(g.members) == 0 {
		return
	}
	// A fault that ends this function leaves a batch of which nobody knows whether it is durable.
	g.failure = pgerror.New(pgerror.InternalError, "a commit to schema %q may be durable and could not be shown", g.lake.schema).
		WithHint("Restart the server.")
	known := false
	defer func() {
		if !known {
			g.lake.end(g.failure)
		}
	}()
	if err := g.lake.store.Commit(context.Background(), g.batch()); err != nil {
		g.failure, known = g.lake.failed(err), true
		return
	}
	opened, err := g.lake.store.Snapshot()
	if err != nil {
		// Nobody may build on the state before a batch that is durable.
		g.failure = g.lake.failed(err)
		return
	}
	g.publish(reading{opened, g.lake})
	g.failure, known = nil, true
}

// batch gives the one batch of all members.
func (g *commitGroup) batch() *store.Batch {
	if len(g.members) == 1 {
		return g.members[0].batch
	}
	together := &store.Batch{}
	for _, member := range g.members {
		together.Append(member.batch)
	}
	return together
}

// publish shows the durable state, in which the domains have their changes.
func (g *commitGroup) publish(opened store.Snapshot) {
	g.lake.mutex.Lock()
	defer g.lake.mutex.Unlock()
	changed := make([]map[string]overlay.Intent, len(g.members))
	for i, member := range g.members {
		changed[i] = member.part.changed
		for _, domain := range member.part.domains {
			if domain.Dirty() {
				domain.Committed()
			}
		}
	}
	g.lake.publish(opened, changed)
}
