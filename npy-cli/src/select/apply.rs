//! Brackets applied to a selection, by NumPy's rules.

use std::collections::{HashMap, HashSet};

use npy_core::DType;
use npy_core::dtype::{Field, Record, Title};

use super::parse::{Item, ItemKind, Slice, Step, StepKind, column_of};
use super::{Axis, Element, Part, Selection, Source};
use crate::failure::{Failure, Result};
use crate::values::quantity;

/// How many fields are looked up one by one.
const FEW: usize = 8;

/// The most axes that an array has in NumPy.
const MOST_AXES: usize = 64;

/// What is wrong, and where in the text if it is not the whole step.
struct Problem {
    place: Option<usize>,
    message: String,
}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Self { place: None, message }
    }
}

type Applied = std::result::Result<(), Problem>;

impl Selection {
    /// Applies one step of a text, which is for messages.
    pub(super) fn apply(&mut self, step: &Step, text: &str) -> Result<()> {
        let applied = match &step.kind {
            StepKind::Axes(items) => self.take_axes(items),
            StepKind::Field(name) => self.take_field(name),
            StepKind::Fields(names) => self.take_fields(names),
            StepKind::Path(path) => self.take_path(path),
        };
        applied.map_err(|problem| {
            let column = column_of(text, problem.place.unwrap_or(step.place));
            Failure::Nameless(format!("slice {text:?} at column {column}: {}", problem.message))
        })
    }

    fn take_axes(&mut self, items: &[Item]) -> Applied {
        if let ([Item { place, kind: ItemKind::Index(index) }], true) = (items, self.is_scalar)
            && let Some(name) = self.name_at(*index, *place)?
        {
            return self.take_field(&name);
        }
        let has_ellipsis = items.iter().any(|item| item.kind == ItemKind::Ellipsis);
        let taken = items.iter().filter(|item| matches!(item.kind, ItemKind::Index(_) | ItemKind::Slice(_))).count();
        let Some(rest) = self.axes.len().checked_sub(taken) else {
            let shape = quantity::shape(&self.shape());
            return Err(format!("too many indices: expected at most {} for shape {shape}, found {taken}", self.axes.len()).into());
        };
        let mut before = std::mem::take(&mut self.axes).into_iter().enumerate();
        let mut result = Vec::new();
        for item in items {
            match item.kind {
                ItemKind::Ellipsis => result.extend(before.by_ref().take(rest).map(|(_, axis)| axis)),
                ItemKind::NewAxis => result.push(Axis { source: Source::New, start: 0, step: 1, count: 1 }),
                ItemKind::Slice(slice) => result.extend(before.next().map(|(_, axis)| axis.slice(slice))),
                ItemKind::Index(index) => {
                    let Some((number, axis)) = before.next() else { continue };
                    let place = axis.place(index).ok_or_else(|| Problem {
                        place: Some(item.place),
                        message: format!("index {index} is out of bounds for axis {number} with length {}", axis.count),
                    })?;
                    self.fix(axis.source, place);
                }
            }
        }
        result.extend(before.map(|(_, axis)| axis));
        if result.len() > MOST_AXES {
            return Err(format!("too many axes: expected at most {MOST_AXES}, found {}", result.len()).into());
        }
        self.is_scalar = result.is_empty() && !has_ellipsis;
        self.axes = result;
        Ok(())
    }

    /// Takes one index of an axis.
    fn fix(&mut self, source: Source, place: usize) {
        match source {
            Source::File(axis) => self.fixed.push((axis, place)),
            Source::Inner { number, stride } => {
                self.inner_fixed.push((number, place));
                // Within an element of the file, whose size is known.
                self.offset = self.offset.saturating_add(place.saturating_mul(stride));
            }
            Source::New => {}
        }
    }

