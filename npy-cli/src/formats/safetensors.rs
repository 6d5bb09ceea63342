//! Safetensors: the length of a JSON header in 8 bytes, the header, and the tensors as they are in memory.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use npy_core::dtype::{ByteOrder, MlType, Scalar, ScalarKind};
use npy_core::error::ForeignFormat;
use npy_core::{DType, DynValues, Header, NpyReader, Order};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::format::{Format, Outgoing, ReadOptions, WriteOptions, write_data};
use super::source::{FileOrSpool, Item, Source, open_only};
use super::text::shown;
use crate::failure::{Failure, Result};
use crate::input::pieces::{self, Sink};
use crate::input::{Prefixed, Spool};
use crate::output::{self, Content};
use crate::values::columns;
use crate::values::quantity::{count, counted};

/// The most bytes of a header, as in the crate `safetensors`.
const MOST_HEADER_BYTES: u64 = 100_000_000;

/// `.safetensors`
pub(super) struct Safetensors;

impl Format for Safetensors {
    fn names(&self) -> &'static [&'static str] {
        &["safetensors"]
    }

    fn content(&self) -> Option<ForeignFormat> {
        Some(ForeignFormat::Safetensors)
    }

    fn about(&self) -> &'static str {
        "Named tensors"
    }

    fn holds_several(&self) -> bool {
        true
    }

    fn adapt(&self, dtype: &DType, _: &[usize]) -> Result<(DType, Vec<String>)> {
        let tensor = storable(dtype)?;
        let times = columns::of(dtype)?.into_iter().map(|column| column.scalar).filter(|scalar| scalar.time_unit().is_some());
        Ok((tensor, times.map(|scalar| format!("the unit of {scalar}, of which a tensor keeps the numbers")).collect()))
    }

    fn open(&self, path: &OsStr, stream: Option<Spool>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
        open_only(path, stream, |file| TensorSource::open(file, options))
    }

    fn write(&self, arrays: &mut [Box<dyn Outgoing>], path: &Path, _: WriteOptions) -> Result<()> {
        output::replace(path, Content::Binary, |out| write(arrays, out))
    }
}

/// The dtype in which a tensor stores these elements.
fn storable(dtype: &DType) -> Result<DType> {
    let refused = || {
        let hint = "expected bools, integers or floats, one array for each field";
        Failure::Nameless(format!("cannot store {dtype} in a safetensors file: {hint}"))
    };
    let DType::Scalar(scalar) = dtype else { return Err(refused()) };
    let kind = match scalar.kind() {
        ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. } => ScalarKind::Int64,
        kind => kind,
    };
    let stored = if is_brain(*scalar) { BRAIN } else { Scalar::new(kind, ByteOrder::Little) };
    if code_of(stored).is_some() { Ok(stored.into()) } else { Err(refused()) }
}

const CODES: [(&str, ScalarKind); 14] = [
    ("BOOL", ScalarKind::Bool),
    ("U8", ScalarKind::UInt8),
    ("I8", ScalarKind::Int8),
    ("U16", ScalarKind::UInt16),
    ("I16", ScalarKind::Int16),
    ("U32", ScalarKind::UInt32),
    ("I32", ScalarKind::Int32),
    ("U64", ScalarKind::UInt64),
    ("I64", ScalarKind::Int64),
    ("F8_E5M2", ScalarKind::Float8E5M2),
    ("F16", ScalarKind::Float16),
    ("F32", ScalarKind::Float32),
    ("F64", ScalarKind::Float64),
    ("C64", ScalarKind::Complex64),
];

/// The floats of `ml_dtypes` that the format has, too.
const ML_CODES: [(&str, &str); 4] = [
    ("F8_E4M3", "float8_e4m3fn"),
    ("F8_E4M3FNUZ", "float8_e4m3fnuz"),
    ("F8_E5M2FNUZ", "float8_e5m2fnuz"),
    ("F8_E8M0", "float8_e8m0fnu"),
];

/// `bfloat16`
const BRAIN: Scalar = Scalar::void_with_byte_order(2, ByteOrder::Little);

fn is_brain(scalar: Scalar) -> bool {
    scalar.itemsize() == 2 && matches!(scalar.kind(), ScalarKind::Void { .. }) && scalar.byte_order().is_some()
}

