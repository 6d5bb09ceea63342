//! Python objects deserialized by serde, and as other Rust types.

use std::collections::{BTreeMap, HashMap};

use npy_core::DynValues;
use npy_core::object::{self, ObjectArray, PyDate, PyDateTime, PyObject, PyTime, PyTimeDelta, PyTimeZone};
use serde::Deserialize;

use crate::support::numpy::numpy;

/// What NumPy saves of a Python expression.
fn saved(numpy: &crate::support::numpy::NumPy, expression: &str) -> ObjectArray {
    let program = format!(
        "import sys, io, datetime, decimal, fractions, uuid\nimport numpy as np\nout = io.BytesIO()\nnp.save(out, {expression}, allow_pickle=True)\nsys.stdout.buffer.write(out.getvalue())"
    );
    object::read(&numpy.run(["-c", &program], b"")[..]).unwrap()
}

#[derive(Deserialize, Debug, PartialEq)]
struct Station {
    name: String,
    matrix: Vec<Vec<f64>>,
    day: String,
    moment: String,
    zoned: String,
    span: String,
    start: String,
    #[serde(rename = "start2")]
    steps: i64,
    nat: Option<String>,
    lag: i64,
    price: String,
    share: String,
    id: String,
    z: (f64, f64),
    z64: (f32, f32),
    cube: Vec<Vec<Vec<Option<String>>>>,
    point: f32,
    fortran: Vec<[i16; 3]>,
    days: Vec<String>,
}

#[test]
fn every_kind_of_value_becomes_data() {
    let Some(numpy) = numpy("every_kind_of_value_becomes_data") else { return };
    let dictionary = "dict(name='GRF', matrix=np.eye(2), day=datetime.date(2024, 2, 29), \
        moment=datetime.datetime(2024, 2, 29, 1, 2, 3, 4), \
        zoned=datetime.datetime(2024, 2, 29, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(minutes=-90))), \
        span=datetime.timedelta(days=1, hours=2, seconds=3, microseconds=500000), \
        start=np.datetime64('2024-02-29T12:30', 's'), start2=np.datetime64('1970-01-02', 's'), nat=np.datetime64('NaT', 'D'), \
        lag=np.timedelta64(-5, 'ms'), price=decimal.Decimal('1.50'), share=fractions.Fraction(1, 3), \
        id=uuid.UUID(int=5), z=1 + 2j, z64=np.complex64(0.5 - 1j), \
        cube=np.array([[['a', None]], [['b', 'c']]], dtype=object), point=np.array(0.5), \
        fortran=np.asfortranarray(np.arange(6, dtype='>i2').reshape(2, 3)), days=np.array(['2024-01-01'], 'M8[D]'), \
        unasked=np.zeros((2, 2)), unasked2=datetime.date(2024, 1, 1), unasked3=np.datetime64('NaT'), unasked4=slice(1))";
    let array = saved(numpy, &format!("np.array([{dictionary}], dtype=object)"));
    let strings = |items: [&str; 2]| vec![items.map(|item| if item.is_empty() { None } else { Some(item.to_owned()) }).to_vec()];
    let expected = Station {
        name: "GRF".to_owned(),
        matrix: vec![vec![1.0, 0.0], vec![0.0, 1.0]],
        day: "2024-02-29".to_owned(),
        moment: "2024-02-29T01:02:03.000004".to_owned(),
        zoned: "2024-02-29T01:02:00-01:30".to_owned(),
        span: "P1DT2H3.5S".to_owned(),
        start: "2024-02-29T12:30:00".to_owned(),
        steps: 86_400,
        nat: None,
        lag: -5,
        price: "1.50".to_owned(),
        share: "1/3".to_owned(),
        id: "00000000-0000-0000-0000-000000000005".to_owned(),
        z: (1.0, 2.0),
        z64: (0.5, -1.0),
        cube: vec![strings(["a", ""]), strings(["b", "c"])],
        point: 0.5,
        fortran: vec![[0, 1, 2], [3, 4, 5]],
        days: vec!["2024-01-01".to_owned()],
    };
    assert_eq!(array.deserialize::<Station>().unwrap(), [expected]);
}

