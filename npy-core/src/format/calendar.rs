//! The proleptic Gregorian calendar of NumPy's datetimes, and nanoseconds as the common unit of conversions.

use super::dtype::TimeUnit;

/// The greatest count of units or days that the calendar computes with, so that no product overflows an `i128`. Greater
/// counts are clamped to it. No time of NumPy is one: it has at most 2⁶³ steps of less than 2³² units.
const MOST: i128 = 1 << 100;
const SECOND: i128 = 1_000_000_000_000_000_000;
const DAY: i128 = 86_400 * SECOND;

impl TimeUnit {
    /// Returns the length of the unit in attoseconds; `None` for years and months, which differ in
    /// length, and for no unit.
    pub const fn attoseconds(self) -> Option<i128> {
        Some(match self {
            Self::Generic | Self::Year | Self::Month => return None,
            Self::Week => 7 * DAY,
            Self::Day => DAY,
            Self::Hour => 3600 * SECOND,
            Self::Minute => 60 * SECOND,
            Self::Second => SECOND,
            Self::Millisecond => SECOND / 1_000,
            Self::Microsecond => SECOND / 1_000_000,
            Self::Nanosecond => 1_000_000_000,
            Self::Picosecond => 1_000_000,
            Self::Femtosecond => 1_000,
            Self::Attosecond => 1,
        })
    }

    /// Returns the length of the unit in months of the calendar: 12 for years, 1 for months, `None` for others.
    pub const fn months(self) -> Option<i128> {
        match self {
            Self::Year => Some(12),
            Self::Month => Some(1),
            _ => None,
        }
    }
}