fn code_of(scalar: Scalar) -> Option<&'static str> {
    match scalar.kind() {
        _ if is_brain(scalar) => Some("BF16"),
        ScalarKind::Ml(ml) => ML_CODES.iter().find(|(_, name)| *name == ml.name()).map(|(code, _)| *code),
        kind => CODES.iter().find(|(_, known)| *known == kind).map(|(code, _)| *code),
    }
}

fn kind_of(code: &str) -> Option<ScalarKind> {
    let ml = ML_CODES.iter().find(|(known, _)| *known == code).and_then(|(_, name)| MlType::named(name));
    ml.map(ScalarKind::Ml).or_else(|| CODES.iter().find(|(known, _)| *known == code).map(|(_, kind)| *kind))
}

/// Writes the arrays as tensors.
fn write(arrays: &mut [Box<dyn Outgoing>], out: &mut dyn Write) -> Result<()> {
    let mut header = Map::new();
    let mut begin = 0_u64;
    for array in &*arrays {
        let DType::Scalar(scalar) = array.header().dtype() else { continue };
        let end =
            begin.checked_add(array.header().data_bytes()).ok_or_else(|| Failure::new("too many bytes for a safetensors file"))?;
        let tensor = json!({
            "dtype": code_of(*scalar).unwrap_or_default(),
            "shape": array.header().shape(),
            "data_offsets": [begin, end],
        });
        let name = array.name();
        if name == "__metadata__" || header.insert(name.to_owned(), tensor).is_some() {
            return Err(Failure::new(format!("{}: expected different names, found {name:?} twice", array.input())));
        }
        begin = end;
    }
    // Numbers of 8 bytes after it are aligned, as the crate `safetensors` has it.
    let mut text = Value::Object(header).to_string();
    text.push_str(&" ".repeat(text.len().next_multiple_of(8) - text.len()));
    out.write_all(&(text.len() as u64).to_le_bytes())?;
    out.write_all(text.as_bytes())?;
    for array in arrays {
        write_data(&mut **array, Order::C, out)?;
    }
    Ok(())
}

/// A safetensors file.
struct TensorSource {
    file: FileOrSpool,
    items: Vec<Item>,
    /// Where each tensor begins in the file, and whether it is of `BF16`.
    places: Vec<(u64, bool)>,
}

impl TensorSource {
    fn open(file: FileOrSpool, options: &ReadOptions) -> Result<Self> {
        let mut stream = file.file()?;
        let (data, text) = read_header(&mut stream)?;
        let Object(header): Object<Tensors<'_>> =
            serde_json::from_slice(&text).map_err(|error| Failure::Nameless(format!("invalid safetensors header: {error}")))?;
        let bytes = stream.metadata().map_err(Failure::cannot("read the file"))?.len();
        let (mut items, mut places, mut spans, mut losses) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        // A command that looks at values loses nothing.
        let metadata = header.metadata.filter(|_| !options.is_for_looking);
        losses.extend(metadata.map(|metadata| format!("the metadata {}", shown(metadata))));
        for (name, tensor) in header.tensors {
            let problem = |what: &str| Failure::Nameless(format!("invalid header: tensor {name:?}: {what}"));
            let offsets = tensor.offsets.unwrap_or_default();
            let ([begin, end], 2) = ([0, 1].map(|index| offsets.first.get(index).copied().unwrap_or(0)), offsets.count) else {
                return Err(problem(&format!("expected two data offsets, found {}", offsets.count)));
            };
            let code = tensor.dtype.as_deref().ok_or_else(|| problem("expected a dtype, found none"))?;
            let (kind, is_brain) = match kind_of(code) {
                Some(kind) => (kind, false),
                None if code == "BF16" => (ScalarKind::Float32, true),
                None if options.is_lossy => {
                    losses.push(format!("the tensor {name:?} of dtype {code}"));
                    spans.push((begin as u64, end as u64, name));
                    continue;
                }
                None => {
                    let hint = "leave the tensor out with --lossy";
                    return Err(Failure::Nameless(format!("tensor {name:?}: NumPy has no dtype for {code}; {hint}")));
                }
            };
            let shape = tensor.shape.ok_or_else(|| problem("expected a shape, found none"))?;
            if shape.count > MOST_DIMENSIONS {
                let most = counted(MOST_DIMENSIONS as u64, "dimension");
                return Err(problem(&format!("expected at most {most}, found {}", count(shape.count as u64))));
            }
            let header = Header::new(Scalar::new(kind, ByteOrder::Little).into(), Order::C, &shape.first)?;
            let expected = if is_brain { header.data_bytes() / 2 } else { header.data_bytes() };
            if (end as u64).checked_sub(begin as u64) != Some(expected) {
                return Err(problem(&format!("expected {} of data, found offsets {begin} and {end}", counted(expected, "byte"))));
            }
            let place = data.saturating_add(begin as u64);
            let found = bytes.saturating_sub(place);
            if found < expected {
                let expected = format!("expected {} of data at byte {place}", counted(expected, "byte"));
                return Err(problem(&format!("truncated file: {expected}, found {}", count(found))));
            }
            places.push((place, is_brain));
            items.push(Item { name: name.clone().into_owned(), ..file.item(header, std::mem::take(&mut losses)) });
            spans.push((begin as u64, end as u64, name));
        }
        spans.sort_unstable();
        expect_contiguous(&spans, data, bytes)?;
        // By place in the file, in which they are read.
        let mut both: Vec<_> = items.into_iter().zip(places).collect();
        both.sort_by_key(|(item, (begin, _))| (*begin, item.header.data_bytes()));
        let (mut items, places): (Vec<Item>, Vec<(u64, bool)>) = both.into_iter().unzip();
        match items.first_mut() {
            Some(first) => first.losses.append(&mut losses),
            None if losses.is_empty() => return Err(Failure::Nameless("expected tensors, found none".to_owned())),
            None => {
                let lost = losses.join("; ");
                return Err(Failure::Nameless(format!("expected a tensor of a dtype that NumPy has, found {lost}")));
            }
        }
        Ok(Self { file, items, places })
    }
}

