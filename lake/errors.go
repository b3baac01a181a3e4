package lake

import (
	"context"
	"errors"
	"syscall"

	"moraine/pgerror"
	"moraine/store"
)

// storeError turns an error of the store into one for a client. None of the texts makes DuckLake repeat a commit.
func storeError(err error) error {
	var known *pgerror.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, store.ErrFenced):
		return pgerror.Fatal(pgerror.AdminShutdown, "another server has taken over the store: this one can no longer write").WithCause(err)
	case errors.Is(err, store.ErrCorrupt):
		return caused(pgerror.New(pgerror.DataCorrupted, "the store is corrupt"), err)
	case errors.Is(err, store.ErrReopen) && !errors.Is(err, store.ErrNotApplied):
		return caused(pgerror.New(pgerror.TransactionResolutionUnknown, "the store failed while a commit was written: it may be durable or not").
			WithHint("Look whether its changes are there before you repeat it."), err)
	case errors.Is(err, syscall.ENOSPC):
		return caused(pgerror.New(pgerror.DiskFull, "could not write to the store: No space left on device").
			WithHint("Free disk space, then try again."), err)
	case errors.Is(err, store.ErrNotFound):
		return pgerror.New(pgerror.InvalidSchemaName, "the schema was dropped").WithCause(err)
	case errors.Is(err, store.ErrClosed):
		return pgerror.New(pgerror.AdminShutdown, "the store is being closed").WithCause(err)
	case errors.Is(err, store.ErrUnavailable):
		return caused(pgerror.New(pgerror.IOError, "the store failed"), err)
	}
	return err
}

// caused adds a cause with its text, but for one that would make DuckLake repeat the commit: object stores have answers like
// "409 Conflict".
func caused(told *pgerror.Error, cause error) error {
	told = told.WithCause(cause)
	if told.WithDetail("%v", cause).Retried() {
		told.Detail = ""
	}
	return told
}

// toBeReopened is what transactions get that were open on a lake when the outcome of a commit became unknown.
func toBeReopened(schema string) error {
	return pgerror.New(pgerror.SerializationFailure, "schema %q is opened again, because the store failed while a commit was written", schema).
		WithDetail("Nothing of this transaction was written.").WithHint("Roll the transaction back and run it again.")
}

// copied gives a session its own copy of an error that several get: each adds where it happened.
func copied(err error) error {
	known, ok := err.(*pgerror.Error)
	if !ok {
		return err
	}
	own := *known
	return &own
}

// terminated is what a session gets that the server ends.
func terminated() error {
	return pgerror.Fatal(pgerror.AdminShutdown, "terminating connection due to administrator command")
}
