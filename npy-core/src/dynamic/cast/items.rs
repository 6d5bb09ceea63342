//! Casts over slices, a block at a time. The loop over a block is vectorized, and returns whether all
//! numbers fit. Otherwise a scalar loop finds the first that does not.
#![allow(clippy::needless_bitwise_bool, reason = "`&&` is a branch, which keeps the loop from being vectorized")]

use std::any::Any;

use super::number::{NpyNumber, Wide};
use super::{Casting, Class, not_allowed};
use crate::error::{Result, ValueError, ValueProblem};
use crate::memory::reserve_exact;
use crate::memory::vectors::{self, Loops};

/// The numbers of a block. Where one does not fit, the block is converted again, out of the cache.
const BLOCK: usize = 1024;

/// Converts numbers to another type.
///
/// # Errors
///
/// Fails if the rule does not allow it, or if a value does not fit.
pub fn cast_items<S: NpyNumber, T: NpyNumber>(items: &[S], casting: Casting) -> Result<Vec<T>> {
    if !casting.allows_class(S::CLASS, T::CLASS) {
        return Err(not_allowed(&S::dtype(), &T::dtype(), casting));
    }
    let mut converted = Vec::new();
    reserve_exact(&mut converted, items.len())?;
    append(&mut converted, items, casting)?;
    Ok(converted)
}

/// Appends numbers, whatever the rule says of their types. There is memory for them.
pub(super) fn append<S: NpyNumber, T: NpyNumber>(converted: &mut Vec<T>, items: &[S], casting: Casting) -> Result<()> {
    vectors::run(Append { converted, items, casting })
}

/// Twice as fast with wide vectors, beside a NumPy that has them.
struct Append<'a, S, T> {
    converted: &'a mut Vec<T>,
    items: &'a [S],
    casting: Casting,
}

impl<S: NpyNumber, T: NpyNumber> Loops for Append<'_, S, T> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Self { converted, items, casting } = self;
        // Where one float is not whole, others are not.
        let mut are_whole = true;
        for block in items.chunks(BLOCK) {
            let begin = converted.len();
            let all_fit = match casting {
                Casting::Checked => append_checked::<S, T, false>(converted, block),
                Casting::Exact => append_checked::<S, T, true>(converted, block),
                _ => {
                    append_any(converted, block, &mut are_whole);
                    true
                }
            };
            if !all_fit && let Some(index) = block.iter().position(|item| !fits::<T>(item.to_wide(), casting)) {
                return Err(does_not_fit::<T>(block[index].to_wide()).in_element((begin + index) as u64));
            }
        }
        Ok(())
    }
}

/// Appends numbers without checks.
#[inline(always)]
fn append_any<S: NpyNumber, T: NpyNumber>(converted: &mut Vec<T>, block: &[S], are_whole: &mut bool) {
    if !S::CLASS.is_integer() && is_plain_integer(T::CLASS) {
        *are_whole = *are_whole && append_whole(converted, block);
        let range = T::CLASS.range();
        let truncate = |wide| (T::from_wide(Wide::Signed(truncated(wide))), is_in_range(wide, range));
        if *are_whole || is_single(S::CLASS) && append_if(converted, block, truncate) {
            return;
        }
    }
    append_nearest(converted, block);
}

/// Appends floats as integers if all of them are whole, have no imaginary part and are in the range, and nothing otherwise.
#[inline(always)]
fn append_whole<S: NpyNumber, T: NpyNumber>(converted: &mut Vec<T>, block: &[S]) -> bool {
    let range = T::CLASS.range();
    append_if(converted, block, |wide| (T::from_wide(Wide::Signed(nearest(wide))), is_in_range(wide, range) & is_whole(wide)))
}

/// Appends the nearest numbers, wrapped or truncated.
#[inline(always)]
fn append_nearest<S: NpyNumber, T: NpyNumber>(converted: &mut Vec<T>, block: &[S]) {
    // A NaN of the same type keeps its payload, as in NumPy.
    let same = |item: &S| (item as &dyn Any).downcast_ref::<T>().copied();
    converted.extend(block.iter().map(|item| same(item).unwrap_or_else(|| T::from_wide(item.to_wide()))));
}

