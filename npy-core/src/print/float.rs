//! Floating-point and complex numbers as text.

use std::fmt::Write as _;

use super::binary::{Binary, Finite, FloatKind, Magnitude};
use super::decimal::{Ascii, decimal};
use super::digits::{Count, Digits, Wanted, digits, fixed_point};
use super::options::{FloatMode, PrintOptions, Sign};
use super::stream::{pad, push_repeated};
use crate::format::decoder::bits;
use crate::format::dtype::ByteOrder;

/// The format of the floating-point numbers of an array: all with an exponent or none, aligned at the
/// point.
#[derive(Clone, Debug)]
pub(crate) struct FloatFormat<'a> {
    kind: FloatKind,
    options: &'a PrintOptions,
    sign: Sign,
    notation: Notation,
    wanted: Wanted,
    trim: Trim,
    /// Characters before the point with the sign, and after it with the exponent.
    left: usize,
    right: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    Positional,
    /// Scientific notation with a minimum number of digits in the exponent.
    Scientific {
        exponent_digits: usize,
    },
}

/// The treatment of trailing zeros of the fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trim {
    /// Keeps trailing zeros, with at least `digits` digits.
    Keep { digits: usize },
    /// Drops trailing zeros, but not the point.
    Zeros,
}

/// The numbers of an array that determine its format.
#[derive(Default)]
struct Extent {
    /// By absolute value, except for 0.
    smallest: Option<Finite>,
    /// By absolute value, of the numbers without a sign and of those with one.
    largest: [Option<Finite>; 2],
    has_special: bool,
    has_infinity_below_0: bool,
}

impl Extent {
    fn new(numbers: impl Iterator<Item = Binary>) -> Self {
        let mut extent = Self::default();
        for number in numbers {
            let Magnitude::Finite(finite) = number.magnitude else {
                extent.has_special = true;
                extent.has_infinity_below_0 |= number.negative && number.magnitude == Magnitude::Infinite;
                continue;
            };
            let largest = &mut extent.largest[usize::from(number.negative)];
            if largest.is_none_or(|largest| finite > largest) {
                *largest = Some(finite);
            }
            if !finite.is_zero() && extent.smallest.is_none_or(|smallest| finite < smallest) {
                extent.smallest = Some(finite);
            }
        }
        extent
    }

    fn largest(&self) -> Option<Finite> {
        let [positive, negative] = self.largest;
        positive.zip(negative).map_or(positive.or(negative), |(a, b)| Some(if a < b { b } else { a }))
    }
}

impl<'a> FloatFormat<'a> {
    /// The format for an array of these numbers.
    pub(super) fn new(
        kind: FloatKind,
        numbers: impl Iterator<Item = Binary> + Clone,
        options: &'a PrintOptions,
        sign: Sign,
    ) -> Self {
        let mut format = Self {
            kind,
            options,
            sign,
            notation: Notation::Positional,
            wanted: Wanted::Unique { least: None, most: None },
            trim: Trim::Zeros,
            left: 0,
            right: 0,
        };
        let extent = Extent::new(numbers.clone());
        if let Some(largest) = extent.largest() {
            format.fit(&extent, largest, numbers);
        }
        if sign == Sign::Blank && extent.largest[1].is_none() {
            format.left += 1;
        }
        if extent.has_special {
            let has_sign = sign != Sign::Negative || extent.has_infinity_below_0;
            let widest = options.nan.chars().count().max(options.infinity.chars().count() + usize::from(has_sign));
            format.left = format.left.max(widest.saturating_sub(format.right + 1));
        }
        format
    }

