package rowstore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"moraine/overlay"
	"moraine/relation"
	"moraine/rowstore"
	"moraine/store"
	"moraine/store/memory"
)

var background = context.Background()

// everyType has a column of each representation, with a gap in the numbers and one out of order.
var everyType = &relation.Definition{Name: "t", Columns: []relation.Column{
	{Name: "flag", Type: relation.BoolType, Number: 1},
	{Name: "big", Type: relation.Int8Type, Number: 2},
	{Name: "float", Type: relation.Float8Type, Number: 3},
	{Name: "text", Type: relation.TextType, Number: 5},
	{Name: "bytes", Type: relation.ByteaType, Number: 40},
	{Name: "zoned", Type: relation.TimeTZType, Number: 41},
	{Name: "interval", Type: relation.IntervalType, Number: 1600},
	{Name: "late", Type: relation.NumericType, Number: 4},
}}

func randomRow(random *rand.Rand) relation.Row {
	row := relation.Row{
		relation.Bool(random.IntN(2) == 0),
		relation.Int(int64(random.Uint64()) >> random.IntN(64)),
		relation.Float(math.Float64frombits(random.Uint64())),
		relation.Text(strings.Repeat("é", random.IntN(100))),
		relation.Text(string([]byte{0, byte(random.IntN(256)), 0xff})),
		relation.TimeWithZone(int64(random.IntN(86400e6)), int32(random.IntN(86400)-43200)),
		relation.Interval(int64(random.Uint64()), int32(random.Uint32()), int32(random.Uint32())),
		relation.Text(fmt.Sprintf("%d.%d0", random.IntN(1000), random.IntN(1000))),
	}
	for i := range row {
		if random.IntN(5) == 0 {
			row[i] = relation.NULL
		}
	}
	return row
}

func TestRowsComeBackAsTheyWere(t *testing.T) {
	codec := rowstore.NewCodec(everyType, nil)
	random := rand.New(rand.NewPCG(1, 1))
	rows := []relation.Row{make(relation.Row, 8), {
		relation.Bool(false), relation.Int(0), relation.Float(math.Copysign(0, -1)), relation.Text(""), relation.Text(""),
		relation.TimeWithZone(0, 0), relation.Interval(0, 0, 0), relation.Text("NaN"),
	}}
	for range 1000 {
		rows = append(rows, randomRow(random))
	}
	decoded := make(relation.Row, 8)
	for _, row := range rows {
		if err := codec.Decode(string(codec.Append(nil, row)), decoded); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(row, decoded) {
			t.Fatalf("row %v became %v", row, decoded)
		}
	}
}

func TestStoredFormIsPinned(t *testing.T) {
	definition := &relation.Definition{Columns: []relation.Column{
		{Type: relation.Int8Type, Number: 1}, {Type: relation.TextType, Number: 2}, {Type: relation.Float8Type, Number: 4}, {Type: relation.TextType, Number: 5},
	}}
	row := relation.Row{relation.Int(-2), relation.Text("ab"), relation.Float(1), relation.NULL}
	want := "\x02\x05" + "\x09\x03" + "\x0b\x02ab" + "\x12\x3f\xf0\x00\x00\x00\x00\x00\x00" + "\x08"
	if got := rowstore.NewCodec(definition, nil).Append(nil, row); string(got) != want {
		t.Errorf("stored form %x, want %x", got, want)
	}
}

func TestRowsOfTheFirstVersionAreRead(t *testing.T) {
	definition := &relation.Definition{Columns: []relation.Column{
		{Type: relation.Int8Type, Number: 1}, {Type: relation.TextType, Number: 2}, {Type: relation.TextType, Number: 5},
	}}
	row := make(relation.Row, 3)
	if err := rowstore.NewCodec(definition, nil).Decode("\x01\x09\x03\x0b\x02ab", row); err != nil {
		t.Fatal(err)
	}
	if want := (relation.Row{relation.Int(-2), relation.Text("ab"), relation.NULL}); !slices.Equal(row, want) {
		t.Errorf("row %v, want %v", row, want)
	}
}

func TestRowsThatWereCutOffAreCorrupt(t *testing.T) {
	codec, random := rowstore.NewCodec(everyType, nil), rand.New(rand.NewPCG(3, 3))
	for range 50 {
		encoded := string(codec.Append(nil, randomRow(random)))
		for length := range encoded {
			if err := codec.Decode(encoded[:length], make(relation.Row, 8)); !errors.Is(err, store.ErrCorrupt) {
				t.Fatalf("%d bytes of %x: error %v", length, encoded, err)
			}
		}
	}
}

