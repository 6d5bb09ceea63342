//! An object in a store, pinned to the version that a listing or the first response described.

#[cfg(feature = "arrow")]
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use npy_core::{Error, ErrorKind, Result};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, GetResultPayload, ObjectMeta, ObjectStore, ObjectStoreExt};

use crate::failure::{explained, may_be_empty, store_failed, with_path};
use crate::options::RemoteOptions;
use crate::requests::Requests;

/// The opened version of an object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    store: Arc<dyn ObjectStore>,
    /// The metadata of the first response, and of the listing what that response left out.
    meta: ObjectMeta,
    /// Whether the e-tag is that of a listing: listings may leave out quotes, and their stores may send none in responses.
    is_tag_listed: bool,
    pub(crate) options: RemoteOptions,
}

/// Bytes of an object.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// The offset of the first byte.
    pub(crate) begin: u64,
    pub(crate) bytes: Bytes,
}

impl Chunk {
    pub(crate) fn end(&self) -> u64 {
        self.begin + self.bytes.len() as u64
    }

    /// The part from `begin` to `end`.
    pub(crate) fn slice(&self, range: &Range<u64>) -> Bytes {
        let at = |offset: u64| usize::try_from(offset.saturating_sub(self.begin)).unwrap_or(usize::MAX).min(self.bytes.len());
        self.bytes.slice(at(range.start)..at(range.end))
    }
}

impl Object {
    /// Opens an object with a request for some of its bytes.
    pub(crate) async fn open(
        store: Arc<dyn ObjectStore>,
        path: Path,
        range: GetRange,
        options: RemoteOptions,
    ) -> Result<(Self, Chunk)> {
        let read = async {
            let (result, range) = first_response(&*store, &path, range, options.request_bytes).await?;
            // The size of the store is better than that of the request.
            let expected = range.as_range(result.meta.size).unwrap_or_default();
            let meta = result.meta.clone();
            Ok((collect(result, &expected).await?, expected.start, meta))
        };
        match read.await {
            Ok((bytes, begin, meta)) => Ok((Self { store, meta, is_tag_listed: false, options }, Chunk { begin, bytes })),
            Err(error) => Err(with_path(error, &path, &*store)),
        }
    }

    /// Opens the version of an object that was listed, with a request for at most `most` of its first bytes.
    pub(crate) async fn open_listed(
        store: Arc<dyn ObjectStore>,
        listed: ObjectMeta,
        most: u64,
        options: RemoteOptions,
    ) -> Result<(Self, Chunk)> {
        let range = 0..listed.size.min(most);
        let listed = Self { store, meta: listed, is_tag_listed: true, options };
        if range.is_empty() {
            return Ok((listed, Chunk { begin: 0, bytes: Bytes::new() }));
        }
        let (found, first) = listed.request(range).await?;
        Ok((listed.merged(found), first))
    }

    /// The same version, by what a response says of it where it does: its e-tag may be strong, and its time exact.
    fn merged(self, found: ObjectMeta) -> Self {
        let last_modified = if knows_time(&found) { found.last_modified } else { self.meta.last_modified };
        let is_tag_listed = found.e_tag.is_none();
        let e_tag = found.e_tag.clone().or(self.meta.e_tag);
        Self { meta: ObjectMeta { e_tag, last_modified, ..found }, is_tag_listed, ..self }
    }

    pub(crate) fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    pub(crate) fn size(&self) -> u64 {
        self.meta.size
    }

    /// Adds the path of the object to an error.
    pub(crate) fn locate(&self, error: Error) -> Error {
        with_path(error, &self.meta.location, &*self.store)
    }

    /// Fetches bytes of the opened version.
    pub(crate) async fn fetch(&self, range: Range<u64>) -> Result<Chunk> {
        if range.is_empty() {
            return Ok(Chunk { begin: range.start, bytes: Bytes::new() });
        }
        Ok(self.request(range).await?.1)
    }

    /// Opens the file that the object is in a store of local files; `None` in others.
    #[cfg(feature = "arrow")]
    pub(crate) async fn open_file(&self) -> Result<Option<File>> {
        if crate::failure::local_root(&self.store.to_string()).is_none() {
            return Ok(None);
        }
        let open = async {
            let result = self.store.get_opts(&self.meta.location, self.pinned()).await;
            let result = result.map_err(|error| self.failed(&error, &(0..self.size())))?;
            self.check(&result.meta)?;
            match result.payload {
                GetResultPayload::File(file, _) => Ok(Some(file)),
                GetResultPayload::Stream(_) => Ok(None),
            }
        };
        open.await.map_err(|error| self.locate(error))
    }

