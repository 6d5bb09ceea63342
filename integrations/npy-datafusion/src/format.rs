//! `.npy` as a file format of DataFusion.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::Session;
use datafusion::common::stats::Precision;
use datafusion::common::{DataFusionError, GetExt, Result, Statistics, not_impl_err, plan_err};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion::datasource::physical_plan::{FileScanConfig, FileSinkConfig, FileSource};
use datafusion::datasource::sink::DataSinkExec;
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_expr::LexRequirement;
use datafusion::physical_plan::ExecutionPlan;
use futures::stream::{self, StreamExt, TryStreamExt};
use object_store::{ObjectMeta, ObjectStore};

use crate::headers::Headers;
use crate::options::ColumnOptions;
use crate::schema::{Merged, decoder};
use crate::sink::NpySink;
use crate::source::NpySource;

/// The name of the format in SQL, and the end of its files' names.
pub(crate) const EXTENSION: &str = "npy";

/// Makes [`NpyFormat`]s, for `COPY … STORED AS NPY`.
/// [`enable_npy`](crate::SessionContextExt::enable_npy) registers it.
#[derive(Debug, Default)]
pub struct NpyFormatFactory {}

impl FileFormatFactory for NpyFormatFactory {
    fn create(&self, _state: &dyn Session, options: &HashMap<String, String>) -> Result<Arc<dyn FileFormat>> {
        Ok(Arc::new(NpyFormat::new(ColumnOptions::from_sql(options)?)))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(NpyFormat::default())
    }
}

impl GetExt for NpyFormatFactory {
    fn get_ext(&self) -> String {
        EXTENSION.to_owned()
    }
}

/// `.npy` files as tables: schema and exact row counts come from their headers alone.
///
/// [`NpyTable`](crate::NpyTable) is what most programs want.
#[derive(Debug)]
pub struct NpyFormat {
    pub(crate) options: ColumnOptions,
    headers: Arc<Headers>,
}

impl NpyFormat {
    pub(crate) fn new(options: ColumnOptions) -> Self {
        Self { options, headers: Arc::default() }
    }
}

impl Default for NpyFormat {
    fn default() -> Self {
        Self::new(crate::NpyOptions::new().columns)
    }
}

#[async_trait]
impl FileFormat for NpyFormat {
    fn get_ext(&self) -> String {
        EXTENSION.to_owned()
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        if compression.is_compressed() {
            return not_impl_err!("compressed .npy files; decompress them first");
        }
        Ok(self.get_ext())
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        None
    }

    async fn infer_schema(&self, state: &dyn Session, store: &Arc<dyn ObjectStore>, objects: &[ObjectMeta]) -> Result<SchemaRef> {
        // Owned, because a stream of futures that borrow is not general enough for this trait.
        let schemas = stream::iter(objects.to_vec()).map(|meta| {
            let (headers, store, options) = (Arc::clone(&self.headers), Arc::clone(store), self.options.clone());
            async move {
                let header = headers.get(&*store, &meta).await?;
                let schema = Arc::clone(decoder(&meta, &header, &options, None)?.schema());
                Ok::<_, DataFusionError>((meta, schema))
            }
        });
        let mut schemas = schemas.buffered(state.config_options().execution.meta_fetch_concurrency.get());
        let mut merged = Merged::default();
        while let Some((meta, schema)) = schemas.try_next().await? {
            merged.add(&meta, &schema)?;
        }
        let Some(schema) = merged.finish() else {
            return plan_err!("no .npy file at the location; declare the columns of a table that is still empty");
        };
        Ok(schema)
    }

    async fn infer_stats(
        &self,
        _state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        table_schema: SchemaRef,
        object: &ObjectMeta,
    ) -> Result<Statistics> {
        let header = self.headers.get(store, object).await?;
        let mut statistics = Statistics::new_unknown(&table_schema);
        statistics.num_rows = Precision::Exact(header.rows(None)?.len());
        statistics.total_byte_size = match usize::try_from(header.header.data_bytes()) {
            Ok(bytes) => Precision::Inexact(bytes),
            Err(_) => Precision::Absent,
        };
        for (column, field) in statistics.column_statistics.iter_mut().zip(table_schema.fields()) {
            // Only times have a missing value.
            if !field.is_nullable() {
                column.null_count = Precision::Exact(0);
            }
        }
        Ok(statistics)
    }

    async fn create_physical_plan(&self, _state: &dyn Session, scan: FileScanConfig) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(DataSourceExec::from_data_source(scan))
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        _state: &dyn Session,
        config: FileSinkConfig,
        order: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if config.insert_op != InsertOp::Append {
            return not_impl_err!("{} of .npy tables; insert, or copy into another directory", config.insert_op);
        }
        Ok(Arc::new(DataSinkExec::new(input, Arc::new(NpySink::new(config)), order)))
    }

    fn file_source(&self, table_schema: TableSchema) -> Arc<dyn FileSource> {
        Arc::new(NpySource::new(self.options.clone(), Arc::clone(&self.headers), table_schema))
    }
}
