//! Times of rows. NaT is neither equal nor unequal to another, and has no order.

use npy_core::dtype::{Scalar, TimeUnit};

use super::syntax::{Comparison, by_comparison};
use crate::values::units::moment;

/// The steps of NaT.
pub(super) const NAT: i64 = i64::MIN;

/// Compares times with a number of steps.
pub(super) fn with_steps(comparison: Comparison, times: &[i64], steps: i64) -> Vec<bool> {
    by_comparison!(comparison, i64, of => times.iter().map(|time| *time != NAT && of(*time, steps)).collect())
}

/// Compares two columns of times, the steps of which have these numbers of equal parts; `None` where one counts months.
pub(super) fn with_times(
    comparison: Comparison,
    [left, right]: [&[i64]; 2],
    scalars: [Option<Scalar>; 2],
    factors: Option<[i128; 2]>,
) -> Vec<bool> {
    let [one, other] = scalars.map(|scalar| scalar.and_then(Scalar::time_unit).unwrap_or((TimeUnit::Generic, 1)));
    let holds = |(a, b): (&i64, &i64)| {
        let order = match factors {
            Some([scale, other_scale]) => (i128::from(*a) * scale).cmp(&(i128::from(*b) * other_scale)),
            None => moment(one, *a).cmp(&moment(other, *b)),
        };
        *a != NAT && *b != NAT && comparison.holds(Some(order))
    };
    left.iter().zip(right).map(holds).collect()
}
