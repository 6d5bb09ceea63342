//! Directories and patterns as lists of files.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use glob::Pattern;

use crate::escape;
use crate::failure::{Failure, Result};
use crate::output;
use crate::values::nearest;

/// Files, and how many directories and names among them the system does not let be read.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) found: Vec<OsString>,
    pub(crate) unread: usize,
}

/// Unreadable paths: each is named once, on standard error.
#[derive(Default)]
struct Unread(BTreeSet<PathBuf>);

impl Unread {
    fn add(&mut self, path: &Path, what: &str, error: &io::Error) {
        if self.0.insert(path.to_owned()) {
            output::warn(&format!("{}: cannot {what}: {error}", escape::path(path)));
        }
    }
}

/// Replaces directories by the array files in them, at every depth, and patterns by the files that match. What cannot be read is
/// named on standard error.
pub(crate) fn expand(given: &[OsString]) -> Result<Files> {
    let mut files = Vec::new();
    let mut unread = Unread::default();
    for text in given {
        let path = Path::new(text);
        let found = if path.is_dir() {
            let (mut found, before) = (Vec::new(), unread.0.len());
            add_directory(path, &mut found, &mut unread);
            if found.is_empty() && unread.0.len() == before {
                return Err(Failure::new(format!("{}: the directory has no .npy, .npz or .ra files", escape::path(text))));
            }
            found
        } else {
            matches_or_itself(text, &mut unread)?
        };
        files.extend(found.into_iter().map(PathBuf::into_os_string));
    }
    let unread = unread.0.len();
    if files.is_empty() && unread > 0 { Err(Failure::Reported) } else { Ok(Files { found: files, unread }) }
}

/// The files that match a pattern, each with the member behind the pattern, as in `run*.npz:loss`. Of another text the text itself.
pub(super) fn expand_pattern(text: &OsStr) -> Result<Vec<OsString>> {
    let mut unread = Unread::default();
    let found = matches_or_itself(text, &mut unread)?;
    if unread.0.is_empty() { Ok(found.into_iter().map(PathBuf::into_os_string).collect()) } else { Err(Failure::Reported) }
}

fn matches_or_itself(text: &OsStr, unread: &mut Unread) -> Result<Vec<PathBuf>> {
    let is_there = Path::new(text).exists() || halves(text, b':').any(|(path, _)| Path::new(path).is_file());
    let (pattern, member) = halves(text, b':').next().map_or((text, None), |(path, member)| (path, Some(member)));
    if is_there || !is_pattern(pattern) {
        return Ok(vec![text.into()]);
    }
    let before = unread.0.len();
    let mut found = matches(pattern, unread)?;
    if found.is_empty() && unread.0.len() == before {
        let hint = if pattern.as_encoded_bytes().starts_with(b"[") { "; slices are for npy show, view and plot" } else { "" };
        return Err(Failure::new(format!("{}: no file matches the pattern{hint}", escape::path(pattern))));
    }
    if let Some(member) = member {
        for path in &mut found {
            path.as_mut_os_string().push(":");
            path.as_mut_os_string().push(member);
        }
    }
    Ok(found)
}

/// The paths of the `.npy` files in a directory and those below it, sorted. What cannot be read is named on standard error, and is an
/// error.
pub(crate) fn npy_files(directory: &Path) -> Result<Vec<OsString>> {
    let (mut files, mut unread) = (Vec::new(), Unread::default());
    add_directory(directory, &mut files, &mut unread);
    if !unread.0.is_empty() {
        return Err(Failure::Reported);
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy")));
    if files.is_empty() {
        return Err(Failure::new(format!("{}: expected .npy files, found none", escape::path(directory))));
    }
    files.sort();
    Ok(files.into_iter().map(PathBuf::into_os_string).collect())
}

/// The halves of a text at each of these ASCII characters, without it.
pub(super) fn halves(text: &OsStr, separator: u8) -> impl Iterator<Item = (&OsStr, &OsStr)> {
    #[cfg(unix)]
    use std::os::unix::ffi::OsStrExt as _;
    #[cfg(unix)]
    let (bytes, part) = (text.as_bytes(), OsStr::from_bytes);
    // Elsewhere a text that is not Unicode has no halves.
    #[cfg(not(unix))]
    let (bytes, part) =
        (text.to_str().unwrap_or_default().as_bytes(), |bytes| OsStr::new(std::str::from_utf8(bytes).unwrap_or_default()));
    let places = (0..bytes.len()).filter(move |&at| bytes[at] == separator);
    places.map(move |at| (part(&bytes[..at]), part(&bytes[at + 1..])))
}

pub(crate) fn is_pattern(text: &OsStr) -> bool {
    text.as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte))
}

