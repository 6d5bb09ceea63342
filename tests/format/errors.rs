//! The messages of errors, as a person reads them.

use std::error::Error as StdError;
use std::io;

use npy_core::dtype::{Field, Record, SubArray};
use npy_core::types::{FixedBytes, FixedUnicode, Void};
use npy_core::{DType, Error, ErrorKind, Header, Limits, NpyElement, NpyReader, NpyRecord, NpyWriter, Order, Version};

use crate::support::{as_little_endian, file_with_header, native, written};

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
fn rejects_other_formats() {
    let read = |bytes: &[u8]| npy_core::read::<f64>(bytes).unwrap_err();
    insta::assert_snapshot!(read(b""), @"not an .npy file: the input is empty");
    insta::assert_snapshot!(read(b"PK\x03\x04\x14\0\0\0"), @r#"not an .npy file: expected "\x93NUMPY", found "PK\x03\x04\x14\x00\x00\x00", an .npz archive; open it with `NpzReader` (feature `npz`)"#);
    insta::assert_snapshot!(read(b"\x80\x04\x95\0\0\0\0\0"), @r#"not an .npy file: expected "\x93NUMPY", found "\x80\x04\x95\x00\x00\x00\x00\x00", a Python pickle; load it in Python, and save its arrays with np.save"#);
    insta::assert_snapshot!(read(b"\x1f\x8b\x08\0\0\0\0\0"), @r#"not an .npy file: expected "\x93NUMPY", found "\x1f\x8b\x08\x00\x00\x00\x00\x00", gzip data; decompress it first"#);
    insta::assert_snapshot!(read(b"\x89HDF\r\n\x1a\n"), @r#"not an .npy file: expected "\x93NUMPY", found "\x89HDF\r\n\x1a\n", an HDF5 file; read it with h5py or `h5dump`"#);
    insta::assert_snapshot!(read("\u{fffd}NUMPY\u{1}".as_bytes()), @r#"not an .npy file: expected "\x93NUMPY", found "\xef\xbf\xbdNUMPY", an .npy file damaged by a text conversion; copy it again in binary mode"#);
    insta::assert_snapshot!(read(b"x,y\n1,2\n"), @r#"not an .npy file: expected "\x93NUMPY", found "x,y\n1,2\n", comma-separated text; the command `npy convert` reads it"#);
    insta::assert_snapshot!(read(b"\x93NUMPY\x04\0"), @"unsupported format version 4.0: expected 1.0, 2.0 or 3.0");
    insta::assert_snapshot!(read(b"\x93NUMPY\x01\x01v\0"), @"unsupported format version 1.1: expected 1.0, 2.0 or 3.0");
    insta::assert_snapshot!(format!("{:#}", npy_core::load::<f64>("no/such.npy").unwrap_err()), @"no/such.npy: cannot open the file: No such file or directory (os error 2)");
    insta::assert_snapshot!(format!("{:#}", npy_core::load::<f64>(env!("CARGO_MANIFEST_DIR")).unwrap_err()).split_once(": ").unwrap().1, @"cannot read the header: Is a directory (os error 21)");
}

#[test]
fn rejects_truncated_files() {
    let file = written(&[1.0_f64, 2.0, 3.0]);
    let read = |length: usize| npy_core::read::<f64>(&file[..length]).unwrap_err();
    for length in 1..8 {
        let expected = format!("truncated file: the magic string needs 8 bytes at offset 0, found {length}");
        assert_eq!((read(length).kind(), read(length).to_string()), (ErrorKind::Truncated, expected));
    }
    assert_eq!((read(0).kind(), read(0).to_string()), (ErrorKind::WrongFormat, "not an .npy file: the input is empty".to_owned()));
    insta::assert_snapshot!(read(9), @"truncated file: the header length needs 2 bytes at offset 8, found 1");
    insta::assert_snapshot!(read(60), @"truncated file: the header needs 118 bytes at offset 10, found 50");
    insta::assert_snapshot!(read(150), @"truncated file: the array needs 24 bytes at offset 128, found 22");
    insta::assert_snapshot!(npy_core::view::<f64>(&file[..150]).unwrap_err(), @"truncated file: the array needs 24 bytes at offset 128, found 22");
}

#[test]
fn rejects_invalid_headers() {
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), "), @"invalid header at byte 66: expected a value, found end of text");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': false, 'shape': (3,), }"), @"invalid header at byte 44: expected a value, found the name false");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\0\0"), @"invalid header at byte 67: expected the end of the text, found the byte 0x00");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (np.int64(3),), }"), @"invalid header at byte 61: expected a plain number, found a NumPy scalar such as np.int64(3)");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (03,), }"), @"invalid header at byte 61: leading zero in an integer");
    insta::assert_snapshot!(header("{'descr': '<f8\n', 'fortran_order': False}"), @"invalid header at byte 24: unterminated string");
    insta::assert_snapshot!(header("['descr', '<f8']"), @"invalid header at byte 10: expected a dictionary, found ['descr', '<f8']");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False}"), @"invalid header: expected exactly the keys 'descr', 'fortran_order' and 'shape'; missing shape");
    insta::assert_snapshot!(header("{'descr': '<f8', 'descr': '<f8', 'order': 'C', 3: 4}"), @"invalid header: expected exactly the keys 'descr', 'fortran_order' and 'shape'; missing fortran_order, shape; duplicate descr; unknown order, 3");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': 1, 'shape': (3,)}"), @"invalid fortran_order at byte 44: expected True or False, found 1");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': [3]}"), @"invalid shape at byte 60: expected a tuple of integers from 0 to 9223372036854775807, found [3]");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"), @"invalid shape at byte 60: expected a tuple of integers from 0 to 9223372036854775807, found (-1,)");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (True,)}"), @"invalid shape at byte 60: expected a tuple of integers from 0 to 9223372036854775807, found (True,)");
    insta::assert_snapshot!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904, 4)}"), @"array too large: shape (0, 4611686018427387904, 4) with 8 bytes per element overflows the address space");
    insta::assert_snapshot!(header("{'descr': 5, 'fortran_order': False, 'shape': (3,)}"), @"invalid dtype 5 at byte 20: expected a string, a list of fields, or a tuple of a dtype and a shape");
    insta::assert_snapshot!(header("{'descr': '<f9', 'fortran_order': False, 'shape': (3,)}"), @r#"invalid dtype "<f9" at byte 20: unknown type code"#);
    insta::assert_snapshot!(Header::parse(&file_with_header(3, b"{'descr': [('\xe9', '<f8')]}", b"")).unwrap_err(), @"invalid header at byte 25: invalid UTF-8");
    insta::assert_snapshot!(Header::parse(&file_with_header(2, &[b'['; 3000], b"")).unwrap_err(), @"header nesting exceeds the limit of 200");
    let dimensions = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({})}}", "1, ".repeat(65));
    insta::assert_snapshot!(header(&dimensions), @"too many dimensions: expected at most 64, found 65");
}

