//! Casts slices block by block. A vectorized loop converts a block, and returns whether all numbers fit. If
//! not, a scalar loop finds the first that does not.

use std::any::{Any, TypeId};
use std::mem;

#[cfg(feature = "complex")]
use num_complex::Complex;

use super::floats::{append_floats, append_long};
use super::number::{NpyNumber, Span, Wide};
use super::rule::{Casting, SizedClass, not_allowed};
use super::wide::{BLOCK, CastBlocks};
use crate::error::{Result, ValueError};
use crate::memory::reserve_exact;
use crate::memory::vectors::{self, Loops};

impl Casting {
    /// Converts numbers to another type, as [`DynValues::cast`](crate::DynValues::cast) does.
    ///
    /// Fails if the rule does not allow it, or if a value does not fit.
    ///
    /// ```
    /// use npy_core::Casting;
    ///
    /// assert_eq!(Casting::Safe.cast::<u8, f32>(&[1, 2])?, [1.0, 2.0]);
    /// assert!(Casting::Safe.cast::<f32, u8>(&[1.5]).is_err());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn cast<S: NpyNumber, T: NpyNumber>(self, items: &[S]) -> Result<Vec<T>> {
        if !self.allows_class(S::CLASS, T::CLASS) {
            return Err(not_allowed(&S::dtype(), &T::dtype(), self));
        }
        if TypeId::of::<S>() == TypeId::of::<T>() {
            // A NaN of a half float keeps its payload, as in NumPy.
            let mut same = Vec::new();
            reserve_exact(&mut same, items.len())?;
            same.extend_from_slice(items);
            let same = (&mut Some(same) as &mut dyn Any).downcast_mut::<Option<Vec<T>>>().and_then(Option::take);
            return Ok(same.unwrap_or_default());
        }
        let mut cast = Cast::new(S::CLASS, items.len(), self)?;
        S::cast_blocks(items, &mut cast)?;
        Ok(cast.converted)
    }
}

/// A cast of blocks of numbers to one type.
pub(super) struct Cast<T> {
    pub(super) converted: Vec<T>,
    casting: Casting,
    /// Once a float is too large for vectors, later blocks do not try them.
    are_small: bool,
}

impl<T: NpyNumber> Cast<T> {
    /// Begins a cast of a number of elements. The rule must allow it.
    pub(super) fn new(from: SizedClass, count: usize, casting: Casting) -> Result<Self> {
        let mut converted = Vec::new();
        reserve_exact(&mut converted, count)?;
        // Types that hold all values need no checks, but floats do not hold all 64-bit integers.
        let is_held = from.is_held_by(T::CLASS) && (T::CLASS.is_integer() || !from.is_long());
        Ok(Self { converted, casting: if is_held { Casting::Unsafe } else { casting }, are_small: true })
    }

    fn append<S: NpyNumber>(&mut self, items: &[S]) -> Result<()> {
        vectors::run(Append { cast: self, items })
    }
}

/// The methods of `CastBlocks` by one that is generic.
macro_rules! all_by {
    ($append:ident: $($name:ident $number:ty,)*) => {$(
        fn $name(&mut self, numbers: &[$number]) -> Result<()> {
            self.$append(numbers)
        }
    )*};
    ($append:ident) => {
        all_by!($append: u8s u8, u16s u16, u32s u32, u64s u64, i16s i16, i32s i32, i64s i64, f32s f32, f64s f64,);
        #[cfg(feature = "complex")]
        all_by!($append: c64s Complex<f32>, c128s Complex<f64>,);
    };
}

impl<T: NpyNumber> CastBlocks for Cast<T> {
    fn converted(&mut self) -> &mut dyn Any {
        &mut self.converted
    }

    all_by!(append);
}

/// Wide vectors make it twice as fast; NumPy has them, too.
struct Append<'a, S, T> {
    cast: &'a mut Cast<T>,
    items: &'a [S],
}

impl<S: NpyNumber, T: NpyNumber> Loops for Append<'_, S, T> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Cast { converted, casting, are_small } = self.cast;
        for block in self.items.chunks(BLOCK) {
            let begin = converted.len();
            let all_fit = if const { matches!((S::CLASS, T::CLASS), (SizedClass::Complex(_), SizedClass::Complex(_))) } {
                // Twice as many floats, which takes 1.6 times less for `c16` to `c8`: a loop over complex numbers stores them one by one.
                let mut parts = T::into_parts(mem::take(converted));
                let all_fit = append_block(&mut parts, S::as_parts(block), *casting, are_small);
                *converted = T::from_parts(parts);
                all_fit
            } else {
                append_block(converted, block, *casting, are_small)
            };
            if !all_fit && let Some(index) = block.iter().position(|item| !fits::<T>(item.to_wide(), *casting)) {
                return Err(does_not_fit::<T>(block[index].to_wide()).in_element((begin + index) as u64));
            }
        }
        Ok(())
    }
}

