//! `npy cat` and `npy stack`: arrays one after another, along an axis or along a new one.

mod interleave;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use npy_core::object::ObjectArray;
use npy_core::{DType, Header, Order};

use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats;
use crate::input::pieces;
use crate::input::{Input, expand_patterns, object_options, standard_input};
use crate::objects;
use crate::output::{self, Content};
use crate::progress::Progress;
use crate::values::quantity;

/// Concatenate arrays along an axis.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy cat day1.npy day2.npy -o week.npy     the rows of both, in C order
  npy cat run.npz:a run.npz:b | npy info -  members of archives, to standard output
  npy cat a.npy b.npy --axis -1 -o ab.npy   columns next to each other
  npy cat steps-*.npy -o steps.npy          what npy split has split

The arrays need the same dtype, and the same lengths of all axes but this one. They are copied in bounded memory. \
Files may be compressed by gzip or Zstandard; npy convert makes .npy files of other formats.

Exit codes: 0 success, 2 trouble; the output is then untouched.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    joined: Joined,

    /// The axis, counted from 0, or from the last one by -1
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    axis: isize,
}

/// Stack arrays along a new axis.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy stack a.npy b.npy -o both.npy             two arrays of 3 elements become one of shape (2, 3)
  npy stack a.npy b.npy --axis -1 -o pairs.npy  and one of shape (3, 2)

The arrays need the same dtype and shape. The result is in C order; arrays are copied in bounded memory. \
Files may be compressed by gzip or Zstandard; npy convert makes .npy files of other formats.

Exit codes: 0 success, 2 trouble; the output is then untouched.")]
pub(crate) struct Stack {
    #[command(flatten)]
    joined: Joined,

    /// The new axis, counted from 0, or from the last one by -1
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    axis: isize,
}

/// The arrays, and the file of the result.
#[derive(Debug, clap::Args)]
struct Joined {
    /// Files or members (FILE:MEMBER)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,

    /// The file to write; - is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
}

/// The options of a join.
#[derive(Clone, Copy)]
struct How {
    axis: isize,
    /// Whether the axis is a new one.
    is_new: bool,
    /// The command and its verb, for messages.
    command: &'static str,
    action: &'static str,
}

/// What the arrays become.
struct Whole {
    dtype: DType,
    shape: Vec<usize>,
    /// The number of axes before that of the arrays.
    outer: usize,
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    join(&arguments.joined, How { axis: arguments.axis, is_new: false, command: "cat", action: "concatenate" })
}

pub(crate) fn stack(arguments: &Stack) -> Result<u8> {
    join(&arguments.joined, How { axis: arguments.axis, is_new: true, command: "stack", action: "stack" })
}

