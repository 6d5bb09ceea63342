//! Files mapped into memory, in the four modes of `np.lib.format.open_memmap`.

mod header;
mod open;
mod read;
mod write;

pub use self::header::MapHeader;
pub use self::read::Map;
pub use self::write::MapMut;
use crate::format::header::Header;
#[cfg(feature = "rawarray")]
use crate::format::rawarray::RaHeader;

/// An `.npy` file mapped into memory for reading.
///
/// ```
/// use npy_core::NpyMap;
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// npy_core::save(&path, &[[1.0_f64, 2.0], [3.0, 4.0], [5.0, 6.0]])?;
///
/// // SAFETY: no one changes or truncates this file while it is mapped.
/// let map = unsafe { NpyMap::open(&path)? };
/// assert_eq!(map.header().shape(), [3, 2]);
/// assert_eq!(map.view::<f64>()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// assert_eq!(map.rows::<f64>(1..2)?, [3.0, 4.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub type NpyMap = Map<Header>;

/// An `.npy` file mapped into memory for writing, or a private copy of it.
///
/// [`create`](MapMut::create) makes a file of its full size at once, whose parts take disk space when
/// they are filled. Many processes can fill it together: [`row_range`](crate::region::row_range)
/// returns the rows of each, and [`rows_mut`](MapMut::rows_mut) borrows them. Threads take
/// [`split_rows_mut`](MapMut::split_rows_mut):
///
/// ```
/// use npy_core::region::row_range;
/// use npy_core::{Header, NpyElement, NpyMapMut, Order};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let header = Header::new(f32::dtype(), Order::C, &[10, 3])?;
/// // SAFETY: no one else changes or truncates this file while it is mapped.
/// let mut map = unsafe { NpyMapMut::create(&path, &header)? };
///
/// // In the process 1 of 4:
/// let rows = row_range(map.row_count(), 1, 4);
/// assert_eq!(rows, 3..6);
/// for (row, samples) in rows.clone().zip(map.rows_mut::<f32>(rows)?.chunks_mut(3)) {
///     samples.fill(row as f32);
/// }
/// map.flush()?;
/// assert_eq!(map.rows::<f32>(2..4)?, [0.0, 0.0, 0.0, 3.0, 3.0, 3.0]);
///
/// // Or in four threads:
/// std::thread::scope(|scope| {
///     for block in map.split_rows_mut::<f32>(4)? {
///         scope.spawn(|| block.fill(1.5));
///     }
///     Ok::<(), npy_core::Error>(())
/// })?;
/// drop(map);
///
/// // Changes of a copy never reach the file.
/// // SAFETY: no one changes or truncates this file while it is mapped.
/// let mut copy = unsafe { NpyMapMut::open_copy(&path)? };
/// copy.view_mut::<f32>()?.fill(0.0);
/// assert_eq!(npy_core::load::<[f32; 3]>(&path)?, [[1.5; 3]; 10]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub type NpyMapMut = MapMut<Header>;

/// An `.ra` file mapped into memory for reading.
///
/// Opening also fails if the data are compressed.
///
/// ```
/// use npy_core::rawarray::{self, RaMap};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// rawarray::save(&path, &[1.0_f64, 2.0, 4.0])?;
///
/// // SAFETY: no one changes or truncates this file while it is mapped.
/// let map = unsafe { RaMap::open(&path)? };
/// assert_eq!(map.view::<f64>()?, [1.0, 2.0, 4.0]);
/// assert_eq!(map.rows::<f64>(1..3)?, [2.0, 4.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[cfg(feature = "rawarray")]
pub type RaMap = Map<RaHeader>;

/// An `.ra` file mapped into memory for writing, or a private copy of it.
///
/// ```
/// use npy_core::rawarray::{self, RaMapMut};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// rawarray::save(&path, &[1.0_f64, 2.0, 4.0])?;
///
/// // SAFETY: no one else uses this file while it is mapped.
/// let mut map = unsafe { RaMapMut::open(&path)? };
/// map.view_mut::<f64>()?[1] = 8.0;
/// map.flush()?;
/// assert_eq!(rawarray::load::<f64>(&path)?, [1.0, 8.0, 4.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[cfg(feature = "rawarray")]
pub type RaMapMut = MapMut<RaHeader>;
