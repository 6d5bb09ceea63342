//! Files of several arrays, one behind another, as several `np.save` into one handle write them.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use npy_core::object::ObjectOptions;
use npy_core::{Header, NpyReader};

use crate::failure::{Failure, Result};

/// The magic of an array.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// An array of a file.
pub(crate) struct Found {
    pub(crate) header: Header,
    /// The range of header and data in the file, perhaps truncated.
    pub(crate) range: Range<u64>,
    /// The position of the data in the file.
    pub(crate) data_offset: u64,
}

/// The arrays of an `.npy` file, in its order, up to the first invalid header.
pub(crate) fn arrays_of(path: &Path) -> Result<Vec<Found>> {
    let failed = Failure::cannot("read the file");
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    let length = file.get_ref().metadata().map_err(failed)?.len();
    let mut arrays = vec![next(&mut file, 0, length)?];
    while let Some(begin) = arrays.last().map(|last| last.range.end).filter(|end| *end < length) {
        match next(&mut file, begin, length) {
            Ok(found) => arrays.push(found),
            Err(_) => break,
        }
    }
    Ok(arrays)
}

/// The error of an array that begins here, behind the last valid one; `None` where no array begins.
pub(crate) fn problem_at(path: &Path, begin: u64) -> Option<Failure> {
    let mut file = BufReader::new(File::open(path).ok()?);
    let length = file.get_ref().metadata().ok()?.len();
    file.seek(SeekFrom::Start(begin)).ok()?;
    if !begins_array(&mut file).ok()? {
        return None;
    }
    next(&mut file, begin, length).err().map(Failure::from)
}

/// The array that begins here.
fn next(file: &mut BufReader<File>, begin: u64, length: u64) -> npy_core::Result<Found> {
    let failed = |error| npy_core::Error::io("cannot read the file", error);
    file.seek(SeekFrom::Start(begin)).map_err(failed)?;
    let header = Header::read(&mut *file)?;
    let data_offset = file.stream_position().map_err(failed)?;
    let end = if header.dtype().has_object() {
        pickle_end(file, begin, length).map_err(failed)?
    } else {
        data_offset.saturating_add(header.data_bytes())
    };
    Ok(Found { header, range: begin..end.min(length), data_offset })
}

/// Where the pickle of an array of Python objects ends. It is parsed only where another array may follow.
fn pickle_end(file: &mut BufReader<File>, begin: u64, length: u64) -> io::Result<u64> {
    if !has_magic(file)? {
        return Ok(length);
    }
    file.seek(SeekFrom::Start(begin))?;
    // A pickle with an unknown class was read to its end too.
    let _ = NpyReader::new(&mut *file).and_then(|array| array.into_objects(ObjectOptions::new()));
    let end = file.stream_position()?;
    Ok(if begins_array(file)? { end } else { length })
}

/// Whether the next bytes are the magic of an array.
fn begins_array(file: &mut impl Read) -> io::Result<bool> {
    let mut begin = Vec::with_capacity(MAGIC.len());
    file.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    Ok(begin == MAGIC)
}

/// Whether the bytes from here on have the magic of an array anywhere.
fn has_magic(file: &mut BufReader<File>) -> io::Result<bool> {
    let mut bytes = Vec::with_capacity(1 << 16);
    loop {
        let read = (&mut *file).take(1 << 16).read_to_end(&mut bytes)?;
        let mut rest = &bytes[..];
        while let Some(at) = rest.iter().position(|byte| *byte == MAGIC[0]) {
            rest = &rest[at..];
            if rest.starts_with(MAGIC) {
                return Ok(true);
            }
            rest = &rest[1..];
        }
        if read == 0 {
            return Ok(false);
        }
        // The magic can be cut.
        bytes.drain(..bytes.len().saturating_sub(MAGIC.len() - 1));
    }
}
