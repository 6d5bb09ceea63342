//! How many requests are made, and how many bytes are fetched.

use std::sync::Arc;

use npy_core::npz::NpzWriter;
use npy_core::region::AxisRange;
use npy_core::{Header, NpyElement, Order, Version};
use npy_remote::object_store::{GetRange, ObjectStore};
use npy_remote::{RemoteNpy, RemoteNpz, RemoteOptions};

use crate::support::{Computed, FaultStore, Random, file, memory};

const GIB: u64 = 1 << 30;
const KIB: u64 = 1 << 10;

/// An object of 1 GiB: `f8` in rows of 128, whose bytes are computed.
fn gibibyte(order: Order) -> (Arc<FaultStore>, u64) {
    let shape = if order == Order::C { [1 << 20, 128] } else { [128, 1 << 20] };
    let header = Header::new(f64::dtype(), order, &shape).unwrap().to_bytes();
    let begin = header.len() as u64;
    let byte: fn(u64) -> u8 = |at| if at % 8 < 3 { ((at / 8) >> (at % 8 * 8)) as u8 } else { 0 };
    let computed = Computed { header, size: begin + GIB, byte: Some(byte), tail: Vec::new() };
    (FaultStore::counting(Arc::new(computed)), begin)
}

/// The value of an element of [`gibibyte`].
fn value(element: u64) -> f64 {
    f64::from_bits(element & 0xff_ffff)
}

#[tokio::test]
async fn rows_of_a_gibibyte_fetch_at_most_64_kib_more() {
    let mut random = Random::new(3);
    for order in [Order::C, Order::Fortran] {
        let (store, begin) = gibibyte(order);
        for (rows, most_requests) in [(0..1, 1), (0..100, 2), (500_000..500_001, 2), (1_048_000..1_048_576, 2), (77..20_000, 4)] {
            let array = RemoteNpy::open(store.clone(), "big.npy").await.unwrap();
            let items: Vec<f64> = array.read_rows(rows.clone()).await.unwrap();
            let first = rows.start as u64 * 128;
            assert!(items.iter().zip(first..).all(|(item, element)| *item == value(element)));
            let needed = begin + rows.len() as u64 * 1024;
            let (requests, bytes) = store.taken();
            assert!(bytes <= needed + 64 * KIB, "{rows:?}: {bytes} bytes for {needed}");
            assert!(requests <= most_requests, "{rows:?}: {requests} requests");
        }
        // Each byte once, whatever the size of requests.
        for _ in 0..20 {
            let start = random.below(1 << 20);
            let rows = start..(start + random.below(2000)).min(1 << 20);
            let options = RemoteOptions::new().request_bytes(64 * KIB + random.below(1 << 20) as u64);
            let array = RemoteNpy::open_with(store.clone(), "big.npy", options).await.unwrap();
            assert_eq!(array.read_rows::<f64>(rows.clone()).await.unwrap().len(), rows.len() * 128);
            let bytes = store.taken().1;
            assert!(bytes <= begin + rows.len() as u64 * 1024 + 64 * KIB, "{rows:?}: {bytes}");
        }
    }
}

#[tokio::test]
async fn regions_fetch_near_ranges_together() {
    let (store, _) = gibibyte(Order::C);
    let array = RemoteNpy::open(store.clone(), "big.npy").await.unwrap();
    store.taken();
    // A column: 8 bytes of each 1024.
    let column: Vec<f64> = array.read_region(&[(1000..3000).into(), 5.into()]).await.unwrap();
    assert!(column.iter().zip(1000..).all(|(item, row)| *item == value(row * 128 + 5)));
    assert_eq!(store.taken(), (1, 1999 * 1024 + 8));
    // Every 1000th row: gaps of some MB are not fetched.
    let rows: Vec<f64> = array.read_region(&[AxisRange::from(..).step_by(100_000), (..).into()]).await.unwrap();
    assert_eq!(rows.len(), 11 * 128);
    // The first row came with the header.
    assert_eq!(store.taken(), (10, 10 * 1024));
}

