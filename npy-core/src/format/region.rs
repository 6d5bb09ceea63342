//! Regions of arrays, and their bytes in the file. Pure arithmetic: nothing is read here.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use super::header::Header;
use crate::error::{Error, ErrorKind, Result};
use crate::options::Order;

/// The part of one axis in a region: a range with a step.
///
/// It converts from any range of `usize`, and from a single index, whose axis stays, with length 1.
/// Unlike a slice in Python, a range beyond the axis is an error, and there are no negative indices
/// and steps.
///
/// ```
/// use npy_core::region::AxisRange;
///
/// // In Python: array[2:5, :, 7:8, ::10]
/// let region = [AxisRange::from(2..5), (..).into(), 7.into(), AxisRange::from(..).step_by(10)];
/// assert_eq!(region[0].to_string(), "2..5");
/// assert_eq!(region[2].to_string(), "7");
/// assert_eq!(region[3].to_string(), "..;10");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AxisRange {
    start: usize,
    end: End,
    step: usize,
}

/// Three ways to end, because `..=usize::MAX` has no exclusive end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum End {
    Open,
    Before(usize),
    With(usize),
}

impl AxisRange {
    /// Takes only each `step`-th index of the range, from its first on: `(10..20).step_by(3)` has 10, 13,
    /// 16 and 19.
    ///
    /// A step of 0 is refused when the region is used.
    #[must_use]
    pub const fn step_by(mut self, step: usize) -> Self {
        self.step = self.step.saturating_mul(step);
        self
    }

    fn new(range: &impl RangeBounds<usize>) -> Self {
        let start = match range.start_bound() {
            Bound::Included(start) => *start,
            // No range of the standard library excludes its start.
            Bound::Excluded(before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(last) => End::With(*last),
            Bound::Excluded(end) => End::Before(*end),
            Bound::Unbounded => End::Open,
        };
        Self { start, end, step: 1 }
    }

    /// Resolves the range for an axis of this length.
    fn of_axis(&self, axis: usize, length: usize) -> Result<Taken> {
        // No axis is as long as `usize::MAX`.
        let (start, end) = match self.end {
            End::Open => (self.start, length.max(self.start)),
            End::Before(end) => (self.start, end),
            End::With(last) => (self.start, last.saturating_add(1)),
        };
        if self.step == 0 {
            let message = format!("invalid region along axis {axis}: expected a step of at least 1, found 0");
            return Err(Error::new(ErrorKind::InvalidInput, message));
        }
        if start > end || end > length || end == usize::MAX {
            return Err(Error::invalid_region(axis, start as u64..end as u64, length as u64));
        }
        Ok(Taken { start, count: (end - start).div_ceil(self.step), step: self.step })
    }
}

/// Displays a range as in Rust, and the step after a semicolon.
impl fmt::Display for AxisRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.start, self.end) {
            (0, End::Open) => f.write_str("..")?,
            (start, End::Open) => write!(f, "{start}..")?,
            (0, End::Before(end)) => write!(f, "..{end}")?,
            (start, End::Before(end)) => write!(f, "{start}..{end}")?,
            (start, End::With(last)) if start == last => write!(f, "{last}")?,
            (0, End::With(last)) => write!(f, "..={last}")?,
            (start, End::With(last)) => write!(f, "{start}..={last}")?,
        }
        if self.step == 1 { Ok(()) } else { write!(f, ";{}", self.step) }
    }
}

macro_rules! from_ranges {
    ($($range:ty),*) => {
        $(impl From<$range> for AxisRange {
            fn from(range: $range) -> Self {
                Self::new(&range)
            }
        })*
    };
}

from_ranges!(Range<usize>, RangeFrom<usize>, RangeFull, RangeInclusive<usize>, RangeTo<usize>, RangeToInclusive<usize>);

/// The index alone; the axis stays, with length 1.
impl From<usize> for AxisRange {
    fn from(index: usize) -> Self {
        Self::new(&(index..=index))
    }
}

