//! Arrays as NumPy prints them.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use npy_core::dtype::Scalar;
use npy_core::print::{PrintOptions, print_streamed};
use npy_core::scalar::Class;
use npy_core::{DType, DynValues};

use super::Arguments;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::{Array, spooled};
use crate::output::Screen;
use crate::select::{Selection, check_size};

/// The most bytes of text that are read at once, padding included.
const MOST_TEXT: usize = 16 << 20;

/// Prints a selection, of which only the printed elements are read.
pub(super) fn show(arguments: &Arguments, selection: &Selection, array: &mut dyn Array, screen: &mut Screen) -> Result<()> {
    let options = arguments.print_options(screen);
    let shape = selection.shape();
    let edges = options.edges(&shape);
    let printed = count_of(&shape, &edges);
    if let DType::Scalar(scalar) = selection.dtype()
        && matches!(scalar.class(), Class::Bytes | Class::Unicode | Class::Void)
        && !shape.is_empty()
        && scalar.itemsize() > MOST_TEXT / printed.max(1)
    {
        return show_text(*scalar, selection, (&shape, &edges), array, (&options, screen));
    }
    // The layout is found from all of them, and needs a reference to each.
    check_size(printed.saturating_mul(selection.dtype().itemsize().saturating_add(size_of::<&[u8]>())))?;
    let values = selection.read_edges(array, &edges)?;
    write_values(&values, &shape, selection.is_scalar(), &options, screen)
}

/// The text of a selection, of which only the printed elements are read. `None` where they are long.
pub(super) fn text(selection: &Selection, array: &mut dyn Array, options: &PrintOptions) -> Result<Option<String>> {
    let shape = selection.shape();
    let edges = options.edges(&shape);
    if count_of(&shape, &edges).saturating_mul(selection.dtype().itemsize()) > MOST_TEXT / 16 {
        return Ok(None);
    }
    let values = selection.read_edges(array, &edges)?;
    let mut text = String::new();
    write!(text, "{}", values.display_edges(&shape, options)).map_err(|_| Failure::text_allocation())?;
    Ok(Some(text))
}

/// The number of elements that are printed.
fn count_of(shape: &[usize], edges: &[Option<usize>]) -> usize {
    let printed = shape.iter().zip(edges).map(|(length, edge)| edge.map_or(*length, |edge| edge.saturating_mul(2)));
    printed.fold(1, usize::saturating_mul)
}

/// Prints text element by element: most of the bytes of wide text are padding.
fn show_text(
    scalar: Scalar,
    selection: &Selection,
    (shape, edges): (&[usize], &[Option<usize>]),
    array: &mut dyn Array,
    (options, screen): (&PrintOptions, &mut Screen),
) -> Result<()> {
    if !array.can_go_back() && !selection.is_forward(array.header().order()) {
        return show_text(scalar, selection, (shape, edges), &mut *spooled(array)?, (options, screen));
    }
    let mut index = vec![0; shape.len()];
    let mut failure = None;
    let mut next = || {
        let position = index.iter().zip(shape).fold(0, |position, (index, length)| position * length + index);
        for ((index, length), edge) in index.iter_mut().zip(shape).zip(edges).rev() {
            *index = edge.filter(|edge| *index + 1 == *edge).map_or(*index + 1, |edge| length - edge);
            if *index < *length {
                break;
            }
            *index = 0;
        }
        let element = selection.read_range(array, position..position + 1);
        element.map_err(|error| failure = Some(error)).ok().map(DynValues::into_bytes)
    };
    let mut out = Out::new(screen);
    let printed = print_streamed(scalar, shape, options, &mut next, &mut out);
    match failure {
        Some(failure) => Err(failure),
        None => out.end(printed),
    }
}

/// Prints an array of this shape. `values` has all its elements, or the printed ones.
pub(super) fn write_values(
    values: &DynValues,
    shape: &[usize],
    is_scalar: bool,
    options: &PrintOptions,
    screen: &mut Screen,
) -> Result<()> {
    if let DType::Scalar(scalar) = values.dtype()
        && scalar.class() == Class::Bytes
        && is_scalar
    {
        // NumPy prints a scalar of bytes as such, and an array without axes with its type.
        let mut out = Out::new(screen);
        let printed = print_streamed(*scalar, &[], options, &mut || Some(values.bytes().to_vec()), &mut out);
        return out.end(printed);
    }
    write(&values.display_edges(shape, options), screen)
}

/// Writes a text and the end of a line. On a terminal control characters are escaped.
pub(super) fn write(text: &dyn fmt::Display, screen: &mut Screen) -> Result<()> {
    let mut out = Out::new(screen);
    let printed = write!(out, "{text}");
    out.end(printed)
}

/// The screen for text that comes in pieces.
struct Out<'a> {
    screen: &'a mut Screen,
    error: Option<io::Error>,
}

impl<'a> Out<'a> {
    fn new(screen: &'a mut Screen) -> Self {
        Self { screen, error: None }
    }

    /// Ends the line. A failure without an error of the screen is one of memory.
    fn end(self, printed: fmt::Result) -> Result<()> {
        match (self.error, printed) {
            (Some(error), _) => Err(error.into()),
            (None, Err(_)) => Err(Failure::text_allocation()),
            (None, Ok(())) => Ok(writeln!(self.screen)?),
        }
    }
}

impl fmt::Write for Out<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let written = if self.screen.is_terminal() {
            self.screen.write_all(escape::text(text).as_bytes())
        } else {
            self.screen.write_all(text.as_bytes())
        };
        written.map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

impl Arguments {
    /// The options for printing, for which NumPy's are the defaults.
    pub(super) fn print_options(&self, screen: &Screen) -> PrintOptions {
        let width = self.width.or_else(|| screen.is_terminal().then(|| screen.width()));
        let mut options = PrintOptions::new();
        if let Some(width) = width {
            options = options.line_width(width);
        }
        if let Some(precision) = self.precision {
            options = options.precision(precision);
        }
        if self.all { options.threshold(usize::MAX) } else { options }
    }
}
