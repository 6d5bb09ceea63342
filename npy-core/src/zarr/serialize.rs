//! The document for `serde`.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::document::{Value, ZarrReferences};

struct References<'a>(&'a ZarrReferences);

impl Serialize for ZarrReferences {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("version", &1)?;
        map.serialize_entry("refs", &References(self))?;
        map.end()
    }
}

impl Serialize for References<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.entries())
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Inline(text) => serializer.serialize_str(text),
            Self::Bytes { path, offset, length } => (path, offset, length).serialize(serializer),
        }
    }
}
