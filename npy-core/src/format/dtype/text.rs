//! Dtypes as NumPy prints them: `str(dtype)`, and the `dtype=` in the `repr` of an array.

use std::fmt::Write as _;

use super::{ByteOrder, DType, Field, Record, Scalar, ScalarKind, Title, push_repr};

/// The bytes of a pointer, which is what an object takes in NumPy's memory. In a file it takes
/// none.
const POINTER: usize = 8;

/// `str(dtype)`.
pub(crate) fn dtype_str(dtype: &DType) -> String {
    match dtype {
        DType::Scalar(scalar) => match name(*scalar) {
            Some(name) => name,
            None => scalar.to_string(),
        },
        dtype => argument(dtype, true),
    }
}

/// What `repr(dtype)` has between the parentheses. For `npy-cli`.
pub fn dtype_argument(dtype: &DType) -> String {
    argument(dtype, false)
}

/// The text behind `dtype=` in the `repr` of an array.
pub(crate) fn short_repr(dtype: &DType) -> String {
    let text = dtype_str(dtype);
    let is_word = text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric());
    if is_word || !matches!(dtype, DType::Scalar(_)) { text } else { format!("'{text}'") }
}

/// Whether the elements of an array tell its dtype, so that `repr` leaves it out.
pub(crate) fn is_implied(dtype: &DType) -> bool {
    let kinds = [ScalarKind::Int64, ScalarKind::Float64, ScalarKind::Complex128, ScalarKind::Bool];
    matches!(dtype, DType::Scalar(scalar) if is_native(*scalar) && kinds.contains(&scalar.kind()))
}

/// NumPy's name of a number, such as `float64`. `long double` has that of its size.
pub(crate) fn name_of_number(kind: ScalarKind) -> Option<&'static str> {
    Some(match kind {
        ScalarKind::Bool => "bool",
        ScalarKind::Int8 => "int8",
        ScalarKind::Int16 => "int16",
        ScalarKind::Int32 => "int32",
        ScalarKind::Int64 => "int64",
        ScalarKind::UInt8 => "uint8",
        ScalarKind::UInt16 => "uint16",
        ScalarKind::UInt32 => "uint32",
        ScalarKind::UInt64 => "uint64",
        ScalarKind::Float16 => "float16",
        ScalarKind::Float32 => "float32",
        ScalarKind::Float64 => "float64",
        ScalarKind::LongDouble { itemsize: 12 } => "float96",
        ScalarKind::LongDouble { .. } => "float128",
        ScalarKind::Complex64 => "complex64",
        ScalarKind::Complex128 => "complex128",
        ScalarKind::ComplexLongDouble { itemsize: 24 } => "complex192",
        ScalarKind::ComplexLongDouble { .. } => "complex256",
        _ => return None,
    })
}

fn is_native(scalar: Scalar) -> bool {
    scalar.byte_order().is_none_or(|order| order == ByteOrder::NATIVE)
}

/// `dtype.name` of what is not flexible and in the byte order of the machine.
fn name(scalar: Scalar) -> Option<String> {
    let unit = |name: &str| scalar.to_string().get(1..).and_then(|code| code.get(2..)).map(|unit| format!("{name}{unit}"));
    match scalar.kind() {
        _ if !is_native(scalar) => None,
        ScalarKind::Object => Some("object".to_owned()),
        ScalarKind::Datetime { .. } => unit("datetime64"),
        ScalarKind::Timedelta { .. } => unit("timedelta64"),
        kind => name_of_number(kind).map(str::to_owned),
    }
}

/// What NumPy would make the dtype of: numbers by their codes where `is_short`, else by their
/// names.
fn argument(dtype: &DType, is_short: bool) -> String {
    match dtype {
        DType::Scalar(scalar) => format!("'{}'", code(*scalar, is_short)),
        DType::SubArray(array) => format!("({}, {})", argument(array.base(), true), python_shape(array.shape())),
        DType::Record(record) if is_packed(record) => packed(record),
        DType::Record(record) => padded(record),
    }
}

