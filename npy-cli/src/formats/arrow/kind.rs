//! The containers of tables.

/// Which of the two a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Parquet,
    /// Arrow IPC, known as Feather, too.
    Ipc,
}

impl Kind {
    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Parquet => &["parquet"],
            Self::Ipc => &["arrow", "feather", "ipc"],
        }
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Parquet => "A table, with the feature `arrow`",
            Self::Ipc => "An Arrow IPC file (Feather), with the feature `arrow`",
        }
    }
}
