package keyspace

import (
	"slices"
	"strings"
)

// OptionScopeValue is all rows of ducklake_metadata for one scope. On the wire it is a map, in any order; here the entries
// are ordered by key, and each key is there once.
type OptionScopeValue struct {
	Options []OptionEntry
}

// OptionEntry is a row of ducklake_metadata.
type OptionEntry struct {
	Key       string
	Value     string
	Extension RowExtension
}

func (*OptionScopeValue) name() string { return "OptionScopeValue" }

// Get gives the value of an option.
func (v *OptionScopeValue) Get(key string) (value string, found bool) {
	i, found := v.search(key)
	if !found {
		return "", false
	}
	return v.Options[i].Value, true
}

// Put adds an option, or replaces the one of the same key.
func (v *OptionScopeValue) Put(option OptionEntry) {
	i, found := v.search(option.Key)
	if found {
		v.Options[i] = option
		return
	}
	v.Options = slices.Insert(v.Options, i, option)
}

// Remove removes an option; found is false when there is none.
func (v *OptionScopeValue) Remove(key string) (found bool) {
	i, found := v.search(key)
	if found {
		v.Options = slices.Delete(v.Options, i, i+1)
	}
	return found
}

func (v *OptionScopeValue) search(key string) (int, bool) {
	return slices.BinarySearchFunc(v.Options, key, func(option OptionEntry, key string) int {
		return strings.Compare(option.Key, key)
	})
}

// Append implements [Message]: entries in the order of their keys, so that the record's bytes depend on its content alone.
func (v *OptionScopeValue) Append(dst []byte) []byte {
	options := v.Options
	if !slices.IsSortedFunc(options, compareOptions) {
		options = slices.SortedStableFunc(slices.Values(options), compareOptions)
	}
	return appendEmbeddedList(dst, 1, options)
}

func (v *OptionScopeValue) decode(payload []byte, aliased bool) error {
	*v = OptionScopeValue{Options: v.Options[:0]}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.Options = parseElement(&p, v.Options)
		default:
			p.skip()
		}
	}
	v.order()
	return p.err
}

func compareOptions(a, b OptionEntry) int { return strings.Compare(a.Key, b.Key) }

// order sorts the entries by key; of equal keys the last one counts, as in every reader of protobuf maps.
func (v *OptionScopeValue) order() {
	slices.Reverse(v.Options)
	slices.SortStableFunc(v.Options, compareOptions)
	v.Options = slices.CompactFunc(v.Options, func(a, b OptionEntry) bool { return a.Key == b.Key })
}

// Append appends the message to dst.
func (v *OptionEntry) Append(dst []byte) []byte {
	dst = appendString(dst, 1, v.Key)
	dst = appendString(dst, 2, v.Value)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *OptionEntry) decode(payload []byte, aliased bool) error {
	*v = OptionEntry{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.Key = p.string()
		case 2:
			v.Value = p.string()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}
