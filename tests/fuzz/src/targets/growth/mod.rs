//! Files that grow: random sequences of their operations, kills and damage, against a model in memory.
//!
//! A kill is a copy of the file as it is at that moment: what a killed process leaves behind.

mod archive;
mod array;

use std::path::Path;

use arbitrary::{Result, Unstructured};

/// A file, and what must be in it.
trait Model {
    /// Does one operation, and checks the file.
    fn step(&mut self, input: &mut Unstructured) -> Result<()>;
}

/// Runs operations until the bytes are used up; returns how many.
pub fn growth(input: &[u8]) -> usize {
    let input = &mut Unstructured::new(input);
    let directory = directory();
    let mut model: Box<dyn Model> = match input.arbitrary() {
        Ok(true) => Box::new(array::Array::new(directory.path())),
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
