//! The `descr` of a header ⇄ [`DType`]: `descr_to_dtype` and `dtype_to_descr` of
//! `numpy.lib.format`.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use super::super::literal::{Node, Value};
use super::record::Extras;
use super::repr::{push_bytes_repr, push_repr};
use super::{DType, Field, Invalid, MOST_BYTES, Record, ScalarKind, SubArray, Title, dict, parse};
use crate::error::describe::counted;
use crate::error::{Error, Result};
use crate::limits::Limits;

/// What a literal may hold, and how its fields are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    pub(super) limits: &'a Limits,
    /// The text of a dtype that stands alone, which may be a dict or name `numpy.record`. `np.load`
    /// reads neither in a header.
    pub(super) text: Option<&'a str>,
    /// Fields without an offset get that of a C struct, in nested records too (`align=True`).
    pub(super) align: bool,
}

/// Reads the value of the header's `descr`.
pub(crate) fn from_literal(node: &Node<'_>, limits: &Limits) -> Result<DType> {
    read_checked(node, Context { limits, text: None, align: false })
}

/// Reads a dtype of at most as many fields as the limits allow.
pub(super) fn read_checked(node: &Node<'_>, context: Context<'_>) -> Result<DType> {
    let dtype = read(node, context)?;
    check_fields(dtype.count_fields(), context)?;
    Ok(dtype)
}

pub(super) fn check_fields(found: usize, context: Context<'_>) -> Result<()> {
    let limit = context.limits.fields;
    match context.text {
        _ if found <= limit => Ok(()),
        Some(text) => {
            let problem = format!("expected at most {}, found {found}", counted(limit, "field"));
            Err(Invalid::new(dict::excerpt(text), problem).into())
        }
        None => Err(Error::limit_exceeded("fields", limit as u64, found as u64)),
    }
}

pub(super) fn read(node: &Node<'_>, context: Context<'_>) -> Result<DType> {
    match &node.value {
        // `i4,f8` is a record too. Before it is built: it would take more memory than the text.
        Value::Text(text) => {
            check_fields(text.split(',').count(), context)?;
            dict::dtype_string(text, context).map_err(|problem| problem.at(node.offset))
        }
        Value::Tuple(items) => match items.as_slice() {
            // `str` of the dtype of an `np.recarray`. Only the text of a dtype has such a name.
            [Node { value: Value::RecordType, .. }, dtype]
            // NumPy up to 1.26 wrote the metadata of a field's dtype, and 1.6 wrote `{}` behind a
            // datetime. No NumPy reads that.
            | [dtype, Node { value: Value::Dict(_), .. }] => read(dtype, context),
            // NumPy ignores what comes after the second item.
            [base, shape, ..] => sub_array(read(base, context)?, shape),
            _ => Err(invalid(node, "expected a tuple of a dtype and a shape")),
        },
        Value::List(fields) => read_record(node, fields, context),
        Value::Dict(pairs) if context.text.is_some() => dict::read(node, pairs, context),
        Value::Dict(pairs) if !pairs.is_empty() => Err(invalid(node, "expected a string, a list or a tuple")),
        Value::Dict(_) => read_record(node, &[], context),
        _ => Err(invalid(node, "expected a string, a list of fields, or a tuple of a dtype and a shape")),
    }
}

fn read_record(node: &Node<'_>, items: &[Node<'_>], context: Context<'_>) -> Result<DType> {
    check_fields(items.len(), context)?;
    let mut fields = Vec::with_capacity(items.len());
    let mut offset = 0_usize;
    for item in items {
        let parts = match &item.value {
            Value::Tuple(parts) | Value::List(parts) => parts.as_slice(),
            _ => &[],
        };
        let (name, dtype) = match parts {
            [name, dtype] => (name, read(dtype, context)?),
            [name, dtype, shape] => (name, sub_array(read(dtype, context)?, shape)?),
            _ => return Err(invalid(item, "expected a tuple of a name, a dtype and an optional shape")),
        };
        let is_untitled = matches!(name.value, Value::Text(_));
        let (name, name_literal, title) = read_name(name)?;
        let is_padding = is_untitled && name.is_empty() && dtype.is_plain_void();
        if is_padding && dtype.has_object() {
            // NumPy takes it for padding of its pointers, whose bytes no file has.
            return Err(invalid(item, "expected a name for a sub-array of objects"));
        }
        let mut field = Field::new(name, offset, dtype);
        if name_literal.is_some() || title.is_some() {
            *field.extras_mut() = Extras { name_literal, title };
        }
        offset = field.end();
        if !is_padding {
            fields.push(field);
        }
    }
    let record = Record::checked(fields, offset).and_then(|record| if context.align { dict::aligned(record) } else { Ok(record) });
    record.map(DType::from).map_err(|problem| problem.at(node.offset))
}

