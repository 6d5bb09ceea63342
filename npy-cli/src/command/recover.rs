//! `npy recover`: files and archives that a crash has left incomplete.

use std::fs;
use std::path::{Path, PathBuf};

use npy_core::FileFormat;

use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::{Input, text_transfer};
use crate::output::Screen;
use crate::{quantity, signals};

/// Restore a file that a crash has left incomplete.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy recover readings.npy              the header counts all whole rows again
  npy recover log.npz                   all whole members are listed again
  npy recover log.npz -o whole.npz      a copy is restored, and log.npz stays

An .npy file keeps its whole rows; bytes of an incomplete one are cut off. An archive keeps its whole members. What is \
whole already is not changed.

Exit codes: 0 success, 2 trouble; the file is then untouched.")]
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
    let path = match &arguments.output {
        None => &arguments.file,
        Some(output) if output.symlink_metadata().is_ok() => {
            return Err(Failure::new(format!("{}: the file exists already", escape::path(output))));
        }
        Some(output) => {
            if let Err(error) = fs::copy(&arguments.file, output) {
                let _ = fs::remove_file(output);
                return Err(Failure::new(format!("{}: cannot copy the file: {error}", escape::path(output))));
            }
            if signals::came() {
                let _ = fs::remove_file(output);
                return Err(Failure::Interrupted);
            }
            output
        }
    };
    let result = recover(path, format);
    if let (Err(_), Some(output)) = (&result, &arguments.output) {
        // A copy that is not restored is of no use.
        let _ = fs::remove_file(output);
    }
    screen.report(&format!("{}: {}", escape::path(path), result?));
    Ok(0)
}

/// Restores the file, and tells what was done.
fn recover(path: &Path, format: FileFormat) -> Result<String> {
    Ok(match format {
        FileFormat::Npy => {
            if let Some(transfer) = text_transfer(path, 0) {
                return Err(Failure::new(format!("{}: {transfer}", escape::path(path))));
            }
            let found = npy_core::append::recover(path)?;
            let rows = quantity::counted(found.rows, "row");
            match (found.rows.cmp(&found.before), found.cut) {
                (std::cmp::Ordering::Equal, 0) => format!("whole already, {rows}"),
                (_, 0) => format!("{rows}, {} before", quantity::count(found.before)),
                (_, cut) => {
                    let before = quantity::count(found.before);
                    format!("{rows}, {before} before; {} of an incomplete row cut off", quantity::counted(cut, "byte"))
                }
            }
        }
        FileFormat::Npz => {
            let found = npy_core::npz::recover(path)?;
            let members = quantity::counted(found.members, "member");
            match (found.added, found.dropped) {
                (0, 0) => format!("whole already, {members}"),
                (added, dropped) => {
                    let dropped = quantity::counted(dropped, "byte");
                    format!("{members}, {added} of them listed again; {dropped} after the last replaced")
                }
            }
        }
        _ => return Err(Failure::new(format!("{}: an .ra file cannot be recovered", escape::path(path)))),
    })
}
