//! Dtypes without parts: numbers, text, times, raw bytes.

use std::fmt;

use super::invalid::MOST_BYTES;
use super::ml_type::MlType;

/// The byte order of a number in the file.
///
/// See [`Scalar`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Least significant byte first: `<`.
    Little,
    /// Most significant byte first: `>`.
    Big,
}

impl ByteOrder {
    /// The native byte order.
    pub const NATIVE: Self = if cfg!(target_endian = "big") { Self::Big } else { Self::Little };
}

/// A dtype without parts: its kind, and the byte order where the kind has one.
///
/// ```
/// use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
/// use npy_core::DType;
///
/// let number = Scalar::new(ScalarKind::Float64, ByteOrder::Big);
/// assert_eq!(number.to_string(), ">f8");
/// assert_eq!(">f8".parse::<DType>()?, DType::Scalar(number));
///
/// let byte = Scalar::new(ScalarKind::UInt8, ByteOrder::Big);
/// assert_eq!((byte.to_string().as_str(), byte.byte_order()), ("|u1", None));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    kind: ScalarKind,
    byte_order: Option<ByteOrder>,
}

/// The kind of a [`Scalar`], with NumPy's character codes in parentheses.
///
/// See [`Scalar`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScalarKind {
    /// A bool in one byte (`b1`).
    Bool,
    /// (`i1`)
    Int8,
    /// (`i2`)
    Int16,
    /// (`i4`)
    Int32,
    /// (`i8`)
    Int64,
    /// (`u1`)
    UInt8,
    /// (`u2`)
    UInt16,
    /// (`u4`)
    UInt32,
    /// (`u8`)
    UInt64,
    /// `float8_e5m2` of `ml_dtypes`, which is stored as `<f1` (NumPy itself cannot load it).
    Float8E5M2,
    /// Another type of `ml_dtypes` with one byte, by its name (`float8_e4m3fn`, `int4`).
    ///
    /// NumPy loads such a file once `ml_dtypes` is imported.
    Ml(MlType),
    /// IEEE half precision (`f2`).
    Float16,
    /// (`f4`)
    Float32,
    /// (`f8`)
    Float64,
    /// The C compiler's `long double`: 80 bits in 16 bytes on x86-64 (`f16`), in 12 on 32-bit x86
    /// (`f12`).
    LongDouble {
        /// 12 or 16.
        itemsize: u8,
    },
    /// `complex32` of `ml_dtypes`, which is stored as `<W4` (NumPy itself cannot load it).
    Complex32,
    /// Two `f4` (`c8`).
    Complex64,
    /// Two `f8` (`c16`).
    Complex128,
    /// Two `long double` (`c32`, on 32-bit x86 `c24`).
    ComplexLongDouble {
        /// 24 or 32.
        itemsize: u8,
    },
    /// Bytes, padded with NUL to a fixed length (`S`).
    Bytes {
        /// Their number.
        length: usize,
    },
    /// Text in UCS-4, padded with NUL to a fixed length (`U`).
    Unicode {
        /// The number of characters, each of 4 bytes.
        length: usize,
    },
    /// Raw bytes (`V`). With a byte order, `<V2` is `bfloat16` of `ml_dtypes` and `<V1` another of
    /// its types.
    Void {
        /// Their number.
        length: usize,
    },
    /// A point in time, counted in steps of `count` units from 1970-01-01T00:00 (`M8`).
    Datetime {
        /// The unit.
        unit: TimeUnit,
        /// How many units a step is; 1 for most.
        count: u32,
    },
    /// A span of time, counted in steps of `count` units (`m8`).
    Timedelta {
        /// The unit.
        unit: TimeUnit,
        /// How many units a step is; 1 for most.
        count: u32,
    },
    /// Python objects, stored as a pickle (`O`).
    Object,
}

/// The class of a scalar's values, of any size. NumPy's `dtype.kind`.
///
/// ```
/// use npy_core::DType;
/// use npy_core::scalar::Class;
///
/// let class = |text: &str| Ok::<_, npy_core::Error>(text.parse::<DType>()?.leaves()[0].scalar().class());
/// assert_eq!((class(">i2")?, class("uint64")?, class("float16")?), (Class::Signed, Class::Unsigned, Class::Float));
/// assert_eq!((class("<V2")?, class("|V2")?, class("int4")?), (Class::Float, Class::Void, Class::Signed)); // of `ml_dtypes`
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Bools.
    Bool,
    /// Integers with a sign.
    Signed,
    /// Integers without a sign.
    Unsigned,
    /// Real numbers.
    Float,
    /// Complex numbers.
    Complex,
    /// Points in time.
    Datetime,
    /// Spans of time.
    Timedelta,
    /// Bytes, padded with NUL (`S`).
    Bytes,
    /// Text, padded with NUL (`U`).
    Unicode,
    /// Raw bytes (`V`).
    Void,
    /// Python objects.
    Object,
}

