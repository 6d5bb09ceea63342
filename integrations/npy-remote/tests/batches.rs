//! Rows as Arrow record batches, compared with those of `npy_arrow`.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt};
use npy_arrow::arrow_array::{RecordBatch, RecordBatchReader};
use npy_arrow::arrow_buffer::Buffer;
use npy_arrow::{BatchOptions, BatchReader};
use npy_core::{Header, Order};
use npy_remote::object_store::ObjectStore;
use npy_remote::object_store::local::LocalFileSystem;
use npy_remote::{ErrorKind, RemoteNpy, RemoteNpz, RemoteOptions};

use crate::reading::small;
use crate::support::{Fault, FaultStore, file, file_of, memory, picks};

/// The batches of both; they have the same rows and borders.
async fn compare(bytes: Vec<u8>, options: BatchOptions, remote: RemoteOptions) -> usize {
    let array = RemoteNpy::open_with(memory("x.npy", bytes.clone()).await, "x.npy", remote).await.unwrap();
    let local = BatchReader::from_buffer(Buffer::from_vec(bytes), options.clone()).unwrap();
    let batches = array.batches(options).unwrap();
    assert_eq!(batches.schema(), local.schema());
    let expected: Vec<RecordBatch> = local.collect::<Result<_, _>>().unwrap();
    let found: Vec<RecordBatch> = batches.try_collect().await.unwrap();
    assert!(found == expected);
    found.len()
}

#[tokio::test]
async fn batches_equal_those_of_local_files() {
    for remote in [RemoteOptions::new(), small()] {
        assert_eq!(compare(file(&picks(20_000)), BatchOptions::new(), remote).await, 3);
        let options = BatchOptions::new().rows(1000).columns(["origin.depth", "station"]);
        assert_eq!(compare(file(&picks(20_000)), options, remote).await, 20);
        let data: Vec<u8> = (0..3 * 40_000 * 4).map(|i| i as u8).collect();
        for order in [Order::C, Order::Fortran] {
            let matrix = file_of("<u4", order, &[40_000, 3], &data);
            assert_eq!(compare(matrix.clone(), BatchOptions::new().rows(999), remote).await, 41);
            assert_eq!(compare(matrix, BatchOptions::new().matrix_columns(true), remote).await, 5);
        }
        // Rows larger than a request, none, no axes, no bytes.
        assert_eq!(compare(file_of("<u4", Order::C, &[4, 30_000], &data), BatchOptions::new().rows(1), remote).await, 4);
        assert_eq!(compare(file_of("<u4", Order::C, &[0], b""), BatchOptions::new(), remote).await, 0);
        assert_eq!(compare(file_of("<u4", Order::C, &[], b"abcd"), BatchOptions::new(), remote).await, 1);
        assert_eq!(compare(file_of("|S0", Order::C, &[10], b""), BatchOptions::new().rows(4), remote).await, 3);
    }
}

#[tokio::test]
async fn several_batches_come_with_one_request() {
    let items: Vec<f64> = (0..1_000_000).map(f64::from).collect();
    let store = FaultStore::counting(memory("x.npy", file(&items)).await);
    let array = RemoteNpy::open(store.clone(), "x.npy").await.unwrap();
    store.taken();
    let rows: Vec<usize> =
        array.batches(BatchOptions::new()).unwrap().map_ok(|batch| batch.num_rows()).try_collect().await.unwrap();
    assert_eq!(rows.iter().sum::<usize>(), 1_000_000);
    assert_eq!((rows.len(), store.taken().0), (123, 1));
}

#[tokio::test]
async fn errors_count_rows_from_the_beginning_and_end_the_stream() {
    // An invalid code point, in row 50,000.
    let mut data: Vec<u8> = [65_u8, 0, 0, 0].repeat(60_000);
    data[50_000 * 4..][..4].copy_from_slice(&[0xFF; 4]);
    let array = RemoteNpy::open_with(memory("x.npy", file_of("<U1", Order::C, &[60_000], &data)).await, "x.npy", small());
    let mut batches = array.await.unwrap().batches(BatchOptions::new()).unwrap();
    let mut rows = 0;
    let error = loop {
        match batches.next().await.unwrap() {
            Ok(batch) => rows += batch.num_rows(),
            Err(error) => break error,
        }
    };
    insta::assert_snapshot!(error, @"x.npy: row 50000: invalid character 0xffffffff at position 0 of the text");
    assert_eq!(rows, 8192 * 6);
    assert!(batches.next().await.is_none());

    let store =
        FaultStore::new(memory("x.npy", file(&vec![0.5_f32; 100_000])).await, |number, _| (number == 2).then_some(Fault::Fail));
    let array = RemoteNpy::open_with(Arc::new(store), "x.npy", small()).await.unwrap();
    let error = array.batches(BatchOptions::new().rows(100)).unwrap().try_collect::<Vec<_>>().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::External, "{error}");
}

