//! Transposing while writing gives the bytes that NumPy writes for a transposed copy.

use std::fs;

use ndarray::{Array, ArrayD, ArrayViewD, Axis, IxDyn, ShapeBuilder, Slice};
use npy_core::{DynValues, ErrorKind, Header, NpyElement, Order};
use npy_ndarray::{DynArray, ReadNpyExt, SaveOptions, WriteNpyExt};

use crate::support::numpy::{frames, numpy};
use crate::support::scratch;
use crate::support::streams::Full;

const ORDERS: [Order; 2] = [Order::C, Order::Fortran];

fn write_in<W: WriteNpyExt + ?Sized>(array: &W, order: Order) -> Vec<u8> {
    let mut file = Vec::new();
    array.write_npy_with(&mut file, SaveOptions::new().order(order)).unwrap();
    file
}

/// What is written one element after another.
fn expected<T: NpyElement + Clone>(array: &ArrayViewD<'_, T>, order: Order) -> Vec<u8> {
    let items: Vec<T> = if order == Order::C { array.iter().cloned().collect() } else { array.t().iter().cloned().collect() };
    let shape = IxDyn(array.shape());
    let is_fortran = order == Order::Fortran;
    let mut file = Vec::new();
    ArrayD::from_shape_vec(shape.set_f(is_fortran), items).unwrap().write_npy(&mut file).unwrap();
    file
}

#[test]
fn arrays_of_every_dtype_are_what_numpy_writes() {
    let Some(numpy) = numpy("arrays_of_every_dtype_are_what_numpy_writes") else { return };
    let printed = numpy.run(["arrays.py", "of_every_dtype"], b"");
    let frames = frames(&printed);
    assert_eq!(frames.len(), 22 * 8 * 3);
    let mut objects = 0;
    for (number, files) in frames.chunks_exact(3).enumerate() {
        let array =
            DynArray::read_npy_with(files[0], npy_ndarray::ReadOptions::new().objects(npy_core::object::ObjectOptions::new()))
                .unwrap();
        for (order, expected) in ORDERS.iter().zip(&files[1..]) {
            let written = write_in(&array, *order);
            if let DynArray::Object(_) = array {
                // The pickle of another form: it is what is read from it that has to be the same.
                let read = |file: &[u8]| npy_core::object::read(file).unwrap();
                let (written, expected) = (read(&written), read(expected));
                assert_eq!(
                    (written.shape(), written.order(), written.items()),
                    (expected.shape(), expected.order(), expected.items())
                );
                objects += 1;
            } else {
                assert!(written == *expected, "array {number}: {} {:?} {order:?}", array.dtype(), array.shape());
            }
        }
    }
    assert_eq!(objects, 2 * 8);
}

#[test]
fn views_of_large_arrays_are_what_numpy_writes() {
    let Some(numpy) = numpy("views_of_large_arrays_are_what_numpy_writes") else { return };
    let printed = numpy.run(["arrays.py", "views"], b"");
    let mut files = frames(&printed).into_iter();
    let array = Array::from_iter(0..67 * 71 * 73_u64).into_shape_with_order((67, 71, 73)).unwrap();
    for axes in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for step in [1, 2, -1] {
            let view = array.view().permuted_axes(axes);
            let view = view.slice_axis(Axis(1), Slice::new(0, None, step));
            for order in ORDERS {
                assert!(write_in(&view, order) == files.next().unwrap(), "{axes:?}, {step}, {order:?}");
            }
        }
    }
    assert!(files.next().is_none());
}

/// Several rows of these are written at once, from places of their own.
#[test]
fn large_arrays_of_elements_of_every_width_are_what_numpy_writes() {
    let Some(numpy) = numpy("large_arrays_of_elements_of_every_width_are_what_numpy_writes") else { return };
    let printed = numpy.run(["arrays.py", "of_every_width"], b"");
    let frames = frames(&printed);
    assert_eq!(frames.len(), 6 * 2);
    for files in frames.chunks_exact(2) {
        assert!(files[0].len() > 4 << 20);
        let array = DynArray::read_npy(files[0]).unwrap();
        assert!(write_in(&array, Order::C) == files[1], "{}", array.dtype());
        assert!(write_in(&DynArray::read_npy(files[1]).unwrap(), Order::Fortran) == files[0], "{}", array.dtype());
    }
}