#[tokio::test]
async fn a_header_takes_one_request_and_at_most_two() {
    let mut names = Vec::new();
    for fields in [1, 100, 1000, 2720, 4000] {
        let fields: Vec<String> = (0..fields).map(|i| format!("('field_{i:05}', '<f4')")).collect();
        names.push(format!("[{}]", fields.join(", ")));
    }
    let mut seen = Vec::new();
    for (dtype, version) in
        names.iter().zip([Version::V1, Version::V1, Version::V1, Version::V1, Version::V2]).chain([(&names[1], Version::V3)])
    {
        let header = Header::new(dtype.parse().unwrap(), Order::C, &[2]).unwrap().with_version(version).unwrap();
        let bytes = [header.to_bytes(), vec![0; usize::try_from(header.data_bytes()).unwrap()]].concat();
        let length = header.to_bytes().len();
        let store = FaultStore::counting(memory("x.npy", bytes).await);
        let array = RemoteNpy::open(store.clone(), "x.npy").await.unwrap();
        assert_eq!(array.header(), &header);
        let (requests, _) = store.taken();
        assert_eq!(requests, if length > 65_545 { 2 } else { 1 }, "{length}");
        assert!(requests == 1 || version != Version::V1);
        seen.push((length, requests));
    }
    assert!(seen.iter().any(|(length, _)| (60_000..65_545).contains(length)), "{seen:?}");
    assert!(seen.iter().any(|(_, requests)| *requests == 2), "{seen:?}");
}

#[tokio::test]
async fn a_small_array_comes_with_its_header() {
    let items: Vec<u32> = (0..10_000).collect();
    let store = FaultStore::counting(memory("x.npy", file(&items)).await);
    let array = RemoteNpy::open(store.clone(), "x.npy").await.unwrap();
    assert!(array.read_all::<u32>().await.unwrap() == items);
    assert_eq!(array.read_rows::<u32>(5..7).await.unwrap(), [5, 6]);
    assert_eq!(store.taken(), (1, 40_128));
}

#[tokio::test]
async fn requests_are_in_flight_at_the_same_time() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    let data: Vec<u8> = (0..1_000_000).map(|i| (i % 251) as u8).collect();
    let latency =
        npy_remote::object_store::throttle::ThrottleConfig { wait_get_per_call: Duration::from_millis(50), ..Default::default() };
    let store = memory("x.npy", file(&data)).await;
    let slow = Arc::new(npy_remote::object_store::throttle::ThrottledStore::new(store, latency));
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let counting = Arc::new(FaultStore::new(slow, |_, _| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        None
    }));
    let mut times = Vec::new();
    for requests in [1, 8] {
        let options = RemoteOptions::new().request_bytes(64 * KIB).requests(requests);
        let array = RemoteNpy::open_with(counting.clone(), "x.npy", options).await.unwrap();
        let began = std::time::Instant::now();
        assert!(array.read_all::<u8>().await.unwrap() == data);
        times.push(began.elapsed());
    }
    // 15 requests each, one after the other or in two rounds.
    assert_eq!(CALLS.load(Ordering::Relaxed), 32);
    assert!(times[1] * 2 < times[0], "{times:?}");
}

