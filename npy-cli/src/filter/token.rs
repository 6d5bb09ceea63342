//! The tokens of an expression.

use super::mark::{Checked, Problem};
use crate::select::unescape;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Whole(i128),
    Real(f64),
    Text(String),
    /// A field, a function or a keyword.
    Name(String),
    Sign(&'static str),
    End,
}

/// Longer ones first.
const SIGNS: [&str; 22] =
    ["==", "!=", "<=", ">=", "//", "&&", "||", "**", "<", ">", "+", "-", "*", "/", "%", "~", "(", ")", "[", "]", ",", "."];

/// Signs of other languages, and what to write instead.
const MISTAKEN: [(&str, &str); 5] = [("=", "=="), ("&", "and"), ("|", "or"), ("!", "not"), ("^", "and, or, not")];

/// Splits an expression into tokens with their places.
pub(super) fn tokens(text: &str) -> Checked<Vec<(usize, Token)>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        let begins_number = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
        let (token, behind) = match first {
            '\'' | '"' => quoted(text, at, rest)?,
            'b' | 'B' if rest[1..].starts_with(['\'', '"']) => bytes(text, at + 1, &rest[1..])?,
            _ if begins_number(rest) || first == '.' && begins_number(&rest[1..]) => number(at, rest)?,
            _ if is_of_name(first) => {
                let (name, behind) = rest.split_at(rest.find(|character| !is_of_name(character)).unwrap_or(rest.len()));
                (Token::Name(name.to_owned()), behind)
            }
            _ => sign(at, rest)?,
        };
        tokens.push((at, token));
        rest = behind.trim_start();
    }
    tokens.push((text.len(), Token::End));
    Ok(tokens)
}

fn is_of_name(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

fn sign(at: usize, rest: &str) -> Checked<(Token, &str)> {
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return match *sign {
            "&&" => Err(Problem::new(at, "expected an operator, found \"&&\"; write and")),
            "||" => Err(Problem::new(at, "expected an operator, found \"||\"; write or")),
            "**" => Err(Problem::new(at, "expected an operator, found \"**\"; powers are not supported")),
            sign => Ok((Token::Sign(sign), &rest[sign.len()..])),
        };
    }
    let found: String = rest.chars().take(1).collect();
    let hint = MISTAKEN.iter().find(|(sign, _)| *sign == found).map(|(_, instead)| format!("; write {instead}"));
    Err(Problem::new(at, format!("expected an operator or a value, found {found:?}{}", hint.unwrap_or_default())))
}

/// A number of Python: `1_000`, `0x1f`, `2.5e-3`.
fn number(at: usize, rest: &str) -> Checked<(Token, &str)> {
    let length_of = |text: &str, is_digit: fn(char) -> bool| text.find(|character| !is_digit(character)).unwrap_or(text.len());
    let is_decimal = |character: char| character.is_ascii_digit() || character == '_';
    let too_large = || Problem::new(at, format!("number out of range: expected an integer of at most {}", i128::MAX));
    let (token, end) = if let Some(digits) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        let length = length_of(digits, |character| character.is_ascii_hexdigit() || character == '_');
        let digits = digits.get(..length).unwrap_or_default();
        let value = i128::from_str_radix(&plain(at, digits)?, 16).map_err(|_| too_large())?;
        (Token::Whole(value), 2 + length)
    } else {
        let mut end = length_of(rest, is_decimal);
        let mut is_real = false;
        let fraction = rest.get(end..).and_then(|rest| rest.strip_prefix('.'));
        if let Some(fraction) = fraction {
            end += 1 + length_of(fraction, is_decimal);
            is_real = true;
        }
        if let Some(exponent) = rest.get(end..).and_then(|rest| rest.strip_prefix(['e', 'E'])) {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            end += 1 + (exponent.len() - digits.len()) + length_of(digits, is_decimal);
            is_real = true;
        }
        let text = rest.get(..end).unwrap_or_default();
        let token = if is_real {
            let value: f64 = plain(at, text)?.parse().map_err(|_| Problem::new(at, "invalid number"))?;
            if value.is_infinite() {
                return Err(Problem::new(at, "number out of range: expected a float of 64 bits; infinity is inf"));
            }
            Token::Real(value)
        } else {
            Token::Whole(plain(at, text)?.parse().map_err(|_| too_large())?)
        };
        (token, end)
    };
    let behind = rest.get(end..).unwrap_or_default();
    if behind.starts_with(is_of_name) {
        return Err(Problem::new(at, "invalid number; a field whose name begins with a digit is written ['1st']"));
    }
    Ok((token, behind))
}

/// Digits without the underscores between them.
fn plain(at: usize, digits: &str) -> Checked<String> {
    let is_wrong = digits.is_empty() || digits.starts_with('_') || digits.ends_with('_') || digits.contains("__");
    if is_wrong { Err(Problem::new(at, "invalid number")) } else { Ok(digits.replace('_', "")) }
}

/// `b'…'`, as `npy show` prints bytes. They are compared as UTF-8, so that those beyond ASCII would be others.
fn bytes<'t>(text: &'t str, at: usize, rest: &'t str) -> Checked<(Token, &'t str)> {
    match quoted(text, at, rest)? {
        (Token::Text(found), _) if !found.is_ascii() => {
            Err(Problem::new(at, "expected ASCII in b'…'; a text is compared as UTF-8"))
        }
        found => Ok(found),
    }
}

/// A text in quotes, with Python's escapes.
fn quoted<'t>(text: &'t str, at: usize, rest: &'t str) -> Checked<(Token, &'t str)> {
    let mut characters = rest.chars();
    let quote = characters.next();
    let mut found = String::new();
    while let Some(character) = characters.next() {
        match character {
            character if Some(character) == quote => return Ok((Token::Text(found), characters.as_str())),
            '\\' => {
                let place = (text.len() - characters.as_str().len()).saturating_sub(1);
                let escape = unescape(&mut characters).ok_or_else(|| Problem::new(place, "invalid escape sequence"))?;
                found.push_str(&escape);
            }
            character => found.push(character),
        }
    }
    Err(Problem::new(at, format!("expected a closing {}, found the end", quote.unwrap_or('"'))))
}
