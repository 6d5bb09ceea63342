//! Sparse matrices as `scipy.sparse.save_npz` stores them.
//!
//! ```
//! use npy_ndarray::NpzArchive;
//! use npy_ndarray::sparse::CsrMatrix;
//!
//! # let path = tempfile::NamedTempFile::new()?.into_temp_path();
//! // [[0, 2], [3, 0]]
//! let graph = CsrMatrix::new([2, 2], vec![0, 1, 2], vec![1, 0], vec![2.0, 3.0])?;
//! graph.save_npz(&path)?; // scipy.sparse.load_npz(path)
//!
//! let graph = CsrMatrix::<f64>::load_npz(&path)?;
//! assert_eq!(graph.shape, [2, 2]);
//! assert_eq!(graph.indices, [1, 0]);
//! # Ok::<(), npy_ndarray::Error>(())
//! ```
//!
//! Each is a struct of the arrays that SciPy has; [`SparseMatrix`] is any of them. Indices are
//! checked to be within the matrix. They are 32 or 64 bits wide in the file, whatever fits, as in
//! SciPy. SciPy compresses by default; here
//! [`save_npz_with`](super::super::NpzArchive::save_npz_with) does with
//! [`npz::WriteOptions::compressed`](npy_core::npz::WriteOptions::compressed).

use std::io::{Read, Seek, Write};

use super::super::ndarray::{Array, Array2, Array3, ArrayD, Dimension, Ix1, Ix2};
use npy_core::error::tuple;
use npy_core::types::FixedBytes;
use npy_core::{Error, ErrorKind, NpyElement, NpyReader, Result};

use super::archive::{MemberWriter, NpzArchive, NpzField, NpzValue, Pending, ReadPlan};

/// A sparse matrix of compressed rows.
///
/// The entries of row `i` are `data[indptr[i]..indptr[i + 1]]`, in the columns
/// `indices[indptr[i]..indptr[i + 1]]`.
///
/// ```
/// use npy_ndarray::sparse::CsrMatrix;
///
/// // [[0, 2], [3, 4]]
/// let matrix = CsrMatrix::new([2, 2], vec![0, 1, 3], vec![1, 0, 1], vec![2.0, 3.0, 4.0])?;
/// let second = matrix.indptr[1]..matrix.indptr[2];
/// assert_eq!(matrix.data[second], [3.0, 4.0]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CsrMatrix<T> {
    /// The numbers of rows and columns.
    pub shape: [usize; 2],
    /// The first entry of each row, and the end of the last row.
    pub indptr: Vec<usize>,
    /// The column of each entry.
    pub indices: Vec<usize>,
    /// The entries.
    pub data: Vec<T>,
    /// Whether it is a `csr_array` in SciPy instead of a `csr_matrix`.
    pub is_array: bool,
}

/// A sparse matrix of compressed columns.
///
/// It is a [`CsrMatrix`] with rows and columns exchanged.
///
/// ```
/// use npy_ndarray::sparse::CscMatrix;
///
/// // [[0, 2], [3, 0]]: the 3 stands first, because it is in the first column
/// let matrix = CscMatrix::new([2, 2], vec![0, 1, 2], vec![1, 0], vec![3.0, 2.0])?;
/// assert_eq!((matrix.indices[0], matrix.data[0]), (1, 3.0));
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CscMatrix<T> {
    /// The numbers of rows and columns.
    pub shape: [usize; 2],
    /// The first entry of each column, and the end of the last column.
    pub indptr: Vec<usize>,
    /// The row of each entry.
    pub indices: Vec<usize>,
    /// The entries.
    pub data: Vec<T>,
    /// Whether it is a `csc_array` in SciPy instead of a `csc_matrix`.
    pub is_array: bool,
}

