//! Casts to the types of `ml_dtypes` that have one byte.

use super::rule::{Casting, SizedClass, ml_type, not_allowed};
use crate::dynamic::DynValues;
use crate::error::{Result, ValueError};
use crate::format::dtype::{DType, Invalid, MlType};
use crate::memory::reserve_exact;

impl DynValues {
    /// Converts the elements to a one-byte type of `ml_dtypes`, in the order of [`order`](Self::order).
    ///
    /// They are rounded as [`MlType::nearest`] says, by way of an `f32`, as in `ml_dtypes`. With
    /// [`Casting::Checked`] no number may exceed the largest one of the type.
    ///
    /// ```
    /// use npy_core::{Casting, DType, DynValues};
    ///
    /// let values = DynValues::from_slice(&[1.0_f64, 1.05, 1e9])?;
    /// let float: DType = "float8_e4m3fn".parse()?;
    /// assert_eq!(values.cast_to_ml(&float, Casting::SameKind)?, [0x38, 0x38, 0x7f]);
    /// let error = values.cast_to_ml(&float, Casting::Exact).unwrap_err();
    /// assert_eq!(error.to_string(), "element 1: cannot represent 1.05 exactly as float8_e4m3fn");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// Fails like [`cast`](Self::cast), and if the dtype is not such a type.
    pub fn cast_to_ml(&self, to: &DType, casting: Casting) -> Result<Vec<u8>> {
        let Some(ml) = ml_type(to) else {
            let problem = "expected a one-byte type of ml_dtypes; `cast` converts to other numbers";
            return Err(Invalid::new(format!("{:?}", to.to_string()), problem).into());
        };
        let from = SizedClass::of(self.dtype()).filter(|_| casting.allows(self.dtype(), to));
        let Some(from) = from else { return Err(not_allowed(self.dtype(), to, casting)) };
        if self.dtype() == to {
            return Ok(self.bytes().to_vec());
        }
        let mut bytes = Vec::new();
        reserve_exact(&mut bytes, self.header().element_count())?;
        if matches!(casting, Casting::Checked | Casting::Exact) {
            let is_exact = casting == Casting::Exact || from.is_integer() || ml.is_integer();
            let largest = (0..=u8::MAX).map(|byte| ml.value(byte)).filter(|value| value.is_finite()).fold(0.0, f32::max);
            for (index, number) in self.cast::<f64>(casting)?.into_iter().enumerate() {
                bytes.push(checked(ml, largest.into(), number, is_exact).map_err(|error| error.in_element(index as u64))?);
            }
        } else if ml.is_integer() {
            // Truncated, and wrapped to eight bits, which `f32` represents exactly.
            #[allow(clippy::cast_possible_truncation, reason = "integers wrap")]
            bytes.extend(self.cast::<i64>(Casting::Unsafe)?.into_iter().map(|number| ml.nearest((number as i8).into())));
        } else {
            bytes.extend(self.cast::<f32>(Casting::Unsafe)?.into_iter().map(|number| ml.nearest(number)));
        }
        Ok(bytes)
    }
}

/// Encodes a number if it fits.
#[allow(clippy::float_cmp, reason = "only the same number is exact")]
fn checked(ml: MlType, largest: f64, number: f64, is_exact: bool) -> Result<u8, ValueError> {
    #[allow(clippy::cast_possible_truncation, reason = "rounded, and compared after")]
    let byte = ml.nearest(number as f32);
    let stored = f64::from(ml.value(byte));
    let is_outside = number.abs() > largest || number < 0.0 && !ml.is_signed();
    if stored == number || number.is_nan() && stored.is_nan() || !is_exact && !is_outside && stored.is_finite() && !number.is_nan()
    {
        return Ok(byte);
    }
    let is_fraction = ml.is_integer() && number.fract() != 0.0;
    Err(if is_outside && !is_fraction {
        ValueError::out_of_range(number, ml.name())
    } else {
        ValueError::inexact(number, ml.name())
    })
}
