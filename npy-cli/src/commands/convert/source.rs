//! What is converted: the arrays of the inputs, each read in either order.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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
use crate::input::arrays::Found;
use crate::input::paths::npy_files;
use crate::input::pieces::{self, Sink};
use crate::input::{Array, Input, behind_array_of_stream, is_shadowed, object_options};
use crate::losses;
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

/// Opens what the user typed. `target` is the format that it is converted to.
pub(super) fn open(path: &OsStr, target: Format, arguments: &Arguments) -> Result<Vec<Box<dyn Source>>> {
    let text = &*escape::path(path);
    let format = arguments.from.or_else(|| Format::of_input(path));
    format.map_or(Ok(()), Format::expect_support).map_err(|failure| failure.about(text))?;
    Ok(vec![match format {
        Some(Format::Dir) => {
            let (directory, mut sources) = (Path::new(path), Vec::<Box<dyn Source>>::new());
            for path in npy_files(directory)? {
                let mut source = InputSource::open(&path, target, arguments)?;
                source.name_below(directory, Path::new(&path));
                sources.push(Box::new(source));
            }
            return Ok(sources);
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
        _ => Box::new(InputSource::open(path, target, arguments)?),
    }])
}

/// The name of the array of a file: that of the file without its extension.
fn stem_of(path: impl AsRef<OsStr>) -> String {
    let path = path.as_ref();
    Path::new(path).file_stem().filter(|_| path != "-").map_or_else(|| "arr_0".to_owned(), member_name)
}

/// The name of a file as that of a member. Bytes that are not UTF-8 are written as in `caf%E9`: a backslash would be a separator.
fn member_name(file: &OsStr) -> String {
    let mut name = String::new();
    for chunk in file.as_encoded_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(name, "%{byte:02X}");
        }
    }
    name
}

/// A file that is read twice; standard input or a pipe in a temporary one.
pub(super) struct FileOrSpool {
    path: PathBuf,
    /// The name of an array that the file is.
    pub(super) stem: String,
    _spool: Option<(NamedTempFile, signals::Guard)>,
}

