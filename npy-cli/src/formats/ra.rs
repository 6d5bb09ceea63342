//! `RawArray` files.

use std::ffi::OsStr;
use std::path::Path;

use npy_core::dtype::ScalarKind;
use npy_core::rawarray::{RaHeader, RaKind};
use npy_core::{DType, Header, Order};

use super::format::{Format, Outgoing, ReadOptions, WriteOptions, write_data, write_only};
use super::npy::Npy;
use super::source::Source;
use crate::failure::Result;
use crate::input::Spool;
use crate::output::Content;

/// `.ra`
pub(super) struct Ra;

impl Format for Ra {
    fn names(&self) -> &'static [&'static str] {
        &["ra"]
    }

    fn about(&self) -> &'static str {
        "A RawArray file"
    }

    fn adapt(&self, dtype: &DType, shape: &[usize]) -> Result<(DType, Vec<String>)> {
        let kind = RaHeader::try_from(&Header::new(dtype.clone(), Order::C, shape)?)?.kind();
        let is_raw = matches!(dtype, DType::Scalar(scalar) if matches!(scalar.kind(), ScalarKind::Void { .. }));
        let is_lost = kind == RaKind::User && !is_raw;
        let losses = is_lost.then(|| format!("the dtype {dtype}, of which an .ra file keeps the bytes"));
        Ok((dtype.clone(), losses.into_iter().collect()))
    }

    fn open(&self, path: &OsStr, stream: Option<Spool>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
        Npy.open(path, stream, options)
    }

    fn write(&self, arrays: &mut [Box<dyn Outgoing>], path: &Path, _: WriteOptions) -> Result<()> {
        write_only(arrays, path, Content::Binary, |array, out| {
            let header = RaHeader::try_from(array.header())?;
            out.write_all(&header.to_bytes())?;
            write_data(array, header.to_npy().order(), out)
        })
    }
}
