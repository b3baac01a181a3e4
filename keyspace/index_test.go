package keyspace

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

func build(t *testing.T, add column) string {
	t.Helper()
	return string(canonical(t, add))
}

func TestCanonicalKeysOrderAsValuesDo(t *testing.T) {
	orders := map[string]ColumnOrder{
		"ascending":               {},
		"descending":              {Descending: true},
		"ascending, nulls first":  {NullsFirst: true},
		"descending, nulls first": {Descending: true, NullsFirst: true},
	}
	for name, order := range orders {
		ascending := map[string][]column{
			"smallint": eachColumn([]int64{math.MinInt16, -256, -1, 0, 1, 255, 256, math.MaxInt16}, func(v int64) column {
				return func(b *CanonicalKeyBuilder) { b.Signed(order, v, Width16) }
			}),
			"bigint": eachColumn([]int64{math.MinInt64, -1, 0, 1, 256, math.MaxInt64}, func(v int64) column {
				return func(b *CanonicalKeyBuilder) { b.Signed(order, v, Width64) }
			}),
			"unsigned": eachColumn([]uint64{0, 1, 255, 256, math.MaxUint32}, func(v uint64) column {
				return func(b *CanonicalKeyBuilder) { b.Unsigned(order, v, Width32) }
			}),
			"float": eachColumn([]float32{float32(math.Inf(-1)), -1.5, -1e-40, 0, 1e-40, 1.5, float32(math.Inf(1)), float32(math.NaN())}, func(v float32) column {
				return func(b *CanonicalKeyBuilder) { b.Float32(order, v) }
			}),
			"double": eachColumn([]float64{math.Inf(-1), -1.5, -5e-324, 0, 5e-324, 1.5, math.Inf(1), math.NaN()}, func(v float64) column {
				return func(b *CanonicalKeyBuilder) { b.Float64(order, v) }
			}),
			"boolean": eachColumn([]bool{false, true}, func(v bool) column {
				return func(b *CanonicalKeyBuilder) { b.Bool(order, v) }
			}),
			"text": eachColumn([]string{"", "\x00", "\x00\x00", "\x01", "a", "a\x00", "a\x01", "ab", "b", "\u00e9"}, func(v string) column {
				return func(b *CanonicalKeyBuilder) { b.Text(order, v) }
			}),
		}
		for typeName, columns := range ascending {
			t.Run(name+"/"+typeName, func(t *testing.T) {
				nullKey := build(t, null(order))
				for i := range columns {
					key := build(t, columns[i])
					if (nullKey < key) != order.NullsFirst {
						t.Errorf("NULL %x and value %d %x", nullKey, i, key)
					}
					if i > 0 && (build(t, columns[i-1]) < key) == order.Descending {
						t.Errorf("value %d %x does not follow %x", i, key, build(t, columns[i-1]))
					}
				}
			})
		}
	}
}

func eachColumn[T any](values []T, add func(T) column) []column {
	var columns []column
	for _, value := range values {
		columns = append(columns, add(value))
	}
	return columns
}

func TestEqualFloatsHaveOneKey(t *testing.T) {
	otherNaN := math.Float64frombits(0xfff8000000000001)
	if a, b := build(t, double(math.NaN())), build(t, double(otherNaN)); a != b {
		t.Errorf("NaN is %x and %x", a, b)
	}
	if a, b := build(t, double(0)), build(t, double(math.Copysign(0, -1))); a != b {
		t.Errorf("0 is %x, -0 is %x", a, b)
	}
}

func TestValuesThatCannotBeIndexed(t *testing.T) {
	cases := []struct {
		name string
		add  column
		want error
	}{
		{"tinyint 128", func(b *CanonicalKeyBuilder) { b.Signed(ColumnOrder{}, 128, Width8) }, ErrIndexedValueTooWide},
		{"tinyint -129", func(b *CanonicalKeyBuilder) { b.Signed(ColumnOrder{}, -129, Width8) }, ErrIndexedValueTooWide},
		{"tinyint -128", func(b *CanonicalKeyBuilder) { b.Signed(ColumnOrder{}, -128, Width8) }, nil},
		{"unsigned 256 in a byte", func(b *CanonicalKeyBuilder) { b.Unsigned(ColumnOrder{}, 256, Width8) }, ErrIndexedValueTooWide},
		{"1024 bytes", text(strings.Repeat("\x00", MaxIndexedBytes)), nil},
		{"1025 bytes", text(strings.Repeat("a", MaxIndexedBytes+1)), ErrIndexedValuesTooLong},
		{"1025 bytes in two columns", func(b *CanonicalKeyBuilder) {
			text("a")(b)
			blob(strings.Repeat("a", MaxIndexedBytes))(b)
		}, ErrIndexedValuesTooLong},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			var builder CanonicalKeyBuilder
			test.add(&builder)
			if _, err := builder.Bytes(); !errors.Is(err, test.want) {
				t.Errorf("got error %v, want %v", err, test.want)
			}
			builder.Reset()
			if key, err := builder.Bytes(); err != nil || len(key) != 0 {
				t.Errorf("after a reset: key %x, error %v", key, err)
			}
		})
	}
}

func TestBuilderKnowsOfNulls(t *testing.T) {
	var builder CanonicalKeyBuilder
	builder.Text(ColumnOrder{}, "a")
	if builder.HasNull() {
		t.Error("a NULL without one")
	}
	builder.Null(ColumnOrder{})
	if !builder.HasNull() {
		t.Error("the NULL is not known")
	}
}

func TestCanonicalKeyComesBackFromAnEntry(t *testing.T) {
	key := canonical(t, bigint(1, ColumnOrder{}), null(ColumnOrder{}), blob("\x00\x01\x02"))
	for _, entry := range []Key{IndexUniqueKey(1, key), IndexMultiKey(1, key, 1<<56)} {
		got := mustDecodeKey(t, entry.Bytes())
		if !bytes.Equal([]byte(got.Text()), key) {
			t.Errorf("%s: canonical key %x, want %x", entry, got.Text(), key)
		}
	}
}
