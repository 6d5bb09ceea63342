//! Memory-mapped files: the four modes of `open_memmap`, several processes, and rejected files.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::Command;

use ndarray::{Array2, ArrayD, ArrayView2, Axis, Ix0, Ix1, Ix2, IxDyn, ShapeBuilder};
use npy_core::half::f16;
use npy_core::num_complex::Complex;
use npy_core::rawarray::{RaArray, RaMap, RaMapMut};
use npy_core::region::row_range;
use npy_core::{DynValues, ErrorKind, Header, Limits, NpyElement, NpyMap, NpyMapMut, NpyReader, NpyRecord, Order};
use npy_ndarray::{MapMutNpyExt, MapNpyExt, ReadRaExt, ViewNpyExt, WriteNpyExt, WriteRaExt};

use crate::support::numpy::numpy;
use crate::support::{announce, data, file_with_header, files_below, ra::samples, scratch};

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(view)]
#[repr(C)]
struct Sample {
    time: f64,
    values: [f32; 2],
}

/// Maps a file that nobody else knows.
fn map(path: impl AsRef<Path>) -> npy_core::Result<NpyMap> {
    // SAFETY: nobody else changes or cuts the tests' files while they are mapped.
    unsafe { NpyMap::open(path) }
}

/// [`map`], to be changed.
fn map_mut(path: impl AsRef<Path>) -> npy_core::Result<NpyMapMut> {
    // SAFETY: as in `map`; who shares a file takes rows of their own.
    unsafe { NpyMapMut::open(path) }
}

fn map_copy(path: impl AsRef<Path>) -> npy_core::Result<NpyMapMut> {
    // SAFETY: as in `map`.
    unsafe { NpyMapMut::open_copy(path) }
}

fn create(path: impl AsRef<Path>, descr: &str, order: Order, shape: &[usize]) -> npy_core::Result<NpyMapMut> {
    let header = Header::new(descr.parse().unwrap(), order, shape).unwrap();
    // SAFETY: as in `map`.
    unsafe { NpyMapMut::create(path, &header) }
}

/// An error without the name of its file, which is another one every time.
fn message<T>(result: npy_core::Result<T>, path: &Path) -> String {
    let error = result.map(|_| ()).unwrap_err();
    assert_eq!(error.path(), Some(path));
    format!("{error:#}").replacen(&format!("{}: ", path.display()), "", 1)
}

#[test]
fn the_four_modes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.npy");
    fs::write(&path, "what stood there before").unwrap();

    let mut created = create(&path, "<f8", Order::C, &[4, 2]).unwrap();
    assert_eq!(created.view::<f64>().unwrap(), [0.0; 8]);
    created.view_mut::<f64>().unwrap()[7] = 7.0;
    created.flush_async().unwrap();
    created.flush().unwrap();
    assert_eq!((created.data_offset(), created.bytes().len(), created.file_bytes().len()), (128, 64, 192));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "the temporary file is gone");
    drop(created);

    let mut changed = map_mut(&path).unwrap();
    changed.rows_mut::<f64>(1..3).unwrap().fill(1.5);
    changed.bytes_mut()[..8].copy_from_slice(&2.0_f64.to_le_bytes());
    drop(changed);

    let expected = [2.0, 0.0, 1.5, 1.5, 1.5, 1.5, 0.0, 7.0];
    let before = fs::read(&path).unwrap();
    let mut copy = map_copy(&path).unwrap();
    copy.view_mut::<f64>().unwrap().reverse();
    copy.flush().unwrap();
    copy.flush_async().unwrap();
    assert_eq!(copy.view::<f64>().unwrap()[0], 7.0);
    drop(copy);
    assert_eq!(fs::read(&path).unwrap(), before, "a copy never reaches the file");

    let read = map(&path).unwrap();
    assert_eq!(read.view::<f64>().unwrap(), expected);
    let file = read.file_bytes();
    assert_eq!(file, before);
    assert_eq!(npy_core::view::<f64>(file).unwrap(), expected);
    assert_eq!(ArrayView2::<f64>::view_npy(file).unwrap().dim(), (4, 2));
    assert_eq!(NpyReader::from_bytes(file).unwrap().into_vec::<f64>().unwrap(), expected);
    assert!(format!("{read:?}").starts_with("Map { header: "));
}

