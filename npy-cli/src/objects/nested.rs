//! Nested lists as the array that `np.array` makes of them.

use npy_core::object::{FromPyObject, ObjectArray, PyInt, PyObject};

use super::kind::{Kind, Wish};
use super::typed::typed;
use crate::failure::Result;
use crate::input::Array;

/// The most axes that an array has in NumPy.
const MOST_AXES: usize = 64;

/// The array of a list: of lists of the same length one of as many axes more, of others one of lists.
pub(crate) fn array_of(items: &[PyObject]) -> Result<ObjectArray> {
    let (shape, leaves) = leaves(items).unwrap_or_else(|| (vec![items.len()], items.iter().collect()));
    Ok(ObjectArray::new(&shape, leaves.into_iter().cloned().collect())?)
}

/// The shape and the items of lists in lists; `None` if an item that is a list or an array is left.
fn leaves(items: &[PyObject]) -> Option<(Vec<usize>, Vec<&PyObject>)> {
    let (mut shape, mut level): (Vec<usize>, Vec<&PyObject>) = (vec![items.len()], items.iter().collect());
    while let Some(count) = level.first().and_then(|first| list(first)).map(<[PyObject]>::len) {
        if shape.len() == MOST_AXES || !level.iter().all(|item| list(item).is_some_and(|items| items.len() == count)) {
            return None;
        }
        level = level.into_iter().filter_map(list).flatten().collect();
        shape.push(count);
    }
    let is_leaf = |item: &&PyObject| list(item).is_none() && !matches!(item.plain(), PyObject::Array(_) | PyObject::Objects(_));
    level.iter().all(is_leaf).then_some((shape, level))
}

fn list(object: &PyObject) -> Option<&[PyObject]> {
    if let PyObject::List(items) | PyObject::Tuple(items) = object { Some(items) } else { None }
}

/// The array as one of the numbers that it has: where others are among them, a bool is 0 or 1. `None` if it is not one of numbers.
pub(crate) fn numbers(array: &ObjectArray) -> Option<Box<dyn Array>> {
    let kinds = array.items().iter().map(Kind::of);
    let (mut has_bool, mut has_number) = (false, false);
    for kind in kinds {
        match kind? {
            Kind::Bool => has_bool = true,
            Kind::Int | Kind::Float | Kind::Complex => has_number = true,
            _ => return None,
        }
    }
    if !(has_bool && has_number) {
        return None;
    }
    let number = |item: &PyObject| match Kind::of(item) {
        Some(Kind::Bool) => {
            bool::from_object(item).map_or_else(|_| item.clone(), |value| PyObject::Int(PyInt::from(i64::from(value))))
        }
        _ => item.clone(),
    };
    let array = ObjectArray::new(array.shape(), array.items().iter().map(number).collect()).ok()?;
    typed(&array, Wish::default()).ok()
}