/// A name, or a tuple of a title and a name, in that order.
pub(super) fn read_name(node: &Node<'_>) -> Result<(String, Option<String>, Option<Title>)> {
    let (node, title) = match &node.value {
        Value::Tuple(parts) => match parts.as_slice() {
            [title, name] => (name, read_title(title)?),
            _ => return Err(invalid(node, "expected a field name, or a tuple of a title and a name")),
        },
        _ => (node, None),
    };
    match &node.value {
        Value::Text(text) => Ok((text.clone().into_owned(), None, title)),
        // NumPy wrote the literal by `repr`, so it is what NumPy would write again.
        Value::SurrogateText(text) => Ok((text.clone(), Some(node.source()), title)),
        _ => Err(invalid_name(node)),
    }
}

#[cold]
pub(super) fn invalid_name(node: &Node<'_>) -> Error {
    invalid(node, "expected a string as the field name")
}

pub(super) fn read_title(node: &Node<'_>) -> Result<Option<Title>> {
    match &node.value {
        Value::None => Ok(None),
        Value::Text(text) => Ok(Some(Title::Text(text.clone().into_owned()))),
        Value::List(_) | Value::Dict(_) | Value::Set | Value::RecordType => Err(invalid(node, "unhashable title")),
        _ => {
            let mut text = String::new();
            push_title(node, &mut text);
            Ok(Some(Title::Literal(text)))
        }
    }
}

/// Appends Python's `repr` of a title that is not text. `True`, `False` and `None` have one
/// spelling. Floats stay as they were written: NumPy wrote them by `repr` too.
fn push_title(node: &Node<'_>, out: &mut String) {
    // Writing to a `String` cannot fail.
    let _ = match &node.value {
        Value::Integer(value) => write!(out, "{value}"),
        Value::Text(text) => {
            push_repr(text, out);
            Ok(())
        }
        Value::Bytes(bytes) => {
            push_bytes_repr(bytes, out);
            Ok(())
        }
        Value::Tuple(items) => {
            out.push('(');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                push_title(item, out);
            }
            out.push_str(if items.len() == 1 { ",)" } else { ")" });
            Ok(())
        }
        _ => {
            let source = node.source();
            // `repr` puts a complex number with both parts in parentheses.
            let is_sum = source.ends_with('j') && source.get(1..).is_some_and(|rest| rest.replace("e-", "").contains(['+', '-']));
            if is_sum { write!(out, "({source})") } else { write!(out, "{source}") }
        }
    };
}

/// An array of `base`; NumPy takes an empty shape for none.
fn sub_array(base: DType, shape: &Node<'_>) -> Result<DType> {
    let length = |node: &Node<'_>| match &node.value {
        Value::Integer(length) => usize::try_from(*length).ok().filter(|&length| length <= MOST_BYTES),
        _ => None,
    };
    let lengths: Option<Vec<_>> = match &shape.value {
        Value::Integer(_) => length(shape).map(|length| vec![length]),
        Value::Tuple(items) | Value::List(items) => items.iter().map(length).collect(),
        _ => None,
    };
    let lengths = lengths.ok_or_else(|| invalid(shape, invalid_shape()))?;
    if let (DType::Scalar(scalar), Value::Integer(_), [length]) = (&base, &shape.value, lengths.as_slice())
        && scalar.itemsize() == 0
        && scalar.kind() != ScalarKind::Object
    {
        // `np.dtype(('S', 5))` is `S5`.
        let text = format!("{}{length}", scalar.to_string().trim_end_matches('0'));
        return parse::dtype_string(&text).map_err(|problem| problem.at(shape.offset));
    }
    if lengths.is_empty() {
        return Ok(base);
    }
    SubArray::checked(base, lengths.into()).map(DType::from).map_err(|problem| problem.at(shape.offset))
}

