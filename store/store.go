package store

import (
	"context"
	"errors"
)

// Errors of a store. Engines wrap them with what they know; errors.Is finds them.
var (
	// ErrFenced says that another writer has taken the store: this one may not write any more, now or later.
	ErrFenced = errors.New("store: fenced by another writer")
	// ErrCorrupt says that stored bytes are not what was written.
	ErrCorrupt = errors.New("store: corrupt")
	// ErrUnavailable says that the medium failed (disk full, input or output error, network); it may work later.
	ErrUnavailable = errors.New("store: unavailable")
	// ErrLocked says that another process has the store open.
	ErrLocked = errors.New("store: in use by another process")
	// ErrNotFound says that there is no such lake.
	ErrNotFound = errors.New("store: no such lake")
	// ErrExists says that the lake exists already.
	ErrExists = errors.New("store: lake exists")
	// ErrNotApplied says that a batch was refused before anything was written (no space left, say): it never becomes
	// visible, and the next one may succeed. It comes together with ErrUnavailable.
	ErrNotApplied = errors.New("store: batch not applied")
	// ErrReadOnly says that the engine was opened for reading only. It comes together with ErrNotApplied.
	ErrReadOnly = errors.New("store: open for reading only")
	// ErrReopen comes together with ErrUnavailable after a batch of which nobody knows whether it is there: the store takes
	// nothing more, and once it has been closed, opening it again shows what is durable.
	ErrReopen = errors.New("store: to be opened again")
	// ErrClosed says that the engine, store or snapshot has been closed.
	ErrClosed = errors.New("store: closed")
	// ErrBatchFull: a batch was to have more than its limit, and does not have all that it should.
	ErrBatchFull = errors.New("store: the batch is full")
)

// Path names a lake: one schema of one database. A Path with an empty Schema names the database itself, which exists
// apart from its lakes and has no keys.
type Path struct {
	Database string
	Schema   string
}

// Engine is where lakes live. Safe for concurrent use.
type Engine interface {
	// Create makes an empty lake, or with an empty Schema a database; durable on return. ErrExists when it is there,
	// ErrNotFound when a lake's database is not.
	Create(ctx context.Context, path Path) error
	// Drop removes a lake with all its keys, or with an empty Schema a database with all its lakes, in O(1); durable on
	// return. Snapshots taken before stay readable until closed. ErrNotFound when there is none.
	Drop(ctx context.Context, path Path) error
	// List gives all databases and lakes, ordered by database then schema (a database comes before its lakes).
	List(ctx context.Context) ([]Path, error)
	// Open gives the store of a lake; ErrNotFound when there is none.
	Open(ctx context.Context, path Path) (Store, error)
	// Size gives the bytes that a lake takes, or with an empty Schema all lakes of a database, as near as the engine can tell
	// without reading them: 0 only when nothing was written. ErrNotFound when there is none.
	Size(ctx context.Context, path Path) (int64, error)
	// Close closes the engine; all its stores and snapshots must have been closed.
	Close() error
}

// Store is the keys and values of one lake. Safe for concurrent use.
type Store interface {
	// Snapshot pins the state that all acknowledged batches have made. It is cheap, and must be closed.
	Snapshot() (Snapshot, error)
	// Commit applies the batch, all of it or nothing, and returns when it is durable. Concurrent commits share a
	// flush. After an error other than ErrFenced and ErrNotApplied the batch may or may not become visible later. An
	// empty batch does nothing. The batch is not used after the call.
	Commit(ctx context.Context, batch *Batch) error
	// Close gives the store up; it flushes nothing that Commit has not.
	Close() error
}

// Follower is what the stores of an engine that was opened for reading only are besides: others write, and Snapshot pins
// the state that the last Refresh has found.
type Follower interface {
	Store
	// Refresh looks for what writers have made durable since, and tells whether there was anything. After an error the
	// state before stays.
	Refresh(ctx context.Context) (moved bool, err error)
}

