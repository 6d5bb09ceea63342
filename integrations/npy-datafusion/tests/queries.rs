//! Answers beside those of NumPy.

use std::path::Path;

use npy_core::NpyRecord;
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::{NpyOptions, SessionContextExt};

use crate::support::{ask, events, numpy, rows, save, save_as, session, workspace};

/// The queries, by name.
pub fn queries() -> Vec<(&'static str, &'static str)> {
    include_str!("queries.txt").lines().map(|line| line.split_once(": ").unwrap()).collect()
}

/// Shards of 12,000 events; the last one has other times missing.
pub fn shards(directory: &Path) {
    for (index, rows) in [0..5000, 5000..5001, 5001..9000, 9000..12_000].into_iter().enumerate() {
        save(&directory.join(format!("shard_{index}.npy")), &events(rows));
    }
}

/// What NumPy answers; `None` if there is no NumPy here.
pub fn answers(test: &str, directory: &Path) -> Option<Vec<(String, Vec<Vec<String>>)>> {
    let numpy = numpy::numpy(test)?;
    let script = workspace().join("integrations/npy-datafusion/tests/python/answers.py");
    let output = numpy.run([script.as_os_str(), directory.as_os_str()], b"");
    let lines = String::from_utf8(output).unwrap();
    Some(lines.lines().map(parse).collect())
}

/// A line of JSON: a name, and rows of texts.
fn parse(line: &str) -> (String, Vec<Vec<String>>) {
    let mut rows = Vec::new();
    let (name, rest) = line.strip_prefix("[\"").unwrap().split_once("\", [").unwrap();
    for row in rest.strip_suffix("]]").unwrap().split('[').skip(1) {
        let row = row.split_once(']').unwrap().0;
        rows.push(row.split(", ").map(|text| text.trim_matches('"').to_owned()).collect());
    }
    (name.to_owned(), rows)
}

/// Compares an answer with that of NumPy: texts exactly, numbers to twelve digits.
pub fn compare(name: &str, expected: &[Vec<String>], found: &[Vec<String>]) {
    let is_same = |(expected, found): (&String, &String)| match (expected.parse::<f64>(), found.parse::<f64>()) {
        // Sums in another order, and means of f32, differ in the last digits.
        (Ok(expected), Ok(found)) => (expected - found).abs() <= 1e-6 * expected.abs().max(1e-300),
        _ => expected == found,
    };
    let is_equal = expected.len() == found.len()
        && expected
            .iter()
            .zip(found)
            .all(|(expected, found)| expected.len() == found.len() && expected.iter().zip(found).all(is_same));
    assert!(is_equal, "{name}: expected {expected:?}, found {found:?}");
}

