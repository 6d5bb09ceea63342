//! Zero-copy views: the bytes of a file as a slice.
//!
//! Its `unsafe` proves that bytes are values of a type: their length, alignment, bit patterns and
//! lifetime.
#![allow(unsafe_code)]

#[cfg(feature = "mmap")]
pub(crate) mod map;
pub(crate) mod column;

use std::ops::Range;

use crate::element::{
    self, Datetime64, FixedBytes, FixedUnicode, FixedVoid, LongDouble, NpyElement, PlanOf, Probe, Timedelta64, unit::Unit,
};
use crate::error::{Error, ErrorKind, Result, ValueError, rust_type};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::limits::Limits;
use crate::memory::{Bulk, Plain};
use crate::options::ReadOptions;

/// An element whose memory is the bytes of a file, for zero-copy views.
///
/// These are numbers, bools, text of fixed width, times, raw bytes, arrays of them, and structs
/// with `#[npy(view)]`. See [`view`] for an example.
///
/// # Safety
///
/// Only the derive implements it. In an array whose dtype is the native layout of the type
/// (`LITTLE` or `BIG`), with an itemsize of `size_of::<Self>()`, the bytes of an element that
/// passes `check` are a valid value. Unless `HAS_PADDING`, every byte of every value is
/// initialised. It has no interior mutability.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be viewed in place",
    note = "its memory is not the bytes of a file: read a copy instead",
    note = "a struct with `#[derive(NpyRecord)]` can be viewed if it has `#[npy(view)]`",
    note = "use `FixedUnicode<N>` or `FixedBytes<N>` for text, `u64` for `usize`, `i64` for `isize`, `u32` for `char`"
)]
pub unsafe trait NpyView: NpyElement + 'static {
    /// Fails the build if the layout in memory is not that of the dtype.
    #[doc(hidden)]
    const PROOF: () = ();

    /// Whether some bytes of a value belong to no field, so that they need not be initialised.
    #[doc(hidden)]
    const HAS_PADDING: bool;

    /// Whether some patterns of bytes are invalid.
    #[doc(hidden)]
    const HAS_INVALID: bool;

    /// Fails if the bytes of an element are not a value.
    #[doc(hidden)]
    fn check(bytes: &[u8]) -> Result<(), ValueError>;
}

impl<T: NpyView> Probe<T> {
    /// Fails the build if the memory of the type is not the bytes of the file.
    pub const VIEW: () = T::PROOF;
}

/// Proof for the derive that the memory of a record is the file's bytes, if every pattern is valid.
pub const fn bulk_of_view<T: NpyView>() -> Option<Bulk<T>> {
    const { T::PROOF }
    if T::HAS_INVALID {
        return None;
    }
    // SAFETY: `NpyView` promises it: without `HAS_INVALID`, `check` passes every pattern.
    Some(unsafe { Bulk::of_record(T::HAS_PADDING) })
}

/// Fails the build, for the derive's proofs.
///
/// # Panics
///
/// In a constant: then the compiler shows the message.
pub const fn assert_layout(holds: bool, message: &'static str) {
    assert!(holds, "{}", message);
}

/// Fails the build, for the derive's proofs, unless a field has the same offset and size in memory as in
/// the file.
///
/// # Panics
///
/// In a constant: then the compiler shows the message.
pub const fn assert_field<T: NpyView>(lies_there: bool, message: &'static str) {
    const { T::PROOF }
    assert_layout(lies_there, message);
    match element::native::<T>() {
        Some(layout) => assert_layout(layout.itemsize == size_of::<T>(), message),
        None => assert_layout(false, message),
    }
}

/// [`NpyView::check`] for a field of a record, which begins at `offset`.
///
/// Fails if its bytes are not a value.
pub fn check_field<T: NpyView>(record: &[u8], offset: usize, name: &'static str) -> Result<(), ValueError> {
    check_flattened::<T>(record, offset).map_err(|error| error.in_field(name))
}

/// [`NpyView::check`] for a struct whose fields are fields of a record.
///
/// Fails if its bytes are not a value.
pub fn check_flattened<T: NpyView>(record: &[u8], offset: usize) -> Result<(), ValueError> {
    T::check(record.get(offset..).and_then(|rest| rest.get(..size_of::<T>())).ok_or_else(element::outside)?)
}

