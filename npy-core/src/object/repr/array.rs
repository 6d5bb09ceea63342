//! Arrays of objects as text, exactly as NumPy prints them: `str` and `repr`.

use std::fmt;

use super::super::value::PyObject;
use super::super::value::array::{ObjectArray, StringDType, push_sub_items};
use super::super::value::convert::scalars;
use super::super::value::encode::encode_object;
use super::super::value::int::PyInt;
use super::values::{assemble_repr, frame_of_repr, repr_of_dtype, text_of};
use crate::format::dtype::{DType, Field, Record, SubArray, dtype_str};
use crate::options::Order;
use crate::print::PrintOptions;
use crate::print::format::{Context, Format, MOST_EMPTY_PARTS, Scope, write_axes, write_record};
use crate::print::layout::{ByIndex, Frame, Selection, write_array};
use crate::print::stream::{Text, item};

impl ObjectArray {
    /// Formats the array as NumPy prints it with these options.
    pub fn display_with(&self, options: impl Into<PrintOptions>) -> PrintedObjects<'_> {
        PrintedObjects { array: self, options: options.into() }
    }

    /// `repr` of the array, which begins with `array(`, or the name of another class.
    #[inline(never)]
    pub(super) fn repr(&self, prefix: &str, options: &PrintOptions) -> String {
        let body =
            text_of(|out| write_elements(self, options, frame_of_repr(prefix, options), Context::of_array(self.shape()), out));
        let dtype = match self.string_dtype() {
            Some(dtype) => Some(string_dtype_repr(dtype, options)),
            None => repr_of_dtype(self.dtype(), self.items().len()),
        };
        assemble_repr(prefix, &body, self.shape(), dtype, options)
    }
}

/// As NumPy's `print` writes the array, with the default options.
///
/// ```
/// use npy_core::object::ObjectArray;
///
/// assert_eq!(ObjectArray::from(vec![Some("it's"), None]).to_string(), r#"["it's" None]"#);
/// ```
impl fmt::Display for ObjectArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display_with(PrintOptions::new()).fmt(f)
    }
}

/// The text of an array of objects, formatted when it is displayed.
///
/// ```
/// use npy_core::object::ObjectArray;
/// use npy_core::print::PrintOptions;
///
/// let names = ObjectArray::from(vec!["Ada", "Emmy", "Grace", "Hedy"]);
/// let options = PrintOptions::new().threshold(3).edge_items(1);
/// assert_eq!(names.display_with(&options).to_string(), "['Ada' ... 'Hedy']");
/// ```
#[derive(Clone, Debug)]
pub struct PrintedObjects<'a> {
    array: &'a ObjectArray,
    options: PrintOptions,
}

impl fmt::Display for PrintedObjects<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { array, options } = self;
        match (array.shape(), array.dtype(), array.items()) {
            ([], DType::Scalar(_), [item]) => item.write_str(options, f),
            ([], _, _) => write_elements(array, options, Frame::plain(options), Context::Alone, f),
            _ => write_elements(array, options, Frame::plain(options), Context::Array, f),
        }
    }
}

/// `StringDType(na_object=nan, coerce=False)`
fn string_dtype_repr(dtype: &StringDType, options: &PrintOptions) -> String {
    let missing = dtype.na_object().map(|object| format!("na_object={}", object.repr(options)));
    let coerce = (!dtype.coerce()).then(|| "coerce=False".to_owned());
    format!("StringDType({})", missing.into_iter().chain(coerce).collect::<Vec<_>>().join(", "))
}

fn write_elements(
    array: &ObjectArray,
    options: &PrintOptions,
    frame: Frame,
    context: Context,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let selection = Selection::new(array.shape(), options);
    let mut items = Vec::new();
    selection.visit(array.shape(), Order::C, |index| items.extend(array.items().get(index)));
    let column = Column::new(array.dtype(), &items, options, context);
    let write = |index: usize, out: &mut Text<'_>| match (&column, items.get(index)) {
        (Some(column), _) => column.write(index, options, out),
        // A pickle may hold any object instead of a record.
        (None, Some(item)) => item.write_repr(options, out),
        (None, None) => {}
    };
    write_array(&selection, frame, &mut ByIndex::nested(write), out)
}

