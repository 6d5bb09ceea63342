//! Encodes Arrow arrays as the bytes of elements.

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float16Type};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use npy_core::error::ValueError;
use npy_core::{DType, Error, ErrorKind, Result};

use crate::axes::{Axes, Runs};
use crate::decode::Word;
use crate::dtypes::{Kind, Layout, Leaf, Node, Stride};
use crate::error::invalid_value;
use crate::foreign::{items_of, plain, texts_of, values_of};
use crate::options::Fill;
use crate::times::Scale;

/// The bytes of the rows of a batch.
pub(crate) struct Target<'a> {
    pub(crate) bytes: &'a mut [u8],
    pub(crate) fill: Option<Fill>,
    /// The number of the first row, for errors.
    pub(crate) first_row: u64,
}

impl Target<'_> {
    /// Writes a column to the elements at `axes`. `nulls` are those of the structs and lists around.
    pub(crate) fn write(&mut self, node: &Node, array: &ArrayRef, nulls: Option<&NullBuffer>, axes: &Axes<'_>) -> Result<()> {
        let nulls = NullBuffer::union(nulls, array.logical_nulls().as_ref());
        match &node.layout {
            Layout::Leaf(leaf) => self.write_leaf(leaf, array, nulls.filter(|nulls| nulls.null_count() > 0).as_ref(), axes),
            Layout::List { length, stride, item } => {
                // A target is in C order, and has no other axes.
                let Stride::Bytes(stride) = *stride else { return Ok(()) };
                let values = items_of(array, nulls.as_ref(), *length, |index, found| {
                    let problem = format!("wrong length of a list: expected {length}, found {found}");
                    invalid_value(path_of(item), self.row(axes, index), problem)
                })?;
                let nulls = nulls.map(|nulls| nulls.expand(*length));
                self.write(item, &values, nulls.as_ref(), &axes.items(*length, stride))
            }
            Layout::Struct(fields) => {
                let columns = array.as_struct();
                fields.iter().try_for_each(|(offset, node)| match columns.column_by_name(node.field.name()) {
                    Some(column) => self.write(node, column, nulls.as_ref(), &axes.at(*offset)),
                    None => Ok(()),
                })
            }
        }
    }

    fn write_leaf(&mut self, leaf: &Leaf, array: &ArrayRef, nulls: Option<&NullBuffer>, axes: &Axes<'_>) -> Result<()> {
        let array = &plain(array)?;
        let is_null = |index: usize| nulls.is_some_and(|nulls| nulls.is_null(index));
        let is_time = matches!(leaf.kind, Kind::Time | Kind::Coarse(_) | Kind::Date);
        if let Some(nulls) = nulls.filter(|_| !is_time && self.fill.is_none()) {
            let (column, row, dtype) = (&leaf.path, self.row(axes, first_null(nulls)), &leaf.dtype);
            let message =
                format!("null in column {column:?}, row {row}: dtype {dtype} has no missing value; set `ArrayOptions::fill_nulls`");
            return Err(Error::new(ErrorKind::Unstorable, message));
        }
        let runs = axes.runs(leaf.width)?;
        if let Some(scale) = coarse(leaf, array.data_type()) {
            return self.write_coarse(leaf, scale, array, nulls, axes);
        }
        match leaf.kind {
            Kind::Number | Kind::Time | Kind::Coarse(_) => self.write_numbers(leaf, array, nulls, axes),
            Kind::Date => self.write_days(leaf, array, nulls, &runs),
            Kind::Bool => {
                let values = array.as_boolean();
                self.write_each(leaf, &runs, |index, place| {
                    place[0] = u8::from(values.value(index) && !is_null(index));
                    Ok(())
                })
            }
            Kind::Bytes | Kind::Utf8 | Kind::Void | Kind::Text => {
                let value = texts_of(array);
                let written = self.write_each(leaf, &runs, |index, place| {
                    if is_null(index) {
                        return Ok(());
                    }
                    write_text(leaf, value(index), place).map_err(|problem| (index, problem))
                });
                written.map_err(|(index, problem)| self.located(leaf, axes, index, &problem))
            }
        }
    }

    fn write_numbers(&mut self, leaf: &Leaf, array: &ArrayRef, nulls: Option<&NullBuffer>, axes: &Axes<'_>) -> Result<()> {
        let (values, runs) = (values_of(array), axes.runs(leaf.width)?);
        match leaf.width {
            1 => self.write_words::<u8>(&values, leaf, &runs),
            2 => self.write_words::<u16>(&values, leaf, &runs),
            4 => self.write_words::<u32>(&values, leaf, &runs),
            _ => self.write_words::<u64>(&values, leaf, &runs),
        }
        let Some(nulls) = nulls else { return Ok(()) };
        let filled = self.filled(leaf, array.data_type());
        let filled = filled.map_err(|problem| self.located(leaf, axes, first_null(nulls), &problem))?;
        self.write_each(leaf, &runs, |index, place| {
            if nulls.is_null(index) {
                place.copy_from_slice(&filled[..place.len()]);
            }
            Ok(())
        })
    }

    /// Writes days of 4 or 8 bytes as days of 8.
    fn write_days(&mut self, leaf: &Leaf, array: &ArrayRef, nulls: Option<&NullBuffer>, runs: &Runs<'_>) -> Result<()> {
        let values = values_of(array);
        let is_narrow = array.data_type() == &DataType::Date32;
        self.write_each(leaf, runs, |index, place| {
            let days = match () {
                () if nulls.is_some_and(|nulls| nulls.is_null(index)) => i64::MIN,
                () if is_narrow => values[index * 4..].first_chunk().map_or(0, |days| i32::from_ne_bytes(*days)).into(),
                () => values[index * 8..].first_chunk().map_or(0, |days| i64::from_ne_bytes(*days)),
            };
            let days = if leaf.swap { days.swap_bytes() } else { days };
            place.copy_from_slice(&days.to_ne_bytes());
            Ok(())
        })
    }

    /// Writes times of a finer unit than that of the dtype.
    fn write_coarse(
        &mut self,
        leaf: &Leaf,
        scale: Scale,
        array: &ArrayRef,
        nulls: Option<&NullBuffer>,
        axes: &Axes<'_>,
    ) -> Result<()> {
        let values = values_of(array);
        let runs = axes.runs(leaf.width)?;
        let written = self.write_each(leaf, &runs, |index, place| {
            let wide = values[index * 8..].first_chunk().map_or(0, |time| i64::from_ne_bytes(*time));
            let time =
                if nulls.is_some_and(|nulls| nulls.is_null(index)) { i64::MIN } else { scale.narrow(wide).ok_or((index, wide))? };
            place.copy_from_slice(&if leaf.swap { time.swap_bytes() } else { time }.to_ne_bytes());
            Ok(())
        });
        written.map_err(|(index, wide)| {
            let value = format!("{wide} of {}", array.data_type());
            self.located(leaf, axes, index, &ValueError::inexact(value, &leaf.dtype))
        })
    }

    fn row(&self, axes: &Axes<'_>, index: usize) -> u64 {
        self.first_row.saturating_add(axes.row_of(index) as u64)
    }

    #[cold]
    fn located(&self, leaf: &Leaf, axes: &Axes<'_>, index: usize, problem: &ValueError) -> Error {
        invalid_value(&leaf.path, self.row(axes, index), problem)
    }

    /// Calls `each` with the index and the bytes of each element.
    fn write_each<E>(
        &mut self,
        leaf: &Leaf,
        runs: &Runs<'_>,
        mut each: impl FnMut(usize, &mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut index = 0;
        runs.for_each_element(leaf.width, |offset| {
            each(index, &mut self.bytes[offset..offset + leaf.width])?;
            index += 1;
            Ok(())
        })
    }

    fn write_words<W: Word>(&mut self, values: &[u8], leaf: &Leaf, runs: &Runs<'_>) {
        if runs.count == 0 {
            return;
        }
        let swap = leaf.swap && W::BYTES > 1;
        let write = |place: &mut [u8], value: &[u8]| {
            if swap {
                W::swapped(value).write(place);
            } else {
                W::native(value).write(place);
            }
        };
        let values = values[..runs.count * W::BYTES].chunks_exact(W::BYTES);
        match (runs.run, runs.dims.as_slice()) {
            (1, &[(length, stride)]) if stride >= W::BYTES => {
                let rows = &mut self.bytes[runs.offset..runs.offset + (length - 1) * stride + W::BYTES];
                rows.chunks_mut(stride).zip(values).for_each(|(place, value)| write(place, value));
            }
            _ => {
                let mut values = values;
                let Ok(()) = runs.for_each(|offset| {
                    let run = self.bytes[offset..offset + runs.run * W::BYTES].chunks_exact_mut(W::BYTES);
                    run.zip(&mut values).for_each(|(place, value)| write(place, value));
                    Ok::<_, std::convert::Infallible>(())
                });
            }
        }
    }

    /// The bytes of a null, in the byte order of the file.
    fn filled(&self, leaf: &Leaf, data_type: &DataType) -> Result<[u8; 8], ValueError> {
        let mut bytes = [0; 8];
        let mut value = match (leaf.kind, self.fill) {
            (Kind::Time | Kind::Coarse(_) | Kind::Date, _) => i64::MIN.to_ne_bytes().to_vec(),
            (_, Some(Fill::NaN)) => match data_type {
                DataType::Float16 => Half::NAN.to_ne_bytes().to_vec(),
                DataType::Float32 => f32::NAN.to_ne_bytes().to_vec(),
                DataType::Float64 => f64::NAN.to_ne_bytes().to_vec(),
                _ => Vec::new(),
            },
            (_, Some(Fill::Integer(value))) => {
                integer(value, data_type).ok_or_else(|| ValueError::out_of_range(value, &leaf.dtype))?
            }
            _ => Vec::new(),
        };
        if leaf.swap {
            value.reverse();
        }
        bytes[..value.len()].copy_from_slice(&value);
        Ok(bytes)
    }
}