    /// Chooses digits and widths so that all of these numbers fit.
    fn fit(&mut self, extent: &Extent, largest: Finite, numbers: impl Iterator<Item = Binary>) {
        let fixed = self.options.float_mode == FloatMode::Fixed;
        let precision = match self.options.float_mode {
            FloatMode::Unique => None,
            _ => Some(self.options.precision),
        };
        // Zeros alone have no smallest number.
        let smallest = extent.smallest.unwrap_or(largest);
        let scientific = !largest.is_zero() && self.kind.needs_exponent(smallest, largest, self.options.suppress_small);
        if scientific {
            self.notation = Notation::Scientific { exponent_digits: 2 };
        }
        self.wanted = match precision {
            Some(precision) if fixed => Wanted::Exact { most: self.count(precision) },
            precision => Wanted::Unique { least: None, most: precision.map(|count| self.count(count)) },
        };
        // A larger number has no fewer digits before the point, and no smaller exponent.
        let mut exponent_width = 0;
        for (negative, number) in [false, true].into_iter().zip(extent.largest).chain([(false, extent.smallest)]) {
            let Some(number) = number else { continue };
            let digits = digits(self.kind, number, self.wanted);
            let parts = Parts::new(&digits, self.notation);
            self.left = self.left.max(sign_text(negative, self.sign).len() + parts.whole_width());
            exponent_width = exponent_width.max(parts.exponent_width());
        }
        let most = precision.map_or(usize::MAX, |precision| usize::try_from(precision).unwrap_or(0));
        self.right = if fixed { most } else { self.widest_fraction(numbers, most) };
        let equal = scientific || fixed || self.options.float_mode == FloatMode::EqualAtMost;
        let most = self.count(i32::try_from(self.right).unwrap_or(i32::MAX));
        if equal {
            self.wanted = match self.wanted {
                Wanted::Unique { .. } => Wanted::Unique { least: Some(most), most: Some(most) },
                Wanted::Exact { .. } => Wanted::Exact { most },
            };
            self.trim = Trim::Keep { digits: self.right };
        } else if precision.is_some() {
            // No number has more digits, and a tight limit is faster.
            self.wanted = Wanted::Unique { least: None, most: Some(most) };
        }
        if scientific {
            // Without the `e` and the sign.
            self.notation = Notation::Scientific { exponent_digits: exponent_width.saturating_sub(2) };
            self.right += exponent_width;
        }
    }

    /// The most digits after the point of all numbers, at most `most`.
    fn widest_fraction(&self, numbers: impl Iterator<Item = Binary>, most: usize) -> usize {
        let mut widest = 0;
        for (_, number) in numbers.filter_map(Binary::finite) {
            if widest == most {
                break;
            }
            if number.round_trips_with(self.count(i32::try_from(widest).unwrap_or(i32::MAX))) {
                continue;
            }
            let digits = digits(self.kind, number, self.wanted);
            widest = widest.max(Parts::new(&digits, self.notation).fraction_width());
        }
        widest
    }

    /// The digits up to `digits` places after the decimal point of the text.
    fn count(&self, digits: i32) -> Count {
        match self.notation {
            Notation::Positional => Count::AfterPoint(digits),
            Notation::Scientific { .. } => Count::Total(digits.saturating_add(1)),
        }
    }

    /// Appends a number, aligned with the others of the array.
    pub(super) fn write(&self, number: Binary, out: &mut String) {
        let sign = sign_text(number.negative && number.magnitude != Magnitude::Nan, self.sign);
        let special = match number.magnitude {
            Magnitude::Nan => &self.options.nan,
            Magnitude::Infinite => &self.options.infinity,
            Magnitude::Finite(finite) => {
                if let Some(number) = fixed_point(finite, self.wanted)
                    && self.write_fixed_point(sign, number, out)
                {
                    return;
                }
                let digits = digits(self.kind, finite, self.wanted);
                let places = match self.notation {
                    Notation::Positional => i32::try_from(self.right).unwrap_or(i32::MAX),
                    Notation::Scientific { exponent_digits } => {
                        i32::try_from(self.right - exponent_digits - 2).unwrap_or(i32::MAX) - digits.exponent
                    }
                };
                if let Some(rounded) = digits.in_units(places)
                    && self.write_fixed_point(sign, (rounded, places), out)
                {
                    return;
                }
                let parts = Parts::new(&digits, self.notation);
                let fraction = parts.fraction_width();
                let missing = match self.trim {
                    Trim::Keep { digits } => digits.saturating_sub(fraction),
                    Trim::Zeros => 0,
                };
                pad(self.left.saturating_sub(sign.len() + parts.whole_width()), out);
                out.push_str(sign);
                parts.push_whole(out);
                out.push('.');
                parts.push_fraction(out);
                push_repeated(ZEROS, missing, out);
                match self.notation {
                    Notation::Positional => pad(self.right.saturating_sub(fraction + missing), out),
                    Notation::Scientific { exponent_digits } => parts.push_exponent(exponent_digits, out),
                }
                return;
            }
        };
        pad((self.left + self.right + 1).saturating_sub(sign.len() + special.chars().count()), out);
        out.push_str(sign);
        out.push_str(special);
    }

