//! A file that several threads read at their own offsets.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::memory::ReadBuf;

/// A file with its own position, so that several threads can read clones of it.
///
/// See [`NpzReader::open`](crate::npz::NpzReader::open) for an example.
#[derive(Clone, Debug)]
pub struct ArchiveFile {
    file: Arc<File>,
    position: u64,
}

impl ArchiveFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io("cannot open the file", error))?;
        Ok(Self { file: Arc::new(file), position: 0 })
    }

    /// Reads once, without initialising the memory first.
    pub(crate) fn fill(&mut self, buf: &mut ReadBuf<'_>) -> io::Result<()> {
        #[cfg(any(unix, windows))]
        {
            let before = buf.filled();
            buf.read_from_file_at(&self.file, self.position)?;
            self.position += (buf.filled() - before) as u64;
            Ok(())
        }
        #[cfg(not(any(unix, windows)))]
        buf.read_from(self)
    }
}

/// Reads from the beginning of the file, wherever its own position is.
impl From<File> for ArchiveFile {
    fn from(file: File) -> Self {
        Self { file: Arc::new(file), position: 0 }
    }
}

impl Read for ArchiveFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&*self.file, buffer, self.position)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, self.position)?;
        // Systems without positioned reads hardly have threads; clones take turns.
        #[cfg(not(any(unix, windows)))]
        let read = {
            (&*self.file).seek(SeekFrom::Start(self.position))?;
            (&*self.file).read(buffer)?
        };
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for ArchiveFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let sought = match position {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
            SeekFrom::End(distance) => {
                let metadata = self.file.metadata()?;
                // The metadata of a device have no length, and a pipe cannot seek.
                let length = if metadata.is_file() { metadata.len() } else { (&*self.file).seek(SeekFrom::End(0))? };
                length.checked_add_signed(distance)
            }
        };
        self.position = sought.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
