//! Arrays of `ndarray`: every dimension, both orders, every kind of array and slice.

use ndarray::{
    ArcArray, Array, Array0, Array1, Array2, Array3, Array4, ArrayD, ArrayView2, ArrayViewD, ArrayViewMut2, Axis, CowArray,
    Dimension, IxDyn, ShapeBuilder, s,
};
use npy_core::{ErrorKind, Header, NpyRecord};
use npy_ndarray::{Order, ReadNpyExt, ReadOptions, ViewMutNpyExt, ViewNpyExt, WriteNpyExt};

use crate::support::as_little_endian;
use crate::support::numpy::{frames, numpy, push_frame};

fn write<W: WriteNpyExt + ?Sized>(array: &W) -> Vec<u8> {
    let mut file = Vec::new();
    array.write_npy(&mut file).unwrap();
    file
}

fn counting<D: Dimension>(shape: impl ShapeBuilder<Dim = D>) -> Array<i32, D> {
    let mut next = 0;
    Array::from_shape_simple_fn(shape, || {
        next += 1;
        next
    })
}

#[test]
fn every_dimension_round_trips() {
    fn round_trip<D: Dimension>(array: &Array<i32, D>) {
        let file = write(array);
        let read = Array::<i32, D>::read_npy(&file[..]).unwrap();
        assert_eq!(&read, array);
        assert_eq!(read.strides(), array.strides(), "the memory has the order that it had");
        let any = ArrayD::<i32>::read_npy(&file[..]).unwrap();
        assert_eq!(any, array.view().into_dyn());
    }
    round_trip(&Array0::from_elem((), 7));
    round_trip(&counting(5));
    round_trip(&counting((2, 3)));
    round_trip(&counting((2, 3).f()));
    round_trip(&counting((2, 3, 4)));
    round_trip(&counting((2, 3, 4).f()));
    round_trip(&counting((2, 3, 4, 5).f()));
    round_trip(&counting((1, 2, 1, 2, 3)));
    round_trip(&counting((2, 1, 2, 1, 2, 2).f()));
    round_trip(&counting(IxDyn(&[2, 1, 2, 1, 2, 1, 2, 3])));
    round_trip(&counting(IxDyn(&[2, 1, 2, 1, 2, 1, 2, 3]).f()));
}

#[test]
fn empty_arrays_keep_their_shape() {
    for shape in [vec![0], vec![0, 3], vec![3, 0], vec![2, 0, 5]] {
        let array = ArrayD::<f64>::zeros(IxDyn(&shape).f());
        let file = write(&array);
        let (header, _) = Header::parse(&file).unwrap();
        assert_eq!((header.order(), header.shape()), (Order::C, &shape[..]), "contiguous in both orders is C, as NumPy has it");
        assert_eq!(ArrayD::<f64>::read_npy(&file[..]).unwrap().shape(), shape);
    }
    // NumPy refuses such a file: the product of the other lengths exceeds the largest size.
    let shape = (0, 99_999_999, 99_999_999, 900);
    let mut file = Vec::new();
    let error = Array4::<f64>::from_shape_vec(shape, Vec::new()).unwrap().write_npy(&mut file).unwrap_err();
    assert!(error.kind() == ErrorKind::TooLarge && file.is_empty(), "{error}");
    assert!(Array4::<u8>::from_shape_vec(shape, Vec::new()).unwrap().write_npy(&mut file).is_ok());
}

#[test]
fn orders_are_chosen_as_numpy_chooses_them() {
    let order = |array: &ArrayViewD<'_, i32>| Header::parse(&write(array)).unwrap().0.order();
    let c = counting((2, 3)).into_dyn();
    let f = counting((2, 3).f()).into_dyn();
    assert_eq!(order(&c.view()), Order::C);
    assert_eq!(order(&f.view()), Order::Fortran);
    assert_eq!(order(&c.view().reversed_axes()), Order::Fortran);
    assert_eq!(order(&f.view().reversed_axes()), Order::C);
    for both in [&[5][..], &[1, 5], &[5, 1], &[1, 1], &[1, 5, 1], &[]] {
        assert_eq!(order(&counting(IxDyn(both).f()).view()), Order::C, "{both:?}");
    }
    assert_eq!(order(&f.slice(s![.., ..2]).into_dyn()), Order::Fortran);
    assert_eq!(order(&f.slice(s![.., ..;2]).into_dyn()), Order::C);
    assert_eq!(order(&c.slice(s![..;-1, ..]).into_dyn()), Order::C);
}

