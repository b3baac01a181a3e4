package transfer

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"moraine/inspect"
	"moraine/keyspace"
	"moraine/store"
	"moraine/store/memory"
)

// smallBatches makes many batches of the lakes of the tests.
const smallBatches = 60

var publicPath = store.Path{Database: "moraine", Schema: "public"}

func TestEveryLakeIsCopiedBetweenAnyEngines(t *testing.T) {
	lakes := testLakes()
	for from := range engines {
		for to := range engines {
			t.Run(from+" to "+to, func(t *testing.T) {
				source, target := engineWith(t, from, lakes), &faulty{Engine: engines[to](t)}
				phases := map[Phase]bool{}
				results, err := Copy(t.Context(), source, target, Options{Source: "there", BatchSize: smallBatches,
					Progress: func(p Progress) { phases[p.Phase] = true }})
				if err != nil {
					t.Fatal(err)
				}
				wantCopy(t, target, lakes)
				paths, err := target.List(t.Context())
				if err != nil || !slices.Contains(paths, store.Path{Database: "without lakes"}) {
					t.Errorf("the target has %v, error %v", paths, err)
				}
				if len(results) != len(lakes)-1 || target.largest > 2*smallBatches {
					t.Errorf("%d results, the largest batch has %d bytes", len(results), target.largest)
				}
				for _, result := range results {
					wantResult(t, target, result, len(lakes[result.Path]))
				}
			})
		}
	}
}

// wantResult holds the result of a lake to the lake.
func wantResult(t *testing.T, engine store.Engine, result Result, keys int) {
	t.Helper()
	err := with(t.Context(), engine, result.Path, func(_ store.Store, snapshot store.Snapshot) error {
		census, err := inspect.Take(t.Context(), snapshot)
		if census.Checksum != result.Census.Checksum || census.Keys != result.Census.Keys || census.Bytes != result.Census.Bytes {
			t.Errorf("%s: the result has %+v, the lake %+v", result.Path, result.Census, census)
		}
		return err
	})
	if err != nil || result.Census.Keys != int64(keys) || result.Present || result.Deleted > 0 {
		t.Errorf("%s: %d keys, %d put, %d deleted, present %t; error %v", result.Path, result.Census.Keys, result.Put, result.Deleted, result.Present, err)
	}
	catalog := result.Path.Schema == "public" || strings.HasPrefix(result.Path.Schema, "G")
	if head := result.Head; head.Set != catalog || catalog && (head.Value.SnapshotID != 7 || head.Value.BatchSequence != 9) {
		t.Errorf("%s: head %+v", result.Path, result.Head)
	}
}

func TestSelectedLakesAreCopied(t *testing.T) {
	lakes := testLakes()
	source := engineWith(t, "memory", lakes)
	for _, test := range []struct {
		database, schema string
		want             []string
	}{
		{"moraine", "", []string{"moraine", "moraine.empty", "moraine.public"}},
		{"moraine", "public", []string{"moraine", "moraine.public"}},
		{"", "roles", []string{"pg_global", "pg_global.roles"}},
		{"without lakes", "", []string{`"without lakes"`}},
	} {
		target := memory.New()
		if _, err := Copy(t.Context(), source, target, Options{Database: test.database, Schema: test.schema}); err != nil {
			t.Fatal(err)
		}
		paths, err := target.List(t.Context())
		var got []string
		for _, path := range paths {
			got = append(got, path.String())
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q, %q: got %v, error %v", test.database, test.schema, got, err)
		}
	}
	for _, nothing := range []Options{{Database: "no"}, {Schema: "no"}, {Database: "moraine", Schema: "roles"}, {Database: "without lakes", Schema: "x"}} {
		target := memory.New()
		_, err := Copy(t.Context(), source, target, nothing)
		wantRefusal(t, err, "no such lake")
		wantCopy(t, target, nil)
	}
}

func wantRefusal(t *testing.T, err error, part string) {
	t.Helper()
	var refused *Refused
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want a refusal that says %q", err, part)
	}
}

// TestACopyThatFailsAtAnyBatchGoesOn fails each commit of a copy in turn. What is there then is either no lake or a whole one,
// and another call finishes it, whether the source stayed as it was or not.
func TestACopyThatFailsAtAnyBatchGoesOn(t *testing.T) {
	for kind := range engines {
		for _, applied := range []bool{false, true} {
			failing := 1
			for completed := false; !completed; failing += strides[kind] {
				completed = failAndGoOn(t, kind, failing, applied)
			}
			if failing < 20 {
				t.Errorf("a copy had only %d commits", failing)
			}
		}
	}
}

