//! Reading of selections: a region of the file, then fields, negative steps and axes of sub-arrays in memory.

use std::ops::Range;

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::region::AxisRange;
use npy_core::{DynValues, Order};

use super::{Axis, Selection, Source};
use crate::failure::{Failure, Result};
use crate::input::{Array, pieces};
use crate::values::quantity;

/// The most bytes of elements that are read at once, whatever a file claims.
const MOST_BYTES: usize = 1 << 30;

/// The pieces of a file in Fortran order that are read at once. They are in memory up to four times.
const FORTRAN_PIECES: usize = 12;

/// The most elements of a piece: those without bytes are text too.
const PIECE_ELEMENTS: usize = 1 << 17;

/// The most reads of corners in the order of the file. Only arrays of many axes need more.
const MOST_READS: usize = 4096;

impl Selection {
    /// Reads the selected elements, into an array in C order.
    pub(crate) fn read(&self, array: &mut dyn Array) -> Result<DynValues> {
        let (dtype, shape) = (self.element.clone(), self.shape());
        let counts = self.file_counts();
        let bytes = if dtype.itemsize() == 0 || shape.contains(&0) {
            Vec::new()
        } else {
            self.check_size(&counts)?;
            self.gather(in_c_order(array.read_region(&self.region())?, &counts)?, &counts, &shape)?
        };
        Ok(DynValues::new(dtype, Order::C, &shape, bytes)?)
    }

    /// Reads the elements at both ends of each axis that has edges.
    ///
    /// Axes of sub-arrays are there as a whole: the elements of the file hold them anyway.
    pub(crate) fn read_edges(&self, array: &mut dyn Array, edges: &[Option<usize>]) -> Result<DynValues> {
        let (dtype, mut shape) = (self.element.clone(), self.shape());
        if edges.iter().all(Option::is_none) || dtype.itemsize() == 0 || shape.contains(&0) {
            return self.read(array);
        }
        let mut counts = self.file_counts();
        let mut file_edges = vec![None; counts.len()];
        for ((axis, edge), length) in self.axes.iter().zip(edges).zip(&mut shape) {
            if let (Source::File(index), Some(edge)) = (axis.source, edge) {
                *length = edge.saturating_mul(2);
                if let (Some(count), Some(file_edge)) = (counts.get_mut(index), file_edges.get_mut(index)) {
                    (*count, *file_edge) = (*length, Some(*edge));
                }
            }
        }
        if shape.contains(&0) {
            return Ok(DynValues::new(dtype, Order::C, &shape, Vec::new())?);
        }
        self.check_size(&counts)?;
        let bytes = self.gather(self.file_corners(array, &counts, &file_edges)?, &counts, &shape)?;
        Ok(DynValues::new(dtype, Order::C, &shape, bytes)?)
    }

    /// Reads the elements in a range of positions, in C order, as an array of one axis.
    pub(crate) fn read_range(&self, array: &mut dyn Array, range: Range<usize>) -> Result<DynValues> {
        let (mut bytes, mut count) = (Vec::new(), 0);
        for part in self.boxes(range) {
            let values = part.read(array)?;
            count += values.header().element_count();
            if bytes.is_empty() {
                bytes = values.into_bytes();
                continue;
            }
            let more = values.bytes().len();
            bytes.try_reserve(more).map_err(|_| Failure::allocation(more))?;
            bytes.extend_from_slice(values.bytes());
        }
        Ok(DynValues::new(self.element.clone(), Order::C, &[count], bytes)?)
    }

    /// Calls `work` with the elements in a range of positions, in C order.
    pub(crate) fn for_each_piece(
        &self,
        range: Range<usize>,
        array: &mut dyn Array,
        work: &mut dyn FnMut(&DynValues) -> Result<()>,
    ) -> Result<()> {
        if self.is_whole() && range == (0..self.count()) {
            return pieces::for_each(array, Order::C, &mut |values| work(&values));
        }
        let header = array.header();
        let count = pieces::elements_of_piece(header.dtype()).min(PIECE_ELEMENTS);
        // Rows of a file in Fortran order are read in small parts, far from each other: the more of them at once, the better.
        let at_once = if header.order() == Order::C { 1 } else { FORTRAN_PIECES };
        let mut begin = range.start;
        while begin < range.end {
            let end = begin.saturating_add(count.saturating_mul(at_once)).min(range.end);
            let values = self.read_range(array, begin..end)?;
            let mut pieces = values.reader();
            while let Some(piece) = pieces.next_elements(count)? {
                work(&piece)?;
            }
            begin = end;
        }
        Ok(())
    }

