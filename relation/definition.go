package relation

// Kind says what a relation is, with pg_class.relkind's letters.
type Kind byte

// Kinds of relations.
const (
	Table Kind = 'r'
	View  Kind = 'v'
)

// Persistence is pg_class.relpersistence.
type Persistence byte

// Persistences of relations.
const (
	Permanent Persistence = 'p'
	Temporary Persistence = 't'
)

// OnCommit says what COMMIT does with a temporary table.
type OnCommit byte

// What COMMIT does with a temporary table.
const (
	PreserveRows OnCommit = 0
	DeleteRows   OnCommit = 'd'
	Drop         OnCommit = 'D'
)

// Column is one column of a relation. Its ordinal is its place in Definition.Columns, from 0; its attnum is Number.
type Column struct {
	Name    string
	Type    Type
	NotNull bool
	Number  int16  // attnum, from 1; ordinals and numbers differ once a column was dropped
	Default string // SQL text of the default expression; empty means none
	Comment string
}

// ConstraintKind is pg_constraint.contype.
type ConstraintKind byte

// Kinds of constraints.
const (
	PrimaryKey ConstraintKind = 'p'
	Unique     ConstraintKind = 'u'
)

// Constraint is a primary key or unique constraint of a relation.
type Constraint struct {
	Name    string
	Kind    ConstraintKind
	Columns []int // ordinals
}

// Definition describes a relation. It is immutable: a change makes a new one.
type Definition struct {
	OID         uint32
	Schema      string
	Name        string
	Kind        Kind
	Persistence Persistence
	OnCommit    OnCommit // of a temporary table
	Columns     []Column
	Constraints []Constraint
	Comment     string
	// Selective lists the ordinals of columns by which a scan is cheap when a Predicate with Equal or In names them;
	// the planner may turn a join on them into scans by key.
	Selective []int
	// RowEstimate is the expected number of rows, for the planner only; 0 when unknown.
	RowEstimate float64
}

// Ordinal gives the place of the column with that exact name, or -1.
func (d *Definition) Ordinal(name string) int {
	for i := range d.Columns {
		if d.Columns[i].Name == name {
			return i
		}
	}
	return -1
}
