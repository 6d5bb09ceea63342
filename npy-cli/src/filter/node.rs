//! An expression whose types are known: what the evaluator runs.

use npy_core::dtype::{Scalar, ScalarKind};
use regex_lite::Regex;

use super::syntax::{Comparison, Operator};

/// A scalar of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// From the beginning of the row, in bytes.
    pub(super) offset: usize,
    pub(super) scalar: Scalar,
}

/// What is true or false of a row. Columns are numbers of [`Column`]s.
#[derive(Debug)]
pub(super) enum Test {
    Constant(bool),
    Bools(usize),
    Not(Box<Self>),
    And(Vec<Self>),
    Or(Vec<Self>),
    /// Whether both are the same.
    Same(Box<Self>, Box<Self>),
    Wholes(Comparison, Whole, Whole),
    Reals(Comparison, Real, Real),
    /// An integer and a float, neither of which is rounded.
    Mixed(Comparison, Whole, Real),
    IsNan(Real),
    IsNat(usize),
    /// A column of times and steps of its unit.
    Time(Comparison, usize, i64),
    /// Two columns of times. The steps of each have this many parts, unless they are of the calendar.
    Times(Comparison, [usize; 2], Option<[i128; 2]>),
    /// A difference of times, and the parts that it is compared with.
    Difference(Comparison, Difference, i128),
    Text(usize, TextTest),
    /// Two columns of text.
    Texts(Comparison, [usize; 2]),
    Among(Among),
}

/// One of several constants, which are in order.
#[derive(Debug)]
pub(super) enum Among {
    Wholes(Whole, Vec<i128>),
    Reals(Real, Vec<f64>),
    Times(usize, Vec<i64>),
    Texts(usize, Vec<String>),
}

/// One column of times less another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    pub(super) columns: [usize; 2],
    /// The parts of a step of each; of the calendar, the parts are attoseconds.
    pub(super) factors: Option<[i128; 2]>,
    pub(super) is_absolute: bool,
}

#[derive(Debug)]
pub(super) enum TextTest {
    Compare(Comparison, String),
    StartsWith(String),
    EndsWith(String),
    Contains(String),
    Matches(Regex),
}

/// An integer of a row.
#[derive(Debug)]
pub(super) struct Whole {
    /// Of the operator in the expression.
    pub(super) at: usize,
    /// The least and the greatest value that it can have.
    pub(super) range: [i128; 2],
    /// Whether it and all below it fit 64 bits.
    pub(super) is_narrow: bool,
    pub(super) kind: WholeKind,
}

#[derive(Debug)]
pub(super) enum WholeKind {
    Constant(i128),
    Column(usize),
    /// The number of the row.
    Row,
    Negate(Box<Whole>),
    Absolute(Box<Whole>),
    Arithmetic(Operator, Box<Whole>, Box<Whole>),
}

/// A float of a row.
#[derive(Debug)]
pub(super) struct Real {
    /// The float that results are rounded to.
    pub(super) precision: Precision,
    pub(super) kind: RealKind,
}

#[derive(Debug)]
pub(super) enum RealKind {
    Constant(f64),
    Column(usize),
    /// An integer, rounded to the precision.
    Whole(Box<Whole>),
    Negate(Box<Real>),
    Absolute(Box<Real>),
    Arithmetic(Operator, Box<Real>, Box<Real>),
}

/// A type of floats, whose values are all floats of 64 bits too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Precision(pub(super) Scalar);

impl Precision {
    /// The nearest float of this type.
    #[inline]
    pub(super) fn round(self, value: f64) -> f64 {
        #[allow(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
        match self.0.kind() {
            ScalarKind::Float64 => value,
            ScalarKind::Float32 => f64::from(value as f32),
            _ => self.0.rounded(value).unwrap_or(value),
        }
    }

    /// Whether every result is right as it is.
    pub(super) fn is_double(self) -> bool {
        self.0.kind() == ScalarKind::Float64
    }
}

impl Whole {
    pub(super) fn constant(at: usize, value: i128) -> Self {
        Self::new(at, [value; 2], true, WholeKind::Constant(value))
    }

    /// `is_narrow` says whether all operands are.
    pub(super) fn new(at: usize, range: [i128; 2], is_narrow: bool, kind: WholeKind) -> Self {
        let is_narrow = is_narrow && range.iter().all(|end| i64::try_from(*end).is_ok());
        Self { at, range, is_narrow, kind }
    }

    pub(super) fn value(&self) -> Option<i128> {
        if let WholeKind::Constant(value) = self.kind { Some(value) } else { None }
    }
}

impl Real {
    pub(super) fn value(&self) -> Option<f64> {
        if let RealKind::Constant(value) = self.kind { Some(value) } else { None }
    }
}
