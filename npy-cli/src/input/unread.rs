//! Parts of a file that are not read: further arrays, other members, comments, footers.

use std::fs::{self, File};
use std::io::Seek as _;
use std::path::Path;

use npy_core::FileFormat;
use npy_core::npz::{ArchiveFile, NpzReader};
use npy_core::rawarray::RaHeader;

use super::arrays;
use super::file::Input;
use crate::failure::{Failure, Result};
use crate::output;
use crate::values::quantity;

impl Input {
    /// Names the parts of the file beside its arrays, which no other format keeps.
    pub(crate) fn unread_parts(&self) -> Result<Vec<String>> {
        let mut parts = self.left_out().to_vec();
        match (self.format(), self.path()) {
            (FileFormat::Npz, _) if self.part().is_none() => {
                let archive = self.archive()?;
                let is_other = |index: &usize| !archive.is_array(*index) && !archive.is_of_macos(*index);
                let others: Vec<&str> = (0..archive.len()).filter(is_other).filter_map(|index| archive.full_name(index)).collect();
                parts.extend(one_or_count(&others, ", which is not an array", " that are not arrays"));
                parts.extend(beside_members(&archive));
                parts.extend(behind_members(archive));
            }
            (FileFormat::Npy, Some(_)) if self.part().is_none() => parts.extend(self.behind_arrays(1)),
            (FileFormat::RawArray, Some(path)) => {
                let mut file = File::open(path).map_err(Failure::cannot("open the file"))?;
                let header = RaHeader::read(&mut file).map_err(|error| Failure::from(error).about(self.name()))?;
                let length = file.metadata().map(|metadata| metadata.len()).unwrap_or_default();
                let begin = file.stream_position().unwrap_or_default();
                let metadata = length.saturating_sub(begin).saturating_sub(header.data_bytes());
                if metadata > 0 {
                    parts.push(format!("{} of metadata", quantity::counted(metadata, "byte")));
                }
            }
            _ => {}
        }
        Ok(parts)
    }

    /// Says on standard error which members are attributes of macOS, and not read.
    pub(crate) fn tell_of_attributes(&self) {
        let Ok(archive) = self.archive() else { return };
        let names: Vec<&str> =
            (0..archive.len()).filter(|index| archive.is_of_macos(*index)).filter_map(|index| archive.full_name(index)).collect();
        match names[..] {
            [] => {}
            [name] => output::warn(&format!("{}: skipped {name:?}, attributes of macOS", self.name())),
            [name, ..] => {
                output::warn(&format!(
                    "{}: skipped {} members with attributes of macOS, such as {name:?}",
                    self.name(),
                    names.len()
                ));
            }
        }
    }

    /// Fails if the file has more than the array, which `action` would lose.
    pub(crate) fn expect_nothing_else(&self, action: &str) -> Result<()> {
        let parts = self.unread_parts()?;
        if parts.is_empty() {
            return Ok(());
        }
        let name = self.name();
        let array = match self.format() {
            FileFormat::Npz => {
                let member = self.members()?.into_iter().find_map(|(_, name)| name).unwrap_or_default();
                format!("name the array, as in {name}:{member}")
            }
            FileFormat::Npy => format!("name the array, as in {name}#0"),
            _ => "convert the file to .npy first".to_owned(),
        };
        Err(Failure::new(format!("{name}: {action} would lose {}; {array}", parts.join("; "))))
    }

    /// Whether `output` replaces the file.
    pub(crate) fn is_replaced_by(&self, output: &Path) -> bool {
        self.path().is_some_and(|path| are_same(path, output))
    }

    /// Names the other arrays of the file, which it would lose if `output` replaced it.
    pub(crate) fn replaced_parts(&self, output: &Path) -> Option<String> {
        let whole = self.below.as_ref().and_then(|below| below.file.as_deref());
        if whole.is_some_and(|file| are_same(file, output)) {
            return Some("the rest of the file, which the output replaces".to_owned());
        }
        if self.part().is_none() || !self.is_replaced_by(output) {
            return None;
        }
        let has_others = match self.format() {
            FileFormat::Npz => self.archive().is_ok_and(|archive| archive.len() > 1),
            _ => !self.behind_arrays(1).is_empty(),
        };
        has_others.then(|| "the other arrays of the file, which the output replaces".to_owned())
    }

    /// Fails if `output` replaced the file, and other arrays of it were lost.
    pub(crate) fn expect_not_replaced(&self, output: &Path) -> Result<()> {
        let Some(lost) = self.replaced_parts(output) else { return Ok(()) };
        let message = format!("the output would replace the file, and lose {lost}; name another output");
        Err(Failure::new(format!("{}: {message}", self.name())))
    }

