//! `npy repack` and `npy recover`.

use std::fs;
use std::path::Path;

use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::{DynValues, Header, Order};

use crate::support::{run, run_with};

/// An archive of noise, zeros in Fortran order, and a text.
fn archive(path: &Path) {
    let mut archive = NpzWriter::create(path).unwrap();
    archive.add_slice("zeros", &[0.0_f64; 10_000]).unwrap();
    let f = DynValues::new("<u2".parse().unwrap(), Order::Fortran, &[2, 3], (0..12).collect()).unwrap();
    archive.add_content("f", |out| f.write(out)).unwrap();
    archive.add_bytes("notes.txt", b"hello").unwrap();
    archive.finish().unwrap();
}

#[test]
fn member_of_standard_input_is_selected_by_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npz");
    archive(&path);
    let (file, name) = (fs::read(&path).unwrap(), format!("{}:f", path.display()));
    assert_eq!(run_with(["show", "-:f", "--json"], &file).ok(), run(["show", &name, "--json"]).ok());
    assert_eq!(run_with(["show", "--", "-:f", "[1]"], &file).ok(), run(["show", &name, "[1]"]).ok());
    assert_eq!(run_with(["diff", "-:f", &name], &file).code, Some(0));
    insta::assert_snapshot!(run_with(["show", "-:g"], &file).trouble(), @r#"npy: -: missing array "g": the archive has zeros, f, notes.txt"#);
    let array = DynValues::from_slice(&[1_u8]).unwrap();
    let mut file = Vec::new();
    array.write(&mut file).unwrap();
    let message = run_with(["show", "-:f"], &file).trouble();
    assert_eq!(message, "npy: -: cannot select member \"f\": expected an .npz archive\n");
    assert_eq!(
        run_with(["diff", "-:f", "-"], &file).trouble(),
        "npy: -: standard input can be read once only; expected a file as A or B\n"
    );
}

fn arrays(path: &Path) -> Vec<(String, Header, Vec<u8>)> {
    let mut archive = NpzReader::open(path).unwrap();
    let mut arrays = Vec::new();
    for index in 0..archive.len() {
        let name = archive.full_name(index).unwrap().to_owned();
        if name.ends_with(".npy") {
            let values = archive.array(index).unwrap().into_values().unwrap();
            arrays.push((name, values.header().clone(), values.bytes().to_vec()));
        } else {
            assert_eq!(archive.bytes(index, 100).unwrap(), b"hello");
        }
    }
    arrays
}

#[test]
fn repacks_an_archive_in_place_without_changing_a_value() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz");
    let file = path.display().to_string();
    archive(&path);
    let (before, stored) = (arrays(&path), fs::read(&path).unwrap());
    let text = run(["repack", &file, "--compress=9"]).ok();
    assert!(text.ends_with(" before\n"), "{text}");
    assert_eq!(arrays(&path), before);
    assert!(fs::metadata(&path).unwrap().len() < 2000);
    assert_eq!(NpzReader::open(&path).unwrap().method(0), Some(8));

    run(["repack", &file, "--store"]).ok();
    assert!(fs::read(&path).unwrap() == stored);
    run(["repack", &file, "--align"]).ok();
    assert_eq!(arrays(&path), before);
    for index in 0..2 {
        assert_eq!(NpzReader::open(&path).unwrap().data_range(index).unwrap().start % 64, 0);
    }
    let other = directory.path().join("c.npz");
    run(["repack", &file, &other.display().to_string(), "--order", "C"]).ok();
    let transposed = arrays(&other);
    assert_eq!(transposed[1].1.order(), Order::C);
    assert_eq!(transposed[1].2, [0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11]);
}

