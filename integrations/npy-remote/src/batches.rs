//! Rows as Arrow record batches.

use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use npy_arrow::arrow_array::{RecordBatch, RecordBatchReader};
use npy_arrow::arrow_buffer::Buffer;
use npy_arrow::arrow_schema::SchemaRef;
use npy_arrow::{BatchOptions, BatchReader};
use npy_core::region::AxisRange;
use npy_core::{Header, Order};

use crate::error::Result;
use crate::npy::RemoteNpy;
#[cfg(doc)]
use crate::options::RemoteOptions;

impl RemoteNpy {
    /// Returns a stream of the rows as Arrow record batches, in order and in bounded memory.
    ///
    /// A row is an index of the first axis in either order, as in [`npy_arrow`]. Several batches
    /// come with one response, and several requests are in flight while the stream is polled.
    /// Batches share the memory of a response where the bytes allow it. After an error the stream
    /// ends.
    ///
    /// In Fortran order the rows of a matrix are in pieces, which take a request for each column
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
        let (array, located, options) = (self.clone(), self.clone(), options.into());
        let header = self.header();
        self.array().check(0, header.data_bytes())?;
        // Without rows; an array without axes is one row. The schema is that of all parts.
        let mut shape = header.shape().to_vec();
        if let Some(rows) = shape.first_mut() {
            *rows = 0;
        }
        let empty = header.with_shape(&shape).map_err(|error| self.array().locate(error))?;
        let zeros = vec![0_u8; usize::try_from(empty.data_bytes()).unwrap_or(usize::MAX)];
        let probe = self.part(&(0..0), &empty, Buffer::from_vec(zeros), &options)?;
        let (schema, batch_rows) = (probe.schema(), probe.batch_rows());
        let rows = header.shape().first().copied().unwrap_or(1);
        let row_bytes = header.data_bytes().checked_div(rows as u64).unwrap_or(0).max(1);
        let remote = &self.array().object.options;
        // As many whole batches as a request has room for.
        let batches = remote.request_bytes / row_bytes / batch_rows as u64;
        let part_rows = usize::try_from(batches).unwrap_or(usize::MAX).max(1).saturating_mul(batch_rows);
        // Parts that are one request come several at a time; others are themselves several requests.
        let is_one = header.order() == Order::C || header.shape().len() < 2;
        let parts = if is_one && batches > 0 { remote.requests } else { 1 };
        let begins = std::iter::successors(Some(0), move |begin: &usize| begin.checked_add(part_rows));
        let stream = stream::iter(begins.take_while(move |begin| *begin < rows))
            .map(move |begin| {
                let (array, options) = (array.clone(), options.clone());
                let rows = begin..begin.saturating_add(part_rows).min(rows);
                async move { array.read_part(rows, &options).await }
            })
            .buffered(parts)
            .map_ok(move |part| {
                let array = located.clone();
                stream::iter(part).map_err(move |error| array.array().locate(error))
            })
            .try_flatten();
        Ok(Batches { schema, stream: Some(stream.boxed()) })
    }

    /// The batches of some rows.
    async fn read_part(&self, rows: Range<usize>, options: &BatchOptions) -> Result<BatchReader> {
        let header = self.header();
        let mut region = vec![AxisRange::from(..); header.shape().len()];
        if let Some(axis) = region.first_mut() {
            *axis = rows.clone().into();
        }
        let (ranges, shape) = self.array().region(&region)?;
        let header = header.with_shape(&shape).map_err(|error| self.array().locate(error))?;
        let bytes = self.array().gather(ranges, &header).await?;
        self.part(&rows, &header, Buffer::from(bytes), options)
    }

    fn part(&self, rows: &Range<usize>, header: &Header, data: Buffer, options: &BatchOptions) -> Result<BatchReader> {
        BatchReader::from_rows(header.clone(), data, rows.start as u64, options.clone()).map_err(|error| self.array().locate(error))
    }
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
