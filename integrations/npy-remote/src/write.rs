//! Arrays of known size into a store: one request for a small one, a multipart upload for others.

use std::fmt;
use std::future::poll_fn;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::Poll;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use npy_core::{Error, Header, NpyElement, NpyWriter, Result};
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload, UploadPart};

use crate::failure::{store_failed, with_path};
use crate::object::reserve;
use crate::options::RemoteOptions;

/// S3 refuses smaller parts, except for the last one.
const LEAST_PART: u64 = 5 << 20;

/// S3 refuses more parts.
const MOST_PARTS: u64 = 10_000;

/// Saves a slice as a one-dimensional array, byte for byte as `np.save` does.
///
/// The object appears as a whole when all of it was sent, or stays what it was.
///
/// # Errors
///
/// Fails if the store fails, or if an element cannot be expressed in the dtype. If only the response
/// to the last request is lost, it fails although the new object may be visible.
///
/// HTTP stores refuse multipart uploads, so that more than
/// [`request_bytes`](RemoteOptions::request_bytes) fail there: set it to the size of the file.
///
/// ```
/// use std::sync::Arc;
///
/// use npy_remote::RemoteNpy;
/// use npy_remote::object_store::memory::InMemory;
///
/// # #[tokio::main]
/// # async fn main() -> npy_remote::Result<()> {
/// let store = Arc::new(InMemory::new());
/// npy_remote::save(store.clone(), "samples.npy", &[0.5_f64, 1.5]).await?;
/// assert_eq!(RemoteNpy::open(store, "samples.npy").await?.read_all::<f64>().await?, [0.5, 1.5]);
/// # Ok(())
/// # }
/// ```
pub async fn save<T: NpyElement>(store: Arc<dyn ObjectStore>, path: impl Into<Path>, items: &[T]) -> Result<()> {
    save_with(store, path, items, RemoteOptions::new()).await
}

/// [`save`] with [`RemoteOptions`].
///
/// # Errors
///
/// Fails like [`save`].
///
/// ```
/// # use std::sync::Arc;
/// # use npy_remote::object_store::memory::InMemory;
/// use npy_remote::RemoteOptions;
///
/// # #[tokio::main]
/// # async fn main() -> npy_remote::Result<()> {
/// # let store = Arc::new(InMemory::new());
/// npy_remote::save_with(store, "samples.npy", &[0.5_f64, 1.5], RemoteOptions::new().requests(2)).await?;
/// # Ok(())
/// # }
/// ```
pub async fn save_with<T: NpyElement>(
    store: Arc<dyn ObjectStore>,
    path: impl Into<Path>,
    items: &[T],
    options: impl Into<RemoteOptions>,
) -> Result<()> {
    let path = path.into();
    let header = Header::of_slice(items).map_err(|error| with_path(error, &path, &*store))?;
    let mut writer = RemoteWriter::create_with(store, path, &header, options)?;
    writer.write_slice(items).await?;
    writer.finish().await
}

/// Writes an array of known size, one slice after another, in bounded memory.
///
/// Small arrays are sent by one request when they are [finished](Self::finish), others in parts
/// while they are written. The object appears as a whole at the end, or stays what it was.
///
/// Parts wait in memory until there are as many as [requests](RemoteOptions::requests), and are then
/// sent at the same time. The call that sends them returns when they have arrived, so that no
/// request runs out of time while the caller computes the next elements.
///
/// # Drop
///
/// A writer that is dropped without [`finish`](Self::finish) leaves no object. After an error it
/// has aborted the upload. Without one, it cannot: local files and memory are cleaned up, but S3 and
/// GCS keep the parts, which no one sees, until a lifecycle rule of the bucket removes them.
///
/// ```
/// use std::sync::Arc;
///
/// use npy_core::{Header, NpyElement, Order};
/// use npy_remote::object_store::memory::InMemory;
/// use npy_remote::{RemoteNpy, RemoteWriter};
///
/// # #[tokio::main]
/// # async fn main() -> npy_remote::Result<()> {
/// let store = Arc::new(InMemory::new());
/// let header = Header::new(f32::dtype(), Order::C, &[2, 3])?;
/// let mut writer = RemoteWriter::create(store.clone(), "grid.npy", &header)?;
/// writer.write_slice(&[1.0_f32, 2.0, 3.0]).await?;
/// writer.write_slice(&[4.0, 5.0, 6.0]).await?;
/// writer.finish().await?;
/// assert_eq!(RemoteNpy::open(store, "grid.npy").await?.header(), &header);
/// # Ok(())
/// # }
/// ```
#[must_use = "the object appears only with `finish`"]
pub struct RemoteWriter<T: NpyElement> {
    /// `None` while a call is at work, and after it has failed or was cancelled.
    writer: Option<NpyWriter<T, Parts>>,
    complete: Receiver<Vec<u8>>,
    upload: Upload,
    /// The number of elements that are encoded at a time.
    block: usize,
}

