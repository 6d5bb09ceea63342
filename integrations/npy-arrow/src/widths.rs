//! The widths of texts, and the dtype of rows with texts of these widths.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, FieldRef, Schema};
use npy_core::dtype::{Record, Scalar, ScalarKind};
use npy_core::{DType, Header, Order, Result};

use crate::columns::Columns;
use crate::dtypes::{Inferred, is_bytes, is_text, join};
use crate::metadata::{DESCR, DTYPE};
use crate::options::BatchOptions;
use crate::target::texts_of;

/// The widest texts and bytes of each column, by its path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Widths(HashMap<String, Width>);

#[derive(Clone, Copy, Debug, Default)]
struct Width {
    /// 0 for bytes.
    characters: usize,
    bytes: usize,
}

impl Widths {
    pub(crate) fn note(&mut self, batch: &RecordBatch) {
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            self.note_column(field.name(), column);
        }
    }

    fn note_column(&mut self, path: &str, array: &ArrayRef) {
        match array.data_type() {
            DataType::Struct(fields) => {
                for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                    self.note_column(&join(path, field.name()), column);
                }
            }
            DataType::FixedSizeList(item, _) => self.note_column(&join(path, item.name()), array.as_fixed_size_list().values()),
            data_type if is_text(data_type) || is_bytes(data_type) => self.note_widest(path, is_text(data_type), array),
            _ => {}
        }
    }

    fn note_widest(&mut self, path: &str, is_text: bool, array: &ArrayRef) {
        let (value, nulls) = (texts_of(array), array.logical_nulls());
        let width = self.0.entry(path.to_owned()).or_default();
        for index in (0..array.len()).filter(|index| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*index))) {
            let value = value(index);
            width.bytes = width.bytes.max(value.len());
            // A text has at most as many characters as bytes.
            if is_text && value.len() > width.characters {
                // Every byte but those that continue a character.
                width.characters = width.characters.max(value.iter().filter(|byte| **byte & 0xc0 != 0x80).count());
            }
        }
    }

    fn get(&self, path: &str) -> Width {
        self.0.get(path).copied().unwrap_or_default()
    }

    /// The width of a column without a dtype. Empty texts have one character, so that the dtype has a size.
    pub(crate) fn of(&self, path: &str, data_type: &DataType) -> usize {
        let width = self.get(path);
        if is_text(data_type) { width.characters.max(1) } else { width.bytes.max(1) }
    }
}

/// The dtype of the rows of a query: that of the file where they came from, as far as it is known,
/// with texts as wide as the widest.
///
/// The metadata of a schema outlives projections: a column of the same name may have another type or
/// longer texts, and others may be missing. Such columns have the dtype of their Arrow type.
///
/// ```
/// use npy_arrow::{ArrayOptions, RowDType, items_to_batch, write_batches};
/// # use npy_core::NpyRecord;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("a.npy");
/// #[derive(NpyRecord)]
/// struct Pick {
///     #[npy(dtype = "S2")]
///     code: String,
///     depth: f32,
/// }
///
/// let batch = items_to_batch(&[Pick { code: "ab".to_owned(), depth: 8.0 }])?.project(&[0])?;
/// let mut dtype = RowDType::of(batch.schema_ref());
/// if dtype.has_texts() {
///     dtype.note(&batch); // each batch
/// }
/// assert_eq!(dtype.dtype()?.to_string(), "[('code', '|S2')]"); // as in the file
/// write_batches(&path, batch.schema_ref(), [&batch], ArrayOptions::new().dtype(dtype.dtype()?))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RowDType {
    columns: Vec<Column>,
    /// The dtype of the metadata, if it is that of exactly these columns.
    whole: Option<DType>,
    widths: Widths,
}

#[derive(Clone, Debug)]
struct Column {
    field: FieldRef,
    /// The dtype of the file, if the column still has its type.
    known: Option<DType>,
}

