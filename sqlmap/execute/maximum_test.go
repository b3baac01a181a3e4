package execute_test

import (
	"testing"

	"moraine/relation"
)

func TestMaximumIsAskedOfTheRelation(t *testing.T) {
	const rows = 10
	for _, test := range []struct {
		query   string
		want    string
		scanned int
	}{
		{"SELECT max(id) FROM big", "9", 0},
		{"SELECT max(id) + 1 FROM big", "10", 0},
		{"SELECT max(b.id) FROM big AS b", "9", 0},
		{"SELECT id FROM big WHERE id = (SELECT max(id) FROM big)", "9", 1},
		{"SELECT max(id) FROM big HAVING max(id) > 100", "max:bigint", 0},
		{"SELECT max(id) FROM empty", "NULL", 0},
		// Only the rows can tell.
		{"SELECT min(id) FROM big", "0", rows},
		{"SELECT max(value) FROM big", "value 9", rows},
		{"SELECT max(-id) FROM big", "0", rows},
		{"SELECT max(id) FILTER (WHERE id < 5) FROM big", "4", rows},
		{"SELECT max(id) FROM big WHERE value < 'value 3'", "2", rows},
		{"SELECT max(id) FROM big WHERE id < 5", "4", 5},
		{"SELECT count(*) FROM (SELECT max(id) FROM big GROUP BY value) AS grouped", "10", rows},
		{"SELECT max(id) FROM (SELECT id FROM big LIMIT 3) AS few", "2", rows},
	} {
		t.Run(test.query, func(t *testing.T) {
			tables := newTables()
			big, empty := tables.numbered(t, "big", rows), tables.numbered(t, "empty", 0)
			big.greatest = map[int]relation.Value{0: relation.Int(rows - 1)}
			empty.greatest = map[int]relation.Value{0: relation.NULL}
			got, err := tables.run(test.query)
			if err != nil {
				t.Fatal(err)
			}
			if last := got[len(got)-1]; last != test.want {
				t.Errorf("answer %q, want %q at its end", got, test.want)
			}
			if scanned := big.scanned + empty.scanned; scanned != test.scanned {
				t.Errorf("%d rows were scanned, want %d", scanned, test.scanned)
			}
		})
	}
}
