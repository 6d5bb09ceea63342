//! Parquet and Arrow IPC files as inputs. They are read twice: for the widths of texts and for nulls, then for the values. So memory is
//! bounded by the largest batch.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Seek, SeekFrom, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::rc::Rc;

use npy_arrow::arrow_array::RecordBatchReader;
use npy_arrow::arrow_schema::Schema;
use npy_arrow::metadata::DESCR;
use npy_arrow::{ArrayOptions, BatchWriter, Fill, Survey, ipc, parquet};
use npy_core::{DType, DynValues, Header, Order};

use super::kind::Kind;
use super::missing::{Floats, Missing};
use super::write::{failure_of, foreign};
use crate::failure::{Failure, Result};
use crate::formats::format::ReadOptions;
use crate::formats::source::{FileOrSpool, Item, Source};
use crate::input::pieces::Sink;
use crate::values::fields;
use crate::{losses, signals};

/// The most bytes of encoded rows in memory.
const PIECE_BYTES: usize = 16 << 20;

/// A table whose dtype is known.
pub(super) struct ArrowSource {
    file: FileOrSpool,
    kind: Kind,
    /// The columns that are read.
    columns: Vec<usize>,
    floats: Floats,
    item: Item,
}

impl ArrowSource {
    pub(super) fn open(file: FileOrSpool, kind: Kind, options: &ReadOptions) -> Result<Self> {
        silent(|| Self::survey(file, kind, options))
    }

    fn survey(file: FileOrSpool, kind: Kind, options: &ReadOptions) -> Result<Self> {
        let schema = reader(kind, file.path())?.schema();
        let mut columns = columns_of(&schema, options);
        let mut found = Surveyed::new(&file, kind, &columns, Floats::default());
        let mut left_out = Vec::new();
        if options.is_for_looking && found.is_err() {
            let typed = with_dtype(&file, kind, &columns)?;
            if !typed.is_empty() && typed.len() < columns.len() {
                left_out = columns.into_iter().filter(|index| !typed.contains(index)).collect();
                columns = typed;
                found = Surveyed::new(&file, kind, &columns, Floats::default());
            }
        }
        let mut found = found?;
        for field in left_out.into_iter().map(|index| schema.field(index)) {
            found.losses.insert(format!("the column {:?}: no dtype for Arrow type {}", field.name(), field.data_type()));
        }
        let mut notes = Vec::new();
        if options.is_for_looking {
            notes.extend(found.missing.note_of_values());
            let numbers = std::mem::take(&mut found.missing.numbers);
            if !numbers.is_empty() {
                let losses = found.losses;
                found = Surveyed { losses, ..Surveyed::new(&file, kind, &columns, Floats::new(numbers))? };
            }
        } else {
            found.losses.extend(found.missing.losses());
        }
        let item = Item { notes, ..file.item(found.header, found.losses.into_iter().collect()) };
        Ok(Self { file, kind, columns, floats: found.floats, item })
    }
}

/// The first of two reads.
struct Surveyed {
    header: Header,
    /// The parts of types that dtypes do not have.
    losses: BTreeSet<String>,
    missing: Missing,
    floats: Floats,
}

impl Surveyed {
    fn new(file: &FileOrSpool, kind: Kind, columns: &[usize], mut floats: Floats) -> Result<Self> {
        let reader = reader(kind, file.path())?;
        let schema = floats.schema(reader.schema().project(columns).map_err(foreign)?).map_err(foreign)?;
        let mut survey = survey_of(&schema).map_err(failure_of)?;
        let losses = survey.losses().map(str::to_owned).collect();
        let mut missing = Missing::default();
        for batch in reader {
            signals::check()?;
            let batch = batch.and_then(|batch| floats.batch(batch.project(columns)?)).map_err(foreign)?;
            survey.note(&batch).map_err(failure_of)?;
            missing.note(&batch);
        }
        floats.rounded = 0;
        Ok(Self { header: survey.header().map_err(failure_of)?, losses, missing, floats })
    }
}

