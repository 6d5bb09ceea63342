//! Equality of Python objects: numbers within the tolerances, containers item by item.

use std::collections::HashMap;

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::object::{ArrayClass, FromPyObject, Opaque, PyInt, PyObject, Subclass};
use npy_core::{DType, DynValues, Order};

use super::judge::{Judge, Tolerance, Verdict};
use crate::values::fields::{self, Leaf};

/// Compares two objects, numbers whatever their types.
pub(super) fn judge(a: &PyObject, b: &PyObject, tolerance: Tolerance) -> Verdict {
    // An array of a subclass is equal to the `ndarray` of the same values.
    let (a, b) = (a.plain(), b.plain());
    if let (Some(x), Some(y)) = (number(a), number(b)) {
        return judge_numbers([x, y], difference([a, b], [x, y]), tolerance);
    }
    if let (Some((a, x)), Some((b, y))) = (element(a), element(b))
        && let Some(judge) = Judge::new(a, b)
    {
        return judge.judge((a, b), (&x, &y), tolerance);
    }
    let is_equal = match (a, b) {
        (PyObject::List(a), PyObject::List(b)) | (PyObject::Tuple(a), PyObject::Tuple(b)) => are_equal(a, b, tolerance),
        (PyObject::Objects(a), PyObject::Objects(b)) => a.shape() == b.shape() && are_equal(a.items(), b.items(), tolerance),
        (PyObject::Array(a), PyObject::Array(b)) | (PyObject::Scalar(a), PyObject::Scalar(b)) => are_arrays_equal(a, b, tolerance),
        (PyObject::OrderedDict(a), PyObject::OrderedDict(b)) => {
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|(a, b)| has_key([&a.0, &b.0], tolerance) && is_same([&a.1, &b.1], tolerance))
        }
        (PyObject::Dict(a) | PyObject::OrderedDict(a), PyObject::Dict(b) | PyObject::OrderedDict(b)) => {
            are_entries_equal([entries(a), entries(b)], tolerance)
        }
        (PyObject::Set(a) | PyObject::FrozenSet(a), PyObject::Set(b) | PyObject::FrozenSet(b)) => {
            are_entries_equal([keys(a), keys(b)], tolerance)
        }
        (PyObject::Subclass(a), PyObject::Subclass(b)) => are_masked_equal(a, b, tolerance),
        (PyObject::Opaque(a), PyObject::Opaque(b)) => are_unknown_equal(a, b, tolerance),
        (a, b) => a == b || matches!((text(a), text(b)), (Some(a), Some(b)) if a == b),
    };
    if is_equal { Verdict::Equal } else { Verdict::Different(None, None) }
}

fn is_same([a, b]: [&PyObject; 2], tolerance: Tolerance) -> bool {
    judge(a, b, tolerance) == Verdict::Equal
}

fn are_equal(a: &[PyObject], b: &[PyObject], tolerance: Tolerance) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same([a, b], tolerance))
}

/// Keys and values.
type Entries<'o> = Vec<(&'o PyObject, &'o PyObject)>;

fn keys(items: &[PyObject]) -> Entries<'_> {
    items.iter().map(|item| (item, &PyObject::None)).collect()
}

fn entries(entries: &[(PyObject, PyObject)]) -> Entries<'_> {
    entries.iter().map(|(key, value)| (key, value)).collect()
}

/// Whether two keys are equal, which have no tolerance.
fn has_key(keys: [&PyObject; 2], tolerance: Tolerance) -> bool {
    is_same(keys, Tolerance { relative: 0.0, absolute: 0.0, ..tolerance })
}

