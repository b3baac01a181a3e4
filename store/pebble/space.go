package pebble

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	pebbledb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"moraine/store"
)

// Free space, in bytes.
const (
	// reservedSpace is left to flushes and compactions that are under way, beside what is still to be flushed.
	reservedSpace = 2 * memtableSize
	// reservedShare bounds the reserve on a small disk, as a divisor of its size.
	reservedShare = 10
	// plentySpace is above every reserve: with it the reserve need not be known.
	plentySpace = reservedSpace + (memtableLimit+1)*memtableSize + 2*maxBatchSize
)

// disk is the disk under an engine.
type disk struct {
	fileSystem vfs.FS
	directory  string
	lastFlush  atomic.Int64   // Unix time in nanoseconds of the last flush asked for
	flushes    sync.WaitGroup // the asking, which must be over before Pebble is closed
}

// checkSpace refuses a batch of that many bytes when the disk is nearly full. A file system that cannot tell is trusted.
func (d *disk) checkSpace(db *pebbledb.DB, size int) error {
	usage, err := d.fileSystem.GetDiskUsage(d.directory)
	if err != nil || usage.TotalBytes == 0 || usage.TotalBytes == math.MaxUint64 || usage.AvailBytes >= plentySpace {
		return nil
	}
	// What is in the log only, and the batch, will be written once more, into a table, before the log can go.
	unflushed := db.Metrics().WAL.Size
	reserve := min(uint64(reservedSpace), usage.TotalBytes/reservedShare) + unflushed + 2*uint64(size)
	if usage.AvailBytes >= reserve {
		return nil
	}
	d.flush(db, unflushed)
	return fmt.Errorf("%w: %w: %d MiB free, %d MiB needed: %w", store.ErrUnavailable, store.ErrNotApplied,
		usage.AvailBytes>>20, reserve>>20, syscall.ENOSPC)
}

// flush starts a flush, after which the log gives its space back, at most once in a while.
func (d *disk) flush(db *pebbledb.DB, unflushed uint64) {
	now := time.Now().UnixNano()
	last := d.lastFlush.Load()
	if unflushed == 0 || now-last < int64(retryPause) || !d.lastFlush.CompareAndSwap(last, now) {
		return
	}
	d.flushes.Go(func() { _, _ = db.AsyncFlush() }) // its failure is a background error
}
