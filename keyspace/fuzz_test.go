package keyspace

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

func FuzzDecodeKey(f *testing.F) {
	for _, key := range []Key{HeadKey(), DataFileEntity(1, 2).History(3), NameKey(NameOfTable, 1, "a\x00\x01", 2), IndexMultiKey(1, []byte{0}, 2)} {
		f.Add(key.Bytes())
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, encoded []byte) {
		key, err := DecodeKey(encoded)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) || key != (Key{}) {
				t.Fatalf("key %s, error %v", key, err)
			}
			return
		}
		if got := key.Bytes(); !bytes.Equal(got, encoded) {
			t.Fatalf("%s is written as %x, was read from %x", key, got, encoded)
		}
	})
}

func FuzzDecodeValue(f *testing.F) {
	for _, m := range hotMessages() {
		for _, kind := range Kinds() {
			if NewMessage(kind).name() == m.name() {
				f.Add(byte(kind-1), AppendMessage(nil, m))
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, value []byte) {
		kinds := Kinds()
		key := Key{kind: kinds[int(kind)%len(kinds)]}
		m, err := DecodeValue(key, value)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("error %v", err)
			}
			return
		}
		written, err := EncodeValue(key, m)
		if err != nil {
			t.Fatal(err)
		}
		again := NewMessage(key.kind)
		if err := DecodeMessageAliased(written, again); err != nil {
			t.Fatalf("%s: %x, written after %x: %v", m.name(), written, value, err)
		}
		if !reflect.DeepEqual(describe(again), describe(m)) {
			t.Fatalf("%s:\n read %+v\nagain %+v", m.name(), m, again)
		}
		if rewritten := AppendMessage(nil, again); !bytes.Equal(rewritten, written) {
			t.Fatalf("%s: written as %x and as %x", m.name(), written, rewritten)
		}
	})
}
