//! Writes small arrays of numbers with one system call.

use std::cell::RefCell;
use std::io::Write;

use super::output::{SMALL_BYTES, cannot_write};
use crate::element;
use crate::element::NpyElement;
use crate::error::Result;
use crate::format::dtype::{DType, Scalar};
use crate::format::header::{MOST_PLAIN_AXES, PLAIN_HEADER_BYTES, encode_plain};
use crate::format::shape::element_count;
use crate::options::Order;

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
        // Those of others have another length. What is kept stays: it may be that of the next one.
        scalar.short_code()?;
        let mut lengths = [0; MOST_PLAIN_AXES];
        lengths.get_mut(..shape.len())?.copy_from_slice(shape);
        // A shape that no array can have is for others to refuse.
        let data_bytes = element_count(shape, scalar.itemsize()).ok()? * scalar.itemsize();
        self.header = None;
        self.bytes.clear();
        self.bytes.reserve_exact(PLAIN_HEADER_BYTES + data_bytes.min(SMALL_BYTES));
        encode_plain(scalar, order, shape, &mut self.bytes)?;
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
    use std::cell::RefCell;
    use std::io::{self, Write};
    use std::sync::mpsc;
    use std::thread;

    use super::write_small;
    use crate::element::{FixedBytes, NpyElement};
    use crate::format::dtype::DType;
    use crate::format::header::Header;
    use crate::options::Order;

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

    const SHAPES: [&[usize]; 7] = [&[6], &[2, 3], &[3, 2], &[6, 1], &[1, 6], &[1, 2, 3], &[1, 1, 3, 2]];

    /// A dtype in the byte order of the machine, and in the other one.
    fn orders(code: &str) -> [String; 2] {
        let orders = if cfg!(target_endian = "big") { [">", "<"] } else { ["<", ">"] };
        orders.map(|order| format!("{order}{code}"))
    }

    /// The header is that of the array, whatever array of as many bytes was written before.
    #[test]
    fn headers_are_not_those_of_other_arrays() {
        let [float, _] = orders("f4");
        let [integer, _] = orders("i4");
        let bytes = 1.5_f32.to_ne_bytes().repeat(6);
        let arrays = || SHAPES.into_iter().flat_map(|shape| [(shape, Order::C), (shape, Order::Fortran)]);
        for (first, first_order) in arrays() {
            for (second, second_order) in arrays() {
                expect(&float, first_order, first, &[1.5_f32; 6], &bytes);
                expect(&float, second_order, second, &[1.5_f32; 6], &bytes);
            }
            expect(&integer, first_order, first, &[-1_i32; 6], &[255; 24]);
            expect("|i1", first_order, first, &[-1_i8; 6], &[255; 6]);
            expect("|u1", first_order, first, &[7_u8; 6], &[7; 6]);
            expect("|b1", first_order, first, &[true; 6], &[1; 6]);
        }
        for (shape, count) in [(&[][..], 1), (&[0], 0), (&[1], 1), (&[0, 6], 0), (&[16_384], 16_384), (&[1; 4], 1)] {
            expect("|u1", Order::C, shape, &vec![3_u8; count], &vec![3; count]);
        }
    }

    /// After one that is left to others, the next one is right.
    #[test]
    fn what_is_not_small_and_plain_is_left_to_others() {
        let [own, other] = orders("i4");
        for order in [Order::C, Order::Fortran] {
            let expect_next = || expect(&own, order, &[3], &[-1_i32; 3], &[255; 12]);
            expect_next();
            // Another type of elements, another byte order, and other dtypes.
            assert_eq!(small(&own, order, &[3], &[1_u32; 3]), None);
            expect_next();
            assert_eq!(small(&other, order, &[3], &[1_i32; 3]), None);
            expect_next();
            assert_eq!(small("|O", order, &[3], &[1_i32; 3]), None);
            assert_eq!(small("|S3", order, &[1], &["abc".parse::<FixedBytes<3>>().unwrap()]), None);
            expect_next();
            // Another count, of the shape that was there before and of a new one.
            assert_eq!(small(&own, order, &[3], &[1_i32; 4]), None);
            expect_next();
            assert_eq!(small(&own, order, &[4], &[1_i32; 3]), None);
            expect_next();
            // No header of two lines, no array that there can be, more axes than most have, and too many elements.
            assert_eq!(small(&own, order, &[100_000_000, 0], &[1_i32; 0]), None);
            expect_next();
            assert_eq!(small(&own, order, &[usize::MAX, 2, 0], &[1_i32; 0]), None);
            expect_next();
            assert_eq!(small(&own, order, &[1; 5], &[1_i32]), None);
            expect_next();
            assert_eq!(small(&own, order, &[4097], &vec![1_i32; 4097]), None);
            expect_next();
        }
    }

    /// Values of a thread are dropped one after another, and then may still write files.
    #[test]
    fn a_thread_that_ends_writes_files() {
        struct Last(mpsc::Sender<Option<Vec<u8>>>);
        impl Drop for Last {
            fn drop(&mut self) {
                let _ = self.0.send(small("|u1", Order::C, &[2], &[1_u8, 2]));
            }
        }
        thread_local! {
            static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
        }
        let (sender, receiver) = mpsc::channel();
        // Dropped behind the memory for files where that is used afterwards, and before it where it is used before.
        for is_used_before in [false, true] {
            let sender = sender.clone();
            let write = || assert!(small("|u1", Order::C, &[1], &[1_u8]).is_some());
            let thread = thread::spawn(move || {
                if is_used_before {
                    write();
                }
                LAST.set(Some(Last(sender)));
                write();
            });
            thread.join().unwrap();
            let expected = small("|u1", Order::C, &[2], &[1_u8, 2]);
            assert_eq!(receiver.recv().unwrap(), expected);
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
