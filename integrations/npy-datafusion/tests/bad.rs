//! What is refused, and how the error names it.

use npy_arrow::npy_core;
use npy_datafusion::{NpyOptions, SessionContextExt};

use crate::support::{Event, ask, events, refusal, save, session};

#[tokio::test]
async fn a_damaged_file_among_many_is_named() {
    let directory = tempfile::tempdir().unwrap();
    for name in 0..20 {
        save(&directory.path().join(format!("{name:02}.npy")), &events(name * 10..name * 10 + 10));
    }
    let location = format!("{}/", directory.path().display());
    for (damage, expected) in [
        ("cut", "truncated file: the array needs 370 bytes at offset 256, found 369"),
        ("empty", "07.npy"),
        ("magic", "not an .npy file"),
    ] {
        let path = directory.path().join("07.npy");
        save(&path, &events(70..80));
        let mut bytes = std::fs::read(&path).unwrap();
        match damage {
            "cut" => bytes.truncate(bytes.len() - 1),
            _ => bytes[0] = b'X',
        }
        std::fs::write(&path, bytes).unwrap();
        let error = session(2).register_npy("t", &location, NpyOptions::new()).await.unwrap_err().to_string();
        assert!(error.contains("07.npy") && error.contains(expected), "{damage}: {error}");
    }
}

/// DataFusion's listing skips empty files before any format sees them.
#[tokio::test]
async fn a_file_of_no_bytes_is_skipped() {
    let directory = tempfile::tempdir().unwrap();
    save(&directory.path().join("a.npy"), &events(0..10));
    std::fs::write(directory.path().join("b.npy"), []).unwrap();
    let session = session(2);
    session.register_npy("t", &format!("{}/", directory.path().display()), NpyOptions::new()).await.unwrap();
    assert_eq!(ask(&session, "SELECT count(*), count(id) FROM t").await, [["10", "10"]]);
}

#[tokio::test]
async fn locations_without_files_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().display().to_string();
    for (location, expected) in [
        ("/*.npy", "/*.npy: no file with data matches the pattern; check its directory and its ending".to_owned()),
        ("/", format!("/: no .npy file with data in the directory; {directory}/* reads files of other endings")),
        ("/none.npy", "/none.npy: no such file, or one without data".to_owned()),
    ] {
        let location = format!("{directory}{location}");
        let error = session(2).register_npy("t", &location, NpyOptions::new()).await.unwrap_err().strip_backtrace();
        assert_eq!(error, format!("Error during planning: {directory}{expected}"));
    }
}

/// Names that DataFusion takes for URLs and patterns.
#[cfg(unix)]
#[tokio::test]
async fn files_with_characters_of_urls_and_patterns_are_read() {
    let directory = tempfile::tempdir().unwrap();
    for (count, name) in ["a:b.npy", "a[1].npy", "s?.npy", "st.npy", "it's 100%20 \"x\".npy"].into_iter().enumerate() {
        save(&directory.path().join(name), &events(0..count as i64 + 1));
        let session = session(2);
        let location = directory.path().join(name).display().to_string();
        session.register_npy("t", &location, NpyOptions::new()).await.unwrap();
        assert_eq!(ask(&session, "SELECT count(*) FROM t").await, [[(count + 1).to_string()]], "{name}");
    }
    let url = format!("file://{}/s*.npy", directory.path().display());
    let session = session(2);
    session.register_npy("t", &url, NpyOptions::new()).await.unwrap();
    assert_eq!(ask(&session, "SELECT count(*) FROM t").await, [["7"]]);
}

#[tokio::test]
async fn files_of_other_columns_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    save(&directory.path().join("a.npy"), &events(0..10));
    npy_core::save(directory.path().join("b.npy"), &[1.5_f64, 2.5]).unwrap();
    let location = format!("{}/", directory.path().display());
    let error = session(2).register_npy("t", &location, NpyOptions::new()).await.unwrap_err().to_string();
    assert!(error.contains("b.npy: column \"id\" differs from that of") && error.contains("a.npy"), "{error}");
}

