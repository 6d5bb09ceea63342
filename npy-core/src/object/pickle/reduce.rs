//! Creates values of known classes from their arguments.

use super::super::value::decimal::is_decimal;
use super::super::value::int::PyInt;
use super::super::value::time::{PyDate, PyDateTime, PyTime, PyTimeDelta, PyTimeZone};
use super::super::value::{PyObject, int};
use super::arena::{Items, NONE, Node};
use super::error::{Fault, PickleError, Result};
use super::globals::Known;
use super::tree::{Builder, invalid};

impl Builder<'_> {
    /// Creates an object of a class with plain arguments.
    #[inline(never)]
    pub(crate) fn simple(&mut self, id: u32, known: Known, arguments: u32) -> Result<PyObject> {
        if !matches!(known, Known::DType | Known::Uuid) {
            self.check_nothing_added(id, known)?;
        }
        match known {
            Known::Encode | Known::Bytes => Ok(PyObject::Bytes(self.raw_owned(id)?)),
            Known::ByteArray => self.byte_array(id, arguments),
            Known::Complex => self.complex(id, arguments),
            Known::Range => self.range(id, arguments),
            Known::Decimal => self.decimal(id, arguments),
            Known::Fraction => self.fraction(id, arguments),
            Known::Uuid => self.uuid(id),
            Known::Date => {
                let date = self.arena.tuple(arguments).and_then(|[bytes]| PyDate::from_bytes(self.exact(bytes)?));
                date.map(PyObject::Date).ok_or_else(|| invalid(id, "date", "4 bytes that are a date"))
            }
            Known::Time => {
                let time = self.time(arguments);
                time.map(|time| PyObject::Time(Box::new(time))).ok_or_else(|| invalid(id, "time", "6 bytes that are a time"))
            }
            Known::DateTime => {
                let moment = self.date_time(arguments);
                let expected = "10 bytes that are a date and a time, and maybe a datetime.timezone";
                moment.map(|moment| PyObject::DateTime(Box::new(moment))).ok_or_else(|| invalid(id, "datetime", expected))
            }
            Known::TimeDelta => {
                let delta = self.time_delta(arguments);
                delta.map(PyObject::TimeDelta).ok_or_else(|| invalid(id, "timedelta", "days, seconds and microseconds"))
            }
            Known::TimeZone => {
                let zone = self.time_zone(id, arguments)?;
                Ok(PyObject::TimeZone(Box::new(zone)))
            }
            Known::DType | Known::StringDType => self.dtype_object(id),
            _ => Err(PickleError::in_node(id, Fault::unsupported_call(known.path()))),
        }
    }

    /// Returns exactly `N` bytes.
    fn exact<const N: usize>(&self, id: u32) -> Option<[u8; N]> {
        self.raw(id).ok().and_then(|bytes| <[u8; N]>::try_from(&*bytes).ok())
    }

    fn byte_array(&self, id: u32, arguments: u32) -> Result<PyObject> {
        if matches!(self.arena.node(arguments), Node::Tuple(Items { count: 0, .. })) {
            return Ok(PyObject::ByteArray(Vec::new()));
        }
        if let Some([bytes]) = self.arena.tuple(arguments) {
            return Ok(PyObject::ByteArray(self.raw_owned(bytes)?));
        }
        // As Python 2 writes it: a text and 'latin-1'.
        let Some(parts) = self.arena.tuple(arguments) else { return Err(invalid(id, "bytearray", "bytes")) };
        let bytes = self.latin1(parts)?.ok_or_else(|| invalid(id, "bytearray", "a text of latin-1 and 'latin-1'"))?;
        Ok(PyObject::ByteArray(bytes))
    }

    fn complex(&self, id: u32, arguments: u32) -> Result<PyObject> {
        let parts = self.arena.tuple(arguments).map(|parts: [u32; 2]| parts.map(|part| self.arena.node(part)));
        match parts {
            Some([Node::Float(re), Node::Float(im)]) => Ok(PyObject::Complex { re, im }),
            _ => Err(invalid(id, "complex", "two floats")),
        }
    }

    fn range(&self, id: u32, arguments: u32) -> Result<PyObject> {
        let parts = self
            .arena
            .tuple(arguments)
            .and_then(|[start, stop, step]| Some([self.any_integer(start)?, self.any_integer(stop)?, self.any_integer(step)?]));
        match parts {
            Some(parts) if parts[2].to_i64() != Some(0) => Ok(PyObject::Range(Box::new(parts))),
            _ => Err(invalid(id, "range", "start, stop and step, which is not 0")),
        }
    }

    /// Decodes an integer of any size.
    fn any_integer(&self, id: u32) -> Option<PyInt> {
        match self.arena.node(id) {
            Node::Long(span) => Some(PyInt::from_le_bytes(self.arena.bytes(span))),
            Node::LongText(span) => super::text::digits(self.arena.bytes(span)).and_then(int::parse),
            _ => self.integer(id).map(PyInt::from),
        }
    }

    fn decimal(&self, id: u32, arguments: u32) -> Result<PyObject> {
        let text = self.arena.tuple(arguments).filter(|[text]| self.is_text(*text));
        let Some([text]) = text else { return Err(invalid(id, "Decimal", "a text")) };
        let text = self.text(text)?;
        if is_decimal(&text) { Ok(PyObject::Decimal(text.into_owned())) } else { Err(invalid(id, "Decimal", "a decimal number")) }
    }

    fn fraction(&self, id: u32, arguments: u32) -> Result<PyObject> {
        let parts = match self.arena.tuple(arguments) {
            Some([numerator, denominator]) => self.any_integer(numerator).zip(self.any_integer(denominator)),
            // Up to Python 3.10, it is a single text.
            None => match self.arena.tuple(arguments) {
                Some([text]) if self.is_text(text) => {
                    let text = self.text(text)?;
                    let (numerator, denominator) = text.split_once('/').unwrap_or((&text, "1"));
                    int::parse(numerator).zip(int::parse(denominator))
                }
                _ => None,
            },
        };
        match parts {
            Some((numerator, denominator)) if denominator.is_positive() => {
                Ok(PyObject::Fraction(Box::new(lowest_terms(numerator, denominator))))
            }
            _ => Err(invalid(id, "Fraction", "a numerator and a denominator above 0")),
        }
    }

    /// A UUID, whose number is in its state.
    fn uuid(&self, id: u32) -> Result<PyObject> {
        let expected = "a state with an int of 128 bits";
        let Node::Dict(entries) = self.arena.node(self.added(id).state) else { return Err(invalid(id, "UUID", expected)) };
        let mut children = self.arena.children(entries);
        while let (Some(key), Some(value)) = (children.next(), children.next()) {
            if self.text(key)? == "int" {
                let number = self.any_integer(value).and_then(|number| number.to_u128());
                return number.map(|number| PyObject::Uuid(number.to_be_bytes())).ok_or_else(|| invalid(id, "UUID", expected));
            }
        }
        Err(invalid(id, "UUID", expected))
    }

    fn time(&self, arguments: u32) -> Option<PyTime> {
        let (bytes, zone) = self.bytes_and_zone(arguments)?;
        PyTime::from_bytes(self.exact(bytes)?, zone)
    }

    fn date_time(&self, arguments: u32) -> Option<PyDateTime> {
        let (bytes, zone) = self.bytes_and_zone(arguments)?;
        PyDateTime::from_bytes(self.exact(bytes)?, zone)
    }

    /// The bytes and the time zone of a time; `None` if the zone is not a `datetime.timezone`.
    fn bytes_and_zone(&self, arguments: u32) -> Option<(u32, Option<PyTimeZone>)> {
        let ([bytes], zone) = self.arena.tuple_with_optional(arguments)?;
        let Some(zone) = zone.filter(|zone| !matches!(self.arena.node(*zone), Node::None)) else { return Some((bytes, None)) };
        let Node::Call { callable, arguments, .. } = self.arena.node(zone) else { return None };
        let Node::Known(Known::TimeZone) = self.arena.node(callable) else { return None };
        self.time_zone(zone, arguments).ok().map(|zone| (bytes, Some(zone)))
    }

    fn time_delta(&self, arguments: u32) -> Option<PyTimeDelta> {
        let [days, seconds, microseconds] = self.arena.tuple(arguments)?.map(|part| self.integer(part));
        PyTimeDelta::new(i32::try_from(days?).ok()?, u32::try_from(seconds?).ok()?, u32::try_from(microseconds?).ok()?)
    }

    fn time_zone(&self, id: u32, arguments: u32) -> Result<PyTimeZone> {
        let (offset, name) = match self.arena.tuple(arguments) {
            Some([offset, name]) if self.is_text(name) => (offset, Some(self.text(name)?.into_owned())),
            _ => (self.arena.tuple(arguments).map_or(NONE, |[offset]| offset), None),
        };
        let offset = match self.arena.node(offset) {
            Node::Call { callable, arguments, .. } if matches!(self.arena.node(callable), Node::Known(Known::TimeDelta)) => {
                self.time_delta(arguments)
            }
            _ => None,
        };
        let zone = offset.and_then(|offset| PyTimeZone::new(offset, name));
        zone.ok_or_else(|| invalid(id, "timezone", "a timedelta of less than a day, and maybe a name"))
    }
}

/// Reduces a fraction as Python's constructor does, if both fit an `i128`. Larger ones would take quadratic time.
fn lowest_terms(numerator: PyInt, denominator: PyInt) -> [PyInt; 2] {
    let (Some(over), Some(under)) = (numerator.to_i128(), denominator.to_i128()) else { return [numerator, denominator] };
    // It is at most the denominator.
    let divisor = i128::try_from(greatest_common_divisor(over.unsigned_abs(), under.unsigned_abs())).unwrap_or(1);
    match divisor {
        0 | 1 => [numerator, denominator],
        divisor => [PyInt::from(over / divisor), PyInt::from(under / divisor)],
    }
}

/// The binary algorithm: a division of 128 bits takes more time than ten of its steps.
fn greatest_common_divisor(mut one: u128, mut other: u128) -> u128 {
    if one == 0 {
        return other;
    }
    let twos = (one | other).trailing_zeros();
    one >>= one.trailing_zeros();
    while other > 0 {
        other >>= other.trailing_zeros();
        (one, other) = (one.min(other), one.abs_diff(other));
    }
    one << twos
}
