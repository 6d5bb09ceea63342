//! Objects as Python's `repr` prints them.

use std::fmt::{self, Write as _};

use super::half;
use super::time::{PyTime, PyTimeDelta, PyTimeZone};
use super::value::{Opaque, PyObject};
use crate::dtype::{ByteOrder, DType, Scalar, ScalarKind, TimeUnit, push_bytes_repr, push_repr};
use crate::dynamic::DynValues;
use crate::element::{LongDouble, NpyElement, iso_8601};

/// What Python's `repr` prints: of current Python and NumPy (`np.float64(1.5)`, `OrderedDict({'a': 1})`).
///
/// Sets come in the order of the pickle, which may be another than Python's. Arrays of NumPy are printed on one line, without the
/// alignment and the summaries that NumPy has for them.
impl fmt::Display for PyObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(items) => sequence(f, "[", items, "]"),
            Self::Tuple(items) => sequence(f, "(", items, if items.len() == 1 { ",)" } else { ")" }),
            Self::Set(items) if items.is_empty() => f.write_str("set()"),
            Self::Set(items) => sequence(f, "{", items, "}"),
            Self::FrozenSet(items) if items.is_empty() => f.write_str("frozenset()"),
            Self::FrozenSet(items) => sequence(f, "frozenset({", items, "})"),
            Self::Dict(entries) => mapping(f, "{", entries, "}"),
            Self::OrderedDict(entries) if entries.is_empty() => f.write_str("OrderedDict()"),
            Self::OrderedDict(entries) => mapping(f, "OrderedDict({", entries, "})"),
            Self::Slice(parts) => sequence(f, "slice(", &parts[..], ")"),
            Self::Opaque(opaque) => opaque_object(f, opaque),
            Self::Objects(array) => {
                f.write_str("array(")?;
                nested(f, array.shape(), &mut array.items().iter())?;
                f.write_str(", dtype=object)")
            }
            leaf => f.write_str(&repr_of_leaf(leaf)),
        }
    }
}

/// `a, b`, between an opening and a closing text.
fn sequence(f: &mut fmt::Formatter<'_>, open: &str, items: &[PyObject], close: &str) -> fmt::Result {
    f.write_str(open)?;
    for (i, item) in items.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        fmt::Display::fmt(item, f)?;
    }
    f.write_str(close)
}

fn mapping(f: &mut fmt::Formatter<'_>, open: &str, entries: &[(PyObject, PyObject)], close: &str) -> fmt::Result {
    f.write_str(open)?;
    for (i, (key, value)) in entries.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        fmt::Display::fmt(key, f)?;
        f.write_str(": ")?;
        fmt::Display::fmt(value, f)?;
    }
    f.write_str(close)
}

/// The class, and what it would be called with.
fn opaque_object(f: &mut fmt::Formatter<'_>, opaque: &Opaque) -> fmt::Result {
    write!(f, "<{}.{}", opaque.module, opaque.name)?;
    if let Some(arguments) = &opaque.arguments {
        sequence(f, "(", arguments, ")")?;
    }
    f.write_str(">")
}

/// The items of an array as lists in lists, one for each axis. At most 64 levels, which is how many axes there can be.
fn nested<'a>(f: &mut fmt::Formatter<'_>, shape: &[usize], items: &mut impl Iterator<Item = &'a PyObject>) -> fmt::Result {
    let Some((&length, inner)) = shape.split_first() else {
        return items.next().map_or(Ok(()), |item| fmt::Display::fmt(item, f));
    };
    f.write_str("[")?;
    // An axis after one of length 0 may have any length.
    let length = if inner.contains(&0) { 0 } else { length };
    for i in 0..length {
        f.write_str(if i == 0 { "" } else { ", " })?;
        // A type of its own would grow with every level.
        let items: &mut dyn Iterator<Item = &'a PyObject> = items;
        nested(f, inner, &mut { items })?;
    }
    f.write_str("]")
}

/// What contains no other objects.
fn repr_of_leaf(object: &PyObject) -> String {
    let mut out = String::new();
    match object {
        PyObject::None => out.push_str("None"),
        PyObject::Bool(true) => out.push_str("True"),
        PyObject::Bool(false) => out.push_str("False"),
        PyObject::Int(value) => out = value.to_string(),
        PyObject::Float(value) => out = float(*value, &format!("{value:e}"), DOUBLE_END, true),
        PyObject::Complex { re, im } => out = complex((*re, &format!("{re:e}")), (*im, &format!("{im:e}")), DOUBLE_END),
        PyObject::Str(text) => push_repr(text, &mut out),
        PyObject::Bytes(bytes) => push_bytes_repr(bytes, &mut out),
        PyObject::ByteArray(bytes) => {
            out.push_str("bytearray(");
            push_bytes_repr(bytes, &mut out);
            out.push(')');
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
        PyObject::Uuid(bytes) => {
            let hex = format!("{:032x}", u128::from_be_bytes(*bytes));
            let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| hex.get(part).unwrap_or_default().to_owned());
            out = format!("UUID('{}')", parts.join("-"));
        }
        PyObject::DType(dtype) => out = format!("dtype({})", dtype_name(dtype)),
        PyObject::Scalar(scalar) => out = scalar_repr(scalar),
        PyObject::Array(array) => out = array_repr(array),
        // The others contain objects.
        _ => {}
    }
    out
}

