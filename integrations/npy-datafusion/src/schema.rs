//! The columns that many files have in common.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::common::{DataFusionError, Result, plan_err};
use npy_arrow::metadata::{DESCR, DTYPE};
use object_store::ObjectMeta;

use crate::archive;
use crate::array::ArrayHeader;
use crate::headers::FileHeader;
use crate::options::ColumnOptions;

/// The columns of a file.
pub(crate) fn file_schema(meta: &ObjectMeta, file: &FileHeader, options: &ColumnOptions) -> Result<SchemaRef> {
    let schema = |array: &ArrayHeader| array.decoder(options, None).map(|decoder| Arc::clone(decoder.schema()));
    let schemas = file.arrays.iter().map(|array| schema(array).map_err(|error| file.locate(array, error)));
    let mut schemas: Vec<_> = schemas.collect::<Result<_>>()?;
    if !file.is_archive() {
        return Ok(schemas.remove(0));
    }
    let mut fields: Vec<FieldRef> = Vec::new();
    for field in schemas.iter().flat_map(|schema| schema.fields()) {
        if fields.iter().any(|other| other.name() == field.name()) {
            return plan_err!("{}: two columns of the name {:?}", meta.location, field.name());
        }
        fields.push(Arc::clone(field));
    }
    let metadata = archive::row_dtype(&file.arrays).map(|dtype| (DESCR.to_owned(), dtype.descr()));
    Ok(Arc::new(Schema::new(fields).with_metadata(metadata.into_iter().collect())))
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
    let differs = |name: &str, expected: Option<&Field>, found: Option<&Field>| {
        let [expected, found] = [expected, found].map(|field| field.map_or_else(|| "none".to_owned(), describe));
        let location = &meta.location;
        Err(DataFusionError::Plan(format!("{location}: column {name:?} differs from {whose}: expected {expected}, found {found}")))
    };
    for field in expected.fields() {
        let other = found.field_with_name(field.name()).ok();
        if !other.is_some_and(|other| is_same(field, other)) {
            return differs(field.name(), Some(field), other);
        }
    }
    match found.fields().iter().find(|field| expected.field_with_name(field.name()).is_err()) {
        Some(extra) => differs(extra.name(), None, Some(extra)),
        None => Ok(()),
    }
}

/// Whether the values of two columns have the same meaning. Declared columns say nothing of dtypes.
fn is_same(expected: &Field, found: &Field) -> bool {
    let is_same_dtype = match (dtype(expected), dtype(found)) {
        (Some(expected), Some(found)) => expected == found,
        (None, _) => true,
        (Some(_), None) => false,
    };
    is_same_type(expected.data_type(), found.data_type()) && is_same_dtype && (expected.is_nullable() || !found.is_nullable())
}

/// Whether a column of a file is of the type of the table, or is cast to it: SQL declares texts as views, also in structs and
/// lists.
fn is_same_type(expected: &DataType, found: &DataType) -> bool {
    match (expected, found) {
        (DataType::Utf8View | DataType::LargeUtf8, DataType::Utf8) => true,
        (DataType::Struct(expected), DataType::Struct(found)) => {
            let is_same_field =
                |(expected, found): (&FieldRef, &FieldRef)| expected.name() == found.name() && is_same(expected, found);
            expected.len() == found.len() && expected.iter().zip(found).all(is_same_field)
        }
        (DataType::FixedSizeList(expected, length), DataType::FixedSizeList(found, found_length)) => {
            length == found_length && is_same(expected, found)
        }
        _ => expected == found,
    }
}

/// The dtype of times that are integers in Arrow, in either byte order.
fn dtype(field: &Field) -> Option<&str> {
    field.metadata().get(DTYPE).map(|dtype| dtype.trim_start_matches(['<', '>']))
}

fn describe(field: &Field) -> String {
    let missing = if field.is_nullable() { " with missing values" } else { "" };
    match dtype(field) {
        Some(dtype) => format!("{} of {dtype}{missing}", field.data_type()),
        None => format!("{}{missing}", field.data_type()),
    }
}
