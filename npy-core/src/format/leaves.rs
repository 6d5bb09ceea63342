//! The scalars and the fields of a dtype at any depth, and where their values are in an element.
//!
//! The only walk over a dtype, except those for its text and its layout.

use std::ops::{Deref, Range};

use super::dtype::{DType, Field, Record, Scalar};

/// A field at any depth of a record, and its [`Position`].
///
/// See [`DType::field`] for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldAt<'d> {
    field: &'d Field,
    position: Position<'d>,
}

/// A scalar that the elements of a dtype consist of, and its [`Position`].
///
/// See [`DType::leaves`] for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf<'d> {
    scalar: Scalar,
    position: Position<'d>,
}

/// The position of a field or of a scalar in an element: the fields that lead to it, its offset, and the axes around it.
///
/// The axes are those of sub-arrays: of a [`FieldAt`] those of the records around it, of a [`Leaf`] those of its own dtype too.
///
/// See [`DType::leaves`] for an example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position<'d> {
    fields: Vec<&'d Field>,
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
    /// Of one value.
    bytes: usize,
}

impl DType {
    /// Returns the scalars of an element, in the order of their offsets.
    ///
    /// A field in a sub-array of records is one leaf, with a shape and strides. A dtype without fields is one leaf, whose path is empty.
    ///
    /// ```
    /// # use npy_core::DType;
    /// let dtype: DType = "[('id', '<u4'), ('points', [('x', '<f8'), ('rgb', '|u1', (3,))], (2,))]".parse()?;
    /// let leaves = dtype.leaves();
    /// let texts = leaves.iter().map(|leaf| format!("{} {} {:?} at {}", leaf.path(), leaf.scalar(), leaf.shape(), leaf.offset()));
    /// assert_eq!(
    ///     texts.collect::<Vec<_>>(),
    ///     ["id <u4 [] at 0", "points.x <f8 [2] at 4", "points.rgb |u1 [2, 3] at 12"],
    /// );
    ///
    /// // The bytes of all colours in an element.
    /// assert_eq!(leaves[2].runs().collect::<Vec<_>>(), [12..15, 23..26]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn leaves(&self) -> Vec<Leaf<'_>> {
        let mut leaves = Vec::new();
        add_leaves(self, Position::default(), &mut leaves);
        leaves
    }

    /// Returns the field that a path leads to, or `None` if there is none.
    ///
    /// A path is the names of fields joined by dots. It leads through sub-arrays of records. Names may
    /// have dots in them: the longest name that leads to a field comes first.
    ///
    /// ```
    /// # use npy_core::DType;
    /// let dtype: DType = "[('id', '<i4'), ('n', [('v', '<f8'), ('x.y', '|u1')], (3,))]".parse()?;
    /// let field = dtype.field("n.x.y").unwrap();
    /// assert_eq!((field.dtype().to_string().as_str(), field.offset()), ("|u1", 12));
    /// assert_eq!((field.shape(), field.strides()), (&[3][..], &[9][..])); // of the records around it
    /// assert_eq!(field.fields().len(), 2);
    /// assert_eq!(dtype.field("n.w"), None);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn field(&self, path: &str) -> Option<FieldAt<'_>> {
        let mut position = Position::default();
        let mut dtype = self;
        let fields = led_through(self, path)?;
        let last = *fields.last()?;
        for field in fields {
            position = position.below(dtype).1.in_field(field);
            dtype = field.dtype();
        }
        Some(FieldAt::new(last, position))
    }

    /// Returns the columns of a table: the fields at any depth that are not records.
    ///
    /// A sub-array is one column, even of records; [`leaves`](Self::leaves) looks into it. A dtype
    /// without fields has no columns.
    pub fn columns(&self) -> Vec<FieldAt<'_>> {
        let mut columns = Vec::new();
        if let Self::Record(record) = self {
            add_columns(record, &Position::default(), &mut columns);
        }
        columns
    }

    /// Returns the fields around the last name of a path, with the paths to them; the longest path first.
    ///
    /// Of `pose.z`, that is `pose`, whether it has a field `z` or not.
    pub fn fields_before<'a>(&'a self, path: &'a str) -> impl Iterator<Item = (&'a str, FieldAt<'a>)> {
        path.rmatch_indices('.').filter_map(|(dot, _)| Some((&path[..dot], self.field(&path[..dot])?)))
    }
}

fn add_leaves<'d>(dtype: &'d DType, position: Position<'d>, leaves: &mut Vec<Leaf<'d>>) {
    match position.below(dtype) {
        (DType::Record(record), position) => {
            record.fields().iter().for_each(|field| add_leaves(field.dtype(), position.clone().in_field(field), leaves));
        }
        (DType::Scalar(scalar), position) => {
            leaves.push(Leaf { scalar: *scalar, position: Position { bytes: scalar.itemsize(), ..position } });
        }
        (DType::SubArray(_), _) => {}
    }
}

