//! The lengths of NumPy's units of time, and how they relate to each other.

use npy_core::dtype::TimeUnit;

/// In attoseconds.
pub(crate) const SECOND: i128 = 1_000_000_000_000_000_000;

/// The length of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// Of the calendar, so that it is not a fixed time.
    Months(i128),
    Attoseconds(i128),
}

/// The length of a unit; `None` for the generic one.
pub(crate) fn length_of(unit: TimeUnit) -> Option<Length> {
    Some(Length::Attoseconds(match unit {
        TimeUnit::Generic => return None,
        TimeUnit::Year => return Some(Length::Months(12)),
        TimeUnit::Month => return Some(Length::Months(1)),
        TimeUnit::Week => 604_800 * SECOND,
        TimeUnit::Day => 86_400 * SECOND,
        TimeUnit::Hour => 3600 * SECOND,
        TimeUnit::Minute => 60 * SECOND,
        TimeUnit::Second => SECOND,
        TimeUnit::Millisecond => SECOND / 1000,
        TimeUnit::Microsecond => SECOND / 1_000_000,
        TimeUnit::Nanosecond => SECOND / 1_000_000_000,
        TimeUnit::Picosecond => 1_000_000,
        TimeUnit::Femtosecond => 1000,
        TimeUnit::Attosecond => 1,
    }))
}

/// The attoseconds of a unit; `None` where their number varies.
pub(crate) fn attoseconds_of(unit: TimeUnit) -> Option<i128> {
    match length_of(unit) {
        Some(Length::Attoseconds(length)) => Some(length),
        _ => None,
    }
}

/// The seconds of a unit; `None` where their number varies.
#[cfg(feature = "plot")]
pub(crate) fn seconds_of(unit: TimeUnit) -> Option<f64> {
    attoseconds_of(unit).map(|length| length as f64 / SECOND as f64)
}

/// The shorter of two units that have a fixed length.
pub(crate) fn finer(a: TimeUnit, b: TimeUnit) -> TimeUnit {
    if attoseconds_of(b) < attoseconds_of(a) { b } else { a }
}

/// What steps of two units, each of some of them, are multiplied by to be steps of the same length. `None` for months and days.
pub(crate) fn factors((a, a_count): (TimeUnit, u32), (b, b_count): (TimeUnit, u32)) -> Option<(i128, i128)> {
    let (a_length, b_length) = if a == b {
        (1, 1)
    } else {
        match (length_of(a)?, length_of(b)?) {
            (Length::Months(a), Length::Months(b)) | (Length::Attoseconds(a), Length::Attoseconds(b)) => (a, b),
            _ => return None,
        }
    };
    let (a, b) = (a_length * i128::from(a_count), b_length * i128::from(b_count));
    let divisor = greatest_divisor(a, b);
    Some((a / divisor, b / divisor))
}

/// The greatest number that divides both.
pub(crate) fn greatest_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// How many days after 1970-01-01 the first day of a month is. Years from March on have the leap day at their end.
pub(crate) fn days_before(year: i128, month: i128) -> i128 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 - 719_468
}

/// A point in time, of steps of a unit since 1970: the days, and the attoseconds since midnight. `None` for the generic unit.
pub(crate) fn moment((unit, count): (TimeUnit, u32), steps: i64) -> Option<(i128, i128)> {
    const DAY: i128 = 86_400 * SECOND;
    let units = i128::from(steps) * i128::from(count);
    Some(match length_of(unit)? {
        Length::Months(length) => {
            let months = units * length;
            (days_before(1970 + months.div_euclid(12), months.rem_euclid(12) + 1), 0)
        }
        Length::Attoseconds(length) if length >= DAY => (units * (length / DAY), 0),
        Length::Attoseconds(length) => (units.div_euclid(DAY / length), units.rem_euclid(DAY / length) * length),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_factors_unless_their_ratio_varies() {
        use TimeUnit::{Attosecond, Day, Generic, Minute, Month, Nanosecond, Second, Week, Year};
        assert_eq!(factors((Minute, 2), (Second, 30)), Some((4, 1)));
        assert_eq!(factors((Nanosecond, 1), (Second, 1)), Some((1, 1_000_000_000)));
        assert_eq!(factors((Year, 1), (Month, 5)), Some((12, 5)));
        assert_eq!(factors((Month, 1), (Day, 1)), None);
        assert_eq!((factors((Generic, 2), (Generic, 4)), factors((Generic, 1), (Day, 1))), (Some((1, 2)), None));
        assert!(factors((Week, u32::MAX), (Attosecond, 1)).is_some());
        assert_eq!((finer(Day, Second), finer(Second, Day)), (Second, Second));
    }
}