    /// The selections of which the elements in a range of positions, in C order, consist.
    pub(super) fn boxes(&self, range: Range<usize>) -> Vec<Self> {
        let mut boxes = Vec::new();
        self.add_boxes(0, range, &mut boxes);
        boxes
    }

    /// Takes indices of an axis.
    pub(crate) fn part(&self, axis: usize, range: Range<usize>) -> Self {
        let mut part = self.clone();
        if let Some(axis) = part.axes.get_mut(axis) {
            *axis = axis.part(range);
        }
        part
    }

    /// Whether reading in C order goes forwards in a file of this order, as a stream does.
    pub(crate) fn is_forward(&self, order: Order) -> bool {
        let is_ascending = self.axes.iter().all(|axis| axis.step > 0 || !matches!(axis.source, Source::File(_)));
        let long = self.axes.iter().filter(|axis| matches!(axis.source, Source::File(_)) && axis.count > 1).count();
        is_ascending && (order == Order::C || long < 2)
    }

    fn add_boxes(&self, axis: usize, range: Range<usize>, boxes: &mut Vec<Self>) {
        if range.is_empty() {
            return;
        }
        let inner = self.axes.iter().skip(axis + 1).fold(1_usize, |count, axis| count.saturating_mul(axis.count));
        if axis + 1 >= self.axes.len() {
            boxes.push(if self.axes.is_empty() { self.clone() } else { self.part(axis, range) });
            return;
        }
        let Some((first, last)) = range.start.checked_div(inner).zip((range.end - 1).checked_div(inner)) else { return };
        let (begin, end) = (range.start - first * inner, range.end - last * inner);
        if first == last && (begin > 0 || end < inner) {
            return self.part(axis, first..first + 1).add_boxes(axis + 1, begin..end, boxes);
        }
        let whole = first + usize::from(begin > 0)..last + usize::from(end == inner);
        if begin > 0 {
            self.part(axis, first..first + 1).add_boxes(axis + 1, begin..inner, boxes);
        }
        if !whole.is_empty() {
            boxes.push(self.part(axis, whole));
        }
        if end < inner {
            self.part(axis, last..last + 1).add_boxes(axis + 1, 0..end, boxes);
        }
    }

    /// The number of indices that are read of each axis of the file.
    fn file_counts(&self) -> Vec<usize> {
        let mut counts = vec![1; self.file_shape.len()];
        for axis in &self.axes {
            if let Source::File(index) = axis.source
                && let Some(count) = counts.get_mut(index)
            {
                *count = axis.count;
            }
        }
        counts
    }

    fn check_size(&self, counts: &[usize]) -> Result<()> {
        check_size(counts.iter().fold(self.file_dtype.itemsize(), |bytes, count| bytes.saturating_mul(*count)))
    }

    /// The range of each axis of the file, ascending.
    fn region(&self) -> Vec<AxisRange> {
        self.ascending().into_iter().map(|(start, step, count)| range_of(start, step, 0..count)).collect()
    }

    /// The least index, the step and the number of indices of each axis of the file.
    pub(super) fn ascending(&self) -> Vec<(usize, usize, usize)> {
        let mut ranges = vec![(0, 1, 1); self.file_shape.len()];
        for (axis, index) in &self.fixed {
            if let Some(range) = ranges.get_mut(*axis) {
                *range = (*index, 1, 1);
            }
        }
        for axis in &self.axes {
            let Source::File(index) = axis.source else { continue };
            let Some(range) = ranges.get_mut(index) else { continue };
            let step = usize::try_from(axis.step.unsigned_abs()).unwrap_or(usize::MAX);
            let length = axis.count.saturating_sub(1).saturating_mul(step);
            let start = if axis.step < 0 { axis.start.saturating_sub(length) } else { axis.start };
            *range = (start, step, axis.count);
        }
        ranges
    }