/// Fails unless each tensor begins where another ends, and the last one ends with the file, as the crate `safetensors` has it.
///
/// Of each, the offsets of its data and its name, in the order of the file.
fn expect_contiguous(spans: &[(u64, u64, Cow<'_, str>)], data: u64, bytes: u64) -> Result<()> {
    let mut last = 0;
    for (begin, end, name) in spans {
        if *begin != last || end < begin {
            let message = format!("expected data from offset {last}, found {begin} to {end}");
            return Err(Failure::Nameless(format!("invalid header: tensor {name:?}: {message}")));
        }
        last = *end;
    }
    let end = data.saturating_add(last);
    if end != bytes {
        return Err(Failure::Nameless(format!(
            "expected the end of the file after the last tensor, at byte {end}, found it at byte {bytes}"
        )));
    }
    Ok(())
}

/// The header: what it says of each tensor, and the text of the metadata, of which nothing is kept.
#[derive(Default)]
struct Tensors<'de> {
    tensors: Vec<(Cow<'de, str>, Tensor<'de>)>,
    metadata: Option<&'de str>,
}

/// The properties of a tensor in the header, as far as they are valid.
#[derive(Default)]
struct Tensor<'de> {
    dtype: Option<Cow<'de, str>>,
    shape: Option<Numbers>,
    offsets: Option<Numbers>,
}

/// The most bytes of the name of a tensor, as of that of a member of an archive.
const MOST_NAME_BYTES: usize = u16::MAX as usize;

/// The most dimensions of an array.
const MOST_DIMENSIONS: usize = 64;

/// A list of numbers: the first of them, and how many there are. The others take no memory.
#[derive(Default)]
struct Numbers {
    first: Vec<usize>,
    count: usize,
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct First;

        impl<'de> Visitor<'de> for First {
            type Value = Numbers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of numbers")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Numbers, A::Error> {
                let mut numbers = Numbers::default();
                while let Some(number) = list.next_element()? {
                    numbers.count += 1;
                    if numbers.count <= MOST_DIMENSIONS {
                        numbers.first.push(number);
                    }
                }
                Ok(numbers)
            }
        }

        deserializer.deserialize_seq(First)
    }
}

/// A text, borrowed where it has no escapes.
struct Text<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrowed;

        impl<'de> Visitor<'de> for Borrowed {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(text.into()))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(text.to_owned().into()))
            }
        }

        deserializer.deserialize_str(Borrowed)
    }
}

/// A type that is read from the entries of a JSON object.
trait Entries<'de>: Default {
    /// Reads the value of a name.
    fn read<A: MapAccess<'de>>(&mut self, name: Cow<'de, str>, map: &mut A) -> Result<(), A::Error>;
}

