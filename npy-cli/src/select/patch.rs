//! One value for all selected elements, in the bytes of a file.

use npy_core::Order;

use super::read::walk;
use super::{Selection, Source};

/// A value, and where it is written in the data of an array.
pub(crate) struct Patch {
    /// Of each axis of the file, the fastest first.
    axes: Vec<Indices>,
    /// The positions of the value in an element.
    offsets: Vec<usize>,
    itemsize: usize,
    value: Vec<u8>,
}

/// The selected indices of an axis.
#[derive(Clone, Copy)]
struct Indices {
    length: usize,
    first: usize,
    step: usize,
    count: usize,
}

impl Indices {
    /// The first selected index that is not less than this one.
    fn from(self, index: usize) -> impl Iterator<Item = usize> {
        let skipped = index.saturating_sub(self.first).div_ceil(self.step);
        (skipped..self.count).map(move |number| self.first + number * self.step)
    }

    fn contains(self, index: usize) -> bool {
        self.from(index).next() == Some(index)
    }
}

impl Selection {
    /// Puts the bytes of a value into each selected element of a file in this order.
    pub(crate) fn patch(&self, order: Order, value: Vec<u8>) -> Patch {
        let lengths = self.file_shape.iter().zip(self.ascending());
        let mut axes: Vec<Indices> =
            lengths.map(|(length, (first, step, count))| Indices { length: *length, first, step, count }).collect();
        if order == Order::C {
            axes.reverse();
        }
        let mut loops = Vec::new();
        let mut begin = self.offset;
        for axis in &self.axes {
            if let Source::Inner { stride, .. } = axis.source {
                let (start, inner) = axis.positions(Some(&stride));
                begin += start;
                loops.push(inner);
            }
        }
        let mut offsets = Vec::new();
        walk(&loops, begin, &mut |offset| offsets.push(offset));
        Patch { axes, offsets, itemsize: self.file_dtype.itemsize(), value }
    }
}

impl Patch {
    /// Changes the bytes that are at this position in the data.
    pub(crate) fn apply(&self, position: u64, bytes: &mut [u8]) {
        if self.itemsize == 0 || bytes.is_empty() {
            return;
        }
        let size = self.itemsize as u64;
        let (row, slower) = match self.axes.split_first() {
            Some((row, slower)) => (*row, slower),
            None => (Indices { length: 1, first: 0, step: 1, count: 1 }, &self.axes[..]),
        };
        let end = (position + bytes.len() as u64).div_ceil(size);
        let mut element = position / size;
        while element < end {
            let (line, begin) = (element / row.length.max(1) as u64, element % row.length.max(1) as u64);
            let line_begin = element - begin;
            if has_line(slower, line) {
                for index in row.from(usize::try_from(begin).unwrap_or(usize::MAX)) {
                    let element = line_begin + index as u64;
                    if element >= end {
                        break;
                    }
                    self.put(element * size, position, bytes);
                }
            }
            element = line_begin + row.length.max(1) as u64;
        }
    }

    /// Writes the value into the element at this position in the data, of which `bytes` may have a part.
    fn put(&self, element: u64, position: u64, bytes: &mut [u8]) {
        for offset in &self.offsets {
            let begin = element + *offset as u64;
            for (place, byte) in (begin..).zip(&self.value) {
                let index = place.checked_sub(position).and_then(|index| usize::try_from(index).ok());
                if let Some(old) = index.and_then(|index| bytes.get_mut(index)) {
                    *old = *byte;
                }
            }
        }
    }
}

/// Whether a line along the fastest axis is selected by the slower axes, and in the array at all.
fn has_line(slower: &[Indices], line: u64) -> bool {
    let mut rest = line;
    let has = slower.iter().all(|axis| {
        let length = axis.length.max(1) as u64;
        let index = usize::try_from(rest % length).unwrap_or(usize::MAX);
        rest /= length;
        axis.contains(index)
    });
    has && rest == 0
}
