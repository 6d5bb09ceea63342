//! Reading into existing vectors, arrays and parts of arrays; and small files.

use std::path::PathBuf;

use ndarray::{Array1, Array2, Array3, ArrayD, Axis, ShapeBuilder, s};
use npy_core::{ErrorKind, Header, Limits, NpyReader, Order, ReadOptions};
use npy_ndarray::{ReadNpyExt, WriteNpyExt, load_npy_into, load_npy_into_with, read_npy_into};

use crate::peak::with_peak;
use crate::support::written;

fn directory() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.npy");
    (directory, path)
}

#[test]
fn vectors_keep_their_memory() {
    let (_directory, path) = directory();
    let mut numbers: Vec<u32> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let lengths = [100_000, 0, 1, 99_999, 70_000, 100_000];
    for (i, length) in lengths.into_iter().enumerate() {
        let expected: Vec<u32> = (0..length).collect();
        npy_core::save(&path, &expected).unwrap();
        let capacity = numbers.capacity();
        let ((), peak) = with_peak(|| npy_core::load_into(&path, &mut numbers).unwrap());
        assert_eq!(numbers, expected);
        if i > 0 {
            assert_eq!(numbers.capacity(), capacity);
            assert!(peak < 16 * 1024, "{peak}");
        }
        let file = written(&expected.iter().map(u32::to_string).collect::<Vec<_>>());
        NpyReader::new(&file[..]).unwrap().read_to_vec(&mut names).unwrap();
        assert!(names.len() == expected.len() && names.iter().zip(&expected).all(|(name, number)| *name == number.to_string()));
    }
    // After an error nothing is left of what was there.
    npy_core::save(&path, &[1.5_f64]).unwrap();
    assert_eq!(npy_core::load_into(&path, &mut numbers).unwrap_err().kind(), ErrorKind::Mismatch);
    assert!(numbers.is_empty());
    let file = written(&vec![7_u32; 200_000]);
    numbers.push(1);
    let cut = NpyReader::new(&file[..500_000]).unwrap().read_to_vec(&mut numbers);
    assert!(cut.unwrap_err().kind() == ErrorKind::Truncated && numbers.is_empty());
    Array2::<u32>::zeros((2, 3)).save_npy(&path).unwrap();
    assert!(npy_core::load_into(&path, &mut numbers).unwrap_err().kind() == ErrorKind::WrongShape);
}

#[test]
fn arrays_of_every_layout() {
    let (_directory, path) = directory();
    let expected = Array3::from_shape_fn((37, 101, 113), |(i, j, k)| i as u32 * 100_000 + j as u32 * 300 + k as u32);
    let mut fortran = Array3::zeros(expected.dim().f());
    fortran.assign(&expected);
    for file in [&expected, &fortran] {
        file.save_npy(&path).unwrap();
        let stream = std::fs::read(&path).unwrap();
        for threads in [1, 3] {
            let read = |array: &mut ndarray::ArrayRef3<u32>| {
                array.fill(0);
                load_npy_into_with(&path, array, ReadOptions::new().threads(threads)).unwrap();
                assert!(*array == *expected);
                array.fill(0);
                read_npy_into(&stream[..], array).unwrap();
                assert!(*array == *expected);
            };
            read(&mut Array3::zeros(expected.dim()));
            read(&mut Array3::zeros(expected.dim().f()));
            // Not contiguous: a part, reversed, with the axes in another order.
            let mut larger = Array3::from_elem((40, 101, 230), 9);
            read(&mut larger.slice_mut(s![1..38, .., ..226;2]));
            assert!(larger.slice(s![0, .., ..]).iter().chain(&larger.slice(s![.., .., 1..;2])).all(|&item| item == 9));
            read(&mut larger.slice_mut(s![..37;-1, .., ..113]));
            read(&mut Array3::zeros((101, 37, 113)).view_mut().permuted_axes([1, 0, 2]));
        }
    }
    // Text, which is decoded.
    let names = expected.slice(s![..3, .., ..]).mapv(|number| number.to_string());
    names.save_npy(&path).unwrap();
    let mut array = Array3::from_elem(names.dim().f(), String::new());
    load_npy_into(&path, &mut array).unwrap();
    assert!(array == names);
}