/// Appends numbers if all of them fit, and nothing otherwise. One loop looks and converts: two take twice as long.
#[inline(always)]
fn append_if<S: NpyNumber, T: NpyNumber>(converted: &mut Vec<T>, block: &[S], convert: impl Fn(Wide) -> (T, bool)) -> bool {
    let (begin, mut all_fit) = (converted.len(), true);
    converted.extend(block.iter().map(|item| {
        let (number, fits) = convert(item.to_wide());
        all_fit &= fits;
        number
    }));
    if !all_fit {
        converted.truncate(begin);
    }
    all_fit
}

/// Appends numbers, and returns whether all of them fit; `false` also if a closer look is needed.
#[inline(always)]
fn append_checked<S: NpyNumber, T: NpyNumber, const EXACT: bool>(converted: &mut Vec<T>, block: &[S]) -> bool {
    let (from, to) = (S::CLASS, T::CLASS);
    let is_rounded_if_safe = matches!(from, Class::Unsigned(8) | Class::Signed(8)) && !to.is_integer();
    if from.is_held_by(to) && !is_rounded_if_safe {
        append_nearest(converted, block);
        return true;
    }
    if from.is_integer() {
        let mut bits = S::Bits::default();
        converted.extend(block.iter().map(|item| {
            S::gather(&mut bits, *item);
            T::from_wide(item.to_wide())
        }));
        let span = S::span(bits);
        let is_too_long = span.bits.checked_shr(to.integer_bits()).is_some_and(|beyond| beyond != 0);
        return !(is_too_long || span.is_any_negative && to.is_unsigned());
    }
    let all_fit = if to.is_integer() {
        append_whole(converted, block)
    } else {
        append_if(converted, block, |wide| {
            let number = T::from_wide(wide);
            (number, float_fits::<EXACT>(wide.parts(), number.to_wide().parts(), matches!(to, Class::Complex(_))))
        })
    };
    if !all_fit {
        append_nearest(converted, block);
    }
    all_fit
}

fn is_plain_integer(class: Class) -> bool {
    class.is_integer() && class != Class::Bool
}

/// Whether numbers are [`Wide::Single`]. For `f64` the conversion of the language is faster.
fn is_single(class: Class) -> bool {
    matches!(class, Class::Float(2 | 4) | Class::BrainFloat | Class::Complex(4))
}

/// 1.5 · 2^23 and 1.5 · 2^52: the last bit of a sum with it is 1, so that its bits are those of the
/// nearest integer. The conversions of the language have no vectors, because they saturate.
const SINGLE: f32 = 12_582_912.0;
const DOUBLE: f64 = 6_755_399_441_055_744.0;

/// Whether a float lies in a range of integers, and is not too large for [`truncated`].
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "those in the range have few bits")]
fn is_in_range(wide: Wide, (least, end): (f64, f64)) -> bool {
    match wide {
        Wide::Single(value) | Wide::ComplexSingle(value, _) => {
            let (before, end) = ((least - 1.0).max(-4_194_304.0) as f32, end.min(4_194_304.0) as f32);
            (before < value) & (value < end)
        }
        _ => {
            let value = wide.parts().0;
            ((least - 1.0).max(-2_251_799_813_685_248.0) < value) & (value < end.min(2_251_799_813_685_248.0))
        }
    }
}

/// The nearest integer of a float whose magnitude is below 2^22, or 2^51.
#[inline(always)]
fn nearest(wide: Wide) -> i64 {
    match wide {
        Wide::Single(value) | Wide::ComplexSingle(value, _) => {
            (value + SINGLE).to_bits().wrapping_sub(SINGLE.to_bits()).cast_signed().into()
        }
        _ => (wide.parts().0 + DOUBLE).to_bits().wrapping_sub(DOUBLE.to_bits()).cast_signed(),
    }
}

