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
        assert_eq!((error.kind(), error.message(), error.path()), (ErrorKind::External, "Csv error: gone", Some(&*path)));
        assert_eq!(format!("{error:#}"), error.to_string());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert!(ipc::read(&path).is_err() && parquet::read(&path).is_err());
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
}

#[test]
fn pyarrow_reads_times_of_every_unit() {
    let Some(pyarrow) = pyarrow("pyarrow_reads_times_of_every_unit") else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().display().to_string();
    pyarrow.run(["tables.py", "units", &path], b"");
    let mut files: Vec<_> = std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for npy in &files {
        let [table, arrow, copy] = ["npy.parquet", "npy.arrow", "copy.npy"].map(|end| npy.with_extension(end));
        parquet::from_npy(npy, &table, BatchOptions::new()).unwrap();
        ipc::from_npy(npy, &arrow, BatchOptions::new()).unwrap();
        let before = std::fs::read(npy).unwrap();
        for table in [&table, &arrow] {
            match table.extension().unwrap().to_str() {
                Some("parquet") => parquet::to_npy(table, &copy, ArrayOptions::new()).unwrap(),
                _ => ipc::to_npy(table, &copy, ArrayOptions::new()).unwrap(),
            };
            assert!(std::fs::read(&copy).unwrap() == before, "{}", table.display());
        }
        std::fs::remove_file(&copy).unwrap();
    }
    let printed = pyarrow.run(["tables.py", "read_units", &path], b"");
    insta::assert_snapshot!(String::from_utf8_lossy(&printed), @"
    M8[10us] timestamp[us]
    M8[25s] timestamp[ms]
    M8[2D] timestamp[ms]
    M8[3M] timestamp[ms]
    M8[7ms] timestamp[ms]
    M8[D] date32[day]
    M8[M] timestamp[ms]
    M8[W] timestamp[ms]
    M8[Y] timestamp[ms]
    M8[h] timestamp[ms]
    M8[m] timestamp[ms]
    M8[ms] timestamp[ms]
    M8[ns] timestamp[ns]
    M8[ps] int64
    M8[s] timestamp[ms] timestamp[s]
    M8[us] timestamp[us]
    m8[10us] duration[us]
    m8[25s] duration[ms]
    m8[2D] duration[ms]
    m8[3M] int64
    m8[7ms] duration[ms]
    m8[D] duration[ms]
    m8[M] int64
    m8[W] duration[ms]
    m8[Y] int64
    m8[h] duration[ms]
    m8[m] duration[ms]
    m8[ms] duration[ms]
    m8[ns] duration[ns]
    m8[ps] int64
    m8[s] duration[ms] duration[s]
    m8[us] duration[us]
    ");
}

/// A column that was selected has its own dtype, and what is no whole step of it is refused.
#[test]
fn times_of_a_finer_unit_keep_their_dtype_or_are_refused() {
    use npy_arrow::arrow_array::TimestampMillisecondArray;
    let hours = |hours: &[i64]| {
        let bytes = hours.iter().flat_map(|hour| hour.to_le_bytes()).collect();
        DynValues::new("[('at', '<M8[h]'), ('x', '<i8')]".parse().unwrap(), Order::C, &[hours.len() / 2], bytes).unwrap()
    };
    let batch = npy_arrow::to_batch_with(&hours(&[5, 0, i64::MIN, 1]), BatchOptions::new().columns(["at"])).unwrap();
    let plain = batch.schema().as_ref().clone().with_metadata(Default::default());
    let back =
        npy_arrow::from_batches(&plain, [RecordBatch::try_new(plain.clone().into(), batch.columns().to_vec()).unwrap()]).unwrap();
    assert_eq!(back.dtype().to_string(), "[('at', '<M8[h]')]");
    assert_eq!(back.bytes(), [5_i64, i64::MIN].map(i64::to_le_bytes).concat());
    let error = npy_arrow::to_batch(&hours(&[0, 0, i64::MAX, 1])).unwrap_err();
    insta::assert_snapshot!(error, @r#"column "at", row 1: 9223372036854775807 (<M8[h]) is out of range for Timestamp(ms); set `BatchOptions::times_as_integers`"#);
    assert!(npy_arrow::to_batch_with(&hours(&[i64::MAX, 0]), BatchOptions::new().times_as_integers(true)).is_ok());
    let column: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![3_600_000, 1]));
    let batch = RecordBatch::try_from_iter([("at", column)]).unwrap();
    let dtype: DType = "[('at', '<M8[h]')]".parse().unwrap();
    let error = npy_arrow::from_batches_with(&batch.schema(), [&batch], dtype).unwrap_err();
    insta::assert_snapshot!(error, @r#"column "at", row 1: cannot represent 1 of Timestamp(ms) exactly as <M8[h]"#);
}
