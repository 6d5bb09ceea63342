//! Files that grow: random sequences of their operations, kills and damage, against a model in memory.
//!
//! A kill is a copy of the file as it is at that moment: what a killed process leaves behind.

mod archive;
mod array;
mod shards;

use std::path::Path;

use arbitrary::{Result, Unstructured};
use npy_core::NpyRecord;

/// Bytes of a row that do not divide a page, so that rows are torn.
#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
struct Row {
    number: u64,
    check: u8,
}

impl Row {
    fn new(number: usize) -> Self {
        Self { number: number as u64, check: number as u8 ^ 0x5A }
    }
}

const ROW_BYTES: usize = 9;

/// A file, and what must be in it.
trait Model {
    /// Does one operation, and checks the file.
    fn step(&mut self, input: &mut Unstructured) -> Result<()>;
}

/// Runs operations until the bytes are used up; returns how many.
pub fn growth(input: &[u8]) -> usize {
    let input = &mut Unstructured::new(input);
    let directory = directory();
    let mut model: Box<dyn Model> = match input.int_in_range(0..=2) {
        Ok(0) => Box::new(array::Array::new(directory.path())),
        Ok(1) => Box::new(shards::Files::new(directory.path())),
        _ => Box::new(archive::Archive::new(directory.path())),
    };
    let mut steps = 0;
    while !input.is_empty() && model.step(input).is_ok() {
        steps += 1;
    }
    steps
}

/// In memory where the system has such a place, because each commit waits for the disk.
fn directory() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}
