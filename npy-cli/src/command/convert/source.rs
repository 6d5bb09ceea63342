//! What is converted: the arrays of the inputs, each read in either order.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use npy_core::__private::is_same_in_both;
use npy_core::object::ObjectArray;
use npy_core::{FileFormat, Header, NpyReader, Order};
use tempfile::NamedTempFile;

use super::Arguments;
#[cfg(feature = "arrow")]
use super::arrow_import::ArrowSource;
use super::csv_import::CsvSource;
use super::format::Format;
use super::json_import::JsonSource;
use super::png::PngSource;
use super::safetensors::TensorSource;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::{Array, Input, is_shadowed, object_options};
use crate::pieces::{self, Sink};
use crate::signals;

/// An array of an input.
#[derive(Clone)]
pub(super) struct Item {
    /// Of the member, of the tensor, or of the file without its extension.
    pub(super) name: String,
    /// What the user typed, for messages.
    pub(super) input: String,
    pub(super) header: Header,
    /// What of it no format keeps, in words.
    pub(super) losses: Vec<String>,
}

/// An input with its arrays.
pub(super) trait Source {
    fn items(&self) -> &[Item];

    /// Calls `sink` with the elements of an array in this order.
    fn read(&mut self, index: usize, order: Order, sink: Sink<'_>) -> Result<()>;

    /// Calls `work` with an array of Python objects, which only NumPy's formats have.
    fn with_objects(&mut self, _: usize, _: &mut dyn FnMut(Box<dyn Array + '_>) -> Result<()>) -> Result<()> {
        Err(Failure::Nameless("expected an array of Python objects, found another format".to_owned()))
    }

    /// Reads an array of Python objects.
    fn objects(&mut self, index: usize) -> Result<ObjectArray> {
        let mut objects = None;
        self.with_objects(index, &mut |array| {
            objects = Some(array.into_objects(object_options())?);
            Ok(())
        })?;
        objects.ok_or_else(|| Failure::new("the objects were not read"))
    }
}

/// Opens what the user typed.
pub(super) fn open(path: &OsStr, arguments: &Arguments) -> Result<Vec<Box<dyn Source>>> {
    let text = &*escape::path(path);
    let format = arguments.from.or_else(|| Format::of_input(path));
    format.map_or(Ok(()), Format::expect_support).map_err(|failure| failure.about(text))?;
    Ok(vec![match format {
        Some(Format::Dir) => {
            return arrays_of(Path::new(path))?
                .iter()
                .map(|path| open(path, arguments))
                .collect::<Result<Vec<_>>>()
                .map(|sources| sources.into_iter().flatten().collect());
        }
        Some(Format::Csv | Format::Tsv) => {
            let delimiter = (format == Some(Format::Tsv)).then_some(b'\t');
            Box::new(InOrder(CsvSource::open(FileOrSpool::open(path)?, text, delimiter, arguments)?))
        }
        Some(Format::Json | Format::Ndjson) => {
            let is_lines = format == Some(Format::Ndjson);
            Box::new(InOrder(JsonSource::open(FileOrSpool::open(path)?, text, is_lines, arguments)?))
        }
        Some(Format::Png) => Box::new(InOrder(PngSource::open(FileOrSpool::open(path)?, text)?)),
        Some(Format::Safetensors) => Box::new(TensorSource::open(FileOrSpool::open(path)?, text, arguments.lossy)?),
        #[cfg(feature = "arrow")]
        Some(format @ (Format::Parquet | Format::Arrow)) => {
            Box::new(InOrder(ArrowSource::open(FileOrSpool::open(path)?, text, format, arguments)?))
        }
        _ => Box::new(InputSource::open(path, arguments.files.last())?),
    }])
}

/// The paths of the `.npy` files in a directory, sorted.
fn arrays_of(directory: &Path) -> Result<Vec<OsString>> {
    let failed = |error: io::Error| Failure::new(format!("{}: cannot read the directory: {error}", escape::path(directory)));
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "npy") {
            paths.push(path.into_os_string());
        }
    }
    if paths.is_empty() {
        return Err(Failure::new(format!("{}: expected .npy files, found none", escape::path(directory))));
    }
    paths.sort();
    Ok(paths)
}

/// The name of the array of a file: that of the file without its extension.
///
/// Bytes that are not UTF-8 are written as in `caf%E9`: a backslash would be a separator in the names of members.
pub(super) fn stem_of(path: impl AsRef<OsStr>) -> String {
    let path = path.as_ref();
    let Some(stem) = Path::new(path).file_stem().filter(|_| path != "-") else { return "arr_0".to_owned() };
    let mut name = String::new();
    for chunk in stem.as_encoded_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(name, "%{byte:02X}");
        }
    }
    name
}

