//! Ticks of times on the calendar, and of spans in the largest unit that divides their steps.

use npy_core::DType;
use npy_core::calendar::{date_of, days_before, iso_8601};
use npy_core::dtype::{Scalar, TimeUnit};
use npy_core::scalar::Class;

use crate::values::fields;
use crate::values::reals::with_digits;
use crate::values::units::{Length, SECOND, length_of, moment};

/// The times of an axis. Its numbers are the steps from the first of them, so that `f64` tells nanoseconds apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    unit: TimeUnit,
    count: u32,
    are_points: bool,
    pub(crate) origin: i64,
}

const MINUTE: i128 = 60 * SECOND;
const HOUR: i128 = 60 * MINUTE;
const DAY: i128 = 24 * HOUR;

impl Times {
    /// Of a dtype of times; `None` for others.
    pub(crate) fn new(dtype: &DType, origin: i64) -> Option<Self> {
        let scalar: Scalar = fields::scalar_of(dtype)?;
        let (unit, count) = scalar.time_unit()?;
        Some(Self { unit, count, are_points: scalar.class() == Class::Datetime, origin })
    }

    /// The same times, counted from another one.
    pub(super) fn since(self, origin: i64) -> Self {
        Self { origin, ..self }
    }

    /// About `count` ticks between two numbers of the axis.
    pub(super) fn ticks(&self, least: f64, most: f64, count: usize) -> Vec<(f64, String)> {
        // A range that begins just behind a tick has less of them.
        let tries = (count..count + 4).map(|count| self.exactly(least, most, count.max(1)));
        tries.reduce(|last, next| if last.len() < 2 { next } else { last }).unwrap_or_default()
    }

    fn exactly(&self, least: f64, most: f64, count: usize) -> Vec<(f64, String)> {
        let step = (most - least) / count as f64;
        match length_of(self.unit) {
            Some(Length::Months(length)) if self.are_points => {
                let months = (i128::from(self.count) * length) as f64;
                self.months((least, most), ((step * months).ceil().max(1.0), count))
            }
            Some(Length::Attoseconds(length)) if self.are_points => {
                let step = step * (length * i128::from(self.count)) as f64;
                match clock_step(step) {
                    Some(step) => self.clock((least, most), (step, count)),
                    None if step <= 15.5 * DAY as f64 => self.days((least, most), step / DAY as f64),
                    None => self.months((least, most), (step / (30.5 * DAY as f64), count)),
                }
            }
            Some(Length::Attoseconds(length)) => match i128::from(self.origin).checked_mul(length * i128::from(self.count)) {
                Some(origin) => spans((least, most), (length * i128::from(self.count), origin), (step, count)),
                None => self.plain((least, most), (step, count)),
            },
            _ => self.plain((least, most), (step, count)),
        }
    }

    /// Whole numbers of the unit.
    fn plain(&self, (least, most): (f64, f64), (step, count): (f64, usize)) -> Vec<(f64, String)> {
        let (factor, origin) = (f64::from(self.count), self.origin as f64 * f64::from(self.count));
        let step = nice_step((step * factor).max(1.0));
        let first = ((origin + least * factor) / step).ceil();
        let numbers = (0..count * 2 + 2).map(|index| (first + index as f64) * step);
        let symbol = if self.unit == TimeUnit::Generic { String::new() } else { format!(" {}", self.unit.symbol()) };
        let ticks = numbers.map(|number| ((number - origin) / factor, with_digits(number, 17) + &symbol));
        ticks.take_while(|(number, _)| *number <= most).collect()
    }

    /// The point in time of a number.
    fn moment(&self, number: f64) -> (i128, i128) {
        #[allow(clippy::cast_possible_truncation, reason = "saturates")]
        let steps = self.origin.saturating_add(number.floor() as i64);
        moment((self.unit, self.count), steps).unwrap_or_default()
    }

    /// The number of a point in time, which is on an axis of days or less.
    fn number(&self, (days, rest): (i128, i128)) -> f64 {
        let (first, before) = self.moment(0.0);
        let exact = (days - first).checked_mul(DAY).and_then(|length| length.checked_add(rest - before));
        let length = exact.map_or_else(|| (days - first) as f64 * DAY as f64, |length| length as f64);
        match length_of(self.unit) {
            Some(Length::Attoseconds(step)) => length / (step * i128::from(self.count)) as f64,
            _ => f64::NAN,
        }
    }

