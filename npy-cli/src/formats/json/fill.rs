//! The values of a JSON text as the bytes of an array whose dtype is known.

use std::collections::HashSet;
use std::fmt;

use npy_core::DType;
use npy_core::dtype::Field;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::schema::{Fields, Schema};
use crate::failure::{Failure, Result};
use crate::formats::text::Problem;
use crate::formats::text::rows::RowBuffer;
use crate::formats::text::slot::{Encoding, Slot, is_supported};
use crate::input::pieces::Sink;
use crate::signals;
use crate::values::quantity;

/// A place in the text, and where its values are stored.
pub(super) enum Node {
    /// A list that is an axis of the array.
    Axis(Box<Self>),
    /// An element of the array.
    Element(Box<Self>),
    /// A list that is an axis of a sub-array.
    List { stride: usize, item: Box<Self> },
    /// `[re, im]`.
    Complex { offset: usize, slot: Slot },
    /// By name, with the offset in the record.
    Object(Fields<Self>),
    Value {
        offset: usize,
        slot: Slot,
        /// Whether numbers are stored by their digits, which matter for other numbers than integers of 64 bits.
        has_digits: bool,
    },
}

impl Node {
    /// Matches what was found with a dtype.
    pub(super) fn new(schema: &Schema, dtype: &DType, offset: usize, is_lossy: bool) -> Result<Self> {
        let refused = |found: &str| Failure::Nameless(format!("expected elements of dtype {dtype}, found {found}"));
        Ok(match (schema, dtype) {
            // Of an empty list, whose items have any dtype.
            (Schema::Unknown, _) => Self::Object(Fields::new()),
            (Schema::Value(guess), DType::Scalar(scalar)) => {
                let slot = Slot { scalar: *scalar, encoding: Encoding::Latin1, is_lossy };
                if !is_supported(*scalar) {
                    return Err(Failure::Nameless(format!("cannot read {scalar} from text: expected another dtype")));
                }
                Self::Value { offset, slot, has_digits: guess.has_fraction() }
            }
            (Schema::List { length: 2, item }, DType::Scalar(scalar)) if matches!(**item, Schema::Value(_)) => {
                if scalar.part().is_none() {
                    return Err(refused("a list"));
                }
                Self::Complex { offset, slot: Slot { scalar: *scalar, encoding: Encoding::Latin1, is_lossy } }
            }
            (schema, DType::SubArray(array)) => Self::sub_array(schema, array.base(), array.shape(), offset, is_lossy)?,
            (Schema::Object(found), DType::Record(record)) => {
                let known: HashSet<&str> = record.fields().iter().map(Field::name).collect();
                if let Some((name, _)) = found.iter().find(|(name, _)| !known.contains(name)) {
                    return Err(Failure::Nameless(format!("the dtype lacks the field \"{name}\" of the input")));
                }
                let nodes = record.fields().iter().map(|field| {
                    let Some((place, schema)) = found.place(0, field.name()).and_then(|place| Some((place, found.get(place)?)))
                    else {
                        let (name, names) = (field.name(), quantity::listed(found.iter().map(|(name, _)| name)));
                        return Err(Failure::Nameless(format!("unknown field \"{name}\": expected one of {names}")));
                    };
                    Ok((place, field.name(), Self::new(schema, field.dtype(), offset + field.offset(), is_lossy)?))
                });
                let mut nodes: Vec<(usize, &str, Self)> = nodes.collect::<Result<_>>()?;
                // In the order of the text, in which they are looked for.
                nodes.sort_by_key(|(place, ..)| *place);
                let mut fields = Fields::new();
                for (_, name, node) in nodes {
                    fields.push(name.to_owned(), node);
                }
                Self::Object(fields)
            }
            (Schema::Value(_), _) => return Err(refused("a value")),
            (Schema::List { .. }, _) => return Err(refused("a list")),
            (Schema::Object(_), _) => return Err(refused("an object")),
        })
    }

    fn sub_array(schema: &Schema, base: &DType, shape: &[usize], offset: usize, is_lossy: bool) -> Result<Self> {
        let Some((&expected, inner)) = shape.split_first() else { return Self::new(schema, base, offset, is_lossy) };
        let Schema::List { length, item } = schema else {
            return Err(Failure::Nameless(format!(
                "expected a list of {} for a sub-array, found no list",
                quantity::counted(expected as u64, "item")
            )));
        };
        if *length != expected {
            let (expected, shape) = (quantity::counted(expected as u64, "item"), quantity::shape(shape));
            return Err(Failure::Nameless(format!("expected a list of {expected} for a sub-array {shape}, found {length}")));
        }
        let stride = inner.iter().product::<usize>() * base.itemsize();
        Ok(Self::List { stride, item: Box::new(Self::sub_array(item, base, inner, offset, is_lossy)?) })
    }
}

