//! `npy convert`: arrays in other formats, dtypes and orders.

pub(super) mod dtypes;
mod filtered;
mod job;
pub(super) mod transcode;

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::rc::Rc;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use npy_core::DType;
use npy_core::dtype::ByteOrder;

use super::batch;
use super::order::OrderName;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::filter;
use crate::formats::{self, FORMATS, Format, Outgoing, ReadOptions, WriteOptions, csv};
use crate::input::is_on_disk;
use crate::losses;
use crate::output::Screen;
use filtered::Filtered;
use job::{Job, SharedSource, Target};

/// Convert between .npy, .npz, .ra, CSV, JSON, safetensors, PNG, Parquet and Arrow.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy convert picks.npy picks.csv                   a line for each record
  npy convert table.csv table.npy                   types by the cells, names by the header
  npy convert --dtype \"[('t', '<M8[ns]'), ('x', '<f4')]\" table.csv table.npy
  npy convert a.npy b.npy out.npz                   members a and b
  npy convert --compress run.npz small.npz          deflate each member
  npy convert 'photo.npy:[:, ::2]' half.png         a slice; of a member, as in 'run.npz:x[10:]'
  npy convert picks.npy:at.x x.npy                  a field
  npy convert run.npz run/                          a file for each member
  npy convert --fields time,pose.x run.npz:picks - --to json
  npy convert picks.npy --where 'at.x > 3' some.npy  the rows for which this is true
  npy convert model.safetensors model.npz           tensors as members
  npy convert --dtype u1 image.npy image.png        values from 0 to 255
  npy convert picks.npy picks.parquet               a column for each field
  npy convert ops.npy:Vcorr vcorr.npy               an array in a dict of np.save('ops.npy', {...})
  npy convert ragged.npy: out.npz                   arrays in an array of objects as members 0, 1, …

File extensions select the formats, with .gz or .zst after that of an input. The output replaces an existing file when it is complete.

Losses: a conversion that would change a value is refused without --lossy, and the loss is named. With it, an integer out \
of range wraps around as in astype of NumPy, so that 300 as u1 is 44, and a float becomes the nearest integer of the dtype. An integer of text stays \
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
elsewhere. NumPy's formats keep their pickle. FILE:PATH leads into it too, as the slice of npy show does: a dict, a list of arrays and a \
sparse matrix of SciPy are archives then. A member with other objects is left out with an error, and the others are \
converted.

--where keeps the rows of each array for which an expression is true, before --fields: npy show --help has the expressions.

Several arrays: from an .npy file with several arrays, .npz, a directory and safetensors keep all; other formats keep the \
first and need --lossy.

Parquet and Arrow keep the dtype as metadata; a null that is read needs --lossy, unless it is a time. The two need the \
feature arrow: cargo install --path npy-cli --features arrow.

Exit codes: 0 success, 2 trouble, 130 interrupted.")]
#[expect(clippy::struct_excessive_bools, reason = "flags of the command line")]
#[allow(clippy::doc_markdown, reason = "help texts are not Markdown")]
pub(crate) struct Arguments {
    /// Files, members (FILE:MEMBER), slices and fields (FILE:[0], FILE:pos.x), a directory of .npy files, or - for standard input; then the output, or -
    #[arg(required = true, value_name = "IN... OUT")]
    files: Vec<OsString>,

    /// The format of the inputs
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), hide_possible_values = true)]
    from: Option<&'static dyn Format>,

    /// The format of the output
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    to: Option<&'static dyn Format>,

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
    filter: filter::Argument,

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

/// Options for CSV and TSV inputs.
#[derive(Debug, Default, clap::Args)]
#[allow(clippy::doc_markdown, reason = "help texts are not Markdown")]
struct CsvOptions {
    /// The delimiter of a CSV input, such as ";", tab or space, instead of a guess
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,

    /// Treat the first line of a CSV input as names
    #[arg(long, conflicts_with = "no_header")]
    header: bool,

    /// Treat the first line of a CSV input as data
    #[arg(long)]
    no_header: bool,

    /// Skip lines of a CSV input that begin with this character
    #[arg(long, value_name = "CHAR", value_parser = character)]
    comment: Option<u8>,

    /// The decimal point of a CSV input, "." or ",", instead of a guess
    #[arg(long, value_name = "CHAR", value_parser = [".", ","], hide_possible_values = true)]
    decimal: Option<String>,

    /// Words of a CSV input for what is missing, as in NA,-999
    #[arg(long, value_name = "WORDS", value_delimiter = ',', allow_hyphen_values = true)]
    na: Option<Vec<String>>,
}

