//! Crossing the boundary: buffers, borrowed arguments, and the guard around every function.

use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::fault::{Conditions, Fault, CORRUPT, UNAVAILABLE};

/// Memory that C has been given; it gives it back with `moraine_bytes_free`.
#[repr(C)]
pub struct Buffer {
    data: *mut u8,
    length: usize,
    capacity: usize,
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        let mut bytes = std::mem::ManuallyDrop::new(bytes);
        Self { data: bytes.as_mut_ptr(), length: bytes.len(), capacity: bytes.capacity() }
    }
}

/// Frees a buffer and leaves it empty.
///
/// # Safety
/// The buffer is one that a function of this library filled, or all zero.
#[no_mangle]
pub unsafe extern "C" fn moraine_bytes_free(buffer: *mut Buffer) {
    let buffer = &mut *buffer;
    if !buffer.data.is_null() {
        drop(Vec::from_raw_parts(buffer.data, buffer.length, buffer.capacity));
    }
    *buffer = Buffer { data: std::ptr::null_mut(), length: 0, capacity: 0 };
}

/// A byte string of C's, for the length of a call.
///
/// # Safety
/// `data` points to `length` bytes, or `length` is 0.
pub unsafe fn borrowed<'a>(data: *const u8, length: usize) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    std::slice::from_raw_parts(data, length)
}

/// A UTF-8 string of C's, for the length of a call.
///
/// # Safety
/// As [`borrowed`].
pub unsafe fn borrowed_text<'a>(data: *const u8, length: usize) -> Result<&'a str, Fault> {
    std::str::from_utf8(borrowed(data, length))
        .map_err(|error| Fault::new(crate::fault::INVALID, format!("a name is not UTF-8: {error}")))
}

/// Runs the body of an exported function: 0 on success, else the conditions, with the message in `message`.
///
/// # Safety
/// `message` points to a buffer that is empty.
pub unsafe fn guarded(message: *mut Buffer, body: impl FnOnce() -> Result<(), Fault>) -> Conditions {
    let fault = match caught(UNAVAILABLE, body) {
        Ok(()) => return 0,
        Err(fault) => fault,
    };
    *message = Buffer::from(fault.message.into_bytes());
    fault.conditions
}

/// Runs a body that panics when it finds bytes that nobody has written.
pub fn decoding<T>(body: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    caught(CORRUPT, body)
}

fn caught<T>(conditions: Conditions, body: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        Err(Fault::new(conditions, format!("the engine panicked: {}", panic_text(&*panic))))
    })
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}
