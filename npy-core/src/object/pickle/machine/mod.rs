//! The pickle machine: converts opcodes to an arena of nodes. Calls nothing.

mod objects;

use super::arena::{Arena, Items, NONE, Node, Span, reserve};
use super::error::{Fault, PickleError, Result};
use super::framing::too_long;
use super::memo::Memo;
use super::opcode::{Step, step};
use super::text;
use crate::error::describe::counted;
use crate::options::object::ObjectOptions;

/// Runs the pickle at the beginning of `input`. Returns its nodes, the root, and the end of the pickle.
///
/// With `shares`, nodes that occur in several places are marked.
pub(crate) fn run<'a>(input: &'a [u8], options: &ObjectOptions, shares: bool) -> Result<(Arena<'a>, u32, usize)> {
    let mut machine = Machine::new(input, options, shares);
    loop {
        if machine.step()? {
            let root = machine.root()?;
            return Ok((machine.arena, root, machine.at));
        }
    }
}

/// Finds the position of the opcode of a node by a second run, for an error.
#[cold]
pub(crate) fn offset_of(node: u32, input: &[u8], options: &ObjectOptions) -> usize {
    let mut machine = Machine::new(input, options, false);
    while let (at, Ok(false)) = (machine.at, machine.step()) {
        if usize::try_from(node).is_ok_and(|node| node < machine.arena.len()) {
            return at;
        }
    }
    machine.at
}

struct Machine<'a> {
    arena: Arena<'a>,
    options: ObjectOptions,
    stack: Vec<u32>,
    /// The length of the stack at each mark.
    marks: Vec<u32>,
    memo: Memo,
    at: usize,
    /// The end of the last frame.
    frame_end: usize,
    /// Whether nodes that occur in several places are marked.
    shares: bool,
    /// The shared nodes of `None`, the bools and the empty tuple.
    shared: [Option<u32>; 4],
}

impl<'a> Machine<'a> {
    fn new(input: &'a [u8], options: &ObjectOptions, shares: bool) -> Self {
        Self {
            arena: Arena::new(input),
            options: *options,
            stack: Vec::new(),
            marks: Vec::new(),
            memo: Memo::default(),
            at: 0,
            frame_end: 0,
            shares,
            shared: [None; 4],
        }
    }

    /// Executes the next opcode. Returns whether it was the last.
    fn step(&mut self) -> Result<bool> {
        let step = step(self.arena.input, self.at)?;
        if step.next as u64 > self.options.bytes {
            return Err(too_long(self.options.bytes, step.next as u64, self.at));
        }
        if self.arena.len() as u64 > self.options.items {
            let (limit, found) = (self.options.items, self.arena.len() as u64);
            return Err(self.error(Fault::LimitExceeded { what: "objects of the pickle", limit, found }));
        }
        self.execute(step)?;
        self.at = step.next;
        Ok(step.opcode.code == b'.')
    }

    /// Returns the only value on the stack at the end.
    fn root(&mut self) -> Result<u32> {
        let values = self.stack.len();
        let root = match self.stack.as_slice() {
            [root] if self.marks.is_empty() => *root,
            _ => {
                return Err(self.error(Fault::invalid(format!(
                    "expected 1 value at the end of the pickle, found {}",
                    counted(values, "value")
                ))));
            }
        };
        match self.frame_end.saturating_sub(self.at) {
            0 => Ok(root),
            beyond => Err(self.error(Fault::frame_too_long(beyond))),
        }
    }

    fn execute(&mut self, step: Step<'a>) -> Result<()> {
        let argument = step.argument;
        let node = match step.opcode.code {
            b'N' => return self.push_shared(0, Node::None),
            0x88 => return self.push_shared(1, Node::Bool(true)),
            0x89 => return self.push_shared(2, Node::Bool(false)),
            b')' => return self.push_shared(3, Node::Tuple(Items::EMPTY)),
            code @ (b'I' | b'L') => match (text::integer(argument), argument) {
                _ if text::is_not_decimal(argument, code == b'L') => {
                    return Err(self.error(Fault::invalid_integer(argument)));
                }
                // `00` and `01`, and other texts of two characters that Python takes for bools.
                (Some(0), [_, b'0']) if code == b'I' => return self.push_shared(2, Node::Bool(false)),
                (Some(1), [_, b'1']) if code == b'I' => return self.push_shared(1, Node::Bool(true)),
                (Some(value), _) => Node::Int(value),
                (None, _) => Node::LongText(self.span(step)?),
            },
            b'J' => Node::Int(i64::from(i32::from_le_bytes(array(argument)))),
            b'K' | b'M' => Node::Int(i64::from(u16::from_le_bytes(array(argument)))),
            0x8a | 0x8b => match text::small_integer(argument) {
                Some(value) => Node::Int(value),
                None => Node::Long(self.span(step)?),
            },
            b'F' => match text::float(argument) {
                Some(value) => Node::Float(value),
                None => return Err(self.error(Fault::invalid_float(argument))),
            },
            b'G' => Node::Float(f64::from_be_bytes(array(argument))),
            b'S' => Node::QuotedOldText(self.span(step)?),
            b'T' | b'U' => Node::OldText(self.span(step)?),
            b'V' => Node::EscapedText(self.span(step)?),
            b'X' | 0x8c | 0x8d => Node::Text(self.span(step)?),
            b'B' | b'C' | 0x8e => Node::Bytes(self.span(step)?),
            0x96 => Node::ByteArray(self.span(step)?),
            b']' => Node::List(Items::EMPTY),
            b'}' => Node::Dict(Items::EMPTY),
            0x8f => Node::Set(Items::EMPTY),
            // After nearly every text and container.
            0x94 => return self.put(self.memo.len() as u64, step.opcode.name),
            b'q' | b'r' => return self.put(self.index(argument, false)?, step.opcode.name),
            _ => return self.arrange(step),
        };
        self.push_node(node)
    }

