//! Elements as `f64`: for search, sorting and plots.

use npy_core::DType;
#[cfg(feature = "plot")]
use npy_core::DynValues;
use npy_core::dtype::Scalar;
#[cfg(feature = "view")]
use npy_core::dtype::ScalarKind;
#[cfg(any(feature = "plot", feature = "view"))]
use npy_core::scalar::Class;
use npy_core::scalar::{Decoder, Number};

use crate::failure::{Failure, Result};
use crate::values::fields::scalar_of;
use crate::values::float::significant;
#[cfg(feature = "view")]
use crate::values::units;

/// Whether a dtype consists of real numbers. Times count as numbers of their steps.
pub(crate) fn is_real(dtype: &DType) -> bool {
    decoder::<f64>(dtype).is_some()
}

/// Whether a dtype consists of complex numbers.
#[cfg(any(feature = "plot", feature = "view"))]
pub(crate) fn is_complex(dtype: &DType) -> bool {
    scalar_of(dtype).is_some_and(|scalar| scalar.class() == Class::Complex)
}

/// A real number of a complex one.
#[cfg(feature = "plot")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Abs,
    Real,
    Imag,
    Phase,
}

/// The parts of all complex numbers.
#[cfg(feature = "plot")]
pub(crate) fn parts(values: &DynValues, part: Part) -> Result<Vec<f64>> {
    let refused = || Failure::Nameless(format!("expected complex numbers, found dtype {}", values.dtype()));
    let (decoder, size) = decoder::<(f64, f64)>(values.dtype()).ok_or_else(refused)?;
    let numbers = decode(decoder, size, values.bytes())?.into_iter().map(|(real, imaginary)| match part {
        Part::Abs => real.hypot(imaginary),
        Part::Real => real,
        Part::Imag => imaginary,
        Part::Phase => imaginary.atan2(real),
    });
    Ok(numbers.collect())
}

/// Whether a scalar is a point in time or a span.
pub(crate) fn is_time(scalar: Scalar) -> bool {
    scalar.time_unit().is_some()
}

/// The decoder of the scalars that a dtype consists of, and their size; `None` if the type does not hold them.
fn decoder<T: Number>(dtype: &DType) -> Option<(Decoder<T>, usize)> {
    let scalar = scalar_of(dtype)?;
    Some((Decoder::new(scalar)?, scalar.itemsize()))
}

/// All elements in the order of the values. NaT becomes NaN.
#[cfg(feature = "plot")]
pub(crate) fn numbers(values: &DynValues) -> Result<Vec<f64>> {
    numbers_of(values.dtype(), values.bytes())
}

/// All elements in the order of the values, times as the steps from one of them. NaT becomes NaN.
#[cfg(feature = "plot")]
pub(crate) fn numbers_since(values: &DynValues, origin: i64) -> Result<Vec<f64>> {
    if origin == 0 {
        return numbers(values);
    }
    let times = whole_numbers_of(values.dtype(), values.bytes())?.unwrap_or_default();
    Ok(times.into_iter().map(|time| time.map_or(f64::NAN, |time| (time - i128::from(origin)) as f64)).collect())
}

/// The elements of these bytes, those of sub-arrays one by one.
pub(crate) fn numbers_of(dtype: &DType, bytes: &[u8]) -> Result<Vec<f64>> {
    let refused = || Failure::Nameless(format!("expected real numbers or times, found dtype {dtype}"));
    let (decoder, size) = decoder(dtype).ok_or_else(refused)?;
    decode(decoder, size, bytes)
}

fn decode<T: Number>(decoder: Decoder<T>, size: usize, bytes: &[u8]) -> Result<Vec<T>> {
    let (mut numbers, count) = (Vec::new(), bytes.len() / size);
    numbers.try_reserve_exact(count).map_err(|_| Failure::allocation(count.saturating_mul(size_of::<T>())))?;
    decoder.extend(&mut numbers, bytes, size);
    Ok(numbers)
}

/// Whether a dtype consists of integers, bools or times.
#[cfg(any(feature = "view", feature = "plot"))]
pub(crate) fn is_whole(dtype: &DType) -> bool {
    decoder::<i128>(dtype).is_some()
}

