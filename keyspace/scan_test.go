package keyspace

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestPrefixesStartTheKeysTheyStandFor(t *testing.T) {
	key := DataFileEntity(1, 2)
	cases := []struct {
		name   string
		prefix []byte
		key    Key
		size   int
	}{
		{"a subspace", SubspaceCurrent.Prefix(), key.Current(), 1},
		{"all entities", EntitiesPrefix(), key.Current(), 2},
		{"a current kind", Prefix(KindCurrentDataFile), key.Current(), 3},
		{"a current kind of a table", Prefix(KindCurrentDataFile, 1), key.Current(), 3 + 8},
		{"the statistics of a file", Prefix(KindCurrentFileColumnStats, 1, 2), FileColumnStatsEntity(1, 2, 3).Current(), 3 + 16},
		{"all files to delete", Prefix(KindGcFile), GcFileKey(1), 2},
		{"a history kind", Prefix(KindHistoryDataFile), key.History(9), 2},
		{"a history kind of a table", Prefix(KindHistoryDataFile, 1), key.History(9), 2 + 8},
		{"the ended versions of an entity", Prefix(KindHistoryDataFile, 1, 2), key.History(9), 2 + 16},
		{"inline schemas of a table", Prefix(KindInlineSchema, 7), InlineSchemaKey(7, 3), 2 + 8},
		{"live chunks and deletions", LiveInlinePrefix(), InlineFileDeleteKey(7, 2, 9), 2},
		{"live chunks of a table", Prefix(KindInlineInsert, 7), InlineInsertKey(7, 3, 11, 0), 3 + 8},
		{"locators of a table", Prefix(KindInlineChunkLocator, 7), InlineChunkLocatorKey(7, 29, 3, 11, 2), 2 + 8},
		{"tombstones of a row", Prefix(KindInlineRowTombstone, 7, 9), InlineRowTombstoneKey(7, 9, 12), 2 + 16},
		{"entries of an index", Prefix(KindIndexUnique, 1), IndexUniqueKey(1, []byte("k")), 2 + 8},
		{"entries of a canonical key", MultiEntryPrefix(1, []byte("k\x00")), IndexMultiKey(1, []byte("k\x00"), 3), 2 + 8 + 4},
		{"delete files of a table", Prefix(KindDeleteTarget, 1), DeleteTargetKey(1, 2, 3), 1 + 8},
		{"delete files of a data file", Prefix(KindDeleteTarget, 1, 2), DeleteTargetKey(1, 2, 3), 1 + 16},
		{"schema names", Prefix(KindName, NameOfSchema, 0), NameKey(NameOfSchema, 0, "main", 0), 1 + 16},
		{"table names of a schema", Prefix(KindName, NameOfTable, 5), NameKey(NameOfTable, 5, "t", 8), 1 + 16},
		{"one name", NamePrefix(NameOfTable, 5, "t"), NameKey(NameOfTable, 5, "t", 8), 1 + 16 + 2},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			if len(test.prefix) != test.size {
				t.Errorf("%d bytes, want %d", len(test.prefix), test.size)
			}
			if !bytes.HasPrefix(test.key.Bytes(), test.prefix) {
				t.Errorf("%x does not start %x", test.prefix, test.key.Bytes())
			}
		})
	}
}

func TestPrefixMatchesTheKeysWithItsIDsAndNoOthers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, kind := range Kinds() {
		for range randomCases {
			key, other := randomKey(random, kind), randomKey(random, Kinds()[random.IntN(len(Kinds()))])
			leading := 0
			for leading < len(kind.Components()) && !kind.Components()[leading].isString() {
				leading++
			}
			ids := key.ids[:random.IntN(leading+1)]
			prefix := Prefix(kind, ids...)
			if !bytes.HasPrefix(key.Bytes(), prefix) {
				t.Fatalf("%s does not start with %x", key, prefix)
			}
			matches := other.kind == kind
			for i, id := range ids {
				matches = matches && other.ids[i] == id
			}
			if bytes.HasPrefix(other.Bytes(), prefix) != matches {
				t.Fatalf("%s and prefix %x of %s: expected match %t", other, prefix, key, matches)
			}
		}
	}
}

func TestOneNameDoesNotMatchLongerNames(t *testing.T) {
	prefix := NamePrefix(NameOfTable, 1, "a")
	for _, name := range []string{"", "a\x00", "a\x01", "ab", "b"} {
		if bytes.HasPrefix(NameKey(NameOfTable, 1, name, 2).Bytes(), prefix) {
			t.Errorf("the prefix of %q matches %q", "a", name)
		}
	}
}

func TestTableScopedKinds(t *testing.T) {
	for kind, want := range map[Kind]bool{
		KindCurrentTable: true, KindHistoryColumn: true, KindInlineRowTombstone: true, KindDeleteTarget: true,
		KindSchemaVersion: true, KindCurrentSchema: false, KindCurrentTag: false, KindHead: false, KindIndexUnique: false,
	} {
		if kind.TableScoped() != want {
			t.Errorf("%s: table scoped %t", kind, !want)
		}
	}
}
