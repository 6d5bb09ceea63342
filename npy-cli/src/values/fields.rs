//! The fields of records that hold values, at any depth, apart from the dtype.
//!
//! A sub-array stays one field, unlike in `columns`, where each of its records has separate columns.

use npy_core::DType;
use npy_core::dtype::{self, Field, FieldAt, Record, Scalar, Title};
use npy_core::scalar::{Decoder, Number};

use crate::failure::{Failure, Result};
use crate::values::{nearest, quantity};

/// The scalar that the elements of a dtype consist of, those of sub-arrays too; `None` for records.
pub(crate) fn scalar_of(dtype: &DType) -> Option<Scalar> {
    if let DType::Scalar(scalar) = dtype.flattened().0 { Some(*scalar) } else { None }
}

/// A scalar in each element: the element itself, or a field at any depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The names of the fields, joined by dots; empty for a plain array.
    pub(crate) path: String,
    pub(crate) names: Vec<String>,
    pub(crate) scalar: Scalar,
    /// The bytes of the element.
    pub(crate) itemsize: usize,
    /// The position of the first value in the element.
    offset: usize,
    /// The axes of sub-arrays around a run, the outer one first: their lengths, and the distances of their items.
    repeats: Vec<(usize, usize)>,
    /// Values that follow each other without a gap.
    run: usize,
    /// The axes of sub-arrays around the value, which come after those of the array.
    pub(crate) axes: Vec<usize>,
}

/// The leaves of a dtype, in the order of the file.
pub(crate) fn leaves(dtype: &DType) -> Vec<Leaf> {
    dtype.leaves().iter().map(|leaf| Leaf::new(leaf, dtype.itemsize())).collect()
}

/// The leaves that `--fields` names: of each path the field itself, and all below it.
pub(crate) fn select(dtype: &DType, paths: &[String]) -> Result<Vec<Leaf>> {
    let leaves = leaves(dtype);
    if paths.is_empty() {
        return Ok(leaves);
    }
    let paths = rejoined(paths, |path| dtype.field(path).is_some());
    let fields = paths.iter().map(|path| {
        dtype.field(path).ok_or_else(|| {
            let known = quantity::listed(leaves.iter().map(|leaf| &leaf.path).filter(|path| !path.is_empty()));
            let problem = if known.is_empty() {
                "expected an array of records, found one without fields".to_owned()
            } else {
                let hint = nearest::hint(path, leaves.iter().map(|leaf| leaf.path.as_str()));
                format!("expected one of {known}{hint}")
            };
            Failure::Nameless(format!("unknown field {path:?}: {problem}"))
        })
    });
    let fields: Vec<FieldAt<'_>> = fields.collect::<Result<_>>()?;
    Ok(leaves.iter().filter(|leaf| fields.iter().any(|field| leaf.is_below(field.fields()))).cloned().collect())
}

/// The paths of a list that was separated at commas, which names have too: the shortest ones that there are.
pub(crate) fn rejoined(parts: &[String], is_known: impl Fn(&str) -> bool) -> Vec<String> {
    let (mut paths, mut rest) = (Vec::new(), parts);
    while !rest.is_empty() {
        let counts = 1..=rest.len();
        let count = counts.into_iter().find(|count| is_known(&rest[..*count].join(","))).unwrap_or(1);
        let (path, others) = rest.split_at(count);
        paths.push(path.join(","));
        rest = others;
    }
    paths
}

/// A record of these fields, each with its new dtype, one after the other or where NumPy places them with `align=True`.
pub(crate) fn laid_out(fields: Vec<(&Field, DType)>, is_aligned: bool) -> npy_core::Result<Record> {
    let (mut end, mut alignment) = (0_usize, 1);
    let mut placed = Vec::new();
    for (field, dtype) in fields {
        let own = if is_aligned { dtype.alignment() } else { 1 };
        alignment = alignment.max(own);
        let offset = end.next_multiple_of(own);
        end = offset.saturating_add(dtype.itemsize());
        let renewed = Field::new(field.name(), offset, dtype);
        placed.push(match field.title() {
            Some(Title::Text(title)) => renewed.with_title(title.clone()),
            _ => renewed,
        });
    }
    Record::new(placed, end.checked_next_multiple_of(alignment).unwrap_or(end))
}

impl Leaf {
    fn new(leaf: &dtype::Leaf<'_>, itemsize: usize) -> Self {
        let mut repeats: Vec<(usize, usize)> = leaf.shape().iter().copied().zip(leaf.strides().iter().copied()).collect();
        let mut run = 1_usize;
        while let Some((count, _)) = repeats.pop_if(|(_, stride)| *stride == run.saturating_mul(leaf.scalar().itemsize())) {
            run = run.saturating_mul(count);
        }
        Self {
            path: leaf.path(),
            names: leaf.fields().iter().map(|field| field.name().to_owned()).collect(),
            scalar: leaf.scalar(),
            itemsize,
            offset: leaf.offset(),
            repeats,
            run,
            axes: leaf.shape().to_vec(),
        }
    }

    /// The number of values in each element.
    pub(crate) fn per_element(&self) -> usize {
        self.repeats.iter().fold(self.run, |product, (count, _)| product.saturating_mul(*count))
    }

    /// Whether this is the field that these lead to, or one below it.
    fn is_below(&self, fields: &[&Field]) -> bool {
        self.names.len() >= fields.len() && self.names.iter().zip(fields).all(|(name, field)| name == field.name())
    }

