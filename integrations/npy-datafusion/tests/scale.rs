//! Tables of many large files: what is asked of the store, and what is in memory at a time.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt};
use npy_arrow::npy_core::{Header, NpyElement, Order};
use npy_datafusion::datafusion::datasource::physical_plan::FileScanConfig;
use npy_datafusion::datafusion::datasource::source::DataSourceExec;
use npy_datafusion::datafusion::physical_plan::ExecutionPlan;
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};
use npy_datafusion::{NpyOptions, SessionContextExt};
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

use crate::support::{Event, ask};

/// A store of files of the same rows, all zeros, that counts what it is asked for.
#[derive(Clone)]
struct Shards {
    header: Bytes,
    size: u64,
    files: usize,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    requests: AtomicUsize,
    bytes: AtomicU64,
    held: AtomicU64,
    most_held: AtomicU64,
}

/// Bytes of a response, until their reader drops them.
struct Held {
    bytes: Vec<u8>,
    counts: Arc<Counts>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.counts.held.fetch_sub(self.bytes.len() as u64, Relaxed);
    }
}

impl Shards {
    fn new(files: usize, rows: usize) -> Self {
        let header = Header::new(Event::dtype(), Order::C, &[rows]).unwrap();
        let size = header.to_bytes().len() as u64 + header.data_bytes();
        Self { header: header.to_bytes().into(), size, files, counts: Arc::default() }
    }

    fn session(&self, partitions: usize) -> SessionContext {
        let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(partitions));
        session.register_object_store(&"shards://all".try_into().unwrap(), Arc::new(self.clone()));
        session
    }

    /// Requests and bytes since this was last asked.
    fn taken(&self) -> (usize, u64) {
        (self.counts.requests.swap(0, Relaxed), self.counts.bytes.swap(0, Relaxed))
    }

    fn bytes(&self, range: &Range<u64>) -> Bytes {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        if let Some(header) = self.header.get(range.start as usize..) {
            let length = header.len().min(bytes.len());
            bytes[..length].copy_from_slice(&header[..length]);
        }
        let counts = &self.counts;
        counts.requests.fetch_add(1, Relaxed);
        counts.bytes.fetch_add(bytes.len() as u64, Relaxed);
        let held = counts.held.fetch_add(bytes.len() as u64, Relaxed) + bytes.len() as u64;
        counts.most_held.fetch_max(held, Relaxed);
        Bytes::from_owner(Held { bytes, counts: Arc::clone(counts) })
    }

    fn meta(&self, location: Path) -> ObjectMeta {
        ObjectMeta { location, last_modified: Default::default(), size: self.size, e_tag: Some("\"1\"".to_owned()), version: None }
    }
}

impl fmt::Display for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} shards of {} bytes", self.files, self.size)
    }
}

impl fmt::Debug for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[async_trait]
impl ObjectStore for Shards {
    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        let range = options.range.unwrap().as_range(self.size).unwrap();
        let payload = GetResultPayload::Stream(stream::iter([Ok(self.bytes(&range))]).boxed());
        Ok(GetResult { payload, meta: self.meta(path.clone()), range, attributes: Default::default() })
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let shards = self.clone();
        stream::iter((0..self.files).map(move |file| Ok(shards.meta(format!("t/{file:05}.npy").into())))).boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        Err(object_store::Error::NotImplemented { operation: "list".to_owned(), implementer: self.to_string() })
    }

    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        Err(object_store::Error::NotImplemented { operation: "put".to_owned(), implementer: self.to_string() })
    }

    async fn put_multipart_opts(&self, _: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        Err(object_store::Error::NotImplemented { operation: "put".to_owned(), implementer: self.to_string() })
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        paths
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        Err(object_store::Error::NotImplemented { operation: "copy".to_owned(), implementer: self.to_string() })
    }
}

/// The scan of a plan that has one.
fn scan(plan: &Arc<dyn ExecutionPlan>) -> Option<FileScanConfig> {
    if let Some(scan) = plan.downcast_ref::<DataSourceExec>() {
        return scan.data_source().downcast_ref::<FileScanConfig>().cloned();
    }
    plan.children().into_iter().find_map(scan)
}

/// 100 TB: ten thousand files of 10 GB, for a hundred machines of eight cores.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_of_100_terabytes_is_planned_by_a_request_for_each_file() {
    let rows = 10_000_000_000 / Event::dtype().itemsize();
    let shards = Shards::new(10_000, rows);
    let session = shards.session(800);
    session.register_npy("t", "shards://all/t/", NpyOptions::new()).await.unwrap();
    let (requests, bytes) = shards.taken();
    assert_eq!((requests, bytes), (10_000, 10_000 * 4096));
    // All that follows is known.
    assert_eq!(ask(&session, "SELECT count(*) FROM t").await, [[(rows * 10_000).to_string()]]);
    let query = "SELECT station, count(*) FROM t WHERE magnitude > 5 GROUP BY station";
    let plan = session.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    assert_eq!(shards.taken(), (0, 0));
    // Each core gets the same number of bytes, in parts of few files.
    let scan = scan(&plan).unwrap();
    assert_eq!(scan.file_groups.len(), 800);
    let share = shards.size * 10_000 / 800;
    let mut parts = 0;
    for group in &scan.file_groups {
        let of = |range: &npy_datafusion::datafusion::datasource::listing::FileRange| (range.end - range.start) as u64;
        let bytes: u64 = group.iter().map(|file| file.range.as_ref().map_or(shards.size, of)).sum();
        assert!(bytes.abs_diff(share) <= 800, "{bytes} bytes of {share}");
        assert!(group.len() <= 14, "{} parts", group.len());
        parts += group.len();
    }
    assert!(parts <= 10_000 + 800, "{parts} parts");
    #[cfg(feature = "proto")]
    message(plan);
}

