//! Parallel inflation of the blocks of a member: the same values with any number of threads.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::process::Command;

use flate2::{Compress, Compression, FlushCompress};
use ndarray::Array1;
use npy_core::npz::{NpzReader, NpzStream, NpzWriter};
use npy_core::{DType, Error, ErrorKind, Header, NpyRecord, Order};
use npy_ndarray::{NpzArchive, ReadOptions, npz::WriteOptions};

use crate::peak::with_peak;
use crate::support::archives::{problem, random, writer_with};
use crate::support::numpy::numpy;
use crate::support::streams::Full;
use crate::support::{scratch, some, written};

/// Noise, then steps: blocks of Huffman codes alone, and of matches.
fn items(count: usize) -> Vec<u64> {
    let mut state = 17;
    (0..count).map(|i| if i % 300_000 < 150_000 { random(&mut state) as u64 } else { i as u64 / 3 }).collect()
}

fn archive_of(items: &[u64]) -> Vec<u8> {
    let mut archive = writer_with(WriteOptions::new().compressed(true).level(1));
    archive.add_slice("x", items).unwrap();
    archive.finish().unwrap().into_inner()
}

fn read(archive: &[u8], threads: usize) -> npy_core::Result<Vec<u64>> {
    let mut reader = NpzReader::from_bytes(archive)?;
    reader.set_threads(threads);
    reader.by_name("x")
}

/// The offset of the directory entry of the only member.
fn entry(archive: &[u8]) -> usize {
    let end = archive.len() - 22;
    u32::from_le_bytes(archive[end + 16..][..4].try_into().unwrap()) as usize
}

