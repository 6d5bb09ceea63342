//! The tree of an expression, before anything is known of the array.

use std::cmp::Ordering;

/// An expression, and its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expression {
    /// The place of the operator, or of the first character of what has none, in bytes.
    pub(super) at: usize,
    /// The number of levels below it.
    pub(super) height: usize,
    pub(super) kind: Kind,
}

impl Expression {
    /// Calls `each` with the names of fields, and with others that stand for a value.
    pub(super) fn for_each_name(&self, each: &mut impl FnMut(&str)) {
        match &self.kind {
            Kind::Whole(_) | Kind::Real(_) | Kind::Text(_) => {}
            Kind::Field(path) => each(&path.name),
            Kind::Not(operand) | Kind::Negate(operand) => operand.for_each_name(each),
            Kind::Call(_, operands) | Kind::And(operands) | Kind::Or(operands) => {
                for operand in operands {
                    operand.for_each_name(each);
                }
            }
            Kind::Arithmetic(_, left, right) | Kind::Compare(_, left, right) | Kind::Matches(left, right) => {
                left.for_each_name(each);
                right.for_each_name(each);
            }
            Kind::In(left, items) => {
                left.for_each_name(each);
                for item in items {
                    item.for_each_name(each);
                }
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Whole(i128),
    Real(f64),
    Text(String),
    Field(Path),
    Call(String, Vec<Expression>),
    Not(Box<Expression>),
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Negate(Box<Expression>),
    Arithmetic(Operator, Box<Expression>, Box<Expression>),
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// `~`
    Matches(Box<Expression>, Box<Expression>),
    In(Box<Expression>, Vec<Expression>),
}

/// A field, and the indices of one of its values: `pose.x`, `points[2].x`, `['a b'][0]`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Path {
    /// The names, joined by dots.
    pub(super) name: String,
    /// With their places.
    pub(super) indices: Vec<(usize, i128)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// With the sides exchanged.
    pub(super) fn reversed(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }

    /// Whether it is true of two sides in this order; `None` where one of them is NaN.
    pub(super) fn holds(self, order: Option<Ordering>) -> bool {
        let Some(order) = order else { return self == Self::NotEqual };
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// Evaluates an expression with the function of a comparison, so that none is chosen in the loop.
macro_rules! by_comparison {
    ($comparison:expr, $type:ty, $of:ident => $body:expr) => {{
        macro_rules! compared {
            ($sign:tt) => {{
                #[allow(clippy::float_cmp, reason = "what is asked for")]
                let $of = |a: $type, b: $type| a $sign b;
                $body
            }};
        }
        match $comparison {
            Comparison::Equal => compared!(==),
            Comparison::NotEqual => compared!(!=),
            Comparison::Less => compared!(<),
            Comparison::LessOrEqual => compared!(<=),
            Comparison::Greater => compared!(>),
            Comparison::GreaterOrEqual => compared!(>=),
        }
    }};
}
pub(super) use by_comparison;
