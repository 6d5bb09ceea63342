//! `npy show`, compared with NumPy where there is one.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use npy_core::npz::NpzWriter;
use npy_core::{DynValues, Header, Order};

use crate::support::numpy::{frames, numpy, push_frame};
use crate::support::{announce, command, data, rounds, run, run_with, some};

const SLICES: usize = 100;

/// What a successful run prints.
#[track_caller]
fn stdout(arguments: &[&str]) -> String {
    run(arguments).ok()
}

/// What a run that fails says.
#[track_caller]
fn failure(arguments: &[&str]) -> String {
    run(arguments).trouble()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn random_slices_are_those_of_numpy() {
    let Some(numpy) = numpy("random_slices_are_those_of_numpy") else { return };
    let slices = rounds(SLICES);
    let stream = numpy.run(["slices.py", "20261123", &slices.to_string()], b"");
    let frames = frames(&stream);
    let (version, cases) = frames.split_first().unwrap();
    if !prints_alike(std::str::from_utf8(version).unwrap()) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    let mut differences = Vec::new();
    let (mut errors, mut documents) = (0, 0);
    for case in cases.chunks_exact(5) {
        let [file, slice, expected, document, outcome] = case.try_into().unwrap();
        let [slice, expected] = [slice, expected].map(|text| std::str::from_utf8(text).unwrap());
        fs::write(&path, file).unwrap();
        let header = String::from_utf8_lossy(&file[10..file.len().min(300)]);
        let output = run(["show", text(&path), "--", slice]);
        if outcome == b"error" {
            errors += 1;
            if output.code != Some(2) {
                differences.push(format!("{slice} of {header}: expected an error"));
            }
            continue;
        }
        let printed = &output.stdout;
        if *printed != format!("{expected}\n") {
            differences.push(format!("{slice} of {header}\n{printed}{}\ninstead of\n{expected}\n", output.stderr));
        }
        if !document.is_empty() {
            documents += 1;
            let output = run(["show", "--json", text(&path), "--", slice]);
            let expected: serde_json::Value = serde_json::from_slice(document).unwrap();
            let found = serde_json::from_str(&output.stdout).unwrap_or_default();
            if !is_same(&expected, &found) {
                differences.push(format!("JSON of {slice} of {header}\n{found}{}\ninstead of\n{expected}\n", output.stderr));
            }
        }
    }
    let count = cases.len() / 5;
    announce(&format!("slices: {count} as in NumPy, {errors} of them errors, {documents} as JSON too"));
    let shown = differences.iter().take(8).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {count} differ:\n{shown}", differences.len());
    assert!(count == slices && errors > slices / 20 && documents > slices / 2);
}

/// Numbers are compared by their value, which the parser of the test rounds to the last digit but one.
fn is_same(one: &serde_json::Value, other: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || is_near(one.as_f64(), other.as_f64()),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len() && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| is_same(one, other)))
        }
        (one, other) => one == other,
    }
}

fn is_near(one: Option<f64>, other: Option<f64>) -> bool {
    one.zip(other).is_some_and(|(one, other)| (one - other).abs() <= 4e-16 * one.abs())
}

#[test]
fn golden_files_are_printed_as_numpy_does() {
    let Some(numpy) = numpy("golden_files_are_printed_as_numpy_does") else { return };
    let manifest = fs::read_to_string(data("manifest.tsv")).unwrap();
    let names: Vec<&str> = manifest.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    let mut input = Vec::new();
    for name in &names {
        push_frame(&mut input, &fs::read(data(name)).unwrap());
    }
    let stream = numpy.run(["printing.py", "files"], &input);
    let frames = frames(&stream);
    let (version, expected) = frames.split_first().unwrap();
    if !prints_alike(std::str::from_utf8(version).unwrap()) {
        return;
    }
    let mut compared = 0;
    let printed = names.iter().zip(expected).filter(|(_, expected)| !expected.is_empty());
    for (name, expected) in some(printed, 10) {
        let shown = run(["show", text(&data(name))]);
        assert_eq!(shown.stdout, format!("{}\n", std::str::from_utf8(expected).unwrap()), "{name}");
        // Of several arrays, NumPy loads the first without a word.
        assert!(shown.stderr.is_empty() || shown.stderr.contains("the first of 3 arrays"), "{name}: {}", shown.stderr);
        compared += 1;
    }
    announce(&format!("golden files: {compared} shown as NumPy prints them"));
    assert!(compared > rounds(200).min(2_000));
}

