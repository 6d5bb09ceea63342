//! Writing archives: streamed, appended, compressed by several threads, and failing.

use std::fs;
use std::io::{self, Cursor, Write};

use npy_core::DType;
use npy_core::npz::{NpzReader, NpzStream, NpzWriter, WriteOptions};

use crate::support::archives::{Pick, picks, problem, random, stored, values, writer, writer_with};
use crate::support::native;
use crate::support::numpy::numpy;

/// Numbers that compress moderately.
fn noise(count: usize) -> Vec<u32> {
    let mut state = 5;
    (0..count).map(|_| random(&mut state) as u32 & 0x00ff_ff0f).collect()
}

#[test]
fn members_of_unknown_length_have_the_same_bytes() {
    for is_compressed in [false, true] {
        let mut known = writer();
        let mut unknown = writer();
        for archive in [&mut known, &mut unknown] {
            archive.set_options(archive.options().compressed(is_compressed));
        }
        let rows: Vec<[f32; 3]> = (0..50_000).map(|i| [i as f32, 0.5, -1.0]).collect();
        known.add_slice("values", &values()).unwrap();
        known.add_slice("rows", &rows).unwrap();
        known.add_slice("picks", &picks()).unwrap();
        known.add_slice::<u8>("none", &[]).unwrap();

        unknown
            .add_stream("values", |writer| {
                let (first, rest) = (values()[0], values()[1..].to_vec());
                writer.push(&first)?;
                writer.write_slice(&rest)
            })
            .unwrap();
        unknown.add_stream("rows", |writer| writer.extend(&rows)).unwrap();
        let dtype: DType = native("[('id', '<u4'), ('name', '<U3'), ('xyz', '<f4', (3,))]").parse().unwrap();
        unknown.add_stream_of("picks", dtype, |writer| picks().iter().try_for_each(|pick| writer.push(pick))).unwrap();
        unknown.add_stream::<u8>("none", |_| Ok(())).unwrap();
        let (known, unknown) = (known.finish().unwrap().into_inner(), unknown.finish().unwrap().into_inner());
        if !is_compressed {
            assert!(known == unknown, "a stored member has the same bytes");
        }
        let mut archive = NpzReader::from_bytes(&unknown).unwrap();
        assert_eq!(archive.by_name::<f64>("values").unwrap(), values());
        assert_eq!(archive.by_name::<[f32; 3]>("rows").unwrap(), rows);
        assert_eq!(archive.by_name::<Pick>("picks").unwrap(), picks());
        assert!(archive.by_name::<u8>("none").unwrap().is_empty());
        if let Some(numpy) = numpy("members_of_unknown_length_have_the_same_bytes") {
            let program =
                "print(archive['values'].shape, archive['rows'].shape, archive['picks']['name'].tolist(), archive['none'].shape)";
            let printed = numpy.prints_of_archive(&unknown, program);
            assert_eq!(printed, "(1000,) (50000, 3) ['a', 'ab', 'abc', 'a', 'ab'] (0,)");
        }
    }
    let mut archive = NpzWriter::streaming(Vec::new());
    let error = archive.add_stream::<u8>("x", |_| Ok(())).unwrap_err();
    assert_eq!(error.member(), Some("x"));
    assert!(error.to_string().contains("unknown length"), "{error}");
    // Nothing was written, and more members can be added.
    archive.add_slice("x", &[1_u8]).unwrap();
    assert_eq!(NpzReader::from_bytes(&archive.finish().unwrap()).unwrap().by_name::<u8>("x").unwrap(), [1]);
}

/// The header of an array is in stored blocks of at most 65,535 bytes.
#[test]
fn headers_longer_than_a_block_are_streamed() {
    #[derive(npy_core::NpyRecord, Debug, PartialEq)]
    #[npy(fill_unknown_fields)]
    struct Long {
        x: [u8; 2],
        y: f64,
    }
    let name = "n".repeat(150_000);
    let dtype: DType = format!("[('x', '|u1', (2,)), ('{name}', '<i4'), ('y', '<f8')]").parse().unwrap();
    let items = || (0..1000).map(|i| Long { x: [1, 2], y: f64::from(i) });
    let mut archive = NpzWriter::new_compressed(Cursor::new(Vec::new()));
    archive.add_stream_of("long", dtype, |writer| items().try_for_each(|item| writer.push(&item))).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    let mut archive = NpzReader::from_bytes(&bytes).unwrap();
    assert!(archive.by_name::<Long>("long").unwrap().into_iter().eq(items()));
}

