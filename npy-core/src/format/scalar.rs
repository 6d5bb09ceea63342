//! The bytes of scalars as numbers, times and text, and back, where the dtype is known at run time.
//!
//! `element` has the codecs of Rust types.

use std::ops::RangeInclusive;

use super::dtype::{ByteOrder, Class, MlType, Scalar, ScalarKind};
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

/// A number as it is read, which each [`Number`] takes without a branch.
#[derive(Clone, Copy)]
#[expect(unnameable_types, reason = "no caller needs it")]
pub enum Loaded {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    /// The steps of a time, `i64::MIN` for NaT.
    Time(i64),
    Float(f64),
    Complex(f64, f64),
}

/// How numbers of a kind are stored.
trait Stored {
    const SIZE: usize;

    /// The number with these bytes, 0 if there are fewer.
    fn load<const BIG: bool>(scalar: &Scalar, bytes: &[u8]) -> Loaded;
}

macro_rules! stored {
    ($($name:ident: $word:ty as $loaded:expr;)*) => {$(
        struct $name;

        impl Stored for $name {
            const SIZE: usize = size_of::<$word>();

            #[inline(always)]
            fn load<const BIG: bool>(_: &Scalar, bytes: &[u8]) -> Loaded {
                let bytes = bytes.first_chunk().copied().unwrap_or_default();
                $loaded(if BIG { <$word>::from_be_bytes(bytes) } else { <$word>::from_le_bytes(bytes) })
            }
        }
    )*};
}

stored! {
    Bool: u8 as |byte| Loaded::Bool(byte != 0);
    Int8: i8 as |value| Loaded::Signed(i64::from(value));
    Int16: i16 as |value| Loaded::Signed(i64::from(value));
    Int32: i32 as |value| Loaded::Signed(i64::from(value));
    Int64: i64 as Loaded::Signed;
    UInt8: u8 as |value| Loaded::Unsigned(u64::from(value));
    UInt16: u16 as |value| Loaded::Unsigned(u64::from(value));
    UInt32: u32 as |value| Loaded::Unsigned(u64::from(value));
    UInt64: u64 as Loaded::Unsigned;
    Time: i64 as Loaded::Time;
    Half: u16 as |bits| Loaded::Float(float::half_to_f32(bits).into());
    Brain: u16 as |bits| Loaded::Float(float::brain_to_f32(bits).into());
    Single: f32 as |value| Loaded::Float(f64::from(value));
    Double: f64 as Loaded::Float;
}

/// A number of `ml_dtypes` with one byte.
struct Ml;

impl Stored for Ml {
    const SIZE: usize = 1;

    #[inline(always)]
    fn load<const BIG: bool>(scalar: &Scalar, bytes: &[u8]) -> Loaded {
        let (ml, byte) = (ml_type(*scalar), bytes.first().copied().unwrap_or_default());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most four bits")]
        match (ml.is_integer(), ml.is_signed()) {
            (false, _) => Loaded::Float(ml.value(byte).into()),
            (true, true) => Loaded::Signed(ml.value(byte) as i64),
            (true, false) => Loaded::Unsigned(ml.value(byte) as u64),
        }
    }
}

fn ml_type(scalar: Scalar) -> MlType {
    if let ScalarKind::Ml(ml) = scalar.kind() { ml } else { MlType::E5M2 }
}

/// A long double of `N` bytes. The ten that count are the last ones of a big-endian number.
struct Extended<const N: usize>;

impl<const N: usize> Stored for Extended<N> {
    const SIZE: usize = N;

    #[inline(always)]
    fn load<const BIG: bool>(_: &Scalar, bytes: &[u8]) -> Loaded {
        let order = if BIG { ByteOrder::Big } else { ByteOrder::Little };
        Loaded::Float(float::extended_to_f64(bits(bytes.get(..N).unwrap_or_default(), order)))
    }
}

/// A complex number of two floats.
struct Pair<P>(P);

impl<P: Stored> Stored for Pair<P> {
    const SIZE: usize = 2 * P::SIZE;

    #[inline(always)]
    fn load<const BIG: bool>(scalar: &Scalar, bytes: &[u8]) -> Loaded {
        let (real, imaginary) = bytes.split_at_checked(P::SIZE).unwrap_or_default();
        let part = |bytes| f64::of(P::load::<BIG>(scalar, bytes));
        Loaded::Complex(part(real), part(imaginary))
    }
}

