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
m.npy  .npy, version 1.0, 727 B
  shape     (3,), 3 elements
  order     C (the last index varies fastest)
  data      24 bytes at offset 128, aligned to 64
  mappable  yes
  trailing  575 bytes after the array
  dtype     <f8
  further   the 3 arrays behind it
  array    dtype  shape   order    size  offset
  m.npy#1  |O     (2,)    C         0 B     280  Python objects
  m.npy#2  <u2    (2, 3)  Fortran  12 B     571
  m.npy#3  <U2    (2,)    C        16 B     711
"#);
    insta::assert_snapshot!(npy(&directory, &["info", "."]).ok(), @r#"
file       dtype  shape   order    size
./m.npy    <f8    (3,)    C        24 B  575 bytes after the array
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
fn diff_compares_each_with_that_of_its_number() {
    let directory = directory(&several());
    let mut other = several();
    *other.last_mut().unwrap() = 1;
    npy_core::write(&mut other, &[1_u8]).unwrap();
    fs::write(directory.path().join("other.npy"), other).unwrap();
    npy_core::save(directory.path().join("one.npy"), &[1.5_f64, 2.5, 3.5]).unwrap();
    assert_eq!(npy(&directory, &["diff", "m.npy", "m.npy"]).ok(), "#0: equal\n#1: equal\n#2: equal\n#3: equal\n");
    let run = npy(&directory, &["diff", "m.npy", "other.npy"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("#2: equal\n#3: different\n") && run.stdout.ends_with("only in other.npy: #4\n"), "{}", run.stdout);
    let run = npy(&directory, &["diff", "m.npy", "one.npy"]);
    assert_eq!(run.stdout, "#0: equal\nonly in m.npy: #1\nonly in m.npy: #2\nonly in m.npy: #3\n");
    assert_eq!(run.code, Some(1));
    // Of a stream as of a file.
    let one = directory.path().join("one.npy").display().to_string();
    assert_eq!(run_with(["diff", "-", &one], &several()).stdout, "#0: equal\nonly in -: #1\nonly in -: #2\nonly in -: #3\n");
    // One that is named is compared alone.
    assert_eq!(npy(&directory, &["diff", "m.npy#0", "one.npy"]).ok(), "m.npy#0 one.npy: equal\n");
}

/// The pickle ends at each place in the buffer of the file, also right before its end.
#[test]
fn an_array_behind_a_pickle_is_found_wherever_it_ends() {
    for width in 7_900..8_100 {
        let mut file = Vec::new();
        ObjectArray::from(vec!["x".repeat(width)]).write(&mut file).unwrap();
        npy_core::write(&mut file, &[1_u8]).unwrap();
        let directory = directory(&file);
        let found = crate::support::run(["show", &directory.path().join("m.npy#1").display().to_string()]);
        assert_eq!(found.stdout, "[1]\n", "{width} {}", found.stderr);
    }
}

#[test]
fn cat_and_split_name_what_they_would_lose() {
    let directory = directory(&several());
    let refused = |arguments: &[&str]| {
        let run = npy(&directory, arguments);
        assert_eq!(run.code, Some(2));
        run.stderr
    };
    insta::assert_snapshot!(refused(&["cat", "m.npy", "m.npy", "-o", "o.npy"]), @"npy: m.npy: cat would lose the arrays #1 to #3 of the file; name the array, as in m.npy#0");
    insta::assert_snapshot!(refused(&["split", "m.npy", "--rows", "1"]), @"npy: m.npy: split would lose the arrays #1 to #3 of the file; name the array, as in m.npy#0");
    assert_eq!(npy(&directory, &["split", "m.npy#0", "--rows", "2"]).ok(), "2 files: m-0-00000.npy to m-0-00001.npy\n");
    npy(&directory, &["cat", "m.npy#0", "m.npy#0", "-o", "o.npy"]).ok();
    let run = run_with(["split", "-", "--rows", "1", "--prefix", &directory.path().join("s").display().to_string()], &several());
    assert!(run.code == Some(2) && run.stderr.contains("would lose"), "{}", run.stderr);
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

/// Where the first is taken, a line says so.
#[test]
fn commands_that_take_the_first_say_that_others_follow() {
    let directory = directory(&several());
    let said = "npy: m.npy: the first of 4 arrays; the next is m.npy#1\n";
    for arguments in [
        &["show", "m.npy"][..],
        &["show", "--csv", "m.npy"],
        &["stats", "m.npy"],
        &["schema", "m.npy"],
        &["schema", "--python", "m.npy"],
        #[cfg(feature = "plot")]
        &["plot", "m.npy"],
    ] {
        let run = npy(&directory, arguments);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), said), "{arguments:?}");
        let all: Vec<&str> = arguments.iter().map(|argument| if *argument == "m.npy" { "m.npy#0" } else { argument }).collect();
        npy(&directory, &all).ok();
    }
    npy_core::save(directory.path().join("m.npy"), &[1_u8]).unwrap();
    assert_eq!(npy(&directory, &["show", "m.npy"]).ok(), "[1]\n");
}

