//! Sorting of the rows by one column: the order of the rows, as far as it fits in memory.

use npy_core::DType;
use npy_core::dtype::Scalar;
use npy_core::scalar::Class;

use super::block::texts_of;
use super::grid::Grid;
use super::order::RowOrder;
use super::scan::{Scan, Step};
use crate::failure::{Failure, Result};
use crate::input::source::Source;
use crate::values::{fields, quantity, reals};

/// The most rows that are sorted: a key and an index of each take 256 MiB.
const MOST_ROWS: usize = 16 << 20;

/// The most bytes of text.
const MOST_TEXT: usize = 256 << 20;

/// A sort that is going on.
pub(crate) struct Sort {
    scan: Scan,
    is_descending: bool,
    keys: Keys,
}

enum Keys {
    /// Words in the order of the values. The largest word stands for NaN and NaT.
    Words(Vec<u64>),
    Texts(Vec<String>, usize),
}

impl Sort {
    pub(crate) fn new(grid: &Grid, order: &RowOrder, column: usize, is_descending: bool) -> Result<Self> {
        let dtype = grid.dtype(column);
        let rows = order.kept().map_or(grid.rows(), |kept| kept.rows.len());
        if rows > MOST_ROWS {
            return Err(Failure::new(format!(
                "too many rows to sort: expected at most {}, found {}",
                quantity::count(MOST_ROWS as u64),
                quantity::count(rows as u64)
            )));
        }
        let keys = match dtype {
            DType::Scalar(_) if reals::is_real(dtype) => Keys::Words(Vec::new()),
            DType::Scalar(scalar) if matches!(scalar.class(), Class::Bytes | Class::Unicode) => Keys::Texts(Vec::new(), 0),
            _ => return Err(Failure::new("cannot sort by this column: expected numbers, times or text")),
        };
        Ok(Self { scan: Scan::new(grid, order, column), is_descending, keys })
    }

    /// The column, and whether it is sorted descending.
    pub(crate) fn column(&self) -> (usize, bool) {
        (self.scan.column, self.is_descending)
    }

    /// Reads more; returns the rows of the file in their order at the end.
    pub(crate) fn step(&mut self, source: &mut Source, grid: &Grid) -> Result<Step<Vec<usize>>> {
        let dtype = grid.dtype(self.scan.column);
        if let Some((bytes, rows)) = self.scan.next(source, grid)? {
            match &mut self.keys {
                Keys::Words(words) => words.extend(words_of(dtype, &bytes)?),
                Keys::Texts(all, size) => {
                    let more = texts_of(dtype, &bytes, rows);
                    *size += more.iter().map(|text| text.len() + size_of::<String>()).sum::<usize>();
                    if *size > MOST_TEXT {
                        return Err(Failure::new("the texts are too large to sort: at most 256 MiB fit in memory"));
                    }
                    all.extend(more);
                }
            }
            return Ok(Step::More(self.scan.thousandths()));
        }
        let is_descending = self.is_descending;
        let rows = match &self.keys {
            Keys::Words(words) => order(words.len(), |row| {
                let word = words.get(row).copied().unwrap_or(u64::MAX);
                // NaN and NaT are last in both directions.
                if is_descending && word != u64::MAX { u64::MAX - 1 - word } else { word }
            }),
            Keys::Texts(texts, _) if is_descending => order(texts.len(), |row| std::cmp::Reverse(texts.get(row))),
            Keys::Texts(texts, _) => order(texts.len(), |row| texts.get(row)),
        };
        Ok(Step::Done(rows.into_iter().map(|place| self.scan.row(place)).collect()))
    }
}

fn order<K: Ord>(count: usize, key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..count).collect();
    rows.sort_by_key(|row| key(*row));
    rows
}

/// Words in the order of the numbers. Integers of 64 bits keep all of their digits.
fn words_of(dtype: &DType, bytes: &[u8]) -> Result<Vec<u64>> {
    if let Some(numbers) = reals::whole_numbers_of(dtype, bytes)? {
        let range = fields::scalar_of(dtype).and_then(Scalar::integers).unwrap_or(0..=0);
        let word = |number| u64::try_from(number - range.start()).unwrap_or_default().min(u64::MAX - 1);
        return Ok(numbers.into_iter().map(|number| number.map_or(u64::MAX, word)).collect());
    }
    Ok(reals::numbers_of(dtype, bytes)?.into_iter().map(word_of).collect())
}

/// A word in the order of the floats, with NaN last.
fn word_of(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    match (number.is_nan(), bits >> 63) {
        (true, _) => u64::MAX,
        (false, 0) => bits | 1 << 63,
        (false, _) => !bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_the_order_of_the_numbers() {
        let numbers = [f64::NEG_INFINITY, -2.5, -1e-300, 0.0, 1e-300, 3.0, f64::INFINITY, f64::NAN];
        let words: Vec<u64> = numbers.iter().map(|number| word_of(*number)).collect();
        assert!(words.is_sorted() && words[7] == u64::MAX && words[6] < u64::MAX - 1);
        assert_eq!(word_of(-0.0), word_of(0.0));
        let large = [i64::MIN, -1, 0, (1 << 60) + 1, (1 << 60) + 2].map(i64::to_le_bytes).concat();
        let words = words_of(&"<i8".parse().unwrap(), &large).unwrap();
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]), "{words:?}");
        assert_eq!(words_of(&"<M8[s]".parse().unwrap(), &i64::MIN.to_le_bytes()).unwrap(), [u64::MAX]);
    }
}
