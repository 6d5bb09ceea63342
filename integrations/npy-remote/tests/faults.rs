//! Stores that fail, lie and change: each is an error, and never a mixture.

use std::sync::Arc;
use std::time::Duration;

use npy_core::npz::NpzWriter;
use npy_core::{Header, Limits, NpyElement, Order, Version};
use npy_remote::object_store::memory::InMemory;
use npy_remote::object_store::{GetOptions, GetRange};
use npy_remote::{Error, ErrorKind, RemoteNpy, RemoteNpz};

use crate::reading::small;
use crate::support::{Computed, Fault, FaultStore, file, memory};

const COUNT: usize = 100_000;

fn items(first: u32) -> Vec<u32> {
    (first..first + COUNT as u32).collect()
}

/// A store of `x.npy` that fails from the second request on, or not.
async fn store_with(fault: impl Fn(usize, &GetOptions) -> Option<Fault> + Send + Sync + 'static) -> FaultStore {
    FaultStore::new(memory("x.npy", file(&items(0))).await, fault)
}

async fn read(store: FaultStore) -> Result<Vec<u32>, Error> {
    RemoteNpy::open_with(Arc::new(store), "x.npy", small()).await?.read_all().await
}

#[tokio::test]
async fn every_request_that_fails_is_an_error() {
    // 400,128 bytes: the front, and five requests of 64 KiB.
    assert_eq!(read(store_with(|_, _| None).await).await.unwrap(), items(0));
    for failing in 0..6 {
        for fault in [Fault::Fail, Fault::BreakOff, Fault::Length(-1), Fault::Length(1), Fault::Length(-1000), Fault::Shifted] {
            let shown = format!("{failing} {fault:?}");
            let error = read(store_with(move |number, _| (number == failing).then(|| fault.clone())).await).await.unwrap_err();
            assert_eq!(error.path(), Some("x.npy".as_ref()));
            let (kind, begin) = match shown.split_once(' ').unwrap().1 {
                "Fail" | "BreakOff" => (ErrorKind::External, "cannot read bytes "),
                "Shifted" => (ErrorKind::BrokenStream, "wrong response: expected bytes "),
                _ => (ErrorKind::BrokenStream, "wrong response for bytes "),
            };
            assert_eq!(error.kind(), kind, "{shown}: {error}");
            assert!(error.message().starts_with(begin), "{shown}: {error}");
        }
    }
    let error = read(store_with(|number, _| (number == 2).then_some(Fault::Length(-1000))).await).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: wrong response for bytes 131081..196617: expected a length of 65536, found 64536");
    let error = read(store_with(|number, _| (number == 2).then_some(Fault::Length(1))).await).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: wrong response for bytes 131081..196617: expected a length of 65536, found at least 65537");
    let error = read(store_with(|number, _| (number == 2).then_some(Fault::Shifted)).await).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: wrong response: expected bytes 131081..196617, found bytes 131082..196618");
    let error = read(store_with(|number, _| (number == 2).then_some(Fault::Fail)).await).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: cannot read bytes 131081..196617: Generic test error: request timed out");
    // The message has what the store said, once.
    assert_eq!(format!("{error:#}"), error.to_string());
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_left_by_a_time_limit() {
    let store = store_with(|number, _| (number == 3).then_some(Fault::Hang)).await;
    let array = RemoteNpy::open_with(Arc::new(store), "x.npy", small()).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(200), array.read_all::<u32>()).await.is_err());
    // The array is as it was: the next requests are answered.
    assert_eq!(array.read_all::<u32>().await.unwrap(), items(0));
}

#[tokio::test]
async fn a_replaced_object_is_an_error_and_never_a_mixture() {
    let other = file(&items(7));
    for has_e_tags in [true, false] {
        for replaced_at in 1..6 {
            let other = other.clone();
            let mut store =
                store_with(move |number, _| (number == replaced_at).then(|| Fault::Replace(other.clone().into()))).await;
            store.has_e_tags = has_e_tags;
            let error = read(store).await.unwrap_err();
            let property = if has_e_tags { "e-tag" } else { "time of modification" };
            assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
            let begin = format!("object replaced while it was read: expected {property} ");
            assert!(error.message().starts_with(&begin), "{error}");
        }
    }
    // Before the header was read, it is another array.
    let store = store_with(move |number, _| (number == 0).then(|| Fault::Replace(other.clone().into()))).await;
    assert_eq!(read(store).await.unwrap(), items(7));

    let replace = |bytes: Vec<u8>| move |number: usize, _: &GetOptions| (number == 1).then(|| Fault::Replace(bytes.clone().into()));
    let error = read(store_with(replace(file(&items(7)))).await).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: object replaced while it was read: expected e-tag 0, found another; open it again");
    let mut store = store_with(replace(file(&vec![0_u32; 2 * COUNT]))).await;
    store.has_e_tags = false;
    let error = read(store).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: object replaced while it was read: expected size 400128, found 800128; open it again");
}

