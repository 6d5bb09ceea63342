//! Single values as text: how, is chosen when a dtype is planned.

use npy_core::__private::{push_f32, push_f64, push_scalar};
use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::scalar::{Class, Decoder};

use crate::failure::{Failure, Result};

/// How the values of a scalar become text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Push {
    Bool(Decoder<u64>),
    Signed(Decoder<i64>),
    Unsigned(Decoder<u64>),
    Single(Decoder<f64>),
    Double(Decoder<f64>),
    /// A float that Rust has no type for.
    Rare,
    Complex,
    Bytes,
    Unicode,
    Datetime(Decoder<i64>),
    /// The number of steps: a reader does not parse a number with the name of a unit.
    Timedelta(Decoder<i64>),
    /// In hexadecimal digits.
    Void,
}

/// What the formats write differently.
pub(super) trait Flavor {
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
pub(super) const ESCAPE: usize = 5;

/// Takes memory for the text of a value: of numbers for any, of long text for this one. `escape` is [`ESCAPE`], or 0 without escapes.
#[inline]
pub(super) fn reserve(scalar: Scalar, bytes: &[u8], escape: usize, out: &mut String) -> Result<()> {
    const SMALL: usize = 1 << 8;
    if bytes.len() <= SMALL {
        return out.try_reserve(8 * SMALL).map_err(|_| Failure::allocation(8 * SMALL));
    }
    // With brackets and commas around it. Twice as much, as for text that goes on, would be too much.
    let more = most_bytes(scalar, bytes, escape).saturating_add(SMALL);
    out.try_reserve_exact(more).map_err(|_| Failure::allocation(more))
}

/// The bytes that the text of a long value has at most, quotes included.
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
        // What is no character becomes one of 3 bytes.
        Class::Unicode => scalar.units(bytes).map(|unit| most_of(char::from_u32(unit).map_or(3, char::len_utf8), unit)).sum(),
        _ => 2 * bytes.len(),
    }
}

impl Push {
    pub(super) fn new(scalar: Scalar) -> Self {
        let numbers = || {
            Some(match (scalar.kind(), scalar.class()) {
                (ScalarKind::Float32, _) => Self::Single(Decoder::new(scalar)?),
                (ScalarKind::Float64, _) => Self::Double(Decoder::new(scalar)?),
                (ScalarKind::Ml(_), _) => Self::Rare,
                (_, Class::Bool) => Self::Bool(Decoder::new(scalar)?),
                (_, Class::Signed) => Self::Signed(Decoder::new(scalar)?),
                (_, Class::Unsigned) => Self::Unsigned(Decoder::new(scalar)?),
                (_, Class::Datetime) => Self::Datetime(Decoder::new(scalar)?),
                (_, Class::Timedelta) => Self::Timedelta(Decoder::new(scalar)?),
                _ => return None,
            })
        };
        numbers().unwrap_or_else(|| match scalar.class() {
            // `bfloat16` is written as raw bytes.
            Class::Float if !matches!(scalar.kind(), ScalarKind::Void { .. }) => Self::Rare,
            Class::Complex => Self::Complex,
            Class::Bytes => Self::Bytes,
            Class::Unicode => Self::Unicode,
            _ => Self::Void,
        })
    }

    /// Appends the text of the value with these bytes.
    #[inline]
    pub(super) fn push<F: Flavor>(self, scalar: Scalar, bytes: &[u8], out: &mut String) {
        match self {
            Self::Bool(decoder) => out.push_str(F::BOOLS[usize::from(decoder.decode(bytes) != 0)]),
            Self::Datetime(decoder) | Self::Timedelta(decoder) if decoder.decode(bytes) == i64::MIN => out.push_str(F::NOTHING),
            Self::Signed(decoder) | Self::Timedelta(decoder) => out.push_str(itoa::Buffer::new().format(decoder.decode(bytes))),
            Self::Unsigned(decoder) => out.push_str(itoa::Buffer::new().format(decoder.decode(bytes))),
            Self::Single(decoder) => match decoder.decode(bytes) {
                #[allow(clippy::cast_possible_truncation, reason = "it was widened")]
                value if value.is_finite() => push_f32(value as f32, out),
                value => out.push_str(special::<F>(value)),
            },
            Self::Double(decoder) => match decoder.decode(bytes) {
                value if value.is_finite() => push_f64(value, out),
                value => out.push_str(special::<F>(value)),
            },
            Self::Rare => rare_float::<F>(scalar, bytes, out),
            Self::Complex => F::complex(scalar, bytes, out),
            Self::Bytes => F::bytes(scalar.without_padding(bytes), out),
            Self::Unicode => unicode::<F>(scalar, bytes, out),
            Self::Datetime(_) => {
                out.push_str(F::QUOTE);
                push_scalar(scalar, bytes, out);
                out.push_str(F::QUOTE);
            }
            Self::Void => void::<F>(bytes, out),
        }
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

fn unicode<F: Flavor>(scalar: Scalar, bytes: &[u8], out: &mut String) {
    let units = scalar.units(bytes);
    // Nearly all text is short.
    let (mut short, length) = ([0_u8; 64], units.len());
    let is_short_ascii = length <= short.len()
        && units.clone().zip(&mut short).all(|(unit, byte)| {
            *byte = unit.to_le_bytes()[0];
            unit < 0x80
        });
    if is_short_ascii {
        let text = short.get(..length).and_then(|text| std::str::from_utf8(text).ok());
        return F::text(text.unwrap_or_default(), out);
    }
    F::characters(units.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)), out);
}

/// In hexadecimal digits.
fn void<F: Flavor>(bytes: &[u8], out: &mut String) {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    out.reserve(2 * bytes.len() + 2);
    out.push_str(F::QUOTE);
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
    out.push_str(F::QUOTE);
}
