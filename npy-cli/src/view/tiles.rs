//! Parts of an array that are read one after the other, so that the keys are read in between.

use std::ops::Range;

use npy_core::region::AxisRange;
use npy_core::{Header, Order};

use super::scan::{PIECE_BYTES, thousandths};

/// Neighbors in the file that are this far apart are read one by one.
const MOST_GAP: usize = 1 << 14;

/// All indices of some axes, in tiles of about [`PIECE_BYTES`] and in the order of the file.
#[derive(Debug)]
pub(crate) struct Tiles {
    /// From the fastest axis on.
    axes: Vec<Tiled>,
    next: usize,
    count: usize,
}

#[derive(Debug)]
struct Tiled {
    axis: usize,
    length: usize,
    /// The indices of a tile.
    step: usize,
}

impl Tiles {
    /// Of the axes of an array that `is_in` has.
    pub(crate) fn new(header: &Header, is_in: impl Fn(usize) -> bool) -> Self {
        let lengths = header.shape();
        let mut fastest_first: Vec<usize> = (0..lengths.len()).collect();
        if header.order() == Order::C {
            fastest_first.reverse();
        }
        let (mut axes, mut bytes, mut distance) = (Vec::new(), 1, header.dtype().itemsize().max(1));
        for axis in fastest_first {
            let length = lengths.get(axis).copied().unwrap_or(1);
            let factor = length.max(1);
            if is_in(axis) {
                // Gaps are read too.
                bytes = distance.min(MOST_GAP).max(bytes);
                let step = (PIECE_BYTES / bytes).clamp(1, factor);
                axes.push(Tiled { axis, length, step });
                bytes = bytes.saturating_mul(factor);
            }
            distance = distance.saturating_mul(factor);
        }
        let count = axes.iter().fold(1_usize, |count, tiled| count.saturating_mul(tiled.length.div_ceil(tiled.step)));
        Self { axes, next: 0, count }
    }

    /// No tiles at all.
    pub(crate) fn none() -> Self {
        Self { axes: Vec::new(), next: 0, count: 0 }
    }

    /// Puts the indices of the next tile in a region; `None` at the end.
    pub(crate) fn next(&mut self, region: &mut [AxisRange]) -> Option<Vec<(usize, Range<usize>)>> {
        if self.next >= self.count {
            return None;
        }
        let mut rest = self.next;
        let mut ranges = Vec::with_capacity(self.axes.len());
        for Tiled { axis, length, step } in &self.axes {
            let tiles = length.div_ceil(*step);
            let begin = rest % tiles * step;
            rest /= tiles;
            let range = begin..begin.saturating_add(*step).min(*length);
            if let Some(place) = region.get_mut(*axis) {
                *place = range.clone().into();
            }
            ranges.push((*axis, range));
        }
        self.next += 1;
        Some(ranges)
    }

    /// The progress in thousandths.
    pub(crate) fn thousandths(&self) -> u16 {
        thousandths(self.next, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_have_each_index_once_in_the_order_of_the_file() {
        for (order, shape) in [(Order::C, [3, 700, 1000]), (Order::Fortran, [1000, 700, 3]), (Order::C, [4, 2_000_000, 2])] {
            let header = Header::new("<f8".parse().unwrap(), order, &shape).unwrap();
            for used in [&[0, 1, 2][..], &[0, 1], &[2], &[]] {
                let mut tiles = Tiles::new(&header, |axis| used.contains(&axis));
                let mut region = vec![AxisRange::from(0); 3];
                let mut seen = 0;
                while let Some(ranges) = tiles.next(&mut region) {
                    let count: usize = ranges.iter().map(|(_, range)| range.len()).product();
                    assert!(count > 0 && count * 8 <= PIECE_BYTES, "{ranges:?}");
                    seen += count;
                }
                assert_eq!(seen, used.iter().map(|axis| shape[*axis]).product::<usize>(), "{order:?} {shape:?} {used:?}");
                assert_eq!(tiles.thousandths(), 1000);
            }
        }
        let empty = Header::new("<f8".parse().unwrap(), Order::C, &[0, 5]).unwrap();
        assert_eq!(Tiles::new(&empty, |_| true).next(&mut [AxisRange::from(0); 2]), None);
    }
}
