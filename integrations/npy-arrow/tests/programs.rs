//! Tables of PyArrow, Polars, DuckDB and pandas as arrays.

use std::fs;
use std::path::Path;

use npy_arrow::arrow_array::RecordBatchReader;
use npy_arrow::{ArrayOptions, ErrorKind, Fill, ipc, parquet};
use npy_core::DynValues;

use crate::workspace_support::announce;
use crate::workspace_support::numpy::pyarrow;
use crate::workspace_support::workspace;

fn to_npy(table: &Path, npy: &Path, options: ArrayOptions) -> npy_arrow::Result<u64> {
    match table.extension().unwrap().to_str() {
        Some("parquet") => parquet::to_npy(table, npy, options),
        _ => ipc::to_npy(table, npy, options),
    }
}

fn names(table: &Path) -> Vec<String> {
    let schema = match table.extension().unwrap().to_str() {
        Some("parquet") => parquet::read(table).unwrap().schema(),
        _ => ipc::read(table).unwrap().schema(),
    };
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// Saves a table as an array, and does what each refusal says. Returns the refusals.
fn come_back(table: &Path, npy: &Path) -> Vec<String> {
    let (mut options, mut columns, mut refusals) = (ArrayOptions::new(), names(table), Vec::new());
    while let Err(error) = to_npy(table, npy, options.clone()) {
        let message = error.message().to_string();
        assert_eq!(
            error.kind(),
            if message.contains(" NUL characters ") { ErrorKind::InvalidValue } else { ErrorKind::Unstorable },
            "{error}"
        );
        assert!(!npy.exists() && refusals.len() < 20, "{error}");
        if message.contains("; set `ArrayOptions::fill_nulls`") {
            options = options.fill_nulls(Fill::NaN);
        } else if message.contains("; set `ArrayOptions::decimals_as_floats`") {
            options = options.decimals_as_floats(true);
        } else {
            assert!(
                message.contains("leave it out with `ArrayOptions::columns`") || message.contains("leave the column out"),
                "{error}"
            );
            let refused = message.split('"').nth(1).unwrap();
            let before = columns.len();
            columns.retain(|column| column != refused);
            assert!(columns.len() < before && refused.starts_with("refused"), "{error}");
            options = options.columns(columns.clone());
        }
        refusals.push(format!("{}: {message}", table.file_name().unwrap().display()));
    }
    assert!(columns.iter().all(|column| !column.starts_with("refused")), "{}: {columns:?}", table.display());
    refusals
}

#[test]
fn tables_of_other_programs_come_back_or_are_refused_by_column() {
    let Some(python) = pyarrow("tables_of_other_programs_come_back_or_are_refused_by_column") else { return };
    let directory = tempfile::tempdir().unwrap();
    let script = workspace().join("integrations/npy-arrow/tests/python/foreign_tables.py");
    python.run([script.as_os_str(), "write".as_ref(), directory.path().as_os_str()], b"");
    let mut tables: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    tables.sort();
    let mut refusals = Vec::new();
    for table in &tables {
        let npy = Path::new(&format!("{}.npy", table.display())).to_owned();
        refusals.extend(come_back(table, &npy));
    }
    let printed = python.run([script.as_os_str(), "check".as_ref(), directory.path().as_os_str()], b"");
    announce(String::from_utf8(printed).unwrap().trim());
    announce(&format!("npy-arrow: {} tables of other programs, {} refusals", tables.len(), refusals.len()));
    if std::env::var_os("NPY_SHOW").is_some() {
        refusals.iter().for_each(|refusal| announce(refusal));
    }
    assert!(tables.len() >= 40, "{}", tables.len());
}

/// Files of `foreign_tables.py`, by PyArrow 26, Polars 2.1, DuckDB 2.0 and pandas 3.1.
#[test]
fn golden_tables_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let npy = directory.path().join("a.npy");
    let mut dtypes = Vec::new();
    for name in ["duckdb-nested.parquet", "pandas-categories.feather", "polars-categories.arrow", "pyarrow-delta.arrows"] {
        let table = workspace().join("integrations/npy-arrow/tests/golden").join(name);
        come_back(&table, &npy);
        let values = DynValues::load(&npy).unwrap();
        dtypes.push(format!("{name}: {} rows of {}", values.shape()[0], values.dtype()));
        match name {
            "duckdb-nested.parquet" => assert_eq!(values.field_as::<String>("struct.s").unwrap(), ["", "y", "yy"]),
            "pandas-categories.feather" => assert_eq!(values.field_as::<i64>("int").unwrap(), [10, 20, 10]),
            "polars-categories.arrow" => assert_eq!(values.field_as::<String>("struct.c").unwrap(), ["red", "blue", "red"]),
            _ => assert_eq!(values.field_as::<String>("word").unwrap(), ["a", "b", "a", "b", "longest"]),
        }
        fs::remove_file(&npy).unwrap();
    }
    insta::assert_snapshot!(dtypes.join("\n"), @"
    duckdb-nested.parquet: 3 rows of [('list', '<i8', (2,)), ('array', '<f4', (2,)), ('struct', [('x', '<i8'), ('s', '<U2')]), ('matrix', '<U2', (2, 2))]
    pandas-categories.feather: 3 rows of [('text', '<U4'), ('ordered', '<U4'), ('int', '<i8'), ('time', '<M8[us]'), ('missing', '<U1')]
    polars-categories.arrow: 3 rows of [('categorical', '<U4'), ('enum', '<U4'), ('struct', [('c', '<U4'), ('n', '<i8')]), ('list', '<U1', (2,))]
    pyarrow-delta.arrows: 5 rows of [('word', '<U7')]
    ");
}

/// A pipe cannot be read twice.
#[cfg(unix)]
#[test]
fn tables_come_through_pipes() {
    let directory = tempfile::tempdir().unwrap();
    let npy = directory.path().join("a.npy");
    for name in ["polars-categories.arrow", "pyarrow-delta.arrows", "duckdb-nested.parquet"] {
        let table = workspace().join("integrations/npy-arrow/tests/golden").join(name);
        let (pipe, bytes) = (directory.path().join(name), fs::read(table).unwrap());
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::write(pipe, bytes)
        });
        let result = to_npy(&pipe, &npy, ArrayOptions::new());
        writer.join().unwrap().unwrap();
        match result {
            Ok(_) => fs::remove_file(&npy).unwrap(),
            Err(error) => assert!(name == "duckdb-nested.parquet" && error.path() == Some(&pipe), "{error}"),
        }
    }
    // The pipes.
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
}

/// What a stream claims is not allocated.
#[test]
fn streams_that_claim_terabytes_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.arrows");
    let whole = fs::read(workspace().join("integrations/npy-arrow/tests/golden/pyarrow-delta.arrows")).unwrap();
    for length in 1..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        if let Err(error) = ipc::read(&path) {
            assert_eq!(error.path(), Some(path.as_path()));
        }
    }
    let mut refused = 0;
    for at in (0..whole.len()).step_by(3) {
        let mut forged = whole.clone();
        let end = (at + 8).min(forged.len());
        forged[at..end].fill(0x7f);
        fs::write(&path, &forged).unwrap();
        // The readers of Arrow panic on some damaged files.
        let read = std::panic::catch_unwind(|| ipc::to_npy(&path, directory.path().join("a.npy"), ArrayOptions::new()).is_err());
        refused += u32::from(read.unwrap_or(true));
    }
    assert!(refused > 50, "{refused}");
}
