//! Arrays in a store: the header at once, and elements on request.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use npy_core::columns::NpyColumns;
use npy_core::region::AxisRange;
use npy_core::{Error, Header, NpyElement, Result};
use object_store::ObjectStore;
use object_store::path::Path;

use crate::array::{Array, FRONT_BYTES};
use crate::object::Object;
use crate::options::RemoteOptions;
use crate::requests::Ranges;

/// An array in a store: an `.npy` object, or a member of an archive.
///
/// [`open`](Self::open) reads the header with one request, or two if the header is of version 2.0 or
/// 3.0 and longer than 64 KiB. The first request fetches up to 64 KiB of data, which are kept: a small
/// array needs no other. Every later request is for the same version of the object: if it
/// was replaced, the call fails.
///
/// Methods take `&self`, so that several calls can run at the same time, and a clone is cheap. A
/// call has several requests in flight, as [`RemoteOptions`] says, and decodes each response in the
/// task that awaits the call. Dropping the future of a call cancels it; that is how to set a time
/// limit.
///
/// ```
/// use std::sync::Arc;
///
/// use npy_remote::RemoteNpy;
/// use npy_remote::object_store::memory::InMemory;
///
/// # #[tokio::main]
/// # async fn main() -> npy_remote::Result<()> {
/// let store = Arc::new(InMemory::new()); // or S3, GCS, Azure, HTTP, local files
/// npy_remote::save(store.clone(), "run/samples.npy", &[0.5_f32, 1.5, 2.5, 3.5]).await?;
///
/// let array = RemoteNpy::open(store, "run/samples.npy").await?;
/// assert_eq!(array.header().shape(), [4]);
/// let rows: Vec<f32> = array.read_rows(1..3).await?;
/// assert_eq!(rows, [1.5, 2.5]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RemoteNpy {
    array: Arc<Array>,
}

impl RemoteNpy {
    /// Opens an object and reads its header.
    ///
    /// # Errors
    ///
    /// Fails if the store fails, or if the object does not begin with an `.npy` header.
    ///
    /// See [`RemoteNpy`] for an example.
    pub async fn open(store: Arc<dyn ObjectStore>, path: impl Into<Path>) -> Result<Self> {
        Self::open_with(store, path, RemoteOptions::new()).await
    }

