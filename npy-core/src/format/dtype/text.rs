//! Dtypes as NumPy prints them: `str(dtype)`, and the `dtype=` in the `repr` of an array.

use super::align::object_bytes;
use super::scalar::{ByteOrder, Scalar, ScalarKind};
use super::tree::{DType, Field, Record};
use super::write::{Style, name_literal, title_literal};

/// The style of `str`. `repr` differs only for a scalar.
const PRINTED: Style = Style { push_code, push_padded: Some(push_dict) };

fn printed(dtype: &DType) -> String {
    let mut text = Vec::new();
    PRINTED.push(dtype, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Returns `str(dtype)`.
pub(crate) fn dtype_str(dtype: &DType) -> String {
    match dtype {
        DType::Scalar(scalar) => name(*scalar).unwrap_or_else(|| scalar.to_string()),
        dtype => printed(dtype),
    }
}

impl DType {
    /// Returns the dtype as `repr` of NumPy writes it.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[('x', '<f4'), ('id', '|u1')]".parse()?;
    /// assert_eq!(dtype.repr(), "dtype([('x', '<f4'), ('id', 'u1')])");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn repr(&self) -> String {
        format!("dtype({})", dtype_argument(self))
    }
}

/// Returns the text between the parentheses of `repr(dtype)`.
fn dtype_argument(dtype: &DType) -> String {
    match dtype {
        DType::Scalar(scalar) if is_native(*scalar) && scalar.time_unit().is_none() && scalar.kind() != ScalarKind::Object => {
            name(*scalar).map_or_else(|| printed(dtype), |name| format!("'{name}'"))
        }
        dtype => printed(dtype),
    }
}

/// Returns the text behind `dtype=` in the `repr` of an array.
pub(crate) fn short_repr(dtype: &DType) -> String {
    let text = dtype_str(dtype);
    let is_word = text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric());
    if is_word || !matches!(dtype, DType::Scalar(_)) { text } else { format!("'{text}'") }
}

/// Returns whether the elements of an array tell its dtype, so that `repr` leaves it out.
pub(crate) fn is_implied(dtype: &DType) -> bool {
    let kinds = [ScalarKind::Int64, ScalarKind::Float64, ScalarKind::Complex128, ScalarKind::Bool];
    matches!(dtype, DType::Scalar(scalar) if is_native(*scalar) && kinds.contains(&scalar.kind()))
}

fn is_native(scalar: Scalar) -> bool {
    scalar.byte_order().is_none_or(|order| order == ByteOrder::NATIVE)
}

/// Returns `dtype.name`; `None` for text, raw bytes, and foreign byte orders.
fn name(scalar: Scalar) -> Option<String> {
    let unit = |name: &str| scalar.to_string().get(3..).map(|unit| format!("{name}{unit}"));
    match scalar.kind() {
        _ if !is_native(scalar) => None,
        ScalarKind::Object => Some("object".to_owned()),
        ScalarKind::Datetime { .. } => unit("datetime64"),
        ScalarKind::Timedelta { .. } => unit("timedelta64"),
        _ => scalar.number_name(),
    }
}

fn push_code(scalar: Scalar, out: &mut Vec<u8>) {
    let text = scalar.to_string();
    out.extend_from_slice(match scalar.kind() {
        ScalarKind::Bool => b"?",
        ScalarKind::Bytes { length: 0 } => b"S",
        ScalarKind::Unicode { length: 0 } => text.trim_end_matches('0').as_bytes(),
        ScalarKind::Void { length: 0 } => b"V",
        ScalarKind::Void { .. } => &text.as_bytes()[1..],
        _ => text.trim_start_matches('|').as_bytes(),
    });
}

/// Appends a record as a dict of names, formats and offsets.
fn push_dict(record: &Record, out: &mut Vec<u8>) {
    let fields = record.fields();
    let list = |item: &mut dyn FnMut(&Field) -> String| format!("[{}]", fields.iter().map(item).collect::<Vec<_>>().join(", "));
    // The size of the pointers before a field in memory.
    let mut pointers = 0_usize;
    let names = list(&mut name_literal);
    let formats = list(&mut |field| printed(field.dtype()));
    let offsets = list(&mut |field| {
        let offset = field.offset().saturating_add(pointers);
        pointers = pointers.saturating_add(object_bytes(field.dtype()));
        offset.to_string()
    });
    let titles = if fields.iter().any(|field| field.title().is_some()) {
        format!(", 'titles': {}", list(&mut |field| field.title().map_or_else(|| "None".to_owned(), title_literal)))
    } else {
        String::new()
    };
    let itemsize = record.itemsize().saturating_add(pointers);
    let text = format!("{{'names': {names}, 'formats': {formats}, 'offsets': {offsets}{titles}, 'itemsize': {itemsize}}}");
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{dtype_argument, dtype_str, short_repr};

    // The native byte order is not printed.
    #[cfg(target_endian = "little")]
    #[test]
    fn prints_dtypes_as_numpy() {
        let cases = [
            ("<f4", "float32", "'float32'", "float32"),
            (">f4", ">f4", "'>f4'", "'>f4'"),
            ("|b1", "bool", "'bool'", "bool"),
            ("<f16", "float128", "'float128'", "float128"),
            ("|S3", "|S3", "'S3'", "'|S3'"),
            ("|S0", "|S0", "'S'", "'|S0'"),
            ("<U0", "<U0", "'<U'", "'<U0'"),
            ("|V3", "|V3", "'V3'", "'|V3'"),
            ("|O", "object", "'O'", "object"),
            ("<M8", "datetime64", "'<M8'", "datetime64"),
            ("<M8[25s]", "datetime64[25s]", "'<M8[25s]'", "'datetime64[25s]'"),
            ("<m8[ns]", "timedelta64[ns]", "'<m8[ns]'", "'timedelta64[ns]'"),
        ];
        for (descr, str, argument, short) in cases {
            let dtype = descr.parse().unwrap();
            assert_eq!(
                (dtype_str(&dtype), dtype_argument(&dtype), short_repr(&dtype)),
                (str.into(), argument.into(), short.into())
            );
        }
        let records = [
            "[(('t', 'a'), '<f4', (2,)), ('b', '|b1')]",
            "[('x', [('y', '|O')]), ('z', '|i1', (2, 3))]",
            "[('a', '|i1'), ('', '|V7'), ('b', '|O'), ('', '|V2'), ('c', '<f8'), ('', '|V6')]",
        ];
        let printed = records.map(|descr| dtype_str(&descr.parse().unwrap()));
        assert_eq!(
            printed,
            [
                "[(('t', 'a'), '<f4', (2,)), ('b', '?')]",
                "[('x', [('y', 'O')]), ('z', 'i1', (2, 3))]",
                "{'names': ['a', 'b', 'c'], 'formats': ['i1', 'O', '<f8'], 'offsets': [0, 8, 18], 'itemsize': 32}",
            ]
        );
    }
}
