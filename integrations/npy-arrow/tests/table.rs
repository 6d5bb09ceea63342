//! The page `npy_arrow::types`.

use std::fmt::Write as _;
use std::sync::Arc;

use npy_arrow::arrow_schema::{DataType, Field, Fields, IntervalUnit, Schema, TimeUnit};
use npy_arrow::{ArrayOptions, BatchOptions, ErrorKind, Survey, to_batch_with};
use npy_core::{DynValues, Order};

use crate::support::columns;
use crate::workspace_support::workspace;

/// With the types of the options `bytes_as_text` and `times_as_integers`, where they matter.
const DTYPES: [&str; 46] = [
    "|b1",
    "|i1",
    "<i2",
    "<i4",
    "<i8",
    "|u1",
    "<u2",
    "<u4",
    "<u8",
    "<f2",
    "<f4",
    "<f8",
    ">f8",
    "<f16",
    "<f1",
    "<W4",
    "<c8",
    "<c16",
    "<c32",
    "|S8",
    "<U8",
    "|V8",
    "<V2",
    "<M8[s]",
    "<M8[ms]",
    "<M8[us]",
    "<M8[ns]",
    "<M8[D]",
    "<M8[M]",
    "<M8[W]",
    "<M8[h]",
    "<M8[25s]",
    "<M8[10us]",
    "<M8[ps]",
    "<M8",
    "<m8[s]",
    "<m8[ms]",
    "<m8[us]",
    "<m8[ns]",
    "<m8[D]",
    "<m8[M]",
    "<m8[25s]",
    "<m8",
    "('<f4', (2, 3))",
    "[('x', '<f4'), ('y', '<u2')]",
    "|O",
];

const ARRAYS: [(&str, &[usize], Order, bool); 6] = [
    ("<f4", &[], Order::C, false),
    ("<f4", &[5], Order::C, false),
    ("<f4", &[5, 3], Order::C, false),
    ("<f4", &[5, 3], Order::Fortran, true),
    ("<f4", &[5, 2, 3], Order::C, false),
    ("[('x', '<f4'), ('y', '<u2')]", &[5, 3], Order::C, false),
];

fn type_in_field(dtype: &str, options: BatchOptions) -> Option<DataType> {
    let dtype = format!("[('field', {})]", if dtype.starts_with(['(', '[']) { dtype.to_owned() } else { format!("'{dtype}'") });
    let header = npy_core::Header::new(dtype.parse().unwrap(), Order::C, &[0]).unwrap();
    let file = header.to_bytes();
    match npy_arrow::BatchReader::new(std::io::Cursor::new(file), options) {
        Ok(reader) => Some(npy_arrow::arrow_array::RecordBatchReader::schema(&reader).field(0).data_type().clone()),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Unstorable, "{dtype}: {error}");
            assert!(error.message().starts_with("field \"field\": no Arrow type for dtype "), "{dtype}: {error}");
            None
        }
    }
}

