//! Names of files that are not UTF-8, wherever a file is taken.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use npy_core::npz::{NpzReader, NpzWriter};
use tempfile::TempDir;

use crate::support::{Run, announce, command, run};

/// A path in the directory; the bytes of the name need not be UTF-8.
fn path(directory: &TempDir, name: &[u8]) -> PathBuf {
    directory.path().join(OsStr::from_bytes(name))
}

/// Runs the command; `%` in an argument is the directory, and `?` the byte E9.
fn npy(directory: &TempDir, arguments: &[&str]) -> Run {
    let arguments = arguments.iter().map(|argument| {
        let text = argument.replace('%', directory.path().to_str().unwrap());
        OsString::from_vec(text.bytes().map(|byte| if byte == b'?' { 0xe9 } else { byte }).collect())
    });
    let mut run = run(arguments);
    for text in [&mut run.stdout, &mut run.stderr] {
        *text = text.replace(&format!("{}/", directory.path().display()), "");
    }
    run
}

/// `caf?.npy`, where `?` is no UTF-8, one that is similar, one that is plain, and an archive.
fn files() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, value) in [(&b"caf\xe9.npy"[..], 1), (b"caf\xe8.npy", 2), (b"plain.npy", 3)] {
        npy_core::save(path(&directory, name), &[value, 10_i64]).unwrap();
    }
    let mut archive = NpzWriter::create(path(&directory, b"caf\xe9.npz")).unwrap();
    archive.add_slice("x", &[7_i64, 8]).unwrap();
    archive.finish().unwrap();
    directory
}