/// A sparse matrix of compressed rows of dense blocks.
///
/// ```
/// use ndarray::array;
/// use npy_ndarray::sparse::BsrMatrix;
///
/// // [[0, 0, 1, 2], [0, 0, 3, 4]]: one row of blocks, and in it the block of column 1
/// let matrix = BsrMatrix::new([2, 4], vec![0, 1], vec![1], array![[[1, 2], [3, 4]]])?;
/// assert_eq!(matrix.data.dim(), (1, 2, 2));
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BsrMatrix<T> {
    /// The numbers of rows and columns.
    pub shape: [usize; 2],
    /// The first block of each row of blocks, and the end of the last row.
    pub indptr: Vec<usize>,
    /// The column of each block, counted in blocks.
    pub indices: Vec<usize>,
    /// The blocks: their number, and the rows and columns of each.
    pub data: Array3<T>,
    /// Whether it is a `bsr_array` in SciPy instead of a `bsr_matrix`.
    pub is_array: bool,
}

/// A sparse matrix of coordinates, of any number of dimensions.
///
/// Several entries in one place are summed.
///
/// ```
/// use npy_ndarray::sparse::CooMatrix;
///
/// // 5 in row 0 and column 1, 7 in row 2 and column 1
/// let (rows, columns) = (vec![0, 2], vec![1, 1]);
/// let matrix = CooMatrix::new(vec![3, 3], vec![rows, columns], vec![5, 7])?;
/// let error = CooMatrix::new(vec![2, 3], matrix.coords, matrix.data).unwrap_err();
/// assert_eq!(error.to_string(), "invalid sparse matrix: expected indices less than 2, found 2");
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CooMatrix<T> {
    /// The lengths of the axes; of a matrix, rows and columns.
    pub shape: Vec<usize>,
    /// The index of each entry along each axis; of a matrix, the rows and the columns.
    pub coords: Vec<Vec<usize>>,
    /// The entries.
    pub data: Vec<T>,
    /// Whether it is a `coo_array` in SciPy instead of a `coo_matrix`.
    pub is_array: bool,
}

/// A sparse matrix of diagonals.
///
/// `data[[k, j]]` is the entry in row `j - offsets[k]` and column `j`.
///
/// ```
/// use ndarray::array;
/// use npy_ndarray::sparse::DiaMatrix;
///
/// // [[1, 20, 0], [0, 2, 30], [0, 0, 3]]: the main diagonal, and the one above it, whose first number is outside
/// let matrix = DiaMatrix::new([3, 3], vec![0, 1], array![[1, 2, 3], [0, 20, 30]])?;
/// assert_eq!(matrix.offsets, [0, 1]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiaMatrix<T> {
    /// The numbers of rows and columns.
    pub shape: [usize; 2],
    /// The distance of each diagonal above the main one; negative below it.
    pub offsets: Vec<isize>,
    /// A row for each diagonal.
    pub data: Array2<T>,
    /// Whether it is a `dia_array` in SciPy instead of a `dia_matrix`.
    pub is_array: bool,
}

/// A sparse matrix of any format.
///
/// ```
/// use npy_ndarray::NpzArchive;
/// use npy_ndarray::sparse::{CooMatrix, SparseMatrix};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// CooMatrix::new(vec![3, 3], vec![vec![0, 2], vec![1, 1]], vec![1.0, 2.0])?.save_npz(&path)?;
/// match SparseMatrix::<f64>::load_npz(&path)? {
///     SparseMatrix::Coo(matrix) => assert_eq!(matrix.coords[0], [0, 2]),
///     other => println!("{other:?}"),
/// }
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SparseMatrix<T> {
    /// Compressed rows.
    Csr(CsrMatrix<T>),
    /// Compressed columns.
    Csc(CscMatrix<T>),
    /// A sparse matrix of compressed rows of dense blocks.
    Bsr(BsrMatrix<T>),
    /// Coordinates.
    Coo(CooMatrix<T>),
    /// Diagonals.
    Dia(DiaMatrix<T>),
}

macro_rules! compressed {
    ($name:ident, $major:literal, $minor:literal) => {
        impl<T> $name<T> {
            /// Creates a matrix of these arrays.
            ///
            /// See [`CsrMatrix`] and [`CscMatrix`] for an example.
            ///
            /// Fails if their lengths do not fit, or if an index is outside of the matrix.
            pub fn new(shape: [usize; 2], indptr: Vec<usize>, indices: Vec<usize>, data: Vec<T>) -> Result<Self> {
                check_compressed(shape[$major], shape[$minor], &indptr, &indices, data.len())?;
                Ok(Self { shape, indptr, indices, data, is_array: false })
            }
        }
    };
}