/// What `create` makes is what `open_memmap` makes, and a map of the replaced file still shows
/// that.
#[test]
fn created_files_equal_those_of_open_memmap() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.npy");
    npy_core::save(&path, &[1_u8, 2, 3]).unwrap();
    let old = map(&path).unwrap();
    let Some(numpy) = numpy("created_files_equal_those_of_open_memmap") else { return };
    let sample = Sample::dtype().to_string();
    for (descr, order, shape) in [
        ("'<f8'", Order::C, "(3, 4)"),
        ("'<f8'", Order::Fortran, "(3, 4)"),
        ("'<i2'", Order::C, "(7,)"),
        ("'<i2'", Order::Fortran, "(7,)"),
        ("'|u1'", Order::C, "()"),
        ("'<f4'", Order::C, "(0, 3)"),
        ("'>f4'", Order::Fortran, "(2, 3, 4)"),
        (&sample, Order::C, "(5,)"),
    ] {
        let dtype = descr.trim_matches('\'');
        let lengths: Vec<_> = shape.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
        drop(create(&path, dtype, order, &lengths).unwrap());
        let arguments = ["records.py", "memmap", path.to_str().unwrap(), descr, &format!("{order:?}"), shape];
        numpy.run(arguments, b"");
        // What open_memmap made and filled.
        let map = map(&path).unwrap();
        assert_eq!(map.header(), &Header::new(dtype.parse().unwrap(), order, &lengths).unwrap());
        assert!((0..).zip(map.bytes()).all(|(i, &byte)| i == byte), "{descr}");
        if descr == sample {
            assert_eq!(map.view::<Sample>().unwrap()[1].time, f64::from_le_bytes([16, 17, 18, 19, 20, 21, 22, 23]));
        }
    }
    assert_eq!(old.view::<u8>().unwrap(), [1, 2, 3], "what was replaced lives as long as it is mapped");
}

/// Every file in tests/data is mapped as it is read.
#[test]
fn files_of_every_numpy_are_mapped() {
    let (mut mapped, mut refused) = (0, 0);
    for path in files_below(&data(""), ".npy") {
        let bytes = fs::read(&path).unwrap();
        let map = map(&path);
        match Header::parse(&bytes) {
            Ok((header, _)) if header.dtype().has_object() => {
                assert!(map.unwrap_err().kind() == ErrorKind::ObjectArray, "{path:?}");
                refused += 1;
            }
            Ok((header, begin)) if bytes.len() < begin + header.data_bytes() as usize => {
                assert!(map.unwrap_err().kind() == ErrorKind::Truncated, "{path:?}");
                refused += 1;
            }
            Ok((header, begin)) => {
                let map = map.unwrap();
                assert_eq!((map.header(), map.data_offset()), (&header, begin));
                assert_eq!(map.bytes(), &bytes[begin..][..header.data_bytes() as usize], "{path:?}");
                mapped += 1;
            }
            Err(error) => {
                assert_eq!(message(map, &path), error.to_string());
                refused += 1;
            }
        }
    }
    announce(&format!("{mapped} files of NumPy's mapped, {refused} refused"));
    assert!(mapped > 1000 && refused > 10);

    let doubles = |file: &str| map(data(file)).unwrap().view::<f64>().map(<[f64]>::to_vec);
    assert_eq!(doubles("numpy-1.6.2-py2.7/f8_le.npy").unwrap().len(), 13);
    let error = doubles("numpy-1.11.3-py2.7/version_2_plain.npy").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotViewable);
    let message = "misaligned data: expected an address that is a multiple of 8, found remainder 2; read a copy";
    assert!(error.message().starts_with(message), "{error}");
    let path = data("numpy-1.11.3-py2.7/version_2_plain.npy");
    let copy: Vec<f64> = NpyReader::from_bytes(map(&path).unwrap().file_bytes()).unwrap().into_vec().unwrap();
    assert_eq!(copy, npy_core::load::<f64>(&path).unwrap());
}

