//! Extraction, views, scalars, threads, limits and pipes of archives.

use std::fs;
use std::io::{Cursor, Read, Seek, SeekFrom};

use npy_core::npz::{NpzReader, NpzStream, NpzWriter, WriteOptions};
use npy_core::region::AxisRange;
use npy_core::{DType, ErrorKind, Header, Limits, Order};

use crate::support::archives::{Pick, picks, problem, values, writer, writer_with};
use crate::support::numpy::numpy;
use crate::support::scratch;

#[test]
fn members_are_extracted_into_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let mut archive = writer();
    archive.add_slice("a/b/x", &values()).unwrap();
    archive.add_bytes("notes.txt", b"hello").unwrap();
    archive.add_bytes("empty/", b"").unwrap();
    let good = archive.finish().unwrap().into_inner();
    let mut reader = NpzReader::from_bytes(&good).unwrap();
    let paths = reader.extract_all(directory.path()).unwrap();
    assert_eq!(paths, ["a/b/x.npy", "notes.txt", "empty"].map(|name| directory.path().join(name)));
    assert_eq!(npy_core::load::<f64>(&paths[0]).unwrap(), values());
    assert_eq!(fs::read(&paths[1]).unwrap(), b"hello");
    assert!(paths[2].is_dir());

    let inner = directory.path().join("inner");
    for name in ["../x", "/etc/x", "a/../../x", "a\\..\\x", "C:x", "a//x", "./x", ""] {
        let mut archive = writer();
        archive.add_bytes("first", b"1").unwrap();
        archive.add_bytes(name, b"2").unwrap();
        let bad = archive.finish().unwrap().into_inner();
        let mut reader = NpzReader::from_bytes(&bad).unwrap();
        assert_eq!(
            problem(reader.extract(1, &inner)),
            "unsafe member name: expected a relative path without `..`, `\\`, `:`, NUL or the name of a Windows device",
            "{name:?}"
        );
        let error = reader.extract_all(&inner).unwrap_err();
        assert_eq!(error.member(), Some(name));
        // Nothing is extracted.
        assert!(!inner.exists());
    }
    // A damaged member leaves no file.
    let mut damaged = good;
    let at = damaged.windows(5).position(|window| window == b"hello").unwrap();
    damaged[at] ^= 1;
    let mut reader = NpzReader::from_bytes(&damaged).unwrap();
    assert!(problem(reader.extract(1, &inner)).contains("wrong checksum: expected 0x"));
    assert_eq!(fs::read_dir(&inner).unwrap().count(), 0);
    // A name with a NUL, which `NpzWriter` refuses.
    let mut archive = writer();
    archive.add_bytes("a_b", b"2").unwrap();
    let bad: Vec<u8> = archive.finish().unwrap().into_inner().iter().map(|byte| if *byte == b'_' { 0 } else { *byte }).collect();
    assert_eq!(
        problem(NpzReader::from_bytes(&bad).unwrap().extract(0, &inner)),
        "unsafe member name: expected a relative path without `..`, `\\`, `:`, NUL or the name of a Windows device"
    );
}

#[test]
fn views_or_copies_on_request() {
    let path = scratch("run.npz");
    let mut archive = NpzWriter::create(&path).unwrap();
    archive.set_options(archive.options().aligned(true));
    archive.add_slice("aligned", &values()).unwrap();
    archive.set_options(archive.options().aligned(false));
    let big: DType = ">f8".parse().unwrap();
    archive.add("big", &Header::new(big, Order::C, &[1000]).unwrap(), |writer| writer.write_slice(&values())).unwrap();
    archive.add_slice("odd", &values()).unwrap();
    archive.set_options(archive.options().compressed(true));
    archive.add_slice("compressed", &values()).unwrap();
    drop(archive.finish().unwrap());
    // SAFETY: no other process knows the file.
    let map = unsafe { memmap2::Mmap::map(&fs::File::open(&path).unwrap()).unwrap() };
    let mut archive = NpzReader::from_bytes(&map).unwrap();
    for name in ["aligned", "big", "odd", "compressed"] {
        let items = archive.view_or_read::<f64>(name).unwrap();
        assert_eq!(*items, values(), "{name}");
        assert_eq!(matches!(items, std::borrow::Cow::Borrowed(_)), name == "aligned", "{name}");
        assert_eq!(archive.view::<f64>(name).is_ok(), name == "aligned", "{name}");
        let mut arrays = npy_ndarray::NpzReader::from_bytes(&map).unwrap();
        let array = arrays.view_or_read::<f64, ndarray::Ix1>(name).unwrap();
        assert_eq!((array.to_vec(), array.is_view()), (values(), name == "aligned"), "{name}");
        assert!(arrays.view_or_read::<f64, ndarray::Ix2>(name).is_err(), "{name}");
        // Other errors remain.
        assert_eq!(archive.view_or_read::<f32>(name).unwrap_err().kind(), ErrorKind::Mismatch, "{name}");
    }
}

