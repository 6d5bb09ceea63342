//! Dates and times in ISO 8601.

#[cfg(feature = "serde")]
use super::PyObject;
#[cfg(feature = "serde")]
use super::time::PyDateTime;
use super::time::{PyDate, PyTime, PyTimeDelta, PyTimeZone};

#[cfg(feature = "serde")]
/// The text of an object of Python's module `datetime`, as its `isoformat` prints it; a span as a
/// duration (`P1DT2H`).
pub(crate) fn text(object: &PyObject) -> Option<String> {
    Some(match object {
        PyObject::Date(date) => of_date(*date),
        PyObject::Time(time) => of_time(time),
        PyObject::DateTime(moment) => of_date_time(moment),
        PyObject::TimeDelta(delta) => of_delta(*delta),
        PyObject::TimeZone(zone) => of_zone(zone),
        _ => return None,
    })
}

pub(crate) fn of_date(date: PyDate) -> String {
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

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

#[cfg(feature = "serde")]
fn of_date_time(moment: &PyDateTime) -> String {
    format!("{}T{}", of_date(moment.date()), of_time(moment.time()))
}

/// Python's `str` of it.
pub(crate) fn of_zone(zone: &PyTimeZone) -> String {
    match zone.name() {
        Some(name) => name.to_owned(),
        None if microseconds(zone.offset()) == 0 => "UTC".to_owned(),
        None => format!("UTC{}", of_offset(zone.offset())),
    }
}

/// `+01:00`, with seconds and microseconds if there are any.
fn of_offset(offset: PyTimeDelta) -> String {
    let total = microseconds(offset);
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

#[cfg(feature = "serde")]
/// `P1DT2H3M4.5S`, behind a sign if it is negative.
fn of_delta(delta: PyTimeDelta) -> String {
    let total = microseconds(delta);
    let mut text = String::from(if total < 0 { "-P" } else { "P" });
    let total = total.unsigned_abs();
    let (seconds, micros) = (total / 1_000_000, total % 1_000_000);
    if seconds >= 86_400 {
        text.extend([format!("{}D", seconds / 86_400)]);
    }
    if seconds % 86_400 == 0 && micros == 0 {
        text.push_str(if total == 0 { "T0S" } else { "" });
        return text;
    }
    text.push('T');
    for (count, letter) in [(seconds / 3600 % 24, 'H'), (seconds / 60 % 60, 'M')] {
        if count > 0 {
            text.extend([format!("{count}{letter}")]);
        }
    }
    match (seconds % 60, micros) {
        (0, 0) => {}
        (seconds, 0) => text.extend([format!("{seconds}S")]),
        (seconds, micros) => text.push_str(format!("{seconds}.{micros:06}").trim_end_matches('0')),
    }
    if micros > 0 {
        text.push('S');
    }
    text
}

/// At most 10⁹ days have fewer than 10²⁰, and Python's are in an `i128` with ease.
pub(crate) fn microseconds(delta: PyTimeDelta) -> i128 {
    let seconds = i128::from(delta.days()).saturating_mul(86_400).saturating_add(i128::from(delta.seconds()));
    seconds.saturating_mul(1_000_000).saturating_add(i128::from(delta.microseconds()))
}