impl RowDType {
    /// Reads the dtypes of the columns from the metadata of a schema.
    ///
    /// See [`RowDType`] for an example.
    pub fn of(schema: &Schema) -> Self {
        let row = schema.metadata().get(DESCR).and_then(|descr| descr.parse::<DType>().ok());
        let columns = schema.fields().iter().map(|field| {
            let known = match &row {
                Some(DType::Record(record)) => record.field(field.name()).map(|field| field.dtype().clone()),
                Some(dtype) if schema.fields().len() == 1 => Some(dtype.clone()),
                _ => None,
            };
            let is_same = |dtype: &DType| {
                let alone = Record::packed([(field.name().as_str(), dtype.clone())]);
                alone.is_ok_and(|record| is_of(&record.into(), std::slice::from_ref(field)))
            };
            Column { field: FieldRef::clone(field), known: known.filter(is_same) }
        });
        let columns = columns.collect();
        Self { columns, whole: row.filter(|row| is_of(row, schema.fields())), widths: Widths::default() }
    }

    /// Returns whether all batches have to be [noted](Self::note) before the dtype is known.
    ///
    /// See [`RowDType`] for an example.
    pub fn has_texts(&self) -> bool {
        fn has_texts(data_type: &DataType) -> bool {
            match data_type {
                DataType::Struct(fields) => fields.iter().any(|field| has_texts(field.data_type())),
                DataType::FixedSizeList(item, _) => has_texts(item.data_type()),
                other => is_text(other) || is_bytes(other),
            }
        }
        self.columns.iter().any(|column| has_texts(column.field.data_type()))
    }

    /// Measures the texts of a batch.
    ///
    /// See [`RowDType`] for an example.
    pub fn note(&mut self, batch: &RecordBatch) {
        self.widths.note(batch);
    }

    /// Returns the dtype of a row, wide enough for all batches that were noted. Texts in a nested record or a sub-array
    /// of a known dtype keep its width.
    ///
    /// # Errors
    ///
    /// Fails if a column has a type without a dtype.
    ///
    /// See [`RowDType`] for an example.
    pub fn dtype(&self) -> Result<DType> {
        let dtypes = self.columns.iter().map(|column| column.dtype(&self.widths)).collect::<Result<Vec<_>>>()?;
        let is_as_before = self.columns.iter().zip(&dtypes).all(|(column, dtype)| column.known.as_ref() == Some(dtype));
        match (&self.whole, dtypes.as_slice()) {
            (Some(whole), _) if is_as_before => Ok(whole.clone()),
            (Some(DType::Scalar(_)), [wider]) => Ok(wider.clone()),
            (Some(whole @ (DType::Scalar(_) | DType::SubArray(_))), _) => Ok(whole.clone()),
            _ => {
                let names = self.columns.iter().map(|column| column.field.name().as_str());
                Ok(Record::packed(names.zip(dtypes))?.into())
            }
        }
    }
}

impl Column {
    fn dtype(&self, widths: &Widths) -> Result<DType> {
        let name = self.field.name();
        let Some(known) = &self.known else {
            return Inferred { text_width: &|path, data_type| Ok(widths.of(path, data_type)) }.column(&self.field, name);
        };
        let found = widths.get(name);
        let wider = |scalar: Scalar| match scalar.kind() {
            ScalarKind::Unicode { length } => Some(ScalarKind::Unicode { length: length.max(found.characters) }),
            ScalarKind::Bytes { length } => Some(ScalarKind::Bytes { length: length.max(found.bytes) }),
            _ => None,
        };
        Ok(match known {
            DType::Scalar(scalar) => match (wider(*scalar), scalar.byte_order()) {
                (Some(kind), Some(order)) => Scalar::new(kind, order).into(),
                (Some(kind), None) => Scalar::new(kind, npy_core::dtype::ByteOrder::NATIVE).into(),
                (None, _) => known.clone(),
            },
            _ => known.clone(),
        })
    }
}

/// Whether rows of a dtype have exactly these columns.
fn is_of(row: &DType, fields: &[FieldRef]) -> bool {
    let is_same = |own: &FieldRef, other: &FieldRef| {
        // The unit of times that are integers.
        let is_same_dtype = own.metadata().get(DTYPE) == other.metadata().get(DTYPE);
        own.name() == other.name() && own.data_type() == other.data_type() && is_same_dtype
    };
    [true, false].into_iter().any(|is_text| {
        let options = BatchOptions::new().bytes_as_text(is_text);
        let columns = Header::new(row.clone(), Order::C, &[0]).and_then(|header| Columns::new(&header, &options));
        columns.is_ok_and(|columns| {
            let own = columns.schema.fields();
            own.len() == fields.len() && own.iter().zip(fields).all(|(own, other)| is_same(own, other))
        })
    })
}
