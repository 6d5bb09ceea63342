//! Deviations of a header from the form in which NumPy writes it.

use std::fmt;
use std::hash::{Hash, Hasher};

/// A deviation of a header from the form in which NumPy writes it. It is read nevertheless.
///
/// ```
/// use npy_core::{Header, Leniency};
///
/// let text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3L,), }\n";
/// let file = [b"\x93NUMPY\x01\x00\x3b\x00", &text[..]].concat();
/// let (header, _) = Header::parse(&file)?;
/// assert!(header.leniencies().eq([Leniency::LongIntegers, Leniency::Alignment]));
/// assert_eq!(Leniency::LongIntegers.to_string(), "integers of Python 2, such as 10L");
///
/// let (header, _) = Header::parse(&header.to_bytes())?;
/// assert_eq!(header.leniencies().count(), 0);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Leniency {
    /// Integers such as `10L`, as Python 2 writes them. `np.load` warns of them.
    LongIntegers,
    /// Other spaces, quotes or names of dtypes, or the keys in another order.
    Spelling,
    /// Data at an offset that is not a multiple of 64. NumPy aligned them to 16 before version 1.14.
    Alignment,
    /// Elements that are sub-arrays, which `np.load` refuses unless there are none.
    SubArrays,
}

impl Leniency {
    const ALL: [Self; 4] = [Self::LongIntegers, Self::Spelling, Self::Alignment, Self::SubArrays];

    fn bit(self) -> u8 {
        match self {
            Self::LongIntegers => 1,
            Self::Spelling => 2,
            Self::Alignment => 4,
            Self::SubArrays => 8,
        }
    }
}

impl fmt::Display for Leniency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LongIntegers => "integers of Python 2, such as 10L",
            Self::Spelling => "another spelling than NumPy's",
            Self::Alignment => "data at an offset that is not a multiple of 64",
            Self::SubArrays => "elements that are sub-arrays",
        })
    }
}

/// A set of leniencies. Headers are equal whatever theirs are.
#[derive(Clone, Copy, Default)]
pub(super) struct Leniencies(u8);

impl Leniencies {
    /// Adds a leniency if it applies.
    pub(super) fn with(self, leniency: Leniency, applies: bool) -> Self {
        Self(if applies { self.0 | leniency.bit() } else { self.0 })
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Leniency> {
        Leniency::ALL.into_iter().filter(move |leniency| self.0 & leniency.bit() > 0)
    }
}

impl PartialEq for Leniencies {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Leniencies {}

impl Hash for Leniencies {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl fmt::Debug for Leniencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
