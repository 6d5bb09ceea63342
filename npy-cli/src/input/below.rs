//! Paths behind the name of an array: slices, fields, and keys of Python objects.

use std::path::PathBuf;

use npy_core::npz::{ArchiveFile, NpzReader};
use npy_core::{DType, FileFormat};

use super::file::Input;
use super::members::members_named;
use super::open::Named;
use super::part::{Below, Part};
use crate::failure::Result;

impl Input {
    /// Selects a part: a member, a number, or a path into an array.
    pub(crate) fn with_part(mut self, part: Option<Part>) -> Result<Named> {
        if let Some(Part::Member(text)) = &part {
            if self.format() != FileFormat::Npz && leads_into(self.header(0)?.dtype(), text) {
                return Ok(Named::Below(self, text.clone()));
            }
            let archive = if self.format() == FileFormat::Npz { self.archive().ok() } else { None };
            if let Some((member, path)) = archive.and_then(|mut archive| member_and_path(&mut archive, text)) {
                return Ok(Named::Below(self.with_selected(Some(Part::Member(member)))?, path));
            }
        }
        self.with_selected(part).map(Named::Input)
    }

    /// The input as what a path selects of an array in `file`, without the parts that are left out.
    pub(crate) fn below(mut self, path: String, left_out: Vec<String>, file: Option<PathBuf>) -> Self {
        self.below = Some(Below { path, left_out, file });
        self
    }

    /// The fields or keys that led to it.
    pub(crate) fn path_below(&self) -> Option<&str> {
        self.below.as_ref().map(|below| below.path.as_str())
    }

    /// The parts of Python objects that no array holds, in words.
    pub(crate) fn left_out(&self) -> &[String] {
        self.below.as_ref().map_or(&[], |below| &below.left_out)
    }
}

/// Whether a path leads into an array of this dtype: a slice, a field, or a key of Python objects.
fn leads_into(dtype: &DType, path: &str) -> bool {
    path.starts_with('[') || dtype.record().is_some() || dtype.has_object()
}

/// The longest name of a member that a text begins with, and the path behind it. `None` if the text is a member.
fn member_and_path(archive: &mut NpzReader<ArchiveFile>, text: &str) -> Option<(String, String)> {
    if members_named(archive, text).is_ok() {
        return None;
    }
    let rest = |name: &str| text.strip_prefix(name).filter(|rest| rest.starts_with(['[', '.', ':']));
    let named = (0..archive.len()).filter(|index| archive.name(*index).and_then(rest).is_some());
    let index = named.max_by_key(|index| archive.name(*index).map_or(0, str::len))?;
    let name = archive.name(index)?.to_owned();
    let path = rest(&name).map(|path| path.strip_prefix(['.', ':']).unwrap_or(path))?.to_owned();
    let is_path = archive.header(index).is_ok_and(|header| leads_into(header.dtype(), &path));
    is_path.then_some((name, path))
}
