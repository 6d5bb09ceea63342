//! Small files of numbers, put together in memory and written at one go.

use std::cell::RefCell;
use std::io::Write;

use crate::dtype::{DType, Scalar};
use crate::element::{self, NpyElement};
use crate::error::Result;
use crate::header::{MOST_PLAIN_AXES, PLAIN_HEADER_BYTES, encode_plain};
use crate::output::SMALL_BYTES;
use crate::shape::{Order, element_count};
use crate::write::cannot_write;

/// Writes an array of a few numbers that need no conversion, if it is one; tells whether it was. The header and the writer of others take as long
/// as a twentieth of making a file.
///
/// # Errors
///
/// When writing fails. What is wrong with the array is for others to say.
pub fn write_small<T: NpyElement>(
    writer: &mut impl Write,
    dtype: &DType,
    order: Order,
    shape: &[usize],
    items: &[T],
) -> Result<bool> {
    thread_local! {
        static LAST: RefCell<SmallFile> = const { RefCell::new(SmallFile::new()) };
    }
    let Some((bulk, scalar)) = element::bulk_of_own::<T>(dtype) else { return Ok(false) };
    let Some(elements) = bulk.bytes_of(items).filter(|elements| elements.len() <= SMALL_BYTES) else { return Ok(false) };
    let mut write = |file: &mut SmallFile| {
        let Some(bytes) = file.put_together(scalar, order, shape, elements) else { return Ok(false) };
        writer.write_all(bytes).and_then(|()| writer.flush()).map(|()| true).map_err(cannot_write)
    };
    // There is none while a thread ends, and it is in use while a file is written to a stream that writes one itself.
    let written = LAST.try_with(|last| last.try_borrow_mut().ok().map(|mut last| write(&mut last)));
    written.ok().flatten().unwrap_or_else(|| write(&mut SmallFile::new()))
}

/// The file that was written last. Who writes many writes one like the other: their memory is the same, and mostly their header, which were a third of
/// the instructions.
struct SmallFile {
    bytes: Vec<u8>,
    /// Of what the header was made that `bytes` begins with, if it is one.
    header: Option<Described>,
}

/// An array whose header has [`PLAIN_HEADER_BYTES`].
struct Described {
    scalar: Scalar,
    order: Order,
    axes: usize,
    lengths: [usize; MOST_PLAIN_AXES],
    data_bytes: usize,
}

impl SmallFile {
    const fn new() -> Self {
        Self { bytes: Vec::new(), header: None }
    }

    /// The bytes of the file; `None` if the header has another length, or is not that of so many elements.
    #[inline]
    fn put_together(&mut self, scalar: Scalar, order: Order, shape: &[usize], elements: &[u8]) -> Option<&[u8]> {
        let data_bytes = match &self.header {
            Some(header) if header.is_of(scalar, order, shape) => header.data_bytes,
            _ => self.put_header(scalar, order, shape)?,
        };
        if data_bytes != elements.len() {
            return None;
        }
        self.bytes.truncate(PLAIN_HEADER_BYTES);
        self.bytes.extend_from_slice(elements);
        Some(&self.bytes)
    }

    /// Makes the header anew; tells how many bytes come behind it.
    fn put_header(&mut self, scalar: Scalar, order: Order, shape: &[usize]) -> Option<usize> {
        self.header = None;
        self.bytes.clear();
        // A shape that no array can have is for others to refuse.
        let data_bytes = element_count(shape, scalar.itemsize()).ok()? * scalar.itemsize();
        self.bytes.reserve_exact(PLAIN_HEADER_BYTES + data_bytes.min(SMALL_BYTES));
        encode_plain(scalar, order, shape, &mut self.bytes)?;
        let mut lengths = [0; MOST_PLAIN_AXES];
        lengths.get_mut(..shape.len())?.copy_from_slice(shape);
        self.header = Some(Described { scalar, order, axes: shape.len(), lengths, data_bytes });
        Some(data_bytes)
    }
}