/// Appends numbers, and returns whether all of them fit; `false` also if a closer look is needed.
#[inline(always)]
fn append_block<S: NpyNumber, T: NpyNumber>(converted: &mut Vec<T>, block: &[S], casting: Casting, are_small: &mut bool) -> bool {
    match casting {
        Casting::Exact if const { !S::CLASS.is_integer() && !T::CLASS.is_integer() } => {
            append_checked::<S, T, true>(converted, block)
        }
        Casting::Checked | Casting::Exact => append_checked::<S, T, false>(converted, block),
        _ => {
            append_any(converted, block, are_small);
            true
        }
    }
}

/// Appends numbers without checks.
#[inline(always)]
fn append_any<S: NpyNumber, T: NpyNumber>(converted: &mut Vec<T>, block: &[S], are_small: &mut bool) {
    if const { !S::CLASS.is_integer() && T::CLASS.is_long_integer() } {
        *are_small = *are_small && append_long::<S, T, false>(converted, block);
        if *are_small {
            return;
        }
    }
    append_nearest(converted, block);
}

/// Appends the nearest numbers, wrapped or truncated.
#[inline(always)]
fn append_nearest<S: NpyNumber, T: NpyNumber>(converted: &mut Vec<T>, block: &[S]) {
    // A NaN of the same type keeps its payload, as in NumPy.
    let same = |item: &S| (item as &dyn Any).downcast_ref::<T>().copied();
    T::extend(converted, block.iter().map(|item| same(item).unwrap_or_else(|| T::from_wide(item.to_wide()))));
}

/// [`append_block`] by a rule that looks at the values.
#[inline(always)]
fn append_checked<S: NpyNumber, T: NpyNumber, const EXACT: bool>(converted: &mut Vec<T>, block: &[S]) -> bool {
    let all_fit = |span: Span| {
        let is_too_long = span.bits.checked_shr(T::CLASS.integer_bits()).is_some_and(|beyond| beyond != 0);
        !(is_too_long || span.is_any_negative && T::CLASS.is_unsigned())
    };
    if const { S::CLASS.is_long() && !T::CLASS.is_integer() && T::CLASS.integer_bits() < 32 } {
        return append_long_integers(converted, block, all_fit(span_of(block)));
    }
    if const { S::CLASS.is_integer() } {
        return all_fit(append_integers(converted, block));
    }
    if const { T::CLASS.is_long_integer() } && append_long::<S, T, true>(converted, block) {
        return true;
    }
    // Half floats are converted from `f32`.
    if const { is_single(S::CLASS) || matches!(T::CLASS, SizedClass::Float(2) | SizedClass::BrainFloat) } {
        append_floats::<S, T, f32, EXACT>(converted, block)
    } else {
        append_floats::<S, T, f64, EXACT>(converted, block)
    }
}

/// Appends integers, and returns their bits. A loop for each would take twice as long.
#[inline(always)]
fn append_integers<S: NpyNumber, T: NpyNumber>(converted: &mut Vec<T>, block: &[S]) -> Span {
    let mut bits = S::Bits::default();
    let append = |item: &S| {
        S::gather(&mut bits, *item);
        T::from_wide(item.to_wide())
    };
    T::extend(converted, block.iter().map(append));
    S::span(bits)
}

/// Appends 64-bit integers as floats, and returns whether they are short. Short ones are converted as an `i32`, which takes 1.5 times less
/// for `i64` to `f32`, because AVX2 has no instruction for `i64`.
#[inline(always)]
#[allow(clippy::cast_precision_loss, reason = "short integers are exact")]
fn append_long_integers<S: NpyNumber, T: NpyNumber>(converted: &mut Vec<T>, block: &[S], are_short: bool) -> bool {
    if are_short {
        T::extend(converted, block.iter().map(|item| T::from_wide(Wide::Single(i32::from_wide(item.to_wide()) as f32))));
    } else {
        append_nearest(converted, block);
    }
    are_short
}

/// The bits of integers.
#[inline(always)]
fn span_of<S: NpyNumber>(block: &[S]) -> Span {
    let mut bits = S::Bits::default();
    for item in block {
        S::gather(&mut bits, *item);
    }
    S::span(bits)
}

/// Whether numbers are [`Wide::Single`], also the parts of complex ones.
const fn is_single(class: SizedClass) -> bool {
    matches!(class, SizedClass::Float(2 | 4) | SizedClass::BrainFloat | SizedClass::Complex(4))
}

