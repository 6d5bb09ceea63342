//! Files that a filter of the declared order leaves out, beside a model in memory.

use std::cmp::Ordering;
use std::path::Path;

use npy_arrow::npy_core;
use npy_arrow::npy_core::npz::NpzWriter;
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::{NpyOptions, SessionContextExt};

use crate::support::{Random, ask, events, refusal, save, session};

/// A key in the order of NumPy, as eight bytes, and as the constant of a query.
pub trait Key: Copy {
    const DTYPE: &'static str;
    fn random(random: &mut Random) -> Self;
    fn numpy_order(&self, other: &Self) -> Ordering;
    /// `None` where a comparison is null.
    fn compare(&self, other: &Self) -> Option<Ordering>;
    fn bytes(&self) -> [u8; 8];
    fn sql(&self) -> String;
}

impl Key for i64 {
    const DTYPE: &'static str = "<i8";

    fn random(random: &mut Random) -> Self {
        [random.below(200) as Self - 100, Self::MIN, Self::MAX][[0, 0, 0, 0, 0, 0, 0, 1, 2][random.below(9) as usize]]
    }

    fn numpy_order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }

    fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    fn bytes(&self) -> [u8; 8] {
        self.to_le_bytes()
    }

    fn sql(&self) -> String {
        format!("arrow_cast('{self}', 'Int64')")
    }
}

impl Key for f64 {
    const DTYPE: &'static str = "<f8";

    fn random(random: &mut Random) -> Self {
        let number = random.below(200) as Self / 2.0 - 50.0;
        let special = [0.0, -0.0, Self::NAN, -Self::NAN, Self::INFINITY, Self::NEG_INFINITY, Self::MAX, 5e-324];
        if random.below(3) > 0 { number } else { special[random.below(8) as usize] }
    }

    fn numpy_order(&self, other: &Self) -> Ordering {
        // NaN of either sign is last, zeros are equal.
        self.partial_cmp(other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
    }

    fn compare(&self, other: &Self) -> Option<Ordering> {
        // NaN is above or below all numbers, by its sign.
        Some(self.partial_cmp(other).unwrap_or_else(|| self.total_cmp(other)))
    }

    fn bytes(&self) -> [u8; 8] {
        self.to_le_bytes()
    }

    fn sql(&self) -> String {
        let text = if self.is_nan() { "NaN".to_owned() } else { format!("{self:e}") };
        let sign = if self.is_nan() && self.is_sign_negative() { "-" } else { "" };
        format!("{sign}arrow_cast('{text}', 'Float64')")
    }
}

/// A time in seconds; the least number is NaT.
#[derive(Clone, Copy)]
struct Time(i64);

impl Key for Time {
    const DTYPE: &'static str = "<M8[s]";

    fn random(random: &mut Random) -> Self {
        Self(if random.below(6) == 0 { i64::MIN } else { random.below(200) as i64 - 100 })
    }

    fn numpy_order(&self, other: &Self) -> Ordering {
        (self.0 == i64::MIN, self.0).cmp(&(other.0 == i64::MIN, other.0))
    }

    fn compare(&self, other: &Self) -> Option<Ordering> {
        (self.0 != i64::MIN && other.0 != i64::MIN).then(|| self.0.cmp(&other.0))
    }

    fn bytes(&self) -> [u8; 8] {
        self.0.to_le_bytes()
    }

    fn sql(&self) -> String {
        let value = if self.0 == i64::MIN { "NULL".to_owned() } else { self.0.to_string() };
        format!("arrow_cast({value}, 'Timestamp(Second, None)')")
    }
}

/// Text of at most three bytes; its zeros are padding.
#[derive(Clone, Copy)]
struct Text([u8; 8]);

impl Key for Text {
    const DTYPE: &'static str = "S8";

    fn random(random: &mut Random) -> Self {
        let mut text = [0; 8];
        for byte in &mut text[..random.below(4) as usize] {
            *byte = b"abz~"[random.below(4) as usize];
        }
        Self(text)
    }

    fn numpy_order(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }

    fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(self.0.cmp(&other.0))
    }

