//! Records of a log that grows, each of which its index determines.

use npy_core::NpyRecord;

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    pub index: u64,
    pub value: f64,
    pub flag: bool,
}

pub fn reading(index: u64) -> Reading {
    Reading { index, value: index as f64 / 8.0, flag: index.is_multiple_of(3) }
}

pub fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}