    /// The members of [`Input::members`] that NumPy finds: of several of one name the last.
    pub(crate) fn visible_members(&self) -> Result<Vec<(usize, Option<String>)>> {
        let mut members = self.members()?;
        if self.format() == FileFormat::Npz {
            let archive = self.archive()?;
            members.retain(|(index, _)| !is_shadowed(&archive, *index));
        }
        Ok(members)
    }

    /// Names the arrays and bytes behind the first `read` arrays of an `.npy` file.
    pub(crate) fn behind_arrays(&self, read: usize) -> Vec<String> {
        // Unreadable files are an error elsewhere.
        let (Some(path), Ok(arrays)) = (self.path(), self.arrays()) else { return Vec::new() };
        let mut parts = match arrays.len().saturating_sub(read) {
            0 => Vec::new(),
            1 => vec![format!("the array #{read} of the file")],
            _ => vec![format!("the arrays #{read} to #{} of the file", arrays.len() - 1)],
        };
        let length = fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
        let end = arrays.last().map_or(0, |last| last.range.end);
        if length > end {
            parts.push(format!("{} behind the array", quantity::counted(length - end, "byte")));
        }
        parts
    }
}

/// Whether two paths lead to one file that is there.
pub(crate) fn are_same(path: &Path, other: &Path) -> bool {
    let path = fs::canonicalize(path).ok();
    path.is_some() && path == fs::canonicalize(other).ok()
}

/// Names the arrays or bytes behind the array of a stream, by their first bytes.
pub(crate) fn behind_array_of_stream(rest: &[u8]) -> Option<String> {
    let is_array = rest.starts_with(arrays::MAGIC);
    (!rest.is_empty())
        .then(|| if is_array { "the arrays of the stream from #1 on" } else { "the bytes behind the array" }.to_owned())
}

/// Whether another member of the same name follows, which is the one that NumPy reads.
pub(crate) fn is_shadowed(archive: &NpzReader<ArchiveFile>, index: usize) -> bool {
    archive.full_name(index).and_then(|name| archive.index_of(name)) != Some(index)
}

/// Names one member and what it is, or the number of several, and the first of them.
fn one_or_count(names: &[&str], is: &str, are: &str) -> Option<String> {
    match names {
        [] => None,
        [name] => Some(format!("the member {name:?}{is}")),
        [first, ..] => Some(format!("{}{are}, such as {first:?}", quantity::counted(names.len() as u64, "member"))),
    }
}

/// Names the parts of an archive that an archive of its members would lack.
pub(crate) fn beside_members(archive: &NpzReader<ArchiveFile>) -> Vec<String> {
    let mut parts = Vec::new();
    let shadowed = (0..archive.len()).filter(|index| is_shadowed(archive, *index));
    let shadowed: Vec<&str> = shadowed.filter_map(|index| archive.full_name(index)).collect();
    parts.extend(one_or_count(&shadowed, " before another of the same name", " before others of the same name"));
    let around = archive.surroundings();
    if !around.comment.is_empty() {
        parts.push("the comment of the archive".to_owned());
    }
    if around.before > 0 {
        parts.push(format!("{} before the archive", quantity::counted(around.before, "byte")));
    }
    if around.after > 0 {
        parts.push(format!("{} after the archive", quantity::counted(around.after, "byte")));
    }
    let extended: Vec<&str> =
        (0..archive.len()).filter(|index| archive.has_extra(*index)).filter_map(|index| archive.full_name(index)).collect();
    match extended[..] {
        [] => {}
        [name] => parts.push(format!("the comment or extra fields of the member {name:?}")),
        [first, ..] => {
            parts.push(format!("the comments or extra fields of {} members, such as {first:?}", extended.len()));
        }
    }
    parts
}

/// Names the bytes behind the arrays of an archive, in their members.
fn behind_members(mut archive: NpzReader<ArchiveFile>) -> Vec<String> {
    let arrays: Vec<usize> = (0..archive.len()).filter(|index| archive.is_array(*index)).collect();
    let of_member = |index: usize| {
        let (name, size) = (archive.name(index)?.to_owned(), archive.size(index)?);
        // Unreadable files are an error elsewhere.
        let reader = archive.array(index).ok().filter(|reader| !reader.header().dtype().has_object())?;
        let bytes = size.saturating_sub(reader.data_offset() + reader.header().data_bytes());
        (bytes > 0).then(|| format!("{} behind the array {name:?}", quantity::counted(bytes, "byte")))
    };
    arrays.into_iter().filter_map(of_member).collect()
}
