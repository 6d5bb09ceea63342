//! `npy split`: one array as numbered files.

use std::ffi::OsString;
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
    // What follows the array of a stream is known at its end.
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
            return split_objects(&array.into_objects(object_options())?, step, &prefix);
        }
        if files > 1 && !array.can_go_back() && pieces::is_transposed(&header, Order::C) {
            array = spooled(&mut *array)?;
        }
        let progress = Progress::new(&name, header.data_bytes());
        if let Some(directory) = prefix.parent() {
            let failed = |error| Failure::new(format!("{}: cannot create the directory: {error}", escape::path(directory)));
            std::fs::create_dir_all(directory).map_err(failed)?;
        }
        write_parts(&mut *array, &header, step, &prefix, progress)
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
fn write_parts(array: &mut dyn Array, header: &Header, step: usize, prefix: &Path, mut progress: Progress) -> Result<u64> {
    let (rows, inner) = header.shape().split_first().map_or((1, &[][..]), |(rows, inner)| (*rows, inner));
    let mut begin = 0;
    let mut number = 0;
    while begin < rows || number == 0 {
        let end = begin.saturating_add(step).min(rows);
        let part = Header::new(header.dtype().clone(), Order::C, &[&[end - begin], inner].concat())?;
        output::replace(&shard(prefix, number), Content::Binary, |out| {
            out.write_all(&part.to_bytes())?;
            pieces::for_each_of_rows(&mut *array, Order::C, begin..end, &mut |values| {
                progress.add(values.bytes().len() as u64);
                Ok(out.write_all(values.bytes())?)
            })
        })?;
        begin = end;
        number += 1;
    }
    Ok(number)
}

/// Writes the objects of each part anew: nothing is known of an unknown class but its name.
fn split_objects(array: &ObjectArray, step: usize, prefix: &Path) -> Result<u64> {
    if let Some(classes) = objects::unknown_classes(array) {
        return Err(Failure::Nameless(format!("cannot split: expected objects of known classes, found {classes}")));
    }
    let Some((&rows, inner)) = array.shape().split_first() else {
        return Err(Failure::Nameless("cannot split: expected at least 1 dimension, found 0".to_owned()));
    };
    let per_row = inner.iter().fold(1_usize, |count, length| count.saturating_mul(*length));
    let mut number = 0;
    let mut begin = 0;
    while begin < rows || number == 0 {
        let end = begin.saturating_add(step).min(rows);
        let items = array.items().get(begin.saturating_mul(per_row)..end.saturating_mul(per_row)).unwrap_or_default();
        let shape = [&[end - begin], inner].concat();
        let part = ObjectArray::with_dtype(array.dtype().clone(), &shape, items.to_vec(), array.string_dtype().cloned())?;
        output::replace(&shard(prefix, number), Content::Binary, |out| Ok(part.write(out)?))?;
        begin = end;
        number += 1;
    }
    Ok(number)
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
