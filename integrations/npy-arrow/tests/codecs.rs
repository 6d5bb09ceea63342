//! Compressed files without the feature `codecs`.

use npy_arrow::{ArrayOptions, ErrorKind, ipc, parquet};

use crate::workspace_support::workspace;

#[test]
fn a_missing_codec_names_the_feature() {
    let directory = tempfile::tempdir().unwrap();
    let (data, npy) = (workspace().join("integrations/npy-arrow/tests/golden"), directory.path().join("a.npy"));
    let (feather, table) = (data.join("pandas-categories.feather"), data.join("polars-times.parquet"));
    let errors = [ipc::to_npy(&feather, &npy, ArrayOptions::new()), parquet::to_npy(&table, &npy, ArrayOptions::new())];
    let messages = errors.map(|result| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::External);
        error.message().to_string()
    });
    insta::assert_snapshot!(messages.join("\n"), @"
    cannot decompress lz4; enable the feature `codecs` of `npy-arrow`
    cannot decompress zstd; enable the feature `codecs` of `npy-arrow`
    ");
}
