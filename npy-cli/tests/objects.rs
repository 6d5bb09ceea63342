//! Arrays of Python objects in all commands.

use std::fs;
use std::path::Path;

use npy_core::npz::NpzWriter;
use npy_core::object::{ObjectArray, PyObject};

use crate::support::run;

/// `[1, 'a', physics.Quantum('1')]`, of which nobody knows the class.
fn with_unknown_class() -> Vec<u8> {
    let objects = ObjectArray::from(vec![PyObject::from(1), PyObject::from("a"), PyObject::Decimal("1".to_owned())]);
    let mut file = Vec::new();
    objects.write(&mut file).unwrap();
    for (known, unknown) in [(b"decimal", b"physics"), (b"Decimal", b"Quantum")] {
        let at = file.windows(7).position(|window| window == known).unwrap();
        file[at..at + 7].copy_from_slice(unknown);
    }
    file
}

/// A directory of files, which messages do not name.
struct Files(tempfile::TempDir);

impl Files {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            fs::write(directory.path().join(name), bytes).unwrap();
        }
        Self(directory)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn shown(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.0.path().display()), "")
    }

    /// Runs the command; a name with a dot is a file of the directory. Exit code and all that is printed.
    fn run(&self, arguments: &str) -> String {
        let is_file =
            |word: &str| word.ends_with(".npy") || word.contains(".npz") || word.contains(".csv") || word.contains(".json");
        let words = arguments.split(' ').map(|word| if is_file(word) { self.path(word) } else { word.to_owned() });
        let result = run(words);
        let code = result.code.unwrap();
        self.shown(&format!("{}{}exit code {code}", result.stderr, result.stdout))
    }
}

#[test]
fn unknown_classes_are_no_damage_and_the_other_elements_are_shown() {
    let files = Files::new(&[("c.npy", &with_unknown_class())]);
    insta::assert_snapshot!(files.run("verify c.npy"), @"
    c.npy: good, unknown class physics.Quantum
    1 file, 1 item: all good
    exit code 0
    ");
    insta::assert_snapshot!(files.run("verify --json c.npy"), @r#"
    {"file":"c.npy","good":true,"items":[{"good":true,"member":null,"remarks":["unknown class physics.Quantum"]}]}
    exit code 0
    "#);
    insta::assert_snapshot!(files.run("show c.npy"), @"
    npy: c.npy: unknown class physics.Quantum, shown by name; --opaque leaves this note out
    [1 'a' <physics.Quantum('1')>]
    exit code 0
    ");
    insta::assert_snapshot!(files.run("show --opaque c.npy"), @"
    [1 'a' <physics.Quantum('1')>]
    exit code 0
    ");
    insta::assert_snapshot!(files.run("show c.npy [:2]"), @"
    [1 'a']
    exit code 0
    ");
}

/// A pickle that Python reads is intact, whether it is read here or not.
#[test]
fn verify_tells_intact_pickles_from_damaged_ones() {
    let header = npy_core::Header::new("|O".parse().unwrap(), npy_core::Order::C, &[1]).unwrap().to_bytes();
    let pickle = |bytes: &[u8]| [&header[..], bytes].concat();
    let files = Files::new(&[
        ("cycle.npy", &pickle(b"\x80\x02]q\0h\0a.")),
        ("other.npy", &pickle(b"\x80\x02K\x01.")),
        ("future.npy", &pickle(b"\x80\x09K\x01.")),
        ("cut.npy", &pickle(b"\x80\x02K")),
        ("empty.npy", &pickle(b"\x80\x02a.")),
    ]);
    insta::assert_snapshot!(files.run("verify cycle.npy other.npy future.npy cut.npy empty.npy"), @"
    cycle.npy: good, not read: unsupported pickle at byte 130: cyclic reference: an object contains itself
    other.npy: good, not read: unsupported pickle at byte 130: expected an array of objects, found an int
    future.npy: good, not read: unsupported pickle at byte 128: unknown protocol 9: expected 0 to 5
    cut.npy: unsupported pickle at byte 130: truncated file: expected 1 bytes, found 0
    empty.npy: unsupported pickle at byte 130: opcode APPEND: stack underflow
    5 files, 5 items: 2 damaged
    exit code 2
    ");
}

#[test]
fn verify_remarks_names_that_surprise() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npz");
    // Of equal lengths, so that they can be changed in the file.
    let mut archive = NpzWriter::create(&path).unwrap();
    for name in ["twice", "bwice", "aaa/x"] {
        archive.add_slice(name, &[1_u8]).unwrap();
    }
    archive.finish().unwrap();
    replace(&path, b"bwice", b"twice");
    replace(&path, b"aaa/x", b"../xx");
    let files = Files(directory);
    insta::assert_snapshot!(files.run("verify a.npz"), @"
    a.npz:twice: good, the name occurs 2 times, and NumPy reads the last of them
    a.npz:twice: good, the name occurs 2 times, and NumPy reads the last of them
    a.npz:../xx: good, the name leads out of the directory of the archive, or is not a name on all systems
    1 file, 3 items: all good
    exit code 0
    ");
}

/// Replaces all of these bytes in a file.
fn replace(path: &Path, from: &[u8], to: &[u8]) {
    let mut bytes = fs::read(path).unwrap();
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + from.len()].copy_from_slice(to);
        }
    }
    fs::write(path, bytes).unwrap();
}
