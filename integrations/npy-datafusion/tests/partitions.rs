//! Directories that are named after values.

use npy_arrow::npy_core;
use npy_datafusion::datafusion::arrow::datatypes::DataType;
use npy_datafusion::{NpyOptions, SessionContextExt};

use crate::support::{ask, events, refusal, save, session};

#[tokio::test]
async fn directories_named_after_values_are_columns() {
    let directory = tempfile::tempdir().unwrap();
    for year in 2020..2024_i64 {
        save(&directory.path().join(format!("year={year}/a.npy")), &events(year..year + 10));
    }
    let session = session(3);
    let options = NpyOptions::new().partitioned_by([("year", DataType::Int32)]);
    session.register_npy("t", &format!("{}/", directory.path().display()), options).await.unwrap();
    let answer =
        ask(&session, "SELECT year, count(*), min(id) FROM t WHERE year >= 2022 AND id >= 0 GROUP BY year ORDER BY year").await;
    assert_eq!(answer, [["2022", "10", "2022"], ["2023", "10", "2023"]]);
    session.enable_npy().unwrap();
    ask(
        &session,
        &format!("CREATE EXTERNAL TABLE s STORED AS NPY PARTITIONED BY (year) LOCATION '{}/'", directory.path().display()),
    )
    .await;
    assert_eq!(ask(&session, "SELECT count(*), max(id) FROM s WHERE year = '2021'").await, [["10", "2030"]]);
}

/// By SQL and without it, as text.
#[tokio::test]
async fn columns_of_directories_are_found() {
    let directory = tempfile::tempdir().unwrap();
    for (year, month) in [(2025, 11), (2025, 12), (2026, 1)] {
        let path = directory.path().join(format!("year={year}/month={month}/a.npy"));
        save(&path, &events(year * 100 + month..year * 100 + month + 10));
    }
    let session = session(2);
    session.enable_npy().unwrap();
    let location = format!("{}/", directory.path().display());
    session.register_npy("t", &location, NpyOptions::new()).await.unwrap();
    ask(&session, &format!("CREATE EXTERNAL TABLE s STORED AS NPY LOCATION '{location}'")).await;
    session.register_npy("p", &format!("{location}*.npy"), NpyOptions::new()).await.unwrap();
    for table in ["t", "s", "p"] {
        let query =
            format!("SELECT year, month, count(*), min(id) FROM {table} WHERE year = 2025 GROUP BY year, month ORDER BY month");
        assert_eq!(ask(&session, &query).await, [["2025", "11", "10", "202511"], ["2025", "12", "10", "202512"]], "{table}");
        let plan = ask(&session, &format!("EXPLAIN SELECT id FROM {table} WHERE year = '2026'")).await.concat().concat();
        assert!(plan.contains("year=2026/month=1/a.npy") && !plan.contains("year=2025"), "{plan}");
        let query = format!("SELECT arrow_typeof(year) FROM {table} LIMIT 1");
        assert_eq!(ask(&session, &query).await, [["Dictionary(UInt16, Utf8)"]]);
    }
    session.register_npy("one", &format!("{location}year=2025/"), NpyOptions::new()).await.unwrap();
    assert_eq!(ask(&session, "SELECT month, count(*) FROM one GROUP BY month ORDER BY month").await, [["11", "10"], ["12", "10"]]);
    session.register_npy("none", &location, NpyOptions::new().partitioned_by::<&str>([])).await.unwrap();
    assert_eq!(ask(&session, "SELECT * FROM none LIMIT 1").await[0].len(), 6);
}

