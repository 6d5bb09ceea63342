//! Printed arrays without NumPy: snapshots, and values that NumPy cannot print.

use std::fmt::Write as _;

use ndarray::{ArrayD, ShapeBuilder};
use npy_core::object::{ObjectArray, PyDate, PyDateTime, PyObject, PyTime, PyTimeDelta};
use npy_core::print::{self, PrintOptions};
use npy_core::types::{Datetime64, unit};
use npy_core::{DynValues, NpyRecord, Order};
use npy_ndarray::DynArray;

fn values(descr: &str, shape: &[usize], bytes: impl Into<Vec<u8>>) -> DynValues {
    DynValues::new(descr.parse().unwrap(), Order::C, shape, bytes.into()).unwrap()
}

#[derive(NpyRecord)]
struct Pick {
    station: String,
    time: Datetime64<unit::Second>,
    pose: Pose,
}

#[derive(NpyRecord)]
struct Pose {
    position: [f32; 2],
    quality: f64,
}

fn picks(count: u8) -> Vec<Pick> {
    let pick = |number: u8| Pick {
        station: ["GRF", "it's", "", "ÄÖ\n"][usize::from(number % 4)].to_owned(),
        time: if number == 1 { Datetime64::NAT } else { Datetime64::new(i64::from(number) * 1_000_000) },
        pose: Pose { position: [f32::from(number), -0.5], quality: 1.0 / f64::from(number) },
    };
    (0..count).map(pick).collect()
}

