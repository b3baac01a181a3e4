//! SlateDB behind a C interface (`include/moraine_slatedb.h`), for the Go package `store/slatedb`.
//!
//! An *engine* is an object store and what all lakes on it share: the runtime, the block cache, the settings. A *lake* is an
//! open SlateDB store with its one writing task. A *snapshot* is a pinned state of it, and a *scan* walks over one.
//! A *follower* reads a lake beside its writer, and gives snapshots too.
//! All functions block their caller, are safe to be called from any thread, and turn a panic into an error.

mod engine;
mod fault;
mod ffi;
mod follower;
mod location;
mod logging;
mod objects;
mod reads;
mod settings;
mod writer;
