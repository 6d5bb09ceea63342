//! Answers: on standard output, or as a file that appears as a whole.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use futures::StreamExt;
use npy_core::SaveOptions;
use npy_core::atomic::Output;
use npy_datafusion::datafusion::execution::TaskContext;
use npy_datafusion::datafusion::physical_plan::{ExecutionPlan, SendableRecordBatchStream, execute_stream};

use crate::arguments::{Arguments, Format};
use crate::arrays::{NpyFile, ParquetFile};
use crate::failure::Failure;
use crate::lines::Lines;
use crate::progress::Bar;
use crate::table::Rows;

/// Runs a plan and writes its rows.
pub(crate) async fn write(plan: &Arc<dyn ExecutionPlan>, context: Arc<TaskContext>, arguments: &Arguments) -> Result<(), Failure> {
    let (format, path) = (arguments.format()?, arguments.output());
    let rows = execute_stream(Arc::clone(plan), context)?;
    // Lines on the terminal are progress enough.
    let is_shown = path.is_some() || format == Format::Table || !io::stdout().is_terminal();
    let bar = is_shown.then(|| Bar::new(plan));
    match path {
        None if format == Format::Table => table(rows, arguments.all, bar).await,
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
        format => Ok(write_lines(rows, format, Output::create(path, SaveOptions::new())?, false).await?.commit()?),
    }
}

async fn write_lines<W: Write>(mut rows: SendableRecordBatchStream, format: Format, out: W, escapes: bool) -> Result<W, Failure> {
    let mut lines = Lines::new(out, format, &rows.schema(), escapes)?;
    while let Some(batch) = rows.next().await {
        lines.write(&batch?)?;
    }
    lines.finish()
}

async fn table(mut rows: SendableRecordBatchStream, all: bool, bar: Option<Bar>) -> Result<(), Failure> {
    let mut shown = Rows::new(rows.schema(), all);
    while let Some(batch) = rows.next().await {
        shown.add(&batch?);
    }
    drop(bar);
    shown.write()
}
