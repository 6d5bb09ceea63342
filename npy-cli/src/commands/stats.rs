//! `npy stats`: the distribution of the values of arrays.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "bits of values are hashed and compared, and sizes of pieces fit"
)]

mod distinct;
mod sample;
mod moments;
mod summary;
mod accumulator;
mod number;
mod totals;
mod column;
mod table;
mod texts;
mod scan;
mod objects;
mod report;
mod brief;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

use npy_core::{DType, Header};

use super::batch::{self, Batch};
use crate::failure::{Failure, Result};
use crate::filter;
use crate::formats;
use crate::input::paths::Files;
use crate::input::{Input, is_on_disk, object_options, path_of, standard_input};
use crate::output::Screen;
use crate::progress::Progress;
use crate::threads;
use crate::values::fields::Leaf;
use crate::values::quantity;
pub(super) use brief::columns;
use brief::{Brief, Sort};
use report::Report;
pub(super) use report::named;
use scan::{Plan, Settings};
use summary::{Summary, Value};

/// Show the distribution of values: range, mean, quantiles, NaN, distinct values, histogram.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy stats waves.npy                    one array
  npy stats run.npz:time                 one member
  npy stats run.npz                      every member
  npy stats ops.npy:Vcorr                an array in a dict of Python
  npy stats picks.npy --fields time,at   two fields, and all below them
  npy stats --brief run.npz --sort -std  one line for each member, the widest spread first
  npy stats picks.npy --where 'at.x > 3'  the rows for which this is true
  npy stats --json data/                 one line of JSON for each array

NaN (NaT of times) is counted, and left out of everything else but the distinct values. The standard deviation is \
that of the population, as np.std. Quantiles interpolate as np.quantile does. Long doubles are rounded to 64 bits \
first, so that those beyond their range are infinite. Complex numbers are ordered by their real part first, as in NumPy.

A ~ marks approximate figures. Quantiles and the histogram are exact up to 1,048,576 values (fewer in records of \
more than 16 fields). Beyond, they come from a sample of 524,288 values or more, one of each stretch of the file: \
the rank of a quantile is off by less than 0.5 % of the values. Distinct values are exact up to 16,384 (fewer in \
records of more than 64 fields); beyond, the standard error is 1.1 %. Arrays of one or two bytes an item are always \
exact. The same file always gives the same figures, whatever the number of threads. Of text of more than 65,536 bytes, \
min and max are the beginning, with … behind it.

--where keeps the rows for which an expression is true, and the figures are of these alone; npy show --help has the expressions. A \
member of an archive without their fields is an error, and the others are shown.

Checksums of stored members are not checked; npy verify checks them.

Python objects of one kind, such as text, numbers or dates, have the statistics of the dtype of their values, and \
None is counted beside them. Of others the types are counted.

Exit codes: 0 success, 2 an array cannot be read; the others are shown.")]
pub(crate) struct Arguments {
    /// Write one line of JSON for each array
    #[arg(long)]
    json: bool,

    /// Write one line for each array or field: range, mean, standard deviation, NaN and zeros
    #[arg(long, conflicts_with_all = ["json", "bins"])]
    brief: bool,

    /// Sort the lines of --brief by a column, such as mean; -mean for the greatest first
    #[arg(long, value_name = "COLUMN", requires = "brief", allow_hyphen_values = true, value_parser = brief::sort)]
    sort: Option<Sort>,

    #[command(flatten)]
    batch: Batch,

    /// Only these fields of records, such as time,at.x
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',')]
    fields: Vec<String>,

    #[command(flatten)]
    filter: filter::Argument,

    /// Bins of the histogram; those of integers and times have as many whole numbers each, and may be fewer
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = bins)]
    bins: usize,
}

