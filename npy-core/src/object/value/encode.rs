//! Encoding of objects as the bytes of a dtype, as NumPy loads pickled records.

use super::PyObject;
use super::time::PyDate;
use crate::dynamic::DynValues;
use crate::format::dtype::{Class, DType, Record, Scalar, ScalarKind, SubArray, TimeUnit};
use crate::options::Order;
use crate::transpose::bytes::InOrderC;

/// NumPy's NaT.
const NAT: i64 = i64::MIN;

/// Appends an element of a dtype without objects; `None` if the object is not a value of it.
#[doc(hidden)]
pub fn encode_object(dtype: &DType, object: &PyObject, out: &mut Vec<u8>) -> Option<()> {
    match (dtype, object) {
        (DType::Record(record), PyObject::Tuple(items)) => encode_record(record, items, out),
        (_, PyObject::Scalar(values)) if values.dtype() == dtype => copy(values, out),
        (DType::SubArray(array), object) => encode_sub_array(array, object, out),
        (DType::Scalar(scalar), object) => encode_scalar(*scalar, object, out),
        (DType::Record(_), _) => None,
    }
}

/// Appends the elements of an array in C order.
fn copy(values: &DynValues, out: &mut Vec<u8>) -> Option<()> {
    let size = values.dtype().itemsize();
    if size > 0 {
        for index in c_order(values) {
            out.extend_from_slice(values.bytes().get(index.checked_mul(size)?..)?.get(..size)?);
        }
    }
    Some(())
}

/// The positions of the elements of an array in C order.
pub(crate) fn c_order(values: &DynValues) -> Box<dyn Iterator<Item = usize>> {
    match values.order() {
        Order::C => Box::new(0..values.header().element_count()),
        Order::Fortran => Box::new(InOrderC::new(values.shape())),
    }
}

fn encode_record(record: &Record, items: &[PyObject], out: &mut Vec<u8>) -> Option<()> {
    if items.len() != record.fields().len() {
        return None;
    }
    let begin = out.len();
    for (field, item) in record.fields().iter().zip(items) {
        // The padding before the field.
        out.resize(begin.checked_add(field.offset())?, 0);
        encode_object(field.dtype(), item, out)?;
    }
    out.resize(begin.checked_add(record.itemsize())?, 0);
    Some(())
}

/// Appends a sub-array, which old versions of NumPy pickle as nested lists.
fn encode_sub_array(array: &SubArray, object: &PyObject, out: &mut Vec<u8>) -> Option<()> {
    let begin = out.len();
    encode_items(array.base(), object, out)?;
    (out.len().checked_sub(begin)? == array.itemsize()).then_some(())
}

fn encode_items(base: &DType, object: &PyObject, out: &mut Vec<u8>) -> Option<()> {
    match (object, base) {
        (object, DType::SubArray(inner)) => encode_items(inner.base(), object, out),
        (PyObject::Array(values), DType::Scalar(scalar)) => push_values(*scalar, values, out),
        (PyObject::Array(values), base) if values.dtype() == base => copy(values, out),
        (PyObject::List(items), base) => items.iter().try_for_each(|item| encode_items(base, item, out)),
        (item, base) => encode_object(base, item, out),
    }
}

fn encode_scalar(scalar: Scalar, object: &PyObject, out: &mut Vec<u8>) -> Option<()> {
    if matches!(scalar.kind(), ScalarKind::LongDouble { .. } | ScalarKind::ComplexLongDouble { .. }) {
        // No number of Python holds it.
        let PyObject::Scalar(values) = object else { return None };
        return push_values(scalar, values, out);
    }
    let begin = out.len();
    out.resize(begin.checked_add(scalar.itemsize())?, 0);
    let slot = out.get_mut(begin..)?;
    let is_stored = match (scalar.kind(), scalar.class(), object) {
        // Kinds that NumPy has no dtype for, and objects, which have no bytes.
        (ScalarKind::Float8E5M2 | ScalarKind::Ml(_) | ScalarKind::Complex32 | ScalarKind::Object, ..) => false,
        (ScalarKind::Bytes { .. } | ScalarKind::Void { .. }, _, PyObject::Bytes(bytes)) => fill(slot, bytes.iter().copied()),
        // A `str` of Python 2.
        (ScalarKind::Bytes { .. } | ScalarKind::Void { .. }, _, PyObject::Str(text)) if text.is_ascii() => fill(slot, text.bytes()),
        (_, Class::Unicode, PyObject::Str(text)) => scalar.encode_units(text.chars().map(u32::from).take(slot.len() / 4), slot),
        (_, Class::Unicode, PyObject::SurrogateStr(text)) => scalar.encode_units(text.code_points().take(slot.len() / 4), slot),
        (_, Class::Bool, PyObject::Bool(value)) => scalar.encode_integer(i128::from(*value), slot),
        (_, Class::Signed | Class::Unsigned, object) => scalar.encode_integer(integer(object)?, slot),
        (_, Class::Float, object) => scalar.encode_float(float(object)?, slot),
        (_, Class::Complex, PyObject::Complex { re, im }) => scalar.encode_complex(*re, *im, slot),
        (_, Class::Complex, object) => scalar.encode_complex(float(object)?, 0.0, slot),
        (ScalarKind::Datetime { unit, count }, ..) => scalar.encode_integer(moment(unit, count, object)?.into(), slot),
        (ScalarKind::Timedelta { unit, count }, ..) => scalar.encode_integer(span(unit, count, object)?.into(), slot),
        _ => false,
    };
    is_stored.then_some(())
}