    fn bytes(&self) -> [u8; 8] {
        self.0
    }

    fn sql(&self) -> String {
        format!("'{}'", std::str::from_utf8(&self.0).unwrap().trim_end_matches('\0'))
    }
}

/// Saves rows of a key and a number.
pub fn save_rows<K: Key>(path: &Path, rows: &[(K, i64)]) {
    let dtype: npy_core::DType = format!("[('k', '{}'), ('n', '<i8')]", K::DTYPE).parse().unwrap();
    let bytes = rows.iter().flat_map(|(key, n)| [key.bytes(), n.to_le_bytes()].concat()).collect();
    npy_core::DynValues::new(dtype, npy_core::Order::C, &[rows.len()], bytes).unwrap().save(path).unwrap();
}

/// Files of random rows in order: without any, with one, with many; apart from each other or not.
fn random_files<K: Key>(random: &mut Random, directory: &Path) -> Vec<Vec<(K, i64)>> {
    let lengths: Vec<_> =
        (0..1 + random.below(9)).map(|_| [0, 1, 2, random.below(40)][random.below(4) as usize] as usize).collect();
    let mut keys: Vec<_> = (0..lengths.iter().sum()).map(|_| K::random(random)).collect();
    if random.below(4) > 0 {
        keys.sort_by(K::numpy_order);
    }
    let mut rows = keys.into_iter().zip(0..);
    let files = lengths.into_iter().enumerate().map(|(index, length)| {
        let mut file: Vec<_> = rows.by_ref().take(length).collect();
        file.sort_by(|(key, _), (other, _)| key.numpy_order(other));
        save_rows(&directory.join(format!("{index}.npy")), &file);
        file
    });
    files.collect()
}

/// A condition of SQL, and whether a key fulfils it; `None` is null.
type Condition<K> = (String, Box<dyn Fn(&K, i64) -> Option<bool>>);

fn random_condition<K: Key + 'static>(random: &mut Random, depth: u32) -> Condition<K> {
    let value = K::random(random);
    let sql = value.sql();
    match random.below(if depth == 0 { 8 } else { 12 }) {
        0 => (format!("k = {sql}"), Box::new(move |key, _| key.compare(&value).map(Ordering::is_eq))),
        1 => (format!("k < {sql}"), Box::new(move |key, _| key.compare(&value).map(Ordering::is_lt))),
        2 => (format!("{sql} >= k"), Box::new(move |key, _| key.compare(&value).map(Ordering::is_le))),
        3 => (format!("k > {sql}"), Box::new(move |key, _| key.compare(&value).map(Ordering::is_gt))),
        4 => (format!("k >= {sql}"), Box::new(move |key, _| key.compare(&value).map(Ordering::is_ge))),
        5 => (format!("k <> {sql}"), Box::new(move |key, _| key.compare(&value).map(Ordering::is_ne))),
        6 => ("k IS NULL".to_owned(), Box::new(|key, _| Some(key.compare(key).is_none()))),
        7 => ("n % 3 = 1".to_owned(), Box::new(|_, n| Some(n % 3 == 1))),
        8 => {
            let (sql, test) = random_condition::<K>(random, depth - 1);
            (format!("NOT ({sql})"), Box::new(move |key, n| test(key, n).map(|passes| !passes)))
        }
        kind => {
            let (left, test_left) = random_condition::<K>(random, depth - 1);
            let (right, test_right) = random_condition::<K>(random, depth - 1);
            // A value that decides, else null, else the other one.
            let (operator, decides) = if kind == 9 { ("OR", true) } else { ("AND", false) };
            let test = move |key: &K, n| match [test_left(key, n), test_right(key, n)] {
                sides if sides.contains(&Some(decides)) => Some(decides),
                sides if sides.contains(&None) => None,
                _ => Some(!decides),
            };
            (format!("({left}) {operator} ({right})"), Box::new(test))
        }
    }
}

