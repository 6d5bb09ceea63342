//! Fast paths of reading give the values and errors of the plain path.

use std::fmt::Debug;
use std::fs::File;
use std::io::{Seek, SeekFrom};

use ndarray::Array1;
use npy_core::types::{FixedBytes, FixedUnicode};
use npy_core::{Error, ErrorKind, Header, Limits, NpyElement, NpyReader, NpyRecord, Order, ReadOptions};

use crate::peak::with_peak;

use crate::support::{scratch, some, written};

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Pick {
    station: String,
    time: f64,
}

/// A file of `count` elements, whose bytes count up modulo a prime.
fn file(descr: &str, count: usize) -> Vec<u8> {
    let header = Header::new(descr.parse().unwrap(), Order::C, &[count]).unwrap();
    let bytes = usize::try_from(header.data_bytes()).unwrap();
    let mut file = header.to_bytes();
    file.extend((0..bytes).map(|i| u8::try_from(i % 251).unwrap()));
    file
}

/// All elements as they come in chunks, and the length of the longest.
fn in_chunks<T: NpyElement + Clone, R: std::io::Read>(mut reader: NpyReader<R>) -> Result<(Vec<T>, usize), Error> {
    let (mut items, mut longest) = (Vec::new(), 0);
    reader.for_each_chunk(|chunk: &[T]| {
        assert!(!chunk.is_empty());
        longest = longest.max(chunk.len());
        items.extend_from_slice(chunk);
        Ok(())
    })?;
    assert_eq!(reader.remaining(), 0);
    Ok((items, longest))
}

/// Reads a file in chunks from a stream, from memory and from the disk; all must be what `into_vec`
/// gives.
fn check_chunks<T: NpyElement + Clone + PartialEq + Debug>(descr: &str, count: usize) {
    let file = file(descr, count);
    let whole = NpyReader::from_bytes(&file).unwrap().into_vec::<T>().unwrap();
    assert_eq!(whole.len(), count);
    let path = scratch("array.npy");
    std::fs::write(&path, &file).unwrap();
    let streamed = in_chunks::<T, _>(NpyReader::new(&file[..]).unwrap()).unwrap();
    for (items, longest) in
        [in_chunks(NpyReader::from_bytes(&file).unwrap()).unwrap(), in_chunks(NpyReader::open(&path).unwrap()).unwrap(), streamed]
    {
        assert!(items == whole, "{descr} {count}");
        assert!(longest * size_of::<T>().max(1) <= 256 * 1024 || longest == 1 || size_of::<T>() == 0, "{longest}");
    }
    // Cut anywhere, the error is that of reading all.
    let data = Header::parse(&file).unwrap().1;
    for length in [data, data + (file.len() - data) / 2, file.len().saturating_sub(1).max(data)] {
        if length == file.len() {
            continue;
        }
        let expected = NpyReader::new(&file[..length]).unwrap().into_vec::<T>().unwrap_err().to_string();
        std::fs::write(&path, &file[..length]).unwrap();
        assert_eq!(in_chunks::<T, _>(NpyReader::new(&file[..length]).unwrap()).unwrap_err().to_string(), expected, "{descr}");
        let expected = format!("{}: {expected}", path.display());
        assert_eq!(in_chunks::<T, _>(NpyReader::open(&path).unwrap()).unwrap_err().to_string(), expected, "{descr}");
    }
}

/// Also those about what the call asks for.
#[test]
fn errors_of_an_open_file_name_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.npy");
    npy_core::save(&path, &[1_u8, 2, 3]).unwrap();
    let open = || NpyReader::open(&path).unwrap();
    for error in [
        open().read_region::<u8>(&[]).unwrap_err(),
        open().read_region::<u8>(&[(2..7).into()]).unwrap_err(),
        open().into_scalar::<u8>().unwrap_err(),
    ] {
        assert_eq!(error.path(), Some(path.as_path()), "{error}");
    }
}

#[test]
fn chunks_concatenate_to_the_array() {
    for count in [0, 1, 2, 1000, 32_768, 32_769, 100_000] {
        check_chunks::<u8>("|u1", count);
        check_chunks::<bool>("|b1", count);
        check_chunks::<i16>(">i2", count);
        check_chunks::<u64>("<u8", count);
        check_chunks::<u64>(">u8", count);
        check_chunks::<FixedBytes<7>>("|S7", count);
        check_chunks::<FixedBytes<0>>("|S0", count.min(1000));
    }
    check_chunks::<FixedBytes<300_000>>("|S300000", 3);
}

