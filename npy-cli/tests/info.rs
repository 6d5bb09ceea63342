//! `npy info`.

use std::fs;

use npy_core::npz::NpzWriter;
use npy_core::{DType, DynValues, Header, Order};

use crate::support::numpy::numpy;
use crate::support::{announce, command, data, example, files_below, run, run_with};

#[test]
fn shows_the_fields_of_a_record_with_their_offsets() {
    let text = run(["info", &example("picks.npy")]).ok();
    let (_, rest) = text.split_once('\n').unwrap();
    insta::assert_snapshot!(rest, @r#"
shape     (240,), 240 elements
order     C (the last index varies fastest)
data      64.9 KiB (66,480 bytes) at offset 384, aligned to 64
mappable  yes
dtype     record of 9 fields, 277 bytes
     0    id         <u4
     4    station    <U5
    24    latitude   <f8
    32    longitude  <f8
    40    origin     record of 5 fields, 32 bytes
    40      time       <M8[ns]
    48      latitude   <f8
    56      longitude  <f8
    64      depth_km   <f4
    68      magnitude  <f4
    72    time       <M8[ns]
    80    phase      |S4
    84    waveform   <f4 (3, 16)
   276    reviewed   |b1
"#);
}

/// A file instead of a command: `info`, with the range and the first lines of the values.
#[test]
fn a_file_alone_is_shown_with_its_range_and_first_values() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).into_os_string().into_string().unwrap();
    let save = |name: &str, shape: &[usize], items: &[f64]| {
        let bytes = items.iter().flat_map(|item| item.to_le_bytes()).collect();
        DynValues::new("<f8".parse().unwrap(), Order::C, shape, bytes).unwrap().save(path(name)).unwrap();
    };
    let items: Vec<f64> = (0..10_000).map(|i| if i == 7 { f64::NAN } else { f64::from(i) / 8.0 }).collect();
    save("square.npy", &[100, 100], &items);
    save("one.npy", &[], &[2.5]);
    save("empty.npy", &[0], &[]);
    let shown = |arguments: &[&str]| {
        let text = run(arguments).ok();
        text.lines().skip_while(|line| !line.starts_with("  dtype")).skip(1).map(|line| format!("{line}\n")).collect::<String>()
    };
    insta::assert_snapshot!(shown(&[&path("square.npy")]), @r"
      range     0 … 1249.9, 1 NaN
      values    [[0.000000e+00 1.250000e-01 2.500000e-01 ... 1.212500e+01 1.225000e+01 1.237500e+01]
                 [1.250000e+01 1.262500e+01 1.275000e+01 ... 2.462500e+01 2.475000e+01 2.487500e+01]
                 [2.500000e+01 2.512500e+01 2.525000e+01 ... 3.712500e+01 3.725000e+01 3.737500e+01] …
    ");
    assert_eq!(shown(&["--color", "never", &path("one.npy")]), "  values    2.5\n");
    assert_eq!(shown(&[&path("empty.npy")]), "");
    // An archive, several files and standard input are what `info` shows.
    let archive = path("run.npz");
    let mut writer = NpzWriter::create(&archive).unwrap();
    writer.add_slice("a", &[1_u8, 2]).unwrap();
    writer.add_slice("b", &[1_u8]).unwrap();
    writer.finish().unwrap();
    for arguments in [vec![archive.clone()], vec![path("one.npy"), path("square.npy")]] {
        assert_eq!(run(&arguments).ok(), run([vec!["info".to_owned()], arguments].concat()).ok());
    }
    assert_eq!(shown(&[&format!("{archive}:a")]), "  range     1 … 2\n  values    [1 2]\n");
    let file = fs::read(path("square.npy")).unwrap();
    assert_eq!(run_with(["-"], &file).ok(), run_with(["info", "-"], &file).ok());
    let archive = fs::read(&archive).unwrap();
    let message = "npy: -: missing array \"x\": the archive has a, b\n";
    assert_eq!(run_with(["-:x"], &archive).trouble(), message);
    // A file that is missing, and a command that is mistyped.
    assert!(run([path("none.npy")]).trouble().contains("cannot open the file"));
    let mistyped = run(["inf"]);
    assert!(mistyped.code == Some(2) && mistyped.stderr.contains("similar subcommands exist"));
}

#[test]
fn shows_an_archive_as_a_table() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz");
    let mut archive = NpzWriter::create_compressed(&path).unwrap();
    archive.add_slice("times", &[0.5_f64; 1000]).unwrap();
    archive.add_scalar("rate", &100.0_f32).unwrap();
    archive.add_bytes("notes.txt", b"hello").unwrap();
    archive.finish().unwrap();
    let text = run([std::ffi::OsStr::new("info"), path.as_os_str()]).ok();
    let (_, rest) = text.split_once('\n').unwrap();
    insta::assert_snapshot!(rest, @r#"
member     dtype         shape    order      size  stored as
times      <f8           (1000,)  C      7.81 KiB  deflate, 154 B (1.9 %)
rate       <f4           ()       C           4 B  deflate, 73 B (55.3 %)
notes.txt  not an array                       5 B  deflate, 7 B (140.0 %)
"#);
    let member = run(["info".to_owned(), format!("{}:rate", path.display())]).ok();
    insta::assert_snapshot!(member.split_once("run.npz").unwrap().1, @r#"
:rate  deflate, 73 B (55.3 %)
  shape     (), 1 element
  order     C (the last index varies fastest)
  data      4 bytes
  mappable  no
  dtype     <f4
"#);
}

#[test]
fn columns_of_many_members_are_aligned() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("many.npz").display().to_string();
    let mut archive = NpzWriter::create(&path).unwrap();
    for number in 0..2100 {
        archive.add_slice(&format!("{number:0width$}", width = 4 + number / 100), &[1_u8; 3]).unwrap();
    }
    archive.finish().unwrap();
    let shown = run(["info", &path]).ok();
    let lines: Vec<&str> = shown.lines().skip(1).collect();
    assert_eq!((lines.len(), shown.matches("dtype").count()), (2101, 1));
    assert!(lines.iter().skip(1).all(|line| line.find("|u1") == lines[0].find("dtype")), "{shown}");
}

#[test]
fn shows_many_files_as_one_table_and_goes_on_after_a_damaged_one() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    npy_core::save(file("a.npy"), &[1_u16, 2]).unwrap();
    fs::write(file("b.npy"), b"\x93NUMPY\x01\0\x10\0not a dictionary").unwrap();
    let whole = fs::read(file("a.npy")).unwrap();
    fs::write(file("c.npy"), &whole[..whole.len() - 1]).unwrap();
    fs::write(file("d.npy"), [&whole[..], b"more"].concat()).unwrap();
    fs::write(file("ignored.txt"), "text").unwrap();
    let output = command(["info", "."]).current_dir(directory.path()).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(2), &b""[..]));
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r#"
file     dtype  shape  order  size
./a.npy  <u2    (2,)   C       4 B
./b.npy                             invalid header at byte 10: expected a value, found the name not
./c.npy  <u2    (2,)   C       4 B  truncated: 1 byte missing
./d.npy  <u2    (2,)   C       4 B  4 bytes after the array
4 files, 2 with damage
"#);

    let pattern = file("[ad].npy").display().to_string();
    let matched = run(["info".to_owned(), "--json".to_owned(), pattern]).ok();
    assert_eq!(matched.lines().count(), 2);
}

