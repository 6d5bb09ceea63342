//! Fields by their path: names joined by dots.

use super::{DType, Field};

/// The innermost field that the beginning of the name leads to, and how much of the name that is.
pub(crate) fn led_to<'d>(name: &str, dtype: &'d DType) -> Option<(usize, &'d DType)> {
    let DType::Record(record) = dtype else { return None };
    name.match_indices('.').find_map(|(dot, _)| {
        let outer = record.field(&name[..dot])?;
        let inner = led_to(&name[dot + 1..], outer.dtype());
        Some(inner.map_or((dot, outer.dtype()), |(length, dtype)| (dot + 1 + length, dtype)))
    })
}

/// The field of that name, and where it begins. Names may have dots in them, so a whole name comes
/// before one that is taken apart.
pub(crate) fn lookup<'d>(name: &str, dtype: &'d DType) -> Option<(usize, &'d Field)> {
    let DType::Record(record) = dtype else { return None };
    if let Some(field) = record.field(name) {
        return Some((field.offset(), field));
    }
    name.match_indices('.').find_map(|(dot, _)| {
        let outer = record.field(&name[..dot])?;
        let (offset, field) = lookup(&name[dot + 1..], outer.dtype())?;
        Some((outer.offset() + offset, field))
    })
}
