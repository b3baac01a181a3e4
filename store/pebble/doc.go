// Package pebble is the storage engine for the local disk: one Pebble instance holds all lakes.
//
// # Keys
//
// A lake has a number of 8 bytes, big endian, never used twice; its keys are stored behind that number. Number 0 is the
// engine's own:
//
//	0 | 0x00                      version of this layout, one byte
//	0 | 0x01                      the next free number, 8 bytes
//	0 | 0x02 | database | schema  a lake: its number, 8 bytes; with an empty schema a database: number 0
//
// where both names are escaped (0x00 as 0x00 0xff) and the first ends with 0x00 0x01, so that the keys are in the order of
// List. Dropping a lake deletes its entry and, by one range tombstone, its keys.
//
// # Durability and failing disks
//
// Commit returns after the fsync of Pebble's write-ahead log; commits that wait at the same time share one. Pebble treats a
// log that cannot be written as the end of the process (Logger.Fatalf, or a panic with its locks held). This package
// turns that into an error for the writer:
//
//   - Before a commit the free space of the disk is read. When it is not enough for the batch, for writing once more what
//     is in the log only, and for a compaction, the commit is refused with ErrUnavailable, ErrNotApplied and ENOSPC, and
//     a flush is started, which lets the log go. Commits succeed again once there is space.
//   - When an operation on the log fails all the same, it never returns to Pebble (filesystem.go). Batches are applied
//     in goroutines of their own, and without Pebble's own wait for the flush, so that no caller hangs with it: the
//     engine stays readable, and refuses this write and each later one with ErrUnavailable and the cause. Only recovery
//     can tell what the disk holds, so the server must be started again. Close leaves such an instance as it is, and
//     the directory stays locked until the process ends.
//   - The same holds after a failure of the manifest, which Pebble reports by Fatalf; here Fatalf returns.
//   - Failing flushes and compactions are tried again by Pebble, here at most once a second.
//
// A snapshot that is opened after a failed commit may show its batch; a lake keeps the snapshot it had.
//
// The package does not log; Options.Log is given what Pebble has to say. It knows nothing of catalogs or SQL.
package pebble