    /// Checks that an open file is still of this version: a tag is made of its size and time.
    #[cfg(feature = "arrow")]
    pub(crate) fn check_file(&self, file: &File) -> Result<()> {
        let expected = &self.meta;
        let metadata = file.metadata().map_err(|error| self.locate(error.into()))?;
        if metadata.len() != expected.size {
            return Err(self.locate(replaced("size", &expected.size.to_string(), &metadata.len().to_string())));
        }
        let modified = metadata.modified().map_or(expected.last_modified, Into::into);
        if modified != expected.last_modified {
            let [expected, found] = [expected.last_modified, modified].map(|time| time.to_string());
            return Err(self.locate(replaced("time of modification", &expected, &found)));
        }
        Ok(())
    }

    /// Requests these bytes, and checks that the response is of this version.
    async fn request(&self, range: Range<u64>) -> Result<(ObjectMeta, Chunk)> {
        let request = async {
            let options = self.pinned().with_range(Some(range.clone()));
            let result = self.store.get_opts(&self.meta.location, options).await.map_err(|error| self.failed(&error, &range))?;
            self.check(&result.meta)?;
            let meta = result.meta.clone();
            Ok((meta, Chunk { begin: range.start, bytes: collect(result, &range).await? }))
        };
        request.await.map_err(|error| self.locate(error))
    }

    /// Fetches a range of any length by several requests at a time; chunks are in order.
    pub(crate) async fn fetch_chunks(&self, range: Range<u64>) -> Result<Vec<Chunk>> {
        self.fetch_ranges([range]).await
    }

    /// Fetches ascending ranges, near ones together, by several requests at a time; chunks are in order.
    pub(crate) async fn fetch_ranges(&self, ranges: impl IntoIterator<Item = Range<u64>>) -> Result<Vec<Chunk>> {
        let ranges = ranges.into_iter().filter(|range| !range.is_empty());
        stream::iter(Requests::new(ranges, 0, &self.options))
            .map(|request| self.fetch(request.range))
            .buffered(self.options.requests)
            .try_collect()
            .await
    }

    /// The conditions that only the opened version meets.
    fn pinned(&self) -> GetOptions {
        match self.strong_e_tag() {
            Some(e_tag) => GetOptions::new().with_if_match(Some(e_tag)),
            // The response is compared with the tag that was listed.
            None if self.meta.e_tag.as_deref().is_some_and(is_strong) => GetOptions::new(),
            None if knows_time(&self.meta) => GetOptions::new().with_if_unmodified_since(Some(self.meta.last_modified)),
            None => GetOptions::new(),
        }
    }

    fn strong_e_tag(&self) -> Option<&str> {
        let is_whole = |e_tag: &&str| !self.is_tag_listed || e_tag.starts_with('"');
        self.meta.e_tag.as_deref().filter(|e_tag| is_strong(e_tag)).filter(is_whole)
    }

    /// Compares a response with the version that was opened, for stores that ignore conditions.
    ///
    /// Equal strong e-tags decide. A tag that only the listing has, and a time that either side lacks, are not compared.
    fn check(&self, found: &ObjectMeta) -> Result<()> {
        let expected = &self.meta;
        let is_same_tag = match (&expected.e_tag, &found.e_tag) {
            (Some(expected), Some(found)) if opaque(expected) != opaque(found) => return Err(replaced("e-tag", expected, found)),
            // Versions with the same weak e-tag may have other bytes.
            (Some(expected), Some(found)) => is_strong(expected) && is_strong(found),
            (Some(expected), None) if !self.is_tag_listed => return Err(replaced("e-tag", expected, "none")),
            _ => false,
        };
        if expected.size != found.size {
            return Err(replaced("size", &expected.size.to_string(), &found.size.to_string()));
        }
        if is_same_tag || !knows_time(expected) || !knows_time(found) {
            return Ok(());
        }
        let [expected, found] = [expected, found].map(|meta| meta.last_modified);
        // Some stores list fractions of seconds, and respond without.
        let is_in_seconds = [expected, found].iter().any(|time| time.timestamp_subsec_nanos() == 0);
        if expected == found || is_in_seconds && expected.timestamp() == found.timestamp() {
            return Ok(());
        }
        Err(replaced("time of modification", &expected.to_string(), &found.to_string()))
    }

