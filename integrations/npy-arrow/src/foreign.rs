//! Columns as other programs write them, in the types that the encoder knows.

use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType};
use arrow_array::{Array, ArrayRef, Float64Array, OffsetSizeTrait, PrimitiveArray, make_array, new_null_array};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{DataType, FieldRef, TimeUnit};
use npy_core::{Error, Result};

use crate::error::of_arrow;

/// The type of the values of a column.
///
/// A dictionary has the type of its values, a date of 64 bits that of an instant. A time of day is a duration since
/// midnight, and a decimal the nearest float. Other types stay.
pub(crate) fn plain_type(found: &DataType) -> DataType {
    match found {
        DataType::Dictionary(_, values) if !values.is_nested() => plain_type(values),
        DataType::Date64 => DataType::Timestamp(TimeUnit::Millisecond, None),
        DataType::Time32(unit) | DataType::Time64(unit) => DataType::Duration(*unit),
        decimal if decimal.is_decimal() => DataType::Float64,
        other => other.clone(),
    }
}

/// Converts a column to its [`plain_type`]. Dictionaries of texts and bytes stay, because their values
/// are of any length.
pub(crate) fn plain(array: &ArrayRef) -> Result<ArrayRef> {
    let data_type = array.data_type();
    match data_type {
        DataType::Dictionary(_, values) if is_text(values) || is_bytes(values) || values.is_nested() => Ok(Arc::clone(array)),
        DataType::Dictionary(..) => plain(&gathered(array)?),
        DataType::Time32(_) => as_type(&widened(array), plain_type(data_type)),
        DataType::Date64 | DataType::Time64(_) => as_type(array, plain_type(data_type)),
        DataType::Decimal32(_, scale) => Ok(nearest(array.as_primitive::<Decimal32Type>(), *scale)),
        DataType::Decimal64(_, scale) => Ok(nearest(array.as_primitive::<Decimal64Type>(), *scale)),
        DataType::Decimal128(_, scale) => Ok(nearest(array.as_primitive::<Decimal128Type>(), *scale)),
        DataType::Decimal256(_, scale) => Ok(nearest(array.as_primitive::<Decimal256Type>(), *scale)),
        _ => Ok(Arc::clone(array)),
    }
}

pub(crate) fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

pub(crate) fn is_bytes(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

/// The same bytes as values of another type.
fn as_type(array: &ArrayRef, data_type: DataType) -> Result<ArrayRef> {
    array.to_data().into_builder().data_type(data_type).build().map(make_array).map_err(of_arrow)
}

/// Integers of 32 bits as integers of 64.
fn widened(array: &ArrayRef) -> ArrayRef {
    let data = array.to_data();
    let bytes = data.buffers().first().map_or(&[][..], |values| &values[data.offset() * 4..][..data.len() * 4]);
    let wide = bytes.chunks_exact(4).map(|value| value.first_chunk().map_or(0, |value| i64::from(i32::from_ne_bytes(*value))));
    Arc::new(arrow_array::Int64Array::new(wide.collect(), array.nulls().cloned()))
}

/// The nearest numbers of decimals.
fn nearest<D: DecimalType>(decimals: &PrimitiveArray<D>, scale: i8) -> ArrayRef
where
    D::Native: Display,
{
    // The parser rounds to the nearest.
    let number = |value: D::Native| format!("{value}e{}", -i32::from(scale)).parse().unwrap_or(f64::NAN);
    Arc::new(decimals.iter().map(|value| value.map(number)).collect::<Float64Array>())
}

/// The values of a dictionary, one for each key.
fn gathered(array: &ArrayRef) -> Result<ArrayRef> {
    let ((keys, values), nulls) = (keys_of(array), array.logical_nulls());
    if values.is_empty() {
        return Ok(new_null_array(values.data_type(), array.len()));
    }
    let data = values.to_data();
    let mut target = MutableArrayData::new(vec![&data], true, keys.len());
    for (index, key) in keys.into_iter().enumerate() {
        let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(index));
        let extended = if is_null { target.try_extend_nulls(1) } else { target.try_extend(0, key, key + 1) };
        extended.map_err(of_arrow)?;
    }
    Ok(make_array(target.freeze()))
}

/// The keys and the values of a dictionary. Keys of nulls are arbitrary; without values there are no keys.
fn keys_of(array: &ArrayRef) -> (Vec<usize>, &ArrayRef) {
    let dictionary = array.as_any_dictionary();
    let values = dictionary.values();
    let keys = if values.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
    (keys, values)
}

/// The field of the items of a list.
pub(crate) fn item_of(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Some(item),
        _ => None,
    }
}