fn add_columns<'d>(record: &'d Record, position: &Position<'d>, columns: &mut Vec<FieldAt<'d>>) {
    for field in record.fields() {
        let position = position.clone().in_field(field);
        match field.dtype() {
            DType::Record(record) => add_columns(record, &position, columns),
            _ => columns.push(FieldAt::new(field, position)),
        }
    }
}

/// Returns the fields along a path, the outermost first.
fn led_through<'d>(dtype: &'d DType, path: &str) -> Option<Vec<&'d Field>> {
    let record = dtype.record()?;
    if let Some(field) = record.field(path) {
        return Some(vec![field]);
    }
    path.rmatch_indices('.').find_map(|(dot, _)| {
        let field = record.field(&path[..dot])?;
        let mut fields = led_through(field.dtype(), &path[dot + 1..])?;
        fields.insert(0, field);
        Some(fields)
    })
}

impl<'d> Position<'d> {
    fn in_field(mut self, field: &'d Field) -> Self {
        self.fields.push(field);
        self.offset = self.offset.saturating_add(field.offset());
        self
    }

    /// Skips the sub-arrays of a dtype, and appends their axes.
    fn below(mut self, dtype: &'d DType) -> (&'d DType, Self) {
        let (base, axes) = dtype.flattened();
        let mut stride = base.itemsize();
        let mut strides = Vec::with_capacity(axes.len());
        for length in axes.iter().rev() {
            strides.push(stride);
            stride = stride.saturating_mul(*length);
        }
        self.strides.extend(strides.into_iter().rev());
        self.shape.extend(axes);
        (base, self)
    }

    /// Returns the fields that lead here, the outermost first; none if the elements have no fields.
    ///
    /// The last one is the field itself.
    pub fn fields(&self) -> &[&'d Field] {
        &self.fields
    }

    /// Returns the names of [`fields`](Self::fields), joined by dots.
    pub fn path(&self) -> String {
        self.fields.iter().map(|field| field.name()).collect::<Vec<_>>().join(".")
    }

    /// Returns the offset of the first value from the beginning of the element, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the lengths of the axes of the sub-arrays around a value, the outermost first.
    ///
    /// They follow the axes of the array.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the distances, in bytes, from one value to the next along each axis of [`shape`](Self::shape).
    pub fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// Returns how many values an element has: the product of [`shape`](Self::shape).
    pub fn count(&self) -> usize {
        self.shape.iter().fold(1, |count, length| count.saturating_mul(*length))
    }

    /// Returns the ranges of bytes of the values in an element, in C order of [`shape`](Self::shape).
    ///
    /// Values that follow each other without a gap are one range. Where an axis has length 0, there is no
    /// range, or an empty one.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + Clone + '_ {
        let (mut axes, mut bytes) = (self.shape.len(), self.bytes);
        while axes > 0 && self.strides[axes - 1] == bytes {
            axes -= 1;
            bytes = bytes.saturating_mul(self.shape[axes]);
        }
        let (shape, strides) = (&self.shape[..axes], &self.strides[..axes]);
        let count = shape.iter().fold(1_usize, |count, length| count.saturating_mul(*length));
        (0..count).map(move |mut index| {
            let mut offset = self.offset;
            for (length, stride) in shape.iter().zip(strides).rev() {
                offset = offset.saturating_add(index % length * stride);
                index /= length;
            }
            offset..offset.saturating_add(bytes)
        })
    }
}

impl<'d> FieldAt<'d> {
    fn new(field: &'d Field, position: Position<'d>) -> Self {
        Self { field, position: Position { bytes: field.dtype().itemsize(), ..position } }
    }

    /// Returns the field itself.
    pub fn field(&self) -> &'d Field {
        self.field
    }

    /// Returns the dtype of the field.
    pub fn dtype(&self) -> &'d DType {
        self.field.dtype()
    }

    /// Returns the scalars of the field, in the order of their offsets.
    ///
    /// See [`DType::leaves`], whose leaves these are a part of.
    pub fn leaves(&self) -> Vec<Leaf<'d>> {
        let mut leaves = Vec::new();
        add_leaves(self.dtype(), self.position.clone(), &mut leaves);
        leaves
    }
}

impl Leaf<'_> {
    /// Returns the scalar.
    pub fn scalar(&self) -> Scalar {
        self.scalar
    }
}

impl<'d> Deref for FieldAt<'d> {
    type Target = Position<'d>;

    fn deref(&self) -> &Position<'d> {
        &self.position
    }
}

impl<'d> Deref for Leaf<'d> {
    type Target = Position<'d>;

    fn deref(&self) -> &Position<'d> {
        &self.position
    }
}