#[test]
fn errors_say_where_in_the_object() {
    let list = PyObject::List(vec![1.into(), 2.into(), "x".into()]);
    let inner = PyObject::Dict(vec![("b".into(), list)]);
    let object = PyObject::Dict(vec![("a".into(), inner)]);
    type Nested = HashMap<String, BTreeMap<String, Vec<u8>>>;
    insta::assert_snapshot!(object::from_object::<Nested>(&object).unwrap_err(), @r#"a.b[2]: invalid type: string "x", expected u8"#);
    let error = ObjectArray::from(vec![object]).deserialize::<Nested>().unwrap_err();
    insta::assert_snapshot!(error, @r#"element 0, a.b[2]: invalid type: string "x", expected u8"#);
    let matrix = PyObject::from(ObjectArray::new(&[2, 2], vec![1.into(), 2.into(), 3.into(), PyObject::None]).unwrap());
    insta::assert_snapshot!(object::from_object::<Vec<Vec<u8>>>(&matrix).unwrap_err(), @"[1][1]: invalid type: None, expected u8; read it as an `Option`");
    insta::assert_snapshot!(object::from_object::<u8>(&"x".into()).unwrap_err(), @r#"invalid type: string "x", expected u8"#);
    let three = PyObject::List(vec![1.into(), 2.into(), 3.into()]);
    insta::assert_snapshot!(object::from_object::<(u8, u8)>(&three).unwrap_err(), @"invalid length 3, expected a sequence of length 2");
    let nat = DynValues::new("<M8[s]".parse().unwrap(), npy_core::Order::C, &[], i64::MIN.to_le_bytes().to_vec()).unwrap();
    let nat = PyObject::Scalar(Box::new(nat));
    insta::assert_snapshot!(object::from_object::<String>(&nat).unwrap_err(), @"expected a time, found NaT; read it as an `Option`");
    assert_eq!(object::from_object::<Option<i64>>(&nat).unwrap(), None);
}

/// An object is taken as it is, also one that serde's data cannot express, wherever it stands.
#[test]
fn objects_stay_what_they_are() {
    let date = PyObject::Date(PyDate::new(2024, 2, 29).unwrap());
    let tuple = PyObject::Tuple(vec![date.clone(), PyObject::Set(vec![1.into()])]);
    let dict = PyObject::Dict(vec![("a".into(), tuple.clone()), ("b".into(), PyObject::None)]);
    type Map = BTreeMap<String, PyObject>;
    assert_eq!(object::from_object::<Map>(&dict).unwrap(), Map::from([("a".to_owned(), tuple), ("b".to_owned(), PyObject::None)]));
    type Optional = BTreeMap<String, Option<(PyObject, PyObject)>>;
    assert_eq!(object::from_object::<Optional>(&dict).unwrap()["a"].as_ref().unwrap().0, date);
    assert_eq!(object::from_object::<PyObject>(&dict).unwrap(), dict);

    let matrix = ObjectArray::new(&[1, 2], vec![date.clone(), PyObject::None]).unwrap();
    let whole = PyObject::from(matrix);
    assert_eq!(object::from_object::<PyObject>(&whole).unwrap(), whole);
    assert_eq!(object::from_object::<[[PyObject; 2]; 1]>(&whole).unwrap(), [[date.clone(), PyObject::None]]);
    // The row of an array is no object of its own.
    assert_eq!(object::from_object::<Vec<PyObject>>(&whole).unwrap(), [PyObject::List(vec![date.clone(), PyObject::None])]);
    let single = PyObject::from(ObjectArray::new(&[], vec![date.clone()]).unwrap());
    assert_eq!(object::from_object::<(PyObject,)>(&PyObject::List(vec![single.clone()])).unwrap().0, single);
    let steps = DynValues::new("<M8[s]".parse().unwrap(), npy_core::Order::C, &[1], 5_i64.to_le_bytes().to_vec()).unwrap();
    let scalars = object::from_object::<Vec<PyObject>>(&PyObject::from(steps)).unwrap();
    assert_eq!(scalars[0].to_string(), "np.datetime64('1970-01-01T00:00:05')");
}

#[test]
fn other_formats_become_the_nearest_object() {
    let json = r#"{"a": [null, true, -1, 18446744073709551615, 0.5, "x"], "b": {}}"#;
    let object: PyObject = serde_json::from_str(json).unwrap();
    assert_eq!(object.to_string(), "{'a': [None, True, -1, 18446744073709551615, 0.5, 'x'], 'b': {}}");
}

#[test]
fn spans_have_texts() {
    let text = |days, seconds, micros| {
        let delta = PyTimeDelta::new(days, seconds, micros).unwrap();
        object::from_object::<String>(&PyObject::TimeDelta(delta)).unwrap()
    };
    assert_eq!(text(0, 0, 0), "PT0S");
    assert_eq!(text(3, 0, 0), "P3D");
    assert_eq!(text(-1, 23 * 3600, 0), "-PT1H");
    assert_eq!(text(0, 62, 10), "PT1M2.00001S");
    assert_eq!(text(0, 600, 0), "PT10M");
    assert_eq!(text(0, 0, 500_000), "PT0.5S");
}

#[test]
fn dates_are_values_of_their_own_types() {
    let date = PyDate::new(2024, 2, 29).unwrap();
    let (time, delta) = (PyTime::new(1, 2, 3, 4).unwrap(), PyTimeDelta::new(1, 2, 3).unwrap());
    let zone = PyTimeZone::new(delta, None);
    assert!(zone.is_none());
    let moment = PyDateTime::new(date, time.clone());
    assert_eq!(ObjectArray::from(vec![PyObject::Date(date)]).to_vec::<PyDate>().unwrap(), [date]);
    let times = ObjectArray::from(vec![PyObject::Time(Box::new(time.clone())), PyObject::None]);
    assert_eq!(times.to_vec::<Option<PyTime>>().unwrap(), [Some(time), None]);
    assert_eq!(ObjectArray::from(vec![PyObject::DateTime(Box::new(moment.clone()))]).to_vec::<PyDateTime>().unwrap(), [moment]);
    assert_eq!(ObjectArray::from(vec![PyObject::TimeDelta(delta)]).to_vec::<PyTimeDelta>().unwrap(), [delta]);
    insta::assert_snapshot!(times.to_vec::<PyTime>().unwrap_err(), @"element 1: expected PyTime, found None; read it as an `Option`");
    insta::assert_snapshot!(times.to_vec::<PyDate>().unwrap_err(), @"element 0: expected PyDate, found datetime.time; `PyObject` takes any object");
}

#[test]
fn fields_of_records_with_objects() {
    let Some(numpy) = numpy("fields_of_records_with_objects") else { return };
    let array = saved(
        numpy,
        "np.array([(1, (2, 'x'), [3, 4], None), (5, (6, None), [7, 8], 'y')], dtype=[('id', 'i4'), ('o', [('n', 'u1'), ('tag', 'O')]), ('s', 'i2', (2,)), ('a.b', 'O')])",
    );
    assert_eq!(array.field("id").unwrap().to_vec::<i32>().unwrap(), [1, 5]);
    assert_eq!(array.field("o.tag").unwrap().to_vec::<Option<String>>().unwrap(), [Some("x".to_owned()), None]);
    assert_eq!(array.field("o").unwrap().field("n").unwrap().to_vec::<u8>().unwrap(), [2, 6]);
    assert_eq!(array.field("a.b").unwrap().to_vec::<Option<String>>().unwrap(), [None, Some("y".to_owned())]);
    assert_eq!(array.field("s").unwrap().deserialize::<[i16; 2]>().unwrap(), [[3, 4], [7, 8]]);
    assert_eq!(array.field("o").unwrap().dtype().to_string(), "[('n', '|u1'), ('tag', '|O')]");
    assert!(array.field("nothing").unwrap_err().to_string().contains("nothing"));
    assert!(array.field("id.x").is_err() && ObjectArray::from(vec![1]).field("id").is_err());
}