func TestRowsOutliveAddedAndDroppedColumns(t *testing.T) {
	before := &relation.Definition{Columns: []relation.Column{
		{Type: relation.Int8Type, Number: 1}, {Type: relation.TextType, Number: 2}, {Type: relation.TextType, Number: 3},
	}}
	after := &relation.Definition{Columns: []relation.Column{
		{Type: relation.TextType, Number: 3}, {Type: relation.Int8Type, Number: 1}, {Type: relation.TextType, Number: 4}, {Type: relation.Int8Type, Number: 5},
	}}
	encoded := rowstore.NewCodec(before, nil).Append(nil, relation.Row{relation.Int(1), relation.Text("dropped"), relation.NULL})
	row := make(relation.Row, 4)
	fill := map[int16]relation.Value{3: relation.Text("not for a row that has NULL"), 4: relation.Text("filled")}
	if err := rowstore.NewCodec(after, fill).Decode(string(encoded), row); err != nil {
		t.Fatal(err)
	}
	if want := (relation.Row{relation.NULL, relation.Int(1), relation.Text("filled"), relation.NULL}); !slices.Equal(row, want) {
		t.Errorf("row %v, want %v", row, want)
	}
}

func TestMalformedRowsAreCorrupt(t *testing.T) {
	codec := rowstore.NewCodec(everyType, nil)
	for _, encoded := range []string{
		"", "\x00", "\x02", "\x02\x80", "\x02\xff\xff\x7f", "\x02\x02\x09\x00", "\x02\x01", "\x02\x01\x09\x00\x09\x00", "\x03\x01\x09\x00", "\x01\x80", "\x01\x09", "\x01\x01\x00", "\x01\x0a\x00", "\x01\x0b\x05ab", "\x01\x0b\x00", "\x01\x0c\x00\x00",
		"\x01\x0d", "\x01\x0f", "\x01\x89\x00\x00", "\x01\x09\x80\x00", "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
		"\x01\xf8\xff\x7f\x08",
	} {
		if err := codec.Decode(encoded, make(relation.Row, 8)); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%x: error %v", encoded, err)
		}
	}
}

// FuzzDecode checks that what is decoded is either refused or, when it has exactly the columns of the definition, the
// encoded form of what it gives.
func FuzzDecode(f *testing.F) {
	codec := rowstore.NewCodec(everyType, nil)
	random := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		f.Add(string(codec.Append(nil, randomRow(random))))
	}
	f.Fuzz(func(t *testing.T, encoded string) {
		row := make(relation.Row, len(everyType.Columns))
		if err := codec.Decode(encoded, row); err != nil {
			if !errors.Is(err, store.ErrCorrupt) {
				t.Fatalf("error %v", err)
			}
			return
		}
		again := make(relation.Row, len(row))
		if err := codec.Decode(string(codec.Append(nil, row)), again); err != nil {
			t.Fatalf("encoding %v again: %v", row, err)
		}
	})
}

// fixture is a store of (id int8, value text) in memory.
type fixture struct {
	*testing.T
	store store.Store
	rows  *rowstore.Rows
}

var pairs = &relation.Definition{Name: "t", Columns: []relation.Column{
	{Name: "id", Type: relation.Int8Type, Number: 1}, {Name: "value", Type: relation.TextType, Number: 2},
}}

func newFixture(t *testing.T) *fixture {
	return &fixture{T: t, store: memory.NewStore(), rows: rowstore.New(rowstore.NamedPrefix("test"), pairs)}
}

func (f *fixture) latest() store.Reader {
	f.Helper()
	snapshot, err := f.store.Snapshot()
	if err != nil {
		f.Fatal(err)
	}
	return snapshot
}

func (f *fixture) commit(inserted []relation.Row, changes ...overlay.Change) {
	f.Helper()
	batch := &store.Batch{}
	if err := f.rows.Stage(background, f.latest(), inserted, changes, batch); err != nil {
		f.Fatal(err)
	}
	if err := f.store.Commit(background, batch); err != nil {
		f.Fatal(err)
	}
}

