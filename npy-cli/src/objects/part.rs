//! The parts of elements that commands look at one by one: an object, or values without objects.

use npy_core::object::{ObjectArray, PyObject, encode_object, items_of_sub_arrays, record_item};
use npy_core::{DType, Order};

use super::kind::{Problem, is_missing, type_of};
use crate::failure::{Failure, Result, about_field};
use crate::values::quantity;

/// Where objects are: the field, and the shape of the array of which the element is told.
pub(super) struct At<'a> {
    /// The names of the fields that lead there.
    pub(super) names: Vec<String>,
    pub(super) shape: &'a [usize],
    /// Of sub-arrays.
    pub(super) per_element: usize,
}

impl At<'_> {
    pub(super) fn failure(&self, (position, problem): Problem) -> Failure {
        let element = position.checked_div(self.per_element).unwrap_or(0);
        let element = quantity::index(&quantity::unraveled(element as u64, self.shape));
        let field = about_field(&self.names.join("."));
        Failure::Nameless(format!("{field}element {element}: {problem}"))
    }

    /// Of a field.
    fn field(&self, name: &str) -> Self {
        Self { names: [&self.names[..], &[name.to_owned()]].concat(), ..*self }
    }

    /// Of the items of sub-arrays.
    fn items(&self, count: usize) -> Self {
        Self { names: self.names.clone(), shape: self.shape, per_element: self.per_element.saturating_mul(count) }
    }
}

/// The objects of a field of all records.
fn parts_of<'o>(records: &[&'o PyObject], place: usize, at: &At<'_>) -> Result<Vec<&'o PyObject>> {
    let part = |(position, record): (usize, &&'o PyObject)| {
        record_item(record, place).ok_or_else(|| at.failure((position, "expected a record".to_owned())))
    };
    records.iter().enumerate().map(part).collect()
}

/// The items of sub-arrays, one after another, and how many one has.
fn items_of<'o>(base: &DType, shape: &[usize], arrays: &[&'o PyObject], at: &At<'_>) -> Result<(Vec<&'o PyObject>, usize)> {
    // Of nested sub-arrays the items are taken apart by the next call.
    let axes = if matches!(base, DType::SubArray(_)) { &shape[..1] } else { shape };
    let misfit = |position| at.failure((position, format!("expected a sub-array of shape {}", quantity::shape(shape))));
    let parts = items_of_sub_arrays(arrays, axes)?.map_err(misfit)?;
    Ok((parts, axes.iter().product()))
}

/// A field that is an object, or the largest one without objects in it.
pub(crate) struct Part<'o> {
    /// The names of the fields that lead to it.
    pub(crate) names: Vec<String>,
    /// The axes of sub-arrays around it.
    pub(crate) axes: Vec<usize>,
    pub(crate) dtype: &'o DType,
    /// The items of all elements, in C order.
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

    /// Where its items are in an array of this shape.
    pub(super) fn at<'s>(&self, shape: &'s [usize]) -> At<'s> {
        let per_element = self.axes.iter().fold(1_usize, |count, length| count.saturating_mul(*length));
        At { names: self.names.clone(), shape, per_element }
    }

    /// Whether it is objects.
    pub(crate) fn is_object(&self) -> bool {
        self.dtype.has_object()
    }

    /// The bytes of values without objects.
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

    /// The number of objects of each type, the most frequent first.
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