    /// Executes an opcode of the stack and its containers, or another that does not push its argument.
    fn arrange(&mut self, step: Step<'a>) -> Result<()> {
        let name = step.opcode.name;
        match step.opcode.code {
            b'(' => {
                let depth = u32::try_from(self.stack.len()).unwrap_or(u32::MAX);
                reserve(&mut self.marks, 1)?;
                self.marks.push(depth);
                Ok(())
            }
            b'0' => {
                // A mark, if it is on top.
                if self.marks.last().is_some_and(|mark| usize::try_from(*mark) == Ok(self.stack.len())) {
                    self.marks.pop();
                    return Ok(());
                }
                self.pop(name).map(|_| ())
            }
            b'1' => self.pop_mark(name).map(|begin| self.stack.truncate(begin)),
            b'2' => {
                let top = self.top(name)?;
                self.push_again(top)
            }
            b'a' => {
                let item = self.pop(name)?;
                self.extend(name, &[item])
            }
            b'e' => self.pop_marked(name).and_then(|items| self.extend(name, &items)),
            b's' => {
                let [key, value] = self.pop_several(name)?;
                self.set_items(name, &[key, value])
            }
            b'u' => self.pop_marked(name).and_then(|items| self.set_items(name, &items)),
            0x90 => self.pop_marked(name).and_then(|items| self.add_items(name, &items)),
            b'l' => self.pop_marked(name).and_then(|items| self.push_container(&items, Node::List)),
            b't' => self.pop_marked(name).and_then(|items| self.push_container(&items, Node::Tuple)),
            0x91 => self.pop_marked(name).and_then(|items| self.push_container(&items, Node::FrozenSet)),
            b'd' => {
                let items = self.pop_marked(name)?;
                self.check_pairs(name, &items)?;
                self.push_container(&items, Node::Dict)
            }
            0x85 => self.pop_several::<1>(name).and_then(|items| self.push_container(&items, Node::Tuple)),
            0x86 => self.pop_several::<2>(name).and_then(|items| self.push_container(&items, Node::Tuple)),
            0x87 => self.pop_several::<3>(name).and_then(|items| self.push_container(&items, Node::Tuple)),
            _ => self.refer(step),
        }
    }

    /// Executes an opcode of the memo, of globals and calls, or of framing.
    fn refer(&mut self, step: Step<'a>) -> Result<()> {
        let (argument, name) = (step.argument, step.opcode.name);
        match step.opcode.code {
            b'g' | b'h' | b'j' => {
                let index = self.index(argument, step.opcode.code == b'g')?;
                let node = self.memo.get(index).ok_or_else(|| self.error(Fault::invalid(format!("unknown memo index {index}"))))?;
                self.push_again(node)
            }
            b'p' => self.put(self.index(argument, true)?, name),
            b'c' => self.global(step),
            0x93 => {
                let [module, name] = self.pop_several(name)?;
                self.stack_global(module, name)
            }
            b'R' | 0x81 => {
                let [callable, arguments] = self.pop_several(name)?;
                self.call(name, callable, arguments)
            }
            0x92 => self.call_with_keywords(name),
            b'b' => self.build(name),
            0x80 => match argument.first() {
                Some(0..=5) | None => Ok(()),
                Some(&protocol) => Err(self.error(Fault::unknown_protocol(protocol))),
            },
            0x95 => self.frame(step),
            b'.' => Ok(()),
            // `lookup` refuses all others.
            code => Err(self.error(Fault::unknown_opcode(code))),
        }
    }

