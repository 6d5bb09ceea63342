//! `npy verify`.

use std::fs;

use npy_core::Header;
use npy_core::npz::{NpzWriter, WriteOptions};

use crate::support::run;

#[test]
fn names_each_problem_and_the_good_members_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    npy_core::save(path("good.npy"), &[1_u16, 2]).unwrap();
    let file = fs::read(path("good.npy")).unwrap();
    fs::write(path("short.npy"), &file[..file.len() - 1]).unwrap();
    fs::write(path("long.npy"), [&file[..], b"more"].concat()).unwrap();
    fs::write(path("broken.npy"), b"\x93NUMPY\x01\x00\x05\x00nope\n").unwrap();
    let objects = Header::new("|O".parse().unwrap(), npy_core::Order::C, &[1]).unwrap();
    let mut inner = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    inner.add_slice("fine", &[1_u8]).unwrap();
    inner.add_bytes("cut.npy", &file[..file.len() - 2]).unwrap();
    let inner = inner.finish().unwrap().into_inner();
    let mut archive = NpzWriter::create(path("run.npz")).unwrap();
    archive.add_slice("first", &[1_u8, 2]).unwrap();
    archive.add_slice("flipped", &[b'F'; 40]).unwrap();
    archive.add_bytes("pickle.npy", &[objects.to_bytes(), b"\x80\x02no".to_vec()].concat()).unwrap();
    archive.add_bytes("nested.npz", &inner).unwrap();
    archive.add_bytes("notes.txt", b"text").unwrap();
    archive.add_slice("last", &[3_u8]).unwrap();
    archive.finish().unwrap();
    let mut bytes = fs::read(path("run.npz")).unwrap();
    let at = bytes.windows(40).position(|window| window == [b'F'; 40]).unwrap();
    bytes[at] ^= 1;
    fs::write(path("run.npz"), bytes).unwrap();

    let whole = format!("{}/", directory.path().display());
    let result = run(["verify", directory.path().to_str().unwrap(), "--threads", "3"]);
    assert_eq!((result.code, result.stderr.as_str()), (Some(2), ""));
    insta::assert_snapshot!(result.stdout.replace(&whole, ""), @"
    broken.npy: invalid header at byte 10: expected a value, found the name nope
    long.npy: good, 4 trailing bytes
    run.npz:first: good
    run.npz:flipped: wrong checksum: expected 0x82e10924, found 0x2da59b63; the data are damaged
    run.npz:pickle: unsupported pickle at byte 130: unknown opcode 0x6e
    run.npz:nested.npz:fine: good
    run.npz:nested.npz:cut: truncated: expected 4 bytes of data, found 2
    run.npz:nested.npz: good
    run.npz:notes.txt: good
    run.npz:last: good
    short.npy: truncated: expected 4 bytes of data, found 3
    5 files, 12 items: 5 damaged
    ");
    let result = run(["verify", &path("good.npy"), &path("long.npy")]);
    assert_eq!(result.code, Some(0));
    insta::assert_snapshot!(result.stdout.replace(&whole, ""), @"
    long.npy: good, 4 trailing bytes
    2 files, 2 items: all good
    ");
    let json = run(["verify", "--json", &path("run.npz")]);
    assert_eq!(json.code, Some(2));
    let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let bad = report["items"].as_array().unwrap().iter().filter(|item| item["good"] == false).count();
    assert_eq!((bad, &report["good"]), (3, &false.into()));
}

/// A temporary directory must not be filled by what a few bytes claim, and are.
#[test]
fn archives_in_archives_are_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bomb.npz");
    let mut archive = NpzWriter::create_with(&path, WriteOptions::new().compressed(true)).unwrap();
    archive.add_bytes("inner.npz", &[0; 5000]).unwrap();
    archive.add_slice("x", &[1_u8]).unwrap();
    archive.finish().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    // In the local header and in the central directory.
    for at in (0..bytes.len() - 4).filter(|at| bytes[*at..at + 4] == 5000_u32.to_le_bytes()).collect::<Vec<_>>() {
        bytes[at..at + 4].copy_from_slice(&0xc000_0000_u32.to_le_bytes());
    }
    fs::write(&path, bytes).unwrap();
    let result = run(["verify", path.to_str().unwrap()]);
    assert_eq!(result.code, Some(2));
    let expected = "too large to extract: expected at most 1.00 GiB of archives in a file of";
    assert!(result.stdout.contains(expected), "{}", result.stdout);
    assert!(result.stdout.contains("found 3.00 GiB; extract it and verify it by itself\n"), "{}", result.stdout);
    assert!(result.stdout.contains("bomb.npz:x: good\n"), "{}", result.stdout);
}

/// As transfers between Unix and Windows in text mode do, which NumPy does not notice.
#[test]
fn names_a_transfer_in_text_mode() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let numbers: Vec<u16> = (0..5000).chain([0x0a0d; 4]).collect();
    npy_core::save(path("good.npy"), &numbers).unwrap();
    let file = fs::read(path("good.npy")).unwrap();
    let replaced = |from: &[u8], to: &[u8]| {
        let mut bytes = Vec::new();
        let mut rest = &file[..];
        while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
            bytes.extend([&rest[..at], to].concat());
            rest = &rest[at + from.len()..];
        }
        [&bytes[..], rest].concat()
    };
    fs::write(path("to-windows.npy"), replaced(b"\n", b"\r\n")).unwrap();
    fs::write(path("to-mac.npy"), replaced(b"\n", b"\r")).unwrap();
    fs::write(path("to-unix.npy"), replaced(b"\r\n", b"\n")).unwrap();
    for (name, problem) in [
        ("to-windows.npy", "damaged by a transfer in text mode: each \"\\n\" became another"),
        ("to-mac.npy", "damaged by a transfer in text mode: each \"\\n\" became another"),
        ("to-unix.npy", "perhaps damaged by a transfer in text mode: no \"\\r\\n\" is left"),
    ] {
        let verified = run(["verify", &path(name)]);
        assert!(verified.code == Some(2) && verified.stdout.contains(problem), "{name}: {}", verified.stdout);
        let info = run(["info", &path(name)]);
        assert!(info.code == Some(2) && info.stdout.contains(problem), "{name}: {}", info.stdout);
        assert!(run(["info", "--json", &path(name)]).stdout.contains("\"problem\":"), "{name}");
    }
    assert_eq!((run(["verify", &path("good.npy")]).code, run(["info", &path("good.npy")]).code), (Some(0), Some(0)));
    // The same bytes, cut off by something else.
    fs::write(path("cut.npy"), &file[..file.len() - 5]).unwrap();
    assert!(!run(["verify", &path("cut.npy")]).stdout.contains("text mode"));
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_opened_is_not_damaged() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    npy_core::save(path("good.npy"), &[1_u8]).unwrap();
    std::os::unix::fs::symlink("missing", path("link.npy")).unwrap();
    let files = [path("good.npy"), path("link.npy")];
    let verified = run(["verify", &files[0], &files[1]]);
    let reason = "cannot open the file: No such file or directory (os error 2)";
    let expected = format!("{}: {reason}\n2 files, 2 items: 1 unreadable\n", files[1]);
    assert_eq!((verified.code, verified.stdout), (Some(2), expected));
    let shown = run(["info", &files[0], &files[1]]);
    assert_eq!((shown.code, shown.stdout.lines().last()), (Some(2), Some("2 files, 1 unreadable")));
    assert!(run(["info", &files[1]]).trouble().contains(reason));
}