#[test]
fn levels_compress_like_those_of_zlib() {
    // Phrases of random length and order: a longer search finds longer matches.
    let (words, mut state) = (noise(3000), 6);
    let mut items: Vec<u32> = Vec::new();
    while items.len() < 100_000 {
        let begin = random(&mut state) % 2900;
        items.extend(&words[begin..begin + 1 + random(&mut state) % 40]);
    }
    items.truncate(100_000);
    let mut sizes = Vec::new();
    for level in [0, 1, 6, 9, 50] {
        let mut archive = writer_with(WriteOptions::new().compressed(true).level(level));
        archive.add_slice("x", &items).unwrap();
        // Each member has its level.
        archive.set_options(archive.options().compressed(false));
        archive.add_slice("y", &items[..10]).unwrap();
        let archive = archive.finish().unwrap().into_inner();
        let mut reader = NpzReader::from_bytes(&archive).unwrap();
        assert_eq!(reader.by_name::<u32>("x").unwrap(), items);
        assert_eq!(reader.by_name::<u32>("y").unwrap(), items[..10]);
        assert_eq!(reader.size(1), Some(128 + 40));
        sizes.push(archive.len());
    }
    assert!(sizes[0] > 400_000 && sizes[2] < sizes[1] && sizes[3] != sizes[2], "{sizes:?}");
    assert_eq!(sizes[3], sizes[4]);
}

/// Blocks of several threads are one stream, which does not depend on the number of threads.
#[test]
fn threads_compress_blocks() {
    let items = noise(1_500_000);
    let archive = |threads, level| {
        let mut archive = writer_with(WriteOptions::new().compressed(true).threads(threads).level(level));
        archive.add_slice("large", &items).unwrap();
        archive.add_slice("small", &[1_u8, 2, 3]).unwrap();
        archive.add_slice::<u8>("none", &[]).unwrap();
        archive.add_stream("stream", |writer| items.chunks(777).try_for_each(|chunk| writer.write_slice(chunk))).unwrap();
        archive.add_bytes("empty", b"").unwrap();
        // Exactly one block.
        archive.add_bytes("block", &vec![7; 1 << 20]).unwrap();
        archive.finish().unwrap().into_inner()
    };
    let serial = archive(1, 6);
    let two = archive(2, 6);
    assert!(two == archive(5, 6));
    assert!(serial == archive(0, 6));
    assert!(serial == two);
    for archive in [&two, &archive(3, 0), &archive(2, 1)] {
        let mut reader = NpzReader::from_bytes(archive).unwrap();
        assert_eq!(reader.by_name::<u32>("large").unwrap(), items);
        assert_eq!(reader.by_name::<u8>("small").unwrap(), [1, 2, 3]);
        assert!(reader.by_name::<u8>("none").unwrap().is_empty());
        assert_eq!(reader.by_name::<u32>("stream").unwrap(), items);
        let empty = reader.index_of("empty").unwrap();
        assert_eq!(reader.bytes(empty, 0).unwrap(), b"");
        let block = reader.index_of("block").unwrap();
        assert_eq!(reader.bytes(block, 1 << 20).unwrap(), vec![7; 1 << 20]);
    }
    if let Some(numpy) = numpy("threads_compress_blocks") {
        let program = "print(archive['large'].sum(dtype='u8'), (archive['large'] == archive['stream']).all(), archive['small'])";
        let sum: u64 = items.iter().map(|item| u64::from(*item)).sum();
        assert_eq!(numpy.prints_of_archive(&two, program), format!("{sum} True [1 2 3]"));
    }
}

/// Nothing of a failed member remains, in a file and in memory.
#[test]
fn failed_member_leaves_the_others_intact() {
    fn fill<W: Write>(archive: &mut NpzWriter<W>, is_small: bool) {
        archive.add_slice("first", &values()).unwrap();
        for is_compressed in [false, true] {
            for threads in [1, 2] {
                archive.set_options(archive.options().compressed(is_compressed).threads(threads));
                let rows = |count: usize| (0..count).map(|i| i as f64).collect::<Vec<_>>();
                let failed = archive.add_stream::<f64>("failed", |writer| {
                    writer.write_slice(&rows(if is_small { 10 } else { 300_000 }))?;
                    Err(io::Error::other("the sensor is lost").into())
                });
                assert!(format!("{:#}", failed.unwrap_err()).contains("the sensor is lost"));
                archive.add_slice("failed", &[Some(1.5_f64), None]).unwrap_err();
                archive.add_stream::<String>("failed", |writer| writer.push(&"long".to_owned())).unwrap_err();
                archive.add_slice(&format!("good {is_compressed} {threads}"), &[1_u8, 2]).unwrap();
            }
        }
        archive.add_stream::<f64>("failed", |_| Err(npy_core::Error::object_array())).unwrap_err();
    }
    let directory = tempfile::tempdir().unwrap();
    for is_small in [true, false] {
        let mut expected = writer();
        expected.add_slice("first", &values()).unwrap();
        let mut in_memory = writer();
        fill(&mut in_memory, is_small);
        let in_memory = in_memory.finish().unwrap().into_inner();
        let path = directory.path().join("run.npz");
        let mut in_file = NpzWriter::create(&path).unwrap();
        fill(&mut in_file, is_small);
        drop(in_file.finish().unwrap());
        let in_file = fs::read(&path).unwrap();
        for archive in [&in_memory, &in_file] {
            let mut reader = NpzReader::from_bytes(archive).unwrap();
            reader.verify().unwrap();
            assert_eq!(reader.names().collect::<Vec<_>>(), ["first", "good false 1", "good false 2", "good true 1", "good true 2"]);
            assert_eq!(reader.by_name::<f64>("first").unwrap(), values());
        }
        // A file is truncated. Memory keeps the abandoned bytes before the directory.
        assert!(in_file.len() < 10_000);
        if let Some(numpy) = numpy("failed_member_leaves_the_others_intact") {
            assert_eq!(numpy.prints_of_archive(&in_memory, "print(len(members))"), "5");
        }
    }
    // A pipe cannot be rewound, and later errors repeat the first cause.
    let mut archive = NpzWriter::streaming(Vec::new());
    archive.add_content("x", |_| Err(npy_core::Error::object_array())).unwrap_err();
    let error = archive.add_slice("y", &[1_u8]).unwrap_err();
    assert!(format!("{error:#}").contains("an earlier call failed: member \"x\": unsupported dtype 'O'"), "{error}");
}

