//! `npy repack`: the same arrays, stored in another way.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use npy_core::npz::{ArchiveFile, NpzReader, NpzWriter, WriteOptions};
use npy_core::{DynValues, FileFormat, NpyReader, Order};

use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::{Input, object_options};
use crate::output::{self, Content, Screen};
use crate::pieces;
use crate::progress::Progress;
use crate::{quantity, signals};

/// Store the same arrays in another way: compressed, stored, aligned, in another order.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy repack run.npz --compress              deflate each member, in place of the old archive
  npy repack run.npz small.npz --compress=9  into another file
  npy repack run.npz --store --align         members that can be mapped, at multiples of 64 bytes
  npy repack a.npy --order C                 transpose the file of a Fortran array
  npy repack old.npy                         the header as current NumPy writes it

Values, names and members that are not arrays stay as they are. The file is replaced atomically. A member that is \
transposed is held in memory.

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

    /// The order of the elements in the file
    #[arg(long, value_name = "ORDER", value_parser = order)]
    order: Option<Order>,

    /// Threads that compress; by default one for each processor
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Reads `C` or `F`, as NumPy names the orders.
fn order(text: &str) -> Result<Order, String> {
    match text {
        "C" | "c" => Ok(Order::C),
        "F" | "f" => Ok(Order::Fortran),
        _ => Err("expected C or F".to_owned()),
    }
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
    let size = |path: &std::path::Path| std::fs::metadata(path).map(|metadata| metadata.len()).ok();
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
        _ => repack_array(arguments, &mut input, &output)?,
    }
    if let (Some(before), Some(after)) = (before, size(&output)) {
        let name = escape::line(&escape::path(&output)).into_owned();
        writeln!(screen, "{name}: {}, {} before", quantity::bytes(after), quantity::bytes(before))?;
    }
    Ok(0)
}

fn repack_array(arguments: &Arguments, input: &mut Input, output: &std::path::Path) -> Result<()> {
    let name = input.name().to_owned();
    input.with_array(|mut array| {
        let header = array.header().clone();
        let order = arguments.order.unwrap_or(header.order());
        if header.dtype().has_object() {
            return output::replace(output, Content::Binary, |out| {
                if order != header.order() {
                    return Ok(array.into_objects(object_options())?.with_order(order).write(out)?);
                }
                out.write_all(&header.to_bytes())?;
                array.copy_content(out)
            });
        }
        output::replace(output, Content::Binary, |out| {
            let written = npy_core::Header::new(header.dtype().clone(), order, header.shape())?;
            out.write_all(&written.to_bytes())?;
            let mut progress = Progress::new(&name, header.data_bytes());
            pieces::for_each(&mut *array, order, &mut |values| {
                progress.add(values.bytes().len() as u64);
                Ok(out.write_all(values.bytes())?)
            })
        })
    })
}

fn repack_archive(arguments: &Arguments, input: &Input, output: &std::path::Path) -> Result<()> {
    let _guard = signals::Guard::new();
    let mut archive = input.archive()?;
    let threads = arguments.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
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
        return result.map_err(|failure| failure.about(input.name()));
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
        let is_deflated = archive.method(index) != Some(0);
        let compressed = !arguments.store && (arguments.compress.is_some() || is_deflated);
        writer.set_options(options.compressed(compressed));
        copy_member(archive, index, writer, arguments.order)?;
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
    let whole_name = archive.whole_name(index).unwrap_or_default().to_owned();
    let Some(name) = whole_name.strip_suffix(".npy").map(str::to_owned) else {
        let bytes = archive.bytes(index, MOST_BYTES)?;
        return Ok(writer.add_bytes(&whole_name, &bytes)?);
    };
    let reader = archive.array(index)?;
    let header = reader.header().clone();
    let result = match order.filter(|order| *order != header.order() && !header.dtype().has_object()) {
        Some(order) => {
            let values: DynValues = reader.into_values()?;
            writer.add_content(&name, |out| values.write_in_order(out, order))
        }
        None => writer.add_content(&name, |out| copy(&header, reader, out)),
    };
    Ok(result?)
}

/// Writes the header as current NumPy writes it, and the bytes that follow it, also those after the
/// array.
fn copy<R: Read>(header: &npy_core::Header, reader: NpyReader<R>, out: &mut dyn Write) -> npy_core::Result<()> {
    let failed = |error: io::Error| npy_core::ErrorKind::Io { action: "cannot copy the member", error };
    out.write_all(&header.to_bytes()).map_err(failed)?;
    let mut content = reader.into_inner();
    let mut buffer = vec![0; 1 << 18];
    loop {
        if signals::came() {
            return Err(failed(io::ErrorKind::Interrupted.into()).into());
        }
        match content.read(&mut buffer).map_err(failed)? {
            0 => return Ok(()),
            read => out.write_all(&buffer[..read]).map_err(failed)?,
        }
    }
}
