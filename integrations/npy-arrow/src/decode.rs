//! Decodes the bytes of an array as Arrow arrays.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, FixedSizeBinaryArray, FixedSizeListArray, StructArray, make_array};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Fields};
use npy_core::error::ValueError;
use npy_core::{Error, Result};

use crate::axes::{Axes, Runs};
use crate::dtypes::{Kind, Layout, Leaf, Node, Stride};
use crate::error::{batch_too_large, invalid_value, of_arrow};

/// Rows of an array in memory.
pub(crate) struct Block<'a> {
    pub(crate) bytes: &'a [u8],
    /// The bytes as a buffer that arrays may share.
    pub(crate) shared: Option<&'a Buffer>,
    /// The strides of the axes after the first.
    pub(crate) strides: &'a [usize],
    /// The index of the first row, for errors.
    pub(crate) first_row: u64,
}

impl Block<'_> {
    /// The column of the elements at `axes`. The caller has checked that they are within the bytes.
    pub(crate) fn column(&self, node: &Node, axes: &Axes<'_>) -> Result<ArrayRef> {
        match &node.layout {
            Layout::Leaf(leaf) => self.leaf(node.field.data_type(), leaf, axes),
            Layout::List { length, stride, item } => {
                let stride = match stride {
                    Stride::Bytes(stride) => *stride,
                    Stride::Axis(number) => self.strides.get(*number).copied().unwrap_or_default(),
                };
                let items = axes.items(*length, stride);
                let count = axes.count()?;
                // Arrow multiplies unchecked.
                items.count()?;
                let values = self.column(item, &items)?;
                let size = i32::try_from(*length).unwrap_or(i32::MAX);
                let list = FixedSizeListArray::try_new_with_length(Arc::clone(&item.field), size, values, None, count);
                Ok(Arc::new(list.map_err(of_arrow)?))
            }
            Layout::Struct(fields) => {
                let columns = fields.iter().map(|(offset, node)| self.column(node, &axes.at(*offset)));
                let columns = columns.collect::<Result<Vec<_>>>()?;
                let fields: Fields = fields.iter().map(|(_, node)| Arc::clone(&node.field)).collect();
                Ok(Arc::new(StructArray::try_new_with_length(fields, columns, None, axes.count()?).map_err(of_arrow)?))
            }
        }
    }

    fn leaf(&self, data_type: &DataType, leaf: &Leaf, axes: &Axes<'_>) -> Result<ArrayRef> {
        let runs = axes.runs(leaf.width)?;
        let located = |index: usize, problem: &ValueError| self.located(leaf, axes, index, problem);
        match leaf.kind {
            Kind::Number => {
                let values = match leaf.width {
                    1 => self.words::<u8>(leaf, &runs)?,
                    2 => self.words::<u16>(leaf, &runs)?,
                    4 => self.words::<u32>(leaf, &runs)?,
                    _ => self.words::<u64>(leaf, &runs)?,
                };
                primitive(data_type, runs.count, values, None)
            }
            Kind::Time => {
                let values = ScalarBuffer::<i64>::new(self.words::<u64>(leaf, &runs)?, 0, runs.count);
                let nulls = nulls_of(&values);
                primitive(data_type, runs.count, values.into_inner(), nulls)
            }
            Kind::Coarse(scale) => {
                let times = ScalarBuffer::<i64>::new(self.words::<u64>(leaf, &runs)?, 0, runs.count);
                let nulls = nulls_of(&times);
                let mut wide = reserved(runs.count, leaf)?;
                for (index, &time) in times.iter().enumerate() {
                    wide.push(match scale.widen(time) {
                        Some(wide) => wide,
                        None if time == i64::MIN => 0,
                        None => {
                            let dtype = format!("{data_type}; set `BatchOptions::times_as_integers`");
                            let value = format_args!("{time} ({})", leaf.dtype);
                            return Err(located(index, &ValueError::out_of_range(value, dtype)));
                        }
                    });
                }
                primitive(data_type, runs.count, Buffer::from_vec(wide), nulls)
            }
            Kind::Date => {
                let days = ScalarBuffer::<i64>::new(self.words::<u64>(leaf, &runs)?, 0, runs.count);
                let nulls = nulls_of(&days);
                let mut narrow = reserved(runs.count, leaf)?;
                for (index, &days) in days.iter().enumerate() {
                    narrow.push(match i32::try_from(days) {
                        Ok(days) => days,
                        Err(_) if days == i64::MIN => 0,
                        Err(_) => {
                            let dtype = "Date32; set `BatchOptions::times_as_integers`";
                            let error = ValueError::out_of_range(format_args!("day {days}"), dtype);
                            return Err(located(index, &error));
                        }
                    });
                }
                primitive(data_type, runs.count, Buffer::from_vec(narrow), nulls)
            }
            Kind::Bool => {
                let bytes = self.words::<u8>(leaf, &runs)?;
                if bytes.iter().fold(0, |all, byte| all | byte) > 1 {
                    let (index, byte) = bytes.iter().enumerate().find(|(_, byte)| **byte > 1).unwrap_or((0, &2));
                    return Err(located(index, &ValueError::new(format!("invalid bool {byte:#04x}: expected 0 or 1"))));
                }
                let bits = BooleanBuffer::collect_bool(runs.count, |index| bytes[index] != 0);
                Ok(Arc::new(BooleanArray::new(bits, None)))
            }
            Kind::Void => {
                let size = i32::try_from(leaf.width).unwrap_or(i32::MAX);
                let bytes = self.bytes_of(leaf, &runs)?;
                Ok(Arc::new(FixedSizeBinaryArray::try_new_with_len(size, bytes, None, runs.count).map_err(of_arrow)?))
            }
            Kind::Bytes | Kind::Utf8 | Kind::Text => self.text_column(leaf, axes, &runs),
        }
    }

    #[cold]
    pub(crate) fn located(&self, leaf: &Leaf, axes: &Axes<'_>, index: usize, problem: &ValueError) -> Error {
        let row = self.first_row.saturating_add(axes.row_of(index) as u64);
        invalid_value(&leaf.path, row, problem)
    }

    /// The elements as native words, contiguous and aligned.
    fn words<W: Word>(&self, leaf: &Leaf, runs: &Runs<'_>) -> Result<Buffer> {
        if runs.count == 0 {
            return Ok(Buffer::from_vec(Vec::<W>::new()));
        }
        let swap = leaf.swap && W::BYTES > 1;
        if runs.is_contiguous() {
            let range = runs.offset..runs.offset + runs.count * W::BYTES;
            if let Some(shared) = self.shared.filter(|_| !swap) {
                let slice = shared.slice_with_length(range.start, range.len());
                if slice.as_ptr().align_offset(align_of::<W>()) == 0 {
                    return Ok(slice);
                }
            }
        }
        let mut words: Vec<W> = reserved(runs.count, leaf)?;
        match (runs.run, runs.dims.as_slice(), runs.taken) {
            (1, [], Some((indices, stride))) => {
                let rows = indices.iter().map(|index| &self.bytes[runs.offset + index * stride..]);
                if swap {
                    words.extend(rows.map(|row| W::swapped(row)));
                } else {
                    words.extend(rows.map(|row| W::native(row)));
                }
            }
            // The field of a record, on which tables spend most of the time.
            (1, &[(length, stride)], None) if stride >= W::BYTES => {
                let bytes = &self.bytes[runs.offset..runs.offset + (length - 1) * stride + W::BYTES];
                let rows = bytes.chunks(stride);
                if swap {
                    words.extend(rows.map(|row| W::swapped(row)));
                } else {
                    words.extend(rows.map(|row| W::native(row)));
                }
            }
            _ => runs.for_each(|offset| {
                let run = self.bytes[offset..offset + runs.run * W::BYTES].chunks_exact(W::BYTES);
                if swap {
                    words.extend(run.map(|word| W::swapped(word)));
                } else {
                    words.extend(run.map(|word| W::native(word)));
                }
                Ok::<_, Error>(())
            })?,
        }
        Ok(Buffer::from_vec(words))
    }

    /// The bytes of the elements, contiguous.
    fn bytes_of(&self, leaf: &Leaf, runs: &Runs<'_>) -> Result<Buffer> {
        if runs.count == 0 || leaf.width == 0 {
            return Ok(Buffer::from_vec(Vec::<u8>::new()));
        }
        let run = runs.run * leaf.width;
        if let (true, Some(shared)) = (runs.is_contiguous(), self.shared) {
            return Ok(shared.slice_with_length(runs.offset, run));
        }
        let mut bytes = reserved(runs.count.saturating_mul(leaf.width), leaf)?;
        runs.for_each(|offset| {
            bytes.extend_from_slice(&self.bytes[offset..offset + run]);
            Ok::<_, Error>(())
        })?;
        Ok(Buffer::from_vec(bytes))
    }
}

