package parse

import (
	"strings"
	"testing"

	"moraine/pgerror"
)

// TestDepth parses what is as deep as the limit allows, and refuses what is deeper, before it can end the process.
func TestDepth(t *testing.T) {
	nestings := map[string]func(n int) string{
		"operators": func(n int) string { return "SELECT 1" + strings.Repeat("+1", n) },
		"prefixes":  func(n int) string { return "SELECT " + strings.Repeat("- ", n) + "1" },
		"negations": func(n int) string { return "SELECT " + strings.Repeat("NOT ", n) + "true" },
		"casts":     func(n int) string { return "SELECT 1" + strings.Repeat("::int", n) },
		"brackets":  func(n int) string { return "SELECT " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) },
		"calls":     func(n int) string { return "SELECT " + strings.Repeat("abs(", n) + "1" + strings.Repeat(")", n) },
		"cases": func(n int) string {
			return "SELECT " + strings.Repeat("CASE WHEN true THEN ", n) + "1" + strings.Repeat(" END", n)
		},
		"arrays":       func(n int) string { return "SELECT " + strings.Repeat("ARRAY[", n) + "1" + strings.Repeat("]", n) },
		"subqueries":   func(n int) string { return strings.Repeat("SELECT (", n) + "SELECT 1" + strings.Repeat(")", n) },
		"unions":       func(n int) string { return "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", n) },
		"joins":        func(n int) string { return "SELECT 1 FROM t" + strings.Repeat(" CROSS JOIN t", n) },
		"collations":   func(n int) string { return "SELECT 'a'" + strings.Repeat(` COLLATE "C"`, n) },
		"zones":        func(n int) string { return "SELECT now()" + strings.Repeat(" AT TIME ZONE 'UTC'", n) },
		"tests":        func(n int) string { return "SELECT true" + strings.Repeat(" IS TRUE", n) },
		"alternating":  func(n int) string { return "SELECT " + strings.Repeat("1+(", n/2) + "1" + strings.Repeat(")", n/2) },
		"concatenated": func(n int) string { return "SELECT 'a'" + strings.Repeat("||'a'", n) },
	}
	for name, text := range nestings {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(text(MaximumDepth / 4)); err != nil {
				t.Errorf("a quarter of the limit: %v", err)
			}
			Parse(text(MaximumDepth - 10)) // an error or not, but no end of the process
			for _, n := range []int{2*MaximumDepth + 2, 200_000} {
				if _, err := Parse(text(n)); !pgerror.HasCode(err, pgerror.StatementTooComplex) {
					t.Errorf("%d levels: %.200v", n, err)
				}
			}
		})
	}
}

// TestWideIsNotDeep parses long statements without depth.
func TestWideIsNotDeep(t *testing.T) {
	const n = 20_000
	for name, text := range map[string]string{
		"list":        "SELECT 1 WHERE 1 IN (" + strings.Repeat("-1,", n) + "1)",
		"alternative": "SELECT 1 WHERE 1=2" + strings.Repeat(" OR 1=3", n),
		"conjunction": "SELECT 1 WHERE a BETWEEN 1 AND 2" + strings.Repeat(" AND b <> 3", n),
		"arms":        "SELECT CASE" + strings.Repeat(" WHEN a=1 THEN 2-1", n) + " END",
		"rows":        "SELECT * FROM (VALUES (1)" + strings.Repeat(",(-1+2)", n) + ") v",
		"text":        "SELECT '" + strings.Repeat("((((++", n) + "', E'\\'((((" + strings.Repeat("++", n) + "' /* " + strings.Repeat("+", n) + " */",
	} {
		if _, err := Parse(text); err != nil {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}