#[test]
fn records_are_columns_in_place() {
    let path = scratch("samples.npy");
    let mut map = create(&path, &Sample::dtype().to_string(), Order::C, &[100]).unwrap();
    for (i, sample) in map.view_mut::<Sample>().unwrap().iter_mut().enumerate() {
        *sample = Sample { time: i as f64, values: [1.0, i as f32] };
    }
    drop(map);
    let map = map_copy(&path).unwrap();
    let samples = map.view::<Sample>().unwrap();
    assert_eq!(samples.iter().map(|sample| sample.time).sum::<f64>(), 4950.0);
    assert_eq!(samples.iter().map(|sample| sample.values[1]).sum::<f32>(), 4950.0);
    assert_eq!(map.array::<Sample, Ix1>().unwrap()[7].values, [1.0, 7.0]);
    assert_eq!(npy_core::load::<Sample>(&path).unwrap()[99].time, 99.0);
    assert_eq!(map.view::<u8>().unwrap_err().kind(), ErrorKind::Mismatch);
}

#[test]
fn both_orders_are_arrays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("matrix.npy");
    for order in [Order::C, Order::Fortran] {
        let values = Array2::from_shape_fn((3, 5), |(i, k)| (i * 10 + k) as f64);
        let mut map = create(&path, "<f8", order, &[3, 5]).unwrap();
        map.array_mut::<f64, Ix2>().unwrap().assign(&values);
        assert_eq!(map.array::<f64, Ix2>().unwrap(), values);
        assert_eq!(map.array::<f64, IxDyn>().unwrap(), values.view().into_dyn());
        assert_eq!(map.row_count(), if order == Order::C { 3 } else { 5 });
        let axis = Axis(usize::from(order == Order::Fortran));
        let second = map.array_rows::<f64, Ix2>(1..3).unwrap();
        assert_eq!(second, values.slice_axis(axis, (1..3).into()));
        assert_eq!(second.iter().count(), map.rows::<f64>(1..3).unwrap().len());
        assert_eq!(map.array_rows::<f64, Ix2>(1..1).unwrap().len(), 0);
        map.array_rows_mut::<f64, Ix2>(0..1).unwrap().fill(-1.0);
        assert_eq!(map.array::<f64, Ix2>().unwrap().index_axis(axis, 0).sum(), if order == Order::C { -5.0 } else { -3.0 });
        assert_eq!(map.array::<f64, Ix1>().unwrap_err().kind(), ErrorKind::WrongShape);
        assert_eq!(map.array_mut::<f64, Ix1>().unwrap_err().kind(), ErrorKind::WrongShape);
        assert_eq!(map.array_rows::<f64, Ix2>(0..9).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    let (number, empty) = (directory.path().join("number.npy"), directory.path().join("empty.npy"));
    ndarray::arr0(5_i64).save_npy(&number).unwrap();
    Array2::<f32>::zeros((0, 3).f()).save_npy(&empty).unwrap();
    let (number, empty) = (map(&number).unwrap(), map(&empty).unwrap());
    assert_eq!(number.array::<i64, Ix0>().unwrap().into_scalar(), &5);
    assert_eq!((number.row_count(), number.rows::<i64>(0..1).unwrap()), (1, &[5_i64][..]));
    assert_eq!(number.array_rows::<i64, Ix0>(0..1).unwrap_err().kind(), ErrorKind::WrongShape);
    assert_eq!((empty.row_count(), empty.view::<f32>().unwrap().len()), (0, 0));
    assert_eq!(empty.array_rows::<f32, Ix2>(0..0).unwrap().dim(), (0, 3));
    assert_eq!(map_copy(data("numpy-1.11.3-py2.7/shape_2x0.npy")).unwrap().rows::<i32>(1..2).unwrap().len(), 0);
}

#[test]
fn rows_are_split_among_threads() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("matrix.npy");
    for (order, shape) in [(Order::C, [10, 3]), (Order::Fortran, [3, 10])] {
        for n in [0, 1, 4, 10, 25] {
            let mut map = create(&path, "<u4", order, &shape).unwrap();
            std::thread::scope(|scope| {
                let blocks = map.split_rows_mut::<u32>(n).unwrap();
                assert_eq!(blocks.len(), n);
                for (i, block) in (1..).zip(blocks) {
                    scope.spawn(move || block.fill(i));
                }
            });
            for i in 0..n {
                let rows = map.rows::<u32>(row_range(10, i, n)).unwrap();
                assert_eq!(rows.len(), 3 * row_range(10, i, n).len());
                assert!(rows.iter().all(|&item| item as usize == i + 1));
            }
            assert_eq!(map.view::<u32>().unwrap().contains(&0), n == 0);
        }
    }
    let mut map = map_mut(&path).unwrap();
    assert!(map.split_rows_mut::<u32>(usize::MAX).unwrap_err().kind() == ErrorKind::OutOfMemory);
    assert_eq!(map.split_rows_mut::<u64>(2).unwrap_err().kind(), ErrorKind::Mismatch);
    #[expect(clippy::reversed_empty_ranges, reason = "it is refused")]
    let reversed = message(map.rows::<u32>(3..2), &path);
    insta::assert_snapshot!(reversed, @"invalid region along axis 1: expected a range that starts before its end, found 3..2");
    insta::assert_snapshot!(message(map.rows_mut::<u32>(9..11), &path), @"invalid region along axis 1: expected a range within 0..10, found 9..11");
    assert_eq!(map.rows::<u32>(10..10).unwrap(), [0; 0]);
}

