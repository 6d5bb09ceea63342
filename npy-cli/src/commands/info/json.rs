//! What is known of a file as JSON.

use npy_core::DType;
use serde_json::{Map, Value, json};

use super::about::{About, AboutArray, Content, Member, MemberContent, method_name, name_of, order_of, title_text};

impl About {
    pub(super) fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("file".to_owned(), json!(self.file));
        if let Some(bytes) = self.bytes {
            object.insert("bytes".to_owned(), json!(bytes));
        }
        match &self.content {
            Content::Array { format, array, further } => {
                object.insert("format".to_owned(), json!(name_of(*format)));
                array.add_to_json(&mut object);
                let to_json = |(place, array): (usize, &AboutArray)| {
                    let mut object = Map::new();
                    object.insert("name".to_owned(), json!(self.further_name(place)));
                    array.add_to_json(&mut object);
                    Value::Object(object)
                };
                if !further.is_empty() {
                    object.insert("further".to_owned(), further.iter().enumerate().map(to_json).collect());
                }
            }
            Content::Archive(members) => {
                object.insert("format".to_owned(), json!("npz"));
                object.insert("members".to_owned(), members.iter().map(Member::to_json).collect());
            }
            Content::Damaged(message) => {
                object.insert("error".to_owned(), json!(message));
            }
        }
        Value::Object(object)
    }
}

impl AboutArray {
    fn add_to_json(&self, object: &mut Map<String, Value>) {
        let header = &self.header;
        let dtype = header.dtype();
        let mut insert = |key: &str, value: Value| object.insert(key.to_owned(), value);
        insert("version", json!(header.version().to_string()));
        insert("dtype", json!(dtype.to_string()));
        insert("shape", json!(header.shape()));
        insert("order", json!(order_of(header)));
        insert("itemsize", json!(dtype.itemsize()));
        insert("count", json!(header.element_count()));
        insert("data_bytes", json!(header.data_bytes()));
        insert("objects", json!(dtype.has_object()));
        insert("mappable", json!(self.is_mappable()));
        if let (Some(offset), Some(alignment)) = (self.data_offset, self.alignment()) {
            insert("data_offset", json!(offset));
            insert("alignment", json!(alignment));
        }
        match self.trailing {
            Some(bytes) if bytes < 0 => {
                insert("missing_bytes", json!(u64::try_from(-bytes).unwrap_or(u64::MAX)));
            }
            Some(bytes) => {
                insert("trailing_bytes", json!(u64::try_from(bytes).unwrap_or(u64::MAX)));
            }
            None => {}
        }
        if let Some(transfer) = self.transfer {
            insert("problem", json!(transfer));
        }
        if let Some(fields) = fields_json(dtype, 0) {
            insert("fields", fields);
        }
    }
}

impl Member {
    fn to_json(&self) -> Value {
        let mut object = Map::new();
        let mut insert = |key: &str, value: Value| object.insert(key.to_owned(), value);
        insert("name", json!(self.name));
        insert("compression", json!(method_name(self.method)));
        insert("bytes", json!(self.bytes));
        insert("compressed_bytes", json!(self.compressed_bytes));
        insert("ratio", json!(self.ratio()));
        insert("array", json!(!matches!(self.content, MemberContent::Other)));
        match &self.content {
            MemberContent::Array(array) => array.add_to_json(&mut object),
            MemberContent::Other => {}
            MemberContent::Damaged(message) => {
                object.insert("error".to_owned(), json!(message));
            }
        }
        Value::Object(object)
    }
}

fn fields_json(dtype: &DType, base: usize) -> Option<Value> {
    let fields = dtype.record()?.fields().iter().map(|field| {
        let offset = base + field.offset();
        let mut object = Map::new();
        object.insert("name".to_owned(), json!(field.name()));
        object.insert("offset".to_owned(), json!(offset));
        object.insert("dtype".to_owned(), json!(field.dtype().to_string()));
        object.insert("itemsize".to_owned(), json!(field.dtype().itemsize()));
        if let Some(title) = field.title() {
            object.insert("title".to_owned(), json!(title_text(title)));
        }
        if let Some(fields) = fields_json(field.dtype(), offset) {
            object.insert("fields".to_owned(), fields);
        }
        Value::Object(object)
    });
    Some(fields.collect())
}