/// The items of lists, and the range of each list among them; `None` for lists of a fixed size.
pub(crate) fn ranges_of(array: &dyn Array) -> Option<(&ArrayRef, Vec<Range<usize>>)> {
    Some(match array.data_type() {
        DataType::List(_) => (array.as_list::<i32>().values(), between(array.as_list::<i32>().value_offsets())),
        DataType::LargeList(_) => (array.as_list::<i64>().values(), between(array.as_list::<i64>().value_offsets())),
        DataType::ListView(_) => {
            let lists = array.as_list_view::<i32>();
            (lists.values(), at(lists.value_offsets(), lists.value_sizes()))
        }
        DataType::LargeListView(_) => {
            let lists = array.as_list_view::<i64>();
            (lists.values(), at(lists.value_offsets(), lists.value_sizes()))
        }
        _ => return None,
    })
}

/// The items of all lists, of null ones too.
pub(crate) fn items_of_lists(array: &dyn Array) -> ArrayRef {
    let Some((items, ranges)) = ranges_of(array) else { return Arc::clone(array.as_fixed_size_list().values()) };
    let begin = ranges.iter().map(|range| range.start).min().unwrap_or(0);
    let end = ranges.iter().map(|range| range.end).max().unwrap_or(begin);
    items.slice(begin, end - begin)
}

fn between<O: OffsetSizeTrait>(offsets: &[O]) -> Vec<Range<usize>> {
    offsets.windows(2).map(|pair| pair[0].as_usize()..pair[1].as_usize()).collect()
}

fn at<O: OffsetSizeTrait>(offsets: &[O], sizes: &[O]) -> Vec<Range<usize>> {
    offsets.iter().zip(sizes).map(|(begin, size)| begin.as_usize()..begin.as_usize() + size.as_usize()).collect()
}

/// The items of lists, `length` for each. Those of null lists are null. `wrong_length` makes the error of the list at an index
/// with another length.
pub(crate) fn items_of(
    array: &ArrayRef,
    nulls: Option<&NullBuffer>,
    length: usize,
    wrong_length: impl Fn(usize, usize) -> Error,
) -> Result<ArrayRef> {
    let Some((items, ranges)) = ranges_of(array) else { return Ok(Arc::clone(array.as_fixed_size_list().values())) };
    let is_null = |index: usize| nulls.is_some_and(|nulls| nulls.is_null(index));
    let mut next = ranges.first().map_or(0, |range| range.start);
    let begin = next;
    let mut are_contiguous = true;
    for (index, range) in ranges.iter().enumerate() {
        if range.len() != length && !is_null(index) {
            return Err(wrong_length(index, range.len()));
        }
        are_contiguous &= range.len() == length && range.start == next;
        next = range.end;
    }
    if are_contiguous {
        return Ok(items.slice(begin, ranges.len() * length));
    }
    let data = items.to_data();
    let mut target = MutableArrayData::new(vec![&data], true, ranges.len() * length);
    for (index, range) in ranges.into_iter().enumerate() {
        let extended = if is_null(index) { target.try_extend_nulls(length) } else { target.try_extend(0, range.start, range.end) };
        extended.map_err(of_arrow)?;
    }
    Ok(make_array(target.freeze()))
}

/// The values of an array of numbers.
pub(crate) fn values_of(array: &ArrayRef) -> Buffer {
    let data = array.to_data();
    let width = data.data_type().primitive_width().unwrap_or_default();
    data.buffers().first().map_or_else(
        || Buffer::from_vec(Vec::<u8>::new()),
        |values| values.slice_with_length(data.offset() * width, data.len() * width),
    )
}

/// The values of an array of texts or bytes, or of a dictionary of them.
pub(crate) fn texts_of<'a>(array: &'a ArrayRef) -> Box<dyn Fn(usize) -> &'a [u8] + 'a> {
    match array.data_type() {
        DataType::Utf8 => text_values(array.as_string::<i32>(), |array, index| array.value(index).as_bytes()),
        DataType::LargeUtf8 => text_values(array.as_string::<i64>(), |array, index| array.value(index).as_bytes()),
        DataType::Utf8View => text_values(array.as_string_view(), |array, index| array.value(index).as_bytes()),
        DataType::LargeBinary => text_values(array.as_binary::<i64>(), |array, index| array.value(index)),
        DataType::BinaryView => text_values(array.as_binary_view(), |array, index| array.value(index)),
        DataType::FixedSizeBinary(_) => text_values(array.as_fixed_size_binary(), |array, index| array.value(index)),
        DataType::Dictionary(..) => {
            let (keys, values) = keys_of(array);
            let value = texts_of(values);
            Box::new(move |index| value(keys[index]))
        }
        _ => text_values(array.as_binary::<i32>(), |array, index| array.value(index)),
    }
}

fn text_values<'a, A>(array: &'a A, value: fn(&'a A, usize) -> &'a [u8]) -> Box<dyn Fn(usize) -> &'a [u8] + 'a> {
    Box::new(move |index| value(array, index))
}
