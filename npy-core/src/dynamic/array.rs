//! An array whose dtype is known at run time: its constructors, its bytes and its fields.

use std::fmt;
use std::io::{Read, Write};
use std::path::Path;

use crate::element::{self, NpyElement};
use crate::error::{Error, Result, no_field};
use crate::format::dtype::{DType, Field};
use crate::format::header::Header;
use crate::limits::Limits;
use crate::memory::reserve_exact;
use crate::options::{Order, ReadOptions, SaveOptions};
use crate::read::NpyReader;
use crate::read::file::with_file;
use crate::transpose::bytes::InOrderC;
use crate::view::{NpyView, view_elements};
use crate::write::bytes::ElementBytes;
use crate::write::output::{cannot_write, total_length, write_parts};
use crate::write::replace::replace_file;
use crate::write::{dtype_of, header_of};

/// An array of any dtype: a dtype, a shape, an order and bytes.
///
/// The dtype is known at run time only. The bytes are those of the file: nothing is converted and
/// nothing is lost, such as padding, bytes of a bool other than 0 and 1, and invalid text. A loaded
/// array is saved byte for byte, except that the header is written as current NumPy writes it.
/// `npy_ndarray::DynArray` holds numbers as an array of `ndarray`.
///
/// ```
/// use npy_core::{Casting, DynValues};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// DynValues::from_slice(&[1.5_f32, 2.5])?.save(&path)?;
///
/// let values = DynValues::load(&path)?;
/// match values.dtype().to_string().as_str() {
///     "<f4" => println!("{:?}", values.view::<f32>()?), // a slice in place
///     "<f8" => println!("{:?}", values.to_vec::<f64>()?), // decoded
///     other => println!("{} bytes of {other}", values.bytes().len()),
/// }
/// assert_eq!(values.cast::<f64>(Casting::Safe)?, [1.5, 2.5]); // any number
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Records
///
/// [`field`](Self::field) copies one field as an array. The axes of sub-arrays become the last ones:
///
/// ```
/// use npy_core::{DynValues, Order};
///
/// let dtype = "[('id', '|u1'), ('at', '|i1', (2,))]".parse()?;
/// let values = DynValues::new(dtype, Order::C, &[2], vec![7, 1, 2, 8, 3, 4])?;
/// assert_eq!(values.field_as::<u8>("id")?, [7, 8]);
/// let at = values.field("at")?;
/// assert_eq!(at.shape(), [2, 2]);
/// assert_eq!(at.to_vec::<i8>()?, [1, 2, 3, 4]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Or look into the bytes of an element by the [leaves](DType::leaves) of its dtype:
///
/// ```
/// use npy_core::scalar::Decoder;
/// use npy_core::{DynValues, Order};
///
/// let dtype = "[('id', '|u1'), ('at', [('x', '>i2'), ('y', '>i2')])]".parse()?;
/// let values = DynValues::new(dtype, Order::C, &[2], vec![7, 0, 1, 0, 2, 8, 0, 3, 0, 4])?;
/// let mut found = Vec::new();
/// for element in values.bytes().chunks_exact(values.dtype().itemsize()) {
///     for leaf in values.dtype().leaves() {
///         let number = Decoder::<f64>::new(leaf.scalar()).map(|decoder| decoder.decode(&element[leaf.offset()..]));
///         found.push(format!("{} {}", leaf.path(), number.unwrap_or(f64::NAN)));
///     }
/// }
/// assert_eq!(found, ["id 7", "at.x 1", "at.y 2", "id 8", "at.x 3", "at.y 4"]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DynValues {
    header: Header,
    bytes: Vec<u8>,
}

impl DynValues {
    /// Creates an array of a dtype, order and shape from its bytes.
    ///
    /// The elements are in the order and the byte order that the arguments say.
    ///
    /// # Errors
    ///
    /// Fails if the number of bytes does not fit the dtype and the shape. Dtypes of Python objects and
    /// sub-arrays are refused.
    pub fn new(dtype: DType, order: Order, shape: &[usize], bytes: Vec<u8>) -> Result<Self> {
        Self::with_header(Header::new(dtype, order, shape)?, bytes)
    }

    /// The bytes of the data.
    pub(crate) fn with_header(header: Header, bytes: Vec<u8>) -> Result<Self> {
        Self::check_length(&header, bytes.len())?;
        Ok(Self::of_checked(header, bytes))
    }

    /// The bytes of the data, whose header was [checked](Self::check_length).
    pub(crate) fn of_checked(header: Header, bytes: Vec<u8>) -> Self {
        Self { header: normal(header), bytes }
    }

