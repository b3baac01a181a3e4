package history

import (
	"context"
	"slices"
	"testing"
)

// TestFoundHistories repeats what random histories have found, in few steps: a seed would name another history once the
// generator is changed.
func TestFoundHistories(t *testing.T) {
	s := newServers(t)
	for _, found := range []struct {
		title   string
		actions []action
	}{
		{"an option is renamed beside another of that name that is being changed", renamedOption()},
	} {
		t.Run(found.title, func(t *testing.T) {
			ctx := context.Background()
			r, err := newRunner(ctx, s, sessions)
			if err != nil {
				t.Fatal(err)
			}
			defer r.close(ctx)
			for _, action := range found.actions {
				if taken, err := r.apply(ctx, action); err != nil || !taken {
					t.Fatalf("%s: taken %t, error %v", action, taken, err)
				}
			}
			if err := r.end(ctx, false); err != nil {
				t.Error(err)
			}
		})
	}
}

// renamedOption makes two options of one name, of which the record of the options has room for one.
func renamedOption() []action {
	options := catalog()[slices.IndexFunc(catalog(), func(d *definition) bool { return d.name == "ducklake_metadata" })]
	called := func(name value) []condition {
		return []condition{{column: options.columns[options.ordinal("key")], operator: "=", value: name}}
	}
	assign := func(column string, to value) []assignment {
		return []assignment{{column: options.columns[options.ordinal(column)], value: to}}
	}
	start := message{{verb: begin, repeatable: true}}
	return []action{
		{session: 1, message: message{catalogInsert(options.name, row{"b", "one", null, null}, row{"c", "two", null, null})}},
		{session: 1, message: start},
		{session: 2, message: start},
		{session: 2, message: message{{verb: update, table: options.name, where: called("b"), set: assign("key", "c")}}},
		{session: 1, message: message{{verb: update, table: options.name, where: called("c"), set: assign("value", "three")}}},
		{session: 2, message: message{{verb: commit}}},
		{session: 1, message: message{{verb: commit}}},
		{message: message{{verb: read, table: options.name}}},
	}
}
