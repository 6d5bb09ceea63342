//! Dates and times of ISO 8601, as numbers of NumPy's units.

use npy_core::calendar::{date_of, days_before};
use npy_core::dtype::TimeUnit;

use crate::values::units::{DAY, SECOND, greatest_divisor, moment};

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Time {
    year: i128,
    month: u8,
    days: i128,
    /// Since midnight.
    attoseconds: i128,
    /// The unit that its last part counts.
    pub(crate) unit: TimeUnit,
}

/// Why a time is not a whole number of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    Inexact,
    OutOfRange,
}

/// The most digits of a year: those of the last one that a dtype such as `<M8[2147483647Y]` has.
const MOST_DIGITS: usize = 29;

/// Whether digits alone are more than those of a year, as in `1700000000` or `20240229`: a number of seconds, a date without hyphens.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.len() > 4 && number(digits).is_some()
}

/// Parses `2024`, `2024-02`, `2024-02-29`, and a time after `T` or a blank: `12`, `12:30`, `12:30:00`, `12:30:00.5`. A `Z` at the
/// end is ignored: NumPy's times have no zone.
pub(crate) fn parse(text: &str) -> Option<Time> {
    let text = text.strip_suffix('Z').filter(|text| text.contains(['T', ' '])).unwrap_or(text);
    let (date, clock) = match text.split_once(['T', ' ']) {
        Some((date, clock)) => (date, Some(clock)),
        None => (text, None),
    };
    let (sign, digits) = match date.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, date.strip_prefix('+').unwrap_or(date)),
    };
    let mut parts = digits.split('-');
    let year = parts.next().filter(|year| (if sign < 0 { 3 } else { 4 }..=MOST_DIGITS).contains(&year.len()))?;
    let year = sign * number(year)?;
    let (month, day) = (parts.next(), parts.next());
    if parts.next().is_some() || clock.is_some() && day.is_none() {
        return None;
    }
    let date_unit = match (month, day) {
        (None, _) => TimeUnit::Year,
        (_, None) => TimeUnit::Month,
        _ => TimeUnit::Day,
    };
    let part = |text: Option<&str>, range: std::ops::RangeInclusive<i128>| match text {
        None => Some(*range.start()),
        Some(text) if text.len() == 2 => number(text).filter(|number| range.contains(number)),
        Some(_) => None,
    };
    let month = part(month, 1..=12)?;
    let day = part(day, 1..=days_before(year, month + 1) - days_before(year, month))?;
    let days = days_before(year, month) + day - 1;
    let (attoseconds, unit) = match clock {
        Some(clock) => parse_clock(clock)?,
        None => (0, date_unit),
    };
    Some(Time { year, month: u8::try_from(month).ok()?, days, attoseconds, unit })
}

fn parse_clock(clock: &str) -> Option<(i128, TimeUnit)> {
    let (clock, fraction) = match clock.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (clock, None),
    };
    let mut parts = clock.split(':');
    let mut part = |most| match parts.next() {
        None => Some(None),
        Some(text) if text.len() == 2 => number(text).filter(|number| *number < most).map(Some),
        Some(_) => None,
    };
    let (hours, minutes, seconds) = (part(24)??, part(60)?, part(60)?);
    if parts.next().is_some() || fraction.is_some() && seconds.is_none() {
        return None;
    }
    let unit = match (minutes, seconds, fraction.map(str::len)) {
        (None, ..) => TimeUnit::Hour,
        (_, None, _) => TimeUnit::Minute,
        (_, _, None) => TimeUnit::Second,
        (_, _, Some(0 | 19..)) => return None,
        (_, _, Some(1..=3)) => TimeUnit::Millisecond,
        (_, _, Some(4..=6)) => TimeUnit::Microsecond,
        (_, _, Some(7..=9)) => TimeUnit::Nanosecond,
        (_, _, Some(10..=12)) => TimeUnit::Picosecond,
        (_, _, Some(13..=15)) => TimeUnit::Femtosecond,
        (_, _, Some(16..=18)) => TimeUnit::Attosecond,
    };
    let mut attoseconds = (hours * 3600 + minutes.unwrap_or(0) * 60 + seconds.unwrap_or(0)) * SECOND;
    if let Some(fraction) = fraction {
        let scale = 10_i128.pow(u32::try_from(18 - fraction.len()).ok()?);
        attoseconds += number(fraction)? * scale;
    }
    Some((attoseconds, unit))
}

