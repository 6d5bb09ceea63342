//! Decodes pickled dtypes of NumPy.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::value::array::object_dtype;
use super::arena::{Items, NONE, Node};
use super::decode::{Decoder, PickledDType, PickledStringDType, invalid};
use super::error::{Fault, PickleError, Result};
use super::globals::Known;
use crate::error::{Error, ErrorKind};
use crate::format::dtype::{ByteOrder, DType, Field, Record, TimeUnit};
use crate::format::shape::{MOST_DIMENSIONS, too_many_dimensions};

/// The flags of a dtype with objects: counted, and pickled as a list.
const OBJECT_FLAGS: i64 = 3;

/// The flag of a dtype whose elements are pointers.
const IS_POINTER: i64 = 4;

/// The expected call of `dtype` and its state.
const DTYPE_STATE: &str = "a code of a dtype, and its state";

/// The code of a pickled dtype, and the used parts of its state.
struct DTypeState<'a> {
    code: Cow<'a, str>,
    version: i64,
    order: Cow<'a, str>,
    sub_array: u32,
    names: u32,
    fields: u32,
    /// `None` if it is negative.
    size: Option<usize>,
    flags: i64,
    metadata: u32,
}

impl<'a> Decoder<'a> {
    /// Converts a dtype that is a value.
    pub(crate) fn dtype_object(&mut self, id: u32) -> Result<DType> {
        let pickled = self.dtype(id)?;
        match pickled.string {
            None => Ok(pickled.dtype),
            Some(_) => Err(PickleError::in_node(id, Fault::invalid_array("StringDType outside of an array"))),
        }
    }

    /// Decodes `dtype(code, False, True)` and its state.
    pub(super) fn dtype(&mut self, id: u32) -> Result<PickledDType> {
        if let Some((last, dtype)) = &self.numpy.last
            && *last == id
        {
            return Ok(dtype.clone());
        }
        self.enter(id)?;
        let dtype = self.make_dtype(id)?;
        self.leave();
        self.numpy.last = Some((id, dtype.clone()));
        self.numpy.header = None;
        Ok(dtype)
    }

    #[inline(never)]
    fn make_dtype(&mut self, id: u32) -> Result<PickledDType> {
        let (callable, arguments) = match self.arena.node(id) {
            Node::Call { callable, arguments, .. } => (self.arena.node(callable), arguments),
            other => {
                return Err(PickleError::in_node(id, Fault::wrong_type("BUILD", "a dtype", other.name())));
            }
        };
        match callable {
            Node::Known(Known::DType) => {}
            Node::Known(Known::StringDType) => return self.string_dtype(id, arguments),
            _ => return Err(invalid(id, "ndarray", "a dtype")),
        }
        let state = self.dtype_state(id, arguments)?;
        let pickled = self.dtype_of_state(id, &state)?;
        let has_object = pickled.dtype.has_object();
        let object_flags = if has_object { OBJECT_FLAGS } else { 0 };
        // NumPy dereferences elements with the flag of pointers. Before version 3, the only flag was that of
        // objects.
        let others = if state.version < 3 { -1 } else { IS_POINTER };
        if state.flags & OBJECT_FLAGS != object_flags || state.flags & others != 0 && !has_object {
            return Err(invalid(id, "dtype", "flags that say whether it holds objects"));
        }
        // NumPy uses this size of texts, bytes and voids.
        if state.code.starts_with(['S', 'U', 'V']) && state.size != Some(pickled.itemsize) {
            return Err(invalid(id, "dtype", "the size that its code has"));
        }
        Ok(pickled)
    }

