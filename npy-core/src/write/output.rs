//! Streams that arrays are written to, and vectored writes.

use std::fs::File;
use std::io::{self, IoSlice, Write};

use crate::error::Error;
use crate::sys::disk::write_back;

/// The size of the pieces that are written to the disk while the next is copied: large enough to
/// keep a disk busy, small enough to leave little at the end. Of 1, 4 and 16 MiB, 4 took the least
/// time for files of 64 MiB and of 512 MiB.
pub(super) const PIECE: u64 = 4 << 20;

/// Elements of at most this size are written with one call, together with their header.
pub(crate) const SMALL_BYTES: usize = 16 << 10;

/// Up to this size, a header and its elements are written with one call: the file system uses
/// larger pages for them. On ext4, files of 1 MiB took 0.93 of the time, of 2 MB 0.98 to 0.99, and
/// of 4 MB 1.03. On tmpfs there is no difference.
const MOST_TOGETHER: u64 = 2 << 20;

/// The end of the pieces that are being written to the disk.
#[derive(Debug, Default)]
pub(crate) struct WriteBack {
    begun: u64,
}

impl WriteBack {
    /// Of a file that was written before up to a position.
    pub(crate) fn from(begun: u64) -> Self {
        Self { begun }
    }

    /// Starts writing back the pieces that end before `place`, the end of the written data.
    pub(crate) fn reach(&mut self, file: &File, place: u64) {
        let end = place - place % PIECE;
        if end > self.begun {
            write_back(file, self.begun, end - self.begun);
            self.begun = end;
        }
    }
}

/// The stream of a writer, which is returned at the end. After a panic in it, it is not called
/// again: a drop would do so during unwinding.
pub(crate) struct Stream<W> {
    /// `None` once it was returned.
    inner: Option<W>,
    /// A call has begun and did not return.
    is_in_call: bool,
    /// For an array of unknown length.
    changes: Option<Changes<W>>,
}

/// How the header of an array that grows is overwritten.
pub(crate) struct Changes<W> {
    /// Overwrites bytes at a distance before the current position, and returns to it.
    pub(crate) patch: fn(&mut W, u64, &[u8]) -> io::Result<()>,
    /// Syncs the stream, if it is a file.
    pub(crate) sync: fn(&mut W) -> io::Result<()>,
}

impl<W> Stream<W> {
    pub(crate) fn new(stream: W) -> Self {
        Self { inner: Some(stream), is_in_call: false, changes: None }
    }

    /// Allows to overwrite the header.
    pub(crate) fn allow(&mut self, changes: Changes<W>) {
        self.changes = Some(changes);
    }

    /// Returns the stream.
    pub(crate) fn take(&mut self) -> io::Result<W> {
        self.inner.take().ok_or_else(gone)
    }

    /// The stream, for calls whose panics need no notice.
    #[cfg(any(feature = "npz", test))]
    pub(crate) fn get(&self) -> Option<&W> {
        self.inner.as_ref()
    }

    /// Calls the stream.
    pub(crate) fn call<O>(&mut self, call: impl FnOnce(&mut W) -> io::Result<O>) -> io::Result<O> {
        let stream = self.inner.as_mut().filter(|_| !self.is_in_call).ok_or_else(gone)?;
        self.is_in_call = true;
        let result = call(stream);
        self.is_in_call = false;
        result
    }
}

#[cold]
fn gone() -> io::Error {
    Error::failed_before("cannot write to the stream", None).into()
}

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.call(|stream| stream.write(bytes))
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.call(|stream| stream.write_vectored(slices))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.call(|stream| stream.write_all(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.call(W::flush)
    }
}

/// A stream whose header can be overwritten, for code that is compiled once for all streams.
pub(crate) trait Sink: Write {
    /// Overwrites the header of an array that grows, `back` bytes before the current position. Syncs
    /// the elements before it.
    fn patch(&mut self, back: u64, header: &[u8]) -> io::Result<()>;
}