#[test]
fn scalars_have_no_dimensions() {
    let mut archive = writer();
    archive.add_scalar("rate", &0.5_f64).unwrap();
    archive.add_scalar("name", &"SGD".to_owned()).unwrap();
    archive.add_scalar("pick", &picks()[2]).unwrap();
    archive.add_scalar("xyz", &[1.0_f32, 2.0, 3.0]).unwrap();
    archive.add_slice("one", &[1_u8]).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    let mut archive = NpzReader::from_bytes(&bytes).unwrap();
    assert_eq!(archive.scalar::<f64>("rate").unwrap(), 0.5);
    assert_eq!(archive.scalar::<String>("name").unwrap(), "SGD");
    assert_eq!(archive.scalar::<Pick>("pick").unwrap(), picks()[2]);
    assert_eq!(archive.scalar::<[f32; 3]>("xyz").unwrap(), [1.0, 2.0, 3.0]);
    let error = archive.scalar::<u8>("one").unwrap_err();
    assert_eq!(
        error.to_string(),
        "member \"one\": wrong number of dimensions: expected 0, found 1 with shape (1,); `NpyReader::into_vec`, `DynValues` or `ndarray::ArrayD` takes any"
    );
    let Some(numpy) = numpy("scalars_have_no_dimensions") else { return };
    let program = "print(archive['rate'], archive['name'], archive['pick']['name'], archive['pick'].shape, archive['xyz'].shape)";
    assert_eq!(numpy.prints_of_archive(&bytes, program), "0.5 SGD abc () (3,)");
}

/// Clones of a reader read members at the same time.
#[test]
fn several_threads_read_one_archive() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz");
    let mut archive = NpzWriter::create(&path).unwrap();
    for i in 0..20_u32 {
        archive.set_options(archive.options().compressed(i % 2 == 0));
        archive.add_slice(&format!("m{i}"), &vec![i; 10_000]).unwrap();
    }
    drop(archive.finish().unwrap());
    let archive = NpzReader::open(&path).unwrap();
    std::thread::scope(|scope| {
        for first in 0..4_usize {
            let mut archive = archive.clone();
            scope.spawn(move || {
                for index in (first..20).step_by(4) {
                    assert_eq!(archive.by_index::<u32>(index).unwrap(), vec![index as u32; 10_000]);
                }
            });
        }
    });
}

#[test]
fn limits_of_archives() {
    let mut archive = NpzWriter::new_compressed(Cursor::new(Vec::new()));
    archive.add_slice("x", &[0_u8; 100_000]).unwrap();
    archive.add_slice("y", &[0_u8; 10]).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    let limit = |limits| NpzReader::new_with(Cursor::new(&bytes), limits).and_then(|mut archive| archive.by_name::<u8>("x"));
    let error = limit(Limits::new().members(1)).unwrap_err();
    assert!(error.to_string().contains("expected at most 1 member, found 2; "), "{error}");
    let error = limit(Limits::new().member_bytes(100_127)).unwrap_err();
    assert!(error.to_string().contains("expected at most 100127 bytes of a member, found 100128; "), "{error}");
    assert_eq!(limit(Limits::new().members(2).member_bytes(100_128)).unwrap(), [0; 100_000]);
    // A stream reaches the limit later.
    for bytes in [&bytes[..], &{
        let mut archive = NpzWriter::streaming(Vec::new());
        archive.set_options(archive.options().compressed(true));
        archive.add_slice("x", &[0_u8; 100_000]).unwrap();
        archive.finish().unwrap()
    }] {
        let mut stream = NpzStream::new_with(bytes, Limits::new().member_bytes(1000));
        // At once, or at the limit.
        let error = match stream.next() {
            Ok(member) => member.unwrap().array().and_then(npy_core::NpyReader::into_vec::<u8>).unwrap_err(),
            Err(error) => error,
        };
        assert!(error.kind() == ErrorKind::LimitExceeded, "{error}");
    }
}

