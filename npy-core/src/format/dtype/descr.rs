//! The literal of a dtype as a [`DType`]: the descr of a header, and the texts that `str` and `repr` print.
//!
//! Only these texts have dicts, `numpy.record` and `dtype(…, align=True)`.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::str::FromStr;

use super::super::literal;
use super::super::literal::{Dialect, Fault, Node, Value};
use super::align::{MemoryLayout, aligned};
use super::invalid::{Invalid, MOST_BYTES, invalid_shape};
use super::parse;
use super::repr::{push_bytes_repr, push_repr};
use super::scalar::ScalarKind;
use super::tree::{DType, Extras, Field, Record, SubArray, Title, invalid_itemsize, overlap};
use crate::error::describe::counted;
use crate::error::{Error, Result};
use crate::limits::Limits;

/// The limits and forms of a literal, and the layout of its fields.
#[derive(Clone, Copy, Debug)]
struct Context<'a> {
    limits: &'a Limits,
    /// The text, if it is not in a header. It may be a dict or name `numpy.record`, which `np.load` does not
    /// read in a header.
    text: Option<&'a str>,
    /// Whether fields without an offset get the one of a C struct, in nested records too (`align=True`).
    align: bool,
}

/// Reads the value of the header's `descr`.
pub(crate) fn from_literal(node: &Node<'_>, limits: &Limits) -> Result<DType> {
    read_checked(node, Context { limits, text: None, align: false })
}

/// Reads a dtype of at most as many fields as the limits allow.
fn read_checked(node: &Node<'_>, context: Context<'_>) -> Result<DType> {
    let dtype = read(node, context)?;
    check_fields(dtype.count_fields(), context)?;
    Ok(dtype)
}

fn check_fields(found: usize, context: Context<'_>) -> Result<()> {
    let limit = context.limits.fields;
    match context.text {
        _ if found <= limit => Ok(()),
        Some(text) => {
            let problem = format!("expected at most {}, found {found}", counted(limit, "field"));
            Err(Invalid::new(excerpt(text), problem).into())
        }
        None => Err(Error::limit_exceeded("fields", limit as u64, found as u64)),
    }
}

fn read(node: &Node<'_>, context: Context<'_>) -> Result<DType> {
    match &node.value {
        // `i4,f8` is a record too. Counted before it is built, because it takes more memory than the text.
        Value::Text(text) => {
            check_fields(text.split(',').count(), context)?;
            dtype_string(text, context).map_err(|problem| problem.at(node.offset))
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
        Value::Dict(pairs) if context.text.is_some() => read_dict(node, pairs, context),
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
        // A padding field has no title either.
        let is_padding = matches!(&name.value, Value::Text(name) if name.is_empty()) && dtype.is_plain_void();
        if is_padding && dtype.has_object() {
            // NumPy takes it for padding of its pointers, whose bytes no file has.
            return Err(invalid(item, "expected a name for a sub-array of objects"));
        }
        let field = read_field(name, offset, dtype)?;
        offset = field.end();
        if !is_padding {
            fields.push(field);
        }
    }
    let record = Record::checked(fields, offset).and_then(|record| if context.align { aligned(record) } else { Ok(record) });
    record.map(DType::from).map_err(|problem| problem.at(node.offset))
}

/// Reads a field: its name, or a tuple of its title and its name.
fn read_field(name: &Node<'_>, offset: usize, dtype: DType) -> Result<Field> {
    let (name, title) = match &name.value {
        Value::Tuple(parts) => match parts.as_slice() {
            [title, name] => (name, read_title(title)?),
            _ => return Err(invalid(name, "expected a field name, or a tuple of a title and a name")),
        },
        _ => (name, None),
    };
    let (text, name_literal) = match &name.value {
        Value::Text(text) => (text.as_ref(), None),
        // NumPy wrote the literal by `repr`, and would write it again.
        Value::SurrogateText(text) => (text.as_str(), Some(name.source())),
        _ => return Err(invalid_name(name)),
    };
    let field = Field::new(text, offset, dtype);
    Ok(if name_literal.is_some() || title.is_some() { field.with_extras(Extras { name_literal, title }) } else { field })
}

#[cold]
fn invalid_name(node: &Node<'_>) -> Error {
    invalid(node, "expected a string as the field name")
}

fn read_title(node: &Node<'_>) -> Result<Option<Title>> {
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

#[cold]
fn invalid(node: &Node<'_>, problem: impl Into<Cow<'static, str>>) -> Error {
    Invalid::new(node.excerpt(), problem).at(node.offset)
}

/// Describes the key of a header, for an error.
pub(crate) fn excerpt_key(node: &Node<'_>) -> String {
    match &node.value {
        Value::Text(text) => Cow::Borrowed(text.as_ref()).into_owned(),
        _ => node.excerpt(),
    }
}

/// Any text that NumPy's `dtype` takes, a header holds, or `str` and `repr` of a dtype print:
/// `<f8`, `float64`, `M8[ns]`, `i4,(2,3)f8`, `[('x', '<f4')]`, `('<f4', (3,))`,
/// `dtype([('x', 'u1'), ('y', '<f8')], align=True)`.
///
/// A dict gives fields their offsets. Fields that overlap or are out of order are an error, because
/// NumPy cannot save them.
///
/// ```
/// use npy_core::DType;
///
/// // `print(dtype)` in Python.
/// let dtype: DType = "{'names': ['id', 'x'], 'formats': ['u1', '<f8'], 'offsets': [0, 8], 'itemsize': 24}".parse()?;
/// assert_eq!(dtype.to_string(), "[('id', '|u1'), ('', '|V7'), ('x', '<f8'), ('', '|V8')]");
/// # Ok::<(), npy_core::Error>(())
/// ```
impl FromStr for DType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let start = text.trim_start();
        let is_call = ["dtype(", "np.dtype(", "numpy.dtype("].iter().any(|call| start.starts_with(call));
        match start.as_bytes().first() {
            Some(b'[' | b'{' | b'(' | b'\'' | b'"') => from_text(text, &Limits::new()),
            _ if is_call => from_text(text, &Limits::new()),
            _ => Ok(parse::dtype_string(text)?),
        }
    }
}

