package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"moraine/keyspace"
	"moraine/store"
	"moraine/store/memory"
	"moraine/store/pebble"
)

// engines are the kinds of store that tests copy between.
var engines = map[string]func(t testing.TB) store.Engine{
	"memory": func(testing.TB) store.Engine { return memory.New() },
	"pebble": func(t testing.TB) store.Engine {
		engine, err := pebble.Open(t.TempDir(), pebble.Options{CacheSize: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := engine.Close(); err != nil {
				t.Error(err)
			}
		})
		return engine
	},
}

// strides are how many commits lie between two that a test fails in turn, where each run takes long.
var strides = map[string]int{"memory": 1, "pebble": 7, "slatedb": 23}

// records are the keys and values of a lake.
type records map[string]string

// randomLake makes a lake with a catalog of a format, a head, and other keys of every subspace.
func randomLake(random *rand.Rand, count int) records {
	lake := records{
		string(keyspace.FormatKey().Bytes()): string(keyspace.AppendMessage(nil, &keyspace.FormatValue{FormatVersion: 12})),
		string(keyspace.HeadKey().Bytes()):   string(keyspace.AppendMessage(nil, &keyspace.HeadValue{SnapshotID: 7, BatchSequence: 9})),
		"\x00":                               "",
		"\xff\xff":                           "",
	}
	for range count {
		key := make([]byte, 1+random.IntN(12))
		for i := range key {
			key[i] = byte(random.Uint32())
		}
		if key[0] == byte(keyspace.SubspaceTransfer) {
			continue
		}
		lake[string(key)] = string(bytes.Repeat([]byte{byte(random.Uint32())}, random.IntN(20)))
	}
	return lake
}

// testLakes are lakes with names of all sorts, an empty one, one without a catalog, and a database without a lake.
func testLakes() map[store.Path]records {
	random := rand.New(rand.NewPCG(5, 7))
	return map[store.Path]records{
		{Database: "moraine", Schema: "public"}:         randomLake(random, 60),
		{Database: "moraine", Schema: "empty"}:          {},
		{Database: "a.b/../%2e", Schema: "Größe \"x\""}: randomLake(random, 30),
		{Database: "a.b/../%2e", Schema: ".hidden"}:     {"\xe2\x01t": "only a plain table"},
		{Database: "pg_global", Schema: "roles"}:        {"rada": `{"name":"ada"}`, "mada\x00bob": `{}`},
		{Database: "without lakes"}:                     nil,
	}
}