/// The offset and the length of the extra field of blocks after the name `x.npy`.
fn field(archive: &[u8]) -> (usize, usize) {
    let at = entry(archive) + 46 + 5;
    assert_eq!(&archive[at..][..2], b"np");
    (at, 4 + usize::from(u16::from_le_bytes(archive[at + 2..][..2].try_into().unwrap())))
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Event {
    time: f64,
    is_new: bool,
    id: u16,
}

#[test]
fn members_of_every_kind_are_read_by_several_threads() {
    let items = items(1_200_000);
    let bools: Vec<bool> = items.iter().map(|item| item % 3 == 0).collect();
    let bools: Vec<bool> = bools.iter().copied().cycle().take(9 << 20).collect();
    let events: Vec<Event> =
        items.iter().map(|item| Event { time: *item as f64, is_new: item % 2 == 0, id: *item as u16 }).collect();
    let big_endian = Header::new(">u8".parse::<DType>().unwrap(), Order::C, &[items.len()]).unwrap();
    let path = scratch("a.npz");
    let mut archive = NpzWriter::create_compressed(&path).unwrap();
    archive.set_options(archive.options().threads(2));
    archive.add_slice("items", &items).unwrap();
    archive.add_slice("bools", &bools).unwrap();
    archive.add_slice("events", &events).unwrap();
    archive.add("big", &big_endian, |writer| writer.write_slice(&items)).unwrap();
    archive.add_stream("stream", |writer| items.chunks(1001).try_for_each(|chunk| writer.write_slice(chunk))).unwrap();
    archive.add_slice("little", &items[..10]).unwrap();
    archive.set_options(archive.options().compressed(false));
    archive.add_slice("stored", &items).unwrap();
    archive.finish().unwrap();
    // Appending keeps the lists of blocks.
    let mut archive = NpzWriter::append(&path).unwrap();
    archive.add_slice("more", &items[..10]).unwrap();
    archive.finish().unwrap();

    let mut archive = NpzReader::open(&path).unwrap();
    for threads in some([2, 1000, 3, 1, 0], 5) {
        archive.set_threads(threads);
        let mut archive = archive.clone();
        for name in ["items", "big", "stream", "stored"] {
            assert!(archive.by_name::<u64>(name).unwrap() == items, "{name} {threads}");
        }
        assert!(archive.by_name::<bool>("bools").unwrap() == bools);
        assert!(archive.by_name::<Event>("events").unwrap() == events);
        assert!(archive.by_name::<u64>("little").unwrap() == items[..10]);
        assert!(archive.by_name::<u64>("more").unwrap() == items[..10]);
        let index = archive.index_of("items").unwrap();
        let bytes = written(&items);
        assert!(archive.bytes(index, 1 << 30).unwrap() == bytes);
        // Some elements, then the rest.
        let mut reader = archive.array(index).unwrap();
        let mut first = [0; 1000];
        reader.read_into(&mut first).unwrap();
        assert!(first == items[..1000] && reader.into_vec::<u64>().unwrap() == items[1000..]);
        let mut reader = archive.array(index).unwrap();
        let mut first = vec![0; items.len() - 5];
        reader.read_into(&mut first).unwrap();
        assert!(first == items[..first.len()] && reader.into_vec::<u64>().unwrap() == items[first.len()..]);
        archive.verify().unwrap();
    }
    // Forward-only readers ignore it.
    let file = std::fs::read(&path).unwrap();
    let mut stream = NpzStream::new(&file[..]);
    let mut member = stream.next().unwrap().unwrap();
    assert!(member.array().unwrap().into_vec::<u64>().unwrap() == items);
    if let Some(numpy) = numpy("members_of_every_kind_are_read_by_several_threads") {
        let program = "
print([member.filename[:-4] for member in members if b'np' == member.extra[:2]])
assert (archive['items'] == archive['big']).all() and (archive['items'] == archive['stream']).all()
assert (archive['items'] == archive['stored']).all()
print(archive['bools'].sum(), archive['events']['id'][-1])
";
        let count = bools.iter().filter(|is_set| **is_set).count();
        let names = "['items', 'bools', 'events', 'big', 'stream']";
        let expected = format!("{names}\n{count} {}", events.last().unwrap().id);
        assert_eq!(numpy.prints_of_archive(&file, program), expected);
    }
}

/// Fewer members than threads.
#[test]
fn archives_of_few_members_are_read_by_all_threads() {
    let items = items(700_000);
    let path = scratch("a.npz");
    let arrays = BTreeMap::from([("x".to_owned(), Array1::from(items))]);
    arrays.save_npz_with(&path, WriteOptions::new().compressed(true).level(1).threads(3)).unwrap();
    for threads in [0, 1, 2, 5] {
        let read = BTreeMap::load_npz_with(&path, ReadOptions::new().threads(threads)).unwrap();
        assert!(arrays == read, "{threads}");
    }
}

/// The blocks of an array follow that of its header, and the last one may be whole.
#[test]
fn blocks_of_every_length_are_listed() {
    const BLOCK: usize = 131_072;
    for (count, listed) in [
        (BLOCK - 17, 0),
        (BLOCK - 16, 0),
        (BLOCK - 15, 2),
        (BLOCK - 1, 2),
        (BLOCK, 2),
        (BLOCK + 1, 3),
        (2 * BLOCK - 1, 3),
        (2 * BLOCK, 3),
        (2 * BLOCK + 1, 4),
    ] {
        let items = items(count);
        let archive = archive_of(&items);
        let is_listed = archive[entry(&archive) + 46 + 5..].starts_with(b"np");
        let found = if is_listed { (field(&archive).1 - 10) / 4 } else { 0 };
        assert_eq!(found, listed, "{count}");
        for threads in [1, 2] {
            assert!(read(&archive, threads).unwrap() == items, "{count} {threads}");
        }
        // Another reader uses exactly the same bytes.
        let mut stream = NpzStream::new(&archive[..]);
        assert!(stream.next().unwrap().unwrap().array().unwrap().into_vec::<u64>().unwrap() == items);
        let mut many = writer_with(WriteOptions::new().compressed(true).level(1).threads(2));
        many.add_slice("x", &items).unwrap();
        assert!(many.finish().unwrap().into_inner() == archive, "{count}");
    }
}

/// Forged blocks are an error, or give the values of one thread.
#[test]
fn forged_block_sizes_never_change_values() {
    let items = items(700_000);
    let archive = archive_of(&items);
    let (begin, length) = field(&archive);
    // The header, five blocks of 1 MiB, and the rest.
    assert_eq!(length, 4 + 2 + 4 + 7 * 4);
    assert!(read(&archive, 2).unwrap() == items);
    let mut state = 3;
    for i in some((0..length * 8).step_by(3).chain(length * 8..length * 8 + 40), 9) {
        let mut spoiled = archive.clone();
        // One bit, then several.
        if i < length * 8 {
            spoiled[begin + i / 8] ^= 1 << (i % 8);
        } else {
            for _ in 0..1 + random(&mut state) % 6 {
                spoiled[begin + 4 + random(&mut state) % (length - 4)] ^= 1 << (random(&mut state) % 8);
            }
        }
        assert!(read(&spoiled, 3).unwrap() == items, "{i}");
    }
    // Sizes whose sum is right: permuted blocks, shifted borders, and borders in the mark between blocks.
    let lengths: Vec<u32> =
        archive[begin + 10..begin + length].chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap())).collect();
    let mut lies = vec![lengths.iter().rev().copied().collect::<Vec<_>>()];
    for i in 0..lengths.len() - 1 {
        for difference in [-100_000, -9, -5, -1, 1, 5, 100_000] {
            let mut lie = lengths.clone();
            lie[i] = lie[i].wrapping_add_signed(difference);
            lie[i + 1] = lie[i + 1].wrapping_add_signed(-difference);
            lies.push(lie);
        }
    }
    let mut refused = 0;
    for lie in some(&lies, 4) {
        let mut spoiled = archive.clone();
        spoiled[begin + 10..begin + length]
            .copy_from_slice(&lie.iter().flat_map(|length| length.to_le_bytes()).collect::<Vec<_>>());
        match read(&spoiled, 2) {
            Ok(found) => assert!(found == items, "{lengths:?} {lie:?}"),
            // The wrong end of the first block is noticed only after the next blocks were inflated.
            Err(error) => {
                assert_eq!(problem::<()>(Err(error)), "invalid compressed data");
                assert_ne!(lie[0], lengths[0]);
                refused += 1;
            }
        }
    }
    assert!(refused < 3, "{refused} of {}", lies.len());
}

