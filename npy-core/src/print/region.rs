//! Prints arrays in files, and reads only the printed elements.

use std::borrow::Cow;
use std::io::{Read, Seek};
use std::iter;

use super::array::Printed;
use super::options::PrintOptions;
use crate::dynamic::DynValues;
use crate::error::{Error, Result};
use crate::format::region::{AxisRange, Taken, region_shape, resolve};
use crate::memory::reserve_exact;
use crate::options::Order;
use crate::read::NpyReader;

/// The most bytes of printed elements of an abbreviated array: it has 6 along each axis.
const MOST_BYTES: u64 = 1 << 30;

/// The most corners of an array: 2 to the power of its abbreviated axes.
const MOST_CORNERS: u64 = 1 << 16;

const ADVICE: &str = "print a smaller region";

impl<R: Read + Seek> NpyReader<R> {
    /// Formats a region as NumPy prints it, and reads only the printed elements.
    ///
    /// It reads six of a million elements, unless the [options](PrintOptions) ask for more.
    /// Fails if the printed elements of an array of many axes exceed 1 GiB.
    pub fn print_region(&mut self, region: &[AxisRange], options: impl Into<PrintOptions>) -> Result<Printed<'static>> {
        let options = options.into();
        let shape = region_shape(self.header(), region)?;
        let edges = options.edges(&shape);
        let values = self.read_edges(region, &edges)?;
        Ok(Printed { values: Cow::Owned(values), shape, options })
    }

    /// Reads the elements of a region that are printed: those at both ends of each axis that has an edge.
    ///
    /// The [edges](PrintOptions::edges) are those of the shape of the region. An axis without one, or with one of more than
    /// half of its length, is read whole. The result is in C order, or in that of the file if no axis has an edge. [`DynValues::display_edges`] prints it.
    pub fn read_edges(&mut self, region: &[AxisRange], edges: &[Option<usize>]) -> Result<DynValues> {
        if edges.iter().all(Option::is_none) {
            return self.read_region_values(region);
        }
        let axes: Vec<Vec<Run>> = resolve(self.header(), region)?
            .iter()
            .zip(edges.iter().chain(iter::repeat(&None)))
            .map(|(taken, edge)| runs_of(taken, *edge))
            .collect();
        let shape: Vec<usize> = axes.iter().map(|runs| runs.iter().map(|run| run.count).sum()).collect();
        let dtype = self.header().dtype().clone();
        let itemsize = dtype.itemsize();
        let corners = axes.iter().fold(1_u64, |corners, runs| corners.saturating_mul(runs.len() as u64));
        if corners > MOST_CORNERS {
            return Err(Error::limit_exceeded_with("corners of a printed array", MOST_CORNERS, corners, ADVICE));
        }
        let length = shape.iter().fold(itemsize.max(1) as u64, |bytes, &length| bytes.saturating_mul(length as u64));
        if length > MOST_BYTES {
            return Err(Error::limit_exceeded_with("bytes of printed elements", MOST_BYTES, length, ADVICE));
        }
        let mut bytes = Vec::new();
        let length = shape.iter().product::<usize>() * itemsize;
        reserve_exact(&mut bytes, length)?;
        bytes.resize(length, 0);
        for corner in product(&axes.iter().map(Vec::len).collect::<Vec<_>>()) {
            let runs: Vec<&Run> = corner.iter().zip(&axes).map(|(&i, runs)| &runs[i]).collect();
            let ranges: Vec<AxisRange> = runs.iter().map(|run| run.range).collect();
            let values = self.read_region_values(&ranges)?.into_order(Order::C)?;
            copy_corner(&mut bytes, &shape, &runs, values.bytes(), itemsize);
        }
        DynValues::with_header(self.header().reshaped(&shape)?.in_order(Order::C), bytes)
    }
}

/// A run of elements along an axis of the region.
struct Run {
    /// Their range in the file.
    range: AxisRange,
    /// The index of the first one among the printed elements.
    begin: usize,
    count: usize,
}

fn runs_of(taken: &Taken, edge: Option<usize>) -> Vec<Run> {
    let run = |first: usize, begin: usize, count: usize| {
        let start = taken.start + first * taken.step;
        let end = if count == 0 { start } else { start + (count - 1) * taken.step + 1 };
        Run { range: AxisRange::from(start..end).step_by(taken.step), begin, count }
    };
    match edge {
        Some(0) => vec![run(0, 0, 0)],
        Some(edge) if edge <= taken.count / 2 => vec![run(0, 0, edge), run(taken.count - edge, edge, edge)],
        _ => vec![run(0, 0, taken.count)],
    }
}

/// All indices of an array of this shape, the last axis fastest.
fn product(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |indices, &length| {
        let longer = |index: Vec<usize>| (0..length).map(move |i| index.iter().copied().chain([i]).collect());
        indices.into_iter().flat_map(longer).collect()
    })
}

/// Copies the elements of a corner, in C order, into the array of all printed elements.
fn copy_corner(bytes: &mut [u8], shape: &[usize], runs: &[&Run], corner: &[u8], itemsize: usize) {
    let Some((last, outer)) = runs.split_last() else { return };
    let bytes_of_run = last.count * itemsize;
    if bytes_of_run == 0 {
        return;
    }
    let lengths: Vec<usize> = outer.iter().map(|run| run.count).collect();
    for (index, source) in product(&lengths).iter().zip(corner.chunks_exact(bytes_of_run)) {
        let outer_positions = index.iter().zip(outer).map(|(i, run)| run.begin + i);
        let index = outer_positions.chain([last.begin]).zip(shape).fold(0, |index, (i, length)| index * length + i);
        bytes[index * itemsize..][..bytes_of_run].copy_from_slice(source);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::format::header::Header;

    #[test]
    fn edges_of_more_than_half_an_axis_take_all_of_it() -> Result<()> {
        let bytes = [Header::new("|u1".parse()?, Order::C, &[100])?.to_bytes(), (0..100).collect()].concat();
        let mut array = NpyReader::new(Cursor::new(bytes))?;
        for (range, edges, expected) in [
            (10..14, vec![Some(1)], vec![10, 13]),
            (10..14, vec![Some(2)], vec![10, 11, 12, 13]),
            (10..12, vec![Some(3)], vec![10, 11]),
            (10..12, vec![Some(usize::MAX)], vec![10, 11]),
            (10..13, vec![], vec![10, 11, 12]),
            (10..10, vec![Some(1)], vec![]),
        ] {
            let values = array.read_edges(&[range.clone().into()], &edges)?;
            assert_eq!(values.to_vec::<u8>()?, expected, "{range:?} {edges:?}");
        }
        Ok(())
    }
}
