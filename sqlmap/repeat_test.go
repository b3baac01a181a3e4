package sqlmap

import (
	"testing"
	"time"
)

// TestStatementThatWaitedSeesWhatItWaitedFor has a second session wait for a change of a first one, which then commits it.
// The answers are those of PostgreSQL 15.
func TestStatementThatWaitedSeesWhatItWaitedFor(t *testing.T) {
	const taken = "ERROR 23505 duplicate key value violates unique constraint \"t_b_key\"\n  detail: Key (b)=(9) already exists.\n[E]"
	for _, test := range []struct{ name, change, waiting, want, rows string }{
		{"update of an inserted row", "INSERT INTO t VALUES (2, 9)",
			"INSERT INTO t VALUES (2, 5) ON CONFLICT (a) DO UPDATE SET b = t.b + excluded.b RETURNING b",
			"b:23\n14\nINSERT 0 1\n[T]", "a:23 b:23\n1|1\n2|14\nSELECT 2\n[I]"},
		{"nothing for an inserted row", "INSERT INTO t VALUES (2, 9)",
			"INSERT INTO t VALUES (2, 5) ON CONFLICT DO NOTHING",
			"INSERT 0 0\n[T]", "a:23 b:23\n1|1\n2|9\nSELECT 2\n[I]"},
		{"nothing for another key", "INSERT INTO t VALUES (2, 9)",
			"INSERT INTO t VALUES (3, 9) ON CONFLICT (b) DO NOTHING",
			"INSERT 0 0\n[T]", "a:23 b:23\n1|1\n2|9\nSELECT 2\n[I]"},
		{"a key that ON CONFLICT does not mean", "INSERT INTO t VALUES (2, 9)",
			"INSERT INTO t VALUES (3, 9) ON CONFLICT (a) DO NOTHING",
			taken, "a:23 b:23\n1|1\n2|9\nSELECT 2\n[I]"},
		{"lock of a changed row", "UPDATE t SET b = 7 WHERE a = 1",
			"SELECT * FROM t WHERE a = 1 FOR UPDATE",
			"a:23 b:23\n1|7\nSELECT 1\n[T]", "a:23 b:23\n1|7\nSELECT 1\n[I]"},
		{"cursor over a changed row", "UPDATE t SET b = 7 WHERE a = 1",
			"DECLARE c CURSOR FOR SELECT * FROM t WHERE a = 1 FOR UPDATE; FETCH c",
			"DECLARE CURSOR\na:23 b:23\n1|7\nFETCH 1\n[T]", "a:23 b:23\n1|7\nSELECT 1\n[I]"},
		{"lock of a deleted row", "DELETE FROM t WHERE a = 1",
			"SELECT * FROM t WHERE a = 1 FOR SHARE",
			"a:23 b:23\nSELECT 0\n[T]", "a:23 b:23\nSELECT 0\n[I]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.expect("a", "CREATE TABLE t (a int PRIMARY KEY, b int UNIQUE); INSERT INTO t VALUES (1, 1)", "CREATE TABLE\nINSERT 0 1\n[I]")
			f.simple("a", "BEGIN")
			f.simple("a", test.change)
			f.expect("b", "BEGIN", "BEGIN\n[T]")
			waiting, answer := f.session("b"), make(chan string)
			go func() { answer <- f.simple("b", test.waiting) }()
			for !waiting.Waiting() {
				select {
				case got := <-answer:
					t.Fatalf("it did not wait: %s", got)
				case <-time.After(time.Millisecond):
				}
			}
			f.expect("a", "COMMIT", "COMMIT\n[I]")
			if got := <-answer; got != test.want {
				t.Errorf("---- got\n%s\n---- want\n%s", got, test.want)
			}
			f.simple("b", "COMMIT")
			f.expect("a", "SELECT * FROM t ORDER BY a", test.rows)
		})
	}
}
