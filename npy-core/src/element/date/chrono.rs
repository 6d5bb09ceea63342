//! The types of `chrono`.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, TimeDelta, Utc};

use super::{
    As, ByteOrder, Bytes, Codec, DType, Datetime64, Layout, NpyElement, Planner, Result, Sends, Time, TimePlan, TimeUnit,
    Timedelta64, Unit, ValueError, decode, encode, layout, nanoseconds, ordered_dtype, plan, unit,
};
use crate::format::calendar::date_of;

/// Nanoseconds in a second.
const SECOND: i128 = 1_000_000_000;

impl Time for DateTime<Utc> {
    const IS_SPAN: bool = false;

    fn from_nanoseconds(nanoseconds: i128) -> Option<Self> {
        let seconds = i64::try_from(nanoseconds.div_euclid(SECOND)).ok()?;
        Self::from_timestamp(seconds, u32::try_from(nanoseconds.rem_euclid(SECOND)).ok()?)
    }

    fn to_nanoseconds(&self) -> Option<i128> {
        // A leap second has more than a second's nanoseconds.
        let fraction = Some(i128::from(self.timestamp_subsec_nanos())).filter(|fraction| *fraction < SECOND)?;
        Some(i128::from(self.timestamp()) * SECOND + fraction)
    }
}

impl Time for NaiveDateTime {
    const IS_SPAN: bool = false;

    fn from_nanoseconds(nanoseconds: i128) -> Option<Self> {
        DateTime::<Utc>::from_nanoseconds(nanoseconds).map(|time| time.naive_utc())
    }

    fn to_nanoseconds(&self) -> Option<i128> {
        self.and_utc().to_nanoseconds()
    }
}

impl Time for NaiveDate {
    const IS_SPAN: bool = false;
    const GRAIN: i128 = nanoseconds::DAY;

    fn from_nanoseconds(nanoseconds: i128) -> Option<Self> {
        let (year, month, day) = date_of(nanoseconds / nanoseconds::DAY);
        Self::from_ymd_opt(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?)
    }

    fn to_nanoseconds(&self) -> Option<i128> {
        let months = (i128::from(self.year()) - 1970) * 12 + i128::from(self.month0());
        Some(nanoseconds::of_units(TimeUnit::Month, months).ok()? + i128::from(self.day0()) * nanoseconds::DAY)
    }
}

impl Time for TimeDelta {
    const IS_SPAN: bool = true;

    fn from_nanoseconds(nanoseconds: i128) -> Option<Self> {
        let seconds = i64::try_from(nanoseconds.div_euclid(SECOND)).ok()?;
        Self::new(seconds, u32::try_from(nanoseconds.rem_euclid(SECOND)).ok()?)
    }

    fn to_nanoseconds(&self) -> Option<i128> {
        Some(i128::from(self.num_seconds()) * SECOND + i128::from(self.subsec_nanos()))
    }
}

time_element! {
    /// Reads `M8` of every unit, and writes `M8[ns]`, which reaches from 1677 to 2262;
    /// `#[npy(dtype = "M8[us]")]` reaches further. NaT is an error, and `None` for an `Option`.
    DateTime<Utc>, Datetime64, Nanosecond
}

time_element! {
    /// Reads `M8` of every unit, and writes `M8[ns]`, which reaches from 1677 to 2262;
    /// `#[npy(dtype = "M8[us]")]` reaches further. NaT is an error, and `None` for an `Option`.
    NaiveDateTime, Datetime64, Nanosecond
}

time_element! {
    /// Reads `M8` of every unit if the time of day is midnight, and writes `M8[D]`. NaT is an
    /// error, and `None` for an `Option`.
    NaiveDate, Datetime64, Day
}

time_element! {
    /// Reads `m8` of every unit but years and months, and writes `m8[ns]`. NaT is an error, and
    /// `None` for an `Option`.
    TimeDelta, Timedelta64, Nanosecond
}
