//! The sorted tables of one manifest.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use object_store::{Error, ObjectMeta, ObjectStoreExt};
use slatedb::config::{CheckpointOptions, DbReaderOptions};
use slatedb::{DbReader, DbReaderMode};
use uuid::Uuid;

use super::log::caused_by;
use super::view::{manifest_path, View};
use super::{FollowError, Source};

/// The name of the checkpoints that followers write.
const CHECKPOINT_NAME: &str = "moraine-reader";

/// How often an operation on the object store is repeated.
const RETRIES: u32 = 4;

/// Never, for an interval that a clock can still add to now.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Shows what one manifest names, and nothing later.
pub(crate) struct Base {
    source: Arc<Source>,
    reader: Option<DbReader>,
    pub manifest_id: u64,
    /// The newest sequence number that it shows.
    pub sequence: u64,
    /// The last log file of which it shows everything.
    pub replay_after: u64,
    /// What the object of the manifest is known by: another store in the same place has another.
    identity: ObjectMeta,
    protection: Mutex<Option<Protection>>,
}

/// A checkpoint, and when its lifetime began at the latest.
#[derive(Clone, Copy)]
struct Protection {
    id: Uuid,
    since: Instant,
}

impl Base {
    /// Makes a base of the newest manifest. Without the right to write a checkpoint it has no protection.
    pub async fn open(source: &Arc<Source>) -> Result<Self, FollowError> {
        let since = Instant::now();
        let options = CheckpointOptions {
            lifetime: Some(source.settings.lifetime),
            name: Some(CHECKPOINT_NAME.to_owned()),
            ..CheckpointOptions::default()
        };
        let (manifest_id, protection) = match source.admin.create_detached_checkpoint(&options).await {
            Ok(made) => (made.manifest_id, Some(Protection { id: made.id, since })),
            Err(error) if forbidden(&error) => (source.latest_manifest().await?.id(), None),
            Err(error) => return Err(error.into()),
        };
        let opened = Self::open_at(source, manifest_id, protection).await;
        if let (Err(_), Some(protection)) = (&opened, protection) {
            // It would expire by itself; what matters is the error.
            let _ = source.admin.delete_checkpoint(protection.id).await;
        }
        opened
    }

    async fn open_at(
        source: &Arc<Source>,
        manifest_id: u64,
        protection: Option<Protection>,
    ) -> Result<Self, FollowError> {
        let identity = match source.objects.head(&manifest_path(&source.path, manifest_id)).await {
            Ok(identity) => identity,
            Err(Error::NotFound { .. }) => return Err(FollowError::Gone),
            Err(error) => return Err(slatedb::Error::unavailable(error.to_string()).into()),
        };
        let view = View::up_to(Arc::clone(&source.objects), &source.path, manifest_id);
        let options = DbReaderOptions {
            manifest_poll_interval: NEVER,
            skip_wal_replay: true,
            object_store_max_retries: Some(RETRIES),
            ..DbReaderOptions::default()
        };
        let mut builder = DbReader::builder(source.path.clone(), Arc::new(view))
            .with_reader_mode(DbReaderMode::FollowLatest)
            .with_segment_extractor(Arc::clone(&source.extractor))
            .with_options(options);
        if let Some((cache, scope)) = &source.cache {
            builder = builder.with_db_cache(Arc::clone(cache), *scope);
        }
        let reader = builder.build().await?;
        let manifest = reader.manifest();
        Ok(Self {
            source: Arc::clone(source),
            manifest_id: manifest.id(),
            sequence: manifest.last_l0_seq(),
            replay_after: manifest.replay_after_wal_id(),
            reader: Some(reader),
            identity,
            protection: Mutex::new(protection),
        })
    }

    pub fn reader(&self) -> &DbReader {
        self.reader.as_ref().expect("only release takes the reader")
    }

    fn protection(&self) -> Option<Protection> {
        *self.protection.lock().expect("no panic under the lock")
    }

    /// Tells whether a checkpoint keeps the tables from being collected.
    pub fn protected(&self) -> bool {
        self.protection().is_some()
    }

    /// Tells whether half of the checkpoint's lifetime is over.
    pub fn renewal_due(&self, source: &Source) -> bool {
        self.protection()
            .is_some_and(|protection| protection.since.elapsed() > source.settings.lifetime / 2)
    }

    /// Begins the checkpoint's lifetime anew.
    pub async fn renew(&self, source: &Source) -> Result<(), slatedb::Error> {
        let Some(protection) = self.protection() else {
            return Ok(());
        };
        let since = Instant::now();
        source.admin.refresh_checkpoint(protection.id, Some(source.settings.lifetime)).await?;
        *self.protection.lock().expect("no panic under the lock") = Some(Protection { since, ..protection });
        Ok(())
    }

    /// Tells whether the manifest is the object that it was: otherwise the store was removed, and perhaps made anew.
    pub async fn still_there(&self, source: &Source) -> Result<bool, FollowError> {
        match source.objects.head(&manifest_path(&source.path, self.manifest_id)).await {
            Ok(found) => Ok(found.e_tag == self.identity.e_tag
                && found.last_modified == self.identity.last_modified
                && found.size == self.identity.size),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(slatedb::Error::unavailable(error.to_string()).into()),
        }
    }

    /// Ends the reader and takes the checkpoint back.
    pub async fn release(mut self) {
        let reader = self.reader.take();
        let protection = self.protection();
        let source = Arc::clone(&self.source);
        drop(self);
        release(source, reader, protection).await;
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        if let Some(reader) = self.reader.take() {
            let source = Arc::clone(&self.source);
            let protection = self.protection();
            self.source.runtime.spawn(release(source, Some(reader), protection));
        }
    }
}

/// What goes wrong here costs nothing but space until the checkpoint expires.
async fn release(source: Arc<Source>, reader: Option<DbReader>, protection: Option<Protection>) {
    if let Some(reader) = reader {
        if let Err(error) = reader.close().await {
            log::warn!("closing a reader of {}: {error}", source.path);
        }
    }
    if let Some(protection) = protection {
        let deleting = source.admin.delete_checkpoint(protection.id);
        match tokio::time::timeout(source.settings.timeout, deleting).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => log::warn!("deleting a checkpoint of {}: {error}", source.path),
            Err(_) => log::warn!("deleting a checkpoint of {}: no answer in time", source.path),
        }
    }
}

/// Tells whether an error means that this reader may not write.
fn forbidden(error: &slatedb::Error) -> bool {
    caused_by(error, |cause| {
        use object_store::Error::{Generic, PermissionDenied, Unauthenticated};
        match cause {
            PermissionDenied { .. } | Unauthenticated { .. } => true,
            // The directory of a file system says so by the error of its system call.
            Generic { source, .. } => {
                let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(source.as_ref());
                while let Some(error) = cause {
                    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
                    if matches!(
                        kind,
                        Some(std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem)
                    ) {
                        return true;
                    }
                    cause = error.source();
                }
                false
            }
            _ => false,
        }
    })
}
