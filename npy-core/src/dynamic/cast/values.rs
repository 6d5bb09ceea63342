//! Casts arrays whose dtype is known at run time.

#[cfg(feature = "half")]
use half::{bf16, f16};
#[cfg(feature = "complex")]
use num_complex::Complex;

use super::items::{Cast, does_not_fit, fits};
use super::number::{NpyNumber, Wide};
use super::rule::{Casting, SizedClass, not_allowed};
use super::wide::{CastBlocks, cast_mapped};
use crate::dynamic::DynValues;
use crate::element::LongDouble;
use crate::error::{Result, ValueError};
use crate::format::dtype::{ByteOrder, DType, MlType, Scalar, ScalarKind};
use crate::memory::{Bulk, Plain, reserve_exact};
use crate::view::NpyView;

/// The bytes that are aligned and swapped to native order at a time. They stay in the L1 cache.
const BLOCK_BYTES: usize = 16 * 1024;

impl DynValues {
    /// Converts the elements to numbers, in the order of [`order`](Self::order).
    ///
    /// # Errors
    ///
    /// Fails if `casting` does not allow it, if the elements are not numbers, or, with
    /// [`Casting::Checked`], if a value does not fit. The error names the first.
    pub fn cast<T: NpyNumber>(&self, casting: Casting) -> Result<Vec<T>> {
        let from = SizedClass::of(self.dtype()).filter(|from| casting.allows_class(*from, T::CLASS));
        let Some(from) = from else { return Err(not_allowed(self.dtype(), &T::dtype(), casting)) };
        if self.dtype().clone().with_byte_order(ByteOrder::NATIVE) == T::dtype() {
            return self.to_vec::<T>();
        }
        let mut cast = Cast::new(from, self.header().element_count(), casting)?;
        if !self.cast_blocks(&mut cast)? {
            self.cast_long_doubles(&mut cast.converted, casting)?;
        }
        Ok(cast.converted)
    }

    /// Casts numbers, and returns whether they have few enough bits for it. It is compiled once, and not for each type.
    fn cast_blocks(&self, casts: &mut dyn CastBlocks) -> Result<bool> {
        let DType::Scalar(scalar) = self.dtype() else { return Ok(false) };
        match scalar.kind() {
            // Every byte but 0 is true.
            ScalarKind::Bool => cast_mapped(self.bytes(), |byte| u8::from(*byte != 0), casts, |casts, numbers| casts.u8s(numbers)),
            ScalarKind::UInt8 => self.cast_from::<u8>(*scalar, casts),
            ScalarKind::UInt16 => self.cast_from::<u16>(*scalar, casts),
            ScalarKind::UInt32 => self.cast_from::<u32>(*scalar, casts),
            ScalarKind::UInt64 => self.cast_from::<u64>(*scalar, casts),
            ScalarKind::Int8 => self.cast_from::<i8>(*scalar, casts),
            ScalarKind::Int16 => self.cast_from::<i16>(*scalar, casts),
            ScalarKind::Int32 => self.cast_from::<i32>(*scalar, casts),
            ScalarKind::Int64 => self.cast_from::<i64>(*scalar, casts),
            #[cfg(feature = "half")]
            ScalarKind::Float16 => self.cast_from::<f16>(*scalar, casts),
            #[cfg(feature = "half")]
            ScalarKind::Void { length: 2 } if scalar.byte_order().is_some() => self.cast_from::<bf16>(*scalar, casts),
            ScalarKind::Ml(ml) => cast_ml(ml, self.bytes(), casts),
            ScalarKind::Float8E5M2 => cast_ml(MlType::E5M2, self.bytes(), casts),
            ScalarKind::Float32 => self.cast_from::<f32>(*scalar, casts),
            ScalarKind::Float64 => self.cast_from::<f64>(*scalar, casts),
            #[cfg(feature = "complex")]
            ScalarKind::Complex64 => self.cast_from::<Complex<f32>>(*scalar, casts),
            #[cfg(feature = "complex")]
            ScalarKind::Complex128 => self.cast_from::<Complex<f64>>(*scalar, casts),
            _ => return Ok(false),
        }
        .map(|()| true)
    }

