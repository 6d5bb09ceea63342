//! The Rust type of a dtype, for errors.

use super::{DType, Scalar, ScalarKind, TimeUnit};

/// The Rust type that reads a dtype and is written as it; `None` for records, and if no type does.
/// `path` is what comes before the names of this crate.
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
    let name = match scalar.kind() {
        ScalarKind::Bool => "bool",
        ScalarKind::Int8 => "i8",
        ScalarKind::Int16 => "i16",
        ScalarKind::Int32 => "i32",
        ScalarKind::Int64 => "i64",
        ScalarKind::UInt8 => "u8",
        ScalarKind::UInt16 => "u16",
        ScalarKind::UInt32 => "u32",
        ScalarKind::UInt64 => "u64",
        ScalarKind::Float16 => return Some(format!("{path}half::f16")),
        ScalarKind::Float32 => "f32",
        ScalarKind::Float64 => "f64",
        ScalarKind::LongDouble { .. } => return Some(format!("{types}LongDouble")),
        ScalarKind::Complex64 => return Some(complex("f32")),
        ScalarKind::Complex128 => return Some(complex("f64")),
        ScalarKind::ComplexLongDouble { .. } => return Some(complex(&format!("{types}LongDouble"))),
        ScalarKind::Void { length: 2 } if scalar.byte_order().is_some() => return Some(format!("{path}half::bf16")),
        ScalarKind::Bytes { length } => return Some(format!("{types}FixedBytes<{length}>")),
        ScalarKind::Unicode { length } => return Some(format!("{types}FixedUnicode<{length}>")),
        ScalarKind::Datetime { unit, count } => return Some(time("Datetime64", unit, count)),
        ScalarKind::Timedelta { unit, count } => return Some(time("Timedelta64", unit, count)),
        ScalarKind::Void { length } => return Some(format!("{types}FixedVoid<{length}>")),
        // Types of `ml_dtypes`, and objects.
        ScalarKind::Float8E5M2 | ScalarKind::Ml(_) | ScalarKind::Complex32 | ScalarKind::Object => return None,
    };
    Some(name.to_owned())
}
