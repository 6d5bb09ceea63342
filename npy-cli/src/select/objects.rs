//! Selections of Python objects, which are in memory as a whole.

use npy_core::object::{ObjectArray, ObjectItems, PyObject};
use npy_core::{DType, DynValues, Order};

use super::read::{Loop, walk};
use super::{Element, Selection, Source};
use crate::failure::{Failure, Result};

/// What is selected of an array of objects.
pub(crate) enum Chosen {
    /// Fields without objects.
    Values(DynValues),
    Objects(ObjectArray),
}

impl Selection {
    /// Selects from an array of objects, whose shape and dtype are those that the selection is of.
    pub(crate) fn of_objects(&self, array: &ObjectArray) -> Result<Chosen> {
        if array.shape() != self.file_shape {
            return Err(Failure::Nameless("the pickle has another shape than the header".to_owned()));
        }
        let several: Option<Vec<String>> = match &self.element {
            Element::Whole(_) => None,
            Element::Fields(parts) => Some(parts.iter().map(|part| part.name.clone()).collect()),
        };
        let (dtype, items) = array.items_of_field(&self.path, several.as_deref())?;
        let shape = self.shape();
        match items {
            ObjectItems::Values(bytes) => {
                let size = dtype.itemsize();
                let mut selected = room_for(self.count().saturating_mul(size))?;
                if size > 0 {
                    self.each_item(&mut |place| {
                        let part = place.checked_mul(size).and_then(|begin| bytes.get(begin..begin.checked_add(size)?));
                        selected.extend_from_slice(part.unwrap_or_default());
                    });
                }
                Ok(Chosen::Values(DynValues::new(dtype, Order::C, &shape, selected)?))
            }
            ObjectItems::Objects(objects) => {
                let mut selected: Vec<PyObject> = room_for(self.count())?;
                self.each_item(&mut |place| selected.extend(objects.get(place).cloned()));
                let is_text = self.path.is_empty() && matches!(dtype, DType::Scalar(_));
                let string_dtype = array.string_dtype().filter(|_| is_text).cloned();
                Ok(Chosen::Objects(ObjectArray::with_dtype(dtype, &shape, selected, string_dtype)?))
            }
        }
    }

    /// Calls `each` with the position of each selected item among those of the whole array, in which axes of sub-arrays
    /// follow those of the file.
    fn each_item(&self, each: &mut dyn FnMut(usize)) {
        let lengths: Vec<usize> = self.file_shape.iter().chain(&self.inner_shape).copied().collect();
        if self.axes.iter().any(|axis| axis.count == 0) || lengths.contains(&0) {
            return;
        }
        let mut strides = vec![1_usize; lengths.len()];
        let mut stride = 1_usize;
        for (own, length) in strides.iter_mut().zip(&lengths).rev() {
            *own = stride;
            stride = stride.saturating_mul(*length);
        }
        let stride_of = |axis: usize| strides.get(axis).copied().unwrap_or(0);
        let inner = |number: usize| self.file_shape.len().saturating_add(number);
        let fixed = self.fixed.iter().map(|(axis, place)| (*axis, *place));
        let fixed = fixed.chain(self.inner_fixed.iter().map(|(number, place)| (inner(*number), *place)));
        let mut begin = fixed.fold(0_usize, |begin, (axis, place)| begin.saturating_add(place.saturating_mul(stride_of(axis))));
        let mut loops = Vec::new();
        for axis in &self.axes {
            let stride = match axis.source {
                Source::File(index) => stride_of(index),
                Source::Inner { number, .. } => stride_of(inner(number)),
                Source::New => 0,
            };
            begin = begin.saturating_add(axis.start.saturating_mul(stride));
            let step = usize::try_from(axis.step.unsigned_abs()).unwrap_or(usize::MAX);
            loops.push(Loop { count: axis.count, stride: stride.saturating_mul(step), is_reversed: axis.step < 0 });
        }
        walk(&loops, begin, each);
    }
}

/// Memory for as many items.
fn room_for<T>(count: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    items.try_reserve_exact(count).map_err(|_| Failure::allocation(count.saturating_mul(size_of::<T>())))?;
    Ok(items)
}
