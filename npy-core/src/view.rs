//! Elements in place: a file's bytes as a slice, without copying one.
//!
//! One of the two modules that may hold `unsafe`; the other is `alloc`.
#![allow(unsafe_code)]

use crate::alloc::Plain;
use crate::element::{self, Datetime64, FixedBytes, FixedUnicode, FixedVoid, LongDouble, NpyElement, Timedelta64, unit::Unit};
use crate::error::{Error, ErrorKind, Part, Result, ValueError, ValueProblem};
use crate::header::Header;
use crate::plan::rust_type;

/// An element whose memory is the bytes of a file, so that it can be viewed in place: numbers, bools, fixed text, times, raw bytes,
/// and arrays of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be viewed in place",
    note = "its memory is not the bytes of a file; read a copy"
)]
pub trait NpyView: NpyElement + Plain {}

impl<T: NpyElement + Plain> NpyView for T {}

/// The elements of a whole file in memory (read, mapped or embedded), in place. They come in the order of the file.
///
/// # Errors
///
/// When `bytes` do not begin with an `.npy` file that holds all of its data; when the dtype differs from `T`'s in anything, byte
/// order included; when the data do not lie at a multiple of `T`'s alignment; when a bool is neither 0 nor 1.
///
/// ```
/// # let mut file = vec![0_u8; 256];
/// # let begin = file.as_ptr().align_offset(64);
/// # npy_core::write(&mut file[begin..], &[1.0_f64, 2.0])?;
/// # let file = &file[begin..];
/// let values: &[f64] = npy_core::view(file)?;
/// assert_eq!(values, [1.0, 2.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn view<T: NpyView>(bytes: &[u8]) -> Result<&[T]> {
    Ok(view_with_header(bytes)?.1)
}

/// [`view`], with the header.
///
/// # Errors
///
/// Like [`view`].
pub fn view_with_header<T: NpyView>(bytes: &[u8]) -> Result<(Header, &[T])> {
    let (header, begin, end) = locate::<T>(bytes)?;
    let data = &bytes[begin..end];
    let count = header.element_count();
    // SAFETY: `locate` has checked that `data` are `count` elements of `T`'s size at `T`'s alignment, and, `T` being `Plain`, valid
    // ones. The lifetime is that of `bytes`.
    let items = unsafe { std::slice::from_raw_parts(data.as_ptr().cast::<T>(), count) };
    Ok((header, items))
}

/// The elements of a whole file in memory, in place and to be changed there.
///
/// # Errors
///
/// Like [`view`].
///
/// ```
/// # let mut memory = vec![0_u8; 256];
/// # let begin = memory.as_ptr().align_offset(64);
/// # let file = &mut memory[begin..][..128 + 16];
/// # npy_core::write(&mut *file, &[1.0_f64, 2.0])?;
/// npy_core::view_mut::<f64>(file)?[1] = 8.0;
/// assert_eq!(npy_core::read::<f64>(&*file)?, [1.0, 8.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn view_mut<T: NpyView>(bytes: &mut [u8]) -> Result<&mut [T]> {
    Ok(view_mut_with_header(bytes)?.1)
}

/// [`view_mut`], with the header.
///
/// # Errors
///
/// Like [`view`].
pub fn view_mut_with_header<T: NpyView>(bytes: &mut [u8]) -> Result<(Header, &mut [T])> {
    let (header, begin, end) = locate::<T>(bytes)?;
    let data = &mut bytes[begin..end];
    let count = header.element_count();
    // SAFETY: as in `view_with_header`; besides, the borrow is unique, and whatever `T` is stored, its bytes are initialised.
    let items = unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr().cast::<T>(), count) };
    Ok((header, items))
}

