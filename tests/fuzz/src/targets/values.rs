//! Arrays made of the bytes of a fuzz input.

use arbitrary::{Result, Unstructured};
use npy_core::dtype::{Field, Record};
use npy_core::{DType, DynValues, Order};

/// An array of at most four dimensions, each of length `most` at most.
pub(super) fn array(input: &mut Unstructured, most: usize) -> Result<DynValues> {
    let dtype = dtype(input, 2)?;
    let order = if input.arbitrary()? { Order::Fortran } else { Order::C };
    let axes = input.int_in_range(0..=4)?;
    let mut shape = Vec::new();
    for _ in 0..axes {
        shape.push(input.int_in_range(0..=most)?);
    }
    array_of(input, dtype, order, &shape)
}

pub(super) fn array_of(input: &mut Unstructured, dtype: DType, order: Order, shape: &[usize]) -> Result<DynValues> {
    let length = shape.iter().product::<usize>() * dtype.itemsize();
    let part = input.bytes(input.len().min(length))?;
    // What the input lacks is repeated, so that short inputs make large arrays.
    let bytes: Vec<u8> = if part.is_empty() { vec![0; length] } else { part.iter().copied().cycle().take(length).collect() };
    Ok(DynValues::new(dtype, order, shape, bytes).expect("a shape of few elements"))
}

/// A dtype of scalars, sub-arrays, and records of at most `levels` levels.
pub(super) fn dtype(input: &mut Unstructured, levels: u32) -> Result<DType> {
    const SCALARS: [&str; 26] = [
        "|b1",
        "|i1",
        "|u1",
        "<i2",
        ">i2",
        "<u4",
        ">i8",
        "<u8",
        "<f2",
        "<f4",
        ">f8",
        "<f8",
        "<f16",
        ">c8",
        "<c16",
        "<c32",
        "|S1",
        "|S5",
        "<U1",
        ">U3",
        "|V1",
        "|V7",
        "<M8[ns]",
        ">M8[D]",
        "<m8[25us]",
        "<m8",
    ];
    let scalar = |input: &mut Unstructured| Ok(input.choose(&SCALARS)?.parse().expect("a dtype"));
    match input.int_in_range(0..=3)? {
        0 | 1 => scalar(input),
        _ if levels == 0 => scalar(input),
        2 => {
            let base = dtype(input, levels - 1)?;
            let shape: Vec<usize> = (0..input.int_in_range(1..=2)?).map(|_| input.int_in_range(1..=3)).collect::<Result<_>>()?;
            // A sub-array stands in a record.
            let field = Field::new("a", 0, base.sub_array(&shape).expect("few elements"));
            let itemsize = field.dtype().itemsize();
            Ok(Record::new(vec![field], itemsize).expect("one field").into())
        }
        _ => {
            let mut fields = Vec::new();
            let mut end = 0;
            for number in 0..input.int_in_range(1..=4)? {
                let dtype = dtype(input, levels - 1)?;
                let offset = end + input.int_in_range(0..=3)?;
                end = offset + dtype.itemsize();
                fields.push(Field::new(format!("f{number}"), offset, dtype));
            }
            let itemsize = end + input.int_in_range(0..=5)?;
            Ok(Record::new(fields, itemsize).expect("fields one after another").into())
        }
    }
}
