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

#[cfg(test)]
mod tests {
    use super::{led_to, lookup};
    use crate::format::dtype::DType;

    #[test]
    fn paths_lead_through_records() {
        let dtype: DType = "[('a', [('b', '<f8'), ('c.d', [('e', '<i2'), ('f', '|u1')])]), ('a.b', '<f4')]".parse().unwrap();
        let found = |name: &str| lookup(name, &dtype).map(|(offset, field)| (offset, field.dtype().to_string()));
        assert_eq!(found("a.b"), Some((11, "<f4".to_owned())), "a whole name comes first");
        assert_eq!(found("a.c.d.f"), Some((10, "|u1".to_owned())));
        assert_eq!(found("a.c.d.g"), None);
        let led = |name: &str| led_to(name, &dtype).map(|(length, dtype)| (name[..length].to_owned(), dtype.itemsize()));
        assert_eq!(led("a.x"), Some(("a".to_owned(), 11)));
        assert_eq!(led("a.c.d.x"), Some(("a.c.d".to_owned(), 3)));
        assert_eq!(led("a.b.x"), Some(("a.b".to_owned(), 8)));
        assert_eq!(led("x.a"), None);
    }
}
