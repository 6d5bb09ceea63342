//! The types of Python's module `datetime`.

use crate::format::calendar::days_before;

/// The bit of the fold in Python's pickles.
const FOLD: u8 = 0x80;

/// Joins two arrays, of `N` bytes together.
fn joined<const N: usize>(first: impl IntoIterator<Item = u8>, last: impl IntoIterator<Item = u8>) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.iter_mut().zip(first.into_iter().chain(last)).for_each(|(to, from)| *to = from);
    bytes
}

/// A day: `datetime.date`.
///
/// ```
/// use npy_core::object::PyDate;
///
/// assert_eq!(PyDate::new(2024, 2, 29).map(|date| date.day()), Some(29));
/// assert_eq!(PyDate::new(2023, 2, 29), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PyDate {
    year: u16,
    month: u8,
    day: u8,
}

impl PyDate {
    /// Creates a day; `None` if it does not exist. Years are from 1 to 9999.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let is_month = (1..=9999).contains(&year) && (1..=12).contains(&month);
        let first = |month: u8| days_before(year.into(), month.into());
        let is_day = is_month && (1..=first(month + 1) - first(month)).contains(&day.into());
        is_day.then_some(Self { year, month, day })
    }

    /// Returns the year, from 1 to 9999.
    pub fn year(self) -> u16 {
        self.year
    }

    /// Returns the month, from 1 to 12.
    pub fn month(self) -> u8 {
        self.month
    }

    /// Returns the day of the month, from 1 to 31.
    pub fn day(self) -> u8 {
        self.day
    }

    /// Returns the days since 1970-01-01.
    ///
    /// ```
    /// # use npy_core::object::PyDate;
    /// assert_eq!(PyDate::new(1970, 2, 1).map(PyDate::days_since_1970), Some(31));
    /// ```
    pub fn days_since_1970(self) -> i64 {
        let first = days_before(self.year.into(), self.month.into());
        i64::try_from(first).unwrap_or_default().saturating_add(i64::from(self.day)).saturating_sub(1)
    }

    /// Decodes the four bytes of Python's pickles.
    pub(crate) fn from_bytes(bytes: [u8; 4]) -> Option<Self> {
        let [high, low, month, day] = bytes;
        Self::new(u16::from_be_bytes([high, low]), month, day)
    }

    pub(crate) fn to_bytes(self) -> [u8; 4] {
        let [high, low] = self.year.to_be_bytes();
        [high, low, self.month, self.day]
    }
}

/// A time of day: `datetime.time`.
///
/// ```
/// use npy_core::object::PyTime;
///
/// assert_eq!(PyTime::new(23, 59, 59, 999_999).map(|time| time.hour()), Some(23));
/// assert_eq!(PyTime::new(24, 0, 0, 0), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PyTime {
    hour: u8,
    minute: u8,
    second: u8,
    microsecond: u32,
    fold: bool,
    zone: Option<PyTimeZone>,
}

impl PyTime {
    /// Creates a time of day; `None` if it is invalid. The second is below 60.
    pub fn new(hour: u8, minute: u8, second: u8, microsecond: u32) -> Option<Self> {
        let is_time = hour < 24 && minute < 60 && second < 60 && microsecond < 1_000_000;
        is_time.then_some(Self { hour, minute, second, microsecond, fold: false, zone: None })
    }

    /// Sets the time zone.
    #[must_use]
    pub fn with_zone(mut self, zone: PyTimeZone) -> Self {
        self.zone = Some(zone);
        self
    }

    /// Marks the time as the second of two with the same reading of the clock (Python's `fold=1`).
    #[must_use]
    pub fn with_fold(mut self) -> Self {
        self.fold = true;
        self
    }

    /// Returns the hour, from 0 to 23.
    pub fn hour(&self) -> u8 {
        self.hour
    }

    /// Returns the minute, from 0 to 59.
    pub fn minute(&self) -> u8 {
        self.minute
    }

