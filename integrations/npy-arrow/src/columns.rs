//! The columns of an array: their fields, names and offsets.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use npy_core::dtype::{Field, FieldAt, Record, ScalarKind};
use npy_core::{DType, Error, ErrorKind, Header, Order, Result, error};

use crate::axes::Axes;
use crate::decode::Block;
use crate::dtypes::{Choices, Kind, Layout, Node, Stride, join};
use crate::error::{duplicate_column, no_arrow_type, of_arrow};
use crate::metadata::{DESCR, SHAPE};
use crate::options::BatchOptions;

/// The most columns of a table. More are likely a mistake.
const MOST_COLUMNS: usize = 1 << 16;

/// The most rows of zero bytes, which the length of the input does not bound. The limit of
/// `npy_core::Limits`.
pub(crate) const MOST_EMPTY_ROWS: usize = 1 << 16;

/// The default number of rows of a batch, as in DataFusion.
const ROWS: usize = 8192;

/// The default maximum of a batch's bytes in the file.
const BATCH_BYTES: usize = 16 << 20;

/// The columns of an array.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub(crate) schema: SchemaRef,
    all: Vec<Column>,
    order: Order,
    itemsize: usize,
    /// The lengths of the axes after the first.
    axes: Vec<usize>,
    /// Rows of the array.
    pub(crate) rows: usize,
    /// Bytes of a row.
    pub(crate) row_bytes: usize,
}

#[derive(Clone, Debug)]
struct Column {
    node: Node,
    /// Its offset in an element.
    offset: usize,
    /// Its index in a matrix.
    index: usize,
}

/// Rows of an array in memory.
pub(crate) struct RowRange<'a> {
    /// The offset of the first of the rows in memory.
    pub(crate) begin: usize,
    /// The number of rows in memory, which sets the strides in Fortran order.
    pub(crate) in_memory: usize,
    /// The first row among those in memory.
    pub(crate) from: usize,
    /// The number of rows.
    pub(crate) rows: usize,
    /// The indices of the rows, counted from the first, if they are not adjacent.
    pub(crate) taken: Option<&'a [usize]>,
}

impl RowRange<'_> {
    /// All rows in memory.
    pub(crate) fn all(rows: usize) -> Self {
        Self { begin: 0, in_memory: rows, from: 0, rows, taken: None }
    }
}

