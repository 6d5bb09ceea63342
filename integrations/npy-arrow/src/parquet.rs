//! Parquet files, uncompressed or compressed by Snappy.
//!
//! The schema of Arrow is part of the file, and with it the dtype: [`to_npy`] restores it exactly.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use npy_core::atomic::replace_file;
use npy_core::{Error, Result, SaveOptions};
pub use parquet;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

use crate::error::{arrow_error, guarded, of_arrow, of_parquet};
use crate::options::{ArrayOptions, BatchOptions};
use crate::{convert, read_batches};

/// Saves an `.npy` file as a Parquet file, compressed by Snappy, atomically and batch by batch.
/// Returns the number of rows. Times in seconds become milliseconds, with
/// [`BatchOptions::seconds_as_milliseconds`].
///
/// # Errors
///
/// Fails like [`read_batches`], or if the Parquet file cannot be written; an existing one is then
/// untouched.
///
/// ```
/// use npy_arrow::{ArrayOptions, BatchOptions, parquet};
///
/// # let directory = tempfile::tempdir()?;
/// # let [npy, table, copy] = ["a.npy", "a.parquet", "b.npy"].map(|name| directory.path().join(name));
/// npy_core::save(&npy, &[1.5_f64, 2.5])?;
/// parquet::from_npy(&npy, &table, BatchOptions::new())?;
/// assert_eq!(parquet::to_npy(&table, &copy, ArrayOptions::new())?, 2);
/// assert_eq!(npy_core::load::<f64>(&copy)?, [1.5, 2.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_npy(npy: impl AsRef<Path>, parquet: impl AsRef<Path>, options: impl Into<BatchOptions>) -> Result<u64> {
    let mut batches = read_batches(npy, options.into().seconds_as_milliseconds(true))?;
    let schema = batches.schema();
    let first = match batches.next() {
        Some(batch) => batch.map_err(of_arrow)?,
        None => RecordBatch::new_empty(Arc::clone(&schema)),
    };
    let properties = properties(&first);
    write(parquet, RecordBatchIterator::new(std::iter::once(Ok(first)).chain(batches), schema), properties)
}

/// Encoded rows are kept until there are this many bytes of them, or a million.
const ROW_GROUP_BYTES: usize = 128 << 20;

/// Returns the properties of [`from_npy`], by the first batch.
///
/// Chunks are compressed by Snappy, and have statistics. A column of mostly distinct values has no
/// dictionary, which the writer would drop later.
///
/// See [`write()`] for an example.
pub fn properties(first: &RecordBatch) -> WriterProperties {
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        // As PyArrow does by default. Those of pages take time, and few readers use them.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_bytes(Some(ROW_GROUP_BYTES));
    for (field, column) in first.schema_ref().fields().iter().zip(first.columns()) {
        builder = without_dictionaries(builder, vec![field.name().clone()], column);
    }
    builder.build()
}

/// Disables the dictionaries of columns with mostly distinct values.
fn without_dictionaries(mut builder: WriterPropertiesBuilder, path: Vec<String>, array: &ArrayRef) -> WriterPropertiesBuilder {
    match array.data_type() {
        DataType::Struct(fields) => {
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                builder = without_dictionaries(builder, [&path[..], &[field.name().clone()]].concat(), column);
            }
            builder
        }
        // The names of the levels of a list in Parquet.
        DataType::FixedSizeList(item, _) => {
            let path = [&path[..], &["list".to_owned(), item.name().clone()]].concat();
            without_dictionaries(builder, path, array.as_fixed_size_list().values())
        }
        _ if mostly_differ(array) => builder.set_column_dictionary_enabled(ColumnPath::new(path), false),
        _ => builder,
    }
}

/// Returns whether more than half of the first values are distinct; `false` for few values.
fn mostly_differ(array: &ArrayRef) -> bool {
    const LEAST: usize = 1000;
    const MOST: usize = 8192;
    let data = array.to_data();
    let count = array.len().min(MOST);
    if count < LEAST {
        return false;
    }
    let mut values: HashSet<&[u8]> = HashSet::new();
    if let Some(width) = data.data_type().primitive_width() {
        let Some(bytes) = data.buffers().first() else { return false };
        values.extend(bytes[data.offset() * width..].chunks_exact(width).take(count));
    } else if let Some(texts) = array.as_string_opt::<i32>() {
        values.extend((0..count).map(|index| texts.value(index).as_bytes()));
    } else if let Some(bytes) = array.as_binary_opt::<i32>() {
        values.extend((0..count).map(|index| bytes.value(index)));
    }
    values.len() > count / 2
}

