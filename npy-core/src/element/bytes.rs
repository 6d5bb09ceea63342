//! Numbers at the beginning of bytes.

use crate::error::{Result, ValueError};
use crate::format::dtype::ByteOrder;

/// Numbers with bytes in either order.
pub(super) trait Bytes: Sized {
    fn from_bytes(order: ByteOrder, bytes: &[u8]) -> Result<Self, ValueError>;
    fn to_bytes(self, order: ByteOrder, bytes: &mut [u8]) -> Result<(), ValueError>;
}

/// Returns the first `N` bytes. The plan has checked that there are as many.
#[inline(always)]
pub(super) fn first_chunk<const N: usize>(bytes: &[u8]) -> Result<[u8; N], ValueError> {
    match bytes.first_chunk() {
        Some(chunk) => Ok(*chunk),
        None => Err(outside()),
    }
}

#[inline(always)]
pub(super) fn first_chunk_mut<const N: usize>(bytes: &mut [u8]) -> Result<&mut [u8; N], ValueError> {
    bytes.first_chunk_mut().ok_or_else(outside)
}

/// Creates the error of a plan that does not belong to the bytes, in place of a panic.
#[cold]
pub(crate) fn outside() -> ValueError {
    ValueError::new("field out of bounds of the record")
}
