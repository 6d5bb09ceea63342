//! Conversion between Python objects and Rust values.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use npy_core::dtype::Record;
use npy_core::object::{self, ObjectArray, PyDate, PyDateTime, PyInt, PyObject, PyTime, PyTimeDelta, PyTimeZone, StringDType};
use npy_core::{DType, DynValues, ErrorKind, NpyElement, Order};
use serde::Deserialize;

use crate::support::{data, rounds, some};

/// Written and read again.
fn again(array: &ObjectArray) -> ObjectArray {
    let mut file = Vec::new();
    array.write(&mut file).unwrap();
    object::read(&file[..]).unwrap()
}

fn scalar<T: npy_core::NpyElement>(value: T) -> PyObject {
    let values = DynValues::from_slice(&[value]).unwrap();
    PyObject::Scalar(Box::new(DynValues::new(values.dtype().clone(), Order::C, &[], values.into_bytes()).unwrap()))
}

fn problem<T: object::FromPyObject + std::fmt::Debug>(items: Vec<PyObject>) -> (u64, String, String) {
    let error = ObjectArray::from(items).to_vec::<T>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidValue, "{error}");
    (error.element().unwrap(), error.field().unwrap().to_owned(), error.message().to_owned())
}

#[test]
fn objects_become_rust_values() {
    let texts = again(&ObjectArray::from(vec![Some("a"), None, Some("中")]));
    assert_eq!(texts.to_vec::<Option<String>>().unwrap(), [Some("a".to_owned()), None, Some("中".to_owned())]);
    let numbers = vec![PyObject::from(1), PyObject::Float(0.5), PyObject::None, PyObject::Float(f64::NAN), scalar(1.5_f32)];
    let numbers = again(&ObjectArray::from(numbers)).to_vec::<Option<f64>>().unwrap();
    assert_eq!((numbers[0], numbers[1], numbers[2], numbers[4]), (Some(1.0), Some(0.5), None, Some(1.5)));
    assert!(numbers[3].unwrap().is_nan());
    let integers = vec![PyObject::from(1), scalar(-7_i8), scalar(7_u64), PyObject::from(255)];
    assert_eq!(ObjectArray::from(integers.clone()).to_vec::<i16>().unwrap(), [1, -7, 7, 255]);
    assert_eq!(ObjectArray::from(integers).to_vec::<PyInt>().unwrap()[1], PyInt::from(-7));
    let large = vec![PyObject::from(i128::MAX), PyObject::from(u64::MAX)];
    assert_eq!(again(&ObjectArray::from(large)).to_vec::<i128>().unwrap(), [i128::MAX, u64::MAX.into()]);
    assert_eq!(ObjectArray::from(vec![PyObject::Bool(true), scalar(false)]).to_vec::<bool>().unwrap(), [true, false]);
    let bytes = vec![PyObject::from(vec![1_u8, 0]), PyObject::ByteArray(vec![2])];
    assert_eq!(again(&ObjectArray::from(bytes)).to_vec::<Vec<u8>>().unwrap(), [vec![1, 0], vec![2]]);
    let array = DynValues::from_slice(&[1.5_f32, 2.0]).unwrap();
    let lists = vec![PyObject::List(vec![PyObject::from(1), PyObject::Float(0.5)]), PyObject::Tuple(vec![]), PyObject::from(array)];
    assert_eq!(again(&ObjectArray::from(lists)).to_vec::<Vec<f64>>().unwrap(), [vec![1.0, 0.5], vec![], vec![1.5, 2.0]]);
    let nested = vec![PyObject::from(ObjectArray::from(vec![Some("a"), None]))];
    assert_eq!(again(&ObjectArray::from(nested)).to_vec::<Vec<Option<String>>>().unwrap(), [[Some("a".to_owned()), None]]);
}

