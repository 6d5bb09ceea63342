//! The extension module of the Python package `npyfiles`: glue between NumPy's arrays and `npy-core`.
//!
//! Rules of the formats stand in `npy-core`, what a user of NumPy calls in `python/npyfiles/`. This crate moves bytes between the two.

mod archive;
mod as_given;
mod dtype;
mod error;
mod file;
mod growth;
mod header;
mod memory;
mod objects;
mod stream;

use pyo3::prelude::*;

/// The extension module `npyfiles._native`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::archive::read::Archive;
    #[pymodule_export]
    use super::archive::write::ArchiveWriter;
    #[pymodule_export]
    use super::archive::{recover_archive, verify_archive};
    #[pymodule_export]
    use super::file::{describe_path, load_path, read_region, save_path};
    #[pymodule_export]
    use super::growth::{Growing, recover_array};
    #[pymodule_export]
    use super::header::{descr_to_dtype, encode_header, encode_header_as_given, header_bytes_needed, parse_header};
    #[pymodule_export]
    use super::objects::{read_object_file, read_objects, read_objects_from};

    use super::{Bound, PyModule, PyResult};
    use pyo3::types::PyModuleMethods;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
