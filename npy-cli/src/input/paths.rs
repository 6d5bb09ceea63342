//! Directories and patterns as lists of files.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use glob::Pattern;

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
            let before = files.len();
            for found in matches(text)? {
                files.push(text_of(&found)?);
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

/// The files that match a pattern, sorted. Names that are not UTF-8 match too, with a replacement character for each wrong byte.
fn matches(pattern: &str) -> Result<Vec<PathBuf>> {
    let invalid = |error| Failure::new(format!("{pattern}: invalid pattern: {error}"));
    // The whole pattern first, so that the position in the message is that of the text.
    Pattern::new(pattern).map_err(invalid)?;
    let parts = Path::new(pattern).components().map(|part| {
        let text = part.as_os_str().to_string_lossy();
        let is_pattern = text.contains(['*', '?', '[']);
        Ok(match part {
            Component::Normal(_) if text == "**" => Part::AnyDepth,
            Component::Normal(_) if is_pattern => Part::Pattern(Pattern::new(&text).map_err(invalid)?),
            part => Part::Name(part.as_os_str().to_owned()),
        })
    });
    let mut files = Vec::new();
    add_matches(Path::new(""), &parts.collect::<Result<Vec<_>>>()?, &mut files)?;
    files.sort();
    files.dedup();
    Ok(files)
}

/// A part of a pattern between two separators.
enum Part {
    /// As it is.
    Name(OsString),
    Pattern(Pattern),
    /// `**`: any number of directories.
    AnyDepth,
}

fn add_matches(directory: &Path, parts: &[Part], files: &mut Vec<PathBuf>) -> Result<()> {
    let Some((part, rest)) = parts.split_first() else {
        files.extend(directory.is_file().then(|| directory.to_owned()));
        return Ok(());
    };
    let own = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    match part {
        Part::Name(name) => add_matches(&directory.join(name), rest, files),
        _ if !own.is_dir() => Ok(()),
        Part::Pattern(pattern) => {
            for name in names_in(own)?.iter().filter(|name| pattern.matches(&name.to_string_lossy())) {
                add_matches(&directory.join(name), rest, files)?;
            }
            Ok(())
        }
        Part::AnyDepth => {
            add_matches(directory, rest, files)?;
            for name in names_in(own)? {
                let path = directory.join(name);
                // Links to directories are not followed: they can form circles.
                if path.is_dir() && !path.is_symlink() {
                    add_matches(&path, parts, files)?;
                }
            }
            Ok(())
        }
    }
}

fn names_in(directory: &Path) -> Result<Vec<OsString>> {
    let failed = |error: std::io::Error| Failure::new(format!("{}: cannot read the directory: {error}", directory.display()));
    fs::read_dir(directory).map_err(failed)?.map(|entry| Ok(entry.map_err(failed)?.file_name())).collect()
}

fn add_directory(directory: &Path, files: &mut Vec<String>) -> Result<()> {
    let mut paths: Vec<PathBuf> = names_in(directory)?.iter().map(|name| directory.join(name)).collect();
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
