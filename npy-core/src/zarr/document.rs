//! The document: metadata and references, as JSON or for `serde`.

use std::fmt::{self, Write as _};

use super::chunks::VirtualArray;
use crate::options::Order;

/// A document that describes files as Zarr arrays.
///
/// [`Display`](fmt::Display) prints it as JSON; with the feature `serde` it implements `Serialize`. The
/// chunks are listed when it is written.
///
/// See [`zarr_references`](crate::zarr_references) for an example.
pub struct ZarrReferences {
    /// The dtype, as JSON.
    dtype: String,
    order: Order,
    prefix: String,
    arrays: Vec<VirtualArray>,
}

/// The value of a key of the document.
pub(super) enum Value {
    /// A text.
    Inline(String),
    /// Bytes of a file.
    Bytes { path: String, offset: u64, length: u64 },
}

impl ZarrReferences {
    pub(super) fn new(dtype: String, order: Order, arrays: Vec<VirtualArray>) -> Self {
        Self { dtype, order, prefix: String::new(), arrays }
    }

    /// Prepends a text to all paths, such as `/data/` or `s3://bucket/`.
    #[must_use]
    pub fn with_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// The keys and their values, in order.
    pub(super) fn entries(&self) -> impl Iterator<Item = (String, Value)> {
        let group = (".zgroup".to_owned(), Value::Inline("{\"zarr_format\":2}".to_owned()));
        let arrays = self.arrays.iter().flat_map(|array| {
            let metadata = [(".zarray", self.metadata(array)), (".zattrs", attributes(array))];
            let metadata = metadata.map(|(key, text)| (format!("{}/{key}", array.name), Value::Inline(text)));
            metadata.into_iter().chain(self.chunks(array))
        });
        std::iter::once(group).chain(arrays)
    }

    fn metadata(&self, array: &VirtualArray) -> String {
        let order = if self.order == Order::C { "C" } else { "F" };
        format!(
            "{{\"zarr_format\":2,\"shape\":{},\"chunks\":{},\"dtype\":{},\"compressor\":null,\"fill_value\":null,\"order\":\"{order}\",\
             \"filters\":null}}",
            list(&array.shape),
            list(&array.chunk),
            self.dtype
        )
    }

    fn chunks<'a>(&'a self, array: &'a VirtualArray) -> impl Iterator<Item = (String, Value)> + 'a {
        array.files.iter().flat_map(move |file| {
            (0..file.count).map(move |number| {
                let mut key = format!("{}/", array.name);
                for axis in 0..array.shape.len() {
                    let first = if axis == 0 { file.first } else { 0 };
                    let index = if axis == array.axis { first + number } else { first };
                    key.push_str(if axis == 0 { "" } else { "." });
                    key.push_str(&index.to_string());
                }
                let offset = file.begin + number * array.chunk_bytes;
                (key, Value::Bytes { path: format!("{}{}", self.prefix, file.path), offset, length: array.chunk_bytes })
            })
        })
    }
}

fn attributes(array: &VirtualArray) -> String {
    // The rows of the two arrays are different dimensions, because Xarray has one length for each.
    let rows = if array.name == "data" { "dim_0" } else { "rest_0" };
    let dimensions = (1..array.shape.len()).map(|axis| format!(",\"dim_{axis}\""));
    format!("{{\"_ARRAY_DIMENSIONS\":[\"{rows}\"{}]}}", dimensions.collect::<String>())
}

fn list(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    format!("[{}]", numbers.join(","))
}

/// Appends a text as JSON.
pub(super) fn push_json(text: &str, json: &mut String) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            '\0'..='\u{1f}' => {
                let _ = write!(json, "\\u{:04x}", u32::from(character));
            }
            _ => json.push(character),
        }
    }
    json.push('"');
}

/// The document as JSON, on one line.
impl fmt::Display for ZarrReferences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{\"version\":1,\"refs\":{")?;
        let mut json = String::new();
        for (key, value) in self.entries() {
            push_json(&key, &mut json);
            json.push(':');
            match value {
                Value::Inline(text) => push_json(&text, &mut json),
                Value::Bytes { path, offset, length } => {
                    json.push('[');
                    push_json(&path, &mut json);
                    let _ = write!(json, ",{offset},{length}]");
                }
            }
            f.write_str(&json)?;
            json.clear();
            json.push(',');
        }
        f.write_str("}}")
    }
}

impl fmt::Debug for ZarrReferences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shapes: Vec<_> = self.arrays.iter().map(|array| (array.name, &array.shape)).collect();
        f.debug_struct("ZarrReferences").field("dtype", &self.dtype).field("arrays", &shapes).finish_non_exhaustive()
    }
}
