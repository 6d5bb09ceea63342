//! `None` among Python objects as nulls of a table.

use std::sync::Arc;

use npy_arrow::arrow_array::cast::AsArray;
use npy_arrow::arrow_array::{Array, ArrayRef, FixedSizeListArray, RecordBatch, StructArray, make_array};
use npy_arrow::arrow_buffer::NullBuffer;
use npy_arrow::arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema};

use crate::objects::below;

/// Which objects are null, by the names of the fields that lead to them, as [`missing`](crate::objects::missing) gives them.
pub(super) type Nulls = [(Vec<String>, Vec<bool>)];

/// The batch with nulls; `begin` is the number of its first row among `rows`. Fields of records are columns in a table with
/// `has_fields`, or else in its only column.
pub(super) fn with_nulls(
    batch: RecordBatch,
    nulls: &Nulls,
    has_fields: bool,
    [begin, rows]: [usize; 2],
) -> Result<RecordBatch, ArrowError> {
    if nulls.is_empty() {
        return Ok(batch);
    }
    let schema = batch.schema();
    let mut columns: Vec<(FieldRef, ArrayRef)> = schema.fields().iter().cloned().zip(batch.columns().iter().cloned()).collect();
    for (names, are_null) in nulls {
        let per_row = are_null.len() / rows.max(1);
        let own = are_null.get(begin * per_row..(begin + batch.num_rows()) * per_row).unwrap_or_default();
        let valid: NullBuffer = own.iter().map(|is_null| !is_null).collect();
        for (field, column) in &mut columns {
            let names = if has_fields { below(names, field.name()) } else { Some(&names[..]) };
            if let Some(names) = names {
                (*field, *column) = placed(field, column, names, &valid)?;
            }
        }
    }
    let (fields, columns): (Vec<FieldRef>, Vec<ArrayRef>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())), columns)
}

/// The column with nulls in the field that the names lead to.
fn placed(field: &FieldRef, column: &ArrayRef, names: &[String], valid: &NullBuffer) -> Result<(FieldRef, ArrayRef), ArrowError> {
    let (is_nullable, column): (bool, ArrayRef) = match column.data_type() {
        DataType::Struct(fields) => {
            let array = column.as_struct();
            let inner = fields.iter().zip(array.columns()).map(|(field, column)| match below(names, field.name()) {
                Some(names) => placed(field, column, names, valid),
                None => Ok((Arc::clone(field), Arc::clone(column))),
            });
            let (fields, columns): (Vec<FieldRef>, Vec<ArrayRef>) = inner.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
            (field.is_nullable(), Arc::new(StructArray::try_new(Fields::from(fields), columns, array.nulls().cloned())?))
        }
        // The items of a list are several for a null, unless the list is a complex number.
        DataType::FixedSizeList(item, size) if column.len() < valid.len() || !names.is_empty() => {
            let array = column.as_fixed_size_list();
            let (item, values) = placed(item, array.values(), names, valid)?;
            let nulls = array.nulls().cloned();
            (field.is_nullable(), Arc::new(FixedSizeListArray::try_new_with_length(item, *size, values, nulls, column.len())?))
        }
        _ if !names.is_empty() => return Ok((Arc::clone(field), Arc::clone(column))),
        _ => {
            let nulls = NullBuffer::union(column.nulls(), Some(valid));
            (true, make_array(column.to_data().into_builder().nulls(nulls).build()?))
        }
    };
    let field = Field::clone(field).with_data_type(column.data_type().clone()).with_nullable(is_nullable);
    Ok((Arc::new(field), column))
}