/// The scale of the times of a column with a finer unit than the dtype.
pub(crate) fn coarse(leaf: &Leaf, data_type: &DataType) -> Option<Scale> {
    let DType::Scalar(scalar) = leaf.dtype else { return None };
    Scale::new(scalar, data_type)
        .filter(|scale| matches!(leaf.kind, Kind::Time | Kind::Coarse(_) | Kind::Date) && *scale != Scale::Units(1))
}

/// The path of the first leaf of a column.
fn path_of(node: &Node) -> &str {
    match &node.layout {
        Layout::Leaf(leaf) => &leaf.path,
        Layout::List { item, .. } => path_of(item),
        Layout::Struct(fields) => fields.first().map_or(node.field.name(), |(_, node)| path_of(node)),
    }
}

fn first_null(nulls: &NullBuffer) -> usize {
    (0..nulls.len()).find(|index| nulls.is_null(*index)).unwrap_or_default()
}

type Half = <Float16Type as ArrowPrimitiveType>::Native;

/// The bytes of a number of a type.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a float is the nearest one")]
fn integer(value: i64, data_type: &DataType) -> Option<Vec<u8>> {
    Some(match data_type {
        DataType::Int8 => i8::try_from(value).ok()?.to_ne_bytes().to_vec(),
        DataType::Int16 => i16::try_from(value).ok()?.to_ne_bytes().to_vec(),
        DataType::Int32 => i32::try_from(value).ok()?.to_ne_bytes().to_vec(),
        DataType::UInt8 => u8::try_from(value).ok()?.to_ne_bytes().to_vec(),
        DataType::UInt16 => u16::try_from(value).ok()?.to_ne_bytes().to_vec(),
        DataType::UInt32 => u32::try_from(value).ok()?.to_ne_bytes().to_vec(),
        DataType::UInt64 => u64::try_from(value).ok()?.to_ne_bytes().to_vec(),
        DataType::Float16 => Half::from_f64(value as f64).to_ne_bytes().to_vec(),
        DataType::Float32 => (value as f32).to_ne_bytes().to_vec(),
        DataType::Float64 => (value as f64).to_ne_bytes().to_vec(),
        _ => value.to_ne_bytes().to_vec(),
    })
}

