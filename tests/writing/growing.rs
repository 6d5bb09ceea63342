//! Growing files: appending, repair, locks, and validity after every interruption.

use std::fs::{self, OpenOptions};
use std::io::{Cursor, Write};
use std::time::{Duration, SystemTime};

use npy_core::append::recover;
use npy_core::{DType, Error, ErrorKind, Header, NpyElement, NpyReader, NpyWriter, Order};

use crate::support::numpy::numpy;
use crate::support::readings::{Reading, directory, reading};
use crate::support::streams::Full;
use crate::support::{announce, as_little_endian, data, scratch, written, zeros};

#[test]
fn a_file_that_grew_is_the_one_that_was_saved_at_once() {
    let directory = directory();
    let (grown, saved) = (directory.path().join("grown.npy"), directory.path().join("saved.npy"));
    for count in [0_u64, 1, 9, 10, 12_345, 100_000] {
        let items: Vec<Reading> = (0..count).map(reading).collect();
        npy_core::save(&saved, &items).unwrap();
        let mut writer = NpyWriter::<Reading, _>::create(&grown).unwrap();
        for (i, chunk) in items.chunks(777).enumerate() {
            if i % 2 == 0 {
                writer.write_slice(chunk).unwrap()
            } else {
                chunk.iter().for_each(|item| writer.push(item).unwrap())
            }
            if i % 5 == 0 {
                writer.flush().unwrap();
                assert_eq!(npy_core::load::<Reading>(&grown).unwrap(), items[..(i * 777 + chunk.len())]);
            }
        }
        writer.finish().unwrap();
        assert!(fs::read(&grown).unwrap() == fs::read(&saved).unwrap(), "{count}");
        let mut stream = Cursor::new(b"before".to_vec());
        stream.set_position(6);
        let mut writer = NpyWriter::new(&mut stream).unwrap();
        writer.write_slice(&items).unwrap();
        writer.finish().unwrap();
        assert!(stream.into_inner()[6..] == fs::read(&saved).unwrap(), "{count}");
    }
    // Not finished: what was pushed is there all the same.
    let mut writer = NpyWriter::<u16, _>::create(&grown).unwrap();
    writer.write_slice(&[1, 2, 3]).unwrap();
    assert_eq!(npy_core::load::<u16>(&grown).unwrap(), [0_u16; 0]);
    drop(writer);
    assert_eq!(npy_core::load::<u16>(&grown).unwrap(), [1, 2, 3]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
}

#[test]
fn rows_of_more_dimensions_grow_along_the_outer_axis() {
    let path = scratch("rows.npy");
    for (order, shape, grown) in [(Order::C, [0, 2, 3], [4, 2, 3]), (Order::Fortran, [2, 3, 0], [2, 3, 4])] {
        let header = Header::new(">i2".parse().unwrap(), order, &shape).unwrap();
        let mut writer = NpyWriter::create_like(&path, &header).unwrap();
        writer.write_slice(&(0..10_i16).collect::<Vec<_>>()).unwrap();
        // One row and a part of the next.
        writer.flush().unwrap();
        assert_eq!(Header::read(fs::File::open(&path).unwrap()).unwrap().element_count(), 6);
        let error = NpyWriter::<i16, _>::append(&path).unwrap_err();
        assert!(format!("{error:#}").contains("locked by another writer"), "{error}");
        writer.write_slice(&(10..24_i16).collect::<Vec<_>>()).unwrap();
        writer.finish().unwrap();
        let reader = NpyReader::open(&path).unwrap();
        assert_eq!((reader.header().shape(), reader.header().order()), (grown.as_slice(), order));
        assert_eq!(reader.into_vec::<i16>().unwrap(), (0..24).collect::<Vec<_>>());
        // Not whole rows.
        let mut writer = NpyWriter::<i16, _>::append(&path).unwrap();
        writer.write_slice(&[1, 2, 3, 4]).unwrap();
        let error = writer.finish().unwrap_err();
        assert!(error.to_string().ends_with(": expected 6 elements, found 4"), "{error}");
        assert_eq!(NpyReader::open(&path).unwrap().header().shape(), grown);
    }
    // Elements that are arrays.
    let mut writer = NpyWriter::<[f32; 3], _>::create(&path).unwrap();
    writer.push(&[1.0, 2.0, 3.0]).unwrap();
    writer.finish().unwrap();
    let mut writer = NpyWriter::<f32, _>::append(&path).unwrap();
    writer.write_slice(&[4.0, 5.0, 6.0]).unwrap();
    writer.finish().unwrap();
    assert_eq!(npy_core::load::<[f32; 3]>(&path).unwrap(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
}

/// NaNs are equal to themselves here.
fn bits(items: &[f64]) -> Vec<u64> {
    items.iter().map(|item| item.to_bits()).collect()
}

/// Files of every NumPy: the header keeps its length, or has no room for another digit and says so.
#[test]
fn numpys_files_are_added_to() {
    let directory = directory();
    let path = directory.path().join("file.npy");
    let (mut grown, mut full) = (0, 0);
    for version in [
        "numpy-1.6.2-py2.7",
        "numpy-1.11.3-py2.7",
        "numpy-1.16.6-py2.7",
        "numpy-1.23.5-py3.11",
        "numpy-2.4.6-py3.11",
        "numpy-2.5.5-py3.13",
    ] {
        for entry in fs::read_dir(data(version)).unwrap() {
            let source = entry.unwrap().path();
            if source.extension().is_none_or(|extension| extension != "npy") {
                continue;
            }
            let bytes = fs::read(&source).unwrap();
            let Ok((header, offset)) = Header::parse(&bytes) else { continue };
            let is_f64 = header.dtype() == &f64::dtype();
            if !is_f64 || header.shape().len() != 1 || bytes.len() as u64 != offset as u64 + header.data_bytes() {
                continue;
            }
            let before = npy_core::load::<f64>(&source).unwrap();
            fs::write(&path, &bytes).unwrap();
            let mut expected = before.clone();
            for more in [1, 10, 1000, 100_000] {
                let mut writer = match NpyWriter::<f64, _>::append(&path) {
                    Ok(writer) => writer,
                    Err(error) => {
                        assert!(error.kind() == ErrorKind::CannotGrow, "{}: {error}", source.display());
                        full += 1;
                        break;
                    }
                };
                let items: Vec<f64> = (0..more).map(f64::from).collect();
                writer.write_slice(&items).unwrap();
                if let Err(error) = writer.finish() {
                    assert!(error.kind() == ErrorKind::CannotGrow, "{error}");
                    full += 1;
                    break;
                }
                expected.extend(items);
                let bytes = fs::read(&path).unwrap();
                assert_eq!(Header::parse(&bytes).unwrap().1, offset, "the header keeps its length");
                assert!(bits(&npy_core::load::<f64>(&path).unwrap()) == bits(&expected));
                grown += 1;
            }
            // What had no room is as it was before.
            assert!(bits(&npy_core::load::<f64>(&path).unwrap()[..before.len()]) == bits(&before));
        }
    }
    announce(&format!("files of NumPy: {grown} times added to, {full} had no room in the header"));
    assert!(grown > 20 && full < grown);
}

#[test]
fn numpy_reads_what_grew_and_we_add_to_what_numpy_wrote() {
    let Some(numpy) = numpy("numpy_reads_what_grew_and_we_add_to_what_numpy_wrote") else { return };
    let path = scratch("grown.npy");
    numpy.run(["records.py", "two_readings", path.to_str().unwrap()], b"");
    let before = Header::parse(&fs::read(&path).unwrap()).unwrap().1;
    let mut writer = NpyWriter::<Reading, _>::append(&path).unwrap();
    (2..5000).for_each(|index| writer.push(&reading(index)).unwrap());
    writer.finish().unwrap();
    let bytes = fs::read(&path).unwrap();
    assert_eq!(Header::parse(&bytes).unwrap().1, before);
    assert_eq!(numpy.prints(["records.py", "readings", path.to_str().unwrap()], b""), "5000");
}

#[test]
fn create_or_append_creates_once_and_then_appends() {
    let directory = directory();
    let path = directory.path().join("readings.npy");
    for index in 0..3 {
        let mut writer = NpyWriter::<Reading, _>::create_or_append(&path).unwrap();
        writer.push(&reading(index)).unwrap();
        writer.finish().unwrap();
    }
    let expected: Vec<Reading> = (0..3).map(reading).collect();
    assert_eq!(npy_core::load::<Reading>(&path).unwrap(), expected);
    // The same file as one that was saved at once, and nothing beside it.
    let saved = directory.path().join("saved.npy");
    npy_core::save(&saved, &expected).unwrap();
    assert!(fs::read(&path).unwrap() == fs::read(&saved).unwrap());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    // What `append` refuses stays as it is.
    for bytes in [&b""[..], b"PK\x03\x04", &fs::read(&saved).unwrap()[..100]] {
        fs::write(&path, bytes).unwrap();
        let error = NpyWriter::<Reading, _>::create_or_append(&path).map(drop).unwrap_err();
        assert_eq!(error.path(), Some(path.as_path()));
        assert!(fs::read(&path).unwrap() == bytes);
    }
    assert!(NpyWriter::<f64, _>::create_or_append(&saved).is_err());
    // Elements of unknown width: refused where the file would be new, and nothing is left behind.
    let new = directory.path().join("new.npy");
    assert_eq!(NpyWriter::<String, _>::create_or_append(&new).map(drop).unwrap_err().kind(), ErrorKind::CannotGrow);
    assert!(NpyWriter::<[f64; 0], _>::create_or_append(&new).is_err());
    assert!(!new.exists());
    npy_core::save(&new, &["abc".to_owned()]).unwrap();
    NpyWriter::<String, _>::create_or_append(&new).unwrap().push(&"de".to_owned()).unwrap();
    assert_eq!(npy_core::load::<String>(&new).unwrap(), ["abc", "de"]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
}

/// None of those who begin the file at the same time replaces what another one has written.
#[cfg(unix)]
#[test]
fn create_or_append_never_replaces_a_file() {
    let directory = directory();
    for round in 0..20 {
        let path = directory.path().join(format!("{round}.npy"));
        let barrier = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for value in 0..8_u32 {
                let (path, barrier) = (&path, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    loop {
                        match NpyWriter::<u32, _>::create_or_append(path) {
                            Ok(mut writer) => {
                                writer.push(&value).unwrap();
                                return writer.finish().map(drop).unwrap();
                            }
                            Err(error) => assert!(format!("{error:#}").contains("locked by another writer"), "{error}"),
                        }
                    }
                });
            }
        });
        let mut values = npy_core::load::<u32>(&path).unwrap();
        values.sort_unstable();
        assert_eq!(values, [0, 1, 2, 3, 4, 5, 6, 7], "{round}");
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 20);
}

#[test]
fn refused_files_stay_unchanged() {
    let directory = directory();
    let path = directory.path().join("file.npy");
    let refuse = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let Err(error) = NpyWriter::<f64, _>::append(&path) else { panic!("{}", bytes.escape_ascii()) };
        assert!(fs::read(&path).unwrap() == bytes);
        assert_eq!(error.path(), Some(path.as_path()));
        error
    };
    let one = zeros("<f8", Order::C, &[3]);
    assert_eq!(refuse(&zeros("<f4", Order::C, &[3])).kind(), ErrorKind::Mismatch);
    assert!(refuse(&one[..one.len() - 1]).to_string().ends_with(", found 23"));
    let cannot_grow = |bytes: &[u8]| {
        let error = refuse(bytes);
        assert!(error.kind() == ErrorKind::CannotGrow, "{error}");
        error.without_path().to_string()
    };
    insta::assert_snapshot!(cannot_grow(&zeros("<f8", Order::C, &[])), @"cannot append: expected at least 1 dimension, found 0");
    insta::assert_snapshot!(cannot_grow(&zeros("<f8", Order::C, &[0, 0])), @"cannot append: expected rows with elements, found empty ones");
    insta::assert_snapshot!(cannot_grow(&[one.clone(), one.clone()].concat()), @"cannot append: expected the end of the file at byte 152, found another array");
    assert!(matches!(refuse(b"PK\x03\x04").kind(), ErrorKind::WrongFormat | ErrorKind::Truncated));
    // A header without any room: three digits more do not fit.
    let mut tight = b"\x93NUMPY\x01\0\x39\0{'descr':'<f8','fortran_order':False,'shape':(3,)}      \n".to_vec();
    tight.resize(10 + 57 + 24, 0);
    insta::assert_snapshot!(cannot_grow(&tight), @"cannot append: the header of 67 bytes has no space for a larger shape; load and save the array once");
    // Rest of a crash is cut; a directory, a file that cannot be written, none.
    fs::write(&path, [one.as_slice(), b"rest"].concat()).unwrap();
    NpyWriter::<f64, _>::append(&path).unwrap().finish().unwrap();
    assert!(fs::read(&path).unwrap() == one);
    let io = |error: Error| error.io_kind().unwrap_or_else(|| panic!("{error}"));
    let _ = io(NpyWriter::<f64, _>::append(directory.path()).map(drop).unwrap_err());
    assert_eq!(io(NpyWriter::<f64, _>::append(directory.path().join("none")).map(drop).unwrap_err()), std::io::ErrorKind::NotFound);
    #[cfg(unix)]
    insta::assert_snapshot!(NpyWriter::<f64, _>::create("/dev/null").map(drop).unwrap_err(), @"/dev/null: cannot append: expected a seekable file; `with_len` takes the number of elements instead");
}

