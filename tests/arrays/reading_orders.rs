//! Transposing while reading gives the same result as transposing after reading.

use std::fmt::Debug;
use std::path::Path;

use ndarray::{ArrayD, IxDyn};
use npy_core::{ErrorKind, Header, NpyElement, Order};
use npy_ndarray::{ReadNpyExt, ReadOptions};

use crate::support::numpy::numpy;
use crate::support::{scratch, some};

/// Shapes at the borders of what panels hold. Each dtype takes some of them, so that together they take all.
const SHAPES: [&[usize]; 13] = [
    &[1, 150_011],
    &[150_011, 1],
    &[509, 1013],
    &[2, 250_007],
    &[250_007, 2],
    &[512, 1024],
    &[3, 331, 337],
    &[331, 3, 337],
    &[331, 337, 3],
    &[17, 19, 23, 29],
    &[1021, 1031],
    &[0, 1 << 20],
    &[3, 4],
];

fn write(path: &Path, descr: &str, order: Order, shape: &[usize]) -> usize {
    let header = Header::new(descr.parse().unwrap(), order, shape).unwrap();
    let mut file = header.to_bytes();
    let data = file.len();
    let bytes = usize::try_from(header.data_bytes()).unwrap();
    file.extend((0..bytes).map(|i| u8::try_from(i % 127).unwrap()));
    std::fs::write(path, &file).unwrap();
    data
}

/// The array in the order that was demanded, element for element that of the file in its own order.
fn check<T: NpyElement + Clone + PartialEq + Debug>(descr: &str, first: usize) {
    let path = scratch("array.npy");
    let shapes = SHAPES.into_iter().cycle().skip(first).take(SHAPES.len());
    for shape in some(shapes, 7) {
        for (order, demanded) in [(Order::C, Order::Fortran), (Order::Fortran, Order::C)] {
            write(&path, descr, order, shape);
            let expected = ArrayD::<T>::load_npy(&path).unwrap();
            let streamed = ArrayD::<T>::read_npy_with(
                std::io::BufReader::new(std::fs::File::open(&path).unwrap()),
                ReadOptions::new().order(demanded),
            );
            assert!(streamed.unwrap() == expected);
            for threads in [1, 3, 7] {
                let array = ArrayD::<T>::load_npy_with(&path, ReadOptions::new().order(demanded).threads(threads)).unwrap();
                assert!(array == expected, "{descr} {shape:?} {order:?}, {threads} threads");
                let in_order = if demanded == Order::C { array.view() } else { array.t() };
                assert!(in_order.is_standard_layout(), "{shape:?}");
            }
        }
    }
}

// One test for each pair, so that they run at the same time.

#[test]
fn panels_of_bytes_and_bools_of_any_shape() {
    check::<u8>("|u1", 0);
    check::<bool>("|b1", 1);
}

#[test]
fn panels_of_swapped_numbers_of_any_shape() {
    check::<i16>(">i2", 2);
    check::<u64>(">u8", 3);
}

#[test]
fn panels_of_native_numbers_and_of_text_of_any_shape() {
    check::<i64>("<i8", 4);
    check::<npy_core::types::FixedBytes<5>>("|S5", 5);
}

/// What is decoded takes the other way.
#[test]
fn elements_that_are_decoded() {
    check::<String>("|S2", 6);
}

/// A truncated file gives the same error with and without transposing, wherever it ends.
#[test]
fn panels_of_files_that_are_cut() {
    let path = scratch("cut.npy");
    let data = write(&path, "<u4", Order::Fortran, &[1500, 2000]);
    let whole = std::fs::read(&path).unwrap();
    for length in [data, data + 1, 1 << 20, (8 << 20) - 1, 8 << 20, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let expected = ArrayD::<u32>::load_npy(&path).unwrap_err();
        assert!(expected.kind() == ErrorKind::Truncated, "{expected}");
        for threads in [1, 3] {
            let error = ArrayD::<u32>::load_npy_with(&path, ReadOptions::new().order(Order::C).threads(threads)).unwrap_err();
            assert_eq!(error.to_string(), expected.to_string());
        }
    }
    // Bytes behind the array do not matter.
    let longer = [&whole[..], b"more"].concat();
    std::fs::write(&path, longer).unwrap();
    let array = ArrayD::<u32>::load_npy_with(&path, ReadOptions::new().order(Order::C)).unwrap();
    assert_eq!(array.shape(), [1500, 2000]);
}

/// NumPy's own arrays, some of whose elements it tells.
#[test]
fn panels_of_files_of_numpy() {
    let Some(numpy) = numpy("panels_of_files_of_numpy") else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("fortran.npy");
    let printed = numpy.run(["arrays.py".as_ref(), "panels".as_ref(), path.as_os_str()], b"");
    let values = printed.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect();
    let expected = ArrayD::from_shape_vec(IxDyn(&[61, 97, 103]), values).unwrap();
    for threads in [1, 2] {
        let options = ReadOptions::new().order(Order::C).threads(threads);
        assert!(ArrayD::<i64>::load_npy_with(&path, options).unwrap() == expected);
    }
}
