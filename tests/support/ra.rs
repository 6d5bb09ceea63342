//! RawArray files for the tests.

use std::fs;

use npy_core::dtype::ByteOrder;
use npy_core::rawarray::{RaHeader, RaKind};

use super::data;

/// Every type code with every number of bytes, and its dtype in little-endian order.
pub const KINDS: &[(RaKind, usize, &str)] = &[
    (RaKind::User, 0, "|V0"),
    (RaKind::User, 1, "|V1"),
    (RaKind::User, 12, "|V12"),
    (RaKind::Signed, 1, "|i1"),
    (RaKind::Signed, 2, "<i2"),
    (RaKind::Signed, 4, "<i4"),
    (RaKind::Signed, 8, "<i8"),
    (RaKind::Signed, 16, "|V16"),
    (RaKind::Unsigned, 1, "|u1"),
    (RaKind::Unsigned, 2, "<u2"),
    (RaKind::Unsigned, 4, "<u4"),
    (RaKind::Unsigned, 8, "<u8"),
    (RaKind::Unsigned, 16, "|V16"),
    (RaKind::Float, 2, "<f2"),
    (RaKind::Float, 4, "<f4"),
    (RaKind::Float, 8, "<f8"),
    (RaKind::Float, 12, "<f12"),
    (RaKind::Float, 16, "<f16"),
    (RaKind::ComplexFloat, 4, "<W4"),
    (RaKind::ComplexFloat, 8, "<c8"),
    (RaKind::ComplexFloat, 16, "<c16"),
    (RaKind::ComplexFloat, 24, "<c24"),
    (RaKind::ComplexFloat, 32, "<c32"),
    (RaKind::BrainFloat, 2, "<V2"),
];

/// A file written by hand, with elements of pseudo-random bytes.
pub fn file_of(kind: RaKind, element_bytes: usize, order: ByteOrder, dims: &[usize], metadata: &[u8]) -> Vec<u8> {
    let data = pseudo_random(element_bytes * dims.iter().product::<usize>());
    let flags = if order == ByteOrder::Big { 1 } else { 0 };
    let mut file = header(flags, kind.code(), element_bytes as u64, data.len() as u64, dims);
    assert_eq!(RaHeader::new(kind, element_bytes, order, dims).unwrap().to_bytes(), file);
    file.extend(data);
    file.extend(metadata);
    file
}

/// A header of these numbers, whatever they are.
pub fn header(flags: u64, kind: u64, element_bytes: u64, data_bytes: u64, dims: &[usize]) -> Vec<u8> {
    let mut file = b"rawarray".to_vec();
    for number in [flags, kind, element_bytes, data_bytes, dims.len() as u64] {
        file.extend(number.to_le_bytes());
    }
    dims.iter().for_each(|length| file.extend((*length as u64).to_le_bytes()));
    file
}

/// Returns `count` pseudo-random bytes, the same in every run.
pub fn pseudo_random(count: usize) -> Vec<u8> {
    let mut state = 7_u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..count).map(next).collect()
}

/// The samples of the format itself: names and bytes.
pub fn samples() -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(data("rawarray")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|extension| extension == "ra")).collect();
    files.sort();
    let named = |path: std::path::PathBuf| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap());
    files.into_iter().map(named).collect()
}
