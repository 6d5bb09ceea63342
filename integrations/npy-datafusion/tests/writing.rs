//! What `COPY` and `INSERT INTO` write.

use npy_arrow::npy_core::NpyReader;
use npy_datafusion::{NpyOptions, SessionContextExt};

use crate::support::{Event, ask, events, numpy, refusal, save, save_as, session};

#[tokio::test]
async fn a_copy_has_the_same_dtype_and_rows() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    // Padding, a title and the other byte order come back too.
    let dtype = "{'names': ['id', 'station', 'time', 'at', 'magnitude', 'reviewed'], 'formats': ['>i8', 'S4', '<M8[ns]', [('latitude', '<f8'), ('depth', '>f4')], '<f4', '?'], 'offsets': [0, 8, 16, 24, 36, 44], 'itemsize': 48}";
    save_as(&path, &events(0..5000), dtype);
    let session = session(1);
    session.enable_npy().unwrap();
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let copy = directory.path().join("copy.npy");
    assert_eq!(ask(&session, &format!("COPY t TO '{}' STORED AS NPY", copy.display())).await, [["5000"]]);
    assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(&path).unwrap());
    // A directory has a file for each partition or more.
    let shards = format!("{}/shards/", directory.path().display());
    ask(&session, &format!("COPY (SELECT * FROM t ORDER BY id) TO '{shards}' STORED AS NPY")).await;
    session.register_npy("s", &shards, NpyOptions::new()).await.unwrap();
    assert_eq!(ask(&session, "SELECT count(*), sum(id) FROM s").await, [["5000", "12497500"]]);
}

#[tokio::test]
async fn a_query_is_written_with_the_dtypes_that_are_known() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    save(&path, &events(0..100));
    let session = session(1);
    session.enable_npy().unwrap();
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let copy = directory.path().join("copy.npy");
    let query = "SELECT station, station || '…' AS longer, max(magnitude) AS largest, time FROM t GROUP BY station, time ORDER BY time LIMIT 10";
    ask(&session, &format!("COPY ({query}) TO '{}' STORED AS NPY", copy.display())).await;
    let reader = NpyReader::open(&copy).unwrap();
    assert_eq!(
        reader.header().dtype().to_string(),
        "[('station', '|S4'), ('longer', '<U5'), ('largest', '<f4'), ('time', '<M8[ns]')]"
    );
    if let Some(numpy) = numpy::numpy("a_query_is_written_with_the_dtypes_that_are_known") {
        let script = "import numpy as np, sys; a = np.load(sys.argv[1]); print(a.dtype, len(a), a['longer'][0])";
        let output = numpy.run(["-c".as_ref(), script.as_ref(), copy.as_os_str()], b"");
        let first = &events(0..1)[0].station;
        let expected = format!("[('station', 'S4'), ('longer', '<U5'), ('largest', '<f4'), ('time', '<M8[ns]')] 10 {first}…\n");
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }
}

#[tokio::test]
async fn rows_are_inserted_as_new_files() {
    let directory = tempfile::tempdir().unwrap();
    save(&directory.path().join("a.npy"), &events(0..100));
    let session = session(2);
    let location = format!("{}/", directory.path().display());
    session.register_npy("t", &location, NpyOptions::new()).await.unwrap();
    assert_eq!(ask(&session, "INSERT INTO t SELECT * FROM t WHERE id < 10").await, [["10"]]);
    assert_eq!(ask(&session, "SELECT count(*), sum(id) FROM t").await, [["110", "4995"]]);
    // Each of them is a file of NumPy.
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let rows: Vec<Event> = npy_core::load(entry.unwrap().path()).unwrap();
        assert!(!rows.is_empty());
    }
}

#[tokio::test]
async fn nothing_is_left_of_a_query_that_fails() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    save(&path, &events(0..5000));
    let session = session(1);
    session.enable_npy().unwrap();
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let out = directory.path().join("out");
    // The last rows divide by zero.
    let query = format!("COPY (SELECT id / (4990 - id) AS q FROM t) TO '{}/' STORED AS NPY", out.display());
    let error = refusal(&session, &query).await;
    assert!(error.contains("Divide by zero"), "{error}");
    let left = std::fs::read_dir(&out).map(|entries| entries.count()).unwrap_or(0);
    assert_eq!(left, 0);
    // A null has no place in an integer.
    let query = format!("COPY (SELECT CASE WHEN id = 7 THEN NULL ELSE id END AS q FROM t) TO '{}/' STORED AS NPY", out.display());
    let error = refusal(&session, &query).await;
    assert!(error.contains("null in column \"q\", row 7"), "{error}");
    assert_eq!(std::fs::read_dir(&out).map(|entries| entries.count()).unwrap_or(0), 0);
}

#[tokio::test]
async fn an_upload_that_fails_is_an_error_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    save(&path, &events(0..100));
    let session = session(1);
    session.enable_npy().unwrap();
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    // A file is where the directory would have to be.
    let error = refusal(&session, &format!("COPY t TO '{}/out/' STORED AS NPY", path.display())).await;
    assert!(error.contains("cannot write") && error.contains("a.npy/out/"), "{error}");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// A file is uploaded in parts if it is larger than the session's buffer.
#[tokio::test]
async fn large_files_are_uploaded_in_parts() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    let values: Vec<i64> = (0..2_000_000).collect();
    npy_core::save(&path, &values).unwrap();
    let session = session(1);
    session.enable_npy().unwrap();
    ask(&session, "SET datafusion.execution.objectstore_writer_buffer_size = 6000000").await;
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let copy = directory.path().join("copy.npy");
    ask(&session, &format!("COPY t TO '{}' STORED AS NPY", copy.display())).await;
    assert!(std::fs::read(&copy).unwrap() == std::fs::read(&path).unwrap());
}

/// Columns that only have the name of one of the file.
#[tokio::test]
async fn the_dtype_of_a_file_is_not_that_of_other_values() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    let dtype: npy_core::DType = "[('station', 'S4'), ('year', '<M8[Y]')]".parse().unwrap();
    let bytes = b"ANMO\x35\0\0\0\0\0\0\0".to_vec();
    npy_core::DynValues::new(dtype, npy_core::Order::C, &[1], bytes).unwrap().save(&path).unwrap();
    let session = session(1);
    session.enable_npy().unwrap();
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let copy = directory.path().join("copy.npy");
    for (query, dtype) in [
        ("SELECT station || '_x' AS station, year FROM t", "[('station', '|S6'), ('year', '<M8[Y]')]"),
        ("SELECT count(*) AS year FROM t", "[('year', '<i8')]"),
        ("SELECT year, station FROM t", "[('year', '<M8[Y]'), ('station', '|S4')]"),
    ] {
        ask(&session, &format!("COPY ({query}) TO '{}' STORED AS NPY", copy.display())).await;
        assert_eq!(NpyReader::open(&copy).unwrap().header().dtype().to_string(), dtype, "{query}");
    }
}

/// More files at a time than a runtime has threads for blocking calls.
#[tokio::test]
async fn a_copy_into_a_thousand_directories_ends() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    save(&path, &events(0..3000));
    let session = session(1);
    session.enable_npy().unwrap();
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let out = directory.path().join("out");
    let query = format!(
        "COPY (SELECT id, magnitude, id % 1000 AS part FROM t) TO '{}/' STORED AS NPY PARTITIONED BY (part)",
        out.display()
    );
    let copied = tokio::time::timeout(std::time::Duration::from_secs(120), async { ask(&session, &query).await });
    assert_eq!(copied.await.expect("the copy does not end"), [["3000"]]);
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1000);
}
