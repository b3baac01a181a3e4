package transfer

import (
	"context"
	"errors"

	"moraine/keyspace"
	"moraine/store"
)

// with opens a lake, and gives its store and a snapshot of it to a function.
func with(ctx context.Context, engine store.Engine, path store.Path, use func(store.Store, store.Snapshot) error) (err error) {
	lake, err := engine.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lake.Close()) }()
	snapshot, err := lake.Snapshot()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	return use(lake, snapshot)
}

// examine looks whether the lake can be copied: the source must be a lake, and the target nothing, empty, the unfinished
// copy of the same store, or the same already.
func (l *lakeCopy) examine(ctx context.Context) error {
	return with(ctx, l.from, l.path, func(_ store.Store, source store.Snapshot) error {
		var unfinished *Unfinished
		if err := CheckComplete(ctx, source); errors.As(err, &unfinished) {
			return refuse("it cannot be copied: %v", unfinished)
		} else if err != nil {
			return err
		}
		if l.absent {
			return nil
		}
		return with(ctx, l.options.Examined, l.path, func(_ store.Store, target store.Snapshot) error {
			return l.examineTarget(ctx, source, target)
		})
	})
}

func (l *lakeCopy) examineTarget(ctx context.Context, source, target store.Snapshot) error {
	err := CheckComplete(ctx, target)
	if errors.As(err, &l.mark) {
		if l.mark.Source != l.options.Source {
			return refuse("the target has an unfinished copy of it from another store, %s: finish that one or drop the lake", l.mark.Source)
		}
		return nil
	}
	if err != nil {
		return err
	}
	free, err := isEmpty(ctx, target)
	if err != nil {
		return err
	}
	if free {
		if nothing, err := isEmpty(ctx, source); err != nil || !nothing {
			return err
		}
	}
	ours, err := l.count(ctx, Comparing, source)
	if err != nil {
		return err
	}
	theirs, err := l.count(ctx, Comparing, target)
	if err != nil {
		return err
	}
	if ours.Checksum != theirs.Checksum {
		return refuse("the target has such a lake already, with %d records that are not those of the source (%d): nothing is overwritten; "+
			"drop that lake, or copy to another store", theirs.Keys, ours.Keys)
	}
	l.result.Present, l.result.Census, l.result.Head = true, theirs, headOf(ctx, target)
	return nil
}

func isEmpty(ctx context.Context, reader store.Reader) (bool, error) {
	pairs, err := reader.Scan(ctx, nil, nil)
	if err != nil {
		return false, err
	}
	defer pairs.Close()
	return !pairs.Next(), pairs.Err()
}

// headOf gives the head of a lake, absent when it cannot be read: a damaged lake can be copied, too.
func headOf(ctx context.Context, reader store.Reader) (head keyspace.Optional[keyspace.HeadValue]) {
	value, found, err := reader.Get(ctx, keyspace.HeadKey().Bytes())
	head.Set = err == nil && found && keyspace.DecodeMessage(value, &head.Value) == nil
	return head
}

// begin makes the lake of the target an unfinished copy.
func (l *lakeCopy) begin(ctx context.Context) error {
	if err := l.to.Create(ctx, l.path); err != nil && !errors.Is(err, store.ErrExists) {
		return err
	}
	return with(ctx, l.to, l.path, func(lake store.Store, target store.Snapshot) error {
		if err := l.checkStillFree(ctx, target); err != nil {
			return err
		}
		if l.mark == nil {
			l.mark = &Unfinished{Source: l.options.Source, Begun: l.begun}
		}
		return l.mark.mark(ctx, lake)
	})
}

// checkStillFree makes sure that nobody has written the lake of the target since it was examined. Now it is ours.
func (l *lakeCopy) checkStillFree(ctx context.Context, target store.Reader) error {
	var mark *Unfinished
	if err := CheckComplete(ctx, target); errors.As(err, &mark) && mark.Source == l.options.Source {
		return nil
	} else if err != nil && mark == nil {
		return err
	}
	if empty, err := isEmpty(ctx, target); empty || err != nil {
		return err
	}
	return errors.New("another process has written the lake of the target meanwhile: it is left as it is")
}

// fill copies one snapshot of the source, and verifies the copy.
func (l *lakeCopy) fill(ctx context.Context) error {
	err := with(ctx, l.from, l.path, func(_ store.Store, source store.Snapshot) error {
		l.result.Head = headOf(ctx, source)
		return with(ctx, l.to, l.path, func(lake store.Store, target store.Snapshot) error {
			return l.merge(ctx, source, target, lake)
		})
	})
	if err != nil {
		return err
	}
	return with(ctx, l.to, l.path, func(_ store.Store, target store.Snapshot) error { return l.verify(ctx, target) })
}

// verify holds what the target has to what was read from the source.
func (l *lakeCopy) verify(ctx context.Context, target store.Snapshot) error {
	found, err := l.count(ctx, Verifying, target)
	if err != nil {
		return err
	}
	l.result.Census = l.counter.Census()
	if found.Keys != l.result.Census.Keys || found.Checksum != l.result.Census.Checksum {
		return &Mismatch{Source: l.result.Census, Target: found}
	}
	return nil
}

// finish makes the copy a lake.
func (l *lakeCopy) finish(ctx context.Context) error {
	lake, err := l.to.Open(ctx, l.path)
	if err != nil {
		return err
	}
	return errors.Join(unmark(ctx, lake, l.format), lake.Close())
}