#[test]
fn files_whose_header_and_data_disagree_are_mended() {
    let path = scratch("file.npy");
    let items: Vec<Reading> = (0..100).map(reading).collect();
    npy_core::save(&path, &items).unwrap();
    let whole = fs::read(&path).unwrap();
    let offset = Header::parse(&whole).unwrap().1;
    for bytes in 0..=40 {
        fs::write(&path, &whole[..offset + bytes]).unwrap();
        let recovered = recover(&path).unwrap();
        assert_eq!((recovered.before, recovered.rows, recovered.cut), (100, bytes as u64 / 17, bytes as u64 % 17));
        assert_eq!(npy_core::load::<Reading>(&path).unwrap(), items[..bytes / 17]);
        // Nothing more to do.
        let again = recover(&path).unwrap();
        assert_eq!((again.before, again.cut), (again.rows, 0));
    }
    // Rows that nobody counted.
    let mut more = NpyWriter::<Reading, _>::create(&path).unwrap();
    more.write_slice(&items[..50]).unwrap();
    more.flush().unwrap();
    more.write_slice(&items[50..]).unwrap();
    drop(more);
    let mut bytes = fs::read(&path).unwrap();
    bytes[..offset].copy_from_slice(&Header::new(Reading::dtype(), Order::C, &[50]).unwrap().to_bytes());
    bytes.extend([1; 5]);
    fs::write(&path, &bytes).unwrap();
    let recovered = recover(&path).unwrap();
    assert_eq!((recovered.before, recovered.rows, recovered.cut), (50, 100, 5));
    assert!(fs::read(&path).unwrap() == whole);
    for length in 0..offset {
        fs::write(&path, &whole[..length]).unwrap();
        recover(&path).unwrap_err();
        assert_eq!(fs::metadata(&path).unwrap().len(), length as u64);
    }
}

