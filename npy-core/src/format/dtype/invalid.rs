//! Errors of texts and values that are not dtypes.

use std::borrow::Cow;

use crate::error::describe::counted;
use crate::error::{Error, ErrorKind};

/// NumPy keeps the size of a dtype in a C int.
pub(crate) const MOST_BYTES: usize = i32::MAX as usize;

/// A text or a value that is not a dtype, and its problem. Callers add its position.
#[derive(Debug)]
pub(crate) struct Invalid(Box<(String, Cow<'static, str>)>);

impl Invalid {
    #[cold]
    pub(crate) fn new(text: String, problem: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new((text, problem.into())))
    }

    /// Converts to the error of a text or a value at this byte.
    #[cold]
    pub(super) fn at(self, offset: usize) -> Error {
        let (text, problem) = *self.0;
        Error::new(ErrorKind::InvalidDType, format!("invalid dtype {text} at byte {offset}: {problem}")).at_byte(offset as u64)
    }
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        let (text, problem) = *invalid.0;
        Self::new(ErrorKind::InvalidDType, format!("invalid dtype {text}: {problem}"))
    }
}

#[cold]
pub(super) fn invalid(text: &str, problem: impl Into<Cow<'static, str>>) -> Invalid {
    Invalid::new(format!("{text:?}"), problem)
}

#[cold]
pub(super) fn too_large() -> String {
    format!("expected an itemsize of at most {}", counted(MOST_BYTES, "byte"))
}

/// Describes a shape that a sub-array cannot have.
#[cold]
pub(super) fn invalid_shape() -> String {
    format!("expected a shape of lengths from 0 to {MOST_BYTES}")
}
