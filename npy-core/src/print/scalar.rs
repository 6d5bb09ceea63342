//! Zero-dimensional arrays, which NumPy prints as scalars.

use super::binary::FloatKind;
use super::float::push_complex;
use super::format::{Format, Place, Scope, complex_parts};
use super::options::PrintOptions;
use super::text::{push_bytes, unicode};
use super::time::{date_time, span, steps};
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};

/// `str` of the scalar with these bytes.
pub(crate) fn scalar_text(dtype: &DType, bytes: &[u8], options: &PrintOptions) -> String {
    let mut text = String::new();
    match dtype {
        // The options are not for scalars.
        DType::Scalar(scalar) => match plain_text(*scalar, bytes) {
            Some(plain) => return plain,
            None => {
                let options = PrintOptions::new();
                Format::new(dtype, &[bytes], Scope::new(dtype, 1, &options, Place::Alone)).write(bytes, &mut text);
            }
        },
        _ => Format::new(dtype, &[bytes], Scope::new(dtype, 1, options, Place::Alone)).write(bytes, &mut text),
    }
    text
}

/// Appends `str` of a NumPy scalar with these bytes.
pub fn push_scalar(scalar: Scalar, bytes: &[u8], out: &mut String) {
    let kind = match scalar.kind() {
        ScalarKind::Float8E5M2 => FloatKind::Quarter,
        ScalarKind::Float16 => FloatKind::Half,
        ScalarKind::LongDouble { .. } => FloatKind::Extended,
        _ => return out.push_str(&scalar_text(&DType::Scalar(scalar), bytes, &PrintOptions::new())),
    };
    kind.push_scalar(bytes, scalar.byte_order().unwrap_or(ByteOrder::NATIVE), out);
}

/// The text of a scalar that is written otherwise than the same thing in a record.
fn plain_text(scalar: Scalar, bytes: &[u8]) -> Option<String> {
    let order = scalar.byte_order().unwrap_or(ByteOrder::NATIVE);
    let complex = |kind| {
        let (real, imaginary) = complex_parts(kind, order, bytes);
        let mut text = String::new();
        push_complex(kind, real, imaginary, &mut text);
        text
    };
    Some(match scalar.kind() {
        ScalarKind::Complex32 => complex(FloatKind::Half),
        ScalarKind::Complex64 => complex(FloatKind::Single),
        ScalarKind::Complex128 => complex(FloatKind::Double),
        ScalarKind::ComplexLongDouble { .. } => complex(FloatKind::Extended),
        ScalarKind::Datetime { unit, count } => {
            steps(bytes, order).map_or_else(|| "NaT".to_owned(), |steps| date_time(unit, count, steps))
        }
        ScalarKind::Timedelta { unit, count } => {
            steps(bytes, order).map_or_else(|| "NaT".to_owned(), |steps| span(unit, count, steps))
        }
        ScalarKind::Bytes { .. } => {
            let mut text = "np.bytes_(".to_owned();
            push_bytes(bytes, &mut text);
            text.push(')');
            text
        }
        ScalarKind::Unicode { .. } => unicode(bytes, order),
        _ => return None,
    })
}