/// Whether a number fits, by [`Casting::Checked`] or [`Casting::Exact`].
pub(super) fn fits<T: NpyNumber>(wide: Wide, casting: Casting) -> bool {
    T::from_wide_checked(wide).is_some_and(|number| casting == Casting::Checked || !is_rounded(wide, number.to_wide()))
}

/// Whether rounding changed a float. Integers that fit are exact.
fn is_rounded(before: Wide, after: Wide) -> bool {
    let is_float = |wide: Wide| !matches!(wide, Wide::Signed(_) | Wide::Unsigned(_));
    let ((re, im), (new_re, new_im)) = (before.parts(), after.parts());
    let is_to_complex = matches!(after, Wide::ComplexSingle(..) | Wide::Complex(..));
    is_float(before) && is_float(after) && !(is_same(re, new_re) && is_same_imaginary(im, new_im, is_to_complex))
}

#[inline(always)]
#[allow(clippy::float_cmp, reason = "only the same number is exact")]
fn is_same(before: f64, after: f64) -> bool {
    (before == after) | before.is_nan()
}

/// Whether the imaginary part is the same. Real numbers do not keep it, not even -0.
#[inline(always)]
fn is_same_imaginary(before: f64, after: f64, is_kept: bool) -> bool {
    if is_kept { is_same(before, after) } else { before.to_bits() == 0 }
}

#[cold]
pub(super) fn does_not_fit<T: NpyNumber>(wide: Wide) -> ValueError {
    // A rounded number, or one that loses a part, is inexact. Any other misfit is out of range.
    let is_outside = match (wide, wide.parts()) {
        (Wide::Signed(_) | Wide::Unsigned(_), _) => T::CLASS.is_integer(),
        (_, (number, 0.0)) if T::CLASS.is_integer() => number.is_infinite() || number.fract() == 0.0,
        (_, (_, im)) => (im == 0.0 || matches!(T::CLASS, SizedClass::Complex(_))) && T::from_wide_checked(wide).is_none(),
    };
    if is_outside { ValueError::out_of_range(wide, T::dtype()) } else { ValueError::inexact(wide, T::dtype()) }
}

#[cfg(test)]
#[cfg(all(feature = "half", feature = "complex"))]
mod tests {
    use half::{bf16, f16};
    use num_complex::Complex;

    use super::*;
    use crate::error::Error;

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

    /// Casts numbers that fit, alone and in blocks, and with ones that do not.
    fn blocks_agree_with_single_numbers<S: NpyNumber, T: NpyNumber>(values: &[S]) {
        for casting in [Casting::Checked, Casting::Exact] {
            let (mut good, bad): (Vec<S>, Vec<S>) = values.iter().partition(|value| fits::<T>(value.to_wide(), casting));
            let pair = format!("{:?} to {:?}, {casting:?}", S::CLASS, T::CLASS);
            let many: Vec<S> = good.iter().copied().cycle().take(BLOCK + 300).collect();
            for good in good.iter().map(std::slice::from_ref).chain([&many[..]]) {
                let cast = casting.cast::<S, T>(good).unwrap_or_else(|error| panic!("{pair}: {error}"));
                for (value, number) in good.iter().zip(cast) {
                    let Some(expected) = T::from_wide_checked(value.to_wide()).map(T::to_wide) else { panic!("{pair}") };
                    assert!(is_equal(number.to_wide(), expected), "{pair}: {} {}", value.to_wide(), number.to_wide());
                }
            }
            for bad in bad {
                good.push(bad);
                let error = casting.cast::<S, T>(&good).err();
                good.pop();
                let place = good.len() as u64;
                let is_named = error.as_ref().and_then(Error::element) == Some(place);
                assert!(is_named, "{pair}: {} {error:?}", bad.to_wide());
            }
        }
    }

    /// Numbers by the conversions of the language and of the crate `half`.
    trait Plainly: NpyNumber {
        fn plainly(wide: Wide) -> Self;
    }

