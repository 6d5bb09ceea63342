//! `npy cat`: arrays one after another.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use npy_core::object::ObjectArray;
use npy_core::{DType, Header, Order};

use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats;
use crate::input::pieces;
use crate::input::{Input, object_options, standard_input};
use crate::objects;
use crate::output::{self, Content};
use crate::progress::Progress;
use crate::values::quantity;

/// Concatenate arrays along the first axis.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy cat day1.npy day2.npy -o week.npy     the rows of both, in C order
  npy cat run.npz:a run.npz:b | npy info -  members of archives, to standard output
  npy cat steps-*.npy -o steps.npy          what npy split has split

The arrays need the same dtype, and the same lengths of all axes but the first. Rows are copied in bounded memory. \
Files may be compressed by gzip or Zstandard; npy convert makes .npy files of other formats.

Exit codes: 0 success, 2 trouble; the output is then untouched.")]
pub(crate) struct Arguments {
    /// Files or members (FILE:MEMBER)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,

    /// The file to write; - is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let Some((dtype, shape)) = joined(arguments)? else { return Ok(0) };
    if dtype.has_object() {
        let array = joined_objects(&arguments.files, &shape)?;
        output::replace(&arguments.output, Content::Binary, |out| Ok(array.write(out)?))?;
        return Ok(0);
    }
    let header = Header::new(dtype, Order::C, &shape)?;
    output::replace(&arguments.output, Content::Binary, |out| {
        out.write_all(&header.to_bytes())?;
        let mut written = 0;
        let mut progress = Progress::new(&escape::path(&arguments.output), header.data_bytes());
        for file in &arguments.files {
            open(file)?.with_array(|mut array| {
                pieces::for_each(&mut *array, Order::C, &mut |values| {
                    written += values.bytes().len() as u64;
                    progress.add(values.bytes().len() as u64);
                    Ok(out.write_all(values.bytes())?)
                })
            })?;
        }
        if written != header.data_bytes() {
            return Err(Failure::new(format!(
                "a file changed: expected {}, found {}",
                quantity::counted(header.data_bytes(), "byte"),
                quantity::count(written)
            )));
        }
        Ok(())
    })?;
    Ok(0)
}

/// A file as one that can be read twice. Other formats than NumPy's have no dtype of their own, which all files share.
fn open(file: &OsStr) -> Result<Input> {
    formats::numpy(file)?.into_file()
}

/// The dtype and the shape of the rows of all files; an error if they do not fit together.
fn joined(arguments: &Arguments) -> Result<Option<(DType, Vec<usize>)>> {
    let mut rows = 0_usize;
    let mut first: Option<(DType, Vec<usize>)> = None;
    for file in &arguments.files {
        if standard_input(file).is_some() {
            return Err(Failure::new("-: cannot concatenate a stream: its length is needed before its rows; save it first"));
        }
        let name = escape::path(file);
        let mut input = open(file)?;
        input.expect_nothing_else("cat")?;
        if let Some(lost) = input.replaced_parts(&arguments.output) {
            let message = format!("the output would replace the file, and lose {lost}; name another output");
            return Err(Failure::new(format!("{name}: {message}")));
        }
        let (dtype, shape, count) = input.with_array(|array| {
            let header = array.header();
            Ok((header.dtype().clone(), header.shape().to_vec(), header.shape().first().copied().unwrap_or(1)))
        })?;
        let Some((_, inner)) = shape.split_first() else {
            return Err(Failure::new(format!("{name}: cannot concatenate: expected at least 1 dimension, found 0")));
        };
        let (expected, axes) = first.get_or_insert_with(|| (dtype.clone(), inner.to_vec()));
        if dtype != *expected {
            let hint = "`npy convert --dtype` casts numbers, `--endian` swaps bytes";
            return Err(Failure::new(format!("{name}: cannot concatenate: expected dtype {expected}, found {dtype}; {hint}")));
        }
        if inner != axes {
            let message = format!("cannot concatenate: expected rows of shape {axes:?}, found {inner:?}");
            return Err(Failure::new(format!("{name}: {message}")));
        }
        rows = rows.checked_add(count).ok_or_else(|| Failure::new("too many rows for one array"))?;
    }
    Ok(first.map(|(dtype, inner)| (dtype, [&[rows], &inner[..]].concat())))
}

/// The Python objects of all files, which are written anew: nothing is known of an unknown class but its name.
fn joined_objects(files: &[OsString], shape: &[usize]) -> Result<ObjectArray> {
    let mut items = Vec::new();
    let mut first: Option<ObjectArray> = None;
    for file in files {
        let name = escape::path(file);
        let array = open(file)?.with_array(|array| Ok(array.into_objects(object_options())?))?;
        if let Some(classes) = objects::unknown_classes(&array) {
            return Err(Failure::new(format!("{name}: cannot concatenate: expected objects of known classes, found {classes}")));
        }
        items.extend_from_slice(array.items());
        let first = first.get_or_insert_with(|| array.clone());
        if first.string_dtype() != array.string_dtype() {
            return Err(Failure::new(format!("{name}: cannot concatenate: expected the same StringDType, found another dtype")));
        }
    }
    let (dtype, text) = first.map(|array| (array.dtype().clone(), array.string_dtype().cloned())).unzip();
    let dtype = dtype.ok_or_else(|| Failure::new("expected an array, found none"))?;
    Ok(ObjectArray::with_dtype(dtype, shape, items, text.flatten())?)
}
