//! Directories and patterns as lists of files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// Replaces directories by the array files in them, at every depth, and patterns by the files that match.
pub(crate) fn expand(given: &[String]) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for text in given {
        let path = Path::new(text);
        if path.is_dir() {
            let before = files.len();
            add_directory(path, &mut files)?;
            if files.len() == before {
                return Err(Failure::new(format!("{text}: the directory has no .npy, .npz or .ra files")));
            }
        } else if text != "-" && !path.exists() && text.contains(['*', '?', '[']) && !text.contains(':') {
            let matches = glob::glob(text).map_err(|error| Failure::new(format!("{text}: invalid pattern: {error}")))?;
            let before = files.len();
            for found in matches {
                let found = found.map_err(|error| Failure::new(format!("{text}: {error}")))?;
                if found.is_file() {
                    files.push(text_of(&found)?);
                }
            }
            if files.len() == before {
                return Err(Failure::new(format!("{text}: no file matches the pattern")));
            }
        } else {
            files.push(text.clone());
        }
    }
    Ok(files)
}

fn add_directory(directory: &Path, files: &mut Vec<String>) -> Result<()> {
    let failed = |error: std::io::Error| Failure::new(format!("{}: cannot read the directory: {error}", directory.display()));
    let entries = fs::read_dir(directory).map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry.map_err(failed)?.path())).collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        // Links to directories are not followed: they can form circles.
        if path.is_dir() && !path.is_symlink() {
            add_directory(&path, files)?;
        } else if path.is_file() && is_array_file(&path) {
            files.push(text_of(&path)?);
        }
    }
    Ok(())
}

/// The path as text. One that is not UTF-8 would name another file, or none.
fn text_of(path: &Path) -> Result<String> {
    let refused = || Failure::new(format!("{}: expected a file name in UTF-8; rename the file", path.display()));
    path.to_str().map(str::to_owned).ok_or_else(refused)
}

/// Whether the name of a file is that of an array or an archive.
fn is_array_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["npy", "npz", "ra"].iter().any(|known| extension.eq_ignore_ascii_case(known)))
}
