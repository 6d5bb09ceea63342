//! Writing the fields of a struct, one after another.

use std::io::Write;

use npy_core::{NpyElement, Result, npz};

use super::NpzArchive;
use super::value::NpzValue;

/// An archive that fields are written to.
pub struct MemberWriter<'a, W: Write> {
    archive: &'a mut npz::NpzWriter<W>,
    /// The prefix of the names of members.
    prefix: String,
}

/// Writes an archive.
pub(super) fn write<A: NpzArchive, W: Write>(value: &A, mut archive: npz::NpzWriter<W>) -> Result<W> {
    match value.write_members(&mut MemberWriter { archive: &mut archive, prefix: String::new() }) {
        Ok(()) => archive.finish(),
        Err(error) => {
            archive.discard();
            Err(error)
        }
    }
}

impl<W: Write> MemberWriter<'_, W> {
    pub(crate) fn value<T: NpzValue>(&mut self, name: &str, value: &T) -> Result<()> {
        self.archive.add_content(&format!("{}{name}", self.prefix), |member| value.to_npy(member))
    }

    pub(crate) fn scalar<T: NpyElement>(&mut self, name: &str, value: &T) -> Result<()> {
        self.archive.add_scalar(&format!("{}{name}", self.prefix), value)
    }

    /// Writes a struct whose members' names continue that name with `/`.
    pub(super) fn nested<T: NpzArchive>(&mut self, name: &str, value: &T) -> Result<()> {
        let prefix = format!("{}{name}/", self.prefix);
        value.write_members(&mut MemberWriter { archive: self.archive, prefix })
    }
}
