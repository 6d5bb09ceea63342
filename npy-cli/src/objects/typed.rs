//! Arrays of objects as arrays of a plain dtype, which the objects tell.

use std::fs::File;
use std::io::{BufWriter, Write};

use npy_core::dtype::{Field, Record, Scalar, Title};
use npy_core::object::{ObjectArray, PyObject, encode_object, items_of_sub_arrays, record_item, sub_items};
use npy_core::{DType, Header, Order};

use super::kind::{Column, Problem, normal};
use super::missing::without_missing;
use crate::failure::{Failure, Result};
use crate::input::{Array, not_spooled, object_options, spool};
use crate::signals;
use crate::values::quantity;

/// The least bytes to which texts of very different lengths may grow as a dtype of one width.
const LEAST_BYTES: u64 = 1 << 30;

/// What a user asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wish<'a> {
    pub(crate) dtype: Option<&'a DType>,
    pub(crate) is_lossy: bool,
    /// Whether the target has nulls for `None`, so that any value may stand there.
    pub(crate) has_nulls: bool,
}

/// The same array, or of objects one of the dtype of their values.
pub(crate) fn plain<'a>(array: Box<dyn Array + 'a>) -> Result<Box<dyn Array + 'a>> {
    if array.header().dtype().has_object() {
        return typed(&array.into_objects(object_options())?, Wish::default());
    }
    Ok(array)
}

/// The objects in a temporary file of the dtype of their values.
pub(crate) fn typed(array: &ObjectArray, wish: Wish<'_>) -> Result<Box<dyn Array>> {
    let present = without_missing(array);
    let array = present.as_ref().unwrap_or(array);
    let items: Vec<&PyObject> = array.items().iter().collect();
    let at = At { names: Vec::new(), shape: array.shape(), per_element: 1 };
    let dtype = dtype_of(array.dtype(), &items, &at, wish)?;
    let header = Header::new(dtype.clone(), Order::C, array.shape())?;
    let most = LEAST_BYTES.max(bytes_of(array).saturating_mul(64));
    if header.data_bytes() > most {
        let (expected, found) = (quantity::bytes(most), quantity::bytes(header.data_bytes()));
        let hint = "CSV and JSON have texts of any length";
        return Err(Failure::Nameless(format!(
            "texts of too different lengths: expected at most {expected} as {dtype}, found {found}; {hint}"
        )));
    }
    spool(&header, |file| {
        let mut bytes = Vec::new();
        for (position, item) in items.iter().enumerate() {
            bytes.try_reserve(dtype.itemsize()).map_err(|_| Failure::allocation(dtype.itemsize()))?;
            encode([array.dtype(), &dtype], item, wish.is_lossy, &mut bytes).map_err(|problem| at.failure((position, problem)))?;
            if bytes.len() > 1 << 16 {
                signals::check()?;
                write(file, &mut bytes)?;
            }
        }
        write(file, &mut bytes)
    })
}

fn write(file: &mut BufWriter<File>, bytes: &mut Vec<u8>) -> Result<()> {
    file.write_all(bytes).map_err(|error| not_spooled(&error))?;
    bytes.clear();
    Ok(())
}

/// About the bytes of the texts in an array.
fn bytes_of(array: &ObjectArray) -> u64 {
    fn bytes(item: &PyObject) -> u64 {
        match item {
            PyObject::Str(text) => text.len() as u64,
            PyObject::Bytes(bytes) | PyObject::ByteArray(bytes) => bytes.len() as u64,
            PyObject::Tuple(parts) => parts.iter().map(bytes).fold(0, u64::saturating_add),
            _ => 8,
        }
    }
    array.items().iter().map(bytes).fold(0, u64::saturating_add)
}

/// Where objects are: the field, and the shape of the array of which the element is told.
pub(super) struct At<'a> {
    /// The names of the fields that lead there.
    pub(super) names: Vec<String>,
    pub(super) shape: &'a [usize],
    /// Of sub-arrays.
    pub(super) per_element: usize,
}

impl At<'_> {
    pub(super) fn failure(&self, (position, problem): Problem) -> Failure {
        let element = position.checked_div(self.per_element).unwrap_or(0);
        let element = match &quantity::unraveled(element as u64, self.shape)[..] {
            [index] => index.to_string(),
            index => quantity::shape(index),
        };
        let field = if self.names.is_empty() { String::new() } else { format!("field \"{}\": ", self.names.join(".")) };
        Failure::Nameless(format!("{field}element {element}: {problem}"))
    }

    /// Of a field.
    pub(super) fn field(&self, name: &str) -> Self {
        Self { names: [&self.names[..], &[name.to_owned()]].concat(), ..*self }
    }

    /// Of the items of sub-arrays.
    pub(super) fn items(&self, count: usize) -> Self {
        Self { names: self.names.clone(), shape: self.shape, per_element: self.per_element.saturating_mul(count) }
    }
}

