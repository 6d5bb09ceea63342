//! What a plan reads.

use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::{NpyOptions, SessionContextExt};

use crate::support::{ask, events, rows, save, session};

/// The physical plan, without the paths of this machine.
async fn explain(session: &SessionContext, query: &str, directory: &std::path::Path) -> String {
    let plan = session.sql(&format!("EXPLAIN {query}")).await.unwrap().collect().await.unwrap();
    let rows = rows(&plan);
    let physical = rows.iter().find(|row| row[0] == "physical_plan").unwrap();
    physical[1].replace(directory.to_str().unwrap().trim_start_matches('/'), "DIR")
}

#[tokio::test]
async fn plans_are_as_committed() {
    let directory = tempfile::tempdir().unwrap();
    save(&directory.path().join("a.npy"), &events(0..10_000));
    let session = session(2);
    let location = format!("{}/", directory.path().display());
    session.register_npy("t", &location, NpyOptions::new().sorted_by(["time"])).await.unwrap();
    let queries = [
        ("count", "SELECT count(*) FROM t"),
        ("projection", "SELECT id, magnitude FROM t"),
        ("filter", "SELECT id FROM t WHERE magnitude > 5 AND reviewed"),
        ("limit", "SELECT id FROM t LIMIT 5"),
        ("offset", "SELECT id FROM t LIMIT 5 OFFSET 9000"),
        ("offset below a filter", "SELECT id FROM (SELECT id, reviewed FROM t OFFSET 5000) WHERE reviewed"),
        (
            "sorted range",
            "SELECT id FROM t WHERE time >= TIMESTAMP '2023-11-14T23:00:00' AND time < TIMESTAMP '2023-11-14T23:01:00'",
        ),
        ("order", "SELECT id, time FROM t ORDER BY time LIMIT 3"),
        ("group", "SELECT station, count(*) FROM t GROUP BY station"),
    ];
    let mut found = String::new();
    for (name, query) in queries {
        found += &format!("-- {name}\n{query}\n\n{}\n\n", explain(&session, query, directory.path()).await.trim_end());
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plans.txt");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert!(expected == found, "the plans differ from tests/plans.txt; if they should, run with UPDATE_SNAPSHOTS=1:\n{found}");
}

#[tokio::test]
async fn a_count_reads_headers_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    save(&path, &events(0..1000));
    let session = session(4);
    session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    let plan = session.sql("SELECT count(*) FROM t").await.unwrap().create_physical_plan().await.unwrap();
    let plan = npy_datafusion::datafusion::physical_plan::displayable(plan.as_ref()).indent(false).to_string();
    assert!(plan.contains("PlaceholderRowExec") && !plan.contains("DataSourceExec"), "{plan}");
    assert_eq!(ask(&session, "SELECT count(*) FROM t").await, [["1000"]]);
}
