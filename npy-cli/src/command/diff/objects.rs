//! Python objects, compared by their values.

use npy_core::object::{FromPyObject, ObjectArray, PyObject};

use super::compare::{Comparison, Field, First, raise};
use super::judge::{Tolerance, Verdict};
use crate::failure::Result;
use crate::fields::{self, Leaf};
use crate::objects::{Part, parts};
use crate::quantity::unraveled;

/// Compares the fields of two arrays of the same shape.
pub(super) fn compare(
    comparison: &mut Comparison,
    [a, b]: [&ObjectArray; 2],
    names: &[String],
    tolerance: Tolerance,
) -> Result<()> {
    let selected = |array: &ObjectArray| fields::select(array.dtype(), names);
    let (leaves, others) = (selected(a)?, fields::select(b.dtype(), names).unwrap_or_default());
    let mut rest: Vec<Part<'_>> = parts(b)?.into_iter().filter(|part| is_selected(part, &others)).collect();
    for part in parts(a)?.into_iter().filter(|part| is_selected(part, &leaves)) {
        let Some(found) = rest.iter().position(|other| other.path == part.path) else {
            comparison.problems.push(format!("the field {:?} is missing in the second", part.path));
            continue;
        };
        let other = rest.remove(found);
        if part.axes != other.axes || part.items.len() != other.items.len() {
            comparison.problems.push(format!("the field {:?} has sub-arrays of different shapes", part.path));
            continue;
        }
        let shape = [a.shape(), &part.axes].concat();
        comparison.fields.push(field_of([&part, &other], &shape, tolerance));
    }
    comparison.problems.extend(rest.iter().map(|part| format!("the field {:?} is missing in the first", part.path)));
    Ok(())
}

fn is_selected(part: &Part<'_>, leaves: &[Leaf]) -> bool {
    let below = format!("{}.", part.path);
    leaves.iter().any(|leaf| part.path.is_empty() || leaf.path == part.path || leaf.path.starts_with(&below))
}

fn field_of([a, b]: [&Part<'_>; 2], shape: &[usize], tolerance: Tolerance) -> Field {
    let mut field = Field::new(a.path.clone(), a.items.len() as u64);
    for (position, (x, y)) in a.items.iter().zip(&b.items).enumerate() {
        let verdict = judge(x, y, tolerance);
        if verdict == Verdict::Equal {
            continue;
        }
        field.different += 1;
        field.both_nan += u64::from(verdict == Verdict::BothNan);
        let index = unraveled(position as u64, shape);
        if let Verdict::Different(absolute, relative) = verdict {
            raise(&mut field.absolute, absolute, position as u64, &index);
            raise(&mut field.relative, relative, position as u64, &index);
        }
        field.first.get_or_insert_with(|| First::new(position as u64, index, [x.to_string(), y.to_string()]));
    }
    field
}

/// Numbers with a tolerance, whatever their types; texts and containers by what they hold.
fn judge(a: &PyObject, b: &PyObject, tolerance: Tolerance) -> Verdict {
    if let (Some(x), Some(y)) = (number(a), number(b)) {
        return judge_numbers([x, y], difference([a, b], [x, y]), tolerance);
    }
    let all = |a: &[PyObject], b: &[PyObject]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| judge(a, b, tolerance) == Verdict::Equal)
    };
    let is_equal = match (a, b) {
        (PyObject::List(a), PyObject::List(b)) | (PyObject::Tuple(a), PyObject::Tuple(b)) => all(a, b),
        (PyObject::Objects(a), PyObject::Objects(b)) => a.shape() == b.shape() && all(a.items(), b.items()),
        (PyObject::Dict(a), PyObject::Dict(b)) => {
            let has = |(key, value): &(PyObject, PyObject)| {
                b.iter().any(|(other, found)| key == other && judge(value, found, tolerance) == Verdict::Equal)
            };
            a.len() == b.len() && a.iter().all(has)
        }
        (PyObject::Set(a), PyObject::Set(b)) | (PyObject::FrozenSet(a), PyObject::FrozenSet(b)) => {
            a.len() == b.len() && a.iter().all(|item| b.contains(item))
        }
        (a, b) => a == b || matches!((text(a), text(b)), (Some(a), Some(b)) if a == b),
    };
    if is_equal { Verdict::Equal } else { Verdict::Different(None, None) }
}

fn number(object: &PyObject) -> Option<f64> {
    match object {
        PyObject::Bool(value) => Some(f64::from(u8::from(*value))),
        PyObject::Int(value) => Some(value.to_f64().unwrap_or(f64::INFINITY)),
        PyObject::Float(value) => Some(*value),
        PyObject::Scalar(_) => f64::from_object(object).ok(),
        _ => None,
    }
}

/// The absolute difference, of integers without rounding them first.
fn difference([a, b]: [&PyObject; 2], [x, y]: [f64; 2]) -> f64 {
    let exact = |object: &PyObject| if let PyObject::Int(value) = object { value.to_i128() } else { None };
    match (exact(a), exact(b)) {
        (Some(a), Some(b)) => a.abs_diff(b) as f64,
        // Infinities of one sign, and integers of more than 128 bits.
        _ if x.is_infinite() && x.total_cmp(&y).is_eq() => {
            if a == b || !matches!(a, PyObject::Int(_)) {
                0.0
            } else {
                f64::INFINITY
            }
        }
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

fn text(object: &PyObject) -> Option<String> {
    String::from_object(object).ok()
}
