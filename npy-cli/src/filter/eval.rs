//! Evaluates an expression on a block of rows, column by column.

use std::borrow::Cow;
use std::cell::OnceCell;

use npy_core::dtype::Scalar;
use npy_core::scalar::{Decoder, Number};

use super::arithmetic::{of_reals, of_wholes};
use super::compare::compare;
use super::mark::Problem;
use super::node::{Among, Column, Real, RealKind, Test, Whole, WholeKind};
use super::syntax::{Comparison, Operator, by_comparison};
use super::{text, time};

/// Rows that are evaluated at a time: a few columns of them fit the first cache.
pub(super) const BLOCK_ROWS: usize = 4096;

/// Some rows of an array.
pub(super) struct Block<'a> {
    pub(super) bytes: &'a [u8],
    /// Of a row, at least 1.
    pub(super) row_bytes: usize,
    /// The number of the first row.
    pub(super) first: u64,
    pub(super) columns: &'a [Column],
    decoded: Vec<Decoded>,
}

/// A column as numbers of the types that were asked for.
#[derive(Default)]
struct Decoded {
    narrow: OnceCell<Vec<i64>>,
    wide: OnceCell<Vec<i128>>,
    reals: OnceCell<Vec<f64>>,
}

/// The rows whose results count. Of others, an overflow is none.
type Live<'a> = Option<&'a [bool]>;

/// Values of the rows, or one for all of them.
enum Operand<'a, T: Clone> {
    Constant(T),
    Values(Cow<'a, [T]>),
}

impl<T: Copy> Operand<'_, T> {
    fn map<U>(&self, rows: usize, of: impl Fn(T) -> U) -> Vec<U> {
        match self {
            Self::Constant(value) => (0..rows).map(|_| of(*value)).collect(),
            Self::Values(values) => values.iter().map(|value| of(*value)).collect(),
        }
    }

    fn zip<V: Copy, U>(&self, other: &Operand<'_, V>, rows: usize, of: impl Fn(T, V) -> U) -> Vec<U> {
        match (self, other) {
            (Self::Values(left), Operand::Values(right)) => left.iter().zip(&**right).map(|(a, b)| of(*a, *b)).collect(),
            (Self::Values(left), Operand::Constant(right)) => left.iter().map(|a| of(*a, *right)).collect(),
            (Self::Constant(left), Operand::Values(right)) => right.iter().map(|b| of(*left, *b)).collect(),
            (Self::Constant(left), Operand::Constant(right)) => (0..rows).map(|_| of(*left, *right)).collect(),
        }
    }
}

impl<'a> Block<'a> {
    pub(super) fn new(bytes: &'a [u8], row_bytes: usize, first: u64, columns: &'a [Column]) -> Self {
        Self { bytes, row_bytes, first, columns, decoded: columns.iter().map(|_| Decoded::default()).collect() }
    }

    fn rows(&self) -> usize {
        self.bytes.len() / self.row_bytes
    }

    /// The rows of which the test is true.
    pub(super) fn test(&self, test: &Test, live: Live<'_>) -> Result<Vec<bool>, Problem> {
        let rows = self.rows();
        Ok(match test {
            Test::Constant(value) => vec![*value; rows],
            Test::Bools(column) => self.narrow_column(*column).iter().map(|value| *value != 0).collect(),
            Test::Not(operand) => {
                let mut mask = self.test(operand, live)?;
                for value in &mut mask {
                    *value = !*value;
                }
                mask
            }
            Test::And(operands) => self.joined(operands, live, true)?,
            Test::Or(operands) => self.joined(operands, live, false)?,
            Test::Same(left, right) => {
                let (left, right) = (self.test(left, live)?, self.test(right, live)?);
                left.iter().zip(&right).map(|(a, b)| a == b).collect()
            }
            Test::Wholes(comparison, left, right) if left.is_narrow && right.is_narrow => {
                let (left, right) = (self.narrow(left, live)?, self.narrow(right, live)?);
                by_comparison!(*comparison, i64, of => left.zip(&right, rows, of))
            }
            Test::Wholes(comparison, left, right) => {
                let (left, right) = (self.wide(left, live)?, self.wide(right, live)?);
                left.zip(&right, rows, |a, b| comparison.holds(Some(a.cmp(&b))))
            }
            Test::Reals(comparison, left, right) => {
                let (left, right) = (self.reals(left, live)?, self.reals(right, live)?);
                by_comparison!(*comparison, f64, of => left.zip(&right, rows, of))
            }
            Test::Mixed(comparison, whole, real) => {
                let (whole, real) = (self.wide(whole, live)?, self.reals(real, live)?);
                whole.zip(&real, rows, |a, b| comparison.holds(compare(a, b)))
            }
            Test::IsNan(real) => self.reals(real, live)?.map(rows, f64::is_nan),
            Test::IsNat(column) => self.narrow_column(*column).iter().map(|steps| *steps == time::NAT).collect(),
            Test::Time(comparison, column, steps) => time::with_steps(*comparison, self.narrow_column(*column), *steps),
            Test::Times(comparison, columns, factors) => {
                let scalars = columns.map(|column| self.columns.get(column).map(|column| column.scalar));
                time::with_times(*comparison, columns.map(|column| self.narrow_column(column)), scalars, *factors)
            }
            Test::Difference(comparison, difference, parts) => {
                let scalars = difference.columns.map(|column| self.columns.get(column).map(|column| column.scalar));
                let columns = difference.columns.map(|column| self.narrow_column(column));
                time::with_difference(*comparison, columns, scalars, *difference, *parts)
            }
            Test::Text(column, test) => self.texts(*column, |scalar, bytes| text::holds(test, scalar, bytes)),
            Test::Among(among) => self.among(among, live)?,
            Test::Texts(comparison, columns) => text::compared(*comparison, columns.map(|column| self.texts_of(column))),
        })
    }