/// Whether the rules are those that are compared with, which NumPy 2.3 brought.
fn prints_alike(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    let is_new = (numbers.next(), numbers.next()) >= (Some(2), Some(3));
    if !is_new {
        announce(&format!("SKIPPED comparing with what NumPy prints: NumPy {version} prints floats by other rules"));
    }
    is_new
}

/// A file of records, with names and texts that a terminal would obey.
fn records(directory: &Path) -> PathBuf {
    let dtype = "[('id', '<u2'), ('pose', [('x', '<f4'), ('y', '|i1')]), ('w', '|u1', (2,)), ('name', '|S5'), ('\\x1b[31m', '?')]";
    let mut bytes = Vec::new();
    for index in 0..100_u16 {
        bytes.extend(index.to_le_bytes());
        bytes.extend((f32::from(index) / 8.0).to_le_bytes());
        bytes.extend([0xff, 1, 2]);
        bytes.extend(if index == 1 { b"\x1b[2J\n" } else { b"name\0" });
        bytes.push(u8::from(index % 2 == 0));
    }
    let path = directory.join("records.npy");
    DynValues::new(dtype.parse().unwrap(), Order::C, &[100], bytes).unwrap().save(&path).unwrap();
    path
}

/// Numbers from 0 on.
fn numbers(directory: &Path, shape: &[usize], order: Order) -> PathBuf {
    let count = i64::try_from(shape.iter().product::<usize>()).unwrap();
    let bytes = (0..count).flat_map(i64::to_le_bytes).collect();
    let values = DynValues::new("<i8".parse().unwrap(), Order::C, shape, bytes).unwrap();
    let path = directory.join(format!("numbers-{order:?}.npy"));
    values.into_order(order).unwrap().save(&path).unwrap();
    path
}

