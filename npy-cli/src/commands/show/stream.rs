//! Arrays as JSON and CSV, written piece by piece.

use std::borrow::Cow;
use std::io::Write;

use crate::escape;
use crate::failure::Result;
use crate::formats::csv::write::{self as csv, Delimiter};
use crate::formats::json::write::{self as json, Layout};
use crate::input::Array;
use crate::output::Screen;
use crate::select::Selection;

/// Writes one JSON document, or one for each row.
pub(super) fn json(selection: &Selection, array: &mut dyn Array, layout: Layout, screen: &mut Screen) -> Result<()> {
    let mut writer = json::Writer::new(selection.dtype(), &selection.shape(), layout)?;
    let mut text = String::new();
    selection.for_each_piece(0..selection.count(), array, &mut |values| {
        writer.rows(values, &mut text)?;
        write(&mut text, screen, escape::json)
    })?;
    writer.end(&mut text);
    write(&mut text, screen, escape::json)
}

/// Writes a line for each row; of records, after a line of their names if they are wanted.
pub(super) fn csv(selection: &Selection, array: &mut dyn Array, with_names: bool, screen: &mut Screen) -> Result<()> {
    let mut writer = csv::Writer::new(selection.dtype(), &selection.shape(), Delimiter::Comma)?;
    let mut text = String::new();
    if with_names && writer.has_names() {
        writer.header(&mut text)?;
    }
    write(&mut text, screen, escape::text)?;
    selection.for_each_piece(0..selection.count(), array, &mut |values| {
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
