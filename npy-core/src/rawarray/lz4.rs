//! Decompression of an `.ra` file: one LZ4 block without a frame.

#[cfg(feature = "lz4")]
pub(super) use block::{compress, decompress};
#[cfg(not(feature = "lz4"))]
pub(super) use missing::decompress;

#[cfg(feature = "lz4")]
mod block {
    use crate::error::describe::counted;
    use crate::error::{Error, ErrorKind, Result};
    use crate::memory::reserve_exact;

    /// The largest input of the reference's C library (`LZ4_MAX_INPUT_SIZE`).
    const MOST_BYTES: usize = 0x7E00_0000;

    /// Decompresses a block at `offset` of the file to `expected` bytes.
    pub(crate) fn decompress(block: &[u8], expected: u64, offset: u64) -> Result<Vec<u8>> {
        // Checked before memory is allocated for the length in the header.
        let found = decompressed_length(block).map_err(|position| damaged(offset + position as u64))?;
        if found != expected {
            let sizes = format!("expected {}, found {found}", counted(expected, "byte"));
            let message = format!("wrong length of the decompressed data at byte {offset}: {sizes}");
            return Err(Error::new(ErrorKind::InvalidData, message).at_byte(offset));
        }
        let length = usize::try_from(found).map_err(|_| damaged(offset))?;
        let mut bytes = Vec::new();
        reserve_exact(&mut bytes, length)?;
        bytes.resize(length, 0);
        match lz4_flex::block::decompress_into(block, &mut bytes) {
            Ok(written) if written == length => Ok(bytes),
            _ => Err(damaged(offset)),
        }
    }

    /// Compresses bytes to a block.
    pub(crate) fn compress(bytes: &[u8]) -> Result<Vec<u8>> {
        if bytes.len() > MOST_BYTES {
            return Err(too_large(MOST_BYTES, bytes.len()));
        }
        let most = lz4_flex::block::get_maximum_output_size(bytes.len());
        let mut block = Vec::new();
        reserve_exact(&mut block, most)?;
        block.resize(most, 0);
        match lz4_flex::block::compress_into(bytes, &mut block) {
            Ok(written) => block.truncate(written),
            // It fails only if the output does not fit, but it has the size that was asked for.
            Err(_) => return Err(too_large(most, bytes.len())),
        }
        Ok(block)
    }

    /// The block, or the part of it that begins there, cannot be decompressed.
    #[cold]
    fn damaged(offset: u64) -> Error {
        Error::new(ErrorKind::InvalidData, format!("invalid compressed data at byte {offset}")).at_byte(offset)
    }

    #[cold]
    fn too_large(limit: usize, found: usize) -> Error {
        let limit = counted(limit, "byte");
        Error::new(ErrorKind::Unstorable, format!("array too large for LZ4: expected at most {limit}, found {found}"))
    }

    /// Computes the decompressed size of a block from its tokens, or the position where it is
    /// damaged.
    ///
    /// A block is sequences: a token with two lengths, more bytes of the first length, literals;
    /// then, but in the last one, two bytes that say how far back a match is, and more bytes of its
    /// length.
    fn decompressed_length(block: &[u8]) -> Result<u64, usize> {
        let (mut position, mut length) = (0, 0_u64);
        loop {
            let begin = position;
            let token = *block.get(position).ok_or(begin)?;
            position += 1;
            let literals = length_at(block, token >> 4, &mut position).ok_or(begin)?;
            position = usize::try_from(literals).ok().and_then(|literals| position.checked_add(literals)).ok_or(begin)?;
            length = length.checked_add(literals).ok_or(begin)?;
            if position == block.len() {
                return Ok(length);
            }
            position = position.checked_add(2).ok_or(begin)?;
            let matched = length_at(block, token & 15, &mut position).ok_or(begin)?;
            length = length.checked_add(matched).and_then(|length| length.checked_add(4)).ok_or(begin)?;
        }
    }

    /// A length of which the token holds up to 15, and the bytes that follow the rest: as long as
    /// they are 255, and one more.
    fn length_at(block: &[u8], in_token: u8, position: &mut usize) -> Option<u64> {
        let mut length = u64::from(in_token);
        if in_token == 15 {
            loop {
                let more = *block.get(*position)?;
                *position += 1;
                length = length.checked_add(u64::from(more))?;
                if more != 255 {
                    break;
                }
            }
        }
        Some(length)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_length_is_known_before_decompressing() {
            let mut state = 1_u32;
            for length in [0_usize, 1, 14, 15, 16, 300, 70_000] {
                for alphabet in [1, 2, 255] {
                    let byte = |_| {
                        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        ((state >> 24) % alphabet) as u8
                    };
                    let bytes: Vec<u8> = (0..length).map(byte).collect();
                    let block = compress(&bytes).unwrap();
                    assert_eq!(decompressed_length(&block), Ok(length as u64));
                    assert_eq!(decompress(&block, length as u64, 0).unwrap(), bytes);
                }
            }
        }
    }
}

#[cfg(not(feature = "lz4"))]
mod missing {
    use crate::error::{Error, ErrorKind, Result};

    /// Says which feature it takes.
    pub(crate) fn decompress(_block: &[u8], _expected: u64, _offset: u64) -> Result<Vec<u8>> {
        Err(Error::new(ErrorKind::Unsupported, "unsupported LZ4 compression: feature `lz4` is disabled"))
    }

    #[cfg(test)]
    mod tests {
        use crate::rawarray::{RaArray, RaHeader};

        #[test]
        fn the_error_names_the_feature() {
            let numbers = [2_u64, 2, 1, 2, 1, 1];
            let mut file = b"rawarray".to_vec();
            file.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
            file.extend([0x10, 7]);
            assert!(RaHeader::parse(&file).unwrap().0.is_compressed());
            let error = RaArray::read(&file[..]).unwrap_err();
            assert_eq!(error.to_string(), "unsupported LZ4 compression: feature `lz4` is disabled");
        }
    }
}
