//! The text of elements of every dtype in an array.

use super::binary::{Binary, FloatKind};
use super::decimal::{Ascii, decimal};
use super::float::{ComplexFormat, FloatFormat, push_f32};
use super::options::{PrintOptions, Sign};
use super::stream::{Text, item, pad, part};
use super::text::{write_bytes, write_unicode, write_void};
use super::time::{NAT, date_time};
use crate::format::decoder::Decoder;
use crate::format::dtype::{ByteOrder, Class, DType, MlType, Record, Scalar, ScalarKind, SubArray, TimeUnit};

/// The format of the elements of an array.
///
/// NumPy aligns the printed elements, for each field of a record separately.
#[derive(Clone, Debug)]
pub(crate) enum Format<'a> {
    Bool {
        aligned: bool,
    },
    Integer {
        decoder: Decoder<i128>,
        sign: Sign,
        width: usize,
    },
    Float {
        kind: FloatKind,
        order: ByteOrder,
        format: FloatFormat<'a>,
    },
    /// A float in a record that stands alone.
    ScalarFloat {
        kind: FloatKind,
        order: ByteOrder,
    },
    Complex {
        kind: FloatKind,
        order: ByteOrder,
        format: ComplexFormat<'a>,
    },
    Datetime {
        steps: Decoder<i64>,
        unit: TimeUnit,
        count: u32,
        width: usize,
    },
    Timedelta {
        steps: Decoder<i64>,
        width: usize,
    },
    /// A number of `ml_dtypes`.
    Ml {
        ml: MlType,
        width: usize,
    },
    Bytes(Scalar),
    Unicode(Scalar),
    Void,
    Record(Vec<FieldFormat<'a>>),
    SubArray(SubArrayFormat<'a>),
    /// Parts of zero bytes, of which a short dtype can claim any number.
    TooMany,
}

/// The format and the position of one field of records.
#[derive(Clone, Debug)]
pub(crate) struct FieldFormat<'a> {
    offset: usize,
    size: usize,
    format: Format<'a>,
}

/// The format of the sub-arrays of one field.
#[derive(Clone, Debug)]
pub(crate) struct SubArrayFormat<'a> {
    shape: Vec<usize>,
    base_size: usize,
    base: Box<Format<'a>>,
    /// The number of elements printed at each end of an axis that is longer than twice that.
    edge: Option<usize>,
}

/// The context of formatted elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// In an array: numbers are aligned.
    Array,
    /// In an array without axes: bools have no blank before them.
    ArrayWithoutAxes,
    /// In a record that stands alone, as an array without axes: floats are written as scalars are.
    Alone,
    /// In a sub-array of such a record.
    SubArrayAlone,
}

impl Context {
    /// The context of the elements of an array of this shape.
    pub(crate) fn of_array(shape: &[usize]) -> Self {
        if shape.is_empty() { Self::ArrayWithoutAxes } else { Self::Array }
    }

    /// The context of the items of a sub-array.
    pub(crate) fn in_sub_array(self) -> Self {
        match self {
            Self::Array | Self::ArrayWithoutAxes => Self::Array,
            Self::Alone | Self::SubArrayAlone => Self::SubArrayAlone,
        }
    }
}

/// The context and the options of the formats of all parts of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    options: &'a PrintOptions,
    context: Context,
    /// Whether there are too many parts of zero bytes to print them all.
    is_crowded: bool,
}

/// The most parts of zero bytes that are printed. NumPy has no limit.
pub(crate) const MOST_EMPTY_PARTS: usize = 100_000;

impl<'a> Scope<'a> {
    /// Creates the scope of `count` elements of this dtype.
    pub(crate) fn new(dtype: &DType, count: usize, options: &'a PrintOptions, context: Context) -> Self {
        let is_crowded = count_parts(dtype, options, true).saturating_mul(count) > MOST_EMPTY_PARTS;
        Self { options, context, is_crowded }
    }
}

impl<'a> Format<'a> {
    /// Creates the format of an array of these elements.
    pub(crate) fn new(dtype: &DType, elements: &[&[u8]], scope: Scope<'a>) -> Self {
        Self::of_parts(dtype, &Parts { elements, offset: 0, size: dtype.itemsize(), steps: Vec::new() }, scope)
    }

