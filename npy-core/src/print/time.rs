//! Points in time and spans of time as text.

use crate::format::calendar::iso_8601;
use crate::format::dtype::TimeUnit;

/// The steps of NaT.
pub(super) const NAT: i64 = i64::MIN;

/// A point in time in ISO 8601, as `datetime_as_string` writes it.
///
/// NumPy computes in 64 bits, and near their limits prints another time or, from 2.5 on, mostly refuses. This is exact.
pub(super) fn date_time(unit: TimeUnit, count: u32, steps: i64) -> String {
    iso_8601(unit, i128::from(steps) * i128::from(count))
}

/// A span of time with its unit, as `str` of a NumPy scalar.
pub(super) fn span(unit: TimeUnit, count: u32, steps: i64) -> String {
    format!("{} {}", i128::from(steps) * i128::from(count), unit.plural())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_near_the_limits_are_exact() {
        let last = i64::MAX;
        // As NumPy 2.5 has it.
        assert_eq!(date_time(TimeUnit::Day, 1, -last), "-25252734927764585-06-08");
        assert_eq!(date_time(TimeUnit::Week, 1, -last), iso_8601(TimeUnit::Day, i128::from(last) * -7));
        // NumPy refuses these, or prints others.
        assert_eq!(date_time(TimeUnit::Year, 1, last), "9223372036854777777");
        assert_eq!(date_time(TimeUnit::Second, 25, last), iso_8601(TimeUnit::Second, i128::from(last) * 25));
        assert_eq!(span(TimeUnit::Second, 25, last), "230584300921369395175 seconds");
    }
}
