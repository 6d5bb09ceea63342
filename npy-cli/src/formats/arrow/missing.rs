//! Nulls of a table that is read: NaN and NaT where a dtype has them, also for integers and booleans if a command only looks at values.

use std::collections::BTreeSet;
use std::sync::Arc;

use npy_arrow::arrow_array::cast::AsArray;
use npy_arrow::arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, downcast_integer_array, make_array};
use npy_arrow::arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use npy_arrow::metadata::{DESCR, DTYPE};
use npy_core::DType;
use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};

use crate::values::quantity;

/// The paths of columns with nulls that their dtype does not have.
#[derive(Debug, Default)]
pub(super) struct Missing {
    /// Of integers and booleans.
    pub(super) numbers: BTreeSet<String>,
    texts: BTreeSet<String>,
    bytes: BTreeSet<String>,
}

impl Missing {
    pub(super) fn note(&mut self, batch: &RecordBatch) {
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            self.note_column(field, column, field.name(), false);
        }
    }

    /// Notes the nulls of a column, or of all its rows if a column around it has nulls.
    fn note_column(&mut self, field: &Field, column: &ArrayRef, path: &str, is_null: bool) {
        let has_nulls = is_null || column.logical_null_count() > 0;
        if let DataType::Struct(fields) = field.data_type() {
            for (field, column) in fields.iter().zip(column.as_struct().columns()) {
                self.note_column(field, column, &format!("{path}.{}", field.name()), has_nulls);
            }
        } else if let Some(item) = item_of(field.data_type()) {
            for items in column.to_data().child_data() {
                self.note_column(item, &make_array(items.clone()), path, has_nulls);
            }
        } else if has_nulls {
            let paths = match values_of(field.data_type()) {
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => &mut self.texts,
                DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => &mut self.bytes,
                _ if is_number(field) => &mut self.numbers,
                _ => return,
            };
            paths.insert(path.to_owned());
        }
    }

    /// The nulls in words, for a conversion that does not keep them.
    pub(super) fn losses(&self) -> impl Iterator<Item = String> {
        let paths = self.numbers.iter().chain(&self.texts).chain(&self.bytes);
        paths.map(|path| format!("the nulls of the column {path:?}"))
    }

    /// The values that nulls are read as, in words, where numbers are floats.
    pub(super) fn note_of_values(&self) -> Option<String> {
        let nulls_of = |paths: &BTreeSet<String>, value: &str| {
            let columns = if paths.len() == 1 { "column" } else { "columns" };
            let listed = quantity::listed(paths.iter().map(|path| format!("{path:?}")));
            (!paths.is_empty()).then(|| format!("nulls of the {columns} {listed} are read as {value}"))
        };
        let notes: Vec<String> = [nulls_of(&self.texts, "''"), nulls_of(&self.bytes, "zero bytes")].into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// Columns of integers and booleans that are read as floats, by their paths.
#[derive(Debug, Default)]
pub(super) struct Floats {
    paths: BTreeSet<String>,
    /// The number of integers that no float has.
    pub(super) rounded: u64,
}

impl Floats {
    pub(super) fn new(paths: BTreeSet<String>) -> Self {
        Self { paths, rounded: 0 }
    }

    pub(super) fn schema(&mut self, schema: Schema) -> Result<Schema, ArrowError> {
        self.batch(RecordBatch::new_empty(Arc::new(schema))).map(|batch| Schema::clone(batch.schema_ref()))
    }

    pub(super) fn batch(&mut self, batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
        if self.paths.is_empty() {
            return Ok(batch);
        }
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns()).map(|(field, column)| self.column(field, column, field.name()));
        let (fields, columns): (Vec<FieldRef>, Vec<ArrayRef>) = columns.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let mut metadata = schema.metadata().clone();
        if let Some(descr) = metadata.get_mut(DESCR)
            && let Some(floats) = float_rows(descr)
        {
            *descr = floats;
        }
        RecordBatch::try_new(Arc::new(Schema::new_with_metadata(fields, metadata)), columns)
    }

    fn column(&mut self, field: &FieldRef, column: &ArrayRef, path: &str) -> Result<(FieldRef, ArrayRef), ArrowError> {
        let column = if let Some(inner) = inner_of(field.data_type()) {
            let (mut fields, mut children) = (Vec::new(), Vec::new());
            let data = column.to_data();
            for (field, child) in inner.iter().zip(data.child_data()) {
                let is_named = matches!(column.data_type(), DataType::Struct(_));
                let path = if is_named { format!("{path}.{}", field.name()) } else { path.to_owned() };
                let (field, child) = self.column(field, &make_array(child.clone()), &path)?;
                fields.push(field);
                children.push(child.to_data());
            }
            let data_type = with_inner(field.data_type(), fields);
            make_array(data.into_builder().data_type(data_type).child_data(children).build()?)
        } else if self.paths.contains(path) && is_number(field) {
            self.numbers(column)
        } else {
            return Ok((Arc::clone(field), Arc::clone(column)));
        };
        Ok((Arc::new(Field::clone(field).with_data_type(column.data_type().clone())), column))
    }

    fn numbers(&mut self, column: &ArrayRef) -> ArrayRef {
        if let Some(dictionary) = column.as_any_dictionary_opt() {
            return dictionary.with_values(self.numbers(dictionary.values()));
        }
        if let Some(booleans) = column.as_boolean_opt() {
            return Arc::new(booleans.iter().map(|value| value.map(f64::from)).collect::<Float64Array>());
        }
        downcast_integer_array!(
            column => Arc::new(column.iter().map(|value| value.map(|value| self.nearest(value.into()))).collect::<Float64Array>()),
            _ => Arc::clone(column)
        )
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a float is the nearest one")]
    fn nearest(&mut self, value: i128) -> f64 {
        let float = value as f64;
        self.rounded += u64::from(float as i128 != value);
        float
    }
}

/// The dtype of rows as one of floats, if it has no fields. A record that no longer fits its columns is inferred again.
fn float_rows(descr: &str) -> Option<String> {
    let dtype: DType = descr.parse().ok()?;
    let (base, axes) = dtype.flattened();
    let floats = DType::from(Scalar::new(ScalarKind::Float64, ByteOrder::NATIVE));
    let rows = if axes.is_empty() { floats } else { floats.sub_array(&axes).ok()? };
    matches!(base, DType::Scalar(_)).then(|| rows.descr())
}

/// Whether a column is of integers that are no times, or of booleans.
fn is_number(field: &Field) -> bool {
    let data_type = values_of(field.data_type());
    *data_type == DataType::Boolean || data_type.is_integer() && !field.metadata().contains_key(DTYPE)
}

/// The type of the values of a dictionary, or of another column.
fn values_of(data_type: &DataType) -> &DataType {
    if let DataType::Dictionary(_, values) = data_type { values_of(values) } else { data_type }
}

/// The fields of a struct, or that of the items of a list.
fn inner_of(data_type: &DataType) -> Option<&[FieldRef]> {
    match data_type {
        DataType::Struct(fields) => Some(fields),
        list => item_of(list).map(std::slice::from_ref),
    }
}

fn item_of(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Some(item),
        _ => None,
    }
}

/// The type with other fields inside.
fn with_inner(data_type: &DataType, mut fields: Vec<FieldRef>) -> DataType {
    match (data_type, fields.pop()) {
        (DataType::List(_), Some(item)) => DataType::List(item),
        (DataType::LargeList(_), Some(item)) => DataType::LargeList(item),
        (DataType::ListView(_), Some(item)) => DataType::ListView(item),
        (DataType::LargeListView(_), Some(item)) => DataType::LargeListView(item),
        (DataType::FixedSizeList(_, size), Some(item)) => DataType::FixedSizeList(item, *size),
        (_, last) => DataType::Struct(fields.into_iter().chain(last).collect()),
    }
}