/// The integer part of a float of such a magnitude.
#[inline(always)]
fn truncated(wide: Wide) -> i64 {
    match wide {
        Wide::Single(value) | Wide::ComplexSingle(value, _) => {
            let sum = value.abs() + SINGLE;
            let nearest = sum.to_bits().wrapping_sub(SINGLE.to_bits()).cast_signed();
            let below = nearest - i32::from(sum - SINGLE > value.abs());
            (if value < 0.0 { -below } else { below }).into()
        }
        _ => {
            let value = wide.parts().0;
            let sum = value.abs() + DOUBLE;
            let nearest = sum.to_bits().wrapping_sub(DOUBLE.to_bits()).cast_signed();
            let below = nearest - i64::from(sum - DOUBLE > value.abs());
            if value < 0.0 { -below } else { below }
        }
    }
}

/// Whether a float of such a magnitude is an integer.
#[inline(always)]
#[allow(clippy::float_cmp, reason = "whether it is the same number")]
fn is_whole(wide: Wide) -> bool {
    match wide {
        Wide::Single(value) => (value + SINGLE) - SINGLE == value,
        Wide::ComplexSingle(value, im) => ((value + SINGLE) - SINGLE == value) & (im == 0.0),
        _ => {
            let (value, im) = wide.parts();
            ((value + DOUBLE) - DOUBLE == value) & (im == 0.0)
        }
    }
}

/// Whether a float fits into what it became: a float or a complex number.
#[inline(always)]
fn float_fits<const EXACT: bool>((re, im): (f64, f64), (new_re, new_im): (f64, f64), is_complex: bool) -> bool {
    // Comparisons have vectors, and `is_infinite` has none.
    let overflows = |before: f64, after: f64| (before.abs() <= f64::MAX) & (after.abs() > f64::MAX);
    if EXACT {
        is_same(re, new_re) & is_same_imaginary(im, new_im, is_complex)
    } else {
        !overflows(re, new_re) & if is_complex { !overflows(im, new_im) } else { im == 0.0 }
    }
}

/// Whether a number fits, by [`Casting::Checked`] or [`Casting::Exact`].
pub(super) fn fits<T: NpyNumber>(wide: Wide, casting: Casting) -> bool {
    T::from_wide_checked(wide).is_some_and(|number| casting == Casting::Checked || !is_rounded(wide, number.to_wide()))
}

/// Whether a float became another one. Integers do not where they fit.
fn is_rounded(before: Wide, after: Wide) -> bool {
    let is_float = |wide: Wide| !matches!(wide, Wide::Signed(_) | Wide::Unsigned(_));
    let ((re, im), (new_re, new_im)) = (before.parts(), after.parts());
    let is_to_complex = matches!(after, Wide::ComplexSingle(..) | Wide::Complex(..));
    is_float(before) && is_float(after) && !(is_same(re, new_re) && is_same_imaginary(im, new_im, is_to_complex))
}

#[inline(always)]
#[allow(clippy::float_cmp, reason = "whether it is the same number")]
fn is_same(before: f64, after: f64) -> bool {
    (before == after) | before.is_nan()
}

/// Also of those that have no place for it, where -0 is lost.
#[inline(always)]
fn is_same_imaginary(before: f64, after: f64, is_kept: bool) -> bool {
    if is_kept { is_same(before, after) } else { before.to_bits() == 0 }
}

#[cold]
pub(super) fn does_not_fit<T: NpyNumber>(wide: Wide) -> ValueError {
    let (value, dtype) = (wide.to_string(), T::dtype().to_string());
    // What is rounded, or loses a part, is inexact; what is not there at all is out of range.
    let is_outside = match (wide, wide.parts()) {
        (Wide::Signed(_) | Wide::Unsigned(_), _) => T::CLASS.is_integer(),
        (_, (number, 0.0)) if T::CLASS.is_integer() => number.is_infinite() || number.fract() == 0.0,
        (_, (_, im)) => (im == 0.0 || matches!(T::CLASS, Class::Complex(_))) && T::from_wide_checked(wide).is_none(),
    };
    if is_outside { ValueProblem::OutOfRange { value, dtype } } else { ValueProblem::Inexact { value, dtype } }.into()
}

