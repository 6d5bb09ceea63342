//! Plain values that callers pass: how a file is read and saved, and the order of its elements.

use crate::limits::Limits;

/// The order in which the elements of an array stand in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last axis varies fastest.
    #[default]
    C,
    /// The first axis varies fastest (`fortran_order: True`).
    Fortran,
}

/// How a file is read: what it may ask for, and by how many threads.
///
/// [`Limits`] alone stand for themselves and one thread.
///
/// ```
/// use npy_core::{Limits, ReadOptions};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
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

/// How a file is saved.
///
/// By default a file is replaced whole or not at all: the data go to a temporary file in the same directory, which is then renamed. A process that is
/// killed meanwhile leaves that file, `.NAME.npy-tmp`, which the next save of the same file takes over.
///
/// ```
/// use npy_core::SaveOptions;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// npy_core::save_with(&path, &[1.5_f32, 2.5], SaveOptions::new().durable(true))?;
/// assert_eq!(npy_core::load::<f32>(&path)?, [1.5, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct SaveOptions {
    pub(crate) is_durable: bool,
    pub(crate) is_in_place: bool,
}

impl SaveOptions {
    /// Whole or not at all, and on the disk when the system thinks fit.
    pub const fn new() -> Self {
        Self { is_durable: false, is_in_place: false }
    }

    /// Whether the file is brought to the disk before it gets its name, and then its name, so that it survives a power cut from then on. It takes the
    /// time of two `fsync`s, some milliseconds on many disks.
    ///
    /// If only the last step fails, the error is [`ErrorKind::NotDurable`](crate::ErrorKind::NotDurable): the file is replaced. After every other error it is as it was.
    pub const fn durable(mut self, durable: bool) -> Self {
        self.is_durable = durable;
        self
    }

    /// Whether the file that is there is written over instead of being replaced: many times as fast for many small files of the same size, because ext4 and
    /// others bring a file to the disk at once that replaces another (0.1 to 2 ms each). With [`durable`](Self::durable) it is on the disk when saving ends,
    /// but no less torn after a crash in between. **A crash, an error or a full
    /// disk leaves a torn file**, and who reads it meanwhile sees the old and the new mixed. A file that another one writes in place or adds to is an error;
    /// but where two make the same small file at the same moment, bytes of the longer may be left behind the array of the shorter. Links to the file stay
    /// links.
    ///
    /// ```
    /// use npy_core::SaveOptions;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("latest.npy");
    /// let options = SaveOptions::new().in_place(true);
    /// for step in 0..3 {
    ///     npy_core::save_with(&path, &[step; 28], options)?;
    /// }
    /// assert_eq!(npy_core::load::<i32>(&path)?, [2; 28]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub const fn in_place(mut self, in_place: bool) -> Self {
        self.is_in_place = in_place;
        self
    }
}
