//! The byte ranges of files that are the chunks of an array.

use crate::error::describe::counted;
use crate::error::{Error, ErrorKind, Result};
use crate::options::Order;

/// Larger chunks are divided, so that a reader has parts to read in parallel, in bounded memory.
const MOST_BYTES: u64 = 128 << 20;

/// Chunks are not divided below this: each is a request of its own.
const LEAST_BYTES: u64 = 1 << 20;

/// Smaller chunks are fine if there are few.
const FEW_CHUNKS_OF_A_FILE: u64 = 16;

/// More small chunks than this are refused.
const MOST_CHUNKS: u64 = 1 << 16;

/// One of the files.
pub(super) struct Source {
    pub(super) path: String,
    pub(super) rows: u64,
    /// The offset of its data.
    pub(super) begin: u64,
}

/// An array of the document.
pub(super) struct VirtualArray {
    pub(super) name: &'static str,
    pub(super) shape: Vec<u64>,
    /// The shape of each chunk.
    pub(super) chunk: Vec<u64>,
    pub(super) chunk_bytes: u64,
    /// The axis along which the chunks of a file follow one another.
    pub(super) axis: usize,
    pub(super) files: Vec<FileChunks>,
}

/// The chunks of a file.
pub(super) struct FileChunks {
    pub(super) path: String,
    /// The offset of the first one.
    pub(super) begin: u64,
    /// The index of the first one along axis 0.
    pub(super) first: u64,
    /// The number of chunks.
    pub(super) count: u64,
}

/// A range of rows of a file.
struct RowRange<'a> {
    path: &'a str,
    begin: u64,
    rows: u64,
}

/// Lays out the array of all files, and one of the remaining rows of the last file.
///
/// `axes` are the lengths after the first axis.
pub(super) fn arrays(sources: &[Source], order: Order, axes: &[usize], itemsize: u64) -> Result<Vec<VirtualArray>> {
    let overflow = || Error::shape_overflow(axes, usize::try_from(itemsize).unwrap_or(usize::MAX));
    let total = sources.iter().try_fold(0_u64, |rows, source| rows.checked_add(source.rows)).ok_or_else(overflow)?;
    let layout = RowLayout { order, axes: axes.iter().map(|length| *length as u64).collect(), itemsize };
    let row_bytes = layout.row_bytes();
    let filled: Vec<&Source> = sources.iter().filter(|source| source.rows > 0).collect();
    let (Some(last), 1..) = (filled.last(), row_bytes) else {
        // Nothing to refer to.
        return Ok(vec![layout.array("data", total, total.max(1), Vec::new())]);
    };
    let rows: Vec<u64> = filled.iter().map(|source| source.rows).collect();
    let (chunk, rest) = match order {
        Order::C => rows_of_chunk(&rows, row_bytes).map(|chunk| (chunk, last.rows % chunk)),
        Order::Fortran => rows_of_files(&rows),
    }
    .ok_or_else(|| other_rows(&filled))?;
    let whole = filled.iter().map(|source| RowRange { path: &source.path, begin: source.begin, rows: source.rows });
    let mut parts: Vec<RowRange<'_>> = whole.collect();
    if let Some(last) = parts.last_mut() {
        last.rows -= rest;
    }
    parts.retain(|part| part.rows > 0);
    let mut arrays = vec![layout.array("data", total - rest, chunk, parts)];
    if rest > 0 {
        let begin = last.begin + (last.rows - rest) * row_bytes;
        arrays.push(layout.array("rest", rest, rest, vec![RowRange { path: &last.path, begin, rows: rest }]));
    }
    Ok(arrays)
}

/// The layout that all files share.
struct RowLayout {
    order: Order,
    /// The lengths of the axes after the first.
    axes: Vec<u64>,
    itemsize: u64,
}

impl RowLayout {
    /// The bytes of a row. Does not saturate for a file whose data are complete.
    fn row_bytes(&self) -> u64 {
        self.axes.iter().fold(self.itemsize, |bytes, length| bytes.saturating_mul(*length))
    }

