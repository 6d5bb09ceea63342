//! Transposes arrays of any dtype.

use std::io::Write;

use super::array::DynValues;
use crate::error::Result;
use crate::format::header::Header;
use crate::options::Order;
use crate::transpose::bytes::reverse_bytes;
use crate::write::bytes::ElementBytes;

impl DynValues {
    /// Converts the array to an order; each index keeps its element.
    ///
    /// The elements are moved only if that makes a difference, in the memory of a second array.
    ///
    /// ```
    /// use npy_core::{DynValues, Order};
    ///
    /// let values = DynValues::new("|u1".parse()?, Order::C, &[2, 3], vec![1, 2, 3, 4, 5, 6])?;
    /// let columns_first = values.into_order(Order::Fortran)?;
    /// assert_eq!(columns_first.bytes(), [1, 4, 2, 5, 3, 6]);
    /// assert_eq!(columns_first.shape(), [2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn into_order(self, order: Order) -> Result<Self> {
        if self.order() == order {
            return Ok(self);
        }
        let header = Header::new(self.dtype().clone(), order, self.shape())?;
        // The shape in which the last axis varies fastest.
        let mut shape = self.shape().to_vec();
        if self.order() == Order::Fortran {
            shape.reverse();
        }
        let itemsize = self.dtype().itemsize();
        let bytes = self.into_bytes();
        let bytes = if Order::are_same(&shape) { bytes } else { reverse_bytes(bytes, &shape, itemsize)? };
        Self::with_header(header, bytes)
    }

    /// The array in the order of the options.
    pub(super) fn demand(self, order: Option<Order>) -> Result<Self> {
        match order {
            Some(order) if !Order::are_same(self.shape()) => self.into_order(order),
            _ => Ok(self),
        }
    }

    /// Writes the array to a stream in an order, without a second copy. For `npy-ndarray`.
    #[doc(hidden)]
    pub fn write_in_order(&self, mut writer: impl Write, order: Order) -> Result<()> {
        ElementBytes::from_bytes(self.bytes(), self.dtype()).write(&mut writer, self.header(), order)
    }
}
