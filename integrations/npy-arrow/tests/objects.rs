//! Python objects as columns.

use std::io::Cursor;
use std::path::Path;

use npy_arrow::arrow_array::cast::AsArray;
use npy_arrow::arrow_array::{Array, ArrayRef, RecordBatch, types};
use npy_arrow::arrow_buffer::Buffer;
use npy_arrow::{BatchOptions, BatchReader, ErrorKind, read_batches};
use npy_core::object::{ObjectArray, ObjectOptions, PyDate, PyDateTime, PyObject, PyTime, PyTimeDelta, PyTimeZone, StringDType};

use crate::support::{columns, own};
use crate::workspace_support::numpy::numpy;

fn options() -> BatchOptions {
    BatchOptions::new().objects(ObjectOptions::new())
}

fn file_of(array: &ObjectArray) -> Vec<u8> {
    let mut file = Vec::new();
    array.write(&mut file).unwrap();
    file
}

fn batch_of(file: Vec<u8>, options: BatchOptions) -> Result<RecordBatch, npy_arrow::Error> {
    BatchReader::new(Cursor::new(file), options)?.next().unwrap().map_err(own)
}

fn column(items: Vec<PyObject>) -> Result<ArrayRef, npy_arrow::Error> {
    Ok(ArrayRef::clone(batch_of(file_of(&ObjectArray::from(items)), options())?.column(0)))
}

#[test]
fn each_type_has_its_column() {
    let date = |year, month, day| PyDate::new(year, month, day).unwrap();
    let noon = |zone: Option<PyTimeZone>| {
        let time = PyTime::new(12, 30, 1, 5).unwrap();
        PyObject::DateTime(Box::new(PyDateTime::new(date(2024, 2, 29), zone.into_iter().fold(time, PyTime::with_zone))))
    };
    let zone = PyTimeZone::new(PyTimeDelta::new(-1, 23 * 3600, 0).unwrap(), None).unwrap();
    let types = [
        (PyObject::from("é"), "Utf8", "é"),
        (PyObject::from(&b"\xff"[..]), "Binary", "ff"),
        (PyObject::Bool(true), "Boolean", "true"),
        (PyObject::from(i64::MIN), "Int64", "-9223372036854775808"),
        (PyObject::Float(0.5), "Float64", "0.5"),
        (PyObject::Date(date(1, 1, 1)), "Date32", "-719162"),
        (PyObject::Date(date(9999, 12, 31)), "Date32", "2932896"),
        (noon(None), "Timestamp(µs)", "1709209801000005"),
        (noon(Some(zone)), "Timestamp(µs, \"UTC\")", "1709213401000005"),
        (PyObject::TimeDelta(PyTimeDelta::new(-1, 1, 2).unwrap()), "Duration(µs)", "-86398999998"),
    ];
    for (item, data_type, value) in types {
        let found = column(vec![PyObject::None, item.clone(), item]).unwrap();
        assert_eq!(found.data_type().to_string(), data_type);
        assert_eq!((found.len(), found.null_count()), (3, 1), "{data_type}");
        assert!(found.is_null(0));
        let text = match found.data_type().primitive_width() {
            Some(4) => found.to_data().buffers()[0].typed_data::<i32>()[2].to_string(),
            Some(8) if data_type == "Float64" => found.as_primitive::<types::Float64Type>().value(2).to_string(),
            Some(8) => found.to_data().buffers()[0].typed_data::<i64>()[2].to_string(),
            _ if data_type == "Utf8" => found.as_string::<i32>().value(2).to_owned(),
            _ if data_type == "Binary" => found.as_binary::<i32>().value(2).iter().map(|byte| format!("{byte:02x}")).collect(),
            _ => found.as_boolean().value(2).to_string(),
        };
        assert_eq!(text, value, "{data_type}");
    }
    assert_eq!(column(vec![PyObject::None; 2]).unwrap().data_type().to_string(), "Null");
}

#[test]
fn mixed_types_name_the_row_and_both() {
    let message = |items: Vec<PyObject>| column(items).unwrap_err().to_string();
    assert_eq!(
        message(vec![PyObject::None, PyObject::from(1), PyObject::Float(1.5)]),
        "column \"value\", row 2: expected int as in row 1, found float; convert them with `npy_core::object`"
    );
    assert_eq!(
        message(vec![PyObject::from(1), PyObject::Bool(true)]),
        "column \"value\", row 1: expected int as in row 0, found bool; convert them with `npy_core::object`"
    );
    assert!(message(vec![PyObject::List(Vec::new())]).starts_with("column \"value\", row 0: expected str, bytes, bool"));
    assert_eq!(
        message(vec![PyObject::from(1_i128 << 64)]),
        "column \"value\", row 0: 18446744073709551616 is out of range for Int64"
    );
    let longest = PyObject::TimeDelta(PyTimeDelta::new(999_999_999, 0, 0).unwrap());
    assert!(message(vec![longest]).contains("out of range for Duration"));
}

#[test]
fn a_pickle_must_be_asked_for() {
    let file = file_of(&ObjectArray::from(vec!["a"]));
    let error = batch_of(file.clone(), BatchOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unstorable);
    assert!(error.message().starts_with("no Arrow type for dtype |O; "), "{error}");
    assert!(error.to_string().contains("BatchOptions::objects"), "{error}");
    // From a file and from memory as well.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    std::fs::write(&path, &file).unwrap();
    assert_eq!(read_batches(&path, options()).unwrap().next().unwrap().unwrap().num_rows(), 1);
    assert!(read_batches(&path, BatchOptions::new()).unwrap_err().path().is_some());
    let buffer = Buffer::from_vec(file);
    assert_eq!(BatchReader::from_buffer(buffer, options()).unwrap().next().unwrap().unwrap().num_rows(), 1);
}

