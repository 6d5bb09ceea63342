//! Writing the fields of a struct, one after another.

use std::io::Write;

use npy_core::{NpyElement, Result, npz};

use super::value::NpzValue;

/// An archive that fields are written to.
pub struct MemberWriter<'a, W: Write> {
    archive: &'a mut npz::NpzWriter<W>,
    /// The prefix of the names of members.
    prefix: String,
}

/// Finishes an archive with the members that `members` writes, or discards it.
pub(super) fn write<W: Write>(
    mut archive: npz::NpzWriter<W>,
    members: impl FnOnce(&mut MemberWriter<'_, W>) -> Result<()>,
) -> Result<W> {
    match members(&mut MemberWriter { archive: &mut archive, prefix: String::new() }) {
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

    /// Writes members whose names continue that name with `/`.
    pub(super) fn nested(&mut self, name: &str, members: impl FnOnce(&mut MemberWriter<'_, W>) -> Result<()>) -> Result<()> {
        let prefix = format!("{}{name}/", self.prefix);
        members(&mut MemberWriter { archive: self.archive, prefix })
    }
}
