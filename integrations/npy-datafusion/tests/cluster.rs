//! The same queries on a cluster: in this process, and on the machine's loopback in four.

use std::fs::File;
use std::io::Cursor;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion_proto::physical_plan::{DefaultPhysicalProtoConverter, PhysicalExtensionCodec};
use npy_arrow::npy_core::npz::NpzWriter;
use npy_datafusion::datafusion::arrow::array::RecordBatch;
use npy_datafusion::datafusion::common::TableReference;
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::physical_plan::{ExecutionPlan, displayable};
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::{NpyOptions, SessionContextExt, cluster};
use tokio::task::JoinHandle;

use crate::queries::{answers, compare, queries, shards};
use crate::support::{ask, events, refusal, rows, save};

/// No step takes longer, on a slow machine either.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program that ends with the test.
struct Program {
    child: Child,
    log: PathBuf,
}

impl Program {
    fn start(program: &str, arguments: &[String], log: PathBuf) -> Self {
        let output = File::create(&log).unwrap();
        let child = Command::new(program)
            .args(arguments)
            .env("RUST_LOG", "info,npy_datafusion=debug")
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Self { child, log }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_there() {
        assert!(begin.elapsed() < PATIENCE, "{what} is not there after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A scheduler and two executors.
struct Cluster {
    scheduler: Program,
    executors: Vec<Program>,
    port: u16,
}

impl Cluster {
    fn start(directory: &Path) -> Self {
        let port = free_port();
        let text = |text: &str| text.to_owned();
        // The rest are the programs' own defaults.
        let arguments = [text("--bind-host"), text("127.0.0.1"), text("--bind-port"), port.to_string()];
        let scheduler = Program::start(env!("CARGO_BIN_EXE_npy-scheduler"), &arguments, directory.join("scheduler.log"));
        wait_for("the scheduler", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        let executors = (0..2).map(|number| {
            let work = directory.join(format!("work{number}"));
            std::fs::create_dir_all(&work).unwrap();
            let arguments = [
                ("--bind-host", text("127.0.0.1")),
                ("--external-host", text("127.0.0.1")),
                ("--bind-port", free_port().to_string()),
                ("--bind-grpc-port", free_port().to_string()),
                ("--bind-health-port", free_port().to_string()),
                ("--scheduler-host", text("127.0.0.1")),
                ("--scheduler-port", port.to_string()),
                ("--work-dir", work.display().to_string()),
                ("--vcores", text("2")),
            ];
            let arguments: Vec<_> = arguments.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect();
            Program::start(env!("CARGO_BIN_EXE_npy-executor"), &arguments, directory.join(format!("executor{number}.log")))
        });
        let executors: Vec<_> = executors.collect();
        for executor in &executors {
            wait_for("an executor", || executor.log().contains("Executor registration succeed"));
        }
        Self { scheduler, executors, port }
    }

    async fn connect(&self) -> SessionContext {
        cluster::connect(&format!("df://127.0.0.1:{}", self.port)).await.unwrap()
    }

    fn logs(&self) -> String {
        let executors = self.executors.iter().map(Program::log).collect::<String>();
        format!("{}\n{executors}", self.scheduler.log())
    }
}

/// What a program with other codecs says.
#[tokio::test]
async fn messages_of_other_versions_and_codecs_say_what_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    save(&path, &events(0..10));
    let session = crate::support::session(1);
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new().sorted_by(["time"])).await.unwrap();
    let table = session.table_provider("t").await.unwrap();
    let (codec, name, context) = (cluster::logical_codec(), TableReference::bare("t"), session.task_ctx());
    let mut message = Vec::new();
    codec.try_encode_table_provider(&name, table.clone(), &mut message).unwrap();
    let decoded = codec.try_decode_table_provider(&message, &name, table.schema(), &context).unwrap();
    assert_eq!(decoded.schema(), table.schema());
    let version = b"npy-datafusion/".len();
    assert_eq!(message[version], 1);
    message[version] = 2;
    let error = codec.try_decode_table_provider(&message, &name, table.schema(), &context).unwrap_err().to_string();
    assert!(error.contains("messages of version 2: expected version 1; run the same version of npy-datafusion"), "{error}");
    message[version] = 1;
    for length in [version + 1, version + 5, message.len() - 3] {
        let error = codec.try_decode_table_provider(&message[..length], &name, table.schema(), &context).unwrap_err().to_string();
        assert!(error.contains("npy-datafusion") || error.contains("location"), "{length}: {error}");
    }
    // Ballista's own programs.
    let plan = session.sql("SELECT id FROM t WHERE id > 3").await.unwrap().create_physical_plan().await.unwrap();
    let codec = cluster::physical_codec();
    let mut node = plan;
    while node.children().len() == 1 {
        node = node.children()[0].clone();
    }
    let mut message = Vec::new();
    codec.try_encode(node.clone(), &mut message, &DefaultPhysicalProtoConverter {}).unwrap();
    let again = codec.try_decode(&message, &[], &context, &DefaultPhysicalProtoConverter {}).unwrap();
    let text = |plan: &std::sync::Arc<dyn ExecutionPlan>| displayable(plan.as_ref()).indent(true).to_string();
    assert_eq!(text(&again), text(&node));
    let other = BallistaPhysicalExtensionCodec::default();
    let error = other.try_decode(&message, &[], &context, &DefaultPhysicalProtoConverter {}).unwrap_err().to_string();
    assert!(error.contains("Could not deserialize BallistaPhysicalPlanNode"), "{error}");
}

async fn all(session: &SessionContext, expected: &[(String, Vec<Vec<String>>)]) {
    for ((name, query), (_, expected)) in queries().into_iter().zip(expected) {
        compare(name, expected, &ask(session, query).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_in_one_process_answers_as_numpy() {
    let directory = tempfile::tempdir().unwrap();
    shards(directory.path());
    let Some(expected) = answers("a_cluster_in_one_process_answers_as_numpy", directory.path()) else { return };
    let session = cluster::standalone().await.unwrap();
    let location = format!("{}/", directory.path().display());
    session.register_npy("t", &location, NpyOptions::new().sorted_by(["time"])).await.unwrap();
    all(&session, &expected).await;
    // The number of skipped rows and the members of archives are in the messages.
    assert_eq!(ask(&session, "SELECT count(*) FROM (SELECT id FROM t OFFSET 7000)").await, [["5000"]]);
    let archive = directory.path().join("a.npz");
    crate::archives::write(&archive, NpzWriter::new_compressed(Cursor::new(Vec::new())), &events(0..1000));
    session.register_npy("a", archive.to_str().unwrap(), NpyOptions::new().members(["time", "id"])).await.unwrap();
    assert_eq!(ask(&session, "SELECT sum(id) FROM a WHERE time > '2023-11-14T22:30:00'").await, [["277389"]]);
    let copy = format!("COPY t TO '{}/out/' STORED AS NPY", directory.path().display());
    let error = refusal(&session, &copy).await;
    assert!(error.contains("COPY to .npy files on a cluster"), "{error}");
}

/// Queries of the declared order, whose files are searched, left out, or read in order.
const OF_THE_KEY: [&str; 6] = [
    "SELECT k, n FROM t WHERE k >= 42 AND k < 57 ORDER BY k",
    "SELECT count(n), sum(n) FROM t WHERE k IN (5, 71, 300)",
    "SELECT n FROM t WHERE k = 99",
    "SELECT n FROM t WHERE k > 1000",
    "SELECT n FROM t ORDER BY k LIMIT 25",
    "SELECT k % 10 AS d, min(n), max(n) FROM t WHERE k BETWEEN 20 AND 29 OR k > 95 GROUP BY d ORDER BY d",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sorted_and_pruned_files_answer_as_in_a_local_session() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    crate::pruning::ten_files(&data);
    let (location, options) = (format!("{}/", data.display()), NpyOptions::new().sorted_by(["k"]));
    let local = crate::support::session(2);
    local.register_npy("t", &location, options.clone()).await.unwrap();
    let four = Cluster::start(directory.path());
    for session in [four.connect().await, cluster::standalone().await.unwrap()] {
        session.register_npy("t", &location, options.clone()).await.unwrap();
        assert_eq!(ask(&session, "SELECT sum(n) FROM t WHERE k >= 75").await, [["2175"]]);
        // The executors say which files they read.
        let logs = four.executors.iter().map(Program::log).collect::<String>();
        let read = |file: i64| logs.contains(&format!("{file}.npy: selected rows "));
        assert!((0..10).all(|file| read(file) == (file >= 7)), "{logs}");
    }
    let four = four.connect().await;
    for session in [four, cluster::standalone().await.unwrap()] {
        session.register_npy("t", &location, options.clone()).await.unwrap();
        for query in OF_THE_KEY {
            assert_eq!(ask(&session, query).await, ask(&local, query).await, "{query}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_of_four_processes_answers_as_numpy() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    shards(&data);
    let cluster = Cluster::start(directory.path());
    let session = cluster.connect().await;
    let location = format!("{}/", data.display());
    session.register_npy("t", &location, NpyOptions::new()).await.unwrap();
    if let Some(expected) = answers("a_cluster_of_four_processes_answers_as_numpy", &data) {
        all(&session, &expected).await;
    }
    // Files of 24 MiB, so that each is divided.
    let large = directory.path().join("large.npy");
    save(&large, &events(0..700_000));
    session.register_npy("large", large.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let sums = ask(&session, "SELECT count(id), sum(id), count(DISTINCT station) FROM large WHERE id >= 0").await;
    assert_eq!(sums, [["700000", "244999650000", "5"]]);
    // The number of skipped rows and the members of archives are in the messages.
    assert_eq!(ask(&session, "SELECT count(*) FROM (SELECT id FROM t OFFSET 7000)").await, [["5000"]]);
    let archive = directory.path().join("a.npz");
    crate::archives::write(&archive, NpzWriter::new_compressed(Cursor::new(Vec::new())), &events(0..1000));
    session.register_npy("a", archive.to_str().unwrap(), NpyOptions::new().members(["time", "id"])).await.unwrap();
    assert_eq!(ask(&session, "SELECT sum(id) FROM a WHERE time > '2023-11-14T22:30:00'").await, [["277389"]]);
    let copy = format!("COPY t TO '{}/out/' STORED AS NPY", directory.path().display());
    let error = refusal(&session, &copy).await;
    assert!(error.contains("COPY to .npy files on a cluster; STORED AS PARQUET"), "{error}");
    let copy = format!("COPY (SELECT id FROM t WHERE id < 10) TO '{}/out/' STORED AS PARQUET", directory.path().display());
    assert_eq!(ask(&session, &copy).await, [["10"]]);
    // Each executor says which rows it was given.
    for executor in &cluster.executors {
        assert!(executor.log().contains("large.npy: selected rows "), "{}", cluster.logs());
    }
}

/// A query over 12 files, 300 ms before something happens to its cluster.
async fn begin(session: &SessionContext, query: &str) -> JoinHandle<Result<Vec<RecordBatch>>> {
    let frame = session.sql(query).await.unwrap();
    let running = tokio::spawn(frame.collect());
    tokio::time::sleep(Duration::from_millis(300)).await;
    running
}

const BY_STATION: &str = "SELECT station, count(*), sum(id) FROM t GROUP BY station ORDER BY station";

async fn twelve_files(directory: &Path, session: &SessionContext) {
    let data = directory.join("data");
    for file in 0..12 {
        save(&data.join(format!("{file:02}.npy")), &events(file * 100_000..(file + 1) * 100_000));
    }
    session.register_npy("t", &format!("{}/", data.display()), NpyOptions::new()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_work_of_a_killed_executor_goes_to_another() {
    let directory = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::start(directory.path());
    let session = cluster.connect().await;
    twelve_files(directory.path(), &session).await;
    let right = ask(&session, BY_STATION).await;
    assert_eq!(right.len(), 5);
    let running = begin(&session, BY_STATION).await;
    cluster.executors[0].kill();
    let answer = tokio::time::timeout(PATIENCE, running).await.expect("the query neither ends nor fails").unwrap();
    assert_eq!(rows(&answer.unwrap_or_else(|error| panic!("{error}\n{}", cluster.logs()))), right);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_scheduler_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::start(directory.path());
    let session = cluster.connect().await;
    twelve_files(directory.path(), &session).await;
    let running = begin(&session, BY_STATION).await;
    cluster.scheduler.kill();
    let expected = format!("the scheduler at df://127.0.0.1:{} does not answer", cluster.port);
    let error = tokio::time::timeout(PATIENCE, running).await.expect("the query neither ends nor fails").unwrap().unwrap_err();
    assert!(error.to_string().contains(&expected), "{error}");
    // The next one cannot even begin.
    let error = refusal(&session, BY_STATION).await;
    assert!(error.contains(&expected), "{error}");
}
