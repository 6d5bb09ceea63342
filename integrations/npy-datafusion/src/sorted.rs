//! The rows of a sorted file that a range of its key leaves.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::buffer::Buffer;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, Literal};
use datafusion::physical_expr::{PhysicalExpr, split_conjunction};
use futures::stream::{self, StreamExt, TryStreamExt};
use npy_arrow::BatchDecoder;

use crate::bounds::{LONGEST_ROW, WINDOW, float};
use crate::error::external;
use crate::rows::Rows;

/// The number of rows that are read at once to divide what is left.
const PROBES: usize = 15;

/// A search along the column that a file is sorted by.
pub(crate) struct Search {
    pub(crate) rows: Arc<Rows>,
    /// The index of the array among those of the scan.
    pub(crate) array: usize,
    /// The decoder of the key alone.
    pub(crate) key: BatchDecoder,
    /// Bytes of all rows of the search, and those rows, if they were fetched already.
    pub(crate) loaded: Option<(Buffer, Range<usize>)>,
}

/// An end of the rows whose key equals a value.
#[derive(Clone, Copy)]
enum Bound {
    Lower,
    Upper,
}

impl Search {
    /// The rows of a range whose keys the predicate may accept. Those at its ends may be too many: the
    /// predicate is applied to them in any case.
    pub(crate) async fn narrow(&self, rows: Range<usize>, predicate: &Arc<dyn PhysicalExpr>) -> Result<Range<usize>> {
        // Probes of longer rows would take more memory than the scan.
        if rows.is_empty() || self.key.row_bytes() > LONGEST_ROW {
            return Ok(rows);
        }
        // NumPy sorts any NaN last. Arrow compares one with a sign as the least number.
        let has_nan = self.keys(rows.end - 1..rows.end).await?.first().and_then(float).is_some_and(f64::is_nan);
        let mut rows = rows;
        for conjunct in split_conjunction(predicate) {
            let Some((operator, key)) = self.comparison(conjunct) else { continue };
            if matches!(operator, Operator::Eq | Operator::GtEq | Operator::Gt) {
                rows.start = self.first_row(rows.clone(), &key, Bound::Lower).await?;
            }
            if matches!(operator, Operator::Eq | Operator::LtEq | Operator::Lt) && !has_nan {
                rows.end = self.first_row(rows.clone(), &key, Bound::Upper).await?;
            }
        }
        Ok(rows)
    }

    /// A comparison of the key to a constant of its type, the key on the left.
    fn comparison(&self, conjunct: &Arc<dyn PhysicalExpr>) -> Option<(Operator, ScalarValue)> {
        let key = self.key.schema().field(0);
        let comparison = conjunct.downcast_ref::<BinaryExpr>()?;
        let is_key = |side: &Arc<dyn PhysicalExpr>| side.downcast_ref::<Column>().is_some_and(|column| column.name() == key.name());
        let constant = |side: &Arc<dyn PhysicalExpr>| {
            let value = as_key(side.downcast_ref::<Literal>()?.value());
            let is_usable = !value.is_null() && !float(&value).is_some_and(f64::is_nan);
            (is_usable && value.data_type() == *key.data_type()).then_some(value)
        };
        let (left, right) = (comparison.left(), comparison.right());
        if is_key(left) {
            Some((*comparison.op(), constant(right)?))
        } else if is_key(right) {
            Some((comparison.op().swap()?, constant(left)?))
        } else {
            None
        }
    }

    /// The first of some rows that is not before a bound.
    async fn first_row(&self, rows: Range<usize>, value: &ScalarValue, bound: Bound) -> Result<usize> {
        let bytes = if self.loaded.is_some() { 0 } else { WINDOW };
        let window = (bytes / self.key.row_bytes().max(1)).max(PROBES + 1);
        // Rows before `low` are before the bound; those from `high` on are not.
        let (mut low, mut high) = (rows.start, rows.end);
        while high - low > window {
            let step = (high - low) / (PROBES + 1);
            let probes: Vec<_> = (1..=PROBES).map(|probe| low + probe * step).collect();
            let keys = stream::iter(probes.clone()).map(|row| self.keys(row..row + 1)).buffered(PROBES);
            let keys: Vec<_> = keys.try_collect().await?;
            let first = keys.iter().position(|key| !key.first().is_some_and(|key| is_before(key, value, bound)));
            if let Some(last) = first.unwrap_or(PROBES).checked_sub(1) {
                low = probes[last] + 1;
            }
            if let Some(first) = first {
                high = probes[first];
            }
        }
        let keys = self.keys(low..high).await?;
        Ok(low + keys.partition_point(|key| is_before(key, value, bound)))
    }

    async fn keys(&self, rows: Range<usize>) -> Result<Vec<ScalarValue>> {
        let (bytes, block) = match &self.loaded {
            Some((bytes, block)) => (bytes.clone(), block.clone()),
            None => (self.rows.fetch(rows.clone()).await.map_err(external)?, rows.clone()),
        };
        let batch = self.key.decode(&bytes, block, rows).map_err(|error| external(self.rows.locate(error)))?;
        (0..batch.num_rows()).map(|row| ScalarValue::try_from_array(batch.column(0), row)).collect()
    }
}

/// A constant as the type of a key: texts that SQL declares are views.
fn as_key(value: &ScalarValue) -> ScalarValue {
    match value {
        ScalarValue::Utf8View(text) | ScalarValue::LargeUtf8(text) => ScalarValue::Utf8(text.clone()),
        other => other.clone(),
    }
}

/// Whether a row with this key is before a bound. A missing key, such as NaT, is after all others.
fn is_before(key: &ScalarValue, value: &ScalarValue, bound: Bound) -> bool {
    let order = match (float(key), float(value)) {
        // Zeros of both signs are equal in NumPy's order.
        (Some(key), Some(value)) => key.partial_cmp(&value),
        _ if key.is_null() => None,
        _ => key.partial_cmp(value),
    };
    match bound {
        Bound::Lower => order == Some(Ordering::Less),
        Bound::Upper => matches!(order, Some(Ordering::Less | Ordering::Equal)),
    }
}