fn code(scalar: Scalar, is_short: bool) -> String {
    let text = scalar.to_string();
    match scalar.kind() {
        ScalarKind::Bool if is_short => "?".to_owned(),
        ScalarKind::Bytes { length: 0 } => "S".to_owned(),
        ScalarKind::Unicode { length: 0 } => text.trim_end_matches('0').to_owned(),
        ScalarKind::Void { length: 0 } => "V".to_owned(),
        ScalarKind::Void { length } => format!("V{length}"),
        kind => match name_of_number(kind) {
            Some(name) if !is_short && is_native(scalar) => name.to_owned(),
            _ => text.trim_start_matches('|').to_owned(),
        },
    }
}

/// Whether the fields follow each other without a gap.
fn is_packed(record: &Record) -> bool {
    let mut end = 0;
    let follows = |field: &Field| {
        let begin = std::mem::replace(&mut end, field.offset().saturating_add(field.dtype().itemsize()));
        begin == field.offset()
    };
    record.fields().iter().all(follows) && end == record.itemsize()
}

/// A list of tuples.
fn packed(record: &Record) -> String {
    let item = |field: &Field| {
        let mut text = "(".to_owned();
        match field.title() {
            Some(title) => {
                text.push('(');
                push_title(title, &mut text);
                text.push_str(", ");
                push_repr(field.name(), &mut text);
                text.push(')');
            }
            None => push_repr(field.name(), &mut text),
        }
        // Writing to a `String` cannot fail.
        let _ = match field.dtype() {
            DType::SubArray(array) => write!(text, ", {}, {})", argument(array.base(), true), python_shape(array.shape())),
            dtype => write!(text, ", {})", argument(dtype, true)),
        };
        text
    };
    bracketed(record.fields().iter().map(item))
}

/// A dictionary of names, formats and offsets.
fn padded(record: &Record) -> String {
    let fields = record.fields();
    let name = |field: &Field| {
        let mut text = String::new();
        push_repr(field.name(), &mut text);
        text
    };
    // What the objects before a field take in memory.
    let mut pointers = 0_usize;
    let offset = |field: &Field| {
        let offset = field.offset().saturating_add(pointers);
        pointers = pointers.saturating_add(pointers_in(field.dtype()));
        offset.to_string()
    };
    let mut text = format!("{{'names': {}", bracketed(fields.iter().map(name)));
    let formats = bracketed(fields.iter().map(|field| argument(field.dtype(), true)));
    let offsets = bracketed(fields.iter().map(offset));
    // Writing to a `String` cannot fail.
    let _ = write!(text, ", 'formats': {formats}, 'offsets': {offsets}");
    if fields.iter().any(|field| field.title().is_some()) {
        let title = |field: &Field| {
            let mut text = String::new();
            match field.title() {
                Some(title) => push_title(title, &mut text),
                None => text.push_str("None"),
            }
            text
        };
        let _ = write!(text, ", 'titles': {}", bracketed(fields.iter().map(title)));
    }
    let _ = write!(text, ", 'itemsize': {}}}", record.itemsize().saturating_add(pointers));
    text
}

/// The bytes of all objects in an element, in memory.
fn pointers_in(dtype: &DType) -> usize {
    match dtype {
        DType::Scalar(scalar) if scalar.kind() == ScalarKind::Object => POINTER,
        DType::Scalar(_) => 0,
        DType::SubArray(array) => array.shape().iter().fold(pointers_in(array.base()), |size, &length| size.saturating_mul(length)),
        DType::Record(record) => record.fields().iter().fold(0, |size, field| size.saturating_add(pointers_in(field.dtype()))),
    }
}

fn push_title(title: &Title, text: &mut String) {
    match title {
        Title::Text(title) => push_repr(title, text),
        Title::Literal(literal) => text.push_str(literal),
    }
}

fn bracketed(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A shape as Python writes the tuple: `()`, `(3,)`, `(2, 3)`.
pub(crate) fn python_shape(shape: &[usize]) -> String {
    match shape {
        [length] => format!("({length},)"),
        lengths => format!("({})", lengths.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
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
