//! Inflates independent blocks in parallel, straight into the target buffer.

use std::io::{Read, Seek, SeekFrom};
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use flate2::{Decompress, FlushDecompress, Status};

use super::blocks::Block;
use crate::format::trust::Checked;
use crate::memory::ReadBuf;
use crate::sys::threads::useful_threads;

/// Bytes of compressed data that are read at a time.
const BUFFER_BYTES: usize = 128 * 1024;

/// An empty block that ends a stream. Behind data that end at the border of a byte, between two
/// blocks, it is all that is missing.
pub(crate) const END: [u8; 5] = [1, 0, 0, 0xff, 0xff];

/// How blocks are inflated from clones of a reader, chosen where the reader is known to have them:
/// data that begin at this place, blocks, whether the last of them ends the data, room for each
/// block, threads. Gives the checksum of all, and leaves the reader behind the last block; or
/// `None` and the reader as it was, if anything is not as the blocks say.
pub(crate) type InflateBlocks<R> = fn(&mut R, u64, &[Block], bool, &mut [ReadBuf<'_>], usize) -> Option<crc32fast::Hasher>;

/// An [`InflateBlocks`].
pub(crate) fn inflate_blocks<R: Read + Seek + Clone + Send>(
    reader: &mut R,
    begin: u64,
    blocks: &[Block],
    is_end: bool,
    parts: &mut [ReadBuf<'_>],
    threads: usize,
) -> Option<crc32fast::Hasher> {
    let mut checksums = vec![None; blocks.len()];
    let last = blocks.len().checked_sub(1)?;
    let jobs = Mutex::new(blocks.iter().zip(parts).zip(&mut checksums).enumerate());
    let work = |mut reader: R| {
        let mut inflater = Inflater { decoder: Decompress::new(false), buffer: vec![0; BUFFER_BYTES] };
        let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((i, ((block, part), checksum))) = next() {
            *checksum = inflater.inflate(&mut reader, begin, block, is_end && i == last, part);
            if checksum.is_none() {
                // The others have nothing more to do.
                jobs.lock().unwrap_or_else(PoisonError::into_inner).by_ref().for_each(drop);
            }
        }
    };
    let threads = useful_threads(threads.min(blocks.len()));
    thread::scope(|scope| {
        let mut others = Vec::new();
        for _ in 1..threads {
            let clone = reader.clone();
            // If the system gives no thread, this one does its work.
            others.extend(thread::Builder::new().name("npz".to_owned()).spawn_scoped(scope, || work(clone)));
        }
        work(reader.clone());
        for other in others {
            // The caller's own `Read` may panic: as if it had been called here.
            other.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });

    let mut checksum = crc32fast::Hasher::new();
    for part in checksums {
        checksum.combine(&part?);
    }
    reader.seek(SeekFrom::Start(begin.checked_add(blocks.last()?.bytes.end)?)).ok()?;
    Some(checksum)
}

struct Inflater {
    decoder: Decompress,
    buffer: Vec<u8>,
}

impl Inflater {
    /// Fills `part` with a block, and gives its checksum; `None` if it is not of that size, does
    /// not end where it is said to, or cannot be read.
    fn inflate<R: Read + Seek>(
        &mut self,
        reader: &mut R,
        begin: u64,
        block: &Block,
        is_end: bool,
        part: &mut ReadBuf<'_>,
    ) -> Option<crc32fast::Hasher> {
        reader.seek(SeekFrom::Start(begin.checked_add(block.bytes.start)?)).ok()?;
        let mut data = Checked(reader).take(block.bytes.end - block.bytes.start);
        self.decoder.reset(false);
        part.fill_with(|output| {
            let checksum = self.inflate_into(output, &mut data, is_end).map(|()| {
                let mut checksum = crc32fast::Hasher::new();
                checksum.update(output);
                checksum
            });
            let filled = if checksum.is_some() { output.len() } else { 0 };
            (checksum, filled)
        })
    }

    /// Fills `output` with what `data` hold, which must be as much.
    fn inflate_into<R: Read>(&mut self, output: &mut [u8], data: &mut std::io::Take<R>, is_end: bool) -> Option<()> {
        let mut rest = output;
        let mut has_ended = false;
        while data.limit() > 0 {
            let read = match data.read(&mut self.buffer) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                read => read.ok().filter(|read| *read > 0)?,
            };
            let mut input = self.buffer.get(..read)?;
            while !input.is_empty() {
                if has_ended {
                    return None;
                }
                let (used, given);
                (used, given, has_ended) = step(&mut self.decoder, input, rest)?;
                input = &input[used..];
                rest = &mut rest[given..];
            }
        }
        let is_whole = if is_end { has_ended } else { !has_ended && is_between_blocks(&mut self.decoder, &[]) };
        (is_whole && rest.is_empty()).then_some(())
    }
}

/// Whether a decoder that has given all its bytes stands between two blocks, at the border of a
/// byte, after the last few bytes of a block. It cannot be used any more.
pub(crate) fn is_between_blocks(decoder: &mut Decompress, last: &[u8]) -> bool {
    let data = [last, &END].concat();
    let mut rest = &data[..];
    while !rest.is_empty() {
        match step(decoder, rest, &mut []) {
            Some((used, _, true)) => return used == rest.len(),
            Some((used, _, false)) => rest = &rest[used..],
            None => return false,
        }
    }
    false
}

/// Returns how many bytes one call has used and given, and whether the stream has ended. `None` if
/// it cannot continue, or exceeds the buffer.
fn step(decoder: &mut Decompress, input: &[u8], output: &mut [u8]) -> Option<(usize, usize, bool)> {
    let before = (decoder.total_in(), decoder.total_out());
    // Even if the buffer is full, the end of a block is still to be read.
    let mut excess = [0];
    let is_full = output.is_empty();
    let status = decoder.decompress(input, if is_full { &mut excess } else { output }, FlushDecompress::None).ok()?;
    let used = usize::try_from(decoder.total_in() - before.0).ok()?;
    let given = usize::try_from(decoder.total_out() - before.1).ok()?;
    let is_stuck = (used, given) == (0, 0) || (is_full && given > 0);
    (!is_stuck).then_some((used, given, status == Status::StreamEnd))
}
