//! Arrays as JSON and CSV, written piece by piece.

use std::borrow::Cow;
use std::io::Write;
use std::iter::once;
use std::ops::Range;

use npy_core::{DynValues, Order};

use super::read_ranges;
use crate::escape;
use crate::failure::Result;
use crate::formats::csv::write::{self as csv, Delimiter};
use crate::formats::json::write::{self as json, Layout};
use crate::input::Array;
use crate::input::pieces;
use crate::output::Screen;
use crate::select::Selection;

/// How many pieces of a file in Fortran order are read at once, which are in memory up to four times.
const FORTRAN_PIECES: usize = 12;

/// The most elements that are written at once: those without bytes are text too.
const PIECE_ELEMENTS: usize = 1 << 17;

/// Writes one JSON document.
pub(super) fn json(selection: &Selection, array: &mut dyn Array, screen: &mut Screen) -> Result<()> {
    let mut writer = json::Writer::new(selection.dtype(), &selection.shape(), Layout::Whole)?;
    let mut text = String::new();
    for_each_piece(selection, 0..selection.count(), array, &mut |values| {
        writer.rows(values, &mut text)?;
        write(&mut text, screen, escape::json)
    })?;
    writer.end(&mut text);
    write(&mut text, screen, escape::json)
}

/// Writes a line for each row; of records, after a line of their names.
pub(super) fn csv(selection: &Selection, array: &mut dyn Array, screen: &mut Screen) -> Result<()> {
    let mut writer = csv::Writer::new(selection.dtype(), &selection.shape(), Delimiter::Comma)?;
    let mut text = String::new();
    if writer.has_names() {
        writer.header(&mut text)?;
    }
    write(&mut text, screen, escape::text)?;
    for_each_piece(selection, 0..selection.count(), array, &mut |values| {
        writer.rows(values, &mut text)?;
        write(&mut text, screen, escape::text)
    })
}

/// Writes text and clears it. A terminal gets it escaped.
pub(super) fn write(text: &mut String, screen: &mut Screen, escaped: fn(&str) -> Cow<'_, str>) -> Result<()> {
    let written = if screen.is_terminal() { escaped(text) } else { Cow::Borrowed(&text[..]) };
    screen.write_all(written.as_bytes())?;
    text.clear();
    Ok(())
}

/// Calls `work` with the elements in a range of positions, in C order.
pub(super) fn for_each_piece(
    selection: &Selection,
    range: Range<usize>,
    array: &mut dyn Array,
    work: &mut dyn FnMut(&DynValues) -> Result<()>,
) -> Result<()> {
    if selection.is_whole() && range == (0..selection.count()) {
        return pieces::for_each(array, Order::C, &mut |values| work(&values));
    }
    let header = array.header();
    let count = pieces::elements_of_piece(header.dtype()).min(PIECE_ELEMENTS);
    // Rows of a file in Fortran order are read in small parts, far from each other: the more of them at once, the better.
    let at_once = if header.order() == Order::C { 1 } else { FORTRAN_PIECES };
    let mut begin = range.start;
    while begin < range.end {
        let end = begin.saturating_add(count.saturating_mul(at_once)).min(range.end);
        let values = read_ranges(selection, array, once(begin..end))?;
        let mut pieces = values.reader();
        while let Some(piece) = pieces.next_elements(count)? {
            work(&piece)?;
        }
        begin = end;
    }
    Ok(())
}
