//! Shorthands for arrays and batches.

use npy_arrow::Error;
use npy_arrow::arrow_array::{Array, RecordBatch};
use npy_arrow::arrow_schema::ArrowError;
use npy_core::dtype::{ScalarKind, TimeUnit};
use npy_core::{DType, DynValues, Order};

/// An array of one dimension.
pub fn values(dtype: &str, rows: usize, bytes: &[u8]) -> DynValues {
    DynValues::new(dtype.parse().unwrap(), Order::C, &[rows], bytes.to_vec()).unwrap()
}

/// The file of an array.
pub fn file_of(values: &DynValues) -> Vec<u8> {
    let mut file = Vec::new();
    values.write(&mut file).unwrap();
    file
}

/// The error of this crate in one of Arrow.
pub fn own(error: ArrowError) -> Error {
    let ArrowError::ExternalError(error) = error else { panic!("{error}") };
    *error.downcast().unwrap()
}

/// The columns of a batch, as `name: type` each.
pub fn columns(batch: &RecordBatch) -> Vec<String> {
    let schema = batch.schema();
    schema.fields().iter().map(|field| format!("{}: {}", field.name(), field.data_type())).collect()
}

/// Where the memory of the values of a column begins, below all lists.
pub fn memory(array: &dyn Array) -> *const u8 {
    let mut data = array.to_data();
    while let [child] = data.child_data() {
        data = child.clone();
    }
    data.buffers()[0].as_ptr()
}

/// The same array with only values that Arrow has, and with padding of zeros.
pub fn sanitized(values: &DynValues) -> DynValues {
    let (dtype, itemsize) = (values.dtype(), values.dtype().itemsize());
    let mut bytes = vec![0; values.bytes().len()];
    for (from, to) in values.bytes().chunks_exact(itemsize.max(1)).zip(bytes.chunks_exact_mut(itemsize.max(1))) {
        sanitize(dtype, from, to);
    }
    DynValues::new(dtype.clone(), values.order(), values.shape(), bytes).unwrap()
}

fn sanitize(dtype: &DType, from: &[u8], to: &mut [u8]) {
    match dtype {
        DType::Record(record) => {
            for field in record.fields() {
                let range = field.offset()..field.offset() + field.dtype().itemsize();
                sanitize(field.dtype(), &from[range.clone()], &mut to[range]);
            }
        }
        DType::SubArray(array) => {
            let width = array.base().itemsize().max(1);
            for (from, to) in from.chunks_exact(width).zip(to.chunks_exact_mut(width)) {
                sanitize(array.base(), from, to);
            }
        }
        DType::Scalar(scalar) => {
            to.copy_from_slice(from);
            let is_big = scalar.byte_order() == Some(npy_core::dtype::ByteOrder::Big);
            match scalar.kind() {
                ScalarKind::Bool => to[0] &= 1,
                ScalarKind::Unicode { .. } => {
                    for unit in to.chunks_exact_mut(4) {
                        let array: [u8; 4] = (&*unit).try_into().unwrap();
                        let code = if is_big { u32::from_be_bytes(array) } else { u32::from_le_bytes(array) };
                        if char::from_u32(code).is_none() {
                            unit.copy_from_slice(&if is_big { 65_u32.to_be_bytes() } else { 65_u32.to_le_bytes() });
                        }
                    }
                }
                ScalarKind::Datetime { unit: TimeUnit::Day, count: 1 } => {
                    let array: [u8; 8] = (&*to).try_into().unwrap();
                    let days = if is_big { i64::from_be_bytes(array) } else { i64::from_le_bytes(array) };
                    let days = if days == i64::MIN { days } else { days % 1_000_000_000 };
                    to.copy_from_slice(&if is_big { days.to_be_bytes() } else { days.to_le_bytes() });
                }
                // Steps of any length, and years of any number of days.
                ScalarKind::Datetime { count, .. } | ScalarKind::Timedelta { count, .. } => {
                    let array: [u8; 8] = (&*to).try_into().unwrap();
                    let time = if is_big { i64::from_be_bytes(array) } else { i64::from_le_bytes(array) };
                    let time = if time == i64::MIN { time } else { time % (100_000_000 / i64::from(count)).max(1) };
                    to.copy_from_slice(&if is_big { time.to_be_bytes() } else { time.to_le_bytes() });
                }
                _ => {}
            }
        }
    }
}

/// The path of the first field without an Arrow type.
pub fn without_type(dtype: &DType, path: &str) -> Option<String> {
    match dtype {
        DType::Record(record) => record.fields().iter().find_map(|field| {
            let path = if path.is_empty() { field.name().to_owned() } else { format!("{path}.{}", field.name()) };
            without_type(field.dtype(), &path)
        }),
        DType::SubArray(array) => without_type(array.base(), path),
        DType::Scalar(scalar) => {
            let has_none = matches!(scalar.kind(), ScalarKind::LongDouble { .. } | ScalarKind::ComplexLongDouble { .. });
            has_none.then(|| path.to_owned())
        }
    }
}
