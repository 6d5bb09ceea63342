//! Files of records as a table.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{ScanArgs, ScanResult, Session, TableProvider, TableProviderFactory};
use datafusion::common::{Column, Constraints, Result, internal_datafusion_err, plan_err};
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::datasource::listing_table_factory::ListingTableFactory;
use datafusion::execution::cache::TableScopedPath;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{CreateExternalTable, Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

use crate::bounds::Key;
use crate::error::listed;
use crate::format::NpyFormat;
use crate::locations;
use crate::options::NpyOptions;
use crate::order::fix_files;
use crate::partitions;
use crate::prune::prune;
use crate::skip::skip_rows;

/// A table of `.npy` files: one, those of a directory or a pattern, shards, or directories that are
/// named after values, such as `year=2026/`. Or of `.npz` archives: one, or those of a pattern.
///
/// Its columns are the fields of the records, or `value` for other arrays; or the members of archives. Files that differ in byte
/// order, padding or the order of their fields are one table.
///
/// It is a [`ListingTable`] that a cluster can be sent: see [`NpyLogicalCodec`](crate::NpyLogicalCodec).
///
/// ```
/// use std::sync::Arc;
///
/// use npy_datafusion::datafusion::prelude::SessionContext;
/// use npy_datafusion::{NpyOptions, NpyTable};
///
/// # #[tokio::main]
/// # async fn main() -> npy_datafusion::datafusion::error::Result<()> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("a.npy");
/// npy_arrow::npy_core::save(&path, &[1.5_f64, 2.5, 4.0]).unwrap();
/// let session = SessionContext::new();
/// let table = NpyTable::open(&session.state(), [path.to_str().unwrap()], NpyOptions::new()).await?;
/// session.register_table("a", Arc::new(table))?;
/// let batches = session.sql("SELECT sum(value) FROM a WHERE value > 2").await?.collect().await?;
/// # assert_eq!(format!("{:?}", batches[0].column(0)), "PrimitiveArray<Float64>\n[\n  6.5,\n]");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct NpyTable {
    listing: ListingTable,
    /// The number of rows that a query skips.
    skip: usize,
}

impl NpyTable {
    /// Lists files and reads their headers.
    ///
    /// A location is a path or a URL of a file or a directory, or one with a pattern, such as
    /// `data/*.npy`; that of a directory ends in `/`. Directories that are named after values are columns: see
    /// [`NpyOptions::partitioned_by`].
    ///
    /// # Errors
    ///
    /// Fails if there is no file, or if the columns of two files or of their directories differ. The error names the file.
    ///
    /// See [`NpyTable`] for an example.
    pub async fn open<L: AsRef<str>>(
        session: &dyn Session,
        locations: impl IntoIterator<Item = L>,
        options: NpyOptions,
    ) -> Result<Self> {
        let locations: Vec<L> = locations.into_iter().collect();
        let urls = locations.iter().map(|location| locations::parse(location.as_ref())).collect::<Result<Vec<_>>>()?;
        let format = Arc::new(NpyFormat::new(options.columns));
        let order: Vec<_> = options.sorted_by.iter().map(|name| ident(name).sort(true, false)).collect();
        let extension = extension(&urls)?;
        let listing = ListingOptions::new(format).with_file_extension(extension).with_file_sort_order(if order.is_empty() {
            Vec::new()
        } else {
            vec![order]
        });
        forget_listing(session, &urls);
        let mut schema = None;
        for (location, url) in locations.iter().zip(&urls) {
            if url.object_store() != urls[0].object_store() {
                return plan_err!("{} and {url} are in different object stores; register a table for each", urls[0]);
            }
            let found = locations::schema(session, location.as_ref(), url, &listing).await?;
            schema.get_or_insert(found);
        }
        let Some(schema) = schema else { return plan_err!("no location of .npy files") };
        let columns = partitions::columns(session, &urls, extension, options.partition_columns).await?;
        let listing = listing.with_table_partition_cols(columns);
        let config = ListingTableConfig::new_with_multi_paths(urls).with_listing_options(listing).with_schema(schema);
        Self::new(ListingTable::try_new(config)?)
    }

    /// Wraps a listing whose format is [`NpyFormat`].
    pub(crate) fn new(listing: ListingTable) -> Result<Self> {
        if listing.options().format.downcast_ref::<NpyFormat>().is_none() {
            return Err(internal_datafusion_err!("a listing of another format than NPY"));
        }
        let schema = listing.schema();
        let partitions = &listing.options().table_partition_cols;
        let (files, _) = schema.fields().split_at(schema.fields().len() - partitions.len());
        if let Some((name, _)) = partitions.iter().find(|(name, _)| files.iter().any(|field| field.name() == name)) {
            return plan_err!(
                "column {name:?} is in the files and in the names of their directories; name the columns of directories with \
                 partitioned_by, or none, which in SQL is SET datafusion.execution.listing_table_factory_infer_partitions = false"
            );
        }
        Ok(Self { listing, skip: 0 })
    }

