//! CSV by RFC 4180: a line for each row of the first axis.
//!
//! Fields of records, elements of sub-arrays and those of further axes are columns. Text is quoted where that is needed, bytes are
//! UTF-8 or else Latin-1, NaT is empty, a timedelta is its number of units, raw bytes are hexadecimal.

use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::object::ObjectArray;
use npy_core::print::push_scalar;
use npy_core::{DType, DynValues};

use super::dialect::MISSING;
use super::objects::Cells;
use crate::failure::{Failure, Result};
use crate::formats::text::cell::{Flavor, Push, push_of, reserve};
use crate::formats::text::objects::{PIECE, Sink};
use crate::formats::text::{for_each_element, in_c_order, latin1_len};
use crate::objects::without_missing;
use crate::values::columns::{self, Column, index_text};

/// The delimiter of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Delimiter {
    #[default]
    Comma,
    Tab,
}

impl Delimiter {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Comma => COMMA,
            Self::Tab => TAB,
        }
    }
}

const COMMA: u8 = b',';
const TAB: u8 = b'\t';

/// Writes arrays as CSV, in as many pieces as the caller has.
pub(crate) struct Writer {
    columns: Vec<(Column, Push)>,
    delimiter: Delimiter,
    /// The axes after the first one.
    row_shape: Vec<usize>,
    /// The number of elements in a line; `None` if a row has none.
    elements_per_row: Option<usize>,
    /// The number of elements written of the current line.
    written: usize,
    /// Whether a line has one cell, so that an empty one has to be quoted to be seen.
    is_one_cell: bool,
    has_names: bool,
}

impl Writer {
    /// Plans the columns of an array of this dtype and shape.
    pub(crate) fn new(dtype: &DType, shape: &[usize], delimiter: Delimiter) -> Result<Self> {
        if !shape.contains(&0) {
            columns::expect_bytes(dtype, shape, false)?;
        }
        let row_shape = shape.get(1..).unwrap_or_default();
        let cells = columns::count(dtype)?;
        let push = match delimiter {
            Delimiter::Comma => push_of::<Csv<COMMA>>,
            Delimiter::Tab => push_of::<Csv<TAB>>,
        };
        let columns = columns::of(dtype)?.into_iter().map(|column| (push(column.scalar), column));
        let columns = columns.map(|(push, column)| (column, push)).collect();
        let elements_per_row =
            row_shape.iter().try_fold(1_usize, |count, &length| count.checked_mul(length)).filter(|count| *count > 0);
        Ok(Self {
            columns,
            delimiter,
            row_shape: row_shape.to_vec(),
            elements_per_row,
            written: 0,
            is_one_cell: cells == 1 && elements_per_row == Some(1),
            has_names: matches!(dtype, DType::Record(_)),
        })
    }

    /// Whether the columns have names of their own, so that a reader expects a header.
    pub(crate) fn has_names(&self) -> bool {
        self.has_names
    }

    /// Whether a reader would take the first line for names if it were data: where it is text, or there are names.
    pub(crate) fn needs_header(&self) -> bool {
        // By the kind: `bfloat16` is a number by its class, and its cells are those of raw bytes.
        let is_text = |(column, _): &(Column, Push)| {
            matches!(column.scalar.kind(), ScalarKind::Unicode { .. } | ScalarKind::Bytes { .. } | ScalarKind::Void { .. })
        };
        self.has_names || self.elements_per_row.is_some() && self.columns.iter().any(is_text)
    }

    /// Appends the line of the names of the columns, such as `pose.x`, `w[0,1]`, `[2].x`.
    pub(crate) fn header(&self, out: &mut String) -> Result<()> {
        let per_element = self.columns.iter().map(|(column, _)| column.count).fold(0, usize::saturating_add);
        let elements = self.elements_per_row.unwrap_or(0);
        if per_element.saturating_mul(elements) > columns::MOST {
            return Err(columns::too_many());
        }
        // A line of quotes is one of names, whatever these look like.
        let are_quoted = self.has_names && self.columns.iter().any(|(column, _)| looks_like_value(&column.path));
        let begin = out.len();
        for element in 0..elements {
            let place = index_text(&self.row_shape, element);
            for (column, _) in &self.columns {
                for i in 0..column.count {
                    if out.len() > begin {
                        out.push(char::from(self.delimiter.byte()));
                    }
                    let dot = if place.is_empty() || column.path.is_empty() { "" } else { "." };
                    let name = format!("{place}{dot}{}{}", column.path, index_text(&column.axes, i));
                    let name = if name.is_empty() && !self.has_names { columns::PLAIN } else { &name };
                    let more = 2 * name.len() + 8;
                    out.try_reserve(more).map_err(|_| Failure::allocation(more))?;
                    let splits = |c: char| matches!(c, ',' | ';' | '\t' | '|') || c == ' ' && self.is_one_cell;
                    if are_quoted || name.contains(splits) {
                        in_quotes(name, out);
                    } else {
                        quoted::<COMMA>(name, out);
                    }
                }
            }
        }
        out.push('\n');
        Ok(())
    }

