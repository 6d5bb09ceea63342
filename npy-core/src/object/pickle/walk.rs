//! Walks the nodes of an arena and lets a visitor make their values.
//!
//! Recursion is as deep as the values, which `measure` bounds, or the decoder if they may contain themselves.

use std::borrow::Cow;

use super::super::value::int;
use super::super::value::surrogates::SurrogateStr;
use super::super::visitor::Visitor;
use super::arena::{Extra, Items, NONE, Node, Span};
use super::decode::{Decoder, invalid};
use super::error::{Fault, PickleError, Result};
use super::globals::Known;
use super::text;
use crate::format::dtype::DType;
use crate::memory::reserve_exact;
use crate::options::object::{Encoding, UnknownGlobals};

/// A walk over the nodes of a pickle.
pub(crate) struct Walker<'v, 'a, V: Visitor> {
    pub(crate) decoder: Decoder<'a>,
    pub(crate) visitor: &'v mut V,
    /// The values of nodes that occur in several places, if the visitor shares them.
    handles: Vec<Option<V::Value>>,
    /// The last array, for an error of the root.
    pub(super) last_array: LastArray,
    /// Whether a text with lone surrogates was made.
    pub(super) has_surrogates: bool,
}

/// The last array of a walk.
pub(super) enum LastArray {
    Objects,
    /// Without objects.
    Values(DType),
    /// Of a subclass and without objects.
    Other,
    /// Of an unknown class.
    Opaque,
}

impl<'v, 'a, V: Visitor> Walker<'v, 'a, V> {
    pub(crate) fn new(decoder: Decoder<'a>, visitor: &'v mut V) -> Self {
        Self { decoder, visitor, handles: Vec::new(), last_array: LastArray::Other, has_surrogates: false }
    }

    pub(super) fn node(&self, id: u32) -> Node {
        self.decoder.arena.node(id)
    }

    #[inline]
    pub(crate) fn object(&mut self, id: u32) -> Result<V::Value> {
        if V::SHARES && self.decoder.arena.is_shared(id) { self.shared(id) } else { self.make(id) }
    }

    /// Makes a value once, and clones it afterwards.
    #[inline(never)]
    fn shared(&mut self, id: u32) -> Result<V::Value> {
        if let Some(value) = self.handle(id) {
            return Ok(value);
        }
        let value = self.make(id)?;
        // A tuple in a list that it contains was made when the list was filled.
        if let Some(value) = self.handle(id) {
            return Ok(value);
        }
        self.keep(id, &value)?;
        Ok(value)
    }

    fn handle(&self, id: u32) -> Option<V::Value> {
        usize::try_from(id).ok().and_then(|id| self.handles.get(id)).cloned().flatten()
    }

    /// Keeps the handle of a value that occurs in several places.
    pub(super) fn keep(&mut self, id: u32, value: &V::Value) -> Result<()> {
        if !V::SHARES || !self.decoder.arena.is_shared(id) {
            return Ok(());
        }
        if self.handles.is_empty() {
            let count = self.decoder.arena.len();
            reserve_exact(&mut self.handles, count)?;
            self.handles.resize(count, None);
        }
        if let Some(slot) = usize::try_from(id).ok().and_then(|id| self.handles.get_mut(id)) {
            *slot = Some(value.clone());
        }
        Ok(())
    }

    #[inline]
    fn make(&mut self, id: u32) -> Result<V::Value> {
        match self.node(id) {
            Node::Text(span) => self.text(id, span),
            node if node.is_leaf() => self.leaf(id, node),
            node => self.branch(id, node),
        }
    }

    /// A text of Python 3, without escapes.
    #[inline]
    fn text(&mut self, id: u32, span: Span) -> Result<V::Value> {
        let bytes = self.decoder.arena.bytes(span);
        match str::from_utf8(bytes) {
            Ok(text) => Ok(self.visitor.str(Cow::Borrowed(text))?),
            Err(_) => self.surrogates(id, bytes),
        }
    }