    /// The table without its first rows.
    pub(crate) fn skipping(&self, skip: usize) -> Self {
        Self { skip: self.skip.saturating_add(skip), ..self.clone() }
    }

    #[cfg(feature = "proto")]
    pub(crate) fn skip(&self) -> usize {
        self.skip
    }

    #[cfg(feature = "proto")]
    pub(crate) fn listing(&self) -> &ListingTable {
        &self.listing
    }
}

/// A column by its name, which may have upper case and dots.
pub(crate) fn ident(name: &str) -> Expr {
    Expr::Column(Column::from_name(name))
}

/// The end of the names of the files that are read: of those in a directory. One that is named, or has
/// the form of a pattern, is read whatever its name.
fn extension(urls: &[ListingTableUrl]) -> Result<&'static str> {
    let is_directory = |url: &&ListingTableUrl| url.is_collection() && url.get_glob().is_none();
    match urls.iter().filter(is_directory).count() {
        0 => Ok(""),
        directories if directories == urls.len() => Ok(".npy"),
        _ => plan_err!("a table of both directories and files; name all files, or use patterns such as data/*.npy"),
    }
}

/// Lists files anew: another program may have added or replaced some.
fn forget_listing(session: &dyn Session, urls: &[ListingTableUrl]) {
    let Some(cache) = session.runtime_env().cache_manager.get_list_files_cache() else { return };
    for url in urls {
        let key = TableScopedPath { table: url.get_table_ref().clone(), path: url.prefix().clone() };
        // The removed listing is of no use.
        let _ = cache.remove(&key);
    }
}

#[async_trait]
impl TableProvider for NpyTable {
    fn schema(&self) -> SchemaRef {
        self.listing.schema()
    }

    fn constraints(&self) -> Option<&Constraints> {
        self.listing.constraints()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn get_table_definition(&self) -> Option<&str> {
        self.listing.get_table_definition()
    }

    fn get_column_default(&self, column: &str) -> Option<&Expr> {
        self.listing.get_column_default(column)
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let arguments = ScanArgs::default().with_projection(projection.map(Vec::as_slice)).with_filters(Some(filters));
        Ok(self.scan_with_args(state, arguments.with_limit(limit)).await?.into_inner())
    }

    async fn scan_with_args<'a>(&self, state: &dyn Session, args: ScanArgs<'a>) -> Result<ScanResult> {
        forget_listing(state, self.listing.table_paths());
        let (Some(url), Some(format)) =
            (self.listing.table_paths().first(), self.listing.options().format.downcast_ref::<NpyFormat>())
        else {
            return Err(internal_datafusion_err!("a listing of another format than NPY"));
        };
        let (limit, filters) = (args.limit(), args.filters().unwrap_or_default());
        let args = args.clone().with_limit(limit.map(|limit| limit.saturating_add(self.skip)));
        let plan = listed(state, url, self.listing.scan_with_args(state, args).await).await?.into_inner();
        let store = state.runtime_env().object_store(url)?;
        let plan = match Key::of(self.listing.options()) {
            _ if self.skip > 0 => skip_rows(plan, &store, format, self.skip, limit).await?,
            Some(key) => fix_files(prune(plan, state, &store, format, &key, filters).await?, state)?,
            None => plan,
        };
        Ok(ScanResult::new(plan))
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        if self.skip > 0 {
            // The rows that are skipped are of all files, not of those that a filter leaves.
            return Ok(vec![TableProviderFilterPushDown::Unsupported; filters.len()]);
        }
        self.listing.supports_filters_pushdown(filters)
    }

    async fn insert_into(
        &self,
        state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        operation: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if let Some(pattern) = self.listing.table_paths().iter().find_map(|url| url.get_glob().as_ref()) {
            return plan_err!("cannot insert into files of the pattern {pattern:?}; insert into a table of their directory");
        }
        self.listing.insert_into(state, input, operation).await
    }
}

/// Makes tables of `CREATE EXTERNAL TABLE … STORED AS NPY` and `NPZ`.
#[derive(Debug, Default)]
pub(crate) struct NpyTableFactory {}

#[async_trait]
impl TableProviderFactory for NpyTableFactory {
    async fn create(&self, session: &dyn Session, command: &CreateExternalTable) -> Result<Arc<dyn TableProvider>> {
        let table = ListingTableFactory::new().create(session, command).await?;
        let Some(listing) = table.downcast_ref::<ListingTable>() else {
            return Err(internal_datafusion_err!("a table of .npy files that is not a listing"));
        };
        let options = listing.options();
        if !options.table_partition_cols.is_empty() {
            let named = Some(options.table_partition_cols.clone());
            partitions::columns(session, listing.table_paths(), &options.file_extension, named).await?;
        }
        Ok(Arc::new(NpyTable::new(listing.clone())?))
    }
}