#[test]
fn recover_rejects_files_of_several_arrays() {
    let path = scratch("two.npy");
    let mut both = written(&[1_u64; 40]);
    let first = both.len() as u64;
    npy_core::write(&mut both, &[2_u64]).unwrap();
    fs::write(&path, &both).unwrap();
    let error = recover(&path).unwrap_err();
    let message = format!("cannot append: expected the end of the file at byte {first}, found another array");
    assert!(error.kind() == ErrorKind::CannotGrow && error.to_string().ends_with(&message), "{error}");
    assert!(fs::read(&path).unwrap() == both);
    // Behind uncounted rows as well, wherever the pieces end in which they are read.
    for rows in [1, 8191, 8192, 8193, 20_000] {
        let file = [&both[..first as usize], &vec![7; 8 * rows + 5], &both[first as usize..]].concat();
        fs::write(&path, &file).unwrap();
        let error = recover(&path).unwrap_err();
        let expected = first + 8 * rows as u64 + 5;
        assert!(error.to_string().contains(&format!("at byte {expected}, found another array")), "{error}");
        assert!(fs::read(&path).unwrap() == file);
    }
    // The word alone is no array.
    fs::write(&path, [&both[..first as usize], b"\x93NUMPY  "].concat()).unwrap();
    assert_eq!(recover(&path).unwrap().rows, 41);
}

