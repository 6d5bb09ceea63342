//! Lengths that an IPC file claims, compared with its bytes: the reader of Arrow allocates before it reads.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{CompressionType, Message, root_as_footer, root_as_message};
use arrow_schema::ArrowError;
use npy_core::{Error, Result};

use crate::error::of_arrow;

/// The first bytes of a message.
pub(crate) const STREAM_MARK: &[u8] = &[0xff; 4];

/// The bytes that one compressed byte stands for at most. A match of LZ4 is longer by 255 with each byte.
const MOST_LZ4: u64 = 255;
/// A block of Zstandard has at most 128 KiB, and at least 4 bytes.
const MOST_ZSTD: u64 = (128 << 10) / 4;

/// Checks that a stream has the bodies that its messages claim, because the reader allocates them before reading.
pub(crate) fn expect_messages(file: &mut File) -> Result<()> {
    let cannot_read = |error| Error::io("cannot read a message", error);
    let length = file.metadata().map_err(cannot_read)?.len();
    let mut offset = 0;
    while let Some(metadata_bytes) = metadata_bytes(file).map_err(cannot_read)? {
        let begin = file.stream_position().map_err(cannot_read)?;
        let expect = |expected: u64| match length.saturating_sub(begin) {
            found if found < expected => Err(Error::truncated("the message", offset, expected, found)),
            _ => Ok(()),
        };
        expect(metadata_bytes.into())?;
        let mut metadata = vec![0; usize::try_from(metadata_bytes).unwrap_or(usize::MAX)];
        file.read_exact(&mut metadata).map_err(cannot_read)?;
        let message = root_as_message(&metadata);
        let message = message.map_err(|error| of_arrow(ArrowError::ParseError(format!("invalid message: {error}"))))?;
        let body = u64::try_from(message.bodyLength()).unwrap_or(u64::MAX);
        expect(u64::from(metadata_bytes).saturating_add(body))?;
        let begin = begin + u64::from(metadata_bytes);
        expect_buffers(file, message, begin)?;
        offset = begin + body;
        file.seek(SeekFrom::Start(offset)).map_err(cannot_read)?;
    }
    Ok(())
}

/// The length of the metadata of the next message of a stream; `None` at its end, which may lack its mark.
fn metadata_bytes(file: &mut File) -> io::Result<Option<u32>> {
    let mut word = [0; 4];
    let mut next = || match file.read_exact(&mut word) {
        Ok(()) => Ok(u32::from_le_bytes(word)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
        Err(error) => Err(error),
    };
    // The mark is optional: Arrow before version 0.15 lacks it.
    let bytes = match next()? {
        u32::MAX => next()?,
        bytes => bytes,
    };
    Ok(Some(bytes).filter(|bytes| *bytes > 0))
}

/// The bytes after the footer: its length, and the magic string.
const TRAILER_BYTES: usize = 10;

/// Checks that the file has the blocks of its footer, because the reader allocates them before reading.
pub(crate) fn expect_blocks(file: &mut File) -> Result<()> {
    let cannot_read = |error| Error::io("cannot read the footer", error);
    let damaged = |problem| of_arrow(ArrowError::ParseError(problem));
    let length = file.metadata().map_err(cannot_read)?.len();
    let Some(end) = length.checked_sub(TRAILER_BYTES as u64) else {
        // Too short, which is an error of the reader.
        return Ok(());
    };
    let mut trailer = [0; TRAILER_BYTES];
    file.seek(SeekFrom::Start(end)).and_then(|_| file.read_exact(&mut trailer)).map_err(cannot_read)?;
    let footer_bytes = read_footer_length(trailer).map_err(of_arrow)?;
    let Some(begin) = end.checked_sub(footer_bytes as u64) else {
        return Err(damaged(format!("footer too long: {footer_bytes} bytes in a file of {length}")));
    };
    let mut footer = vec![0; footer_bytes];
    file.seek(SeekFrom::Start(begin)).and_then(|_| file.read_exact(&mut footer)).map_err(cannot_read)?;
    let footer = root_as_footer(&footer).map_err(|error| damaged(format!("invalid footer: {error}")))?;
    for block in footer.recordBatches().into_iter().flatten().chain(footer.dictionaries().into_iter().flatten()) {
        let number = |number: i64| u64::try_from(number).unwrap_or(u64::MAX);
        let (offset, body) = (number(block.offset()), number(block.bodyLength()));
        let expected = number(block.metaDataLength().into()).saturating_add(body);
        let found = length.saturating_sub(offset);
        if found < expected {
            return Err(Error::truncated("the array", offset, expected, found));
        }
        // Not more than the file has.
        let mut metadata = vec![0; usize::try_from(expected - body).unwrap_or(0)];
        file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(&mut metadata)).map_err(cannot_read)?;
        let front = if metadata.starts_with(STREAM_MARK) { 8 } else { 4 };
        let message = root_as_message(metadata.get(front..).unwrap_or_default());
        let message = message.map_err(|error| damaged(format!("invalid message: {error}")))?;
        expect_buffers(file, message, offset + expected - body)?;
    }
    Ok(())
}

/// Checks that the compressed buffers of a message can have the lengths that they claim.
fn expect_buffers(file: &mut File, message: Message<'_>, body: u64) -> Result<()> {
    let batch = message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data());
    let Some((batch, compression)) = batch.and_then(|batch| Some((batch, batch.compression()?))) else { return Ok(()) };
    let most = if compression.codec() == CompressionType::LZ4_FRAME { MOST_LZ4 } else { MOST_ZSTD };
    for buffer in batch.buffers().into_iter().flatten() {
        let number = |number: i64| u64::try_from(number).unwrap_or(u64::MAX);
        let (begin, length) = (body.saturating_add(number(buffer.offset())), number(buffer.length()));
        let mut claim = [0; 8];
        let Some(compressed) = length.checked_sub(claim.len() as u64) else { continue };
        // A buffer beyond the body is an error of the reader.
        if file.seek(SeekFrom::Start(begin)).and_then(|_| file.read_exact(&mut claim)).is_err() {
            continue;
        }
        // Negative numbers mark buffers that are not compressed, and invalid ones.
        let (claimed, most) = (u64::try_from(i64::from_le_bytes(claim)).unwrap_or(0), compressed.saturating_mul(most));
        if claimed > most {
            let problem = format!("invalid buffer at byte {begin}: expected a length of at most {most}, found {claimed}");
            return Err(of_arrow(ArrowError::ParseError(problem)));
        }
    }
    Ok(())
}