    /// `and` or `or`: only rows that are not decided go on.
    fn joined(&self, operands: &[Test], live: Live<'_>, is_and: bool) -> Result<Vec<bool>, Problem> {
        let mut mask = vec![is_and; self.rows()];
        for operand in operands {
            let open: Vec<bool> = match live {
                None => mask.iter().map(|value| *value == is_and).collect(),
                Some(live) => mask.iter().zip(live).map(|(value, live)| *live && *value == is_and).collect(),
            };
            if !open.contains(&true) {
                break;
            }
            let values = self.test(operand, Some(&open))?;
            if is_and {
                mask.iter_mut().zip(values).for_each(|(mask, value)| *mask &= value);
            } else {
                mask.iter_mut().zip(values).for_each(|(mask, value)| *mask |= value);
            }
        }
        Ok(mask)
    }

    /// Whether each row has one of the constants.
    fn among(&self, among: &Among, live: Live<'_>) -> Result<Vec<bool>, Problem> {
        let rows = self.rows();
        Ok(match among {
            Among::Wholes(left, items) if left.is_narrow => {
                let items: Vec<i64> = items.iter().filter_map(|item| i64::try_from(*item).ok()).collect();
                self.narrow(left, live)?.map(rows, |value| items.binary_search(&value).is_ok())
            }
            Among::Wholes(left, items) => self.wide(left, live)?.map(rows, |value| items.binary_search(&value).is_ok()),
            Among::Reals(left, items) => {
                // Zeros of both signs are equal.
                let is_there = |value: f64| items.binary_search_by(|item| item.total_cmp(&(value + 0.0))).is_ok();
                self.reals(left, live)?.map(rows, is_there)
            }
            Among::Times(column, items) => {
                self.narrow_column(*column).iter().map(|steps| *steps != time::NAT && items.binary_search(steps).is_ok()).collect()
            }
            Among::Texts(column, items) => self.texts(*column, |scalar, bytes| text::is_among(items, scalar, bytes)),
        })
    }

    /// Whether a test of text is true of each row.
    fn texts(&self, column: usize, holds: impl Fn(Scalar, &[u8]) -> bool) -> Vec<bool> {
        self.texts_of(column).map(|(scalar, bytes)| holds(scalar, bytes)).collect()
    }

