//! Options of archives.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;

use ndarray::{Array1, Array2};
use npy_core::{ErrorKind, Order, npz};
use npy_ndarray::{DynArray, NpzArchive, NpzReader, NpzWriter, ReadOptions, npz::WriteOptions};

use crate::support::scratch;

/// The options of readers and writers are those of structs.
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
        assert!(error.kind() == ErrorKind::LimitExceeded, "{error}");
    }
}

/// Every reader of an archive returns the demanded order, also of objects.
#[test]
fn demanded_order_reaches_every_reader() {
    let path = scratch("matrix.npz");
    let matrix = Array2::from_shape_fn((2, 3), |(row, column)| (3 * row + column) as i32);
    let arrays = BTreeMap::from([("x".to_owned(), matrix.clone())]);
    arrays.save_npz(&path).unwrap();
    let options = ReadOptions::new().order(Order::Fortran);
    let mut archive = NpzReader::open_with(&path, options).unwrap();
    for read in [
        archive.by_name("x").unwrap(),
        archive.dynamic("x").unwrap().into::<Array2<i32>>().unwrap(),
        NpzReader::open(&path).unwrap().dynamic_with("x", options).unwrap().into().unwrap(),
        BTreeMap::<String, Array2<i32>>::load_npz_with(&path, options).unwrap().remove("x").unwrap(),
        BTreeMap::<String, DynArray>::load_npz_with(&path, options).unwrap().remove("x").unwrap().into().unwrap(),
    ] {
        assert_eq!((read.strides(), &read), (&[1, 2][..], &matrix));
    }
}

/// Members that threads still compress are written.
#[test]
fn number_of_threads_changes_between_members() {
    let content: Vec<u64> = (0..200_000).collect();
    let mut archive = npz::NpzWriter::new(Cursor::new(Vec::new()));
    for member in 0..20 {
        archive.set_options(WriteOptions::new().compressed(true).threads(1 + member % 3));
        archive.add_slice(&member.to_string(), &content[..50_000 + member]).unwrap();
    }
    let mut archive = npz::NpzReader::new(archive.finish().unwrap()).unwrap();
    assert_eq!(archive.len(), 20);
    for member in 0..20 {
        assert!(archive.by_index::<u64>(member).unwrap() == content[..50_000 + member], "{member}");
    }
}
