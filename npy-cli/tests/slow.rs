//! Little memory: large elements are read in bounded memory, and where it ends there is an error, never an abort.
//!
//! It is a program of its own, because its tests take a minute each.
#![cfg(target_os = "linux")]
#![allow(clippy::pedantic, clippy::unwrap_used, unreachable_pub, reason = "these are tests")]

use std::fs::File;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use npy_core::{Header, Order};

#[path = "../../tests/support/base.rs"]
mod base;

use base::{rounds, some};

const MIB: usize = 1 << 20;

/// Runs the command with a limit of its address space in mebibytes, which bounds resident memory.
fn run(mebibytes: usize, arguments: &[&str], directory: &Path) -> Output {
    let script = format!("ulimit -v {}; exec \"$0\" \"$@\"", mebibytes * 1024);
    Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_npy")])
        .args(arguments)
        .env_remove("RUST_BACKTRACE")
        // Of glibc, an arena of each thread takes 64 MiB of addresses, not of memory, if threads meet.
        .env("MALLOC_ARENA_MAX", "1")
        .current_dir(directory)
        .output()
        .unwrap()
}

/// The mebibytes that the command needs for an array of a few bytes, with two threads.
static LEAST: LazyLock<usize> = LazyLock::new(|| {
    let directory = tempfile::tempdir().unwrap();
    sparse(directory.path(), "x.npy", "<f8", &[3], Order::C);
    let is_enough = |mebibytes: &usize| run(*mebibytes, &["diff", "x.npy", "x.npy"], directory.path()).status.success();
    (16..1024).step_by(4).find(is_enough).unwrap()
});

/// A file of zeros that takes no space.
fn sparse(directory: &Path, name: &str, dtype: &str, shape: &[usize], order: Order) -> PathBuf {
    let header = Header::new(dtype.parse().unwrap(), order, shape).unwrap();
    let path = directory.join(name);
    let mut file = File::create(&path).unwrap();
    file.write_all(&header.to_bytes()).unwrap();
    file.set_len(header.to_bytes().len() as u64 + header.data_bytes()).unwrap();
    path
}

#[test]
fn memory_that_ends_is_an_error_of_every_subcommand() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let size = 8 * MIB;
    let files = [
        ("text.npy", format!("<U{}", size / 4)),
        ("bytes.npy", format!("S{size}")),
        ("raw.npy", format!("V{size}")),
        ("sub.npy", format!("[('a', '<f8', ({},)), ('b', 'i4')]", size / 8)),
    ];
    for (name, dtype) in &files {
        sparse(path, name, dtype, &[2], Order::C);
    }
    sparse(path, "fortran.npy", "<f8", &[1024, 2048], Order::Fortran);
    let commands: [&[&str]; 19] = [
        &["info", "@"],
        &["show", "@"],
        &["show", "@", "[0]"],
        &["show", "--json", "@", "[0]"],
        &["show", "--csv", "@", "[::-1]"],
        &["show", "--table", "@"],
        &["stats", "@"],
        &["diff", "@", "@"],
        &["convert", "@", "out.csv"],
        &["convert", "@", "out.json"],
        &["convert", "@", "out.npy", "--order", "C", "--endian", "big"],
        &["convert", "@", "out.npz"],
        &["convert", "--lossy", "@", "out.ra"],
        &["cat", "@", "@", "-o", "out2.npy"],
        &["split", "@", "--rows", "1", "--prefix", "part-"],
        &["repack", "@", "-o", "out3.npy"],
        &["verify", "@"],
        &["plot", "@", "-o", "out.svg"],
        &["schema", "@"],
    ];
    let names = files.iter().map(|(name, _)| *name).chain(["fortran.npy"]);
    let pairs = names.flat_map(|name| commands.map(|command| (name, command)));
    for (name, command) in some(pairs, 4) {
        let arguments: Vec<&str> = command.iter().map(|part| if *part == "@" { name } else { part }).collect();
        for more in [4, 20] {
            let output = run(*LEAST + more, &arguments, path);
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.signal(), None, "{more} {arguments:?}: {message}");
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 2)), "{more} {arguments:?}: {code:?} {message}");
            assert!(code == Some(0) || !message.is_empty(), "{more} {arguments:?}");
        }
    }
}

