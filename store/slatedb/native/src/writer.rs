//! A lake with its one writing task.
//!
//! Each commit puts its batch into a queue. The task takes all that wait, writes them, flushes the log once, pins the state
//! that is now durable, and only then answers. So commits that wait at the same time share one object of the log, an idle
//! lake's commit is flushed at once, and a snapshot never shows what a crash could undo.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use slatedb::bytes::{Buf, Bytes};
use slatedb::config::{CloseOptions, FlushOptions, FlushType};
use slatedb::{Db, DbSnapshot, WriteBatch};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::engine::{shared, Engine};
use crate::fault::{Conditions, Fault, CLOSED, CORRUPT, FENCED, INVALID, NOT_APPLIED, REOPEN, UNAVAILABLE};
use crate::ffi::{borrowed, borrowed_text, decoding, guarded, Buffer};
use crate::reads::{Snapshot, State};
use crate::settings;

/// Bytes of batches that share a flush: a group must fit into what SlateDB holds unflushed.
const GROUP_BYTES: usize = 16 << 20;

/// Bytes a second that a commit may take at least, beyond its timeout.
const COMMIT_RATE: usize = 2 << 20;

/// Flushes of the log after which its keys are written to tables, so that whoever opens the lake next has little to replay.
/// SlateDB does so by itself after 4096.
const TABLES_EVERY: usize = 1024;

/// Flushes of the log that are worth the same when a lake is closed.
const TABLES_AT_CLOSE: usize = 64;

/// A batch that waits for the writing task.
struct Request {
    batch: WriteBatch,
    bytes: usize,
    done: oneshot::Sender<Result<(), Fault>>,
}

/// What readers see: the newest durable state, or why there is none any more.
type Head = Arc<Mutex<Result<Arc<DbSnapshot>, Fault>>>;

fn locked(head: &Head) -> MutexGuard<'_, Result<Arc<DbSnapshot>, Fault>> {
    head.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// An open lake.
pub struct Lake {
    engine: Arc<Engine>,
    db: Db,
    head: Head,
    requests: mpsc::UnboundedSender<Request>,
    /// Flushes of the log since its keys were last written to tables.
    unwritten: Arc<AtomicUsize>,
}

impl Lake {
    async fn open(engine: Arc<Engine>, path: &str) -> Result<Self, Fault> {
        let (cache, number) = engine.cache();
        let db = Db::builder("", engine.lake_store(path)?)
            .with_settings(settings::writer(engine.local))
            .with_segment_extractor(settings::extractor())
            .with_db_cache(cache, number)
            .build()
            .await?;
        let head = Arc::new(Mutex::new(Ok(db.snapshot()?)));
        let (requests, queue) = mpsc::unbounded_channel();
        let unwritten = Arc::new(AtomicUsize::new(0));
        let writer = Writer { db: db.clone(), head: head.clone(), unwritten: unwritten.clone(), limit: engine.commit_timeout };
        tokio::spawn(writer.run(queue));
        Ok(Self { engine, db, head, requests, unwritten })
    }

    fn commit(&self, batch: WriteBatch, bytes: usize) -> Result<(), Fault> {
        let (done, answer) = oneshot::channel();
        // The task answers each request that it takes, unless it panics.
        let ended = || Fault::new(UNAVAILABLE | REOPEN, "the writing task has ended");
        self.requests.send(Request { batch, bytes, done }).map_err(|_| ended().with(NOT_APPLIED))?;
        answer.blocking_recv().unwrap_or_else(|_| Err(ended()))
    }

    /// Ends the lake. What is durable stays; it is written to tables when that is worth it.
    async fn close(&self) {
        let worth = self.unwritten.load(Ordering::Relaxed) >= TABLES_AT_CLOSE && locked(&self.head).is_ok();
        let closing = end(self.db.clone(), worth.then_some(FlushType::MemTable));
        // A store that does not answer holds nobody up for longer; the rest goes on by itself.
        let _ = timeout(self.engine.commit_timeout, tokio::spawn(closing)).await;
    }
}

async fn end(db: Db, flush: Option<FlushType>) {
    if let Err(error) = db.close_with_options(CloseOptions::default().with_flush_type(flush)).await {
        log::debug!("closing a lake: {error}");
    }
}

/// The writing task.
struct Writer {
    db: Db,
    head: Head,
    unwritten: Arc<AtomicUsize>,
    limit: Duration,
}

impl Writer {
    /// Writes group after group, until the lake is freed.
    async fn run(self, mut queue: mpsc::UnboundedReceiver<Request>) {
        while let Some(first) = queue.recv().await {
            let group = gather(first, &mut queue);
            let failed = locked(&self.head).as_ref().err().cloned();
            match failed {
                Some(fault) => refuse(group, &fault),
                None => self.commit(group).await,
            }
        }
    }

