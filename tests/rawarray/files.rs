//! RawArray files (`.ra`): samples of the format, every type, and conversion to and from `.npy`.

use std::fs;

use ndarray::{Array, Array1, Array2, Array3, ArrayD, ShapeBuilder, arr0, array, s};
use npy_core::dtype::ByteOrder;
use npy_core::half::{bf16, f16};
use npy_core::num_complex::Complex;
use npy_core::rawarray::{self, RaArray, RaHeader, RaKind};
use npy_core::types::{FixedUnicode, FixedVoid, Void};
use npy_core::{DynValues, ErrorKind, Limits, NpyElement, NpyRecord, Order};
use npy_ndarray::{ReadNpyExt, ReadOptions, ReadRaExt, WriteRaExt};

use crate::support::scratch;
use crate::support::{
    data,
    ra::{KINDS, file_of, pseudo_random, samples},
};

#[test]
fn the_samples_of_the_format_are_read_and_written_back_byte_for_byte() {
    for (name, bytes) in samples() {
        let array = RaArray::load(data("rawarray").join(&name)).unwrap();
        let mut written = Vec::new();
        array.write(&mut written).unwrap();
        assert_eq!(written, bytes, "{name}");
        assert_eq!(RaArray::read(&bytes[..]).unwrap(), array, "{name}");
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("array.ra");
        array.save(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name}");
        // To .npy and back: neither dimensions, nor order, nor values change.
        let npy = directory.path().join("array.npy");
        array.clone().into_values().save(&npy).unwrap();
        let back = RaArray::try_from(DynValues::load(&npy).unwrap()).unwrap();
        assert_eq!(back, array.decompressed(), "{name}");
    }
    assert_eq!(samples().len(), 16);
}

#[test]
fn the_samples_hold_what_their_makers_say() {
    let load = |name: &str| data("rawarray").join(name);
    // What the format's C demo prints: i, -1/i.
    let test = Array2::<Complex<f32>>::load_ra(load("test.ra")).unwrap();
    assert_eq!(test.shape(), [3, 4]);
    for (i, value) in test.t().iter().enumerate() {
        assert_eq!(*value, Complex::new(i as f32, -1.0 / i as f32), "{i}");
    }
    assert_eq!(test[[2, 1]], Complex::new(5.0, -0.2));
    // Numbers from 0 to 99, and uniform ones from 0 to 1.
    let numbers = Array2::<i64>::load_ra(load("rand100.ra")).unwrap();
    assert_eq!((numbers.dim(), numbers[[0, 0]], numbers[[1, 0]], numbers[[2, 0]]), ((8, 8), 0x32, 0x27, 0x17));
    assert!(numbers.iter().all(|number| (0..=100).contains(number)));
    assert!(Array2::<f16>::load_ra(load("randf16.ra")).unwrap().iter().all(|x| (0.0..=1.0).contains(&x.to_f32())));
    assert!(Array2::<f32>::load_ra(load("randf32.ra")).unwrap().iter().all(|x| (0.0..1.0).contains(x)));
    assert!(Array2::<f64>::load_ra(load("randf64.ra")).unwrap().iter().all(|x| (0.0..1.0).contains(x)));
    let phantom = Array2::<f64>::load_ra(load("shepplogan.ra")).unwrap();
    assert_eq!(phantom.dim(), (256, 256));
    // The compressed images are those that are not.
    for (image, dim) in [("cifar_airplane", (32, 32, 3)), ("mnist_8", (28, 28, 3))] {
        let plain = Array3::<u8>::load_ra(load(&format!("{image}.ra"))).unwrap();
        assert_eq!(plain.dim(), dim);
        assert_eq!(Array3::<u8>::load_ra(load(&format!("{image}_z.ra"))).unwrap(), plain);
        let compressed = RaArray::load(load(&format!("{image}_z.ra"))).unwrap();
        assert_eq!((compressed.header().flags(), compressed.header().is_compressed()), (2, true));
        let mut written = Vec::new();
        compressed.decompressed().write(&mut written).unwrap();
        assert_eq!(written, fs::read(load(&format!("{image}.ra"))).unwrap());
    }
}