#[test]
fn show_diff_and_convert_take_64_mib_for_files_of_any_size() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    sparse(path, "wide.npy", "S1048576", &[110], Order::C);
    sparse(path, "wide-text.npy", "<U262144", &[5, 22], Order::Fortran);
    sparse(path, "records.npy", "[('a', 'S2044'), ('b', '<f4')]", &[2400, 24], Order::Fortran);
    // Text of another length than its bytes.
    let header = Header::new("S8388608".parse().unwrap(), Order::C, &[2]).unwrap();
    std::fs::write(path.join("latin.npy"), [header.to_bytes(), vec![0xe9; 16 * MIB]].concat()).unwrap();
    let header = Header::new("[('a', 'S8388608'), ('b', '<f8')]".parse().unwrap(), Order::C, &[12]).unwrap();
    let latin = sparse(path, "latin-records.npy", &header.dtype().to_string(), &[12], Order::C);
    std::fs::File::options()
        .write(true)
        .open(latin)
        .unwrap()
        .write_all(&[header.to_bytes(), vec![0xe9; 9 * MIB]].concat())
        .unwrap();
    let output = run(*LEAST + 64, &["show", "--table", "latin-records.npy"], path);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (number, name) in ["wide.npy", "wide-text.npy", "records.npy", "latin.npy"].into_iter().enumerate() {
        let commands = [
            &["show", "@"][..],
            &["show", "@", "[0]"],
            &["show", "--csv", "@"],
            &["show", "--json", "@", "[::-1]"],
            &["diff", "@", "@"],
            &["convert", "--lossy", "@", "out.csv"],
            &["convert", "@", "out.json"],
            &["convert", "@", "out.npy", "--order", "C"],
            &["convert", "@", "out.npy", "--order", "F"],
            &["convert", "@", "out.npz", "--endian", "big"],
        ];
        // Others for each file.
        for command in some(commands.into_iter().cycle().skip(number).take(commands.len()), 7) {
            let arguments: Vec<&str> = command.iter().map(|part| if *part == "@" { name } else { part }).collect();
            let output = run(*LEAST + 64, &arguments, path);
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{arguments:?}: {message}");
        }
    }
}