/// Borrows the elements of a file in memory, without copying them.
///
/// The file was read, mapped or embedded. The elements come in the order of the file.
///
/// # Errors
///
/// Fails if `bytes` do not begin with a complete `.npy` file, or if a bool is neither 0 nor 1.
/// Fails if the dtype differs from that of `T` in anything, byte order included, or if the data are
/// not aligned for `T`. [`NpyReader::from_bytes`](crate::NpyReader::from_bytes) reads a copy of those.
///
/// ```
/// let mut file = Vec::new();
/// npy_core::write(&mut file, b"GATTACA")?;
///
/// let bases: &[u8] = npy_core::view(&file)?; // bytes may lie at any address
/// assert_eq!(bases, b"GATTACA");
/// assert!(npy_core::view::<i8>(&file).is_err());
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn view<T: NpyView>(bytes: &[u8]) -> Result<&[T]> {
    view_with(bytes, Limits::new())
}

/// [`view`] with options: limits.
pub fn view_with<T: NpyView>(bytes: &[u8], options: impl Into<ReadOptions>) -> Result<&[T]> {
    Ok(view_with_header(bytes, options.into().limits)?.1)
}

/// Borrows the header and the elements of a file in memory.
///
/// Fails like [`view`].
///
/// ```
/// use npy_core::{Limits, adapter};
///
/// let mut file = vec![];
/// npy_core::write(&mut file, &[[1_u8, 2], [3, 4]])?;
/// let (header, items) = adapter::view_with_header::<u8>(&file, Limits::new())?;
/// assert_eq!((header.shape(), items), (&[2, 2][..], &[1, 2, 3, 4][..]));
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn view_with_header<T: NpyView>(bytes: &[u8], limits: Limits) -> Result<(Header, &[T])> {
    let (header, begin) = Header::parse_with(bytes, limits)?;
    let items = elements(&header, &bytes[begin..], begin, 0..header.element_count())?;
    Ok((header, items))
}

/// Borrows the elements of an array whose data are in memory without the header.
///
/// Fails like [`view`].
///
/// ```
/// use npy_core::{Header, Order, adapter};
///
/// let header = Header::new("|u1".parse()?, Order::C, &[2])?;
/// assert_eq!(adapter::view_elements::<u8>(&header, &[1, 2])?, [1, 2]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn view_elements<'a, T: NpyView>(header: &Header, data: &'a [u8]) -> Result<&'a [T]> {
    elements(header, data, 0, 0..header.element_count())
}

/// Some elements of an array whose data are `data`, at `offset` in the file.
pub(crate) fn elements<'a, T: NpyView>(header: &Header, data: &'a [u8], offset: usize, range: Range<usize>) -> Result<&'a [T]> {
    let data = &data[locate::<T>(header, data, offset, &range)?];
    // SAFETY: `locate` has checked that `data` are as many elements of `T`'s size at `T`'s
    // alignment, laid out as `NpyView` demands, and valid ones. The lifetime is that of `data`.
    Ok(unsafe { std::slice::from_raw_parts(data.as_ptr().cast::<T>(), range.len()) })
}

/// Borrows the elements of a file in memory mutably.
///
/// Fails like [`view`]. A struct with padding fails the build, because bytes that belong to no field
/// would be written to the file.
///
/// ```
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[1_u8, 2])?;
/// npy_core::view_mut::<u8>(&mut file)?[1] = 8;
/// assert_eq!(npy_core::read::<u8>(&file[..])?, [1, 8]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn view_mut<T: NpyView>(bytes: &mut [u8]) -> Result<&mut [T]> {
    view_mut_with(bytes, Limits::new())
}

/// [`view_mut`] with options: limits.
pub fn view_mut_with<T: NpyView>(bytes: &mut [u8], options: impl Into<ReadOptions>) -> Result<&mut [T]> {
    Ok(view_mut_with_header(bytes, options.into().limits)?.1)
}

/// Borrows the header and, mutably, the elements of a file in memory.
///
/// Fails like [`view_mut`]. See [`view_with_header`] for an example.
pub fn view_mut_with_header<T: NpyView>(bytes: &mut [u8], limits: Limits) -> Result<(Header, &mut [T])> {
    let (header, begin) = Header::parse_with(bytes, limits)?;
    let items = elements_mut(&header, &mut bytes[begin..], begin, 0..header.element_count())?;
    Ok((header, items))
}

