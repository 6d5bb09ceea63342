//! The bytes of a single scalar as a value, and back, where the dtype is known at run time.

use std::ops::RangeInclusive;

use super::decoder::{Loaded, Number, ml_type};
use super::dtype::{ByteOrder, Class, Scalar, ScalarKind};
use super::float;

/// The value of a scalar.
///
/// See [`Scalar::value`] for an example.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'b> {
    /// A bool.
    Bool(bool),
    /// An integer.
    Integer(i128),
    /// A real number, rounded if it is a long double.
    Float(f64),
    /// The real and the imaginary part of a complex number.
    Complex(f64, f64),
    /// The steps of a time, in the unit of [`Scalar::time_unit`]; `None` for NaT.
    Time(Option<i64>),
    /// Bytes without the padding, or raw bytes.
    Bytes(&'b [u8]),
    /// Text without the padding. Invalid characters are U+FFFD.
    Text(String),
}

/// The code units of text, without the zeros at the end.
#[inline]
fn units_of(bytes: &[u8]) -> &[[u8; 4]] {
    let units = bytes.as_chunks::<4>().0;
    let length = units.iter().rposition(|unit| *unit != [0; 4]).map_or(0, |last| last + 1);
    units.get(..length).unwrap_or_default()
}

impl Scalar {
    /// Returns the value with these bytes; `None` for Python objects.
    ///
    /// [`Decoder`](crate::scalar::Decoder) is for loops over numbers.
    ///
    /// ```
    /// # use npy_core::DType;
    /// # use npy_core::scalar::Value;
    /// let DType::Scalar(scalar) = ">U3".parse()? else { unreachable!() };
    /// assert_eq!(scalar.value(b"\0\0\0A\0\0\0B\0\0\0\0"), Some(Value::Text("AB".into())));
    /// let DType::Scalar(scalar) = "<m8[s]".parse()? else { unreachable!() };
    /// assert_eq!(scalar.value(&i64::MIN.to_le_bytes()), Some(Value::Time(None)));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn value(self, bytes: &[u8]) -> Option<Value<'_>> {
        Some(match (Loaded::of(self, bytes), self.class()) {
            (Some(Loaded::Bool(value)), _) => Value::Bool(value),
            (Some(Loaded::Signed(value)), _) => Value::Integer(value.into()),
            (Some(Loaded::Unsigned(value)), _) => Value::Integer(value.into()),
            (Some(Loaded::Time(steps)), _) => Value::Time(Some(steps).filter(|steps| *steps != i64::MIN)),
            (Some(Loaded::Float(value)), _) => Value::Float(value),
            (Some(Loaded::Complex(real, imaginary)), _) => Value::Complex(real, imaginary),
            (None, Class::Object) => return None,
            (None, Class::Unicode) => {
                let character = |unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                Value::Text(self.units(bytes).map(character).collect())
            }
            (None, _) => Value::Bytes(self.without_padding(bytes)),
        })
    }

    /// Returns the bytes without the NULs at their end if the scalar is text (`S`, `U`), otherwise all of them.
    ///
    /// ```
    /// # use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
    /// let text = Scalar::new(ScalarKind::Bytes { length: 4 }, ByteOrder::Little);
    /// assert_eq!(text.without_padding(b"a\0b\0"), b"a\0b");
    /// ```
    #[inline]
    pub fn without_padding(self, bytes: &[u8]) -> &[u8] {
        let length = match self.class() {
            Class::Bytes => bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1),
            Class::Unicode => return units_of(bytes).as_flattened(),
            _ => bytes.len(),
        };
        bytes.get(..length).unwrap_or_default()
    }

    /// Returns an iterator over the code units of text (`U`), without the padding. They may be invalid characters.
    ///
    /// ```
    /// # use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
    /// let text = Scalar::new(ScalarKind::Unicode { length: 2 }, ByteOrder::Big);
    /// assert!(text.units(&[0, 0, 0, 0xe9, 0, 0, 0, 0]).eq([0xe9]));
    /// ```
    #[inline]
    pub fn units(self, bytes: &[u8]) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone + '_ {
        let is_big = self.byte_order() == Some(ByteOrder::Big);
        let unit = move |unit: &[u8; 4]| if is_big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
        units_of(bytes).iter().map(unit)
    }

    /// Stores an integer, or the steps of a time. Returns whether it fits; otherwise it is wrapped.
    ///
    /// Stores nothing, and returns `false`, if the class is another one.
    ///
    /// ```
    /// # use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
    /// let number = Scalar::new(ScalarKind::Int16, ByteOrder::Big);
    /// let mut bytes = [0; 2];
    /// assert!(number.encode_integer(-2, &mut bytes));
    /// assert_eq!(bytes, [0xff, 0xfe]);
    /// assert!(!number.encode_integer(0x1_0002, &mut bytes));
    /// assert_eq!(bytes, [0, 2]);
    /// ```
    pub fn encode_integer(self, value: i128, bytes: &mut [u8]) -> bool {
        let Some(range) = self.integers() else { return false };
        let stored = if self.class() == Class::Bool { i128::from(value != 0) } else { value };
        // An `int4` has four of its bits.
        let mask = range.start().abs_diff(*range.end());
        self.store(stored.cast_unsigned() & mask, bytes);
        range.contains(&value)
    }

    /// Returns the integers that the bytes of a bool, an integer or a time can be; `None` for other classes.
    ///
    /// ```
    /// # use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
    /// assert_eq!(Scalar::new(ScalarKind::Int8, ByteOrder::Little).integers(), Some(-128..=127));
    /// ```
    pub fn integers(self) -> Option<RangeInclusive<i128>> {
        let bits = match self.kind() {
            ScalarKind::Bool => 1,
            ScalarKind::Ml(ml) => ml.integer_bits()?,
            _ => 8 * self.itemsize(),
        };
        match self.class() {
            Class::Bool | Class::Unsigned => Some(0..=(1 << bits) - 1),
            Class::Signed | Class::Datetime | Class::Timedelta => Some(-1 << (bits - 1)..=(1 << (bits - 1)) - 1),
            _ => None,
        }
    }

    /// Stores the float nearest to a number, ties to even.
    ///
    /// Stores nothing, and returns `false`, if the class is another one.
    ///
    /// ```
    /// # use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
    /// let half = Scalar::new(ScalarKind::Float16, ByteOrder::Little);
    /// let mut bytes = [0; 2];
    /// assert!(half.encode_float(1.0 + 1e-9, &mut bytes));
    /// assert_eq!(bytes, [0, 0x3c]);
    /// ```
    pub fn encode_float(self, value: f64, bytes: &mut [u8]) -> bool {
        #[allow(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
        let bits = match self.kind() {
            _ if self.class() != Class::Float => return false,
            ScalarKind::Float16 => float::half_from_f64(value).into(),
            ScalarKind::Float32 => (value as f32).to_bits().into(),
            ScalarKind::Float64 => value.to_bits().into(),
            ScalarKind::LongDouble { .. } => float::extended_from_f64(value),
            ScalarKind::Void { .. } => float::brain_from_f32(float::to_odd(value)).into(),
            _ => ml_type(self).nearest(float::to_odd(value)).into(),
        };
        self.store(bits, bytes);
        true
    }

    /// Returns the float nearest to a number, which [`encode_float`](Self::encode_float) stores; `None` if the class is another one.
    ///
    /// ```
    /// # use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
    /// let half = Scalar::new(ScalarKind::Float16, ByteOrder::Little);
    /// assert_eq!(half.rounded(2049.0), Some(2048.0));
    /// ```
    pub fn rounded(self, value: f64) -> Option<f64> {
        let mut bytes = [0; 16];
        let bytes = bytes.get_mut(..self.itemsize())?;
        if self.encode_float(value, bytes) { Loaded::of(self, bytes).map(f64::of) } else { None }
    }

    /// Stores a complex number, each part rounded as [`encode_float`](Self::encode_float) does.
    ///
    /// Stores nothing, and returns `false`, if the class is another one.
    pub fn encode_complex(self, real: f64, imaginary: f64, bytes: &mut [u8]) -> bool {
        let Some(part) = self.part() else { return false };
        let (first, second) = bytes.split_at_mut(bytes.len() / 2);
        part.encode_float(real, first) && part.encode_float(imaginary, second)
    }

    /// Stores the code units of text (`U`), padded with 0. Returns whether they fit; otherwise stores the first ones.
    ///
    /// Stores nothing, and returns `false`, if the class is another one.
    ///
    /// ```
    /// # use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
    /// let text = Scalar::new(ScalarKind::Unicode { length: 2 }, ByteOrder::Big);
    /// let mut bytes = [0xff; 8];
    /// assert!(text.encode_units("é".chars().map(u32::from), &mut bytes));
    /// assert_eq!(bytes, [0, 0, 0, 0xe9, 0, 0, 0, 0]);
    /// ```
    pub fn encode_units(self, units: impl IntoIterator<Item = u32>, bytes: &mut [u8]) -> bool {
        if self.class() != Class::Unicode {
            return false;
        }
        let mut units = units.into_iter();
        for slot in bytes.as_chunks_mut::<4>().0 {
            self.store(units.next().unwrap_or_default().into(), slot);
        }
        units.next().is_none()
    }

    /// Stores the lowest bytes of an integer.
    fn store(self, bits: u128, bytes: &mut [u8]) {
        bytes.iter_mut().zip(bits.to_le_bytes()).for_each(|(byte, stored)| *byte = stored);
        if self.byte_order() == Some(ByteOrder::Big) {
            bytes.reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::dtype::DType;

    fn scalar(dtype: &str) -> Scalar {
        let DType::Scalar(scalar) = dtype.parse().unwrap() else { panic!("{dtype}") };
        scalar
    }

    #[test]
    fn values_of_every_class() {
        for (dtype, bytes, expected) in [
            ("|b1", &[2][..], Value::Bool(true)),
            ("|i1", &[0xff], Value::Integer(-1)),
            (">u8", &[0xff; 8], Value::Integer(u64::MAX.into())),
            ("int4", &[0x0f], Value::Integer(-1)),
            ("uint2", &[0x03], Value::Integer(3)),
            ("<f1", &[0x3c], Value::Float(1.0)),
            ("float8_e4m3fn", &[0x7e], Value::Float(448.0)),
            (">f2", &[0xc0, 0], Value::Float(-2.0)),
            ("<V2", &[0x80, 0x3f], Value::Float(1.0)),
            (">f12", &[0, 0, 0x3f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0], Value::Float(1.0)),
            (">f16", &[9, 9, 9, 9, 9, 9, 0xbf, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0], Value::Float(-1.0)),
            (">c8", &[0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0], Value::Complex(1.0, -2.0)),
            ("<W4", &[0, 0x3c, 0, 0xc0], Value::Complex(1.0, -2.0)),
            (">m8[s]", &[0, 0, 0, 0, 0, 0, 0, 7], Value::Time(Some(7))),
            (">M8[s]", &[0x80, 0, 0, 0, 0, 0, 0, 0], Value::Time(None)),
            ("|S4", b"a\0b\0", Value::Bytes(b"a\0b")),
            ("|V2", b"a\0", Value::Bytes(b"a\0")),
            ("<U3", &[65, 0, 0, 0, 0, 0xd8, 0, 0, 0, 0, 0, 0], Value::Text("A\u{fffd}".to_owned())),
        ] {
            assert_eq!(scalar(dtype).value(bytes), Some(expected), "{dtype}");
        }
        assert_eq!(scalar("|O").value(&[]), None);
        assert_eq!(scalar("<i4").value(&[1]), Some(Value::Integer(0)), "missing bytes are 0");
    }

    #[test]
    fn values_are_encoded_as_they_are_decoded() {
        let encoded = |dtype: &str, encode: &dyn Fn(Scalar, &mut [u8]) -> bool| {
            let mut bytes = vec![0xee; scalar(dtype).itemsize()];
            let is_encoded = encode(scalar(dtype), &mut bytes);
            (is_encoded, bytes)
        };
        for (dtype, value, fits, bytes) in [
            (">i2", -2, true, &[0xff, 0xfe][..]),
            ("<u4", 0x1_0000_0002, false, &[2, 0, 0, 0]),
            ("|b1", 7, false, &[1]),
            ("int4", -1, true, &[0x0f]),
            ("int4", 8, false, &[0x08]),
            ("<M8[s]", i128::from(i64::MIN), true, &[0, 0, 0, 0, 0, 0, 0, 0x80]),
            ("<f2", 1, false, &[0xee, 0xee]),
        ] {
            assert_eq!(
                encoded(dtype, &|scalar, bytes| scalar.encode_integer(value, bytes)),
                (fits, bytes.to_vec()),
                "{dtype} {value}"
            );
        }
        for dtype in ["<f1", "float8_e4m3fn", "<f2", "<V2", ">f4", "<f8", "<f12", ">f16"] {
            for value in [1.0, -0.5, 0.0, 1.5, f64::INFINITY] {
                let is_held = value.is_finite() || dtype != "float8_e4m3fn";
                let (is_encoded, bytes) = encoded(dtype, &|scalar, bytes| scalar.encode_float(value, bytes));
                assert!(is_encoded);
                assert!(!is_held || scalar(dtype).value(&bytes) == Some(Value::Float(value)), "{dtype} {value}");
            }
        }
        let (_, brain) = encoded("<V2", &|scalar, bytes| scalar.encode_float(1.0 + 2_f64.powi(-8) + 1e-12, bytes));
        assert_eq!(brain, [0x81, 0x3f], "a tie of an `f32`, but not of the number");
        let complex = encoded(">c8", &|scalar, bytes| scalar.encode_complex(1.0, -2.0, bytes));
        assert_eq!(complex, (true, vec![0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0]));
        assert_eq!(encoded("<f8", &|scalar, bytes| scalar.encode_complex(1.0, 0.0, bytes)), (false, vec![0xee; 8]));
        let text = |units: &'static [u32]| encoded("<U2", &move |scalar, bytes| scalar.encode_units(units.iter().copied(), bytes));
        assert_eq!(text(&[0xe9]), (true, vec![0xe9, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(text(&[1, 2, 3]), (false, vec![1, 0, 0, 0, 2, 0, 0, 0]));
    }
}
