//! Properties of a file as JSON.

use npy_core::DType;
use serde_json::{Value, json};

use super::about::{About, AboutArray, Content, Member, MemberContent, method_name, title_text};
use crate::commands::order::order_name;
use crate::output::without_nulls;

impl About {
    pub(super) fn to_json(&self) -> Value {
        let about = json!({"file": self.file, "bytes": self.bytes});
        without_nulls(match &self.content {
            Content::Array { format, array, further } => {
                let to_json = |(place, array): (usize, &AboutArray)| array.to_json(json!({"name": self.further_name(place)}));
                let further: Vec<Value> = further.iter().enumerate().map(to_json).collect();
                let further = json!({"format": format, "further": (!further.is_empty()).then_some(further)});
                array.to_json(joined(about, further))
            }
            Content::Archive { format, members } => {
                let members: Vec<Value> = members.iter().map(Member::to_json).collect();
                joined(about, json!({"format": format, "members": members}))
            }
            Content::Damaged(message) => joined(about, json!({"error": message})),
        })
    }
}

/// An object with the properties of another.
fn joined(mut object: Value, other: Value) -> Value {
    if let (Some(object), Value::Object(other)) = (object.as_object_mut(), other) {
        object.extend(other);
    }
    object
}

impl AboutArray {
    /// These properties, and those of the array.
    fn to_json(&self, about: Value) -> Value {
        let header = &self.header;
        let dtype = header.dtype();
        let bytes = |is_wanted: fn(i128) -> bool| {
            let bytes = self.trailing.filter(|bytes| is_wanted(*bytes))?.unsigned_abs();
            Some(u64::try_from(bytes).unwrap_or(u64::MAX))
        };
        let tree = self.tree.as_ref().map_or_else(|| json!({}), |tree| tree.to_json());
        without_nulls(joined(
            joined(about, tree),
            json!({
                "version": header.version().to_string(),
                "dtype": dtype.to_string(),
                "shape": header.shape(),
                "order": order_name(header),
                "itemsize": dtype.itemsize(),
                "count": header.element_count(),
                "data_bytes": header.data_bytes(),
                "objects": dtype.has_object(),
                "mappable": self.is_mappable(),
                "data_offset": self.data_offset,
                "alignment": self.alignment(),
                "missing_bytes": bytes(i128::is_negative),
                "trailing_bytes": bytes(|bytes| bytes >= 0),
                "problem": self.problem,
                "fields": fields_json(dtype, 0),
            }),
        ))
    }
}

impl Member {
    fn to_json(&self) -> Value {
        let about = json!({
            "name": self.name,
            "compression": method_name(self.method),
            "bytes": self.bytes,
            "compressed_bytes": self.compressed_bytes,
            "ratio": self.ratio(),
            "array": !matches!(self.content, MemberContent::Other),
        });
        match &self.content {
            MemberContent::Array(array) => array.to_json(about),
            MemberContent::Other => about,
            MemberContent::Damaged(message) => joined(about, json!({"error": message})),
        }
    }
}

fn fields_json(dtype: &DType, base: usize) -> Option<Value> {
    let fields = dtype.record()?.fields().iter().map(|field| {
        let offset = base + field.offset();
        without_nulls(json!({
            "name": field.name(),
            "offset": offset,
            "dtype": field.dtype().to_string(),
            "itemsize": field.dtype().itemsize(),
            "title": field.title().map(title_text),
            "fields": fields_json(field.dtype(), offset),
        }))
    });
    Some(fields.collect())
}
