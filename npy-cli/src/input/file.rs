//! Opens files, members and streams, and gives their arrays to commands.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use npy_core::npz::{ArchiveFile, NpzReader};
use npy_core::rawarray::{RaArray, RaHeader};
use npy_core::{FileFormat, Header, NpyReader};

use super::array::{Array, Once, in_memory};
use super::arrays::{self, Found};
use super::kept::{Extent, Keep, Kept, Stored};
use super::members::{array_of, error_without_path, expected_one, members_named};
use super::part::{Below, Part};
use super::paths;
use super::stream::{Forward, Prefixed, Recorder, Spool};
use crate::failure::{Failure, Result};
use crate::output;

/// A file, a member of an archive, or standard input.
pub(crate) struct Input {
    /// The argument of the user, as text.
    pub(super) name: String,
    pub(super) backing: Backing,
    pub(super) format: FileFormat,
    pub(super) part: Option<Part>,
    /// Where the array of [`Part::Number`] is in the file.
    pub(super) range: Option<Range<u64>>,
    /// The archive that the file is, from its first use on: its central directory is read once.
    archive: OnceCell<NpzReader<ArchiveFile>>,
    /// The number of values that the conversion from another format changed.
    pub(crate) changed: u64,
    /// The rows that are read of each array, or all.
    keep: Option<Arc<dyn Keep>>,
    /// Those of the array that was read last, by its index.
    kept: Option<(usize, Kept)>,
    /// Of a part that a path selected, its origin.
    pub(super) below: Option<Below>,
}

/// What holds the bytes of an input.
pub(super) enum Backing {
    Path(PathBuf),
    /// An `.npy` stream, of standard input or a pipe, and its first bytes. `None` once it was read.
    Stream {
        front: Vec<u8>,
        rest: Option<Box<dyn Read + Send>>,
    },
    /// A stream whose format cannot be read as a stream.
    Spool(Spool),
}

impl Input {
    pub(super) fn new(name: &str, backing: Backing, format: FileFormat) -> Self {
        let (name, archive) = (name.to_owned(), OnceCell::new());
        Self { name, backing, format, part: None, range: None, archive, changed: 0, keep: None, kept: None, below: None }
    }

