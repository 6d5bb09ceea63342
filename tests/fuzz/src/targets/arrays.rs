//! Arrays of all dtypes: written and read back, cut into regions, printed.

use std::io::Cursor;

use arbitrary::{Result, Unstructured};
use npy_core::print::{FloatMode, PrintOptions, Sign};
use npy_core::region::{AxisRange, byte_ranges, region_shape};
use npy_core::{Casting, DynValues, NpyReader, Order};
use npy_ndarray::DynArray;

use super::values;

/// What is written reads back, in both orders, by rows and in any chunks.
pub fn round_trip(input: &[u8]) {
    let _ = written_and_read(&mut Unstructured::new(input));
}

fn written_and_read(input: &mut Unstructured) -> Result<()> {
    let rows = 1 + usize::from(input.arbitrary::<u8>()?);
    let values = values::array(input, 6)?;
    let mut file = Vec::new();
    values.write(&mut file).unwrap();
    let again = DynValues::read(&file[..]).unwrap();
    assert_eq!(again, values);
    let mut by_rows = Vec::new();
    let mut reader = NpyReader::new(&file[..]).unwrap();
    while let Some(part) = reader.next_elements(rows).unwrap() {
        by_rows.extend(part.into_bytes());
    }
    assert_eq!(by_rows, values.bytes());
    for order in [Order::C, Order::Fortran] {
        let mut turned = Vec::new();
        values.write_in_order(&mut turned, order).unwrap();
        let turned = DynValues::read(&turned[..]).unwrap();
        let other = values.clone().into_order(order).unwrap();
        assert_eq!((turned.bytes(), turned.shape()), (other.bytes(), other.shape()));
        assert_eq!(turned.into_order(values.order()).unwrap().bytes(), values.bytes());
    }
    let array = DynArray::read_npy(&file[..]).unwrap();
    let mut copy = Vec::new();
    array.write_npy(&mut copy).unwrap();
    let copy = DynValues::read(&copy[..]).unwrap();
    assert_eq!((copy.dtype(), copy.shape()), (values.dtype(), values.shape()));
    for casting in [Casting::Safe, Casting::SameKind, Casting::Unsafe] {
        let _ = values.cast::<f32>(casting);
        let _ = values.cast::<i16>(casting);
        let _ = values.cast::<bool>(casting);
    }
    Ok(())
}

/// A region of a file is what element by element is taken of the array.
pub fn regions(input: &[u8]) {
    let _ = region_of_array(&mut Unstructured::new(input));
}

fn region_of_array(input: &mut Unstructured) -> Result<()> {
    let mut region = Vec::new();
    let mut shape = Vec::new();
    for _ in 0..input.int_in_range(0..=4)? {
        let length = input.int_in_range(0..=20)?;
        shape.push(length);
        // Now and then one that the axis does not have.
        let begin = input.int_in_range(0..=length + 1)?;
        let end = input.int_in_range(begin.min(length)..=length + 1)?;
        let step = input.int_in_range(0..=4)?;
        region.push(match input.int_in_range(0..=3)? {
            0 => AxisRange::from(begin),
            1 => AxisRange::from(..),
            _ if step == 1 => AxisRange::from(begin..end),
            _ => AxisRange::from(begin..end).step_by(step),
        });
    }
    let order = if input.arbitrary()? { Order::Fortran } else { Order::C };
    let dtype = values::dtype(input, 1)?;
    if shape.iter().product::<usize>() * dtype.itemsize() > 1 << 16 {
        return Ok(());
    }
    let values = values::array_of(input, dtype, order, &shape)?;
    let mut file = Vec::new();
    values.write(&mut file).unwrap();
    let length = region_shape(values.header(), &region);
    let read = NpyReader::new(Cursor::new(&file)).unwrap().read_region_values(&region);
    let Some((length, read)) = super::same_verdict(length, read, "shape and region") else { return Ok(()) };
    assert_eq!(read.shape(), length);
    // The ranges of bytes are the region, in the order of the file.
    let ranges: Vec<u8> = byte_ranges(values.header(), &region)
        .unwrap()
        .flat_map(|range| &values.bytes()[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()])
        .copied()
        .collect();
    assert_eq!(ranges, read.clone().into_order(order).unwrap().bytes());
    Ok(())
}

/// Arrays as text, with every option.
pub fn print(input: &[u8]) {
    let _ = printed(&mut Unstructured::new(input));
}

fn printed(input: &mut Unstructured) -> Result<()> {
    let options = PrintOptions::new()
        .precision(input.int_in_range(0..=40)?)
        .threshold(input.int_in_range(0..=100)?)
        .edge_items(input.int_in_range(0..=5)?)
        .line_width(usize::from(input.arbitrary::<u8>()?))
        .suppress_small(input.arbitrary()?)
        .float_mode(*input.choose(&[FloatMode::Fixed, FloatMode::Unique, FloatMode::AtMost, FloatMode::EqualAtMost])?)
        .sign(*input.choose(&[Sign::Negative, Sign::Always, Sign::Blank])?);
    let values = values::array(input, 3)?;
    let text = values.display_with(&options).to_string();
    assert_eq!(text, DynArray::from_values(values.clone()).unwrap().display_with(&options).to_string());
    let _ = values.table().to_string();
    let _ = values.to_string();
    Ok(())
}
