//! Casts of arrays whose dtype is known at run time.

#[cfg(feature = "half")]
use half::{bf16, f16};
#[cfg(feature = "complex")]
use num_complex::Complex;

use super::items::{append, cast_items, does_not_fit, fits};
use super::number::{NpyNumber, Wide};
use super::{Casting, Class, not_allowed};
use crate::dynamic::DynValues;
use crate::element::LongDouble;
use crate::error::{Result, ValueError, ValueProblem};
use crate::format::dtype::{DType, MlType, Scalar, ScalarKind};
use crate::memory::reserve_exact;
use crate::view::NpyView;

/// What is brought into the form of this machine at once, and stays in the nearest cache.
const BLOCK_BYTES: usize = 16 * 1024;

impl DynValues {
    /// Converts the elements to numbers, in the order of [`order`](Self::order).
    ///
    /// ```
    /// use npy_core::{Casting, DynValues};
    ///
    /// let values = DynValues::from_slice(&[1_i64, 300])?;
    /// assert_eq!(values.cast::<f64>(Casting::Safe)?, [1.0, 300.0]);
    /// let error = values.cast::<u8>(Casting::Checked).unwrap_err();
    /// assert!(error.to_string().starts_with("element 1"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if `casting` does not allow it, if the elements are not numbers, or, with
    /// [`Casting::Checked`], if a value does not fit. The error names the first.
    pub fn cast<T: NpyNumber>(&self, casting: Casting) -> Result<Vec<T>> {
        let DType::Scalar(scalar) = self.dtype() else { return Err(not_allowed(self.dtype(), &T::dtype(), casting)) };
        match scalar.kind() {
            ScalarKind::Bool => self.cast_bools(casting),
            ScalarKind::UInt8 => self.cast_from::<u8, T>(casting),
            ScalarKind::UInt16 => self.cast_from::<u16, T>(casting),
            ScalarKind::UInt32 => self.cast_from::<u32, T>(casting),
            ScalarKind::UInt64 => self.cast_from::<u64, T>(casting),
            ScalarKind::Int8 => self.cast_from::<i8, T>(casting),
            ScalarKind::Int16 => self.cast_from::<i16, T>(casting),
            ScalarKind::Int32 => self.cast_from::<i32, T>(casting),
            ScalarKind::Int64 => self.cast_from::<i64, T>(casting),
            #[cfg(feature = "half")]
            ScalarKind::Float16 => self.cast_from::<f16, T>(casting),
            #[cfg(feature = "half")]
            ScalarKind::Void { length: 2 } if scalar.byte_order().is_some() => self.cast_from::<bf16, T>(casting),
            ScalarKind::Ml(ml) => self.cast_ml(ml, casting),
            ScalarKind::Float8E5M2 => self.cast_ml(MlType::E5M2, casting),
            ScalarKind::Float32 => self.cast_from::<f32, T>(casting),
            ScalarKind::Float64 => self.cast_from::<f64, T>(casting),
            #[cfg(feature = "complex")]
            ScalarKind::Complex64 => self.cast_from::<Complex<f32>, T>(casting),
            #[cfg(feature = "complex")]
            ScalarKind::Complex128 => self.cast_from::<Complex<f64>, T>(casting),
            _ => self.cast_long_double(*scalar, casting),
        }
    }

    fn cast_from<S: NpyNumber + NpyView + Default, T: NpyNumber>(&self, casting: Casting) -> Result<Vec<T>> {
        if !casting.allows_class(S::CLASS, T::CLASS) {
            return Err(not_allowed(self.dtype(), &T::dtype(), casting));
        }
        if let Ok(items) = self.view::<S>() {
            return cast_items(items, casting);
        }
        if S::CLASS == T::CLASS {
            return self.to_vec::<T>();
        }
        // Also the other byte order, and memory that is not aligned.
        let (mut converted, mut reader) = (Vec::new(), self.reader());
        reserve_exact(&mut converted, self.header().element_count())?;
        let mut block = Vec::new();
        let length = (BLOCK_BYTES / size_of::<S>()).min(reader.remaining());
        reserve_exact(&mut block, length)?;
        block.resize(length, S::default());
        while reader.remaining() > 0 {
            let count = reader.remaining().min(length);
            let items = &mut block[..count];
            reader.read_into(items)?;
            append(&mut converted, items, casting)?;
        }
        Ok(converted)
    }

    /// The bytes of bools are integers, once they are 0 or 1.
    fn cast_bools<T: NpyNumber>(&self, casting: Casting) -> Result<Vec<T>> {
        if !casting.allows_class(Class::Bool, T::CLASS) {
            return Err(not_allowed(self.dtype(), &T::dtype(), casting));
        }
        let mut converted = Vec::new();
        reserve_exact(&mut converted, self.bytes().len())?;
        for block in self.bytes().chunks(BLOCK_BYTES) {
            if block.iter().fold(0, |all, byte| all | byte) <= 1 {
                append(&mut converted, block, casting)?;
            } else {
                let bits: Vec<u8> = block.iter().map(|byte| u8::from(*byte != 0)).collect();
                append(&mut converted, &bits, casting)?;
            }
        }
        Ok(converted)
    }

