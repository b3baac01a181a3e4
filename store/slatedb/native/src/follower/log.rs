//! Reading the log files that have appeared.

use std::error::Error;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use slatedb::{ValueDeletable, WalFile};

use super::{FollowError, Progress, Source};

/// How many log files are asked for at once when many are there.
const MOST_AT_ONCE: u64 = 32;

type Entry = (Bytes, u64, Option<Bytes>);

/// Reads the log files from `progress.next` on, up to the first that is not there. `width` is how many are asked for at first.
pub(crate) async fn read(source: &Arc<Source>, progress: &mut Progress, mut width: u64) -> Result<(), FollowError> {
    loop {
        let first = progress.next;
        let mut files = futures::stream::iter(first..first + width)
            .map(|id| entries(source.log.get(id)))
            .buffered(width as usize);
        while let Some(result) = files.next().await {
            let Some(entries) = result? else {
                return Ok(());
            };
            progress.unverified = true;
            let shown = progress.base.sequence;
            if let Some(last) = entries.iter().map(|entry| entry.1).max() {
                progress.sequence = progress.sequence.max(last);
            }
            progress.tail.insert(entries.into_iter().filter(|entry| entry.1 > shown));
            progress.next += 1;
            progress.log_files += 1;
        }
        width = (width * 2).min(MOST_AT_ONCE);
    }
}

/// The entries of a log file; none of the empty files by which writers fence each other. None when there is no such file.
async fn entries(file: WalFile) -> Result<Option<Vec<Entry>>, FollowError> {
    let mut iterator = match file.iterator().await {
        Ok(iterator) => iterator,
        Err(error) if not_found(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut result = Vec::new();
    loop {
        let entry = match iterator.next().await {
            Ok(Some(entry)) => entry,
            Ok(None) => return Ok(Some(result)),
            // Collected while it was read.
            Err(error) if not_found(&error) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if entry.expire_ts.is_some() {
            return Err(FollowError::Unsupported("an entry that expires"));
        }
        let value = match entry.value {
            ValueDeletable::Value(value) => Some(value),
            ValueDeletable::Tombstone => None,
            ValueDeletable::Merge(_) => return Err(FollowError::Unsupported("a merge operand")),
        };
        result.push((entry.key, entry.seq, value));
    }
}

/// Tells whether an error means that an object is not there.
pub(crate) fn not_found(error: &slatedb::Error) -> bool {
    caused_by(error, |cause| matches!(cause, object_store::Error::NotFound { .. }))
}

/// Tells whether an error of the object store, or one that led to it, is of a kind.
pub(crate) fn caused_by(error: &(dyn Error + 'static), kind: fn(&object_store::Error) -> bool) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let found = error
            .downcast_ref::<object_store::Error>()
            .or_else(|| error.downcast_ref::<Arc<object_store::Error>>().map(Arc::as_ref));
        if found.is_some_and(kind) {
            return true;
        }
        cause = error.source();
    }
    false
}
