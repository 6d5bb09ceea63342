//! Slices that lead into Python objects: keys of dicts, items of lists, attributes, and the arrays in them.

use npy_core::object::{FromPyObject, ObjectArray, PyInt, PyObject};
use npy_core::{DType, DynValues, Header};

use super::apply::{failure_at, place};
use super::keys::{Entry, entries_of, find, items_of, missing, split};
use super::parse::{Item, ItemKind, Step, StepKind, index_and_rest};
use super::{Chosen, Selection, Slice};
use crate::failure::Result;
use crate::objects::{array_of, type_of};
use crate::values::quantity;

/// Where a path has led to.
enum Reached {
    Objects(ObjectArray, Selection),
    Values(DynValues, Selection),
    /// Neither an array, nor a list, which becomes one where it is sliced.
    Object(PyObject),
}

impl Slice {
    /// Follows the steps into the objects of an array. Returns the array that the last ones are about, and what they select of it.
    pub(crate) fn inside(&self, array: ObjectArray) -> Result<(Chosen, Selection)> {
        let mut place = Reached::of_array(array)?;
        for step in &self.steps {
            place = place.follow(step, &self.text)?;
        }
        match place {
            Reached::Objects(array, selection) if !self.steps.is_empty() && is_object(&selection) => {
                let item = only(selection.of_objects(&array)?);
                match item.plain() {
                    PyObject::Array(_) | PyObject::Objects(_) => Reached::of(item.plain().clone())?.selected(),
                    _ => Ok((Chosen::Objects(array), selection)),
                }
            }
            place => place.selected(),
        }
    }

    /// The keys and indices, joined by dots: a name for what they lead to.
    pub(crate) fn name(&self) -> String {
        let part = |step: &Step| match &step.kind {
            StepKind::Field(name) | StepKind::Path(name) => name.clone(),
            StepKind::Fields(names) => names.join(","),
            StepKind::Axes(items) => items.iter().map(Item::name).collect::<Vec<_>>().join(","),
        };
        self.steps.iter().map(part).collect::<Vec<_>>().join(".")
    }
}

/// Whether a selection is one object, into which a path can lead.
fn is_object(selection: &Selection) -> bool {
    selection.shape().is_empty() && matches!(selection.dtype(), DType::Scalar(_)) && selection.dtype().has_object()
}

/// The index, or the field of objects, with which a path in records begins, and the rest, which leads into them.
fn first_and_rest<'s>(selection: &Selection, step: &'s Step) -> Option<(Step, &'s str)> {
    let StepKind::Path(path) = &step.kind else { return None };
    if let Some((index, rest)) = index_and_rest(path).filter(|_| !selection.shape().is_empty() && !selection.has_field(path)) {
        return Some((step.with_index(index), rest));
    }
    let is_object = |dtype: &DType| matches!(dtype, DType::Scalar(_)) && dtype.has_object();
    let (name, _) = selection.dtype().fields_before(path).find(|(_, field)| is_object(field.dtype()))?;
    Some((step.with_path(name), path.get(name.len() + 1..)?))
}

/// The object that is selected.
fn only(chosen: Chosen) -> PyObject {
    match chosen {
        Chosen::Objects(array) => array.into_parts().1.pop().unwrap_or(PyObject::None),
        Chosen::Values(values) => PyObject::from(values),
    }
}

/// The value of a key. That of a dict is moved, because it may be as large as the file.
fn value_at(object: PyObject, place: usize) -> PyObject {
    match object {
        PyObject::Dict(mut entries) | PyObject::OrderedDict(mut entries) if place < entries.len() => entries.swap_remove(place).1,
        object => {
            let value = entries_of(&object).and_then(|entries| entries.into_iter().nth(place));
            value.map_or(PyObject::None, |(_, value)| value.into_owned())
        }
    }
}

impl Reached {
    fn of_array(array: ObjectArray) -> Result<Self> {
        let selection = Selection::new(&Header::new(array.dtype().clone(), array.order(), array.shape())?);
        Ok(Self::Objects(array, selection))
    }

    /// Of nested lists, all axes are those of the array; a path takes one after another.
    fn of_list(items: &[PyObject]) -> Result<Self> {
        Self::of_array(array_of(items)?)
    }

    fn of(object: PyObject) -> Result<Self> {
        match object {
            PyObject::Array(values) | PyObject::Scalar(values) => {
                let selection = Selection::new(values.header());
                Ok(Self::Values(*values, selection))
            }
            PyObject::Objects(array) => Self::of_array(*array),
            PyObject::Subclass(_) if !matches!(object.plain(), PyObject::Subclass(_)) => Self::of(object.plain().clone()),
            object => Ok(Self::Object(object)),
        }
    }

