//! The value of a path as an input of its own: a part of an array, or an archive of the arrays in a dict or a list of Python objects.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use npy_core::npz::NpzWriter;
use npy_core::object::{ObjectArray, PyObject};
use npy_core::{Header, Order};

use super::sparse;
use crate::failure::{Failure, Result};
use crate::input::{Array, Input, Named, Spool, in_memory, not_spooled, object_options, spooled};
use crate::objects::{Wish, advice, array_of, numbers, type_of, typed, unknown_classes};
use crate::output;
use crate::select::{Chosen, Selection, Slice, entries_of, items_of, key_text};
use crate::values::quantity;

/// A name, and what becomes its array.
type Member<'o> = (String, Cow<'o, PyObject>);

/// The input that an argument names, with what its path leads to.
pub(super) fn input_of(named: Named) -> Result<Input> {
    match named {
        Named::Input(input) => Ok(input),
        Named::Below(input, path) => inside(input, &path),
        Named::Other(other) => Err(other.failure()),
    }
}

/// Follows a path into the only array of an input: a slice, fields, or keys of Python objects.
pub(crate) fn inside(mut input: Input, path: &str) -> Result<Input> {
    let parts = [Some(input.name()), input.selected(), Some(path).filter(|path| !path.is_empty())];
    let name = match input.selected() {
        Some(member) if path.starts_with('[') => format!("{}:{member}{path}", input.name()),
        _ => parts.into_iter().flatten().collect::<Vec<_>>().join(":"),
    };
    let about = |failure: Failure| match failure {
        Failure::Unwritten(error) => not_spooled(&error).about(&name),
        failure => failure.about(&name),
    };
    let slice = Slice::new(path).map_err(about)?;
    let (index, file) = (input.only_member()?, input.path().map(Path::to_owned));
    if !input.header(index)?.dtype().has_object() {
        input.tell_of_further();
        let (fields, spool) = input.with_member(index, |array| part(array, &slice)).map_err(about)?;
        let fields = fields.or_else(|| input.selected().map(str::to_owned)).unwrap_or_default();
        return Ok(Input::spooled(&name, spool, None)?.below(fields, Vec::new(), file));
    }
    let objects = input.with_member(index, |array| Ok(array.into_objects(object_options())?))?;
    let found = object_at(&slice, objects).map_err(about)?;
    if let PyObject::Opaque(object) = &found
        && !advice(&format!("{}.", object.module)).is_empty()
    {
        return Err(about(not_an_array(&found)));
    }
    let mut left_out = Vec::new();
    let spool = Spool::written(|file| match members(&found) {
        Some(members) => write_archive(&members, file, &mut left_out),
        None => {
            let mut out = BufWriter::new(file);
            write(&found, &mut out)?;
            Ok(out.flush()?)
        }
    });
    Ok(Input::spooled(&name, spool.map_err(about)?, None)?.below(slice.name(), left_out, file))
}

/// A part of an array without objects in a temporary file, and the fields that led to it.
fn part(mut array: Box<dyn Array + '_>, slice: &Slice) -> Result<(Option<String>, Spool)> {
    let selection = slice.of(array.header())?;
    if !array.can_go_back() && !selection.is_forward(array.header().order()) {
        array = spooled(&mut *array)?;
    }
    let spool = Spool::written(|file| {
        let mut out = BufWriter::with_capacity(1 << 18, file);
        write_part(&selection, &mut *array, &mut out)?;
        Ok(out.flush()?)
    })?;
    Ok((selection.fields_name(), spool))
}

fn write_part(selection: &Selection, array: &mut dyn Array, out: &mut dyn Write) -> Result<()> {
    let dtype = selection.dtype();
    out.write_all(&Header::new(dtype.clone(), Order::C, &selection.shape())?.to_bytes())?;
    let stored = if dtype.itemsize() == 0 { 0 } else { selection.count() };
    selection.for_each_piece(0..stored, array, &mut |values| Ok(out.write_all(values.bytes())?))
}