#[test]
fn recover_truncates_bytes_behind_the_counted_rows() {
    let path = scratch("file.npy");
    npy_core::save(&path, &[1_u64, 2, 3]).unwrap();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], b"xyz"].concat()).unwrap();
    let recovered = recover(&path).unwrap();
    assert_eq!((recovered.before, recovered.rows, recovered.cut), (3, 3, 3));
    assert!(fs::read(&path).unwrap() == whole);
}

/// A pickle has no rows: neither its size nor that of a record says where it ends.
#[test]
fn files_without_rows_of_a_fixed_size_stay_unchanged() {
    let path = scratch("file.npy");
    let pickle = b"\x80\x03cnumpy.core.multiarray\n_reconstruct\nq\0.";
    for (dtype, order, shape) in [
        ("|O", Order::C, &[3][..]),
        ("|O", Order::C, &[]),
        ("|O", Order::C, &[0]),
        ("|O", Order::Fortran, &[2, 3]),
        ("[('id', '<i8'), ('tag', '|O')]", Order::C, &[2]),
        ("[('in', [('tags', '|O', (2,))]), ('id', '<i8')]", Order::C, &[2, 2]),
    ] {
        let header = Header::new(dtype.parse().unwrap(), order, shape).unwrap();
        let bytes = [&header.to_bytes()[..], pickle].concat();
        fs::write(&path, &bytes).unwrap();
        let errors = [
            recover(&path).map(drop).unwrap_err(),
            NpyWriter::<u64, _>::append(&path).map(drop).unwrap_err(),
            NpyWriter::<Reading, _>::append(&path).map(drop).unwrap_err(),
            NpyWriter::<u64, _>::create_like(&path, &header).map(drop).unwrap_err(),
            NpyWriter::<u64, _>::new_like(Cursor::new(Vec::new()), &header).map(drop).unwrap_err(),
        ];
        for error in errors {
            assert!(error.kind() == ErrorKind::ObjectArray, "{dtype}: {error}");
        }
        let rows = header.byte_range_of_rows(128, 0..0).unwrap_err();
        assert!(rows.kind() == ErrorKind::ObjectArray, "{dtype}: {rows}");
        assert!(fs::read(&path).unwrap() == bytes, "{dtype}");
    }
    // No bytes count these rows, so what follows is not one of them.
    for dtype in ["<U0", "|V0"] {
        let header = Header::new(dtype.parse().unwrap(), Order::C, &[3]).unwrap().to_bytes();
        let bytes = [&header[..], b"more"].concat();
        fs::write(&path, &bytes).unwrap();
        let error = recover(&path).unwrap_err();
        assert!(error.to_string().ends_with("cannot append: expected rows with elements, found empty ones"), "{dtype}: {error}");
        assert!(fs::read(&path).unwrap() == bytes, "{dtype}");
        fs::write(&path, &header).unwrap();
        let recovered = recover(&path).unwrap();
        assert_eq!((recovered.before, recovered.rows, recovered.cut), (3, 3, 0), "{dtype}");
    }
}