#[test]
fn info_lists_the_arrays_of_a_stream() {
    let shown = run_with(["info", "-"], &several()).ok();
    assert!(shown.contains("further   the 3 arrays behind it\n") && shown.contains("  -#3  "), "{shown}");
    let json: serde_json::Value = serde_json::from_str(&run_with(["info", "--json", "-"], &several()).ok()).unwrap();
    let names: Vec<&str> = json["further"].as_array().unwrap().iter().map(|array| array["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["-#1", "-#2", "-#3"]);
    // A header is shown although its data are cut.
    let cut = run_with(["info", "-"], &several()[..140]).ok();
    assert!(cut.contains("(3,)") && !cut.contains("further"), "{cut}");
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

#[test]
fn verify_checks_every_array_and_names_the_damaged_one() {
    let mut cut = several();
    cut.truncate(cut.len() - 1);
    let header = several().len() - 16 - 100;
    let mut broken = several();
    broken[header..header + 10].fill(b'?');
    let check = |file: &[u8]| {
        let directory = directory(file);
        let found = npy(&directory, &["verify", "m.npy"]);
        // A stream is checked in one go, up to the first that is damaged.
        let stream = run_with(["verify", "-"], file);
        let states = |text: &str| {
            let state = |line: &str| line.split(": truncated").next().map(|line| line.replace("-#", "m.npy#"));
            text.lines().filter_map(state).collect::<Vec<_>>()
        };
        assert_eq!((stream.code, states(&stream.stdout)), (found.code, states(&found.stdout)));
        format!("{}exit code {}", found.stdout, found.code.unwrap())
    };
    insta::assert_snapshot!(check(&several()), @"
    1 file, 4 items: all good
    exit code 0
    ");
    insta::assert_snapshot!(check(&[several(), b"footer".to_vec()].concat()), @"
    m.npy#3: good, 6 trailing bytes
    1 file, 4 items: all good
    exit code 0
    ");
    insta::assert_snapshot!(check(&[several(), b"\x93NUMPY\x01\0".to_vec()].concat()), @"
    m.npy#0: good
    m.npy#1: good
    m.npy#2: good
    m.npy#3: good
    m.npy#4: truncated file: the header length needs 2 bytes at offset 8, found 0
    1 file, 5 items: 1 damaged
    exit code 2
    ");
    insta::assert_snapshot!(check(&cut), @"
    m.npy#0: good
    m.npy#1: good
    m.npy#2: good
    m.npy#3: truncated: expected 16 bytes of data, found 15
    1 file, 4 items: 1 damaged
    exit code 2
    ");
    insta::assert_snapshot!(check(&broken), @"
    m.npy#0: good
    m.npy#1: good
    m.npy#2: good
    m.npy#3: invalid header: expected exactly the keys 'descr', 'fortran_order' and 'shape'; missing fortran_order; unknown ??????????der
    1 file, 4 items: 1 damaged
    exit code 2
    ");
    let directory = directory(&cut);
    insta::assert_snapshot!(npy(&directory, &["verify", "--json", "m.npy"]).stdout, @r#"{"file":"m.npy","good":false,"items":[{"array":0,"good":true,"member":null},{"array":1,"good":true,"member":null},{"array":2,"good":true,"member":null},{"array":3,"good":false,"member":null,"problem":"truncated: expected 16 bytes of data, found 15"}]}"#);
    assert_eq!(npy(&directory, &["verify", "m.npy#0"]).code, Some(0));
    assert_eq!(npy(&directory, &["verify", "m.npy#3"]).code, Some(2));
}

/// Of a file and of a pipe alike: all where the output holds several, or else none but the first is dropped without a word.
#[test]
fn convert_keeps_all_arrays_or_names_those_that_it_drops() {
    let directory = directory(&several());
    let convert = |input: &str, arguments: &[&str]| {
        let words = [&["convert", input], arguments].concat();
        let stdin = if input == "-" { several() } else { Vec::new() };
        let mut child = command(words);
        let mut child = child
            .current_dir(directory.path())
            .stdin(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // The command may end before it has read all.
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), &stdin);
        let output = child.wait_with_output().unwrap();
        format!("{}exit code {}", String::from_utf8_lossy(&output.stderr), output.status.code().unwrap())
    };
    insta::assert_snapshot!(convert("m.npy", &["x.npy"]), @"
    npy: the conversion would lose m: the arrays #1 to #3 of the file; allow it with --lossy
    exit code 2
    ");
    insta::assert_snapshot!(convert("-", &["x.npy"]), @"
    npy: the conversion would lose arr_0: the arrays of the stream from #1 on; allow it with --lossy
    exit code 2
    ");
    insta::assert_snapshot!(convert("-", &["x.csv"]), @"
    npy: the conversion would lose arr_0: the arrays of the stream from #1 on; allow it with --lossy
    exit code 2
    ");
    insta::assert_snapshot!(convert("-", &["--order", "F", "x.ra"]), @"
    npy: the conversion would lose arr_0: the arrays of the stream from #1 on; allow it with --lossy
    exit code 2
    ");
    assert!(["x.npy", "x.csv", "x.ra"].iter().all(|name| !directory.path().join(name).exists()));
    insta::assert_snapshot!(convert("m.npy", &["--lossy", "f.npy"]), @"
    npy: lost m: the arrays #1 to #3 of the file
    exit code 0
    ");
    insta::assert_snapshot!(convert("-", &["--lossy", "p.npy"]), @"
    npy: lost arr_0: the arrays of the stream from #1 on
    exit code 0
    ");
    for name in ["f.npy", "p.npy"] {
        assert_eq!(npy_core::load::<f64>(directory.path().join(name)).unwrap(), [1.5, 2.5, 3.5]);
        assert_eq!(fs::metadata(directory.path().join(name)).unwrap().len(), 152);
    }
    for (input, output, names) in
        [("m.npy", "f.npz", ["m-0", "m-1", "m-2", "m-3"]), ("-", "p.npz", ["arr_0", "arr_1", "arr_2", "arr_3"])]
    {
        assert_eq!(convert(input, &[output]), "exit code 0");
        let mut archive = NpzReader::open(directory.path().join(output)).unwrap();
        assert_eq!((0..archive.len()).map(|index| archive.name(index).unwrap()).collect::<Vec<_>>(), names);
        assert_eq!(archive.by_name::<f64>(names[0]).unwrap(), [1.5, 2.5, 3.5]);
        assert_eq!(archive.by_name::<String>(names[3]).unwrap(), ["x", "yz"]);
    }
    assert_eq!(convert("m.npy", &["--to", "dir", "d"]), "exit code 0");
    assert_eq!(npy_core::load::<String>(directory.path().join("d/m-3.npy")).unwrap(), ["x", "yz"]);
}

/// The pickle of the first array, and not what follows it.
#[test]
fn convert_copies_a_pickle_without_what_it_reports_as_lost() {
    let mut objects = Vec::new();
    ObjectArray::from(vec!["a", "b"]).write(&mut objects).unwrap();
    let mut further = Vec::new();
    npy_core::write(&mut further, &[1.5_f64]).unwrap();
    let file = [&objects[..], &further].concat();
    let directory = directory(&file);
    let lost = "m: the array #1 of the file";
    let refused = npy(&directory, &["convert", "m.npy", "o.npy"]).trouble();
    assert_eq!(refused, format!("npy: the conversion would lose {lost}; allow it with --lossy\n"));
    let done = npy(&directory, &["convert", "--lossy", "m.npy", "o.npy"]);
    assert_eq!((done.code, done.stderr), (Some(0), format!("npy: lost {lost}\n")));
    assert!(fs::read(directory.path().join("o.npy")).unwrap() == objects);
    // So from a pipe, and by its number.
    let piped = run_with(["convert", "--lossy", "-", "--to", "npy", "-"], &file);
    assert_eq!((piped.code, piped.bytes == objects), (Some(0), true), "{}", piped.stderr);
    assert!(run_with(["convert", "-", "--to", "npy", "-"], &file).trouble().contains("would lose arr_0: the array #1 of the file"));
    npy(&directory, &["convert", "m.npy#0", "o.npy"]).ok();
    assert!(fs::read(directory.path().join("o.npy")).unwrap() == objects);
    npy(&directory, &["convert", "m.npy", "o.npz"]).ok();
    assert!(NpzReader::open(directory.path().join("o.npz")).unwrap().bytes(0, 1 << 20).unwrap() == objects);
}