    fn of_parts(dtype: &DType, parts: &Parts<'_>, scope: Scope<'a>) -> Self {
        if scope.is_crowded && dtype.itemsize() == 0 && count_parts(dtype, scope.options, false) > 1 {
            return Self::TooMany;
        }
        match dtype {
            DType::Scalar(scalar) => Self::of_scalar(*scalar, parts, scope),
            DType::SubArray(array) => Self::SubArray(SubArrayFormat::new(array, parts, scope)),
            DType::Record(record) => Self::Record(fields(record, parts, scope)),
        }
    }

    fn of_scalar(scalar: Scalar, elements: &Parts<'_>, scope: Scope<'a>) -> Self {
        let Scope { options, context, .. } = scope;
        let order = scalar.byte_order().unwrap_or(ByteOrder::NATIVE);
        let float = |kind: FloatKind| match context {
            Context::Array | Context::ArrayWithoutAxes => {
                let numbers = elements.iter().map(|bytes| kind.decode(bytes, order));
                Self::Float { kind, order, format: FloatFormat::new(kind, numbers, options, options.sign) }
            }
            Context::Alone | Context::SubArrayAlone => Self::ScalarFloat { kind, order },
        };
        let complex = |kind: FloatKind| {
            let parts = elements.iter().map(|bytes| complex_parts(kind, order, bytes));
            let (real, imaginary) = (parts.clone().map(|(real, _)| real), parts.map(|(_, imaginary)| imaginary));
            Self::Complex { kind, order, format: ComplexFormat::new(kind, real, imaginary, options) }
        };
        if let ScalarKind::Ml(ml) = scalar.kind() {
            let width = elements.iter().map(|bytes| ml_text(ml, bytes).len()).max().unwrap_or(0);
            return Self::Ml { ml, width };
        }
        let kind = FloatKind::of(scalar.part().unwrap_or(scalar));
        let (steps, integers) = (Decoder::<i64>::new(scalar), Decoder::<i128>::new(scalar));
        match (scalar.class(), scalar.time_unit(), kind, steps, integers) {
            (Class::Bool, ..) => Self::Bool { aligned: !matches!(context, Context::Alone | Context::ArrayWithoutAxes) },
            (Class::Float, _, Some(kind), ..) => float(kind),
            (Class::Complex, _, Some(kind), ..) => complex(kind),
            (Class::Datetime, Some((unit, count)), _, Some(steps), _) => {
                let width = time_width(elements, steps, |steps| date_time(unit, count, steps).chars().count() + 2);
                Self::Datetime { steps, unit, count, width }
            }
            (Class::Timedelta, _, _, Some(steps), _) => {
                Self::Timedelta { steps, width: time_width(elements, steps, |steps| steps.to_string().len()) }
            }
            (_, _, _, _, Some(integers)) => integer_format(elements, integers, options.sign),
            (Class::Bytes, ..) => Self::Bytes(scalar),
            (Class::Unicode, ..) => Self::Unicode(scalar),
            // Objects have no bytes to print; their arrays are never made.
            _ => Self::Void,
        }
    }

    /// Appends an element.
    pub(crate) fn write(&self, bytes: &[u8], out: &mut Text<'_>) {
        match self {
            Self::Bool { aligned } => out.small().push_str(match (bytes.iter().any(|&byte| byte != 0), aligned) {
                (false, _) => "False",
                (true, false) => "True",
                (true, true) => " True",
            }),
            Self::Integer { decoder, sign, width } => push_integer(decoder.decode(bytes), *sign, *width, out.small()),
            Self::Float { kind, order, format } => format.write(kind.decode(bytes, *order), out.small()),
            Self::ScalarFloat { kind, order } => kind.push_scalar(bytes, *order, out.small()),
            Self::Complex { kind, order, format } => {
                let (real, imaginary) = complex_parts(*kind, *order, bytes);
                format.write(real, imaginary, out.small());
            }
            Self::Datetime { steps, unit, count, width } => match steps.decode(bytes) {
                NAT => push_right("'NaT'", *width, out.small()),
                steps => push_right(&format!("'{}'", date_time(*unit, *count, steps)), *width, out.small()),
            },
            Self::Timedelta { steps, width } => match steps.decode(bytes) {
                NAT => push_right("'NaT'", *width, out.small()),
                steps => push_integer(i128::from(steps), Sign::Negative, *width, out.small()),
            },
            Self::Ml { ml, width } => push_right(&ml_text(*ml, bytes), *width, out.small()),
            Self::Bytes(scalar) => write_bytes(*scalar, bytes, out),
            Self::Unicode(scalar) => write_unicode(*scalar, bytes, out),
            Self::Void => write_void(bytes, out),
            Self::Record(fields) => {
                write_record(fields.len(), out, |index, out| {
                    let Some(field) = fields.get(index) else { return };
                    field.format.write(part(bytes, field.offset, field.size), out);
                });
            }
            Self::SubArray(array) => {
                let write = |index: usize, out: &mut Text<'_>| array.base.write(item(bytes, index, array.base_size), out);
                write_axes(&array.shape, array.edge, 0, out, &write);
            }
            Self::TooMany => out.small().push_str("..."),
        }
    }
}