#[test]
fn every_type_in_both_byte_orders_comes_back_byte_for_byte() {
    for (kind, element_bytes, little) in KINDS {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            for dims in [&[][..], &[0], &[5], &[3, 4], &[2, 3, 2], &[0, 7], &[1, 4, 1]] {
                for metadata in [&b""[..], b"{\"station\": \"GRF\"}"] {
                    let file = file_of(*kind, *element_bytes, order, dims, metadata);
                    let array = RaArray::read(&file[..]).unwrap();
                    assert_eq!((array.header().kind(), array.header().element_bytes()), (*kind, *element_bytes));
                    assert_eq!((array.header().dims(), array.header().byte_order()), (dims, order));
                    let descr = if order == ByteOrder::Big { little.replace('<', ">") } else { (*little).to_owned() };
                    assert_eq!(array.values().dtype().to_string(), descr);
                    assert_eq!(array.metadata(), metadata);
                    let mut written = Vec::new();
                    array.write(&mut written).unwrap();
                    assert_eq!(written, file, "{kind:?} {element_bytes} {order:?} {dims:?}");
                    // Compressed by this library, and read again.
                    let mut compressed = Vec::new();
                    array.clone().compressed().unwrap().write(&mut compressed).unwrap();
                    let compressed = RaArray::read(&compressed[..]).unwrap();
                    assert!(compressed.header().is_compressed());
                    assert_eq!(compressed.decompressed(), array);
                    // Of an .npy file with such elements the same file is made, where the dtype
                    // says everything.
                    let made = RaArray::try_from(array.clone().into_values()).unwrap();
                    if made.header().kind() == *kind && (made.header().flags() == array.header().flags()) {
                        assert_eq!(made.with_metadata(metadata), array);
                    } else {
                        assert!(*element_bytes == 1 || array.values().dtype().to_string().contains("|V"), "{descr}");
                    }
                }
            }
        }
    }
}

