//! Columns of texts and bytes. NULs at the end of an element are its padding.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use npy_core::error::ValueError;
use npy_core::{Error, Result};

use crate::axes::{Axes, Runs};
use crate::decode::{Block, Word, reserved};
use crate::dtypes::{Kind, Leaf};
use crate::error::{batch_too_large, of_arrow};

/// The offsets of texts, and their bytes.
type Texts = (Vec<i32>, Vec<u8>);

impl Block<'_> {
    pub(crate) fn text_column(&self, leaf: &Leaf, axes: &Axes<'_>, runs: &Runs<'_>) -> Result<ArrayRef> {
        let (offsets, values) = match self.short_texts(leaf, runs)? {
            Some(texts) => texts,
            None => self.texts(leaf, axes, runs)?,
        };
        let (offsets, values) = (OffsetBuffer::new(ScalarBuffer::from(offsets)), Buffer::from_vec(values));
        if leaf.kind == Kind::Bytes {
            return Ok(Arc::new(BinaryArray::try_new(offsets, values, None).map_err(of_arrow)?));
        }
        match StringArray::try_new(offsets.clone(), values.clone(), None) {
            Ok(texts) => Ok(Arc::new(texts)),
            Err(error) => Err(match invalid_utf8(&offsets, &values) {
                Some((index, problem)) => self.located(leaf, axes, index, &problem),
                None => of_arrow(error),
            }),
        }
    }

    /// Texts of at most 16 bytes, or of at most 4 ASCII characters, each in a register; `None` for others.
    ///
    /// A file of 24-byte records with a column of `S4` is read as batches 1.5 times as fast, that column alone
    /// 3 times.
    fn short_texts(&self, leaf: &Leaf, runs: &Runs<'_>) -> Result<Option<Texts>> {
        let is_big = leaf.swap == cfg!(target_endian = "little");
        match (leaf.kind, leaf.width) {
            (Kind::Text, 1..=16) if is_big => self.registers(leaf, runs, |units: u128| ascii(swap_units(units))),
            (Kind::Text, 1..=16) => self.registers(leaf, runs, ascii),
            (Kind::Bytes | Kind::Utf8, 1..=8) => self.registers(leaf, runs, |text: u64| Some(text)),
            (Kind::Bytes | Kind::Utf8, 9..=16) => self.registers(leaf, runs, |text: u128| Some(text)),
            _ => Ok(None),
        }
    }

    /// Texts that are made of the register of an element; `None` if one of them cannot be.
    fn registers<R: Register>(&self, leaf: &Leaf, runs: &Runs<'_>, text_of: impl Fn(R) -> Option<R>) -> Result<Option<Texts>> {
        let Some(most) = runs.count.checked_mul(leaf.width).filter(|most| i32::try_from(*most).is_ok()) else { return Ok(None) };
        let mut offsets: Vec<i32> = reserved(runs.count + 1, leaf)?;
        offsets.resize(runs.count + 1, 0);
        let mut ends = offsets.iter_mut().skip(1);
        // Each text is stored as a whole register, which the next one overwrites from its end on.
        let mut values = reserved(most + size_of::<R>(), leaf)?;
        values.resize(most + size_of::<R>(), 0);
        let mut end = 0;
        let all = runs.for_each_element(leaf.width, |offset| {
            let text = text_of(R::load(&self.bytes[offset..], leaf.width)).ok_or(())?;
            text.store(&mut values[end..]);
            end += text.length();
            if let Some(place) = ends.next() {
                #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "at most `most`")]
                let end = end as i32;
                *place = end;
            }
            Ok::<_, ()>(())
        });
        values.truncate(end);
        values.shrink_to_fit();
        Ok(all.is_ok().then_some((offsets, values)))
    }

    /// Offsets and bytes of texts of any width.
    fn texts(&self, leaf: &Leaf, axes: &Axes<'_>, runs: &Runs<'_>) -> Result<Texts> {
        let too_large = || batch_too_large(&leaf.path, axes.row_count());
        let mut offsets: Vec<i32> = reserved(runs.count.saturating_add(1), leaf)?;
        offsets.push(0);
        if leaf.width == 0 {
            offsets.resize(runs.count + 1, 0);
            return Ok((offsets, Vec::new()));
        }
        let mut values: Vec<u8> = Vec::new();
        runs.for_each_element(leaf.width, |offset| {
            let element = &self.bytes[offset..offset + leaf.width];
            if leaf.kind == Kind::Text {
                let text = if leaf.swap {
                    push_text(element, &mut values, u32::swapped)
                } else {
                    push_text(element, &mut values, u32::native)
                };
                text.map_err(|problem| self.located(leaf, axes, offsets.len() - 1, &problem))?;
            } else {
                let length = element.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                values.extend_from_slice(&element[..length]);
            }
            offsets.push(i32::try_from(values.len()).map_err(|_| too_large())?);
            Ok::<_, Error>(())
        })?;
        Ok((offsets, values))
    }
}

