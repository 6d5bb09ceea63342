//! Tables and scans in the plans that a cluster sends.
//!
//! Messages of these codecs begin with `npy-datafusion/` and a version. All others are those of the
//! codec that they wrap.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, TableReference, internal_datafusion_err, not_impl_err};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl, PartitionedFile};
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, Expr, Extension, HigherOrderUDF, LogicalPlan, ScalarUDF, WindowUDF};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr_common::physical_expr::proto_decode::PhysicalExprDecodeCtx;
use datafusion::physical_expr_common::physical_expr::proto_encode::PhysicalExprEncodeCtx;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::from_proto::{parse_protobuf_file_scan_config, parse_table_schema_from_proto};
use datafusion_proto::physical_plan::to_proto::serialize_file_scan_config;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalPlanDecodeContext, PhysicalProtoConverterExtension};
use datafusion_proto::protobuf;
use prost::Message;

use crate::format::{NpyFormat, NpyFormatFactory};
use crate::options::ColumnOptions;
use crate::source::{NpySource, scan_of};
use crate::table::{NpyTable, ident};

/// The beginning of all messages of this crate.
const TAG: &[u8] = b"npy-datafusion/";

/// The version of the messages. A change that older ones would misread has another one.
const VERSION: u8 = 1;

/// A table on its way to a scheduler.
#[derive(Clone, PartialEq, Message)]
struct TableMessage {
    #[prost(message, repeated, tag = "1")]
    locations: Vec<LocationMessage>,
    #[prost(string, tag = "2")]
    extension: String,
    /// Columns of the files, then columns of the directories.
    #[prost(message, optional, tag = "3")]
    file_schema: Option<protobuf::Schema>,
    #[prost(message, optional, tag = "4")]
    partition_schema: Option<protobuf::Schema>,
    #[prost(map = "string, string", tag = "5")]
    options: HashMap<String, String>,
    #[prost(message, repeated, tag = "6")]
    order: Vec<KeyMessage>,
    /// Rows that the query skips.
    #[prost(uint64, tag = "7")]
    skip: u64,
}

#[derive(Clone, PartialEq, Message)]
struct LocationMessage {
    #[prost(string, tag = "1")]
    url: String,
    #[prost(string, optional, tag = "2")]
    pattern: Option<String>,
}

/// A column that files are sorted by.
#[derive(Clone, PartialEq, Message)]
struct KeyMessage {
    #[prost(string, tag = "1")]
    column: String,
    #[prost(bool, tag = "2")]
    is_ascending: bool,
    #[prost(bool, tag = "3")]
    nulls_first: bool,
}

/// A scan on its way to an executor.
#[derive(Clone, PartialEq, Message)]
struct ScanMessage {
    #[prost(message, optional, tag = "1")]
    scan: Option<protobuf::FileScanExecConf>,
    #[prost(message, optional, tag = "2")]
    predicate: Option<protobuf::PhysicalExprNode>,
    #[prost(map = "string, string", tag = "3")]
    options: HashMap<String, String>,
    /// Files that are not part of the scan.
    #[prost(uint64, tag = "4")]
    pruned_files: u64,
}

fn write(message: &impl Message, buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(TAG);
    buffer.push(VERSION);
    message.encode_raw(buffer);
}

/// The message of this crate in some bytes; `None` if they are of another codec.
fn read<M: Message + Default>(bytes: &[u8]) -> Option<Result<M>> {
    let (version, message) = bytes.strip_prefix(TAG)?.split_first()?;
    if *version != VERSION {
        return Some(Err(DataFusionError::Plan(format!(
            "plan of npy-datafusion with messages of version {version}: expected version {VERSION}; run the same version of \
             npy-datafusion on the client, the scheduler and the executors"
        ))));
    }
    Some(M::decode(message).map_err(|error| DataFusionError::Plan(format!("damaged plan of npy-datafusion: {error}"))))
}

fn missing(what: &str) -> DataFusionError {
    DataFusionError::Plan(format!("damaged plan of npy-datafusion: {what} is missing"))
}

/// Sends [`NpyTable`]s, and everything else as the codec that it wraps.
///
/// ```
/// use std::sync::Arc;
///
/// use datafusion_proto::logical_plan::DefaultLogicalExtensionCodec;
/// use npy_datafusion::NpyLogicalCodec;
///
/// // Of Ballista: `BallistaLogicalExtensionCodec::default()`.
/// let codec = NpyLogicalCodec::new(Arc::new(DefaultLogicalExtensionCodec {}));
/// # let _ = codec;
/// ```
#[derive(Debug)]
pub struct NpyLogicalCodec {
    inner: Arc<dyn LogicalExtensionCodec>,
}

impl NpyLogicalCodec {
    /// Wraps a codec.
    pub fn new(inner: Arc<dyn LogicalExtensionCodec>) -> Self {
        Self { inner }
    }
}

