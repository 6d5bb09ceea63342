//! What every error says to the person who reads it.

mod support;

use npy_core::{
    DType, Error, ErrorKind, Field, FixedBytes, FixedUnicode, Header, Limits, NpyElement, NpyReader, NpyRecord, NpyWriter, Order,
    Record, SubArray, Version, Void,
};
use support::file_with_header;

/// The error of reading a file with this header.
fn header(text: &str) -> Error {
    Header::parse(&file_with_header(1, text.as_bytes(), b"")).unwrap_err()
}

/// The error of reading an empty array of this dtype.
fn read_as<T: NpyElement>(descr: &str) -> Error {
    let header = Header::new(descr.parse().unwrap(), Order::C, &[0]).unwrap();
    npy_core::read::<T>(&header.to_bytes()[..]).map(|items| items.len()).unwrap_err()
}

/// The error of reading these bytes as the elements of an array.
fn values<T: NpyElement>(descr: &str, count: usize, data: &[u8]) -> Error {
    let header = Header::new(descr.parse().unwrap(), Order::C, &[count]).unwrap();
    npy_core::read::<T>(&[&header.to_bytes(), data].concat()[..]).map(|items| items.len()).unwrap_err()
}

fn dtype(text: &str) -> Error {
    text.parse::<DType>().unwrap_err()
}

