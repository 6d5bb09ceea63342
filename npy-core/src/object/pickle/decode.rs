//! Decodes texts, bytes, integers and what else is not made by a visitor.

use std::borrow::Cow;

use super::arena::{Arena, Extra, Items, NONE, Node};
use super::error::{Fault, PickleError, Result};
use super::globals::Known;
use super::text;
use crate::error;
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::limits::Limits;
use crate::memory::reserve_exact;
use crate::options::object::{Encoding, ObjectOptions};

/// A decoder of nodes.
pub(crate) struct Decoder<'a> {
    pub(crate) arena: &'a Arena<'a>,
    pub(crate) options: ObjectOptions,
    pub(crate) limits: Limits,
    pub(crate) numpy: Numpy,
    /// The number of objects being decoded, each within the one before it.
    depth: usize,
}

/// A dtype of a pickle.
#[derive(Clone)]
pub(crate) struct PickledDType {
    pub(crate) dtype: DType,
    /// Bytes of an element in memory, where an object is a pointer.
    pub(crate) itemsize: usize,
    /// The `StringDType`, if the objects are its texts.
    pub(crate) string: Option<PickledStringDType>,
}

/// The parameters of a `StringDType`.
#[derive(Clone, Copy)]
pub(crate) struct PickledStringDType {
    pub(crate) coerce: bool,
    /// The node of its `na_object`.
    pub(crate) na_object: Option<u32>,
}

/// The dtypes decoded so far, because many scalars share one.
#[derive(Default)]
pub(crate) struct Numpy {
    pub(crate) last: Option<(u32, PickledDType)>,
    /// The header of a scalar of that dtype.
    pub(crate) header: Option<Header>,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(arena: &'a Arena<'a>, options: &ObjectOptions, limits: Limits) -> Self {
        Self { arena, options: *options, limits, numpy: Numpy::default(), depth: 0 }
    }

    /// Enters an object, whose node may be in itself. [`leave`](Self::leave) leaves it.
    pub(crate) fn enter(&mut self, id: u32) -> Result<()> {
        self.depth = self.depth.saturating_add(1);
        check_depth(id, self.depth, &self.options)
    }

    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The state, the items and the entries of an object.
    pub(crate) fn added(&self, id: u32) -> Extra {
        self.arena.added(self.arena.node(id))
    }

    /// Refuses a state, items and entries of an object whose class has none.
    pub(crate) fn check_nothing_added(&self, id: u32, known: Known) -> Result<()> {
        match self.added(id).only_state() {
            Some(NONE) => Ok(()),
            _ => Err(invalid(id, known.path().1, "its arguments, without a state or items")),
        }
    }

    /// The items of a set, whose argument is a list.
    pub(crate) fn items_of_set(&self, id: u32, arguments: u32) -> Result<Items> {
        self.check_nothing_added(id, Known::Set)?;
        if let Node::Tuple(none @ Items { count: 0, .. }) = self.arena.node(arguments) {
            return Ok(none);
        }
        let list = self.arena.tuple(arguments).map(|[list]| self.arena.node(list));
        match list {
            Some(Node::List(items) | Node::Tuple(items) | Node::Set(items) | Node::FrozenSet(items)) => Ok(items),
            _ => Err(invalid(id, "set", "a list")),
        }
    }

    /// The pairs of an `OrderedDict`, which Python 2 passes, and the entries that Python 3 sets afterwards.
    pub(crate) fn pairs_of_ordered_dict(&self, id: u32, arguments: u32) -> Result<(Items, Items)> {
        let Extra { state, items, entries } = self.added(id);
        if state != NONE || items.count > 0 {
            return Err(invalid(id, "OrderedDict", "keys and values, without a state"));
        }
        match (self.arena.node(arguments), self.arena.tuple(arguments)) {
            (Node::Tuple(none @ Items { count: 0, .. }), _) => Ok((none, entries)),
            (_, Some([list])) if matches!(self.arena.node(list), Node::List(_)) => Ok((self.arena.node(list).items(), entries)),
            _ => Err(invalid(id, "OrderedDict", "a list of keys and values")),
        }
    }

    /// Returns whether the items of an array of texts are texts, or equal to its `na_object`.
    ///
    /// Without surrogates in the pickle, all its texts are valid.
    pub(crate) fn are_texts(&self, items: Items, na_object: Option<u32>, has_surrogates: bool) -> bool {
        // Items that occur several times are compared each time.
        let mut fuel = self.arena.len().saturating_mul(8);
        self.arena.children(items).all(|item| {
            let is_text = match self.arena.node(item) {
                Node::Text(_) | Node::EscapedText(_) => !has_surrogates || self.text(item).is_ok(),
                Node::OldText(_) | Node::QuotedOldText(_) => self.options.encoding != Encoding::Bytes,
                _ => false,
            };
            is_text || na_object.is_some_and(|na_object| self.arena.is_same(na_object, item, (self.options.depth, &mut fuel)))
        })
    }

