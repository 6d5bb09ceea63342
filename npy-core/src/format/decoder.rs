//! The bytes of scalars as numbers of one Rust type, where the dtype is known at run time.
//!
//! `element` has the codecs of Rust types.

use super::dtype::{ByteOrder, Class, MlType, Scalar, ScalarKind};
use super::float;

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

pub(super) fn ml_type(scalar: Scalar) -> MlType {
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

impl Loaded {
    /// The number with these bytes; `None` if the scalar has none.
    pub(super) fn of(scalar: Scalar, bytes: &[u8]) -> Option<Self> {
        by_storage!(scalar, stored(scalar, bytes))
    }

    fn stored<S: Stored>(scalar: Scalar, bytes: &[u8]) -> Self {
        match scalar.byte_order() {
            Some(ByteOrder::Big) => S::load::<true>(&scalar, bytes),
            _ => S::load::<false>(&scalar, bytes),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::dtype::DType;
    use crate::format::scalar::Value;

    fn scalar(dtype: &str) -> Scalar {
        let DType::Scalar(scalar) = dtype.parse().unwrap() else { panic!("{dtype}") };
        scalar
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
}