    /// Decodes the arguments of `dtype` and its state.
    fn dtype_state(&self, id: u32, arguments: u32) -> Result<DTypeState<'a>> {
        let wrong = || invalid(id, "dtype", DTYPE_STATE);
        let [code, align, copy] = self.arena.tuple(arguments).ok_or_else(wrong)?;
        let code = match self.arena.node(code) {
            Node::Known(Known::Record) => "V0".into(),
            Node::Known(known @ Known::MlType(_)) => known.path().1.into(),
            _ if self.is_text(code) => self.text(code)?,
            _ => return Err(wrong()),
        };
        let state = self.added(id).only_state().ok_or_else(wrong)?;
        let Node::Tuple(parts @ Items { count: 8..=9, .. }) = self.arena.node(state) else { return Err(wrong()) };
        let mut part = [NONE; 9];
        part.iter_mut().zip(self.arena.children(parts)).for_each(|(to, node)| *to = node);
        let [version, order, sub_array, names, fields, itemsize, alignment, flags, metadata] = part;
        // Unused items are checked, too.
        if [align, copy, alignment].into_iter().any(|number| self.integer(number).is_none()) {
            return Err(wrong());
        }
        let version = self.integer(version).filter(|version| (0..=4).contains(version)).ok_or_else(wrong)?;
        let flags = self.integer(flags).ok_or_else(wrong)?;
        let order = self.text(order)?;
        if !matches!(&*order, "<" | ">" | "|" | "=") {
            return Err(invalid(id, "dtype", "a byte order"));
        }
        if !matches!(&*code, "M8" | "m8") {
            self.check_metadata(id, metadata)?;
        }
        let size = usize::try_from(self.integer(itemsize).ok_or_else(wrong)?).ok();
        Ok(DTypeState { code, version, order, sub_array, names, fields, size, flags, metadata })
    }

    fn dtype_of_state(&mut self, id: u32, state: &DTypeState<'_>) -> Result<PickledDType> {
        let wrong = || invalid(id, "dtype", DTYPE_STATE);
        match (self.arena.node(state.sub_array), self.arena.node(state.names), self.arena.node(state.fields)) {
            (Node::None, Node::None, Node::None) => self.scalar_dtype(id, &state.code, &state.order, state.metadata),
            // NumPy expects the code of a void, and the names among the fields before version 2.
            (Node::None, Node::Tuple(_), Node::Dict(_)) if !is_code_of_void(&state.code) || state.version < 2 => {
                Err(invalid(id, "dtype", "the code and the version of a record"))
            }
            (Node::None, Node::Tuple(names), Node::Dict(fields)) => {
                let size = state.size.ok_or_else(|| invalid(id, "dtype", "the size of a record"))?;
                self.record(id, names, fields, size)
            }
            (Node::Tuple(_), Node::None, Node::None) if !is_code_of_void(&state.code) => {
                Err(invalid(id, "dtype", "the code of a sub-array"))
            }
            (Node::Tuple(_), Node::None, Node::None) => {
                let [base, shape] = self.arena.tuple(state.sub_array).ok_or_else(wrong)?;
                self.sub_array(id, base, shape)
            }
            _ => Err(wrong()),
        }
    }

    /// Refuses metadata that is not a dict. The content is ignored.
    fn check_metadata(&self, id: u32, metadata: u32) -> Result<()> {
        match self.arena.node(metadata) {
            _ if metadata == NONE => Ok(()),
            Node::None | Node::Dict(_) => Ok(()),
            _ => Err(invalid(id, "dtype", "metadata that is a dict")),
        }
    }

    /// Decodes a scalar dtype: a byte order, a code such as `f8`, and the unit of a time.
    fn scalar_dtype(&self, id: u32, code: &str, order: &str, metadata: u32) -> Result<PickledDType> {
        // A name of `ml_dtypes`.
        if Known::find(b"ml_dtypes", code.as_bytes()).is_some() {
            let order = if order == ">" { ByteOrder::Big } else { ByteOrder::Little };
            let dtype: DType = code.parse().map_err(|error| in_array(id, error))?;
            let (dtype, itemsize) = (dtype.clone().with_byte_order(order), dtype.itemsize());
            return Ok(PickledDType { dtype, itemsize, string: None });
        }
        let (Some(letter), Some(digits)) = (code.get(..1), code.get(1..)) else { return Err(invalid(id, "dtype", "a code")) };
        if !digits.bytes().all(|digit| digit.is_ascii_digit()) || !letter.bytes().all(|letter| letter.is_ascii_alphabetic()) {
            return Err(invalid(id, "dtype", "a code of a letter and digits"));
        }
        if letter == "O" && !matches!(digits, "" | "4" | "8") {
            return Err(invalid(id, "dtype", "the code O4 or O8 of objects"));
        }
        if letter == "O" {
            let itemsize = if digits == "4" { 4 } else { 8 };
            // The only one that has no byte order and no size of its own.
            return Ok(PickledDType { dtype: object_dtype(), itemsize, string: None });
        }
        let unit = if matches!(code, "M8" | "m8") { self.time_unit(id, metadata)? } else { String::new() };
        let dtype: DType = format!("{order}{code}{unit}").parse().map_err(|error| in_array(id, error))?;
        let itemsize = dtype.itemsize();
        Ok(PickledDType { dtype, itemsize, string: None })
    }

    /// Decodes the unit of a time, such as `[25s]`.
    fn time_unit(&self, id: u32, metadata: u32) -> Result<String> {
        let expected = "the unit of a time";
        let Some([metadata, unit]) = self.arena.tuple(metadata) else { return Err(invalid(id, "dtype", expected)) };
        self.check_metadata(id, metadata)?;
        let Some([name, count, divisor, event]) = self.arena.tuple(unit) else { return Err(invalid(id, "dtype", expected)) };
        let bytes = match self.arena.node(name) {
            Node::Text(span) => Cow::Borrowed(self.arena.bytes(span)),
            _ => self.raw(name)?,
        };
        // NumPy ignores the event, which old versions wrote.
        let (Some(count @ 1..), Some(1), Some(_)) = (self.integer(count), self.integer(divisor), self.integer(event)) else {
            return Err(invalid(id, "dtype", expected));
        };
        match TimeUnit::of_symbol(&bytes) {
            Some(unit) => Ok(format!("[{count}{}]", unit.symbol())),
            None if *bytes == *b"generic" => Ok(String::new()),
            None => Err(invalid(id, "dtype", expected)),
        }
    }

    fn sub_array(&mut self, id: u32, base: u32, shape: u32) -> Result<PickledDType> {
        let base = self.dtype(base)?;
        let shape = match self.integer(shape) {
            Some(length) => vec![usize::try_from(length).map_err(|_| invalid(id, "dtype", "a shape"))?],
            None => self.shape(id, shape)?,
        };
        let itemsize = shape.iter().fold(base.itemsize, |bytes, &length| bytes.saturating_mul(length));
        let dtype = base.dtype.sub_array(&shape).map_err(|error| in_array(id, error))?;
        Ok(PickledDType { dtype, itemsize, string: None })
    }

    fn record(&mut self, id: u32, names: Items, fields: Items, itemsize: usize) -> Result<PickledDType> {
        let expected = "the names and the fields of a record";
        let mut count = usize::try_from(names.count).unwrap_or(usize::MAX);
        self.check_fields(count)?;
        let mut by_name = HashMap::new();
        let mut children = self.arena.children(fields);
        while let (Some(key), Some(value)) = (children.next(), children.next()) {
            // Titles are keys too, and need not be texts.
            if let Ok(key) = self.text(key) {
                by_name.insert(key, value);
            }
        }
        let mut placed = Vec::new();
        // An object is a pointer in memory, and takes no bytes in a header.
        let (mut end, mut end_in_memory) = (0_usize, 0_usize);
        for name in self.arena.children(names) {
            let name = self.text(name)?;
            let field = *by_name.get(&name).ok_or_else(|| invalid(id, "dtype", expected))?;
            let parts = self.arena.tuple_with_optional(field);
            let ([dtype, offset], title) = parts.ok_or_else(|| invalid(id, "dtype", expected))?;
            let offset = self.integer(offset).and_then(|offset| usize::try_from(offset).ok());
            let gap = offset.and_then(|offset| offset.checked_sub(end_in_memory));
            let gap = gap.ok_or_else(|| invalid(id, "dtype", "fields in the order of their offsets, without overlap"))?;
            let dtype = self.dtype(dtype)?;
            count = count.saturating_add(dtype.dtype.count_fields());
            self.check_fields(count)?;
            let offset = end.saturating_add(gap);
            end = offset.saturating_add(dtype.dtype.itemsize());
            end_in_memory = end_in_memory.saturating_add(gap).saturating_add(dtype.itemsize);
            let mut field = Field::new(name, offset, dtype.dtype);
            if let Some(title) = title.filter(|title| !matches!(self.arena.node(*title), Node::None)) {
                if !self.is_text(title) {
                    return Err(invalid(id, "dtype", "titles that are texts"));
                }
                field = field.with_title(self.text(title)?);
            }
            placed.push(field);
        }
        let padding = itemsize.checked_sub(end_in_memory).ok_or_else(|| invalid(id, "dtype", "a record that holds its fields"))?;
        let record = Record::new(placed, end.saturating_add(padding)).map_err(|error| in_array(id, error))?;
        Ok(PickledDType { dtype: record.into(), itemsize, string: None })
    }

    /// Checks the limit of fields, nested ones included, as in a header.
    fn check_fields(&self, count: usize) -> Result<()> {
        if count > self.limits.fields {
            let (limit, found) = (self.limits.fields as u64, count as u64);
            return Err(Error::limit_exceeded("fields", limit, found).into());
        }
        Ok(())
    }

    /// Decodes NumPy 2's `StringDType(coerce, na_object)`.
    fn string_dtype(&self, id: u32, arguments: u32) -> Result<PickledDType> {
        self.check_nothing_added(id, Known::StringDType)?;
        let wrong = || invalid(id, "StringDType", "coerce, and maybe na_object");
        let ([coerce], na_object) = self.arena.tuple_with_optional(arguments).ok_or_else(wrong)?;
        let coerce = self.integer(coerce).ok_or_else(wrong)? != 0;
        let string = Some(PickledStringDType { coerce, na_object });
        Ok(PickledDType { dtype: object_dtype(), itemsize: 16, string })
    }

    /// Decodes a shape, a tuple of lengths.
    pub(super) fn shape(&self, id: u32, shape: u32) -> Result<Vec<usize>> {
        let expected = "a shape, which is a tuple of lengths";
        let Node::Tuple(items) = self.arena.node(shape) else { return Err(invalid(id, "ndarray", expected)) };
        let found = usize::try_from(items.count).unwrap_or(usize::MAX);
        if found > MOST_DIMENSIONS {
            return Err(in_array(id, too_many_dimensions(found)));
        }
        let length = |node: u32| match self.arena.node(node) {
            Node::Int(length) => usize::try_from(length).ok(),
            _ => None,
        };
        self.arena.children(items).map(|node| length(node).ok_or_else(|| invalid(id, "ndarray", expected))).collect()
    }
}

/// Returns whether a code is `V` and a size.
fn is_code_of_void(code: &str) -> bool {
    code.strip_prefix('V').is_some_and(|size| !size.is_empty() && size.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Creates the error of an array at its node.
#[cold]
pub(super) fn in_array(id: u32, error: Error) -> PickleError {
    let fault = match error.kind() {
        ErrorKind::ObjectArray => Fault::invalid_array("expected data without pointers, found dtype 'O'"),
        ErrorKind::InvalidDType | ErrorKind::Unstorable | ErrorKind::TooLarge | ErrorKind::WrongShape => {
            Fault::invalid_array(error)
        }
        _ => return error.into(),
    };
    PickleError::in_node(id, fault)
}