    /// Appends a number in units of the last digit, at this place after the point. Returns whether it
    /// fits the buffer.
    fn write_fixed_point(&self, sign: &str, (rounded, places): (u64, i32), out: &mut String) -> bool {
        let mut text = Ascii([b' '; 48]);
        let buffer = &mut text.0;
        let Some(all @ 2..) = buffer.len().checked_sub(self.left + 1 + self.right) else { return false };
        let (mut end, mut fraction) = (buffer.len(), self.right);
        if let Notation::Scientific { exponent_digits } = self.notation {
            fraction -= exponent_digits + 2;
            // The rounded number has the digits of the fraction and one more.
            let exponent = if rounded == 0 { 0 } else { i32::try_from(fraction).unwrap_or(0) - places };
            let begin = decimal(u64::from(exponent.unsigned_abs()), buffer);
            end -= exponent_digits;
            buffer[end..begin].fill(b'0');
            end -= 2;
            buffer[end] = b'e';
            buffer[end + 1] = if exponent < 0 { b'-' } else { b'+' };
        }
        let point = end - 1 - fraction;
        let mut begin = decimal(rounded, &mut buffer[..end]);
        if begin > point {
            buffer[point..begin].fill(b'0');
            begin = point;
        }
        for place in begin..=point {
            buffer[place - 1] = buffer[place];
        }
        buffer[point] = b'.';
        if let [sign] = sign.as_bytes() {
            buffer[begin - 2] = *sign;
        }
        if self.trim == Trim::Zeros {
            buffer.iter_mut().rev().take_while(|digit| **digit == b'0').for_each(|digit| *digit = b' ');
        }
        out.push_str(text.from(all));
        true
    }
}

const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The digits of a number around the point.
struct Parts<'a> {
    whole: &'a str,
    /// Zeros after the digits of the whole part, and before the digits of the fraction.
    zeros: [usize; 2],
    fraction: &'a str,
    exponent: i32,
}

impl<'a> Parts<'a> {
    fn new(digits: &'a Digits, notation: Notation) -> Self {
        let (text, exponent) = (digits.as_str(), digits.exponent);
        let split = |place: usize| text.split_at_checked(place).unwrap_or((text, ""));
        match notation {
            Notation::Scientific { .. } => {
                let (whole, fraction) = split(1);
                Self { whole, zeros: [0, 0], fraction, exponent }
            }
            Notation::Positional => match usize::try_from(exponent) {
                Ok(place) => {
                    let (whole, fraction) = split(place + 1);
                    Self { whole, zeros: [place + 1 - whole.len(), 0], fraction, exponent: 0 }
                }
                Err(_) => {
                    let zeros = usize::try_from(-1 - exponent).unwrap_or(0);
                    Self { whole: "0", zeros: [0, zeros], fraction: text, exponent: 0 }
                }
            },
        }
    }

    fn whole_width(&self) -> usize {
        self.whole.len() + self.zeros[0]
    }

    fn fraction_width(&self) -> usize {
        self.zeros[1] + self.fraction.len()
    }

    /// The width of the `e`, the sign and at least two digits.
    fn exponent_width(&self) -> usize {
        2 + if self.exponent.unsigned_abs() < 100 {
            2
        } else if self.exponent.unsigned_abs() < 1000 {
            3
        } else {
            4
        }
    }

    fn push_whole(&self, out: &mut String) {
        out.push_str(self.whole);
        push_repeated(ZEROS, self.zeros[0], out);
    }

    fn push_fraction(&self, out: &mut String) {
        push_repeated(ZEROS, self.zeros[1], out);
        out.push_str(self.fraction);
    }

    fn push_exponent(&self, digits: usize, out: &mut String) {
        out.push_str(if self.exponent < 0 { "e-" } else { "e+" });
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{:0digits$}", self.exponent.unsigned_abs());
    }
}

/// The format of the complex numbers of an array.
#[derive(Clone, Debug)]
pub(crate) struct ComplexFormat<'a> {
    real: FloatFormat<'a>,
    imaginary: FloatFormat<'a>,
}

impl<'a> ComplexFormat<'a> {
    /// The format for an array of numbers with these parts.
    pub(super) fn new(
        kind: FloatKind,
        real: impl Iterator<Item = Binary> + Clone,
        imaginary: impl Iterator<Item = Binary> + Clone,
        options: &'a PrintOptions,
    ) -> Self {
        Self {
            real: FloatFormat::new(kind, real, options, options.sign),
            imaginary: FloatFormat::new(kind, imaginary, options, Sign::Always),
        }
    }

    /// Appends a number, aligned with the others of the array.
    pub(super) fn write(&self, real: Binary, imaginary: Binary, out: &mut String) {
        self.real.write(real, out);
        self.imaginary.write(imaginary, out);
        // The letter stands before the blanks that align the number.
        out.insert(out.trim_end().len(), 'j');
    }
}

