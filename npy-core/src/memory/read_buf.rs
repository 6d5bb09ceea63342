//! Memory that is filled from the front, by readers and system calls.

use std::io::{self, Read};
use std::mem::MaybeUninit;

use crate::format::trust::read_once;

/// The size of a chunk that stays in the cache between reading and repairing it.
pub(crate) const STAGE_BYTES: usize = 256 * 1024;

/// A source of elements, which fills part of a buffer: [`ReadBuf::filled`] bytes.
pub(crate) type Fill<'a> = dyn FnMut(&mut ReadBuf<'_>) -> io::Result<()> + 'a;

/// Memory that is being filled from the front.
pub(crate) struct ReadBuf<'a> {
    pub(super) memory: &'a mut [MaybeUninit<u8>],
    pub(super) filled: usize,
    /// Up to here the memory is initialised, filled or not.
    pub(super) initialised: usize,
}

impl<'a> ReadBuf<'a> {
    /// Creates a buffer over memory without values.
    pub(crate) fn new(memory: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { memory, filled: 0, initialised: 0 }
    }

    /// Creates a buffer over bytes to be overwritten.
    pub(crate) fn over(bytes: &'a mut [u8]) -> Self {
        let length = bytes.len();
        let begin = bytes.as_mut_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: `MaybeUninit<u8>` has the layout of `u8`, and `ReadBuf` stores only initialised
        // bytes, so the memory stays valid as `[u8]`, which it is again when the borrow ends.
        Self { memory: unsafe { std::slice::from_raw_parts_mut(begin, length) }, filled: 0, initialised: length }
    }

    /// Returns whether all bytes are filled.
    pub(crate) fn is_full(&self) -> bool {
        self.room() == 0
    }

    /// Returns the number of bytes that are not filled.
    pub(crate) fn room(&self) -> usize {
        self.memory.len() - self.filled
    }

    /// Calls `fill` for at most `most` bytes and returns those that it filled.
    pub(crate) fn fill_at_most(&mut self, most: usize, fill: impl FnOnce(&mut ReadBuf<'_>) -> io::Result<()>) -> io::Result<&[u8]> {
        let begin = self.filled;
        let end = self.memory.len().min(begin.saturating_add(most));
        let memory = &mut self.memory[begin..end];
        let initialised = self.initialised.saturating_sub(begin).min(memory.len());
        let place = memory.as_ptr();
        let mut part = ReadBuf { memory, filled: 0, initialised };
        let result = fill(&mut part);
        if part.memory.as_ptr() != place {
            return Err(replaced());
        }
        let filled = part.filled;
        self.initialised = self.initialised.max(begin + part.initialised);
        self.filled += filled;
        result?;
        // SAFETY: what is filled is initialised.
        Ok(unsafe { assume_init(&mut self.memory[begin..begin + filled]) })
    }

    /// Calls `fill` for the remaining memory, zeroed before. `fill` also returns the number of bytes it
    /// wrote.
    #[cfg(any(feature = "bzip2", feature = "lzma", feature = "zstd"))]
    pub(crate) fn fill_with<T>(&mut self, fill: impl FnOnce(&mut [u8]) -> (T, usize)) -> T {
        let target = self.zeroed(usize::MAX);
        let room = target.len();
        let (result, written) = fill(target);
        self.filled += written.min(room);
        result
    }

    /// Inflates some of `input`, as [`Decompress::decompress`](flate2::Decompress::decompress) does.
    #[cfg(feature = "npz")]
    pub(crate) fn inflate_some(
        &mut self,
        decoder: &mut flate2::Decompress,
        input: &[u8],
    ) -> Result<flate2::Status, flate2::DecompressError> {
        let rest = &mut self.memory[self.filled..];
        let before = decoder.total_out();
        let status = decoder.decompress_uninit(input, rest, flate2::FlushDecompress::None)?;
        // The decoder wrote as many bytes from the first of `rest` on as it counts.
        let given = usize::try_from(decoder.total_out() - before).unwrap_or(usize::MAX);
        self.filled += given.min(rest.len());
        self.initialised = self.initialised.max(self.filled);
        Ok(status)
    }

    /// Returns the filled bytes from `begin` on.
    #[cfg(feature = "npz")]
    pub(crate) fn filled_from(&mut self, begin: usize) -> &[u8] {
        // SAFETY: what is filled is initialised.
        unsafe { assume_init(&mut self.memory[begin..self.filled]) }
    }

    /// Drops all filled bytes but the first.
    #[cfg(all(feature = "npz", any(not(feature = "libdeflate"), test)))]
    pub(crate) fn truncate(&mut self, filled: usize) {
        self.filled = self.filled.min(filled);
    }

    /// Inflates `data` into the remaining bytes; returns whether the stream fills them exactly.
    #[cfg(feature = "libdeflate")]
    pub(crate) fn inflate_all(&mut self, decompressor: &mut crate::sys::libdeflate::Decompressor, data: &[u8]) -> bool {
        let rest = &mut self.memory[self.filled..];
        // Then it wrote every byte of `rest`.
        let is_whole = decompressor.inflate(data, rest);
        if is_whole {
            self.filled += rest.len();
            self.initialised = self.initialised.max(self.filled);
        }
        is_whole
    }
}

impl ReadBuf<'_> {
    /// Returns the number of filled bytes.
    pub(crate) fn filled(&self) -> usize {
        self.filled
    }

