//! A member as the central directory describes it.

use std::io::{self, Read, Seek, SeekFrom};

use super::super::codec::blocks::Blocks;
use super::super::codec::decoder::Decoder;
use super::super::codec::inflate::{Batch, InflateBlocks};
use super::super::codec::input::Input;
use super::super::zip::entry::Entry;
use super::super::zip::problem::{encrypted, trailing, wrong_size};
use super::super::zip::records::Claim;
use super::content::{Content, check_size};
use crate::error::Result;
use crate::limits::Limits;
use crate::memory::ReadBuf;
use crate::read::NpyReader;
use crate::read::source::Source;

/// The most bytes that may follow an array in its member. They are read, because the checksum includes
/// them.
pub(crate) const MOST_TRAILING: u64 = 1 << 20;

/// The least size of content that is inflated by several threads.
const LEAST_AT_ONCE: u64 = 4 << 20;

/// The most unread data of a block whose content was read: the empty block at its end, and bits that
/// the decoder needs.
const MARK_BYTES: usize = 16;

/// The largest compression ratio of a member whose memory is allocated at once.
const PLAUSIBLE_RATIO: u64 = 16;

/// The content of a member of an archive.
///
/// Its checksum is checked at its end.
///
/// Seeking in a stored member skips bytes without reading them, and its checksum is then not checked.
/// A compressed member can seek forwards only, and decompresses the skipped bytes.
///
/// ```
/// use std::io::Read;
///
/// use npy_core::npz::{NpzReader, NpzWriter};
///
/// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
/// archive.add_slice("x", &[1_u8, 2, 3])?;
///
/// let mut archive = NpzReader::new(archive.finish()?)?;
/// let mut data = Vec::new();
/// archive.array(0)?.into_inner().read_to_end(&mut data)?; // a `Member` positioned after the header
/// assert_eq!(data, [1, 2, 3]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct Member<'a, R> {
    input: &'a mut Input<R>,
    content: Content,
    claim: Claim,
    /// The number of bytes returned so far.
    given: u64,
    is_checked: bool,
    /// Its independent blocks, as long as their positions are right.
    blockwise: Option<Blockwise<R>>,
}

/// The independent blocks of a member, and the function that inflates them.
pub(crate) struct Blockwise<R> {
    pub(crate) blocks: Blocks,
    /// The offset of the member's data.
    pub(crate) begin: u64,
    pub(crate) threads: usize,
    pub(crate) inflate: InflateBlocks<R>,
}

impl<'a, R: Read> Member<'a, R> {
    /// Refuses a member by its entry, before anything of it is read.
    pub(crate) fn check(entry: &Entry, limits: &Limits) -> Result<()> {
        if entry.is_encrypted {
            return Err(encrypted());
        }
        check_size(entry.claim.size, limits.member_bytes)
    }

    /// Creates a reader of the member at whose data `input` is positioned.
    pub(crate) fn new(entry: &Entry, input: &'a mut Input<R>, limits: &Limits) -> Result<Self> {
        Self::check(entry, limits)?;
        let claim = entry.claim;
        let decoder = Decoder::new(entry.method, entry.has_end_mark, Some(claim.size))?;
        if decoder.is_stored() && claim.compressed != claim.size {
            return Err(wrong_size(claim.size, claim.compressed));
        }
        input.begin(Some(claim.compressed));
        let content = Content::new(decoder, Some(claim.size), limits.member_bytes);
        Ok(Self { input, content, claim, given: 0, is_checked: false, blockwise: None })
    }

    /// Sets the independent blocks.
    pub(crate) fn with_blockwise(mut self, blockwise: Option<Blockwise<R>>) -> Self {
        self.blockwise = blockwise;
        self
    }

    /// Reads the header of the array.
    pub(crate) fn into_reader(self, limits: Limits) -> Result<NpyReader<Self>> {
        let source = Source {
            fill: Self::fill,
            length: |member, _| member.length(),
            bytes: |_| &[],
            consume: |_, _| (),
            finish: Self::finish,
            is_owned: true,
            file: None,
        };
        NpyReader::with_source(self, source, &limits)
    }

