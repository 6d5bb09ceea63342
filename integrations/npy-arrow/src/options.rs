//! Options for both directions.

use npy_core::{DType, Limits, ReadOptions, SaveOptions};

/// Options for batches of an array: rows, columns, and Arrow types.
///
/// ```
/// use npy_arrow::BatchOptions;
/// use npy_core::{DynValues, Order};
///
/// let dtype = "[('id', '|u1'), ('origin', [('x', '<i2'), ('y', '<i2')]), ('code', 'S2')]".parse()?;
/// let values = DynValues::new(dtype, Order::C, &[1], b"\x07\x01\0\x02\0ab".to_vec())?;
///
/// let options = BatchOptions::new().columns(["code", "origin.y"]).bytes_as_text(true);
/// let batch = npy_arrow::to_batch_with(&values, options)?;
/// let schema = batch.schema();
/// let columns: Vec<_> = schema.fields().iter().map(|field| (field.name().as_str(), field.data_type().to_string())).collect();
/// assert_eq!(columns, [("code", "Utf8".to_owned()), ("origin.y", "Int16".to_owned())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct BatchOptions {
    pub(crate) rows: Option<usize>,
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) name: String,
    pub(crate) flatten: bool,
    pub(crate) bytes_as_text: bool,
    pub(crate) times_as_integers: bool,
    pub(crate) seconds_as_milliseconds: bool,
    pub(crate) matrix_columns: bool,
    pub(crate) read: ReadOptions,
}

impl BatchOptions {
    /// Returns the defaults: 8192 rows of at most 16 MiB, all columns, nested structs.
    pub fn new() -> Self {
        Self {
            rows: None,
            columns: None,
            name: "value".to_owned(),
            flatten: false,
            bytes_as_text: false,
            times_as_integers: false,
            seconds_as_milliseconds: false,
            matrix_columns: false,
            read: ReadOptions::new(),
        }
    }

    /// Sets the maximum number of rows in a batch; 0 is 1.
    ///
    /// By default 8192, or fewer if they exceed 16 MiB.
    pub fn rows(mut self, rows: usize) -> Self {
        self.rows = Some(rows.max(1));
        self
    }

    /// Selects columns by the name of their field, in this order; only these are decoded.
    ///
    /// A dot names a field of a nested record: `origin.time`. The column has the same name.
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.columns = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the name of the only column of an array that is not of records. By default `value`.
    pub fn column_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets whether the fields of nested records become columns of their own, such as
    /// `origin.time`, instead of a struct.
    pub fn flatten(mut self, flatten: bool) -> Self {
        self.flatten = flatten;
        self
    }

    /// Sets whether bytes (`S`) become `Utf8` instead of `Binary`. They must be UTF-8 then.
    pub fn bytes_as_text(mut self, is_text: bool) -> Self {
        self.bytes_as_text = is_text;
        self
    }

    /// Sets whether all times (`M8`, `m8`) become `Int64`, as those finer than nanoseconds do.
    ///
    /// Needed by dates beyond `Date32`, and by times that overflow a finer unit.
    pub fn times_as_integers(mut self, are_integers: bool) -> Self {
        self.times_as_integers = are_integers;
        self
    }

    /// Sets whether times in seconds become milliseconds, as those in hours do. Parquet has no seconds:
    /// its readers find plain integers. The metadata keep the dtype.
    pub fn seconds_as_milliseconds(mut self, are_milliseconds: bool) -> Self {
        self.seconds_as_milliseconds = are_milliseconds;
        self
    }

    /// Sets whether a matrix becomes a column per column, `value_0`, `value_1` and so on, instead of
    /// one column of lists. Those of a matrix in Fortran order share its memory.
    pub fn matrix_columns(mut self, are_columns: bool) -> Self {
        self.matrix_columns = are_columns;
        self
    }

    /// Allows Python objects (dtype `|O`, `StringDType`), which are stored as a pickle. Nothing is run.
    ///
    /// A column is of one type, or `None`. The whole array is decoded at once, in memory bounded by the
    /// size of the file and by these options.
    ///
    /// ```
    /// use npy_arrow::npy_core::object::{ObjectArray, ObjectOptions};
    /// use npy_arrow::{BatchOptions, BatchReader};
    ///
    /// let mut file = Vec::new();
    /// ObjectArray::from(vec![Some("Ada"), None]).write(&mut file)?;
    /// let options = BatchOptions::new().objects(ObjectOptions::new());
    /// let batch = BatchReader::new(std::io::Cursor::new(file), options)?.next().expect("a batch")?;
    /// assert_eq!(batch.schema().field(0).data_type().to_string(), "Utf8");
    /// assert_eq!(batch.column(0).null_count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "object")]
    pub fn objects(mut self, options: npy_core::object::ObjectOptions) -> Self {
        self.read.objects = Some(options);
        self
    }

