//! A store over another one that counts requests and fails on demand, and arrays to read.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use npy_core::NpyRecord;
use npy_remote::object_store::memory::InMemory;
use npy_remote::object_store::path::Path;
use npy_remote::object_store::{
    CopyOptions, Error, GetOptions, GetRange, GetResult, GetResultPayload, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart,
};

/// What happens to a request.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The store fails, as after a timeout of its own.
    Fail,
    /// It never answers.
    Hang,
    /// The response is longer than it says by this number of bytes, or shorter.
    Length(i64),
    /// The response is of bytes that begin later than was requested.
    Shifted,
    /// The response ends with an error.
    BreakOff,
    /// The object is replaced by these bytes before the request.
    Replace(Bytes),
    /// The store says another size of the object.
    Size(u64),
    /// The store does not know such requests.
    NotSupported,
}

/// A request and what came of it.
#[derive(Clone, Debug)]
pub struct Request {
    pub options: GetOptions,
    pub bytes: u64,
}

type Decide = dyn Fn(usize, &GetOptions) -> Option<Fault> + Send + Sync;

/// A store that decides for each request, by its number, whether it fails.
pub struct FaultStore {
    inner: Arc<dyn ObjectStore>,
    decide: Box<Decide>,
    pub log: Arc<Mutex<Vec<Request>>>,
    /// Whether responses have an e-tag, and conditions are checked.
    pub has_e_tags: bool,
    /// The part of an upload that fails, or the end of it.
    pub failing_part: Option<usize>,
    pub uploads: Arc<Mutex<Vec<&'static str>>>,
    pub flights: Arc<Flights>,
}

/// How many parts of uploads have begun and not ended: now, and at most.
#[derive(Debug, Default)]
pub struct Flights {
    pub now: AtomicUsize,
    pub most: AtomicUsize,
}

impl FaultStore {
    pub fn new(inner: Arc<dyn ObjectStore>, decide: impl Fn(usize, &GetOptions) -> Option<Fault> + Send + Sync + 'static) -> Self {
        let (log, uploads, flights) = Default::default();
        Self { inner, decide: Box::new(decide), log, has_e_tags: true, failing_part: None, uploads, flights }
    }

    /// A store that only counts.
    pub fn counting(inner: Arc<dyn ObjectStore>) -> Arc<Self> {
        Arc::new(Self::new(inner, |_, _| None))
    }

    /// The requests since the last call, and their bytes.
    pub fn taken(&self) -> (usize, u64) {
        let log = std::mem::take(&mut *self.log.lock().unwrap());
        (log.len(), log.iter().map(|request| request.bytes).sum())
    }
}

impl fmt::Display for FaultStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FaultStore")
    }
}

impl fmt::Debug for FaultStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FaultStore")
    }
}

pub fn failure() -> Error {
    Error::Generic { store: "test", source: "request timed out".into() }
}

#[async_trait]
impl ObjectStore for FaultStore {
    async fn get_opts(&self, path: &Path, mut options: GetOptions) -> Result<GetResult> {
        let number = {
            let mut log = self.log.lock().unwrap();
            log.push(Request { options: options.clone(), bytes: 0 });
            log.len() - 1
        };
        let fault = (self.decide)(number, &options);
        match &fault {
            Some(Fault::Fail) => return Err(failure()),
            Some(Fault::NotSupported) => return Err(Error::NotSupported { source: "no such requests".into() }),
            Some(Fault::Hang) => std::future::pending::<()>().await,
            Some(Fault::Replace(bytes)) => drop(self.inner.put(path, bytes.clone().into()).await?),
            Some(Fault::Shifted) => {
                if let Some(GetRange::Bounded(range)) = &mut options.range {
                    *range = range.start + 1..range.end + 1;
                }
            }
            _ => {}
        }
        if !self.has_e_tags {
            // A plain server, which ignores conditions.
            options = GetOptions::new().with_range(options.range);
        }
        let mut result = self.inner.get_opts(path, options).await?;
        if !self.has_e_tags {
            result.meta.e_tag = None;
        }
        if let Some(Fault::Size(size)) = fault {
            result.meta.size = size;
        }
        let (meta, range, attributes) = (result.meta.clone(), result.range.clone(), result.attributes.clone());
        let mut bytes = result.bytes().await?;
        if let Some(Fault::Length(difference)) = fault {
            let length = bytes.len().checked_add_signed(difference as isize).unwrap();
            let mut changed = bytes.to_vec();
            changed.resize(length, 0xEE);
            bytes = changed.into();
        }
        self.log.lock().unwrap()[number].bytes = bytes.len() as u64;
        // As from a network: in chunks.
        let mut chunks: Vec<Result<Bytes>> = bytes.chunks(10_000).map(|chunk| Ok(bytes.slice_ref(chunk))).collect();
        if let Some(Fault::BreakOff) = fault {
            chunks.truncate(chunks.len() / 2);
            chunks.push(Err(failure()));
        }
        let payload = GetResultPayload::Stream(stream::iter(chunks).boxed());
        Ok(GetResult { payload, meta, range, attributes })
    }

    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.uploads.lock().unwrap().push("put");
        if self.failing_part == Some(0) {
            return Err(failure());
        }
        self.inner.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(&self, path: &Path, options: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.uploads.lock().unwrap().push("begin");
        let (upload, log) = (self.inner.put_multipart_opts(path, options).await?, Arc::clone(&self.uploads));
        let flights = Arc::clone(&self.flights);
        Ok(Box::new(FaultUpload { upload, log, flights, part: 0, failing_part: self.failing_part }))
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

#[derive(Debug)]
struct FaultUpload {
    upload: Box<dyn MultipartUpload>,
    log: Arc<Mutex<Vec<&'static str>>>,
    flights: Arc<Flights>,
    part: usize,
    failing_part: Option<usize>,
}

#[async_trait]
impl MultipartUpload for FaultUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        self.log.lock().unwrap().push("part");
        let part = self.part;
        self.part += 1;
        if self.failing_part == Some(part) {
            return async { Err(failure()) }.boxed_part();
        }
        let (sent, flights) = (self.upload.put_part(data), Arc::clone(&self.flights));
        let sent = async move {
            let now = flights.now.fetch_add(1, Ordering::Relaxed) + 1;
            flights.most.fetch_max(now, Ordering::Relaxed);
            // As from a network: the answer comes later.
            tokio::task::yield_now().await;
            let result = sent.await;
            flights.now.fetch_sub(1, Ordering::Relaxed);
            result
        };
        sent.boxed_part()
    }

