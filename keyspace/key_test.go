package keyspace

import (
	"bytes"
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const randomCases = 300

func TestRandomKeysOfEveryKindComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, kind := range Kinds() {
		for range randomCases {
			key := randomKey(random, kind)
			encoded := key.Bytes()
			if got, err := DecodeKey(encoded); err != nil || got != key {
				t.Fatalf("%s: decoded as %s, error %v", key, got, err)
			}
			if subspace, found := SubspaceOf(encoded); !found || subspace != kind.Subspace() || !subspace.Catalog() {
				t.Fatalf("%s: subspace %x", key, subspace)
			}
		}
	}
}

func TestBytesOrderAsComponentsDo(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, kind := range Kinds() {
		for range randomCases {
			a, b := randomKey(random, kind), randomKey(random, kind)
			if random.IntN(2) == 0 {
				b.ids, b.text = a.ids, a.text+"\x00"
				b.ids[random.IntN(maxIDs)] = randomUint64(random)
				b.ids = decodable(b).ids
			}
			if got, want := bytes.Compare(a.Bytes(), b.Bytes()), compareComponents(a, decodable(b)); got != want {
				t.Fatalf("%s and %s: bytes compare as %d, components as %d", a, b, got, want)
			}
		}
	}
}

// decodable clears the parts of a key that its kind has no component for.
func decodable(key Key) Key {
	ids, hasText := 0, false
	for _, component := range key.kind.Components() {
		if component.isString() {
			hasText = true
		} else {
			ids++
		}
	}
	clear(key.ids[ids:])
	if !hasText {
		key.text = ""
	}
	return key
}