async fn all(session: &SessionContext, expected: &[(String, Vec<Vec<String>>)]) {
    let queries = queries();
    assert_eq!(queries.len(), expected.len());
    for ((name, query), (expected_name, expected)) in queries.into_iter().zip(expected) {
        assert_eq!(name, expected_name);
        compare(name, expected, &ask(session, query).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_those_of_numpy() {
    let directory = tempfile::tempdir().unwrap();
    shards(directory.path());
    let Some(expected) = answers("answers_are_those_of_numpy", directory.path()) else { return };
    let location = format!("{}/", directory.path().display());
    // Declared sorted or not, whatever the number of partitions.
    for partitions in [1, 2, 7, 64] {
        for options in [NpyOptions::new(), NpyOptions::new().sorted_by(["time"])] {
            let session = session(partitions);
            session.register_npy("t", &location, options).await.unwrap();
            all(&session, &expected).await;
        }
    }
}

/// As one file, in big-endian order, through `CREATE EXTERNAL TABLE`.
#[tokio::test]
async fn other_byte_orders_give_the_same_answers() {
    let directory = tempfile::tempdir().unwrap();
    shards(directory.path());
    let Some(expected) = answers("other_byte_orders_give_the_same_answers", directory.path()) else { return };
    let other = tempfile::tempdir().unwrap();
    let path = other.path().join("big.npy");
    let dtype = "[('id', '>i8'), ('station', 'S4'), ('time', '>M8[ns]'), ('at', [('latitude', '>f8'), ('depth', '>f4')]), ('magnitude', '>f4'), ('reviewed', '?')]";
    save_as(&path, &events(0..12_000), dtype);
    let session = session(3);
    session.enable_npy().unwrap();
    let create = format!("CREATE EXTERNAL TABLE t STORED AS NPY WITH ORDER (time) LOCATION '{}'", path.display());
    ask(&session, &create).await;
    all(&session, &expected).await;
}

/// A file is divided at random; each row is in exactly one part.
#[tokio::test]
async fn any_cut_reads_each_row_once() {
    let directory = tempfile::tempdir().unwrap();
    save(&directory.path().join("a.npy"), &events(0..997));
    let location = format!("{}/", directory.path().display());
    for partitions in [1, 2, 3, 5, 31, 257, 996, 997, 5000] {
        let session = session(partitions);
        session.register_npy("t", &location, NpyOptions::new()).await.unwrap();
        let sums = ask(&session, "SELECT count(id), sum(id), min(id), max(id), count(DISTINCT id) FROM t").await;
        assert_eq!(sums, [["997", "496506", "0", "996", "997"]], "{partitions} partitions");
    }
}

#[tokio::test]
async fn matrices_in_both_orders_are_columns() {
    let directory = tempfile::tempdir().unwrap();
    let (rows, columns) = (1234, 3);
    let value = |row: usize, column: usize| (row * 10 + column) as f64;
    let c: Vec<u8> = (0..rows).flat_map(|row| (0..columns).flat_map(move |column| value(row, column).to_le_bytes())).collect();
    let f: Vec<u8> = (0..columns).flat_map(|column| (0..rows).flat_map(move |row| value(row, column).to_le_bytes())).collect();
    for (order, bytes) in [(npy_core::Order::C, c), (npy_core::Order::Fortran, f)] {
        let path = directory.path().join(format!("{order:?}.npy"));
        npy_core::DynValues::new("<f8".parse().unwrap(), order, &[rows, columns], bytes).unwrap().save(&path).unwrap();
        for partitions in [1, 4] {
            let session = session(partitions);
            session.register_npy("m", path.to_str().unwrap(), NpyOptions::new().matrix_columns(true)).await.unwrap();
            let sums = ask(&session, "SELECT sum(value_0), sum(value_1), sum(value_2), count(*) FROM m WHERE value_1 >= 0").await;
            assert_eq!(sums, [["7607610.0", "7608844.0", "7610078.0", "1234"]], "{order:?}, {partitions} partitions");
            session.register_npy("l", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
            let lists = ask(&session, "SELECT value FROM l WHERE value[1] = 10").await;
            assert_eq!(lists, [["[10.0, 11.0, 12.0]"]]);
        }
    }
}

/// Rows that pass are gathered before they are decoded, or filtered after it, by their share and length.
#[tokio::test]
async fn any_share_of_rows_of_any_length_is_filtered() {
    let directory = tempfile::tempdir().unwrap();
    for itemsize in [16, 200, 2000] {
        let dtype = format!("{{'names': ['n', 'name'], 'formats': ['<i8', 'S5'], 'offsets': [0, 8], 'itemsize': {itemsize}}}");
        let row = |n: u64| {
            let mut row = vec![0; itemsize];
            row[..8].copy_from_slice(&n.to_le_bytes());
            row[8..][..5].copy_from_slice(&format!("n{n:04}").as_bytes()[..5]);
            row
        };
        let bytes: Vec<u8> = (0..4000).flat_map(row).collect();
        let path = directory.path().join(format!("{itemsize}.npy"));
        npy_core::DynValues::new(dtype.parse().unwrap(), npy_core::Order::C, &[4000], bytes).unwrap().save(&path).unwrap();
        let session = session(2);
        session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
        for share in [0, 1, 50, 125, 400, 640, 875, 900, 1000] {
            let query = format!("SELECT count(DISTINCT name), min(name), max(name) FROM t WHERE (n * 7) % 1000 < {share}");
            let mut names: Vec<_> = (0..4000).filter(|n| n * 7 % 1000 < share).map(|n| format!("n{n:04}")).collect();
            names.sort();
            let ends = [names.first(), names.last()].map(|name| name.cloned().unwrap_or_else(|| "null".to_owned()));
            let expected = [names.len().to_string(), ends[0].clone(), ends[1].clone()];
            assert_eq!(ask(&session, &query).await, [expected], "{itemsize} {share}");
        }
    }
}

/// Whether the rows of a range are gathered or filtered, they stay in order, and the former fill batches.
#[tokio::test]
async fn filtered_batches_are_full_and_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    save(&path, &events(0..12_000));
    let session = session(1);
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    // All rows of some batches, none, each third one, and nine of ten.
    let query = "SELECT id, station FROM t WHERE id < 2500 OR id % 3 = 0 AND id >= 4100 OR id % 10 > 0 AND id > 11000";
    let passes = |id: &i64| *id < 2500 || id % 3 == 0 && *id >= 4100 || id % 10 > 0 && *id > 11_000;
    let batches = session.sql(query).await.unwrap().collect().await.unwrap();
    let expected: Vec<_> = events(0..12_000).into_iter().filter(|event| passes(&event.id)).collect();
    let expected: Vec<_> = expected.iter().map(|event| vec![event.id.to_string(), event.station.clone()]).collect();
    assert!(rows(&batches) == expected);
    assert!(batches.iter().all(|batch| batch.num_rows() <= 1000));
    assert!(batches.len() < 10, "{} batches", batches.len());
    let few = session.sql("SELECT id, station FROM t WHERE id % 100 = 7").await.unwrap().collect().await.unwrap();
    assert_eq!(few.iter().map(|batch| batch.num_rows()).collect::<Vec<_>>(), [120]);
}

/// Saves values of eight bytes as the only field of records of this size.
fn save_padded(path: &Path, scalar: &str, itemsize: usize, values: impl ExactSizeIterator<Item = [u8; 8]>) {
    let dtype = format!("{{'names': ['value'], 'formats': ['{scalar}'], 'offsets': [0], 'itemsize': {itemsize}}}");
    let (rows, mut bytes) = (values.len(), Vec::new());
    for value in values {
        bytes.extend(value);
        bytes.resize(bytes.len() + itemsize - 8, 0);
    }
    let array = npy_core::DynValues::new(dtype.parse().unwrap(), npy_core::Order::C, &[rows], bytes);
    array.unwrap().save(path).unwrap();
}

/// Bytes of a row, and partitions: parts that are fetched at once, and one that is searched by a few reads.
const SEARCHED: [(usize, usize); 2] = [(8, 3), (100, 1)];

#[tokio::test]
async fn a_range_of_the_key_gives_the_same_rows_whatever_its_ends() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    for (itemsize, partitions) in SEARCHED {
        // Runs of equal keys, so that each end may be in one.
        save_padded(&path, "<i8", itemsize, (0..50_000).map(|row| i64::from(row / 7).to_le_bytes()));
        let (sorted, plain) = (session(partitions), session(partitions));
        sorted.register_npy("t", path.to_str().unwrap(), NpyOptions::new().sorted_by(["value"])).await.unwrap();
        plain.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
        for (low, high) in [(-5, 3), (0, 0), (0, 1), (17, 4000), (4000, 17), (7141, 7142), (7142, 7143), (7143, 9000), (3571, 3571)]
        {
            for (lower, upper) in [(">", "<"), (">=", "<="), (">", "<="), (">=", "<")] {
                let query = format!(
                    "SELECT count(value), sum(value) FROM t WHERE value {lower} {low} AND {high} {} value",
                    if upper == "<" { ">" } else { ">=" }
                );
                assert_eq!(ask(&sorted, &query).await, ask(&plain, &query).await, "{query}");
            }
            let query = format!("SELECT count(value) FROM t WHERE value = {high}");
            assert_eq!(ask(&sorted, &query).await, ask(&plain, &query).await, "{query}");
        }
    }
}

/// Zeros, NaN of both signs and missing times are where NumPy sorts them.
#[tokio::test]
async fn sorted_floats_and_times_keep_all_rows() {
    let directory = tempfile::tempdir().unwrap();
    let floats = directory.path().join("floats.npy");
    let mut values: Vec<f64> = (-40_000..0).map(f64::from).collect();
    values.extend([0.0, -0.0, 0.0, -0.0]);
    values.extend((1..40_000).map(f64::from));
    values.extend([f64::NAN, -f64::NAN, -f64::NAN]);
    for (itemsize, partitions) in SEARCHED {
        save_padded(&floats, "<f8", itemsize, values.iter().map(|value| value.to_le_bytes()));
        let (sorted, plain) = (session(partitions), session(partitions));
        sorted.register_npy("t", floats.to_str().unwrap(), NpyOptions::new().sorted_by(["value"])).await.unwrap();
        plain.register_npy("t", floats.to_str().unwrap(), NpyOptions::new()).await.unwrap();
        for condition in [
            "value >= 5",
            "value < 5",
            "value > 0",
            "value >= 0",
            "value < 0",
            "value <= 0",
            "value = 0",
            "value >= -0.0 AND value <= 39998.5",
        ] {
            let query = format!("SELECT count(value) FROM t WHERE {condition}");
            assert_eq!(ask(&sorted, &query).await, ask(&plain, &query).await, "{condition}");
        }
    }
    // Nulls first is not the order of NumPy.
    let times = directory.path().join("times.npy");
    save(&times, &[events(11_990..12_000), events(0..3000)].concat());
    let session = session(2);
    session.enable_npy().unwrap();
    ask(&session, &format!("CREATE EXTERNAL TABLE t STORED AS NPY WITH ORDER (time NULLS FIRST) LOCATION '{}'", times.display()))
        .await;
    assert_eq!(ask(&session, "SELECT count(*) FROM t WHERE time < TIMESTAMP '2023-11-14T22:30:00'").await, [["667"]]);
}

/// The filter of a join is not one of the query below it.
#[tokio::test]
async fn a_limit_below_a_join_counts_before_the_join() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    save(&path, &events(0..6000));
    npy_core::save(directory.path().join("b.npy"), &[5000_i64]).unwrap();
    let session = session(1);
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new().sorted_by(["time"])).await.unwrap();
    session.register_npy("b", directory.path().join("b.npy").to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let query = "SELECT a.id FROM b JOIN (SELECT * FROM t ORDER BY time LIMIT 10) a ON a.id = b.value";
    assert_eq!(ask(&session, query).await, Vec::<Vec<String>>::new());
}

/// Another program adds a file, and replaces one.
#[tokio::test]
async fn each_query_lists_the_files_anew() {
    let directory = tempfile::tempdir().unwrap();
    save(&directory.path().join("a.npy"), &events(0..10));
    let session = session(2);
    session.register_npy("t", &format!("{}/", directory.path().display()), NpyOptions::new()).await.unwrap();
    assert_eq!(ask(&session, "SELECT count(*), max(id) FROM t").await, [["10", "9"]]);
    save(&directory.path().join("b.npy"), &events(10..30));
    assert_eq!(ask(&session, "SELECT count(*), max(id) FROM t").await, [["30", "29"]]);
    save(&directory.path().join("a.npy"), &events(0..5));
    assert_eq!(ask(&session, "SELECT count(*), count(id) FROM t").await, [["25", "25"]]);
}

#[derive(NpyRecord)]
struct Named {
    #[npy(dtype = "S4")]
    station: String,
}

#[tokio::test]
async fn declared_texts_are_those_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    let names: Vec<_> = events(0..3000).into_iter().map(|event| Named { station: event.station }).collect();
    npy_core::save(&path, &names).unwrap();
    let session = session(2);
    session.enable_npy().unwrap();
    let create =
        |name: &str, columns: &str| format!("CREATE EXTERNAL TABLE {name} {columns} STORED AS NPY LOCATION '{}'", path.display());
    ask(&session, &create("t", "")).await;
    ask(&session, &create("u", "(station VARCHAR NOT NULL)")).await;
    for query in ["SELECT station, count(*) FROM t GROUP BY station ORDER BY station", "SELECT count(*) FROM t WHERE station > 'L'"]
    {
        assert_eq!(ask(&session, &query.replace(" t ", " u ")).await, ask(&session, query).await);
    }
}

