//! Many files as one Zarr array: a document of references, which Xarray and Dask read in place.

mod chunks;
mod document;
mod dtype;
#[cfg(feature = "serde")]
mod serialize;

use std::fs::{self, File};
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::format::header::Header;
use crate::limits::Limits;
use crate::options::Order;

use chunks::Source;
pub use document::ZarrReferences;

/// Describes many files as one Zarr array, without a copy: a document of references.
///
/// The document is of the form of `kerchunk` and `VirtualiZarr`, version 1: Zarr metadata (version
/// 2) and, for each chunk, the path, the offset and the length of its bytes. Its
/// [`Display`](std::fmt::Display) is the JSON that readers open. Only the headers are read.
///
/// The files are concatenated along axis 0 as the array `data`. They must have the same dtype, byte
/// order, order and axes after the first.
///
/// - **Chunks.** All chunks of a Zarr array have the same number of rows, here the greatest that
///   divides all files. Chunks larger than 128 MiB are divided further, to at least 1 MiB, for readers
///   that are parallel by chunks.
/// - **Rest.** Where that takes more than 16 chunks a file, and they are smaller than 1 MiB, the last
///   file does not count. Its rows after the last complete chunk become a second array, `rest`.
/// - **Dimensions.** They are `dim_0`, `dim_1`, … as Xarray names them; `rest_0` for the rows of `rest`.
/// - **Fortran order.** A file cannot be divided by rows. A large one is divided along the last axis.
/// - **Paths.** They stand in the document as given. Readers resolve relative ones in their working
///   directory. [`with_prefix`](ZarrReferences::with_prefix) prepends a directory or a URL.
///
/// Dtypes are those of Zarr 2: bools, integers, floats, complex numbers, times, `S`, `U`, `V` and
/// records of them. Padding of records becomes fields `pad…`, and titles are left out. The package
/// `zarr` 3.1 opens records of scalar fields only; nested ones and sub-arrays need version 2 of it.
///
/// ```
/// use npy_core::shards::{ShardWriter, Shards};
///
/// # let directory = tempfile::tempdir()?;
/// # let prefix = directory.path().join("steps");
/// let mut steps = ShardWriter::<f64>::open(&prefix, 1000)?;
/// (0..2337).try_for_each(|step| steps.push(&f64::from(step)))?;
/// steps.finish()?;
///
/// let steps = Shards::open(&prefix)?;
/// let references = npy_core::zarr_references(steps.shards().iter().map(|shard| &shard.path))?;
/// # let path = directory.path().join("steps.json");
/// std::fs::write(&path, references.to_string())?;
/// // xarray.open_dataset("steps.json", engine="kerchunk", chunks={})["data"].mean().compute()
/// # let text = std::fs::read_to_string(&path)?;
/// # assert!(text.contains(r#"data/.zarray"#) && text.contains(r#"\"shape\":[2000]"#) && text.contains(r#"\"shape\":[337]"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if there is no file, if a file cannot be read, is truncated or is a pipe, if its array has
/// no dimensions, or if its dtype has no counterpart in Zarr (objects, long doubles, types of
/// `ml_dtypes`, elements without bytes, elements that are sub-arrays). If two files do not fit, the
/// error names both. Fails also if a path is not UTF-8.
pub fn zarr_references<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<ZarrReferences> {
    let mut series: Option<Series> = None;
    for path in paths {
        let path = path.as_ref();
        let mut add = || {
            let (header, source) = open(path)?;
            match &mut series {
                Some(series) => series.push(&header, source),
                None => {
                    series = Some(Series::new(header, source)?);
                    Ok(())
                }
            }
        };
        add().map_err(|error| error.with_path(path))?;
    }
    let series = series.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "expected at least one file, found none"))?;
    let order = series.order.map_or(Order::C, |(order, _)| order);
    let itemsize = series.first.dtype().itemsize() as u64;
    let arrays = chunks::arrays(&series.sources, order, &series.first.shape()[1..], itemsize)?;
    Ok(ZarrReferences::new(series.dtype, order, arrays))
}

/// Files that are concatenated.
struct Series {
    first: Header,
    /// Its dtype, as Zarr spells it.
    dtype: String,
    /// The order of the first file for which it matters, and its index.
    order: Option<(Order, usize)>,
    sources: Vec<Source>,
}

impl Series {
    fn new(first: Header, source: Source) -> Result<Self> {
        let dtype = dtype::to_json(first.dtype())?;
        let order = order_of(&first).map(|order| (order, 0));
        Ok(Self { first, dtype, order, sources: vec![source] })
    }

    fn push(&mut self, header: &Header, source: Source) -> Result<()> {
        if header.dtype() != self.first.dtype() {
            return Err(self.differs(0, "dtype", &self.first.dtype().to_string(), &header.dtype().to_string()));
        }
        let (expected, found) = (&self.first.shape()[1..], &header.shape()[1..]);
        if expected != found {
            return Err(self.differs(0, "the axes behind the first", &format!("{expected:?}"), &format!("{found:?}")));
        }
        let index = self.sources.len();
        match (self.order, order_of(header)) {
            (Some((expected, first)), Some(found)) if expected != found => {
                return Err(self.differs(first, "order", &format!("{expected:?}"), &format!("{found:?}")));
            }
            (None, Some(order)) => self.order = Some((order, index)),
            _ => {}
        }
        self.sources.push(source);
        Ok(())
    }

    #[cold]
    fn differs(&self, index: usize, what: &str, expected: &str, found: &str) -> Error {
        let first = &self.sources[index].path;
        Error::new(ErrorKind::InvalidData, format!("expected {what} {expected} as in {first}, found {found}"))
    }
}

/// The order of an array, unless its bytes are the same in both: NumPy says C order for those.
fn order_of(header: &Header) -> Option<Order> {
    (!Order::are_same(header.shape())).then(|| header.order())
}

/// Reads the header of a file, and checks that all data are there.
fn open(path: &Path) -> Result<(Header, Source)> {
    let cannot_open = |error| Error::io("cannot open the file", error);
    // Opening a pipe would wait for a writer.
    let metadata = fs::metadata(path).map_err(cannot_open)?;
    if !metadata.is_file() {
        return Err(Error::not_regular_file());
    }
    let mut file = File::open(path).map_err(cannot_open)?;
    let (header, begin) = Header::read_with_offset(&mut file, &Limits::new())?;
    let begin = begin as u64;
    let Some(&rows) = header.shape().first() else {
        return Err(Error::wrong_dimensions(1, &[], None));
    };
    if !header.dtype().has_object() {
        let (expected, found) = (header.data_bytes(), metadata.len().saturating_sub(begin));
        if found < expected {
            return Err(Error::truncated("the array", begin, expected, found));
        }
    }
    let not_utf8 = || Error::new(ErrorKind::InvalidInput, "expected a path in UTF-8");
    let path = path.to_str().ok_or_else(not_utf8)?.to_owned();
    Ok((header, Source { path, rows: rows as u64, begin }))
}
