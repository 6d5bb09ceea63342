//! Python objects as columns. `NumPy` pickles an array as a whole, so that it is decoded at once.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, NullArray, PrimitiveArray, RecordBatch, RecordBatchOptions,
    StringArray, StructArray, types,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use npy_core::dtype::{Record, ScalarKind};
use npy_core::error::{ValueError, no_field as unknown_field};
use npy_core::object::{ObjectArray, ObjectItems, PyDateTime, PyObject};
use npy_core::{DType, DynValues, Error, ErrorKind, Header, Order, Result};

use crate::columns::{MOST_EMPTY_ROWS, field_of, no_field};
use crate::dtypes::{ITEM, join};
use crate::error::{duplicate_column, invalid_value, no_arrow_type, of_arrow};
use crate::options::BatchOptions;
use crate::values::to_batch;

/// Returns whether an array is decoded as objects.
pub(crate) fn are_allowed(header: &Header, options: &BatchOptions) -> bool {
    header.dtype().has_object() && options.read.objects.is_some()
}

/// The batch of all rows of an array.
pub(crate) fn to_columns(array: &ObjectArray, options: &BatchOptions) -> Result<RecordBatch> {
    let (rows, axes) = array.shape().split_first().map_or((1, &[][..]), |(rows, axes)| (*rows, axes));
    if array.items().is_empty() && rows > MOST_EMPTY_ROWS {
        let (limit, found) = (MOST_EMPTY_ROWS as u64, rows as u64);
        return Err(Error::limit_exceeded_with("rows without objects", limit, found, "convert an array of fewer rows"));
    }
    let mut columns = Vec::new();
    match array.dtype() {
        DType::Record(record) if axes.is_empty() => {
            let whole: Vec<String> = record.fields().iter().map(|field| field.name().to_owned()).collect();
            for name in options.columns.as_ref().unwrap_or(&whole) {
                let field = field_of(name, array.dtype()).ok_or_else(|| no_field(name, array.dtype(), record))?;
                let path: Vec<_> = field.fields().iter().map(|field| field.name().to_owned()).collect();
                columns.push(column_of_field(array, &path, name, name, field.dtype())?);
            }
            if options.flatten && options.columns.is_none() {
                columns = columns.into_iter().flat_map(|(field, column)| flattened(&field, &column, "")).collect();
            }
        }
        DType::Scalar(_) => {
            let name = options.name.as_str();
            if let Some(other) = options.columns.as_ref().and_then(|names| names.iter().find(|other| *other != name)) {
                return Err(unknown_field(other, "", [name]));
            }
            let column = lists(column_of(array, array.items(), name, rows)?, axes, rows)?;
            columns.push((Arc::new(Field::new(name, column.data_type().clone(), axes.is_empty())), column));
        }
        dtype => return Err(no_arrow_type("", &dtype.to_string())),
    }
    let (fields, arrays): (Vec<FieldRef>, Vec<ArrayRef>) = columns.into_iter().unzip();
    let mut names = std::collections::HashSet::new();
    if let Some(field) = fields.iter().find(|field| !names.insert(field.name())) {
        return Err(duplicate_column(field.name()));
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options).map_err(of_arrow)
}

/// The column of a field of records with objects.
fn column_of_field(array: &ObjectArray, path: &[String], name: &str, label: &str, dtype: &DType) -> Result<(FieldRef, ArrayRef)> {
    let rows = array.items().len();
    if let DType::Record(record) = dtype
        && dtype.has_object()
    {
        let children = record.fields().iter().map(|field| {
            let path = [path, &[field.name().to_owned()]].concat();
            column_of_field(array, &path, field.name(), &join(label, field.name()), field.dtype())
        });
        let (fields, columns): (Vec<FieldRef>, Vec<ArrayRef>) = children.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let column = StructArray::try_new_with_length(Fields::from(fields), columns, None, rows).map_err(of_arrow)?;
        return Ok((Arc::new(Field::new(name, column.data_type().clone(), false)), Arc::new(column)));
    }
    let no_type = || no_arrow_type(label, &dtype.to_string());
    match array.items_of_field(path, None)? {
        (found, ObjectItems::Objects(items)) if matches!(&found, DType::Scalar(scalar) if scalar.kind() == ScalarKind::Object) => {
            if matches!(dtype, DType::SubArray(_)) {
                return Err(no_type());
            }
            let column = column_of(array, &items, label, rows)?;
            Ok((Arc::new(Field::new(name, column.data_type().clone(), true)), column))
        }
        // Elements of sub-arrays are contiguous: these are the bytes of the field.
        (_, ObjectItems::Values(bytes)) => {
            let record = Record::packed([(name, dtype.clone())])?;
            let batch = to_batch(&DynValues::new(record.into(), Order::C, &[rows], bytes)?)?;
            Ok((Arc::clone(&batch.schema().fields()[0]), Arc::clone(batch.column(0))))
        }
        _ => Err(no_type()),
    }
}