#[test]
fn files_that_are_none() {
    let read = |bytes: &[u8]| npy_core::read::<f64>(bytes).unwrap_err();
    insta::assert_snapshot!(read(b""), @"not an .npy file: the input is empty");
    insta::assert_snapshot!(read(b"\x93NUM"), @r#"not an .npy file: it starts with "\x93NUM", and an .npy file starts with "\x93NUMPY""#);
    insta::assert_snapshot!(read(b"PK\x03\x04\x14\0\0\0"), @r#"not an .npy file: it starts with "PK\x03\x04\x14\x00\x00\x00", which is a zip archive (.npz)"#);
    insta::assert_snapshot!(read(b"\x80\x04\x95\0\0\0\0\0"), @r#"not an .npy file: it starts with "\x80\x04\x95\x00\x00\x00\x00\x00", which is a Python pickle"#);
    insta::assert_snapshot!(read(b"\x1f\x8b\x08\0\0\0\0\0"), @r#"not an .npy file: it starts with "\x1f\x8b\x08\x00\x00\x00\x00\x00", which is gzip: decompress it first"#);
    insta::assert_snapshot!(read(b"\x89HDF\r\n\x1a\n"), @r#"not an .npy file: it starts with "\x89HDF\r\n\x1a\n", which is HDF5"#);
    insta::assert_snapshot!(read("\u{fffd}NUMPY\u{1}".as_bytes()), @r#"not an .npy file: it starts with "\xef\xbf\xbdNUMPY", which is an .npy file that was damaged by a conversion of text"#);
    insta::assert_snapshot!(read(b"x,y\n1,2\n"), @r#"not an .npy file: it starts with "x,y\n1,2\n", and an .npy file starts with "\x93NUMPY""#);
    insta::assert_snapshot!(read(b"\x93NUMPY\x04\0"), @"format version 4.0 is unknown: this library and NumPy read 1.0, 2.0 and 3.0");
    insta::assert_snapshot!(read(b"\x93NUMPY\x01\x01v\0"), @"format version 1.1 is unknown: this library and NumPy read 1.0, 2.0 and 3.0");
    insta::assert_snapshot!(npy_core::load::<f64>("no/such.npy").unwrap_err(), @"no/such.npy: cannot open the file: No such file or directory (os error 2)");
    insta::assert_snapshot!(npy_core::load::<f64>(env!("CARGO_MANIFEST_DIR")).unwrap_err().to_string().split_once(": ").unwrap().1, @"cannot read the header: Is a directory (os error 21)");
}

#[test]
fn files_that_end_early() {
    let mut file = Vec::new();
    npy_core::write(&mut file, &[1.0_f64, 2.0, 3.0]).unwrap();
    let read = |length: usize| npy_core::read::<f64>(&file[..length]).unwrap_err();
    insta::assert_snapshot!(read(7), @"the file ends early: the magic string needs 8 bytes at offset 0, and 7 are there");
    insta::assert_snapshot!(read(9), @"the file ends early: the header's length needs 2 bytes at offset 8, and 1 are there");
    insta::assert_snapshot!(read(60), @"the file ends early: the header needs 118 bytes at offset 10, and 50 are there");
    insta::assert_snapshot!(read(150), @"the file ends early: the array needs 24 bytes at offset 128, and 22 are there");
    insta::assert_snapshot!(npy_core::view::<f64>(&file[..150]).unwrap_err(), @"the file ends early: the array needs 24 bytes at offset 128, and 22 are there");
}

#[test]
fn headers_that_are_no_header() {
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), "), @"the header is no Python literal: the text ends where a value should be at byte 66 of the file");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': false, 'shape': (3,), }"), @"the header is no Python literal: the name false stands where a value should be at byte 44 of the file");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\0\0"), @"the header is no Python literal: the byte 0x00 stands where the end should be at byte 67 of the file");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (np.int64(3),), }"), @"the header is no Python literal: a NumPy scalar such as np.int64(3) stands where a plain number should be, which NumPy 2 wrote by mistake and cannot read either at byte 61 of the file");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (03,), }"), @"the header is no Python literal: an integer begins with 0 at byte 61 of the file");
    insta::assert_snapshot!(header("{'descr': '<f8\n', 'fortran_order': False}"), @"the header is no Python literal: a string has no end on its line at byte 24 of the file");
    insta::assert_snapshot!(header("['descr', '<f8']"), @"the header is ['descr', '<f8'] at byte 10 of the file, where a dictionary is needed");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False}"), @"the header needs exactly the keys 'descr', 'fortran_order' and 'shape': shape missing");
    insta::assert_snapshot!(header("{'descr': '<f8', 'descr': '<f8', 'order': 'C', 3: 4}"), @"the header needs exactly the keys 'descr', 'fortran_order' and 'shape': fortran_order, shape missing; descr there twice; order, 3 unknown");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': 1, 'shape': (3,)}"), @"fortran_order is 1 at byte 44 of the file, where True or False is needed");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': [3]}"), @"shape is [3] at byte 60 of the file, where a tuple of integers from 0 to 9223372036854775807 is needed");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"), @"shape is (-1,) at byte 60 of the file, where a tuple of integers from 0 to 9223372036854775807 is needed");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (True,)}"), @"shape is (True,) at byte 60 of the file, where a tuple of integers from 0 to 9223372036854775807 is needed");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904, 4)}"), @"shape [0, 4611686018427387904, 4] with 8 bytes an element is larger than any array can be");
    insta::assert_snapshot!(header("{'descr': 5, 'fortran_order': False, 'shape': (3,)}"), @"5 is no dtype: a dtype is a string, a list of fields, or a tuple of a dtype and a shape (at byte 20)");
    insta::assert_snapshot!(header("{'descr': '<f9', 'fortran_order': False, 'shape': (3,)}"), @r#""<f9" is no dtype: NumPy knows no such dtype (at byte 20)"#);
    insta::assert_snapshot!(Header::parse(&file_with_header(3, b"{'descr': [('\xe9', '<f8')]}", b"")).unwrap_err(), @"the header is no Python literal: invalid UTF-8 at byte 25 of the file");
    insta::assert_snapshot!(Header::parse(&file_with_header(2, &[b'['; 3000], b"")).unwrap_err(), @"brackets nest deeper than 200 in the header; Python's own limit is 200");
    let dimensions = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({})}}", "1, ".repeat(65));
    insta::assert_snapshot!(header(&dimensions), @"65 dimensions are more than NumPy's limit of 64");
}