#[tokio::test]
async fn an_archive_takes_one_request_and_one_for_each_member() {
    let noise = |seed: u64| {
        let mut random = Random::new(seed);
        (0..100_000).map(|_| random.below(1 << 30) as u32).collect::<Vec<_>>()
    };
    for is_compressed in [false, true] {
        let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
        if is_compressed {
            archive = NpzWriter::new_compressed(std::io::Cursor::new(Vec::new()));
        }
        for member in 0..10 {
            archive.add_slice(&format!("member_{member}"), &noise(member)).unwrap();
        }
        let bytes = archive.finish().unwrap().into_inner();
        assert!(bytes.len() > 2_000_000);
        let store = FaultStore::counting(memory("run.npz", bytes).await);
        let archive = RemoteNpz::open(store.clone(), "run.npz").await.unwrap();
        assert!(matches!(store.log.lock().unwrap()[0].options.range, Some(GetRange::Suffix(_))));
        assert_eq!(store.taken(), (1, 128 * KIB));
        for member in [0, 5, 2] {
            let name = format!("member_{member}");
            assert!(archive.by_name::<u32>(&name).await.unwrap() == noise(member));
            let (requests, bytes) = store.taken();
            assert_eq!(requests, 1);
            assert!(bytes <= 400_000 + 8 * KIB, "{bytes}");
            let member_of = archive.member(&name).await.unwrap();
            let (requests, bytes) = store.taken();
            assert_eq!(requests, 1);
            assert!(member_of.read_rows::<u32>(50_000..50_100).await.unwrap() == noise(member)[50_000..50_100]);
            if is_compressed {
                // Decompressed as a whole.
                assert_eq!(store.taken().0, 0);
            } else {
                assert!(bytes <= 66 * KIB, "{bytes}");
                assert_eq!(store.taken(), (1, 400));
            }
        }
    }
}

#[tokio::test]
async fn a_long_directory_takes_two_requests() {
    let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    for member in 0..5000_u32 {
        archive.add_scalar(&format!("a_name_of_some_length_{member:06}"), &member).unwrap();
    }
    let store = FaultStore::counting(memory("run.npz", archive.finish().unwrap().into_inner()).await);
    let archive = RemoteNpz::open(store.clone() as Arc<dyn ObjectStore>, "run.npz").await.unwrap();
    assert_eq!((archive.len(), store.taken().0), (5000, 2));
    for member in [0, 1234, 4999] {
        assert_eq!(archive.scalar::<u32>(&format!("a_name_of_some_length_{member:06}")).await.unwrap(), member);
        assert!(store.taken().0 <= 1);
    }
}

#[tokio::test]
async fn a_member_with_a_long_header_takes_few_requests() {
    let fields: Vec<String> = (0..30_000).map(|i| format!("('field_{i:05}', '<f4')")).collect();
    let header = Header::new(format!("[{}]", fields.join(", ")).parse().unwrap(), Order::C, &[0]).unwrap();
    assert!(header.to_bytes().len() > 700_000);
    let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    archive.add_bytes("long.npy", &header.to_bytes()).unwrap();
    // More than the first request for the directory brings.
    archive.add_slice("other", &vec![0_u8; 200_000]).unwrap();
    let store = FaultStore::counting(memory("run.npz", archive.finish().unwrap().into_inner()).await);
    let archive = RemoteNpz::open(store.clone(), "run.npz").await.unwrap();
    store.taken();
    assert_eq!(archive.member("long").await.unwrap().header(), &header);
    let requests = store.taken().0;
    assert!(requests <= 6, "{requests}");
}

