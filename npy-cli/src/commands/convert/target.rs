//! What is written: one array or several, in one of the formats.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use npy_core::dtype::ScalarKind;
use npy_core::npz::{NpzWriter, WriteOptions};
use npy_core::rawarray::RaHeader;
use npy_core::{DynValues, Header, Order};

use super::Arguments;
use super::format::Format;
use super::job::Job;
use super::{objects, png, safetensors};
use crate::export::{csv, json};
use crate::failure::{Failure, Result};
use crate::output::{self, Content};
use crate::values::columns::{self, Column};
use crate::{escape, signals};

/// Writes the arrays to the output.
pub(super) fn write(jobs: &mut [Job], out: &OsStr, format: Format, arguments: &Arguments) -> Result<()> {
    let path = Path::new(out);
    match format {
        Format::Dir => return write_directory(jobs, path),
        Format::Npz => return write_archive(jobs, path, arguments.write_options()),
        Format::Safetensors => return output::replace(path, Content::Binary, |file| safetensors::write(jobs, file)),
        _ => {}
    }
    let job = only(jobs)?;
    let content = match format {
        Format::Csv | Format::Tsv => Content::Text,
        Format::Json | Format::Ndjson => Content::Json,
        _ => Content::Binary,
    };
    output::replace(path, content, |file| match format {
        Format::Ra => write_ra(job, file),
        Format::Csv => write_csv(job, csv::Delimiter::Comma, file),
        Format::Tsv => write_csv(job, csv::Delimiter::Tab, file),
        Format::Json => write_json(job, json::Layout::Whole, file),
        Format::Ndjson => write_json(job, json::Layout::Lines, file),
        Format::Png => png::write(job, file),
        #[cfg(feature = "arrow")]
        Format::Parquet => super::arrow::write(job, super::arrow::Kind::Parquet, file),
        #[cfg(feature = "arrow")]
        Format::Arrow => super::arrow::write(job, super::arrow::Kind::Ipc, file),
        _ => write_npy(job, file),
    })
}

/// The only array.
fn only(jobs: &mut [Job]) -> Result<&mut Job> {
    let count = jobs.len();
    let names: Vec<String> = jobs.iter().take(20).map(|job| job.name.clone()).collect();
    match jobs {
        [job] => Ok(job),
        [first, ..] => {
            let more = if count > names.len() { ", …" } else { "" };
            let input = &first.input;
            let hint = format!("select one, as in {input}:{}, or write an .npz archive or a directory", first.name);
            Err(Failure::new(format!("{input}: expected one array, found {count}: {}{more}; {hint}", names.join(", "))))
        }
        [] => Err(Failure::new("expected an array, found none")),
    }
}

fn write_npy(job: &mut Job, out: &mut dyn Write) -> Result<()> {
    if job.copy_pickle(out)? {
        return Ok(());
    }
    if let Some(array) = job.objects()? {
        return Ok(array.write(out)?);
    }
    let header = job.header.clone();
    out.write_all(&header.to_bytes())?;
    write_data(job, header.order(), out)
}

/// Writes the bytes of the elements.
pub(super) fn write_data(job: &mut Job, order: Order, out: &mut dyn Write) -> Result<()> {
    job.read(order, &mut |values| Ok(out.write_all(values.bytes())?))
}

fn write_ra(job: &mut Job, out: &mut dyn Write) -> Result<()> {
    let header = RaHeader::try_from(&job.header)?;
    out.write_all(&header.to_bytes())?;
    write_data(job, header.to_npy().order(), out)
}

fn write_csv(job: &mut Job, delimiter: csv::Delimiter, out: &mut dyn Write) -> Result<()> {
    if let Some(array) = job.objects()? {
        let written = objects::write_csv(&array, delimiter, job.is_lossy, &mut |text| write_piece(text, out));
        return written.map_err(|failure| failure.about(&job.input));
    }
    let writer = csv::Writer::new(job.header.dtype(), job.header.shape(), delimiter);
    let mut writer = writer.map_err(|failure| failure.about(&job.input))?;
    let mut text = String::new();
    if writer.needs_header() {
        writer.header(&mut text).map_err(|failure| failure.about(&job.input))?;
    }
    let texts: Vec<Column> = columns::of(job.header.dtype())?
        .into_iter()
        .filter(|column| matches!(column.scalar.kind(), ScalarKind::Bytes { length: 1.. }) && !job.is_lossy)
        .collect();
    write_text(job, &mut text, out, &mut |values, text| {
        refuse_other_bytes(&values, &texts)?;
        writer.rows(&values, text)
    })
}

/// The most bytes of an element in a message.
const MOST_SHOWN: usize = 60;