/// A file that is read twice, or standard input in a temporary one.
pub(super) struct FileOrSpool {
    path: PathBuf,
    _spool: Option<(NamedTempFile, signals::Guard)>,
}

impl FileOrSpool {
    pub(super) fn open(path: &OsStr) -> Result<Self> {
        if path != "-" {
            return Ok(Self { path: path.into(), _spool: None });
        }
        let failed = |error: io::Error| Failure::new(format!("-: cannot read standard input: {error}"));
        let guard = signals::Guard::new();
        let mut file = NamedTempFile::new().map_err(failed)?;
        io::copy(&mut io::stdin().lock(), &mut file).map_err(failed)?;
        signals::check()?;
        Ok(Self { path: file.path().to_owned(), _spool: Some((file, guard)) })
    }

    /// Where it is.
    #[cfg(feature = "arrow")]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it once more, from the beginning.
    pub(super) fn file(&self) -> Result<File> {
        File::open(&self.path).map_err(|error| Failure::Nameless(format!("cannot open the file: {error}")))
    }
}

/// An `.npy`, `.npz` or `.ra` file.
struct InputSource {
    input: Input,
    indices: Vec<usize>,
    items: Vec<Item>,
}

impl InputSource {
    fn open(path: &OsStr, output: Option<&OsString>) -> Result<Self> {
        let text = &*escape::path(path);
        let mut input = Input::open(path)?;
        let mut losses = input.unread_parts()?;
        losses.extend(output.and_then(|output| input.replaced_parts(Path::new(output))));
        let mut members = input.members()?;
        if input.format() == FileFormat::Npz && input.selected().is_none() {
            let archive = input.archive()?;
            members.retain(|(index, _)| !is_shadowed(&archive, *index));
        }
        let (mut indices, mut items) = (Vec::new(), Vec::new());
        for (index, member) in members {
            let header = input.header(index)?;
            let name = member.unwrap_or_else(|| name_of(&input, path));
            indices.push(index);
            items.push(Item { name, input: text.to_owned(), header, losses: std::mem::take(&mut losses) });
        }
        if items.is_empty() {
            return Err(Failure::new(format!("{text}: the archive has no arrays")));
        }
        input.close_archive();
        Ok(Self { input, indices, items })
    }
}

/// The name of an array that is no member, with its number if one is selected.
fn name_of(input: &Input, path: &OsStr) -> String {
    match (input.part(), input.path()) {
        (Some(number), Some(_)) if input.name() == "-" => format!("arr_{number}"),
        (Some(number), Some(path)) => format!("{}-{number}", stem_of(path)),
        _ => stem_of(path),
    }
}

impl Source for InputSource {
    fn items(&self) -> &[Item] {
        &self.items
    }

    fn read(&mut self, index: usize, order: Order, sink: Sink<'_>) -> Result<()> {
        let is_last = index + 1 == self.indices.len();
        let index = self.indices.get(index).copied().unwrap_or_default();
        let result = self.input.with_member(index, |mut array| pieces::for_each(&mut *array, order, sink));
        if is_last {
            self.input.close_archive();
        }
        result
    }

    fn with_objects(&mut self, index: usize, work: &mut dyn FnMut(Box<dyn Array + '_>) -> Result<()>) -> Result<()> {
        let index = self.indices.get(index).copied().unwrap_or_default();
        self.input.with_member(index, work)
    }
}

/// A source that gives its elements in C order only.
pub(super) trait CSource {
    fn item(&self) -> &Item;

    fn read_c(&mut self, sink: Sink<'_>) -> Result<()>;
}

/// The same source in either order, by way of a temporary file.
struct InOrder<S>(S);

impl<S: CSource> Source for InOrder<S> {
    fn items(&self) -> &[Item] {
        std::slice::from_ref(self.0.item())
    }

    fn read(&mut self, _: usize, order: Order, sink: Sink<'_>) -> Result<()> {
        let (name, header) = (self.0.item().input.clone(), self.0.item().header.clone());
        if order == Order::C || is_same_in_both(header.shape()) {
            return self.0.read_c(sink).map_err(|failure| failure.about(&name));
        }
        let failed = |error: io::Error| Failure::new(format!("cannot write a temporary file: {error}"));
        let _guard = signals::Guard::new();
        let mut file = NamedTempFile::new().map_err(failed)?;
        file.write_all(&header.to_bytes()).map_err(failed)?;
        self.0.read_c(&mut |values| {
            signals::check()?;
            file.write_all(values.bytes()).map_err(failed)
        })?;
        let mut reader = NpyReader::from_file(file.reopen().map_err(failed)?)?;
        pieces::for_each(&mut reader, order, sink)
    }
}