/// Only what a slice shows is checked, so that what others fill is not looked at.
#[test]
fn values_are_checked_in_the_rows_alone() {
    let path = scratch("flags.npy");
    let mut map = create(&path, "|b1", Order::C, &[4, 2]).unwrap();
    map.bytes_mut()[5] = 2;
    assert_eq!(map.rows_mut::<bool>(0..2).unwrap(), [false; 4]);
    assert_eq!(map.rows::<bool>(3..4).unwrap(), [false; 2]);
    for result in [map.view::<bool>(), map.rows::<bool>(1..3)] {
        assert_eq!(result.unwrap_err().element(), Some(5));
    }
}

#[test]
fn created_files_are_sparse() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("big.npy");
    let mut map = create(&path, "<f8", Order::C, &[1 << 20, 1 << 10]).unwrap();
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!(metadata.len(), 128 + (8 << 30));
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        assert!(metadata.blocks() * 512 <= 1 << 16, "{} blocks", metadata.blocks());
        map.rows_mut::<f64>(1 << 19..(1 << 19) + 1).unwrap().fill(1.0);
        map.flush().unwrap();
        let blocks = fs::metadata(&path).unwrap().blocks();
        assert!(blocks > 0 && blocks * 512 <= 1 << 20, "{blocks} blocks");
    }
    assert_eq!(map.rows::<f64>((1 << 20) - 1..1 << 20).unwrap(), [0.0; 1 << 10]);
    // More than any disk has: what stood there stays.
    let before = fs::metadata(&path).unwrap().len();
    let kind = create(&path, "|u1", Order::C, &[isize::MAX as usize - 64]).unwrap_err().kind();
    assert_eq!(kind, ErrorKind::TooLarge);
    let kind = create(&path, "|u1", Order::C, &[isize::MAX as usize / 2]).unwrap_err().kind();
    assert_eq!(kind, ErrorKind::Io);
    assert_eq!(fs::metadata(&path).unwrap().len(), before);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn files_that_cannot_be_mapped() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.npy");
    let opened = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let messages = [message(map(&path), &path), message(map_mut(&path), &path), message(map_copy(&path), &path)];
        assert!(messages.iter().all(|other| *other == messages[0]));
        assert_eq!(fs::read(&path).unwrap(), bytes);
        messages[0].clone()
    };
    let with_shape = |shape: &str, data: &[u8]| {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        file_with_header(1, header.as_bytes(), data)
    };
    insta::assert_snapshot!(opened(b""), @"not an .npy file: the input is empty");
    insta::assert_snapshot!(opened(b"PK\x03\x04\x14\0\0\0"), @r#"not an .npy file: expected "\x93NUMPY", found "PK\x03\x04\x14\x00\x00\x00", an .npz archive; open it with `NpzReader` (feature `npz`)"#);
    insta::assert_snapshot!(opened(&with_shape("(2,)", &[0; 15])), @"truncated file: the array needs 16 bytes at offset 68, found 15");
    insta::assert_snapshot!(opened(&with_shape("(1152921504606846975,)", &[0; 8])), @"array too large: shape (1152921504606846975,) with 8 bytes per element overflows the address space");
    insta::assert_snapshot!(opened(&with_shape("(4294967296, 4294967296)", &[0; 8])), @"array too large: shape (4294967296, 4294967296) with 8 bytes per element overflows the address space");
    let objects = file_with_header(1, b"{'descr': '|O', 'fortran_order': False, 'shape': (3,), }\n", &[0; 64]);
    assert!(opened(&objects).starts_with("unsupported dtype 'O'"));
    let kind = create(&path, "|O", Order::C, &[2]).unwrap_err().kind();
    assert_eq!(kind, ErrorKind::ObjectArray);
    assert_eq!(fs::read(&path).unwrap(), objects);

    fs::write(&path, with_shape("(2,)", &[0; 16])).unwrap();
    let limits = Limits::new().data_bytes(15);
    // SAFETY: nobody else knows the file.
    let results = unsafe {
        [
            NpyMap::open_with(&path, limits).err(),
            NpyMapMut::open_with(&path, limits).err(),
            NpyMapMut::open_copy_with(&path, limits).err(),
        ]
    };
    assert!(results.iter().flatten().filter(|error| error.kind() == ErrorKind::LimitExceeded).count() == 3);
    insta::assert_snapshot!(message(map(&path).unwrap().view::<f32>(), &path), @"cannot read f32: expected dtype <f4, found <f8; `f64` reads it; `DynValues::cast` (feature `dynamic`) converts it, or in Python `.astype('<f4')`");

    let directory = directory.path();
    insta::assert_snapshot!(message(map(directory), directory), @"cannot map the file: is a directory");
    insta::assert_snapshot!(message(map_mut(directory), directory), @"cannot map the file: is a directory");
    insta::assert_snapshot!(message(create(directory, "<f8", Order::C, &[2]), directory), @"cannot map the file: is a directory");
    let nothing = directory.join("nothing.npy");
    insta::assert_snapshot!(message(map_mut(&nothing), &nothing), @"cannot open the file: No such file or directory (os error 2)");
    assert!(!nothing.exists());
    let nowhere = nothing.join("array.npy");
    assert!(create(&nowhere, "<f8", Order::C, &[2]).unwrap_err().kind() == ErrorKind::Io);
}