/// Fails where bytes are not UTF-8: they become Latin-1, which a reader of the file cannot tell from it.
fn refuse_other_bytes(values: &DynValues, texts: &[Column]) -> Result<()> {
    if texts.is_empty() {
        return Ok(());
    }
    for element in values.bytes().chunks_exact(values.dtype().itemsize().max(1)) {
        for column in texts {
            let mut items = column.bytes(element).chunks_exact(column.scalar.itemsize());
            if let Some(bytes) = items.find(|bytes| std::str::from_utf8(bytes).is_err()) {
                let field = if column.path.is_empty() { String::new() } else { format!("field \"{}\": ", column.path) };
                let found = bytes.get(..bytes.len().min(MOST_SHOWN)).unwrap_or_default().escape_ascii();
                let hint = "write them as Latin-1 with --lossy";
                return Err(Failure::Nameless(format!("{field}expected UTF-8, found the bytes \"{found}\"; {hint}")));
            }
        }
    }
    Ok(())
}

fn write_json(job: &mut Job, layout: json::Layout, out: &mut dyn Write) -> Result<()> {
    if let Some(array) = job.objects()? {
        let written = objects::write_json(&array, layout, job.is_lossy, &mut |text| write_piece(text, out));
        return written.map_err(|failure| failure.about(&job.input));
    }
    let writer = json::Writer::new(job.header.dtype(), job.header.shape(), layout);
    let mut writer = writer.map_err(|failure| failure.about(&job.input))?;
    let mut text = String::new();
    write_text(job, &mut text, out, &mut |values, text| writer.rows(&values, text))?;
    writer.end(&mut text);
    Ok(out.write_all(text.as_bytes())?)
}

/// Writes text piece by piece, and leaves `text` empty.
fn write_text(
    job: &mut Job,
    text: &mut String,
    out: &mut dyn Write,
    append: &mut dyn FnMut(DynValues, &mut String) -> Result<()>,
) -> Result<()> {
    job.read(Order::C, &mut |values| {
        append(values, text)?;
        write_piece(text, out)
    })?;
    write_piece(text, out)
}

/// Writes text, and clears it.
fn write_piece(text: &mut String, out: &mut dyn Write) -> Result<()> {
    out.write_all(text.as_bytes())?;
    text.clear();
    Ok(())
}

fn write_archive(jobs: &mut [Job], path: &Path, options: WriteOptions) -> Result<()> {
    if output::is_stream(path) {
        return output::replace(path, Content::Binary, |out| {
            let mut archive = NpzWriter::streaming(out);
            archive.set_options(options);
            add_members(jobs, &mut archive)?;
            archive.finish()?;
            Ok(())
        });
    }
    let _guard = signals::Guard::new();
    let mut archive = NpzWriter::create_with(path, options)?;
    let result = add_members(jobs, &mut archive);
    if result.is_err() || signals::came() {
        // Otherwise dropping the writer would replace the old archive.
        archive.discard();
        signals::check()?;
        return result.map_err(|failure| failure.of_output(&escape::path(path)));
    }
    archive.finish()?;
    Ok(())
}

fn add_members<W: Write>(jobs: &mut [Job], archive: &mut NpzWriter<W>) -> Result<()> {
    jobs.iter_mut().try_for_each(|job| {
        let name = job.name.clone();
        output::add_array(archive, &name, |member| write_npy(job, member))
    })
}

fn write_directory(jobs: &mut [Job], directory: &Path) -> Result<()> {
    let (mut paths, mut known): (Vec<PathBuf>, HashSet<PathBuf>) = Default::default();
    for job in &*jobs {
        let name = Path::new(&job.name);
        let is_inside = !job.name.is_empty() && name.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside || job.name.contains(['\0', '\\']) {
            let message = format!("member {:?}: expected a name of a file inside of the directory; select others", job.name);
            return Err(Failure::new(format!("{}: {message}", job.input)));
        }
        let path = directory.join(format!("{}.npy", job.name));
        if !known.insert(path.clone()) {
            return Err(Failure::new(format!("{}: expected different names, found {:?} twice", job.input, job.name)));
        }
        paths.push(path);
    }
    let mut created = Vec::new();
    let result = write_files(jobs, &paths, &mut created);
    if result.is_err() {
        for directory in created.iter().rev() {
            // One that has files stays.
            let _ = fs::remove_dir(directory);
        }
    }
    result
}

/// Writes a file for each array; the directories that were not there are added to `created`, outer ones first.
fn write_files(jobs: &mut [Job], paths: &[PathBuf], created: &mut Vec<PathBuf>) -> Result<()> {
    for (job, path) in jobs.iter_mut().zip(paths) {
        signals::check()?;
        let directory = path.parent().unwrap_or(path);
        let missing = directory.ancestors().take_while(|directory| !directory.as_os_str().is_empty() && !directory.exists());
        let first = created.len();
        created.extend(missing.map(Path::to_owned));
        created[first..].reverse();
        fs::create_dir_all(directory)
            .map_err(|error| Failure::new(format!("{}: cannot create the directory: {error}", escape::path(directory))))?;
        output::replace(path, Content::Binary, |file| write_npy(job, file))?;
    }
    Ok(())
}

/// The header of an `.npy` file in an order, which is C if both are the same.
pub(super) fn header_of(dtype: npy_core::DType, order: Order, shape: &[usize]) -> Result<Header> {
    Ok(Header::new(dtype, if Order::are_same(shape) { Order::C } else { order }, shape)?)
}
