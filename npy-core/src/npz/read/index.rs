//! An index of members by name.

use std::path::{Path, PathBuf};

use super::super::codec::blocks::BLOCKS;
use super::super::zip::central_directory::Directory;
use super::super::zip::entry::Entry;
use super::super::zip::records::extra_fields;
use crate::error::Error;

/// The names and sizes of the members of an archive.
pub struct Index {
    entries: Vec<Entry>,
    /// Indices of `entries`, sorted by key, then by full name, then by position.
    by_name: Vec<usize>,
    pub(crate) surroundings: Surroundings,
    /// The path of the archive, for errors.
    path: Option<PathBuf>,
}

/// The bytes before and after an archive, and its comment.
///
/// ```
/// use npy_core::npz::{NpzReader, NpzWriter};
/// use std::io::{Cursor, Write};
///
/// let mut file = Cursor::new(Vec::new());
/// file.write_all(b"#!/bin/sh\n")?;
/// let mut archive = NpzWriter::new(file);
/// archive.add_slice("x", &[1.0_f64, 2.0])?;
///
/// let archive = NpzReader::new(archive.finish()?)?;
/// assert_eq!(archive.surroundings().before, 10);
/// assert!(archive.surroundings().comment.is_empty());
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Surroundings {
    /// The number of bytes before the first member, such as those of a program that unpacks it.
    pub before: u64,
    /// The number of bytes after the end of the archive.
    pub after: u64,
    /// The comment of the archive.
    pub comment: Vec<u8>,
}

impl Index {
    pub(crate) fn new(directory: Directory, path: Option<&Path>) -> Self {
        let Directory { entries, begin, after, comment, .. } = directory;
        let before = entries.iter().map(|entry| entry.offset).min().unwrap_or(begin);
        let surroundings = Surroundings { before, after, comment };
        let mut by_name: Vec<usize> = (0..entries.len()).collect();
        let names = |i: usize| (entries[i].key(), &*entries[i].name);
        by_name.sort_unstable_by(|&a, &b| names(a).cmp(&names(b)).then(a.cmp(&b)));
        Self { entries, by_name, surroundings, path: path.map(Path::to_owned) }
    }

    pub(crate) fn entry(&self, index: usize) -> Option<&Entry> {
        self.entries.get(index)
    }

    /// Returns the number of members.
    #[expect(clippy::len_without_is_empty, reason = "not needed")]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the names of the members in the order of the archive, each without one trailing
    /// `.npy`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(Entry::key)
    }

    /// Returns the name of a member, without one trailing `.npy`.
    pub fn name(&self, index: usize) -> Option<&str> {
        self.entry(index).map(Entry::key)
    }

    /// Returns the full name of a member.
    pub fn full_name(&self, index: usize) -> Option<&str> {
        self.entry(index).map(|entry| &*entry.name)
    }

    /// Returns whether a member has a comment or extra fields of other programs.
    pub(crate) fn has_extra(&self, index: usize) -> bool {
        let is_extra = |entry: &Entry| entry.has_comment || extra_fields(entry.extra()).any(|(id, _)| id != BLOCKS);
        self.entry(index).is_some_and(is_extra)
    }

    /// Returns the index of a member by name. A full name takes precedence over one without `.npy`, and
    /// the last of several members over the others.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        // Every other member of this key is `{name}.npy`.
        self.by_full_name(name).or_else(|| {
            let after = self.by_name.partition_point(|&i| self.entries[i].key() <= name);
            after.checked_sub(1).map(|at| self.by_name[at]).filter(|&i| self.entries[i].key() == name)
        })
    }

    /// Returns the index of the last member of a full name.
    pub fn by_full_name(&self, name: &str) -> Option<usize> {
        let names = (name.strip_suffix(".npy").unwrap_or(name), name);
        let after = self.by_name.partition_point(|&i| (self.entries[i].key(), &*self.entries[i].name) <= names);
        after.checked_sub(1).map(|at| self.by_name[at]).filter(|&i| *self.entries[i].name == *name)
    }

    /// Adds the member and the path to an error.
    pub(crate) fn locate(&self, error: Error, index: usize) -> Error {
        let error = match self.name(index) {
            Some(name) => error.with_member(name),
            None => error,
        };
        match &self.path {
            Some(path) => error.with_path(path),
            None => error,
        }
    }

    /// Returns whether the name of a member, without `.npy`, begins with `prefix`.
    pub fn has_prefix(&self, prefix: &str) -> bool {
        let first = self.by_name.partition_point(|&i| self.entries[i].key() < prefix);
        self.by_name.get(first).is_some_and(|&i| self.entries[i].key().starts_with(prefix))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use crate::npz::{NpzReader, NpzWriter};

    #[test]
    fn prefixes_may_be_full_names() {
        let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
        for name in ["run", "runs", "x.y"] {
            archive.add_slice(name, &[1_u8]).unwrap();
        }
        let index = NpzReader::new(archive.finish().unwrap()).unwrap().index();
        for (prefix, is_there) in
            [("", true), ("run", true), ("runs", true), ("x.", true), ("x.y", true), ("runs.", false), ("y", false)]
        {
            assert_eq!(index.has_prefix(prefix), is_there, "{prefix}");
        }
    }
}
