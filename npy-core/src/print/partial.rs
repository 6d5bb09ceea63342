//! Prints arrays of which only the printed elements are in memory.

use std::borrow::Cow;
use std::fmt;

use super::Printed;
use super::layout::{Frame, Selection, write_array};
use super::options::PrintOptions;
use crate::dynamic::DynValues;

pub use super::layout::printed_edges;

/// An array of this shape, of which `values` holds all elements, or those only that [`printed_edges`] tells.
pub fn printed<'a>(values: &'a DynValues, shape: &[usize], options: &PrintOptions) -> Printed<'a> {
    Printed { values: Cow::Borrowed(values), shape: shape.to_vec(), options: options.clone() }
}

/// An array of this shape whose elements have these texts, unaligned, as NumPy prints Python objects.
///
/// The texts are those of all elements, or of those only that [`printed_edges`] tells, the last axis fastest.
pub fn printed_texts<'a>(texts: &'a [String], shape: &[usize], options: &PrintOptions) -> PrintedTexts<'a> {
    PrintedTexts { texts, selection: Selection::new(shape, options), frame: Frame::plain(options) }
}

/// The text of an array whose elements are texts, made when it is displayed.
#[derive(Clone, Debug)]
pub struct PrintedTexts<'a> {
    texts: &'a [String],
    selection: Selection,
    frame: Frame,
}

impl fmt::Display for PrintedTexts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Whoever has all texts may give all; those that are not printed are passed over.
        let all = self.selection.whole_count() == self.texts.len();
        let mut texts = self.texts.iter().enumerate().filter(|(index, _)| !all || self.selection.contains(*index));
        let mut next = || texts.next().map_or("", |(_, text)| text.as_str());
        write_array(&self.selection, self.frame, &mut |out| out.push_str(next()), f)
    }
}