    /// Times of the day, with the date where it is another.
    fn clock(&self, (least, most): (f64, f64), (step, count): (i128, usize)) -> Vec<(f64, String)> {
        let (day, rest) = self.moment(least);
        let first = up(rest, step);
        let unit = [(MINUTE, TimeUnit::Minute), (SECOND, TimeUnit::Second), (SECOND / 1_000, TimeUnit::Millisecond)];
        let finer = [
            (SECOND / 1_000_000, TimeUnit::Microsecond),
            (SECOND / 1_000_000_000, TimeUnit::Nanosecond),
            (1_000_000, TimeUnit::Picosecond),
            (1_000, TimeUnit::Femtosecond),
        ];
        let units = unit.into_iter().chain(finer).find(|(length, _)| step % length == 0);
        let (length, unit) = units.unwrap_or((1, TimeUnit::Attosecond));
        let mut date = String::new();
        let times = (0..count * 2 + 2).map(|index| {
            let rest = first + step * index as i128;
            let (day, rest) = (day + rest.div_euclid(DAY), rest.rem_euclid(DAY));
            (self.number((day, rest)), iso_8601(unit, day.saturating_mul(DAY / length).saturating_add(rest / length)))
        });
        let on_axis = times.skip_while(|(number, _)| *number < least).take_while(|(number, _)| *number <= most);
        let texts = on_axis.map(|(number, text)| {
            let (day, time) = text.split_once('T').unwrap_or((&text, ""));
            let shown = if day == date { time.to_owned() } else { text.clone() };
            day.clone_into(&mut date);
            (number, shown)
        });
        texts.collect()
    }

    /// Days of the month, from the first on.
    fn days(&self, (least, most): (f64, f64), step: f64) -> Vec<(f64, String)> {
        let step = [1, 2, 5, 10].into_iter().find(|days| *days as f64 >= step * 0.999_999).unwrap_or(10);
        let (mut year, mut month, _) = date_of(self.moment(least).0);
        let end_of_axis = self.moment(most).0;
        let mut ticks = Vec::new();
        loop {
            let (begin, end) = (days_before(year, month), days_before(year, month + 1));
            if begin > end_of_axis {
                return ticks;
            }
            // The last one is not close to the first of the next month.
            let days = (begin..end).step_by(usize::try_from(step).unwrap_or(1)).filter(|day| (end - day) * 2 > step);
            let on_axis = days.map(|day| (self.number((day, 0)), day)).filter(|(number, _)| (least..=most).contains(number));
            ticks.extend(on_axis.map(|(number, day)| (number, iso_8601(TimeUnit::Day, day))));
            (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        }
    }

    /// Months, or years.
    fn months(&self, (least, most): (f64, f64), (step, count): (f64, usize)) -> Vec<(f64, String)> {
        let step = match [1, 2, 3, 6, 12].into_iter().find(|months| *months as f64 >= step * 0.999_999) {
            Some(step) => step,
            None => whole(nice_step(step / 12.0)).saturating_mul(12),
        };
        let month_of = |number: f64| {
            let (year, month, _) = date_of(self.moment(number).0);
            year * 12 + month - 1
        };
        let first = up(month_of(least), step);
        let number = |month: i128| match length_of(self.unit) {
            Some(Length::Months(length)) => {
                let length = length * i128::from(self.count);
                (month - 1970 * 12 - i128::from(self.origin) * length) as f64 / length as f64
            }
            _ => self.number((days_before(month.div_euclid(12), month.rem_euclid(12) + 1), 0)),
        };
        let (unit, length) = if step % 12 == 0 { (TimeUnit::Year, 12) } else { (TimeUnit::Month, 1) };
        let months = (0..count * 2 + 2).map(|index| first + step * index as i128);
        let ticks = months.map(|month| (number(month), iso_8601(unit, (month - 1970 * 12).div_euclid(length))));
        ticks.skip_while(|(number, _)| *number < least).take_while(|(number, _)| *number <= most).collect()
    }
}

/// Spans, in the largest unit that is not longer than the step.
fn spans((least, most): (f64, f64), (length, origin): (i128, i128), (step, count): (f64, usize)) -> Vec<(f64, String)> {
    const UNITS: [(i128, &str); 10] = [
        (DAY, "d"),
        (HOUR, "h"),
        (MINUTE, "min"),
        (SECOND, "s"),
        (SECOND / 1_000, "ms"),
        (SECOND / 1_000_000, "µs"),
        (SECOND / 1_000_000_000, "ns"),
        (1_000_000, "ps"),
        (1_000, "fs"),
        (1, "as"),
    ];
    let step = step * length as f64;
    let step = clock_step(step).unwrap_or_else(|| whole(nice_step(step / DAY as f64)).saturating_mul(DAY)).max(1);
    let (unit, symbol) = UNITS.into_iter().find(|(unit, _)| *unit <= step).unwrap_or((1, "as"));
    let first = up(origin.saturating_add(whole(least * length as f64)), step);
    let numbers = (0..count * 2 + 2).map(|index| first.saturating_add(step.saturating_mul(index as i128)));
    let ticks = numbers.map(|number| (number.saturating_sub(origin) as f64 / length as f64, format!("{} {symbol}", number / unit)));
    ticks.skip_while(|(number, _)| *number < least).take_while(|(number, _)| *number <= most).collect()
}

/// The least of 1, 2, 5, 10, … that is not below this.
pub(super) fn nice_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= least * 0.999_999).unwrap_or(least)
}

