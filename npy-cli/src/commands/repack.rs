//! `npy repack`: the same arrays, stored in another way.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use npy_core::npz::{ArchiveFile, NpzReader, NpzWriter, WriteOptions};
use npy_core::{FileFormat, Header, Order};

use super::order::OrderName;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::pieces;
use crate::input::{Array, Input, array_of, beside_members, is_shadowed, object_options, rows_of, spooled_with_rest, write_whole};
use crate::losses;
use crate::output::{self, Content, Screen};
use crate::progress::Progress;
use crate::signals;
use crate::threads;
use crate::values::quantity;

/// Store the same arrays in another way: compressed, stored, aligned, in another order.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy repack run.npz --compress              deflate each member, in place of the old archive
  npy repack run.npz small.npz --compress=9  into another file
  npy repack run.npz --store --align         members that can be mapped, at multiples of 64 bytes
  npy repack a.npy --order C                 transpose the file of a Fortran array
  npy repack old.npy                         the header as current NumPy writes it

Values, names, members that are not arrays and what follows an array stay as they are. Other parts of an archive are \
refused without --lossy, and named: comments, extra fields, bytes before or after it, members before others of the same \
name. Dates and permissions of members become those that NumPy writes. The file is replaced atomically.

Exit codes: 0 success, 2 trouble; the file is then untouched.")]
pub(crate) struct Arguments {
    /// An .npy or .npz file
    #[arg(value_name = "FILE")]
    file: OsString,

    /// The file to write; by default FILE itself
    #[arg(value_name = "OUT")]
    output: Option<PathBuf>,

    /// Compress the members of an archive, with a level from 0 to 9
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, require_equals = true, default_missing_value = "6",
        value_parser = clap::value_parser!(u32).range(0..=9), conflicts_with = "store")]
    compress: Option<u32>,

    /// Store the members of an archive without compression
    #[arg(long)]
    store: bool,

    /// Begin members at multiples of 64 bytes
    #[arg(long)]
    align: bool,

    /// The order of the elements in the file: C or F
    #[arg(long, value_name = "ORDER", hide_possible_values = true)]
    order: Option<OrderName>,

    /// Allow losses: of comments, extra fields, bytes around an archive
    #[arg(long)]
    lossy: bool,

    /// Threads that compress; by default one for each processor
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let mut input = Input::open(&arguments.file)?;
    let output = match (&arguments.output, input.path()) {
        (Some(output), _) => output.clone(),
        (None, Some(_)) if input.part().is_some() => {
            let place = if input.selected().is_some() {
                "a member is not replaced in its archive"
            } else {
                "an array is not replaced among others in its file"
            };
            let message = format!("expected an output file: {place}; name the output");
            return Err(Failure::new(format!("{}: {message}", escape::path(&arguments.file))));
        }
        (None, Some(path)) if input.name() != "-" => path.to_owned(),
        _ => return Err(Failure::new("-: standard input has no file to replace; name the output")),
    };
    let extension = if input.format() == FileFormat::Npz && input.selected().is_none() { "npz" } else { "npy" };
    if arguments.output.is_some() && output.extension().is_none_or(|found| found != extension) {
        let message = format!("expected an output that ends in .{extension}; `npy convert` changes the format");
        return Err(Failure::new(format!("{}: {message}", escape::path(&output))));
    }
    let size = |path: &Path| std::fs::metadata(path).map(|metadata| metadata.len()).ok();
    let before = input.path().and_then(size);
    match input.format() {
        FileFormat::Npz if input.selected().is_none() => repack_archive(arguments, &input, &output)?,
        FileFormat::RawArray => {
            return Err(Failure::new(format!("{}: expected an .npy or .npz file; `npy convert` reads .ra files", input.name())));
        }
        _ if arguments.compress.is_some() || arguments.store || arguments.align => {
            let message = "`--compress`, `--store` and `--align` are for .npz archives";
            return Err(Failure::new(format!("{}: {message}", input.name())));
        }
        _ => {
            // Objects are read whole, so bytes behind them in a stream would be lost.
            if input.is_stream() && input.header(0)?.dtype().has_object() {
                input = input.into_file()?;
            }
            repack_array(arguments, &mut input, &output)?;
        }
    }
    if let (Some(before), Some(after)) = (before, size(&output)) {
        screen.report(&format!("{}: {}, {} before", escape::path(&output), quantity::bytes(after), quantity::bytes(before)));
    }
    Ok(0)
}