    pub(crate) fn is_stored(&self) -> bool {
        self.content.is_stored()
    }

    /// The size of the content, if it is plausible.
    pub(crate) fn length(&self) -> Option<u64> {
        (self.claim.size / PLAUSIBLE_RATIO <= self.claim.compressed).then_some(self.claim.size)
    }

    /// Reads some of the remaining bytes, and nothing at the end.
    fn fill(&mut self, buf: &mut ReadBuf<'_>) -> io::Result<()> {
        let before = buf.filled();
        if !self.fill_blocks(buf)? {
            let mut most = u64::MAX;
            if let Some(block) = self.blockwise.as_ref().and_then(|blockwise| blockwise.blocks.block_of(self.given)) {
                // To the end of the block, after which blocks can be inflated in parallel. Without the
                // border, the decoder would read on into the next block.
                most = block.content.end - self.given;
                self.input.set_border(block.bytes.end);
            }
            self.content.fill(self.input, buf, most)?;
        }
        self.given += (buf.filled() - before) as u64;
        Ok(())
    }

    /// Inflates all blocks that fit `buf` in parallel, if one begins here and they are large enough.
    /// Returns whether it did.
    fn fill_blocks(&mut self, buf: &mut ReadBuf<'_>) -> io::Result<bool> {
        let Some(Blockwise { blocks: all, begin, threads, inflate }) = &self.blockwise else { return Ok(false) };
        let end = self.given.saturating_add(buf.remaining() as u64);
        let blocks = all.within(self.given..end);
        let ([first, _, ..], Some(last)) = (blocks, blocks.last()) else { return Ok(false) };
        let bytes = last.content.end - first.content.start;
        if bytes < LEAST_AT_ONCE {
            return Ok(false);
        }
        // The last bytes of the previous block may be unread.
        let mut mark = [0; MARK_BYTES];
        let mark = first.bytes.start.checked_sub(self.input.used()).and_then(|left| mark.get_mut(..usize::try_from(left).ok()?));
        let batch = Batch { begin: *begin, blocks, is_end: all.is_end(last), threads: *threads };
        let lengths = blocks.iter().map(|block| usize::try_from(block.content.end - block.content.start).unwrap_or(usize::MAX));
        let mut checksum = None;
        if let Some(mark) = mark
            && self.input.peek(mark)?
            && buf.fill_parts(lengths, |parts| {
                checksum = inflate(self.input.reader_behind(), &batch, parts);
                checksum.is_some()
            })
            && let Some(checksum) = checksum
        {
            self.input.pass(last.bytes.end - self.input.used());
            self.content.skip_blocks(mark, bytes, &checksum, batch.is_end)?;
            return Ok(true);
        }
        // The blocks contradict their extra field, so the data are read as a single stream.
        self.blockwise = None;
        Ok(false)
    }

    /// Reads the remaining bytes, and checks the content.
    pub(crate) fn finish(&mut self) -> Result<()> {
        if self.is_checked {
            return Ok(());
        }
        let left = self.claim.size - self.given;
        if left > MOST_TRAILING && !self.content.is_at_end() {
            return Err(trailing(left));
        }
        let claim = self.content.finish_data(self.input, None, |_| Ok(self.claim))?;
        self.content.check(&claim)?;
        self.is_checked = true;
        Ok(())
    }
}

impl<R: Read> Read for Member<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut buf = ReadBuf::over(buffer);
        self.fill(&mut buf)?;
        let filled = buf.filled();
        if filled == 0 && !buffer.is_empty() {
            self.finish()?;
        }
        Ok(filled)
    }
}

impl<R: Read + Seek> Seek for Member<'_, R> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let (base, offset) = match position {
            SeekFrom::Start(offset) => (offset, 0),
            SeekFrom::Current(offset) => (self.given, offset),
            SeekFrom::End(offset) => (self.claim.size, offset),
        };
        let target = base.checked_add_signed(offset).filter(|target| *target <= self.claim.size);
        let target = target.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "cannot seek out of the member"))?;
        if self.is_stored() && target != self.given {
            self.input.move_by(target.cast_signed() - self.given.cast_signed())?;
            self.content.move_to(target);
            self.given = target;
        }
        let distance = target
            .checked_sub(self.given)
            .ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "cannot seek backwards in a compressed member"))?;
        if io::copy(&mut self.by_ref().take(distance), &mut io::sink())? < distance {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(target)
    }
}

