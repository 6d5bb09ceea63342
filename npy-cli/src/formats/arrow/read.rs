//! Parquet and Arrow IPC files as inputs. They are read twice: for the widths of texts and for nulls, then for the values. So memory is
//! bounded by the largest batch.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Seek, SeekFrom, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::rc::Rc;

use npy_arrow::arrow_array::cast::AsArray;
use npy_arrow::arrow_array::{Array, RecordBatch, RecordBatchReader};
use npy_arrow::arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use npy_arrow::metadata::{DESCR, DTYPE};
use npy_arrow::{ArrayOptions, BatchWriter, Fill, header_of_batches, ipc, parquet};
use npy_core::{DType, DynValues, Order};

use super::kind::Kind;
use super::write::{failure_of, foreign};
use crate::failure::{Failure, Result};
use crate::formats::format::ReadOptions;
use crate::formats::source::{FileOrSpool, Item, Source};
use crate::input::pieces::Sink;
use crate::signals;

/// A table whose dtype is known.
pub(super) struct ArrowSource {
    file: FileOrSpool,
    kind: Kind,
    /// The columns that are read.
    columns: Vec<usize>,
    item: Item,
}

impl ArrowSource {
    pub(super) fn open(file: FileOrSpool, kind: Kind, options: &ReadOptions) -> Result<Self> {
        guarded(|| Self::survey(file, kind, options))
    }

    fn survey(file: FileOrSpool, kind: Kind, options: &ReadOptions) -> Result<Self> {
        let reader = reader(kind, file.path())?;
        let all = reader.schema();
        let columns = columns_of(&all, &options.fields);
        let schema: SchemaRef = all.project(&columns).map_err(foreign)?.into();
        let mut lost = BTreeSet::new();
        for field in schema.fields() {
            note_zones(field, field.name(), &mut lost);
        }
        let batches = reader.map(|batch| {
            signals::check().map_err(|_| ArrowError::ComputeError("interrupted".to_owned()))?;
            let batch = batch?.project(&columns)?;
            for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
                note_nulls(field, column, field.name(), &mut lost);
            }
            Ok::<RecordBatch, ArrowError>(batch)
        });
        let header = header_of_batches(&schema, batches, ArrayOptions::new());
        signals::check()?;
        let header = header.map_err(failure_of)?;
        let item = file.item(header, lost.into_iter().collect());
        Ok(Self { file, kind, columns, item })
    }
}

/// Reads, and turns a panic into a failure: the crates of Arrow panic on some damaged files.
fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    panic::set_hook(hook);
    result.unwrap_or_else(|_| Err(Failure::Nameless("damaged file: the Arrow or Parquet reader gave up".to_owned())))
}

/// The columns that lead to these fields; all columns if a field is missing, which is an error later. Where the dtype is part of
/// the file, its fields are selected instead.
fn columns_of(schema: &Schema, fields: &[String]) -> Vec<usize> {
    let leads = |name: &str, path: &String| path == name || path.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let is_found = |path: &String| names.iter().any(|name| leads(name, path));
    let is_selected = !schema.metadata().contains_key(DESCR) && !fields.is_empty() && fields.iter().all(is_found);
    let is_read = |index: &usize| !is_selected || fields.iter().any(|path| leads(names[*index], path));
    (0..names.len()).filter(is_read).collect()
}

fn reader(kind: Kind, path: &Path) -> Result<Box<dyn RecordBatchReader>> {
    Ok(match kind {
        Kind::Parquet => Box::new(parquet::read(path).map_err(failure_of)?),
        Kind::Ipc => Box::new(ipc::read(path).map_err(failure_of)?),
    })
}

/// Notes columns with a time zone, of which NumPy keeps the instant.
fn note_zones(field: &Field, path: &str, lost: &mut BTreeSet<String>) {
    match field.data_type() {
        DataType::Timestamp(_, Some(zone)) => drop(lost.insert(format!("the time zone {zone} of the column \"{path}\""))),
        DataType::Struct(fields) => fields.iter().for_each(|field| note_zones(field, &format!("{path}.{}", field.name()), lost)),
        DataType::FixedSizeList(item, _) => note_zones(item, path, lost),
        _ => {}
    }
}

/// Notes columns with a null that no dtype has: times have NaT.
fn note_nulls(field: &Field, column: &dyn Array, path: &str, lost: &mut BTreeSet<String>) {
    let is_time = matches!(field.data_type(), DataType::Timestamp(..) | DataType::Duration(_) | DataType::Date32)
        || field.metadata().contains_key(DTYPE);
    if !is_time && column.logical_null_count() > 0 {
        lost.insert(format!("the nulls of the column \"{path}\""));
    }
    match field.data_type() {
        DataType::Struct(fields) => {
            for (field, column) in fields.iter().zip(column.as_struct().columns()) {
                note_nulls(field, column, &format!("{path}.{}", field.name()), lost);
            }
        }
        DataType::FixedSizeList(item, _) => note_nulls(item, column.as_fixed_size_list().values(), path, lost),
        _ => {}
    }
}

/// The output of a writer of rows, without the header.
#[derive(Clone, Default)]
struct Pieces(Rc<RefCell<Vec<u8>>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Only the writer's end, which is not reached, seeks.
impl Seek for Pieces {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Ok(0)
    }
}

impl Source for ArrowSource {
    fn items(&self) -> &[Item] {
        std::slice::from_ref(&self.item)
    }

    fn rows(&mut self, _: usize, sink: Sink<'_>) -> Result<()> {
        let mut reader = guarded(|| reader(self.kind, self.file.path()))?;
        let (dtype, shape) = (self.item.header.dtype(), self.item.header.shape());
        let row: DType = match shape.get(1..) {
            None | Some([]) => dtype.clone(),
            Some(axes) => dtype.clone().sub_array(axes)?,
        };
        let schema = reader.schema().project(&self.columns).map_err(foreign)?;
        // Nulls were allowed, or there are none.
        let options = ArrayOptions::new().dtype(row).fill_nulls(Fill::NaN);
        let pieces = Pieces::default();
        let mut writer = BatchWriter::new(pieces.clone(), &schema, options).map_err(failure_of)?;
        pieces.0.borrow_mut().clear();
        while let Some(batch) = guarded(|| Ok(reader.next()))? {
            let batch = batch.and_then(|batch| batch.project(&self.columns)).map_err(foreign)?;
            writer.write(&batch).map_err(failure_of)?;
            let bytes = std::mem::take(&mut *pieces.0.borrow_mut());
            let per_row: usize = shape.iter().skip(1).product();
            let count = batch.num_rows().saturating_mul(per_row);
            sink(DynValues::new(dtype.clone(), Order::C, &[count], bytes)?)?;
        }
        let expected = shape.first().map_or(1, |rows| *rows as u64);
        if writer.rows() != expected {
            return Err(Failure::Nameless("the file changed while it was read".to_owned()));
        }
        Ok(())
    }
}
