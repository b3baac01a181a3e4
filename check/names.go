package check

import (
	"slices"
	"strings"
)

// folded gives a name as DuckDB compares it: the letters of ASCII in lower case.
func folded(name string) string {
	for i := range len(name) {
		if 'A' <= name[i] && name[i] <= 'Z' {
			lower := []byte(name)
			for j, letter := range lower {
				if 'A' <= letter && letter <= 'Z' {
					lower[j] = letter + 'a' - 'A'
				}
			}
			return string(lower)
		}
	}
	return name
}

// cloned gives a string that does not lie in a record's memory.
func cloned(text string) string { return strings.Clone(text) }

// ascending gives the keys of a map in order.
func ascending[V any](byID map[uint64]V) []uint64 {
	ids := make([]uint64, 0, len(byID))
	for id := range byID {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
