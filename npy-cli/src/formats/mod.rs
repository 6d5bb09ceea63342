//! The formats of files: what each can hold, how it is read and written. They know no command, and no command line.

mod arrow;
mod compressed;
pub(crate) mod csv;
mod dir;
mod foreign;
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
use std::fs;
use std::path::Path;

use npy_core::error::ForeignFormat;

use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::{Input, split};
use crate::output;
pub(crate) use foreign::Foreign;
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

/// The format of an input by its name; `None` if its content decides.
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
    if compressed::inner(path) != path {
        let hint = "write it without that extension, and compress it after";
        return Err(Failure::new(format!("{}: cannot write a file that is compressed as a whole; {hint}", escape::path(text))));
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
    let extension = compressed::inner(path).extension()?.to_str()?.to_ascii_lowercase();
    FORMATS.iter().copied().find(|format| format.extensions().contains(&extension.as_str()))
}

/// Opens an argument in the format of its name or its content, unless another is given.
pub(crate) fn open(path: &OsStr, format: Option<&'static dyn Format>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
    let format = format.or_else(|| of_input(path)).or_else(|| of_content(Path::new(path))).unwrap_or(&npy::Npy);
    expect_support(format).map_err(|failure| failure.about(&escape::path(path)))?;
    format.open(path, options)
}

/// A file as a command finds it.
pub(crate) enum Opened {
    Numpy(Input),
    /// A copy of a file that is compressed as a whole.
    Decompressed(Input),
    Foreign(Foreign),
}

/// Opens what the user typed in any format: NumPy's own by their content, others by the extension, images and tables by either.
pub(crate) fn open_any(text: &OsStr) -> Result<Opened> {
    let failure = match Input::open(text) {
        Ok(input) => return Ok(Opened::Numpy(input)),
        Err(failure) => failure,
    };
    let (path, part) = split(text);
    let format = of_extension(Path::new(path)).filter(|format| !is_of_input(*format)).or_else(|| of_content(Path::new(path)));
    let Some(format) = format.filter(|_| matches!(failure, Failure::Trouble(_)) && Path::new(path).is_file()) else {
        return npy::open_compressed(text, failure).map(Opened::Decompressed);
    };
    let name = escape::path(path).into_owned();
    let options = ReadOptions { is_lossy: true, are_all_wanted: true, is_for_looking: true, ..ReadOptions::default() };
    let Some(source) = open(path, Some(format), &options)?.pop() else { return Err(failure) };
    for loss in source.items().iter().flat_map(|item| &item.losses) {
        output::warn(&format!("{name}: left out {loss}"));
    }
    let bytes = fs::metadata(path).ok().map(|metadata| metadata.len());
    let holds_several = format.holds_several();
    Ok(Opened::Foreign(Foreign { source, name, format: format.names()[0], holds_several, bytes, part }))
}

/// Opens what the user typed in any format, as an input with its arrays.
pub(crate) fn input(text: &OsStr) -> Result<Input> {
    open_any(text)?.into_input()
}

/// Opens what the user typed in any format, for a command that reads one array.
pub(crate) fn input_of_one(text: &OsStr) -> Result<Input> {
    let opened = open_any(text)?;
    if let Opened::Foreign(file) = &opened {
        file.expect_one()?;
    }
    opened.into_input()
}

impl Opened {
    /// The arrays in NumPy's formats, those of another one in a temporary file.
    fn into_input(self) -> Result<Input> {
        match self {
            Self::Numpy(input) | Self::Decompressed(input) => Ok(input),
            Self::Foreign(file) => file.into_input(),
        }
    }
}

/// Whether [`Input`] reads the format itself.
fn is_of_input(format: &dyn Format) -> bool {
    ["npy", "npz", "ra", "dir"].contains(&format.names()[0])
}

/// The format that a file has by its first bytes, if they leave no doubt.
fn of_content(path: &Path) -> Option<&'static dyn Format> {
    named(match compressed::looks_like(path)? {
        ForeignFormat::Png => "png",
        ForeignFormat::Parquet => "parquet",
        ForeignFormat::Arrow => "arrow",
        ForeignFormat::Safetensors => "safetensors",
        _ => return None,
    })
}
