//! The proleptic Gregorian calendar of NumPy's datetimes, and nanoseconds as the common unit of
//! conversions.

use crate::format::dtype::TimeUnit;

/// `count` units after 1970-01-01T00:00 in the form of ISO 8601, as precise as the unit.
pub(crate) fn iso_8601(unit: TimeUnit, count: i128) -> String {
    // Units in a day, and digits behind the second.
    let (in_a_day, digits): (i128, usize) = match unit {
        TimeUnit::Generic => return count.to_string(),
        TimeUnit::Year => return format!("{:04}", 1970 + count),
        TimeUnit::Month => return format!("{:04}-{:02}", 1970 + count.div_euclid(12), count.rem_euclid(12) + 1),
        TimeUnit::Week => return date(count * 7),
        TimeUnit::Day => return date(count),
        TimeUnit::Hour => (24, 0),
        TimeUnit::Minute => (24 * 60, 0),
        TimeUnit::Second => (86_400, 0),
        TimeUnit::Millisecond => (86_400_000, 3),
        TimeUnit::Microsecond => (86_400_000_000, 6),
        TimeUnit::Nanosecond => (86_400_000_000_000, 9),
        TimeUnit::Picosecond => (86_400_000_000_000_000, 12),
        TimeUnit::Femtosecond => (86_400_000_000_000_000_000, 15),
        TimeUnit::Attosecond => (86_400_000_000_000_000_000_000, 18),
    };
    let date = date(count.div_euclid(in_a_day));
    let rest = count.rem_euclid(in_a_day);
    match unit {
        TimeUnit::Hour => format!("{date}T{rest:02}"),
        TimeUnit::Minute => format!("{date}T{:02}:{:02}", rest / 60, rest % 60),
        _ => {
            let (seconds, fraction) = (rest / (in_a_day / 86_400), rest % (in_a_day / 86_400));
            let time = format!("{date}T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
            if digits == 0 { time } else { format!("{time}.{fraction:0digits$}") }
        }
    }
}

/// The date `days` days after 1970-01-01, in ISO 8601.
fn date(days: i128) -> String {
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Days before 1970-01-01 from 0000-03-01 on. Years from March on have the leap day at their end,
/// and an era is 400 years of 146,097 days.
const EPOCH: i128 = 719_468;
const DAYS_IN_ERA: i128 = 146_097;

/// Returns year, month and day of the date `days` days after 1970-01-01.
pub(super) fn civil(days: i128) -> (i128, i128, i128) {
    let days = days + EPOCH;
    let (era, day) = (days.div_euclid(DAYS_IN_ERA), days.rem_euclid(DAYS_IN_ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next_year, month, day)
}

/// How many days after 1970-01-01 the first day of a month is.
#[cfg(any(feature = "jiff", feature = "chrono", feature = "object", test))]
pub(crate) fn days_before(year: i128, month: i128) -> i128 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    era * DAYS_IN_ERA + 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 - EPOCH
}

#[cfg(any(feature = "jiff", feature = "chrono", test))]
pub(super) mod nanoseconds {
    use super::{civil, days_before};
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
        Some(match unit {
            TimeUnit::Generic | TimeUnit::Year | TimeUnit::Month => return None,
            TimeUnit::Week => (7 * DAY, 1),
            TimeUnit::Day => (DAY, 1),
            TimeUnit::Hour => (DAY / 24, 1),
            TimeUnit::Minute => (60_000_000_000, 1),
            TimeUnit::Second => (1_000_000_000, 1),
            TimeUnit::Millisecond => (1_000_000, 1),
            TimeUnit::Microsecond => (1_000, 1),
            TimeUnit::Nanosecond => (1, 1),
            TimeUnit::Picosecond => (1, 1_000),
            TimeUnit::Femtosecond => (1, 1_000_000),
            TimeUnit::Attosecond => (1, 1_000_000_000),
        })
    }

    fn months_in(unit: TimeUnit) -> i128 {
        if unit == TimeUnit::Year { 12 } else { 1 }
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
                let (year, month, day) = civil(nanoseconds.div_euclid(DAY));
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
    use super::{civil, days_before, nanoseconds};
    use crate::format::dtype::TimeUnit;

    #[test]
    fn days_and_dates_are_inverse() {
        let mut previous = civil(-1_000_000);
        for days in -999_999..1_000_000 {
            let (year, month, day) = civil(days);
            assert!((year, month, day) > previous, "{days}");
            assert_eq!(days_before(year, month) + day - 1, days);
            previous = (year, month, day);
        }
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
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
