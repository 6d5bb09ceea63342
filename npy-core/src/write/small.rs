//! Writes small arrays of numbers with one system call.

use std::io::Write;

use super::output::{SMALL_BYTES, cannot_write};
use crate::element;
use crate::element::NpyElement;
use crate::error::Result;
use crate::format::dtype::{DType, Scalar};
use crate::format::header::{PLAIN_HEADER_BYTES, encode_plain};
use crate::format::shape::element_count;
use crate::options::Order;

/// Writes a small array of numbers that need no conversion, and returns whether it was one.
///
/// The general header and writer take a twentieth of the time of creating a file.
///
/// Fails if writing fails. The general writer reports errors of the array.
pub fn write_small<T: NpyElement>(
    writer: &mut dyn Write,
    dtype: &DType,
    order: Order,
    shape: &[usize],
    items: &[T],
) -> Result<bool> {
    if const { !element::is_plain::<T>() } {
        return Ok(false);
    }
    let Some((bulk, scalar)) = element::bulk_of_own::<T>(dtype) else { return Ok(false) };
    bulk.bytes_of(items).map_or(Ok(false), |elements| write_small_bytes(writer, scalar, order, shape, elements))
}

fn write_small_bytes(writer: &mut dyn Write, scalar: Scalar, order: Order, shape: &[usize], elements: &[u8]) -> Result<bool> {
    if elements.len() > SMALL_BYTES {
        return Ok(false);
    }
    let Some(file) = small_file(scalar, order, shape, elements) else { return Ok(false) };
    writer.write_all(&file).and_then(|()| writer.flush()).map_err(cannot_write)?;
    Ok(true)
}

/// The bytes of the file; `None` if its header has another length than [`PLAIN_HEADER_BYTES`] or
/// does not fit the number of elements.
fn small_file(scalar: Scalar, order: Order, shape: &[usize], elements: &[u8]) -> Option<Vec<u8>> {
    // The general writer refuses impossible shapes.
    let data_bytes = element_count(shape, scalar.itemsize()).ok()? * scalar.itemsize();
    if data_bytes != elements.len() {
        return None;
    }
    let mut file = Vec::with_capacity(PLAIN_HEADER_BYTES + elements.len());
    encode_plain(scalar, order, shape, &mut file)?;
    file.extend_from_slice(elements);
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::write_small;
    use crate::element::{FixedBytes, NpyElement};
    use crate::format::dtype::DType;
    use crate::format::header::Header;
    use crate::options::Order;

    /// What `write_small` writes; `None` if the general writer has to.
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
            // No header of two lines, no array that there can be, more axes than most have, and too
            // many elements.
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
}