impl<'de> Entries<'de> for Tensors<'de> {
    fn read<A: MapAccess<'de>>(&mut self, name: Cow<'de, str>, map: &mut A) -> Result<(), A::Error> {
        match &*name {
            "__metadata__" => {
                let metadata = map.next_value::<&RawValue>()?.get();
                if !metadata.starts_with('{') && metadata != "null" {
                    return Err(A::Error::custom("expected an object as the metadata"));
                }
                self.metadata = Some(metadata).filter(|text| !matches!(*text, "null" | "{}"));
            }
            name if name.len() > MOST_NAME_BYTES => {
                let (most, found) = (counted(MOST_NAME_BYTES as u64, "byte"), count(name.len() as u64));
                return Err(A::Error::custom(format!("tensor name too long: expected at most {most}, found {found}")));
            }
            _ => self.tensors.push((name, map.next_value::<Object<_>>()?.0)),
        }
        Ok(())
    }
}

impl<'de> Entries<'de> for Tensor<'de> {
    fn read<A: MapAccess<'de>>(&mut self, name: Cow<'de, str>, map: &mut A) -> Result<(), A::Error> {
        match &*name {
            "dtype" => self.dtype = Some(map.next_value::<Text<'de>>()?.0),
            "shape" => self.shape = Some(map.next_value()?),
            "data_offsets" => self.offsets = Some(map.next_value()?),
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }
}

/// An object. A name that comes twice is an error: readers do not agree on which of them counts.
struct Object<T>(T);

impl<'de, T: Entries<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self(T::default()))
    }
}

impl<'de, T: Entries<'de>> Visitor<'de> for Object<T> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some(Text(name)) = map.next_key()? {
            if !names.insert(name.clone()) {
                return Err(A::Error::custom(format!("duplicate name {name:?}")));
            }
            self.0.read(name, &mut map)?;
        }
        Ok(self)
    }
}

/// Reads the text of the header; returns it with the position of the data.
fn read_header(file: &mut File) -> Result<(u64, Vec<u8>)> {
    let mut read = |expected: u64, what: &str| {
        let mut bytes = Vec::new();
        let read = file.take(expected).read_to_end(&mut bytes);
        read.map_err(Failure::cannot("read the file"))?;
        let found = bytes.len() as u64;
        if found < expected {
            let problem = format!("expected {} of {what}, found {}", counted(expected, "byte"), count(found));
            return Err(Failure::Nameless(format!("truncated file: {problem}")));
        }
        Ok(bytes)
    };
    let length = read(8, "the length of the safetensors header")?;
    let length = u64::from_le_bytes(length.try_into().unwrap_or_default());
    if length > MOST_HEADER_BYTES {
        let message = format!("expected at most {}, found {}", counted(MOST_HEADER_BYTES, "byte"), count(length));
        return Err(Failure::Nameless(format!("invalid length of the safetensors header: {message}")));
    }
    Ok((8 + length, read(length, "the safetensors header")?))
}

impl Source for TensorSource {
    fn items(&self) -> &[Item] {
        &self.items
    }

    fn rows(&mut self, index: usize, sink: Sink<'_>) -> Result<()> {
        self.read(index, Order::C, sink)
    }

    fn read(&mut self, index: usize, order: Order, sink: Sink<'_>) -> Result<()> {
        let (Some(item), Some(&(begin, is_brain))) = (self.items.get(index), self.places.get(index)) else { return Ok(()) };
        let mut file = self.file.file()?;
        file.seek(SeekFrom::Start(begin)).map_err(Failure::cannot("seek in the file"))?;
        if !is_brain {
            let mut reader = NpyReader::new(Prefixed::new(item.header.to_bytes(), file, begin))?;
            return pieces::for_each(&mut reader, order, sink);
        }
        // The upper halves of floats.
        let halves = Header::new("<u2".parse()?, Order::C, item.header.shape())?;
        let mut reader = NpyReader::new(Prefixed::new(halves.to_bytes(), file, begin))?;
        let dtype = item.header.dtype().clone();
        pieces::for_each(&mut reader, order, &mut |values| {
            let bytes = values.bytes().chunks_exact(2).flat_map(|half| [0, 0, half[0], half[1]]).collect();
            sink(DynValues::new(dtype.clone(), Order::C, values.shape(), bytes)?)
        })
    }
}