#[tokio::test]
async fn a_dtype_or_column_without_equivalent_is_an_error_at_once() {
    let array = RemoteNpy::open(memory("x.npy", file(&picks(2))).await, "x.npy").await.unwrap();
    let error = array.batches(BatchOptions::new().columns(["magnitude"])).unwrap_err();
    insta::assert_snapshot!(error, @r#"x.npy: unknown field "magnitude": the records have station, origin, amplitudes, is_manual"#);
    let header = Header::new("<f16".parse().unwrap(), Order::C, &[1]).unwrap();
    let array = RemoteNpy::open(memory("x.npy", [header.to_bytes(), vec![0; 16]].concat()).await, "x.npy").await.unwrap();
    let error = array.batches(BatchOptions::new()).unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: no Arrow type for dtype <f16; cast the array in NumPy, such as by `a.astype('f8')`");
}

#[tokio::test]
async fn rows_without_bytes_are_bounded() {
    for shape in [[i64::MAX as usize, 0], [1 << 40, 0]] {
        let bytes = file_of("|u1", Order::C, &shape, b"");
        let array = RemoteNpy::open(memory("x.npy", bytes).await, "x.npy").await.unwrap();
        let error = array.batches(BatchOptions::new()).unwrap_err();
        assert!(error.to_string().starts_with("x.npy: limit exceeded: expected at most 65536 rows without bytes"), "{error}");
    }
}

/// The rows of a file that stays open are those of requests, whatever the offset, and however long the vector was.
#[tokio::test]
async fn local_rows_equal_fetched_rows() {
    let directory = tempfile::tempdir().unwrap();
    let items: Vec<[i32; 3]> = (0..50_000).map(|row| [row, -row, 7]).collect();
    npy_core::save(directory.path().join("a.npy"), &items).unwrap();
    let mut archive = npy_core::npz::NpzWriter::create(directory.path().join("a.npz")).unwrap();
    archive.add_slice("other", &[1_u8, 2, 3]).unwrap();
    archive.add_slice("rows", &items).unwrap();
    archive.finish().unwrap();
    let store: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap());
    let array = RemoteNpy::open(Arc::clone(&store), "a.npy").await.unwrap();
    let member = RemoteNpz::open(store, "a.npz").await.unwrap().member("rows").await.unwrap();
    for array in [array, member] {
        let local = array.open_local().await.unwrap().unwrap();
        let mut bytes = Vec::new();
        for rows in [0..10, 40_000..50_000, 3..3, 49_999..50_000, 0..50_000] {
            local.read(rows.clone(), &mut bytes).unwrap();
            assert!(bytes == array.fetch_rows(rows).await.unwrap().as_slice());
        }
        assert!(local.read(10..50_001, &mut bytes).is_err());
    }
}

#[tokio::test]
async fn local_rows_of_a_changed_file_are_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    npy_core::save(&path, &vec![1.5_f64; 20_000]).unwrap();
    let store: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap());
    let array = RemoteNpy::open(Arc::clone(&store), "a.npy").await.unwrap();
    let local = array.open_local().await.unwrap().unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let mut bytes = Vec::new();
    // A file of another name in its place is another one.
    std::fs::copy(&path, directory.path().join("b.npy")).unwrap();
    std::fs::rename(directory.path().join("b.npy"), &path).unwrap();
    local.read(0..10, &mut bytes).unwrap();
    assert_eq!(array.open_local().await.unwrap_err().kind(), ErrorKind::Conflict);
    let time = file.metadata().unwrap().modified().unwrap();
    file.set_modified(time + std::time::Duration::from_secs(1)).unwrap();
    let error = local.read(0..10, &mut bytes).unwrap_err();
    assert!(error.to_string().contains("object replaced while it was read: expected time of modification"), "{error}");
    file.set_modified(time).unwrap();
    file.set_len(1000).unwrap();
    let error = local.read(0..10, &mut bytes).unwrap_err();
    assert!(error.to_string().ends_with("expected size 160128, found 1000; open it again"), "{error}");
}

#[tokio::test]
async fn rows_in_memory_or_scattered_have_no_local_file() {
    let array = RemoteNpy::open(memory("x.npy", file(&vec![1.5_f64; 20_000])).await, "x.npy").await.unwrap();
    assert!(array.open_local().await.unwrap().is_none());
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("f.npy"), file_of("<u4", Order::Fortran, &[40_000, 3], &[0; 480_000])).unwrap();
    npy_core::save(directory.path().join("small.npy"), &[1.5_f64]).unwrap();
    let store: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap());
    for name in ["f.npy", "small.npy"] {
        assert!(RemoteNpy::open(Arc::clone(&store), name).await.unwrap().open_local().await.unwrap().is_none(), "{name}");
    }
}