/// Which numbers are printed without an exponent: those from 0.0001 to this.
const DOUBLE_END: f64 = 1e16;
const SINGLE_END: f64 = 1e6;
const HALF_END: f64 = 1e3;

/// A float by the shortest digits that are it, which come as `1.5e3`, in Python's form.
fn float(value: f64, digits: &str, end: f64, is_whole_marked: bool) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let Some((mantissa, exponent)) = digits.split_once('e') else {
        // Neither NaN nor the infinities have an exponent.
        return format!("{sign}{}", digits.to_lowercase());
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = mantissa.replace('.', "");
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    if value != 0.0 && !(1e-4..end).contains(&value.abs()) {
        let fraction = digits.get(1..).filter(|fraction| !fraction.is_empty());
        let fraction = fraction.map_or_else(String::new, |fraction| format!(".{fraction}"));
        let (exponent_sign, exponent) = (if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
        return format!("{sign}{}{fraction}e{exponent_sign}{exponent:02}", digits.get(..1).unwrap_or_default());
    }
    let end = if is_whole_marked { ".0" } else { "" };
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    if exponent < 0 {
        format!("{sign}0.{}{digits}", zeros(-exponent - 1))
    } else if exponent + 1 >= count {
        format!("{sign}{digits}{}{end}", zeros(exponent + 1 - count))
    } else {
        let (whole, fraction) = digits.split_at(usize::try_from(exponent + 1).unwrap_or(0));
        format!("{sign}{whole}.{fraction}")
    }
}

/// `(1+2j)`, or `2j` if the real part is nothing at all.
fn complex(re: (f64, &str), im: (f64, &str), end: f64) -> String {
    let im = float(im.0, im.1, end, false);
    let (re, re_digits) = re;
    if re == 0.0 && re.is_sign_positive() {
        return format!("{im}j");
    }
    let plus = if im.starts_with('-') { "" } else { "+" };
    format!("({}{plus}{im}j)", float(re, re_digits, end, false))
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
        Some(name) => {
            let mut out = format!("datetime.timezone({}, ", time_delta(offset));
            push_repr(name, &mut out);
            out.push(')');
            out
        }
    }
}

/// The argument of `dtype(…)`.
fn dtype_name(dtype: &DType) -> String {
    // A name of a field that looks like this is shown wrong, which harms nobody.
    let DType::Scalar(scalar) = dtype else { return dtype.descr().replace("'|b1'", "'?'").replace(" '|", " '") };
    let is_native = scalar.byte_order().is_none_or(|order| order == ByteOrder::NATIVE);
    match scalar.kind() {
        ScalarKind::Object | ScalarKind::Bytes { .. } | ScalarKind::Void { .. } => {
            let text = scalar.to_string();
            format!("'{}'", text.trim_start_matches('|'))
        }
        kind => match name_of(kind) {
            Some(name) if is_native => format!("'{name}'"),
            _ => format!("'{scalar}'"),
        },
    }
}

/// NumPy's name of a number.
fn name_of(kind: ScalarKind) -> Option<&'static str> {
    Some(match kind {
        ScalarKind::Bool => "bool",
        ScalarKind::Int8 => "int8",
        ScalarKind::Int16 => "int16",
        ScalarKind::Int32 => "int32",
        ScalarKind::Int64 => "int64",
        ScalarKind::UInt8 => "uint8",
        ScalarKind::UInt16 => "uint16",
        ScalarKind::UInt32 => "uint32",
        ScalarKind::UInt64 => "uint64",
        ScalarKind::Float16 => "float16",
        ScalarKind::Float32 => "float32",
        ScalarKind::Float64 => "float64",
        ScalarKind::LongDouble { .. } => "longdouble",
        ScalarKind::Complex64 => "complex64",
        ScalarKind::Complex128 => "complex128",
        ScalarKind::ComplexLongDouble { .. } => "clongdouble",
        _ => return None,
    })
}

