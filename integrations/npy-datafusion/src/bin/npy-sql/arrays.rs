//! Rows as a file of an array, or of Parquet.

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek};
use std::path::{Path, PathBuf};

use npy_core::SaveOptions;
use npy_core::atomic::Output;
use npy_datafusion::datafusion::arrow::array::RecordBatch;
use npy_datafusion::datafusion::arrow::datatypes::{Schema, SchemaRef};
use npy_datafusion::datafusion::arrow::ipc::reader::FileReader;
use npy_datafusion::datafusion::arrow::ipc::writer::FileWriter;
use npy_datafusion::npy_arrow::parquet::parquet::arrow::ArrowWriter;
use npy_datafusion::npy_arrow::parquet::parquet::errors::ParquetError;
use npy_datafusion::npy_arrow::parquet::properties;
use npy_datafusion::npy_arrow::{ArrayOptions, BatchWriter, RowDType};

use crate::failure::{Failure, of_arrow};

/// An array of records.
pub(crate) enum NpyFile {
    /// Rows of a known dtype.
    Final(Box<BatchWriter<Output>>),
    /// The widest text sets the dtype, so that all rows come first: in a file without a name.
    Spooled { path: PathBuf, dtype: RowDType, spool: Box<FileWriter<BufWriter<File>>> },
}

impl NpyFile {
    pub(crate) fn create(path: &Path, schema: &Schema) -> Result<Self, Failure> {
        let dtype = RowDType::of(schema);
        if !dtype.has_texts() {
            let options = ArrayOptions::new().dtype(dtype.dtype()?);
            return Ok(Self::Final(Box::new(BatchWriter::create(path, schema, options)?)));
        }
        let spool = FileWriter::try_new_buffered(temporary()?, schema).map_err(|error| of_arrow(&error))?;
        Ok(Self::Spooled { path: path.to_owned(), dtype, spool: Box::new(spool) })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        match self {
            Self::Final(writer) => Ok(writer.write(batch)?),
            Self::Spooled { dtype, spool, .. } => {
                dtype.note(batch);
                spool.write(batch).map_err(|error| of_arrow(&error))
            }
        }
    }

    pub(crate) async fn commit(self) -> Result<(), Failure> {
        let (path, dtype, spool) = match self {
            Self::Final(writer) => return Ok(writer.commit()?),
            Self::Spooled { path, dtype, spool } => (path, dtype, spool),
        };
        let spool = spool.into_inner().map_err(|error| of_arrow(&error))?;
        let mut spool = spool.into_inner().map_err(|error| of_spool(&error.into_error()))?;
        spool.rewind().map_err(|error| of_spool(&error))?;
        let batches = FileReader::try_new(BufReader::new(spool), None).map_err(|error| of_arrow(&error))?;
        let mut writer = BatchWriter::create(path, &batches.schema(), ArrayOptions::new().dtype(dtype.dtype()?))?;
        for batch in batches {
            writer.write(&batch.map_err(|error| of_arrow(&error))?)?;
            // Signals are seen between batches.
            tokio::task::yield_now().await;
        }
        Ok(writer.commit()?)
    }
}

/// A temporary file without a name, so that none is left.
fn temporary() -> Result<File, Failure> {
    tempfile::tempfile().map_err(|error| of_spool(&error))
}

fn of_spool(error: &std::io::Error) -> Failure {
    let directory = std::env::temp_dir();
    Failure::new(format!("{}: cannot write a temporary file: {error}; TMPDIR sets another directory", directory.display()))
}

/// A Parquet file.
pub(crate) struct ParquetFile {
    file: Option<Output>,
    schema: SchemaRef,
    /// After the first batch, which decides the properties.
    writer: Option<ArrowWriter<Output>>,
}

impl ParquetFile {
    pub(crate) fn create(path: &Path, schema: SchemaRef) -> Result<Self, Failure> {
        Ok(Self { file: Some(Output::create(path, SaveOptions::new())?), schema, writer: None })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        if let Some(file) = self.file.take() {
            let writer = ArrowWriter::try_new(file, self.schema.clone(), Some(properties(batch)));
            self.writer = Some(writer.map_err(|error| of_parquet(&error))?);
        }
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write(batch)).map_err(|error| of_parquet(&error))
    }

    pub(crate) fn commit(mut self) -> Result<(), Failure> {
        if self.writer.is_none() {
            self.write(&RecordBatch::new_empty(self.schema.clone()))?;
        }
        match self.writer {
            Some(writer) => Ok(writer.into_inner().map_err(|error| of_parquet(&error))?.commit()?),
            None => Ok(()),
        }
    }
}

fn of_parquet(error: &ParquetError) -> Failure {
    Failure::new(error.to_string())
}
