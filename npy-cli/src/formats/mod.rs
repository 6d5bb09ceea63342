//! The formats of files: what each can hold, how it is read and written. They know no command, and no command line.

mod arrow;
mod below;
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
mod sparse;
pub(crate) mod text;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use npy_core::error::ForeignFormat;

use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::{Input, Named, Other, Spool, path_of};
use crate::output;
#[cfg(feature = "plot")]
pub(crate) use below::inside;
pub(crate) use below::object_at;
pub(crate) use compressed::{Compressed, numpy};
pub(crate) use foreign::Foreign;
pub(crate) use format::{Format, Objects, Outgoing, ReadOptions, WriteOptions, expect_support};
pub(crate) use source::{Item, Source, stem_of};

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

/// The format of an output.
pub(crate) fn of_output(text: &OsStr) -> Result<&'static dyn Format> {
    let path = Path::new(text);
    if text == "-" {
        return Err(Failure::new("-: unknown format of standard output; give one, as in --to csv"));
    }
    if path.is_dir() || text.as_encoded_bytes().ends_with(b"/") {
        return Ok(&dir::Directory);
    }
    expect_not_compressed(path)?;
    of_extension(path).ok_or_else(|| {
        let extensions: Vec<String> =
            FORMATS.iter().filter_map(|format| format.extensions().first()).map(|extension| format!(".{extension}")).collect();
        let expected = format!("expected {}, or a directory", extensions.join(", "));
        Failure::new(format!("{}: unknown format: {expected}; give one, as in --to npy", escape::path(text)))
    })
}

fn expect_not_compressed(output: &Path) -> Result<()> {
    if compressed::inner(output) == output {
        return Ok(());
    }
    let hint = "write it without that extension, and compress it after";
    Err(Failure::new(format!("{}: cannot write a file that is compressed as a whole; {hint}", escape::path(output))))
}

/// Fails if an output of a command that writes `.npy` files alone has the extension of another format.
pub(crate) fn expect_npy(output: &Path) -> Result<()> {
    if output::is_stream(output) {
        return Ok(());
    }
    expect_not_compressed(output)?;
    match of_extension(output) {
        Some(format) if format.names()[0] != "npy" => {
            let message = "expected an output that ends in .npy; `npy convert` writes other formats";
            Err(Failure::new(format!("{}: {message}", escape::path(output))))
        }
        _ => Ok(()),
    }
}

/// The format of a file of this name.
pub(crate) fn of_extension(path: &Path) -> Option<&'static dyn Format> {
    let extension = compressed::inner(path).extension()?.to_str()?.to_ascii_lowercase();
    FORMATS.iter().copied().find(|format| format.extensions().contains(&extension.as_str()))
}

