//! Streams with one fault, at each of their bytes.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use ndarray::Array1;
use npy_core::npz::{NpzReader, NpzStream, NpzWriter, WriteOptions};
use npy_core::object::{self, ObjectArray, ObjectOptions};
use npy_core::rawarray::{self, RaArray};
use npy_core::region::AxisRange;
use npy_core::{DynValues, Header, NpyReader, NpyRecord, NpyWriter, Order, ReadOptions, Result};
use npy_ndarray::{DynArray, ReadNpyExt, WriteNpyExt};

use crate::support::{announce, rounds, written};

/// What happens once, where the stream arrives at a byte.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Interrupted,
    /// Every call takes or gives one byte.
    OneByte,
    /// `Ok(0)`, though there is more, or more room.
    Nothing,
    Fails,
    /// A count beyond the buffer.
    TooMuch,
    /// The largest count.
    FarTooMuch,
    Panics,
}

/// But [`Fault::OneByte`], which is everywhere.
const FAULTS: [Fault; 6] = [Fault::Interrupted, Fault::Nothing, Fault::Fails, Fault::TooMuch, Fault::FarTooMuch, Fault::Panics];

const PANIC: &str = "the stream's own panic";

/// A stream in memory with a fault, and whether it has happened.
struct Faulty<'a> {
    bytes: &'a RefCell<Cursor<Vec<u8>>>,
    fault: Fault,
    at: u64,
    has_happened: &'a Cell<bool>,
}

impl Faulty<'_> {
    /// The result of a call with a buffer of this length: of the fault, or of `act` on a part that ends before it.
    fn call(&mut self, length: usize, act: impl FnOnce(&mut Cursor<Vec<u8>>, usize) -> io::Result<usize>) -> io::Result<usize> {
        let mut bytes = self.bytes.borrow_mut();
        let before = self.at.checked_sub(bytes.position()).filter(|_| !self.has_happened.get());
        match (before, self.fault) {
            _ if length == 0 => Ok(0),
            (_, Fault::OneByte) => act(&mut bytes, 1),
            (Some(0), fault) => {
                self.has_happened.set(true);
                match fault {
                    Fault::Interrupted => Err(io::ErrorKind::Interrupted.into()),
                    Fault::Nothing => Ok(0),
                    Fault::Fails => Err(io::ErrorKind::ConnectionReset.into()),
                    Fault::TooMuch => Ok(length + 1),
                    Fault::FarTooMuch => Ok(usize::MAX),
                    Fault::Panics | Fault::OneByte => resume_unwind(Box::new(PANIC)),
                }
            }
            (Some(before), _) => act(&mut bytes, length.min(before as usize)),
            (None, _) => act(&mut bytes, length),
        }
    }
}

impl Read for Faulty<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.call(buffer.len(), |bytes, most| bytes.read(&mut buffer[..most]))
    }
}

impl Write for Faulty<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.call(buffer.len(), |bytes, most| bytes.write(&buffer[..most]))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Faulty<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.borrow_mut().seek(to)
    }
}

