//! Arrays in memory as batches, and batches as arrays.

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_schema::{ArrowError, Schema};
use npy_core::{DynValues, NpyElement, Order, Result};

use crate::columns::{Columns, RowRange};
use crate::decode::Block;
use crate::encode::{Encoder, Unknown};
use crate::error::of_arrow;
use crate::options::{ArrayOptions, BatchOptions};
use crate::survey::Survey;

/// Makes one batch of an array. The values are copied.
///
/// Use [`into_batch`] to share the memory where possible.
///
/// # Errors
///
/// Fails if the dtype has no Arrow type, or a value no Arrow equivalent.
///
/// ```
/// use npy_arrow::arrow_array::cast::AsArray;
/// use npy_arrow::arrow_array::types::Float64Type;
/// use npy_core::{DynValues, Order};
///
/// let values = DynValues::new(">f8".parse()?, Order::C, &[1], 1.5_f64.to_be_bytes().to_vec())?;
/// let batch = npy_arrow::to_batch(&values)?;
/// assert_eq!(batch.column(0).as_primitive::<Float64Type>().value(0), 1.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_batch(values: &DynValues) -> Result<RecordBatch> {
    to_batch_with(values, BatchOptions::new())
}

/// [`to_batch`] with [`BatchOptions`], of which it ignores the number of rows.
///
/// # Errors
///
/// Fails like [`to_batch`], and if the array lacks a column that the options select.
///
/// ```
/// use npy_arrow::BatchOptions;
/// use npy_core::DynValues;
///
/// let values = DynValues::from_slice(&[1.5_f64, 2.5])?;
/// let batch = npy_arrow::to_batch_with(&values, BatchOptions::new().column_name("depth"))?;
/// assert_eq!(batch.schema().field(0).name(), "depth");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_batch_with(values: &DynValues, options: impl Into<BatchOptions>) -> Result<RecordBatch> {
    batch_of(&Columns::new(values.header(), &options.into())?, values.bytes(), None)
}

/// Makes one batch of an array, which keeps its memory where the bytes allow it.
///
/// Those are the bytes that [`BatchReader::from_buffer`](crate::BatchReader::from_buffer) shares.
///
/// # Errors
///
/// Fails like [`to_batch`].
///
/// ```
/// use npy_core::DynValues;
///
/// let values = DynValues::from_slice(&[1.5_f64, 2.5])?;
/// let memory = values.bytes().as_ptr();
/// let batch = npy_arrow::into_batch(values)?;
/// assert_eq!(batch.column(0).to_data().buffers()[0].as_ptr(), memory);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn into_batch(values: DynValues) -> Result<RecordBatch> {
    into_batch_with(values, BatchOptions::new())
}

/// [`into_batch`] with [`BatchOptions`], of which it ignores the number of rows.
///
/// # Errors
///
/// Fails like [`to_batch_with`].
///
/// ```
/// use npy_arrow::BatchOptions;
/// use npy_core::{DynValues, Order};
///
/// let matrix = DynValues::new("|u1".parse()?, Order::Fortran, &[2, 2], vec![1, 2, 3, 4])?;
/// let batch = npy_arrow::into_batch_with(matrix, BatchOptions::new().matrix_columns(true))?;
/// assert_eq!(batch.num_columns(), 2); // value_0 and value_1, in the memory of the matrix
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn into_batch_with(values: DynValues, options: impl Into<BatchOptions>) -> Result<RecordBatch> {
    let columns = Columns::new(values.header(), &options.into())?;
    let bytes = Buffer::from_vec(values.into_bytes());
    batch_of(&columns, &bytes, Some(&bytes))
}

fn batch_of(columns: &Columns, bytes: &[u8], shared: Option<&Buffer>) -> Result<RecordBatch> {
    columns.batch(&Block { bytes, shared, strides: &[], first_row: 0 }, &RowRange::all(columns.rows))
}

/// Makes an array of batches of a schema.
///
/// The batches are `RecordBatch`es, references to them, or the items of a `RecordBatchReader`. The
/// metadata `npy:descr` of the schema has the dtype, if this crate made the batches: titles, offsets
/// and byte order are those of the original. Otherwise the array is of records, with a field for
/// each column and texts as wide as the longest.
///
/// # Errors
///
/// Fails if a batch has another schema, if a type has no dtype, for a null where the dtype has no
/// missing value, or for a value that the dtype does not hold, such as a longer text.
///
/// ```
/// use npy_arrow::{from_batches, to_batch};
/// use npy_core::{DynValues, Order};
///
/// let dtype = "{'names': ['id', 'x'], 'formats': ['>u2', 'i1'], 'offsets': [0, 4], 'itemsize': 8}".parse()?;
/// let values = DynValues::new(dtype, Order::C, &[1], vec![0, 7, 0, 0, 9, 0, 0, 0])?;
/// let batch = to_batch(&values)?;
/// assert!(from_batches(&batch.schema(), [&batch])? == values);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_batches<B: IntoBatch>(schema: &Schema, batches: impl IntoIterator<Item = B>) -> Result<DynValues> {
    from_batches_with(schema, batches, ArrayOptions::new())
}

