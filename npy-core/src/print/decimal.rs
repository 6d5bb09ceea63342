//! Integers in decimal, two digits at a time.

/// The digits of the largest integer of 64 bits.
pub(super) const MOST_IN_64_BITS: usize = 20;

/// The digits of the numbers below 100, two of each.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [*b"00"; 100];
    let mut number = 1;
    while number < pairs.len() {
        let [tens, ones] = pairs[number - 1];
        pairs[number] = if ones == b'9' { [tens + 1, b'0'] } else { [tens, ones + 1] };
        number += 1;
    }
    pairs
};

/// A buffer of ASCII text, aligned so that it is validated by words.
#[repr(align(16))]
pub(super) struct Ascii<const N: usize>(pub(super) [u8; N]);

impl<const N: usize> Ascii<N> {
    /// The text from this place on.
    pub(super) fn from(&self, begin: usize) -> &str {
        std::str::from_utf8(&self.0).ok().and_then(|text| text.get(begin..)).unwrap_or_default()
    }
}

/// Writes an integer in decimal to the end of a buffer of at least [`MOST_IN_64_BITS`]. Returns its
/// position.
pub(super) fn decimal(mut value: u64, buffer: &mut [u8]) -> usize {
    let pair = |number: u64| usize::try_from(number).ok().and_then(|number| PAIRS.get(number)).copied().unwrap_or(*b"00");
    let mut begin = buffer.len();
    while value >= 100 {
        begin -= 2;
        buffer[begin..begin + 2].copy_from_slice(&pair(value % 100));
        value /= 100;
    }
    let [tens, ones] = pair(value);
    begin -= 1;
    buffer[begin] = ones;
    if value >= 10 {
        begin -= 1;
        buffer[begin] = tens;
    }
    begin
}
