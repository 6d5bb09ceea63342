//! The rows of a sorted file that a range of its key leaves.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, Literal};
use datafusion::physical_expr::{PhysicalExpr, split_conjunction};
use futures::stream::{self, StreamExt, TryStreamExt};
use npy_arrow::BatchDecoder;

use crate::rows::FileRows;
use crate::schema::external;

/// As many rows are read at once to divide what is left.
const PROBES: usize = 15;

/// When fewer bytes are left, they are read as a whole.
const WINDOW: usize = 64 << 10;

/// A search along the column that a file is sorted by.
pub(crate) struct Search<'a> {
    pub(crate) file: &'a FileRows,
    /// Of the key alone.
    pub(crate) key: BatchDecoder,
}

/// A place between rows.
struct Bound {
    key: ScalarValue,
    /// Whether rows with the same key are before it.
    is_after_equal: bool,
}

impl Search<'_> {
    /// The rows of a range whose keys the predicate may accept.
    pub(crate) async fn narrow(&self, rows: Range<usize>, predicate: &Arc<dyn PhysicalExpr>) -> Result<Range<usize>> {
        let mut rows = rows;
        for conjunct in split_conjunction(predicate) {
            let Some((operator, key)) = self.comparison(conjunct) else { continue };
            let bound = |is_after_equal| Bound { key: key.clone(), is_after_equal };
            let (lower, upper) = match operator {
                Operator::Eq => (Some(bound(false)), Some(bound(true))),
                Operator::GtEq => (Some(bound(false)), None),
                Operator::Gt => (Some(bound(true)), None),
                Operator::Lt => (None, Some(bound(false))),
                Operator::LtEq => (None, Some(bound(true))),
                _ => continue,
            };
            if let Some(lower) = lower {
                rows.start = self.place(rows.clone(), &lower).await?;
            }
            if let Some(upper) = upper {
                rows.end = self.place(rows.clone(), &upper).await?;
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
            let value = side.downcast_ref::<Literal>()?.value();
            (!value.is_null() && value.data_type() == *key.data_type()).then(|| value.clone())
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

    /// The first row that is not before a bound.
    async fn place(&self, rows: Range<usize>, bound: &Bound) -> Result<usize> {
        let window = (WINDOW / self.file.layout.row_bytes().max(1)).max(PROBES + 1);
        // Rows before `low` are before the bound; those from `high` on are not.
        let (mut low, mut high) = (rows.start, rows.end);
        while high - low > window {
            let step = (high - low) / (PROBES + 1);
            let probes: Vec<_> = (1..=PROBES).map(|probe| low + probe * step).collect();
            let keys = stream::iter(probes.clone()).map(|row| self.keys(row..row + 1)).buffered(PROBES);
            let keys: Vec<_> = keys.try_collect().await?;
            let first = keys.iter().position(|key| !key.first().is_some_and(|key| bound.is_after(key)));
            if let Some(last) = first.unwrap_or(PROBES).checked_sub(1) {
                low = probes[last] + 1;
            }
            if let Some(first) = first {
                high = probes[first];
            }
        }
        let keys = self.keys(low..high).await?;
        Ok(low + keys.partition_point(|key| bound.is_after(key)))
    }

    async fn keys(&self, rows: Range<usize>) -> Result<Vec<ScalarValue>> {
        let bytes = self.file.fetch(rows.clone()).await?;
        let batch = self.key.decode(&bytes, rows.clone(), rows).map_err(|error| external(&self.file.meta, error))?;
        (0..batch.num_rows()).map(|row| ScalarValue::try_from_array(batch.column(0), row)).collect()
    }
}

impl Bound {
    /// Whether a row with this key is before the bound. A missing key, such as NaT, is after all
    /// others, as NumPy sorts.
    fn is_after(&self, key: &ScalarValue) -> bool {
        match key.partial_cmp(&self.key) {
            Some(Ordering::Less) => !key.is_null(),
            Some(Ordering::Equal) => self.is_after_equal,
            _ => false,
        }
    }
}