/// The elements, or one field of all records.
enum Column<'a> {
    Objects(Vec<&'a PyObject>),
    /// The objects of sub-arrays, whose own items NumPy takes for more axes.
    Axes(Vec<&'a PyObject>),
    /// Values without objects, which NumPy aligns, by their bytes.
    Values {
        format: Format<'a>,
        size: usize,
        bytes: Vec<u8>,
    },
    Record(Vec<Self>),
    SubArray {
        shape: Vec<usize>,
        /// The number of elements printed at each end of an axis that is longer than twice that.
        edge: Option<usize>,
        base: Box<Self>,
    },
    TooMany,
}

impl<'a> Column<'a> {
    /// `None` if an object is not a value of the dtype.
    fn new(dtype: &DType, objects: &[&'a PyObject], options: &'a PrintOptions, context: Context) -> Option<Self> {
        match dtype {
            dtype if !dtype.has_object() => Self::of_values(dtype, objects, options, context),
            DType::Scalar(_) => Some(Self::Objects(objects.to_vec())),
            DType::Record(record) => Self::of_records(record, objects, options, context),
            DType::SubArray(array) => Self::of_sub_arrays(array, objects, options, context),
        }
    }

    fn of_values(dtype: &DType, objects: &[&'a PyObject], options: &'a PrintOptions, context: Context) -> Option<Self> {
        let (mut bytes, size) = (Vec::new(), dtype.itemsize());
        objects.iter().try_for_each(|object| encode_object(dtype, object, &mut bytes))?;
        let elements: Vec<&[u8]> = (0..objects.len()).map(|index| item(&bytes, index, size)).collect();
        let format = Format::new(dtype, &elements, Scope::new(dtype, objects.len(), options, context));
        Some(Self::Values { format, size, bytes })
    }

    fn of_records(record: &Record, objects: &[&'a PyObject], options: &'a PrintOptions, context: Context) -> Option<Self> {
        let fields = record.fields();
        let mut rows = Vec::new();
        for object in objects {
            match object {
                PyObject::Tuple(items) if items.len() == fields.len() => rows.push(items),
                _ => return None,
            }
        }
        let column = |(index, field): (usize, &Field)| {
            let parts: Vec<&PyObject> = rows.iter().filter_map(|row| row.get(index)).collect();
            Self::new(field.dtype(), &parts, options, context)
        };
        Some(Self::Record(fields.iter().enumerate().map(column).collect::<Option<_>>()?))
    }

    fn of_sub_arrays(array: &SubArray, objects: &[&'a PyObject], options: &'a PrintOptions, context: Context) -> Option<Self> {
        let (base, shape) = array.flattened();
        let mut parts = Vec::new();
        let count = shape.iter().fold(1_usize, |count, &length| count.saturating_mul(length));
        for object in objects {
            let before = parts.len();
            push_sub_items(object, shape.len(), &mut parts);
            if parts.len().checked_sub(before)? != count {
                return None;
            }
        }
        // Brackets around nothing, of which a short dtype can claim any number.
        let brackets =
            shape.iter().take_while(|&&length| length > 0).fold(objects.len(), |count, &length| count.saturating_mul(length));
        if count == 0 && brackets > MOST_EMPTY_PARTS {
            return Some(Self::TooMany);
        }
        let edge = options.edge(count);
        let base = match base {
            DType::Scalar(_) => Self::Axes(parts),
            base => Self::new(base, &parts, options, context.in_sub_array())?,
        };
        Some(Self::SubArray { edge, shape, base: Box::new(base) })
    }

    /// Writes an element.
    fn write(&self, index: usize, options: &PrintOptions, out: &mut Text<'_>) {
        match self {
            Self::Objects(objects) => objects.get(index).into_iter().for_each(|object| object.write_element(options, out)),
            Self::Values { format, size, bytes } => format.write(item(bytes, index, *size), out),
            Self::Record(fields) => write_record(fields.len(), out, |field, out| {
                fields.get(field).into_iter().for_each(|field| field.write(index, options, out));
            }),
            Self::SubArray { shape, edge, base } => {
                write_axes(shape, *edge, index, out, &|index, out: &mut Text<'_>| match &**base {
                    Self::Axes(objects) => {
                        objects.get(index).into_iter().for_each(|object| write_nested(object, *edge, options, out));
                    }
                    base => base.write(index, options, out),
                });
            }
            Self::Axes(_) => {}
            Self::TooMany => out.push_str("..."),
        }
    }
}

/// Writes an object in a sub-array: NumPy takes an object with items for more axes.
fn write_nested(object: &PyObject, edge: Option<usize>, options: &PrintOptions, out: &mut Text<'_>) {
    let array = |shape: &[usize], items: &[PyObject], out: &mut Text<'_>| {
        write_axes(shape, edge, 0, out, &|index, out: &mut Text<'_>| {
            items.get(index).into_iter().for_each(|item| write_nested(item, edge, options, out));
        });
    };
    match object {
        PyObject::List(items) | PyObject::Tuple(items) => array(&[items.len()], items, out),
        PyObject::ByteArray(bytes) => write_numbers(bytes.iter().copied().map(i64::from), out),
        PyObject::Range(parts) => write_numbers(range(&parts[..]).take(MOST_EMPTY_PARTS), out),
        PyObject::Objects(objects) if !objects.shape().is_empty() => match objects.dtype() {
            DType::Scalar(_) => array(objects.shape(), objects.items(), out),
            dtype => write_axes(objects.shape(), edge, 0, out, &|index, out: &mut Text<'_>| {
                objects.items().get(index).into_iter().for_each(|item| out.push_str(&record_repr(dtype, item, options)));
            }),
        },
        PyObject::Array(values) if !values.shape().is_empty() => match scalars(values) {
            Some(items) => array(values.shape(), &items, out),
            None => object.write_repr(options, out),
        },
        object => object.write_repr(options, out),
    }
}

fn write_numbers(numbers: impl Iterator<Item = i64>, out: &mut Text<'_>) {
    out.push_str("[");
    for (index, number) in numbers.enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        out.push_str(&number.to_string());
    }
    out.push_str("]");
}

/// `repr` of an element of an array of records: of NumPy's `void` with that dtype.
fn record_repr(dtype: &DType, item: &PyObject, options: &PrintOptions) -> String {
    let record = ObjectArray::from_pickle(dtype.clone(), Order::C, Vec::new(), vec![item.clone()], None);
    format!("np.void({}, dtype={})", record.display_with(options), dtype_str(dtype))
}

/// The numbers of a range, as far as they fit.
fn range(parts: &[PyInt]) -> impl Iterator<Item = i64> + use<> {
    let number = |index: usize| parts.get(index).and_then(PyInt::to_i64).unwrap_or(0);
    let (begin, end, step) = (number(0), number(1), number(2));
    let is_in = move |&number: &i64| if step < 0 { number > end } else { number < end && step > 0 };
    std::iter::successors(Some(begin), move |number| number.checked_add(step)).take_while(is_in)
}
