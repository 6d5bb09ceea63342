//! Converts the nodes of an arena to values.
//!
//! Recursion is as deep as the values, which `measure` bounds.

use std::borrow::Cow;

use super::super::value::array::StringDType;
use super::super::value::subclass::ArrayClass;
use super::super::value::surrogates::SurrogateStr;
use super::super::value::{Opaque, PyObject, int};
use super::arena::{Arena, Extra, Items, NONE, Node};
use super::error::{Fault, PickleError, Result};
use super::globals::Known;
use super::text;
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::limits::Limits;
use crate::memory::reserve_exact;
use crate::options::object::{Encoding, ObjectOptions, UnknownGlobals};

/// A converter of nodes to values.
pub(crate) struct Builder<'a> {
    pub(crate) arena: &'a Arena<'a>,
    pub(crate) options: ObjectOptions,
    pub(crate) limits: Limits,
    pub(crate) numpy: Numpy,
}

/// A dtype of a pickle.
#[derive(Clone)]
pub(crate) struct PickledDType {
    pub(crate) dtype: DType,
    /// Bytes of an element in memory, where an object is a pointer.
    pub(crate) itemsize: usize,
    /// The `StringDType`, if the objects are its texts.
    pub(crate) string: Option<Box<StringDType>>,
}

/// A cache of the last dtype, because many scalars share one.
#[derive(Default)]
pub(crate) struct Numpy {
    pub(crate) last: Option<(u32, PickledDType)>,
    /// The header of a scalar of that dtype.
    pub(crate) header: Option<Header>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(arena: &'a Arena<'a>, options: &ObjectOptions, limits: Limits) -> Self {
        Self { arena, options: *options, limits, numpy: Numpy::default() }
    }

    pub(crate) fn object(&mut self, id: u32) -> Result<PyObject> {
        match self.arena.node(id) {
            Node::List(items) => self.objects(items).map(PyObject::List),
            Node::Tuple(items) => self.objects(items).map(PyObject::Tuple),
            Node::Set(items) => self.objects(items).map(PyObject::Set),
            Node::FrozenSet(items) => self.objects(items).map(PyObject::FrozenSet),
            Node::Dict(items) => self.entries(items).map(PyObject::Dict),
            Node::Call { .. } => self.called(id),
            _ => self.leaf(id),
        }
    }

    /// The values in a container.
    pub(crate) fn objects(&mut self, items: Items) -> Result<Vec<PyObject>> {
        let mut objects = Vec::new();
        // Bounded by the number of edges.
        reserve_exact(&mut objects, usize::try_from(items.count).unwrap_or(usize::MAX))?;
        let mut next = items.first;
        while let Some(edge) = self.arena.edge(next) {
            objects.push(self.object(edge.node)?);
            next = edge.next;
        }
        Ok(objects)
    }

    /// Keys and values.
    pub(crate) fn entries(&mut self, items: Items) -> Result<Vec<(PyObject, PyObject)>> {
        let mut entries = Vec::new();
        reserve_exact(&mut entries, usize::try_from(items.count / 2).unwrap_or(usize::MAX))?;
        let mut next = items.first;
        while let Some(key) = self.arena.edge(next)
            && let Some(value) = self.arena.edge(key.next)
        {
            let pair = (self.object(key.node)?, self.object(value.node)?);
            entries.push(pair);
            next = value.next;
        }
        Ok(entries)
    }

