//! The columns of an array as text has them: an element flattened, down to each record of its sub-arrays.

use npy_core::DType;
use npy_core::dtype::Scalar;

use crate::failure::{Failure, Result};

/// A scalar of an element, or equal scalars that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// The names of the fields, as in `pose.x` or `points[2].x`; empty if the element is a scalar.
    pub(crate) path: String,
    /// The same with NUL in the place of the dots, so that no two columns have the same.
    pub(crate) key: String,
    /// The shape of the sub-array.
    pub(crate) axes: Vec<usize>,
    pub(crate) scalar: Scalar,
    /// From the beginning of the element.
    pub(crate) offset: usize,
    /// How many there are in the sub-array.
    pub(crate) count: usize,
}

/// The most columns of an element, and the most scalars without a byte: a short header can claim any number of either.
pub(crate) const MOST: usize = 1 << 20;

/// The name that a column has in CSV if its array has no fields and no further axes.
pub(crate) const PLAIN: &str = "value";

impl Column {
    /// The bytes of all its scalars in an element.
    pub(crate) fn bytes<'a>(&self, element: &'a [u8]) -> &'a [u8] {
        element.get(self.offset..self.end()).unwrap_or_default()
    }

    /// The offset of what follows.
    pub(crate) fn end(&self) -> usize {
        self.offset + self.count * self.scalar.itemsize()
    }
}

/// The columns of an element, in the order of their offsets.
pub(crate) fn of(dtype: &DType) -> Result<Vec<Column>> {
    count(dtype)?;
    let mut columns = Vec::new();
    add(dtype, 0, [String::new(), String::new()], &mut columns)?;
    Ok(columns)
}

/// The number of scalars of an element. Fails where they have no bytes and are too many.
pub(crate) fn count(dtype: &DType) -> Result<usize> {
    let count = match dtype {
        DType::Scalar(_) => Some(1),
        DType::SubArray(array) => {
            let inner = count(array.base())?;
            array.shape().iter().try_fold(inner, |count, &length| count.checked_mul(length))
        }
        DType::Record(record) => record.fields().iter().try_fold(0_usize, |sum, field| sum.checked_add(count(field.dtype()).ok()?)),
    };
    // As many as there are bytes are as large as the file.
    let most = MOST.max(dtype.itemsize());
    count.filter(|count| *count <= most).ok_or_else(too_many)
}

pub(crate) fn too_many() -> Failure {
    Failure::Nameless(format!("too many columns: expected at most {MOST}"))
}

fn add(dtype: &DType, offset: usize, [path, key]: [String; 2], columns: &mut Vec<Column>) -> Result<()> {
    match dtype {
        DType::Scalar(scalar) => push(Column { path, key, axes: Vec::new(), scalar: *scalar, offset, count: 1 }, columns),
        DType::SubArray(array) => {
            let count = array.shape().iter().product();
            if let DType::Scalar(scalar) = array.base() {
                return push(Column { path, key, axes: array.shape().to_vec(), scalar: *scalar, offset, count }, columns);
            }
            for i in 0..count {
                let index = index_text(array.shape(), i);
                let names = [&path, &key].map(|name| format!("{name}{index}"));
                add(array.base(), offset + i * array.base().itemsize(), names, columns)?;
            }
            Ok(())
        }
        DType::Record(record) => {
            for field in record.fields() {
                let dots = if path.is_empty() { ["", ""] } else { [".", "\0"] };
                let names = [format!("{path}{}{}", dots[0], field.name()), format!("{key}{}{}", dots[1], field.name())];
                add(field.dtype(), offset + field.offset(), names, columns)?;
            }
            Ok(())
        }
    }
}

fn push(column: Column, columns: &mut Vec<Column>) -> Result<()> {
    if columns.len() >= MOST {
        return Err(too_many());
    }
    columns.push(column);
    Ok(())
}

/// The index of an element of an axis or more, as in `[0,1]`; nothing where there are no axes.
pub(crate) fn index_text(shape: &[usize], mut element: usize) -> String {
    let mut index = vec![0; shape.len()];
    for (position, &length) in index.iter_mut().zip(shape).rev() {
        *position = element.checked_rem(length).unwrap_or(0);
        element = element.checked_div(length).unwrap_or(0);
    }
    let index: Vec<String> = index.iter().map(usize::to_string).collect();
    if index.is_empty() { String::new() } else { format!("[{}]", index.join(",")) }
}
