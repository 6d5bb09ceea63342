//! Printable ASCII without quotes and backslashes, which needs no escapes, eight characters at a
//! time.

/// Whether a byte ends such a text: quotes, backslashes, and all but printable ASCII.
const IS_SPECIAL: [bool; 256] = {
    let mut table = [true; 256];
    let mut byte = b' ' as usize;
    while byte <= b'~' as usize {
        table[byte] = byte == b'\'' as usize || byte == b'\\' as usize;
        byte += 1;
    }
    table
};

/// Counts the characters before the first one that ends the text; `None` if there is no such
/// character.
#[inline]
pub(super) fn plain_length(text: &[u8]) -> Option<usize> {
    let (words, rest) = text.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let length = plain_characters(u64::from_le_bytes(*word));
        if length < 8 {
            return Some(8 * i + length);
        }
    }
    let behind = rest.iter().position(|byte| IS_SPECIAL[usize::from(*byte)])?;
    Some(text.len() - rest.len() + behind)
}

/// Counts the characters, of eight, before the first one that ends the text. The lowest byte is the first.
#[inline(always)]
pub(super) fn plain_characters(word: u64) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGHEST: u64 = 0x80 * EACH;
    // The highest bit marks a special byte. A borrow or carry may falsify the byte above, but the lowest
    // special byte is right: nothing below it borrows or carries.
    let is_zero = |word: u64| word.wrapping_sub(EACH) & !word;
    let is_quote = is_zero(word ^ (0x27 * EACH));
    let is_backslash = is_zero(word ^ (0x5c * EACH));
    let is_control = word.wrapping_sub(0x20 * EACH);
    // DEL is the last of ASCII.
    let is_delete = word.wrapping_add(EACH);
    let special = (is_quote | is_backslash | is_control | is_delete | word) & HIGHEST;
    special.trailing_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use super::{IS_SPECIAL, plain_characters, plain_length};

    #[test]
    fn every_byte_ends_a_text_or_not_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            for behind in 0..=u8::MAX {
                for place in 0..8 {
                    let mut word = [b'a'; 8];
                    word[place..].fill(behind);
                    word[place] = byte;
                    let expected = word.iter().position(|byte| IS_SPECIAL[usize::from(*byte)]);
                    assert_eq!(plain_characters(u64::from_le_bytes(word)), expected.unwrap_or(8), "{word:?}");
                }
            }
        }
        for before in 0..40 {
            for behind in 0..20 {
                let mut text = vec![b'~'; before];
                assert_eq!(plain_length(&text), None);
                text.push(b'\'');
                text.resize(before + 1 + behind, 0);
                assert_eq!(plain_length(&text), Some(before));
            }
        }
    }
}
