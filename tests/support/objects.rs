//! Canonical text of Python objects, as `dump` of tests/python/objects.py has it.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::object::{ObjectArray, PyObject};
use npy_core::{DType, DynValues, Order};

/// All that is in an array: leaves by their `repr`, numbers with their bits.
pub fn dump(array: &ObjectArray) -> String {
    let kind = match (array.string_dtype(), array.dtype()) {
        (Some(dtype), _) => {
            let missing = dtype.na_object().map_or(String::new(), |missing| format!(" {}", dump_object(missing)));
            format!("T {}{missing}", PyObject::Bool(dtype.coerce()))
        }
        (None, DType::Record(record)) => {
            PyObject::List(record.fields().iter().map(|field| PyObject::from(field.name())).collect()).to_string()
        }
        _ => "O".to_owned(),
    };
    format!("O[{kind}|{}|{}]", shape(array.order(), array.shape()), all(array.items()))
}

/// The lengths, behind an `F` if the order in memory is another than C.
fn shape(order: Order, shape: &[usize]) -> String {
    let is_one = shape.contains(&0) || shape.iter().filter(|&&length| length > 1).count() < 2;
    let lengths: Vec<_> = shape.iter().map(usize::to_string).collect();
    format!("{}{}", if order == Order::C || is_one { "" } else { "F" }, lengths.join(","))
}

fn all(items: &[PyObject]) -> String {
    items.iter().map(dump_object).collect::<Vec<_>>().join(";")
}

fn sorted(items: &[PyObject]) -> String {
    let mut items: Vec<_> = items.iter().map(dump_object).collect();
    items.sort();
    items.join(";")
}

fn dump_object(object: &PyObject) -> String {
    let entries = |entries: &[(PyObject, PyObject)]| {
        entries.iter().map(|(key, value)| format!("{}={}", dump_object(key), dump_object(value))).collect::<Vec<_>>().join(";")
    };
    match object {
        PyObject::List(items) => format!("list({})", all(items)),
        PyObject::Tuple(items) => format!("tuple({})", all(items)),
        PyObject::Set(items) => format!("set({})", sorted(items)),
        PyObject::FrozenSet(items) => format!("frozenset({})", sorted(items)),
        PyObject::Dict(items) => format!("dict({})", entries(items)),
        PyObject::OrderedDict(items) => format!("OrderedDict({})", entries(items)),
        PyObject::Slice(parts) => format!("slice({})", all(&parts[..])),
        PyObject::Objects(array) => dump(array),
        PyObject::Subclass(object) => dump_object(&object.base),
        PyObject::Array(array) => dump_array(array),
        PyObject::Float(value) => format!("{object} {:016x}", value.to_bits()),
        PyObject::Complex { re, im } => format!("{object} {:016x} {:016x}", re.to_bits(), im.to_bits()),
        PyObject::Scalar(scalar) => match scalar.dtype() {
            DType::Scalar(dtype) if has_bits(*dtype) => format!("{object} {}", hex(&native(*dtype, scalar.bytes()))),
            _ => object.to_string(),
        },
        leaf => leaf.to_string(),
    }
}

/// The kinds of numbers and times whose bytes all belong to the value.
fn has_bits(dtype: Scalar) -> bool {
    let text = dtype.to_string();
    text.trim_start_matches(['<', '>', '|']).starts_with(['i', 'u', 'f', 'c', 'm', 'M'])
        && !matches!(dtype.kind(), ScalarKind::LongDouble { .. } | ScalarKind::ComplexLongDouble { .. })
}

/// The bytes in the native order: NumPy makes scalars native when it loads them, and arrays in all
/// protocols but the fifth.
fn native(dtype: Scalar, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if dtype.byte_order().is_some_and(|order| order != ByteOrder::NATIVE) {
        let text = dtype.to_string();
        let width = if text.contains('U') { 4 } else { dtype.itemsize() / if text.contains('c') { 2 } else { 1 } };
        bytes.chunks_mut(width.max(1)).for_each(<[u8]>::reverse);
    }
    bytes
}

fn dump_array(array: &DynValues) -> String {
    let lengths = array.shape();
    let itemsize = array.dtype().itemsize();
    // Where in memory the element is that is the n-th in the order C.
    let position = |mut index: usize| match array.order() {
        Order::C => index,
        Order::Fortran => {
            let mut position = 0;
            for axis in (0..lengths.len()).rev() {
                position += index % lengths[axis] * lengths[..axis].iter().product::<usize>();
                index /= lengths[axis];
            }
            position
        }
    };
    let count = array.header().element_count();
    let bytes: Vec<u8> = (0..count).flat_map(|i| &array.bytes()[position(i) * itemsize..][..itemsize]).copied().collect();
    let (dtype, bytes) = match array.dtype() {
        DType::Scalar(scalar) if !matches!(scalar.kind(), ScalarKind::Void { .. }) => {
            (array.dtype().clone().with_byte_order(ByteOrder::NATIVE), native(*scalar, &bytes))
        }
        dtype => (dtype.clone(), bytes),
    };
    format!("A[{dtype}|{}|{}]", shape(array.order(), lengths), hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
