//! A pinned state of a store.

use std::collections::VecDeque;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use slatedb::{DbIterator, KeyValue};

use super::base::Base;
use super::tail::Tail;
use crate::settings;

/// How many keys of the tail are taken at once.
const TAIL_PAGE: usize = 256;

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
            None => self.base.reader().get(key).await,
        }
    }

    /// The pairs of a range that is not empty, ascending.
    pub async fn scan(&self, lower: Bound<Bytes>, upper: Bound<Bytes>) -> Result<CutIterator, slatedb::Error> {
        let range = (lower.clone(), upper.clone());
        let base = self.base.reader().scan_with_options(range, &settings::scan()).await?;
        Ok(CutIterator {
            cut: self.clone(),
            upper,
            base: Some(base),
            base_next: None,
            tail: VecDeque::new(),
            tail_from: Some(lower),
        })
    }
}

/// Walks over a range of a cut.
pub struct CutIterator {
    cut: Cut,
    upper: Bound<Bytes>,
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
        if matches!(&self.upper, Bound::Excluded(upper) if key >= upper.as_ref()) {
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
