//! Parquet and Arrow IPC files, with the feature `arrow`.

mod kind;
#[cfg(feature = "arrow")]
mod missing;
#[cfg(feature = "arrow")]
mod nulls;
#[cfg(feature = "arrow")]
mod read;
#[cfg(feature = "arrow")]
mod write;

use std::ffi::OsStr;
use std::path::Path;

use npy_core::error::ForeignFormat;

use super::format::{Format, Outgoing, ReadOptions, WriteOptions};
use super::source::Source;
use crate::failure::Result;
use crate::input::Spool;
use kind::Kind;

/// Columns in batches of rows.
pub(super) struct Table(Kind);

impl Table {
    pub(super) const PARQUET: Self = Self(Kind::Parquet);
    pub(super) const IPC: Self = Self(Kind::Ipc);
}

#[cfg(feature = "arrow")]
impl Format for Table {
    fn names(&self) -> &'static [&'static str] {
        self.0.names()
    }

    fn content(&self) -> Option<ForeignFormat> {
        Some(self.0.content())
    }

    fn about(&self) -> &'static str {
        self.0.about()
    }

    fn objects(&self) -> super::format::Objects {
        super::format::Objects::NullableValues
    }

    /// Keeps the dtype as metadata.
    fn adapt(&self, dtype: &npy_core::DType, shape: &[usize]) -> Result<(npy_core::DType, Vec<String>)> {
        write::expect_types(dtype, shape)?;
        Ok((dtype.clone(), Vec::new()))
    }

    fn open(&self, path: &OsStr, stream: Option<Spool>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
        super::source::open_only(path, stream, |file| read::ArrowSource::open(file, self.0, options))
    }

    fn write(&self, arrays: &mut [Box<dyn Outgoing>], path: &Path, _: WriteOptions) -> Result<()> {
        super::format::write_only(arrays, path, crate::output::Content::Binary, |array, out| write::write(array, self.0, out))
    }
}

#[cfg(not(feature = "arrow"))]
impl Format for Table {
    fn names(&self) -> &'static [&'static str] {
        self.0.names()
    }

    fn content(&self) -> Option<ForeignFormat> {
        Some(self.0.content())
    }

    fn about(&self) -> &'static str {
        self.0.about()
    }

    fn missing_feature(&self) -> Option<&'static str> {
        Some("arrow")
    }

    fn open(&self, _: &OsStr, _: Option<Spool>, _: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
        super::format::expect_support(self).map(|()| Vec::new())
    }

    fn write(&self, _: &mut [Box<dyn Outgoing>], _: &Path, _: WriteOptions) -> Result<()> {
        super::format::expect_support(self)
    }
}
