//! The first of two reads of a table: the dtype and the shape of its array, and its losses.

use std::collections::BTreeSet;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use npy_core::dtype::ScalarKind;
use npy_core::{DType, Header, Order, Result};

use crate::dtypes::{Inferred, Sizes, join};
use crate::encode::{Encoder, Given};
use crate::foreign::{is_text, item_of, items_of_lists, plain_type};
use crate::metadata::{DESCR, DTYPE};
use crate::options::ArrayOptions;
use crate::widths::{RowDType, Widths, is_unsized};

/// The dtype and the shape of the array of a table that can be read twice, and what the array loses.
///
/// The types of Arrow do not say how wide texts and how long lists are. A first read finds these sizes:
/// texts become as wide as the widest, and lists of one length sub-arrays. Columns that still have the type of the
/// metadata `npy:descr` keep its dtype, as in [`RowDType`]. A second read then takes the memory of one batch. [`ipc::to_npy`](crate::ipc::to_npy) and [`parquet::to_npy`](crate::parquet::to_npy) do both.
///
/// ```
/// use std::sync::Arc;
///
/// use npy_arrow::arrow_array::{ArrayRef, RecordBatch, StringArray, TimestampSecondArray};
/// use npy_arrow::{ArrayOptions, Survey, write_batches};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("names.npy");
/// let names: ArrayRef = Arc::new(StringArray::from(vec!["Ada", "Grace"]));
/// let born: ArrayRef = Arc::new(TimestampSecondArray::from(vec![-4_858_185_600, -1_990_483_200]).with_timezone("Europe/London"));
/// let batch = RecordBatch::try_from_iter([("name", names), ("born", born)])?;
///
/// let mut survey = Survey::new(&batch.schema(), ArrayOptions::new())?;
/// survey.note(&batch)?; // each batch
/// let header = survey.header()?;
/// assert_eq!(header.dtype().to_string(), "[('name', '<U5'), ('born', '<M8[s]')]");
/// assert_eq!(header.shape(), [2]);
/// assert_eq!(survey.losses().collect::<Vec<_>>(), ["the time zone Europe/London of the column \"born\""]);
///
/// write_batches(&path, &batch.schema(), [&batch], ArrayOptions::new().dtype(header.dtype().clone()))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Survey {
    schema: Schema,
    options: ArrayOptions,
    /// The dtypes of the metadata, of the columns that still have their type.
    known: Option<RowDType>,
    /// Knows the columns. Its sizes are placeholders.
    encoder: Encoder,
    widths: Widths,
    pub(crate) rows: usize,
    losses: BTreeSet<String>,
}

/// Sizes that are not known yet.
struct Placeholder;

impl Sizes for Placeholder {
    fn text(&self, _: &str, data_type: &DataType) -> Result<ScalarKind> {
        Ok(if is_text(data_type) { ScalarKind::Unicode { length: 1 } } else { ScalarKind::Bytes { length: 1 } })
    }

    fn list(&self, _: &str, _: &DataType) -> Result<usize> {
        Ok(1)
    }
}

impl Survey {
    /// Begins the survey of batches of a schema.
    ///
    /// # Errors
    ///
    /// Fails if a type has no dtype, or if a selected column is missing.
    ///
    /// See [`Survey`] for an example.
    pub fn new(schema: &Schema, options: impl Into<ArrayOptions>) -> Result<Self> {
        let (options, mut schema, mut losses) = (options.into(), schema.clone(), BTreeSet::new());
        let (is_stale, metadata) = (is_stale(&schema, &options), schema.metadata().clone());
        if is_stale {
            schema.metadata.remove(DESCR);
        }
        let encoder = Encoder::new(&schema, &options, &Placeholder)?;
        for field in encoder.schema().fields() {
            note_type(field, field.name(), &mut losses);
        }
        let has_descr = options.dtype.is_none() && metadata.contains_key(DESCR);
        let known = has_descr.then(|| RowDType::of(&encoder.schema().clone().with_metadata(metadata)));
        let known = known.filter(|known| is_stale || known.is_whole());
        Ok(Self { schema, options, known, encoder, widths: Widths::default(), rows: 0, losses })
    }

    /// Whether the dtype of batches depends on their values, or is not that of the metadata.
    pub(crate) fn is_needed(schema: &Schema, options: &ArrayOptions) -> bool {
        match schema.metadata().contains_key(DESCR) {
            _ if options.dtype.is_some() => false,
            true => is_stale(schema, options),
            false => schema.fields().iter().any(|field| is_unsized(field.data_type(), options.text_width.is_some())),
        }
    }