    async fn commit(&self, group: Vec<Request>) {
        let bytes: usize = group.iter().map(|request| request.bytes).sum();
        let limit = self.limit + Duration::from_secs((bytes / COMMIT_RATE) as u64);
        let (batches, waiting): (Vec<_>, Vec<_>) =
            group.into_iter().map(|request| (request.batch, request.done)).unzip();
        let result = match timeout(limit, apply(&self.db, batches)).await {
            Ok(result) => result.map_err(uncertain),
            Err(_) => Err(uncertain(Fault::new(
                UNAVAILABLE,
                format!("the object store has not acknowledged a commit within {limit:?}"),
            ))),
        };
        *locked(&self.head) = result.clone().and_then(|()| self.db.snapshot().map_err(Fault::from));
        for done in waiting {
            let _ = done.send(result.clone());
        }
        match result {
            Ok(()) => self.write_tables(),
            Err(_) => drop(tokio::spawn(end(self.db.clone(), None))),
        }
    }

    /// Counts a flush of the log, and every now and then starts writing its keys to tables.
    fn write_tables(&self) {
        if self.unwritten.fetch_add(1, Ordering::Relaxed) + 1 < TABLES_EVERY {
            return;
        }
        self.unwritten.store(0, Ordering::Relaxed);
        let db = self.db.clone();
        tokio::spawn(async move {
            if let Err(error) = db.flush_with_options(FlushOptions { flush_type: FlushType::MemTable }).await {
                log::debug!("writing tables: {error}");
            }
        });
    }
}

/// Takes what waits besides the first request.
fn gather(first: Request, queue: &mut mpsc::UnboundedReceiver<Request>) -> Vec<Request> {
    let mut bytes = first.bytes;
    let mut group = vec![first];
    while bytes < GROUP_BYTES {
        let Ok(next) = queue.try_recv() else { break };
        bytes += next.bytes;
        group.push(next);
    }
    group
}

fn refuse(group: Vec<Request>, fault: &Fault) {
    for request in group {
        let _ = request.done.send(Err(fault.clone().with(NOT_APPLIED)));
    }
}

/// Writes the batches and makes them durable.
async fn apply(db: &Db, batches: Vec<WriteBatch>) -> Result<(), Fault> {
    for batch in batches {
        db.write(batch).await?;
    }
    db.flush_with_options(FlushOptions { flush_type: FlushType::Wal }).await?;
    Ok(())
}

/// A failure after which nobody knows what is durable, unless the lake belongs to another writer now.
fn uncertain(fault: Fault) -> Fault {
    if fault.conditions & FENCED != 0 {
        return fault;
    }
    Fault { conditions: fault.conditions & !(CLOSED | INVALID | CORRUPT), ..fault }.with(UNAVAILABLE | REOPEN)
}

/// Reads a batch: for each operation its kind (0 put, 1 delete), the lengths of key and value (4 bytes each, little endian),
/// and both.
fn decode(bytes: &[u8]) -> Result<WriteBatch, Fault> {
    let short = || Fault::new(INVALID | NOT_APPLIED, "the batch is cut short");
    let mut rest = Bytes::copy_from_slice(bytes);
    let mut batch = WriteBatch::new();
    while rest.has_remaining() {
        if rest.remaining() < 9 {
            return Err(short());
        }
        let (delete, key, value) = (rest.get_u8() == 1, rest.get_u32_le() as usize, rest.get_u32_le() as usize);
        if rest.remaining() < key + value {
            return Err(short());
        }
        if key == 0 || key > u16::MAX as usize {
            return Err(Fault::new(INVALID | NOT_APPLIED, format!("a key of {key} bytes; 1 to 65535 are possible")));
        }
        let (key, value) = (rest.split_to(key), rest.split_to(value));
        match delete {
            true => batch.delete(key),
            false => batch.put_bytes(key, value),
        }
    }
    Ok(batch)
}

/// Opens the lake at a path, as its only writer from now on; a new one when there is none.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_lake_open(
    engine: *const Engine,
    path: *const u8,
    path_length: usize,
    lake: *mut *mut Lake,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let (engine, path) = (shared(engine), borrowed_text(path, path_length)?);
        let opened = decoding(|| engine.handle.clone().block_on(Lake::open(engine, path)))?;
        *lake = Box::into_raw(Box::new(opened));
        Ok(())
    })
}

/// Closes a lake and frees it.
///
/// # Safety
/// `lake` comes from [`moraine_lake_open`], and is not used meanwhile or afterwards.
#[no_mangle]
pub unsafe extern "C" fn moraine_lake_close(lake: *mut Lake, message: *mut Buffer) -> Conditions {
    guarded(message, || {
        let lake = Box::from_raw(lake);
        lake.engine.handle.block_on(lake.close());
        Ok(())
    })
}

/// Applies a batch, durable on return.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_lake_commit(
    lake: *const Lake,
    batch: *const u8,
    batch_length: usize,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || (*lake).commit(decode(borrowed(batch, batch_length))?, batch_length))
}

/// Pins the newest durable state.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_lake_snapshot(
    lake: *const Lake,
    snapshot: *mut *mut Snapshot,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let lake = &*lake;
        let pinned = locked(&lake.head).clone()?;
        *snapshot = Box::into_raw(Box::new(Snapshot::new(lake.engine.handle.clone(), State::Writer(pinned))));
        Ok(())
    })
}