/// Saves a slice and reads it; also in the other byte order.
fn round_trip<T: NpyElement + PartialEq + Clone + std::fmt::Debug>(items: &[T], kind: RaKind) {
    let mut file = Vec::new();
    rawarray::write(&mut file, items).unwrap();
    let header = RaHeader::parse(&file).unwrap().0;
    assert_eq!((header.kind(), header.dims()), (kind, &[items.len()][..]));
    assert_eq!(rawarray::read::<T>(&file[..]).unwrap(), items);
    let path = scratch("items.ra");
    rawarray::save(&path, items).unwrap();
    assert_eq!(fs::read(&path).unwrap(), file);
    assert_eq!(rawarray::load::<T>(&path).unwrap(), items);
    assert_eq!(RaArray::load(&path).unwrap().to_vec::<T>().unwrap(), items);
    assert_eq!(Array1::<T>::load_ra(&path).unwrap().to_vec(), items);

    let dtype = T::dtype().with_byte_order(ByteOrder::Big);
    let mut npy = Vec::new();
    let header = npy_core::Header::new(dtype, Order::C, &[items.len()]).unwrap();
    let mut writer = npy_core::NpyWriter::with_header(&mut npy, &header).unwrap();
    writer.write_slice(items).unwrap();
    writer.finish().unwrap();
    let big = RaArray::try_from(DynValues::read(&npy[..]).unwrap()).unwrap();
    let mut file = Vec::new();
    big.write(&mut file).unwrap();
    assert_eq!(rawarray::read::<T>(&file[..]).unwrap(), items, "{file:?}");
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Packed {
    id: u16,
    time: f64,
    name: FixedUnicode<3>,
    axes: [f32; 2],
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
#[npy(align)]
struct Aligned {
    id: u8,
    time: f64,
}

#[test]
fn slices_of_every_type() {
    round_trip(&[1_i8, -2], RaKind::Signed);
    round_trip(&[1_i16, -2], RaKind::Signed);
    round_trip(&[1_i32, -2], RaKind::Signed);
    round_trip(&[1_i64, -2], RaKind::Signed);
    round_trip(&[1_u8, 2], RaKind::Unsigned);
    round_trip(&[1_u16, 2], RaKind::Unsigned);
    round_trip(&[1_u32, 2], RaKind::Unsigned);
    round_trip(&[1_u64, 2], RaKind::Unsigned);
    round_trip(&[f16::from_f32(0.5), f16::MAX], RaKind::Float);
    round_trip(&[0.5_f32, 1.5], RaKind::Float);
    round_trip(&[0.5_f64, 1.5], RaKind::Float);
    round_trip(&[Complex::new(0.5_f32, 1.5)], RaKind::ComplexFloat);
    round_trip(&[Complex::new(0.5_f64, 1.5)], RaKind::ComplexFloat);
    round_trip(&[bf16::from_f32(0.5), bf16::MAX], RaKind::BrainFloat);
    round_trip(&[true, false], RaKind::User);
    round_trip(&[FixedVoid(*b"abcde")], RaKind::User);
    round_trip::<f64>(&[], RaKind::Float);
    let packed = Packed { id: 7, time: 0.5, name: FixedUnicode::new("Ada").unwrap(), axes: [1.0, 2.0] };
    assert_eq!(Packed::dtype().itemsize(), 2 + 8 + 12 + 8);
    round_trip(&[packed.clone(), packed], RaKind::User);
    assert_eq!(Aligned::dtype().itemsize(), 16);
    round_trip(&[Aligned { id: 1, time: 0.5 }, Aligned { id: 2, time: 1.5 }], RaKind::User);
}

#[test]
fn user_defined_elements_convert_only_to_matching_types() {
    let mut file = Vec::new();
    rawarray::write(&mut file, &[Aligned { id: 1, time: 0.5 }]).unwrap();
    let array = RaArray::read(&file[..]).unwrap();
    assert_eq!(array.values().dtype().to_string(), "|V16");
    assert_eq!(array.to_vec::<Void>().unwrap()[0].len(), 16);
    // Another number of bytes, and a type that has a code of its own.
    assert_eq!(array.to_vec::<Packed>().unwrap_err().kind(), ErrorKind::Mismatch);
    assert_eq!(array.to_vec::<Complex<f64>>().unwrap_err().kind(), ErrorKind::Mismatch);
    let named = array.clone().with_dtype(Aligned::dtype()).unwrap();
    assert_eq!(named.values().field_as::<f64>("time").unwrap(), [0.5]);
    assert_eq!(named.to_vec::<Aligned>().unwrap(), [Aligned { id: 1, time: 0.5 }]);
    let mut written = Vec::new();
    named.write(&mut written).unwrap();
    assert_eq!(written, file);
    // A record array of .npy keeps its dtype until it is written.
    let made = RaArray::try_from(named.clone().into_values()).unwrap();
    assert_eq!(made, named);
}

#[test]
fn named_elements_have_the_byte_order_of_the_file() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let mut npy = Vec::new();
        let header = npy_core::Header::new(Aligned::dtype().with_byte_order(order), Order::C, &[1]).unwrap();
        let mut writer = npy_core::NpyWriter::with_header(&mut npy, &header).unwrap();
        writer.push(&Aligned { id: 7, time: 0.5 }).unwrap();
        writer.finish().unwrap();
        let mut file = Vec::new();
        RaArray::try_from(DynValues::read(&npy[..]).unwrap()).unwrap().write(&mut file).unwrap();
        let named = RaArray::read(&file[..]).unwrap().with_dtype(Aligned::dtype()).unwrap();
        assert_eq!((named.header().byte_order(), named.values().field_as::<f64>("time").unwrap()), (order, vec![0.5]));
        assert_eq!(named.to_vec::<Aligned>().unwrap(), [Aligned { id: 7, time: 0.5 }]);
    }
}

