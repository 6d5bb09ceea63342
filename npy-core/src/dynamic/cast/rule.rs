//! The rules of casts: `numpy.can_cast`, and casts that check values.

use crate::error::{Error, ErrorKind};
use crate::format::dtype::{Class, DType, MlType, ScalarKind};

/// The rule for a conversion of numbers: `casting=` of `numpy.ndarray.astype`.
///
/// ```
/// use npy_core::{Casting, DynValues};
///
/// let values = DynValues::from_slice(&[1_i32, 2, 300])?;
/// assert_eq!(values.cast::<f64>(Casting::Safe)?, [1.0, 2.0, 300.0]);
/// assert_eq!(values.cast::<i8>(Casting::SameKind)?, [1, 2, 44]);
///
/// let error = values.cast::<u8>(Casting::Checked).unwrap_err();
/// assert_eq!(error.to_string(), "element 2: 300 is out of range for |u1");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Casting {
    /// `numpy.can_cast(…, 'safe')`: no integer wraps and no float overflows.
    ///
    /// 64-bit integers may become `f64`, although that may round.
    Safe,
    /// `numpy.can_cast(…, 'same_kind')`, NumPy's rule for storing results.
    ///
    /// Also allows narrower types of the same kind, where floats are rounded and integers wrap. A
    /// kind may become a later one of bool, unsigned, signed, float, complex.
    #[default]
    SameKind,
    /// Between any two types, if every value fits.
    ///
    /// Integers must be exact, also as floats. Floats that become integers must be whole. Floats
    /// are rounded to narrower ones, but must not become infinite. Complex numbers that become real
    /// must have no imaginary part.
    Checked,
    /// Between any two types, if every value stays the same.
    ///
    /// As [`Checked`](Self::Checked), and floats must not be rounded to narrower ones.
    Exact,
    /// Between any two types, without checks.
    ///
    /// Integers wrap, and imaginary parts are dropped. Floats are truncated to integers. Those
    /// outside of the range of an integer become the nearest integer, and NaN becomes 0, where the
    /// result of NumPy depends on the processor.
    Unsafe,
}

impl Casting {
    /// Returns whether the rule allows a conversion between two dtypes.
    ///
    /// The values are not considered. Dtypes that are not numbers never become numbers.
    ///
    /// ```
    /// use npy_core::Casting;
    ///
    /// let dtype = |text: &str| text.parse::<npy_core::DType>();
    /// assert!(Casting::Safe.allows(&dtype("<i4")?, &dtype("<f8")?));
    /// assert!(!Casting::Safe.allows(&dtype("<f8")?, &dtype("<f4")?));
    /// assert!(Casting::SameKind.allows(&dtype("<f8")?, &dtype("<f4")?));
    /// assert!(!Casting::SameKind.allows(&dtype("<f8")?, &dtype("<i8")?));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn allows(self, from: &DType, to: &DType) -> bool {
        match (SizedClass::of(from), SizedClass::of(to)) {
            // The class is not enough: `f32` has the class of one-byte floats, and does not cast safely to them.
            (Some(class), Some(to_class)) if ml_type(to).is_some() => match self {
                Self::Safe => from == to || class.is_safe_to_ml(to_class),
                _ => self.allows_class(class, to_class),
            },
            (Some(from), Some(to)) => self.allows_class(from, to),
            _ => false,
        }
    }

    /// NumPy's name of the rule, or ours.
    fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::SameKind => "same_kind",
            Self::Checked => "checked",
            Self::Exact => "exact",
            Self::Unsafe => "unsafe",
        }
    }

    pub(super) fn allows_class(self, from: SizedClass, to: SizedClass) -> bool {
        match self {
            Self::Safe => from.is_held_by(to),
            Self::SameKind => from.kind() <= to.kind(),
            Self::Checked | Self::Exact | Self::Unsafe => true,
        }
    }
}

/// The class of numbers with their size, on which casting rules depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
#[expect(unnameable_types, reason = "only casts use it")]
pub enum SizedClass {
    Bool,
    /// With a number of bytes, as all below.
    Unsigned(u8),
    Signed(u8),
    /// A float of IEEE 754.
    Float(u8),
    /// As wide as `f16`, with the range of `f32`.
    BrainFloat,
    /// With the bytes of each part.
    Complex(u8),
}