// engineWith makes an engine that has lakes.
func engineWith(t *testing.T, kind string, lakes map[store.Path]records) store.Engine {
	t.Helper()
	engine := engines[kind](t)
	for path, content := range lakes {
		if err := engine.Create(t.Context(), store.Path{Database: path.Database}); err != nil && !errors.Is(err, store.ErrExists) {
			t.Fatal(err)
		}
		if path.Schema == "" {
			continue
		}
		if err := engine.Create(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		put(t, engine, path, content)
	}
	return engine
}

func put(t *testing.T, engine store.Engine, path store.Path, content records) {
	t.Helper()
	batch := &store.Batch{}
	for key, value := range content {
		batch.Put([]byte(key), []byte(value))
	}
	change(t, engine, path, batch)
}

func change(t *testing.T, engine store.Engine, path store.Path, batch *store.Batch) {
	t.Helper()
	lake, err := engine.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer lake.Close()
	if err := lake.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

// content reads a lake, and whether it can be served.
func content(t *testing.T, engine store.Engine, path store.Path) (found records, complete error) {
	t.Helper()
	found = records{}
	err := with(t.Context(), engine, path, func(_ store.Store, snapshot store.Snapshot) error {
		complete = CheckComplete(t.Context(), snapshot)
		pairs, err := snapshot.Scan(t.Context(), nil, nil)
		if err != nil {
			return err
		}
		defer pairs.Close()
		for pairs.Next() {
			found[string(pairs.Key())] = string(pairs.Value())
		}
		return pairs.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, complete
}

// lakesOf reads all lakes of an engine that can be served, and counts the unfinished copies.
func lakesOf(t *testing.T, engine store.Engine) (lakes map[store.Path]records, unfinished int) {
	t.Helper()
	paths, err := engine.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lakes = map[store.Path]records{}
	for _, path := range paths {
		if path.Schema == "" {
			continue
		}
		found, err := content(t, engine, path)
		var mark *Unfinished
		switch {
		case errors.As(err, &mark):
			unfinished++
		case err != nil:
			t.Fatal(err)
		default:
			lakes[path] = found
		}
	}
	return lakes, unfinished
}

// wantCopy fails the test unless an engine has exactly these lakes.
func wantCopy(t *testing.T, engine store.Engine, want map[store.Path]records) {
	t.Helper()
	got, unfinished := lakesOf(t, engine)
	if unfinished > 0 {
		t.Errorf("%d lakes are unfinished", unfinished)
	}
	for path, records := range want {
		if path.Schema != "" && !maps.Equal(got[path], records) {
			t.Errorf("%s: got %q, want %q", path, got[path], records)
		}
		delete(got, path)
	}
	for path := range got {
		t.Errorf("there is %s besides", path)
	}
}

// faulty is an engine of which one commit, counted over all its lakes from 1, goes wrong.
type faulty struct {
	store.Engine
	failing int
	applied bool // the failing batch is applied all the same
	damage  func(*store.Batch) *store.Batch
	commits int
	largest int // batch, in bytes
}

var errFault = fmt.Errorf("%w: the test's fault", store.ErrUnavailable)

func (f *faulty) Open(ctx context.Context, path store.Path) (store.Store, error) {
	opened, err := f.Engine.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &faultyStore{Store: opened, engine: f}, nil
}

type faultyStore struct {
	store.Store
	engine *faulty
}

func (s *faultyStore) Commit(ctx context.Context, batch *store.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	s.engine.commits++
	s.engine.largest = max(s.engine.largest, batch.Size())
	if s.engine.commits != s.engine.failing {
		return s.Store.Commit(ctx, batch)
	}
	if s.engine.damage != nil {
		return s.Store.Commit(ctx, s.engine.damage(batch))
	}
	if s.engine.applied {
		return errors.Join(errFault, s.Store.Commit(ctx, batch))
	}
	return fmt.Errorf("%w: %w", store.ErrNotApplied, errFault)
}

// failingReader is an engine whose scans end with an error after some pairs.
type failingReader struct {
	store.Engine
	pairs int
}

func (f *failingReader) Open(ctx context.Context, path store.Path) (store.Store, error) {
	opened, err := f.Engine.Open(ctx, path)
	return &failingStore{Store: opened, pairs: f.pairs}, err
}

type failingStore struct {
	store.Store
	pairs int
}

func (s *failingStore) Snapshot() (store.Snapshot, error) {
	snapshot, err := s.Store.Snapshot()
	return &failingSnapshot{Snapshot: snapshot, pairs: s.pairs}, err
}

type failingSnapshot struct {
	store.Snapshot
	pairs int
}

func (s *failingSnapshot) Scan(ctx context.Context, lower, upper []byte) (store.Iterator, error) {
	iterator, err := s.Snapshot.Scan(ctx, lower, upper)
	return &failingIterator{Iterator: iterator, left: s.pairs}, err
}

type failingIterator struct {
	store.Iterator
	left int
}

func (i *failingIterator) Next() bool {
	i.left--
	return i.left >= 0 && i.Iterator.Next()
}

func (i *failingIterator) Err() error {
	if i.left < 0 {
		return errFault
	}
	return i.Iterator.Err()
}

// untouched is an engine of which nothing must be opened or made.
type untouched struct{ store.Engine }

func (untouched) Open(context.Context, store.Path) (store.Store, error) { return nil, errFault }

func (untouched) Create(context.Context, store.Path) error { return errFault }
