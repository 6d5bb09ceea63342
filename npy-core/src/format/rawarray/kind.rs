//! The type codes of `.ra` files and their dtypes.

use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};

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

    /// How many bytes an element may have; of user-defined ones any number.
    pub(super) fn widths(self) -> &'static [u16] {
        match self {
            Self::User => &[],
            Self::Signed | Self::Unsigned => &[1, 2, 4, 8, 16],
            Self::Float => &[2, 4, 8, 12, 16],
            Self::ComplexFloat => &[4, 8, 16, 24, 32],
            Self::BrainFloat => &[2],
        }
    }

    /// The dtype of elements of `element_bytes` bytes; `None` if there are no such elements.
    pub(super) fn dtype(self, element_bytes: usize, order: ByteOrder) -> Option<DType> {
        let kind = match (self, element_bytes) {
            (Self::User, length) => ScalarKind::Void { length },
            // NumPy has none of them.
            (Self::Signed | Self::Unsigned, 16) => ScalarKind::Void { length: 16 },
            (Self::Signed, 1) => ScalarKind::Int8,
            (Self::Signed, 2) => ScalarKind::Int16,
            (Self::Signed, 4) => ScalarKind::Int32,
            (Self::Signed, 8) => ScalarKind::Int64,
            (Self::Unsigned, 1) => ScalarKind::UInt8,
            (Self::Unsigned, 2) => ScalarKind::UInt16,
            (Self::Unsigned, 4) => ScalarKind::UInt32,
            (Self::Unsigned, 8) => ScalarKind::UInt64,
            (Self::Float, 2) => ScalarKind::Float16,
            (Self::Float, 4) => ScalarKind::Float32,
            (Self::Float, 8) => ScalarKind::Float64,
            (Self::Float, 12) => ScalarKind::LongDouble { itemsize: 12 },
            (Self::Float, 16) => ScalarKind::LongDouble { itemsize: 16 },
            (Self::ComplexFloat, 4) => ScalarKind::Complex32,
            (Self::ComplexFloat, 8) => ScalarKind::Complex64,
            (Self::ComplexFloat, 16) => ScalarKind::Complex128,
            (Self::ComplexFloat, 24) => ScalarKind::ComplexLongDouble { itemsize: 24 },
            (Self::ComplexFloat, 32) => ScalarKind::ComplexLongDouble { itemsize: 32 },
            (Self::BrainFloat, 2) => return Some(Scalar::void_with_byte_order(2, order).into()),
            _ => return None,
        };
        Some(Scalar::new(kind, order).into())
    }

    /// The kind of the elements of a dtype.
    pub(super) fn of(dtype: &DType) -> Self {
        let DType::Scalar(scalar) = dtype else { return Self::User };
        match scalar.kind() {
            ScalarKind::Int8 | ScalarKind::Int16 | ScalarKind::Int32 | ScalarKind::Int64 => Self::Signed,
            ScalarKind::UInt8 | ScalarKind::UInt16 | ScalarKind::UInt32 | ScalarKind::UInt64 => Self::Unsigned,
            ScalarKind::Float16 | ScalarKind::Float32 | ScalarKind::Float64 | ScalarKind::LongDouble { .. } => Self::Float,
            ScalarKind::Complex32 | ScalarKind::Complex64 | ScalarKind::Complex128 | ScalarKind::ComplexLongDouble { .. } => {
                Self::ComplexFloat
            }
            ScalarKind::Void { length: 2 } if scalar.byte_order().is_some() => Self::BrainFloat,
            _ => Self::User,
        }
    }
}
