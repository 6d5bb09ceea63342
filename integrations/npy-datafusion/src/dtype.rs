//! The dtype of the rows that a query returns.

use std::collections::HashMap;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::{DataFusionError, Result};
use npy_arrow::npy_core::dtype::ByteOrder;
use npy_arrow::npy_core::dtype::{Record, Scalar, ScalarKind};
use npy_arrow::npy_core::{DType, Header, Order};
use npy_arrow::{ArrayOptions, BatchDecoder, BatchOptions, from_batches_with};

/// The key of a schema's metadata that has the dtype of a row.
const DESCR: &str = "npy:descr";

/// The dtype of rows: that of the file where they came from, as far as it is known.
pub(crate) struct RowDType {
    /// Of each column, in their order.
    columns: Vec<(String, Known)>,
    /// The dtype of the metadata, if it is that of exactly these columns.
    whole: Option<DType>,
}

enum Known {
    DType(DType),
    /// A text or bytes whose width the values set.
    Text,
    Bytes,
}

/// The width of the widest value of each column of texts or bytes, in characters or bytes.
#[derive(Default)]
pub(crate) struct Widths(HashMap<String, usize>);

impl RowDType {
    pub(crate) fn of(schema: &Schema) -> Result<Self> {
        let row = schema.metadata().get(DESCR).and_then(|descr| descr.parse::<DType>().ok());
        if let Some(row) = &row
            && is_of(row, schema)
        {
            return Ok(Self { columns: Vec::new(), whole: Some(row.clone()) });
        }
        let columns = schema.fields().iter().map(|field| {
            let name = field.name().clone();
            let old = match &row {
                Some(DType::Record(record)) => record.field(&name).map(|field| field.dtype().clone()),
                Some(dtype) if schema.fields().len() == 1 => Some(dtype.clone()),
                _ => None,
            };
            let alone = Schema::new(vec![field.clone()]);
            let old = old
                .filter(|dtype| Record::packed([(name.as_str(), dtype.clone())]).is_ok_and(|record| is_of(&record.into(), &alone)));
            let known = match (old, field.data_type()) {
                (Some(dtype), _) => Known::DType(dtype),
                (None, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => Known::Text,
                (None, DataType::Binary | DataType::LargeBinary | DataType::BinaryView) => Known::Bytes,
                (None, _) => {
                    let none: [RecordBatch; 0] = [];
                    let values = from_batches_with(&alone, none, ArrayOptions::new());
                    let values = values.map_err(|error| DataFusionError::External(Box::new(error)))?;
                    match values.dtype() {
                        DType::Record(record) => Known::DType(record.fields()[0].dtype().clone()),
                        dtype => Known::DType(dtype.clone()),
                    }
                }
            };
            Ok((name, known))
        });
        Ok(Self { columns: columns.collect::<Result<_>>()?, whole: None })
    }

    /// Whether the values have to be measured first.
    pub(crate) fn lacks_widths(&self) -> bool {
        self.columns.iter().any(|(_, known)| !matches!(known, Known::DType(_)))
    }

    pub(crate) fn options(&self, widths: &Widths) -> npy_arrow::Result<ArrayOptions> {
        if let Some(whole) = &self.whole {
            return Ok(ArrayOptions::new().dtype(whole.clone()));
        }
        let scalar = |kind| DType::from(Scalar::new(kind, ByteOrder::NATIVE));
        let fields = self.columns.iter().map(|(name, known)| {
            // NumPy has no text of width 0 in a record that was not asked for.
            let length = widths.0.get(name).copied().unwrap_or(0).max(1);
            let dtype = match known {
                Known::DType(dtype) => dtype.clone(),
                Known::Text => scalar(ScalarKind::Unicode { length }),
                Known::Bytes => scalar(ScalarKind::Bytes { length }),
            };
            (name.as_str(), dtype)
        });
        Ok(ArrayOptions::new().dtype(Record::packed(fields)?.into()))
    }
}

/// Whether rows of a dtype have exactly these columns.
fn is_of(row: &DType, schema: &Schema) -> bool {
    [true, false].into_iter().any(|is_text| {
        let options = BatchOptions::new().bytes_as_text(is_text);
        let decoder = Header::new(row.clone(), Order::C, &[0]).ok().and_then(|header| BatchDecoder::new(&header, options).ok());
        decoder.is_some_and(|decoder| {
            let own = decoder.schema().fields();
            own.len() == schema.fields().len()
                && own
                    .iter()
                    .zip(schema.fields())
                    .all(|(own, other)| own.name() == other.name() && own.data_type() == other.data_type())
        })
    })
}

impl Widths {
    pub(crate) fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            if let Some(width) = widest(column)? {
                let known = self.0.entry(field.name().clone()).or_default();
                *known = width.max(*known);
            }
        }
        Ok(())
    }
}

/// The width of the widest value of texts or bytes; `None` for other types.
fn widest(column: &ArrayRef) -> Result<Option<usize>> {
    let column = match column.data_type() {
        DataType::Utf8View | DataType::LargeUtf8 => &datafusion::arrow::compute::cast(column, &DataType::Utf8)?,
        DataType::BinaryView | DataType::LargeBinary => &datafusion::arrow::compute::cast(column, &DataType::Binary)?,
        _ => column,
    };
    Ok(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().flatten().map(|text| text.chars().count()).max().or(Some(0)),
        DataType::Binary => column.as_binary::<i32>().iter().flatten().map(<[u8]>::len).max().or(Some(0)),
        _ => None,
    })
}
