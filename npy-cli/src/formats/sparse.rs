//! Sparse matrices of SciPy in pickles, as the members of `scipy.sparse.save_npz`, which `scipy.sparse.load_npz` opens.

use std::borrow::Cow;

use npy_core::object::{FromPyObject, Opaque, PyInt, PyObject, encode_object};
use npy_core::{DType, DynValues, Order};

use crate::select::value_of;

type Parts<'o> = Vec<(String, Cow<'o, PyObject>)>;

/// The members of the matrix that an object is. SciPy saves lists of lists and dicts of keys in no file; they are coordinates here.
pub(super) fn parts(object: &PyObject) -> Option<Parts<'_>> {
    let PyObject::Opaque(matrix) = object else { return None };
    let class = class_of(matrix).filter(|class| class.module.starts_with("scipy.sparse"))?;
    let (format, kind) = class.name.split_once('_').filter(|(_, kind)| ["matrix", "array"].contains(kind))?;
    let named = |names: &[&str]| {
        let part = |name: &&str| Some(((*name).to_owned(), value_of(object, name).or_else(|| coordinate(object, name))?));
        names.iter().map(part).collect::<Option<Parts<'_>>>()
    };
    let (mut parts, format) = match format {
        "csr" | "csc" | "bsr" => (named(&["indices", "indptr", "shape", "data"])?, format),
        "dia" => (named(&["offsets", "shape", "data"])?, format),
        "coo" => (named(&["row", "col", "shape", "data"])?, format),
        "lil" => (coordinates(object, &of_lists(object)?)?, "coo"),
        "dok" => (coordinates(object, &of_dict(object, matrix)?)?, "coo"),
        _ => return None,
    };
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

/// The row, the column and the value of each entry.
type Entries<'o> = Vec<(i64, &'o PyObject, &'o PyObject)>;

/// The members of a matrix with these entries.
fn coordinates<'o>(matrix: &'o PyObject, entries: &Entries<'o>) -> Option<Parts<'o>> {
    let dtype = match &*value_of(matrix, "dtype")? {
        PyObject::DType(dtype) => DType::clone(dtype),
        _ => return None,
    };
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (row, column, value) in entries {
        rows.push(*row);
        columns.push(PyInt::from_object(column).ok()?.to_i64()?);
        encode_object(&dtype, value, &mut values)?;
    }
    let values = DynValues::new(dtype, Order::C, &[entries.len()], values).ok()?;
    let indices = |indices: Vec<i64>| Some(Cow::Owned(DynValues::from_slice(&indices).ok()?.into()));
    Some(vec![
        ("row".to_owned(), indices(rows)?),
        ("col".to_owned(), indices(columns)?),
        ("shape".to_owned(), value_of(matrix, "shape")?),
        ("data".to_owned(), Cow::Owned(values.into())),
    ])
}

/// Of a list of columns, and one of values, for each row.
fn of_lists(matrix: &PyObject) -> Option<Entries<'_>> {
    let lists = |name: &str| match value_of(matrix, name)? {
        Cow::Borrowed(PyObject::Objects(array)) => Some(array.items()),
        _ => None,
    };
    let mut entries = Vec::new();
    for (row, (columns, values)) in lists("rows")?.iter().zip(lists("data")?).enumerate() {
        let (PyObject::List(columns), PyObject::List(values)) = (columns, values) else { return None };
        if columns.len() != values.len() {
            return None;
        }
        let row = i64::try_from(row).ok()?;
        entries.extend(columns.iter().zip(values).map(|(column, value)| (row, column, value)));
    }
    Some(entries)
}

/// Of a dict whose keys are the row and the column; before SciPy 1.12 the matrix itself is that dict.
fn of_dict<'o>(object: &'o PyObject, matrix: &'o Opaque) -> Option<Entries<'o>> {
    let dict = match value_of(object, "_dict") {
        Some(Cow::Borrowed(PyObject::Dict(dict))) => dict,
        Some(_) => return None,
        None => &matrix.entries,
    };
    let entry = |(key, value): &'o (PyObject, PyObject)| match key {
        PyObject::Tuple(key) => {
            let [row, column] = &key[..] else { return None };
            Some((PyInt::from_object(row).ok()?.to_i64()?, column, value))
        }
        _ => None,
    };
    dict.iter().map(entry).collect()
}

/// The class of an object; that of the older protocols is an argument of `copyreg._reconstructor`.
fn class_of(object: &Opaque) -> Option<&Opaque> {
    match (object.name.as_str(), object.arguments.as_deref()) {
        ("_reconstructor", Some([PyObject::Opaque(class), ..])) => Some(class),
        ("_reconstructor", _) => None,
        _ => Some(object),
    }
}