fn scalar_repr(scalar: &DynValues) -> String {
    let value = element_repr(scalar.dtype(), scalar.bytes());
    let DType::Scalar(kind) = scalar.dtype() else { return format!("np.void({value}, dtype={})", scalar.dtype().descr()) };
    match kind.kind() {
        ScalarKind::Bool => format!("np.{value}_"),
        ScalarKind::Unicode { .. } => format!("np.str_({value})"),
        ScalarKind::Bytes { .. } => format!("np.bytes_({value})"),
        ScalarKind::Datetime { unit, count } => time_repr("datetime64", &value, unit, count),
        ScalarKind::Timedelta { unit, count } => time_repr("timedelta64", &value, unit, count),
        kind => match name_of(kind) {
            Some(name) if matches!(kind, ScalarKind::LongDouble { .. } | ScalarKind::ComplexLongDouble { .. }) => {
                format!("np.{name}('{value}')")
            }
            // A complex number brings parentheses of its own.
            Some(name) => format!("np.{name}({})", value.trim_start_matches('(').trim_end_matches(')')),
            None => format!("np.void({value})"),
        },
    }
}

/// NumPy leaves out the unit where the digits of a moment tell it, and where a span has none.
fn time_repr(name: &str, value: &str, unit: TimeUnit, count: u32) -> String {
    let is_moment = name == "datetime64";
    let is_told = if is_moment { count == 1 && value != "'NaT'" } else { unit == TimeUnit::Generic };
    let symbol = unit.symbol();
    match count {
        _ if is_told => format!("np.{name}({value})"),
        1 => format!("np.{name}({value},'{symbol}')"),
        _ => format!("np.{name}({value},'{count}{symbol}')"),
    }
}

/// One element of an array, without the name of its type.
fn element_repr(dtype: &DType, bytes: &[u8]) -> String {
    match dtype {
        DType::Scalar(scalar) => scalar_element(*scalar, bytes),
        DType::SubArray(array) => {
            let itemsize = array.base().itemsize();
            let items: Vec<_> = if itemsize == 0 { Vec::new() } else { bytes.chunks_exact(itemsize).collect() };
            let items: Vec<_> = items.into_iter().map(|item| element_repr(array.base(), item)).collect();
            format!("[{}]", items.join(", "))
        }
        DType::Record(record) => {
            let field = |field: &crate::dtype::Field| {
                let end = field.offset().saturating_add(field.dtype().itemsize());
                element_repr(field.dtype(), bytes.get(field.offset()..end).unwrap_or_default())
            };
            let fields: Vec<_> = record.fields().iter().map(field).collect();
            if let [one] = fields.as_slice() { format!("({one},)") } else { format!("({})", fields.join(", ")) }
        }
    }
}

fn scalar_element(scalar: Scalar, bytes: &[u8]) -> String {
    let read = Element { scalar, bytes };
    match scalar.kind() {
        ScalarKind::Bool => if bytes.iter().any(|byte| *byte != 0) { "True" } else { "False" }.to_owned(),
        ScalarKind::Int8 => read.show(i8::to_string),
        ScalarKind::Int16 => read.show(i16::to_string),
        ScalarKind::Int32 => read.show(i32::to_string),
        ScalarKind::Int64 => read.show(i64::to_string),
        ScalarKind::UInt8 => read.show(u8::to_string),
        ScalarKind::UInt16 => read.show(u16::to_string),
        ScalarKind::UInt32 => read.show(u32::to_string),
        ScalarKind::UInt64 => read.show(u64::to_string),
        ScalarKind::Float16 => float(half::to_f64(read.half()), &half::shortest(read.half()), HALF_END, true),
        ScalarKind::Float32 => read.show(|value: &f32| float(f64::from(*value), &format!("{value:e}"), SINGLE_END, true)),
        ScalarKind::Float64 => read.show(|value: &f64| float(*value, &format!("{value:e}"), DOUBLE_END, true)),
        ScalarKind::LongDouble { .. } => {
            let value = <[u8; 16]>::try_from(bytes).map_or(f64::NAN, |bytes| LongDouble::from_bytes(bytes).to_f64());
            float(value, &format!("{value:e}"), DOUBLE_END, true)
        }
        ScalarKind::Complex64 => {
            let [re, im] = read.parts().map(|part| Element { scalar: part.0, bytes: part.1 }.one::<f32>());
            complex((f64::from(re), &format!("{re:e}")), (f64::from(im), &format!("{im:e}")), SINGLE_END)
        }
        ScalarKind::Complex128 => {
            let [re, im] = read.parts().map(|part| Element { scalar: part.0, bytes: part.1 }.one::<f64>());
            complex((re, &format!("{re:e}")), (im, &format!("{im:e}")), DOUBLE_END)
        }
        ScalarKind::Unicode { .. } => read.text(),
        ScalarKind::Bytes { .. } => {
            let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last.saturating_add(1));
            let mut out = String::new();
            push_bytes_repr(bytes.get(..end).unwrap_or_default(), &mut out);
            out
        }
        ScalarKind::Datetime { unit, count } => match read.integer() {
            i64::MIN => "'NaT'".to_owned(),
            steps => format!("'{}'", iso_8601(unit, i128::from(steps).saturating_mul(i128::from(count)))),
        },
        ScalarKind::Timedelta { .. } => match read.integer() {
            i64::MIN => "'NaT'".to_owned(),
            steps => steps.to_string(),
        },
        _ => {
            let mut out = String::from("b'");
            for byte in bytes {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\x{byte:02X}");
            }
            out.push('\'');
            out
        }
    }
}

