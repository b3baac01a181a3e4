//! A reader beside the writer: pinned, consistent states that follow what the writer makes durable.
//!
//! `slatedb::DbReader` alone pins nothing: every read sees what its last poll has found. So a state here is a [`Cut`]: a
//! *base*, which shows the sorted tables of one manifest and stays as it is, and a *tail*, the entries of the log
//! after that manifest, up to one sequence number. The base is protected from the writer's garbage collection by a
//! checkpoint, as long as this reader may write one. A log file is a boundary of whole batches, so a cut never shows half of one.

mod base;
mod cut;
mod ffi;
mod log;
mod tail;
#[cfg(test)]
mod tests;
mod view;

use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use object_store::path::Path;
use object_store::ObjectStore;
use slatedb::admin::Admin;
use slatedb::db_cache::DbCache;
use slatedb::prefix_extractor::PrefixExtractor;
use slatedb::{VersionedManifest, WalReader};

use base::Base;
pub use cut::{Cut, CutIterator};
pub(crate) use log::not_found;
use tail::Tail;
use view::View;

/// How a follower works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a checkpoint protects a base unless it is renewed, which happens after half of it.
    pub lifetime: Duration,
    /// The bytes of a tail from which on a new base is made, when that shortens the tail.
    pub tail_bytes: usize,
    /// How often the manifests are listed. In between only the one after the last is asked for, which is cheaper and
    /// misses nothing unless manifests are deleted sooner than this after they were written.
    pub listing: Duration,
    /// How long a refresh may take.
    pub timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lifetime: Duration::from_secs(600),
            tail_bytes: 32 << 20,
            listing: Duration::from_secs(10),
            timeout: Duration::from_secs(60),
        }
    }
}

/// Why a follower could not do what it was asked for.
#[derive(Debug)]
pub enum FollowError {
    /// The engine or its medium failed.
    Engine(slatedb::Error),
    /// There is no store, or another one stands in its place: the follower is of no more use.
    Gone,
    /// The log holds what this reader cannot know.
    Unsupported(&'static str),
    /// The medium did not answer in time.
    Timeout,
}

impl From<slatedb::Error> for FollowError {
    fn from(error: slatedb::Error) -> Self {
        Self::Engine(error)
    }
}

/// Where a store is, and what is needed to read it.
pub(crate) struct Source {
    pub path: Path,
    pub objects: Arc<dyn ObjectStore>,
    pub admin: Admin,
    pub log: WalReader,
    pub cache: Option<(Arc<dyn DbCache>, u64)>,
    pub extractor: Arc<dyn PrefixExtractor>,
    pub settings: Settings,
    pub runtime: tokio::runtime::Handle,
}

impl Source {
    async fn latest_manifest(&self) -> Result<VersionedManifest, FollowError> {
        match self.admin.read_manifest(None).await? {
            Some(manifest) if manifest.initialized() => Ok(manifest),
            _ => Err(FollowError::Gone),
        }
    }
}

/// What a follower costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes of the tail, with an allowance for each entry.
    pub tail_bytes: u64,
    /// Entries of the tail.
    pub tail_entries: u64,
    /// Log files read since the follower was opened.
    pub log_files: u64,
    /// Bases made since the follower was opened.
    pub bases: u64,
}

/// Follows the store of a writer. Safe for concurrent use.
pub struct Follower {
    source: Arc<Source>,
    progress: tokio::sync::Mutex<Progress>,
    published: RwLock<Cut>,
    cost: RwLock<Cost>,
}

/// How far the follower has read.
struct Progress {
    base: Arc<Base>,
    /// Older bases that pinned cuts may still use.
    older: Vec<std::sync::Weak<Base>>,
    tail: Arc<Tail>,
    /// The log file to be read next.
    next: u64,
    /// The newest sequence number of base and tail.
    sequence: u64,
    /// The newest manifest that was seen, and when all of them were listed.
    manifest: VersionedManifest,
    listed: Instant,
    log_files: u64,
    bases: u64,
    /// The last refresh has found new log files.
    busy: bool,
    /// Log files were read since the store was last found to be the one that was opened.
    unverified: bool,
    /// Another store was found in the place of this one.
    gone: bool,
}