impl<T: NpyElement> RemoteWriter<T> {
    /// Begins an array of any shape, order and dtype.
    ///
    /// Write the elements in the order of the header. No request is made yet.
    ///
    /// # Errors
    ///
    /// Fails if the dtype does not fit `T`, and lists every difference; or if a part cannot be
    /// allocated.
    ///
    /// See [`RemoteWriter`] for an example.
    pub fn create(store: Arc<dyn ObjectStore>, path: impl Into<Path>, header: &Header) -> Result<Self> {
        Self::create_with(store, path, header, RemoteOptions::new())
    }

    /// [`create`](Self::create) with [`RemoteOptions`].
    ///
    /// # Errors
    ///
    /// Fails like [`create`](Self::create).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_core::{Header, NpyElement, Order};
    /// # use npy_remote::object_store::memory::InMemory;
    /// use npy_remote::{RemoteOptions, RemoteWriter};
    ///
    /// # #[tokio::main]
    /// # async fn main() -> npy_remote::Result<()> {
    /// # let store = Arc::new(InMemory::new());
    /// # let header = Header::new(u8::dtype(), Order::C, &[1])?;
    /// let mut writer = RemoteWriter::create_with(store, "x.npy", &header, RemoteOptions::new().request_bytes(32 << 20))?;
    /// writer.write_slice(&[7_u8]).await?;
    /// writer.finish().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_with(
        store: Arc<dyn ObjectStore>,
        path: impl Into<Path>,
        header: &Header,
        options: impl Into<RemoteOptions>,
    ) -> Result<Self> {
        let (path, options) = (path.into(), options.into());
        let total = (header.to_bytes().len() as u64).saturating_add(header.data_bytes());
        let part = options.request_bytes.max(LEAST_PART).max(total.div_ceil(MOST_PARTS));
        let part = usize::try_from(part).unwrap_or(usize::MAX);
        let (sender, complete) = channel();
        let mut bytes = Vec::new();
        // An array beyond 10,000 GiB has larger parts than the options say.
        let size = usize::try_from(total).unwrap_or(usize::MAX).min(part);
        reserve(&mut bytes, size).map_err(|error| with_path(error, &path, &*store))?;
        let writer = NpyWriter::with_header(Parts { sender, part, bytes }, header);
        let writer = Some(writer.map_err(|error| with_path(error, &path, &*store))?);
        let (parts, is_one) = (FuturesUnordered::new(), total <= part as u64);
        let upload = Upload { store, path, is_one, multipart: None, full: Vec::new(), parts, requests: options.requests };
        Ok(Self { writer, complete, upload, block: (part / header.dtype().itemsize().max(1)).max(1) })
    }

    /// Writes the next elements.
    ///
    /// It returns when they are encoded and all parts that it began to send have arrived.
    ///
    /// # Errors
    ///
    /// Fails if the array is full, if an element cannot be expressed in the dtype, or if the store
    /// fails. The upload is aborted then, and nothing more can be written. Nor can it after a call
    /// that was cancelled.
    ///
    /// See [`RemoteWriter`] for an example.
    pub async fn write_slice(&mut self, items: &[T]) -> Result<()> {
        let mut writer = self.take().await?;
        for block in items.chunks(self.block) {
            let sent = match writer.write_slice(block) {
                Ok(()) => self.send().await,
                error => error,
            };
            if let Err(error) = sent {
                return Err(self.upload.abort(error).await);
            }
        }
        // Nothing polls a request between two calls.
        if let Err(error) = self.upload.drain().await {
            return Err(self.upload.abort(error).await);
        }
        self.writer = Some(writer);
        Ok(())
    }

    /// Sends what remains, and makes the object visible.
    ///
    /// # Errors
    ///
    /// Fails if fewer elements were written than the header says, or if the store fails. The upload
    /// is aborted then. If only the response to the last request is lost, it fails although the new
    /// object may be visible.
    ///
    /// See [`RemoteWriter`] for an example.
    pub async fn finish(mut self) -> Result<()> {
        let writer = self.take().await?;
        let result = match writer.finish() {
            Ok(rest) => match self.send().await {
                Ok(()) => self.upload.finish(rest.bytes).await,
                error => error,
            },
            Err(error) => Err(error),
        };
        match result {
            Ok(()) => Ok(()),
            Err(error) => Err(self.upload.abort(error).await),
        }
    }

    async fn take(&mut self) -> Result<NpyWriter<T, Parts>> {
        match self.writer.take() {
            Some(writer) => Ok(writer),
            None => {
                let failed = Error::failed_before("cannot write the array", None);
                // A call that was cancelled has not aborted the upload.
                Err(self.upload.abort(failed).await)
            }
        }
    }

    async fn send(&mut self) -> Result<()> {
        while let Ok(part) = self.complete.try_recv() {
            self.upload.send(part).await?;
        }
        Ok(())
    }
}

