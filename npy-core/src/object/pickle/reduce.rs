//! Decodes the arguments of known classes.

use std::borrow::Cow;

use super::super::value::decimal::is_decimal;
use super::super::value::int::{self, PyInt};
use super::super::value::time::{PyDate, PyDateTime, PyTime, PyTimeDelta, PyTimeZone};
use super::super::visitor::Visitor;
use super::arena::{Items, NONE, Node};
use super::decode::{Decoder, invalid};
use super::error::{Fault, PickleError, Result};
use super::globals::Known;
use super::walk::Walker;

impl<V: Visitor> Walker<'_, '_, V> {
    /// Makes an object of a class with plain arguments.
    #[inline(never)]
    pub(crate) fn simple(&mut self, id: u32, known: Known, arguments: u32) -> Result<V::Value> {
        let (decoder, visitor) = (&mut self.decoder, &mut *self.visitor);
        if !matches!(known, Known::DType | Known::Uuid) {
            decoder.check_nothing_added(id, known)?;
        }
        Ok(match known {
            Known::Encode | Known::Bytes => visitor.bytes(decoder.raw(id)?)?,
            Known::ByteArray => visitor.byte_array(decoder.byte_array(id, arguments)?)?,
            Known::Complex => {
                let [re, im] = decoder.complex(id, arguments)?;
                visitor.complex(re, im)?
            }
            Known::Range => visitor.range(decoder.range(id, arguments)?)?,
            Known::Decimal => visitor.decimal(decoder.decimal(id, arguments)?)?,
            Known::Fraction => visitor.fraction(decoder.fraction(id, arguments)?)?,
            Known::Uuid => visitor.uuid(decoder.uuid(id)?)?,
            Known::Date => visitor.date(decoder.date(id, arguments)?)?,
            Known::Time => visitor.time(decoder.time(id, arguments)?)?,
            Known::DateTime => visitor.date_time(decoder.date_time(id, arguments)?)?,
            Known::TimeDelta => {
                let delta = decoder.time_delta(arguments);
                visitor.time_delta(delta.ok_or_else(|| invalid(id, "timedelta", "days, seconds and microseconds"))?)?
            }
            Known::TimeZone => visitor.time_zone(decoder.time_zone(id, arguments)?)?,
            Known::DType | Known::StringDType => visitor.dtype(decoder.dtype_object(id)?)?,
            _ => return Err(PickleError::in_node(id, Fault::unsupported_call(known.path()))),
        })
    }
}

impl<'a> Decoder<'a> {
    /// Returns exactly `N` bytes.
    fn exact<const N: usize>(&self, id: u32) -> Option<[u8; N]> {
        self.raw(id).ok().and_then(|bytes| <[u8; N]>::try_from(&*bytes).ok())
    }

    fn byte_array(&self, id: u32, arguments: u32) -> Result<Cow<'a, [u8]>> {
        if matches!(self.arena.node(arguments), Node::Tuple(Items { count: 0, .. })) {
            return Ok(Cow::Borrowed(&[]));
        }
        if let Some([bytes]) = self.arena.tuple(arguments) {
            return self.raw(bytes);
        }
        // As Python 2 writes it: a text and 'latin-1'.
        let Some(parts) = self.arena.tuple(arguments) else { return Err(invalid(id, "bytearray", "bytes")) };
        let bytes = self.latin1(parts)?.ok_or_else(|| invalid(id, "bytearray", "a text of latin-1 and 'latin-1'"))?;
        Ok(Cow::Owned(bytes))
    }

    fn complex(&self, id: u32, arguments: u32) -> Result<[f64; 2]> {
        let parts = self.arena.tuple(arguments).map(|parts: [u32; 2]| parts.map(|part| self.arena.node(part)));
        match parts {
            Some([Node::Float(re), Node::Float(im)]) => Ok([re, im]),
            _ => Err(invalid(id, "complex", "two floats")),
        }
    }

    fn range(&self, id: u32, arguments: u32) -> Result<[PyInt; 3]> {
        let parts = self
            .arena
            .tuple(arguments)
            .and_then(|[start, stop, step]| Some([self.any_integer(start)?, self.any_integer(stop)?, self.any_integer(step)?]));
        match parts {
            Some(parts) if parts[2].to_i64() != Some(0) => Ok(parts),
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

    fn decimal(&self, id: u32, arguments: u32) -> Result<Cow<'a, str>> {
        let text = self.arena.tuple(arguments).filter(|[text]| self.is_text(*text));
        let Some([text]) = text else { return Err(invalid(id, "Decimal", "a text")) };
        let text = self.text(text)?;
        if is_decimal(&text) { Ok(text) } else { Err(invalid(id, "Decimal", "a decimal number")) }
    }

    fn fraction(&self, id: u32, arguments: u32) -> Result<[PyInt; 2]> {
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
            Some((numerator, denominator)) if denominator.is_positive() => Ok(lowest_terms(numerator, denominator)),
            _ => Err(invalid(id, "Fraction", "a numerator and a denominator above 0")),
        }
    }

    /// A UUID, whose number is in its state.
    fn uuid(&self, id: u32) -> Result<[u8; 16]> {
        let expected = "a state with an int of 128 bits";
        let Node::Dict(entries) = self.arena.node(self.added(id).state) else { return Err(invalid(id, "UUID", expected)) };
        let mut children = self.arena.children(entries);
        while let (Some(key), Some(value)) = (children.next(), children.next()) {
            if self.text(key)? == "int" {
                let number = self.any_integer(value).and_then(|number| number.to_u128());
                return number.map(u128::to_be_bytes).ok_or_else(|| invalid(id, "UUID", expected));
            }
        }
        Err(invalid(id, "UUID", expected))
    }

    fn date(&self, id: u32, arguments: u32) -> Result<PyDate> {
        let date = self.arena.tuple(arguments).and_then(|[bytes]| PyDate::from_bytes(self.exact(bytes)?));
        date.ok_or_else(|| invalid(id, "date", "4 bytes that are a date"))
    }

    fn time(&self, id: u32, arguments: u32) -> Result<PyTime> {
        let parts = self.bytes_and_zone(arguments);
        let time = parts.and_then(|(bytes, zone)| PyTime::from_bytes(self.exact(bytes)?, zone));
        time.ok_or_else(|| invalid(id, "time", "6 bytes that are a time"))
    }

    fn date_time(&self, id: u32, arguments: u32) -> Result<PyDateTime> {
        let parts = self.bytes_and_zone(arguments);
        let time = parts.and_then(|(bytes, zone)| PyDateTime::from_bytes(self.exact(bytes)?, zone));
        time.ok_or_else(|| invalid(id, "datetime", "10 bytes that are a date and a time, and maybe a datetime.timezone"))
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
