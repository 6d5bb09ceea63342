//! What a command reads: `FILE`, `FILE:MEMBER`, `FILE#N` or `-`, in any of the formats, array by array.

mod array;
pub(crate) mod arrays;
mod looks;
pub(crate) mod paths;
#[cfg(any(feature = "plot", feature = "view"))]
pub(crate) mod source;
mod stream;

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use npy_core::npz::{ArchiveFile, NpzReader};
use npy_core::rawarray::{RaArray, RaHeader};
use npy_core::{FileFormat, Header, NpyReader};
use tempfile::NamedTempFile;

use crate::escape;
use crate::failure::{Failure, Result};
use crate::signals;
use array::Once;
pub(crate) use array::{Array, not_spooled, object_options, spool, spooled, spooled_with_rest};
use arrays::Section;
pub(crate) use looks::text_transfer;
pub(crate) use stream::Prefixed;
use stream::{Forward, Recorder};

/// A file, a member of an archive, or standard input.
pub(crate) struct Input {
    /// What the user typed, as text.
    name: String,
    place: Place,
    format: FileFormat,
    part: Option<Part>,
    /// Where the array of [`Part::Number`] is in the file.
    range: Option<Range<u64>>,
    /// The archive that the file is, from its first use on: its central directory is read once.
    archive: OnceCell<NpzReader<ArchiveFile>>,
}

/// One of several arrays of a file.
#[derive(Debug)]
pub(crate) enum Part {
    /// The member of an archive: what follows a colon.
    Member(String),
    /// The number of an array in an `.npy` file, counted from 0: what follows `#`.
    Number(usize),
}

enum Place {
    Path(PathBuf),
    /// An `.npy` stream, of standard input or a pipe, and its first bytes. `None` once it was read.
    Stream {
        front: Vec<u8>,
        rest: Option<Box<dyn Read + Send>>,
    },
    /// A stream in a temporary file, because its format cannot be read as a stream. A signal is not to leave it.
    Spool {
        file: NamedTempFile,
        _guard: signals::Guard,
    },
}

/// Where the bytes of an array are in a file, for readers that go on side by side.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    pub(crate) path: PathBuf,
    /// The position of the `.npy` header in the file.
    pub(crate) begin: u64,
}