    fn cast_from<S: NpyNumber + NpyView + Plain>(&self, scalar: Scalar, casts: &mut dyn CastBlocks) -> Result<()> {
        if let Ok(items) = self.view::<S>() {
            return S::cast_blocks(items, casts);
        }
        // Also the other byte order, and memory that is not aligned.
        let swap = scalar.byte_order().is_some_and(|order| order != ByteOrder::NATIVE);
        let mut block = Vec::new();
        reserve_exact(&mut block, BLOCK_BYTES / size_of::<S>())?;
        for bytes in self.bytes().chunks(BLOCK_BYTES) {
            block.clear();
            Bulk::<S>::new().append(&mut block, swap, bytes);
            S::cast_blocks(&block, casts)?;
        }
        Ok(())
    }

    /// Casts by way of `f64`, or of integers, which represent 64 bits exactly.
    fn cast_long_doubles<T: NpyNumber>(&self, converted: &mut Vec<T>, casting: Casting) -> Result<()> {
        match self.dtype() {
            DType::Scalar(scalar) if matches!(scalar.kind(), ScalarKind::LongDouble { .. }) => {
                for (index, item) in self.to_vec::<LongDouble>()?.into_iter().enumerate() {
                    append_long_double(converted, item, casting).map_err(|error| error.in_element(index as u64))?;
                }
                Ok(())
            }
            #[cfg(feature = "complex")]
            DType::Scalar(scalar) if matches!(scalar.kind(), ScalarKind::ComplexLongDouble { .. }) => {
                for (index, item) in self.to_vec::<Complex<LongDouble>>()?.into_iter().enumerate() {
                    append_long_complex(converted, item, casting).map_err(|error| error.in_element(index as u64))?;
                }
                Ok(())
            }
            _ => Err(not_allowed(self.dtype(), &T::dtype(), casting)),
        }
    }
}

/// Casts by way of `i16` or `f32`, which represent every number of the type.
fn cast_ml(ml: MlType, bytes: &[u8], casts: &mut dyn CastBlocks) -> Result<()> {
    if !ml.is_integer() {
        return cast_mapped(bytes, |byte| ml.value(*byte), casts, |casts, numbers| casts.f32s(numbers));
    }
    #[allow(clippy::cast_possible_truncation, reason = "they have at most four bits")]
    cast_mapped(bytes, |byte| ml.value(*byte) as i16, casts, |casts, numbers| casts.i16s(numbers))
}

/// Appends a long double. There is memory for it.
fn append_long_double<T: NpyNumber>(converted: &mut Vec<T>, item: LongDouble, casting: Casting) -> Result<(), ValueError> {
    let wide = if T::CLASS.is_integer() { integer_of::<T>(item, casting)? } else { Wide::Float(float_of::<T>(item, casting)?) };
    append_wide(converted, wide, casting)
}

/// Appends a complex long double.
#[cfg(feature = "complex")]
fn append_long_complex<T: NpyNumber>(
    converted: &mut Vec<T>,
    item: Complex<LongDouble>,
    casting: Casting,
) -> Result<(), ValueError> {
    let is_real = item.im.integer_part() == Some((0, true));
    let wide = match T::CLASS {
        // A bool of both parts.
        SizedClass::Bool if !is_real && !is_checked(casting) => Wide::Unsigned(1),
        class if class.is_integer() && (is_real || !is_checked(casting)) => integer_of::<T>(item.re, casting)?,
        _ => Wide::Complex(float_of::<T>(item.re, casting)?, float_of::<T>(item.im, casting)?),
    };
    append_wide(converted, wide, casting)
}

fn append_wide<T: NpyNumber>(converted: &mut Vec<T>, wide: Wide, casting: Casting) -> Result<(), ValueError> {
    if is_checked(casting) && !fits::<T>(wide, casting) {
        return Err(does_not_fit::<T>(wide));
    }
    converted.push(T::from_wide(wide));
    Ok(())
}

fn is_checked(casting: Casting) -> bool {
    matches!(casting, Casting::Checked | Casting::Exact)
}

/// A long double as an `f64`, of which the float that is wanted is rounded.
fn float_of<T: NpyNumber>(item: LongDouble, casting: Casting) -> Result<f64, ValueError> {
    if casting == Casting::Exact && !is_double(item) {
        return Err(inexact::<T>(item));
    }
    Ok(if matches!(T::CLASS, SizedClass::Float(8) | SizedClass::Complex(8)) { item.to_f64() } else { item.to_odd() })
}

