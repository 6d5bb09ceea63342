//! Records with Python objects as structs with `#[derive(serde::Deserialize)]`.

use std::collections::VecDeque;
use std::fmt::Write as _;

use super::super::{DType, Field, Record, ScalarKind, rust_type};
use super::names::{Names, field_name, type_name};
use crate::error::describe::counted;

/// The struct of a record, and those of the records in it.
pub(super) fn structs(record: &Record, name: String, names: &mut Names) -> String {
    let read = format!("`npy_core::object::load(path)?.deserialize::<{name}>()`");
    let mut text = format!("/// A record with Python objects, read by {read}.\n");
    let mut waiting = VecDeque::from([(record, name)]);
    while let Some((record, name)) = waiting.pop_front() {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "#[derive(Clone, Debug, PartialEq, serde::Deserialize)]\npub struct {name} {{");
        let mut idents = Names::default();
        for field in record.fields() {
            let (rust, doc) = match inner_record(field) {
                Some(inner) => {
                    let inner_name = names.add(&(name.clone() + &type_name(field.name())), "");
                    waiting.push_back((inner, inner_name.clone()));
                    (in_sequences(inner_name, field.dtype()), "A record.".to_owned())
                }
                None => (type_of(field.dtype()), format!("`{}`", field.dtype())),
            };
            let _ = writeln!(text, "    /// {doc}");
            let ident = idents.add(&field_name(field.name()), "_");
            if ident.trim_start_matches("r#") != field.name() {
                let _ = writeln!(text, "    #[serde(rename = {:?})]", field.name());
            }
            let _ = writeln!(text, "    pub {ident}: {rust},");
        }
        text.push_str("}\n");
        if let Some((next, _)) = waiting.front() {
            let _ = write!(text, "\n/// A record of {}.\n", counted(next.fields().len(), "field"));
        }
    }
    text
}

/// The record that a field holds one or several of. An array of records without objects is one of
/// NumPy's in the pickle, whose elements serde is not given.
fn inner_record(field: &Field) -> Option<&Record> {
    match field.dtype() {
        DType::Record(record) => Some(record),
        DType::SubArray(array) if field.dtype().has_object() => match array.flattened().0 {
            DType::Record(record) => Some(record),
            _ => None,
        },
        _ => None,
    }
}

/// The type as which a field without structs is deserialized, by the table of `object::from_object`.
fn type_of(dtype: &DType) -> String {
    let base = dtype.flattened().0;
    let DType::Scalar(scalar) = base else { return OBJECT.to_owned() };
    let rust = match scalar.kind() {
        ScalarKind::Float16 => "f32".to_owned(),
        ScalarKind::Complex64 => "(f32, f32)".to_owned(),
        ScalarKind::Complex128 => "(f64, f64)".to_owned(),
        ScalarKind::Unicode { .. } => "String".to_owned(),
        ScalarKind::Object => OBJECT.to_owned(),
        // Times may be NaT, and serde has no long doubles.
        ScalarKind::Datetime { .. }
        | ScalarKind::Timedelta { .. }
        | ScalarKind::Bytes { .. }
        | ScalarKind::Void { .. }
        | ScalarKind::LongDouble { .. }
        | ScalarKind::ComplexLongDouble { .. } => return OBJECT.to_owned(),
        _ => match rust_type(base, "") {
            Some(rust) => rust,
            None => return OBJECT.to_owned(),
        },
    };
    in_sequences(rust, dtype)
}

const OBJECT: &str = "npy_core::object::PyObject";

/// The type in an array for each axis of a sub-array; in a `Vec` where serde has no array.
fn in_sequences(item: String, dtype: &DType) -> String {
    let DType::SubArray(array) = dtype else { return item };
    let axes = array.flattened().1;
    // An empty array has no items.
    let has_lengths = axes.iter().all(|length| (1..=32).contains(length));
    axes.iter().rev().fold(item, |item, length| if has_lengths { format!("[{item}; {length}]") } else { format!("Vec<{item}>") })
}
