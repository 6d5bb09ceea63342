//! Arrays of any dtype as text, exactly as NumPy prints them.

use std::fmt;

use super::super::ndarray::{Dimension, IxDyn, indices};
use npy_core::__private::{ItemBytes, printed, printed_edges};
use npy_core::print::PrintOptions;
use npy_core::{DType, DynValues, Header, Order, Result};

use super::DynArray;
use super::write::stored_as;

impl DynArray {
    /// Returns the text of the array, as NumPy prints it with options.
    pub fn display_with(&self, options: impl Into<PrintOptions>) -> PrintedArray<'_> {
        PrintedArray { array: self, options: options.into() }
    }
}

/// Writes the array as NumPy's `print` does, with the default options.
///
/// ```
/// use ndarray::array;
/// use npy_ndarray::DynArray;
///
/// assert_eq!(DynArray::from(array![0.1, 100.0]).to_string(), "[  0.1 100. ]");
/// ```
impl fmt::Display for DynArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display_with(PrintOptions::new()).fmt(f)
    }
}

/// The text of a [`DynArray`], formatted when it is displayed.
///
/// ```
/// use ndarray::array;
/// use npy_ndarray::{DynArray, npy_core::print::PrintOptions};
///
/// let array = DynArray::from(array![[0.5, 100.0], [1.25, -3.0]]);
/// let printed = array.display_with(&PrintOptions::new().precision(1));
/// assert_eq!(printed.to_string(), "[[  0.5 100. ]\n [  1.2  -3. ]]");
/// ```
#[derive(Clone, Debug)]
pub struct PrintedArray<'a> {
    array: &'a DynArray,
    options: PrintOptions,
}

impl fmt::Display for PrintedArray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { array, options } = self;
        each!(
            array,
            numbers => match ItemBytes::new(numbers.items(), &stored_as(numbers.dtype())) {
                Some(items) => {
                    let corners = corners(items, numbers.dtype(), numbers.shape(), numbers.order(), options);
                    printed(&corners.map_err(|_| fmt::Error)?, numbers.shape(), options).fmt(f)
                }
                None => array.to_values().map_err(|_| fmt::Error)?.display_with(options).fmt(f),
            },
            values => values.display_with(options).fmt(f),
            objects => objects.display_with(options).fmt(f),
        )
    }
}

/// The elements that are printed: all, or of each long axis the first and the last.
fn corners(items: ItemBytes<'_>, dtype: &DType, shape: &[usize], order: Order, options: &PrintOptions) -> Result<DynValues> {
    let corners = Corners::new(shape, options);
    let header = Header::new(dtype.clone(), Order::C, &corners.lengths)?;
    DynValues::of_picked(header, items, &corners.places(order))
}

/// The selection of the elements that are printed.
struct Corners {
    shape: Vec<usize>,
    edges: Vec<Option<usize>>,
    /// Their number along each axis.
    lengths: Vec<usize>,
}

impl Corners {
    fn new(shape: &[usize], options: &PrintOptions) -> Self {
        let edges = printed_edges(shape, options);
        let lengths = shape.iter().zip(&edges).map(|(length, edge)| edge.map_or(*length, |edge| 2 * edge)).collect();
        Self { shape: shape.to_vec(), edges, lengths }
    }

    /// The positions of the printed elements in the memory of the whole array, with the last axis
    /// fastest.
    fn places(&self, order: Order) -> Vec<usize> {
        let place = |index: IxDyn| {
            let index = self.in_whole(index.slice());
            let along = |place: usize, (index, length): (&usize, &usize)| place * length + index;
            let axes = index.iter().zip(&self.shape);
            // An index of the array, which is in memory.
            match order {
                Order::C => axes.fold(0, along),
                Order::Fortran => axes.rev().fold(0, along),
            }
        };
        indices(IxDyn(&self.lengths)).into_iter().map(place).collect()
    }

    /// The index in the whole array of the printed element at `index`.
    fn in_whole(&self, index: &[usize]) -> Vec<usize> {
        let place = |(axis, index): (usize, &usize)| match self.edges[axis] {
            Some(edge) if *index >= edge => self.shape[axis] - 2 * edge + index,
            _ => *index,
        };
        index.iter().enumerate().map(place).collect()
    }
}