/// Calls a function of `Self` for the type by which the numbers of a scalar are stored; `None` if it has no numbers.
macro_rules! by_storage {
    ($scalar:expr, $function:ident $arguments:tt) => {
        by_storage! { $scalar, $function $arguments;
            ScalarKind::Bool => Bool,
            ScalarKind::Int8 => Int8,
            ScalarKind::Int16 => Int16,
            ScalarKind::Int32 => Int32,
            ScalarKind::Int64 => Int64,
            ScalarKind::UInt8 => UInt8,
            ScalarKind::UInt16 => UInt16,
            ScalarKind::UInt32 => UInt32,
            ScalarKind::UInt64 => UInt64,
            ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. } => Time,
            ScalarKind::Ml(_) | ScalarKind::Float8E5M2 => Ml,
            ScalarKind::Float16 => Half,
            ScalarKind::Float32 => Single,
            ScalarKind::Float64 => Double,
            ScalarKind::LongDouble { itemsize: 12 } => Extended<12>,
            ScalarKind::LongDouble { .. } => Extended<16>,
            ScalarKind::Complex32 => Pair<Half>,
            ScalarKind::Complex64 => Pair<Single>,
            ScalarKind::Complex128 => Pair<Double>,
            ScalarKind::ComplexLongDouble { itemsize: 24 } => Pair<Extended<12>>,
            ScalarKind::ComplexLongDouble { .. } => Pair<Extended<16>>,
        }
    };
    ($scalar:expr, $function:ident $arguments:tt; $($kind:pat => $type:ty,)*) => {
        match $scalar.kind() {
            $($kind => Some(Self::$function::<$type>$arguments),)*
            ScalarKind::Void { .. } if $scalar.class() == Class::Float => Some(Self::$function::<Brain>$arguments),
            _ => None,
        }
    };
}

/// A Rust type that scalars are read as by a [`Decoder`].
///
/// Only this crate implements the trait.
///
/// | type | scalars |
/// |---|---|
/// | `i64` | bools, integers that it holds, the steps of times (`i64::MIN` for NaT) |
/// | `u64` | bools, integers without a sign |
/// | `i128` | bools, integers, the steps of times |
/// | `f64` | bools, integers, floats, the steps of times (NaN for NaT), rounded to nearest |
/// | `(f64, f64)` | the same, and complex numbers: the real and the imaginary part |
///
/// See [`Decoder`] for an example.
pub trait Number: Copy + Sealed {
    /// Whether it holds the values of a scalar.
    #[doc(hidden)]
    fn holds(scalar: Scalar) -> bool;

    #[doc(hidden)]
    fn of(loaded: Loaded) -> Self;
}

#[expect(unnameable_types, reason = "only this crate implements the trait")]
pub trait Sealed {}

macro_rules! integers {
    ($($type:ident: $holds:expr;)*) => {$(
        impl Sealed for $type {}

        impl Number for $type {
            fn holds(scalar: Scalar) -> bool {
                $holds(scalar.class(), scalar.itemsize())
            }

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap, clippy::cast_lossless, trivial_numeric_casts, reason = "only of scalars that it holds")]
            fn of(loaded: Loaded) -> Self {
                match loaded {
                    Loaded::Bool(value) => Self::from(value),
                    Loaded::Signed(value) | Loaded::Time(value) => value as Self,
                    Loaded::Unsigned(value) => value as Self,
                    Loaded::Float(value) | Loaded::Complex(value, _) => value as Self,
                }
            }
        }
    )*};
}

integers! {
    i64: |class, itemsize| match class {
        Class::Bool | Class::Signed | Class::Datetime | Class::Timedelta => true,
        class => class == Class::Unsigned && itemsize < size_of::<Self>(),
    };
    u64: |class, _| matches!(class, Class::Bool | Class::Unsigned);
    i128: |class, _| matches!(class, Class::Bool | Class::Signed | Class::Unsigned | Class::Datetime | Class::Timedelta);
}

impl Sealed for f64 {}

impl Number for f64 {
    fn holds(scalar: Scalar) -> bool {
        <(Self, Self)>::holds(scalar) && scalar.class() != Class::Complex
    }

    #[inline(always)]
    fn of(loaded: Loaded) -> Self {
        <(Self, Self)>::of(loaded).0
    }
}

impl Sealed for (f64, f64) {}

