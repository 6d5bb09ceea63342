//! Rows into new files, each of which appears as a whole.

use std::fmt;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path as LocalPath;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::BytesMut;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::common::runtime::{JoinSet, SpawnedTask};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::physical_plan::{FileSink, FileSinkConfig};
use datafusion::datasource::sink::DataSink;
use datafusion::execution::disk_manager::DiskManager;
use datafusion::execution::spill_file::SpillFile;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType};
use datafusion_datasource::write::demux::DemuxedStreamReceiver;
use datafusion_datasource::write::get_writer_schema;
use npy_arrow::{ArrayOptions, BatchWriter, RowDType};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, WriteMultipart};
use tokio::io::AsyncReadExt;
use tokio::task::JoinError;

use crate::error::{external, of_store};

/// Parts of an upload in flight.
const PARTS_IN_FLIGHT: usize = 8;

/// Writes `.npy` files: `COPY` and `INSERT INTO`.
///
/// The number of rows stands in the header, and is known at the end. So rows go to temporary files
/// first; those are uploaded when all of them are complete. If one fails, those before it are deleted.
pub(crate) struct NpySink {
    config: FileSinkConfig,
}

impl NpySink {
    pub(crate) fn new(config: FileSinkConfig) -> Self {
        Self { config }
    }
}

#[async_trait]
impl FileSink for NpySink {
    fn config(&self) -> &FileSinkConfig {
        &self.config
    }

    async fn spawn_writer_tasks_and_join(
        &self,
        context: &Arc<TaskContext>,
        demux: SpawnedTask<Result<()>>,
        mut files: DemuxedStreamReceiver,
        store: Arc<dyn ObjectStore>,
    ) -> Result<u64> {
        let schema = get_writer_schema(&self.config);
        let disk = &context.runtime_env().disk_manager;
        let mut tasks = JoinSet::new();
        while let Some((path, mut batches)) = files.recv().await {
            let mut file = PendingFile::create(disk, &schema)?;
            // Each file has a task that waits without a thread: there may be many files at the same time.
            tasks.spawn(async move {
                while let Some(batch) = batches.recv().await {
                    file.write(&batch)?;
                }
                let (file, rows) = file.finish().await?;
                Ok::<_, DataFusionError>((path, file, rows))
            });
        }
        let (mut written, mut rows) = (Vec::new(), 0);
        while let Some(task) = tasks.join_next().await {
            let (path, file, count) = task.map_err(execution_join)??;
            written.push((path, file));
            rows += count;
        }
        // After an error of the plan, the files are short.
        demux.join_unwind().await.map_err(execution_join)??;
        upload_all(&store, &written, context.session_config().options().execution.objectstore_writer_buffer_size).await?;
        Ok(rows)
    }
}

/// A file that is being written, in the directory for temporary files.
struct PendingFile {
    file: Arc<dyn SpillFile>,
    dtype: RowDType,
    rows: Rows,
}

enum Rows {
    /// Rows of a known dtype.
    Final(Box<BatchWriter<File>>),
    /// The widest text sets the dtype, so that all batches have to come first.
    Spooled { spool: Arc<dyn SpillFile>, writer: Box<FileWriter<BufWriter<File>>> },
}

impl PendingFile {
    fn create(disk: &Arc<DiskManager>, schema: &Schema) -> Result<Self> {
        let dtype = RowDType::of(schema);
        let file = disk.create_tmp_file("an .npy file")?;
        let rows = if dtype.has_texts() {
            let spool = disk.create_tmp_file("batches for an .npy file")?;
            let writer = FileWriter::try_new(BufWriter::new(File::create(local(&*spool)?)?), schema)?;
            Rows::Spooled { spool, writer: Box::new(writer) }
        } else {
            let options = ArrayOptions::new().dtype(dtype.dtype().map_err(external)?);
            Rows::Final(Box::new(BatchWriter::new(File::create(local(&*file)?)?, schema, options).map_err(external)?))
        };
        Ok(Self { file, dtype, rows })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.rows {
            Rows::Final(writer) => writer.write(batch).map_err(external),
            Rows::Spooled { writer, .. } => {
                self.dtype.note(batch);
                Ok(writer.write(batch)?)
            }
        }
    }

