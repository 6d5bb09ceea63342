//! `npy head`: the first rows of an array.

use super::tail::Rows;
use crate::failure::Result;
use crate::output::Screen;

/// Print the first rows of an array.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy head picks.npy                       the first ten rows, as npy show prints them
  npy head -n 3 run.npz:time --csv         three of a member, for another program

Only these rows are read.

Exit codes: 0 success, 2 the file cannot be read.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    shown: Rows,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    super::run(&super::Arguments { head: Some(arguments.shown.count), ..arguments.shown.arguments() }, screen)
}