compressed!(CsrMatrix, 0, 1);
compressed!(CscMatrix, 1, 0);

impl<T> BsrMatrix<T> {
    /// Creates a matrix of these arrays.
    ///
    /// # Errors
    ///
    /// Fails if their lengths do not fit, if the shape is not a multiple of that of the blocks, or
    /// if an index is outside of the matrix.
    pub fn new(shape: [usize; 2], indptr: Vec<usize>, indices: Vec<usize>, data: Array3<T>) -> Result<Self> {
        let (count, rows, columns) = data.dim();
        if rows == 0 || columns == 0 || !shape[0].is_multiple_of(rows) || !shape[1].is_multiple_of(columns) {
            return Err(invalid(format!(
                "expected a shape that is a multiple of the blocks {}, found {}",
                tuple(&[rows, columns]),
                tuple(&shape)
            )));
        }
        check_compressed(shape[0] / rows, shape[1] / columns, &indptr, &indices, count)?;
        Ok(Self { shape, indptr, indices, data, is_array: false })
    }
}

impl<T> CooMatrix<T> {
    /// Creates a matrix, or an array of any number of dimensions.
    ///
    /// Fails if their lengths do not fit, or if an index is outside of the matrix.
    pub fn new(shape: Vec<usize>, coords: Vec<Vec<usize>>, data: Vec<T>) -> Result<Self> {
        if coords.len() != shape.len() {
            return Err(wrong_length("`coords`", shape.len(), coords.len()));
        }
        for (coords, length) in coords.iter().zip(&shape) {
            if coords.len() != data.len() {
                return Err(wrong_length("each array in `coords`", data.len(), coords.len()));
            }
            check_indices(coords, *length)?;
        }
        Ok(Self { shape, coords, data, is_array: false })
    }
}

impl<T> DiaMatrix<T> {
    /// Creates a matrix of these arrays.
    ///
    /// Fails if the numbers of diagonals and offsets differ, or if an offset occurs twice.
    pub fn new(shape: [usize; 2], offsets: Vec<isize>, data: Array2<T>) -> Result<Self> {
        if data.nrows() != offsets.len() {
            return Err(wrong_length("`offsets`", data.nrows(), offsets.len()));
        }
        let mut sorted = offsets.clone();
        sorted.sort_unstable();
        if let Some((offset, _)) = sorted.iter().zip(sorted.iter().skip(1)).find(|(a, b)| a == b) {
            return Err(invalid(format!("duplicate diagonal offset {offset}")));
        }
        Ok(Self { shape, offsets, data, is_array: false })
    }
}

fn check_compressed(major: usize, minor: usize, indptr: &[usize], indices: &[usize], entries: usize) -> Result<()> {
    if indptr.len().checked_sub(1) != Some(major) {
        return Err(wrong_length("`indptr`", major.saturating_add(1), indptr.len()));
    }
    if indices.len() != entries {
        return Err(wrong_length("`indices`", entries, indices.len()));
    }
    let grows = indptr.first() == Some(&0) && indptr.is_sorted() && indptr.last().is_some_and(|last| *last <= entries);
    if !grows {
        return Err(invalid(format!("expected `indptr` to increase from 0 to at most {entries}")));
    }
    check_indices(indices, minor)
}

fn check_indices(indices: &[usize], length: usize) -> Result<()> {
    match indices.iter().find(|index| **index >= length) {
        Some(index) => Err(invalid(format!("expected indices less than {length}, found {index}"))),
        None => Ok(()),
    }
}

#[cold]
fn invalid(problem: impl std::fmt::Display) -> npy_core::Error {
    npy_core::Error::new(ErrorKind::InvalidData, format!("invalid sparse matrix: {problem}"))
}

