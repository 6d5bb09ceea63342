//! JSON: nested lists, records as objects; the whole array, or one row a line (NDJSON).
//!
//! What JSON has no number for is text: `"NaN"`, `"Infinity"`, `"-Infinity"`. Bytes are Latin-1, NaT is `null`, a complex number is
//! `[re, im]`, a timedelta its number of units, raw bytes are hexadecimal.

use npy_core::dtype::{Record, Scalar};
use npy_core::{DType, DynValues};

use crate::failure::{Failure, Result};
use crate::formats::text::cell::{ESCAPE, Flavor, Push, push_of, reserve};
use crate::formats::text::{for_each_element, in_c_order, latin1_len};
use crate::values::columns;

/// The separation of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One value: the array.
    Whole,
    /// A line for each row of the first axis.
    Lines,
}

/// Writes an array as JSON, in as many pieces as the caller has.
pub(crate) struct Writer {
    node: Node,
    layout: Layout,
    /// The axes that are lists.
    axes: Vec<usize>,
    /// The index of the next element in these.
    index: Vec<usize>,
    is_first: bool,
    /// Whether each element has a line.
    is_record: bool,
}

/// A part of an element, and how it is written.
enum Node {
    Value {
        scalar: Scalar,
        push: Push,
        offset: usize,
    },
    List {
        count: usize,
        stride: usize,
        item: Box<Self>,
    },
    /// Each with its name, as `"name":`.
    Object(Vec<(String, Self)>),
}

impl Writer {
    /// Plans an array of this dtype and shape.
    pub(crate) fn new(dtype: &DType, shape: &[usize], layout: Layout) -> Result<Self> {
        columns::expect_bytes(dtype, shape, true)?;
        let axes = match layout {
            Layout::Whole => shape,
            Layout::Lines => shape.get(1..).unwrap_or_default(),
        };
        Ok(Self {
            node: Node::new(dtype, 0),
            layout,
            axes: axes.to_vec(),
            index: vec![0; axes.len()],
            is_first: true,
            is_record: matches!(dtype, DType::Record(_)),
        })
    }

    /// Appends the next elements in C order.
    pub(crate) fn rows(&mut self, values: &DynValues, out: &mut String) -> Result<()> {
        let values = in_c_order(values)?;
        for_each_element(&values, |element| {
            self.open(out);
            self.node.write(element, 0, out)?;
            self.close(out);
            Ok(())
        })
    }

    /// Appends what ends the array; call it once, after all rows.
    pub(crate) fn end(&mut self, out: &mut String) {
        if self.layout == Layout::Whole {
            if self.is_first && self.axes.contains(&0) {
                push_empty(&self.axes, out);
            }
            out.push('\n');
        }
    }

    /// Appends a comma, and a bracket for each list that begins here.
    fn open(&mut self, out: &mut String) {
        let new_lists = self.index.iter().rev().take_while(|position| **position == 0).count();
        if !self.is_first && new_lists < self.axes.len() {
            out.push(',');
            // A line for each row is a text that a person can look at.
            if self.layout == Layout::Whole && new_lists + 1 == self.axes.len() && (new_lists > 0 || self.is_record) {
                out.push('\n');
            }
        }
        self.is_first = false;
        (0..new_lists).for_each(|_| out.push('['));
    }

    /// Counts an element, and appends a bracket for each list that ends with it.
    fn close(&mut self, out: &mut String) {
        for (position, &length) in self.index.iter_mut().zip(&self.axes).rev() {
            *position += 1;
            if *position < length {
                return;
            }
            *position = 0;
            out.push(']');
        }
        if self.layout == Layout::Lines {
            out.push('\n');
        }
    }
}

/// A float as JSON, which has text for what is not finite.
pub(crate) fn number(value: f64) -> serde_json::Value {
    match value {
        value if value.is_nan() => "NaN".into(),
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        value => value.into(),
    }
}

fn push_empty(axes: &[usize], out: &mut String) {
    let Some((&length, inner)) = axes.split_first() else { return };
    out.push('[');
    for i in 0..length {
        if i > 0 {
            out.push(',');
        }
        push_empty(inner, out);
    }
    out.push(']');
}

impl Node {
    fn new(dtype: &DType, offset: usize) -> Self {
        let (base, axes) = dtype.flattened();
        let mut node = match base {
            DType::Scalar(scalar) => Self::Value { scalar: *scalar, push: push_of::<Json>(*scalar), offset },
            base => Self::Object(
                base.record()
                    .map_or(&[][..], Record::fields)
                    .iter()
                    .map(|field| {
                        let mut name = String::new();
                        push_text(field.name(), &mut name);
                        name.push(':');
                        (name, Self::new(field.dtype(), offset + field.offset()))
                    })
                    .collect(),
            ),
        };
        let mut stride = base.itemsize();
        for count in axes.into_iter().rev() {
            node = Self::List { count, stride, item: Box::new(node) };
            stride = stride.saturating_mul(count);
        }
        node
    }

    /// Appends the part of an element that is `base` bytes after that of the first item.
    fn write(&self, element: &[u8], base: usize, out: &mut String) -> Result<()> {
        match self {
            Self::Value { scalar, push, offset } => {
                let begin = base + offset;
                let bytes = element.get(begin..begin + scalar.itemsize()).unwrap_or_default();
                reserve(*scalar, bytes, ESCAPE, out)?;
                push(*scalar, bytes, out);
            }
            Self::List { count, stride, item } => {
                out.push('[');
                for i in 0..*count {
                    if i > 0 {
                        out.push(',');
                    }
                    item.write(element, base + i * stride, out)?;
                }
                out.push(']');
            }
            Self::Object(fields) => {
                for (i, (name, node)) in fields.iter().enumerate() {
                    let more = name.len() + 2;
                    out.try_reserve(more).map_err(|_| Failure::allocation(more))?;
                    out.push(if i == 0 { '{' } else { ',' });
                    out.push_str(name);
                    node.write(element, base, out)?;
                }
                out.push_str(if fields.is_empty() { "{}" } else { "}" });
            }
        }
        Ok(())
    }
}

