//! One array of an input: what commands read, whether it comes once or can be read again.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

use npy_core::object::{ObjectArray, ObjectOptions, UnknownGlobals};
use npy_core::region::AxisRange;
use npy_core::{DynValues, Header, NpyReader};

use crate::failure::{Failure, Result};
use crate::signals;

/// One array, wherever it is.
pub(crate) trait Array {
    /// Dtype, order, shape and version.
    fn header(&self) -> &Header;
    /// The position of the data, counted from the beginning of the `.npy` header.
    fn data_offset(&self) -> u64;
    /// See [`NpyReader::next_elements`].
    fn next_elements(&mut self, count: usize) -> Result<Option<DynValues>>;
    /// See [`NpyReader::read_region_values`].
    fn read_region(&mut self, region: &[AxisRange]) -> Result<DynValues>;
    /// The elements of a region at both ends of each axis that has edges.
    fn read_corners(&mut self, region: &[AxisRange], edges: &[Option<usize>]) -> Result<DynValues>;
    /// The array as Python objects, of which nothing is run.
    fn into_objects(self: Box<Self>, options: ObjectOptions) -> npy_core::Result<ObjectArray>;
    /// Writes the bytes behind the header as they are: a pickle, and what follows it.
    fn copy_content(self: Box<Self>, out: &mut dyn Write) -> Result<()>;
    /// Whether reading can go back: not in a stream or a compressed member.
    fn can_go_back(&self) -> bool;
}

impl<R: Read + Seek> Array for NpyReader<R> {
    fn header(&self) -> &Header {
        self.header()
    }

    fn data_offset(&self) -> u64 {
        self.data_offset()
    }

    fn next_elements(&mut self, count: usize) -> Result<Option<DynValues>> {
        // The usual step of long work.
        signals::check()?;
        Ok(self.next_elements(count)?)
    }

    fn read_region(&mut self, region: &[AxisRange]) -> Result<DynValues> {
        signals::check()?;
        Ok(self.read_region_values(region)?)
    }

    fn read_corners(&mut self, region: &[AxisRange], edges: &[Option<usize>]) -> Result<DynValues> {
        Ok(self.read_corners(region, edges)?)
    }

    fn into_objects(self: Box<Self>, options: ObjectOptions) -> npy_core::Result<ObjectArray> {
        (*self).into_objects(options)
    }

    fn copy_content(self: Box<Self>, out: &mut dyn Write) -> Result<()> {
        let mut content = (*self).into_inner();
        let mut buffer = vec![0; SPOOL_BYTES];
        loop {
            signals::check()?;
            let failed = |error: io::Error| Failure::Nameless(format!("cannot read the pickle: {error}"));
            match content.read(&mut buffer).map_err(failed)? {
                0 => return Ok(()),
                read => out.write_all(&buffer[..read])?,
            }
        }
    }

    fn can_go_back(&self) -> bool {
        true
    }
}

/// How pickles are read: an object of an unknown class is kept with its name.
pub(crate) fn object_options() -> ObjectOptions {
    ObjectOptions::new().unknown_globals(UnknownGlobals::Opaque)
}

/// An array whose bytes come once, one after another.
pub(super) struct Once<A>(pub(super) A);

impl<A: Array> Array for Once<A> {
    fn header(&self) -> &Header {
        self.0.header()
    }

    fn data_offset(&self) -> u64 {
        self.0.data_offset()
    }

    fn next_elements(&mut self, count: usize) -> Result<Option<DynValues>> {
        self.0.next_elements(count)
    }

    fn read_region(&mut self, region: &[AxisRange]) -> Result<DynValues> {
        self.0.read_region(region)
    }

    fn read_corners(&mut self, region: &[AxisRange], edges: &[Option<usize>]) -> Result<DynValues> {
        self.0.read_corners(region, edges)
    }

    fn into_objects(self: Box<Self>, options: ObjectOptions) -> npy_core::Result<ObjectArray> {
        Box::new(self.0).into_objects(options)
    }

    fn copy_content(self: Box<Self>, out: &mut dyn Write) -> Result<()> {
        Box::new(self.0).copy_content(out)
    }

    fn can_go_back(&self) -> bool {
        false
    }
}

/// The same array in a temporary file, in which reading can go back.
///
/// It takes the bytes that come, and never more than the header says.
pub(crate) fn spooled(array: &mut dyn Array) -> Result<Box<dyn Array>> {
    let header = array.header().clone();
    spool(&header, |file| {
        let count = (SPOOL_BYTES / header.dtype().itemsize().max(1)).max(1);
        while header.dtype().itemsize() > 0 {
            let Some(values) = array.next_elements(count)? else { break };
            file.write_all(values.bytes()).map_err(|error| not_spooled(&error))?;
        }
        Ok(())
    })
}

/// An array in a temporary file, of which `write` writes the elements.
pub(crate) fn spool(header: &Header, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<Box<dyn Array>> {
    let failed = |error: io::Error| not_spooled(&error);
    // It has no name, so that nothing remains of it.
    let mut file = BufWriter::new(tempfile::tempfile().map_err(failed)?);
    file.write_all(&header.to_bytes()).map_err(failed)?;
    write(&mut file)?;
    let mut file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    Ok(Box::new(NpyReader::from_file(file)?))
}

/// The failure of a temporary file.
pub(crate) fn not_spooled(error: &io::Error) -> Failure {
    Failure::Nameless(format!("cannot write a temporary file: {error}"))
}

/// How many bytes are copied at once.
const SPOOL_BYTES: usize = 1 << 20;
