//! Dtypes as Zarr spells them: NumPy's descr, in JSON.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::document::push_json;
use crate::error::{Error, ErrorKind, Result};
use crate::format::dtype::{DType, Record, Scalar, ScalarKind};

/// The dtype of an array.
pub(super) fn to_json(dtype: &DType) -> Result<String> {
    let mut json = String::new();
    match dtype {
        // As an element NumPy has none either.
        DType::SubArray(_) => return Err(unsupported("", dtype)),
        _ => push(dtype, "", &mut json)?,
    }
    Ok(json)
}

fn push(dtype: &DType, path: &str, json: &mut String) -> Result<()> {
    match dtype {
        DType::Scalar(scalar) if is_known(*scalar) => push_json(&scalar.to_string(), json),
        DType::Record(record) if !record.fields().is_empty() => push_record(record, path, json)?,
        DType::SubArray(array) if array.itemsize() > 0 => push(array.flattened().0, path, json)?,
        _ => return Err(unsupported(path, dtype)),
    }
    Ok(())
}

fn is_known(scalar: Scalar) -> bool {
    match scalar.kind() {
        ScalarKind::Object
        | ScalarKind::Float8E5M2
        | ScalarKind::Ml(_)
        | ScalarKind::Complex32
        | ScalarKind::LongDouble { .. }
        | ScalarKind::ComplexLongDouble { .. } => false,
        // With a byte order it is a type of `ml_dtypes`, whose values readers would lose.
        ScalarKind::Void { .. } if scalar.byte_order().is_some() => false,
        _ => scalar.itemsize() > 0,
    }
}

/// A list of `[name, dtype]` or `[name, dtype, shape]`, padding included.
fn push_record(record: &Record, path: &str, json: &mut String) -> Result<()> {
    let mut names: HashSet<String> = record.fields().iter().map(|field| field.name().to_owned()).collect();
    let mut end = 0;
    let mut pad = |begin: usize, end: usize, json: &mut String| {
        if begin < end {
            let mut name = format!("pad{begin}");
            while !names.insert(name.clone()) {
                name.push('_');
            }
            json.push('[');
            push_json(&name, json);
            let _ = write!(json, ",\"|V{}\"],", end - begin);
        }
    };
    json.push('[');
    for field in record.fields() {
        pad(end, field.offset(), json);
        end = field.offset() + field.dtype().itemsize();
        let path = if path.is_empty() { field.name().to_owned() } else { format!("{path}.{}", field.name()) };
        json.push('[');
        push_json(field.name(), json);
        json.push(',');
        push(field.dtype(), &path, json)?;
        if let DType::SubArray(array) = field.dtype() {
            let axes: Vec<String> = array.flattened().1.iter().map(usize::to_string).collect();
            let _ = write!(json, ",[{}]", axes.join(","));
        }
        json.push_str("],");
    }
    pad(end, record.itemsize(), json);
    json.pop();
    json.push(']');
    Ok(())
}

#[cold]
fn unsupported(field: &str, dtype: &DType) -> Error {
    let of_field = if field.is_empty() { String::new() } else { format!(" of field {field:?}") };
    Error::new(ErrorKind::Unstorable, format!("unsupported dtype {dtype}{of_field}: Zarr has no such dtype"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(dtype: &str) -> String {
        to_json(&dtype.parse().unwrap()).unwrap()
    }

    #[test]
    fn spells_dtypes_as_lists() {
        assert_eq!(json("<M8[25us]"), r#""<M8[25us]""#);
        assert_eq!(json("[('x', '>f4'), ('pose', [('xyz', '<f8', (2, 3))])]"), r#"[["x",">f4"],["pose",[["xyz","<f8",[2,3]]]]]"#);
        assert_eq!(json("[('a\"', '<U2'), (('title', 'b'), '|b1')]"), r#"[["a\"","<U2"],["b","|b1"]]"#);
    }

    #[test]
    fn names_padding_unlike_the_fields() {
        let padded = "{'names': ['pad1', 'x'], 'formats': ['u1', '<f8'], 'offsets': [0, 8], 'itemsize': 24}";
        assert_eq!(json(padded), r#"[["pad1","|u1"],["pad1_","|V7"],["x","<f8"],["pad16","|V8"]]"#);
    }

    #[test]
    fn refuses_what_zarr_has_not_by_its_field() {
        let cases = [
            ("O", "unsupported dtype |O: "),
            ("<f16", "unsupported dtype <f16: "),
            ("|S0", "unsupported dtype |S0: "),
            ("('<f4', (2,))", "unsupported dtype ('<f4', (2,)): "),
            ("[('a', [('b', '<c32', (2,))])]", "unsupported dtype <c32 of field \"a.b\": "),
            ("[('a', '<f8', (0,))]", "unsupported dtype ('<f8', (0,)) of field \"a\": "),
            ("[]", "unsupported dtype []: "),
        ];
        for (dtype, message) in cases {
            let error = to_json(&dtype.parse().unwrap()).unwrap_err().to_string();
            assert!(error.starts_with(message), "{dtype}: {error}");
        }
        let bfloat16 = Scalar::void_with_byte_order(2, crate::format::dtype::ByteOrder::Little);
        assert!(to_json(&bfloat16.into()).is_err());
    }
}
