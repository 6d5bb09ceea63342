//! Depth and size of a tree, measured before any value is constructed.

use super::arena::{Arena, NONE, Node, get, reserve, set};
use super::decode::check_depth;
use super::error::{Fault, PickleError, Result};
use super::globals::Known;
use crate::dynamic::DynValues;
use crate::format::dtype::Field;
use crate::options::object::ObjectOptions;

/// The size of a value without its items: that of a `PyObject`.
const VALUE_BYTES: u64 = 32;

/// The sizes of a dtype in its owner, such as a scalar, and of a field in a record.
const DTYPE_BYTES: u64 = size_of::<DynValues>() as u64;
const FIELD_BYTES: u64 = size_of::<Field>() as u64;

/// The limit of memory for each byte of the pickle. A tree without shared objects needs less, because every value has an opcode.
const BYTES_PER_BYTE: u64 = 64;

/// The marks of nodes that are not visited, and that are being visited. Other numbers are sizes of trees.
const UNKNOWN: u64 = 0;
const VISITING: u64 = u64::MAX;

/// Refuses a tree that contains itself, is too deep, or is much larger than the pickle.
///
/// Visits each node once, however often it is shared, without recursion. With `shares`, a value in several containers is one, and may
/// contain itself.
///
/// Returns the edges of items that are around themselves, if these are kept. Without them, the size and the depth of a node are the same
/// in each of its places.
pub(crate) fn measure(arena: &Arena<'_>, root: u32, options: &ObjectOptions, shares: bool) -> Result<Vec<u32>> {
    let mut cycles = Vec::new();
    let mut sizes = Vec::new();
    reserve(&mut sizes, arena.len())?;
    sizes.resize(arena.len(), UNKNOWN);
    let mut depths = Vec::new();
    reserve(&mut depths, arena.len())?;
    depths.resize(arena.len(), 0_u8);
    let mut path = vec![Visit::new(arena, root)];
    set(&mut sizes, root, VISITING);
    while let Some(visit) = path.last_mut() {
        let Some(child) = visit.next_child(arena) else {
            let (id, size, depth) = (visit.id, visit.size, visit.depth);
            let size = size_of_dtype(arena, &sizes, id).unwrap_or(size);
            let depth = depth.saturating_add(more_axes(arena, id));
            path.pop();
            check_depth(id, path.len().saturating_add(depth), options)?;
            set(&mut sizes, id, size);
            set(&mut depths, id, u8::try_from(depth).unwrap_or(u8::MAX));
            if let Some(parent) = path.last_mut() {
                parent.add(size, depth);
            }
            continue;
        };
        let node = arena.node(child);
        let is_handle = shares && visit.has_handles && arena.is_shared(child);
        match get(&sizes, child).unwrap_or(UNKNOWN) {
            // Leaves have no recorded size.
            _ if node.is_leaf() => visit.add(if is_handle { VALUE_BYTES } else { size_of_node(node) }, 1),
            VISITING if shares => visit.add(VALUE_BYTES, 1),
            VISITING if options.keeps_cycles && visit.last_edge != NONE => {
                reserve(&mut cycles, 1)?;
                cycles.push(visit.last_edge);
                visit.add(VALUE_BYTES, 1);
            }
            VISITING => return Err(PickleError::in_node(child, Fault::cycle())),
            UNKNOWN => {
                set(&mut sizes, child, VISITING);
                path.push(Visit::new(arena, child));
            }
            size => visit.add(if is_handle { VALUE_BYTES } else { size }, usize::from(get(&depths, child).unwrap_or_default())),
        }
        let deepest = path.len().saturating_add(path.last().map_or(0, |visit| visit.depth.saturating_sub(1)));
        check_depth(child, deepest, options)?;
    }
    let length = arena.input.len() as u64;
    let limit = length.saturating_mul(BYTES_PER_BYTE).saturating_add(options.expansion);
    match get(&sizes, root).unwrap_or_default() {
        size if size <= limit => Ok(cycles),
        found => {
            let what = "bytes of objects, copies of shared ones included";
            Err(PickleError::in_node(root, Fault::LimitExceeded { what, limit, found }))
        }
    }
}

/// The number of axes of an array beyond the first. Printing and deserialization recurse over them.
fn more_axes(arena: &Arena<'_>, id: u32) -> usize {
    let call @ Node::Call { callable, .. } = arena.node(id) else { return 0 };
    let Node::Known(Known::Reconstruct | Known::MaskedReconstruct) = arena.node(callable) else { return 0 };
    let shape = arena.children(arena.node(arena.added(call).state).items()).nth(1).unwrap_or(NONE);
    usize::try_from(arena.node(shape).items().count).unwrap_or(usize::MAX).saturating_sub(1)
}

/// A node whose children are being visited.
struct Visit {
    id: u32,
    /// The next edge of the list that `phase` selects.
    edge: u32,
    /// The edge of the last child; `NONE` if it is not an item.
    last_edge: u32,
    phase: u8,
    size: u64,
    depth: usize,
    /// Whether the children are values, which a visitor may share. Tuples may be arguments, which each call decodes.
    has_handles: bool,
}