    /// Sets the options for reading the file, such as its [`Limits`].
    pub fn read(mut self, options: impl Into<ReadOptions>) -> Self {
        self.read = options.into();
        self
    }
}

impl Default for BatchOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<ReadOptions> for BatchOptions {
    fn from(options: ReadOptions) -> Self {
        Self::new().read(options)
    }
}

impl From<Limits> for BatchOptions {
    fn from(limits: Limits) -> Self {
        Self::new().read(limits)
    }
}

/// Options for an array of batches: dtype, nulls, and saving.
///
/// ```
/// use npy_arrow::{ArrayOptions, Fill};
/// use npy_arrow::arrow_array::{ArrayRef, Int32Array, RecordBatch};
/// use std::sync::Arc;
///
/// let column: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
/// let batch = RecordBatch::try_from_iter([("count", column)])?;
/// let options = ArrayOptions::new().dtype("[('count', '>i4')]".parse()?).fill_nulls(Fill::Integer(-1));
/// let values = npy_arrow::from_batches_with(&batch.schema(), [&batch], options)?;
/// assert_eq!(values.bytes(), [0, 0, 0, 1, 255, 255, 255, 255]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct ArrayOptions {
    pub(crate) dtype: Option<DType>,
    pub(crate) fill: Option<Fill>,
    pub(crate) text_width: Option<usize>,
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) decimals_as_floats: bool,
    pub(crate) save: SaveOptions,
}

impl ArrayOptions {
    /// Returns the defaults: the dtype of the metadata `npy:descr`, or that of the Arrow types;
    /// nulls are errors.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the dtype of the array.
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// Sets the value of nulls of dtypes without a missing value.
    pub fn fill_nulls(mut self, fill: Fill) -> Self {
        self.fill = Some(fill);
        self
    }

    /// Sets the width of texts and bytes of unknown dtype, in characters or bytes.
    ///
    /// Where batches can be read twice, the width is by default that of the widest. See [`Survey`](crate::Survey).
    pub fn text_width(mut self, width: usize) -> Self {
        self.text_width = Some(width);
        self
    }

    /// Selects columns by name, in this order; the others are left out.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use npy_arrow::arrow_array::{ArrayRef, Int8Array, NullArray, RecordBatch};
    /// use npy_arrow::{ArrayOptions, from_batches_with};
    ///
    /// let columns: [(&str, ArrayRef); 2] = [("a", Arc::new(NullArray::new(1))), ("b", Arc::new(Int8Array::from(vec![7])))];
    /// let batch = RecordBatch::try_from_iter(columns)?;
    /// let values = from_batches_with(&batch.schema(), [&batch], ArrayOptions::new().columns(["b"]))?;
    /// assert_eq!(values.dtype().to_string(), "[('b', '|i1')]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.columns = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets whether decimals become the nearest `<f8`. They are refused otherwise, because NumPy has no decimals.
    pub fn decimals_as_floats(mut self, are_floats: bool) -> Self {
        self.decimals_as_floats = are_floats;
        self
    }

    /// Sets how the file is saved. Its order is always C.
    pub fn save(mut self, options: impl Into<SaveOptions>) -> Self {
        self.save = options.into();
        self
    }
}

impl From<SaveOptions> for ArrayOptions {
    fn from(options: SaveOptions) -> Self {
        Self::new().save(options)
    }
}

impl From<DType> for ArrayOptions {
    fn from(dtype: DType) -> Self {
        Self::new().dtype(dtype)
    }
}

impl From<Fill> for ArrayOptions {
    fn from(fill: Fill) -> Self {
        Self::new().fill_nulls(fill)
    }
}

/// The value of nulls of dtypes without a missing value. Times always store NaT.
///
/// See [`ArrayOptions`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fill {
    /// Zero, false, or nothing.
    Zero,
    /// NaN for floats; otherwise like [`Zero`](Self::Zero).
    NaN,
    /// This number for integers and floats; otherwise like [`Zero`](Self::Zero).
    Integer(i64),
}
