//! Fields by their path: names joined by dots.

use super::{DType, Field, Record};

/// The innermost field that the beginning of the name leads to, and how much of the name that is.
pub(crate) fn led_to<'d>(name: &str, dtype: &'d DType) -> Option<(usize, &'d DType)> {
    let DType::Record(record) = dtype else { return None };
    name.rmatch_indices('.').find_map(|(dot, _)| {
        let outer = record.field(&name[..dot])?;
        let inner = led_to(&name[dot + 1..], outer.dtype());
        Some(inner.map_or((dot, outer.dtype()), |(length, dtype)| (dot + 1 + length, dtype)))
    })
}

/// A field, and where its values are in an element.
pub(crate) struct Located<'d> {
    pub(crate) field: &'d Field,
    /// The offset of the first value.
    pub(crate) offset: usize,
    /// The length and the stride of each axis of the sub-arrays around it, the outermost first.
    pub(crate) axes: Vec<(usize, usize)>,
}

impl DType {
    /// Returns the fields that a path leads through, the outermost first; `None` if there is none.
    ///
    /// A path is names joined by dots. It leads through sub-arrays of records. Names may have dots in
    /// them: the longest name that leads to a field comes first.
    ///
    /// ```
    /// # use npy_core::DType;
    /// let dtype: DType = "[('id', '<i4'), ('n', [('v', '<f8'), ('x.y', '|u1')], (3,))]".parse()?;
    /// let names = |path| Some(dtype.field_path(path)?.iter().map(|field| field.name()).collect::<Vec<_>>());
    /// assert_eq!(names("n.v"), Some(vec!["n", "v"]));
    /// assert_eq!(names("n.x.y"), Some(vec!["n", "x.y"]));
    /// assert_eq!(names("n.w"), None);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn field_path(&self, path: &str) -> Option<Vec<&Field>> {
        let (record, _) = records(self)?;
        if let Some(field) = record.field(path) {
            return Some(vec![field]);
        }
        path.rmatch_indices('.').find_map(|(dot, _)| {
            let field = record.field(&path[..dot])?;
            let mut fields = field.dtype().field_path(&path[dot + 1..])?;
            fields.insert(0, field);
            Some(fields)
        })
    }
}

/// The field that a path leads to.
pub(crate) fn lookup<'d>(path: &str, mut dtype: &'d DType) -> Option<Located<'d>> {
    let fields = dtype.field_path(path)?;
    let (mut offset, mut axes) = (0, Vec::new());
    for field in &fields {
        axes.extend(records(dtype)?.1);
        offset += field.offset();
        dtype = field.dtype();
    }
    Some(Located { field: fields.last()?, offset, axes })
}

/// The record below all sub-arrays, and the length and the stride of each of their axes.
pub(crate) fn records(dtype: &DType) -> Option<(&Record, Vec<(usize, usize)>)> {
    let (base, lengths) = match dtype {
        DType::SubArray(array) => array.flattened(),
        dtype => (dtype, Vec::new()),
    };
    let DType::Record(record) = base else { return None };
    let mut stride = record.itemsize();
    let mut axes: Vec<_> = lengths.into_iter().map(|length| (length, 0)).collect();
    for (length, own) in axes.iter_mut().rev() {
        *own = stride;
        stride = stride.saturating_mul(*length);
    }
    Some((record, axes))
}

#[cfg(test)]
mod tests {
    use super::{led_to, lookup};
    use crate::format::dtype::DType;

    #[test]
    fn paths_lead_through_records() {
        let dtype: DType = "[('a', [('b', '<f8'), ('c.d', [('e', '<i2'), ('f', '|u1')])]), ('a.b', '<f4')]".parse().unwrap();
        let found = |name: &str| lookup(name, &dtype).map(|found| (found.offset, found.field.dtype().to_string()));
        assert_eq!(found("a.b"), Some((11, "<f4".to_owned())), "a whole name comes first");
        assert_eq!(found("a.b.c"), None);
        assert_eq!(found("a.c.d.f"), Some((10, "|u1".to_owned())));
        assert_eq!(found("a.c.d.g"), None);
        let led = |name: &str| led_to(name, &dtype).map(|(length, dtype)| (name[..length].to_owned(), dtype.itemsize()));
        assert_eq!(led("a.x"), Some(("a".to_owned(), 11)));
        assert_eq!(led("a.c.d.x"), Some(("a.c.d".to_owned(), 3)));
        assert_eq!(led("a.b.x"), Some(("a.b".to_owned(), 4)));
        assert_eq!(led("x.a"), None);
    }
    #[test]
    fn the_longest_name_that_leads_to_a_field_comes_first() {
        let inner = "[('b.c', '|i1'), ('b', [('d', '|i2')])]";
        let dtype: DType = format!("[('a', {inner}), ('a.b', [('c', '<f4')])]").parse().unwrap();
        let names = |path: &str| dtype.field_path(path).map(|fields| fields.iter().map(|field| field.name()).collect::<Vec<_>>());
        assert_eq!(names("a.b.c"), Some(vec!["a.b", "c"]));
        assert_eq!(names("a.b.d"), Some(vec!["a", "b", "d"]), "a name that leads to no field is skipped");
        assert_eq!((names("a.b.x"), names("a.b.c.x"), names("")), (None, None, None));
    }

    #[test]
    fn paths_lead_through_sub_arrays_of_records() {
        let inner = "[('w', '|u1'), ('v', '<f4', (2,)), ('x.y', '|u1')]";
        let dtype: DType = format!("[('id', '<u2'), ('n', [('m', {inner}, (2,))], (3, 4))]").parse().unwrap();
        let found = |name: &str| lookup(name, &dtype).map(|found| (found.offset, found.axes));
        assert_eq!(found("n"), Some((2, vec![])));
        assert_eq!(found("n.m"), Some((2, vec![(3, 80), (4, 20)])));
        assert_eq!(found("n.m.v"), Some((3, vec![(3, 80), (4, 20), (2, 10)])));
        assert_eq!(found("n.m.x.y"), Some((11, vec![(3, 80), (4, 20), (2, 10)])));
        assert_eq!((found("n.v"), found("id.x")), (None, None));
    }
}
