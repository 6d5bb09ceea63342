//! Rows in the declared order, which is not sorted again.

use npy_datafusion::{NpyOptions, SessionContextExt};

use crate::pruning::save_rows;
use crate::support::{ask, session};

/// A partition that is ready early must not read the file of another one after its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_keeps_the_order_of_small_and_large_files() {
    let directory = tempfile::tempdir().unwrap();
    let lengths = [10, 5000, 1, 700];
    for (file, length) in lengths.into_iter().enumerate() {
        let rows: Vec<_> = (0..length).map(|row| (row * 4 + file as i64, row)).collect();
        save_rows::<i64>(&directory.path().join(format!("{file}.npy")), &rows);
    }
    let mut expected: Vec<_> = (0..4).flat_map(|file| (0..lengths[file as usize]).map(move |row| row * 4 + file)).collect();
    expected.sort_unstable();
    for partitions in [4, 7, 64] {
        let session = session(partitions);
        let location = format!("{}/", directory.path().display());
        session.register_npy("t", &location, NpyOptions::new().sorted_by(["k"])).await.unwrap();
        for limit in [3, 30, 3000] {
            for _ in 0..10 {
                let found = ask(&session, &format!("SELECT k FROM t ORDER BY k LIMIT {limit}")).await;
                let found: Vec<i64> = found.iter().map(|row| row[0].parse().unwrap()).collect();
                assert_eq!(found, expected[..limit], "{partitions} partitions, {limit} rows");
            }
        }
    }
}