/// Advice for a path that is not there: the file of its directory with the nearest name.
pub(super) fn similar_file(path: &OsStr) -> String {
    if path.as_encoded_bytes().starts_with(b"[") {
        return "; a slice follows its file".to_owned();
    }
    let path = Path::new(path);
    let (Some(name), Some(parent)) = (path.file_name().and_then(OsStr::to_str), path.parent()) else { return String::new() };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    nearest::hint(name, names.iter().map(String::as_str))
}

/// The pattern that a text is, such as `layers.0.*`, of the names of members.
pub(super) fn pattern(text: &str) -> Option<Pattern> {
    if is_pattern(OsStr::new(text)) { Pattern::new(text).ok() } else { None }
}

/// A name as patterns are matched: bytes that are not UTF-8 are characters that no name has.
fn characters(name: &OsStr) -> Cow<'_, str> {
    if let Some(name) = name.to_str() {
        return Cow::Borrowed(name);
    }
    let chunks = name.as_encoded_bytes().utf8_chunks();
    let private = |byte: &u8| char::from_u32(0x10_ff00 + u32::from(*byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
    Cow::Owned(chunks.flat_map(|chunk| chunk.valid().chars().chain(chunk.invalid().iter().map(private))).collect())
}

/// The files that match a pattern, sorted.
fn matches(pattern: &OsStr, unread: &mut Unread) -> Result<Vec<PathBuf>> {
    let invalid = |error| Failure::new(format!("{}: invalid pattern: {error}", escape::path(pattern)));
    // The whole pattern first, for the position in the message.
    Pattern::new(&characters(pattern)).map_err(invalid)?;
    let parts = Path::new(pattern).components().map(|part| {
        let text = characters(part.as_os_str());
        Ok(match part {
            Component::Normal(_) if text == "**" => Part::AnyDepth,
            Component::Normal(name) if is_pattern(name) => Part::Pattern(Pattern::new(&text).map_err(invalid)?),
            part => Part::Name(part.as_os_str().to_owned()),
        })
    });
    let mut files = Vec::new();
    add_matches(Path::new(""), &parts.collect::<Result<Vec<_>>>()?, &mut files, unread);
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

fn add_matches(directory: &Path, parts: &[Part], files: &mut Vec<PathBuf>, unread: &mut Unread) {
    let Some((part, rest)) = parts.split_first() else {
        files.extend(directory.is_file().then(|| directory.to_owned()));
        return;
    };
    let own = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    match part {
        Part::Name(name) => add_matches(&directory.join(name), rest, files, unread),
        _ if !own.is_dir() => {}
        Part::Pattern(pattern) => {
            for name in names_in(own, unread).iter().filter(|name| pattern.matches(&characters(name))) {
                add_matches(&directory.join(name), rest, files, unread);
            }
        }
        Part::AnyDepth => {
            add_matches(directory, rest, files, unread);
            for name in names_in(own, unread) {
                let path = directory.join(name);
                // Links to directories are not followed: they can form circles.
                if path.is_dir() && !path.is_symlink() {
                    add_matches(&path, parts, files, unread);
                }
            }
        }
    }
}

/// The names in a directory, sorted.
fn names_in(directory: &Path, unread: &mut Unread) -> Vec<OsString> {
    let mut names = Vec::new();
    let read = fs::read_dir(directory).and_then(|entries| {
        for entry in entries {
            names.push(entry?.file_name());
        }
        Ok(())
    });
    if let Err(error) = read {
        unread.add(directory, "read the directory", &error);
    }
    names.sort();
    names
}

fn add_directory(directory: &Path, files: &mut Vec<PathBuf>, unread: &mut Unread) {
    for name in names_in(directory, unread) {
        let path = directory.join(name);
        match fs::metadata(&path) {
            // Links to directories are not followed: they can form circles.
            Ok(metadata) if metadata.is_dir() && !path.is_symlink() => add_directory(&path, files, unread),
            Ok(metadata) if metadata.is_file() && is_array_file(&path) => files.push(path),
            Err(error) if error.kind() != io::ErrorKind::NotFound => unread.add(&path, "open the file", &error),
            // A link without a target is no file.
            _ => {}
        }
    }
}

/// Whether a file is named as an array or an archive.
pub(crate) fn is_array_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["npy", "npz", "ra"].iter().any(|known| extension.eq_ignore_ascii_case(known)))
}
