//! What reaches a terminal, whatever the files hold, and outputs that cannot be written.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

use npy_core::npz::NpzWriter;
use npy_core::{DynValues, Order};

use crate::support::{command, run};
use crate::terminal::Terminal;

/// Characters of each kind that a terminal obeys or hides: C0, C1, directions, joiners, tags, ends of lines.
const HOSTILE: &str = "\x1b[2J\x1b]0;t\x07\u{9b}2J\u{202e}\u{61c}\u{200b}\u{200d}\u{feff}\u{ad}\u{e0041}\u{2028}";

/// Records whose names and texts are hostile.
fn records(path: &Path, text: &str) {
    let name: String = HOSTILE.chars().map(|character| format!("\\U{:08x}", u32::from(character))).collect();
    let dtype = format!("[('{name}', '<U32'), ('g', '<f8')]").parse().unwrap();
    let mut units: Vec<u32> = text.chars().map(u32::from).collect();
    units.resize(32, 0);
    let mut bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    bytes.extend(1.5_f64.to_le_bytes());
    DynValues::new(dtype, Order::C, &[1], bytes).unwrap().save(path).unwrap();
}

/// What the command writes to a terminal, of both streams, and its exit code.
fn on_terminal(arguments: &[&str]) -> (String, Option<i32>) {
    let mut terminal = Terminal::new(40, 200, arguments);
    let code = terminal.end().code();
    (String::from_utf8(std::mem::take(&mut terminal.bytes)).expect("the output is UTF-8"), code)
}

/// Fails if a character is left that a terminal obeys, but for ends of lines, tabs and colors.
#[track_caller]
fn assert_harmless(output: &str, what: &[&str]) {
    let mut rest = output;
    while let Some(at) =
        rest.find(|character| matches!(character, '\x1b' | '\x07') || !character.is_ascii() && HOSTILE.contains(character))
    {
        rest = &rest[at..];
        let color = rest.strip_prefix("\x1b[").map(|color| color.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        match color.and_then(|color| color.strip_prefix('m')) {
            Some(behind) => rest = behind,
            None => panic!("{what:?}: {output:?}"),
        }
    }
}

#[test]
fn no_command_sends_to_a_terminal_what_it_would_obey() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let a = path(&format!("a{}.npy", HOSTILE.replace('/', "")));
    let (b, archive, numbers) = (path("b.npy"), path("run.npz"), path(&format!("{HOSTILE}.npy")));
    records(Path::new(&a), HOSTILE);
    records(Path::new(&b), "other");
    npy_core::save(&numbers, &[1.0_f64, 2.0, 4.0]).unwrap();
    let mut writer = NpzWriter::create(&archive).unwrap();
    writer.add_slice(HOSTILE, &[1_u8]).unwrap();
    writer.add_slice("other", &[1_u8]).unwrap();
    writer.add_bytes(&format!("{HOSTILE}.txt"), b"text").unwrap();
    writer.finish().unwrap();
    let missing = path(&format!("missing{HOSTILE}"));
    let commands: [&[&str]; 35] = [
        &["info", &a],
        &["info", &a, &archive],
        &["info", "--json", &a, &archive],
        &["show", &a],
        &["show", "--table", &a],
        &["show", "--json", &a],
        &["show", "--csv", &a],
        &["stats", &a],
        &["stats", "--json", &a, &archive],
        &["diff", &a, &b],
        &["diff", "--json", &a, &b],
        &["diff", &archive, &archive],
        &["schema", &a],
        &["schema", "--python", &a],
        &["schema", &archive],
        &["schema", "--python", &archive],
        &["convert", &a, "-", "--to", "csv"],
        &["convert", &a, "-", "--to", "tsv"],
        &["convert", &a, "-", "--to", "json"],
        &["convert", &a, "-", "--to", "ndjson"],
        &["convert", &a, "/dev/tty", "--to", "csv"],
        &["convert", &a, "-", "--to", "png"],
        &["convert", &archive, &path("out.npy")],
        &["verify", &a, &archive],
        &["verify", "--json", &a, &archive],
        &["plot", &numbers, "--text"],
        &["plot", &numbers, "--title", HOSTILE, "--text"],
        &["split", &a, "--rows", "1"],
        &["repack", &archive, &path(&format!("{HOSTILE}.npz"))],
        &["recover", &a],
        &["info", &missing],
        &["show", &a, HOSTILE],
        &["show", &a, &format!("--{HOSTILE}")],
        // A sequence that the parser leaves out of its text.
        &["show", &a, "--\x1b[31mred"],
        &["show", &a, "--head", "\x1b]0;title\x07"],
    ];
    for arguments in commands {
        let (output, _) = on_terminal(arguments);
        assert!(!output.is_empty(), "{arguments:?}");
        assert_harmless(&output, arguments);
    }
}

