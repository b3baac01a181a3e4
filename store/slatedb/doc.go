// Package slatedb is the storage engine for object stores and shared directories: each lake is a SlateDB store of its own at
// <url>/<database>/<schema>, in the format that other programs on SlateDB read and write.
//
// It is behind the build tag slatedb, because it links a Rust static library: the crate in folder native, which
// `cargo build --release` builds and native/include/moraine_slatedb.h describes.
//
// # Names
//
// Of a name, letters, digits, '-', '_' and every '.' but a leading one stand for themselves, every other byte of its UTF-8
// is %XX. What the medium holds there is what exists: a lake is a folder with a manifest, whoever wrote it. The engine's own
// objects are below .moraine, which is no name of a database:
//
//	.moraine/databases/<database>           a database, which may have no lakes
//	.moraine/dropped/<database>/.database   a database that was dropped, with all its lakes
//	.moraine/dropped/<database>/<schema>    a lake that was dropped
//	.moraine/objects/<name>                 an object of [store.Objects]
//
// # Dropping
//
// A drop is one object that says so. It hides the lake at once; the lake's own objects are removed in the background, when
// its last snapshot has been closed, and the mark last of all. A writer that opens the engine goes on where another one
// stopped. Create removes what is left before it makes the lake anew; while a snapshot of the dropped lake is still open it
// deletes the lake's keys instead, so that the snapshot keeps its files.
//
// # Writing
//
// Opening a lake fences its writer, wherever it runs; that one then answers ErrFenced, and its engine does not open the lake
// again. Commits that wait at the same time share one flush of the log, which is one object. A snapshot shows what is durable
// and nothing else. A commit that fails otherwise, or takes longer than Options.CommitTimeout, is uncertain: the lake then
// answers ErrUnavailable and ErrReopen, to readers too, until it has been closed and opened again.
//
// After 1024 flushes, and when a busy lake is closed, its keys are written to tables; what the log has beyond them is read when
// the lake is opened. Old objects of the log go after 15 minutes. Files of local directories are synced before a commit is
// acknowledged, and commits are refused before the disk is full (ENOSPC, ErrNotApplied).
//
// The package does not log; Options.Log is given SlateDB's warnings. It knows nothing of catalogs or SQL.
package slatedb
