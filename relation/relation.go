package relation

import "context"

// Relation is rows that can be read: a table of a lake as one transaction sees it, or a relation of pg_catalog.
// It is valid for the transaction that gave it and used by one goroutine at a time.
type Relation interface {
	Definition() *Definition
	// Scan starts a read at the transaction's snapshot, with its own earlier writes, in an order near that of
	// insertion. Writes made while the cursor is open are not seen by it.
	Scan(ctx context.Context, request ScanRequest) (Cursor, error)
}

// Writable is a relation whose rows can be changed. Rows have a value for every column of the definition, already of the
// column's type; NOT NULL has been checked by the caller, unique constraints are checked here (23505).
type Writable interface {
	Relation
	// Insert adds rows. The slice and its rows belong to the callee afterwards.
	Insert(ctx context.Context, rows []Row) error
	// Update replaces the row; it waits for the row's lock. A row that another transaction changed since the snapshot
	// is 40001.
	Update(ctx context.Context, identity RowIdentity, row Row) error
	// Delete removes the row; locks as Update does. Deleting a row that this transaction has already deleted is no
	// error and tells false.
	Delete(ctx context.Context, identity RowIdentity) (bool, error)
}

// Lockable is a relation whose rows can be locked without a change, for SELECT ... FOR UPDATE.
type Lockable interface {
	Relation
	// Lock takes the row's lock as Update does, and leaves the row as it is.
	Lock(ctx context.Context, identity RowIdentity) error
}

// RowIdentity names a row of one relation: the same row has the same identity in each scan of a transaction, until it is
// deleted; a row updated by the transaction keeps its identity. A stored row that nobody changes has it in other
// transactions too. It is what ctid shows.
type RowIdentity uint64

// IdentityLimit is above every identity: a block of a ctid has 32 bits.
const IdentityLimit = offsetsPerBlock << 32

// offsetsPerBlock keeps the offset of a ctid positive as a signed 16-bit number, as DuckDB reads it.
const offsetsPerBlock = 1 << 14

// TID gives the identity as a tid, (block, offset) with offset from 1.
func (r RowIdentity) TID() Value {
	return Int(int64(uint64(r)/offsetsPerBlock<<16 | (uint64(r)%offsetsPerBlock + 1)))
}

// IdentityOfTID is the inverse of TID; the second result is false for a tid that no row has.
func IdentityOfTID(tid Value) (RowIdentity, bool) {
	block, offset := uint64(tid.Int())>>16, uint64(tid.Int())&0xffff
	if tid.IsNull() || offset == 0 || offset > offsetsPerBlock {
		return 0, false
	}
	return RowIdentity(block*offsetsPerBlock + offset - 1), true
}

// ScanRequest says what a scan should give.
type ScanRequest struct {
	// Columns are the ordinals of the columns to give, in the order of the batch's values. It may be empty: then only
	// the number of rows counts.
	Columns []int
	// Predicates all hold for each wanted row. The relation may use any of them to read less; it may give rows that
	// they exclude, so the caller checks them again.
	Predicates []Predicate
	// Identities, when not nil, restricts the scan to these rows (in this order or another; unknown ones are left out).
	Identities []RowIdentity
	// WithIdentities asks for Batch.Identities.
	WithIdentities bool
}

// Comparison is the operator of a Predicate.
type Comparison uint8

// Comparisons. Equal to Greater take one value, In any number; all compare in the order of the column's type (text in the
// order of its bytes). No comparison holds for NULL but IsNull.
const (
	Equal Comparison = iota
	In
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
	IsNull
	IsNotNull
)

// Predicate is "column comparison values".
type Predicate struct {
	Column     int // ordinal in the definition
	Comparison Comparison
	Values     []Value // of the column's type, none NULL
}

// Cursor gives the batches of a scan.
type Cursor interface {
	// Next gives the next batch, never an empty one, or nil at the end. The batch is valid until the next call; the
	// strings in its values stay valid.
	Next(ctx context.Context) (*Batch, error)
	Close()
}

// Batch is some rows of a scan, row after row in one slice.
type Batch struct {
	Width      int // values of a row
	Length     int // rows
	Values     []Value
	Identities []RowIdentity // when asked for
}

// Row gives row i; it aliases the batch.
func (b *Batch) Row(i int) Row { return b.Values[i*b.Width : (i+1)*b.Width : (i+1)*b.Width] }

// Reset empties the batch for rows of that width and keeps its memory.
func (b *Batch) Reset(width int) {
	b.Width, b.Length, b.Values, b.Identities = width, 0, b.Values[:0], b.Identities[:0]
}

// Append adds a row of b.Width NULLs and gives it to be filled.
func (b *Batch) Append() Row {
	start := len(b.Values)
	for range b.Width {
		b.Values = append(b.Values, Value{})
	}
	b.Length++
	return b.Values[start:]
}