/// What is wrong with the lengths of a sub-array.
#[cold]
pub(super) fn invalid_shape() -> String {
    format!("expected a shape of lengths from 0 to {MOST_BYTES}")
}

#[cold]
pub(super) fn invalid(node: &Node<'_>, problem: impl Into<Cow<'static, str>>) -> Error {
    Invalid::new(node.excerpt(), problem).at(node.offset)
}

/// About how many bytes [`write_descr`] appends: enough for most.
pub(crate) fn descr_room(dtype: &DType) -> usize {
    match dtype {
        DType::Record(record) => record.fields().len().saturating_mul("('abcdefgh', '<f8'), ".len()),
        _ => 64,
    }
}

/// Appends the literal that `numpy.lib.format.dtype_to_descr` returns, in UTF-8.
pub(crate) fn write_descr(dtype: &DType, out: &mut Vec<u8>) {
    match dtype {
        DType::Scalar(scalar) => {
            out.push(b'\'');
            scalar.push(out);
            out.push(b'\'');
        }
        DType::SubArray(array) => {
            out.push(b'(');
            write_descr(array.base(), out);
            out.extend_from_slice(b", ");
            write_shape(array.shape(), out);
            out.push(b')');
        }
        DType::Record(record) => write_record(record, out),
    }
}

fn write_record(record: &Record, out: &mut Vec<u8>) {
    let mut end = 0;
    let mut is_first = true;
    let mut begin_item = |out: &mut Vec<u8>| {
        if !is_first {
            out.extend_from_slice(b", ");
        }
        is_first = false;
    };
    out.push(b'[');
    for field in record.fields() {
        if field.offset > end {
            begin_item(out);
            push_padding(field.offset - end, out);
        }
        begin_item(out);
        out.push(b'(');
        write_name(field, out);
        out.extend_from_slice(b", ");
        match &field.dtype {
            DType::SubArray(array) => {
                write_descr(array.base(), out);
                out.extend_from_slice(b", ");
                write_shape(array.shape(), out);
            }
            dtype => write_descr(dtype, out),
        }
        out.push(b')');
        end = field.end();
    }
    if record.itemsize() > end {
        begin_item(out);
        push_padding(record.itemsize() - end, out);
    }
    out.push(b']');
}

/// Appends the name of a field, or the tuple of its title and its name.
fn write_name(field: &Field, out: &mut Vec<u8>) {
    let name = field.name.as_bytes();
    if field.extras.is_none() && name.iter().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'\'' | b'\\')) {
        out.push(b'\'');
        out.extend_from_slice(name);
        out.push(b'\'');
        return;
    }
    let mut text = String::new();
    match field.name_literal() {
        Some(literal) => text.push_str(literal),
        None => push_repr(field.name(), &mut text),
    }
    let Some(title) = field.title() else { return out.extend_from_slice(text.as_bytes()) };
    let mut both = "(".to_owned();
    match title {
        Title::Text(text) => push_repr(text, &mut both),
        Title::Literal(text) => both.push_str(text),
    }
    both.push_str(", ");
    both.push_str(&text);
    both.push(')');
    out.extend_from_slice(both.as_bytes());
}

fn push_padding(bytes: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("('', '|V{bytes}')").as_bytes());
}

/// Appends a shape as Python writes the tuple: `()`, `(3,)`, `(2, 3)`.
pub(crate) fn write_shape(shape: &[usize], out: &mut Vec<u8>) {
    out.push(b'(');
    for (i, length) in shape.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(b", ");
        }
        // A vector takes all that is written.
        let _ = io::Write::write_fmt(out, format_args!("{length}"));
    }
    if shape.len() == 1 {
        out.push(b',');
    }
    out.push(b')');
}

