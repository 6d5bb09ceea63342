//! The opcodes of globals, calls and additions to objects. Nothing is called.

use std::mem::discriminant;

use super::super::arena::{Extra, Items, NONE, Node};
use super::super::error::{Fault, Result};
use super::super::globals::Known;
use super::super::opcode::Step;
use super::super::text;
use super::Machine;
use crate::options::object::UnknownGlobals;

impl<'a> Machine<'a> {
    /// `GLOBAL`: a class or function by two lines of text.
    pub(super) fn global(&mut self, step: Step<'a>) -> Result<()> {
        let module = step.argument.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let name_at = module.len().saturating_add(1);
        let name = step.argument.get(name_at..).unwrap_or_default();
        if let Some(known) = Known::find(module, name) {
            return self.push_node(Node::Known(known));
        }
        self.refuse_unknown(module, name)?;
        let module = self.text_at(step.argument_at, module.len())?;
        let name = self.text_at(step.argument_at.saturating_add(name_at), name.len())?;
        self.push_node(Node::Global { module, name })
    }

    /// `STACK_GLOBAL`: a class or function by two texts on the stack.
    pub(super) fn stack_global(&mut self, module: u32, name: u32) -> Result<()> {
        let text = |id: u32| match self.arena.node(id) {
            Node::Text(span) => Ok(self.arena.bytes(span)),
            other => {
                let found = other.name();
                Err(self.error(Fault::wrong_type("STACK_GLOBAL", "two texts", found)))
            }
        };
        let (module_text, name_text) = (text(module)?, text(name)?);
        if let Some(known) = Known::find(module_text, name_text) {
            return self.push_node(Node::Known(known));
        }
        self.refuse_unknown(module_text, name_text)?;
        self.push_node(Node::Global { module, name })
    }

    fn refuse_unknown(&self, module: &[u8], name: &[u8]) -> Result<()> {
        match self.options.unknown_globals {
            UnknownGlobals::Opaque => Ok(()),
            UnknownGlobals::Refuse => {
                let (module, name) = (text::excerpt(module), text::excerpt(name));
                Err(self.error(Fault::unknown_global(&module, &name)))
            }
        }
    }

    /// `REDUCE` and `NEWOBJ`: pushes the node of a call. Nothing is called.
    pub(super) fn call(&mut self, opcode: &'static str, callable: u32, arguments: u32) -> Result<()> {
        match self.arena.node(callable) {
            Node::Known(known) if opcode != "REDUCE" && known.is_function() => {
                return Err(self.error(Fault::not_a_class(opcode, known.path().1)));
            }
            // Its constructor takes an argument that no pickle has: the number is in the state.
            Node::Known(Known::Uuid) if opcode == "REDUCE" => {
                let expected = "NEWOBJ, and a state with an int of 128 bits";
                return Err(self.error(Fault::invalid_arguments("UUID", expected)));
            }
            Node::Known(_) | Node::Global { .. } => {}
            other => return Err(self.error(Fault::not_callable(opcode, other.name()))),
        }
        match self.arena.node(arguments) {
            Node::Tuple(_) => {}
            other => {
                return Err(self.error(Fault::wrong_type(opcode, "a tuple of arguments", other.name())));
            }
        }
        self.push_node(Node::Call { callable, arguments, extra: NONE })
    }

    /// `NEWOBJ_EX`: a call with keyword arguments, which no known class takes.
    pub(super) fn call_with_keywords(&mut self, opcode: &'static str) -> Result<()> {
        let [callable, arguments, keywords] = self.pop_several(opcode)?;
        match (self.arena.node(callable), self.arena.node(keywords)) {
            (_, Node::Dict(Items { count: 0, .. })) => self.call(opcode, callable, arguments),
            (Node::Global { .. }, Node::Dict(_)) => {
                let items = self.arena.append(Items::EMPTY, &[arguments, keywords])?;
                let both = self.arena.push(Node::Tuple(items))?;
                self.call(opcode, callable, both)
            }
            (Node::Known(_) | Node::Global { .. }, other) => {
                Err(self.error(Fault::wrong_type(opcode, "an empty dict of keywords", other.name())))
            }
            (other, _) => Err(self.error(Fault::not_callable(opcode, other.name()))),
        }
    }

    /// `BUILD`: gives an object its state.
    pub(super) fn build(&mut self, opcode: &'static str) -> Result<()> {
        let state = self.pop(opcode)?;
        let (extra_id, mut extra) = self.extra_of_top(opcode, "an object")?;
        if extra.state != NONE {
            return Err(self.error(Fault::wrong_type(opcode, "an object without a state", "one with")));
        }
        extra.state = state;
        self.arena.set_extra(extra_id, extra);
        Ok(())
    }

    /// Returns the state and the items of the object on top of the stack, with their index.
    fn extra_of_top(&mut self, opcode: &'static str, expected: &'static str) -> Result<(u32, Extra)> {
        let top = self.top(opcode)?;
        match self.arena.node(top) {
            Node::Call { callable, arguments, extra } => {
                let extra = if extra == NONE { self.arena.push_extra()? } else { extra };
                let object = Node::Call { callable, arguments, extra };
                self.arena.replace(top, object);
                Ok((extra, self.arena.added(object)))
            }
            other => Err(self.error(Fault::wrong_type(opcode, expected, other.name()))),
        }
    }

    /// Appends to the container on top of the stack. Returns whether it has this type.
    fn append_to_top(&mut self, opcode: &'static str, items: &[u32], container: fn(Items) -> Node) -> Result<bool> {
        let top = self.top(opcode)?;
        let node = self.arena.node(top);
        let is_container = discriminant(&node) == discriminant(&container(Items::EMPTY));
        if is_container {
            let items = self.arena.append(node.items(), items)?;
            self.arena.replace(top, container(items));
        }
        Ok(is_container)
    }

    /// Adds items to the list or the object on top of the stack.
    pub(super) fn extend(&mut self, opcode: &'static str, items: &[u32]) -> Result<()> {
        if !self.append_to_top(opcode, items, Node::List)? {
            let (id, mut extra) = self.extra_of_top(opcode, "a list")?;
            extra.items = self.arena.append(extra.items, items)?;
            self.arena.set_extra(id, extra);
        }
        Ok(())
    }

    /// Adds keys and values to the dictionary or the object on top of the stack.
    pub(super) fn set_items(&mut self, opcode: &'static str, items: &[u32]) -> Result<()> {
        self.check_pairs(opcode, items)?;
        if !self.append_to_top(opcode, items, Node::Dict)? {
            let (id, mut extra) = self.extra_of_top(opcode, "a dict")?;
            extra.entries = self.arena.append(extra.entries, items)?;
            self.arena.set_extra(id, extra);
        }
        Ok(())
    }

    /// Adds items to the set on top of the stack.
    pub(super) fn add_items(&mut self, opcode: &'static str, items: &[u32]) -> Result<()> {
        if self.append_to_top(opcode, items, Node::Set)? {
            return Ok(());
        }
        let found = self.arena.node(self.top(opcode)?).name();
        Err(self.error(Fault::wrong_type(opcode, "a set", found)))
    }

    pub(super) fn check_pairs(&self, opcode: &'static str, items: &[u32]) -> Result<()> {
        if items.len().is_multiple_of(2) {
            return Ok(());
        }
        Err(self.error(Fault::wrong_type(opcode, "keys and values", "a key without a value")))
    }
}
