//! Arrays and archives on a server of S3, and what is said when it fails.

use std::io::Cursor;

use npy_core::npz::NpzWriter;
use npy_core::{Header, NpyElement, Order};
use npy_remote::object_store::{ObjectStore, ObjectStoreExt};
use npy_remote::{ErrorKind, RemoteNpy, RemoteNpz, RemoteOptions, RemoteWriter, store_error};

use crate::damage::assert_empty_is_no_array;
use crate::s3_server::{Fault, Server};
use crate::support::{Pick, picks};

#[tokio::test]
async fn arrays_are_written_and_read() {
    let Some(server) = Server::start("arrays_are_written_and_read") else { return };
    let (store, items) = (server.store("bucket"), picks(20_000));
    npy_remote::save(store.clone(), "run/picks.npy", &items).await.unwrap();
    assert_eq!(server.taken().0, ["PUT"]);
    let array = RemoteNpy::open(store.clone(), "run/picks.npy").await.unwrap();
    assert!(array.read_rows::<Pick>(10_000..10_010).await.unwrap() == items[10_000..10_010]);
    assert_eq!(server.taken().0, ["GET", "GET"]);
    let (stations,) = array.columns::<(String,)>(["station"]).await.unwrap();
    assert!(stations.iter().eq(items.iter().map(|pick| &pick.station)));
    #[cfg(feature = "arrow")]
    {
        use futures_util::TryStreamExt;
        let batches: Vec<_> = array.batches(npy_remote::npy_arrow::BatchOptions::new()).unwrap().try_collect().await.unwrap();
        assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 20_000);
    }

    // 12 MiB in parts of 5.
    let grid: Vec<f32> = (0..3 << 20).map(|i| i as f32).collect();
    server.taken();
    let header = Header::new(f32::dtype(), Order::C, &[1024, 3072]).unwrap();
    let options = RemoteOptions::new().request_bytes(5 << 20);
    let mut writer = RemoteWriter::create_with(store.clone(), "grid.npy", &header, options).unwrap();
    for rows in grid.chunks(1 << 18) {
        writer.write_slice(rows).await.unwrap();
    }
    assert_eq!(
        store.head(&"grid.npy".into()).await.unwrap_err().to_string().split(" not found").next(),
        Some("Object at location grid.npy")
    );
    writer.finish().await.unwrap();
    let methods = server.taken().0;
    let counts = ["POST", "PUT", "HEAD"].map(|method| methods.iter().filter(|found| *found == method).count());
    assert_eq!(counts, [2, 3, 1], "{methods:?}");
    let array = RemoteNpy::open(store, "grid.npy").await.unwrap();
    let region = array.read_region::<f32>(&[(5..7).into(), (10..12).into()]).await.unwrap();
    assert_eq!(region, [5 * 3072 + 10, 5 * 3072 + 11, 6 * 3072 + 10, 6 * 3072 + 11].map(|at| at as f32));
    assert!(array.read_all::<f32>().await.unwrap() == grid);
}

#[tokio::test]
async fn a_hundred_members_take_two_requests() {
    let Some(server) = Server::start("a_hundred_members_take_two_requests") else { return };
    let store = server.store("bucket");
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    let names: Vec<_> = (0..100).map(|member| format!("m{member:02}")).collect();
    let member = |number: usize| (0..1024).map(|i| (number * 1024 + i) as f64).collect::<Vec<_>>();
    for (number, name) in names.iter().enumerate() {
        archive.add_slice(name, &member(number)).unwrap();
    }
    store.put(&"run.npz".into(), archive.finish().unwrap().into_inner().into()).await.unwrap();
    server.taken();
    let opened = RemoteNpz::open(store, "run.npz").await.unwrap();
    let members: Vec<Vec<f64>> = opened.read_many(names.iter().map(String::as_str)).await.unwrap();
    assert!(members.into_iter().eq((0..100).map(member)));
    let (methods, bytes) = server.taken();
    assert_eq!(methods, ["GET", "GET"]);
    // Twice the last 128 KiB at most, and the heads.
    assert!(bytes < 980_000, "{bytes}");
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let Some(server) = Server::start("what_is_missing_is_named") else { return };
    let (store, none) = (server.store("bucket"), server.store("none"));
    let error = RemoteNpy::open(store.clone(), "run/x.npy").await.unwrap_err();
    insta::assert_snapshot!(error, @"s3://bucket/run/x.npy: cannot read bytes 0..65545: no such object in the bucket");
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.path(), Some("s3://bucket/run/x.npy".as_ref()));
    let error = RemoteNpz::open(none.clone(), "run/x.npz").await.unwrap_err();
    insta::assert_snapshot!(error, @"s3://none/run/x.npz: cannot read the object: no such bucket; check its name, and the region or the account");
    let error = npy_remote::save(none.clone(), "x.npy", &[1_u8]).await.unwrap_err();
    insta::assert_snapshot!(error, @"s3://none/x.npy: cannot write the object: no such bucket; check its name, and the region or the account");
    let error = none.list_with_delimiter(None).await.unwrap_err();
    let error = store_error(&*none, &"".into(), "cannot list the objects", error).await;
    insta::assert_snapshot!(error, @"s3://none/: cannot list the objects: no such bucket; check its name, and the region or the account");
    // The answer to HEAD has no body.
    for (store, missing) in [(store, "no such object in the bucket"), (none, "no such bucket")] {
        let error = store.head(&"x.npy".into()).await.unwrap_err();
        let error = store_error(&*store, &"x.npy".into(), "cannot list the object", error).await;
        assert!(error.message().contains(missing), "{error}");
    }
}