    /// A value that is not a container.
    #[inline(never)]
    fn leaf(&self, id: u32) -> Result<PyObject> {
        Ok(match self.arena.node(id) {
            Node::Bool(value) => PyObject::Bool(value),
            Node::Int(value) => PyObject::from(value),
            Node::Float(value) => PyObject::Float(value),
            Node::Long(span) => PyObject::Int(int::PyInt::from_le_bytes(self.arena.bytes(span))),
            Node::LongText(span) => {
                let bytes = self.arena.bytes(span);
                let number = text::digits(bytes).and_then(int::parse);
                number.map(PyObject::Int).ok_or_else(|| PickleError::in_node(id, Fault::invalid_integer(bytes)))?
            }
            Node::OldText(_) | Node::QuotedOldText(_) if self.options.encoding == Encoding::Bytes => {
                PyObject::Bytes(self.raw_owned(id)?)
            }
            Node::Text(span) => Self::text_object(id, self.arena.bytes(span))?,
            Node::EscapedText(span) => Self::text_object(id, &Self::unescaped(id, self.arena.bytes(span))?)?,
            Node::OldText(_) | Node::QuotedOldText(_) => PyObject::Str(self.text(id)?.into_owned()),
            Node::Bytes(span) => PyObject::Bytes(copied(self.arena.bytes(span))?),
            Node::ByteArray(span) => PyObject::ByteArray(copied(self.arena.bytes(span))?),
            Node::Known(known) => self.opaque(id, known.path(), None)?,
            Node::Global { module, name } => {
                let path = (self.text(module)?, self.text(name)?);
                self.opaque(id, (&path.0, &path.1), None)?
            }
            // Containers and calls are not leaves.
            _ => PyObject::None,
        })
    }

    /// Creates an unknown class or function, or an object of it.
    #[inline(never)]
    pub(crate) fn opaque(&self, id: u32, path: (&str, &str), arguments: Option<Vec<PyObject>>) -> Result<PyObject> {
        if self.options.unknown_globals == UnknownGlobals::Refuse {
            return Err(PickleError::in_node(id, Fault::unknown_global(path.0, path.1)));
        }
        Ok(PyObject::Opaque(Box::new(Opaque::named(path.0, path.1, arguments))))
    }

    /// The result of a call.
    fn called(&mut self, id: u32) -> Result<PyObject> {
        let Node::Call { callable, arguments, .. } = self.arena.node(id) else { return Ok(PyObject::None) };
        let Node::Known(known) = self.arena.node(callable) else { return self.opaque_call(id, callable, arguments) };
        match known {
            Known::Slice => self.slice(id, arguments),
            Known::Set => self.set(id, arguments).map(PyObject::Set),
            Known::FrozenSet => self.set(id, arguments).map(PyObject::FrozenSet),
            Known::OrderedDict => self.ordered_dict(id, arguments),
            Known::Reconstruct => self.reconstructed(id),
            Known::MaskedReconstruct => self.masked_array(id),
            Known::MaskedConstant => {
                self.check_nothing_added(id, known)?;
                Ok(PyObject::of_class(ArrayClass::MaskedConstant, PyObject::Float(0.0)))
            }
            Known::FromBuffer => self.buffer_array(id, arguments),
            Known::Scalar => self.scalar(id, arguments),
            // Objects in protocols 0 and 1: a class, its base, and the state of the base.
            Known::Reconstructor => match self.arena.tuple(arguments) {
                Some([class, base, state]) => match (self.arena.node(class), self.arena.node(base), self.arena.node(state)) {
                    (Node::Known(known), Node::Known(Known::Object), Node::None) => self.simple(id, known, NONE),
                    (Node::Known(_), _, _) => Err(invalid(id, "copyreg._reconstructor", "the base `object`, without a state")),
                    _ => self.opaque_call(id, class, arguments),
                },
                None => Err(invalid(id, "copyreg._reconstructor", "a class, its base and a state")),
            },
            // A bare `object`.
            Known::Object => self.opaque_call(id, callable, arguments),
            _ => self.simple(id, known, arguments),
        }
    }

