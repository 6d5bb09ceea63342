//! Saves slices as files, and writes them to streams.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use super::bytes::ElementBytes;
use super::replace::replace_file;
use super::stage::Stage;
use crate::element::{self, Codec, NpyElement};
use crate::error::Result;
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::options::{Order, SaveOptions};

/// Saves a slice as a one-dimensional file, byte for byte as `np.save` does.
///
/// A slice of arrays `[T; N]` becomes a file of one more dimension.
///
/// Atomic: a save either replaces the whole file or leaves the old one untouched. The data go to a
/// temporary file in the same directory, which is then renamed.
///
/// Fails if the file cannot be written, or if an element cannot be expressed in the dtype.
///
/// ```
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// npy_core::save(&path, &["Ada".to_owned(), "Grace".to_owned()])?;
/// let names: Vec<String> = npy_core::load(&path)?; // in Python: array(['Ada', 'Grace'], dtype='<U5')
/// assert_eq!(names[1], "Grace");
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn save<T: NpyElement>(path: impl AsRef<Path>, items: &[T]) -> Result<()> {
    save_with(path, items, SaveOptions::new())
}

/// [`save`] with options: order, durable, in place.
pub fn save_with<T: NpyElement>(path: impl AsRef<Path>, items: &[T], options: impl Into<SaveOptions>) -> Result<()> {
    save_as(path.as_ref(), items, Header::of_slice(items), options.into())
}

/// Saves a slice in the dtype of another file, such as the one it came from.
///
/// Each field keeps the dtype, byte order, title and position that it has in `original`. [`save`]
/// writes those of the Rust type instead, so that a `String` read from `S6` becomes `<U…`, as wide
/// as the longest. Fields that the struct does not have are left out, and the others are then
/// packed.
///
/// The shape of `original` has no effect: the file has one dimension. For other shapes use
/// [`NpyWriter::create_like`](super::NpyWriter::create_like) with the dtype of `original`.
///
/// # Errors
///
/// Fails if `original` lacks a field or has one of another kind, and if an element does not fit its
/// dtype: the error names the record and the field.
///
/// ```
/// use npy_core::{Header, NpyReader, Order, save_like};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let original = Header::new("|S6".parse()?, Order::C, &[1])?; // of NpyReader::open(…)?.header()
/// save_like(&path, &["GRF".to_owned(), "BFO".to_owned()], &original)?;
///
/// let reader = NpyReader::open(&path)?;
/// assert_eq!(reader.header().dtype().to_string(), "|S6");
/// assert_eq!(reader.into_vec::<String>()?, ["GRF", "BFO"]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn save_like<T: NpyElement>(path: impl AsRef<Path>, items: &[T], original: &Header) -> Result<()> {
    let header = like(original, &dtype_of(items.iter()), items.len());
    save_as(path.as_ref(), items, header, SaveOptions::new())
}

/// The header of `length` elements of the dtype `own`, stored in the dtype of `original`.
fn like(original: &Header, own: &DType, length: usize) -> Result<Header> {
    let dtype = original.dtype().restricted_to(own);
    match own {
        // NumPy has no arrays of arrays.
        DType::SubArray(array) => Header::new(dtype, Order::C, &[&[length][..], &array.flattened().1].concat()),
        _ => Header::new(dtype, Order::C, &[length]),
    }
}

/// Writes a slice to a stream as a one-dimensional array, as `np.save` does.
///
/// Fails if writing fails, or if an element cannot be expressed in the dtype.
///
/// ```
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[1_u8, 2, 3])?;
/// assert_eq!(file.len(), 128 + 3);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn write<T: NpyElement>(mut writer: impl Write, items: &[T]) -> Result<()> {
    write_array(&mut writer, items, &Header::of_slice(items)?)
}

/// Saves elements with a header. Compiled once for each type of elements, not for each type of paths.
fn save_as<T: NpyElement>(path: &Path, items: &[T], header: Result<Header>, options: SaveOptions) -> Result<()> {
    let header = header.map_err(|error| error.with_path(path))?;
    replace_file(path, options, |file| {
        file.reserve(header.data_bytes());
        if options.order != Some(Order::Fortran) || Order::are_same(header.shape()) {
            return write_array(file, items, &header);
        }
        let mut whole = Vec::new();
        write_array(&mut whole, items, &header)?;
        let data_offset = header.to_bytes().len();
        ElementBytes::from_bytes(&whole[data_offset..], header.dtype()).write(file, &header, Order::Fortran)
    })
}

/// Writes a header and all of its elements.
fn write_array<T: NpyElement>(mut writer: &mut dyn Write, items: &[T], header: &Header) -> Result<()> {
    let layout = layout_of::<T>(header);
    let (plan, missing) = element::plan_to_write::<T>(layout.dtype())?;
    let mut stage = Stage::new(header, &layout, missing);
    stage.put_items(&mut writer, &plan, items)?;
    stage.end(&mut writer)
}

/// The header of elements in C order. NumPy has no arrays of arrays: those of elements `[T; N]`
/// have one dimension more.
pub(crate) fn header_of(dtype: DType, shape: &[usize]) -> Result<Header> {
    match dtype {
        DType::SubArray(array) => {
            let (base, axes) = array.flattened();
            Header::new(base.clone(), Order::C, &[shape, &axes].concat())
        }
        dtype => Header::new(dtype, Order::C, shape),
    }
}

impl Header {
    /// Returns the header that [`save`] writes in front of a slice.
    ///
    /// It has the size of the file before anything is encoded. The width of text is that of the longest,
    /// and arrays `[T; N]` add an axis.
    pub fn of_slice<T: NpyElement>(items: &[T]) -> Result<Self> {
        header_of(dtype_of(items.iter()), &[items.len()])
    }
}

/// Returns a dtype that holds all of `items`.
///
/// It is that of the type, except for text and raw bytes of any width:
///
/// ```
/// use npy_core::adapter::dtype_of;
///
/// let names = ["Mercury".to_owned(), "Venus".to_owned()];
/// assert_eq!(dtype_of(names.iter()).to_string(), "<U7");
/// ```
pub fn dtype_of<'a, T: NpyElement + 'a>(items: impl Iterator<Item = &'a T> + Clone) -> DType {
    if const { T::Codec::VARIES } { T::Codec::dtype_of(Some(items)) } else { T::dtype() }
}

/// The array as elements `T`, which contain its last axes if they are arrays.
pub(crate) fn layout_of<T: NpyElement>(header: &Header) -> Cow<'_, Header> {
    let axes = element::inner_axes::<T>();
    let inner = if axes > 0 { header.with_inner_axes(axes) } else { None };
    inner.map_or(Cow::Borrowed(header), Cow::Owned)
}
