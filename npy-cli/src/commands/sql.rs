//! `npy sql`: queries by SQL, which the program `npy-sql` answers. Its engine is too heavy for every `npy`.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use crate::failure::{Failure, Result};

/// Query files by SQL.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy sql \"SELECT station, count(*) FROM picks WHERE magnitude > 2 GROUP BY station\" picks.npy
  npy sql \"SELECT * FROM 'data/2026-*.npy' LIMIT 5\"
  npy sql \"SELECT * FROM picks ORDER BY time\" picks.npy -o sorted.npy

The program npy-sql answers, from beside npy or on PATH: cargo install npy-datafusion --features sql --bin npy-sql. \
npy-sql --help lists its options and names of tables.

Exit codes: 0 success, 2 trouble, 130 interrupted.")]
pub(crate) struct Arguments {
    /// A query, files, and options of npy-sql
    #[arg(value_name = "QUERY FILE", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    // With no directory the system searches PATH.
    let program = beside().unwrap_or_else(|| PathBuf::from("npy-sql"));
    start(Command::new(program).args(&arguments.arguments)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::new(
            "cannot find npy-sql: expected it beside npy or on PATH; install it by \
             `cargo install npy-datafusion --features sql --bin npy-sql`",
        ),
        _ => Failure::new(format!("cannot start npy-sql: {error}")),
    })
}

/// The program beside this one.
fn beside() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.with_file_name(format!("npy-sql{EXE_SUFFIX}"));
    program.is_file().then_some(program)
}

/// Becomes the program, so that signals and the exit code are its own.
#[cfg(unix)]
fn start(command: &mut Command) -> io::Result<u8> {
    use std::os::unix::process::CommandExt as _;

    Err(command.exec())
}

#[cfg(not(unix))]
fn start(command: &mut Command) -> io::Result<u8> {
    let code = command.status()?.code();
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(2))
}
