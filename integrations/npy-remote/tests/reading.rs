//! Arrays of every order, compared with what `npy_core` reads of the same bytes.

use std::io::Cursor;
use std::sync::Arc;

use npy_core::region::AxisRange;
use npy_core::{Header, NpyReader, Order};
use npy_remote::object_store::ObjectStore;
use npy_remote::object_store::local::LocalFileSystem;
use npy_remote::object_store::memory::InMemory;
use npy_remote::{ErrorKind, RemoteNpy, RemoteOptions, parse_url};

use crate::support::{Pick, Random, file, file_of, memory, picks};

/// Requests of the smallest size, so that a test of some 100 KiB has several.
pub fn small() -> RemoteOptions {
    RemoteOptions::new().request_bytes(0).gap(64).requests(3)
}

#[tokio::test]
async fn records_round_trip_through_memory_and_local_files() {
    let items = picks(20_000);
    let directory = tempfile::tempdir().unwrap();
    let local: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(directory.path()).unwrap());
    for store in [Arc::new(InMemory::new()), local] {
        npy_remote::save(store.clone(), "run/picks.npy", &items).await.unwrap();
        for options in [RemoteOptions::new(), small()] {
            let array = RemoteNpy::open_with(store.clone(), "run/picks.npy", options).await.unwrap();
            assert!(array.read_all::<Pick>().await.unwrap() == items);
            assert!(array.read_rows::<Pick>(9_999..15_000).await.unwrap() == items[9_999..15_000]);
            assert!(array.read_rows::<Pick>(7..7).await.unwrap().is_empty());
            let columns = array.columns::<(f32, String, bool)>(["origin.depth", "station", "is_manual"]).await.unwrap();
            assert!(columns.0 == items.iter().map(|pick| pick.origin.depth).collect::<Vec<_>>());
            assert!(columns.1 == items.iter().map(|pick| pick.station.clone()).collect::<Vec<_>>());
            assert!(columns.2 == items.iter().map(|pick| pick.is_manual).collect::<Vec<_>>());
            let (depths,) = array.columns_of_rows::<(f32,)>(["origin.depth"], 100..19_000).await.unwrap();
            assert!(depths == columns.0[100..19_000]);
        }
    }
    let saved = std::fs::read(directory.path().join("run/picks.npy")).unwrap();
    assert!(saved == file(&items));
}

#[tokio::test]
async fn calls_run_on_other_threads_and_at_the_same_time() {
    let store = memory("x.npy", file(&(0..100_000_u32).collect::<Vec<_>>())).await;
    let array = RemoteNpy::open_with(store, "x.npy", small()).await.unwrap();
    let tasks: Vec<_> = (0..8_usize)
        .map(|i| {
            let array = array.clone();
            tokio::spawn(async move { array.read_rows::<u32>(i * 10_000..i * 10_000 + 20_000).await })
        })
        .collect();
    for (i, task) in tasks.into_iter().enumerate() {
        let first = i as u32 * 10_000;
        assert!(task.await.unwrap().unwrap() == (first..first + 20_000).collect::<Vec<_>>());
    }
    let columns = tokio::spawn(async move { array.columns::<(u32,)>(["x"]).await });
    assert!(columns.await.unwrap().is_err());
}

#[test]
fn no_runtime_is_needed() {
    // Each future is ready when it is polled first.
    let poll = |future: std::pin::Pin<Box<dyn Future<Output = Vec<u8>>>>| {
        let mut future = future;
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        loop {
            if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return value;
            }
        }
    };
    let read = async {
        let store = memory("x.npy", file(&[1_u8, 2, 3])).await;
        RemoteNpy::open(store, "x.npy").await.unwrap().read_all().await.unwrap()
    };
    assert_eq!(poll(Box::pin(read)), [1, 2, 3]);
}

fn random_region(shape: &[usize], random: &mut Random) -> Vec<AxisRange> {
    let axis = |length: &usize| {
        let (a, b) = (random.below(length + 1), random.below(length + 1));
        AxisRange::from(a.min(b)..a.max(b)).step_by(1 + random.below(5))
    };
    shape.iter().map(axis).collect()
}