/// The nearest integer of the range of a type to the integer part of a long double.
fn integer_of<T: NpyNumber>(item: LongDouble, casting: Casting) -> Result<Wide, ValueError> {
    // Other numbers than integers of 126 bits are out of every range.
    let Some((integer, is_whole)) = item.integer_part() else { return Ok(Wide::Float(item.to_f64())) };
    let (least, end) = T::CLASS.range();
    #[allow(clippy::cast_possible_truncation, reason = "powers of two of at most 64 bits")]
    let (least, most) = (least as i128, end as i128 - 1);
    if is_checked(casting) && !is_whole {
        return Err(inexact::<T>(item));
    }
    if is_checked(casting) && !(least..=most).contains(&integer) {
        return Err(ValueError::out_of_range(integer, T::dtype()));
    }
    let nearest = if T::CLASS == SizedClass::Bool { i128::from(integer != 0 || !is_whole) } else { integer.clamp(least, most) };
    let wide = i64::try_from(nearest).map(Wide::Signed).or_else(|_| u64::try_from(nearest).map(Wide::Unsigned));
    Ok(wide.unwrap_or(Wide::Float(item.to_f64())))
}

/// Whether `f64` represents a long double exactly.
fn is_double(item: LongDouble) -> bool {
    // The padding is garbage.
    let bits = |item: LongDouble| u128::from_ne_bytes(item.to_bytes()) & ((1 << 80) - 1);
    let double = item.to_f64();
    double.is_nan() || bits(LongDouble::from_f64(double)) == bits(item)
}

#[cold]
fn inexact<T: NpyNumber>(item: LongDouble) -> ValueError {
    ValueError::inexact(item.to_f64(), T::dtype())
}

#[cfg(test)]
#[cfg(all(feature = "half", feature = "complex"))]
mod tests {
    use super::*;
    use crate::options::Order;
    use crate::some::some;

    /// Casts numbers in the other byte order, of which the last block has any length.
    fn order_of_bytes_does_not_matter<S: NpyNumber>() -> Result<()> {
        let numbers: Vec<u8> = (0..100).cycle().take(BLOCK_BYTES / size_of::<S>() + 70).collect();
        let numbers = DynValues::from_slice(&numbers)?.cast::<S>(Casting::Unsafe)?;
        let word_bytes = if matches!(S::CLASS, SizedClass::Complex(_)) { size_of::<S>() / 2 } else { size_of::<S>() };
        for count in some((0..70).chain(numbers.len() - 70..numbers.len()), 7) {
            let native = DynValues::from_slice(&numbers[..count])?;
            let dtype = native.dtype().to_string();
            let dtype = if dtype.starts_with('<') { dtype.replace('<', ">") } else { dtype.replace('>', "<") };
            let bytes = native.bytes().chunks(word_bytes).flat_map(|word| word.iter().rev().copied()).collect();
            let swapped = DynValues::new(dtype.parse()?, Order::C, &[count], bytes)?;
            for casting in [Casting::Unsafe, Casting::Checked, Casting::Exact] {
                assert_eq!(swapped.cast::<u8>(casting)?, native.cast::<u8>(casting)?, "{dtype} {count}");
                let same = DynValues::from_slice(&swapped.cast::<S>(casting)?)?;
                assert_eq!(same.bytes(), native.bytes(), "{dtype} {count}");
            }
        }
        Ok(())
    }

    #[test]
    fn numbers_in_the_other_byte_order_are_cast_in_blocks_of_any_length() {
        macro_rules! from {
            ($($type:ty)*) => {$(order_of_bytes_does_not_matter::<$type>().unwrap();)*};
        }
        from!(u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64 Complex<f32> Complex<f64>);
    }

    #[test]
    fn any_byte_but_0_is_true() {
        for count in (0..70).chain([1023, 1024, 1025, 3000]) {
            for odd in [0, 1, 2, 255] {
                let mut bytes: Vec<u8> = (0..count).map(|index| u8::from(index % 3 == 1)).collect();
                if let Some(last) = bytes.last_mut() {
                    *last = odd;
                }
                let expected: Vec<u8> = bytes.iter().map(|byte| u8::from(*byte != 0)).collect();
                let bools = DynValues::new("|b1".parse().unwrap(), Order::C, &[count], bytes).unwrap();
                assert_eq!(bools.cast::<u8>(Casting::Safe).unwrap(), expected);
                assert_eq!(
                    bools.cast::<f32>(Casting::Exact).unwrap(),
                    expected.iter().map(|byte| f32::from(*byte)).collect::<Vec<_>>()
                );
                assert_eq!(bools.cast::<bool>(Casting::Safe).unwrap(), expected.iter().map(|byte| *byte == 1).collect::<Vec<_>>());
            }
        }
    }
}
