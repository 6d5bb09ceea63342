//! Archives exchanged with NumPy and Python, in both directions.

use std::io::Cursor;

use npy_core::ErrorKind;
use npy_core::npz::{NpzReader, NpzStream, NpzWriter};

use crate::support::archives::{Pick, check, compressed, fill, picks, problem, random, stored, streamed, values};
use crate::support::numpy::{frames, numpy};
use crate::support::streams::Slow;
use crate::support::{as_little_endian, rounds, scratch, some};

#[test]
fn archives_round_trip() {
    for archive in [stored(), compressed(), streamed()] {
        check(&archive);
        // Bytes before the archive, and a comment.
        let prefixed = [b"#!/bin/sh\n".as_slice(), &archive].concat();
        check(&prefixed);
        let mut commented = archive.clone();
        let length = commented.len();
        commented[length - 2..].copy_from_slice(&5_u16.to_le_bytes());
        commented.extend(b"hello");
        check(&commented);
    }
    assert!(compressed().len() < stored().len());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz");
    drop(fill(NpzWriter::create(&path).unwrap()));
    assert_eq!(std::fs::read(&path).unwrap(), stored());
    assert_eq!(NpzReader::open(&path).unwrap().by_name::<f64>("values").unwrap(), values());
    // A discarded archive leaves the old file, and no temporary one.
    let mut archive = NpzWriter::create(&path).unwrap();
    archive.add_slice("x", &[1_u8]).unwrap();
    archive.discard();
    assert_eq!(std::fs::read(&path).unwrap(), stored());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    drop(fill(NpzWriter::create("/dev/null").unwrap()));
}

#[test]
fn writes_the_bytes_of_savez() {
    let Some(numpy) = numpy("writes_the_bytes_of_savez") else { return };
    let printed = numpy.run(["archives.py", "savez"], b"");
    let files = frames(&printed);
    // NumPy's files are little-endian.
    assert!(cfg!(target_endian = "big") || files[0] == stored(), "a stored archive");
    assert!(cfg!(target_endian = "big") || files[2] == streamed(), "an archive in a pipe");
    assert_eq!(files[3], NpzWriter::new(Cursor::new(Vec::new())).finish().unwrap().into_inner(), "an archive of nothing");
    files[..3].iter().for_each(|file| check(file));
    assert!(NpzReader::new(Cursor::new(files[3])).unwrap().is_empty());
}

#[test]
fn numpy_reads_our_archives() {
    let Some(numpy) = numpy("numpy_reads_our_archives") else { return };
    let program = r"
assert archive.files == ['values', 'picks', 'größe/matrix', 'empty', ''], archive.files
assert (archive['values'] == np.arange(1000) / 3.0).all()
assert archive['picks'].dtype.names == ('id', 'name', 'xyz') and archive['picks']['id'].tolist() == [0, 1, 2, 3, 4]
assert archive['größe/matrix'].tolist() == [[1, 2, 3], [4, 5, 6]]
assert archive[''].tolist() == [True, False]
print('read')
";
    for archive in [stored(), compressed(), streamed()] {
        assert_eq!(numpy.prints_of_archive(&archive, program), "read");
    }
}

/// Archives of Python's `zipfile` with names, methods and 64-bit fields that NumPy never writes.
#[test]
fn archives_of_zipfile_are_read_as_numpy_reads_them() {
    let Some(numpy) = numpy("archives_of_zipfile_are_read_as_numpy_reads_them") else { return };
    let printed = numpy.run(["archives.py", "names_of_zipfile"], b"");
    let files = frames(&printed);
    let mut keys = NpzReader::new(Cursor::new(files[0])).unwrap();
    let mut read = |name: &str| keys.by_name::<u16>(name).map(|values| values[0]);
    assert_eq!(read("a").unwrap(), 2);
    assert_eq!(read("a.npy").unwrap(), 1);
    assert_eq!(read("b").unwrap(), 4);
    assert_eq!(read("c.npy").unwrap(), 5);
    assert_eq!(read("c.npy.npy").unwrap(), 5);
    assert_eq!(read("d.NPY").unwrap(), 6);
    assert_eq!(read("back\\slash/../x").unwrap(), 7);
    assert_eq!(
        read("d").unwrap_err().to_string(),
        "missing array \"d\": the archive has a, a, b, b, c.npy, d.NPY, notes.txt, directory/, back\\slash/../x",
    );
    let error = read("notes.txt").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WrongFormat | ErrorKind::Truncated), "{error}");
    assert_eq!(error.member(), Some("notes.txt"));
    let notes = keys.index_of("notes.txt").unwrap();
    assert_eq!(keys.bytes(notes, 5).unwrap(), b"hello");
    let error = keys.bytes(notes, 4).unwrap_err();
    assert!(
        error.to_string().ends_with("at most 4 bytes of a member, found 5; pass a larger `most` if the archive is trusted"),
        "{error}"
    );
    let directory = keys.index_of("directory/").unwrap();
    assert_eq!(keys.bytes(directory, 0).unwrap(), b"");

    let mut zip64 = NpzReader::new(Cursor::new(files[1])).unwrap();
    assert_eq!(zip64.by_name::<u16>("x").unwrap(), [1, 2, 3]);
    assert_eq!(zip64.by_name::<u16>("y").unwrap(), [4]);

    let mut trailing = NpzReader::new(Cursor::new(files[2])).unwrap();
    assert_eq!(trailing.by_name::<u16>("ok").unwrap(), [3]);
}

