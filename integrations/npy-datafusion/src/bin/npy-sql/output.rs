//! Answers: on standard output, or as a file that appears as a whole.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use futures::StreamExt;
use npy_datafusion::datafusion::arrow::array::RecordBatch;
use npy_datafusion::datafusion::arrow::datatypes::SchemaRef;
use npy_datafusion::datafusion::arrow::util::pretty::pretty_format_batches_with_schema;
use npy_datafusion::datafusion::execution::TaskContext;
use npy_datafusion::datafusion::physical_plan::{ExecutionPlan, SendableRecordBatchStream, execute_stream};
use npy_datafusion::npy_arrow::npy_core::SaveOptions;
use npy_datafusion::npy_arrow::npy_core::atomic::Output;

use crate::arguments::Format;
use crate::arrays::{NpyFile, ParquetFile};
use crate::failure::{Failure, of_arrow};
use crate::lines::Lines;
use crate::progress::Bar;

/// Runs a plan and writes its rows.
pub(crate) async fn write(
    plan: &Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
    path: Option<&Path>,
    format: Format,
) -> Result<(), Failure> {
    let rows = execute_stream(Arc::clone(plan), context)?;
    // Lines on the terminal are progress enough.
    let is_shown = path.is_some() || format == Format::Table || !io::stdout().is_terminal();
    let bar = is_shown.then(|| Bar::new(plan));
    match path {
        None if format == Format::Table => table(rows, bar).await,
        None => write_lines(rows, format, io::stdout(), io::stdout().is_terminal()).await.map(drop),
        Some(path) => write_file(rows, path, format).await.map_err(|failure| failure.of_output(path)),
    }
}

/// Writes a file batch by batch. After an error, and where the future is dropped, the old file is as it was.
async fn write_file(mut rows: SendableRecordBatchStream, path: &Path, format: Format) -> Result<(), Failure> {
    match format {
        Format::Npy => {
            let mut file = NpyFile::create(path, &rows.schema())?;
            while let Some(batch) = rows.next().await {
                file.write(&batch?)?;
            }
            file.commit().await
        }
        Format::Parquet => {
            let mut file = ParquetFile::create(path, rows.schema())?;
            while let Some(batch) = rows.next().await {
                file.write(&batch?)?;
            }
            file.commit()
        }
        Format::Table => {
            let table = formatted(rows).await?;
            let mut out = Output::create(path, SaveOptions::new())?;
            writeln!(out, "{table}")?;
            Ok(out.commit()?)
        }
        Format::Csv | Format::Json | Format::Ndjson => {
            Ok(write_lines(rows, format, Output::create(path, SaveOptions::new())?, false).await?.commit()?)
        }
    }
}

async fn write_lines<W: Write>(mut rows: SendableRecordBatchStream, format: Format, out: W, escapes: bool) -> Result<W, Failure> {
    let mut lines = Lines::new(out, format, &rows.schema(), escapes)?;
    while let Some(batch) = rows.next().await {
        lines.write(&batch?)?;
    }
    lines.finish()
}

async fn table(rows: SendableRecordBatchStream, bar: Option<Bar>) -> Result<(), Failure> {
    let table = formatted(rows).await?;
    drop(bar);
    if io::stdout().is_terminal() {
        writeln!(io::stdout(), "{}", escape(&table))?;
    } else {
        writeln!(io::stdout(), "{table}")?;
    }
    Ok(())
}

async fn formatted(mut rows: SendableRecordBatchStream) -> Result<String, Failure> {
    let (schema, mut batches): (SchemaRef, Vec<RecordBatch>) = (rows.schema(), Vec::new());
    while let Some(batch) = rows.next().await {
        batches.push(batch?);
    }
    Ok(pretty_format_batches_with_schema(schema, &batches).map_err(|error| of_arrow(&error))?.to_string())
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
