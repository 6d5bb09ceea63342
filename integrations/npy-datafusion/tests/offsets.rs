//! Rows that a query skips.

use npy_arrow::npy_core;
use npy_arrow::npy_core::npz::NpzWriter;
use npy_datafusion::datafusion::arrow::datatypes::DataType;
use npy_datafusion::{NpyOptions, SessionContextExt};

use crate::support::{ask, events, save, session};

#[tokio::test]
async fn an_offset_skips_as_many_rows_and_reads_the_others_once() {
    let directory = tempfile::tempdir().unwrap();
    for (name, rows) in [("a", 0..700), ("b", 700..700), ("c", 700..1000), ("d", 1000..1001)] {
        save(&directory.path().join(format!("{name}.npy")), &events(rows));
    }
    let location = format!("{}/", directory.path().display());
    for partitions in [1, 2, 7, 64] {
        let session = session(partitions);
        session.register_npy("t", &location, NpyOptions::new()).await.unwrap();
        for skip in [1, 5, 699, 700, 701, 999, 1000, 1001, 5000] {
            let left = 1001_usize.saturating_sub(skip);
            let ids = ask(&session, &format!("SELECT id FROM t OFFSET {skip}")).await;
            let distinct: std::collections::HashSet<_> = ids.iter().collect();
            assert_eq!((ids.len(), distinct.len()), (left, left), "{skip} of {partitions} partitions");
            assert_eq!(ask(&session, &format!("SELECT count(*) FROM (SELECT * FROM t OFFSET {skip})")).await, [[left.to_string()]]);
            let limited = ask(&session, &format!("SELECT id FROM t AS x LIMIT 10 OFFSET {skip}")).await;
            assert_eq!(limited.len(), left.min(10), "{skip}");
            let filtered = format!("SELECT count(*) FROM (SELECT id FROM (SELECT id FROM t OFFSET {skip}) OFFSET 3) WHERE id >= 0");
            assert_eq!(ask(&session, &filtered).await, [[left.saturating_sub(3).to_string()]]);
        }
        // In the order of the files, where one partition reads them.
        if partitions == 1 {
            assert_eq!(ask(&session, "SELECT id FROM t LIMIT 2 OFFSET 699").await, [["699"], ["700"]]);
        }
    }
}

#[tokio::test]
async fn an_offset_counts_rows_of_all_directories() {
    let directory = tempfile::tempdir().unwrap();
    for year in [2025, 2026] {
        save(&directory.path().join(format!("year={year}/a.npy")), &events(0..100));
    }
    let session = session(2);
    let options = NpyOptions::new().partitioned_by([("year", DataType::Int32)]);
    session.register_npy("t", &format!("{}/", directory.path().display()), options).await.unwrap();
    let counts = ask(&session, "SELECT year, count(*) FROM (SELECT * FROM t OFFSET 120) GROUP BY year").await;
    assert_eq!(counts, [["2026", "80"]]);
    assert_eq!(ask(&session, "SELECT count(*) FROM (SELECT * FROM t OFFSET 120) WHERE year = 2026").await, [["80"]]);
    assert_eq!(ask(&session, "SELECT count(*) FROM (SELECT * FROM t WHERE year = 2026 OFFSET 120)").await, [["0"]]);
}

/// Rows without bytes, and rows of compressed members, have no place in the file to seek to.
#[tokio::test]
async fn an_offset_skips_rows_that_have_no_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    let empty = npy_core::Header::new("[('x', 'S0')]".parse().unwrap(), npy_core::Order::C, &[100]).unwrap();
    std::fs::write(&path, empty.to_bytes()).unwrap();
    let archive = directory.path().join("a.npz");
    for new in [NpzWriter::new, NpzWriter::new_compressed] {
        let mut members = new(std::io::Cursor::new(Vec::new()));
        members.add_slice("id", &(0..100_i64).collect::<Vec<_>>()).unwrap();
        std::fs::write(&archive, members.finish().unwrap().into_inner()).unwrap();
        for partitions in [1, 3] {
            let session = session(partitions);
            session.register_npy("empty", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
            session.register_npy("members", archive.to_str().unwrap(), NpyOptions::new()).await.unwrap();
            assert_eq!(ask(&session, "SELECT * FROM empty OFFSET 30").await.len(), 70);
            assert_eq!(ask(&session, "SELECT * FROM empty LIMIT 20 OFFSET 30").await.len(), 20);
            assert_eq!(ask(&session, "SELECT * FROM members OFFSET 30").await.len(), 70);
            assert_eq!(ask(&session, "SELECT * FROM members LIMIT 20 OFFSET 30").await.len(), 20);
            assert_eq!(ask(&session, "SELECT count(id), count(*) FROM (SELECT * FROM members OFFSET 31)").await, [["69", "69"]]);
        }
    }
}
