//! Short lists of axis lengths and short names kept on the stack, so that reading a header
//! allocates nothing.

use std::fmt;
use std::ops::Deref;

/// The lengths of axes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Lengths(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Lengths from `count` on are 0. All fields have one width, because headers are moved: loading several
    /// fields at once stalls if they were stored one by one.
    Few { count: usize, lengths: [usize; Lengths::FEW] },
    /// More lengths.
    Many(Vec<usize>),
}

impl Lengths {
    const FEW: usize = 4;

    pub(crate) const fn new() -> Self {
        Self(Repr::Few { count: 0, lengths: [0; Self::FEW] })
    }

    #[inline]
    pub(crate) fn push(&mut self, length: usize) {
        match &mut self.0 {
            Repr::Few { count, lengths } => match lengths.get_mut(*count) {
                Some(slot) => {
                    *slot = length;
                    *count += 1;
                }
                None => self.0 = Repr::Many([lengths.as_slice(), &[length]].concat()),
            },
            Repr::Many(lengths) => lengths.push(length),
        }
    }
}

impl Deref for Lengths {
    type Target = [usize];

    #[inline]
    fn deref(&self) -> &[usize] {
        match &self.0 {
            Repr::Few { count, lengths } => lengths.get(..*count).unwrap_or_default(),
            Repr::Many(lengths) => lengths,
        }
    }
}

impl From<&[usize]> for Lengths {
    fn from(lengths: &[usize]) -> Self {
        let mut few = Self::new();
        match &mut few.0 {
            Repr::Few { count, lengths: slots } if lengths.len() <= Self::FEW => {
                slots.iter_mut().zip(lengths).for_each(|(slot, length)| *slot = *length);
                *count = lengths.len();
                few
            }
            _ => Self(Repr::Many(lengths.to_vec())),
        }
    }
}

impl From<Vec<usize>> for Lengths {
    fn from(lengths: Vec<usize>) -> Self {
        if lengths.len() <= Self::FEW { lengths.as_slice().into() } else { Self(Repr::Many(lengths)) }
    }
}

impl FromIterator<usize> for Lengths {
    fn from_iter<I: IntoIterator<Item = usize>>(lengths: I) -> Self {
        let mut collected = Self::new();
        lengths.into_iter().for_each(|length| collected.push(length));
        collected
    }
}

impl fmt::Debug for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// The name of a field.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Name(NameRepr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum NameRepr {
    /// UTF-8. Bytes from `length` on are 0.
    Short { length: u8, bytes: [u8; Name::SHORT] },
    /// A longer name.
    Long(Box<str>),
}

impl Name {
    /// With the length and the mark of the variant as large as a `String`.
    const SHORT: usize = 22;

    pub(crate) const EMPTY: Self = Self(NameRepr::Short { length: 0, bytes: [0; Self::SHORT] });

    /// UTF-8.
    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            NameRepr::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            NameRepr::Long(text) => text.as_bytes(),
        }
    }

    /// Returns the bytes of a short name and their number as three words; `None` for a long one.
    #[inline]
    pub(crate) fn words(&self) -> Option<[u64; 3]> {
        let NameRepr::Short { length, bytes } = &self.0 else { return None };
        let (([first, second], _), Some(last)) = (bytes.as_chunks::<8>(), bytes.last_chunk::<6>()) else { return None };
        let mut third = [*length, 0, 0, 0, 0, 0, 0, 0];
        let [_, _, behind @ ..] = &mut third;
        *behind = *last;
        Some([u64::from_le_bytes(*first), u64::from_le_bytes(*second), u64::from_le_bytes(third)])
    }

    /// Returns the rank among short names, by length first, so that numbered names ascend; `None` for a long
    /// one.
    #[inline]
    pub(crate) fn rank(&self) -> Option<(u64, [u64; 3])> {
        let [first, second, third] = self.words()?;
        // The first byte of a text counts most. The length is once more in the last byte, where it
        // changes nothing.
        Some((third & 0xff, [first, second, third].map(u64::swap_bytes)))
    }

    /// Replaces a short name in place, and leaves a long one.
    #[inline(always)]
    pub(crate) fn set_short(&mut self, name: ShortName) {
        if let NameRepr::Short { length, bytes } = &mut self.0 {
            name.put(bytes);
            *length = name.length;
        }
    }
}

/// A name that takes no memory of its own, in registers.
#[derive(Clone, Copy)]
pub(crate) struct ShortName {
    words: [u64; 3],
    length: u8,
}

impl ShortName {
    /// Creates a name of `length` UTF-8 bytes from these words, which are zero behind it. Returns
    /// `None` if it exceeds the inline capacity.
    #[inline(always)]
    pub(crate) fn new(words: [u64; 3], length: usize) -> Option<Self> {
        (length <= Name::SHORT).then_some(Self { words, length: u8::try_from(length).ok()? })
    }

    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        usize::from(self.length)
    }

    /// Stores the bytes. The last word overlaps the second, because not all of it fits.
    #[inline(always)]
    fn put(self, bytes: &mut [u8; Name::SHORT]) {
        let [first, second, third] = self.words;
        if let Some(last) = bytes.last_chunk_mut() {
            *last = ((third << 16) | (second >> 48)).to_le_bytes();
        }
        if let ([first_bytes, second_bytes], _) = bytes.as_chunks_mut() {
            *first_bytes = first.to_le_bytes();
            *second_bytes = second.to_le_bytes();
        }
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            NameRepr::Short { .. } => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            NameRepr::Long(text) => text,
        }
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        let mut bytes = [0; Self::SHORT];
        match bytes.get_mut(..text.len()) {
            Some(slots) => {
                slots.copy_from_slice(text.as_bytes());
                // At most 22.
                Self(NameRepr::Short { length: u8::try_from(text.len()).unwrap_or_default(), bytes })
            }
            None => Self(NameRepr::Long(text.into())),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{Lengths, Name, ShortName};

    #[test]
    fn lengths_are_those_that_were_put_in() {
        for count in 0..10 {
            let lengths: Vec<usize> = (1..=count).collect();
            let pushed: Lengths = lengths.iter().copied().collect();
            assert_eq!(*pushed, lengths);
            assert_eq!(pushed, Lengths::from(lengths.as_slice()));
            assert_eq!(pushed, Lengths::from(lengths));
        }
        assert_ne!(Lengths::from(vec![0]), Lengths::new());
    }

    #[test]
    fn names_are_those_that_were_put_in() {
        for length in 0..30 {
            let text = "é".repeat(length);
            assert_eq!((&*Name::from(text.as_str()), Name::from(text.as_str()).as_bytes()), (text.as_str(), text.as_bytes()));
        }
        let mut words = [0; 3];
        for length in 0..30 {
            let text = &"abcdefghijklmnopqrstuvwxyz0123"[..length];
            if let Some(last) = length.checked_sub(1).filter(|last| *last < 24) {
                words[last / 8] |= u64::from(text.as_bytes()[last]) << (8 * (last % 8));
            }
            let name = ShortName::new(words, length).map(|short| {
                let long = Name::from("one that is longer than that");
                let mut other = long.clone();
                other.set_short(short);
                assert_eq!(other, long);
                let mut name = Name::from("another one");
                name.set_short(short);
                name
            });
            assert_eq!(name, (length <= 22).then(|| Name::from(text)));
            assert_eq!(name.and_then(|name| name.words()).is_some(), length <= 22);
        }
        assert_ne!(Name::from(""), Name::from("\0"));
        #[cfg(target_pointer_width = "64")]
        assert_eq!(size_of::<Name>(), size_of::<String>());
    }
}
