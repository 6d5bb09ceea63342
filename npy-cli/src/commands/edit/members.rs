//! `npy rm` and `npy mv`: archives without a member, or with another name for it.

use std::collections::HashSet;
use std::path::PathBuf;

use super::archive::{all, edit};
use crate::failure::{Failure, Result};
use crate::input::{member_named, members_named};
use crate::values::names::expect_member_name;

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

pub(crate) fn rm(arguments: &Rm) -> Result<u8> {
    edit(&arguments.archive, arguments.lossy, |archive| {
        let mut removed = HashSet::new();
        for member in &arguments.members {
            removed.extend(members_named(archive, member)?);
        }
        let mut kept = all(archive);
        kept.retain(|member| !removed.iter().any(|index: &usize| member.is_old(*index)));
        Ok(kept)
    })
}

pub(crate) fn mv(arguments: &Mv) -> Result<u8> {
    edit(&arguments.archive, arguments.lossy, |archive| {
        let old = member_named(archive, &arguments.old)?;
        // As it is spelled in the archive.
        let extension = archive.full_name(old).filter(|name| name.ends_with(".npy")).map_or("", |_| ".npy");
        let name = arguments.new.strip_suffix(extension).unwrap_or(&arguments.new);
        if name.is_empty() {
            return Err(Failure::Nameless("expected a name for the member, found none".to_owned()));
        }
        expect_member_name(name)?;
        let new = format!("{name}{extension}");
        let mut members = all(archive);
        // NumPy tells members apart by their names without `.npy`.
        if members.iter().any(|member| !member.is_old(old) && member.key() == name) {
            return Err(Failure::Nameless(format!("the archive has {name:?} already; remove it first, by `npy rm`")));
        }
        members.iter_mut().filter(|member| member.is_old(old)).for_each(|member| member.name.clone_from(&new));
        Ok(members)
    })
}
