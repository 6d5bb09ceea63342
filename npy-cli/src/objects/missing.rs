//! Missing values: `None`, NaN among values that are not numbers, the missing text of a `StringDType`.

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
    // Objects of another structure than the dtype are an error elsewhere.
    let parts = parts(array).ok()?;
    let columns = parts.iter().filter(|part| part.is_object() && has_nan_for_none(&part.items));
    let columns: Vec<&[String]> = columns.map(|part| &part.names[..]).collect();
    if columns.is_empty() {
        return None;
    }
    let items = array.items().iter().map(|item| with_none(array.dtype(), item, &columns)).collect();
    ObjectArray::with_dtype(array.dtype().clone(), array.shape(), items, None).ok()
}

/// The object with `None` for NaN in these columns: the names of the fields below this dtype that lead to each.
fn with_none(dtype: &DType, item: &PyObject, columns: &[&[String]]) -> PyObject {
    match (dtype, item) {
        (_, item) if columns.is_empty() => item.clone(),
        (DType::Record(record), PyObject::Tuple(parts)) => {
            let parts = record.fields().iter().zip(parts).map(|(field, part)| {
                let below: Vec<&[String]> = columns.iter().filter_map(|names| below(names, field.name())).collect();
                with_none(field.dtype(), part, &below)
            });
            PyObject::Tuple(parts.collect())
        }
        (DType::SubArray(array), PyObject::List(items)) => {
            // Lists in lists are axes of the same sub-array.
            let inner = |item: &PyObject| if matches!(item, PyObject::List(_)) { dtype.clone() } else { array.base().clone() };
            PyObject::List(items.iter().map(|item| with_none(&inner(item), item, columns)).collect())
        }
        (DType::SubArray(array), PyObject::Objects(objects)) => {
            let items = objects.items().iter().map(|item| with_none(array.base(), item, columns)).collect();
            let present = ObjectArray::with_dtype(objects.dtype().clone(), objects.shape(), items, None);
            present.map_or_else(|_| item.clone(), |array| PyObject::Objects(Box::new(array)))
        }
        (DType::Scalar(_), item) if is_nan(item) => PyObject::None,
        (_, item) => item.clone(),
    }
}

/// The names that lead on from a field, if they lead through it.
pub(crate) fn below<'n>(names: &'n [String], field: &str) -> Option<&'n [String]> {
    names.split_first().filter(|(name, _)| *name == field).map(|(_, rest)| rest)
}

/// Which objects of an array are missing, by the names of the fields that lead to them; sub-arrays item by item.
/// Fields of which none is missing are left out.
pub(crate) fn missing(array: &ObjectArray) -> Vec<(Vec<String>, Vec<bool>)> {
    let present = without_missing(array);
    let parts = parts(present.as_ref().unwrap_or(array)).unwrap_or_default();
    let parts = parts.into_iter().filter(|part| part.is_object() && part.items.iter().any(|item| is_missing(item)));
    parts.map(|part| (part.names, part.items.iter().map(|item| is_missing(item)).collect())).collect()
}
