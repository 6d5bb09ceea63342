//! Floating-point and complex numbers as text.

use super::binary::{Binary, Finite, FloatKind, Magnitude};
use super::digits::{Count, Wanted, digits};
use super::options::{FloatMode, PrintOptions, Sign};
use super::pad;

/// How the floating-point numbers of an array are written: all with an exponent or none, aligned at
/// the point.
#[derive(Clone, Debug)]
pub(crate) struct FloatFormat<'a> {
    options: &'a PrintOptions,
    sign: Sign,
    notation: Notation,
    wanted: Wanted,
    trim: Trim,
    /// Characters before the point, the sign included, and behind it, the exponent included.
    left: usize,
    right: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    Positional,
    /// Scientific notation, with a least number of digits in the exponent.
    Scientific {
        exponent_digits: usize,
    },
}

/// What becomes of zeros at the end of the fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trim {
    /// Keeps trailing zeros, with at least `digits` digits.
    Keep { digits: usize },
    /// They go, and the point stays.
    Zeros,
}

/// A number in parts.
struct Parts {
    /// With the sign.
    whole: String,
    fraction: String,
    /// With `e` and its sign.
    exponent: String,
}

impl<'a> FloatFormat<'a> {
    /// The format for an array of these numbers.
    pub(super) fn new(kind: FloatKind, numbers: &[Binary], options: &'a PrintOptions, sign: Sign) -> Self {
        let mut format = Self {
            options,
            sign,
            notation: Notation::Positional,
            wanted: Wanted::Unique { least: None, most: None },
            trim: Trim::Zeros,
            left: 0,
            right: 0,
        };
        let finite: Vec<(bool, Finite)> = numbers.iter().filter_map(|number| number.finite()).collect();
        if !finite.is_empty() {
            format.fit(&finite, needs_exponent(kind, &finite, options.suppress_small));
        }
        if sign == Sign::Blank && !finite.iter().any(|(negative, _)| *negative) {
            format.left += 1;
        }
        if finite.len() < numbers.len() {
            let is_infinity_below_0 = |number: &Binary| number.negative && number.magnitude == Magnitude::Infinite;
            let has_sign = sign != Sign::Negative || numbers.iter().any(is_infinity_below_0);
            let widest = options.nan.chars().count().max(options.infinity.chars().count() + usize::from(has_sign));
            format.left = format.left.max(widest.saturating_sub(format.right + 1));
        }
        format
    }

    /// Chooses digits and widths so that all of these numbers fit.
    fn fit(&mut self, numbers: &[(bool, Finite)], scientific: bool) {
        let fixed = self.options.float_mode == FloatMode::Fixed;
        let precision = match self.options.float_mode {
            FloatMode::Unique => None,
            _ => Some(self.options.precision),
        };
        if scientific {
            self.notation = Notation::Scientific { exponent_digits: 2 };
        }
        (self.wanted, self.trim) = match precision {
            Some(precision) if fixed => {
                (Wanted::Exact { most: self.count(precision) }, Trim::Keep { digits: usize::try_from(precision).unwrap_or(0) })
            }
            precision => (Wanted::Unique { least: None, most: precision.map(|count| self.count(count)) }, Trim::Zeros),
        };
        let mut exponent_width = 0;
        for &(negative, number) in numbers {
            let parts = self.parts(negative, number);
            self.left = self.left.max(parts.whole.len());
            self.right = self.right.max(parts.fraction.len());
            exponent_width = exponent_width.max(parts.exponent.len());
        }
        let equal = scientific || fixed || self.options.float_mode == FloatMode::EqualAtMost;
        if equal {
            let digits = i32::try_from(self.right).unwrap_or(i32::MAX);
            let most = self.count(digits);
            self.wanted = match self.wanted {
                Wanted::Unique { .. } => Wanted::Unique { least: Some(most), most: Some(most) },
                Wanted::Exact { .. } => Wanted::Exact { most },
            };
            self.trim = Trim::Keep { digits: self.right };
        }
        if scientific {
            // Without the `e` and the sign.
            self.notation = Notation::Scientific { exponent_digits: exponent_width.saturating_sub(2) };
            self.right += exponent_width;
        }
    }

    /// The digits up to `digits` places after the decimal point of the text.
    fn count(&self, digits: i32) -> Count {
        match self.notation {
            Notation::Positional => Count::BehindPoint(digits),
            Notation::Scientific { .. } => Count::InAll(digits.saturating_add(1)),
        }
    }

    /// Appends a number, aligned with the others of the array.
    pub(super) fn write(&self, number: Binary, out: &mut String) {
        let sign = sign_text(number.negative && number.magnitude != Magnitude::Nan, self.sign);
        let special = match number.magnitude {
            Magnitude::Nan => &self.options.nan,
            Magnitude::Infinite => &self.options.infinity,
            Magnitude::Finite(finite) => {
                let parts = self.parts(number.negative, finite);
                pad(self.left.saturating_sub(parts.whole.len()), out);
                out.push_str(&parts.whole);
                out.push('.');
                out.push_str(&parts.fraction);
                out.push_str(&parts.exponent);
                if self.notation == Notation::Positional {
                    pad(self.right.saturating_sub(parts.fraction.len()), out);
                }
                return;
            }
        };
        pad((self.left + self.right + 1).saturating_sub(sign.len() + special.chars().count()), out);
        out.push_str(sign);
        out.push_str(special);
    }