#[test]
fn conversion_errors_name_the_path_in_the_object() {
    let kind = |found: &str, rust_type: &str| {
        let hint = if found == "None" { "read it as an `Option`" } else { "`PyObject` takes any object" };
        format!("expected {rust_type}, found {found}; {hint}")
    };
    assert_eq!(problem::<String>(vec!["a".into(), 5.into()]), (1, String::new(), kind("int", "String")));
    assert_eq!(problem::<i64>(vec![PyObject::None]), (0, String::new(), kind("None", "i64")));
    // A bool is no number, and a number no bool, though Python mixes them.
    assert_eq!(problem::<i64>(vec![PyObject::Bool(true)]).2, kind("bool", "i64"));
    assert_eq!(problem::<bool>(vec![1.into()]).2, kind("int", "bool"));
    assert_eq!(problem::<f64>(vec![PyObject::Bool(true)]).2, kind("bool", "f64"));
    assert_eq!(problem::<f64>(vec![((1_i64 << 53) + 1).into()]).2, "cannot represent 9007199254740993 exactly as f64");
    assert_eq!(problem::<f32>(vec![PyObject::Float(0.1)]).2, "cannot represent 0.1 exactly as f32");
    assert_eq!(problem::<f32>(vec![PyObject::Float(1e300)]).2, "cannot represent 1e+300 exactly as f32");
    assert_eq!(problem::<i64>(vec![PyObject::Float(1.0)]).2, "cannot represent 1.0 exactly as i64");
    assert_eq!(problem::<u8>(vec![256.into()]).2, "256 is out of range for u8");
    assert_eq!(problem::<i64>(vec![PyObject::from(1_i128 << 100)]).2, "1267650600228229401496703205376 is out of range for i64");
    let list = PyObject::List(vec![1.into(), PyObject::List(vec!["a".into()])]);
    assert_eq!(problem::<Vec<PyInt>>(vec![list]), (0, "[1]".to_owned(), kind("list", "an integer")));
    assert!(ObjectArray::new(&[3], vec![]).unwrap_err().to_string().ends_with("wrong number of elements: expected 3, found 0"));
    assert_eq!(ObjectArray::new(&[1; 65], vec![1.into()]).unwrap_err().kind(), ErrorKind::TooLarge);
}

#[test]
fn texts_of_any_length() {
    let missing = StringDType::new(false, Some(PyObject::Float(f64::NAN)));
    let items = vec![PyObject::from("a"), PyObject::Float(f64::NAN)];
    let array = ObjectArray::from(items).with_string_dtype(missing).unwrap();
    let mut file = Vec::new();
    array.write(&mut file).unwrap();
    let array = object::read(&file[..]).unwrap();
    let dtype = array.string_dtype().unwrap();
    assert!(!dtype.coerce() && matches!(dtype.na_object(), Some(PyObject::Float(nan)) if nan.is_nan()));
    assert_eq!(array.items()[0], PyObject::from("a"));
    assert!(ObjectArray::from(vec![1]).with_string_dtype(StringDType::new(true, None)).is_err());
}

#[test]
fn rejects_nesting_too_deep_to_read_back_on_write() {
    let mut object = PyObject::None;
    for _ in 0..300 {
        object = PyObject::List(vec![object]);
    }
    let error = ObjectArray::from(vec![PyObject::None, object]).write(Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "element 1: object nesting exceeds the limit of 200");
    let error = ObjectArray::from(vec![PyObject::Decimal("1; import os".to_owned())]).write(Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "element 0: invalid Decimal \"1; import os\"");
}

#[test]
fn axes_are_levels_too() {
    let nested = |depth: usize| (0..depth).fold(PyObject::None, |inner, _| ObjectArray::new(&[1; 64], vec![inner]).unwrap().into());
    let two = ObjectArray::from(vec![nested(2)]);
    assert_eq!(again(&two), two);
    assert!(ObjectArray::from(vec![nested(3)]).write(Vec::new()).is_err());
}

/// A dtype of records in records.
fn nested_records(depth: usize) -> DType {
    (0..depth).fold(f64::dtype(), |inner, i| {
        let outer = [("a", u8::dtype()), ("b", inner), ("c", u16::dtype())];
        Record::packed(outer.map(|(name, dtype)| (format!("{name}{i}"), dtype))).unwrap().into()
    })
}

