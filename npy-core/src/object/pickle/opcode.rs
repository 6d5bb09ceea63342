//! The opcodes of every pickle protocol and the form of their arguments.

use super::error::{Fault, PickleError, Result};

/// The effect of an opcode. None calls anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Pushes a value decoded from its argument.
    Data,
    /// Builds a container, names a class, uses the memo, or delimits.
    Structure,
    /// Refused, because it refers to external data.
    Refused,
}

/// The form of the argument of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A fixed number of bytes.
    Fixed(usize),
    /// A little-endian length, with its width in bytes, followed by that many bytes.
    Counted(usize),
    /// [`Counted`](Self::Counted) by four bytes, with a sign.
    CountedSigned,
    /// Text up to the end of the line.
    Line,
    /// Text up to the end of the next line.
    TwoLines,
}

/// An opcode.
#[derive(Debug)]
pub(crate) struct Opcode {
    pub(crate) code: u8,
    /// As in Python's `pickletools`.
    pub(crate) name: &'static str,
    /// The first protocol that has it.
    pub(crate) protocol: u8,
    pub(crate) form: Form,
    pub(crate) effect: Effect,
}

const fn opcode(code: u8, name: &'static str, protocol: u8, form: Form, effect: Effect) -> Opcode {
    Opcode { code, name, protocol, form, effect }
}

/// All opcodes of the protocols 0 to 5.
#[rustfmt::skip]
pub(crate) static OPCODES: [Opcode; 68] = {
    use Effect::{Data, Refused, Structure};
    use Form::{Counted, CountedSigned, Fixed, Line, TwoLines};
    [
        opcode(b'N', "NONE", 0, Fixed(0), Data),
        opcode(0x88, "NEWTRUE", 2, Fixed(0), Data),
        opcode(0x89, "NEWFALSE", 2, Fixed(0), Data),
        opcode(b'I', "INT", 0, Line, Data),
        opcode(b'J', "BININT", 1, Fixed(4), Data),
        opcode(b'K', "BININT1", 1, Fixed(1), Data),
        opcode(b'M', "BININT2", 1, Fixed(2), Data),
        opcode(b'L', "LONG", 0, Line, Data),
        opcode(0x8a, "LONG1", 2, Counted(1), Data),
        opcode(0x8b, "LONG4", 2, CountedSigned, Data),
        opcode(b'F', "FLOAT", 0, Line, Data),
        opcode(b'G', "BINFLOAT", 1, Fixed(8), Data),
        opcode(b'S', "STRING", 0, Line, Data),
        opcode(b'T', "BINSTRING", 1, CountedSigned, Data),
        opcode(b'U', "SHORT_BINSTRING", 1, Counted(1), Data),
        opcode(b'V', "UNICODE", 0, Line, Data),
        opcode(b'X', "BINUNICODE", 1, Counted(4), Data),
        opcode(0x8c, "SHORT_BINUNICODE", 4, Counted(1), Data),
        opcode(0x8d, "BINUNICODE8", 4, Counted(8), Data),
        opcode(b'B', "BINBYTES", 3, Counted(4), Data),
        opcode(b'C', "SHORT_BINBYTES", 3, Counted(1), Data),
        opcode(0x8e, "BINBYTES8", 4, Counted(8), Data),
        opcode(0x96, "BYTEARRAY8", 5, Counted(8), Data),
        opcode(b']', "EMPTY_LIST", 1, Fixed(0), Data),
        opcode(b')', "EMPTY_TUPLE", 1, Fixed(0), Data),
        opcode(b'}', "EMPTY_DICT", 1, Fixed(0), Data),
        opcode(0x8f, "EMPTY_SET", 4, Fixed(0), Data),
        opcode(b'(', "MARK", 0, Fixed(0), Structure),
        opcode(b'0', "POP", 0, Fixed(0), Structure),
        opcode(b'1', "POP_MARK", 1, Fixed(0), Structure),
        opcode(b'2', "DUP", 0, Fixed(0), Structure),
        opcode(b'a', "APPEND", 0, Fixed(0), Structure),
        opcode(b'e', "APPENDS", 1, Fixed(0), Structure),
        opcode(b'l', "LIST", 0, Fixed(0), Structure),
        opcode(b't', "TUPLE", 0, Fixed(0), Structure),
        opcode(0x85, "TUPLE1", 2, Fixed(0), Structure),
        opcode(0x86, "TUPLE2", 2, Fixed(0), Structure),
        opcode(0x87, "TUPLE3", 2, Fixed(0), Structure),
        opcode(b'd', "DICT", 0, Fixed(0), Structure),
        opcode(b's', "SETITEM", 0, Fixed(0), Structure),
        opcode(b'u', "SETITEMS", 1, Fixed(0), Structure),
        opcode(0x90, "ADDITEMS", 4, Fixed(0), Structure),
        opcode(0x91, "FROZENSET", 4, Fixed(0), Structure),
        opcode(b'g', "GET", 0, Line, Structure),
        opcode(b'h', "BINGET", 1, Fixed(1), Structure),
        opcode(b'j', "LONG_BINGET", 1, Fixed(4), Structure),
        opcode(b'p', "PUT", 0, Line, Structure),
        opcode(b'q', "BINPUT", 1, Fixed(1), Structure),
        opcode(b'r', "LONG_BINPUT", 1, Fixed(4), Structure),
        opcode(0x94, "MEMOIZE", 4, Fixed(0), Structure),
        opcode(b'c', "GLOBAL", 0, TwoLines, Structure),
        opcode(0x93, "STACK_GLOBAL", 4, Fixed(0), Structure),
        opcode(b'R', "REDUCE", 0, Fixed(0), Structure),
        opcode(b'b', "BUILD", 0, Fixed(0), Structure),
        opcode(0x81, "NEWOBJ", 2, Fixed(0), Structure),
        opcode(0x92, "NEWOBJ_EX", 4, Fixed(0), Structure),
        opcode(0x80, "PROTO", 2, Fixed(1), Structure),
        opcode(0x95, "FRAME", 4, Fixed(8), Structure),
        opcode(b'.', "STOP", 0, Fixed(0), Structure),
        opcode(b'P', "PERSID", 0, Line, Refused),
        opcode(b'Q', "BINPERSID", 1, Fixed(0), Refused),
        opcode(b'i', "INST", 0, TwoLines, Refused),
        opcode(b'o', "OBJ", 1, Fixed(0), Refused),
        opcode(0x82, "EXT1", 2, Fixed(1), Refused),
        opcode(0x83, "EXT2", 2, Fixed(2), Refused),
        opcode(0x84, "EXT4", 2, Fixed(4), Refused),
        opcode(0x97, "NEXT_BUFFER", 5, Fixed(0), Refused),
        opcode(0x98, "READONLY_BUFFER", 5, Fixed(0), Refused),
    ]
};

