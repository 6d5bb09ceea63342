//! `npy rm` and `npy mv`: archives without a member, or with another name for it. The data of the others are copied as they are stored.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use npy_core::npz::{ArchiveFile, NpzReader, NpzWriter, WriteOptions};

use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::{beside_members, members_named};
use crate::losses;
use crate::signals;

/// Remove members from an archive.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy rm run.npz tmp              without one array
  npy rm ckpt.npz 'layers.0.*'    without those that match
  npy rm run.npz notes.txt        without a file that is no array

The archive is replaced atomically, and its other members are copied without being read: what is damaged or compressed by another \
method stays as it is. Their dates and permissions become those that NumPy writes; comments and bytes around the archive are refused \
without --lossy.

Exit codes: 0 success, 2 trouble; the archive is then untouched.")]
pub(crate) struct Rm {
    /// An .npz archive
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,

    /// Names or patterns
    #[arg(required = true, value_name = "MEMBER")]
    members: Vec<String>,

    /// Allow losses: of comments, bytes around an archive
    #[arg(long)]
    lossy: bool,
}

/// Rename a member of an archive.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy mv run.npz arr_0 time       a better name for the first array of np.savez

The archive is replaced atomically, and its members are copied without being read. Their dates and permissions become those that \
NumPy writes; comments and bytes around the archive are refused without --lossy.

Exit codes: 0 success, 2 trouble; the archive is then untouched.")]
pub(crate) struct Mv {
    /// An .npz archive
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,

    /// The name of a member
    #[arg(value_name = "OLD")]
    old: String,

    /// The name that it gets
    #[arg(value_name = "NEW")]
    new: String,

    /// Allow losses: of comments, bytes around an archive
    #[arg(long)]
    lossy: bool,
}

/// A member of the new archive: its index in the old one, and its full name.
type Kept = (usize, String);

pub(crate) fn rm(arguments: &Rm) -> Result<u8> {
    edit(&arguments.archive, arguments.lossy, |archive| {
        let mut removed = HashSet::new();
        for member in &arguments.members {
            removed.extend(members_named(archive, member)?);
        }
        Ok(named(archive).filter(|(index, _)| !removed.contains(index)).collect())
    })
}

pub(crate) fn mv(arguments: &Mv) -> Result<u8> {
    edit(&arguments.archive, arguments.lossy, |archive| {
        let old = match &members_named(archive, &arguments.old)?[..] {
            [index] => *index,
            several => return Err(Failure::Nameless(format!("expected one member, found {}", several.len()))),
        };
        // As it is spelled in the archive.
        let extension = archive.full_name(old).filter(|name| name.ends_with(".npy")).map_or("", |_| ".npy");
        let name = arguments.new.strip_suffix(extension).unwrap_or(&arguments.new);
        let new = format!("{name}{extension}");
        // NumPy tells members apart by their names without `.npy`.
        if named(archive).any(|(index, _)| index != old && archive.name(index) == Some(name)) {
            return Err(Failure::Nameless(format!("the archive has {name:?} already; remove it first, by `npy rm`")));
        }
        Ok(named(archive).map(|(index, name)| (index, if index == old { new.clone() } else { name })).collect())
    })
}

/// All members, of several of one name the last.
fn named(archive: &NpzReader<ArchiveFile>) -> impl Iterator<Item = Kept> {
    let kept = (0..archive.len()).filter(|index| !crate::input::is_shadowed(archive, *index));
    kept.filter_map(|index| Some((index, archive.full_name(index)?.to_owned())))
}

/// Replaces an archive by one of these members.
fn edit(path: &Path, is_lossy: bool, kept: impl FnOnce(&NpzReader<ArchiveFile>) -> Result<Vec<Kept>>) -> Result<u8> {
    let _guard = signals::Guard::new();
    let name = escape::path(path);
    let (mut writer, mut archive) = NpzWriter::edit(path, WriteOptions::new())?;
    let result = losses::report(&format!("{name}: editing"), &beside_members(&archive), is_lossy)
        .and_then(|()| kept(&archive))
        .and_then(|kept| copy(&mut archive, &kept, &mut writer));
    if let Err(failure) = result {
        writer.discard();
        return Err(failure.of_output(&name).about(&name));
    }
    writer.finish()?;
    Ok(0)
}

fn copy(archive: &mut NpzReader<ArchiveFile>, kept: &[Kept], writer: &mut NpzWriter<std::fs::File>) -> Result<()> {
    // Stored arrays that can be mapped stay so.
    let stored: Vec<usize> = kept.iter().map(|(index, _)| *index).filter(|index| archive.method(*index) == Some(0)).collect();
    let mut is_aligned = !stored.is_empty();
    for index in stored {
        is_aligned &= archive.data_range(index)?.start.is_multiple_of(64);
    }
    writer.set_options(writer.options().aligned(is_aligned));
    for (index, name) in kept {
        signals::check()?;
        writer.add_member_of(archive, *index, name)?;
    }
    Ok(())
}