#[tokio::test]
async fn declared_texts_in_structs_and_lists_are_those_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    let dtype = "[('n', '<i4'), ('at', [('site', 'S2'), ('depth', '<f4')]), ('codes', 'S1', (2,))]".parse().unwrap();
    let bytes = (0..3_u8).flat_map(|n| [&[n, 0, 0, 0, b'A' + n, b'x', 0, 0, 0, n, b'p', b'q'][..]].concat()).collect();
    npy_core::DynValues::new(dtype, npy_core::Order::C, &[3], bytes).unwrap().save(&path).unwrap();
    let session = session(2);
    session.enable_npy().unwrap();
    let columns = "(n INT, at STRUCT<site VARCHAR, depth REAL>, codes VARCHAR[2])";
    for (table, columns) in [("t", ""), ("u", columns)] {
        ask(&session, &format!("CREATE EXTERNAL TABLE {table} {columns} STORED AS NPY LOCATION '{}'", path.display())).await;
        let query = format!("SELECT n, at['site'], codes[2] FROM {table} WHERE at['site'] > 'Az'");
        assert_eq!(ask(&session, &query).await, [["1", "Bx", "q"], ["2", "Cx", "q"]], "{table}");
    }
    let wrong = "(n INT, at STRUCT<place VARCHAR, depth REAL>, codes VARCHAR[2])";
    ask(&session, &format!("CREATE EXTERNAL TABLE w {wrong} STORED AS NPY LOCATION '{}'", path.display())).await;
    let error = crate::support::refusal(&session, "SELECT n FROM w").await;
    assert!(error.contains("a.npy: column \"at\" differs from that of the table: expected Struct"), "{error}");
}
