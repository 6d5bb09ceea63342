//! Casts of numbers that say what they would lose.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::half::f16;
use npy_core::num_complex::Complex;
use npy_core::{Casting, DynValues, ErrorKind, NpyNumber, Order};

use crate::float::float;

/// Why a value does not become another.
pub(super) struct Problem {
    pub(super) message: String,
    /// Whether it would be converted with a loss.
    pub(super) is_loss: bool,
}

impl Problem {
    /// A value that cannot be converted.
    pub(super) fn error(message: String) -> Self {
        Self { message, is_loss: false }
    }

    /// A value that is converted with `--lossy` only.
    pub(super) fn loss(message: String) -> Self {
        Self { message, is_loss: true }
    }

    /// What a user can do, for the end of the message.
    pub(super) fn hint(&self) -> &'static str {
        if self.is_loss { LOSSY } else { "" }
    }
}

/// Advice where a conversion would lose something.
pub(super) const LOSSY: &str = "; allow it with --lossy";

/// Casts numbers, given and returned as bytes. An error has the index of the value.
pub(super) fn cast(items: Vec<u8>, from: Scalar, to: Scalar, is_lossy: bool) -> Result<Vec<u8>, (usize, Problem)> {
    let count = items.len() / from.itemsize().max(1);
    let values = DynValues::new(from.into(), Order::C, &[count], items).map_err(|error| problem(&error))?;
    let mut bytes = match to.kind() {
        ScalarKind::Bool => cast_to::<bool>(&values, to, is_lossy),
        ScalarKind::Int8 => cast_to::<i8>(&values, to, is_lossy),
        ScalarKind::Int16 => cast_to::<i16>(&values, to, is_lossy),
        ScalarKind::Int32 => cast_to::<i32>(&values, to, is_lossy),
        ScalarKind::Int64 => cast_to::<i64>(&values, to, is_lossy),
        ScalarKind::UInt8 => cast_to::<u8>(&values, to, is_lossy),
        ScalarKind::UInt16 => cast_to::<u16>(&values, to, is_lossy),
        ScalarKind::UInt32 => cast_to::<u32>(&values, to, is_lossy),
        ScalarKind::UInt64 => cast_to::<u64>(&values, to, is_lossy),
        ScalarKind::Float16 => cast_to::<f16>(&values, to, is_lossy),
        ScalarKind::Float32 => cast_to::<f32>(&values, to, is_lossy),
        ScalarKind::Float64 => cast_to::<f64>(&values, to, is_lossy),
        ScalarKind::Complex64 => cast_to::<Complex<f32>>(&values, to, is_lossy),
        ScalarKind::Complex128 => cast_to::<Complex<f64>>(&values, to, is_lossy),
        _ => Err((0, Problem::error(format!("no numbers are cast to {to}")))),
    }?;
    // The types are in the byte order of the machine.
    if to.byte_order().is_some_and(|order| order != ByteOrder::NATIVE) {
        let is_complex = matches!(to.kind(), ScalarKind::Complex64 | ScalarKind::Complex128);
        bytes.chunks_exact_mut(if is_complex { to.itemsize() / 2 } else { to.itemsize() }).for_each(<[u8]>::reverse);
    }
    Ok(bytes)
}

fn cast_to<T: NpyNumber>(values: &DynValues, to: Scalar, is_lossy: bool) -> Result<Vec<u8>, (usize, Problem)> {
    if is_lossy {
        let cast = values.cast::<T>(Casting::Unsafe).and_then(|items| DynValues::from_slice(&items));
        return cast.map(DynValues::into_bytes).map_err(|error| problem(&error));
    }
    let cast =
        values.cast::<T>(Casting::Checked).and_then(|items| DynValues::from_slice(&items)).map_err(|error| problem(&error))?;
    // Floats are rounded by the rule, but not here. Integers are exact.
    if !Casting::Safe.allows(values.dtype(), &to.into()) && is_float(to) {
        let wide = |values: &DynValues| values.cast::<Complex<f64>>(Casting::Unsafe).map_err(|error| problem(&error));
        let is_same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        let pairs = wide(values)?.into_iter().zip(wide(&cast)?);
        for (index, (before, after)) in pairs.enumerate() {
            if !is_same(before.re, after.re) || !is_same(before.im, after.im) {
                let before = if before.im == 0.0 { float(before.re) } else { before.to_string() };
                return Err((index, Problem::loss(format!("{before} loses precision as {to}"))));
            }
        }
        if matches!(values.dtype(), npy_core::DType::Scalar(from) if matches!(from.kind(), ScalarKind::LongDouble { .. })) {
            let message = format!("a long double may lose precision as {to}");
            return Err((0, Problem::loss(message)));
        }
    }
    Ok(cast.into_bytes())
}

fn is_float(scalar: Scalar) -> bool {
    matches!(
        scalar.kind(),
        ScalarKind::Float16 | ScalarKind::Float32 | ScalarKind::Float64 | ScalarKind::Complex64 | ScalarKind::Complex128
    )
}

/// The index of the value that is refused, and why.
fn problem(error: &npy_core::Error) -> (usize, Problem) {
    match error.kind() {
        ErrorKind::InvalidValue { index, problem, .. } => {
            (usize::try_from(*index).unwrap_or(usize::MAX), Problem::loss(problem.to_string()))
        }
        _ => (0, Problem::error(format!("{error:#}"))),
    }
}
