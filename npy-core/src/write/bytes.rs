//! Elements as bytes: writes them without code for their type.

use std::io::Write;

use super::stage::Stage;
use crate::element::{self, Difference, NpyElement, PlanOf};
use crate::error::Result;
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::memory::BulkLayout;
#[cfg(feature = "dynamic")]
use crate::memory::reserve_exact;
use crate::options::Order;
use crate::transpose::bytes::InOrderC;

/// Shorter lines are not transposed, because the part assembled in memory would be larger than an
/// eighth of the array.
const LEAST_LENGTH: usize = 8;

/// Bytes of such lines that are gathered at a time, unless an element is larger.
const GATHERED_BYTES: usize = 4096;

/// Elements in memory as the bytes of a dtype, perhaps in the other byte order.
///
/// They are written and printed without a copy of the array, by code that is not compiled for their type.
/// Times, of which the unit is known at run time, are stored as integers:
///
/// ```
/// use npy_core::adapter::ElementBytes;
/// use npy_core::types::{Datetime64, unit};
/// use npy_core::{Header, NpyElement, Order};
///
/// let days = [19_000_i64, 19_001];
/// let bytes = ElementBytes::new(&days, &i64::dtype()).unwrap();
/// let mut file = Vec::new();
/// bytes.write(&mut file, &Header::new("<M8[D]".parse()?, Order::C, &[2])?, Order::C)?;
/// let days: Vec<Datetime64<unit::Day>> = npy_core::read(&file[..])?;
/// assert_eq!(days[1].steps(), Some(19_001));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ElementBytes<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) layout: BulkLayout,
    pub(super) difference: Difference,
}

impl<'a> ElementBytes<'a> {
    /// Creates the bytes of elements that are stored as `dtype`; `None` if each has to be encoded.
    ///
    /// See [`ElementBytes`] for an example.
    pub fn new<T: NpyElement>(items: &'a [T], dtype: &DType) -> Option<Self> {
        Self::of_plan(&element::plan::<T>(dtype).ok()?, dtype.itemsize(), items)
    }

    /// Elements that `plan` encodes to `itemsize` bytes; `None` if each of them has to be encoded.
    #[inline]
    pub(super) fn of_plan<T: NpyElement>(plan: &PlanOf<T>, itemsize: usize, items: &'a [T]) -> Option<Self> {
        let (bulk, difference) = element::bulk::<T>(plan, itemsize)?;
        Some(Self { bytes: bulk.bytes_of(items)?, layout: bulk.layout(), difference })
    }

    /// Elements of `itemsize` bytes.
    pub(crate) fn of_file(bytes: &'a [u8], itemsize: usize) -> Self {
        Self { bytes, layout: BulkLayout::of_bytes(itemsize), difference: Difference::None }
    }

    /// Copies all elements.
    #[cfg(feature = "dynamic")]
    pub(crate) fn to_vec(self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        reserve_exact(&mut bytes, self.bytes.len())?;
        bytes.extend_from_slice(self.bytes);
        self.swap(&mut bytes);
        Ok(bytes)
    }

    /// Copies the elements at these indices.
    #[cfg(feature = "print")]
    pub(crate) fn pick(self, indices: &[usize]) -> Vec<u8> {
        let size = self.layout.size;
        let mut bytes: Vec<u8> = indices.iter().flat_map(|index| &self.bytes[index * size..][..size]).copied().collect();
        self.swap(&mut bytes);
        bytes
    }

    /// Appends `count` elements that are `stride` elements apart.
    fn gather(self, first: usize, stride: usize, count: usize, to: &mut Vec<u8>) {
        match self.layout.size {
            1 => gather::<1>(self.bytes, first, stride, count, to),
            2 => gather::<2>(self.bytes, first, stride, count, to),
            4 => gather::<4>(self.bytes, first, stride, count, to),
            8 => gather::<8>(self.bytes, first, stride, count, to),
            16 => gather::<16>(self.bytes, first, stride, count, to),
            size => {
                let items = self.bytes.chunks_exact(size).skip(first).step_by(stride);
                items.take(count).for_each(|item| to.extend_from_slice(item));
            }
        }
    }

    #[cfg(feature = "dynamic")]
    fn swap(self, bytes: &mut [u8]) {
        if self.difference == Difference::ByteOrder {
            self.layout.swap(bytes);
        }
    }

    /// Returns the bytes as they are in memory.
    ///
    /// ```
    /// use npy_core::NpyElement;
    /// use npy_core::adapter::ElementBytes;
    ///
    /// let bytes = ElementBytes::new(&[1_u8, 2], &u8::dtype()).unwrap();
    /// assert_eq!(bytes.as_slice(), [1, 2]);
    /// ```
    pub fn as_slice(self) -> &'a [u8] {
        self.bytes
    }

    /// Writes the elements, whose shape and order in memory are those of `header`, as a file in `order`.
    ///
    /// See [`ElementBytes`] for an example.
    ///
    /// Fails if writing fails, or if the header has another number of elements.
    pub fn write(self, writer: &mut dyn Write, header: &Header, order: Order) -> Result<()> {
        let (shape, size) = (header.shape(), self.layout.size);
        // C first, as NumPy has it for arrays that are contiguous in both orders.
        let is_same = Order::are_same(shape) || size == 0;
        let written = Header::new(header.dtype().clone(), if is_same { Order::C } else { order }, shape)?;
        let mut sink = writer;
        let mut stage = Stage::new(&written, &written, Vec::new());
        // The lengths of the axes that make a difference, from the fastest to the slowest.
        let mut lengths: Vec<usize> = shape.iter().copied().filter(|&length| length != 1).collect();
        if header.order() == Order::C {
            lengths.reverse();
        }
        match &lengths[..] {
            _ if is_same || header.order() == order => {
                stage.put_bytes(&mut sink, self, written.element_count())?;
            }
            [length, outer @ ..] if *length >= LEAST_LENGTH => {
                let (count, line) = (outer.iter().product(), length * size);
                let lines = || InOrderC::new(outer).map_while(|index| self.bytes.get(index * line..)?.get(..line));
                stage.put_transposed(&mut sink, self.layout, self.difference, (count, *length), &|| Box::new(lines()))?;
            }
            [outer @ .., length] => {
                let stride: usize = outer.iter().product();
                let step = (GATHERED_BYTES / size).max(1);
                let mut buffer = Vec::new();
                for first in InOrderC::new(outer) {
                    for begin in (0..*length).step_by(step) {
                        let count = step.min(length - begin);
                        buffer.clear();
                        self.gather(first + begin * stride, stride, count, &mut buffer);
                        stage.put_bytes(&mut sink, ElementBytes { bytes: &buffer, ..self }, count)?;
                    }
                }
            }
            // The orders are the same.
            [] => {}
        }
        stage.end(&mut sink)
    }
}

fn gather<const N: usize>(bytes: &[u8], first: usize, stride: usize, count: usize, to: &mut Vec<u8>) {
    let items = bytes.as_chunks::<N>().0.iter().skip(first).step_by(stride);
    items.take(count).for_each(|item| to.extend_from_slice(item));
}