    /// A refused condition means that the object was replaced.
    fn failed(&self, error: &object_store::Error, range: &Range<u64>) -> Error {
        if !matches!(error, object_store::Error::Precondition { .. }) {
            return cannot_read(error, range);
        }
        let (property, expected) = match self.strong_e_tag() {
            Some(e_tag) => ("e-tag", e_tag.to_owned()),
            None => ("time of modification", self.meta.last_modified.to_string()),
        };
        replaced(property, &expected, "another")
    }
}

/// Returns whether an e-tag can be a condition: a weak one never matches (RFC 9110, 13.1.1).
fn is_strong(e_tag: &str) -> bool {
    !e_tag.starts_with("W/")
}

/// An e-tag without the mark of a weak one and the quotes, which listings may leave out.
fn opaque(e_tag: &str) -> &str {
    e_tag.trim_start_matches("W/").trim_matches('"')
}

/// Whether the store knows the time of modification. One that does not says 1970.
fn knows_time(meta: &ObjectMeta) -> bool {
    meta.last_modified.timestamp() > 0
}

/// The first response, and the range that was requested. A store that does not support ranges sends
/// the whole object, if that has at most `most` bytes. An empty object has no range that a store could send.
async fn first_response(store: &dyn ObjectStore, path: &Path, range: GetRange, most: u64) -> Result<(GetResult, GetRange)> {
    let refused = match store.get_opts(path, GetOptions::new().with_range(Some(range.clone()))).await {
        Ok(result) => return Ok((result, range)),
        Err(error) => error,
    };
    let error = |error| match &range {
        GetRange::Bounded(range) => cannot_read(&error, range),
        _ => store_failed("cannot read the object", &error),
    };
    let may_be_empty = may_be_empty(&refused);
    if !may_be_empty && !matches!(refused, object_store::Error::NotSupported { .. }) {
        return Err(error(refused));
    }
    let head = match store.head(path).await {
        Ok(head) => head,
        Err(refused) => return Err(error(explained(store, path, refused).await)),
    };
    let pinned = || GetOptions::new().with_if_match(head.e_tag.clone().filter(|e_tag| is_strong(e_tag)));
    // Azure does not support suffix ranges.
    if let GetRange::Suffix(length) = range
        && head.size > 0
    {
        let range = GetRange::from(head.size.saturating_sub(length)..head.size);
        match store.get_opts(path, pinned().with_range(Some(range.clone()))).await {
            Err(object_store::Error::NotSupported { .. }) => {}
            result => return Ok((result.map_err(error)?, range)),
        }
    }
    if head.size > most || may_be_empty && head.size > 0 {
        return Err(error(refused));
    }
    let result = store.get_opts(path, pinned()).await.map_err(error)?;
    // More than the stated size is refused before it is read.
    Ok((result, (0..head.size).into()))
}

#[cold]
fn cannot_read(error: &object_store::Error, range: &Range<u64>) -> Error {
    store_failed(&format!("cannot read bytes {}..{}", range.start, range.end), error)
}

/// Creates the error of a replaced object, with the differing property.
#[cold]
fn replaced(property: &str, expected: &str, found: &str) -> Error {
    let message = format!("object replaced while it was read: expected {property} {expected}, found {found}; open it again");
    Error::new(ErrorKind::Conflict, message)
}