/// NumPy says C order for a single axis. With more axes, the order says which of them grows.
#[test]
fn fortran_order_is_kept_where_it_says_which_axis_grows() {
    let path = scratch("file.npy");
    let header = |shape: &[usize]| Header::new("<i2".parse().unwrap(), Order::Fortran, shape).unwrap();
    let mut writer = NpyWriter::create_like(&path, &header(&[0])).unwrap();
    writer.write_slice(&[1_i16, 2, 3]).unwrap();
    writer.finish().unwrap();
    let saved = written(&[1_i16, 2, 3]);
    assert!(fs::read(&path).unwrap() == saved);
    let mut writer = NpyWriter::new_like(Cursor::new(Vec::new()), &header(&[0])).unwrap();
    writer.write_slice(&[1_i16, 2, 3]).unwrap();
    assert!(writer.finish().unwrap().into_inner() == saved);

    for (rows, axis) in [(1, 3), (3, 1), (1, 1)] {
        let mut writer = NpyWriter::create_like(&path, &header(&[axis, 0])).unwrap();
        writer.write_slice(&vec![1_i16; rows * axis]).unwrap();
        writer.finish().unwrap();
        let mut writer = NpyWriter::append(&path).unwrap();
        writer.write_slice(&vec![2_i16; axis]).unwrap();
        writer.finish().unwrap();
        let reader = NpyReader::open(&path).unwrap();
        assert_eq!((reader.header().shape(), reader.header().order()), (&[axis, rows + 1][..], Order::Fortran));
    }
}

/// A name is added to the last part of the prefix.
#[test]
fn shards_need_a_name() {
    let directory = directory();
    let inner = directory.path().join("d");
    fs::create_dir(&inner).unwrap();
    npy_core::shards::ShardWriter::<u8>::open(directory.path().join("d"), 2).unwrap().finish().unwrap();
    let before = fs::read_dir(directory.path()).unwrap().count();
    for prefix in [inner.join(".."), "/".into(), "".into(), "..".into()] {
        let written = npy_core::shards::ShardWriter::<u8>::open(&prefix, 2).map(drop).unwrap_err();
        let read = npy_core::shards::Shards::open(&prefix).map(drop).unwrap_err();
        assert_eq!(written.to_string(), read.to_string());
        assert_eq!(written.path(), Some(prefix.as_path()));
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), before);
}