    fn array(&self, name: &'static str, all_rows: u64, rows: u64, parts: Vec<RowRange<'_>>) -> VirtualArray {
        let mut shape = vec![all_rows];
        shape.extend_from_slice(&self.axes);
        // A chunk has at least one row, even if an axis is empty.
        let mut chunk: Vec<u64> = shape.iter().map(|length| *length.max(&1)).collect();
        chunk[0] = rows;
        let axis = if self.order == Order::C { 0 } else { self.axes.len() };
        let mut columns = 1;
        if axis > 0 {
            columns = divisor(chunk[axis], rows.saturating_mul(self.row_bytes()) / chunk[axis]);
            chunk[axis] /= columns;
        }
        let chunk_bytes = chunk.iter().fold(self.itemsize, |bytes, length| bytes.saturating_mul(*length));
        let mut first = 0;
        let files = parts.into_iter().map(|RowRange { path, begin, rows: file_rows }| {
            let along_rows = file_rows / rows;
            let chunks = FileChunks { path: path.to_owned(), begin, first, count: if axis == 0 { along_rows } else { columns } };
            first += along_rows;
            chunks
        });
        let files = files.collect();
        VirtualArray { name, shape, chunk, chunk_bytes, axis, files }
    }
}

/// The rows of a chunk, where a file is divided by rows. The last file may have a rest.
fn rows_of_chunk(rows: &[u64], row_bytes: u64) -> Option<u64> {
    let (_, head) = rows.split_last()?;
    let is_good = |unit: u64, rows: &[u64]| {
        let chunks = rows.iter().sum::<u64>() / unit.max(1);
        let is_few = chunks <= FEW_CHUNKS_OF_A_FILE.saturating_mul(rows.len() as u64);
        unit > 0 && (is_few || unit.saturating_mul(row_bytes) >= LEAST_BYTES)
    };
    let (of_all, of_head) = (common_divisor(rows), common_divisor(head));
    let unit = if is_good(of_all, rows) {
        of_all
    } else if is_good(of_head, head) {
        of_head
    } else if rows.iter().sum::<u64>() / of_all <= MOST_CHUNKS {
        of_all
    } else {
        return None;
    };
    Some(unit / divisor(unit, row_bytes))
}

/// The rows of a chunk, where it has all rows of a file; and those of the last file, if they are
/// others.
fn rows_of_files(rows: &[u64]) -> Option<(u64, u64)> {
    let (last, head) = rows.split_last()?;
    let first = *head.first().unwrap_or(last);
    head.iter().all(|rows| *rows == first).then_some((first, if *last == first { 0 } else { *last }))
}

