//! Parquet and Arrow IPC files as outputs: batches of whole rows, as the pieces of the array come.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use npy_arrow::arrow_array::RecordBatch;
use npy_arrow::arrow_buffer::Buffer;
use npy_arrow::ipc::arrow_ipc::writer::FileWriter;
use npy_arrow::parquet::parquet::arrow::ArrowWriter;
use npy_arrow::{BatchDecoder, BatchOptions, parquet};
use npy_core::{DType, Error, Header, Order};

use super::kind::Kind;
use super::nulls::with_nulls;
use crate::failure::{Failure, Result};
use crate::formats::format::Outgoing;

/// Fails if an array has no columns.
pub(super) fn expect_types(dtype: &DType, shape: &[usize]) -> Result<()> {
    let shape = [&[0], shape.get(1..).unwrap_or_default()].concat();
    BatchDecoder::new(&Header::new(dtype.clone(), Order::C, &shape)?, BatchOptions::new()).map(drop).map_err(failure_of)
}

/// A failure in a table, without its path.
pub(super) fn failure_of(error: Error) -> Failure {
    foreign(error.without_path())
}

/// A failure of Arrow or Parquet.
pub(super) fn foreign(error: impl Display) -> Failure {
    let message = error.to_string();
    // Advice about the library.
    let end = ["; set `", "; unset `", "; leave it out with `"].iter().filter_map(|advice| message.find(advice)).min();
    let kept = &message[..end.unwrap_or(message.len())];
    let way_out = if message.contains("leave it out with `") { "; leave it out with --fields" } else { "" };
    Failure::Nameless(format!("{kept}{way_out}"))
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
    fn new(kind: Kind, first: &RecordBatch, written: Written) -> Result<Self> {
        Ok(match kind {
            Kind::Parquet => {
                let properties = parquet::properties(first);
                Self::Parquet(Box::new(ArrowWriter::try_new(written, first.schema(), Some(properties)).map_err(foreign)?))
            }
            Kind::Ipc => Self::Ipc(Box::new(FileWriter::try_new(written, first.schema_ref()).map_err(foreign)?)),
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Self::Parquet(writer) => writer.write(batch).map_err(foreign),
            Self::Ipc(writer) => writer.write(batch).map_err(foreign),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Parquet(writer) => writer.close().map(drop).map_err(foreign),
            Self::Ipc(mut writer) => writer.finish().map_err(foreign),
        }
    }
}

/// The rows of an array on their way to a table.
struct Rows<'a> {
    kind: Kind,
    /// Of the whole array, so that errors count rows from its beginning.
    decoder: BatchDecoder,
    has_fields: bool,
    nulls: Vec<(Vec<String>, Vec<bool>)>,
    /// Rows so far.
    position: usize,
    table: Option<Table>,
    written: Written,
    out: &'a mut dyn Write,
}

impl Rows<'_> {
    /// Writes whole rows. Those of an array without axes are its element.
    fn write(&mut self, rows: usize, bytes: Vec<u8>) -> Result<()> {
        let block = self.position..self.position.saturating_add(rows);
        self.position = block.end;
        let begin = block.start;
        let batch = self.decoder.decode(&Buffer::from_vec(bytes), block.clone(), block).map_err(failure_of)?;
        let batch = with_nulls(batch, &self.nulls, self.has_fields, [begin, self.decoder.rows()]).map_err(foreign)?;
        let written = self.written.clone();
        let table = match &mut self.table {
            Some(table) => table,
            none => none.insert(Table::new(self.kind, &batch, written)?),
        };
        table.write(&batch)?;
        self.written.pass_on(self.out)
    }
}

/// Writes the array as a table.
pub(super) fn write(array: &mut dyn Outgoing, kind: Kind, out: &mut dyn Write) -> Result<()> {
    let (dtype, shape) = (array.header().dtype(), array.header().shape());
    let options = BatchOptions::new().seconds_as_milliseconds(matches!(kind, Kind::Parquet));
    let decoder = BatchDecoder::new(&Header::new(dtype.clone(), Order::C, shape)?, options).map_err(failure_of)?;
    let row_bytes = decoder.row_bytes();
    let mut rows = Rows {
        kind,
        decoder,
        has_fields: matches!(dtype, DType::Record(_)) && shape.len() == 1,
        nulls: array.nulls().to_vec(),
        position: 0,
        table: None,
        written: Written::default(),
        out,
    };
    let mut part: Vec<u8> = Vec::new();
    array.read(Order::C, &mut |values| {
        if row_bytes == 0 {
            return Ok(());
        }
        let bytes = if part.is_empty() {
            values.into_bytes()
        } else {
            part.extend_from_slice(values.bytes());
            std::mem::take(&mut part)
        };
        let (count, end) = (bytes.len() / row_bytes, bytes.len() - bytes.len() % row_bytes);
        part = bytes.get(end..).unwrap_or_default().to_vec();
        let mut whole = bytes;
        whole.truncate(end);
        if count == 0 { Ok(()) } else { rows.write(count, whole) }
    })?;
    if rows.table.is_none() {
        // No rows, or rows without bytes.
        let count = rows.decoder.rows();
        rows.write(count, Vec::new())?;
    }
    if let Some(table) = rows.table.take() {
        table.finish()?;
    }
    rows.written.pass_on(rows.out)
}
