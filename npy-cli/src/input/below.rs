//! Paths behind the name of a file, into the Python objects of its array.

use npy_core::FileFormat;
use npy_core::npz::{ArchiveFile, NpzReader};

use super::file::Input;
use super::members::members_named;
use super::open::Named;
use super::part::Part;
use crate::failure::Result;

impl Input {
    /// Selects a part: a member, a number, or what a path leads to in Python objects.
    pub(crate) fn with_part(mut self, part: Option<Part>) -> Result<Named> {
        if let Some(Part::Member(text)) = &part {
            if self.format() == FileFormat::Npy && self.header(0)?.dtype().has_object() {
                return Ok(Named::Below(self, text.clone()));
            }
            let archive = if self.format() == FileFormat::Npz { self.archive().ok() } else { None };
            if let Some((member, path)) = archive.and_then(|mut archive| member_with_objects(&mut archive, text)) {
                return Ok(Named::Below(self.with_selected(Some(Part::Member(member)))?, path));
            }
        }
        self.with_selected(part).map(Named::Input)
    }

    /// The input as what was found in Python objects under a path, without the parts that are left out.
    pub(crate) fn below(mut self, path: String, left_out: Vec<String>) -> Self {
        self.below = Some((path, left_out));
        self
    }

    /// The path in Python objects that led to it.
    pub(crate) fn path_below(&self) -> Option<&str> {
        self.below.as_ref().map(|(path, _)| path.as_str())
    }

    /// The parts of Python objects that no array holds, in words.
    pub(crate) fn left_out(&self) -> &[String] {
        self.below.as_ref().map_or(&[], |(_, left_out)| left_out)
    }
}

/// The longest name of a member with Python objects that a text begins with, and the path behind it. `None` if the text is a member.
fn member_with_objects(archive: &mut NpzReader<ArchiveFile>, text: &str) -> Option<(String, String)> {
    if members_named(archive, text).is_ok() {
        return None;
    }
    let rest = |name: &str| text.strip_prefix(name).filter(|rest| rest.starts_with(['[', '.', ':']));
    let named = (0..archive.len()).filter(|index| archive.name(*index).and_then(rest).is_some());
    let index = named.max_by_key(|index| archive.name(*index).map_or(0, str::len))?;
    let name = archive.name(index)?.to_owned();
    let path = rest(&name)?;
    let has_objects = archive.header(index).is_ok_and(|header| header.dtype().has_object());
    has_objects.then(|| (name, path.strip_prefix(['.', ':']).unwrap_or(path).to_owned()))
}
