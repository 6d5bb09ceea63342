//! Messages count in the singular where there is one: `1 byte`, not `1 bytes`.

use std::fs;
use std::path::Path;

use crate::floors::{ABOVE_THE_CORE, rust_files};

const NOUNS: &str = "arrays axes bytes characters columns dimensions elements fields files items levels lines members mismatches names \
    records requests rows seconds shards values";

/// Counts that are never 1.
const ALWAYS_SEVERAL: [&str; 9] = [
    "the first of {count} arrays",
    "skipped {} members with attributes of macOS",
    "{0} arrays, #0 to #{1}",
    "{} arrays",
    "extra fields of {} members, such as",
    "({} bytes)",
    "…), {} axes",
    "found {} mismatches",
    "footer too long: {footer_bytes} bytes",
];

/// The placeholders that a plural follows, in code that is no comment and no test.
fn plurals(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let mut found = Vec::new();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let allowed = ALWAYS_SEVERAL.iter().any(|known| line.contains(known));
        for (at, _) in line.match_indices("} ").filter(|_| !allowed) {
            let word: String = line[at + 2..].chars().take_while(char::is_ascii_alphabetic).collect();
            let is_placeholder =
                line[..at].rfind('{').is_some_and(|begin| !line[begin..at].contains(' ')) && line[..at].contains('"');
            if is_placeholder && NOUNS.split_whitespace().any(|noun| noun == word) {
                found.push(line.trim().to_owned());
            }
        }
    }
    found
}

#[test]
fn counts_have_a_singular() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for crate_ in ["npy-core"].into_iter().chain(ABOVE_THE_CORE) {
        for file in rust_files(&root.join(crate_).join("src"))
            .iter()
            .filter(|file| !file.ends_with("tests.rs") && !file.ends_with("messages.rs"))
        {
            let lines = plurals(&fs::read_to_string(file).unwrap());
            found.extend(lines.into_iter().map(|line| format!("{}: {line}", file.strip_prefix(root).unwrap().display())));
        }
    }
    assert!(found.is_empty(), "use `counted`, which has a singular, in\n{}", found.join("\n"));
}

#[test]
fn plurals_after_placeholders_are_found() {
    for (line, count) in [
        (r#"format!("expected {expected} bytes, found {found}")"#, 1),
        (r#"format!("expected {} columns, found {} rows")"#, 2),
        (r#"format!("{} bytes", if count == 1 { "a" } else { "b" })"#, 1),
        (r#"format!("expected {}, found {found}", counted(1, "byte"))"#, 0),
        (r#"// "{} bytes""#, 0),
        (r#"format!("expected bytes {}..{}, found {} instead")"#, 0),
        ("if values.is_empty() { values } else { columns }", 0),
    ] {
        assert_eq!(plurals(line).len(), count, "{line}");
    }
}