/// DataFusion's scans would pass over such files.
#[tokio::test]
async fn files_in_directories_of_other_columns_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    for day in 0..12 {
        save(&directory.path().join(format!("day={day:02}/a.npy")), &events(0..10));
    }
    let location = format!("{}/", directory.path().display());
    for other in ["z.npy", "dag=1/z.npy", "day=12/hour=1/z.npy"] {
        let path = directory.path().join(other);
        save(&path, &events(0..10));
        let session = session(2);
        session.enable_npy().unwrap();
        let error = session.register_npy("t", &location, NpyOptions::new()).await.unwrap_err().to_string();
        let expected = "npy: directories of other columns: expected [";
        assert!(error.contains(expected) && error.contains(other) && error.contains("with partitioned_by or"), "{error}");
        session.register_npy("all", &location, NpyOptions::new().partitioned_by::<&str>([])).await.unwrap();
        assert_eq!(ask(&session, "SELECT count(*) FROM all").await, [["130"]]);
        let named = NpyOptions::new().partitioned_by([("day", DataType::Int8)]);
        let create = format!("CREATE EXTERNAL TABLE s STORED AS NPY PARTITIONED BY (day) LOCATION '{location}'");
        if other.starts_with("day=") {
            session.register_npy("named", &location, named).await.unwrap();
            assert_eq!(ask(&session, "SELECT max(day) FROM named").await, [["12"]]);
        } else {
            let error = session.register_npy("named", &location, named).await.unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains(other), "{error}");
            let error = refusal(&session, &create).await;
            assert!(error.contains(other) || error.contains("mixed partition values"), "{error}");
        }
        std::fs::remove_file(path).unwrap();
    }
    // Without files in it, a directory is nothing.
    let session = session(2);
    session.register_npy("t", &location, NpyOptions::new()).await.unwrap();
    assert_eq!(ask(&session, "SELECT count(*), max(day) FROM t").await, [["120", "11"]]);
}

#[tokio::test]
async fn a_column_of_both_files_and_directories_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    save(&directory.path().join("station=ANMO/a.npy"), &events(0..10));
    let location = format!("{}/", directory.path().display());
    let session = session(1);
    session.enable_npy().unwrap();
    let error = session.register_npy("t", &location, NpyOptions::new()).await.unwrap_err().to_string();
    assert!(error.contains("column \"station\" is in the files and in the names of their directories"), "{error}");
    let create = format!("CREATE EXTERNAL TABLE s STORED AS NPY LOCATION '{location}'");
    let error = refusal(&session, &create).await;
    assert!(error.contains("station"), "{error}");
    ask(&session, "SET datafusion.execution.listing_table_factory_infer_partitions = false").await;
    ask(&session, &create).await;
    assert_eq!(ask(&session, "SELECT count(station) FROM s").await, [["10"]]);
}

/// Texts that have a meaning in names of files too.
#[tokio::test]
async fn a_partitioned_copy_gives_its_rows_back() {
    let directory = tempfile::tempdir().unwrap();
    let names = ["plain", "a b", "a=b", "50%", "%20", "ä", "über/unter", "..", "a:b?*"];
    let dtype: npy_core::DType = "[('n', '<i8'), ('name', '<U12')]".parse().unwrap();
    let text = |text: &str| {
        let codes = text.chars().chain(std::iter::repeat('\0')).take(12);
        codes.flat_map(|code| u32::from(code).to_le_bytes()).collect::<Vec<_>>()
    };
    let row = |n: usize| [(n as i64).to_le_bytes().to_vec(), text(names[n % names.len()])].concat();
    let bytes: Vec<u8> = (0..1000).flat_map(row).collect();
    let path = directory.path().join("a.npy");
    npy_core::DynValues::new(dtype, npy_core::Order::C, &[1000], bytes).unwrap().save(&path).unwrap();
    let session = session(3);
    session.enable_npy().unwrap();
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let out = format!("{}/out/", directory.path().display());
    let copy = format!("COPY (SELECT n, n % 3 AS part, name FROM t) TO '{out}' STORED AS NPY PARTITIONED BY (part, name)");
    assert_eq!(ask(&session, &copy).await, [["1000"]]);
    let options = NpyOptions::new().partitioned_by([("part", DataType::Int64), ("name", DataType::Utf8)]);
    session.register_npy("named", &out, options).await.unwrap();
    session.register_npy("found", &out, NpyOptions::new()).await.unwrap();
    ask(&session, &format!("CREATE EXTERNAL TABLE created STORED AS NPY LOCATION '{out}'")).await;
    let expected: Vec<_> = (0..1000).map(|n| vec![n.to_string(), (n % 3).to_string(), names[n % names.len()].to_owned()]).collect();
    for table in ["named", "found", "created"] {
        let rows = ask(&session, &format!("SELECT n, part, name FROM {table} ORDER BY n")).await;
        assert!(rows == expected, "{table}: {rows:?}");
        for (index, name) in names.iter().enumerate() {
            let count = (0..1000).filter(|n| n % names.len() == index && n % 3 == 1).count();
            let query = format!("SELECT count(*) FROM {table} WHERE name = '{name}' AND part = 1");
            assert_eq!(ask(&session, &query).await, [[count.to_string()]], "{table} {name}");
        }
    }
}
