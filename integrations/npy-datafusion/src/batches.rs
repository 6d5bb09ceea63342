//! The batches of rows whose bytes were fetched.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, BooleanArray, RecordBatch, RecordBatchOptions};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::compute::{cast, filter_record_batch, prep_null_mask_filter};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::cast::as_boolean_array;
use datafusion::common::{DataFusionError, Result};
use npy_arrow::BatchDecoder;

use crate::error::external;
use crate::scan::{ArrayScan, Fetched, Filter, Scan};

/// The batches of some rows: all, or those that pass the filter.
///
/// The rows that pass are noted until they fill a batch, and decoded then.
pub(crate) struct Batches {
    scan: Arc<Scan>,
    block: Fetched,
    /// Those that were not looked at yet.
    rows: Range<usize>,
    batch_rows: usize,
    /// Indices of the block's rows that passed the filter, and are not decoded yet.
    passed: Vec<usize>,
    ready: VecDeque<RecordBatch>,
}

impl Batches {
    pub(crate) fn new(scan: Arc<Scan>, block: Fetched, rows: Range<usize>, batch_rows: usize) -> Self {
        Self { scan, block, rows, batch_rows, passed: Vec::new(), ready: VecDeque::new() }
    }

    /// Makes batches until one is ready; `None` at the end.
    fn advance(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Ok(Some(batch));
            }
            if self.rows.is_empty() {
                self.flush()?;
                return Ok(self.ready.pop_front());
            }
            // Not more rows than the batch lacks.
            let count = (self.batch_rows - self.passed.len()).min(self.rows.len());
            let rows = self.rows.start..self.rows.start + count;
            self.rows.start = rows.end;
            self.look_at(rows)?;
            if self.passed.len() >= self.batch_rows - self.batch_rows / 8 {
                self.flush()?;
            }
        }
    }

    /// Notes the rows that pass the filter, or makes a batch of them where that is faster.
    fn look_at(&mut self, rows: Range<usize>) -> Result<()> {
        let scan = Arc::clone(&self.scan);
        let Some(filter) = &scan.filter else {
            let all = self.decode(&rows, |array| array.rest.as_ref())?;
            self.ready.push_back(self.assemble(&scan.schema, &all, rows.len())?);
            return Ok(());
        };
        let known = self.decode(&rows, |array| array.filter.as_ref())?;
        let known = self.assemble(&filter.schema, &known, rows.len())?;
        let mask = mask(filter, &known)?;
        let count = mask.true_count();
        if count == 0 {
            return Ok(());
        }
        if scan.pays_to_take(count, rows.len()) {
            let begin = rows.start - self.block.rows.start;
            self.passed.extend(mask.values().set_indices().map(|index| begin + index));
            return Ok(());
        }
        self.flush()?;
        let mut batches = self.decode(&rows, |array| array.rest.as_ref())?;
        batches.push(known);
        let mut batch = self.assemble(&scan.schema, &batches, rows.len())?;
        if count < mask.len() {
            batch = filter_record_batch(&batch, &mask)?;
        }
        self.ready.push_back(batch);
        Ok(())
    }

    /// Makes a batch of the rows that were noted, if there are any.
    fn flush(&mut self) -> Result<()> {
        if self.passed.is_empty() {
            return Ok(());
        }
        let batches =
            self.columns(|array, bytes| Some(array.output.as_ref()?.take(bytes, self.block.rows.clone(), &self.passed)))?;
        self.ready.push_back(self.assemble(&self.scan.schema, &batches, self.passed.len())?);
        self.passed.clear();
        Ok(())
    }

    /// Some columns of each array that has any.
    fn decode(&self, rows: &Range<usize>, columns: impl Fn(&ArrayScan) -> Option<&BatchDecoder>) -> Result<Vec<RecordBatch>> {
        self.columns(|array, bytes| Some(columns(array)?.decode(bytes, self.block.rows.clone(), rows.clone())))
    }

    /// The batch of each array that has one.
    fn columns(&self, batch: impl Fn(&ArrayScan, &Buffer) -> Option<npy_arrow::Result<RecordBatch>>) -> Result<Vec<RecordBatch>> {
        let arrays = self.scan.arrays.iter().zip(&self.block.bytes);
        let batches = arrays.filter_map(|(array, bytes)| {
            let batch = batch(array, bytes)?;
            Some(batch.map_err(|error| external(array.rows.locate(error))))
        });
        batches.collect()
    }

    /// The columns of a schema, from those of some batches.
    fn assemble(&self, schema: &SchemaRef, batches: &[RecordBatch], rows: usize) -> Result<RecordBatch> {
        let column = |name: &str| batches.iter().find_map(|batch| batch.column_by_name(name));
        let missing = |name: &str| DataFusionError::Internal(format!("{}: column {name:?} was not read", self.scan.meta.location));
        let fields = schema.fields().iter();
        let columns = fields.map(|field| {
            let column = column(field.name()).ok_or_else(|| missing(field.name()))?;
            let is_same = column.data_type() == field.data_type();
            Ok::<_, DataFusionError>(if is_same { Arc::clone(column) } else { cast(column, field.data_type())? })
        });
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns.collect::<Result<_>>()?, &options)?)
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        for (array, bytes) in self.scan.arrays.iter().zip(self.block.bytes.drain(..)) {
            array.rows.recycle(bytes);
        }
    }
}

impl Scan {
    /// Whether decoding `count` of `rows` rows is faster than decoding all and filtering the columns.
    fn pays_to_take(&self, count: usize, rows: usize) -> bool {
        let has_rest = self.arrays.iter().any(|array| array.rest.is_some());
        has_rest && count <= rows - rows / 8
    }
}

/// The rows that pass a filter.
fn mask(filter: &Filter, known: &RecordBatch) -> Result<BooleanArray> {
    let mask = filter.predicate.evaluate(known)?.into_array(known.num_rows())?;
    Ok(match as_boolean_array(&mask)? {
        mask if mask.null_count() == 0 => mask.clone(),
        mask => prep_null_mask_filter(mask),
    })
}
