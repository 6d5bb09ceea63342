//! Fields that an expression names, as columns of the rows.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::scalar::Class;
use npy_core::{DType, Header};

use super::mark::{Checked, Problem};
use super::node::Column;
use super::syntax::Path;
use crate::values::columns::PLAIN;
use crate::values::fields::leaves;
use crate::values::{nearest, quantity};

/// The name of the number of a row.
pub(super) const ROW: &str = "row";

/// The rows of an array: the elements along its first axis.
pub(super) struct Table<'h> {
    dtype: &'h DType,
    /// The axes in a row.
    axes: &'h [usize],
    /// The columns that were asked for.
    pub(super) columns: Vec<Column>,
}

impl<'h> Table<'h> {
    pub(super) fn new(header: &'h Header) -> Self {
        Self { dtype: header.dtype(), axes: header.shape().get(1..).unwrap_or_default(), columns: Vec::new() }
    }

    /// Whether there is a field of this path.
    pub(super) fn has(&self, name: &str) -> bool {
        self.dtype.field(name).is_some()
    }

    /// The number of a column, and its scalar.
    pub(super) fn column(&mut self, path: &Path, at: usize) -> Checked<(usize, Scalar)> {
        let (name, dtype) = (&path.name, self.dtype);
        let mut shape = self.axes.to_vec();
        let mut strides = vec![dtype.itemsize(); shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
        }
        let field = if dtype.record().is_none() && name == PLAIN { None } else { Some(dtype.field(name)) };
        let found = match &field {
            None => dtype.leaves(),
            Some(Some(field)) => field.leaves(),
            Some(None) => return Err(self.unknown(name, at)),
        };
        let leaf = match &found[..] {
            [leaf] if !is_record(field.as_ref().map_or(dtype, |field| field.as_ref().map_or(dtype, |field| field.dtype()))) => leaf,
            leaves => {
                let fields = quantity::listed(leaves.iter().map(|leaf| leaf.path()));
                return Err(Problem::new(at, format!("field \"{name}\" is a record: expected one of {fields}")));
            }
        };
        shape.extend(leaf.shape());
        strides.extend(leaf.strides());
        if path.indices.len() != shape.len() {
            return Err(wrong_count(path, &shape, at));
        }
        let mut offset = leaf.offset();
        for ((index, length), stride) in path.indices.iter().zip(&shape).zip(&strides) {
            offset = offset.saturating_add(position(*index, *length)?.saturating_mul(*stride));
        }
        let column = Column { offset, scalar: leaf.scalar() };
        supported(column.scalar, name, at)?;
        let known = self.columns.iter().position(|known| *known == column);
        let number = known.unwrap_or_else(|| {
            self.columns.push(column);
            self.columns.len() - 1
        });
        Ok((number, column.scalar))
    }

    fn unknown(&self, name: &str, at: usize) -> Problem {
        let known: Vec<String> = leaves(self.dtype).into_iter().map(|leaf| leaf.path).filter(|path| !path.is_empty()).collect();
        if known.is_empty() {
            let expected = format!("expected {PLAIN}, or {ROW} for the number of the row");
            return Problem::new(at, format!("unknown name \"{name}\": the array has no fields; {expected}"));
        }
        let hint = nearest::hint(name, known.iter().map(String::as_str));
        Problem::new(at, format!("unknown field \"{name}\": expected one of {}{hint}", quantity::listed(&known)))
    }
}

fn is_record(dtype: &DType) -> bool {
    dtype.record().is_some()
}

fn wrong_count(path: &Path, shape: &[usize], at: usize) -> Problem {
    let name = &path.name;
    let found = path.indices.len();
    if shape.is_empty() {
        return Problem::new(
            path.indices.first().map_or(at, |(at, _)| *at),
            format!("invalid index: \"{name}\" has one value in a row"),
        );
    }
    let example: Vec<String> = shape.iter().map(|_| "0".to_owned()).collect();
    let example = format!("{name}[{}]", example.join(", "));
    let shape = quantity::shape(shape);
    if found == 0 {
        return Problem::new(at, format!("\"{name}\" has values of shape {shape} in a row; select one, as in {example}"));
    }
    Problem::new(
        at,
        format!(
            "\"{name}\" has values of shape {shape} in a row, and an index of {found} of its axes; select one, as in {example}"
        ),
    )
}

/// The position of an index, which counts from the end if it is negative.
fn position((at, index): (usize, i128), length: usize) -> Checked<usize> {
    let from_begin = if index < 0 { index.saturating_add(length as i128) } else { index };
    let position = usize::try_from(from_begin).ok().filter(|position| *position < length);
    position.ok_or_else(|| Problem::new(at, format!("index {index} is out of bounds for an axis of length {length}")))
}

/// Fails for a scalar without a comparison that is exact.
fn supported(scalar: Scalar, name: &str, at: usize) -> Checked<()> {
    let hint = match scalar.class() {
        Class::Complex => "expected real numbers; complex ones are not supported",
        Class::Float if matches!(scalar.kind(), ScalarKind::LongDouble { .. }) => {
            "expected floats of at most 64 bits; npy convert --dtype f8 rounds them"
        }
        Class::Void => "expected numbers, times or text",
        Class::Object => "expected numbers, times or text; npy convert --dtype makes them of Python objects",
        _ => return Ok(()),
    };
    Err(Problem::new(at, format!("\"{name}\" is of dtype {scalar}: {hint}")))
}

/// A float of 64 bits.
pub(super) fn double() -> Scalar {
    Scalar::new(ScalarKind::Float64, ByteOrder::NATIVE)
}
