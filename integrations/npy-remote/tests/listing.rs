//! Objects of a listing, opened by their content.

use std::sync::Arc;

use npy_core::npz::NpzWriter;
use npy_remote::object_store::memory::InMemory;
use npy_remote::object_store::{ObjectMeta, ObjectStoreExt};
use npy_remote::{Error, ErrorKind, RemoteFile, RemoteOptions};

use crate::support::{FaultStore, file, memory};

async fn listed(store: &InMemory, path: &str) -> ObjectMeta {
    store.head(&path.into()).await.unwrap()
}

async fn open(store: &Arc<FaultStore>, listed: ObjectMeta) -> Result<RemoteFile, Error> {
    RemoteFile::open(store.clone(), listed, RemoteOptions::new()).await
}

#[tokio::test]
async fn an_array_takes_one_request_of_4_kib_and_keeps_no_data() {
    let items: Vec<u32> = (0..10_000).collect();
    for (items, bytes) in [(&items[..], 4096), (&items[..10], 168)] {
        let inner = memory("x.npy", file(items)).await;
        let store = FaultStore::counting(inner.clone());
        let opened = open(&store, listed(&inner, "x.npy").await).await.unwrap();
        let RemoteFile::Npy(array) = opened else { panic!("{opened:?}") };
        // A listed tag without quotes is compared with that of the response, which is the condition of later requests.
        assert_eq!(store.log.lock().unwrap()[0].options.if_match, None);
        assert_eq!(store.taken(), (1, bytes));
        assert_eq!(array.data_offset(), 128);
        assert!(array.read_all::<u32>().await.unwrap() == items);
        assert_eq!(store.log.lock().unwrap()[0].options.if_match.as_deref(), Some("0"));
        assert_eq!(store.taken(), (1, items.len() as u64 * 4));
    }
}

#[tokio::test]
async fn an_archive_takes_a_request_more() {
    let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    archive.add_slice("a", &[1_u8, 2, 3]).unwrap();
    let inner = memory("x.bin", archive.finish().unwrap().into_inner()).await;
    let store = FaultStore::counting(inner.clone());
    let opened = open(&store, listed(&inner, "x.bin").await).await.unwrap();
    let RemoteFile::Npz(archive) = opened else { panic!("{opened:?}") };
    assert_eq!(store.taken().0, 2);
    assert_eq!(archive.by_name::<u8>("a").await.unwrap(), [1, 2, 3]);
}

#[tokio::test]
async fn an_object_that_was_replaced_after_the_listing_is_refused() {
    let inner = memory("x.npy", file(&[1_u32, 2])).await;
    let store = FaultStore::counting(inner.clone());
    let mut meta = listed(&inner, "x.npy").await;
    inner.put(&"x.npy".into(), file(&[3_u32, 4]).into()).await.unwrap();
    let error = open(&store, meta.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    insta::assert_snapshot!(error, @"x.npy: object replaced while it was read: expected e-tag 0, found 1; open it again");
    // A listing that was sent to another machine without the tag.
    meta.e_tag = None;
    assert_eq!(open(&store, meta).await.unwrap_err().kind(), ErrorKind::Conflict);
}

#[tokio::test]
async fn a_truncated_array_is_refused_when_it_is_opened() {
    let whole = file(&[1_u32, 2]);
    let inner = memory("x.npy", whole[..whole.len() - 1].to_vec()).await;
    let store = FaultStore::counting(inner.clone());
    let error = open(&store, listed(&inner, "x.npy").await).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: truncated file: the array needs 8 bytes at offset 128, found 7");
    let inner = memory("x.npy", Vec::new()).await;
    let error = open(&FaultStore::counting(inner.clone()), listed(&inner, "x.npy").await).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: not an .npy file: the input is empty");
}
