//! Arrays that are read more than once or at random: compressed ones are decompressed once.

use std::fs::File;
use std::io::{BufReader, Seek, Write};

use npy_core::object::ObjectArray;
use npy_core::rawarray::RaHeader;
use npy_core::{FileFormat, Header, NpyReader};
use tempfile::SpooledTempFile;

use super::array::{Array, MOST_MEMORY, not_spooled, object_options, write_elements};
use super::file::Input;
use crate::failure::{Failure, Result};
use crate::values::quantity::{self, counted};

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
    /// In memory, or in a file without a name, so that it is gone with the process.
    Copy(SpooledTempFile),
    /// The items of an array of Python objects.
    Objects(ObjectArray),
}

impl Source {
    /// Opens the array of a member, by the index of [`Input::members`].
    pub(crate) fn open(input: Input, index: usize) -> Result<Self> {
        Self::open_within(input, index, MOST_MEMORY)
    }

    /// Opens an array, of which a copy larger than this many bytes goes to a temporary file.
    pub(crate) fn open_within(mut input: Input, index: usize, memory: usize) -> Result<Self> {
        let (header, held) = hold(&mut input, index, memory)?;
        Ok(Self { input, index, header, held })
    }

    /// Opens another member; after a failure the old one is still open.
    #[cfg(feature = "view")]
    pub(crate) fn select(&mut self, index: usize) -> Result<()> {
        if index != self.index {
            (self.header, self.held) = hold(&mut self.input, index, MOST_MEMORY)?;
            self.index = index;
        }
        Ok(())
    }

    #[cfg(feature = "view")]
    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// The Python objects that the array holds, if it does.
    #[cfg(feature = "view")]
    pub(crate) fn objects(&self) -> Option<&ObjectArray> {
        if let Held::Objects(objects) = &self.held { Some(objects) } else { None }
    }

    /// Calls `work` with the array, from its first element on.
    pub(crate) fn with<T>(&mut self, work: impl FnOnce(Box<dyn Array + '_>) -> Result<T>) -> Result<T> {
        match &mut self.held {
            Held::InPlace => self.input.with_member(self.index, |array| {
                expect_same(&self.header, array.header())?;
                work(array)
            }),
            Held::Copy(file) => {
                file.rewind().map_err(|error| Failure::Nameless(format!("cannot use a temporary file: {error}")))?;
                work(Box::new(NpyReader::new(file)?))
            }
            Held::Objects(objects) => {
                let count = counted(objects.items().len() as u64, "Python object");
                Err(Failure::Nameless(format!("cannot read {count} as bytes")))
            }
        }
        .map_err(|failure| failure.about(self.input.name()))
    }
}

/// Fails if a file was written with another array meanwhile. It may have more rows.
pub(crate) fn expect_same(before: &Header, now: &Header) -> Result<()> {
    let is_same = before.dtype() == now.dtype() && before.shape().len() == now.shape().len();
    let mut lengths = before.shape().iter().zip(now.shape());
    let has_rows = lengths.next().is_none_or(|(before, now)| before <= now);
    if is_same && has_rows && lengths.all(|(before, now)| before == now) {
        return Ok(());
    }
    let [before, now] = [before, now].map(|header| format!("{} {}", header.dtype(), quantity::shape(header.shape())));
    Err(Failure::Nameless(format!("the file changed: expected {before}, found {now}")))
}

/// Decides how an array is held, and copies it if that is necessary.
fn hold(input: &mut Input, index: usize, memory: usize) -> Result<(Header, Held)> {
    // Each read would decompress it.
    let is_compressed = input.format() == FileFormat::RawArray && is_compressed_raw(input)?;
    input.with_member(index, |array| {
        let header = array.header().clone();
        let held = if header.dtype().has_object() {
            Held::Objects(array.into_objects(object_options())?)
        } else if !array.can_go_back() || is_compressed {
            copy(array, memory)?
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

/// Copies an array to memory, or to a temporary file if it is larger.
fn copy(mut array: Box<dyn Array + '_>, memory: usize) -> Result<Held> {
    let mut file = SpooledTempFile::new(memory);
    file.write_all(&array.header().to_bytes()).map_err(|error| not_spooled(&error))?;
    write_elements(&mut *array, &mut file)?;
    Ok(Held::Copy(file))
}