#[test]
fn recover_writes_nothing_to_whole_files() {
    let path = scratch("file.npy");
    npy_core::save(&path, &[1_u64, 2, 3]).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    OpenOptions::new().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    let recovered = recover(&path).unwrap();
    assert_eq!((recovered.before, recovered.rows, recovered.cut), (3, 3, 0));
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), long_ago);
}

/// Blocks of arrays, contiguous or not, in both orders.
#[test]
fn arrays_grow_by_blocks() {
    use ndarray::{Array2, Array3, Axis, ShapeBuilder, concatenate, s};
    use npy_ndarray::{NpyBlockWriter, ReadNpyExt, WriteNpyExt};

    let path = scratch("blocks.npy");
    let whole = Array3::from_shape_fn((7, 4, 5), |(i, j, k)| (i * 100 + j * 10 + k) as i32);
    for order in [Order::C, Order::Fortran] {
        let axis = Axis(if order == Order::C { 0 } else { 2 });
        let mut writer = NpyBlockWriter::<i32>::create(&path, order, whole.shape()).unwrap();
        for (i, block) in whole.axis_chunks_iter(axis, 2).enumerate() {
            match i % 3 {
                0 => writer.write_block(&block).unwrap(),
                1 => writer.write_block(&block.to_owned()).unwrap(),
                _ => {
                    let mut fortran = Array3::zeros(block.raw_dim().f());
                    fortran.assign(&block);
                    writer.write_block(&fortran).unwrap();
                }
            }
            writer.flush().unwrap();
        }
        let error = writer.write_block(&Array3::<i32>::zeros((7, 3, 5))).unwrap_err();
        let shape = if order == Order::C { "(n, 4, 5)" } else { "(7, 4, n)" };
        let message = format!("cannot append: expected a block of shape {shape}, found (7, 3, 5)");
        assert_eq!((error.kind(), error.without_path().to_string()), (ErrorKind::CannotGrow, message));
        let error = writer.write_block(&Array2::<i32>::zeros((4, 5))).unwrap_err();
        assert!(error.kind() == ErrorKind::WrongShape, "{error}");
        writer.finish().unwrap();
        assert_eq!(Array3::<i32>::load_npy(&path).unwrap(), whole);
        // As if it had been saved at once.
        let mut expected = Vec::new();
        let mut contiguous = if order == Order::C { Array3::zeros((7, 4, 5)) } else { Array3::zeros((7, 4, 5).f()) };
        contiguous.assign(&whole);
        contiguous.write_npy(&mut expected).unwrap();
        assert!(fs::read(&path).unwrap() == expected);
        let mut writer = NpyBlockWriter::<i32>::append(&path).unwrap();
        let more = if order == Order::C { whole.slice(s![..1, .., ..]) } else { whole.slice(s![.., .., 1..3]) };
        writer.write_block(&more).unwrap();
        writer.finish().unwrap();
        assert_eq!(Array3::<i32>::load_npy(&path).unwrap(), concatenate(axis, &[whole.view(), more]).unwrap());
    }
}

#[test]
fn dropped_array_keeps_what_was_accepted() {
    let directory = directory();
    let path = directory.path().join("file.npy");
    let load = || npy_core::load::<u64>(&path).unwrap();
    // In a file of the caller's, and under a path.
    let begin = |in_stream: bool| {
        let writer = if in_stream { NpyWriter::new(fs::File::create(&path).unwrap()) } else { NpyWriter::create(&path) };
        writer.unwrap()
    };
    for in_stream in [true, false] {
        let mut writer: NpyWriter<u64, _> = begin(in_stream);
        writer.write_slice(&[1, 2]).unwrap();
        drop(writer);
        assert_eq!(load(), [1, 2]);
        let panicked = std::panic::catch_unwind(|| {
            let mut writer: NpyWriter<u64, _> = begin(in_stream);
            writer.push(&3).unwrap();
            panic!("on purpose");
        });
        assert!(panicked.is_err());
        assert_eq!(load(), [3]);
    }
    // Elements that are refused cost none of those before them.
    let dtype: DType = "|S2".parse().unwrap();
    let header = Header::new(dtype, Order::C, &[0]).unwrap();
    for is_new in [true, false] {
        let text = |text: &str| text.to_owned();
        let mut writer = if is_new {
            NpyWriter::new_like(fs::File::create(&path).unwrap(), &header).unwrap()
        } else {
            NpyWriter::create_like(&path, &header).unwrap()
        };
        writer.push(&text("a")).unwrap();
        writer.push(&text("too long")).unwrap_err();
        drop(writer);
        assert_eq!(npy_core::load::<String>(&path).unwrap(), ["a"]);
    }
    // Whole rows only.
    let mut stream = Cursor::new(Vec::new());
    let mut writer = NpyWriter::new_like(&mut stream, &Header::new(u8::dtype(), Order::C, &[0, 3]).unwrap()).unwrap();
    writer.write_slice(&[1_u8, 2, 3, 4]).unwrap();
    drop(writer);
    assert_eq!(&NpyReader::from_bytes(&stream.into_inner()).unwrap().into_vec::<u8>().unwrap(), &[1, 2, 3]);
    // Of known length: the rest is written, but not after an error, nor in a panic.
    let mut file = Vec::new();
    let mut writer = NpyWriter::with_len(&mut file, 2).unwrap();
    writer.write_slice(&[1_u64, 2]).unwrap();
    drop(writer);
    assert_eq!(npy_core::read::<u64>(&file[..]).unwrap(), [1, 2]);
    let mut file = Vec::new();
    let mut writer = NpyWriter::with_len(&mut file, 2).unwrap();
    writer.write_slice(&[1_u64, 2, 3]).unwrap_err();
    drop(writer);
    assert!(file.is_empty());
    NpyWriter::<u64, _>::with_len(&mut file, 2).unwrap().finish().map(drop).unwrap_err();
    let mut writer = NpyWriter::with_len(&mut file, 2).unwrap();
    writer.push(&1_u64).unwrap();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _writer = writer;
        panic!("on purpose");
    }));
    assert!(panicked.is_err() && file.is_empty());
}

