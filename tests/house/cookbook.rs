//! `npy-ndarray/docs/cookbook.md`: the programs of `examples/`, whole. A package holds no file from outside of it, so they are copied.

use std::fmt::Write;
use std::fs;
use std::path::Path;

const PAGE: &str = "npy-ndarray/docs/cookbook.md";

/// The simplest first.
const PROGRAMS: [&str; 7] = ["quickstart", "record_arrays", "archives", "any_file", "unknown_file", "growing_log", "mmap"];

#[test]
fn the_cookbook_has_the_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut page = "# Cookbook: complete programs\n\n\
        Made of `examples/` by `UPDATE_SNAPSHOTS=1 cargo test -p npy-tests --test house`. The command above each program runs it in the repository;\n\
        its features are those of `npy-core` and `npy-ndarray`, beside `derive`.\n"
        .to_owned();
    for name in PROGRAMS {
        let text = fs::read_to_string(root.join(format!("examples/{name}.rs"))).unwrap();
        let about: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//! ")).collect();
        let program = text.lines().skip_while(|line| line.is_empty() || line.starts_with("//!"));
        let program = program.fold(String::new(), |program, line| program + line + "\n");
        write!(page, "\n## `{name}`\n\n{}\n\n```rust,no_run\n{program}```\n", about.join("\n")).unwrap();
    }
    let files = fs::read_dir(root.join("examples")).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(
        files.filter(|file| file.extension().is_some_and(|end| end == "rs")).count(),
        PROGRAMS.len(),
        "examples without a recipe"
    );
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(root.join(PAGE), &page).unwrap();
    }
    let committed = fs::read_to_string(root.join(PAGE)).unwrap();
    assert!(committed == page, "{PAGE} is old: UPDATE_SNAPSHOTS=1 cargo test -p npy-tests --test house");
}
