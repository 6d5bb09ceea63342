//! Arrays of Python objects: read as data, of which nothing is run.

mod kind;
mod part;
mod missing;
mod nested;
mod typed;

use std::collections::BTreeSet;

use npy_core::object::{ObjectArray, Opaque, PyObject};

pub(crate) use kind::{Wish, type_of};
#[cfg(feature = "arrow")]
pub(crate) use missing::below;
pub(crate) use missing::{missing, without_missing};
pub(crate) use nested::{array_of, numbers};
pub(crate) use part::{Part, parts, with_fields};
pub(crate) use typed::{expect_one_kind, is_text_in_csv, plain, typed};

/// The unknown classes of an array as a remark; `None` if there are none.
pub(crate) fn unknown_classes(array: &ObjectArray) -> Option<String> {
    let mut names = BTreeSet::new();
    for item in array.items() {
        for_each_opaque(item, &mut |opaque| {
            // The functions of pickle itself stand before the class.
            if !matches!(opaque.module.as_str(), "copyreg" | "copy_reg" | "builtins" | "__builtin__") {
                names.insert(format!("{}.{}", opaque.module, opaque.name));
            }
        });
    }
    let plural = if names.len() == 1 { "" } else { "es" };
    let more = if names.len() > MOST_NAMES { ", …" } else { "" };
    let list = names.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| format!("unknown class{plural} {list}{more}"))
}

/// The most names in a remark.
const MOST_NAMES: usize = 5;

/// Calls `each` with the objects of unknown classes, at any depth.
fn for_each_opaque(object: &PyObject, each: &mut dyn FnMut(&Opaque)) {
    if let PyObject::Opaque(opaque) = object {
        each(opaque);
    }
    for child in object.children() {
        for_each_opaque(child, each);
    }
}
