//! `npy cat` and `npy split`.

use std::fs;

use npy_core::shards::Shards;
use npy_core::{DynValues, Header, Order};

use crate::support::{example, npy, npy_with};

#[test]
fn splits_into_shards_and_joins_them_again() {
    let directory = tempfile::tempdir().unwrap();
    let prefix = directory.path().join("picks").display().to_string();
    let file = example("picks.npy");
    let text = npy(["split", &file, "--rows", "100", "--prefix", &prefix]).ok();
    assert_eq!(text, format!("3 files: {prefix}-00000.npy\n"));
    assert_eq!(Shards::open(&prefix).unwrap().rows(), 240);
    let parts = [0, 1, 2].map(|i| format!("{prefix}-0000{i}.npy"));
    let joined = directory.path().join("joined.npy").display().to_string();
    npy(["cat", &parts[0], &parts[1], &parts[2], "-o", &joined]).ok();
    assert!(fs::read(&joined).unwrap() == fs::read(&file).unwrap());
    // To standard output too.
    assert!(npy(["cat", &file]).bytes == fs::read(&file).unwrap());
    let again = npy(["split", &file, "--rows", "100", "--prefix", &prefix]).trouble();
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
    npy(["cat", &path("f.npy"), &path("c.npy"), "-o", &path("both.npy")]).ok();
    let both = DynValues::load(path("both.npy")).unwrap();
    assert_eq!((both.shape(), both.order()), (&[8, 3][..], Order::C));
    assert_eq!(both.bytes(), [c.bytes(), c.bytes()].concat());

    let stream = fs::read(path("c.npy")).unwrap();
    npy_with(["split", "-", "--rows", "3", "--prefix", &path("s")], &stream).ok();
    assert_eq!(DynValues::load(path("s-00001.npy")).unwrap().bytes(), &c.bytes()[18..]);
    npy(["split", &path("f.npy"), "--rows", "3", "--prefix", &path("t")]).ok();
    assert_eq!(DynValues::load(path("t-00001.npy")).unwrap().bytes(), &c.bytes()[18..]);
    let nameless = npy_with(["split", "-", "--rows", "3"], &stream).trouble();
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
        let message = npy(["cat", &path("a.npy"), &path(other), "-o", &path("out.npy")]).trouble();
        assert!(message.starts_with(&format!("npy: {}: ", path(other))) && message.contains(expected), "{message}");
    }
    let left: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 5, "{left:?}");
    let full = npy(["cat", &path("a.npy"), "-o", "/dev/full"]);
    assert!(!cfg!(target_os = "linux") || full.code == Some(2), "{}", full.stderr);
}
