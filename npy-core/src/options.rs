//! How a file is read.

use crate::limits::Limits;

/// How a file is read: what it may ask for, and by how many threads.
///
/// [`Limits`] alone stand for themselves and one thread.
///
/// ```
/// use npy_core::{Limits, ReadOptions};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("samples.npy");
/// # npy_core::save(&path, &[1.5_f32, 2.5])?;
/// let options = ReadOptions::new().limits(Limits::new().data_bytes(1 << 34)).threads(4);
/// assert_eq!(npy_core::load_with::<f32>(&path, options)?, [1.5, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct ReadOptions {
    pub(crate) limits: Limits,
    pub(crate) threads: usize,
}

impl ReadOptions {
    /// The default [`Limits`], and one thread.
    pub const fn new() -> Self {
        Self { limits: Limits::new(), threads: 1 }
    }

    /// What the file may ask for.
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How many threads read at most, the calling one included; 0 is taken for 1.
    ///
    /// They are used where they help: for 8 MiB or more, of a file that was opened by its path, into elements of any type that is
    /// `Send`. (For a struct with type parameters, the derive can tell that only of parameters with the bound `Send`; numbers and texts
    /// of fixed width need no proof.) Others are read by one thread, and on other systems than Unix all are. The result is the same,
    /// and so is the error, that of the first element of which there is one. Conversions of one's own, `#[npy(with = …)]`, are called
    /// on these threads.
    pub const fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Limits> for ReadOptions {
    fn from(limits: Limits) -> Self {
        Self::new().limits(limits)
    }
}
