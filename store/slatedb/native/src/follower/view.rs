//! Object stores as a follower needs them.
//!
//! A `DbReader` without a checkpoint of its own follows the newest manifest that it finds. Over [`View::up_to`] it stays where
//! it is, whether there is a checkpoint or no right to write one. `Admin` repeats what fails without end, also what is
//! forbidden. Over [`View::once`] it does not; the clients of object stores repeat what is worth it themselves.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// The manifest of a number.
pub(crate) fn manifest_path(store: &Path, id: u64) -> Path {
    store.clone().join("manifest").join(format!("{id:020}.manifest"))
}

/// An object store without manifests after one of them and without writes, or one whose errors are final.
#[derive(Debug, Clone)]
pub(crate) struct View {
    objects: Arc<dyn ObjectStore>,
    frozen: Option<Frozen>,
}

#[derive(Debug, Clone)]
struct Frozen {
    directory: Path,
    /// The newest manifest's path: the numbers have a fixed width, so paths are in their order.
    newest: Path,
}

impl View {
    /// Shows the store as it is when a manifest is the newest, and takes no writes.
    pub fn up_to(objects: Arc<dyn ObjectStore>, store: &Path, newest: u64) -> Self {
        let frozen = Frozen { directory: store.clone().join("manifest"), newest: manifest_path(store, newest) };
        Self { objects, frozen: Some(frozen) }
    }

    /// Gives errors a form that is not repeated.
    pub fn once(objects: Arc<dyn ObjectStore>) -> Self {
        Self { objects, frozen: None }
    }

    fn hides(&self, location: &Path) -> bool {
        self.frozen
            .as_ref()
            .is_some_and(|frozen| location.prefix_matches(&frozen.directory) && *location > frozen.newest)
    }

    fn writable(&self) -> Result<()> {
        match self.frozen {
            Some(_) => Err(Error::NotSupported { source: "a reader's view takes no writes".into() }),
            None => Ok(()),
        }
    }

    fn finally(&self, error: Error) -> Error {
        let passes = self.frozen.is_some()
            || matches!(
                error,
                Error::AlreadyExists { .. } | Error::Precondition { .. } | Error::NotModified { .. } | Error::NotFound { .. }
            );
        if passes {
            return error;
        }
        Error::NotSupported { source: Box::new(error) }
    }
}

impl fmt::Display for View {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.frozen {
            Some(frozen) => write!(formatter, "{} up to {}", self.objects, frozen.newest),
            None => self.objects.fmt(formatter),
        }
    }
}

#[async_trait]
impl ObjectStore for View {
    async fn put_opts(&self, location: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.writable()?;
        let putting = self.objects.put_opts(location, payload, options);
        putting.await.map_err(|error| self.finally(error))
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.writable()?;
        let putting = self.objects.put_multipart_opts(location, options);
        putting.await.map_err(|error| self.finally(error))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if self.hides(location) {
            return Err(Error::NotFound { path: location.to_string(), source: "newer than this view".into() });
        }
        let getting = self.objects.get_opts(location, options);
        getting.await.map_err(|error| self.finally(error))
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let getting = self.objects.get_ranges(location, ranges);
        getting.await.map_err(|error| self.finally(error))
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        if let Err(error) = self.writable() {
            return futures::stream::once(futures::future::ready(Err(error))).boxed();
        }
        self.objects.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let (filtering, mapping) = (self.clone(), self.clone());
        self.objects
            .list(prefix)
            .try_filter(move |object| futures::future::ready(!filtering.hides(&object.location)))
            .map_err(move |error| mapping.finally(error))
            .boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let listing = self.objects.list_with_delimiter(prefix);
        let mut result = listing.await.map_err(|error| self.finally(error))?;
        result.objects.retain(|object| !self.hides(&object.location));
        Ok(result)
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.writable()?;
        let copying = self.objects.copy_opts(from, to, options);
        copying.await.map_err(|error| self.finally(error))
    }
}