#[cfg(test)]
mod tests {
    use crate::format::dtype::DType;

    #[test]
    fn paths_lead_through_records() {
        let dtype: DType = "[('a', [('b', '<f8'), ('c.d', [('e', '<i2'), ('f', '|u1')])]), ('a.b', '<f4')]".parse().unwrap();
        let found = |path: &str| dtype.field(path).map(|field| (field.offset(), field.dtype().to_string()));
        assert_eq!(found("a.b"), Some((11, "<f4".to_owned())), "a whole name comes first");
        assert_eq!(found("a.b.c"), None);
        assert_eq!(found("a.c.d.f"), Some((10, "|u1".to_owned())));
        assert_eq!(found("a.c.d.g"), None);
        let before = |path: &str| {
            let fields = dtype.fields_before(path);
            fields.map(|(path, field)| format!("{path} {}", field.dtype().itemsize())).collect::<Vec<_>>()
        };
        assert_eq!(before("a.x"), ["a 11"]);
        assert_eq!(before("a.c.d.x"), ["a.c.d 3", "a 11"]);
        assert_eq!(before("a.b.x"), ["a.b 4", "a 11"]);
        assert!(before("x.a").is_empty());
    }

    #[test]
    fn the_longest_name_that_leads_to_a_field_comes_first() {
        let inner = "[('b.c', '|i1'), ('b', [('d', '|i2')])]";
        let dtype: DType = format!("[('a', {inner}), ('a.b', [('c', '<f4')])]").parse().unwrap();
        let names = |path: &str| Some(dtype.field(path)?.fields().iter().map(|field| field.name()).collect::<Vec<_>>());
        assert_eq!(names("a.b.c"), Some(vec!["a.b", "c"]));
        assert_eq!(names("a.b.d"), Some(vec!["a", "b", "d"]), "a name that leads to no field is skipped");
        assert_eq!((names("a.b.x"), names("a.b.c.x"), names("")), (None, None, None));
    }

    #[test]
    fn paths_lead_through_sub_arrays_of_records() {
        let inner = "[('w', '|u1'), ('v', '<f4', (2,)), ('x.y', '|u1')]";
        let dtype: DType = format!("[('id', '<u2'), ('n', [('m', {inner}, (2,))], (3, 4))]").parse().unwrap();
        let found = |path: &str| {
            let field = dtype.field(path)?;
            Some((field.offset(), field.shape().to_vec(), field.strides().to_vec()))
        };
        assert_eq!(found("n"), Some((2, vec![], vec![])));
        assert_eq!(found("n.m"), Some((2, vec![3, 4], vec![80, 20])));
        assert_eq!(found("n.m.v"), Some((3, vec![3, 4, 2], vec![80, 20, 10])));
        assert_eq!(found("n.m.x.y"), Some((11, vec![3, 4, 2], vec![80, 20, 10])));
        assert_eq!((found("n.v"), found("id.x")), (None, None));
        let leaves = dtype.field("n.m").unwrap().leaves();
        let all = dtype.leaves();
        assert_eq!(leaves, all[1..], "the leaves of a field are those of the dtype below it");
        assert_eq!(leaves.iter().map(|leaf| leaf.count()).collect::<Vec<_>>(), [24, 48, 24]);
    }

    #[test]
    fn runs_are_as_long_as_they_can_be() {
        for (dtype, expected) in [
            ("<f8", &["[0..8]"][..]),
            ("[('a', '<u2', (3, 2))]", &["[0..12]"]),
            ("[('a', [('x', '<u2'), ('y', '|u1')], (2,))]", &["[0..2, 3..5]", "[2..3, 5..6]"]),
            // Records of one field have no gaps.
            ("[('a', [('x', '<u2', (2,))], (2, 2))]", &["[0..16]"]),
            ("[('a', [('x', '|S0'), ('y', '|u1', (2,))], (2, 1))]", &["[0..0, 2..2]", "[0..4]"]),
            ("[('a', '|S0', (1000000, 1000)), ('b', [('x', '<u2')], (0,))]", &["[0..0]", "[0..0]"]),
            ("[('b', [('x', '<u2'), ('y', '|u1')], (0,))]", &["[]", "[]"]),
        ] {
            let dtype: DType = dtype.parse().unwrap();
            let found: Vec<String> = dtype.leaves().iter().map(|leaf| format!("{:?}", leaf.runs().collect::<Vec<_>>())).collect();
            assert_eq!(found, expected, "{dtype}");
        }
        let dtype: DType = "[('a', [('x', '<u2', (2,)), ('y', '|u1')], (2,))]".parse().unwrap();
        assert_eq!(dtype.field("a.x").unwrap().runs().collect::<Vec<_>>(), [0..4, 5..9]);
    }
}