#[tokio::test]
async fn random_regions_equal_those_of_local_files() {
    let mut random = Random::new(9);
    for round in 0..60 {
        let shape: Vec<usize> = (0..random.below(4)).map(|_| 1 + random.below(60)).collect();
        let order = if round % 2 == 0 { Order::C } else { Order::Fortran };
        let dtype = if round % 3 == 0 { ">i4" } else { "<i4" };
        let header = Header::new(dtype.parse().unwrap(), order, &shape).unwrap();
        let data: Vec<u8> = (0..header.data_bytes()).map(|i| (i * 7 % 251) as u8).collect();
        let bytes = file_of(dtype, order, &shape, &data);
        let store = memory("x.npy", bytes.clone()).await;
        let options = small().gap(random.below(500) as u64);
        let array = RemoteNpy::open_with(store, "x.npy", options).await.unwrap();
        let all = NpyReader::new(&bytes[..]).unwrap().into_vec::<i32>().unwrap();
        assert!(array.read_all::<i32>().await.unwrap() == all);
        for _ in 0..10 {
            let region = random_region(&shape, &mut random);
            let expected: Vec<i32> = NpyReader::new(Cursor::new(&bytes)).unwrap().read_region(&region).unwrap();
            assert!(array.read_region::<i32>(&region).await.unwrap() == expected, "{shape:?} {order:?} {region:?}");
        }
        let rows = match order {
            Order::C => shape.first(),
            Order::Fortran => shape.last(),
        };
        let rows = rows.copied().unwrap_or(1);
        let (a, b) = (random.below(rows + 1), random.below(rows + 1));
        let rows = a.min(b)..a.max(b);
        let expected: Vec<i32> = NpyReader::new(Cursor::new(&bytes)).unwrap().read_at(rows.clone()).unwrap();
        assert!(array.read_rows::<i32>(rows).await.unwrap() == expected);
    }
}

#[tokio::test]
async fn regions_and_types_that_do_not_fit_are_errors_without_a_request() {
    let store = crate::support::FaultStore::counting(memory("x.npy", file(&vec![1.5_f32; 100_000])).await);
    let array = RemoteNpy::open(store.clone(), "x.npy").await.unwrap();
    store.taken();
    let error = array.read_rows::<f32>(5..200_000).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: invalid region along axis 0: expected a range within 0..100000, found 5..200000");
    let error = array.read_region::<f32>(&[]).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: wrong number of dimensions: expected 0, found 1 with shape (100000,)");
    let error = array.read_all::<f64>().await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: cannot read f64: expected dtype <f8, found <f4; `f32` reads it; `DynValues::cast` (feature `dynamic`) converts it, or in Python `.astype('<f8')`");
    let error = array.columns::<(f32,)>(["time"]).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: cannot read (f32,): time: expected a record, found elements of dtype <f4");
    assert_eq!(store.taken().0, 0);
}

#[tokio::test]
async fn errors_count_elements_from_the_beginning_of_the_array() {
    // An invalid code point, in element 50,000.
    let mut data: Vec<u8> = [65_u8, 0, 0, 0].repeat(60_000);
    data[50_000 * 4..][..4].copy_from_slice(&[0xFF; 4]);
    for (dtype, shape, rows) in [
        ("<U1", &[60_000][..], 40_000..60_000),
        ("<U1", &[20_000, 3], 15_000..20_000),
        ("[('x', '<U1')]", &[60_000], 49_999..60_000),
    ] {
        let bytes = file_of(dtype, Order::C, shape, &data);
        let array = RemoteNpy::open_with(memory("x.npy", bytes).await, "x.npy", small()).await.unwrap();
        let errors = if dtype == "<U1" {
            [array.read_all::<String>().await.unwrap_err(), array.read_rows::<String>(rows).await.unwrap_err()]
        } else {
            let columns = array.columns::<(String,)>(["x"]).await.unwrap_err();
            [columns, array.columns_of_rows::<(String,)>(["x"], rows).await.unwrap_err()]
        };
        for error in errors {
            assert!(error.to_string().starts_with("x.npy: element 50000"), "{dtype} {shape:?}: {error}");
        }
    }
}

