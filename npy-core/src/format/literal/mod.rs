//! Parser of the Python literals in headers: the subset of `ast.literal_eval`, never evaluated.
//!
//! Time is linear: each byte is read a bounded number of times. Nesting is bounded, and so is the stack.

mod text;

use std::borrow::Cow;

use crate::error::excerpt;

/// An error of parsing a literal.
#[derive(Debug)]
pub(crate) enum Fault {
    Syntax {
        /// The position in the file.
        offset: usize,
        problem: Cow<'static, str>,
    },
    /// Brackets nest deeper than [`Dialect::depth`].
    NestedTooDeep { limit: usize },
}

type Result<T> = std::result::Result<T, Fault>;

/// The dialect of a literal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    /// Whether the text is latin-1 (format versions 1.0 and 2.0), not UTF-8.
    pub(crate) latin1: bool,
    /// Whether Python 2's `10L` is an integer (format versions 1.0 and 2.0, as in `numpy.lib.format`).
    pub(crate) long_integers: bool,
    /// Whether `dtype(…)` and `numpy.record` are allowed, as in `repr` of a dtype.
    pub(crate) is_dtype: bool,
    /// The position of the text in the file, for error messages.
    pub(crate) base: usize,
    /// The limit of nested brackets.
    pub(crate) depth: usize,
}

/// A literal and its range in the text.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub(crate) value: Value<'a>,
    /// Its position in the file.
    pub(crate) offset: usize,
    source: &'a [u8],
    /// Whether the source is latin-1, not UTF-8.
    latin1: bool,
}

#[derive(Debug)]
pub(crate) enum Value<'a> {
    None,
    Bool(bool),
    Integer(i64),
    /// An integer beyond 64 bits, a float, a complex number or `...`. Only titles can hold one.
    Other,
    Text(Cow<'a, str>),
    /// A text with lone surrogates, which are escaped (`\ud800`), because a `String` cannot hold them.
    SurrogateText(String),
    Bytes(Vec<u8>),
    Tuple(Vec<Node<'a>>),
    List(Vec<Node<'a>>),
    Dict(Vec<(Node<'a>, Node<'a>)>),
    Set,
    /// The class `numpy.record`.
    RecordType,
}

impl Node<'_> {
    /// The source of the literal, truncated if it is long.
    pub(crate) fn excerpt(&self) -> String {
        // Longer ones are not shown in full.
        excerpt(&self.decode(&self.source[..self.source.len().min(1024)]))
    }

    /// The source of the literal.
    pub(crate) fn source(&self) -> String {
        self.decode(self.source)
    }

    fn decode(&self, source: &[u8]) -> String {
        if self.latin1 { source.iter().copied().map(char::from).collect() } else { String::from_utf8_lossy(source).into_owned() }
    }
}

/// Parses a text of one literal, with white space, newlines and comments around it.
pub(crate) fn parse(text: &[u8], dialect: Dialect) -> Result<Node<'_>> {
    let mut parser = Parser::begin(text, dialect)?;
    let node = parser.value()?;
    parser.end()?;
    Ok(node)
}

/// Parses a literal or `dtype(…)`, as in `repr` of a dtype. Returns whether it has `align=True`.
pub(crate) fn parse_dtype(text: &[u8], dialect: Dialect) -> Result<(Node<'_>, bool)> {
    let mut parser = Parser::begin(text, dialect)?;
    let is_call = parser.eat_name(&[b"dtype", b"np.dtype", b"numpy.dtype"]);
    if is_call {
        parser.expect(b'(', "'('")?;
    }
    let node = parser.value()?;
    let mut align = false;
    if is_call {
        if parser.comma()? && parser.eat_name(&[b"align"]) {
            parser.expect(b'=', "'='")?;
            let value = parser.value()?;
            let Value::Bool(value) = value.value else {
                return Err(parser.error(value.offset, unexpected("True or False for 'align'", &value.excerpt())));
            };
            align = value;
            parser.comma()?;
        }
        if !parser.eat(b')') {
            return Err(parser.unexpected("')'"));
        }
    }
    parser.end()?;
    Ok((node, align))
}

/// The description of an unexpected end.
pub(crate) const END: &str = "end of text";

const NOT_UTF8: &str = "invalid UTF-8";
const NUL_BYTE: &str = "invalid NUL byte";

/// Describes an unexpected token.
#[cold]
pub(crate) fn unexpected(expected: &'static str, found: &str) -> String {
    format!("expected {expected}, found {found}")
}

struct Parser<'a> {
    text: &'a [u8],
    position: usize,
    depth: usize,
    dialect: Dialect,
}

impl<'a> Parser<'a> {
    fn begin(text: &'a [u8], dialect: Dialect) -> Result<Self> {
        if !dialect.latin1
            && let Err(error) = std::str::from_utf8(text)
        {
            let offset = dialect.base + error.valid_up_to();
            return Err(Fault::Syntax { offset, problem: NOT_UTF8.into() });
        }
        let mut parser = Parser { text, position: 0, depth: 0, dialect };
        parser.skip_blank()?;
        Ok(parser)
    }

