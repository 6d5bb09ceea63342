//! Archives: members of every kind, whole and by region.

use std::io::Cursor;
use std::sync::Arc;

use npy_core::npz::{NpzReader, NpzWriter, WriteOptions};
use npy_core::{Header, Limits, Order};
use npy_remote::RemoteNpz;

use crate::reading::small;
use crate::support::{Computed, FaultStore, Pick, Random, memory, picks};

/// An archive of records, a matrix in Fortran order, text and a number.
fn archive(mut archive: NpzWriter<Cursor<Vec<u8>>>) -> Vec<u8> {
    archive.add_slice("picks", &picks(9000)).unwrap();
    let header = Header::new(">u4".parse().unwrap(), Order::Fortran, &[300, 400]).unwrap();
    archive.add("matrix", &header, |matrix| (0..120_000_u32).try_for_each(|item| matrix.push(&item))).unwrap();
    archive.add_bytes("notes.txt", b"hello").unwrap();
    archive.add_scalar("rate", &100_u32).unwrap();
    archive.finish().unwrap().into_inner()
}

fn kinds() -> Vec<Vec<u8>> {
    let mut aligned = NpzWriter::new(Cursor::new(Vec::new()));
    aligned.set_options(WriteOptions::new().aligned(true));
    vec![
        archive(NpzWriter::new(Cursor::new(Vec::new()))),
        archive(NpzWriter::new_compressed(Cursor::new(Vec::new()))),
        archive(aligned),
        // Behind a program that unpacks it.
        [vec![b'#'; 200_000], archive(NpzWriter::new(Cursor::new(Vec::new())))].concat(),
    ]
}

#[tokio::test]
async fn members_are_read_whole_and_by_region() {
    for bytes in kinds() {
        let store = memory("run.npz", bytes.clone()).await;
        let archive = RemoteNpz::open_with(store, "run.npz", small()).await.unwrap();
        assert_eq!(archive.names().collect::<Vec<_>>(), ["picks", "matrix", "notes.txt", "rate"]);
        assert!(archive.by_name::<Pick>("picks").await.unwrap() == picks(9000));
        assert_eq!(archive.scalar::<u32>("rate").await.unwrap(), 100);
        assert_eq!(archive.bytes("notes.txt", 5).await.unwrap(), b"hello");
        let error = archive.bytes("notes.txt", 4).await.unwrap_err();
        assert!(error.to_string().contains("expected at most 4 bytes of a member, found 5"), "{error}");

        let member = archive.member("picks").await.unwrap();
        assert!(member.read_rows::<Pick>(8000..9000).await.unwrap() == picks(9000)[8000..]);
        let (stations,) = member.columns_of_rows::<(String,)>(["station"], 10..12).await.unwrap();
        assert_eq!(stations, ["S00010", "S00011"]);
        let matrix = archive.member("matrix").await.unwrap();
        assert_eq!(matrix.header().order(), Order::Fortran);
        let region = [(10..20).into(), npy_core::region::AxisRange::from(..).step_by(7)];
        let mut local = NpzReader::from_bytes(&bytes).unwrap();
        let index = local.find("matrix").unwrap();
        let member = local.bytes(index, u64::MAX).unwrap();
        let expected: Vec<u32> = npy_core::NpyReader::new(Cursor::new(member)).unwrap().read_region(&region).unwrap();
        assert!(matrix.read_region::<u32>(&region).await.unwrap() == expected);
    }
}

#[tokio::test]
async fn several_members_are_read_at_the_same_time_on_several_threads() {
    let archive = RemoteNpz::open_with(memory("run.npz", kinds().remove(1)).await, "run.npz", small()).await.unwrap();
    let tasks: Vec<_> = (0..4)
        .map(|_| {
            let archive = archive.clone();
            tokio::spawn(async move { archive.by_name::<Pick>("picks").await })
        })
        .collect();
    for task in tasks {
        assert!(task.await.unwrap().unwrap() == picks(9000));
    }
}

