//! Encodes batches of a schema as rows of an array.

use arrow_array::RecordBatch;
use arrow_schema::{DataType, FieldRef, Fields, Schema, SchemaRef};
use npy_core::{DType, Error, ErrorKind, Result};

use crate::axes::Axes;
use crate::dtypes::{Choices, Inferred, Kind, Layout, Node, is_bytes, is_text, join, parse};
use crate::error::{batch_too_large, duplicate_column, missing_column, unexpected_column};
use crate::metadata::DESCR;
use crate::options::{ArrayOptions, Fill};
use crate::target::{Target, coarse};

/// An encoder of batches of a schema as the rows of an array.
pub(crate) struct Encoder {
    schema: SchemaRef,
    /// The dtype of an element.
    pub(crate) dtype: DType,
    /// The lengths of the axes after the first.
    pub(crate) axes: Vec<usize>,
    slots: Vec<Slot>,
    fill: Option<Fill>,
    pub(crate) row_bytes: usize,
    /// Rows and batches so far.
    pub(crate) rows: u64,
    batches: u64,
}

/// The target of the values of a column.
struct Slot {
    column: usize,
    offset: usize,
    node: Node,
}

impl Encoder {
    /// `text_width` is called for texts without a known width.
    pub(crate) fn new(
        schema: &Schema,
        options: &ArrayOptions,
        text_width: &dyn Fn(&str, &DataType) -> Result<usize>,
    ) -> Result<Self> {
        if let Some(name) = repeated(schema.fields()) {
            return Err(duplicate_column(&name));
        }
        let row = match (&options.dtype, schema.metadata().get(DESCR)) {
            (Some(dtype), _) => dtype.clone(),
            (None, Some(text)) => parse(DESCR, text)?,
            (None, None) => {
                let given = options.text_width;
                let text_width = |path: &str, text: &DataType| given.map_or_else(|| text_width(path, text), Ok);
                Inferred { text_width: &text_width }.record(schema.fields(), "")?
            }
        };
        let (dtype, axes) = row.flattened();
        let mut slots = Vec::new();
        match (dtype, axes.as_slice()) {
            (DType::Record(record), []) => slots_of(record, "", 0, schema, &mut slots)?,
            // A matrix with a column for each column.
            (_, [length]) if schema.fields().len() == *length && !is_list(schema) => {
                for column in 0..*length {
                    let name = schema.field(column).name();
                    slots.push(Slot {
                        column,
                        offset: column * dtype.itemsize(),
                        node: Node::new(name, name, dtype, Choices::default())?,
                    });
                }
            }
            _ => {
                let Some(name) = schema.fields().first().map(|field| field.name()) else {
                    return Err(missing_column("value"));
                };
                slots.push(Slot { column: 0, offset: 0, node: Node::new(name, name, &row, Choices::default())? });
            }
        }
        let mut is_used = vec![false; schema.fields().len()];
        for slot in &slots {
            let field = schema.field(slot.column);
            expect_type(&slot.node, field.data_type(), field.name())?;
            is_used[slot.column] = true;
        }
        if let Some(unused) = is_used.iter().position(|is_used| !is_used) {
            return Err(unexpected_column(schema.field(unused).name()));
        }
        let row_bytes = row.itemsize();
        let (dtype, schema) = (dtype.clone(), SchemaRef::new(schema.clone()));
        Ok(Self { schema, dtype, axes, slots, fill: options.fill, row_bytes, rows: 0, batches: 0 })
    }

    /// Appends the bytes of a batch. After an error, `bytes` is as it was.
    pub(crate) fn append(&mut self, batch: &RecordBatch, bytes: &mut Vec<u8>) -> Result<()> {
        let (own, other) = (self.schema.fields(), batch.schema_ref().fields());
        if !have_same_types(own, other) {
            let (expected, found) = (describe(own), describe(other));
            let message = format!("wrong schema of batch {}: expected {expected}, found {found}", self.batches);
            return Err(Error::new(ErrorKind::Mismatch, message));
        }
        let (begin, rows) = (bytes.len(), batch.num_rows());
        let too_large = || batch_too_large("", rows);
        let length = rows.checked_mul(self.row_bytes).ok_or_else(too_large)?;
        bytes.try_reserve(length).map_err(|_| too_large())?;
        // Padding is zero.
        bytes.resize(begin + length, 0);
        let mut target = Target { bytes: &mut bytes[begin..], fill: self.fill, first_row: self.rows };
        let written = self.slots.iter().try_for_each(|slot| {
            let axes = Axes::rows(slot.offset, rows, self.row_bytes);
            target.write(&slot.node, batch.column(slot.column), None, &axes)
        });
        if let Err(error) = written {
            bytes.truncate(begin);
            return Err(error);
        }
        self.rows = self.rows.saturating_add(rows as u64);
        self.batches += 1;
        Ok(())
    }
}