/// All elements as integers, `None` for NaT; `None` where the dtype has no integers.
#[cfg(any(feature = "view", feature = "plot"))]
pub(crate) fn whole_numbers_of(dtype: &DType, bytes: &[u8]) -> Result<Option<Vec<Option<i128>>>> {
    let Some((decoder, size)) = decoder(dtype) else { return Ok(None) };
    let nat = scalar_of(dtype).filter(|scalar| is_time(*scalar)).map(|_| i128::from(i64::MIN));
    let numbers = decode(decoder, size, bytes)?;
    Ok(Some(numbers.into_iter().map(|number| (Some(number) != nat).then_some(number)).collect()))
}

/// A number with 6 digits, and with all of those before the point.
#[cfg(feature = "plot")]
pub(crate) fn short(number: f64) -> String {
    with_digits(number, 6)
}

/// A number with `digits` significant digits, and with all digits before the point.
pub(crate) fn with_digits(number: f64, digits: usize) -> String {
    // Without the sign of zero.
    let rounded = significant(number, digits) + 0.0;
    let size = rounded.abs();
    match size {
        _ if !number.is_finite() => number.to_string().to_lowercase(),
        0.0 => "0".to_owned(),
        size if (1e-4..1e15).contains(&size) => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

/// An integer or the steps of a time.
#[cfg(feature = "view")]
pub(crate) fn whole_text(dtype: &DType, number: i128) -> String {
    let scalar = scalar_of(dtype);
    match scalar.map(Scalar::kind) {
        Some(ScalarKind::Datetime { .. }) => {
            let steps = i64::try_from(number).unwrap_or(i64::MAX);
            scalar.map(|scalar| units::time_text(scalar, steps)).unwrap_or_default()
        }
        Some(ScalarKind::Timedelta { unit, count }) => format!("{} {}", number.saturating_mul(count.into()), unit.symbol()),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_numbers_and_nat_is_nan() {
        let bytes = [5_i64.to_be_bytes(), i64::MIN.to_be_bytes()].concat();
        let found = numbers_of(&">M8[s]".parse().unwrap(), &bytes).unwrap();
        assert!((found[0] - 5.0).abs() < 1e-12 && found[1].is_nan());
    }

    #[test]
    fn numbers_are_short_and_times_are_times() {
        let numbers = [0.0, 1.0, -2.5, 0.1 + 0.2, 123_456.789, 1e20, 1.5e-9, 1_234_567.0, f64::NAN];
        assert_eq!(numbers.map(short), ["0", "1", "-2.5", "0.3", "123457", "1e20", "1.5e-9", "1234567", "nan"]);
    }

    #[test]
    #[cfg(feature = "view")]
    fn integers_are_whole() {
        let of = |dtype: &str, bytes: &[u8]| whole_numbers_of(&dtype.parse().unwrap(), bytes).unwrap();
        assert_eq!(of(">u8", &u64::MAX.to_be_bytes()), Some(vec![Some(i128::from(u64::MAX))]));
        assert_eq!(of("i1", &[255, 5]), Some(vec![Some(-1), Some(5)]));
        assert_eq!(of("<m8[s]", &i64::MIN.to_le_bytes()), Some(vec![None]));
        assert_eq!(of("<i8", &i64::MIN.to_le_bytes()), Some(vec![Some(i64::MIN.into())]));
        assert_eq!(of("<f8", &[0; 8]), None);
        assert_eq!(whole_text(&"<M8[ns]".parse().unwrap(), 1_700_000_000_000_000_001), "2023-11-14T22:13:20.000000001");
        assert_eq!(whole_text(&"<u8".parse().unwrap(), u64::MAX.into()), "18446744073709551615");
    }

    #[test]
    fn sub_arrays_are_flattened_and_text_is_refused() {
        let dtype: DType = "[('a', '|u1', (2,))]".parse().unwrap();
        let DType::Record(record) = &dtype else { unreachable!() };
        assert_eq!(numbers_of(record.fields()[0].dtype(), &[1, 2, 3, 4]).unwrap(), [1.0, 2.0, 3.0, 4.0]);
        for refused in ["<U3", "<c16", "|V2"] {
            assert!(!is_real(&refused.parse().unwrap()), "{refused}");
            assert!(numbers_of(&refused.parse().unwrap(), &[]).is_err(), "{refused}");
        }
    }
}