    fn branch(&mut self, id: u32, node: Node) -> Result<V::Value> {
        self.decoder.enter(id)?;
        let value = match node {
            Node::List(items) => {
                let mut list = self.visitor.list(count(items))?;
                self.keep(id, &list)?;
                let items = self.objects(items)?;
                self.visitor.extend(&mut list, items)?;
                list
            }
            Node::Tuple(items) => {
                let items = self.objects(items)?;
                self.visitor.tuple(items)?
            }
            Node::Dict(items) => {
                let mut dict = self.visitor.dict(count(items) / 2)?;
                self.keep(id, &dict)?;
                let entries = self.entries(items)?;
                self.visitor.set_items(&mut dict, entries)?;
                dict
            }
            Node::Set(items) => self.set(id, items)?,
            Node::FrozenSet(items) => {
                let items = self.objects(items)?;
                self.visitor.frozen_set(items)?
            }
            Node::Global { module, name } => {
                let path = (self.decoder.text(module)?, self.decoder.text(name)?);
                self.opaque(id, (&path.0, &path.1), None)?
            }
            _ => self.called(id)?,
        };
        self.decoder.leave();
        Ok(value)
    }

    fn set(&mut self, id: u32, items: Items) -> Result<V::Value> {
        let mut set = self.visitor.set(count(items))?;
        self.keep(id, &set)?;
        let items = self.objects(items)?;
        self.visitor.add_items(&mut set, items)?;
        Ok(set)
    }

    /// The values in a container.
    pub(crate) fn objects(&mut self, items: Items) -> Result<Vec<V::Value>> {
        let mut objects = Vec::new();
        // Bounded by the number of edges.
        reserve_exact(&mut objects, count(items))?;
        let mut next = items.first;
        while let Some(edge) = self.decoder.arena.edge(next) {
            objects.push(self.object(edge.node).map_err(|error| error.of_visitor(edge.node))?);
            next = edge.next;
        }
        Ok(objects)
    }

    /// Keys and values.
    fn entries(&mut self, items: Items) -> Result<Vec<(V::Value, V::Value)>> {
        let mut entries = Vec::new();
        reserve_exact(&mut entries, count(items) / 2)?;
        let mut next = items.first;
        while let Some(key) = self.decoder.arena.edge(next)
            && let Some(value) = self.decoder.arena.edge(key.next)
        {
            let key = self.object(key.node).map_err(|error| error.of_visitor(key.node))?;
            let entry = self.object(value.node).map_err(|error| error.of_visitor(value.node))?;
            entries.push((key, entry));
            next = value.next;
        }
        Ok(entries)
    }

    /// A value that is not a container.
    #[inline(never)]
    fn leaf(&mut self, id: u32, node: Node) -> Result<V::Value> {
        let decoder = &self.decoder;
        Ok(match node {
            Node::Bool(value) => self.visitor.bool(value)?,
            Node::Int(value) => self.visitor.int(value)?,
            Node::Float(value) => self.visitor.float(value)?,
            Node::Long(span) => self.long(int::PyInt::from_le_bytes(decoder.arena.bytes(span)))?,
            Node::LongText(span) => {
                let bytes = decoder.arena.bytes(span);
                let number = text::digits(bytes).and_then(int::parse);
                self.long(number.ok_or_else(|| PickleError::in_node(id, Fault::invalid_integer(bytes)))?)?
            }
            Node::OldText(_) | Node::QuotedOldText(_) if decoder.options.encoding == Encoding::Bytes => {
                self.visitor.bytes(decoder.raw(id)?)?
            }
            Node::Text(span) => self.text(id, span)?,
            Node::EscapedText(span) => match String::from_utf8(Decoder::unescaped(id, decoder.arena.bytes(span))?) {
                Ok(text) => self.visitor.str(Cow::Owned(text))?,
                Err(error) => self.surrogates(id, error.as_bytes())?,
            },
            Node::OldText(_) | Node::QuotedOldText(_) => self.visitor.str(decoder.text(id)?)?,
            Node::Bytes(span) => self.visitor.bytes(Cow::Borrowed(decoder.arena.bytes(span)))?,
            Node::ByteArray(span) => self.visitor.byte_array(Cow::Borrowed(decoder.arena.bytes(span)))?,
            Node::Known(known) => self.opaque(id, known.path(), None)?,
            Node::Cycle => self.visitor.opaque("", "...", None)?,
            // Containers and calls are not leaves.
            _ => self.visitor.none()?,
        })
    }

    fn long(&mut self, value: int::PyInt) -> Result<V::Value> {
        Ok(match value.to_i64() {
            Some(value) => self.visitor.int(value)?,
            None => self.visitor.big_int(value)?,
        })
    }

    /// A text that is not UTF-8, and maybe has lone surrogates.
    #[cold]
    fn surrogates(&mut self, id: u32, bytes: &[u8]) -> Result<V::Value> {
        let text = SurrogateStr::from_bytes(bytes);
        let text = text.map_err(|position| PickleError::in_node(id, Fault::not_utf8(position)))?;
        self.has_surrogates = true;
        Ok(self.visitor.surrogate_str(text)?)
    }

