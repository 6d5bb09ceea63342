//! The text of a dtype as `str` and `repr` print it, including forms that no header has: dicts,
//! `numpy.record` and `dtype(…, align=True)`.

use super::super::literal;
use super::super::literal::{Dialect, Fault, Node, Value};
use super::descr::{Context, check_fields, invalid, invalid_name, read_checked, read_name, read_title};
use super::record::Extras;
use super::{DType, Field, Invalid, MOST_BYTES, Record, Scalar, ScalarKind, descr, parse, record};
use crate::error::Result;
use crate::error::describe::counted;
use crate::limits::Limits;

/// Reads a dtype that stands alone, such as `[('x', '<f4')]` or
/// `dtype({'names': ['x'], 'formats': ['<f4'], 'offsets': [4]})`.
pub(super) fn from_text(text: &str, limits: &Limits) -> Result<DType> {
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
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Reads a dtype string.
pub(super) fn dtype_string(text: &str, context: Context<'_>) -> Result<DType, Invalid> {
    match parse::dtype_string(text)? {
        DType::Record(record) if context.align => aligned(record).map(DType::from),
        dtype => Ok(dtype),
    }
}

/// The values of the keys of a dict. NumPy ignores other keys.
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
pub(super) fn read<'b>(node: &Node<'b>, pairs: &[(Node<'b>, Node<'b>)], context: Context<'_>) -> Result<DType> {
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
    let formats = items(formats, Some(names.len()))?;
    let offsets = entries.offsets.map(|offsets| items(offsets, Some(names.len()))).transpose()?;
    let titles = entries.titles.map(|titles| items(titles, Some(names.len()))).transpose()?;
    let align = match entries.aligned.map(|aligned| (aligned, &aligned.value)) {
        Some((_, Value::Bool(aligned))) => *aligned || context.align,
        Some((aligned, _)) => return Err(invalid(aligned, "expected True or False for 'aligned'")),
        None => context.align,
    };
    let context = Context { align, ..context };

    let mut layout = Layout::default();
    let mut fields = Vec::with_capacity(names.len());
    for (i, (name, format)) in names.iter().zip(formats).enumerate() {
        if matches!(name.value, Value::Tuple(_)) {
            return Err(invalid_name(name));
        }
        let dtype = descr::read(format, context)?;
        let alignment = if align { dtype.alignment() } else { 1 };
        let offset = match offsets.and_then(|offsets| offsets.get(i)) {
            Some(offset) => layout.check_offset(offset, name, alignment)?,
            None => layout.end.next_multiple_of(alignment),
        };
        let title = titles.and_then(|titles| titles.get(i)).map_or(Ok(None), read_title)?;
        let (name, name_literal, _) = read_name(name)?;
        let mut field = Field::new(name, layout.place(offset, &dtype, alignment), dtype);
        if name_literal.is_some() || title.is_some() {
            *field.extras_mut() = Extras { name_literal, title };
        }
        fields.push(field);
    }
    let least = layout.end.next_multiple_of(layout.alignment);
    let itemsize = match entries.itemsize {
        Some(itemsize) => match itemsize.value {
            Value::Integer(bytes) => match usize::try_from(bytes) {
                Ok(bytes) if bytes >= least && bytes.is_multiple_of(layout.alignment) => bytes,
                _ => {
                    return Err(invalid(itemsize, record::invalid_itemsize(least, layout.alignment)));
                }
            },
            _ => return Err(invalid(itemsize, "expected an integer for 'itemsize'")),
        },
        None => least,
    };
    layout.record(fields, itemsize).map(DType::from).map_err(|problem| problem.at(node.offset))
}

/// The items of a list or a tuple, as many as there are names.
fn items<'a, 'b>(node: &'a Node<'b>, count: Option<usize>) -> Result<&'a [Node<'b>]> {
    let (Value::List(items) | Value::Tuple(items)) = &node.value else {
        return Err(invalid(node, "expected a list"));
    };
    match count {
        // NumPy ignores what has no name.
        Some(count) if count > items.len() => {
            let count = counted(count, "item");
            Err(invalid(node, format!("expected {count}, one for each name, found {}", items.len())))
        }
        _ => Ok(items),
    }
}

