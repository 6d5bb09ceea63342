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

use crate::headers::{FileHeader, Headers};
use crate::options::ColumnOptions;
use crate::schema::{Merged, file_schema};
use crate::sink::NpySink;
use crate::source::NpySource;

/// The names of the formats in SQL, and the ends of their files' names.
pub(crate) const EXTENSIONS: [&str; 2] = [NPY, NPZ];

const NPY: &str = "npy";
const NPZ: &str = "npz";

/// Makes [`NpyFormat`]s, for `STORED AS NPY` and `STORED AS NPZ`.
/// [`enable_npy`](crate::SessionContextExt::enable_npy) registers it.
#[derive(Debug)]
pub struct NpyFormatFactory {
    extension: &'static str,
}

impl NpyFormatFactory {
    pub(crate) fn new(extension: &'static str) -> Self {
        Self { extension }
    }
}

impl Default for NpyFormatFactory {
    fn default() -> Self {
        Self::new(NPY)
    }
}

impl FileFormatFactory for NpyFormatFactory {
    fn create(&self, _state: &dyn Session, options: &HashMap<String, String>) -> Result<Arc<dyn FileFormat>> {
        Ok(Arc::new(NpyFormat { extension: self.extension, ..NpyFormat::new(ColumnOptions::from_sql(options)?) }))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(NpyFormat { extension: self.extension, ..NpyFormat::default() })
    }
}

impl GetExt for NpyFormatFactory {
    fn get_ext(&self) -> String {
        self.extension.to_owned()
    }
}

/// `.npy` files and `.npz` archives as tables: schema and exact row counts come from their headers alone.
///
/// [`NpyTable`](crate::NpyTable) is what most programs want.
#[derive(Debug)]
pub struct NpyFormat {
    pub(crate) options: ColumnOptions,
    headers: Arc<Headers>,
    extension: &'static str,
}

impl NpyFormat {
    pub(crate) fn new(options: ColumnOptions) -> Self {
        Self { options, headers: Arc::default(), extension: NPY }
    }

    pub(crate) async fn header(&self, store: &Arc<dyn ObjectStore>, meta: &ObjectMeta) -> Result<Arc<FileHeader>> {
        self.headers.get(store, meta, &self.options).await
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
        self.extension.to_owned()
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
                let header = headers.get(&store, &meta, &options).await?;
                let schema = file_schema(&meta, &header, &options)?;
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
        let header = self.header(store, object).await?;
        let mut statistics = Statistics::new_unknown(&table_schema);
        statistics.num_rows = Precision::Exact(header.row_count());
        statistics.total_byte_size = match usize::try_from(header.data_bytes()) {
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
        if self.extension == NPZ {
            return not_impl_err!("writing .npz archives; copy to .npy files, STORED AS NPY");
        }
        if config.insert_op != InsertOp::Append {
            return not_impl_err!("{} of .npy tables; insert, or copy into another directory", config.insert_op);
        }
        Ok(Arc::new(DataSinkExec::new(input, Arc::new(NpySink::new(config)), order)))
    }

    fn file_source(&self, table_schema: TableSchema) -> Arc<dyn FileSource> {
        Arc::new(NpySource::new(self.options.clone(), Arc::clone(&self.headers), table_schema))
    }
}