/// The unit of a datetime or a timedelta.
///
/// ```
/// use npy_core::dtype::ScalarKind;
/// use npy_core::DType;
///
/// let DType::Scalar(scalar) = "<M8[25us]".parse::<DType>()? else { unreachable!() };
/// let ScalarKind::Datetime { unit, count } = scalar.kind() else { unreachable!() };
/// assert_eq!((count, unit.symbol()), (25, "us"));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// No unit at all: `<M8`.
    Generic,
    /// `Y`
    Year,
    /// `M`
    Month,
    /// `W`
    Week,
    /// `D`
    Day,
    /// `h`
    Hour,
    /// `m`
    Minute,
    /// `s`
    Second,
    /// `ms`
    Millisecond,
    /// `us`
    Microsecond,
    /// `ns`
    Nanosecond,
    /// `ps`
    Picosecond,
    /// `fs`
    Femtosecond,
    /// `as`
    Attosecond,
}

impl ScalarKind {
    /// NumPy's numbers, and those of `ml_dtypes` with a code.
    pub(super) const NUMBERS: [Self; 20] = [
        Self::Bool,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::UInt8,
        Self::UInt16,
        Self::UInt32,
        Self::UInt64,
        Self::Float16,
        Self::Float32,
        Self::Float64,
        Self::Complex64,
        Self::Complex128,
        Self::LongDouble { itemsize: 12 },
        Self::LongDouble { itemsize: 16 },
        Self::ComplexLongDouble { itemsize: 24 },
        Self::ComplexLongDouble { itemsize: 32 },
        Self::Float8E5M2,
        Self::Complex32,
    ];

    /// Returns the kind with this type code: a letter, and a size or a length.
    pub(in crate::format) fn of_code(letter: u8, size: usize) -> Option<Self> {
        match letter {
            b'S' | b'a' if size <= MOST_BYTES => Some(Self::Bytes { length: size }),
            b'U' if size <= MOST_BYTES / 4 => Some(Self::Unicode { length: size }),
            b'V' if size <= MOST_BYTES => Some(Self::Void { length: size }),
            _ => Self::NUMBERS.into_iter().find(|kind| {
                let number = Scalar::new(*kind, ByteOrder::NATIVE);
                number.letter() == letter && number.itemsize() == size
            }),
        }
    }
}

impl TimeUnit {
    const WITH_SYMBOLS: [(Self, &'static str); 13] = [
        (Self::Year, "Y"),
        (Self::Month, "M"),
        (Self::Week, "W"),
        (Self::Day, "D"),
        (Self::Hour, "h"),
        (Self::Minute, "m"),
        (Self::Second, "s"),
        (Self::Millisecond, "ms"),
        (Self::Microsecond, "us"),
        (Self::Nanosecond, "ns"),
        (Self::Picosecond, "ps"),
        (Self::Femtosecond, "fs"),
        (Self::Attosecond, "as"),
    ];

    /// Returns the unit of a symbol, such as `ns`.
    pub(crate) fn of_symbol(symbol: &[u8]) -> Option<Self> {
        Self::WITH_SYMBOLS.iter().find(|(_, known)| known.as_bytes() == symbol).map(|(unit, _)| *unit)
    }

    /// Returns NumPy's symbol of the unit, such as `ns`; `generic` for none.
    pub fn symbol(self) -> &'static str {
        Self::WITH_SYMBOLS.iter().find(|(unit, _)| *unit == self).map_or("generic", |(_, symbol)| symbol)
    }

    /// Returns NumPy's plural of the unit.
    pub(crate) fn plural(self) -> &'static str {
        match self {
            Self::Generic => "generic time units",
            Self::Year => "years",
            Self::Month => "months",
            Self::Week => "weeks",
            Self::Day => "days",
            Self::Hour => "hours",
            Self::Minute => "minutes",
            Self::Second => "seconds",
            Self::Millisecond => "milliseconds",
            Self::Microsecond => "microseconds",
            Self::Nanosecond => "nanoseconds",
            Self::Picosecond => "picoseconds",
            Self::Femtosecond => "femtoseconds",
            Self::Attosecond => "attoseconds",
        }
    }
}

