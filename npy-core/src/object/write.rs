//! Writing of arrays of Python objects.

use std::io::Write;
use std::path::Path;

use super::pickle::pickler::{Failure, Pickler};
use super::value::PyObject;
use super::value::array::ObjectArray;
use super::value::subclass::{ArrayClass, Subclass};
use crate::dynamic::DynValues;
use crate::error::{Error, ErrorKind, Result, StorageProblem};
use crate::format::dtype::{DType, ScalarKind, Title};
use crate::format::header::Header;
use crate::options::{Order, SaveOptions};
use crate::write::replace::replace_file_with;

impl ObjectArray {
    /// Writes a file atomically. NumPy 1.26 and later opens it with `np.load(path, allow_pickle=True)`.
    ///
    /// # Errors
    ///
    /// When an object cannot be written (an [`Opaque`](super::Opaque) one), or the file cannot;
    /// what was at `path` is there still then.
    ///
    /// ```
    /// use npy_core::object::ObjectArray;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("names.npy");
    /// ObjectArray::from(vec!["Ada", "Grace"]).save(&path)?;
    /// # assert_eq!(npy_core::object::load(&path)?.shape(), [2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_with(path, SaveOptions::new())
    }

    /// [`save`](Self::save) with options.
    ///
    /// ```
    /// use npy_core::{SaveOptions, object::ObjectArray};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("names.npy");
    /// ObjectArray::from(vec!["Ada", "Grace"]).save_with(&path, SaveOptions::new().durable(true))?;
    /// assert_eq!(npy_core::object::load(&path)?.shape(), [2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`save`](Self::save).
    pub fn save_with(&self, path: impl AsRef<Path>, options: impl Into<SaveOptions>) -> Result<()> {
        replace_file_with(path.as_ref(), options.into(), 0, |file| self.write(file))
    }

    /// Writes the array to a stream.
    ///
    /// The bytes equal those of `np.save` of NumPy 2 if the values are plain, and no two of them the
    /// same object.
    ///
    /// # Errors
    ///
    /// When an object cannot be written, or writing fails; something may have been written then.
    ///
    /// ```
    /// use npy_core::object::{self, ObjectArray};
    ///
    /// let mut file = Vec::new();
    /// ObjectArray::from(vec![1, 2]).write(&mut file)?;
    /// assert_eq!(object::read(&file[..])?.to_vec::<u8>()?, [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn write(&self, mut writer: impl Write) -> Result<()> {
        let header = Header::new(self.dtype().clone(), self.order(), self.shape())?;
        header.write(&mut writer)?;
        let mut pickler = Pickler::new(&mut writer)?;
        pickler.object_array(("numpy", "ndarray"), self).map_err(|(index, failure)| failure.in_element(index))?;
        pickler.finish()
    }
}

/// The module of the functions that make arrays and scalars, as NumPy has named it since 1.26.
const MULTIARRAY: &str = "numpy._core.multiarray";

/// Levels above the dtype of an array or a scalar: the call, and its state or its arguments.
const ARRAY_LEVELS: usize = 2;

/// The class that a dtype of `ml_dtypes` is known by.
fn ml_name(dtype: &DType) -> Option<&'static str> {
    match dtype {
        DType::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Ml(ml) => Some(ml.name()),
            _ => None,
        },
        _ => None,
    }
}

