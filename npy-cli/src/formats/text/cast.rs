//! Casts of numbers that say what they would lose.

use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::half::{bf16, f16};
use npy_core::num_complex::Complex;
use npy_core::scalar::{Class, Decoder};
use npy_core::types::LongDouble;
use npy_core::{Casting, DType, DynValues, Error, Header, NpyElement, NpyNumber, Order};

use super::Problem;
use super::long_double::{self, Rounded};
use crate::losses;

/// Whether there is a cast from one scalar to another one.
pub(crate) fn is_possible(from: Scalar, to: Scalar) -> bool {
    Casting::Unsafe.allows(&from.into(), &to.into())
}

/// Whether it is a long double, or a complex number of two.
fn is_long(scalar: Scalar) -> bool {
    matches!(scalar.kind(), ScalarKind::LongDouble { .. } | ScalarKind::ComplexLongDouble { .. })
}

/// Casts an array of one dimension, whose bytes are returned. An error has the index of the value.
pub(crate) fn cast(values: &DynValues, to: Scalar, is_lossy: bool) -> Result<Vec<u8>, (usize, Problem)> {
    let bytes = cast_numbers(values, to, if is_lossy { Casting::Unsafe } else { Casting::Exact })?;
    if is_lossy {
        note_changed(values, to, &bytes).map_err(|error| problem(&error))?;
    }
    Ok(bytes)
}

/// Counts the numbers that were cast to something else than a number near them.
fn note_changed(values: &DynValues, to: Scalar, bytes: &[u8]) -> npy_core::Result<()> {
    losses::OUT_OF_RANGE.note(out_of_range(values, to)?);
    if to.integers().is_some() {
        return Ok(());
    }
    if are_finite(to, bytes) {
        return Ok(());
    }
    let cast = DynValues::new(to.into(), Order::C, &[values.header().element_count()], bytes.to_vec())?;
    let after = specials(&cast)?;
    let has_imaginary = to.part().is_some();
    let (mut infinite, mut nan) = (0, 0);
    for (before, after) in specials(values)?.into_iter().zip(after) {
        let parts = if has_imaginary { 2 } else { 1 };
        let became = |special| before.iter().zip(after).take(parts).any(|(before, after)| after == special && *before != special);
        infinite += u64::from(became(Special::Infinite));
        nan += u64::from(became(Special::Nan));
    }
    losses::INFINITE.note(infinite);
    losses::NAN.note(nan);
    Ok(())
}

/// Whether all parts of numbers are finite as `f64`.
fn are_finite(scalar: Scalar, bytes: &[u8]) -> bool {
    let part = scalar.part().unwrap_or(scalar);
    let mut numbers = Vec::new();
    Decoder::<f64>::new(part).is_some_and(|decoder| {
        bytes.chunks(part.itemsize() << 12).all(|bytes| {
            numbers.clear();
            decoder.extend(&mut numbers, bytes, part.itemsize());
            numbers.iter().all(|number| number.is_finite())
        })
    })
}

/// The special values of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    None,
    Infinite,
    Nan,
}

/// Which parts of numbers are infinite or NaN.
fn specials(values: &DynValues) -> npy_core::Result<Vec<[Special; 2]>> {
    if matches!(values.dtype(), DType::Scalar(scalar) if is_long(*scalar)) {
        let of_bits = |bits: u128| match bits & !(1 << 79) {
            bits if bits == Rounded::INFINITY.bits => Special::Infinite,
            bits if bits > Rounded::INFINITY.bits => Special::Nan,
            _ => Special::None,
        };
        let of_number = |number| of_bits(long_double::bits_of(number));
        let numbers = to_long_doubles(values, Casting::Unsafe)?.into_iter();
        return Ok(numbers.map(|number| [number.re, number.im].map(of_number)).collect());
    }
    let of_float = |number: f64| match number {
        number if number.is_nan() => Special::Nan,
        number if number.is_infinite() => Special::Infinite,
        _ => Special::None,
    };
    Ok(values.cast::<Complex<f64>>(Casting::Unsafe)?.into_iter().map(|number| [number.re, number.im].map(of_float)).collect())
}

/// The number of values outside of the range of an integer.
fn out_of_range(values: &DynValues, to: Scalar) -> npy_core::Result<u64> {
    let DType::Scalar(from) = values.dtype() else { return Ok(0) };
    let Some(range) = to.integers().filter(|_| to.class() != Class::Bool) else { return Ok(0) };
    if Casting::Safe.allows(&(*from).into(), &to.into()) {
        return Ok(0);
    }
    let count = match from.class() {
        _ if is_long(*from) => {
            let numbers = to_long_doubles(values, Casting::Unsafe)?.into_iter();
            numbers
                .map(|number| number.re.truncated())
                .filter(|integer| !integer.is_some_and(|integer| range.contains(&integer)))
                .count()
        }
        Class::Bool | Class::Signed | Class::Unsigned => {
            let mut numbers = Vec::new();
            if let Some(decoder) = Decoder::<i128>::new(*from) {
                decoder.extend(&mut numbers, values.bytes(), from.itemsize());
            }
            numbers.into_iter().filter(|number| !range.contains(number)).count()
        }
        // The bounds are powers of two, and NaN is in no range.
        _ => {
            let range = *range.start() as f64..(*range.end() + 1) as f64;
            let numbers = values.cast::<Complex<f64>>(Casting::Unsafe)?;
            numbers.into_iter().filter(|number| !range.contains(&number.re.trunc())).count()
        }
    };
    Ok(count as u64)
}

