//! Arrays of numbers that remember the dtype of their file.

use std::ops::Deref;

use super::super::ndarray::{Array, ArrayD, ArrayViewMutD, Dimension};
use npy_core::adapter::ElementBytes;
use npy_core::{DType, NpyElement, Order};

/// The numbers of a [`DynArray`](super::DynArray): an `ArrayD<T>` and a dtype.
///
/// The dtype is the one to write: it has the byte order of the file and the unit of times.
///
/// It dereferences to an `ArrayD`. The elements are contiguous, in C or in Fortran order.
///
/// ```
/// use ndarray::array;
/// use npy_ndarray::{DynArray, TypedArray};
///
/// let DynArray::Float64(mut numbers) = DynArray::from(array![1.0, 2.0]) else { unreachable!() };
/// assert_eq!(numbers.sum(), 3.0);
/// assert_eq!(numbers.dtype().to_string(), "<f8");
/// numbers.view_mut().fill(7.0);
/// assert_eq!(numbers.into_array(), array![7.0, 7.0].into_dyn());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TypedArray<T> {
    array: ArrayD<T>,
    dtype: DType,
}

impl<T> TypedArray<T> {
    /// The array is contiguous, and its elements can be written as the dtype.
    pub(super) fn with_dtype(array: ArrayD<T>, dtype: DType) -> Self {
        Self { array, dtype }
    }

    /// Returns the dtype of the file.
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the order of the elements in memory: C if both are the same.
    pub fn order(&self) -> Order {
        if self.array.is_standard_layout() { Order::C } else { Order::Fortran }
    }

    /// Returns the array by value.
    pub fn into_array(self) -> ArrayD<T> {
        self.array
    }

    /// Borrows the elements mutably.
    pub fn view_mut(&mut self) -> ArrayViewMutD<'_, T> {
        self.array.view_mut()
    }

    /// The elements in memory order, and that order.
    pub(super) fn into_parts(self) -> (Vec<T>, Order) {
        let (order, count) = (self.order(), self.array.len());
        let items = match self.array.into_raw_vec_and_offset() {
            (items, None | Some(0)) if items.len() == count => items,
            // Part of a larger allocation.
            (items, offset) => items.into_iter().skip(offset.unwrap_or_default()).take(count).collect(),
        };
        (items, order)
    }

    /// The elements in memory order.
    pub(super) fn items(&self) -> &[T] {
        self.array.as_slice_memory_order().unwrap_or_default()
    }

    /// The bytes of the elements in memory order and in the machine's byte order, if `T` is plain
    /// data.
    pub(super) fn bytes(&self) -> Option<&[u8]>
    where
        T: NpyElement,
    {
        ElementBytes::new(self.items(), &T::dtype()).map(ElementBytes::as_slice)
    }
}

impl<T> Deref for TypedArray<T> {
    type Target = ArrayD<T>;

    fn deref(&self) -> &ArrayD<T> {
        &self.array
    }
}

/// Uses the byte order of the machine. An array that is contiguous in neither order is copied.
impl<T: NpyElement + Clone, D: Dimension> From<Array<T, D>> for TypedArray<T> {
    fn from(array: Array<T, D>) -> Self {
        let array = array.into_dyn();
        let is_contiguous = array.is_standard_layout() || array.view().reversed_axes().is_standard_layout();
        let array = if is_contiguous { array } else { array.as_standard_layout().into_owned() };
        Self { array, dtype: T::dtype() }
    }
}
