//! The members of the new archive, and the copy of those of the old one as they are stored.

use std::io::Write;
use std::path::Path;

use npy_core::npz::{ArchiveFile, NpzReader, NpzWriter, WriteOptions};

use crate::escape;
use crate::failure::Result;
use crate::input::{beside_members, is_shadowed};
use crate::losses;
use crate::output;
use crate::signals::{self, Checked};

/// A member of the new archive, under its full name.
pub(super) struct Member<'a> {
    pub(super) name: String,
    pub(super) content: Content<'a>,
}

/// The content of a member.
pub(super) enum Content<'a> {
    /// That of the member of this index in the old archive, as it is stored.
    Old(usize),
    Array {
        is_compressed: bool,
        write: WriteArray<'a>,
    },
}

/// Writes an array, which may be read from the old archive.
pub(super) type WriteArray<'a> = Box<dyn FnOnce(&mut NpzReader<ArchiveFile>, &mut dyn Write) -> Result<()> + 'a>;

/// All members, of several of one name the last.
pub(super) fn all<'a>(archive: &NpzReader<ArchiveFile>) -> Vec<Member<'a>> {
    (0..archive.len()).filter(|index| !is_shadowed(archive, *index)).filter_map(|index| old(archive, index)).collect()
}

/// A member of the old archive, under its name.
pub(super) fn old<'a>(archive: &NpzReader<ArchiveFile>, index: usize) -> Option<Member<'a>> {
    Some(Member { name: archive.full_name(index)?.to_owned(), content: Content::Old(index) })
}

impl Member<'_> {
    /// The name by which NumPy knows the member.
    pub(super) fn key(&self) -> &str {
        self.name.strip_suffix(".npy").unwrap_or(&self.name)
    }

    /// Whether it is this one of the old archive.
    pub(super) fn is_old(&self, index: usize) -> bool {
        matches!(self.content, Content::Old(old) if old == index)
    }
}

/// Replaces an archive by one of these members.
pub(super) fn edit<'a>(
    path: &Path,
    is_lossy: bool,
    members: impl FnOnce(&NpzReader<ArchiveFile>) -> Result<Vec<Member<'a>>>,
) -> Result<u8> {
    let _guard = signals::Guard::new();
    let name = escape::path(path);
    let (mut writer, mut archive) = NpzWriter::edit(path, WriteOptions::new())?;
    let result = losses::report(&format!("{name}: editing"), &beside_members(&archive), is_lossy)
        .and_then(|()| members(&archive))
        .and_then(|members| copy(&mut archive, members, &mut writer));
    if let Err(failure) = result {
        writer.discard();
        return Err(failure.of_output(&name).about(&name));
    }
    writer.finish()?;
    Ok(0)
}

/// Adds members to the new archive.
pub(super) fn copy<W: Write>(
    archive: &mut NpzReader<ArchiveFile>,
    members: Vec<Member<'_>>,
    writer: &mut NpzWriter<W>,
) -> Result<()> {
    // Stored arrays that can be mapped stay so.
    let mut is_aligned = None;
    for member in &members {
        if let Content::Old(index) = member.content
            && archive.method(index) == Some(0)
        {
            is_aligned = Some(is_aligned.unwrap_or(true) && archive.data_range(index)?.start.is_multiple_of(64));
        }
    }
    writer.set_options(writer.options().aligned(is_aligned.unwrap_or(false)));
    let mut stored = NpzReader::new(Checked(archive.get_mut().clone()))?;
    for member in members {
        let key = member.key().to_owned();
        match member.content {
            Content::Old(index) => {
                let added = writer.add_member_of(&mut stored, index, &member.name);
                // A signal fails the copy.
                signals::check()?;
                added?;
            }
            Content::Array { is_compressed, write } => {
                writer.set_options(writer.options().compressed(is_compressed));
                output::add_array(writer, &key, |out| write(archive, out)).map_err(|failure| failure.about_member(&key))?;
            }
        }
    }
    Ok(())
}