fn repack_array(arguments: &Arguments, input: &mut Input, output: &Path) -> Result<()> {
    let name = input.name().to_owned();
    let is_file = input.format() == FileFormat::Npy && input.path().is_some();
    let behind = input.unread_parts()?;
    let replaced: Vec<String> = input.replaced_parts(output).into_iter().collect();
    losses::report(&format!("{name}: repacking"), &replaced, arguments.lossy)?;
    input.with_array(|array| {
        let header = array.header();
        let progress = Progress::new(&name, header.data_bytes());
        if let Some(order) = arguments.order.map(Order::from).filter(|order| *order != header.order())
            && header.dtype().has_object()
        {
            losses::report(&format!("{name}: repacking"), &behind, arguments.lossy)?;
            return output::replace(output, Content::Binary, |out| {
                Ok(array.into_objects(object_options())?.with_order(order).write(out)?)
            });
        }
        output::replace(output, Content::Binary, |out| {
            rewrite(array, is_file, arguments.order.map(Order::from), Counted { out, progress })
        })
    })
}

/// Writes the array with a header as current NumPy writes it, and all bytes behind it.
fn rewrite(mut array: Box<dyn Array + '_>, is_file: bool, order: Option<Order>, mut out: Counted<'_>) -> Result<()> {
    let header = array.header().clone();
    let order = match order.filter(|_| !header.dtype().has_object()) {
        // As NumPy has it for arrays that are contiguous in both orders.
        Some(_) if Order::are_same(header.shape()) => Order::C,
        Some(order) => order,
        None => header.order(),
    };
    let written =
        if order == header.order() { header.clone() } else { Header::new(header.dtype().clone(), order, header.shape())? };
    if !pieces::is_transposed(&header, order) {
        return write_whole(array, &written, &mut out);
    }
    if !is_file {
        array = spooled_with_rest(array)?;
    }
    out.write_all(&written.to_bytes())?;
    pieces::for_each(&mut *array, order, &mut |values| Ok(out.write_all(values.bytes())?))?;
    array.copy_from(rows_of(&header), &mut out)?;
    Ok(())
}

/// A stream whose bytes are progress.
struct Counted<'a> {
    out: &'a mut dyn Write,
    progress: Progress,
}

impl Write for Counted<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.out.write(buffer)?;
        self.progress.add(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn repack_archive(arguments: &Arguments, input: &Input, output: &Path) -> Result<()> {
    let _guard = signals::Guard::new();
    let mut archive = input.archive()?;
    losses::report(&format!("{}: repacking", input.name()), &beside_members(&archive), arguments.lossy)?;
    let threads = arguments.threads.unwrap_or_else(threads::of_machine);
    let options = WriteOptions::new().aligned(arguments.align).threads(threads);
    let options = arguments.compress.map_or(options, |level| options.level(level));
    if output::is_stream(output) {
        return output::replace(output, Content::Binary, |out| {
            let mut writer = NpzWriter::streaming(out);
            copy_members(arguments, &mut archive, &mut writer, options).map_err(|failure| failure.about(input.name()))?;
            writer.finish()?;
            Ok(())
        });
    }
    let mut writer = NpzWriter::create_with(output, options)?;
    let result = copy_members(arguments, &mut archive, &mut writer, options);
    if result.is_err() || signals::came() {
        writer.discard();
        signals::check()?;
        return result.map_err(|failure| failure.of_output(&escape::path(output)).about(input.name()));
    }
    writer.finish()?;
    Ok(())
}

fn copy_members<W: Write>(
    arguments: &Arguments,
    archive: &mut NpzReader<ArchiveFile>,
    writer: &mut NpzWriter<W>,
    options: WriteOptions,
) -> Result<()> {
    for index in 0..archive.len() {
        if is_shadowed(archive, index) {
            continue;
        }
        let is_deflated = archive.method(index) != Some(0);
        let compressed = !arguments.store && (arguments.compress.is_some() || is_deflated);
        writer.set_options(options.compressed(compressed));
        copy_member(archive, index, writer, arguments.order.map(Order::from))?;
    }
    Ok(())
}

/// The largest member that is not an array, which is held in memory.
const MOST_BYTES: u64 = 1 << 30;

/// Copies a member, and checks its checksum.
fn copy_member<W: Write>(
    archive: &mut NpzReader<ArchiveFile>,
    index: usize,
    writer: &mut NpzWriter<W>,
    order: Option<Order>,
) -> Result<()> {
    signals::check()?;
    let full_name = archive.full_name(index).unwrap_or_default().to_owned();
    let Some(name) = full_name.strip_suffix(".npy").filter(|_| archive.is_array(index)) else {
        let bytes = archive.bytes(index, MOST_BYTES)?;
        return Ok(writer.add_bytes(&full_name, &bytes)?);
    };
    let array = array_of(archive, index)?;
    let progress = Progress::new(name, array.header().data_bytes());
    output::add_array(writer, name, |out| rewrite(array, false, order, Counted { out, progress }))
        .map_err(|failure| failure.about_member(name))
}
