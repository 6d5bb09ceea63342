//! The rows for which an expression is true, found in pieces.

use npy_core::region::AxisRange;
use npy_core::{Header, Order};

use super::scan::{PIECE_BYTES, Step, thousandths};
use crate::failure::{Failure, Result};
use crate::filter::{Filter, Where};
use crate::input::row_bytes;
use crate::input::source::Source;
use crate::values::quantity;

/// The most rows that pass: their numbers take 128 MiB.
const MOST_ROWS: usize = 16 << 20;

/// A filter that is looking for its rows.
pub(crate) struct Filtering {
    pub(crate) text: String,
    filter: Filter,
    rows: usize,
    /// The axes in a row, whole.
    axes: Vec<AxisRange>,
    piece: usize,
    next: usize,
    found: Vec<usize>,
}

impl Filtering {
    pub(crate) fn new(text: &str, header: &Header) -> Result<Self> {
        let filter = Where::new(text)?.of(header)?;
        let rows = header.shape().first().copied().unwrap_or_default();
        let row_bytes = row_bytes(header);
        Ok(Self {
            text: text.to_owned(),
            filter,
            rows,
            axes: header.shape().iter().skip(1).map(|length| (0..*length).into()).collect(),
            piece: (PIECE_BYTES / row_bytes.max(1)).clamp(1, 1 << 17),
            next: 0,
            found: Vec::new(),
        })
    }

    /// Looks at more rows; returns those that pass at the end.
    pub(crate) fn step(&mut self, source: &mut Source) -> Result<Step<Vec<usize>>> {
        let rows = self.next..self.rows.min(self.next.saturating_add(self.piece));
        if rows.is_empty() {
            return Ok(Step::Done(std::mem::take(&mut self.found)));
        }
        let region: Vec<AxisRange> = std::iter::once(rows.clone().into()).chain(self.axes.iter().copied()).collect();
        let values = source.with(|mut array| Ok(array.read_region(&region)?.into_order(Order::C)?))?;
        let mask = self.filter.mask(rows.start as u64, values.bytes())?;
        self.next = rows.end;
        self.found.extend(rows.zip(mask).filter(|(_, passes)| *passes).map(|(row, _)| row));
        if self.found.len() > MOST_ROWS {
            let most = quantity::count(MOST_ROWS as u64);
            return Err(Failure::new(format!("too many rows pass: expected at most {most}; narrow the filter")));
        }
        Ok(Step::More(thousandths(self.next, self.rows)))
    }
}