    /// Reads the corners forwards, because a stream and a compressed member cannot go back.
    ///
    /// Both ends have the same edge, so a reversed axis has it too.
    fn file_corners(&self, array: &mut dyn Array, counts: &[usize], edges: &[Option<usize>]) -> Result<Vec<u8>> {
        let order = array.header().order();
        // From the slowest axis to the fastest.
        let mut by_speed: Vec<usize> = (0..counts.len()).collect();
        if order == Order::Fortran {
            by_speed.reverse();
        }
        let last = by_speed.iter().rposition(|axis| edges.get(*axis).copied().flatten().is_some()).unwrap_or(0);
        let outer = by_speed.iter().take(last).filter_map(|axis| counts.get(*axis));
        let reads = outer.fold(2_usize, |reads, count| reads.saturating_mul(*count));
        if reads > MOST_READS {
            return in_c_order(array.read_edges(&self.region(), edges)?, counts);
        }
        let mut corners = Corners { array, ranges: self.ascending(), edges, region: self.region(), bytes: Vec::new() };
        corners.read(by_speed.get(..=last).unwrap_or_default())?;
        bytes_in_c_order(corners.bytes, order, counts, self.file_dtype.itemsize())
    }

    /// The bytes of the result, from the elements that were read of the file.
    fn gather(&self, bytes: Vec<u8>, counts: &[usize], shape: &[usize]) -> Result<Vec<u8>> {
        if self.is_as_read() {
            return Ok(bytes);
        }
        let parts: Vec<(usize, usize)> = match &self.offsets {
            None => vec![(0, self.element.itemsize())],
            Some(offsets) => offsets.iter().zip(self.fields()).map(|(offset, field)| (*offset, field.dtype().itemsize())).collect(),
        };
        let length = parts.iter().map(|(_, size)| size).sum::<usize>();
        let length = shape.iter().fold(length, |bytes, count| bytes.saturating_mul(*count));
        let mut gathered = Vec::new();
        gathered.try_reserve_exact(length).map_err(|_| Failure::allocation(length))?;
        self.each_place(counts, shape, &mut |place| {
            for (offset, length) in &parts {
                let part = bytes.get(place.saturating_add(*offset)..).and_then(|rest| rest.get(..*length));
                gathered.extend_from_slice(part.unwrap_or_default());
            }
        });
        Ok(gathered)
    }

    /// Whether the elements are the bytes that were read.
    fn is_as_read(&self) -> bool {
        let is_forward = |axis: &Axis| axis.step > 0 && !matches!(axis.source, Source::Inner { .. });
        self.element == self.file_dtype && self.axes.iter().all(is_forward)
    }

    /// Calls `each` with the position of each element of the result, in the elements that were read.
    fn each_place(&self, counts: &[usize], shape: &[usize], each: &mut dyn FnMut(usize)) {
        if shape.contains(&0) {
            return;
        }
        let strides = strides_of(counts, self.file_dtype.itemsize());
        let mut begin = self.offset;
        let mut loops: Vec<Loop> = Vec::new();
        for (axis, count) in self.axes.iter().zip(shape) {
            let (start, inner) = match axis.source {
                // Only the selected indices were read.
                Source::File(index) if axis.step < 0 => Axis { start: count - 1, step: -1, ..*axis }.positions(strides.get(index)),
                Source::File(index) => Axis { start: 0, step: 1, ..*axis }.positions(strides.get(index)),
                Source::Inner { stride, .. } => axis.positions(Some(&stride)),
                Source::New => axis.positions(None),
            };
            begin = begin.saturating_add(start);
            loops.push(Loop { count: *count, ..inner });
        }
        walk(&loops, begin, each);
    }
}

/// Reads the corners of a region one after another.
struct Corners<'a> {
    array: &'a mut dyn Array,
    /// As of [`Selection::ascending`].
    ranges: Vec<(usize, usize, usize)>,
    edges: &'a [Option<usize>],
    region: Vec<AxisRange>,
    bytes: Vec<u8>,
}

