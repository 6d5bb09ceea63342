//! `npy convert`: arrays in other formats, dtypes and orders.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "arrow")]
mod arrow_import;
#[cfg(feature = "arrow")]
mod arrow_nulls;
mod cast;
mod csv_import;
mod csv_lines;
mod csv_survey;
mod decimal;
mod dialect;
mod dtypes;
mod format;
mod guess;
mod job;
mod json_fields;
mod json_fill;
mod json_import;
mod json_magnitude;
mod json_schema;
mod json_words;
mod long_double;
mod objects;
mod parse;
mod png;
mod safetensors;
mod source;
mod target;
mod time;
mod transcode;

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::Write;
use std::rc::Rc;

use clap::ValueEnum;
use npy_core::DType;
use npy_core::dtype::ByteOrder;
use npy_core::npz::WriteOptions;

use super::batch;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::losses;
use crate::output::Screen;
use crate::words::OrderName;
use dialect::CsvOptions;
use format::Format;
use job::Job;

/// Convert between .npy, .npz, .ra, CSV, JSON, safetensors, PNG, Parquet and Arrow.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy convert picks.npy picks.csv                   a line for each record
  npy convert table.csv table.npy                   types by the cells, names by the header
  npy convert --dtype \"[('t', '<M8[ns]'), ('x', '<f4')]\" table.csv table.npy
  npy convert a.npy b.npy out.npz                   members a and b
  npy convert --compress run.npz small.npz          deflate each member
  npy convert run.npz run/                          a file for each member
  npy convert --fields time,pose.x run.npz:picks - --to json
  npy convert model.safetensors model.npz           tensors as members
  npy convert --dtype u1 image.npy image.png        values from 0 to 255
  npy convert picks.npy picks.parquet               a column for each field

File extensions select the formats. The output replaces an existing file when it is complete.

Losses: a conversion that would change a value is refused without --lossy, and the loss is named. An integer of text stays \
that integer, a fraction is the nearest number of the dtype if that has its digits, up to 15 of them. Text formats do not \
keep the shape and the dtype: --dtype gives it back, as npy schema --python writes it.

CSV: a line for each row of the first axis, and a column for each field and for each element of further axes. Of an input the \
delimiter, decimal commas, comments after # and whether its first line has names are guessed; uncertain guesses are reported \
on standard error, with the option that overrides each. Dates are 2024-02-29 or 2024-02-29T12:30:00.5; others stay text, as \
do digits after a leading 0. More than 4 digits alone are no time but a year of M8[Y]. An empty cell is NaN, NaT or empty \
text; integers with empty cells become floats.

JSON: NaN is \"NaN\" and infinities are \"Infinity\"; bare words, as Python writes them, are read too.

Python objects that are text, bytes, numbers, dates or None are converted to the dtype of their values, or to --dtype from \
there; None, and NaN where no value is a number, is null in JSON, Parquet and Arrow, an empty cell in CSV, and NaN or NaT \
elsewhere. NumPy's formats keep their pickle. A member with other objects is left out with an error, and the others are \
converted.

Several arrays: from an .npy file with several arrays, .npz, a directory and safetensors keep all; other formats keep the \
first and need --lossy.

Parquet and Arrow keep the dtype as metadata; a null that is read needs --lossy, unless it is a time. The two need the \
feature arrow: cargo install --path npy-cli --features arrow.

Exit codes: 0 success, 2 trouble, 130 interrupted.")]
#[expect(clippy::struct_excessive_bools, reason = "flags of the command line")]
#[allow(clippy::doc_markdown, reason = "help texts are not Markdown")]
pub(crate) struct Arguments {
    /// Files, members (FILE:MEMBER), a directory of .npy files, or - for standard input; then the output, or -
    #[arg(required = true, value_name = "IN... OUT")]
    files: Vec<OsString>,

    /// The format of the inputs
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    from: Option<Format>,

