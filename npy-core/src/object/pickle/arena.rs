//! The arena: the nodes of a pickle, stored flat.
//!
//! Each byte of a pickle makes at most one node and one edge. Shared and cyclic references take no
//! memory, and dropping does not recurse. Texts and bytes stay in the input.

use std::cmp::Ordering;
use std::mem::discriminant;

use super::error::Result;
use super::globals::Known;
use crate::error::{Error, ErrorKind};

/// No node or edge.
pub(crate) const NONE: u32 = u32::MAX;

/// A range of the input. The halves of the offset keep a node at 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    offset: [u32; 2],
    length: u32,
}

impl Span {
    /// Creates a span; `None` if it has 4 GiB.
    pub(crate) fn new(offset: usize, length: usize) -> Option<Self> {
        let offset = offset as u64;
        let half = |bits: u64| u32::try_from(bits & 0xffff_ffff).unwrap_or_default();
        Some(Self { offset: [half(offset), half(offset >> 32)], length: u32::try_from(length).ok()? })
    }

    pub(crate) fn length(self) -> usize {
        usize::try_from(self.length).unwrap_or(usize::MAX)
    }

    fn of(self, input: &[u8]) -> &[u8] {
        let [low, high] = self.offset.map(u64::from);
        let begin = usize::try_from(low | high << 32).unwrap_or(usize::MAX);
        input.get(begin..begin.saturating_add(self.length())).unwrap_or_default()
    }
}

/// The nodes of a container: a growing chain of edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items {
    pub(crate) first: u32,
    last: u32,
    pub(crate) count: u32,
}

impl Items {
    pub(crate) const EMPTY: Self = Self { first: NONE, last: NONE, count: 0 };
}

/// A value. Dictionaries hold keys and values in turn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// An integer in two's complement.
    Long(Span),
    /// An integer in decimal digits.
    LongText(Span),
    Text(Span),
    /// A text with the escapes of protocol 0.
    EscapedText(Span),
    Bytes(Span),
    ByteArray(Span),
    /// A `str` of Python 2, which is bytes.
    OldText(Span),
    /// The same in quotes and with escapes.
    QuotedOldText(Span),
    List(Items),
    Tuple(Items),
    Dict(Items),
    Set(Items),
    FrozenSet(Items),
    /// A known class or function.
    Known(Known),
    /// Another one: the nodes of its module and its name.
    Global {
        module: u32,
        name: u32,
    },
    /// A reference to a container or an object around it.
    Cycle,
    /// The result of a call. Nothing is called.
    Call {
        callable: u32,
        arguments: u32,
        /// The index of its state and items; `NONE` without any.
        extra: u32,
    },
}

const _: () = assert!(size_of::<Node>() == 16);

impl Node {
    /// The type of the node, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "a bool",
            Self::Int(_) | Self::Long(_) | Self::LongText(_) => "an int",
            Self::Float(_) => "a float",
            Self::Text(_) | Self::EscapedText(_) => "a str",
            Self::Bytes(_) => "bytes",
            Self::ByteArray(_) => "a bytearray",
            Self::OldText(_) | Self::QuotedOldText(_) => "a str of Python 2",
            Self::List(_) => "a list",
            Self::Tuple(_) => "a tuple",
            Self::Dict(_) => "a dict",
            Self::Set(_) => "a set",
            Self::FrozenSet(_) => "a frozenset",
            Self::Known(_) | Self::Global { .. } => "a class or function",
            Self::Cycle => "a cyclic reference",
            Self::Call { .. } => "an object",
        }
    }

    /// Its bytes of the input.
    pub(crate) fn span(self) -> Option<Span> {
        match self {
            Self::Long(span)
            | Self::LongText(span)
            | Self::Text(span)
            | Self::EscapedText(span)
            | Self::Bytes(span)
            | Self::ByteArray(span)
            | Self::OldText(span)
            | Self::QuotedOldText(span) => Some(span),
            _ => None,
        }
    }

    /// Returns whether it is neither a container nor an object.
    pub(crate) fn is_leaf(self) -> bool {
        !matches!(
            self,
            Self::List(_)
                | Self::Tuple(_)
                | Self::Dict(_)
                | Self::Set(_)
                | Self::FrozenSet(_)
                | Self::Global { .. }
                | Self::Call { .. }
        )
    }

    /// The items of a container.
    pub(crate) fn items(self) -> Items {
        match self {
            Self::List(items) | Self::Tuple(items) | Self::Dict(items) | Self::Set(items) | Self::FrozenSet(items) => items,
            _ => Items::EMPTY,
        }
    }
}

