//! `npy tail`: the last rows of an array, and those that a writer appends.

use std::ffi::OsString;
use std::fs;
use std::ops::Range;
use std::time::Duration;

use npy_core::{FileFormat, Header, Order};

use super::{print, stream};
use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats::json::write::Layout;
use crate::input::source::expect_same;
use crate::input::{Input, row_bytes, rows_of};
use crate::output::{self, Screen};
use crate::select::Selection;
use crate::signals;
use crate::values::quantity;

/// The interval at which the count of rows is read.
const PAUSE: Duration = Duration::from_millis(200);

/// Readings in a row that fail before it is said: a writer may be about to replace the file.
const PATIENCE: usize = 5;

/// Print the last rows of an array, and follow a file that grows.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy tail log.npy                         the last ten rows, as npy show prints them
  npy tail -n 100 run.npz:time             the last hundred of a member
  npy tail log.npy --csv -n 3              for another program

  npy tail -f log.npy                      and all that a writer appends, until Ctrl-C
  npy tail -f log.npy --json | jq .x       a row in each line

-f prints the rows that the header counts, which a writer changes when they are complete. The rows of one change are printed as \
one array; of more than 1,000 values only the first and the last, unless --csv or --json writes them. A file that is replaced, \
truncated or removed is named on standard error, and rows of the new one are printed from its first.

Exit codes: 0 success, 2 the file cannot be read, 130 interrupted.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    shown: Rows,

    /// Wait for rows that are appended to an .npy file
    #[arg(short, long)]
    follow: bool,
}

/// Rows of an array, and how they are printed.
#[derive(Debug, clap::Args)]
pub(super) struct Rows {
    /// A file, a member (FILE:MEMBER), or - for standard input
    #[arg(value_name = "FILE")]
    file: OsString,

    /// Show N rows
    #[arg(short = 'n', long = "rows", value_name = "N", default_value = "10", hide_default_value = true)]
    pub(super) count: usize,

    /// Write JSON: a line for each row
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Write CSV: a line for each row, for records after a line of their names
    #[arg(long)]
    csv: bool,
}

impl Rows {
    /// The arguments of `npy show`, but for the end of the array.
    pub(super) fn arguments(&self) -> super::Arguments {
        super::Arguments {
            file: self.file.clone(),
            json: self.json,
            csv: self.csv,
            has_json_lines: true,
            ..super::Arguments::default()
        }
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let count = arguments.shown.count;
    let shown = super::Arguments { tail: Some(count), ..arguments.shown.arguments() };
    if arguments.follow { follow(&shown, count, screen) } else { super::run(&shown, screen) }
}

/// Prints the last rows of a file, and then those that are appended. It ends by a failure, or by a signal.
fn follow(arguments: &super::Arguments, last: usize, screen: &mut Screen) -> Result<u8> {
    let name = escape::path(&arguments.file);
    let mut growing = Growing::open(arguments)?;
    let mut from = growing.rows.saturating_sub(last);
    let (mut is_first, mut failed) = (true, 0);
    loop {
        let mut is_shown = true;
        // Without rows, a table has its names at least.
        if from < growing.rows || is_first && arguments.csv {
            match growing.show(from..growing.rows, is_first, arguments, screen) {
                Ok(()) => failed = 0,
                Err(failure @ (Failure::BrokenPipe | Failure::Interrupted)) => return Err(failure),
                // It was replaced or truncated meanwhile: the next reading says how.
                Err(failure) => {
                    failed += 1;
                    if failed == PATIENCE {
                        output::warn(&format!("{failure}; waiting for it"));
                    }
                    (growing.rows, is_shown) = (from, false);
                }
            }
        }
        let next = growing.next(arguments, screen)?;
        let is_other = !next.continues(&growing);
        if is_other {
            output::warn(&format!("{name}: the file was replaced: its rows follow from the first"));
        } else if next.rows < growing.rows {
            let [before, now] = [growing.rows, next.rows].map(|rows| rows as u64);
            let counts = format!("expected at least {}, found {}", quantity::counted(before, "row"), quantity::count(now));
            output::warn(&format!("{name}: the file was truncated: {counts}; they follow from the first"));
        }
        from = if is_other || next.rows < growing.rows { 0 } else { growing.rows };
        (growing, is_first) = (next, is_other || is_first && !is_shown);
    }
}

/// A file that grows, as it is now.
struct Growing {
    input: Input,
    /// The device and the number of the file, where the system has them.
    identity: Option<(u64, u64)>,
    header: Header,
    /// The complete rows that the header counts.
    rows: usize,
}

impl Growing {
    fn open(arguments: &super::Arguments) -> Result<Self> {
        let name = escape::path(&arguments.file);
        let refused = |problem: &str| Failure::new(format!("{name}: cannot follow the array: {problem}"));
        let mut input = Input::open(&arguments.file)?;
        let Some(path) = input.path().filter(|_| input.format() == FileFormat::Npy && !input.is_spooled()) else {
            return Err(refused("expected an .npy file on disk"));
        };
        let identity = fs::metadata(path).ok().as_ref().and_then(identity);
        let available = input.available(0)?.unwrap_or_default();
        let (header, begin) = input.with_member(0, |array| Ok((array.header().clone(), array.data_offset())))?;
        if header.dtype().has_object() {
            return Err(refused("expected numbers, text or records, found Python objects"));
        }
        if header.order() == Order::Fortran && header.shape().len() > 1 {
            return Err(refused("expected C order, found Fortran order, where no row is complete before the last"));
        }
        if header.shape().is_empty() {
            return Err(refused("expected an array with rows, found a single element"));
        }
        let complete = available.saturating_sub(begin).checked_div(row_bytes(&header) as u64).unwrap_or(u64::MAX);
        let rows = usize::try_from(complete).unwrap_or(usize::MAX).min(rows_of(&header));
        Ok(Self { input, identity, header, rows })
    }

    /// Waits until the file has other rows.
    fn next(&self, arguments: &super::Arguments, screen: &mut Screen) -> Result<Self> {
        let mut failed = 0;
        loop {
            screen.wait(PAUSE)?;
            signals::check()?;
            match Self::open(arguments) {
                Ok(next) if next.rows == self.rows && next.continues(self) => failed = 0,
                Ok(next) => return Ok(next),
                Err(failure) => {
                    failed += 1;
                    if failed == PATIENCE {
                        let is_gone = self.input.path().is_some_and(|path| !path.exists());
                        let removed = || Failure::new(format!("{}: the file was removed", self.input.name()));
                        output::warn(&format!("{}; waiting for it", if is_gone { removed() } else { failure }));
                    }
                }
            }
        }
    }

    /// Whether it is the same file, with rows of the same kind.
    fn continues(&self, before: &Self) -> bool {
        let rows = |header: &Header| (header.dtype().clone(), header.shape().get(1..).map(<[usize]>::to_vec));
        self.identity == before.identity && rows(&self.header) == rows(&before.header)
    }

    /// Prints some rows.
    fn show(&mut self, rows: Range<usize>, has_names: bool, arguments: &super::Arguments, screen: &mut Screen) -> Result<()> {
        let header = self.header.clone();
        self.input.with_member(0, |mut array| {
            expect_same(&header, array.header())?;
            let selection = Selection::new(&header).part(0, rows);
            if arguments.json {
                stream::json(&selection, &mut *array, Layout::Lines, screen)
            } else if arguments.csv {
                stream::csv(&selection, &mut *array, has_names, screen)
            } else {
                print::show(arguments, &selection, &mut *array, screen)
            }
        })
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have none")]
fn identity(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}
