//! Arrays of Python objects, compared field by field.

use npy_core::object::ObjectArray;

use super::differences::{Comparison, Field};
use super::equality;
use super::judge::{Tolerance, Verdict};
use crate::failure::Result;
use crate::objects::{Part, parts};
use crate::values::fields::{self, Leaf};
use crate::values::quantity::unraveled;

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
        let Some(found) = rest.iter().position(|other| other.names == part.names) else {
            comparison.problems.push(format!("the field {:?} is missing in the second", part.path()));
            continue;
        };
        let other = rest.remove(found);
        if part.axes != other.axes || part.items.len() != other.items.len() {
            comparison.problems.push(format!("the field {:?} has sub-arrays of different shapes", part.path()));
            continue;
        }
        let shape = [a.shape(), &part.axes].concat();
        comparison.fields.push(field_of([&part, &other], &shape, tolerance));
    }
    comparison.problems.extend(rest.iter().map(|part| format!("the field {:?} is missing in the first", part.path())));
    Ok(())
}

fn is_selected(part: &Part<'_>, leaves: &[Leaf]) -> bool {
    leaves.iter().any(|leaf| leaf.names.starts_with(&part.names))
}

fn field_of([a, b]: [&Part<'_>; 2], shape: &[usize], tolerance: Tolerance) -> Field {
    let mut field = Field::new(a.path(), a.items.len() as u64);
    for (position, (x, y)) in a.items.iter().zip(&b.items).enumerate() {
        let verdict = equality::judge(x, y, tolerance);
        if verdict != Verdict::Equal {
            let index = unraveled(position as u64, shape);
            field.add(verdict, position as u64, index, || [x.to_string(), y.to_string()]);
        }
    }
    field
}