/// The indices of a region along one axis, within its bounds.
pub(crate) struct Taken {
    pub(crate) start: usize,
    pub(crate) count: usize,
    pub(crate) step: usize,
}

/// Resolves a region for the axes of an array.
pub(crate) fn resolve(header: &Header, region: &[AxisRange]) -> Result<Vec<Taken>> {
    let shape = header.shape();
    if region.len() != shape.len() {
        return Err(Error::wrong_dimensions(region.len(), shape, None));
    }
    region.iter().zip(shape).enumerate().map(|(axis, (range, length))| range.of_axis(axis, *length)).collect()
}

/// Returns the shape of a region, with as many axes as the array.
///
/// Fails if the region has the wrong number of axes, exceeds one of them, or has a step of 0.
///
/// ```
/// use npy_core::region::region_shape;
/// use npy_core::{Header, NpyElement, Order};
///
/// let header = Header::new(f32::dtype(), Order::C, &[100, 200, 3])?;
/// assert_eq!(region_shape(&header, &[(10..20).into(), (..).into(), 2.into()])?, [10, 200, 1]);
/// assert!(region_shape(&header, &[(10..101).into(), (..).into(), 2.into()]).is_err());
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn region_shape(header: &Header, region: &[AxisRange]) -> Result<Vec<usize>> {
    Ok(resolve(header, region)?.iter().map(|taken| taken.count).collect())
}

/// Returns the ranges of bytes of a region, ascending from the start of the data.
///
/// Adjacent ranges are joined. The iterator computes one range at a time, so that a region of any
/// size takes no memory. For requests to a server, add the data offset, which [`Header::parse`]
/// returns. [`NpyReader::read_region`](crate::NpyReader::read_region) reads the elements
/// themselves.
///
/// Fails if the region has the wrong number of axes, exceeds one of them, or has a step of 0.
///
/// ```
/// use npy_core::region::byte_ranges;
/// use npy_core::{Header, NpyElement, Order};
///
/// // A box of a matrix: a range of bytes for each row.
/// let header = Header::new(f32::dtype(), Order::C, &[100, 200])?;
/// let ranges: Vec<_> = byte_ranges(&header, &[(10..12).into(), (0..50).into()])?.collect();
/// assert_eq!(ranges, [8_000..8_200, 8_800..9_000]);
///
/// // Records 1000 to 1999.
/// let header = Header::new("[('t', '<f8'), ('name', '|S4')]".parse()?, Order::C, &[5_000])?;
/// let ranges: Vec<_> = byte_ranges(&header, &[(1_000..2_000).into()])?.collect();
/// assert_eq!(ranges, [12_000..24_000]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn byte_ranges(header: &Header, region: &[AxisRange]) -> Result<ByteRanges> {
    let mut pieces = Pieces::new(header, region)?;
    let next = pieces.next();
    Ok(ByteRanges { pieces, next })
}

/// An iterator over the ranges of bytes of a region.
///
/// See [`byte_ranges`] for an example.
#[derive(Clone)]
pub struct ByteRanges {
    pieces: Pieces,
    next: Option<Range<u64>>,
}

impl Iterator for ByteRanges {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        let mut range = self.next.take()?;
        self.next = self.pieces.next();
        // With a step, the last piece of a row may touch the first of the next row.
        while let Some(next) = self.next.take_if(|next| next.start == range.end) {
            range.end = next.end;
            self.next = self.pieces.next();
        }
        Some(range)
    }
}

impl FusedIterator for ByteRanges {}

impl fmt::Debug for ByteRanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteRanges").field("next", &self.next).finish_non_exhaustive()
    }
}

/// Pieces of equal length, ascending: in a loop within loops.
#[derive(Clone)]
pub(crate) struct Pieces {
    /// Bytes in a piece.
    pub(crate) length: u64,
    /// The innermost loop.
    inner: Loop,
    /// Those around it, from the inside to the outside.
    outer: Vec<Loop>,
    /// The offset of the first piece of the innermost loop.
    run: u64,
    is_done: bool,
}

