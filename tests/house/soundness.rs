//! `tests/UNSAFE.md`: every place of `unsafe` with its proof, made of the comments beside it.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::floors::rust_files;

const PAGE: &str = "tests/UNSAFE.md";

/// A place of `unsafe` in a file.
#[derive(Debug, PartialEq)]
struct Place {
    /// The item that it is in, or that it is.
    item: String,
    proof: String,
}

#[test]
fn every_place_of_unsafe_is_on_the_page_with_its_proof() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut page = "# Where `unsafe` stands, and why it is sound\n\n\
        Made of the comments in the code by `UPDATE_SNAPSHOTS=1 cargo test -p npy-tests --test house`. All other code of the workspace denies it, but\n\
        for the code that the derive writes, whose proof is in `npy-derive/src/record/expand/view.rs`.\n"
        .to_owned();
    let (mut count, mut without) = (0, Vec::new());
    let files = ["npy-core/src", "integrations/npy-python/src"].map(|source| rust_files(&root.join(source)));
    for file in files.concat() {
        let places = places(&fs::read_to_string(&file).unwrap());
        if places.is_empty() {
            continue;
        }
        let name = file.strip_prefix(root).unwrap().display().to_string();
        let rooms = ["memory", "sys", "transpose", "view"].map(|room| format!("npy-core/src/{room}/"));
        // The memory of Python's objects.
        let rooms = [&rooms[..], &["integrations/npy-python/src/memory.rs".to_owned()]].concat();
        assert!(rooms.iter().any(|room| name.starts_with(room)), "{name} has `unsafe`");
        write!(page, "\n## `{name}`\n\n| in | proof |\n|---|---|\n").unwrap();
        for place in places {
            writeln!(page, "| `{}` | {} |", place.item, place.proof.replace('|', "\\|")).unwrap();
            if place.proof.is_empty() {
                without.push(format!("{name}: {}", place.item));
            }
            count += 1;
        }
    }
    assert!(without.is_empty(), "without a proof:\n{}", without.join("\n"));
    assert!(count > 80, "{count} places");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(root.join(PAGE), &page).unwrap();
    }
    let committed = fs::read_to_string(root.join(PAGE)).unwrap();
    assert!(committed == page, "{PAGE} is old: UPDATE_SNAPSHOTS=1 cargo test -p npy-tests --test house");
}

fn places(text: &str) -> Vec<Place> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut places = Vec::new();
    let mut item = String::new();
    for (number, line) in lines.iter().enumerate() {
        let code = line.split("//").next().unwrap();
        // An example in a macro's documentation.
        if code.starts_with("#[doc") {
            continue;
        }
        if let Some(name) = item_of(code) {
            item = name;
        }
        if ["unsafe {", "unsafe impl", "unsafe fn", "unsafe trait", "unsafe extern"].iter().any(|keyword| code.contains(keyword)) {
            places.push(Place { item: item.clone(), proof: proof(&lines[..=number]) });
        }
    }
    places
}

/// The name of the item that a line begins.
fn item_of(code: &str) -> Option<String> {
    let words: Vec<&str> = code.split_whitespace().collect();
    let at = words.iter().position(|word| matches!(*word, "fn" | "impl" | "trait") || word.starts_with("impl<"))?;
    let is_item = words[..at].iter().all(|word| matches!(*word, "unsafe" | "const" | "default") || word.starts_with("pub"));
    let rest = words[at..].join(" ");
    let end = if words[at] == "fn" { rest.find(['(', '<']) } else { rest.find(" where").or_else(|| rest.find('{')) };
    is_item.then(|| rest[..end.unwrap_or(rest.len())].trim().to_owned())
}

/// The comment above the last line that says why it is sound.
fn proof(lines: &[&str]) -> String {
    /// The most lines between a proof and its `unsafe`.
    const MOST: usize = 60;
    let is_start = |line: &str| line.starts_with("// SAFETY") || line == "/// # Safety" || line == "//! # Safety";
    let near = lines.len().saturating_sub(MOST);
    let Some(start) = lines[near..].iter().rposition(|line| is_start(line)).map(|at| near + at) else { return String::new() };
    let text = lines[start..].iter().map_while(|line| line.strip_prefix("///").or_else(|| line.strip_prefix("//")));
    let words: Vec<&str> = text.flat_map(str::split_whitespace).collect();
    words.join(" ").trim_start_matches("SAFETY:").trim_start_matches("# Safety").trim().to_owned()
}

#[test]
fn proofs_are_found_above_their_blocks() {
    let text = "
impl Room {
    /// Opens it.
    ///
    /// # Safety
    ///
    /// Nobody is in it.
    pub unsafe fn open(self) {
        // SAFETY: of this
        // function.
        let door = unsafe { door() };
    }
}
unsafe impl Sync for Room {}
";
    let [open, block, sync] = &places(text)[..] else { panic!("{:?}", places(text)) };
    assert_eq!((open.item.as_str(), open.proof.as_str()), ("fn open", "Nobody is in it."));
    assert_eq!((block.item.as_str(), block.proof.as_str()), ("fn open", "of this function."));
    assert_eq!(sync.item, "impl Sync for Room");
}