/// Checks everything that viewing needs; tells where the data begin and end.
fn locate<T: NpyView>(bytes: &[u8]) -> Result<(Header, usize, usize)> {
    let (header, begin) = Header::parse(bytes)?;
    let plan = element::plan::<T>(header.dtype())?;
    let is_native = element::native::<T>().is_some_and(|layout| layout.plan == plan);
    if !is_native || header.dtype().itemsize() != size_of::<T>() {
        let (file, rust_type, rust) = (header.dtype().to_string(), rust_type::<T>(), T::dtype().to_string());
        return Err(ErrorKind::NotViewable { file, rust_type, rust }.into());
    }
    let (expected, found) = (header.data_bytes(), bytes.len() - begin);
    let Some(length) = usize::try_from(expected).ok().filter(|&length| length <= found) else {
        return Err(ErrorKind::Truncated { part: Part::Data, offset: begin as u64, expected, found: found as u64 }.into());
    };
    let end = begin + length;
    let data = &bytes[begin..end];
    let misalignment = data.as_ptr().addr() % align_of::<T>();
    if misalignment != 0 {
        return Err(ErrorKind::Misaligned { alignment: align_of::<T>(), misalignment }.into());
    }
    if T::IS_BOOL
        && let Some(at) = data.iter().position(|byte| *byte > 1)
    {
        return Err(not_a_bool(data[at], at, size_of::<T>()));
    }
    Ok((header, begin, end))
}

#[cold]
fn not_a_bool(byte: u8, at: usize, itemsize: usize) -> Error {
    let mut error = ValueError::from(ValueProblem::NotABool { byte });
    if itemsize > 1 {
        error = error.at_index(at % itemsize);
    }
    error.in_element((at / itemsize) as u64)
}

macro_rules! plain {
    ($($type:ty,)*) => {$(
        // SAFETY: a number: no padding, every pattern of bytes is a value, and its bytes reversed are the other byte order.
        unsafe impl Plain for $type {
            const WORD_BYTES: usize = size_of::<Self>();
        }
    )*};
}

plain!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64,);

// SAFETY: one byte, which is 0 or 1.
unsafe impl Plain for bool {
    const WORD_BYTES: usize = 1;
    #[allow(clippy::use_self, reason = "it says something about the type, and is not an element")]
    const IS_BOOL: bool = true;
}

// SAFETY: `repr(transparent)` over bytes: no padding, every pattern is a value. They are one number.
unsafe impl Plain for LongDouble {
    const WORD_BYTES: usize = 16;
}

// SAFETY: `repr(transparent)` over bytes: no padding, every pattern is a value. Byte order does not concern them.
unsafe impl<const N: usize> Plain for FixedBytes<N> {
    const WORD_BYTES: usize = 1;
}

// SAFETY: `repr(transparent)` over bytes: no padding, every pattern is a value. Byte order does not concern them.
unsafe impl<const N: usize> Plain for FixedVoid<N> {
    const WORD_BYTES: usize = 1;
}

// SAFETY: `repr(transparent)` over `[u32; N]`: no padding, every pattern is a value, each `u32` a number of its own.
unsafe impl<const N: usize> Plain for FixedUnicode<N> {
    const WORD_BYTES: usize = 4;
}

// SAFETY: `repr(transparent)` over an `i64`, besides which it has only a `PhantomData`.
unsafe impl<U: Unit, const COUNT: u32> Plain for Datetime64<U, COUNT> {
    const WORD_BYTES: usize = 8;
}

// SAFETY: `repr(transparent)` over an `i64`, besides which it has only a `PhantomData`.
unsafe impl<U: Unit, const COUNT: u32> Plain for Timedelta64<U, COUNT> {
    const WORD_BYTES: usize = 8;
}

// SAFETY: an array has no padding between its items, so all that holds for an item holds for each.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {
    const WORD_BYTES: usize = T::WORD_BYTES;
    const IS_BOOL: bool = T::IS_BOOL;
}

#[cfg(feature = "half")]
// SAFETY: `repr(transparent)` over a `u16`.
unsafe impl Plain for half::f16 {
    const WORD_BYTES: usize = 2;
}

#[cfg(feature = "half")]
// SAFETY: `repr(transparent)` over a `u16`.
unsafe impl Plain for half::bf16 {
    const WORD_BYTES: usize = 2;
}

#[cfg(feature = "complex")]
// SAFETY: `repr(C)` with two fields of type `T`, so it has the layout of `[T; 2]`. Each is a number of its own.
unsafe impl<T: Plain> Plain for num_complex::Complex<T> {
    const WORD_BYTES: usize = T::WORD_BYTES;
    const IS_BOOL: bool = T::IS_BOOL;
}