impl<'a> SubArrayFormat<'a> {
    fn new(array: &SubArray, parts: &Parts<'_>, scope: Scope<'a>) -> Self {
        // NumPy merges nested sub-arrays into one.
        let (base, shape) = array.flattened();
        let base_size = base.itemsize();
        let context = scope.context.in_sub_array();
        let count = shape.iter().fold(1_usize, |count, &length| count.saturating_mul(length));
        // Elements of zero bytes do not affect a format.
        let seen = if base_size == 0 { 0 } else { count };
        Self {
            base: Box::new(Format::of_parts(base, &parts.items(seen, base_size), Scope { context, ..scope })),
            shape,
            base_size,
            edge: scope.options.edge(count),
        }
    }
}

/// Writes a record, field by field.
pub(crate) fn write_record(fields: usize, out: &mut Text<'_>, write: impl Fn(usize, &mut Text<'_>)) {
    out.small().push('(');
    for index in 0..fields {
        if index > 0 {
            out.small().push_str(", ");
        }
        write(index, out);
    }
    out.small().push_str(if fields == 1 { ",)" } else { ")" });
}

/// Writes the `index`-th of several sub-arrays of this shape. `write` takes the index of an item among those of all.
///
/// Axes longer than twice `edge` are abbreviated.
pub(crate) fn write_axes(
    shape: &[usize],
    edge: Option<usize>,
    index: usize,
    out: &mut Text<'_>,
    write: &impl Fn(usize, &mut Text<'_>),
) {
    let Some((&length, inner)) = shape.split_first() else { return write(index, out) };
    let first = index.saturating_mul(length);
    let item = |position: usize, out: &mut Text<'_>| {
        if position > 0 {
            out.small().push_str(", ");
        }
        write_axes(inner, edge, first.saturating_add(position), out, write);
    };
    out.small().push('[');
    match edge.filter(|edge| length > edge.saturating_mul(2)) {
        None => (0..length).for_each(|position| item(position, out)),
        Some(edge) => {
            (0..edge).for_each(|position| item(position, out));
            out.small().push_str(", ...");
            (length - edge..length).for_each(|position| item(position, out));
        }
    }
    out.small().push(']');
}

fn fields<'a>(record: &Record, parts: &Parts<'_>, scope: Scope<'a>) -> Vec<FieldFormat<'a>> {
    let of_field = |field: &crate::format::dtype::Field| {
        let (offset, size) = (field.offset(), field.dtype().itemsize());
        FieldFormat { offset, size, format: Format::of_parts(field.dtype(), &parts.field(offset, size), scope) }
    };
    record.fields().iter().map(of_field).collect()
}

/// One field of each element, or all items of its sub-arrays.
///
/// Stores positions: a slice takes 16 bytes, but an item may have one.
#[derive(Clone, Debug)]
struct Parts<'e> {
    elements: &'e [&'e [u8]],
    /// The offset of the first item, and the size of each.
    offset: usize,
    size: usize,
    /// The number of items and the distance between them, of each sub-array from the outermost.
    steps: Vec<(usize, usize)>,
}

impl<'e> Parts<'e> {
    fn field(&self, offset: usize, size: usize) -> Self {
        Self { offset: self.offset.saturating_add(offset), size, ..self.clone() }
    }

    /// The items of a sub-array.
    fn items(&self, count: usize, size: usize) -> Self {
        let mut items = Self { size, ..self.clone() };
        items.steps.push((count, size));
        items
    }

    fn iter(&self) -> impl Iterator<Item = &'e [u8]> + Clone + '_ {
        let count = self.steps.iter().fold(self.elements.len(), |count, (items, _)| count.saturating_mul(*items));
        (0..count).map(|index| self.part(index))
    }

