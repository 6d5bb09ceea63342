//! Each attribute of `#[derive(NpyRecord)]` and each shape of type, alone and nested.

#![allow(clippy::cloned_ref_to_slice_refs, reason = "an array of one shows what is compared")]

mod absence;
mod conversions;
mod fill;
mod layouts;
mod names;
mod shapes;
mod text_and_time;

use std::fmt::Debug;

use npy_core::dtype::ByteOrder;
use npy_core::types::unit::{Millisecond, Nanosecond};
use npy_core::types::{Datetime64, FixedBytes, FixedUnicode};
use npy_core::{ErrorKind, Header, NpyElement, NpyReader, NpyRecord, NpyWriter, Order};

use crate::support::{as_little_endian, native, written};

/// Any element inside of a record, alone and in an array of arrays.
#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Nested<T> {
    before: u8,
    alone: T,
    several: [[T; 2]; 1],
}

/// The items in a file of another dtype.
fn written_as<T: NpyElement>(items: &[T], dtype: &str) -> Vec<u8> {
    let header = Header::new(dtype.parse().unwrap(), Order::C, &[items.len()]).unwrap();
    let mut writer = NpyWriter::with_header(Vec::new(), &header).unwrap();
    writer.write_slice(items).unwrap();
    writer.finish().unwrap()
}

/// A file of that dtype with nothing but zeros in it.
fn zeros(dtype: &str) -> Vec<u8> {
    crate::support::zeros(dtype, Order::C, &[2])
}

fn dtype_of_file(file: &[u8]) -> String {
    Header::parse(file).unwrap().0.dtype().to_string()
}

/// Items are written under `dtype`, which names little-endian for native, and read again: alone,
/// nested in another record, and byte-swapped.
fn round_trip<T: NpyElement + Clone + Debug + PartialEq>(items: &[T], dtype: &str) {
    let file = written(items);
    assert_eq!(as_little_endian(dtype_of_file(&file)), as_little_endian(dtype));
    assert_eq!(npy_core::read::<T>(&file[..]).unwrap(), items);
    let mut over = items.to_vec();
    over.reverse();
    NpyReader::new(&file[..]).unwrap().read_into(&mut over).unwrap();
    assert_eq!(over, items);

    let nested: Vec<_> =
        items.iter().map(|item| Nested { before: 7, alone: item.clone(), several: [[item.clone(), items[0].clone()]] }).collect();
    let file = written(&nested);
    assert_eq!(npy_core::read::<Nested<T>>(&file[..]).unwrap(), nested, "{}", dtype_of_file(&file));
    let (header, _) = Header::parse(&file).unwrap();
    let other = if ByteOrder::NATIVE == ByteOrder::Little { ByteOrder::Big } else { ByteOrder::Little };
    let swapped = header.dtype().clone().with_byte_order(other).to_string();
    assert_eq!(npy_core::read::<Nested<T>>(&written_as(&nested, &swapped)[..]).unwrap(), nested, "{swapped}");
}

/// The paths of all mismatches, with their messages.
fn mismatches<T: NpyElement + Debug>(file: &[u8]) -> Vec<(String, String)> {
    mismatches_of(&npy_core::read::<T>(file).unwrap_err())
}

/// The paths of the mismatches that an error lists, with their messages.
fn mismatches_of(error: &npy_core::Error) -> Vec<(String, String)> {
    assert_eq!(error.kind(), ErrorKind::Mismatch, "{error}");
    let (_, list) = error.message().split_once(": ").unwrap();
    let list = list.split_once(" mismatches\n").map_or(list, |(_, several)| several);
    let parts = list.lines().map(|line| line.trim_start().split_once(": ").unwrap());
    parts.map(|(path, message)| (path.to_owned(), message.to_owned())).collect()
}

/// Where in which record, and what.
fn problem<T>(result: npy_core::Result<T>) -> (u64, String, String) {
    let error = result.map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidValue, "{error}");
    (error.element().unwrap(), error.field().unwrap().to_owned(), error.message().to_owned())
}