#[test]
fn text_on_a_terminal_is_the_file_with_escapes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy").display().to_string();
    records(Path::new(&path), "a\t\x1b[1m\u{200d}é");
    let to = |format: &'static str| ["convert", &path, "-", "--to", format];
    // In quotes because of the semicolon, which other files have for a delimiter.
    let name = "\"\\x1b[2J\\x1b]0;t\\x07\\x9b2J\\u202e\\u061c\\u200b\\u200d\\ufeff\\xad\\U000e0041\\u2028\"";
    assert_eq!(on_terminal(&to("csv")), (format!("{name},g\r\na\t\\x1b[1m\\u200dé,1.5\r\n"), Some(0)));
    assert!(on_terminal(&to("tsv")).0.starts_with(&format!("{name}\tg\r\n")));
    let piped = run(to("json")).ok();
    let (shown, _) = on_terminal(&to("json"));
    assert!(shown.contains("\\u001b[2J") && shown.contains("\\udb40\\udc41"), "{shown}");
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(parse(&shown), parse(&piped));
    // Pipes and files get the text as it is.
    assert_eq!(run(to("csv")).ok(), format!("\"{HOSTILE}\",g\na\t\x1b[1m\u{200d}é,1.5\n"));
    let file = directory.path().join("a.csv");
    run([Path::new("convert"), path.as_ref(), &file]).ok();
    assert_eq!(fs::read_to_string(file).unwrap(), run(to("csv")).ok());
}

#[test]
fn binary_output_to_a_terminal_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy").display().to_string();
    npy_core::save(&path, &[1_u8, 2]).unwrap();
    let archive = directory.path().join("a.npz").display().to_string();
    let mut writer = NpzWriter::create(&archive).unwrap();
    writer.add_slice("x", &[1_u8]).unwrap();
    writer.finish().unwrap();
    let mut commands = vec![vec!["cat", &path, &path], vec!["repack", &path, "-"], vec!["repack", &archive, "-"]];
    commands.extend(["npy", "npz", "ra", "safetensors"].map(|format| vec!["convert", &path, "-", "--to", format]));
    commands.push(vec!["convert", &path, "/dev/tty", "--to", "npy"]);
    for arguments in commands {
        let (output, code) = on_terminal(&arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {output}");
        // Of `repack` the name of the output tells the format, which that of standard output does not.
        if arguments[0] != "repack" {
            assert!(
                output.contains("cannot write binary data to a terminal") && output.contains("`-o`"),
                "{arguments:?}: {output}"
            );
        }
        assert!(!output.contains("NUMPY"), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_trouble() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (array, archive) = (path("a.npy"), path("a.npz"));
    npy_core::save(&array, &[1.0_f64, 2.0]).unwrap();
    let mut writer = NpzWriter::create(&archive).unwrap();
    writer.add_slice("x", &[1_u8]).unwrap();
    writer.finish().unwrap();
    let commands: [&[&str]; 21] = [
        &["info", &array],
        &["info", "--json", &array],
        &["info", directory.path().to_str().unwrap()],
        &["show", &array],
        &["show", "--json", &array],
        &["show", "--csv", &array],
        &["schema", &archive],
        &["stats", &array],
        &["stats", "--json", &archive],
        &["diff", &array, &array],
        &["diff", "--json", &array, &array],
        &["verify", &array],
        &["verify", "--json", &array],
        &["plot", &array],
        &["cat", &array],
        &["convert", &array, "-", "--to", "csv"],
        &["convert", &array, "-", "--to", "npz"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["--version"],
    ];
    for arguments in commands {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command(arguments).stdout(Stdio::from(full)).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("No space left on device"), "{arguments:?}: {message}");
    }
    for format in ["npy", "npz", "ra", "csv", "tsv", "json", "ndjson", "safetensors"] {
        let message = run(["convert", &array, "/dev/full", "--to", format]).trouble();
        assert!(message.starts_with("npy: /dev/full: ") && message.contains("No space left"), "{format}: {message}");
    }
    let message = run(["cat", &array, "-o", "/dev/full"]).trouble();
    assert_eq!(message, "npy: /dev/full: cannot write the file: No space left on device (os error 28)\n");
}
