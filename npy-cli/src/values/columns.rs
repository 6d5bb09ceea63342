//! The columns of an array as text has them: an element flattened, down to each record of its sub-arrays.

use npy_core::DType;
use npy_core::dtype::{Record, Scalar};

use crate::failure::{Failure, Result};
use crate::values::quantity;

/// A scalar of an element, or equal scalars that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// The names of the fields, as in `pose.x` or `points[2].x`; empty if the element is a scalar.
    pub(crate) path: String,
    /// The path with NUL instead of dots, which is unique.
    pub(crate) key: String,
    /// The shape of the sub-array.
    pub(crate) axes: Vec<usize>,
    pub(crate) scalar: Scalar,
    /// From the beginning of the element.
    pub(crate) offset: usize,
    /// The number of scalars in the sub-array.
    pub(crate) count: usize,
}

/// The most columns of an element, and the most scalars without a byte: a short header can claim any number of either.
pub(crate) const MOST: usize = 1 << 20;

/// The most fields of an input of text, and the most bytes of their names: as many as a header may have that is read without
/// further limits. What is known of a field takes far more memory than its text.
const MOST_FIELDS: usize = 1 << 16;
const MOST_NAME_BYTES: usize = 1 << 20;

/// The fields of an input of text, as they are found.
#[derive(Debug, Default)]
pub(crate) struct Names {
    count: usize,
    bytes: usize,
}

impl Names {
    /// Whether a name was refused.
    pub(crate) fn are_too_many(&self) -> bool {
        self.count > MOST_FIELDS || self.bytes > MOST_NAME_BYTES
    }

    /// Adds the name of a field. Fails where there are too many of them.
    pub(crate) fn add(&mut self, name: &str) -> Result<(), String> {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(name.len());
        if self.count > MOST_FIELDS {
            return Err(format!("too many fields: expected at most {}, found more", quantity::count(MOST_FIELDS as u64)));
        }
        if self.bytes > MOST_NAME_BYTES {
            let most = quantity::counted(MOST_NAME_BYTES as u64, "byte");
            return Err(format!("names of fields too long: expected at most {most} in all, found more"));
        }
        Ok(())
    }
}

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
    expect_bytes(dtype, &[], false)?;
    count(dtype)?;
    if number_of(dtype) > MOST {
        return Err(too_many());
    }
    let mut columns = Vec::new();
    add(dtype, 0, [String::new(), String::new()], &mut columns);
    Ok(columns)
}

/// The number of columns, without making them.
fn number_of(dtype: &DType) -> usize {
    let (base, axes) = dtype.flattened();
    let Some(record) = base.record() else { return 1 };
    let of_fields = record.fields().iter().fold(0_usize, |count, field| count.saturating_add(number_of(field.dtype())));
    axes.iter().fold(of_fields, |count, &length| count.saturating_mul(length))
}

/// The number of scalars of an element. Fails where they have no bytes and are too many.
pub(crate) fn count(dtype: &DType) -> Result<usize> {
    let count = dtype.leaves().iter().fold(0_usize, |count, leaf| count.saturating_add(leaf.count()));
    // As many as there are bytes are as large as the file.
    if count <= MOST.max(dtype.itemsize()) { Ok(count) } else { Err(too_many()) }
}

pub(crate) fn too_many() -> Failure {
    Failure::Nameless(format!("too many columns: expected at most {MOST}"))
}

/// Fails where an array of this shape has too many elements and records without a byte, and lists if these are written: a header of
/// a few bytes can claim any number of them.
pub(crate) fn expect_bytes(dtype: &DType, shape: &[usize], has_lists: bool) -> Result<()> {
    let bytes = shape.iter().fold(dtype.itemsize(), |bytes, &length| bytes.saturating_mul(length));
    let (found, most) = (without_bytes(shape, dtype, has_lists), MOST.max(bytes));
    if found <= most {
        return Ok(());
    }
    let most = quantity::count(most as u64);
    Err(Failure::Nameless(format!(
        "too many elements without bytes: expected at most {most}, found {}",
        quantity::count(found as u64)
    )))
}

/// The number of scalars, records and lists without bytes. Those of Python objects are in the pickle.
fn without_bytes(shape: &[usize], dtype: &DType, has_lists: bool) -> usize {
    let (base, axes) = dtype.flattened();
    let (mut lists, mut items) = (0_usize, 1_usize);
    for &length in shape.iter().chain(&axes) {
        lists = lists.saturating_add(items);
        items = items.saturating_mul(length);
    }
    let is_empty = base.itemsize() == 0 && !base.has_object();
    let fields = base.record().map_or(&[][..], Record::fields).iter();
    let of_item = fields.fold(usize::from(is_empty), |sum, field| sum.saturating_add(without_bytes(&[], field.dtype(), has_lists)));
    items.saturating_mul(of_item).saturating_add(if has_lists && (is_empty || items == 0) { lists } else { 0 })
}

fn add(dtype: &DType, offset: usize, [path, key]: [String; 2], columns: &mut Vec<Column>) {
    let (base, axes) = dtype.flattened();
    let count = axes.iter().product();
    if let DType::Scalar(scalar) = base {
        return columns.push(Column { path, key, axes, scalar: *scalar, offset, count });
    }
    for item in 0..count {
        let index = index_text(&axes, item);
        let dots = if path.is_empty() && index.is_empty() { ["", ""] } else { [".", "\0"] };
        for field in base.record().map_or(&[][..], Record::fields) {
            let names = [format!("{path}{index}{}{}", dots[0], field.name()), format!("{key}{index}{}{}", dots[1], field.name())];
            add(field.dtype(), offset + item * base.itemsize() + field.offset(), names, columns);
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_no_byte_pays() {
        for (dtype, shape, values, lists) in [
            ("<f8", &[2, 3][..], 0, 0),
            ("<f8", &[2, 0, 3], 0, 1 + 2),
            ("S0", &[4], 4, 1),
            ("[('a', 'u1', (5, 0))]", &[2], 2, 1 + 2 * (1 + 5)),
            ("[('a', 'u1', (5, 0)), ('b', 'u1')]", &[2], 0, 2 * (1 + 5)),
            ("[('a', [('x', 'S0'), ('y', 'u1')], (3,))]", &[2], 2 * 3, 0),
            ("[('a', [('x', 'S0', (2,))], (3,))]", &[], 1 + 3 + 3 * 2, 1 + 3),
            ("[('a', 'O')]", &[9], 0, 0),
        ] {
            let dtype = dtype.parse().unwrap();
            assert_eq!(without_bytes(shape, &dtype, false), values, "{dtype} {shape:?}");
            assert_eq!(without_bytes(shape, &dtype, true), values + lists, "{dtype} {shape:?}");
        }
        let dtype = "[('a', 'u1', (1000000, 0)), ('b', 'u1')]".parse().unwrap();
        assert!(expect_bytes(&dtype, &[1], true).is_ok());
        assert!(expect_bytes(&dtype, &[1_000_000], false).is_ok());
        assert!(expect_bytes(&dtype, &[1_000_000], true).is_err());
    }

    #[test]
    fn names_of_an_input_are_bounded() {
        let mut names = Names::default();
        assert!((0..MOST_FIELDS).all(|_| names.add("").is_ok()));
        assert_eq!(names.add("").unwrap_err(), "too many fields: expected at most 65,536, found more");
        let mut names = Names::default();
        assert!(names.add(&"a".repeat(1 << 20)).is_ok());
        assert_eq!(names.add("a").unwrap_err(), "names of fields too long: expected at most 1,048,576 bytes in all, found more");
    }
}
