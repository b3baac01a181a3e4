package ducklake

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"moraine/relation"
	"moraine/store"
)

// idSize is the width of an id in a key.
const idSize = 8

// maxRanges bounds the key ranges that one scan is cut into; wider predicates are left to the caller.
const maxRanges = 1 << 16

// idRange is a range of keys without their kind's leading bytes: the ids, in the order of the key.
type idRange struct {
	lower []byte // inclusive
	upper []byte // exclusive; nil means to the end of the kind
}

// scanPlan is what the predicates of a scan say about the keys that it must read.
type scanPlan struct {
	ranges []idRange // ascending, disjoint
	// skip is the last component's value when it is known and the one before is not, so that the scan can seek from
	// record to record.
	skip    uint64
	skipped bool
}

// resolver gives the first ids of the keys with a given second id, when it is known where they are.
type resolver func(second uint64) (firsts []uint64, known bool, err error)

// plan turns predicates into key ranges.
func (l *layout) plan(predicates []relation.Predicate, resolve resolver) (scanPlan, error) {
	if len(l.identity) == 0 {
		return scanPlan{ranges: []idRange{{}}}, nil
	}
	first, found := l.exact(predicates, 0)
	if !found {
		ranges, ok, err := l.resolved(predicates, resolve)
		if !ok {
			ranges = l.bounded(predicates, nil, 0)
		}
		return scanPlan{ranges: ranges}, err
	}
	prefixes := appendIDs([][]byte{nil}, first)
	for component := 1; component < len(l.identity); component++ {
		next, found := l.exact(predicates, component)
		if !found || len(prefixes)*len(next) > maxRanges {
			return l.planRest(predicates, prefixes, component), nil
		}
		prefixes = appendIDs(prefixes, next)
	}
	return scanPlan{ranges: prefixRanges(prefixes)}, nil
}

// planRest plans a scan whose components are known up to one, exclusive.
func (l *layout) planRest(predicates []relation.Predicate, prefixes [][]byte, component int) scanPlan {
	plan := scanPlan{}
	for _, prefix := range prefixes {
		plan.ranges = append(plan.ranges, l.bounded(predicates, prefix, component)...)
	}
	if component == len(l.identity)-2 {
		if last, found := l.exact(predicates, component+1); found && len(last) == 1 {
			plan.skip, plan.skipped = last[0], true
		}
	}
	return plan
}

// resolved plans a scan by the second component; false when that is not possible.
func (l *layout) resolved(predicates []relation.Predicate, resolve resolver) ([]idRange, bool, error) {
	if resolve == nil || len(l.identity) < 2 {
		return nil, false, nil
	}
	seconds, found := l.exact(predicates, 1)
	if !found {
		return nil, false, nil
	}
	var prefixes [][]byte
	for _, second := range seconds {
		firsts, known, err := resolve(second)
		if err != nil || !known {
			return nil, false, err
		}
		for _, first := range firsts {
			prefixes = append(prefixes, binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, first), second))
		}
	}
	slices.SortFunc(prefixes, bytes.Compare)
	return prefixRanges(prefixes), true, nil
}

// exact gives the values that a component can have, ascending, when predicates name them.
func (l *layout) exact(predicates []relation.Predicate, component int) (ids []uint64, found bool) {
	for i := range predicates {
		predicate := &predicates[i]
		if predicate.Column != l.identity[component] || predicate.Comparison > relation.In {
			continue
		}
		if found && len(predicate.Values) >= len(ids) {
			continue
		}
		found, ids = true, make([]uint64, 0, len(predicate.Values))
		for _, value := range predicate.Values {
			if value.Int() >= 0 {
				ids = append(ids, uint64(value.Int()))
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), found && len(ids) <= maxRanges
}

// bounded gives the range of one component behind a prefix, as comparisons bound it; none when they exclude each other.
func (l *layout) bounded(predicates []relation.Predicate, prefix []byte, component int) []idRange {
	lower, upper := int64(0), int64(math.MaxInt64)
	if component < len(l.identity) && l.identity[component] >= 0 {
		for i := range predicates {
			if predicates[i].Column == l.identity[component] {
				lower, upper = narrow(&predicates[i], lower, upper)
			}
		}
	}
	if lower > upper {
		return nil
	}
	bounds := idRange{lower: prefix, upper: store.PrefixEnd(prefix)}
	if lower > 0 {
		bounds.lower = binary.BigEndian.AppendUint64(slices.Clone(prefix), uint64(lower))
	}
	if upper < math.MaxInt64 {
		bounds.upper = binary.BigEndian.AppendUint64(slices.Clone(prefix), uint64(upper)+1)
	}
	return []idRange{bounds}
}

// narrow applies a comparison to inclusive bounds.
func narrow(predicate *relation.Predicate, lower, upper int64) (int64, int64) {
	if len(predicate.Values) != 1 {
		return lower, upper
	}
	value := predicate.Values[0].Int()
	switch predicate.Comparison {
	case relation.Less:
		if value == math.MinInt64 {
			return 1, 0
		}
		return lower, min(upper, value-1)
	case relation.LessOrEqual:
		return lower, min(upper, value)
	case relation.Greater:
		if value == math.MaxInt64 {
			return 1, 0
		}
		return max(lower, value+1), upper
	case relation.GreaterOrEqual:
		return max(lower, value), upper
	}
	return lower, upper
}

// appendIDs puts each id behind each prefix; both are ascending, and so is the result.
func appendIDs(prefixes [][]byte, ids []uint64) [][]byte {
	extended := make([][]byte, 0, len(prefixes)*len(ids))
	for _, prefix := range prefixes {
		for _, id := range ids {
			key := append(make([]byte, 0, len(prefix)+idSize), prefix...)
			extended = append(extended, binary.BigEndian.AppendUint64(key, id))
		}
	}
	return extended
}

func prefixRanges(prefixes [][]byte) []idRange {
	ranges := make([]idRange, len(prefixes))
	for i, prefix := range prefixes {
		ranges[i] = idRange{lower: prefix, upper: store.PrefixEnd(prefix)}
	}
	return ranges
}
