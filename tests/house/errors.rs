//! One error type: a caller acts on a kind, and the rest is text.

use std::fs;
use std::path::Path;

use super::walks::files_with;

/// As many kinds as a caller can know.
const MOST: usize = 25;

#[test]
fn kinds_are_few() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("npy-core/src/error/kind.rs");
    let text = fs::read_to_string(path).unwrap();
    let (_, kinds) = text.split_once("pub enum ErrorKind {").unwrap();
    let is_kind = |line: &&str| line.starts_with("    ") && line.trim_start().starts_with(|first: char| first.is_ascii_uppercase());
    let kinds: Vec<_> = kinds.lines().filter(is_kind).map(str::trim).collect();
    assert!(kinds.contains(&"Truncated,") && kinds.iter().all(|kind| kind.ends_with(',')), "found data or nothing in {kinds:?}");
    assert!(kinds.len() <= MOST, "expected at most {MOST} kinds, found {}", kinds.len());
}

/// An enum of messages is a kind by another name. `ForeignFormat` says what a file is.
#[test]
fn messages_are_text() {
    let is_enum = |text: &str| text.lines().any(|line| line.starts_with("pub enum ") && !line.contains("ForeignFormat"));
    let found = files_with(&["npy-core/src/error/kind.rs"], is_enum);
    let of_errors: Vec<_> = found.iter().filter(|file| file.contains("/error")).collect();
    assert_eq!(of_errors, Vec::<&String>::new(), "found an enum beside `ErrorKind`");
}