#[test]
fn text_has_the_width_of_the_longest_and_is_read_by_it() {
    let mut file = Vec::new();
    rawarray::write(&mut file, &["Ada".to_owned(), "Bo".to_owned()]).unwrap();
    let header = RaHeader::parse(&file).unwrap().0;
    assert_eq!((header.kind(), header.element_bytes()), (RaKind::User, 12));
    let names = rawarray::read::<FixedUnicode<3>>(&file[..]).unwrap();
    assert_eq!(names, [FixedUnicode::new("Ada").unwrap(), FixedUnicode::new("Bo").unwrap()]);
    // The width of a `String` is that of the file, and there the file does not say that it is text.
    assert_eq!(rawarray::read::<String>(&file[..]).unwrap_err().kind(), ErrorKind::Mismatch);
    let named = RaArray::read(&file[..]).unwrap().with_dtype(FixedUnicode::<3>::dtype()).unwrap();
    assert_eq!(named.to_vec::<String>().unwrap(), ["Ada", "Bo"]);
}

#[test]
fn arrays_in_both_orders_are_in_order_c_as_numpy_has_it() {
    for shape in [&[3][..], &[1, 3], &[3, 1], &[0, 2]] {
        let bytes = pseudo_random(shape.iter().product());
        let values = DynValues::new("|u1".parse().unwrap(), Order::Fortran, shape, bytes.clone()).unwrap();
        let array = RaArray::try_from(values).unwrap();
        assert_eq!((array.values().order(), array.values().bytes()), (Order::C, &bytes[..]));
        assert_eq!(array.header().dims(), shape);
    }
}

#[test]
fn each_element_of_an_array_keeps_its_index() {
    let c = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (i * 100 + j * 10 + k) as u16);
    let fortran = Array3::from_shape_fn((2, 3, 4).f(), |(i, j, k)| (i * 100 + j * 10 + k) as u16);
    let mut file = Vec::new();
    c.write_ra(&mut file).unwrap();
    let data_offset = RaHeader::parse(&file).unwrap().1;
    // The first axis is the fastest: 000, 100, 010, 110, …
    assert_eq!(file[data_offset..][..8], [0_u16, 100, 10, 110].map(u16::to_ne_bytes).concat());
    let mut other = Vec::new();
    fortran.write_ra(&mut other).unwrap();
    assert_eq!(other, file);
    let read = Array3::<u16>::read_ra(&file[..]).unwrap();
    assert_eq!((&read, read.strides()), (&c, [1, 2, 6].as_slice()));
    let in_c = Array3::<u16>::read_ra_with(&file[..], ReadOptions::new().order(Order::C)).unwrap();
    assert_eq!((&in_c, in_c.strides()), (&c, [12, 4, 1].as_slice()));
    assert_eq!(ArrayD::<u16>::read_ra(&file[..]).unwrap(), c.clone().into_dyn());
    // Slices, reversed and permuted.
    for view in [c.slice(s![.., ..;-1, 1..;2]), c.view().permuted_axes([2, 0, 1]), c.slice(s![1.., .., ..0])] {
        let mut file = Vec::new();
        view.write_ra(&mut file).unwrap();
        assert_eq!(Array3::<u16>::read_ra(&file[..]).unwrap(), view);
    }
    let mut scalar = Vec::new();
    arr0(7_u8).write_ra(&mut scalar).unwrap();
    assert_eq!(scalar.len(), 49);
    assert_eq!(Array::<u8, ndarray::Ix0>::read_ra(&scalar[..]).unwrap(), arr0(7));
    // Through .npy, in either order.
    let path = scratch("array.npy");
    for order in [Order::Fortran, Order::C] {
        let values = RaArray::read(&file[..]).unwrap().into_values().into_order(order).unwrap();
        values.save(&path).unwrap();
        assert_eq!(Array3::<u16>::load_npy(&path).unwrap(), c);
        let mut back = Vec::new();
        RaArray::try_from(DynValues::load(&path).unwrap()).unwrap().write(&mut back).unwrap();
        assert_eq!(back, file);
    }
}

