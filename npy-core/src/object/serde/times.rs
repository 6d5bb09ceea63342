//! Objects that are texts in serde: times in ISO 8601, and numbers without a type of their own.

use super::super::repr::object::str_of;
use super::super::value::PyObject;
use super::super::value::iso::{of_date, of_time};
use super::super::value::time::PyTimeDelta;

/// The text of an object of `datetime` as its `isoformat` prints it, of a time span as a duration, and of a UUID or a fraction as
/// `str` prints it.
pub(super) fn text(object: &PyObject) -> Option<String> {
    match object {
        PyObject::DateTime(moment) => Some(format!("{}T{}", of_date(moment.date()), of_time(moment.time()))),
        PyObject::TimeDelta(delta) => Some(duration(*delta)),
        PyObject::Date(_) | PyObject::Time(_) | PyObject::TimeZone(_) | PyObject::Uuid(_) | PyObject::Fraction(_) => {
            Some(str_of(object))
        }
        _ => None,
    }
}

/// `P1DT2H3M4.5S`, behind a sign if it is negative.
fn duration(delta: PyTimeDelta) -> String {
    let total = delta.total_microseconds();
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