#[test]
fn texts_that_are_no_dtype() {
    insta::assert_snapshot!(dtype("float65"), @r#""float65" is no dtype: NumPy knows no such dtype"#);
    insta::assert_snapshot!(dtype("<M8[min]"), @r#""<M8[min]" is no dtype: NumPy knows no such unit of time"#);
    insta::assert_snapshot!(dtype("<M8[s/0]"), @r#""<M8[s/0]" is no dtype: NumPy knows no such unit of time"#);
    insta::assert_snapshot!(dtype("<M8[D/7]"), @r#""<M8[D/7]" is no dtype: no finer unit divides this one evenly"#);
    insta::assert_snapshot!(dtype("<U536870912"), @r#""<U536870912" is no dtype: a dtype has at most 2147483647 bytes"#);
    insta::assert_snapshot!(dtype("(2,x)f8"), @r#""(2,x)f8" is no dtype: the shape of a sub-array is no list of lengths"#);
    insta::assert_snapshot!(dtype("[('a', '<f8'), ('a', '<f4')]"), @r#""a" is no dtype: two fields share this name (at byte 0)"#);
    insta::assert_snapshot!(dtype("[(('a', 'b'), '<f8'), ('a', '<f4')]"), @r#""a" is no dtype: a title equals a name or another title (at byte 0)"#);
    insta::assert_snapshot!(dtype("[('a', '<f8', -1)]"), @"-1 is no dtype: the shape of a sub-array is a tuple of lengths from 0 to 2147483647 (at byte 14)");
    insta::assert_snapshot!(dtype("[('a', '<f8', (65536, 65536))]"), @r#""('<f8', (65536, 65536))" is no dtype: a dtype has at most 2147483647 bytes (at byte 14)"#);
    insta::assert_snapshot!(dtype("[('a',)]"), @"('a',) is no dtype: a field is a tuple of a name, a dtype and maybe a shape (at byte 1)");
    insta::assert_snapshot!(dtype("[(5, '<f8')]"), @"5 is no dtype: the name of a field is a string (at byte 2)");
    insta::assert_snapshot!(dtype("[(('t', 'n', 'x'), '<f8')]"), @"('t', 'n', 'x') is no dtype: the name of a field is a string, or a tuple of a title and a name (at byte 2)");
    insta::assert_snapshot!(dtype("['a', '<f8']"), @"'a' is no dtype: a field is a tuple of a name, a dtype and maybe a shape (at byte 1)");
    insta::assert_snapshot!(dtype("('<f8',)"), @"('<f8',) is no dtype: a sub-array is a tuple of a dtype and a shape (at byte 0)");
    insta::assert_snapshot!(dtype("[('a', '<f8'"), @"the header is no Python literal: the text ends where ',' or ')' should be at byte 12 of the file");
}

#[test]
fn dtypes_that_cannot_be_built() {
    let fields = |a, b| vec![Field::new("a", a, f64::dtype()), Field::new("b", b, f64::dtype())];
    insta::assert_snapshot!(Record::new(fields(8, 0), 16).unwrap_err(), @r#""b" is no dtype: the field overlaps the one before it or comes out of order; NumPy cannot store that"#);
    insta::assert_snapshot!(Record::new(fields(0, 4), 16).unwrap_err(), @r#""b" is no dtype: the field overlaps the one before it or comes out of order; NumPy cannot store that"#);
    insta::assert_snapshot!(Record::new(fields(0, 8), 12).unwrap_err(), @r#""a record of 12 bytes" is no dtype: its fields end at byte 16"#);
    insta::assert_snapshot!(Record::packed([("a", u8::dtype()), ("a", u8::dtype())]).unwrap_err(), @r#""a" is no dtype: two fields share this name"#);
    insta::assert_snapshot!(SubArray::new(f64::dtype(), vec![1 << 20, 1 << 20]).unwrap_err(), @r#""('<f8', (1048576, 1048576))" is no dtype: a dtype has at most 2147483647 bytes"#);
    insta::assert_snapshot!(SubArray::new(f64::dtype(), vec![]).unwrap_err(), @r#""('<f8', ())" is no dtype: a sub-array has at least one dimension"#);
    insta::assert_snapshot!(Header::new(<[[f64; 1 << 20]; 1 << 20]>::dtype(), Order::C, &[0]).unwrap_err(), @"the dtype cannot be stored: an element has 8796093022208 bytes, and NumPy allows at most 2147483647");
    insta::assert_snapshot!(Header::new(f64::dtype(), Order::C, &[usize::MAX, 2]).unwrap_err(), @"shape [18446744073709551615, 2] with 8 bytes an element is larger than any array can be");
    let named = Record::packed([("温度", f64::dtype())]).unwrap();
    insta::assert_snapshot!(Header::new(named.into(), Order::C, &[1]).unwrap().with_version(Version::V2).unwrap_err(), @"the dtype cannot be stored: format version 2.0 cannot hold its header; version 3.0 can");
}

#[test]
fn dtypes_that_do_not_fit_the_type() {
    insta::assert_snapshot!(read_as::<f64>("<f4"), @"the file does not fit f64: file has <f4, Rust type needs <f8 (`f32` reads it; `DynArray::cast` converts it, or in Python `.astype('<f8')`)");
    insta::assert_snapshot!(read_as::<f64>("[('x', '<f8')]"), @"the file does not fit f64: file has [('x', '<f8')], Rust type needs <f8 (a struct with `#[derive(NpyRecord)]` reads it)");
    insta::assert_snapshot!(read_as::<bool>("|u1"), @"the file does not fit bool: file has |u1, Rust type needs |b1 (`u8` reads it; `DynArray::cast` converts it, or in Python `.astype('|b1')`)");
    insta::assert_snapshot!(read_as::<[f32; 3]>("<f4"), @"the file does not fit [f32; 3]: file has <f4, Rust type needs ('<f4', (3,)) (`f32` reads it)");
    insta::assert_snapshot!(read_as::<String>("<f4"), @"the file does not fit String: file has <f4, Rust type needs text (|S or <U of any width)");
    insta::assert_snapshot!(read_as::<Void>("<f4"), @"the file does not fit Void: file has <f4, Rust type needs |V of any length");
    insta::assert_snapshot!(read_as::<FixedBytes<4>>("|S5"), @"the file does not fit FixedBytes<4>: file has |S5, Rust type needs |S4 (`String` reads text of every width and kind)");
    insta::assert_snapshot!(read_as::<FixedUnicode<4>>("|S4"), @"the file does not fit FixedUnicode<4>: file has |S4, Rust type needs <U4 (`String` reads text of every width and kind)");
    insta::assert_snapshot!(read_as::<npy_core::Datetime64<npy_core::unit::Second>>("<M8[ms]"), @"the file does not fit Datetime64<Second>: file has <M8[ms], Rust type needs <M8[s] (`Datetime64<unit::Millisecond>` reads it; in Python, `.astype('<M8[s]')` converts it)");
    insta::assert_snapshot!(read_as::<String>("|O"), @"the array holds Python objects (dtype 'O'), which are stored as a pickle, and this call reads no pickles: with the feature `object`, `npy_core::object::load` and a `DynArray` with `allow_objects(true)` do; or in Python, save it with a plain dtype: `array.astype('U')` for text, `array.astype(float)` for numbers");
    insta::assert_snapshot!(npy_core::view::<f64>(&Header::new(">f8".parse().unwrap(), Order::C, &[0]).unwrap().to_bytes()).unwrap_err(), @"an array of >f8 cannot be viewed in place as f64, whose layout in memory is <f8; read a copy");
}

#[derive(NpyRecord)]
struct Event {
    id: u32,
    origin: Origin,
    picks: [Pick; 2],
}

#[derive(NpyRecord)]
struct Origin {
    depth: f64,
    name: String,
}

#[derive(NpyRecord)]
struct Pick {
    time: [f32; 2],
    phase: String,
}

#[test]
fn records_that_do_not_fit() {
    insta::assert_snapshot!(read_as::<Event>("<f4"), @"the file does not fit Event: file has <f4, Rust type needs [('id', '<u4'), ('origin', [('depth', '<f8'), ('name', '<U')]), ('picks', [('time', '<f4', (2,)), ('phase', '<U')], (2,))] (`f32` reads it)");
    insta::assert_snapshot!(read_as::<Event>("[('id', '<u4'), ('origin', [('depth', '<f4'), ('name', '<U5')]), ('picks', [('time', '<f4', (2,)), ('phase', '|S2')], (2,))]"), @"the file does not fit Event: origin.depth: file has <f4, struct needs <f8 (`f32` or `#[npy(widen)]` reads it)");
    insta::assert_snapshot!(read_as::<Event>("[('id', '<i4'), ('origin', '<f8'), ('picks', [('time', '<f8', (2,)), ('Phase', '|S2')], (2,))]"), @r#"
    the file does not fit Event in 4 places
      id: file has <i4, struct needs <u4 (`i32` reads it)
      origin: file has <f8, struct needs [('depth', '<f8'), ('name', '<U')] (`f64` reads it)
      picks[].time[]: file has <f8, struct needs <f4 (`f64` reads it)
      picks[].phase: file has no such field, struct needs <U (the file has time, Phase; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` does without)
    "#);
    insta::assert_snapshot!(read_as::<Event>("[]"), @r#"
    the file does not fit Event in 3 places
      id: file has no such field, struct needs <u4 (the file's record has no fields; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` does without)
      origin: file has no such field, struct needs [('depth', '<f8'), ('name', '<U')] (the file's record has no fields; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` does without)
      picks: file has no such field, struct needs ([('time', '<f4', (2,)), ('phase', '<U')], (2,)) (the file's record has no fields; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` does without)
    "#);
    let many: Vec<String> = (0..40).map(|i| format!("('field{i}', '<f8')")).collect();
    insta::assert_snapshot!(read_as::<Pick>(&format!("[('time', '<f4', (2,)), {}]", many.join(", "))), @r#"the file does not fit Pick: phase: file has no such field, struct needs <U (the file has time, field0, field1, field2, field3, field4, field5, field6, field7, field8, field9, field10 and 29 more; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` does without)"#);
}

#[test]
fn values_that_are_none() {
    insta::assert_snapshot!(values::<String>("<U2", 2, b"a\0\0\0b\0\0\0c\0\0\0\0\xd8\0\0"), @"element 1: unit 1 of the text is 0xd800, which is no character");
    insta::assert_snapshot!(values::<String>("|S2", 2, b"ab\xe9b"), @"element 1: the bytes are not UTF-8 from byte 0 on; read them as `FixedBytes`");
    let record = "[('id', '|u1'), ('origin', [('names', '<U1', (2,))])]";
    #[derive(NpyRecord)]
    struct Named {
        origin: Names,
    }
    #[derive(NpyRecord)]
    struct Names {
        names: [String; 2],
    }
    insta::assert_snapshot!(values::<Named>(record, 2, b"\x01a\0\0\0b\0\0\0\x02c\0\0\0\xff\xff\xff\xff"), @"element 1, origin.names[1]: unit 0 of the text is 0xffffffff, which is no character");

    let header = Header::new("[('text', '<U3'), ('raw', '|V2')]".parse().unwrap(), Order::C, &[2]).unwrap();
    #[derive(NpyRecord)]
    struct Both {
        text: String,
        raw: Void,
    }
    let write = |text: &str, raw: &[u8]| {
        let mut writer = NpyWriter::with_header(Vec::new(), &header).unwrap();
        writer.push(&Both { text: "abc".to_owned(), raw: Void(vec![1, 2]) }).unwrap();
        writer.push(&Both { text: text.to_owned(), raw: Void(raw.to_vec()) }).unwrap_err()
    };
    insta::assert_snapshot!(write("abcd", b"12"), @"element 1, text: a text of length 4 does not fit <U3");
    insta::assert_snapshot!(write("abc", b"1"), @"element 1, raw: 1 raw bytes do not fit |V2");
    insta::assert_snapshot!(FixedBytes::<2>::new(b"abc").unwrap_err(), @"a text of length 3 does not fit |S2");
    insta::assert_snapshot!("Zoë!".parse::<FixedUnicode<3>>().unwrap_err(), @"a text of length 4 does not fit <U3");
}

#[test]
fn arrays_of_another_shape() {
    let file = Header::new(f64::dtype(), Order::C, &[0, 3]).unwrap().to_bytes();
    insta::assert_snapshot!(npy_core::read::<f64>(&file[..]).unwrap_err(), @"the array has 2 dimensions (shape [0, 3]), where 1 is needed");
    insta::assert_snapshot!(npy_core::read::<f64>(&Header::new(f64::dtype(), Order::C, &[]).unwrap().to_bytes()[..]).unwrap_err(), @"the array has 0 dimensions (shape []), where 1 is needed");
    let array = <ndarray::Array3<f64> as npy_ndarray::ReadNpyExt>::read_npy(&file[..]);
    insta::assert_snapshot!(array.unwrap_err(), @"the array has 2 dimensions (shape [0, 3]), where 3 are needed");
    let mut reader = NpyReader::new(&file[..]).unwrap();
    insta::assert_snapshot!(reader.read_into(&mut [0.0_f64; 2]).unwrap_err(), @"2 elements were expected, and there are 0");

    let writer = NpyWriter::<u8, _>::with_len(Vec::new(), 3).unwrap();
    insta::assert_snapshot!(writer.finish().unwrap_err(), @"3 elements were expected, and there are 0");
    let mut writer = NpyWriter::with_len(Vec::new(), 1).unwrap();
    insta::assert_snapshot!(writer.write_slice(&[1_u8, 2]).unwrap_err(), @"1 element was expected, and there are 2");
    insta::assert_snapshot!(writer.extend(&[1_u8, 2]).unwrap_err(), @"1 element was expected, and there are 2");
}

#[test]
fn bytes_that_cannot_be_viewed() {
    #[repr(align(64))]
    struct Aligned([u8; 192]);
    let mut memory = Aligned([0; 192]);
    npy_core::write(&mut memory.0[1..], &[1.0_f64]).unwrap();
    insta::assert_snapshot!(npy_core::view::<f64>(&memory.0[1..]).unwrap_err(), @"the data lie 1 past a multiple of 8 in memory, so they cannot be viewed in place: read a copy (of a member of an archive with `view_or_read`); in a map, files of NumPy 1.14 or later and members written with `set_aligned` lie right");
    let header = Header::new("|b1".parse().unwrap(), Order::C, &[3]).unwrap();
    insta::assert_snapshot!(npy_core::view::<bool>(&[&header.to_bytes()[..], &[0, 1, 2]].concat()).unwrap_err(), @"element 2: the byte 0x02 is no bool; read a copy, where every byte but 0 is true");
}

#[test]
fn more_than_the_limits_allow() {
    let mut file = Vec::new();
    npy_core::write(&mut file, &[1.0_f64; 100]).unwrap();
    let with = |limits| npy_core::read_with::<f64>(&file[..], limits).unwrap_err();
    insta::assert_snapshot!(with(Limits::new().header_bytes(100)), @"bytes of the header: 118 is more than the limit of 100; if the file can be trusted, raise it with `Limits`");
    insta::assert_snapshot!(with(Limits::new().nesting_depth(1)), @"brackets nest deeper than 1 in the header; Python's own limit is 200");
    insta::assert_snapshot!(with(Limits::new().data_bytes(799)), @"bytes of data: 800 is more than the limit of 799; if the file can be trusted, raise it with `Limits`");
    insta::assert_snapshot!(with(Limits::new().element_bytes(7)), @"bytes of an element: 8 is more than the limit of 7; if the file can be trusted, raise it with `Limits`");
    let record = Header::new("i4,f8,f8".parse().unwrap(), Order::C, &[1]).unwrap().to_bytes();
    insta::assert_snapshot!(Header::parse_with(&record, Limits::new().fields(2)).unwrap_err(), @"fields: 3 is more than the limit of 2; if the file can be trusted, raise it with `Limits`");
    let empty = Header::new("|S0".parse().unwrap(), Order::C, &[1000]).unwrap().to_bytes();
    insta::assert_snapshot!(Header::parse_with(&empty, Limits::new().empty_elements(999)).unwrap_err(), @"elements without bytes: 1000 is more than the limit of 999; if the file can be trusted, raise it with `Limits`");
    insta::assert_snapshot!(Header::parse(b"\x93NUMPY\x02\0\xff\xff\xff\xff{").unwrap_err(), @"bytes of the header: 4294967295 is more than the limit of 1048576; if the file can be trusted, raise it with `Limits`");
}

/// The way to what went wrong in a program: by `kind`, by the path, and by what a `main` prints that returns the error.
#[test]
fn errors_can_be_matched_and_shown() {
    let error = npy_core::load::<f64>("no/such.npy").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Io { error, .. } if error.kind() == std::io::ErrorKind::NotFound));
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(std::error::Error::source(&error).is_none(), "the cause is in the message already");
    fn thread_safe<T: Send + Sync + 'static>() {}
    thread_safe::<Error>();
    assert_eq!(size_of::<Error>(), size_of::<usize>());
}

/// Text of a header in latin-1 is shown and kept as what it says.
#[test]
fn latin_1_is_shown_as_text() {
    let file = support::file_with_header(1, b"{'descr': [('\xe9\\ud800', '<f4')], 'fortran_order': False, 'shape': (0,)}", b"");
    let (header, _) = Header::parse(&file).unwrap();
    assert_eq!(header.dtype().descr(), "[('é\\ud800', '<f4')]");
    let again = header.to_bytes();
    assert_eq!(Header::parse(&again).unwrap().0, header);
    assert!(again.windows(8).any(|window| window == b"'\xe9\\ud800"), "{}", again.escape_ascii());
    let file = support::file_with_header(1, b"{'descr': 'gr\xfc\xdfe', 'fortran_order': False, 'shape': (0,)}", b"");
    assert!(Header::parse(&file).unwrap_err().to_string().contains("grüße"));
    let file = support::file_with_header(1, b"{'descr': '<f4', 'fortran_order': 'gr\xfc\xdfe', 'shape': (0,)}", b"");
    assert!(Header::parse(&file).unwrap_err().to_string().contains("grüße"));
}
