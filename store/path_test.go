package store

import "testing"

func TestPathsAreReadAsTheyAreWritten(t *testing.T) {
	for text, path := range map[string]Path{
		"moraine.public":          {"moraine", "public"},
		"pg_global.roles":         {"pg_global", "roles"},
		`"a.b"."My schema"`:       {"a.b", "My schema"},
		`"a\"b".é`:                {`a"b`, "é"},
		`"a\x00\n\\"."/../%2e"`:   {"a\x00\n\\", "/../%2e"},
		`"\xff".-`:                {"\xff", "-"},
		`données."déjà vu"`:       {"données", "déjà vu"},
		`trailing space .schema`:  {"trailing space ", "schema"},
		`has"quote.public"inside`: {`has"quote`, `public"inside`},
	} {
		got, err := ParsePath(text)
		if err != nil || got != path {
			t.Errorf("%s: got %q, %q, error %v", text, got.Database, got.Schema, err)
		}
		if again, err := ParsePath(path.String()); err != nil || again != path {
			t.Errorf("%q, %q is written %s and read as %q, %q, error %v", path.Database, path.Schema, path, again.Database, again.Schema, err)
		}
	}
	if got := (Path{Database: "only a database"}).String(); got != `"only a database"` {
		t.Errorf("got %s", got)
	}
	for _, text := range []string{"", "moraine", "moraine.", ".public", "a.b.c", `"a.b`, `"a"b.c`, `"a`, `"a"`, `"\q".a`, `"".a`, `a.""`} {
		if got, err := ParsePath(text); err == nil {
			t.Errorf("%s is read as %s", text, got)
		}
	}
}
