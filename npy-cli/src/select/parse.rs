//! The text of a selection: NumPy's brackets, one after another, or their shorthands.

use std::fmt;

use crate::failure::{Failure, Result};

/// One pair of brackets, or one path of fields.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    /// Where it begins in the text, in bytes.
    pub(super) place: usize,
    pub(super) kind: StepKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum StepKind {
    /// `[0, :, 10:20]`
    Axes(Vec<Item>),
    /// `['t']`
    Field(String),
    /// `pose.x`: one field, or a path of them. `0.x`: an index, and a path behind it.
    Path(String),
    /// `[['a', 'b']]`
    Fields(Vec<String>),
}

/// An index, a slice or a placeholder, for one axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) place: usize,
    pub(super) kind: ItemKind,
}

impl Item {
    /// The index, or a word for any other.
    pub(super) fn name(&self) -> String {
        if let ItemKind::Index(index) = self.kind { index.to_string() } else { "slice".to_owned() }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ItemKind {
    Index(i128),
    Slice(Slice),
    /// `...`
    Ellipsis,
    /// `None`
    NewAxis,
}

impl Step {
    /// Whether it takes a part of a single object: a key, an index or a slice.
    pub(super) fn leads_inside(&self) -> bool {
        match &self.kind {
            StepKind::Axes(items) => items.iter().any(|item| matches!(item.kind, ItemKind::Index(_) | ItemKind::Slice(_))),
            _ => true,
        }
    }

    /// An index in its place.
    pub(super) fn with_index(&self, index: i128) -> Self {
        let item = Item { place: self.place, kind: ItemKind::Index(index) };
        Self { place: self.place, kind: StepKind::Axes(vec![item]) }
    }

    /// A path in its place.
    pub(super) fn with_path(&self, path: &str) -> Self {
        Self { place: self.place, kind: StepKind::Path(path.to_owned()) }
    }
}

/// The index with which a path begins, and the rest behind its dot or colon.
pub(super) fn index_and_rest(path: &str) -> Option<(i128, &str)> {
    let (index, rest) = path.split_once(['.', ':']).unwrap_or((path, ""));
    Some((index.parse().ok()?, rest))
}

/// Whether a text is a path that begins with an index or a digit: `0.x`, `0['x']`, `2p`. Alone, an index is as in brackets.
fn begins_with_digits(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let rest = digits.trim_start_matches(|character: char| character.is_ascii_digit());
    let mut after = rest.chars();
    rest.len() < digits.len()
        && match (after.next(), after.next()) {
            (Some('.'), Some(next)) => next != '.',
            (Some(':'), Some(next)) => next.is_alphabetic() || next == '_',
            (Some(next), _) => next == '[' || next.is_alphabetic(),
            (None, _) => false,
        }
}

/// `start:stop:step`
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Slice {
    pub(super) start: Option<i128>,
    pub(super) stop: Option<i128>,
    pub(super) step: Option<i128>,
}

/// Parses the text of a selection.
pub(super) fn parse(text: &str) -> Result<Vec<Step>> {
    let mut parser = Parser { text, rest: text };
    parser.selection().map_err(|problem| {
        let column = column_of(text, problem.place);
        Failure::new(format!("invalid slice {text:?} at column {column}: {}", problem.message))
    })
}

/// The column, from 1, of a place in a text.
pub(super) fn column_of(text: &str, place: usize) -> usize {
    text.get(..place).map_or(0, |before| before.chars().count()) + 1
}

struct Problem {
    place: usize,
    message: String,
}

type Parsed<T> = std::result::Result<T, Problem>;

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
}

const AXES: &str = "an integer, a slice such as 10:20, ... or a field such as 't'";

impl Parser<'_> {
    fn selection(&mut self) -> Parsed<Vec<Step>> {
        let mut steps = Vec::new();
        self.skip_blanks();
        match self.rest.chars().next() {
            None => return Ok(steps),
            Some('[') => {}
            Some(_) if begins_with_digits(self.rest) => steps.push(self.path()?),
            // The inside of brackets alone.
            Some(':' | '.' | '-' | '+' | '0'..='9' | '\'' | '"' | '(') => {
                steps.push(self.brackets(None)?);
                return Ok(steps);
            }
            Some(_) => steps.push(self.path()?),
        }
        loop {
            self.skip_blanks();
            let place = self.place();
            if self.rest.is_empty() {
                return Ok(steps);
            } else if self.take("[") {
                let mut step = self.brackets(Some("]"))?;
                step.place = place;
                steps.push(step);
            } else if self.take(".") || self.take(":") {
                steps.push(self.path()?);
            } else {
                return Err(self.expected("\"[\" or the end"));
            }
        }
    }

