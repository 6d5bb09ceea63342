//! Several arrays in one file, as several `np.save` into one handle write them.

use std::fs;

use npy_core::npz::NpzReader;
use npy_core::object::ObjectArray;
use npy_core::{DynValues, Order};
use tempfile::TempDir;

use crate::support::{Run, command, run_with};

/// Numbers, Python objects of which one looks like an array, a matrix in Fortran order, and text: 0 to 3.
fn several() -> Vec<u8> {
    let mut file = Vec::new();
    npy_core::write(&mut file, &[1.5_f64, 2.5, 3.5]).unwrap();
    ObjectArray::from(vec!["a", "\u{93}NUMPY"]).write(&mut file).unwrap();
    let bytes = (0..6_u16).flat_map(u16::to_le_bytes).collect();
    DynValues::new("<u2".parse().unwrap(), Order::Fortran, &[2, 3], bytes).unwrap().write(&mut file).unwrap();
    npy_core::write(&mut file, &["x".to_owned(), "yz".to_owned()]).unwrap();
    file
}

fn directory(file: &[u8]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("m.npy"), file).unwrap();
    directory
}

/// Runs the command in the directory.
fn npy(directory: &TempDir, arguments: &[&str]) -> Run {
    let output = command(arguments).current_dir(directory.path()).output().unwrap();
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Run { code: output.status.code(), stdout, stderr, bytes: output.stdout }
}

