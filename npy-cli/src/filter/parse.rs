//! The grammar of expressions: Python's, with Python's precedence.

use super::mark::{Checked, Problem};
use super::syntax::{Comparison, Expression, Kind, Operator, Path};
use super::token::{Token, tokens};

/// The most levels of an expression.
const MOST_LEVELS: usize = 100;

/// Parses an expression.
pub(super) fn parse(text: &str) -> Checked<Expression> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0 };
    let expression = parser.or()?;
    match parser.peek() {
        Token::End => Ok(expression),
        _ => Err(parser.expected("an operator or the end")),
    }
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    next: usize,
    /// The number of brackets and signs around the next token.
    depth: usize,
}

const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<", Comparison::Less),
    ("<=", Comparison::LessOrEqual),
    (">", Comparison::Greater),
    (">=", Comparison::GreaterOrEqual),
];

const SUMS: [(&str, Operator); 2] = [("+", Operator::Add), ("-", Operator::Subtract)];

const PRODUCTS: [(&str, Operator); 4] =
    [("*", Operator::Multiply), ("/", Operator::Divide), ("//", Operator::FloorDivide), ("%", Operator::Modulo)];

const KEYWORDS: [&str; 4] = ["and", "or", "not", "in"];

/// The sides of a comparison in a chain, which is a comparison of each pair.
enum Link {
    Compare(Comparison, Expression),
    Matches(Expression),
    In(Vec<Expression>),
    NotIn(Vec<Expression>),
}

impl Parser {
    fn or(&mut self) -> Checked<Expression> {
        self.joined("or", Self::and, Kind::Or)
    }

    fn and(&mut self) -> Checked<Expression> {
        self.joined("and", Self::not, Kind::And)
    }

    /// Operands with a keyword between them, in one list however many there are.
    fn joined(
        &mut self,
        keyword: &str,
        operand: fn(&mut Self) -> Checked<Expression>,
        kind: fn(Vec<Expression>) -> Kind,
    ) -> Checked<Expression> {
        let first = operand(self)?;
        if !self.is_keyword(keyword) {
            return Ok(first);
        }
        let at = self.at();
        let mut operands = vec![first];
        while self.take_keyword(keyword) {
            operands.push(operand(self)?);
        }
        let height = operands.iter().map(|operand| operand.height).max().unwrap_or(0);
        expression(at, height, kind(operands))
    }

