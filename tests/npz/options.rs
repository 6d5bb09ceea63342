//! Options of archives.

use std::collections::BTreeMap;
use std::fs;

use ndarray::Array1;
use npy_core::object::ObjectOptions;
use npy_core::{ErrorKind, npz};
use npy_ndarray::{DynArray, NpzArchive, NpzReader, NpzWriter, ReadOptions, npz::WriteOptions};

/// An archive is opened and begun with options as a struct is read and written with them.
#[test]
fn archives_are_opened_and_begun_with_options() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let items: Vec<u32> = (0..300_000).map(|item| item / 100).collect();
    let options = WriteOptions::new().compressed(true).level(2).aligned(true).durable(true).threads(2);
    let mut archive = NpzWriter::create_with(path("options.npz"), options).unwrap();
    archive.add_slice("items", &items).unwrap();
    archive.finish().unwrap();
    let mut archive = NpzWriter::create(path("set.npz")).unwrap();
    archive.set_options(archive.options().compressed(true).level(2).aligned(true));
    archive.add_slice("items", &items).unwrap();
    archive.finish().unwrap();
    assert!(fs::read(path("options.npz")).unwrap() == fs::read(path("set.npz")).unwrap());
    let mut archive = NpzWriter::create(path("plain.npz")).unwrap();
    archive.add_slice("items", &items).unwrap();
    archive.finish().unwrap();
    assert!(fs::metadata(path("set.npz")).unwrap().len() < fs::metadata(path("plain.npz")).unwrap().len() / 2);

    for threads in [0, 1, 2] {
        let mut archive = NpzReader::open_with(path("set.npz"), ReadOptions::new().threads(threads)).unwrap();
        let read: Array1<u32> = archive.by_name("items").unwrap();
        assert!(read == Array1::from(items.clone()));
        let mut archive = npz::NpzReader::open_with(path("set.npz"), npy_core::ReadOptions::new().threads(threads)).unwrap();
        assert!(archive.by_name::<u32>("items").unwrap() == items);
    }
    let few = npy_core::Limits::new().data_bytes(1000);
    for error in [
        NpzReader::open_with(path("set.npz"), few)
            .unwrap()
            .by_name::<_, ndarray::Ix1>("items")
            .map(|_: Array1<u32>| ())
            .unwrap_err(),
        NpzReader::open_with(path("set.npz"), ReadOptions::new().limits(few)).unwrap().dynamic("items").map(|_| ()).unwrap_err(),
        npz::NpzReader::open_with(path("set.npz"), few).unwrap().by_name::<u32>("items").map(|_| ()).unwrap_err(),
    ] {
        assert!(matches!(error.kind(), ErrorKind::LimitExceeded { .. }), "{error}");
    }
}

/// Python objects are read where the archive was opened so.
#[test]
fn an_archive_is_opened_for_objects() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.npz");
    BTreeMap::from([("names".to_owned(), DynArray::from(npy_core::object::ObjectArray::from(vec!["a", "b"])))])
        .save_npz(&path)
        .unwrap();
    let error = NpzReader::open(&path).unwrap().dynamic("names").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ObjectArray), "{error}");
    let mut archive = NpzReader::open_with(&path, ReadOptions::new().objects(ObjectOptions::new())).unwrap();
    assert_eq!(archive.dynamic("names").unwrap().to_string(), "['a' 'b']");
}