    /// The format of the output
    #[arg(long, value_name = "FORMAT", value_enum)]
    to: Option<Format>,

    /// The dtype of the output, such as f4 or "[('t', '<M8[s]'), ('x', 'f8')]"; of CSV and JSON that of the input
    #[arg(long)]
    dtype: Option<DType>,

    /// The order of the elements
    #[arg(long)]
    order: Option<OrderName>,

    /// The byte order of the numbers
    #[arg(long)]
    endian: Option<Endian>,

    /// Place fields as NumPy does with align=True
    #[arg(long, conflicts_with = "packed")]
    align: bool,

    /// Place fields one after the other, without padding
    #[arg(long)]
    packed: bool,

    /// Compress the members of an archive; LEVEL is 0 to 9
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, require_equals = true, default_missing_value = "6", conflicts_with = "store",
        value_parser = clap::value_parser!(u32).range(0..=9))]
    compress: Option<u32>,

    /// Store the members of an archive as they are, the default
    #[arg(long)]
    store: bool,

    /// Convert only these fields of records, as in a,b.c
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    fields: Vec<String>,

    #[command(flatten)]
    csv: CsvOptions,

    /// Allow losses: of precision, range, text, titles, metadata
    #[arg(long)]
    lossy: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Endian {
    /// The least significant byte first
    Little,
    /// The most significant byte first
    Big,
}

impl From<Endian> for ByteOrder {
    fn from(endian: Endian) -> Self {
        match endian {
            Endian::Little => Self::Little,
            Endian::Big => Self::Big,
        }
    }
}

impl Arguments {
    fn write_options(&self) -> WriteOptions {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        match self.compress {
            Some(level) => WriteOptions::new().compressed(true).level(level).threads(threads),
            None => WriteOptions::new(),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let Some((out, inputs)) = arguments.files.split_last().filter(|(_, inputs)| !inputs.is_empty()) else {
        return Err(Failure::new("expected an input and an output, found one name; write to standard output with - and --to"));
    };
    let format = match arguments.to {
        Some(format) => format,
        None => Format::of_output(out)?,
    };
    format.expect_support().map_err(|failure| failure.about(&escape::path(out)))?;
    let is_text = |input: &OsString| matches!(arguments.from.or_else(|| Format::of_input(input)), Some(Format::Csv | Format::Tsv));
    if let Some(option) = arguments.csv.given().filter(|_| !inputs.iter().any(is_text)) {
        return Err(Failure::new(format!("{option} is for CSV and TSV inputs, found none; give their format with --from csv")));
    }
    let mut losses = Vec::new();
    let mut jobs = Vec::new();
    let mut failures = Vec::new();
    for input in inputs {
        for source in source::open(input, format, arguments)? {
            let source = Rc::new(RefCell::new(source));
            let count = source.borrow().items().len();
            for index in 0..count {
                let mut lost = Vec::new();
                let job = Job::new(&source, index, format, arguments, &mut lost);
                match job.and_then(|mut job| if count > 1 { job.check_objects().map(|()| job) } else { Ok(job) }) {
                    Ok(job) => {
                        jobs.push(job);
                        losses.extend(lost);
                    }
                    // Python objects that the format does not have keep no other member from it.
                    Err(failure) if count > 1 && format.holds_several() && has_objects(&source, index) => failures.push(failure),
                    Err(failure) => return Err(failure),
                }
            }
        }
    }
    if jobs.is_empty() && !failures.is_empty() {
        return batch::fail(screen, failures);
    }
    losses::report("the conversion", &losses, arguments.lossy)?;
    // What is written to standard output comes after what was printed before.
    screen.flush()?;
    target::write(&mut jobs, out, format, arguments)?;
    losses::tell_of_changed();
    batch::fail(screen, failures)
}

fn has_objects(source: &RefCell<Box<dyn source::Source>>, index: usize) -> bool {
    source.borrow().items().get(index).is_some_and(|item| item.header.dtype().has_object())
}