/// [`elements`], mutably.
pub(crate) fn elements_mut<'a, T: NpyView>(
    header: &Header,
    data: &'a mut [u8],
    offset: usize,
    range: Range<usize>,
) -> Result<&'a mut [T]> {
    const {
        assert!(
            !T::HAS_PADDING,
            "a struct with padding cannot be viewed to be changed in place: what is between its fields is not defined"
        );
    }
    let place = locate::<T>(header, data, offset, &range)?;
    let data = &mut data[place];
    // SAFETY: as in `elements`; the borrow is also unique, and whatever `T` is stored, its
    // bytes are initialised, because it has no padding.
    Ok(unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr().cast::<T>(), range.len()) })
}

/// Checks the preconditions of viewing these elements, and returns the range of their bytes in `data`.
fn locate<T: NpyView>(header: &Header, data: &[u8], offset: usize, range: &Range<usize>) -> Result<Range<usize>> {
    let plan = element::plan::<T>(header.dtype())?;
    require_native::<T>(header.dtype(), &plan, "")?;
    let place = place_of(header, data, offset, range)?;
    let bytes = &data[place.clone()];
    let misalignment = bytes.as_ptr().addr() % align_of::<T>();
    if misalignment != 0 {
        let alignment = align_of::<T>();
        return Err(Error::new(
            ErrorKind::NotViewable,
            format!(
                "misaligned data: expected an address that is a multiple of {alignment}, found remainder {misalignment}; read a \
                 copy (`view_or_read` in an archive), or write the member with `WriteOptions::aligned`"
            ),
        ));
    }
    if T::HAS_INVALID {
        for (index, element) in bytes.chunks_exact(size_of::<T>().max(1)).enumerate() {
            T::check(element).map_err(|error| error.in_element((range.start + index) as u64))?;
        }
    }
    Ok(place)
}

/// Fails unless the bytes of a dtype, read by this plan, are laid out as `T` is in memory. The dtype is
/// that of the array, or of the field at `path`.
fn require_native<T: NpyView>(dtype: &DType, plan: &PlanOf<T>, path: &str) -> Result<()> {
    const { T::PROOF }
    let is_native = element::native::<T>().is_some_and(|layout| layout.plan == *plan);
    if is_native && dtype.itemsize() == size_of::<T>() { Ok(()) } else { Err(not_viewable::<T>(dtype, path)) }
}

#[cold]
fn not_viewable<T: NpyElement>(dtype: &DType, path: &str) -> Error {
    let (what, way_out) = match path {
        "" => ("the array".to_owned(), ""),
        path => (format!("the field {path}"), " with `load_columns`"),
    };
    let (rust_type, rust) = (rust_type::<T>(), T::dtype());
    let message = format!("cannot view {what} as {rust_type}: expected dtype {rust}, found {dtype}; read a copy{way_out}");
    Error::new(ErrorKind::NotViewable, message)
}

/// Returns the range of the bytes of these elements in `data`, which is at `offset` in the file.
fn place_of(header: &Header, data: &[u8], offset: usize, range: &Range<usize>) -> Result<Range<usize>> {
    let itemsize = header.dtype().itemsize();
    let place = range.start.saturating_mul(itemsize)..range.end.saturating_mul(itemsize);
    if data.get(place.clone()).is_none_or(|bytes| Some(bytes.len()) != range.len().checked_mul(itemsize)) {
        let (expected, found) = (header.data_bytes(), data.len() as u64);
        return Err(Error::truncated("the array", offset as u64, expected, found));
    }
    Ok(place)
}

macro_rules! view {
    ($({$($generics:tt)*})? $type:ty) => {
        // SAFETY: `Plain` promises it.
        unsafe impl<$($($generics)*)?> NpyView for $type {
            const HAS_PADDING: bool = false;
            const HAS_INVALID: bool = <Self as Plain>::IS_BOOL;

            #[inline(always)]
            fn check(_: &[u8]) -> Result<(), ValueError> {
                Ok(())
            }
        }
    };
}

macro_rules! plain {
    ($($type:ty,)*) => {$(
        // SAFETY: a number: no padding, every pattern of bytes is a value, and a byte swap
        // leads to the other byte order.
        unsafe impl Plain for $type {
            const WORD_BYTES: usize = size_of::<Self>();
        }

        view!($type);
    )*};
}

plain!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64,);

// SAFETY: one byte, which is 0 or 1.
unsafe impl Plain for bool {
    const WORD_BYTES: usize = 1;
    #[allow(clippy::use_self, reason = "it says something about the type, and is not an element")]
    const IS_BOOL: bool = true;
}

