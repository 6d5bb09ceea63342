//! Weaves the mutants that `cargo mutants --list --json` names into the sources, so that one build holds all of them.
//!
//! ```sh
//! npy-mutants LIST.json DROPPED TREE
//! ```
//!
//! `TREE` is a copy of the repository, whose files are overwritten. A mutant is chosen by the variable `NPY_MUTANT`,
//! its index in the list. `DROPPED` holds the indices that are left out, a line each, because they do not compile.
//! What cannot be woven is printed: mutants in constant functions, which cannot read a variable.

mod weave;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// One mutant, as `cargo mutants --list --json` describes it.
#[derive(serde::Deserialize)]
pub(crate) struct Mutant {
    #[serde(skip)]
    index: usize,
    file: String,
    genre: String,
    name: String,
    replacement: String,
    span: Span,
}

#[derive(serde::Deserialize)]
struct Span {
    start: Position,
}

#[derive(serde::Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    line: usize,
    column: usize,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [list, dropped, tree] = &arguments[..] else {
        return Err("usage: npy-mutants LIST.json DROPPED TREE".into());
    };
    let mutants: Vec<Mutant> = serde_json::from_str(&fs::read_to_string(list)?)?;
    let dropped: BTreeSet<usize> = fs::read_to_string(dropped)?.lines().map(str::parse).collect::<std::result::Result<_, _>>()?;
    let mut files: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
    for (index, mutant) in mutants.into_iter().enumerate().filter(|(index, _)| !dropped.contains(index)) {
        files.entry(mutant.file.clone()).or_default().push(Mutant { index, ..mutant });
    }
    for (file, mutants) in files {
        let path = Path::new(tree).join(file);
        let (woven, left) = weave::weave(&fs::read_to_string(&path)?, &mutants)?;
        fs::write(path, woven)?;
        for mutant in left {
            println!("{}\t{}", mutant.index, mutant.name);
        }
    }
    Ok(())
}
