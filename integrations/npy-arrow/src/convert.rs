//! Tables in files as arrays, in the memory of one batch. They are read twice where a dtype depends on the values.

use std::fs::File;
use std::io::{Seek, copy};
use std::path::Path;

use arrow_array::RecordBatchReader;
use npy_core::{Error, ErrorKind, Result};

use crate::error::of_arrow;
use crate::options::ArrayOptions;
use crate::survey::Survey;
use crate::write::BatchWriter;

/// Opens a file. What cannot be read twice, such as a pipe, is copied to a temporary file.
pub(crate) fn open(path: &Path) -> Result<File> {
    let cannot_open = |error| Error::io("cannot open the file", error);
    let mut file = File::open(path).map_err(cannot_open)?;
    if file.metadata().map_err(cannot_open)?.is_file() {
        return Ok(file);
    }
    let cannot_copy = |error| Error::io("cannot copy the stream to a temporary file", error);
    let mut spool = tempfile::tempfile().map_err(cannot_copy)?;
    copy(&mut file, &mut spool).and_then(|_| spool.rewind()).map_err(cannot_copy)?;
    Ok(spool)
}

/// Saves a table as an array. `read` reads it from its beginning.
pub(crate) fn to_npy<R: RecordBatchReader>(read: impl Fn() -> Result<R>, npy: &Path, mut options: ArrayOptions) -> Result<u64> {
    let mut batches = read()?;
    let schema = batches.schema();
    // Errors of the schema come before a file is created.
    let mut survey = Survey::new(&schema, options.clone())?;
    let is_surveyed = Survey::is_needed(&schema, &options);
    if is_surveyed {
        for batch in batches {
            survey.note(&batch.map_err(of_arrow)?)?;
        }
        options.dtype = Some(survey.row()?);
        batches = read()?;
    }
    let mut writer = BatchWriter::create(npy, &schema, options)?;
    for batch in batches {
        writer.write_in_slices(&batch.map_err(of_arrow)?)?;
    }
    let (rows, expected) = (writer.rows(), survey.rows as u64);
    if is_surveyed && rows != expected {
        let message = format!("file changed while it was read: expected a length of {expected}, found {rows}; convert it again");
        return Err(Error::new(ErrorKind::Conflict, message));
    }
    writer.commit()?;
    Ok(rows)
}
