//! `npy show`: arrays as text, as NumPy prints them, as a table, as JSON or as CSV.

pub(crate) mod head;
mod objects;
mod print;
mod stream;
mod table;
pub(crate) mod tail;

use std::ffi::OsString;
use std::io::Write as _;

use npy_core::print::PrintOptions;

use crate::failure::{Failure, Result};
use crate::filter::{self, Where};
use crate::formats;
use crate::formats::json::write::Layout;
use crate::input::{Array, Input, in_memory, object_options, spooled};
use crate::output::Screen;
use crate::select::{Chosen, Selection, Slice};

/// Print an array or a slice of it, as NumPy prints it.
#[derive(Debug, Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "options that are there or not")]
#[expect(clippy::doc_markdown, reason = "the comments are help for a terminal")]
#[command(after_help = "\
Slices are NumPy's, and of NumPy's formats only what is shown is read:
  [0, :, 10:20]  [-3:]  [::-2]  [..., 0]  ['t']  ['pose']['x'][::100]  [['a', 'b']]
The outer brackets may be missing, as in 0,:,10:20, and pose.x is short for ['pose']['x'].
A slice goes on into Python objects: keys of dicts, indices of lists, attributes, and the arrays in them; nothing of them is run.

--where keeps the rows for which an expression is true; the slice is one of these rows. Expressions are Python's:
  ok and pos.x > 3           fields by path; 1 < x <= 5; x in [1, 2]; x not in [1, 2]
  abs(x - y) / 2 >= 0.5      + - * / // %
  a[2] == 7                  one value of a sub-array, or of a row of an array of several axes
  value > 3                  the value itself of an array without fields; row is the number of the row
  isnan(x), isnat(t)         NaN equals nothing, as in NumPy; NaT neither equals nor differs from any time
  t >= '2024-02-29T12:30'    times of ISO 8601; spans of NumPy's units, such as '250 ms' or '1.5h'
  end - start > '5 s'        times less times, of which none overflows; abs(a - b) < '2 m' of minutes, M is months
  name == 'ab', name ~ '^a.*b$', startswith(name, 'a'), endswith(name, 'b'), contains(name, 'ab')
Integers are exact at any size, also against floats; an overflow of 128 bits and a division of integers by zero are errors. \
A number in the expression takes the type of the floats that it meets, as in NumPy: 0.1 is found in f4. A name that is also \
a keyword, or has other characters, is written ['in'].

Examples:
  npy show picks.npy                       what print(np.load('picks.npy')) prints
  npy show picks.npy '[-3:]'               the last three rows
  npy show run.npz:picks 'pose.x[::100]'   every 100th value of a field
  npy show --table --head 20 picks.npy     the first records in columns
  npy show --csv picks.npy > picks.csv     all of it for a spreadsheet
  npy show --json picks.npy '[0]'          one record for another program
  npy show ops.npy 'reg.yoff[:10]'         an array in a dict of np.save('ops.npy', {...})
  npy show picks.npy --where 'latitude > 47 and at.x > 3' --head 20
  npy show picks.npy --where 'id in [3, 7]' --count

Exit codes: 0 success, 2 the file cannot be read, or the slice does not fit it.")]
pub(crate) struct Arguments {
    /// A file, a member (FILE:MEMBER), or - for standard input
    #[arg(value_name = "FILE")]
    file: OsString,

    /// What to show of the array
    #[arg(value_name = "SLICE", allow_hyphen_values = true)]
    slice: Option<String>,

    #[command(flatten)]
    filter: filter::Argument,

    /// Print the number of the rows that --where keeps
    #[arg(long, requires = "filter", conflicts_with_all = ["slice", "table", "json", "csv", "head", "tail", "all"])]
    count: bool,

    /// Show records as a table with aligned columns
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    table: bool,

    /// Write JSON: nested lists, records as objects
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Whether JSON has a line for each row
    #[arg(skip)]
    has_json_lines: bool,

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
    let filter = arguments.filter.parsed()?;
    let mut input = formats::input_of_one(&arguments.file)?;
    let member = input.only_member()?;
    input.tell_of_further();
    match filter {
        Some(filter) if arguments.count => {
            writeln!(screen, "{}", count(&filter, &mut input, member)?)?;
            return Ok(0);
        }
        Some(filter) => {
            let most = arguments.head.filter(|_| slice.keeps_rows()).map(|count| count as u64);
            input.keep(Some(&filter.first_rows(most)));
        }
        None => {}
    }
    input.with_member(member, |mut array| {
        let mut selection = None;
        if array.header().dtype().has_object() {
            let options = object_options().encoding(arguments.encoding.into());
            let (chosen, inside) = slice.inside(array.into_objects(options)?)?;
            let inside = arguments.rows_of(inside)?;
            match chosen {
                Chosen::Objects(objects) => return objects::show(arguments, &inside, &objects, screen),
                Chosen::Values(values) => array = Box::new(in_memory(&values)?),
            }
            selection = Some(inside);
        }
        let selection = selection.map_or_else(|| arguments.rows_of(slice.of(array.header())?), Ok)?;
        let order = array.header().order();
        if !array.can_go_back() && !selection.is_forward(order) && arguments.reads_in_c_order() {
            array = spooled(&mut *array)?;
        }
        if arguments.json {
            stream::json(&selection, &mut *array, arguments.layout(), screen)
        } else if arguments.csv {
            stream::csv(&selection, &mut *array, true, screen)
        } else if arguments.table {
            table::show(arguments, &selection, &mut *array, screen)
        } else {
            print::show(arguments, &selection, &mut *array, screen)
        }
    })?;
    Ok(0)
}

/// The number of rows of which an expression is true.
fn count(filter: &Where, input: &mut Input, member: usize) -> Result<u64> {
    input.with_stored(member, |mut array, stored| filter.of(array.header())?.count(&mut *array, stored.as_ref()))
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
            let rows = if self.head.is_some() { "first rows" } else { "last rows" };
            let message = format!("cannot show the {rows}: expected an array with rows, found a single element");
            return Err(Failure::Nameless(message));
        };
        let count = count.min(length);
        Ok(selection.part(0, if self.head.is_some() { 0..count } else { length - count..length }))
    }

    fn layout(&self) -> Layout {
        if self.has_json_lines { Layout::Lines } else { Layout::Whole }
    }

    /// Whether elements are read in C order. Printing reads them in the order of the file.
    fn reads_in_c_order(&self) -> bool {
        self.table || self.json || self.csv
    }
}
