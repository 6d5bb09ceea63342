//! Rust structs as records, by `#[derive(NpyRecord)]`.

use npy_core::half::f16;
use npy_core::num_complex::Complex;
use npy_core::types::unit::{Nanosecond, Second};
use npy_core::types::{Datetime64, FixedBytes, FixedUnicode, FixedVoid, LongDouble, Timedelta64, Void};
use npy_core::{DType, ErrorKind, Header, NpyElement, NpyReader, NpyRecord, NpyWriter, Order};

use crate::support::numpy::numpy;
use crate::support::{as_little_endian, native, written, zeros};

/// Every element type as a field.
#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Everything {
    flag: bool,
    small: i8,
    medium: i16,
    large: i32,
    huge: i64,
    byte: u8,
    word: u16,
    double_word: u32,
    quad_word: u64,
    half: f16,
    single: f32,
    double: f64,
    long_double: LongDouble,
    complex: Complex<f32>,
    double_complex: Complex<f64>,
    code: FixedBytes<3>,
    name: FixedUnicode<4>,
    text: String,
    raw: FixedVoid<2>,
    raw_of_any_width: Void,
    time: Datetime64<Nanosecond>,
    span: Timedelta64<Second, 25>,
    matrix: [[f32; 3]; 2],
    corners: [Corner; 2],
    nothing: [u16; 0],
}

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
struct Corner {
    x: f32,
    y: f64,
}

fn everything(i: u8) -> Everything {
    let f = f32::from(i);
    Everything {
        flag: i % 2 == 1,
        small: -1 - i as i8,
        medium: -300,
        large: -70_000,
        huge: i64::MIN + i64::from(i),
        byte: 200 + i,
        word: 40_000,
        double_word: 3_000_000_000,
        quad_word: u64::MAX - u64::from(i),
        half: f16::from_f32(0.5 + f),
        single: 1.5 + f,
        double: -2.5,
        long_double: LongDouble::from_f64(0.1),
        complex: Complex::new(1.0, f),
        double_complex: Complex::new(-1.0, 0.25),
        code: "abc".parse().unwrap(),
        name: "Zoë".parse().unwrap(),
        text: "x".repeat(usize::from(i) + 1),
        raw: FixedVoid([i, 255]),
        raw_of_any_width: Void(vec![i, 0, i]),
        time: Datetime64::new(1_700_000_000_000_000_000),
        span: Timedelta64::NAT,
        matrix: [[f, 2.0, 3.0], [4.0, 5.0, 6.0]],
        corners: [Corner { x: 1.0, y: 2.0 }, Corner { x: 3.0, y: f64::from(i) }],
        nothing: [],
    }
}

const EVERYTHING: &str = "[('flag', '|b1'), ('small', '|i1'), ('medium', '<i2'), ('large', '<i4'), ('huge', '<i8'), ('byte', '|u1'), \
    ('word', '<u2'), ('double_word', '<u4'), ('quad_word', '<u8'), ('half', '<f2'), ('single', '<f4'), ('double', '<f8'), \
    ('long_double', '<f16'), ('complex', '<c8'), ('double_complex', '<c16'), ('code', '|S3'), ('name', '<U4'), ('text', '<U3'), \
    ('raw', '|V2'), ('raw_of_any_width', '|V3'), ('time', '<M8[ns]'), ('span', '<m8[25s]'), ('matrix', '<f4', (2, 3)), \
    ('corners', [('x', '<f4'), ('y', '<f8')], (2,)), ('nothing', '<u2', (0,))]";

#[test]
fn record_of_every_type_round_trips() {
    let records: Vec<_> = (0..3).map(everything).collect();
    let file = written(&records);
    let (header, _) = Header::parse(&file).unwrap();
    assert_eq!(header.dtype().to_string(), native(EVERYTHING));
    assert_eq!(npy_core::read::<Everything>(&file[..]).unwrap(), records);
    assert_eq!(NpyReader::new(&file[..]).unwrap().records::<Everything>().collect::<Result<Vec<_>, _>>().unwrap(), records);
}