func compareComponents(a, b Key) int {
	next := 0
	for _, component := range a.kind.Components() {
		order := 0
		if component.isString() {
			order = strings.Compare(a.text, b.text)
		} else {
			order = cmp.Compare(a.ids[next], b.ids[next])
			next++
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

func TestKindsFollowTheOrderOfTheirBytes(t *testing.T) {
	kinds := Kinds()
	inBytes := slices.Clone(kinds)
	slices.SortFunc(inBytes, func(a, b Kind) int { return strings.Compare(layouts[a].prefix, layouts[b].prefix) })
	if !slices.Equal(kinds, inBytes) {
		t.Errorf("kinds %v, in byte order %v", kinds, inBytes)
	}
	for i, kind := range kinds[1:] {
		if strings.HasPrefix(layouts[kind].prefix, layouts[kinds[i]].prefix) {
			t.Errorf("the leading bytes of %s start those of %s", kinds[i], kind)
		}
	}
}

func TestHistoryMirrorsCurrent(t *testing.T) {
	for kind := KindCurrentSchema; kind <= KindCurrentIndex; kind++ {
		history, found := kind.History()
		if !found {
			t.Fatalf("%s has no history", kind)
		}
		if want := strings.Replace(kind.String(), "current", "history", 1); history.String() != want {
			t.Errorf("history of %s is %s", kind, history)
		}
		if !slices.Equal(history.Components(), append(slices.Clone(kind.Components()), EndSnapshot)) {
			t.Errorf("%s has components %v", history, history.Components())
		}
		if layouts[history].prefix[1] != layouts[kind].prefix[2] {
			t.Errorf("%s and %s have another byte of the entity", kind, history)
		}
		if a, b := NewMessage(kind), NewMessage(history); a.name() != b.name() {
			t.Errorf("%s has %s, %s has %s", kind, a.name(), history, b.name())
		}
	}
}

func TestEntityOfItsKeys(t *testing.T) {
	for label, entity := range goldenEntities {
		for _, key := range []Key{entity.Current(), entity.History(9)} {
			if got, found := key.Entity(); !found || got != entity {
				t.Errorf("%s: entity of %s is %v", label, key, got)
			}
		}
		if want := "current/" + label; entity.Current().String() != want || entity.Kind() != entity.Current().Kind() {
			t.Errorf("%s is shown as %s, its kind is %s", want, entity.Current(), entity.Kind())
		}
		if got := entity.History(9).Component(EndSnapshot); got != 9 {
			t.Errorf("%s: end snapshot %d", label, got)
		}
	}
	for _, key := range []Key{HeadKey(), GcFileKey(1), SnapshotKey(1), InlineSchemaKey(1, 2), {}} {
		if entity, found := key.Entity(); found {
			t.Errorf("%s is entity %v", key, entity)
		}
	}
}

func TestComponentsByMeaning(t *testing.T) {
	key := NameKey(NameOfTable, 5, "t", 8)
	for component, want := range map[Component]uint64{NameKind: 1, ParentID: 5, EntityID: 8, TableID: 0} {
		if got := key.Component(component); got != want {
			t.Errorf("%s of %s: got %d, want %d", component, key, got, want)
		}
	}
	if got := FileColumnStatsEntity(1, 2, 3).Component(ColumnID); got != 3 {
		t.Errorf("column id %d", got)
	}
}

func TestKeysAreShownByTheirComponents(t *testing.T) {
	for want, key := range map[string]Key{
		"sys/head":                                 HeadKey(),
		"history/file(1,2,9)":                      DataFileEntity(1, 2).History(9),
		`name(1,5,"a\x00\"b",8)`:                   NameKey(NameOfTable, 5, "a\x00\"b", 8),
		"index/multi(1,00ff,18446744073709551615)": IndexMultiKey(1, []byte{0x00, 0xff}, 1<<64-1),
	} {
		if got := key.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNumbersThatNameNothing(t *testing.T) {
	if got := (Key{}).Bytes(); len(got) != 0 {
		t.Errorf("the zero key is %x", got)
	}
	for _, kind := range []Kind{kindNone, kindCount, 255} {
		if kind.String() != "" || kind.Subspace() != 0 || kind.Components() != nil || kind.TableScoped() || NewMessage(kind) != nil {
			t.Errorf("kind %d has a layout", kind)
		}
		if got := Prefix(kind); len(got) != 0 {
			t.Errorf("kind %d has prefix %x", kind, got)
		}
	}
	if got := Component(255).String(); got != "" {
		t.Errorf("component 255 is %q", got)
	}
	if got := (Entity{}).History(1); got != (Key{}) {
		t.Errorf("the zero entity has history %s", got)
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	cases := map[string]string{
		"empty":                                 "",
		"first byte 00":                         "00",
		"first byte 01":                         "01",
		"first byte 7f":                         "7f",
		"unknown system record":                 "027f",
		"system without a record":               "02",
		"unknown kind of inlined data":          "067f",
		"unknown operation of live":             "06037f",
		"current without a family":              "04",
		"unknown family of current":             "0404",
		"unknown kind of entity":                "04021200000000000000010000000000000002",
		"history of an unknown kind":            "05120000000000000001",
		"family byte in history":                "05010200000000000000010000000000000002",
		"index of an unknown kind":              "0704",
		"snapshot one byte short":               "03000000000000002a"[:16],
		"snapshot one byte long":                "03000000000000002a00",
		"byte after a system record":            "020300",
		"name without a terminator":             "0a000000000000000000000000000000006d61696e",
		"name without an entity":                "0a000000000000000000000000000000006d61696e00",
		"name with an escape at the end":        "0a000000000000000000000000000000006d01",
		"escape of a byte that needs none":      "0a0000000000000000000000000000000001610000000000000000000001"[:56],
		"name that is not UTF-8":                "0a00000000000000000000000000000000ff000000000000000001",
		"byte after a name":                     "0a000000000000000000000000000000006d61696e00000000000000000000",
		"delete target one byte short":          "0b000000000000000100000000000000020000000000000003"[:48],
		"index entry without an end of its key": "0702000000000000000161",
		"workspace":                             "e0",
		"entity":                                "e100",
		"user table":                            "e2000000",
	}
	for name, encoded := range cases {
		t.Run(name, func(t *testing.T) {
			key, err := DecodeKey(unhex(t, encoded))
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("decoded as %s, error %v", key, err)
			}
			if !strings.Contains(err.Error(), "key "+encoded) {
				t.Errorf("the error does not name the key: %v", err)
			}
		})
	}
}

func TestErrorsShowTheStartOfALongKey(t *testing.T) {
	_, err := DecodeKey(make([]byte, 1<<20))
	if !errors.Is(err, ErrCorrupt) || len(err.Error()) > 1000 {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}

func TestSubspacesOfOtherPackages(t *testing.T) {
	for _, subspace := range []Subspace{SubspaceWorkspace, SubspaceEntity, SubspaceUserTable, SubspaceTransfer} {
		got, found := SubspaceOf(append(subspace.Prefix(), "anything"...))
		if !found || got != subspace || subspace.Catalog() {
			t.Errorf("subspace %s: got %s, found %t, of the catalog %t", subspace, got, found, subspace.Catalog())
		}
	}
	for _, key := range [][]byte{nil, {0x00}, {0x01}, {0x0c}, {0xe4}, {0xff}} {
		if got, found := SubspaceOf(key); found {
			t.Errorf("key %x has subspace %s", key, got)
		}
	}
}

func TestKeysAreWrittenWithoutAllocation(t *testing.T) {
	buffer := make([]byte, 0, 256)
	allocations := testing.AllocsPerRun(100, func() {
		buffer = DataFileEntity(1, 2).Current().Append(buffer[:0])
		buffer = DataFileEntity(1, 2).History(3).Append(buffer)
		buffer = NameKey(NameOfTable, 1, "orders", 2).Append(buffer)
		if _, err := DecodeKey(buffer[:19]); err != nil {
			t.Fatal(err)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}
