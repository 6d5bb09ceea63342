//! Zero-dimensional arrays, which NumPy prints as scalars.

use std::fmt;

use super::binary::FloatKind;
use super::float::push_complex;
use super::format::{Context, Format, Scope, complex_parts};
use super::options::PrintOptions;
use super::stream::Text;
use super::text::{write_bytes, write_characters};
use super::time::{date_time, span};
use crate::format::dtype::{ByteOrder, Class, DType, Scalar};
use crate::format::scalar::Value;

/// Writes `str` of the scalar with these bytes.
pub(crate) fn write_scalar(dtype: &DType, bytes: &[u8], options: &PrintOptions, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut text = Text::passed_to(out);
    match dtype {
        DType::Scalar(scalar) if write_plain(*scalar, bytes, &mut text) => {}
        dtype => {
            // Options do not apply to scalars.
            let plain = PrintOptions::new();
            let options = if matches!(dtype, DType::Scalar(_)) { &plain } else { options };
            Format::new(dtype, &[bytes], Scope::new(dtype, 1, options, Context::Alone)).write(bytes, &mut text);
        }
    }
    text.finish()
}

/// Appends `str` of a NumPy scalar with these bytes.
///
/// ```
/// use npy_core::DType;
/// use npy_core::print::push_scalar;
///
/// let DType::Scalar(days) = "<M8[D]".parse()? else { unreachable!() };
/// let mut text = String::new();
/// push_scalar(days, &19_000_i64.to_le_bytes(), &mut text);
/// assert_eq!(text, "2022-01-08");
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn push_scalar(scalar: Scalar, bytes: &[u8], out: &mut String) {
    match FloatKind::of(scalar) {
        Some(kind @ (FloatKind::Quarter | FloatKind::Half | FloatKind::Extended)) => {
            kind.push_scalar(bytes, scalar.byte_order().unwrap_or(ByteOrder::NATIVE), out);
        }
        _ => push_as_printed(scalar, bytes, out),
    }
}

// Not inlined, because its buffer is initialised by each call.
#[inline(never)]
fn push_as_printed(scalar: Scalar, bytes: &[u8], out: &mut String) {
    // Writing to a `String` cannot fail.
    let _ = write_scalar(&DType::Scalar(scalar), bytes, &PrintOptions::new(), out);
}

/// Writes a scalar of a class that has another text in records. Returns whether it is one.
fn write_plain(scalar: Scalar, bytes: &[u8], out: &mut Text<'_>) -> bool {
    match scalar.class() {
        Class::Complex => {
            let Some(kind) = scalar.part().and_then(FloatKind::of) else { return false };
            let (real, imaginary) = complex_parts(kind, scalar.byte_order().unwrap_or(ByteOrder::NATIVE), bytes);
            push_complex(kind, real, imaginary, out.small());
        }
        class @ (Class::Datetime | Class::Timedelta) => match (scalar.value(bytes), scalar.time_unit()) {
            (Some(Value::Time(Some(steps))), Some((unit, count))) => {
                let text = if class == Class::Datetime { date_time } else { span };
                out.push_str(&text(unit, count, steps));
            }
            _ => out.push_str("NaT"),
        },
        Class::Bytes => {
            out.push_str("np.bytes_(");
            write_bytes(scalar, bytes, out);
            out.push_str(")");
        }
        Class::Unicode => write_characters(scalar, bytes, out),
        _ => return false,
    }
    true
}