#[test]
fn appends_members_to_an_existing_archive() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.npz");
    fs::write(&path, stored()).unwrap();
    for day in 0..10_u64 {
        let before = fs::read(&path).unwrap();
        let mut archive = NpzWriter::append(&path).unwrap();
        assert_eq!(
            problem(archive.add_slice("values", &[1_u8])),
            "duplicate member name; to replace a member, write a new archive"
        );
        archive.set_options(archive.options().compressed(day % 2 == 1));
        archive.add_slice(&format!("day{day}"), &[day; 100]).unwrap();
        drop(archive.finish().unwrap());
        let mut names = Vec::new();
        let mut stream = NpzStream::new(fs::File::open(&path).unwrap());
        while let Some(member) = stream.next().unwrap() {
            names.push(member.name().to_owned());
        }
        assert_eq!((names.len() as u64, names.last().cloned()), (5 + day + 1, Some(format!("day{day}"))));
        // Nothing in it was written again.
        let after = fs::read(&path).unwrap();
        assert!(after.starts_with(&before));
        let mut archive = NpzReader::open(&path).unwrap();
        assert_eq!(archive.len() as u64, 5 + day + 1);
        assert_eq!(archive.by_name::<u64>(&format!("day{day}")).unwrap(), [day; 100]);
        assert_eq!(archive.by_name::<u64>("day0").unwrap(), [0; 100]);
        assert_eq!(archive.by_name::<f64>("values").unwrap(), values());
    }
    // Discarded and failed members leave the archive as it was.
    let before = fs::read(&path).unwrap();
    let mut archive = NpzWriter::append(&path).unwrap();
    archive.add_slice("x", &values()).unwrap();
    assert!(fs::metadata(&path).unwrap().len() > before.len() as u64);
    archive.discard();
    assert!(fs::read(&path).unwrap() == before);
    let mut archive = NpzWriter::append(&path).unwrap();
    archive.add_content("x", |_| Err(npy_core::Error::object_array())).unwrap_err();
    assert!(fs::read(&path).unwrap() == before);
    // A second writer is refused.
    let error = NpzWriter::append(&path).unwrap_err();
    assert!(format!("{error:#}").contains("locked by another writer"), "{error}");
    drop(archive);
    let mut archive = NpzWriter::append(&path).unwrap();
    archive.add_slice("y", &[1_u8]).unwrap();
    // A program that ignores locks.
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"more").unwrap();
    let error = archive.finish().unwrap_err();
    assert!(format!("{error:#}").contains("modified by another writer"), "{error}");
    // Its bytes are not truncated.
    assert!(fs::read(&path).unwrap().ends_with(b"more"));
    fs::write(&path, &before).unwrap();
    // No file, and no archive.
    let error = NpzWriter::append(directory.path().join("none.npz")).unwrap_err();
    assert!(error.io_kind() == Some(io::ErrorKind::NotFound), "{error}");
    fs::write(directory.path().join("x.npy"), b"\x93NUMPY").unwrap();
    assert!(problem(NpzWriter::append(directory.path().join("x.npy"))).contains("not an .npz file: "));
    assert_eq!(fs::read(directory.path().join("x.npy")).unwrap(), b"\x93NUMPY");

    let Some(numpy) = numpy("appends_members_to_an_existing_archive") else { return };
    assert_eq!(numpy.prints(["archives.py", "appended", path.to_str().unwrap()], b""), "15 4500");
    let mut archive = NpzWriter::append(&path).unwrap();
    archive.set_options(archive.options().aligned(true));
    archive.add_slice("y", &[1_u16, 2]).unwrap();
    drop(archive.finish().unwrap());
    let mut archive = NpzReader::open(&path).unwrap();
    assert_eq!(archive.by_name::<f64>("x").unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(archive.by_name::<u16>("y").unwrap(), [1, 2]);
    // The data are aligned in the file, whatever precedes the archive.
    let bytes = fs::read(&path).unwrap();
    let magic: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"\x93NUMPY")).collect();
    assert_eq!(magic[1] % 64, 0);
    assert!(bytes.ends_with(b"PK\x05\x06 in a comment"));
}
