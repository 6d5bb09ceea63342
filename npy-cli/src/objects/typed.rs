//! Arrays of objects as arrays of a plain dtype, which the objects tell.

use std::fs::File;
use std::io::{BufWriter, Write};

use npy_core::dtype::{Field, Record, Scalar, Title};
use npy_core::object::{ObjectArray, PyObject, encode_object, push_sub_items};
use npy_core::{DType, Header, Order};

use super::kind::{Column, Wish, are_text_in_csv, normal};
use super::missing::without_missing;
use super::part::{At, items_of, parts, parts_of};
use crate::failure::{Failure, Result};
use crate::input::{Array, not_spooled, object_options, spool};
use crate::signals;
use crate::values::quantity;

/// The least bytes to which texts of very different lengths may grow as a dtype of one width.
const LEAST_BYTES: u64 = 1 << 30;

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
            push_sub_items(item, axes, &mut parts);
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

/// Fails where the objects of a column are of several kinds, or not plain values.
pub(crate) fn expect_one_kind(array: &ObjectArray) -> Result<()> {
    let present = without_missing(array);
    for part in parts(present.as_ref().unwrap_or(array))?.iter().filter(|part| part.is_object()) {
        let per_element = part.axes.iter().fold(1_usize, |count, length| count.saturating_mul(*length));
        let at = At { names: part.names.clone(), shape: array.shape(), per_element };
        Column::of(&part.items)
            .map_err(|(position, problem)| at.failure((position, format!("{problem}; --lossy writes its text"))))?;
    }
    Ok(())
}

/// Whether a reader of CSV would take the first line of an array without fields for a name: where values are text.
pub(crate) fn is_text_in_csv(array: &ObjectArray) -> bool {
    let present = without_missing(array);
    are_text_in_csv(&present.as_ref().unwrap_or(array).items().iter().collect::<Vec<_>>())
}