/// Assembles parts of the same size, which some stores demand.
struct Parts {
    sender: Sender<Vec<u8>>,
    part: usize,
    bytes: Vec<u8>,
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full part goes only when more comes: the last one is sent with the end.
        if self.bytes.len() == self.part {
            let mut next = Vec::new();
            next.try_reserve_exact(self.part)?;
            // The receiver lives as long as the writer.
            let _ = self.sender.send(std::mem::replace(&mut self.bytes, next));
        }
        let count = bytes.len().min(self.part - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Upload {
    store: Arc<dyn ObjectStore>,
    path: Path,
    /// Whether it is sent by one request.
    is_one: bool,
    /// Begun with the first part.
    multipart: Option<Box<dyn MultipartUpload>>,
    /// Parts that are not sent yet.
    full: Vec<Vec<u8>>,
    /// Parts in flight.
    parts: FuturesUnordered<UploadPart>,
    requests: usize,
}

impl Upload {
    /// Takes a part, and sends it with those before it as soon as they are enough for all requests.
    async fn send(&mut self, part: Vec<u8>) -> Result<()> {
        self.full.push(part);
        if self.parts.is_empty() && self.full.len() < self.requests {
            return Ok(());
        }
        self.start().await
    }

    /// Sends the parts that wait, and returns when all of them are in flight.
    async fn start(&mut self) -> Result<()> {
        for part in std::mem::take(&mut self.full) {
            while self.parts.len() >= self.requests {
                self.wait().await?;
            }
            let multipart = match &mut self.multipart {
                Some(multipart) => multipart,
                none => none.insert(self.store.put_multipart(&self.path).await.map_err(|error| cannot_write(&error))?),
            };
            self.parts.push(multipart.put_part(PutPayload::from(part)));
        }
        // A request begins when it is polled first. The next part is encoded meanwhile.
        let polled = poll_fn(|context| Poll::Ready(self.parts.poll_next_unpin(context))).await;
        match polled {
            Poll::Ready(Some(sent)) => sent.map_err(|error| cannot_write(&error)),
            Poll::Ready(None) | Poll::Pending => Ok(()),
        }
    }

    /// Waits for one of the parts in flight; returns whether there was one.
    async fn wait(&mut self) -> Result<bool> {
        self.parts.next().await.transpose().map(|sent| sent.is_some()).map_err(|error| cannot_write(&error))
    }

    /// Waits for all parts in flight.
    async fn drain(&mut self) -> Result<()> {
        while self.wait().await? {}
        Ok(())
    }

    async fn finish(&mut self, rest: Vec<u8>) -> Result<()> {
        if self.is_one {
            return self.store.put(&self.path, rest.into()).await.map(drop).map_err(|error| cannot_write(&error));
        }
        self.full.push(rest);
        self.start().await?;
        self.drain().await?;
        match &mut self.multipart {
            Some(multipart) => multipart.complete().await.map(drop).map_err(|error| cannot_write(&error)),
            None => Ok(()),
        }
    }

    /// Removes the parts that were sent, and returns the error with the path.
    async fn abort(&mut self, error: Error) -> Error {
        self.full = Vec::new();
        self.parts = FuturesUnordered::new();
        if let Some(mut multipart) = self.multipart.take() {
            // The first error says what went wrong.
            let _ = multipart.abort().await;
        }
        with_path(error, &self.path, &*self.store)
    }
}

#[cold]
fn cannot_write(error: &object_store::Error) -> Error {
    store_failed("cannot write the object", error)
}

impl<T: NpyElement> fmt::Debug for RemoteWriter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteWriter").field("path", &self.upload.path).field("writer", &self.writer).finish_non_exhaustive()
    }
}
