package lake

import (
	"cmp"
	"context"
	"errors"

	"moraine/pgerror"
	"moraine/store"
)

// Commit makes the writes durable and ends the transaction. Once the first schema is dropped or the batch is staged, ctx no
// longer stops it.
func (t *Transaction) Commit(ctx context.Context) error {
	if err := t.checkOpen(); err != nil {
		return err
	}
	committed := false
	defer func() { t.finish(committed) }()
	temporary, err := t.temporary.stage(ctx)
	if err != nil {
		return err
	}
	if err := t.commitLakes(ctx); err != nil {
		return err
	}
	if err := t.session.temporary.commit(context.WithoutCancel(ctx), temporary); err != nil {
		return err
	}
	committed = true
	if t.session.temporary.size == 0 {
		t.session.database.relations.release(t.session.scope)
	}
	return nil
}

// commitLakes commits the changes of schemas, then those of the one lake that was written.
func (t *Transaction) commitLakes(ctx context.Context) error {
	written := t.dirtyPart()
	switch {
	case written == nil:
		return t.applySchemas(context.WithoutCancel(ctx))
	case written.created:
		return t.fill(ctx, written)
	}
	commit := newCommit(written)
	if len(t.changes) > 0 {
		commit.schemas = t.applySchemas
	}
	return written.lake.commit(ctx, commit)
}

// stage lets the domains turn their changes into a batch, in the part's turn.
func (p *part) stage(ctx context.Context, latest store.Reader) (*store.Batch, error) {
	if err := p.lake.writable(); err != nil {
		return nil, err
	}
	batch := store.NewBatch(maximumBatch)
	for _, domain := range p.domains {
		if !domain.Dirty() {
			continue
		}
		if err := cmp.Or(domain.Stage(ctx, latest, batch), batch.Err()); err != nil {
			return nil, stagingError(err)
		}
	}
	return batch, nil
}

// stagingError words the error of a batch that would be too large.
func stagingError(err error) error {
	if errors.Is(err, store.ErrBatchFull) {
		return pgerror.New(pgerror.ProgramLimitExceeded, "the transaction writes more than %d MiB", maximumBatch>>20).
			WithHint("Commit in smaller parts.")
	}
	return storeError(err)
}

// failed decides what a failed commit means for the lake. When the batch may be in the store or not, the lake keeps the
// state that it has published and takes no more commits, so that nobody builds on either. Where opening the store again
// shows which of the two it is, the next transaction does.
func (l *lake) failed(err error) error {
	result := storeError(err)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return droppedSchema(l.schema)
	case errors.Is(err, store.ErrReopen):
		l.endForReopening()
	case !errors.Is(err, store.ErrNotApplied):
		l.end(result)
	}
	return result
}

// fill makes the schemas, and writes what is in the one that the transaction has created.
func (t *Transaction) fill(ctx context.Context, created *part) error {
	var batch *store.Batch
	err := created.Latest(ctx, func(latest store.Reader) (err error) {
		batch, err = created.stage(ctx, latest)
		return err
	})
	if err != nil {
		return storeError(err)
	}
	ctx = context.WithoutCancel(ctx)
	if err := t.applySchemas(ctx); err != nil {
		return err
	}
	return t.createSchema(ctx, created.lake.schema, batch)
}
