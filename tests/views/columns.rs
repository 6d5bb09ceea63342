//! Zero-copy views of one field of records, without a struct for the others.

use std::fs;

use npy_core::columns::{NpyColumn, view_column_with};
use npy_core::dtype::ByteOrder;
use npy_core::types::FixedBytes;
use npy_core::{ErrorKind, Header, Limits, NpyElement, NpyMap, NpyMapMut, NpyRecord, NpyView, NpyWriter, Order, view_column};

use crate::support::numpy::numpy;
use crate::support::{announce, file_with_header, scratch, written, zeros};

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(view)]
#[repr(C, packed)]
struct Origin {
    depth: f32,
    is_fixed: bool,
}

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(view)]
#[repr(u8)]
enum Phase {
    P = 1,
    S = 2,
}

#[derive(NpyRecord, Clone, Debug)]
struct Event {
    id: u8,
    t: f64,
    #[npy(rename = "a.b")]
    dotted: i16,
    origin: Origin,
    xyz: [f32; 3],
    #[npy(dtype = "U3")]
    name: String,
    flag: bool,
    phase: Phase,
    empty: [f64; 0],
    last: u32,
}

/// Where in the records their bools lie, and the enum.
const IS_FIXED: usize = 15;
const FLAG: usize = 40;
const PHASE: usize = 41;

fn event(i: u32) -> Event {
    Event {
        id: i as u8,
        t: f64::from(i) / 2.0,
        dotted: -(i as i16),
        origin: Origin { depth: i as f32, is_fixed: i.is_multiple_of(2) },
        xyz: [i as f32, 1.0, 2.0],
        name: "xyz".to_owned(),
        flag: i.is_multiple_of(3),
        phase: if i.is_multiple_of(2) { Phase::P } else { Phase::S },
        empty: [],
        last: u32::MAX - i,
    }
}

fn file_of(count: u32) -> Vec<u8> {
    let events: Vec<_> = (0..count).map(event).collect();
    let mut file = Vec::new();
    npy_core::write(&mut file, &events).unwrap();
    file
}

fn begin_and_itemsize(file: &[u8]) -> (usize, usize) {
    let (header, begin) = Header::parse(file).unwrap();
    (begin, header.dtype().itemsize())
}

fn values<T: NpyView + Copy>(file: &[u8], name: &str) -> Vec<T> {
    view_column::<T>(file, name).unwrap().iter().collect()
}

fn refused<T: NpyView + Copy>(file: &[u8], name: &str) -> npy_core::Error {
    view_column::<T>(file, name).map(|column| column.len()).unwrap_err()
}

/// The bytes of a field, wherever the file lies in memory.
#[test]
fn columns_equal_the_written_fields() {
    let file = file_of(1000);
    let all: Vec<_> = (0..1000).map(event).collect();
    for shift in 0..9 {
        let mut memory = vec![0; shift];
        memory.extend_from_slice(&file);
        let file = &memory[shift..];
        assert_eq!(values::<u8>(file, "id"), all.iter().map(|event| event.id).collect::<Vec<_>>());
        assert_eq!(values::<f64>(file, "t"), all.iter().map(|event| event.t).collect::<Vec<_>>());
        assert_eq!(values::<i16>(file, "a.b"), all.iter().map(|event| event.dotted).collect::<Vec<_>>());
        assert_eq!(values::<Origin>(file, "origin"), all.iter().map(|event| event.origin).collect::<Vec<_>>());
        assert_eq!(values::<f32>(file, "origin.depth"), all.iter().map(|event| event.origin.depth).collect::<Vec<_>>());
        assert_eq!(values::<[f32; 3]>(file, "xyz"), all.iter().map(|event| event.xyz).collect::<Vec<_>>());
        assert_eq!(values::<bool>(file, "flag"), all.iter().map(|event| event.flag).collect::<Vec<_>>());
        assert_eq!(values::<Phase>(file, "phase"), all.iter().map(|event| event.phase).collect::<Vec<_>>());
        assert_eq!(values::<[f64; 0]>(file, "empty"), vec![[]; 1000]);
        assert_eq!(values::<u32>(file, "last"), all.iter().map(|event| event.last).collect::<Vec<_>>());
    }
}