    /// Measures a batch.
    ///
    /// # Errors
    ///
    /// Fails if the batch lacks a selected column.
    ///
    /// See [`Survey`] for an example.
    pub fn note(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = self.encoder.select(batch)?;
        self.widths.note(&batch);
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            note_nulls(field, column, field.name(), &mut self.losses);
        }
        self.rows = self.rows.saturating_add(batch.num_rows());
        Ok(())
    }

    /// Returns the header of the array of all batches.
    ///
    /// # Errors
    ///
    /// Fails if a column has lists of several lengths, or bytes that no dtype keeps.
    ///
    /// See [`Survey`] for an example.
    pub fn header(&self) -> Result<Header> {
        let encoder = self.sized()?;
        Header::new(encoder.dtype.clone(), Order::C, &encoder.shape(self.rows))
    }

    /// The dtype of a row, with the axes after the first.
    pub(crate) fn row(&self) -> Result<DType> {
        let encoder = self.sized()?;
        if encoder.axes.is_empty() { Ok(encoder.dtype) } else { encoder.dtype.sub_array(&encoder.axes) }
    }

    /// The encoder of batches of these sizes.
    fn sized(&self) -> Result<Encoder> {
        let mut options = self.options.clone();
        if let Some(known) = &self.known {
            let sizes = Given { text_width: options.text_width, sizes: &self.widths };
            let inferred = Inferred { sizes: &sizes, decimals_as_floats: options.decimals_as_floats };
            options.dtype = Some(known.dtype_of(&self.widths, &inferred)?);
        }
        Encoder::new(&self.schema, &options, &self.widths)
    }

    /// Returns what the array does not keep, in words: time zones, exact decimals, and nulls of dtypes without a
    /// missing value, which are errors without [`ArrayOptions::fill_nulls`].
    ///
    /// See [`Survey`] for an example.
    pub fn losses(&self) -> impl Iterator<Item = &str> {
        self.losses.iter().map(String::as_str)
    }
}

/// Whether the metadata has the dtype of another table: programs keep it when they add, drop, rename or cast columns.
fn is_stale(schema: &Schema, options: &ArrayOptions) -> bool {
    let descr = schema.metadata().get(DESCR).filter(|_| options.dtype.is_none());
    let is_dtype = descr.is_some_and(|descr| descr.parse::<DType>().is_ok());
    is_dtype && Encoder::new(schema, options, &Placeholder).is_err()
}

impl std::fmt::Debug for Survey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Survey").field("rows", &self.rows).field("losses", &self.losses).finish_non_exhaustive()
    }
}

/// Notes columns whose type says more than a dtype.
fn note_type(field: &Field, path: &str, losses: &mut BTreeSet<String>) {
    match field.data_type() {
        DataType::Timestamp(_, Some(zone)) => drop(losses.insert(format!("the time zone {zone} of the column {path:?}"))),
        decimal if decimal.is_decimal() => drop(losses.insert(format!("the exact decimals of the column {path:?}"))),
        DataType::Dictionary(_, values) => note_type(&Field::new("", values.as_ref().clone(), true), path, losses),
        DataType::Struct(fields) => fields.iter().for_each(|field| note_type(field, &join(path, field.name()), losses)),
        other => {
            if let Some(item) = item_of(other) {
                note_type(item, path, losses);
            }
        }
    }
}

/// Notes columns with a null that no dtype has: times have NaT.
fn note_nulls(field: &Field, column: &dyn Array, path: &str, losses: &mut BTreeSet<String>) {
    let plain = plain_type(field.data_type());
    let is_time =
        matches!(plain, DataType::Timestamp(..) | DataType::Duration(_) | DataType::Date32) || field.metadata().contains_key(DTYPE);
    if !is_time && column.logical_null_count() > 0 {
        losses.insert(format!("the nulls of the column {path:?}"));
    }
    if let DataType::Struct(fields) = field.data_type() {
        for (field, column) in fields.iter().zip(column.as_struct().columns()) {
            note_nulls(field, column, &join(path, field.name()), losses);
        }
    } else if let Some(item) = item_of(field.data_type()) {
        note_nulls(item, &items_of_lists(column), path, losses);
    }
}
