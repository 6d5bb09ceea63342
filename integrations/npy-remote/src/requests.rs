//! Plans the requests for ranges of bytes: joins near ranges, and splits long ones.

use std::ops::Range;

use npy_core::region::ByteRanges;

use crate::options::RemoteOptions;

/// The bytes of rows or of a region, ascending from the beginning of the data.
#[derive(Clone, Debug)]
pub(crate) enum Ranges {
    One(Option<Range<u64>>),
    Many(ByteRanges),
}

impl From<Range<u64>> for Ranges {
    fn from(range: Range<u64>) -> Self {
        Self::One(Some(range).filter(|range| !range.is_empty()))
    }
}

impl Iterator for Ranges {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        match self {
            Self::One(range) => range.take(),
            Self::Many(ranges) => ranges.next(),
        }
    }
}

/// A range of the data to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) range: Range<u64>,
    /// The number of wanted bytes in it.
    pub(crate) wanted: u64,
}

/// The requests for ranges, one at a time, so that a region of any size takes no memory.
pub(crate) struct Requests<I> {
    ranges: I,
    /// The next range, or what is left of it.
    next: Option<Range<u64>>,
    /// The end of the bytes that are in memory already. No request crosses it.
    front: u64,
    most: u64,
    gap: u64,
}

impl<I: Iterator<Item = Range<u64>>> Requests<I> {
    pub(crate) fn new(mut ranges: I, front: u64, options: &RemoteOptions) -> Self {
        let next = ranges.next();
        Self { ranges, next, front, most: options.request_bytes, gap: options.gap }
    }
}

impl<I: Iterator<Item = Range<u64>>> Iterator for Requests<I> {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        let first = self.next.take()?;
        let mut limit = first.start.saturating_add(self.most);
        if first.start < self.front {
            limit = limit.min(self.front);
        }
        let mut fetch = first.start..first.end.min(limit);
        let mut wanted = fetch.end - fetch.start;
        if fetch.end < first.end {
            self.next = Some(fetch.end..first.end);
            return Some(Request { range: fetch, wanted });
        }
        self.next = self.ranges.next();
        while let Some(next) = self.next.take_if(|next| next.start - fetch.end <= self.gap && next.end <= limit) {
            wanted += next.end - next.start;
            fetch.end = next.end;
            self.next = self.ranges.next();
        }
        Some(Request { range: fetch, wanted })
    }
}

#[cfg(test)]
mod tests {
    use super::{Request, Requests};
    use crate::RemoteOptions;
    use std::ops::Range;

    const KIB: u64 = 1 << 10;

    fn requests(ranges: &[Range<u64>], front: u64) -> Vec<(Range<u64>, u64)> {
        let options = RemoteOptions::new().request_bytes(64 * KIB).gap(10);
        Requests::new(ranges.iter().cloned(), front, &options).map(|Request { range, wanted }| (range, wanted)).collect()
    }

    #[test]
    fn near_ranges_are_one_request() {
        assert_eq!(requests(&[0..10, 20..30, 41..50], 0), [(0..30, 20), (41..50, 9)]);
    }

    #[test]
    fn long_ranges_are_several_requests() {
        let long = 100 * KIB;
        assert_eq!(
            requests(&[5..5 + long, 10 + long..20 + long], 0),
            [(5..5 + 64 * KIB, 64 * KIB), (5 + 64 * KIB..20 + long, 36 * KIB + 10)]
        );
    }

    #[test]
    fn requests_end_where_the_bytes_in_memory_end() {
        assert_eq!(requests(&[0..10, 12..40], 20), [(0..10, 10), (12..20, 8), (20..40, 20)]);
        assert_eq!(requests(&[0..10, 12..20, 21..30], 20), [(0..20, 18), (21..30, 9)]);
    }

    #[test]
    fn every_wanted_byte_is_fetched_once_and_in_order() {
        let mut state = 7_u64;
        let mut random = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for _ in 0..200 {
            let mut ranges = Vec::new();
            let mut end = 0;
            for _ in 0..random(20) {
                let begin = end + 1 + random(30);
                let long = random(4) == 0;
                end = begin + 1 + random(if long { 200 * KIB } else { 40 });
                ranges.push(begin..end);
            }
            let front = random(end + 10);
            let fetches = requests(&ranges, front);
            let wanted: u64 = fetches.iter().map(|(_, wanted)| wanted).sum();
            assert_eq!(wanted, ranges.iter().map(|range| range.end - range.start).sum::<u64>());
            let mut last = 0;
            for (range, wanted) in &fetches {
                assert!(range.start >= last && !range.is_empty() && range.end - range.start <= 64 * KIB);
                assert!(range.end <= front || range.start >= front);
                let within = |other: &Range<u64>| other.end.min(range.end).saturating_sub(other.start.max(range.start));
                assert_eq!(ranges.iter().map(within).sum::<u64>(), *wanted);
                last = range.end;
            }
        }
    }
}
