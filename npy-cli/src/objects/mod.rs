//! Arrays of Python objects: read as data, of which nothing is run.

mod kind;
mod part;
mod missing;
mod nested;
mod typed;

use std::collections::BTreeSet;

use npy_core::object::{ObjectArray, Opaque, PyObject};
use npy_core::{Error, ErrorKind};

use kind::is_cycle;

pub(crate) use kind::{Wish, advice, type_of};
#[cfg(feature = "arrow")]
pub(crate) use missing::below;
pub(crate) use missing::{missing, without_missing};
pub(crate) use nested::{array_of, numbers};
pub(crate) use part::{Part, parts, with_fields};
pub(crate) use typed::{expect_one_kind, is_text_in_csv, plain, typed};

/// The unknown classes of an array as a remark, and references of objects to themselves; `None` if there are none.
pub(crate) fn unknown_classes(array: &ObjectArray) -> Option<String> {
    let mut names = BTreeSet::new();
    let mut has_cycle = false;
    for item in array.items() {
        for_each_opaque(item, &mut |opaque| {
            has_cycle |= is_cycle(opaque);
            // The functions of pickle itself stand before the class.
            if !matches!(opaque.module.as_str(), "copyreg" | "copy_reg" | "builtins" | "__builtin__" | "") {
                names.insert(format!("{}.{}", opaque.module, opaque.name));
            }
        });
    }
    let plural = if names.len() == 1 { "" } else { "es" };
    let more = if names.len() > MOST_NAMES { ", …" } else { "" };
    let list = names.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
    let classes = (!names.is_empty()).then(|| format!("unknown class{plural} {list}{more}"));
    let cycle = has_cycle.then(|| "a cyclic reference".to_owned());
    let parts: Vec<String> = classes.into_iter().chain(cycle).collect();
    (!parts.is_empty()).then(|| parts.join(", and "))
}

/// Whether an error is about a pickle that Python may read, although it is not read here.
pub(crate) fn is_intact(error: &Error) -> bool {
    // At a byte of the pickle, and not of the header.
    error.offset().is_some() && matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::LimitExceeded)
}

/// The most names in a remark.
const MOST_NAMES: usize = 5;

/// Calls `each` with the objects of unknown classes, at any depth. Those of pandas consist of many others.
fn for_each_opaque(object: &PyObject, each: &mut dyn FnMut(&Opaque)) {
    if let PyObject::Opaque(opaque) = object {
        each(opaque);
        if opaque.module.starts_with("pandas.") || opaque.module == "pandas" {
            return;
        }
    }
    for child in object.children() {
        for_each_opaque(child, each);
    }
}