/// An item of a container, and the index of the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) node: u32,
    pub(crate) next: u32,
}

/// The state and the items added to an object by later opcodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extra {
    /// The node of its state, or `NONE`.
    pub(crate) state: u32,
    pub(crate) items: Items,
    /// Keys and values in turn.
    pub(crate) entries: Items,
}

impl Extra {
    pub(crate) const NONE: Self = Self { state: NONE, items: Items::EMPTY, entries: Items::EMPTY };

    /// Returns the state, unless there are items or entries, too.
    pub(crate) fn only_state(self) -> Option<u32> {
        (self.items.count == 0 && self.entries.count == 0).then_some(self.state)
    }
}

/// Returns the item of an id, if there is one.
pub(crate) fn get<T: Copy>(items: &[T], id: u32) -> Option<T> {
    usize::try_from(id).ok().and_then(|id| items.get(id)).copied()
}

fn get_mut<T>(items: &mut [T], id: u32) -> Option<&mut T> {
    usize::try_from(id).ok().and_then(|id| items.get_mut(id))
}

/// Sets the item of an id, if there is one.
pub(crate) fn set<T>(items: &mut [T], id: u32, value: T) {
    if let Some(slot) = get_mut(items, id) {
        *slot = value;
    }
}

/// All nodes of a pickle.
#[derive(Debug)]
pub(crate) struct Arena<'a> {
    pub(crate) input: &'a [u8],
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    extras: Vec<Extra>,
    /// A bit for each node that an opcode has pushed again, up to the last of them.
    shared: Vec<u64>,
}

