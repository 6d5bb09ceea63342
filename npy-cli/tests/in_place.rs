//! Commands that replace a file, often by itself: what they do not understand is kept, or refused by name.

use std::collections::HashSet;
use std::fs;

use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::rawarray::RaArray;
use npy_core::{DynValues, Order};

use crate::parts::{Part, parts_of_npy, parts_of_npz};
use crate::support::{Files, Run, announce, command, data, files_below, session};

fn saved(items: &[f64]) -> Vec<u8> {
    let mut file = Vec::new();
    npy_core::write(&mut file, items).unwrap();
    file
}

#[test]
fn repack_keeps_what_follows_the_array() {
    let files = Files::new();
    let fortran = DynValues::new("<u2".parse().unwrap(), Order::Fortran, &[2, 3], (0..12).collect()).unwrap();
    let mut first = Vec::new();
    fortran.write(&mut first).unwrap();
    let in_c = fortran.into_order(Order::C).unwrap();
    for rest in [saved(&[1.0, 2.0]), b"a footer".to_vec(), b"x".to_vec(), Vec::new()] {
        for words in ["repack m.npy", "repack m.npy --order C"] {
            files.write("m.npy", [&first[..], &rest].concat());
            let run = files.npy(words);
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
            let after = files.read("m.npy");
            assert!(after.ends_with(&rest) && after.len() == first.len() + rest.len());
            assert_eq!(DynValues::read(&after[..]).unwrap().into_order(Order::C).unwrap(), in_c);
        }
    }
    // In the members of archives too.
    let content = [&first[..], &saved(&[3.0])].concat();
    let path = files.archive("m.npz", |archive| archive.add_bytes("f.npy", &content).unwrap());
    for words in ["repack m.npz", "repack m.npz --compress", "repack m.npz --order C"] {
        assert_eq!(files.npy(words).code, Some(0));
        let found = NpzReader::open(&path).unwrap().bytes(0, 1 << 20).unwrap();
        assert!(found.len() == content.len() && found.ends_with(&saved(&[3.0])));
    }
}

