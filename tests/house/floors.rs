//! The floors of the house: a room imports only from rooms declared above it, and never through the
//! crate root.
//!
//! `npy-core/src/lib.rs` and `npy-ndarray/src/adapter.rs` declare their rooms in that order. Inside `object` and `npz`, no two files
//! import each other, directly or in a ring.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The packages that stand on npy-core.
pub(crate) const ABOVE_THE_CORE: [&str; 6] = [
    "npy-ndarray",
    "npy-cli",
    "integrations/npy-arrow",
    "integrations/npy-remote",
    "integrations/npy-datafusion",
    "integrations/npy-python",
];

/// The modules that a file declares, in order; with each the last comment `// Floor N` above it.
fn rooms_of(file: &Path) -> Vec<(String, u32)> {
    let text = fs::read_to_string(file).unwrap();
    let mut floor = 0;
    let mut rooms = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("// Floor ") {
            floor = rest.split(':').next().unwrap().parse().unwrap();
        }
        let declared = ["mod ", "pub mod ", "pub(crate) mod "].iter().find_map(|start| line.strip_prefix(start)?.strip_suffix(';'));
        rooms.extend(declared.map(|name| (name.to_owned(), floor)));
    }
    rooms
}

pub fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The module that a file is, below the root.
fn module_of(file: &Path, source: &Path) -> Vec<String> {
    let path = file.strip_prefix(source).unwrap().with_extension("");
    let mut names: Vec<String> = path.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
    names.pop_if(|name| name == "mod");
    names
}

/// The code of a line: what stands before a comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap()
}

/// Each path of a line that begins with `crate` or `super`, resolved to names below the root;
/// `None` for the root itself or a group of it.
fn paths(line: &str, module: &[String]) -> Vec<Option<Vec<String>>> {
    let mut found = Vec::new();
    for start in ["crate", "super"] {
        for (index, _) in line.match_indices(start) {
            let before = line[..index].chars().next_back();
            // A part of a longer path or of another word; `pub(crate)` and `pub(super)` lead
            // nowhere.
            if before.is_some_and(|char| char.is_alphanumeric() || matches!(char, '_' | ':' | '$'))
                || !line[index + 5..].starts_with("::")
            {
                continue;
            }
            let path: Vec<&str> = line[index..]
                .split("::")
                .map(|part| part.split(|char: char| !char.is_alphanumeric() && char != '_'))
                .filter_map(|mut names| names.next())
                .collect();
            let ups = path.iter().take_while(|name| **name == "super").count();
            let base = if start == "super" { &module[..module.len().saturating_sub(ups)] } else { &[] };
            let rest = path.iter().skip(ups.max(1)).take_while(|name| !name.is_empty()).map(|name| (*name).to_owned());
            let resolved: Vec<String> = base.iter().cloned().chain(rest).collect();
            found.push((!resolved.is_empty()).then_some(resolved));
        }
    }
    found
}

/// Imports from higher floors or through the root, and the number of imports checked.
fn violations(source: &Path, rooms: &[(String, u32)], of_root: &[&str]) -> (Vec<String>, usize) {
    let place = |name: &str| rooms.iter().position(|(room, _)| room == name);
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in rust_files(source) {
        let module = module_of(&file, source);
        let Some(own) = module.first().and_then(|name| place(name)) else { continue };
        // The modules within the file, and the columns at which they end.
        let (mut inner, mut ends) = (module.clone(), Vec::new());
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let text = line.trim_start();
            let indent = line.len() - text.len();
            let starts = ["mod ", "pub mod ", "pub(crate) mod "];
            if let Some(name) = starts.iter().find_map(|start| text.strip_prefix(start)?.strip_suffix(" {")) {
                inner.push(name.to_owned());
                ends.push(indent);
            } else if text == "}" && ends.pop_if(|end| *end == indent).is_some() {
                inner.pop();
            }
            for path in paths(code(line), &inner) {
                count += 1;
                if path.as_ref().is_some_and(|names| of_root.contains(&names[0].as_str())) {
                    continue;
                }
                let room = path.as_ref().and_then(|names| place(&names[0]));
                let what = match room {
                    None => "through the crate root",
                    Some(room) if room > own => "from a higher floor",
                    Some(_) => continue,
                };
                wrong.push(format!("{}:{}: import {what}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    (wrong, count)
}

#[test]
fn rooms_of_npy_core_import_only_from_below() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("npy-core/src");
    let rooms = rooms_of(&source.join("lib.rs"));
    let (wrong, count) = violations(&source, &rooms, &[]);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 500, "{count} imports");
    let mut floors = BTreeMap::<u32, Vec<&str>>::new();
    rooms.iter().for_each(|(room, floor)| floors.entry(*floor).or_default().push(room));
    for (floor, rooms) in &floors {
        println!("floor {floor}: {}", rooms.join(" "));
    }
    assert_eq!(floors.len(), 9);
}

#[test]
fn rooms_of_npy_ndarray_import_only_from_below() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("npy-ndarray/src");
    let mut rooms = rooms_of(&source.join("adapter.rs"));
    // It has other names for the public ones, so it imports those from the root.
    rooms.retain(|(room, _)| room != "compat");
    // What differs between the versions of `ndarray`, and what does not belong to either.
    let (wrong, count) = violations(&source, &rooms, &["array_ref", "dispatch", "match_dtype", "ndarray"]);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 50, "{count} imports");
}