/// The same records in other layouts: what the file's dtype is makes no difference.
#[test]
fn the_layout_of_the_file_makes_no_difference() {
    // More than fit into one stage.
    let records: Vec<_> = (0..1500_u16).map(|i| Everything { text: "xyz".to_owned(), ..everything((i % 50) as u8) }).collect();
    let packed = written(&records);
    let (header, _) = Header::parse(&packed).unwrap();
    let descr = header.dtype().to_string();
    let padded = descr.replace("), ('", "), ('', '|V5'), ('").replace("[('x'", "[('', '|V3'), ('x'");
    let trailing = descr.replace("(0,))]", "(0,)), ('', '|V3')]");
    assert!(trailing.len() > descr.len());
    let swapped = if cfg!(target_endian = "big") { descr.replace('>', "<") } else { descr.replace('<', ">") };
    for layout in [trailing, swapped, padded.replace("('', '|V5'), ('', '|V5')", "('', '|V10')")] {
        let header = Header::new(layout.parse().unwrap(), Order::C, &[records.len()]).unwrap();
        assert_ne!(header.dtype().to_string(), descr);
        let mut file = Vec::new();
        let mut writer = NpyWriter::with_header(&mut file, &header).unwrap();
        writer.write_slice(&records).unwrap();
        writer.finish().unwrap();
        assert_eq!(npy_core::read::<Everything>(&file[..]).unwrap(), records, "{layout}");
    }
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Sample {
    id: u8,
    value: f64,
    count: i16,
    place: Corner,
    trace: [i32; 2],
}

/// NumPy opens what we write with the dtype and the values that it should have.
#[test]
fn numpy_reads_our_records() {
    let Some(numpy) = numpy("numpy_reads_our_records") else { return };
    let file = written(&(0..3).map(everything).collect::<Vec<_>>());
    let printed = numpy.prints(["records.py", "read"], &file);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], native(EVERYTHING));
    assert_eq!(lines[1], "True", "NumPy writes the same bytes");
    let (header, data_offset) = Header::parse(&file).unwrap();
    assert_eq!(lines[2], crate::support::dump::dump(&header, &file[data_offset..]));
}

#[test]
fn generic_records_have_minimal_bounds() {
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Series<T, const N: usize = 2, M = ()>
    where
        T: Copy,
    {
        first: T,
        rest: [T; N],
        #[npy(skip)]
        marker: std::marker::PhantomData<M>,
    }

    struct NoElement;

    assert_eq!(as_little_endian(Series::<f32, 3, NoElement>::dtype()), "[('first', '<f4'), ('rest', '<f4', (3,))]");
    let nested = Series::<Corner>::dtype();
    assert_eq!(as_little_endian(nested), "[('first', [('x', '<f4'), ('y', '<f8')]), ('rest', [('x', '<f4'), ('y', '<f8')], (2,))]");
    let mut file = Vec::new();
    let series = Series::<u8> { first: 1, rest: [2, 3], marker: std::marker::PhantomData };
    npy_core::write(&mut file, &[series]).unwrap();
    assert_eq!(npy_core::read::<Series<u8>>(&file[..]).unwrap()[0].rest, [2, 3]);
}