// Objects is what the engines of shared media are besides: small objects beside the lakes, by which servers find out about
// each other. A name is a path of letters, digits, '-', '_' and '/', and no lake's. Safe for concurrent use.
type Objects interface {
	// PutObject writes an object, durable on return; with ifAbsent it is ErrExists when there is one of that name,
	// decided by the medium.
	PutObject(ctx context.Context, name string, content []byte, ifAbsent bool) error
	// GetObject gives an object; ErrNotFound when there is none.
	GetObject(ctx context.Context, name string) ([]byte, error)
	// ListObjects gives the names of the objects whose names start with a path that ends in '/', ascending.
	ListObjects(ctx context.Context, prefix string) ([]string, error)
	// DeleteObject removes an object; that there is none is no error.
	DeleteObject(ctx context.Context, name string) error
}

// Reader reads one consistent state. Safe for concurrent use.
type Reader interface {
	// Get gives the value of a key; found is false when there is none. The value belongs to the caller.
	Get(ctx context.Context, key []byte) (value []byte, found bool, err error)
	// Scan iterates over the keys from lower (inclusive) to upper (exclusive; nil means to the end), ascending.
	Scan(ctx context.Context, lower, upper []byte) (Iterator, error)
}

// Snapshot is a Reader of a pinned state.
type Snapshot interface {
	Reader
	Close() error
}

// Iterator walks over a range. It starts before the first pair.
type Iterator interface {
	// Next moves to the next pair; false at the end or on an error.
	Next() bool
	// SeekGE moves to the first pair at or after key, which must not be before the current one; false as Next.
	SeekGE(key []byte) bool
	// Key and Value give the current pair; both are valid until the next move.
	Key() []byte
	Value() []byte
	// Err gives the error that ended the iteration, or nil.
	Err() error
	Close() error
}

// Batch collects the puts and deletes of one atomic write, in order: the last operation on a key wins.
type Batch struct {
	operations []Operation
	size       int
	limit      int // 0 for none
	full       bool
}

// NewBatch makes a batch of at most so many bytes of keys and values. It takes no operation that goes beyond, and none after
// it; Err tells.
func NewBatch(limit int) *Batch { return &Batch{limit: limit} }

// Err gives ErrBatchFull once the batch lacks an operation. Who fills one asks from time to time.
func (b *Batch) Err() error {
	if b.full {
		return ErrBatchFull
	}
	return nil
}

// admits tells whether an operation still fits.
func (b *Batch) admits(size int) bool {
	b.full = b.full || b.limit > 0 && b.size+size > b.limit
	return !b.full
}

// Operation is one put or delete of a batch.
type Operation struct {
	Key    []byte
	Value  []byte
	Delete bool
}

// Put sets a key. The slices belong to the batch afterwards.
func (b *Batch) Put(key, value []byte) {
	if !b.admits(len(key) + len(value)) {
		return
	}
	b.operations = append(b.operations, Operation{Key: key, Value: value})
	b.size += len(key) + len(value)
}

// Delete removes a key; that it is absent is no error. The slice belongs to the batch afterwards.
func (b *Batch) Delete(key []byte) {
	if !b.admits(len(key)) {
		return
	}
	b.operations = append(b.operations, Operation{Key: key, Delete: true})
	b.size += len(key)
}

// Append adds the operations of another batch, which both share afterwards.
func (b *Batch) Append(other *Batch) {
	if !b.admits(other.size) {
		return
	}
	b.operations = append(b.operations, other.operations...)
	b.size += other.size
}

// Operations gives the operations in order.
func (b *Batch) Operations() []Operation { return b.operations }

// Len gives the number of operations.
func (b *Batch) Len() int { return len(b.operations) }

// Size gives the bytes of all keys and values.
func (b *Batch) Size() int { return b.size }

// PrefixEnd gives the smallest key above all keys that start with prefix, or nil when there is none.
func PrefixEnd(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] != 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}
