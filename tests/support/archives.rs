//! An archive with members of every kind, and its expected content.
#![allow(dead_code, reason = "each test binary uses another part")]

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use npy_core::npz::{NpzReader, NpzWriter, WriteOptions};
use npy_core::{Error, Header, NpyElement, NpyRecord, Order};

#[derive(NpyRecord, Clone, Debug, PartialEq)]
pub struct Pick {
    pub id: u32,
    pub name: String,
    pub xyz: [f32; 3],
}

pub fn picks() -> Vec<Pick> {
    (0..5).map(|id| Pick { id, name: "abc"[..id as usize % 3 + 1].to_owned(), xyz: [id as f32; 3] }).collect()
}

pub fn values() -> Vec<f64> {
    (0..1000).map(|i| f64::from(i) / 3.0).collect()
}

/// An archive with a little of everything, by whatever `writer` is.
pub fn fill<W: std::io::Write>(mut archive: NpzWriter<W>) -> W {
    archive.add_slice("values", &values()).unwrap();
    archive.add_slice("picks", &picks()).unwrap();
    let header = Header::new(i16::dtype(), Order::Fortran, &[2, 3]).unwrap();
    archive.add("größe/matrix", &header, |matrix| matrix.write_slice(&[1_i16, 4, 2, 5, 3, 6])).unwrap();
    archive.add_slice::<u8>("empty", &[]).unwrap();
    archive.add_slice("", &[true, false]).unwrap();
    archive.finish().unwrap()
}

pub fn stored() -> Vec<u8> {
    fill(NpzWriter::new(Cursor::new(Vec::new()))).into_inner()
}

pub fn compressed() -> Vec<u8> {
    fill(NpzWriter::new_compressed(Cursor::new(Vec::new()))).into_inner()
}

pub fn streamed() -> Vec<u8> {
    fill(NpzWriter::streaming(Vec::new()))
}

/// Reads everything that `fill` wrote.
pub fn check(archive: &[u8]) {
    let mut archive = NpzReader::new(Cursor::new(archive)).unwrap();
    assert_eq!(archive.names().collect::<Vec<_>>(), ["values", "picks", "größe/matrix", "empty", ""]);
    assert_eq!(archive.by_name::<f64>("values").unwrap(), values());
    assert_eq!(archive.by_name::<Pick>("picks").unwrap(), picks());
    assert_eq!(archive.by_name::<Pick>("picks.npy").unwrap(), picks());
    let index = archive.index_of("größe/matrix").unwrap();
    let header = archive.header(index).unwrap();
    assert_eq!((header.shape(), header.order()), ([2, 3].as_slice(), Order::Fortran));
    assert_eq!(archive.array(index).unwrap().into_vec::<i16>().unwrap(), [1, 4, 2, 5, 3, 6]);
    assert!(archive.by_name::<u8>("empty").unwrap().is_empty());
    assert_eq!(archive.by_index::<bool>(4).unwrap(), [true, false]);
    // One after another, in parts, and some columns.
    let sum: f64 = archive.array(0).unwrap().records::<f64>().map(Result::unwrap).sum();
    assert!((sum - values().iter().sum::<f64>()).abs() < 1e-9);
    let (id, xyz) = archive.array(1).unwrap().into_columns::<(u32, [f32; 3])>(["id", "xyz"]).unwrap();
    assert_eq!((id[4], xyz[4]), (4, [4.0; 3]));
}

/// A pseudo-random number, the same in every run.
pub fn random(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

/// The message of the error, without the names of the file and the member.
pub fn problem<T>(result: Result<T, Error>) -> String {
    result.map(|_| ()).unwrap_err().without_path().to_string()
}

/// An archive in memory.
pub fn writer() -> NpzWriter<Cursor<Vec<u8>>> {
    writer_with(WriteOptions::new())
}

/// An archive in memory, with options.
pub fn writer_with(options: WriteOptions) -> NpzWriter<Cursor<Vec<u8>>> {
    NpzWriter::new_with(Cursor::new(Vec::new()), options)
}

/// The position of the first record of an archive with this signature, such as `PK\x01\x02` of the central directory.
pub fn position_of(archive: &[u8], signature: &[u8; 4]) -> usize {
    archive.windows(4).position(|window| window == signature).unwrap()
}

/// The members of an archive with their content.
pub fn members(path: &Path) -> npy_core::Result<BTreeMap<String, Vec<u8>>> {
    let mut archive = NpzReader::open(path)?;
    archive.verify()?;
    (0..archive.len())
        .map(|index| {
            let name = archive.name(index).unwrap_or_default().to_owned();
            Ok((name, archive.bytes(index, 1 << 30)?))
        })
        .collect()
}
