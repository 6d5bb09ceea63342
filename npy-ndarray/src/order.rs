//! Conversion between the shape and order of a file and the dimension and layout of an array.

use super::ndarray::{Dimension, Shape, ShapeBuilder};
use npy_core::{Error, Header, Order, Result};

/// The shape of the file as a dimension of an array type, and its order as the layout.
pub(crate) fn layout<D: Dimension>(header: &Header, order: Order) -> Result<Shape<D>> {
    layout_of(header.shape(), order)
}

/// A shape as a dimension of an array type, with the layout for an order.
pub(crate) fn layout_of<D: Dimension>(shape: &[usize], order: Order) -> Result<Shape<D>> {
    if let Some(expected) = D::NDIM
        && shape.len() != expected
    {
        return Err(Error::wrong_dimensions(expected, shape, Some("`ArrayD` or `DynArray`")));
    }
    let mut dimension = D::zeros(shape.len());
    dimension.slice_mut().copy_from_slice(shape);
    Ok(dimension.set_f(order == Order::Fortran))
}