/// Types that contain each other, each in a file of its own: Python's objects, arrays of them, and NumPy's subclasses.
const RECURSIVE: [&str; 3] = ["object::value", "object::value::array", "object::value::subclass"];

/// The paths that the `use` declarations of a file name, with their groups taken apart.
fn uses(text: &str) -> Vec<String> {
    fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
        let Some((start, group)) = tree.split_once('{') else {
            found.push(format!("{prefix}{}", tree.trim()));
            return;
        };
        let prefix = format!("{prefix}{}", start.trim());
        let (mut depth, mut begin) = (0, 0);
        for (at, char) in group.char_indices() {
            match char {
                '{' => depth += 1,
                ',' | '}' if depth == 0 => {
                    expand(&prefix, &group[begin..at], found);
                    begin = at + 1;
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    let mut lines = text.split("#[cfg(test)]").next().unwrap().lines().map(|line| code(line).trim());
    while let Some(line) = lines.next() {
        let Some(begin) = ["use ", "pub use ", "pub(crate) use "].iter().find_map(|start| line.strip_prefix(start)) else {
            continue;
        };
        let mut declaration = begin.to_owned();
        while !declaration.ends_with(';') {
            declaration.push_str(lines.next().unwrap());
        }
        expand("", declaration.trim_end_matches(';'), &mut found);
    }
    found
}

/// The files of a room that each of its files imports from, or names by a path, as modules below `source`.
fn imports(source: &Path, room: &str) -> BTreeMap<String, Vec<String>> {
    let files = rust_files(&source.join(room));
    let modules: Vec<Vec<String>> = files.iter().map(|file| module_of(file, source)).collect();
    let mut graph = BTreeMap::new();
    for (file, module) in files.iter().zip(&modules).filter(|(file, _)| !file.ends_with("tests.rs")) {
        let text = fs::read_to_string(file).unwrap();
        let mut named: Vec<Vec<String>> = Vec::new();
        for path in uses(&text) {
            let names: Vec<String> = path.split("::").map(str::to_owned).collect();
            let ups = names.iter().take_while(|name| *name == "super").count();
            let is_child = modules.iter().any(|other| other.split_last() == Some((&names[0], module)));
            if ups > 0 || is_child {
                named.push(module[..module.len().saturating_sub(ups)].iter().chain(&names[ups..]).cloned().collect());
            } else if names[0] == "crate" {
                named.push(names[1..].to_vec());
            }
        }
        let lines = text.split("#[cfg(test)]").next().unwrap().lines();
        named.extend(lines.flat_map(|line| paths(code(line), module)).flatten());
        // The longest beginning that is a file.
        let file_of = |names: Vec<String>| modules.iter().filter(|other| names.starts_with(other)).max_by_key(|other| other.len());
        let to = named.into_iter().filter_map(file_of).filter(|to| *to != module).map(|to| to.join("::")).collect();
        graph.insert(module.join("::"), to);
    }
    graph
}

#[test]
fn files_of_rooms_import_in_one_direction() {
    for room in ["print", "dynamic", "rawarray", "zarr"] {
        let graph = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("npy-core/src"), room);
        assert!(graph.len() > 3, "{room}: {graph:?}");
        assert_eq!(rings(graph), [""; 0], "files of {room} that import each other, and those that import them");
    }
}

/// What is left of the graph when files that import from none of the others are taken away: those in rings, and those above them.
fn rings(mut graph: BTreeMap<String, Vec<String>>) -> Vec<String> {
    while let Some(free) =
        graph.iter().find(|(_, to)| !to.iter().any(|file| graph.contains_key(file))).map(|(file, _)| file.clone())
    {
        graph.remove(&free);
    }
    graph.into_keys().collect()
}

/// Fails if a file of a room imports from a higher floor of it, or if files import each other, but for [`RECURSIVE`] ones.
fn expect_one_direction(room: &str, floors: &[&[&str]], least: usize) {
    let mut graph = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("npy-core/src"), room);
    assert!(graph.len() > 25 && graph.values().map(Vec::len).sum::<usize>() > least, "{graph:?}");
    let is_in = |file: &str, name: &str| file.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    let floor = |file: &str| floors.iter().position(|names| names.iter().any(|name| is_in(file, name))).unwrap_or(floors.len());
    for (file, to) in &mut graph {
        to.retain(|other| ![&*file, other].iter().all(|file| RECURSIVE.contains(&file.as_str())));
        let up: Vec<_> = to.iter().filter(|other| floor(other) > floor(file)).collect();
        assert!(up.is_empty(), "{file} imports from {up:?}");
    }
    assert_eq!(rings(graph), [""; 0], "files that import each other, and those that import them");
}

/// Values know no pickles, and neither know their texts.
#[test]
fn files_of_objects_import_in_one_direction() {
    expect_one_direction(
        "object",
        &[&["object::value"], &["object::visitor"], &["object::pickle"], &["object::repr"], &["object::serde"]],
        100,
    );
}

/// The container knows no compression, and recovery stands on reading.
#[test]
fn files_of_archives_import_in_one_direction() {
    expect_one_direction("npz", &[&["npz::zip"], &["npz::codec"], &["npz::read", "npz::write"], &["npz::recover"]], 80);
}

#[test]
fn files_of_formats_and_elements_import_in_one_direction() {
    for (room, least) in [("format", 35), ("element", 15)] {
        let graph = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("npy-core/src"), room);
        assert!(graph.len() > least, "{graph:?}");
        assert_eq!(rings(graph), [""; 0], "files that import each other, and those that import them");
    }
}