    /// Checks that a header has no objects, and that its data have this length.
    pub(crate) fn check_length(header: &Header, length: usize) -> Result<()> {
        if header.dtype().has_object() {
            return Err(Error::object_array());
        }
        let (expected, found) = (header.data_bytes(), length as u64);
        if expected != found {
            return Err(Error::wrong_length(expected, found));
        }
        Ok(())
    }

    /// Creates a one-dimensional array of elements.
    ///
    /// Text is as wide as the longest.
    pub fn from_slice<T: NpyElement>(items: &[T]) -> Result<Self> {
        let dtype = dtype_of(items.iter());
        if let Some(bytes) = ElementBytes::new(items, &dtype) {
            return Ok(Self { bytes: bytes.to_vec()?, header: header_of(dtype, &[items.len()])? });
        }
        Self::encode(Order::C, &[items.len()], items.iter())
    }

    /// An array of elements that are in the given order.
    ///
    /// Fails if an element cannot be expressed in its dtype, or if their number does not fit the
    /// shape.
    pub(crate) fn encode<'a, T: NpyElement + 'a>(
        order: Order,
        shape: &[usize],
        items: impl Iterator<Item = &'a T> + Clone,
    ) -> Result<Self> {
        let dtype = dtype_of(items.clone());
        // An array of sub-arrays also has their axes, as its last ones.
        let header = match order {
            Order::C => header_of(dtype.clone(), shape)?,
            Order::Fortran => Header::new(dtype.clone(), order, shape)?,
        };
        let (plan, itemsize) = (element::plan::<T>(&dtype)?, dtype.itemsize());
        let length = usize::try_from(header.data_bytes()).unwrap_or(usize::MAX);
        let mut bytes = zeros(length)?;
        let expected = shape.iter().product::<usize>();
        let found = element::encode_all(&plan, itemsize, items.take(expected), &mut bytes, 0)?;
        if found != expected {
            return Err(Error::wrong_count(expected as u64, found as u64));
        }
        Ok(Self { header, bytes })
    }

