//! What the compiler says when a struct cannot be a record: tests/ui, a file for each kind of rules; and that it
//! is silent under the strictest lints.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::compiler::{Compiler, messages};
use crate::support::{announce, workspace};

/// The messages are the compiler's too, and change with it.
const TOOLCHAIN: &str = "rustc 1.95.";

/// Compiles with the features of `npy-tests` only, on which the compiler's lists of types depend.
const PROBE: &str = "
#![allow(unused)]
use npy_core::{NpyView, chrono, half, jiff, npz, num_complex, object};
use npy_ndarray::{DynArray, NpyRecord, NpzArchive};
fn load() -> npy_ndarray::Result<ndarray::ArrayD<u8>> {
    npy_ndarray::ReadNpyExt::load_npy(\"\")
}
fn main() {}
";

#[test]
fn mistakes_are_explained_on_the_right_token() {
    let compiler = Compiler::new(&["npy_core", "npy_ndarray", "ndarray"], PROBE);
    let version = compiler.version();
    if !version.starts_with(TOOLCHAIN) {
        announce(&format!("SKIPPED the compiler's messages: they are compared under {TOOLCHAIN}x only, and this is {version}"));
        return;
    }
    for path in programs("tests/ui/pass") {
        let output = compiler.compile(&path);
        assert!(output.status.success() && output.stderr.is_empty(), "{}: {}", path.display(), messages(&output));
    }
    let programs = programs("tests/ui");
    let wrong: Vec<String> = programs.iter().filter_map(|path| difference(&compiler, path)).collect();
    assert!(wrong.is_empty(), "{} of {} messages differ:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
    assert!(programs.len() > 30);
}

/// The programs of a directory, as paths in the workspace.
fn programs(directory: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(workspace().join(directory)).unwrap();
    let names = entries.map(|entry| Path::new(directory).join(entry.unwrap().file_name()));
    let mut programs: Vec<_> = names.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect();
    programs.sort();
    programs
}

/// What differs from the messages beside a program, which `UPDATE_SNAPSHOTS=1` overwrites.
fn difference(compiler: &Compiler, program: &Path) -> Option<String> {
    let output = compiler.compile(program);
    if output.status.success() {
        return Some(format!("{}: compiles", program.display()));
    }
    let found = normalized(&messages(&output));
    let snapshot = workspace().join(program).with_extension("stderr");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&snapshot, &found).unwrap();
    }
    let expected = fs::read_to_string(&snapshot).unwrap_or_default();
    (found != expected).then(|| format!("{}: expected\n{expected}\nfound\n{found}", program.display()))
}

/// Messages without what changes with other code: the lines of our and other libraries, and their directories.
fn normalized(messages: &str) -> String {
    let messages = messages.split("error: aborting due to").next().unwrap_or_default();
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    for line in messages.trim_end().lines() {
        // A note after an empty line has a margin of its own.
        let is_after_empty = blocks.last().and_then(|lines| lines.last()).is_none_or(|last| last.is_empty());
        if ["error", "warning"].iter().any(|kind| line.starts_with(kind))
            || is_after_empty && line.starts_with("note: ")
            || blocks.is_empty()
        {
            blocks.push(Vec::new());
        }
        blocks.last_mut().unwrap().push(line);
    }
    blocks.iter().flat_map(|lines| diagnostic(lines)).map(|line| line + "\n").collect()
}

/// The lines of one message or note, with a margin as wide as the line numbers of the program need.
fn diagnostic(lines: &[&str]) -> Vec<String> {
    let margin = lines.iter().find_map(|line| line.find("-->")).unwrap_or(0);
    let mut is_ours = true;
    let mut parts = Vec::new();
    for line in lines {
        let arrow = ["--> ", "::: "].into_iter().find(|arrow| line.trim_start().starts_with(arrow));
        let (number, rest) = line.split_at_checked(margin).unwrap_or((line, ""));
        if let Some(arrow) = arrow {
            let place = &line.trim_start()[arrow.len()..];
            is_ours = place.starts_with("tests/ui/");
            parts.push((String::new(), format!("{arrow}{}", if is_ours { place.to_owned() } else { elsewhere(place) })));
        } else if number.trim().parse::<u32>().is_ok() {
            parts.push((if is_ours { number.trim().to_owned() } else { String::new() }, rest.to_owned()));
        } else if number.trim().is_empty() && !line.is_empty() {
            parts.push((String::new(), without_count(rest)));
        } else {
            parts.push((String::new(), format!("\r{line}")));
        }
    }
    let width = parts.iter().map(|(number, _)| number.len()).max().unwrap_or(0).max(1);
    let aligned = |(number, rest): (String, String)| match rest.strip_prefix('\r') {
        Some(line) => line.to_owned(),
        None => format!("{number:>width$}{rest}"),
    };
    parts.into_iter().map(aligned).collect()
}

/// A place in a library: its file alone.
fn elsewhere(place: &str) -> String {
    let file = place.split(".rs:").next().unwrap_or_default();
    match (file.split_once("/library/"), file.split_once("/ndarray-")) {
        (Some((_, file)), _) => format!("$RUST/{file}.rs"),
        (_, Some((_, file))) => format!("$CARGO/ndarray-$VERSION/{}.rs", file.split_once('/').unwrap_or_default().1),
        _ => format!("{file}.rs"),
    }
}

/// The number of types that a list leaves out is that of the features.
fn without_count(line: &str) -> String {
    match line.trim_start().strip_prefix("and ").and_then(|rest| rest.strip_suffix(" others")) {
        Some(count) => line.replace(count, "$N"),
        None => line.to_owned(),
    }
}
