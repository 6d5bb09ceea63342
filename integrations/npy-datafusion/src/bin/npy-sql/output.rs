//! Answers: as a table for a person, or as a file that appears as a whole.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use futures::StreamExt;
use npy_datafusion::datafusion::arrow::array::{RecordBatch, RecordBatchIterator};
use npy_datafusion::datafusion::arrow::csv;
use npy_datafusion::datafusion::arrow::error::ArrowError;
use npy_datafusion::datafusion::arrow::json;
use npy_datafusion::datafusion::arrow::util::pretty::pretty_format_batches_with_schema;
use npy_datafusion::datafusion::execution::TaskContext;
use npy_datafusion::datafusion::physical_plan::{ExecutionPlan, SendableRecordBatchStream, execute_stream};
use npy_datafusion::npy_arrow::npy_core::SaveOptions;
use npy_datafusion::npy_arrow::npy_core::atomic::Output;
use npy_datafusion::npy_arrow::{ArrayOptions, RowDType, parquet, write_batches};

use crate::arguments::Format;
use crate::failure::Failure;

/// Runs a plan and writes its rows.
pub(crate) async fn write(
    plan: &Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
    path: Option<&Path>,
    format: Format,
) -> Result<(), Failure> {
    let mut rows = execute_stream(Arc::clone(plan), context)?;
    if matches!(format, Format::Csv | Format::Json) {
        return match path {
            Some(path) => Ok(lines(rows, Output::create(path, SaveOptions::new())?, format, false).await?.commit()?),
            None => lines(rows, io::stdout(), format, io::stdout().is_terminal()).await.map(|_| ()),
        };
    }
    let mut batches = Vec::new();
    while let Some(batch) = rows.next().await {
        batches.push(batch?);
    }
    let schema = plan.schema();
    match (format, path) {
        (Format::Npy, Some(path)) => {
            // The widest text sets the dtype.
            let mut dtype = RowDType::of(&schema);
            for batch in &batches {
                dtype.note(batch);
            }
            write_batches(path, &schema, &batches, ArrayOptions::new().dtype(dtype.dtype()?))?;
        }
        (Format::Parquet, Some(path)) => {
            let first = batches.first().cloned().unwrap_or_else(|| RecordBatch::new_empty(Arc::clone(&schema)));
            parquet::write(path, RecordBatchIterator::new(batches.into_iter().map(Ok), schema), parquet::properties(&first))?;
        }
        (_, path) => {
            let table = pretty_format_batches_with_schema(schema, &batches).map_err(|error| of_arrow(&error))?.to_string();
            match path {
                Some(path) => {
                    let mut out = Output::create(path, SaveOptions::new())?;
                    writeln!(out, "{table}")?;
                    out.commit()?;
                }
                None if io::stdout().is_terminal() => writeln!(io::stdout(), "{}", escape(&table))?,
                None => writeln!(io::stdout(), "{table}")?,
            }
        }
    }
    Ok(())
}

/// Replaces characters that a terminal obeys.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    let is_unsafe = |character: char| character.is_control() && character != '\n';
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unsafe(character) { escaped.extend(character.escape_default()) } else { escaped.push(character) }
    }
    Cow::Owned(escaped)
}

/// Writes rows as lines of CSV, below one of names, or of JSON.
async fn lines<W: Write>(mut rows: SendableRecordBatchStream, mut out: W, format: Format, escapes: bool) -> Result<W, Failure> {
    let schema = rows.schema();
    let mut has_names = false;
    while let Some(batch) = rows.next().await {
        write_lines(&batch?, &mut out, format, !has_names, escapes)?;
        has_names = true;
    }
    if !has_names {
        write_lines(&RecordBatch::new_empty(schema), &mut out, format, true, escapes)?;
    }
    out.flush()?;
    Ok(out)
}

/// Writes a batch by way of a buffer, because the writers of Arrow lose the kind of an error.
fn write_lines(batch: &RecordBatch, out: &mut impl Write, format: Format, names: bool, escapes: bool) -> Result<(), Failure> {
    let mut buffer = Vec::new();
    let written = if format == Format::Json {
        let mut writer = json::LineDelimitedWriter::new(&mut buffer);
        writer.write(batch).and_then(|()| writer.finish())
    } else {
        csv::WriterBuilder::new().with_header(names).build(&mut buffer).write(batch)
    };
    written.map_err(|error| of_arrow(&error))?;
    if escapes {
        out.write_all(escape(&String::from_utf8_lossy(&buffer)).as_bytes())?;
    } else {
        out.write_all(&buffer)?;
    }
    Ok(())
}

fn of_arrow(error: &ArrowError) -> Failure {
    Failure::new(error.to_string())
}
