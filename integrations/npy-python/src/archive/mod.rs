//! Archives (`.npz`).

pub(crate) mod read;
pub(crate) mod write;

use std::path::PathBuf;

use npy_core::npz::{self, NpzReader};
use pyo3::prelude::*;

use crate::error::raise;

/// Restores an archive whose end is damaged: members, those added, and bytes dropped.
#[pyfunction]
pub(crate) fn recover_archive(py: Python<'_>, path: PathBuf) -> PyResult<(u64, u64, u64)> {
    let recovered = py.detach(|| npz::recover(&path)).map_err(|error| raise(py, &error))?;
    Ok((recovered.members, recovered.added, recovered.dropped))
}

/// Reads every member of an archive, and checks its checksum.
#[pyfunction]
pub(crate) fn verify_archive(py: Python<'_>, path: PathBuf) -> PyResult<()> {
    py.detach(|| NpzReader::open_with(&path, crate::header::limits())?.verify()).map_err(|error| raise(py, &error))
}