/// Fields named like the generated code's own variables, and like items of the prelude.
#[test]
fn names_do_not_collide() {
    #[derive(NpyRecord, Debug, PartialEq, Default)]
    #[allow(non_snake_case)]
    struct Plan {
        record: u8,
        plan: u8,
        planner: u8,
        order: u8,
        itemsize: u8,
        dtype: u8,
        Some: u8,
        #[npy(default)]
        Ok: u8,
        bytes: Option_,
    }

    #[derive(NpyRecord, Debug, PartialEq, Default, Clone, Copy)]
    #[allow(non_camel_case_types)]
    struct Option_ {
        r#match: u8,
    }

    let plan = Plan { record: 1, Ok: 2, bytes: Option_ { r#match: 3 }, ..Plan::default() };
    let file = written(std::slice::from_ref(&plan));
    assert_eq!(npy_core::read::<Plan>(&file[..]).unwrap(), [plan]);
}

#[test]
fn padding_is_written_as_zeros() {
    let dtype: DType = "[('', '|V3'), ('x', '<f4'), ('', '|V1'), ('y', '<f8'), ('', '|V7')]".parse().unwrap();
    let header = Header::new(dtype, Order::C, &[100_000]).unwrap();
    let mut file = Vec::new();
    let mut writer = NpyWriter::with_header(&mut file, &header).unwrap();
    let corner = Corner { x: f32::from_bits(u32::MAX), y: f64::from_bits(u64::MAX) };
    writer.write_slice(&vec![corner; 50_000]).unwrap();
    writer.extend(std::iter::repeat_n(&corner, 50_000)).unwrap();
    writer.finish().unwrap();
    let data = &file[header.to_bytes().len()..];
    assert_eq!(data.len(), 2_300_000);
    let expected = [&[0; 3][..], &[255; 4], &[0; 1], &[255; 8], &[0; 7]].concat();
    assert!(data.chunks_exact(23).all(|record| record == expected));
}

#[test]
fn every_mismatch_is_reported_at_once_with_its_path() {
    let file_dtype = "[('id', '<u4'), ('value', '<f4'), ('place', [('x', '>f4'), ('z', '<f8')]), ('trace', '<i4', (3,))]";
    let header = Header::new(file_dtype.parse().unwrap(), Order::C, &[2]).unwrap();
    let error = npy_core::read::<Sample>(&header.to_bytes()[..]).unwrap_err();
    insta::assert_snapshot!(as_little_endian(error), @r#"
    cannot read Sample: found 5 mismatches
      id: expected dtype |u1, found <u4; `u32` reads it
      value: expected dtype <f8, found <f4; `f32` or `#[npy(widen)]` reads it
      count: expected a field of dtype <i2, found id, value, place, trace; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` makes it optional
      place.y: expected a field of dtype <f8, found x, z; `#[npy(rename = "…")]` or `alias` names another, `#[npy(default)]` makes it optional
      trace: expected dtype ('<i4', (2,)), found ('<i4', (3,)); this axis has length 3, the Rust array 2
    "#);
}

/// Types that reach a field by an associated type, an alias, a macro, a default or `cfg`.
#[test]
fn types_of_every_origin_are_fields() {
    mod inner {
        #[derive(npy_core::NpyRecord)]
        pub(super) struct Private {
            pub(super) x: f64,
        }
    }
    trait Sensor {
        type Value;
    }
    struct Thermometer;
    impl Sensor for Thermometer {
        type Value = u8;
    }
    type Vector = [f32; 3];
    macro_rules! record {
        ($name:ident, $field:ident: $type:ty) => {
            #[derive(NpyRecord)]
            struct $name {
                $field: $type,
            }
        };
    }

    record!(Position, at: Vector);
    #[derive(NpyRecord)]
    struct Reading<S: Sensor, T = f32> {
        value: S::Value,
        several: [S::Value; 2],
        #[cfg(any())]
        never: NoSuchType,
        weight: T,
        nested: inner::Private,
    }

    let reading = Reading::<Thermometer> { value: 1, several: [2, 3], weight: 0.5, nested: inner::Private { x: 4.0 } };
    let file = written(&[reading]);
    let read = npy_core::read::<Reading<Thermometer>>(&file[..]).unwrap().remove(0);
    assert_eq!((read.value, read.several, read.weight, read.nested.x), (1, [2, 3], 0.5, 4.0));
    assert_eq!(as_little_endian(Position::dtype()), "[('at', '<f4', (3,))]");
    assert_eq!(Position { at: [1.0; 3] }.at, [1.0; 3]);
}

/// Without a unit there is nothing to count.
#[test]
fn times_without_a_unit_have_no_count() {
    use npy_core::types::unit::Generic;
    assert_eq!(Datetime64::<Generic, 7>::dtype(), Datetime64::<Generic>::dtype());
    let times = [Timedelta64::<Generic, 7>::new(3)];
    let file = written(&times);
    assert_eq!(npy_core::read::<Timedelta64<Generic, 7>>(&file[..]).unwrap(), times);
    assert_eq!(npy_core::read::<Timedelta64<Generic>>(&file[..]).unwrap()[0].steps(), Some(3));
}

/// A slice of arrays is an array of more dimensions, as NumPy has it.
#[test]
fn arrays_are_more_axes() {
    let points = [[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let file = written(&points);
    let (header, _) = Header::parse(&file).unwrap();
    assert_eq!((as_little_endian(header.dtype()).as_str(), header.shape()), ("<f4", [2, 3].as_slice()));
    assert_eq!(npy_core::read::<[f32; 3]>(&file[..]).unwrap(), points);
    assert_eq!(
        npy_core::read::<[[f32; 3]; 1]>(&file[..]).unwrap_err().to_string(),
        "wrong shape for [[f32; 3]; 1]: expected (n, 1, 3), found (2, 3)"
    );
    let mut writer = NpyWriter::with_len(Vec::new(), 2).unwrap();
    writer.push(&points[0]).unwrap();
    writer.write_slice(&points[1..]).unwrap();
    assert_eq!(writer.finish().unwrap(), file);
    if let Some(numpy) = numpy("arrays_are_more_axes") {
        let program = "import io, sys, numpy as np; print(np.load(io.BytesIO(sys.stdin.buffer.read())).tolist())";
        assert_eq!(String::from_utf8(numpy.run(["-c", program], &file)).unwrap().trim(), "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]");
    }

    // Records, text of any width, an array that has no elements, and a file in the other byte
    // order.
    let corners = [[Corner { x: 1.0, y: 2.0 }, Corner { x: 3.0, y: 4.0 }]; 3];
    let file = written(&corners);
    assert_eq!(Header::parse(&file).unwrap().0.shape(), [3, 2]);
    assert_eq!(npy_core::read::<[Corner; 2]>(&file[..]).unwrap(), corners);
    let names = [[["a".to_owned(), "bc".to_owned()]], [["def".to_owned(), String::new()]]];
    let file = written(&names);
    let (header, _) = Header::parse(&file).unwrap();
    assert_eq!((as_little_endian(header.dtype()).as_str(), header.shape()), ("<U3", [2, 1, 2].as_slice()));
    assert_eq!(npy_core::read::<[[String; 2]; 1]>(&file[..]).unwrap(), names);
    let mut file = Vec::new();
    npy_core::write::<[u8; 3]>(&mut file, &[]).unwrap();
    assert_eq!(Header::parse(&file).unwrap().0.shape(), [0, 3]);
    assert_eq!(npy_core::read::<[u8; 3]>(&file[..]).unwrap(), [[0; 3]; 0]);
    let header = Header::new(">u2".parse().unwrap(), Order::C, &[4, 5, 3]).unwrap();
    let mut writer = NpyWriter::with_header(Vec::new(), &header).unwrap();
    writer.write_slice(&[[1_u16, 2, 3]; 20]).unwrap();
    let file = writer.finish().unwrap();
    assert_eq!(npy_core::read::<[[u16; 3]; 5]>(&file[..]).unwrap(), [[[1, 2, 3]; 5]; 4]);

    // Another length, another type, and columns that lie together.
    let error = npy_core::read::<[[u16; 2]; 5]>(&file[..]).unwrap_err();
    assert!(error.to_string().contains("this axis has length 3, the Rust array 2"), "{error}");
    assert!(npy_core::read::<[[u32; 3]; 5]>(&file[..]).is_err());
    let file = zeros("<f4", Order::Fortran, &[2, 3]);
    let error = npy_core::read::<[f32; 3]>(&file[..]).unwrap_err();
    assert!(error.kind() == ErrorKind::WrongShape, "{error}");
    // Elements without bytes are not counted up to whatever a file claims.
    let none = Header::new("<f4".parse().unwrap(), Order::C, &[usize::MAX >> 4, 0]).unwrap();
    assert!(npy_core::read::<[f32; 0]>(&none.to_bytes()[..]).is_err());
}
