//! The text of arrays of NumPy's subclasses.

use super::super::value::PyObject;
use super::super::value::subclass::{ArrayClass, Subclass, mask_size};
use super::values::{array_repr, built, elements_text, frame_of_repr, repr_of_dtype, scalar_text, text_of};
use crate::dynamic::DynValues;
use crate::error::tuple;
use crate::format::dtype::{ByteOrder, Class, DType, ScalarKind, dtype_str, push_bytes_repr, push_repr_of, short_repr};
use crate::format::scalar::Value;
use crate::options::Order;
use crate::print::PrintOptions;
use crate::print::format::{write_axes, write_record};
use crate::print::layout::{ByIndex, Frame, Selection, write_array};
use crate::print::stream::{Text, item};

/// NumPy's text for a masked value.
const MASKED: &str = "--";

impl Subclass {
    /// `repr` of an array or a scalar of that class.
    pub(super) fn repr(&self, options: &PrintOptions) -> String {
        match (&self.class, &self.base) {
            (ArrayClass::MaskedConstant, _) => "masked".to_owned(),
            (ArrayClass::MaskedElement, _) => MASKED.to_owned(),
            (ArrayClass::Masked { mask, is_void: true, .. }, base) => masked_elements(base, mask, Frame::plain(options), options),
            (ArrayClass::Masked { mask, fill_value, .. }, base) => masked_repr(base, mask, fill_value, options),
            (ArrayClass::Matrix, PyObject::Array(values)) => array_repr("matrix(", values, options),
            (ArrayClass::Matrix, PyObject::Objects(array)) => array.repr("matrix(", options),
            (ArrayClass::RecArray, PyObject::Array(values)) => {
                const PREFIX: &str = "rec.array(";
                let body = elements_text(values, frame_of_repr(PREFIX, options), options);
                let shape = if values.header().element_count() == 0 && values.shape() != [0] {
                    format!(", shape={}", tuple(values.shape()))
                } else {
                    String::new()
                };
                format!("{PREFIX}{body}{shape},\n{}dtype={})", " ".repeat(PREFIX.len()), dtype_str(values.dtype()))
            }
            (ArrayClass::RecArray, PyObject::Objects(array)) => array.repr("rec.array(", options),
            (ArrayClass::Record, base) => base.repr(options).replacen("np.void(", "np.record(", 1),
            (_, base) => base.repr(options),
        }
    }

    /// `str` of an array or a scalar of that class, if it differs from that of the base.
    pub(super) fn str(&self, options: &PrintOptions) -> Option<String> {
        match (&self.class, &self.base) {
            (ArrayClass::MaskedConstant | ArrayClass::MaskedElement, _) => Some(MASKED.to_owned()),
            (ArrayClass::Masked { mask, .. }, base) => Some(masked_elements(base, mask, Frame::plain(options), options)),
            _ => None,
        }
    }
}

/// `masked_array(data=…, mask=…, fill_value=…)`: on one line each, in a column if there is one row.
fn masked_repr(values: &PyObject, mask: &DynValues, fill_value: &PyObject, options: &PrintOptions) -> String {
    const PREFIX: &str = "masked_array(";
    let (dtype, shape) = match values {
        PyObject::Array(values) => (values.dtype(), values.shape()),
        PyObject::Objects(array) => (array.dtype(), array.shape()),
        other => return other.repr(options),
    };
    let rows = shape.split_last().map_or(&[][..], |(_, rows)| rows);
    let is_one_row = rows.iter().all(|length| *length == 1);
    let indent = |key: &str| match (is_one_row, key) {
        (true, "data") => PREFIX.to_owned(),
        (true, key) => " ".repeat((PREFIX.len() + "data".len()).saturating_sub(key.len()).max(2)),
        (false, _) => "  ".to_owned(),
    };
    let frame = |key: &str| frame_of_repr(&format!("{}{key}=", indent(key)), options);
    let is_all_masked = !mask.bytes().contains(&0);
    let mut parts = vec![
        ("data", masked_elements(values, mask, frame("data"), options)),
        ("mask", elements_text(mask, frame("mask"), options)),
        ("fill_value", fill_text(dtype, fill_value, options)),
    ];
    if is_all_masked || repr_of_dtype(dtype, mask.header().element_count()).is_some() {
        parts.push(("dtype", short_repr(dtype)));
    }
    let lines: Vec<String> = parts.into_iter().map(|(key, text)| format!("{}{key}={text}", indent(key))).collect();
    let first = if is_one_row { String::new() } else { format!("{PREFIX}\n") };
    format!("{first}{})", lines.join(",\n"))
}

fn fill_text(dtype: &DType, fill_value: &PyObject, options: &PrintOptions) -> String {
    let value = match fill_value {
        PyObject::Array(value) | PyObject::Scalar(value) if value.shape().is_empty() => value,
        PyObject::Objects(array) if array.shape().is_empty() => {
            return array.items().first().map_or_else(String::new, |item| item.repr(options));
        }
        PyObject::None => return default_fill(dtype),
        other => return other.repr(options),
    };
    let is_text = |dtype: &DType| match dtype {
        DType::Scalar(scalar) => matches!(scalar.kind(), ScalarKind::Bytes { .. } | ScalarKind::Unicode { .. }),
        _ => false,
    };
    if is_text(value.dtype()) && is_text(dtype) {
        python_repr(value.dtype(), value.bytes(), options)
    } else if value.dtype() == dtype {
        scalar_text(dtype, value.bytes(), options)
    } else {
        PyObject::Scalar(value.clone()).repr(options)
    }
}

