package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"moraine/keyspace"
	"moraine/store"
)

// The mark of an unfinished copy: one key of a subspace of its own. The value is JSON, see [Unfinished].
var markKey = append(keyspace.SubspaceTransfer.Prefix(), 0x00)

var formatKey = keyspace.FormatKey().Bytes()

// What sys/format says as long as the mark is there, for programs that do not know the mark: a format that nobody knows.
const (
	unfinishedFormat = math.MaxUint64
	unfinishedWriter = "unfinished copy"
)

// Unfinished is the error of opening a lake that is the unfinished copy of another one.
type Unfinished struct {
	Source string    `json:"source"` // the location of the store that it is copied from, without password
	Begun  time.Time `json:"begun"`
}

// Error says what the lake is.
func (u *Unfinished) Error() string {
	return fmt.Sprintf("the lake is an unfinished copy from %s, begun at %s", u.Source, u.Begun.UTC().Format(time.DateTime+" MST"))
}

// Remedy says what to do about it.
func (u *Unfinished) Remedy() string {
	return fmt.Sprintf("Finish it with \"moraine copy --from %s --to ...\" and the flags that it was begun with, or drop it.", u.Source)
}

// CheckComplete is an [*Unfinished] when the lake that a reader shows is a copy that has not been finished; another error
// is one of the store.
func CheckComplete(ctx context.Context, reader store.Reader) error {
	value, found, err := reader.Get(ctx, markKey)
	if err != nil || !found {
		return err
	}
	mark := &Unfinished{}
	if err := json.Unmarshal(value, mark); err != nil {
		return fmt.Errorf("%w: the mark of an unfinished copy: %w", store.ErrCorrupt, err)
	}
	return mark
}

// CheckStore is CheckComplete for what a store holds now. The text of the error says what to do, too.
func CheckStore(ctx context.Context, lake store.Store) error {
	snapshot, err := lake.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	err = CheckComplete(ctx, snapshot)
	var unfinished *Unfinished
	if errors.As(err, &unfinished) {
		return fmt.Errorf("%w. %s", unfinished, unfinished.Remedy())
	}
	return err
}

// mark makes a lake an unfinished copy.
func (u *Unfinished) mark(ctx context.Context, lake store.Store) error {
	value, err := json.Marshal(u)
	if err != nil {
		return err
	}
	batch := &store.Batch{}
	batch.Put(markKey, value)
	batch.Put(formatKey, keyspace.AppendMessage(nil, &keyspace.FormatValue{FormatVersion: unfinishedFormat, WriterVersion: unfinishedWriter}))
	return lake.Commit(ctx, batch)
}

// unmark makes an unfinished copy a lake: it gets the format that the source has, none when that is nil.
func unmark(ctx context.Context, lake store.Store, format []byte) error {
	batch := &store.Batch{}
	batch.Delete(markKey)
	if format == nil {
		batch.Delete(formatKey)
	} else {
		batch.Put(formatKey, format)
	}
	return lake.Commit(ctx, batch)
}