/// Where fields lie in memory, where a Python object is a pointer of 8 bytes. In a file it has
/// none, so a [`Field`] does not count them.
#[derive(Debug)]
struct Layout {
    /// Where the last field ends.
    end: usize,
    /// Bytes of objects among the fields.
    objects: usize,
    alignment: usize,
}

impl Default for Layout {
    fn default() -> Self {
        Self { end: 0, objects: 0, alignment: 1 }
    }
}

impl Layout {
    /// An offset that the dict has.
    fn check_offset(&self, offset: &Node<'_>, name: &Node<'_>, alignment: usize) -> Result<usize> {
        let invalid_field = |problem: String| Err(Invalid::new(name.excerpt(), problem).at(offset.offset));
        let found = match offset.value {
            Value::Integer(found) => usize::try_from(found).ok().filter(|found| *found <= MOST_BYTES),
            _ => None,
        };
        match found {
            Some(found) if found < self.end => invalid_field(record::overlap(self.end, found)),
            Some(found) if !found.is_multiple_of(alignment) => {
                invalid_field(format!("expected an offset that is a multiple of {alignment}, found {found}"))
            }
            Some(found) => Ok(found),
            None => invalid_field(format!("expected an offset from 0 to {MOST_BYTES}, found {}", offset.excerpt())),
        }
    }

    /// Adds a field; tells its offset without the objects before it.
    fn place(&mut self, offset: usize, dtype: &DType, alignment: usize) -> usize {
        let place = offset.saturating_sub(self.objects);
        let objects = object_bytes(dtype);
        self.objects = self.objects.saturating_add(objects);
        self.end = offset.saturating_add(dtype.itemsize()).saturating_add(objects);
        self.alignment = self.alignment.max(alignment);
        place
    }

    fn record(&self, fields: Vec<Field>, itemsize: usize) -> Result<Record, Invalid> {
        Record::checked(fields, itemsize.saturating_sub(self.objects))
    }
}

/// The same fields where `align=True` puts them. Padding that is there already stays.
pub(super) fn aligned(record: Record) -> Result<Record, Invalid> {
    let mut layout = Layout::default();
    let packed = record.itemsize;
    let mut packed_end = 0;
    let mut fields = record.into_fields();
    for field in &mut fields {
        let padding = field.offset - packed_end;
        packed_end = field.end();
        let alignment = field.dtype.alignment();
        let offset = layout.end.saturating_add(padding).next_multiple_of(alignment);
        field.offset = layout.place(offset, &field.dtype, alignment);
    }
    let end = layout.end.saturating_add(packed - packed_end);
    layout.record(fields, end.next_multiple_of(layout.alignment))
}

/// Bytes that the objects in a dtype have in memory.
fn object_bytes(dtype: &DType) -> usize {
    match dtype {
        DType::Scalar(scalar) if scalar.kind() == ScalarKind::Object => size_of::<u64>(),
        DType::Scalar(_) => 0,
        DType::SubArray(array) => {
            array.shape().iter().fold(object_bytes(array.base()), |bytes, length| bytes.saturating_mul(*length))
        }
        DType::Record(record) => record.fields().iter().map(|field| object_bytes(&field.dtype)).fold(0, usize::saturating_add),
    }
}

impl DType {
    /// Returns the alignment of NumPy's `align=True` on 64-bit platforms, in bytes.
    ///
    /// ```
    /// # use npy_core::DType;
    /// assert_eq!("[('x', '<f4'), ('name', '<U5'), ('z', '<c16')]".parse::<DType>()?.alignment(), 8);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn alignment(&self) -> usize {
        self.leaves().iter().map(|leaf| alignment_of_scalar(leaf.scalar())).max().unwrap_or(1)
    }
}

fn alignment_of_scalar(scalar: Scalar) -> usize {
    match scalar.kind() {
        // On 32-bit x86.
        ScalarKind::LongDouble { itemsize: 12 } | ScalarKind::ComplexLongDouble { itemsize: 24 } => 4,
        ScalarKind::Object => size_of::<u64>(),
        _ => scalar.word_size().max(1),
    }
}
