//! Inflates independent blocks: 1.9 × by two threads, and 1.2 to 1.7 × by libdeflate, on loading an array.

use std::io::{self, Read, Seek, SeekFrom, Take};
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use flate2::{Decompress, Status};

use super::blocks::Block;
use crate::format::trust::Checked;
use crate::memory::ReadBuf;
#[cfg(feature = "libdeflate")]
use crate::sys::libdeflate::Decompressor;
use crate::sys::threads::useful_threads;

/// The size of a read of compressed data.
const BUFFER_BYTES: usize = 128 * 1024;

/// An empty block that ends a stream. It completes data that end between two blocks.
pub(crate) const END: [u8; 5] = [1, 0, 0, 0xff, 0xff];

/// Inflates independent blocks. Returns their joint CRC, with the reader after the last block, or `None`
/// with the reader rewound.
///
/// Each block has a buffer of its size. A function pointer, because only some readers can be cloned.
pub(crate) type InflateBlocks<R> = fn(&mut R, &Batch<'_>, &mut [ReadBuf<'_>]) -> Option<crc32fast::Hasher>;

/// Consecutive blocks of a member.
pub(crate) struct Batch<'a> {
    /// The offset of the member's data.
    pub(crate) begin: u64,
    pub(crate) blocks: &'a [Block],
    /// Whether the last block ends the data.
    pub(crate) is_end: bool,
    pub(crate) threads: usize,
}

impl Batch<'_> {
    /// Seeks to the data of a block. Returns them, and whether they end the data of the member.
    fn data_of<'r, R: Read + Seek>(&self, reader: &'r mut R, index: usize) -> Option<(Take<Checked<&'r mut R>>, bool)> {
        let bytes = &self.blocks.get(index)?.bytes;
        reader.seek(SeekFrom::Start(self.begin.checked_add(bytes.start)?)).ok()?;
        Some((Checked(reader).take(bytes.end - bytes.start), self.is_end && index + 1 == self.blocks.len()))
    }
}

