//go:build slatedb

package faults

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/pgerror"
	"moraine/store/storetest/bucket"
)

var long = flag.Bool("long", false, "take the time to test everything: every damage of every object, and longer loads")

// damage is something that a medium does to an object.
type damage struct {
	name string
	// apply gives the damaged content, nil for an object that is gone.
	apply func(content []byte) []byte
}

var damages = []damage{
	{"gone", func([]byte) []byte { return nil }},
	{"empty", func([]byte) []byte { return []byte{} }},
	{"cut in half", func(content []byte) []byte { return content[:len(content)/2] }},
	{"without its last byte", func(content []byte) []byte { return content[:max(0, len(content)-1)] }},
	{"a bit at the beginning", func(content []byte) []byte { return flipped(content, 0) }},
	{"a bit in the first quarter", func(content []byte) []byte { return flipped(content, len(content)/4) }},
	{"a bit in the middle", func(content []byte) []byte { return flipped(content, len(content)/2) }},
	{"a bit near the end", func(content []byte) []byte { return flipped(content, max(0, len(content)-20)) }},
	{"overwritten with zeros", func(content []byte) []byte { return make([]byte, len(content)) }},
}

// answers are the SQLSTATEs by which the damage of an object may be answered.
func answersTo(name string) []string {
	answers := []string{pgerror.DataCorrupted}
	if strings.HasPrefix(name, damagedLake+"manifest/") {
		answers = append(answers, pgerror.AdminShutdown) // a larger epoch is another writer's
	}
	return answers
}

func flipped(content []byte, at int) []byte {
	damaged := bytes.Clone(content)
	if len(damaged) > 0 {
		damaged[at] ^= 0x10
	}
	return damaged
}

// damagesInShort is how many of the damages each object gets without -long.
const damagesInShort = 2

// damagedLake is where the objects of the lake are that is damaged.
const damagedLake = "store/moraine/public/"

// TestDamagedObjects damages each object of a lake: the lake answers what it was given, or that it is corrupt, and never
// anything else; the lake beside it goes on. The lake is the original's, which has objects of every kind.
func TestDamagedObjects(t *testing.T) {
	prepared := originalStore(t)
	first := running(t, prepared)
	first.execute(first.connect(), "SELECT count(*) FROM ducklake_snapshot", "CREATE SCHEMA other",
		"CREATE TABLE other.notes (id bigint)", "INSERT INTO other.notes VALUES (1)")
	first.stop()
	whole := running(t, prepared.Copy(t))
	want, err := whole.answers()
	if err != nil {
		t.Fatal(err)
	}
	whole.stop()
	noticed := 0
	for number, name := range prepared.List(t, damagedLake) {
		for kind, damage := range damages {
			if !*long && (kind+number)%len(damages) >= damagesInShort {
				continue
			}
			t.Run(strings.TrimPrefix(name, damagedLake)+" "+damage.name, func(t *testing.T) {
				if testDamage(t, prepared.Copy(t), name, damage, want) {
					noticed++
				}
			})
		}
	}
	if noticed == 0 {
		t.Error("no damage was noticed")
	}
	t.Logf("%d damages were noticed", noticed)
}

// testDamage damages an object, and tells whether the lake has noticed it.
func testDamage(t *testing.T, content *bucket.Bucket, name string, damage damage, want string) (noticed bool) {
	if damaged := damage.apply(content.Get(t, name)); damaged == nil {
		content.Remove(t, name)
	} else {
		content.Put(t, name, damaged)
	}
	p := running(t, content)
	got, err := p.answers()
	var answer *pgconn.PgError
	switch {
	case err == nil && got != want:
		t.Errorf("the lake answers something else:\n%s", firstDifference(got, want))
	case err != nil && (!errors.As(err, &answer) || !slices.Contains(answersTo(name), answer.Code)):
		t.Errorf("the damage is answered by %v", err)
	}
	p.execute(p.connect(), "SELECT * FROM other.notes", "INSERT INTO other.notes VALUES (2)")
	p.kill() // a damaged store may not end well
	return err != nil
}

// answers reads all rows of all catalog tables.
func (p *process) answers() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client, err := p.dial(ctx)
	if err != nil {
		return "", err
	}
	defer client.Close(ctx)
	r := &reader{ctx: ctx, client: client}
	var answers strings.Builder
	for _, table := range r.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1") {
		for _, row := range r.rows(fmt.Sprintf("SELECT t::text FROM %s AS t ORDER BY 1", table[0])) {
			fmt.Fprintf(&answers, "%s %s\n", table[0], row[0])
		}
	}
	return answers.String(), r.err
}

func firstDifference(got, want string) string {
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			return fmt.Sprintf("%s\ninstead of\n%s", gotLines[i], wantLines[i])
		}
	}
	return fmt.Sprintf("%d lines instead of %d", len(gotLines), len(wantLines))
}