fn common_divisor(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |mut a, &b| {
        let mut b = b;
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}

/// The number of equal parts to divide a length into, whose units have `bytes` each.
fn divisor(length: u64, bytes: u64) -> u64 {
    let all = length.saturating_mul(bytes);
    let least = all.div_ceil(MOST_BYTES).max(1);
    let most = (all / LEAST_BYTES).min(MOST_CHUNKS);
    let divides = |parts: &u64| length.is_multiple_of(*parts);
    // Rather too large than too small.
    (least..=most).find(divides).or_else(|| (1..least.min(MOST_CHUNKS)).rev().find(divides)).unwrap_or(1)
}

#[cold]
fn other_rows(filled: &[&Source]) -> Error {
    let first = filled.first().map_or(("", 0), |first| (first.path.as_str(), first.rows));
    let other = filled.iter().find(|other| other.rows != first.1).map_or(first, |other| (other.path.as_str(), other.rows));
    let (expected, first, found) = (counted(first.1, "row"), first.0, other.1);
    let message = format!("expected {expected} as in {first}, found {found}; only the last file may have other rows");
    Error::new(ErrorKind::InvalidData, message).with_path(other.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn sources(rows: &[u64]) -> Vec<Source> {
        rows.iter().enumerate().map(|(number, rows)| Source { path: number.to_string(), rows: *rows, begin: 128 }).collect()
    }

    /// Each array as `(shape, chunk, [(path, begin, first, count)])`.
    type Described = Vec<(Vec<u64>, Vec<u64>, Vec<(String, u64, u64, u64)>)>;

    fn described(rows: &[u64], order: Order, axes: &[usize], itemsize: u64) -> Described {
        let arrays = arrays(&sources(rows), order, axes, itemsize).unwrap();
        let describe = |array: VirtualArray| {
            let files = array.files.into_iter().map(|file| (file.path, file.begin, file.first, file.count));
            (array.shape, array.chunk, files.collect())
        };
        arrays.into_iter().map(describe).collect()
    }

    fn chunk_of(rows: &[u64], itemsize: u64) -> (u64, u64) {
        let arrays = described(rows, Order::C, &[], itemsize);
        (arrays[0].1[0], arrays.get(1).map_or(0, |rest| rest.0[0]))
    }

    #[test]
    fn divides_the_rows_of_all_files() {
        assert_eq!(chunk_of(&[1000, 1000, 1000], 8), (1000, 0));
        assert_eq!(chunk_of(&[1000, 500, 1500], 8), (500, 0));
        assert_eq!(chunk_of(&[0, 6, 0, 4, 0], 8), (2, 0));
        assert_eq!(chunk_of(&[7], 8), (7, 0));
        // One row a chunk would be too many; so the last file has a rest.
        assert_eq!(chunk_of(&[1000, 1000, 337], 8), (1000, 337));
        assert_eq!(chunk_of(&[1000, 1000, 2337], 8), (1000, 337));
        assert_eq!(chunk_of(&[1000, 1000, 1], 8), (1000, 1));
        // Too many, but the best there is.
        assert_eq!(chunk_of(&[1000, 337, 1000], 8), (1, 0));
    }

    #[test]
    fn chunks_have_between_1_and_128_mib_where_a_number_divides() {
        assert_eq!(chunk_of(&[1 << 30], 8), ((128 * MIB) / 8, 0));
        assert_eq!(chunk_of(&[1 << 20, 1 << 21], 1), (1 << 20, 0));
        // Thirds, because halves do not divide.
        assert_eq!(chunk_of(&[3 * 45_000_017], 1), (45_000_017, 0));
        // A prime: undivided.
        assert_eq!(chunk_of(&[1_000_000_007], 8), (1_000_000_007, 0));
        // 2 · prime: the halves are too large, but better than nothing.
        assert_eq!(chunk_of(&[2_000_000_014], 8), (1_000_000_007, 0));
        // The rest of divided files is counted by their chunks.
        let (chunk, rest) = chunk_of(&[1 << 30, (1 << 30) + 5], 1);
        assert_eq!((chunk, rest), (128 * MIB, 5));
    }

    #[test]
    fn divides_fortran_order_along_the_last_axis() {
        let arrays = described(&[4, 4, 3], Order::Fortran, &[2, 5], 8);
        let piece = |path: &str, first| (path.to_owned(), 128, first, 1);
        assert_eq!(arrays[0], (vec![8, 2, 5], vec![4, 2, 5], vec![piece("0", 0), piece("1", 1)]));
        assert_eq!(arrays[1], (vec![3, 2, 5], vec![3, 2, 5], vec![piece("2", 0)]));
        let arrays = described(&[1 << 20, 1 << 20], Order::Fortran, &[1000], 8);
        assert_eq!(arrays[0].1, [1 << 20, 10]); // 80 MiB
        assert_eq!(arrays[0].2[1], ("1".to_owned(), 128, 1, 100));
    }

    #[test]
    fn begins_pieces_where_the_one_before_ends() {
        let arrays = described(&[4, 6, 3], Order::C, &[3], 1 << 20);
        assert_eq!(arrays[0].1, [1, 3]);
        let pieces: Vec<_> = arrays[0].2.iter().map(|(_, begin, first, count)| (*begin, *first, *count)).collect();
        assert_eq!(pieces, [(128, 0, 4), (128, 4, 6), (128, 10, 3)]);
    }

    #[test]
    fn refers_to_nothing_without_bytes() {
        assert_eq!(described(&[0, 0], Order::C, &[3], 8), [(vec![0, 3], vec![1, 3], Vec::new())]);
        assert_eq!(described(&[2, 5], Order::C, &[0], 8), [(vec![7, 0], vec![7, 1], Vec::new())]);
    }

    #[test]
    fn refuses_too_many_chunks() {
        let error = arrays(&sources(&[1_000_000, 999_999, 1_000_000]), Order::C, &[], 8).err().unwrap();
        assert_eq!(error.to_string(), "1: expected 1000000 rows as in 0, found 999999; only the last file may have other rows");
        let error = arrays(&sources(&[4, 3, 4]), Order::Fortran, &[2], 8).err().unwrap();
        assert!(error.to_string().starts_with("1: expected 4 rows as in 0, found 3"), "{error}");
        assert!(arrays(&sources(&[u64::MAX, 1]), Order::C, &[], 1).is_err());
    }

    #[test]
    fn huge_claims_are_decided_at_once() {
        for rows in [u64::MAX >> 1, (u64::MAX >> 1) - 1, 9_223_372_036_854_775_783] {
            assert!(chunk_of(&[rows], 1).0 > 0);
        }
    }
}