#[test]
fn directories_and_patterns_show_every_file() {
    let directory = files();
    // The columns are as wide as the path of the directory.
    let shown = npy(&directory, &["info", "%"]).ok();
    let lines: Vec<&str> = shown.lines().skip(1).map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(lines, ["caf\\xe8.npy", "caf\\xe9.npy", "caf\\xe9.npz:x", "plain.npy", "4"]);
    assert!(npy(&directory, &["verify", "%"]).ok().ends_with("4 files, 4 items: all good\n"));
    assert_eq!(npy(&directory, &["stats", "--json", "%"]).ok().lines().count(), 4);
    let files = |pattern: &str| {
        let found = npy(&directory, &["verify", "--json", pattern]).ok();
        found.lines().map(|line| line.split('"').nth(3).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(files("%/*.npy"), ["caf\\\\xe8.npy", "caf\\\\xe9.npy", "plain.npy"]);
    assert_eq!(files("%/ca*?.npy"), ["caf\\\\xe9.npy"]);
    assert_eq!(files("%/c[ab]f*.npz"), ["caf\\\\xe9.npz"]);
}

#[test]
fn every_command_takes_them() {
    let directory = files();
    assert_eq!(npy(&directory, &["show", "%/caf?.npy"]).ok(), "[ 1 10]\n");
    assert_eq!(npy(&directory, &["show", "%/caf?.npz:x", "[0]"]).ok(), "7\n");
    assert_eq!(npy(&directory, &["schema", "%/caf?.npz:x", "--python"]).ok(), "np.dtype('<i8')\n");
    assert!(npy(&directory, &["schema", "%/caf?.npy"]).ok().contains("Array1<i64>"));
    assert!(npy(&directory, &["stats", "%/caf?.npy"]).ok().starts_with("caf\\xe9.npy"));
    assert_eq!(npy(&directory, &["diff", "%/caf?.npy", "%/caf?.npy"]).ok(), "caf\\xe9.npy caf\\xe9.npy: equal\n");
    npy(&directory, &["cat", "%/caf?.npy", "%/plain.npy", "-o", "%/all?.npy"]).ok();
    assert_eq!(npy_core::load::<i64>(path(&directory, b"all\xe9.npy")).unwrap(), [1, 10, 3, 10]);
    assert_eq!(
        npy(&directory, &["split", "%/caf?.npy", "--rows", "1"]).ok(),
        "2 files: caf\\xe9-00000.npy to caf\\xe9-00001.npy\n"
    );
    assert_eq!(npy_core::load::<i64>(path(&directory, b"caf\xe9-00001.npy")).unwrap(), [10]);
    assert!(npy(&directory, &["split", "%/caf?.npy", "--rows", "1"]).trouble().contains("caf\\xe9-0000"));
    npy(&directory, &["split", "%/caf?.npz:x", "--rows", "2"]).ok();
    assert!(path(&directory, b"caf\xe9-x-00000.npy").exists());
    assert!(npy(&directory, &["repack", "%/caf?.npz", "%/two?.npz"]).ok().starts_with("two\\xe9.npz: "));
    assert!(npy(&directory, &["recover", "%/caf?.npy"]).ok().starts_with("caf\\xe9.npy: whole already"));
    #[cfg(feature = "plot")]
    {
        assert!(npy(&directory, &["plot", "%/caf?.npy"]).ok().contains("caf\\xe9.npy"));
        npy(&directory, &["plot", "%/caf?.npy", "-o", "%/plot?.svg"]).ok();
        assert!(path(&directory, b"plot\xe9.svg").exists());
    }
}

#[test]
fn convert_reads_and_writes_them() {
    let directory = files();
    for extension in ["csv", "json", "npz", "safetensors"] {
        let (there, back) = (format!("%/t?.{extension}"), format!("%/back?{extension}.npy"));
        npy(&directory, &["convert", "%/caf?.npy", &there]).ok();
        npy(&directory, &["convert", &there, &back]).ok();
        let name = [&b"back\xe9"[..], extension.as_bytes(), b".npy"].concat();
        assert_eq!(npy_core::load::<i64>(path(&directory, &name)).unwrap(), [1, 10]);
    }
    // An archive has text alone for names.
    fs::create_dir(path(&directory, b"some\xe9")).unwrap();
    fs::copy(path(&directory, b"caf\xe9.npy"), path(&directory, b"some\xe9/caf\xe9.npy")).unwrap();
    npy(&directory, &["convert", "%/some?", "%/some.npz"]).ok();
    assert_eq!(NpzReader::open(path(&directory, b"some.npz")).unwrap().names().collect::<Vec<_>>(), ["caf%E9"]);
    npy(&directory, &["convert", "%/some?", "%/other?/"]).ok();
    assert!(path(&directory, b"other\xe9/caf%E9.npy").exists());
}

#[test]
fn messages_name_the_very_bytes() {
    let directory = files();
    let trouble = |arguments: &[&str]| npy(&directory, arguments).trouble();
    assert!(trouble(&["show", "%/caf?"]).starts_with("npy: caf\\xe9: cannot open the file"));
    assert!(trouble(&["show", "%/caf?.npz:y"]).starts_with("npy: caf\\xe9.npz: missing array \"y\""));
    assert!(trouble(&["show", "%/caf?.npz:y?"]).starts_with("npy: caf\\xe9.npz: missing array \"y\\\\xe9\""));
    assert!(trouble(&["cat", "%/caf?.npy", "-o", "%/no?/x.npy"]).starts_with("npy: no\\xe9/x.npy: "));
    assert!(trouble(&["convert", "%/caf?.npy", "%/x.?"]).starts_with("npy: x.\\xe9: unknown format"));
    fs::write(path(&directory, b"cut\xe9.npy"), &fs::read(path(&directory, b"caf\xe9.npy")).unwrap()[..100]).unwrap();
    assert!(trouble(&["show", "%/cut?.npy"]).starts_with("npy: cut\\xe9.npy: "));
    assert!(trouble(&["recover", "%/missing?.npy"]).starts_with("npy: missing\\xe9.npy: "));
}

/// Directories that the user may not read are named, and the files beside them are shown.
#[test]
fn a_directory_that_cannot_be_read_stops_no_other() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    const NOBODY: u32 = 65_534;
    let directory = tempfile::tempdir().unwrap();
    let (path, locked) = (directory.path(), directory.path().join("locked"));
    let permit = |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir(&locked).unwrap();
    for file in [path.join("a.npy"), locked.join("b.npy"), path.join("c.npy")] {
        npy_core::save(&file, &[1_u8]).unwrap();
        permit(&file, 0o644);
    }
    permit(path, 0o755);
    let run = |arguments: &[&str]| {
        let mut command = command(arguments);
        if fs::metadata(path).unwrap().uid() == 0 {
            command.uid(NOBODY).gid(NOBODY);
        }
        let output = command.current_dir(path).output().ok()?;
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Some((output.status.code(), text(output.stdout), text(output.stderr)))
    };
    permit(&locked, 0o0);
    let Some(info) = run(&["info", "."]) else {
        announce("SKIPPED a_directory_that_cannot_be_read_stops_no_other: no other user can run the command");
        return;
    };
    let said = "npy: ./locked: cannot read the directory: Permission denied (os error 13)\n";
    assert_eq!((info.0, info.2.as_str()), (Some(2), said));
    assert!(info.1.contains("./a.npy") && info.1.contains("./c.npy") && info.1.ends_with("2 files, 1 unreadable\n"), "{}", info.1);
    let verify = run(&["verify", "."]).unwrap();
    assert_eq!(verify, (Some(2), "2 files, 2 items: 1 unreadable\n".to_owned(), said.to_owned()));
    let stats = run(&["stats", "--json", "."]).unwrap();
    assert_eq!((stats.0, stats.1.lines().count(), stats.2.as_str()), (Some(2), 2, said));
    let pattern = run(&["info", "**/*.npy"]).unwrap();
    assert_eq!(
        (pattern.0, pattern.2.as_str()),
        (Some(2), "npy: locked: cannot read the directory: Permission denied (os error 13)\n")
    );
    assert!(pattern.1.ends_with("2 files, 1 unreadable\n"), "{}", pattern.1);
    let alone = run(&["info", "locked"]).unwrap();
    assert_eq!(
        alone,
        (Some(2), String::new(), "npy: locked: cannot read the directory: Permission denied (os error 13)\n".to_owned())
    );
    // Its names can be read, and nothing else.
    permit(&locked, 0o744);
    let named = run(&["info", "."]).unwrap();
    assert_eq!(
        (named.0, named.2.as_str()),
        (Some(2), "npy: ./locked/b.npy: cannot open the file: Permission denied (os error 13)\n")
    );
    permit(&locked, 0o755);
    assert_eq!(run(&["info", "."]).unwrap().0, Some(0));
}