#[test]
fn maps_give_columns() {
    let path = scratch("events.npy");
    fs::write(&path, file_of(20_000)).unwrap();
    // SAFETY: nobody else knows the file.
    let map = unsafe { NpyMap::open(&path).unwrap() };
    assert_eq!(map.column::<f64>("t").unwrap().iter().sum::<f64>(), (0..20_000).map(|i| f64::from(i) / 2.0).sum::<f64>());
    assert_eq!(map.column::<f32>("origin.depth").unwrap().get(19_999), Some(19_999.0));
    assert_eq!(map.column::<f32>("t").map(|t| t.len()).unwrap_err().kind(), ErrorKind::Mismatch);
    drop(map);
    // SAFETY: nobody else knows the file.
    let mut map = unsafe { NpyMapMut::open(&path).unwrap() };
    map.bytes_mut()[1..9].copy_from_slice(&7.5_f64.to_ne_bytes());
    assert_eq!(map.column::<f64>("t").unwrap().iter().take(3).collect::<Vec<_>>(), [7.5, 0.5, 1.0]);
}

#[test]
fn every_way_to_go_through_a_column() {
    let file = file_of(10);
    let t: NpyColumn<'_, f64> = view_column(&file, "t").unwrap();
    let expected: Vec<_> = (0..10).map(|i| f64::from(i) / 2.0).collect();
    assert_eq!((t.len(), t.is_empty()), (10, false));
    assert_eq!((t.get(0), t.get(9), t.get(10), t.get(usize::MAX)), (Some(0.0), Some(4.5), None, None));
    let mut seen = Vec::new();
    for value in t {
        seen.push(value);
    }
    for (value, expected) in (&t).into_iter().zip(&expected) {
        assert_eq!(value, *expected);
    }
    assert_eq!(seen, expected);
    assert_eq!(t.iter().rev().collect::<Vec<_>>(), expected.iter().rev().copied().collect::<Vec<_>>());
    assert_eq!(
        t.iter().rfold(Vec::new(), |mut all, value| {
            all.push(value);
            all
        }),
        t.iter().rev().collect::<Vec<_>>()
    );
    assert_eq!((t.iter().count(), t.iter().last(), t.iter().max_by(f64::total_cmp)), (10, Some(4.5), Some(4.5)));
    assert_eq!(t.iter().step_by(4).collect::<Vec<_>>(), [0.0, 2.0, 4.0]);

    let mut values = t.iter();
    assert_eq!(
        (values.next(), values.nth(1), values.next_back(), values.nth_back(2)),
        (Some(0.0), Some(1.0), Some(4.5), Some(3.0))
    );
    let copy = values.clone();
    assert_eq!((values.len(), values.size_hint()), (3, (3, Some(3))));
    assert_eq!(values.sum::<f64>(), 1.5 + 2.0 + 2.5);
    let mut values = copy;
    assert_eq!((values.nth(3), values.next(), values.next_back(), values.len()), (None, None, None, 0));
    assert_eq!((values.nth(usize::MAX), values.nth_back(usize::MAX), values.next()), (None, None, None));
    assert_eq!(
        format!("{:?} {:?}", view_column::<u8>(&file_of(2), "id").unwrap(), t.iter().skip(9)),
        "[0, 1] Skip { iter: [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5], n: 9 }"
    );
    // It is as free as a reference to what it shows.
    let from_thread = std::thread::scope(|scope| scope.spawn(move || t.iter().sum::<f64>()).join().unwrap());
    assert_eq!(from_thread, 22.5);
}

#[test]
fn zero_records_and_one_record() {
    let none = file_of(0);
    assert_eq!(values::<f64>(&none, "t"), [0.0; 0]);
    let column = view_column::<bool>(&none, "flag").unwrap();
    assert_eq!((column.is_empty(), column.get(0), column.iter().next_back()), (true, None, None));
    let one = file_of(1);
    assert_eq!((values::<u32>(&one, "last"), values::<bool>(&one, "flag")), (vec![u32::MAX], vec![true]));
    // An array without axes is one record, and one with an axis of length 0 has none.
    let scalar = zeros("[('x', '<f4'), ('y', '<f8')]", Order::C, &[]);
    assert_eq!(values::<f64>(&scalar, "y"), [0.0]);
    assert_eq!(values::<f64>(&zeros("[('y', '<f8')]", Order::C, &[3, 0, 5]), "y"), [0.0; 0]);
}