    /// The scalar of a column, and the bytes of each row.
    fn texts_of(&self, column: usize) -> impl Iterator<Item = (Scalar, &'a [u8])> + use<'a> {
        let column = self.columns.get(column).copied();
        self.bytes.chunks_exact(self.row_bytes).filter_map(move |row| {
            let column = column?;
            let bytes = row.get(column.offset..).and_then(|rest| rest.get(..column.scalar.itemsize()));
            Some((column.scalar, bytes.unwrap_or_default()))
        })
    }

    fn decode<T: Number>(&self, column: usize) -> Vec<T> {
        let mut values = Vec::with_capacity(self.rows());
        if let Some(column) = self.columns.get(column)
            && let Some(decoder) = Decoder::<T>::new(column.scalar)
        {
            decoder.extend(&mut values, self.bytes.get(column.offset..).unwrap_or_default(), self.row_bytes);
        }
        values
    }

    fn narrow_column(&self, column: usize) -> &[i64] {
        self.decoded.get(column).map_or(&[], |decoded| decoded.narrow.get_or_init(|| self.decode(column)))
    }

    /// Integers that fit 64 bits, as do all that they are made of.
    fn narrow(&self, whole: &Whole, live: Live<'_>) -> Result<Operand<'_, i64>, Problem> {
        let rows = self.rows();
        let values = match &whole.kind {
            WholeKind::Constant(value) => return Ok(Operand::Constant(i64::try_from(*value).unwrap_or_default())),
            WholeKind::Column(column) => return Ok(Operand::Values(Cow::Borrowed(self.narrow_column(*column)))),
            WholeKind::Row => (0..rows as u64).map(|row| self.first.saturating_add(row).cast_signed()).collect(),
            WholeKind::Negate(operand) => self.narrow(operand, live)?.map(rows, i64::wrapping_neg),
            WholeKind::Absolute(operand) => self.narrow(operand, live)?.map(rows, i64::wrapping_abs),
            WholeKind::Arithmetic(operator, left, right) => {
                let divides = matches!(operator, Operator::FloorDivide | Operator::Modulo);
                let (left, right) = (self.narrow(left, live)?, self.narrow(right, live)?);
                match operator {
                    Operator::Add => left.zip(&right, rows, i64::wrapping_add),
                    Operator::Subtract => left.zip(&right, rows, i64::wrapping_sub),
                    Operator::Multiply => left.zip(&right, rows, i64::wrapping_mul),
                    _ if divides => {
                        let results = left.zip(&right, rows, |a, b| of_wholes(*operator, a.into(), b.into()));
                        self.checked(whole, results, live)?
                            .into_iter()
                            .map(|value| i64::try_from(value).unwrap_or_default())
                            .collect()
                    }
                    _ => Vec::new(),
                }
            }
        };
        Ok(Operand::Values(Cow::Owned(values)))
    }

    /// Integers of any size.
    fn wide(&self, whole: &Whole, live: Live<'_>) -> Result<Operand<'_, i128>, Problem> {
        let rows = self.rows();
        if let Some(value) = whole.value() {
            return Ok(Operand::Constant(value));
        }
        if whole.is_narrow {
            return Ok(Operand::Values(Cow::Owned(self.narrow(whole, live)?.map(rows, i128::from))));
        }
        let results = match &whole.kind {
            WholeKind::Constant(value) => return Ok(Operand::Constant(*value)),
            WholeKind::Column(column) => {
                let values = self.decoded.get(*column).map_or(&[][..], |decoded| decoded.wide.get_or_init(|| self.decode(*column)));
                return Ok(Operand::Values(Cow::Borrowed(values)));
            }
            WholeKind::Row => (0..rows as u64).map(|row| Some(i128::from(self.first.saturating_add(row)))).collect(),
            WholeKind::Negate(operand) => self.wide(operand, live)?.map(rows, i128::checked_neg),
            WholeKind::Absolute(operand) => self.wide(operand, live)?.map(rows, i128::checked_abs),
            WholeKind::Arithmetic(operator, left, right) => {
                self.wide(left, live)?.zip(&self.wide(right, live)?, rows, |a, b| of_wholes(*operator, a, b))
            }
        };
        Ok(Operand::Values(Cow::Owned(self.checked(whole, results, live)?)))
    }

    /// The results of integers, of which those that count must be there.
    fn checked(&self, whole: &Whole, results: Vec<Option<i128>>, live: Live<'_>) -> Result<Vec<i128>, Problem> {
        let is_live = |row: usize| live.is_none_or(|live| live.get(row).copied().unwrap_or(false));
        if let Some(row) = (0..results.len()).find(|row| results.get(*row) == Some(&None) && is_live(*row)) {
            let divides =
                matches!(whole.kind, WholeKind::Arithmetic(Operator::FloorDivide | Operator::Modulo | Operator::Divide, ..));
            let problem = if divides { "division by zero" } else { "integer overflow beyond 128 bits" };
            return Err(Problem::new(whole.at, format!("{problem} in row {}", self.first.saturating_add(row as u64))));
        }
        Ok(results.into_iter().map(Option::unwrap_or_default).collect())
    }

    fn reals(&self, real: &Real, live: Live<'_>) -> Result<Operand<'_, f64>, Problem> {
        let (rows, precision) = (self.rows(), real.precision);
        let values = match &real.kind {
            RealKind::Constant(value) => return Ok(Operand::Constant(*value)),
            RealKind::Column(column) => {
                let values =
                    self.decoded.get(*column).map_or(&[][..], |decoded| decoded.reals.get_or_init(|| self.decode(*column)));
                return Ok(Operand::Values(Cow::Borrowed(values)));
            }
            RealKind::Whole(whole) if whole.is_narrow => self.narrow(whole, live)?.map(rows, |value| precision.round(value as f64)),
            RealKind::Whole(whole) => self.wide(whole, live)?.map(rows, |value| precision.round(value as f64)),
            RealKind::Negate(operand) => self.reals(operand, live)?.map(rows, |value| -value),
            RealKind::Absolute(operand) => self.reals(operand, live)?.map(rows, f64::abs),
            RealKind::Arithmetic(operator, left, right) => {
                let (left, right) = (self.reals(left, live)?, self.reals(right, live)?);
                match operator {
                    Operator::Add if precision.is_double() => left.zip(&right, rows, |a, b| a + b),
                    Operator::Subtract if precision.is_double() => left.zip(&right, rows, |a, b| a - b),
                    Operator::Multiply if precision.is_double() => left.zip(&right, rows, |a, b| a * b),
                    operator => left.zip(&right, rows, |a, b| of_reals(*operator, precision, a, b)),
                }
            }
        };
        Ok(Operand::Values(Cow::Owned(values)))
    }
}