#[cfg(all(test, feature = "half", feature = "complex"))]
mod tests {
    use half::{bf16, f16};
    use num_complex::Complex;

    use super::*;
    use crate::error::{Error, ErrorKind};

    fn is_equal(one: Wide, other: Wide) -> bool {
        match (one, other) {
            (Wide::Signed(one), Wide::Signed(other)) => one == other,
            (Wide::Unsigned(one), Wide::Unsigned(other)) => one == other,
            _ => {
                let ((re, im), (other_re, other_im)) = (one.parts(), other.parts());
                let is_equal = |one: f64, other: f64| one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan();
                is_equal(re, other_re) && is_equal(im, other_im)
            }
        }
    }

    /// Casts what fits, alone and in blocks, and with what does not.
    fn blocks_agree_with_single_numbers<S: NpyNumber, T: NpyNumber>(values: &[S]) {
        for casting in [Casting::Checked, Casting::Exact] {
            let (mut good, bad): (Vec<S>, Vec<S>) = values.iter().partition(|value| fits::<T>(value.to_wide(), casting));
            let pair = format!("{:?} to {:?}, {casting:?}", S::CLASS, T::CLASS);
            let many: Vec<S> = good.iter().copied().cycle().take(BLOCK + 300).collect();
            for good in good.iter().map(std::slice::from_ref).chain([&many[..]]) {
                let cast = cast_items::<S, T>(good, casting).unwrap_or_else(|error| panic!("{pair}: {error}"));
                for (value, number) in good.iter().zip(cast) {
                    let Some(expected) = T::from_wide_checked(value.to_wide()).map(T::to_wide) else { panic!("{pair}") };
                    assert!(is_equal(number.to_wide(), expected), "{pair}: {} {}", value.to_wide(), number.to_wide());
                }
            }
            for bad in bad {
                good.push(bad);
                let error = cast_items::<S, T>(&good, casting).err().map(Error::into_kind);
                good.pop();
                let place = good.len() as u64;
                let is_named = matches!(&error, Some(ErrorKind::InvalidValue { index, .. }) if *index == place);
                assert!(is_named, "{pair}: {} {error:?}", bad.to_wide());
            }
        }
    }

    fn cast_to_all<S: NpyNumber>(integers: &[i128], floats: &[f64]) {
        let integers = integers.iter().map(|&value| match i64::try_from(value) {
            Ok(value) => Wide::Signed(value),
            Err(_) => Wide::Unsigned(u64::try_from(value).unwrap_or(u64::MAX)),
        });
        let floats = floats.iter().flat_map(|&value| [Wide::Float(value), Wide::Complex(value, 0.0), Wide::Complex(0.5, value)]);
        let values: Vec<S> = integers.chain(floats).map(S::from_wide).collect();
        macro_rules! to {
            ($($type:ty)*) => {$(blocks_agree_with_single_numbers::<S, $type>(&values);)*};
        }
        to!(bool u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64 Complex<f32> Complex<f64>);
    }

    #[test]
    #[allow(clippy::cast_precision_loss, reason = "floats near them will do")]
    fn blocks_agree_with_single_numbers_of_every_pair() {
        let mut integers = vec![0, 1, -1, i128::from(u64::MAX), i128::from(i64::MIN)];
        for bits in [7, 8, 11, 15, 16, 22, 23, 24, 31, 32, 50, 51, 52, 53, 62, 63] {
            let power = 1_i128 << bits;
            integers.extend([power - 1, power, power + 1, 1 - power, -power, -power - 1]);
        }
        integers.retain(|value| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(value));
        let mut floats: Vec<f64> = integers.iter().map(|value| *value as f64).collect();
        floats.extend([0.5, -0.0, 1.5, 0.1, 65504.0, 65520.0, 1e39, 1e300, -1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
        macro_rules! from {
            ($($type:ty)*) => {$(cast_to_all::<$type>(&integers, &floats);)*};
        }
        from!(bool u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64 Complex<f32> Complex<f64>);
    }
}