/// Whether both have the same keys, in any order, with equal values.
fn are_entries_equal([a, b]: [Entries<'_>; 2], tolerance: Tolerance) -> bool {
    // Most are in the same order.
    let in_order = a.iter().zip(&b).take_while(|(a, b)| has_key([a.0, b.0], tolerance)).count();
    let (a, b) = (a.split_at(in_order), b.split_at(in_order));
    if a.1.len() != b.1.len() || !a.0.iter().zip(b.0).all(|(a, b)| is_same([a.1, b.1], tolerance)) {
        return false;
    }
    let mut rest: HashMap<String, Entries<'_>> = HashMap::new();
    for entry in b.1 {
        rest.entry(key_text(entry.0)).or_default().push(*entry);
    }
    a.1.iter().all(|(key, value)| {
        let Some(candidates) = rest.get_mut(&key_text(key)) else { return false };
        let found = candidates.iter().position(|other| has_key([key, other.0], tolerance));
        found.is_some_and(|found| is_same([value, candidates.swap_remove(found).1], tolerance))
    })
}

/// A text that equal keys share.
#[allow(clippy::cast_possible_truncation, reason = "only integers are cast")]
fn key_text(key: &PyObject) -> String {
    if let Some(integer) = integer(key) {
        return integer.to_string();
    }
    match (key, number(key)) {
        (PyObject::Tuple(items), _) => items.iter().map(key_text).collect::<Vec<_>>().join(","),
        (PyObject::FrozenSet(items), _) => {
            let mut texts: Vec<String> = items.iter().map(key_text).collect();
            texts.sort_unstable();
            texts.join(",")
        }
        (_, Some(value)) if value.fract() == 0.0 && value.abs() < 1e38 => (value as i128).to_string(),
        (_, Some(value)) => value.to_string(),
        (key, None) => text(key).unwrap_or_else(|| key.to_string()),
    }
}

/// By the values of each field, as in files.
fn are_arrays_equal(a: &DynValues, b: &DynValues, tolerance: Tolerance) -> bool {
    if tolerance.equal_nan && a == b {
        return true;
    }
    let (x, y) = (fields::leaves(a.dtype()), fields::leaves(b.dtype()));
    let (Ok(a), Ok(b)) = (a.clone().into_order(Order::C), b.clone().into_order(Order::C)) else { return false };
    let is_leaf_equal = |x: &Leaf| {
        let Some(y) = y.iter().find(|y| y.names == x.names && y.axes == x.axes) else { return false };
        let (xs, ys, scalars) = (values(x, &a), values(y, &b), (x.scalar, y.scalar));
        xs.len() == ys.len()
            && match Judge::new(x.scalar, y.scalar) {
                Some(judge) => xs.iter().zip(&ys).all(|(x, y)| judge.judge(scalars, (x, y), tolerance) == Verdict::Equal),
                None => x.scalar == y.scalar && xs == ys,
            }
    };
    a.shape() == b.shape() && x.len() == y.len() && x.iter().all(is_leaf_equal)
}

/// The bytes of each value of a field.
fn values<'a>(leaf: &Leaf, array: &'a DynValues) -> Vec<&'a [u8]> {
    let mut values = Vec::new();
    let size = leaf.scalar.itemsize().max(1);
    leaf.for_each_run(array.bytes(), |run| values.extend(run.chunks_exact(size)));
    values
}

/// With the values under the mask.
fn are_masked_equal(a: &Subclass, b: &Subclass, tolerance: Tolerance) -> bool {
    let is_class_equal = match (&a.class, &b.class) {
        (ArrayClass::Masked { mask: x, fill_value: a, .. }, ArrayClass::Masked { mask: y, fill_value: b, .. }) => {
            are_arrays_equal(x, y, tolerance) && is_same([a, b], tolerance)
        }
        (x, y) => x == y,
    };
    is_class_equal && is_same([&a.base, &b.base], tolerance)
}

