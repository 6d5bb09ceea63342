//! Arrays of Python objects (dtype `O`), which NumPy stores as pickles: read as data, and written.
//!
//! ```
//! use npy_core::object::{self, ObjectArray};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("names.npy");
//! ObjectArray::from(vec![Some("Ada"), None]).save(&path)?;
//!
//! let names = object::load(&path)?; // in Python: np.load(path, allow_pickle=True)
//! assert_eq!(names.shape(), [2]);
//! assert_eq!(names.to_vec::<Option<String>>()?, [Some("Ada".to_owned()), None]);
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! A pickle is a program that Python runs, so `np.load` requires `allow_pickle=True`. This module never imports, calls or runs
//! anything. The opcodes build a tree of [`PyObject`]s, or values of your own with a [`Visitor`]. Classes of NumPy's own files and plain values are on a list of names; any other
//! name is an error, or an object with its name with [`UnknownGlobals::Opaque`]. All other modules of the crate refuse pickles.
//!
//! Memory and time are bounded by the length of the file and by [`ObjectOptions`]. An object that contains itself is an error, unless
//! [`ObjectOptions::keep_cycles`] is set.
//!
//! All dialects that NumPy writes are read: protocols 0 to 5, by Python 2 and 3, by NumPy 1 and 2,
//! and NumPy 2's `StringDType`. The pickle has the shape of the array; that of the header is
//! ignored, as in `np.load`.

mod value;

mod visitor;

mod pickle;

mod repr;
#[cfg(feature = "serde")]
mod serde;
mod write;

use std::io::Read;
use std::path::Path;

pub use repr::array::PrintedObjects;
#[cfg(feature = "serde")]
pub use serde::from_object;
pub use value::array::{ObjectArray, StringDType};
#[doc(hidden)]
pub use value::array::{items_of_sub_arrays, push_sub_items, record_item};
pub use value::convert::FromPyObject;
#[doc(hidden)]
pub use value::encode::encode_object;
pub use value::int::PyInt;
#[doc(hidden)]
pub use value::parts::ObjectItems;
pub use value::subclass::{ArrayClass, Subclass};
pub use value::surrogates::SurrogateStr;
pub use value::time::{PyDate, PyDateTime, PyTime, PyTimeDelta, PyTimeZone};
pub use value::{Opaque, PyObject};
pub use visitor::Visitor;

pub use crate::options::object::{Encoding, ObjectOptions, UnknownGlobals};

use crate::error::{Error, ErrorKind, Result};
use crate::options::ReadOptions;
use crate::read::NpyReader;
use crate::read::source::Stream;
use pickle::decode::Decoder;
use pickle::error::PickleError;
use pickle::tree::Tree;
use pickle::walk::Walker;

/// Reads a file of Python objects.
///
/// # Errors
///
/// Fails if the file cannot be read or is not an `.npy` file, if its dtype has no objects, if the
/// pickle is damaged or names an unknown class, or if it exceeds the default [`ObjectOptions`].
///
/// ```
/// use npy_core::object::{self, ObjectArray, PyObject};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("mixed.npy");
/// ObjectArray::from(vec![PyObject::from(1), PyObject::from("a")]).save(&path)?;
/// for item in object::load(&path)?.items() {
///     println!("{item}");
/// }
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<ObjectArray> {
    load_with(path, ReadOptions::new())
}

/// [`load`] with options: limits, objects.
pub fn load_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<ObjectArray> {
    let (path, options) = (path.as_ref(), options.into());
    NpyReader::open_with(path, options)?.into_objects(options).map_err(|error| error.with_path(path))
}

/// Reads an array of Python objects from a stream, which is left just after the pickle.
///
/// Wrap a `File` in a `BufReader`, or better, use [`load`].
///
/// # Errors
///
/// Like [`load`].
///
/// ```
/// use npy_core::object::{self, ObjectArray};
///
/// let mut stream = Vec::new();
/// ObjectArray::from(vec!["a", "b"]).write(&mut stream)?;
/// npy_core::write(&mut stream, &[0.5_f64])?;
///
/// let mut rest = &stream[..];
/// assert_eq!(object::read(&mut rest)?.to_vec::<String>()?, ["a", "b"]);
/// assert_eq!(npy_core::read::<f64>(&mut rest)?, [0.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn read(reader: impl Read) -> Result<ObjectArray> {
    read_with(reader, ReadOptions::new())
}

/// [`read`] with options: limits, objects.
pub fn read_with(reader: impl Read, options: impl Into<ReadOptions>) -> Result<ObjectArray> {
    let options = options.into();
    NpyReader::new_with(reader, options)?.into_objects(options)
}

impl<R: Read> NpyReader<R> {
    /// Reads the Python objects of the array, which may be a member of an archive.
    ///
    /// `reader.header().dtype().has_object()` returns whether there are any. Fails like [`load`].
    pub fn into_objects(self, options: impl Into<ReadOptions>) -> Result<ObjectArray> {
        // The class of the whole array is dropped, as it is for arrays without objects. Masked elements have their own class.
        let array = match self.visit_objects(&mut Tree, options)? {
            PyObject::Subclass(object) => object.base,
            array => array,
        };
        match array {
            PyObject::Objects(array) => Ok(*array),
            other => {
                Err(Error::new(ErrorKind::InvalidPickle, format!("expected an array of objects, found {}", other.type_name())))
            }
        }
    }

    /// Makes the values of a [`Visitor`] from the Python objects of the array, and returns that of the array.
    ///
    /// Fails like [`load`], and with the errors of the visitor. See [`Visitor`] for an example.
    pub fn visit_objects<V: Visitor>(mut self, visitor: &mut V, options: impl Into<ReadOptions>) -> Result<V::Value> {
        let options = options.into();
        if !self.header().dtype().has_object() {
            return Err(Error::not_objects(self.header().dtype()));
        }
        let offset = self.state.data_offset;
        self.state.begin()?;
        let Stream { reader, source } = &mut self.stream;
        // A pickle in memory is read in place. The buffer of a file may hold only its beginning.
        let bytes = if source.file.is_some() { &[] } else { (source.bytes)(reader) };
        let value = if bytes.is_empty() {
            let pickle = pickle::framing::read_pickle(reader, source.is_owned, options.objects.unwrap_or_default().bytes)
                .map_err(|error| error.into_error(offset, |_| 0))?;
            visit(&pickle, offset, &options, visitor)?.0
        } else {
            let (value, length) = visit(bytes, offset, &options, visitor)?;
            (source.consume)(reader, length);
            value
        };
        let count = self.remaining();
        self.elements().end(count)?;
        Ok(value)
    }
}

/// Visits the pickle at the beginning of `input`. Returns the value of its array, and its length.
fn visit<V: Visitor>(input: &[u8], data_offset: u64, options: &ReadOptions, visitor: &mut V) -> Result<(V::Value, usize)> {
    let objects = options.objects.unwrap_or_default();
    let mut visit = || {
        let (mut arena, root, length) = pickle::machine::run(input, &objects, V::SHARES)?;
        let cycles = pickle::measure::measure(&arena, root, &objects, V::SHARES)?;
        arena.cut(&cycles)?;
        let value = Walker::new(Decoder::new(&arena, &objects, options.limits), visitor).root(root)?;
        Ok((value, length))
    };
    visit().map_err(|error: PickleError| error.into_error(data_offset, |node| pickle::machine::offset_of(node, input, &objects)))
}

/// Returns the name, code, first protocol and effect of every opcode, for tests.
#[doc(hidden)]
pub fn __opcodes() -> impl Iterator<Item = (&'static str, u8, u8, &'static str)> {
    pickle::opcode::table()
}
