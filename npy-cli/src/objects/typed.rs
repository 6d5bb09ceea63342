//! Arrays of objects as arrays of a plain dtype, which the objects tell.

use std::fs::File;
use std::io::{BufWriter, Write};

use npy_core::dtype::Scalar;
use npy_core::object::{ObjectArray, PyObject, encode_object, push_sub_items};
use npy_core::{DType, Header, Order};

use super::kind::{Column, Wish, are_text_in_csv, normal};
use super::missing::without_missing;
use super::part::{At, Part, parts};
use crate::failure::{Failure, Result};
use crate::input::{Array, not_spooled, object_options, spool};
use crate::signals;
use crate::values::{fields, quantity};

/// The least bytes to which texts of very different lengths may grow as a dtype of one width.
const LEAST_BYTES: u64 = 1 << 30;

/// Converts objects to the dtype of their values. Other arrays stay as they are.
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
    let dtype = dtype_of(array, wish)?;
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
fn dtype_of(array: &ObjectArray, wish: Wish<'_>) -> Result<DType> {
    let dtype_of_part = |part: &Part<'_>| {
        if !part.is_object() {
            return Ok(part.dtype.clone());
        }
        let wanted = wish.dtype.and_then(|wanted| scalar_at(wanted, &part.names));
        let column = Column::of(&part.items).and_then(|column| column.dtype(wanted, wish));
        column.map(DType::from).map_err(|problem| part.at(array.shape()).failure(problem))
    };
    let dtypes: Vec<DType> = parts(array)?.iter().map(dtype_of_part).collect::<Result<_>>()?;
    Ok(with_parts(array.dtype(), &mut dtypes.into_iter())?)
}

/// The dtype of a record, or of a sub-array, with others for its [`parts`].
fn with_parts(dtype: &DType, parts: &mut dyn Iterator<Item = DType>) -> npy_core::Result<DType> {
    match dtype {
        DType::Record(record) if dtype.has_object() => {
            let fields = record.fields().iter().map(|field| Ok((field, with_parts(field.dtype(), parts)?)));
            Ok(fields::laid_out(fields.collect::<npy_core::Result<_>>()?, false)?.into())
        }
        DType::SubArray(array) if dtype.has_object() => with_parts(array.base(), parts)?.sub_array(array.shape()),
        dtype => Ok(parts.next().unwrap_or_else(|| dtype.clone())),
    }
}

/// The scalar that a dtype has where these names lead.
fn scalar_at(dtype: &DType, names: &[String]) -> Option<Scalar> {
    let field = names.iter().try_fold(dtype, |dtype, name| Some(dtype.record()?.field(name)?.dtype()))?;
    fields::scalar_of(field)
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

/// Fails where the objects of a column are of several kinds, or not plain values.
pub(crate) fn expect_one_kind(array: &ObjectArray) -> Result<()> {
    let present = without_missing(array);
    for part in parts(present.as_ref().unwrap_or(array))?.iter().filter(|part| part.is_object()) {
        Column::of(&part.items).map_err(|(position, problem)| {
            part.at(array.shape()).failure((position, format!("{problem}; --lossy writes its text")))
        })?;
    }
    Ok(())
}

/// Whether a reader of CSV would take the first line of an array without fields for a name: where values are text.
pub(crate) fn is_text_in_csv(array: &ObjectArray) -> bool {
    let present = without_missing(array);
    are_text_in_csv(&present.as_ref().unwrap_or(array).items().iter().collect::<Vec<_>>())
}