#[test]
fn says_what_a_file_that_is_no_array_looks_like() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    for (content, expected) in [
        (&b""[..], "an empty file"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        (b"BZh91AY&SY", "bzip2 data"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "a git-lfs pointer"),
        (b"<!DOCTYPE html><html>", "an HTML page"),
    ] {
        fs::write(&path, content).unwrap();
        let message = run([std::ffi::OsStr::new("info"), path.as_os_str()]).trouble();
        assert!(message.starts_with(&format!("npy: {}: unknown format: ", path.display())), "{message}");
        assert!(message.contains(&format!("found {expected}")), "{message}");
    }
    let message = run(["info", "nosuch.npy"]).trouble();
    assert!(message.starts_with("npy: nosuch.npy: cannot open the file: "), "{message}");
    let message = run(["info", &format!("{}:x", example("picks.npy"))]).trouble();
    assert!(message.contains(": slice \"x\" at column 1: no field \"x\": expected one of "), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn patterns_find_names_that_are_not_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;

    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    fs::create_dir_all(path("x/deep")).unwrap();
    for name in ["a.npy", "x/b.npy", "x/deep/c.npy"] {
        npy_core::save(path(name), &[1_u8]).unwrap();
    }
    std::os::unix::fs::symlink(directory.path(), path("x/circle")).unwrap();
    let found = |pattern: &str| {
        let lines = run(["info", "--json", &path(pattern)]).ok();
        let names = lines.lines().map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["file"].as_str().unwrap().strip_prefix(&path("")).unwrap().to_owned()
        });
        names.collect::<Vec<_>>()
    };
    assert_eq!(found("**/*.npy"), ["a.npy", "x/b.npy", "x/deep/c.npy"]);
    assert_eq!(found("x/**/?.npy"), ["x/b.npy", "x/deep/c.npy"]);
    assert_eq!(found("*/d*/c.npy"), ["x/deep/c.npy"]);
    let wrong = directory.path().join(std::ffi::OsStr::from_bytes(b"a\xff.npy"));
    fs::copy(path("a.npy"), wrong).unwrap();
    assert_eq!(found("*.npy"), ["a.npy", "a\\xff.npy"]);
    assert_eq!(found("x/*.npy"), ["x/b.npy"]);
    let message = run(["info", &path("**x")]).trouble();
    assert!(message.contains(": invalid pattern: "), "{message}");
}

