//! Bytes of objects that must not change between two requests.

use std::ops::Range;

use bytes::Bytes;
use datafusion::common::{DataFusionError, Result};
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore};

/// Fetches a range of an object, which is still the one that was listed.
///
/// # Errors
///
/// Fails if the object was replaced, or if the store returns fewer bytes.
pub(crate) async fn fetch(store: &dyn ObjectStore, meta: &ObjectMeta, range: Range<u64>) -> Result<Bytes> {
    if range.is_empty() {
        return Ok(Bytes::new());
    }
    let expected = range.end - range.start;
    let mut options = GetOptions { range: Some(GetRange::Bounded(range.clone())), ..GetOptions::default() };
    // A plan that was sent to another machine has the time alone.
    match &meta.e_tag {
        Some(tag) => options.if_match = Some(tag.clone()),
        None if meta.last_modified.timestamp() != 0 => options.if_unmodified_since = Some(meta.last_modified),
        None => {}
    }
    let found = store.get_opts(&meta.location, options).await.map_err(|error| store_error(meta, error))?;
    check(meta, &found.meta)?;
    let bytes = found.bytes().await.map_err(|error| store_error(meta, error))?;
    if bytes.len() as u64 != expected {
        let (location, found) = (&meta.location, bytes.len());
        return Err(DataFusionError::Execution(format!(
            "{location}: wrong response for bytes {}..{}: expected a length of {expected}, found {found}",
            range.start, range.end
        )));
    }
    Ok(bytes)
}

/// Checks that an object is still the one that was listed.
///
/// # Errors
///
/// Fails if it has another time, tag or size.
pub(crate) fn check(meta: &ObjectMeta, found: &ObjectMeta) -> Result<()> {
    // An older version, such as a file that was copied with its time, passes the condition of a request. Some stores
    // tell seconds.
    let times = [found, meta].map(|object| object.last_modified.timestamp());
    let is_modified = match &meta.e_tag {
        Some(tag) => found.e_tag.as_ref().is_some_and(|found| opaque(found) != opaque(tag)),
        None => times[1] != 0 && times[0] != times[1],
    };
    if is_modified {
        return Err(changed(meta, "it was modified"));
    }
    if found.size != meta.size {
        return Err(changed(meta, &format!("expected a size of {}, found {}", meta.size, found.size)));
    }
    Ok(())
}

/// A tag as listings and responses have it: with or without quotes and the mark of a weak one.
fn opaque(tag: &str) -> &str {
    tag.trim_start_matches("W/").trim_matches('"')
}

fn store_error(meta: &ObjectMeta, error: object_store::Error) -> DataFusionError {
    match error {
        object_store::Error::Precondition { .. } => changed(meta, "it was modified"),
        error => DataFusionError::from(error).context(meta.location.to_string()),
    }
}

#[cold]
fn changed(meta: &ObjectMeta, how: &str) -> DataFusionError {
    DataFusionError::Execution(format!(
        "{}: the file changed after the query was planned: {how}; run the query again",
        meta.location
    ))
}