impl Pickler<'_> {
    /// An array of objects; where it fails, with the index of the object.
    pub(super) fn object_array(&mut self, class: (&str, &str), array: &ObjectArray) -> Result<(), (usize, Failure)> {
        if let Some((plain, mask)) = array.uncovered() {
            return self.masked(false, &plain, &mask, &PyObject::None);
        }
        self.begin_array(class, array.shape()).map_err(|failure| (0, failure))?;
        self.object_content(array)?;
        self.end_array();
        Ok(())
    }

    /// The dtype, the order and the objects in the state of an array.
    fn object_content(&mut self, array: &ObjectArray) -> Result<(), (usize, Failure)> {
        let levels = levels_of_array(array.shape());
        self.enter(levels).map_err(|failure| (0, failure))?;
        match array.string_dtype() {
            None => self.dtype(array.dtype()),
            Some(string) => self.string_dtype(string.coerce(), string.na_object()),
        }
        .map_err(|failure| (0, failure))?;
        self.op(if array.order() == Order::Fortran { 0x88 } else { 0x89 });
        let (items, mut index) = (array.items(), 0);
        let written = self.list(items.len(), |pickler, i| {
            index = i;
            items.get(i).map_or(Ok(()), |item| pickler.object(item))
        });
        written.map_err(|failure| (index, failure))?;
        self.leave(levels);
        Ok(())
    }

    /// A masked array of objects.
    fn masked(&mut self, is_void: bool, array: &ObjectArray, mask: &[u8], fill_value: &PyObject) -> Result<(), (usize, Failure)> {
        self.begin_masked(is_void, array.shape()).map_err(|failure| (0, failure))?;
        self.object_content(array)?;
        self.end_masked(mask, fill_value).map_err(|failure| (0, failure))
    }

    /// `_mareconstruct(MaskedArray, ndarray, (0,), 'b')`, and the beginning of its state up to the shape.
    fn begin_masked(&mut self, is_void: bool, shape: &[usize]) -> Result<(), Failure> {
        self.global("numpy.ma.core", "_mareconstruct")?;
        self.op(b'(');
        let (module, class) = if is_void { ("numpy.ma.core", "mvoid") } else { ("numpy.ma", "MaskedArray") };
        self.global(module, class)?;
        self.global("numpy", "ndarray")?;
        self.small_int(0)?;
        self.end_tuple(0x85);
        self.text("b")?;
        self.end_tuple(b't');
        self.reduce();
        self.op(b'(');
        self.small_int(1)?;
        self.shape(shape)
    }

    /// The rest of that state behind the data.
    fn end_masked(&mut self, mask: &[u8], fill_value: &PyObject) -> Result<(), Failure> {
        self.bytes(mask)?;
        self.nested(ARRAY_LEVELS, |pickler| pickler.object(fill_value))?;
        self.end_array();
        Ok(())
    }

    /// An array of anything but objects.
    pub(super) fn array(&mut self, class: (&str, &str), array: &DynValues) -> Result<(), Failure> {
        self.begin_array(class, array.shape())?;
        self.content(array, class.1 == "recarray" && matches!(array.dtype(), DType::Record(_)))?;
        self.end_array();
        Ok(())
    }

    /// The dtype, the order and the data in the state of an array.
    fn content(&mut self, array: &DynValues, is_record: bool) -> Result<(), Failure> {
        self.nested(levels_of_array(array.shape()), |pickler| {
            // At least the lengths in the shape.
            pickler.check_levels(2)?;
            pickler.dtype_of_class(array.dtype(), is_record)
        })?;
        self.op(if array.order() == Order::Fortran { 0x88 } else { 0x89 });
        self.bytes(array.bytes())
    }

    /// An array or a scalar of one of NumPy's subclasses.
    pub(super) fn subclass(&mut self, object: &Subclass) -> Result<(), Failure> {
        match (&object.class, &object.base) {
            (ArrayClass::Matrix, PyObject::Array(array)) => self.array(("numpy", "matrix"), array),
            (ArrayClass::Matrix, PyObject::Objects(array)) => {
                self.object_array(("numpy", "matrix"), array).map_err(|(_, failure)| failure)
            }
            // `numpy.rec` is of NumPy 2; `numpy.recarray` is in all.
            (ArrayClass::RecArray, PyObject::Array(array)) => self.array(("numpy", "recarray"), array),
            (ArrayClass::RecArray, PyObject::Objects(array)) => {
                self.object_array(("numpy", "recarray"), array).map_err(|(_, failure)| failure)
            }
            (ArrayClass::MaskedConstant | ArrayClass::MaskedElement, _) => {
                self.global("numpy.ma.core", "MaskedConstant")?;
                self.op(b')');
                self.reduce();
                Ok(())
            }
            (ArrayClass::Masked { mask, fill_value, is_void }, PyObject::Array(array)) => {
                self.begin_masked(*is_void, array.shape())?;
                self.content(array, false)?;
                self.end_masked(mask.bytes(), fill_value)
            }
            (ArrayClass::Masked { mask, fill_value, is_void }, PyObject::Objects(array)) => {
                let written = match array.uncovered() {
                    Some((plain, mask)) => self.masked(*is_void, &plain, &mask, fill_value),
                    None => self.masked(*is_void, array, mask.bytes(), fill_value),
                };
                written.map_err(|(_, failure)| failure)
            }
            (ArrayClass::Record, PyObject::Scalar(scalar)) => self.scalar(scalar, true),
            (_, base) => self.nested(0, |pickler| pickler.object(base)),
        }
    }

    /// `_reconstruct(class, (0,), b'b')`, and the beginning of its state up to the shape.
    fn begin_array(&mut self, (module, class): (&str, &str), shape: &[usize]) -> Result<(), Failure> {
        self.global(MULTIARRAY, "_reconstruct")?;
        self.global(module, class)?;
        self.small_int(0)?;
        self.end_tuple(0x85);
        self.bytes(b"b")?;
        self.end_tuple(0x87);
        self.reduce();
        self.op(b'(');
        self.small_int(1)?;
        self.shape(shape)
    }

    fn end_array(&mut self) {
        self.end_tuple(b't');
        self.op(b'b');
    }

    fn shape(&mut self, shape: &[usize]) -> Result<(), Failure> {
        let Some(opcode) = self.begin_tuple(shape.len()) else { return Ok(()) };
        for &length in shape {
            // An array has no more elements than an `isize` can count.
            self.small_int(i64::try_from(length).unwrap_or(i64::MAX))?;
        }
        self.end_tuple(opcode);
        Ok(())
    }

    /// `scalar(dtype, bytes)`.
    pub(super) fn scalar(&mut self, scalar: &DynValues, is_record: bool) -> Result<(), Failure> {
        self.global(MULTIARRAY, "scalar")?;
        self.nested(ARRAY_LEVELS, |pickler| pickler.dtype_of_class(scalar.dtype(), is_record))?;
        self.bytes(scalar.bytes())?;
        self.end_tuple(0x86);
        self.reduce();
        Ok(())
    }

    fn string_dtype(&mut self, coerce: bool, na_object: Option<&PyObject>) -> Result<(), Failure> {
        self.global("numpy._core._internal", "_convert_to_stringdtype_kwargs")?;
        self.small_int(i64::from(coerce))?;
        self.check_levels(ARRAY_LEVELS + 1)?;
        match na_object {
            None => self.end_tuple(0x85),
            Some(missing) => {
                self.nested(ARRAY_LEVELS, |pickler| pickler.object(missing))?;
                self.end_tuple(0x86);
            }
        }
        self.reduce();
        Ok(())
    }

    /// `dtype(code, False, True)`, and its state.
    pub(super) fn dtype(&mut self, dtype: &DType) -> Result<(), Failure> {
        self.dtype_of_class(dtype, false)
    }

    /// The same, whose elements may be of the class `numpy.record`.
    fn dtype_of_class(&mut self, dtype: &DType, is_record: bool) -> Result<(), Failure> {
        let memory = Memory::of(dtype);
        self.check_levels(memory.levels)?;
        self.dtype_in_memory(dtype, &memory, is_record)
    }

    fn dtype_in_memory(&mut self, dtype: &DType, memory: &Memory, is_record: bool) -> Result<(), Failure> {
        let key = format!("{} {}", if is_record { "record" } else { "dtype" }, dtype.descr());
        if self.fetch_known(&key) {
            return Ok(());
        }
        let (code, order, numbers) = match dtype {
            DType::Scalar(scalar) => {
                let text = scalar.to_string();
                if ml_name(dtype).is_some() {
                    (String::new(), '<', [1, 1])
                } else if scalar.kind() == ScalarKind::Object {
                    ("O8".to_owned(), '|', [-1, -1])
                } else {
                    let order = text.chars().next().unwrap_or('|');
                    let code = text.get(1..).unwrap_or_default().split('[').next().unwrap_or_default().to_owned();
                    let is_flexible = matches!(code.as_bytes().first(), Some(b'S' | b'U' | b'V'));
                    (code, order, if is_flexible { [memory.itemsize, memory.alignment] } else { [-1, -1] })
                }
            }
            _ => (format!("V{}", memory.itemsize), '|', [memory.itemsize, memory.alignment]),
        };
        self.global("numpy", "dtype")?;
        if is_record {
            self.global("numpy", "record")?;
        } else if let Some(name) = ml_name(dtype) {
            self.global("ml_dtypes", name)?;
        } else {
            self.text(&code)?;
        }
        self.op(0x89);
        self.op(0x88);
        self.end_tuple(0x87);
        self.op(b'R');
        self.memoize_known(key);
        self.op(b'(');
        let unit = time_unit(dtype);
        self.small_int(if unit.is_some() { 4 } else { 3 })?;
        self.shared_text(&order.to_string())?;
        self.parts(dtype, memory)?;
        self.small_int(numbers[0])?;
        self.small_int(numbers[1])?;
        self.small_int(memory.flags)?;
        if let Some((symbol, count)) = unit {
            self.time_metadata(symbol, count)?;
        }
        self.end_tuple(b't');
        self.op(b'b');
        Ok(())
    }

    /// Base and shape of a sub-array, names and fields of a record, or nothing three times.
    fn parts(&mut self, dtype: &DType, memory: &Memory) -> Result<(), Failure> {
        if let (DType::SubArray(array), [base]) = (dtype, memory.parts.as_slice()) {
            self.dtype_in_memory(array.base(), &base.memory, false)?;
            self.shape(array.shape())?;
            self.end_tuple(0x86);
        } else {
            self.op(b'N');
        }
        let DType::Record(record) = dtype else {
            self.op(b'N');
            self.op(b'N');
            return Ok(());
        };
        let names: Vec<PyObject> = record.fields().iter().map(|field| PyObject::from(field.name())).collect();
        self.object(&PyObject::Tuple(names))?;
        self.op(b'}');
        self.memoize();
        for (field, part) in record.fields().iter().zip(&memory.parts) {
            let keys = match field.title() {
                None => vec![field.name()],
                Some(Title::Text(title)) => vec![field.name(), title.as_str()],
                Some(_) => {
                    let problem = StorageProblem::Title { field: field.name().to_owned() };
                    return Err(Error::from(ErrorKind::UnstorableDType { problem }).into());
                }
            };
            for key in &keys {
                self.text(key)?;
                self.dtype_in_memory(field.dtype(), &part.memory, false)?;
                self.small_int(part.offset)?;
                match field.title() {
                    Some(Title::Text(title)) => {
                        self.text(title)?;
                        self.end_tuple(0x87);
                    }
                    _ => self.end_tuple(0x86),
                }
                self.op(b's');
            }
        }
        Ok(())
    }

    /// Metadata, which there are none of, and the unit of a time.
    fn time_metadata(&mut self, symbol: &str, count: u32) -> Result<(), Failure> {
        self.op(b'N');
        self.op(b'(');
        self.bytes(symbol.as_bytes())?;
        self.small_int(i64::from(count))?;
        self.small_int(1)?;
        self.small_int(1)?;
        self.end_tuple(b't');
        self.end_tuple(0x86);
        Ok(())
    }
}