#[cold]
fn wrong_length(array: &'static str, expected: usize, found: usize) -> npy_core::Error {
    invalid(format!("expected {array} of length {expected}, found {found}"))
}

#[cold]
fn out_of_range(found: impl TryInto<i128>) -> npy_core::Error {
    invalid(format!("index {} out of range", found.try_into().unwrap_or(i128::MAX)))
}

/// An array of integers, of 32 or 64 bits in the file.
struct Integers<D: Dimension>(Array<i64, D>);

impl<D: Dimension + 'static> NpzValue for Integers<D> {
    fn from_npy<R: Read>(reader: NpyReader<R>) -> Result<Self> {
        if reader.header().dtype().itemsize() == size_of::<i32>() {
            return Array::<i32, D>::from_npy(reader).map(|array| Self(array.mapv(i64::from)));
        }
        Array::from_npy(reader).map(Self)
    }

    fn to_npy(&self, writer: &mut dyn Write) -> Result<()> {
        self.0.to_npy(writer)
    }
}

impl Integers<Ix1> {
    fn into_counts(self) -> Result<Vec<usize>> {
        let count = |item: &i64| usize::try_from(*item).map_err(|_| out_of_range(*item));
        self.0.iter().map(count).collect()
    }
}

/// The members of any sparse matrix.
struct Members<T> {
    format: String,
    shape: Vec<usize>,
    data: ArrayD<T>,
    is_array: bool,
    indptr: Option<Integers<Ix1>>,
    indices: Option<Integers<Ix1>>,
    offsets: Option<Integers<Ix1>>,
    /// The lengths of the axes.
    row: Option<Integers<Ix1>>,
    col: Option<Integers<Ix1>>,
    coords: Option<Integers<Ix2>>,
}

impl<T: NpyElement + Send + 'static> Members<T> {
    fn plan<R: Read + Seek>(plan: &mut ReadPlan<'_, R>) -> Pending<Self> {
        let format = String::plan_first(&["format"], plan);
        let shape = Integers::<Ix1>::plan_first(&["shape"], plan);
        let data = ArrayD::<T>::plan_first(&["data"], plan);
        let is_array = bool::plan_if_there(&["_is_array"], plan);
        let [indptr, indices, offsets, row, col] =
            ["indptr", "indices", "offsets", "row", "col"].map(|name| Integers::<Ix1>::plan_if_there(&[name], plan));
        let coords = Integers::<Ix2>::plan_if_there(&["coords"], plan);
        Box::new(move || {
            let take = |list: Option<Pending<_>>| list.map(|list| list()).transpose();
            Ok(Self {
                format: format()?,
                shape: shape()?.into_counts()?,
                data: data()?,
                is_array: is_array.map_or(Ok(false), |is_array| is_array())?,
                indptr: take(indptr)?,
                indices: take(indices)?,
                offsets: take(offsets)?,
                row: take(row)?,
                col: take(col)?,
                coords: coords.map(|coords| coords()).transpose()?,
            })
        })
    }

    fn expect(&self, format: &str) -> Result<()> {
        if self.format == format {
            return Ok(());
        }
        Err(invalid(format!("expected format {format:?}, found {:?}; `SparseMatrix` reads every format", self.format)))
    }

    fn matrix_shape(&self) -> Result<[usize; 2]> {
        <[usize; 2]>::try_from(&*self.shape)
            .map_err(|_| invalid(format!("expected 2 dimensions, found shape {}", tuple(&self.shape))))
    }

    /// The entries with the number of dimensions of `D`.
    fn data<D: Dimension>(data: ArrayD<T>) -> Result<Array<T, D>> {
        let (expected, shape) = (D::NDIM.unwrap_or_default(), data.shape().to_vec());
        data.into_dimensionality().map_err(|_| Error::wrong_dimensions(expected, &shape, None).with_member("data"))
    }

    fn entries(data: ArrayD<T>) -> Result<Vec<T>> {
        Ok(Self::data::<Ix1>(data)?.into_raw_vec_and_offset().0)
    }
}