/// The bytes of one element.
struct Element<'a> {
    scalar: Scalar,
    bytes: &'a [u8],
}

impl<'a> Element<'a> {
    fn one<T: NpyElement + Default>(&self) -> T {
        let value = DynValues::new(self.scalar.into(), crate::shape::Order::C, &[], self.bytes.to_vec());
        value.ok().and_then(|value| super::convert::one(&value)).unwrap_or_default()
    }

    fn show<T: NpyElement + Default>(&self, show: impl FnOnce(&T) -> String) -> String {
        show(&self.one())
    }

    fn integer(&self) -> i64 {
        let order = self.scalar.byte_order().unwrap_or(ByteOrder::NATIVE);
        Element { scalar: Scalar::new(ScalarKind::Int64, order), bytes: self.bytes }.one()
    }

    fn half(&self) -> u16 {
        let order = self.scalar.byte_order().unwrap_or(ByteOrder::NATIVE);
        Element { scalar: Scalar::new(ScalarKind::UInt16, order), bytes: self.bytes }.one()
    }

    /// The real and the imaginary part.
    fn parts(&self) -> [(Scalar, &'a [u8]); 2] {
        let order = self.scalar.byte_order().unwrap_or(ByteOrder::NATIVE);
        let kind = if self.scalar.kind() == ScalarKind::Complex64 { ScalarKind::Float32 } else { ScalarKind::Float64 };
        let (re, im) = self.bytes.split_at_checked(self.bytes.len() / 2).unwrap_or_default();
        [(Scalar::new(kind, order), re), (Scalar::new(kind, order), im)]
    }

    /// Text of which units that are no character are shown by their number, as Python's `repr` shows lone surrogates.
    fn text(&self) -> String {
        let order = self.scalar.byte_order().unwrap_or(ByteOrder::NATIVE);
        let unit = |bytes: &[u8]| {
            let bytes: [u8; 4] = bytes.try_into().unwrap_or_default();
            if order == ByteOrder::Big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        let units: Vec<u32> = self.bytes.chunks_exact(4).map(unit).collect();
        let end = units.iter().rposition(|unit| *unit != 0).map_or(0, |last| last.saturating_add(1));
        let text: String =
            units.iter().take(end).map(|unit| char::from_u32(*unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        let mut out = String::new();
        push_repr(&text, &mut out);
        out
    }
}

/// `array([1, 2])`, on one line.
fn array_repr(array: &DynValues) -> String {
    let (itemsize, dtype) = (array.dtype().itemsize(), array.dtype());
    let mut texts = Vec::new();
    if itemsize > 0 {
        let at = |index: usize| array.bytes().get(index.saturating_mul(itemsize)..).and_then(|bytes| bytes.get(..itemsize));
        texts.extend(array.c_order().filter_map(at).map(|bytes| element_repr(dtype, bytes)));
    }
    let mut out = String::from("array(");
    let mut texts = texts.into_iter();
    nested_texts(&mut out, array.shape(), &mut texts);
    let is_default =
        matches!(dtype_name(dtype).as_str(), "'int64'" | "'float64'" | "'bool'" | "'complex128'") && !array.bytes().is_empty();
    if !is_default {
        let name = match dtype {
            DType::Scalar(scalar) if name_of(scalar.kind()).is_some() => dtype_name(dtype).trim_matches('\'').to_owned(),
            DType::Scalar(scalar) => format!("'{scalar}'"),
            dtype => dtype.descr(),
        };
        let _ = write!(out, ", dtype={name}");
    }
    out.push(')');
    out
}

fn nested_texts(out: &mut String, shape: &[usize], texts: &mut dyn Iterator<Item = String>) {
    let Some((&length, inner)) = shape.split_first() else {
        out.push_str(&texts.next().unwrap_or_default());
        return;
    };
    out.push('[');
    let length = if inner.contains(&0) { 0 } else { length };
    for i in 0..length {
        out.push_str(if i == 0 { "" } else { ", " });
        nested_texts(out, inner, texts);
    }
    out.push(']');
}
