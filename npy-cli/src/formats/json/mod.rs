//! JSON and NDJSON.

mod fill;
mod magnitude;
pub(crate) mod objects;
mod read;
mod schema;
mod words;
pub(crate) mod write;

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use npy_core::error::ForeignFormat;

use super::format::{Format, Objects, Outgoing, ReadOptions, WriteOptions, write_only, write_piece, write_text};
use super::source::{Source, open_only};
use crate::failure::Result;
use crate::input::Spool;
use crate::output::Content;
use read::JsonSource;
use write::{Layout, Writer};

/// Nested lists, and records as objects.
pub(super) struct Json(Layout);

impl Json {
    pub(super) const WHOLE: Self = Self(Layout::Whole);
    pub(super) const LINES: Self = Self(Layout::Lines);
}

/// Whether the first bytes of a text are values in lines: a second value follows the first.
pub(super) fn has_lines(front: &[u8]) -> bool {
    let mut values = serde_json::Deserializer::from_slice(front).into_iter::<serde::de::IgnoredAny>();
    let is_value = values.next().is_some_and(|value| value.is_ok());
    let rest = front.get(values.byte_offset()..).unwrap_or_default();
    is_value && matches!(rest.trim_ascii_start().first(), Some(b'{' | b'['))
}

impl Format for Json {
    fn names(&self) -> &'static [&'static str] {
        match self.0 {
            Layout::Whole => &["json"],
            Layout::Lines => &["ndjson", "jsonl"],
        }
    }

    fn content(&self) -> Option<ForeignFormat> {
        (self.0 == Layout::Whole).then_some(ForeignFormat::Json)
    }

    fn about(&self) -> &'static str {
        match self.0 {
            Layout::Whole => "Nested lists, or a list of objects",
            Layout::Lines => "A JSON value a line",
        }
    }

    fn objects(&self) -> Objects {
        Objects::Text
    }

    fn open(&self, path: &OsStr, stream: Option<Spool>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
        open_only(path, stream, |file| JsonSource::open(file, self.0 == Layout::Lines, options))
    }

    fn write(&self, arrays: &mut [Box<dyn Outgoing>], path: &Path, options: WriteOptions) -> Result<()> {
        write_only(arrays, path, Content::Json, |array, out| {
            let input = array.input().to_owned();
            write(array, self.0, options.is_lossy, out).map_err(|failure| failure.about(&input))
        })
    }
}

fn write(array: &mut dyn Outgoing, layout: Layout, is_lossy: bool, out: &mut dyn Write) -> Result<()> {
    if let Some(objects) = array.objects()? {
        if !is_lossy {
            objects::expect_json(&objects)?;
        }
        return objects::write(&objects, layout, &mut |text| write_piece(text, out));
    }
    let mut writer = Writer::new(array.header().dtype(), array.header().shape(), layout)?;
    let mut text = String::new();
    write_text(array, &mut text, out, &mut |values, text| writer.rows(&values, text))?;
    writer.end(&mut text);
    write_piece(&mut text, out)
}
