//! Damaged files: what is read of them is what `npy_core` reads, and no panic.

use std::io::Cursor;
use std::sync::Arc;

use npy_core::NpyReader;
use npy_core::npz::{NpzReader, NpzWriter};
use npy_remote::object_store::ObjectStore;
use npy_remote::{ErrorKind, RemoteNpy, RemoteNpz, Result};

use crate::reading::small;
use crate::support::{Pick, Random, file, memory, picks};

/// Changes some bytes, or cuts the end off. Half of the changes are where headers and directories are.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(3) {
        let length = bytes.len();
        let at = match random.below(4) {
            0 => random.below(200.min(length)),
            1 => length - 1 - random.below(300.min(length)),
            _ => random.below(length),
        };
        match random.below(8) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] = 0xFF,
            _ => bytes[at] ^= 1 << random.below(8),
        }
    }
}

/// Errors of the format are the same; which bytes of a truncated file are missing depends on the reader, and so does whether
/// an invalid value in front of them is seen first.
fn assert_same<T: PartialEq>(found: Result<T>, expected: Result<T>, shown: &str) {
    match (found, expected) {
        (Ok(found), Ok(expected)) => assert!(found == expected, "{shown}"),
        (Err(found), Err(expected)) => {
            let kinds = (found.kind(), expected.kind());
            let is_later = kinds == (ErrorKind::Truncated, ErrorKind::InvalidValue);
            assert!(is_later || kinds.0 == kinds.1, "{shown}: {found} instead of {expected}");
        }
        (Err(found), Ok(_)) => panic!("{shown}: {found}"),
        (Ok(_), Err(expected)) => panic!("{shown}: no error, instead of {expected}"),
    }
}

#[tokio::test]
async fn damaged_arrays_are_read_as_from_memory() {
    let mut random = Random::new(5);
    let whole = file(&picks(5000));
    let mut errors = 0;
    for round in 0..600 {
        let mut bytes = whole.clone();
        damage(&mut bytes, &mut random);
        let shown = format!("round {round}");
        let expected = NpyReader::new(&bytes[..]).and_then(NpyReader::into_vec::<Pick>);
        errors += u32::from(expected.is_err());
        let found = match RemoteNpy::open_with(memory("x.npy", bytes).await, "x.npy", small()).await {
            Ok(array) => array.read_all::<Pick>().await,
            Err(error) => Err(error),
        };
        assert_same(found, expected, &shown);
    }
    assert!((100..600).contains(&errors), "{errors}");
}

#[tokio::test]
async fn damaged_archives_are_read_as_from_memory() {
    let mut random = Random::new(6);
    let mut wholes = Vec::new();
    for mut archive in [NpzWriter::new(Cursor::new(Vec::new())), NpzWriter::new_compressed(Cursor::new(Vec::new()))] {
        archive.add_slice("a", &picks(4000)).unwrap();
        archive.add_slice("b", &(0..50_000_u32).map(|i| i.wrapping_mul(2_654_435_761)).collect::<Vec<_>>()).unwrap();
        archive.add_slice("c", &picks(10)).unwrap();
        wholes.push(archive.finish().unwrap().into_inner());
    }
    let mut errors = 0;
    for round in 0..800 {
        let mut bytes = wholes[round % 2].clone();
        damage(&mut bytes, &mut random);
        let opened = RemoteNpz::open_with(memory("x.npz", bytes.clone()).await, "x.npz", small()).await;
        let mut local = match NpzReader::from_bytes(&bytes) {
            Ok(local) => local,
            Err(expected) => {
                errors += 1;
                assert_same(opened.map(drop), Err(expected), &format!("round {round}"));
                continue;
            }
        };
        let archive = opened.unwrap();
        let names: Vec<String> = local.names().map(str::to_owned).collect();
        assert!(archive.names().eq(&names));
        for name in &names {
            let expected = local.find(name).and_then(|index| local.bytes(index, u64::MAX));
            errors += u32::from(expected.is_err());
            assert_same(archive.bytes(name, u64::MAX).await, expected, &format!("round {round}, {name}"));
            // Regions of a stored member are read without its checksum: no panic.
            if let Ok(array) = archive.member(name).await {
                let _ = array.read_rows::<u32>(10..20).await;
            }
        }
    }
    assert!(errors > 100, "{errors}");
}

/// An empty object has no bytes that a request could ask for.
pub async fn assert_empty_is_no_array(store: Arc<dyn ObjectStore>, path: &str, shown: &str) {
    let error = RemoteNpy::open(store.clone(), path).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongFormat, "{error}");
    assert_eq!(error.to_string(), format!("{shown}: not an .npy file: the input is empty"));
    let error = RemoteNpz::open(store.clone(), path).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongFormat, "{error}");
    assert_eq!(error.path(), Some(shown.as_ref()));
}

#[tokio::test]
async fn empty_objects_are_no_arrays() {
    assert_empty_is_no_array(memory("x.npy", Vec::new()).await, "x.npy", "x.npy").await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let shown = file.path().to_str().unwrap();
    let (store, path) = npy_remote::parse_url(shown).unwrap();
    assert_empty_is_no_array(store, path.as_ref(), shown).await;
}