impl Described {
    #[inline]
    fn is_of(&self, scalar: Scalar, order: Order, shape: &[usize]) -> bool {
        // One after another: comparing slices would be a call.
        self.axes == shape.len()
            && self.lengths.iter().zip(shape).all(|(own, other)| own == other)
            && self.scalar == scalar
            && self.order == order
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use super::write_small;
    use crate::dtype::DType;
    use crate::element::NpyElement;
    use crate::header::Header;
    use crate::shape::Order;

    /// What `write_small` writes; `None` if it leaves it to others.
    fn small<T: NpyElement>(dtype: &str, order: Order, shape: &[usize], items: &[T]) -> Option<Vec<u8>> {
        let dtype: DType = dtype.parse().unwrap();
        let mut file = Vec::new();
        let is_small = write_small(&mut file, &dtype, order, shape, items).unwrap();
        assert_eq!(is_small, !file.is_empty());
        is_small.then_some(file)
    }

    fn expect<T: NpyElement>(dtype: &str, order: Order, shape: &[usize], items: &[T], bytes: &[u8]) {
        let header = Header::new(dtype.parse().unwrap(), order, shape).unwrap();
        assert_eq!(small(dtype, order, shape, items), Some([&header.to_bytes(), bytes].concat()), "{header:?}");
    }

    /// The header is that of the array, whatever was written before, and also if that was refused.
    #[test]
    fn headers_are_not_those_of_other_arrays() {
        let own = |dtype: &str| dtype.replace('=', if cfg!(target_endian = "big") { ">" } else { "<" });
        for _ in 0..2 {
            for order in [Order::C, Order::Fortran] {
                for (shape, count) in
                    [(&[6][..], 6), (&[2, 3], 6), (&[3, 2], 6), (&[6, 0], 0), (&[], 1), (&[1; 4], 1), (&[1, 1], 1)]
                {
                    let floats = vec![1.5_f32; count];
                    let bytes = 1.5_f32.to_ne_bytes().repeat(count);
                    for _ in 0..2 {
                        expect(&own("=f4"), order, shape, &floats, &bytes);
                    }
                    expect("|u1", order, shape, &vec![7_u8; count], &vec![7; count]);
                    expect("|i1", order, shape, &vec![-1_i8; count], &vec![255; count]);
                    expect("|b1", order, shape, &vec![true; count], &vec![1; count]);
                    expect(&own("=i4"), order, shape, &vec![-1_i32; count], &vec![255; 4 * count]);
                    // Other elements, other counts, other byte orders and other dtypes are for others.
                    assert_eq!(small(&own("=f4"), order, shape, &vec![1_u32; count]), None);
                    assert_eq!(small("|u1", order, shape, &vec![1_u8; count + 1]), None);
                    assert_eq!(small(if own("=").eq("<") { ">i4" } else { "<i4" }, order, shape, &vec![1_i32; count]), None);
                    assert_eq!(small("|O", order, shape, &vec![1_u8; count]), None);
                }
                // No header of two lines, no array that there can be, more axes than most have, and too many elements.
                assert_eq!(small("|u1", order, &[100_000_000, 0], &[1_u8; 0]), None);
                assert_eq!(small("|u1", order, &[usize::MAX, 2, 0], &[1_u8; 0]), None);
                assert_eq!(small("|u1", order, &[1; 5], &[1_u8]), None);
                assert_eq!(small("|u1", order, &[16_385], &vec![1_u8; 16_385]), None);
                expect("|u1", order, &[16_384], &vec![1_u8; 16_384], &vec![1; 16_384]);
            }
        }
    }

    /// A stream that writes a file itself, or fails, does no harm to the next one.
    #[test]
    fn streams_may_write_files_and_fail() {
        struct Nesting(Vec<u8>, bool);
        impl Write for Nesting {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                expect("|u1", Order::C, &[3], &[1_u8, 2, 3], &[1, 2, 3]);
                self.0.extend_from_slice(bytes);
                if self.1 { Err(io::Error::other("full")) } else { Ok(bytes.len()) }
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let dtype: DType = "|i1".parse().unwrap();
        let header = Header::new(dtype.clone(), Order::C, &[2]).unwrap().to_bytes();
        for fails in [false, true, false] {
            let mut stream = Nesting(Vec::new(), fails);
            let written = write_small(&mut stream, &dtype, Order::C, &[2], &[1_i8, 2]);
            assert_eq!((written.ok(), stream.0), ((!fails).then_some(true), [&header[..], &[1, 2]].concat()));
        }
        let panics = std::panic::catch_unwind(|| {
            struct Panicking;
            impl Write for Panicking {
                fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                    panic!("of the stream")
                }

                fn flush(&mut self) -> io::Result<()> {
                    Ok(())
                }
            }
            write_small(&mut Panicking, &"|i1".parse().unwrap(), Order::C, &[2], &[1_i8, 2]).is_ok()
        });
        assert!(panics.is_err());
        expect("|i1", Order::C, &[2], &[3_i8, 4], &[3, 4]);
    }
}