impl Number for (f64, f64) {
    fn holds(scalar: Scalar) -> bool {
        !matches!(scalar.class(), Class::Bytes | Class::Unicode | Class::Void | Class::Object)
    }

    #[inline(always)]
    #[allow(clippy::cast_precision_loss, reason = "rounded to nearest")]
    fn of(loaded: Loaded) -> Self {
        match loaded {
            Loaded::Bool(value) => (f64::from(u8::from(value)), 0.0),
            Loaded::Signed(value) => (value as f64, 0.0),
            Loaded::Unsigned(value) => (value as f64, 0.0),
            Loaded::Time(i64::MIN) => (f64::NAN, 0.0),
            Loaded::Time(steps) => (steps as f64, 0.0),
            Loaded::Float(value) => (value, 0.0),
            Loaded::Complex(real, imaginary) => (real, imaginary),
        }
    }
}

/// Decodes the values of a scalar as numbers of one type. Kind and byte order are looked at once.
///
/// ```
/// use npy_core::DType;
/// use npy_core::scalar::Decoder;
///
/// let dtype: DType = "[('id', '|u1'), ('x', '>f2')]".parse()?;
/// let leaves = dtype.leaves();
/// let x = Decoder::<f64>::new(leaves[1].scalar()).unwrap();
/// assert_eq!(x.decode(&[0x3c, 0]), 1.0);
///
/// // The field of each record.
/// let records = [7, 0x3c, 0, 8, 0xc0, 0];
/// let mut values = Vec::new();
/// x.extend(&mut values, &records[leaves[1].offset()..], dtype.itemsize());
/// assert_eq!(values, [1.0, -2.0]);
///
/// assert!(Decoder::<i64>::new(leaves[1].scalar()).is_none());
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Decoder<T> {
    scalar: Scalar,
    one: fn(&Scalar, &[u8]) -> T,
    many: fn(&Scalar, &mut Vec<T>, &[u8], usize),
}

impl<T: Number> Decoder<T> {
    /// Creates a decoder; `None` if the type does not hold the values of the scalar.
    ///
    /// [`Number`] says which types hold which.
    pub fn new(scalar: Scalar) -> Option<Self> {
        if T::holds(scalar) { by_storage!(scalar, stored(scalar)) } else { None }
    }

    fn stored<S: Stored>(scalar: Scalar) -> Self {
        match scalar.byte_order() {
            Some(ByteOrder::Big) => Self { scalar, one: one::<T, S, true>, many: many::<T, S, true> },
            _ => Self { scalar, one: one::<T, S, false>, many: many::<T, S, false> },
        }
    }

    /// Decodes the value at the beginning of these bytes. Missing bytes are 0.
    #[inline]
    pub fn decode(&self, bytes: &[u8]) -> T {
        (self.one)(&self.scalar, bytes)
    }

    /// Appends the values that follow each other at a distance of `stride` bytes, the first one at the beginning.
    ///
    /// Values that lie side by side, at a distance of their own size, are decoded by vector instructions.
    pub fn extend(&self, values: &mut Vec<T>, bytes: &[u8], stride: usize) {
        (self.many)(&self.scalar, values, bytes, stride);
    }
}

fn one<T: Number, S: Stored, const BIG: bool>(scalar: &Scalar, bytes: &[u8]) -> T {
    T::of(S::load::<BIG>(scalar, bytes))
}

fn many<T: Number, S: Stored, const BIG: bool>(scalar: &Scalar, values: &mut Vec<T>, bytes: &[u8], stride: usize) {
    let decode = |bytes: &[u8]| T::of(S::load::<BIG>(scalar, bytes));
    if stride == S::SIZE {
        values.extend(bytes.chunks_exact(S::SIZE).map(decode));
    } else if stride > 0 {
        values.extend(bytes.chunks(stride).filter(|bytes| bytes.len() >= S::SIZE).map(decode));
    }
}

/// At most 16 bytes as one integer.
#[inline]
pub(crate) fn bits(bytes: &[u8], order: ByteOrder) -> u128 {
    if let Ok(bytes) = <[u8; 8]>::try_from(bytes) {
        return u128::from(if order == ByteOrder::Big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) });
    }
    if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
        return u128::from(if order == ByteOrder::Big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) });
    }
    if let Ok(bytes) = <[u8; 2]>::try_from(bytes) {
        return u128::from(if order == ByteOrder::Big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) });
    }
    let append = |value: u128, byte: &u8| value << 8 | u128::from(*byte);
    match order {
        ByteOrder::Big => bytes.iter().fold(0, append),
        ByteOrder::Little => bytes.iter().rev().fold(0, append),
    }
}