/// The columns of a struct, and of the structs in it.
fn flattened(field: &FieldRef, column: &ArrayRef, path: &str) -> Vec<(FieldRef, ArrayRef)> {
    let path = join(path, field.name());
    match column.as_any().downcast_ref::<StructArray>() {
        Some(fields) => {
            let children = fields.fields().iter().zip(fields.columns());
            children.flat_map(|(field, column)| flattened(field, column, &path)).collect()
        }
        None => vec![(Arc::new(Field::clone(field).with_name(path)), Arc::clone(column))],
    }
}

/// The items as lists of fixed size, for the axes after the first.
fn lists(mut column: ArrayRef, axes: &[usize], rows: usize) -> Result<ArrayRef> {
    for (axis, length) in axes.iter().enumerate().rev() {
        let size = i32::try_from(*length).map_err(|_| no_arrow_type("", "|O"))?;
        let count = axes[..axis].iter().fold(rows, |count, length| count.saturating_mul(*length));
        let item = Arc::new(Field::new(ITEM, column.data_type().clone(), axis + 1 == axes.len()));
        column = Arc::new(FixedSizeListArray::try_new_with_length(item, size, column, None, count).map_err(of_arrow)?);
    }
    Ok(column)
}

/// The type of a column, by its first item that is not `None`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemType {
    Text,
    Bytes,
    Bool,
    Int,
    Float,
    /// Without and with a time zone.
    DateTime(bool),
    Date,
    TimeDelta,
}

impl ItemType {
    fn of(item: &PyObject) -> Option<Self> {
        Some(match item {
            PyObject::Str(_) => Self::Text,
            PyObject::Bytes(_) => Self::Bytes,
            PyObject::Bool(_) => Self::Bool,
            PyObject::Int(_) => Self::Int,
            PyObject::Float(_) => Self::Float,
            PyObject::DateTime(time) => Self::DateTime(time.time().zone().is_some()),
            PyObject::Date(_) => Self::Date,
            PyObject::TimeDelta(_) => Self::TimeDelta,
            _ => return None,
        })
    }
}

/// The name of the type of an object, for messages.
fn type_of(item: &PyObject) -> String {
    let zone = matches!(ItemType::of(item), Some(ItemType::DateTime(true)));
    format!("{}{}", item.type_name(), if zone { " with a time zone" } else { "" })
}