#[test]
fn records_and_fields_without_bytes() {
    let file = zeros("[('e', '<f8', (0,)), ('none', '|b1', (0,))]", Order::C, &[5]);
    assert_eq!(values::<[f64; 0]>(&file, "e"), [[]; 5]);
    assert_eq!(values::<[bool; 0]>(&file, "none"), [[]; 5]);
    // However many there are.
    let file = zeros("[('none', '|b1', (0,)), ('text', '|S0')]", Order::C, &[1 << 60]);
    let limits = Limits::new().empty_elements(u64::MAX);
    assert!(refused::<[bool; 0]>(&file, "none").kind() == ErrorKind::LimitExceeded);
    let column = view_column_with::<[bool; 0]>(&file, "none", limits).unwrap();
    assert_eq!((column.len(), column.get((1 << 60) - 1), column.iter().nth(1 << 60)), (1 << 60, Some([]), None));
    assert_eq!(view_column_with::<FixedBytes<0>>(&file, "text", limits).unwrap().len(), 1 << 60);
    // Behind the last byte of the record.
    let file = zeros("[('x', '|u1'), ('e', '<f8', (0,))]", Order::C, &[3]);
    assert_eq!(values::<[f64; 0]>(&file, "e"), [[]; 3]);
}

#[test]
fn elements_come_in_the_order_of_the_file() {
    let mut file = zeros("[('i', '|u1'), ('', '|V2')]", Order::Fortran, &[2, 3]);
    let (begin, itemsize) = begin_and_itemsize(&file);
    for (i, record) in (0..).zip(file[begin..].chunks_mut(itemsize)) {
        record[0] = i;
    }
    assert_eq!(values::<u8>(&file, "i"), [0, 1, 2, 3, 4, 5]);
}

/// A whole name comes before one that is taken apart, as in `load_columns`.
#[test]
fn names_with_dots() {
    let mut file = zeros("[('a', [('b', '|u1')]), ('a.b', '|u1'), ('a.c', [('d.e', '|u1')])]", Order::C, &[1]);
    let (begin, _) = begin_and_itemsize(&file);
    file[begin..].copy_from_slice(&[1, 2, 3]);
    assert_eq!((values::<u8>(&file, "a.b"), values::<u8>(&file, "a.c.d.e")), (vec![2], vec![3]));
}

#[test]
fn only_the_fields_own_bytes_are_checked() {
    let good = file_of(10);
    let (begin, itemsize) = begin_and_itemsize(&good);
    let spoiled = |record: usize, offset: usize| {
        let mut file = good.clone();
        file[begin + record * itemsize + offset] = 2;
        file
    };
    let invalid = |error: npy_core::Error| {
        assert_eq!(error.kind(), ErrorKind::InvalidValue, "{error}");
        (error.element().unwrap(), error.field().unwrap().to_owned(), error.message().to_owned())
    };
    let not_a_bool = |byte: u8| format!("invalid bool {byte:#04x}: expected 0 or 1; read a copy, where every byte but 0 is true");
    let two = not_a_bool(2);
    for record in [0, 4, 9] {
        let file = spoiled(record, FLAG);
        assert_eq!(invalid(refused::<bool>(&file, "flag")), (record as u64, "flag".to_owned(), two.clone()));
        assert_eq!(values::<f64>(&file, "t")[9], 4.5);
        assert_eq!(values::<Origin>(&file, "origin").len(), 10);
    }
    let file = spoiled(7, IS_FIXED);
    assert_eq!(invalid(refused::<Origin>(&file, "origin")), (7, "origin.is_fixed".to_owned(), two.clone()));
    assert_eq!(invalid(refused::<bool>(&file, "origin.is_fixed")), (7, "origin.is_fixed".to_owned(), two.clone()));
    assert_eq!((values::<f32>(&file, "origin.depth")[7], values::<bool>(&file, "flag")[9]), (7.0, true));
    let mut file = good.clone();
    file[begin + 3 * itemsize + PHASE] = 3;
    let (index, path, problem) = invalid(refused::<Phase>(&file, "phase"));
    assert_eq!((index, path.as_str()), (3, "phase"));
    assert_eq!(problem, "unknown variant 3 of Phase: expected 1 (P), 2 (S)");
    assert_eq!(values::<bool>(&file, "flag").len(), 10);
    // In a sub-array.
    let mut file = zeros("[('x', '|u1'), ('flags', '|b1', (3,))]", Order::C, &[4]);
    let end = file.len() - 1;
    file[end] = 255;
    assert_eq!(invalid(refused::<[bool; 3]>(&file, "flags")), (3, "flags[2]".to_owned(), not_a_bool(255)));
}