    /// Creates an unknown class or function, or an object of it.
    #[inline(never)]
    pub(crate) fn opaque(&mut self, id: u32, path: (&str, &str), arguments: Option<Vec<V::Value>>) -> Result<V::Value> {
        if self.decoder.options.unknown_globals == UnknownGlobals::Refuse {
            return Err(PickleError::in_node(id, Fault::unknown_global(path.0, path.1)));
        }
        Ok(self.visitor.opaque(path.0, path.1, arguments)?)
    }

    /// The result of a call.
    fn called(&mut self, id: u32) -> Result<V::Value> {
        let Node::Call { callable, arguments, .. } = self.node(id) else { return Ok(self.visitor.none()?) };
        let Node::Known(known) = self.node(callable) else { return self.opaque_call(id, callable, arguments) };
        match known {
            Known::Slice => self.slice(id, arguments),
            Known::Set => {
                let items = self.decoder.items_of_set(id, arguments)?;
                self.set(id, items)
            }
            Known::FrozenSet => {
                let items = self.decoder.items_of_set(id, arguments)?;
                let items = self.objects(items)?;
                Ok(self.visitor.frozen_set(items)?)
            }
            Known::OrderedDict => self.ordered_dict(id, arguments),
            Known::Reconstruct => self.reconstructed(id),
            Known::MaskedReconstruct => self.masked_array(id),
            Known::MaskedConstant => {
                self.decoder.check_nothing_added(id, known)?;
                Ok(self.visitor.masked_constant()?)
            }
            Known::FromBuffer => self.buffer_array(id, arguments),
            Known::Scalar => self.scalar(id, arguments),
            // Objects in protocols 0 and 1: a class, its base, and the state of the base.
            Known::Reconstructor => match self.decoder.arena.tuple(arguments) {
                Some([class, base, state]) => match (self.node(class), self.node(base), self.node(state)) {
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
    fn opaque_call(&mut self, id: u32, callable: u32, arguments: u32) -> Result<V::Value> {
        let path = match self.node(callable) {
            Node::Known(known) => (Cow::Borrowed(known.path().0), Cow::Borrowed(known.path().1)),
            Node::Global { module, name } => (self.decoder.text(module)?, self.decoder.text(name)?),
            other => return Err(PickleError::in_node(id, Fault::not_callable("REDUCE", other.name()))),
        };
        let arguments = self.objects(self.node(arguments).items())?;
        let mut object = self.opaque(id, (&path.0, &path.1), Some(arguments))?;
        self.keep(id, &object)?;
        self.set_state(id, &mut object)?;
        Ok(object)
    }

    /// Adds the state, the items and the entries of an opaque object.
    pub(super) fn set_state(&mut self, id: u32, object: &mut V::Value) -> Result<()> {
        let Extra { state, items, entries } = self.decoder.added(id);
        let state = if state == NONE { None } else { Some(self.object(state)?) };
        let (items, entries) = (self.objects(items)?, self.entries(entries)?);
        Ok(self.visitor.set_state(object, state, items, entries)?)
    }

    fn slice(&mut self, id: u32, arguments: u32) -> Result<V::Value> {
        self.decoder.check_nothing_added(id, Known::Slice)?;
        let Some([begin, end, step]) = self.decoder.arena.tuple(arguments) else {
            return Err(invalid(id, "slice", "start, stop and step"));
        };
        let parts = [self.object(begin)?, self.object(end)?, self.object(step)?];
        Ok(self.visitor.slice(parts)?)
    }

    fn ordered_dict(&mut self, id: u32, arguments: u32) -> Result<V::Value> {
        let (pairs, added) = self.decoder.pairs_of_ordered_dict(id, arguments)?;
        let mut dict = self.visitor.ordered_dict(count(pairs).saturating_add(count(added) / 2))?;
        self.keep(id, &dict)?;
        let mut entries = Vec::new();
        let arena = self.decoder.arena;
        for pair in arena.children(pairs) {
            match self.node(pair) {
                Node::List(items @ Items { count: 2, .. }) | Node::Tuple(items @ Items { count: 2, .. }) => {
                    entries.append(&mut self.entries(items)?);
                }
                _ => return Err(invalid(id, "OrderedDict", "a list of keys and values")),
            }
        }
        entries.append(&mut self.entries(added)?);
        self.visitor.set_items(&mut dict, entries)?;
        Ok(dict)
    }
}

/// The number of items, as a capacity.
fn count(items: Items) -> usize {
    usize::try_from(items.count).unwrap_or(usize::MAX)
}
