//! Files that others change at the same time.

use std::fmt;

/// What keeps a file from being changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflict {
    /// Another writer, in this process or another, holds the lock of the file.
    Locked,
    /// Another file has the path, or none has.
    Replaced,
    /// The length of the file has changed.
    Modified,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked => f.write_str("the file is locked by another writer"),
            Self::Replaced => f.write_str("the file was replaced or removed while it was open"),
            Self::Modified => f.write_str("the file was modified by another writer"),
        }
    }
}

impl std::error::Error for Conflict {}
