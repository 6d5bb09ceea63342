//! Brackets applied to a selection, by NumPy's rules.

use std::collections::{HashMap, HashSet};

use npy_core::DType;
use npy_core::dtype::{Field, Record, Title};

use super::parse::{Item, ItemKind, Slice, Step, StepKind, column_of, index_and_rest};
use super::{Axis, Selection, Source};
use crate::failure::{Failure, Result};
use crate::values::{nearest, quantity};

/// The most axes that an array has in NumPy.
const MOST_AXES: usize = 64;

/// A message, with its place in the text if it is not about the whole step.
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
            StepKind::Path(path) => match index_and_rest(path).filter(|_| !self.axes.is_empty() && !self.has_field(path)) {
                Some((index, rest)) => {
                    self.apply(&step.with_index(index), text)?;
                    return if rest.is_empty() { Ok(()) } else { self.apply(&step.with_path(rest), text) };
                }
                None => self.take_path(path),
            },
        };
        applied.map_err(|problem| failure_at(text, problem.place.unwrap_or(step.place), &problem.message))
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
        let DType::Record(record) = &self.element else { return Ok(None) };
        let fields = record.fields();
        let field = place(index, fields.len()).and_then(|place| fields.get(place));
        field.map(|field| Some(field.name().to_owned())).ok_or_else(|| Problem {
            place: Some(item),
            message: format!(
                "index {index} is out of bounds for a record with {}",
                quantity::counted(fields.len() as u64, "field")
            ),
        })
    }

    fn take_field(&mut self, name: &str) -> Applied {
        let (offset, field) = self.field(name).ok_or_else(|| self.no_field(name))?;
        let (name, dtype) = (field.name().to_owned(), field.dtype().clone());
        self.offset = self.offset.saturating_add(offset);
        self.path.push(name);
        (self.element, self.offsets) = (dtype, None);
        self.unfold();
        if self.axes.len() > MOST_AXES {
            return Err(format!("too many axes: expected at most {MOST_AXES}, found {}", self.axes.len()).into());
        }
        self.is_scalar &= self.axes.is_empty();
        Ok(())
    }

    fn take_fields(&mut self, names: &[String]) -> Applied {
        let DType::Record(record) = &self.element else {
            return Err(self.no_field(names.first().map_or("", String::as_str)));
        };
        let fields = record.fields();
        // Records of very many fields may be selected from by as many names.
        let known: HashMap<&str, usize> = fields.iter().enumerate().map(|(place, field)| (field.name(), place)).collect();
        let mut seen = HashSet::new();
        let (mut selected, mut offsets) = (Vec::new(), Vec::new());
        for name in names {
            if !seen.insert(name) {
                return Err(format!("field {name:?} is selected twice").into());
            }
            let place = known.get(name.as_str()).copied().or_else(|| titled(record, name));
            let (place, field) = place.and_then(|place| Some((place, fields.get(place)?))).ok_or_else(|| self.no_field(name))?;
            selected.push((field.name(), field.dtype().clone()));
            offsets.push(self.offset_of(place, field));
        }
        self.element = Record::packed(selected).map_err(|error| error.to_string())?.into();
        self.offsets = Some(offsets);
        Ok(())
    }

    /// The field of the path. Otherwise fails at the innermost field that it leads to.
    fn take_path(&mut self, path: &str) -> Applied {
        if let Some(found) = self.element.field(path) {
            let names: Vec<String> = found.fields().iter().map(|field| field.name().to_owned()).collect();
            return names.iter().try_for_each(|name| self.take_field(name));
        }
        let mut rest = path;
        loop {
            if self.field(rest).is_some() {
                return self.take_field(rest);
            }
            let begins = |name: &str| rest.strip_prefix(name).is_some_and(|after| after.starts_with('.'));
            let names = self.fields().iter().map(Field::name);
            let Some(dot) = names.filter(|name| begins(name)).map(str::len).max() else {
                let end = rest.find('.').unwrap_or(rest.len());
                return self.take_field(rest.get(..end).unwrap_or(rest));
            };
            self.take_field(rest.get(..dot).unwrap_or_default())?;
            rest = rest.get(dot + 1..).unwrap_or_default();
        }
    }

    /// Whether a path begins with the name of a field.
    pub(super) fn has_field(&self, path: &str) -> bool {
        let begins = |name: &str| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.fields().iter().any(|field| begins(field.name()))
    }

    /// The fields of the element, if it is a record.
    pub(super) fn fields(&self) -> &[Field] {
        if let DType::Record(record) = &self.element { record.fields() } else { &[] }
    }

    /// The field of that name or title, and its offset in the element of the file that has it.
    fn field(&self, name: &str) -> Option<(usize, &Field)> {
        let DType::Record(record) = &self.element else { return None };
        let place = record.fields().iter().position(|field| field.name() == name).or_else(|| titled(record, name))?;
        let field = record.fields().get(place)?;
        Some((self.offset_of(place, field), field))
    }

    fn offset_of(&self, place: usize, field: &Field) -> usize {
        self.offsets.as_ref().and_then(|offsets| offsets.get(place).copied()).unwrap_or(field.offset())
    }

    fn no_field(&self, name: &str) -> Problem {
        let DType::Record(record) = &self.element else {
            return format!("no field {name:?}: expected a record, found dtype {}", self.element).into();
        };
        let names = quantity::listed(record.fields().iter().map(|field| format!("{:?}", field.name())));
        let hint = nearest::hint(name, record.fields().iter().map(Field::name));
        format!("no field {name:?}: expected one of {names}{hint}").into()
    }
}

/// The field of that title, which NumPy takes for a name too.
fn titled(record: &Record, name: &str) -> Option<usize> {
    let is_title = |title: &Title| matches!(title, Title::Text(text) if text == name);
    record.fields().iter().position(|field| field.title().is_some_and(is_title))
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

/// The failure of a step at a place in the text.
pub(super) fn failure_at(text: &str, place: usize, message: &str) -> Failure {
    Failure::Nameless(format!("slice {text:?} at column {}: {message}", column_of(text, place)))
}

/// The place of an index of Python, which counts from the end if it is negative.
pub(super) fn place(index: i128, length: usize) -> Option<usize> {
    let length = i128::try_from(length).ok()?;
    let index = if index < 0 { index.checked_add(length)? } else { index };
    usize::try_from(index).ok().filter(|_| index < length)
}
