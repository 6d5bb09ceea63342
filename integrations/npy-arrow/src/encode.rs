//! Encodes batches of a schema as rows of an array.

use std::mem::discriminant;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, FieldRef, Fields, Schema, SchemaRef};
use npy_core::dtype::{Field, Record, ScalarKind};
use npy_core::{DType, Error, ErrorKind, Result, error};

use crate::axes::Axes;
use crate::dtypes::{Choices, Inferred, Kind, Layout, Leaf, Node, Sizes, join, parse};
use crate::error::{batch_too_large, duplicate_column, missing_column, of_arrow, unexpected_column};
use crate::foreign::{is_bytes, is_text, item_of, plain_type};
use crate::metadata::{DESCR, SHAPE};
use crate::options::{ArrayOptions, Fill};
use crate::target::{Target, coarse};

/// An encoder of batches of a schema as the rows of an array.
pub(crate) struct Encoder {
    schema: SchemaRef,
    /// The columns of a batch that are written, if they are not all.
    selected: Option<Vec<usize>>,
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
    /// `sizes` are those that the options lack.
    pub(crate) fn new(schema: &Schema, options: &ArrayOptions, sizes: &dyn Sizes) -> Result<Self> {
        let selected = options.columns.as_ref().map(|names| selected(schema, names)).transpose()?;
        let projected = selected.as_ref().map(|columns| schema.project(columns).map_err(of_arrow)).transpose()?;
        let schema = projected.as_ref().unwrap_or(schema);
        if let Some(name) = repeated(schema.fields()) {
            return Err(duplicate_column(&name));
        }
        let row = match (&options.dtype, schema.metadata().get(DESCR)) {
            (Some(dtype), _) => dtype.clone(),
            (None, Some(text)) => match parse(DESCR, text)? {
                DType::Record(record) if selected.is_some() => of_fields(&record, schema)?,
                row => row,
            },
            (None, None) => {
                let given = Given { text_width: options.text_width, sizes };
                Inferred { sizes: &given, decimals_as_floats: options.decimals_as_floats }.record(schema.fields(), "")?
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
        Ok(Self { schema, selected, dtype, axes, slots, fill: options.fill, row_bytes, rows: 0, batches: 0 })
    }

    /// The columns that are written.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The shape of an array of that number of rows; that of one row may be `()`.
    pub(crate) fn shape(&self, rows: usize) -> Vec<usize> {
        let is_scalar = rows == 1 && self.schema.metadata().get(SHAPE).is_some_and(|shape| shape == "()");
        let outer: &[usize] = if is_scalar { &[] } else { &[rows] };
        [outer, &self.axes].concat()
    }

    /// The columns of a batch that are written.
    pub(crate) fn select(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        match &self.selected {
            Some(columns) => batch.project(columns).map_err(of_arrow),
            None => Ok(batch.clone()),
        }
    }

    /// Appends the bytes of a batch. After an error, `bytes` is as it was.
    pub(crate) fn append(&mut self, batch: &RecordBatch, bytes: &mut Vec<u8>) -> Result<()> {
        let batch = &self.select(batch)?;
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
    matches!(schema.fields().iter().as_slice(), [field] if item_of(field.data_type()).is_some())
}

/// Finds the columns of these names.
fn selected(schema: &Schema, names: &[String]) -> Result<Vec<usize>> {
    let column = |name: &String| {
        let found = schema.column_with_name(name).map(|(column, _)| column);
        found.ok_or_else(|| error::no_field(name, "", schema.fields().iter().map(|field| field.name().as_str())))
    };
    names.iter().map(column).collect()
}

/// The dtype of a row of some fields of a record.
fn of_fields(record: &Record, schema: &Schema) -> Result<DType> {
    let mut fields = Vec::new();
    for field in schema.fields() {
        let Some(found) = record.field(field.name()) else {
            return Err(error::no_field(field.name(), "", record.fields().iter().map(Field::name)));
        };
        fields.push((found.name(), found.dtype().clone()));
    }
    Ok(Record::packed(fields)?.into())
}

/// The sizes of the options, and others.
pub(crate) struct Given<'a> {
    pub(crate) text_width: Option<usize>,
    pub(crate) sizes: &'a dyn Sizes,
}

impl Sizes for Given<'_> {
    fn text(&self, path: &str, data_type: &DataType) -> Result<ScalarKind> {
        match self.text_width {
            Some(length) if is_text(data_type) => Ok(ScalarKind::Unicode { length }),
            Some(length) => Ok(ScalarKind::Bytes { length }),
            None => self.sizes.text(path, data_type),
        }
    }

    fn list(&self, path: &str, data_type: &DataType) -> Result<usize> {
        self.sizes.list(path, data_type)
    }
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
        (DataType::FixedSizeList(_, length), DataType::FixedSizeList(_, other)) if length != other => false,
        (own, other) => match (item_of(own), item_of(other)) {
            (Some(item), Some(other_item)) if discriminant(own) == discriminant(other) => {
                is_same_type(item.data_type(), other_item.data_type())
            }
            _ => own == other,
        },
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
fn slots_of(record: &Record, path: &str, offset: usize, schema: &Schema, slots: &mut Vec<Slot>) -> Result<()> {
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
    let is_of_size = |length: usize| match found {
        DataType::FixedSizeList(_, size) => usize::try_from(*size) == Ok(length),
        // The values have the lengths.
        _ => true,
    };
    match (&node.layout, found, item_of(found)) {
        (Layout::Leaf(leaf), ..) if is_accepted(leaf, node.field.data_type(), &plain_type(found)) => Ok(()),
        (Layout::Leaf(leaf), ..) => wrong(leaf.dtype.to_string()),
        (Layout::List { length, item, .. }, _, Some(field)) if is_of_size(*length) => expect_type(item, field.data_type(), path),
        (Layout::Struct(own), DataType::Struct(fields), _) => expect_fields(own, fields, path),
        (Layout::List { .. } | Layout::Struct(_), ..) => wrong(String::new()),
    }
}

/// Returns whether values of a type can be stored in a dtype, whose own type is `own`.
fn is_accepted(leaf: &Leaf, own: &DataType, found: &DataType) -> bool {
    match leaf.kind {
        Kind::Text => is_text(found),
        Kind::Bytes | Kind::Utf8 => is_bytes(found) || is_text(found),
        Kind::Void => found == own || is_bytes(found),
        Kind::Time | Kind::Coarse(_) | Kind::Date => match (own, found) {
            // An instant, whose zone NumPy does not store.
            (DataType::Timestamp(own, _), DataType::Timestamp(unit, _)) if own == unit => true,
            (own, found) => own == found || *found == DataType::Int64 || coarse(leaf, found).is_some(),
        },
        Kind::Number | Kind::Bool => found == own,
    }
}

/// Checks that a struct has the fields of a record, and no others.
fn expect_fields(own: &[(usize, Node)], fields: &Fields, path: &str) -> Result<()> {
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

/// Sizes that are not known, as batches are written while they come.
pub(crate) struct Unknown;

impl Sizes for Unknown {
    fn text(&self, path: &str, data_type: &DataType) -> Result<ScalarKind> {
        let message =
            format!("column {path:?}: unknown width of {data_type}; set `ArrayOptions::dtype` or `text_width`, or use `Survey`");
        Err(Error::new(ErrorKind::Unstorable, message))
    }

    fn list(&self, path: &str, data_type: &DataType) -> Result<usize> {
        let message = format!("column {path:?}: unknown length of {data_type}; set `ArrayOptions::dtype`, or use `Survey`");
        Err(Error::new(ErrorKind::Unstorable, message))
    }
}