/// By all that the pickle says of them.
fn are_unknown_equal(a: &Opaque, b: &Opaque, tolerance: Tolerance) -> bool {
    (&a.module, &a.name, a.arguments.is_some()) == (&b.module, &b.name, b.arguments.is_some())
        && are_equal(a.arguments.as_deref().unwrap_or_default(), b.arguments.as_deref().unwrap_or_default(), tolerance)
        && are_equal(a.state.as_slice(), b.state.as_slice(), tolerance)
        && are_equal(&a.items, &b.items, tolerance)
        && are_entries_equal([entries(&a.entries), entries(&b.entries)], tolerance)
}

fn number(object: &PyObject) -> Option<f64> {
    match object {
        PyObject::Bool(value) => Some(f64::from(u8::from(*value))),
        PyObject::Int(value) => Some(value.to_f64().unwrap_or(f64::INFINITY)),
        PyObject::Float(value) => Some(*value),
        PyObject::Scalar(_) => f64::from_object(object).ok().or_else(|| integer(object)?.to_f64()),
        _ => None,
    }
}

fn integer(object: &PyObject) -> Option<PyInt> {
    match object {
        PyObject::Int(_) | PyObject::Scalar(_) => PyInt::from_object(object).ok(),
        _ => None,
    }
}

/// The absolute difference, of integers without rounding them first.
#[allow(clippy::cast_possible_truncation, reason = "only integers are cast")]
fn difference([a, b]: [&PyObject; 2], [x, y]: [f64; 2]) -> f64 {
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => match (a.to_i128(), b.to_i128()) {
            (Some(a), Some(b)) => a.abs_diff(b) as f64,
            _ if a == b => 0.0,
            _ if x.is_infinite() || y.is_infinite() => f64::INFINITY,
            // Of more than 128 bits, whose difference a float may round to 0.
            _ => (x - y).abs().max(1.0),
        },
        // Rounded to a float an integer may be equal.
        (Some(integer), None) | (None, Some(integer)) if x.total_cmp(&y).is_eq() && x.is_finite() => {
            let float = if x.abs() < 1e38 { Some(x as i128) } else { None };
            integer.to_i128().zip(float).map_or(0.0, |(integer, float)| integer.abs_diff(float) as f64)
        }
        // An integer beyond the range of floats is not infinite.
        (None, None) if x.is_infinite() && x.total_cmp(&y).is_eq() => 0.0,
        _ => (x - y).abs(),
    }
}

fn judge_numbers([x, y]: [f64; 2], difference: f64, tolerance: Tolerance) -> Verdict {
    match (x.is_nan(), y.is_nan()) {
        (true, true) if tolerance.equal_nan => Verdict::Equal,
        (true, true) => Verdict::BothNan,
        (false, false) if difference <= 0.0 => Verdict::Equal,
        (false, false) if difference.is_finite() => {
            if difference <= tolerance.absolute + tolerance.relative * y.abs() {
                return Verdict::Equal;
            }
            Verdict::Different(Some(difference), Some(difference / y.abs()).filter(|error| error.is_finite()))
        }
        _ => Verdict::Different(None, None),
    }
}

/// An object as an element of a dtype: a scalar of NumPy, or a number.
fn element(object: &PyObject) -> Option<(Scalar, Vec<u8>)> {
    let (kind, re, im) = match object {
        PyObject::Scalar(values) => match values.dtype() {
            DType::Scalar(scalar) => return Some((*scalar, values.bytes().to_vec())),
            _ => return None,
        },
        PyObject::Complex { re, im } => (ScalarKind::Complex128, *re, *im),
        PyObject::Int(value) => (ScalarKind::Float64, value.to_f64()?, 0.0),
        object => (ScalarKind::Float64, number(object)?, 0.0),
    };
    let scalar = Scalar::new(kind, ByteOrder::NATIVE);
    let mut bytes = vec![0; scalar.itemsize()];
    let is_encoded = scalar.encode_float(re, &mut bytes) || scalar.encode_complex(re, im, &mut bytes);
    is_encoded.then_some((scalar, bytes))
}

fn text(object: &PyObject) -> Option<String> {
    String::from_object(object).ok()
}
