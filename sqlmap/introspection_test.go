package sqlmap

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
)

// introspection gives the statements of testdata/introspection.script that hold a text.
func introspection(b *testing.B, mark string) string {
	b.Helper()
	content, err := os.ReadFile("testdata/introspection.script")
	if err != nil {
		b.Fatal(err)
	}
	for _, part := range strings.Split(string(content), "\n\n") {
		if source, _, _ := strings.Cut(part, "\n----"); strings.Contains(source, mark) {
			return source
		}
	}
	b.Fatal("no statement with " + mark)
	return ""
}

// discarded counts rows and forgets them.
type discarded struct {
	transcript
	buffer []byte
	rows   int
}

func (d *discarded) Row(encode func([]byte) ([]byte, error)) (err error) {
	d.rows++
	d.buffer, err = encode(d.buffer[:0])
	return err
}

// BenchmarkIntrospection measures what DuckDB asks at each ATTACH and before each CREATE TABLE, in a lake of 30 tables.
func BenchmarkIntrospection(b *testing.B) {
	f := newFixture(b)
	session := f.session("a")
	for i := range 30 {
		query := fmt.Sprintf("create table ducklake_%d (id bigint primary key, a varchar, b bigint, c varchar, d boolean, e uuid)", i)
		if err := session.Simple(context.Background(), query, &transcript{}); err != nil {
			b.Fatal(err)
		}
	}
	all := " AND pg_namespace.nspname IN ('public')"
	for name, query := range map[string]string{
		"everything": strings.ReplaceAll(introspection(b, "tbl_desc.description AS table_comment\nFROM"), "relname='ducklake_tag'", "true"),
		"catalogs":   strings.ReplaceAll(strings.ReplaceAll(introspection(b, "tbl_desc.description AS table_comment\nFROM"), "AND relname='ducklake_tag'", ""), all, ""),
		"table":      strings.ReplaceAll(introspection(b, "tbl_desc.description AS table_comment\nFROM"), "ducklake_tag", "ducklake_7"),
		"missing":    strings.ReplaceAll(introspection(b, "tbl_desc.description AS table_comment\nFROM"), "ducklake_tag", "ducklake_none"),
		"composites": strings.ReplaceAll(introspection(b, "sub_type_ns.nspname"), "AND n.nspname IN ('public')", ""),
	} {
		b.Run(name, func(b *testing.B) {
			out := &discarded{}
			for b.Loop() {
				out.Reset()
				if err := session.Simple(context.Background(), query, out); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(out.rows)/float64(b.N), "rows/op")
		})
	}
}
