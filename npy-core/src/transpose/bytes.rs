//! Transposition of elements of any size, as bytes.

#[cfg(feature = "dynamic")]
use crate::error::Result;
#[cfg(feature = "dynamic")]
use crate::memory::{Bulk, reserve_exact};

/// Reverses the axes of an array of elements of `itemsize` bytes, whose last axis varies fastest.
#[cfg(feature = "dynamic")]
pub(crate) fn reverse_bytes(bytes: Vec<u8>, shape: &[usize], itemsize: usize) -> Result<Vec<u8>> {
    match itemsize {
        1 => Bulk::<u8>::new().reverse_axes(bytes, shape),
        2 => reverse_words::<2>(bytes, shape),
        4 => reverse_words::<4>(bytes, shape),
        8 => reverse_words::<8>(bytes, shape),
        16 => reverse_words::<16>(bytes, shape),
        _ => {
            let reversed: Vec<usize> = shape.iter().rev().copied().collect();
            let mut moved = Vec::new();
            reserve_exact(&mut moved, bytes.len())?;
            if itemsize > 0 {
                // In Fortran order the reversed shape is the one that the bytes have in C order.
                InOrderC::new(&reversed).for_each(|index| moved.extend_from_slice(&bytes[index * itemsize..][..itemsize]));
            }
            Ok(moved)
        }
    }
}

/// [`reverse_bytes`] for the widths that numbers have, which are moved in blocks.
#[cfg(feature = "dynamic")]
fn reverse_words<const N: usize>(bytes: Vec<u8>, shape: &[usize]) -> Result<Vec<u8>> {
    let (words, _) = bytes.as_chunks::<N>();
    let mut items: Vec<[u8; N]> = Vec::new();
    reserve_exact(&mut items, words.len())?;
    items.extend_from_slice(words);
    drop(bytes);
    Ok(Bulk::<u8>::new().array().reverse_axes(items, shape)?.into_flattened())
}

/// An iterator in C order over the positions of elements in Fortran order.
pub(crate) struct InOrderC {
    shape: Vec<usize>,
    index: Vec<usize>,
    next: Option<usize>,
}

impl InOrderC {
    pub(crate) fn new(shape: &[usize]) -> Self {
        let next = if shape.contains(&0) { None } else { Some(0) };
        Self { shape: shape.to_vec(), index: vec![0; shape.len()], next }
    }
}

impl Iterator for InOrderC {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let current = self.next?;
        self.next = None;
        for axis in (0..self.shape.len()).rev() {
            self.index[axis] += 1;
            if self.index[axis] < self.shape[axis] {
                let positions = self.index.iter().zip(&self.shape).rev();
                self.next = Some(positions.fold(0, |position, (index, length)| position * length + index));
                break;
            }
            self.index[axis] = 0;
        }
        Some(current)
    }
}