// SAFETY: one byte, and only 0 and 1 pass.
#[allow(clippy::use_self, reason = "it says something about the type, and is not an element")]
unsafe impl NpyView for bool {
    const HAS_PADDING: bool = false;
    const HAS_INVALID: bool = true;

    #[inline(always)]
    fn check(bytes: &[u8]) -> Result<(), ValueError> {
        match bytes.iter().find(|byte| **byte > 1) {
            Some(byte) => Err(ValueError::new(format!(
                "invalid bool {byte:#04x}: expected 0 or 1; read a copy, where every byte but 0 is true"
            ))),
            None => Ok(()),
        }
    }
}

// SAFETY: `repr(transparent)` over bytes: no padding, every pattern is a value. They are one
// number.
unsafe impl Plain for LongDouble {
    const WORD_BYTES: usize = 16;
}

view!(LongDouble);

// SAFETY: `repr(transparent)` over bytes: no padding, every pattern is a value. Byte order does not
// concern them.
unsafe impl<const N: usize> Plain for FixedBytes<N> {
    const WORD_BYTES: usize = 1;
}

view!({const N: usize} FixedBytes<N>);

// SAFETY: `repr(transparent)` over bytes: no padding, every pattern is a value. Byte order does not
// concern them.
unsafe impl<const N: usize> Plain for FixedVoid<N> {
    const WORD_BYTES: usize = 1;
}

view!({const N: usize} FixedVoid<N>);

// SAFETY: `repr(transparent)` over `[u32; N]`: no padding, every pattern is a value, each `u32` a
// number of its own.
unsafe impl<const N: usize> Plain for FixedUnicode<N> {
    const WORD_BYTES: usize = 4;
}

view!({const N: usize} FixedUnicode<N>);

// SAFETY: `repr(transparent)` over an `i64`, with only a `PhantomData` beside it.
unsafe impl<U: Unit, const COUNT: u32> Plain for Datetime64<U, COUNT> {
    const WORD_BYTES: usize = 8;
}

view!({U: Unit, const COUNT: u32} Datetime64<U, COUNT>);

// SAFETY: `repr(transparent)` over an `i64`, with only a `PhantomData` beside it.
unsafe impl<U: Unit, const COUNT: u32> Plain for Timedelta64<U, COUNT> {
    const WORD_BYTES: usize = 8;
}

view!({U: Unit, const COUNT: u32} Timedelta64<U, COUNT>);

// SAFETY: an array has no padding between its items, so all that holds for an item holds for each.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {
    const WORD_BYTES: usize = T::WORD_BYTES;
    const IS_BOOL: bool = T::IS_BOOL;
}

// SAFETY: an array has no padding between its items, so all that holds for an item holds for each.
// Its layout is that of its items, one after another.
unsafe impl<T: NpyView, const N: usize> NpyView for [T; N] {
    const PROOF: () = T::PROOF;
    const HAS_PADDING: bool = T::HAS_PADDING;
    const HAS_INVALID: bool = T::HAS_INVALID;

    #[inline(always)]
    fn check(bytes: &[u8]) -> Result<(), ValueError> {
        if T::HAS_INVALID {
            for (index, item) in bytes.chunks_exact(size_of::<T>().max(1)).enumerate() {
                T::check(item).map_err(|error| error.at_index(index))?;
            }
        }
        Ok(())
    }
}

#[cfg(feature = "half")]
// SAFETY: `repr(transparent)` over a `u16`.
unsafe impl Plain for half::f16 {
    const WORD_BYTES: usize = 2;
}

#[cfg(feature = "half")]
view!(half::f16);

#[cfg(feature = "half")]
// SAFETY: `repr(transparent)` over a `u16`.
unsafe impl Plain for half::bf16 {
    const WORD_BYTES: usize = 2;
}

#[cfg(feature = "half")]
view!(half::bf16);

#[cfg(feature = "complex")]
// SAFETY: `repr(C)` with two fields of type `T`, so it has the layout of `[T; 2]`. Each is a number
// of its own.
unsafe impl<T: Plain> Plain for num_complex::Complex<T> {
    const WORD_BYTES: usize = T::WORD_BYTES;
    const IS_BOOL: bool = T::IS_BOOL;
}

#[cfg(feature = "complex")]
view!(num_complex::Complex<f32>);

#[cfg(feature = "complex")]
view!(num_complex::Complex<f64>);

#[cfg(feature = "complex")]
view!(num_complex::Complex<LongDouble>);
