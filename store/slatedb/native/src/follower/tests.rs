//! Followers beside a writer whose tables are tiny, compacted and collected at once.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::ObjectStore;
use slatedb::admin::Admin;
use slatedb::bytes::Bytes;
use slatedb::config::{
    CompactorOptions, FlushOptions, FlushType, GarbageCollectorDirectoryOptions, GarbageCollectorOptions, Settings as DbSettings,
};
use slatedb::{Db, WriteBatch};

use super::{Cut, FollowError, Follower, Settings};
use crate::settings;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// A writer with what it has been acknowledged.
struct Writer {
    objects: Arc<dyn ObjectStore>,
    db: Db,
    states: Vec<Model>,
}

impl Writer {
    async fn new() -> Self {
        let objects: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let db = Self::open(&objects).await;
        Self { objects, db, states: vec![Model::new()] }
    }

    async fn open(objects: &Arc<dyn ObjectStore>) -> Db {
        let compactor = CompactorOptions { poll_interval: Duration::from_millis(20), ..CompactorOptions::default() };
        let settings = DbSettings {
            flush_interval: None,
            l0_sst_size_bytes: 16 << 10,
            manifest_poll_interval: Duration::from_millis(50),
            compactor_options: Some(compactor),
            garbage_collector_options: None,
            ..DbSettings::default()
        };
        Db::builder("", Arc::clone(objects))
            .with_settings(settings)
            .with_segment_extractor(settings::extractor())
            .build()
            .await
            .expect("the writer opens")
    }

    async fn replace(&mut self) {
        self.db = Self::open(&self.objects).await; // the one before is fenced
    }

    async fn commit(&mut self, random: &mut Random) {
        let mut model = self.states.last().expect("there is a state").clone();
        let mut batch = WriteBatch::new();
        for _ in 0..=random.below(6) {
            let key = vec![2 + random.below(3) as u8, random.below(100) as u8];
            if random.below(3) == 0 {
                batch.delete(&key);
                model.remove(&key);
            } else {
                let value = vec![random.below(256) as u8; random.below(600) as usize];
                batch.put(&key, &value);
                model.insert(key, value);
            }
        }
        let number = (self.states.len() as u64).to_be_bytes();
        batch.put([1], number);
        model.insert(vec![1], number.to_vec());
        self.db.write(batch).await.expect("the batch is written");
        self.flush(FlushType::Wal).await;
        self.states.push(model);
    }

    async fn flush(&self, flush_type: FlushType) {
        self.db.flush_with_options(FlushOptions { flush_type }).await.expect("the flush succeeds");
    }

    /// Removes all that no manifest and no checkpoint needs, however young it is.
    async fn collect(&self) {
        let directory = GarbageCollectorDirectoryOptions { interval: None, min_age: Duration::ZERO, dry_run: false };
        let options = GarbageCollectorOptions {
            manifest_options: Some(directory),
            wal_options: Some(directory),
            compacted_options: Some(directory),
            compactions_options: Some(directory),
            ..GarbageCollectorOptions::default()
        };
        let admin = Admin::builder("", Arc::clone(&self.objects)).build();
        admin.run_gc_once(options).await.expect("the collection succeeds");
    }

    async fn objects_below(&self, folder: &str) -> usize {
        use futures::StreamExt;
        self.objects.list(Some(&Path::from(folder))).count().await
    }
}

async fn follow(writer: &Writer, settings: Settings) -> Follower {
    Follower::open(Path::default(), Arc::clone(&writer.objects), None, settings::extractor(), settings)
        .await
        .expect("the follower opens")
}

/// Settings under which manifests may vanish at once.
fn settings_of(tail_bytes: usize) -> Settings {
    Settings { tail_bytes, listing: Duration::ZERO, ..Settings::default() }
}

/// All pairs of a cut, read with a seek now and then.
async fn pairs(cut: &Cut) -> Model {
    let mut found = Model::new();
    let mut iterator = cut.scan(Bound::Unbounded, Bound::Unbounded).await.expect("the scan begins");
    while let Some((key, value)) = iterator.next().await.expect("the scan goes on") {
        if found.len() % 7 == 3 {
            let mut next = key.to_vec();
            next.push(0);
            iterator.seek(&next).await.expect("the seek succeeds");
        }
        found.insert(key.to_vec(), value.to_vec());
    }
    found
}

/// Holds a cut to a state: whole, by single keys, and by a range.
async fn check(cut: &Cut, model: &Model) {
    assert_eq!(pairs(cut).await, *model);
    for key in 0..100u8 {
        let key = [3, key];
        let found = cut.get(&key).await.expect("the key is read");
        assert_eq!(found.as_deref(), model.get(&key[..]).map(Vec::as_slice));
    }
    let (lower, upper) = (Bytes::from_static(&[2, 30]), Bytes::from_static(&[3, 60]));
    let mut range = cut.scan(Bound::Excluded(lower.clone()), Bound::Excluded(upper.clone())).await.expect("the scan begins");
    let wanted = model.range((Bound::Excluded(lower.to_vec()), Bound::Excluded(upper.to_vec())));
    for (key, value) in wanted {
        let found = range.next().await.expect("the scan goes on").expect("a pair is left");
        assert_eq!((found.0.as_ref(), found.1.as_ref()), (key.as_slice(), value.as_slice()));
    }
    assert!(range.next().await.expect("the scan goes on").is_none());
}

