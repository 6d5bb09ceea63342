//! Uploads: the same bytes as `np.save`, as a whole or not visible.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::StreamExt;
use npy_core::{Header, NpyElement, Order};
use npy_remote::object_store::local::LocalFileSystem;
use npy_remote::object_store::memory::InMemory;
use npy_remote::object_store::path::Path;
use npy_remote::object_store::{ObjectStore, ObjectStoreExt};
use npy_remote::{RemoteOptions, RemoteWriter};

use crate::support::{FaultStore, file, memory, picks};

const MIB: usize = 1 << 20;

/// More than two parts of 5 MiB.
fn large() -> Vec<u64> {
    (0..(12 * MIB as u64 / 8)).collect()
}

fn options() -> RemoteOptions {
    RemoteOptions::new().request_bytes(5 << 20).requests(2)
}

async fn bytes(store: &dyn ObjectStore, path: &str) -> Vec<u8> {
    store.get(&path.into()).await.unwrap().bytes().await.unwrap().to_vec()
}

#[tokio::test]
async fn a_small_array_is_one_put_and_a_large_one_parts() {
    let store = FaultStore::counting(Arc::new(InMemory::new()));
    let uploads = || std::mem::take(&mut *store.uploads.lock().unwrap());
    npy_remote::save_with(store.clone(), "x.npy", &picks(1000), options()).await.unwrap();
    assert!(bytes(&*store, "x.npy").await == file(&picks(1000)));
    assert_eq!(uploads(), ["put"]);
    npy_remote::save_with(store.clone(), "x.npy", &large(), options()).await.unwrap();
    assert!(bytes(&*store, "x.npy").await == file(&large()));
    assert_eq!(uploads(), ["begin", "part", "part", "part", "complete"]);
    // To the byte: the last part is not empty.
    for (bytes_of_data, expected) in [(5 * MIB - 128, 1), (5 * MIB - 127, 4), (10 * MIB - 128, 4), (10 * MIB - 127, 5)] {
        let items = vec![7_u8; bytes_of_data];
        npy_remote::save_with(store.clone(), "x.npy", &items, options()).await.unwrap();
        assert!(bytes(&*store, "x.npy").await == file(&items));
        assert_eq!(uploads().len(), expected, "{bytes_of_data}");
    }
    npy_remote::save(store.clone(), "empty.npy", &[0.5_f64; 0]).await.unwrap();
    assert!(bytes(&*store, "empty.npy").await == file(&[0.5_f64; 0]));
}

#[tokio::test]
async fn no_request_idles_between_calls() {
    let items = vec![7_u8; 47 * MIB];
    let header = Header::of_slice(&items).unwrap();
    // Slices smaller than a part, one of several parts, and all at once: parts are in flight together.
    for length in [MIB, 12 * MIB, 47 * MIB] {
        let store = FaultStore::counting(Arc::new(InMemory::new()));
        let mut writer = RemoteWriter::create_with(store.clone(), "x.npy", &header, options().requests(3)).unwrap();
        for slice in items.chunks(length) {
            writer.write_slice(slice).await.unwrap();
            assert_eq!(store.flights.now.load(Ordering::Relaxed), 0, "{length}");
        }
        writer.finish().await.unwrap();
        assert_eq!(store.flights.most.load(Ordering::Relaxed), 3, "{length}");
        assert!(bytes(&*store, "x.npy").await == file(&items));
    }
}

#[tokio::test]
async fn slices_of_any_length_are_written_in_any_order() {
    let store = Arc::new(InMemory::new());
    let header = Header::new(">u8".parse().unwrap(), Order::Fortran, &[3, 1 << 19]).unwrap();
    let mut writer = RemoteWriter::create_with(store.clone(), "x.npy", &header, options()).unwrap();
    let items = &large()[..3 << 19];
    let mut rest = items;
    for length in [1, 0, 100_000, 7].into_iter().cycle() {
        let (now, later) = rest.split_at(length.min(rest.len()));
        writer.write_slice(now).await.unwrap();
        rest = later;
        if rest.is_empty() {
            break;
        }
    }
    writer.finish().await.unwrap();
    let expected = [header.to_bytes(), items.iter().flat_map(|item| item.to_be_bytes()).collect()].concat();
    assert!(bytes(&*store, "x.npy").await == expected);

    npy_remote::save(store.clone(), "arrays.npy", &[[1.0_f32, 2.0], [3.0, 4.0]]).await.unwrap();
    assert!(bytes(&*store, "arrays.npy").await == file(&[[1.0_f32, 2.0], [3.0, 4.0]]));
}

