//! Dtypes in a few characters.

use npy_core::DType;

use crate::values::quantity;

/// A dtype in a few characters: a record by its size.
pub(crate) fn short_dtype(dtype: &DType) -> String {
    let (base, axes) = dtype.flattened();
    let text = match base {
        DType::Record(record) => {
            let [fields, bytes] = [(record.fields().len(), "field"), (record.itemsize(), "byte")]
                .map(|(count, noun)| quantity::counted(count as u64, noun));
            format!("record of {fields}, {bytes}")
        }
        base => base.to_string(),
    };
    if axes.is_empty() { text } else { format!("{text} {}", quantity::shape(&axes)) }
}