    /// Returns the second, from 0 to 59.
    pub fn second(&self) -> u8 {
        self.second
    }

    /// Returns the microsecond, from 0 to 999,999.
    pub fn microsecond(&self) -> u32 {
        self.microsecond
    }

    /// Returns whether the time is the second of two with the same reading of the clock.
    pub fn fold(&self) -> bool {
        self.fold
    }

    /// Returns the time zone, if there is one.
    pub fn zone(&self) -> Option<&PyTimeZone> {
        self.zone.as_ref()
    }

    /// Decodes the six bytes of Python's pickles. The highest bit of the first is the fold.
    pub(crate) fn from_bytes([hour, minute, second, a, b, c]: [u8; 6], zone: Option<PyTimeZone>) -> Option<Self> {
        let time = Self::new(hour & !FOLD, minute, second, u32::from_be_bytes([0, a, b, c]))?;
        Some(Self { fold: hour & FOLD != 0, zone, ..time })
    }

    pub(crate) fn to_bytes(&self) -> [u8; 6] {
        let [_, a, b, c] = self.microsecond.to_be_bytes();
        [self.hour | if self.fold { FOLD } else { 0 }, self.minute, self.second, a, b, c]
    }
}

/// A day and a time of day: `datetime.datetime`.
///
/// ```
/// use npy_core::object::{PyDate, PyDateTime, PyTime};
///
/// let (date, time) = (PyDate::new(2024, 2, 29), PyTime::new(12, 30, 0, 0));
/// let noon = date.zip(time).map(|(date, time)| PyDateTime::new(date, time));
/// assert_eq!(noon.map(|noon| noon.time().minute()), Some(30));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PyDateTime {
    date: PyDate,
    time: PyTime,
}

impl PyDateTime {
    /// Combines a day and a time of day.
    pub fn new(date: PyDate, time: PyTime) -> Self {
        Self { date, time }
    }

    /// Returns the day.
    pub fn date(&self) -> PyDate {
        self.date
    }

    /// Returns the time of day, with its time zone.
    pub fn time(&self) -> &PyTime {
        &self.time
    }

    /// Returns the microseconds since 1970-01-01T00:00, without regard to the time zone.
    ///
    /// ```
    /// # use npy_core::object::{PyDate, PyDateTime, PyTime};
    /// let (date, time) = (PyDate::new(1970, 1, 2), PyTime::new(0, 0, 1, 5));
    /// let moment = date.zip(time).map(|(date, time)| PyDateTime::new(date, time));
    /// assert_eq!(moment.map(|moment| moment.microseconds_since_1970()), Some(86_401_000_005));
    /// ```
    pub fn microseconds_since_1970(&self) -> i64 {
        let PyTime { hour, minute, second, microsecond, .. } = self.time;
        // Less than 10¹⁸ for the years 1 to 9999.
        let units = [(24, hour.into()), (60, minute.into()), (60, second.into()), (1_000_000, i64::from(microsecond))];
        units.iter().fold(self.date.days_since_1970(), |all, (length, rest)| all.saturating_mul(*length).saturating_add(*rest))
    }

    /// Decodes the ten bytes of Python's pickles. The highest bit of the month is the fold.
    pub(crate) fn from_bytes(bytes: [u8; 10], zone: Option<PyTimeZone>) -> Option<Self> {
        let [high, low, month, day, hour, rest @ ..] = bytes;
        let date = PyDate::from_bytes([high, low, month & !FOLD, day])?;
        // The hour has the bit only in a time without a date.
        let hour = Some(hour).filter(|hour| hour & FOLD == 0)? | month & FOLD;
        Some(Self { date, time: PyTime::from_bytes(joined([hour], rest), zone)? })
    }

    pub(crate) fn to_bytes(&self) -> [u8; 10] {
        let mut bytes = joined(self.date.to_bytes(), self.time.to_bytes());
        (bytes[2], bytes[4]) = (bytes[2] | bytes[4] & FOLD, bytes[4] & !FOLD);
        bytes
    }
}

