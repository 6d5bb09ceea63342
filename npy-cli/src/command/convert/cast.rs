//! Casts of numbers that say what they would lose.

use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::half::f16;
use npy_core::num_complex::Complex;
use npy_core::{Casting, DType, DynValues, ErrorKind, Header, NpyNumber, Order};

use crate::losses::LOSSY;

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

/// Casts an array of one dimension, whose bytes are returned. An error has the index of the value.
pub(super) fn cast(values: &DynValues, to: Scalar, is_lossy: bool) -> Result<Vec<u8>, (usize, Problem)> {
    let casting = if is_lossy { Casting::Unsafe } else { Casting::Exact };
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
        ScalarKind::Float32 => cast_to::<f32>(values, to, casting),
        ScalarKind::Float64 => cast_to::<f64>(values, to, casting),
        ScalarKind::Complex64 => cast_to::<Complex<f32>>(values, to, casting),
        ScalarKind::Complex128 => cast_to::<Complex<f64>>(values, to, casting),
        _ => Err((0, Problem::error(format!("no numbers are cast to {to}")))),
    }
}

fn cast_to<T: NpyNumber>(values: &DynValues, to: Scalar, casting: Casting) -> Result<Vec<u8>, (usize, Problem)> {
    let dtype = DType::from(to);
    let items = values.cast::<T>(casting).map_err(|error| problem(&error))?;
    // In the byte order of the dtype.
    let cast =
        Header::new(dtype.clone(), Order::C, &[items.len()]).and_then(|header| DynValues::with_items(header, &dtype, &items));
    cast.map(DynValues::into_bytes).map_err(|error| problem(&error))
}

/// The index of the value that is refused, and why.
pub(super) fn problem(error: &npy_core::Error) -> (usize, Problem) {
    match error.kind() {
        ErrorKind::InvalidValue { index, problem, .. } => {
            (usize::try_from(*index).unwrap_or(usize::MAX), Problem::loss(problem.to_string()))
        }
        _ => (0, Problem::error(format!("{error:#}"))),
    }
}
