//! An input with its arrays, and the file that it is in.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use npy_core::object::ObjectArray;
use npy_core::{Header, Order};

use super::compressed::{decompressed, inner};
use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::pieces::{self, Sink};
use crate::input::{Array, Extent, Spool, not_spooled, object_options, spool};
use crate::signals::{self, Checked};

/// An array of an input.
#[derive(Clone)]
pub(crate) struct Item {
    /// Of the member, of the tensor, or of the file without its extension.
    pub(crate) name: String,
    /// The argument of the user, for messages.
    pub(crate) input: String,
    pub(crate) header: Header,
    /// The parts of the file that no format keeps, in words: the first item has them.
    pub(crate) losses: Vec<String>,
    /// The values that stand for others, in words, for commands that look at them.
    pub(crate) notes: Vec<String>,
}

/// An input with its arrays.
pub(crate) trait Source {
    fn items(&self) -> &[Item];

    /// Calls `sink` with the elements of an array in C order.
    fn rows(&mut self, index: usize, sink: Sink<'_>) -> Result<()>;

    /// Calls `sink` with the elements of an array in this order.
    fn read(&mut self, index: usize, order: Order, sink: Sink<'_>) -> Result<()> {
        if order == Order::C || Order::are_same(header_of(self.items(), index)?.shape()) {
            return self.rows(index, sink);
        }
        self.with_array(index, &mut |mut array| pieces::for_each(&mut *array, order, sink))
    }

    /// Calls `work` with an array: the one in the file, or a temporary copy.
    fn with_array(&mut self, index: usize, work: &mut dyn FnMut(Box<dyn Array + '_>) -> Result<()>) -> Result<()> {
        let header = header_of(self.items(), index)?.clone();
        work(spool(&header, |file| {
            self.rows(index, &mut |values| {
                signals::check()?;
                file.write_all(values.bytes()).map_err(|error| not_spooled(&error))
            })
        })?)
    }

    /// Where the bytes of an array are in a file, if they are there as they are; and how many of them belong to it.
    fn extent(&mut self, _index: usize) -> Result<Option<(Extent, Option<u64>)>> {
        Ok(None)
    }

    /// Reads an array of Python objects.
    fn objects(&mut self, index: usize) -> Result<ObjectArray> {
        let mut objects = None;
        self.with_array(index, &mut |array| {
            objects = Some(array.into_objects(object_options())?);
            Ok(())
        })?;
        objects.ok_or_else(|| Failure::new("the objects were not read"))
    }
}

fn header_of(items: &[Item], index: usize) -> Result<&Header> {
    items.get(index).map(|item| &item.header).ok_or_else(|| Failure::new("expected an array, found none"))
}

/// A file that is read twice; standard input or a pipe in a temporary one.
pub(super) struct FileOrSpool {
    path: PathBuf,
    /// The argument of the user, for messages.
    input: String,
    /// The name of an array that the file is.
    stem: String,
    _spool: Option<Spool>,
}

impl FileOrSpool {
    fn open(path: &OsStr, mut stream: Option<Spool>) -> Result<Self> {
        let (stem, input) = (stem_of(path), escape::path(path).into_owned());
        let is_stream = path == "-" || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        if is_stream && stream.is_none() {
            let failed = |error: io::Error| Failure::new(format!("{input}: cannot read the stream: {error}"));
            let mut bytes: Box<dyn Read> =
                if path == "-" { Box::new(io::stdin()) } else { Box::new(File::open(path).map_err(failed)?) };
            stream = Some(Spool::of(&mut *bytes, &input)?);
        }
        let spool = decompressed(stream.as_ref().map_or(Path::new(path), Spool::path))?.or(stream);
        let path = spool.as_ref().map_or_else(|| path.into(), |spool| spool.path().to_owned());
        Ok(Self { path, input, stem, _spool: spool })
    }

    /// Where it is.
    #[cfg(feature = "arrow")]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The array that the file is.
    pub(super) fn item(&self, header: Header, losses: Vec<String>) -> Item {
        Item { name: self.stem.clone(), input: self.input.clone(), header, losses, notes: Vec::new() }
    }

    /// Opens it once more, from the beginning.
    pub(super) fn file(&self) -> Result<File> {
        File::open(&self.path).map_err(Failure::cannot("open the file"))
    }

    /// Opens it for a reader of text, which a signal ends.
    pub(super) fn text(&self) -> Result<Checked<File>> {
        self.file().map(Checked)
    }
}

/// Opens the only array of a file, or of a stream in a temporary file.
pub(super) fn open_only<S: Source + 'static>(
    path: &OsStr,
    stream: Option<Spool>,
    open: impl FnOnce(FileOrSpool) -> Result<S>,
) -> Result<Vec<Box<dyn Source>>> {
    let source = FileOrSpool::open(path, stream).and_then(open).map_err(|failure| failure.about(&escape::path(path)))?;
    Ok(vec![Box::new(source)])
}

/// The name of the array of a file: the file name without its extension.
pub(crate) fn stem_of(path: impl AsRef<OsStr>) -> String {
    let path = path.as_ref();
    inner(Path::new(path)).file_stem().filter(|_| path != "-").map_or_else(|| "arr_0".to_owned(), member_name)
}

/// The name of a file as that of a member. Bytes that are not UTF-8 are written as in `caf%E9`: a backslash would be a separator.
pub(super) fn member_name(file: &OsStr) -> String {
    let mut name = String::new();
    for chunk in file.as_encoded_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(name, "%{byte:02X}");
        }
    }
    name
}
