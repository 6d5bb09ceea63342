//! Arrays that are read more than once or at random: compressed ones are decompressed once.

use std::fs::File;
use std::io::{BufReader, Cursor, Seek, SeekFrom, Write};

use npy_core::object::ObjectArray;
use npy_core::rawarray::RaHeader;
use npy_core::{FileFormat, Header, NpyReader};

use super::{Array, Input, Place, object_options};
use crate::failure::{Failure, Result};
use crate::signals;

/// The largest array that is decompressed to memory. Larger ones go to a temporary file.
const MOST_MEMORY: u64 = 256 << 20;

/// How much is copied at once.
const PIECE_BYTES: usize = 1 << 20;

/// One array of an input at a time.
pub(crate) struct Source {
    input: Input,
    index: usize,
    header: Header,
    held: Held,
}

enum Held {
    /// Read from the input itself.
    InPlace,
    Memory(Vec<u8>),
    /// Without a name, so that it is gone with the process.
    File(File),
    /// The items of an array of Python objects.
    Objects(ObjectArray),
}

impl Source {
    /// Opens the array of a member, by the index of [`Input::members`].
    pub(crate) fn open(mut input: Input, index: usize) -> Result<Self> {
        let (header, held) = hold(&mut input, index)?;
        Ok(Self { input, index, header, held })
    }

    /// Opens another member; after a failure the old one is still open.
    pub(crate) fn select(&mut self, index: usize) -> Result<()> {
        if index != self.index {
            (self.header, self.held) = hold(&mut self.input, index)?;
            self.index = index;
        }
        Ok(())
    }

    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    /// The index of the open member.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// The Python objects that the array holds, if it does.
    pub(crate) fn objects(&self) -> Option<&ObjectArray> {
        if let Held::Objects(objects) = &self.held { Some(objects) } else { None }
    }

    /// Calls `work` with the array, from its first element on.
    pub(crate) fn with<T>(&mut self, work: impl FnOnce(Box<dyn Array + '_>) -> Result<T>) -> Result<T> {
        match &mut self.held {
            Held::InPlace => self.input.with_member(self.index, work),
            Held::Memory(bytes) => work(Box::new(NpyReader::new(Cursor::new(&bytes[..]))?)),
            Held::File(file) => {
                let rewound = file.seek(SeekFrom::Start(0)).and_then(|_| file.try_clone());
                work(Box::new(NpyReader::from_file(rewound.map_err(spool_failed)?)?))
            }
            Held::Objects(_) => Err(Failure::Nameless("cannot read Python objects as bytes".to_owned())),
        }
        .map_err(|failure| failure.about(self.input.name()))
    }
}

/// Decides how an array is held, and copies it if that is necessary.
fn hold(input: &mut Input, index: usize) -> Result<(Header, Held)> {
    let is_stream = matches!(input.place, Place::Stream { .. });
    let is_compressed = match input.format() {
        FileFormat::Npz => input.archive()?.method(index) != Some(0),
        FileFormat::RawArray => is_compressed_raw(input)?,
        _ => false,
    };
    input.with_member(index, |array| {
        let header = array.header().clone();
        let held = if header.dtype().has_object() {
            Held::Objects(array.into_objects(object_options())?)
        } else if is_stream || is_compressed {
            copy(array)?
        } else {
            Held::InPlace
        };
        Ok((header, held))
    })
}

fn is_compressed_raw(input: &Input) -> Result<bool> {
    let Some(path) = input.path() else { return Ok(false) };
    let file = File::open(path).map_err(|error| Failure::new(format!("{}: cannot open the file: {error}", input.name())))?;
    Ok(RaHeader::read(BufReader::new(file)).map_err(|error| Failure::from(error).about(input.name()))?.is_compressed())
}

/// Copies an array to memory, or to a temporary file if it is large.
fn copy(mut array: Box<dyn Array + '_>) -> Result<Held> {
    let header = array.header().clone();
    let count = (PIECE_BYTES / header.dtype().itemsize().max(1)).max(1);
    let mut pieces = |write: &mut dyn FnMut(&[u8]) -> Result<()>| -> Result<()> {
        write(&header.to_bytes())?;
        // Elements without bytes are not there to be copied.
        while header.data_bytes() > 0 {
            let Some(values) = array.next_elements(count)? else { break };
            write(values.bytes())?;
            signals::check()?;
        }
        Ok(())
    };
    if header.data_bytes() <= MOST_MEMORY {
        let mut bytes = Vec::new();
        pieces(&mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        return Ok(Held::Memory(bytes));
    }
    let mut file = tempfile::tempfile().map_err(spool_failed)?;
    pieces(&mut |piece| file.write_all(piece).map_err(spool_failed))?;
    Ok(Held::File(file))
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn spool_failed(error: std::io::Error) -> Failure {
    Failure::Nameless(format!("cannot use a temporary file: {error}"))
}
