//! Single values as text: one function for each kind, byte order and format, chosen when a dtype is planned.
//!
//! By a function that decodes and another one that writes, CSV and JSON of integers and text take 1.1 times as long.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::print::{push_f32, push_f64, push_scalar};
use npy_core::scalar::Class;

use crate::failure::{Failure, Result};

/// Appends the text of the value with these bytes.
pub(crate) type Push = fn(Scalar, &[u8], &mut String);

/// The differences between the formats.
pub(crate) trait Flavor {
    const BOOLS: [&str; 2];
    const NAN: &str;
    /// Negative and positive.
    const INFINITIES: [&str; 2];
    /// For NaT.
    const NOTHING: &str;
    /// Before and after what is text in JSON.
    const QUOTE: &str;

    /// Appends text, quoted and escaped where that is needed.
    fn text(text: &str, out: &mut String);

    /// Appends text of any length, without a copy of it.
    fn characters(text: impl Iterator<Item = char> + Clone, out: &mut String);

    /// Appends bytes of dtype `S`.
    fn bytes(bytes: &[u8], out: &mut String);

    /// Appends a complex number.
    fn complex(scalar: Scalar, bytes: &[u8], out: &mut String);
}

/// The most bytes that a control character has beside its own one where it is escaped, as in JSON.
pub(crate) const ESCAPE: usize = 5;

/// Takes memory for the text of a value: of numbers for any, of long text for this one. `escape` is [`ESCAPE`], or 0 without escapes.
#[inline]
pub(crate) fn reserve(scalar: Scalar, bytes: &[u8], escape: usize, out: &mut String) -> Result<()> {
    const SMALL: usize = 1 << 8;
    if bytes.len() <= SMALL {
        return out.try_reserve(8 * SMALL).map_err(|_| Failure::allocation(8 * SMALL));
    }
    // With brackets and commas around it. Twice as much, as for text that goes on, would be too much.
    let more = most_bytes(scalar, bytes, escape).saturating_add(SMALL);
    out.try_reserve_exact(more).map_err(|_| Failure::allocation(more))
}

/// The bytes that the text of a long value has at most, quotes included.
#[cold]
fn most_bytes(scalar: Scalar, bytes: &[u8], escape: usize) -> usize {
    let most_of = |length: usize, code: u32| match code {
        0..0x20 => 1 + escape,
        0x22 | 0x5c => 2,
        _ => length,
    };
    2 + match scalar.class() {
        Class::Bytes => {
            let bytes = scalar.without_padding(bytes);
            bytes.iter().map(|byte| most_of(1 + usize::from(!byte.is_ascii()), u32::from(*byte))).sum()
        }
        // An invalid unit becomes a character of 3 bytes.
        Class::Unicode => scalar.units(bytes).map(|unit| most_of(char::from_u32(unit).map_or(3, char::len_utf8), unit)).sum(),
        _ => 2 * bytes.len(),
    }
}

/// The function for the values of a scalar.
pub(crate) fn push_of<F: Flavor>(scalar: Scalar) -> Push {
    macro_rules! by_order {
        ($function:ident) => {
            if scalar.byte_order() == Some(ByteOrder::Big) { $function::<true> } else { $function::<false> }
        };
        ($function:ident $flavor:ident) => {
            if scalar.byte_order() == Some(ByteOrder::Big) { $function::<$flavor, true> } else { $function::<$flavor, false> }
        };
    }
    match scalar.kind() {
        ScalarKind::Bool => |_, bytes, out| out.push_str(F::BOOLS[usize::from(bytes.iter().any(|byte| *byte != 0))]),
        ScalarKind::Int8 => by_order!(int8),
        ScalarKind::Int16 => by_order!(int16),
        ScalarKind::Int32 => by_order!(int32),
        ScalarKind::Int64 => by_order!(int64),
        ScalarKind::UInt8 => by_order!(uint8),
        ScalarKind::UInt16 => by_order!(uint16),
        ScalarKind::UInt32 => by_order!(uint32),
        ScalarKind::UInt64 => by_order!(uint64),
        ScalarKind::Float32 => by_order!(float32 F),
        ScalarKind::Float64 => by_order!(float64 F),
        ScalarKind::Float8E5M2 | ScalarKind::Ml(_) | ScalarKind::Float16 | ScalarKind::LongDouble { .. } => rare_float::<F>,
        ScalarKind::Complex32 | ScalarKind::Complex64 | ScalarKind::Complex128 | ScalarKind::ComplexLongDouble { .. } => F::complex,
        ScalarKind::Bytes { .. } => |scalar, bytes, out| F::bytes(scalar.without_padding(bytes), out),
        ScalarKind::Unicode { .. } => by_order!(unicode F),
        ScalarKind::Datetime { .. } => by_order!(datetime F),
        ScalarKind::Timedelta { .. } => by_order!(timedelta F),
        _ => void::<F>,
    }
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap_or([0; N])
}

