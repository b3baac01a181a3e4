//! What can go wrong, in the words of the Go package `store`.

use slatedb::object_store;
use slatedb::{CloseReason, ErrorKind};

/// A set of conditions, each one bit: the `MORAINE_*` constants of the header.
pub type Conditions = u32;

pub const FENCED: Conditions = 1;
pub const CORRUPT: Conditions = 1 << 1;
pub const UNAVAILABLE: Conditions = 1 << 2;
pub const NOT_FOUND: Conditions = 1 << 3;
pub const EXISTS: Conditions = 1 << 4;
pub const INVALID: Conditions = 1 << 5;
pub const CLOSED: Conditions = 1 << 6;
pub const NOT_APPLIED: Conditions = 1 << 7;
pub const REOPEN: Conditions = 1 << 8;
pub const NO_SPACE: Conditions = 1 << 9;

/// An error on its way to C.
#[derive(Clone, Debug)]
pub struct Fault {
    pub conditions: Conditions,
    pub message: String,
}

impl Fault {
    pub fn new(conditions: Conditions, message: impl Into<String>) -> Self {
        Self { conditions, message: message.into() }
    }

    pub fn with(mut self, conditions: Conditions) -> Self {
        self.conditions |= conditions;
        self
    }
}

impl From<slatedb::Error> for Fault {
    fn from(error: slatedb::Error) -> Self {
        let conditions = match error.kind() {
            ErrorKind::Closed(CloseReason::Fenced) => FENCED,
            ErrorKind::Closed(CloseReason::Clean) => CLOSED,
            ErrorKind::Data => CORRUPT,
            ErrorKind::Invalid | ErrorKind::Transaction => INVALID,
            // A background task that ended takes the whole store with it; opening it again starts new ones.
            ErrorKind::Closed(_) => UNAVAILABLE | REOPEN,
            // So SlateDB reports a manifest that it cannot decode.
            ErrorKind::Internal if error.to_string().contains("CallbackError") => CORRUPT,
            _ if beyond_end(&chain(&error)) => CORRUPT,
            _ => UNAVAILABLE,
        };
        Self::new(conditions | space_condition(&error), chain(&error))
    }
}

/// Whether a store refused to read beyond the end of an object: it is shorter than what was written. The errors have no type
/// that tells it; these are the words of S3 and its like, and of a local directory.
fn beyond_end(text: &str) -> bool {
    ["416 Range Not Satisfiable", "Requested range was invalid", "Out of range of file"]
        .iter()
        .any(|words| text.contains(words))
}

impl From<object_store::Error> for Fault {
    fn from(error: object_store::Error) -> Self {
        use object_store::Error;
        let conditions = match &error {
            Error::NotFound { .. } => NOT_FOUND,
            Error::AlreadyExists { .. } | Error::Precondition { .. } => EXISTS,
            Error::InvalidPath { .. } | Error::NotImplemented { .. } | Error::NotSupported { .. } => INVALID,
            Error::UnknownConfigurationKey { .. } => INVALID,
            _ => UNAVAILABLE,
        };
        Self::new(conditions | space_condition(&error), chain(&error))
    }
}

impl From<object_store::path::Error> for Fault {
    fn from(error: object_store::path::Error) -> Self {
        Self::new(INVALID, chain(&error))
    }
}

/// The error with its causes; a cause that the text before it already tells is left out.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let words = next.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = next.source();
    }
    text
}

/// NO_SPACE when a full disk is among the causes.
fn space_condition(error: &(dyn std::error::Error + 'static)) -> Conditions {
    let mut cause = Some(error);
    while let Some(next) = cause {
        if let Some(io) = next.downcast_ref::<std::io::Error>() {
            if matches!(io.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded) {
                return NO_SPACE;
            }
        }
        cause = next.source();
    }
    0
}