/// What a scheduler sends for a task.
#[cfg(feature = "proto")]
fn message(plan: Arc<dyn ExecutionPlan>) {
    use datafusion_proto::physical_plan::{AsExecutionPlan, DefaultPhysicalExtensionCodec};
    use datafusion_proto::protobuf::PhysicalPlanNode;

    let codec = npy_datafusion::NpyPhysicalCodec::new(Arc::new(DefaultPhysicalExtensionCodec {}));
    let node = PhysicalPlanNode::try_from_physical_plan(plan, &codec).unwrap();
    let mut message = Vec::new();
    node.try_encode(&mut message).unwrap();
    println!("plan of {} bytes", message.len());
    assert!(message.len() < 1 << 20, "{} bytes", message.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scan_has_few_chunks_in_memory_however_large_the_file_is() {
    let mut most = Vec::new();
    for rows in [1_000_000, 8_000_000] {
        let shards = Shards::new(1, rows);
        let session = shards.session(2);
        session.register_npy("t", "shards://all/t/", NpyOptions::new()).await.unwrap();
        shards.taken();
        let answer = ask(&session, "SELECT count(*), sum(id) FROM t WHERE magnitude >= 0 AND NOT reviewed").await;
        assert_eq!(answer, [[rows.to_string(), "0".to_owned()]]);
        let (requests, bytes) = shards.taken();
        let data = (rows * Event::dtype().itemsize()) as u64;
        assert_eq!(bytes, data);
        let analyzed = ask(&session, "EXPLAIN ANALYZE SELECT sum(id) FROM t").await.concat().concat();
        assert!(
            analyzed.contains(&format!("bytes_scanned={}", if rows == 1_000_000 { "37.00 M" } else { "296.0 M" })),
            "{analyzed}"
        );
        assert!(requests as u64 <= data / (3 << 20) + 4, "{requests} requests");
        most.push(shards.counts.most_held.load(Relaxed));
    }
    // Two in flight and one that is decoded, of 4 MiB, for each of two partitions.
    assert!(most.iter().all(|most| *most <= 2 * 3 * (4 << 20)), "{most:?}");
}

/// The probes of a search would be more requests.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_sorted_shard_is_one_request() {
    // Of more bytes than are read at once for the keys of the first and the last row, and of fewer.
    for (rows, requests, bytes) in [(2000, 2, 2 * 37), (1000, 1, 37_000)] {
        let shards = Shards::new(50, rows);
        let session = shards.session(2);
        session.register_npy("t", "shards://all/t/", NpyOptions::new().sorted_by(["id"])).await.unwrap();
        shards.taken();
        // The bounds of the files are not those of this column.
        assert_eq!(ask(&session, "SELECT count(id) FROM t WHERE magnitude > 5").await, [["0"]]);
        let all = (50 * rows * Event::dtype().itemsize()) as u64;
        assert_eq!(shards.taken(), (50, all));
        let query = "SELECT count(*), sum(magnitude) FROM t WHERE id >= 0 AND id < 5";
        let answer = [[(50 * rows).to_string(), "0.0".to_owned()]];
        assert_eq!(ask(&session, query).await, answer);
        assert_eq!(shards.taken(), (50 + 50 * requests, all + 50 * bytes));
        // The bounds are known.
        assert_eq!(ask(&session, query).await, answer);
        assert_eq!(shards.taken(), (50, all));
        assert_eq!(ask(&session, "SELECT count(id) FROM t WHERE id > 5").await, [["0"]]);
        assert_eq!(shards.taken(), (0, 0));
    }
}

/// As that of Parquet files does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn explain_analyze_shows_times_rows_and_bytes() {
    let shards = Shards::new(2, 1000);
    let session = shards.session(2);
    session.register_npy("t", "shards://all/t/", NpyOptions::new()).await.unwrap();
    let analyzed = ask(&session, "EXPLAIN ANALYZE SELECT id FROM t WHERE magnitude < 1").await.concat().concat();
    let scan = analyzed.lines().find(|line| line.contains("DataSourceExec")).unwrap();
    for metric in ["output_rows=2.00 K", "bytes_scanned=74.00 K", "time_elapsed_opening=", "time_elapsed_scanning_total="] {
        assert!(scan.contains(metric), "{metric}: {scan}");
    }
}
