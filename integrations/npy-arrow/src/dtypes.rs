//! The Arrow types of dtypes.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};
use npy_core::dtype::{self, ByteOrder, Scalar, ScalarKind, SubArray};
use npy_core::{DType, Error, ErrorKind, Result};

use crate::error::{no_arrow_type, no_dtype};
use crate::foreign::{is_bytes, is_text, item_of, plain_type};
use crate::metadata::DTYPE;
use crate::options::BatchOptions;
use crate::times::Scale;

/// The Arrow types of texts and times.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Choices {
    bytes_as_text: bool,
    times_as_integers: bool,
    seconds_as_milliseconds: bool,
}

impl From<&BatchOptions> for Choices {
    fn from(options: &BatchOptions) -> Self {
        Self {
            bytes_as_text: options.bytes_as_text,
            times_as_integers: options.times_as_integers,
            seconds_as_milliseconds: options.seconds_as_milliseconds,
        }
    }
}

/// A dtype and its Arrow type.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) field: FieldRef,
    pub(crate) layout: Layout,
}

/// The structure of the bytes of a dtype.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    Leaf(Leaf),
    List {
        length: usize,
        stride: Stride,
        item: Box<Node>,
    },
    /// Offsets and fields.
    Struct(Vec<(usize, Node)>),
}

/// The stride of the items of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stride {
    Bytes(usize),
    /// That of an axis after the first, counted from 0. It depends on the order.
    Axis(usize),
}

/// A dtype without parts.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) kind: Kind,
    /// The names of the field and of the records around it, joined by dots.
    pub(crate) path: String,
    pub(crate) dtype: DType,
    /// Bytes of an element.
    pub(crate) width: usize,
    /// Whether the byte order is not native.
    pub(crate) swap: bool,
}

/// The kind of the values of a [`Leaf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number of 1, 2, 4 or 8 bytes, as in Arrow.
    Number,
    /// A time of 8 bytes, whose smallest value is NaT.
    Time,
    /// A time in a coarser unit than that of the Arrow type.
    Coarse(Scale),
    /// Days in 8 bytes, which Arrow stores in 4.
    Date,
    Bool,
    /// Bytes without trailing NULs.
    Bytes,
    /// Bytes as text.
    Utf8,
    /// Text in units of 4 bytes.
    Text,
    /// Bytes of fixed size.
    Void,
}

impl Node {
    /// The column of a dtype, named after the last part of its path.
    pub(crate) fn new(name: &str, path: &str, dtype: &DType, choices: Choices) -> Result<Self> {
        match dtype {
            DType::Scalar(scalar) => Self::of_scalar(name, path, *scalar, choices),
            DType::SubArray(array) => Self::of_sub_array(name, path, array, choices),
            DType::Record(record) => Self::of_record(name, path, record, choices),
        }
    }

    fn of_record(name: &str, path: &str, record: &dtype::Record, choices: Choices) -> Result<Self> {
        let fields = record.fields().iter().map(|field| {
            let path = join(path, field.name());
            Ok((field.offset(), Self::new(field.name(), &path, field.dtype(), choices)?))
        });
        let fields = fields.collect::<Result<Vec<_>>>()?;
        let children: Fields = fields.iter().map(|(_, node)| Arc::clone(&node.field)).collect();
        let field = Field::new(name, DataType::Struct(children), false);
        Ok(Self { field: Arc::new(field), layout: Layout::Struct(fields) })
    }

    fn of_sub_array(name: &str, path: &str, array: &SubArray, choices: Choices) -> Result<Self> {
        let axes = array.shape();
        let mut stride = array.base().itemsize();
        let mut node = Self::new(if axes.is_empty() { name } else { ITEM }, path, array.base(), choices)?;
        for (axis, length) in axes.iter().enumerate().rev() {
            node = node.into_list(if axis == 0 { name } else { ITEM }, path, *length, Stride::Bytes(stride), array)?;
            stride = stride.saturating_mul(*length);
        }
        Ok(node)
    }

    /// The column of an array with these axes after the first.
    pub(crate) fn of_array(name: &str, dtype: &DType, axes: &[usize], choices: Choices) -> Result<Self> {
        let mut node = Self::new(if axes.is_empty() { name } else { ITEM }, "", dtype, choices)?;
        for (axis, length) in axes.iter().enumerate().rev() {
            node = node.into_list(if axis == 0 { name } else { ITEM }, "", *length, Stride::Axis(axis), dtype)?;
        }
        Ok(node)
    }

    fn into_list(self, name: &str, path: &str, length: usize, stride: Stride, dtype: &(impl Clone + Into<DType>)) -> Result<Self> {
        let no_type = || no_arrow_type(path, &dtype.clone().into().to_string());
        let size = i32::try_from(length).map_err(|_| no_type())?;
        let data_type = DataType::FixedSizeList(Arc::clone(&self.field), size);
        let field = Arc::new(Field::new(name, data_type, false));
        Ok(Self { field, layout: Layout::List { length, stride, item: Box::new(self) } })
    }