impl Follower {
    /// Opens the store at a path. `Gone` when there is none.
    pub async fn open(
        path: Path,
        objects: Arc<dyn ObjectStore>,
        cache: Option<(Arc<dyn DbCache>, u64)>,
        extractor: Arc<dyn PrefixExtractor>,
        settings: Settings,
    ) -> Result<Self, FollowError> {
        let source = Arc::new(Source {
            admin: Admin::builder(path.clone(), Arc::new(View::once(Arc::clone(&objects)))).build(),
            log: WalReader::new(path.clone(), Arc::clone(&objects)),
            path,
            objects,
            cache,
            extractor,
            settings,
            runtime: tokio::runtime::Handle::current(),
        });
        let opening = async {
            let manifest = source.latest_manifest().await?;
            let base = Arc::new(Base::open(&source).await?);
            let mut progress = Progress {
                next: base.replay_after + 1,
                sequence: base.sequence,
                base,
                older: Vec::new(),
                tail: Arc::new(Tail::default()),
                manifest,
                listed: Instant::now(),
                log_files: 0,
                bases: 1,
                busy: false,
                unverified: false,
                gone: false,
            };
            log::read(&source, &mut progress, 1).await?;
            let there = progress.base.still_there(&source).await?;
            progress.verified(there)?;
            Ok::<Progress, FollowError>(progress)
        };
        let progress = tokio::time::timeout(source.settings.timeout, opening)
            .await
            .map_err(|_| FollowError::Timeout)??;
        Ok(Self {
            published: RwLock::new(progress.cut()),
            cost: RwLock::new(progress.cost()),
            progress: tokio::sync::Mutex::new(progress),
            source,
        })
    }

    /// The state that the last refresh has found.
    pub fn cut(&self) -> Cut {
        self.published.read().expect("no panic under the lock").clone()
    }

    /// What the follower costs, as of the last refresh.
    pub fn cost(&self) -> Cost {
        *self.cost.read().expect("no panic under the lock")
    }

    /// Looks for what has become durable since, and tells whether there was anything. After an error the state before stays.
    pub async fn refresh(&self) -> Result<bool, FollowError> {
        let refreshing = async {
            let mut progress = self.progress.lock().await;
            if progress.gone {
                return Err(FollowError::Gone);
            }
            let result = progress.advance(&self.source).await;
            progress.gone = matches!(result, Err(FollowError::Gone));
            result?;
            let next = progress.cut();
            *self.cost.write().expect("no panic under the lock") = progress.cost();
            let mut published = self.published.write().expect("no panic under the lock");
            let moved = published.sequence() != next.sequence();
            *published = next;
            Ok(moved)
        };
        tokio::time::timeout(self.source.settings.timeout, refreshing)
            .await
            .map_err(|_| FollowError::Timeout)?
    }

    /// Gives up the checkpoint of the newest base. Cuts that are still held keep theirs until they are dropped.
    pub async fn close(self) {
        let base = self.progress.into_inner().base;
        drop(self.published);
        if let Some(base) = Arc::into_inner(base) {
            base.release().await;
        }
    }
}

impl Progress {
    fn cut(&self) -> Cut {
        Cut::new(Arc::clone(&self.base), Arc::clone(&self.tail), self.sequence)
    }

    fn cost(&self) -> Cost {
        Cost {
            tail_bytes: self.tail.bytes() as u64,
            tail_entries: self.tail.entries() as u64,
            log_files: self.log_files,
            bases: self.bases,
        }
    }