    fn selected(self) -> Result<(Chosen, Selection)> {
        match self {
            Self::Objects(array, selection) => Ok((Chosen::Objects(array), selection)),
            Self::Values(values, selection) => Ok((Chosen::Values(values), selection)),
            Self::Object(object) => Self::of_array(ObjectArray::new(&[], vec![object])?)?.selected(),
        }
    }

    fn follow(self, step: &Step, text: &str) -> Result<Self> {
        let failed = |message: &str| failure_at(text, step.place, message);
        let mut place = match self {
            Self::Objects(array, selection) if is_object(&selection) && step.leads_inside() => {
                let chosen = if selection.is_whole() { Chosen::Objects(array) } else { selection.of_objects(&array)? };
                return Self::of(only(chosen))?.follow_object(step, text);
            }
            place => place,
        };
        match &mut place {
            Self::Objects(array, selection) if array.dtype().record().is_none() && !matches!(step.kind, StepKind::Axes(_)) => {
                let path = if let StepKind::Path(path) = &step.kind { path } else { "" };
                let Some((index, rest)) = index_and_rest(path) else {
                    let shape = quantity::shape(&selection.shape());
                    return Err(failed(&format!(
                        "expected an index for shape {shape}, found a key; take an element first, as in [0]['x']"
                    )));
                };
                selection.apply(&step.with_index(index), text)?;
                return place.rest(rest, step, text);
            }
            Self::Objects(_, selection) => {
                if let Some((first, rest)) = first_and_rest(selection, step) {
                    selection.apply(&first, text)?;
                    return place.rest(rest, step, text);
                }
                selection.apply(step, text)?;
            }
            Self::Values(_, selection) => selection.apply(step, text)?,
            Self::Object(_) => return place.follow_object(step, text),
        }
        Ok(place)
    }

    /// Follows the rest of a path.
    fn rest(self, rest: &str, step: &Step, text: &str) -> Result<Self> {
        if rest.is_empty() {
            return Ok(self);
        }
        self.follow(&step.with_path(rest), text)
    }

    /// Follows a step into an object, or into the array that it is.
    fn follow_object(self, step: &Step, text: &str) -> Result<Self> {
        let object = match self {
            Self::Object(object) => object,
            place => return place.follow(step, text),
        };
        let failed = |message: &str| failure_at(text, step.place, message);
        match (&step.kind, entries_of(&object), items_of(&object)) {
            (StepKind::Axes(axes), _, Some(items)) => {
                let Some(index) = index_of(axes) else { return Self::of_list(items)?.follow(step, text) };
                let item = place(index, items.len()).and_then(|place| items.get(place));
                let item = item.ok_or_else(|| {
                    let length = items.len();
                    failed(&format!("index {index} is out of bounds for a {} of length {length}", type_of(&object)))
                });
                Self::of(item?.clone())
            }
            (StepKind::Path(_), None, Some(items)) => Self::of_list(items)?.follow(step, text),
            (kind, Some(entries), _) => {
                let (place, rest) = key_of(kind, &entries).map_err(|key| match key {
                    Some(key) => failed(&missing(&object, &entries, &key)),
                    None => failed(&format!("expected one key of a {}, as in ['x']", type_of(&object))),
                })?;
                Self::of(value_at(object, place))?.rest(rest, step, text)
            }
            (_, None, Some(_)) => Err(failed(&format!(
                "expected the index of an item of a {}, found a key; take an item first, as in [0]['x']",
                type_of(&object)
            ))),
            (_, None, None) => Err(failed(&format!("expected a dict, a list or an array, found {}", type_of(&object)))),
        }
    }
}

/// The only index in brackets.
fn index_of(axes: &[Item]) -> Option<i128> {
    if let [Item { kind: ItemKind::Index(index), .. }] = axes { Some(*index) } else { None }
}

/// The place of the key that a step takes, and the rest of its path; otherwise the key that is missing, or `None` if it is not one.
fn key_of<'s>(kind: &'s StepKind, entries: &[Entry<'_>]) -> Result<(usize, &'s str), Option<PyObject>> {
    match kind {
        StepKind::Field(name) => find(entries, name).map(|place| (place, "")).ok_or_else(|| Some(name.as_str().into())),
        StepKind::Path(path) => split(entries, path).map_err(|name| Some(name.into())),
        StepKind::Fields(_) => Err(None),
        StepKind::Axes(axes) => {
            let index = index_of(axes).ok_or(None)?;
            let is_key = |key: &PyObject| PyInt::from_object(key).is_ok_and(|key| key.to_i128() == Some(index));
            let place = entries.iter().position(|(key, _)| is_key(key)).or_else(|| find(entries, &index.to_string()));
            place.map(|place| (place, "")).ok_or_else(|| Some(index.into()))
        }
    }
}
