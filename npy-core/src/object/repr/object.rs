//! `repr` and `str` of Python objects.

use std::fmt::{self, Write as _};

use super::super::pickle::globals::Known;
use super::super::value::time::{PyDateTime, PyTime, PyTimeDelta, PyTimeZone};
use super::super::value::{Opaque, PyObject, iso};
use super::values::{array_repr, built, scalar_text, text_of};
use crate::dynamic::DynValues;
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind, TimeUnit, dtype_str, push_bytes_repr, push_repr, push_repr_of};
use crate::format::scalar::Value;
use crate::print::PrintOptions;
use crate::print::stream::Text;

/// What Python's `repr` prints: of current Python and NumPy (`np.float64(1.5)`,
/// `OrderedDict({'a': 1})`, which is the form of Python 3.12 and later).
///
/// Sets come in the order of the pickle, which may be another than Python's.
impl fmt::Display for PyObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_repr(self, &PrintOptions::new(), f)
    }
}

impl PyObject {
    /// `repr` of an object; the options are for NumPy's arrays in it.
    pub(super) fn repr(&self, options: &PrintOptions) -> String {
        text_of(|out| write_repr(self, options, out))
    }

    /// Writes `repr` of an object. Out of memory is an error of the text.
    pub(super) fn write_repr(&self, options: &PrintOptions, out: &mut Text<'_>) {
        let _ = write_repr(self, options, out);
    }

    /// Writes an element of an array of objects, where a list could be mistaken for an axis.
    pub(super) fn write_element(&self, options: &PrintOptions, out: &mut Text<'_>) {
        let (open, close) = if matches!(self, Self::List(_)) { ("list(", ")") } else { ("", "") };
        out.push_str(open);
        self.write_repr(options, out);
        out.push_str(close);
    }

    /// `str` of an object, which is how NumPy prints an array without axes that holds it.
    pub(super) fn write_str(&self, options: &PrintOptions, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Self::Str(text) | Self::Decimal(text) => out.write_str(text),
            Self::SurrogateStr(text) => {
                text.code_points().try_for_each(|code| out.write_char(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)))
            }
            Self::Fraction(parts) if parts[1].to_i64() == Some(1) => write!(out, "{}", parts[0]),
            Self::Fraction(parts) => write!(out, "{}/{}", parts[0], parts[1]),
            Self::Uuid(bytes) => out.write_str(&uuid(*bytes)),
            Self::Date(date) => out.write_str(&iso::of_date(*date)),
            Self::Time(time) => out.write_str(&iso::of_time(time)),
            Self::DateTime(moment) => out.write_str(&date_time(moment)),
            Self::TimeDelta(delta) => out.write_str(&span(*delta)),
            Self::TimeZone(zone) => out.write_str(&iso::of_zone(zone)),
            Self::DType(dtype) => out.write_str(&dtype_str(dtype)),
            Self::Scalar(scalar) => out.write_str(&scalar_text(scalar.dtype(), scalar.bytes(), options)),
            Self::Array(array) => write!(out, "{}", array.display_with(options)),
            Self::Objects(array) => write!(out, "{}", array.display_with(options)),
            Self::Subclass(object) => match object.str(options) {
                Some(text) => out.write_str(&text),
                None => object.base.write_str(options, out),
            },
            object => write_repr(object, options, out),
        }
    }
}

/// `str` of an object.
#[cfg(feature = "serde")]
pub(crate) fn str_of(object: &PyObject) -> String {
    text_of(|out| object.write_str(&PrintOptions::new(), out))
}

fn write_repr(object: &PyObject, options: &PrintOptions, out: &mut dyn fmt::Write) -> fmt::Result {
    match object {
        PyObject::List(items) => sequence("[", items, "]", options, out),
        PyObject::Tuple(items) => sequence("(", items, if items.len() == 1 { ",)" } else { ")" }, options, out),
        PyObject::Set(items) if items.is_empty() => out.write_str("set()"),
        PyObject::Set(items) => sequence("{", items, "}", options, out),
        PyObject::FrozenSet(items) if items.is_empty() => out.write_str("frozenset()"),
        PyObject::FrozenSet(items) => sequence("frozenset({", items, "})", options, out),
        PyObject::Dict(entries) => mapping("{", entries, "}", options, out),
        PyObject::OrderedDict(entries) if entries.is_empty() => out.write_str("OrderedDict()"),
        PyObject::OrderedDict(entries) => mapping("OrderedDict({", entries, "})", options, out),
        PyObject::Slice(parts) => sequence("slice(", &parts[..], ")", options, out),
        PyObject::Opaque(opaque) => opaque_object(opaque, options, out),
        PyObject::Objects(array) => out.write_str(&array.repr("array(", options)),
        PyObject::Subclass(object) => out.write_str(&object.repr(options)),
        leaf => out.write_str(&repr_of_leaf(leaf, options)),
    }
}

