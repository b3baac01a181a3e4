package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"moraine/bench/conversation"
)

// runReplay replays DuckDB's own conversation on both servers in turn, each time in a fresh database, and prints the
// server's time for each shape of statement and for each operation.
func runReplay(ctx context.Context, servers []server, options options) error {
	exchanges, err := readConversation(options.conversation)
	if err != nil {
		return err
	}
	timings := newTimings(exchanges, len(servers))
	for round := range options.rounds {
		order := []int{0, 1}
		if round%2 == 1 {
			slices.Reverse(order)
		}
		answers := make([][]answer, len(servers))
		for _, number := range order {
			s := servers[number]
			err := s.withDatabase(ctx, fmt.Sprintf("replay_%d", round), func(database string) error {
				answers[number], err = replay(ctx, s, database, exchanges)
				return err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			timings.add(number, answers[number])
		}
		if err := sameTags(exchanges, answers[0], answers[1]); err != nil {
			return err
		}
	}
	timings.print(servers)
	return nil
}

func readConversation(path string) ([]conversation.Exchange, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return conversation.Read(file)
}

// replay sends the exchanges on as many connections as the client had, one after the other.
func replay(ctx context.Context, s server, database string, exchanges []conversation.Exchange) ([]answer, error) {
	lastUse := make(map[int]int)
	for i, e := range exchanges {
		lastUse[e.Connection] = i
	}
	clients := make(map[int]*client)
	defer func() {
		for _, c := range clients {
			c.close()
		}
	}()
	answers := make([]answer, len(exchanges))
	identities := newIdentities()
	for i, e := range exchanges {
		c := clients[e.Connection]
		if c == nil {
			var err error
			if c, err = dial(ctx, s, database); err != nil {
				return nil, err
			}
			clients[e.Connection] = c
		}
		e.Text = identities.translate(e.Text)
		var err error
		if answers[i], err = c.exchange(e, identities.readBy(e.Text)); err != nil {
			return nil, fmt.Errorf("exchange %d, %s: %w\n%s", i+1, e.Operation, err, e.Text)
		}
		identities.keep(e.Text, answers[i].rows)
		if lastUse[e.Connection] == i {
			c.close()
			delete(clients, e.Connection)
		}
	}
	return answers, nil
}

// identities puts a server's own row identities in the place of the recorded ones. DuckDB reads the ctid of the rows of
// a table, then deletes those rows by it, in the same order.
type identities struct {
	unused map[string][]rowIdentity // by table
}

func newIdentities() *identities { return &identities{unused: make(map[string][]rowIdentity)} }

// readBy tells whether the last column that a statement reads is the rows' identity.
func (*identities) readBy(text string) bool { return strings.Contains(text, "ctid FROM ") }

func (i *identities) keep(text string, rows []rowIdentity) {
	if i.readBy(text) {
		i.unused[tableAfter(text, "ctid FROM ")] = rows
	}
}

func (i *identities) translate(text string) string {
	const list = " WHERE ctid IN ("
	before, recorded, found := strings.Cut(text, list)
	if !found {
		return text
	}
	table := tableAfter(before, "DELETE FROM ")
	count := min(strings.Count(recorded, "'("), len(i.unused[table]))
	own := make([]string, count)
	for n, row := range i.unused[table][:count] {
		own[n] = "'" + string(row) + "'"
	}
	i.unused[table] = i.unused[table][count:]
	return before + list + strings.Join(own, ",") + ")"
}

// tableAfter gives the table that stands behind the words, without its schema and quotes.
func tableAfter(text, words string) string {
	_, name, _ := strings.Cut(text, words)
	name, _, _ = strings.Cut(name, " ")
	_, name, _ = strings.Cut(strings.ReplaceAll(name, `"`, ""), ".")
	return name
}

// sameTags tells where the servers did not do the same. How many tables, constraints and indexes of their own they show
// is their business.
func sameTags(exchanges []conversation.Exchange, reference, other []answer) error {
	for i := range exchanges {
		if !slices.Equal(reference[i].tags, other[i].tags) && !strings.Contains(exchanges[i].Text, "pg_namespace") {
			return fmt.Errorf("exchange %d, %s: one server answers %q, the other %q\n%s",
				i+1, exchanges[i].Operation, reference[i].tags, other[i].tags, exchanges[i].Text)
		}
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