    /// [`open`](Self::open) with [`RemoteOptions`] or [`Limits`](npy_core::Limits).
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_remote::RemoteNpy;
    /// # use npy_remote::object_store::memory::InMemory;
    /// use npy_core::Limits;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> npy_remote::Result<()> {
    /// # let store = Arc::new(InMemory::new());
    /// # npy_remote::save(store.clone(), "samples.npy", &[0.5_f64; 1000]).await?;
    /// let error = RemoteNpy::open_with(store, "samples.npy", Limits::new().data_bytes(1000)).await.unwrap_err();
    /// assert!(error.to_string().contains("limit exceeded"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open_with(store: Arc<dyn ObjectStore>, path: impl Into<Path>, options: impl Into<RemoteOptions>) -> Result<Self> {
        let (object, front) = Object::open(store, path.into(), (0..FRONT_BYTES).into(), options.into()).await?;
        let range = 0..object.size();
        Self::of_front(object, None, range, front.bytes).await
    }

    /// Opens the array in these bytes of an object, which begin with `front`.
    pub(crate) async fn of_front(object: Object, member: Option<String>, range: Range<u64>, front: Bytes) -> Result<Self> {
        Ok(Array::open(object, member, range, front).await?.into())
    }

    /// Returns dtype, order and shape of the array.
    pub fn header(&self) -> &Header {
        &self.array.header
    }

    /// Returns the length of the header, and so where the data begin.
    ///
    /// Of an archive member it is counted from the beginning of the member.
    pub fn data_offset(&self) -> u64 {
        self.array.data_offset
    }

    /// Adds the path of the object, and the name of the member, to an error of its content.
    ///
    /// For callers of `fetch_rows`, who decode the bytes themselves.
    #[must_use]
    pub fn locate(&self, error: Error) -> Error {
        self.array.locate(error)
    }

    /// Reads all elements in the order of the file, of any shape.
    ///
    /// # Errors
    ///
    /// Fails if the dtype differs from that of `T`, and lists every difference; if the object is
    /// truncated or was replaced, if an element is not a value of `T`, or if the store fails.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_remote::RemoteNpy;
    /// # use npy_remote::object_store::memory::InMemory;
    /// # #[tokio::main]
    /// # async fn main() -> npy_remote::Result<()> {
    /// # let store = Arc::new(InMemory::new());
    /// npy_remote::save(store.clone(), "names.npy", &["Ada".to_owned(), "Grace".to_owned()]).await?;
    /// let names: Vec<String> = RemoteNpy::open(store, "names.npy").await?.read_all().await?;
    /// assert_eq!(names, ["Ada", "Grace"]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn read_all<T: NpyElement>(&self) -> Result<Vec<T>> {
        let header = self.header();
        self.array.read(Ranges::from(0..header.data_bytes()), header.element_count()).await
    }

    /// Reads a range of rows in the order of the file.
    ///
    /// A row has one index of the outer axis: of the first axis in C order, of the **last** in Fortran
    /// order. A row of a one-dimensional array is an element. Only the bytes of the rows are fetched.
    ///
    /// # Errors
    ///
    /// Fails like [`read_all`](Self::read_all), and if there are fewer rows.
    ///
    /// See [`RemoteNpy`] for an example.
    pub async fn read_rows<T: NpyElement>(&self, rows: Range<usize>) -> Result<Vec<T>> {
        let (range, count) = self.array.rows(rows)?;
        self.array.read(range.into(), count).await
    }

    /// Reads a rectangular region without reading the rest of the array.
    ///
    /// The elements come in the order of the file, and
    /// [`region_shape`](npy_core::region::region_shape) returns their shape. Near ranges of bytes
    /// are fetched together: see [`RemoteOptions::gap`].
    ///
    /// # Errors
    ///
    /// Fails like [`read_all`](Self::read_all), and if the region has the wrong number of axes,
    /// exceeds one of them, or has a step of 0. An error counts elements within the region.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_remote::RemoteNpy;
    /// # use npy_remote::object_store::memory::InMemory;
    /// use npy_core::region::AxisRange;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> npy_remote::Result<()> {
    /// # let store = Arc::new(InMemory::new());
    /// npy_remote::save(store.clone(), "grid.npy", &[[1_u8, 2, 3], [4, 5, 6], [7, 8, 9]]).await?;
    /// let grid = RemoteNpy::open(store, "grid.npy").await?;
    /// // In Python: grid[1:3, ::2]
    /// let corners: Vec<u8> = grid.read_region(&[(1..3).into(), AxisRange::from(..).step_by(2)]).await?;
    /// assert_eq!(corners, [4, 6, 7, 9]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn read_region<T: NpyElement>(&self, region: &[AxisRange]) -> Result<Vec<T>> {
        let (ranges, shape) = self.array.region(region)?;
        let part = self.header().with_shape(&shape).map_err(|error| self.array.locate(error))?;
        self.array.read(ranges, part.element_count()).await
    }

    /// Reads single fields of all records, each into its own vector.
    ///
    /// `C` is a tuple of the types of up to 12 fields. A dot names a field of a nested record, such
    /// as `"origin.depth"`. Records lie together in the file, so that the bytes of all fields are
    /// fetched; only these are decoded and kept.
    ///
    /// # Errors
    ///
    /// Fails like [`read_all`](Self::read_all). The error names each field that is missing or has
    /// another type.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_remote::RemoteNpy;
    /// # use npy_remote::object_store::memory::InMemory;
    /// use npy_core::NpyRecord;
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     time: f64,
    ///     depth: f32,
    /// }
    ///
    /// # #[tokio::main]
    /// # async fn main() -> npy_remote::Result<()> {
    /// # let store = Arc::new(InMemory::new());
    /// let picks = [Pick { time: 0.5, depth: 8.0 }, Pick { time: 1.5, depth: 9.0 }];
    /// npy_remote::save(store.clone(), "picks.npy", &picks).await?;
    ///
    /// let array = RemoteNpy::open(store, "picks.npy").await?;
    /// let (depths, times) = array.columns::<(f32, f64)>(["depth", "time"]).await?;
    /// assert_eq!((depths, times), (vec![8.0, 9.0], vec![0.5, 1.5]));
    /// let (depths,) = array.columns_of_rows::<(f32,)>(["depth"], 1..2).await?;
    /// assert_eq!(depths, [9.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn columns<C: NpyColumns>(&self, names: C::Names<'_>) -> Result<C::Vecs> {
        let header = self.header();
        self.array.read_columns::<C>(names, 0..header.data_bytes(), header.element_count()).await
    }

    /// Reads single fields of a range of rows, each into its own vector.
    ///
    /// # Errors
    ///
    /// Fails like [`columns`](Self::columns), and if there are fewer rows.
    ///
    /// See [`columns`](Self::columns) for an example.
    pub async fn columns_of_rows<C: NpyColumns>(&self, names: C::Names<'_>, rows: Range<usize>) -> Result<C::Vecs> {
        let (range, count) = self.array.rows(rows)?;
        self.array.read_columns::<C>(names, range, count).await
    }

    /// Reads the whole array, whose dtype is known at run time.
    ///
    /// # Errors
    ///
    /// Fails like [`read_all`](Self::read_all), and if the array has Python objects.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use npy_remote::RemoteNpy;
    /// # use npy_remote::object_store::memory::InMemory;
    /// # #[tokio::main]
    /// # async fn main() -> npy_remote::Result<()> {
    /// # let store = Arc::new(InMemory::new());
    /// # npy_remote::save(store.clone(), "grid.npy", &[[1_u8, 2, 3], [4, 5, 6]]).await?;
    /// let grid = RemoteNpy::open(store, "grid.npy").await?;
    /// let values = grid.read_dyn().await?;
    /// assert_eq!((values.dtype().to_string(), values.shape()), ("|u1".to_owned(), &[2, 3][..]));
    /// let corner = grid.read_region_dyn(&[0.into(), 2.into()]).await?;
    /// assert_eq!(corner.bytes(), [3]);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "dynamic")]
    pub async fn read_dyn(&self) -> Result<npy_core::DynValues> {
        let header = self.header();
        self.array.read_values(Ranges::from(0..header.data_bytes()), header).await
    }

    /// Reads a rectangular region of an array whose dtype is known at run time.
    ///
    /// # Errors
    ///
    /// Fails like [`read_region`](Self::read_region) and [`read_dyn`](Self::read_dyn).
    ///
    /// See [`read_dyn`](Self::read_dyn) for an example.
    #[cfg(feature = "dynamic")]
    pub async fn read_region_dyn(&self, region: &[AxisRange]) -> Result<npy_core::DynValues> {
        let (ranges, shape) = self.array.region(region)?;
        let header = self.header().with_shape(&shape).map_err(|error| self.array.locate(error))?;
        self.array.read_values(ranges, &header).await
    }

    #[cfg(feature = "arrow")]
    pub(crate) fn array(&self) -> &Array {
        &self.array
    }
}

impl From<Array> for RemoteNpy {
    fn from(array: Array) -> Self {
        Self { array: array.into() }
    }
}

impl fmt::Debug for RemoteNpy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteNpy").field("header", self.header()).finish_non_exhaustive()
    }
}