#[test]
fn every_kind_of_array_is_written_and_read() {
    let array = counting((3, 4));
    let expected = write(&array);
    assert_eq!(write(&array.view()), expected);
    assert_eq!(write(&array.clone().view_mut()), expected);
    assert_eq!(write(&array.to_shared()), expected);
    assert_eq!(write(&CowArray::from(array.view())), expected);

    assert_eq!(Array2::<i32>::read_npy(&expected[..]).unwrap(), array);
    assert_eq!(ArcArray::<i32, _>::read_npy(&expected[..]).unwrap(), array);
    assert_eq!(CowArray::<'_, i32, _>::read_npy(&expected[..]).unwrap(), array);
}

#[test]
fn slices_are_written_as_numpy_writes_them() {
    let Some(numpy) = numpy("slices_are_written_as_numpy_writes_them") else { return };
    let base = counting((6, 7, 5));
    let arrays = [
        write(&base.slice(s![..;-1, .., ..])),
        write(&base.slice(s![1..4, .., ..])),
        write(&base.slice(s![.., 2..5, ..])),
        write(&base.slice(s![.., .., 1..4])),
        write(&base.slice(s![..;2, ..;3, ..;-2])),
        write(&base.slice(s![3, .., ..])),
        write(&base.slice(s![.., 3, ..])),
        write(&base.slice(s![.., .., 3])),
        write(&base.view().permuted_axes([1, 0, 2])),
        write(&base.view().reversed_axes()),
        write(&base.slice(s![..0, .., ..])),
        write(&base.slice(s![..1, ..1, ..1])),
        write(&base.slice(s![0, 0, ..]).broadcast((3, 5)).unwrap()),
    ];
    let mut input = Vec::new();
    for array in &arrays {
        push_frame(&mut input, array);
    }
    let printed = numpy.run(["arrays.py", "slices"], b"");
    let theirs = frames(&printed);
    assert_eq!(theirs.len(), arrays.len());
    for (i, (ours, theirs)) in arrays.iter().zip(theirs).enumerate() {
        // ndarray walks a reversed axis of stride -2 from its end, as NumPy does from `[::-2]`: 4,
        // 2, 0 of 5.
        assert_eq!(ours.escape_ascii().to_string(), theirs.escape_ascii().to_string(), "slice {i}");
    }
}

#[test]
fn reads_into_the_requested_order() {
    for shape in [vec![2, 3], vec![3, 1, 2], vec![130, 70], vec![2, 3, 4, 5], vec![4], vec![], vec![0, 3], vec![1, 9]] {
        for array in [counting(IxDyn(&shape)), counting(IxDyn(&shape).f())] {
            let file = write(&array);
            let standard = ArrayD::<i32>::read_npy_with(&file[..], ReadOptions::new().order(Order::C)).unwrap();
            assert!(standard.is_standard_layout());
            assert_eq!(standard, array);
            let fortran = ArrayD::<i32>::read_npy_with(&file[..], ReadOptions::new().order(Order::Fortran)).unwrap();
            assert!(fortran.t().is_standard_layout());
            assert_eq!(fortran, array);
        }
    }
    // Elements that own memory are moved, not copied.
    let texts = Array2::from_shape_fn((70, 3).f(), |(i, j)| format!("{i},{j}"));
    let read = Array2::<String>::read_npy_with(&write(&texts)[..], ReadOptions::new().order(Order::C)).unwrap();
    assert!(read.is_standard_layout());
    assert_eq!(read, texts);
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Cell {
    name: String,
    value: f32,
}

#[test]
fn records_and_texts_are_elements_too() {
    let cells = Array2::from_shape_fn((2, 3).f(), |(i, j)| Cell { name: "x".repeat(i + j), value: (i * j) as f32 });
    let file = write(&cells);
    let (header, _) = Header::parse(&file).unwrap();
    assert_eq!(as_little_endian(header.dtype()), "[('name', '<U3'), ('value', '<f4')]");
    assert_eq!(header.order(), Order::Fortran);
    assert_eq!(Array2::<Cell>::read_npy(&file[..]).unwrap(), cells);
    // The width is that of the longest item of the slice, not of the array.
    let file = write(&cells.slice(s![..1, ..2]));
    assert_eq!(as_little_endian(Header::parse(&file).unwrap().0.dtype()), "[('name', '<U1'), ('value', '<f4')]");
}

#[cfg(target_pointer_width = "64")]
#[test]
fn wrong_dimensions_are_refused_before_the_data_are_read() {
    let header = Header::new("<f8".parse().unwrap(), Order::C, &[1 << 40, 2]).unwrap().to_bytes();
    let error = Array1::<f64>::read_npy(&header[..]).unwrap_err();
    assert!(error.to_string().contains("dimensions: expected 1, "), "{error}");
    let error = Array3::<f64>::read_npy(&header[..]).unwrap_err();
    assert!(error.to_string().contains("dimensions: expected 3, "), "{error}");
}

/// A copy of the file at a multiple of 64 in memory.
fn aligned(file: &[u8]) -> (Vec<u8>, usize) {
    let mut memory = vec![0; file.len() + 64];
    let begin = memory.as_ptr().align_offset(64);
    memory[begin..][..file.len()].copy_from_slice(file);
    (memory, begin)
}

#[test]
fn views_are_in_place() {
    for array in [counting((3, 4)), counting((3, 4).f())] {
        let file = write(&array);
        let (mut memory, begin) = aligned(&file);
        {
            let file = &memory[begin..][..file.len()];
            let view = ArrayView2::<i32>::view_npy(file).unwrap();
            assert_eq!(view, array);
            assert_eq!(view.strides(), array.strides());
            assert!(file.as_ptr_range().contains(&view.as_ptr().cast()));
            let error = ArrayView2::<u32>::view_npy(file).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Mismatch, "{error}");
            let error = ArrayView2::<i32>::view_npy(&file[..file.len() - 1]).unwrap_err();
            assert!(error.kind() == ErrorKind::Truncated, "{error}");
        }
        let file = &mut memory[begin..][..file.len()];
        let mut view = ArrayViewMut2::<i32>::view_mut_npy(file).unwrap();
        view[[2, 1]] = -1;
        let changed = Array2::<i32>::read_npy(&*file).unwrap();
        assert_eq!(changed[[2, 1]], -1);
        assert_eq!(changed.index_axis(Axis(0), 0), array.index_axis(Axis(0), 0));
    }
}

#[test]
fn views_of_the_other_byte_order_are_refused() {
    let other = if cfg!(target_endian = "big") { "<i4" } else { ">i4" };
    let header = Header::new(other.parse().unwrap(), Order::C, &[0, 2]).unwrap().to_bytes();
    let (memory, begin) = aligned(&header);
    let error = ArrayView2::<i32>::view_npy(&memory[begin..]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotViewable, "{error}");
}
