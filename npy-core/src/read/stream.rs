//! Reads whole arrays from streams.

use std::io::Read;

use super::reader::NpyReader;
use crate::element::NpyElement;
use crate::error::Result;
use crate::limits::Limits;
use crate::options::ReadOptions;

/// Reads a one-dimensional array from a stream into a vector.
///
/// The stream is left just after the array: to read several arrays, pass `&mut stream` each time.
/// Wrap a `File` in a `BufReader`, or better, use [`load`](crate::load).
///
/// ```
/// let mut stream = Vec::new();
/// npy_core::write(&mut stream, &[1_u8, 2])?;
/// npy_core::write(&mut stream, &[0.5_f64])?;
///
/// let mut rest = &stream[..];
/// assert_eq!(npy_core::read::<u8>(&mut rest)?, [1, 2]);
/// assert_eq!(npy_core::read::<f64>(&mut rest)?, [0.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn read<T: NpyElement>(reader: impl Read) -> Result<Vec<T>> {
    read_with(reader, Limits::new())
}

/// [`read`] with options: limits.
pub fn read_with<T: NpyElement>(reader: impl Read, options: impl Into<ReadOptions>) -> Result<Vec<T>> {
    NpyReader::new_with(reader, options.into().limits)?.into_one_dimension()
}