/// Those of the columns that have a dtype, which a list has if all are of one length.
fn with_dtype(file: &FileOrSpool, kind: Kind, columns: &[usize]) -> Result<Vec<usize>> {
    let reader = reader(kind, file.path())?;
    let schema = reader.schema();
    let alone = |index: &usize| Some((*index, survey_of(&schema.project(&[*index]).ok()?).ok()?));
    let mut surveys: Vec<(usize, Survey)> = columns.iter().filter_map(alone).collect();
    for batch in reader {
        signals::check()?;
        let batch = batch.map_err(foreign)?;
        for (index, survey) in &mut surveys {
            survey.note(&batch.project(&[*index]).map_err(foreign)?).map_err(failure_of)?;
        }
    }
    Ok(surveys.into_iter().filter(|(_, survey)| survey.header().is_ok()).map(|(index, _)| index).collect())
}

fn survey_of(schema: &Schema) -> npy_core::Result<Survey> {
    // Decimals that become floats are named as a loss.
    Survey::new(schema, ArrayOptions::new().decimals_as_floats(true))
}

/// Reads without the message of a panic: the crates of Arrow panic on some damaged files, for which `npy-arrow` returns an error.
fn silent<T>(read: impl FnOnce() -> T) -> T {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    panic::set_hook(hook);
    result.unwrap_or_else(|panic| panic::resume_unwind(panic))
}

/// The columns that lead to the fields that are wanted, or needed to select rows; all columns if one is missing, which is an error
/// later. Where the dtype is part of the file, its fields are selected instead.
fn columns_of(schema: &Schema, ReadOptions { fields: wanted, filtered, .. }: &ReadOptions) -> Vec<usize> {
    let leads = |name: &str, path: &str| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let is_found = |path: &str| names.iter().any(|name| leads(name, path));
    let wanted = fields::rejoined(wanted, is_found);
    let is_missing =
        wanted.iter().any(|path| !is_found(path)) || filtered.iter().any(|(path, is_field)| *is_field && !is_found(path));
    let is_selected = !schema.metadata().contains_key(DESCR) && !wanted.is_empty() && !is_missing;
    let needed = || wanted.iter().chain(filtered.iter().map(|(path, _)| path));
    let is_read = |index: &usize| !is_selected || needed().any(|path| leads(names[*index], path));
    (0..names.len()).filter(is_read).collect()
}

fn reader(kind: Kind, path: &Path) -> Result<Box<dyn RecordBatchReader>> {
    Ok(match kind {
        Kind::Parquet => Box::new(parquet::read(path).map_err(failure_of)?),
        Kind::Ipc => Box::new(ipc::read(path).map_err(failure_of)?),
    })
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
        let mut reader = silent(|| reader(self.kind, self.file.path()))?;
        let (dtype, shape) = (self.item.header.dtype(), self.item.header.shape());
        let row: DType = match shape.get(1..) {
            None | Some([]) => dtype.clone(),
            Some(axes) => dtype.clone().sub_array(axes)?,
        };
        let schema = self.floats.schema(reader.schema().project(&self.columns).map_err(foreign)?).map_err(foreign)?;
        // Nulls were allowed, or there are none.
        let options = ArrayOptions::new().dtype(row).fill_nulls(Fill::NaN);
        let pieces = Pieces::default();
        let mut writer = BatchWriter::new(pieces.clone(), &schema, options).map_err(failure_of)?;
        pieces.0.borrow_mut().clear();
        let per_row: usize = shape.iter().skip(1).product();
        // Encoded texts are as wide as the widest.
        let step = (PIECE_BYTES / dtype.itemsize().saturating_mul(per_row).max(1)).max(1);
        while let Some(batch) = silent(|| reader.next()) {
            let batch = batch.and_then(|batch| self.floats.batch(batch.project(&self.columns)?)).map_err(foreign)?;
            losses::ROUNDED.note(std::mem::take(&mut self.floats.rounded));
            for begin in (0..batch.num_rows()).step_by(step) {
                let slice = batch.slice(begin, step.min(batch.num_rows() - begin));
                writer.write(&slice).map_err(failure_of)?;
                let bytes = std::mem::take(&mut *pieces.0.borrow_mut());
                let count = slice.num_rows().saturating_mul(per_row);
                sink(DynValues::new(dtype.clone(), Order::C, &[count], bytes)?)?;
            }
        }
        let expected = shape.first().map_or(1, |rows| *rows as u64);
        if writer.rows() != expected {
            return Err(Failure::Nameless("the file changed while it was read".to_owned()));
        }
        Ok(())
    }
}