/// Neither waits for somebody to write into the pipe.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_mapped() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe.npy");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [&pipe, Path::new("/dev/null")] {
        for result in [map(path).err(), map_mut(path).err(), map_copy(path).err(), create(path, "<f8", Order::C, &[2]).err()] {
            let error = format!("{:#}", result.unwrap());
            assert!(error.ends_with("expected a regular file, found a pipe or a device"), "{error}");
        }
    }
}

/// Every sample and every type: what is mapped is what is read.
#[test]
fn ra_files_are_mapped() {
    fn check<T: npy_core::NpyView + Clone + PartialEq + std::fmt::Debug>(path: &Path) -> usize {
        // SAFETY: as in `map`.
        let map = unsafe { RaMap::open(path) }.unwrap();
        let file = RaArray::load(path).unwrap();
        assert_eq!((map.header(), map.metadata(), map.bytes()), (file.header(), file.metadata(), file.values().bytes()));
        let Ok(items) = file.to_vec::<T>() else {
            assert!(map.view::<T>().is_err());
            return 0;
        };
        assert_eq!(map.array::<T, IxDyn>().unwrap(), ArrayD::<T>::load_ra(path).unwrap());
        assert_eq!(map.view::<T>().unwrap(), items);
        1
    }
    let (mut mapped, mut compressed) = (0, 0);
    for (name, _) in samples() {
        let path = data("rawarray").join(&name);
        if name.ends_with("_z.ra") {
            // SAFETY: as in `map`.
            let error = unsafe { RaMap::open(&path) }.map(drop).unwrap_err();
            assert!(error.to_string().ends_with("cannot map compressed data; `RaArray::load` reads them"), "{error}");
            compressed += 1;
            continue;
        }
        mapped += check::<i8>(&path) + check::<u8>(&path) + check::<i32>(&path) + check::<u32>(&path) + check::<i64>(&path);
        mapped += check::<f32>(&path) + check::<f64>(&path) + check::<Complex<f32>>(&path) + check::<Complex<f64>>(&path);
        mapped += check::<f16>(&path);
    }
    assert_eq!((mapped, compressed), (14, 2));
}