/// Archives of each method of Python's `zipfile`, to a file and to a pipe.
fn archives_of_every_method(numpy: &crate::support::numpy::NumPy) -> Vec<(u16, Vec<u8>)> {
    let printed = numpy.run(["archives.py", "every_method"], &stored());
    let archive = |frame: &[u8]| (u16::from_le_bytes([frame[0], frame[1]]), frame[2..].to_vec());
    frames(&printed).into_iter().map(archive).collect()
}

#[test]
fn members_of_every_method_are_read() {
    let Some(numpy) = numpy("members_of_every_method_are_read") else { return };
    let archives = archives_of_every_method(numpy);
    assert_eq!(archives.iter().map(|(method, _)| *method).collect::<Vec<_>>(), [0, 0, 8, 8, 12, 12, 14, 14, 93, 93]);
    for (i, (method, archive)) in archives.iter().enumerate() {
        check(archive);
        // Forward only, some members skipped.
        let mut names = Vec::new();
        let mut stream = NpzStream::new(Slow(archive, 1000));
        while let Some(mut member) = stream.next().unwrap() {
            names.push(member.name().to_owned());
            match names.len() {
                1 => assert_eq!(member.array().unwrap().into_vec::<f64>().unwrap(), values(), "method {method}"),
                4 => assert!(member.array().unwrap().into_vec::<u8>().unwrap().is_empty(), "method {method}"),
                _ => {}
            }
        }
        assert_eq!(names, ["values", "picks", "größe/matrix", "empty", ""], "method {method}, {i}");
        // Truncated anywhere.
        for length in some((0..archive.len()).step_by(11), 10) {
            assert!(NpzReader::new(Cursor::new(&archive[..length])).is_err());
            let mut stream = NpzStream::new(&archive[..length]);
            let mut count = 0;
            while let Ok(Some(_)) = stream.next() {
                count += 1;
            }
            assert!(count <= 5);
        }
        // A flipped bit in the data of the first member is an error, or has no effect.
        let mut state = 3;
        let end = archive.windows(4).skip(4).position(|window| window == b"PK\x03\x04").unwrap() + 4;
        let mut errors = 0;
        let damages = rounds(40);
        for _ in 0..damages {
            let mut damaged = archive.clone();
            damaged[50 + random(&mut state) % (end - 50)] ^= 1 << (random(&mut state) % 8);
            match NpzReader::new(Cursor::new(&damaged)).unwrap().by_name::<f64>("values") {
                Ok(found) => assert_eq!(found, values(), "method {method}"),
                Err(_) => errors += 1,
            }
            let mut stream = NpzStream::new(&damaged[..]);
            if let Ok(Some(mut member)) = stream.next()
                && let Ok(found) = member.array().and_then(|array| array.into_vec::<f64>())
            {
                assert_eq!(found, values(), "method {method}");
            }
        }
        // With few samples, more of them may hit unchecked bytes.
        let least = if damages < 400 { damages / 2 } else { damages * 3 / 4 };
        assert!(errors > least, "method {method}: {errors}");
    }
}