fn cast_numbers(values: &DynValues, to: Scalar, casting: Casting) -> Result<Vec<u8>, (usize, Problem)> {
    match to.kind() {
        ScalarKind::Bool => cast_to::<bool>(values, to, casting),
        ScalarKind::Int8 => cast_to::<i8>(values, to, casting),
        ScalarKind::Int16 => cast_to::<i16>(values, to, casting),
        ScalarKind::Int32 => cast_to::<i32>(values, to, casting),
        ScalarKind::Int64 => cast_to::<i64>(values, to, casting),
        ScalarKind::UInt8 => cast_to::<u8>(values, to, casting),
        ScalarKind::UInt16 => cast_to::<u16>(values, to, casting),
        ScalarKind::UInt32 => cast_to::<u32>(values, to, casting),
        ScalarKind::UInt64 => cast_to::<u64>(values, to, casting),
        ScalarKind::Float16 => cast_to::<f16>(values, to, casting),
        ScalarKind::Void { length: 2 } if to.byte_order().is_some() => cast_to::<bf16>(values, to, casting),
        ScalarKind::Float32 => cast_to::<f32>(values, to, casting),
        ScalarKind::Float64 => cast_to::<f64>(values, to, casting),
        ScalarKind::Complex64 => cast_to::<Complex<f32>>(values, to, casting),
        ScalarKind::Complex128 => cast_to::<Complex<f64>>(values, to, casting),
        ScalarKind::Ml(_) | ScalarKind::Float8E5M2 => values.cast_to_ml(&to.into(), casting).map_err(|error| problem(&error)),
        _ => cast_to_long_double(values, to, casting),
    }
}

pub(crate) fn zeros(count: usize, scalar: Scalar) -> Result<Vec<u8>, (usize, Problem)> {
    let (mut bytes, length) = (Vec::new(), count.saturating_mul(scalar.itemsize()));
    let reserved = bytes.try_reserve_exact(length);
    reserved.map_err(|_| (0, Problem::error(Error::out_of_memory(length).to_string())))?;
    bytes.resize(length, 0);
    Ok(bytes)
}

/// Casts to long doubles, which hold every other number but no imaginary part.
fn cast_to_long_double(values: &DynValues, to: Scalar, casting: Casting) -> Result<Vec<u8>, (usize, Problem)> {
    let numbers = to_long_doubles(values, casting).map_err(|error| problem(&error))?;
    if to.part().is_some() {
        return bytes_of(&numbers, to);
    }
    let inexact = numbers.iter().position(|number| long_double::bits_of(number.im) != 0).filter(|_| casting == Casting::Exact);
    if let Some(index) = inexact {
        return Err((index, Problem::loss(format!("a complex number with an imaginary part is inexact as {to}"))));
    }
    bytes_of(&numbers.into_iter().map(|number| number.re).collect::<Vec<_>>(), to)
}

/// The numbers as long doubles, without the garbage behind their bits.
fn to_long_doubles(values: &DynValues, casting: Casting) -> npy_core::Result<Vec<Complex<LongDouble>>> {
    let DType::Scalar(from) = *values.dtype() else { return Ok(Vec::new()) };
    let real = |bits| Complex::new(long_double::of_bits(bits), long_double::of_bits(0));
    let clean = |number| long_double::of_bits(long_double::bits_of(number));
    Ok(match from.kind() {
        _ if matches!(from.class(), Class::Bool | Class::Unsigned) => {
            values.cast::<u64>(casting)?.into_iter().map(|number| real(long_double::of_integer(number, false))).collect()
        }
        _ if from.class() == Class::Signed => {
            let numbers = values.cast::<i64>(casting)?.into_iter();
            numbers.map(|number| real(long_double::of_integer(number.unsigned_abs(), number < 0))).collect()
        }
        ScalarKind::LongDouble { .. } => {
            values.to_vec::<LongDouble>()?.into_iter().map(|number| real(long_double::bits_of(number))).collect()
        }
        ScalarKind::ComplexLongDouble { .. } => {
            let numbers = values.to_vec::<Complex<LongDouble>>()?.into_iter();
            numbers.map(|number| Complex::new(clean(number.re), clean(number.im))).collect()
        }
        _ => {
            let numbers = values.cast::<Complex<f64>>(casting)?.into_iter();
            numbers.map(|number| Complex::new(LongDouble::from_f64(number.re), LongDouble::from_f64(number.im))).collect()
        }
    })
}

fn cast_to<T: NpyNumber>(values: &DynValues, to: Scalar, casting: Casting) -> Result<Vec<u8>, (usize, Problem)> {
    bytes_of(&values.cast::<T>(casting).map_err(|error| problem(&error))?, to)
}

/// The bytes of items in the byte order of a scalar.
pub(crate) fn bytes_of<T: NpyElement>(items: &[T], to: Scalar) -> Result<Vec<u8>, (usize, Problem)> {
    let dtype = DType::from(to);
    let values =
        Header::new(dtype.clone(), Order::C, &[items.len()]).and_then(|header| DynValues::from_items(header, &dtype, items));
    values.map(DynValues::into_bytes).map_err(|error| problem(&error))
}

/// The index of the value that is refused, and why.
pub(crate) fn problem(error: &npy_core::Error) -> (usize, Problem) {
    match error.element() {
        Some(index) => (usize::try_from(index).unwrap_or(usize::MAX), Problem::loss(error.message().to_owned())),
        None => (0, Problem::error(format!("{error:#}"))),
    }
}