#[test]
fn elements_of_any_width_change_their_order_and_back() {
    for itemsize in [0_usize, 1, 2, 3, 4, 5, 8, 12, 16, 17, 32] {
        for shape in [&[][..], &[4], &[3, 5], &[1, 4], &[2, 3, 4], &[70, 65], &[0, 4], &[2, 1, 3, 2]] {
            let count: usize = shape.iter().product();
            let bytes = pseudo_random(count * itemsize);
            let dtype: npy_core::DType = format!("|V{itemsize}").parse().unwrap();
            let values = DynValues::new(dtype, Order::C, shape, bytes.clone()).unwrap();
            let moved = values.clone().into_order(Order::Fortran).unwrap();
            // Where both orders are the same, NumPy calls it C.
            let is_same = itemsize == 0 || shape.contains(&0) || shape.iter().filter(|length| **length > 1).count() < 2;
            let order = if is_same { Order::C } else { Order::Fortran };
            assert_eq!((moved.order(), moved.shape(), moved.dtype()), (order, shape, values.dtype()));
            if itemsize > 0 {
                let ours = ArrayD::from_shape_vec(shape, bytes.chunks(itemsize).map(<[u8]>::to_vec).collect()).unwrap();
                let expected: Vec<u8> = ours.t().iter().flatten().copied().collect();
                assert_eq!(moved.bytes(), expected, "{itemsize} {shape:?}");
            }
            assert_eq!(moved.into_order(Order::C).unwrap(), values);
        }
    }
}

#[test]
fn arrays_of_arrays_have_more_dimensions() {
    let mut file = Vec::new();
    rawarray::write(&mut file, &[[1_u16, 2, 3], [4, 5, 6]]).unwrap();
    assert_eq!(Array2::<u16>::read_ra(&file[..]).unwrap(), array![[1, 2, 3], [4, 5, 6]]);
    assert!(rawarray::read::<u16>(&file[..]).unwrap_err().kind() == ErrorKind::WrongShape);
    assert_eq!(rawarray::read::<[u16; 3]>(&file[..]).unwrap(), [[1, 2, 3], [4, 5, 6]]);
    let records = [[[1_u8, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]];
    let mut file = Vec::new();
    rawarray::write(&mut file, &records).unwrap();
    assert_eq!(rawarray::read::<[[u8; 2]; 3]>(&file[..]).unwrap(), records);
    assert!(rawarray::read::<[u8; 2]>(&file[..]).is_err());
}

#[test]
fn a_stream_is_left_behind_the_elements_and_metadata_can_be_bounded() {
    let mut file = Vec::new();
    RaArray::try_from(DynValues::from_slice(&[1_u8, 2]).unwrap()).unwrap().with_metadata(*b"metadata").write(&mut file).unwrap();
    let mut stream = &file[..];
    assert_eq!(rawarray::read::<u8>(&mut stream).unwrap(), [1, 2]);
    assert_eq!(stream, b"metadata");
    let mut stream = &file[..];
    assert_eq!(Array1::<u8>::read_ra(&mut stream).unwrap(), array![1, 2]);
    assert_eq!(stream, b"metadata");
    assert_eq!(RaArray::read_with(&file[..], Limits::new().metadata_bytes(8)).unwrap().metadata(), b"metadata");
    let error = RaArray::read_with(&file[..], Limits::new().metadata_bytes(7)).unwrap_err();
    insta::assert_snapshot!(error, @"limit exceeded: expected at most 7 bytes of metadata, found 8; raise it with `Limits` if the file is trusted");
    // A stream without an end.
    let endless = std::io::Read::chain(&file[..58], std::io::repeat(0));
    let error = RaArray::read_with(endless, Limits::new().metadata_bytes(1 << 20)).unwrap_err();
    assert!(error.to_string().contains("at most 1048576 bytes of metadata, found 1048577; "), "{error}");
}
