//! Texts of rows: bytes (`S`) are compared with UTF-8, text (`U`) by its characters.

use std::borrow::Cow;

use npy_core::dtype::Scalar;
use npy_core::scalar::{Class, Value};

use super::node::TextTest;
use super::syntax::Comparison;

/// Whether a test is true of the text with these bytes.
pub(super) fn holds(kind: &TextTest, scalar: Scalar, bytes: &[u8]) -> bool {
    let is_unicode = scalar.class() == Class::Unicode;
    let characters = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
    match kind {
        TextTest::Compare(comparison, text) if is_unicode => {
            comparison.holds(Some(scalar.units(bytes).cmp(text.chars().map(u32::from))))
        }
        TextTest::StartsWith(part) if is_unicode => {
            let mut units = scalar.units(bytes);
            part.chars().all(|character| units.next() == Some(character.into()))
        }
        TextTest::EndsWith(part) if is_unicode => {
            let mut units = scalar.units(bytes);
            part.chars().rev().all(|character| units.next_back() == Some(character.into()))
        }
        TextTest::Contains(part) if is_unicode => {
            let (part, units) = (characters(part), scalar.units(bytes).collect::<Vec<_>>());
            part.is_empty() || units.windows(part.len()).any(|units| units == part)
        }
        TextTest::Compare(comparison, text) => comparison.holds(Some(scalar.without_padding(bytes).cmp(text.as_bytes()))),
        TextTest::StartsWith(part) => scalar.without_padding(bytes).starts_with(part.as_bytes()),
        TextTest::EndsWith(part) => scalar.without_padding(bytes).ends_with(part.as_bytes()),
        TextTest::Contains(part) => {
            let text = scalar.without_padding(bytes);
            part.is_empty() || text.windows(part.len()).any(|bytes| bytes == part.as_bytes())
        }
        TextTest::Matches(regex) => regex.is_match(&text_of(scalar, bytes)),
    }
}

/// Whether the text with these bytes is one of several, which are in order.
pub(super) fn is_among(texts: &[String], scalar: Scalar, bytes: &[u8]) -> bool {
    let found = if scalar.class() == Class::Unicode {
        texts.binary_search_by(|text| text.chars().map(u32::from).cmp(scalar.units(bytes)))
    } else {
        texts.binary_search_by(|text| text.as_bytes().cmp(scalar.without_padding(bytes)))
    };
    found.is_ok()
}

/// The text, with U+FFFD for what is none.
fn text_of(scalar: Scalar, bytes: &[u8]) -> Cow<'_, str> {
    match scalar.value(bytes) {
        Some(Value::Text(text)) => Cow::Owned(text),
        Some(Value::Bytes(bytes)) => String::from_utf8_lossy(bytes),
        _ => Cow::Borrowed(""),
    }
}

/// Compares two columns of text of one class.
pub(super) fn compared<'a>(comparison: Comparison, [left, right]: [impl Iterator<Item = (Scalar, &'a [u8])>; 2]) -> Vec<bool> {
    let order = |one: Scalar, a: &[u8], other: Scalar, b: &[u8]| {
        if one.class() == Class::Unicode {
            one.units(a).cmp(other.units(b))
        } else {
            one.without_padding(a).cmp(other.without_padding(b))
        }
    };
    left.zip(right).map(|((one, a), (other, b))| comparison.holds(Some(order(one, a, other, b)))).collect()
}
