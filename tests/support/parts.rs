//! What a file holds, part by part: its arrays with their bytes, and whatever else it has.

use std::io::Cursor;

use npy_core::npz::NpzReader;
use npy_core::object::{self, ObjectArray};
use npy_core::{DynValues, Header, Order};

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The dtype and the shape of an array; what else it is.
    pub what: String,
    pub bytes: Vec<u8>,
}

/// The arrays of an `.npy` file, one after another, and the bytes that are none.
pub fn parts_of_npy(file: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = file;
    while !rest.is_empty() {
        let Ok((header, offset)) = Header::parse(rest) else { break };
        let data = &rest[offset..];
        let (after, bytes) = if header.dtype().has_object() {
            let mut after = rest;
            match object::read(&mut after) {
                // As it is written today: a command may read it and write it again.
                Ok(array) => (after, pickle_of(&array)),
                // It may be of any length.
                Err(_) => (&data[data.len()..], data.to_vec()),
            }
        } else {
            let Some((data, after)) = data.split_at_checked(header.data_bytes() as usize) else { break };
            (after, in_c_order(&header, data))
        };
        parts.push(Part { what: format!("{} {:?}", header.dtype(), header.shape()), bytes });
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part { what: "bytes".to_owned(), bytes: rest.to_vec() });
    }
    parts
}

fn pickle_of(array: &ObjectArray) -> Vec<u8> {
    let mut file = Vec::new();
    array.write(&mut file).unwrap();
    file
}

/// The bytes of an array, which a command may transpose.
fn in_c_order(header: &Header, data: &[u8]) -> Vec<u8> {
    if header.order() == Order::C {
        return data.to_vec();
    }
    let values = DynValues::new(header.dtype().clone(), Order::Fortran, header.shape(), data.to_vec()).unwrap();
    values.into_order(Order::C).unwrap().into_bytes()
}

/// The parts of the members of an archive, in the order of their names. `None` if it cannot be opened.
pub fn parts_of_npz(file: &[u8]) -> Option<Vec<Part>> {
    let mut archive = NpzReader::new(Cursor::new(file)).ok()?;
    let mut parts = Vec::new();
    for index in 0..archive.len() {
        let name = archive.full_name(index)?.to_owned();
        let Ok(content) = archive.bytes(index, 1 << 24) else { continue };
        let inner = parts_of_npy(&content);
        parts.extend(inner.into_iter().map(|part| Part { what: format!("{name}: {}", part.what), ..part }));
    }
    parts.sort_by(|a, b| a.what.cmp(&b.what));
    Some(parts)
}