/// [`from_batches`] with [`ArrayOptions`].
///
/// # Errors
///
/// Fails like [`from_batches`].
///
/// See [`ArrayOptions`] for an example.
pub fn from_batches_with<B: IntoBatch>(
    schema: &Schema,
    batches: impl IntoIterator<Item = B>,
    options: impl Into<ArrayOptions>,
) -> Result<DynValues> {
    let (mut options, mut bytes) = (options.into(), Vec::new());
    if !Survey::is_needed(schema, &options) {
        let mut encoder = Encoder::new(schema, &options, &Unknown)?;
        for batch in batches {
            encoder.append(&batch.into_batch()?, &mut bytes)?;
        }
        return encoded(encoder, bytes);
    }
    let (mut survey, mut collected) = (Survey::new(schema, options.clone())?, Vec::new());
    for batch in batches {
        let batch = batch.into_batch()?;
        survey.note(&batch)?;
        collected.push(batch);
    }
    options.dtype = Some(survey.row()?);
    let mut encoder = Encoder::new(schema, &options, &Unknown)?;
    for batch in &collected {
        encoder.append(batch, &mut bytes)?;
    }
    encoded(encoder, bytes)
}

fn encoded(encoder: Encoder, bytes: Vec<u8>) -> Result<DynValues> {
    let shape = encoder.shape(usize::try_from(encoder.rows).unwrap_or(usize::MAX));
    DynValues::new(encoder.dtype, Order::C, &shape, bytes)
}

/// A batch or its source: `RecordBatch`, a reference to one, or a `Result` of one.
///
/// See [`from_batches`] for an example.
pub trait IntoBatch: sealed::Sealed {
    /// Returns the batch.
    ///
    /// # Errors
    ///
    /// Fails if the source of the batch failed.
    ///
    /// See [`from_batches`] for an example.
    fn into_batch(self) -> Result<RecordBatch>;
}

mod sealed {
    use super::{ArrowError, RecordBatch};

    #[expect(unnameable_types, reason = "it cannot be implemented outside of this crate")]
    pub trait Sealed {}

    impl Sealed for RecordBatch {}
    impl Sealed for &RecordBatch {}
    impl Sealed for Result<RecordBatch, ArrowError> {}
}

impl IntoBatch for RecordBatch {
    fn into_batch(self) -> Result<RecordBatch> {
        Ok(self)
    }
}

impl IntoBatch for &RecordBatch {
    fn into_batch(self) -> Result<RecordBatch> {
        Ok(self.clone())
    }
}

impl IntoBatch for Result<RecordBatch, ArrowError> {
    fn into_batch(self) -> Result<RecordBatch> {
        self.map_err(of_arrow)
    }
}

/// Makes a batch of Rust values, such as structs with `#[derive(NpyRecord)]`.
///
/// # Errors
///
/// Fails if a value cannot be stored in the dtype of its type, and like [`to_batch`].
///
/// ```
/// use npy_core::NpyRecord;
///
/// #[derive(Debug, NpyRecord, PartialEq)]
/// struct Pick {
///     station: String,
///     time: f64,
/// }
///
/// let picks = vec![Pick { station: "GRF".to_owned(), time: 0.5 }];
/// let batch = npy_arrow::items_to_batch(&picks)?;
/// assert_eq!(batch.schema().field(0).name(), "station");
/// assert_eq!(npy_arrow::items_from_batch::<Pick>(&batch)?, picks);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn items_to_batch<T: NpyElement>(items: &[T]) -> Result<RecordBatch> {
    into_batch(DynValues::from_slice(items)?)
}

/// Makes Rust values of a batch, such as structs with `#[derive(NpyRecord)]`.
///
/// Fields are matched by name. The batch may come from elsewhere: its dtype is then that of its
/// types, so that a field of type `f32` needs a column `Float32`.
///
/// # Errors
///
/// Fails like [`from_batches`], and if the dtype is not that of the type.
///
/// See [`items_to_batch`] for an example.
pub fn items_from_batch<T: NpyElement>(batch: &RecordBatch) -> Result<Vec<T>> {
    from_batches(batch.schema_ref(), [batch])?.to_vec()
}