/// A span of time: `datetime.timedelta`.
///
/// ```
/// use npy_core::object::PyTimeDelta;
///
/// // An hour ago.
/// assert_eq!(PyTimeDelta::new(-1, 23 * 3600, 0).map(|delta| delta.days()), Some(-1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PyTimeDelta {
    days: i32,
    seconds: u32,
    microseconds: u32,
}

impl PyTimeDelta {
    /// Creates a duration of at most 999,999,999 days in either direction, seconds of a day and
    /// microseconds of a second.
    pub fn new(days: i32, seconds: u32, microseconds: u32) -> Option<Self> {
        let is_valid = days.unsigned_abs() < 1_000_000_000 && seconds < 86_400 && microseconds < 1_000_000;
        is_valid.then_some(Self { days, seconds, microseconds })
    }

    /// Returns the whole days, rounded down.
    pub fn days(self) -> i32 {
        self.days
    }

    /// Returns the seconds beyond the days.
    pub fn seconds(self) -> u32 {
        self.seconds
    }

    /// Returns the microseconds beyond the seconds.
    pub fn microseconds(self) -> u32 {
        self.microseconds
    }

    /// Returns the whole duration in microseconds.
    ///
    /// ```
    /// # use npy_core::object::PyTimeDelta;
    /// assert_eq!(PyTimeDelta::new(-1, 0, 5).map(PyTimeDelta::total_microseconds), Some(-86_399_999_995));
    /// ```
    pub fn total_microseconds(self) -> i128 {
        let seconds = i128::from(self.days).saturating_mul(86_400).saturating_add(i128::from(self.seconds));
        seconds.saturating_mul(1_000_000).saturating_add(i128::from(self.microseconds))
    }
}

/// A fixed distance from UTC: `datetime.timezone`.
///
/// ```
/// use npy_core::object::{PyTimeDelta, PyTimeZone};
///
/// let offset = PyTimeDelta::new(0, 3600, 0);
/// assert!(offset.and_then(|offset| PyTimeZone::new(offset, Some("CET".to_owned()))).is_some());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PyTimeZone {
    offset: PyTimeDelta,
    name: Option<String>,
}

impl PyTimeZone {
    /// Creates a time zone with an offset from UTC of less than a day.
    pub fn new(offset: PyTimeDelta, name: Option<String>) -> Option<Self> {
        let is_below_a_day = match offset.days {
            0 => true,
            -1 => offset.seconds > 0 || offset.microseconds > 0,
            _ => false,
        };
        is_below_a_day.then_some(Self { offset, name })
    }

    /// Returns the offset from UTC.
    pub fn offset(&self) -> PyTimeDelta {
        self.offset
    }

    /// Returns the name, if there is one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_survive_the_bytes_of_python() {
        let (date, time) = (PyDate::new(2024, 12, 31).unwrap(), PyTime::new(23, 59, 1, 999_999).unwrap());
        for time in [time.clone().with_fold(), time] {
            let (fold, bytes) = (u8::from(time.fold()) << 7, time.to_bytes());
            assert_eq!(bytes, [0x17 | fold, 59, 1, 0x0f, 0x42, 0x3f]);
            assert_eq!(PyTime::from_bytes(bytes, None).as_ref(), Some(&time));
            let moment = PyDateTime::new(date, time);
            let bytes = moment.to_bytes();
            assert_eq!(bytes, [0x07, 0xe8, 0x0c | fold, 31, 23, 59, 1, 0x0f, 0x42, 0x3f]);
            assert_eq!(PyDateTime::from_bytes(bytes, None).as_ref(), Some(&moment));
        }
        assert_eq!(PyTime::from_bytes([24, 0, 0, 0, 0, 0], None), None);
        assert_eq!(PyDateTime::from_bytes([7, 0xe8, 12, 31, 0x80, 0, 0, 0, 0, 0], None), None);
    }
}