impl<'a> Arena<'a> {
    pub(crate) fn new(input: &'a [u8]) -> Self {
        Self { input, nodes: Vec::new(), edges: Vec::new(), extras: Vec::new(), shared: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the node of an id of this arena.
    pub(crate) fn node(&self, id: u32) -> Node {
        get(&self.nodes, id).unwrap_or(Node::None)
    }

    pub(crate) fn bytes(&self, span: Span) -> &'a [u8] {
        span.of(self.input)
    }

    pub(crate) fn edge(&self, id: u32) -> Option<Edge> {
        get(&self.edges, id)
    }

    /// The state and the items added to an object by later opcodes; none for other nodes.
    pub(crate) fn added(&self, node: Node) -> Extra {
        match node {
            Node::Call { extra, .. } => get(&self.extras, extra).unwrap_or(Extra::NONE),
            _ => Extra::NONE,
        }
    }

    /// The nodes in a container.
    pub(crate) fn children(&self, items: Items) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.edge(items.first), |edge| self.edge(edge.next)).map(|edge| edge.node)
    }

    /// The nodes of a tuple of exactly `N`.
    pub(crate) fn tuple<const N: usize>(&self, id: u32) -> Option<[u32; N]> {
        let Node::Tuple(items) = self.node(id) else { return None };
        if usize::try_from(items.count) != Ok(N) {
            return None;
        }
        let mut nodes = [NONE; N];
        nodes.iter_mut().zip(self.children(items)).for_each(|(to, node)| *to = node);
        Some(nodes)
    }

    /// The nodes of a tuple of `N`, and of an optional last item.
    pub(crate) fn tuple_with_optional<const N: usize>(&self, id: u32) -> Option<([u32; N], Option<u32>)> {
        let Node::Tuple(items) = self.node(id) else { return None };
        let count = usize::try_from(items.count).ok().filter(|count| *count == N || *count == N + 1)?;
        let mut nodes = [NONE; N];
        nodes.iter_mut().zip(self.children(items)).for_each(|(to, node)| *to = node);
        Some((nodes, self.children(items).nth(N).filter(|_| count > N)))
    }

    /// Adds a node.
    pub(crate) fn push(&mut self, node: Node) -> Result<u32> {
        let id = number_of(self.nodes.len())?;
        reserve(&mut self.nodes, 1)?;
        self.nodes.push(node);
        Ok(id)
    }

    /// Adds nodes to a chain.
    pub(crate) fn append(&mut self, mut items: Items, nodes: &[u32]) -> Result<Items> {
        reserve(&mut self.edges, nodes.len())?;
        for &node in nodes {
            let id = number_of(self.edges.len())?;
            self.edges.push(Edge { node, next: NONE });
            match get_mut(&mut self.edges, items.last) {
                Some(last) => last.next = id,
                None => items.first = id,
            }
            items.last = id;
            // As many as there are edges, which have numbers.
            items.count = items.count.saturating_add(1);
        }
        Ok(items)
    }

    /// Makes the items of these edges cyclic references.
    pub(crate) fn cut(&mut self, edges: &[u32]) -> Result<()> {
        if edges.is_empty() {
            return Ok(());
        }
        let cycle = self.push(Node::Cycle)?;
        for edge in edges {
            if let Some(edge) = get_mut(&mut self.edges, *edge) {
                edge.node = cycle;
            }
        }
        Ok(())
    }

    /// Replaces a node.
    pub(crate) fn replace(&mut self, id: u32, node: Node) {
        set(&mut self.nodes, id, node);
    }

    /// Marks a node that occurs in several places.
    pub(crate) fn share(&mut self, id: u32) -> Result<()> {
        let bit = 1 << (id % 64);
        match get_mut(&mut self.shared, id / 64) {
            Some(word) => *word |= bit,
            None => self.share_first(id, bit)?,
        }
        Ok(())
    }

    /// Marks the first node beyond the words so far.
    #[cold]
    fn share_first(&mut self, id: u32, bit: u64) -> Result<()> {
        let words = usize::try_from(id / 64).unwrap_or(usize::MAX).saturating_add(1);
        let more = words.saturating_sub(self.shared.len());
        reserve(&mut self.shared, more)?;
        self.shared.resize(words, 0);
        if let Some(last) = self.shared.last_mut() {
            *last |= bit;
        }
        Ok(())
    }

    /// Returns whether a node may occur in several places.
    pub(crate) fn is_shared(&self, id: u32) -> bool {
        get(&self.shared, id / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }

    /// Returns whether two trees are equal, up to a number of levels and of nodes.
    pub(crate) fn is_same(&self, one: u32, other: u32, (levels, fuel): (usize, &mut usize)) -> bool {
        let (Some(levels), Some(rest)) = (levels.checked_sub(1), fuel.checked_sub(1)) else { return false };
        *fuel = rest;
        if one == other {
            return true;
        }
        let mut same = |(one, other): (u32, u32)| one == other || self.is_same(one, other, (levels, &mut *fuel));
        match (self.node(one), self.node(other)) {
            (Node::Bool(one), Node::Bool(other)) => one == other,
            (Node::Int(one), Node::Int(other)) => one == other,
            (Node::Float(one), Node::Float(other)) => {
                one.partial_cmp(&other) == Some(Ordering::Equal) || one.is_nan() && other.is_nan()
            }
            (Node::Known(one), Node::Known(other)) => one == other,
            (Node::Global { module, name }, Node::Global { module: other, name: of_other }) => {
                same((module, other)) && same((name, of_other))
            }
            (one @ Node::Call { callable, arguments, .. }, other @ Node::Call { callable: class, arguments: of_other, .. }) => {
                let (added, of_call) = (self.added(one), self.added(other));
                (added.items.count, added.entries.count) == (of_call.items.count, of_call.entries.count)
                    && [(callable, class), (arguments, of_other), (added.state, of_call.state)]
                        .into_iter()
                        .chain(self.children(added.items).zip(self.children(of_call.items)))
                        .chain(self.children(added.entries).zip(self.children(of_call.entries)))
                        .all(same)
            }
            (one, other) if discriminant(&one) != discriminant(&other) => false,
            (one, other) => match (one.span(), other.span()) {
                (Some(one), Some(other)) => self.bytes(one) == self.bytes(other),
                _ => {
                    let (one, other) = (one.items(), other.items());
                    one.count == other.count && self.children(one).zip(self.children(other)).all(same)
                }
            },
        }
    }

    /// Sets the state and the items of an object.
    pub(crate) fn set_extra(&mut self, id: u32, extra: Extra) {
        set(&mut self.extras, id, extra);
    }

    pub(crate) fn push_extra(&mut self) -> Result<u32> {
        let id = number_of(self.extras.len())?;
        reserve(&mut self.extras, 1)?;
        self.extras.push(Extra::NONE);
        Ok(id)
    }
}