#[test]
fn conversions_name_what_follows_the_array() {
    let several = [saved(&[1.0]), saved(&[2.0])].concat();
    let files = Files::with(&[("m.npy", &several), ("f.npy", &[saved(&[1.0]), b"a footer".to_vec()].concat())]);
    files.archive("m.npz", |archive| {
        archive.add_bytes("x.npy", &several).unwrap();
        archive.add_slice("y", &[1_u8]).unwrap();
    });
    let before = files.content();
    session!(files, @r#"
    $ npy convert m.npy m.npy
    npy: the conversion would lose m.npy: the array #1 of the file; allow it with --lossy
    exit code 2
    $ npy convert f.npy f.csv
    npy: the conversion would lose f.npy: 8 bytes behind the array; allow it with --lossy
    exit code 2
    $ npy convert m.npz m.npz
    npy: the conversion would lose m.npz: 136 bytes behind the array "x"; allow it with --lossy
    exit code 2
    $ npy convert m.npz:y m.npz
    npy: the conversion would lose m.npz:y: the other arrays of the file, which the output replaces; allow it with --lossy
    exit code 2
    $ npy convert m.npy#1 m.npy
    npy: the conversion would lose m.npy#1: the other arrays of the file, which the output replaces; allow it with --lossy
    exit code 2
    $ npy repack m.npy#1 m.npy
    npy: m.npy#1: repacking would lose the other arrays of the file, which the output replaces; allow it with --lossy
    exit code 2
    $ npy cat m.npy -o m.npy
    npy: m.npy: cat would lose the array #1 of the file; name the array, as in m.npy#0
    exit code 2
    "#);
    assert!(files.content() == before);
    session!(files, @"
    $ npy convert --lossy f.npy f.npy
    npy: lost f.npy: 8 bytes behind the array
    ");
    assert!(files.read("f.npy") == saved(&[1.0]));
}

/// An archive with a comment, a directory and two members of a name.
fn rich_archive() -> Vec<u8> {
    let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    archive.add_slice("a", &[1.0]).unwrap();
    archive.add_bytes("d/", b"").unwrap();
    archive.add_slice("b", &[2.0]).unwrap();
    let mut file = archive.finish().unwrap().into_inner();
    // The directory's entry of `b` is called as that of `a`, and so is its local header.
    for at in (0..file.len() - 5).filter(|at| &file[*at..at + 5] == b"b.npy").collect::<Vec<_>>() {
        file[at] = b'a';
    }
    let length = file.len();
    file[length - 2] = 5;
    file.extend(b"about");
    file
}

#[test]
fn repack_names_what_an_archive_has_beside_its_members() {
    let files = Files::with(&[("r.npz", &rich_archive())]);
    session!(files, @r#"
    $ npy repack r.npz
    npy: r.npz: repacking would lose the member "a.npy" before another of the same name; the comment of the archive; allow it with --lossy
    exit code 2
    $ npy convert r.npz c.npz
    npy: the conversion would lose r.npz: the member "d/", which is not an array; r.npz: the member "a.npy" before another of the same name; r.npz: the comment of the archive; allow it with --lossy
    exit code 2
    "#);
    assert_eq!((files.names(), files.read("r.npz")), (vec!["r.npz".to_owned()], rich_archive()));
    assert_eq!(files.npy("convert --lossy r.npz c.npz").code, Some(0));
    assert_eq!(NpzReader::open(files.path("c.npz")).unwrap().by_name::<f64>("a").unwrap(), [2.0]);
    let run = files.npy("repack --lossy r.npz");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.starts_with(r#"npy: lost the member "a.npy" before another of the same name; "#), "{}", run.stderr);
    // The last one, as NumPy reads it; and nothing more to lose.
    let mut archive = NpzReader::open(files.path("r.npz")).unwrap();
    assert_eq!((0..archive.len()).map(|index| archive.full_name(index).unwrap()).collect::<Vec<_>>(), ["d/", "a.npy"]);
    assert_eq!(archive.by_name::<f64>("a").unwrap(), [2.0]);
    let run = files.npy("repack r.npz");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

/// What was done is told by the exit code, also where the line about it cannot be written.
#[cfg(target_os = "linux")]
#[test]
fn full_output_is_no_failure_of_what_was_done() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.npy");
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let done = |arguments: &[&str]| {
        let output = command(arguments).current_dir(directory.path()).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    };
    fs::write(&path, &saved(&[1.0, 2.0])[..140]).unwrap();
    insta::assert_snapshot!(done(&["recover", "r.npy"]), @"npy: r.npy: 1 row, 2 before; 4 bytes of an incomplete row cut off (cannot write to standard output: No space left on device (os error 28))");
    assert_eq!(npy_core::load::<f64>(&path).unwrap(), [1.0]);
    insta::assert_snapshot!(done(&["repack", "r.npy"]), @"npy: r.npy: 136 B, 136 B before (cannot write to standard output: No space left on device (os error 28))");
    insta::assert_snapshot!(done(&["split", "r.npy", "--rows", "1"]), @"npy: 1 file: r-00000.npy (cannot write to standard output: No space left on device (os error 28))");
}

/// The end of a terminal is a signal as others are.
#[cfg(target_os = "linux")]
#[test]
fn hanging_up_leaves_no_temporary_file() {
    use std::io::Write as _;
    let directory = tempfile::tempdir().unwrap();
    let is_empty = || fs::read_dir(directory.path()).unwrap().next().is_none();
    let mut child = command(["show", "-:a"]).env("TMPDIR", directory.path()).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"PK\x03\x04").and_then(|()| input.write_all(&[0; 1 << 16])).unwrap();
    while is_empty() {
        assert_eq!(child.try_wait().unwrap(), None);
        std::thread::yield_now();
    }
    let kill = std::process::Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    drop(input);
    child.wait().unwrap();
    assert!(is_empty());
}

/// Every target that cannot be written is named.
#[cfg(target_os = "linux")]
#[test]
fn errors_of_writing_name_the_output() {
    let directory = tempfile::tempdir().unwrap();
    npy_core::save(directory.path().join("x.npy"), &vec![1_u8; 1 << 20]).unwrap();
    let run = |arguments: &str| {
        // Ignored, the signal becomes an error.
        let script = format!("trap '' XFSZ; ulimit -f 64; exec \"$0\" {arguments}");
        let output = std::process::Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_npy")])
            .current_dir(directory.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    for (arguments, name) in [
        ("convert x.npy y.npy", "y.npy"),
        ("convert x.npy y.npz", "y.npz"),
        ("convert --compress=0 x.npy y.npz", "y.npz"),
        ("convert x.npy y.ra", "y.ra"),
        ("convert x.npy y.csv", "y.csv"),
        ("convert x.npy y.json", "y.json"),
        ("convert x.npy y.safetensors", "y.safetensors"),
        ("convert --to dir x.npy d", "d/x.npy"),
        ("repack x.npy y.npy", "y.npy"),
        ("cat x.npy -o y.npy", "y.npy"),
        ("split x.npy --rows 1000000 --prefix y", "y-00000.npy"),
    ] {
        let message = run(arguments);
        assert!(message.starts_with(&format!("npy: {name}: ")) && message.contains("File too large"), "{arguments}: {message}");
    }
    // Nothing remains, not even a directory.
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// Different files by NumPy, some of each dtype, and files of several arrays.
fn corpus() -> Vec<(&'static str, Vec<u8>)> {
    let mut files = Vec::new();
    for extension in ["npy", "npz", "ra"] {
        let paths = files_below(&data(""), &format!(".{extension}"));
        files.extend(paths.into_iter().map(|path| (extension, fs::read(path).unwrap())));
    }
    let mut seen = HashSet::new();
    files.retain(|(_, file)| seen.insert(file.clone()));
    // Each costs some processes.
    let mut sample: Vec<_> = files.into_iter().step_by(23).collect();
    let first = sample.iter().find(|(extension, _)| *extension == "npy").unwrap().1.clone();
    let several: Vec<_> = sample
        .iter()
        .filter(|(extension, _)| *extension == "npy")
        .take(12)
        .map(|(_, file)| ("npy", [&file[..], &first].concat()))
        .collect();
    sample.extend(several);
    sample
}

/// The parts without what a command may change: the order of arrays, the compression of an `.ra` file.
fn parts_of(extension: &str, file: &[u8]) -> Option<Vec<Part>> {
    match extension {
        "npy" => Some(parts_of_npy(file)),
        "npz" => parts_of_npz(file),
        _ => {
            let array = RaArray::read(file).ok()?;
            let metadata = Part { what: "metadata".to_owned(), bytes: array.metadata().to_vec() };
            let values = array.values();
            let what = format!("{} {:?}", values.dtype(), values.shape());
            Some(vec![Part { what, bytes: values.bytes().to_vec() }, metadata])
        }
    }
}

#[test]
fn no_command_makes_a_file_less() {
    let (directory, files) = (Files::new(), corpus());
    let commands = [&["recover", "FILE"][..], &["repack", "FILE"], &["convert", "FILE", "FILE"], &["cat", "FILE", "-o", "FILE"]];
    let mut done = 0;
    for (extension, before) in &files {
        let name = format!("x.{extension}");
        let parts = parts_of(extension, before);
        for arguments in commands {
            if arguments[0] == "cat" && *extension != "npy" {
                // It writes `.npy`.
                continue;
            }
            directory.write(&name, before);
            let arguments: Vec<&str> =
                arguments.iter().map(|argument| if *argument == "FILE" { name.as_str() } else { argument }).collect();
            let Run { code, stdout, stderr, .. } = directory.run(&arguments);
            let after = directory.read(&name);
            let what = || format!("{arguments:?} of {}: {stdout}{stderr}", before[..before.len().min(200)].escape_ascii());
            match code {
                Some(0) => {
                    done += 1;
                    if after == *before {
                        continue;
                    }
                    let found = parts_of(extension, &after).unwrap_or_else(|| panic!("{}", what()));
                    for part in parts.as_deref().unwrap_or_default() {
                        let is_kept = found.contains(part)
                            || stdout.contains(" cut off")
                            || arguments[0] == "recover" && stdout.contains(" count as ") && part.what == "bytes";
                        assert!(is_kept, "{} is gone: {}", part.what, what());
                    }
                }
                _ => {
                    assert_eq!(code, Some(2), "{}", what());
                    assert!(after == *before, "{}", what());
                }
            }
        }
    }
    announce(&format!("files replaced by commands: {done} of {} runs, others refused", files.len() * commands.len()));
    assert!(done > 60, "{done}");
}
