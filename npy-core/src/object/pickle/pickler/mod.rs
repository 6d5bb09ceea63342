//! The pickler, which writes values of Python's own types as opcodes, as Python does.

mod dtype;
mod numpy;
mod times;

use std::collections::HashMap;
use std::io::Write;

use super::super::value::PyObject;
use super::super::value::decimal::is_decimal;
use super::super::value::int::PyInt;
use super::error::dotted;
use crate::error::describe::counted;
use crate::error::{Error, Result, ValueError};

/// The protocol of the pickles, as of `np.save` of NumPy 2.
const PROTOCOL: u8 = 4;

/// The size at which a frame ends. Texts of this size have no frame. `_FRAME_SIZE_TARGET` of Python's `pickle`.
const FRAME_BYTES: usize = 64 * 1024;

/// The most items that one opcode adds to a container: `_BATCHSIZE` of Python's `pickle`.
const BATCH: usize = 1000;

/// The limit of levels of objects: the default of reading.
const MOST_DEPTH: usize = crate::options::object::DEFAULT_DEPTH;

/// The error of writing an object.
pub(crate) enum Failure {
    /// The object has no form in a pickle.
    Value(ValueError),
    /// The stream failed.
    Stream(Error),
}

impl From<ValueError> for Failure {
    fn from(error: ValueError) -> Self {
        Self::Value(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Stream(error)
    }
}

impl Failure {
    /// Converts to the error of an element.
    pub(crate) fn in_element(self, index: usize) -> Error {
        match self {
            Self::Value(error) => error.in_element(index as u64),
            Self::Stream(error) => error,
        }
    }
}

/// Writes a pickle.
pub(crate) struct Pickler<'a> {
    writer: &'a mut dyn Write,
    /// The content of the next frame.
    buffer: Vec<u8>,
    memo_len: u32,
    /// The memo indexes of names of modules and classes, of texts, and of dtypes.
    known: HashMap<String, u32>,
    depth: usize,
    /// The element of the outermost array that could not be written.
    pub(crate) failed: usize,
}

impl<'a> Pickler<'a> {
    pub(crate) fn new(writer: &'a mut dyn Write) -> Result<Self> {
        writer.write_all(&[0x80, PROTOCOL]).map_err(cannot_write)?;
        Ok(Self { writer, buffer: Vec::new(), memo_len: 0, known: HashMap::new(), depth: 0, failed: 0 })
    }

