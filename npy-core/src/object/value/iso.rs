//! Dates and times in ISO 8601.

use super::time::{PyDate, PyTime, PyTimeDelta, PyTimeZone};

/// `isoformat` of a date.
pub(crate) fn of_date(date: PyDate) -> String {
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

/// `isoformat` of a time of day.
pub(crate) fn of_time(time: &PyTime) -> String {
    let mut text = format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second());
    if time.microsecond() > 0 {
        text.extend([format!(".{:06}", time.microsecond())]);
    }
    if let Some(zone) = time.zone() {
        text.push_str(&of_offset(zone.offset()));
    }
    text
}

/// `str` of a time zone.
pub(crate) fn of_zone(zone: &PyTimeZone) -> String {
    match zone.name() {
        Some(name) => name.to_owned(),
        None if zone.offset().total_microseconds() == 0 => "UTC".to_owned(),
        None => format!("UTC{}", of_offset(zone.offset())),
    }
}

/// `+01:00`, with seconds and microseconds if there are any.
fn of_offset(offset: PyTimeDelta) -> String {
    let total = offset.total_microseconds();
    let (sign, total) = (if total < 0 { '-' } else { '+' }, total.unsigned_abs());
    let (seconds, micros) = (total / 1_000_000, total % 1_000_000);
    let mut text = format!("{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    if seconds % 60 > 0 || micros > 0 {
        text.extend([format!(":{:02}", seconds % 60)]);
    }
    if micros > 0 {
        text.extend([format!(".{micros:06}")]);
    }
    text
}