// scan gives the keys, and the rows as "id=value".
func (f *fixture) scan() (keys, rows []string) {
	f.Helper()
	base := f.rows.Base(func(context.Context) (store.Reader, error) { return f.latest(), nil })
	cursor, err := base.Scan(background, relation.ScanRequest{Columns: []int{1, 0}}, true)
	if err != nil {
		f.Fatal(err)
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(background)
		if err != nil {
			f.Fatal(err)
		}
		if batch == nil {
			return keys, rows
		}
		for i := range batch.Length {
			row := batch.Row(i)
			whole, found, err := base.Get(background, batch.Keys[i])
			if err != nil || !found || whole[0] != row[1] || whole[1] != row[0] {
				f.Fatalf("key %x has row %v, %v, %v; the scan gave %v", batch.Keys[i], whole, found, err, row)
			}
			keys, rows = append(keys, batch.Keys[i]), append(rows, fmt.Sprintf("%d=%s", row[1].Int(), row[0].Text()))
		}
	}
}

func pair(id int64, value string) relation.Row {
	return relation.Row{relation.Int(id), relation.Text(value)}
}

func TestRowsKeepTheOrderOfInsertion(t *testing.T) {
	f := newFixture(t)
	f.commit([]relation.Row{pair(3, "a"), pair(1, "b")})
	keys, _ := f.scan()
	f.commit([]relation.Row{pair(2, "c")}, overlay.Change{Key: keys[0], Row: pair(3, "changed")})
	f.commit(nil, overlay.Change{Key: keys[1]})
	f.commit([]relation.Row{pair(1, "again")})
	if _, rows := f.scan(); !slices.Equal(rows, []string{"3=changed", "2=c", "1=again"}) {
		t.Errorf("rows %v", rows)
	}
}

func TestScanGivesAllBatches(t *testing.T) {
	f := newFixture(t)
	var inserted []relation.Row
	for id := range int64(3000) {
		inserted = append(inserted, pair(id, "x"))
	}
	f.commit(inserted)
	if _, rows := f.scan(); len(rows) != 3000 || rows[2999] != "2999=x" {
		t.Errorf("%d rows, the last %s", len(rows), rows[len(rows)-1])
	}
}

func TestNamedStoresAreApart(t *testing.T) {
	names := []string{"", "a", "a\x00", "a\x00\x01", "ab", "b", "\xff"}
	for _, one := range names {
		for _, other := range names {
			if one != other && strings.HasPrefix(string(rowstore.NamedPrefix(other)), string(rowstore.NamedPrefix(one))) {
				t.Errorf("the prefix of %q starts that of %q", one, other)
			}
		}
	}
}

func TestEmptyStore(t *testing.T) {
	f := newFixture(t)
	for _, want := range []bool{true, false} {
		if empty, err := f.rows.Empty(background, f.latest()); err != nil || empty != want {
			t.Errorf("empty: %v, %v, want %v", empty, err, want)
		}
		f.commit([]relation.Row{pair(1, "a")})
	}
}

func TestCorruptRowsAreErrors(t *testing.T) {
	f := newFixture(t)
	f.commit([]relation.Row{pair(1, "a")})
	keys, _ := f.scan()
	batch := &store.Batch{}
	batch.Put([]byte(keys[0]), []byte("\x07"))
	if err := f.store.Commit(background, batch); err != nil {
		t.Fatal(err)
	}
	base := f.rows.Base(func(context.Context) (store.Reader, error) { return f.latest(), nil })
	if _, _, err := base.Get(background, keys[0]); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("get: %v", err)
	}
	cursor, err := base.Scan(background, relation.ScanRequest{}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	if _, err := cursor.Next(background); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("scan: %v", err)
	}
}

func BenchmarkScan(b *testing.B) {
	lake := memory.NewStore()
	rows := rowstore.New(rowstore.NamedPrefix("test"), pairs)
	snapshot, err := lake.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	var inserted []relation.Row
	for id := range int64(10_000) {
		inserted = append(inserted, pair(id, "a value of some length"))
	}
	batch := &store.Batch{}
	if err := rows.Stage(background, snapshot, inserted, nil, batch); err != nil {
		b.Fatal(err)
	}
	if err := lake.Commit(background, batch); err != nil {
		b.Fatal(err)
	}
	if snapshot, err = lake.Snapshot(); err != nil {
		b.Fatal(err)
	}
	base := rows.Base(func(context.Context) (store.Reader, error) { return snapshot, nil })
	b.ReportAllocs()
	for b.Loop() {
		cursor, err := base.Scan(background, relation.ScanRequest{Columns: []int{0, 1}}, false)
		if err != nil {
			b.Fatal(err)
		}
		for {
			batch, err := cursor.Next(background)
			if err != nil {
				b.Fatal(err)
			}
			if batch == nil {
				break
			}
		}
		cursor.Close()
	}
}
