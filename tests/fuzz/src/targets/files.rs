//! Whole files, read in every way.

use std::io::Read;

use npy_core::object::{self, ObjectArray, ObjectOptions, UnknownGlobals};
use npy_core::rawarray::RaArray;
use npy_core::types::{Datetime64, FixedBytes, FixedUnicode, FixedVoid, LongDouble, Timedelta64, Void, unit};
use npy_core::{DynValues, NpyElement, NpyReader, NpyRecord, Order};
use npy_ndarray::DynArray;

use super::same_verdict;

#[derive(NpyRecord)]
struct Station {
    code: String,
    position: [f64; 2],
    #[npy(default)]
    is_open: bool,
}

#[derive(NpyRecord)]
struct Pick {
    station: Station,
    time: Datetime64<unit::Millisecond>,
    weights: [f32; 3],
    remark: Option<String>,
}

/// A file as one of several Rust types, which the last byte of the input selects.
pub fn typed(input: &[u8]) {
    let Some((&selector, file)) = input.split_last() else { return };
    match selector % 20 {
        0 => read_as::<f64>(file),
        1 => read_as::<bool>(file),
        2 => read_as::<i8>(file),
        3 => read_as::<u16>(file),
        4 => read_as::<i32>(file),
        5 => read_as::<u64>(file),
        6 => read_as::<f32>(file),
        7 => read_as::<String>(file),
        8 => read_as::<FixedVoid<3>>(file),
        9 => read_as::<Void>(file),
        10 => read_as::<LongDouble>(file),
        11 => read_as::<npy_core::num_complex::Complex<f64>>(file),
        12 => read_as::<Datetime64<unit::Millisecond>>(file),
        13 => read_as::<Timedelta64<unit::Second>>(file),
        14 => read_as::<FixedBytes<5>>(file),
        15 => read_as::<FixedUnicode<3>>(file),
        16 => read_as::<[[i16; 2]; 3]>(file),
        17 => read_as::<Option<f64>>(file),
        18 => read_as::<Station>(file),
        _ => read_as::<Pick>(file),
    }
}

/// Gives a byte at a time.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(1);
        self.0.read(&mut buffer[..most])
    }
}

fn read_as<T: NpyElement>(file: &[u8]) {
    let encoded = |items: &[T]| {
        let mut file = Vec::new();
        // A text with a zero at its end, which a file could not hold.
        npy_core::write(&mut file, items).is_ok().then_some(file)
    };
    let whole = || NpyReader::from_bytes(file)?.into_vec::<T>();
    if let Some((one, other)) = same_verdict(whole(), NpyReader::new(Trickle(file)).and_then(NpyReader::into_vec), "by bytes") {
        assert_eq!(encoded(&one), encoded(&other));
    }
    let by_chunks = || {
        let mut items = Vec::new();
        let mut reader = NpyReader::new(file)?;
        for chunk in reader.chunks::<T>(3) {
            items.extend(chunk?);
        }
        Ok(items)
    };
    if let Some((one, other)) = same_verdict(whole(), by_chunks(), "by chunks") {
        assert_eq!(encoded(&one), encoded(&other));
    }
    let by_records = || NpyReader::new(file)?.records::<T>().collect::<npy_core::Result<Vec<T>>>();
    if let Some((one, other)) = same_verdict(whole(), by_records(), "by records") {
        assert_eq!(encoded(&one), encoded(&other));
    }
    let _ = npy_core::read::<T>(file);
    let _ = NpyReader::new(file).and_then(|reader| reader.into_columns::<(T, f64)>(["code", "x"]));
}

/// A file of any dtype: what is read is written again, and read back.
pub fn dynamic(input: &[u8]) {
    let values = DynValues::read(input);
    let array = DynArray::read_npy(input);
    let Ok(values) = values else {
        // An array of objects is one of `DynArray` alone.
        return;
    };
    let array = array.unwrap_or_else(|error| panic!("only `DynValues` reads it: {error}"));
    let written = written(&values);
    let again = DynValues::read(&written[..]).unwrap_or_else(|error| panic!("{error}: {}", written.escape_ascii()));
    assert_eq!((again.dtype(), again.shape(), again.bytes()), (values.dtype(), values.shape(), values.bytes()));
    let mut of_array = Vec::new();
    array.write_npy(&mut of_array).unwrap();
    let of_array = DynValues::read(&of_array[..]).unwrap();
    let values = values.into_order(of_array.order()).unwrap();
    assert_eq!((of_array.dtype(), of_array.shape()), (values.dtype(), values.shape()));
    let _ = values.cast::<f64>(npy_core::Casting::Unsafe);
    let _ = values.to_string();
    if let npy_core::DType::Record(record) = values.dtype() {
        for field in record.fields() {
            let field = values.field(field.name()).unwrap_or_else(|error| panic!("{error}: {}", values.dtype()));
            assert!(field.bytes().len() <= values.bytes().len().max(1));
        }
    }
}

fn written(values: &DynValues) -> Vec<u8> {
    let mut file = Vec::new();
    values.write(&mut file).unwrap();
    file
}

/// An array of objects, as a file or as the pickle alone.
pub fn objects(input: &[u8]) {
    let mut file = Vec::new();
    if input.starts_with(b"\x93NUMPY") {
        file.extend(input);
    } else {
        file.extend(npy_core::Header::new("O".parse().unwrap(), Order::C, &[3]).unwrap().to_bytes());
        file.extend(input);
    }
    for choice in [UnknownGlobals::Refuse, UnknownGlobals::Opaque] {
        let options = ObjectOptions::new().unknown_globals(choice);
        let Ok(array) = object::read_with(&file[..], options) else { continue };
        let _ = array.to_string();
        let mut copy = Vec::new();
        // Of unknown globals, which no pickle is made of.
        if array.write(&mut copy).is_err() {
            continue;
        }
        let again: ObjectArray =
            object::read_with(&copy[..], options).unwrap_or_else(|error| panic!("{error}: {}", copy.escape_ascii()));
        assert_eq!(again.shape(), array.shape());
        assert_eq!(again.to_string(), array.to_string());
    }
}

/// A `.ra` file: what is read is written again, and read back.
pub fn rawarray(input: &[u8]) {
    let Ok(array) = RaArray::read(input) else { return };
    let mut file = Vec::new();
    array.write(&mut file).unwrap();
    let again = RaArray::read(&file[..]).unwrap_or_else(|error| panic!("{error}: {}", file.escape_ascii()));
    assert_eq!(
        (again.header(), again.values().bytes(), again.metadata()),
        (array.header(), array.values().bytes(), array.metadata())
    );
    if let Ok(compressed) = array.compressed() {
        let mut file = Vec::new();
        compressed.write(&mut file).unwrap();
        let again = RaArray::read(&file[..]).unwrap_or_else(|error| panic!("{error}: {}", file.escape_ascii()));
        assert_eq!(again.values().bytes(), compressed.values().bytes());
    }
}