    fn not(&mut self) -> Checked<Expression> {
        let at = self.at();
        if self.take_keyword("not") {
            let operand = self.deeper(at, Self::not)?;
            return expression(at, operand.height, Kind::Not(Box::new(operand)));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Checked<Expression> {
        let first = self.sum()?;
        let (mut left, mut links) = (first, Vec::new());
        while let (at, Some(link)) = (self.at(), self.link()?) {
            let right = match &link {
                Link::Compare(_, right) | Link::Matches(right) => Some(right.clone()),
                Link::In(_) | Link::NotIn(_) => None,
            };
            links.push(compared(at, left.clone(), link)?);
            match right {
                Some(right) => left = right,
                None => break,
            }
        }
        match (links.pop(), links.is_empty()) {
            (None, _) => Ok(left),
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                links.push(last);
                let height = links.iter().map(|link| link.height).max().unwrap_or(0);
                let at = links.first().map_or(0, |link| link.at);
                expression(at, height, Kind::And(links))
            }
        }
    }

    /// A comparison and its right side, if one comes next.
    fn link(&mut self) -> Checked<Option<Link>> {
        if let Some(comparison) = self.take_sign(&COMPARISONS) {
            return Ok(Some(Link::Compare(comparison, self.sum()?)));
        }
        if self.take("~") {
            return Ok(Some(Link::Matches(self.sum()?)));
        }
        if self.is_keyword("not") {
            self.next += 1;
            if !self.is_keyword("in") {
                return Err(self.expected("\"in\""));
            }
            self.next += 1;
            return Ok(Some(Link::NotIn(self.list()?)));
        }
        if self.take_keyword("in") { Ok(Some(Link::In(self.list()?))) } else { Ok(None) }
    }

    /// `[1, 2, 3]`, or with parentheses.
    fn list(&mut self) -> Checked<Vec<Expression>> {
        let close = if self.take("[") {
            "]"
        } else if self.take("(") {
            ")"
        } else {
            return Err(self.expected("a list such as [1, 2]"));
        };
        let at = self.at();
        self.deeper(at, |parser| parser.items(close))
    }

    /// Expressions with commas between them, up to a bracket.
    fn items(&mut self, close: &'static str) -> Checked<Vec<Expression>> {
        let mut items = Vec::new();
        loop {
            if self.take(close) {
                return Ok(items);
            }
            items.push(self.or()?);
            if !self.take(",") {
                return if self.take(close) { Ok(items) } else { Err(self.expected(&format!("\",\" or {close:?}"))) };
            }
        }
    }

    fn sum(&mut self) -> Checked<Expression> {
        self.arithmetic(&SUMS, Self::product)
    }

    fn product(&mut self) -> Checked<Expression> {
        self.arithmetic(&PRODUCTS, Self::signed)
    }

    fn arithmetic(&mut self, operators: &[(&str, Operator)], operand: fn(&mut Self) -> Checked<Expression>) -> Checked<Expression> {
        let mut left = operand(self)?;
        loop {
            let at = self.at();
            let Some(operator) = self.take_sign(operators) else { return Ok(left) };
            let right = operand(self)?;
            let height = left.height.max(right.height);
            left = expression(at, height, Kind::Arithmetic(operator, Box::new(left), Box::new(right)))?;
        }
    }

    fn signed(&mut self) -> Checked<Expression> {
        let at = self.at();
        if self.take("-") {
            let operand = self.deeper(at, Self::signed)?;
            return match operand.kind {
                Kind::Whole(value) => expression(at, 0, Kind::Whole(-value)),
                Kind::Real(value) => expression(at, 0, Kind::Real(-value)),
                _ => expression(at, operand.height, Kind::Negate(Box::new(operand))),
            };
        }
        if self.take("+") { self.deeper(at, Self::signed) } else { self.primary() }
    }

    fn primary(&mut self) -> Checked<Expression> {
        let at = self.at();
        let kind = match self.peek().clone() {
            Token::Whole(value) => Kind::Whole(value),
            Token::Real(value) => Kind::Real(value),
            Token::Text(text) => Kind::Text(text),
            Token::Sign("(") => {
                self.next += 1;
                let inner = self.deeper(at, Self::or)?;
                return if self.take(")") { Ok(inner) } else { Err(self.expected("an operator or \")\"")) };
            }
            Token::Sign("[") => return self.field(String::new(), at),
            Token::Name(name) if !KEYWORDS.contains(&name.as_str()) => {
                self.next += 1;
                return self.field(name, at);
            }
            _ => return Err(self.expected("a value, a field or a function")),
        };
        self.next += 1;
        expression(at, 0, kind)
    }

    /// What follows the first name of a path: names after dots or in brackets, and indices; or the arguments of a function.
    fn field(&mut self, mut name: String, at: usize) -> Checked<Expression> {
        let mut indices = Vec::new();
        let add = |path: &mut String, name: &str| {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
        };
        loop {
            if self.take(".") {
                let Token::Name(next) = self.peek().clone() else { return Err(self.expected("the name of a field")) };
                self.next += 1;
                add(&mut name, &next);
            } else if self.take("[") {
                if let Token::Text(next) = self.peek().clone() {
                    self.next += 1;
                    add(&mut name, &next);
                } else {
                    self.indices(&mut indices)?;
                }
                if !self.take("]") {
                    return Err(self.expected("\"]\""));
                }
            } else if indices.is_empty() && self.take("(") {
                let arguments = self.deeper(at, |parser| parser.items(")"))?;
                let height = arguments.iter().map(|argument| argument.height).max().unwrap_or(0);
                return expression(at, height, Kind::Call(name, arguments));
            } else {
                return expression(at, 0, Kind::Field(Path { name, indices }));
            }
        }
    }

    /// `2` or `0, 1`, in brackets.
    fn indices(&mut self, indices: &mut Vec<(usize, i128)>) -> Checked<()> {
        loop {
            let (at, is_negative) = (self.at(), self.take("-"));
            let Token::Whole(index) = *self.peek() else { return Err(self.expected("an index such as 2, or a field such as 't'")) };
            self.next += 1;
            indices.push((at, if is_negative { -index } else { index }));
            if !self.take(",") {
                return Ok(());
            }
        }
    }

    /// Parses one level deeper.
    fn deeper<T>(&mut self, at: usize, parse: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        if self.depth == MOST_LEVELS {
            return Err(too_deep(at));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(_, token)| token)
    }

    /// The place of the next token.
    fn at(&self) -> usize {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |(at, _)| *at)
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.peek(), Token::Name(name) if name == keyword)
    }

    fn take_keyword(&mut self, keyword: &str) -> bool {
        let is_next = self.is_keyword(keyword);
        self.next += usize::from(is_next);
        is_next
    }

    fn take(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Sign(found) if *found == sign);
        self.next += usize::from(is_next);
        is_next
    }

    fn take_sign<T: Copy>(&mut self, signs: &[(&str, T)]) -> Option<T> {
        let Token::Sign(found) = self.peek() else { return None };
        let meaning = signs.iter().find(|(sign, _)| sign == found).map(|(_, meaning)| *meaning)?;
        self.next += 1;
        Some(meaning)
    }

    fn expected(&self, what: &str) -> Problem {
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            Token::Whole(_) | Token::Real(_) => "a number".to_owned(),
            Token::Text(_) => "a text".to_owned(),
            Token::Name(name) => format!("{name:?}"),
            Token::Sign(sign) => format!("{sign:?}"),
        };
        Problem::new(self.at(), format!("expected {what}, found {found}"))
    }
}

fn too_deep(at: usize) -> Problem {
    Problem::new(at, format!("nesting exceeds the limit of {MOST_LEVELS}"))
}

/// An expression on operands of this height. Fails where it is too high: trees are walked by recursion.
fn expression(at: usize, below: usize, kind: Kind) -> Checked<Expression> {
    let height = below + 1;
    if height > MOST_LEVELS { Err(too_deep(at)) } else { Ok(Expression { at, height, kind }) }
}

fn compared(at: usize, left: Expression, link: Link) -> Checked<Expression> {
    let height = |items: &[Expression]| items.iter().map(|item| item.height).max().unwrap_or(0).max(left.height);
    match link {
        Link::Compare(comparison, right) => {
            let height = left.height.max(right.height);
            expression(at, height, Kind::Compare(comparison, Box::new(left), Box::new(right)))
        }
        Link::Matches(right) => {
            let height = left.height.max(right.height);
            expression(at, height, Kind::Matches(Box::new(left), Box::new(right)))
        }
        Link::In(items) => expression(at, height(&items), Kind::In(Box::new(left), items)),
        Link::NotIn(items) => {
            let inner = expression(at, height(&items), Kind::In(Box::new(left), items))?;
            expression(at, inner.height, Kind::Not(Box::new(inner)))
        }
    }
}