/// The text of values in JSON.
pub(super) struct Json;

impl Flavor for Json {
    const BOOLS: [&str; 2] = ["false", "true"];
    const NAN: &str = "\"NaN\"";
    const INFINITIES: [&str; 2] = ["\"-Infinity\"", "\"Infinity\""];
    const NOTHING: &str = "null";
    const QUOTE: &str = "\"";

    fn text(text: &str, out: &mut String) {
        push_text(text, out);
    }

    fn characters(mut text: impl Iterator<Item = char> + Clone, out: &mut String) {
        out.push('"');
        loop {
            let piece: String = text.by_ref().take(PIECE).collect();
            if piece.is_empty() {
                break;
            }
            push_escaped(&piece, out);
        }
        out.push('"');
    }

    fn bytes(bytes: &[u8], out: &mut String) {
        if bytes.is_ascii() {
            push_text(std::str::from_utf8(bytes).unwrap_or_default(), out);
        } else {
            out.reserve(latin1_len(bytes) + 2);
            out.push('"');
            for piece in bytes.chunks(PIECE) {
                push_escaped(&piece.iter().copied().map(char::from).collect::<String>(), out);
            }
            out.push('"');
        }
    }

    fn complex(scalar: Scalar, bytes: &[u8], out: &mut String) {
        let Some(part) = scalar.part() else { return };
        let push = push_of::<Self>(part);
        let (real, imaginary) = bytes.split_at(bytes.len() / 2);
        out.push('[');
        push(part, real, out);
        out.push(',');
        push(part, imaginary, out);
        out.push(']');
    }
}

/// Appends text in quotes.
fn push_text(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    while !rest.is_empty() {
        let end = (rest.len().min(PIECE)..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
        let (piece, next) = rest.split_at(end);
        push_escaped(piece, out);
        rest = next;
    }
    out.push('"');
}

/// Bytes of text that are escaped at once, in memory of their own.
const PIECE: usize = 1 << 16;

/// Appends text without quotes.
fn push_escaped(text: &str, out: &mut String) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        out.push_str(text);
    } else {
        let quoted = serde_json::Value::from(text).to_string();
        out.push_str(quoted.get(1..quoted.len() - 1).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use npy_core::Order;

    use super::*;

    fn json(dtype: &str, shape: &[usize], bytes: Vec<u8>, layout: Layout) -> String {
        let values = DynValues::new(dtype.parse().unwrap(), Order::C, shape, bytes).unwrap();
        let mut writer = Writer::new(values.dtype(), shape, layout).unwrap();
        let mut out = String::new();
        writer.rows(&values, &mut out).unwrap();
        writer.end(&mut out);
        for line in out.lines().filter(|_| layout == Layout::Lines) {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
        if layout == Layout::Whole {
            serde_json::from_str::<serde_json::Value>(&out).unwrap();
        }
        out
    }

    #[test]
    fn nests_lists() {
        assert_eq!(json("|u1", &[2, 3], vec![1, 2, 3, 4, 5, 6], Layout::Whole), "[[1,2,3],\n[4,5,6]]\n");
        assert_eq!(json("|u1", &[2, 1, 2], vec![1, 2, 3, 4], Layout::Lines), "[[1,2]]\n[[3,4]]\n");
        assert_eq!(json("|u1", &[2], vec![1, 2], Layout::Lines), "1\n2\n");
        assert_eq!(json("|u1", &[], vec![1], Layout::Whole), "1\n");
        assert_eq!(json("|u1", &[2, 0, 3], vec![], Layout::Whole), "[[],[]]\n");
        assert_eq!(json("|u1", &[0], vec![], Layout::Whole), "[]\n");
    }

    #[test]
    fn writes_records_as_objects() {
        let dtype = "[('a\"', '?'), ('p', [('x', '<i2', (2,)), ('s', 'S2')])]";
        let bytes = vec![1, 1, 0, 2, 0, b'h', 0xe9, 0, 3, 0, 4, 0, b'i', 0];
        let expected = "[{\"a\\\"\":true,\"p\":{\"x\":[1,2],\"s\":\"hé\"}},\n{\"a\\\"\":false,\"p\":{\"x\":[3,4],\"s\":\"i\"}}]\n";
        assert_eq!(json(dtype, &[2], bytes, Layout::Whole), expected);
    }

    #[test]
    fn writes_what_json_has_no_number_for() {
        let values = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-5];
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(json("<f4", &[4], bytes.clone(), Layout::Whole), "[\"NaN\",\"Infinity\",\"-Infinity\",1e-05]\n");
        assert_eq!(json("<c8", &[2], bytes, Layout::Whole), "[[\"NaN\",\"Infinity\"],[\"-Infinity\",1e-05]]\n");
        assert_eq!(
            json("<M8[D]", &[2], [i64::MIN.to_le_bytes(), 1_i64.to_le_bytes()].concat(), Layout::Whole),
            "[null,\"1970-01-02\"]\n"
        );
        assert_eq!(json("V2", &[1], vec![0, 255], Layout::Whole), "[\"00ff\"]\n");
    }
}
