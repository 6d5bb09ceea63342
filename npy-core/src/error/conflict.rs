//! Files that others change at the same time.

/// What keeps a file from being changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Conflict {
    /// Another writer, in this process or another, holds the lock of the file.
    #[error("the file is locked by another writer")]
    Locked,
    /// Another file has the path, or none has.
    #[error("the file was replaced or removed while it was open")]
    Replaced,
    /// The length of the file has changed.
    #[error("the file was modified by another writer")]
    Modified,
}