    /// `pose.x`, up to a bracket or the end.
    fn path(&mut self) -> Parsed<Step> {
        let place = self.place();
        let length = self.rest.find('[').unwrap_or(self.rest.len());
        let (path, rest) = self.rest.split_at(length);
        let path = path.trim_end();
        if path.is_empty() {
            return Err(self.expected("the name of a field"));
        }
        self.rest = rest;
        Ok(Step { place, kind: StepKind::Path(path.to_owned()) })
    }

    /// The text in brackets with the closing one, or all that remains.
    fn brackets(&mut self, close: Option<&str>) -> Parsed<Step> {
        self.skip_blanks();
        let place = self.place();
        let kind = match self.rest.chars().next() {
            Some('\'' | '"') => StepKind::Field(self.string()?),
            Some('[') => StepKind::Fields(self.names()?),
            _ => StepKind::Axes(self.items(close)?),
        };
        self.skip_blanks();
        match (&kind, self.rest.chars().next()) {
            (StepKind::Field(_), Some(',')) => {
                let message = "expected one field; several take two pairs of brackets, as in [['a', 'b']]".to_owned();
                Err(Problem { place: self.place(), message })
            }
            (StepKind::Fields(_), Some(',')) => {
                let message = "expected one list of fields; rows take brackets of their own, as in [['a', 'b']][0]".to_owned();
                Err(Problem { place: self.place(), message })
            }
            (_, None) if close.is_none() => Ok(Step { place, kind }),
            (_, Some(']')) if close.is_some() => {
                self.take("]");
                Ok(Step { place, kind })
            }
            _ => Err(self.expected(if close.is_some() { "\",\" or \"]\"" } else { "\",\" or the end" })),
        }
    }

    /// `['a', 'b']`, inside of other brackets.
    fn names(&mut self) -> Parsed<Vec<String>> {
        let mut names = Vec::new();
        self.take("[");
        loop {
            self.skip_blanks();
            if self.take("]") {
                return Ok(names);
            }
            if !self.rest.starts_with(['\'', '"']) {
                return Err(self.expected("a field in quotes; lists of indices and masks are not supported"));
            }
            names.push(self.string()?);
            self.skip_blanks();
            if !self.take(",") && !self.rest.starts_with(']') {
                return Err(self.expected("\",\" or \"]\""));
            }
        }
    }

    fn items(&mut self, close: Option<&str>) -> Parsed<Vec<Item>> {
        let mut items: Vec<Item> = Vec::new();
        let is_end = |rest: &str| close.map_or(rest.is_empty(), |close| rest.starts_with(close));
        if self.take("()") {
            return Ok(items);
        }
        loop {
            self.skip_blanks();
            if is_end(self.rest) && !items.is_empty() {
                return Ok(items);
            }
            let place = self.place();
            let kind = self.item()?;
            if kind == ItemKind::Ellipsis && items.iter().any(|item| item.kind == ItemKind::Ellipsis) {
                return Err(Problem { place, message: "expected one \"...\" at most".to_owned() });
            }
            items.push(Item { place, kind });
            self.skip_blanks();
            if !self.take(",") {
                return Ok(items);
            }
        }
    }

    fn item(&mut self) -> Parsed<ItemKind> {
        if self.take("...") {
            return Ok(ItemKind::Ellipsis);
        }
        for name in ["None", "np.newaxis", "newaxis"] {
            if self.take(name) {
                return Ok(ItemKind::NewAxis);
            }
        }
        if self.rest.starts_with(['\'', '"']) {
            let message = "expected an integer or a slice, found a field; a field takes brackets of its own, as in ['t'][0]";
            return Err(Problem { place: self.place(), message: message.to_owned() });
        }
        let start = self.integer()?;
        self.skip_blanks();
        if !self.take(":") {
            return start.map(ItemKind::Index).ok_or_else(|| self.expected(AXES));
        }
        let end = self.integer()?;
        self.skip_blanks();
        let mut step = None;
        if self.take(":") {
            self.skip_blanks();
            let place = self.place();
            step = self.integer()?;
            if step == Some(0) {
                return Err(Problem { place, message: "expected a step other than 0".to_owned() });
            }
        }
        Ok(ItemKind::Slice(Slice { start, stop: end, step }))
    }