fn run(test: impl std::future::Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("the runtime starts")
        .block_on(test);
}

#[test]
fn cuts_are_acknowledged_states_and_outlive_collections() {
    run(async {
        let mut random = Random(11);
        let mut writer = Writer::new().await;
        let followers = [follow(&writer, settings_of(1)).await, follow(&writer, settings_of(1 << 30)).await];
        let mut pinned: Vec<(Cut, usize)> = Vec::new();
        for step in 0..400 {
            match random.below(10) {
                0..=4 => writer.commit(&mut random).await,
                5 => writer.flush(FlushType::MemTable).await,
                6 if random.below(4) == 0 => writer.replace().await,
                7 => writer.collect().await,
                _ => {
                    let follower = &followers[random.below(2) as usize];
                    follower.refresh().await.unwrap_or_else(|error| panic!("step {step}: {error:?}"));
                    let cut = follower.cut();
                    let newest = writer.states.len() - 1;
                    check(&cut, &writer.states[newest]).await;
                    pinned.push((cut, newest));
                }
            }
            if pinned.len() > 5 {
                let (cut, state) = pinned.swap_remove(random.below(5) as usize);
                check(&cut, &writer.states[state]).await;
            }
        }
        writer.flush(FlushType::MemTable).await;
        for (cut, state) in &pinned {
            check(cut, &writer.states[*state]).await;
        }
        assert!(followers[0].cost().bases > 2, "{:?}", followers[0].cost());
        drop(pinned);
        for follower in followers {
            follower.close().await;
        }
    });
}

/// A follower that was held up finds that the log it would read next is gone.
#[test]
fn a_collected_log_is_made_up_for_by_tables() {
    run(async {
        let mut random = Random(5);
        let mut writer = Writer::new().await;
        writer.commit(&mut random).await;
        let follower = follow(&writer, settings_of(1 << 30)).await;
        let before = follower.cut();
        for _ in 0..20 {
            writer.commit(&mut random).await;
        }
        writer.flush(FlushType::MemTable).await;
        for _ in 0..3 {
            writer.commit(&mut random).await;
        }
        // The checkpoint of the follower keeps the log from the collector; without it nothing does.
        let admin = Admin::builder("", Arc::clone(&writer.objects)).build();
        for checkpoint in admin.list_checkpoints(None).await.expect("checkpoints are listed") {
            admin.delete_checkpoint(checkpoint.id).await.expect("a checkpoint is deleted");
        }
        let logs = writer.objects_below("wal").await;
        writer.collect().await;
        assert!(writer.objects_below("wal").await < logs - 15);
        check(&before, &writer.states[1]).await; // it has no tables yet
        assert!(follower.refresh().await.is_err(), "the manifest of the base is gone, so that nobody knows whose store it is");
        assert!(matches!(follower.refresh().await, Err(FollowError::Gone)));
        let again = follow(&writer, settings_of(1 << 30)).await;
        check(&again.cut(), writer.states.last().expect("there is a state")).await;
        again.close().await;
    });
}

/// Checkpoints come and go with the states that need them.
#[test]
fn checkpoints_are_taken_back() {
    run(async {
        let mut random = Random(3);
        let mut writer = Writer::new().await;
        let admin = Admin::builder("", Arc::clone(&writer.objects)).build();
        let count = async || admin.list_checkpoints(None).await.expect("checkpoints are listed").len();
        writer.commit(&mut random).await;
        let follower = follow(&writer, settings_of(1)).await;
        assert_eq!(count().await, 1);
        let pinned = follower.cut();
        writer.flush(FlushType::MemTable).await;
        writer.commit(&mut random).await;
        follower.refresh().await.expect("the refresh succeeds");
        assert_eq!(count().await, 2, "one for the pinned state, one for the newest");
        drop(pinned);
        for _ in 0..1000 {
            if count().await == 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(count().await, 1);
        follower.close().await;
        assert_eq!(count().await, 0);
    });
}

/// With a lifetime that is always half over, each refresh renews or replaces the checkpoint.
#[test]
fn checkpoints_are_renewed() {
    run(async {
        let mut random = Random(9);
        let mut writer = Writer::new().await;
        writer.commit(&mut random).await;
        let follower = follow(&writer, Settings { lifetime: Duration::from_millis(1), ..settings_of(1 << 30) }).await;
        for step in 0..6 {
            tokio::time::sleep(Duration::from_millis(2)).await;
            if step % 2 == 0 {
                writer.commit(&mut random).await;
            } else {
                writer.flush(FlushType::MemTable).await;
            }
            let manifests = writer.objects_below("manifest").await;
            follower.refresh().await.expect("the refresh succeeds");
            assert!(writer.objects_below("manifest").await > manifests, "a manifest tells of each renewal");
            check(&follower.cut(), writer.states.last().expect("there is a state")).await;
        }
        follower.close().await;
    });
}