#[tokio::test]
async fn requests_have_the_conditions_of_the_first_response() {
    let store = Arc::new(store_with(|_, _| None).await);
    let array = RemoteNpy::open_with(store.clone(), "x.npy", small()).await.unwrap();
    array.read_all::<u32>().await.unwrap();
    let log = std::mem::take(&mut *store.log.lock().unwrap());
    assert!(log[0].options.if_match.is_none());
    assert!(log.len() > 3 && log[1..].iter().all(|request| request.options.if_match.as_deref() == Some("0")));

    let mut store = store_with(|_, _| None).await;
    store.has_e_tags = false;
    let store = Arc::new(store);
    let array = RemoteNpy::open_with(store.clone(), "x.npy", small()).await.unwrap();
    array.read_all::<u32>().await.unwrap();
    let log = std::mem::take(&mut *store.log.lock().unwrap());
    assert!(log[1..].iter().all(|request| request.options.if_unmodified_since.is_some()));
}

#[tokio::test]
async fn a_false_size_is_an_error() {
    // Too small from the start: the response is not what was requested.
    let error = read(store_with(|number, _| (number == 0).then_some(Fault::Size(1000))).await).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: wrong response: expected bytes 0..1000, found bytes 0..65545");
    // Too large from the start: later responses tell.
    let error = read(store_with(|number, _| (number == 0).then_some(Fault::Size(1 << 40))).await).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: object replaced while it was read: expected size 1099511627776, found 400128; open it again");
    let error = read(store_with(|number, _| (number == 2).then_some(Fault::Size(5))).await).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: object replaced while it was read: expected size 400128, found 5; open it again");
}

#[tokio::test]
async fn a_truncated_object_is_an_error_before_its_data_are_fetched() {
    let whole = file(&items(0));
    let store = FaultStore::counting(memory("x.npy", whole[..300_000].to_vec()).await);
    let array = RemoteNpy::open_with(store.clone(), "x.npy", small()).await.unwrap();
    store.taken();
    let error = array.read_all::<u32>().await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: truncated file: the array needs 400000 bytes at offset 128, found 299872");
    let error = array.read_rows::<u32>(70_000..90_000).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: truncated file: the array needs 80000 bytes at offset 280128, found 19872");
    assert_eq!(store.taken().0, 0);
    assert_eq!(array.read_rows::<u32>(0..70_000).await.unwrap(), items(0)[..70_000]);

    let kinds = [(1, ErrorKind::Truncated), (7, ErrorKind::Truncated), (9, ErrorKind::Truncated), (100, ErrorKind::Truncated)];
    for (length, kind) in kinds {
        let error = RemoteNpy::open(memory("x.npy", whole[..length].to_vec()).await, "x.npy").await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    }
}

/// The header of a file that claims to be long.
fn claim(version: u8, length: u32) -> Vec<u8> {
    [&b"\x93NUMPY"[..], &[version, 0], &length.to_le_bytes(), b"{'descr': '<f8', "].concat()
}

#[tokio::test]
async fn a_header_beyond_the_limits_is_refused_without_a_second_request() {
    // It goes on for 4 GiB.
    let endless = Computed { header: claim(3, u32::MAX), size: 1 << 33, byte: Some(|_| b' '), tail: Vec::new() };
    let store = FaultStore::counting(Arc::new(endless));
    let error = RemoteNpy::open(store.clone(), "x.npy").await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: limit exceeded: expected at most 1048576 bytes of the header, found 4294967295; raise it with `Limits` if the file is trusted");
    assert_eq!(store.taken().0, 1);
    // Within the limits it is read, and no more than it.
    let store = FaultStore::counting(Arc::new(Computed {
        header: claim(2, 1 << 20),
        size: 1 << 33,
        byte: Some(|_| b' '),
        tail: Vec::new(),
    }));
    let error = RemoteNpy::open(store.clone(), "x.npy").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidHeader, "{error}");
    assert_eq!(store.taken(), (2, (1 << 20) + 12));
    // Longer than the object.
    let error = RemoteNpy::open(memory("x.npy", claim(2, 1 << 20)).await, "x.npy").await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: truncated file: the header needs 1048576 bytes at offset 12, found 17");
    let error = RemoteNpy::open_with(store, "x.npy", Limits::new().header_bytes(100)).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: limit exceeded: expected at most 100 bytes of the header, found 1048576; raise it with `Limits` if the file is trusted");
}

#[tokio::test]
async fn an_array_larger_than_the_object_takes_no_memory() {
    let header = Header::new(f64::dtype(), Order::C, &[1 << 50]).unwrap().to_bytes();
    let array = RemoteNpy::open(memory("x.npy", header).await, "x.npy").await.unwrap();
    let error = array.read_all::<f64>().await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: truncated file: the array needs 9007199254740992 bytes at offset 128, found 0");
    let error = array.read_region::<f64>(&[npy_core::region::AxisRange::from(..).step_by(3)]).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: truncated file: the array needs 3002399751580336 bytes at offset 128, found 0");
}