    /// Skips white space and comments, and expects the end.
    fn end(&mut self) -> Result<()> {
        self.skip_blank()?;
        if self.position < self.text.len() {
            return Err(self.unexpected("the end of the text"));
        }
        Ok(())
    }

    /// Skips one of these names, if it is a whole word.
    fn eat_name(&mut self, names: &[&[u8]]) -> bool {
        let rest = self.rest();
        let ends = |name: &[u8]| !rest.get(name.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let found = names.iter().find(|name| rest.starts_with(name) && ends(name));
        self.position += found.map_or(0, |name| name.len());
        found.is_some()
    }

    /// Skips an expected byte, with the blanks around it.
    fn expect(&mut self, byte: u8, wanted: &'static str) -> Result<()> {
        self.skip_blank()?;
        if !self.eat(byte) {
            return Err(self.unexpected(wanted));
        }
        self.skip_blank()
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.position += usize::from(found);
        found
    }

    #[cold]
    fn error(&self, at: usize, problem: impl Into<Cow<'static, str>>) -> Fault {
        Fault::Syntax { offset: self.dialect.base + at, problem: problem.into() }
    }

    #[cold]
    fn unexpected(&self, wanted: &'static str) -> Fault {
        let found = match self.peek() {
            None => END.to_owned(),
            Some(byte) if byte.is_ascii_graphic() => format!("'{}'", char::from(byte)),
            Some(byte) => format!("the byte {byte:#04x}"),
        };
        self.error(self.position, unexpected(wanted, &found))
    }

    /// Skips comments and the white space of Python, which excludes the vertical tab and NBSP.
    fn skip_blank(&mut self) -> Result<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0c) => self.position += 1,
                Some(b'#') => {
                    let line = self.rest().iter().position(|&byte| matches!(byte, b'\n' | b'\r'));
                    let end = line.map_or(self.text.len(), |length| self.position + length);
                    if let Some(at) = self.text[self.position..end].iter().position(|&byte| byte == 0) {
                        return Err(self.error(self.position + at, NUL_BYTE));
                    }
                    self.position = end;
                }
                _ => return Ok(()),
            }
        }
    }

    fn value(&mut self) -> Result<Node<'a>> {
        let start = self.position;
        let value = match self.peek() {
            Some(b'{') => self.braces()?,
            Some(b'[') => Value::List(self.items(b']')?.0),
            Some(b'(') => {
                let (mut items, trailing_comma) = self.items(b')')?;
                match items.pop() {
                    // Parentheses around one value without a comma are no tuple.
                    Some(only) if items.is_empty() && !trailing_comma => return Ok(only),
                    last => {
                        items.extend(last);
                        Value::Tuple(items)
                    }
                }
            }
            Some(b'\'' | b'"') => self.strings()?,
            Some(b'.') if self.rest().starts_with(b"...") => {
                self.position += 3;
                Value::Other
            }
            Some(b'+' | b'-' | b'.' | b'0'..=b'9') => self.number()?,
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => self.name()?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(self.node(start, value))
    }

    fn node(&self, start: usize, value: Value<'a>) -> Node<'a> {
        Node { value, offset: self.dialect.base + start, source: &self.text[start..self.position], latin1: self.dialect.latin1 }
    }

    fn open(&mut self) -> Result<()> {
        self.position += 1;
        self.depth += 1;
        if self.depth > self.dialect.depth {
            return Err(Fault::NestedTooDeep { limit: self.dialect.depth });
        }
        self.skip_blank()
    }

    /// Reads `value, value, …` up to `close`. Returns whether a comma came last.
    fn items(&mut self, close: u8) -> Result<(Vec<Node<'a>>, bool)> {
        self.open()?;
        // Most are fields of two items, and a `Vec` would begin with a capacity of four.
        let mut items = Vec::with_capacity(if self.peek() == Some(close) { 0 } else { 2 });
        let mut trailing_comma = false;
        while !self.eat(close) {
            if !items.is_empty() && !trailing_comma {
                return Err(self.unexpected(if close == b']' { "',' or ']'" } else { "',' or ')'" }));
            }
            items.push(self.value()?);
            trailing_comma = self.comma()?;
        }
        self.depth -= 1;
        Ok((items, trailing_comma))
    }

    fn comma(&mut self) -> Result<bool> {
        self.skip_blank()?;
        let found = self.eat(b',');
        self.skip_blank()?;
        Ok(found)
    }

    /// A dict or a set.
    fn braces(&mut self) -> Result<Value<'a>> {
        self.open()?;
        let mut pairs = Vec::new();
        let mut is_set = false;
        let mut comma = true;
        while !self.eat(b'}') {
            if !comma {
                return Err(self.unexpected("',' or '}'"));
            }
            let key = self.value()?;
            self.skip_blank()?;
            if !is_set && self.eat(b':') {
                self.skip_blank()?;
                pairs.push((key, self.value()?));
            } else if pairs.is_empty() {
                is_set = true;
            } else {
                return Err(self.unexpected("':'"));
            }
            comma = self.comma()?;
        }
        self.depth -= 1;
        Ok(if is_set { Value::Set } else { Value::Dict(pairs) })
    }

    /// `True`, `False`, `None`, or the prefix of a string.
    fn name(&mut self) -> Result<Value<'a>> {
        let rest = self.rest();
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let value = match &rest[..length] {
            b"np" | b"numpy" if self.dialect.is_dtype && self.eat_name(&[b"numpy.record", b"np.record"]) => {
                return Ok(Value::RecordType);
            }
            b"True" => Value::Bool(true),
            b"False" => Value::Bool(false),
            b"None" => Value::None,
            _ if length <= 2 && matches!(rest.get(length), Some(b'\'' | b'"')) => return self.strings(),
            b"np" | b"numpy" => {
                // NumPy 2.0 wrote them by mistake, and does not read them.
                return Err(self.error(self.position, "expected a plain number, found a NumPy scalar such as np.int64(3)"));
            }
            name => {
                let name = String::from_utf8_lossy(&name[..length.min(60)]);
                return Err(self.error(self.position, unexpected("a value", &format!("the name {name}"))));
            }
        };
        self.position += length;
        Ok(value)
    }

    fn number(&mut self) -> Result<Value<'a>> {
        let start = self.position;
        let negative = self.peek() == Some(b'-');
        if matches!(self.peek(), Some(b'+' | b'-')) {
            self.position += 1;
            // Python allows blanks after a sign.
            self.skip_blank()?;
        }
        let mut value = self.unsigned_number(negative)?;
        // A complex number: `1+2j`.
        let end = self.position;
        self.skip_blank()?;
        if matches!(self.peek(), Some(b'+' | b'-')) {
            self.position += 1;
            self.skip_blank()?;
            let imaginary = self.position;
            self.unsigned_number(false)?;
            if !self.text[imaginary..self.position].ends_with(b"j") {
                return Err(self.error(start, "expected a value, found an expression"));
            }
            value = Value::Other;
        } else {
            self.position = end;
        }
        self.skip_long_suffix()?;
        Ok(value)
    }

    fn unsigned_number(&mut self, negative: bool) -> Result<Value<'a>> {
        let start = self.position;
        let rest = self.rest();
        let radix = match rest {
            [b'0', b'x' | b'X', ..] => 16,
            [b'0', b'o' | b'O', ..] => 8,
            [b'0', b'b' | b'B', ..] => 2,
            _ => 10,
        };
        if radix != 10 {
            self.position += 2;
            self.eat(b'_');
        }
        let mut integer = Some(0_i64);
        let digits = self.digits(radix, &mut integer)?;
        if radix == 10 && self.float_suffix(digits)? {
            return Ok(Value::Other);
        }
        if digits == 0 {
            return Err(self.unexpected("a digit"));
        }
        let written = &self.text[start..self.position];
        if radix == 10 && written.first() == Some(&b'0') && written.iter().any(|byte| matches!(byte, b'1'..=b'9')) {
            return Err(self.error(start, "leading zero in an integer"));
        }
        Ok(match integer {
            Some(value) => Value::Integer(if negative { -value } else { value }),
            None => Value::Other,
        })
    }

    /// Reads the fraction, the exponent and the `j` after `digits` digits, and returns whether there is one of these.
    fn float_suffix(&mut self, digits: usize) -> Result<bool> {
        let begin = self.position;
        if self.eat(b'.') && self.digits(10, &mut None)? + digits == 0 {
            return Err(self.unexpected("a digit"));
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            if self.digits(10, &mut None)? == 0 {
                return Err(self.unexpected("a digit"));
            }
        }
        let _ = self.eat(b'j') || self.eat(b'J');
        Ok(self.position > begin)
    }

    /// Reads digits, which single underscores may separate. Returns their number. `value` becomes `None` on
    /// overflow.
    fn digits(&mut self, radix: u32, value: &mut Option<i64>) -> Result<usize> {
        // Python's limit.
        const MOST: usize = 4300;
        let start = self.position;
        let mut count = 0;
        while let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(radix)) {
            count += 1;
            *value = value.and_then(|value| value.checked_mul(i64::from(radix))?.checked_add(i64::from(digit)));
            self.position += 1;
            let next_is_digit = |byte: &u8| char::from(*byte).is_digit(radix);
            if self.peek() == Some(b'_') && self.text.get(self.position + 1).is_some_and(next_is_digit) {
                self.position += 1;
            }
        }
        if count > MOST {
            return Err(self.error(start, format!("number too long: expected at most {MOST} digits, found {count}")));
        }
        Ok(count)
    }

    /// Skips the suffix of Python 2's long integers, as in the shape `(2L, 3L)`.
    fn skip_long_suffix(&mut self) -> Result<()> {
        while self.dialect.long_integers {
            let end = self.position;
            self.skip_blank()?;
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            if self.peek() == Some(b'L') && !self.text.get(self.position + 1).is_some_and(is_part) {
                self.position += 1;
            } else {
                self.position = end;
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