#[tokio::test]
async fn elements_without_bytes_are_read() {
    let store = memory("x.npy", file_of("|S0", Order::C, &[3], b"")).await;
    let array = RemoteNpy::open(store, "x.npy").await.unwrap();
    assert_eq!(array.read_all::<String>().await.unwrap(), ["", "", ""]);
    assert_eq!(array.read_rows::<String>(1..3).await.unwrap().len(), 2);
    assert_eq!(array.read_region::<String>(&[(0..2).into()]).await.unwrap().len(), 2);
}

#[tokio::test]
async fn urls_lead_to_local_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a b.npy");
    npy_core::save(&path, &[1_u16, 2]).unwrap();
    let (store, path) = parse_url(&format!("file://{}/a%20b.npy", directory.path().display())).unwrap();
    assert_eq!(RemoteNpy::open(store, path).await.unwrap().read_all::<u16>().await.unwrap(), [1, 2]);
    // A path is one, with its characters as they are.
    let plain = directory.path().join("a b.npy").display().to_string();
    let (store, path) = parse_url(&plain).unwrap();
    assert_eq!(RemoteNpy::open(store, path).await.unwrap().read_all::<u16>().await.unwrap(), [1, 2]);
    let nested = directory.path().join("nested");
    std::fs::create_dir(&nested).unwrap();
    let (store, path) = parse_url(&format!("{}/../a b.npy", nested.display())).unwrap();
    RemoteNpy::open(store, path).await.unwrap();
    parse_url(&format!("{}/../new.npy", nested.display())).unwrap();
    let error = parse_url("no/../directory/../none.npy").unwrap_err().to_string();
    assert!(error.starts_with("invalid URL \"no/../directory/../none.npy\": "), "{error}");
    let (store, path) = parse_url("none.npy").unwrap();
    let none = std::path::absolute("none.npy").unwrap().display().to_string();
    let error = RemoteNpy::open(store, path).await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("{none}: cannot read")) && error.matches("none.npy").count() == 1, "{error}");
    std::fs::write(&plain, "no array").unwrap();
    let (store, path) = parse_url(&plain).unwrap();
    let error = RemoteNpy::open(store, path).await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("{plain}: not an .npy file")), "{error}");
    for (url, feature, is_on) in [
        ("http://host/picks.npy", "http", cfg!(feature = "http")),
        ("s3://bucket/picks.npy", "aws", cfg!(feature = "aws")),
        ("gs://bucket/picks.npy", "gcp", cfg!(feature = "gcp")),
        ("az://container/picks.npy", "azure", cfg!(feature = "azure")),
    ] {
        let message = format!("cannot open {url:?}: feature `{feature}` of `npy-remote` is disabled");
        assert!(is_on || parse_url(url).unwrap_err().to_string() == message, "{url}");
    }
    let error = parse_url("ftp://host/picks.npy").unwrap_err();
    insta::assert_snapshot!(error, @r#"invalid URL "ftp://host/picks.npy": Unable to recognise URL "ftp://host/picks.npy""#);
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    let error = parse_url("https://host/picks.npy?X-Amz-Expires=60").unwrap_err();
    insta::assert_snapshot!(error, @r#"invalid URL "https://host/picks.npy?X-Amz-Expires=60": unsupported query: expected none, found "X-Amz-Expires=60"; build the store and pass the path"#);
}

#[tokio::test]
async fn a_missing_object_is_an_error_with_its_path() {
    let store = Arc::new(InMemory::new());
    let error = RemoteNpy::open(store, "none.npy").await.unwrap_err();
    assert_eq!(error.path(), Some("none.npy".as_ref()));
    insta::assert_snapshot!(error, @"none.npy: cannot read bytes 0..65545: not found");
    assert!(error.is_not_found());
}