#[test]
fn growing_file_survives_a_panic_and_another_dtype() {
    let path = scratch("file.npy");
    let mut writer = NpyWriter::<u64, _>::create(&path).unwrap();
    writer.write_slice(&[1, 2, 3]).unwrap();
    let items = [4_u64; 10];
    let items = items.iter().enumerate().map(|(i, item)| if i == 3 { panic!("on purpose") } else { item });
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| writer.extend(items))).is_err());
    drop(writer);
    assert_eq!(npy_core::load::<u64>(&path).unwrap(), [1, 2, 3]);
    // A dtype that does not fit is refused before the file is replaced.
    let header = Header::new("<U3".parse().unwrap(), Order::C, &[0]).unwrap();
    NpyWriter::<f64, _>::create_like(&path, &header).unwrap_err();
    assert_eq!(npy_core::load::<u64>(&path).unwrap(), [1, 2, 3]);
    let mut stream = Cursor::new(Vec::new());
    NpyWriter::<f64, _>::new_like(&mut stream, &header).unwrap_err();
    assert!(stream.into_inner().is_empty());
}

/// A sink that panics, and may not be called again while that unwinds.
struct Panics(bool);

impl Write for Panics {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        assert!(!self.0, "called after its panic");
        self.0 = true;
        panic!("on purpose")
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.write(&[]).map(drop)
    }
}

#[test]
fn sink_that_panics_is_not_called_again() {
    let panicked = std::panic::catch_unwind(|| {
        let mut writer = NpyWriter::with_len(Panics(false), 1 << 20).unwrap();
        (0..1_u64 << 20).try_for_each(|item| writer.push(&item))
    });
    assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"on purpose"));
    let panicked = std::panic::catch_unwind(|| npy_core::npz::NpzWriter::streaming(Panics(false)).add_slice("x", &[1_u8]));
    assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"on purpose"));
}

