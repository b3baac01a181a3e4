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
		{"the key of a row that is being deleted becomes free", reusedKey(commit)},
		{"the key of a row that is being deleted stays taken", reusedKey(rollback)},
		{"a session goes back to before it locked a row", unlocked()},
		{"a column is added to a table whose rows are being changed", addedColumn()},
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

func named(name string) *definition {
	return catalog()[slices.IndexFunc(catalog(), func(d *definition) bool { return d.name == name })]
}

// addedColumn lets a session that sees a tag with a column wait for one that sees it without.
func addedColumn() []action {
	tags := named("ducklake_tag")
	change := func(to value) message {
		return message{{
			verb: update, table: tags.name, set: []assignment{{column: tags.columns[tags.ordinal("value")], value: to}},
			where: []condition{{column: tags.columns[tags.ordinal("object_id")], operator: "=", value: "1"}},
		}}
	}
	start := message{{verb: begin, repeatable: true}}
	added := column{name: "added_1", typ: "BIGINT", fill: "7"}
	return []action{
		{session: 2, message: message{catalogInsert(tags.name, row{"1", "1", null, "a", "one"})}},
		{session: 1, message: start},
		{session: 1, message: message{{verb: read, table: tags.name}}},
		{session: 0, message: message{{verb: addColumn, table: tags.name, columns: []column{added}}}},
		{session: 3, message: start},
		{session: 1, message: change("two")},
		{session: 3, message: change("three")},
		{session: 1, message: message{{verb: rollback}}},
		{session: 3, message: message{{verb: commit}}},
	}
}

// reusedKey inserts a file of the id of another, which a transaction has deleted and then ends.
func reusedKey(end verb) []action {
	files := named("ducklake_data_file")
	file := func(path value) *statement {
		r := make(row, len(files.columns))
		for i := range r {
			r[i] = null
		}
		r[files.key], r[files.ordinal("path")] = "1", path
		return catalogInsert(files.name, r)
	}
	start := message{{verb: begin, repeatable: true}}
	return []action{
		{session: 0, message: message{file("one")}},
		{session: 1, message: start},
		{session: 1, message: message{{verb: remove, table: files.name}}},
		{session: 2, message: start},
		{session: 2, message: message{file("two")}},
		{session: 1, message: message{{verb: end}}},
		{session: 2, message: message{{verb: commit}}},
	}
}

// unlocked lets sessions wait for locks that others take after a savepoint, and give up by going back to it and by failing.
func unlocked() []action {
	files := named("ducklake_data_file")
	file := func(id value) row {
		r := make(row, len(files.columns))
		for i := range r {
			r[i] = null
		}
		r[files.key] = id
		return r
	}
	change := func(id value) message {
		return message{{
			verb: update, table: files.name, set: []assignment{{column: files.columns[files.ordinal("path")], value: "new"}},
			where: []condition{{column: files.columns[files.key], operator: "=", value: id}},
		}}
	}
	start := message{{verb: begin, repeatable: true}}
	return []action{
		{session: 0, message: message{catalogInsert(files.name, file("1"), file("2"), file("3"))}},
		{session: 1, message: start},
		{session: 1, message: change("1")},
		{session: 1, message: message{{verb: setSavepoint, name: "a"}}},
		{session: 1, message: change("2")},
		{session: 2, message: start},
		{session: 2, message: change("2")}, // waits
		{session: 1, message: message{{verb: rollbackTo, name: "a"}}},
		{session: 2, message: message{{verb: rollback}}},
		{session: 1, message: change("2")},
		{session: 3, message: start},
		{session: 3, message: change("2")},                                   // waits
		{session: 1, message: message{catalogInsert(files.name, file("3"))}}, // fails
		{session: 3, message: message{{verb: commit}}},
		{session: 0, message: change("1")}, // waits
		{session: 1, message: message{{verb: rollbackTo, name: "a"}}},
		{session: 1, message: message{{verb: commit}}},
	}
}

// renamedOption makes two options of one name, of which the record of the options has room for one.
func renamedOption() []action {
	options := named("ducklake_metadata")
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