/// More than 65,535 members need Zip64. Memory is that of the directory, and each member is found, as by the crate `zip` and by Python.
#[test]
fn more_members_than_16_bits_count() {
    let count = 66_000;
    let mut archive = writer();
    for i in 0..count {
        archive.add_bytes(&i.to_string(), &i.to_string().into_bytes()).unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    let mut archive = NpzReader::from_bytes(&bytes).unwrap();
    assert_eq!(archive.len(), count);
    assert_eq!(archive.index_of("65536"), Some(65_536));
    assert_eq!(archive.bytes(count - 1, 5).unwrap(), b"65999");
    let error = archive.by_name::<u8>("none").unwrap_err();
    let expected = format!("missing array \"none\": the archive has 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and {} more", count - 12);
    assert_eq!(error.to_string(), expected);
    let mut theirs = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
    let mut last = Vec::new();
    theirs.by_name("65999").unwrap().read_to_end(&mut last).unwrap();
    assert_eq!((theirs.len(), &last[..]), (count, &b"65999"[..]));
    let Some(numpy) = numpy("more_members_than_16_bits_count") else { return };
    let program = "import io, sys, zipfile; print(len(zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())).infolist()))";
    assert_eq!(numpy.prints(["-c", program], &bytes), count.to_string());
}

/// One stored member and one compressed, of shape (1000, 3).
fn archive_of_rows() -> Vec<u8> {
    let items: Vec<[u32; 3]> = (0..1000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mut archive = writer();
    archive.add_slice("stored", &items).unwrap();
    archive.set_options(archive.options().compressed(true));
    archive.add_slice("deflated", &items).unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn reads_regions_of_members() {
    let file = archive_of_rows();
    let mut archive = NpzReader::from_bytes(&file).unwrap();
    for index in 0..2 {
        let mut reader = archive.array(index).unwrap();
        let region = [AxisRange::from(10..990).step_by(400), (1..3).into()];
        assert_eq!(reader.read_region::<u32>(&region).unwrap(), [31, 32, 1231, 1232, 2431, 2432], "{index}");
        reader.seek_to(998).unwrap();
        assert_eq!(reader.next_rows(5).unwrap().unwrap().to_vec::<u32>().unwrap(), [2994, 2995, 2996, 2997, 2998, 2999]);
    }
    // Only stored members seek backwards.
    let mut reader = archive.array(0).unwrap();
    reader.seek_to(1000).unwrap();
    assert_eq!(reader.read_at::<u32>(7..8).unwrap(), [21, 22, 23]);
    let mut reader = archive.array(1).unwrap();
    reader.seek_to(1000).unwrap();
    let error = reader.seek_to(999).unwrap_err();
    assert!(format!("{error:#}").ends_with("cannot seek backwards in a compressed member"), "{error:#}");
}

#[test]
fn seeks_only_within_a_member() {
    let file = archive_of_rows();
    let mut archive = NpzReader::from_bytes(&file).unwrap();
    for index in 0..2 {
        let size = archive.size(index).unwrap();
        let mut member = archive.array(index).unwrap().into_inner();
        assert!(member.seek(SeekFrom::End(1)).is_err() && member.seek(SeekFrom::Current(-1000)).is_err());
        assert_eq!(member.seek(SeekFrom::End(-4)).unwrap(), size - 4);
        let mut rest = Vec::new();
        member.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, 2999_u32.to_ne_bytes(), "{index}");
        assert_eq!(member.stream_position().unwrap(), size);
    }
}

#[test]
fn seeking_drops_the_checksum_of_stored_members_only() {
    let good = archive_of_rows();
    for index in 0..2 {
        let mut archive = NpzReader::from_bytes(&good).unwrap();
        let range = archive.data_range(index).unwrap();
        assert_eq!(archive.method(index), Some([0, 8][index]));
        let mut file = good.clone();
        file[usize::try_from(range.end).unwrap() - 2000] ^= 1;
        let mut archive = NpzReader::from_bytes(&file).unwrap();
        let mut reader = archive.array(index).unwrap();
        let skipped = reader.seek_to(1000).and_then(|()| reader.into_vec::<u32>());
        assert_eq!(skipped.is_ok(), index == 0, "{skipped:?}");
        assert!(archive.array(index).unwrap().into_vec::<u32>().is_err());
    }
}

#[test]
fn returns_sizes_and_contents() {
    let mut archive = writer_with(WriteOptions::new().compressed(true));
    archive.add_slice("zeros", &[0_u64; 1000]).unwrap();
    archive.set_options(archive.options().compressed(false));
    archive.add_bytes("notes.txt", b"hello").unwrap();
    assert!(format!("{archive:?}").contains("members: 2"), "{archive:?}");
    let file = archive.finish().unwrap().into_inner();
    let reader = NpzReader::new_with(Cursor::new(&file), Limits::new().members(7)).unwrap();
    assert_eq!(reader.size(0), Some(8128));
    let range = reader.clone().data_range(0).unwrap();
    assert_eq!(reader.compressed_size(0), Some(range.end - range.start));
    assert!(range.end - range.start < 300);
    assert_eq!((reader.compressed_size(1), reader.compressed_size(2)), (Some(5), None));
    assert!(format!("{reader:?}").contains(r#"["zeros", "notes.txt"]"#), "{reader:?}");
    let mut stream = NpzStream::new(&file[..]);
    let before = format!("{stream:?}");
    stream.next().unwrap().unwrap();
    assert_ne!(format!("{stream:?}"), before);
}
