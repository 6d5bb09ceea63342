//! How a Rust type reads a file's dtype, decided once for the whole file: [`Planner`] collects what does not fit.

use std::borrow::Cow;

use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Mismatch, MismatchKind};

/// A layout that is known at compile time: the itemsize, and the plan that reads and writes it.
#[derive(Clone, Copy, Debug)]
pub struct Layout<P> {
    /// Bytes an element.
    pub itemsize: usize,
    /// How to read and write them.
    pub plan: P,
}

/// Collects every place in which a file's dtype does not fit a Rust type.
#[derive(Debug)]
pub struct Planner {
    path: String,
    mismatches: Vec<Mismatch>,
}

impl Planner {
    pub(crate) fn new() -> Self {
        Self { path: String::new(), mismatches: Vec::new() }
    }

    /// The error that lists every mismatch.
    #[cold]
    pub(crate) fn into_error(self, rust_type: &'static str) -> Error {
        ErrorKind::Mismatch { rust_type, mismatches: self.mismatches }.into()
    }

    /// Notes that the file's dtype is not the one that the Rust type needs.
    #[cold]
    pub fn mismatch(&mut self, file: &DType, rust: &DType) {
        self.mismatch_with(file, rust.to_string(), None);
    }

    #[cold]
    pub(crate) fn mismatch_with(&mut self, file: &DType, rust: String, advice: Option<String>) {
        self.push(MismatchKind::DType { file: file.to_string(), rust, advice });
    }

    #[cold]
    pub(crate) fn missing_field(&mut self, rust: &DType, available: Vec<String>) {
        self.push(MismatchKind::MissingField { rust: rust.to_string(), available });
    }

    fn push(&mut self, kind: MismatchKind) {
        self.mismatches.push(Mismatch { path: self.path.clone(), kind });
    }

    pub(crate) fn in_field<T>(&mut self, name: &str, plan: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.path.len();
        if outside > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        let result = plan(self);
        self.path.truncate(outside);
        result
    }

    pub(crate) fn in_items<T>(&mut self, plan: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.path.len();
        self.path.push_str("[]");
        let result = plan(self);
        self.path.truncate(outside);
        result
    }
}

/// The length of a sub-array's outermost axis, and the dtype of what lies along it; `None` for other dtypes.
pub(crate) fn outermost_axis(dtype: &DType) -> Option<(usize, Cow<'_, DType>)> {
    let DType::SubArray(array) = dtype else { return None };
    let (&length, inner) = array.shape().split_first()?;
    let item = match inner {
        [] => Cow::Borrowed(array.base()),
        inner => Cow::Owned(crate::dtype::SubArray::new_unchecked(array.base().clone(), inner.to_vec()).into()),
    };
    Some((length, item))
}
