//! Arrays of Python objects on their way to a target: as their pickle, as text, or as the dtype of their values.

use npy_core::object::ObjectArray;
use npy_core::{DType, Header, Order};

use super::Arguments;
use super::dtypes::{relaid, select};
use super::format::Format;
use super::source::{Item, Source};
use super::target::header_of;
use crate::export::{csv, json, objects as export};
use crate::failure::Result;
use crate::input::Array;
use crate::objects::{self, Wish, typed, with_fields};

/// What is read of an array.
pub(super) enum Reading {
    /// The elements that the source has.
    Elements,
    /// Python objects as elements of the dtype of their values, in a temporary file; and which of them are null.
    Typed(Box<dyn Array>, Vec<(Vec<String>, Vec<bool>)>),
    /// The pickle as it is.
    Pickle,
    /// Python objects, with the fields and in the order that the header has.
    Objects,
}

/// What is read of an array, and the header that it has then.
pub(super) fn reading_of(
    source: &mut dyn Source,
    index: usize,
    item: &Item,
    format: Format,
    arguments: &Arguments,
) -> Result<(Reading, Header)> {
    let (dtype, order) = (item.header.dtype(), item.header.order());
    if !dtype.has_object() {
        return Ok((Reading::Elements, item.header.clone()));
    }
    let selected = if arguments.fields.is_empty() { dtype.clone() } else { select(dtype, &arguments.fields)? };
    if arguments.dtype.is_none() && selected.has_object() {
        match format {
            Format::Csv | Format::Tsv | Format::Json | Format::Ndjson => {
                return Ok((Reading::Objects, Header::new(selected, Order::C, item.header.shape())?));
            }
            Format::Npy | Format::Npz | Format::Dir => {
                let selected = arguments.laid_out(selected)?;
                let header = header_of(selected, arguments.order.map_or(order, Into::into), item.header.shape())?;
                let is_same = header.dtype() == dtype && header.order() == order;
                return Ok(if is_same { (Reading::Pickle, item.header.clone()) } else { (Reading::Objects, header) });
            }
            _ => {}
        }
    }
    let array = with_fields(&source.objects(index)?, &selected, order)?;
    // The nulls of a table, where no other dtype is asked for.
    let has_nulls = matches!(format, Format::Parquet | Format::Arrow) && arguments.dtype.is_none();
    let typed = typed(&array, Wish { dtype: arguments.dtype.as_ref(), is_lossy: arguments.lossy, has_nulls })?;
    let header = typed.header().clone();
    let nulls = if has_nulls { objects::missing(&array) } else { Vec::new() };
    Ok((Reading::Typed(typed, nulls), header))
}

impl Arguments {
    /// The dtype in the byte order and the layout that the options ask for.
    pub(super) fn laid_out(&self, mut dtype: DType) -> Result<DType> {
        if let Some(order) = self.endian {
            dtype = dtype.with_byte_order(order.into());
        }
        Ok(if self.align || self.packed { relaid(&dtype, self.align)? } else { dtype })
    }
}

/// Writes objects as CSV; what a reader could not tell apart is refused.
pub(super) fn write_csv(array: &ObjectArray, delimiter: csv::Delimiter, is_lossy: bool, sink: export::Sink<'_>) -> Result<()> {
    if !is_lossy {
        objects::expect_one_kind(array)?;
        export::expect_utf8(array)?;
    }
    csv::objects(array, delimiter, objects::is_text_in_csv(array), sink)
}

/// Writes objects as JSON; what it has no type for is refused.
pub(super) fn write_json(array: &ObjectArray, layout: json::Layout, is_lossy: bool, sink: export::Sink<'_>) -> Result<()> {
    if !is_lossy {
        export::expect_json(array)?;
    }
    export::json(array, layout, sink)
}