    /// The result of a call of an unknown class or function.
    fn opaque_call(&mut self, id: u32, callable: u32, arguments: u32) -> Result<PyObject> {
        let path = match self.arena.node(callable) {
            Node::Known(known) => (Cow::Borrowed(known.path().0), Cow::Borrowed(known.path().1)),
            Node::Global { module, name } => (self.text(module)?, self.text(name)?),
            other => return Err(PickleError::in_node(id, Fault::not_callable("REDUCE", other.name()))),
        };
        let arguments = self.objects(self.arena.node(arguments).items())?;
        let mut object = self.opaque(id, (&path.0, &path.1), Some(arguments))?;
        let Extra { state, items, entries } = self.added(id);
        if let PyObject::Opaque(opaque) = &mut object {
            opaque.state = if state == NONE { None } else { Some(self.object(state)?) };
            opaque.items = self.objects(items)?;
            opaque.entries = self.entries(entries)?;
        }
        Ok(object)
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

    fn slice(&mut self, id: u32, arguments: u32) -> Result<PyObject> {
        self.check_nothing_added(id, Known::Slice)?;
        let Some([begin, end, step]) = self.arena.tuple(arguments) else {
            return Err(invalid(id, "slice", "start, stop and step"));
        };
        Ok(PyObject::Slice(Box::new([self.object(begin)?, self.object(end)?, self.object(step)?])))
    }

    /// The items of a set, whose argument is a list.
    fn set(&mut self, id: u32, arguments: u32) -> Result<Vec<PyObject>> {
        self.check_nothing_added(id, Known::Set)?;
        if let Node::Tuple(Items { count: 0, .. }) = self.arena.node(arguments) {
            return Ok(Vec::new());
        }
        let list = self.arena.tuple(arguments).map(|[list]| self.arena.node(list));
        match list {
            Some(Node::List(items) | Node::Tuple(items) | Node::Set(items) | Node::FrozenSet(items)) => self.objects(items),
            _ => Err(invalid(id, "set", "a list")),
        }
    }

    fn ordered_dict(&mut self, id: u32, arguments: u32) -> Result<PyObject> {
        let Extra { state, items, entries: added } = self.added(id);
        if state != NONE || items.count > 0 {
            return Err(invalid(id, "OrderedDict", "keys and values, without a state"));
        }
        let mut entries = Vec::new();
        // Python 2 passes a list of pairs, Python 3 sets entries afterwards.
        let pairs = match (self.arena.node(arguments), self.arena.tuple(arguments)) {
            (Node::Tuple(none @ Items { count: 0, .. }), _) => none,
            (_, Some([list])) if matches!(self.arena.node(list), Node::List(_)) => self.arena.node(list).items(),
            _ => return Err(invalid(id, "OrderedDict", "a list of keys and values")),
        };
        for pair in self.arena.children(pairs) {
            match self.arena.node(pair) {
                Node::List(items @ Items { count: 2, .. }) | Node::Tuple(items @ Items { count: 2, .. }) => {
                    entries.append(&mut self.entries(items)?);
                }
                _ => return Err(invalid(id, "OrderedDict", "a list of keys and values")),
            }
        }
        entries.append(&mut self.entries(added)?);
        Ok(PyObject::OrderedDict(entries))
    }

    /// Returns whether a node is a text of Python 2 or 3.
    pub(crate) fn is_text(&self, id: u32) -> bool {
        let node = self.arena.node(id);
        matches!(node, Node::Text(_) | Node::EscapedText(_) | Node::OldText(_) | Node::QuotedOldText(_))
    }

    /// Converts a text of Python 3, which may have lone surrogates.
    fn text_object(id: u32, bytes: &[u8]) -> Result<PyObject> {
        let text = match String::from_utf8(copied(bytes)?) {
            Ok(text) => return Ok(PyObject::Str(text)),
            Err(_) => SurrogateStr::from_bytes(bytes),
        };
        text.map(PyObject::SurrogateStr).map_err(|position| PickleError::in_node(id, Fault::not_utf8(position)))
    }

    fn unescaped(id: u32, bytes: &[u8]) -> Result<Vec<u8>> {
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

    /// [`raw`](Self::raw), copied.
    pub(crate) fn raw_owned(&self, id: u32) -> Result<Vec<u8>> {
        match self.raw(id)? {
            Cow::Borrowed(bytes) => copied(bytes),
            Cow::Owned(bytes) => Ok(bytes),
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

#[cold]
pub(crate) fn invalid(id: u32, constructor: &'static str, expected: &'static str) -> PickleError {
    PickleError::in_node(id, Fault::invalid_arguments(constructor, expected))
}

/// Copies bytes of the pickle. Fails if the allocation does.
fn copied(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut copy = Vec::new();
    reserve_exact(&mut copy, bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}