    /// The name of the field that an index of a scalar stands for; `None` if it is not a record.
    fn name_at(&self, index: i128, item: usize) -> std::result::Result<Option<String>, Problem> {
        if !self.element.is_record() {
            return Ok(None);
        }
        let names = self.element.names();
        let name = place(index, names.len()).and_then(|place| names.get(place));
        name.map(|name| Some((*name).to_owned())).ok_or_else(|| Problem {
            place: Some(item),
            message: format!(
                "index {index} is out of bounds for a record with {}",
                crate::values::quantity::counted(names.len() as u64, "field")
            ),
        })
    }

    fn take_field(&mut self, name: &str) -> Applied {
        let part = self.element.part(name).ok_or_else(|| self.element.no_field(name))?;
        self.offset = self.offset.saturating_add(part.offset);
        self.path.push(part.name);
        self.element = Element::Whole(part.dtype);
        self.unfold();
        if self.axes.len() > MOST_AXES {
            return Err(format!("too many axes: expected at most {MOST_AXES}, found {}", self.axes.len()).into());
        }
        self.is_scalar &= self.axes.is_empty();
        Ok(())
    }

    fn take_fields(&mut self, names: &[String]) -> Applied {
        let known: HashMap<String, Part> = if names.len() > FEW { self.element.parts() } else { HashMap::new() };
        let mut parts: Vec<Part> = Vec::new();
        let mut seen = HashSet::new();
        for name in names {
            if !seen.insert(name) {
                return Err(format!("field {name:?} is selected twice").into());
            }
            let part = known.get(name).cloned().or_else(|| self.element.part(name));
            parts.push(part.ok_or_else(|| self.element.no_field(name))?);
        }
        if parts.is_empty() && !self.element.is_record() {
            return Err(self.element.no_field("").message.into());
        }
        self.element = Element::Fields(parts);
        Ok(())
    }

    /// The field of the path. Otherwise fails at the innermost field that it leads to.
    fn take_path(&mut self, path: &str) -> Applied {
        if let Some(names) = self.element.path(path) {
            return names.iter().try_for_each(|name| self.take_field(name));
        }
        let mut rest = path;
        loop {
            if self.element.part(rest).is_some() {
                return self.take_field(rest);
            }
            let names = self.element.names();
            let begins = |name: &&str| rest.strip_prefix(*name).is_some_and(|after| after.starts_with('.'));
            let longest = names.into_iter().filter(begins).map(str::len).max();
            let Some(dot) = longest else {
                let end = rest.find('.').unwrap_or(rest.len());
                return self.take_field(rest.get(..end).unwrap_or(rest));
            };
            self.take_field(rest.get(..dot).unwrap_or_default())?;
            rest = rest.get(dot + 1..).unwrap_or_default();
        }
    }
}

impl Element {
    /// The field of that name.
    fn part(&self, name: &str) -> Option<Part> {
        match self {
            Self::Whole(DType::Record(record)) => record.field(name).or_else(|| titled(record, name)).map(Part::of),
            Self::Whole(_) => None,
            Self::Fields(parts) => parts.iter().find(|part| part.name == name).cloned(),
        }
    }

    /// The names to which a path leads, by the rule of `DType::field`.
    fn path(&self, path: &str) -> Option<Vec<String>> {
        let names = |dtype: &DType, path: &str| -> Option<Vec<String>> {
            Some(dtype.field(path)?.fields().iter().map(|field| field.name().to_owned()).collect())
        };
        match self {
            Self::Whole(dtype) => names(dtype, path),
            Self::Fields(_) if self.part(path).is_some() => Some(vec![path.to_owned()]),
            Self::Fields(_) => path.rmatch_indices('.').find_map(|(dot, _)| {
                let part = self.part(path.get(..dot)?)?;
                Some([vec![part.name], names(&part.dtype, path.get(dot + 1..)?)?].concat())
            }),
        }
    }