/// NumPy's default fill value of a dtype.
fn default_fill(dtype: &DType) -> String {
    let scalar = match dtype {
        DType::Scalar(scalar) => scalar,
        DType::SubArray(array) => return default_fill(array.base()),
        DType::Record(record) => {
            let fields: Vec<String> = record.fields().iter().map(|field| default_fill(field.dtype())).collect();
            return format!("({}{})", fields.join(", "), if fields.len() == 1 { "," } else { "" });
        }
    };
    let is_native = scalar.byte_order().is_none_or(|order| order == ByteOrder::NATIVE);
    match (scalar.kind(), scalar.class()) {
        (ScalarKind::Void { .. }, _) => "np.bytes_(b'???')",
        (ScalarKind::Ml(_) | ScalarKind::Complex32, _) => "np.float64(1e+20)",
        (ScalarKind::Int64 | ScalarKind::UInt64, _) if is_native => "999999",
        (ScalarKind::Float64, _) if is_native => "1e+20",
        (ScalarKind::Complex128, _) if is_native => "(1e+20+0j)",
        (_, Class::Bool) => "True",
        (_, Class::Signed) => "np.int64(999999)",
        (_, Class::Unsigned) => "np.uint64(999999)",
        (_, Class::Float | Class::Void) => "np.float64(1e+20)",
        (_, Class::Complex) => "np.complex128(1e+20+0j)",
        (_, Class::Bytes) => "b'N/A'",
        (_, Class::Unicode) => "'N/A'",
        (_, Class::Object) => "np.str_('?')",
        (_, Class::Datetime | Class::Timedelta) => "NaT",
    }
    .to_owned()
}

/// The elements as Python objects, with `--` for masked ones.
fn masked_elements(base: &PyObject, mask: &DynValues, frame: Frame, options: &PrintOptions) -> String {
    let selection = Selection::new(mask.shape(), options);
    let mask_size = mask.dtype().itemsize();
    // Objects are in C order, values in that of the mask.
    let order = if matches!(base, PyObject::Objects(_)) { Order::C } else { mask.order() };
    let mut indices = Vec::new();
    selection.visit(mask.shape(), order, |index| indices.push(index));
    let write = |index: usize, out: &mut Text<'_>| {
        let index = indices.get(index).copied().unwrap_or(usize::MAX);
        match base {
            PyObject::Array(values) => {
                let value = item(values.bytes(), index, values.dtype().itemsize());
                write_masked(values.dtype(), value, item(mask.bytes(), index, mask_size), options, out);
            }
            PyObject::Objects(array) => {
                array.items().get(index).into_iter().for_each(|item| item.write_element(options, out));
            }
            _ => {}
        }
    };
    text_of(|out| write_array(&selection, frame, &mut ByIndex::nested(write), out))
}

/// Writes an element, with a bool of the mask for each value in it.
fn write_masked(dtype: &DType, bytes: &[u8], mask: &[u8], options: &PrintOptions, out: &mut Text<'_>) {
    match dtype {
        DType::Scalar(_) if mask.first() == Some(&1) => out.push_str(MASKED),
        DType::Scalar(scalar) => out.push_str(&python_repr(dtype, bytes.get(..scalar.itemsize()).unwrap_or_default(), options)),
        DType::SubArray(array) => {
            let (base, axes) = array.flattened();
            let size = mask_size(base);
            write_axes(&[axes.iter().product()], None, 0, out, &|index, out: &mut Text<'_>| {
                write_masked(base, item(bytes, index, base.itemsize()), item(mask, index, size), options, out);
            });
        }
        DType::Record(record) => {
            let offsets = record.fields().iter().scan(0, |end, field| {
                let offset = *end;
                *end += mask_size(field.dtype());
                Some((field, offset))
            });
            let fields: Vec<_> = offsets.collect();
            write_record(fields.len(), out, |index, out| {
                let Some((field, offset)) = fields.get(index) else { return };
                let bytes = bytes.get(field.offset()..).unwrap_or_default();
                write_masked(field.dtype(), bytes, mask.get(*offset..).unwrap_or_default(), options, out);
            });
        }
    }
}

/// `repr` of the Python object that NumPy converts a scalar to.
fn python_repr(dtype: &DType, bytes: &[u8], options: &PrintOptions) -> String {
    let DType::Scalar(scalar) = dtype else { return scalar_text(dtype, bytes, options) };
    let text = match (scalar.kind(), scalar.value(bytes)) {
        (ScalarKind::Float16 | ScalarKind::Float32, Some(Value::Float(value))) => Some(PyObject::Float(value).repr(options)),
        // With the digits of Python, whatever the options say.
        (ScalarKind::Float64, _) => Some(scalar_text(dtype, bytes, &PrintOptions::new())),
        (ScalarKind::Bytes { .. }, Some(Value::Bytes(bytes))) => Some(built(|text| push_bytes_repr(bytes, text))),
        (ScalarKind::Unicode { .. }, _) => Some(built(|text| push_repr_of(scalar.units(bytes), text))),
        _ => None,
    };
    text.unwrap_or_else(|| scalar_text(dtype, bytes, options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::ObjectArray;

    #[test]
    fn masked_arrays_in_masked_arrays_are_written_once() {
        let masked = |item: PyObject, _| {
            let mask = DynValues::from_slice(&[false]).unwrap();
            let class = ArrayClass::Masked { mask, fill_value: PyObject::None, is_void: false };
            PyObject::of_class(class, ObjectArray::from(vec![item]).into())
        };
        // Twice on each of 30 levels would never end.
        let nested = (0..30).fold(PyObject::from("x".repeat(1 << 16)), masked);
        let text = text_of(|out| nested.write_str(&PrintOptions::new(), out));
        // The size is NumPy's.
        assert_eq!((text.chars().count(), text.lines().count()), (2_000_855, 88));
    }
}
