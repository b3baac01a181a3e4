package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// deed is what an action does to a session.
type deed int

const (
	send      deed = iota
	cancel         // the statement that waits
	cut            // the connection, by the client
	terminate      // the session, by the server
)

// action is one step of a history.
type action struct {
	session int
	deed    deed
	message message
}

func (a action) String() string {
	switch a.deed {
	case cancel:
		return fmt.Sprintf("%d: -- the statement that waits is cancelled", a.session)
	case cut:
		return fmt.Sprintf("%d: -- the connection is cut", a.session)
	}
	if a.deed == terminate {
		return fmt.Sprintf("%d: -- the session is terminated", a.session)
	}
	return fmt.Sprintf("%d: %s;", a.session, a.message)
}

// runner runs one history on a database of the server and on the model, side by side.
type runner struct {
	server   *servers
	database string
	model    *model
	clients  []*client
	observer *client
}

// newRunner makes a database with a catalog that has one snapshot.
func newRunner(ctx context.Context, server *servers, sessions int) (*runner, error) {
	database, err := server.createDatabase(ctx)
	if err != nil {
		return nil, err
	}
	r := &runner{server: server, database: database, model: newModel(sessions)}
	if r.observer, err = connect(ctx, server.address(), database); err != nil {
		return nil, err
	}
	if _, err := r.observer.run(ctx, catalogScript); err != nil {
		return nil, err
	}
	for _, definition := range catalog() {
		r.model.latest[definition.name] = &table{definition: definition, rows: map[int]row{}}
	}
	for range sessions {
		added, err := connect(ctx, server.address(), database)
		if err != nil {
			return nil, err
		}
		r.clients = append(r.clients, added)
	}
	for _, message := range genesis {
		if _, err := r.apply(ctx, action{message: message}); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *runner) close(ctx context.Context) {
	for _, client := range append(r.clients, r.observer) {
		if client != nil {
			client.close(ctx)
		}
	}
	r.server.dropDatabase(ctx, r.database)
}

// apply takes one step on both sides; taken is false when it cannot be taken now.
func (r *runner) apply(ctx context.Context, a action) (taken bool, err error) {
	s, c := r.model.sessions[a.session], r.clients[a.session]
	if !r.model.admits(s, a) {
		return false, nil
	}
	waiting := map[*session]bool{}
	for _, other := range r.model.sessions {
		waiting[other] = other.waiting != ""
	}
	if err := r.unanswered(); err != nil {
		return true, err
	}
	r.model.finished = nil
	switch a.deed {
	case send:
		r.model.send(s, a.message)
		c.start(ctx, a.message.String())
	case cancel:
		r.model.cancel(s)
		err = c.connection.PgConn().CancelRequest(ctx)
	default:
		r.model.kill(s)
		err = r.kill(ctx, a, waiting[s])
	}
	if err != nil {
		return true, err
	}
	return true, r.settle(ctx, waiting)
}

// settle waits for the statements that end now, compares what they gave, and sees that the others wait.
func (r *runner) settle(ctx context.Context, waitedBefore map[*session]bool) error {
	for _, s := range r.model.finished {
		for _, outcome := range s.outcomes {
			r.server.tally[outcome.code]++
		}
		answer, err := r.clients[s.index].await()
		if err == nil {
			err = compare(s.outcomes, answer)
		}
		if err != nil {
			return fmt.Errorf("session %d: %w", s.index, err)
		}
	}
	for _, s := range r.model.sessions {
		if s.waiting == "" {
			continue
		}
		if !waitedBefore[s] {
			r.server.tally["wait "+strings.Fields(s.waiting)[0]]++
		}
		if err := r.clients[s.index].awaitWaiting(ctx, r.observer); err != nil {
			return fmt.Errorf("session %d, which waits for %s: %w", s.index, s.waiting, err)
		}
	}
	return nil
}

// unanswered makes sure that nobody has an answer who should wait.
func (r *runner) unanswered() error {
	for _, s := range r.model.sessions {
		if s.waiting != "" && len(r.clients[s.index].replies) > 0 {
			return fmt.Errorf("session %d has ended its statement, and should wait for %s", s.index, s.waiting)
		}
	}
	return nil
}

// kill ends the connection of a session, perhaps with a statement under way, and opens another.
func (r *runner) kill(ctx context.Context, a action, waiting bool) error {
	c := r.clients[a.session]
	if a.deed == cut {
		c.cut()
	} else if _, err := r.observer.run(ctx, fmt.Sprintf("SELECT pg_terminate_backend(%d)", c.process())); err != nil {
		return err
	}
	if waiting {
		if _, err := c.await(); err != nil {
			return err
		}
	}
	if err := c.awaitEnd(ctx, r.observer); err != nil {
		return err
	}
	c.close(ctx)
	var err error
	r.clients[a.session], err = connect(ctx, r.server.address(), r.database)
	return err
}

// compare tells how an answer differs from what the model expects.
func compare(wanted []outcome, answer reply) error {
	var failure *pgconn.PgError
	if answer.err != nil && !errors.As(answer.err, &failure) {
		return answer.err
	}
	got := ""
	if failure != nil {
		got = failure.Code
	}
	if code := wanted[len(wanted)-1].code; code != got {
		return fmt.Errorf("SQLSTATE %q, want %q (%v)", got, code, answer.err)
	}
	if failure != nil {
		if got == uniqueViolation && !strings.HasSuffix(failure.ConstraintName, "_pkey") ||
			got == serialization && !strings.Contains(failure.Message, "concurrent") {
			return fmt.Errorf("an error with constraint %q and text %q", failure.ConstraintName, failure.Message)
		}
		wanted = wanted[:len(wanted)-1]
	}
	for i, outcome := range wanted {
		if i >= len(answer.results) {
			return fmt.Errorf("%d results, want %d", len(answer.results), len(wanted))
		}
		if tag := answer.results[i].CommandTag.String(); tag != outcome.tag && failure == nil {
			return fmt.Errorf("statement %d: %q, want %q%s", i, tag, outcome.tag, difference(rowsOf(answer.results[i]), outcome.rows))
		}
		if outcome.reads {
			if text := difference(rowsOf(answer.results[i]), outcome.rows); text != "" {
				return fmt.Errorf("statement %d%s", i, text)
			}
		}
	}
	return nil
}

// difference tells how two sets of rows differ; "" when they do not.
func difference(got, want []row) string {
	g, w := sorted(got), sorted(want)
	if slices.Equal(g, w) {
		return ""
	}
	text := ""
	for _, line := range missing(g, w) {
		text += "\n    unexpected row " + line
	}
	for _, line := range missing(w, g) {
		text += "\n    missing row    " + line
	}
	return text
}

func sorted(rows []row) (lines []string) {
	for _, r := range rows {
		lines = append(lines, fmt.Sprint(r))
	}
	slices.Sort(lines)
	return lines
}

// missing gives the lines of one that other does not have, counting those that are alike.
func missing(one, other []string) (lines []string) {
	left := slices.Clone(other)
	for _, line := range one {
		if at := slices.Index(left, line); at >= 0 {
			left = slices.Delete(left, at, at+1)
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// verify compares all that is committed with what a new session reads.
func (r *runner) verify(ctx context.Context) error {
	fresh, err := connect(ctx, r.server.address(), r.database)
	if err != nil {
		return err
	}
	defer fresh.close(ctx)
	names, err := fresh.run(ctx, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
	if err != nil {
		return err
	}
	var wanted []row
	for name, t := range r.model.latest {
		if !t.definition.dropped {
			wanted = append(wanted, row{value(name)})
		}
	}
	if text := difference(names, wanted); text != "" {
		return fmt.Errorf("the tables in the end:%s", text)
	}
	for name, t := range r.model.latest {
		rows, err := fresh.run(ctx, "SELECT * FROM "+name)
		if err != nil {
			return err
		}
		var wanted []row
		for _, want := range t.rows {
			wanted = append(wanted, want)
		}
		if text := difference(rows, wanted); text != "" {
			return fmt.Errorf("%s in the end:%s", name, text)
		}
	}
	return nil
}