/// Returns the bytes of a response, which must be exactly those of `range`.
async fn collect(result: GetResult, range: &Range<u64>) -> Result<Bytes> {
    if result.range != *range {
        let (Range { start, end }, found) = (range, result.range);
        let message = format!("wrong response: expected bytes {start}..{end}, found bytes {}..{}", found.start, found.end);
        return Err(Error::new(ErrorKind::BrokenStream, message));
    }
    let expected = range.end - range.start;
    let wrong = |found: u64| {
        let (Range { start, end }, least) = (range, if found > expected { "at least " } else { "" });
        let message = format!("wrong response for bytes {start}..{end}: expected a length of {expected}, found {least}{found}");
        Err(Error::new(ErrorKind::BrokenStream, message))
    };
    let GetResultPayload::Stream(mut stream) = result.payload else {
        // Its stream would read 8 KiB at a time.
        let bytes = result.bytes().await.map_err(|error| cannot_read(&error, range))?;
        return if bytes.len() as u64 == expected { Ok(bytes) } else { wrong(bytes.len() as u64) };
    };
    let mut first = Bytes::new();
    let mut all = Vec::new();
    let mut found = 0;
    while let Some(bytes) = stream.try_next().await.map_err(|error| cannot_read(&error, range))? {
        found += bytes.len() as u64;
        if found > expected {
            return wrong(found);
        }
        if found == bytes.len() as u64 {
            first = bytes;
            continue;
        }
        if all.is_empty() {
            // Not more than a request; what came so far says nothing of the rest.
            reserve(&mut all, usize::try_from(expected).unwrap_or(usize::MAX))?;
            all.extend_from_slice(&first);
        }
        all.extend_from_slice(&bytes);
    }
    if found < expected {
        return wrong(found);
    }
    Ok(if all.is_empty() { first } else { all.into() })
}

/// Reserves memory for elements that the store has.
pub(crate) fn reserve<T>(items: &mut Vec<T>, count: usize) -> Result<()> {
    let bytes = count.saturating_mul(size_of::<T>());
    items.try_reserve_exact(count).map_err(|_| Error::out_of_memory(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use object_store::memory::InMemory;

    /// Listings leave out tags, quotes and fractions of seconds.
    #[test]
    fn versions_are_compared_by_what_both_sides_tell() {
        let meta = |(e_tag, seconds): (&str, &str)| ObjectMeta {
            location: "x.npy".into(),
            last_modified: format!("{seconds}Z").parse().unwrap(),
            size: 1,
            e_tag: Some(e_tag.to_owned()).filter(|e_tag| !e_tag.is_empty()),
            version: None,
        };
        let [unknown, whole, early, late] =
            ["1970-01-01T00:00:00", "2026-11-23T12:00:00", "2026-11-23T12:00:00.25", "2026-11-23T12:00:00.75"];
        for (expected, found, difference) in [
            (("\"a\"", early), ("\"a\"", late), None),
            (("a", early), ("\"a\"", late), None),
            (("\"a\"", early), ("\"b\"", early), Some("e-tag")),
            (("W/\"a\"", early), ("W/\"b\"", early), Some("e-tag")),
            (("W/\"a\"", early), ("W/\"a\"", early), None),
            (("W/\"a\"", early), ("W/\"a\"", late), Some("time of modification")),
            (("", early), ("\"a\"", late), Some("time of modification")),
            (("", whole), ("\"a\"", late), None),
            (("", early), ("\"a\"", whole), None),
            (("", unknown), ("\"a\"", late), None),
            (("", early), ("", unknown), None),
            (("", early), ("", early), None),
        ] {
            let store = Arc::new(InMemory::new());
            let object = Object { store, meta: meta(expected), is_tag_listed: true, options: RemoteOptions::new() };
            let error = object.check(&meta(found)).err().map(|error| error.to_string());
            let begin = difference.map(|property| format!("object replaced while it was read: expected {property} "));
            let is_same = match (&error, &begin) {
                (Some(error), Some(begin)) => error.starts_with(begin),
                (error, begin) => error.is_none() && begin.is_none(),
            };
            assert!(is_same, "{expected:?} {found:?}: {error:?}");
            let longer = ObjectMeta { size: 2, ..meta(found) };
            assert!(object.check(&longer).is_err());
        }
        let listed = |tag| Object {
            store: Arc::new(InMemory::new()),
            meta: meta((tag, early)),
            is_tag_listed: true,
            options: RemoteOptions::new(),
        };
        // A response without a tag and a time leaves the listing's, and later ones may lack them too.
        let merged = listed("\"a\"").merged(meta(("", unknown)));
        assert_eq!(merged.strong_e_tag(), Some("\"a\""));
        assert!(merged.check(&meta(("", unknown))).is_ok());
        assert!(merged.check(&meta(("", late))).is_err());
        // A tag of a response has to be in all later ones.
        let merged = listed("a").merged(meta(("\"a\"", early)));
        assert!(merged.check(&meta(("", early))).is_err());
        // A tag without quotes is no condition, as the server compares bytes.
        assert_eq!(listed("a").strong_e_tag(), None);
    }
}