impl Binary {
    /// Whether it is negative, and its absolute value. `None` for infinity and NaN.
    fn finite(self) -> Option<(bool, Finite)> {
        match self.magnitude {
            Magnitude::Finite(finite) => Some((self.negative, finite)),
            Magnitude::Nan | Magnitude::Infinite => None,
        }
    }

    /// Appends the number by itself, with its shortest digits, and a text after a number without a
    /// fraction.
    fn push(self, kind: FloatKind, no_fraction: &str, sign: Sign, out: &mut String) {
        out.push_str(sign_text(self.negative && self.magnitude != Magnitude::Nan, sign));
        let finite = match self.magnitude {
            Magnitude::Nan => return out.push_str("nan"),
            Magnitude::Infinite => return out.push_str("inf"),
            Magnitude::Finite(finite) => finite,
        };
        let digits = digits(kind, finite, Wanted::Unique { least: None, most: None });
        if kind.needs_exponent_as_scalar(finite) {
            return push_scientific(&digits, out);
        }
        let parts = Parts::new(&digits, Notation::Positional);
        parts.push_whole(out);
        if parts.fraction_width() > 0 {
            out.push('.');
            parts.push_fraction(out);
        } else {
            out.push_str(no_fraction);
        }
    }
}

fn push_scientific(digits: &Digits, out: &mut String) {
    let parts = Parts::new(digits, Notation::Scientific { exponent_digits: 2 });
    parts.push_whole(out);
    if parts.fraction_width() > 0 {
        out.push('.');
        parts.push_fraction(out);
    }
    parts.push_exponent(2, out);
}

impl FloatKind {
    /// Appends `str` of the NumPy scalar with these bytes: its shortest digits.
    pub(super) fn push_scalar(self, bytes: &[u8], order: ByteOrder, out: &mut String) {
        let bits = || bits(bytes, order);
        match self {
            Self::Double => push_f64(f64::from_bits(u64::try_from(bits()).unwrap_or(0)), out),
            Self::Single => push_f32(f32::from_bits(u32::try_from(bits()).unwrap_or(0)), out),
            _ => self.decode(bytes, order).push(self, ".0", Sign::Negative, out),
        }
    }
}

/// Appends the shortest digits of a double, as `repr` of a Python float and `str` of a NumPy scalar do.
///
/// ```
/// let mut text = String::new();
/// npy_core::print::push_f64(1e16, &mut text);
/// assert_eq!(text, "1e+16");
/// ```
pub fn push_f64(value: f64, out: &mut String) {
    push_shortest(value, 1e16, out);
}

/// Appends the shortest digits of a single, as `str` of a NumPy scalar does.
///
/// ```
/// let mut text = String::new();
/// npy_core::print::push_f32(0.1, &mut text);
/// assert_eq!(text, "0.1");
/// ```
pub fn push_f32(value: f32, out: &mut String) {
    push_shortest(value, 1e6, out);
}

/// Appends a number, with an exponent below 0.0001 and from `most` on.
fn push_shortest<F: zmij::Float + Into<f64> + Copy>(number: F, most: f64, out: &mut String) {
    let value: f64 = number.into();
    let size = value.abs();
    if !size.is_finite() {
        return out.push_str(if value.is_nan() {
            "nan"
        } else if value < 0.0 {
            "-inf"
        } else {
            "inf"
        });
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(number);
    // Python writes the sign of an exponent, and at least two digits.
    let has_long_exponent = || matches!(text.as_bytes(), [.., b'e', b'+' | b'-', _, _] | [.., b'e', b'+' | b'-', _, _, _]);
    if size == 0.0 || (1e-4..most).contains(&size) || has_long_exponent() {
        return out.push_str(text);
    }
    let absolute = text.strip_prefix('-').unwrap_or(text);
    out.push_str(if value < 0.0 { "-" } else { "" });
    push_scientific(&Digits::parse(absolute), out);
}

/// Appends a complex number by itself: `str` of a NumPy scalar. A real part of 0 is left out.
pub(super) fn push_complex(kind: FloatKind, real: Binary, imaginary: Binary, out: &mut String) {
    let is_zero = !real.negative && real.finite().is_some_and(|(_, finite)| finite.is_zero());
    if is_zero {
        imaginary.push(kind, "", Sign::Negative, out);
        out.push('j');
        return;
    }
    out.push('(');
    real.push(kind, "", Sign::Negative, out);
    imaginary.push(kind, "", Sign::Always, out);
    out.push_str("j)");
}

fn sign_text(negative: bool, sign: Sign) -> &'static str {
    match sign {
        _ if negative => "-",
        Sign::Always => "+",
        Sign::Negative | Sign::Blank => "",
    }
}
