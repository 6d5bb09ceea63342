//! Files that cannot be one Zarr array: the error names them, and they cost nothing.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use npy_core::{Error, ErrorKind, Header, NpyElement, Order, zarr_references};

use crate::peak::with_peak;

/// A file with the header of such an array, of which as many bytes are there as it needs, less
/// `missing`. They are a hole in the file.
fn sparse(directory: &Path, name: &str, dtype: &str, order: Order, shape: &[usize], missing: u64) -> PathBuf {
    let path = directory.join(name);
    let header = Header::new(dtype.parse().unwrap(), order, shape).unwrap();
    let bytes = header.to_bytes();
    fs::write(&path, &bytes).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.set_len(bytes.len() as u64 + header.data_bytes() - missing).unwrap();
    path
}

fn refused(paths: &[PathBuf]) -> Error {
    zarr_references(paths).expect_err("the files were taken")
}

/// The message, without the directory.
fn message(directory: &Path, paths: &[PathBuf]) -> String {
    refused(paths).to_string().replace(&format!("{}{}", directory.display(), std::path::MAIN_SEPARATOR), "")
}

#[test]
fn names_both_files_that_differ() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let first = sparse(at, "a.npy", "<f4", Order::C, &[4, 3], 0);
    let other = |dtype, order, shape: &[usize]| message(at, &[first.clone(), sparse(at, "b.npy", dtype, order, shape, 0)]);
    assert_eq!(other(">f4", Order::C, &[4, 3]), "b.npy: expected dtype <f4 as in a.npy, found >f4");
    assert_eq!(other("<f4", Order::C, &[4, 2]), "b.npy: expected the axes behind the first [3] as in a.npy, found [2]");
    assert_eq!(other("<f4", Order::Fortran, &[4, 3]), "b.npy: expected order C as in a.npy, found Fortran");
    assert_eq!(other("<f4", Order::C, &[]), "b.npy: wrong number of dimensions: expected 1, found 0 with shape ()");
    assert_eq!(message(at, &[]), "expected at least one file, found none");
    // The order of one row does not matter, so that the file before it is the first.
    let row = sparse(at, "row.npy", "<f4", Order::C, &[1, 3], 0);
    let fortran = sparse(at, "f.npy", "<f4", Order::Fortran, &[4, 3], 0);
    assert!(zarr_references([&row, &first]).is_ok());
    assert_eq!(message(at, &[row, fortran, first]), "a.npy: expected order Fortran as in f.npy, found C");
}

#[test]
fn names_the_damaged_file() {
    let directory = tempfile::tempdir().unwrap();
    let whole = sparse(directory.path(), "a.npy", "<f8", Order::C, &[1000], 0);
    let truncated = sparse(directory.path(), "b.npy", "<f8", Order::C, &[1000], 1);
    let error = refused(&[whole.clone(), truncated.clone()]);
    assert_eq!(error.path(), Some(truncated.as_path()));
    assert!(error.to_string().ends_with("the array needs 8000 bytes at offset 128, found 7999"), "{error}");
    let text = directory.path().join("c.npy");
    fs::write(&text, "x,y").unwrap();
    let error = refused(&[whole, text.clone()]);
    assert_eq!(error.path(), Some(text.as_path()));
    assert_eq!(error.kind(), ErrorKind::WrongFormat, "{error}");
    let missing = refused(&[directory.path().join("none.npy")]);
    assert!(missing.kind() == ErrorKind::Io, "{missing}");
    let directory = refused(&[directory.path().to_owned()]);
    assert!(directory.kind() == ErrorKind::InvalidInput, "{directory}");
}

#[test]
fn names_the_field_that_zarr_cannot_express() {
    let directory = tempfile::tempdir().unwrap();
    let path = sparse(directory.path(), "a.npy", "[('id', '<u4'), ('origin', [('depth', '<f16')])]", Order::C, &[3], 0);
    let error = refused(&[path]);
    assert_eq!(error.kind(), ErrorKind::Unstorable);
    let expected = "unsupported dtype <f16 of field \"origin.depth\": Zarr has no such dtype";
    assert_eq!(error.without_path().to_string(), expected);
    let objects = directory.path().join("objects.npy");
    fs::write(&objects, Header::new("O".parse().unwrap(), Order::C, &[3]).unwrap().to_bytes()).unwrap();
    assert!(refused(&[objects]).to_string().ends_with("objects.npy: unsupported dtype |O: Zarr has no such dtype"));
}

/// Only headers are read, and claims are compared with the length of the file before anything else.
#[cfg(target_pointer_width = "64")]
#[test]
fn terabytes_in_a_thousand_files_take_little_memory() {
    const FILES: usize = 1000;
    let directory = tempfile::tempdir().unwrap();
    let rows = (1_usize << 40) / size_of::<f64>();
    let claims: Vec<_> =
        (0..FILES).map(|number| sparse(directory.path(), &format!("{number}.npy"), "<f8", Order::C, &[rows], 1 << 40)).collect();
    let (error, peak) = with_peak(|| refused(&claims));
    assert_eq!(error.path(), Some(claims[0].as_path()));
    assert!(peak < 64 << 10, "{peak} bytes");
    // Holes, which are terabytes for every reader; where the file system has them.
    let hole = directory.path().join("hole");
    if File::create(&hole).and_then(|file| file.set_len((1 << 40) + 128)).is_err() {
        return;
    }
    for path in &claims {
        File::options().write(true).open(path).unwrap().set_len((1 << 40) + 128).unwrap();
    }
    let (references, peak) = with_peak(|| zarr_references(&claims).unwrap());
    assert!(peak < 1 << 20, "{peak} bytes for {FILES} files");
    // The chunks, 8192 of each file, are listed as they are written.
    struct Count(usize);
    impl std::fmt::Write for Count {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0 += text.len();
            // As a full disk.
            if self.0 > 10 << 20 { Err(std::fmt::Error) } else { Ok(()) }
        }
    }
    let (written, peak) = with_peak(|| std::fmt::write(&mut Count(0), format_args!("{references}")));
    assert!(written.is_err() && peak < 64 << 10, "{peak} bytes");
}

#[cfg(unix)]
#[test]
fn refuses_pipes_and_paths_that_json_cannot_hold() {
    use std::os::unix::ffi::OsStrExt as _;
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(refused(&[pipe]).kind() == ErrorKind::InvalidInput);
    let path = directory.path().join(std::ffi::OsStr::from_bytes(b"\xff.npy"));
    npy_core::save(&path, &[1_u8]).unwrap();
    assert_eq!(refused(&[path]).without_path().to_string(), "expected a path in UTF-8");
}

#[test]
fn an_empty_series_has_no_chunks() {
    let directory = tempfile::tempdir().unwrap();
    let path = sparse(directory.path(), "a.npy", &f64::dtype().to_string(), Order::C, &[0, 3], 0);
    let text = zarr_references([&path, &path]).unwrap().to_string();
    assert!(text.contains(r#"\"shape\":[0,3],\"chunks\":[1,3]"#), "{text}");
    assert!(!text.contains("a.npy"), "{text}");
}