impl TableMessage {
    fn of(table: &NpyTable) -> Result<Self> {
        let (skip, table) = (table.skip() as u64, table.listing());
        let options = table.options();
        let format = options.format.downcast_ref::<NpyFormat>();
        let format = format.ok_or_else(|| internal_datafusion_err!("a table of another format than NPY"))?;
        let all = datafusion::catalog::TableProvider::schema(table);
        let (file, partitions) = all.fields().split_at(all.fields().len() - options.table_partition_cols.len());
        let file = Schema::new(file.to_vec()).with_metadata(all.metadata().clone());
        let locations = table.table_paths().iter().map(|url| {
            let pattern = url.get_glob().as_ref().map(|pattern| pattern.as_str().to_owned());
            LocationMessage { url: url.as_str().to_owned(), pattern }
        });
        let keys = options.file_sort_order.first().into_iter().flatten().map(|key| match &key.expr {
            Expr::Column(column) => {
                Ok(KeyMessage { column: column.name.clone(), is_ascending: key.asc, nulls_first: key.nulls_first })
            }
            other => Err(DataFusionError::NotImplemented(format!("tables sorted by {other} on a cluster; sort by columns"))),
        });
        Ok(Self {
            locations: locations.collect(),
            extension: options.file_extension.clone(),
            file_schema: Some((&file).try_into()?),
            partition_schema: Some((&Schema::new(partitions.to_vec())).try_into()?),
            options: format.options.to_sql(),
            order: keys.collect::<Result<_>>()?,
            skip,
        })
    }

    fn table(self) -> Result<NpyTable> {
        let schema = |message: Option<protobuf::Schema>| {
            let message = message.ok_or_else(|| missing("a schema"))?;
            Schema::try_from(&message).map_err(DataFusionError::from)
        };
        let urls = self.locations.iter().map(|location| {
            let url = ListingTableUrl::parse(&location.url)?;
            location.pattern.as_ref().map_or(Ok(url.clone()), |pattern| url.with_glob(pattern))
        });
        let partitions = schema(self.partition_schema)?;
        let partitions = partitions.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect();
        let keys: Vec<_> = self.order.iter().map(|key| ident(&key.column).sort(key.is_ascending, key.nulls_first)).collect();
        let format = NpyFormat::new(ColumnOptions::from_sql(&self.options)?);
        let options = ListingOptions::new(Arc::new(format))
            .with_file_extension(self.extension)
            .with_table_partition_cols(partitions)
            .with_file_sort_order(if keys.is_empty() { Vec::new() } else { vec![keys] });
        let config = ListingTableConfig::new_with_multi_paths(urls.collect::<Result<_>>()?)
            .with_listing_options(options)
            .with_schema(Arc::new(schema(self.file_schema)?));
        let skip = usize::try_from(self.skip).map_err(|_| missing("a number of rows that fits in memory"))?;
        Ok(NpyTable::new(ListingTable::try_new(config)?)?.skipping(skip))
    }
}

impl LogicalExtensionCodec for NpyLogicalCodec {
    fn try_encode_table_provider(&self, name: &TableReference, node: Arc<dyn TableProvider>, buffer: &mut Vec<u8>) -> Result<()> {
        let Some(table) = node.downcast_ref::<NpyTable>() else {
            return self.inner.try_encode_table_provider(name, node, buffer);
        };
        write(&TableMessage::of(table)?, buffer);
        Ok(())
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match read::<TableMessage>(bytes) {
            Some(message) => Ok(Arc::new(message?.table()?)),
            None => self.inner.try_decode_table_provider(bytes, name, schema, context),
        }
    }

    fn try_decode(&self, bytes: &[u8], inputs: &[LogicalPlan], context: &TaskContext) -> Result<Extension> {
        self.inner.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, buffer: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode(node, buffer)
    }