impl Visit {
    fn new(arena: &Arena<'_>, id: u32) -> Self {
        let node = arena.node(id);
        let has_handles = matches!(node, Node::List(_) | Node::Dict(_) | Node::Set(_) | Node::FrozenSet(_));
        Self { id, edge: node.items().first, last_edge: NONE, phase: 0, size: size_of_node(node), depth: 1, has_handles }
    }

    /// Adds the size and the depth of a child.
    fn add(&mut self, size: u64, depth: usize) {
        // The largest number is `VISITING`.
        self.size = self.size.saturating_add(size).min(VISITING - 1);
        self.depth = self.depth.max(depth.saturating_add(1));
    }

    fn next_child(&mut self, arena: &Arena<'_>) -> Option<u32> {
        loop {
            if let Some(edge) = arena.edge(self.edge) {
                self.last_edge = self.edge;
                self.edge = edge.next;
                return Some(edge.node);
            }
            let phase = self.phase;
            self.last_edge = NONE;
            self.phase = phase.saturating_add(1);
            let child = match (arena.node(self.id), phase) {
                (Node::Call { arguments, .. }, 0) => arguments,
                (Node::Call { callable, .. }, 1) => callable,
                (call @ Node::Call { .. }, 2) => arena.added(call).state,
                (call @ Node::Call { .. }, 3 | 4) => {
                    let added = arena.added(call);
                    self.edge = if phase == 3 { added.items } else { added.entries }.first;
                    NONE
                }
                (Node::Global { module, .. }, 0) => module,
                (Node::Global { name, .. }, 1) => name,
                (_, 0..=4) => NONE,
                _ => return None,
            };
            if child != NONE {
                return Some(child);
            }
        }
    }
}

/// The size of a copy of a dtype, if the node is one. It is much less than that of its nodes, and each
/// scalar has a copy.
fn size_of_dtype(arena: &Arena<'_>, sizes: &[u64], id: u32) -> Option<u64> {
    let call @ Node::Call { callable, arguments, .. } = arena.node(id) else { return None };
    let Node::Known(Known::DType) = arena.node(callable) else { return None };
    let text = |id: u32| arena.node(id).span().map_or(0, |span| span.length() as u64);
    let child = |id: u32, index: usize| arena.children(arena.node(id).items()).nth(index).unwrap_or(NONE);
    let state = arena.added(call).state;
    let mut size = DTYPE_BYTES.saturating_add(text(child(arguments, 0)));
    // `FIELD_BYTES` includes the dtype itself.
    let tree_size = |id: u32| get(sizes, id).unwrap_or_default();
    let part = |id: u32| tree_size(id).saturating_sub(DTYPE_BYTES);
    if let Some([base, shape]) = arena.tuple(child(state, SUB_ARRAY)) {
        size = size.saturating_add(DTYPE_BYTES).saturating_add(part(base)).saturating_add(tree_size(shape));
    }
    if let Node::Dict(entries) = arena.node(child(state, FIELDS)) {
        let mut children = arena.children(entries);
        while let (Some(key), Some(field)) = (children.next(), children.next()) {
            let of_field =
                FIELD_BYTES.saturating_add(text(key)).saturating_add(part(child(field, 0))).saturating_add(text(child(field, 2)));
            size = size.saturating_add(of_field);
        }
    }
    // The largest number is `VISITING`.
    Some(size.min(VISITING - 1))
}

/// Indexes in the state of a dtype.
const SUB_ARRAY: usize = 2;
const FIELDS: usize = 4;

/// The size of a node without its items.
fn size_of_node(node: Node) -> u64 {
    VALUE_BYTES.saturating_add(node.span().map_or(0, |span| span.length() as u64))
}

#[cfg(test)]
mod tests {
    use super::super::machine::run;
    use super::*;
    use crate::options::object::UnknownGlobals;

    const OPTIONS: ObjectOptions = ObjectOptions::new().unknown_globals(UnknownGlobals::Opaque);

    /// The size of the object of these opcodes: the growth of a list by one more of it.
    fn size_of(item: &[u8]) -> u64 {
        let least = |count: usize| {
            let pickle = [item, b"q\xc80(", &b"h\xc8".repeat(count), b"l."].concat();
            let (arena, root, _) = run(&pickle, &OPTIONS, false).map_err(|_| ()).unwrap();
            let is_read = |expansion: u64| measure(&arena, root, &OPTIONS.expansion(expansion), false).is_ok();
            let (mut refused, mut read) = (0, 1 << 30);
            assert!(!is_read(refused) && is_read(read));
            while read - refused > 1 {
                let middle = u64::midpoint(read, refused);
                *if is_read(middle) { &mut read } else { &mut refused } = middle;
            }
            read + BYTES_PER_BYTE * pickle.len() as u64
        };
        least(2001) - least(2000)
    }

    fn depth_of(item: &[u8]) -> usize {
        let pickle = [item, b"."].concat();
        let (arena, root, _) = run(&pickle, &OPTIONS, false).map_err(|_| ()).unwrap();
        (0..100).find(|depth| measure(&arena, root, &OPTIONS.depth(*depth), false).is_ok()).unwrap()
    }