#[tokio::test]
async fn the_second_request_of_a_header_is_pinned() {
    let dtype = format!("[{}]", (0..4000).map(|i| format!("('field_{i:05}', '<f4')")).collect::<Vec<_>>().join(", "));
    let header = Header::new(dtype.parse().unwrap(), Order::C, &[0]).unwrap();
    assert_eq!(header.version(), Version::V2);
    let bytes = header.to_bytes();
    let other = bytes.clone();
    let store =
        FaultStore::new(memory("x.npy", bytes).await, move |number, _| (number == 1).then(|| Fault::Replace(other.clone().into())));
    let error = RemoteNpy::open(Arc::new(store), "x.npy").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
}

fn archive() -> Vec<u8> {
    let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    archive.add_slice("a", &items(0)).unwrap();
    archive.add_slice("b", &items(1)).unwrap();
    archive.finish().unwrap().into_inner()
}

#[tokio::test]
async fn archives_that_are_replaced_or_fail_are_errors() {
    for fault in [Fault::Fail, Fault::BreakOff, Fault::Length(-5), Fault::Shifted, Fault::Replace(archive().into())] {
        let faulty = fault.clone();
        let store = FaultStore::new(memory("x.npz", archive()).await, move |number, _| (number == 1).then(|| faulty.clone()));
        let opened = RemoteNpz::open(Arc::new(store), "x.npz").await.unwrap();
        let error = opened.by_name::<u32>("a").await.unwrap_err();
        let kinds = [ErrorKind::External, ErrorKind::BrokenStream, ErrorKind::Conflict];
        assert!(kinds.contains(&error.kind()), "{fault:?}: {error}");
        assert_eq!(error.member(), Some("a"));
        assert!(error.to_string().starts_with(r#"x.npz: member "a": "#), "{error}");
        if let Fault::Replace(_) = fault {
            assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
            assert!(opened.member("b").await.is_err());
        } else {
            assert_eq!(opened.by_name::<u32>("a").await.unwrap(), items(0));
        }
    }
}

#[tokio::test]
async fn stores_without_suffix_requests_are_asked_for_the_size() {
    let is_suffix = |options: &GetOptions| matches!(options.range, Some(GetRange::Suffix(_)));
    let store =
        FaultStore::new(memory("x.npz", archive()).await, move |_, options| is_suffix(options).then_some(Fault::NotSupported));
    let store = Arc::new(store);
    let opened = RemoteNpz::open(store.clone(), "x.npz").await.unwrap();
    assert_eq!(opened.by_name::<u32>("b").await.unwrap(), items(1));
    // The refused one, one for the size, one for the end, one for the member.
    assert_eq!(store.taken().0, 4);
}

#[tokio::test]
async fn a_damaged_member_is_found_when_it_is_read_as_a_whole() {
    let mut bytes = archive();
    let at = bytes.len() / 4;
    bytes[at] ^= 1;
    let opened = RemoteNpz::open(memory("x.npz", bytes).await, "x.npz").await.unwrap();
    let error = opened.by_name::<u32>("a").await.unwrap_err();
    insta::assert_snapshot!(error, @r#"x.npz: member "a": wrong checksum: expected 0xae8fb39c, found 0xf90fec2f; the data are damaged"#);
    assert_eq!(opened.by_name::<u32>("b").await.unwrap(), items(1));
}

#[tokio::test]
async fn what_is_no_archive_is_refused_in_bounded_requests() {
    let store =
        FaultStore::counting(Arc::new(Computed { header: Vec::new(), size: 1 << 33, byte: Some(|at| at as u8), tail: Vec::new() }));
    let error = RemoteNpz::open(store.clone(), "x.npz").await.unwrap_err();
    insta::assert_snapshot!(error, @r#"x.npz: not an .npz file: expected a zip archive, found "\x00\x01\x02\x03\x04\x05\x06\x07""#);
    let (requests, bytes) = store.taken();
    assert!(requests < 10 && bytes < 4 << 20, "{requests} {bytes}");
    // Without its end, whose members are searched.
    let bytes = archive();
    let error = RemoteNpz::open(memory("x.npz", bytes[..bytes.len() - 60].to_vec()).await, "x.npz").await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npz: truncated archive: expected the end of central directory at the end of the file, found 2 complete and 0 listed members; `npy_core::npz::recover` keeps them");
    let error = RemoteNpz::open(Arc::new(InMemory::new()), "x.npz").await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npz: cannot read the object: not found");
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn the_search_for_members_is_bounded() {
    // 8 GiB in front of an archive, where members might hide.
    let store = FaultStore::counting(Arc::new(Computed { header: Vec::new(), size: 1 << 33, byte: None, tail: archive() }));
    let error = RemoteNpz::open(store.clone(), "x.npz").await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npz: cannot find the members: expected at most 268435456 bytes, found at least 357957632; copy the archive to a file");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    let (requests, bytes) = store.taken();
    assert!(requests < 40 && bytes < 128 << 20, "{requests} {bytes}");

    // Requests count as many as they are.
    let error = RemoteNpz::open_with(store.clone(), "x.npz", small()).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npz: cannot find the members: expected at most 256 requests, found at least 341; copy the archive to a file");
    let requests = store.taken().0;
    assert!(requests <= 256, "{requests}");
}