#[test]
fn tables_have_aligned_columns() {
    let directory = tempfile::tempdir().unwrap();
    let path = records(directory.path());
    insta::assert_snapshot!(stdout(&["show", "--table", "--head", "3", text(&path)]), @r#"
   id  pose.x  pose.y  w       name       \x1b[31m
0   0   0.         -1  [1, 2]  name           True
1   1   0.125      -1  [1, 2]  \x1b[2J\n     False
2   2   0.25       -1  [1, 2]  name           True
"#);
    insta::assert_snapshot!(stdout(&["show", "--table", text(&path), "[['id', 'name']][::-33]"]), @r#"
    id  name
99  99  name
66  66  name
33  33  name
0    0  name
"#);
    insta::assert_snapshot!(stdout(&["show", "--table", "--width", "20", "--tail", "2", text(&path)]), @r#"
    id  pose.x
98  98  12.25
99  99  12.375

    pose.y  w
98      -1  [1, 2]
99      -1  [1, 2]

    name  \x1b[31m
98  name      True
99  name     False
"#);
    let whole = stdout(&["show", "--table", text(&path)]);
    assert_eq!(whole.lines().count(), 62);
    assert!(whole.lines().nth(31).unwrap().starts_with("...  ..."));
    assert!(whole.lines().last().unwrap().starts_with("99"));
    assert_eq!(stdout(&["show", "--table", "--all", text(&path)]).lines().count(), 101);
}

#[test]
fn long_cells_of_tables_are_cut() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("long.npy");
    // The cells of the two last columns are formed alone, those of the first two are aligned.
    let dtype = "[('n', '<i4'), ('x', '<f4', (2,)), ('name', 'S8388608'), ('wave', '<f4', (2097152,))]";
    let header = Header::new(dtype.parse().unwrap(), Order::C, &[2]).unwrap();
    let mut file = header.to_bytes();
    for row in [1_u8, 2] {
        file.extend(i32::from(row).to_le_bytes());
        file.extend([f32::from(row).to_le_bytes(), (1.0 / f32::from(row)).to_le_bytes()].concat());
        file.extend([vec![0xe9; usize::from(row - 1) << 20], vec![b'a', row + b'0'], vec![0; (8 << 20) - 2]].concat());
        file.truncate(header.to_bytes().len() + usize::from(row) * (12 + (8 << 20)) + usize::from(row - 1) * (8 << 20));
        file.extend(vec![0; 8 << 20]);
    }
    fs::write(&path, file).unwrap();
    let table = stdout(&["show", "--table", text(&path), "[['n', 'x', 'wave', 'name']]"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "   n  x           wave                   name");
    assert_eq!(lines[1], "0  1  [1. , 1. ]  [0., 0., ..., 0., 0.]  a1");
    let cut = lines[2].strip_prefix("1  2  [2. , 0.5]  [0., 0., ..., 0., 0.]  \\xe9").unwrap();
    assert_eq!((cut.chars().count(), cut.ends_with("\\xe9…")), (65_536 - 4 + 1, true));
}

#[test]
fn tables_of_plain_numbers_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = numbers(directory.path(), &[3], Order::C);
    assert!(failure(&["show", "--table", text(&path)]).contains("expected records, found dtype <i8"));
}

#[test]
fn head_and_tail_are_rows() {
    let directory = tempfile::tempdir().unwrap();
    let path = numbers(directory.path(), &[4, 2], Order::Fortran);
    let path = text(&path);
    assert_eq!(stdout(&["show", "--head", "2", path]), "[[0 1]\n [2 3]]\n");
    assert_eq!(stdout(&["show", "--tail", "1", path]), "[[6 7]]\n");
    assert_eq!(stdout(&["show", "--tail", "99", path, "[1:, 0]"]), "[2 4 6]\n");
    assert_eq!(stdout(&["show", "--head", "0", path]), "[]\n");
    assert!(failure(&["show", "--head", "1", path, "[0, 0]"]).contains("cannot show the first rows"));
}

#[test]
fn print_options_are_those_of_numpy() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    npy_core::save(&path, &[1.0 / 3.0, 2.5]).unwrap();
    assert_eq!(stdout(&["show", "--precision", "3", text(&path)]), "[0.333 2.5  ]\n");
    let path = numbers(directory.path(), &[1001], Order::C);
    assert_eq!(stdout(&["show", text(&path)]), "[   0    1    2 ...  998  999 1000]\n");
    let all = stdout(&["show", "--all", "--width", "40", text(&path)]);
    assert!(all.lines().all(|line| line.len() <= 40) && all.ends_with(" 1000]\n") && all.contains(" 500 "), "{all}");
}

#[test]
fn csv_and_json_are_those_of_the_slice() {
    let directory = tempfile::tempdir().unwrap();
    let path = records(directory.path());
    insta::assert_snapshot!(stdout(&["show", "--csv", text(&path), "[['pose', 'w']][2:0:-1]"]), @r#"
pose.x,pose.y,w[0],w[1]
0.25,-1,1,2
0.125,-1,1,2
"#);
    insta::assert_snapshot!(stdout(&["show", "--json", text(&path), "[1]"]), @r#"{"id":1,"pose":{"x":0.125,"y":-1},"w":[1,2],"name":"\u001b[2J\n","\u001b[31m":false}"#);
    let path = numbers(directory.path(), &[3, 2, 2], Order::Fortran);
    assert_eq!(stdout(&["show", "--csv", text(&path), "[::-2]"]), "8,9,10,11\n0,1,2,3\n");
    assert_eq!(stdout(&["show", "--json", text(&path), "0, ::-1"]), "[[2,3],\n[0,1]]\n");
}

/// The piece in which slices are read is smaller than this array.
#[test]
fn long_slices_are_streamed_in_pieces() {
    let directory = tempfile::tempdir().unwrap();
    for order in [Order::C, Order::Fortran] {
        let path = numbers(directory.path(), &[70, 60, 50], order);
        let rows = (0..70_i64).rev().map(|row| {
            let cells = (0..60_i64).flat_map(|i| (1..50_i64).map(move |j| (row * 3000 + i * 50 + j).to_string()));
            cells.collect::<Vec<_>>().join(",") + "\n"
        });
        let expected: String = rows.collect();
        assert!(stdout(&["show", "--csv", text(&path), "[::-1, :, 1:]"]) == expected, "{order:?}");
    }
}

#[test]
fn members_and_streams_that_cannot_go_back_are_shown_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let archive = directory.path().join("a.npz");
    let mut writer = NpzWriter::create_compressed(&archive).unwrap();
    for order in [Order::C, Order::Fortran] {
        let file = fs::read(numbers(directory.path(), &[40, 50], order)).unwrap();
        writer.add_bytes(&format!("{order:?}.npy"), &file).unwrap();
    }
    writer.finish().unwrap();
    for order in [Order::C, Order::Fortran] {
        let path = numbers(directory.path(), &[40, 50], order);
        let member = format!("{}:{order:?}", text(&archive));
        let bytes = fs::read(&path).unwrap();
        for arguments in [&[][..], &["[::-1, ::-1]"], &["[:, 3:]", "--csv"], &["[::-1]", "--json"], &["--all"], &["--json"]] {
            let [of_file, of_member, of_stream] = [text(&path), &member, "-"].map(|file| [&["show", file], arguments].concat());
            let expected = stdout(&of_file);
            assert_eq!(stdout(&of_member), expected, "{of_member:?}");
            let output = run_with(&of_stream, &bytes);
            assert_eq!((output.stderr, output.stdout), (String::new(), expected), "{of_stream:?}");
        }
    }
}

#[test]
fn damaged_member_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npz");
    let mut writer = NpzWriter::create(&path).unwrap();
    writer.add_slice("good", &[1_u8, 2]).unwrap();
    writer.add_slice("bad", &[0xabcd_ef01_2345_6789_u64; 4]).unwrap();
    writer.finish().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let place = bytes.windows(8).position(|window| window == 0xabcd_ef01_2345_6789_u64.to_le_bytes()).unwrap();
    bytes[place] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(stdout(&["show", &format!("{}:good", text(&path))]), "[1 2]\n");
    let message = failure(&["show", &format!("{}:bad", text(&path))]);
    assert!(message.contains("member \"bad\"") && message.contains("checksum"), "{message}");
    let message = failure(&["show", text(&path)]);
    assert!(message.contains("expected one array, found 2: good, bad"), "{message}");
}

#[test]
fn heads_of_a_table_are_escaped_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.npy");
    let dtype = r"[('a\\b', '|u1'), ('n\n\x1b\u200b', [('x', '|u1')])]".parse().unwrap();
    DynValues::new(dtype, Order::C, &[1], vec![1, 2]).unwrap().save(&path).unwrap();
    let table = stdout(&["show", "--table", text(&path)]);
    assert_eq!(table.lines().next(), Some(r"   a\b  n\n\x1b\u200b.x"), "{table}");
}

/// A slice may begin with a hyphen, but not as an option does.
#[test]
fn mistyped_options_are_not_slices() {
    let directory = tempfile::tempdir().unwrap();
    let path = records(directory.path());
    let refused = |arguments: &[&str]| {
        let output = run(arguments);
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""));
        output.stderr
    };
    let expected = refused(&["show", text(&path), "--fields", "id"]);
    insta::assert_snapshot!(expected, @r"
    error: unexpected argument '--fields' found; fields are a slice, as in pose.x or [['a', 'b']]

    Usage: npy show [OPTIONS] <FILE> [SLICE]

    For more information, try '--help'.
    ");
    assert_eq!(refused(&["show", "--fields=id", text(&path)]), expected.replace("'--fields'", "'--fields=id'"));
    assert!(failure(&["show", text(&path), "--", "--fields"]).starts_with("npy: invalid slice \"--fields\""));
    let last = stdout(&["show", text(&path), "-1:", "--color=never", "--json"]);
    assert_eq!(last.lines().count(), 1, "{last}");
    #[cfg(feature = "plot")]
    assert!(refused(&["plot", text(&path), "--out", "x.png"]).starts_with("error: unexpected argument '--out' found\n"));
    assert!(refused(&["show", text(&path), "-fid"]).starts_with("error: unexpected argument '-fid' found; fields are a slice"));
}

#[test]
fn slices_that_do_not_fit_are_explained() {
    let directory = tempfile::tempdir().unwrap();
    let path = numbers(directory.path(), &[3, 2], Order::C);
    let message = |slice: &str| failure(&["show", text(&path), "--", slice]).replace(text(directory.path()), "DIR");
    insta::assert_snapshot!(message("[0, 2]"), @r#"npy: DIR/numbers-C.npy: slice "[0, 2]" at column 5: index 2 is out of bounds for axis 1 with length 2"#);
    insta::assert_snapshot!(message("[0][-3]"), @r#"npy: DIR/numbers-C.npy: slice "[0][-3]" at column 5: index -3 is out of bounds for axis 0 with length 2"#);
    insta::assert_snapshot!(message("[0, 0, 0]"), @r#"npy: DIR/numbers-C.npy: slice "[0, 0, 0]" at column 1: too many indices: expected at most 2 for shape (3, 2), found 3"#);
    insta::assert_snapshot!(message("x.y"), @r#"npy: DIR/numbers-C.npy: slice "x.y" at column 1: no field "x": expected a record, found dtype <i8"#);
    insta::assert_snapshot!(message("[0, \u{1b}]"), @r#"npy: invalid slice "[0, \x1b]" at column 5: expected an integer, a slice such as 10:20, ... or a field such as 't', found "\x1b""#);
    let path = records(directory.path());
    let message = |slice: &str| failure(&["show", text(&path), "--", slice]).replace(text(directory.path()), "DIR");
    insta::assert_snapshot!(message("pose.z"), @r#"npy: DIR/records.npy: slice "pose.z" at column 1: no field "z": expected one of "x", "y""#);
    insta::assert_snapshot!(message("[['id', 'id']]"), @r#"npy: DIR/records.npy: slice "[['id', 'id']]" at column 1: field "id" is selected twice"#);
}

/// Sparse files are those of Unix.
#[cfg(unix)]
#[test]
fn claims_beyond_the_memory_are_refused_or_read_in_part() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("claim.npy");
    let write = |dtype: &str, shape: &[usize]| {
        let header = Header::new(dtype.parse().unwrap(), Order::C, shape).unwrap();
        let file = fs::File::create(&path).unwrap();
        header.write(&file).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(length + header.data_bytes()).unwrap();
    };
    write("[('x', '<f8'), ('n', '<U3')]", &[1 << 30]);
    assert_eq!(stdout(&["show", text(&path), "[-3:]['x']"]), "[0. 0. 0.]\n");
    assert_eq!(stdout(&["show", text(&path), "['x']"]), "[0. 0. 0. ... 0. 0. 0.]\n");
    assert_eq!(stdout(&["show", "--csv", "--tail", "1", text(&path)]), "x,n\n0.0,\n");
    assert!(failure(&["show", "--all", text(&path)]).contains("too much to show at once"));
    assert!(failure(&["show", "--table", "--all", text(&path)]).contains("too much to show at once"));
    // A kilobyte of arguments makes no more of it.
    let steps = "[::-1]".repeat(2000);
    assert_eq!(stdout(&["show", text(&path), &format!("{steps}['x'][:1]")]), "[0.]\n");
}

#[test]
fn closed_pipe_is_no_failure() {
    let directory = tempfile::tempdir().unwrap();
    let path = numbers(directory.path(), &[300, 1000], Order::C);
    for option in ["--json", "--csv", "--all"] {
        let mut child = command(["show", option, text(&path)]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]), "{option}");
    }
}

/// Python is asked for a terminal, if there is one.
#[cfg(unix)]
#[test]
fn terminals_get_no_control_characters_of_files() {
    let Some(numpy) = numpy("terminals_get_no_control_characters_of_files") else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = records(directory.path());
    let script = "
import os, pty, sys
data = b''
def read(fd):
    global data
    part = os.read(fd, 65536)
    data += part
    return part
os.environ.update(NO_COLOR='1', COLUMNS='20')
status = pty.spawn(sys.argv[1:], read)
assert os.waitstatus_to_exitcode(status) == 0
";
    for arguments in [&["[1]['name']"][..], &["--table"], &["--csv"], &["--json"], &["[1]"]] {
        let program = ["-c", script, env!("CARGO_BIN_EXE_npy"), "show", text(&path)];
        let shown = String::from_utf8(numpy.run([&program[..], arguments].concat(), b"")).unwrap();
        assert!(shown.contains("x1b[2J") || shown.contains("u001b[2J"), "{arguments:?}: {shown}");
        assert!(!shown.replace("\r\n", "\n").contains(|character: char| character.is_control() && character != '\n'), "{shown:?}");
        if arguments == ["--table"] {
            assert!(shown.lines().all(|line| line.trim_end().len() <= 20), "{shown}");
        }
    }
}

#[test]
fn any_text_is_a_slice_or_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = records(directory.path());
    let pieces = [
        "[",
        "]",
        ":",
        "-",
        "1",
        "99999999999999999999999999999999999999",
        "...",
        "'id'",
        "'w'",
        ",",
        "None",
        "pose",
        ".",
        "\\",
        "é",
    ];
    let mut state = 1_u64;
    for _ in 0..rounds(30) {
        let mut slice = String::new();
        for _ in 0..state % 12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            slice.push_str(pieces[(state >> 40) as usize % pieces.len()]);
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let output = run(["show", text(&path), "--", &slice]);
        assert!(matches!(output.code, Some(0 | 2)), "{slice}: {}", output.stderr);
    }
}