impl FileOrSpool {
    pub(super) fn open(path: &OsStr) -> Result<Self> {
        let stem = stem_of(path);
        let is_stream = path == "-" || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        if !is_stream {
            return Ok(Self { path: path.into(), stem, _spool: None });
        }
        let failed = |error: io::Error| Failure::new(format!("{}: cannot read the stream: {error}", escape::path(path)));
        let guard = signals::Guard::new();
        let mut file = NamedTempFile::new().map_err(failed)?;
        if path == "-" {
            io::copy(&mut io::stdin().lock(), &mut file).map_err(failed)?;
        } else {
            io::copy(&mut File::open(path).map_err(failed)?, &mut file).map_err(failed)?;
        }
        signals::check()?;
        Ok(Self { path: file.path().to_owned(), stem, _spool: Some((file, guard)) })
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

/// An input in one of NumPy's formats, or an `.ra` file.
struct InputSource {
    input: Input,
    places: Vec<Place>,
    items: Vec<Item>,
    is_lossy: bool,
}

/// Where an array of an input is.
enum Place {
    Member(usize),
    /// One of several arrays of an `.npy` file, one behind another.
    Behind(Found),
}

impl InputSource {
    /// Names the array of a file by its path below a directory, as the members of an archive are named.
    fn name_below(&mut self, directory: &Path, path: &Path) {
        let parents = path.parent().and_then(|parent| parent.strip_prefix(directory).ok()).into_iter().flat_map(Path::iter);
        let parents: Vec<String> = parents.map(member_name).collect();
        for item in self.items.iter_mut().filter(|_| !parents.is_empty()) {
            item.name = format!("{}/{}", parents.join("/"), item.name);
        }
    }

    fn open(path: &OsStr, target: Format, arguments: &Arguments) -> Result<Self> {
        let text = &*escape::path(path);
        let mut input = Input::open(path)?;
        // Several arrays have to be counted, and pickles have to end before anything is written.
        if input.is_stream() && (target.holds_several() || input.header(0)?.dtype().has_object()) {
            input = input.into_file()?;
        }
        let mut source = Self { input, places: Vec::new(), items: Vec::new(), is_lossy: arguments.lossy };
        let several = source.further_arrays()?;
        let mut losses = Vec::new();
        if several.is_empty() {
            losses = source.input.unread_parts()?;
            if source.input.format() == FileFormat::Npz && source.input.part().is_none() {
                source.input.tell_of_attributes();
            }
            source.add_members(path)?;
        } else {
            let read = if target.holds_several() { several.len() } else { 1 };
            losses.extend(source.input.behind_arrays(read));
            for (number, found) in several.into_iter().take(read).enumerate() {
                let name = if read == 1 { stem_of(path) } else { numbered(path, number) };
                source.add(Place::Behind(found), name, text)?;
            }
        }
        losses.extend(arguments.files.last().and_then(|output| source.input.replaced_parts(Path::new(output))));
        match source.items.first_mut() {
            Some(first) => first.losses = losses,
            None => return Err(Failure::new(format!("{text}: the archive has no arrays"))),
        }
        source.input.close_archive();
        Ok(source)
    }

    /// The arrays of an `.npy` file of which none was selected, if there are several.
    fn further_arrays(&self) -> Result<Vec<Found>> {
        let is_whole = self.input.format() == FileFormat::Npy && self.input.part().is_none() && !self.input.is_stream();
        let arrays = if is_whole { self.input.arrays()? } else { Vec::new() };
        Ok(if arrays.len() > 1 { arrays } else { Vec::new() })
    }

    fn add_members(&mut self, path: &OsStr) -> Result<()> {
        let mut members = self.input.members()?;
        if self.input.format() == FileFormat::Npz && self.input.selected().is_none() {
            let archive = self.input.archive()?;
            members.retain(|(index, _)| !is_shadowed(&archive, *index));
        }
        for (index, member) in members {
            let name = member.unwrap_or_else(|| name_of(&self.input, path));
            self.add(Place::Member(index), name, &escape::path(path))?;
        }
        Ok(())
    }

    fn add(&mut self, place: Place, name: String, input: &str) -> Result<()> {
        let header = match &place {
            Place::Member(index) => self.input.header(*index)?,
            Place::Behind(found) => found.header.clone(),
        };
        self.places.push(place);
        self.items.push(Item { name, input: input.to_owned(), header, losses: Vec::new() });
        Ok(())
    }

    fn with_array<T>(&mut self, index: usize, work: impl FnOnce(Box<dyn Array + '_>) -> Result<T>) -> Result<T> {
        match self.places.get(index) {
            Some(Place::Member(index)) => self.input.with_member(*index, work),
            Some(Place::Behind(found)) => self.input.with_found(found, work),
            None => Err(Failure::new("expected an array, found none")),
        }
    }
}

/// The name of an array that is no member, with its number if one is selected.
fn name_of(input: &Input, path: &OsStr) -> String {
    match input.part() {
        Some(number) if input.name() == "-" => format!("arr_{number}"),
        Some(number) => format!("{}-{number}", stem_of(input.path().unwrap_or(Path::new(path)))),
        None => stem_of(path),
    }
}

/// The name of one of all arrays of an `.npy` file.
fn numbered(path: &OsStr, number: usize) -> String {
    if path == "-" { format!("arr_{number}") } else { format!("{}-{number}", stem_of(path)) }
}

impl Source for InputSource {
    fn items(&self) -> &[Item] {
        &self.items
    }

    fn read(&mut self, index: usize, order: Order, sink: Sink<'_>) -> Result<()> {
        let is_last = index + 1 == self.places.len();
        let is_stream = self.input.is_stream();
        let behind = self.with_array(index, |mut array| {
            pieces::for_each(&mut *array, order, sink)?;
            if is_stream { array.rest().map(|rest| behind_array_of_stream(&rest)) } else { Ok(None) }
        });
        if is_last {
            self.input.close_archive();
        }
        let name = self.items.get(index).map_or("", |item| &item.name);
        let losses: Vec<String> = behind?.iter().map(|behind| format!("{name}: {behind}")).collect();
        losses::report("the conversion", &losses, self.is_lossy)
    }

    fn with_objects(&mut self, index: usize, work: &mut dyn FnMut(Box<dyn Array + '_>) -> Result<()>) -> Result<()> {
        self.with_array(index, work)
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
        if order == Order::C || Order::are_same(header.shape()) {
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