/// Returns whether the only column has lists.
fn is_list(schema: &Schema) -> bool {
    matches!(schema.fields().iter().as_slice(), [field] if matches!(field.data_type(), DataType::FixedSizeList(..)))
}

/// Returns whether the columns have the same names and types, except for nullability.
fn have_same_types(own: &Fields, other: &Fields) -> bool {
    let is_same =
        |(own, other): (&FieldRef, &FieldRef)| own.name() == other.name() && is_same_type(own.data_type(), other.data_type());
    own.len() == other.len() && own.iter().zip(other).all(is_same)
}

fn is_same_type(own: &DataType, other: &DataType) -> bool {
    match (own, other) {
        (DataType::Struct(own), DataType::Struct(other)) => have_same_types(own, other),
        (DataType::FixedSizeList(own, length), DataType::FixedSizeList(other, other_length)) => {
            length == other_length && is_same_type(own.data_type(), other.data_type())
        }
        (own, other) => own == other,
    }
}

fn describe(fields: &Fields) -> String {
    let columns: Vec<_> = fields.iter().map(|field| format!("{:?}: {}", field.name(), field.data_type())).collect();
    format!("[{}]", columns.join(", "))
}

fn repeated(fields: &Fields) -> Option<String> {
    let mut names = std::collections::HashSet::new();
    fields.iter().find(|field| !names.insert(field.name())).map(|field| field.name().clone())
}

/// Finds a column for each field: of its name, or for each field of a nested record.
fn slots_of(record: &npy_core::dtype::Record, path: &str, offset: usize, schema: &Schema, slots: &mut Vec<Slot>) -> Result<()> {
    for field in record.fields() {
        let name = join(path, field.name());
        let offset = offset + field.offset();
        match (schema.column_with_name(&name), field.dtype()) {
            (Some((column, _)), dtype) => {
                slots.push(Slot { column, offset, node: Node::new(&name, &name, dtype, Choices::default())? });
            }
            (None, DType::Record(inner)) if !inner.fields().is_empty() => slots_of(inner, &name, offset, schema, slots)?,
            // A flattened record without fields has no column.
            (None, DType::Record(_)) if !path.is_empty() || schema.metadata().contains_key(DESCR) => {}
            (None, _) => return Err(missing_column(&name)),
        }
    }
    Ok(())
}

/// Checks that a column of this type fits.
fn expect_type(node: &Node, found: &DataType, path: &str) -> Result<()> {
    let wrong = |dtype: String| {
        let dtype = if dtype.is_empty() { dtype } else { format!(" for dtype {dtype}") };
        let expected = node.field.data_type();
        let message = format!("column {path:?}: wrong type{dtype}: expected {expected}, found {found}");
        Err(Error::new(ErrorKind::Mismatch, message))
    };
    match (&node.layout, found) {
        (Layout::Leaf(leaf), _) => {
            let is_accepted = match leaf.kind {
                Kind::Text => is_text(found),
                Kind::Bytes | Kind::Utf8 => is_bytes(found) || is_text(found),
                Kind::Void => found == node.field.data_type() || is_bytes(found),
                Kind::Time | Kind::Coarse(_) | Kind::Date => match (node.field.data_type(), found) {
                    // An instant, whose zone NumPy does not store.
                    (DataType::Timestamp(own, _), DataType::Timestamp(unit, _)) if own == unit => true,
                    (own, found) => own == found || *found == DataType::Int64 || coarse(leaf, found).is_some(),
                },
                Kind::Number | Kind::Bool => found == node.field.data_type(),
            };
            if is_accepted { Ok(()) } else { wrong(leaf.dtype.to_string()) }
        }
        (Layout::List { length, item, .. }, DataType::FixedSizeList(field, size)) if usize::try_from(*size) == Ok(*length) => {
            expect_type(item, field.data_type(), path)
        }
        (Layout::Struct(own), DataType::Struct(fields)) => {
            if let Some(name) = repeated(fields) {
                return Err(duplicate_column(&join(path, &name)));
            }
            for (_, node) in own {
                let name = node.field.name();
                let path = join(path, name);
                let Some((_, field)) = fields.find(name) else { return Err(missing_column(&path)) };
                expect_type(node, field.data_type(), &path)?;
            }
            match fields.iter().find(|field| own.iter().all(|(_, node)| node.field.name() != field.name())) {
                Some(field) => Err(unexpected_column(&join(path, field.name()))),
                None => Ok(()),
            }
        }
        (Layout::List { .. } | Layout::Struct(_), _) => wrong(String::new()),
    }
}

/// The error of a text of unknown width, for [`Encoder::new`].
pub(crate) fn unknown_width(column: &str, data_type: &DataType) -> Result<usize> {
    let message = format!("column {column:?}: unknown width of {data_type}; set `ArrayOptions::dtype` or `text_width`");
    Err(Error::new(ErrorKind::Unstorable, message))
}