/// Returns `count` units after 1970-01-01T00:00 in the form of ISO 8601, as precise as the unit.
///
/// A count beyond ±2¹⁰⁰, which no time of NumPy has, counts as that.
///
/// ```
/// use npy_core::calendar::iso_8601;
/// use npy_core::dtype::TimeUnit;
///
/// assert_eq!(iso_8601(TimeUnit::Month, 1), "1970-02");
/// assert_eq!(iso_8601(TimeUnit::Millisecond, -1), "1969-12-31T23:59:59.999");
/// ```
pub fn iso_8601(unit: TimeUnit, count: i128) -> String {
    let count = count.clamp(-MOST, MOST);
    let Some(length) = unit.attoseconds() else {
        let Some(months) = unit.months() else { return count.to_string() };
        let months = count * months;
        let year = 1970 + months.div_euclid(12);
        return if unit == TimeUnit::Year { format!("{year:04}") } else { format!("{year:04}-{:02}", months.rem_euclid(12) + 1) };
    };
    if length >= DAY {
        return date(count * (length / DAY));
    }
    let in_a_day = DAY / length;
    let (date, rest) = (date(count.div_euclid(in_a_day)), count.rem_euclid(in_a_day));
    match unit {
        TimeUnit::Hour => format!("{date}T{rest:02}"),
        TimeUnit::Minute => format!("{date}T{:02}:{:02}", rest / 60, rest % 60),
        _ => {
            let in_a_second = SECOND / length;
            let (seconds, fraction, digits) = (rest / in_a_second, rest % in_a_second, in_a_second.ilog10() as usize);
            let time = format!("{date}T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
            if digits == 0 { time } else { format!("{time}.{fraction:0digits$}") }
        }
    }
}

/// The date `days` days after 1970-01-01, in ISO 8601.
fn date(days: i128) -> String {
    let (year, month, day) = date_of(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Days before 1970-01-01 from 0000-03-01 on. Years from March on have the leap day at their end,
/// and an era is 400 years of 146,097 days.
const EPOCH: i128 = 719_468;
const DAYS_IN_ERA: i128 = 146_097;

/// Returns year, month and day of the date `days` days after 1970-01-01.
///
/// Days beyond ±2¹⁰⁴ count as that.
///
/// ```
/// use npy_core::calendar::{date_of, days_before};
///
/// assert_eq!(date_of(11_016), (2000, 2, 29));
/// assert_eq!(days_before(2000, 3) - days_before(2000, 2), 29);
/// ```
pub fn date_of(days: i128) -> (i128, i128, i128) {
    let days = days.clamp(-16 * MOST, 16 * MOST) + EPOCH;
    let (era, day) = (days.div_euclid(DAYS_IN_ERA), days.rem_euclid(DAYS_IN_ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next_year, month, day)
}

/// Returns the days from 1970-01-01 to the first day of a month.
///
/// Months are from 1 to 12, and 13 is January of the next year. Numbers beyond ±2¹⁰⁰ count as that.
///
/// See [`date_of`] for an example.
pub fn days_before(year: i128, month: i128) -> i128 {
    let (year, month) = (year.clamp(-MOST, MOST), month.clamp(-MOST, MOST));
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    era * DAYS_IN_ERA + 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 - EPOCH
}

#[cfg(any(feature = "jiff", feature = "chrono", test))]
pub(crate) mod nanoseconds {
    use super::{date_of, days_before};
    use crate::format::dtype::TimeUnit;

    /// Why a time cannot be converted.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Misfit {
        /// It is not a whole number of them.
        Inexact,
        /// There are more of them than there are numbers for.
        OutOfRange,
    }

    /// Nanoseconds in a day.
    pub(crate) const DAY: i128 = 86_400_000_000_000;

    /// A number of units, as a fraction of nanoseconds: numerator and denominator. `None` for years
    /// and months, which differ in length, and for no unit.
    fn in_unit(unit: TimeUnit) -> Option<(i128, i128)> {
        const NANOSECOND: i128 = 1_000_000_000;
        let length = unit.attoseconds()?;
        Some(if length < NANOSECOND { (1, NANOSECOND / length) } else { (length / NANOSECOND, 1) })
    }

    fn months_in(unit: TimeUnit) -> i128 {
        unit.months().unwrap_or(1)
    }

    /// Converts units since 1970-01-01T00:00 to nanoseconds.
    pub(crate) fn of_units(unit: TimeUnit, units: i128) -> Result<i128, Misfit> {
        match in_unit(unit) {
            Some((numerator, 1)) => units.checked_mul(numerator).ok_or(Misfit::OutOfRange),
            Some((_, denominator)) if units % denominator != 0 => Err(Misfit::Inexact),
            Some((_, denominator)) => Ok(units / denominator),
            None => {
                let months = units.checked_mul(months_in(unit)).ok_or(Misfit::OutOfRange)?;
                let days = days_before(1970 + months.div_euclid(12), months.rem_euclid(12) + 1);
                days.checked_mul(DAY).ok_or(Misfit::OutOfRange)
            }
        }
    }

    /// Converts nanoseconds since 1970-01-01T00:00 to units.
    pub(crate) fn to_units(unit: TimeUnit, nanoseconds: i128) -> Result<i128, Misfit> {
        match in_unit(unit) {
            Some((numerator, 1)) if nanoseconds % numerator != 0 => Err(Misfit::Inexact),
            Some((numerator, 1)) => Ok(nanoseconds / numerator),
            Some((_, denominator)) => nanoseconds.checked_mul(denominator).ok_or(Misfit::OutOfRange),
            None => {
                let (year, month, day) = date_of(nanoseconds.div_euclid(DAY));
                let months = (year - 1970) * 12 + month - 1;
                let is_whole = day == 1 && nanoseconds.rem_euclid(DAY) == 0 && months % months_in(unit) == 0;
                is_whole.then_some(months / months_in(unit)).ok_or(Misfit::Inexact)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::nanoseconds::Misfit;
    use super::{date_of, days_before, iso_8601, nanoseconds};
    use crate::format::dtype::TimeUnit;

    #[test]
    fn days_and_dates_are_inverse() {
        let mut previous = date_of(-1_000_000);
        for days in -999_999..1_000_000 {
            let (year, month, day) = date_of(days);
            assert!((year, month, day) > previous, "{days}");
            assert_eq!(days_before(year, month) + day - 1, days);
            previous = (year, month, day);
        }
        assert_eq!(date_of(0), (1970, 1, 1));
        assert_eq!(date_of(11_016), (2000, 2, 29));
        for extreme in [i128::MIN, i128::MAX] {
            let _ = (date_of(extreme), days_before(extreme, extreme), iso_8601(TimeUnit::Year, extreme));
            assert_eq!(iso_8601(TimeUnit::Week, extreme), iso_8601(TimeUnit::Week, extreme.signum() << 100));
        }
    }

    #[test]
    fn units_and_nanoseconds_are_inverse() {
        for unit in [
            TimeUnit::Year,
            TimeUnit::Month,
            TimeUnit::Week,
            TimeUnit::Day,
            TimeUnit::Hour,
            TimeUnit::Minute,
            TimeUnit::Second,
            TimeUnit::Millisecond,
            TimeUnit::Microsecond,
            TimeUnit::Nanosecond,
        ] {
            for units in [-1_000_001, -12, -1, 0, 1, 11, 12, 719_528] {
                let nanoseconds = nanoseconds::of_units(unit, units).unwrap();
                assert_eq!(nanoseconds::to_units(unit, nanoseconds), Ok(units), "{unit:?}");
            }
        }
        assert_eq!(nanoseconds::of_units(TimeUnit::Picosecond, 1_500), Err(Misfit::Inexact));
        assert_eq!(nanoseconds::of_units(TimeUnit::Picosecond, -2_000), Ok(-2));
        assert_eq!(nanoseconds::to_units(TimeUnit::Microsecond, 1_500), Err(Misfit::Inexact));
        assert_eq!(nanoseconds::to_units(TimeUnit::Year, 31 * nanoseconds::DAY), Err(Misfit::Inexact));
    }
}