#[test]
fn chunks_of_decoded_elements() {
    let picks: Vec<Pick> = (0..50_000).map(|i| Pick { station: format!("S{}", i % 77), time: f64::from(i) }).collect();
    let mut file = written(&picks);
    for chunks in [in_chunks::<Pick, _>(NpyReader::new(&file[..]).unwrap()), in_chunks(NpyReader::from_bytes(&file).unwrap())] {
        assert!(chunks.unwrap().0 == picks);
    }
    // Behind what was read before, and the stream behind the array.
    file.push(b'!');
    let mut reader = NpyReader::new(&file[..]).unwrap();
    assert_eq!(reader.records::<Pick>().next().unwrap().unwrap(), picks[0]);
    let left = reader.remaining();
    let mut seen = 0;
    let count = |chunk: &[Pick]| {
        seen += chunk.len();
        Ok(())
    };
    reader.for_each_chunk(count).unwrap();
    assert_eq!(seen, left);
    assert_eq!(reader.into_inner(), b"!");
    // The index in the error is that in the array.
    let mut broken = written(&vec!["é".to_owned(); 200_000]);
    let at = broken.len() - 4;
    broken[at..].copy_from_slice(&0x11_0000_u32.to_ne_bytes());
    let error = in_chunks::<String, _>(NpyReader::new(&broken[..]).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), npy_core::read::<String>(&broken[..]).unwrap_err().to_string());
    assert!(error.to_string().contains("199999"), "{error}");
}

#[test]
fn chunks_end_at_an_error() {
    let file = file("<u2", 300_000);
    let mut reader = NpyReader::new(&file[..]).unwrap();
    let mut calls = 0;
    let refuse = |_: &[u16]| {
        calls += 1;
        Err(Error::object_array())
    };
    assert!(reader.for_each_chunk(refuse).unwrap_err().kind() == ErrorKind::ObjectArray);
    assert_eq!(calls, 1);
    assert!(reader.into_vec::<u16>().is_err());
    // Another dtype is an error of an empty array, too.
    let mut empty = NpyReader::new(&file[..]).unwrap();
    empty.skip(300_000).unwrap();
    assert_eq!(empty.for_each_chunk(|_: &[f32]| Ok(())).unwrap_err().kind(), ErrorKind::Mismatch);
}

#[test]
fn chunks_reuse_one_buffer() {
    let large = file(">f8", 2_000_000);
    let (_, peak) = with_peak(|| NpyReader::new(&large[..]).unwrap().for_each_chunk(|_: &[f64]| Ok(())).unwrap());
    assert!(peak < 300 * 1024, "{peak}");
    // An array that claims more than there is.
    let mut claim = Header::new("<f8".parse().unwrap(), Order::C, &[1 << 27]).unwrap().to_bytes();
    claim.extend([0; 20]);
    let (error, peak) = with_peak(|| NpyReader::new(&claim[..]).unwrap().for_each_chunk(|_: &[f64]| Ok(())).unwrap_err());
    assert!(error.to_string().contains("the array needs ") && error.to_string().ends_with(", found 20"), "{error}");
    assert!(peak < 300 * 1024, "{peak}");
}

/// Elements from all parts of a file, those at its chunks' borders among them, and how many there
/// are.
fn check_threads<T: NpyElement + Clone + PartialEq + Debug>(descr: &str, bytes: usize) {
    let path = scratch("array.npy");
    let itemsize = descr.parse::<npy_core::DType>().unwrap().itemsize();
    let file = file(descr, bytes / itemsize);
    std::fs::write(&path, &file).unwrap();
    let expected = NpyReader::new(&file[..]).unwrap().into_vec::<T>().unwrap();
    for threads in some([2, 7, 3, 0, 1], 3) {
        let options = ReadOptions::new().threads(threads);
        assert!(npy_core::load_with::<T>(&path, options).unwrap() == expected, "{descr}, {threads} threads");
        let opened = NpyReader::from_file_with(File::open(&path).unwrap(), options).unwrap();
        assert!(opened.into_vec::<T>().unwrap() == expected, "{descr}, {threads} threads");
        // Over other elements, from the middle on, and what is behind.
        let mut reader = NpyReader::open_with(&path, options).unwrap();
        reader.skip(3).unwrap();
        let mut items = vec![expected[0].clone(); expected.len() - 5];
        reader.read_into(&mut items).unwrap();
        assert!(items == expected[3..expected.len() - 2], "{descr}, {threads} threads");
        assert_eq!(reader.remaining(), 2);
        assert_eq!(reader.into_vec::<T>().unwrap(), expected[expected.len() - 2..]);
    }
}