/// A member that the format needs.
fn needed<T>(name: &str, list: Option<T>) -> Result<T> {
    list.ok_or_else(|| invalid(format!("missing array {name:?}")))
}

/// The two arrays of indices of compressed rows or columns.
fn read_indices<T>(members: &mut Members<T>) -> Result<(Vec<usize>, Vec<usize>)> {
    let (indptr, indices) = (members.indptr.take(), members.indices.take());
    Ok((needed("indptr", indptr)?.into_counts()?, needed("indices", indices)?.into_counts()?))
}

fn write_indices<W: Write>(
    archive: &mut MemberWriter<'_, W>,
    shape: [usize; 2],
    indptr: &[usize],
    indices: &[usize],
) -> Result<()> {
    let width = Width::of(&shape, indices.len());
    width.write(archive, "indices", indices)?;
    width.write(archive, "indptr", indptr)
}

/// Compressed rows and columns, and rows of blocks, differ in the dimensions of their entries
/// alone.
macro_rules! compressed_members {
    ($name:ident, $entries:path) => {
        impl<T: NpyElement + Send + 'static> $name<T> {
            fn of(mut members: Members<T>) -> Result<Self> {
                let (shape, (indptr, indices)) = (members.matrix_shape()?, read_indices(&mut members)?);
                Self::new(shape, indptr, indices, $entries(members.data)?)
            }

            fn write_places<W: Write>(&self, archive: &mut MemberWriter<'_, W>) -> Result<()> {
                write_indices(archive, self.shape, &self.indptr, &self.indices)
            }
        }
    };
}

compressed_members!(CsrMatrix, Members::entries);
compressed_members!(CscMatrix, Members::entries);
compressed_members!(BsrMatrix, Members::data);

impl<T: NpyElement + Send + 'static> CooMatrix<T> {
    fn of(members: Members<T>) -> Result<Self> {
        let coords = match members.coords {
            Some(coords) => coords.0.outer_iter().map(|axis| Integers(axis.to_owned()).into_counts()).collect::<Result<_>>()?,
            None => vec![needed("row", members.row)?.into_counts()?, needed("col", members.col)?.into_counts()?],
        };
        Self::new(members.shape, coords, Members::entries(members.data)?)
    }

    fn write_places<W: Write>(&self, archive: &mut MemberWriter<'_, W>) -> Result<()> {
        let width = Width::of(&self.shape, 0);
        match &*self.coords {
            [row, col] => {
                width.write(archive, "row", row)?;
                width.write(archive, "col", col)
            }
            coords => width.write_axes(archive, "coords", coords),
        }
    }
}

impl<T: NpyElement + Send + 'static> DiaMatrix<T> {
    fn of(members: Members<T>) -> Result<Self> {
        let shape = members.matrix_shape()?;
        let offset = |item: &i64| isize::try_from(*item).map_err(|_| out_of_range(*item));
        let offsets = needed("offsets", members.offsets)?.0.iter().map(offset).collect::<Result<_>>()?;
        Self::new(shape, offsets, Members::data(members.data)?)
    }

    fn write_places<W: Write>(&self, archive: &mut MemberWriter<'_, W>) -> Result<()> {
        match numbers::<_, i32>(&self.offsets) {
            Ok(offsets) => archive.value("offsets", &offsets),
            Err(_) => archive.value("offsets", &numbers::<_, i64>(&self.offsets)?),
        }
    }
}

/// The members of all formats, around the indices.
macro_rules! archive {
    ($name:ident, $format:literal) => {
        impl<T: NpyElement + Send + 'static> NpzArchive for $name<T> {
            fn plan_read<R: Read + Seek>(plan: &mut ReadPlan<'_, R>) -> Pending<Self> {
                let members = Members::plan(plan);
                Box::new(|| {
                    let members = members()?;
                    members.expect($format)?;
                    let is_array = members.is_array;
                    Ok(Self { is_array, ..Self::of(members)? })
                })
            }

            fn write_members<W: Write>(&self, archive: &mut MemberWriter<'_, W>) -> Result<()> {
                self.write_places(archive)?;
                archive.scalar("format", &FixedBytes::<3>::new($format.as_bytes())?)?;
                archive.value("shape", &numbers::<_, i64>(&self.shape)?)?;
                archive.value("data", &self.data)?;
                if self.is_array { archive.scalar("_is_array", &true) } else { Ok(()) }
            }
        }
    };
}

