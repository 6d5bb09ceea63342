//! Lengths of axes, and names, without memory of their own while they are few or short: reading a header takes no allocation then.

use std::fmt;
use std::ops::Deref;

/// The lengths of axes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Lengths(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// What is behind the `count` first ones is 0. All parts have one width: headers are moved, and a processor waits where it loads at once
    /// what was stored in pieces.
    Few { count: usize, lengths: [usize; Lengths::FEW] },
    /// More than that.
    Many(Vec<usize>),
}

impl Lengths {
    pub(crate) const FEW: usize = 4;

    /// The `count` first ones; what is behind them is 0.
    #[inline]
    pub(crate) fn few(count: usize, lengths: [usize; Self::FEW]) -> Self {
        Self(Repr::Few { count, lengths })
    }

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
    /// UTF-8; what is behind the `length` first bytes is 0.
    Short { length: u8, bytes: [u8; Name::SHORT] },
    /// Longer than that.
    Long(Box<str>),
}

impl Name {
    /// With the length and the mark of the variant as large as a `String`.
    const SHORT: usize = 22;

    /// UTF-8.
    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            NameRepr::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            NameRepr::Long(text) => text.as_bytes(),
        }
    }

    /// The bytes of a short name and their number, in three words; `None` of a long one.
    #[inline]
    pub(crate) fn words(&self) -> Option<[u64; 3]> {
        let NameRepr::Short { length, bytes } = &self.0 else { return None };
        let mut all = [*length; 24];
        all.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = *byte);
        let mut words = [0; 3];
        words.iter_mut().zip(all.as_chunks::<8>().0).for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
        Some(words)
    }

    /// The name that the first `length` bytes of an ASCII text are. What is behind them is read and dropped, if there is enough: copying a
    /// number of bytes that is not known before takes several times as long.
    #[inline(always)]
    pub(crate) fn from_ascii(text: &[u8], length: usize) -> Option<Self> {
        let (Some([first, second, third]), true) = (text.as_chunks::<8>().0.first_chunk::<3>(), length <= Self::SHORT) else {
            return std::str::from_utf8(text.get(..length)?).ok().map(Self::from);
        };
        let part = |chunk: &[u8; 8], begin: usize| {
            let kept = length.saturating_sub(begin).min(8);
            // Shifted by 64 it would stay as it is.
            let mask = if kept == 0 { 0 } else { u64::MAX >> (64 - 8 * kept) };
            (u64::from_le_bytes(*chunk) & mask).to_le_bytes()
        };
        let all = [part(first, 0), part(second, 8), part(third, 16)];
        let bytes = *all.as_flattened().first_chunk()?;
        Some(Self(NameRepr::Short { length: u8::try_from(length).ok()?, bytes }))
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
    use super::{Lengths, Name};

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
        for length in 0..30 {
            for behind in [0, 1, 7, 8, 24, 30] {
                let text = b"abcdefghijklmnopqrstuvwxyz0123".repeat(2);
                let name = Name::from_ascii(&text[..length + behind], length).unwrap();
                assert_eq!((name.as_bytes(), &name), (&text[..length], &Name::from(str::from_utf8(&text[..length]).unwrap())));
                assert_eq!(name.words().is_some(), length <= 22);
            }
        }
        assert_eq!((Name::from_ascii(b"abc", 4), Name::from_ascii(&[b'a'; 30], 31)), (None, None));
        assert_ne!(Name::from(""), Name::from("\0"));
        assert_eq!(size_of::<Name>(), size_of::<String>());
    }
}