/// A number of digits only.
fn number(text: &str) -> Option<i128> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

impl Time {
    /// The time of this number of steps of a unit; `None` of the generic unit.
    pub(crate) fn of_steps(unit: (TimeUnit, u32), steps: i64) -> Option<Self> {
        let (days, attoseconds) = moment(unit, steps)?;
        let (year, month, _) = date_of(days);
        Some(Self { year, month: u8::try_from(month).ok()?, days, attoseconds, unit: unit.0 })
    }

    /// The number of units of this time, if it is a whole one.
    pub(crate) fn to_steps(self, unit: TimeUnit, count: u32) -> Result<i64, Misfit> {
        let (steps, is_exact) = self.divided(unit, count).ok_or(Misfit::OutOfRange)?;
        let steps = i64::try_from(steps).ok().filter(|steps| *steps != i64::MIN).ok_or(Misfit::OutOfRange)?;
        if is_exact { Ok(steps) } else { Err(Misfit::Inexact) }
    }

    /// The number of units up to this time, rounded down.
    pub(crate) fn to_steps_below(self, unit: TimeUnit, count: u32) -> Option<i64> {
        self.divided(unit, count).and_then(|(steps, _)| i64::try_from(steps).ok())
    }

    /// The number of units up to this time, rounded down, and whether it is a whole one; `None` of the generic unit.
    pub(crate) fn divided(self, unit: TimeUnit, count: u32) -> Option<(i128, bool)> {
        let count = i128::from(count.max(1));
        let length = match unit {
            TimeUnit::Generic => return None,
            TimeUnit::Year | TimeUnit::Month => {
                let months = (self.year - 1970) * 12 + i128::from(self.month) - 1;
                let length = if unit == TimeUnit::Year { 12 * count } else { count };
                let is_first = days_before(self.year, self.month.into()) == self.days && self.attoseconds == 0;
                return Some((months.div_euclid(length), is_first && months.rem_euclid(length) == 0));
            }
            unit => unit.attoseconds()?,
        };
        let length = length.checked_mul(count)?;
        // In the largest length that divides both a day and the unit: attoseconds would overflow.
        let divisor = greatest_divisor(DAY, length);
        let (parts, rest) = (self.attoseconds.div_euclid(divisor), self.attoseconds.rem_euclid(divisor));
        let total = self.days.checked_mul(DAY / divisor)?.checked_add(parts)?;
        let length = length / divisor;
        Some((total.div_euclid(length), rest == 0 && total.rem_euclid(length) == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_iso_8601() {
        let steps = |text: &str, unit| parse(text).map(|time| time.to_steps(unit, 1));
        assert_eq!(steps("1970-01-02", TimeUnit::Day), Some(Ok(1)));
        assert_eq!(steps("2000-03-01", TimeUnit::Day), Some(Ok(11_017)));
        assert_eq!(steps("1969-12-31T23:59:59.999999999", TimeUnit::Nanosecond), Some(Ok(-1)));
        assert_eq!(steps("2024-02-29 12:30Z", TimeUnit::Second), Some(Ok(1_709_209_800)));
        assert_eq!(steps("2024-02-29T12:30:00.5", TimeUnit::Second), Some(Err(Misfit::Inexact)));
        assert_eq!(steps("1969-11", TimeUnit::Month), Some(Ok(-2)));
        assert_eq!(steps("9999-01-01", TimeUnit::Nanosecond), Some(Err(Misfit::OutOfRange)));
        assert_eq!(steps("-9223372036854773837", TimeUnit::Year), Some(Ok(i64::MIN + 1)));
        assert_eq!(steps("25252734927768524-07-27", TimeUnit::Day), Some(Ok(i64::MAX)));
        assert_eq!(steps("25252734927768524-07-28", TimeUnit::Day), Some(Err(Misfit::OutOfRange)));
        assert_eq!(steps("-25252734927764585-06-08", TimeUnit::Day), Some(Ok(i64::MIN + 1)));
        for text in [
            "2023-02-29",
            "2024-1-01",
            "24-01-01",
            "2024-01-01T24:00",
            "2024-01-01T1:00",
            "2024-01T12",
            "",
            "abc",
            "2024-01-01T12:00+01:00",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
