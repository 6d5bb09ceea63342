//! `npy sample`: random rows of an array.

use std::collections::{BTreeSet, btree_set};
use std::ffi::OsString;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write;
use std::iter::{Peekable, once};
use std::ops::Range;
use std::path::PathBuf;

use npy_core::object::ObjectArray;
use npy_core::{Header, Order};

use crate::failure::{Failure, Result};
use crate::formats;
use crate::input::source::Source;
use crate::input::{Array, object_options, pieces, row_bytes};
use crate::output::{self, Content};
use crate::signals;
use crate::values::quantity;

/// Take random rows of an array, without repetition and in their order.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy sample picks.npy -n 100 -o some.npy           100 rows of an array
  npy sample run.npz:picks -n 5 | npy show -        to look at
  npy sample picks.npy -n 100 --seed 1 -o some.npy  the same rows each time

Each set of rows is equally likely. With a seed the rows depend on it, the number of rows in the file and -n alone, in each release \
of npy. They are copied in bounded memory, and keep their order. Every format is read that npy convert reads.

Exit codes: 0 success, 2 trouble; the output is then untouched.")]
pub(crate) struct Arguments {
    /// A file, a member (FILE:MEMBER), or - for standard input
    #[arg(value_name = "FILE")]
    file: OsString,

    /// The number of rows
    #[arg(short = 'n', long, value_name = "N")]
    rows: usize,

    /// The seed; by default another one each time
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// The file to write; - is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
}

/// The bytes of rows that are looked at together, unless a row has more.
const BLOCK: usize = 1 << 20;

pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    formats::expect_npy(&arguments.output)?;
    let mut input = formats::input_of_one(&arguments.file)?.into_file()?;
    input.expect_nothing_else("sample")?;
    input.expect_not_replaced(&arguments.output)?;
    let name = input.name().to_owned();
    let member = input.only_member()?;
    let header = input.header(member)?;
    let picked = Picked::new(&header, arguments).map_err(|failure| failure.about(&name))?;
    if header.dtype().has_object() {
        let array = input.with_member(member, |array| Ok(array.into_objects(object_options())?))?;
        let sample = of_objects(&array, picked)?;
        output::replace(&arguments.output, Content::Binary, |out| Ok(sample.write(out)?))?;
        return Ok(0);
    }
    let mut source = Source::open(input, member)?;
    let shape = [&[arguments.rows], header.shape().get(1..).unwrap_or_default()].concat();
    let result = Header::new(header.dtype().clone(), Order::C, &shape)?;
    output::replace(&arguments.output, Content::Binary, |out| {
        out.write_all(&result.to_bytes())?;
        source.with(|mut array| copy(&mut *array, picked, out))
    })?;
    Ok(0)
}

/// Writes the picked rows.
fn copy(array: &mut dyn Array, mut picked: Picked, out: &mut dyn Write) -> Result<()> {
    let header = array.header().clone();
    let inner: Vec<Range<usize>> = header.shape().iter().skip(1).map(|length| 0..*length).collect();
    let row = row_bytes(&header);
    let rows = header.shape().first().copied().unwrap_or_default();
    if row == 0 {
        // A short header can claim any number of such rows.
        return Ok(());
    }
    let (mut places, mut block) = (Vec::new(), Vec::new());
    let step = (BLOCK / row).max(1);
    for begin in (0..rows).step_by(step) {
        signals::check()?;
        places.clear();
        while let Some(place) = picked.next_below(begin.saturating_add(step)) {
            places.push(place);
        }
        let (Some(first), Some(last)) = (places.first(), places.last()) else { continue };
        let ranges: Vec<Range<usize>> = once(*first..last + 1).chain(inner.iter().cloned()).collect();
        if step == 1 {
            pieces::for_each_of_region(array, &ranges, &mut |values| Ok(out.write_all(values.bytes())?))?;
            continue;
        }
        block.clear();
        pieces::for_each_of_region(array, &ranges, &mut |values| {
            block.extend_from_slice(values.bytes());
            Ok(())
        })?;
        for place in &places {
            let offset = (place - first) * row;
            out.write_all(block.get(offset..offset + row).unwrap_or_default())?;
        }
    }
    Ok(())
}