impl SizedClass {
    pub(super) fn of(dtype: &DType) -> Option<Self> {
        let DType::Scalar(scalar) = dtype else { return None };
        let bytes = u8::try_from(scalar.itemsize()).ok()?;
        Some(match (scalar.class(), scalar.kind()) {
            (Class::Bool, _) => Self::Bool,
            (Class::Unsigned, _) => Self::Unsigned(bytes),
            (Class::Signed, _) => Self::Signed(bytes),
            // One-byte floats are cast as `f32`.
            (Class::Float, ScalarKind::Float8E5M2 | ScalarKind::Ml(_)) => Self::Float(4),
            (Class::Float, ScalarKind::LongDouble { .. }) => Self::Float(16),
            // The dtype that `ml_dtypes` writes for bfloat16.
            (Class::Float, ScalarKind::Void { .. }) => Self::BrainFloat,
            (Class::Float, _) => Self::Float(bytes),
            (Class::Complex, ScalarKind::ComplexLongDouble { .. }) => Self::Complex(16),
            (Class::Complex, ScalarKind::Complex64 | ScalarKind::Complex128) => Self::Complex(bytes / 2),
            _ => return None,
        })
    }

    pub(super) const fn is_integer(self) -> bool {
        matches!(self, Self::Bool | Self::Unsigned(_) | Self::Signed(_))
    }

    pub(super) const fn is_unsigned(self) -> bool {
        matches!(self, Self::Bool | Self::Unsigned(_))
    }

    /// Whether `i32` cannot represent all its integers.
    pub(super) const fn is_long_integer(self) -> bool {
        matches!(self, Self::Unsigned(4 | 8) | Self::Signed(8))
    }

    /// Whether it is an integer of 64 bits.
    pub(super) const fn is_long(self) -> bool {
        matches!(self, Self::Unsigned(8) | Self::Signed(8))
    }

    /// The number of bits, without the sign, up to which every integer is exact.
    pub(super) const fn integer_bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::Unsigned(bytes) => 8 * bytes as u32,
            Self::Signed(bytes) => 8 * bytes as u32 - 1,
            Self::BrainFloat => 8,
            Self::Float(bytes) | Self::Complex(bytes) => match bytes {
                2 => 11,
                4 => 24,
                8 => 53,
                _ => 64,
            },
        }
    }

    /// The least integer, and one more than the greatest.
    pub(super) const fn range(self) -> (f64, f64) {
        let end = f64::from_bits((1023 + self.integer_bits() as u64) << 52);
        (if self.is_unsigned() { 0.0 } else { -end }, end)
    }

    /// NumPy's order of the kinds.
    fn kind(self) -> u8 {
        match self {
            Self::Bool => 0,
            Self::Unsigned(_) => 1,
            Self::Signed(_) => 2,
            Self::Float(_) | Self::BrainFloat => 3,
            Self::Complex(_) => 4,
        }
    }

    /// Whether `numpy.can_cast(…, 'safe')` allows a cast to a one-byte type of `ml_dtypes`: of bools, and of one-byte integers to
    /// floats.
    fn is_safe_to_ml(self, to: Self) -> bool {
        let is_byte = matches!(self, Self::Unsigned(1) | Self::Signed(1));
        self == Self::Bool || is_byte && !to.is_integer()
    }

    /// Whether `numpy.can_cast(…, 'safe')` allows the cast.
    pub(super) fn is_held_by(self, to: Self) -> bool {
        match (self, to) {
            (Self::Bool, _) | (Self::BrainFloat, Self::BrainFloat) => true,
            (Self::Unsigned(from), Self::Unsigned(to))
            | (Self::Signed(from), Self::Signed(to))
            | (Self::Float(from), Self::Float(to) | Self::Complex(to))
            | (Self::Complex(from), Self::Complex(to)) => from <= to,
            (Self::Unsigned(from), Self::Signed(to)) => from < to,
            // A float of twice the bytes, and `f64` for 64 bits.
            (Self::Unsigned(from) | Self::Signed(from), Self::Float(to) | Self::Complex(to)) => from < to || (from, to) == (8, 8),
            (Self::Unsigned(from) | Self::Signed(from), Self::BrainFloat) => from == 1,
            (Self::BrainFloat, Self::Float(to) | Self::Complex(to)) => to >= 4,
            _ => false,
        }
    }
}

/// The one-byte type of `ml_dtypes` that a dtype stands for.
pub(super) fn ml_type(dtype: &DType) -> Option<MlType> {
    let DType::Scalar(scalar) = dtype else { return None };
    match scalar.kind() {
        ScalarKind::Ml(ml) => Some(ml),
        ScalarKind::Float8E5M2 => Some(MlType::E5M2),
        _ => None,
    }
}

#[cold]
pub(super) fn not_allowed(from: &DType, to: &DType, casting: Casting) -> Error {
    if SizedClass::of(from).is_none() {
        return Error::not_numbers(from, to);
    }
    let rule = casting.name();
    let hint = "`Casting::Checked` casts what fits, `Casting::Unsafe` all";
    Error::new(ErrorKind::Mismatch, format!("cannot cast {from} to {to} according to the rule '{rule}'; {hint}"))
}