#[test]
fn stats_take_an_element_or_two() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    sparse(path, "numbers.npy", "[('a', '<f4', (8388608,)), ('b', '<M8[s]')]", &[2], Order::C);
    sparse(path, "records.npy", "[('a', [('x', '<f4'), ('y', '<c8')], (2097152,))]", &[2], Order::C);
    let header = Header::new("S16777216".parse().unwrap(), Order::C, &[2]).unwrap();
    std::fs::write(path.join("latin.npy"), [header.to_bytes(), vec![0xe9; 32 * MIB]].concat()).unwrap();
    for name in ["numbers.npy", "records.npy", "latin.npy"] {
        let output = run(*LEAST + 64, &["stats", name], path);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn objects_without_memory_name_their_file() {
    let directory = tempfile::tempdir().unwrap();
    let mut file = File::create(directory.path().join("text.npy")).unwrap();
    npy_core::object::ObjectArray::from(vec!["x".repeat(32 * MIB)]).write(&mut file).unwrap();
    let mut failed = 0;
    for (more, command) in [8, 24, 40, 56].into_iter().flat_map(|more| [(more, "verify"), (more + 40, "stats")]) {
        let output = run(*LEAST + more, &[command, "text.npy"], directory.path());
        let (said, message) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        failed += usize::from(!output.status.success());
        // `verify` goes on with other files.
        let is_error = [&said, &message].iter().any(|text| text.contains("text.npy: cannot allocate "));
        assert!(output.status.success() || is_error && !message.contains("memory allocation"), "{command} {more}: {said}{message}");
    }
    assert!(failed > 0, "no run met its limit");
}

#[test]
fn info_of_many_members_takes_64_mib() {
    let directory = tempfile::tempdir().unwrap();
    let mut archive = npy_core::npz::NpzWriter::create(directory.path().join("many.npz")).unwrap();
    for number in 0..60_000 {
        archive.add_slice(&number.to_string(), &[1_u8]).unwrap();
    }
    archive.finish().unwrap();
    let output = run(*LEAST + 64, &["info", "many.npz"], directory.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn imports_take_four_times_their_text() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    // A quarter of a million columns is too many for names already.
    let (columns, unnamed, length) = if rounds(1) < 10 { (250_000, 125_000, 4 * MIB) } else { (1_000_000, 1_000_000, 16 * MIB) };
    let numbers = "12345,".repeat(unnamed - 1);
    let names: Vec<String> = (0..columns).map(|column| format!("name{column}")).collect();
    let shape = "0,".repeat(length / 2);
    let long = "n".repeat(length);
    // A length of 0x1010201 bytes is text.
    let safetensors = |header: &str| format!("\x01\x02\x01\x01\0\0\0\0{header}{}", " ".repeat(0x101_0201 - header.len()));
    for (name, text, is_read) in [
        ("wide.csv", format!("{numbers}1\n{numbers}2\n"), true),
        ("names.csv", format!("{}\n{}2\n", names.join(","), "1,".repeat(columns - 1)), false),
        ("long.csv", format!("{long},b\n1,2\n"), false),
        ("wide.json", format!("[[{numbers}1]]"), true),
        ("names.json", format!("[{{\"{}\":1}}]", names.join("\":1,\"")), false),
        ("long.json", format!("[{{\"{long}\":1}}]"), false),
        // The first 8 bytes are a length that is text.
        (
            "shape.safetensors",
            safetensors(&format!("{{\"t\":{{\"dtype\":\"U8\",\"shape\":[{shape}0],\"data_offsets\":[0,0]}}}}")),
            false,
        ),
        (
            "name.safetensors",
            safetensors(&format!("{{\"{long}\":{{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}}}")),
            false,
        ),
    ] {
        std::fs::write(path.join(name), &text).unwrap();
        let output = run(*LEAST + 4 * text.len().div_ceil(MIB), &["convert", "--lossy", name, "out.npy"], path);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), is_read, "{name}: {message}");
        // The last where the reader looks for memory first.
        let refused =
            ["too many fields", "names of fields too long", "cannot allocate", "at most 64 dimensions", "tensor name too long"];
        let is_refused = refused.iter().any(|refused| message.contains(refused));
        assert_eq!(is_refused, !is_read, "{name}: {message}");
    }
}

#[test]
fn values_without_bytes_take_no_memory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    sparse(path, "lists.npy", "[('a', '|u1', (1000000000, 0))]", &[1], Order::C);
    sparse(path, "texts.npy", "[('a', 'S0', (1000000,)), ('b', '|u1')]", &[1000], Order::C);
    for name in ["lists.npy", "texts.npy"] {
        for command in [
            &["show", "@"][..],
            &["show", "--all", "@"],
            &["show", "--json", "@"],
            &["show", "--csv", "@"],
            &["show", "--table", "@"],
            &["stats", "@"],
            &["diff", "@", "@"],
            &["convert", "@", "out.json"],
            &["convert", "@", "out.ndjson"],
            &["convert", "@", "out.csv"],
            &["convert", "@", "out.npz"],
        ] {
            let arguments: Vec<&str> = command.iter().map(|part| if *part == "@" { name } else { part }).collect();
            let output = run(*LEAST + 32, &arguments, path);
            let message = String::from_utf8_lossy(&output.stderr);
            let is_refused = message.contains("too many elements without bytes: expected at most 1,048,576, found 1,00");
            assert!(output.status.success() || output.status.code() == Some(2) && is_refused, "{arguments:?}: {message}");
            assert!(output.stdout.len() < MIB, "{arguments:?}");
        }
    }
}
