//! What is written of objects: as deep as is read again, in batches, with each text once.

use npy_core::object::{self, ObjectArray, ObjectOptions, PyDate, PyDateTime, PyInt, PyObject, PyTime, PyTimeDelta, PyTimeZone};
use npy_core::{DType, DynValues, ErrorKind, Order};

fn written(object: &PyObject) -> npy_core::Result<Vec<u8>> {
    let mut file = Vec::new();
    ObjectArray::from(vec![object.clone()]).write(&mut file).map(|()| file)
}

/// Whether a file is read with this many levels.
fn is_read(file: &[u8], depth: usize) -> bool {
    match object::read_with(file, ObjectOptions::new().depth(depth)) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
            false
        }
    }
}

fn nested(object: &PyObject, levels: usize) -> PyObject {
    (0..levels).fold(object.clone(), |inner, _| PyObject::List(vec![inner]))
}

fn zero(dtype: DType, shape: &[usize]) -> DynValues {
    let bytes = vec![0; dtype.itemsize() * shape.iter().product::<usize>()];
    DynValues::new(dtype, Order::C, shape, bytes).unwrap()
}

/// Everything that can be written, each as plain as it can be and with more in it.
fn objects() -> Vec<PyObject> {
    let one = || PyObject::from(1);
    let delta = PyTimeDelta::new(0, 3600, 0).unwrap();
    let zone = |name: Option<&str>| PyTimeZone::new(delta, name.map(str::to_owned)).unwrap();
    let (date, time) = (PyDate::new(2026, 11, 24).unwrap(), PyTime::new(9, 8, 7, 6).unwrap());
    let zoned = time.clone().with_zone(zone(Some("X")));
    let int = |value: i64| PyInt::from(value);
    let dtype = |text: &str| text.parse::<DType>().unwrap();
    let dtypes = ["<f8", "<M8[s]", "[('a', '<f8'), ('b', '<M8[s]')]", "[('a', '<f8', (2, 3))]"].map(dtype);
    let mut objects = vec![
        PyObject::None,
        PyObject::Bool(true),
        PyObject::Bool(false),
        one(),
        PyObject::Float(0.5),
        PyObject::Complex { re: 1.0, im: 2.0 },
        PyObject::from("text"),
        PyObject::Bytes(vec![1, 2]),
        PyObject::ByteArray(vec![1, 2]),
        PyObject::Range(Box::new([int(0), int(5), int(1)])),
        PyObject::Fraction(Box::new([int(1), int(3)])),
        PyObject::Decimal("1.5".to_owned()),
        PyObject::Uuid([7; 16]),
        PyObject::Date(date),
        PyObject::Time(Box::new(time.clone())),
        PyObject::Time(Box::new(zoned.clone())),
        PyObject::DateTime(Box::new(PyDateTime::new(date, time))),
        PyObject::DateTime(Box::new(PyDateTime::new(date, zoned))),
        PyObject::TimeDelta(delta),
        PyObject::TimeZone(Box::new(zone(None))),
        PyObject::TimeZone(Box::new(zone(Some("X")))),
        PyObject::Slice(Box::new([one(), PyObject::None, PyObject::None])),
    ];
    for items in [vec![], vec![one()], vec![one(), PyObject::List(vec![one()])], vec![one(); 3], vec![one(); 4]] {
        let entries: Vec<_> = items.iter().enumerate().map(|(i, item)| (PyObject::from(i as i64), item.clone())).collect();
        let distinct: Vec<_> = (0..items.len()).map(|i| PyObject::from(i as i64)).collect();
        objects.extend([
            PyObject::List(items.clone()),
            PyObject::Tuple(items.clone()),
            PyObject::Dict(entries.clone()),
            PyObject::OrderedDict(entries),
            PyObject::Set(distinct.clone()),
            PyObject::FrozenSet(distinct),
            ObjectArray::from(items).into(),
        ]);
    }
    objects.push(ObjectArray::new(&[1, 1, 1], vec![one()]).unwrap().into());
    for dtype in dtypes {
        objects.push(PyObject::Scalar(Box::new(zero(dtype.clone(), &[]))));
        objects.extend([&[2][..], &[1, 2, 1], &[0]].map(|shape| PyObject::Array(Box::new(zero(dtype.clone(), shape)))));
        objects.push(PyObject::DType(Box::new(dtype)));
    }
    objects.push(PyObject::DType(Box::new(dtype("('<f8', (2, 3))"))));
    objects
}

#[test]
fn objects_are_read_as_they_were_written() {
    for object in objects() {
        let file = written(&object).unwrap();
        assert_eq!(object::read(&file[..]).unwrap().items(), std::slice::from_ref(&object));
    }
}

/// As deep as is read by default, and not one level more: neither is a file written that this crate
/// does not read, nor one refused that it would read.
#[test]
fn objects_are_written_as_deep_as_they_are_read() {
    for object in objects() {
        // In some lists, because the dtype of the array has levels of its own.
        let shallow = written(&nested(&object, 10)).unwrap();
        let most = 210 - (10..100).find(|depth| is_read(&shallow, *depth)).unwrap();
        let file = written(&nested(&object, most)).unwrap_or_else(|error| panic!("{object}: {error}"));
        assert!(is_read(&file, 200) && !is_read(&file, 199), "{object}");
        let Err(error) = written(&nested(&object, most + 1)) else { panic!("{object} in {} lists", most + 1) };
        assert_eq!(error.message(), "object nesting exceeds the limit of 200", "{object}: {error}");
    }
}
