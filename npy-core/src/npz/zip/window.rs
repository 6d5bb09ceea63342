//! Reads bytes at any offset of a file, and searches it for local headers.

use std::io::{self, Read, SeekFrom};

use super::ReadSeek;
use super::problem::cannot_read;
use super::records::{END, Fields, LOCAL, LOCAL_BYTES};
use crate::error::{Error, Result};
use crate::format::trust::Checked;

/// Reads `count` bytes at `offset`.
pub(crate) fn read_at(reader: &mut dyn ReadSeek, offset: u64, count: u64) -> Result<Vec<u8>> {
    reader.seek(SeekFrom::Start(offset)).map_err(cannot_read)?;
    let mut bytes = Vec::new();
    let capacity = usize::try_from(count).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(capacity).map_err(|_| Error::out_of_memory(capacity))?;
    Checked(reader).take(count).read_to_end(&mut bytes).map_err(cannot_read)?;
    if bytes.len() < capacity {
        return Err(cannot_read(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(bytes)
}

/// A forward reader of a file that buffers one window and skips the bytes between windows.
pub(crate) struct Window<'a> {
    reader: &'a mut dyn ReadSeek,
    /// The end of the file, or of the part that is read.
    length: u64,
    begin: u64,
    bytes: Vec<u8>,
}

impl<'a> Window<'a> {
    pub(crate) fn new(reader: &'a mut dyn ReadSeek, length: u64) -> Self {
        Self { reader, length, begin: 0, bytes: Vec::new() }
    }

    /// The reader, at an unspecified position.
    pub(crate) fn reader(&mut self) -> &mut dyn ReadSeek {
        self.reader
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Returns `count` bytes at `offset`, or fewer at the end.
    pub(crate) fn at(&mut self, offset: u64, count: usize) -> Result<&[u8]> {
        /// The least size of a read.
        const LEAST: u64 = 4096;
        let count = (count as u64).min(self.length.saturating_sub(offset));
        let end = self.begin + self.bytes.len() as u64;
        if offset < self.begin || offset + count > end {
            self.bytes = read_at(self.reader, offset, count.max(LEAST).min(self.length.saturating_sub(offset)))?;
            self.begin = offset;
        }
        // Within the window.
        let begin = usize::try_from(offset - self.begin).unwrap_or_default();
        Ok(&self.bytes[begin..][..usize::try_from(count).unwrap_or_default()])
    }

    /// Finds the first local header from `begin` to `end`.
    pub(crate) fn find_member(&mut self, begin: u64, end: u64) -> Result<Option<u64>> {
        self.find(begin, end, is_local_header)
    }

    /// Finds the beginning of an archive before `end`: a local header, or the end record of an empty
    /// archive.
    pub(crate) fn find_archive(&mut self, end: u64) -> Result<Option<u64>> {
        self.find(0, end, |bytes| is_local_header(bytes) || (bytes.starts_with(END) && bytes.get(4..12) == Some(&[0; 8])))
    }

    /// Finds the first record from `begin` to `end`: at most [`LOCAL_BYTES`] bytes that begin with `P`.
    fn find(&mut self, mut begin: u64, end: u64, is_record: fn(&[u8]) -> bool) -> Result<Option<u64>> {
        const STEP: u64 = 1 << 16;
        let end = end.min(self.length);
        while end > begin {
            let count = (end - begin).min(STEP);
            let bytes = self.at(begin, usize::try_from(count).unwrap_or_default())?;
            if let Some(at) = (0..bytes.len()).find(|&at| bytes[at] == b'P' && is_record(&bytes[at..])) {
                return Ok(Some(begin + at as u64));
            }
            // A record may cross the boundary.
            begin += if begin + count < end { count - LOCAL_BYTES as u64 + 1 } else { count };
        }
        Ok(None)
    }
}

/// Returns whether a plausible local header begins here, and not just its signature among other bytes.
fn is_local_header(bytes: &[u8]) -> bool {
    /// The latest version of the format, 6.3.
    const VERSION: u16 = 63;
    /// The method with the largest number, encryption by AES.
    const METHOD: u16 = 99;
    let mut fields = Fields::new(bytes);
    let signature = fields.bytes(4);
    let (version, _flags, method) = (fields.u16(), fields.u16(), fields.u16());
    let _rest = fields.bytes(LOCAL_BYTES - 10);
    !fields.is_short && signature == LOCAL && version <= VERSION && method <= METHOD
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Cursor;

    use super::super::records::ENTRY;
    use super::*;

    #[test]
    fn archives_begin_with_a_header_or_an_empty_end() {
        let empty = [&END[..], &[0; 18]].concat();
        let mut full = empty.clone();
        full[10] = 1;
        for (bytes, expected) in [
            (&header()[..], Some(3)),
            (&empty, Some(3)),
            (&full, None),
            (&[&ENTRY[..], &[0; 18]].concat(), None),
            (&empty[..11], None),
        ] {
            let file = [b"---", bytes].concat();
            let found = Window::new(&mut Cursor::new(&file[..]), file.len() as u64).find_archive(file.len() as u64).unwrap();
            assert_eq!(found, expected, "{}", file.escape_ascii());
        }
    }

    #[test]
    fn bytes_that_are_missing_are_an_error() {
        let read = |offset, count| read_at(&mut Cursor::new(b"01234567"), offset, count);
        assert_eq!(read(3, 5).unwrap(), b"34567");
        assert_eq!(read(8, 0).unwrap(), b"");
        for (offset, count) in [(3, 6), (8, 1), (9, 2)] {
            let error = read(offset, count).unwrap_err();
            assert!(error.io_kind() == Some(io::ErrorKind::UnexpectedEof), "{error}");
        }
    }

    /// A local header without a name and data.
    pub(crate) fn header() -> Vec<u8> {
        [&LOCAL[..], &[45, 0, 0, 0, 8, 0], &[0; LOCAL_BYTES - 10]].concat()
    }

    #[test]
    fn headers_are_found_wherever_they_begin() {
        const LENGTH: usize = 200_000;
        let places = [0, 1, 4066, 4096, 65_506, 65_507, 65_535, 65_536, 65_537, 131_042, 131_072, LENGTH - LOCAL_BYTES];
        for place in places {
            let mut file = vec![b'P'; LENGTH];
            file[place..][..LOCAL_BYTES].copy_from_slice(&header());
            let find = |begin: usize, end: usize| {
                let mut reader = Cursor::new(&file[..]);
                Window::new(&mut reader, LENGTH as u64).find_member(begin as u64, end as u64).unwrap()
            };
            let found = Some(place as u64);
            assert_eq!(find(0, LENGTH), found);
            assert_eq!(find(place, LENGTH), found);
            assert_eq!(find(place, usize::MAX), found);
            assert_eq!(find(place + 1, LENGTH), None);
            assert_eq!(find(0, place + LOCAL_BYTES), found);
            assert_eq!(find(0, place + LOCAL_BYTES - 1), None);
        }
    }

    #[test]
    fn windows_are_read_once_and_end_where_the_part_does() {
        let file: Vec<u8> = (0..=249).cycle().take(10_000).collect();
        let mut reader = Cursor::new(&file[..]);
        let mut window = Window::new(&mut reader, 9_000);
        for (offset, count) in
            [(0, 10), (4090, 6), (4090, 7), (4095, 1), (5, 20), (8_990, 20), (8_999, 1), (9_000, 4), (9_500, 4), (0, 9_000)]
        {
            let expected = &file[offset.min(9_000)..(offset + count).min(9_000).max(offset.min(9_000))];
            assert_eq!(window.at(offset as u64, count).unwrap(), expected, "{count} bytes at {offset}");
        }
        let mut window = Window::new(&mut reader, 9_000);
        window.at(0, 10).unwrap();
        assert_eq!(window.bytes.len(), 4096);
        window.at(4096 - 10, 10).unwrap();
        assert_eq!((window.begin, window.bytes.len()), (0, 4096), "nothing is read again");
        window.at(4096 - 10, 11).unwrap();
        assert_eq!((window.begin, window.bytes.len()), (4086, 4096));
    }

    #[test]
    fn local_headers_are_told_from_other_bytes() {
        assert!(is_local_header(&header()));
        assert!(!is_local_header(&header()[..LOCAL_BYTES - 1]));
        for (at, byte, is_one) in [
            (0, b'Q', false),
            (4, 63, true),
            (4, 64, false),
            (5, 1, false),
            (8, 99, true),
            (8, 100, false),
            (9, 1, false),
            (6, 255, true),
        ] {
            let mut changed = header();
            changed[at] = byte;
            assert_eq!(is_local_header(&changed), is_one, "byte {at} is {byte}");
        }
    }
}
