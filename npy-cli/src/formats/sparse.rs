//! Sparse matrices of SciPy in pickles, as the members of `scipy.sparse.save_npz`, which `scipy.sparse.load_npz` opens.

use std::borrow::Cow;

use npy_core::object::{Opaque, PyObject};

use crate::select::value_of;

/// The members of the matrix that an object is.
pub(super) fn parts(object: &PyObject) -> Option<Vec<(String, Cow<'_, PyObject>)>> {
    let PyObject::Opaque(matrix) = object else { return None };
    let class = class_of(matrix).filter(|class| class.module.starts_with("scipy.sparse"))?;
    let (format, kind) = class.name.split_once('_').filter(|(_, kind)| ["matrix", "array"].contains(kind))?;
    let names: &[&str] = match format {
        "csr" | "csc" | "bsr" => &["indices", "indptr", "shape", "data"],
        "dia" => &["offsets", "shape", "data"],
        "coo" => &["row", "col", "shape", "data"],
        _ => return None,
    };
    let part = |name: &str| Some((name.to_owned(), value_of(object, name).or_else(|| coordinate(object, name))?));
    let mut parts = names.iter().map(|name| part(name)).collect::<Option<Vec<_>>>()?;
    parts.push(("format".to_owned(), Cow::Owned(PyObject::Bytes(format.into()))));
    if kind == "array" {
        parts.push(("_is_array".to_owned(), Cow::Owned(true.into())));
    }
    Some(parts)
}

/// The rows or the columns of a matrix of coordinates since SciPy 1.13, which has one tuple for both.
fn coordinate<'o>(matrix: &'o PyObject, name: &str) -> Option<Cow<'o, PyObject>> {
    let place = ["row", "col"].iter().position(|known| *known == name)?;
    match value_of(matrix, "coords")? {
        Cow::Borrowed(PyObject::Tuple(axes)) if axes.len() == 2 => axes.get(place).map(Cow::Borrowed),
        _ => None,
    }
}

/// The class of an object; that of the older protocols is an argument of `copyreg._reconstructor`.
fn class_of(object: &Opaque) -> Option<&Opaque> {
    match (object.name.as_str(), object.arguments.as_deref()) {
        ("_reconstructor", Some([PyObject::Opaque(class), ..])) => Some(class),
        ("_reconstructor", _) => None,
        _ => Some(object),
    }
}