archive!(CsrMatrix, "csr");
archive!(CscMatrix, "csc");
archive!(BsrMatrix, "bsr");
archive!(CooMatrix, "coo");
archive!(DiaMatrix, "dia");

/// The width of indices: 32 bits if all numbers of the matrix fit, as in SciPy.
#[derive(Clone, Copy)]
enum Width {
    Narrow,
    Wide,
}

impl Width {
    fn of(shape: &[usize], entries: usize) -> Self {
        let most = shape.iter().copied().max().unwrap_or_default().max(entries);
        if i32::try_from(most).is_ok() { Self::Narrow } else { Self::Wide }
    }

    fn write<W: Write>(self, archive: &mut MemberWriter<'_, W>, name: &str, indices: &[usize]) -> Result<()> {
        match self {
            Self::Narrow => archive.value(name, &numbers::<_, i32>(indices)?),
            Self::Wide => archive.value(name, &numbers::<_, i64>(indices)?),
        }
    }

    fn write_axes<W: Write>(self, archive: &mut MemberWriter<'_, W>, name: &str, axes: &[Vec<usize>]) -> Result<()> {
        let shape = [axes.len(), axes.first().map_or(0, Vec::len)];
        let unequal = |_| {
            let found = axes.iter().map(Vec::len).find(|length| *length != shape[1]).unwrap_or_default();
            wrong_length("each array in `coords`", shape[1], found)
        };
        let indices = axes.concat();
        match self {
            Self::Narrow => archive.value(name, &Array2::from_shape_vec(shape, numbers::<_, i32>(&indices)?).map_err(unequal)?),
            Self::Wide => archive.value(name, &Array2::from_shape_vec(shape, numbers::<_, i64>(&indices)?).map_err(unequal)?),
        }
    }
}

/// Numbers as they are stored. The fields of a matrix can be set to any.
fn numbers<N: Copy + TryInto<i128>, I: TryFrom<N>>(items: &[N]) -> Result<Vec<I>> {
    let number = |item: &N| I::try_from(*item).map_err(|_| out_of_range(*item));
    items.iter().map(number).collect()
}

impl<T: NpyElement + Send + 'static> NpzArchive for SparseMatrix<T> {
    fn plan_read<R: Read + Seek>(plan: &mut ReadPlan<'_, R>) -> Pending<Self> {
        let members = Members::plan(plan);
        Box::new(|| {
            let members = members()?;
            let is_array = members.is_array;
            match &*members.format {
                "csr" => Ok(Self::Csr(CsrMatrix { is_array, ..CsrMatrix::of(members)? })),
                "csc" => Ok(Self::Csc(CscMatrix { is_array, ..CscMatrix::of(members)? })),
                "bsr" => Ok(Self::Bsr(BsrMatrix { is_array, ..BsrMatrix::of(members)? })),
                "coo" => Ok(Self::Coo(CooMatrix { is_array, ..CooMatrix::of(members)? })),
                "dia" => Ok(Self::Dia(DiaMatrix { is_array, ..DiaMatrix::of(members)? })),
                format => {
                    Err(invalid(format!("unknown format {format:?}: expected \"csr\", \"csc\", \"bsr\", \"coo\" or \"dia\"")))
                }
            }
        })
    }

    fn write_members<W: Write>(&self, archive: &mut MemberWriter<'_, W>) -> Result<()> {
        match self {
            Self::Csr(matrix) => matrix.write_members(archive),
            Self::Csc(matrix) => matrix.write_members(archive),
            Self::Bsr(matrix) => matrix.write_members(archive),
            Self::Coo(matrix) => matrix.write_members(archive),
            Self::Dia(matrix) => matrix.write_members(archive),
        }
    }
}