/// Reads a dtype that stands alone, such as `[('x', '<f4')]` or
/// `dtype({'names': ['x'], 'formats': ['<f4'], 'offsets': [4]})`.
fn from_text(text: &str, limits: &Limits) -> Result<DType> {
    let dialect = Dialect { latin1: false, long_integers: true, is_dtype: true, base: 0, depth: limits.nesting_depth };
    match literal::parse_dtype(text.as_bytes(), dialect) {
        Ok((node, align)) => read_checked(&node, Context { limits, text: Some(text), align }),
        // A parenthesis begins a literal, or the shape in `(2,3)f8`.
        Err(Fault::Syntax { .. }) if text.trim_start().starts_with('(') => Ok(parse::dtype_string(text)?),
        Err(Fault::Syntax { offset, problem }) => Err(Invalid::new(excerpt(text), problem).at(offset)),
        Err(Fault::NestedTooDeep { limit }) => {
            Err(Invalid::new(excerpt(text), format!("nesting exceeds the limit of {limit}")).into())
        }
    }
}

/// The beginning of the text of a dtype, quoted.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Reads a dtype string.
fn dtype_string(text: &str, context: Context<'_>) -> Result<DType, Invalid> {
    match parse::dtype_string(text)? {
        DType::Record(record) if context.align => aligned(record).map(DType::from),
        dtype => Ok(dtype),
    }
}

/// The entries of a dict. NumPy ignores other keys.
#[derive(Default)]
struct Entries<'a, 'b> {
    names: Option<&'a Node<'b>>,
    formats: Option<&'a Node<'b>>,
    offsets: Option<&'a Node<'b>>,
    titles: Option<&'a Node<'b>>,
    itemsize: Option<&'a Node<'b>>,
    aligned: Option<&'a Node<'b>>,
}