impl Scalar {
    /// Creates a scalar of that kind. Drops the byte order where the kind has none (one byte, text
    /// in bytes, objects), and the count of a time without a unit.
    #[inline]
    pub const fn new(kind: ScalarKind, byte_order: ByteOrder) -> Self {
        let kind = match kind {
            ScalarKind::Datetime { unit: unit @ TimeUnit::Generic, .. } => ScalarKind::Datetime { unit, count: 1 },
            ScalarKind::Timedelta { unit: unit @ TimeUnit::Generic, .. } => ScalarKind::Timedelta { unit, count: 1 },
            kind => kind,
        };
        let byte_order = match kind {
            ScalarKind::Bool
            | ScalarKind::Int8
            | ScalarKind::UInt8
            | ScalarKind::Ml(_)
            | ScalarKind::Bytes { .. }
            | ScalarKind::Void { .. }
            | ScalarKind::Object => None,
            _ => Some(byte_order),
        };
        Self { kind, byte_order }
    }

    /// Creates raw bytes with a byte order, as `ml_dtypes` writes its types: `<V1`, and `<V2` for
    /// `bfloat16`.
    pub const fn void_with_byte_order(length: usize, byte_order: ByteOrder) -> Self {
        Self { kind: ScalarKind::Void { length }, byte_order: Some(byte_order) }
    }

    pub(super) fn set_byte_order(&mut self, order: ByteOrder) {
        if let Some(own) = &mut self.byte_order {
            *own = order;
        }
    }

    /// Returns the kind.
    #[inline]
    pub const fn kind(self) -> ScalarKind {
        self.kind
    }

    /// Returns the byte order; `None` for kinds without one, for which NumPy writes `|`.
    #[inline]
    pub const fn byte_order(self) -> Option<ByteOrder> {
        self.byte_order
    }

    /// Returns the class of the values, whatever their size.
    #[inline]
    pub const fn class(self) -> Class {
        match self.kind {
            ScalarKind::Bool => Class::Bool,
            ScalarKind::Int8 | ScalarKind::Int16 | ScalarKind::Int32 | ScalarKind::Int64 => Class::Signed,
            ScalarKind::UInt8 | ScalarKind::UInt16 | ScalarKind::UInt32 | ScalarKind::UInt64 => Class::Unsigned,
            ScalarKind::Ml(ml) if ml.is_integer() && ml.is_signed() => Class::Signed,
            ScalarKind::Ml(ml) if ml.is_integer() => Class::Unsigned,
            ScalarKind::Float8E5M2
            | ScalarKind::Ml(_)
            | ScalarKind::Float16
            | ScalarKind::Float32
            | ScalarKind::Float64
            | ScalarKind::LongDouble { .. } => Class::Float,
            // `bfloat16` of `ml_dtypes`.
            ScalarKind::Void { length: 2 } if self.byte_order.is_some() => Class::Float,
            ScalarKind::Complex32 | ScalarKind::Complex64 | ScalarKind::Complex128 | ScalarKind::ComplexLongDouble { .. } => {
                Class::Complex
            }
            ScalarKind::Datetime { .. } => Class::Datetime,
            ScalarKind::Timedelta { .. } => Class::Timedelta,
            ScalarKind::Bytes { .. } => Class::Bytes,
            ScalarKind::Unicode { .. } => Class::Unicode,
            ScalarKind::Void { .. } => Class::Void,
            ScalarKind::Object => Class::Object,
        }
    }

    /// Returns the float that each part of a complex number is; `None` for other classes.
    #[inline]
    pub const fn part(self) -> Option<Self> {
        let kind = match self.kind {
            ScalarKind::Complex32 => ScalarKind::Float16,
            ScalarKind::Complex64 => ScalarKind::Float32,
            ScalarKind::Complex128 => ScalarKind::Float64,
            ScalarKind::ComplexLongDouble { itemsize } => ScalarKind::LongDouble { itemsize: itemsize / 2 },
            _ => return None,
        };
        Some(Self { kind, byte_order: self.byte_order })
    }

    /// Returns the unit of a time, and how many units a step is; `None` for other classes.
    #[inline]
    pub const fn time_unit(self) -> Option<(TimeUnit, u32)> {
        match self.kind {
            ScalarKind::Datetime { unit, count } | ScalarKind::Timedelta { unit, count } => Some((unit, count)),
            _ => None,
        }
    }

