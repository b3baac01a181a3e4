package sqlmap

import (
	"encoding/json"
	"strings"
	"testing"
)

// explainedNode is a node of EXPLAIN (FORMAT JSON).
type explainedNode struct {
	Type     string          `json:"Node Type"`
	Relation string          `json:"Relation Name"`
	Common   string          `json:"CTE Name"`
	Subplan  string          `json:"Subplan Name"`
	Rows     *int            `json:"Plan Rows"`
	Plans    []explainedNode `json:"Plans"`
}

func (n *explainedNode) String() string {
	parts := []string{strings.TrimSpace(n.Subplan + " " + n.Type + " " + n.Relation + n.Common)}
	for i := range n.Plans {
		parts = append(parts, n.Plans[i].String())
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func TestExplainAsJSON(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT count(*) FROM pg_class WHERE relname = 'x'": "(Aggregate (Key Scan pg_class))",
		"DELETE FROM notes": "(Delete notes (Seq Scan notes))",
		"WITH w AS MATERIALIZED (SELECT 1 AS a) SELECT * FROM w JOIN notes ON notes.id = w.a": "(Hash Join (CTE Scan w) (Seq Scan notes) (CTE w Result))",
	} {
		f := newFixture(t)
		f.run(&block{connection: "a", query: "CREATE TABLE notes (id int)"})
		answer := f.run(&block{connection: "a", query: "EXPLAIN (ANALYZE, FORMAT JSON) " + query})
		header, rest, _ := strings.Cut(answer, "\n")
		if header != "QUERY PLAN:114" {
			t.Errorf("columns %q", header)
		}
		text, _, _ := strings.Cut(strings.ReplaceAll(rest, `\n`, "\n"), "\nEXPLAIN")
		var documents []struct {
			Plan explainedNode
			Time *float64 `json:"Execution Time"`
		}
		if err := json.Unmarshal([]byte(text), &documents); err != nil || len(documents) != 1 || documents[0].Time == nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := documents[0].Plan.String(); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}