#[test]
fn batches_are_slices_of_the_array() {
    let array = ObjectArray::from((0..10).collect::<Vec<i64>>());
    let reader = BatchReader::new(Cursor::new(file_of(&array)), options().rows(4).column_name("n")).unwrap();
    let batches: Vec<_> = reader.map(Result::unwrap).collect();
    assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [4, 4, 2]);
    assert_eq!(batches[2].column_by_name("n").unwrap().as_primitive::<types::Int64Type>().values(), &[8, 9]);
    let error = batch_of(file_of(&array), options().columns(["x"])).unwrap_err();
    assert_eq!(error.to_string(), "unknown field \"x\": the records have value");
}

#[test]
fn further_axes_are_lists() {
    let items = ["a", "b", "c", "d", "e", "f"].map(PyObject::from).to_vec();
    let batch = batch_of(file_of(&ObjectArray::new(&[3, 2], items.clone()).unwrap()), options()).unwrap();
    assert_eq!(columns(&batch), ["value: FixedSizeList(2 x Utf8)"]);
    let list = batch.column(0).as_fixed_size_list().value(1);
    assert_eq!(list.as_string::<i32>().iter().collect::<Vec<_>>(), [Some("c"), Some("d")]);
    let mixed = [items, vec![PyObject::None, PyObject::from(1)]].concat();
    let error = batch_of(file_of(&ObjectArray::new(&[2, 4], mixed).unwrap()), options()).unwrap_err();
    assert!(error.to_string().starts_with("column \"value\", row 1: expected str as in row 0, found int"), "{error}");
    let scalar = ObjectArray::new(&[], vec![PyObject::from(5)]).unwrap();
    assert_eq!(batch_of(file_of(&scalar), options()).unwrap().num_rows(), 1);
    // Rows without objects are not bounded by the bytes of the file.
    let empty = file_of(&ObjectArray::new(&[1 << 40, 0], Vec::new()).unwrap());
    let error = BatchReader::new(Cursor::new(empty), options()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
}

#[test]
fn missing_texts_of_string_dtype_are_null() {
    for missing in [PyObject::None, PyObject::Float(f64::NAN), PyObject::from("NA")] {
        let array = ObjectArray::from(vec![PyObject::from("a"), missing.clone(), PyObject::from("")]);
        let array = array.with_string_dtype(StringDType::new(true, Some(missing))).unwrap();
        let batch = batch_of(file_of(&array), options()).unwrap();
        assert_eq!(batch.column(0).as_string::<i32>().iter().collect::<Vec<_>>(), [Some("a"), None, Some("")]);
    }
}

fn load(directory: &Path, name: &str, options: BatchOptions) -> Result<RecordBatch, npy_arrow::Error> {
    read_batches(directory.join(name), options)?.next().unwrap().map_err(own)
}

#[test]
fn reads_what_numpy_pickled() {
    let Some(numpy) = numpy("reads_what_numpy_pickled") else { return };
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    numpy.run(["tables.py", "pickles", at.to_str().unwrap()], b"");
    let text = |name: &str| load(at, name, options()).unwrap().column(0).clone();
    assert_eq!(text("text.npy").as_string::<i32>().iter().collect::<Vec<_>>(), [Some("GRF"), None, Some("ü")]);
    assert_eq!(text("string.npy").as_string::<i32>().iter().collect::<Vec<_>>(), [Some("a"), None, Some("b".repeat(100).as_str())]);
    let times = text("time.npy");
    assert_eq!(times.as_primitive::<types::TimestampMicrosecondType>().iter().collect::<Vec<_>>(), [Some(-1), None]);
    let list = text("fortran.npy").as_fixed_size_list().value(1);
    assert_eq!(list.as_primitive::<types::Int64Type>().values(), &[3, 4]);

    // Fields without objects keep their types, and objects are columns beside them.
    let batch = load(at, "records.npy", options()).unwrap();
    let expected = [
        "id: UInt16",
        "origin: Struct(\"tag\": Utf8, \"depth\": non-null Float32)",
        "pair: FixedSizeList(2 x non-null Int16)",
        "raw: Binary",
    ];
    assert_eq!(columns(&batch), expected);
    assert_eq!(batch.column(0).as_primitive::<types::UInt16Type>().values(), &[7, 8]);
    assert_eq!(batch.column(2).as_fixed_size_list().value(1).as_primitive::<types::Int16Type>().values(), &[3, 4]);
    assert_eq!(batch.column(3).as_binary::<i32>().iter().collect::<Vec<_>>(), [None, Some(&b"x"[..])]);
    let batch = load(at, "records.npy", options().flatten(true)).unwrap();
    let schema = batch.schema();
    let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["id", "origin.tag", "origin.depth", "pair", "raw"]);
    assert_eq!(batch.column(1).as_string::<i32>().iter().collect::<Vec<_>>(), [Some("a"), None]);
    assert_eq!(batch.column(2).as_primitive::<types::Float32Type>().values(), &[0.5, 1.5]);
    let batch = load(at, "records.npy", options().columns(["origin.depth", "raw"])).unwrap();
    assert_eq!(columns(&batch), ["origin.depth: Float32", "raw: Binary"]);
    let error = load(at, "records.npy", options().columns(["origin.x"])).unwrap_err();
    assert!(error.to_string().ends_with("unknown field \"origin.x\": \"origin\" has tag, depth"), "{error}");
    // A sub-array of objects has no column, and is refused by its path.
    let error = load(at, "pairs.npy", options()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unstorable);
    assert!(error.message().starts_with("field \"pair\": no Arrow type for dtype "), "{error}");
}