#[test]
fn ra_maps_are_changed_in_place() {
    let path = scratch("samples.ra");
    let samples = [Sample { time: 0.5, values: [1.0, 2.0] }, Sample { time: 1.5, values: [3.0, 4.0] }];
    let array = RaArray::try_from(DynValues::from_slice(&samples).unwrap()).unwrap().with_metadata(b"north".to_vec());
    array.save(&path).unwrap();
    // Records are elements of a user-defined type, which `T` names.
    // SAFETY: as in `map`.
    let mut copy = unsafe { RaMapMut::open_copy(&path) }.unwrap();
    copy.view_mut::<Sample>().unwrap()[0].time = 9.0;
    assert_eq!(copy.view::<Sample>().unwrap()[0].time, 9.0);
    // SAFETY: as in `map`.
    let mut map = unsafe { RaMapMut::open(&path) }.unwrap();
    assert_eq!(map.view::<Sample>().unwrap(), samples);
    assert!(map.view::<f64>().is_err());
    map.rows_mut::<Sample>(1..2).unwrap()[0].time = 2.5;
    assert!(map.rows_mut::<Sample>(1..3).is_err());
    map.flush().unwrap();
    let changed = RaArray::load(&path).unwrap();
    assert_eq!(changed.to_vec::<Sample>().unwrap()[1].time, 2.5);
    assert_eq!((changed.metadata(), map.metadata()), (&b"north"[..], &b"north"[..]));

    // Rows are those of the last axis.
    Array2::from_shape_fn((2, 3), |(i, j)| (i * 3 + j) as f64).save_ra(&path).unwrap();
    // SAFETY: as in `map`.
    let mut map = unsafe { RaMapMut::open(&path) }.unwrap();
    map.array_mut::<f64, Ix2>().unwrap()[[1, 0]] = 30.0;
    map.array_rows_mut::<f64, Ix2>(2..3).unwrap().fill(7.0);
    assert_eq!(map.rows::<f64>(0..1).unwrap(), [0.0, 30.0]);
    assert_eq!(Array2::<f64>::load_ra(&path).unwrap(), ndarray::array![[0.0, 1.0, 7.0], [30.0, 4.0, 7.0]]);
}

#[test]
fn ra_files_that_cannot_be_mapped() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.ra");
    let refuse = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        // SAFETY: as in `map`.
        let error = unsafe { RaMap::open(&path) }.map(drop).unwrap_err();
        assert_eq!(error.path(), Some(path.as_path()));
        // SAFETY: as in `map`.
        assert_eq!(unsafe { RaMapMut::open(&path) }.map(drop).unwrap_err().to_string(), error.to_string());
        error
    };
    let mut file = Vec::new();
    npy_core::rawarray::write(&mut file, &[1.5_f64, 2.5]).unwrap();
    assert!(refuse(&file[..file.len() - 1]).to_string().ends_with("the array needs 16 bytes at offset 56, found 15"));
    assert_eq!(refuse(&file[..50]).kind(), ErrorKind::Truncated);
    assert_eq!(refuse(b"").kind(), ErrorKind::WrongFormat);
    assert_eq!(refuse(&Header::new(f64::dtype(), Order::C, &[2]).unwrap().to_bytes()).kind(), ErrorKind::WrongFormat);
    fs::write(&path, &file).unwrap();
    // SAFETY: as in `map`.
    let error = unsafe { RaMap::open_with(&path, Limits::new().data_bytes(10)) }.map(drop).unwrap_err();
    assert!(error.kind() == ErrorKind::LimitExceeded);
    // SAFETY: as in `map`.
    assert!(unsafe { RaMap::open(directory.path()) }.map(drop).unwrap_err().kind() == ErrorKind::Io);
}

