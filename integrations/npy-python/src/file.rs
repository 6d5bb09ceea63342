//! Files by their path: whole arrays, columns and regions.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::thread;

use npy_core::atomic::replace_file;
use npy_core::region::{AxisRange, byte_ranges, region_shape};
use npy_core::{Error, ErrorKind, FileFormat, Header, SaveOptions};
use pyo3::prelude::*;

use crate::dtype::NewArray;
use crate::error::{raise, raise_io};
use crate::header::{Described, describe, limits, warn_of_python_2};
use crate::memory::Parts;

/// The first bytes of a file, in which most headers end, and small arrays.
const HEAD_BYTES: usize = 8 << 10;

/// Bytes read between two looks for a signal, such as `KeyboardInterrupt`.
const READ_BYTES: usize = 64 << 20;

/// Fewer bytes than these are not worth a second thread.
#[cfg(unix)]
const LEAST_FOR_THREADS: usize = 8 << 20;
/// The least bytes for one of them.
#[cfg(unix)]
const LEAST_SHARE: usize = 1 << 20;

/// The beginning of a file, read once.
struct Head {
    file: File,
    bytes: Vec<u8>,
}

impl Head {
    fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut bytes = vec![0; HEAD_BYTES];
        let mut filled = 0;
        while filled < bytes.len() {
            match file.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            // A file that is shorter has no more, and a pipe would block.
            if filled < HEAD_BYTES {
                break;
            }
        }
        bytes.truncate(filled);
        Ok(Self { file, bytes })
    }

    /// Parses the header, reading on where the head has only a part of it. Returns it with the offset of the data.
    fn header(&mut self) -> npy_core::Result<(Header, usize)> {
        loop {
            let needed = Header::bytes_needed_with(&self.bytes, limits())?;
            let missing = needed.saturating_sub(self.bytes.len());
            if missing == 0 {
                return Header::parse_with(&self.bytes, limits());
            }
            let before = self.bytes.len();
            let read = (&mut self.file).take(missing as u64).read_to_end(&mut self.bytes);
            read.map_err(|error| Error::new(ErrorKind::Io, "cannot read the header").with_source(error))?;
            if self.bytes.len() == before {
                return Header::parse_with(&self.bytes, limits());
            }
        }
    }
}

/// Loads an array by its path. The text `npz` stands for an archive, `objects` for an array of objects, and `None` for all else: a pickle,
/// an empty file.
#[pyfunction]
pub(crate) fn load_path<'py>(
    py: Python<'py>,
    path: PathBuf,
    max_header_size: usize,
    threads: usize,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let mut head = py.detach(|| Head::open(&path)).map_err(|error| raise_io(py, error, &path))?;
    match FileFormat::of(&head.bytes) {
        Some(FileFormat::Npy) => {}
        Some(FileFormat::Npz) => return Ok(Some(pyo3::intern!(py, "npz").clone().into_any())),
        _ => return Ok(None),
    }
    let fail = |error: Error| raise(py, &error.with_path(&path));
    let (header, offset) = head.header().map_err(fail)?;
    crate::header::expect_short(offset as u64, max_header_size).map_err(fail)?;
    warn_of_python_2(py, &header)?;
    if header.dtype().has_object() {
        return Ok(Some(pyo3::intern!(py, "objects").clone().into_any()));
    }
    expect_data(&head.file, &header, offset, head.bytes.len()).map_err(fail)?;
    let array = NewArray::new(py, &header)?;
    if let Some(mut memory) = array.memory(py, &header)? {
        let Head { file, bytes } = head;
        let known = bytes.get(offset..).unwrap_or_default();
        let known = &known[..known.len().min(memory.len())];
        memory.fill(|slots| slots[..known.len()].copy_from_slice(known));
        let mut done = known.len();
        while done < memory.len() {
            let end = memory.len().min(done + READ_BYTES);
            let count = py.detach(|| memory.fill(|slots| read_by_threads(&file, &mut slots[done..end], offset + done, threads)));
            let count = count.map_err(|error| raise_io(py, error, &path))?;
            if count < end - done {
                return Err(fail(truncated(&header, offset, done + count)));
            }
            done = end;
            py.check_signals()?;
        }
    }
    array.finish().map(Some)
}

/// Describes the header of a file.
#[pyfunction]
pub(crate) fn describe_path<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Described<'py>> {
    let mut head = py.detach(|| Head::open(&path)).map_err(|error| raise_io(py, error, &path))?;
    let (header, offset) = head.header().map_err(|error| raise(py, &error.with_path(&path)))?;
    describe(py, &header, offset as u64)
}

/// Reads until the slots are full or the file ends.
pub(crate) fn read_up_to(file: &mut impl Read, slots: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < slots.len() {
        match file.read(&mut slots[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// [`read_up_to`], by several threads if the file is not a pipe and the slots are many.
fn read_by_threads(mut file: &File, slots: &mut [u8], offset: usize, threads: usize) -> io::Result<usize> {
    #[cfg(unix)]
    if threads > 1 && slots.len() >= LEAST_FOR_THREADS && file.metadata()?.is_file() {
        let share = slots.len().div_ceil(threads).max(LEAST_SHARE);
        let read = |number: usize, part: &mut [u8]| read_up_to(&mut At { file, offset: (offset + number * share) as u64 }, part);
        let counts: Vec<io::Result<usize>> = thread::scope(|scope| {
            let workers: Vec<_> =
                slots.chunks_mut(share).enumerate().map(|(number, part)| scope.spawn(move || read(number, part))).collect();
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))).collect()
        });
        let mut total = 0;
        for count in counts {
            let count = count?;
            total += count;
            if count < share {
                break;
            }
        }
        file.seek(SeekFrom::Current(i64::try_from(total).unwrap_or(i64::MAX)))?;
        return Ok(total);
    }
    read_up_to(&mut file, slots)
}

/// A file read at an offset of its own.
#[cfg(unix)]
struct At<'a> {
    file: &'a File,
    offset: u64,
}

