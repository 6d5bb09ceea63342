//! An index of members by name.

use std::path::{Path, PathBuf};

use super::super::zip::central_directory::Entry;
use crate::error::Error;

/// The names and sizes of the members of an archive.
pub struct Index {
    entries: Vec<Entry>,
    /// Indices of `entries`, sorted by the members' whole names; of those that are the same, by
    /// where they stand.
    by_member: Vec<usize>,
    /// The same by names without `.npy`.
    by_key: Vec<usize>,
    /// Where the archive is, for errors.
    path: Option<PathBuf>,
}

impl Index {
    pub(crate) fn new(entries: Vec<Entry>, path: Option<&Path>) -> Self {
        let mut by_member: Vec<usize> = (0..entries.len()).collect();
        let mut by_key = by_member.clone();
        by_member.sort_by(|&a, &b| entries[a].name.cmp(&entries[b].name).then(a.cmp(&b)));
        by_key.sort_by(|&a, &b| entries[a].key().cmp(entries[b].key()).then(a.cmp(&b)));
        Self { entries, by_member, by_key, path: path.map(Path::to_owned) }
    }

    pub(crate) fn entry(&self, index: usize) -> Option<&Entry> {
        self.entries.get(index)
    }

    /// Returns the number of members.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
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
        self.entries.get(index).map(Entry::key)
    }

    /// Returns the whole name of a member.
    pub fn whole_name(&self, index: usize) -> Option<&str> {
        self.entries.get(index).map(|entry| &*entry.name)
    }

    /// Returns the size of a member's content in bytes.
    pub fn size(&self, index: usize) -> Option<u64> {
        self.entries.get(index).map(|entry| entry.claim.size)
    }

    /// Returns the size of a member in the archive in bytes.
    pub fn compressed_size(&self, index: usize) -> Option<u64> {
        self.entries.get(index).map(|entry| entry.claim.compressed)
    }

    /// Returns the index of a member by name. A whole name takes precedence over one without
    /// `.npy`, and the last of several over the others.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.by_whole_name(name).or_else(|| self.last(&self.by_key, Entry::key, name))
    }

    /// Returns the index of a member by its whole name, of several the last.
    pub fn by_whole_name(&self, name: &str) -> Option<usize> {
        self.last(&self.by_member, |entry| &entry.name, name)
    }

    fn last(&self, order: &[usize], text: fn(&Entry) -> &str, name: &str) -> Option<usize> {
        let after = order.partition_point(|&i| text(&self.entries[i]) <= name);
        after.checked_sub(1).map(|at| order[at]).filter(|&i| text(&self.entries[i]) == name)
    }

    /// An error with the member it happened in, and the file.
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
        let first = self.by_key.partition_point(|&i| self.entries[i].key() < prefix);
        self.by_key.get(first).is_some_and(|&i| self.entries[i].key().starts_with(prefix))
    }
}