/// The code units of text, without the zeros at the end.
#[inline]
fn units_of(bytes: &[u8]) -> &[[u8; 4]] {
    let units = bytes.as_chunks::<4>().0;
    let length = units.iter().rposition(|unit| *unit != [0; 4]).map_or(0, |last| last + 1);
    units.get(..length).unwrap_or_default()
}

impl Scalar {
    fn load<S: Stored>(self, bytes: &[u8]) -> Loaded {
        if self.byte_order() == Some(ByteOrder::Big) { S::load::<true>(&self, bytes) } else { S::load::<false>(&self, bytes) }
    }

    /// Returns the value with these bytes; `None` for Python objects.
    ///
    /// [`Decoder`] is for loops over numbers.
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
        let loaded = by_storage!(self, load(self, bytes));
        Some(match (loaded, self.class()) {
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
        if self.encode_float(value, bytes) { by_storage!(self, load(self, bytes)).map(f64::of) } else { None }
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
    #[allow(clippy::cast_precision_loss, reason = "rounded to nearest")]
    fn decoders_agree_with_single_values_at_any_distance() {
        let bytes: Vec<u8> = (0..=255).collect();
        for dtype in [
            "|b1", "|i1", "<i2", ">i4", "<i8", "|u1", ">u2", "<u4", ">u8", "<f2", ">f4", "<f8", "<f12", ">f16", "<c8", ">c16",
            "<c24", "int4", "<V2", "<M8[s]",
        ] {
            let (scalar, size) = (scalar(dtype), scalar(dtype).itemsize());
            let decoder = Decoder::<(f64, f64)>::new(scalar).unwrap();
            for stride in [size, size + 1, 2 * size] {
                let mut values = Vec::new();
                // The last element is cut off behind its value.
                let count = (bytes.len() - size) / stride + 1;
                decoder.extend(&mut values, &bytes[..(count - 1) * stride + size], stride);
                let expected = (0..count).map(|index| match scalar.value(&bytes[index * stride..][..size]) {
                    Some(Value::Bool(value)) => (f64::from(u8::from(value)), 0.0),
                    Some(Value::Integer(value)) => (value as f64, 0.0),
                    Some(Value::Time(steps)) => (steps.unwrap() as f64, 0.0),
                    Some(Value::Float(value)) => (value, 0.0),
                    Some(Value::Complex(re, im)) => (re, im),
                    other => panic!("{other:?}"),
                });
                let is_same = |one: &(f64, f64), other: &(f64, f64)| format!("{one:?}") == format!("{other:?}");
                let expected: Vec<_> = expected.collect();
                assert_eq!(values.len(), count, "{dtype}");
                assert!(values.iter().zip(&expected).all(|(one, other)| is_same(one, other)), "{dtype} {stride}");
            }
        }
        let nat = Decoder::<f64>::new(scalar("<m8[s]")).unwrap().decode(&i64::MIN.to_le_bytes());
        assert!(nat.is_nan());
    }

    #[test]
    fn decoders_are_of_the_types_that_hold_all_values() {
        let types = |dtype: &str| {
            let scalar = scalar(dtype);
            let signed = Decoder::<i64>::new(scalar).is_some();
            let (unsigned, whole) = (Decoder::<u64>::new(scalar).is_some(), Decoder::<i128>::new(scalar).is_some());
            let (real, complex) = (Decoder::<f64>::new(scalar).is_some(), Decoder::<(f64, f64)>::new(scalar).is_some());
            [signed, unsigned, whole, real, complex].map(u8::from)
        };
        for (dtypes, expected) in [
            (&["|b1", "<u4", "uint4"][..], [1, 1, 1, 1, 1]),
            (&["|i1", "<i8", "<M8[s]", "<m8"], [1, 0, 1, 1, 1]),
            (&["<u8"], [0, 1, 1, 1, 1]),
            (&["<f2", "<V2", "<f16", "<f1"], [0, 0, 0, 1, 1]),
            (&["<c8", "<c32", "<W4"], [0, 0, 0, 0, 1]),
            (&["|S3", "<U3", "|V2", "|O"], [0, 0, 0, 0, 0]),
        ] {
            for dtype in dtypes {
                assert_eq!(types(dtype), expected, "{dtype}");
            }
        }
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
