//! Rows as lines of CSV or JSON.

use std::io::Write;

use npy_core::print::terminal;
use npy_datafusion::datafusion::arrow::array::RecordBatch;
use npy_datafusion::datafusion::arrow::csv;
use npy_datafusion::datafusion::arrow::datatypes::Schema;
use npy_datafusion::datafusion::arrow::json::WriterBuilder;
use npy_datafusion::datafusion::arrow::json::writer::LineDelimited;

use crate::arguments::Format;
use crate::failure::{Failure, of_arrow};

/// A writer of lines.
pub(crate) struct Lines<W> {
    out: W,
    format: Format,
    escapes: bool,
    /// Whether an object was written before.
    has_rows: bool,
    buffer: Vec<u8>,
}

impl<W: Write> Lines<W> {
    /// Writes what is before the first row.
    pub(crate) fn new(out: W, format: Format, schema: &Schema, escapes: bool) -> Result<Self, Failure> {
        let mut lines = Self { out, format, escapes, has_rows: false, buffer: Vec::new() };
        if format == Format::Json {
            lines.buffer.push(b'[');
        } else if format == Format::Csv {
            if let Some(nested) = schema.fields().iter().find(|field| field.data_type().is_nested()) {
                let found = format!("column {:?} of CSV: expected single values, found {}", nested.name(), nested.data_type());
                return Err(Failure::new(format!("{found}; leave it out, or write --to json")));
            }
            let mut names = csv::WriterBuilder::new().with_header(true).build(&mut lines.buffer);
            names.write(&RecordBatch::new_empty(schema.clone().into())).map_err(|error| of_arrow(&error))?;
        }
        lines.flush()?;
        Ok(lines)
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        if self.format == Format::Csv {
            let mut writer = csv::WriterBuilder::new().with_header(false).build(&mut self.buffer);
            writer.write(batch).map_err(|error| of_arrow(&error))?;
            drop(writer);
            return self.flush();
        }
        let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(&mut self.buffer);
        writer.write(batch).and_then(|()| writer.finish()).map_err(|error| of_arrow(&error))?;
        drop(writer);
        if self.format == Format::Json {
            // Line feeds are between objects alone.
            let objects = std::mem::take(&mut self.buffer);
            for object in objects.split(|byte| *byte == b'\n').filter(|object| !object.is_empty()) {
                if self.has_rows {
                    self.buffer.extend(b",\n");
                }
                self.has_rows = true;
                self.buffer.extend(object);
            }
        }
        self.flush()
    }

    /// Writes what is after the last row.
    pub(crate) fn finish(mut self) -> Result<W, Failure> {
        if self.format == Format::Json {
            self.buffer.extend(b"]\n");
            self.flush()?;
        }
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes the buffer, because the writers of Arrow lose the kind of an error.
    fn flush(&mut self) -> Result<(), Failure> {
        if self.escapes {
            let lines = String::from_utf8_lossy(&self.buffer);
            let escaped = if self.format == Format::Csv { terminal::text(&lines) } else { terminal::json(&lines) };
            self.out.write_all(escaped.as_bytes())?;
        } else {
            self.out.write_all(&self.buffer)?;
        }
        self.buffer.clear();
        Ok(())
    }
}
