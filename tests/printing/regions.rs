//! Regions of files, of which only the printed elements are read.

use std::io::Cursor;

use npy_core::print::PrintOptions;
use npy_core::region::AxisRange;
use npy_core::{DType, DynValues, Header, NpyReader, Order};

use crate::support::scratch;

/// An array whose bytes are distinct from element to element.
fn file(dtype: &str, order: Order, shape: &[usize]) -> Vec<u8> {
    let dtype: DType = dtype.parse().unwrap();
    let count = shape.iter().product::<usize>() * dtype.itemsize();
    let header = Header::new(dtype, order, shape).unwrap();
    [header.to_bytes(), (0..count).map(|i| (i % 251) as u8).collect()].concat()
}

#[test]
fn prints_as_the_whole_array_does() {
    let small = PrintOptions::new().threshold(20).edge_items(2);
    for dtype in ["|u1", "<i2", "[('a', '|u1'), ('b', '>i2', (2,))]"] {
        for order in [Order::C, Order::Fortran] {
            for shape in [&[][..], &[7], &[40], &[5, 5], &[3, 40], &[40, 3], &[6, 7, 8], &[2, 0, 90], &[1, 30, 1]] {
                let file = file(dtype, order, shape);
                let whole = DynValues::read(&file[..]).unwrap();
                let region: Vec<AxisRange> = vec![(..).into(); shape.len()];
                for options in [PrintOptions::new(), small.clone(), small.clone().edge_items(0)] {
                    let mut reader = NpyReader::new(Cursor::new(&file)).unwrap();
                    let printed = reader.print_region(&region, &options).unwrap();
                    assert_eq!(printed.to_string(), whole.display_with(&options).to_string(), "{dtype} {order:?} {shape:?}");
                }
            }
        }
    }
}

#[test]
fn prints_regions_with_steps() {
    let file = file("|u1", Order::C, &[100, 2]);
    let region = [AxisRange::from(10..90).step_by(3), 1.into()];
    let values = NpyReader::new(Cursor::new(&file)).unwrap().read_region_values(&region).unwrap();
    let options = PrintOptions::new().threshold(5);
    let printed = NpyReader::new(Cursor::new(&file)).unwrap().print_region(&region, &options).unwrap();
    assert_eq!(printed.to_string(), values.display_with(&options).to_string());
}

/// 2^40 elements: only the corners are there.
#[test]
fn reads_only_what_is_printed() {
    let path = scratch("large.npy");
    let header = Header::new("|i1".parse().unwrap(), Order::C, &[1 << 20, 1 << 20]).unwrap();
    std::fs::write(&path, header.to_bytes()).unwrap();
    let sparse = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    if sparse.set_len(header.to_bytes().len() as u64 + header.data_bytes()).is_err() {
        return; // a file system that has no such files
    }
    let mut reader = NpyReader::open(&path).unwrap();
    let printed = reader.print_region(&[(..).into(), (..).into()], PrintOptions::new()).unwrap();
    assert_eq!(printed.to_string().lines().next(), Some("[[0 0 0 ... 0 0 0]"));
}

#[test]
fn refuses_more_corners_than_can_be_read() {
    let header = Header::new("|i1".parse().unwrap(), Order::C, &[7; 20]).unwrap();
    let file = header.to_bytes();
    let error = NpyReader::new(Cursor::new(&file)).unwrap().print_region(&[(..).into(); 20], PrintOptions::new()).unwrap_err();
    assert!(error.to_string().ends_with(" corners of a printed array, found 1048576; print a smaller region"), "{error}");
}