/// The files in a directory, temporary ones included.
fn names(directory: &std::path::Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn an_upload_that_fails_leaves_nothing() {
    for failing_part in 0..4 {
        let directory = tempfile::tempdir().unwrap();
        let local: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap());
        for inner in [memory("old.npy", vec![1]).await as Arc<dyn ObjectStore>, local.clone()] {
            inner.put(&Path::from("old.npy"), vec![1].into()).await.unwrap();
            let mut store = FaultStore::new(inner.clone(), |_, _| None);
            store.failing_part = Some(failing_part);
            let uploads = Arc::clone(&store.uploads);
            let store = Arc::new(store);
            for path in ["new.npy", "old.npy"] {
                let error = npy_remote::save_with(store.clone(), path, &large(), options()).await.unwrap_err();
                assert_eq!(error.path(), Some(path.as_ref()));
                assert_eq!(uploads.lock().unwrap().pop(), Some("abort"));
            }
            let listed: Vec<_> = inner.list(None).map(|object| object.unwrap().location.to_string()).collect().await;
            assert_eq!(listed, ["old.npy"]);
            assert_eq!(bytes(&*inner, "old.npy").await, [1]);
        }
        assert_eq!(names(directory.path()), ["old.npy"]);
    }
    let mut store = FaultStore::new(Arc::new(InMemory::new()), |_, _| None);
    store.failing_part = Some(0);
    let error = npy_remote::save(Arc::new(store), "x.npy", &[1_u8]).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: cannot write the object: Generic test error: request timed out");
}

#[tokio::test]
async fn a_wrong_number_of_elements_leaves_nothing() {
    let store = FaultStore::counting(Arc::new(InMemory::new()));
    let header = Header::new(u64::dtype(), Order::C, &[large().len() + 1]).unwrap();
    let mut writer = RemoteWriter::create_with(store.clone(), "x.npy", &header, options()).unwrap();
    writer.write_slice(&large()).await.unwrap();
    let error = writer.finish().await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: wrong number of elements: expected 1572865, found 1572864");
    assert_eq!(store.uploads.lock().unwrap().last(), Some(&"abort"));

    let header = Header::new(u64::dtype(), Order::C, &[2]).unwrap();
    let mut writer = RemoteWriter::create(store.clone(), "x.npy", &header).unwrap();
    let error = writer.write_slice(&[1_u64, 2, 3]).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: wrong number of elements: expected 2, found 3");
    let error = writer.write_slice(&[1]).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: cannot write the array: an earlier call failed");
    assert!(writer.finish().await.is_err());
    let error = RemoteWriter::<f32>::create(store.clone(), "x.npy", &header).unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: cannot write f32: expected dtype <f4 in the header, found <u8; write elements of `u64`, or use a header with <f4");
    assert_eq!(store.list(None).count().await, 0);
}

#[test]
fn parts_that_cannot_be_allocated_are_an_error() {
    let header = Header::new(u64::dtype(), Order::C, &[1 << 59]).unwrap();
    let error = RemoteWriter::<u64>::create(Arc::new(InMemory::new()), "x.npy", &header).unwrap_err();
    assert!(error.to_string().starts_with("x.npy: cannot allocate"), "{error}");
    let options = RemoteOptions::new();
    assert_eq!(options.request_bytes(u64::MAX), options.request_bytes(1 << 30));
    assert_ne!(options.request_bytes(1 << 30), options.request_bytes((1 << 30) - 1));
    assert_eq!(options.request_bytes(0), options.request_bytes(64 << 10));
}

#[tokio::test]
async fn a_writer_that_is_dropped_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let store: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap());
    let header = Header::new(u64::dtype(), Order::C, &[large().len()]).unwrap();
    let mut writer = RemoteWriter::create_with(store.clone(), "x.npy", &header, options()).unwrap();
    writer.write_slice(&large()).await.unwrap();
    assert_eq!(names(directory.path()), ["x.npy#1"]);
    drop(writer);
    // The temporary file is removed in the background.
    for _ in 0..100 {
        if names(directory.path()).is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("{:?}", names(directory.path()));
}

#[tokio::test]
async fn a_writer_whose_call_was_cancelled_aborts() {
    let store = FaultStore::counting(Arc::new(npy_remote::object_store::throttle::ThrottledStore::new(
        InMemory::new(),
        npy_remote::object_store::throttle::ThrottleConfig {
            wait_put_per_call: std::time::Duration::from_secs(60),
            ..Default::default()
        },
    )));
    let header = Header::new(u64::dtype(), Order::C, &[large().len()]).unwrap();
    let options = options().requests(1);
    let mut writer = RemoteWriter::create_with(store.clone(), "x.npy", &header, options).unwrap();
    let cancelled = tokio::time::timeout(std::time::Duration::from_millis(50), writer.write_slice(&large())).await;
    assert!(cancelled.is_err());
    assert!(writer.finish().await.is_err());
    let uploads = store.uploads.lock().unwrap().clone();
    assert_eq!((uploads.first(), uploads.last()), (Some(&"begin"), Some(&"abort")));
    assert_eq!(store.list(None).count().await, 0);
}
