//! Selections of Python objects, which are in memory as a whole.

use npy_core::object::{ObjectArray, ObjectItems, PyObject};
use npy_core::{DType, DynValues, Order};

use super::read::{strides_of, walk};
use super::{Selection, Source};
use crate::failure::{Failure, Result};

/// The selected elements of an array of objects.
pub(crate) enum Chosen {
    /// Fields without objects.
    Values(DynValues),
    Objects(ObjectArray),
}

impl Selection {
    /// Selects from the array of objects to which the selection was applied.
    pub(crate) fn of_objects(&self, array: &ObjectArray) -> Result<Chosen> {
        if array.shape() != self.file_shape {
            return Err(Failure::Nameless("the pickle has another shape than the header".to_owned()));
        }
        let names = || self.fields().iter().map(|field| field.name().to_owned()).collect();
        let several: Option<Vec<String>> = self.offsets.as_ref().map(|_| names());
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

    /// Calls `each` with the position of each selected item in the whole array. Axes of sub-arrays follow the axes of the file.
    fn each_item(&self, each: &mut dyn FnMut(usize)) {
        let lengths: Vec<usize> = self.file_shape.iter().chain(&self.inner_shape).copied().collect();
        if self.axes.iter().any(|axis| axis.count == 0) || lengths.contains(&0) {
            return;
        }
        let strides = strides_of(&lengths, 1);
        let inner = |number: usize| self.file_shape.len().saturating_add(number);
        let fixed = self.fixed.iter().copied().chain(self.inner_fixed.iter().map(|(number, place)| (inner(*number), *place)));
        let distance = |(axis, place): (usize, usize)| place.saturating_mul(strides.get(axis).copied().unwrap_or(0));
        let mut begin = fixed.map(distance).fold(0, usize::saturating_add);
        let mut loops = Vec::new();
        for axis in &self.axes {
            let (start, inner) = match axis.source {
                Source::File(index) => axis.positions(strides.get(index)),
                Source::Inner { number, .. } => axis.positions(strides.get(inner(number))),
                Source::New => axis.positions(None),
            };
            begin = begin.saturating_add(start);
            loops.push(inner);
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