    /// Reads the new log files, and makes a new base where one is needed or worth it.
    ///
    /// The manifest is looked at after the log, so that a log file that is not there is either not written yet, or
    /// the manifest tells that it was flushed and collected.
    async fn advance(&mut self, source: &Arc<Source>) -> Result<(), FollowError> {
        let before = self.next;
        log::read(source, self, if self.busy { 2 } else { 1 }).await?;
        self.busy = self.next != before;
        let (base, unverified) = (Arc::clone(&self.base), self.unverified);
        let (looked, there) = futures::join!(self.look_for_manifest(source), async {
            match unverified {
                true => base.still_there(source).await,
                false => Ok(true),
            }
        });
        looked?;
        self.verified(there?)?;
        let lost = self.manifest.replay_after_wal_id() >= self.next;
        let renewed = !lost && !self.base.renewal_due(source);
        if lost || self.worth_new_base(source) || !renewed && self.manifest_moved() {
            self.rebase(source).await?;
        } else if !renewed && self.base.renew(source).await.is_err() {
            self.rebase(source).await?;
        }
        self.renew_older(source).await;
        Ok(())
    }

    /// Takes note of whether what was read of the log is the log of the base's store.
    fn verified(&mut self, there: bool) -> Result<(), FollowError> {
        if !there {
            return Err(FollowError::Gone);
        }
        self.unverified = false;
        Ok(())
    }

    /// Finds the newest manifest. Its number never falls unless another store has taken the place.
    async fn look_for_manifest(&mut self, source: &Source) -> Result<(), FollowError> {
        if self.listed.elapsed() < source.settings.listing {
            while let Some(next) = source.admin.read_manifest(Some(self.manifest.id() + 1)).await? {
                self.manifest = next;
            }
            return Ok(());
        }
        let latest = source.latest_manifest().await?;
        if latest.id() < self.manifest.id() {
            return Err(FollowError::Gone);
        }
        self.manifest = latest;
        self.listed = Instant::now();
        Ok(())
    }

    /// Tells whether the newest manifest shows other tables than the base.
    fn manifest_moved(&self) -> bool {
        self.manifest.id() > self.base.manifest_id
    }

    /// Tells whether a new base pays: the tail is long and gets shorter by it. A base without protection is
    /// replaced as soon as there is a newer manifest, before its tables can be collected.
    fn worth_new_base(&self, source: &Source) -> bool {
        if !self.base.protected() && self.manifest_moved() {
            return true;
        }
        let flushed = self.manifest.last_l0_seq();
        self.tail.bytes() > source.settings.tail_bytes && flushed > self.base.sequence
    }

    /// Makes a base of the newest manifest and keeps of the tail what is newer.
    async fn rebase(&mut self, source: &Arc<Source>) -> Result<(), FollowError> {
        for _ in 0..ATTEMPTS {
            let base = Arc::new(Base::open(source).await?);
            if base.manifest_id <= self.base.manifest_id || !self.base.still_there(source).await? {
                return Err(FollowError::Gone);
            }
            self.tail = Arc::new(self.tail.after(base.sequence));
            self.next = self.next.max(base.replay_after + 1);
            self.sequence = self.sequence.max(base.sequence);
            self.older.push(Arc::downgrade(&self.base));
            self.base = base;
            self.bases += 1;
            log::read(source, self, 1).await?;
            let there = self.base.still_there(source).await?;
            self.verified(there)?;
            if self.base.protected() {
                return Ok(());
            }
            // Without a checkpoint the log may have been collected between the two: look again.
            self.manifest = source.latest_manifest().await?;
            if self.manifest.replay_after_wal_id() < self.next {
                return Ok(());
            }
        }
        Err(FollowError::Timeout)
    }

    /// Renews the checkpoints of older bases that cuts still hold.
    async fn renew_older(&mut self, source: &Arc<Source>) {
        self.older.retain(|base| base.strong_count() > 0);
        for base in self.older.iter().filter_map(std::sync::Weak::upgrade) {
            if base.renewal_due(source) {
                if let Err(error) = base.renew(source).await {
                    log_warning(&source.path, &error);
                }
            }
        }
    }
}

fn log_warning(path: &Path, error: &slatedb::Error) {
    ::log::warn!("the checkpoint of a pinned state of {path} could not be renewed: {error}");
}

/// How often a base is made anew when the log of the last one was collected meanwhile.
const ATTEMPTS: usize = 5;