/// The number of files that the plan of a query leaves out.
async fn pruned(session: &SessionContext, query: &str) -> usize {
    let plan = ask(session, &format!("EXPLAIN {query}")).await.concat().concat();
    let Some((_, rest)) = plan.split_once("pruned_files=") else { return 0 };
    rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

/// Returns the number of files that were left out.
async fn queries_beside_the_model<K: Key + 'static>(random: &mut Random) -> usize {
    let directory = tempfile::tempdir().unwrap();
    let files = random_files::<K>(random, directory.path());
    let session = session([1, 2, 5][random.below(3) as usize]);
    let location = format!("{}/", directory.path().display());
    session.register_npy("t", &location, NpyOptions::new().sorted_by(["k"])).await.unwrap();
    session.register_npy("two", &location, NpyOptions::new().sorted_by(["k", "n"])).await.unwrap();
    let mut count = 0;
    for _ in 0..12 {
        let (sql, test) = random_condition::<K>(random, 2);
        let passes = files.iter().flatten().filter(|(key, n)| test(key, *n) == Some(true));
        let mut expected: Vec<_> = passes.map(|(_, n)| vec![n.to_string()]).collect();
        expected.sort();
        for table in ["t", "two"] {
            let query = format!("SELECT n FROM {table} WHERE {sql}");
            let mut found = ask(&session, &query).await;
            found.sort();
            assert!(found == expected, "{query}: expected {expected:?}, found {found:?}");
        }
        count += pruned(&session, &format!("SELECT n FROM t WHERE {sql}")).await;
    }
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_queries_give_the_rows_of_the_model() {
    let mut random = Random(17);
    let mut counts = [0; 4];
    for _ in 0..6 {
        counts[0] += queries_beside_the_model::<i64>(&mut random).await;
        counts[1] += queries_beside_the_model::<f64>(&mut random).await;
        counts[2] += queries_beside_the_model::<Time>(&mut random).await;
        counts[3] += queries_beside_the_model::<Text>(&mut random).await;
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

/// Ten files of ten keys, and one without rows.
pub fn ten_files(directory: &Path) {
    for file in 0..10 {
        let rows: Vec<_> = (file * 10..file * 10 + 10).map(|n| (n, n)).collect();
        save_rows::<i64>(&directory.join(format!("{file}.npy")), &rows);
    }
    save_rows::<i64>(&directory.join("empty.npy"), &[]);
}

#[tokio::test]
async fn explain_shows_how_many_files_are_left_out() {
    let directory = tempfile::tempdir().unwrap();
    ten_files(directory.path());
    let session = session(2);
    let location = format!("{}/", directory.path().display());
    session.register_npy("t", &location, NpyOptions::new().sorted_by(["k"])).await.unwrap();
    for (condition, count, files) in [
        ("k >= 42 AND k < 57", 15, 2),
        ("k = 99", 1, 1),
        ("k IN (5, 71, 300)", 2, 2),
        ("k BETWEEN 20 AND 29 OR k > 95", 14, 2),
        ("k = n AND k <= 9", 10, 1),
    ] {
        assert_eq!(ask(&session, &format!("SELECT count(n) FROM t WHERE {condition}")).await, [[count.to_string()]], "{condition}");
        assert_eq!(pruned(&session, &format!("SELECT n FROM t WHERE {condition}")).await, 11 - files, "{condition}");
    }
    let all = ask(&session, "EXPLAIN SELECT n FROM t WHERE k > 99").await.concat().concat();
    assert!(all.contains("EmptyExec"), "{all}");
    // Neither a filter of other columns nor one that excludes no file.
    for condition in ["n = 5", "k % 2 = 0", "true"] {
        assert_eq!(pruned(&session, &format!("SELECT n FROM t WHERE {condition}")).await, 0, "{condition}");
    }
    // A query without the file has other bounds.
    save_rows::<i64>(&directory.path().join("0.npy"), &[(1000, 0)]);
    assert_eq!(ask(&session, "SELECT n FROM t WHERE k = 1000").await, [["0"]]);
    assert_eq!(ask(&session, "SELECT count(*) FROM t WHERE k < 10").await, [["0"]]);
}

#[tokio::test]
async fn orders_of_sql_leave_files_out() {
    let directory = tempfile::tempdir().unwrap();
    for file in 0..5 {
        let rows: Vec<_> = (file * 10..file * 10 + 10).rev().map(|n| (n, n)).collect();
        save_rows::<i64>(&directory.path().join(format!("{file}.npy")), &rows);
    }
    let session = session(2);
    session.enable_npy().unwrap();
    let create = "CREATE EXTERNAL TABLE t STORED AS NPY WITH ORDER (k DESC, n DESC) LOCATION";
    ask(&session, &format!("{create} '{}/'", directory.path().display())).await;
    assert_eq!(ask(&session, "SELECT count(n), min(n), max(n) FROM t WHERE k >= 15 AND k < 32").await, [["17", "15", "31"]]);
    assert_eq!(pruned(&session, "SELECT n FROM t WHERE k >= 15 AND k < 32").await, 2);
}

/// SQL declares texts as views, which are not the type of the file.
#[tokio::test]
async fn ranges_of_a_declared_text_leave_files_and_rows_out() {
    let directory = tempfile::tempdir().unwrap();
    for file in 0..3 {
        let key = |n: i64| Text(format!("{n:08}").into_bytes().try_into().unwrap());
        // Files that are not read at once.
        let rows: Vec<_> = (file * 300_000..(file + 1) * 300_000).map(|n| (key(n), n)).collect();
        save_rows(&directory.path().join(format!("{file}.npy")), &rows);
    }
    save_rows::<Text>(&directory.path().join("empty.npy"), &[]);
    let session = session(1);
    session.enable_npy().unwrap();
    let create = "CREATE EXTERNAL TABLE t (k VARCHAR NOT NULL, n BIGINT NOT NULL) STORED AS NPY WITH ORDER (k) LOCATION";
    ask(&session, &format!("{create} '{}/'", directory.path().display())).await;
    let query = "SELECT n FROM t WHERE k >= '00299999' AND k < '00300001'";
    assert_eq!(ask(&session, &format!("{query} ORDER BY k")).await, [["299999"], ["300000"]]);
    assert_eq!(pruned(&session, query).await, 2);
    let analyzed = ask(&session, &format!("EXPLAIN ANALYZE {query}")).await.concat().concat();
    // Two rows, and the one at the end of the range.
    assert!(analyzed.contains("bytes_scanned=48,"), "{analyzed}");
}

#[tokio::test]
async fn archives_and_directories_are_left_out() {
    let directory = tempfile::tempdir().unwrap();
    for file in 0..4_i64 {
        let keys: Vec<_> = (file * 100..file * 100 + 100).collect();
        let mut archive = if file == 3 { NpzWriter::new_compressed } else { NpzWriter::new }(std::io::Cursor::new(Vec::new()));
        archive.add_slice("k", &keys).unwrap();
        archive.add_slice("n", &keys).unwrap();
        std::fs::write(directory.path().join(format!("{file}.npz")), archive.finish().unwrap().into_inner()).unwrap();
        let rows: Vec<_> = keys.into_iter().map(|n| (n, n)).collect();
        let path = directory.path().join(format!("part={}", file % 2));
        std::fs::create_dir_all(&path).unwrap();
        save_rows(&path.join(format!("{file}.npy")), &rows);
    }
    let session = session(2);
    let options = NpyOptions::new().sorted_by(["k"]);
    session.register_npy("archives", &format!("{}/*.npz", directory.path().display()), options.clone()).await.unwrap();
    assert_eq!(ask(&session, "SELECT count(n), sum(n) FROM archives WHERE k >= 199 AND k < 201").await, [["2", "399"]]);
    // The rows of compressed members cannot be read alone.
    assert_eq!(pruned(&session, "SELECT n FROM archives WHERE k >= 199 AND k < 201").await, 1);
    session.register_npy("parts", &format!("{}/", directory.path().display()), options).await.unwrap();
    assert_eq!(ask(&session, "SELECT part, count(*) FROM parts WHERE k >= 150 AND part = '1' GROUP BY part").await, [["1", "150"]]);
    assert_eq!(pruned(&session, "SELECT n FROM parts WHERE k >= 200 AND part = '1'").await, 1);
    ask(&session, "SET datafusion.optimizer.preserve_file_partitions = 1").await;
    let query = "SELECT part, count(*) FROM parts WHERE k >= 350 GROUP BY part";
    assert_eq!(ask(&session, query).await, [["1", "50"]]);
}

/// The order is trusted, but for the first and the last row.
#[tokio::test]
async fn files_in_another_order_than_declared() {
    let directory = tempfile::tempdir().unwrap();
    ten_files(directory.path());
    save_rows::<i64>(&directory.path().join("mixed.npy"), &[(1, 200), (500, 201), (2, 202), (3, 203)]);
    let session = session(2);
    let location = format!("{}/", directory.path().display());
    session.register_npy("t", &location, NpyOptions::new().sorted_by(["k"])).await.unwrap();
    // Rows may be missed, none is wrong, and what needs no order is right.
    let found = ask(&session, "SELECT k FROM t WHERE k > 95").await;
    assert!(found.len() >= 4 && found.iter().all(|row| ["96", "97", "98", "99", "500"].contains(&row[0].as_str())), "{found:?}");
    for query in ["SELECT min(k), max(k), count(*) FROM t", "SELECT min(k), max(k), count(*) FROM t WHERE n >= 0"] {
        assert_eq!(ask(&session, query).await, [["0", "500", "104"]]);
    }
    save_rows::<i64>(&directory.path().join("reversed.npy"), &[(3, 300), (2, 301)]);
    let error = refusal(&session, "SELECT n FROM t WHERE k = 2").await;
    let expected = "reversed.npy: not sorted by \"k\" as declared: found 3 in the first row and 2 in the last one; sort the file";
    assert!(error.contains(expected), "{error}");
    assert_eq!(ask(&session, "SELECT count(n) FROM t WHERE n >= 300").await, [["2"]]);
}

/// What an executor is sent.
#[cfg(feature = "proto")]
#[tokio::test]
async fn a_plan_that_is_sent_has_the_same_files() {
    use datafusion_proto::physical_plan::{AsExecutionPlan, DefaultPhysicalExtensionCodec};
    use datafusion_proto::protobuf::PhysicalPlanNode;
    use npy_datafusion::datafusion::physical_plan::displayable;

    let directory = tempfile::tempdir().unwrap();
    ten_files(directory.path());
    let session = session(2);
    let location = format!("{}/", directory.path().display());
    session.register_npy("t", &location, NpyOptions::new().sorted_by(["k"])).await.unwrap();
    let codec = npy_datafusion::NpyPhysicalCodec::new(std::sync::Arc::new(DefaultPhysicalExtensionCodec {}));
    let plan = session.sql("SELECT n FROM t WHERE k > 85").await.unwrap().create_physical_plan().await.unwrap();
    let node = PhysicalPlanNode::try_from_physical_plan(plan.clone(), &codec).unwrap();
    let sent = node.try_into_physical_plan(&session.task_ctx(), &codec).unwrap();
    let [plan, sent] = [&plan, &sent].map(|plan| displayable(plan.as_ref()).indent(false).to_string());
    assert!(plan == sent && plan.contains("pruned_files=9"), "{plan}\n{sent}");
}

#[tokio::test]
async fn a_file_cut_off_after_registration_is_named() {
    let directory = tempfile::tempdir().unwrap();
    for (name, rows) in [("a", 0..1000), ("b", 1000..2000)] {
        save(&directory.path().join(format!("{name}.npy")), &events(rows));
    }
    let session = session(2);
    let location = format!("{}/", directory.path().display());
    session.register_npy("t", &location, NpyOptions::new().sorted_by(["time"])).await.unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(directory.path().join("b.npy")).unwrap();
    file.set_len(20_000).unwrap();
    let error = refusal(&session, "SELECT id FROM t WHERE time < TIMESTAMP '2023-11-14T22:14:00'").await;
    assert!(error.contains("b.npy") && error.contains("truncated file"), "{error}");
}