/// `a, b`, between an opening and a closing text.
fn sequence(open: &str, items: &[PyObject], close: &str, options: &PrintOptions, out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str(open)?;
    for (i, item) in items.iter().enumerate() {
        out.write_str(if i == 0 { "" } else { ", " })?;
        write_repr(item, options, out)?;
    }
    out.write_str(close)
}

fn mapping(
    open: &str,
    entries: &[(PyObject, PyObject)],
    close: &str,
    options: &PrintOptions,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    out.write_str(open)?;
    for (i, (key, value)) in entries.iter().enumerate() {
        out.write_str(if i == 0 { "" } else { ", " })?;
        write_repr(key, options, out)?;
        out.write_str(": ")?;
        write_repr(value, options, out)?;
    }
    out.write_str(close)
}

/// The class and the arguments of its call.
fn opaque_object(opaque: &Opaque, options: &PrintOptions, out: &mut dyn fmt::Write) -> fmt::Result {
    if opaque.module.is_empty() && opaque.arguments.is_none() {
        // A cyclic reference.
        return out.write_str(&opaque.name);
    }
    // Other names may be functions.
    if let (None, Some(name)) = (&opaque.arguments, Known::class_name(&opaque.module, &opaque.name)) {
        return write!(out, "<class '{name}'>");
    }
    write!(out, "<{}.{}", opaque.module, opaque.name)?;
    if let Some(arguments) = &opaque.arguments {
        sequence("(", arguments, ")", options, out)?;
    }
    out.write_str(">")
}

fn date_time(moment: &PyDateTime) -> String {
    format!("{} {}", iso::of_date(moment.date()), iso::of_time(moment.time()))
}

/// `2 days, 0:00:05.000007`
fn span(delta: PyTimeDelta) -> String {
    let seconds = delta.seconds();
    let mut text = match delta.days() {
        0 => String::new(),
        days @ (-1 | 1) => format!("{days} day, "),
        days => format!("{days} days, "),
    };
    // Writing to a `String` cannot fail.
    let _ = write!(text, "{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if delta.microseconds() > 0 {
        let _ = write!(text, ".{:06}", delta.microseconds());
    }
    text
}

fn uuid(bytes: [u8; 16]) -> String {
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| hex.get(part).unwrap_or_default().to_owned()).join("-")
}

/// `repr` of an object without others in it.
#[inline(never)]
fn repr_of_leaf(object: &PyObject, options: &PrintOptions) -> String {
    let mut out = String::new();
    match object {
        PyObject::None => out.push_str("None"),
        PyObject::Bool(true) => out.push_str("True"),
        PyObject::Bool(false) => out.push_str("False"),
        PyObject::Int(value) => out = value.to_string(),
        PyObject::Float(value) => out = number(ScalarKind::Float64, [*value, 0.0]),
        PyObject::Complex { re, im } => out = number(ScalarKind::Complex128, [*re, *im]),
        PyObject::Str(text) => push_repr(text, &mut out),
        PyObject::SurrogateStr(text) => push_repr_of(text.code_points(), &mut out),
        PyObject::Bytes(bytes) => push_bytes_repr(bytes, &mut out),
        PyObject::ByteArray(bytes) => {
            let text = built(|text| push_bytes_repr(bytes, text));
            // Python escapes the single quote here even between double quotes.
            let text = if text.starts_with("b\"") { text.replace('\'', "\\'") } else { text };
            out = format!("bytearray({text})");
        }
        PyObject::Range(parts) => {
            let [begin, end, step] = &**parts;
            let by = if step.to_i64() == Some(1) { String::new() } else { format!(", {step}") };
            out = format!("range({begin}, {end}{by})");
        }
        PyObject::Date(date) => out = format!("datetime.date({}, {}, {})", date.year(), date.month(), date.day()),
        PyObject::Time(time) => out = format!("datetime.time({})", time_parts(time, false)),
        PyObject::DateTime(moment) => {
            let (date, time) = (moment.date(), time_parts(moment.time(), true));
            out = format!("datetime.datetime({}, {}, {}, {time})", date.year(), date.month(), date.day());
        }
        PyObject::TimeDelta(delta) => out = time_delta(*delta),
        PyObject::TimeZone(zone) => out = time_zone(zone),
        PyObject::Decimal(text) => out = format!("Decimal('{text}')"),
        PyObject::Fraction(parts) => out = format!("Fraction({}, {})", parts[0], parts[1]),
        PyObject::Uuid(bytes) => out = format!("UUID('{}')", uuid(*bytes)),
        PyObject::DType(dtype) => out = dtype.repr(),
        PyObject::Scalar(scalar) => out = scalar_repr(scalar, options),
        PyObject::Array(array) => out = array_repr("array(", array, options),
        // The others contain objects.
        _ => {}
    }
    out
}

