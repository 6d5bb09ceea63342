//! Tables in a bucket of S3, and a bucket that is missing.

#[allow(dead_code, reason = "the tests of npy-remote use the rest")]
#[path = "../../npy-remote/tests/s3_server.rs"]
mod s3_server;

use npy_datafusion::datafusion::execution::object_store::ObjectStoreUrl;
use npy_datafusion::{NpyOptions, SessionContextExt};

use crate::support::{ask, events, session};
use s3_server::Server;

#[tokio::test]
async fn tables_are_in_buckets_and_a_missing_one_is_named() {
    let Some(server) = Server::start("tables_are_in_buckets_and_a_missing_one_is_named") else { return };
    let session = session(2);
    session.enable_npy().unwrap();
    for bucket in ["bucket", "none"] {
        let url = ObjectStoreUrl::parse(format!("s3://{bucket}")).unwrap();
        session.register_object_store(url.as_ref(), server.store(bucket));
    }
    npy_remote::save(server.store("bucket"), "run/a.npy", &events(0..1000)).await.unwrap();
    session.register_npy("t", "s3://bucket/run/", NpyOptions::new()).await.unwrap();
    assert_eq!(ask(&session, "SELECT count(*), sum(id) FROM t WHERE id > 500").await, [["499", "374250"]]);
    assert_eq!(ask(&session, "COPY (SELECT id FROM t) TO 's3://bucket/out.npy' STORED AS NPY").await, [["1000"]]);
    for location in ["s3://none/run/", "s3://none/a.npy"] {
        let error = session.register_npy("u", location, NpyOptions::new()).await.unwrap_err().to_string();
        assert!(error.contains("s3://none/") && error.contains("cannot list the files: no such bucket"), "{error}");
    }
    let copy = session.sql("COPY (SELECT id FROM t) TO 's3://none/out.npy' STORED AS NPY").await.unwrap();
    let error = copy.collect().await.unwrap_err().to_string();
    assert!(error.contains("s3://none/out.npy: cannot write the object: no such bucket"), "{error}");
}

/// The program with the environment of a person who has an account.
#[cfg(feature = "sql")]
fn npy_sql(server: &Server, query: &str, files: &[&str]) -> Result<String, String> {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_npy-sql"));
    command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret").env("AWS_REGION", "us-east-1");
    command.env("AWS_ENDPOINT_URL", server.endpoint()).env("AWS_ALLOW_HTTP", "true");
    let output = command.arg(query).args(files).args(["--to", "csv"]).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    if output.status.success() { Ok(out) } else { Err(format!("{:?}: {err}", output.status.code())) }
}

#[cfg(feature = "sql")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_queries_buckets() {
    use npy_arrow::npy_core::{DynValues, Order};
    use npy_remote::object_store::ObjectStoreExt;

    let Some(server) = Server::start("the_program_queries_buckets") else { return };
    for (name, rows) in [("run/a.npy", 0..600), ("run/b.npy", 600..1000)] {
        npy_remote::save(server.store("bucket"), name, &events(rows)).await.unwrap();
    }
    let bytes = (0..256_000_u32).flat_map(|value| (value as f32).to_le_bytes()).collect();
    let grid = DynValues::new("<f4".parse().unwrap(), Order::C, &[1000, 256], bytes).unwrap();
    let mut file = Vec::new();
    grid.write(&mut file).unwrap();
    server.store("bucket").put(&"grid.npy".into(), file.into()).await.unwrap();

    let query = "SELECT id, station FROM 's3://bucket/run/*.npy' WHERE id BETWEEN 599 AND 600 ORDER BY id";
    let rows = events(599..601).iter().map(|event| format!("{},{}\n", event.id, event.station)).collect::<String>();
    assert_eq!(npy_sql(&server, query, &[]).unwrap(), format!("id,station\n{rows}"));
    let query = "SELECT count(*) AS n, sum(id) AS ids FROM run WHERE id > 500";
    for location in ["s3://bucket/run/", "s3://bucket/run/*.npy"] {
        assert_eq!(npy_sql(&server, query, &[location]).unwrap(), "n,ids\n499,374250\n");
    }
    server.taken();
    let query = "SELECT count(*) AS n, max(value) AS most FROM grid WHERE i0 BETWEEN 500 AND 509";
    assert_eq!(npy_sql(&server, query, &["s3://bucket/grid.npy"]).unwrap(), "n,most\n2560,130559.0\n");
    let (methods, bytes) = server.taken();
    // The longest header of version 1.0, ten rows of 1 KiB, and the heads of the responses.
    let least = 10 + usize::from(u16::MAX) + 10 * 1024;
    assert!(methods.iter().all(|method| method == "GET") && (least..least + 8192).contains(&bytes), "{methods:?}: {bytes}");

    for (location, expected) in [
        ("s3://bucket/none.npy", "no such object in the bucket"),
        ("s3://none/a.npy", "no such bucket; check its name"),
        ("s3://none/*.npy", "no such bucket; check its name"),
    ] {
        let error = npy_sql(&server, "SELECT * FROM t", &[location]).unwrap_err();
        assert!(error.starts_with("Some(2): npy: ") && error.contains(location.trim_end_matches("*.npy")), "{error}");
        assert!(error.contains(expected) && error.lines().count() == 1, "{error}");
    }
}
