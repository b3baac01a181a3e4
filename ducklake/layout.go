package ducklake

import (
	"slices"

	"moraine/relation"
)

// layout says where the columns of one definition of a catalog table are kept. DuckLake's older and later versions have
// other sets of columns than the standard one: those that the message knows by name go to its fields, others to the row's
// extension.
type layout struct {
	columns  []relation.Column
	ordinals []int // of all columns
	fields   []int // by ordinal: the place in the codec's fields, or -1 for the extension
	identity []int // by component of the key: the ordinal, or -1
	natural  []int // ordinals of the natural columns
	end      int   // ordinal of end_snapshot, or -1
	// fill has, by column number, what rows that are older than a column have in it.
	fill map[int16]relation.Value
}

func (t *catalogTable) layoutOf(columns []relation.Column) *layout {
	layout := &layout{columns: columns, fields: make([]int, len(columns))}
	for i := range columns {
		layout.ordinals = append(layout.ordinals, i)
		layout.fields[i] = ordinalOf(t.standard, columns[i].Name)
	}
	for _, name := range t.identity {
		layout.identity = append(layout.identity, ordinalOf(columns, name))
	}
	for _, name := range t.natural {
		if ordinal := ordinalOf(columns, name); ordinal >= 0 {
			layout.natural = append(layout.natural, ordinal)
		}
	}
	layout.end = ordinalOf(columns, endColumn)
	return layout
}

// ordinalOf gives the place of the column with that exact name, or -1.
func ordinalOf(columns []relation.Column, name string) int {
	for i := range columns {
		if columns[i].Name == name {
			return i
		}
	}
	return -1
}

// value gives a column of a row by name; NULL when the definition does not have it.
func (l *layout) value(row relation.Row, name string) relation.Value {
	if ordinal := ordinalOf(l.columns, name); ordinal >= 0 {
		return row[ordinal]
	}
	return relation.NULL
}

// ids gives the ids of the record that a row belongs to; false when the row does not say, or says what no key can.
func (l *layout) ids(row relation.Row) ([]uint64, bool) {
	ids := make([]uint64, len(l.identity))
	for i, ordinal := range l.identity {
		if ordinal < 0 {
			return nil, false
		}
		value := row[ordinal]
		if value.IsNull() || value.Int() < 0 {
			return nil, false
		}
		ids[i] = uint64(value.Int())
	}
	return ids, true
}

// version gives the key of a parent row's version: the snapshot that ended it, or live.
func (l *layout) version(row relation.Row) (version, bool) {
	if l.end < 0 || row[l.end].IsNull() {
		return live, true
	}
	end := row[l.end].Int()
	return version{ended: true, end: uint64(end)}, end >= 0
}

// version tells the versions of one entity apart.
type version struct {
	ended bool
	end   uint64
}

// live is the version that has not ended.
var live = version{}

// newer orders versions by their end.
func (v version) newer(other version) bool { return other.ended && (!v.ended || v.end > other.end) }

// sameNatural tells whether two rows agree in the natural columns.
func (l *layout) sameNatural(one, other relation.Row) bool {
	for _, ordinal := range l.natural {
		if one[ordinal] != other[ordinal] {
			return false
		}
	}
	return true
}

// sort orders rows by their natural columns, which are numbers; NULL comes first.
func (l *layout) sort(rows []relation.Row) {
	slices.SortStableFunc(rows, func(a, b relation.Row) int {
		for _, ordinal := range l.natural {
			if a[ordinal] == b[ordinal] {
				continue
			}
			if a[ordinal].IsNull() || !b[ordinal].IsNull() && a[ordinal].Int() < b[ordinal].Int() {
				return -1
			}
			return 1
		}
		return 0
	})
}