/// The elements that are being read.
pub(super) struct Fill<'a> {
    pub(super) rows: RowBuffer,
    pub(super) sink: Sink<'a>,
    /// Why writing failed, which an error of the text cannot carry.
    pub(super) failure: Option<Failure>,
    /// The advice for an error of the text.
    pub(super) hint: &'static str,
}

impl Fill<'_> {
    /// An error of the text, to which the place is added before the hint.
    fn refused<E: Error>(&mut self, problem: &Problem) -> E {
        self.hint = problem.hint();
        E::custom(&problem.message)
    }
}

/// Reads a value into the bytes of the newest element, or into new elements.
pub(super) struct FillSeed<'a, 'b> {
    pub(super) node: &'a Node,
    pub(super) fill: &'a mut Fill<'b>,
    /// The offset that items of sub-arrays add to those of the node.
    pub(super) base: usize,
}

impl<'de> DeserializeSeed<'de> for FillSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Node::Element(node) = self.node else { return self.value(deserializer) };
        if let Err(failure) = self.fill.rows.row() {
            self.fill.failure = Some(failure);
            return Err(D::Error::custom("cannot allocate a row"));
        }
        FillSeed { node, fill: self.fill, base: 0 }.value(deserializer)?;
        let fill = self.fill;
        let flushed = signals::check().and_then(|()| fill.rows.flush_full(fill.sink));
        flushed.map_err(|failure| {
            fill.failure = Some(failure);
            D::Error::custom("cannot write the output")
        })
    }
}

impl FillSeed<'_, '_> {
    fn value<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if !matches!(self.node, Node::Value { has_digits: true, .. }) {
            return deserializer.deserialize_any(self);
        }
        let written = Box::<RawValue>::deserialize(deserializer)?;
        match written.get() {
            "null" => self.put(Slot::put_null),
            bool @ ("true" | "false") => self.put(|slot, out| slot.put_text(bool, out)),
            text if text.starts_with('"') => {
                let text: String = serde_json::from_str(text).map_err(D::Error::custom)?;
                self.put(|slot, out| slot.put_text(&text, out))
            }
            number => self.put(|slot, out| slot.put_number(number, out)),
        }
    }

    /// Stores a value in its place.
    fn put<E: Error>(self, store: impl FnOnce(Slot, &mut [u8]) -> Result<(), Problem>) -> Result<(), E> {
        let Node::Value { offset, slot, .. } = self.node else { return Err(E::custom("the file changed while it was read")) };
        let begin = self.base + offset;
        let bytes = self.fill.rows.newest().get_mut(begin..begin + slot.scalar.itemsize());
        store(*slot, bytes.unwrap_or_default()).map_err(|problem| self.fill.refused(&problem))
    }
}

impl<'de> Visitor<'de> for FillSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.put(|slot, out| slot.put_int(value.into(), out))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.put(|slot, out| slot.put_int(value.into(), out))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.put(|slot, out| slot.put_int(value.into(), out))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.put(|slot, out| slot.put_text(text, out))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.put(Slot::put_null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        match self.node {
            Node::Axis(node) => while items.next_element_seed(FillSeed { node, fill: self.fill, base: 0 })?.is_some() {},
            Node::List { stride, item } => {
                let mut base = self.base;
                while items.next_element_seed(FillSeed { node: item, fill: self.fill, base })?.is_some() {
                    base += stride;
                }
            }
            Node::Complex { offset, slot } => {
                let (real, imaginary) = (part(&mut items)?, part(&mut items)?);
                while items.next_element::<serde::de::IgnoredAny>()?.is_some() {}
                let begin = self.base + offset;
                let bytes = self.fill.rows.newest().get_mut(begin..begin + slot.scalar.itemsize());
                slot.put_complex(&real, &imaginary, bytes.unwrap_or_default()).map_err(|problem| self.fill.refused(&problem))?;
            }
            _ => return Err(A::Error::custom("the file changed while it was read")),
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Node::Object(fields) = self.node else { return Err(A::Error::custom("the file changed while it was read")) };
        let mut count = 0;
        while let Some(name) = entries.next_key::<String>()? {
            match fields.place(count, &name).and_then(|place| fields.get(place)) {
                Some(node) => entries.next_value_seed(FillSeed { node, fill: self.fill, base: self.base })?,
                None => return Err(A::Error::custom("the file changed while it was read")),
            }
            count += 1;
        }
        Ok(())
    }
}

/// The real or imaginary part of a number. Text is for NaN and the infinities.
fn part<'de, A: SeqAccess<'de>>(items: &mut A) -> Result<String, A::Error> {
    let written: Option<Box<RawValue>> = items.next_element()?;
    let written = written.as_ref().map_or("", |written| written.get());
    let part = written.trim_matches('"');
    match part.parse::<f64>() {
        Ok(_) => Ok(part.to_owned()),
        Err(_) => Err(A::Error::custom("expected two numbers for a complex one")),
    }
}