/// Writers that get in each other's way, iterators that panic, streams that only append, dtypes
/// without bytes, headers that fill up.
#[test]
fn failed_pushes_are_not_counted() {
    let directory = directory();
    let path = directory.path().join("file.npy");
    let mut first = NpyWriter::<u64, _>::create(&path).unwrap();
    first.push(&1).unwrap();
    first.flush().unwrap();
    let error = NpyWriter::<u64, _>::create(&path).map(drop).unwrap_err();
    assert_eq!(error.to_string(), format!("{}: the file is locked by another writer", path.display()));
    first.finish().unwrap();
    assert_eq!(npy_core::load::<u64>(&path).unwrap(), [1]);

    let panics = |writer: &mut NpyWriter<u64, fs::File>| {
        let items = [2_u64; 10];
        let items = items.iter().enumerate().map(|(i, item)| if i == 3 { panic!("on purpose") } else { item });
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| writer.extend(items))).unwrap_err();
    };
    let mut writer = NpyWriter::<u64, _>::append(&path).unwrap();
    writer.push(&9).unwrap();
    writer.flush().unwrap();
    panics(&mut writer);
    assert!(writer.push(&3).is_err());
    writer.finish().unwrap_err();
    assert_eq!(npy_core::load::<u64>(&path).unwrap(), [1, 9]);
    let mut writer = NpyWriter::<u64, _>::append(&path).unwrap();
    panics(&mut writer);
    drop(writer);
    assert_eq!(npy_core::load::<u64>(&path).unwrap(), [1, 9]);

    let other = directory.path().join("appending.npy");
    let file = OpenOptions::new().create(true).append(true).open(&other).unwrap();
    let mut writer = NpyWriter::<u8, _>::new(file).unwrap();
    writer.push(&1).unwrap();
    insta::assert_snapshot!(writer.finish().unwrap_err(), @"cannot append: expected a stream that writes where it is seeked to, found one that only appends");

    // Text whose width nobody knows: refused before anything is touched.
    npy_core::save(&path, &[7_u8]).unwrap();
    let error = NpyWriter::<String, _>::create(&path).map(drop).unwrap_err();
    insta::assert_snapshot!(as_little_endian(error.without_path()), @r#"cannot append: expected elements of a fixed width, found <U0; `#[npy(dtype = "U16")]` sets the width of text, and a value such as NaN can stand for `None`"#);
    assert_eq!(npy_core::load::<u8>(&path).unwrap(), [7]);
    // Another file in its place, and one that is written over.
    let mut writer = NpyWriter::<u8, _>::append(&path).unwrap();
    let error = npy_core::save_with(&path, &[1_u8], npy_core::SaveOptions::new().in_place(true)).unwrap_err();
    assert!(format!("{error:#}").contains("locked by another writer"), "{error}");
    npy_core::save(&path, &[8_u8]).unwrap();
    writer.push(&9).unwrap();
    insta::assert_snapshot!(writer.flush().unwrap_err().without_path(), @"the file was replaced or removed while it was open");
    insta::assert_snapshot!(writer.push(&9).unwrap_err().without_path(), @"cannot write the array: an earlier call failed");
    writer.finish().unwrap_err();
    assert_eq!(npy_core::load::<u8>(&path).unwrap(), [8]);

    let none: DType = "|S0".parse().unwrap();
    let mut writer =
        NpyWriter::<npy_core::types::FixedBytes<0>, _>::create_like(&path, &Header::new(none, Order::C, &[0]).unwrap()).unwrap();
    writer.write_slice(&[npy_core::types::FixedBytes::default(); 2]).unwrap();
    writer.flush().unwrap();
    drop(writer);
    assert_eq!(npy_core::load::<npy_core::types::FixedBytes<0>>(&path).unwrap().len(), 2);

    // Room for one digit more: refused before it is too late, so that what was pushed can be
    // counted.
    let mut tight = b"\x93NUMPY\x01\0\x3a\0{'descr':'<f8','fortran_order':False,'shape':(3,)}       \n".to_vec();
    tight.resize(10 + 58 + 24, 0);
    fs::write(&path, &tight).unwrap();
    let mut writer = NpyWriter::<f64, _>::append(&path).unwrap();
    let error = writer.write_slice(&[1.0; 7]).unwrap_err();
    assert!(error.kind() == ErrorKind::CannotGrow, "{error}");
    writer.write_slice(&[1.0; 6]).unwrap();
    assert!(writer.push(&1.0).is_err());
    writer.finish().unwrap();
    assert_eq!(npy_core::load::<f64>(&path).unwrap().len(), 9);
}

/// A file system without room: what was flushed stays, the error comes back.
#[test]
fn full_sink_keeps_flushed_rows() {
    let items: Vec<Reading> = (0..20).map(reading).collect();
    let offset = Header::new(Reading::dtype(), Order::C, &[0]).unwrap().to_bytes().len();
    for most in 0..offset + 20 * 17 {
        let mut sink = Full::after(most);
        let mut safe = 0;
        let result = (|| {
            let mut writer = NpyWriter::new(&mut sink)?;
            for chunk in items.chunks(3) {
                writer.write_slice(chunk)?;
                writer.flush()?;
                safe += chunk.len();
            }
            writer.finish().map(drop)
        })();
        let error = result.unwrap_err();
        assert!(error.io_kind() == Some(std::io::ErrorKind::StorageFull), "{most}: {error}");
        if most >= offset {
            let bytes = sink.file.into_inner();
            let read = npy_core::read::<Reading>(&bytes[..]).unwrap();
            assert_eq!(read, items[..safe], "{most}");
        }
    }
}