    /// The value in an element that has no others of the field.
    #[inline]
    pub(crate) fn only<'a>(&self, element: &'a [u8]) -> &'a [u8] {
        element.get(self.offset..).and_then(|rest| rest.get(..self.scalar.itemsize())).unwrap_or_default()
    }

    /// Calls `each` with the bytes of values that follow each other, in order. All values of a plain array are one run.
    pub(crate) fn for_each_run<'a>(&self, elements: &'a [u8], mut each: impl FnMut(&'a [u8])) {
        let bytes = self.run.saturating_mul(self.scalar.itemsize());
        if self.itemsize == 0 || bytes == 0 {
            return;
        }
        if bytes == self.itemsize && self.repeats.is_empty() {
            each(elements);
            return;
        }
        for element in elements.chunks_exact(self.itemsize) {
            for_each_offset(&self.repeats, self.offset, &mut |offset| {
                if let Some(run) = element.get(offset..).and_then(|rest| rest.get(..bytes)) {
                    each(run);
                }
            });
        }
    }

    /// Decodes the values of all elements, and calls `each` with blocks of less than twice [`BLOCK_VALUES`]; `values` is empty before
    /// and afterwards.
    pub(crate) fn decode<T: Number>(&self, elements: &[u8], decoder: Decoder<T>, values: &mut Vec<T>, mut each: impl FnMut(&[T])) {
        let size = self.scalar.itemsize();
        let mut extend = |bytes: &[u8], stride: usize| {
            decoder.extend(values, bytes, stride);
            if values.len() >= BLOCK_VALUES {
                each(values);
                values.clear();
            }
        };
        // A field of one value at a fixed distance.
        if self.repeats.is_empty() && self.run == 1 && self.itemsize > size {
            for elements in elements.chunks(BLOCK_VALUES.saturating_mul(self.itemsize)) {
                extend(elements.get(self.offset..).unwrap_or_default(), self.itemsize);
            }
        } else {
            self.for_each_run(elements, |run| {
                run.chunks(BLOCK_VALUES.saturating_mul(size)).for_each(|values| extend(values, size));
            });
        }
        if !values.is_empty() {
            each(values);
            values.clear();
        }
    }
}

/// Values that are decoded at a time. Several loops run over them, so they have to stay in the first cache.
const BLOCK_VALUES: usize = 1024;

/// Calls `each` with the offset of each item of sub-arrays of records.
fn for_each_offset(repeats: &[(usize, usize)], offset: usize, each: &mut dyn FnMut(usize)) {
    match repeats {
        [] => each(offset),
        [(count, stride), inner @ ..] => {
            for index in 0..*count {
                for_each_offset(inner, offset.saturating_add(index.saturating_mul(*stride)), each);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_fields_in_sub_arrays_of_records() {
        let dtype: DType = "[('id', '<u2'), ('at', [('x', '<u2'), ('y', '<u2', (2,))], (2,))]".parse().unwrap();
        let bytes: Vec<u8> = (0..14).flat_map(|value: u16| value.to_le_bytes()).collect();
        let found: Vec<(String, Vec<u64>)> = leaves(&dtype)
            .iter()
            .map(|leaf| {
                let mut values = Vec::new();
                let decoder = Decoder::<u64>::new(leaf.scalar).unwrap();
                leaf.decode(&bytes, decoder, &mut Vec::new(), |block| values.extend_from_slice(block));
                assert_eq!(values.len(), 2 * leaf.per_element());
                (leaf.path.clone(), values)
            })
            .collect();
        let expected = [("id", vec![0, 7]), ("at.x", vec![1, 4, 8, 11]), ("at.y", vec![2, 3, 5, 6, 9, 10, 12, 13])];
        assert_eq!(found, expected.map(|(path, values)| (path.to_owned(), values)));
    }

    #[test]
    fn empty_sub_arrays_have_no_values() {
        // A leaf as large as the whole element, and one that is not.
        for inner in ["'<u2'", "[('p', '<i2'), ('q', '<i2')]", "[('p', 'u1'), ('q', '<i8', (3,))]"] {
            let dtype: DType = format!("[('n', {inner}, (0,)), ('f', '<u2', (1,))]").parse().unwrap();
            for leaf in leaves(&dtype).iter().filter(|leaf| leaf.path.starts_with('n')) {
                leaf.for_each_run(&[1; 6], |run| panic!("{dtype} {}: {run:?}", leaf.path));
            }
        }
    }

    #[test]
    fn blocks_are_bounded() {
        for dtype in ["[('a', '<u2', (5000,))]", "[('a', [('x', '<u2'), ('y', '<u2')], (5000,))]", "[('a', '<u2'), ('b', 'u1')]"] {
            let dtype: DType = dtype.parse().unwrap();
            let leaf = &leaves(&dtype)[0];
            let (mut sizes, mut total) = (Vec::new(), 0);
            let decoder = Decoder::<u64>::new(leaf.scalar).unwrap();
            leaf.decode(&vec![0; 3000 * dtype.itemsize()], decoder, &mut Vec::new(), |block| {
                sizes.push(block.len());
                total += block.len();
            });
            assert_eq!(total, 3000 * leaf.per_element(), "{dtype}");
            assert!(sizes.iter().all(|size| *size < 2 * BLOCK_VALUES), "{dtype} {sizes:?}");
        }
    }
}
