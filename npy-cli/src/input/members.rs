//! The members of an archive that a user names, and their arrays.

#[cfg(feature = "plot")]
use std::ffi::{OsStr, OsString};

use npy_core::npz::{ArchiveFile, NpzReader};

use super::array::{Array, Once};
#[cfg(feature = "plot")]
use super::part::{is_on_disk, path_of};
use super::paths;
use crate::failure::{Failure, Result};
use crate::values::{nearest, quantity};

/// The array of a member. Only one that is stored can be read again.
pub(crate) fn array_of(archive: &mut NpzReader<ArchiveFile>, index: usize) -> Result<Box<dyn Array + '_>> {
    let is_stored = archive.method(index) == Some(0);
    let reader = archive.array(index).map_err(error_without_path)?;
    Ok(if is_stored { Box::new(reader) } else { Box::new(Once(reader)) })
}

/// The indices of the members that a text names: the one of this name, or those that match it as a pattern.
pub(crate) fn members_named(archive: &NpzReader<ArchiveFile>, text: &str) -> Result<Vec<usize>> {
    let error = match archive.find(text) {
        Ok(index) => return Ok(vec![index]),
        Err(error) => error_without_path(error),
    };
    let Some(pattern) = paths::pattern(text) else {
        let below = format!("{text}.");
        let hint = if archive.names().any(|name| name.starts_with(&below)) {
            format!("; {:?} stands for those below it", format!("{below}*"))
        } else {
            nearest::hint(text, archive.names())
        };
        return Err(Failure::from(error).with_advice(&hint));
    };
    let matches = |index: &usize| archive.name(*index).is_some_and(|name| pattern.matches(name));
    let found: Vec<usize> = (0..archive.len()).filter(matches).collect();
    if found.is_empty() { Err(Failure::Nameless(format!("no member matches {text:?}"))) } else { Ok(found) }
}

/// The index of the one member that a text names.
pub(crate) fn member_named(archive: &NpzReader<ArchiveFile>, text: &str) -> Result<usize> {
    match &members_named(archive, text)?[..] {
        [index] => Ok(*index),
        several => Err(Failure::Nameless(format!("expected one member, found {}", several.len()))),
    }
}

/// The argument for another member of the archive that an argument names, if there is one of this name.
#[cfg(feature = "plot")]
pub(crate) fn member_beside(text: &OsStr, name: &OsStr) -> Option<OsString> {
    let path = path_of(text);
    let archive = NpzReader::open(Some(path).filter(|path| is_on_disk(path))?).ok()?;
    archive.find(name.to_str()?).ok()?;
    Some([path, OsStr::new(":"), name].into_iter().collect())
}

/// The failure of a command that reads one array, where a file has several.
pub(crate) fn expected_one<'a>(file: &str, names: impl ExactSizeIterator<Item = &'a str>) -> Failure {
    let (count, mut names) = (names.len(), names.peekable());
    let first = names.peek().copied().unwrap_or_default();
    let names = quantity::listed(names);
    Failure::new(format!("{file}: expected one array, found {count}: {names}; select one, as in {file}:{first}"))
}

/// The error without its path, which may be of a temporary file: the argument of the user is added.
pub(super) fn error_without_path(error: npy_core::Error) -> npy_core::Error {
    match error.member().map(str::to_owned) {
        Some(member) => error.without_path().with_member(member),
        None => error.without_path(),
    }
}