#[test]
fn info_lists_each_array() {
    let directory = directory(&several());
    insta::assert_snapshot!(npy(&directory, &["info", "m.npy"]).ok(), @r#"
m.npy  .npy, version 1.0, 740 B
  shape     (3,), 3 elements
  order     C (the last index varies fastest)
  data      24 bytes at offset 128, aligned to 64
  mappable  yes
  trailing  588 bytes after the array
  dtype     <f8
  further   the 3 arrays behind it
  array    dtype  shape   order    size  offset
  m.npy#1  |O     (2,)    C         0 B     280  Python objects
  m.npy#2  <u2    (2, 3)  Fortran  12 B     584
  m.npy#3  <U2    (2,)    C        16 B     724
"#);
    insta::assert_snapshot!(npy(&directory, &["info", "."]).ok(), @r#"
file       dtype  shape   order    size
./m.npy    <f8    (3,)    C        24 B  588 bytes after the array
./m.npy#1  |O     (2,)    C         0 B  Python objects
./m.npy#2  <u2    (2, 3)  Fortran  12 B
./m.npy#3  <U2    (2,)    C        16 B
1 file
"#);
    let shown: serde_json::Value = serde_json::from_str(&npy(&directory, &["info", "--json", "m.npy"]).ok()).unwrap();
    let of = |key: &str| shown["further"].as_array().unwrap().iter().map(|array| array[key].to_string()).collect::<Vec<_>>();
    assert_eq!(of("name"), ["\"m.npy#1\"", "\"m.npy#2\"", "\"m.npy#3\""]);
    assert_eq!(of("dtype"), ["\"|O\"", "\"<u2\"", "\"<U2\""]);
    assert_eq!(of("shape"), ["[2]", "[2,3]", "[2]"]);
    // One of them alone, and the positions are those in the file.
    let one: serde_json::Value = serde_json::from_str(&npy(&directory, &["info", "--json", "m.npy#2"]).ok()).unwrap();
    assert_eq!((&one["data_offset"], &one["trailing_bytes"]), (&shown["further"][1]["data_offset"], &0.into()));
    assert_eq!(one["file"], "m.npy#2");
}

#[test]
fn every_command_takes_one_of_them() {
    let directory = directory(&several());
    let ok = |arguments: &[&str]| npy(&directory, arguments).ok();
    assert_eq!(ok(&["show", "m.npy#0"]), "[1.5 2.5 3.5]\n");
    assert_eq!(ok(&["show", "m.npy#1", "[0]"]), "a\n");
    assert_eq!(ok(&["show", "m.npy#2", "[:, 1]"]), "[2 3]\n");
    assert_eq!(ok(&["show", "m.npy#3", "--json"]), "[\"x\",\"yz\"]\n");
    assert!(ok(&["stats", "m.npy#2"]).starts_with("m.npy#2  <u2  (2, 3)\n"));
    assert_eq!(ok(&["diff", "m.npy#2", "m.npy#2"]), "m.npy#2 m.npy#2: equal\n");
    assert!(ok(&["schema", "m.npy#2"]).contains("pub type M = npy_ndarray::ndarray::Array2<u16>;"));
    assert_eq!(ok(&["verify", "m.npy#0", "m.npy#1", "m.npy#3"]), "3 files, 3 items: all good\n");
    ok(&["cat", "m.npy#0", "m.npy#0", "-o", "twice.npy"]);
    assert_eq!(npy_core::load::<f64>(directory.path().join("twice.npy")).unwrap(), [1.5, 2.5, 3.5, 1.5, 2.5, 3.5]);
    assert_eq!(ok(&["split", "m.npy#2", "--rows", "1"]), "2 files: m-2-00000.npy to m-2-00001.npy\n");
    ok(&["convert", "m.npy#0", "m.npy#2", "m.npy#3", "m.npz"]);
    let mut archive = NpzReader::open(directory.path().join("m.npz")).unwrap();
    assert_eq!(archive.names().collect::<Vec<_>>(), ["m-0", "m-2", "m-3"]);
    assert_eq!(archive.by_name::<String>("m-3").unwrap(), ["x", "yz"]);
    assert_eq!(archive.header(1).unwrap().order(), Order::Fortran);
    ok(&["repack", "m.npy#2", "c.npy", "--order", "C"]);
    assert_eq!(ok(&["show", "c.npy"]), ok(&["show", "m.npy#2"]));
    #[cfg(feature = "plot")]
    assert!(ok(&["plot", "m.npy#0"]).contains("m.npy#0"));
    // In place it would be all that is left.
    let message = npy(&directory, &["repack", "m.npy#2", "--order", "C"]).trouble();
    assert_eq!(
        message,
        "npy: m.npy#2: expected an output file: an array is not replaced among others in its file; name the output\n"
    );
    assert_eq!(fs::read(directory.path().join("m.npy")).unwrap(), several());
}

#[test]
fn standard_input_has_several_too() {
    let file = several();
    assert_eq!(run_with(["show", "-#2", "[0]"], &file).ok(), "[0 2 4]\n");
    assert_eq!(run_with(["show", "--", "-#3"], &file).ok(), "['x' 'yz']\n");
    assert_eq!(run_with(["show", "-"], &file).ok(), "[1.5 2.5 3.5]\n");
    assert_eq!(run_with(["show", "-#4"], &file).trouble(), "npy: -: missing array #4: the file has 4 arrays, #0 to #3\n");
}

#[test]
fn a_file_of_the_whole_name_comes_first() {
    let directory = directory(&several());
    npy_core::save(directory.path().join("m.npy#1"), &[7_u8]).unwrap();
    assert_eq!(npy(&directory, &["show", "m.npy#1"]).ok(), "[7]\n");
    assert_eq!(npy(&directory, &["show", "m.npy#1#0"]).ok(), "[7]\n");
    assert_eq!(npy(&directory, &["show", "m.npy#2", "[0]"]).ok(), "[0 2 4]\n");
}

#[test]
fn numbers_that_no_array_has_are_named() {
    let directory = directory(&several());
    fs::copy(crate::support::example("picks.npy"), directory.path().join("one.npy")).unwrap();
    npy(&directory, &["convert", "one.npy", "a.npz"]).ok();
    let trouble = |file: &str| npy(&directory, &["show", file]).trouble();
    assert_eq!(trouble("m.npy#4"), "npy: m.npy#4: missing array #4: the file has 4 arrays, #0 to #3\n");
    assert_eq!(trouble("one.npy#1"), "npy: one.npy#1: missing array #1: the file has 1 array, #0\n");
    assert_eq!(trouble("a.npz#0"), "npy: a.npz#0: cannot select array 0: expected an .npy file\n");
    for file in ["m.npy#", "m.npy#x", "m.npy#-1", "m.npy#+1", "other.npy#1"] {
        assert!(trouble(file).contains(&format!("{file}: cannot open the file")), "{file}");
    }
}

#[test]
fn what_follows_the_last_array_is_none_and_a_cut_one_is_damaged() {
    let file = several();
    let shown = |file: &[u8]| npy(&directory(file), &["info", "m.npy"]);
    let trailing = shown(&[&file[..], b"\x93NUMPY and more"].concat()).ok();
    assert!(trailing.contains("m.npy#3") && trailing.contains("15 bytes after the last array"), "{trailing}");
    let cut = shown(&file[..file.len() - 3]);
    assert_eq!(cut.code, Some(2));
    assert!(cut.stdout.contains("truncated: 3 bytes missing"), "{}", cut.stdout);
    // Junk behind one array, as before.
    let mut one = Vec::new();
    npy_core::write(&mut one, &[1_u8]).unwrap();
    one.extend(b"junk");
    let one = shown(&one).ok();
    assert!(one.contains("4 bytes after the array") && !one.contains("#1"), "{one}");
}
