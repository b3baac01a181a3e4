//! What SlateDB has to say goes to one function of the host, or nowhere; never to standard error.

use std::sync::{Once, OnceLock};

use log::{LevelFilter, Log, Metadata, Record};

/// Called with the level (1 error, 2 warning) and a text that is valid during the call. From any thread.
pub type Callback = unsafe extern "C" fn(level: u32, text: *const u8, length: usize);

static CALLBACK: OnceLock<Callback> = OnceLock::new();
static INSTALL: Once = Once::new();

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.level() <= LevelFilter::Warn
    }

    fn log(&self, record: &Record) {
        if let (true, Some(callback)) = (self.enabled(record.metadata()), CALLBACK.get()) {
            let text = record.args().to_string();
            unsafe { callback(record.level() as u32, text.as_ptr(), text.len()) };
        }
    }

    fn flush(&self) {}
}

/// Installs the callback for the whole process; the first one stays.
#[no_mangle]
pub extern "C" fn moraine_log_to(callback: Callback) {
    let _ = CALLBACK.set(callback);
    INSTALL.call_once(|| {
        if log::set_boxed_logger(Box::new(Logger)).is_ok() {
            log::set_max_level(LevelFilter::Warn);
        }
        std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
    });
}
