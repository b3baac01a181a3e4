//! The settings of SlateDB, and why they differ from its own.

use std::sync::Arc;
use std::time::Duration;

use slatedb::bytes::Bytes;
use slatedb::config::{
    CompactorOptions, GarbageCollectorDirectoryOptions, GarbageCollectorOptions, ScanOptions, Settings,
};
use slatedb::{PrefixExtractor, PrefixTarget};

/// Attempts that SlateDB makes after the object store's client has given up.
const STORE_RETRIES: u32 = 2;

/// The youngest file that the garbage collector takes: what a reader beside the writer may still be reading.
const COLLECT_AFTER: Duration = Duration::from_secs(15 * 60);

/// How often the garbage collector looks.
const COLLECT_EVERY: Duration = Duration::from_secs(60);

/// Bytes that a memtable has when it is written to the object store. Each open lake holds one or two.
const MEMTABLE_BYTES: usize = 32 << 20;

/// Bytes in memory, of one lake, from which on writers wait for the object store.
const UNFLUSHED_BYTES: usize = 128 << 20;

/// Bytes that a scan fetches at once: one at a time is three times as slow.
const READ_AHEAD_BYTES: usize = 256 << 10;

/// Settings of a writer. Local directories have no conditional overwrite, which the collector's boundary files need.
pub fn writer(local: bool) -> Settings {
    let directory = GarbageCollectorDirectoryOptions {
        interval: Some(COLLECT_EVERY),
        min_age: COLLECT_AFTER,
        dry_run: false,
    };
    Settings {
        // The writing task flushes, as soon as there is something to write.
        flush_interval: None,
        l0_sst_size_bytes: MEMTABLE_BYTES,
        max_unflushed_bytes: UNFLUSHED_BYTES,
        object_store_max_retries: Some(STORE_RETRIES),
        compactor_options: Some(CompactorOptions::default()),
        garbage_collector_options: Some(GarbageCollectorOptions {
            manifest_options: Some(directory),
            wal_options: Some(directory),
            // A fence that is gone lets a writer that slept through it write once more.
            wal_fence_options: None,
            compacted_options: Some(directory),
            compactions_options: Some(directory),
            boundary_files_enabled: !local,
            ..GarbageCollectorOptions::default()
        }),
        ..Settings::default()
    }
}

/// Options of every scan.
pub fn scan() -> ScanOptions {
    ScanOptions { read_ahead_bytes: READ_AHEAD_BYTES, cache_blocks: true, ..ScanOptions::default() }
}

/// The segment of a key is its first byte. The name is stored in the manifest, and a store of another is refused.
struct FirstByte;

impl PrefixExtractor for FirstByte {
    fn name(&self) -> &str {
        "moraine-tag-v1"
    }

    fn prefix_len(&self, target: &PrefixTarget) -> Option<usize> {
        let bytes: &Bytes = match target {
            PrefixTarget::Point(bytes) | PrefixTarget::Prefix(bytes) => bytes,
        };
        (!bytes.is_empty()).then_some(1)
    }
}

/// The segment extractor of every lake.
pub fn extractor() -> Arc<dyn PrefixExtractor> {
    Arc::new(FirstByte)
}
