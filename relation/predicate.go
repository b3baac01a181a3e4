package relation

import "strings"

// order says how the values of a type compare where a predicate on them can be decided without sqlmap.
type order uint8

const (
	orderUnknown order = iota
	orderInteger
	orderFloat
	orderBytes
)

func orderOf(oid uint32) order {
	switch oid {
	case BoolOID, Int2OID, Int4OID, Int8OID, OIDOID, RegclassOID, DateOID, TimeOID, TimestampOID, TimestampTZOID, TIDOID:
		return orderInteger
	case Float4OID, Float8OID:
		return orderFloat
	case TextOID, VarcharOID, NameOID, CharOID, ByteaOID, UUIDOID:
		return orderBytes
	}
	return orderUnknown
}

// Pushable tells whether predicates on a column of that type can be given to a scan.
func Pushable(oid uint32) bool { return orderOf(oid) != orderUnknown }

// Holds tells whether the predicate holds for a value of the type. For a type that is not Pushable it answers true for
// each comparison but IsNull and IsNotNull: the caller checks again anyway.
func (p *Predicate) Holds(oid uint32, value Value) bool {
	switch {
	case p.Comparison == IsNull:
		return value.IsNull()
	case value.IsNull():
		return false
	case p.Comparison == IsNotNull:
		return true
	}
	order := orderOf(oid)
	if order == orderUnknown {
		return true
	}
	for _, other := range p.Values {
		if holds(p.Comparison, compare(order, value, other)) {
			return true
		}
	}
	return false
}

func holds(comparison Comparison, result int) bool {
	switch comparison {
	case Equal, In:
		return result == 0
	case Less:
		return result < 0
	case LessOrEqual:
		return result <= 0
	case Greater:
		return result > 0
	default:
		return result >= 0
	}
}

func compare(order order, left, right Value) int {
	switch order {
	case orderInteger:
		return compareOrdered(left.Int(), right.Int())
	case orderFloat:
		return compareFloats(left.Float(), right.Float())
	default:
		return strings.Compare(left.Text(), right.Text())
	}
}

func compareOrdered(left, right int64) int {
	switch {
	case left < right:
		return -1
	case left > right:
		return 1
	}
	return 0
}

// compareFloats orders NaN above all other values and equal to itself, as PostgreSQL does.
func compareFloats(left, right float64) int {
	switch {
	case left < right:
		return -1
	case left > right:
		return 1
	case left == right:
		return 0
	case left == left:
		return -1
	case right == right:
		return 1
	}
	return 0
}