/// The object that a path selects, or the array.
pub(crate) fn object_at(slice: &Slice, objects: ObjectArray) -> Result<PyObject> {
    let (chosen, selection) = slice.inside(objects)?;
    let chosen = match chosen {
        Chosen::Values(values) if selection.is_whole() => Chosen::Values(values),
        Chosen::Values(values) => Chosen::Values(selection.read(&mut in_memory(&values)?)?),
        Chosen::Objects(array) => selection.of_objects(&array)?,
    };
    Ok(match chosen {
        Chosen::Values(values) => values.into(),
        Chosen::Objects(array) if array.shape().is_empty() && array.dtype().record().is_none() => {
            array.into_parts().1.pop().unwrap_or(PyObject::None)
        }
        Chosen::Objects(array) => array.into(),
    })
}

/// The arrays of which an object consists; `None` if it is one itself.
fn members(object: &PyObject) -> Option<Vec<Member<'_>>> {
    if let Some(parts) = sparse::parts(object) {
        return Some(parts);
    }
    let items = match object {
        PyObject::Objects(array) if array.shape().len() == 1 && array.dtype().record().is_none() => array.items(),
        PyObject::Opaque(_) => items_of(object).filter(|_| entries_of(object).is_none()).unwrap_or_default(),
        object => items_of(object).unwrap_or_default(),
    };
    // Numbers and texts are one array together; arrays may have different shapes.
    if items.iter().any(|item| matches!(item, PyObject::Array(_) | PyObject::Objects(_) | PyObject::Subclass(_))) {
        return Some(items.iter().enumerate().map(|(place, item)| (place.to_string(), Cow::Borrowed(item))).collect());
    }
    let entries = entries_of(object)?;
    Some(entries.into_iter().map(|(key, value)| (key_text(&key).into_owned(), value)).collect())
}

/// Writes all members but those that only Python can make. These are named in `left_out`.
fn write_archive(members: &[Member<'_>], file: &mut File, left_out: &mut Vec<String>) -> Result<()> {
    let mut archive = NpzWriter::new(BufWriter::with_capacity(1 << 18, file));
    let mut unknown = Vec::new();
    for (name, object) in members {
        if let Some(classes) = unknown_classes(&ObjectArray::new(&[], vec![PyObject::clone(object)])?) {
            unknown.push(format!("{name:?} with {classes}"));
            continue;
        }
        output::add_array(&mut archive, name, |member| write(object, member))?;
    }
    archive.finish()?.flush()?;
    match &unknown[..] {
        [] => {}
        [key] => left_out.push(format!("the key {key}")),
        [first, ..] => left_out.push(format!("{} keys, such as {first}", quantity::count(unknown.len() as u64))),
    }
    Ok(())
}

/// Writes an object as the array that it is: a list as `np.array` does, anything else of one element without axes.
fn write(object: &PyObject, out: &mut dyn Write) -> Result<()> {
    let array = match object.plain() {
        PyObject::Array(values) | PyObject::Scalar(values) => return Ok(values.write(out)?),
        PyObject::Objects(array) => return write_objects(array, out),
        object => match items_of(object) {
            Some(items) => {
                let array = array_of(items)?;
                if let Some(values) = numbers(&array) {
                    return write_values(values, out);
                }
                array
            }
            None => ObjectArray::new(&[], vec![object.clone()])?,
        },
    };
    write_objects(&array, out)
}

fn write_values(values: Box<dyn Array>, out: &mut dyn Write) -> Result<()> {
    out.write_all(&values.header().to_bytes())?;
    values.copy_from(0, out).map(drop)
}

/// Writes objects as the dtype of their values, or as a pickle if there is none.
fn write_objects(array: &ObjectArray, out: &mut dyn Write) -> Result<()> {
    match typed(array, Wish::default()) {
        Ok(values) => write_values(values, out),
        Err(failure @ (Failure::BrokenPipe | Failure::Interrupted)) => Err(failure),
        Err(_) => match (unknown_classes(array), array.items()) {
            (None, _) => Ok(array.write(out)?),
            (Some(_), [item]) => Err(not_an_array(item)),
            (Some(classes), _) => {
                Err(Failure::Nameless(format!("expected arrays and plain values, found {classes}{}", advice(&classes))))
            }
        },
    }
}

fn not_an_array(object: &PyObject) -> Failure {
    let found = type_of(object);
    Failure::Nameless(format!("expected an array, a list or a dict, found {found}{}", advice(&found)))
}