impl Corners<'_> {
    /// Reads both ends of these axes, the slowest of which comes first.
    fn read(&mut self, slowest_first: &[usize]) -> Result<()> {
        let Some((&axis, inner)) = slowest_first.split_first() else {
            self.bytes.extend_from_slice(self.array.read_region(&self.region)?.bytes());
            return Ok(());
        };
        let (start, step, count) = self.ranges.get(axis).copied().unwrap_or_default();
        let ends = match self.edges.get(axis).copied().flatten() {
            Some(edge) => [0..edge, count - edge..count],
            None => [0..count, 0..0],
        };
        for end in ends {
            let at_once = if inner.is_empty() { end.len() } else { 1 };
            for begin in end.step_by(at_once.max(1)) {
                if let Some(range) = self.region.get_mut(axis) {
                    *range = range_of(start, step, begin..begin + at_once);
                }
                self.read(inner)?;
            }
        }
        Ok(())
    }
}

/// Refuses more bytes than are in memory at once.
pub(crate) fn check_size(bytes: usize) -> Result<()> {
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    let (found, limit) = (quantity::bytes(bytes as u64), quantity::bytes(MOST_BYTES as u64));
    Err(Failure::Nameless(format!(
        "too much to show at once: expected at most {limit}, found {found}; select less, or use --csv or --json"
    )))
}

/// The distance from one index to the next of each axis in C order, the last of which is `size`.
pub(super) fn strides_of(lengths: &[usize], size: usize) -> Vec<usize> {
    let mut strides = vec![size; lengths.len()];
    let mut stride = size;
    for (own, length) in strides.iter_mut().zip(lengths).rev() {
        *own = stride;
        stride = stride.saturating_mul(*length);
    }
    strides
}

impl Axis {
    /// The position of the first index, and the loop over all, where an index has this distance from the next.
    pub(super) fn positions(&self, stride: Option<&usize>) -> (usize, Loop) {
        let stride = stride.copied().unwrap_or(0);
        let step = usize::try_from(self.step.unsigned_abs()).unwrap_or(usize::MAX);
        let inner = Loop { count: self.count, stride: stride.saturating_mul(step), is_reversed: self.step < 0 };
        (self.start.saturating_mul(stride), inner)
    }
}

/// A loop over positions.
pub(super) struct Loop {
    pub(super) count: usize,
    pub(super) stride: usize,
    /// Whether the positions descend.
    pub(super) is_reversed: bool,
}

/// Calls `each` with the positions in nested loops, the last one innermost.
pub(super) fn walk(loops: &[Loop], begin: usize, each: &mut dyn FnMut(usize)) {
    let Some((Loop { count, stride, is_reversed }, inner)) = loops.split_first() else { return each(begin) };
    for index in 0..*count {
        let distance = index.saturating_mul(*stride);
        let place = if *is_reversed { begin.saturating_sub(distance) } else { begin.saturating_add(distance) };
        walk(inner, place, each);
    }
}

/// The indices `part` of those from `start` on, in steps.
fn range_of(start: usize, step: usize, part: Range<usize>) -> AxisRange {
    let place = |index: usize| start.saturating_add(index.saturating_mul(step));
    let end = if part.is_empty() { place(part.start) } else { place(part.end - 1).saturating_add(1) };
    AxisRange::from(place(part.start)..end).step_by(step.max(1))
}

fn in_c_order(values: DynValues, counts: &[usize]) -> Result<Vec<u8>> {
    let (order, size) = (values.order(), values.dtype().itemsize());
    bytes_in_c_order(values.into_bytes(), order, counts, size)
}

/// The elements of an array of this shape, in C order.
fn bytes_in_c_order(bytes: Vec<u8>, order: Order, shape: &[usize], size: usize) -> Result<Vec<u8>> {
    if order == Order::C {
        return Ok(bytes);
    }
    // As raw bytes: the dtype does not matter, and a sub-array could not be an element.
    let dtype = Scalar::new(ScalarKind::Void { length: size }, ByteOrder::NATIVE);
    Ok(DynValues::new(dtype.into(), order, shape, bytes)?.into_order(Order::C)?.into_bytes())
}