#[cfg(test)]
mod tests {
    use crate::some::some;
    use std::io::{Cursor, Read};

    use crate::memory::ReadBuf;
    use crate::npz::{NpzReader, NpzWriter};

    const MIB: usize = 1 << 20;

    #[test]
    fn arrays_are_followed_by_a_mebibyte_at_most() {
        let mut array = Vec::new();
        crate::write(&mut array, &[1_u8, 2]).unwrap();
        let with_bytes_behind = |count: usize| {
            let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
            archive.add_bytes("x.npy", &[&array[..], &vec![0; count]].concat()).unwrap();
            NpzReader::new(archive.finish().unwrap()).unwrap().by_name::<u8>("x")
        };
        assert_eq!(with_bytes_behind(MIB).unwrap(), [1, 2]);
        let error = with_bytes_behind(MIB + 1).unwrap_err();
        let expected = "member \"x\": expected the end of the member after its array, found 1048577 more bytes";
        assert_eq!(error.to_string(), expected);
    }

    /// The result alone does not prove that blocks were inflated in parallel.
    #[test]
    fn blocks_are_inflated_in_parallel() {
        let mut state = 1_u64;
        // Noise, then steps: blocks of Huffman codes alone, and of matches.
        let noise = |state: &mut u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *state >> 12
        };
        let items: Vec<u64> = (0..MIB).map(|i| if i % 300_000 < 150_000 { noise(&mut state) } else { i as u64 / 3 }).collect();
        let mut content = Vec::new();
        crate::write(&mut content, &items).unwrap();
        for level in some([6, 1, 2], 3) {
            let mut archive = NpzWriter::new_compressed(Cursor::new(Vec::new()));
            archive.set_options(archive.options().level(level));
            archive.add_content("x", |member| Ok(content.chunks(1000).try_for_each(|part| member.write_all(part))?)).unwrap();
            archive.add_slice("y", &items).unwrap();
            archive.add_stream("z", |writer| writer.write_slice(&items)).unwrap();
            let file = archive.finish().unwrap().into_inner();
            let mut archive = NpzReader::from_bytes(&file).unwrap();
            archive.set_threads(2);
            // After small writes, the first block begins with the header; otherwise it is the header.
            for (index, first) in [(0, MIB), (1, 128), (2, 128)] {
                let mut member = archive.member(index).unwrap();
                let mut found = vec![0; content.len()];
                // The header of the array, and the rest of its block.
                member.read_exact(&mut found[..128]).unwrap();
                member.read_exact(&mut found[128..first]).unwrap();
                let mut buf = ReadBuf::over(&mut found[first..]);
                assert!(member.fill_blocks(&mut buf).unwrap(), "{level} {index}");
                assert!(buf.is_full() && member.blockwise.is_some());
                assert!(found == content, "{level} {index}");
                member.given = content.len() as u64;
                member.finish().unwrap();

                // From the middle of a block to the middle of another.
                let mut member = archive.member(index).unwrap();
                let end = content.len() - MIB / 2;
                member.read_exact(&mut found[..MIB + 5]).unwrap();
                member.read_exact(&mut found[MIB + 5..2 * MIB + first % MIB]).unwrap();
                let mut buf = ReadBuf::over(&mut found[2 * MIB + first % MIB..end]);
                assert!(member.fill_blocks(&mut buf).unwrap() && !buf.is_full(), "{level} {index}");
                member.given += buf.filled() as u64;
                let given = usize::try_from(member.given).unwrap();
                member.read_to_end(&mut found).unwrap();
                assert!(found[content.len()..] == content[given..] && found[..given] == content[..given], "{level} {index}");
            }
        }
    }
}
