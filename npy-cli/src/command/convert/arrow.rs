//! Parquet and Arrow IPC files as outputs: batches of whole rows, as the pieces of the array come.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use npy_arrow::arrow_array::RecordBatch;
use npy_arrow::ipc::arrow_ipc::writer::FileWriter;
use npy_arrow::parquet::parquet::arrow::ArrowWriter;
use npy_arrow::{BatchOptions, ErrorKind, into_batch, into_batch_with, parquet};
use npy_core::{DType, DynValues, Order};

use super::arrow_nulls::with_nulls;
use super::job::Job;
use crate::failure::{Failure, Result};

/// Which of the two.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Parquet,
    Ipc,
}

/// Fails if an array has no columns.
pub(super) fn expect_types(dtype: &DType, shape: &[usize]) -> Result<()> {
    let shape = [&[0], shape.get(1..).unwrap_or_default()].concat();
    into_batch(DynValues::new(dtype.clone(), Order::C, &shape, Vec::new())?).map_err(|error| failure_of(&error, 0))?;
    Ok(())
}

/// A failure in the batch that begins at this row.
pub(super) fn failure_of(error: &npy_arrow::Error, first_row: u64) -> Failure {
    let message = match error.kind() {
        ErrorKind::Value { column, row, problem } => {
            let (column, row, problem) = (column.clone(), first_row.saturating_add(*row), problem.clone());
            ErrorKind::Value { column, row, problem }.to_string()
        }
        kind => kind.to_string(),
    };
    // Advice about the library.
    let end = ["; set `", "; unset `", "; leave it out with `"].iter().filter_map(|advice| message.find(advice)).min();
    Failure::Nameless(message[..end.unwrap_or(message.len())].to_owned())
}

/// What a writer of a table has written, until it is passed on: a writer of Parquet needs a stream that may go to another thread.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn pass_on(&self, out: &mut dyn Write) -> Result<()> {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(&bytes)?;
        bytes.clear();
        Ok(())
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Table {
    Parquet(Box<ArrowWriter<Written>>),
    Ipc(Box<FileWriter<Written>>),
}

impl Table {
    /// Begins a file whose first batch is this one.
    fn new(kind: Kind, first: &RecordBatch, written: Written) -> npy_arrow::Result<Self> {
        Ok(match kind {
            Kind::Parquet => {
                let properties = parquet::properties(first);
                Self::Parquet(Box::new(ArrowWriter::try_new(written, first.schema(), Some(properties))?))
            }
            Kind::Ipc => Self::Ipc(Box::new(FileWriter::try_new(written, first.schema_ref())?)),
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> npy_arrow::Result<()> {
        match self {
            Self::Parquet(writer) => writer.write(batch)?,
            Self::Ipc(writer) => writer.write(batch)?,
        }
        Ok(())
    }

    fn finish(self) -> npy_arrow::Result<()> {
        match self {
            Self::Parquet(writer) => drop(writer.close()?),
            Self::Ipc(mut writer) => writer.finish()?,
        }
        Ok(())
    }
}

/// The rows of an array on their way to a table.
struct Rows<'a> {
    kind: Kind,
    dtype: DType,
    shape: Vec<usize>,
    /// Bytes of a row.
    row_bytes: usize,
    nulls: Vec<(Vec<String>, Vec<bool>)>,
    /// Rows so far.
    position: u64,
    table: Option<Table>,
    written: Written,
    out: &'a mut dyn Write,
}

impl Rows<'_> {
    /// Writes whole rows. Those of an array without axes are its element.
    fn write(&mut self, rows: usize, bytes: Vec<u8>) -> Result<()> {
        let shape: Vec<usize> = match self.shape.split_first() {
            Some((_, axes)) => [&[rows], axes].concat(),
            None => Vec::new(),
        };
        let values = DynValues::new(self.dtype.clone(), Order::C, &shape, bytes)?;
        let options = BatchOptions::new().seconds_as_milliseconds(matches!(self.kind, Kind::Parquet));
        let batch = into_batch_with(values, options).map_err(|error| failure_of(&error, self.position))?;
        let begin = usize::try_from(self.position).unwrap_or(usize::MAX);
        let has_fields = matches!(self.dtype, DType::Record(_)) && self.shape.len() == 1;
        let batch = with_nulls(batch, &self.nulls, has_fields, [begin, self.shape.first().copied().unwrap_or(1)]);
        let batch = batch.map_err(|error| failure_of(&error.into(), self.position))?;
        self.position += rows as u64;
        let written = self.written.clone();
        let table = match &mut self.table {
            Some(table) => table,
            none => none.insert(Table::new(self.kind, &batch, written).map_err(|error| failure_of(&error, 0))?),
        };
        table.write(&batch).map_err(|error| failure_of(&error, 0))?;
        self.written.pass_on(self.out)
    }
}

/// Writes the array as a table.
pub(super) fn write(job: &mut Job, kind: Kind, out: &mut dyn Write) -> Result<()> {
    let (dtype, shape) = (job.header.dtype().clone(), job.header.shape().to_vec());
    let row_bytes = shape.iter().skip(1).fold(dtype.itemsize(), |bytes, length| bytes.saturating_mul(*length));
    let mut rows = Rows {
        kind,
        dtype,
        shape,
        row_bytes,
        nulls: job.nulls().to_vec(),
        position: 0,
        table: None,
        written: Written::default(),
        out,
    };
    let mut part: Vec<u8> = Vec::new();
    job.read(Order::C, &mut |values| {
        if rows.row_bytes == 0 {
            return Ok(());
        }
        let bytes = if part.is_empty() {
            values.into_bytes()
        } else {
            part.extend_from_slice(values.bytes());
            std::mem::take(&mut part)
        };
        let (count, end) = (bytes.len() / rows.row_bytes, bytes.len() - bytes.len() % rows.row_bytes);
        part = bytes.get(end..).unwrap_or_default().to_vec();
        let mut whole = bytes;
        whole.truncate(end);
        if count == 0 { Ok(()) } else { rows.write(count, whole) }
    })?;
    if rows.table.is_none() {
        // No rows, or rows without bytes.
        let count = rows.shape.first().copied().unwrap_or(1);
        rows.write(count, Vec::new())?;
    }
    if let Some(table) = rows.table.take() {
        table.finish().map_err(|error| failure_of(&error, 0))?;
    }
    rows.written.pass_on(rows.out)
}
