//! `npy cat` and `npy split`.

use std::fs;
use std::path::Path;

use npy_core::npz::{NpzWriter, WriteOptions};
use npy_core::shards::Shards;
use npy_core::{DynValues, Header, Order};

use crate::support::{example, run, run_with};

#[test]
fn splits_into_shards_and_joins_them_again() {
    let directory = tempfile::tempdir().unwrap();
    let prefix = directory.path().join("picks").display().to_string();
    let file = example("picks.npy");
    let text = run(["split", &file, "--rows", "100", "--prefix", &prefix]).ok();
    assert_eq!(text, format!("3 files: {prefix}-00000.npy to {prefix}-00002.npy\n"));
    assert_eq!(Shards::open(&prefix).unwrap().rows(), 240);
    let parts = [0, 1, 2].map(|i| format!("{prefix}-0000{i}.npy"));
    let joined = directory.path().join("joined.npy").display().to_string();
    run(["cat", &parts[0], &parts[1], &parts[2], "-o", &joined]).ok();
    assert!(fs::read(&joined).unwrap() == fs::read(&file).unwrap());
    // To standard output too.
    assert!(run(["cat", &file]).bytes == fs::read(&file).unwrap());
    let again = run(["split", &file, "--rows", "100", "--prefix", &prefix]).trouble();
    assert!(again.contains("the file exists already"), "{again}");
}

#[test]
fn joins_rows_of_both_orders_and_of_streams() {
    let directory = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = (0..24).collect();
    let c = DynValues::new("<u2".parse().unwrap(), Order::C, &[4, 3], bytes).unwrap();
    let f = c.clone().into_order(Order::Fortran).unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    c.save(path("c.npy")).unwrap();
    f.save(path("f.npy")).unwrap();
    run(["cat", &path("f.npy"), &path("c.npy"), "-o", &path("both.npy")]).ok();
    let both = DynValues::load(path("both.npy")).unwrap();
    assert_eq!((both.shape(), both.order()), (&[8, 3][..], Order::C));
    assert_eq!(both.bytes(), [c.bytes(), c.bytes()].concat());

    let stream = fs::read(path("c.npy")).unwrap();
    run_with(["split", "-", "--rows", "3", "--prefix", &path("s")], &stream).ok();
    assert_eq!(DynValues::load(path("s-00001.npy")).unwrap().bytes(), &c.bytes()[18..]);
    run(["split", &path("f.npy"), "--rows", "3", "--prefix", &path("t")]).ok();
    assert_eq!(DynValues::load(path("t-00001.npy")).unwrap().bytes(), &c.bytes()[18..]);
    // Each file has parts of all the stream.
    run_with(["split", "-", "--rows", "1", "--prefix", &path("u")], &fs::read(path("f.npy")).unwrap()).ok();
    assert_eq!(DynValues::load(path("u-00003.npy")).unwrap().bytes(), &c.bytes()[18..]);
    let nameless = run_with(["split", "-", "--rows", "3"], &stream).trouble();
    assert!(nameless.contains("name the files by `--prefix`"), "{nameless}");
}

#[test]
fn refuses_what_does_not_fit_and_leaves_no_output() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    npy_core::save(path("a.npy"), &[1_u8, 2]).unwrap();
    npy_core::save(path("b.npy"), &[1_u16, 2]).unwrap();
    npy_core::save(path("c.npy"), &[[1_u8, 2]]).unwrap();
    let scalar = Header::new("|u1".parse().unwrap(), Order::C, &[]).unwrap();
    fs::write(path("d.npy"), [scalar.to_bytes(), vec![1]].concat()).unwrap();
    let whole = fs::read(path("a.npy")).unwrap();
    fs::write(path("cut.npy"), &whole[..whole.len() - 1]).unwrap();
    for (other, expected) in [
        ("b.npy", "expected dtype |u1, found <u2"),
        ("c.npy", "expected rows of shape [], found [2]"),
        ("d.npy", "expected at least 1 dimension, found 0"),
        ("cut.npy", "truncated file: "),
    ] {
        let message = run(["cat", &path("a.npy"), &path(other), "-o", &path("out.npy")]).trouble();
        assert!(message.starts_with(&format!("npy: {}: ", path(other))) && message.contains(expected), "{message}");
    }
    let left: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 5, "{left:?}");
    let full = run(["cat", &path("a.npy"), "-o", "/dev/full"]);
    assert!(!cfg!(target_os = "linux") || full.code == Some(2), "{}", full.stderr);
}