/// Saves batches as a Parquet file, atomically. Returns the number of rows.
///
/// # Errors
///
/// Fails if the source of the batches fails, if Parquet lacks one of their types, or if the file
/// cannot be written; an existing one is then untouched.
///
/// ```
/// use npy_arrow::arrow_array::RecordBatchIterator;
/// use npy_arrow::parquet;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("a.parquet");
/// let batch = npy_arrow::items_to_batch(&[1_u8, 2])?;
/// let batches = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
/// parquet::write(&path, batches, parquet::properties(&batch))?;
/// assert_eq!(parquet::read(&path)?.next().expect("a batch")?.num_rows(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(path: impl AsRef<Path>, batches: impl RecordBatchReader, properties: WriterProperties) -> Result<u64> {
    replace_file(path, SaveOptions::new(), |output| {
        let writer = ArrowWriter::try_new(&mut *output, batches.schema(), Some(properties));
        let (mut writer, mut rows) = (writer.map_err(|error| of_parquet(&error))?, 0);
        for batch in batches {
            let batch = batch.map_err(of_arrow)?;
            rows += batch.num_rows() as u64;
            writer.write(&batch).map_err(|error| of_parquet(&error))?;
        }
        writer.close().map_err(|error| of_parquet(&error))?;
        Ok(rows)
    })
}

/// Opens a Parquet file, whose batches are read one after the other.
///
/// # Errors
///
/// Fails if it cannot be opened, or is not a Parquet file.
///
/// See [`write()`] for an example.
pub fn read(path: impl AsRef<Path>) -> Result<ParquetReader> {
    let path = path.as_ref();
    convert::open(path).and_then(|file| ParquetReader::new(&file)).map_err(|error| error.with_path(path))
}

/// The batches of a Parquet file, with the metadata of its schema.
///
/// See [`write()`] for an example.
pub struct ParquetReader {
    /// The schema with its metadata, which batches lack.
    schema: SchemaRef,
    batches: ParquetRecordBatchReader,
}

impl ParquetReader {
    fn new(file: &File) -> Result<Self> {
        let file = file.try_clone().map_err(|error| Error::io("cannot read the file", error))?;
        let open = || -> parquet::errors::Result<Self> {
            let mut metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
            if let Some(schema) = with_readable_types(metadata.schema()) {
                metadata =
                    ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), ArrowReaderOptions::new().with_schema(schema))?;
            }
            let schema = Arc::clone(metadata.schema());
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
            Ok(Self { schema, batches: builder.with_batch_size(8192).build()? })
        };
        guarded(open)?.map_err(|error| of_parquet(&error))
    }
}

/// The schema without dictionaries of bytes of a fixed size, which the reader of Parquet mistakes for bytes of any length;
/// `None` if it has none.
fn with_readable_types(schema: &SchemaRef) -> Option<SchemaRef> {
    let readable = |field: &FieldRef| match field.data_type() {
        DataType::Dictionary(_, values) if matches!(**values, DataType::FixedSizeBinary(_)) => {
            Arc::new(Field::clone(field).with_data_type(DataType::clone(values)))
        }
        _ => Arc::clone(field),
    };
    let fields: Fields = schema.fields().iter().map(readable).collect();
    (fields != *schema.fields()).then(|| Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

impl Iterator for ParquetReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = guarded(|| self.batches.next()).unwrap_or_else(|error| Some(Err(arrow_error(error))))?;
        let batch = batch.and_then(|batch| {
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            RecordBatch::try_new_with_options(Arc::clone(&self.schema), batch.columns().to_vec(), &options)
        });
        Some(batch.map_err(|error| arrow_error(of_arrow(error))))
    }
}

impl RecordBatchReader for ParquetReader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl std::fmt::Debug for ParquetReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetReader").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// Saves a Parquet file as an `.npy` file, atomically and batch by batch. Returns the number of
/// rows.
///
/// Tables of other programs are read as by [`ipc::to_npy`](crate::ipc::to_npy): twice where a dtype depends on the
/// values.
///
/// # Errors
///
/// Fails like [`read`], [`Survey`](crate::Survey) and [`write_batches`](crate::write_batches).
///
/// See [`from_npy`] for an example.
pub fn to_npy(parquet: impl AsRef<Path>, npy: impl AsRef<Path>, options: impl Into<ArrayOptions>) -> Result<u64> {
    let path = parquet.as_ref();
    let file = convert::open(path).map_err(|error| error.with_path(path))?;
    convert::to_npy(|| ParquetReader::new(&file), npy.as_ref(), options.into()).map_err(|error| error.with_path(path))
}