    fn text(text: &str) -> Vec<u8> {
        [b"\x8c", &[u8::try_from(text.len()).unwrap()][..], text.as_bytes()].concat()
    }

    /// A dtype with this code, sub-array, names and fields.
    fn dtype(code: &str, sub_array: &[u8], names: &[u8], fields: &[u8]) -> Vec<u8> {
        [b"cnumpy\ndtype\n", &text(code)[..], b"\x89\x88\x87R(K\x03", &text("<"), sub_array, names, fields, b"K\x08K\x01K\0tb"]
            .concat()
    }

    #[test]
    fn objects_have_the_size_of_their_content() {
        const V: u64 = VALUE_BYTES;
        let long = text(&"x".repeat(255));
        for (case, item, size, depth) in [
            ("None, which is shared", &b"(NNNNNNNNl"[..], 9 * V, 2),
            ("texts", &[b"(", &long[..], b"K\x01l"].concat(), 3 * V + 255, 2),
            ("bytes", &[b"(C\xff", &[7; 255][..], b"l"].concat(), 2 * V + 255, 2),
            ("lists in a list", b"(](NNlal", 5 * V, 4),
            ("a dict", &[b"}(", &long[..], b"K\x01K\x02(K\x03lu"].concat(), 6 * V + 255, 3),
            ("a set in a tuple", b"(\x8f(K\x01K\x02\x90N(K\x01\x91t", 7 * V, 3),
            ("a call", &[b"cdecimal\nDecimal\n", &long[..], b"\x85R"].concat(), 4 * V + 255, 3),
            ("a call with a state", b"cuuid\nUUID\n)\x81}X\x03\0\0\0intK\x01sb", 6 * V + 3, 3),
            ("items and entries", b"cmodule\nName\n)\x81K\x01a(K\x02K\x03K\x04K\x05u", 10 * V + 10, 3),
        ] {
            assert_eq!((size_of(item), depth_of(item)), (size, depth), "{case}");
        }
    }

    #[test]
    fn dtypes_are_smaller_than_their_nodes() {
        let scalar = dtype("f8", b"N", b"N", b"N");
        let sub_array = dtype("V16", &[&scalar[..], b"K\x02\x85\x86"].concat(), b"N", b"N");
        let field = |name: &str, dtype: &[u8], title: &str| {
            let title = if title.is_empty() { b"\x86".to_vec() } else { [&text(title)[..], b"\x87"].concat() };
            [&text(name)[..], dtype, b"K\0", &title, b"s"].concat()
        };
        let names = [&text("ab")[..], &text("cde"), b"\x86"].concat();
        let record =
            dtype("V24", b"N", &names, &[b"}", &field("ab", &scalar, "")[..], &field("cde", &sub_array, "title")].concat());
        let nested = dtype("V24", b"N", &[&text("r")[..], b"\x85"].concat(), &[b"}", &field("r", &record, "")[..]].concat());
        let of_sub_array = 3 + DTYPE_BYTES + 2 + 2 * VALUE_BYTES;
        let of_record = 3 + (FIELD_BYTES + 2 + 2) + (FIELD_BYTES + 3 + of_sub_array + 5);
        for (case, item, size) in [
            ("a scalar", &scalar, 2),
            ("a sub-array", &sub_array, of_sub_array),
            ("a record", &record, of_record),
            ("a record in a record", &nested, 3 + FIELD_BYTES + 1 + of_record),
        ] {
            // Eight, because one is within the limit of its opcodes.
            let several = [item, &b"q\xc70("[..], &b"h\xc7".repeat(8), b"l"].concat();
            assert_eq!(size_of(&several), VALUE_BYTES + 8 * (DTYPE_BYTES + size), "{case}");
        }
    }

    #[test]
    fn axes_beyond_the_first_are_levels() {
        let array = |shape: &[u8]| {
            let dtype = dtype("f8", b"N", b"N", b"N");
            let call = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85C\x01b\x87R(K\x01";
            [&call[..], shape, &dtype, b"\x89C\0tb"].concat()
        };
        let of_one_axis = depth_of(&array(b"K\0\x85"));
        assert_eq!(depth_of(&array(b")")), of_one_axis);
        assert_eq!(depth_of(&array(b"K\0K\0\x86")), of_one_axis + 1);
        assert_eq!(depth_of(&array(b"(K\0K\0K\0K\0t")), of_one_axis + 3);
    }

    #[test]
    fn rejects_cycles() {
        for item in [&b"]q\0h\0a."[..], b"](]q\0h\0ae.", b"cmodule\nName\n)\x81q\0h\0a."] {
            let (arena, root, _) = run(item, &OPTIONS, true).map_err(|_| ()).unwrap();
            assert!(measure(&arena, root, &OPTIONS, false).is_err());
            assert_eq!(measure(&arena, root, &OPTIONS, true).map_err(|_| ()).unwrap(), []);
            assert_eq!(measure(&arena, root, &OPTIONS.keep_cycles(true), false).map_err(|_| ()).unwrap().len(), 1);
        }
    }
}
