//! Reading a pinned state: single keys, and ranges by pages of many pairs.

use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

use slatedb::bytes::Bytes;
use slatedb::{DbIterator, DbSnapshot};
use tokio::runtime::Handle;

use crate::fault::{Conditions, Fault, UNAVAILABLE};
use crate::ffi::{borrowed, guarded, Buffer};
use crate::follower::{self, Cut, CutIterator};
use crate::settings;

/// The age at which a scan starts again behind its last key. SlateDB keeps the files of a scan that has begun for 15 minutes
/// after a compaction has replaced them.
const SCAN_AGE: Duration = Duration::from_secs(5 * 60);

/// A pinned state: of a writer, or of a reader beside one.
#[derive(Clone)]
pub enum State {
    Writer(Arc<DbSnapshot>),
    Follower(Cut),
}

impl State {
    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Fault> {
        match self {
            Self::Writer(state) => Ok(state.get(key).await?),
            Self::Follower(cut) => cut.get(key).await.map_err(followed),
        }
    }

    async fn scan(&self, lower: Bound<Bytes>, upper: Bound<Bytes>) -> Result<Pairs, Fault> {
        match self {
            Self::Writer(state) => Ok(Pairs::Writer(state.scan_with_options((lower, upper), &settings::scan()).await?)),
            Self::Follower(cut) => cut.scan(lower, upper).await.map(Pairs::Follower).map_err(followed),
        }
    }
}

/// The pairs of a range of a state.
enum Pairs {
    Writer(DbIterator),
    Follower(CutIterator),
}

impl Pairs {
    async fn next(&mut self) -> Result<Option<(Bytes, Bytes)>, Fault> {
        match self {
            Self::Writer(pairs) => Ok(pairs.next().await?.map(|pair| (pair.key, pair.value))),
            Self::Follower(pairs) => pairs.next().await.map_err(followed),
        }
    }

    async fn seek(&mut self, key: &[u8]) -> Result<(), Fault> {
        match self {
            Self::Writer(pairs) => Ok(pairs.seek(key).await?),
            Self::Follower(pairs) => pairs.seek(key).await.map_err(followed),
        }
    }
}

/// A file that is not there was collected under a reader without a checkpoint: that is no damage.
pub fn followed(error: slatedb::Error) -> Fault {
    let collected = follower::not_found(&error);
    let fault = Fault::from(error);
    match collected {
        true => Fault { conditions: UNAVAILABLE, ..fault },
        false => fault,
    }
}

/// A pinned state of a lake.
pub struct Snapshot {
    handle: Handle,
    state: State,
}

impl Snapshot {
    pub fn new(handle: Handle, state: State) -> Self {
        Self { handle, state }
    }
}

/// A walk over a range of a state.
pub struct Scan {
    handle: Handle,
    state: State,
    lower: Bound<Bytes>,
    upper: Bound<Bytes>,
    pairs: Option<(Pairs, Instant)>,
    page: Vec<u8>,
}

impl Scan {
    /// Opens the iterator, or opens it again once it is old.
    async fn pairs(&mut self) -> Result<&mut Pairs, Fault> {
        if self.pairs.as_ref().is_some_and(|(_, since)| since.elapsed() > SCAN_AGE) {
            self.pairs = None;
        }
        if self.pairs.is_none() {
            let pairs = self.state.scan(self.lower.clone(), self.upper.clone()).await?;
            self.pairs = Some((pairs, Instant::now()));
        }
        Ok(&mut self.pairs.as_mut().expect("opened above").0)
    }

    /// Fills the page with the next pairs, until it has `limit` bytes: for each the lengths of key and value (4 bytes each,
    /// little endian), and both. True at the end of the range.
    async fn fill(&mut self, limit: usize) -> Result<bool, Fault> {
        let mut page = std::mem::take(&mut self.page);
        page.clear();
        let mut last = None;
        let mut ended = false;
        let pairs = self.pairs().await?;
        while page.len() < limit {
            let Some((key, value)) = pairs.next().await? else {
                ended = true;
                break;
            };
            page.extend_from_slice(&(key.len() as u32).to_le_bytes());
            page.extend_from_slice(&(value.len() as u32).to_le_bytes());
            page.extend_from_slice(&key);
            page.extend_from_slice(&value);
            last = Some(key);
        }
        if let Some(key) = last {
            self.lower = Bound::Excluded(Bytes::copy_from_slice(&key));
        }
        self.page = page;
        Ok(ended)
    }

    /// Moves to a key, which is inside of the range and behind the last one of the page before.
    async fn seek(&mut self, key: &[u8]) -> Result<(), Fault> {
        self.lower = Bound::Included(Bytes::copy_from_slice(key));
        self.pairs().await?.seek(key).await?;
        Ok(())
    }
}

/// Reads a key; `found` is false when it is not there.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_snapshot_get(
    snapshot: *const Snapshot,
    key: *const u8,
    key_length: usize,
    value: *mut Buffer,
    found: *mut bool,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let (snapshot, key) = (&*snapshot, borrowed(key, key_length));
        let read = snapshot.handle.block_on(snapshot.state.get(key))?;
        *found = read.is_some();
        if let Some(read) = read {
            *value = Buffer::from(read.to_vec());
        }
        Ok(())
    })
}

/// Frees a snapshot; its scans stay usable.
///
/// # Safety
/// `snapshot` is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn moraine_snapshot_close(snapshot: *mut Snapshot, message: *mut Buffer) -> Conditions {
    guarded(message, || {
        drop(Box::from_raw(snapshot));
        Ok(())
    })
}

/// Begins a scan from `lower` (inclusive) to `upper` (exclusive), or to the end when `upper` is null. The range is not empty.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_scan_open(
    snapshot: *const Snapshot,
    lower: *const u8,
    lower_length: usize,
    upper: *const u8,
    upper_length: usize,
    scan: *mut *mut Scan,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let snapshot = &*snapshot;
        let lower = match borrowed(lower, lower_length) {
            [] => Bound::Unbounded,
            bytes => Bound::Included(Bytes::copy_from_slice(bytes)),
        };
        let upper = match upper.is_null() {
            true => Bound::Unbounded,
            false => Bound::Excluded(Bytes::copy_from_slice(borrowed(upper, upper_length))),
        };
        let (handle, state) = (snapshot.handle.clone(), snapshot.state.clone());
        *scan = Box::into_raw(Box::new(Scan { handle, state, lower, upper, pairs: None, page: Vec::new() }));
        Ok(())
    })
}

/// Moves to the next page, of about `limit` bytes, which is valid until the next call. `ended` tells that nothing follows it.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_scan_next(
    scan: *mut Scan,
    limit: usize,
    page: *mut *const u8,
    page_length: *mut usize,
    ended: *mut bool,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let scan = &mut *scan;
        *ended = scan.handle.clone().block_on(scan.fill(limit))?;
        *page = scan.page.as_ptr();
        *page_length = scan.page.len();
        Ok(())
    })
}

/// Moves to a key inside of the range and behind the last one of the page.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_scan_seek(
    scan: *mut Scan,
    key: *const u8,
    key_length: usize,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let (scan, key) = (&mut *scan, borrowed(key, key_length));
        scan.handle.clone().block_on(scan.seek(key))
    })
}

/// Frees a scan.
///
/// # Safety
/// `scan` is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn moraine_scan_close(scan: *mut Scan, message: *mut Buffer) -> Conditions {
    guarded(message, || {
        drop(Box::from_raw(scan));
        Ok(())
    })
}