/// Some pieces of the innermost loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Where the first begins.
    pub(crate) start: u64,
    /// Where the last ends.
    pub(crate) end: u64,
    /// Bytes in a piece.
    pub(crate) length: u64,
    /// Bytes from the beginning of one piece to the beginning of the next.
    pub(crate) stride: u64,
}

#[derive(Clone, Copy)]
struct Loop {
    index: u64,
    count: u64,
    stride: u64,
}

impl Pieces {
    /// The pieces of a region; none if it has no elements, or elements without bytes.
    pub(crate) fn new(header: &Header, region: &[AxisRange]) -> Result<Self> {
        let taken = resolve(header, region)?;
        let itemsize = header.dtype().itemsize() as u64;
        let mut pieces = Self { length: itemsize, inner: Loop::ONCE, outer: Vec::new(), run: 0, is_done: false };
        if itemsize == 0 || taken.iter().any(|taken| taken.count == 0) {
            pieces.is_done = true;
            return Ok(pieces);
        }
        let mut axes: Vec<(&Taken, u64)> = taken.iter().zip(header.shape().iter().map(|length| *length as u64)).collect();
        if header.order() == Order::C {
            axes.reverse();
        }
        // From the axis that varies fastest to the slowest. No length is 0 here, so that `Header`
        // has checked the product of all.
        let mut stride = itemsize;
        let mut loops: Vec<Loop> = Vec::new();
        let overflow = || Error::shape_overflow(header.shape(), header.dtype().itemsize());
        for (taken, length) in axes {
            pieces.run += taken.start as u64 * stride;
            // Of a single index the step does not matter, and may be any number.
            if taken.count > 1 {
                let (count, step) = (taken.count as u64, stride.checked_mul(taken.step as u64).ok_or_else(overflow)?);
                match loops.last_mut() {
                    None if step == pieces.length => pieces.length *= count,
                    Some(last) if last.count * last.stride == step => last.count *= count,
                    _ => loops.push(Loop { index: 0, count, stride: step }),
                }
            }
            stride = stride.checked_mul(length).ok_or_else(overflow)?;
        }
        if !loops.is_empty() {
            pieces.inner = loops.remove(0);
        }
        pieces.outer = loops;
        Ok(pieces)
    }

    /// Returns the only piece; `None` if there are several.
    pub(crate) fn only(&self) -> Option<Range<u64>> {
        let is_only = !self.is_done && self.inner.count == 1 && self.outer.is_empty();
        is_only.then(|| self.run..self.run + self.length)
    }

    /// Returns where the last piece ends, or `None` without pieces.
    pub(crate) fn end(&self) -> Option<u64> {
        let last: u64 = [&self.inner].into_iter().chain(&self.outer).map(|each| (each.count - 1) * each.stride).sum();
        (!self.is_done).then_some(self.run + last + self.length)
    }

    /// The bytes between two pieces of the innermost loop.
    pub(crate) fn inner_gap(&self) -> u64 {
        self.inner.stride.saturating_sub(self.length)
    }

    /// Takes the next pieces of the innermost loop that end at `limit` or before, at most `most`; `None` if its
    /// first piece comes next.
    pub(crate) fn next_within_run(&mut self, limit: u64, most: u64) -> Option<Run> {
        let Loop { index, count, stride } = self.inner;
        let start = self.run + index * stride;
        let room = limit.checked_sub(start + self.length)?;
        if self.is_done || index == 0 || most == 0 {
            return None;
        }
        let count = (room.checked_div(stride)? + 1).min(count - index).min(most);
        self.inner.index += count - 1;
        self.next().map(|last| Run { start, end: last.end, length: self.length, stride })
    }

    /// Advances the outer loops to the next run.
    fn carry(&mut self) {
        self.inner.index = 0;
        for each in &mut self.outer {
            each.index += 1;
            if each.index < each.count {
                self.run += each.stride;
                return;
            }
            self.run -= (each.count - 1) * each.stride;
            each.index = 0;
        }
        self.is_done = true;
    }
}

impl Loop {
    const ONCE: Self = Self { index: 0, count: 1, stride: 0 };
}