#[test]
fn other_dtypes_are_refused() {
    let file = file_of(2);
    let message = |error: npy_core::Error| error.to_string();
    insta::assert_snapshot!(message(refused::<f64>(&file, "id")), @"cannot read f64: id: expected dtype <f8, found |u1; `u8` reads it");
    insta::assert_snapshot!(message(refused::<f64>(&file, "u")), @"cannot read f64: u: missing field: found id, t, a.b, origin, xyz, name, flag, phase, empty, last");
    insta::assert_snapshot!(message(refused::<f64>(&file, "t.x")), @"cannot read f64: t.x: expected t to be a record, found dtype <f8");
    insta::assert_snapshot!(message(refused::<f64>(&file, "origin.u")), @"cannot read f64: origin.u: missing field: found depth, is_fixed in origin");
    insta::assert_snapshot!(message(refused::<f64>(&file, "origin.depth")), @"cannot read f64: origin.depth: expected dtype <f8, found <f4; `f32` reads it");
    // Also of an empty array; and of one that has no fields, or Python objects.
    assert_eq!(refused::<f64>(&file_of(0), "id").kind(), ErrorKind::Mismatch);
    let numbers = written(&[1.0_f64]);
    insta::assert_snapshot!(message(refused::<f64>(&numbers, "t")), @"cannot read f64: t: expected a record, found elements of dtype <f8");
    let objects = file_with_header(1, b"{'descr': [('t', '<f8'), ('o', '|O')], 'fortran_order': False, 'shape': (1,), }", &[0; 64]);
    assert!(refused::<f64>(&objects, "t").kind() == ErrorKind::ObjectArray);
}

/// They could be read as a copy, and not in place.
#[test]
fn other_layouts_are_refused() {
    let file = file_of(3);
    let dtype = Header::parse(&file).unwrap().0.dtype().clone().with_byte_order(ByteOrder::Big);
    let mut writer = NpyWriter::with_header(Vec::new(), &Header::new(dtype, Order::C, &[3]).unwrap()).unwrap();
    writer.write_slice(&[event(0), event(1), event(2)]).unwrap();
    let big = writer.finish().unwrap();
    let error = refused::<f32>(&big, "origin.depth");
    assert_eq!(error.kind(), ErrorKind::NotViewable);
    insta::assert_snapshot!(error.to_string(), @"cannot view the field origin.depth as f32: expected dtype <f4, found >f4; read a copy with `load_columns`");
    assert_eq!(refused::<[f32; 3]>(&big, "xyz").kind(), ErrorKind::NotViewable);
    assert_eq!(refused::<Origin>(&big, "origin").kind(), ErrorKind::NotViewable);
    // A byte has no order.
    assert_eq!((values::<u8>(&big, "id"), values::<bool>(&big, "flag")), (vec![0, 1, 2], vec![true, false, false]));
    // A struct whose fields lie elsewhere, or that is smaller than the record.
    for origin in ["[('depth', '<f4'), ('', '|V1'), ('is_fixed', '|b1')]", "[('depth', '<f4'), ('is_fixed', '|b1'), ('', '|V3')]"] {
        let file = zeros(&format!("[('origin', {origin})]"), Order::C, &[2]);
        assert_eq!(refused::<Origin>(&file, "origin").kind(), ErrorKind::NotViewable);
        assert_eq!(values::<bool>(&file, "origin.is_fixed"), [false; 2]);
    }
}