/// Each axis beyond the first is a level too.
fn levels_of_array(shape: &[usize]) -> usize {
    ARRAY_LEVELS.saturating_add(shape.len().saturating_sub(1))
}

/// The unit of a datetime or a timedelta.
fn time_unit(dtype: &DType) -> Option<(&'static str, u32)> {
    match dtype {
        DType::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Datetime { unit, count } | ScalarKind::Timedelta { unit, count } => Some((unit.symbol(), count)),
            _ => None,
        },
        _ => None,
    }
}

/// What NumPy keeps about a dtype beyond the header. Built once for a dtype and all of its parts,
/// because each needs those below it.
struct Memory {
    itemsize: i64,
    alignment: i64,
    flags: i64,
    /// Levels of objects in the pickle, as reading counts them.
    levels: usize,
    /// The fields of a record, or the base of a sub-array.
    parts: Vec<Part>,
}

struct Part {
    /// In memory an object takes the bytes of a pointer; in a header it takes none.
    offset: i64,
    memory: Memory,
}

/// Bytes of a pointer to an object, on all machines that are in use.
const POINTER_BYTES: i64 = 8;

impl Memory {
    fn of(dtype: &DType) -> Self {
        match dtype {
            DType::Scalar(scalar) => {
                let itemsize = i64::try_from(scalar.itemsize()).unwrap_or(i64::MAX);
                match scalar.kind() {
                    // All flags that NumPy has for objects: counted, kept as a list, initialised,
                    // and so on.
                    ScalarKind::Object => Self::of_scalar(POINTER_BYTES, POINTER_BYTES, 63),
                    ScalarKind::Unicode { .. } => Self::of_scalar(itemsize, 4, 8),
                    ScalarKind::Bytes { .. } | ScalarKind::Void { .. } => Self::of_scalar(itemsize, 1, 0),
                    ScalarKind::Complex64 | ScalarKind::Complex128 | ScalarKind::ComplexLongDouble { .. } => {
                        Self::of_scalar(itemsize, itemsize / 2, 0)
                    }
                    // The dtype, its state, the metadata, the unit and its parts.
                    ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. } => {
                        Self { levels: 5, ..Self::of_scalar(itemsize, itemsize, 0) }
                    }
                    _ => Self::of_scalar(itemsize, itemsize, 0),
                }
            }
            DType::SubArray(array) => {
                let base = Self::of(array.base());
                let count = |count: i64, length: &usize| count.saturating_mul(i64::try_from(*length).unwrap_or(i64::MAX));
                let itemsize = array.shape().iter().fold(base.itemsize, count);
                // The dtype, its state, a tuple of the base and the shape, and these.
                let levels = base.levels.max(2).saturating_add(3);
                let (alignment, flags) = (base.alignment, base.flags);
                Self { itemsize, alignment, flags, levels, parts: vec![Part { offset: 0, memory: base }] }
            }
            DType::Record(record) => {
                // Those flags of its fields that a record has too.
                const OF_FIELDS: i64 = 27;
                const RECORD: i64 = 16;
                // The dtype, its state, the dictionary of fields, and a tuple for each.
                let (mut flags, mut levels, mut added) = (RECORD, 4_usize, 0_i64);
                let mut parts = Vec::with_capacity(record.fields().len());
                // Fields come in the order of their offsets.
                for field in record.fields() {
                    let memory = Self::of(field.dtype());
                    let in_file = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
                    let offset = in_file(field.offset()).saturating_add(added);
                    added = added.saturating_add(memory.itemsize.saturating_sub(in_file(field.dtype().itemsize())));
                    flags |= memory.flags & OF_FIELDS;
                    levels = levels.max(memory.levels.saturating_add(4));
                    parts.push(Part { offset, memory });
                }
                let itemsize = i64::try_from(record.itemsize()).unwrap_or(i64::MAX).saturating_add(added);
                Self { itemsize, alignment: 1, flags, levels, parts }
            }
        }
    }

    fn of_scalar(itemsize: i64, alignment: i64, flags: i64) -> Self {
        // The dtype, its arguments, and the code among them.
        Self { itemsize, alignment, flags, levels: 3, parts: Vec::new() }
    }
}
