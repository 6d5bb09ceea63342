//! Adds members of another archive as they are stored there.

use std::cell::Cell;
use std::io::{Read, Seek, SeekFrom, Write};

use super::super::read::NpzReader;
use super::super::zip::emit::Local;
use super::super::zip::entry::Entry;
use super::super::zip::problem::{cannot_read, encrypted};
use super::super::zip::records::{END_MARK, STORED, UTF8};
use super::{Failure, Front, NpzWriter};
use crate::error::{Error, Result};

/// Bytes that are copied at a time.
const PIECE_BYTES: usize = 1 << 18;

impl<W: Write> NpzWriter<W> {
    /// Adds a member of another archive under a full name, with its data as they are stored there.
    ///
    /// Nothing is decompressed and nothing checked: checksum, sizes and extra fields are those that the
    /// other archive states. The date and the permissions are those that NumPy writes. Stored members are
    /// aligned by [`WriteOptions::aligned`](super::WriteOptions::aligned); compression is not changed.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz::{NpzReader, NpzWriter};
    ///
    /// let mut archive = NpzWriter::new_compressed(Cursor::new(Vec::new()));
    /// archive.add_slice("x", &[1_u8, 2])?;
    /// let mut archive = NpzReader::new(archive.finish()?)?;
    ///
    /// let mut renamed = NpzWriter::new(Cursor::new(Vec::new()));
    /// renamed.add_member_of(&mut archive, 0, "y.npy")?;
    /// assert_eq!(NpzReader::new(renamed.finish()?)?.by_name::<u8>("y")?, [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the name is taken, if the member is encrypted, if the local header before it is damaged, or
    /// if reading or writing fails. Nothing of the member remains then, if the stream can seek.
    pub fn add_member_of<R: Read + Seek>(&mut self, archive: &mut NpzReader<R>, index: usize, name: &str) -> Result<()> {
        let source = |error: Error, archive: &NpzReader<R>| archive.locate(error, index);
        let data = archive.data_range(index).map_err(|error| self.refuse(error))?;
        let all = archive.index();
        let entry = all.entry(index).ok_or_else(|| archive.no_member(index))?;
        if entry.is_encrypted {
            let error = source(encrypted(), archive);
            return Err(self.refuse(error));
        }
        let local = local_of(entry, name);
        self.adding(name, Front::Nothing, entry.claim.compressed, |writer, written| {
            let reader = archive.get_mut();
            reader.seek(SeekFrom::Start(data.start)).map_err(of_source)?;
            writer.copy_data(reader.take(data.end - data.start), local, written)
        })
    }

    fn copy_data(&mut self, mut data: impl Read, mut local: Local, written: &Cell<u64>) -> Result<(), Failure> {
        self.write_waiting()?;
        let is_aligned = self.options.is_aligned && local.method == STORED;
        self.place(&mut local, is_aligned);
        let front = local.header();
        self.writer.write_all(&front)?;
        written.set(front.len() as u64);
        let mut left = local.claim.compressed;
        let mut buffer = vec![0; usize::try_from(left).map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES))];
        while left > 0 {
            let count = match data.read(&mut buffer) {
                Ok(0) => return Err(of_source(std::io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(of_source(error)),
            };
            self.writer.write_all(&buffer[..count])?;
            written.set(written.get() + count as u64);
            left -= count as u64;
        }
        self.position += written.get();
        self.members.push(local);
        Ok(())
    }
}

/// The header fields of a member under its new name.
fn local_of(entry: &Entry, name: &str) -> Local {
    let flags = if name.is_ascii() { 0 } else { UTF8 } | if entry.has_end_mark { END_MARK } else { 0 };
    let blocks = entry.extra().to_vec();
    Local { name: name.as_bytes().to_vec(), method: entry.method, flags, claim: entry.claim, blocks, ..Local::default() }
}

