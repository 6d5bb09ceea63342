//! The type codes of `.ra` files and their dtypes.

use crate::format::dtype::{ByteOrder, Class, DType, Scalar, ScalarKind};

/// The kind of the elements of an `.ra` file: its type code.
///
/// ```
/// use npy_core::dtype::ByteOrder;
/// use npy_core::rawarray::{RaHeader, RaKind};
///
/// let header = RaHeader::new(RaKind::Unsigned, 2, ByteOrder::Little, &[3])?;
/// assert_eq!(header.to_npy().dtype().to_string(), "<u2");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RaKind {
    /// 0: structs, and everything else that has no code of its own.
    User,
    /// 1: signed integers.
    Signed,
    /// 2: unsigned integers.
    Unsigned,
    /// 3: IEEE floating-point numbers.
    Float,
    // Not `Complex`: of two types of that name the compiler would write out the paths in all of its
    // messages.
    /// 4: complex numbers of two such.
    ComplexFloat,
    /// 5: `bfloat16`.
    BrainFloat,
}

impl RaKind {
    pub(super) const ALL: [Self; 6] = [Self::User, Self::Signed, Self::Unsigned, Self::Float, Self::ComplexFloat, Self::BrainFloat];

    /// Returns the code in the file, as in the [table of types](crate::rawarray#types).
    pub fn code(self) -> u64 {
        match self {
            Self::User => 0,
            Self::Signed => 1,
            Self::Unsigned => 2,
            Self::Float => 3,
            Self::ComplexFloat => 4,
            Self::BrainFloat => 5,
        }
    }

    /// Returns the sizes that an element may have; none for user-defined ones, which have any.
    pub(super) fn widths(self) -> &'static [u16] {
        match self {
            Self::User => &[],
            Self::Signed | Self::Unsigned => &[1, 2, 4, 8, 16],
            Self::Float => &[2, 4, 8, 12, 16],
            Self::ComplexFloat => &[4, 8, 16, 24, 32],
            Self::BrainFloat => &[2],
        }
    }

    /// Returns the dtype of elements of `element_bytes` bytes; `None` if there are no such elements.
    pub(super) fn dtype(self, element_bytes: usize, order: ByteOrder) -> Option<DType> {
        let letter = match self {
            Self::User => b'V',
            _ if !self.widths().iter().any(|width| usize::from(*width) == element_bytes) => return None,
            // NumPy has none of them.
            Self::Signed | Self::Unsigned if element_bytes == 16 => b'V',
            Self::Signed => b'i',
            Self::Unsigned => b'u',
            Self::Float => b'f',
            Self::ComplexFloat if element_bytes == 4 => b'W',
            Self::ComplexFloat => b'c',
            Self::BrainFloat => return Some(Scalar::void_with_byte_order(element_bytes, order).into()),
        };
        Some(Scalar::new(ScalarKind::of_code(letter, element_bytes)?, order).into())
    }

    /// Returns the kind of the elements of a dtype.
    pub(super) fn of(dtype: &DType) -> Self {
        let DType::Scalar(scalar) = dtype else { return Self::User };
        match (scalar.kind(), scalar.class()) {
            (ScalarKind::Ml(_) | ScalarKind::Float8E5M2, _) => Self::User,
            (_, Class::Signed) => Self::Signed,
            (_, Class::Unsigned) => Self::Unsigned,
            (ScalarKind::Void { .. }, Class::Float) => Self::BrainFloat,
            (_, Class::Float) => Self::Float,
            (_, Class::Complex) => Self::ComplexFloat,
            _ => Self::User,
        }
    }
}