func failAndGoOn(t *testing.T, kind string, failing int, applied bool) (completed bool) {
	t.Helper()
	lakes := testLakes()
	source := engineWith(t, kind, lakes)
	target := &faulty{Engine: engines[kind](t), failing: failing, applied: applied}
	options := Options{Source: "there", BatchSize: smallBatches}
	if _, err := Copy(t.Context(), source, target, options); err == nil {
		wantCopy(t, target, lakes)
		return true
	} else if !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	served, unfinished := lakesOf(t, target)
	whole := true // nothing but whole lakes is served
	for path, found := range served {
		if len(found) > 0 {
			whole = whole && maps.Equal(found, lakes[path])
		}
	}
	if !whole {
		t.Fatalf("commit %d failed: the target serves %q", failing, served)
	}
	// The source moves on, unless a part of the lakes is whole already.
	if finished := len(served[publicPath]) > 0 || unfinished < len(lakes)-1; !finished {
		batch := &store.Batch{}
		for key := range lakes[publicPath] {
			if key[0]%3 == 0 {
				batch.Delete([]byte(key))
				delete(lakes[publicPath], key)
			}
		}
		lakes[publicPath]["\x05new"], lakes[publicPath]["\xff\xff"] = "new", "changed"
		change(t, source, publicPath, batch)
		put(t, source, publicPath, lakes[publicPath])
	}
	if _, err := Copy(t.Context(), source, target, options); err != nil {
		t.Fatalf("going on after commit %d failed: %v", failing, err)
	}
	wantCopy(t, target, lakes)
	return false
}

func TestGoingOnWritesOnlyWhatIsMissing(t *testing.T) {
	lakes := testLakes()
	source := engineWith(t, "memory", lakes)
	target := &faulty{Engine: memory.New(), failing: 8}
	options := Options{Source: "there", BatchSize: smallBatches, Database: "moraine", Schema: "public"}
	if _, err := Copy(t.Context(), source, target, options); !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	results, err := Copy(t.Context(), source, target, options)
	if err != nil {
		t.Fatal(err)
	}
	if put := results[0].Put; put == 0 || put > int64(len(lakes[publicPath]))*2/3 {
		t.Errorf("%d of %d records were written", put, len(lakes[publicPath]))
	}
}

func TestALakeThatIsThereIsNeverTouched(t *testing.T) {
	lakes := testLakes()
	source := engineWith(t, "memory", lakes)
	existing := map[store.Path]records{publicPath: {"\xe2mine": "1"}, {Database: "moraine", Schema: "other"}: {"\xe2mine": "2"}}
	target := engineWith(t, "memory", existing)
	_, err := Copy(t.Context(), source, target, Options{Source: "there"})
	wantRefusal(t, err, "moraine.public: the target has such a lake already")
	_, err = Copy(t.Context(), source, untouched{target}, Options{Source: "there", Examined: target})
	wantRefusal(t, err, "moraine.public: the target has such a lake already")
	wantCopy(t, target, existing)
	if _, err := Copy(t.Context(), source, target, Options{Source: "there", Database: "pg_global"}); err != nil {
		t.Fatal(err)
	}
	existing[store.Path{Database: "pg_global", Schema: "roles"}] = lakes[store.Path{Database: "pg_global", Schema: "roles"}]
	wantCopy(t, target, existing)
}

func TestALakeThatIsWrittenAfterItWasExaminedIsNotTouched(t *testing.T) {
	source := engineWith(t, "memory", testLakes())
	copyFrom := func(source string) records { return records{string(markKey): `{"source": "` + source + `"}`} }
	for writer, lake := range map[string]struct{ examined, written records }{
		"a server":                            {examined: records{}, written: records{"\xe2mine": "1"}},
		"another copy":                        {examined: records{}, written: copyFrom("elsewhere")},
		"a server, once the copy is finished": {examined: copyFrom("there"), written: records{"\x05": "later"}},
	} {
		examined := engineWith(t, "memory", map[store.Path]records{publicPath: lake.examined})
		target := engineWith(t, "memory", map[store.Path]records{publicPath: lake.written})
		_, err := Copy(t.Context(), source, target, Options{Source: "there", Schema: "public", Examined: examined})
		if got, _ := content(t, target, publicPath); err == nil || !maps.Equal(got, lake.written) {
			t.Errorf("%s has written the lake: it holds %q, error %v", writer, got, err)
		}
	}
}

func TestALakeThatIsThereAlikeIsLeftAsItIs(t *testing.T) {
	lakes := testLakes()
	source, target := engineWith(t, "memory", lakes), &faulty{Engine: memory.New()}
	options := Options{Source: "there", Database: "moraine"}
	if _, err := Copy(t.Context(), source, target, options); err != nil {
		t.Fatal(err)
	}
	options.Source, target.commits = "elsewhere", 0
	results, err := Copy(t.Context(), source, target, options)
	if err != nil || target.commits != 0 {
		t.Fatalf("%d commits, error %v", target.commits, err)
	}
	if result := results[1]; !result.Present || result.Put != 0 || result.Census.Keys != int64(len(lakes[publicPath])) || !result.Head.Set {
		t.Errorf("%s: %d keys, %d put, present %t", result.Path, result.Census.Keys, result.Put, result.Present)
	}
	put(t, source, publicPath, records{"\x05": "later"})
	_, err = Copy(t.Context(), source, target, options)
	wantRefusal(t, err, "moraine.public: the target has such a lake already")
}