/// Blocks of the stated sizes that refer to earlier blocks.
#[test]
fn dependent_blocks_are_read_by_one_thread() {
    let items: Vec<u64> = (0..700_000).map(|i| i / 3 % 1000).collect();
    let content = written(&items);
    let mut compress = Compress::new(Compression::new(6), false);
    let mut blocks = Vec::new();
    let (header, elements) = content.split_at(content.len() - size_of_val(&items[..]));
    let mut chunks = [header].into_iter().chain(elements.chunks(1 << 20)).peekable();
    while let Some(chunk) = chunks.next() {
        let mut block = Vec::with_capacity(2 << 20);
        let flush = if chunks.peek().is_some() { FlushCompress::Sync } else { FlushCompress::Finish };
        compress.compress_vec(chunk, &mut block, flush).unwrap();
        blocks.push(block);
    }

    let mut archive = archive_of(&items);
    let begin = 30 + 5 + 20;
    let old = entry(&archive) - begin;
    archive.splice(begin..begin + old, blocks.concat());
    let new = blocks.iter().map(Vec::len).sum::<usize>();
    let put = |archive: &mut Vec<u8>, at: usize, number: usize| {
        archive[at..][..4].copy_from_slice(&u32::try_from(number).unwrap().to_le_bytes());
    };
    // The offset of the directory, the member's sizes in both headers, the blocks.
    let end = archive.len() - 22;
    put(&mut archive, end + 16, begin + new);
    put(&mut archive, 30 + 5 + 4 + 8, new);
    put(&mut archive, begin + new + 20, new);
    let (field, length) = field(&archive);
    assert_eq!(length, 10 + 4 * blocks.len());
    for (i, block) in blocks.iter().enumerate() {
        put(&mut archive, field + 10 + 4 * i, block.len());
    }
    for threads in [1, 2, 5] {
        assert!(read(&archive, threads).unwrap() == items, "{threads}");
    }
    // Reads of any length give the same values.
    let mut reader = NpzReader::from_bytes(&archive).unwrap();
    reader.set_threads(2);
    let mut array = reader.array(0).unwrap();
    let mut first = vec![0; 300_000];
    array.read_into(&mut first).unwrap();
    assert!(first == items[..300_000]);
    assert!(array.into_vec::<u64>().unwrap() == items[300_000..]);
}

/// Damaged data are an error by any number of threads.
#[test]
fn damaged_blocks_give_the_error_of_one_thread() {
    let items = items(700_000);
    let archive = archive_of(&items);
    let data = 30 + 5 + 20..entry(&archive);
    let mut state = 8;
    let mut checksums = 0;
    for _ in 0..40 {
        let mut spoiled = archive.clone();
        spoiled[data.start + random(&mut state) % data.len()] ^= 1 << (random(&mut state) % 8);
        let (one, two) = match (read(&spoiled, 1), read(&spoiled, 2)) {
            (Err(one), Err(two)) => (one, two),
            // In the padding before the mark between two blocks.
            (one, two) => {
                assert!(one.is_ok_and(|found| found == items) && two.is_ok_and(|found| found == items));
                continue;
            }
        };
        assert_eq!((one.member(), two.member()), (Some("x"), Some("x")));
        // The same values have the same checksum.
        let is_checksum = |error: &npy_core::Error| error.to_string().contains("wrong checksum: expected 0x");
        assert!(one.to_string() == two.to_string() || !is_checksum(&one) && !is_checksum(&two), "{one} {two}");
        checksums += usize::from(is_checksum(&one));
    }
    assert!(checksums > 0 && checksums < 40, "{checksums}");
}

