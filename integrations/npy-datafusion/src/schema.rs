//! The columns that many files have in common.

use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::common::{DataFusionError, Result};
use npy_arrow::{BatchDecoder, BatchOptions};
use object_store::ObjectMeta;

use crate::headers::FileHeader;
use crate::options::ColumnOptions;

/// The decoder of some columns of a file; of all without names.
pub(crate) fn decoder(
    meta: &ObjectMeta,
    file: &FileHeader,
    options: &ColumnOptions,
    names: Option<&[String]>,
) -> Result<BatchDecoder> {
    let options = BatchOptions::from(options);
    let options = match names {
        Some(names) => options.columns(names),
        None => options,
    };
    BatchDecoder::new(&file.header, options).map_err(|error| external(meta, error))
}

/// An error of a file, with its path.
#[cold]
pub(crate) fn external(meta: &ObjectMeta, error: npy_arrow::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error.with_path(meta.location.as_ref())))
}

/// The schema of a table, from those of its files.
///
/// Files that differ in byte order, padding, the order of their fields or the width of their texts
/// have the same columns. The first one sets their order.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    first: Option<(String, SchemaRef)>,
}

impl Merged {
    /// Adds a file.
    ///
    /// # Errors
    ///
    /// Fails if its columns are not those of the files before it.
    pub(crate) fn add(&mut self, meta: &ObjectMeta, schema: &SchemaRef) -> Result<()> {
        match &self.first {
            None => self.first = Some((meta.location.to_string(), Arc::clone(schema))),
            Some((first, expected)) => {
                check(meta, expected, schema, &format!("that of {first}"))?;
            }
        }
        Ok(())
    }

    /// The schema, if there was a file.
    pub(crate) fn finish(self) -> Option<SchemaRef> {
        self.first.map(|(_, schema)| schema)
    }
}

/// Checks that the columns of a file are those of a table, in any order.
pub(crate) fn check(meta: &ObjectMeta, expected: &Schema, found: &Schema, whose: &str) -> Result<()> {
    let location = &meta.location;
    for field in expected.fields() {
        let other = found.field_with_name(field.name()).ok().map(Field::data_type);
        if other != Some(field.data_type()) {
            let found = other.map_or_else(|| "none".to_owned(), ToString::to_string);
            return Err(DataFusionError::Plan(format!(
                "{location}: column {:?} differs from {whose}: expected {}, found {found}",
                field.name(),
                field.data_type()
            )));
        }
    }
    if let Some(extra) = found.fields().iter().find(|field| expected.field_with_name(field.name()).is_err()) {
        return Err(DataFusionError::Plan(format!(
            "{location}: column {:?} differs from {whose}: expected none, found {}",
            extra.name(),
            extra.data_type()
        )));
    }
    Ok(())
}