/// The files that import each other, directly or in a ring, ring by ring.
fn circles(graph: &BTreeMap<String, Vec<String>>) -> Vec<Vec<&str>> {
    let reach = |start: &str| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![start.to_owned()]);
        while let Some(file) = open.pop() {
            let to = graph.get(&file).into_iter().flatten();
            open.extend(to.filter(|to| reached.insert((*to).clone())).cloned());
        }
        reached
    };
    let reached: BTreeMap<&str, BTreeSet<String>> = graph.keys().map(|file| (file.as_str(), reach(file))).collect();
    let mut found: Vec<Vec<&str>> = Vec::new();
    for (file, to) in &reached {
        if to.contains(*file) && !found.iter().any(|circle| circle.contains(file)) {
            found.push(
                reached
                    .iter()
                    .filter(|(other, from)| to.contains(**other) && from.contains(*file))
                    .map(|(other, _)| *other)
                    .collect(),
            );
        }
    }
    found
}

#[test]
fn files_of_every_crate_import_in_one_direction() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let core = root.join("npy-core/src");
    for room in fs::read_dir(&core).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir()) {
        let mut graph = imports(&core, room.file_name().to_str().unwrap());
        for (file, to) in &mut graph {
            to.retain(|other| ![&*file, other].iter().all(|file| RECURSIVE.contains(&file.as_str())));
        }
        found.extend(circles(&graph).into_iter().map(|circle| format!("npy-core: {}", circle.join(" "))));
    }
    found.sort();
    for source in ["npy-derive"].into_iter().chain(ABOVE_THE_CORE) {
        let graph = imports(&root.join(source).join("src"), "");
        assert!(graph.values().map(Vec::len).sum::<usize>() > 15, "{source}: {graph:?}");
        found.extend(circles(&graph).into_iter().map(|circle| format!("{source}: {}", circle.join(" "))));
    }
    assert_eq!(found, [""; 0], "files that import each other");
}

/// Formats know no command, and no command line.
#[test]
fn formats_import_no_command() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("npy-cli/src");
    let formats: Vec<_> = imports(&source, "").into_iter().filter(|(file, _)| file.starts_with("formats")).collect();
    assert!(formats.len() > 20, "{formats:?}");
    let is_above = |file: &String| ["commands", "cli", "view", "plot"].iter().any(|room| file.starts_with(room));
    for (file, to) in formats {
        assert!(!to.iter().any(is_above), "{file} imports from {to:?}");
    }
    let with_clap =
        rust_files(&source.join("formats")).into_iter().filter(|file| fs::read_to_string(file).unwrap().contains("clap"));
    assert_eq!(with_clap.collect::<Vec<_>>(), [""; 0].map(PathBuf::from), "files of formats that know clap");
}

#[test]
fn rings_of_imports_are_found() {
    let of = |edges: &[(&str, &[&str])]| {
        rings(edges.iter().map(|(file, to)| ((*file).to_owned(), to.iter().map(|to| (*to).to_owned()).collect())).collect())
    };
    assert!(of(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]).is_empty());
    assert_eq!(of(&[("a", &["b"]), ("b", &["c"]), ("c", &["a", "d"]), ("d", &[])]), ["a", "b", "c"]);
    let text = "use a::b;\n// a use c of\npub use super::{d, e::{f, self}};\n    use g;\n#[cfg(test)]\nuse h;\n";
    assert_eq!(uses(text), ["a::b", "super::d", "super::e::f", "super::e::self", "g"]);
}

#[test]
fn imports_that_go_up_are_found() {
    let module = ["read".to_owned(), "rows".to_owned(), "tests".to_owned()];
    let resolve = |line: &str| paths(line, &module).into_iter().map(|path| path.map(|names| names.join("::"))).collect::<Vec<_>>();
    assert_eq!(resolve("use crate::npz::NpzReader;"), [Some("npz::NpzReader".to_owned())]);
    assert_eq!(resolve("use super::super::super::npz::read;"), [Some("npz::read".to_owned())]);
    assert_eq!(resolve("use super::seek;"), [Some("read::rows::seek".to_owned())]);
    assert_eq!(resolve("use crate::{Error, Result};"), [None]);
    assert_eq!(resolve("pub(crate) fn f() -> crate::error::Result<()> {"), [Some("error::Result".to_owned())]);
    assert_eq!(resolve("pub(super) use std::io;"), []);
}