/// A failure of the other archive, after which this one can continue.
fn of_source(error: std::io::Error) -> Failure {
    Failure { error: cannot_read(error), is_lasting: false }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use crate::error::{ErrorKind, Result};
    use crate::npz::{ArchiveFile, NpzReader, NpzWriter, WriteOptions};

    type Archive = NpzReader<Cursor<Vec<u8>>>;

    /// Stored, deflated in one block and in several, and a file that is no array.
    fn archive() -> Archive {
        let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
        archive.add_slice("stored", &[1.5_f64, 2.5]).unwrap();
        archive.set_options(archive.options().compressed(true));
        archive.add_slice("small", &[7_u8; 100]).unwrap();
        let noise: Vec<u64> = (0..300_000_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50).collect();
        archive.add_slice("blocks", &noise).unwrap();
        archive.add_bytes("notes.txt", b"hello").unwrap();
        NpzReader::new(archive.finish().unwrap()).unwrap()
    }

    fn data(archive: &mut Archive, index: usize) -> Vec<u8> {
        let range = archive.data_range(index).unwrap();
        let bytes = archive.get_mut().get_ref();
        bytes[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()].to_vec()
    }

    #[test]
    fn members_keep_their_data_and_their_blocks() {
        let mut source = archive();
        let names = ["a.npy", "b.npy", "höhe.npy", "d"];
        for is_streaming in [false, true] {
            let write = |writer: &mut NpzWriter<Cursor<Vec<u8>>>, source: &mut Archive| {
                // Other options than those of the source, and members around it.
                writer.set_options(WriteOptions::new().compressed(true).threads(2).aligned(true));
                writer.add_slice("first", &[1_u8; 1000]).unwrap();
                for (index, name) in names.iter().enumerate() {
                    writer.add_member_of(source, index, name).unwrap();
                }
                writer.add_slice("last", &[2_u8]).unwrap();
            };
            let stream = Cursor::new(Vec::new());
            let mut writer = if is_streaming { NpzWriter::streaming(stream) } else { NpzWriter::new(stream) };
            write(&mut writer, &mut source);
            let mut copy = NpzReader::new(writer.finish().unwrap()).unwrap();
            copy.verify().unwrap();
            assert_eq!((copy.names().next(), copy.names().last()), (Some("first"), Some("last")));
            for (index, name) in names.iter().enumerate() {
                assert_eq!(copy.full_name(index + 1), Some(*name));
                assert_eq!(copy.method(index + 1), source.method(index), "{name}");
                assert!(data(&mut copy, index + 1) == data(&mut source, index), "{name}");
                let extra = |archive: &Archive, index: usize| archive.index().entry(index).unwrap().extra().to_vec();
                assert_eq!(extra(&copy, index + 1), extra(&source, index), "{name}");
            }
            assert_eq!(copy.data_range(1).unwrap().start % 64, 0);
            assert!(!copy.index().entry(3).unwrap().extra().is_empty(), "the positions of blocks are lost");
            assert_eq!(copy.by_name::<f64>("a").unwrap(), [1.5, 2.5]);
        }
    }

    #[test]
    fn a_member_that_cannot_be_copied_leaves_the_archive_whole() {
        let mut source = archive();
        let mut writer = NpzWriter::new(Cursor::new(Vec::new()));
        writer.add_slice("x", &[1_u8]).unwrap();
        let error = |result: Result<()>| result.unwrap_err().to_string();
        assert!(error(writer.add_member_of(&mut source, 0, "x.npy")).contains("duplicate member name"));
        assert!(error(writer.add_member_of(&mut source, 9, "y.npy")).contains("member index out of range"));
        // The data end early, after the directory was read.
        let range = source.data_range(2).unwrap();
        source.get_mut().get_mut().truncate(usize::try_from(range.end - 1).unwrap());
        let message = error(writer.add_member_of(&mut source, 2, "y.npy"));
        assert!(message.starts_with("member \"y\""), "{message}");
        // An encrypted member, by its flags in the directory and the local header.
        let mut bytes = archive().get_mut().get_ref().clone();
        let directory = bytes.windows(4).position(|found| found == b"PK\x01\x02").unwrap();
        bytes[6] |= 1;
        bytes[directory + 8] |= 1;
        let mut encrypted = NpzReader::new(Cursor::new(bytes)).unwrap();
        let message = error(writer.add_member_of(&mut encrypted, 0, "y.npy"));
        assert!(message.contains("encrypt"), "{message}");
        writer.add_member_of(&mut source, 0, "y.npy").unwrap();
        let mut copy = NpzReader::new(writer.finish().unwrap()).unwrap();
        copy.verify().unwrap();
        assert_eq!(copy.names().collect::<Vec<_>>(), ["x", "y"]);
    }

    /// What is damaged stays damaged: nothing is lost by moving it.
    #[test]
    fn damaged_data_are_copied_as_they_are() {
        let mut source = archive();
        let range = source.data_range(2).unwrap();
        source.get_mut().get_mut()[usize::try_from(range.start).unwrap() + 500] ^= 1;
        let mut writer = NpzWriter::new(Cursor::new(Vec::new()));
        writer.add_member_of(&mut source, 2, "x.npy").unwrap();
        let mut copy = NpzReader::new(writer.finish().unwrap()).unwrap();
        assert!(data(&mut copy, 0) == data(&mut source, 2));
        // The whole of it, with its checksum, is what a reader refuses.
        let message = copy.by_index::<u64>(0).unwrap_err().to_string();
        assert!(message.contains("member \"x\""), "{message}");
    }

    #[test]
    fn editors_exclude_each_other_and_see_what_others_committed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.npz");
        let kind = |result: Result<(NpzWriter<std::fs::File>, NpzReader<ArchiveFile>)>| result.unwrap_err().kind();
        // What is not there is not made.
        assert_eq!(kind(NpzWriter::edit(&path, WriteOptions::new())), ErrorKind::Io);
        assert!(!path.exists());
        let mut archive = NpzWriter::create(&path).unwrap();
        archive.add_slice("a", &[1_u8]).unwrap();
        archive.finish().unwrap();
        let (mut writer, mut old) = NpzWriter::edit(&path, WriteOptions::new()).unwrap();
        assert_eq!(kind(NpzWriter::edit(&path, WriteOptions::new())), ErrorKind::Conflict);
        assert_eq!(NpzWriter::append(&path).unwrap_err().kind(), ErrorKind::Conflict);
        writer.add_member_of(&mut old, 0, "b.npy").unwrap();
        writer.finish().unwrap();
        let (writer, old) = NpzWriter::edit(&path, WriteOptions::new()).unwrap();
        assert_eq!(old.names().collect::<Vec<_>>(), ["b"]);
        writer.discard();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        assert_eq!(NpzReader::open(&path).unwrap().len(), 1);
    }
}