/// Blocks within the data of another block, whose checksum and sizes are right, but not their values.
#[test]
fn rejects_blocks_hidden_in_other_blocks() {
    let items = items(700_000);
    let mut archive = archive_of(&items);
    let first = u32::from_le_bytes(archive[field(&archive).0 + 10..][..4].try_into().unwrap());
    // The header of a stored block: the following bytes are its content.
    let at = 30 + 5 + 20 + first as usize;
    archive.splice(at..at, [0, 0xff, 0xff, 0, 0]);
    let end = archive.len() - 22;
    let add = |archive: &mut Vec<u8>, at: usize| {
        let number = u32::from_le_bytes(archive[at..][..4].try_into().unwrap()) + 5;
        archive[at..][..4].copy_from_slice(&number.to_le_bytes());
    };
    // The offset of the directory, the member's sizes in both headers, and that of the first block.
    add(&mut archive, end + 16);
    let entry = entry(&archive);
    add(&mut archive, entry + 20);
    add(&mut archive, 30 + 5 + 4 + 8);
    let (field, _) = field(&archive);
    add(&mut archive, field + 10);
    assert!(read(&archive, 1).is_err());
    assert_eq!(problem(read(&archive, 2)), "invalid compressed data");
}

#[test]
fn allocates_only_the_result() {
    let items = items(4 << 20);
    let path = scratch("a.npz");
    let mut archive = NpzWriter::create_compressed(&path).unwrap();
    archive.set_options(archive.options().level(1));
    let (_, peak) = with_peak(|| archive.add_slice("x", &items).unwrap());
    assert!(peak < 8 << 20, "{peak}");
    archive.finish().unwrap();
    let (result, peak) = with_peak(|| {
        let mut archive = NpzReader::open_with(&path, ReadOptions::new().threads(4)).unwrap();
        archive.by_name::<u64>("x").unwrap()
    });
    assert!(result == items);
    let bytes = items.len() * 8;
    assert!(peak < bytes + (2 << 20), "{peak}");
}

/// A reader that fails in some of the blocks, or reports more than there is room for.
#[derive(Clone)]
struct Broken<'a> {
    archive: Cursor<&'a [u8]>,
    places: Range<u64>,
    reports: Option<usize>,
}

impl Read for Broken<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.places.contains(&self.archive.position()) {
            return self.reports.map(|more| buffer.len().saturating_add(more)).ok_or(io::Error::other("the disk is broken"));
        }
        // A few bytes at a time.
        let most = buffer.len().min(10_000);
        self.archive.read(&mut buffer[..most])
    }
}

impl Seek for Broken<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.archive.seek(position)
    }
}

#[test]
fn readers_that_fail_are_errors() {
    let items = items(700_000);
    let archive = archive_of(&items);
    let end = entry(&archive) as u64;
    const WRONG: &str = "invalid byte count from the reader";
    // Not in the directory.
    for (places, reports, message) in [
        (0..0, None, None),
        (end / 2..end - 100_000, None, Some("the disk is broken")),
        (end - 200_000..end - 100_000, None, Some("the disk is broken")),
        (end / 2..end - 100_000, Some(1), Some(WRONG)),
        (end - 200_000..end - 100_000, Some(usize::MAX), Some(WRONG)),
    ] {
        // Other blocks are read.
        let mut reader = NpzReader::new(Broken { archive: Cursor::new(&archive), places, reports }).unwrap();
        reader.set_threads(2);
        match (reader.by_name::<u64>("x"), message) {
            (Ok(found), None) => assert!(found == items),
            (Err(error), Some(message)) => assert!(format!("{error:#}").contains(message), "{error:#}"),
            (found, message) => panic!("{:?} instead of {message:?}", found.map(|found| found.len())),
        }
    }
}

