//! RawArray files exchanged with an independent Python implementation and the crate `rawarray`.

use std::fs;

use npy_core::dtype::ByteOrder;
use npy_core::half::{bf16, f16};
use npy_core::num_complex::Complex;
use npy_core::rawarray::{self, RaArray};
use npy_core::{DynValues, NpyElement};
use npy_ndarray::{ReadRaExt, WriteRaExt};
use rawarray_crate::{RawArray, RawArrayType};

use crate::support::scratch;
use crate::support::{
    announce, data,
    numpy::{frames, numpy, push_frame},
    ra::{KINDS, file_of, samples},
};

/// What Python takes elements for, where NumPy has no such dtype.
fn in_numpy(values: &DynValues) -> DynValues {
    let dtype = match values.dtype().to_string().as_str() {
        "<W4" | ">W4" => "|V4",
        "<V2" | ">V2" => "|V2",
        _ => return values.clone(),
    };
    DynValues::new(dtype.parse().unwrap(), values.order(), values.shape(), values.bytes().to_vec()).unwrap()
}

#[test]
fn a_reader_in_python_reads_the_same_from_samples_and_from_our_files() {
    let Some(numpy) = numpy("a_reader_in_python_reads_the_same_from_samples_and_from_our_files") else { return };
    let mut files: Vec<Vec<u8>> = samples().into_iter().map(|(_, bytes)| bytes).collect();
    for (kind, element_bytes, dtype) in KINDS {
        // NumPy has the long double of its machine only, and no arrays of nothing in a buffer.
        if matches!(*dtype, "<f12" | "<c24" | "<f16" | "<c32" | "|V0") {
            continue;
        }
        for order in [ByteOrder::Little, ByteOrder::Big] {
            for dims in [&[][..], &[0], &[5], &[3, 4], &[2, 3, 4], &[1, 4, 1]] {
                let file = file_of(*kind, *element_bytes, order, dims, b"metadata");
                let array = RaArray::read(&file[..]).unwrap();
                let mut compressed = Vec::new();
                array.compressed().unwrap().write(&mut compressed).unwrap();
                files.extend([file, compressed]);
            }
        }
    }
    let mut input = Vec::new();
    files.iter().for_each(|file| push_frame(&mut input, file));
    let printed = numpy.run(["rawarray.py", "read"], &input);
    let printed = frames(&printed);
    assert_eq!(printed.len(), 2 * files.len());
    for (file, theirs) in files.iter().zip(printed.chunks(2)) {
        let array = RaArray::read(&file[..]).unwrap();
        assert_eq!(array.metadata(), theirs[1]);
        let mut npy = Vec::new();
        in_numpy(array.values()).write(&mut npy).unwrap();
        assert!(npy == theirs[0], "{:?}: {}", array.header(), theirs[0].escape_ascii());
    }
    announce(&format!("RawArray: {} files read alike in Python", files.len()));
}

#[test]
fn files_written_in_python_are_read_and_written_alike() {
    let Some(numpy) = numpy("files_written_in_python_are_read_and_written_alike") else { return };
    let printed = numpy.run(["rawarray.py", "write"], b"");
    let printed = frames(&printed);
    assert!(printed.len() > 3 * 300, "{}", printed.len());
    for case in printed.chunks(3) {
        let [name, file, npy] = case else { panic!("{}", case.len()) };
        let name = String::from_utf8_lossy(name);
        let array = RaArray::read(*file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut written = Vec::new();
        array.write(&mut written).unwrap();
        assert!(written == *file, "{name}");
        let mut converted = Vec::new();
        array.values().write(&mut converted).unwrap();
        assert!(converted == *npy, "{name}: {}", converted.escape_ascii());
        // And the .npy file back into the same .ra file.
        let mut back = Vec::new();
        let metadata = array.metadata().to_vec();
        RaArray::try_from(DynValues::read(*npy).unwrap()).unwrap().with_metadata(metadata).write(&mut back).unwrap();
        assert!(back == *file, "{name}");
    }
    announce(&format!("RawArray: {} files of Python read and written alike", printed.len() / 3));
}

#[test]
fn the_samples_have_the_checksums_of_their_makers() {
    let Some(numpy) = numpy("the_samples_have_the_checksums_of_their_makers") else { return };
    let program = "
import hashlib, re, sys
lines = open('../data/rawarray/checksums.txt').read().splitlines()
for line in lines:
    name, checksum = re.fullmatch(r'MD5 \\((.+)\\) = ([0-9a-f]{32})', line).groups()
    assert hashlib.md5(open('../data/rawarray/' + name, 'rb').read()).hexdigest() == checksum, name
print(len(lines))
";
    assert_eq!(numpy.run(["-c", program], b"").trim_ascii(), b"11");
}

/// Both ways between a slice of ours and the crate `rawarray`.
fn exchange<T: NpyElement + RawArrayType + PartialEq>(items: &[T]) {
    let directory = tempfile::tempdir().unwrap();
    let (ours, theirs) = (directory.path().join("ours.ra"), directory.path().join("theirs.ra"));
    rawarray::save(&ours, items).unwrap();
    let read = RawArray::<T>::read(&ours).unwrap();
    assert_eq!((read.dims(), read.elbyte()), (vec![items.len() as u64], size_of::<T>() as u64));
    assert_eq!(read.data(), items);
    RawArray::from(items.to_vec()).write(&theirs).unwrap();
    assert_eq!(fs::read(&theirs).unwrap(), fs::read(&ours).unwrap());
    assert_eq!(rawarray::load::<T>(&theirs).unwrap(), items);
}

#[test]
fn the_crate_rawarray_reads_and_writes_the_same_files() {
    exchange(&[1_i8, -2, 3]);
    exchange(&[1_i16, -2, 3]);
    exchange(&[1_i32, -2, 3]);
    exchange(&[1_i64, -2, 3]);
    exchange(&[1_u8, 2, 3]);
    exchange(&[1_u16, 2, 3]);
    exchange(&[1_u32, 2, 3]);
    exchange(&[1_u64, 2, 3]);
    exchange(&[0.5_f32, 1.5]);
    exchange(&[0.5_f64, 1.5]);
    exchange(&[f16::from_f32(0.5), f16::MAX]);
    exchange(&[bf16::from_f32(0.5), bf16::MAX]);
    exchange(&[Complex::new(0.5_f32, 1.5), Complex::new(2.5, 3.5)]);
    exchange(&[Complex::new(0.5_f64, 1.5), Complex::new(2.5, 3.5)]);
}

#[test]
fn the_crate_rawarray_sees_the_same_dimensions() {
    let path = scratch("matrix.ra");
    let matrix = ndarray::array![[1_i32, 2, 3], [4, 5, 6]];
    matrix.save_ra(&path).unwrap();
    let mut theirs = RawArray::<i32>::read(&path).unwrap();
    assert_eq!((theirs.dims(), theirs.data()), (vec![2, 3], vec![1, 4, 2, 5, 3, 6]));
    theirs.reshape(vec![3, 2]);
    theirs.write(&path).unwrap();
    assert_eq!(ndarray::Array2::<i32>::load_ra(&path).unwrap(), ndarray::array![[1, 5], [4, 3], [2, 6]]);
    // Their reader takes one file of the format's samples of each type, too.
    let numbers = RawArray::<i64>::read(data("rawarray/rand100.ra")).unwrap();
    assert_eq!(numbers.data(), RaArray::load(data("rawarray/rand100.ra")).unwrap().to_vec::<i64>().unwrap());
}