impl Input {
    /// Opens what the user typed: a path or `-`, each with or without a colon and the name of a member.
    pub(crate) fn open(text: impl AsRef<OsStr>) -> Result<Self> {
        let text = text.as_ref();
        if let Some(part) = standard_input(text) {
            return Self::from_stream("-", Box::new(io::stdin()), part);
        }
        let (path, part) = split(text);
        let name = escape::path(path);
        let failed = |error: io::Error| Failure::Unread(format!("{name}: cannot open the file: {error}"));
        let metadata = fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            return Err(Failure::new(format!("{name}: expected a file, found a directory")));
        }
        let mut front = Vec::new();
        let file = File::open(path).map_err(failed)?;
        if !metadata.is_file() {
            // A pipe, which is not there a second time.
            return Self::from_stream(&name, Box::new(file), part);
        }
        file.take(looks::FRONT_BYTES).read_to_end(&mut front).map_err(failed)?;
        let format = format_of(&front).map_err(|failure| failure.about(&name))?;
        // Errors name the array that the user named.
        let name = if matches!(part, Some(Part::Number(_))) { escape::path(text) } else { name };
        Self::new(&name, Place::Path(path.into()), format).with_selected(part)
    }

    fn new(name: &str, place: Place, format: FileFormat) -> Self {
        Self { name: name.to_owned(), place, format, part: None, range: None, archive: OnceCell::new() }
    }

    /// Selects a member, which only archives have, or one of several arrays, which only `.npy` files have.
    fn with_selected(mut self, part: Option<Part>) -> Result<Self> {
        match (&part, self.format) {
            (None, _) | (Some(Part::Member(_)), FileFormat::Npz) => {}
            (Some(Part::Number(number)), FileFormat::Npy) => self.range = Some(self.range_of(*number)?),
            (Some(Part::Member(member)), _) => {
                let message = format!("cannot select member {member:?}: expected an .npz archive");
                return Err(Failure::new(format!("{}: {message}", self.name)));
            }
            (Some(Part::Number(number)), _) => {
                let message = format!("cannot select array {number}: expected an .npy file");
                return Err(Failure::new(format!("{}: {message}", self.name)));
            }
        }
        self.part = part;
        Ok(self)
    }

    /// Where an array of the file is.
    fn range_of(&self, number: usize) -> Result<Range<u64>> {
        let path = self.path().ok_or_else(|| Failure::new(format!("{}: expected a file", self.name)))?;
        let arrays = arrays::arrays_of(path).map_err(|failure| self.name_of(failure))?;
        match arrays.get(number) {
            Some(found) => Ok(found.range.clone()),
            None => {
                let there = if arrays.len() == 1 {
                    "1 array, #0".to_owned()
                } else {
                    format!("{0} arrays, #0 to #{1}", arrays.len(), arrays.len() - 1)
                };
                Err(Failure::new(format!("{}: missing array #{number}: the file has {there}", self.name)))
            }
        }
    }

    fn from_stream(name: &str, mut stream: Box<dyn Read + Send>, part: Option<Part>) -> Result<Self> {
        let failed = |error: io::Error| Failure::new(format!("{name}: cannot read the stream: {error}"));
        let mut front = Vec::new();
        (&mut stream).take(looks::FRONT_BYTES).read_to_end(&mut front).map_err(failed)?;
        let format = format_of(&front).map_err(|failure| failure.about(name))?;
        let place = if format == FileFormat::Npy && part.is_none() {
            Place::Stream { front, rest: Some(stream) }
        } else {
            let guard = signals::Guard::new();
            let mut file = NamedTempFile::new().map_err(failed)?;
            file.write_all(&front).map_err(failed)?;
            io::copy(&mut stream, &mut file).map_err(failed)?;
            signals::check()?;
            Place::Spool { file, _guard: guard }
        };
        Self::new(name, place, format).with_selected(part)
    }

    /// What the user typed, for messages and titles; with the member, if one is selected.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The format of the file.
    pub(crate) fn format(&self) -> FileFormat {
        self.format
    }

    /// The path of the file, also of one that holds standard input; `None` for a stream.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Path(path) => Some(path),
            Place::Spool { file, .. } => Some(file.path()),
            Place::Stream { .. } => None,
        }
    }

    /// The member that the user selected.
    pub(crate) fn selected(&self) -> Option<&str> {
        if let Some(Part::Member(member)) = &self.part { Some(member) } else { None }
    }

    /// The member or the number that the user selected, for names of files.
    pub(crate) fn part(&self) -> Option<String> {
        self.part.as_ref().map(|part| match part {
            Part::Member(member) => member.clone(),
            Part::Number(number) => number.to_string(),
        })
    }

    /// The position of the array in the file, and the bytes of the file from there on that can belong to it; `None` of a stream.
    pub(crate) fn bounds(&self) -> Option<Range<u64>> {
        self.range.clone().or_else(|| Some(0..fs::metadata(self.path()?).ok()?.len()))
    }

    /// A reader of the archive that the file is. Its central directory is read by the first call alone.
    pub(crate) fn archive(&self) -> Result<NpzReader<ArchiveFile>> {
        if let Some(archive) = self.archive.get() {
            return Ok(archive.clone());
        }
        let path = self.path().ok_or_else(|| Failure::new("-: expected an archive"))?;
        let archive = NpzReader::open(path).map_err(|error| self.name_of(error_without_path(error).into()))?;
        Ok(self.archive.get_or_init(|| archive).clone())
    }

    /// Closes the archive until it is used again: inputs that wait for their turn may be more than a process can have open.
    pub(crate) fn close_archive(&mut self) {
        self.archive = OnceCell::new();
    }

    /// The indices of the members to work on: the selected one, or all that are arrays. Any other format counts as one
    /// member without a name.
    pub(crate) fn members(&self) -> Result<Vec<(usize, Option<String>)>> {
        if self.format != FileFormat::Npz {
            return Ok(vec![(0, None)]);
        }
        let archive = self.archive()?;
        if let Some(member) = self.selected() {
            let index = archive.find(member).map_err(|error| self.name_of(error_without_path(error).into()))?;
            return Ok(vec![(index, archive.name(index).map(str::to_owned))]);
        }
        let is_array = |index: &usize| archive.whole_name(*index).is_some_and(|name| name.ends_with(".npy"));
        Ok((0..archive.len()).filter(is_array).map(|index| (index, archive.name(index).map(str::to_owned))).collect())
    }

    /// Calls `work` with the only array, the selected one, or the only one of an archive.
    pub(crate) fn with_array<T>(&mut self, work: impl FnOnce(Box<dyn Array + '_>) -> Result<T>) -> Result<T> {
        let index = self.only_member()?;
        self.with_member(index, work)
    }

    /// The index of the only array, the selected one, or the only one of an archive.
    pub(crate) fn only_member(&self) -> Result<usize> {
        let members = self.members()?;
        match &members[..] {
            [(index, _)] => Ok(*index),
            [] => Err(Failure::new(format!("{}: the archive has no arrays", self.name))),
            [(_, first), ..] => {
                let names: Vec<&str> = members.iter().filter_map(|(_, name)| name.as_deref()).take(20).collect();
                let more = if members.len() > names.len() { ", …" } else { "" };
                let first = first.as_deref().unwrap_or_default();
                Err(Failure::new(format!(
                    "{name}: expected one array, found {count}: {names}{more}; select one, as in {name}:{first}",
                    name = self.name,
                    count = members.len(),
                    names = names.join(", "),
                )))
            }
        }
    }

    /// The header of a member, by the index of [`members`](Self::members). The array can still be read.
    pub(crate) fn header(&mut self, index: usize) -> Result<Header> {
        let Place::Stream { front, rest: Some(rest) } = &mut self.place else {
            return self.with_member(index, |array| Ok(array.header().clone()));
        };
        let mut recorder = Recorder::new(Cursor::new(&front[..]).chain(rest));
        let header = Header::read(&mut recorder);
        let read = recorder.into_read();
        if read.len() > front.len() {
            *front = read;
        }
        header.map_err(|error| self.name_of(error.into()))
    }

    /// What the file has beyond its arrays, and no other format keeps, in words.
    pub(crate) fn unread_parts(&self) -> Result<Vec<String>> {
        let mut parts = Vec::new();
        match (self.format, self.path()) {
            (FileFormat::Npz, _) if self.part.is_none() => {
                let archive = self.archive()?;
                let others =
                    (0..archive.len()).filter_map(|index| archive.whole_name(index)).filter(|name| !name.ends_with(".npy"));
                parts.extend(others.map(|name| format!("the member {name:?}, which is not an array")));
                parts.extend(beside_members(&archive));
                parts.extend(behind_arrays(archive));
            }
            (FileFormat::Npy, Some(path)) if self.part.is_none() => parts.extend(behind_array(path)),
            (FileFormat::RawArray, Some(path)) => {
                let mut file = File::open(path).map_err(|error| Failure::Nameless(format!("cannot open the file: {error}")))?;
                let header = RaHeader::read(&mut file).map_err(|error| self.name_of(error.into()))?;
                let length = file.metadata().map(|metadata| metadata.len()).unwrap_or_default();
                let begin = file.stream_position().unwrap_or_default();
                let metadata = length.saturating_sub(begin).saturating_sub(header.data_bytes());
                if metadata > 0 {
                    parts.push(format!("{metadata} bytes of metadata"));
                }
            }
            _ => {}
        }
        Ok(parts)
    }

    /// Whether `output` replaces the file.
    pub(crate) fn is_replaced_by(&self, output: &Path) -> bool {
        let path = self.path().and_then(|path| fs::canonicalize(path).ok());
        path.is_some() && path == fs::canonicalize(output).ok()
    }

    /// What else the file of the selected array would lose if `output` replaced it, in words.
    pub(crate) fn replaced_parts(&self, output: &Path) -> Option<String> {
        if self.part.is_none() || !self.is_replaced_by(output) {
            return None;
        }
        let has_others = match self.format {
            FileFormat::Npz => self.archive().is_ok_and(|archive| archive.len() > 1),
            _ => self.path().is_some_and(|path| !behind_array(path).is_empty()),
        };
        has_others.then(|| "the other arrays of the file, which the output replaces".to_owned())
    }

    /// Calls `work` with the array of a member, by the index of [`members`](Self::members).
    pub(crate) fn with_member<T>(&mut self, index: usize, work: impl FnOnce(Box<dyn Array + '_>) -> Result<T>) -> Result<T> {
        let result = match (&mut self.place, self.format) {
            (Place::Stream { front, rest }, _) => match rest.take() {
                None => Err(Failure::Nameless("the stream can be read once only".to_owned())),
                Some(rest) => {
                    let stream = Cursor::new(std::mem::take(front)).chain(rest);
                    NpyReader::new(Forward::new(stream)).map_err(Failure::from).and_then(|reader| work(Box::new(Once(reader))))
                }
            },
            (_, FileFormat::Npz) => self.archive().and_then(|archive| with_member_of(archive, index, work)),
            (Place::Path(path), format) => with_file(path, format, self.range.clone(), work),
            (Place::Spool { file, .. }, format) => with_file(file.path(), format, self.range.clone(), work),
        };
        result.map_err(|failure| self.name_of(failure))
    }

    /// Where the array is in a file, if its bytes are there as they are: not of a compressed member, a stream, or an
    /// `.ra` file.
    pub(crate) fn extent(&self, index: usize) -> Result<Option<Extent>> {
        let Place::Path(path) = &self.place else { return Ok(None) };
        let begin = match self.format {
            FileFormat::Npy => self.range.as_ref().map_or(0, |range| range.start),
            FileFormat::Npz => {
                let mut archive = self.archive()?;
                if archive.method(index) != Some(0) {
                    return Ok(None);
                }
                archive.data_range(index).map_err(|error| self.name_of(error.into()))?.start
            }
            _ => return Ok(None),
        };
        Ok(Some(Extent { path: path.clone(), begin }))
    }

    fn name_of(&self, failure: Failure) -> Failure {
        failure.about(&self.name)
    }
}

/// Standard input with a part, as [`Input::open`] takes it beside `-:MEMBER` and `-#N`.
pub(crate) const STANDARD_INPUT: &str = "/dev/stdin";

/// The part of standard input that a text selects, or `None` if it selects none; `None` for a path.
#[expect(clippy::option_option, reason = "the outer one tells a path")]
pub(crate) fn standard_input(text: &OsStr) -> Option<Option<Part>> {
    let text = escape::path(text);
    let is_path = text == STANDARD_INPUT;
    let rest = text.strip_prefix('-').or_else(|| text.strip_prefix(STANDARD_INPUT)).filter(|_| !is_path)?;
    let member = || rest.strip_prefix(':').map(|member| Part::Member(member.to_owned()));
    if rest.is_empty() { Some(None) } else { member().or_else(|| number(rest.strip_prefix('#')?)).map(Some) }
}

/// The number of an array.
fn number(text: &str) -> Option<Part> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit())).map(Part::Number)
}

