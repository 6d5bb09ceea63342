//! Slices of arrays: NumPy's basic indexing, resolved before anything is read.
//!
//! A [`Selection`] starts as a whole array. Each pair of brackets composes with those before it, so
//! that slices of slices are one region of the file, and fields are an offset in its elements.

mod apply;
mod inside;
mod keys;
mod objects;
mod parse;
mod patch;
mod read;
#[cfg(test)]
mod tests;

use npy_core::{DType, Header};

pub(crate) use keys::{entries_of, items_of, key_text, value_of};
pub(crate) use objects::Chosen;
pub(crate) use parse::unescape;
use parse::{Step, parse};
pub(crate) use patch::Patch;
pub(crate) use read::check_size;

use crate::failure::Result;

/// A part of an array, and its layout.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// The lengths of the axes in the file.
    file_shape: Vec<usize>,
    /// The dtype in the file.
    file_dtype: DType,
    /// The axes that are left: of the file first, then of sub-arrays.
    axes: Vec<Axis>,
    /// Of the axes of the file that are gone, the axis and the index.
    fixed: Vec<(usize, usize)>,
    /// Where the element is in an element of the file.
    offset: usize,
    /// The dtype of an element of the result. Several fields follow each other without padding.
    element: DType,
    /// If several fields were selected: the offset of each in the element of the file that has them.
    offsets: Option<Vec<usize>>,
    /// The fields that were selected one after another.
    path: Vec<String>,
    /// The lengths of the axes of all sub-arrays on this path.
    inner_shape: Vec<usize>,
    /// The number and the index of those of these axes that are gone.
    inner_fixed: Vec<(usize, usize)>,
    /// Whether NumPy gives a scalar, which is printed otherwise than an array without axes.
    is_scalar: bool,
}

/// An axis of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    source: Source,
    /// The first index.
    start: usize,
    /// From one index to the next; 1 if there are less than two.
    step: i128,
    count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// This axis of the file.
    File(usize),
    /// An axis of a sub-array.
    Inner {
        /// Its number among all of them.
        number: usize,
        /// The bytes from one index to the next.
        stride: usize,
    },
    /// `None` in brackets.
    New,
}

/// The steps of a text.
pub(crate) struct Slice {
    text: String,
    steps: Vec<Step>,
}

impl Slice {
    /// Parses the text of a selection: `[0, :, 10:20]`, `['pose']['x'][::100]`, `pose.x`.
    pub(crate) fn new(text: &str) -> Result<Self> {
        Ok(Self { text: text.to_owned(), steps: parse(text)? })
    }

    /// The text of the selection.
    #[cfg(feature = "plot")]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it selects fields alone, so that the rows are those of the array.
    pub(crate) fn keeps_rows(&self) -> bool {
        self.steps.iter().all(|step| !matches!(step.kind, parse::StepKind::Axes(_)))
    }

    /// Applies the steps to a whole array.
    pub(crate) fn of(&self, header: &Header) -> Result<Selection> {
        let mut selection = Selection::new(header);
        for step in &self.steps {
            selection.apply(step, &self.text)?;
        }
        Ok(selection)
    }
}

impl Selection {
    /// The whole array.
    pub(crate) fn new(header: &Header) -> Self {
        let file_axes = header.shape().iter().enumerate();
        let mut selection = Self {
            file_shape: header.shape().to_vec(),
            file_dtype: header.dtype().clone(),
            axes: file_axes.map(|(axis, count)| Axis { source: Source::File(axis), start: 0, step: 1, count: *count }).collect(),
            fixed: Vec::new(),
            offset: 0,
            element: header.dtype().clone(),
            offsets: None,
            path: Vec::new(),
            inner_shape: Vec::new(),
            inner_fixed: Vec::new(),
            is_scalar: false,
        };
        selection.unfold();
        selection
    }

    /// The dtype of the elements.
    pub(crate) fn dtype(&self) -> &DType {
        &self.element
    }

    /// The fields that were selected one after another, joined by dots; `None` without any.
    pub(crate) fn fields_name(&self) -> Option<String> {
        Some(self.path.join(".")).filter(|name| !name.is_empty())
    }

    /// The lengths of the axes.
    pub(crate) fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.count).collect()
    }

    /// The number of elements.
    pub(crate) fn count(&self) -> usize {
        self.axes.iter().fold(1_usize, |total, axis| total.saturating_mul(axis.count))
    }

    /// The index along the axis of the file, or of the sub-array, that an index of the result is.
    pub(crate) fn source_index(&self, axis: usize, index: usize) -> usize {
        self.axes.get(axis).and_then(|axis| axis.at(index)).unwrap_or(index)
    }

    /// Whether it is a scalar of NumPy instead of an array.
    pub(crate) fn is_scalar(&self) -> bool {
        self.is_scalar
    }

    /// Whether it is the whole array.
    pub(crate) fn is_whole(&self) -> bool {
        let is_whole = |axis: &Axis| match axis.source {
            Source::File(index) => axis.step == 1 && self.file_shape.get(index) == Some(&axis.count),
            Source::Inner { .. } | Source::New => false,
        };
        self.element == self.file_dtype && self.axes.len() == self.file_shape.len() && self.axes.iter().all(is_whole)
    }

    /// Makes the axes of a sub-array axes of the result.
    fn unfold(&mut self) {
        let (base, lengths) = self.element.flattened();
        let (base, mut stride) = (base.clone(), self.element.itemsize());
        for count in lengths {
            stride = stride.checked_div(count).unwrap_or(0);
            let source = Source::Inner { number: self.inner_shape.len(), stride };
            self.inner_shape.push(count);
            self.axes.push(Axis { source, start: 0, step: 1, count });
        }
        self.element = base;
    }
}