    /// Ends the pickle.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.op(b'.');
        self.flush()?;
        self.writer.flush().map_err(cannot_write)
    }

    /// Writes the buffer as a frame.
    fn flush(&mut self) -> Result<()> {
        // Python writes no frame for less.
        const LEAST: usize = 4;
        if self.buffer.len() >= LEAST {
            let mut frame = [0x95; 9];
            frame[1..].copy_from_slice(&(self.buffer.len() as u64).to_le_bytes());
            self.writer.write_all(&frame).map_err(cannot_write)?;
        }
        self.writer.write_all(&self.buffer).map_err(cannot_write)?;
        self.buffer.clear();
        Ok(())
    }

    pub(crate) fn op(&mut self, opcode: u8) {
        self.buffer.push(opcode);
    }

    /// Memoizes the value on top of the stack. Returns its index.
    pub(crate) fn memoize(&mut self) -> u32 {
        let index = self.memo_len;
        self.op(0x94);
        // Saturates without harm, because only indexes of `known` are fetched.
        self.memo_len = index.saturating_add(1);
        index
    }

    fn fetch(&mut self, index: u32) {
        if let Ok(index) = u8::try_from(index) {
            self.buffer.extend([b'h', index]);
        } else {
            self.op(b'j');
            self.buffer.extend(index.to_le_bytes());
        }
    }

    /// Fetches a value from the memo by its key. Returns whether it is there.
    pub(crate) fn fetch_known(&mut self, name: &str) -> bool {
        let index = self.known.get(name).copied();
        if let Some(index) = index {
            self.fetch(index);
        }
        index.is_some()
    }

    /// Memoizes the value on top of the stack, by a key.
    pub(crate) fn memoize_known(&mut self, name: String) {
        let index = self.memoize();
        self.known.insert(name, index);
    }

    /// Writes a class or function. Python shares the names of modules.
    pub(crate) fn global(&mut self, module: &str, name: &str) -> Result<(), Failure> {
        let path = format!("{module}\n{name}");
        if self.fetch_known(&path) {
            return Ok(());
        }
        self.shared_text(module)?;
        self.text(name)?;
        self.op(0x93);
        self.memoize_known(path);
        Ok(())
    }

    /// Ends a long frame at a boundary of opcodes.
    fn boundary(&mut self) -> Result<()> {
        if self.buffer.len() >= FRAME_BYTES { self.flush() } else { Ok(()) }
    }

    pub(crate) fn object(&mut self, object: &PyObject) -> Result<(), Failure> {
        self.boundary()?;
        match object {
            PyObject::List(items) => self.list(items.len(), |pickler, i| pickler.item(items, i)),
            PyObject::Tuple(items) => self.tuple(items.len(), |pickler| items.iter().try_for_each(|item| pickler.object(item))),
            PyObject::Dict(entries) => {
                self.op(b'}');
                self.memoize();
                self.entries(entries)
            }
            PyObject::OrderedDict(entries) => {
                self.call(("collections", "OrderedDict"), 0, |_| Ok(()))?;
                self.entries(entries)
            }
            PyObject::Set(items) => self.set(items),
            PyObject::FrozenSet(items) => self.frozen_set(items),
            PyObject::Slice(parts) => {
                self.call(("builtins", "slice"), 3, |pickler| parts.iter().try_for_each(|part| pickler.object(part)))
            }
            PyObject::Objects(array) => self.object_array(("numpy", "ndarray"), array),
            PyObject::Array(array) => self.array(("numpy", "ndarray"), array),
            PyObject::Subclass(object) => self.subclass(object),
            PyObject::Scalar(scalar) => self.scalar(scalar, false),
            PyObject::DType(dtype) => self.dtype(dtype, false),
            PyObject::Opaque(opaque) => {
                Err(ValueError::new(format!("cannot write an opaque object of {}", dotted(&opaque.module, &opaque.name))).into())
            }
            leaf => self.leaf(leaf),
        }
    }

    /// Writes an object without others in it.
    #[inline(never)]
    fn leaf(&mut self, object: &PyObject) -> Result<(), Failure> {
        self.check_levels(1)?;
        match object {
            PyObject::Bool(value) => self.bool(*value),
            PyObject::Int(value) => self.int(value)?,
            PyObject::Float(value) => self.float(*value),
            PyObject::Str(text) => self.text(text)?,
            PyObject::SurrogateStr(text) => self.fresh_text(text.as_bytes())?,
            PyObject::Bytes(bytes) => self.bytes(bytes)?,
            PyObject::ByteArray(bytes) if bytes.is_empty() => self.call(("builtins", "bytearray"), 0, |_| Ok(()))?,
            PyObject::ByteArray(bytes) => self.call(("builtins", "bytearray"), 1, |pickler| pickler.bytes(bytes))?,
            PyObject::Complex { re, im } => self.call(("builtins", "complex"), 2, |pickler| {
                pickler.float(*re);
                pickler.float(*im);
                Ok(())
            })?,
            PyObject::Range(parts) => self.call_with_integers(("builtins", "range"), &parts[..])?,
            PyObject::Fraction(parts) => self.call_with_integers(("fractions", "Fraction"), &parts[..])?,
            PyObject::Decimal(text) if is_decimal(text) => self.call(("decimal", "Decimal"), 1, |pickler| pickler.text(text))?,
            PyObject::Decimal(text) => return Err(ValueError::new(format!("invalid Decimal {text:?}")).into()),
            PyObject::Uuid(bytes) => self.uuid(*bytes)?,
            PyObject::Date(date) => self.call(("datetime", "date"), 1, |pickler| pickler.bytes(&date.to_bytes()))?,
            PyObject::Time(time) => self.time(time)?,
            PyObject::DateTime(moment) => self.date_time(moment)?,
            PyObject::TimeDelta(delta) => self.time_delta(*delta)?,
            PyObject::TimeZone(zone) => self.time_zone(zone)?,
            // `None`. All others contain objects.
            _ => self.none(),
        }
        Ok(())
    }

    fn call_with_integers(&mut self, class: (&str, &str), parts: &[PyInt]) -> Result<(), Failure> {
        self.call(class, parts.len(), |pickler| parts.iter().try_for_each(|part| pickler.int(part)))
    }

    /// Writes a UUID: an object without arguments, with the number in its state.
    fn uuid(&mut self, bytes: [u8; 16]) -> Result<(), Failure> {
        self.check_levels(3)?;
        self.global("uuid", "UUID")?;
        self.buffer.extend([b')', 0x81]);
        self.memoize();
        self.op(b'}');
        self.memoize();
        self.text("int")?;
        self.int(&PyInt::from(u128::from_be_bytes(bytes)))?;
        self.buffer.extend(b"sb");
        Ok(())
    }

    fn item(&mut self, items: &[PyObject], index: usize) -> Result<(), Failure> {
        items.get(index).map_or(Ok(()), |item| self.object(item))
    }

    /// Writes values nested `levels` deeper, counted as in reading.
    pub(crate) fn nested(&mut self, levels: usize, write: impl FnOnce(&mut Self) -> Result<(), Failure>) -> Result<(), Failure> {
        self.check_levels(levels)?;
        self.depth = self.depth.saturating_add(levels);
        let result = write(self);
        self.depth = self.depth.saturating_sub(levels);
        result
    }

    /// Refuses levels that this crate does not read.
    pub(crate) fn check_levels(&self, levels: usize) -> Result<(), Failure> {
        if self.depth.saturating_add(levels) > MOST_DEPTH {
            return Err(ValueError::new(format!("object nesting exceeds the limit of {MOST_DEPTH}")).into());
        }
        Ok(())
    }

    /// Writes a list of objects, each by `write`.
    pub(crate) fn list(
        &mut self,
        length: usize,
        write: impl FnMut(&mut Self, usize) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.op(b']');
        self.memoize();
        self.batches(length, (Some(b'a'), b'e'), write)
    }

    /// Adds items to a container, by an opcode for a single item, if there is one, and by one for several.
    fn batches(
        &mut self,
        length: usize,
        (single, several): (Option<u8>, u8),
        mut write: impl FnMut(&mut Self, usize) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.nested(1, |pickler| {
            if let (1, Some(single)) = (length, single) {
                write(pickler, 0)?;
                pickler.op(single);
                return Ok(());
            }
            for begin in (0..length).step_by(BATCH) {
                pickler.op(b'(');
                (begin..length.min(begin.saturating_add(BATCH))).try_for_each(|i| write(pickler, i))?;
                pickler.op(several);
            }
            Ok(())
        })
    }

    /// Writes a tuple of `count` items.
    pub(super) fn tuple(&mut self, count: usize, items: impl FnOnce(&mut Self) -> Result<(), Failure>) -> Result<(), Failure> {
        self.check_levels(1 + usize::from(count > 0))?;
        let opcode = match count {
            // Not memoized.
            0 => {
                self.op(b')');
                return Ok(());
            }
            1 => 0x85,
            2 => 0x86,
            3 => 0x87,
            _ => {
                self.op(b'(');
                b't'
            }
        };
        self.nested(1, items)?;
        self.op(opcode);
        self.memoize();
        Ok(())
    }

    /// Writes a call of a class or function with `count` arguments.
    pub(super) fn call(
        &mut self,
        (module, name): (&str, &str),
        count: usize,
        arguments: impl FnOnce(&mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.global(module, name)?;
        self.nested(1, |pickler| pickler.tuple(count, arguments))?;
        self.op(b'R');
        self.memoize();
        Ok(())
    }

    /// Writes the state of the last call, a tuple of `count` parts. Each axis beyond the first is a level.
    pub(super) fn state(
        &mut self,
        count: usize,
        axes: usize,
        parts: impl FnOnce(&mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.nested(axes.max(1), |pickler| pickler.tuple(count, parts))?;
        self.op(b'b');
        Ok(())
    }

    fn entries(&mut self, entries: &[(PyObject, PyObject)]) -> Result<(), Failure> {
        self.batches(entries.len(), (Some(b's'), b'u'), |pickler, i| {
            let Some((key, value)) = entries.get(i) else { return Ok(()) };
            pickler.object(key)?;
            pickler.object(value)
        })
    }

    fn set(&mut self, items: &[PyObject]) -> Result<(), Failure> {
        self.op(0x8f);
        self.memoize();
        self.batches(items.len(), (None, 0x90), |pickler, i| pickler.item(items, i))
    }

    fn frozen_set(&mut self, items: &[PyObject]) -> Result<(), Failure> {
        self.op(b'(');
        self.nested(1, |pickler| items.iter().try_for_each(|item| pickler.object(item)))?;
        self.op(0x91);
        self.memoize();
        Ok(())
    }

    /// Writes an `i64`.
    pub(crate) fn small_int(&mut self, value: i64) -> Result<(), Failure> {
        self.int(&PyInt::from(value))
    }

    fn int(&mut self, value: &PyInt) -> Result<(), Failure> {
        if let Some(value) = value.to_i64() {
            if let Ok(value) = u8::try_from(value) {
                self.buffer.extend([b'K', value]);
                return Ok(());
            }
            if let Ok(value) = u16::try_from(value) {
                self.op(b'M');
                self.buffer.extend(value.to_le_bytes());
                return Ok(());
            }
            if let Ok(value) = i32::try_from(value) {
                self.op(b'J');
                self.buffer.extend(value.to_le_bytes());
                return Ok(());
            }
        }
        let bytes = value.to_le_bytes();
        if let Ok(length) = u8::try_from(bytes.len()) {
            self.buffer.extend([0x8a, length]);
        } else {
            let length = i32::try_from(bytes.len()).map_err(|_| too_long(bytes.len()))?;
            self.op(0x8b);
            self.buffer.extend(length.to_le_bytes());
        }
        self.buffer.extend(bytes);
        Ok(())
    }

    pub(super) fn none(&mut self) {
        self.op(b'N');
    }

    pub(super) fn bool(&mut self, value: bool) {
        self.op(if value { 0x88 } else { 0x89 });
    }

    fn float(&mut self, value: f64) {
        self.op(b'G');
        self.buffer.extend(value.to_be_bytes());
    }

    /// Writes a text. Python shares those of one latin-1 character, which are written once.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        let mut characters = text.chars();
        match (characters.next().map(u32::from), characters.next()) {
            (None | Some(..=0xff), None) => self.shared_text(text),
            _ => self.fresh_text(text.as_bytes()),
        }
    }

    /// Writes a text that Python shares: the first time in full, then from the memo.
    pub(crate) fn shared_text(&mut self, text: &str) -> Result<(), Failure> {
        let key = format!("text {text}");
        if !self.fetch_known(&key) {
            self.fresh_text(text.as_bytes())?;
            self.memoized_as(key);
        }
        Ok(())
    }

    fn fresh_text(&mut self, text: &[u8]) -> Result<(), Failure> {
        self.counted([0x8c, b'X', 0x8d], text)?;
        self.memoize();
        Ok(())
    }

    /// Writes bytes. Python shares single ones.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let key = if bytes.len() < 2 { Some(format!("bytes {}", bytes.escape_ascii())) } else { None };
        if key.as_ref().is_some_and(|key| self.fetch_known(key)) {
            return Ok(());
        }
        self.counted([b'C', b'B', 0x8e], bytes)?;
        self.memoize();
        if let Some(key) = key {
            self.memoized_as(key);
        }
        Ok(())
    }

    /// Sets the key of the last memoized value.
    fn memoized_as(&mut self, key: String) {
        self.known.insert(key, self.memo_len.saturating_sub(1));
    }

    /// Writes a length and bytes, by the opcodes for lengths of 1, 4 and 8 bytes. Long ones have no frame.
    fn counted(&mut self, [short, medium, long]: [u8; 3], bytes: &[u8]) -> Result<(), Failure> {
        let length = bytes.len();
        let mut prefix = Vec::with_capacity(9);
        match (u8::try_from(length), u32::try_from(length)) {
            (Ok(length), _) => prefix.extend([short, length]),
            (_, Ok(length)) => {
                prefix.push(medium);
                prefix.extend(length.to_le_bytes());
            }
            _ => {
                prefix.push(long);
                prefix.extend((length as u64).to_le_bytes());
            }
        }
        if length < FRAME_BYTES {
            self.buffer.extend(prefix);
            self.buffer.extend(bytes);
            return Ok(());
        }
        self.flush()?;
        self.writer.write_all(&prefix).and_then(|()| self.writer.write_all(bytes)).map_err(cannot_write)?;
        Ok(())
    }
}

fn too_long(length: usize) -> Failure {
    ValueError::new(format!("object too large: expected less than 4 GiB, found {}", counted(length, "byte"))).into()
}

#[cold]
fn cannot_write(error: std::io::Error) -> Error {
    Error::io("cannot write the file", error)
}
