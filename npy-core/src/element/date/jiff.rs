//! The types of `jiff`.

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Timestamp};

use super::{
    As, ByteOrder, Bytes, Codec, DType, Datetime64, Layout, NpyElement, Planner, Result, Sends, Time, TimePlan, TimeUnit,
    Timedelta64, Unit, ValueError, decode, encode, layout, nanoseconds, ordered_dtype, plan, unit,
};
use crate::format::calendar::date_of;

/// The date `days` days after 1970-01-01.
fn date(days: i128) -> Option<Date> {
    let (year, month, day) = date_of(days);
    Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
}

impl Time for Timestamp {
    const IS_SPAN: bool = false;

    fn from_nanoseconds(nanoseconds: i128) -> Option<Self> {
        Self::from_nanosecond(nanoseconds).ok()
    }

    fn to_nanoseconds(&self) -> Option<i128> {
        Some(self.as_nanosecond())
    }
}

impl Time for DateTime {
    const IS_SPAN: bool = false;

    fn from_nanoseconds(nanoseconds: i128) -> Option<Self> {
        let date = date(nanoseconds.div_euclid(nanoseconds::DAY))?;
        let rest = nanoseconds.rem_euclid(nanoseconds::DAY);
        let second = rest / 1_000_000_000;
        let (hour, minute) = (i8::try_from(second / 3600).ok()?, i8::try_from(second / 60 % 60).ok()?);
        let (second, fraction) = (i8::try_from(second % 60).ok()?, i32::try_from(rest % 1_000_000_000).ok()?);
        Self::new(date.year(), date.month(), date.day(), hour, minute, second, fraction).ok()
    }

    fn to_nanoseconds(&self) -> Option<i128> {
        let seconds = (i128::from(self.hour()) * 60 + i128::from(self.minute())) * 60 + i128::from(self.second());
        Some(self.date().to_nanoseconds()? + seconds * 1_000_000_000 + i128::from(self.subsec_nanosecond()))
    }
}

impl Time for Date {
    const IS_SPAN: bool = false;
    const GRAIN: i128 = nanoseconds::DAY;

    fn from_nanoseconds(nanoseconds: i128) -> Option<Self> {
        date(nanoseconds / nanoseconds::DAY)
    }

    fn to_nanoseconds(&self) -> Option<i128> {
        let months = (i128::from(self.year()) - 1970) * 12 + i128::from(self.month()) - 1;
        let first = nanoseconds::of_units(TimeUnit::Month, months).ok()?;
        Some(first + (i128::from(self.day()) - 1) * nanoseconds::DAY)
    }
}

impl Time for SignedDuration {
    const IS_SPAN: bool = true;

    fn from_nanoseconds(nanoseconds: i128) -> Option<Self> {
        let seconds = i64::try_from(nanoseconds / 1_000_000_000).ok()?;
        Some(Self::new(seconds, i32::try_from(nanoseconds % 1_000_000_000).ok()?))
    }

    fn to_nanoseconds(&self) -> Option<i128> {
        Some(self.as_nanos())
    }
}

time_element! {
    /// Reads `M8` of every unit, and writes `M8[ns]`, which reaches from 1677 to 2262;
    /// `#[npy(dtype = "M8[us]")]` reaches further. NaT is an error, and `None` for an `Option`.
    Timestamp, Datetime64, Nanosecond
}

time_element! {
    /// Reads `M8` of every unit, and writes `M8[ns]`, which reaches from 1677 to 2262;
    /// `#[npy(dtype = "M8[us]")]` reaches further. NaT is an error, and `None` for an `Option`.
    DateTime, Datetime64, Nanosecond
}

time_element! {
    /// Reads `M8` of every unit if the time of day is midnight, and writes `M8[D]`. NaT is an
    /// error, and `None` for an `Option`.
    Date, Datetime64, Day
}

time_element! {
    /// Reads `m8` of every unit but years and months, and writes `m8[ns]`. NaT is an error, and
    /// `None` for an `Option`.
    SignedDuration, Timedelta64, Nanosecond
}