/// A column of objects of one type; `None` is null.
fn column_of(array: &ObjectArray, items: &[PyObject], name: &str, rows: usize) -> Result<ArrayRef> {
    let row_of = |index: usize| index.checked_div(items.len() / rows.max(1)).unwrap_or(0) as u64;
    // The `na_object` of NumPy's `StringDType` is null, too.
    let missing = array.string_dtype().map(npy_core::object::StringDType::na_object);
    let is_null = |item: &PyObject| match missing {
        Some(missing) => !matches!(item, PyObject::Str(_)) || missing == Some(item),
        None => *item == PyObject::None,
    };
    let first = items.iter().enumerate().find(|(_, item)| !is_null(item));
    let Some((begin, first)) = first else {
        return Ok(match missing {
            Some(_) => Arc::new(StringArray::new_null(items.len())),
            None => Arc::new(NullArray::new(items.len())),
        });
    };
    let other = |index: usize, expected: &str, item: &PyObject| {
        let (row, found) = (row_of(index), type_of(item));
        let message =
            format!("column {name:?}, row {row}: expected {expected}, found {found}; convert them with `npy_core::object`");
        Error::new(ErrorKind::InvalidValue, message)
    };
    let class = ItemType::of(first).ok_or_else(|| other(begin, SUPPORTED, first))?;
    let is_other = |item: &PyObject| !is_null(item) && ItemType::of(item) != Some(class);
    if let Some((index, item)) = items.iter().enumerate().find(|(_, item)| is_other(item)) {
        return Err(other(index, &format!("{} as in row {}", type_of(first), row_of(begin)), item));
    }
    let column = Column { objects: items, name, is_null: &is_null, row_of: &row_of };
    Ok(match class {
        ItemType::Text => {
            let (offsets, values, nulls) = column.texts()?;
            Arc::new(StringArray::try_new(offsets, values, nulls).map_err(of_arrow)?)
        }
        ItemType::Bytes => {
            let (offsets, values, nulls) = column.texts()?;
            Arc::new(BinaryArray::try_new(offsets, values, nulls).map_err(of_arrow)?)
        }
        ItemType::Bool => {
            let bits = BooleanBuffer::collect_bool(items.len(), |index| items[index] == PyObject::Bool(true));
            Arc::new(BooleanArray::new(bits, column.nulls()))
        }
        ItemType::Int => column.numbers::<types::Int64Type>("Int64", |item| match item {
            PyObject::Int(int) => int.to_i64().ok_or_else(|| int.to_string()),
            _ => Ok(0),
        })?,
        ItemType::Float => column.numbers::<types::Float64Type>("Float64", |item| match item {
            PyObject::Float(float) => Ok(*float),
            _ => Ok(0.0),
        })?,
        ItemType::Date => column.numbers::<types::Date32Type>("Date32", |item| match item {
            PyObject::Date(date) => i32::try_from(date.days_since_1970()).map_err(|_| item.to_string()),
            _ => Ok(0),
        })?,
        ItemType::DateTime(has_zone) => {
            let times = column.numbers::<types::TimestampMicrosecondType>("Timestamp(µs)", |item| match item {
                PyObject::DateTime(time) => Ok(microseconds(time)),
                _ => Ok(0),
            })?;
            if !has_zone {
                return Ok(times);
            }
            let data = times.to_data().into_builder();
            let utc = DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, Some("UTC".into()));
            arrow_array::make_array(data.data_type(utc).build().map_err(of_arrow)?)
        }
        ItemType::TimeDelta => column.numbers::<types::DurationMicrosecondType>("Duration(µs)", |item| match item {
            PyObject::TimeDelta(delta) => i64::try_from(delta.total_microseconds()).map_err(|_| item.to_string()),
            _ => Ok(0),
        })?,
    })
}

const SUPPORTED: &str = "str, bytes, bool, int, float, datetime, date, timedelta or None";

/// Items of one type, and nulls.
struct Column<'a> {
    objects: &'a [PyObject],
    name: &'a str,
    is_null: &'a dyn Fn(&PyObject) -> bool,
    row_of: &'a dyn Fn(usize) -> u64,
}

impl Column<'_> {
    fn nulls(&self) -> Option<NullBuffer> {
        let valid = BooleanBuffer::collect_bool(self.objects.len(), |index| !(self.is_null)(&self.objects[index]));
        Some(NullBuffer::new(valid)).filter(|nulls| nulls.null_count() > 0)
    }

    fn texts(&self) -> Result<(OffsetBuffer<i32>, Buffer, Option<NullBuffer>)> {
        let (mut offsets, mut values) = (vec![0], Vec::new());
        for item in self.objects {
            match item {
                PyObject::Str(text) if !(self.is_null)(item) => values.extend_from_slice(text.as_bytes()),
                PyObject::Bytes(bytes) => values.extend_from_slice(bytes),
                _ => {}
            }
            let too_large = |_| {
                let message =
                    format!("column {:?}: expected at most 2 GiB of text, found more; divide the array in Python", self.name);
                Error::new(ErrorKind::TooLarge, message)
            };
            offsets.push(i32::try_from(values.len()).map_err(too_large)?);
        }
        Ok((OffsetBuffer::new(ScalarBuffer::from(offsets)), Buffer::from_vec(values), self.nulls()))
    }

    fn numbers<T: types::ArrowPrimitiveType>(
        &self,
        data_type: &str,
        number: impl Fn(&PyObject) -> Result<T::Native, String>,
    ) -> Result<ArrayRef> {
        let numbers = self.objects.iter().enumerate().map(|(index, item)| {
            number(item).map_err(|value| {
                let problem = ValueError::out_of_range(value, data_type);
                invalid_value(self.name, (self.row_of)(index), problem)
            })
        });
        let numbers: Vec<T::Native> = numbers.collect::<Result<_>>()?;
        Ok(Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(numbers), self.nulls())))
    }
}

/// Microseconds since 1970-01-01T00:00, in UTC if there is a time zone. Years 1 to 9999 fit.
fn microseconds(time: &PyDateTime) -> i64 {
    let offset = time.time().zone().map_or(0, |zone| zone.offset().total_microseconds());
    time.microseconds_since_1970() - i64::try_from(offset).unwrap_or_default()
}