/// Adds members of all kinds and sizes, and one that fails.
fn add_many<W: Write>(archive: &mut NpzWriter<W>, can_go_back: bool) {
    let mut state = 11;
    for i in 0..24_usize {
        let count = [3, 700, 20_000, 131_056, 131_072, 160_000][i % 6];
        let items: Vec<u64> = (0..count).map(|k| if i % 2 == 0 { random(&mut state) as u64 } else { k as u64 / 3 }).collect();
        archive.set_options(archive.options().compressed(i % 13 != 7).aligned(i % 5 == 3).level([1, 6][i / 12]));
        let name = format!("größe{i}");
        match i % 4 {
            0 if can_go_back => archive.add_stream(&name, |writer| writer.write_slice(&items)).unwrap(),
            1 => archive.add_bytes(&name, &items.iter().flat_map(|item| item.to_le_bytes()).collect::<Vec<_>>()).unwrap(),
            _ => archive.add_slice(&name, &items).unwrap(),
        }
        if i % 4 != 1 {
            assert!(archive.add_slice(&name, &items).is_err(), "twice");
        }
        if i % 10 == 4 && can_go_back {
            let error = archive.add_content("broken", |member| {
                member.write_all(&[7; 3000]).unwrap();
                Err(Error::wrong_count(1, 0))
            });
            assert!(error.unwrap_err().kind() == ErrorKind::WrongShape);
        }
    }
}

#[test]
fn archives_of_many_members_are_the_same_by_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let write = |threads: usize| {
        let path = directory.path().join(format!("{threads}.npz"));
        let mut archive = NpzWriter::create(&path).unwrap();
        archive.set_options(archive.options().threads(threads));
        add_many(&mut archive, true);
        archive.finish().unwrap();
        let mut archive = NpzWriter::append(&path).unwrap();
        archive.set_options(archive.options().threads(threads).compressed(true));
        archive.add_slice("a", &[1.5; 1000]).unwrap();
        archive.add_slice("b", &[2.5; 100_000]).unwrap();
        archive.finish().unwrap();
        let mut stream = NpzWriter::streaming(Vec::new());
        stream.set_options(stream.options().threads(threads));
        add_many(&mut stream, false);
        (std::fs::read(&path).unwrap(), stream.finish().unwrap())
    };
    let (file, stream) = write(1);
    assert_eq!(NpzReader::from_bytes(&file).unwrap().len(), 26);
    for archive in [&file, &stream] {
        NpzReader::from_bytes(archive).unwrap().verify().unwrap();
    }
    for threads in some([7, 2], 2) {
        let (same_file, same_stream) = write(threads);
        assert!(file == same_file && stream == same_stream, "{threads}");
    }
    // NumPy reads them, where it is installed.
    match Command::new("unzip").arg("-tqq").arg(directory.path().join("1.npz")).status() {
        Ok(status) => assert!(status.success(), "{status}"),
        Err(error) => assert_eq!(error.kind(), io::ErrorKind::NotFound),
    }
    // So does a map that is written in one call.
    let map: BTreeMap<String, Vec<u64>> = (0..50).map(|i| (format!("x{i}"), vec![i; 10_000])).collect();
    let mut archives = [1, 4].map(|threads| {
        let mut archive = Cursor::new(Vec::new());
        map.write_npz_with(&mut archive, WriteOptions::new().compressed(true).threads(threads)).unwrap();
        archive.into_inner()
    });
    assert!(archives[0] == archives[1]);
    assert_eq!(BTreeMap::read_npz(Cursor::new(std::mem::take(&mut archives[1]))).unwrap(), map);
    if let Some(numpy) = numpy("archives_of_many_members_are_the_same_by_any_number_of_threads") {
        let program = "print(len(members), archive['b'].sum(), len(archive['größe5']), archive['größe3'][-1])";
        assert_eq!(numpy.prints_of_archive(&file, program), "26 250000.0 1280000 43685");
    }
}

/// The error may come after `add`.
#[test]
fn reports_stream_errors_while_members_wait() {
    let items = items(20_000);
    let write = |room: usize| {
        let mut archive = NpzWriter::streaming(Full::after(room));
        archive.set_options(archive.options().compressed(true).threads(2));
        let added: npy_core::Result<()> = (0..6).try_for_each(|i| archive.add_slice(&format!("x{i}"), &items));
        match (added, archive.finish()) {
            (Ok(()), finished) => finished.map(|full| full.file.into_inner().len()),
            (Err(error), Ok(_)) => panic!("finished after {error}"),
            // All later calls fail.
            (Err(error), Err(_)) => Err(error),
        }
    };
    let bytes = write(usize::MAX).unwrap();
    assert_eq!(write(bytes).unwrap(), bytes);
    for room in [0, 1, 40, bytes / 6, bytes / 2, bytes - 1] {
        let error = write(room).unwrap_err();
        assert!(error.to_string().contains("cannot write the archive"), "{error}");
    }
}