#[test]
fn page_of_types_is_current() {
    let mut types = String::new();
    for dtype in DTYPES {
        let plain = type_in_field(dtype, BatchOptions::new());
        let mut text = match &plain {
            Some(data_type) => format!("`{}`", data_type.to_string().replace("non-null ", "")),
            None => "none".to_owned(),
        };
        if dtype == "|O" {
            text.push_str("; that of its objects with `objects`");
        }
        for (name, options) in [
            ("bytes_as_text", BatchOptions::new().bytes_as_text(true)),
            ("seconds_as_milliseconds", BatchOptions::new().seconds_as_milliseconds(true)),
            ("times_as_integers", BatchOptions::new().times_as_integers(true)),
        ] {
            if let (Some(plain), Some(other)) = (&plain, type_in_field(dtype, options))
                && *plain != other
            {
                write!(text, "; `{other}` with `{name}`").unwrap();
            }
        }
        writeln!(types, "| `{}` | {text} |", dtype.replace('|', "\\|")).unwrap();
    }
    let mut arrays = String::new();
    for (dtype, shape, order, matrix_columns) in ARRAYS {
        let dtype: npy_core::DType = dtype.parse().unwrap();
        let length = dtype.itemsize() * shape.iter().product::<usize>();
        let values = DynValues::new(dtype.clone(), order, shape, vec![0; length]).unwrap();
        let batch = to_batch_with(&values, BatchOptions::new().matrix_columns(matrix_columns)).unwrap();
        let columns: Vec<_> = columns(&batch).iter().map(|column| format!("`{}`", column.replace("non-null ", ""))).collect();
        let with = if matrix_columns { ", with `matrix_columns`" } else { "" };
        let shape = match shape {
            [length] => format!("({length},)"),
            shape => format!("{shape:?}").replace('[', "(").replace(']', ")"),
        };
        let order = if order == Order::Fortran { " in Fortran order" } else { "" };
        writeln!(arrays, "| `{dtype}`, shape `{shape}`{order}{with} | {} |", columns.join(", ")).unwrap();
    }
    let path = workspace().join("integrations/npy-arrow/src/types.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut fresh = String::new();
    // Without the feature, the table of objects stays as it is.
    let mut tables = [Some(types), Some(arrays), objects(), Some(way_back())].into_iter();
    let mut is_kept = true;
    for line in page.lines() {
        if line.starts_with("| `") && !is_kept {
            continue;
        }
        writeln!(fresh, "{line}").unwrap();
        if line == "|---|---|" {
            let table = tables.next().unwrap();
            is_kept = table.is_none();
            fresh.push_str(&table.unwrap_or_default());
        }
    }
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    assert!(page == fresh || std::env::var_os("UPDATE_SNAPSHOTS").is_some(), "renew src/types.md with UPDATE_SNAPSHOTS=1");
}

#[cfg(not(feature = "object"))]
fn objects() -> Option<String> {
    None
}

#[cfg(feature = "object")]
fn objects() -> Option<String> {
    use npy_core::object::{
        ObjectArray, ObjectOptions, PyDate, PyDateTime, PyObject, PyTime, PyTimeDelta, PyTimeZone, StringDType,
    };

    let type_of = |array: &ObjectArray| {
        let mut file = Vec::new();
        array.write(&mut file).unwrap();
        let options = BatchOptions::new().objects(ObjectOptions::new());
        let reader = npy_arrow::BatchReader::new(std::io::Cursor::new(file), options).unwrap();
        npy_arrow::arrow_array::RecordBatchReader::schema(&reader).field(0).data_type().to_string()
    };
    let (date, time) = (PyDate::new(2024, 2, 29).unwrap(), PyTime::new(12, 30, 0, 0).unwrap());
    let zone = PyTimeZone::new(PyTimeDelta::new(0, 3600, 0).unwrap(), None).unwrap();
    let datetime = |time| PyObject::DateTime(Box::new(PyDateTime::new(date, time)));
    let items = [
        ("`str`", PyObject::from("a")),
        ("`bytes`", PyObject::from(&b"a"[..])),
        ("`bool`", PyObject::Bool(true)),
        ("`int` of 64 bits", PyObject::from(1)),
        ("`float`", PyObject::Float(0.5)),
        ("`datetime.datetime`", datetime(time.clone())),
        ("`datetime.datetime` with a time zone", datetime(time.with_zone(zone))),
        ("`datetime.date`", PyObject::Date(date)),
        ("`datetime.timedelta`", PyObject::TimeDelta(PyTimeDelta::new(1, 0, 0).unwrap())),
        ("`None` alone", PyObject::None),
    ];
    let mut table = String::new();
    for (name, item) in items {
        writeln!(table, "| {name} | `{}` |", type_of(&ObjectArray::from(vec![item]))).unwrap();
    }
    let text = ObjectArray::from(vec!["a"]).with_string_dtype(StringDType::new(true, None)).unwrap();
    writeln!(table, "| `StringDType` | `{}` |", type_of(&text)).unwrap();
    let matrix = ObjectArray::new(&[1, 2], vec![PyObject::from("a"), PyObject::from("b")]).unwrap();
    writeln!(table, "| `str`, shape `(5, 2)` | `{}` |", type_of(&matrix)).unwrap();
    Some(table)
}

/// The types of other programs, in the order of the page.
fn foreign_types() -> Vec<DataType> {
    let field = |name: &str, data_type| Arc::new(Field::new(name, data_type, true));
    let item = |data_type| field("item", data_type);
    let dictionary = |keys, values| DataType::Dictionary(Box::new(keys), Box::new(values));
    let entry = Fields::from(vec![Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Int64, true)]);
    vec![
        DataType::Boolean,
        DataType::Int8,
        DataType::UInt64,
        DataType::Float16,
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
        DataType::FixedSizeBinary(16),
        dictionary(DataType::UInt32, DataType::LargeUtf8),
        dictionary(DataType::Int8, DataType::Int64),
        DataType::Date32,
        DataType::Date64,
        DataType::Time32(TimeUnit::Second),
        DataType::Time64(TimeUnit::Microsecond),
        DataType::Timestamp(TimeUnit::Nanosecond, None),
        DataType::Timestamp(TimeUnit::Microsecond, Some("Europe/Vienna".into())),
        DataType::Duration(TimeUnit::Millisecond),
        DataType::Decimal128(18, 3),
        DataType::List(item(DataType::Float32)),
        DataType::LargeList(item(DataType::Float64)),
        DataType::FixedSizeList(item(DataType::Int16), 3),
        DataType::ListView(item(DataType::Int16)),
        DataType::Struct(vec![field("x", DataType::Float32), field("s", DataType::Utf8)].into()),
        DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entry), false)), false),
        DataType::Interval(IntervalUnit::MonthDayNano),
        DataType::Null,
    ]
}

fn way_back() -> String {
    let mut lines = String::new();
    for data_type in foreign_types() {
        let schema = Schema::new(vec![Field::new("x", data_type.clone(), true)]);
        let dtype = |options| -> npy_arrow::Result<String> {
            let dtype = Survey::new(&schema, options)?.header()?.dtype().field("x").unwrap().dtype().to_string();
            // Of no rows, texts have one character, and lists no items.
            let dtype = dtype.replace("U1", "Un").replace("|S1", "|Sn").replace("(0,)", "(n,)");
            Ok(format!("`{}`", dtype.replace('|', "\\|")))
        };
        let dtype = match (dtype(ArrayOptions::new()), dtype(ArrayOptions::new().decimals_as_floats(true))) {
            (Err(_), Ok(dtype)) => format!("none; {dtype} with `decimals_as_floats`"),
            (Err(error), _) => {
                assert!(error.message().starts_with("column \"x\": no dtype for Arrow type "), "{error}");
                "none".to_owned()
            }
            (Ok(dtype), _) => dtype,
        };
        writeln!(lines, "| `{data_type}` | {dtype} |").unwrap();
    }
    lines
}
