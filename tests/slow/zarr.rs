//! Many files as one array of real Zarr, Xarray and Dask.

use std::fs;
use std::path::{Path, PathBuf};

use npy_core::zarr_references;

use crate::support::numpy::zarr;

fn files_of(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Values and the mean, for every kind of dtype, both orders and unequal files.
#[test]
fn xarray_and_dask_read_what_numpy_wrote() {
    let Some(zarr) = zarr("xarray_and_dask_read_what_numpy_wrote") else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    zarr.run(["zarr_references.py", "write", path], b"");
    let cases = files_of(directory.path());
    assert!(cases.len() > 25, "{cases:?}");
    for case in &cases {
        let references = zarr_references(files_of(case)).unwrap();
        fs::write(case.with_extension("json"), references.to_string()).unwrap();
    }
    let printed = String::from_utf8(zarr.run(["zarr_references.py", "check", path], b"")).unwrap();
    assert_eq!(printed.lines().count(), cases.len(), "{printed}");
    let line = |name: &str| printed.lines().find(|line| line.split(' ').next() == Some(name)).unwrap().to_owned();
    assert_eq!(line("numbers-bi2"), "numbers-bi2 >i2 (1000,)");
    assert_eq!(line("divided"), "divided <f8 (500,)");
    assert_eq!(line("shorter"), "shorter <f8 (1000,) (337,)");
    assert_eq!(line("longer"), "longer <f8 (1000,) (337,)");
    assert_eq!(line("large"), "large <f4 (18432, 1024)");
    assert_eq!(line("large-fortran"), "large-fortran <f4 (36864, 512)");
    assert_eq!(line("fortran"), "fortran <f8 (20, 3, 4) (3, 3, 4)");
}