/// An [`InflateBlocks`] in this thread.
#[cfg(feature = "libdeflate")]
pub(crate) fn inflate_in_turn<R: Read + Seek>(
    reader: &mut R,
    batch: &Batch<'_>,
    parts: &mut [ReadBuf<'_>],
) -> Option<crc32fast::Hasher> {
    let before = reader.stream_position().ok()?;
    let inflated = Inflater::new().and_then(|mut inflater| {
        let mut checksum = crc32fast::Hasher::new();
        for (i, part) in parts.iter_mut().enumerate() {
            let (mut data, is_end) = batch.data_of(reader, i)?;
            checksum.combine(&inflater.inflate(&mut data, is_end, part)?);
        }
        Some(checksum)
    });
    if inflated.is_none() {
        reader.seek(SeekFrom::Start(before)).ok()?;
    }
    inflated
}

/// An [`InflateBlocks`] by several threads that clone the reader.
pub(crate) fn inflate_in_parallel<R: Read + Seek + Clone + Send>(
    reader: &mut R,
    batch: &Batch<'_>,
    parts: &mut [ReadBuf<'_>],
) -> Option<crc32fast::Hasher> {
    let mut checksums = vec![None; parts.len()];
    let jobs = Mutex::new(parts.iter_mut().zip(&mut checksums).enumerate());
    let work = |mut reader: R| {
        let mut inflater = Inflater::new();
        let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((i, (part, checksum))) = next() {
            *checksum = inflater.as_mut().and_then(|inflater| {
                let (mut data, is_end) = batch.data_of(&mut reader, i)?;
                inflater.inflate(&mut data, is_end, part)
            });
            if checksum.is_none() {
                // The other threads end, too.
                jobs.lock().unwrap_or_else(PoisonError::into_inner).by_ref().for_each(drop);
            }
        }
    };
    let threads = useful_threads(batch.threads.min(batch.blocks.len()));
    thread::scope(|scope| {
        let mut others = Vec::new();
        for _ in 1..threads {
            let clone = reader.clone();
            // If the system refuses a thread, this one does its work.
            others.extend(thread::Builder::new().name("npz".to_owned()).spawn_scoped(scope, || work(clone)));
        }
        work(reader.clone());
        for other in others {
            // The caller's `Read` may panic.
            other.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });

    let mut checksum = crc32fast::Hasher::new();
    for part in checksums {
        checksum.combine(&part?);
    }
    reader.seek(SeekFrom::Start(batch.begin.checked_add(batch.blocks.last()?.bytes.end)?)).ok()?;
    Some(checksum)
}

/// Inflates blocks into buffers of their size, and returns their checksums; `None` if a block has
/// another size or end, or cannot be read.
#[cfg(feature = "libdeflate")]
type Inflater = WholeInflater;
#[cfg(not(feature = "libdeflate"))]
type Inflater = StreamInflater;

/// Inflates by `zlib-rs`, with a small buffer of data.
#[cfg(any(not(feature = "libdeflate"), test))]
struct StreamInflater {
    decoder: Decompress,
    buffer: Vec<u8>,
}

#[cfg(any(not(feature = "libdeflate"), test))]
impl StreamInflater {
    #[expect(clippy::unnecessary_wraps, reason = "like `WholeInflater::new`")]
    fn new() -> Option<Self> {
        Some(Self { decoder: Decompress::new(false), buffer: vec![0; BUFFER_BYTES] })
    }

    fn inflate<R: Read>(&mut self, data: &mut Take<R>, is_end: bool, part: &mut ReadBuf<'_>) -> Option<crc32fast::Hasher> {
        self.decoder.reset(false);
        let begin = part.filled();
        if self.inflate_into(part, data, is_end).is_none() {
            part.truncate(begin);
            return None;
        }
        Some(checksum_of(part.filled_from(begin)))
    }

    /// Fills `part` with the content of `data`, which must have its size.
    fn inflate_into<R: Read>(&mut self, part: &mut ReadBuf<'_>, data: &mut Take<R>, is_end: bool) -> Option<()> {
        let mut has_ended = false;
        while data.limit() > 0 {
            let read = read_some(data, &mut self.buffer)?;
            let mut input = self.buffer.get(..read)?;
            while !input.is_empty() {
                if has_ended {
                    return None;
                }
                let used;
                (used, has_ended) = step(&mut self.decoder, input, part)?;
                input = &input[used..];
            }
        }
        let is_whole = if is_end { has_ended } else { !has_ended && is_between_blocks(&mut self.decoder, &[]) };
        (is_whole && part.is_full()).then_some(())
    }
}

/// Inflates by libdeflate, which needs all data of a block at once.
#[cfg(feature = "libdeflate")]
struct WholeInflater {
    decoder: Decompressor,
    buffer: Vec<u8>,
}

#[cfg(feature = "libdeflate")]
impl WholeInflater {
    fn new() -> Option<Self> {
        Some(Self { decoder: Decompressor::new()?, buffer: Vec::new() })
    }

    fn inflate<R: Read>(&mut self, data: &mut Take<R>, is_end: bool, part: &mut ReadBuf<'_>) -> Option<crc32fast::Hasher> {
        // Incompressible data grow by less, so that more is damage.
        if data.limit() / 2 > (part.remaining() + BUFFER_BYTES) as u64 {
            return None;
        }
        let length = self.read(data, is_end)?;
        let begin = part.filled();
        part.inflate_all(&mut self.decoder, self.buffer.get(..length)?).then(|| checksum_of(part.filled_from(begin)))
    }

    /// Reads all data into the buffer, which grows with them, and appends the end of the stream if they
    /// lack it. Returns their length.
    fn read<R: Read>(&mut self, data: &mut Take<R>, is_end: bool) -> Option<usize> {
        let mut length = 0;
        while data.limit() > 0 {
            if self.buffer.len() <= length + END.len() {
                // Twice the size, within the announced one.
                let left = usize::try_from(data.limit()).unwrap_or(usize::MAX);
                let more = left.saturating_add(END.len()).min(length.max(BUFFER_BYTES));
                self.buffer.try_reserve_exact(more).ok()?;
                self.buffer.resize(length + more, 0);
            }
            let room = self.buffer.len() - END.len();
            length += read_some(data, &mut self.buffer[length..room])?;
        }
        if !is_end {
            self.buffer.get_mut(length..)?.first_chunk_mut().map(|end| *end = END)?;
            length += END.len();
        }
        Some(length)
    }
}

/// Reads once; `None` at the end or if that fails.
fn read_some(data: &mut impl Read, buffer: &mut [u8]) -> Option<usize> {
    loop {
        match data.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.ok().filter(|read| *read > 0),
        }
    }
}

fn checksum_of(bytes: &[u8]) -> crc32fast::Hasher {
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(bytes);
    checksum
}

/// Returns whether a drained decoder is between two blocks, at a byte boundary, after the last bytes
/// of a block. The decoder is finished by that.
pub(crate) fn is_between_blocks(decoder: &mut Decompress, last: &[u8]) -> bool {
    let data = [last, &END].concat();
    let mut rest = &data[..];
    while !rest.is_empty() {
        match step(decoder, rest, &mut ReadBuf::over(&mut [])) {
            Some((used, true)) => return used == rest.len(),
            Some((used, false)) => rest = &rest[used..],
            None => return false,
        }
    }
    false
}

/// Calls a decoder once. Returns the number of used bytes, and whether the stream has ended; `None` if it
/// cannot continue or exceeds the buffer.
fn step(decoder: &mut Decompress, input: &[u8], part: &mut ReadBuf<'_>) -> Option<(usize, bool)> {
    let (before, filled) = (decoder.total_in(), part.filled());
    // The end of a block may follow when the buffer is full.
    let mut excess = [0];
    let mut excess = ReadBuf::over(&mut excess);
    let inflated = if part.is_full() { excess.inflate_some(decoder, input) } else { part.inflate_some(decoder, input) };
    let used = usize::try_from(decoder.total_in() - before).ok()?;
    let is_stuck = used == 0 && part.filled() == filled || excess.filled() > 0;
    (!is_stuck).then_some((used, inflated.ok()? == Status::StreamEnd))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::super::deflate::Compressor;
    use super::{END, ReadBuf, StreamInflater, checksum_of};

    /// Inflates data of an announced length to content of this size, by each inflater. They must agree.
    fn inflate(data: &[u8], announced: u64, is_end: bool, size: usize) -> Option<Vec<u8>> {
        let mut content = vec![1; size];
        let mut part = ReadBuf::over(&mut content);
        let checksum = StreamInflater::new().unwrap().inflate(&mut data.take(announced), is_end, &mut part);
        assert_eq!(part.filled(), if checksum.is_some() { size } else { 0 });
        let found = checksum.map(|checksum| {
            assert_eq!(checksum.finalize(), checksum_of(&content).finalize());
            content
        });
        #[cfg(feature = "libdeflate")]
        {
            let mut content = vec![2; size];
            let mut part = ReadBuf::over(&mut content);
            let mut inflater = super::WholeInflater::new().unwrap();
            let checksum = inflater.inflate(&mut data.take(announced), is_end, &mut part);
            assert_eq!(part.filled(), if checksum.is_some() { size } else { 0 });
            assert_eq!(checksum.map(crc32fast::Hasher::finalize), found.as_deref().map(|found| checksum_of(found).finalize()));
            assert!(found.as_ref().is_none_or(|found| *found == content));
            // The buffer at most doubles.
            assert!(inflater.buffer.capacity() <= 2 * (data.len() + super::BUFFER_BYTES), "{}", inflater.buffer.capacity());
        }
        found
    }

    fn block(content: &[u8], is_end: bool) -> Vec<u8> {
        Compressor::default().compress(content, 6, is_end).unwrap()
    }

    /// Some noise, some text, some repetitions.
    fn content(count: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_le_bytes()[7]
        };
        (0..count).map(|i| if i % 1000 < 400 { next() } else { b"inflate all of it "[i / 3 % 18] }).collect()
    }

    #[test]
    fn blocks_are_inflated_as_a_whole() {
        for size in [1, 2, 257, 5000, 1 << 20] {
            let content = content(size);
            for is_end in [false, true] {
                let data = block(&content, is_end);
                let length = data.len() as u64;
                assert!(inflate(&data, length, is_end, size).unwrap() == content);
                // Bytes after the announced length.
                assert!(inflate(&[&data[..], &data].concat(), length, is_end, size).unwrap() == content);
            }
        }
    }

    #[test]
    fn rejects_blocks_of_other_sizes() {
        let content = content(5000);
        for is_end in [false, true] {
            let data = block(&content, is_end);
            let length = data.len() as u64;
            for size in [1, 4999, 5001, 10_000] {
                assert!(inflate(&data, length, is_end, size).is_none(), "{size}");
            }
            // Truncated, in the archive or by what is announced.
            for end in 0..data.len() {
                assert!(inflate(&data[..end], length, is_end, 5000).is_none(), "{end}");
                assert!(inflate(&data, end as u64, is_end, 5000).is_none(), "{end}");
            }
            // Longer than announced, the end of the stream included.
            for more in [&[0][..], &END, &data] {
                let longer = [&data[..], more].concat();
                let found = inflate(&longer, longer.len() as u64, is_end, 5000);
                assert!(found.is_none(), "{is_end} {}", more.len());
            }
            // A stream that must not end, or has to.
            assert!(inflate(&data, length, !is_end, 5000).is_none());
        }
    }

    #[test]
    fn announced_sizes_take_no_memory() {
        let data = block(&content(100), true);
        for announced in [data.len() as u64 + 1, 1 << 20, 1 << 40, u64::MAX] {
            assert!(inflate(&data, announced, true, 100).is_none());
            assert!(inflate(&data, announced, true, 1 << 20).is_none());
        }
    }

    #[test]
    fn bombs_end_where_the_content_does() {
        let data = block(&vec![0; 64 << 20], true);
        for size in [1, 1000, 1 << 20] {
            assert!(inflate(&data, data.len() as u64, true, size).is_none());
        }
    }

    /// A wrong content is left to the checksum, but all inflaters must agree.
    #[test]
    fn inflaters_agree_on_damaged_blocks() {
        let content = content(700);
        let data = block(&content, false);
        let mut refused = 0;
        for bit in 0..data.len() * 8 {
            let mut damaged = data.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            refused += usize::from(inflate(&damaged, data.len() as u64, false, content.len()).is_none());
        }
        assert!(refused > data.len() && refused < data.len() * 8, "{refused} of {}", data.len() * 8);
    }
}