/// Writes a text into bytes that are zero.
fn write_text(leaf: &Leaf, value: &[u8], place: &mut [u8]) -> Result<(), ValueError> {
    let width = place.len();
    match leaf.kind {
        Kind::Void if value.len() != place.len() => {
            return Err(ValueError::wrong_length(value.len(), width, &leaf.dtype));
        }
        Kind::Text => {
            // The column is of text.
            let text = std::str::from_utf8(value).unwrap_or_default();
            let mut characters = text.chars();
            for (place, character) in place.chunks_exact_mut(4).zip(&mut characters) {
                let unit = u32::from(character);
                place.copy_from_slice(&if leaf.swap { unit.swap_bytes() } else { unit }.to_ne_bytes());
            }
            if characters.next().is_some() {
                return Err(ValueError::too_long(text.chars().count(), width / 4, "character", &leaf.dtype));
            }
        }
        _ if value.len() > width => return Err(ValueError::too_long(value.len(), width, "byte", &leaf.dtype)),
        _ => place[..value.len()].copy_from_slice(value),
    }
    // NumPy drops trailing NULs.
    match leaf.kind {
        Kind::Text if value.last() == Some(&0) => {
            Err(ValueError::new("trailing NUL characters are lost in a `U` text; strip them, or leave the column out"))
        }
        Kind::Bytes | Kind::Utf8 if value.last() == Some(&0) => Err(ValueError::trailing_nul()),
        _ => Ok(()),
    }
}