    fn parts(&self, negative: bool, number: Finite) -> Parts {
        let sign = sign_text(negative, self.sign);
        let mut parts = match self.notation {
            Notation::Positional => positional(sign, number, self.wanted),
            Notation::Scientific { exponent_digits } => scientific(sign, number, self.wanted, exponent_digits),
        };
        match self.trim {
            Trim::Keep { digits } => {
                let missing = digits.saturating_sub(parts.fraction.len());
                parts.fraction.extend(std::iter::repeat_n('0', missing));
            }
            Trim::Zeros => parts.fraction.truncate(parts.fraction.trim_end_matches('0').len()),
        }
        parts
    }
}

/// How the complex numbers of an array are written.
#[derive(Clone, Debug)]
pub(crate) struct ComplexFormat<'a> {
    real: FloatFormat<'a>,
    imaginary: FloatFormat<'a>,
}

impl<'a> ComplexFormat<'a> {
    /// The format for an array of numbers with these parts.
    pub(super) fn new(kind: FloatKind, real: &[Binary], imaginary: &[Binary], options: &'a PrintOptions) -> Self {
        Self {
            real: FloatFormat::new(kind, real, options, options.sign),
            imaginary: FloatFormat::new(kind, imaginary, options, Sign::Always),
        }
    }

    /// Appends a number, aligned with the others of the array.
    pub(super) fn write(&self, real: Binary, imaginary: Binary, out: &mut String) {
        self.real.write(real, out);
        let mut text = String::new();
        self.imaginary.write(imaginary, &mut text);
        // The letter stands before the blanks that align the number.
        text.insert(text.trim_end().len(), 'j');
        out.push_str(&text);
    }
}

impl Binary {
    /// Whether it is negative, and its absolute value, unless it is infinite or no number.
    fn finite(self) -> Option<(bool, Finite)> {
        match self.magnitude {
            Magnitude::Finite(finite) => Some((self.negative, finite)),
            Magnitude::Nan | Magnitude::Infinite => None,
        }
    }

    /// The number by itself, with all digits that it needs: `str` of a NumPy scalar.
    pub(super) fn scalar_text(self, kind: FloatKind) -> String {
        self.text(kind, ".0", Sign::Negative)
    }

    fn text(self, kind: FloatKind, no_fraction: &str, sign: Sign) -> String {
        let wanted = Wanted::Unique { least: None, most: None };
        let sign_before = sign_text(self.negative && self.magnitude != Magnitude::Nan, sign);
        match self.magnitude {
            Magnitude::Nan => format!("{sign_before}nan"),
            Magnitude::Infinite => format!("{sign_before}inf"),
            Magnitude::Finite(finite) => {
                let plain = !kind.needs_exponent_as_scalar(finite);
                let parts =
                    if plain { positional(sign_before, finite, wanted) } else { scientific(sign_before, finite, wanted, 2) };
                let Parts { whole, fraction, exponent } = parts;
                match fraction.as_str() {
                    "" if plain => format!("{whole}{no_fraction}"),
                    "" => format!("{whole}{exponent}"),
                    fraction => format!("{whole}.{fraction}{exponent}"),
                }
            }
        }
    }
}

/// A complex number by itself: `str` of a NumPy scalar. A real part of 0 is left out.
pub(super) fn complex_scalar_text(kind: FloatKind, real: Binary, imaginary: Binary) -> String {
    let is_zero = !real.negative && real.finite().is_some_and(|(_, finite)| finite.is_zero());
    if is_zero {
        return format!("{}j", imaginary.text(kind, "", Sign::Negative));
    }
    format!("({}{}j)", real.text(kind, "", Sign::Negative), imaginary.text(kind, "", Sign::Always))
}

fn needs_exponent(kind: FloatKind, numbers: &[(bool, Finite)], suppress_small: bool) -> bool {
    let nonzero = || numbers.iter().map(|&(_, number)| number).filter(|number| !number.is_zero());
    let smallest = nonzero().reduce(|least, number| if number < least { number } else { least });
    let largest = nonzero().reduce(|most, number| if number > most { number } else { most });
    smallest.zip(largest).is_some_and(|(smallest, largest)| kind.needs_exponent(smallest, largest, suppress_small))
}

fn sign_text(negative: bool, sign: Sign) -> &'static str {
    match sign {
        _ if negative => "-",
        Sign::Always => "+",
        Sign::Negative | Sign::Blank => "",
    }
}

fn positional(sign: &str, number: Finite, wanted: Wanted) -> Parts {
    let decimal = digits(number, wanted);
    let mut whole = sign.to_owned();
    let mut fraction = String::new();
    match usize::try_from(decimal.exponent) {
        Ok(exponent) => {
            let (before, behind) = decimal.digits.split_at_checked(exponent + 1).unwrap_or((&decimal.digits, ""));
            whole.push_str(before);
            whole.extend(std::iter::repeat_n('0', exponent + 1 - before.len()));
            fraction.push_str(behind);
        }
        Err(_) => {
            let zeros = usize::try_from(-1 - decimal.exponent).unwrap_or(0);
            whole.push('0');
            fraction.extend(std::iter::repeat_n('0', zeros));
            fraction.push_str(&decimal.digits);
        }
    }
    Parts { whole, fraction, exponent: String::new() }
}

fn scientific(sign: &str, number: Finite, wanted: Wanted, exponent_digits: usize) -> Parts {
    let decimal = digits(number, wanted);
    let (first, fraction) = decimal.digits.split_at_checked(1).unwrap_or((&decimal.digits, ""));
    let exponent_sign = if decimal.exponent < 0 { '-' } else { '+' };
    let exponent = format!("e{exponent_sign}{:0exponent_digits$}", decimal.exponent.unsigned_abs());
    Parts { whole: format!("{sign}{first}"), fraction: fraction.to_owned(), exponent }
}
