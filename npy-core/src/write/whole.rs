//! Writes all elements of an array in memory, in either order.

use std::io::Write;

use super::bytes::ElementBytes;
use super::stage::Stage;
use crate::error::Result;
use crate::format::header::Header;
use crate::options::Order;
use crate::transpose::bytes::InOrderC;

/// Shorter lines are not transposed, because the part assembled in memory would be larger than an
/// eighth of the array.
const LEAST_LENGTH: usize = 8;

/// Bytes of such lines that are gathered at a time, unless an element is larger.
const GATHERED_BYTES: usize = 4096;

impl ElementBytes<'_> {
    /// Writes the elements, whose shape and order in memory are those of `header`, as a file in `order` and in the version of the
    /// header.
    ///
    /// See [`ElementBytes`] for an example.
    ///
    /// Fails if writing fails, or if the header has another number of elements or itemsize.
    pub fn write(self, writer: &mut dyn Write, header: &Header, order: Order) -> Result<()> {
        self.check(header)?;
        let (shape, size) = (header.shape(), self.layout.size);
        // C first, as NumPy has it for arrays that are contiguous in both orders.
        let is_same = Order::are_same(shape) || size == 0;
        let mut written = Header::new(header.dtype().clone(), if is_same { Order::C } else { order }, shape)?;
        if header.version() > written.version() {
            written = written.with_version(header.version())?;
        }
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
}

fn gather<const N: usize>(bytes: &[u8], first: usize, stride: usize, count: usize, to: &mut Vec<u8>) {
    let items = bytes.as_chunks::<N>().0.iter().skip(first).step_by(stride);
    items.take(count).for_each(|item| to.extend_from_slice(item));
}
