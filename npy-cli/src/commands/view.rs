//! `npy view`: arrays on the whole terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use crate::colors::{ColorMap, Colors};
use crate::failure::{Failure, Result};
use crate::input::paths;
use crate::output::Screen;
use crate::view::{self, Look};

/// Browse arrays and records in the terminal.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy view picks.npy             records as a table, their fields as columns
  npy view run.npz               all arrays of an archive: Tab shows the next one
  npy view run.npz:time          one of them
  npy view a.npy b.npz data/     the arrays of files and of a directory
  npy view --heat loss.npy       numbers in colors, from the least to the greatest

Keys: arrows, hjkl, PgUp, PgDn, g and G move; : goes to an index; / searches the column; & keeps the rows for which an \
expression is true, as --where of npy show; s sorts; H shows a histogram; C colors the numbers of each field, or of the whole array; p draws a picture of \
an array or of a field that is an image, and arrows step through several images; ? lists all keys; q quits. The wheel scrolls, and \
a click selects a cell. Only what is on the screen is read, so that files of any size open at once. Compressed arrays are decompressed \
first: to memory, or to a temporary file if they exceed 256 MiB.

Exit codes: 0 success, 2 trouble, 130 interrupted.")]
pub(crate) struct Arguments {
    /// Files, members (FILE:MEMBER), directories, patterns, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,

    /// Color the cells of numbers; key C
    #[arg(long)]
    heat: bool,

    /// The colors of numbers and of pictures
    #[arg(long, value_enum, default_value = "viridis")]
    map: ColorMap,
}

pub(crate) fn run(arguments: &Arguments, screen: &Screen) -> Result<u8> {
    if !io::stdout().is_terminal() {
        return Err(Failure::new("cannot view: expected a terminal as standard output; npy show prints arrays"));
    }
    let colors = Colors::of_terminal(screen.has_color());
    let look = Look { colors, map: arguments.map, has_heat: arguments.heat && colors != Colors::None };
    view::view(paths::expand(&arguments.files)?.found, look)?;
    Ok(0)
}