fn of_objects(array: &ObjectArray, picked: Picked) -> Result<ObjectArray> {
    let row = array.shape().iter().skip(1).product::<usize>();
    let mut shape = array.shape().to_vec();
    let mut items = Vec::new();
    let mut rows = 0;
    for place in picked {
        items.extend_from_slice(array.items().get(place * row..(place + 1) * row).unwrap_or_default());
        rows += 1;
    }
    if let Some(length) = shape.first_mut() {
        *length = rows;
    }
    Ok(ObjectArray::with_dtype(array.dtype().clone(), &shape, items, array.string_dtype().cloned())?)
}

/// The indices of random rows, ascending. Each set of them is equally likely.
enum Picked {
    /// Few of many: drawn until there are as many that differ, and sorted. Of 134 million rows, the other way to pick 1,000 takes nine
    /// tenths of the whole command.
    Few(Peekable<btree_set::IntoIter<usize>>),
    /// Each row is picked with the share of the rows that are still needed.
    Many {
        random: Random,
        /// The next row, and the number of all.
        next: usize,
        rows: usize,
        /// The number of rows that are still picked.
        left: usize,
    },
}

/// The most rows that are sorted in memory.
const MOST_FEW: usize = 1 << 16;

impl Picked {
    fn new(header: &Header, arguments: &Arguments) -> Result<Self> {
        let Some(rows) = header.shape().first().copied() else {
            return Err(Failure::Nameless("expected an array with rows, found a single element".to_owned()));
        };
        if arguments.rows > rows {
            let expected = quantity::counted(arguments.rows as u64, "row");
            return Err(Failure::Nameless(format!(
                "cannot take a sample: expected {expected}, found {}",
                quantity::count(rows as u64)
            )));
        }
        let seed = arguments.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish());
        Ok(Self::of(rows, arguments.rows, Random(seed)))
    }

    fn of(rows: usize, count: usize, mut random: Random) -> Self {
        if count > MOST_FEW.min(rows / 16) {
            return Self::Many { random, next: 0, rows, left: count };
        }
        let mut chosen = BTreeSet::new();
        while chosen.len() < count {
            chosen.extend(usize::try_from(random.below(rows as u64)));
        }
        Self::Few(chosen.into_iter().peekable())
    }

    /// The next of the rows before `end`.
    fn next_below(&mut self, end: usize) -> Option<usize> {
        match self {
            Self::Few(chosen) => chosen.next_if(|row| *row < end),
            Self::Many { random, next, rows, left } => {
                while *left > 0 && *next < (*rows).min(end) {
                    let row = *next;
                    *next += 1;
                    if random.below((*rows - row) as u64) < *left as u64 {
                        *left -= 1;
                        return Some(row);
                    }
                }
                None
            }
        }
    }
}

impl Iterator for Picked {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.next_below(usize::MAX)
    }
}

/// The generator splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// A number below `end`, each equally likely.
    #[expect(clippy::cast_possible_truncation, reason = "the low half is meant")]
    fn below(&mut self, end: u64) -> u64 {
        loop {
            let product = u128::from(self.next()) * u128::from(end);
            let low = product as u64;
            if low >= end || low >= end.wrapping_neg() % end {
                return (product >> 64) as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_of_rows_is_equally_likely() {
        // Many of few rows, and few of many.
        for (rows, count, sets) in [(6, 3, 20), (32, 2, 496)] {
            const MEAN: u64 = 400;
            let mut counts = std::collections::HashMap::new();
            for seed in 0..MEAN * sets {
                let picked = Picked::of(rows, count, Random(seed));
                *counts.entry(picked.collect::<Vec<_>>()).or_insert(0_u64) += 1;
            }
            // The standard deviation is 20.
            assert_eq!(counts.len() as u64, sets);
            assert!(counts.values().all(|count| count.abs_diff(MEAN) < 90), "{counts:?}");
        }
    }

    /// The rows of a seed are a promise.
    #[test]
    fn the_rows_of_a_seed_are_pinned() {
        let picked = |rows, count| Picked::of(rows, count, Random(1)).collect::<Vec<_>>();
        assert_eq!(picked(1000, 5), [444, 566, 745, 762, 971]);
        assert_eq!(picked(40, 5), [15, 20, 21, 25, 28]);
    }
}