impl Columns {
    pub(crate) fn new(header: &Header, options: &BatchOptions) -> Result<Self> {
        let (dtype, mut axes) = header.dtype().flattened();
        if let Some(leaf) = dtype.leaves().iter().find(|leaf| leaf.scalar().kind() == ScalarKind::Object) {
            return Err(no_arrow_type(&leaf.path(), &leaf.scalar().to_string()));
        }
        let (rows, outer) = header.shape().split_first().map_or((1, &[][..]), |(rows, axes)| (*rows, axes));
        axes.splice(..0, outer.iter().copied());
        let row_bytes = axes.iter().fold(dtype.itemsize(), |bytes, length| bytes.saturating_mul(*length));
        if row_bytes == 0 && rows > MOST_EMPTY_ROWS {
            let (limit, found) = (MOST_EMPTY_ROWS as u64, rows as u64);
            return Err(Error::limit_exceeded_with("rows without bytes", limit, found, "convert an array of fewer rows"));
        }
        let row = if axes.is_empty() { dtype.clone() } else { dtype.clone().sub_array(&axes)? };
        let (columns, descr) = Self::choose(dtype, &axes, options)?;
        let mut names = HashSet::new();
        if let Some(column) = columns.iter().find(|column| !names.insert(column.node.field.name())) {
            return Err(duplicate_column(column.node.field.name()));
        }
        let mut metadata = [(DESCR.to_owned(), descr.unwrap_or(row).descr())].to_vec();
        if header.shape().is_empty() {
            metadata.push((SHAPE.to_owned(), "()".to_owned()));
        }
        let fields: Vec<_> = columns.iter().map(|column| Arc::clone(&column.node.field)).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, metadata.into_iter().collect()));
        Ok(Self { schema, all: columns, order: header.order(), itemsize: dtype.itemsize(), axes, rows, row_bytes })
    }

    /// The columns of a batch that was decoded at once.
    #[cfg(feature = "object")]
    pub(crate) fn decoded(batch: &RecordBatch) -> Self {
        let (schema, rows) = (batch.schema(), batch.num_rows());
        Self { schema, all: Vec::new(), order: Order::C, itemsize: 0, axes: Vec::new(), rows, row_bytes: 0 }
    }

    /// The columns, and the dtype of a row if they are not all.
    fn choose(dtype: &DType, axes: &[usize], options: &BatchOptions) -> Result<(Vec<Column>, Option<DType>)> {
        let choices = Choices::from(options);
        let names = options.columns.as_deref();
        if let (DType::Record(record), []) = (dtype, axes) {
            let Some(names) = names else {
                let mut columns = Vec::new();
                let fields = record.fields().iter();
                let nodes =
                    fields.map(|field| Ok((field.offset(), Node::new(field.name(), field.name(), field.dtype(), choices)?)));
                for (offset, node) in nodes.collect::<Result<Vec<_>>>()? {
                    if options.flatten {
                        flatten(offset, node, "", &mut columns);
                    } else {
                        columns.push(Column { node, offset, index: 0 });
                    }
                }
                return Ok((columns, None));
            };
            let mut columns = Vec::new();
            let mut fields = Vec::new();
            for name in names {
                let field = field_of(name, dtype).ok_or_else(|| no_field(name, dtype, record))?;
                columns.push(Column { node: Node::new(name, name, field.dtype(), choices)?, offset: field.offset(), index: 0 });
                fields.push((name.as_str(), field.dtype().clone()));
            }
            let mut seen = HashSet::new();
            if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
                return Err(duplicate_column(name));
            }
            return Ok((columns, Some(Record::packed(fields)?.into())));
        }
        let columns = match axes {
            [length] if options.matrix_columns => {
                if *length > MOST_COLUMNS {
                    let message =
                        format!("too many columns: expected at most {MOST_COLUMNS}, found {length}; read the rows as lists");
                    return Err(Error::new(ErrorKind::TooLarge, message));
                }
                let node = Node::new(&options.name, "", dtype, choices)?;
                let column = |index| Column { node: node.clone().renamed(&format!("{}_{index}", options.name)), offset: 0, index };
                (0..*length).map(column).collect()
            }
            _ => vec![Column { node: Node::of_array(&options.name, dtype, axes, choices)?, offset: 0, index: 0 }],
        };
        let Some(names) = names else { return Ok((columns, None)) };
        let chosen = names.iter().map(|name| {
            let column = columns.iter().find(|column| column.node.field.name() == name);
            column.cloned().ok_or_else(|| unknown(name, &columns))
        });
        let chosen = chosen.collect::<Result<Vec<_>>>()?;
        if names.len() == 1 && chosen.len() == columns.len() {
            return Ok((chosen, None));
        }
        let row = Record::packed(names.iter().map(|name| (name.as_str(), dtype.clone())))?;
        Ok((chosen, Some(row.into())))
    }

    /// The strides of rows and of the other axes, for a number of rows in memory.
    fn strides(&self, rows: usize) -> (usize, Vec<usize>) {
        let mut strides = vec![0; self.axes.len()];
        match self.order {
            Order::C => {
                let mut stride = self.itemsize;
                for (place, length) in strides.iter_mut().zip(&self.axes).rev() {
                    *place = stride;
                    stride = stride.saturating_mul(*length);
                }
                (stride, strides)
            }
            Order::Fortran => {
                let mut stride = self.itemsize.saturating_mul(rows);
                for (place, length) in strides.iter_mut().zip(&self.axes) {
                    *place = stride;
                    stride = stride.saturating_mul(*length);
                }
                (self.itemsize, strides)
            }
        }
    }

    /// The batch of rows in memory. The caller has checked that their bytes are there.
    pub(crate) fn batch(&self, block: &Block<'_>, range: &RowRange<'_>) -> Result<RecordBatch> {
        let (row, strides) = self.strides(range.in_memory);
        let block = Block { strides: &strides, ..*block };
        let arrays = self.all.iter().map(|column| block.column(&column.node, &column.axes(range, row, &strides)));
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(range.rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options).map_err(of_arrow)
    }

    /// The maximum number of rows in a batch.
    pub(crate) fn batch_rows(&self, options: &BatchOptions) -> usize {
        options.rows.unwrap_or_else(|| (BATCH_BYTES / self.row_bytes.max(1)).clamp(1, ROWS))
    }

    /// Returns whether a column of a batch can share the memory of its bytes.
    pub(crate) fn can_share(&self) -> bool {
        let range = RowRange::all(2);
        let (row, strides) = self.strides(range.in_memory);
        self.all.iter().any(|column| can_share(&column.node, &column.axes(&range, row, &strides), &strides))
    }

    /// The number of ranges of bytes that rows in Fortran order have; `None` if they are contiguous.
    pub(crate) fn range_count(&self) -> Option<usize> {
        let is_scattered = self.order == Order::Fortran && !self.axes.is_empty() && self.row_bytes > 0;
        is_scattered.then(|| self.row_bytes / self.itemsize.max(1))
    }

    /// Bytes of an element.
    pub(crate) fn itemsize(&self) -> usize {
        self.itemsize
    }
}

