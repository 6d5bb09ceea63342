//! One walk over a dtype: who asks what an element consists of asks `DType::leaves`, `columns` or `field`.
//!
//! Only `format`, `element/plan.rs` and `object` recurse over records and sub-arrays themselves.

use std::fs;
use std::path::Path;

use super::floors::rust_files;

const SOURCES: [&str; 8] = [
    "npy-core/src",
    "npy-ndarray/src",
    "npy-cli/src",
    "integrations/npy-arrow/src",
    "integrations/npy-remote/src",
    "integrations/npy-datafusion/src",
    "integrations/npy-python/src",
    "npy-derive/src",
];

/// Rooms whose subject is the structure of a dtype.
const ALLOWED: [&str; 3] = ["npy-core/src/format/", "npy-core/src/element/plan.rs", "npy-core/src/object/"];

/// Files that still have a walk of their own. The list only gets shorter.
const LEFT: &[&str] = &[
    "npy-core/src/print/format.rs",
    "npy-core/src/zarr/dtype.rs",
    "npy-cli/src/commands/convert/dtypes.rs",
    "npy-cli/src/formats/json/fill.rs",
    "npy-cli/src/formats/json/objects.rs",
    "npy-cli/src/objects/missing.rs",
    "npy-cli/src/objects/part.rs",
    "npy-cli/src/objects/typed.rs",
    "integrations/npy-arrow/src/encode.rs",
    "integrations/npy-arrow/src/objects.rs",
    // NumPy's dtype objects are made of others.
    "integrations/npy-python/src/dtype.rs",
];

/// The functions of a file: the name and the body of each.
pub fn functions(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let Some((before, rest)) = line.trim_start().split_once("fn ") else { continue };
        if !before.split_whitespace().all(|word| word.starts_with("pub") || word == "const") {
            continue;
        }
        let name = rest.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect();
        let end = format!("{}}}", " ".repeat(indent));
        let body = lines[start + 1..].iter().take_while(|line| **line != end).copied().collect::<Vec<_>>().join("\n");
        found.push((name, body));
    }
    found
}

/// The files of the workspace, outside of some rooms, of which `is_found` holds.
pub fn files_with(allowed: &[&str], is_found: impl Fn(&str) -> bool) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for source in SOURCES {
        for file in rust_files(&root.join(source)) {
            let path = file.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            if !allowed.iter().any(|room| path.starts_with(room)) && is_found(&fs::read_to_string(&file).unwrap()) {
                found.push(path);
            }
        }
    }
    found
}

/// The functions of a file that match on records or sub-arrays and call themselves, or loop over sub-arrays.
fn walks(text: &str) -> Vec<String> {
    let is_walk = |(name, body): &(String, String)| {
        let is_match = ["DType::Record(", "DType::SubArray("].iter().any(|kind| body.contains(kind));
        let is_call = body.match_indices(name).any(|(index, _)| {
            let before = body[..index].strip_suffix("Self::").unwrap_or(&body[..index]).chars().next_back();
            let is_word = !before.is_some_and(|char| char.is_alphanumeric() || matches!(char, '_' | '.' | ':'));
            is_word && body[index + name.len()..].starts_with('(')
        });
        is_match && is_call || body.contains("while let DType::SubArray(")
    };
    functions(text).into_iter().filter(is_walk).map(|(name, _)| name).collect()
}

#[test]
fn only_the_format_walks_over_a_dtype() {
    let found = files_with(&ALLOWED, |text| !walks(text).is_empty());
    assert_eq!(found, LEFT, "found a walk that `DType::leaves` and its like make needless, or one fewer than listed");
}

#[test]
fn walks_are_found() {
    let walk =
        "fn count(dtype: &DType) -> usize {\n    match dtype {\n        DType::SubArray(array) => count(array.base()),\n    }\n}\n";
    assert_eq!(walks(walk), ["count"]);
    assert!(walks(&walk.replace("=> count(", "=> other.count(")).is_empty());
}
