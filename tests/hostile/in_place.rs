//! Everything that changes a file in place, over every file there is: no array gets shorter, and what is refused stays as it is.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use npy_core::npz::{NpzWriter, recover};
use npy_core::rawarray::RaMapMut;
use npy_core::{FileFormat, Header, NpyMapMut, NpyWriter, append};

use crate::parts::{Part, parts_of_npy, parts_of_npz};
use crate::support::{announce, data, files_below, from_hex, scratch};

/// Different files by NumPy, the hostile corpus, and files of several parts.
fn corpus() -> Vec<Vec<u8>> {
    let paths = [".npy", ".npz", ".ra"].iter().flat_map(|end| files_below(&data(""), end));
    let mut files: Vec<Vec<u8>> = paths.map(|path| fs::read(path).unwrap()).collect();
    let hostile = fs::read_to_string(data("hostile.tsv")).unwrap();
    files.extend(hostile.lines().skip(1).map(|line| from_hex(line.rsplit('\t').next().unwrap())));
    let with_objects: Vec<_> = files.iter().filter(|file| is_object_array(file)).take(40).cloned().collect();
    let plain: Vec<_> = files.iter().filter(|file| file.starts_with(b"\x93NUMPY") && file.len() < 4096).take(40).cloned().collect();
    for (first, second) in plain.iter().zip(plain.iter().rev()).chain(with_objects.iter().zip(&plain)) {
        files.extend([[&first[..], second].concat(), [&first[..], b"a footer"].concat(), first[..first.len() - 1].to_vec()]);
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
    files
}

fn is_object_array(file: &[u8]) -> bool {
    Header::parse(file).is_ok_and(|(header, _)| header.dtype().has_object())
}

/// Writes the file, changes it, and returns what it is then. A change that fails must not have changed it.
fn changed<T, E>(path: &Path, before: &[u8], what: &str, change: impl FnOnce(&Path) -> Result<T, E>) -> Option<(T, Vec<u8>)> {
    fs::write(path, before).unwrap();
    let result = change(path);
    let after = fs::read(path).unwrap();
    match result {
        Ok(done) => Some((done, after)),
        Err(_) => {
            assert!(after == before, "{what} failed and changed the file: {}", before[..before.len().min(300)].escape_ascii());
            None
        }
    }
}

/// Whether the parts are still there; but for the first array, to which rows may have been added.
fn expect_all(before: &[Part], after: &[Part], what: &str) {
    for part in before {
        assert!(after.contains(part), "{what} lost {}", part.what);
    }
}

fn expect_npy_kept(path: &Path, before: &[u8]) {
    let parts = parts_of_npy(before);
    let arrays: Vec<Part> = parts.iter().filter(|part| part.what != "bytes").cloned().collect();
    let what = |name: &str| format!("{name} of {}", before[..before.len().min(300)].escape_ascii());
    if let Some((recovered, after)) = changed(path, before, "recover", |path| append::recover(path)) {
        let (header, offset) = Header::parse(before).unwrap();
        assert!(!header.dtype().has_object(), "{}", what("recover"));
        assert!(arrays.len() < 2, "{}", what("recover"));
        // All bytes but those that it says.
        let kept = before.len() - recovered.cut as usize;
        assert!(after[offset..] == before[offset..kept], "{}", what("recover"));
        assert!(recovered.rows != recovered.before || after[..offset] == before[..offset], "{}", what("recover"));
        if parts.len() == arrays.len() {
            assert!(after == before, "{}", what("recover"));
        }
    }
    /// Opens the file to append, adds nothing, and closes it.
    macro_rules! appended {
        ($($type:ty),*) => {$(
            let finish = |path: &Path| NpyWriter::<$type, _>::append(path)?.finish();
            if let Some((_, after)) = changed(path, before, "append", finish) {
                // Bytes that are no array, such as rows that a crash left, are truncated.
                expect_all(&arrays, &parts_of_npy(&after), &what("append"));
            }
        )*};
    }
    appended!(bool, u8, i16, i64, f32, f64, String);
    // SAFETY: no one else has the file.
    let map = |path: &Path| unsafe { NpyMapMut::open(path) }.and_then(|map| map.flush());
    if let Some((_, after)) = changed(path, before, "a map", map) {
        assert!(after == before && !is_object_array(before), "{}", what("a map"));
    }
}

fn expect_npz_kept(path: &Path, before: &[u8]) {
    let what = |name: &str| format!("{name} of {}", before[..before.len().min(300)].escape_ascii());
    let parts = parts_of_npz(before);
    let is_appended = changed(path, before, "append", |path| NpzWriter::append(path)?.finish())
        .map(|(_, after)| assert!(after == before, "{}", what("append")))
        .is_some();
    if let Some((recovered, after)) = changed(path, before, "recover", |path| recover(path)) {
        if recovered.added == 0 && recovered.dropped == 0 {
            assert!(after == before, "{}", what("recover"));
            assert!(is_appended, "recover calls whole what append refuses: {}", what("recover"));
        }
        expect_all(parts.as_deref().unwrap_or_default(), &parts_of_npz(&after).unwrap(), &what("recover"));
    }
    let add = |path: &Path| {
        let mut archive = NpzWriter::append(path)?;
        archive.add_slice("a name that no member has", &[1_u8])?;
        archive.finish()
    };
    if let Some((_, after)) = changed(path, before, "adding a member", add) {
        expect_all(&parts.unwrap(), &parts_of_npz(&after).unwrap(), &what("adding a member"));
    }
}

#[test]
fn nothing_that_changes_a_file_loses_an_array() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let files = corpus();
    for file in &files {
        match FileFormat::of(file) {
            Some(FileFormat::Npy) => expect_npy_kept(&path, file),
            Some(FileFormat::Npz) => expect_npz_kept(&path, file),
            Some(FileFormat::RawArray) => {
                // SAFETY: no one else has the file.
                let map = |path: &Path| unsafe { RaMapMut::open(path) }.and_then(|map| map.flush());
                if let Some((_, after)) = changed(&path, file, "a map", map) {
                    assert!(after == *file);
                }
            }
            _ => {}
        }
    }
    announce(&format!("files changed in place: {}", files.len()));
    assert!(files.len() > 1000, "{}", files.len());
}

/// The record of the end says that the directory, which holds a local header, lists a member of no bytes.
#[test]
fn recover_refuses_what_append_refuses() {
    let path = scratch("file.npz");
    let mut archive = NpzWriter::create(&path).unwrap();
    archive.add_slice("x", &[1_u8]).unwrap();
    archive.finish().unwrap();
    let mut file = fs::read(&path).unwrap();
    // A comment that looks like the header of a member.
    let comment = b"PK\x03\x04\x2d\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let length = file.len();
    file[length - 2..].copy_from_slice(&(comment.len() as u16).to_le_bytes());
    file.extend(comment);
    fs::write(&path, &file).unwrap();
    let appended = NpzWriter::append(&path).map(NpzWriter::discard).unwrap_err();
    let recovered = recover(&path).unwrap_err();
    assert_eq!(recovered.to_string(), appended.to_string());
    assert!(fs::read(&path).unwrap() == file);
}
