//! Objects beside the lakes, and the names of what is stored. A name is relative to the engine's URL, already encoded, and
//! found in the store as it is given.

use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};

use crate::engine::Engine;
use crate::fault::{Conditions, Fault};
use crate::ffi::{borrowed, borrowed_text, guarded, Buffer};

/// Objects that are removed with one request where the provider can.
const DELETE_CONCURRENCY: usize = 16;

async fn put(engine: &Engine, name: &str, content: Vec<u8>, if_absent: bool) -> Result<(), Fault> {
    let mode = if if_absent { PutMode::Create } else { PutMode::Overwrite };
    let options = PutOptions { mode, ..PutOptions::default() };
    engine.store.put_opts(&Path::parse(name)?, PutPayload::from(content), options).await?;
    Ok(())
}

/// Removes all objects below a path.
async fn delete_below(engine: &Engine, path: &str) -> Result<(), Fault> {
    let store = engine.store.clone();
    let locations = store.list(Some(&Path::parse(path)?)).map_ok(|meta| meta.location).boxed();
    store
        .delete_stream(locations)
        .try_for_each_concurrent(DELETE_CONCURRENCY, |_| async { Ok(()) })
        .await?;
    Ok(())
}

/// One name of a list: a kind byte (0 object, 1 folder), the size (8 bytes) and the length of the name (4 bytes), both little
/// endian, and the name.
fn push(list: &mut Vec<u8>, kind: u8, size: u64, name: &Path) {
    let name = name.as_ref().as_bytes();
    list.push(kind);
    list.extend_from_slice(&size.to_le_bytes());
    list.extend_from_slice(&(name.len() as u32).to_le_bytes());
    list.extend_from_slice(name);
}

/// What is directly below a path.
async fn folder(engine: &Engine, path: &str) -> Result<Vec<u8>, Fault> {
    let found = engine.store.list_with_delimiter(Some(&Path::parse(path)?)).await?;
    let mut list = Vec::new();
    found.common_prefixes.iter().for_each(|name| push(&mut list, 1, 0, name));
    found.objects.iter().for_each(|meta| push(&mut list, 0, meta.size, &meta.location));
    Ok(list)
}

/// All objects below a path, at most `limit`.
async fn flat(engine: &Engine, path: &str, limit: usize) -> Result<Vec<u8>, Fault> {
    let mut found = engine.store.list(Some(&Path::parse(path)?)).take(limit);
    let mut list = Vec::new();
    while let Some(meta) = found.try_next().await? {
        push(&mut list, 0, meta.size, &meta.location);
    }
    Ok(list)
}

/// Writes an object; EXISTS when `if_absent` and there is one.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_object_put(
    engine: *const Engine,
    name: *const u8,
    name_length: usize,
    content: *const u8,
    content_length: usize,
    if_absent: bool,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let (engine, name) = (&*engine, borrowed_text(name, name_length)?);
        let content = borrowed(content, content_length).to_vec();
        engine.handle.block_on(put(engine, name, content, if_absent))
    })
}

/// Reads an object; NOT_FOUND when there is none.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_object_get(
    engine: *const Engine,
    name: *const u8,
    name_length: usize,
    content: *mut Buffer,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let (engine, name) = (&*engine, Path::parse(borrowed_text(name, name_length)?)?);
        let read = engine.handle.block_on(async { engine.store.get(&name).await?.bytes().await })?;
        *content = Buffer::from(read.to_vec());
        Ok(())
    })
}

/// Removes an object; that there is none is no error.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_object_delete(
    engine: *const Engine,
    name: *const u8,
    name_length: usize,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let (engine, name) = (&*engine, Path::parse(borrowed_text(name, name_length)?)?);
        match engine.handle.block_on(engine.store.delete(&name)) {
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            other => Ok(other?),
        }
    })
}

/// Removes all objects below a path.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_objects_delete_below(
    engine: *const Engine,
    path: *const u8,
    path_length: usize,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let (engine, path) = (&*engine, borrowed_text(path, path_length)?);
        engine.handle.block_on(delete_below(engine, path))
    })
}

/// Lists what is directly below a path (`limit` 0), or at most `limit` of all objects below it.
///
/// # Safety
/// The arguments are as the header says.
#[no_mangle]
pub unsafe extern "C" fn moraine_objects_list(
    engine: *const Engine,
    path: *const u8,
    path_length: usize,
    limit: usize,
    list: *mut Buffer,
    message: *mut Buffer,
) -> Conditions {
    guarded(message, || {
        let (engine, path) = (&*engine, borrowed_text(path, path_length)?);
        let found = engine.handle.block_on(async {
            match limit {
                0 => folder(engine, path).await,
                _ => flat(engine, path, limit).await,
            }
        })?;
        *list = Buffer::from(found);
        Ok(())
    })
}
