//! The fields of objects, in the order of the text and found by their names.

use std::collections::HashMap;

/// Something for each field of an object.
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