    /// By way of a type that holds them all.
    fn cast_ml<T: NpyNumber>(&self, ml: MlType, casting: Casting) -> Result<Vec<T>> {
        if !Class::of(self.dtype()).is_some_and(|from| casting.allows_class(from, T::CLASS)) {
            return Err(not_allowed(self.dtype(), &T::dtype(), casting));
        }
        let mut converted = Vec::new();
        reserve_exact(&mut converted, self.bytes().len())?;
        for block in self.bytes().chunks(BLOCK_BYTES) {
            let values = block.iter().map(|byte| ml.value(*byte));
            #[allow(clippy::cast_possible_truncation, reason = "of at most four bits")]
            if ml.is_integer() {
                append(&mut converted, &values.map(|value| value as i8).collect::<Vec<_>>(), casting)?;
            } else {
                append(&mut converted, &values.collect::<Vec<_>>(), casting)?;
            }
        }
        Ok(converted)
    }

    /// By way of `f64`, which is nearer than any other type.
    fn cast_long_double<T: NpyNumber>(&self, scalar: Scalar, casting: Casting) -> Result<Vec<T>> {
        let refused = || not_allowed(self.dtype(), &T::dtype(), casting);
        if !Class::of(self.dtype()).is_some_and(|from| casting.allows_class(from, T::CLASS)) {
            return Err(refused());
        }
        let check = |index: usize, item: LongDouble| {
            let is_lost = casting == Casting::Exact && !is_double(item);
            if is_lost { Err(inexact::<T>(item).in_element(index as u64)) } else { Ok(item.to_f64()) }
        };
        let mut converted = Vec::new();
        match scalar.kind() {
            ScalarKind::LongDouble { .. } if T::CLASS.is_integer() => self.cast_long_integers(casting),
            ScalarKind::LongDouble { .. } => {
                let items = self.to_vec::<LongDouble>()?;
                reserve_exact(&mut converted, items.len())?;
                for (index, item) in items.into_iter().enumerate() {
                    append(&mut converted, &[check(index, item)?], casting)?;
                }
                Ok(converted)
            }
            #[cfg(feature = "complex")]
            ScalarKind::ComplexLongDouble { .. } => {
                let items = self.to_vec::<Complex<LongDouble>>()?;
                reserve_exact(&mut converted, items.len())?;
                for (index, item) in items.into_iter().enumerate() {
                    append(&mut converted, &[Complex::new(check(index, item.re)?, check(index, item.im)?)], casting)?;
                }
                Ok(converted)
            }
            _ => Err(refused()),
        }
    }

    /// Long doubles as integers, which they hold up to 64 bits, and `f64` up to 53.
    fn cast_long_integers<T: NpyNumber>(&self, casting: Casting) -> Result<Vec<T>> {
        let mut numbers = Vec::new();
        let items = self.to_vec::<LongDouble>()?;
        reserve_exact(&mut numbers, items.len())?;
        for (index, item) in items.into_iter().enumerate() {
            let is_checked = matches!(casting, Casting::Checked | Casting::Exact);
            let wide = match item.to_integer() {
                Some(integer) if integer < 0 => i64::try_from(integer).map(Wide::Signed),
                Some(integer) => u64::try_from(integer).map(Wide::Unsigned),
                // Beyond that it is out of range.
                None if is_checked && item.to_f64().abs() < 2.0_f64.powi(64) => {
                    return Err(inexact::<T>(item).in_element(index as u64));
                }
                None => Ok(Wide::Float(item.to_f64())),
            };
            // Those beyond 64 bits are outside of every range.
            let wide = wide.unwrap_or(Wide::Float(item.to_f64()));
            if is_checked && !fits::<T>(wide, casting) {
                return Err(does_not_fit::<T>(wide).in_element(index as u64));
            }
            numbers.push(T::from_wide(wide));
        }
        Ok(numbers)
    }
}

/// Whether a long double is an `f64`.
fn is_double(item: LongDouble) -> bool {
    // The rest is garbage.
    let bits = |item: LongDouble| u128::from_ne_bytes(item.to_bytes()) & ((1 << 80) - 1);
    let double = item.to_f64();
    double.is_nan() || bits(LongDouble::from_f64(double)) == bits(item)
}

#[cold]
fn inexact<T: NpyNumber>(item: LongDouble) -> ValueError {
    ValueProblem::Inexact { value: item.to_f64().to_string(), dtype: T::dtype().to_string() }.into()
}
