//! The follower behind the C interface.

use std::sync::Arc;
use std::time::Duration;

use object_store::path::Path;

use super::{FollowError, Follower, Settings};
use crate::engine::{shared, Engine};
use crate::fault::{Conditions, Fault, CORRUPT, NOT_FOUND, UNAVAILABLE};
use crate::ffi::{borrowed_text, guarded, Buffer};
use crate::reads::{followed, Snapshot, State};
use crate::settings;

/// A lake that is read beside its writer.
pub struct Reader {
    engine: Arc<Engine>,
    follower: Follower,
}

/// Options of [`moraine_follower_open`].
#[repr(C)]
pub struct FollowerOptions {
    /// Milliseconds that the writer keeps the files of a state without hearing from its reader.
    pub lifetime_ms: u64,
    /// Bytes of the log in memory from which on they are dropped once the writer's tables have them.
    pub tail_bytes: u64,
    /// Milliseconds for one refresh.
    pub timeout_ms: u64,
}

/// What following has taken; see `Cost`.
#[repr(C)]
pub struct FollowerCost {
    pub tail_bytes: u64,
    pub tail_entries: u64,
    pub log_files: u64,
    pub bases: u64,
}

impl From<FollowError> for Fault {
    fn from(error: FollowError) -> Self {
        match error {
            FollowError::Engine(error) => followed(error),
            FollowError::Gone => Self::new(NOT_FOUND, "the lake is gone, or another one is in its place"),
            FollowError::Unsupported(what) => Self::new(CORRUPT, format!("the log has {what}, which no lake has")),
            FollowError::Timeout => Self::new(UNAVAILABLE, "the object store did not answer in time"),
        }
    }
}

/// Opens the lake at a path beside its writer.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_follower_open(
    engine: *const Engine,
    path: *const u8,
    path_length: usize,
    options: *const FollowerOptions,
    follower: *mut *mut Reader,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let (engine, options) = (shared(engine), &*options);
        let settings = Settings {
            lifetime: Duration::from_millis(options.lifetime_ms),
            tail_bytes: options.tail_bytes as usize,
            timeout: Duration::from_millis(options.timeout_ms),
            ..Settings::default()
        };
        let objects = engine.lake_store(borrowed_text(path, path_length)?)?;
        let opening = Follower::open(Path::default(), objects, Some(engine.cache()), settings::extractor(), settings);
        let opened = engine.handle.clone().block_on(opening)?;
        *follower = Box::into_raw(Box::new(Reader { engine, follower: opened }));
        Ok(())
    })
}

/// Looks for what has become durable since; `moved` tells whether there was anything.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_follower_refresh(
    follower: *const Reader,
    moved: *mut bool,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let reader = &*follower;
        *moved = reader.engine.handle.block_on(reader.follower.refresh())?;
        Ok(())
    })
}

/// Pins the state that the last refresh has found.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_follower_snapshot(
    follower: *const Reader,
    snapshot: *mut *mut Snapshot,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let reader = &*follower;
        let state = State::Follower(reader.follower.cut());
        *snapshot = Box::into_raw(Box::new(Snapshot::new(reader.engine.handle.clone(), state)));
        Ok(())
    })
}

/// Tells what following has taken, as of the last refresh.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_follower_cost(follower: *const Reader, cost: *mut FollowerCost) {
    let told = (*follower).follower.cost();
    *cost = FollowerCost {
        tail_bytes: told.tail_bytes,
        tail_entries: told.tail_entries,
        log_files: told.log_files,
        bases: told.bases,
    };
}

/// Ends a follower and frees it; its snapshots stay usable.
///
/// # Safety
/// `follower` comes from [`moraine_follower_open`], and is not used meanwhile or afterwards.
#[no_mangle]
pub unsafe extern "C" fn moraine_follower_close(follower: *mut Reader, message: *mut Buffer) -> Conditions {
    guarded(message, || {
        let reader = Box::from_raw(follower);
        reader.engine.handle.block_on(reader.follower.close());
        Ok(())
    })
}
