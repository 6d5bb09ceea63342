//! The `repr` of arrays: the elements with commas, and the shape and dtype that they leave open.

use super::format::Place;
use super::layout::Frame;
use super::options::PrintOptions;
use super::write_elements;
use crate::dynamic::DynValues;
use crate::format::dtype::{DType, is_implied, python_shape, short_repr};

/// `repr` of an array, which begins with `array(`, or the name of another class.
pub(crate) fn array_repr(prefix: &str, values: &DynValues, options: &PrintOptions) -> String {
    let body = elements_text(values, Frame::of_repr(prefix, options), options);
    let dtype = repr_of_dtype(values.dtype(), values.header().element_count());
    assemble_repr(prefix, &body, values.shape(), dtype, options)
}

/// The elements between the brackets.
pub(crate) fn elements_text(values: &DynValues, frame: Frame, options: &PrintOptions) -> String {
    let mut text = String::new();
    let place = if values.shape().is_empty() { Place::ArrayWithoutAxes } else { Place::Array };
    // Writing to a `String` cannot fail.
    let _ = write_elements(values, values.shape(), options, (frame, place), &mut text);
    text
}

/// The text behind `dtype=`, unless the elements imply the dtype.
pub(crate) fn repr_of_dtype(dtype: &DType, count: usize) -> Option<String> {
    (count == 0 || !is_implied(dtype)).then(|| short_repr(dtype))
}

/// The `repr` of an array whose elements have this text; the shape is in it where the elements do
/// not show it.
pub(crate) fn assemble_repr(prefix: &str, body: &str, shape: &[usize], dtype: Option<String>, options: &PrintOptions) -> String {
    let count = shape.iter().fold(1_usize, |count, &length| count.saturating_mul(length));
    let is_hidden = count == 0 && shape != [0] || count > options.threshold;
    let shape = is_hidden.then(|| format!("shape={}", python_shape(shape)));
    let extras: Vec<String> = shape.into_iter().chain(dtype.map(|dtype| format!("dtype={dtype}"))).collect();
    if extras.is_empty() {
        return format!("{prefix}{body})");
    }
    let text = format!("{prefix}{body},");
    let extras = format!("{})", extras.join(", "));
    let last_line = text.rsplit('\n').next().unwrap_or(&text);
    let fits = last_line.chars().count() + extras.chars().count() < options.line_width;
    let space = if fits { " ".to_owned() } else { format!("\n{}", " ".repeat(prefix.len())) };
    format!("{text}{space}{extras}")
}
