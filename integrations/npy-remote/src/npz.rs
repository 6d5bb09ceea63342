//! Archives in a store: the directory at once, and members on request.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use npy_core::npz::{NpzReader, unused, wrong_size};
use npy_core::{Error, ErrorKind, Header, NpyElement, Result};
use object_store::path::Path;
use object_store::{GetRange, ObjectMeta, ObjectStore};

use crate::array::FRONT_BYTES;
use crate::npy::RemoteNpy;
use crate::object::{Chunk, Object};
use crate::options::RemoteOptions;
use crate::sparse::Sparse;

/// The size of the first request, at the end of an archive: the longest comment, the end record, and a
/// directory of some 1,000 members.
const TAIL_BYTES: u64 = 128 << 10;

/// The size of a later request for the directory. Each consecutive request is four times as large.
const STEP_BYTES: u64 = 64 << 10;

/// The limit of opening. Few archives need a second request. One with a damaged end, or with gaps
/// between members, is searched for members that the directory omits.
const MOST_BYTES: u64 = 256 << 20;
const MOST_REQUESTS: u64 = 256;

/// A local header without its name, its usual extra fields, and the least bytes after them.
const LOCAL_BYTES: u64 = 30 + 96;
const LEAST_MEMBER: u64 = 4096 + LOCAL_BYTES;

/// The method of stored members.
const STORED: u16 = 0;

/// The bytes that a compressed member may have beyond twice its content. Incompressible content grows
/// by 5 bytes in 16 KiB with deflate, and by 3 in 128 KiB with Zstandard. With bzip2 it grows by 1 % and 600
/// bytes, with LZMA by some 2 %. The header has less than 100 bytes.
const MOST_OVERHEAD: u64 = 64 << 10;

/// An archive in a store.
///
/// [`open`](Self::open) reads the directory with one request for the end of the object: two where it
/// has more than some 1,000 members, or where the store has no such requests, as Azure. A directory
/// longer than [`RemoteOptions::request_bytes`] takes several more. Then each member takes one
/// request, or several at a time where it is larger than [`RemoteOptions::request_bytes`];
/// [`read_many`](Self::read_many) joins those of neighbours. A small archive comes with the first one. Every request is for the same version of the object: if it was
/// replaced, the call fails.
///
/// ```
/// use std::sync::Arc;
///
/// use npy_core::npz::NpzWriter;
/// use npy_remote::RemoteNpz;
/// use npy_remote::object_store::memory::InMemory;
/// use npy_remote::object_store::{ObjectStore, ObjectStoreExt};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // An archive is made in memory, and put as any other object.
/// let mut archive = NpzWriter::new_compressed(std::io::Cursor::new(Vec::new()));
/// archive.add_slice("time", &[0.5_f64, 1.5, 2.5])?;
/// archive.add_scalar("rate", &100_u32)?;
/// let file = archive.finish()?.into_inner();
/// let store = Arc::new(InMemory::new());
/// store.put(&"run.npz".into(), file.into()).await?;
///
/// let archive = RemoteNpz::open(store, "run.npz").await?;
/// assert_eq!(archive.names().collect::<Vec<_>>(), ["time", "rate"]);
/// let time: Vec<f64> = archive.by_name("time").await?;
/// assert_eq!(time, [0.5, 1.5, 2.5]);
/// assert_eq!(archive.scalar::<u32>("rate").await?, 100);
/// let last: Vec<f64> = archive.member("time").await?.read_rows(2..3).await?;
/// assert_eq!(last, [2.5]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RemoteNpz {
    object: Object,
    /// A reader of the end of the object, with the directory.
    reader: NpzReader<Sparse>,
}

impl RemoteNpz {
    /// Opens an archive and reads its directory.
    ///
    /// # Errors
    ///
    /// Fails if the store fails, if the object is not a zip archive, or if it takes more than 256 MiB
    /// or 256 requests to find its members.
    ///
    /// See [`RemoteNpz`] for an example.
    pub async fn open(store: Arc<dyn ObjectStore>, path: impl Into<Path>) -> Result<Self> {
        Self::open_with(store, path, RemoteOptions::new()).await
    }