/// Reads `{'names': […], 'formats': […]}`, as `np.dtype` does.
fn read_dict<'n, 'b>(node: &Node<'b>, pairs: &'n [(Node<'b>, Node<'b>)], context: Context<'_>) -> Result<DType> {
    let mut entries = Entries::default();
    for (key, value) in pairs {
        let Value::Text(key) = &key.value else { continue };
        let entry = match key.as_ref() {
            "names" => &mut entries.names,
            "formats" => &mut entries.formats,
            "offsets" => &mut entries.offsets,
            "titles" => &mut entries.titles,
            "itemsize" => &mut entries.itemsize,
            "aligned" => &mut entries.aligned,
            _ => continue,
        };
        // Python keeps the last of several.
        *entry = Some(value);
    }
    let (names, formats) = match (entries.names, entries.formats) {
        (Some(names), Some(formats)) => (items(names, None)?, formats),
        _ if pairs.is_empty() => return Record::new(Vec::new(), 0).map(DType::from),
        _ => return Err(invalid(node, "expected a dict with the keys 'names' and 'formats'")),
    };
    check_fields(names.len(), context)?;
    let items_of = |node: Option<&'n Node<'b>>| node.map(|node| items(node, Some(names.len()))).transpose();
    let formats = items(formats, Some(names.len()))?;
    let (offsets, titles) = (items_of(entries.offsets)?, items_of(entries.titles)?);
    let align = match entries.aligned.map(|aligned| (aligned, &aligned.value)) {
        Some((_, Value::Bool(aligned))) => *aligned || context.align,
        Some((aligned, _)) => return Err(invalid(aligned, "expected True or False for 'aligned'")),
        None => context.align,
    };
    let context = Context { align, ..context };

    let mut layout = MemoryLayout::default();
    let mut fields = Vec::with_capacity(names.len());
    for (i, (name, format)) in names.iter().zip(formats).enumerate() {
        if matches!(name.value, Value::Tuple(_)) {
            return Err(invalid_name(name));
        }
        let dtype = read(format, context)?;
        let alignment = if align { dtype.alignment() } else { 1 };
        let offset = match offsets.and_then(|offsets| offsets.get(i)) {
            Some(offset) => read_offset(offset, name, &layout, alignment)?,
            None => layout.end.next_multiple_of(alignment),
        };
        let title = titles.and_then(|titles| titles.get(i)).map_or(Ok(None), read_title)?;
        let field = read_field(name, layout.place(offset, &dtype, alignment), dtype)?;
        fields.push(title.into_iter().fold(field, Field::titled));
    }
    let itemsize = read_itemsize(entries.itemsize, &layout)?;
    layout.record(fields, itemsize).map(DType::from).map_err(|problem| problem.at(node.offset))
}

/// Reads the itemsize of a dict. Without one, a record ends with its last field, padded to its alignment.
fn read_itemsize(itemsize: Option<&Node<'_>>, layout: &MemoryLayout) -> Result<usize> {
    let least = layout.end.next_multiple_of(layout.alignment);
    let Some(node) = itemsize else { return Ok(least) };
    let Value::Integer(bytes) = node.value else { return Err(invalid(node, "expected an integer for 'itemsize'")) };
    let bytes = usize::try_from(bytes).ok().filter(|bytes| *bytes >= least && bytes.is_multiple_of(layout.alignment));
    bytes.ok_or_else(|| invalid(node, invalid_itemsize(least, layout.alignment)))
}

/// Reads the offset of a field of a dict.
fn read_offset(offset: &Node<'_>, name: &Node<'_>, layout: &MemoryLayout, alignment: usize) -> Result<usize> {
    let invalid_field = |problem: String| Err(Invalid::new(name.excerpt(), problem).at(offset.offset));
    let found = match offset.value {
        Value::Integer(found) => usize::try_from(found).ok().filter(|found| *found <= MOST_BYTES),
        _ => None,
    };
    match found {
        Some(found) if found < layout.end => invalid_field(overlap(layout.end, found)),
        Some(found) if !found.is_multiple_of(alignment) => {
            invalid_field(format!("expected an offset that is a multiple of {alignment}, found {found}"))
        }
        Some(found) => Ok(found),
        None => invalid_field(format!("expected an offset from 0 to {MOST_BYTES}, found {}", offset.excerpt())),
    }
}

/// Returns the items of a list or a tuple, at least `count`.
fn items<'a, 'b>(node: &'a Node<'b>, count: Option<usize>) -> Result<&'a [Node<'b>]> {
    let (Value::List(items) | Value::Tuple(items)) = &node.value else {
        return Err(invalid(node, "expected a list"));
    };
    match count {
        // NumPy ignores items without a name.
        Some(count) if count > items.len() => {
            let count = counted(count, "item");
            Err(invalid(node, format!("expected {count}, one for each name, found {}", items.len())))
        }
        _ => Ok(items),
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
