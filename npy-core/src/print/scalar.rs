//! Zero-dimensional arrays, which NumPy prints as scalars.

use std::fmt;

use super::binary::FloatKind;
use super::float::push_complex;
use super::format::{Format, Place, Scope, complex_parts};
use super::options::PrintOptions;
use super::stream::Text;
use super::text::{write_bytes, write_characters};
use super::time::{date_time, span, steps};
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};

/// `str` of the scalar with these bytes.
#[cfg(feature = "object")]
pub(crate) fn scalar_text(dtype: &DType, bytes: &[u8], options: &PrintOptions) -> String {
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    let _ = write_scalar(dtype, bytes, options, &mut text);
    text
}

/// Writes `str` of the scalar with these bytes.
pub(super) fn write_scalar(dtype: &DType, bytes: &[u8], options: &PrintOptions, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut text = Text::passed_to(out);
    match dtype {
        DType::Scalar(scalar) if write_plain(*scalar, bytes, &mut text) => {}
        dtype => {
            // The options are not for scalars.
            let plain = PrintOptions::new();
            let options = if matches!(dtype, DType::Scalar(_)) { &plain } else { options };
            Format::new(dtype, &[bytes], Scope::new(dtype, 1, options, Place::Alone)).write(bytes, &mut text);
        }
    }
    text.finish()
}

/// Appends `str` of a NumPy scalar with these bytes.
pub fn push_scalar(scalar: Scalar, bytes: &[u8], out: &mut String) {
    let kind = match scalar.kind() {
        ScalarKind::Float8E5M2 => FloatKind::Quarter,
        ScalarKind::Float16 => FloatKind::Half,
        ScalarKind::LongDouble { .. } => FloatKind::Extended,
        _ => {
            // Writing to a `String` cannot fail.
            let _ = write_scalar(&DType::Scalar(scalar), bytes, &PrintOptions::new(), out);
            return;
        }
    };
    kind.push_scalar(bytes, scalar.byte_order().unwrap_or(ByteOrder::NATIVE), out);
}

/// Writes a scalar that is written otherwise than the same thing in a record; `false` if it is not.
fn write_plain(scalar: Scalar, bytes: &[u8], out: &mut Text<'_>) -> bool {
    let order = scalar.byte_order().unwrap_or(ByteOrder::NATIVE);
    let mut complex = |kind| {
        let (real, imaginary) = complex_parts(kind, order, bytes);
        push_complex(kind, real, imaginary, out.small());
    };
    match scalar.kind() {
        ScalarKind::Complex32 => complex(FloatKind::Half),
        ScalarKind::Complex64 => complex(FloatKind::Single),
        ScalarKind::Complex128 => complex(FloatKind::Double),
        ScalarKind::ComplexLongDouble { .. } => complex(FloatKind::Extended),
        ScalarKind::Datetime { unit, count } => match steps(bytes, order) {
            Some(steps) => out.push_str(&date_time(unit, count, steps)),
            None => out.push_str("NaT"),
        },
        ScalarKind::Timedelta { unit, count } => match steps(bytes, order) {
            Some(steps) => out.push_str(&span(unit, count, steps)),
            None => out.push_str("NaT"),
        },
        ScalarKind::Bytes { .. } => {
            out.push_str("np.bytes_(");
            write_bytes(bytes, out);
            out.push_str(")");
        }
        ScalarKind::Unicode { .. } => write_characters(bytes, order, out),
        _ => return false,
    }
    true
}
