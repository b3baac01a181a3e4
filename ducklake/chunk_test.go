package ducklake

import (
	"testing"

	"moraine/keyspace"
	"moraine/relation"
)

// FuzzChunk holds the reader of chunks to its promise: any bytes give rows or an error.
func FuzzChunk(f *testing.F) {
	schema, ok, err := newInlinedSchema(inlinedDefinition("ducklake_inlined_data_1_1"))
	if err != nil || !ok {
		f.Fatal(ok, err)
	}
	builder := schema.newChunk()
	t := &testing.T{}
	builder.add(rowOf(t, inlinedRowOf(1, 1, nil)...))
	builder.add(append(rowOf(t, 2, 1, nil), make(relation.Row, len(inlinedUserColumns))...))
	f.Add(builder.body(), uint64(2))
	f.Add([]byte{}, uint64(0))
	columns := make([]int, headColumns+len(schema.columns))
	for i := range columns {
		columns[i] = i
	}
	key := keyspace.InlineInsertKey(1, 1, 1, 0).Bytes()
	f.Fuzz(func(t *testing.T, body []byte, rows uint64) {
		value := keyspace.AppendMessage(nil, &keyspace.InlineChunkValue{Body: body, RowCount: rows % 1024})
		var chunk openChunk
		if chunk.open(schema, key, value) != nil {
			return
		}
		row := make(relation.Row, len(columns))
		for i := range int(chunk.header.RowCount) {
			if chunk.read(i, columns, nil, &arena{}, row) != nil {
				return
			}
		}
	})
}

func TestDecimalsAreReadAsPostgreSQLPrintsThem(t *testing.T) {
	for _, test := range []struct {
		text  string
		scale int
		ok    bool
	}{
		{"0", 0, true}, {"0.00", 2, true}, {"-0.01", 2, true}, {"1.50", 2, true}, {"-12345678901234567890123456789.123456789", 9, true},
		{"99999999999999999999999999999999999999", 0, true}, {"-99999999999999999999999999999999999999", 0, true},
		{"NaN", 0, false}, {"1.5", 2, false}, {"1.500", 2, false}, {"1", 2, false}, {"-0.00", 2, false}, {"01", 0, false},
		{"999999999999999999999999999999999999999999", 0, false},
	} {
		low, high, ok := parseDecimal(test.text, test.scale)
		if ok != test.ok || ok && string(formatDecimal(low, high, test.scale, nil)) != test.text {
			t.Errorf("%s: %v", test.text, ok)
		}
	}
}