    fn try_decode_file_format(&self, bytes: &[u8], context: &TaskContext) -> Result<Arc<dyn FileFormatFactory>> {
        self.inner.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(&self, buffer: &mut Vec<u8>, node: Arc<dyn FileFormatFactory>) -> Result<()> {
        // Ballista would take it for another format.
        if node.downcast_ref::<NpyFormatFactory>().is_some() {
            return not_impl_err!(
                "COPY to .npy files on a cluster; STORED AS PARQUET works there, or collect the rows and copy them in a local session"
            );
        }
        self.inner.try_encode_file_format(buffer, node)
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        self.inner.try_decode_udf(name, bytes)
    }

    fn try_encode_udf(&self, node: &ScalarUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode_udf(node, buffer)
    }

    fn try_decode_higher_order_function(&self, name: &str, bytes: &[u8]) -> Result<Arc<HigherOrderUDF>> {
        self.inner.try_decode_higher_order_function(name, bytes)
    }

    fn try_encode_higher_order_function(&self, node: &HigherOrderUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode_higher_order_function(node, buffer)
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.inner.try_decode_udaf(name, bytes)
    }

    fn try_encode_udaf(&self, node: &AggregateUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode_udaf(node, buffer)
    }

    fn try_decode_udwf(&self, name: &str, bytes: &[u8]) -> Result<Arc<WindowUDF>> {
        self.inner.try_decode_udwf(name, bytes)
    }

    fn try_encode_udwf(&self, node: &WindowUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode_udwf(node, buffer)
    }
}

/// Sends scans of `.npy` files, and everything else as the codec that it wraps.
///
/// ```
/// use std::sync::Arc;
///
/// use datafusion_proto::physical_plan::DefaultPhysicalExtensionCodec;
/// use npy_datafusion::NpyPhysicalCodec;
///
/// // Of Ballista: `BallistaPhysicalExtensionCodec::default()`.
/// let codec = NpyPhysicalCodec::new(Arc::new(DefaultPhysicalExtensionCodec {}));
/// # let _ = codec;
/// ```
#[derive(Debug)]
pub struct NpyPhysicalCodec {
    inner: Arc<dyn PhysicalExtensionCodec>,
}

impl NpyPhysicalCodec {
    /// Wraps a codec.
    pub fn new(inner: Arc<dyn PhysicalExtensionCodec>) -> Self {
        Self { inner }
    }
}

/// The scan as an executor needs it. What is known of each file has served the planner, and would be most of the
/// message of a table of many files.
fn without_file_statistics(scan: &FileScanConfig) -> FileScanConfig {
    let without = |file: &PartitionedFile| PartitionedFile { statistics: None, ..file.clone() };
    let groups = scan.file_groups.iter().map(|group| FileGroup::new(group.iter().map(without).collect()));
    FileScanConfigBuilder::from(scan.clone()).with_file_groups(groups.collect()).build()
}

impl PhysicalExtensionCodec for NpyPhysicalCodec {
    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buffer: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let Some((scan, source)) = scan_of(&node) else { return self.inner.try_encode(node, buffer, converter) };
        let predicate = source.predicate.as_ref().map(|predicate| converter.physical_expr_to_proto(predicate, self));
        let message = ScanMessage {
            scan: Some(serialize_file_scan_config(&without_file_statistics(scan), self, converter)?),
            predicate: predicate.transpose()?,
            options: source.options.to_sql(),
            pruned_files: source.pruned_files as u64,
        };
        write(&message, buffer);
        Ok(())
    }

    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let message = match read::<ScanMessage>(bytes) {
            Some(message) => message?,
            None => return self.inner.try_decode(bytes, inputs, context, converter),
        };
        let scan = message.scan.ok_or_else(|| missing("a scan"))?;
        let schema = parse_table_schema_from_proto(&scan)?;
        let decoding = PhysicalPlanDecodeContext::new(context, self);
        let predicate = message.predicate.as_ref();
        let predicate =
            predicate.map(|predicate| converter.proto_to_physical_expr(predicate, schema.table_schema(), &decoding)).transpose()?;
        let options = ColumnOptions::from_sql(&message.options)?;
        let pruned_files = usize::try_from(message.pruned_files).unwrap_or(usize::MAX);
        let source = NpySource::new(options, Arc::default(), schema).with_predicate(predicate).with_pruned_files(pruned_files);
        let scan = parse_protobuf_file_scan_config(&scan, &decoding, converter, Arc::new(source))?;
        Ok(DataSourceExec::from_data_source(scan))
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        self.inner.try_decode_udf(name, bytes)
    }

    fn try_encode_udf(&self, node: &ScalarUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode_udf(node, buffer)
    }

    fn try_decode_higher_order_function(&self, name: &str, bytes: &[u8]) -> Result<Arc<HigherOrderUDF>> {
        self.inner.try_decode_higher_order_function(name, bytes)
    }

    fn try_encode_higher_order_function(&self, node: &HigherOrderUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode_higher_order_function(node, buffer)
    }

    fn try_decode_expr(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn PhysicalExpr>],
        context: &PhysicalExprDecodeCtx<'_>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        self.inner.try_decode_expr(bytes, inputs, context)
    }

    fn try_encode_expr(
        &self,
        node: &Arc<dyn PhysicalExpr>,
        buffer: &mut Vec<u8>,
        context: &PhysicalExprEncodeCtx<'_>,
    ) -> Result<()> {
        self.inner.try_encode_expr(node, buffer, context)
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.inner.try_decode_udaf(name, bytes)
    }

    fn try_encode_udaf(&self, node: &AggregateUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode_udaf(node, buffer)
    }

    fn try_decode_udwf(&self, name: &str, bytes: &[u8]) -> Result<Arc<WindowUDF>> {
        self.inner.try_decode_udwf(name, bytes)
    }

    fn try_encode_udwf(&self, node: &WindowUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode_udwf(node, buffer)
    }
}
