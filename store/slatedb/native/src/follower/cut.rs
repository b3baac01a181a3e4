//! A pinned state of a store.

use std::collections::VecDeque;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use slatedb::config::{ReadOptions, ScanOptions};
use slatedb::{DbIterator, KeyValue};

use super::base::Base;
use super::tail::Tail;

/// How many keys of the tail are taken at once.
const TAIL_PAGE: usize = 256;

/// The bytes that a scan fetches at once.
const READ_AHEAD: usize = 256 << 10;

/// A pinned state: a base with the tail up to a sequence number over it. Cheap to clone.
#[derive(Clone)]
pub struct Cut {
    base: Arc<Base>,
    tail: Arc<Tail>,
    sequence: u64,
}

impl Cut {
    pub(crate) fn new(base: Arc<Base>, tail: Arc<Tail>, sequence: u64) -> Self {
        Self { base, tail, sequence }
    }

    /// The newest sequence number that the state shows.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The value of a key.
    pub async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, slatedb::Error> {
        match self.tail.get(key, self.sequence) {
            Some(value) => Ok(value),
            None => self.base.reader().get_with_options(key, &ReadOptions::default()).await,
        }
    }

    /// The pairs from lower (inclusive) to upper (exclusive; None means to the end), ascending.
    pub async fn scan(&self, lower: &[u8], upper: Option<&[u8]>) -> Result<CutIterator, slatedb::Error> {
        let lower = Bytes::copy_from_slice(lower);
        let upper = upper.map(Bytes::copy_from_slice);
        let empty = upper.as_ref().is_some_and(|upper| *upper <= lower);
        let base = if empty {
            None
        } else {
            let end = upper.clone().map_or(Bound::Unbounded, Bound::Excluded);
            let options = ScanOptions {
                read_ahead_bytes: READ_AHEAD,
                cache_blocks: true,
                ..ScanOptions::default()
            };
            let range = (Bound::Included(lower.clone()), end);
            Some(self.base.reader().scan_with_options(range, &options).await?)
        };
        Ok(CutIterator {
            cut: self.clone(),
            upper,
            base,
            base_next: None,
            tail: VecDeque::new(),
            tail_from: if empty { None } else { Some(Bound::Included(lower)) },
        })
    }
}

/// Walks over a range of a cut.
pub struct CutIterator {
    cut: Cut,
    upper: Option<Bytes>,
    /// None once it has ended.
    base: Option<DbIterator>,
    base_next: Option<KeyValue>,
    /// The next keys of the tail; None as value is a deletion.
    tail: VecDeque<(Bytes, Option<Bytes>)>,
    /// Where the tail goes on after them; None once it has ended.
    tail_from: Option<Bound<Bytes>>,
}

impl CutIterator {
    /// The next pair.
    pub async fn next(&mut self) -> Result<Option<(Bytes, Bytes)>, slatedb::Error> {
        loop {
            self.fill().await?;
            let from_tail = match (&self.base_next, self.tail.front()) {
                (None, None) => return Ok(None),
                (Some(base), Some((key, _))) => *key <= base.key,
                (base, _) => base.is_none(),
            };
            if !from_tail {
                let pair = self.base_next.take().expect("the base has a pair");
                return Ok(Some((pair.key, pair.value)));
            }
            let (key, value) = self.tail.pop_front().expect("the tail has a pair");
            if self.base_next.as_ref().is_some_and(|pair| pair.key == key) {
                self.base_next = None;
            }
            if let Some(value) = value {
                return Ok(Some((key, value)));
            }
        }
    }

    /// Moves on so that the next pair is the first at or after a key, which is not before the current one.
    pub async fn seek(&mut self, key: &[u8]) -> Result<(), slatedb::Error> {
        if self.upper.as_ref().is_some_and(|upper| key >= upper.as_ref()) {
            self.base = None;
            self.base_next = None;
            self.tail.clear();
            self.tail_from = None;
            return Ok(());
        }
        while self.tail.front().is_some_and(|(first, _)| first.as_ref() < key) {
            self.tail.pop_front();
        }
        if self.tail.is_empty() && self.tail_from.is_some() {
            let passed = matches!(&self.tail_from, Some(Bound::Excluded(last)) if last.as_ref() >= key);
            if !passed {
                self.tail_from = Some(Bound::Included(Bytes::copy_from_slice(key)));
            }
        }
        if self.base_next.as_ref().is_some_and(|pair| pair.key.as_ref() < key) {
            self.base_next = None;
        }
        if self.base_next.is_none() {
            if let Some(base) = &mut self.base {
                base.seek(key).await?;
            }
        }
        Ok(())
    }

    async fn fill(&mut self) -> Result<(), slatedb::Error> {
        if self.base_next.is_none() {
            if let Some(base) = &mut self.base {
                self.base_next = base.next().await?;
                if self.base_next.is_none() {
                    self.base = None;
                }
            }
        }
        if !self.tail.is_empty() {
            return Ok(());
        }
        let Some(from) = self.tail_from.take() else {
            return Ok(());
        };
        let page = self.cut.tail.range(from.as_ref(), self.upper.as_ref(), self.cut.sequence, TAIL_PAGE);
        if page.len() == TAIL_PAGE {
            self.tail_from = page.last().map(|(key, _)| Bound::Excluded(key.clone()));
        }
        self.tail = page.into();
        Ok(())
    }
}
