//! Rows as Arrow record batches.

use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use npy_arrow::arrow_array::RecordBatch;
use npy_arrow::arrow_buffer::Buffer;
use npy_arrow::arrow_schema::SchemaRef;
use npy_arrow::{BatchDecoder, BatchOptions};
use npy_core::region::AxisRange;
use npy_core::{Order, Result};

use crate::npy::RemoteNpy;
#[cfg(doc)]
use crate::options::RemoteOptions;

impl RemoteNpy {
    /// Returns a stream of the rows as Arrow record batches, in order and in bounded memory.
    ///
    /// A row is an index of the first axis in either order, as in [`npy_arrow`]. As many batches
    /// come with one response as [`request_bytes`](RemoteOptions::request_bytes) holds, and several
    /// requests are in flight while the stream is polled. A larger batch takes several requests, and
    /// the next one begins after it. With the defaults those are batches of rows beyond 1 KiB:
    /// [`BatchOptions::rows`] makes them smaller. Batches share the memory of a response where the
    /// bytes allow it. After an error the stream ends.
    ///
    /// A slow consumer leaves requests unpolled: see
    /// [time limits](crate#runtimes-and-time-limits).
    ///
    /// In Fortran order the rows of a matrix are scattered, and take a request for each column
    /// unless they are [near](RemoteOptions::gap).
    ///
    /// # Errors
    ///
    /// Fails if the dtype has no Arrow type, if the object is truncated, or if the options select a
    /// column that is not there.
    /// The stream fails like [`read_all`](Self::read_all), and if a value has no equivalent in Arrow.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use futures_util::TryStreamExt;
    /// use npy_arrow::BatchOptions;
    /// # use npy_remote::RemoteNpy;
    /// # use npy_remote::object_store::memory::InMemory;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> npy_remote::Result<()> {
    /// # let store = Arc::new(InMemory::new());
    /// npy_remote::save(store.clone(), "samples.npy", &[0.5_f64, 1.5, 2.5]).await?;
    /// let mut batches = RemoteNpy::open(store, "samples.npy").await?.batches(BatchOptions::new().rows(2))?;
    /// assert_eq!(batches.schema().field(0).name(), "value");
    /// while let Some(batch) = batches.try_next().await? {
    ///     println!("{} rows", batch.num_rows());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn batches(&self, options: impl Into<BatchOptions>) -> Result<Batches> {
        let header = self.header();
        self.array().check(0, header.data_bytes())?;
        let decoder = BatchDecoder::new(header, options).map_err(|error| self.array().locate(error))?;
        let (schema, batch_rows, rows) = (decoder.schema().clone(), decoder.batch_rows(), decoder.rows());
        let remote = &self.array().object.options;
        // As many whole batches as a request holds.
        let batches = remote.request_bytes / decoder.row_bytes().max(1) as u64 / batch_rows as u64;
        let part_rows = usize::try_from(batches).unwrap_or(usize::MAX).max(1).saturating_mul(batch_rows);
        // Batches of one request are fetched several at a time; others are several requests themselves.
        let is_one = header.order() == Order::C || header.shape().len() < 2;
        let parts = if is_one && batches > 0 { remote.requests } else { 1 };
        let (array, located, decoder) = (self.clone(), self.clone(), Arc::new(decoder));
        let stream = stream::iter(split(0..rows, part_rows))
            .map(move |part| {
                let array = array.clone();
                async move { array.fetch_rows(part.clone()).await.map(|bytes| (bytes, part)) }
            })
            .buffered(parts)
            .map_ok(move |(bytes, part)| {
                let (array, decoder) = (located.clone(), Arc::clone(&decoder));
                let rows = split(part.clone(), batch_rows);
                let batch = move |rows| decoder.decode(&bytes, part.clone(), rows).map_err(|error| array.array().locate(error));
                stream::iter(rows.map(batch))
            })
            .try_flatten();
        Ok(Batches { schema, stream: Some(stream.boxed()) })
    }

    /// Reads the bytes of some rows of the first axis, as [`BatchDecoder::decode`] takes them.
    ///
    /// An engine that divides the rows itself, or that decodes some columns before the others, calls
    /// this instead of [`batches`](Self::batches).
    ///
    /// # Errors
    ///
    /// Fails if the rows are out of bounds, if the file is too short, if the object was replaced, or
    /// if the store fails.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_remote::RemoteNpy;
    /// # use npy_remote::object_store::memory::InMemory;
    /// use npy_arrow::{BatchDecoder, BatchOptions};
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let store = Arc::new(InMemory::new());
    /// # npy_remote::save(store.clone(), "a.npy", &[1.5_f64, 2.5, 4.0]).await?;
    /// let array = RemoteNpy::open(store, "a.npy").await?;
    /// let decoder = BatchDecoder::new(array.header(), BatchOptions::new())?;
    /// let bytes = array.fetch_rows(1..3).await?;
    /// let batch = decoder.decode(&bytes, 1..3, 1..3)?;
    /// assert_eq!(batch.num_rows(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn fetch_rows(&self, rows: Range<usize>) -> Result<Buffer> {
        let header = self.header();
        let mut region = vec![AxisRange::from(..); header.shape().len()];
        if let Some(axis) = region.first_mut() {
            *axis = rows.into();
        }
        let (ranges, shape) = self.array().region(&region)?;
        let header = header.with_shape(&shape).map_err(|error| self.array().locate(error))?;
        self.array().gather(ranges, &header).await.map(Buffer::from)
    }
}

/// Splits rows into ranges of the same length.
fn split(rows: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> + Send {
    let end = rows.end;
    rows.step_by(length).map(move |start| start..start.saturating_add(length).min(end))
}

/// A stream of record batches: see [`RemoteNpy::batches`].
pub struct Batches {
    schema: SchemaRef,
    /// `None` after an error.
    stream: Option<BoxStream<'static, Result<RecordBatch>>>,
}

impl Batches {
    /// Returns the schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl Stream for Batches {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(stream) = &mut self.stream else { return Poll::Ready(None) };
        let next = stream.poll_next_unpin(context);
        if matches!(next, Poll::Ready(None | Some(Err(_)))) {
            self.stream = None;
        }
        next
    }
}

impl fmt::Debug for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches").field("schema", &self.schema).finish_non_exhaustive()
    }
}
