//! `npy_core::__private` is for the output of the derive alone. Everyone else uses public items.

use std::fs;
use std::path::Path;

use super::walks::files_with;

/// The most names. A name goes when generated code no longer needs it; the number then gets smaller.
const MOST: usize = 38;

/// The names of the `pub use` declarations of a file.
fn names(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for declaration in text.split("\npub use ").skip(1) {
        let path = declaration.split(';').next().unwrap();
        let list = path.split_once('{').map_or(path, |(_, list)| list.trim_end_matches('}'));
        let last = |path: &str| path.rsplit([':', ' ']).next().unwrap().to_owned();
        found.extend(list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(last));
    }
    found
}

#[test]
fn generated_code_needs_few_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = names(&fs::read_to_string(root.join("npy-core/src/private.rs")).unwrap());
    assert!(names.len() <= MOST, "{} names of `npy_core::__private`: {names:?}", names.len());
    // Each of them stands in the generator or in `plan!`.
    let generator = files_with(&["npy-core", "npy-ndarray", "npy-cli", "integrations"], |_| true);
    let mut code: String = generator.iter().map(|file| fs::read_to_string(root.join(file)).unwrap()).collect();
    code.push_str(&fs::read_to_string(root.join("npy-core/src/private.rs")).unwrap().replace("$crate::__private::", "__private::"));
    let is_used = |name: &String| {
        let is_named = code.contains(&format!("__private::{name}"));
        is_named || name.starts_with("plan_") && code.contains(&format!("quote!({name})"))
    };
    let unused: Vec<_> = names.iter().filter(|name| !is_used(name)).collect();
    assert!(unused.is_empty(), "names of `npy_core::__private` that no generated code has: {unused:?}");
}

#[test]
fn only_generated_code_uses_private_names() {
    let users = files_with(&["npy-core/src/", "npy-derive/src/", "npy-ndarray/src/adapter.rs"], |text| text.contains("__private"));
    assert!(users.is_empty(), "use a public item, or make it one: {users:?}");
}

#[test]
fn names_of_declarations_are_found() {
    let text = "use a::b;\npub use c::d;\npub use e::{\n    F, g,\n    H,\n};\n#[cfg(x)]\npub use crate::__plan as plan;\n";
    assert_eq!(names(text), ["d", "F", "g", "H", "plan"]);
}