    /// Returns whether a node is a text of Python 2 or 3.
    pub(crate) fn is_text(&self, id: u32) -> bool {
        let node = self.arena.node(id);
        matches!(node, Node::Text(_) | Node::EscapedText(_) | Node::OldText(_) | Node::QuotedOldText(_))
    }

    pub(crate) fn unescaped(id: u32, bytes: &[u8]) -> Result<Vec<u8>> {
        text::unescape_text(bytes).ok_or_else(|| PickleError::in_node(id, Fault::invalid_escape()))
    }

    /// Decodes a text. A `str` of Python 2 is text here, whatever the encoding.
    pub(crate) fn text(&self, id: u32) -> Result<Cow<'a, str>> {
        let node = self.arena.node(id);
        match node {
            Node::Text(span) => {
                let text = str::from_utf8(self.arena.bytes(span));
                text.map(Cow::Borrowed).map_err(|error| PickleError::in_node(id, Fault::not_utf8(error.valid_up_to())))
            }
            Node::EscapedText(span) => {
                let text = String::from_utf8(Self::unescaped(id, self.arena.bytes(span))?);
                text.map(Cow::Owned).map_err(|_| PickleError::in_node(id, Fault::invalid_escape()))
            }
            Node::OldText(_) | Node::QuotedOldText(_) => {
                let bytes = self.raw(id)?;
                let other = bytes.iter().find(|byte| !byte.is_ascii());
                match (other, self.options.encoding) {
                    (Some(&byte), Encoding::Ascii | Encoding::Bytes) => Err(PickleError::in_node(id, Fault::not_ascii(byte))),
                    _ => Ok(Cow::Owned(bytes.iter().copied().map(char::from).collect())),
                }
            }
            other => Err(PickleError::in_node(id, Fault::wrong_type("REDUCE", "a text", other.name()))),
        }
    }

    /// Decodes bytes of any protocol and Python version.
    pub(crate) fn raw(&self, id: u32) -> Result<Cow<'a, [u8]>> {
        match self.arena.node(id) {
            Node::Bytes(span) | Node::ByteArray(span) | Node::OldText(span) => Ok(Cow::Borrowed(self.arena.bytes(span))),
            Node::QuotedOldText(span) => {
                let bytes = text::unquote(self.arena.bytes(span));
                bytes.map(Cow::Owned).ok_or_else(|| PickleError::in_node(id, Fault::invalid_escape()))
            }
            Node::Call { callable, arguments, .. } => match (self.arena.node(callable), self.arena.node(arguments)) {
                (Node::Known(Known::Encode), _) => self.encoded(id, arguments),
                (Node::Known(Known::Bytes), Node::Tuple(Items { count: 0, .. })) => Ok(Cow::Borrowed(&[])),
                _ => Err(invalid(id, "bytes", "bytes")),
            },
            other => Err(PickleError::in_node(id, Fault::wrong_type("REDUCE", "bytes", other.name()))),
        }
    }

    /// `_codecs.encode(text, 'latin1')`: each character is a byte.
    fn encoded(&self, id: u32, arguments: u32) -> Result<Cow<'a, [u8]>> {
        let expected = "a text of latin-1 and 'latin1'";
        self.check_nothing_added(id, Known::Encode)?;
        let Some(parts) = self.arena.tuple(arguments) else { return Err(invalid(id, "encode", expected)) };
        self.latin1(parts)?.map(Cow::Owned).ok_or_else(|| invalid(id, "encode", expected))
    }

    /// The bytes of a text of latin-1, and the name of that encoding; `None` if it is another.
    pub(crate) fn latin1(&self, [text, encoding]: [u32; 2]) -> Result<Option<Vec<u8>>> {
        if !matches!(&*self.text(encoding)?, "latin1" | "latin-1") {
            return Ok(None);
        }
        Ok(self.text(text)?.chars().map(|character| u8::try_from(character).ok()).collect())
    }

    /// An `i64`.
    pub(crate) fn integer(&self, id: u32) -> Option<i64> {
        match self.arena.node(id) {
            Node::Int(value) => Some(value),
            Node::Bool(value) => Some(i64::from(value)),
            _ => None,
        }
    }
}

/// Checks the limit of levels.
pub(crate) fn check_depth(id: u32, depth: usize, options: &ObjectOptions) -> Result<()> {
    if depth > options.depth {
        let (limit, found) = (options.depth as u64, depth as u64);
        return Err(PickleError::in_node(id, Fault::LimitExceeded { what: "levels of objects", limit, found }));
    }
    Ok(())
}

#[cold]
pub(crate) fn invalid(id: u32, constructor: &'static str, expected: &'static str) -> PickleError {
    PickleError::in_node(id, Fault::invalid_arguments(constructor, expected))
}

/// Copies bytes of the pickle. Fails if the allocation does.
pub(crate) fn owned(bytes: Cow<'_, [u8]>) -> error::Result<Vec<u8>> {
    match bytes {
        Cow::Borrowed(bytes) => {
            let mut copy = Vec::new();
            reserve_exact(&mut copy, bytes.len())?;
            copy.extend_from_slice(bytes);
            Ok(copy)
        }
        Cow::Owned(bytes) => Ok(bytes),
    }
}
