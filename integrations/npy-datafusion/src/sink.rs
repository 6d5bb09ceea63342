//! Rows into new files, each of which appears as a whole.

use std::fmt;
use std::fs::File;
use std::path::Path as LocalPath;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{RecordBatch, RecordBatchIterator};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::runtime::{JoinSet, SpawnedTask};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::physical_plan::{FileSink, FileSinkConfig};
use datafusion::datasource::sink::DataSink;
use datafusion::execution::spill_file::SpillFile;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType};
use datafusion_datasource::write::demux::DemuxedStreamReceiver;
use datafusion_datasource::write::get_writer_schema;
use npy_arrow::BatchWriter;
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc::Receiver;

use crate::dtype::{RowDType, Widths};

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
        while let Some((path, batches)) = files.recv().await {
            let complete = disk.create_tmp_file("an .npy file")?;
            let spool = disk.create_tmp_file("batches for an .npy file")?;
            let schema = Arc::clone(&schema);
            tasks.spawn_blocking(move || {
                let rows = write(local(&*complete)?, local(&*spool)?, &schema, batches)?;
                Ok::<_, DataFusionError>((path, complete, rows))
            });
        }
        let (mut written, mut rows) = (Vec::new(), 0);
        while let Some(task) = tasks.join_next().await {
            let (path, file, count) = task.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
            written.push((path, file));
            rows += count;
        }
        // After an error of the plan, the files are short.
        demux.join_unwind().await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
        upload_all(&store, &written, context.session_config().options().execution.objectstore_writer_buffer_size).await?;
        Ok(rows)
    }
}

fn local(file: &dyn SpillFile) -> Result<&LocalPath> {
    file.path().ok_or_else(|| {
        DataFusionError::Execution("cannot write .npy files: the session has no directory for temporary files".to_owned())
    })
}

/// Writes the batches of a file, and returns their rows.
fn write(path: &LocalPath, spool: &LocalPath, schema: &SchemaRef, mut batches: Receiver<RecordBatch>) -> Result<u64> {
    let external = |error: npy_arrow::Error| DataFusionError::External(Box::new(error));
    let batches = std::iter::from_fn(|| batches.blocking_recv());
    let dtype = RowDType::of(schema)?;
    if dtype.lacks_widths() {
        // The widest text sets the dtype, so that all batches have to come first.
        let mut widths = Widths::default();
        let mut failed = Ok(());
        let measured = batches.inspect(|batch| {
            if failed.is_ok() {
                failed = widths.add(batch);
            }
        });
        npy_arrow::ipc::write(spool, RecordBatchIterator::new(measured.map(Ok), Arc::clone(schema))).map_err(external)?;
        failed?;
        let options = dtype.options(&widths).map_err(external)?;
        return npy_arrow::ipc::to_npy(spool, path, options).map_err(external);
    }
    let file = File::create(path)?;
    let options = dtype.options(&Widths::default()).map_err(external)?;
    let mut writer = BatchWriter::new(file, schema, options).map_err(external)?;
    for batch in batches {
        writer.write(&batch).map_err(external)?;
    }
    let rows = writer.rows();
    writer.finish().map_err(external)?;
    Ok(rows)
}

/// Uploads files; all of them, or none.
async fn upload_all(store: &Arc<dyn ObjectStore>, files: &[(Path, Arc<dyn SpillFile>)], buffer: usize) -> Result<()> {
    for (index, (path, file)) in files.iter().enumerate() {
        if let Err(error) = upload(store, path, local(&**file)?, buffer).await {
            for (path, _) in &files[..index] {
                // The first error is the one to be told.
                let _ = store.delete(path).await;
            }
            return Err(error.context(format!("cannot write {path}")));
        }
    }
    Ok(())
}

async fn upload(store: &Arc<dyn ObjectStore>, path: &Path, file: &LocalPath, buffer: usize) -> Result<()> {
    let mut file = tokio::fs::File::open(file).await?;
    let mut object = BufWriter::with_capacity(Arc::clone(store), path.clone(), buffer);
    let copied = async {
        tokio::io::copy(&mut file, &mut object).await?;
        object.shutdown().await
    };
    if let Err(error) = copied.await {
        let _ = object.abort().await;
        return Err(error.into());
    }
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
