//! The object store that a URL names.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, ObjectStoreScheme, RetryConfig};
use url::Url;

use crate::fault::{Fault, INVALID, UNAVAILABLE};

/// An object store, and whether it is a directory of this machine.
pub struct Location {
    pub store: Arc<dyn ObjectStore>,
    pub local: bool,
}

/// Repetitions of the client of one request, 4.5 s of waiting in all, and the time for it with the attempts: object stores
/// that are asked too much answer by errors for seconds.
fn retry(request_timeout: Duration) -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(50),
            max_backoff: Duration::from_secs(1),
            base: 2.0,
        },
        max_retries: 8,
        retry_timeout: request_timeout,
    }
}

/// Opens the store of a URL, below its path. Credentials, endpoints and other settings of the providers come from the
/// environment, under the names that their own tools have.
pub fn open(text: &str, request_timeout: Duration, create: bool) -> Result<Location, Fault> {
    let url = Url::parse(text).map_err(|error| Fault::new(INVALID, format!("not a URL: {error}")))?;
    let (scheme, prefix) = ObjectStoreScheme::parse(&url).map_err(|error| Fault::new(INVALID, error.to_string()))?;
    if matches!(scheme, ObjectStoreScheme::Local) {
        return Ok(Location { store: directory(&url, create)?, local: true });
    }
    let retry = retry(request_timeout);
    let timeout = format!("{}ms", request_timeout.as_millis());
    let bucket: Arc<dyn ObjectStore> = match scheme {
        ObjectStoreScheme::AmazonS3 => {
            check_endpoint()?;
            let mut builder = AmazonS3Builder::from_env().with_url(text).with_retry(retry);
            if std::env::var_os("AWS_TIMEOUT").is_none() {
                builder = builder.with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), timeout);
            }
            Arc::new(builder.build().map_err(misconfigured)?)
        }
        ObjectStoreScheme::GoogleCloudStorage => {
            let mut builder = GoogleCloudStorageBuilder::from_env().with_url(text).with_retry(retry);
            if std::env::var_os("GOOGLE_TIMEOUT").is_none() {
                builder = builder.with_config(GoogleConfigKey::Client(ClientConfigKey::Timeout), timeout);
            }
            Arc::new(builder.build().map_err(misconfigured)?)
        }
        ObjectStoreScheme::MicrosoftAzure => {
            let mut builder = MicrosoftAzureBuilder::from_env().with_url(text).with_retry(retry);
            if std::env::var_os("AZURE_TIMEOUT").is_none() {
                builder = builder.with_config(AzureConfigKey::Client(ClientConfigKey::Timeout), timeout);
            }
            Arc::new(builder.build().map_err(misconfigured)?)
        }
        _ => return Err(Fault::new(INVALID, format!("no object store is known for {}://", url.scheme()))),
    };
    Ok(Location { store: Arc::new(PrefixStore::new(bucket, prefix)), local: false })
}

/// Refuses endpoints of S3 that the client would fail on, or panic, only at its first request.
fn check_endpoint() -> Result<(), Fault> {
    let plain = std::env::var("AWS_ALLOW_HTTP").is_ok_and(|value| matches!(value.to_lowercase().as_str(), "true" | "1" | "yes" | "on"));
    for name in ["AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"] {
        let Ok(endpoint) = std::env::var(name) else { continue };
        match Url::parse(&endpoint) {
            Ok(url) if url.scheme() == "https" && url.has_host() => (),
            Ok(url) if url.scheme() == "http" && url.has_host() => {
                if !plain {
                    return Err(Fault::new(INVALID, format!("{name} is plain HTTP, which needs AWS_ALLOW_HTTP=true")));
                }
            }
            _ => return Err(Fault::new(INVALID, format!("{name} is not of the form https://host:port"))),
        }
    }
    Ok(())
}

/// An error of a builder, which has asked nobody yet.
fn misconfigured(error: object_store::Error) -> Fault {
    Fault { conditions: INVALID, ..Fault::from(error) }
}

/// A directory, whose files are synced before a write is acknowledged.
fn directory(url: &Url, create: bool) -> Result<Arc<dyn ObjectStore>, Fault> {
    let path = url.to_file_path().map_err(|()| Fault::new(INVALID, "the URL names no absolute path"))?;
    if create {
        std::fs::create_dir_all(&path).map_err(|error| Fault::new(UNAVAILABLE, error.to_string()))?;
    }
    Ok(Arc::new(LocalFileSystem::new_with_prefix(path)?.with_fsync(true)))
}

/// The part of a store below a path, whose names are taken as they are.
pub fn below(store: &Arc<dyn ObjectStore>, path: &str) -> Result<Arc<dyn ObjectStore>, Fault> {
    Ok(Arc::new(PrefixStore::new(store.clone(), Path::parse(path)?)))
}
