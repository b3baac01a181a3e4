//! A lake with its one writing task.
//!
//! Each commit puts its batch into a queue. The task takes all that wait, writes them, flushes the log once, pins the state
//! that is now durable, and only then answers. So commits that wait at the same time share one object of the log, an idle
//! lake's commit is flushed at once, and a snapshot never shows what a crash could undo.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use slatedb::bytes::{Buf, Bytes};
use slatedb::config::{CloseOptions, FlushOptions, FlushType};
use slatedb::{Db, DbSnapshot, WriteBatch};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::engine::{shared, Engine};
use crate::fault::{Conditions, Fault, CLOSED, CORRUPT, FENCED, INVALID, NOT_APPLIED, REOPEN, UNAVAILABLE};
use crate::ffi::{borrowed, borrowed_text, guarded, Buffer};
use crate::reads::{Snapshot, State};
use crate::settings;

/// Bytes of batches that share a flush: a group must fit into what SlateDB holds unflushed.
const GROUP_BYTES: usize = 16 << 20;

/// Bytes a second that a commit may take at least, beyond its timeout.
const COMMIT_RATE: usize = 2 << 20;

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
        tokio::spawn(write(db.clone(), queue, head.clone(), engine.commit_timeout));
        Ok(Self { engine, db, head, requests })
    }

    fn commit(&self, batch: WriteBatch, bytes: usize) -> Result<(), Fault> {
        let (done, answer) = oneshot::channel();
        let ended = || Fault::new(CLOSED | NOT_APPLIED, "the lake has been closed");
        self.requests.send(Request { batch, bytes, done }).map_err(|_| ended())?;
        // The task answers each request that it takes; one that it never took was dropped with the queue.
        answer.blocking_recv().unwrap_or_else(|_| Err(ended()))
    }

    /// Ends the lake. What is durable stays; nothing is flushed, so that a store which does not answer holds nobody up.
    async fn close(&self) {
        let options = CloseOptions::default().with_flush_type(None);
        let closing = self.db.close_with_options(options);
        if let Ok(Err(error)) = timeout(self.engine.commit_timeout, closing).await {
            log::debug!("closing a lake: {error}");
        }
    }
}

/// The writing task: it ends when the lake is freed.
async fn write(db: Db, mut queue: mpsc::UnboundedReceiver<Request>, head: Head, limit: Duration) {
    while let Some(first) = queue.recv().await {
        let group = gather(first, &mut queue);
        if let Err(fault) = locked(&head).as_ref() {
            refuse(group, fault);
            continue;
        }
        let bytes: usize = group.iter().map(|request| request.bytes).sum();
        let limit = limit + Duration::from_secs((bytes / COMMIT_RATE) as u64);
        let (batches, waiting): (Vec<_>, Vec<_>) =
            group.into_iter().map(|request| (request.batch, request.done)).unzip();
        let result = match timeout(limit, apply(&db, batches)).await {
            Ok(result) => result.map_err(uncertain),
            Err(_) => Err(uncertain(Fault::new(
                UNAVAILABLE,
                format!("the object store has not acknowledged a commit within {limit:?}"),
            ))),
        };
        *locked(&head) = result.clone().and_then(|()| db.snapshot().map_err(Fault::from));
        for done in waiting {
            let _ = done.send(result.clone());
        }
        if result.is_err() {
            let db = db.clone();
            tokio::spawn(async move { db.close_with_options(CloseOptions::default().with_flush_type(None)).await });
        }
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
        let opened = engine.handle.clone().block_on(Lake::open(engine, path))?;
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
