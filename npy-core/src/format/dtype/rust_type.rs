//! The Rust type of a dtype, for errors.

use super::scalar::{Class, Scalar, ScalarKind, TimeUnit};
use super::tree::DType;

/// Returns the Rust type that reads a dtype and is written as it; `None` for records, and if there is none.
/// `path` precedes the names of this crate.
pub(crate) fn rust_type(dtype: &DType, path: &str) -> Option<String> {
    match dtype {
        DType::Scalar(scalar) => scalar_type(*scalar, path),
        DType::SubArray(array) => rust_type(array.base(), path).map(|item| in_array(item, array.shape())),
        DType::Record(_) => None,
    }
}

pub(super) fn in_array(item: String, shape: &[usize]) -> String {
    shape.iter().rev().fold(item, |item, length| format!("[{item}; {length}]"))
}

fn scalar_type(scalar: Scalar, path: &str) -> Option<String> {
    // Without a path, for messages, by the names under which these types are known.
    let types = if path.is_empty() { String::new() } else { format!("{path}types::") };
    let time = |name: &str, unit: TimeUnit, count: u32| match count {
        1 => format!("{types}{name}<{types}unit::{unit:?}>"),
        _ => format!("{types}{name}<{types}unit::{unit:?}, {count}>"),
    };
    let complex =
        |part: &str| if path.is_empty() { format!("Complex<{part}>") } else { format!("{path}num_complex::Complex<{part}>") };
    let bits = 8 * scalar.itemsize();
    Some(match scalar.kind() {
        // Types of `ml_dtypes`, and objects.
        ScalarKind::Float8E5M2 | ScalarKind::Ml(_) | ScalarKind::Complex32 | ScalarKind::Object => return None,
        ScalarKind::Float16 => format!("{path}half::f16"),
        ScalarKind::LongDouble { .. } => format!("{types}LongDouble"),
        ScalarKind::Complex64 => complex("f32"),
        ScalarKind::Complex128 => complex("f64"),
        ScalarKind::ComplexLongDouble { .. } => complex(&format!("{types}LongDouble")),
        ScalarKind::Void { .. } if scalar.class() == Class::Float => format!("{path}half::bf16"),
        ScalarKind::Bytes { length } => format!("{types}FixedBytes<{length}>"),
        ScalarKind::Unicode { length } => format!("{types}FixedUnicode<{length}>"),
        ScalarKind::Datetime { unit, count } => time("Datetime64", unit, count),
        ScalarKind::Timedelta { unit, count } => time("Timedelta64", unit, count),
        ScalarKind::Void { length } => format!("{types}FixedVoid<{length}>"),
        ScalarKind::Bool => "bool".to_owned(),
        // `i8` to `u64`, `f32` and `f64`.
        _ => format!("{}{bits}", char::from(scalar.letter())),
    })
}