    /// Returns the complete file and its rows.
    async fn finish(self) -> Result<(Arc<dyn SpillFile>, u64)> {
        let Self { file, dtype, rows } = self;
        let rows = match rows {
            Rows::Final(writer) => {
                let rows = writer.rows();
                writer.finish().map_err(external)?;
                rows
            }
            Rows::Spooled { spool, mut writer } => {
                writer.finish()?;
                drop(writer);
                let options = ArrayOptions::new().dtype(dtype.dtype().map_err(external)?);
                let target = Arc::clone(&file);
                let convert = move || npy_arrow::ipc::to_npy(local(&*spool)?, local(&*target)?, options).map_err(external);
                SpawnedTask::spawn_blocking(convert).join_unwind().await.map_err(execution_join)??
            }
        };
        Ok((file, rows))
    }
}

fn local(file: &dyn SpillFile) -> Result<&LocalPath> {
    let no_disk = "cannot write .npy files: the session has no directory for temporary files";
    file.path().ok_or_else(|| DataFusionError::Execution(no_disk.to_owned()))
}

fn execution_join(error: JoinError) -> DataFusionError {
    DataFusionError::ExecutionJoin(Box::new(error))
}

/// Uploads files. If one fails, those before it are deleted, as far as the store lets them be.
async fn upload_all(store: &Arc<dyn ObjectStore>, files: &[(Path, Arc<dyn SpillFile>)], part: usize) -> Result<()> {
    for (index, (path, file)) in files.iter().enumerate() {
        if let Err(error) = upload(store, path, local(&**file)?, part).await {
            for (path, _) in &files[..index] {
                // The first error says what went wrong.
                let _ = store.delete(path).await;
            }
            let error = of_store(error, store, path, "cannot write the object").await;
            return Err(error.context(format!("cannot write {path}")));
        }
    }
    Ok(())
}

/// Uploads a file, at once or in parts; it appears as a whole.
async fn upload(store: &Arc<dyn ObjectStore>, path: &Path, file: &LocalPath, part: usize) -> Result<()> {
    let mut file = tokio::fs::File::open(file).await?;
    let length = file.metadata().await?.len();
    let mut bytes = BytesMut::with_capacity(part.min(usize::try_from(length).unwrap_or(part)));
    if length <= part as u64 {
        while file.read_buf(&mut bytes).await? > 0 {}
        store.put(path, bytes.freeze().into()).await?;
        return Ok(());
    }
    let mut upload = WriteMultipart::new_with_chunk_size(store.put_multipart(path).await?, part);
    loop {
        bytes.reserve(part.min(1 << 20));
        let step = async {
            upload.wait_for_capacity(PARTS_IN_FLIGHT).await?;
            Ok::<_, DataFusionError>(file.read_buf(&mut bytes).await?)
        };
        match step.await {
            Ok(0) => break,
            Ok(_) => upload.put(bytes.split().freeze()),
            Err(error) => {
                // The first error says what went wrong.
                let _ = upload.abort().await;
                return Err(error);
            }
        }
    }
    // It aborts the upload if that fails.
    upload.finish().await?;
    Ok(())
}

#[async_trait]
impl DataSink for NpySink {
    fn schema(&self) -> &SchemaRef {
        self.config.output_schema()
    }

    async fn write_all(&self, data: SendableRecordBatchStream, context: &Arc<TaskContext>) -> Result<u64> {
        FileSink::write_all(self, data, context).await
    }
}

impl fmt::Debug for NpySink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpySink").finish_non_exhaustive()
    }
}

impl DisplayAs for NpySink {
    fn fmt_as(&self, _t: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NpySink: {}", self.config.original_url)
    }
}