#[tokio::test]
async fn files_that_differ_in_byte_order_padding_and_field_order_are_one_table() {
    let directory = tempfile::tempdir().unwrap();
    let dtypes = [
        "[('a', '<i4'), ('b', '<f8')]",
        "[('b', '>f8'), ('a', '>i4')]",
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [4, 16], 'itemsize': 32}",
    ];
    for (index, dtype) in dtypes.iter().enumerate() {
        let dtype: npy_core::DType = dtype.parse().unwrap();
        let mut bytes = vec![0; dtype.itemsize() * 3];
        let npy_core::DType::Record(record) = &dtype else { unreachable!() };
        for (row, item) in bytes.chunks_exact_mut(dtype.itemsize()).enumerate() {
            let value = (index * 3 + row) as i32;
            let (a, b) = (record.field("a").unwrap(), record.field("b").unwrap());
            let (mut first, mut second) = (value.to_le_bytes(), f64::from(value).to_le_bytes());
            if index == 1 {
                first.reverse();
                second.reverse();
            }
            item[a.offset()..][..4].copy_from_slice(&first);
            item[b.offset()..][..8].copy_from_slice(&second);
        }
        npy_core::DynValues::new(dtype, npy_core::Order::C, &[3], bytes)
            .unwrap()
            .save(directory.path().join(format!("{index}.npy")))
            .unwrap();
    }
    let session = session(2);
    session.register_npy("t", &format!("{}/", directory.path().display()), NpyOptions::new()).await.unwrap();
    let all = ask(&session, "SELECT a, b FROM t ORDER BY a").await;
    let expected: Vec<_> = (0..9).map(|value| vec![value.to_string(), format!("{value}.0")]).collect();
    assert_eq!(all, expected);
}

/// The table was registered before the file was replaced.
#[tokio::test]
async fn a_file_that_changes_after_planning_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    save(&path, &events(0..1000));
    let session = session(2);
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let plan = session.sql("SELECT sum(id) FROM t").await.unwrap().create_physical_plan().await.unwrap();
    npy_core::save(&path, &[0_u8; 40_000]).unwrap();
    let error = npy_datafusion::datafusion::physical_plan::collect(plan, session.task_ctx()).await.unwrap_err().to_string();
    assert!(error.starts_with("the file changed after the query was planned; run the query again\n"), "{error}");
    assert!(error.contains("a.npy: object replaced while it was read: expected e-tag "), "{error}");
}

#[tokio::test]
async fn columns_that_no_file_has_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    save(&path, &events(0..10));
    let session = session(1);
    session.enable_npy().unwrap();
    let error = refusal(
        &session,
        &format!("CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '{}' OPTIONS ('flaten' 'true')", path.display()),
    )
    .await;
    assert!(error.contains("unknown option \"flaten\" of NPY; known are column_name, members, flatten"), "{error}");
    let create = format!("CREATE EXTERNAL TABLE t (id BIGINT, nothing INT) STORED AS NPY LOCATION '{}'", path.display());
    ask(&session, &create).await;
    let error = refusal(&session, "SELECT id FROM t").await;
    assert!(
        error.contains("a.npy: column \"nothing\" differs from that of the table: expected Int32 with missing values, found none"),
        "{error}"
    );
}

#[tokio::test]
async fn objects_and_text_that_is_not_utf8_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    let dtype: npy_core::DType = "[('name', 'S2'), ('n', '<i4')]".parse().unwrap();
    let bytes = b"ab\0\0\0\0\xff\xfe\x01\0\0\0".to_vec();
    npy_core::DynValues::new(dtype, npy_core::Order::C, &[2], bytes).unwrap().save(&path).unwrap();
    let session = session(1);
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let error = refusal(&session, "SELECT name FROM t").await;
    assert!(error.contains("a.npy") && error.contains("\"name\", row 1: invalid UTF-8"), "{error}");
    // The row of the file, though only one was decoded.
    let error = refusal(&session, "SELECT name FROM t WHERE n = 1").await;
    assert!(error.contains("\"name\", row 1: invalid UTF-8"), "{error}");
    session.register_npy("b", path.to_str().unwrap(), NpyOptions::new().bytes_as_text(false)).await.unwrap();
    assert_eq!(ask(&session, "SELECT name FROM b WHERE n = 1").await, [["fffe"]]);
}

#[tokio::test]
async fn files_without_rows_are_tables_without_rows() {
    let directory = tempfile::tempdir().unwrap();
    save(&directory.path().join("a.npy"), &Vec::<Event>::new());
    save(&directory.path().join("b.npy"), &events(0..3));
    let session = session(3);
    session.register_npy("t", &format!("{}/", directory.path().display()), NpyOptions::new()).await.unwrap();
    assert_eq!(ask(&session, "SELECT count(*), sum(id) FROM t WHERE id >= 0").await, [["3", "3"]]);
}

/// Their values are integers in Arrow, of other meanings.
#[tokio::test]
async fn times_of_other_units_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    for (name, dtype) in [("a", "[('t', '<m8[Y]')]"), ("b", "[('t', '<m8[M]')]")] {
        let values = npy_core::DynValues::new(dtype.parse().unwrap(), npy_core::Order::C, &[1], vec![1; 8]).unwrap();
        values.save(directory.path().join(format!("{name}.npy"))).unwrap();
    }
    let location = format!("{}/", directory.path().display());
    let error = session(1).register_npy("t", &location, NpyOptions::new()).await.unwrap_err().to_string();
    assert!(error.contains("expected Int64 of m8[Y] with missing values, found Int64 of m8[M] with missing values"), "{error}");
}
