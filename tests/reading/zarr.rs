//! Documents of references to files, as Zarr arrays.

use std::fs;
use std::path::{Path, PathBuf};

use npy_core::{Header, NpyElement, Order, zarr_references};

use crate::support::as_little_endian;

fn save(directory: &Path, name: &str, items: &[u16]) -> PathBuf {
    let path = directory.join(name);
    npy_core::save(&path, items).unwrap();
    path
}

#[test]
fn refers_to_the_bytes_of_each_file() {
    let directory = tempfile::tempdir().unwrap();
    let paths = [save(directory.path(), "a.npy", &[1, 2]), save(directory.path(), "b.npy", &[3, 4])];
    let references = zarr_references(&paths).unwrap();
    let (a, b) = (paths[0].display(), paths[1].display());
    let expected = format!(
        r#"{{"version":1,"refs":{{".zgroup":"{{\"zarr_format\":2}}","data/.zarray":"{{\"zarr_format\":2,\"shape\":[4],\"chunks\":[2],\"dtype\":\"<u2\",\"compressor\":null,\"fill_value\":null,\"order\":\"C\",\"filters\":null}}","data/.zattrs":"{{\"_ARRAY_DIMENSIONS\":[\"dim_0\"]}}","data/0":["{a}",128,4],"data/1":["{b}",128,4]}}}}"#
    );
    assert_eq!(as_little_endian(references), expected);
}

/// The text that is written by hand is that of `serde_json`, escapes included.
#[test]
fn serializes_as_it_prints() {
    let directory = tempfile::tempdir().unwrap();
    let paths = [save(directory.path(), "a \"\\\t\u{1}ü.npy", &[1; 1000]), save(directory.path(), "b.npy", &[3; 337])];
    let references = zarr_references(&paths).unwrap();
    let text = references.to_string();
    assert_eq!(serde_json::to_string(&references).unwrap(), text);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["refs"]["data/0"][0], paths[0].to_str().unwrap());
    assert_eq!(value["refs"]["rest/.zattrs"], r#"{"_ARRAY_DIMENSIONS":["rest_0"]}"#);
    assert_eq!(value["refs"]["rest/0"], serde_json::json!([paths[1], 128, 674]));
}

#[test]
fn prefixes_relative_paths() {
    // The working directory of tests is that of the package.
    let references = zarr_references(["examples/data/travel_times.npy"]).unwrap().with_prefix("s3://bucket/");
    let value: serde_json::Value = serde_json::to_value(&references).unwrap();
    let file = fs::metadata("examples/data/travel_times.npy").unwrap().len();
    assert_eq!(value["refs"]["data/0.0"], serde_json::json!(["s3://bucket/examples/data/travel_times.npy", 128, file - 128]));
}

#[test]
fn numbers_chunks_along_the_last_axis_in_fortran_order() {
    let directory = tempfile::tempdir().unwrap();
    let paths = ["a.npy", "b.npy"].map(|name| directory.path().join(name));
    for path in &paths {
        let header = Header::new(u8::dtype(), Order::Fortran, &[96 << 20, 2]).unwrap().to_bytes();
        fs::write(path, &header).unwrap();
        fs::File::options().write(true).open(path).unwrap().set_len(header.len() as u64 + (192 << 20)).unwrap();
    }
    let value: serde_json::Value = serde_json::to_value(zarr_references(&paths).unwrap()).unwrap();
    let keys: Vec<_> = value["refs"].as_object().unwrap().iter().filter(|(_, value)| value.is_array()).collect();
    let ends: Vec<_> =
        keys.iter().map(|(key, value)| (key.as_str(), value[1].as_u64().unwrap(), value[2].as_u64().unwrap())).collect();
    let column = 96 << 20;
    let expected = [
        ("data/0.0", 128, column),
        ("data/0.1", 128 + column, column),
        ("data/1.0", 128, column),
        ("data/1.1", 128 + column, column),
    ];
    assert_eq!(ends, expected);
}
