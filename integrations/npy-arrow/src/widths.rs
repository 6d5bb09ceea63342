//! The widths of texts, and the dtype of rows with texts of these widths.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, FieldRef, Schema};
use npy_core::dtype::{Record, Scalar, ScalarKind};
use npy_core::{DType, Error, ErrorKind, Header, Order, Result};

use crate::columns::Columns;
use crate::dtypes::{Inferred, Sizes, join};
use crate::foreign::{is_bytes, is_text, item_of, items_of_lists, plain_type, ranges_of, texts_of};
use crate::metadata::{DESCR, DTYPE};
use crate::options::BatchOptions;

/// The sizes of the texts, bytes and lists of each column, by its path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Widths(HashMap<String, Width>);

/// The sizes of the values that are not null.
#[derive(Clone, Copy, Debug, Default)]
struct Width {
    /// 0 for bytes.
    characters: usize,
    /// Bytes of the shortest and of the longest value, or items of lists.
    bytes: Option<(usize, usize)>,
    ends_in_nul: bool,
}

impl Width {
    fn note(&mut self, bytes: usize) {
        let (least, most) = self.bytes.unwrap_or((bytes, bytes));
        self.bytes = Some((least.min(bytes), most.max(bytes)));
    }

    fn most(&self) -> usize {
        self.bytes.map_or(0, |(_, most)| most)
    }
}

impl Widths {
    pub(crate) fn note(&mut self, batch: &RecordBatch) {
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            self.note_column(field.name(), column, None);
        }
    }

    /// `nulls` are those of the structs and lists around.
    fn note_column(&mut self, path: &str, array: &ArrayRef, nulls: Option<&NullBuffer>) {
        let (data_type, nulls) = (array.data_type(), NullBuffer::union(nulls, array.logical_nulls().as_ref()));
        if let DataType::Struct(fields) = data_type {
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                self.note_column(&join(path, field.name()), column, nulls.as_ref());
            }
        } else if let Some(item) = item_of(data_type) {
            self.note_lists(path, &join(path, item.name()), array, nulls.as_ref());
        } else {
            let plain = plain_type(data_type);
            if is_text(&plain) || is_bytes(&plain) {
                self.note_texts(path, is_text(&plain), array, nulls.as_ref());
            }
        }
    }

    fn note_lists(&mut self, path: &str, path_of_item: &str, array: &ArrayRef, nulls: Option<&NullBuffer>) {
        let Some((_, ranges)) = ranges_of(array) else {
            let lists = array.as_fixed_size_list();
            let size = usize::try_from(lists.value_length()).unwrap_or(0);
            return self.note_column(path_of_item, lists.values(), nulls.map(|nulls| nulls.expand(size)).as_ref());
        };
        let width = self.0.entry(path.to_owned()).or_default();
        let is_valid = |index: usize| nulls.is_none_or(|nulls| nulls.is_valid(index));
        ranges.iter().enumerate().filter(|(index, _)| is_valid(*index)).for_each(|(_, range)| width.note(range.len()));
        self.note_column(path_of_item, &items_of_lists(array), None);
    }

    fn note_texts(&mut self, path: &str, is_text: bool, array: &ArrayRef, nulls: Option<&NullBuffer>) {
        let value = texts_of(array);
        let width = self.0.entry(path.to_owned()).or_default();
        for index in (0..array.len()).filter(|index| nulls.is_none_or(|nulls| nulls.is_valid(*index))) {
            let value = value(index);
            width.note(value.len());
            width.ends_in_nul |= !is_text && value.last() == Some(&0);
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
}

impl Sizes for Widths {
    /// Empty texts have one character, so that the dtype has a size.
    fn text(&self, path: &str, data_type: &DataType) -> Result<ScalarKind> {
        let width = self.get(path);
        match width.bytes {
            _ if is_text(data_type) => Ok(ScalarKind::Unicode { length: width.characters.max(1) }),
            // NULs at the end are part of values of one length.
            Some((least, most)) if width.ends_in_nul && least == most => Ok(ScalarKind::Void { length: most }),
            Some(_) if width.ends_in_nul => {
                let problem = "its bytes have several lengths, and some end in NUL, which `S` drops";
                let way_out = "leave it out with `ArrayOptions::columns`, or encode it as text";
                Err(Error::new(ErrorKind::Unstorable, format!("column {path:?}: no dtype for {data_type}: {problem}; {way_out}")))
            }
            _ => Ok(ScalarKind::Bytes { length: width.most().max(1) }),
        }
    }

    fn list(&self, path: &str, data_type: &DataType) -> Result<usize> {
        match self.get(path).bytes {
            Some((least, most)) if least != most => {
                let problem = format!("expected lists of one length, found lengths from {least} to {most}");
                let way_out = "leave it out with `ArrayOptions::columns`, or pad its lists";
                Err(Error::new(ErrorKind::Unstorable, format!("column {path:?}: no dtype for {data_type}: {problem}; {way_out}")))
            }
            lengths => Ok(lengths.map_or(0, |(_, most)| most)),
        }
    }
}

/// Whether the dtype of a type depends on the values: texts and bytes, unless their width is given, and lists.
pub(crate) fn is_unsized(data_type: &DataType, has_width: bool) -> bool {
    match plain_type(data_type) {
        DataType::Struct(fields) => fields.iter().any(|field| is_unsized(field.data_type(), has_width)),
        DataType::FixedSizeList(item, _) => is_unsized(item.data_type(), has_width),
        other => !has_width && (is_text(&other) || is_bytes(&other)) || item_of(&other).is_some(),
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
        self.columns.iter().any(|column| is_unsized(column.field.data_type(), false))
    }

    /// Returns whether the metadata is that of exactly these columns.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole.is_some()
    }

    /// Measures the texts and lists of a batch.
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
        self.dtype_of(&self.widths, &Inferred { sizes: &self.widths, decimals_as_floats: false })
    }

    /// The dtype of rows of these widths, in which `inferred` are the columns without a known one.
    pub(crate) fn dtype_of(&self, widths: &Widths, inferred: &Inferred<'_>) -> Result<DType> {
        let dtypes = self.columns.iter().map(|column| column.dtype(widths, inferred)).collect::<Result<Vec<_>>>()?;
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
    fn dtype(&self, widths: &Widths, inferred: &Inferred<'_>) -> Result<DType> {
        let name = self.field.name();
        let Some(known) = &self.known else { return inferred.column(&self.field, name) };
        let found = widths.get(name);
        let wider = |scalar: Scalar| match scalar.kind() {
            ScalarKind::Unicode { length } => Some(ScalarKind::Unicode { length: length.max(found.characters) }),
            ScalarKind::Bytes { length } => Some(ScalarKind::Bytes { length: length.max(found.most()) }),
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