#[test]
fn old_files_are_not_mixed_with_new_ones() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    npy_core::save(path("a.npy"), &[1_u8, 2, 3]).unwrap();
    npy_core::save(path("a-00007.npy"), &[9_u8]).unwrap();
    let message = run(["split", &path("a.npy"), "--rows", "2"]).trouble();
    assert!(message.contains("a-00007.npy: the file exists already"), "{message}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
}

/// A header of a few bytes can claim any number of them.
#[test]
fn elements_without_bytes_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let header = Header::new("|S0".parse().unwrap(), Order::C, &[1 << 60]).unwrap();
    fs::write(path("empty.npy"), header.to_bytes()).unwrap();
    let message = run(["cat", &path("empty.npy"), "-o", &path("out.npy")]).trouble();
    assert!(message.contains("elements without bytes"), "{message}");
    let header = Header::new("|u1".parse().unwrap(), Order::C, &[1_000_000_000, 0]).unwrap();
    fs::write(path("empty.npy"), header.to_bytes()).unwrap();
    let message = run(["split", &path("empty.npy"), "--rows", "1"]).trouble();
    assert!(message.contains("too many files: expected at most 100000"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_is_read_once() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::copy(example("picks.npy"), pipe))
    };
    let text = run(["show".as_ref(), pipe.as_os_str(), "['id'][:3]".as_ref()]).ok();
    assert_eq!(text, "[1011 1012 1015]\n");
    let _ = writer.join();
}

/// More than is transposed at once, so that each row of what is read is in all parts of the input.
#[test]
fn transposes_large_arrays_that_come_once() {
    const COLUMNS: usize = 1100;
    const ITEMSIZE: usize = 1 << 16;
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let array = |order, places: Vec<(usize, usize)>| {
        let dtype = format!("|S{ITEMSIZE}").parse().unwrap();
        let mut bytes = Header::new(dtype, order, &[2, COLUMNS]).unwrap().to_bytes();
        for (row, column) in places {
            bytes.extend_from_slice(&(row * COLUMNS + column).to_le_bytes());
            bytes.resize(bytes.len() + ITEMSIZE - 8, 0);
        }
        bytes
    };
    let fortran = array(Order::Fortran, (0..COLUMNS).flat_map(|column| [(0, column), (1, column)]).collect());
    let c = array(Order::C, (0..2).flat_map(|row| (0..COLUMNS).map(move |column| (row, column))).collect());
    assert!(c.len() > 128 << 20);
    let mut archive = NpzWriter::create_with(path("f.npz"), WriteOptions::new().compressed(true).level(1)).unwrap();
    archive.add_bytes("x.npy", &fortran).unwrap();
    archive.finish().unwrap();

    run(["cat", &path("f.npz"), "-o", &path("out.npy")]).ok();
    assert!(fs::read(path("out.npy")).unwrap() == c);
    // What is missing is said, and nothing is left.
    let cut = run_with(["convert", "-", &path("cut.npy"), "--order", "C"], &fortran[..1 << 20]).trouble();
    assert!(cut.contains("truncated") && !directory.path().join("cut.npy").exists(), "{cut}");
}

#[test]
fn a_directory_is_made_for_files_and_removed_where_none_came() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    npy_core::save(path("a.npy"), &[1_u8, 2, 3]).unwrap();
    let prefix = path("new/inner/part");
    run(["split", &path("a.npy"), "--rows", "2", "--prefix", &prefix]).ok();
    assert_eq!(npy_core::load::<u8>(format!("{prefix}-00001.npy")).unwrap(), [3]);
    let mut file = fs::read(path("a.npy")).unwrap();
    file.pop();
    fs::write(path("cut.npy"), file).unwrap();
    run(["convert", &path("cut.npy"), &path("out/inner/"), "--to", "dir"]).trouble();
    assert!(!Path::new(&path("out")).exists());
    fs::create_dir(path("out")).unwrap();
    run(["convert", &path("cut.npy"), &path("out/inner/"), "--to", "dir"]).trouble();
    assert!(Path::new(&path("out")).exists() && !Path::new(&path("out/inner")).exists());
}