/// A float or a complex number: Python writes them as NumPy does its scalars of 64 bits a part.
fn number(kind: ScalarKind, [real, imaginary]: [f64; 2]) -> String {
    let (scalar, mut bytes) = (Scalar::new(kind, ByteOrder::NATIVE), [0; 16]);
    let bytes = bytes.get_mut(..scalar.itemsize()).unwrap_or_default();
    _ = scalar.encode_float(real, bytes) || scalar.encode_complex(real, imaginary, bytes);
    scalar_text(&DType::Scalar(scalar), bytes, &PrintOptions::new())
}

/// The arguments of a time. Python has the fold first in a `datetime`, and last in a `time`.
fn time_parts(time: &PyTime, is_fold_first: bool) -> String {
    let mut out = format!("{}, {}", time.hour(), time.minute());
    // Writing to a `String` cannot fail.
    let _ = match (time.second(), time.microsecond()) {
        (0, 0) => Ok(()),
        (second, 0) => write!(out, ", {second}"),
        (second, microsecond) => write!(out, ", {second}, {microsecond}"),
    };
    let mut keywords = Vec::new();
    if time.fold() {
        keywords.push("fold=1".to_owned());
    }
    if let Some(zone) = time.zone() {
        keywords.push(format!("tzinfo={}", time_zone(zone)));
    }
    if !is_fold_first {
        keywords.reverse();
    }
    for keyword in &keywords {
        out.extend([", ", keyword]);
    }
    out
}

fn time_delta(delta: PyTimeDelta) -> String {
    let parts = [
        ("days", i64::from(delta.days())),
        ("seconds", i64::from(delta.seconds())),
        ("microseconds", i64::from(delta.microseconds())),
    ];
    let parts: Vec<_> = parts.iter().filter(|(_, value)| *value != 0).map(|(name, value)| format!("{name}={value}")).collect();
    if parts.is_empty() { "datetime.timedelta(0)".to_owned() } else { format!("datetime.timedelta({})", parts.join(", ")) }
}

fn time_zone(zone: &PyTimeZone) -> String {
    let offset = zone.offset();
    match zone.name() {
        None if (offset.days(), offset.seconds(), offset.microseconds()) == (0, 0, 0) => "datetime.timezone.utc".to_owned(),
        None => format!("datetime.timezone({})", time_delta(offset)),
        Some(name) => format!("datetime.timezone({}, {})", time_delta(offset), built(|text| push_repr(name, text))),
    }
}

/// A scalar of NumPy: its `str` as the argument of its type.
fn scalar_repr(scalar: &DynValues, options: &PrintOptions) -> String {
    let value = scalar_text(scalar.dtype(), scalar.bytes(), options);
    let DType::Scalar(dtype) = scalar.dtype() else { return format!("np.void({value}, dtype={})", dtype_str(scalar.dtype())) };
    // A complex number brings parentheses of its own.
    let number = value.trim_start_matches('(').trim_end_matches(')');
    match dtype.kind() {
        ScalarKind::Bool => format!("np.{value}_"),
        // This already is the `repr`.
        ScalarKind::Bytes { .. } => value,
        ScalarKind::Unicode { .. } => format!("np.str_({})", built(|text| push_repr_of(dtype.units(scalar.bytes()), text))),
        ScalarKind::Datetime { unit, count } => {
            // NumPy leaves out the unit where the digits tell it, but for hours.
            let is_told = count == 1 && unit != TimeUnit::Hour && value != "NaT";
            time_repr("datetime64", &format!("'{value}'"), unit, count, is_told)
        }
        ScalarKind::Timedelta { unit, count } => {
            let steps = match dtype.value(scalar.bytes()) {
                Some(Value::Time(Some(steps))) => steps.to_string(),
                _ => "'NaT'".to_owned(),
            };
            time_repr("timedelta64", &steps, unit, count, unit == TimeUnit::Generic)
        }
        ScalarKind::LongDouble { .. } => format!("np.longdouble('{number}')"),
        ScalarKind::ComplexLongDouble { .. } => format!("np.clongdouble('{number}')"),
        _ => format!("np.{}({number})", dtype.number_name().as_deref().unwrap_or("void")),
    }
}

fn time_repr(name: &str, value: &str, unit: TimeUnit, count: u32, is_told: bool) -> String {
    let symbol = unit.symbol();
    match count {
        _ if is_told => format!("np.{name}({value})"),
        1 => format!("np.{name}({value},'{symbol}')"),
        _ => format!("np.{name}({value},'{count}{symbol}')"),
    }
}