/// What a header has in place of a value, for an error message.
pub(crate) fn excerpt_key(node: &Node<'_>) -> String {
    match &node.value {
        Value::Text(text) => Cow::Borrowed(text.as_ref()).into_owned(),
        _ => node.excerpt(),
    }
}

#[cfg(test)]
mod tests {

    use crate::format::dtype::DType;
    use crate::format::header::Header;
    use crate::limits::Limits;

    fn read(descr: &str, limits: Limits) -> crate::error::Result<DType> {
        let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (0,), }}\n");
        let file = [b"\x93NUMPY\x01\0", &u16::try_from(text.len()).unwrap().to_le_bytes()[..], text.as_bytes()].concat();
        Header::parse_with(&file, limits).map(|(header, _)| header.dtype().clone())
    }

    #[test]
    fn titles_stay_as_python_writes_them() {
        for title in [
            "'t'",
            "1",
            "-1",
            "True",
            "False",
            "b'\\x80'",
            "b'\\\\ \\t\\n\\r'",
            "b\"it's\"",
            "b'\"'",
            "b'it\\'s \"'",
            "(1, 'a')",
            "('it\"s',)",
            "()",
            "(None, (b'', True))",
            "1.5",
            "2j",
            "(1+2j)",
        ] {
            let descr = format!("[(({title}, 'a'), '<f8')]");
            assert_eq!(read(&descr, Limits::new()).unwrap().descr(), descr);
        }
        // As `repr` writes them.
        for (title, expected) in
            [("0x10", "16"), ("1-2e-3j", "(1-2e-3j)"), ("1e-3j", "1e-3j"), ("\"t\"", "'t'"), ("( \"t\",b\"u\")", "('t', b'u')")]
        {
            let dtype = read(&format!("[(({title}, 'a'), '<f8')]"), Limits::new()).unwrap();
            assert_eq!(dtype.descr(), format!("[(({expected}, 'a'), '<f8')]"));
        }
        assert_eq!(read("[((None, 'a'), '<f8')]", Limits::new()).unwrap().descr(), "[('a', '<f8')]");
        for title in ["[]", "{}", "{1}"] {
            read(&format!("[(({title}, 'a'), '<f8')]"), Limits::new()).unwrap_err();
        }
    }

    #[test]
    fn fields_are_counted_in_every_form() {
        let texts =
            ["'f8,i4,u1'", "[('a', '<f8'), ('b', '<i4'), ('c', '|u1')]", "[('a', [('b', '<f8')]), ('c', '|u1')]", "'f8 , i4,u1'"];
        for text in texts {
            read(text, Limits::new().fields(3)).unwrap();
            let error = read(text, Limits::new().fields(2)).unwrap_err();
            assert!(error.to_string().contains("expected at most 2 fields, found 3; "), "{text}: {error}");
        }
        read("'<f8'", Limits::new().fields(0)).unwrap();
    }

    /// `np.dtype({})` is a record without fields.
    #[test]
    fn empty_dicts_are_records_without_fields() {
        assert_eq!(read("{}", Limits::new()).unwrap().descr(), "[]");
        read("{'names': ['a'], 'formats': ['<f8']}", Limits::new()).unwrap_err();
    }

    #[test]
    fn lengths_of_text_may_be_shapes() {
        for (descr, expected) in [
            ("('S', 5)", "'|S5'"),
            ("('<U', 0)", "'<U0'"),
            ("('V', 3, 'more')", "'|V3'"),
            ("('<f8', ())", "'<f8'"),
            ("('<f8', 2)", "('<f8', (2,))"),
            ("('<f8', [2, 3])", "('<f8', (2, 3))"),
        ] {
            let Ok(dtype) = read(descr, Limits::new()) else { panic!("{descr} is refused") };
            assert_eq!(dtype.descr(), expected, "{descr}");
        }
        for descr in ["('<f8', -1)", "('<f8', ('a',))", "('<f8', 'a')", "('<f8',)", "()", "1"] {
            read(descr, Limits::new()).unwrap_err();
        }
    }
}