#[test]
fn arrays_of_ndarray() {
    use ndarray::{Array0, Array2, Array3, ArrayD, ShapeBuilder, arr0, s};

    let c = Array2::from_shape_fn((3, 4), |(i, k)| (i * 10 + k) as f32);
    let fortran = Array3::from_shape_fn((2, 3, 4).f(), |(i, k, l)| (i * 100 + k * 10 + l) as i64);
    for is_compressed in [false, true] {
        let file = Cursor::new(Vec::new());
        let mut archive =
            if is_compressed { npy_ndarray::NpzWriter::new_compressed(file) } else { npy_ndarray::NpzWriter::new(file) };
        archive.add_array("c", &c).unwrap();
        archive.add_array("fortran", &fortran).unwrap();
        archive.add_array("strided", &c.slice(s![..;2, 1..])).unwrap();
        archive.add_array("scalar", &arr0(2.5_f64)).unwrap();
        archive.add_slice("picks", &picks()).unwrap();
        let file = archive.finish().unwrap();

        let mut archive = npy_ndarray::NpzReader::new(file).unwrap();
        assert_eq!(archive.names().unwrap(), ["c", "fortran", "strided", "scalar", "picks"]);
        assert_eq!(archive.by_name::<ndarray::OwnedRepr<f32>, ndarray::Ix2>("c.npy").unwrap(), c);
        let read: Array3<i64> = archive.by_name("fortran").unwrap();
        assert_eq!((read.strides(), &read), (fortran.strides(), &fortran));
        let strided: ArrayD<f32> = archive.by_index(2).unwrap();
        assert_eq!(strided, c.slice(s![..;2, 1..]).into_dyn());
        let scalar: Array0<f64> = archive.by_name("scalar").unwrap();
        assert_eq!(scalar.into_scalar(), 2.5);
        assert_eq!((*archive).by_name::<Pick>("picks").unwrap(), picks());
        let error = archive.by_name::<ndarray::OwnedRepr<f64>, ndarray::Ix2>("c").unwrap_err();
        assert!(as_little_endian(&error).starts_with("member \"c\": cannot read f64: expected dtype <f8, found <f4"), "{error}");
        let error = archive.by_name::<ndarray::OwnedRepr<f64>, ndarray::Ix2>("d").unwrap_err();
        assert_eq!(error.to_string(), "missing array \"d\": the archive has c, fortran, strided, scalar, picks");
    }
}

