package lake

import (
	"context"
	"errors"
	"fmt"

	"moraine/pgerror"
	"moraine/store"
)

// Commit makes the writes durable and ends the transaction. Once the first schema is dropped or the batch is on its way,
// ctx no longer stops it.
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
	if written == nil {
		return t.applySchemas(context.WithoutCancel(ctx))
	}
	written.lake.commit.Lock()
	defer written.lake.commit.Unlock()
	batch, err := written.stage(ctx)
	if err != nil {
		return storeError(err)
	}
	ctx = context.WithoutCancel(ctx)
	if err := t.applySchemas(ctx); err != nil {
		return err
	}
	if written.created {
		return t.fill(ctx, written.lake.schema, batch)
	}
	return written.write(ctx, batch)
}

// stage lets the domains turn their changes into a batch. The lake's commit lock is held.
func (p *part) stage(ctx context.Context) (*store.Batch, error) {
	if err := p.lake.writable(); err != nil {
		return nil, err
	}
	batch := &store.Batch{}
	err := p.Latest(ctx, func(latest store.Reader) error {
		for _, domain := range p.domains {
			if !domain.Dirty() {
				continue
			}
			if err := domain.Stage(ctx, latest, batch); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && batch.Size() > maximumBatch {
		err = pgerror.New(pgerror.ProgramLimitExceeded, "the transaction writes %d MiB, at most %d MiB are possible",
			batch.Size()>>20, maximumBatch>>20).WithHint("Commit in smaller parts.")
	}
	return batch, err
}

// write makes the batch durable, then visible. The lake's commit lock is held.
func (p *part) write(ctx context.Context, batch *store.Batch) error {
	lake := p.lake
	if err := lake.store.Commit(ctx, batch); err != nil {
		return lake.failed(err)
	}
	// Nobody may build on the state before a batch that is durable: not even when a fault ends this function.
	published := false
	defer func() {
		if !published {
			lake.end(pgerror.New(pgerror.InternalError, "a commit to schema %q is durable and could not be shown", lake.schema).
				WithHint("Restart the server."))
		}
	}()
	opened, err := lake.store.Snapshot()
	if err != nil {
		return lake.failed(err)
	}
	lake.mutex.Lock()
	defer lake.mutex.Unlock()
	for _, domain := range p.domains {
		if domain.Dirty() {
			domain.Committed()
		}
	}
	lake.publish(opened, p.changed)
	published = true
	return nil
}

// failed decides what a failed commit means for the lake. When the batch may be in the store or not, the lake keeps the
// state that it has published and takes no more commits, so that nobody builds on either.
func (l *lake) failed(err error) error {
	result := storeError(err)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return droppedSchema(l.schema)
	case !errors.Is(err, store.ErrNotApplied):
		l.end(result)
	}
	return result
}

// fill writes the batch of a schema that the transaction has just created.
func (t *Transaction) fill(ctx context.Context, schema string, batch *store.Batch) error {
	database := t.session.database
	opened, err := database.instance.engine.Open(ctx, database.path(schema))
	if err != nil {
		return storeError(fmt.Errorf("opening schema %q, just created: %w", schema, err))
	}
	defer opened.Close()
	return storeError(opened.Commit(ctx, batch))
}