/// Splits the name of a member off, or the number of an array, unless there is a file of the whole name.
fn split(text: &OsStr) -> (&OsStr, Option<Part>) {
    if Path::new(text).exists() {
        return (text, None);
    }
    let is_file = |path: &OsStr| Path::new(path).is_file();
    // The first colon after the path of a file; the name of a member can have colons too.
    if let Some((path, member)) = paths::halves(text, b':').find(|(path, _)| is_file(path)) {
        return (path, Some(Part::Member(escape::path(member).into_owned())));
    }
    match paths::halves(text, b'#').last() {
        Some((path, digits)) if is_file(path) => match number(&escape::path(digits)) {
            Some(part) => (path, Some(part)),
            None => (text, None),
        },
        _ => (text, None),
    }
}

/// The format of a file that begins like this.
fn format_of(front: &[u8]) -> Result<FileFormat> {
    FileFormat::of(front).ok_or_else(|| looks::unknown_format(front))
}

fn with_member_of<T>(
    mut archive: NpzReader<ArchiveFile>,
    index: usize,
    work: impl FnOnce(Box<dyn Array + '_>) -> Result<T>,
) -> Result<T> {
    let name = archive.name(index).unwrap_or_default().to_owned();
    work(array_of(&mut archive, index)?).map_err(|failure| failure.about_member(&name))
}

fn with_file<T>(
    path: &Path,
    format: FileFormat,
    range: Option<Range<u64>>,
    work: impl FnOnce(Box<dyn Array + '_>) -> Result<T>,
) -> Result<T> {
    let open = || File::open(path).map_err(|error| Failure::Nameless(format!("cannot open the file: {error}")));
    match format {
        FileFormat::RawArray => {
            let mut file = BufReader::new(open()?);
            let header = RaHeader::read(&mut file)?;
            if header.is_compressed() {
                let values = RaArray::load(path).map_err(error_without_path)?.into_values();
                let mut bytes = Vec::new();
                values.write(&mut bytes)?;
                return work(Box::new(NpyReader::new(Cursor::new(bytes))?));
            }
            let begin = file.stream_position().map_err(|error| Failure::Nameless(format!("cannot seek in the file: {error}")))?;
            let stream = Prefixed::new(header.to_npy().to_bytes(), file, begin);
            work(Box::new(NpyReader::new(stream)?))
        }
        _ => {
            let mut file = open()?;
            if let Some(range) = range {
                let section = Section::new(file, range);
                return work(Box::new(NpyReader::new(
                    section.map_err(|error| Failure::Nameless(format!("cannot seek in the file: {error}")))?,
                )?));
            }
            // Of a file, and not of a path, so that errors do not name it twice.
            file.seek(SeekFrom::Start(0)).ok();
            work(Box::new(NpyReader::from_file(file)?))
        }
    }
}

/// The array of a member. Only one that is stored can be read again.
pub(crate) fn array_of(archive: &mut NpzReader<ArchiveFile>, index: usize) -> Result<Box<dyn Array + '_>> {
    let is_stored = archive.method(index) == Some(0);
    let reader = archive.array(index).map_err(error_without_path)?;
    Ok(if is_stored { Box::new(reader) } else { Box::new(Once(reader)) })
}

/// Whether another member of the same name follows, which is the one that NumPy reads.
pub(crate) fn is_shadowed(archive: &NpzReader<ArchiveFile>, index: usize) -> bool {
    archive.whole_name(index).and_then(|name| archive.index_of(name)) != Some(index)
}

/// What an archive has that an archive of its members would not have, in words.
pub(crate) fn beside_members(archive: &NpzReader<ArchiveFile>) -> Vec<String> {
    let mut parts = Vec::new();
    let shadowed = (0..archive.len()).filter(|index| is_shadowed(archive, *index));
    let names = shadowed.filter_map(|index| archive.whole_name(index));
    parts.extend(names.map(|name| format!("the member {name:?} before another of the same name")));
    let around = archive.surroundings();
    if !around.comment.is_empty() {
        parts.push("the comment of the archive".to_owned());
    }
    if around.before > 0 {
        parts.push(format!("{} bytes before the archive", around.before));
    }
    if around.after > 0 {
        parts.push(format!("{} bytes after the archive", around.after));
    }
    let extended: Vec<&str> =
        (0..archive.len()).filter(|index| archive.has_extra(*index)).filter_map(|index| archive.whole_name(index)).collect();
    match extended[..] {
        [] => {}
        [name] => parts.push(format!("the comment or extra fields of the member {name:?}")),
        [first, ..] => {
            parts.push(format!("the comments or extra fields of {} members, such as {first:?}", extended.len()));
        }
    }
    parts
}

/// What follows the arrays of an archive in their members, in words.
fn behind_arrays(mut archive: NpzReader<ArchiveFile>) -> Vec<String> {
    let is_array = |index: &usize| archive.whole_name(*index).is_some_and(|name| name.ends_with(".npy"));
    let arrays: Vec<usize> = (0..archive.len()).filter(is_array).collect();
    let of_member = |index: usize| {
        let (name, size) = (archive.name(index)?.to_owned(), archive.size(index)?);
        // What cannot be read is an error elsewhere.
        let reader = archive.array(index).ok().filter(|reader| !reader.header().dtype().has_object())?;
        let bytes = size.saturating_sub(reader.data_offset() + reader.header().data_bytes());
        (bytes > 0).then(|| format!("{bytes} bytes behind the array {name:?}"))
    };
    arrays.into_iter().filter_map(of_member).collect()
}

/// What follows the first array of an `.npy` file, in words.
fn behind_array(path: &Path) -> Vec<String> {
    // What cannot be read is an error elsewhere.
    let Ok(arrays) = arrays::arrays_of(path) else { return Vec::new() };
    let mut parts = match arrays.len() {
        0 | 1 => Vec::new(),
        2 => vec!["the array #1 of the file".to_owned()],
        count => vec![format!("the arrays #1 to #{} of the file", count - 1)],
    };
    let length = fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
    let end = arrays.last().map_or(0, |last| last.range.end);
    if length > end {
        parts.push(format!("{} bytes behind the array", length - end));
    }
    parts
}

/// The same error, to which the name that the user typed is added: the path can be that of a temporary file.
fn error_without_path(error: npy_core::Error) -> npy_core::Error {
    match error.member() {
        Some(member) => {
            let member = member.to_owned();
            npy_core::Error::from(error.into_kind()).with_member(member)
        }
        None => error.into_kind().into(),
    }
}