    /// [`open`](Self::open) with [`RemoteOptions`] or [`Limits`](npy_core::Limits).
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_core::npz::NpzWriter;
    /// # use npy_remote::RemoteNpz;
    /// # use npy_remote::object_store::{ObjectStore, ObjectStoreExt, memory::InMemory};
    /// use npy_core::Limits;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut archive = NpzWriter::new_compressed(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("time", &[0.5_f64; 1000])?;
    /// # let store = Arc::new(InMemory::new());
    /// # store.put(&"run.npz".into(), archive.finish()?.into_inner().into()).await?;
    /// let archive = RemoteNpz::open_with(store, "run.npz", Limits::new().member_bytes(1000)).await?;
    /// assert!(archive.by_name::<f64>("time").await.is_err()); // 8128 bytes
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open_with(store: Arc<dyn ObjectStore>, path: impl Into<Path>, options: impl Into<RemoteOptions>) -> Result<Self> {
        let (object, tail) = Object::open(store, path.into(), GetRange::Suffix(TAIL_BYTES), options.into()).await?;
        Self::of_tail(object, tail).await
    }

    /// Reads the directory of an object that was opened otherwise.
    pub(crate) async fn of_object(object: Object) -> Result<Self> {
        let tail = object.fetch(object.size().saturating_sub(TAIL_BYTES)..object.size()).await?;
        Self::of_tail(object, tail).await
    }

    /// Reads the directory, which begins in the end of the object or before it.
    async fn of_tail(object: Object, tail: Chunk) -> Result<Self> {
        let options = object.options;
        let mut sparse = Sparse::new(object.size());
        let (mut bytes, mut requests) = (tail.bytes.len() as u64, 1);
        sparse.add([tail]);
        let (mut step, mut last) = (STEP_BYTES, 0);
        while let Err(error) = NpzReader::new_with(&mut sparse, options.limits).map(drop) {
            let Some(Range { start: begin, end }) = sparse.missing.take() else { return Err(object.locate(error)) };
            step = if begin == last { step.saturating_mul(4) } else { STEP_BYTES };
            // The directory lies directly before the end record.
            let end = if end - begin <= options.request_bytes { end } else { end.min(begin.saturating_add(step)) };
            (bytes, last) = (bytes.saturating_add(end - begin), end);
            requests += (end - begin).div_ceil(options.request_bytes);
            for (what, limit, found) in [("bytes", MOST_BYTES, bytes), ("requests", MOST_REQUESTS, requests)] {
                if found > limit {
                    let message = format!(
                        "cannot find the members: expected at most {limit} {what}, found at least {found}; copy the archive to a file"
                    );
                    return Err(object.locate(Error::new(ErrorKind::LimitExceeded, message)));
                }
            }
            sparse.add(object.fetch_chunks(begin..end).await?);
        }
        let reader = NpzReader::new_with(sparse, options.limits).map_err(|error| object.locate(error))?;
        Ok(Self { object, reader })
    }

    /// Returns the number of members, arrays or not.
    pub fn len(&self) -> usize {
        self.reader.len()
    }

