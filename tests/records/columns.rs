//! Reading some fields of records, each into its own vector.

use npy_core::region::AxisRange;
use npy_core::types::{Datetime64, FixedBytes, unit::Second};
use npy_core::{ErrorKind, Header, NpyReader, NpyRecord, NpyWriter, Order, load_columns};

use crate::support::{as_little_endian, scratch, written, zeros};

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Place {
    depth: f64,
    code: FixedBytes<2>,
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Event {
    id: u16,
    time: Datetime64<Second>,
    #[npy(rename = "a.b")]
    dotted: i8,
    place: Place,
    xyz: [f32; 3],
    #[npy(dtype = "U3")]
    name: String,
    flag: bool,
}

fn event(i: u32) -> Event {
    Event {
        id: i as u16,
        time: Datetime64::new(i64::from(i)),
        dotted: i as i8,
        place: Place { depth: f64::from(i) / 2.0, code: "ab".parse().unwrap() },
        xyz: [i as f32, 1.0, 2.0],
        name: "xyz"[..(i % 4) as usize].to_owned(),
        flag: i.is_multiple_of(3),
    }
}

/// More than are decoded at a time.
fn events() -> Vec<Event> {
    (0..20_000).map(event).collect()
}

fn file_of(events: &[Event]) -> Vec<u8> {
    let mut file = Vec::new();
    npy_core::write(&mut file, events).unwrap();
    file
}

#[test]
fn columns_equal_the_fields_of_the_structs() {
    let events = events();
    let file = file_of(&events);
    let big = Header::new(
        Header::parse(&file).unwrap().0.dtype().clone().with_byte_order(npy_core::dtype::ByteOrder::Big),
        Order::C,
        &[events.len()],
    );
    let mut writer = NpyWriter::with_header(Vec::new(), &big.unwrap()).unwrap();
    writer.write_slice(&events).unwrap();
    let big = writer.finish().unwrap();
    for file in [file, big] {
        let reader = NpyReader::new(&file[..]).unwrap();
        let (xyz, id, depth, name, dotted) =
            reader.into_columns::<([f32; 3], u16, f64, String, i8)>(["xyz", "id", "place.depth", "name", "a.b"]).unwrap();
        for (i, event) in events.iter().enumerate() {
            assert_eq!(
                (xyz[i], id[i], depth[i], &name[i], dotted[i]),
                (event.xyz, event.id, event.place.depth, &event.name, event.dotted)
            );
        }
        assert_eq!([xyz.len(), id.len(), depth.len(), name.len(), dotted.len()], [events.len(); 5]);
        // A record as a column, from bytes in memory, and after some were read.
        let mut reader = NpyReader::from_bytes(&file).unwrap();
        let mut first = vec![event(0); 7];
        reader.read_into(&mut first).unwrap();
        let (places,) = reader.into_columns::<(Place,)>(["place"]).unwrap();
        assert_eq!(places.len(), events.len() - 7);
        assert!(places.iter().zip(&events[7..]).all(|(place, event)| *place == event.place));
    }
}

#[test]
fn columns_come_in_parts() {
    let events = events();
    let file = file_of(&events);
    let path = scratch("events.npy");
    std::fs::write(&path, &file).unwrap();
    let whole = NpyReader::new(&file[..]).unwrap().into_columns::<(u16, String)>(["id", "name"]).unwrap();
    fn parts<R: std::io::Read>(mut reader: NpyReader<R>, step: usize) -> (Vec<u16>, Vec<String>) {
        let (mut ids, mut names) = (Vec::new(), Vec::new());
        while reader.remaining() > 0 {
            let count = reader.remaining().min(step);
            let (mut id, mut name) = reader.read_columns::<(u16, String)>(["id", "name"], count).unwrap();
            assert_eq!((id.len(), name.len()), (count, count));
            ids.append(&mut id);
            names.append(&mut name);
        }
        assert_eq!(reader.read_columns::<(u16, String)>(["id", "name"], 0).unwrap(), Default::default());
        (ids, names)
    }
    for step in [7, 9_999, 20_000] {
        assert!(parts(NpyReader::new(&file[..]).unwrap(), step) == whole);
        assert!(parts(NpyReader::from_bytes(&file).unwrap(), step) == whole);
        assert!(parts(NpyReader::open_with(&path, npy_core::ReadOptions::new().threads(2)).unwrap(), step) == whole);
    }
    let error = NpyReader::new(&file[..]).unwrap().read_columns::<(u16,)>(["id"], 20_001).unwrap_err();
    assert!(error.to_string().ends_with("wrong number of elements: expected 20001, found 20000"));

    // An error counts records from the beginning of the array.
    let mut file = file;
    let itemsize = Header::parse(&file).unwrap().0.dtype().itemsize();
    let end = file.len() - 20_000 * itemsize + 12_346 * itemsize;
    file[end - 4..end].fill(0xFF);
    let mut reader = NpyReader::new(&file[..]).unwrap();
    reader.read_columns::<(String,)>(["name"], 12_000).unwrap();
    let error = reader.read_columns::<(String,)>(["name"], 8_000).unwrap_err();
    assert!(error.to_string().contains("12345"), "{error}");
}

#[test]
fn twelve_columns_of_a_file() {
    let path = scratch("events.npy");
    let events = events();
    npy_core::save(&path, &events).unwrap();
    type Twelve = (u16, u16, u16, u16, u16, u16, u16, u16, u16, u16, u16, bool);
    let columns =
        load_columns::<Twelve>(&path, ["id", "id", "id", "id", "id", "id", "id", "id", "id", "id", "id", "flag"]).unwrap();
    assert_eq!(columns.0, columns.10);
    assert!(columns.11.iter().zip(&events).all(|(flag, event)| *flag == event.flag));
}

#[test]
fn every_mismatch_is_reported() {
    let file = file_of(&events()[..2]);
    let error =
        NpyReader::new(&file[..]).unwrap().into_columns::<(f32, u16, u8, f32)>(["id", "id", "nothing", "place.depth"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch);
    insta::assert_snapshot!(as_little_endian(error), @r"
    cannot read (f32, u16, u8, f32): found 3 mismatches
      id: expected dtype <f4, found <u2; `u16` reads it
      nothing: missing field: found id, time, a.b, place, xyz, name, flag
      place.depth: expected dtype <f4, found <f8; `f64` reads it
    ");
    // Also of an empty array; and of one that has no fields.
    assert!(NpyReader::new(&file_of(&[])[..]).unwrap().into_columns::<(f32,)>(["id"]).is_err());
    let numbers = written(&[1.0_f32]);
    let error = NpyReader::new(&numbers[..]).unwrap().into_columns::<(f32,)>(["x"]).unwrap_err();
    assert_eq!(as_little_endian(error), "cannot read (f32,): x: expected a record, found elements of dtype <f4");
}

/// There is no struct that could be told something.
#[test]
fn mismatches_name_the_requested_type() {
    let file = file_of(&events()[..2]);
    let read = |result: npy_core::Result<()>| result.unwrap_err().to_string();
    let of = |name| read(NpyReader::new(&file[..]).unwrap().into_columns::<(f64,)>([name]).map(|_| ()));
    insta::assert_snapshot!(as_little_endian(of("id")), @"cannot read (f64,): id: expected dtype <f8, found <u2; `u16` reads it");
    insta::assert_snapshot!(as_little_endian(of("place")), @"cannot read (f64,): place: expected dtype <f8, found [('depth', '<f8'), ('code', '|S2')]; a struct with `#[derive(NpyRecord)]` reads it");
    insta::assert_snapshot!(as_little_endian(of("xyz")), @"cannot read (f64,): xyz: expected dtype <f8, found ('<f4', (3,)); `[f32; 3]` reads it");
    let arrays = NpyReader::new(&file[..]).unwrap().into_columns::<([f64; 3],)>(["xyz"]);
    insta::assert_snapshot!(as_little_endian(read(arrays.map(|_| ()))), @"cannot read ([f64; 3],): xyz[]: expected dtype <f8, found <f4; `f32` reads it");
    // Inside of a column that is a struct there is one.
    #[derive(NpyRecord)]
    struct Deep {
        depth: f32,
        code: f64,
    }
    let places = NpyReader::new(&file[..]).unwrap().into_columns::<(Deep,)>(["place"]);
    insta::assert_snapshot!(as_little_endian(read(places.map(|_| ()))), @r#"
    cannot read (Deep,): found 2 mismatches
      place.depth: expected dtype <f4, found <f8; `f64` reads it
      place.code: expected dtype <f8, found |S2; `FixedBytes<2>` reads it
    "#);
}

/// Errors of a reader that was opened by a path name it.
#[test]
fn errors_of_opened_files_name_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("numbers.npy");
    npy_core::save(&path, &[1_u16, 2, 3]).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let check = |kind: &str| {
        for (name, result) in [
            ("for_each_chunk", NpyReader::open(&path).unwrap().for_each_chunk(|_: &[f64]| Ok(()))),
            ("into_vec", NpyReader::open(&path).unwrap().into_vec::<f64>().map(|_| ())),
            ("read_into", NpyReader::open(&path).unwrap().read_into(&mut [0.0_f64])),
            ("records", NpyReader::open(&path).unwrap().records::<f64>().try_for_each(|item| item.map(|_| ()))),
        ] {
            let error = result.unwrap_err();
            assert_eq!(error.path(), Some(path.as_path()), "{kind}, {name}: {error}");
        }
    };
    check("dtype");
    // Two bytes are missing.
    std::fs::write(&path, &bytes[..bytes.len() - 2]).unwrap();
    let truncated = |result: npy_core::Result<()>| {
        let error = result.unwrap_err();
        assert!(error.kind() == ErrorKind::Truncated, "{error}");
        assert_eq!(error.path(), Some(path.as_path()));
    };
    truncated(NpyReader::open(&path).unwrap().for_each_chunk(|_: &[u16]| Ok(())));
    truncated(NpyReader::open(&path).unwrap().into_vec::<u16>().map(|_| ()));
    truncated(NpyReader::open(&path).unwrap().read_into(&mut vec![0_u16; bytes.len() / 2 - 64]));
    truncated(NpyReader::open(&path).unwrap().into_values().map(|_| ()));
    let rows = AxisRange::from(..).step_by(2);
    truncated(NpyReader::open(&path).unwrap().read_region::<u16>(&[rows]).map(|_| ()));
    // What the caller's own code says may be about another file.
    std::fs::write(&path, bytes).unwrap();
    let own = |_: &[u16]| Err(npy_core::Error::object_array());
    assert_eq!(NpyReader::open(&path).unwrap().for_each_chunk(own).unwrap_err().path(), None);
}

#[test]
fn errors_tell_the_record_and_the_field() {
    let mut file = file_of(&events());
    let begin = Header::parse(&file).unwrap().1;
    let itemsize = Header::parse(&file).unwrap().0.dtype().itemsize();
    let code = begin + 15_001 * itemsize + 2 + 8 + 1 + 8;
    file[code] = 0xff;
    let error = NpyReader::new(&file[..]).unwrap().into_columns::<(u16, String)>(["id", "place.code"]).unwrap_err();
    assert_eq!((error.kind(), error.element(), error.field()), (ErrorKind::InvalidValue, Some(15_001), Some("place.code")));
    assert_eq!(error.message(), "invalid UTF-8 at byte 0 of the text; read it as `FixedBytes`");
    // A truncated file.
    let error = NpyReader::new(&file[..file.len() - 1]).unwrap().into_columns::<(u16,)>(["id"]).unwrap_err();
    assert!(error.kind() == ErrorKind::Truncated, "{error}");
    let error = NpyReader::from_bytes(&file[..file.len() - 1]).unwrap().into_columns::<(u16,)>(["id"]).unwrap_err();
    assert!(error.kind() == ErrorKind::Truncated, "{error}");
}

#[test]
fn shapes_and_records_without_bytes() {
    let file = zeros("[('x', '<f4'), ('e', '<f8', (0,))]", Order::C, &[2, 3]);
    let (x, empty) = NpyReader::new(&file[..]).unwrap().into_columns::<(f32, [f64; 0])>(["x", "e"]).unwrap();
    assert_eq!((x.len(), empty.len()), (6, 6));
    let (empty,) =
        NpyReader::new(&zeros("[('e', '<f8', (0,))]", Order::C, &[5])[..]).unwrap().into_columns::<([f64; 0],)>(["e"]).unwrap();
    assert_eq!(empty.len(), 5);
    // A path demands one dimension, as `load` does.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("matrix.npy");
    std::fs::write(&path, &file).unwrap();
    let error = load_columns::<(f32,)>(&path, ["x"]).unwrap_err();
    assert!(error.kind() == ErrorKind::WrongShape);
    assert_eq!(error.path(), Some(path.as_path()));
}