impl CsvOptions {
    /// The first of the options that was given.
    fn given(&self) -> Option<&'static str> {
        [
            (self.delimiter.is_some(), "--delimiter"),
            (self.header, "--header"),
            (self.no_header, "--no-header"),
            (self.comment.is_some(), "--comment"),
            (self.decimal.is_some(), "--decimal"),
            (self.na.is_some(), "--na"),
        ]
        .into_iter()
        .find_map(|(is_given, name)| is_given.then_some(name))
    }

    fn plain(&self) -> csv::dialect::Options {
        csv::dialect::Options {
            delimiter: self.delimiter,
            has_header: if self.header || self.no_header { Some(self.header) } else { None },
            comment: self.comment,
            has_decimal_comma: self.decimal.as_deref().map(|sign| sign == ","),
            missing: self.na.clone(),
        }
    }
}

fn character(text: &str) -> std::result::Result<u8, String> {
    match text.as_bytes() {
        [byte @ (b'!' | b'#'..=b'~')] => Ok(*byte),
        _ => Err("expected one ASCII character".to_owned()),
    }
}

fn delimiter(text: &str) -> std::result::Result<u8, String> {
    match text {
        "tab" | "\\t" | "\t" => Ok(b'\t'),
        "space" | " " => Ok(b' '),
        _ => character(text).map_err(|_| "expected one ASCII character, tab or space".to_owned()),
    }
}

/// Parses the name of a format; the help lists those that this build has.
fn format_parser() -> impl TypedValueParser<Value = &'static dyn Format> {
    let names = FORMATS.iter().map(|format| {
        let (name, others) = format.names().split_first().unwrap_or((&"", &[]));
        PossibleValue::new(*name).aliases(others).help(format.about()).hide(format.missing_feature().is_some())
    });
    PossibleValuesParser::new(names).map(|name| formats::named(&name).unwrap_or(FORMATS[0]))
}

impl Arguments {
    fn read_options(&self, target: &Target, out: &OsStr) -> ReadOptions {
        ReadOptions {
            dtype: self.dtype.clone(),
            fields: self.fields.clone(),
            filtered: self.filter.names(),
            is_lossy: self.lossy,
            are_all_wanted: target.format.holds_several(),
            is_for_looking: false,
            output: Some(out.into()),
            csv: self.csv.plain(),
        }
    }

    fn target(&self, format: &'static dyn Format) -> Target {
        Target {
            format,
            dtype: self.dtype.clone(),
            fields: self.fields.clone(),
            order: self.order.map(Into::into),
            byte_order: self.endian.map(Into::into),
            is_aligned: if self.align || self.packed { Some(self.align) } else { None },
            is_lossy: self.lossy,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let Some((out, inputs)) = arguments.files.split_last().filter(|(_, inputs)| !inputs.is_empty()) else {
        return Err(Failure::new("expected an input and an output, found one name; write to standard output with - and --to"));
    };
    let format = arguments.to.map_or_else(|| formats::of_output(out), Ok)?;
    formats::expect_support(format).map_err(|failure| failure.about(&escape::path(out)))?;
    let is_text =
        |input: &OsString| arguments.from.or_else(|| formats::of_extension(Path::new(input))).is_some_and(Format::has_dialect);
    if let Some(option) = arguments.csv.given().filter(|_| !inputs.iter().any(is_text)) {
        return Err(Failure::new(format!("{option} is for CSV and TSV inputs, found none; give their format with --from csv")));
    }
    for pair in inputs.windows(2) {
        let [file, slice] = [&pair[0], &pair[1]].map(|input| escape::path(input));
        if slice.starts_with('[') && !is_on_disk(&pair[1]) && is_on_disk(&pair[0]) {
            return Err(Failure::new(format!(
                "{slice}: expected a file, found a slice; write {file}:{slice} for a part of the array"
            )));
        }
    }
    let filter = arguments.filter.parsed()?;
    let target = arguments.target(format);
    let options = arguments.read_options(&target, out);
    let (mut jobs, mut losses, mut failures) = (Vec::<Box<dyn Outgoing>>::new(), Vec::new(), Vec::new());
    for input in inputs {
        for mut source in formats::open(input, arguments.from, &options)? {
            if let Some(filter) = &filter {
                source = Box::new(Filtered::new(&mut *source, filter)?);
            }
            let source = Rc::new(RefCell::new(source));
            let count = source.borrow().items().len();
            for index in 0..count {
                let mut lost = Vec::new();
                let job = Job::new(&source, index, &target, &mut lost);
                match job.and_then(|mut job| if count > 1 { job.check_objects().map(|()| job) } else { Ok(job) }) {
                    Ok(job) => {
                        jobs.push(Box::new(job));
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
    // Earlier output comes before the data on standard output.
    screen.flush()?;
    format.write(&mut jobs, Path::new(out), WriteOptions { is_lossy: arguments.lossy, compression: arguments.compress })?;
    losses::tell_of_changed();
    batch::fail(screen, failures)
}

fn has_objects(source: &SharedSource, index: usize) -> bool {
    source.borrow().items().get(index).is_some_and(|item| item.header.dtype().has_object())
}
