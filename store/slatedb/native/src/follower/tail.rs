//! The entries of the log that no base shows yet.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::RwLock;

use bytes::Bytes;

/// What an entry takes beside its key and its value.
const ENTRY_OVERHEAD: usize = 96;

/// A key and the sequence number of a version of it, the newest version first.
type Version = (Bytes, Reverse<u64>);

/// All versions of the keys that the log names, in key order. Grows only: a cut sees the versions up to its
/// sequence number, so that what is added later changes nothing for it.
#[derive(Default)]
pub(crate) struct Tail {
    versions: RwLock<BTreeMap<Version, Option<Bytes>>>,
    bytes: AtomicUsize,
}

impl Tail {
    /// Adds versions; None deletes.
    pub fn insert(&self, entries: impl Iterator<Item = (Bytes, u64, Option<Bytes>)>) {
        let mut versions = self.versions.write().expect("no panic under the lock");
        for (key, sequence, value) in entries {
            let size = key.len() + value.as_ref().map_or(0, Bytes::len) + ENTRY_OVERHEAD;
            if versions.insert((key, Reverse(sequence)), value).is_none() {
                self.bytes.fetch_add(size, Ordering::Relaxed);
            }
        }
    }

    /// The versions that are newer than a sequence number, as a tail of its own.
    pub fn after(&self, sequence: u64) -> Self {
        let result = Self::default();
        let versions = self.versions.read().expect("no panic under the lock");
        result.insert(
            versions
                .iter()
                .filter(|((_, version), _)| version.0 > sequence)
                .map(|((key, version), value)| (key.clone(), version.0, value.clone())),
        );
        drop(versions);
        result
    }

    /// The newest version of a key up to a sequence number: None when there is none, Some(None) when it is a deletion.
    pub fn get(&self, key: &[u8], sequence: u64) -> Option<Option<Bytes>> {
        let versions = self.versions.read().expect("no panic under the lock");
        let from = (Bytes::copy_from_slice(key), Reverse(sequence));
        match versions.range(from..).next() {
            Some(((found, _), value)) if found.as_ref() == key => Some(value.clone()),
            _ => None,
        }
    }

    /// The newest versions of up to `limit` keys of a range up to a sequence number, in key order.
    pub fn range(
        &self,
        lower: Bound<&Bytes>,
        upper: Bound<&Bytes>,
        sequence: u64,
        limit: usize,
    ) -> Vec<(Bytes, Option<Bytes>)> {
        let mut result: Vec<(Bytes, Option<Bytes>)> = Vec::new();
        let versions = self.versions.read().expect("no panic under the lock");
        // All versions of a key come after (key, Reverse(MAX)) and up to (key, Reverse(0)).
        let from = match lower {
            Bound::Included(key) => Bound::Included((key.clone(), Reverse(u64::MAX))),
            Bound::Excluded(key) => Bound::Excluded((key.clone(), Reverse(0))),
            Bound::Unbounded => Bound::Unbounded,
        };
        for ((key, version), value) in versions.range((from, Bound::Unbounded)) {
            let inside = match upper {
                Bound::Excluded(upper) => key < upper,
                Bound::Included(upper) => key <= upper,
                Bound::Unbounded => true,
            };
            if !inside {
                break;
            }
            if version.0 > sequence || result.last().is_some_and(|(last, _)| last == key) {
                continue;
            }
            if result.len() == limit {
                break;
            }
            result.push((key.clone(), value.clone()));
        }
        result
    }

    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub fn entries(&self) -> usize {
        self.versions.read().expect("no panic under the lock").len()
    }
}
