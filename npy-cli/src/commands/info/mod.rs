//! `npy info`: what is in files.

mod about;
mod dtype;
mod json;
mod text;
mod tree;

use std::ffi::OsString;
use std::io::Write;

use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats;
use crate::input::paths::{self, Files};
use crate::output::table::Side;
use crate::output::{Screen, Style};
use crate::values::quantity;
use about::{About, Content};
pub(crate) use dtype::short_dtype;

/// Show what is in files: dtype, fields, shape, order, sizes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy info picks.npy             one array, its fields with their offsets
  npy info run.npz               a line for each member
  npy info run.npz:time          one member
  npy info data/ 'more/*.npy'    a line for each file of a directory, and of a pattern
  npy info ops.npy:reg           what is under a key of a dict in a pickle
  npy info log.npy#1             the second of several arrays, one behind another
  npy info --json picks.npy      one line of JSON for each file, for other programs

Mappable means that the bytes of the data are in the file as they are, so that np.load(..., mmap_mode='r') works \
for an .npy file. Trailing bytes follow the array, and NumPy ignores them. Of Python objects, the keys are listed: their paths select arrays, as in ops.npy:reg.yoff. A pickle of more than 256 MiB is not read for them.

Exit codes: 0 success, 2 a file or a member is damaged; the others are shown.")]
pub(crate) struct Arguments {
    /// Files, members (FILE:MEMBER), directories, patterns, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,

    /// Write one line of JSON for each file
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The file, if its properties are written as text and alone.
    pub(crate) fn only_file(&self) -> Option<&OsString> {
        match &self.files[..] {
            [file] if !self.json && paths::expand(&self.files).is_ok_and(|files| files.found == self.files) => Some(file),
            _ => None,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let Files { found: files, unread: unread_directories } = paths::expand(&arguments.files)?;
    let is_one = matches!((&arguments.files[..], &files[..]), ([given], [found]) if given == found);
    let (mut damaged, mut unread) = (unread_directories, unread_directories);
    let mut table = text::table(screen, "file", &[("", Side::Left)]);
    for file in &files {
        let about = match formats::open_any(file).and_then(About::of) {
            Ok(about) => about,
            Err(failure @ (Failure::BrokenPipe | Failure::Interrupted)) => return Err(failure),
            Err(failure) if is_one && !arguments.json => return Err(failure),
            Err(failure) => {
                unread += usize::from(matches!(failure, Failure::Unread(_)));
                About { file: escape::path(file).into_owned(), content: Content::Damaged(failure.to_string()), bytes: None }
            }
        };
        damaged += usize::from(about.is_damaged());
        if arguments.json {
            screen.json(&about.to_json())?;
        } else if is_one {
            about.write(screen)?;
        } else {
            about.write_rows(screen, &mut table);
        }
    }
    if !arguments.json && !is_one {
        table.write(screen, "")?;
        writeln!(screen, "{}", screen.paint(Style::Faint, &summary(files.len(), damaged - unread, unread)))?;
    }
    if damaged > 0 { Err(Failure::Reported) } else { Ok(0) }
}

fn summary(files: usize, damaged: usize, unread: usize) -> String {
    let bad = [(damaged, "with damage"), (unread, "unreadable")].into_iter().filter(|(count, _)| *count > 0);
    let parts = bad.map(|(count, what)| format!("{count} {what}"));
    std::iter::once(quantity::counted(files as u64, "file")).chain(parts).collect::<Vec<_>>().join(", ")
}