    /// Creates an array of elements that are encoded as a dtype, in the order of the header.
    ///
    /// Usually `stored` is the dtype of the header. It is another if no Rust type has that one: `int4` of `ml_dtypes`
    /// is stored as `|i1`. Fails if an element cannot be expressed in it, or if their number does not fit the shape.
    ///
    /// ```
    /// use npy_core::{DynValues, Header, Order};
    ///
    /// let header = Header::new("int4".parse()?, Order::C, &[3])?;
    /// let values = DynValues::from_items(header, &"|i1".parse()?, &[-8_i8, 0, 7])?;
    /// assert_eq!(values.dtype().to_string(), "int4");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn from_items<T: NpyElement>(header: Header, stored: &DType, items: &[T]) -> Result<Self> {
        if let Some(items) = ElementBytes::new(items, stored) {
            return Self::with_header(header, items.to_vec()?);
        }
        let (plan, itemsize) = (element::plan::<T>(stored)?, stored.itemsize());
        let mut bytes = zeros(items.len().saturating_mul(itemsize))?;
        element::encode_rarely(&plan, itemsize, items.iter(), &mut bytes, 0)?;
        Self::with_header(header, bytes)
    }

    /// Loads a file of any dtype.
    ///
    /// Fails if it cannot be read, is not an `.npy` file, is truncated, or holds Python objects.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, ReadOptions::new())
    }

    /// [`load`](Self::load) with options: limits, threads, order.
    #[allow(clippy::redundant_closure_for_method_calls, reason = "the method alone has one lifetime, not every")]
    pub fn load_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        with_file(path.as_ref(), options, |reader| reader.into_values())?.demand(options.order)
    }

    /// Reads the array at the current position of a stream, which is left just after it.
    pub fn read(reader: impl Read) -> Result<Self> {
        Self::read_with(reader, Limits::new())
    }

    /// [`read`](Self::read) with options: limits, order.
    pub fn read_with(reader: impl Read, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        NpyReader::new_with(reader, options)?.into_values()?.demand(options.order)
    }

    /// Saves the array as a file, atomically.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_with(path, SaveOptions::new())
    }

    /// [`save`](Self::save) with options: order, durable, in place.
    pub fn save_with(&self, path: impl AsRef<Path>, options: impl Into<SaveOptions>) -> Result<()> {
        let options = options.into();
        let bytes = total_length(&[&self.header.to_bytes(), &self.bytes]);
        replace_file(path, options, |file| {
            file.reserve(bytes);
            match options.order {
                Some(order) => self.write_in_order(file, order),
                None => self.write(file),
            }
        })
    }

    /// Writes the array to a stream.
    pub fn write(&self, mut writer: impl Write) -> Result<()> {
        let written = write_parts(&mut writer, &[&self.header.to_bytes(), &self.bytes]).and_then(|()| writer.flush());
        written.map_err(cannot_write)
    }

    /// Returns dtype, order and shape, as in a file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the dtype of the elements.
    pub fn dtype(&self) -> &DType {
        self.header.dtype()
    }

    /// Returns the lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        self.header.shape()
    }

    /// Returns the order of the elements in [`bytes`](Self::bytes).
    pub fn order(&self) -> Order {
        self.header.order()
    }

    /// Returns the bytes of the elements.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes of the elements by value.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Decodes the elements, in the order of [`order`](Self::order).
    ///
    /// Fails if the dtype is not that of the type, or if an element is not a value of it.
    pub fn to_vec<T: NpyElement>(&self) -> Result<Vec<T>> {
        self.reader().into_vec()
    }

    /// Returns a reader of the elements, which decodes them in parts.
    pub fn reader(&self) -> NpyReader<&[u8]> {
        NpyReader::from_parts(&self.bytes, self.header.clone())
    }

    /// Borrows the elements as a slice, in the order of [`order`](Self::order).
    ///
    /// # Errors
    ///
    /// Fails if the dtype is not that of the type, in the byte order of the machine; if an element
    /// is not a value of it; or if the memory is not aligned for it, which does not happen for
    /// types whose alignment the allocator gives to every block.
    pub fn view<T: NpyView>(&self) -> Result<&[T]> {
        view_elements(&self.header, &self.bytes)
    }

    /// Copies one field of an array of records.
    ///
    /// A dot names a field of a nested record, also of records in a sub-array: `pose.position`. A field
    /// whose own name has dots comes first.
    ///
    /// The axes of sub-arrays, around the field and of the field itself, become the last ones of the
    /// array.
    ///
    /// # Errors
    ///
    /// Fails if the elements are not records, if they have no such field, or if the result has more
    /// than 64 dimensions.
    pub fn field(&self, name: &str) -> Result<Self> {
        let found = self.dtype().field(name).ok_or_else(|| missing_field(name, self.dtype()))?;
        let (itemsize, count) = (self.dtype().itemsize(), self.header.element_count());
        let (base, own) = found.dtype().flattened();
        let inner = [found.shape(), &own].concat();
        // The axes of sub-arrays vary fastest, in C order; so must the others.
        let order = if inner.is_empty() { self.order() } else { Order::C };
        let header = Header::new(base.clone(), order, &[self.shape(), &inner].concat())?;
        let total = usize::try_from(header.data_bytes()).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        reserve_exact(&mut bytes, total)?;
        if total > 0 {
            let runs = found.runs();
            let mut element = |index: usize| {
                let element = &self.bytes[index * itemsize..][..itemsize];
                runs.clone().for_each(|run| bytes.extend_from_slice(&element[run]));
            };
            if order == self.order() || self.shape().len() < 2 {
                (0..count).for_each(&mut element);
            } else {
                InOrderC::new(self.shape()).for_each(&mut element);
            }
        }
        Self::with_header(header, bytes)
    }

    /// Decodes one field: [`field`](Self::field), then [`to_vec`](Self::to_vec).
    pub fn field_as<T: NpyElement>(&self, name: &str) -> Result<Vec<T>> {
        self.field(name)?.to_vec()
    }
}

/// Zeros, so that padding between stored values is zero.
fn zeros(length: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reserve_exact(&mut bytes, length)?;
    bytes.resize(length, 0);
    Ok(bytes)
}

impl fmt::Debug for DynValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynValues").field("header", &self.header).finish_non_exhaustive()
    }
}

/// The error for a missing field, which lists the names of the innermost record that exists.
#[cold]
pub(crate) fn missing_field(name: &str, dtype: &DType) -> Error {
    let (record, dtype) = dtype.fields_before(name).next().map_or(("", dtype), |(path, field)| (path, field.dtype()));
    match dtype.record() {
        Some(fields) if !fields.fields().is_empty() => no_field(name, record, fields.fields().iter().map(Field::name)),
        _ => no_field::<&str>(name, &dtype.to_string(), []),
    }
}

/// The header as current NumPy writes it: in the lowest version that can hold it, in C order if
/// both orders are the same, and without a sub-array for the elements.
fn normal(header: Header) -> Header {
    // `np.load` gives elements without bytes no strides, which is C order.
    let is_same = Order::are_same(header.shape()) || header.dtype().itemsize() == 0;
    let order = if is_same { Order::C } else { header.order() };
    let renewed = match order {
        Order::C => header_of(header.dtype().clone(), header.shape()),
        Order::Fortran => Header::new(header.dtype().clone(), order, header.shape()),
    };
    // In Fortran order the axes of sub-arrays would not be the last ones: such an array stays as no
    // NumPy has it.
    renewed.unwrap_or(header)
}
