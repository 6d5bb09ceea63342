//! Rows as Arrow record batches, compared with those of `npy_arrow`.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt};
use npy_arrow::arrow_array::{RecordBatch, RecordBatchReader};
use npy_arrow::arrow_buffer::Buffer;
use npy_arrow::{BatchOptions, BatchReader};
use npy_core::{Header, Order};
use npy_remote::{ErrorKind, RemoteNpy, RemoteOptions};

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