/// A file as its first bytes and its name tell it.
#[expect(clippy::large_enum_variant, reason = "there is one of a file, which is taken apart at once")]
enum Found {
    Numpy(Input),
    Compressed(Compressed),
    Foreign(&'static dyn Format, Other),
}

/// Finds the format of an argument, by one rule for all commands.
///
/// NumPy's formats are found by content, others by the extension, then by first bytes that leave no doubt.
fn find(text: &OsStr) -> Result<Found> {
    let other = match Input::find(text)? {
        Named::Other(other) => other,
        named => return below::input_of(named).map(Found::Numpy),
    };
    let content = ForeignFormat::of(&other.front);
    let by_name = of_extension(Path::new(path_of(text))).filter(|format| !is_of_input(*format));
    let of_content = || match (content?, other.path.is_none()) {
        (ForeignFormat::Json, true) if json::has_lines(&other.front) => Some(&json::Json::LINES as &dyn Format),
        (content, is_stream) => of_content(content, is_stream),
    };
    match by_name.or_else(of_content) {
        Some(format) => Ok(Found::Foreign(format, other)),
        None => Compressed::of(other).map(Found::Compressed),
    }
}

/// Opens an argument in a format, or in the one that it has.
pub(crate) fn open(text: &OsStr, format: Option<&'static dyn Format>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
    if let Some(format) = format.or_else(|| if Path::new(text).is_dir() { Some(&dir::Directory) } else { None }) {
        expect_support(format).map_err(|failure| failure.about(&escape::path(text)))?;
        return format.open(text, None, options);
    }
    match find(text)? {
        Found::Numpy(input) => npy::open(input, text, options),
        Found::Compressed(file) => npy::open(file.into_file()?, text, options),
        Found::Foreign(format, other) if other.part.is_none() => open_foreign(format, other, text, options),
        Found::Foreign(_, other) => Err(other.failure()),
    }
}

fn open_foreign(format: &dyn Format, mut other: Other, text: &OsStr, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
    expect_support(format).map_err(|failure| failure.about(&other.name))?;
    let stream = if other.path.is_none() { Some(Spool::of(&mut *other.bytes()?, &other.name)?) } else { None };
    format.open(path_of(text), stream, options)
}

/// A file as a command finds it.
#[expect(clippy::large_enum_variant, reason = "there is one of a file, which is taken apart at once")]
pub(crate) enum Opened {
    Numpy(Input),
    Compressed(Compressed),
    Foreign(Foreign),
}

/// Opens an argument in any format: see [`find`]. Warns of what is left out.
pub(crate) fn open_any(text: &OsStr) -> Result<Opened> {
    let opened = open_silently(text)?;
    opened.warn();
    Ok(opened)
}

fn open_silently(text: &OsStr) -> Result<Opened> {
    let (format, mut other) = match find(text)? {
        Found::Numpy(input) => return Ok(Opened::Numpy(input)),
        Found::Compressed(file) => return Ok(Opened::Compressed(file)),
        Found::Foreign(format, other) => (format, other),
    };
    let (name, part) = (other.name.clone(), other.part.take());
    let bytes = other.path.as_ref().and_then(|path| Some(fs::metadata(path).ok()?.len()));
    let options = ReadOptions { is_lossy: true, are_all_wanted: true, is_for_looking: true, ..ReadOptions::default() };
    let source = open_foreign(format, other, text, &options)?.pop();
    let source = source.ok_or_else(|| Failure::new(format!("{name}: expected an array, found none")))?;
    let holds_several = format.holds_several();
    Ok(Opened::Foreign(Foreign { source, name, format: format.names()[0], holds_several, bytes, part }))
}

/// Opens an argument in any format, as an input with its arrays.
pub(crate) fn input(text: &OsStr) -> Result<Input> {
    open_any(text)?.into_input()
}

/// Opens an argument once more, for a command that has warned.
pub(crate) fn input_again(text: &OsStr) -> Result<Input> {
    open_silently(text)?.into_input()
}

/// Opens an argument in any format, for a command that reads one array.
pub(crate) fn input_of_one(text: &OsStr) -> Result<Input> {
    let opened = open_any(text)?;
    if let Opened::Foreign(file) = &opened {
        file.expect_one()?;
    }
    opened.into_input()
}

impl Opened {
    fn warn(&self) {
        match self {
            Self::Numpy(input) => {
                for part in input.left_out() {
                    output::warn(&format!("{}: left out {part}", input.name()));
                }
            }
            Self::Compressed(_) => {}
            Self::Foreign(file) => {
                let items = file.source.items();
                for loss in items.iter().flat_map(|item| &item.losses) {
                    output::warn(&format!("{}: left out {loss}", file.name));
                }
                for note in items.iter().flat_map(|item| &item.notes) {
                    output::warn(&format!("{}: {note}", file.name));
                }
            }
        }
    }

    /// The arrays in NumPy's formats, those of another one in a temporary file.
    fn into_input(self) -> Result<Input> {
        match self {
            Self::Numpy(input) => Ok(input),
            Self::Compressed(file) => file.into_file(),
            Self::Foreign(file) => file.into_input(),
        }
    }
}

/// Whether [`Input`] reads the format itself.
fn is_of_input(format: &dyn Format) -> bool {
    ["npy", "npz", "ra", "dir"].contains(&format.names()[0])
}

/// The format of a file whose first bytes leave no doubt. Text leaves some, but a stream has no name that would tell more.
fn of_content(content: ForeignFormat, is_stream: bool) -> Option<&'static dyn Format> {
    let is_text = matches!(content, ForeignFormat::Csv | ForeignFormat::Tsv | ForeignFormat::Json);
    FORMATS.iter().copied().find(|format| format.content() == Some(content) && (is_stream || !is_text))
}