#[test]
fn threads_read_the_same() {
    const MIB: usize = 1 << 20;
    check_threads::<u8>("|u1", 9 * MIB);
    check_threads::<bool>("|b1", 9 * MIB + 12_345);
    check_threads::<i16>(">i2", 9 * MIB + 2);
    check_threads::<u32>("<u4", 13 * MIB);
    check_threads::<u32>(">u4", 13 * MIB + 4);
    check_threads::<i64>(">i8", 12 * MIB);
    check_threads::<i64>("<i8", 12 * MIB + 8);
    check_threads::<npy_core::types::Datetime64<npy_core::types::unit::Second>>(">M8[s]", 9 * MIB);
    // Elements that do not end where chunks do, and larger ones than what is read at a time
    // otherwise.
    check_threads::<FixedBytes<7>>("|S7", 9 * MIB);
    check_threads::<FixedUnicode<5>>(">U5", 9 * MIB);
    check_threads::<FixedBytes<500_000>>("|S500000", 14 * MIB);
    // Not enough for threads.
    check_threads::<u64>(">u8", 8 * MIB - 8);
}

/// Several threads report the same error for a truncated file as a single thread.
#[test]
fn threads_report_the_error_of_one_thread() {
    let path = scratch("cut.npy");
    let whole = file(">u4", 4 << 20);
    let data = Header::parse(&whole).unwrap().1;
    for length in [data, data + 1, 4 << 20, (8 << 20) - 1, 8 << 20, (12 << 20) + 77, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let expected = npy_core::load::<u32>(&path).unwrap_err().to_string();
        let mut items = vec![0_u32; 4 << 20];
        for threads in [2, 3, 7] {
            let options = ReadOptions::new().threads(threads);
            let (error, peak) = with_peak(|| npy_core::load_with::<u32>(&path, options).unwrap_err());
            assert_eq!(error.to_string(), expected);
            assert!(peak < length * 5 / 4 + (256 << 10), "{peak}");
            let mut reader = NpyReader::open_with(&path, options).unwrap();
            let error = reader.read_into(&mut items).unwrap_err().with_path(&path);
            assert_eq!(error.to_string(), expected);
            assert!(reader.read_into(&mut items[..1]).is_err());
        }
    }
    // Another dtype, and limits, are refused before anything is read.
    std::fs::write(&path, &whole).unwrap();
    let options = ReadOptions::new().threads(2);
    assert_eq!(npy_core::load_with::<f32>(&path, options).unwrap_err().kind(), ErrorKind::Mismatch);
    let limited = options.limits(Limits::new().data_bytes(1 << 20));
    assert!(npy_core::load_with::<u32>(&path, limited).unwrap_err().kind() == ErrorKind::LimitExceeded);
}

/// Several arrays in one file, one after another, as `np.save` writes them to one.
#[test]
fn open_file_is_read_from_where_it_stands() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("arrays.npy");
    let (first, second) = (file("<u4", 3), file("<f8", 3 << 20));
    std::fs::write(&path, [&first[..], &second].concat()).unwrap();
    let expected = npy_core::read::<f64>(&second[..]).unwrap();
    for threads in [1, 3] {
        let options = ReadOptions::new().threads(threads);
        let opened = || File::open(&path).unwrap();
        let mut file = opened();
        let numbers = NpyReader::from_file_with(opened(), options).unwrap().into_vec::<u32>().unwrap();
        assert_eq!(numbers, npy_core::read::<u32>(&first[..]).unwrap());
        file.seek(SeekFrom::Start(first.len() as u64)).unwrap();
        let mut reader = NpyReader::from_file_with(file.try_clone().unwrap(), options).unwrap();
        assert_eq!(reader.header().shape(), [3 << 20]);
        reader.seek_to(5).unwrap();
        assert!(reader.into_vec::<f64>().unwrap() == expected[5..]);
        file.seek(SeekFrom::Start(first.len() as u64)).unwrap();
        assert!(<Array1<f64> as npy_ndarray::ReadNpyExt>::load_npy_file_with(file, options).unwrap().to_vec() == expected);
    }
    // At the end there is no array, and a directory is not one either.
    let mut file = File::open(&path).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    assert!(NpyReader::from_file(file).is_err());
    #[cfg(unix)]
    assert!(NpyReader::from_file(File::open(directory.path()).unwrap()).unwrap_err().kind() == ErrorKind::Io);
}

/// A claim of data that are not there allocates nothing for them, wherever the array begins.
#[test]
fn rejects_excessive_claims_in_bounded_memory() {
    let path = scratch("claim.npy");
    let mut claim = Header::new("<f8".parse().unwrap(), Order::C, &[1 << 27]).unwrap().to_bytes();
    claim.extend([0; 20]);
    for before in [0_u64, 7] {
        std::fs::write(&path, [&vec![0; before as usize][..], &claim].concat()).unwrap();
        let mut file = File::open(&path).unwrap();
        file.seek(SeekFrom::Start(before)).unwrap();
        let (error, peak) = with_peak(|| NpyReader::from_file(file).unwrap().into_vec::<f64>().unwrap_err());
        assert!(error.to_string().contains("the array needs ") && error.to_string().ends_with(", found 20"), "{error}");
        assert!(peak < 300 * 1024, "{peak}");
    }
}