#[test]
fn repacks_an_array_in_another_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let values = DynValues::new("<u2".parse().unwrap(), Order::Fortran, &[2, 3], (0..12).collect()).unwrap();
    values.save(path("f.npy")).unwrap();
    run(["repack", &path("f.npy"), &path("c.npy"), "--order", "C"]).ok();
    let c = DynValues::load(path("c.npy")).unwrap();
    assert_eq!(c, values.clone().into_order(Order::C).unwrap());
    run(["repack", &path("c.npy"), "--order", "F"]).ok();
    assert_eq!(DynValues::load(path("c.npy")).unwrap(), values);
    let message = run(["repack", &path("c.npy"), "--store"]).trouble();
    assert!(message.ends_with("are for .npz archives\n"), "{message}");
}

#[test]
fn a_damaged_member_leaves_the_archive_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz");
    archive(&path);
    let mut file = fs::read(&path).unwrap();
    file[5000] ^= 1;
    fs::write(&path, &file).unwrap();
    let message = run(["repack".as_ref(), path.as_os_str(), "--compress".as_ref()]).trouble();
    assert!(message.contains("member \"zeros\": "), "{message}");
    assert!(fs::read(&path).unwrap() == file);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn recovers_archives_and_growing_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    archive(&path("run.npz"));
    let whole = fs::read(path("run.npz")).unwrap();
    fs::write(path("cut.npz"), &whole[..whole.len() - 30]).unwrap();
    let cut = path("cut.npz").display().to_string();
    let message = run(["info", &cut]).trouble();
    assert!(message.ends_with("; `npy recover` keeps them\n"), "{message}");
    let copy = path("copy.npz").display().to_string();
    assert!(run(["recover", &cut, "-o", &copy]).ok().contains("3 members"));
    assert_eq!(arrays(&path("copy.npz")), arrays(&path("run.npz")));
    assert_eq!(fs::read(path("cut.npz")).unwrap().len(), whole.len() - 30);
    assert!(run(["recover", &cut]).ok().starts_with(&format!("{cut}: 3 members, 3 of them listed again")));
    assert!(run(["recover", &cut]).ok().ends_with("whole already, 3 members\n"));

    npy_core::save(path("rows.npy"), &[1_u32, 2, 3]).unwrap();
    fs::OpenOptions::new().write(true).open(path("rows.npy")).unwrap().set_len(128 + 11).unwrap();
    let text = run(["recover".as_ref(), path("rows.npy").as_os_str()]).ok();
    assert!(text.ends_with(": 2 rows, 3 before; 3 bytes of an incomplete row cut off\n"), "{text}");
    assert_eq!(npy_core::load::<u32>(path("rows.npy")).unwrap(), [1, 2]);
    // Bytes behind the rows are reported, and in Fortran order the last axis grows: columns.
    let rows = fs::read(path("rows.npy")).unwrap();
    fs::write(path("rows.npy"), [&rows[..], &[0; 9]].concat()).unwrap();
    let text = run(["recover".as_ref(), path("rows.npy").as_os_str()]).ok();
    assert!(
        text.ends_with(": 4 rows, 2 before; the bytes behind the 2 count as rows; 1 byte of an incomplete row cut off\n"),
        "{text}"
    );
    let f = DynValues::new("<u2".parse().unwrap(), Order::Fortran, &[2, 3], (0..12).collect()).unwrap();
    f.save(path("f.npy")).unwrap();
    let whole = fs::read(path("f.npy")).unwrap();
    fs::write(path("f.npy"), &whole[..whole.len() - 1]).unwrap();
    let text = run(["recover".as_ref(), path("f.npy").as_os_str()]).ok();
    assert!(text.ends_with(": 2 columns, 3 before; 3 bytes of an incomplete column cut off\n"), "{text}");
    // Nothing is left of a copy that cannot be restored.
    fs::write(path("f.npy"), [&whole[..], &whole].concat()).unwrap();
    let count = fs::read_dir(directory.path()).unwrap().count();
    let message = run(["recover".as_ref(), path("f.npy").as_os_str(), "-o".as_ref(), path("g.npy").as_os_str()]).trouble();
    assert!(message.starts_with(&format!("npy: {}: cannot append: ", path("g.npy").display())), "{message}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), count);
}

