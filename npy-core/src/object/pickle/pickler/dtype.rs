//! Pickles dtypes.

use super::{Failure, Pickler};
use crate::error::Result;
use crate::format::dtype::{DType, Field, ScalarKind, Title};
use crate::format::header::unstorable;

/// The name of a dtype of `ml_dtypes`.
fn ml_name(dtype: &DType) -> Option<&'static str> {
    let DType::Scalar(scalar) = dtype else { return None };
    if let ScalarKind::Ml(ml) = scalar.kind() { Some(ml.name()) } else { None }
}

impl Pickler<'_> {
    /// Writes `dtype(code, False, True)` and its state. Its elements may have the class `numpy.record`.
    pub(super) fn dtype(&mut self, dtype: &DType, is_record: bool) -> Result<(), Failure> {
        let memory = Memory::of(dtype);
        self.check_levels(memory.levels)?;
        self.dtype_in_memory(dtype, &memory, is_record)
    }

    fn dtype_in_memory(&mut self, dtype: &DType, memory: &Memory, is_record: bool) -> Result<(), Failure> {
        let key = format!("{} {}", if is_record { "record" } else { "dtype" }, dtype.descr());
        if self.fetch_known(&key) {
            return Ok(());
        }
        let (code, order, numbers) = match dtype {
            DType::Scalar(scalar) => {
                let text = scalar.to_string();
                if ml_name(dtype).is_some() {
                    (String::new(), '<', [1, 1])
                } else if scalar.kind() == ScalarKind::Object {
                    ("O8".to_owned(), '|', [-1, -1])
                } else {
                    let order = text.chars().next().unwrap_or('|');
                    let code = text.get(1..).unwrap_or_default().split('[').next().unwrap_or_default().to_owned();
                    let is_flexible = matches!(code.as_bytes().first(), Some(b'S' | b'U' | b'V'));
                    (code, order, if is_flexible { [memory.itemsize, memory.alignment] } else { [-1, -1] })
                }
            }
            _ => (format!("V{}", memory.itemsize), '|', [memory.itemsize, memory.alignment]),
        };
        self.call(("numpy", "dtype"), 3, |pickler| {
            match ml_name(dtype) {
                _ if is_record => pickler.global("numpy", "record")?,
                Some(name) => pickler.global("ml_dtypes", name)?,
                None => pickler.text(&code)?,
            }
            pickler.bool(false);
            pickler.bool(true);
            Ok(())
        })?;
        self.memoized_as(key);
        let unit = time_unit(dtype);
        self.state(if unit.is_some() { 9 } else { 8 }, 1, |pickler| {
            pickler.small_int(if unit.is_some() { 4 } else { 3 })?;
            pickler.shared_text(&order.to_string())?;
            pickler.parts(dtype, memory)?;
            pickler.small_int(numbers[0])?;
            pickler.small_int(numbers[1])?;
            pickler.small_int(memory.flags)?;
            unit.map_or(Ok(()), |(symbol, count)| pickler.time_metadata(symbol, count))
        })
    }

    /// Writes the base and shape of a sub-array, the names, and the fields of a record, or `None`.
    fn parts(&mut self, dtype: &DType, memory: &Memory) -> Result<(), Failure> {
        match (dtype, memory.parts.as_slice()) {
            (DType::SubArray(array), [base]) => self.tuple(2, |pickler| {
                pickler.dtype_in_memory(array.base(), &base.memory, false)?;
                pickler.shape(array.shape())
            })?,
            _ => self.none(),
        }
        let DType::Record(record) = dtype else {
            self.none();
            self.none();
            return Ok(());
        };
        let fields = record.fields();
        self.tuple(fields.len(), |pickler| fields.iter().try_for_each(|field| pickler.text(field.name())))?;
        self.op(b'}');
        self.memoize();
        self.nested(1, |pickler| fields.iter().zip(&memory.parts).try_for_each(|(field, part)| pickler.field(field, part)))
    }

    /// Writes a field under its name, and again under its title.
    fn field(&mut self, field: &Field, part: &Part) -> Result<(), Failure> {
        let title = match field.title() {
            None => None,
            Some(Title::Text(title)) => Some(title.as_str()),
            Some(_) => {
                return Err(unstorable(format_args!("expected a text as the title of field {:?}", field.name())).into());
            }
        };
        for key in std::iter::once(field.name()).chain(title) {
            self.text(key)?;
            self.tuple(if title.is_some() { 3 } else { 2 }, |pickler| {
                pickler.dtype_in_memory(field.dtype(), &part.memory, false)?;
                pickler.small_int(part.offset)?;
                title.map_or(Ok(()), |title| pickler.text(title))
            })?;
            self.op(b's');
        }
        Ok(())
    }

    /// Writes the unit of a time, without metadata.
    fn time_metadata(&mut self, symbol: &str, count: u32) -> Result<(), Failure> {
        self.tuple(2, |pickler| {
            pickler.none();
            pickler.tuple(4, |pickler| {
                pickler.bytes(symbol.as_bytes())?;
                [i64::from(count), 1, 1].into_iter().try_for_each(|number| pickler.small_int(number))
            })
        })
    }
}

