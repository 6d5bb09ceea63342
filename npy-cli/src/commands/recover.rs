//! `npy recover`: files and archives that a crash has left incomplete.

use std::cmp::Ordering;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use npy_core::{FileFormat, Header, Order};

use super::{batch, verify};
use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::{Input, text_transfer};
use crate::output::Screen;
use crate::signals;
use crate::values::quantity;

/// Restore a file that a crash has left incomplete.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy recover readings.npy              the header counts all whole rows again
  npy recover log.npz                   all whole members are listed again
  npy recover log.npz -o whole.npz      a copy is restored, and log.npz stays

An .npy file keeps its whole rows; bytes of an incomplete one are cut off. Bytes behind the rows that the header counts \
count as rows, unless another array begins there. An archive keeps its whole members, whose checksums are then checked. What is \
whole already is not changed.

Exit codes: 0 success, 2 trouble; the file is then untouched, unless members of an archive are named as damaged.")]
pub(crate) struct Arguments {
    /// An .npy or .npz file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Restore a copy
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let format = Input::open(&arguments.file)?.format();
    // A signal must not leave a part of a copy.
    let _guard = signals::Guard::new();
    let path = arguments.output.as_ref().unwrap_or(&arguments.file);
    let found = match &arguments.output {
        Some(output) => recover_copy(&arguments.file, output, format),
        None => recover(path, format),
    };
    let found = found.map_err(|failure| failure.about(&escape::path(path)))?;
    let damaged = if format == FileFormat::Npz { verify::damage(path) } else { Vec::new() };
    let count = match damaged.len() {
        0 => String::new(),
        count => format!("; {} damaged", quantity::counted(count as u64, "member")),
    };
    screen.report(&format!("{}: {found}{count}", escape::path(path)));
    batch::fail(screen, damaged)
}

/// Restores a copy, which appears when it is whole.
fn recover_copy(file: &Path, output: &Path, format: FileFormat) -> Result<String> {
    if output.symlink_metadata().is_ok() {
        return Err(Failure::Nameless("the file exists already".to_owned()));
    }
    let failed = |error: io::Error| Failure::Nameless(format!("cannot copy the file: {error}"));
    let directory = output.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let copy = tempfile::Builder::new().prefix(".npy-").tempfile_in(directory).map_err(failed)?;
    fs::copy(file, copy.path()).map_err(failed)?;
    signals::check()?;
    let found = recover(copy.path(), format)?;
    copy.persist_noclobber(output).map_err(|error| failed(error.error))?;
    Ok(found)
}

/// Restores the file, and returns a report.
fn recover(path: &Path, format: FileFormat) -> Result<String> {
    match format {
        FileFormat::Npy => recover_rows(path),
        FileFormat::Npz => {
            let found = npy_core::npz::recover(path).map_err(nameless)?;
            let members = quantity::counted(found.members, "member");
            Ok(match (found.added, found.dropped) {
                (0, 0) => format!("whole already, {members}"),
                (added, dropped) => {
                    let dropped = quantity::counted(dropped, "byte");
                    format!("{members}, {added} of them listed again; {dropped} after the last replaced")
                }
            })
        }
        _ => Err(Failure::Nameless("an .ra file cannot be recovered".to_owned())),
    }
}

fn recover_rows(path: &Path) -> Result<String> {
    if let Some(transfer) = text_transfer(path, 0) {
        return Err(Failure::Nameless(transfer.to_owned()));
    }
    let found = npy_core::append::recover(path).map_err(nameless)?;
    let header = File::open(path).map_err(npy_core::Error::from).and_then(Header::read).map_err(nameless)?;
    // In Fortran order the last axis grows.
    let row = if header.order() == Order::Fortran && header.shape().len() > 1 { "column" } else { "row" };
    let rows = quantity::counted(found.rows, row);
    let before = quantity::count(found.before);
    let mut parts = Vec::new();
    match found.rows.cmp(&found.before) {
        Ordering::Equal if found.cut == 0 => return Ok(format!("whole already, {rows}")),
        Ordering::Greater => parts.push(format!("the bytes behind the {before} count as {row}s")),
        _ => {}
    }
    if found.cut > 0 {
        parts.push(format!("{} of an incomplete {row} cut off", quantity::counted(found.cut, "byte")));
    }
    Ok(std::iter::once(format!("{rows}, {before} before")).chain(parts).collect::<Vec<_>>().join("; "))
}

/// The failure without the name of the file, which may be a copy.
fn nameless(error: npy_core::Error) -> Failure {
    Failure::from(error.without_path())
}