    /// The part at an index, the last sub-array fastest and the element slowest.
    fn part(&self, mut index: usize) -> &'e [u8] {
        let mut offset = self.offset;
        for (count, distance) in self.steps.iter().rev() {
            offset = offset.saturating_add((index % count) * distance);
            index /= count;
        }
        part(self.elements.get(index).copied().unwrap_or_default(), offset, self.size)
    }
}

/// Counts the printed parts of an element, or only those of zero bytes.
fn count_parts(dtype: &DType, options: &PrintOptions, only_empty: bool) -> usize {
    let only_empty = only_empty && dtype.itemsize() > 0;
    let own = usize::from(!only_empty);
    match dtype {
        DType::Scalar(_) => own,
        DType::Record(record) => {
            let fields = record.fields().iter().map(|field| count_parts(field.dtype(), options, only_empty));
            fields.fold(own, usize::saturating_add)
        }
        DType::SubArray(array) => printed_length(array, options).saturating_mul(count_parts(array.base(), options, only_empty)),
    }
}

/// The number of printed elements of a sub-array.
fn printed_length(array: &SubArray, options: &PrintOptions) -> usize {
    let elements = array.shape().iter().fold(1_usize, |count, &length| count.saturating_mul(length));
    let edges = options.edge_items.saturating_mul(2);
    let printed = |&length: &usize| if elements > options.threshold { length.min(edges) } else { length };
    // Nothing is written after an empty axis.
    let lengths = array.shape().iter().map(printed).take_while(|&length| length > 0);
    lengths.fold(1_usize, usize::saturating_mul)
}

pub(super) fn complex_parts(kind: FloatKind, order: ByteOrder, bytes: &[u8]) -> (Binary, Binary) {
    let (real, imaginary) = bytes.split_at(bytes.len() / 2);
    (kind.decode(real, order), kind.decode(imaginary, order))
}

fn integer_format<'a>(elements: &Parts<'_>, decoder: Decoder<i128>, sign: Sign) -> Format<'a> {
    let widen = |range: Option<(i128, i128)>, value: i128| {
        Some(range.map_or((value, value), |(least, most)| (value.min(least), value.max(most))))
    };
    let range = elements.iter().map(|bytes| decoder.decode(bytes)).fold(None, widen);
    let sign = if sign == Sign::Blank && range.is_some_and(|(least, _)| least < 0) { Sign::Negative } else { sign };
    let width = |value: i128| {
        let mut text = String::new();
        push_integer(value, sign, 0, &mut text);
        text.len()
    };
    Format::Integer { decoder, sign, width: range.map_or(0, |(least, most)| width(least).max(width(most))) }
}

/// Appends an integer of 64 bits, aligned to the right.
fn push_integer(value: i128, sign: Sign, width: usize, out: &mut String) {
    let mut text = Ascii([b'0'; 32]);
    let begin = decimal(u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX), &mut text.0);
    let digits = text.from(begin);
    let sign = match sign {
        _ if value < 0 => "-",
        Sign::Always => "+",
        Sign::Blank => " ",
        Sign::Negative => "",
    };
    pad(width.saturating_sub(sign.len() + digits.len()), out);
    out.push_str(sign);
    out.push_str(digits);
}

/// The width of the first time, of the last time, and of NaT where there is one.
///
/// Other times may be wider. They are not cut.
fn time_width(elements: &Parts<'_>, steps: Decoder<i64>, width: impl Fn(i64) -> usize) -> usize {
    let all = || elements.iter().map(|bytes| steps.decode(bytes));
    let times = || all().filter(|steps| *steps != NAT);
    let widest = times().min().map(&width).max(times().max().map(&width)).unwrap_or(0);
    if all().any(|steps| steps == NAT) { widest.max("'NaT'".len()) } else { widest }
}

/// The shortest digits of a number of `ml_dtypes` as an `f32`.
fn ml_text(ml: MlType, bytes: &[u8]) -> String {
    let value = ml.value(bytes.first().copied().unwrap_or_default());
    if ml.is_integer() {
        return value.to_string();
    }
    let mut text = String::new();
    push_f32(value, &mut text);
    text
}

fn push_right(text: &str, width: usize, out: &mut String) {
    pad(width.saturating_sub(text.chars().count()), out);
    out.push_str(text);
}