/// Every length of a file that is cut short is an error, also where the field's own bytes are
/// there.
#[test]
fn cut_files_are_refused() {
    let file = file_of(3);
    let (begin, itemsize) = begin_and_itemsize(&file);
    for length in 0..file.len() {
        let cut = &file[..length];
        let error = refused::<u8>(cut, "id");
        if length >= begin {
            let (needed, found) = (3 * itemsize, length - begin);
            let message = format!("truncated file: the array needs {needed} bytes at offset {begin}, found {found}");
            assert_eq!(error.to_string(), message);
        }
        assert!(view_column::<[f64; 0]>(cut, "empty").is_err());
        assert!(view_column::<bool>(cut, "flag").is_err());
    }
    // More than the array is of no concern.
    let mut longer = file.clone();
    longer.push(255);
    assert_eq!(values::<u32>(&longer, "last"), [u32::MAX, u32::MAX - 1, u32::MAX - 2]);
}

#[test]
fn huge_shapes_are_refused() {
    let file = |descr: &str, shape: &str| {
        let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
        file_with_header(1, header.as_bytes(), &[0; 64])
    };
    let record = "[('x', '|u1'), ('t', '<f8')]";
    for shape in ["(1024819115206086200,)", "(8,)", "(1000000000, 1000000000)", "(1, 8)"] {
        let error = refused::<f64>(&file(record, shape), "t");
        assert!(error.kind() == ErrorKind::Truncated, "{shape}: {error}");
    }
    for shape in ["(9223372036854775807,)", "(4294967296, 4294967296)", "(0, 4294967296, 4294967296)"] {
        let error = refused::<f64>(&file(record, shape), "t");
        assert!(error.kind() == ErrorKind::TooLarge, "{shape}: {error}");
    }
    let limits = Limits::new().data_bytes(62);
    let error = view_column_with::<f64>(&file(record, "(7,)"), "t", limits).map(|t| t.len()).unwrap_err();
    assert!(error.kind() == ErrorKind::LimitExceeded, "{error}");
    assert_eq!(view_column_with::<f64>(&file(record, "(7,)"), "t", Limits::new().data_bytes(63)).unwrap().len(), 7);
}

/// `np.load(path, mmap_mode='r')[name]` in the order of the file.
#[test]
fn columns_equal_those_of_numpy_maps() {
    let Some(numpy) = numpy("columns_equal_those_of_numpy_maps") else { return };
    let directory = tempfile::tempdir().unwrap();
    let count: usize = numpy.prints(["records.py", "columns", directory.path().to_str().unwrap()], b"").parse().unwrap();
    assert_eq!(count, 28);
    for file in 0..count {
        let path = directory.path().join(format!("{file}.npy"));
        // SAFETY: nobody else knows the file.
        let map = unsafe { NpyMap::open(&path).unwrap() };
        let mut ours = Vec::new();
        append::<u8>(&map, "a", &mut ours);
        append::<f64>(&map, "t", &mut ours);
        append::<[[i16; 3]; 2]>(&map, "xyz", &mut ours);
        append::<bool>(&map, "flag", &mut ours);
        append::<FixedBytes<3>>(&map, "code", &mut ours);
        append::<npy_core::types::FixedUnicode<2>>(&map, "name", &mut ours);
        append::<npy_core::types::Datetime64<npy_core::types::unit::Microsecond>>(&map, "origin.time", &mut ours);
        append::<f32>(&map, "origin.depth", &mut ours);
        append::<bool>(&map, "origin.fixed", &mut ours);
        assert_eq!(ours, fs::read(directory.path().join(format!("{file}.bytes"))).unwrap(), "{:?}", map.header());
    }
    announce(&format!("{count} files of records in place as NumPy maps them"));
}

/// Appends the bytes of a column, as `tobytes` gives them.
fn append<T: NpyView + NpyElement + Copy>(map: &NpyMap, name: &str, bytes: &mut Vec<u8>) {
    let column: Vec<T> = map.column::<T>(name).unwrap().iter().collect();
    let file = written(&column);
    let (_, begin) = Header::parse(&file).unwrap();
    bytes.extend_from_slice(&file[begin..]);
}
