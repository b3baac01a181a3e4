//! What all lakes of an object store share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use object_store::ObjectStore;
use slatedb::db_cache::foyer::{FoyerCache, FoyerCacheOptions};
use slatedb::db_cache::DbCache;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::fault::{Conditions, Fault, UNAVAILABLE};
use crate::ffi::{borrowed_text, guarded, Buffer};
use crate::location::{self, Location};

/// Threads of the runtime. Writing is one task for each lake, and compactions have the rest.
const THREADS: usize = 4;

/// How long closing waits for requests that are still under way.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// An object store with the runtime and the caches of its lakes.
pub struct Engine {
    pub store: Arc<dyn ObjectStore>,
    pub local: bool,
    pub handle: Handle,
    pub commit_timeout: Duration,
    cache: Arc<dyn DbCache>,
    next_cache: AtomicU64,
    runtime: Mutex<Option<Runtime>>,
}

impl Engine {
    fn open(url: &str, options: &Options) -> Result<Self, Fault> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("slatedb")
            .enable_all()
            .build()
            .map_err(|error| Fault::new(UNAVAILABLE, error.to_string()))?;
        let Location { store, local } = {
            // Clients of the providers look for the runtime that they will run on.
            let _entered = runtime.enter();
            location::open(url, Duration::from_millis(options.request_timeout_ms), options.create)?
        };
        let cache = FoyerCache::new_with_opts(FoyerCacheOptions {
            max_capacity: options.cache_bytes,
            ..FoyerCacheOptions::default()
        });
        Ok(Self {
            store,
            local,
            handle: runtime.handle().clone(),
            commit_timeout: Duration::from_millis(options.commit_timeout_ms),
            cache: Arc::new(cache),
            next_cache: AtomicU64::new(1),
            runtime: Mutex::new(Some(runtime)),
        })
    }

    /// The shared block cache, and a number for one opening of a store, under which nothing is cached yet.
    pub fn cache(&self) -> (Arc<dyn DbCache>, u64) {
        (self.cache.clone(), self.next_cache.fetch_add(1, Ordering::Relaxed))
    }

    /// The objects of one lake. SlateDB is given an empty root, because it would encode the names of a path once more.
    pub fn lake_store(&self, path: &str) -> Result<Arc<dyn ObjectStore>, Fault> {
        location::below(&self.store, path)
    }
}

/// Options of [`moraine_engine_open`].
#[repr(C)]
pub struct Options {
    /// Bytes of the block cache of all lakes.
    pub cache_bytes: u64,
    /// Milliseconds for one request to the object store, with its repetitions by the client.
    pub request_timeout_ms: u64,
    /// Milliseconds after which a commit is given up as uncertain.
    pub commit_timeout_ms: u64,
    /// Whether a local directory is made when it is missing.
    pub create: bool,
}

/// Opens the object store that a URL names.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_engine_open(
    url: *const u8,
    url_length: usize,
    options: *const Options,
    engine: *mut *const Engine,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let opened = Engine::open(borrowed_text(url, url_length)?, &*options)?;
        *engine = Arc::into_raw(Arc::new(opened));
        Ok(())
    })
}

/// Ends the runtime and frees the engine, whose lakes have been closed.
///
/// # Safety
/// `engine` comes from [`moraine_engine_open`] and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn moraine_engine_close(engine: *const Engine, message: *mut Buffer) -> Conditions {
    guarded(message, || {
        let engine = Arc::from_raw(engine);
        let runtime = engine.runtime.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Some(runtime) = runtime {
            runtime.shutdown_timeout(SHUTDOWN);
        }
        Ok(())
    })
}

/// The engine of a handle, kept alive beyond the call.
///
/// # Safety
/// `engine` is an open engine.
pub unsafe fn shared(engine: *const Engine) -> Arc<Engine> {
    Arc::increment_strong_count(engine);
    Arc::from_raw(engine)
}