#[tokio::test]
async fn errors_name_the_archive_and_the_member() {
    let store = FaultStore::counting(memory("run.npz", kinds().remove(0)).await);
    let archive = RemoteNpz::open(store.clone(), "run.npz").await.unwrap();
    store.taken();
    let error = archive.by_name::<u8>("y").await.unwrap_err();
    insta::assert_snapshot!(error, @r#"run.npz: missing array "y": the archive has picks, matrix, notes.txt, rate"#);
    let error = archive.by_name::<u8>("rate").await.unwrap_err();
    insta::assert_snapshot!(error, @r#"run.npz: member "rate": wrong number of dimensions: expected 1, found 0 with shape (); `NpyReader::into_vec`, `DynValues` or `ndarray::ArrayD` takes any"#);
    let error = archive.member("notes.txt").await.unwrap_err();
    insta::assert_snapshot!(error, @r#"run.npz: member "notes.txt": not an .npy file: expected "\x93NUMPY", found "hello""#);
    let error = archive.member("matrix").await.unwrap().read_all::<f32>().await.unwrap_err();
    insta::assert_snapshot!(error, @r#"run.npz: member "matrix": cannot read f32: expected dtype <f4, found >u4; `u32` reads it; `DynValues::cast` (feature `dynamic`) converts it, or in Python `.astype('<f4')`"#);
    // They are near the end, which is in memory.
    assert!(store.taken().0 <= 1);
}

#[tokio::test]
async fn a_member_beyond_the_limits_is_not_fetched() {
    for kind in [0, 1] {
        let store = FaultStore::counting(memory("run.npz", kinds().remove(kind)).await);
        let archive = RemoteNpz::open_with(store.clone(), "run.npz", Limits::new().member_bytes(1000)).await.unwrap();
        store.taken();
        for error in [archive.member("picks").await.err().unwrap(), archive.by_name::<Pick>("picks").await.unwrap_err()] {
            assert!(error.to_string().contains("expected at most 1000 bytes of a member"), "{error}");
        }
        assert_eq!(store.taken().0, 0);
        assert!(RemoteNpz::open_with(store.clone(), "run.npz", Limits::new().members(3)).await.is_err());
    }
}

#[tokio::test]
async fn a_header_takes_the_front_of_a_member() {
    let archives = [NpzWriter::new(Cursor::new(Vec::new())), NpzWriter::new_compressed(Cursor::new(Vec::new()))];
    for (mut archive, method) in archives.into_iter().zip([0, 8]) {
        let mut random = Random::new(5);
        let noise: Vec<u32> = (0..1 << 20).map(|_| random.below(usize::MAX) as u32).collect();
        archive.add_slice("noise", &noise).unwrap();
        archive.add_bytes("padding", &vec![0; 1 << 20]).unwrap();
        let store = FaultStore::counting(memory("run.npz", archive.finish().unwrap().into_inner()).await);
        let archive = RemoteNpz::open(store.clone(), "run.npz").await.unwrap();
        store.taken();
        assert_eq!(archive.header("noise").await.unwrap().shape(), [1 << 20]);
        assert_eq!(archive.method("noise").unwrap(), method);
        let (requests, bytes) = store.taken();
        assert!(requests == 1 && bytes < 70_000, "{requests} requests, {bytes} bytes");
        let error = archive.header("padding").await.unwrap_err().to_string();
        assert!(error.contains(r#"run.npz: member "padding": not an .npy file"#), "{error}");
    }
}

/// An archive of one member, whose directory says that it has another GiB of data.
fn inflated(mut archive: NpzWriter<Cursor<Vec<u8>>>) -> Computed {
    archive.add_slice("x", &[0.5_f64; 100]).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    let number = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let directory = number(&bytes, bytes.len() - 22 + 16);
    let (header, mut tail) = (bytes[..directory as usize].to_vec(), bytes[directory as usize..].to_vec());
    // The compressed size of the entry, and the offset of the directory in the end record.
    for at in [20, tail.len() - 22 + 16] {
        let number = number(&tail, at) + (1 << 30);
        tail[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    let size = (header.len() + tail.len() + (1 << 30)) as u64;
    Computed { header, size, byte: None, tail }
}

#[tokio::test]
async fn a_member_of_implausible_compressed_size_is_not_fetched() {
    let kinds = [NpzWriter::new_compressed(Cursor::new(Vec::new())), NpzWriter::new(Cursor::new(Vec::new()))];
    let errors = kinds.map(|kind| async {
        let store = FaultStore::counting(Arc::new(inflated(kind)));
        let archive = RemoteNpz::open(store.clone(), "run.npz").await.unwrap();
        store.taken();
        let error = archive.by_name::<f64>("x").await.unwrap_err();
        assert_eq!(archive.member("x").await.unwrap_err().to_string(), error.to_string());
        assert_eq!(archive.bytes("x", 1000).await.unwrap_err().to_string(), error.to_string());
        assert_eq!(store.taken().0, 0);
        error
    });
    let [compressed, stored] = errors;
    insta::assert_snapshot!(compressed.await, @r#"run.npz: member "x": expected the end of the compressed data, found 1073674520 more bytes"#);
    insta::assert_snapshot!(stored.await, @r#"run.npz: member "x": expected 928 bytes of content, found 1073742752"#);
}

#[tokio::test]
async fn many_members_fail_like_one() {
    let mut writer = NpzWriter::new(Cursor::new(Vec::new()));
    for member in 0..40 {
        writer.add_slice(&format!("m{member}"), &[member as f64; 1000]).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    let names: Vec<String> = (0..40).map(|member| format!("m{member}")).collect();
    // One byte of the content of a member.
    let mut damaged = bytes.clone();
    let at = damaged.windows(8).position(|window| window == 7_f64.to_le_bytes()).unwrap();
    damaged[at] ^= 1;
    let archive = RemoteNpz::open(memory("run.npz", damaged).await, "run.npz").await.unwrap();
    let error = archive.read_many::<f64>(&names).await.unwrap_err();
    assert!(error.to_string().starts_with("run.npz: member \"m7\": "), "{error}");
    assert!(archive.read_many::<f64>(names.iter().filter(|name| *name != "m7")).await.is_ok());
    let error = archive.read_many::<f64>(["m1", "none"]).await.unwrap_err();
    assert!(error.to_string().starts_with("run.npz: missing array \"none\": the archive has m0, m1"), "{error}");
    let error = archive.read_many::<f32>(["m1", "m2"]).await.unwrap_err();
    assert!(error.to_string().starts_with("run.npz: member \"m1\": cannot read f32"), "{error}");

    // Nothing is fetched of members beyond the limits, and nothing of another version.
    let store = FaultStore::counting(memory("run.npz", bytes.clone()).await);
    let archive = RemoteNpz::open_with(store.clone(), "run.npz", Limits::new().member_bytes(1000)).await.unwrap();
    store.taken();
    let error = archive.prefetch(&names).await.unwrap_err();
    assert!(
        error.to_string().contains("member \"m0\": ") && error.to_string().contains("at most 1000 bytes of a member"),
        "{error}"
    );
    assert_eq!(store.taken().0, 0);
    let archive = RemoteNpz::open(store.clone(), "run.npz").await.unwrap();
    npy_remote::object_store::ObjectStoreExt::put(&*store, &"run.npz".into(), bytes.into()).await.unwrap();
    let error = archive.read_many::<f64>(&names).await.unwrap_err();
    assert_eq!(error.kind(), npy_remote::ErrorKind::Conflict, "{error}");
}

#[cfg(feature = "ndarray")]
mod structs {
    use std::collections::BTreeMap;

    use npy_ndarray::NpzArchive;
    use npy_ndarray::ndarray::{Array1, Array2};

    use super::*;

    #[derive(Debug, NpzArchive, PartialEq)]
    struct Model {
        weights: Array2<f32>,
        bias: Option<Array1<f32>>,
        optimizer: Optimizer,
        layers: BTreeMap<String, Vec<u16>>,
    }

    #[derive(Debug, NpzArchive, PartialEq)]
    struct Optimizer {
        rate: f64,
        steps: Vec<u32>,
    }

    fn model() -> Model {
        let layers = (0..30).map(|layer| (format!("{layer:02}"), (0..4000).collect())).collect();
        let optimizer = Optimizer { rate: 0.01, steps: vec![1, 2, 3] };
        Model { weights: Array2::from_elem((200, 300), 0.5), bias: None, optimizer, layers }
    }

    #[tokio::test]
    async fn a_struct_for_an_archive_takes_two_requests() {
        for options in [WriteOptions::new(), WriteOptions::new().aligned(true), WriteOptions::new().compressed(true)] {
            let mut file = Cursor::new(Vec::new());
            model().write_npz_with(&mut file, options).unwrap();
            let store = FaultStore::counting(memory("model.npz", file.into_inner()).await);
            let archive = RemoteNpz::open(store.clone(), "model.npz").await.unwrap();
            assert_eq!(archive.load::<Model>().await.unwrap(), model());
            assert!(store.taken().0 <= 2);
            // Only the members of the fields.
            #[derive(NpzArchive)]
            struct Weights {
                weights: Array2<f32>,
            }
            assert_eq!(archive.load::<Weights>().await.unwrap().weights, model().weights);
            assert!(store.taken().1 <= 200 * 300 * 4 + 4096);
        }
    }

    #[tokio::test]
    async fn a_struct_names_its_missing_and_damaged_members() {
        let mut file = Cursor::new(Vec::new());
        model().write_npz(&mut file).unwrap();
        let mut bytes = file.into_inner();
        #[derive(Debug, NpzArchive)]
        struct Other {
            weights: Array2<f32>,
            first: Vec<u8>,
            second: Vec<u8>,
        }
        let archive = RemoteNpz::open(memory("model.npz", bytes.clone()).await, "model.npz").await.unwrap();
        let error = archive.load::<Other>().await.unwrap_err().to_string();
        assert!(
            error.starts_with("model.npz: missing arrays \"first\" and \"second\"")
                || error.contains("first") && error.contains("second"),
            "{error}"
        );
        let at = bytes.windows(8).position(|window| window == 0.01_f64.to_le_bytes()).unwrap();
        bytes[at] ^= 1;
        let archive = RemoteNpz::open(memory("model.npz", bytes).await, "model.npz").await.unwrap();
        let error = archive.load::<Model>().await.unwrap_err().to_string();
        assert!(error.starts_with("model.npz: member \"optimizer/rate\": "), "{error}");
    }
}