/// Fills the beginning of an element. Drops bytes beyond its end.
fn fill(slot: &mut [u8], bytes: impl Iterator<Item = u8>) -> bool {
    slot.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = byte);
    true
}

/// Appends values of NumPy of the same kind, in either byte order.
fn push_values(scalar: Scalar, values: &DynValues, out: &mut Vec<u8>) -> Option<()> {
    let DType::Scalar(found) = values.dtype() else { return None };
    if found.kind() != scalar.kind() {
        return None;
    }
    let begin = out.len();
    copy(values, out)?;
    if found.byte_order() != scalar.byte_order() {
        swap_bytes(scalar, out.get_mut(begin..)?);
    }
    Some(())
}

/// Swaps the bytes of the words of elements: numbers, times or characters.
pub(crate) fn swap_bytes(scalar: Scalar, elements: &mut [u8]) {
    elements.chunks_exact_mut(scalar.word_size()).for_each(<[u8]>::reverse);
}

fn integer(object: &PyObject) -> Option<i128> {
    match object {
        PyObject::Int(value) => value.to_i128(),
        PyObject::Bool(value) => Some(i128::from(*value)),
        _ => None,
    }
}

fn float(object: &PyObject) -> Option<f64> {
    match object {
        PyObject::Float(value) => Some(*value),
        PyObject::Int(value) => value.to_f64(),
        _ => None,
    }
}

/// Microseconds since 1970-01-01T00:00, and the date.
fn since_1970(object: &PyObject) -> Option<(i128, PyDate)> {
    match object {
        PyObject::Date(date) => Some((i128::from(date.days_since_1970()).saturating_mul(MICROSECONDS_IN_A_DAY), *date)),
        // Times of NumPy have no time zone.
        PyObject::DateTime(moment) if moment.time().zone().is_none() => {
            Some((moment.microseconds_since_1970().into(), moment.date()))
        }
        _ => None,
    }
}

/// The steps of a `datetime64`.
fn moment(unit: TimeUnit, count: u32, object: &PyObject) -> Option<i64> {
    if let Some(steps) = steps(object) {
        return Some(steps);
    }
    let (microseconds, date) = since_1970(object)?;
    let years = i128::from(date.year()).checked_sub(1970)?;
    let units = match unit {
        TimeUnit::Year => years,
        TimeUnit::Month => years.checked_mul(12)?.checked_add(i128::from(date.month()))?.checked_sub(1)?,
        unit => units(unit, microseconds)?,
    };
    i64::try_from(units.checked_div_euclid(i128::from(count))?).ok()
}

/// The steps of a `timedelta64`.
fn span(unit: TimeUnit, count: u32, object: &PyObject) -> Option<i64> {
    match object {
        PyObject::TimeDelta(delta) => {
            let units = units(unit, delta.total_microseconds())?;
            i64::try_from(units.checked_div_euclid(i128::from(count))?).ok()
        }
        object => steps(object),
    }
}

/// The steps of NaT (`None`), and of a time beyond the range of `datetime`, which NumPy pickles as an integer.
fn steps(object: &PyObject) -> Option<i64> {
    match object {
        PyObject::None => Some(NAT),
        PyObject::Int(steps) => steps.to_i64(),
        _ => None,
    }
}

const MICROSECONDS_IN_A_DAY: i128 = 86_400_000_000;

/// Converts microseconds to units of a fixed length, rounding down.
fn units(unit: TimeUnit, microseconds: i128) -> Option<i128> {
    const MICROSECOND: i128 = 1_000_000_000_000;
    let length = unit.attoseconds()?;
    let (multiply, divide) = if length < MICROSECOND { (MICROSECOND / length, 1) } else { (1, length / MICROSECOND) };
    microseconds.checked_mul(multiply)?.checked_div_euclid(divide)
}