/// The least step of clocks, in attoseconds, that is not below this; `None` for days and more.
fn clock_step(least: f64) -> Option<i128> {
    const PARTS: [(i128, &[i128]); 3] =
        [(SECOND, &[1, 2, 5, 10, 15, 30]), (MINUTE, &[1, 2, 5, 10, 15, 30]), (HOUR, &[1, 2, 3, 6, 12])];
    let below = (0..18).flat_map(|power| [1, 2, 5].map(|factor| factor * 10_i128.pow(power)));
    let steps = below.chain(PARTS.into_iter().flat_map(|(unit, counts)| counts.iter().map(move |count| unit * count)));
    steps.into_iter().find(|step| *step as f64 >= least * 0.999_999)
}

/// The least multiple of a step that is not below a number.
fn up(number: i128, step: i128) -> i128 {
    let rest = number.rem_euclid(step);
    if rest == 0 { number } else { number.saturating_add(step - rest) }
}

#[allow(clippy::cast_possible_truncation, reason = "saturates")]
fn whole(number: f64) -> i128 {
    number.round() as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(dtype: &str, origin: i64, range: (f64, f64), count: usize) -> Vec<String> {
        let times = Times::new(&dtype.parse().unwrap(), origin).unwrap();
        let ticks = times.ticks(range.0, range.1, count);
        assert!(ticks.iter().all(|(number, _)| (range.0..=range.1).contains(number)), "{ticks:?}");
        ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn points_in_time_are_marked_where_calendars_and_clocks_are_read() {
        let day = 86_400.0;
        assert_eq!(texts("<M8[s]", 10, (0.0, 9000.0), 4), ["1970-01-01T01:00", "02:00"]);
        assert_eq!(texts("<M8[s]", 0, (0.0, 3e5), 4), ["1970-01-01", "1970-01-02", "1970-01-03", "1970-01-04"]);
        // 2024-02-20 to 2024-03-12: February has 29 days.
        let begin = 1_708_387_200;
        assert_eq!(
            texts("<M8[s]", begin, (0.0, 21.0 * day), 5),
            ["2024-02-21", "2024-02-26", "2024-03-01", "2024-03-06", "2024-03-11"]
        );
        assert_eq!(texts("<M8[s]", begin, (0.0, 130.0 * day), 5), ["2024-03", "2024-04", "2024-05", "2024-06"]);
        assert_eq!(texts("<M8[D]", 19_773, (0.0, 4000.0), 6), ["2026", "2028", "2030", "2032", "2034"]);
        assert_eq!(texts("<M8[Y]", -500, (0.0, 30.0), 3), ["1470", "1480", "1490", "1500"]);
        assert_eq!(texts("<M8[M]", 1, (0.0, 12.0), 3), ["1970-07", "1971-01"]);
        // Across midnight the date is another; nanoseconds are told apart.
        let night = 86_400 * 365 - 60;
        assert_eq!(texts("<M8[s]", night, (0.0, 120.0), 2), ["1970-12-31T23:59", "1971-01-01T00:00", "00:01"]);
        let found = texts("<M8[ns]", 1_700_000_000_000_000_001, (0.0, 20.0), 2);
        assert_eq!(found, ["2023-11-14T22:13:20.000000010", "22:13:20.000000020"]);
        // The ends of all times.
        for unit in ["Y", "M", "W", "D", "h", "s", "ns", "as"] {
            for origin in [i64::MIN + 1, i64::MAX] {
                for width in [1.0, 1e10, 1.8e19] {
                    for class in ["M8", "m8"] {
                        assert!(texts(&format!("<{class}[{unit}]"), origin, (-width, width), 5).len() < 20);
                    }
                }
            }
        }
    }

    #[test]
    fn spans_have_the_unit_of_their_steps() {
        assert_eq!(texts("<m8[s]", 0, (0.0, 100.0), 4), ["0 s", "30 s", "60 s", "90 s"]);
        assert_eq!(texts("<m8[s]", 30, (-30.0, 7000.0), 4), ["0 min", "30 min", "60 min", "90 min"]);
        assert_eq!(texts("<m8[25ms]", 0, (0.0, 8.0), 4), ["0 ms", "50 ms", "100 ms", "150 ms", "200 ms"]);
        assert_eq!(texts("<m8[ns]", i64::MAX - 20, (0.0, 20.0), 2).len(), 2);
        assert_eq!(texts("<m8[Y]", 2, (0.0, 5.0), 5), ["2 Y", "3 Y", "4 Y", "5 Y", "6 Y", "7 Y"]);
        assert_eq!(texts("<m8", 0, (0.0, 10.0), 2), ["0", "5", "10"]);
    }
}