    /// An integer of Python, if there is one. Larger ones than any axis are as good as infinite.
    fn integer(&mut self) -> Parsed<Option<i128>> {
        self.skip_blanks();
        let before = self.rest;
        let is_negative = self.take("-");
        let has_sign = is_negative || self.take("+");
        let is_digit = |character: char| character.is_ascii_digit() || character == '_';
        let length = self.rest.find(|character| !is_digit(character)).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(length);
        let is_number =
            digits.starts_with(|first: char| first.is_ascii_digit()) && !digits.ends_with('_') && !digits.contains("__");
        if !is_number {
            if has_sign || !digits.is_empty() {
                return Err(self.expected("an integer"));
            }
            self.rest = before;
            return Ok(None);
        }
        self.rest = rest;
        let digits = digits.bytes().filter(u8::is_ascii_digit);
        let number = digits.fold(0_i128, |number, digit| number.saturating_mul(10).saturating_add(i128::from(digit - b'0')));
        let number = number.min(MOST);
        Ok(Some(if is_negative { -number } else { number }))
    }

    /// A text in quotes, with Python's escapes.
    fn string(&mut self) -> Parsed<String> {
        let begin = self.place();
        let mut characters = self.rest.chars();
        let Some(quote) = characters.next() else { return Err(self.expected("a field in quotes")) };
        let mut text = String::new();
        while let Some(character) = characters.next() {
            match character {
                character if character == quote => {
                    self.rest = characters.as_str();
                    return Ok(text);
                }
                '\\' => {
                    let place = (self.text.len() - characters.as_str().len()).saturating_sub(1);
                    let escape = unescape(&mut characters);
                    let escape = escape.ok_or_else(|| Problem { place, message: "invalid escape sequence".to_owned() })?;
                    text.push_str(&escape);
                }
                character => text.push(character),
            }
        }
        Err(Problem { place: begin, message: format!("expected a closing {quote}, found the end") })
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Skips a text, if it comes next.
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn place(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    fn expected(&self, what: impl fmt::Display) -> Problem {
        let found = match self.rest.chars().next() {
            None => "the end".to_owned(),
            Some(found) => format!("{:?}", String::from(found)),
        };
        Problem { place: self.place(), message: format!("expected {what}, found {found}") }
    }
}

/// Beyond any length, and far from overflow.
const MOST: i128 = 1 << 100;

/// The character of an escape sequence, behind its backslash.
pub(crate) fn unescape(characters: &mut std::str::Chars<'_>) -> Option<String> {
    let kind = characters.next()?;
    let digits = match kind {
        '\\' | '\'' | '"' => return Some(kind.into()),
        'n' => return Some("\n".to_owned()),
        'r' => return Some("\r".to_owned()),
        't' => return Some("\t".to_owned()),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        // Python keeps the backslash.
        other => return Some(format!("\\{other}")),
    };
    let rest = characters.as_str();
    let code = rest.get(..digits).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    *characters = rest.get(digits..)?.chars();
    let number = u32::from_str_radix(code, 16).ok()?;
    match char::from_u32(number) {
        Some(character) => Some(character.into()),
        // A lone surrogate stands so in the names of fields.
        None if number <= 0xffff => Some(format!("\\u{number:04x}")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> String {
        let text_of = |number: Option<i128>| number.map_or(String::new(), |number| number.to_string());
        let item = |item: &Item| match item.kind {
            ItemKind::Index(index) => index.to_string(),
            ItemKind::Slice(slice) => format!("{}:{}:{}", text_of(slice.start), text_of(slice.stop), text_of(slice.step)),
            ItemKind::Ellipsis => "...".to_owned(),
            ItemKind::NewAxis => "None".to_owned(),
        };
        let step = |step: &Step| match &step.kind {
            StepKind::Axes(items) => format!("[{}]", items.iter().map(item).collect::<Vec<_>>().join(", ")),
            StepKind::Field(name) => format!("[{name:?}]"),
            StepKind::Path(path) => format!(".{path}"),
            StepKind::Fields(names) => format!("[{names:?}]"),
        };
        match parse(text) {
            Ok(steps) => steps.iter().map(step).collect(),
            Err(failure) => failure.to_string(),
        }
    }

    #[test]
    fn parses_what_numpy_takes() {
        for (text, expected) in [
            ("[0, :, 10:20]", "[0, ::, 10:20:]"),
            ("0,:,10:20", "[0, ::, 10:20:]"),
            ("[-3:]", "[-3::]"),
            ("[ : : -2 ]", "[::-2]"),
            ("[...,0]", "[..., 0]"),
            ("[0,]", "[0]"),
            ("[()]", "[]"),
            ("[None, 1_000]", "[None, 1000]"),
            ("['t']", "[\"t\"]"),
            ("'t'", "[\"t\"]"),
            ("['pose']['x'][::100]", "[\"pose\"][\"x\"][::100]"),
            ("[['a',\"b\"]]", "[[\"a\", \"b\"]]"),
            ("pose.x[::100]", ".pose.x[::100]"),
            ("[3].pose.x", "[3].pose.x"),
            ("3.pose.x[0]", ".3.pose.x[0]"),
            ("-1['x']", ".-1[\"x\"]"),
            ("0:pose", ".0:pose"),
            ("2p", ".2p"),
            ("0:10", "[0:10:]"),
            ("0,...", "[0, ...]"),
            (r"['it\'s\x41\u00e9']", "[\"it'sAé\"]"),
            ("", ""),
            ("99999999999999999999999999999999999999999999", "[1267650600228229401496703205376]"),
        ] {
            assert_eq!(steps(text), expected, "{text}");
        }
    }

    #[test]
    fn points_at_the_column_of_a_mistake() {
        insta::assert_snapshot!(steps("[0, x]"), @r#"invalid slice "[0, x]" at column 5: expected an integer, a slice such as 10:20, ... or a field such as 't', found "x""#);
        insta::assert_snapshot!(steps("[0"), @r#"invalid slice "[0" at column 3: expected "," or "]", found the end"#);
        insta::assert_snapshot!(steps("[]"), @r#"invalid slice "[]" at column 2: expected an integer, a slice such as 10:20, ... or a field such as 't', found "]""#);
        insta::assert_snapshot!(steps("[::0]"), @r#"invalid slice "[::0]" at column 4: expected a step other than 0"#);
        insta::assert_snapshot!(steps("[..., ...]"), @r#"invalid slice "[..., ...]" at column 7: expected one "..." at most"#);
        insta::assert_snapshot!(steps("[[0, 1]]"), @r#"invalid slice "[[0, 1]]" at column 3: expected a field in quotes; lists of indices and masks are not supported, found "0""#);
        insta::assert_snapshot!(steps("['a', 'b']"), @r#"invalid slice "['a', 'b']" at column 5: expected one field; several take two pairs of brackets, as in [['a', 'b']]"#);
        insta::assert_snapshot!(steps("[0, 'a']"), @r#"invalid slice "[0, 'a']" at column 5: expected an integer or a slice, found a field; a field takes brackets of its own, as in ['t'][0]"#);
        insta::assert_snapshot!(steps("['a"), @r#"invalid slice "['a" at column 2: expected a closing ', found the end"#);
        insta::assert_snapshot!(steps("['é\\x4']"), @r#"invalid slice "['é\\x4']" at column 4: invalid escape sequence"#);
        insta::assert_snapshot!(steps("[0]5"), @r#"invalid slice "[0]5" at column 4: expected "[" or the end, found "5""#);
        insta::assert_snapshot!(steps("[-]"), @r#"invalid slice "[-]" at column 3: expected an integer, found "]""#);
        insta::assert_snapshot!(steps("[1.5]"), @r#"invalid slice "[1.5]" at column 3: expected "," or "]", found ".""#);
        insta::assert_snapshot!(steps("1:2:3:4"), @r#"invalid slice "1:2:3:4" at column 6: expected "," or the end, found ":""#);
        insta::assert_snapshot!(steps("[0]."), @r#"invalid slice "[0]." at column 5: expected the name of a field, found the end"#);
    }
}