#[cfg(unix)]
impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = std::os::unix::fs::FileExt::read_at(self.file, buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

/// Fails before memory is allocated if the file is too short for the array of its header.
fn expect_data(file: &File, header: &Header, offset: usize, known: usize) -> npy_core::Result<()> {
    let end = (offset as u64).saturating_add(header.data_bytes());
    if end <= known as u64 {
        return Ok(());
    }
    let metadata = file.metadata().map_err(|error| Error::new(ErrorKind::Io, "cannot read the file").with_source(error))?;
    if metadata.is_file() && metadata.len() < end {
        let found = usize::try_from(metadata.len()).unwrap_or(usize::MAX).saturating_sub(offset);
        return Err(truncated(header, offset, found));
    }
    Ok(())
}

/// The error of a file that ends early, with NumPy's own words.
fn truncated(header: &Header, offset: usize, found: usize) -> Error {
    let (count, itemsize) = (header.element_count(), header.dtype().itemsize().max(1));
    // As NumPy has it, without a singular.
    let (shape, elements, found_elements) = (shape_text(header.shape()), "elements", found / itemsize);
    let message = format!(
        "Failed to read all data for array. Expected {shape} = {count} {elements}, could only read {found_elements} {elements}. (file \
         seems not fully written?)"
    );
    Error::new(ErrorKind::Truncated, message).at_byte((offset + found) as u64)
}

/// The shape as Python prints it.
fn shape_text(shape: &[usize]) -> String {
    match shape {
        [length] => format!("({length},)"),
        lengths => format!("({})", lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Ranges of axes as Python resolves slices: start, count and step.
type Slice = (usize, usize, usize);

/// Reads the elements of a file in ranges of its axes, without those between them. Axes that are not named are whole.
#[pyfunction]
pub(crate) fn read_region<'py>(py: Python<'py>, path: PathBuf, slices: Vec<Slice>) -> PyResult<Bound<'py, PyAny>> {
    let mut head = py.detach(|| Head::open(&path)).map_err(|error| raise_io(py, error, &path))?;
    let fail = |error: Error| raise(py, &error.with_path(&path));
    let (header, offset) = head.header().map_err(fail)?;
    if header.dtype().has_object() {
        return Err(fail(Error::new(
            ErrorKind::ObjectArray,
            "expected an array without Python objects, whose pickle has no ranges",
        )));
    }
    let mut region: Vec<AxisRange> = slices.iter().map(|(start, count, step)| range_of(*start, *count, *step)).collect();
    region.extend(header.shape().iter().skip(region.len()).map(|_| AxisRange::from(..)));
    let part = region_shape(&header, &region).and_then(|shape| header.with_shape(&shape)).map_err(fail)?;
    expect_data(&head.file, &header, offset, head.bytes.len()).map_err(fail)?;
    let ranges = byte_ranges(&header, &region).map_err(fail)?;
    let array = NewArray::new(py, &part)?;
    if let Some(mut memory) = array.memory(py, &part)? {
        let mut file = BufReader::with_capacity(64 << 10, head.file);
        let mut at = py.detach(|| file.seek(SeekFrom::Start(offset as u64))).map_err(|error| raise_io(py, error, &path))?;
        // No range is longer than what is read between two looks for a signal.
        let most = READ_BYTES as u64;
        let mut ranges = ranges.flat_map(|range| {
            (range.start..range.end).step_by(READ_BYTES).map(move |start| start..range.end.min(start.saturating_add(most)))
        });
        let mut done = 0;
        while done < memory.len() {
            let read = py.detach(|| {
                memory.fill(|slots| {
                    let begin = done;
                    while done < slots.len() && done - begin < READ_BYTES {
                        let range = ranges.next().ok_or(io::ErrorKind::InvalidData)?;
                        let from = range.start + offset as u64;
                        file.seek_relative(i64::try_from(from - at).unwrap_or(i64::MAX))?;
                        let length = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
                        let own = slots.get_mut(done..done.saturating_add(length)).ok_or(io::ErrorKind::InvalidData)?;
                        file.read_exact(own)?;
                        (done, at) = (done + length, from + length as u64);
                    }
                    Ok(())
                })
            });
            read.map_err(|error| raise_io(py, error, &path))?;
            py.check_signals()?;
        }
    }
    array.finish()
}

fn range_of(start: usize, count: usize, step: usize) -> AxisRange {
    let end = if count == 0 { start } else { start.saturating_add((count - 1).saturating_mul(step)).saturating_add(1) };
    AxisRange::from(start..end).step_by(step)
}

/// Saves a header and the memory of an array, or parts of it, as a file. The options are `durable` and `in_place`.
#[pyfunction]
pub(crate) fn save_path(
    py: Python<'_>,
    path: PathBuf,
    header: &[u8],
    parts: &Bound<'_, PyAny>,
    options: (bool, bool),
) -> PyResult<()> {
    let (durable, in_place) = options;
    let mut parts = Parts::new(parts)?;
    let header = header.to_vec();
    py.detach(|| {
        replace_file(&path, SaveOptions::new().durable(durable).in_place(in_place), |output| {
            parts.write_file(&header, output).map_err(|error| Error::new(ErrorKind::Io, "cannot write the file").with_source(error))
        })
    })
    .map_err(|error: Error| raise(py, &error))
}
