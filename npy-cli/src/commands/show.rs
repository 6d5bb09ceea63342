//! `npy show`: arrays as text, as NumPy prints them, as a table, as JSON or as CSV.

mod objects;
mod print;
mod stream;
mod table;

use std::ffi::OsString;

use npy_core::print::PrintOptions;

use crate::failure::{Failure, Result};
use crate::formats;
use crate::input::{Array, object_options, spooled};
use crate::output::Screen;
use crate::select::{Selection, Slice};

/// Print an array or a slice of it, as NumPy prints it.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "options that are there or not")]
#[expect(clippy::doc_markdown, reason = "the comments are help for a terminal")]
#[command(after_help = "\
Slices are NumPy's, and of NumPy's formats only what is shown is read:
  [0, :, 10:20]  [-3:]  [::-2]  [..., 0]  ['t']  ['pose']['x'][::100]  [['a', 'b']]
The outer brackets may be missing, as in 0,:,10:20, and pose.x is short for ['pose']['x'].

Examples:
  npy show picks.npy                       what print(np.load('picks.npy')) prints
  npy show picks.npy '[-3:]'               the last three rows
  npy show run.npz:picks 'pose.x[::100]'   every 100th value of a field
  npy show --table --head 20 picks.npy     the first records in columns
  npy show --csv picks.npy > picks.csv     all of it for a spreadsheet
  npy show --json picks.npy '[0]'          one record for another program

Exit codes: 0 success, 2 the file cannot be read, or the slice does not fit it.")]
pub(crate) struct Arguments {
    /// A file, a member (FILE:MEMBER), or - for standard input
    #[arg(value_name = "FILE")]
    file: OsString,

    /// What to show of the array
    #[arg(value_name = "SLICE", allow_hyphen_values = true)]
    slice: Option<String>,

    /// Show records as a table with aligned columns
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    table: bool,

    /// Write JSON: nested lists, records as objects
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Write CSV: a line for each row, for records after a line of their names
    #[arg(long)]
    csv: bool,

    /// Show the first N rows
    #[arg(long, value_name = "N", conflicts_with = "tail")]
    head: Option<usize>,

    /// Show the last N rows
    #[arg(long, value_name = "N")]
    tail: Option<usize>,

    /// Show all elements, which takes memory; --json and --csv do not
    #[arg(long)]
    all: bool,

    /// At most N digits after the point; the default is 8
    #[arg(long, value_name = "N")]
    precision: Option<usize>,

    /// Show objects of unknown classes without a note; nothing of them is run
    #[arg(long)]
    opaque: bool,

    /// The encoding of Python 2's text in pickles: ascii, latin1 or bytes
    #[arg(long, value_enum, default_value_t, hide_default_value = true, hide_possible_values = true)]
    encoding: Encoding,

    /// Characters in a line; the default is the width of the terminal, or NumPy's 75
    #[arg(long, value_name = "N")]
    width: Option<usize>,
}

/// `encoding` of `np.load`.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Encoding {
    #[default]
    Ascii,
    Latin1,
    Bytes,
}

impl From<Encoding> for npy_core::object::Encoding {
    fn from(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Ascii => Self::Ascii,
            Encoding::Latin1 => Self::Latin1,
            Encoding::Bytes => Self::Bytes,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let slice = Slice::new(arguments.slice.as_deref().unwrap_or_default())?;
    let mut input = formats::input_of_one(&arguments.file)?;
    let member = input.only_member()?;
    input.tell_of_further();
    input.with_member(member, |mut array| {
        let selection = arguments.rows_of(slice.of(array.header())?)?;
        if array.header().dtype().has_object() {
            let options = object_options().encoding(arguments.encoding.into());
            return objects::show(arguments, &selection, &array.into_objects(options)?, screen);
        }
        let order = array.header().order();
        if !array.can_go_back() && !selection.is_forward(order) && arguments.reads_in_c_order() {
            array = spooled(&mut *array)?;
        }
        if arguments.json {
            stream::json(&selection, &mut *array, screen)
        } else if arguments.csv {
            stream::csv(&selection, &mut *array, screen)
        } else if arguments.table {
            table::show(arguments, &selection, &mut *array, screen)
        } else {
            print::show(arguments, &selection, &mut *array, screen)
        }
    })?;
    Ok(0)
}

/// An array as NumPy prints it in lines of this width, of which only the printed elements are read. `None` where elements are long.
pub(crate) fn whole_text(array: &mut dyn Array, width: usize) -> Result<Option<String>> {
    print::text(&Selection::new(array.header()), array, &PrintOptions::new().line_width(width))
}

impl Arguments {
    /// The rows that `--head` and `--tail` leave.
    fn rows_of(&self, selection: Selection) -> Result<Selection> {
        let Some(count) = self.head.or(self.tail) else { return Ok(selection) };
        let Some(length) = selection.shape().first().copied() else {
            let option = if self.head.is_some() { "--head" } else { "--tail" };
            return Err(Failure::Nameless(format!("{option} has no effect: expected an array with rows, found a single element")));
        };
        let count = count.min(length);
        Ok(selection.part(0, if self.head.is_some() { 0..count } else { length - count..length }))
    }

    /// Whether elements are read in C order. Printing reads them in the order of the file.
    fn reads_in_c_order(&self) -> bool {
        self.table || self.json || self.csv
    }
}
