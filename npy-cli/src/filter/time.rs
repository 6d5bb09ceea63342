//! Times of rows. NaT is neither equal nor unequal to another, and has no order.

use npy_core::dtype::{Scalar, TimeUnit};

use super::node::Difference;
use super::syntax::{Comparison, by_comparison};
use crate::values::units::{DAY, moment};

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
            // One of the scales is small, so that only one side can be out of range.
            Some([scale, other_scale]) => i128::from(*a).saturating_mul(scale).cmp(&i128::from(*b).saturating_mul(other_scale)),
            None => moment(one, *a).cmp(&moment(other, *b)),
        };
        *a != NAT && *b != NAT && comparison.holds(Some(order))
    };
    left.iter().zip(right).map(holds).collect()
}

/// Compares the difference of two columns with a number of its parts, which are attoseconds where one column counts months.
pub(super) fn with_difference(
    comparison: Comparison,
    [left, right]: [&[i64]; 2],
    scalars: [Option<Scalar>; 2],
    difference: Difference,
    parts: i128,
) -> Vec<bool> {
    let [one, other] = scalars.map(|scalar| scalar.and_then(Scalar::time_unit).unwrap_or((TimeUnit::Generic, 1)));
    let holds = |(a, b): (&i64, &i64)| {
        // Beyond 128 bits the difference is longer than any span in the expression.
        let found = match difference.factors {
            Some([scale, other_scale]) => {
                i128::from(*a).saturating_mul(scale).saturating_sub(i128::from(*b).saturating_mul(other_scale))
            }
            None => {
                let ((days, rest), (other_days, other_rest)) =
                    (moment(one, *a).unwrap_or_default(), moment(other, *b).unwrap_or_default());
                (days - other_days).saturating_mul(DAY).saturating_add(rest - other_rest)
            }
        };
        let found = if difference.is_absolute { found.saturating_abs() } else { found };
        *a != NAT && *b != NAT && comparison.holds(Some(found.cmp(&parts)))
    };
    left.iter().zip(right).map(holds).collect()
}