/// Runs `operation` with each fault at each byte, or at some of many; `result` makes of it, or of the bytes that it wrote, what must
/// not change. Returns how often a fault happened.
fn with_each_fault(name: &str, file: &[u8], length: usize, operation: impl Fn(Faulty<'_>) -> Result<String>) -> usize {
    let run = |fault, at| {
        let bytes = RefCell::new(Cursor::new(file.to_vec()));
        let has_happened = Cell::new(false);
        let stream = Faulty { bytes: &bytes, fault, at, has_happened: &has_happened };
        let result = catch_unwind(AssertUnwindSafe(|| operation(stream)));
        (result, has_happened.get(), bytes.into_inner().into_inner())
    };
    let (expected, _, expected_bytes) = run(Fault::Interrupted, u64::MAX);
    let expected = expected.unwrap().unwrap();
    let (found, _, bytes) = run(Fault::OneByte, 0);
    assert!(found.unwrap().unwrap() == expected && bytes == expected_bytes, "{name}: another result, a byte at a time");
    let mut happened = 0;
    // By default each of these bytes has a fault; with `NPY_ROUNDS` it has all of them.
    let apart = if rounds(1) > 1 { 1 } else { 3 };
    let places = (0..length as u64).step_by(1 + length / 2000 * 10);
    for (number, fault) in FAULTS.into_iter().enumerate() {
        for at in places.clone().skip(number % apart).step_by(apart) {
            let (result, has_happened, bytes) = run(fault, at);
            happened += usize::from(has_happened);
            let context = format!("{name}: {fault:?} at byte {at}");
            match (result, fault) {
                (Ok(Ok(found)), _) => {
                    // `Ok(0)` is harmless where the stream is asked again.
                    let is_harmless = !has_happened || matches!(fault, Fault::Interrupted | Fault::Nothing);
                    assert!(is_harmless, "{context} is not an error");
                    assert!(found == expected && bytes == expected_bytes, "{context}: another result");
                }
                (Ok(Err(error)), Fault::Fails) => {
                    assert!(has_happened && format!("{error:#}").contains("connection reset"), "{context}: {error:#}");
                }
                (Ok(Err(error)), Fault::TooMuch | Fault::FarTooMuch) => {
                    let is_named = file.is_empty() || format!("{error:#}").contains("invalid byte count from the reader");
                    assert!(has_happened && is_named, "{context}: {error:#}");
                }
                (Ok(Err(error)), Fault::Nothing) => assert!(has_happened, "{context}: {error}"),
                (Ok(Err(error)), _) => panic!("{context}: {error}"),
                (Err(panic), _) => {
                    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
                    let text = text.unwrap_or_default();
                    // `Write::write_all` of the standard library panics where `write` breaks its contract.
                    let is_too_much = matches!(fault, Fault::TooMuch | Fault::FarTooMuch);
                    let is_std = is_too_much && file.is_empty() && text.starts_with("range start index");
                    assert!(is_std || fault == Fault::Panics && text == PANIC, "{context}: {text}");
                }
            }
        }
    }
    happened
}

#[derive(NpyRecord, Clone, Debug)]
struct Sample {
    time: f64,
    name: String,
}

fn samples() -> Vec<Sample> {
    (0..5).map(|number| Sample { time: f64::from(number), name: "ab"[..number as usize % 3].to_owned() }).collect()
}

fn show(value: impl Debug) -> String {
    format!("{value:?}")
}

fn archive(options: WriteOptions) -> Vec<u8> {
    let mut archive = NpzWriter::new_with(Cursor::new(Vec::new()), options);
    archive.add_slice("x", &[1.5_f64, 2.5, 3.5]).unwrap();
    archive.add_slice("samples", &samples()).unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn each_fault_of_a_reader_is_survived_or_an_error() {
    type Reading = (&'static str, Vec<u8>, fn(Faulty<'_>) -> Result<String>);
    let npy = written(&[1.5_f64, 2.5, 3.5, 4.5]);
    let records = written(&samples());
    let mut objects = Vec::new();
    ObjectArray::from(vec!["a", "b"]).write(&mut objects).unwrap();
    let mut raw = Vec::new();
    RaArray::try_from(DynValues::from_slice(&[1.5_f64; 3]).unwrap()).unwrap().write(&mut raw).unwrap();
    let stored = archive(WriteOptions::new());
    let deflated = archive(WriteOptions::new().compressed(true));
    let large = written(&[1.5_f64; 50_000]);
    let readings: [Reading; 23] = [
        ("header", npy.clone(), |reader| Header::read(reader).map(show)),
        ("read", npy.clone(), |reader| npy_core::read::<f64>(reader).map(show)),
        ("large array", large.clone(), |reader| npy_core::read::<f64>(reader).map(|items| show((items.len(), items[49_999])))),
        ("every seventh of many", large, |reader| {
            let items = NpyReader::new(reader)?.read_region::<f64>(&[AxisRange::from(..).step_by(7)])?;
            Ok(show((items.len(), items[7142])))
        }),
        ("array of a type", npy.clone(), |reader| Array1::<f64>::read_npy(reader).map(show)),
        ("values", npy.clone(), |reader| DynValues::read(reader).map(show)),
        ("array", npy.clone(), |reader| DynArray::read_npy(reader).map(show)),
        ("region", npy, |reader| NpyReader::new(reader)?.read_region::<f64>(&[AxisRange::from(1..4).step_by(2)]).map(show)),
        ("records", records.clone(), |reader| npy_core::read::<Sample>(reader).map(show)),
        ("each record", records.clone(), |reader| {
            NpyReader::new(reader)?.records::<Sample>().collect::<Result<Vec<_>>>().map(show)
        }),
        ("columns", records, |reader| NpyReader::new(reader)?.into_columns::<(f64, String)>(["time", "name"]).map(show)),
        ("objects", objects.clone(), |reader| object::read(reader).map(show)),
        ("array of objects", objects, |reader| {
            DynArray::read_npy_with(reader, ReadOptions::new().objects(ObjectOptions::new())).map(show)
        }),
        ("raw array", raw.clone(), |reader| RaArray::read(reader).map(show)),
        ("elements of a raw array", raw, |reader| rawarray::read::<f64>(reader).map(show)),
        ("archive", stored.clone(), read_archive),
        ("compressed archive", deflated.clone(), read_archive),
        ("member of any dtype", deflated.clone(), |reader| npy_ndarray::NpzReader::new(reader)?.dynamic("x").map(show)),
        ("raw member", stored.clone(), |reader| read_raw(NpzReader::new(reader)?.array(0)?.into_inner())),
        ("verified archive", stored.clone(), |reader| NpzReader::new(reader)?.verify().map(show)),
        ("extracted bytes", deflated.clone(), |reader| NpzReader::new(reader)?.bytes(1, 1 << 20).map(show)),
        ("pipe", stored, read_pipe),
        ("compressed pipe", deflated, read_pipe),
    ];
    let mut happened = 0;
    for (name, file, reading) in readings {
        happened += with_each_fault(name, &file, file.len(), reading);
    }
    announce(&format!("faults of readers: {happened}"));
    assert!(happened > 5_000, "{happened}");
}

fn read_archive(reader: Faulty<'_>) -> Result<String> {
    let mut archive = NpzReader::new(reader)?;
    Ok(show((archive.by_name::<f64>("x")?, archive.by_name::<Sample>("samples")?)))
}

fn read_raw(mut member: impl Read) -> Result<String> {
    let mut bytes = Vec::new();
    member.read_to_end(&mut bytes)?;
    Ok(show(bytes))
}

fn read_pipe(reader: Faulty<'_>) -> Result<String> {
    let mut stream = NpzStream::new(reader);
    let mut found = String::new();
    while let Some(mut member) = stream.next()? {
        let is_raw = found.is_empty();
        found += member.name();
        found += &if is_raw { read_raw(member.array()?.into_inner())? } else { show(member.bytes(1 << 20)?) };
    }
    Ok(found)
}

#[test]
fn each_fault_of_a_writer_is_survived_or_an_error() {
    type Writing = (&'static str, fn(Faulty<'_>) -> Result<()>);
    let writings: [Writing; 10] = [
        ("write", |writer| npy_core::write(writer, &[1.5_f64, 2.5])),
        ("records", |writer| npy_core::write(writer, &samples())),
        ("growing", |writer| {
            let mut writer = NpyWriter::<f64, _>::with_len(writer, 5)?;
            (0..5_u8).try_for_each(|number| writer.push(&number.into()))?;
            writer.finish().map(drop)
        }),
        ("values", |writer| DynValues::from_slice(&[1.5_f64, 2.5])?.write_in_order(writer, Order::Fortran)),
        ("array", |writer| ndarray::arr2(&[[1, 2], [3, 4]]).t().write_npy(writer)),
        ("objects", |writer| ObjectArray::from(vec!["a", "b"]).write(writer)),
        ("archive", |writer| write_archive(NpzWriter::new(writer))),
        ("compressed archive", |writer| write_archive(NpzWriter::new_compressed(writer))),
        ("archive by two threads", |writer| {
            write_archive(NpzWriter::new_with(writer, WriteOptions::new().compressed(true).threads(2)))
        }),
        ("pipe", |writer| write_archive(NpzWriter::streaming(writer))),
    ];
    let mut happened = 0;
    for (name, writing) in writings {
        let whole = RefCell::new(Cursor::new(Vec::new()));
        writing(Faulty { bytes: &whole, fault: Fault::OneByte, at: 0, has_happened: &Cell::new(false) }).unwrap();
        let length = whole.into_inner().into_inner().len();
        happened += with_each_fault(name, &[], length, |writer| writing(writer).map(show));
    }
    announce(&format!("faults of writers: {happened}"));
    assert!(happened > 3_000, "{happened}");
}

fn write_archive<W: Write>(mut archive: NpzWriter<W>) -> Result<()> {
    archive.add_slice("x", &[1.5_f64, 2.5, 3.5])?;
    archive.add_slice("samples", &samples())?;
    archive.finish().map(drop)
}