    /// At most `most` of the remaining bytes, zeroed if they were not initialised before.
    fn zeroed(&mut self, most: usize) -> &mut [u8] {
        let end = self.memory.len().min(self.filled.saturating_add(most));
        if self.initialised < end {
            self.memory[self.initialised..end].fill(MaybeUninit::new(0));
            self.initialised = end;
        }
        // SAFETY: everything before `initialised` is, and `end` is not behind it.
        unsafe { assume_init(&mut self.memory[self.filled..end]) }
    }

    /// Fills all of the memory, or fails with `UnexpectedEof`.
    pub(crate) fn fill_up(&mut self, fill: &mut Fill<'_>) -> io::Result<()> {
        let place = (self.memory.as_ptr(), self.memory.len());
        while self.filled < self.memory.len() {
            let before = self.filled;
            let result = fill(self);
            if (self.memory.as_ptr(), self.memory.len()) != place {
                return Err(replaced());
            }
            match result {
                Ok(()) if self.filled == before => return Err(io::ErrorKind::UnexpectedEof.into()),
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Copies the first bytes that fit, and returns their number.
    pub(crate) fn copy_from(&mut self, bytes: &[u8]) -> usize {
        let rest = &mut self.memory[self.filled..];
        let count = rest.len().min(bytes.len());
        for (slot, byte) in rest.iter_mut().zip(bytes) {
            slot.write(*byte);
        }
        self.filled += count;
        self.initialised = self.initialised.max(self.filled);
        count
    }

    /// Copies the first `length` of every `stride` bytes, as long as they fit.
    pub(crate) fn copy_strided(&mut self, bytes: &[u8], length: usize, stride: usize) {
        let rest = &mut self.memory[self.filled..];
        // A constant length is copied by a few instructions, not by a call.
        let count = match length {
            4 => copy_pieces(rest, bytes, 4, stride),
            8 => copy_pieces(rest, bytes, 8, stride),
            16 => copy_pieces(rest, bytes, 16, stride),
            32 => copy_pieces(rest, bytes, 32, stride),
            64 => copy_pieces(rest, bytes, 64, stride),
            _ => copy_pieces(rest, bytes, length, stride),
        };
        self.filled += count * length;
        self.initialised = self.initialised.max(self.filled);
    }

    /// Reads once from a stream. The memory is zeroed before, once, a cache's worth at a time,
    /// because a `Read` may look at it.
    pub(crate) fn read_from(&mut self, reader: &mut impl Read) -> io::Result<()> {
        let target = self.zeroed(STAGE_BYTES);
        self.filled += read_once(reader, target)?;
        Ok(())
    }

    /// Reads once from a file, straight into the memory.
    #[cfg(unix)]
    pub(crate) fn read_from_file(&mut self, file: &std::fs::File) -> io::Result<()> {
        use std::os::fd::AsRawFd;
        let rest = &mut self.memory[self.filled..];
        let count = rest.len().min(MOST_AT_ONCE);
        // SAFETY: the descriptor is open as long as `file` lives, and `read` stores at most `count`
        // bytes from the first of `rest` on.
        let read = unsafe { libc::read(file.as_raw_fd(), rest.as_mut_ptr().cast(), count) };
        self.note_read(read, count)
    }

    /// Reads once at an offset of a file, straight into the memory.
    #[cfg(unix)]
    pub(crate) fn read_from_file_at(&mut self, file: &std::fs::File, offset: u64) -> io::Result<()> {
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        use libc::{off_t as off64_t, pread as pread64};
        #[cfg(any(target_os = "linux", target_os = "android"))]
        use libc::{off64_t, pread64};
        use std::os::fd::AsRawFd;
        let rest = &mut self.memory[self.filled..];
        let count = rest.len().min(MOST_AT_ONCE);
        let offset = off64_t::try_from(offset).map_err(io::Error::other)?;
        // SAFETY: the descriptor is open as long as `file` lives, and at most `count` bytes are
        // stored from the first of `rest` on.
        let read = unsafe { pread64(file.as_raw_fd(), rest.as_mut_ptr().cast(), count, offset) };
        self.note_read(read, count)
    }

    /// Reads once at an offset of a file, which moves its position.
    #[cfg(windows)]
    pub(crate) fn read_from_file_at(&mut self, file: &std::fs::File, offset: u64) -> io::Result<()> {
        let target = self.zeroed(STAGE_BYTES);
        let room = target.len();
        let read = std::os::windows::fs::FileExt::seek_read(file, target, offset)?;
        self.filled += read.min(room);
        Ok(())
    }

    /// Counts the bytes of a system call that was to read `count` bytes.
    #[cfg(unix)]
    fn note_read(&mut self, read: isize, count: usize) -> io::Result<()> {
        // -1, the only negative result, means that the cause is in `errno`.
        let read = usize::try_from(read).map_err(|_| io::Error::last_os_error())?;
        self.filled += read.min(count);
        self.initialised = self.initialised.max(self.filled);
        Ok(())
    }
}

/// Reads once from the beginning of a file, up to the size of the memory.
pub(crate) fn read_head<'a>(file: &std::fs::File, memory: &'a mut [MaybeUninit<u8>]) -> io::Result<&'a [u8]> {
    let mut buf = ReadBuf::new(memory);
    loop {
        #[cfg(unix)]
        let result = buf.read_from_file(file);
        #[cfg(not(unix))]
        let result = buf.read_from(&mut { file });
        match result {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => break result?,
        }
    }
    let ReadBuf { memory, filled, .. } = buf;
    // SAFETY: what is filled is initialised.
    Ok(unsafe { assume_init(&mut memory[..filled]) })
}

/// Copies the first `length` of every `stride` bytes, and returns the number of copies.
#[inline(always)]
fn copy_pieces(memory: &mut [MaybeUninit<u8>], bytes: &[u8], length: usize, stride: usize) -> usize {
    let mut count = 0;
    for (slots, bytes) in memory.chunks_exact_mut(length).zip(bytes.chunks(stride)) {
        let Some(bytes) = bytes.get(..length) else { break };
        for (slot, byte) in slots.iter_mut().zip(bytes) {
            slot.write(*byte);
        }
        count += 1;
    }
    count
}

/// Safe code could replace a lent `ReadBuf` by another one.
#[cold]
fn replaced() -> io::Error {
    io::Error::other("the lent buffer was replaced by another one")
}

/// Apple's systems refuse to read more at a time.
#[cfg(unix)]
const MOST_AT_ONCE: usize = if cfg!(target_vendor = "apple") { i32::MAX as usize } else { isize::MAX as usize };

/// The bytes of memory that is initialised.
///
/// # Safety
///
/// All of it must be initialised.
pub(super) unsafe fn assume_init(memory: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    let memory: *mut [MaybeUninit<u8>] = memory;
    // SAFETY: initialised by the caller's promise, and `MaybeUninit<u8>` has the layout of `u8`;
    // the borrow continues.
    unsafe { &mut *(memory as *mut [u8]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strided_pieces_are_copied_as_long_as_they_are_whole_and_fit() {
        let bytes: Vec<u8> = (0..=255).cycle().take(400).collect();
        for length in [1, 3, 4, 8, 12, 16, 32, 63, 64, 65] {
            for (stride, room) in
                [(length, 400), (length + 1, 400), (length + 40, 400), (length + 7, 3 * length), (length + 7, 3 * length - 1)]
            {
                let pieces = bytes.chunks(stride).filter_map(|bytes| bytes.get(..length));
                let expected: Vec<u8> = pieces.take(room / length).flatten().copied().collect();
                let mut memory = vec![MaybeUninit::uninit(); 1 + room];
                let mut buf = ReadBuf::new(&mut memory);
                assert_eq!(buf.copy_from(b"-"), 1);
                buf.copy_strided(&bytes, length, stride);
                assert_eq!((buf.filled(), buf.initialised), (1 + expected.len(), 1 + expected.len()));
                // SAFETY: as many bytes were filled just now.
                let copied = unsafe { assume_init(&mut memory[1..=expected.len()]) };
                assert_eq!(copied, expected, "{length} of {stride} bytes");
            }
        }
    }
}
