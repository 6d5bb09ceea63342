//! Arrays that are read more than once or at random: compressed ones are decompressed once.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::rc::Rc;

use npy_core::object::ObjectArray;
use npy_core::rawarray::RaHeader;
use npy_core::{FileFormat, Header, NpyReader};
use tempfile::SpooledTempFile;

use super::array::{Array, MOST_MEMORY, not_spooled, object_options, write_elements};
use super::file::Input;
use super::stream::Prefixed;
use crate::failure::{Failure, Result};
use crate::values::quantity::{self, counted};

/// One array of an input at a time.
pub(crate) struct Source {
    input: Input,
    index: usize,
    header: Header,
    held: Held,
    /// Whether others are open too: files are closed after each use.
    is_among_others: bool,
}

enum Held {
    /// Read from the input itself.
    InPlace,
    /// Among copies, and the position of its first element.
    Copy(Copies, u64),
    /// The items of an array of Python objects.
    Objects(ObjectArray),
}

/// The elements of arrays one behind another: in memory, or in a file without a name, so that it is gone with the process.
#[derive(Clone)]
pub(crate) struct Copies(Rc<RefCell<SpooledTempFile>>);

impl Copies {
    pub(crate) fn new() -> Self {
        Self(Rc::new(RefCell::new(SpooledTempFile::new(MOST_MEMORY))))
    }

    /// Appends an array, and returns the position of its first element.
    fn add(&self, array: &mut dyn Array) -> Result<u64> {
        let mut file = self.0.borrow_mut();
        let begin = file.seek(SeekFrom::End(0)).map_err(|error| not_spooled(&error))?;
        write_elements(array, &mut *file)?;
        Ok(begin)
    }
}

impl Source {
    /// Opens the array of a member, by the index of [`Input::members`].
    pub(crate) fn open(mut input: Input, index: usize) -> Result<Self> {
        let (header, held) = hold(&mut input, index, &Copies::new(), false)?;
        Ok(Self { input, index, header, held, is_among_others: false })
    }

    /// Opens one of many arrays, which may be more than a process can have files open: copies are in one, and others are closed.
    pub(crate) fn open_among(mut input: Input, index: usize, copies: &Copies) -> Result<Self> {
        let is_spooled = input.is_spooled();
        let (header, held) = hold(&mut input, index, copies, is_spooled)?;
        match held {
            Held::InPlace => input.close_archive(),
            _ => input.close(),
        }
        Ok(Self { input, index, header, held, is_among_others: true })
    }

    /// Opens another member; after a failure the old one is still open.
    #[cfg(feature = "view")]
    pub(crate) fn select(&mut self, index: usize) -> Result<()> {
        if index != self.index {
            (self.header, self.held) = hold(&mut self.input, index, &Copies::new(), false)?;
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
        match &self.held {
            Held::InPlace => {
                let result = self.input.with_member(self.index, |array| {
                    expect_same(&self.header, array.header())?;
                    work(array)
                });
                if self.is_among_others {
                    self.input.close_archive();
                }
                result
            }
            Held::Copy(Copies(file), begin) => {
                let mut file = file.borrow_mut();
                let failed = |error| Failure::Nameless(format!("cannot use a temporary file: {error}"));
                file.seek(SeekFrom::Start(*begin)).map_err(failed)?;
                work(Box::new(NpyReader::new(Prefixed::new(self.header.to_bytes(), &mut *file, *begin))?))
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

/// Decides how an array is held, and copies it if that is necessary, or wanted.
fn hold(input: &mut Input, index: usize, copies: &Copies, is_copied: bool) -> Result<(Header, Held)> {
    // Each read would decompress it.
    let is_copied = is_copied || input.format() == FileFormat::RawArray && is_compressed_raw(input)?;
    input.with_member(index, |mut array| {
        let header = array.header().clone();
        let held = if header.dtype().has_object() {
            Held::Objects(array.into_objects(object_options())?)
        } else if !array.can_go_back() || is_copied {
            Held::Copy(copies.clone(), copies.add(&mut *array)?)
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