    /// Puts the value on top of the stack into the memo.
    fn put(&mut self, index: u64, opcode: &'static str) -> Result<()> {
        let top = self.top(opcode)?;
        self.memo.put(index, top)
    }

    /// `FRAME`: checks that its bytes exist. Allocates nothing for them.
    fn frame(&mut self, step: Step<'a>) -> Result<()> {
        let expected = u64::from_le_bytes(array(step.argument));
        let found = self.arena.input.len().saturating_sub(step.next) as u64;
        match usize::try_from(expected) {
            Ok(length) if expected <= found => {
                self.frame_end = self.frame_end.max(step.next.saturating_add(length));
                Ok(())
            }
            _ => Err(PickleError::at(step.next, Fault::Truncated { expected, found })),
        }
    }

    fn push_container(&mut self, items: &[u32], node: impl FnOnce(Items) -> Node) -> Result<()> {
        let items = self.arena.append(Items::EMPTY, items)?;
        self.push_node(node(items))
    }

    fn push_node(&mut self, node: Node) -> Result<()> {
        let id = self.arena.push(node)?;
        self.push(id)
    }

    /// Pushes a shared node, which is never changed.
    fn push_shared(&mut self, which: usize, node: Node) -> Result<()> {
        let id = match self.shared.get(which).copied().flatten() {
            Some(id) => id,
            None => self.arena.push(node)?,
        };
        if let Some(shared) = self.shared.get_mut(which) {
            *shared = Some(id);
        }
        self.push(id)
    }

    /// Pushes a node that was pushed before.
    fn push_again(&mut self, id: u32) -> Result<()> {
        if self.shares {
            self.arena.share(id)?;
        }
        self.push(id)
    }

    fn push(&mut self, id: u32) -> Result<()> {
        reserve(&mut self.stack, 1)?;
        self.stack.push(id);
        Ok(())
    }

    /// The length of the stack at the last mark, below which nothing is popped.
    fn floor(&self) -> usize {
        self.marks.last().and_then(|mark| usize::try_from(*mark).ok()).unwrap_or(0)
    }

    fn top(&self, opcode: &'static str) -> Result<u32> {
        match self.stack.last() {
            Some(top) if self.stack.len() > self.floor() => Ok(*top),
            _ => Err(self.error(Fault::stack_underflow(opcode))),
        }
    }

    fn pop(&mut self, opcode: &'static str) -> Result<u32> {
        let top = self.top(opcode)?;
        self.stack.pop();
        Ok(top)
    }

    /// Pops several values, in the order in which they were pushed.
    fn pop_several<const N: usize>(&mut self, opcode: &'static str) -> Result<[u32; N]> {
        let mut items = [NONE; N];
        for item in items.iter_mut().rev() {
            *item = self.pop(opcode)?;
        }
        Ok(items)
    }

    /// Pops the last mark. Returns the index of the first value after it.
    fn pop_mark(&mut self, opcode: &'static str) -> Result<usize> {
        let mark = self.marks.pop().ok_or_else(|| self.error(Fault::invalid(format!("opcode {opcode}: missing mark"))))?;
        Ok(usize::try_from(mark).unwrap_or(usize::MAX))
    }

    fn pop_marked(&mut self, opcode: &'static str) -> Result<Vec<u32>> {
        let begin = self.pop_mark(opcode)?;
        let mut items = Vec::new();
        let marked = self.stack.get(begin..).unwrap_or_default();
        reserve(&mut items, marked.len())?;
        items.extend_from_slice(marked);
        self.stack.truncate(begin);
        Ok(items)
    }

    /// The memo index in an argument.
    fn index(&self, argument: &[u8], is_text: bool) -> Result<u64> {
        if !is_text {
            return Ok(u64::from(u32::from_le_bytes(array(argument))));
        }
        let index = text::integer(argument).and_then(|index| u64::try_from(index).ok());
        index.ok_or_else(|| self.error(Fault::invalid_memo_index(argument)))
    }

    /// The span of the argument of an opcode.
    fn span(&self, step: Step<'a>) -> Result<Span> {
        let span = Span::new(step.argument_at, step.argument.len());
        span.ok_or_else(|| self.error(Fault::text_too_long(step.argument.len())))
    }

    /// Creates the node of a text that is not on the stack.
    fn text_at(&mut self, offset: usize, length: usize) -> Result<u32> {
        match Span::new(offset, length) {
            Some(span) => self.arena.push(Node::Text(span)),
            None => Err(self.error(Fault::text_too_long(length))),
        }
    }

    #[cold]
    fn error(&self, fault: Fault) -> PickleError {
        PickleError::at(self.at, fault)
    }
}

/// The first bytes of an argument, whose length the table of opcodes determines.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    array
}