/// What a process does that one of the tests below starts.
#[test]
fn as_another_process() {
    let Ok(job) = std::env::var(JOB) else { return };
    let path = std::env::var_os(FILE).unwrap();
    match job.as_str() {
        "read-only" => {
            assert_eq!(map(&path).unwrap().view::<u8>().unwrap(), [1, 2]);
            map_copy(&path).unwrap().view_mut::<u8>().unwrap()[0] = 9;
            let error = map_mut(&path).unwrap_err();
            assert!(format!("{error:#}").contains("cannot open the file: Permission denied"), "{error}");
        }
        "shrink" => {
            let map = map(&path).unwrap();
            let last = map.file_bytes().last_chunk::<1>().unwrap();
            assert_eq!(std::hint::black_box(last), &[0]);
            OpenOptions::new().write(true).open(&path).unwrap().set_len(128).unwrap();
            assert_eq!(std::hint::black_box(last), &[0]);
        }
        i => {
            let i: usize = i.parse().unwrap();
            let mut map = map_mut(&path).unwrap();
            let rows = row_range(map.row_count(), i, PROCESSES);
            map.rows_mut::<u8>(rows).unwrap().fill(i as u8 + 1);
        }
    }
}

const JOB: &str = "NPY_TEST_JOB";
const FILE: &str = "NPY_TEST_FILE";
const PROCESSES: usize = 4;

/// This program, to run [`as_another_process`] alone.
fn another_process(job: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", &crate::support::child(module_path!(), "as_another_process"), "--nocapture"])
        .env(JOB, job)
        .env(FILE, path);
    command.stdout(std::process::Stdio::null());
    command
}

#[cfg(unix)]
#[test]
fn read_only_files_are_mapped_to_be_read() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    const NOBODY: u32 = 65534;

    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let path = directory.path().join("array.npy");
    npy_core::save(&path, &[1_u8, 2]).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let mut command = another_process("read-only", &path);
    if fs::metadata(&path).unwrap().uid() == 0 {
        // What root may do is no question of permissions.
        command.uid(NOBODY);
    }
    match command.status() {
        Ok(status) => assert!(status.success(), "{status}"),
        Err(error) => announce(&format!("SKIPPED read_only_files_are_mapped_to_be_read: no other user can run the tests: {error}")),
    }
    assert_eq!(npy_core::load::<u8>(&path).unwrap(), [1, 2]);
}

/// What the documentation says of files that are cut while they are mapped.
#[cfg(unix)]
#[test]
fn truncating_a_mapped_file_ends_the_process() {
    use std::os::unix::process::ExitStatusExt as _;
    const SIGBUS: i32 = if cfg!(any(target_os = "linux", target_os = "android")) { 7 } else { 10 };

    let path = scratch("array.npy");
    npy_core::save(&path, &vec![0_u8; 1 << 20]).unwrap();
    let status = another_process("shrink", &path).status().unwrap();
    assert_eq!(status.signal(), Some(SIGBUS), "{status}");
    // The file is truncated from now on.
    assert!(map(&path).unwrap_err().kind() == ErrorKind::Truncated);
}

#[test]
fn four_processes_fill_a_gibibyte() {
    const SHAPE: [usize; 2] = [(1 << 20) - 3, 1 << 10];
    let path = scratch("shared.npy");
    drop(create(&path, "|u1", Order::C, &SHAPE).unwrap());
    let children: Vec<_> = (0..PROCESSES).map(|i| another_process(&i.to_string(), &path).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let map = map(&path).unwrap();
    for i in 0..PROCESSES {
        let rows = row_range(SHAPE[0], i, PROCESSES);
        for row in [rows.start, rows.end - 1] {
            assert_eq!(map.rows::<u8>(row..row + 1).unwrap(), [i as u8 + 1; SHAPE[1]]);
        }
    }
    let Some(numpy) = numpy("four_processes_fill_a_gibibyte") else { return };
    let program = "import sys, numpy as np\nprint(np.load(sys.argv[1], mmap_mode='r').sum(dtype='u8'))";
    let sum = String::from_utf8(numpy.run(["-c", program, path.to_str().unwrap()], b"")).unwrap();
    let expected: usize = (0..PROCESSES).map(|i| row_range(SHAPE[0], i, PROCESSES).len() * SHAPE[1] * (i + 1)).sum();
    assert_eq!(sum.trim(), expected.to_string());
}