#[tokio::test]
async fn failures_are_repeated_and_then_told_without_xml() {
    const BODY: &str =
        "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>";
    let Some(server) = Server::start("failures_are_repeated_and_then_told_without_xml") else { return };
    let (store, items) = (server.store("bucket"), (0..100_000).collect::<Vec<u32>>());
    npy_remote::save(store.clone(), "x.npy", &items).await.unwrap();
    for status in ["503 Slow Down", "429 Too Many Requests", "500 Internal Server Error"] {
        let fault = Fault::Answer(status, BODY);
        server.fail(&[fault.clone(), fault.clone()]);
        let array = RemoteNpy::open(store.clone(), "x.npy").await.unwrap();
        assert!(array.read_all::<u32>().await.unwrap() == items);
        server.fail(&vec![fault; 3]);
        let error = array.read_rows::<u32>(50_000..50_001).await.unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("s3://bucket/x.npy: cannot read bytes 200128..200132: the server answered "), "{text}");
        assert!(text.ends_with(" after 2 retries: SlowDown: Please reduce your request rate"), "{text}");
        assert!(text.contains(&status[..3]) && !text.contains('<'), "{text}");
        assert_eq!(error.kind(), ErrorKind::External);
    }
    server.fail(&[Fault::Answer("403 Forbidden", "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")]);
    let error = RemoteNpy::open(store, "x.npy").await.unwrap_err();
    insta::assert_snapshot!(error, @"s3://bucket/x.npy: cannot read bytes 0..65545: the server answered 403 Forbidden: AccessDenied: Access Denied; check the credentials and their rights");
}

#[tokio::test]
async fn a_body_cut_off_is_fetched_again_or_an_error() {
    let Some(server) = Server::start("a_body_cut_off_is_fetched_again_or_an_error") else { return };
    let (store, items) = (server.store("bucket"), (0..100_000).collect::<Vec<u32>>());
    npy_remote::save(store.clone(), "x.npy", &items).await.unwrap();
    let array = RemoteNpy::open(store, "x.npy").await.unwrap();
    server.fail(&[Fault::CutOff]);
    assert!(array.read_all::<u32>().await.unwrap() == items);
    server.fail(&vec![Fault::CutOff; 20]);
    let error = array.read_all::<u32>().await.unwrap_err();
    assert!(error.to_string().starts_with("s3://bucket/x.npy: cannot read bytes 65545..400128: "), "{error}");
    assert_eq!(error.kind(), ErrorKind::External);
}

#[tokio::test]
async fn a_replaced_object_is_a_conflict() {
    let Some(server) = Server::start("a_replaced_object_is_a_conflict") else { return };
    let (store, items) = (server.store("bucket"), (0..100_000).collect::<Vec<u32>>());
    npy_remote::save(store.clone(), "x.npy", &items).await.unwrap();
    let array = RemoteNpy::open(store.clone(), "x.npy").await.unwrap();
    npy_remote::save(store, "x.npy", &vec![7_u32; 100_000]).await.unwrap();
    let error = array.read_all::<u32>().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    assert!(error.to_string().starts_with("s3://bucket/x.npy: object replaced while it was read: expected e-tag "), "{error}");
}

#[tokio::test]
async fn empty_objects_are_no_arrays() {
    let Some(server) = Server::start("empty_objects_are_no_arrays") else { return };
    let store = server.store("bucket");
    store.put(&"x.npy".into(), Vec::new().into()).await.unwrap();
    assert_empty_is_no_array(store, "x.npy", "s3://bucket/x.npy").await;
}
