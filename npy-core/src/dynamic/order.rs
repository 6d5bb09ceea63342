//! Transposes arrays of any dtype.

use std::io::Write;

use super::DynValues;
use crate::error::Result;
use crate::format::header::Header;
use crate::format::shape::is_same_in_both;
use crate::options::Order;
use crate::transpose::bytes::{InOrderC, reverse_bytes};
use crate::write::PIECE;
use crate::write::output::cannot_write;

impl DynValues {
    /// Converts the array to an order; each index keeps its element.
    ///
    /// The elements are moved only if that makes a difference, in the memory of a second array.
    ///
    /// # Errors
    ///
    /// Fails if that memory cannot be allocated.
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
        let bytes = if is_same_in_both(&shape) { bytes } else { reverse_bytes(bytes, &shape, itemsize)? };
        Self::with_header(header, bytes)
    }

    /// The array in the order of the options.
    pub(super) fn demand(self, order: Option<Order>) -> Result<Self> {
        match order {
            Some(order) if !is_same_in_both(self.shape()) => self.into_order(order),
            _ => Ok(self),
        }
    }

    /// Writes the array to a stream in an order, without a second copy. For `npy-ndarray`.
    #[doc(hidden)]
    pub fn write_in_order(&self, mut writer: impl Write, order: Order) -> Result<()> {
        // C first, as NumPy has it for arrays that are contiguous in both orders.
        let is_same = is_same_in_both(self.shape()) || self.dtype().itemsize() == 0;
        let header = Header::new(self.dtype().clone(), if is_same { Order::C } else { order }, self.shape())?;
        let mut stage = header.to_bytes();
        let itemsize = self.dtype().itemsize();
        if is_same || self.order() == order || itemsize == 0 {
            let written = writer.write_all(&stage).and_then(|()| writer.write_all(self.bytes())).and_then(|()| writer.flush());
            return written.map_err(cannot_write);
        }
        // The lengths of the axes, from the fastest to the slowest.
        let mut shape = self.shape().to_vec();
        if self.order() == Order::C {
            shape.reverse();
        }
        for index in InOrderC::new(&shape) {
            stage.extend_from_slice(&self.bytes()[index * itemsize..][..itemsize]);
            // An element may be larger than a piece. What is left is less than a piece.
            let whole = stage.len() / PIECE * PIECE;
            if whole > 0 {
                writer.write_all(&stage[..whole]).map_err(cannot_write)?;
                stage.drain(..whole);
            }
        }
        writer.write_all(&stage).and_then(|()| writer.flush()).map_err(cannot_write)
    }
}