    fn of_scalar(name: &str, path: &str, scalar: Scalar, choices: Choices) -> Result<Self> {
        let no_type = || no_arrow_type(path, &scalar.to_string());
        // Arrow has no long doubles.
        if let Some(part) = scalar.part().filter(|part| part.itemsize() <= size_of::<f64>()) {
            let item = Self::of_scalar(ITEM, path, part, choices)?;
            return item.into_list(name, path, 2, Stride::Bytes(part.itemsize()), &DType::from(scalar));
        }
        let (kind, data_type) = kind_of(scalar, choices).ok_or_else(no_type)?;
        let is_time = matches!(kind, Kind::Time | Kind::Coarse(_) | Kind::Date);
        let mut field = Field::new(name, data_type, is_time);
        if is_time && *field.data_type() == DataType::Int64 || matches!(kind, Kind::Coarse(_)) {
            field.set_metadata([(DTYPE.to_owned(), scalar.to_string())].into());
        }
        let swap = scalar.byte_order().is_some_and(|order| order != ByteOrder::NATIVE);
        let leaf = Leaf { kind, path: path.to_owned(), dtype: scalar.into(), width: scalar.itemsize(), swap };
        Ok(Self { field: Arc::new(field), layout: Layout::Leaf(leaf) })
    }

    /// Renames the column.
    pub(crate) fn renamed(mut self, name: &str) -> Self {
        self.field = Arc::new(Field::clone(&self.field).with_name(name));
        self
    }
}

/// The name that Arrow recommends for the items of a list.
pub(crate) const ITEM: &str = "item";

/// The table of dtypes with an Arrow type.
fn kind_of(scalar: Scalar, choices: Choices) -> Option<(Kind, DataType)> {
    Some(match scalar.kind() {
        ScalarKind::Bool => (Kind::Bool, DataType::Boolean),
        ScalarKind::Int8 => (Kind::Number, DataType::Int8),
        ScalarKind::Int16 => (Kind::Number, DataType::Int16),
        ScalarKind::Int32 => (Kind::Number, DataType::Int32),
        ScalarKind::Int64 => (Kind::Number, DataType::Int64),
        ScalarKind::UInt8 => (Kind::Number, DataType::UInt8),
        ScalarKind::UInt16 => (Kind::Number, DataType::UInt16),
        ScalarKind::UInt32 => (Kind::Number, DataType::UInt32),
        ScalarKind::UInt64 => (Kind::Number, DataType::UInt64),
        ScalarKind::Float16 => (Kind::Number, DataType::Float16),
        ScalarKind::Float32 => (Kind::Number, DataType::Float32),
        ScalarKind::Float64 => (Kind::Number, DataType::Float64),
        ScalarKind::Bytes { .. } if choices.bytes_as_text => (Kind::Utf8, DataType::Utf8),
        ScalarKind::Bytes { .. } => (Kind::Bytes, DataType::Binary),
        ScalarKind::Unicode { .. } => (Kind::Text, DataType::Utf8),
        ScalarKind::Void { length } => (Kind::Void, DataType::FixedSizeBinary(i32::try_from(length).ok()?)),
        ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. } if choices.times_as_integers => (Kind::Time, DataType::Int64),
        ScalarKind::Datetime { unit: dtype::TimeUnit::Day, count: 1 } => (Kind::Date, DataType::Date32),
        ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. } => match time_type(scalar, choices) {
            Some(data_type) => (Kind::Time, data_type),
            None => {
                Scale::widened(scalar).map_or((Kind::Time, DataType::Int64), |(scale, data_type)| (Kind::Coarse(scale), data_type))
            }
        },
        // Long doubles, floats of 8 bits, Python objects, and future kinds.
        _ => return None,
    })
}

/// The type of times of the same unit.
fn time_type(scalar: Scalar, choices: Choices) -> Option<DataType> {
    let unit = |unit| time_unit(unit).filter(|unit| !(choices.seconds_as_milliseconds && *unit == TimeUnit::Second));
    match scalar.kind() {
        ScalarKind::Datetime { unit: own, count: 1 } => Some(DataType::Timestamp(unit(own)?, None)),
        ScalarKind::Timedelta { unit: own, count: 1 } => Some(DataType::Duration(unit(own)?)),
        _ => None,
    }
}

fn time_unit(unit: dtype::TimeUnit) -> Option<TimeUnit> {
    match unit {
        dtype::TimeUnit::Second => Some(TimeUnit::Second),
        dtype::TimeUnit::Millisecond => Some(TimeUnit::Millisecond),
        dtype::TimeUnit::Microsecond => Some(TimeUnit::Microsecond),
        dtype::TimeUnit::Nanosecond => Some(TimeUnit::Nanosecond),
        _ => None,
    }
}