macro_rules! integers {
    ($($name:ident $type:ty,)*) => {$(
        fn $name<const BIG: bool>(_: Scalar, bytes: &[u8], out: &mut String) {
            let value = if BIG { <$type>::from_be_bytes(array(bytes)) } else { <$type>::from_le_bytes(array(bytes)) };
            out.push_str(itoa::Buffer::new().format(value));
        }
    )*};
}

integers! { int8 i8, int16 i16, int32 i32, int64 i64, uint8 u8, uint16 u16, uint32 u32, uint64 u64, }

fn float64<F: Flavor, const BIG: bool>(_: Scalar, bytes: &[u8], out: &mut String) {
    let value = if BIG { f64::from_be_bytes(array(bytes)) } else { f64::from_le_bytes(array(bytes)) };
    if value.is_finite() {
        push_f64(value, out);
    } else {
        out.push_str(special::<F>(value));
    }
}

fn float32<F: Flavor, const BIG: bool>(_: Scalar, bytes: &[u8], out: &mut String) {
    let value = if BIG { f32::from_be_bytes(array(bytes)) } else { f32::from_le_bytes(array(bytes)) };
    if value.is_finite() {
        push_f32(value, out);
    } else {
        out.push_str(special::<F>(value.into()));
    }
}

fn special<F: Flavor>(value: f64) -> &'static str {
    if value.is_nan() { F::NAN } else { F::INFINITIES[usize::from(value > 0.0)] }
}

/// A float that Rust has no type for.
fn rare_float<F: Flavor>(scalar: Scalar, bytes: &[u8], out: &mut String) {
    let begin = out.len();
    push_scalar(scalar, bytes, out);
    let special = match &out[begin..] {
        "nan" => F::NAN,
        "inf" => F::INFINITIES[1],
        "-inf" => F::INFINITIES[0],
        _ => return,
    };
    out.truncate(begin);
    out.push_str(special);
}

fn unicode<F: Flavor, const BIG: bool>(_: Scalar, bytes: &[u8], out: &mut String) {
    let (units, _) = bytes.as_chunks::<4>();
    let code = |unit: &[u8; 4]| if BIG { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
    let length = units.iter().rposition(|unit| *unit != [0; 4]).map_or(0, |last| last + 1);
    // Nearly all text is short.
    let mut short = [0_u8; 64];
    let units = units.get(..length).unwrap_or_default();
    let is_short_ascii = units.len() <= short.len()
        && units.iter().zip(&mut short).all(|(unit, byte)| {
            *byte = code(unit).to_le_bytes()[0];
            code(unit) < 0x80
        });
    if is_short_ascii {
        let text = short.get(..length).and_then(|text| std::str::from_utf8(text).ok());
        return F::text(text.unwrap_or_default(), out);
    }
    F::characters(units.iter().map(|unit| char::from_u32(code(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)), out);
}

/// The number of steps; `None` for NaT.
fn steps<const BIG: bool>(bytes: &[u8]) -> Option<i64> {
    let steps = if BIG { i64::from_be_bytes(array(bytes)) } else { i64::from_le_bytes(array(bytes)) };
    Some(steps).filter(|steps| *steps != i64::MIN)
}

fn datetime<F: Flavor, const BIG: bool>(scalar: Scalar, bytes: &[u8], out: &mut String) {
    if steps::<BIG>(bytes).is_none() {
        return out.push_str(F::NOTHING);
    }
    out.push_str(F::QUOTE);
    push_scalar(scalar, bytes, out);
    out.push_str(F::QUOTE);
}

/// The number of steps: a reader does not parse a number with the name of a unit.
fn timedelta<F: Flavor, const BIG: bool>(_: Scalar, bytes: &[u8], out: &mut String) {
    match steps::<BIG>(bytes) {
        Some(steps) => out.push_str(itoa::Buffer::new().format(steps)),
        None => out.push_str(F::NOTHING),
    }
}

/// In hexadecimal digits.
fn void<F: Flavor>(_: Scalar, bytes: &[u8], out: &mut String) {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    out.reserve(2 * bytes.len() + 2);
    out.push_str(F::QUOTE);
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
    out.push_str(F::QUOTE);
}