func TestUnfinishedCopiesBelongToTheirSource(t *testing.T) {
	lakes := testLakes()
	source, target := engineWith(t, "memory", lakes), &faulty{Engine: memory.New(), failing: 7}
	if _, err := Copy(t.Context(), source, target, Options{Source: "there", BatchSize: smallBatches}); !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	_, err := Copy(t.Context(), source, target, Options{Source: "elsewhere"})
	wantRefusal(t, err, "from another store, there")
	_, err = Copy(t.Context(), target, memory.New(), Options{Source: "target"})
	wantRefusal(t, err, "it cannot be copied: the lake is an unfinished copy from there")
	found, err := content(t, target, publicPath)
	var unfinished *Unfinished
	if !errors.As(err, &unfinished) || !strings.Contains(unfinished.Remedy(), "moraine copy --from there --to") {
		t.Errorf("error %v", err)
	}
	var format keyspace.FormatValue
	if err := keyspace.DecodeMessage([]byte(found[string(formatKey)]), &format); err != nil || format.FormatVersion != unfinishedFormat {
		t.Errorf("to others the unfinished lake has format %d, error %v", format.FormatVersion, err)
	}
}

func TestADamagedMarkIsCorrupt(t *testing.T) {
	engine := engineWith(t, "memory", map[store.Path]records{publicPath: {string(markKey): "{"}})
	if _, err := content(t, engine, publicPath); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("error %v", err)
	}
}

// TestWhatTheTargetDoesNotHoldIsFound lets the target change a value, lose a record and add one on their way.
func TestWhatTheTargetDoesNotHoldIsFound(t *testing.T) {
	damages := map[string]func(*store.Batch) *store.Batch{
		"a changed value": func(batch *store.Batch) *store.Batch {
			last := batch.Operations()[batch.Len()-1]
			batch.Put(slices.Clone(last.Key), append(slices.Clone(last.Value), 'x'))
			return batch
		},
		"a record lost": func(batch *store.Batch) *store.Batch {
			batch.Delete(slices.Clone(batch.Operations()[0].Key))
			return batch
		},
		"a record more": func(batch *store.Batch) *store.Batch {
			batch.Put([]byte("\x04zzz"), nil)
			return batch
		},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			lakes := testLakes()
			source, target := engineWith(t, "pebble", lakes), &faulty{Engine: engines["pebble"](t), failing: 7, damage: damage}
			options := Options{Source: "there", BatchSize: smallBatches}
			_, err := Copy(t.Context(), source, target, options)
			var mismatch *Mismatch
			if !errors.As(err, &mismatch) || mismatch.Source.Checksum == mismatch.Target.Checksum {
				t.Fatalf("error %v", err)
			}
			if served, unfinished := lakesOf(t, target); len(served) > 0 || unfinished != len(lakes)-1 {
				t.Errorf("%d lakes can be served, %d are unfinished", len(served), unfinished)
			}
			if _, err := Copy(t.Context(), source, target, options); err != nil {
				t.Fatal(err)
			}
			wantCopy(t, target, lakes)
		})
	}
}

// TestNothingIsDeletedThatAFailingSourceDoesNotShow lets the source fail in the middle of going on.
func TestNothingIsDeletedThatAFailingSourceDoesNotShow(t *testing.T) {
	lakes := map[store.Path]records{publicPath: testLakes()[publicPath]}
	source, target := engineWith(t, "memory", lakes), &faulty{Engine: memory.New(), failing: 8}
	options := Options{Source: "there", BatchSize: smallBatches}
	if _, err := Copy(t.Context(), source, target, options); !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	before, _ := content(t, target, publicPath)
	for pairs := range len(lakes[publicPath]) {
		if _, err := Copy(t.Context(), &failingReader{Engine: source, pairs: pairs}, target, options); !errors.Is(err, errFault) {
			t.Fatalf("error %v", err)
		}
		after, _ := content(t, target, publicPath)
		for key := range before {
			if _, found := after[key]; !found {
				t.Fatalf("%q is gone when the source fails after %d records", key, pairs)
			}
		}
	}
}

func TestACancelledCopyGoesOn(t *testing.T) {
	lakes := testLakes()
	source, target := engineWith(t, "memory", lakes), memory.New()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	options := Options{Source: "there", BatchSize: smallBatches, Progress: func(p Progress) {
		if p.Phase == Copying && p.Number == 4 {
			cancel()
		}
	}}
	if _, err := Copy(ctx, source, target, options); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if served, unfinished := lakesOf(t, target); len(served) > 0 || unfinished != len(lakes)-1 {
		t.Errorf("%d lakes can be served, %d are unfinished", len(served), unfinished)
	}
	if _, err := Copy(t.Context(), source, target, options); err != nil {
		t.Fatal(err)
	}
	wantCopy(t, target, lakes)
}