/// The path of a field of a record.
pub(crate) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The sizes that Arrow's types lack, by the path of the column.
pub(crate) trait Sizes {
    /// The kind of texts or bytes, with their width.
    fn text(&self, path: &str, data_type: &DataType) -> Result<ScalarKind>;

    /// The length of lists.
    fn list(&self, path: &str, data_type: &DataType) -> Result<usize>;
}

/// The dtype of a column without metadata.
pub(crate) struct Inferred<'a> {
    pub(crate) sizes: &'a dyn Sizes,
    /// Whether decimals become floats.
    pub(crate) decimals_as_floats: bool,
}

impl Inferred<'_> {
    pub(crate) fn record(&self, fields: &Fields, path: &str) -> Result<DType> {
        let named = fields.iter().map(|field| Ok((field.name().as_str(), self.column(field, &join(path, field.name()))?)));
        let record = dtype::Record::packed(named.collect::<Result<Vec<_>>>()?)?;
        Ok(record.into())
    }

    pub(crate) fn column(&self, field: &Field, path: &str) -> Result<DType> {
        if let Some(dtype) = of_metadata(field)? {
            return Ok(dtype);
        }
        if field.data_type().is_decimal() && !self.decimals_as_floats {
            return Err(no_dtype(path, field.data_type()));
        }
        let data_type = plain_type(field.data_type());
        let kind = match &data_type {
            DataType::Boolean => ScalarKind::Bool,
            DataType::Int8 => ScalarKind::Int8,
            DataType::Int16 => ScalarKind::Int16,
            DataType::Int32 => ScalarKind::Int32,
            DataType::Int64 => ScalarKind::Int64,
            DataType::UInt8 => ScalarKind::UInt8,
            DataType::UInt16 => ScalarKind::UInt16,
            DataType::UInt32 => ScalarKind::UInt32,
            DataType::UInt64 => ScalarKind::UInt64,
            DataType::Float16 => ScalarKind::Float16,
            DataType::Float32 => ScalarKind::Float32,
            DataType::Float64 => ScalarKind::Float64,
            text if is_text(text) || is_bytes(text) => self.sizes.text(path, text)?,
            DataType::FixedSizeBinary(length) => {
                ScalarKind::Void { length: usize::try_from(*length).map_err(|_| no_dtype(path, &data_type))? }
            }
            DataType::Date32 => ScalarKind::Datetime { unit: dtype::TimeUnit::Day, count: 1 },
            DataType::Timestamp(unit, _) => ScalarKind::Datetime { unit: numpy_unit(*unit), count: 1 },
            DataType::Duration(unit) => ScalarKind::Timedelta { unit: numpy_unit(*unit), count: 1 },
            DataType::Struct(fields) => return self.record(fields, path),
            list => {
                let Some(item) = item_of(list) else { return Err(no_dtype(path, list)) };
                let length = match list {
                    DataType::FixedSizeList(_, length) => usize::try_from(*length).map_err(|_| no_dtype(path, list))?,
                    _ => self.sizes.list(path, list)?,
                };
                let item = self.column(item, &join(path, item.name()))?;
                // Lists of lists are one sub-array.
                let (base, axes) = item.flattened();
                return base.clone().sub_array(&[&[length], &axes[..]].concat());
            }
        };
        Ok(Scalar::new(kind, ByteOrder::NATIVE).into())
    }
}

/// The dtype in the metadata of a time that is an integer, or in another unit.
fn of_metadata(field: &Field) -> Result<Option<DType>> {
    let Some(text) = field.metadata().get(DTYPE) else { return Ok(None) };
    let is_time = matches!(field.data_type(), DataType::Timestamp(..) | DataType::Duration(_));
    if !is_time && *field.data_type() != DataType::Int64 {
        return Ok(None);
    }
    let dtype = parse(DTYPE, text)?;
    // Metadata of another type of column are ignored.
    let is_of_unit = |scalar| Scale::new(scalar, field.data_type()).is_some();
    Ok(Some(dtype).filter(|dtype| !is_time || matches!(dtype, DType::Scalar(scalar) if is_of_unit(*scalar))))
}

fn numpy_unit(unit: TimeUnit) -> dtype::TimeUnit {
    match unit {
        TimeUnit::Second => dtype::TimeUnit::Second,
        TimeUnit::Millisecond => dtype::TimeUnit::Millisecond,
        TimeUnit::Microsecond => dtype::TimeUnit::Microsecond,
        TimeUnit::Nanosecond => dtype::TimeUnit::Nanosecond,
    }
}

/// The dtype in a value of the metadata.
pub(crate) fn parse(key: &'static str, text: &str) -> Result<DType> {
    let invalid = || Error::new(ErrorKind::InvalidDType, format!("invalid metadata {key:?}: expected a dtype, found {text:?}"));
    text.parse().map_err(|_| invalid())
}
