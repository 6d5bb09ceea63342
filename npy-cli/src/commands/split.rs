//! `npy split`: one array as numbered files.

use std::ffi::OsString;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use npy_core::object::ObjectArray;
use npy_core::{Header, Order};

use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::pieces;
use crate::input::{Array, Input, object_options, spooled};
use crate::objects;
use crate::output::{self, Content, Screen};
use crate::progress::Progress;
use crate::values::quantity;

/// Split an array into numbered files of some rows each.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy split steps.npy --rows 100000             steps-00000.npy, steps-00001.npy, ...
  npy split run.npz:x --rows 10 --prefix out/x  out/x-00000.npy, ...

Rows are those of the first axis. npy_core::shards::Shards reads the files as one array, and npy cat joins them.

Exit codes: 0 success, 2 trouble; files that were finished stay.")]
pub(crate) struct Arguments {
    /// A file, a member (FILE:MEMBER), or - for standard input
    #[arg(value_name = "FILE")]
    file: OsString,

    /// Rows in each file; the last one has the rest
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rows: u64,

    /// The beginning of the files' paths, whose directory is made; by default that of FILE without its extension
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<PathBuf>,
}

/// The most files; a short header can claim any number of rows without bytes.
const MOST_FILES: usize = 100_000;

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let mut input = Input::open(&arguments.file)?;
    let prefix = prefix_of(arguments, &input)?;
    if let Some(old) = old_shard(&prefix)? {
        let advice = "remove the old files, or choose another `--prefix`";
        return Err(Failure::new(format!("{}: the file exists already; {advice}", escape::path(&old))));
    }
    // Only the end of a stream shows whether anything follows the array.
    input = input.into_file()?;
    input.expect_nothing_else("split")?;
    let name = input.name().to_owned();
    let step = usize::try_from(arguments.rows).unwrap_or(usize::MAX);
    let files = input.with_array(|mut array| {
        let header = array.header().clone();
        let Some(&rows) = header.shape().first() else {
            return Err(Failure::Nameless("cannot split: expected at least 1 dimension, found 0".to_owned()));
        };
        let files = rows.div_ceil(step);
        if files > MOST_FILES {
            let message = format!("too many files: expected at most {MOST_FILES}, found {files}; raise --rows");
            return Err(Failure::Nameless(message));
        }
        if header.dtype().has_object() {
            let array = array.into_objects(object_options())?;
            if let Some(classes) = objects::unknown_classes(&array) {
                return Err(Failure::Nameless(format!("cannot split: expected objects of known classes, found {classes}")));
            }
            return write_parts(rows, step, &prefix, |rows, out| write_objects(&array, rows, out));
        }
        if files > 1 && !array.can_go_back() && pieces::is_transposed(&header, Order::C) {
            array = spooled(&mut *array)?;
        }
        let mut progress = Progress::new(&name, header.data_bytes());
        if let Some(directory) = prefix.parent() {
            let failed = |error| Failure::new(format!("{}: cannot create the directory: {error}", escape::path(directory)));
            std::fs::create_dir_all(directory).map_err(failed)?;
        }
        write_parts(rows, step, &prefix, |rows, out| write_rows(&mut *array, rows, &mut progress, out))
    })?;
    let count = quantity::counted(files, "file");
    let mut names = escape::path(&shard(&prefix, 0)).into_owned();
    if files > 1 {
        names = format!("{names} to {}", escape::path(&shard(&prefix, files - 1)));
    }
    screen.report(&format!("{count}: {names}"));
    Ok(0)
}

/// The beginning of the names of the files: by default the name of the input.
fn prefix_of(arguments: &Arguments, input: &Input) -> Result<PathBuf> {
    Ok(match (&arguments.prefix, input.path()) {
        (Some(prefix), _) => prefix.clone(),
        (None, Some(path)) if input.name() != "-" => match input.part() {
            Some(member) => {
                let mut prefix = path.with_extension("").into_os_string();
                prefix.push(format!("-{}", member.replace(['/', '\\'], "-")));
                prefix.into()
            }
            None => path.with_extension(""),
        },
        _ => return Err(Failure::new("-: standard input has no name; name the files by `--prefix`")),
    })
}

/// Writes a file for each `step` rows, and one for none. Returns how many.
fn write_parts(
    rows: usize,
    step: usize,
    prefix: &Path,
    mut write: impl FnMut(Range<usize>, &mut dyn Write) -> Result<()>,
) -> Result<u64> {
    let mut begin = 0;
    let mut number = 0;
    while begin < rows || number == 0 {
        let end = begin.saturating_add(step).min(rows);
        output::replace(&shard(prefix, number), Content::Binary, |out| write(begin..end, out))?;
        begin = end;
        number += 1;
    }
    Ok(number)
}

/// Writes the elements of some rows as an array.
fn write_rows(array: &mut dyn Array, rows: Range<usize>, progress: &mut Progress, out: &mut dyn Write) -> Result<()> {
    let header = array.header();
    let shape = [&[rows.len()], header.shape().get(1..).unwrap_or_default()].concat();
    out.write_all(&Header::new(header.dtype().clone(), Order::C, &shape)?.to_bytes())?;
    pieces::for_each_of_rows(array, Order::C, rows, &mut |values| {
        progress.add(values.bytes().len() as u64);
        Ok(out.write_all(values.bytes())?)
    })
}

/// Writes the objects of some rows anew: nothing is known of an unknown class but its name.
fn write_objects(array: &ObjectArray, rows: Range<usize>, out: &mut dyn Write) -> Result<()> {
    let inner = array.shape().get(1..).unwrap_or_default();
    let per_row = inner.iter().fold(1_usize, |count, length| count.saturating_mul(*length));
    let items = rows.start.saturating_mul(per_row)..rows.end.saturating_mul(per_row);
    let items = array.items().get(items).unwrap_or_default().to_vec();
    let shape = [&[rows.len()], inner].concat();
    Ok(ObjectArray::with_dtype(array.dtype().clone(), &shape, items, array.string_dtype().cloned())?.write(out)?)
}

/// The path of a file, as `npy_core::shards` names it.
fn shard(prefix: &Path, number: u64) -> PathBuf {
    let mut name = OsString::from(prefix);
    name.push(format!("-{number:05}.npy"));
    name.into()
}

/// An existing file that would count as one of the array.
fn old_shard(prefix: &Path) -> Result<Option<PathBuf>> {
    let directory = match prefix.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let failed = |error: std::io::Error| Failure::new(format!("{}: cannot read the directory: {error}", escape::path(directory)));
    let name = prefix.file_name().unwrap_or_default().as_encoded_bytes();
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let found = entry.file_name();
        let number = found.as_encoded_bytes().strip_prefix(name).and_then(|rest| rest.strip_prefix(b"-")?.strip_suffix(b".npy"));
        if number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit)) {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}