/// The unit of a datetime or a timedelta.
fn time_unit(dtype: &DType) -> Option<(&'static str, u32)> {
    let DType::Scalar(scalar) = dtype else { return None };
    scalar.time_unit().map(|(unit, count)| (unit.symbol(), count))
}

/// The layout of a dtype in NumPy's memory, with those of its parts.
struct Memory {
    itemsize: i64,
    alignment: i64,
    flags: i64,
    /// The levels of objects in the pickle, counted as in reading.
    levels: usize,
    /// The fields of a record, or the base of a sub-array.
    parts: Vec<Part>,
}

struct Part {
    /// An object is a pointer in memory, and takes no bytes in a header.
    offset: i64,
    memory: Memory,
}

/// The bytes of a pointer on 64-bit machines.
const POINTER_BYTES: i64 = 8;

impl Memory {
    fn of(dtype: &DType) -> Self {
        match dtype {
            DType::Scalar(scalar) => {
                let itemsize = i64::try_from(scalar.itemsize()).unwrap_or(i64::MAX);
                match scalar.kind() {
                    // NumPy's flags of objects: counted, pickled as a list, initialised, and so on.
                    ScalarKind::Object => Self::of_scalar(POINTER_BYTES, POINTER_BYTES, 63),
                    ScalarKind::Unicode { .. } => Self::of_scalar(itemsize, 4, 8),
                    // `bfloat16` is one in NumPy's files.
                    ScalarKind::Void { .. } => Self::of_scalar(itemsize, 1, 0),
                    // The dtype, its state, the metadata, the unit and its parts.
                    ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. } => {
                        Self { levels: 5, ..Self::of_scalar(itemsize, itemsize, 0) }
                    }
                    _ => Self::of_scalar(itemsize, i64::try_from(scalar.word_size()).unwrap_or(1), 0),
                }
            }
            DType::SubArray(array) => {
                let base = Self::of(array.base());
                let count = |count: i64, length: &usize| count.saturating_mul(i64::try_from(*length).unwrap_or(i64::MAX));
                let itemsize = array.shape().iter().fold(base.itemsize, count);
                // The dtype, its state, the tuple of base and shape, and these.
                let levels = base.levels.max(2).saturating_add(3);
                let (alignment, flags) = (base.alignment, base.flags);
                Self { itemsize, alignment, flags, levels, parts: vec![Part { offset: 0, memory: base }] }
            }
            DType::Record(record) => {
                // The flags that a record inherits from its fields.
                const OF_FIELDS: i64 = 27;
                const RECORD: i64 = 16;
                // The dtype, its state, the dictionary of fields, and a tuple for each.
                let (mut flags, mut levels, mut added) = (RECORD, 4_usize, 0_i64);
                let mut parts = Vec::with_capacity(record.fields().len());
                // Fields are in the order of their offsets.
                for field in record.fields() {
                    let memory = Self::of(field.dtype());
                    let in_file = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
                    let offset = in_file(field.offset()).saturating_add(added);
                    added = added.saturating_add(memory.itemsize.saturating_sub(in_file(field.dtype().itemsize())));
                    flags |= memory.flags & OF_FIELDS;
                    levels = levels.max(memory.levels.saturating_add(4));
                    parts.push(Part { offset, memory });
                }
                let itemsize = i64::try_from(record.itemsize()).unwrap_or(i64::MAX).saturating_add(added);
                Self { itemsize, alignment: 1, flags, levels, parts }
            }
        }
    }

    fn of_scalar(itemsize: i64, alignment: i64, flags: i64) -> Self {
        // The dtype, its arguments, and the code among them.
        Self { itemsize, alignment, flags, levels: 3, parts: Vec::new() }
    }
}
