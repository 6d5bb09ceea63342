//! What stands for a missing value: `None`, NaN among values that are not numbers, the missing text of a `StringDType`.

use std::collections::HashSet;

use npy_core::DType;
use npy_core::object::{ObjectArray, PyObject};

use super::kind::{has_nan_for_none, is_missing, is_nan};
use super::part::parts;

/// The array with `None` for all that is missing; nothing if no other object stands for it.
pub(crate) fn without_missing(array: &ObjectArray) -> Option<ObjectArray> {
    if let Some(dtype) = array.string_dtype() {
        dtype.na_object().filter(|missing| !matches!(missing, PyObject::Str(_)))?;
        let present = |item: &PyObject| if matches!(item, PyObject::Str(_)) { item.clone() } else { PyObject::None };
        return ObjectArray::new(array.shape(), array.items().iter().map(present).collect()).ok();
    }
    // What has another structure than its dtype is an error elsewhere.
    let parts = parts(array).ok()?;
    let columns = parts.iter().filter(|part| part.is_object() && has_nan_for_none(&part.items));
    let columns: HashSet<String> = columns.map(|part| part.path.clone()).collect();
    if columns.is_empty() {
        return None;
    }
    let items = array.items().iter().map(|item| with_none(array.dtype(), "", item, &columns)).collect();
    ObjectArray::with_dtype(array.dtype().clone(), array.shape(), items, None).ok()
}

/// The object with `None` for NaN in these columns.
fn with_none(dtype: &DType, path: &str, item: &PyObject, columns: &HashSet<String>) -> PyObject {
    match (dtype, item) {
        (DType::Record(record), PyObject::Tuple(parts)) => {
            let parts = record.fields().iter().zip(parts).map(|(field, part)| {
                let dot = if path.is_empty() { "" } else { "." };
                with_none(field.dtype(), &format!("{path}{dot}{}", field.name()), part, columns)
            });
            PyObject::Tuple(parts.collect())
        }
        (DType::SubArray(array), PyObject::List(items)) => {
            // Lists in lists are axes of the same sub-array.
            let inner = |item: &PyObject| if matches!(item, PyObject::List(_)) { dtype.clone() } else { array.base().clone() };
            PyObject::List(items.iter().map(|item| with_none(&inner(item), path, item, columns)).collect())
        }
        (DType::SubArray(array), PyObject::Objects(objects)) => {
            let items = objects.items().iter().map(|item| with_none(array.base(), path, item, columns)).collect();
            let present = ObjectArray::with_dtype(objects.dtype().clone(), objects.shape(), items, None);
            present.map_or_else(|_| item.clone(), |array| PyObject::Objects(Box::new(array)))
        }
        (DType::Scalar(_), item) if is_nan(item) && columns.contains(path) => PyObject::None,
        (_, item) => item.clone(),
    }
}

/// Which objects of an array are missing, by the path of their field; those of sub-arrays one after another. Fields of which none is
/// missing are left out.
pub(crate) fn missing(array: &ObjectArray) -> Vec<(String, Vec<bool>)> {
    let present = without_missing(array);
    let parts = parts(present.as_ref().unwrap_or(array)).unwrap_or_default();
    let parts = parts.iter().filter(|part| part.is_object() && part.items.iter().any(|item| is_missing(item)));
    parts.map(|part| (part.path.clone(), part.items.iter().map(|item| is_missing(item)).collect())).collect()
}