impl Column {
    fn axes<'a>(&self, range: &RowRange<'a>, row: usize, strides: &[usize]) -> Axes<'a> {
        let column = strides.first().map_or(0, |stride| stride.saturating_mul(self.index));
        let offset = range.begin + range.from * row + self.offset + column;
        match range.taken {
            Some(indices) => Axes::taken(offset, indices, row),
            None => Axes::rows(offset, range.rows, row),
        }
    }
}

fn can_share(node: &Node, axes: &Axes<'_>, strides: &[usize]) -> bool {
    match &node.layout {
        Layout::Leaf(leaf) => {
            let is_same = matches!(leaf.kind, Kind::Number | Kind::Time | Kind::Void) && !(leaf.swap && leaf.width > 1);
            is_same && axes.runs(leaf.width).is_ok_and(|runs| runs.is_contiguous())
        }
        Layout::List { length, stride, item } => {
            let stride = match stride {
                Stride::Bytes(stride) => *stride,
                Stride::Axis(number) => strides.get(*number).copied().unwrap_or_default(),
            };
            can_share(item, &axes.items(*length, stride), strides)
        }
        Layout::Struct(fields) => fields.iter().any(|(offset, node)| can_share(node, &axes.at(*offset), strides)),
    }
}

/// Appends the columns of a struct, and of the structs in it.
fn flatten(offset: usize, node: Node, path: &str, columns: &mut Vec<Column>) {
    let path = join(path, node.field.name());
    match node.layout {
        Layout::Struct(fields) => fields.into_iter().for_each(|(inner, node)| flatten(offset + inner, node, &path, columns)),
        _ => columns.push(Column { node: node.renamed(&path), offset, index: 0 }),
    }
}

/// Finds a field by its path. None in a sub-array of records, because a column has one value for each row.
pub(crate) fn field_of<'d>(path: &str, dtype: &'d DType) -> Option<FieldAt<'d>> {
    dtype.field(path).filter(|field| field.shape().is_empty())
}

#[cold]
pub(crate) fn no_field(name: &str, dtype: &DType, record: &Record) -> Error {
    // The names of the innermost record that exists.
    let inner = dtype.fields_before(name).find_map(|(path, field)| match field.dtype() {
        DType::Record(inner) if field.shape().is_empty() => Some((path, inner)),
        _ => None,
    });
    let (outer, record) = inner.unwrap_or(("", record));
    error::no_field(name, outer, record.fields().iter().map(Field::name))
}

#[cold]
fn unknown(name: &str, columns: &[Column]) -> Error {
    error::no_field(name, "", columns.iter().map(|column| column.node.field.name()))
}