    /// Returns the size of the words that have the byte order: a character, or the part of a complex number; 1 for bytes.
    ///
    /// ```
    /// # use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
    /// assert_eq!(Scalar::new(ScalarKind::Unicode { length: 5 }, ByteOrder::Little).word_size(), 4);
    /// ```
    pub const fn word_size(self) -> usize {
        match self.class() {
            Class::Bool | Class::Bytes | Class::Void | Class::Object => 1,
            Class::Unicode => 4,
            Class::Complex => self.itemsize() / 2,
            _ => self.itemsize(),
        }
    }

    /// Returns the size of an element in bytes; 0 for Python objects, whose pickle has no fixed
    /// size.
    #[inline]
    pub const fn itemsize(self) -> usize {
        match self.kind {
            ScalarKind::Bool | ScalarKind::Int8 | ScalarKind::UInt8 | ScalarKind::Float8E5M2 | ScalarKind::Ml(_) => 1,
            ScalarKind::Int16 | ScalarKind::UInt16 | ScalarKind::Float16 => 2,
            ScalarKind::Int32 | ScalarKind::UInt32 | ScalarKind::Float32 | ScalarKind::Complex32 => 4,
            ScalarKind::Int64
            | ScalarKind::UInt64
            | ScalarKind::Float64
            | ScalarKind::Complex64
            | ScalarKind::Datetime { .. }
            | ScalarKind::Timedelta { .. } => 8,
            ScalarKind::Complex128 => 16,
            ScalarKind::LongDouble { itemsize } | ScalarKind::ComplexLongDouble { itemsize } => itemsize as usize,
            ScalarKind::Bytes { length } | ScalarKind::Void { length } => length,
            ScalarKind::Unicode { length } => length.saturating_mul(4),
            ScalarKind::Object => 0,
        }
    }
}

impl Scalar {
    /// Appends `dtype.str`.
    pub(super) fn push(self, out: &mut Vec<u8>) {
        if let ScalarKind::Ml(ml) = self.kind {
            return out.extend_from_slice(ml.name().as_bytes());
        }
        let order = match self.byte_order {
            None => b'|',
            Some(ByteOrder::Little) => b'<',
            Some(ByteOrder::Big) => b'>',
        };
        let size = match self.kind {
            ScalarKind::Object => return out.extend_from_slice(b"|O"),
            ScalarKind::Unicode { length } => length,
            _ => self.itemsize(),
        };
        match u8::try_from(size) {
            Ok(digit @ ..=9) => out.extend_from_slice(&[order, self.letter(), b'0' + digit]),
            _ => {
                out.extend_from_slice(&[order, self.letter()]);
                out.extend_from_slice(size.to_string().as_bytes());
            }
        }
        if let Some((unit, count)) = self.time_unit()
            && unit != TimeUnit::Generic
        {
            let count = if count == 1 { String::new() } else { count.to_string() };
            out.extend_from_slice(["[", &count, unit.symbol(), "]"].concat().as_bytes());
        }
    }

    /// Returns the letter of the type code.
    pub(super) const fn letter(self) -> u8 {
        match (self.kind, self.class()) {
            (ScalarKind::Complex32, _) => b'W',
            // `bfloat16` too.
            (ScalarKind::Void { .. }, _) | (_, Class::Void) => b'V',
            (_, Class::Bool) => b'b',
            (_, Class::Signed) => b'i',
            (_, Class::Unsigned) => b'u',
            (_, Class::Float) => b'f',
            (_, Class::Complex) => b'c',
            (_, Class::Datetime) => b'M',
            (_, Class::Timedelta) => b'm',
            (_, Class::Bytes) => b'S',
            (_, Class::Unicode) => b'U',
            (_, Class::Object) => b'O',
        }
    }

    /// Returns NumPy's name of a number, such as `float64`; `None` for others. `long double` has the name of its size.
    #[cfg(feature = "object")]
    pub(crate) fn number_name(self) -> Option<String> {
        let class = match (self.kind, self.class()) {
            (ScalarKind::Float8E5M2 | ScalarKind::Ml(_) | ScalarKind::Complex32 | ScalarKind::Void { .. }, _) => return None,
            (_, Class::Bool) => return Some("bool".to_owned()),
            (_, Class::Signed) => "int",
            (_, Class::Unsigned) => "uint",
            (_, Class::Float) => "float",
            (_, Class::Complex) => "complex",
            _ => return None,
        };
        Some(format!("{class}{}", 8 * self.itemsize()))
    }
}

/// NumPy's own spelling: `dtype.str`.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(8);
        self.push(&mut text);
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}