#[test]
fn slices_of_records() {
    insta::assert_snapshot!(print::display(&picks(3)), @r#"
    [('GRF', '1970-01-01T00:00:00', ([ 0. , -0.5], inf))
     ("it's",                 'NaT', ([ 1. , -0.5], 1. ))
     ('', '1970-01-24T03:33:20', ([ 2. , -0.5], 0.5))]
    "#);
    insta::assert_snapshot!(print::display::<Pick>(&[]), @"[]");
    insta::assert_snapshot!(print::display(&[[1_u8, 2], [3, 40]]), @"
    [[ 1  2]
     [ 3 40]]
    ");
    insta::assert_snapshot!(print::display(&vec![[0_u8; 400]; 500]), @"
    [[0 0 0 ... 0 0 0]
     [0 0 0 ... 0 0 0]
     [0 0 0 ... 0 0 0]
     ...
     [0 0 0 ... 0 0 0]
     [0 0 0 ... 0 0 0]
     [0 0 0 ... 0 0 0]]
    ");
    insta::assert_snapshot!(print::display(&["a\0b".to_owned(), "c\0".to_owned()]), @r"['a\x00b' 'c']");
}

/// A record whose text may not fit its dtype.
#[derive(NpyRecord)]
struct Short {
    #[npy(dtype = "S2")]
    name: String,
}

#[test]
fn slices_that_cannot_be_stored_say_why() {
    let names = |names: &[&str]| names.iter().map(|&name| Short { name: name.to_owned() }).collect::<Vec<_>>();
    insta::assert_snapshot!(print::display(&names(&["ab", "c"])), @"[(b'ab',) (b'c',)]");
    insta::assert_snapshot!(print::display(&names(&["abc"])), @r#"<element 0, name: text too long for |S2: expected at most 2 bytes, found 3; `#[npy(truncate)]` on a field with `dtype = "S2"` truncates it>"#);
    insta::assert_snapshot!(print::display(&names(&["ab", "abc"])), @r#"<element 1, name: text too long for |S2: expected at most 2 bytes, found 3; `#[npy(truncate)]` on a field with `dtype = "S2"` truncates it>"#);
    let last = print::display(&names(&[&["ab"; 2000][..], &["abc"]].concat())).to_string();
    assert_eq!(
        last,
        "<element 2000, name: text too long for |S2: expected at most 2 bytes, found 3; `#[npy(truncate)]` on a field with `dtype = \"S2\"` truncates it>"
    );
}

#[test]
fn tables_of_records() {
    let table = DynValues::from_slice(&picks(5)).unwrap();
    insta::assert_snapshot!(table.table(), @r"
       station                 time  pose.position  pose.quality
    0  GRF      1970-01-01T00:00:00  [ 0. , -0.5]            inf
    1  it's                     NaT  [ 1. , -0.5]     1.
    2           1970-01-24T03:33:20  [ 2. , -0.5]     0.5
    3  ÄÖ\n     1970-02-04T17:20:00  [ 3. , -0.5]     0.33333333
    4  GRF      1970-02-16T07:06:40  [ 4. , -0.5]     0.25
    ");
    insta::assert_snapshot!(table.table().most_rows(3), @"
         station                 time  pose.position  pose.quality
    0    GRF      1970-01-01T00:00:00  [ 0. , -0.5]            inf
    1    it's                     NaT  [ 1. , -0.5]           1.
    ...  ...                      ...  ...                     ...
    4    GRF      1970-02-16T07:06:40  [ 4. , -0.5]           0.25
    ");
    insta::assert_snapshot!(table.table().most_rows(1).options(&PrintOptions::new().precision(2)), @"
         station                 time  pose.position  pose.quality
    0    GRF      1970-01-01T00:00:00  [ 0. , -0.5]            inf
    ...  ...                      ...  ...                     ...
    ");
    insta::assert_snapshot!(table.table().most_rows(0), @"
         station  time  pose.position  pose.quality
    ...  ...       ...  ...                     ...
    ");
    let empty = DynValues::from_slice::<Pick>(&[]).unwrap();
    insta::assert_snapshot!(empty.table(), @"station  time  pose.position  pose.quality");

    // In Fortran order, with more than one axis.
    let dtype = "[('n', '|i1'), ('text', '|S2'), ('raw', '|V1')]".parse().unwrap();
    let bytes = b"\x01a\0\x00\xffbc\x01\x03\n\0\x02\x7fd\xff\x03".to_vec();
    let square = DynValues::new(dtype, Order::Fortran, &[2, 2], bytes).unwrap();
    insta::assert_snapshot!(square.table(), @r"
           n  text   raw
    0,0    1  a      b'\x00'
    0,1    3  \n     b'\x02'
    1,0   -1  bc     b'\x01'
    1,1  127  d\xff  b'\x03'
    ");
    insta::assert_snapshot!(square, @r"
    [[(  1, b'a', b'\x00') (  3, b'\n', b'\x02')]
     [( -1, b'bc', b'\x01') (127, b'd\xff', b'\x03')]]
    ");
    insta::assert_snapshot!(values("[('n', '|i1')]", &[], [7]).table(), @"
    n
    7
    ");
    insta::assert_snapshot!(values("|i1", &[2], [7, 8]).table(), @"[7 8]");
    assert_eq!(values("[]", &[2], []).table().to_string(), "\n0\n1");
}

#[test]
fn long_cells_of_tables_are_cut() {
    let name = [vec![b'a'; 65_536], vec![0]].concat();
    let dtype = "[('name', 'S65537'), ('n', 'u1')]";
    let table = |name: &[u8]| values(dtype, &[1], [name, &[7]].concat()).table().to_string();
    let [whole, cut] = [table(&name), table(&[b'a'; 65_537])].map(|text| text.lines().nth(1).unwrap().to_owned());
    assert!(whole.ends_with("aaa  7") && cut.ends_with("aaa…  7"), "{}", cut.len());
    assert_eq!((whole.len(), cut.len()), (65_542, 65_545));
    // Not within a character.
    let accents = [b"x".to_vec(), vec![0xe9; 40_000]].concat();
    let text: Vec<u8> = accents.iter().flat_map(|byte| u32::from(*byte).to_le_bytes()).collect();
    let table = values("[('name', '<U40001')]", &[1], text).table().to_string();
    assert_eq!(table.lines().nth(1).map(|line| (line.chars().count(), line.ends_with("é…"))), Some((32_772, true)));
}

/// What NumPy refuses to print, or knows no dtype for.
#[test]
fn prints_values_that_numpy_cannot_print() {
    insta::assert_snapshot!(values("<M8", &[2], [5_i64.to_le_bytes(), i64::MIN.to_le_bytes()].concat()), @"[  '5' 'NaT']");
    insta::assert_snapshot!(values("<U2", &[2], [0x11_0000_u32, 65, 0xd800, 0].map(u32::to_le_bytes).concat()), @r"['\U00110000A' '\ud800']");
    insta::assert_snapshot!(values("<U2", &[], [0xd800_u32, 65].map(u32::to_le_bytes).concat()), @"�A");
    insta::assert_snapshot!(values("<f1", &[4], [0x3c, 0x3d, 0xfc, 0x01]), @"[1.0e+00 1.2e+00    -inf 1.5e-05]");
    insta::assert_snapshot!(values("<W4", &[1], [0x00, 0x3c, 0x00, 0xbe]), @"[1.-1.5j]");
    insta::assert_snapshot!(values("<V2", &[1], [0x80, 0x3f]), @r"[b'\x80\x3F']");
    insta::assert_snapshot!(values("<f12", &[1], [0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x3f, 1, 2]), @"[1.5]");
}

/// Short headers can claim any number of elements without a byte.
#[cfg(target_pointer_width = "64")]
#[test]
fn elements_without_bytes_are_not_printed_without_end() {
    let six_in_64_axes = values("|V0", &[1; 64], []);
    assert_eq!(six_in_64_axes.to_string().len(), 64 + 64 + 3);
    insta::assert_snapshot!(values("|V0", &[1 << 62], []), @"[b'' b'' b'' ... b'' b'' b'']");
    insta::assert_snapshot!(values("|V0", &[6; 24], []), @"[...]");
    insta::assert_snapshot!(values("[('x', '<i4', (2147483647, 0))]", &[1], []), @"[...]");
    insta::assert_snapshot!(values("[('x', '|S0', (1000, 2))]", &[1], []), @"[([[b'', b''], [b'', b''], [b'', b''], ..., [b'', b''], [b'', b''], [b'', b'']],)]");
    let fields: String = (0..500).map(|field| format!("('f{field}', '|S0', (1000,)), ")).collect();
    let crowded = values(&format!("[{fields}('last', '|u1')]"), &[1000], [7; 1000]);
    assert_eq!(crowded.to_string().matches("..., ").count(), 500 * 1000);
    assert_eq!(crowded.to_string().matches(" 7)").count(), 1000);
    let mut nested = "'|S0'".to_owned();
    for _ in 0..60 {
        nested = format!("[('x', {nested}, (9,)), ('y', '|V0')]");
    }
    insta::assert_snapshot!(values(&nested, &[2], []), @"[... ...]");
    insta::assert_snapshot!(values(&nested, &[2], []).table(), @"
       x    y
    0  ...  b''
    1  ...  b''
    ");
}

/// A [`DynArray`] prints from its corners alone, in either order.
#[test]
fn corners_alone_are_printed_as_the_whole_array_is() {
    let options = PrintOptions::new().threshold(20).edge_items(2);
    let shape = [7_usize, 3, 6];
    let number = |index: usize| u8::try_from(index * 37 % 251).unwrap();
    let expected = values("|u1", &shape, (0..126).map(number).collect::<Vec<_>>()).display_with(&options).to_string();
    assert_eq!(expected.matches("...").count(), 4 * 3 + 1);
    let array = ArrayD::from_shape_fn(&shape[..], |index| number((index[0] * 3 + index[1]) * 6 + index[2]));
    let mut fortran = ArrayD::zeros((&shape[..]).f());
    fortran.assign(&array);
    for array in [array, fortran] {
        assert_eq!(DynArray::from(array).display_with(&options).to_string(), expected);
    }
}

#[test]
fn a_large_array_is_printed_by_its_corners() {
    let whole = values("<f8", &[3000, 3000], vec![0; 72_000_000]);
    let began = std::time::Instant::now();
    let text = whole.to_string();
    assert_eq!(text.lines().count(), 7);
    assert!(began.elapsed().as_millis() < 500, "{:?}", began.elapsed());
}

#[test]
fn errors_of_the_writer_are_handed_on() {
    struct Full(usize);
    impl std::fmt::Write for Full {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0 = self.0.checked_sub(text.len()).ok_or(std::fmt::Error)?;
            Ok(())
        }
    }
    let values = DynValues::from_slice(&picks(4)).unwrap();
    for text in [&values as &dyn std::fmt::Display, &values.table(), &print::display(&[[1, 2], [3, 4]])] {
        let length = text.to_string().len();
        for room in 0..length {
            assert!(write!(Full(room), "{text}").is_err());
        }
        assert!(write!(Full(length), "{text}").is_ok());
    }
}

#[test]
fn prints_records_with_objects_by_the_dtypes_of_their_fields() {
    let dtype = "[('f', '<f4'), ('o', 'O'), ('r', [('s', 'O', (2,)), ('g', '>f8')]), ('a', [('h', '<f2'), ('o', 'O')], (2,)), \
                 ('d', '<M8[D]'), ('m', '<m8[ms]')]";
    let (list, tuple) = (PyObject::List, PyObject::Tuple);
    let (date, b) = (PyObject::Date(PyDate::new(2024, 5, 6).unwrap()), PyObject::Bytes(b"b".to_vec()));
    let items = vec![
        tuple(vec![
            f64::from(0.1_f32).into(),
            "x".into(),
            tuple(vec![list(vec![1.into(), "a".into()]), 2.5.into()]),
            list(vec![tuple(vec![1.25.into(), PyObject::None]), tuple(vec![100.0.into(), tuple(vec![1.into()])])]),
            date,
            PyObject::TimeDelta(PyTimeDelta::new(-1, 86_399, 995_000).unwrap()),
        ]),
        tuple(vec![
            10.5.into(),
            PyObject::None,
            tuple(vec![list(vec![PyObject::None, b]), 0.125.into()]),
            list(vec![tuple(vec![3.0.into(), list(vec![1.into()])]), tuple(vec![7.5.into(), "y".into()])]),
            PyObject::None,
            PyObject::TimeDelta(PyTimeDelta::new(0, 0, 10_000).unwrap()),
        ]),
    ];
    let records = ObjectArray::with_dtype(dtype.parse().unwrap(), &[2], items, None).unwrap();
    insta::assert_snapshot!(records, @r"
    [( 0.1, 'x', ([1, 'a'], 2.5  ), [(  1.25, None), (100.  , (1,))], '2024-05-06', -5)
     (10.5, None, ([None, b'b'], 0.125), [(  3.  , list([1])), (  7.5 , 'y')],        'NaT', 10)]
    ");
    insta::assert_snapshot!(PyObject::from(records), @r"
    array([( 0.1, 'x', ([1, 'a'], 2.5  ), [(  1.25, None), (100.  , (1,))], '2024-05-06', -5),
           (10.5, None, ([None, b'b'], 0.125), [(  3.  , list([1])), (  7.5 , 'y')],        'NaT', 10)],
          dtype=[('f', '<f4'), ('o', 'O'), ('r', [('s', 'O', (2,)), ('g', '>f8')]), ('a', [('h', '<f2'), ('o', 'O')], (2,)), ('d', '<M8[D]'), ('m', '<m8[ms]')])
    ");
    let pair = values("<f8", &[2], [1.5_f64, 2.0].map(f64::to_le_bytes).concat());
    let record = tuple(vec![f64::from(0.1_f32).into(), true.into(), "x".into(), pair.into()]);
    let dtype = "[('f', '<f4'), ('b', '?'), ('o', 'O'), ('s', '<f8', (2,))]".parse().unwrap();
    let record = ObjectArray::with_dtype(dtype, &[], vec![record], None).unwrap();
    insta::assert_snapshot!(record, @"(0.1, True, 'x', [1.5, 2.0])");
    insta::assert_snapshot!(PyObject::from(record), @r"
    array((0.1, True, 'x', [1.5, 2. ]),
          dtype=[('f', '<f4'), ('b', '?'), ('o', 'O'), ('s', '<f8', (2,))])
    ");
}

/// An array without axes that holds an object.
fn alone(object: impl Into<PyObject>) -> ObjectArray {
    ObjectArray::new(&[], vec![object.into()]).unwrap()
}

#[test]
fn prints_a_single_object_by_str_and_in_repr_by_repr() {
    let date = PyDate::new(2024, 5, 6).unwrap();
    let moment = PyDateTime::new(date, PyTime::new(7, 8, 9, 10).unwrap());
    let day = PyTimeDelta::new(-1, 5, 0).unwrap();
    let cases = [
        (PyObject::from("it's"), "it's", r#"array("it's", dtype=object)"#),
        (PyObject::List(vec![1.into()]), "[1]", "array(list([1]), dtype=object)"),
        (PyObject::Decimal("1.50".into()), "1.50", "array(Decimal('1.50'), dtype=object)"),
        (PyObject::Fraction(Box::new([1.into(), 3.into()])), "1/3", "array(Fraction(1, 3), dtype=object)"),
        (PyObject::Fraction(Box::new([2.into(), 1.into()])), "2", "array(Fraction(2, 1), dtype=object)"),
        (PyObject::Date(date), "2024-05-06", "array(datetime.date(2024, 5, 6), dtype=object)"),
        (
            PyObject::DateTime(Box::new(moment)),
            "2024-05-06 07:08:09.000010",
            "array(datetime.datetime(2024, 5, 6, 7, 8, 9, 10), dtype=object)",
        ),
        (PyObject::TimeDelta(day), "-1 day, 0:00:05", "array(datetime.timedelta(days=-1, seconds=5), dtype=object)"),
        (PyObject::DType(Box::new("<f4".parse().unwrap())), "float32", "array(dtype('float32'), dtype=object)"),
        (values("<f8", &[2], [0_u8; 16]).into(), "[0. 0.]", "array(array([0., 0.]), dtype=object)"),
        (alone("x").into(), "x", "array(array('x', dtype=object), dtype=object)"),
        (PyObject::Bytes(b"x".to_vec()), "b'x'", "array(b'x', dtype=object)"),
    ];
    for (object, str, repr) in cases {
        let array = alone(object);
        assert_eq!((array.to_string().as_str(), PyObject::from(array).to_string().as_str()), (str, repr));
    }
}

#[test]
fn prints_numpy_objects_in_arrays_of_objects() {
    // A third, 80 bits in either byte order.
    let third = [0xab, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xfd, 0x3f, 0, 0, 0, 0, 0, 0_u8];
    let reversed: Vec<u8> = third.iter().rev().copied().collect();
    let both = [third, third].concat();
    let cases: [(PyObject, &str); 14] = [
        (PyObject::Scalar(Box::new(values("<M8[h]", &[], [0; 8]))), "np.datetime64('1970-01-01T00','h')"),
        (PyObject::Scalar(Box::new(values("<M8[m]", &[], [0; 8]))), "np.datetime64('1970-01-01T00:00')"),
        (PyObject::Scalar(Box::new(values("<f16", &[], third))), "np.longdouble('0.33333333333333333334')"),
        (PyObject::Scalar(Box::new(values("<c32", &[], both))), "np.clongdouble('0.33333333333333333334+0.33333333333333333334j')"),
        (values("<f16", &[1], third).into(), "array([0.33333333], dtype=float128)"),
        (values(">f16", &[1], reversed).into(), "array([0.33333333], dtype='>f16')"),
        (values(">f8", &[0], []).into(), "array([], dtype='>f8')"),
        (values("<f8", &[0, 3], []).into(), "array([], shape=(0, 3), dtype=float64)"),
        (ObjectArray::new(&[2, 0], vec![]).unwrap().into(), "array([], shape=(2, 0), dtype=object)"),
        (values("<f8", &[2, 2], [0_u8; 32]).into(), "array([[0., 0.],\n       [0., 0.]])"),
        (values("|b1", &[], [1]).into(), "array(True)"),
        (values("<M8[D]", &[1], [0_u8; 8]).into(), "array(['1970-01-01'], dtype='datetime64[D]')"),
        (PyObject::ByteArray(b"it's".to_vec()), r#"bytearray(b"it\'s")"#),
        (values("|i1", &[1001], [7; 1001]).into(), "array([7, 7, 7, ..., 7, 7, 7], shape=(1001,), dtype=int8)"),
    ];
    for (object, expected) in cases {
        assert_eq!(object.to_string(), expected);
    }
}
