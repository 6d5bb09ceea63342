//! CSV and TSV.

mod cells;
pub(crate) mod dialect;
mod lines;
mod objects;
mod read;
mod survey;
pub(crate) mod write;

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use npy_core::DynValues;
use npy_core::dtype::ScalarKind;
use npy_core::error::ForeignFormat;

use super::format::{Format, Objects, Outgoing, ReadOptions, WriteOptions, write_only, write_piece, write_text};
use super::source::{Source, open_only};
use crate::failure::Result;
use crate::input::Spool;
use crate::objects::{expect_one_kind, is_text_in_csv};
use crate::output::Content;
use crate::values::columns::{self, Column};
use read::CsvSource;
use write::{Delimiter, Writer};

/// A line for each row.
pub(super) struct Csv(Delimiter);

impl Csv {
    pub(super) const COMMA: Self = Self(Delimiter::Comma);
    pub(super) const TAB: Self = Self(Delimiter::Tab);
}

impl Format for Csv {
    fn names(&self) -> &'static [&'static str] {
        match self.0 {
            Delimiter::Comma => &["csv"],
            Delimiter::Tab => &["tsv", "tab"],
        }
    }

    fn content(&self) -> Option<ForeignFormat> {
        Some(if self.0 == Delimiter::Tab { ForeignFormat::Tsv } else { ForeignFormat::Csv })
    }

    fn about(&self) -> &'static str {
        match self.0 {
            Delimiter::Comma => "Comma-separated values",
            Delimiter::Tab => "Tab-separated values",
        }
    }

    fn has_dialect(&self) -> bool {
        true
    }

    fn objects(&self) -> Objects {
        Objects::Text
    }

    fn open(&self, path: &OsStr, stream: Option<Spool>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
        let delimiter = (self.0 == Delimiter::Tab).then_some(self.0.byte());
        open_only(path, stream, |file| CsvSource::open(file, delimiter, options))
    }

    fn write(&self, arrays: &mut [Box<dyn Outgoing>], path: &Path, options: WriteOptions) -> Result<()> {
        write_only(arrays, path, Content::Text, |array, out| {
            let input = array.input().to_owned();
            write(array, self.0, options.is_lossy, out).map_err(|failure| failure.about(&input))
        })
    }
}

fn write(array: &mut dyn Outgoing, delimiter: Delimiter, is_lossy: bool, out: &mut dyn Write) -> Result<()> {
    if let Some(objects) = array.objects()? {
        if !is_lossy {
            expect_one_kind(&objects)?;
            objects::expect_utf8(&objects)?;
        }
        return write::objects(&objects, delimiter, is_text_in_csv(&objects), &mut |text| write_piece(text, out));
    }
    let mut writer = Writer::new(array.header().dtype(), array.header().shape(), delimiter)?;
    let mut text = String::new();
    if writer.needs_header() {
        writer.header(&mut text)?;
    }
    let texts: Vec<Column> = columns::of(array.header().dtype())?
        .into_iter()
        .filter(|column| matches!(column.scalar.kind(), ScalarKind::Bytes { length: 1.. }) && !is_lossy)
        .collect();
    write_text(array, &mut text, out, &mut |values, text| {
        expect_utf8(&values, &texts)?;
        writer.rows(&values, text)
    })
}

/// Fails where bytes are not UTF-8: they become Latin-1, which a reader of the file cannot tell from it.
fn expect_utf8(values: &DynValues, texts: &[Column]) -> Result<()> {
    if texts.is_empty() {
        return Ok(());
    }
    for element in values.bytes().chunks_exact(values.dtype().itemsize().max(1)) {
        for column in texts {
            let mut items = column.bytes(element).chunks_exact(column.scalar.itemsize());
            if let Some(bytes) = items.find(|bytes| std::str::from_utf8(bytes).is_err()) {
                return Err(objects::latin1(&column.path, bytes));
            }
        }
    }
    Ok(())
}