#[test]
fn records_in_records_are_written_at_once() {
    let began = Instant::now();
    let array = |depth: usize| {
        let dtype = nested_records(depth);
        let bytes = vec![0; dtype.itemsize()];
        ObjectArray::from(vec![DynValues::new(dtype, Order::C, &[1], bytes).unwrap()])
    };
    assert_eq!(again(&array(45)), array(45));
    // Each is four levels of objects, so that no more than 48 are read.
    let error = array(90).write(Vec::new()).unwrap_err();
    assert_eq!(error.message(), "object nesting exceeds the limit of 200");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn written_objects_load_on_a_small_stack() {
    let date = PyDate::new(2024, 2, 29).unwrap();
    let zone = PyTimeZone::new(PyTimeDelta::new(0, 3600, 0).unwrap(), Some("CET".to_owned())).unwrap();
    let time = PyTime::new(1, 2, 3, 4).unwrap();
    let zoned = PyDateTime::new(date, time.clone().with_zone(zone.clone()));
    let records = nested_records(2);
    let bytes = vec![0; records.itemsize()];
    let seconds = DynValues::new("<M8[s]".parse().unwrap(), Order::C, &[], vec![0; 8]).unwrap();
    let arrays = DType::from(Record::packed([("s", f32::dtype().sub_array(&[2]).unwrap())]).unwrap());
    let leaves = vec![
        PyObject::None,
        "text".into(),
        PyObject::Tuple(vec![]),
        PyObject::List(vec![]),
        PyObject::OrderedDict(vec![]),
        PyObject::Set(vec![]),
        PyObject::ByteArray(vec![]),
        PyObject::Complex { re: 1.0, im: 2.0 },
        PyObject::Range(Box::new([1.into(), 2.into(), 1.into()])),
        PyObject::Uuid([7; 16]),
        PyObject::Decimal("1.5".to_owned()),
        PyObject::Date(date),
        PyObject::Time(Box::new(time)),
        PyObject::DateTime(Box::new(zoned)),
        PyObject::TimeZone(Box::new(zone)),
        PyObject::Slice(Box::new([PyObject::None, 1.into(), PyObject::None])),
        scalar(1.5),
        PyObject::Scalar(Box::new(seconds)),
        PyObject::DType(Box::new(arrays.clone())),
        PyObject::Scalar(Box::new(DynValues::new(records, Order::C, &[], bytes).unwrap())),
        PyObject::Array(Box::new(DynValues::new(arrays, Order::C, &[1], vec![0; 8]).unwrap())),
        PyObject::Objects(Box::new(ObjectArray::from(vec![1]))),
    ];
    type Wrap = fn(PyObject) -> PyObject;
    let wraps: [(usize, Wrap); 6] = [
        (1, |inner| PyObject::List(vec![inner])),
        (1, |inner| PyObject::Tuple(vec![inner, PyObject::None])),
        (1, |inner| PyObject::OrderedDict(vec![("k".into(), inner)])),
        (3, |inner| PyObject::FrozenSet(vec![inner])),
        (2, |inner| PyObject::Slice(Box::new([PyObject::None, inner, PyObject::None]))),
        (3, |inner| PyObject::from(ObjectArray::from(vec![inner]))),
    ];
    let test = move || {
        for (levels, wrap) in wraps {
            for leaf in some(&leaves, 5) {
                let written = (150 / levels..200).rev().filter_map(|depth| {
                    let array = ObjectArray::from(vec![(0..depth).fold(leaf.clone(), |inner, _| wrap(inner))]);
                    let mut file = Vec::new();
                    array.write(&mut file).ok().map(|()| (depth, array, file))
                });
                // The deepest ones.
                let mut most = 0;
                for (depth, array, file) in written.take(if rounds(1) < 10 { 2 } else { usize::MAX }) {
                    let read = object::read(&file[..]).unwrap_or_else(|error| panic!("{depth} of {leaf}: {error}"));
                    assert!(read == array && read.clone().items()[0].to_string() == array.items()[0].to_string());
                    most = most.max(depth);
                }
                // Little of what could be read is not written.
                assert!(most * levels > 170, "{most} of {levels}: {leaf}");
            }
        }
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(test).unwrap().join().unwrap();
}

#[derive(Deserialize, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Velocity,
    Acceleration,
    Scaled(f64),
}

#[derive(Deserialize, Debug, PartialEq)]
struct Channel {
    code: String,
    kind: Kind,
    gain: Option<f32>,
    #[serde(default)]
    taps: Vec<i32>,
    counts: BTreeMap<String, u64>,
}

fn dict(entries: Vec<(&str, PyObject)>) -> PyObject {
    PyObject::Dict(entries.into_iter().map(|(key, value)| (PyObject::from(key), value)).collect())
}

#[test]
fn dictionaries_become_structs() {
    let counts = dict(vec![("a", 1.into()), ("b", scalar(u64::MAX))]);
    let full = dict(vec![
        ("code", "BHZ".into()),
        ("kind", "velocity".into()),
        ("gain", 2.into()),
        ("taps", PyObject::Array(Box::new(DynValues::from_slice(&[1_i16, -2]).unwrap()))),
        ("counts", counts.clone()),
        ("unknown", PyObject::List(vec![])),
    ]);
    let scaled = dict(vec![("scaled", PyObject::Float(0.5))]);
    let short = dict(vec![("code", scalar("BHN".to_owned())), ("kind", scaled), ("gain", PyObject::None), ("counts", counts)]);
    let channels: Vec<Channel> = again(&ObjectArray::from(vec![full, short])).deserialize().unwrap();
    assert_eq!((channels[0].code.as_str(), &channels[0].kind, channels[0].gain), ("BHZ", &Kind::Velocity, Some(2.0)));
    assert_eq!((channels[0].taps.as_slice(), channels[0].counts["b"]), ([1, -2].as_slice(), u64::MAX));
    assert_eq!((channels[1].code.as_str(), &channels[1].kind, channels[1].gain), ("BHN", &Kind::Scaled(0.5), None));

    let error = ObjectArray::from(vec![PyObject::None, 5.into()]).deserialize::<Option<Channel>>().unwrap_err();
    insta::assert_snapshot!(error, @"element 1: invalid type: integer `5`, expected struct Channel");
    insta::assert_snapshot!(object::from_object::<Kind>(&5.into()).unwrap_err(), @"expected a variant of Kind (velocity, acceleration, scaled), found int");
    insta::assert_snapshot!(object::from_object::<Kind>(&"speed".into()).unwrap_err(), @"unknown variant `speed`, expected one of `velocity`, `acceleration`, `scaled`");
    insta::assert_snapshot!(object::from_object::<(u8, u8)>(&PyObject::List(vec![1.into()])).unwrap_err(), @"invalid length 1, expected a tuple of size 2");
    insta::assert_snapshot!(object::from_object::<u8>(&PyObject::Slice(Box::new([PyObject::None, PyObject::None, PyObject::None]))).unwrap_err(), @"expected data that serde knows, found slice");
    assert_eq!(object::from_object::<Kind>(&"acceleration".into()).unwrap(), Kind::Acceleration);
}

#[derive(Deserialize, Debug, PartialEq)]
struct Row {
    a: i32,
    o: Option<String>,
}

#[test]
fn records_become_structs_by_the_names_of_the_fields() {
    let path = data("numpy-2.4.6-py3.11/object_record.npy");
    let array = object::load(path).unwrap();
    let rows = [Row { a: 1, o: None }, Row { a: 2, o: Some("x".to_owned()) }];
    assert_eq!(array.deserialize::<Row>().unwrap(), rows);
    assert_eq!(array.deserialize::<(i32, Option<String>)>().unwrap(), [(1, None), (2, Some("x".to_owned()))]);
    let nested = ObjectArray::from(vec![PyObject::from(array)]);
    assert_eq!(nested.deserialize::<Vec<Row>>().unwrap(), [rows]);
}

#[test]
fn prints_a_float_between_two_shortest_texts_with_the_even_digit() {
    // 71762869882177.12 and .13 are both this float; Rust's `{:?}` takes .13, Python .12.
    let middle = 71_762_869_882_177.0 + 0.125;
    assert_eq!(PyObject::Float(middle).to_string(), "71762869882177.12");
    assert_eq!(PyObject::Complex { re: 1.0, im: -middle }.to_string(), "(1-71762869882177.12j)");
    assert_eq!(PyObject::Complex { re: 0.0, im: middle }.to_string(), "71762869882177.12j");
}

#[test]
fn prints_each_array_in_arrays_once() {
    // Twice on each of 30 levels would never end.
    let nested = |array: ObjectArray| (0..30).fold(array, |inner, _| ObjectArray::from(vec![PyObject::from(inner)]));
    let size = |array: &ObjectArray| {
        let text = array.to_string();
        (text.chars().count(), text.lines().count(), text.matches("array([").count())
    };
    let long = ObjectArray::from(vec![PyObject::from("x".repeat(1 << 16))]);
    let short = ObjectArray::from(vec!["a".into(), "b".into(), PyObject::from(1)]);
    let many = ObjectArray::from(vec![PyObject::from("y".repeat(1000)); 70]);
    // The sizes are NumPy's.
    assert_eq!(size(&nested(long)), (2_039_240, 31, 30));
    assert_eq!(size(&nested(short)), (8_263, 29, 30));
    assert_eq!(size(&nested(many)), (122_459, 100, 30));
}
