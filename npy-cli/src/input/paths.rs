//! Directories and patterns as lists of files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// Replaces directories by the array files in them, at every depth, and patterns by the files that match.
///
/// A path that cannot be told in UTF-8 is shown with replacement characters, and is not found under that name.
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
            files.extend(matches.filter_map(Result::ok).map(|path| path.display().to_string()));
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
            files.push(path.display().to_string());
        }
    }
    Ok(())
}

/// Whether the name of a file is that of an array or an archive.
fn is_array_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["npy", "npz", "ra"].iter().any(|known| extension.eq_ignore_ascii_case(known)))
}