    /// Whether the input is an `.npy` stream, which is read once.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.backing, Backing::Stream { .. })
    }

    /// Whether the input is in a temporary file.
    pub(crate) fn is_spooled(&self) -> bool {
        matches!(self.backing, Backing::Spool(_))
    }

    /// The arrays of an `.npy` file, one behind another.
    pub(crate) fn arrays(&self) -> Result<Vec<Found>> {
        let path = self.path().ok_or_else(|| Failure::new(format!("{}: expected a file", self.name)))?;
        arrays::arrays_of(path).map_err(|failure| self.name_of(failure))
    }

    /// Says on standard error that an `.npy` file has further arrays, where a command takes the first.
    pub(crate) fn tell_of_further(&self) {
        let is_whole = self.format == FileFormat::Npy && self.part.is_none();
        let arrays = self.path().filter(|_| is_whole).and_then(|path| arrays::arrays_of(path).ok());
        if let Some(count @ 2..) = arrays.map(|arrays| arrays.len()) {
            output::warn(&format!("{name}: the first of {count} arrays; the next is {name}#1", name = self.name));
        }
    }

    /// Calls `work` with one of the [`arrays`](Self::arrays).
    pub(crate) fn with_found<T>(&self, found: &Found, work: impl FnOnce(Box<dyn Array + '_>) -> Result<T>) -> Result<T> {
        let path = self.path().ok_or_else(|| Failure::new(format!("{}: expected a file", self.name)))?;
        let Some(keep) = &self.keep else {
            return with_file(path, self.format, Some(found.range.clone()), work).map_err(|failure| self.name_of(failure));
        };
        let extent = Extent { path: path.into(), begin: found.range.start };
        let available = Some(found.range.end - found.range.start);
        let kept = with_file(path, self.format, Some(found.range.clone()), |array| kept(&**keep, array, Some(extent), available));
        kept.and_then(|kept| work(kept.array()?)).map_err(|failure| self.name_of(failure))
    }

    /// One of the [`arrays`](Self::arrays) of the file, as an input of its own. It does not keep a temporary file.
    pub(crate) fn numbered(&self, number: usize, found: &Found) -> Result<Self> {
        let path = self.path().ok_or_else(|| Failure::new(format!("{}: expected a file", self.name)))?;
        let mut input = Self::new(&format!("{}#{number}", self.name), Backing::Path(path.into()), self.format);
        (input.part, input.range) = (Some(Part::Number(number)), Some(found.range.clone()));
        input.keep.clone_from(&self.keep);
        Ok(input)
    }

    /// Calls `work` with each array of an `.npy` stream, as long as it reads them to their ends. Returns the bytes behind the last.
    pub(crate) fn for_each_in_stream(&mut self, mut work: impl FnMut(Box<dyn Array + '_>) -> Result<()>) -> Result<u64> {
        let Backing::Stream { front, rest: Some(rest) } = &mut self.backing else {
            return Err(Failure::Nameless("the stream can be read once only".to_owned()));
        };
        let mut stream = BufReader::new(Cursor::new(std::mem::take(front)).chain(rest));
        let failed = Failure::cannot("read the stream");
        let mut begin = Vec::new();
        loop {
            let next = Cursor::new(std::mem::take(&mut begin)).chain(&mut stream);
            work(Box::new(Once(NpyReader::new(Forward::new(next))?)))?;
            (&mut stream).take(arrays::MAGIC.len() as u64).read_to_end(&mut begin).map_err(failed)?;
            if begin != arrays::MAGIC {
                return Ok(begin.len() as u64 + io::copy(&mut stream, &mut io::sink()).map_err(failed)?);
            }
        }
    }

    /// The argument of the user, for messages and titles; with the number of an array, if one is selected.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The format of the file.
    pub(crate) fn format(&self) -> FileFormat {
        self.format
    }

    /// The path of the file, also of one that holds standard input; `None` for a stream.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.backing {
            Backing::Path(path) => Some(path),
            Backing::Spool(spool) => Some(spool.path()),
            Backing::Stream { .. } => None,
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

    /// Closes all files for good, and removes a temporary one. The name stays.
    pub(super) fn close(&mut self) {
        self.close_archive();
        self.backing = Backing::Stream { front: Vec::new(), rest: None };
    }

    /// The indices of the members to work on: the selected one, those that match a selected pattern, or all that are arrays. Any other
    /// format counts as one member without a name.
    pub(crate) fn members(&self) -> Result<Vec<(usize, Option<String>)>> {
        if self.format != FileFormat::Npz {
            return Ok(vec![(0, None)]);
        }
        let archive = self.archive()?;
        let indices = match self.selected() {
            Some(member) => members_named(&archive, member).map_err(|failure| self.name_of(failure))?,
            None => (0..archive.len()).collect(),
        };
        let is_one = self.selected().is_some() && indices.len() == 1;
        let indices = indices.into_iter().filter(|index| is_one || archive.is_array(*index));
        Ok(indices.map(|index| (index, archive.name(index).map(str::to_owned))).collect())
    }

    /// Whether it stands for arrays of an archive by their names: for all, or for those that match a pattern.
    pub(crate) fn has_members(&self) -> Result<bool> {
        Ok(match self.selected() {
            _ if self.format != FileFormat::Npz => false,
            Some(member) => paths::pattern(member).is_some() && self.archive()?.index_of(member).is_none(),
            None => true,
        })
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
            _ => Err(expected_one(&self.name, members.iter().map(|(_, name)| name.as_deref().unwrap_or_default()))),
        }
    }

    /// The header of a member, by the index of [`members`](Self::members). The array can still be read.
    pub(crate) fn header(&mut self, index: usize) -> Result<Header> {
        let (None, Backing::Stream { front, rest: Some(rest) }) = (&self.keep, &mut self.backing) else {
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

    /// Leaves the other rows out of all arrays.
    pub(crate) fn keep(&mut self, rows: Option<&Arc<dyn Keep>>) {
        (self.keep, self.kept) = (rows.map(Arc::clone), None);
    }

    /// Calls `work` with the array of a member, by the index of [`members`](Self::members).
    pub(crate) fn with_member<T>(&mut self, index: usize, work: impl FnOnce(Box<dyn Array + '_>) -> Result<T>) -> Result<T> {
        match self.keep.clone() {
            Some(keep) => self.with_kept(&*keep, index, |kept| work(kept.array()?)),
            None => self.with_whole(index, work),
        }
    }

    /// Calls `work` with the array of a member, and with where its elements are, if threads can read them side by side.
    pub(crate) fn with_stored<T>(
        &mut self,
        index: usize,
        work: impl FnOnce(Box<dyn Array + '_>, Option<Stored>) -> Result<T>,
    ) -> Result<T> {
        if let Some(keep) = self.keep.clone() {
            return self.with_kept(&*keep, index, |kept| work(kept.array()?, Some(kept.stored())));
        }
        let (extent, available) = (self.extent(index)?, self.available(index)?);
        self.with_whole(index, |array| {
            let stored = Stored::new(extent, available, &*array)?;
            work(array, stored)
        })
    }

    /// Calls `work` with the rows that are kept of a member.
    fn with_kept<T>(&mut self, keep: &dyn Keep, index: usize, work: impl FnOnce(&Kept) -> Result<T>) -> Result<T> {
        let known = self.kept.take().filter(|(known, _)| *known == index);
        let kept = match known {
            Some((_, kept)) => kept,
            None => {
                let (extent, available) = (self.extent_of_whole(index)?, self.available(index)?);
                self.with_whole(index, |array| kept(keep, array, extent, available))?
            }
        };
        let result = work(&kept).map_err(|failure| match self.member_name(index) {
            Some(name) => self.name_of(failure.about_member(&name)),
            None => self.name_of(failure),
        });
        self.kept = Some((index, kept));
        result
    }

    /// The name of a member of an archive, for messages.
    fn member_name(&self, index: usize) -> Option<String> {
        if self.format != FileFormat::Npz {
            return None;
        }
        self.archive().ok()?.name(index).map(str::to_owned)
    }

    fn with_whole<T>(&mut self, index: usize, work: impl FnOnce(Box<dyn Array + '_>) -> Result<T>) -> Result<T> {
        let result = match (&mut self.backing, self.format) {
            (Backing::Stream { front, rest }, _) => match rest.take() {
                None => Err(Failure::Nameless("the stream can be read once only".to_owned())),
                Some(rest) => {
                    let stream = Cursor::new(std::mem::take(front)).chain(rest);
                    NpyReader::new(Forward::new(stream)).map_err(Failure::from).and_then(|reader| work(Box::new(Once(reader))))
                }
            },
            (_, FileFormat::Npz) => self.archive().and_then(|archive| with_member_of(archive, index, work)),
            (Backing::Path(path), format) => with_file(path, format, self.range.clone(), work),
            (Backing::Spool(spool), format) => with_file(spool.path(), format, self.range.clone(), work),
        };
        result.map_err(|failure| self.name_of(failure))
    }

    /// Where the array is in a file, if its bytes are there as they are: not of a compressed member, a stream, or an
    /// `.ra` file, nor where rows are left out.
    pub(crate) fn extent(&self, index: usize) -> Result<Option<Extent>> {
        if self.keep.is_some() { Ok(None) } else { self.extent_of_whole(index) }
    }

    fn extent_of_whole(&self, index: usize) -> Result<Option<Extent>> {
        let Some(path) = self.path() else { return Ok(None) };
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
        Ok(Some(Extent { path: path.into(), begin }))
    }

    /// The bytes of the file that can belong to the array, its header included; `None` of a stream.
    pub(crate) fn available(&self, index: usize) -> Result<Option<u64>> {
        match self.format {
            FileFormat::Npz => Ok(self.archive()?.size(index)),
            _ => Ok(self.bounds().map(|bounds| bounds.end - bounds.start)),
        }
    }

    fn name_of(&self, failure: Failure) -> Failure {
        failure.about(&self.name)
    }
}

/// The rows that are kept of an array at an extent.
fn kept(keep: &dyn Keep, mut array: Box<dyn Array + '_>, extent: Option<Extent>, available: Option<u64>) -> Result<Kept> {
    let stored = Stored::new(extent, available, &*array)?;
    keep.rows(&mut *array, stored.as_ref())
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
    let cannot_seek = Failure::cannot("seek in the file");
    let open = || File::open(path).map_err(Failure::cannot("open the file"));
    match format {
        FileFormat::RawArray => {
            let mut file = BufReader::new(open()?);
            let header = RaHeader::read(&mut file)?;
            if header.is_compressed() {
                return work(Box::new(in_memory(RaArray::load(path).map_err(error_without_path)?.values())?));
            }
            let begin = file.stream_position().map_err(cannot_seek)?;
            let stream = Prefixed::new(header.to_npy().to_bytes(), file, begin);
            work(Box::new(NpyReader::new(stream)?))
        }
        _ => {
            let mut file = open()?;
            if let Some(range) = range {
                let section = Prefixed::section(BufReader::new(file), range).map_err(cannot_seek)?;
                return work(Box::new(NpyReader::new(section)?));
            }
            // Of a file, and not of a path, so that errors do not name it twice.
            file.seek(SeekFrom::Start(0)).ok();
            work(Box::new(NpyReader::from_file(file)?))
        }
    }
}