    /// Appends the next elements in C order; a line may go on in the next call.
    pub(crate) fn rows(&mut self, values: &DynValues, out: &mut String) -> Result<()> {
        let values = in_c_order(values)?;
        let Some(elements_per_row) = self.elements_per_row else { return Ok(()) };
        let delimiter = char::from(self.delimiter.byte());
        for_each_element(&values, |element| {
            let mut is_first = self.written == 0;
            for (column, push) in &self.columns {
                let size = column.scalar.itemsize();
                for i in 0..column.count {
                    if !is_first {
                        out.push(delimiter);
                    }
                    is_first = false;
                    let begin = column.offset + i * size;
                    let bytes = element.get(begin..begin + size).unwrap_or_default();
                    reserve(column.scalar, bytes, 0, out)?;
                    push(column.scalar, bytes, out);
                }
            }
            self.written += 1;
            if self.written == elements_per_row {
                self.written = 0;
                if self.is_one_cell && (out.is_empty() || out.ends_with('\n')) {
                    out.push_str("\"\"");
                }
                out.push('\n');
            }
            Ok(())
        })
    }
}

/// Writes an array of Python objects, of records after a line of their names, and so others `with_header`.
pub(crate) fn objects(array: &ObjectArray, delimiter: Delimiter, with_header: bool, sink: Sink<'_>) -> Result<()> {
    let present = without_missing(array);
    let array = present.as_ref().unwrap_or(array);
    match delimiter {
        Delimiter::Comma => object_rows::<COMMA>(array, delimiter, with_header, sink),
        Delimiter::Tab => object_rows::<TAB>(array, delimiter, with_header, sink),
    }
}

fn object_rows<const DELIMITER: u8>(array: &ObjectArray, delimiter: Delimiter, with_header: bool, sink: Sink<'_>) -> Result<()> {
    let writer = Writer::new(array.dtype(), array.shape(), delimiter)?;
    let cells = Cells::new::<Csv<DELIMITER>>(array.dtype())?;
    let mut text = String::new();
    if with_header || writer.has_names() {
        writer.header(&mut text)?;
    }
    for row in array.items().chunks(writer.elements_per_row.unwrap_or(usize::MAX)) {
        let begin = text.len();
        let mut is_first = true;
        for item in row {
            cells.for_each::<Csv<DELIMITER>>(item, &mut |push| {
                if !is_first {
                    text.push(char::from(DELIMITER));
                }
                is_first = false;
                push(&mut text);
            });
        }
        if writer.is_one_cell && text.len() == begin {
            text.push_str("\"\"");
        }
        text.push('\n');
        if text.len() > PIECE {
            sink(&mut text)?;
        }
    }
    sink(&mut text)
}

/// The text of cells in CSV.
struct Csv<const DELIMITER: u8>;

impl<const DELIMITER: u8> Flavor for Csv<DELIMITER> {
    const BOOLS: [&str; 2] = ["False", "True"];
    const NAN: &str = "nan";
    const INFINITIES: [&str; 2] = ["-inf", "inf"];
    const NOTHING: &str = "";
    const QUOTE: &str = "";

    fn text(text: &str, out: &mut String) {
        quoted::<DELIMITER>(text, out);
    }

    fn characters(text: impl Iterator<Item = char> + Clone, out: &mut String) {
        let has = |is: fn(char) -> bool| text.clone().any(is);
        let is_quoted = text.clone().next() == Some('#')
            || has(|character| character == char::from(DELIMITER) || matches!(character, '"' | '\n' | '\r'));
        let quote = if is_quoted { "\"" } else { "" };
        out.push_str(quote);
        for character in text {
            out.push(character);
            out.push_str(if character == '"' { "\"" } else { "" });
        }
        out.push_str(quote);
    }

    fn bytes(bytes: &[u8], out: &mut String) {
        match std::str::from_utf8(bytes) {
            Ok(text) => quoted::<DELIMITER>(text, out),
            Err(_) => {
                let quote = if needs_quotes::<DELIMITER>(bytes) { "\"" } else { "" };
                out.reserve(latin1_len(bytes) + 2);
                out.push_str(quote);
                for byte in bytes {
                    out.push(char::from(*byte));
                    out.push_str(if *byte == b'"' { "\"" } else { "" });
                }
                out.push_str(quote);
            }
        }
    }