/// The dtype without objects that holds all elements.
fn dtype_of(dtype: &DType, items: &[&PyObject], at: &At<'_>, wish: Wish<'_>) -> Result<DType> {
    match dtype {
        dtype if !dtype.has_object() => Ok(dtype.clone()),
        DType::Scalar(_) => {
            let wanted = wish.dtype.and_then(scalar_of);
            let column = Column::of(items).and_then(|column| column.dtype(wanted, wish));
            Ok(column.map_err(|problem| at.failure(problem))?.into())
        }
        DType::Record(record) => {
            let mut end = 0_usize;
            let mut fields = Vec::new();
            for (place, field) in record.fields().iter().enumerate() {
                let inner = at.field(field.name());
                let parts = parts_of(items, place, &inner)?;
                let wanted = wish.dtype.and_then(|wanted| field_of(wanted, field.name()));
                let dtype = dtype_of(field.dtype(), &parts, &inner, Wish { dtype: wanted, ..wish })?;
                let offset = end;
                end = end.saturating_add(dtype.itemsize());
                let renewed = Field::new(field.name(), offset, dtype);
                fields.push(match field.title() {
                    Some(Title::Text(title)) => renewed.with_title(title.clone()),
                    _ => renewed,
                });
            }
            Ok(Record::new(fields, end)?.into())
        }
        DType::SubArray(array) => {
            let (parts, count) = items_of(array.base(), array.shape(), items, at)?;
            let wanted = wish.dtype.map(|wanted| if let DType::SubArray(array) = wanted { array.base() } else { wanted });
            let base = dtype_of(array.base(), &parts, &at.items(count), Wish { dtype: wanted, ..wish })?;
            Ok(base.sub_array(array.shape())?)
        }
    }
}

/// The objects of a field of all records.
pub(super) fn parts_of<'o>(records: &[&'o PyObject], place: usize, at: &At<'_>) -> Result<Vec<&'o PyObject>> {
    let part = |(position, record): (usize, &&'o PyObject)| {
        record_item(record, place).ok_or_else(|| at.failure((position, "expected a record".to_owned())))
    };
    records.iter().enumerate().map(part).collect()
}

/// The items of sub-arrays, one after another, and how many one has.
pub(super) fn items_of<'o>(
    base: &DType,
    shape: &[usize],
    arrays: &[&'o PyObject],
    at: &At<'_>,
) -> Result<(Vec<&'o PyObject>, usize)> {
    // Of nested sub-arrays the items are taken apart by the next call.
    let axes = if matches!(base, DType::SubArray(_)) { &shape[..1] } else { shape };
    let misfit = |position| at.failure((position, format!("expected a sub-array of shape {}", quantity::shape(shape))));
    let parts = items_of_sub_arrays(arrays, axes)?.map_err(misfit)?;
    Ok((parts, axes.iter().product()))
}

/// Appends an element of the first dtype as one of the second, which has no objects.
fn encode([from, to]: [&DType; 2], item: &PyObject, is_lossy: bool, out: &mut Vec<u8>) -> Result<(), String> {
    let misfit = || format!("expected a value of dtype {to}");
    match (from, to, item) {
        (from, to, item) if !from.has_object() => encode_object(to, item, out).ok_or_else(misfit),
        (DType::Scalar(_), DType::Scalar(scalar), item) => {
            encode_object(to, &*normal(*scalar, item, is_lossy)?, out).ok_or_else(misfit)
        }
        (DType::Record(from), DType::Record(to), PyObject::Tuple(parts)) => {
            let fields = from.fields().iter().zip(to.fields()).zip(parts);
            fields.into_iter().try_for_each(|((from, to), part)| encode([from.dtype(), to.dtype()], part, is_lossy, out))
        }
        (DType::SubArray(from), DType::SubArray(to), item) => {
            let mut parts = Vec::new();
            let axes = if matches!(from.base(), DType::SubArray(_)) { 1 } else { from.shape().len() };
            sub_items(item, axes, &mut parts);
            parts.into_iter().try_for_each(|part| encode([from.base(), to.base()], part, is_lossy, out))
        }
        _ => Err(misfit()),
    }
}

fn scalar_of(dtype: &DType) -> Option<Scalar> {
    match dtype {
        DType::Scalar(scalar) => Some(*scalar),
        _ => None,
    }
}

/// The dtype of a field.
fn field_of<'d>(dtype: &'d DType, name: &str) -> Option<&'d DType> {
    let DType::Record(record) = dtype else { return None };
    record.fields().iter().find(|field| field.name() == name).map(Field::dtype)
}
