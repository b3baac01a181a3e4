package pebble

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	pebbledb "github.com/cockroachdb/pebble/v2"

	"moraine/store"
)

// retryPause is the time between two attempts at a flush or compaction that fails; Pebble itself makes none.
const retryPause = time.Second

// failures is where Pebble's troubles end: it is Pebble's Logger and event listener, and remembers the first failure after
// which nothing may be written any more.
type failures struct {
	log    func(format string, arguments ...any)
	failed chan struct{} // closed by the first failure

	mutex sync.Mutex
	first error

	// lastBackground is the Unix time in nanoseconds of the last background error.
	lastBackground atomic.Int64
}

func newFailures(log func(string, ...any)) *failures {
	if log == nil {
		log = func(string, ...any) {}
	}
	return &failures{log: log, failed: make(chan struct{})}
}

// fail records the failure of a write and gives the error for its caller.
func (f *failures) fail(cause error) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.first == nil {
		f.first = fmt.Errorf("%w: writing failed, and only a restart of the server can tell what is on disk: %w",
			store.ErrUnavailable, cause)
		close(f.failed)
		f.log("store: no more writes until a restart: %v", cause)
	}
	return f.first
}

// err gives the failure, nil when there was none.
func (f *failures) err() error {
	select {
	case <-f.failed:
		f.mutex.Lock()
		defer f.mutex.Unlock()
		return f.first
	default:
		return nil
	}
}

// Infof drops Pebble's progress reports.
func (f *failures) Infof(string, ...any) {}

// Errorf passes an error on.
func (f *failures) Errorf(format string, arguments ...any) { f.log("pebble: "+format, arguments...) }

// Fatalf is called by Pebble where it expects the process to end. It returns, so that reads go on; each caller in Pebble
// then returns an error of its own or none, and the writers look here.
func (f *failures) Fatalf(format string, arguments ...any) {
	cause := fmt.Errorf("pebble: "+format, arguments...)
	for _, argument := range arguments {
		if err, ok := argument.(error); ok {
			cause = fmt.Errorf("pebble: %w", err)
			break
		}
	}
	_ = f.fail(cause)
}

func (f *failures) listener() *pebbledb.EventListener {
	return &pebbledb.EventListener{
		BackgroundError: func(err error) {
			now := time.Now().UnixNano()
			if last := f.lastBackground.Swap(now); now-last >= int64(retryPause) {
				f.log("pebble: background error: %v", err)
			}
		},
		// The read that found it gets the error; a listener must be there, because the default one calls Fatalf.
		DataCorruption: func(info pebbledb.DataCorruptionInfo) { f.log("pebble: %s", info) },
	}
}

// translate gives an error of Pebble as one of package store, with the cause kept.
func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case pebbledb.IsCorruptionError(err):
		return fmt.Errorf("%w: %w", store.ErrCorrupt, err)
	case errors.Is(err, pebbledb.ErrClosed):
		return fmt.Errorf("%w: %w", store.ErrClosed, err)
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

// lockError tells a directory that is in use from one that cannot be written.
func lockError(directory string, err error) error {
	kind := store.ErrLocked
	for _, other := range []error{syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EROFS, syscall.EPERM} {
		if errors.Is(err, other) {
			kind = store.ErrUnavailable
		}
	}
	return fmt.Errorf("%w: %s: %w", kind, directory, err)
}