    macro_rules! plainly {
        ($($type:ty: $wide:ident $single:expr, $double:expr, $signed:expr, $unsigned:expr;)*) => {$(
            #[allow(
                clippy::cast_lossless, clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss,
                clippy::cast_possible_wrap, clippy::float_cmp, clippy::redundant_closure_call, trivial_numeric_casts,
                reason = "wrapping and rounding is what is asked for"
            )]
            impl Plainly for $type {
                fn plainly($wide: Wide) -> Self {
                    match $wide {
                        Wide::Signed(value) => $signed(value),
                        Wide::Unsigned(value) => $unsigned(value),
                        Wide::Single(value) | Wide::ComplexSingle(value, _) => $single(value),
                        Wide::Float(value) | Wide::Complex(value, _) => $double(value),
                    }
                }
            }
        )*};
        ($($type:ty)*) => {plainly! {$(
            $type: wide |value: f32| value as $type, |value: f64| value as $type, |value: i64| value as $type, |value: u64| value as $type;
        )*}};
    }

    plainly!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);
    plainly! {
        bool: wide |_| wide.parts() != (0.0, 0.0), |_| wide.parts() != (0.0, 0.0), |value| value != 0, |value| value != 0;
        f16: wide f16::from_f32, |_| Self::from_wide(wide), |value: i64| f16::from_f32(value as f32), |value: u64| f16::from_f32(value as f32);
        bf16: wide bf16::from_f32, |_| Self::from_wide(wide), |value: i64| bf16::from_f32(value as f32), |value: u64| bf16::from_f32(value as f32);
    }

    impl<P: Plainly> Plainly for Complex<P>
    where
        Self: NpyNumber,
    {
        fn plainly(wide: Wide) -> Self {
            let im = match wide {
                Wide::ComplexSingle(_, im) => Wide::Single(im),
                Wide::Complex(_, im) => Wide::Float(im),
                _ => Wide::Signed(0),
            };
            Self::new(P::plainly(wide), P::plainly(im))
        }
    }

    /// A cast by the loops for every processor.
    struct Portable<'a, T>(&'a mut Cast<T>);

    impl<T: NpyNumber> Portable<'_, T> {
        fn append<S: NpyNumber>(&mut self, items: &[S]) -> Result<()> {
            Append { cast: self.0, items }.run()
        }
    }

    impl<T: NpyNumber> CastBlocks for Portable<'_, T> {
        fn converted(&mut self) -> &mut dyn Any {
            &mut self.0.converted
        }

        all_by!(append);
    }

    /// Casts short slices that begin anywhere, for every processor and for this one.
    fn short_slices_agree_with_plain_numbers<S: NpyNumber, T: Plainly>(values: &[S], random: &mut impl FnMut(usize) -> usize) {
        for casting in [Casting::Unsafe, Casting::Checked, Casting::Exact] {
            let does_fit = |item: &S| casting == Casting::Unsafe || fits::<T>(item.to_wide(), casting);
            let good: Vec<S> = values.iter().copied().filter(does_fit).collect();
            for length in (0..70).chain([BLOCK + 1]) {
                let pool = if length % 3 == 0 { values } else { &good[..] };
                let begin = random(9);
                let items: Vec<S> = (0..begin + length).map(|_| pool[random(pool.len())]).collect();
                let items = &items[begin..];
                for by_vectors in [false, true] {
                    let mut cast = Cast::<T>::new(S::CLASS, length, casting).unwrap();
                    let result =
                        if by_vectors { S::cast_blocks(items, &mut cast) } else { S::cast_blocks(items, &mut Portable(&mut cast)) };
                    let converted = cast.converted;
                    let pair = format!("{:?} to {:?}, {casting:?}, by vectors: {by_vectors}", S::CLASS, T::CLASS);
                    let Some(place) = items.iter().position(|item| !does_fit(item)) else {
                        result.unwrap_or_else(|error| panic!("{pair}: {error}"));
                        assert_eq!(converted.len(), length, "{pair}");
                        for (item, number) in items.iter().zip(converted) {
                            let (number, expected) = (number.to_wide(), T::plainly(item.to_wide()).to_wide());
                            assert!(is_equal(number, expected), "{pair}: {} {number} {expected}", item.to_wide());
                        }
                        continue;
                    };
                    let error = result.err();
                    assert_eq!(error.as_ref().and_then(Error::element), Some(place as u64), "{pair}: {error:?}");
                }
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
        let beside = |value: f64| [value - 1.0, value - 0.5, value + 0.5, value.next_down(), value.next_up()];
        let ends = values.iter().flat_map(|value| beside(value.to_f64())).map(|value| S::from_wide(Wide::Float(value)));
        let with_ends: Vec<S> = values.iter().copied().chain(ends).collect();
        let mut state = 1_u64;
        let mut random = move |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % end
        };
        macro_rules! to {
            ($($type:ty)*) => {$(
                blocks_agree_with_single_numbers::<S, $type>(&values);
                short_slices_agree_with_plain_numbers::<S, $type>(&with_ends, &mut random);
            )*};
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
        floats.extend([
            0.5,
            -0.0,
            1.5,
            0.1,
            65504.0,
            65520.0,
            1e39,
            1e300,
            -1e-300,
            f64::NAN,
            -f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ]);
        macro_rules! from {
            ($($type:ty)*) => {$(cast_to_all::<$type>(&integers, &floats);)*};
        }
        from!(bool u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64 Complex<f32> Complex<f64>);
    }
}
