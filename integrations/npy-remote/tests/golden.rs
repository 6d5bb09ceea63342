//! Every file and archive of `tests/data`, compared with what `npy_core` reads of the same bytes.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use npy_core::npz::NpzReader;
use npy_core::region::AxisRange;
use npy_core::{DynValues, NpyReader};
use npy_remote::object_store::local::LocalFileSystem;
use npy_remote::{Error, ErrorKind, RemoteNpy, RemoteNpz};

use crate::reading::small;
use crate::support::Random;
use crate::workspace_support::{announce, data, files_below};

/// The files of an extension, and their paths in a store of the directory.
fn golden(extension: &str) -> (Arc<LocalFileSystem>, Vec<(PathBuf, String)>) {
    let data = data("");
    let found = files_below(&data, &format!(".{extension}"));
    let store = Arc::new(LocalFileSystem::new_with_prefix(&data).unwrap());
    let named = |path: PathBuf| {
        let name = path.strip_prefix(&data).unwrap().to_str().unwrap().replace('\\', "/");
        (path, name)
    };
    (store, found.into_iter().map(named).collect())
}

/// The error without the path in front, which begins at the root.
fn message(path: &str, error: &Error) -> String {
    let kinds = [ErrorKind::External, ErrorKind::BrokenStream, ErrorKind::Conflict];
    assert!(!kinds.contains(&error.kind()), "{error}");
    error.to_string().split_once(&format!("/{path}: ")).unwrap().1.to_owned()
}

#[tokio::test]
async fn every_golden_file_is_read_as_from_disk() {
    let (store, files) = golden("npy");
    let mut random = Random::new(1);
    let (mut equal, mut refused) = (0, 0);
    for (path, name) in &files {
        let bytes = std::fs::read(path).unwrap();
        let opened = RemoteNpy::open_with(store.clone(), name.as_str(), small()).await;
        let local = match NpyReader::new(&bytes[..]) {
            Ok(local) => local,
            Err(error) => {
                assert_eq!(message(name, &opened.unwrap_err()), error.to_string());
                refused += 1;
                continue;
            }
        };
        let array = opened.unwrap();
        assert_eq!(array.header(), local.header());
        match (array.read_dyn().await, DynValues::read(&bytes[..])) {
            (Ok(found), Ok(expected)) => assert!(found == expected, "{name}"),
            (Err(error), Err(expected)) => assert_eq!(message(name, &error), expected.to_string()),
            (found, expected) => panic!("{name}: {found:?} instead of {expected:?}"),
        }
        for _ in 0..3 {
            let axis = |length: &usize| {
                let (a, b) = (random.below(length + 1), random.below(length + 1));
                AxisRange::from(a.min(b)..a.max(b)).step_by(1 + random.below(3))
            };
            let region: Vec<AxisRange> = array.header().shape().iter().map(axis).collect();
            let expected = NpyReader::new(Cursor::new(&bytes)).unwrap().read_region_values(&region);
            match (array.read_region_dyn(&region).await, expected) {
                (Ok(found), Ok(expected)) => assert!(found == expected, "{name}"),
                (Err(error), Err(expected)) => {
                    // Which bytes of a region are missing depends on which are read at a time.
                    let (found, expected) = (message(name, &error), expected.to_string());
                    let are_truncated = [&found, &expected].iter().all(|text| text.starts_with("truncated file: the array needs"));
                    assert!(are_truncated || found == expected, "{name}: {found} instead of {expected}");
                }
                (found, expected) => panic!("{name}: {found:?} instead of {expected:?}"),
            }
        }
        equal += 1;
    }
    announce(&format!("npy-remote: {equal} golden files equal, {refused} refused as locally"));
    assert!(equal > 2500, "{equal}");
}

#[tokio::test]
async fn every_golden_archive_is_read_as_from_disk() {
    let (store, files) = golden("npz");
    let (mut members, mut refused) = (0, 0);
    for (path, name) in &files {
        let opened = RemoteNpz::open_with(store.clone(), name.as_str(), small()).await;
        let mut local = match NpzReader::new(std::fs::File::open(path).unwrap()) {
            Ok(local) => local,
            Err(error) => {
                assert_eq!(message(name, &opened.unwrap_err()), error.to_string());
                refused += 1;
                continue;
            }
        };
        let archive = opened.unwrap();
        let names: Vec<String> = local.names().map(str::to_owned).collect();
        assert!(archive.names().eq(&names) && archive.len() == names.len());
        for index in 0..names.len() {
            // The whole name leads to this member unless a later one has it too.
            let whole = local.full_name(index).unwrap().to_owned();
            let index = local.index_of(&whole).unwrap();
            match (archive.bytes(&whole, u64::MAX).await, local.bytes(index, u64::MAX)) {
                (Ok(found), Ok(expected)) => assert!(found == expected, "{name} {whole}"),
                (Err(error), Err(expected)) => assert_eq!(message(name, &error), expected.to_string()),
                (found, expected) => panic!("{name} {whole}: {found:?} instead of {expected:?}"),
            }
            let expected = local.array(index).and_then(NpyReader::into_values);
            let found = match archive.member(&whole).await {
                Ok(array) => array.read_dyn().await,
                Err(error) => Err(error),
            };
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert!(found == expected, "{name} {whole}"),
                (Err(error), Err(expected)) => {
                    let message = message(name, &error);
                    assert!(message.ends_with(&expected.to_string()), "{message} instead of {expected}");
                }
                (found, expected) => panic!("{name} {whole}: {found:?} instead of {expected:?}"),
            }
            members += 1;
        }
    }
    announce(&format!("npy-remote: {members} members of {} golden archives equal, {refused} archives refused", files.len()));
    assert!(members > 100, "{members}");
}