impl Iterator for Pieces {
    type Item = Range<u64>;

    #[inline]
    fn next(&mut self) -> Option<Range<u64>> {
        if self.is_done {
            return None;
        }
        let start = self.run + self.inner.index * self.inner.stride;
        self.inner.index += 1;
        if self.inner.index == self.inner.count {
            self.carry();
        }
        Some(start..start + self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_text_shows_the_next_range() {
        let header = Header::new("<f8".parse().unwrap(), Order::C, &[4, 3]).unwrap();
        let ranges = byte_ranges(&header, &[(1..2).into(), (0..2).into()]).unwrap();
        assert_eq!(format!("{ranges:?}"), "ByteRanges { next: Some(24..40), .. }");
    }

    /// The bytes of each element of a region, which is a start, a count and a step for each axis.
    fn elements(shape: &[usize], order: Order, itemsize: u64, taken: &[[usize; 3]]) -> Vec<Range<u64>> {
        let mut all = vec![0_u64];
        let axes: Vec<usize> = if order == Order::C { (0..shape.len()).collect() } else { (0..shape.len()).rev().collect() };
        for axis in axes {
            let [start, count, step] = taken[axis];
            let places = (0..count).map(|i| (start + i * step) as u64);
            all = all.iter().flat_map(|row| places.clone().map(move |place| row * shape[axis] as u64 + place)).collect();
        }
        all.into_iter().map(|index| index * itemsize..(index + 1) * itemsize).collect()
    }

    /// Ranges that touch become one.
    fn joined(ranges: impl IntoIterator<Item = Range<u64>>) -> Vec<Range<u64>> {
        let mut all: Vec<Range<u64>> = Vec::new();
        for range in ranges {
            match all.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => all.push(range),
            }
        }
        all
    }

    /// Where the first piece begins and the last one ends.
    fn ends(pieces: &[Range<u64>]) -> Option<(u64, u64)> {
        Some((pieces.first()?.start, pieces.last()?.end))
    }

    /// Every region of small arrays with these parts of the axes: all of it, none, one, and steps.
    fn for_each_region(mut check: impl FnMut(&Header, &[AxisRange], Vec<Range<u64>>)) {
        const PARTS: [[usize; 3]; 7] = [[0, 6, 1], [0, 5, 1], [2, 1, 1], [1, 2, 1], [1, 0, 1], [0, 3, 2], [2, 2, 3]];
        for order in [Order::C, Order::Fortran] {
            for axes in 1..=3 {
                let shape = vec![6; axes];
                let header = Header::new("<i4".parse().unwrap(), order, &shape).unwrap();
                for case in 0..PARTS.len().pow(u32::try_from(axes).unwrap()) {
                    let taken: Vec<_> =
                        (0..axes).map(|axis| PARTS[case / PARTS.len().pow(u32::try_from(axis).unwrap()) % PARTS.len()]).collect();
                    let range = |&[start, count, step]: &[usize; 3]| {
                        let end = if count == 0 { start } else { start + (count - 1) * step + 1 };
                        AxisRange::from(start..end).step_by(step)
                    };
                    let region: Vec<_> = taken.iter().map(range).collect();
                    check(&header, &region, elements(&shape, order, 4, &taken));
                }
            }
        }
    }

    #[test]
    fn pieces_are_the_bytes_of_the_elements() {
        for_each_region(|header, region, expected| {
            let pieces = Pieces::new(header, region).unwrap();
            assert_eq!(pieces.end(), expected.last().map(|last| last.end), "{header:?} {region:?}");
            let only = pieces.only();
            let ranges: Vec<_> = byte_ranges(header, region).unwrap().collect();
            assert_eq!(ranges, joined(expected), "{header:?} {region:?}");
            let is_only = pieces.clone().count() == 1;
            assert_eq!(only, ranges.first().filter(|_| is_only).cloned());
            // As few as there can be: none could be longer and all of them equal.
            let count = pieces.count();
            assert!(count == 0 || count == ranges.len() || region.iter().any(|range| range.step > 1), "{header:?} {region:?}");
        });
    }

    #[test]
    fn pieces_of_a_run_come_up_to_a_limit_and_a_number() {
        for_each_region(|header, region, _| {
            let pieces = Pieces::new(header, region).unwrap();
            let all: Vec<_> = pieces.clone().collect();
            let run = usize::try_from(pieces.inner.count).unwrap();
            if all.is_empty() {
                assert_eq!(pieces.clone().next_within_run(u64::MAX, u64::MAX).map(|run| run.end), None);
                return;
            }
            assert_eq!(pieces.inner_gap(), if run > 1 { all[1].start - all[0].end } else { 0 });
            for begin in 0..=all.len() {
                let last = (begin / run + 1) * run;
                let limits = all[begin.min(all.len() - 1)..].iter().take(3).flat_map(|piece| [piece.end - 1, piece.end]);
                for (limit, most) in limits.chain([u64::MAX]).flat_map(|limit| [0, 1, 2, usize::MAX].map(|most| (limit, most))) {
                    let mut rest = pieces.clone();
                    rest.by_ref().take(begin).for_each(drop);
                    let within = all.iter().take(last).skip(begin).take(most).take_while(|piece| piece.end <= limit);
                    let count = if begin % run == 0 { 0 } else { within.count() };
                    let found = rest.next_within_run(limit, most as u64);
                    let case = format!("{header:?} {region:?}, at most {most} from {begin} to {limit}");
                    assert_eq!(found.map(|run| (run.start, run.end)), ends(&all[begin..][..count]), "{case}");
                    assert!(
                        found.is_none_or(|run| all[begin..][..count].iter().zip(0..).all(|(piece, index)| {
                            let start = run.start + index * run.stride;
                            *piece == (start..start + run.length)
                        })),
                        "{case}"
                    );
                    assert_eq!(rest.collect::<Vec<_>>(), all[begin + count..], "{case}");
                }
            }
        });
    }

    #[test]
    fn ranges_end_within_their_axis() {
        let header = Header::new("<i4".parse().unwrap(), Order::C, &[5]).unwrap();
        for (range, expected) in [
            (AxisRange::from(..), Ok(5)),
            ((5..).into(), Ok(0)),
            ((6..).into(), Err("a range within 0..5, found 6..6")),
            ((..5).into(), Ok(5)),
            ((..6).into(), Err("a range within 0..5, found 0..6")),
            ((1..=4).into(), Ok(4)),
            ((1..=5).into(), Err("a range within 0..5, found 1..6")),
            ((..=usize::MAX).into(), Err("a range within 0..5, found 0..18446744073709551615")),
            (AxisRange { start: 3, end: End::Before(3), step: 1 }, Ok(0)),
            (AxisRange { start: 4, end: End::Before(3), step: 1 }, Err("a range that starts before its end, found 4..3")),
            (AxisRange::from(..).step_by(4), Ok(2)),
            (AxisRange::from(..).step_by(0), Err("a step of at least 1, found 0")),
            ((2..4).into(), Ok(2)),
            (4.into(), Ok(1)),
            (5.into(), Err("a range within 0..5, found 5..6")),
        ] {
            let found = region_shape(&header, &[range]).map(|shape| shape[0]).map_err(|error| error.to_string());
            let expected = expected.map_err(|expected| format!("invalid region along axis 0: expected {expected}"));
            assert_eq!(found, expected, "{range}");
        }
    }

    #[test]
    fn ranges_print_as_in_rust() {
        for (range, expected) in [
            (AxisRange::from(..), ".."),
            ((3..).into(), "3.."),
            ((..5).into(), "..5"),
            ((3..5).into(), "3..5"),
            ((3..=3).into(), "3"),
            ((..=3).into(), "..=3"),
            ((2..=3).into(), "2..=3"),
            (7.into(), "7"),
            (AxisRange::from(..).step_by(2), "..;2"),
            (AxisRange::from(1..9).step_by(3), "1..9;3"),
        ] {
            assert_eq!(range.to_string(), expected);
        }
    }
}