/// An integer that a short text fits in, its first character in the lowest byte.
trait Register: Copy {
    /// Loads the first bytes of a slice that is long enough.
    fn load(bytes: &[u8], width: usize) -> Self;
    fn store(self, place: &mut [u8]);
    /// The bytes up to the last that is not NUL.
    fn length(self) -> usize;
}

macro_rules! registers {
    ($($register:ident)*) => {
        $(impl Register for $register {
            #[inline(always)]
            fn load(bytes: &[u8], width: usize) -> Self {
                match bytes.first_chunk() {
                    Some(chunk) => Self::from_le_bytes(*chunk) & (Self::MAX >> (Self::BITS as usize - 8 * width)),
                    // The last element of the memory.
                    None => bytes.iter().take(width).rev().fold(0, |register, byte| register << 8 | Self::from(*byte)),
                }
            }

            #[inline(always)]
            fn store(self, place: &mut [u8]) {
                if let Some(place) = place.first_chunk_mut() {
                    *place = self.to_le_bytes();
                }
            }

            #[inline(always)]
            fn length(self) -> usize {
                (Self::BITS - self.leading_zeros()).div_ceil(8) as usize
            }
        })*
    };
}

registers!(u64 u128);

/// Up to four units of 4 bytes as one byte each; `None` if one of them is not ASCII.
#[inline(always)]
fn ascii(units: u128) -> Option<u128> {
    const ASCII: u128 = 0x7f | 0x7f << 32 | 0x7f << 64 | 0x7f << 96;
    (units & !ASCII == 0).then(|| {
        let bytes = units | units >> 24 | units >> 48 | units >> 72;
        bytes & 0xffff_ffff
    })
}

/// Units of 4 bytes in the other byte order.
#[inline(always)]
fn swap_units(units: u128) -> u128 {
    let reversed = units.swap_bytes();
    reversed >> 96 | (reversed >> 32) & 0xffff_ffff << 32 | (reversed << 32) & 0xffff_ffff << 64 | reversed << 96
}

/// Appends a text in UCS-4 as UTF-8.
#[inline]
fn push_text(element: &[u8], values: &mut Vec<u8>, unit: impl Fn(&[u8]) -> u32 + Copy) -> Result<(), ValueError> {
    let units = element.chunks_exact(4).map(unit);
    let length = units.clone().rposition(|unit| unit != 0).map_or(0, |last| last + 1);
    if units.clone().take(length).fold(0, |all, unit| all | unit) < 0x80 {
        #[allow(clippy::cast_possible_truncation, reason = "all are ASCII")]
        values.extend(units.take(length).map(|unit| unit as u8));
        return Ok(());
    }
    for (position, unit) in units.take(length).enumerate() {
        let character = char::from_u32(unit).ok_or_else(|| ValueError::not_a_character(unit, position))?;
        values.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(())
}

/// The first text that is not UTF-8.
#[cold]
fn invalid_utf8(offsets: &[i32], values: &[u8]) -> Option<(usize, ValueError)> {
    let text = |range: &[i32]| {
        let place = |offset: i32| usize::try_from(offset).unwrap_or_default();
        &values[place(range[0])..place(range[1])]
    };
    let mut texts = offsets.windows(2).enumerate();
    let (index, error) = texts.find_map(|(index, range)| Some((index, std::str::from_utf8(text(range)).err()?)))?;
    let position = error.valid_up_to();
    Some((index, ValueError::new(format!("invalid UTF-8 at byte {position} of the text; unset `BatchOptions::bytes_as_text`"))))
}
