//! The parts of elements that commands look at one by one: an object, or what has none.

use npy_core::object::{ObjectArray, PyObject, encode_object};
use npy_core::{DType, Order};

use super::kind::{Column, are_text_in_csv, is_missing, type_of};
use super::missing::without_missing;
use super::typed::{At, items_of, parts_of};
use crate::failure::Result;

/// A field that is an object, or the largest one without objects in it.
pub(crate) struct Part<'o> {
    /// The names of the fields that lead to it.
    pub(crate) names: Vec<String>,
    /// The axes of sub-arrays around it.
    pub(crate) axes: Vec<usize>,
    pub(crate) dtype: &'o DType,
    /// Those of all elements, in C order.
    pub(crate) items: Vec<&'o PyObject>,
}

/// The parts of all elements, in the order of the fields.
pub(crate) fn parts(array: &ObjectArray) -> Result<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let at = At { names: Vec::new(), shape: array.shape(), per_element: 1 };
    add(array.dtype(), array.items().iter().collect(), &at, &[], &mut parts)?;
    Ok(parts)
}

fn add<'o>(dtype: &'o DType, items: Vec<&'o PyObject>, at: &At<'_>, axes: &[usize], parts: &mut Vec<Part<'o>>) -> Result<()> {
    match dtype {
        DType::Record(record) if dtype.has_object() => {
            for (place, field) in record.fields().iter().enumerate() {
                let inner = at.field(field.name());
                add(field.dtype(), parts_of(&items, place, &inner)?, &inner, axes, parts)?;
            }
        }
        DType::SubArray(array) if dtype.has_object() => {
            let (items, count) = items_of(array.base(), array.shape(), &items, at)?;
            add(array.base(), items, &at.items(count), &[axes, array.shape()].concat(), parts)?;
        }
        dtype => parts.push(Part { names: at.names.clone(), axes: axes.to_vec(), dtype, items }),
    }
    Ok(())
}

impl Part<'_> {
    /// The names of the fields, joined by dots, for people.
    pub(crate) fn path(&self) -> String {
        self.names.join(".")
    }

    /// Whether it is objects.
    pub(crate) fn is_object(&self) -> bool {
        self.dtype.has_object()
    }

    /// The bytes of what has no objects.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.items.iter().try_for_each(|item| encode_object(self.dtype, item, &mut bytes))?;
        Some(bytes)
    }

    /// The objects that are not `None`, as an array of one dimension.
    pub(crate) fn present(&self) -> Result<ObjectArray> {
        let items: Vec<PyObject> = self.items.iter().filter(|item| !is_missing(item)).map(|item| PyObject::clone(item)).collect();
        Ok(ObjectArray::new(&[items.len()], items)?)
    }

    /// How many objects there are of each type, the most frequent first.
    pub(crate) fn types(&self) -> Vec<(String, u64)> {
        let mut types: Vec<(String, u64)> = Vec::new();
        for item in &self.items {
            let name = type_of(item);
            match types.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => types.push((name, 1)),
            }
        }
        types.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        types
    }
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

/// The array with these fields of its elements only, in this order and layout.
pub(crate) fn with_fields(array: &ObjectArray, dtype: &DType, order: Order) -> Result<ObjectArray> {
    let items = array.items().iter().map(|item| picked([array.dtype(), dtype], item)).collect();
    let is_text = array.dtype() == dtype;
    let string_dtype = array.string_dtype().filter(|_| is_text).cloned();
    Ok(ObjectArray::with_dtype(dtype.clone(), array.shape(), items, string_dtype)?.with_order(order))
}

/// The parts of an element that the second dtype has.
fn picked([from, to]: [&DType; 2], item: &PyObject) -> PyObject {
    match (from, to, item) {
        (DType::Record(from), DType::Record(to), PyObject::Tuple(parts)) => {
            let place = |name: &str| from.fields().iter().position(|field| field.name() == name);
            let part = |name: &str, dtype: &DType| {
                let place = place(name)?;
                Some(picked([from.fields().get(place)?.dtype(), dtype], parts.get(place)?))
            };
            let parts = to.fields().iter().map(|field| part(field.name(), field.dtype()).unwrap_or(PyObject::None));
            PyObject::Tuple(parts.collect())
        }
        (DType::SubArray(from), DType::SubArray(to), PyObject::Objects(array)) => {
            let items = array.items().iter().map(|item| picked([from.base(), to.base()], item)).collect();
            let picked = ObjectArray::with_dtype(to.base().clone(), array.shape(), items, None);
            picked.map_or_else(|_| item.clone(), |array| PyObject::Objects(Box::new(array)))
        }
        (DType::SubArray(from), DType::SubArray(to), PyObject::List(items)) => {
            PyObject::List(items.iter().map(|item| picked([from.base(), to.base()], item)).collect())
        }
        _ => item.clone(),
    }
}
