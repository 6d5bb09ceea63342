//! The least and the greatest key of a file: those of its first and its last row, where it is declared sorted.

use std::cmp::Ordering;
use std::ops::Range;

use datafusion::arrow::buffer::Buffer;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::datasource::listing::ListingOptions;
use datafusion::logical_expr::Expr;
use futures::future::try_join;
use npy_arrow::BatchDecoder;
use npy_remote::RemoteNpy;
use object_store::path::Path;

use crate::error::external;

/// When fewer bytes are left, all of them are read.
pub(crate) const WINDOW: usize = 64 << 10;

/// Rows of more bytes are not read for their keys alone.
pub(crate) const LONGEST_ROW: usize = 256 << 10;

/// The first of the columns that files are declared sorted by.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) name: String,
    is_ascending: bool,
}

/// What no key of a file is below or above. `None` is unknown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) min: Option<ScalarValue>,
    pub(crate) max: Option<ScalarValue>,
}

impl Key {
    pub(crate) fn of(options: &ListingOptions) -> Option<Self> {
        let key = options.file_sort_order.first()?.first()?;
        let Expr::Column(column) = &key.expr else { return None };
        Some(Self { name: column.name.clone(), is_ascending: key.asc })
    }
}

impl Bounds {
    /// Reads the keys of the first and the last row.
    ///
    /// # Errors
    ///
    /// Fails if they are in the wrong order, or if reading fails.
    pub(crate) async fn read(path: &Path, rows: &RemoteNpy, decoder: &BatchDecoder, key: &Key) -> Result<Self> {
        let count = decoder.rows();
        let Some(last) = count.checked_sub(1) else { return Ok(Self::default()) };
        let key_of = |bytes: &Buffer, block: Range<usize>, row: usize| {
            let batch = decoder.decode(bytes, block, row..row + 1).map_err(|error| external(rows.locate(error)))?;
            ScalarValue::try_from_array(batch.column(0), 0)
        };
        let (first, last) = if decoder.row_bytes().saturating_mul(count) <= WINDOW {
            let bytes = rows.fetch_rows(0..count).await.map_err(external)?;
            (key_of(&bytes, 0..count, 0)?, key_of(&bytes, 0..count, last)?)
        } else {
            let ends = try_join(rows.fetch_rows(0..1), rows.fetch_rows(last..count)).await.map_err(external)?;
            (key_of(&ends.0, 0..1, 0)?, key_of(&ends.1, last..count, last)?)
        };
        let (min, max) = if key.is_ascending { (&first, &last) } else { (&last, &first) };
        let Some(bounds) = Self::between(min, max)? else {
            return plan_err!(
                "{path}: not sorted by {:?} as declared: found {first} in the first row and {last} in the last one; sort the file, or \
                 register the table without this order",
                key.name
            );
        };
        Ok(bounds)
    }

    /// The bounds of sorted keys, from those at the ends; `None` if these are in the wrong order.
    fn between(min: &ScalarValue, max: &ScalarValue) -> Result<Option<Self>> {
        // NumPy sorts NaN of either sign last, where Arrow compares one with a sign as the least number.
        if [min, max].into_iter().filter_map(float).any(f64::is_nan) {
            return Ok(Some(Self::default()));
        }
        // Zeros of both signs are equal in NumPy's order, and differ in that of Arrow.
        let zero = || ScalarValue::new_zero(&min.data_type());
        let min = if float(min) == Some(0.0) { zero()?.arithmetic_negate()? } else { min.clone() };
        let max = if float(max) == Some(0.0) { zero()? } else { max.clone() };
        if !min.is_null() && !max.is_null() && min.partial_cmp(&max) == Some(Ordering::Greater) {
            return Ok(None);
        }
        // A missing value, such as NaT, is at an end.
        Ok(Some(Self { min: Some(min).filter(|min| !min.is_null()), max: Some(max).filter(|max| !max.is_null()) }))
    }
}

/// A value as a number, if it is a float.
pub(crate) fn float(value: &ScalarValue) -> Option<f64> {
    match value {
        ScalarValue::Float16(value) => value.map(f64::from),
        ScalarValue::Float32(value) => value.map(f64::from),
        ScalarValue::Float64(value) => *value,
        _ => None,
    }
}
