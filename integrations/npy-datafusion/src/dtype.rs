//! The dtype of the rows that a query returns.

use std::collections::HashMap;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{DataFusionError, Result};
use npy_arrow::npy_core::dtype::{ByteOrder, Record, Scalar, ScalarKind};
use npy_arrow::npy_core::{DType, Header, Order};
use npy_arrow::{ArrayOptions, BatchDecoder, BatchOptions, from_batches_with};

/// The key of a schema's metadata that has the dtype of a row.
pub(crate) const DESCR: &str = "npy:descr";

/// The dtype of rows: that of the file where they came from, as far as it is known.
///
/// The metadata of a schema outlives projections, so that a column of the same name and type may have
/// other values: longer texts are given the width that they need.
pub(crate) struct RowDType {
    columns: Vec<Column>,
    /// The dtype of the metadata, if it is that of exactly these columns.
    whole: Option<DType>,
}

struct Column {
    name: String,
    /// That of the file; `None` for texts and bytes of a query.
    dtype: Option<DType>,
    /// Whether its values are texts or bytes, whose width the dtype sets.
    has_width: bool,
    is_text: bool,
}

/// The widest values of each column of texts or bytes.
#[derive(Default)]
pub(crate) struct Widths(HashMap<String, Width>);

#[derive(Clone, Copy, Default)]
struct Width {
    characters: usize,
    bytes: usize,
}

impl RowDType {
    pub(crate) fn of(schema: &Schema) -> Result<Self> {
        let row = schema.metadata().get(DESCR).and_then(|descr| descr.parse::<DType>().ok());
        let whole = row.clone().filter(|row| is_of(row, schema));
        let columns = schema.fields().iter().map(|field| {
            let name = field.name().clone();
            let old = match &row {
                Some(DType::Record(record)) => record.field(&name).map(|field| field.dtype().clone()),
                Some(dtype) if schema.fields().len() == 1 => Some(dtype.clone()),
                _ => None,
            };
            let alone = Schema::new(vec![Field::clone(field)]);
            let old = old
                .filter(|dtype| Record::packed([(name.as_str(), dtype.clone())]).is_ok_and(|record| is_of(&record.into(), &alone)));
            let is_text = matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
            let is_bytes = matches!(field.data_type(), DataType::Binary | DataType::LargeBinary | DataType::BinaryView);
            let has_width = is_text || is_bytes;
            let dtype = match old {
                None if !has_width => Some(inferred(&alone)?),
                old => old,
            };
            Ok(Column { name, dtype, has_width, is_text })
        });
        Ok(Self { columns: columns.collect::<Result<_>>()?, whole })
    }

    /// Whether all values have to be measured first.
    pub(crate) fn needs_widths(&self) -> bool {
        self.columns.iter().any(|column| column.has_width)
    }

    pub(crate) fn options(&self, widths: &Widths) -> npy_arrow::Result<ArrayOptions> {
        let dtypes: Vec<_> = self.columns.iter().map(|column| column.with_width(widths)).collect();
        let is_as_before = self.columns.iter().zip(&dtypes).all(|(column, dtype)| column.dtype.as_ref() == Some(dtype));
        let row = match &self.whole {
            Some(whole) if is_as_before || !matches!(whole, DType::Record(_)) => whole.clone(),
            _ => Record::packed(self.columns.iter().zip(dtypes).map(|(column, dtype)| (column.name.as_str(), dtype)))?.into(),
        };
        Ok(ArrayOptions::new().dtype(row))
    }
}

impl Column {
    /// Its dtype, which is wide enough for all values.
    fn with_width(&self, widths: &Widths) -> DType {
        let found = widths.0.get(&self.name).copied().unwrap_or_default();
        let old = match &self.dtype {
            Some(DType::Scalar(scalar)) if self.has_width => *scalar,
            Some(other) => return other.clone(),
            // A text without characters has room for one, as in NumPy.
            None if self.is_text => Scalar::new(ScalarKind::Unicode { length: 1 }, ByteOrder::NATIVE),
            None => Scalar::new(ScalarKind::Bytes { length: 1 }, ByteOrder::NATIVE),
        };
        let order = old.byte_order().unwrap_or(ByteOrder::NATIVE);
        match old.kind() {
            ScalarKind::Unicode { length } => {
                Scalar::new(ScalarKind::Unicode { length: length.max(found.characters) }, order).into()
            }
            ScalarKind::Bytes { length } => Scalar::new(ScalarKind::Bytes { length: length.max(found.bytes) }, order).into(),
            _ => old.into(),
        }
    }
}

/// The dtype of the only column of a schema, by its Arrow type.
fn inferred(schema: &Schema) -> Result<DType> {
    let none: [RecordBatch; 0] = [];
    let values = from_batches_with(schema, none, ArrayOptions::new());
    let values = values.map_err(|error| DataFusionError::External(Box::new(error)))?;
    Ok(match values.dtype() {
        DType::Record(record) => record.fields()[0].dtype().clone(),
        dtype => dtype.clone(),
    })
}

/// Whether rows of a dtype have exactly these columns.
fn is_of(row: &DType, schema: &Schema) -> bool {
    let is_same = |own: &Field, other: &Field| {
        // The unit of times that are integers.
        own.name() == other.name()
            && own.data_type() == other.data_type()
            && own.metadata().get("npy:dtype") == other.metadata().get("npy:dtype")
    };
    [true, false].into_iter().any(|is_text| {
        let options = BatchOptions::new().bytes_as_text(is_text);
        let decoder = Header::new(row.clone(), Order::C, &[0]).ok().and_then(|header| BatchDecoder::new(&header, options).ok());
        decoder.is_some_and(|decoder| {
            let own = decoder.schema().fields();
            own.len() == schema.fields().len() && own.iter().zip(schema.fields()).all(|(own, other)| is_same(own, other))
        })
    })
}

impl Widths {
    pub(crate) fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            if let Some(found) = widest(column)? {
                let known = self.0.entry(field.name().clone()).or_default();
                known.characters = known.characters.max(found.characters);
                known.bytes = known.bytes.max(found.bytes);
            }
        }
        Ok(())
    }
}

/// The width of the widest value of texts or bytes; `None` for other types.
fn widest(column: &ArrayRef) -> Result<Option<Width>> {
    let plain = match column.data_type() {
        DataType::Utf8View | DataType::LargeUtf8 => cast(column, &DataType::Utf8)?,
        DataType::BinaryView | DataType::LargeBinary => cast(column, &DataType::Binary)?,
        _ => ArrayRef::clone(column),
    };
    let mut width = Width::default();
    match plain.data_type() {
        DataType::Utf8 => {
            for text in plain.as_string::<i32>().iter().flatten() {
                width.bytes = width.bytes.max(text.len());
                // A text has at most as many characters as bytes.
                if text.len() > width.characters {
                    width.characters = width.characters.max(text.chars().count());
                }
            }
        }
        DataType::Binary => {
            width.bytes = plain.as_binary::<i32>().iter().flatten().map(<[u8]>::len).max().unwrap_or(0);
        }
        _ => return Ok(None),
    }
    Ok(Some(width))
}
