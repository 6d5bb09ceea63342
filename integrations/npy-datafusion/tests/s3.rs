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
