//! The containers of tables.

use npy_core::error::ForeignFormat;

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

    /// The first bytes of the file.
    pub(super) fn content(self) -> ForeignFormat {
        match self {
            Self::Parquet => ForeignFormat::Parquet,
            Self::Ipc => ForeignFormat::Arrow,
        }
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Parquet => "A table, with the feature `arrow`",
            Self::Ipc => "An Arrow IPC file (Feather), with the feature `arrow`",
        }
    }
}