    async fn complete(&mut self) -> Result<PutResult> {
        self.log.lock().unwrap().push("complete");
        // One more than the parts: the end itself fails.
        if self.failing_part == Some(self.part) {
            return Err(failure());
        }
        self.upload.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.log.lock().unwrap().push("abort");
        self.upload.abort().await
    }
}

trait BoxedPart {
    fn boxed_part(self) -> UploadPart;
}

impl<F: Future<Output = Result<()>> + Send + 'static> BoxedPart for F {
    fn boxed_part(self) -> UploadPart {
        Box::pin(self)
    }
}

/// A store with one object.
pub async fn memory(path: &str, bytes: impl Into<PutPayload>) -> Arc<InMemory> {
    let store = Arc::new(InMemory::new());
    store.put(&path.into(), bytes.into()).await.unwrap();
    store
}

/// A store of one object of any size, whose bytes are a header and then those of a function, or
/// zeros. It ends with a tail.
pub struct Computed {
    pub header: Vec<u8>,
    pub size: u64,
    pub byte: Option<fn(u64) -> u8>,
    pub tail: Vec<u8>,
}

impl fmt::Display for Computed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Computed")
    }
}

impl fmt::Debug for Computed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Computed")
    }
}

impl Computed {
    fn bytes(&self, range: Range<u64>) -> Bytes {
        let (header, tail) = (self.header.len() as u64, self.size - self.tail.len() as u64);
        let mut bytes = vec![0; (range.end - range.start) as usize];
        if let Some(byte) = self.byte {
            for (byte_at, at) in bytes.iter_mut().zip(range.clone()) {
                *byte_at = byte(at.saturating_sub(header));
            }
        }
        for (begin, part) in [(0, &self.header), (tail, &self.tail)] {
            let (from, to) = (range.start.max(begin), range.end.min(begin + part.len() as u64));
            if from < to {
                let target = &mut bytes[(from - range.start) as usize..(to - range.start) as usize];
                target.copy_from_slice(&part[(from - begin) as usize..(to - begin) as usize]);
            }
        }
        bytes.into()
    }
}

#[async_trait]
impl ObjectStore for Computed {
    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        let e_tag = Some("\"computed\"".to_owned());
        let meta = ObjectMeta { location: path.clone(), last_modified: Default::default(), size: self.size, e_tag, version: None };
        options.check_preconditions(&meta)?;
        let range = options.range.unwrap_or(GetRange::Offset(0)).as_range(self.size).unwrap();
        let bytes = self.bytes(range.clone());
        let payload = GetResultPayload::Stream(stream::iter([Ok(bytes)]).boxed());
        Ok(GetResult { payload, meta, range, attributes: Default::default() })
    }

    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        Err(failure())
    }

    /// What is sent is discarded.
    async fn put_multipart_opts(&self, _: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        Ok(Box::new(Discard))
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        paths
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        stream::empty().boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        Err(failure())
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        Err(failure())
    }
}

#[derive(Debug)]
struct Discard;

#[async_trait]
impl MultipartUpload for Discard {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        // The part is in memory until it is sent.
        Box::pin(async {
            drop(data);
            Ok(())
        })
    }

    async fn complete(&mut self) -> Result<PutResult> {
        Ok(PutResult { e_tag: None, version: None })
    }

    async fn abort(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A generator of numbers that are the same in each run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `most`.
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

#[derive(Clone, Debug, PartialEq, NpyRecord)]
pub struct Origin {
    pub time: f64,
    pub depth: f32,
}

/// A record with text, padding and a nested record.
#[derive(Clone, Debug, PartialEq, NpyRecord)]
#[npy(align)]
pub struct Pick {
    pub station: String,
    pub origin: Origin,
    pub amplitudes: [i16; 3],
    pub is_manual: bool,
}

pub fn picks(count: usize) -> Vec<Pick> {
    let pick = |i: usize| Pick {
        station: format!("S{i:05}"),
        origin: Origin { time: i as f64 / 4.0, depth: i as f32 },
        amplitudes: [i as i16, -(i as i16), 7],
        is_manual: i.is_multiple_of(3),
    };
    (0..count).map(pick).collect()
}

pub fn file<T: npy_core::NpyElement>(items: &[T]) -> Vec<u8> {
    let mut file = Vec::new();
    npy_core::write(&mut file, items).unwrap();
    file
}

/// The file of a header and these bytes.
pub fn file_of(dtype: &str, order: npy_core::Order, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let header = npy_core::Header::new(dtype.parse().unwrap(), order, shape).unwrap();
    [header.to_bytes(), data.to_vec()].concat()
}