    /// As Python writes it.
    fn complex(scalar: Scalar, bytes: &[u8], out: &mut String) {
        push_scalar(scalar, bytes, out);
    }
}

/// Appends text, in quotes if it has a delimiter, a quote or the end of a line, or if it looks like a comment.
fn quoted<const DELIMITER: u8>(text: &str, out: &mut String) {
    if needs_quotes::<DELIMITER>(text.as_bytes()) {
        in_quotes(text, out);
    } else {
        out.push_str(text);
    }
}

fn needs_quotes<const DELIMITER: u8>(text: &[u8]) -> bool {
    text.starts_with(b"#") || text.iter().any(|byte| *byte == DELIMITER || matches!(byte, b'"' | b'\n' | b'\r'))
}

fn in_quotes(text: &str, out: &mut String) {
    out.push('"');
    for (place, part) in text.split('"').enumerate() {
        out.push_str(if place > 0 { "\"\"" } else { "" });
        out.push_str(part);
    }
    out.push('"');
}

/// Whether a reader may take a name for a number, a date, a bool or a word for what is missing.
fn looks_like_value(name: &str) -> bool {
    const WORDS: [&str; 5] = ["nan", "inf", "infinity", "true", "false"];
    name.starts_with(|first: char| first.is_ascii_digit() || "+-.(<#".contains(first))
        || WORDS.iter().chain(&MISSING).any(|word| name.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use npy_core::Order;

    use super::*;

    fn csv(dtype: &str, shape: &[usize], bytes: Vec<u8>) -> String {
        let values = DynValues::new(dtype.parse().unwrap(), Order::C, shape, bytes).unwrap();
        let mut writer = Writer::new(values.dtype(), shape, Delimiter::Comma).unwrap();
        let mut out = String::new();
        if writer.has_names() {
            writer.header(&mut out).unwrap();
        }
        writer.rows(&values, &mut out).unwrap();
        out
    }

    #[test]
    fn names_nested_columns() {
        let dtype = "[('pose', [('x', 'i1'), ('y', '>i2')]), ('w', 'u1', (2, 2)), ('p', [('a,b', '?')], (2,))]";
        let bytes = vec![255, 1, 0, 1, 2, 3, 4, 0, 1];
        assert_eq!(
            csv(dtype, &[1], bytes),
            "pose.x,pose.y,\"w[0,0]\",\"w[0,1]\",\"w[1,0]\",\"w[1,1]\",\"p[0].a,b\",\"p[1].a,b\"\n\
            -1,256,1,2,3,4,False,True\n"
        );
    }

    #[test]
    fn flattens_further_axes() {
        assert_eq!(csv("|u1", &[2, 1, 2], vec![1, 2, 3, 4]), "1,2\n3,4\n");
        assert_eq!(csv("|u1", &[], vec![1]), "1\n");
        assert_eq!(csv("|u1", &[3], vec![1, 2, 3]), "1\n2\n3\n");
        assert_eq!(csv("|u1", &[3, 0], vec![]), "");
    }

    #[test]
    fn quotes_what_readers_would_split() {
        let text = "a,b\"c\nd\0é";
        let bytes: Vec<u8> = text.chars().flat_map(|character| u32::from(character).to_le_bytes()).collect();
        assert_eq!(csv("<U9", &[1], bytes), "\"a,b\"\"c\nd\0é\"\n");
        assert_eq!(csv("S2", &[3], vec![0, 0, b'x', 0, 0xe9, 0]), "\"\"\nx\né\n");
        let nat = i64::MIN.to_le_bytes().to_vec();
        assert_eq!(csv("<M8[s]", &[2], [nat, 86400_i64.to_le_bytes().to_vec()].concat()), "\"\"\n1970-01-02T00:00:00\n");
    }

    #[test]
    fn writes_floats_as_numpy_scalars() {
        let values = [0.1_f64, 1e-5, 1e16, 1.0, f64::NAN, f64::NEG_INFINITY, -0.0, 123_456.75];
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(csv("<f8", &[8], bytes), "0.1\n1e-05\n1e+16\n1.0\nnan\n-inf\n-0.0\n123456.75\n");
        assert_eq!(csv("<f2", &[2], vec![0x66, 0x2e, 0, 0x7c]), "0.1\ninf\n");
        assert_eq!(csv("<c8", &[1], [1.5_f32, -2.0].iter().flat_map(|part| part.to_le_bytes()).collect()), "(1.5-2j)\n");
    }

    #[test]
    fn refuses_columns_without_bytes() {
        let dtype: DType = "[('a', 'V0', (1000000, 1000000))]".parse().unwrap();
        assert!(Writer::new(&dtype, &[], Delimiter::Comma).is_err());
    }
}