fn join(arguments: &Joined, how: How) -> Result<u8> {
    formats::expect_npy(&arguments.output)?;
    let arguments = &Joined { files: expand_patterns(&arguments.files)?, output: arguments.output.clone() };
    let Some(Whole { dtype, shape, outer }) = whole(arguments, how)? else { return Ok(0) };
    let (files, output) = (&arguments.files, &arguments.output);
    if dtype.has_object() {
        let array = joined_objects(files, &shape, outer, how)?;
        output::replace(output, Content::Binary, |out| Ok(array.write(out)?))?;
        return Ok(0);
    }
    let header = Header::new(dtype, Order::C, &shape)?;
    output::replace(output, Content::Binary, |out| {
        out.write_all(&header.to_bytes())?;
        let mut written = 0;
        let mut progress = Progress::new(&escape::path(output), header.data_bytes());
        let mut write = |bytes: &[u8]| {
            written += bytes.len() as u64;
            progress.add(bytes.len() as u64);
            Ok(out.write_all(bytes)?)
        };
        let lines = shape.get(..outer).unwrap_or_default();
        if lines.iter().all(|length| *length == 1) {
            for file in files {
                open(file)?.with_array(|mut array| pieces::for_each(&mut *array, Order::C, &mut |values| write(values.bytes())))?;
            }
        } else {
            interleave::write(files, lines, &mut write)?;
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

/// Why an array without axes has none to concatenate along.
const WITHOUT_AXES: &str = "expected at least 1 dimension, found 0";

/// The dtype and the shape of the result; an error if the arrays do not fit together.
fn whole(arguments: &Joined, how: How) -> Result<Option<Whole>> {
    let mut result: Option<Whole> = None;
    for file in &arguments.files {
        let name = escape::path(file);
        let cannot = |problem: &str| Failure::new(format!("{name}: cannot {}: {problem}", how.action));
        if standard_input(file).is_some() {
            let message = "-: cannot join a stream to others: its length is needed before its elements; save it first";
            return Err(Failure::new(message));
        }
        let mut input = open(file)?;
        input.expect_nothing_else(how.command)?;
        input.expect_not_replaced(&arguments.output)?;
        let header = input.with_array(|array| Ok(array.header().clone()))?;
        let Some(whole) = &mut result else {
            result = Some(first(&header, how).map_err(|problem| cannot(&problem))?);
            continue;
        };
        let (expected, found) = (&whole.dtype, header.dtype());
        if found != expected {
            let hint = "`npy convert --dtype` casts numbers, `--endian` swaps bytes";
            return Err(cannot(&format!("expected dtype {expected}, found {found}; {hint}")));
        }
        let mut others = whole.shape.clone();
        others.remove(whole.outer);
        let mut shape = header.shape().to_vec();
        if shape.is_empty() && !how.is_new {
            return Err(cannot(WITHOUT_AXES));
        }
        let length = if how.is_new || shape.len() <= whole.outer { 1 } else { shape.remove(whole.outer) };
        let axes = header.shape().len() + usize::from(how.is_new);
        if shape != others || axes != whole.shape.len() {
            let what = match whole.outer {
                _ if how.is_new => "shape",
                0 => "rows of shape",
                _ => "other axes of lengths",
            };
            return Err(cannot(&format!("expected {what} {others:?}, found {shape:?}")));
        }
        let total = whole.shape.get_mut(whole.outer);
        let sum = total.as_ref().and_then(|total| total.checked_add(length));
        if let (Some(total), Some(sum)) = (total, sum) {
            *total = sum;
        } else {
            return Err(Failure::new("too many rows for one array"));
        }
    }
    Ok(result)
}

/// The result of the first array alone.
fn first(header: &Header, how: How) -> Result<Whole, String> {
    let mut shape = header.shape().to_vec();
    if shape.is_empty() && !how.is_new {
        return Err(WITHOUT_AXES.to_owned());
    }
    let axes = shape.len() + usize::from(how.is_new);
    let outer = if how.axis < 0 { axes.checked_add_signed(how.axis) } else { usize::try_from(how.axis).ok() };
    let Some(outer) = outer.filter(|outer| *outer < axes) else {
        let of_result = if how.is_new { " of the result" } else { "" };
        return Err(format!("axis {} is out of range: expected -{axes} to {}{of_result}", how.axis, axes - 1));
    };
    if how.is_new {
        shape.insert(outer, 1);
    }
    Ok(Whole { dtype: header.dtype().clone(), shape, outer })
}

/// The Python objects of all files, which are written anew: nothing is known of an unknown class but its name.
fn joined_objects(files: &[OsString], shape: &[usize], outer: usize, how: How) -> Result<ObjectArray> {
    let mut parts = Vec::new();
    let mut first: Option<ObjectArray> = None;
    for file in files {
        let name = escape::path(file);
        let array = open(file)?.with_array(|array| Ok(array.into_objects(object_options())?))?;
        if let Some(classes) = objects::unknown_classes(&array) {
            return Err(Failure::new(format!("{name}: cannot {}: expected objects of known classes, found {classes}", how.action)));
        }
        parts.push(array.items().to_vec());
        let first = first.get_or_insert_with(|| array.clone());
        if first.string_dtype() != array.string_dtype() {
            return Err(Failure::new(format!("{name}: cannot {}: expected the same StringDType, found another dtype", how.action)));
        }
    }
    let (dtype, text) = first.map(|array| (array.dtype().clone(), array.string_dtype().cloned())).unzip();
    let dtype = dtype.ok_or_else(|| Failure::new("expected an array, found none"))?;
    let lines = shape.get(..outer).unwrap_or_default().iter().product::<usize>();
    let mut items = Vec::new();
    for line in 0..lines {
        for part in &parts {
            let length = part.len().checked_div(lines).unwrap_or(0);
            items.extend_from_slice(part.get(line * length..(line + 1) * length).unwrap_or_default());
        }
    }
    Ok(ObjectArray::with_dtype(dtype, shape, items, text.flatten())?)
}