    /// The fields by their names.
    fn parts(&self) -> HashMap<String, Part> {
        match self {
            Self::Whole(DType::Record(record)) => {
                record.fields().iter().map(|field| (field.name().to_owned(), Part::of(field))).collect()
            }
            Self::Whole(_) => HashMap::new(),
            Self::Fields(parts) => parts.iter().map(|part| (part.name.clone(), part.clone())).collect(),
        }
    }

    fn names(&self) -> Vec<&str> {
        match self {
            Self::Whole(DType::Record(record)) => record.fields().iter().map(Field::name).collect(),
            Self::Whole(_) => Vec::new(),
            Self::Fields(parts) => parts.iter().map(|part| part.name.as_str()).collect(),
        }
    }

    fn is_record(&self) -> bool {
        matches!(self, Self::Whole(DType::Record(_)) | Self::Fields(_))
    }

    fn no_field(&self, name: &str) -> Problem {
        match self {
            Self::Whole(dtype) if !self.is_record() => {
                return format!("no field {name:?}: expected a record, found dtype {dtype}").into();
            }
            _ => {}
        }
        let names = self.names();
        let more = if names.len() > 20 { ", …" } else { "" };
        let names = names.iter().take(20).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        format!("no field {name:?}: expected one of {names}{more}").into()
    }
}

impl Part {
    fn of(field: &Field) -> Self {
        Self { name: field.name().to_owned(), offset: field.offset(), dtype: field.dtype().clone() }
    }
}

/// NumPy takes the title of a field for its name too.
fn titled<'a>(record: &'a Record, name: &str) -> Option<&'a Field> {
    let is_title = |title: &Title| matches!(title, Title::Text(text) if text == name);
    record.fields().iter().find(|field| field.title().is_some_and(is_title))
}

impl Axis {
    /// The place of an index along the source; `None` if it is out of bounds.
    fn place(&self, index: i128) -> Option<usize> {
        place(index, self.count).and_then(|index| self.at(index))
    }

    /// The place of an index that is within bounds.
    pub(super) fn at(&self, index: usize) -> Option<usize> {
        let distance = i128::try_from(index).ok()?.checked_mul(self.step)?;
        usize::try_from(i128::try_from(self.start).ok()?.checked_add(distance)?).ok()
    }

    /// The part of the axis that a slice takes, as `slice.indices` of Python has it.
    fn slice(&self, slice: Slice) -> Self {
        let length = i128::try_from(self.count).unwrap_or(i128::MAX);
        let step = slice.step.unwrap_or(1);
        // Of a negative step, the last index is the first, and the end is before index 0.
        let (least, most) = if step < 0 { (-1, length - 1) } else { (0, length) };
        let clamp = |bound: i128| if bound < 0 { (bound + length).max(least) } else { bound.min(most) };
        let start = slice.start.map_or(if step < 0 { most } else { least }, clamp);
        let end = slice.stop.map_or(if step < 0 { least } else { most }, clamp);
        let distance = if step < 0 { start - end } else { end - start };
        let count = if distance <= 0 { 0 } else { (distance - 1) / step.abs() + 1 };
        let count = usize::try_from(count).unwrap_or(0);
        let first = usize::try_from(start).ok().filter(|_| count > 0).and_then(|start| self.at(start));
        let step = if count > 1 { self.step.saturating_mul(step) } else { 1 };
        Self { source: self.source, start: first.unwrap_or(self.start), step, count }
    }

    /// The indices `range` of the axis.
    pub(super) fn part(&self, range: std::ops::Range<usize>) -> Self {
        let count = range.len();
        let step = if count > 1 { self.step } else { 1 };
        Self { source: self.source, start: self.at(range.start).unwrap_or(self.start), step, count }
    }
}

/// The place of an index of Python, which counts from the end if it is negative.
fn place(index: i128, length: usize) -> Option<usize> {
    let length = i128::try_from(length).ok()?;
    let index = if index < 0 { index.checked_add(length)? } else { index };
    usize::try_from(index).ok().filter(|_| index < length)
}
