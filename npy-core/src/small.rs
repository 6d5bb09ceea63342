//! Lengths of axes, and names, without memory of their own while they are few or short: reading a header takes no allocation then.

use std::fmt;
use std::ops::Deref;

/// The lengths of axes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Lengths(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// What is behind the `count` first ones is 0.
    Few { count: u8, lengths: [usize; Lengths::FEW] },
    /// More than that.
    Many(Vec<usize>),
}

impl Lengths {
    const FEW: usize = 4;

    pub(crate) const fn new() -> Self {
        Self(Repr::Few { count: 0, lengths: [0; Self::FEW] })
    }

    pub(crate) fn push(&mut self, length: usize) {
        match &mut self.0 {
            Repr::Few { count, lengths } => match lengths.get_mut(usize::from(*count)) {
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
            Repr::Few { count, lengths } => lengths.get(..usize::from(*count)).unwrap_or_default(),
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
                // At most 4.
                *count = u8::try_from(lengths.len()).unwrap_or_default();
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
}

impl Name {
    /// A name of ASCII.
    pub(crate) fn from_ascii(text: &[u8]) -> Option<Self> {
        let mut bytes = [0; Self::SHORT];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(slots), Ok(length)) if text.is_ascii() => {
                slots.copy_from_slice(text);
                Some(Self(NameRepr::Short { length, bytes }))
            }
            _ => std::str::from_utf8(text).ok().map(Self::from),
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
        assert_ne!(Name::from(""), Name::from("\0"));
        assert_eq!(size_of::<Name>(), size_of::<String>());
    }
}