#[test]
fn arrays_of_another_shape_are_refused() {
    let (_directory, path) = directory();
    Array2::<f32>::zeros((3, 4)).save_npy(&path).unwrap();
    let mut array = Array2::<f32>::ones((4, 3));
    let error = load_npy_into(&path, &mut array).unwrap_err();
    insta::assert_snapshot!(error.to_string().rsplit(": ").next().unwrap(), @"expected (4, 3), found (3, 4)");
    assert!(error.kind() == ErrorKind::WrongShape);
    assert_eq!(array, Array2::<f32>::ones((4, 3)));
    assert!(load_npy_into(&path, &mut Array1::<f32>::zeros(12)).is_err());
    assert!(load_npy_into(&path, &mut ArrayD::<f64>::zeros(vec![3, 4])).is_err());
    let limits = Limits::new().data_bytes(47);
    let error = load_npy_into_with(&path, &mut Array2::<f32>::zeros((3, 4)), limits).unwrap_err();
    assert!(error.kind() == ErrorKind::LimitExceeded, "{error}");
    load_npy_into(&path, &mut array.view_mut().reversed_axes()).unwrap();
    assert_eq!(array.sum_axis(Axis(0)), ndarray::array![0.0, 0.0, 0.0]);
}

/// Files of every length around that of the buffer that the beginning is read to, whole and cut.
#[test]
fn small_files_of_every_length() {
    let (_directory, path) = directory();
    let sizes = (0..70).chain(8192 - 128 - 40..8192 - 128 + 40).chain([8192, 16_000, 65_536, 65_600]);
    for size in sizes {
        let expected: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
        npy_core::save(&path, &expected).unwrap();
        let (loaded, peak) = with_peak(|| npy_core::load::<u8>(&path).unwrap());
        assert!(loaded == expected);
        // The result, and for some systems the path.
        assert!(peak <= size + 512, "{peak} for {size}");
        assert!(Array1::<u8>::load_npy(&path).unwrap().as_slice().unwrap() == expected);
        let file = std::fs::read(&path).unwrap();
        for length in [size / 2, size.saturating_sub(1), 0].map(|length| 128 + length).into_iter().chain([0, 5, 9, 50, 127]) {
            if length >= file.len() {
                continue;
            }
            std::fs::write(&path, &file[..length]).unwrap();
            let error = npy_core::load::<u8>(&path).unwrap_err();
            let expected = npy_core::read::<u8>(&file[..length]).unwrap_err();
            assert_eq!(error.to_string(), expected.with_path(&path).to_string(), "{size} cut to {length}");
        }
    }
    // Text is decoded from where it is.
    for count in [1, 400, 408, 409, 10_000] {
        let names: Vec<String> = (0..count).map(|i| format!("{:05}", i)).collect();
        npy_core::save(&path, &names).unwrap();
        assert!(npy_core::load::<String>(&path).unwrap() == names);
    }
}

/// Headers that are longer than the buffer, or end where it ends.
#[test]
fn long_headers() {
    let (_directory, path) = directory();
    for fields in [1, 100, 300, 380, 400, 1000, 5000] {
        let fields: String = (0..fields).map(|i| format!("('f{i}', '|i1'), ")).collect();
        let header = Header::new(format!("[{fields}('x', '<f8')]").parse().unwrap(), Order::C, &[2]).unwrap();
        let mut file = header.to_bytes();
        let data = usize::try_from(header.data_bytes()).unwrap();
        file.resize(file.len() + data, 0);
        std::fs::write(&path, &file).unwrap();
        let values = npy_core::DynValues::load(&path).unwrap();
        assert_eq!((values.dtype(), values.bytes().len()), (header.dtype(), data));
        std::fs::write(&path, &file[..file.len() - 1]).unwrap();
        assert!(npy_core::DynValues::load(&path).unwrap_err().kind() == ErrorKind::Truncated);
    }
}

/// What cannot be read twice, and gives less at a time than was asked for.
#[cfg(target_os = "linux")]
#[test]
fn pipes_by_their_path() {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    for count in [3_u32, 1500, 100_000] {
        let numbers: Vec<u32> = (0..count).collect();
        let file = written(&numbers);
        let (reader, mut writer) = std::io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
        let read = std::thread::scope(|scope| {
            scope.spawn(move || {
                for part in file.chunks(1000) {
                    writer.write_all(part).unwrap();
                    std::thread::yield_now();
                }
            });
            npy_core::load_with::<u32>(path, ReadOptions::new().threads(3)).unwrap()
        });
        assert!(read == numbers);
    }
}
