//! The lengths of NumPy's units of time, how they relate to each other, and times as text.

use npy_core::calendar::days_before;
use npy_core::dtype::{Scalar, TimeUnit};
use npy_core::{DType, DynValues, Order};

/// A time of this number of steps, as NumPy prints it.
pub(crate) fn time_text(scalar: Scalar, steps: i64) -> String {
    let mut bytes = vec![0; scalar.itemsize()];
    scalar.encode_integer(steps.into(), &mut bytes);
    DynValues::new(DType::Scalar(scalar), Order::C, &[], bytes).map_or_else(|_| steps.to_string(), |values| values.to_string())
}

/// In attoseconds.
pub(crate) const SECOND: i128 = 1_000_000_000_000_000_000;

/// In attoseconds.
pub(crate) const DAY: i128 = 86_400 * SECOND;

/// The length of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// Of the calendar, so that it is not a fixed time.
    Months(i128),
    Attoseconds(i128),
}

/// The length of a unit; `None` for the generic one.
pub(crate) fn length_of(unit: TimeUnit) -> Option<Length> {
    unit.attoseconds().map(Length::Attoseconds).or_else(|| unit.months().map(Length::Months))
}

/// The names by which pandas calls units too.
const SPELLINGS: [(&str, &[&str]); 10] = [
    ("Y", &["year"]),
    ("M", &["month"]),
    ("W", &["week"]),
    ("D", &["day"]),
    ("h", &["hour", "hr"]),
    ("m", &["minute", "min"]),
    ("s", &["second", "sec"]),
    ("ms", &["millisecond", "milli"]),
    ("us", &["microsecond", "micro", "µs", "μs"]),
    ("ns", &["nanosecond", "nano"]),
];

/// NumPy's name of a unit of which this is a name, as `min` and `minutes` are; another text as it is.
pub(crate) fn unit_of(name: &str) -> &str {
    let singular = name.strip_suffix('s').filter(|singular| singular.len() > 1).unwrap_or(name);
    let found = SPELLINGS.iter().find(|(_, others)| others.contains(&name) || others.contains(&singular));
    found.map_or(name, |(unit, _)| unit)
}

/// The shorter of two units that have a fixed length.
pub(crate) fn finer(a: TimeUnit, b: TimeUnit) -> TimeUnit {
    if b.attoseconds() < a.attoseconds() { b } else { a }
}

/// The factors that convert steps of two units, with their counts, to steps of the same length. `None` for months and days.
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

/// A point in time, of steps of a unit since 1970: the days, and the attoseconds since midnight. `None` for the generic unit.
pub(crate) fn moment((unit, count): (TimeUnit, u32), steps: i64) -> Option<(i128, i128)> {
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
    fn units_have_the_names_of_pandas_too() {
        for (name, unit) in
            [("min", "m"), ("minutes", "m"), ("hrs", "h"), ("day", "D"), ("ms", "ms"), ("as", "as"), ("M", "M"), ("x", "x")]
        {
            assert_eq!(unit_of(name), unit);
        }
    }

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