/// Reserves memory for `more` items. Grows by a half, which bounds the copied bytes.
pub(crate) fn reserve<T>(items: &mut Vec<T>, more: usize) -> Result<()> {
    if items.capacity() - items.len() >= more {
        return Ok(());
    }
    let step = more.max(items.len() / 2).max(16);
    let bytes = items.len().saturating_add(step).saturating_mul(size_of::<T>());
    items.try_reserve_exact(step).map_err(|_| Error::out_of_memory(bytes))?;
    Ok(())
}

/// The id of the node or the edge at an index.
fn number_of(position: usize) -> Result<u32> {
    match u32::try_from(position) {
        Ok(number) if number != NONE => Ok(number),
        _ => {
            let message = format!("unsupported pickle: expected at most {NONE} objects, found more");
            Err(Error::new(ErrorKind::Unsupported, message).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn spans_tell_offsets_of_4_gib_apart() {
        let input = b"0123456789";
        let of = |offset: usize, length: usize| Span::new(offset, length).unwrap().of(input);
        assert_eq!((of(2, 3), of(9, 1), of(10, 0)), (&b"234"[..], &b"9"[..], &b""[..]));
        for (offset, length) in [(8, 3), (11, 1), ((1 << 32) + 2, 3), (1 << 32, 3), (5 << 32, 3)] {
            assert_eq!(of(offset, length), b"", "{length} at {offset}");
        }
        assert_eq!(Span::new((7 << 32) + 9, 3).unwrap().offset, [9, 7]);
        assert_eq!(Span::new(0, u32::MAX as usize).unwrap().length(), u32::MAX as usize);
        assert!(Span::new(0, u32::MAX as usize + 1).is_none());
        assert!(number_of(NONE as usize).is_err() && number_of(NONE as usize + 1).is_err());
        assert!(matches!(number_of(NONE as usize - 1), Ok(number) if number == NONE - 1));
    }

    #[test]
    fn chains_keep_their_nodes() {
        let mut arena = Arena::new(b"");
        let mut chains = [Items::EMPTY; 2];
        let mut expected = [Vec::new(), Vec::new()];
        // By turns, so that the edges of a chain are not neighbours.
        for (turn, nodes) in [&[1, 2, 3][..], &[], &[4], &[5, 6], &[7], &[]].into_iter().enumerate() {
            chains[turn % 2] = arena.append(chains[turn % 2], nodes).map_err(|_| ()).unwrap();
            expected[turn % 2].extend(nodes);
            for (items, expected) in chains.iter().zip(&expected) {
                assert_eq!(arena.children(*items).collect::<Vec<_>>(), *expected);
                assert_eq!(items.count as usize, expected.len());
            }
        }
        let tuple = arena.push(Node::Tuple(chains[1])).map_err(|_| ()).unwrap();
        assert_eq!(arena.tuple::<2>(tuple), Some([5, 6]));
        assert_eq!((arena.tuple::<1>(tuple), arena.tuple::<3>(tuple)), (None, None));
        assert_eq!(arena.tuple_with_optional::<2>(tuple), Some(([5, 6], None)));
        assert_eq!(arena.tuple_with_optional::<1>(tuple), Some(([5], Some(6))));
        assert_eq!((arena.tuple_with_optional::<0>(tuple), arena.tuple_with_optional::<3>(tuple)), (None, None));
    }

    /// Growth by single items would take quadratic time.
    #[test]
    fn memory_grows_by_a_half() {
        let reserved = |length: usize, capacity: usize, more: usize| {
            let mut items: Vec<u8> = Vec::with_capacity(capacity);
            items.resize(length, 0);
            assert_eq!(items.capacity(), capacity);
            reserve(&mut items, more).map_err(|_| ()).unwrap();
            items.capacity()
        };
        for (length, capacity, more, expected) in
            [(0, 0, 1, 16), (0, 0, 17, 17), (100, 100, 1, 150), (100, 100, 60, 160), (100, 110, 10, 110), (100, 110, 11, 150)]
        {
            assert_eq!(reserved(length, capacity, more), expected, "{more} more than {length} of {capacity}");
        }
    }
}