fn bins(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(bins @ 1..=10_000) => Ok(bins),
        _ => Err("expected a number from 1 to 10000".to_owned()),
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let Files { found: files, unread } = arguments.batch.files()?;
    let settings = Settings {
        threads: arguments.batch.threads(),
        fields: arguments.fields.clone(),
        bins: arguments.bins,
        is_brief: arguments.brief,
    };
    let rows = arguments.filter.rows_by(settings.threads)?;
    expect_no_field(&files)?;
    let mut failures = Vec::new();
    let mut reports = Reports { arguments, are_members: files.len() == 1, count: 0, brief: Brief::default() };
    for file in &files {
        let opened = formats::input(file).and_then(|input| Ok((input.members()?, input)));
        let (members, mut input) = match opened {
            Ok(opened) => opened,
            Err(failure @ (Failure::BrokenPipe | Failure::Interrupted)) => return Err(failure),
            Err(failure) => {
                failures.push(failure);
                continue;
            }
        };
        input.tell_of_further();
        input.keep(rows.as_ref());
        for (index, member) in members {
            match statistics(&mut input, index, &settings) {
                Ok(found) => reports.add(input.name(), member.as_deref(), found, screen)?,
                Err(failure @ (Failure::BrokenPipe | Failure::Interrupted)) => return Err(failure),
                Err(failure) => failures.push(failure),
            }
        }
    }
    if arguments.brief {
        reports.brief.write(arguments.sort, screen)?;
    }
    match batch::fail(screen, failures) {
        Ok(0) if unread > 0 => Err(Failure::Reported),
        result => result,
    }
}

/// Fails, before anything is printed, if a field of a file follows the file, as a slice does in other commands.
fn expect_no_field(files: &[OsString]) -> Result<()> {
    let is_missing =
        |text: &OsStr| standard_input(text).is_none() && !path_of(text).is_empty() && !Path::new(path_of(text)).exists();
    for pair in files.windows(2).filter(|pair| is_missing(&pair[1]) && is_on_disk(&pair[0])) {
        let (Some(field), Ok(mut input)) = (pair[1].to_str(), Input::open(&pair[0])) else { continue };
        let member = input.only_member().ok();
        let header = member.and_then(|member| input.header(member).ok());
        if header.is_some_and(|header| header.dtype().field(field).is_some()) {
            let message = format!("expected a file, found a field of {}; write --fields {field}", input.name());
            return Err(Failure::new(format!("{field}: {message}")));
        }
    }
    Ok(())
}

/// The statistics of the arrays that were read.
struct Reports<'a> {
    arguments: &'a Arguments,
    /// Whether members need not be told apart by their files.
    are_members: bool,
    count: usize,
    brief: Brief,
}

impl Reports<'_> {
    /// Reports the statistics of an array, at the end if each has a line.
    fn add(&mut self, file: &str, member: Option<&str>, found: Statistics, screen: &mut Screen) -> Result<()> {
        let (header, leaves) = found;
        if self.arguments.brief {
            let name = member.filter(|_| self.are_members).map_or_else(|| named(file, member), str::to_owned);
            self.brief.add(&name, &header, leaves);
            return Ok(());
        }
        let report = Report { file, member, header: &header, leaves: &leaves };
        if self.arguments.json {
            return screen.json(&report.to_json());
        }
        if self.count > 0 {
            writeln!(screen)?;
        }
        self.count += 1;
        report.write(screen)
    }
}

/// The least and the greatest value of a member, and how many are NaN. `None` for records, and where no value is either.
pub(crate) fn range(input: &mut Input, index: usize) -> Result<Option<String>> {
    let settings = Settings { threads: threads::of_machine(), fields: Vec::new(), bins: 1, is_brief: true };
    let (header, leaves) = statistics(input, index, &settings)?;
    let [(_, Summary { min: Some(min), max: Some(max), nan, .. })] = &leaves[..] else { return Ok(None) };
    if matches!(header.dtype(), DType::Record(_)) {
        return Ok(None);
    }
    let none = if matches!(min, Value::Time(..)) { "NaT" } else { "NaN" };
    let nan = nan.filter(|count| *count > 0).map(|count| format!(", {} {none}", quantity::count(count)));
    Ok(Some(format!("{} … {}{}", brief::figure(min), brief::figure(max), nan.unwrap_or_default())))
}

/// The header of an array, and the statistics of its leaves.
type Statistics = (Header, Vec<(Leaf, Summary)>);

/// The statistics of the leaves of a member, which is read once.
fn statistics(input: &mut Input, index: usize, settings: &Settings) -> Result<Statistics> {
    let name = input.name().to_owned();
    input.with_stored(index, |mut array, stored| {
        let header = array.header().clone();
        if header.dtype().has_object() {
            let leaves = objects::scan(&header, &array.into_objects(object_options())?, settings)?;
            return Ok((header, leaves));
        }
        let plan = Plan::new(&header, settings)?;
        let progress = Mutex::new(Progress::new(&name, header.data_bytes()));
        let leaves = match stored {
            Some(stored) => plan.read_stored(&stored, settings.threads, &progress)?,
            None => plan.read_stream(&mut *array, &progress)?,
        };
        Ok((header, leaves))
    })
}
