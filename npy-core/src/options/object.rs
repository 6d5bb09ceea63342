//! Limits and permissions for pickles.

/// The treatment of unknown classes and functions in a pickle.
///
/// Known are those that NumPy's own files and plain values need. See [`ObjectOptions`] for an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownGlobals {
    /// Refuses the file, with an error that names the class or function.
    #[default]
    Refuse,
    /// Keeps it as a [`PyObject::Opaque`](crate::object::PyObject::Opaque), with its name and
    /// arguments. Nothing is imported or called.
    Opaque,
}

/// The encoding of a `str` of Python 2: `encoding` of `np.load`.
///
/// See [`ObjectOptions`] for an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// As ASCII; other bytes are an error.
    #[default]
    Ascii,
    /// As Latin-1: each byte is the character of that number.
    Latin1,
    /// As [`PyObject::Bytes`](crate::object::PyObject::Bytes).
    Bytes,
}

/// Options and limits for arrays of Python objects.
///
/// The defaults read every file of plain values that NumPy writes, in memory proportional to the
/// file.
///
/// ```
/// use npy_core::object::{self, Encoding, ObjectArray, ObjectOptions, PyObject, UnknownGlobals};
///
/// let nested = (0..10).fold(PyObject::None, |inner, _| PyObject::List(vec![inner]));
/// let mut file = Vec::new();
/// ObjectArray::from(vec![nested]).write(&mut file)?;
///
/// // Files of Python 2, and objects of classes that this library does not know.
/// let options = ObjectOptions::new().encoding(Encoding::Latin1).unknown_globals(UnknownGlobals::Opaque);
/// assert_eq!(object::read_with(&file[..], options)?.shape(), [1]);
///
/// let error = object::read_with(&file[..], options.depth(10)).unwrap_err();
/// assert!(error.to_string().contains("levels of objects"));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct ObjectOptions {
    pub(crate) unknown_globals: UnknownGlobals,
    pub(crate) encoding: Encoding,
    pub(crate) depth: usize,
    pub(crate) items: u64,
    pub(crate) bytes: u64,
    pub(crate) expansion: u64,
    pub(crate) keeps_cycles: bool,
}

/// The limit of levels, because recursive functions walk and drop values.
pub(crate) const MOST_DEPTH: usize = 200;

/// The default limit of levels, for reading and writing.
pub(crate) const DEFAULT_DEPTH: usize = 200;

impl ObjectOptions {
    /// Returns the default options.
    ///
    /// Unknown classes and functions are refused, and a `str` of Python 2 is ASCII. Containers have
    /// at most 200 levels. Objects and bytes are unlimited, and copies of shared objects take at
    /// most 64 MiB.
    pub const fn new() -> Self {
        Self {
            unknown_globals: UnknownGlobals::Refuse,
            encoding: Encoding::Ascii,
            depth: DEFAULT_DEPTH,
            items: u64::MAX,
            bytes: u64::MAX,
            expansion: 64 << 20,
            keeps_cycles: false,
        }
    }

    /// Sets the treatment of unknown classes and functions.
    pub const fn unknown_globals(mut self, choice: UnknownGlobals) -> Self {
        self.unknown_globals = choice;
        self
    }

    /// Sets the encoding of a `str` of Python 2.
    pub const fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// Keeps a reference of an item to a container around it as an opaque `...`, instead of an error.
    ///
    /// It is a [`PyObject::Opaque`](crate::object::PyObject::Opaque) without a module, whose name is
    /// `...`. The rest of the pickle is read as usual.
    ///
    /// ```
    /// use npy_core::object::{self, ObjectOptions};
    ///
    /// // In Python: x = ['a']; x.append(x); array[0] = x
    /// # let mut file = npy_core::Header::new("|O".parse()?, npy_core::Order::C, &[1])?.to_bytes();
    /// # file.extend(b"cnumpy._core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I1\nt");
    /// # file.extend(b"cnumpy\ndtype\n(VO8\nI00\nI01\ntR(I3\nV|\nNNNI-1\nI-1\nI63\ntbI00\n(l(lp1\nVa\nag1\naatb.");
    /// let options = ObjectOptions::new().keep_cycles(true);
    /// assert_eq!(object::read_with(&file[..], options)?.items()[0].to_string(), "['a', ...]");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub const fn keep_cycles(mut self, yes: bool) -> Self {
        self.keeps_cycles = yes;
        self
    }

    /// Limits the nesting of objects.
    ///
    /// The array itself counts, and so does each axis beyond the first. Values above 200 have no
    /// effect.
    pub const fn depth(mut self, limit: usize) -> Self {
        self.depth = if limit < MOST_DEPTH { limit } else { MOST_DEPTH };
        self
    }

    /// Limits the number of objects in the pickle, dtypes and the like included.
    pub const fn items(mut self, limit: u64) -> Self {
        self.items = limit;
        self
    }

    /// Limits the size of the pickle in bytes.
    pub const fn bytes(mut self, limit: u64) -> Self {
        self.bytes = limit;
        self
    }

    /// Limits the memory of values beyond 64 bytes for each byte of the pickle.
    ///
    /// An object in several places of a pickle is stored once, and copied to each of them when it
    /// is read. Without this limit, a file of a few bytes could ask for any amount of memory.
    pub const fn expansion(mut self, limit: u64) -> Self {
        self.expansion = limit;
        self
    }
}

impl Default for ObjectOptions {
    fn default() -> Self {
        Self::new()
    }
}
