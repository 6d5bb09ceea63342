//! The shape of a JSON text: lists of equal lengths, objects of equal fields, and what the values are.

use std::collections::HashMap;
use std::fmt;

use npy_core::DType;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::formats::text::guess::Guess;
use crate::formats::text::shown;
use crate::values::columns::Names;
use crate::values::quantity::counted;

/// The common structure of all values at one position of the text.
#[derive(Debug)]
pub(super) enum Schema {
    /// Nothing was found yet.
    Unknown,
    Value(Guess),
    List {
        length: usize,
        item: Box<Self>,
    },
    Object(Fields<Self>),
}

impl Schema {
    /// Splits the axes of the array off; the rest is an element. A list of two numbers is an element of a complex dtype.
    pub(super) fn split(&self, dtype: Option<&DType>) -> (Vec<usize>, &Self) {
        let is_complex = matches!(dtype, Some(DType::Scalar(scalar)) if scalar.part().is_some());
        let (mut shape, mut schema) = (Vec::new(), self);
        while let Self::List { length, item } = schema {
            if is_complex && *length == 2 && matches!(**item, Self::Value(_)) {
                break;
            }
            shape.push(*length);
            schema = item;
        }
        (shape, schema)
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Unknown => "nothing",
            Self::Value(_) => "a value",
            Self::List { .. } => "a list",
            Self::Object(_) => "an object",
        }
    }

    fn guess<E: Error>(&mut self, found: &str) -> Result<&mut Guess, E> {
        if let Self::Unknown = self {
            *self = Self::Value(Guess::new());
        }
        match self {
            Self::Value(guess) => Ok(guess),
            other => Err(E::custom(format!("expected {}, as before, found {found}", other.name()))),
        }
    }
}

/// A value for each field of an object, in the order of the text and found by its name.
#[derive(Debug)]
pub(super) struct Fields<T> {
    fields: Vec<(String, T)>,
    places: HashMap<String, usize>,
}

impl<T> Fields<T> {
    pub(super) fn new() -> Self {
        Self { fields: Vec::new(), places: HashMap::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// Adds a field with a new name, and returns its place.
    pub(super) fn push(&mut self, name: String, field: T) -> usize {
        let place = self.fields.len();
        self.places.insert(name.clone(), place);
        self.fields.push((name, field));
        place
    }

    /// The place of a name. Objects nearly always have the same order, so that it is the next one.
    pub(super) fn place(&self, next: usize, name: &str) -> Option<usize> {
        match self.fields.get(next) {
            Some((known, _)) if known == name => Some(next),
            _ => self.places.get(name).copied(),
        }
    }

    pub(super) fn get(&self, place: usize) -> Option<&T> {
        self.fields.get(place).map(|(_, field)| field)
    }

    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        self.fields.get_mut(place).map(|(_, field)| field)
    }

    /// The names and their fields.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.fields.iter().map(|(name, field)| (name.as_str(), field))
    }
}

/// Reads a value into its schema.
pub(super) struct SchemaSeed<'a> {
    pub(super) schema: &'a mut Schema,
    /// Of all objects of the text.
    pub(super) names: &'a mut Names,
}

impl<'de> DeserializeSeed<'de> for SchemaSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for SchemaSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.schema.guess("a bool").map(Guess::add_bool)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.schema.guess("a number").map(|guess| guess.add_int(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.schema.guess("a number").map(|guess| guess.add_int(value.into()))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.schema.guess("a number").map(Guess::add_float)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.schema.guess("text").map(|guess| guess.add_text(text))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.schema.guess("null").map(Guess::add_missing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let is_first = matches!(self.schema, Schema::Unknown);
        if is_first {
            *self.schema = Schema::List { length: 0, item: Box::new(Schema::Unknown) };
        }
        let Schema::List { length, item } = self.schema else {
            return Err(A::Error::custom(format!("expected {}, as before, found a list", self.schema.name())));
        };
        let mut count = 0_usize;
        while items.next_element_seed(SchemaSeed { schema: item, names: self.names })?.is_some() {
            count += 1;
        }
        if is_first {
            *length = count;
        } else if count != *length {
            return Err(A::Error::custom(format!(
                "ragged lists: expected {}, as in the first list, found {count}",
                counted(*length as u64, "item")
            )));
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let is_first = matches!(self.schema, Schema::Unknown);
        if is_first {
            *self.schema = Schema::Object(Fields::new());
        }
        let Schema::Object(fields) = self.schema else {
            return Err(A::Error::custom(format!("expected {}, as before, found an object", self.schema.name())));
        };
        let mut count = 0;
        // Of each field whether it came, once one is out of order.
        let mut came: Option<Vec<bool>> = None;
        while let Some(name) = entries.next_key::<String>()? {
            let place = fields.place(count, &name);
            if place != Some(count) || came.is_some() {
                let came = came.get_or_insert_with(|| vec![true; count]);
                let place = place.unwrap_or(fields.len());
                came.resize(came.len().max(place + 1), false);
                if std::mem::replace(&mut came[place], true) {
                    return Err(A::Error::custom(format!("duplicate field {:?}", shown(&name))));
                }
            }
            let place = match place {
                Some(place) => place,
                None if is_first => {
                    self.names.add(&name).map_err(A::Error::custom)?;
                    fields.push(name, Schema::Unknown)
                }
                None => {
                    return Err(A::Error::custom(format!("unknown field {:?}: the first object has no such field", shown(&name))));
                }
            };
            if let Some(field) = fields.get_mut(place) {
                entries.next_value_seed(SchemaSeed { schema: field, names: self.names })?;
            }
            count += 1;
        }
        if count != fields.len() {
            let message =
                format!("expected {}, as in the first object, found {count}", counted(fields.len() as u64, "different field"));
            return Err(A::Error::custom(message));
        }
        Ok(())
    }
}