/// Shapes at the borders of the assembled blocks, and arrays larger than one write.
#[test]
fn shapes_of_every_kind() {
    fn check<T: NpyElement + Clone>(item: impl Fn(usize) -> T, most: usize) {
        let shapes: [&[usize]; 10] = [
            &[2, 3],
            &[70, 70],
            &[800, 700],
            &[3, 9_000],
            &[9_000, 3],
            &[65, 5, 66],
            &[5, 65, 66],
            &[66, 65, 5],
            &[9, 8, 7, 6, 5],
            &[0, 300],
        ];
        for shape in shapes.iter().filter(|shape| shape.iter().product::<usize>() <= most) {
            let array = ArrayD::from_shape_vec(IxDyn(shape), (0..shape.iter().product()).map(&item).collect()).unwrap();
            for view in [
                array.view(),
                array.t(),
                array.slice_each_axis(|axis| Slice::new(0, None, if axis.axis.index() == 0 { -1 } else { 1 })),
            ] {
                for order in ORDERS {
                    let written = write_in(&view, order);
                    assert!(written == expected(&view, order), "{shape:?}, {order:?}");
                }
            }
        }
    }
    check(|i| u8::try_from(i % 251).unwrap(), 30_000);
    check(|i| u16::try_from(i).unwrap(), 30_000);
    check(|i| u32::try_from(i).unwrap(), 30_000);
    check(|i| f64::from(u32::try_from(i).unwrap()), usize::MAX);
    check(|i| i % 3 == 0, 30_000);
    check(|i| i.to_string().parse::<npy_core::types::FixedBytes<12>>().unwrap(), 30_000);
    check(|i| i.to_string(), 30_000);
}

#[test]
fn order_combines_with_every_save_option() {
    let path = scratch("array.npy");
    let array = Array::from_shape_fn((1100, 1200), |(i, j)| f64::from(u32::try_from(i * 1200 + j).unwrap()));
    for (order, strides) in [(Order::C, [1200, 1]), (Order::Fortran, [1, 1100])] {
        let options = SaveOptions::new().order(order);
        for options in [options, options.durable(true), options.in_place(true), options.in_place(true).durable(true)] {
            for view in [array.view(), array.as_standard_layout().view()] {
                view.save_npy_with(&path, options).unwrap();
                let read = ndarray::Array2::<f64>::load_npy(&path).unwrap();
                assert_eq!(read.strides(), strides);
                assert!(read == array);
            }
            DynArray::load_npy(&path).unwrap().save_npy_with(&path, options).unwrap();
            assert!(ndarray::Array2::<f64>::load_npy(&path).unwrap() == array);
        }
    }
    // Without an order it is that of the array, with either kind of options.
    array.t().save_npy_with(&path, SaveOptions::new().in_place(true)).unwrap();
    let in_place = fs::read(&path).unwrap();
    array.t().save_npy_with(&path, SaveOptions::new()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), in_place);
    assert_eq!(Header::parse(&in_place).unwrap().0.order(), Order::Fortran);
}

/// Elements that are larger than what is written at a time go out one after another.
#[test]
fn elements_of_any_size_are_put_in_order() {
    #[derive(Default)]
    struct Parts {
        file: Vec<u8>,
        largest: usize,
    }
    impl std::io::Write for Parts {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.largest = self.largest.max(bytes.len());
            self.file.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    const ITEM: usize = 5 << 20;
    let bytes: Vec<u8> = (1..=6_u8).flat_map(|number| vec![number; ITEM]).collect();
    let values = DynValues::new(format!("|V{ITEM}").parse().unwrap(), Order::C, &[2, 3], bytes).unwrap();
    let mut parts = Parts::default();
    values.write_in_order(&mut parts, Order::Fortran).unwrap();
    let (header, data) = Header::parse(&parts.file).unwrap();
    assert_eq!((header.order(), header.shape()), (Order::Fortran, &[2, 3][..]));
    let numbers: Vec<u8> = parts.file[data..].chunks(ITEM).map(|item| item[ITEM / 2]).collect();
    assert_eq!((numbers, parts.file.len()), (vec![1, 4, 2, 5, 3, 6], data + 6 * ITEM));
    assert!(parts.largest <= 2 * ITEM, "{}", parts.largest);
}

/// A disk that is full is told of, as it is for an array in its own order.
#[test]
fn errors_of_the_stream_come_through() {
    let array = Array::from_shape_fn((1100, 1200), |(i, j)| f64::from(u32::try_from(i * 1200 + j).unwrap()));
    let whole = write_in(&array, Order::Fortran).len();
    for room in [0, 100, 4 << 20, (4 << 20) + 1, whole - 1] {
        let error = array.write_npy_with(Full::after(room), SaveOptions::new().order(Order::Fortran)).unwrap_err();
        assert!(error.kind() == ErrorKind::Io, "{error}");
    }
    array.write_npy_with(Full::after(whole), SaveOptions::new().order(Order::Fortran)).unwrap();
}
