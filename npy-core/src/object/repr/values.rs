//! NumPy's arrays and scalars among objects: the parts of their `repr`.

use std::fmt;

use crate::dynamic::DynValues;
use crate::error::tuple;
use crate::format::dtype::{DType, is_implied, short_repr};
use crate::print::PrintOptions;
use crate::print::array::write_elements;
use crate::print::layout::Frame;
use crate::print::scalar::write_scalar;

/// The text that a function writes to a `String`, which cannot fail.
pub(super) fn text_of(write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> String {
    let mut text = String::new();
    let _ = write(&mut text);
    text
}

/// The text that a function appends to an empty `String`.
pub(super) fn built(push: impl FnOnce(&mut String)) -> String {
    let mut text = String::new();
    push(&mut text);
    text
}

/// `str` of the scalar with these bytes.
pub(super) fn scalar_text(dtype: &DType, bytes: &[u8], options: &PrintOptions) -> String {
    text_of(|out| write_scalar(dtype, bytes, options, out))
}

/// The frame of the `repr` of an array, which begins with `prefix`: commas, and space for the closing parenthesis.
pub(super) fn frame_of_repr(prefix: &str, options: &PrintOptions) -> Frame {
    Frame { line_width: options.line_width.saturating_sub(1), indent: prefix.len(), separator: ", " }
}

/// `repr` of an array, which begins with `array(`, or the name of another class.
pub(super) fn array_repr(prefix: &str, values: &DynValues, options: &PrintOptions) -> String {
    let body = elements_text(values, frame_of_repr(prefix, options), options);
    let dtype = repr_of_dtype(values.dtype(), values.header().element_count());
    assemble_repr(prefix, &body, values.shape(), dtype, options)
}

/// The elements between the brackets.
pub(super) fn elements_text(values: &DynValues, frame: Frame, options: &PrintOptions) -> String {
    text_of(|out| write_elements(values, values.shape(), options, frame, out))
}

/// The text behind `dtype=`, unless the elements imply the dtype.
pub(super) fn repr_of_dtype(dtype: &DType, count: usize) -> Option<String> {
    (count == 0 || !is_implied(dtype)).then(|| short_repr(dtype))
}

/// The `repr` of an array whose elements have this text; the shape is in it where the elements do
/// not show it.
pub(super) fn assemble_repr(prefix: &str, body: &str, shape: &[usize], dtype: Option<String>, options: &PrintOptions) -> String {
    let count = shape.iter().fold(1_usize, |count, &length| count.saturating_mul(length));
    let is_hidden = count == 0 && shape != [0] || count > options.threshold;
    let shape = is_hidden.then(|| format!("shape={}", tuple(shape)));
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
