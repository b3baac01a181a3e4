//go:build slatedb

package slatedb

import (
	"fmt"
	"net/url"
	"syscall"

	"moraine/store"
)

// Free space of the disk under a local directory.
const (
	// reservedSpace is left, in bytes, to tables and compactions that are under way.
	reservedSpace = 128 << 20
	// reservedShare bounds the reserve on a small disk, as a divisor of its size.
	reservedShare = 10
	// writings is how often a batch comes to the disk before the log lets it go: in the log, in a table, in a compaction.
	writings = 3
)

// localDirectory gives the directory that a URL names, or nothing.
func localDirectory(location string) string {
	if parsed, err := url.Parse(location); err == nil && parsed.Scheme == "file" {
		return parsed.Path
	}
	return ""
}

// checkSpace refuses a batch when the disk is nearly full: SlateDB gives a lake up whose log it cannot write. A file system
// that cannot tell is trusted.
func (e *Engine) checkSpace(size int) error {
	var disk syscall.Statfs_t
	if e.directory == "" || syscall.Statfs(e.directory, &disk) != nil || disk.Blocks == 0 {
		return nil
	}
	block := uint64(disk.Bsize)
	free, total := disk.Bavail*block, disk.Blocks*block
	needed := min(uint64(reservedSpace), total/reservedShare) + writings*uint64(size)
	if free >= needed {
		return nil
	}
	return fmt.Errorf("%w: %w: %d MiB free, %d MiB needed: %w", store.ErrUnavailable, store.ErrNotApplied,
		free>>20, needed>>20, syscall.ENOSPC)
}