#[test]
fn reads_streams_of_all_formats() {
    let array = fs::read(example("picks.npy")).unwrap();
    assert!(run_with(["info", "-"], &array).ok().contains("record of 9 fields"));
    let mut archive = NpzWriter::streaming(Vec::new());
    archive.add_slice("x", &[1_u8, 2]).unwrap();
    let archive = archive.finish().unwrap();
    assert!(run_with(["info", "-"], &archive).ok().contains("|u1"));
    let mut raw = Vec::new();
    npy_core::rawarray::write(&mut raw, &[1.5_f64]).unwrap();
    assert!(run_with(["info", "-"], &raw).ok().contains("<f8"));
}

/// Names and texts of a file must not reach a terminal as commands.
#[test]
fn escapes_control_characters_of_names() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("evil.npy");
    let dtype: DType = r"[('\x1b[31mred\x07', '<f4'), ('\u202e', [('\n', 'u1')])]".parse().unwrap();
    let header = Header::new(dtype, Order::C, &[1]).unwrap();
    fs::write(&path, [header.to_bytes(), vec![0; 5]].concat()).unwrap();
    for arguments in [&["info"][..], &["info", "--json"], &["schema"], &["schema", "--python"]] {
        let path = path.display().to_string();
        let text = run(arguments.iter().copied().chain([path.as_str()])).ok();
        assert!(!text.contains(['\x1b', '\x07', '\u{202e}']), "{text:?}");
    }
    let mut archive = NpzWriter::create(directory.path().join("evil.npz")).unwrap();
    archive.add_slice("\x1b]0;title\x07", &[1_u8]).unwrap();
    archive.finish().unwrap();
    let text = run([std::ffi::OsStr::new("info"), directory.path().as_os_str()]).ok();
    assert!(!text.contains(['\x1b', '\x07', '\u{202e}']), "{text:?}");
}

#[test]
fn colors_only_when_asked_or_on_a_terminal() {
    let file = example("picks.npy");
    assert!(!run(["info", &file]).ok().contains('\x1b'));
    assert!(run(["info", "--color", "always", &file]).ok().contains("\x1b[1m"));
    let output = command(["info", &file]).env("NO_COLOR", "1").output().unwrap();
    assert!(!output.stdout.contains(&0x1b));
}

#[test]
fn a_claim_of_terabytes_takes_no_memory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("claim.npy");
    let header = Header::new("<f8".parse().unwrap(), Order::C, &[1 << 40]).unwrap();
    fs::write(&path, header.to_bytes()).unwrap();
    let run = run([std::ffi::OsStr::new("info"), path.as_os_str()]);
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("truncated: expected 8,796,093,022,208 bytes of data, found 0"), "{}", run.stdout);
}

#[test]
fn stops_silently_when_nobody_reads() {
    let mut child = command(["info", "--json"])
        .args(vec![example("picks.npy"); 2000])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// Dtype, order, shape and itemsize of every golden file, as NumPy tells them.
#[test]
fn agrees_with_numpy_about_all_golden_files() {
    let Some(numpy) = numpy("agrees_with_numpy_about_all_golden_files") else { return };
    let paths: Vec<String> = files_below(&data(""), ".npy").iter().map(|path| path.display().to_string()).collect();
    let mut lines = String::new();
    for paths in paths.chunks(200) {
        let run = run(["info", "--json"].into_iter().chain(paths.iter().map(String::as_str)));
        assert_eq!(run.stdout.lines().count(), paths.len());
        lines += &run.stdout;
    }
    let compared: usize = numpy.prints(["command.py", "info"], lines.as_bytes()).parse().unwrap();
    announce(&format!("npy info: {compared} golden files as NumPy tells them"));
    assert!(compared > 1500, "{compared}");
}
