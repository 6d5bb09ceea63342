//! IPC and Parquet files, and what PyArrow, DuckDB and Polars read in them.

use std::sync::Arc;

use npy_arrow::arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, UInt8Array};
use npy_arrow::arrow_schema::ArrowError;
use npy_arrow::{ArrayOptions, BatchOptions, ErrorKind, ipc, parquet};
use npy_core::{DType, DynValues, Order};

use crate::random::cases;
use crate::support::{sanitized, without_type};
use crate::workspace_support::numpy::pyarrow;
use crate::workspace_support::{announce, workspace};

/// Levels of records and sub-arrays.
fn depth(dtype: &DType) -> usize {
    match dtype {
        DType::Scalar(_) => 0,
        DType::SubArray(array) => array.shape().len() + depth(array.base()),
        DType::Record(record) => 1 + record.fields().iter().map(|field| depth(field.dtype())).max().unwrap_or(0),
    }
}

#[test]
fn pyarrow_reads_the_values_of_random_dtypes_in_ipc_files() {
    let test = "pyarrow_reads_the_values_of_random_dtypes_in_ipc_files";
    let (Some(pyarrow), Some(cases)) = (pyarrow(test), cases("2024", 300, test)) else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut count = 0;
    for values in cases.iter().filter(|values| without_type(values.dtype(), "").is_none()) {
        // Flatbuffers limit the nesting of a schema to 64.
        if depth(values.dtype()) + values.shape().len() > 30 {
            continue;
        }
        let [npy, arrow, copy] = ["npy", "arrow", "copy.npy"].map(|end| directory.path().join(format!("{count}.{end}")));
        let values = sanitized(values);
        values.save(&npy).unwrap();
        ipc::from_npy(&npy, &arrow, BatchOptions::new().rows(5)).unwrap();
        ipc::to_npy(&arrow, &copy, ArrayOptions::new()).unwrap();
        let back = DynValues::load(&copy).unwrap();
        let expected = values.into_order(Order::C).unwrap();
        assert_eq!(back.dtype(), expected.dtype());
        assert!(back.bytes() == expected.bytes());
        count += 1;
    }
    let script = workspace().join("integrations/npy-arrow/tests/python/compare_ipc.py");
    let printed = pyarrow.run([script.as_os_str(), directory.path().as_os_str()], b"");
    announce(String::from_utf8(printed).unwrap().trim());
    assert!(count > 300, "{count}");
}

#[test]
fn duckdb_and_polars_read_the_example_in_parquet() {
    let test = "duckdb_and_polars_read_the_example_in_parquet";
    let directory = tempfile::tempdir().unwrap();
    let npy = workspace().join("examples/data/picks.npy");
    let [table, copy] = ["picks.parquet", "copy.npy"].map(|name| directory.path().join(name));
    let options = BatchOptions::new().bytes_as_text(true);
    let rows = parquet::from_npy(&npy, &table, options).unwrap();
    assert_eq!(parquet::to_npy(&table, &copy, ArrayOptions::new()).unwrap(), rows);
    assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(&npy).unwrap());
    let Some(pyarrow) = pyarrow(test) else { return };
    let script = workspace().join("integrations/npy-arrow/tests/python/read_parquet.py");
    let printed = pyarrow.run([script.as_os_str(), npy.as_os_str(), table.as_os_str()], b"");
    announce(String::from_utf8(printed).unwrap().trim());
}

#[test]
fn every_type_of_the_table_survives_parquet() {
    let directory = tempfile::tempdir().unwrap();
    let [npy, table, copy] = ["a.npy", "a.parquet", "b.npy"].map(|name| directory.path().join(name));
    let dtype = "[('a', '|b1'), ('b', '>i2'), ('c', '<u8'), ('d', '<f2'), ('e', '>f4'), ('f', '<c16'), ('g', 'S3'), ('h', '>U2'), \
        ('i', 'V5'), ('j', '<M8[s]'), ('k', '<M8[ns]'), ('l', '<M8[D]'), ('m', '<M8[h]'), ('n', '<m8[us]'), ('o', '<f4', (2, 3)), \
        ('p', [('q', '<i4'), ('r', [('s', '|i1')], (2,))])]";
    let dtype: DType = dtype.parse().unwrap();
    let bytes = (0..dtype.itemsize() * 100).map(|index| (index % 7 % 2) as u8).collect();
    let values = sanitized(&DynValues::new(dtype, Order::C, &[100], bytes).unwrap());
    values.save(&npy).unwrap();
    parquet::from_npy(&npy, &table, BatchOptions::new().rows(33)).unwrap();
    parquet::to_npy(&table, &copy, ArrayOptions::new()).unwrap();
    assert!(DynValues::load(&copy).unwrap() == values);
}

#[test]
fn failed_tables_leave_the_old_file_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let batch = RecordBatch::try_from_iter([("x", Arc::new(UInt8Array::from(vec![1])) as ArrayRef)]).unwrap();
    for name in ["a.parquet", "a.arrow"] {
        let path = directory.path().join(name);
        std::fs::write(&path, "old").unwrap();
        let batches = [Ok(batch.clone()), Err(ArrowError::CsvError("gone".to_owned()))];
        let reader = RecordBatchIterator::new(batches, batch.schema());
        let error = match name {
            "a.arrow" => ipc::write(&path, reader).unwrap_err(),
            _ => parquet::write(&path, reader, parquet::properties(&batch)).unwrap_err(),
        };
        assert!(matches!(error.kind(), ErrorKind::Arrow(_)) && error.path() == Some(&path), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert!(ipc::read(&path).is_err() && parquet::read(&path).is_err());
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
}