/// An archive of 100 members of 8 KB.
fn hundred(is_compressed: bool) -> Vec<u8> {
    let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    if is_compressed {
        archive = NpzWriter::new_compressed(std::io::Cursor::new(Vec::new()));
    }
    let mut random = Random::new(9);
    for member in 0..100 {
        let noise: Vec<u32> = (0..2000).map(|_| random.below(1 << 32) as u32).collect();
        archive.add_slice(&format!("member_{member:02}"), &noise).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[tokio::test]
async fn a_hundred_members_take_two_requests() {
    for is_compressed in [false, true] {
        let bytes = hundred(is_compressed);
        let size = bytes.len() as u64;
        let mut local = npy_core::npz::NpzReader::from_bytes(&bytes).unwrap();
        let expected: Vec<Vec<u32>> = (0..100).map(|index| local.by_index(index).unwrap()).collect();
        let store = FaultStore::counting(memory("run.npz", bytes.clone()).await);
        let archive = RemoteNpz::open(store.clone(), "run.npz").await.unwrap();
        let names: Vec<String> = archive.names().map(str::to_owned).collect();
        assert_eq!(store.taken(), (1, 128 * KIB));
        assert!(archive.read_many::<u32>(&names).await.unwrap() == expected);
        assert_eq!(store.taken(), (1, size - 128 * KIB));
        // One after the other.
        for (name, expected) in names.iter().zip(&expected) {
            assert!(archive.by_name::<u32>(name).await.unwrap() == *expected);
        }
        let (requests, one_by_one) = store.taken();
        assert!(requests > 80 && one_by_one < size + 100 * KIB, "{requests} {one_by_one}");
        // In any order, some twice, and some of them far apart.
        let some: Vec<&String> = [70, 1, 0, 1, 71, 99].map(|index| &names[index]).to_vec();
        let found = archive.read_many::<u32>(&some).await.unwrap();
        assert!(found.iter().zip([70, 1, 0, 1, 71, 99]).all(|(found, index)| *found == expected[index]));
        let (requests, bytes) = store.taken();
        assert!(requests == 2 && bytes < 34 * KIB, "{requests} {bytes}");
        // What was prefetched takes no request, in no matter what kind of call.
        let some = archive.prefetch(&names[10..20]).await.unwrap();
        assert_eq!(store.taken().0, 1);
        assert!(some.by_name::<u32>("member_15").await.unwrap() == expected[15]);
        assert_eq!(some.header("member_16").await.unwrap().shape(), [2000]);
        assert!(some.member("member_17").await.unwrap().read_rows::<u32>(5..9).await.unwrap() == expected[17][5..9]);
        assert_eq!(some.prefetch(["member_18"]).await.unwrap().bytes("member_18", 1 << 20).await.unwrap().len(), 8128);
        assert_eq!(store.taken().0, 0);
        some.by_name::<u32>("member_20").await.unwrap();
        assert_eq!(store.taken().0, 1);
        // Larger than a request, by several.
        let options = RemoteOptions::new().request_bytes(64 * KIB);
        let archive = RemoteNpz::open_with(store.clone(), "run.npz", options).await.unwrap();
        store.taken();
        assert!(archive.read_many::<u32>(&names).await.unwrap() == expected);
        let (requests, bytes) = store.taken();
        assert_eq!((requests as u64, bytes), ((size - 128 * KIB).div_ceil(64 * KIB), size - 128 * KIB));
    }
}

/// The table of the README has the first and the last lines.
#[tokio::test]
async fn neighbours_share_requests() {
    let store = FaultStore::counting(memory("run.npz", hundred(false)).await);
    let archive = RemoteNpz::open(store.clone(), "run.npz").await.unwrap();
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    let mut table = vec![("open".to_owned(), store.taken())];
    for name in &names {
        archive.by_name::<u32>(name).await.unwrap();
    }
    table.push(("by_name, each of 100".to_owned(), store.taken()));
    for name in &names {
        archive.header(name).await.unwrap();
    }
    table.push(("header, each of 100".to_owned(), store.taken()));
    archive.read_many::<u32>(&names).await.unwrap();
    table.push(("read_many, 100".to_owned(), store.taken()));
    archive.prefetch(&names[..50]).await.unwrap();
    table.push(("prefetch, 50".to_owned(), store.taken()));
    let lines: Vec<_> = table.iter().map(|(call, (requests, bytes))| format!("{call}: {requests}, {bytes} bytes")).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    open: 1, 131072 bytes
    by_name, each of 100: 85, 700334 bytes
    header, each of 100: 85, 700334 bytes
    read_many, 100: 1, 693950 bytes
    prefetch, 50: 1, 409626 bytes
    ");
    #[cfg(feature = "ndarray")]
    {
        let all = archive.load::<std::collections::BTreeMap<String, Vec<u32>>>().await.unwrap();
        assert_eq!((all.len(), store.taken().0), (100, 1));
    }
}