/// The nulls of times: NaT. `None` without NaT.
fn nulls_of(times: &[i64]) -> Option<NullBuffer> {
    let has_null = times.iter().min() == Some(&i64::MIN);
    has_null.then(|| NullBuffer::new(BooleanBuffer::collect_bool(times.len(), |index| times[index] != i64::MIN)))
}

fn primitive(data_type: &DataType, count: usize, values: Buffer, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let data = ArrayData::builder(data_type.clone()).len(count).add_buffer(values).nulls(nulls).build();
    data.map(make_array).map_err(of_arrow)
}

/// A vector with capacity for a number of items, or an error instead of an abort.
pub(crate) fn reserved<T>(count: usize, leaf: &Leaf) -> Result<Vec<T>> {
    let mut items = Vec::new();
    items.try_reserve_exact(count).map_err(|_| batch_too_large(&leaf.path, count))?;
    Ok(items)
}

/// An unsigned integer, for all numbers of its size.
pub(crate) trait Word: ArrowNativeType {
    const BYTES: usize = size_of::<Self>();
    /// Loads the word at the beginning of bytes, which are enough.
    fn native(bytes: &[u8]) -> Self;
    /// Swaps the bytes.
    fn swapped(bytes: &[u8]) -> Self;
    /// Stores the word at the beginning of these bytes.
    fn write(self, place: &mut [u8]);
}

macro_rules! words {
    ($($word:ident)*) => {
        $(impl Word for $word {
            #[inline(always)]
            fn native(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or(0, |bytes| Self::from_ne_bytes(*bytes))
            }

            #[inline(always)]
            fn swapped(bytes: &[u8]) -> Self {
                Self::native(bytes).swap_bytes()
            }

            #[inline(always)]
            fn write(self, place: &mut [u8]) {
                if let Some(place) = place.first_chunk_mut() {
                    *place = self.to_ne_bytes();
                }
            }
        })*
    };
}

words!(u8 u16 u32 u64);