/// A checksum that is wrong is damage, although the members are listed.
#[test]
fn recover_names_damaged_members() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    archive(&path("run.npz"));
    let mut file = fs::read(path("run.npz")).unwrap();
    let at = file.windows(5).position(|bytes| bytes == b"hello").unwrap();
    file[at] = b'H';
    fs::write(path("run.npz"), &file).unwrap();
    let name = path("run.npz").display().to_string();
    let recovered = run(["recover", &name]);
    assert_eq!((recovered.code, recovered.stdout), (Some(2), format!("{name}: whole already, 3 members; 1 member damaged\n")));
    assert!(recovered.stderr.starts_with(&format!("npy: {name}: member \"notes.txt\": ")), "{}", recovered.stderr);
    assert_eq!(run(["verify", &name]).code, Some(2));
    assert_eq!(fs::read(path("run.npz")).unwrap(), file);
}

/// As zips by macOS have them beside each file.
#[test]
fn attributes_of_macos_are_no_arrays() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let attributes = b"\0\x05\x16\x07\0\x02\0\0Mac OS X        ";
    let mut archive = NpzWriter::create(path("m.npz")).unwrap();
    archive.add_slice("a", &[1.5]).unwrap();
    archive.add_bytes("__MACOSX/._a.npy", attributes).unwrap();
    archive.finish().unwrap();
    let m = path("m.npz");
    run(["repack", "--compress", &m]).ok();
    let mut repacked = NpzReader::open(&m).unwrap();
    assert_eq!(repacked.bytes(1, 1 << 10).unwrap(), attributes);
    for out in ["o.npz", "o.csv"] {
        let converted = run(["convert", &m, &path(out)]);
        let said = format!("npy: {m}: skipped \"__MACOSX/._a.npy\", attributes of macOS\n");
        assert_eq!((converted.code, converted.stderr), (Some(0), said));
    }
    assert_eq!(run(["show", &m]).ok(), "[1.5]\n");
    assert!(run(["stats", &m]).ok().starts_with(&format!("{m}:a")));
    assert!(run(["info", &m]).ok().contains("not an array"));
    assert!(run(["schema", &m]).ok().contains("is not an array"));
    assert!(run(["verify", &m]).ok().contains("__MACOSX/._a.npy: good, attributes of macOS, and not an array\n"));
    assert_eq!(run(["diff", &m, &m]).ok(), "a: equal\n");
}

/// Whether an encrypted member is whole cannot be known.
#[test]
fn encrypted_members_are_unreadable_and_not_damaged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz");
    archive(&path);
    let mut file = fs::read(&path).unwrap();
    // The flag, in the local header and in the directory.
    for (signature, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let at = file.windows(4).position(|bytes| bytes == signature).unwrap();
        file[at + flags] |= 1;
    }
    fs::write(&path, file).unwrap();
    let name = path.display().to_string();
    let verified = run(["verify", &name]);
    assert_eq!(verified.code, Some(2));
    assert!(verified.stdout.contains("zeros: unsupported encryption: decrypt the member by another program, such as 7z"));
    assert!(verified.stdout.ends_with("1 file, 3 items: 1 unreadable\n"), "{}", verified.stdout);
    assert!(run(["show", &format!("{name}:zeros")]).trouble().contains("unsupported encryption: decrypt the member"));
}

#[test]
fn a_member_is_not_repacked_over_its_archive() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz");
    archive(&path);
    let before = fs::read(&path).unwrap();
    let message = run(["repack".to_owned(), format!("{}:f", path.display())]).trouble();
    assert!(message.contains("a member is not replaced in its archive; name the output"), "{message}");
    assert!(fs::read(&path).unwrap() == before);
    // A level without `=` would be the name of a file.
    let message = run(["repack".as_ref(), path.as_os_str(), "--compress".as_ref(), "9".as_ref()]).trouble();
    assert!(message.starts_with("npy: 9: expected an output that ends in .npz"), "{message}");
}