/// The position of each byte's opcode in `OPCODES`, plus 1; 0 for invalid bytes.
static POSITIONS: [u8; 256] = {
    let mut positions = [0; 256];
    let mut position = 0_u8;
    while (position as usize) < OPCODES.len() {
        positions[OPCODES[position as usize].code as usize] = position + 1;
        position += 1;
    }
    positions
};

/// An opcode with its argument, as in the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    pub(crate) opcode: &'static Opcode,
    /// The argument, without its length or the end of its line.
    pub(crate) argument: &'a [u8],
    /// The offset of the argument.
    pub(crate) argument_at: usize,
    /// The offset of the next opcode.
    pub(crate) next: usize,
}

/// The opcode of a byte, unless it is invalid or rejected.
#[inline]
pub(crate) fn lookup(code: u8, at: usize) -> Result<&'static Opcode> {
    let position = usize::from(POSITIONS[usize::from(code)]);
    let opcode = position.checked_sub(1).and_then(|position| OPCODES.get(position));
    match opcode {
        None => Err(PickleError::at(at, Fault::unknown_opcode(code))),
        Some(Opcode { effect: Effect::Refused, name, .. }) => Err(PickleError::at(at, Fault::refused_opcode(name))),
        Some(opcode) => Ok(opcode),
    }
}

/// Decodes the opcode at `at` and its argument.
///
/// As a call, reading lists, dicts and scalars took 1.1 times as long.
#[inline(always)]
pub(crate) fn step(input: &[u8], at: usize) -> Result<Step<'_>> {
    let truncated = |expected: usize, from: usize| {
        let found = input.len().saturating_sub(from) as u64;
        PickleError::at(from, Fault::Truncated { expected: expected as u64, found })
    };
    let code = *input.get(at).ok_or_else(|| truncated(1, at))?;
    let opcode = lookup(code, at)?;
    let begin = at.saturating_add(1);
    let (argument_at, length) = match opcode.form {
        Form::Fixed(length) => (begin, length),
        Form::Counted(_) | Form::CountedSigned => {
            let width = if let Form::Counted(width) = opcode.form { width } else { 4 };
            let end = begin.saturating_add(width);
            let prefix = input.get(begin..end).ok_or_else(|| truncated(width, begin))?;
            (end, length(prefix, opcode.form, at)?)
        }
        Form::Line | Form::TwoLines => {
            let lines = if opcode.form == Form::Line { 1 } else { 2 };
            let rest = input.get(begin..).unwrap_or_default();
            let mut ends = rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(end, _)| end);
            let end = ends.nth(lines - 1).ok_or_else(|| truncated(rest.len().saturating_add(1), begin))?;
            let argument = rest.get(..end).unwrap_or_default();
            return Ok(Step { opcode, argument, argument_at: begin, next: begin.saturating_add(end).saturating_add(1) });
        }
    };
    let next = argument_at.saturating_add(length);
    let argument = input.get(argument_at..next).ok_or_else(|| truncated(length, argument_at))?;
    Ok(Step { opcode, argument, argument_at, next })
}

/// Decodes the length that precedes an argument.
pub(crate) fn length(prefix: &[u8], form: Form, at: usize) -> Result<usize> {
    let length = match *prefix {
        [length] => return Ok(usize::from(length)),
        [a, b, c, d] if form == Form::CountedSigned => i128::from(i32::from_le_bytes([a, b, c, d])),
        [a, b, c, d] => i128::from(u32::from_le_bytes([a, b, c, d])),
        _ => i128::from(u64::from_le_bytes(prefix.first_chunk().copied().unwrap_or_default())),
    };
    // No input has more bytes than an `isize` can count.
    match isize::try_from(length).ok().and_then(|length| usize::try_from(length).ok()) {
        Some(length) => Ok(length),
        None => Err(PickleError::at(at, Fault::invalid_length(length))),
    }
}

/// The name, code, first protocol and effect of every opcode, which a test compares with Python's.
pub(crate) fn table() -> impl Iterator<Item = (&'static str, u8, u8, &'static str)> {
    OPCODES.iter().map(|opcode| {
        let effect = match opcode.effect {
            Effect::Data => "data",
            Effect::Structure => "structure",
            Effect::Refused => "refused",
        };
        (opcode.name, opcode.code, opcode.protocol, effect)
    })
}
