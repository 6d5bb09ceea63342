//! Python objects as cells of CSV: `None` is an empty one.

use npy_core::DType;
use npy_core::object::{ObjectArray, PyObject, encode_object, push_sub_items};

use crate::failure::{Failure, Result, about_field};
use crate::formats::text::cell::{Flavor, Push, push_of};
use crate::formats::text::objects::text_of;
use crate::values::columns::{self, Column};

/// Appends the text of a cell.
type Text<'a> = &'a dyn Fn(&mut String);

/// The cells of an element in CSV.
pub(super) enum Cells {
    Object,
    /// Without objects.
    Values(DType, Vec<(Column, Push)>),
    Record(Vec<Self>),
    /// The number of axes that are taken apart, and the cells of an item.
    List(usize, Box<Self>),
}

impl Cells {
    pub(super) fn new<F: Flavor>(dtype: &DType) -> Result<Self> {
        Ok(match dtype {
            dtype if !dtype.has_object() => {
                let columns = columns::of(dtype)?.into_iter().map(|column| (push_of::<F>(column.scalar), column));
                Self::Values(dtype.clone(), columns.map(|(push, column)| (column, push)).collect())
            }
            DType::Scalar(_) => Self::Object,
            DType::Record(record) => {
                Self::Record(record.fields().iter().map(|field| Self::new::<F>(field.dtype())).collect::<Result<_>>()?)
            }
            DType::SubArray(array) => {
                let axes = if matches!(array.base(), DType::SubArray(_)) { 1 } else { array.shape().len() };
                Self::List(axes, Box::new(Self::new::<F>(array.base())?))
            }
        })
    }

    /// Calls `each` with a function that appends the next cell. An object that is not of the dtype is one cell.
    pub(super) fn for_each<F: Flavor>(&self, object: &PyObject, each: &mut dyn FnMut(Text<'_>)) {
        match (self, object) {
            (Self::Values(dtype, columns), object) => {
                let mut bytes = Vec::new();
                if encode_object(dtype, object, &mut bytes).is_none() {
                    return each(&|out| cell::<F>(object, out));
                }
                for (column, push) in columns {
                    for item in column.bytes(&bytes).chunks_exact(column.scalar.itemsize().max(1)).take(column.count) {
                        each(&|out| push(column.scalar, item, out));
                    }
                }
            }
            (Self::Record(fields), PyObject::Tuple(parts)) => {
                for (field, part) in fields.iter().zip(parts) {
                    field.for_each::<F>(part, each);
                }
            }
            (Self::List(axes, item), object) => {
                let mut parts = Vec::new();
                push_sub_items(object, *axes, &mut parts);
                for part in parts {
                    item.for_each::<F>(part, each);
                }
            }
            (_, object) => each(&|out| cell::<F>(object, out)),
        }
    }
}

/// Appends an object as the text of a cell.
fn cell<F: Flavor>(object: &PyObject, out: &mut String) {
    match object {
        PyObject::None => out.push_str(F::NOTHING),
        PyObject::Bytes(bytes) | PyObject::ByteArray(bytes) => F::bytes(bytes, out),
        PyObject::TimeDelta(delta) => out.push_str(&delta.total_microseconds().to_string()),
        PyObject::Scalar(values) => match values.dtype() {
            DType::Scalar(scalar) => push_of::<F>(*scalar)(*scalar, values.bytes(), out),
            DType::Record(_) | DType::SubArray(_) => F::text(&object.to_string(), out),
        },
        other => F::text(&text_of(other), out),
    }
}

/// Fails where bytes are not UTF-8, which a reader of CSV cannot tell from Latin-1.
pub(crate) fn expect_utf8(array: &ObjectArray) -> Result<()> {
    array.items().iter().find_map(not_utf8).map_or(Ok(()), |bytes| Err(latin1("", bytes)))
}

fn not_utf8(object: &PyObject) -> Option<&[u8]> {
    match object {
        PyObject::Bytes(bytes) | PyObject::ByteArray(bytes) => Some(&bytes[..]).filter(|bytes| std::str::from_utf8(bytes).is_err()),
        PyObject::Tuple(parts) => parts.iter().find_map(not_utf8),
        _ => None,
    }
}

/// The failure for bytes of a field that are not UTF-8.
pub(super) fn latin1(path: &str, bytes: &[u8]) -> Failure {
    /// The most bytes in a message.
    const MOST: usize = 60;
    let (field, found) = (about_field(path), bytes.get(..MOST).unwrap_or(bytes).escape_ascii());
    Failure::Nameless(format!("{field}expected UTF-8, found the bytes \"{found}\"; write them as Latin-1 with --lossy"))
}