/// A stream of an array of known length.
impl Sink for &mut dyn Write {
    fn patch(&mut self, _back: u64, _header: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write> Sink for Stream<W> {
    fn patch(&mut self, back: u64, header: &[u8]) -> io::Result<()> {
        let Some(Changes { patch, sync }) = self.changes else { return Ok(()) };
        self.call(|writer| {
            sync(writer)?;
            patch(writer, back, header)?;
            writer.flush()?;
            sync(writer)
        })
    }
}

/// Writes parts in order; [small](SMALL_BYTES) ones with one call, if that is
/// [faster](MOST_TOGETHER).
pub(crate) fn write_parts(writer: &mut dyn Write, parts: &[&[u8]]) -> io::Result<()> {
    match total_length(parts) {
        length if length <= SMALL_BYTES as u64 => writer.write_all(&parts.concat()),
        length if length <= MOST_TOGETHER => {
            let mut slices: Vec<_> = parts.iter().map(|part| IoSlice::new(part)).collect();
            write_all_vectored(writer, &mut slices).map(|_| ())
        }
        _ => parts.iter().try_for_each(|part| writer.write_all(part)),
    }
}

/// Writes slices in order, several with one call if the writer can. Returns whether it seems to.
pub(super) fn write_all_vectored(writer: &mut dyn Write, mut slices: &mut [IoSlice<'_>]) -> io::Result<bool> {
    /// The limit of Linux.
    const MOST: usize = 1024;
    // Leading empty slices are skipped: a writer that takes one slice at a time would seem to take
    // none.
    IoSlice::advance_slices(&mut slices, 0);
    let (first, count) = (slices.first().map_or(0, |slice| slice.len()), slices.len());
    let mut is_vectored = None;
    while !slices.is_empty() {
        let most = slices.len().min(MOST);
        match writer.write_vectored(&slices[..most]) {
            Ok(0) => return Err(io::Error::new(io::ErrorKind::WriteZero, "failed to write whole buffer")),
            Ok(written) => {
                is_vectored.get_or_insert(written > first || count == 1);
                let given = slices[..most].iter().map(|slice| slice.len()).sum();
                if written > given {
                    return Err(Error::invalid_count("writer", given, written).into());
                }
                IoSlice::advance_slices(&mut slices, written);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(is_vectored.unwrap_or(true))
}

#[cold]
pub(crate) fn cannot_write(error: io::Error) -> Error {
    Error::io("cannot write the array", error)
}

/// The sum of their lengths.
pub(crate) fn total_length(parts: &[&[u8]]) -> u64 {
    parts.iter().fold(0, |length, part| length.saturating_add(part.len() as u64))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::NpyWriter;
    use super::*;

    /// A writer that takes a number of bytes and of slices with one call, and is interrupted now
    /// and then.
    pub(crate) struct Picky {
        pub(crate) bytes: Vec<u8>,
        pub(crate) most: usize,
        pub(crate) slices: usize,
        pub(crate) calls: usize,
        /// Fails when it has this number of bytes.
        pub(crate) end: usize,
    }

    impl Write for Picky {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
            assert!(slices.len() <= 1024);
            self.calls += 1;
            if self.calls.is_multiple_of(3) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if self.bytes.len() >= self.end {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let before = self.bytes.len();
            for slice in slices.iter().take(self.slices) {
                let room = self.most - (self.bytes.len() - before);
                self.bytes.extend_from_slice(&slice[..slice.len().min(room)]);
            }
            Ok(self.bytes.len() - before)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    pub(crate) fn picky(most: usize, slices: usize) -> Picky {
        Picky { bytes: Vec::new(), most, slices, calls: 0, end: usize::MAX }
    }

    /// As many bytes around the two limits as the parts have beside those of the elements.
    const AROUND: [u8; 131] = [1; 131];

    #[test]
    fn parts_of_every_length_arrive_at_writers_of_every_kind() {
        let (header, end) = AROUND.split_at(128);
        for limit in [SMALL_BYTES, usize::try_from(MOST_TOGETHER).unwrap()] {
            for length in [0, 1, limit - AROUND.len(), limit - AROUND.len() + 1] {
                let items: Vec<_> = (0..length).map(|i| (i % 251).to_le_bytes()[0]).collect();
                let parts: [&[u8]; 5] = [&[], header, &[], &items, end];
                let expected = parts.concat();
                for (most, slices) in [(usize::MAX, usize::MAX), (usize::MAX, 1), (1003, usize::MAX), (100, 2)] {
                    let mut writer = picky(most, slices);
                    write_parts(&mut writer, &parts).unwrap();
                    assert!(writer.bytes == expected, "{length} bytes, {most} at a time, {slices} slices");
                    let mut writer = Picky { end: expected.len() / 2, ..picky(most, slices) };
                    let written = write_parts(&mut writer, &parts);
                    assert!(expected.starts_with(&writer.bytes), "{length} bytes, {most} at a time, {slices} slices");
                    assert_eq!(written.is_err(), writer.bytes.len() < expected.len(), "{length} bytes, {most}, {slices}");
                }
            }
        }
        assert!(write_parts(&mut picky(usize::MAX, 2), &[&[], &[]]).is_ok());
    }

    #[test]
    fn a_header_goes_with_its_elements_where_both_have_up_to_2_mib() {
        for (length, calls) in [(100, 1), (300_000, 1), ((2 << 20) - 128, 1), ((2 << 20) - 127, 2)] {
            let items = vec![7_u8; length];
            let mut writer = picky(usize::MAX, usize::MAX);
            write_parts(&mut writer, &[&AROUND[..128], &items]).unwrap();
            assert_eq!(writer.calls, calls, "{length} bytes");
            let mut writer = picky(usize::MAX, usize::MAX);
            crate::write::write(&mut writer, &items).unwrap();
            assert_eq!(writer.calls, calls, "{length} elements");
        }
    }

    #[test]
    fn a_writer_that_takes_the_header_and_nothing_else_is_not_asked_again() {
        let items = vec![7_u8; 300_000];
        let mut sink = Picky { end: 128, ..picky(usize::MAX, 1) };
        let mut writer = NpyWriter::with_len(&mut sink, items.len()).unwrap();
        assert!(writer.write_slice(&items).is_err());
        assert!(writer.write_slice(&items).is_err() && writer.push(&1).is_err() && writer.finish().is_err());
        assert_eq!((sink.bytes.len(), sink.calls), (128, 2));
    }

    /// Claims to have taken one byte more than it was given.
    struct Liar;

    impl Write for Liar {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len() + 1)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn overreported_write_is_an_error() {
        let mut slices = [IoSlice::new(&AROUND)];
        let error = write_all_vectored(&mut Liar, &mut slices).unwrap_err();
        assert!(error.to_string().contains("invalid byte count from the writer"));
    }
}
