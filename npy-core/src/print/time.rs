//! Points in time and spans of time as text.

use super::binary::signed;
use crate::element::iso_8601;
use crate::format::dtype::{ByteOrder, TimeUnit};

/// The number of steps; `None` for NaT.
pub(crate) fn steps(bytes: &[u8], order: ByteOrder) -> Option<i64> {
    i64::try_from(signed(bytes, order)).ok().filter(|&steps| steps != i64::MIN)
}

/// Days from 1970 to the beginning of 2000, from where NumPy counts them.
const DAYS_TO_2000: i64 = 10_957;

/// A point in time in ISO 8601, as `datetime_as_string` writes it.
///
/// NumPy computes in 64 bits and does not notice an overflow; what it prints then, this prints too.
pub(super) fn date_time(unit: TimeUnit, count: u32, steps: i64) -> String {
    let units = steps.wrapping_mul(i64::from(count));
    match unit {
        TimeUnit::Year => iso_8601(unit, i128::from(units.wrapping_add(1970)) - 1970),
        TimeUnit::Week => iso_8601(TimeUnit::Day, days(units.wrapping_mul(7))),
        TimeUnit::Day => iso_8601(unit, days(units)),
        _ => iso_8601(unit, i128::from(units)),
    }
}

fn days(days: i64) -> i128 {
    i128::from(days.wrapping_sub(DAYS_TO_2000)) + i128::from(DAYS_TO_2000)
}

/// A span of time with its unit, as `str` of a NumPy scalar.
pub(super) fn span(unit: TimeUnit, count: u32, steps: i64) -> String {
    format!("{} {}", steps.wrapping_mul(i64::from(count)), unit.plural())
}