    /// Returns whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.reader.is_empty()
    }

    /// Returns the names of the members, without `.npy` at their ends.
    ///
    /// They are in the order of the archive.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.reader.names()
    }

    /// Returns the metadata of the object: its size, and the version that is read.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_core::npz::NpzWriter;
    /// # use npy_remote::RemoteNpz;
    /// # use npy_remote::object_store::{ObjectStore, ObjectStoreExt, memory::InMemory};
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut archive = NpzWriter::new_compressed(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("time", &[0.5_f64; 1000])?;
    /// # let store = Arc::new(InMemory::new());
    /// # store.put(&"run.npz".into(), archive.finish()?.into_inner().into()).await?;
    /// let archive = RemoteNpz::open(store.clone(), "run.npz").await?;
    /// assert_eq!(archive.object_meta().e_tag, store.head(&"run.npz".into()).await?.e_tag);
    /// assert_eq!(archive.header("time").await?.shape(), [1000]);
    /// assert_eq!(archive.method("time")?, 8); // deflate
    /// # Ok(())
    /// # }
    /// ```
    pub fn object_meta(&self) -> &ObjectMeta {
        self.object.meta()
    }

    /// Adds the path of the object to an error of its content.
    ///
    /// For callers who judge the members themselves.
    #[must_use]
    pub fn locate(&self, error: Error) -> Error {
        self.object.locate(error)
    }

    /// Returns the number of a member's compression method: 0 is stored, 8 is deflate.
    ///
    /// See [`object_meta`](Self::object_meta) for an example.
    ///
    /// # Errors
    ///
    /// Fails if the member is missing.
    pub fn method(&self, name: &str) -> Result<u16> {
        let index = self.find(name)?;
        Ok(self.reader.method(index).unwrap_or(STORED))
    }

    /// Reads the header of an array.
    ///
    /// Fetches only the front of the member, compressed or not, with one request.
    ///
    /// See [`object_meta`](Self::object_meta) for an example.
    ///
    /// # Errors
    ///
    /// Fails if the member is missing, if its header is damaged, if it is not an array, if the
    /// object was replaced, or if the store fails.
    pub async fn header(&self, name: &str) -> Result<Header> {
        let index = self.find(name)?;
        Ok(self.fetch_and(index, Some(FRONT_BYTES), &mut |reader| reader.header(index)).await?.0)
    }

    /// Reads the one-dimensional array of a name.
    ///
    /// Its checksum is checked. The member is in memory as it is stored until it is decoded;
    /// [`member`](Self::member) reads one that is not compressed in bounded memory.
    ///
    /// # Errors
    ///
    /// Fails if there is no such member, if it is damaged or not an array, if the dtype differs from
    /// that of `T`, if the object was replaced, or if the store fails. A member is refused
    /// before it is fetched if its content exceeds
    /// [`Limits::member_bytes`](npy_core::Limits::member_bytes), or if its compressed size exceeds
    /// twice its content and 64 KiB.
    ///
    /// See [`RemoteNpz`] for an example.
    pub async fn by_name<T: NpyElement>(&self, name: &str) -> Result<Vec<T>> {
        self.read(name, NpzReader::by_index).await
    }

    /// Reads the one-dimensional arrays of these names, which are fetched together.
    ///
    /// [`prefetch`](Self::prefetch) is for arrays of several types.
    ///
    /// # Errors
    ///
    /// Fails like [`by_name`](Self::by_name). The error names the member.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_core::npz::NpzWriter;
    /// # use npy_remote::RemoteNpz;
    /// # use npy_remote::object_store::{ObjectStore, ObjectStoreExt, memory::InMemory};
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # for name in ["east", "north", "up"] { archive.add_slice(name, &[0.5_f32; 3])?; }
    /// # let store = Arc::new(InMemory::new());
    /// # store.put(&"run.npz".into(), archive.finish()?.into_inner().into()).await?;
    /// let archive = RemoteNpz::open(store, "run.npz").await?;
    /// let traces: Vec<Vec<f32>> = archive.read_many(["east", "up"]).await?;
    /// assert_eq!(traces, [[0.5; 3], [0.5; 3]]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn read_many<T: NpyElement>(&self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Vec<Vec<T>>> {
        let members = names.into_iter().map(|name| self.find(name.as_ref())).collect::<Result<Vec<_>>>()?;
        let fetched = self.fetch_members(&members).await?;
        let mut arrays = Vec::new();
        for index in members {
            arrays.push(fetched.fetch_and(index, None, &mut |reader| reader.by_index(index)).await?.0);
        }
        Ok(arrays)
    }

    /// Fetches members of any kind together. The returned archive has them in memory, so that reading them takes no request.
    ///
    /// Neighbours share a request of at most [`RemoteOptions::request_bytes`], with gaps of at most [`RemoteOptions::gap`]. The
    /// members are in memory as they are stored, until the archive is dropped.
    ///
    /// # Errors
    ///
    /// Fails if there is no member of a name, if one is beyond the limits, if the object was replaced, or if the store fails.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_core::npz::NpzWriter;
    /// # use npy_remote::RemoteNpz;
    /// # use npy_remote::object_store::{ObjectStore, ObjectStoreExt, memory::InMemory};
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("time", &[0.5_f64, 1.5])?;
    /// # archive.add_scalar("rate", &100_u32)?;
    /// # let store = Arc::new(InMemory::new());
    /// # store.put(&"run.npz".into(), archive.finish()?.into_inner().into()).await?;
    /// let archive = RemoteNpz::open(store, "run.npz").await?.prefetch(["time", "rate"]).await?;
    /// let time: Vec<f64> = archive.by_name("time").await?; // no request
    /// let rate: u32 = archive.scalar("rate").await?; // no request
    /// # assert_eq!((time.len(), rate), (2, 100));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn prefetch(&self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self> {
        let members = names.into_iter().map(|name| self.find(name.as_ref())).collect::<Result<Vec<_>>>()?;
        self.fetch_members(&members).await
    }

    /// Reads a struct for a whole archive, with `#[derive(NpzArchive)]` of `npy-ndarray`.
    ///
    /// The members of its fields are fetched together, as by [`prefetch`](Self::prefetch); others are not.
    ///
    /// # Errors
    ///
    /// Fails like [`NpzArchive::read_npz`](npy_ndarray::NpzArchive::read_npz), if the object was replaced, or if the store fails.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_remote::RemoteNpz;
    /// # use npy_remote::object_store::{ObjectStore, ObjectStoreExt, memory::InMemory};
    /// use npy_ndarray::NpzArchive;
    /// use npy_ndarray::ndarray::{Array2, array};
    ///
    /// #[derive(NpzArchive)]
    /// struct Model {
    ///     weights: Array2<f32>,
    ///     rate: f64,
    /// }
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut file = std::io::Cursor::new(Vec::new());
    /// # Model { weights: array![[1.0, 2.0]], rate: 0.01 }.write_npz(&mut file)?;
    /// # let store = Arc::new(InMemory::new());
    /// # store.put(&"model.npz".into(), file.into_inner().into()).await?;
    /// let model: Model = RemoteNpz::open(store, "model.npz").await?.load().await?;
    /// assert_eq!((model.weights[[0, 1]], model.rate), (2.0, 0.01));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "ndarray")]
    pub async fn load<A: npy_ndarray::NpzArchive>(&self) -> Result<A> {
        let members = A::members_of(&self.reader).map_err(|error| self.locate(error))?;
        let mut file = self.fetch_members(&members).await?.reader.get_mut().clone();
        loop {
            let error = match A::read_npz_with(&mut file, self.object.options.limits) {
                Ok(archive) => return Ok(archive),
                Err(error) => error,
            };
            // Unusually long extra fields.
            let Some(Range { start, end }) = file.missing.take() else { return Err(self.locate(error)) };
            file.add(self.object.fetch_chunks(start..end.min(start.saturating_add(STEP_BYTES))).await?);
        }
    }

    /// Reads the only element of an array without dimensions.
    ///
    /// `np.savez` makes such an array of a number.
    ///
    /// # Errors
    ///
    /// Fails like [`by_name`](Self::by_name), and if the array has dimensions.
    ///
    /// See [`RemoteNpz`] for an example.
    pub async fn scalar<T: NpyElement>(&self, name: &str) -> Result<T> {
        self.read(name, |reader, _| reader.scalar(name)).await
    }

    /// Reads the content of a member, array or not.
    ///
    /// # Errors
    ///
    /// Fails like [`by_name`](Self::by_name), and if the content is longer than `most` bytes.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_core::npz::NpzWriter;
    /// # use npy_remote::RemoteNpz;
    /// # use npy_remote::object_store::{ObjectStore, ObjectStoreExt, memory::InMemory};
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_bytes("notes.txt", b"hello")?;
    /// # let store = Arc::new(InMemory::new());
    /// # store.put(&"run.npz".into(), archive.finish()?.into_inner().into()).await?;
    /// let archive = RemoteNpz::open(store, "run.npz").await?;
    /// assert_eq!(archive.bytes("notes.txt", 1 << 20).await?, b"hello");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn bytes(&self, name: &str, most: u64) -> Result<Vec<u8>> {
        let index = self.find(name)?;
        if let Some(found) = self.reader.size(index).filter(|size| *size > most) {
            // Before any of it is fetched.
            let error =
                Error::limit_exceeded_with("bytes of a member", most, found, "pass a larger `most` if the archive is trusted");
            return Err(self.locate_member(error, index));
        }
        self.read(name, |reader, index| reader.bytes(index, most)).await
    }

    /// Opens an array of any shape and dtype.
    ///
    /// Reads only the header of a member that is not compressed, with one request; then rows and
    /// regions are read like those of an `.npy` object. Its checksum is not checked, because that
    /// would read everything. A compressed member is read, decompressed and checked as a whole, and
    /// stays in memory: limit it by [`Limits::member_bytes`](npy_core::Limits::member_bytes).
    ///
    /// # Errors
    ///
    /// Fails like [`by_name`](Self::by_name).
    ///
    /// See [`RemoteNpz`] for an example.
    pub async fn member(&self, name: &str) -> Result<RemoteNpy> {
        let index = self.find(name)?;
        let key = self.reader.name(index).unwrap_or(name).to_owned();
        if self.reader.method(index) != Some(STORED) {
            let file = self.fetch_and(index, None, &mut |reader| reader.bytes(index, u64::MAX)).await?.0;
            return RemoteNpy::of_front(self.object.clone(), Some(key), 0..file.len() as u64, file.into()).await;
        }
        let mut open = |reader: &mut NpzReader<Sparse>| {
            reader.header(index)?;
            reader.data_range(index)
        };
        let (range, sparse) = self.fetch_and(index, Some(FRONT_BYTES), &mut open).await?;
        // The header was read from there.
        let front = sparse.from(&range);
        RemoteNpy::of_front(self.object.clone(), Some(key), range, front).await
    }

    /// Fetches members together.
    async fn fetch_members(&self, members: &[usize]) -> Result<Self> {
        let mut reader = self.reader.clone();
        let mut ranges = Vec::new();
        for &index in members {
            // Limits are checked before the local header is read.
            let header = reader.header(index);
            let Some(missing) = reader.get_mut().missing.take() else {
                let range = header.and_then(|_| reader.data_range(index)).map_err(|error| self.locate_member(error, index))?;
                ranges.extend(reader.get_mut().missing_in(range));
                continue;
            };
            self.check(index).map_err(|error| self.locate_member(error, index))?;
            let end = missing.start.saturating_add(self.stored_bytes(index)).min(self.object.size());
            ranges.extend(reader.get_mut().missing_in(missing.start..end));
        }
        ranges.sort_unstable_by_key(|range| range.start);
        // Members may follow each other more closely than was assumed.
        ranges.dedup_by(|next, last| {
            let is_joined = next.start <= last.end;
            if is_joined {
                last.end = last.end.max(next.end);
            }
            is_joined
        });
        let chunks = self.object.fetch_ranges(ranges).await?;
        reader.get_mut().add(chunks);
        Ok(Self { object: self.object.clone(), reader })
    }

    /// The bytes of a member in the object, and usually some more.
    fn stored_bytes(&self, index: usize) -> u64 {
        let compressed = self.reader.compressed_size(index).unwrap_or(0);
        let name = self.reader.full_name(index).map_or(0, str::len) as u64;
        LOCAL_BYTES.saturating_add(compressed).saturating_add(name)
    }

    fn find(&self, name: &str) -> Result<usize> {
        self.reader.find(name).map_err(|error| self.object.locate(error))
    }

    async fn read<V>(&self, name: &str, mut read: impl FnMut(&mut NpzReader<Sparse>, usize) -> Result<V>) -> Result<V> {
        let index = self.find(name)?;
        Ok(self.fetch_and(index, None, &mut |reader| read(reader, index)).await?.0)
    }

    /// Calls `read` until all bytes that it reads of a member were fetched: at first the whole member, or
    /// its front. Also returns the fetched bytes.
    async fn fetch_and<V>(
        &self,
        index: usize,
        front: Option<u64>,
        read: &mut impl FnMut(&mut NpzReader<Sparse>) -> Result<V>,
    ) -> Result<(V, Sparse)> {
        let mut reader = self.reader.clone();
        let compressed = self.reader.compressed_size(index).unwrap_or(0);
        let name = self.reader.full_name(index).map_or(0, str::len) as u64;
        let mut next = LEAST_MEMBER;
        let mut wanted = LOCAL_BYTES.saturating_add(compressed.min(front.unwrap_or(u64::MAX))).max(LEAST_MEMBER) + name;
        loop {
            let error = match read(&mut reader) {
                Ok(value) => return Ok((value, reader.get_mut().clone())),
                Err(error) => error,
            };
            let missing = reader.get_mut().missing.take();
            let Some(Range { start: begin, end }) = missing else { return Err(self.locate_member(error, index)) };
            self.check(index).map_err(|error| self.locate_member(error, index))?;
            let chunks = self.object.fetch_chunks(begin..end.min(begin.saturating_add(wanted))).await;
            let chunks = chunks.map_err(|error| self.name(error, index))?;
            reader.get_mut().add(chunks);
            // Unusually long extra fields, or a header longer than the front.
            wanted = next;
            next = next.saturating_mul(4);
        }
    }

    /// Refuses contradictory sizes of a member before it is fetched.
    fn check(&self, index: usize) -> Result<()> {
        let (Some(size), Some(compressed)) = (self.reader.size(index), self.reader.compressed_size(index)) else { return Ok(()) };
        // The size of the content is within the limits: `read` has checked it.
        if self.reader.method(index) == Some(STORED) {
            return if compressed == size { Ok(()) } else { Err(wrong_size(size, compressed)) };
        }
        let most = size.saturating_mul(2).saturating_add(MOST_OVERHEAD);
        match compressed.checked_sub(most) {
            Some(bytes @ 1..) => Err(unused(bytes)),
            _ => Ok(()),
        }
    }

    fn name(&self, error: Error, index: usize) -> Error {
        match self.reader.name(index) {
            Some(name) => error.with_member(name),
            None => error,
        }
    }

    fn locate_member(&self, error: Error, index: usize) -> Error {
        self.name(self.object.locate(error), index)
    }
}

impl fmt::Debug for RemoteNpz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reader.fmt(f)
    }
}
