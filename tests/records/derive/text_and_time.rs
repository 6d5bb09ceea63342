//! Text and times under an explicit dtype.

use super::*;

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Station {
    #[npy(dtype = "U4")]
    name: String,
    #[npy(dtype = "S3")]
    code: String,
    #[npy(dtype = ">U2", truncate)]
    short: String,
    #[npy(dtype = "S2", truncate)]
    bytes: String,
    #[npy(dtype = "S5")]
    array: [u8; 5],
    #[npy(dtype = "V3")]
    raw: [u8; 3],
    #[npy(dtype = "S2")]
    list: Vec<u8>,
    #[npy(dtype = "U3")]
    several: [String; 2],
}

fn station() -> Station {
    Station {
        name: "Zoë".to_owned(),
        code: "abc".to_owned(),
        short: "xy".to_owned(),
        bytes: "é".to_owned(),
        array: *b"hello",
        raw: [0, 1, 0],
        list: b"q".to_vec(),
        several: ["a".to_owned(), "bcd".to_owned()],
    }
}

#[test]
fn text_of_fixed_width() {
    round_trip(
        &[station()],
        "[('name', '<U4'), ('code', '|S3'), ('short', '>U2'), ('bytes', '|S2'), ('array', '|S5'), ('raw', '|V3'), ('list', '|S2'), \
         ('several', '<U3', (2,))]",
    );
}

#[test]
fn text_that_is_too_long_is_refused_or_cut_off() {
    let (index, path, found) =
        problem(npy_core::write(Vec::new(), &[station(), Station { name: "Wetzlar".to_owned(), ..station() }]));
    assert_eq!((index, path.as_str()), (1, "name"));
    let dtype = native("<U4");
    let hint = "`#[npy(truncate)]` on a field with `dtype = \"U4\"` truncates it";
    assert_eq!(found, format!("text too long for {dtype}: expected at most 4 characters, found 7; {hint}"));
    let long = Station { several: ["a".to_owned(), "abcd".to_owned()], ..station() };
    let (_, path, _) = problem(npy_core::write(Vec::new(), &[long]));
    assert_eq!(path, "several[1]");
    let (_, path, _) = problem(npy_core::write(Vec::new(), &[Station { list: b"long".to_vec(), ..station() }]));
    assert_eq!(path, "list");
    // Bytes, of which a NUL at the end would be lost.
    let (_, path, found) = problem(npy_core::write(Vec::new(), &[Station { list: vec![1, 0], ..station() }]));
    assert_eq!(path, "list");
    assert!(found.starts_with("trailing NUL"), "{found}");

    let long = Station { short: "xyz".to_owned(), bytes: "aé".to_owned(), ..station() };
    let read = npy_core::read::<Station>(&written(&[long])[..]).unwrap();
    // A character of two bytes is cut off whole.
    assert_eq!((read[0].short.as_str(), read[0].bytes.as_str()), ("xy", "a"));
}

#[test]
fn text_of_every_width_is_read() {
    #[derive(NpyRecord)]
    struct Name {
        #[npy(dtype = "U4")]
        name: String,
    }
    #[derive(NpyRecord)]
    struct Long {
        name: FixedUnicode<12>,
    }
    let file = written(&[Long { name: "Wetzlar".parse().unwrap() }]);
    assert_eq!(npy_core::read::<Name>(&file[..]).unwrap()[0].name, "Wetzlar");
}

#[test]
fn times_as_counts() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Event {
        time: Datetime64<Nanosecond>,
        #[npy(dtype = "M8[ms]")]
        count: i64,
        #[npy(dtype = ">m8[25s]")]
        span: i64,
        #[npy(dtype = ">M8[ns]")]
        big: Datetime64<Nanosecond>,
    }
    round_trip(
        &[Event { time: Datetime64::new(5), count: i64::MIN, span: -3, big: Datetime64::new(7) }],
        "[('time', '<M8[ns]'), ('count', '<M8[ms]'), ('span', '>m8[25s]'), ('big', '>M8[ns]')]",
    );
}