/// Arrays of a mapped archive are not copied. NumPy reads the archive, too.
#[test]
fn aligned_members_are_viewed_in_place() {
    let path = scratch("aligned.npz");
    for is_streamed in [false, true] {
        let file = std::fs::File::create(&path).unwrap();
        let mut archive = if is_streamed { NpzWriter::streaming(file) } else { NpzWriter::new(file) };
        archive.set_options(archive.options().aligned(true));
        drop(fill(archive));
        let bytes = std::fs::read(&path).unwrap();
        check(&bytes);
        // SAFETY: no other process knows the file.
        let map = unsafe { memmap2::Mmap::map(&std::fs::File::open(&path).unwrap()).unwrap() };
        let mut archive = NpzReader::new(Cursor::new(&map[..])).unwrap();
        let view: &[f64] = archive.view("values").unwrap();
        assert_eq!(view, values());
        let inside = map.as_ptr_range();
        assert!(inside.contains(&view.as_ptr().cast()) && inside.contains(&view.as_ptr_range().end.cast()));
        let matrix = archive.index_of("größe/matrix").unwrap();
        let bytes: &[u8] = archive.stored(matrix).unwrap();
        assert_eq!(npy_ndarray::ViewNpyExt::view_npy(bytes).map(|view: ndarray::ArrayView2<'_, i16>| view[[1, 2]]).unwrap(), 6);
        if let Some(numpy) = numpy("aligned_members_are_viewed_in_place") {
            let sum: f64 = numpy.prints_of_archive(&map, "print(archive['values'].sum())").parse().unwrap();
            assert!((sum - values().iter().sum::<f64>()).abs() < 1e-6);
        }
    }
    // Unaligned and compressed members.
    let mut memory = vec![0; stored().len() + 65];
    // Odd, because 32-bit machines align an `f64` to 4 bytes.
    let begin = memory.as_ptr().align_offset(64) + 1;
    memory[begin..][..stored().len()].copy_from_slice(&stored());
    let mut archive = NpzReader::new(Cursor::new(&memory[begin..][..stored().len()])).unwrap();
    let error = archive.view::<f64>("values").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotViewable, "{error}");
    assert_eq!(error.member(), Some("values"));
    let compressed = compressed();
    let mut archive = NpzReader::new(Cursor::new(&compressed[..])).unwrap();
    assert_eq!(problem(archive.view::<f64>("values")), "cannot view a compressed member; read a copy (`view_or_read`)");
}

#[test]
fn archives_are_read_forward_only() {
    let compressed_stream = {
        let mut archive = NpzWriter::streaming(Vec::new());
        archive.set_options(archive.options().compressed(true));
        fill(archive)
    };
    for archive in [stored(), compressed(), streamed(), compressed_stream] {
        let mut names = Vec::new();
        let mut stream = NpzStream::new(Slow(&archive, 1000));
        while let Some(mut member) = stream.next().unwrap() {
            names.push(member.name().to_owned());
            match member.name() {
                "values" => assert_eq!(member.array().unwrap().into_vec::<f64>().unwrap(), values()),
                "picks" => assert_eq!(member.array().unwrap().records::<Pick>().map(Result::unwrap).collect::<Vec<_>>(), picks()),
                "größe/matrix" => assert_eq!(member.array().unwrap().header().shape(), [2, 3]),
                "empty" => assert!(member.array().unwrap().into_vec::<u8>().unwrap().is_empty()),
                // Skipped.
                _ => {}
            }
        }
        assert_eq!(names, ["values", "picks", "größe/matrix", "empty", ""]);
        // The end is final.
        assert!(stream.next().unwrap().is_none());

        // Nothing is read, a part is read, and another type is requested.
        let mut stream = NpzStream::new(Slow(&archive, 1000));
        let mut count = 0;
        while let Some(mut member) = stream.next().unwrap() {
            match count {
                0 => {}
                1 => drop(member.array().unwrap().read_into(&mut [picks()[0].clone()])),
                _ => assert!(member.array().unwrap().into_vec::<Pick>().is_err()),
            }
            count += 1;
        }
        assert_eq!(count, 5);

        // A truncation is an error, or after the read bytes.
        for length in (0..archive.len()).step_by(37) {
            let mut stream = NpzStream::new(Slow(&archive[..length], 1000));
            let mut complete = 0;
            let result = loop {
                match stream.next() {
                    Ok(Some(mut member)) => {
                        if let Err(error) = member.array().map(|_| ()) {
                            break Err(error);
                        }
                        complete += 1;
                    }
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                }
            };
            assert!(result.is_err() || complete == 5, "{length}");
        }
    }
}

/// A sparse file.
#[cfg(target_pointer_width = "64")]
struct Sparse(std::fs::File);

#[cfg(target_pointer_width = "64")]
impl std::io::Write for Sparse {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        use std::io::Seek;
        if bytes.len() >= 1 << 20 {
            // Only zeros are written in blocks of this size.
            self.0.seek_relative(bytes.len() as i64)?;
            return Ok(bytes.len());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

#[cfg(target_pointer_width = "64")]
impl std::io::Seek for Sparse {
    fn seek(&mut self, position: std::io::SeekFrom) -> std::io::Result<u64> {
        self.0.seek(position)
    }
}

/// A member of 4.5 GiB, and one after it.
#[cfg(target_pointer_width = "64")]
#[test]
fn writes_members_of_more_than_four_gibibytes() {
    use npy_core::{Header, NpyElement, Order};
    const BYTES: usize = 9 << 29;
    let path = scratch("large.npz");
    let mut archive = NpzWriter::new(Sparse(std::fs::File::create(&path).unwrap()));
    let header = Header::new(u8::dtype(), Order::C, &[BYTES]).unwrap();
    let zeros = vec![0_u8; 64 << 20];
    archive
        .add("large", &header, |large| {
            for _ in 0..BYTES / zeros.len() {
                large.write_slice(&zeros)?;
            }
            Ok(())
        })
        .unwrap();
    archive.add_slice("small", &[1_u8, 2, 3]).unwrap();
    drop(archive.finish().unwrap());

    let mut archive = NpzReader::open(&path).unwrap();
    assert_eq!(archive.header(0).unwrap().shape(), [BYTES]);
    assert_eq!(archive.by_name::<u8>("small").unwrap(), [1, 2, 3]);
    let Some(numpy) = numpy("writes_members_of_more_than_four_gibibytes") else { return };
    let printed = numpy.prints(["archives.py", "large", path.to_str().unwrap()], b"");
    let size = BYTES + 128;
    assert_eq!(printed, format!("{size} {size} 0 {} [1 2 3]", 30 + 9 + 20 + size));
}