#[test]
fn rejects_invalid_dtypes() {
    insta::assert_snapshot!(dtype("float65"), @r#"invalid dtype "float65": unknown type code"#);
    insta::assert_snapshot!(dtype("<M8[min]"), @r#"invalid dtype "<M8[min]": unknown time unit"#);
    insta::assert_snapshot!(dtype("<M8[s/0]"), @r#"invalid dtype "<M8[s/0]": unknown time unit"#);
    insta::assert_snapshot!(dtype("<M8[D/7]"), @r#"invalid dtype "<M8[D/7]": expected a divisor that divides a finer time unit evenly"#);
    insta::assert_snapshot!(dtype("<U536870912"), @r#"invalid dtype "<U536870912": expected an itemsize of at most 2147483647 bytes"#);
    insta::assert_snapshot!(dtype("(2,x)f8"), @r#"invalid dtype "(2,x)f8": expected a shape of lengths from 0 to 2147483647"#);
    insta::assert_snapshot!(dtype("[('a', '<f8'), ('a', '<f4')]"), @r#"invalid dtype "a" at byte 0: duplicate field name"#);
    insta::assert_snapshot!(dtype("[(('a', 'b'), '<f8'), ('a', '<f4')]"), @r#"invalid dtype "a" at byte 0: duplicate title"#);
    insta::assert_snapshot!(dtype("[('a', '<f8', -1)]"), @"invalid dtype -1 at byte 14: expected a shape of lengths from 0 to 2147483647");
    insta::assert_snapshot!(dtype("[('a', '<f8', (65536, 65536))]"), @r#"invalid dtype "('<f8', (65536, 65536))" at byte 14: expected an itemsize of at most 2147483647 bytes"#);
    insta::assert_snapshot!(dtype("[('a',)]"), @"invalid dtype ('a',) at byte 1: expected a tuple of a name, a dtype and an optional shape");
    insta::assert_snapshot!(dtype("[(5, '<f8')]"), @"invalid dtype 5 at byte 2: expected a string as the field name");
    insta::assert_snapshot!(dtype("[(('t', 'n', 'x'), '<f8')]"), @"invalid dtype ('t', 'n', 'x') at byte 2: expected a field name, or a tuple of a title and a name");
    insta::assert_snapshot!(dtype("['a', '<f8']"), @"invalid dtype 'a' at byte 1: expected a tuple of a name, a dtype and an optional shape");
    insta::assert_snapshot!(dtype("('<f8',)"), @"invalid dtype ('<f8',) at byte 0: expected a tuple of a dtype and a shape");
    insta::assert_snapshot!(dtype("[('a', '<f8'"), @r#"invalid dtype "[('a', '<f8'" at byte 12: expected ',' or ')', found end of text"#);
}

#[test]
fn rejects_malformed_dtype_strings() {
    insta::assert_snapshot!(dtype("[('x', '<f4'"), @r#"invalid dtype "[('x', '<f4'" at byte 12: expected ',' or ')', found end of text"#);
    insta::assert_snapshot!(dtype(&"[".repeat(201)), @r#"invalid dtype "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["…: nesting exceeds the limit of 200"#);
    insta::assert_snapshot!(dtype("[('x', np.int64(3))]"), @r#"invalid dtype "[('x', np.int64(3))]" at byte 7: expected a plain number, found a NumPy scalar such as np.int64(3)"#);
    insta::assert_snapshot!(dtype("('<f4', (3,)"), @r#"invalid dtype "('<f4', (3,)": expected a shape of lengths from 0 to 2147483647"#);
    insta::assert_snapshot!(dtype(&format!("[('x', '<f4'), {}", "('y', '<f8'), ".repeat(9))), @r#"invalid dtype "[('x', '<f4'), ('y', '<f8'), ('y', '<f8'), ('y', '<f8'), ('y"… at byte 141: expected a value, found end of text"#);
    insta::assert_snapshot!(dtype("dtype('<f8'"), @r#"invalid dtype "dtype('<f8'" at byte 11: expected ')', found end of text"#);
    insta::assert_snapshot!(dtype("dtype('<f8', align=1)"), @r#"invalid dtype "dtype('<f8', align=1)" at byte 19: expected True or False for 'align', found 1"#);
    insta::assert_snapshot!(dtype("dtype('<f8', copy=True)"), @r#"invalid dtype "dtype('<f8', copy=True)" at byte 13: expected ')', found 'c'"#);
    insta::assert_snapshot!(dtype("{'formats': ['<f8']}"), @"invalid dtype {'formats': ['<f8']} at byte 0: expected a dict with the keys 'names' and 'formats'");
    insta::assert_snapshot!(dtype("{'names': 'x', 'formats': ['<f8']}"), @"invalid dtype 'x' at byte 10: expected a list");
    insta::assert_snapshot!(dtype("{'names': ['x', 'y'], 'formats': ['<f8']}"), @"invalid dtype ['<f8'] at byte 33: expected 2 items, one for each name, found 1");
    insta::assert_snapshot!(dtype("{'names': ['x'], 'formats': ['<f8'], 'offsets': [-1]}"), @"invalid dtype 'x' at byte 49: expected an offset from 0 to 2147483647, found -1");
    insta::assert_snapshot!(dtype("{'names': ['x'], 'formats': ['<f8'], 'offsets': [4], 'aligned': True}"), @"invalid dtype 'x' at byte 49: expected an offset that is a multiple of 8, found 4");
    insta::assert_snapshot!(dtype("{'names': ['x'], 'formats': ['<f8'], 'itemsize': 7}"), @"invalid dtype 7 at byte 49: expected an itemsize of at least 8");
    insta::assert_snapshot!(dtype("{'names': ['x'], 'formats': ['<f8'], 'itemsize': 12, 'aligned': True}"), @"invalid dtype 12 at byte 49: expected an itemsize of at least 8, a multiple of 8");
    insta::assert_snapshot!(dtype("{'names': ['x'], 'formats': ['<f8'], 'itemsize': 8.0}"), @"invalid dtype 8.0 at byte 49: expected an integer for 'itemsize'");
    insta::assert_snapshot!(dtype("{'names': ['x'], 'formats': ['<f8'], 'aligned': 1}"), @"invalid dtype 1 at byte 48: expected True or False for 'aligned'");
    insta::assert_snapshot!(dtype("{'names': ['x', 'y'], 'formats': ['<f8', '<i4'], 'offsets': [8, 0]}"), @"invalid dtype 'y' at byte 64: expected an offset of at least 16, found 0; NumPy cannot save overlapping or out-of-order fields");
    insta::assert_snapshot!(dtype("{'names': ['x', 'y'], 'formats': ['<f8', '<i4'], 'offsets': [0, 4]}"), @"invalid dtype 'y' at byte 64: expected an offset of at least 8, found 4; NumPy cannot save overlapping or out-of-order fields");
    insta::assert_snapshot!(header("{'descr': {'names': ['x'], 'formats': ['<f8']}, 'fortran_order': False, 'shape': (3,)}"), @"invalid dtype {'names': ['x'], 'formats': ['<f8']} at byte 20: expected a string, a list or a tuple");
}

#[test]
fn dtypes_that_cannot_be_built() {
    let fields = |a, b| vec![Field::new("a", a, f64::dtype()), Field::new("b", b, f64::dtype())];
    insta::assert_snapshot!(Record::new(fields(8, 0), 16).unwrap_err(), @r#"invalid dtype "b": expected an offset of at least 16, found 0; NumPy cannot save overlapping or out-of-order fields"#);
    insta::assert_snapshot!(Record::new(fields(0, 4), 16).unwrap_err(), @r#"invalid dtype "b": expected an offset of at least 8, found 4; NumPy cannot save overlapping or out-of-order fields"#);
    insta::assert_snapshot!(Record::new(fields(0, 8), 12).unwrap_err(), @"invalid dtype 12: expected an itemsize of at least 16");
    insta::assert_snapshot!(Record::packed([("a", u8::dtype()), ("a", u8::dtype())]).unwrap_err(), @r#"invalid dtype "a": duplicate field name"#);
    insta::assert_snapshot!(as_little_endian(SubArray::new(f64::dtype(), vec![1 << 20, 1 << 20]).unwrap_err()), @r#"invalid dtype "('<f8', (1048576, 1048576))": expected an itemsize of at most 2147483647 bytes"#);
    insta::assert_snapshot!(as_little_endian(SubArray::new(f64::dtype(), vec![]).unwrap_err()), @r#"invalid dtype "('<f8', ())": expected 1 to 64 dimensions, found 0"#);
    insta::assert_snapshot!(Header::new(<[[f64; 1 << 20]; 1 << 20]>::dtype(), Order::C, &[0]).unwrap_err(), @"cannot store the dtype: expected an itemsize of at most 2147483647 bytes, found 8796093022208");
    insta::assert_snapshot!(Header::new(f64::dtype(), Order::C, &[usize::MAX, 2]).unwrap_err(), @"array too large: shape (18446744073709551615, 2) with 8 bytes per element overflows the address space");
    let named = Record::packed([("温度", f64::dtype())]).unwrap();
    insta::assert_snapshot!(Header::new(named.into(), Order::C, &[1]).unwrap().with_version(Version::V2).unwrap_err(), @"cannot store the dtype: format version 2.0 cannot encode the header; version 3.0 can");
}

#[test]
fn dtypes_that_do_not_fit_the_type() {
    insta::assert_snapshot!(as_little_endian(read_as::<f64>("<f4")), @"cannot read f64: expected dtype <f8, found <f4; `f32` reads it; `DynValues::cast` (feature `dynamic`) converts it, or in Python `.astype('<f8')`");
    insta::assert_snapshot!(as_little_endian(read_as::<f64>("[('x', '<f8')]")), @"cannot read f64: expected dtype <f8, found [('x', '<f8')]; a struct with `#[derive(NpyRecord)]` reads it");
    insta::assert_snapshot!(read_as::<bool>("|u1"), @"cannot read bool: expected dtype |b1, found |u1; `u8` reads it; `DynValues::cast` (feature `dynamic`) converts it, or in Python `.astype('|b1')`");
    insta::assert_snapshot!(read_as::<[f32; 3]>("<f4"), @"wrong shape for [f32; 3]: expected (n, 3), found (0,)");
    insta::assert_snapshot!(as_little_endian(read_as::<String>("<f4")), @"cannot read String: expected dtype |S or <U of any width, found <f4");
    insta::assert_snapshot!(read_as::<Void>("<f4"), @"cannot read Void: expected dtype |V of any length, found <f4");
    insta::assert_snapshot!(read_as::<FixedBytes<4>>("|S5"), @"cannot read FixedBytes<4>: expected dtype |S4, found |S5; `String` reads text of every width and kind");
    insta::assert_snapshot!(as_little_endian(read_as::<FixedUnicode<4>>("|S4")), @"cannot read FixedUnicode<4>: expected dtype <U4, found |S4; `String` reads text of every width and kind");
    insta::assert_snapshot!(as_little_endian(read_as::<npy_core::types::Datetime64<npy_core::types::unit::Second>>("<M8[ms]")), @"cannot read Datetime64<Second>: expected dtype <M8[s], found <M8[ms]; `Datetime64<unit::Millisecond>` reads it; in Python, `.astype('<M8[s]')` converts it");
    insta::assert_snapshot!(read_as::<String>("|O"), @"unsupported dtype 'O': the elements are pickled Python objects; read them with `npy_core::object::load`, or as a `DynArray` with `ReadOptions::objects` (feature `object`), or save a plain dtype, such as `array.astype('U')`");
    #[cfg(target_endian = "little")]
    insta::assert_snapshot!(npy_core::view::<f64>(&Header::new(">f8".parse().unwrap(), Order::C, &[0]).unwrap().to_bytes()).unwrap_err(), @"cannot view the array as f64: expected dtype <f8, found >f8; read a copy");
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
    insta::assert_snapshot!(as_little_endian(read_as::<Event>("<f4")), @"cannot read Event: expected dtype [('id', '<u4'), ('origin', [('depth', '<f8'), ('name', '<U')]), ('picks', [('time', '<f4', (2,)), ('phase', '<U')], (2,))], found <f4; `f32` reads it");
    insta::assert_snapshot!(as_little_endian(read_as::<Event>("[('id', '<u4'), ('origin', [('depth', '<f4'), ('name', '<U5')]), ('picks', [('time', '<f4', (2,)), ('phase', '|S2')], (2,))]")), @"cannot read Event: origin.depth: expected dtype <f8, found <f4; `f32` or `#[npy(widen)]` reads it");
    insta::assert_snapshot!(as_little_endian(read_as::<Event>("[('id', '<i4'), ('origin', '<f8'), ('picks', [('time', '<f8', (2,)), ('Phase', '|S2')], (2,))]")), @r#"
    cannot read Event: found 4 mismatches
      id: expected dtype <u4, found <i4; `i32` reads it
      origin: expected dtype [('depth', '<f8'), ('name', '<U')], found <f8; `f64` reads it
      picks[].time[]: expected dtype <f4, found <f8; `f64` reads it
      picks[].phase: expected a field of dtype <U, found time, Phase; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` makes it optional
    "#);
    insta::assert_snapshot!(as_little_endian(read_as::<Event>("[]")), @r#"
    cannot read Event: found 3 mismatches
      id: expected a field of dtype <u4, found no fields; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` makes it optional
      origin: expected a field of dtype [('depth', '<f8'), ('name', '<U')], found no fields; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` makes it optional
      picks: expected a field of dtype ([('time', '<f4', (2,)), ('phase', '<U')], (2,)), found no fields; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` makes it optional
    "#);
    let many: Vec<String> = (0..40).map(|i| format!("('field{i}', '<f8')")).collect();
    insta::assert_snapshot!(as_little_endian(read_as::<Pick>(&format!("[('time', '<f4', (2,)), {}]", many.join(", ")))), @r#"cannot read Pick: phase: expected a field of dtype <U, found time, field0, field1, field2, field3, field4, field5, field6, field7, field8, field9, field10 and 29 more; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` makes it optional"#);
}

#[test]
fn rejects_invalid_values() {
    insta::assert_snapshot!(values::<String>("<U2", 2, b"a\0\0\0b\0\0\0c\0\0\0\0\xd8\0\0"), @"element 1: invalid character 0xd800 at position 1 of the text");
    insta::assert_snapshot!(values::<String>("|S2", 2, b"ab\xe9b"), @"element 1: invalid UTF-8 at byte 0 of the text; read it as `FixedBytes`");
    let record = "[('id', '|u1'), ('origin', [('names', '<U1', (2,))])]";
    #[derive(NpyRecord)]
    struct Named {
        origin: Names,
    }
    #[derive(NpyRecord)]
    struct Names {
        names: [String; 2],
    }
    insta::assert_snapshot!(values::<Named>(record, 2, b"\x01a\0\0\0b\0\0\0\x02c\0\0\0\xff\xff\xff\xff"), @"element 1, origin.names[1]: invalid character 0xffffffff at position 0 of the text");

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
    insta::assert_snapshot!(write("abcd", b"12"), @r#"element 1, text: text too long for <U3: expected at most 3 characters, found 4; `#[npy(truncate)]` on a field with `dtype = "U3"` truncates it"#);
    // In the byte order of the file, not of the machine.
    let big = Header::new("[('text', '>U3')]".parse().unwrap(), Order::C, &[1]).unwrap();
    #[derive(NpyRecord)]
    struct Text<T> {
        text: T,
    }
    let mut writer = NpyWriter::with_header(Vec::new(), &big).unwrap();
    insta::assert_snapshot!(writer.push(&Text { text: "abcd".to_owned() }).unwrap_err(), @r#"element 0, text: text too long for >U3: expected at most 3 characters, found 4; `#[npy(truncate)]` on a field with `dtype = "U3"` truncates it"#);
    let mut writer = NpyWriter::with_header(Vec::new(), &big).unwrap();
    let text = FixedUnicode::<4>::new("abcd").unwrap();
    insta::assert_snapshot!(writer.push(&Text { text }).unwrap_err(), @r#"element 0, text: text too long for >U3: expected at most 3 characters, found 4; `#[npy(truncate)]` on a field with `dtype = "U3"` truncates it"#);
    let empty = Header::new("<U0".parse().unwrap(), Order::C, &[1]).unwrap();
    let mut writer = NpyWriter::with_header(Vec::new(), &empty).unwrap();
    insta::assert_snapshot!(writer.push(&"ab".to_owned()).unwrap_err(), @r#"element 0: text too long for <U0: expected at most 0 characters, found 2; set the width in the header, or with `#[npy(dtype = "U16")]` on the field"#);
    insta::assert_snapshot!(write("abc", b"1"), @"element 1, raw: wrong length for |V2: expected 2 bytes, found 1");
    insta::assert_snapshot!(FixedBytes::<2>::new(b"abc").unwrap_err(), @"text too long for |S2: expected at most 2 bytes, found 3");
    insta::assert_snapshot!(as_little_endian("Zoë!".parse::<FixedUnicode<3>>().unwrap_err()), @"text too long for <U3: expected at most 3 characters, found 4");
}

#[test]
fn arrays_of_another_shape() {
    let file = Header::new(f64::dtype(), Order::C, &[0, 3]).unwrap().to_bytes();
    insta::assert_snapshot!(npy_core::read::<f64>(&file[..]).unwrap_err(), @"wrong number of dimensions: expected 1, found 2 with shape (0, 3); `NpyReader::into_vec`, `DynValues` or `ndarray::ArrayD` takes any");
    insta::assert_snapshot!(npy_core::read::<f64>(&Header::new(f64::dtype(), Order::C, &[]).unwrap().to_bytes()[..]).unwrap_err(), @"wrong number of dimensions: expected 1, found 0 with shape (); `NpyReader::into_vec`, `DynValues` or `ndarray::ArrayD` takes any");
    let array = <ndarray::Array3<f64> as npy_ndarray::ReadNpyExt>::read_npy(&file[..]);
    insta::assert_snapshot!(array.unwrap_err(), @"wrong number of dimensions: expected 3, found 2 with shape (0, 3); `ArrayD` or `DynArray` takes any");
    let mut reader = NpyReader::new(&file[..]).unwrap();
    insta::assert_snapshot!(reader.read_into(&mut [0.0_f64; 2]).unwrap_err(), @"wrong number of elements: expected 2, found 0");

    let writer = NpyWriter::<u8, _>::with_len(Vec::new(), 3).unwrap();
    insta::assert_snapshot!(writer.finish().unwrap_err(), @"wrong number of elements: expected 3, found 0");
    let mut writer = NpyWriter::with_len(Vec::new(), 1).unwrap();
    insta::assert_snapshot!(writer.write_slice(&[1_u8, 2]).unwrap_err(), @"wrong number of elements: expected 1, found 2");
    insta::assert_snapshot!(writer.extend(&[1_u8, 2]).unwrap_err(), @"wrong number of elements: expected 1, found 2");
}

#[test]
fn elements_that_need_more_axes() {
    let read = |shape: &[usize]| {
        npy_core::read::<[f64; 3]>(&Header::new(f64::dtype(), Order::C, shape).unwrap().to_bytes()[..]).unwrap_err()
    };
    insta::assert_snapshot!(read(&[5]), @"wrong shape for [f64; 3]: expected (n, 3), found (5,)");
    insta::assert_snapshot!(read(&[]), @"wrong shape for [f64; 3]: expected (n, 3), found ()");
    insta::assert_snapshot!(read(&[2, 2, 3]), @"wrong shape for [f64; 3]: expected (n, 3), found (2, 2, 3)");
    let file = Header::new(f64::dtype(), Order::C, &[6]).unwrap().to_bytes();
    insta::assert_snapshot!(npy_core::read::<[[f64; 3]; 2]>(&file[..]).unwrap_err(), @"wrong shape for [[f64; 3]; 2]: expected (n, 2, 3), found (6,)");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    npy_core::save(&path, &[0.0_f64; 5]).unwrap();
    let appended = NpyWriter::<[f64; 3], _>::append(&path).map(drop).unwrap_err();
    let error = npy_core::load::<[f64; 3]>(&path).unwrap_err();
    assert_eq!(appended.to_string(), error.to_string());
    assert_eq!(error.path(), Some(&*path));
    assert!(error.kind() == ErrorKind::WrongShape && error.to_string().ends_with(": expected (n, 3), found (5,)"));
}

#[cfg(unix)]
#[test]
fn archives_that_cannot_be_seeked() {
    use npy_core::npz::NpzReader;
    let is_not_seekable = |error: &Error| error.to_string().contains("cannot seek in the archive:");
    let (reader, _writer) = io::pipe().unwrap();
    let path = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
    let error = NpzReader::open(&path).map(drop).unwrap_err();
    assert!(is_not_seekable(&error), "{error}");
    insta::assert_snapshot!(error.to_string().replace(&path, "pipe"), @"pipe: cannot seek in the archive: expected a file, found a pipe or another stream; `NpzStream` reads members in order");
    let file = std::fs::File::from(std::os::fd::OwnedFd::from(reader));
    assert!(is_not_seekable(&NpzReader::new(file).map(drop).unwrap_err()));
    insta::assert_snapshot!(NpzReader::new(io::Cursor::new(b"")).map(drop).unwrap_err(), @"not an .npz file: the input is empty");
    insta::assert_snapshot!(NpzReader::open("/dev/null").map(drop).unwrap_err(), @"/dev/null: not an .npz file: the input is empty");
}

#[test]
fn elements_that_do_not_fit_the_header() {
    let write = |descr: &str| {
        NpyWriter::<i32, _>::with_header(Vec::new(), &Header::new(descr.parse().unwrap(), Order::C, &[1]).unwrap())
            .map(drop)
            .unwrap_err()
    };
    insta::assert_snapshot!(as_little_endian(write("<f8")), @"cannot write i32: expected dtype <i4 in the header, found <f8; write elements of `f64`, or use a header with <i4");
    insta::assert_snapshot!(as_little_endian(write("[('x', '<f8')]")), @"cannot write i32: expected dtype <i4 in the header, found [('x', '<f8')]");
    let record = |descr: &str| {
        NpyWriter::<Pick, _>::with_header(Vec::new(), &Header::new(descr.parse().unwrap(), Order::C, &[1]).unwrap())
            .map(drop)
            .unwrap_err()
    };
    insta::assert_snapshot!(as_little_endian(record("[('time', '<f8', (2,)), ('phase', 'S2')]")), @"cannot write Pick: time[]: expected dtype <f4 in the header, found <f8; declare the field as `f64`, or use a header with <f4");
    insta::assert_snapshot!(as_little_endian(record("[('time', '<f4', (2,))]")), @r#"cannot write Pick: phase: expected a field of dtype <U in the header, found time; `#[npy(rename = "…")]` names another, `#[npy(skip)]` omits it"#);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    npy_core::save(&path, &[0.0_f64; 5]).unwrap();
    let error = NpyWriter::<i32, _>::append(&path).map(drop).unwrap_err();
    assert!(error.path() == Some(&*path) && error.to_string().ends_with(&write(&native("<f8")).to_string()), "{error}");
}

#[test]
fn texts_that_are_too_long_for_a_field() {
    #[derive(NpyRecord)]
    struct Station {
        #[npy(dtype = "S3")]
        code: String,
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("stations.npy");
    let stations = ["ABC", "LONG"].map(|code| Station { code: code.to_owned() });
    let error = npy_core::save(&path, &stations).unwrap_err();
    insta::assert_snapshot!(error.to_string().replace(&*path.to_string_lossy(), "stations.npy"), @r#"stations.npy: element 1, code: text too long for |S3: expected at most 3 bytes, found 4; `#[npy(truncate)]` on a field with `dtype = "S3"` truncates it"#);
    let mut writer = NpyWriter::<Station, _>::create(&path).unwrap();
    writer.push(&stations[0]).unwrap();
    let error = writer.push(&stations[1]).unwrap_err();
    insta::assert_snapshot!(error.to_string().replace(&*path.to_string_lossy(), "stations.npy"), @r#"stations.npy: element 1, code: text too long for |S3: expected at most 3 bytes, found 4; `#[npy(truncate)]` on a field with `dtype = "S3"` truncates it"#);
    assert_eq!(error.path(), Some(&*path));
    assert!(stations.iter().any(|station| station.code == "ABC"));
}

#[test]
fn arrays_that_end_in_the_middle_of_a_row() {
    let directory = tempfile::tempdir().unwrap();
    for (order, shape) in [(Order::C, [0, 2, 5]), (Order::Fortran, [2, 5, 0])] {
        let path = directory.path().join(format!("{order:?}.npy"));
        let header = Header::new(u16::dtype(), order, &shape).unwrap();
        let mut writer = NpyWriter::<u16, _>::create_like(&path, &header).unwrap();
        writer.write_slice(&[1; 30]).unwrap();
        writer.finish().unwrap();
        let mut writer = NpyWriter::<u16, _>::append(&path).unwrap();
        writer.write_slice(&[1; 14]).unwrap();
        let error = writer.finish().unwrap_err();
        assert_eq!(error.path(), Some(&*path));
        let message = error.to_string().replace(&*path.to_string_lossy(), "x.npy");
        match order {
            Order::C => {
                insta::assert_snapshot!(message, @"x.npy: incomplete row 4 of an array of shape (4, 2, 5): expected 10 elements, found 4")
            }
            Order::Fortran => {
                insta::assert_snapshot!(message, @"x.npy: incomplete column 4 of an array of shape (2, 5, 4): expected 10 elements, found 4")
            }
        }
        assert_eq!(error.kind(), ErrorKind::WrongShape);
    }
    let mut writer =
        NpyWriter::new_like(io::Cursor::new(Vec::new()), &Header::new(u16::dtype(), Order::C, &[0, 3]).unwrap()).unwrap();
    writer.push(&1_u16).unwrap();
    insta::assert_snapshot!(writer.finish().unwrap_err(), @"incomplete row 0 of an array of shape (0, 3): expected 3 elements, found 1");
}

/// `/dev/full` takes nothing.
#[cfg(target_os = "linux")]
#[test]
fn writers_name_their_file() {
    use npy_core::npz::NpzWriter;
    let names_path = |error: Error, path: &std::path::Path| {
        let is_expected = matches!(error.kind(), ErrorKind::Io | ErrorKind::BrokenStream | ErrorKind::Conflict);
        assert!(is_expected, "{error:?}");
        assert_eq!(error.path(), Some(path), "{error:?}");
        assert_eq!(format!("{error:#}").matches(&*path.to_string_lossy()).count(), 1, "{error:#}");
    };
    let full = std::path::Path::new("/dev/full");
    let add = |archive: &mut NpzWriter<std::fs::File>| archive.add_slice("x", &[0_u8; 1 << 20]);
    let mut archive = NpzWriter::create(full).unwrap();
    names_path(add(&mut archive).unwrap_err(), full);
    // A second time, because the first has failed.
    names_path(add(&mut archive).unwrap_err(), full);
    names_path(archive.finish().map(drop).unwrap_err(), full);
    names_path(NpzWriter::create(full).unwrap().finish().map(drop).unwrap_err(), full);

    // Removed while it grows, which each flush finds out.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    let begin = || {
        let mut writer = NpyWriter::<u8, _>::create(&path).unwrap();
        writer.push(&1).unwrap();
        std::fs::remove_file(&path).unwrap();
        writer
    };
    names_path(begin().finish().map(drop).unwrap_err(), &path);
    let mut writer = begin();
    names_path(writer.flush().unwrap_err(), &path);
    names_path(writer.push(&2).unwrap_err(), &path);
    names_path(writer.write_slice(&[2, 3]).unwrap_err(), &path);
    names_path(writer.extend(&[2, 3]).unwrap_err(), &path);
    names_path(writer.finish().map(drop).unwrap_err(), &path);
    assert_eq!(NpyWriter::<u8, _>::append(&path).map(drop).unwrap_err().path(), Some(&*path));
}

/// The version of a header that was read is that of the bytes that it becomes.
#[test]
fn header_version_is_that_of_its_bytes() {
    for version in [1, 2, 3] {
        for name in ["\\u6e29", "\\U0001f30a", "\\xe9", "e"] {
            let text = format!("{{'descr': [('{name}', '<f4')], 'fortran_order': False, 'shape': (0,), }}");
            let (header, _) = Header::parse(&file_with_header(version, text.as_bytes(), b"")).unwrap();
            let bytes = header.to_bytes();
            assert_eq!((header.version().major(), bytes[6]), (version, version));
            assert_eq!(Header::parse(&bytes).unwrap().0, header);
        }
    }
    // NumPy's padding does not fit into version 1.0.
    let name = "x".repeat(65_450);
    let text = format!("{{'descr': [('{name}', '<f4')], 'fortran_order': False, 'shape': (0,), }}");
    let (header, _) = Header::parse(&file_with_header(1, text.as_bytes(), b"")).unwrap();
    assert_eq!((header.version(), header.to_bytes()[6]), (Version::V2, 2));
}

#[test]
fn bytes_that_cannot_be_viewed() {
    #[repr(align(64))]
    struct Aligned([u8; 192]);
    let mut memory = Aligned([0; 192]);
    npy_core::write(&mut memory.0[1..], &[1.0_f64]).unwrap();
    insta::assert_snapshot!(npy_core::view::<f64>(&memory.0[1..]).unwrap_err(), @"misaligned data: expected an address that is a multiple of 8, found remainder 1; read a copy (`view_or_read` in an archive), or write the member with `WriteOptions::aligned`");
    let header = Header::new("|b1".parse().unwrap(), Order::C, &[3]).unwrap();
    insta::assert_snapshot!(npy_core::view::<bool>(&[&header.to_bytes()[..], &[0, 1, 2]].concat()).unwrap_err(), @"element 2: invalid bool 0x02: expected 0 or 1; read a copy, where every byte but 0 is true");
}

#[test]
fn rejects_claims_above_the_limits() {
    let file = written(&[1.0_f64; 100]);
    let with = |limits| npy_core::read_with::<f64>(&file[..], limits).unwrap_err();
    insta::assert_snapshot!(with(Limits::new().header_bytes(100)), @"limit exceeded: expected at most 100 bytes of the header, found 118; raise it with `Limits` if the file is trusted");
    insta::assert_snapshot!(with(Limits::new().nesting_depth(1)), @"header nesting exceeds the limit of 1");
    insta::assert_snapshot!(with(Limits::new().data_bytes(799)), @"limit exceeded: expected at most 799 bytes of data, found 800; raise it with `Limits` if the file is trusted");
    insta::assert_snapshot!(with(Limits::new().element_bytes(7)), @"limit exceeded: expected at most 7 bytes of an element, found 8; raise it with `Limits` if the file is trusted");
    let record = Header::new("i4,f8,f8".parse().unwrap(), Order::C, &[1]).unwrap().to_bytes();
    insta::assert_snapshot!(Header::parse_with(&record, Limits::new().fields(2)).unwrap_err(), @"limit exceeded: expected at most 2 fields, found 3; raise it with `Limits` if the file is trusted");
    let empty = Header::new("|S0".parse().unwrap(), Order::C, &[1000]).unwrap().to_bytes();
    insta::assert_snapshot!(Header::parse_with(&empty, Limits::new().empty_elements(999)).unwrap_err(), @"limit exceeded: expected at most 999 elements without bytes, found 1000; raise it with `Limits` if the file is trusted");
    insta::assert_snapshot!(Header::parse(b"\x93NUMPY\x02\0\xff\xff\xff\xff{").unwrap_err(), @"limit exceeded: expected at most 1048576 bytes of the header, found 4294967295; raise it with `Limits` if the file is trusted");
}

/// What a reporter prints that follows `source`, as `anyhow` and `eyre` do.
fn report(error: &dyn StdError) -> String {
    let source = error.source().map(|source| format!(" <- {}", report(source)));
    error.to_string() + &source.unwrap_or_default()
}

#[test]
fn errors_can_be_matched_and_shown() {
    let error = npy_core::load::<f64>("no/such.npy").unwrap_err();
    assert!(error.io_kind() == Some(io::ErrorKind::NotFound));
    // What a `main` that returns the error prints.
    assert_eq!(format!("{error:?}"), "no/such.npy: cannot open the file: No such file or directory (os error 2)");
    let shape = Header::new(f64::dtype(), Order::C, &[1; 65]).unwrap_err();
    assert_eq!(format!("{shape:?}"), shape.to_string());
    fn thread_safe<T: Send + Sync + 'static>() {}
    thread_safe::<Error>();
    assert_eq!(size_of::<Error>(), size_of::<usize>());
}

#[test]
fn reporters_print_each_message_of_a_chain_once() {
    let error = npy_core::load::<f64>("no/such.npy").unwrap_err();
    assert!(error.source().unwrap().downcast_ref::<io::Error>().is_some_and(|error| error.raw_os_error() == Some(2)));
    insta::assert_snapshot!(report(&error), @"no/such.npy: cannot open the file <- No such file or directory (os error 2)");
    insta::assert_snapshot!(report(&io::Error::from(error)), @"no/such.npy: cannot open the file <- No such file or directory (os error 2)");

    // An error of a stream that has a source itself.
    struct Broken;
    impl io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::new(io::ErrorKind::ConnectionReset, "7".parse::<u8>().and("x".parse::<u8>()).unwrap_err()))
        }
    }
    insta::assert_snapshot!(report(&npy_core::read::<u8>(Broken).unwrap_err()), @"cannot read the header <- invalid digit found in string");
    insta::assert_snapshot!(report(&dtype("float65")), @r#"invalid dtype "float65": unknown type code"#);
}

#[test]
fn io_errors_keep_their_kind_and_give_the_error_back() {
    let kind_of = |error: Error| {
        let (message, path) = (format!("{error:?}"), error.path().map(ToOwned::to_owned));
        let converted = io::Error::from(error);
        let kind = converted.kind();
        let back = Error::from(converted);
        assert_eq!((format!("{back:?}"), back.path().map(ToOwned::to_owned)), (message, path));
        kind
    };
    assert_eq!(kind_of(npy_core::load::<f64>("no/such.npy").unwrap_err()), io::ErrorKind::NotFound);
    assert_eq!(kind_of(header("{").with_path("x.npy")), io::ErrorKind::InvalidData);
    assert_eq!(kind_of(read_as::<f64>("<f4").with_member("x")), io::ErrorKind::InvalidData);
    assert_eq!(kind_of(values::<f64>("<f8", 2, b"12345678")), io::ErrorKind::UnexpectedEof);
    assert_eq!(kind_of(dtype("float65")), io::ErrorKind::InvalidInput);
    assert_eq!(kind_of(Error::out_of_memory(1)), io::ErrorKind::OutOfMemory);
    assert_eq!(kind_of(read_as::<String>("|O")), io::ErrorKind::Unsupported);
    let of_kind = |kind| kind_of(Error::new(kind, "what is wrong"));
    assert_eq!(of_kind(ErrorKind::Unsupported), io::ErrorKind::Unsupported);
    assert_eq!(of_kind(ErrorKind::InvalidInput), io::ErrorKind::InvalidInput);
    assert_eq!(of_kind(ErrorKind::Truncated), io::ErrorKind::UnexpectedEof);
    assert_eq!(of_kind(ErrorKind::InvalidArchive), io::ErrorKind::InvalidData);
    assert_eq!(of_kind(ErrorKind::NotFound), io::ErrorKind::NotFound);
    assert_eq!(kind_of(npy_core::read::<u8>(&b"\x93NUMPY\x04\0"[..]).unwrap_err()), io::ErrorKind::Unsupported);
    assert_eq!(kind_of(Error::new(ErrorKind::NotViewable, "compressed")), io::ErrorKind::InvalidInput);

    let refused = io::Error::from(Error::object_array());
    assert!(refused.downcast::<Error>().unwrap().kind() == ErrorKind::ObjectArray);
}

/// Text of a header in latin-1 is shown and kept as what it says.
#[test]
fn latin_1_is_shown_as_text() {
    let file =
        crate::support::file_with_header(1, b"{'descr': [('\xe9\\ud800', '<f4')], 'fortran_order': False, 'shape': (0,)}", b"");
    let (header, _) = Header::parse(&file).unwrap();
    assert_eq!(header.dtype().descr(), "[('é\\ud800', '<f4')]");
    let again = header.to_bytes();
    assert_eq!(Header::parse(&again).unwrap().0, header);
    assert!(again.windows(8).any(|window| window == b"'\xe9\\ud800"), "{}", again.escape_ascii());
    let file = crate::support::file_with_header(1, b"{'descr': 'gr\xfc\xdfe', 'fortran_order': False, 'shape': (0,)}", b"");
    assert!(Header::parse(&file).unwrap_err().to_string().contains("grüße"));
    let file = crate::support::file_with_header(1, b"{'descr': '<f4', 'fortran_order': 'gr\xfc\xdfe', 'shape': (0,)}", b"");
    assert!(Header::parse(&file).unwrap_err().to_string().contains("grüße"));
}
