//! The formats of files: what each can hold, how it is read and written. They know no command, and no command line.

mod arrow;
pub(crate) mod csv;
mod dir;
mod format;
pub(crate) mod json;
mod npy;
mod npz;
mod png;
mod ra;
mod safetensors;
mod source;
pub(crate) mod text;

use std::ffi::OsStr;
use std::path::Path;

use crate::escape;
use crate::failure::{Failure, Result};
pub(crate) use format::{Format, Objects, Outgoing, ReadOptions, WriteOptions, expect_support, titles};
pub(crate) use source::{Item, Source};

/// All formats, in the order of the help.
pub(crate) static FORMATS: &[&dyn Format] = &[
    &npy::Npy,
    &npz::Npz,
    &ra::Ra,
    &csv::Csv::COMMA,
    &csv::Csv::TAB,
    &json::Json::WHOLE,
    &json::Json::LINES,
    &safetensors::Safetensors,
    &png::Png,
    &arrow::Table::PARQUET,
    &arrow::Table::IPC,
    &dir::Directory,
];

/// The format of a name on the command line.
pub(crate) fn named(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.names().contains(&name))
}

/// The format of an input; `None` if its content decides between those of NumPy and `RawArray`.
pub(crate) fn of_input(text: &OsStr) -> Option<&'static dyn Format> {
    let path = Path::new(text);
    if path.is_dir() { Some(&dir::Directory) } else { of_extension(path) }
}

/// The format of an output.
pub(crate) fn of_output(text: &OsStr) -> Result<&'static dyn Format> {
    let path = Path::new(text);
    if text == "-" {
        return Err(Failure::new("-: unknown format of standard output; give one, as in --to csv"));
    }
    if path.is_dir() || text.as_encoded_bytes().ends_with(b"/") {
        return Ok(&dir::Directory);
    }
    of_extension(path).ok_or_else(|| {
        let extensions: Vec<String> =
            FORMATS.iter().filter_map(|format| format.extensions().first()).map(|extension| format!(".{extension}")).collect();
        let expected = format!("expected {}, or a directory", extensions.join(", "));
        Failure::new(format!("{}: unknown format: {expected}; give one, as in --to npy", escape::path(text)))
    })
}

/// The format of a file of this name.
fn of_extension(path: &Path) -> Option<&'static dyn Format> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    FORMATS.iter().copied().find(|format| format.extensions().contains(&extension.as_str()))
}

/// Opens what the user typed, in the format of its name or its content unless another is given.
pub(crate) fn open(path: &OsStr, format: Option<&'static dyn Format>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
    let format = format.or_else(|| of_input(path)).unwrap_or(&npy::Npy);
    expect_support(format).map_err(|failure| failure.about(&escape::path(path)))?;
    format.open(path, options)
}
