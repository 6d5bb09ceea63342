//! The trait of file formats: their names, what they can hold, how they are read and written.

use std::ffi::OsStr;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

use npy_core::error::ForeignFormat;
use npy_core::object::ObjectArray;
use npy_core::{DType, DynValues, Header, Order};

use super::csv::dialect;
use super::source::Source;
use crate::failure::{Failure, Result};
use crate::input::pieces::Sink;
use crate::input::{Spool, expected_one};
use crate::output::{self, Content};
use crate::values::quantity;

/// A format of files.
///
/// A new one is a file beside this one, with an implementation of this trait, and an entry in the table of `formats/mod.rs`.
pub(crate) trait Format: Sync {
    /// The name on the command line, and further names.
    fn names(&self) -> &'static [&'static str];

    /// The extensions of its files; messages have the first.
    fn extensions(&self) -> &'static [&'static str] {
        self.names()
    }

    /// The first bytes of its files.
    fn content(&self) -> Option<ForeignFormat> {
        None
    }

    /// The line of the help.
    fn about(&self) -> &'static str;

    /// The feature that this build lacks for the format.
    fn missing_feature(&self) -> Option<&'static str> {
        None
    }

    /// Whether a file has any number of arrays, each with a name.
    fn holds_several(&self) -> bool {
        false
    }

    /// Whether its inputs have a delimiter, comments and names in the first line, which options override.
    fn has_dialect(&self) -> bool {
        false
    }

    /// The representation of Python objects.
    fn objects(&self) -> Objects {
        Objects::Values
    }

    /// The dtype that it has for these elements, and what it does not keep, in words.
    fn adapt(&self, dtype: &DType, _shape: &[usize]) -> Result<(DType, Vec<String>)> {
        Ok((dtype.clone(), self.lost_titles(dtype)))
    }

    /// The titles of fields, in words, unless it keeps them, as NumPy's own formats do.
    fn lost_titles(&self, dtype: &DType) -> Vec<String> {
        if self.objects() == Objects::Pickle { Vec::new() } else { titles(dtype) }
    }

    /// Opens an input: a path, or `-`. Of a stream that was read already, `stream` has the content.
    fn open(&self, path: &OsStr, stream: Option<Spool>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>>;

    /// Writes the arrays to a path, or to `-`.
    fn write(&self, arrays: &mut [Box<dyn Outgoing>], path: &Path, options: WriteOptions) -> Result<()>;
}

impl fmt::Debug for dyn Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names()[0])
    }
}

/// Fails if this build lacks a format.
pub(crate) fn expect_support(format: &dyn Format) -> Result<()> {
    let Some(feature) = format.missing_feature() else { return Ok(()) };
    let hint = format!("`cargo install --path npy-cli --features {feature}` has it");
    Err(Failure::Nameless(format!("unsupported format: npy was built without the feature `{feature}`; {hint}")))
}

/// The representation of Python objects in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Objects {
    /// As NumPy's pickle.
    Pickle,
    /// As text.
    Text,
    /// As the dtype of their values.
    Values,
    /// As the dtype of their values, with nulls for `None`.
    NullableValues,
}

/// The options for reading.
#[derive(Debug, Default)]
pub(crate) struct ReadOptions {
    /// The dtype of text, instead of a guess.
    pub(crate) dtype: Option<DType>,
    /// The only fields that are wanted, or none for all. A format that has each as a column leaves the others unread.
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "only tables have columns"))]
    pub(crate) fields: Vec<String>,
    /// The names that select rows, beside those that are wanted, and whether each has to be a field: others can stand for a value.
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "only tables have columns"))]
    pub(crate) filtered: Vec<(String, bool)>,
    pub(crate) is_lossy: bool,
    /// Whether all arrays of the input are wanted, or the first.
    pub(crate) are_all_wanted: bool,
    /// Whether a command that only looks at values reads them, which has no options for guesses.
    pub(crate) is_for_looking: bool,
    /// The file that the output will replace.
    pub(crate) output: Option<PathBuf>,
    pub(crate) csv: dialect::Options,
}

/// The options for writing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteOptions {
    pub(crate) is_lossy: bool,
    /// The level at which members of an archive are compressed.
    pub(crate) compression: Option<u32>,
}

/// An array on its way to a file.
pub(crate) trait Outgoing {
    /// The name of a member.
    fn name(&self) -> &str;

    /// The argument of the user.
    fn input(&self) -> &str;

    /// The array as the format has it.
    fn header(&self) -> &Header;

    /// Calls `sink` with the elements in this order.
    fn read(&mut self, order: Order, sink: Sink<'_>) -> Result<()>;

    /// The Python objects, if the array has some that stay objects.
    fn objects(&self) -> Result<Option<ObjectArray>>;

    /// Which elements are null, by the path of their field.
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "only tables have nulls"))]
    fn nulls(&self) -> &[(Vec<String>, Vec<bool>)];

    /// Writes the pickle as it is; `false` if the array has none, or not this one.
    fn copy_pickle(&self, out: &mut dyn Write) -> Result<bool>;
}

/// Replaces a file by the only array, which `write` writes.
pub(super) fn write_only(
    arrays: &mut [Box<dyn Outgoing>],
    path: &Path,
    content: Content,
    write: impl FnOnce(&mut dyn Outgoing, &mut dyn Write) -> Result<()>,
) -> Result<()> {
    match arrays {
        [array] => output::replace(path, content, |out| write(&mut **array, out)),
        [] => Err(Failure::new("expected an array, found none")),
        arrays => {
            let (input, names) = (arrays[0].input(), arrays.iter().map(|array| array.name()));
            let failure = if arrays.iter().all(|array| array.input() == input) {
                expected_one(input, names)
            } else {
                let (found, names) = (quantity::counted(arrays.len() as u64, "array"), quantity::listed(names));
                Failure::new(format!("expected one input, found {found}: {names}; name one"))
            };
            Err(Failure::new(format!("{failure}, or write an .npz archive or a directory")))
        }
    }
}

/// Writes the bytes of the elements.
pub(super) fn write_data(array: &mut dyn Outgoing, order: Order, out: &mut dyn Write) -> Result<()> {
    array.read(order, &mut |values| Ok(out.write_all(values.bytes())?))
}

/// Writes text piece by piece, and leaves `text` empty.
pub(super) fn write_text(
    array: &mut dyn Outgoing,
    text: &mut String,
    out: &mut dyn Write,
    append: &mut dyn FnMut(DynValues, &mut String) -> Result<()>,
) -> Result<()> {
    array.read(Order::C, &mut |values| {
        append(values, text)?;
        write_piece(text, out)
    })?;
    write_piece(text, out)
}

/// Writes text, and clears it.
pub(super) fn write_piece(text: &mut String, out: &mut dyn Write) -> Result<()> {
    out.write_all(text.as_bytes())?;
    text.clear();
    Ok(())
}

/// The titles of fields, in words.
fn titles(dtype: &DType) -> Vec<String> {
    titled(dtype).iter().map(|path| format!("the title of the field \"{path}\"")).collect()
}

/// The paths of fields that have a title.
fn titled(dtype: &DType) -> Vec<String> {
    let Some(record) = dtype.record() else { return Vec::new() };
    let mut paths = Vec::new();
    for field in record.fields() {
        if field.title().is_some() {
            paths.push(field.name().to_owned());
        }
        paths.extend(titled(field.dtype()).into_iter().map(|path| format!("{}.{path}", field.name())));
    }
    paths
}
